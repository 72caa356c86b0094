//! Random and damaged bytes to every decoder: no panic, no growth, no motion. `INTERFIELD_FUZZ_SECONDS=60` runs each for that
//! long; without it a fixed number of inputs is tried.

use std::time::{Duration, Instant};

use interfield_lab::hardware::Interlock;
use interfield_wire::call::Call;
use interfield_wire::codec::{Content, Greeting, Letter, Shown, Stamp, decode};
use interfield_wire::layout::{CHECKSUM_AT, Kind, MOST_ACTUATORS, MOST_BYTES};
use interfield_wire::station::{Event, Station};

use super::sealed::{key, open, seal};
use super::{FRESH, NEEDED, Random, greeting};

/// Calls `once` with fresh randomness, so often or so long as asked for.
fn many(mut once: impl FnMut(&mut Random)) {
    let seconds = std::env::var("INTERFIELD_FUZZ_SECONDS").ok().and_then(|s| s.parse::<u64>().ok());
    let end = seconds.map(|s| Instant::now() + Duration::from_secs(s));
    let mut random = Random(20_261_115);
    let mut tried = 0;
    while end.map_or(tried < 100_000, |end| Instant::now() < end) {
        once(&mut random);
        tried += 1;
    }
}

fn below(random: &mut Random, n: usize) -> usize {
    (random.next_u64() % n as u64) as usize
}

/// A good message of any kind and size.
fn message(random: &mut Random, session: u64) -> Vec<u8> {
    let n = below(random, MOST_ACTUATORS + 1);
    let stamp = Stamp { session, sequence: random.next_u64() % 1000, time_ns: random.next_u64() };
    let values: Vec<f64> = (0..n).map(|_| f64::from_bits(random.next_u64())).collect();
    let bits = random.next_u64();
    let [first, second] = [bits & 1 != 0, bits & 2 != 0];
    let interlock = Interlock { enable: first, heartbeat: second };
    let shown = Shown { fresh: first, emergency_stop: second };
    let mut letter = Letter::default();
    match below(random, 7) {
        0 => letter.greeting(Kind::Hello, stamp, &greeting(n)),
        1 => letter.greeting(Kind::Welcome, stamp, &Greeting { emulated: first, ..greeting(n) }),
        2 => letter.short(Kind::Refusal, stamp, random.next_u64() as u32),
        3 => letter.command(stamp, interlock, random.next_u64(), &values),
        4 => letter.measurement(stamp, shown, [random.next_u64(); 2], &values, &values),
        5 => letter.short(Kind::Heartbeat, stamp, 0),
        _ => letter.short(Kind::Stop, stamp, 0),
    }
    .to_vec()
}

/// Flips, cuts, prolongs, repeats; the checksum is made good again half of the time, so that the damage gets further in.
fn damage(random: &mut Random, mut bytes: Vec<u8>) -> Vec<u8> {
    for _ in 0..1 + below(random, 4) {
        let at = below(random, bytes.len() + 1);
        match below(random, 5) {
            0 => bytes.truncate(at),
            1 if at < bytes.len() => bytes[at] = random.next_u64() as u8,
            2 if at < bytes.len().min(8) => bytes[at] = bytes[at].wrapping_add(1),
            3 => bytes.extend((0..below(random, 64)).map(|i| i as u8)),
            4 => {
                let tail = bytes[at..].to_vec();
                bytes.extend(tail);
            }
            _ => {}
        }
        bytes.truncate(70_000);
    }
    if bytes.len() >= CHECKSUM_AT + 4 && random.next_u64().is_multiple_of(2) {
        bytes[CHECKSUM_AT..CHECKSUM_AT + 4].fill(0);
        let sum = crc(&bytes);
        bytes[CHECKSUM_AT..CHECKSUM_AT + 4].copy_from_slice(&sum.to_le_bytes());
    }
    bytes
}

/// Bit by bit, as in `interfield_wire.h`: a second opinion on the table of the codec.
fn crc(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, b| {
        (0..8).fold(crc ^ u32::from(*b), |c, _| if c & 1 == 1 { (c >> 1) ^ 0xEDB8_8320 } else { c >> 1 })
    })
}

#[test]
fn every_message_comes_back_as_it_went() {
    many(|random| {
        let bytes = message(random, 5);
        let (stamp, content) = decode(&bytes).expect("what the codec wrote");
        let mut letter = Letter::default();
        let collect = |v: interfield_wire::codec::Values<'_>| v.iter().collect::<Vec<f64>>();
        let again = match content {
            Content::Hello(g) => letter.greeting(Kind::Hello, stamp, &g),
            Content::Welcome(g) => letter.greeting(Kind::Welcome, stamp, &g),
            Content::Refusal { reason } => letter.short(Kind::Refusal, stamp, reason),
            Content::Command { interlock, tick_ns, values } => {
                letter.command(stamp, interlock, tick_ns, &collect(values))
            }
            Content::Measurement { shown, received_ns, echo_ns, displacement, force } => {
                letter.measurement(stamp, shown, [received_ns, echo_ns], &collect(displacement), &collect(force))
            }
            Content::Heartbeat => letter.short(Kind::Heartbeat, stamp, 0),
            Content::Stop => letter.short(Kind::Stop, stamp, 0),
        };
        assert_eq!(again, bytes);
    });
}

#[test]
fn one_wrong_bit_is_always_seen() {
    let mut random = Random(3);
    for _ in 0..60 {
        let good = message(&mut random, 5);
        for bit in 0..8 * good.len() {
            let mut bad = good.clone();
            bad[bit / 8] ^= 1 << (bit % 8);
            assert!(decode(&bad).is_err(), "bit {bit}");
        }
    }
}

#[test]
fn any_bytes_are_decoded_or_refused() {
    let mut accepted = 0_u64;
    many(|random| {
        let noise: Vec<u8> = (0..below(random, 200)).map(|_| random.next_u64() as u8).collect();
        assert!(decode(&noise).is_err());
        let good = message(random, 5);
        let bytes = damage(random, good);
        if let Ok((_, content)) = decode(&bytes) {
            accepted += 1;
            assert!(bytes.len() <= MOST_BYTES);
            if let Content::Hello(g) | Content::Welcome(g) = content {
                assert!(g.actuators.len() <= MOST_ACTUATORS);
            }
        }
    });
    assert!(accepted > 100, "the damage must leave some messages whole, or it proves little: {accepted}");
}

/// Whatever comes without the number of the session, nothing moves and no session is lost.
#[test]
fn strangers_never_move_a_specimen() {
    let mut station = Station::new(greeting(3), Some(1_000));
    // As random as a real one: with a small number the damage itself finds it, sooner or later.
    let mut call = Call::new(0x9d1c_58a3_6be2_f047, &greeting(3));
    let hello = call.hello(0, &greeting(3)).to_vec();
    assert_eq!(station.hear(0, &hello), Event::Opened);
    many(|random| {
        let good = message(random, 5);
        let bytes = damage(random, good);
        let event = station.hear(10, &bytes);
        assert!(matches!(event, Event::Ignored | Event::Answer), "{event:?}");
        assert_eq!(station.command(), [0.0; 3]);
        // What is answered is never larger than what was asked, so that nobody is flooded in another's name.
        assert!(event == Event::Ignored || station.outgoing().len() <= bytes.len().max(40));
    });
}

/// A peer of the session itself that lies: still no panic, and only finite commands of the right number move.
#[test]
fn liars_of_the_session_cannot_break_it() {
    let (mut station, mut call) = (Station::new(greeting(3), None), Call::new(5, &greeting(3)));
    call.command(0, NEEDED, &[0.0; 3]);
    many(|random| {
        let good = message(random, 5);
        let bytes = if random.next_u64().is_multiple_of(2) { good } else { damage(random, good) };
        if let Event::Move { .. } = station.hear(random.next_u64(), &bytes) {
            assert!(station.command().iter().all(|c| c.is_finite()));
            station.answer(random.next_u64(), FRESH, &[0.0; 3], &[0.0; 3]);
        }
        call.hear(random.next_u64(), &bytes);
        call.command(random.next_u64(), NEEDED, &[0.0; 3]);
    });
}

/// Damaged and random datagrams to both sides of the seal, between good ones: no panic, nothing gets through, no line is lost.
#[test]
fn nothing_without_a_seal_gets_through() {
    use interfield_wire::sealed::caller::Opened;
    use interfield_wire::sealed::porter::{Asked, Porter};
    let mut porter = Porter::new(key(1));
    let mut caller = open(&mut porter, 0);
    let mut out = [0; MOST_BYTES];
    let hello = seal(&caller, b"hello");
    assert_eq!(porter.hear(0, &hello, &mut out), Asked::Message(5));
    porter.adopt();
    let call = caller.call().to_vec();
    let (mut now, mut good) = (0, 1_u64);
    many(|random| {
        now += 1_000_000;
        let message = message(random, 5);
        let sealed = seal(&caller, &message);
        let template = match below(random, 4) {
            0 => call.clone(),
            1 => message.clone(),
            2 => (0..below(random, 2000)).map(|_| random.next_u64() as u8).collect(),
            _ => sealed.clone(),
        };
        let bytes = damage(random, template);
        if bytes != sealed {
            let asked = porter.hear(now, &bytes, &mut out);
            assert!(!matches!(asked, Asked::Message(_)), "{asked:?}");
            // What is answered is never larger than what was asked.
            assert!(asked == Asked::Nothing || porter.outgoing().len() <= bytes.len());
            assert!(!matches!(caller.hear(&bytes, &mut out), Opened::Message(_) | Opened::Line));
        }
        assert_eq!(porter.hear(now, &sealed, &mut out), Asked::Message(message.len()));
        good += 1;
        let back = porter.answer(&message).to_vec();
        assert_eq!(caller.hear(&back, &mut out), Opened::Message(message.len()));
    });
    assert_eq!(porter.seals().sealed, good);
}

/// A test that opens a line hears all sorts of things before the answer.
#[test]
fn nonsense_before_the_answer_opens_nothing() {
    use interfield_wire::sealed::caller::{Caller, Opened};
    use interfield_wire::sealed::porter::{Asked, Porter};
    let mut porter = Porter::new(key(1));
    let mut caller = Caller::new(&key(1)).expect("randomness");
    assert_eq!(porter.hear(0, caller.call(), &mut []), Asked::Answer);
    let answer = porter.outgoing().to_vec();
    many(|random| {
        let bytes = damage(random, answer.clone());
        if bytes != answer {
            let opened = caller.hear(&bytes, &mut []);
            assert!(matches!(opened, Opened::Nothing | Opened::OtherKey), "{opened:?}");
        }
    });
    assert_eq!(caller.hear(&answer, &mut []), Opened::Line);
}
