//! The loop that `tests/recording.rs` starts, kills and starves: `taped_run ROLE FILE`.
//!
//! Roles: `clock` records the wall clock at 1 kHz until it is killed; `full` records on while the disk is full and
//! again has room.
#![cfg(target_os = "linux")]

use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use interfield_lab::realtime::{Clock, Schedule, Sink, Tape, TapeOptions, Waking, WallClock, WhenLate};
use interfield_results::{Appender, ChannelInfo, Meta};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

type Done = Result<(), Box<dyn Error>>;

/// A tape into a result file.
struct ToFile(Appender);

impl Sink for ToFile {
    fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
        self.0.append(rows).map_err(|e| e.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.0.flush().map_err(|e| e.to_string())
    }

    fn note(&mut self, line: &str) {
        self.0.log(line).ok();
    }
}

fn main() -> Done {
    let mut args = std::env::args_os().skip(1);
    let (Some(role), Some(file)) = (args.next(), args.next().map(PathBuf::from)) else {
        return Err("usage: taped_run clock|full FILE".into());
    };
    match role.to_str() {
        Some("clock") => clock(&file),
        Some("full") => full_disk(&file),
        _ => Err(format!("no role {}", role.display()).into()),
    }
}

fn tape(file: &Path, rows: usize) -> Result<Tape<ToFile>, Box<dyn Error>> {
    let channels = [ChannelInfo::new("value", "s", "clock", ""), ChannelInfo::new("dropped", "", "count", "")];
    let sink = ToFile(Appender::create(file, &Meta::default(), &channels, 64, false)?);
    Ok(Tape::new(1, sink, TapeOptions { rows, ..TapeOptions::default() })?)
}

/// Each sample is first written to a second file by a plain system call: the truth.
fn clock(file: &Path) -> Done {
    let mut truth = std::fs::File::create(file.with_extension("truth"))?;
    let mut tape = tape(file, 4096)?;
    let mut clock = WallClock::new(Schedule::new(1e-3, WhenLate::Skip)?, Waking::Sleep);
    loop {
        let tick = clock.wait();
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs_f64();
        truth.write_all(&now.to_le_bytes())?;
        tape.record(tick.index as f64, &[now]);
    }
}

/// A limit on the size of files stands for the full disk: the file may grow by little at first. When the loop has heard
/// of it and dropped a thousand samples the limit is lifted, and the loop goes on.
fn full_disk(file: &Path) -> Done {
    let mut tape = tape(file, 256)?;
    let limit = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(std::fs::metadata(file)?.len() + 10_000), ..limit })?;
    let mut samples = 0u32;
    let mut record = |tape: &mut Tape<ToFile>| {
        samples += 1;
        tape.record(f64::from(samples - 1), &[f64::from(samples - 1)])
    };
    let mut dropped_before = None;
    while !tape.health().failing || tape.health().dropped < dropped_before.unwrap_or_default() + 1000 {
        if tape.health().failing {
            dropped_before.get_or_insert(tape.health().dropped);
        }
        record(&mut tape);
    }
    let reason = tape.failure().unwrap_or_default();
    setrlimit(Resource::Fsize, limit)?;
    while tape.health().failing || tape.health().fill > 0.5 {
        std::thread::yield_now();
    }
    for _ in 0..100 {
        record(&mut tape);
    }
    let ended = tape.finish(Duration::from_secs(60));
    let rows = ended.sink.ok_or("the file is stuck")?.0.finish("finished", ended.dropped)?;
    println!("{reason}; {} of {samples} samples are missing; at the end: {:?}", ended.dropped, ended.failure);
    if rows + ended.dropped != samples.into() {
        return Err(format!("{rows} rows are in the file").into());
    }
    Ok(())
}
