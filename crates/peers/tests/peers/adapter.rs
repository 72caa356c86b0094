//! The adapter client against an element `adapter` that behaves as that of OpenSees, message by message.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread::JoinHandle;
use std::time::Duration;

use interfield_lab::partner::{Partner, Trouble};
use interfield_peers::opensees::{Adapter, Settings};

use super::LONG;

/// What a script with the adapter does.
#[derive(Clone, Copy)]
enum Behaviour {
    /// Answers for ever.
    Good,
    /// Says so many answers and then nothing, or what is not a number, or goes.
    SilentAfter(usize),
    NotANumberAfter(usize),
    GoneAfter(usize),
}

/// Springs with K = 3 and -1 beside it in series with an adapter of stiffness kb (diagonal); gives back the codes it got.
fn slave(kb: f64, behaviour: Behaviour) -> (Settings, JoinHandle<Vec<f64>>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback is there");
    let place = format!("tcp://{}", listener.local_addr().expect("bound")).parse().expect("an address");
    let stiffness = vec![kb, 0.0, 0.0, kb];
    let settings = Settings { place, stiffness, patience: LONG, timeout: Duration::from_millis(300) };
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let mut sizes = [0; 44];
        stream.read_exact(&mut sizes).expect("sizes");
        let said: Vec<i32> = sizes.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(said, [2, 0, 0, 0, 0, 2, 0, 0, 2, 0, 4]);
        let (mut codes, mut reply, mut answers) = (Vec::new(), [0.0; 4], 0);
        let mut message = [0; 32];
        // As the element: every trial is a step; a force is that of the step before, and a trial must follow it.
        while stream.read_exact(&mut message).is_ok() {
            let values: Vec<f64> = message.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect();
            codes.push(values[0]);
            match values[0] as i32 {
                3 => {
                    // (kb + K) x = kb c, f = kb (c - x).
                    let c = [values[1], values[2]];
                    let (a, b) = (kb + 3.0, -1.0);
                    let det = a * a - b * b;
                    let x = [kb * (a * c[0] - b * c[1]) / det, kb * (a * c[1] - b * c[0]) / det];
                    reply = [x[0], x[1], 3.0 * x[0] - x[1], 3.0 * x[1] - x[0]];
                }
                10 => {
                    match behaviour {
                        Behaviour::SilentAfter(n) if answers >= n => continue,
                        Behaviour::NotANumberAfter(n) if answers >= n => reply[3] = f64::NAN,
                        Behaviour::GoneAfter(n) if answers >= n => return codes,
                        _ => {}
                    }
                    answers += 1;
                    let bytes: Vec<u8> = reply.iter().flat_map(|x| x.to_le_bytes()).collect();
                    stream.write_all(&bytes).expect("the client is there");
                }
                99 => return codes,
                code => panic!("OpenSees would exit at code {code}"),
            }
        }
        codes
    });
    (settings, thread)
}

fn steps(adapter: &mut Adapter, count: usize) -> Result<f64, Trouble> {
    let (mut x, mut f, mut worst) = ([0.0; 2], [0.0; 2], 0.0_f64);
    for k in 0..count {
        let u = [(0.1 * k as f64).sin(), (0.13 * k as f64).cos()];
        adapter.exchange(0.0, &u, &[0.0; 2], &mut x, &mut f)?;
        // Wherever it got to, the force is the one there.
        let k_x = [3.0 * x[0] - x[1], 3.0 * x[1] - x[0]];
        assert!((0..2).all(|i| (f[i] - k_x[i]).abs() < 1e-13), "{f:?} at {x:?}");
        worst = (0..2).map(|i| (x[i] - u[i]).abs()).fold(worst, f64::max);
    }
    Ok(worst)
}

#[test]
fn the_stiffness_of_the_adapter_is_corrected_for() {
    // As soft as the structure itself, which without any correction would get three quarters of the way.
    let kb = 10.0;
    let (settings, slave) = slave(kb, Behaviour::Good);
    let mut adapter = Adapter::connect(&settings, &mut || true).expect("it listens");
    // By the force of the last step alone: what is left is the change of force over kb.
    let unforeseen = steps(&mut adapter, 50).expect("it answers");
    assert!(unforeseen > 1e-3 && unforeseen < 4.0 / kb, "{unforeseen}");
    adapter.expect(&[3.0, -1.0, -1.0, 3.0]).expect("its stiffness");
    let known = steps(&mut adapter, 50).expect("it answers");
    assert!(known < 1e-14, "{known}");
    assert_eq!(adapter.expect(&[1.0]), Err(Trouble::Refused));
    adapter.finish();
    let codes = slave.join().expect("no code that OpenSees does not take");
    let expected: Vec<f64> = std::iter::repeat_n([3.0, 10.0], 100).flatten().chain([99.0]).collect();
    assert_eq!(codes, expected);
    assert_eq!(adapter.account()[0], ("exchanges", 100.0));
}

#[test]
fn trouble_is_told_apart_and_ends_the_other_side() {
    let cases = [
        (Behaviour::SilentAfter(2), Trouble::Late, true),
        (Behaviour::NotANumberAfter(2), Trouble::Garbled, true),
        (Behaviour::GoneAfter(2), Trouble::Gone, false),
    ];
    for (behaviour, trouble, told) in cases {
        let (settings, slave) = slave(1e3, behaviour);
        let mut adapter = Adapter::connect(&settings, &mut || true).expect("it listens");
        assert_eq!(steps(&mut adapter, 10), Err(trouble));
        assert_eq!(steps(&mut adapter, 10), Err(Trouble::Gone), "it is over");
        // A script that waits would wait for ever: it is told that it is over.
        let codes = slave.join().expect("no panic");
        assert_eq!(codes.last() == Some(&99.0), told, "{codes:?}");
    }
}

#[test]
fn stiffness_that_cannot_be_is_refused() {
    let place: interfield_peers::channel::PeerAddress = "tcp://127.0.0.1:1".parse().expect("an address");
    for (stiffness, what) in [
        (vec![], "square matrix"),
        (vec![0.0], "square matrix"),
        (vec![1.0, 2.0], "square matrix"),
        (vec![1.0, 2.0, 2.0, 4.0], "square matrix"),
        (vec![f64::NAN], "square matrix"),
        (vec![1.0; 101 * 101], "at most 100"),
    ] {
        let settings = Settings { place: place.clone(), stiffness, patience: Duration::ZERO, timeout: LONG };
        let found = Adapter::connect(&settings, &mut || true).err().expect("refused").to_string();
        assert!(found.contains(what), "{found}");
    }
}
