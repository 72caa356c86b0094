//! What holds for whole processes: a killed run, a full disk, flat memory. The run is the example `killed_writer`.
#![cfg(unix)]

use interfield_results::{Outcome, Reader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::remove_file(&path).ok();
    path
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

/// The program that records; `cargo test` builds it, as it does all examples.
fn child(role: &str, file: &Path) -> Command {
    let test = std::env::current_exe().unwrap();
    let program = test.parent().unwrap().with_file_name("examples").join("killed_writer");
    assert!(
        program.exists(),
        "{} is missing: `cargo test -p interfield-results` builds it, so does `cargo build --examples`",
        program.display()
    );
    let mut command = Command::new(program);
    command.arg(role).arg(file);
    command
}

#[test]
fn fifty_kills_lose_nothing_older_than_100_ms() {
    let mut state = now().to_bits();
    println!("seed {state}");
    let mut worst: f64 = 0.0;
    for kill in 0..50 {
        let pace = ["fast", "slow", "stalled"][kill % 3];
        let file = scratch(&format!("kill-{kill}"));
        let mut process = child(pace, &file).stdout(Stdio::null()).spawn().unwrap();
        let begin = Instant::now();
        while !file.exists() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the run does not begin");
            std::thread::sleep(Duration::from_micros(200));
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        std::thread::sleep(Duration::from_micros(3000 + (state >> 33) % 200_000));
        let killed = now();
        process.kill().unwrap();
        process.wait().unwrap();

        let truth: Vec<f64> = std::fs::read(file.with_extension("truth"))
            .unwrap()
            .chunks_exact(8)
            .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        let reader = Reader::open(&file).unwrap_or_else(|e| panic!("kill {kill} ({pace}): {e}"));
        assert_eq!(reader.outcome(), &Outcome::Unknown);
        let rows = reader.rows() as usize;
        assert!(rows <= truth.len());
        for channel in [0, 19] {
            let values = reader.read(channel, 0..u64::MAX).unwrap();
            assert!(values.iter().zip(&truth).all(|(a, b)| a.to_bits() == b.to_bits()), "kill {kill}: other values");
        }
        if let Some(first_missing) = truth.get(rows) {
            let age = killed - first_missing;
            worst = worst.max(age);
            assert!(age < 0.1, "kill {kill} ({pace}): a sample {:.1} ms old is missing", age * 1e3);
        }
        std::fs::remove_file(file.with_extension("truth")).unwrap();
        std::fs::remove_file(&file).unwrap();
    }
    println!("50 kills, all files open; the oldest missing sample was {:.1} ms old", worst * 1e3);
}

#[test]
fn a_full_disk_is_reported_and_keeps_what_was_written() {
    let file = scratch("full");
    // A limit on the size of files stands for the full disk; its signal is ignored so that the write fails instead.
    let inner = child("full", &file);
    let mut command = Command::new("sh");
    command
        .args(["-c", "trap '' XFSZ; ulimit -f 4096; exec \"$0\" \"$@\""])
        .arg(inner.get_program())
        .args(inner.get_args());
    let output = command.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("status: File too large"), "{text}");
    assert!(text.contains("recording stopped: File too large"), "{text}");
    let reader = Reader::open(&file).unwrap();
    assert_eq!(reader.outcome(), &Outcome::Interrupted("interrupted: recording failed".into()));
    assert!(reader.log().contains("recording failed: File too large"), "{}", reader.log());
    assert!(reader.rows() > 10_000, "{}", reader.rows());
    let times = reader.time(0..u64::MAX).unwrap();
    assert!(times.iter().zip(0u64..).all(|(t, i)| *t == i as f64));
    assert!(reader.read(3, 0..u64::MAX).unwrap().iter().all(|x| *x == 0.5));
    std::fs::remove_file(&file).unwrap();
}

#[test]
#[cfg(target_os = "linux")]
fn memory_stays_flat_over_ten_million_rows() {
    let file = scratch("flat");
    let output = child("flat", &file).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    std::fs::remove_file(&file).ok();
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    let peak: u64 = text.lines().find_map(|l| l.strip_prefix("peak ")).unwrap().parse().unwrap();
    println!("peak memory {peak} kB");
    assert!(peak < 100_000, "{peak} kB");
}
