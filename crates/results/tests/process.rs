//! What holds for whole processes: a killed run, a full disk, flat memory. The test binary starts itself as the run.
#![cfg(unix)]

use interfield_results::summary::{statistics, thin};
use interfield_results::{ChannelInfo, Meta, Outcome, Reader, Writer, WriterOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

const ROLE: &str = "INTERFIELD_RESULTS_ROLE";
const FILE: &str = "INTERFIELD_RESULTS_FILE";

fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}", std::process::id()));
    std::fs::remove_file(&path).ok();
    path
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs_f64()
}

fn child(role: &str, file: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "the_child", "--ignored", "--nocapture"]).env(ROLE, role).env(FILE, file);
    command
}

fn channels(count: usize) -> Vec<ChannelInfo> {
    (0..count).map(|i| ChannelInfo::new(&format!("c{i}"), "s", "clock", "")).collect()
}

/// Not a test: what the child processes of the tests below do.
#[test]
#[ignore = "started by the other tests"]
fn the_child() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let file = PathBuf::from(std::env::var(FILE).unwrap());
    match role.as_str() {
        "full" => full_disk(&file),
        "flat" => flat_memory(&file),
        pace => clock(&file, pace),
    }
}

/// Records the wall clock for ever. Each sample is first written to a second file by a plain system call: the truth.
fn clock(file: &Path, pace: &str) {
    let mut truth = std::fs::File::create(file.with_extension("truth")).unwrap();
    let mut writer = Writer::create(file, &Meta::default(), &channels(20), WriterOptions::default()).unwrap();
    let mut i = 0u64;
    loop {
        let t = now();
        truth.write_all(&t.to_le_bytes()).unwrap();
        writer.push(i as f64, &[t; 20]);
        i += 1;
        match pace {
            "fast" => {}
            "slow" => std::thread::sleep(Duration::from_millis(7)),
            // Some rows, then a step that does not end.
            _ if i < 100 => {}
            _ => std::thread::sleep(Duration::from_secs(60)),
        }
    }
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

fn full_disk(file: &Path) {
    let mut writer = Writer::create(file, &Meta::default(), &channels(4), WriterOptions::default()).unwrap();
    let begin = Instant::now();
    let mut i = 0u64;
    while writer.is_recording() {
        writer.push(i as f64, &[0.5; 4]);
        i += 1;
        assert!(begin.elapsed() < Duration::from_secs(60), "the failure is not seen");
    }
    // A run that goes on without a record must not hang.
    for _ in 0..500_000 {
        writer.push(i as f64, &[0.5; 4]);
        i += 1;
    }
    println!("status: {}", writer.status().unwrap_err());
    println!("finish: {}", writer.finish("finished").unwrap_err());
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
    for (key, value) in inner.get_envs() {
        command.env(key, value.unwrap());
    }
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

fn flat_memory(file: &Path) {
    const ROWS: u64 = 10_000_000;
    let mut writer = Writer::create(file, &Meta::default(), &channels(4), WriterOptions::default()).unwrap();
    for i in 0..ROWS {
        let x = i as f64;
        assert!(writer.push(x * 1e-4, &[x, -x, 0.0, 1.0]));
    }
    assert_eq!(writer.finish("finished").unwrap().rows, ROWS);
    let reader = Reader::open(file).unwrap();
    let s = statistics(&reader).unwrap();
    assert_eq!((s[0].max, s[1].min), ((ROWS - 1) as f64, -((ROWS - 1) as f64)));
    assert_eq!(thin(&reader, 1, 1000).unwrap().len(), 1000);
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM")).unwrap();
    println!("peak {}", line.split_whitespace().nth(1).unwrap());
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
