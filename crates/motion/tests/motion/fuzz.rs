//! Thousands of damaged and random inputs: never a panic, never more out than went in.

use interfield_motion::random::SplitMix64;
use interfield_motion::{Format, ReadOptions, read_bytes};

const SEEDS: [&str; 7] = [
    "PEER NGA STRONG MOTION DATABASE RECORD\nA, 1/1/90, B, 090\nACCELERATION TIME SERIES IN UNITS OF G\nNPTS=   7, DT=   .0050 SEC\n  .1E-02  -.2E-02   .3E-02-.4E-02   .5E-02\n  .6E-02   .7E-02\n*** End Data ***\n",
    "EVENT_NAME: X\nSTATION_CODE: ABC\nSAMPLING_INTERVAL_S: 0.005\nNDATA: 4\nUNITS: cm/s^2\nPGA_CM/S^2: 3\n1.0\n2.0\n-3.0\n4.0\n",
    "Corrected acceleration (Format v01.20 with 3 text lines)\nRecord of\nStatn No: 1\n 2 Integer-header values follow on 1 lines, Format=(2I8)\n 1 2\n 2 Real-header values follow on 1 lines, Format=(2F9.3)\n 1. 2.\n 4 points of accel data equally spaced at .02 sec, in cm/sec2. (4f8.3)\n   1.000   2.000   3.000   4.000\nEnd-of-data\n",
    "t [s], a [m/s^2]\n0,0\n0.01,1\n0.02,2\n0.03,-1e-3\n",
    "# t [s]; v [cm/s]; u [cm]\n0;0,5;1\n1;0,25;2\n2;1,5;3\n",
    "title\nanother é\n 6  0.02\n 1 2 3 4 5 6\n",
    "0 0.1\n1 0.2\n2 0.3\n",
];

const TOKENS: [&str; 24] = [
    "NPTS",
    "DT=",
    "nan",
    "inf",
    "1e999",
    "-",
    ".",
    "E",
    "D+",
    "(",
    ")",
    "[",
    "]",
    ":",
    ",",
    ";",
    "\r",
    "\n\n",
    "é",
    "\u{feff}",
    "99999999999999999999",
    "units=",
    "pts",
    "equally spaced at",
];

fn mutate(r: &mut SplitMix64, source: &[u8]) -> Vec<u8> {
    let mut b = source.to_vec();
    for _ in 0..1 + r.next_u64() % 6 {
        let at = (r.next_u64() as usize) % (b.len() + 1);
        match r.next_u64() % 8 {
            0 => b.truncate(at),
            1 if at < b.len() => b[at] = r.next_u64() as u8,
            2 if at < b.len() => b[at] = b"0123456789.+-eED \n\t,;:#*"[(r.next_u64() % 24) as usize],
            3 => {
                let t = TOKENS[(r.next_u64() % TOKENS.len() as u64) as usize];
                b.splice(at..at, t.bytes());
            }
            4 if at < b.len() => {
                let end = (at + (r.next_u64() % 20) as usize).min(b.len());
                b.drain(at..end);
            }
            5 => {
                let end = (at + (r.next_u64() % 60) as usize).min(b.len());
                let part = b[at..end].to_vec();
                b.splice(at..at, part);
            }
            6 => {
                let other = SEEDS[(r.next_u64() % SEEDS.len() as u64) as usize].as_bytes();
                let from = (r.next_u64() as usize) % other.len();
                b.splice(at..at, other[from..].iter().copied());
            }
            _ => {}
        }
    }
    b
}

fn options(r: &mut SplitMix64) -> ReadOptions {
    let pick = |r: &mut SplitMix64| r.next_u64().is_multiple_of(4);
    ReadOptions {
        format: pick(r)
            .then(|| [Format::Peer, Format::Esm, Format::Cosmos, Format::Columns][(r.next_u64() % 4) as usize]),
        unit: pick(r).then(|| [1.0, 9.81, 1e300, -1.0][(r.next_u64() % 4) as usize]),
        dt: pick(r).then(|| [0.01, 1e-7, 50.0, -1.0][(r.next_u64() % 4) as usize]),
        column: pick(r).then(|| (r.next_u64() % 5) as usize),
    }
}

fn check(bytes: &[u8], o: &ReadOptions, read: &mut usize) {
    match read_bytes(bytes, o) {
        Ok(record) => {
            *read += 1;
            record.check().unwrap();
            assert!(record.values.len() <= bytes.len());
            // What was read can be worked with; an error is fine, a panic is not.
            let _ = record.response_spectrum(&[0.0, 0.1, 1.0], 0.05);
            let _ = record.band_pass(0.1, 10.0, 3, interfield_motion::Phase::Zero);
            let _ = record.resampled(record.dt * 0.7);
            let _ = record.baseline_corrected(2, interfield_motion::Fit::Velocity);
            let _ = (record.fourier_spectrum(), record.mean_period(), record.significant_duration(), record.pgd());
        }
        Err(e) => {
            let lines = bytes.iter().filter(|b| matches!(b, b'\n' | b'\r')).count() + 1;
            assert!(e.line <= lines, "{e} in {lines} lines");
            assert!(!e.message.is_empty() && e.message.len() < 400, "{e}");
        }
    }
}

#[test]
fn mutations_never_panic() {
    let mut r = SplitMix64::new(2026);
    let mut read = 0;
    for i in 0..20_000 {
        let bytes = mutate(&mut r, SEEDS[i % SEEDS.len()].as_bytes());
        let o = options(&mut r);
        check(&bytes, &o, &mut read);
    }
    assert!(read > 1000, "only {read} of the mutations could be read: the fuzz does not reach the bodies");
}

#[test]
fn every_truncation() {
    let mut read = 0;
    for seed in SEEDS {
        for n in 0..seed.len() {
            check(&seed.as_bytes()[..n], &ReadOptions::default(), &mut read);
        }
    }
}

#[test]
fn random_bytes_and_random_characters() {
    let mut r = SplitMix64::new(7);
    let mut read = 0;
    for i in 0..10_000 {
        let n = (r.next_u64() % 300) as usize;
        let bytes: Vec<u8> =
            (0..n)
                .map(|_| {
                    if i % 2 == 0 {
                        r.next_u64() as u8
                    } else {
                        b"0123456789.+-eE ,;\n\n"[(r.next_u64() % 20) as usize]
                    }
                })
                .collect();
        let o = options(&mut r);
        check(&bytes, &o, &mut read);
    }
}
