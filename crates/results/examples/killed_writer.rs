//! The run that `tests/process.rs` starts, kills and starves: `killed_writer ROLE FILE`.
//!
//! Roles: `fast`, `slow` and `stalled` record the wall clock until they are killed; `full` records until the disk is
//! full; `flat` records ten million rows and prints its peak memory.

use interfield_results::summary::statistics;
use interfield_results::{ChannelInfo, Meta, Reader, Writer, WriterOptions};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

type Done = Result<(), Box<dyn Error>>;

fn main() -> Done {
    let mut args = std::env::args_os().skip(1);
    let (Some(role), Some(file)) = (args.next(), args.next().map(PathBuf::from)) else {
        return Err("usage: killed_writer fast|slow|stalled|full|flat FILE".into());
    };
    match role.to_str() {
        Some("full") => full_disk(&file),
        Some("flat") => flat_memory(&file),
        Some(pace @ ("fast" | "slow" | "stalled")) => clock(&file, pace),
        _ => Err(format!("no role {}", role.display()).into()),
    }
}

fn channels(count: usize) -> Vec<ChannelInfo> {
    (0..count).map(|i| ChannelInfo::new(&format!("c{i}"), "s", "clock", "")).collect()
}

/// Records the wall clock for ever. Each sample is first written to a second file by a plain system call: the truth.
fn clock(file: &Path, pace: &str) -> Done {
    let mut truth = std::fs::File::create(file.with_extension("truth"))?;
    let mut writer = Writer::create(file, &Meta::default(), &channels(20), WriterOptions::default())?;
    let mut i = 0u64;
    loop {
        let t = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
        truth.write_all(&t.to_le_bytes())?;
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

fn full_disk(file: &Path) -> Done {
    let mut writer = Writer::create(file, &Meta::default(), &channels(4), WriterOptions::default())?;
    let begin = Instant::now();
    let mut i = 0u64;
    while writer.is_recording() {
        writer.push(i as f64, &[0.5; 4]);
        i += 1;
        if begin.elapsed() > Duration::from_secs(60) {
            return Err("the failure is not seen".into());
        }
    }
    // A run that goes on without a record must not hang.
    for _ in 0..500_000 {
        writer.push(i as f64, &[0.5; 4]);
        i += 1;
    }
    println!("status: {}", writer.status().err().unwrap_or_default());
    println!("finish: {}", writer.finish("finished").err().map(|e| e.to_string()).unwrap_or_default());
    Ok(())
}

fn flat_memory(file: &Path) -> Done {
    const ROWS: u64 = 10_000_000;
    let mut writer = Writer::create(file, &Meta::default(), &channels(4), WriterOptions::default())?;
    for i in 0..ROWS {
        let x = i as f64;
        if !writer.push(x * 1e-4, &[x, -x, 0.0, 1.0]) {
            return Err(format!("row {i} is refused").into());
        }
    }
    let written = writer.finish("finished")?.rows;
    let reader = Reader::open(file)?;
    let s = statistics(&reader)?;
    let last = (ROWS - 1) as f64;
    if written != ROWS || (s[0].max, s[1].min) != (last, -last) {
        return Err("the file does not hold what was recorded".into());
    }
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).and_then(|l| l.split_whitespace().next());
    println!("peak {}", peak.ok_or("no VmHWM in /proc/self/status")?);
    Ok(())
}
