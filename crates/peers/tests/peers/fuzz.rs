//! Random and damaged bytes to every decoder: no panic, no growth, no motion to where no number says.
//! `INTERFIELD_FUZZ_SECONDS=60` runs each for that long; without it a fixed number of inputs is tried.

use std::time::{Duration, Instant};

use interfield_peers::channel::{PeerAddress, Transport};
use interfield_peers::opensees::Sizes;
use interfield_peers::session::Said;
use interfield_peers::utsim::{HEADER, Header};
use interfield_peers::{MOST_DOFS, MOST_NUMBERS};

use super::{Path, Protocol, Random, session};

/// Calls `once` with fresh randomness, so often or so long as asked for.
fn many(mut once: impl FnMut(&mut Random)) {
    let seconds = std::env::var("INTERFIELD_FUZZ_SECONDS").ok().and_then(|s| s.parse::<u64>().ok());
    let end = seconds.map(|s| Instant::now() + Duration::from_secs(s));
    let mut random = Random(20_261_115);
    let mut tried = 0;
    while end.map_or(tried < 20_000, |end| Instant::now() < end) {
        once(&mut random);
        tried += 1;
    }
}

/// Numbers as peers send them, and as none should.
fn number(random: &mut Random) -> f64 {
    match random.below(8) {
        0 => f64::from_bits(random.next_u64()),
        1 => f64::NAN,
        2 => [f64::INFINITY, -1e308, 0.5, -0.0][random.below(4)],
        3 | 4 => random.below(100) as f64,
        _ => random.below(2000) as f64 / 1000.0 - 1.0,
    }
}

/// A message that is nearly good, for a session that wants so many bytes.
fn nearly_good(random: &mut Random, protocol: Protocol, wants: usize) -> Vec<u8> {
    let codes = [3.0, 3.0, 3.0, 5.0, 6.0, 10.0, 10.0, 12.0, 13.0, 14.0, 15.0, 2.0, 1.0];
    let whole = |random: &mut Random, count: usize| -> Vec<u8> {
        let size = |random: &mut Random| [0, 1, 2, 2, 2, 2, 8, 16, 300, -1][random.below(10)];
        (0..count).flat_map(|_| i32::to_le_bytes(size(random))).collect()
    };
    let mut bytes: Vec<u8> = match (protocol, wants) {
        (_, 4) => vec![1, 0, 0, 0],
        (Protocol::OpenSees, 44) if random.below(2) == 0 => {
            Sizes { command: [2, 2, 2, 0, 1], answer: [0, 0, 0, 2, 0], numbers: 8 + random.below(9) }.encode()
        }
        (Protocol::Site, 20) if random.below(2) == 0 => {
            [2_i32, 0, 0, 0, 1].iter().flat_map(|x| x.to_le_bytes()).collect()
        }
        (Protocol::OpenSees, 44) | (Protocol::Site, 20) => whole(random, wants / 4),
        (Protocol::UtSim, _) => {
            let command = [3, 3, 10, 10, 10, 12, 5, 0][random.below(8)];
            let contents = [1, 1, 9, 8, 16, 0, 3, 7][random.below(8)];
            let mut header = vec![2, command, 4, 1, 1 + random.below(2) as u8, contents, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0];
            while header.len() < wants {
                header.extend(number(random).to_le_bytes());
            }
            header
        }
        (Protocol::Site, 2048) if random.below(2) == 0 => {
            let head = [2.0, 8.0 + random.below(9) as f64];
            head.iter().flat_map(|x| x.to_le_bytes()).collect()
        }
        _ => {
            let code = codes[random.below(codes.len())];
            std::iter::once(code).chain((0..wants / 8).map(|_| number(random))).flat_map(f64::to_le_bytes).collect()
        }
    };
    bytes.resize(wants, 0);
    // Half of them are damaged.
    for _ in 0..random.below(2) * random.below(4) {
        let at = random.below(bytes.len().max(1));
        if let Some(byte) = bytes.get_mut(at) {
            *byte = random.next_u64() as u8;
        }
    }
    match random.below(40) {
        0 => bytes.truncate(random.below(wants)),
        1 => bytes.push(0),
        _ => {}
    }
    bytes
}

/// A peer of any protocol that lies in every way: [`Path`] sees no displacement that is not a number, lengths stay bounded,
/// and answers have the lengths that the peer expects.
fn lied_to(protocol: Protocol) {
    let (mut moved, mut answered, mut refused) = (0_u64, 0_u64, 0_u64);
    many(|random| {
        let transport = if random.below(2) == 0 { Transport::Tcp } else { Transport::Udp };
        let mut session = session(protocol, 2, transport);
        let mut path = Path::new(2);
        for _ in 0..30 {
            let wants = session.wants();
            assert!(wants > 0 && wants <= HEADER + 8 * MOST_NUMBERS, "{wants}");
            let bytes = nearly_good(random, protocol, wants);
            match session.hear(&bytes, &mut path) {
                Ok(Said::Answer(answer) | Said::Over(Some(answer))) => {
                    answered += 1;
                    assert!(answer.len() <= HEADER + 8 * MOST_NUMBERS);
                    if protocol == Protocol::OpenSees {
                        assert_eq!(answer.len(), wants);
                    }
                }
                Ok(_) => {}
                Err(_) => {
                    refused += 1;
                    break;
                }
            }
        }
        moved += path.moves.len() as u64;
    });
    assert!(
        moved > 100 && answered > 100 && refused > 100,
        "what was thrown proves little: {moved} {answered} {refused}"
    );
}

#[test]
fn opensees_is_lied_to_in_vain() {
    lied_to(Protocol::OpenSees);
}

#[test]
fn sites_are_lied_to_in_vain() {
    lied_to(Protocol::Site);
}

#[test]
fn ut_sim_is_lied_to_in_vain() {
    lied_to(Protocol::UtSim);
}

#[test]
fn any_sizes_are_decoded_or_refused() {
    let mut accepted = 0_u64;
    many(|random| {
        let mut all: Vec<u8> = (0..10).flat_map(|_| (random.below(110) as i32).to_le_bytes()).collect();
        all.extend((random.below(20_000) as i32).to_le_bytes());
        if random.below(4) == 0 {
            all[random.below(44)] = random.next_u64() as u8;
        }
        if let Ok(sizes) = Sizes::decode(&all) {
            accepted += 1;
            assert!(
                sizes.numbers <= MOST_NUMBERS && sizes.command.iter().chain(&sizes.answer).all(|n| *n <= MOST_DOFS)
            );
            assert_eq!(sizes.encode(), all);
        }
        let noise: Vec<u8> = (0..random.below(60)).map(|_| random.next_u64() as u8).collect();
        assert!(Sizes::decode(&noise).is_err() || noise.len() == 44);
    });
    assert!(accepted > 100, "the noise must hit some, or it proves little");
}

#[test]
fn any_header_is_decoded_or_refused() {
    let mut accepted = 0_u64;
    many(|random| {
        let mut bytes: Vec<u8> = (0..HEADER).map(|_| random.next_u64() as u8).collect();
        (bytes[0], bytes[4], bytes[6]) = (random.below(4) as u8, random.below(4) as u8, random.below(2) as u8);
        if let Ok(header) = Header::decode(&bytes) {
            accepted += 1;
            assert!(header.dofs <= MOST_DOFS && header.payload() <= 8 * (6 * MOST_DOFS + 2 * MOST_DOFS * MOST_DOFS));
            assert_eq!(Header::decode(&header.encode()), Ok(header));
        }
        let short: Vec<u8> = (0..random.below(HEADER)).map(|_| 2).collect();
        assert!(Header::decode(&short).is_err());
    });
    assert!(accepted > 100);
}

#[test]
fn any_address_is_read_or_refused() {
    many(|random| {
        let letters = b"tcpudp://:[]0123456789.a \xc3\xa4";
        let text: Vec<u8> = (0..random.below(24)).map(|_| letters[random.below(letters.len())]).collect();
        let text = String::from_utf8_lossy(&text).into_owned();
        for text in [text.clone(), format!("tcp://{text}"), format!("udp://127.0.0.1:{text}")] {
            if let Ok(place) = text.parse::<PeerAddress>() {
                assert_eq!(place.to_string(), text);
            }
        }
    });
}
