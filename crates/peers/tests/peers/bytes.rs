//! State machines against bytes as the real programs send them, and against the order of messages of their integrators.

use interfield_peers::opensees::{self, Sizes};
use interfield_peers::session::{Said, Session};
use interfield_peers::substructure::Halt;
use interfield_peers::violation::Violation;
use interfield_peers::{site, utsim};

use super::Path;

/// Size message of `genericClient` with two degrees of freedom and `-dataSize 4`, as openseespy 3.7.1 sent it.
const CAPTURED: &str =
    "02000000 02000000 02000000 00000000 01000000 00000000 00000000 00000000 02000000 00000000 08000000";

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    digits.chunks(2).map(|d| u8::from_str_radix(std::str::from_utf8(d).unwrap(), 16).unwrap()).collect()
}

fn message(values: &[f64], length: usize) -> Vec<u8> {
    let mut bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    bytes.resize(8 * length, 0);
    bytes
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
}

/// What is answered to a message, as numbers; `None`: nothing.
fn ask(session: &mut dyn Session, path: &mut Path, bytes: &[u8]) -> Option<Vec<f64>> {
    match session.hear(bytes, path).expect("a good message") {
        Said::Answer(answer) => Some(numbers(answer)),
        Said::Nothing | Said::Over(None) => None,
        Said::Over(Some(answer)) => Some(numbers(answer)),
    }
}

#[test]
fn the_captured_size_message_is_understood_and_written_alike() {
    let bytes = hex(CAPTURED);
    let sizes = Sizes { command: [2, 2, 2, 0, 1], answer: [0, 0, 0, 2, 0], numbers: 8 };
    assert_eq!(Sizes::decode(&bytes), Ok(sizes));
    assert_eq!(sizes.encode(), bytes);
    let mut server = opensees::Server::new(2);
    assert_eq!(server.wants(), 44);
    assert_eq!(ask(&mut server, &mut Path::new(2), &bytes), None);
    assert_eq!(server.wants(), 64);
}

/// One step of each kind of integrator, as section 3 of the facts lists them: T trial, F force, D damping, K tangent
/// stiffness, M mass, I initial stiffness, C commit. A capital N before a T: to a new displacement.
#[test]
fn every_integrator_moves_the_substructure_once_per_new_displacement() {
    let integrators = [
        ("Newmark, Newton", "T F D K D NT F D C", 1),
        ("HHT, GeneralizedAlpha, Collocation", "T F D K D NT F D T C", 1),
        ("NewmarkExplicit, HHTExplicit", "NT D F D T C", 1),
        ("AlphaOS", "NT K D F D K T C", 1),
        ("AlphaOS_TP", "NT K D F D T F D K C", 1),
        ("KRAlphaExplicit", "NT F D T C", 1),
        ("CentralDifferenceNoDamping", "F NT C", 1),
        ("NewmarkHSFixedNumIter", "F D K D NT F D K D NT F D K D NT F D K D C", 3),
        ("a trial that nobody asks about", "NT NT NT C", 0),
    ];
    for (name, step, moves) in integrators {
        let (mut server, mut path) = (opensees::Server::new(2), Path::new(2));
        ask(&mut server, &mut path, &hex(CAPTURED));
        let (mut u, mut steps) = ([0.0, 0.0], 0);
        ask(&mut server, &mut path, &message(&[3.0], 8));
        ask(&mut server, &mut path, &message(&[10.0], 8));
        // The first force is asked for where it stands.
        assert_eq!(path.moves, [[0.0, 0.0]], "{name}");
        for k in 0..5 {
            let before = path.moves.len();
            for word in step.split(' ') {
                if word == "NT" {
                    u = [u[0] + 0.125, u[1] - 0.25];
                }
                let v = 0.5 * f64::from(k);
                let trial = [u[0], u[1], v, v, 9.0, 9.0, 0.02 * f64::from(k)];
                let code = match word {
                    "T" | "NT" => 3.0,
                    "F" => 10.0,
                    "D" => 14.0,
                    "K" => 13.0,
                    _ => 5.0,
                };
                let answer = ask(&mut server, &mut path, &message(&[&[code][..], &trial].concat(), 8));
                assert_eq!(answer.is_some(), [10.0, 13.0, 14.0].contains(&code), "{name}: {word}");
                if code == 10.0 {
                    assert_eq!(answer.expect("just seen")[..2], path.sums[..], "{name}");
                    assert_eq!(path.moves.last().map(Vec::as_slice), Some(&u[..]), "{name}");
                }
                steps += u64::from(code == 5.0);
            }
            // The force of the displacement before, where an integrator asks for it first, was there already in the first step.
            let late = if name.starts_with("Central") { usize::from(k > 0) } else { moves };
            assert_eq!(path.moves.len() - before, late, "{name}, step {k}");
        }
        assert_eq!(server.trial().counts().commits, steps);
        assert_eq!(server.trial().counts().moves, path.moves.len() as u64);
    }
}

#[test]
fn matrices_are_answered_by_columns_and_move_nothing() {
    let (mut server, mut path) = (opensees::Server::new(2), Path::new(2));
    ask(&mut server, &mut path, &hex(CAPTURED));
    for (code, scale) in [(12.0, 1.0), (13.0, 1.0), (14.0, 0.1), (15.0, 0.01)] {
        let answer = ask(&mut server, &mut path, &message(&[code], 8)).expect("a matrix");
        let by_columns = [1.0, 3.0, 2.0, 4.0].map(|x| scale * x);
        assert_eq!(answer, [&by_columns[..], &[0.0; 4]].concat());
    }
    assert!(path.moves.is_empty());
    assert_eq!(server.hear(&message(&[99.0], 8), &mut path), Ok(Said::Over(None)));
}

/// OpenSees adds D v to the forces it gets; what a measured force holds of that already must not count twice.
#[test]
fn measured_damping_is_taken_out_of_the_force() {
    let (mut server, mut path) = (opensees::Server::new(2), Path::new(2));
    path.matrices.measured_damping = vec![2.0, -1.0, 0.5, 4.0];
    ask(&mut server, &mut path, &hex(CAPTURED));
    let v = [3.0, 5.0];
    ask(&mut server, &mut path, &message(&[3.0, 0.25, 0.75, v[0], v[1]], 8));
    let f = ask(&mut server, &mut path, &message(&[10.0], 8)).expect("a force");
    assert_eq!(f[..2], [0.25 - (6.0 - 5.0), 0.75 - (1.5 + 20.0)]);
    // Another velocity at the same place: no move, another force.
    ask(&mut server, &mut path, &message(&[3.0, 0.25, 0.75, 0.0, 0.0], 8));
    let f = ask(&mut server, &mut path, &message(&[10.0], 8)).expect("a force");
    assert_eq!((&f[..2], path.moves.len()), (&[0.25, 0.75][..], 1));
}

/// OpenFresco's elements with `-server` ask for groups one by one and get all of them, each at its place.
#[test]
fn all_groups_are_answered_in_their_order() {
    let (mut server, mut path) = (opensees::Server::new(1), Path::new(1));
    let sizes = Sizes { command: [1, 1, 1, 0, 1], answer: [1, 1, 1, 1, 1], numbers: 5 };
    ask(&mut server, &mut path, &sizes.encode());
    ask(&mut server, &mut path, &message(&[3.0, 0.5, 0.25, 0.125, 7.0], 5));
    for code in [6.0, 7.0, 8.0, 9.0, 10.0, 11.0] {
        assert_eq!(ask(&mut server, &mut path, &message(&[code], 5)), Some(vec![0.5, 0.25, 0.125, 0.5, 7.0]));
    }
    assert_eq!(path.moves.len(), 1);
}

#[test]
fn sizes_that_cannot_be_true_are_refused() {
    let good = Sizes { command: [2, 2, 2, 0, 1], answer: [0, 0, 0, 2, 0], numbers: 16 };
    let with = |place: usize, value: i32| {
        let mut bytes = good.encode();
        bytes[4 * place..4 * place + 4].copy_from_slice(&value.to_le_bytes());
        bytes
    };
    let cases = [
        (with(0, -1), Violation::Size),
        (with(0, i32::MAX), Violation::Size),
        (with(0, 3), Violation::Dofs(3, 2)),
        (with(1, 1), Violation::Dofs(1, 2)),
        (with(3, 2), Violation::ForceControl),
        (with(4, 2), Violation::Size),
        (with(8, 1), Violation::Dofs(1, 2)),
        (with(10, 7), Violation::Message),
        (with(10, 0), Violation::Message),
        (with(10, i32::MIN), Violation::Message),
        (with(10, 16_385), Violation::Message),
        (with(10, i32::MAX), Violation::Message),
        (good.encode()[..43].to_vec(), Violation::Length),
    ];
    for (bytes, violation) in cases {
        let mut server = opensees::Server::new(2);
        let found = server.hear(&bytes, &mut Path::new(2));
        assert_eq!(found, Err(violation), "{bytes:?}");
        assert_eq!(server.wants(), 44, "nothing is believed of a lie");
    }
    let force_control = Sizes { command: [2, 0, 0, 2, 0], answer: [0, 0, 0, 2, 0], numbers: 8 };
    let mut server = opensees::Server::new(2);
    assert_eq!(server.hear(&force_control.encode(), &mut Path::new(2)), Err(Violation::ForceControl));
}

#[test]
fn what_is_not_a_number_moves_nothing() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let (mut server, mut path) = (opensees::Server::new(2), Path::new(2));
        ask(&mut server, &mut path, &hex(CAPTURED));
        assert_eq!(server.hear(&message(&[3.0, 0.0, bad], 8), &mut path), Ok(Said::Nothing));
        assert_eq!(server.trial().halted(), Some(Halt::NotANumber));
        assert!(path.moves.is_empty());
        // Nor does what was wanted before, and what is answered is no number either.
        let answer = ask(&mut server, &mut path, &message(&[10.0], 8)).expect("forces");
        assert!(answer[..2].iter().all(|f| f.is_nan()) && path.moves.is_empty(), "{answer:?}");
        let found = server.hear(&message(&[bad], 8), &mut path);
        assert!(matches!(found, Err(Violation::Action(_))), "{found:?}");
    }
    let (mut server, mut path) = (opensees::Server::new(2), Path::new(2));
    ask(&mut server, &mut path, &hex(CAPTURED));
    for code in [0.0, 4.1, 16.0, -3.0, 98.0, 1e300] {
        assert_eq!(server.hear(&message(&[code], 8), &mut path), Err(Violation::Action(code)));
    }
}

/// The conversation of `site_protocol.py`, which OpenFresco's own classes held too.
#[test]
fn an_actor_holds_the_conversation_of_a_shadow() {
    let (mut actor, mut path) = (site::Actor::new(1, true), Path::new(1));
    assert_eq!(actor.wants(), 4);
    assert_eq!(actor.hear(&[1, 0, 0, 0], &mut path), Ok(Said::Answer(&[1, 0, 0, 0])));
    assert_eq!(
        ask(&mut actor, &mut path, &message(&[1.0, 7.0, 2.8], 256)),
        Some(numbers(&message(&[0.0, 1.0, 2.8], 256)))
    );
    assert_eq!(ask(&mut actor, &mut path, &message(&[2.0, 16.0], 256)), None);
    let five = |sizes: [i32; 5]| sizes.iter().flat_map(|s| s.to_le_bytes()).collect::<Vec<u8>>();
    assert_eq!(actor.wants(), 20);
    assert_eq!(ask(&mut actor, &mut path, &five([1, 0, 0, 0, 1])), None);
    assert_eq!(ask(&mut actor, &mut path, &five([1, 0, 0, 1, 1])), None);
    assert_eq!(actor.wants(), 128);
    let mut sum = 0.0;
    for k in 1..4 {
        let (u, t) = (0.1 * f64::from(k), 0.02 * f64::from(k));
        sum = 0.9 * sum + u;
        assert_eq!(ask(&mut actor, &mut path, &message(&[3.0, u, t], 16)), None);
        // It moves at once, as other sites of the same shadow do.
        assert_eq!(path.moves.len(), k as usize);
        assert_eq!(ask(&mut actor, &mut path, &message(&[6.0, u, t], 16)), Some(numbers(&message(&[u, sum, t], 16))));
        // Twice the time, as OpenFresco says it.
        assert_eq!(ask(&mut actor, &mut path, &message(&[5.0, u, 2.0 * t], 16)), None);
    }
    assert_eq!(actor.trial().counts().commits, 3);
    assert_eq!(ask(&mut actor, &mut path, &message(&[99.0, 7.0], 16)), Some(numbers(&message(&[4.0, 1.0], 16))));
}

#[test]
fn an_actor_believes_no_length_that_cannot_be_true() {
    for length in [0.0, -1.0, 0.5, 2.5, 1e9, 16_385.0, f64::NAN, f64::INFINITY] {
        let mut actor = site::Actor::new(1, false);
        let found = actor.hear(&message(&[2.0, length], 256), &mut Path::new(1));
        assert_eq!(found, Err(Violation::Message), "{length}");
    }
    let mut actor = site::Actor::new(1, true);
    assert_eq!(actor.hear(&[0, 0, 0, 1], &mut Path::new(1)), Err(Violation::ByteOrder));
}

/// Bytes by hand from the table of the header.
#[test]
fn ut_sim_says_its_header_big_endian_and_its_numbers_little_endian() {
    let header = |command: u8, contents: u8| vec![2, command, 4, 1, 2, contents, 0, 2, 0, 5, 0, 0, 0, 0, 1, 0];
    let found = utsim::Header::decode(&header(3, 1)).expect("a header");
    assert_eq!((found.command, found.dofs, found.step, found.stamp), (3, 2, 5, 256));
    assert_eq!(found.encode().to_vec(), header(3, 1));
    let (mut server, mut path) = (utsim::Server::new(2), Path::new(2));
    assert_eq!(ask(&mut server, &mut path, &header(0, 0)), None);
    assert_eq!(ask(&mut server, &mut path, &header(3, 1)), None);
    assert_eq!(server.wants(), 32);
    assert_eq!(ask(&mut server, &mut path, &[header(3, 1), message(&[0.5, -0.25], 2)].concat()), None);
    let mut wanted = header(10, 9);
    wanted.extend(message(&[0.5, -0.25, 0.5, -0.25], 4));
    assert_eq!(server.hear(&header(10, 9), &mut path), Ok(Said::Answer(&wanted)));
    // VecTor asks for the forces alone.
    let mut wanted = header(10, 8);
    wanted.extend(message(&[0.5, -0.25], 2));
    assert_eq!(server.hear(&header(10, 8), &mut path), Ok(Said::Answer(&wanted)));
    let mut wanted = header(12, 16);
    wanted.extend(message(&[1.0, 2.0, 3.0, 4.0], 4));
    assert_eq!(server.hear(&header(12, 16), &mut path), Ok(Said::Answer(&wanted)));
    assert_eq!((path.moves.len(), server.trial().counts().moves), (1, 1));
    assert_eq!(server.hear(&header(99, 0), &mut path), Ok(Said::Over(None)));
    // In single precision.
    let single = |command: u8, contents: u8| {
        let mut h = header(command, contents);
        h[4] = 1;
        h
    };
    assert_eq!(ask(&mut server, &mut path, &single(3, 1)), None);
    assert_eq!(server.wants(), 24);
    let data: Vec<u8> = [1.5_f32, 2.5].iter().flat_map(|x| x.to_le_bytes()).collect();
    assert_eq!(ask(&mut server, &mut path, &[single(3, 1), data].concat()), None);
    assert_eq!(path.moves.last(), Some(&vec![1.5, 2.5]));
}
