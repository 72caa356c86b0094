//! The seal: what is changed, repeated, reordered, recorded or made with another key never reaches a specimen, and is counted.

use std::net::UdpSocket;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use interfield_lab::hardware::{Hardware, Reply};
use interfield_wire::call::Call;
use interfield_wire::layout::{MOST_BYTES, Refused};
use interfield_wire::remote::{Remote, Unconnected};
use interfield_wire::sealed::caller::{Caller, Opened};
use interfield_wire::sealed::porter::{Asked, Porter};
use interfield_wire::sealed::{HEAD, Key, MOST_DATAGRAM, SealedDock, SealedLink, Seals};
use interfield_wire::udp::{UdpDock, UdpLink};

use super::lossy::{STORM, pair};
use super::{LOCK_STEP, LONG, greeting, host, same_bits};

/// So long after the last call that another is answered, ns.
const LATER: u64 = 1_000_000_000;

pub(super) fn key(byte: u8) -> Key {
    Key::parse(&format!("interfield-key-1 {}", format!("{byte:02x}").repeat(32))).expect("a key")
}

/// Both sides of an open line.
pub(super) fn open(porter: &mut Porter, now_ns: u64) -> Caller {
    let mut caller = Caller::new(&key(1)).expect("randomness");
    assert_eq!(porter.hear(now_ns, caller.call(), &mut []), Asked::Answer);
    assert_eq!(caller.hear(porter.outgoing(), &mut []), Opened::Line);
    caller
}

pub(super) fn seal(caller: &Caller, message: &[u8]) -> Vec<u8> {
    let mut out = [0; MOST_DATAGRAM];
    let n = caller.seal(message, &mut out).expect("an open line");
    out[..n].to_vec()
}

#[test]
fn a_message_goes_there_and_back_and_looks_like_noise() {
    let mut porter = Porter::new(key(1));
    let mut caller = open(&mut porter, 0);
    let message = [7; MOST_BYTES];
    let datagram = seal(&caller, &message);
    assert_eq!(datagram.len(), MOST_DATAGRAM);
    assert!(!datagram[HEAD..].windows(4).any(|w| w == [7; 4]), "nothing of it can be read");
    assert_ne!(seal(&caller, &message)[HEAD..], datagram[HEAD..], "not twice the same");
    let mut out = [0; MOST_BYTES];
    assert_eq!(porter.hear(0, &datagram, &mut out), Asked::Message(MOST_BYTES));
    assert_eq!(out, message);
    let back = porter.answer(b"measured").to_vec();
    assert_eq!(caller.hear(&back, &mut out), Opened::Message(8));
    assert_eq!(&out[..8], b"measured");
    assert_eq!((caller.seals().sealed, porter.seals().sealed), (1, 1));
}

#[test]
fn one_changed_bit_is_always_rejected() {
    let mut porter = Porter::new(key(1));
    let mut caller = Caller::new(&key(1)).expect("randomness");
    let call = caller.call().to_vec();
    let flipped = |good: &[u8], bit: usize| {
        let mut bad = good.to_vec();
        bad[bit / 8] ^= 1 << (bit % 8);
        bad
    };
    for bit in 0..8 * call.len() {
        let asked = porter.hear(LATER, &flipped(&call, bit), &mut []);
        // Whoever called is told at most that the key is another one; there is no line.
        assert!(asked == Asked::Nothing || porter.outgoing().len() == HEAD, "bit {bit}: {asked:?}");
    }
    assert_eq!(porter.hear(LATER, &call, &mut []), Asked::Answer);
    let answer = porter.outgoing().to_vec();
    for bit in 0..8 * answer.len() {
        let opened = caller.hear(&flipped(&answer, bit), &mut []);
        assert_eq!(opened, Opened::Nothing, "bit {bit}");
    }
    assert_eq!(caller.hear(&answer, &mut []), Opened::Line, "the good one is still taken");
    let datagram = seal(&caller, b"go there");
    let mut out = [0; MOST_BYTES];
    for bit in 0..8 * datagram.len() {
        assert_eq!(porter.hear(LATER, &flipped(&datagram, bit), &mut out), Asked::Nothing, "bit {bit}");
    }
    let rejected = (8 * (call.len() + datagram.len())) as u64;
    assert_eq!(*porter.seals(), Seals { sealed: 0, rejected, replayed: 0 });
    assert_eq!(porter.hear(LATER, &datagram, &mut out), Asked::Message(8));
}

#[test]
fn what_came_before_is_not_taken_again_and_reordered_is() {
    let mut porter = Porter::new(key(1));
    let caller = open(&mut porter, 0);
    let datagrams: Vec<Vec<u8>> = (0..100_u8).map(|k| seal(&caller, &[k])).collect();
    let mut out = [0; MOST_BYTES];
    for k in [0, 3, 1, 2, 99, 40] {
        assert_eq!(porter.hear(0, &datagrams[k], &mut out), Asked::Message(1), "{k}");
        assert_eq!(out[0], k as u8);
    }
    // Again, and one that is too old to tell.
    for k in [0, 1, 2, 3, 40, 99, 5] {
        assert_eq!(porter.hear(0, &datagrams[k], &mut out), Asked::Nothing, "{k}");
    }
    assert_eq!(*porter.seals(), Seals { sealed: 6, rejected: 0, replayed: 7 });
}

/// Recorded calls get lines of which nobody has the keys; the session keeps its own.
#[test]
fn recorded_calls_take_nothing_away() {
    let (mut old, mut out) = (Porter::new(key(1)), [0; MOST_BYTES]);
    let recorded: Vec<(Vec<u8>, Vec<u8>)> = (1..20_u64)
        .map(|k| {
            let caller = open(&mut old, k * LATER);
            (caller.call().to_vec(), seal(&caller, b"go there"))
        })
        .collect();
    let mut porter = Porter::new(key(1));
    let caller = open(&mut porter, 0);
    assert_eq!(porter.hear(0, &seal(&caller, b"hello"), &mut out), Asked::Message(5));
    porter.adopt();
    for (k, (call, message)) in (1..).zip(&recorded) {
        assert_eq!(porter.hear(k * LATER, call, &mut out), Asked::Answer);
        assert_eq!(porter.hear(k * LATER, message, &mut out), Asked::Nothing, "sealed for another line");
        assert_eq!(porter.hear(k * LATER + 1, &recorded[0].1, &mut out), Asked::Nothing);
    }
    assert_eq!(porter.hear(0, &seal(&caller, b"on"), &mut out), Asked::Message(2));
    assert_eq!(*porter.seals(), Seals { sealed: 2, rejected: 38, replayed: 0 });
}

#[test]
fn a_flood_of_calls_is_answered_now_and_then() {
    let mut porter = Porter::new(key(1));
    let answered = (0..1000_u64)
        .filter(|ms| {
            let caller = Caller::new(&key(1)).expect("randomness");
            porter.hear(ms * 1_000_000, caller.call(), &mut []) == Asked::Answer
        })
        .count();
    assert_eq!((answered, porter.seals().rejected), (50, 950));
}

/// A call that is repeated because its answer was lost gets the same line.
#[test]
fn a_lost_answer_is_sent_again() {
    let mut porter = Porter::new(key(1));
    let mut caller = Caller::new(&key(1)).expect("randomness");
    assert_eq!(porter.hear(0, caller.call(), &mut []), Asked::Answer);
    let first = porter.outgoing().to_vec();
    assert_eq!(porter.hear(1, caller.call(), &mut []), Asked::Answer);
    assert_eq!(porter.outgoing(), first);
    assert_eq!(caller.hear(&first, &mut []), Opened::Line);
    assert_eq!(caller.hear(&first, &mut []), Opened::Nothing);
    let mut out = [0; MOST_BYTES];
    assert_eq!(porter.hear(2, &seal(&caller, b"there"), &mut out), Asked::Message(5));
    assert_eq!((caller.seals().rejected, porter.seals().rejected), (0, 0));
}

#[test]
fn another_key_and_no_key_are_told() {
    let mut porter = Porter::new(key(1));
    let mut other = Caller::new(&key(2)).expect("randomness");
    assert_eq!(porter.hear(0, other.call(), &mut []), Asked::Answer);
    assert_eq!(other.hear(porter.outgoing(), &mut []), Opened::OtherKey);
    let mut call = Call::new(9, &greeting(1));
    let hello = call.hello(0, &greeting(1)).to_vec();
    assert_eq!(porter.hear(0, &hello, &mut []), Asked::Answer);
    assert!(matches!(call.hear(0, porter.outgoing()), interfield_wire::call::Reaction::Refused(Some(Refused::Sealed))));
    let command = call.command(0, super::NEEDED, &[1.0]).to_vec();
    assert_eq!(porter.hear(0, &command, &mut []), Asked::Nothing);
    assert_eq!(*porter.seals(), Seals { sealed: 0, rejected: 3, replayed: 0 });
}

/// In lock-step, loss, repetition and reordering change no bit under seal either.
#[test]
fn a_storm_under_seal_gives_the_same_bits() {
    let (link, dock) = pair(STORM);
    let stop = AtomicBool::new(false);
    let mut dock = SealedDock::new(dock, key(1));
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, false, &stop, &mut |_| ()));
        let link = SealedLink::new(link, &key(1)).expect("randomness");
        let mut remote = Remote::connect(Box::new(link), &greeting(2), LOCK_STEP, LONG).expect("a welcome");
        same_bits(&mut remote, 2, 400);
        let account = remote.account();
        let counted = |name: &str| account.iter().find(|a| a.0 == name).map_or(f64::NAN, |a| a.1);
        assert_eq!((counted("lost"), counted("rejected")), (0.0, 0.0));
        assert!(counted("sealed") >= 400.0 && counted("replayed") > 20.0, "there was a storm: {account:?}");
        drop(remote);
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.statistics.commands, record.statistics.lost), (400, 0));
        let replayed = record.transport.iter().find(|c| c.0 == "replayed").map_or(0, |c| c.1);
        assert!(replayed > 20, "{:?}", record.transport);
    });
}

/// Over real sockets, with strangers who listen, repeat what they heard, and shout.
#[test]
fn strangers_at_the_port_are_counted_and_move_nothing() {
    let dock = UdpDock::bind("127.0.0.1:0").expect("a free port");
    let address = dock.address().expect("its address");
    let mut dock = SealedDock::new(dock, key(1));
    let stop = AtomicBool::new(false);
    let link = |k: u8| SealedLink::new(UdpLink::open(address).expect("a socket"), &key(k)).expect("randomness");
    let short = Duration::from_millis(300);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 2, false, &stop, &mut |_| ()));
        let mut first = Remote::connect(Box::new(link(1)), &greeting(2), LOCK_STEP, LONG).expect("a welcome");
        let busy = Remote::connect(Box::new(link(1)), &greeting(2), LOCK_STEP, LONG);
        assert_eq!(busy.err(), Some(Unconnected::Refused(Some(Refused::Busy))));
        let wrong = Remote::connect(Box::new(link(2)), &greeting(2), LOCK_STEP, short);
        assert_eq!(wrong.err(), Some(Unconnected::OtherKey));
        let plain = UdpLink::open(address).expect("a socket");
        let plain = Remote::connect(Box::new(plain), &greeting(2), LOCK_STEP, LONG);
        assert_eq!(plain.err(), Some(Unconnected::Refused(Some(Refused::Sealed))));
        let stranger = UdpSocket::bind("127.0.0.1:0").expect("a socket");
        for size in [0, 1, 23, 24, 72, 1144, 1145, 60_000] {
            stranger.send_to(&vec![b'I'; size], address).expect("loopback takes it");
        }
        same_bits(&mut first, 2, 200);
        drop(first);
        let record = hosted.join().expect("the host ends");
        assert_eq!((record.sessions, record.statistics.commands, record.statistics.malformed), (1, 200, 0));
        let rejected = record.transport.iter().find(|c| c.0 == "rejected").map_or(0, |c| c.1);
        assert!(rejected >= 10, "{:?}", record.transport);
    });
}

/// A controller without a key does not understand a test with one, and nobody moves anything.
#[test]
fn a_sealed_test_and_a_plain_controller_stay_apart() {
    let mut dock = UdpDock::bind("127.0.0.1:0").expect("a free port");
    let address = dock.address().expect("its address");
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let hosted = scope.spawn(|| host(&mut dock, 1, false, &stop, &mut |_| ()));
        let link = SealedLink::new(UdpLink::open(address).expect("a socket"), &key(1)).expect("randomness");
        let found = Remote::connect(Box::new(link), &greeting(1), LOCK_STEP, Duration::from_millis(200));
        assert_eq!(found.err(), Some(Unconnected::Silent));
        let plain = UdpLink::open(address).expect("a socket");
        let mut plain = Remote::connect(Box::new(plain), &greeting(1), LOCK_STEP, LONG).expect("a welcome");
        assert_eq!(plain.exchange(&mut [], &[1.0], &mut [0.0], &mut [0.0]), Reply::Fresh);
        drop(plain);
        let record = hosted.join().expect("the host ends");
        assert_eq!(record.statistics.commands, 1);
        assert!(record.statistics.malformed > 0);
    });
}
