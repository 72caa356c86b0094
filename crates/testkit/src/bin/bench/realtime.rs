//! The real-time loop: how late it wakes beside `cyclictest`, and what its mailbox and its tape cost.
//!
//! All of it beside a second core that is kept busy and without. Tails belong to the machine as much as to the program:
//! compare what was measured in the same minute.

use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use interfield_lab::realtime::mailbox::{Integrator, Patience, mailbox};
use interfield_lab::realtime::rights::{Request, Rights, claim};
use interfield_lab::realtime::{
    Clock, Histogram, Schedule, Sink, Summary, Tape, TapeOptions, Waking, WallClock, WhenLate,
};

use crate::{Bar, Bench, Row};

/// Priority of the loop, ours and that of `cyclictest`.
pub(crate) const PRIORITY: u8 = 80;

/// 1 kHz.
pub(crate) const PERIOD: f64 = 1e-3;

pub(crate) const SPIN: Waking = Waking::SleepThenSpin(Duration::from_micros(100));

/// The core of the loop: the one that devices have interrupted least since the machine was started; the last if that is not
/// known.
pub(crate) fn core() -> usize {
    static QUIET: OnceLock<usize> = OnceLock::new();
    *QUIET.get_or_init(|| {
        let cores = cores();
        let table = std::fs::read_to_string("/proc/interrupts").unwrap_or_default();
        let mut counts = vec![0u64; cores];
        // Devices have numbers; timers and calls between cores have names.
        let devices = table.lines().filter_map(|line| line.trim_start().split_once(':'));
        for (_, row) in devices.filter(|(name, _)| name.bytes().all(|b| b.is_ascii_digit())) {
            row.split_whitespace().zip(&mut counts).for_each(|(n, sum)| *sum += n.parse::<u64>().unwrap_or(0));
        }
        (0..cores).rev().min_by_key(|&i| counts[i]).unwrap_or(0)
    })
}

fn cores() -> usize {
    thread::available_parallelism().map_or(1, |n| n.get())
}

/// Keeps another core busy with arithmetic and memory, until it is dropped.
pub(crate) struct Busy {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<f64>>,
}

impl Busy {
    pub(crate) fn new() -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let work = move || {
            claim(&Request { core: Some((core() + 1) % cores()), ..Request::default() });
            // Larger than the caches: memory is what cores share.
            let mut data = vec![1.0f64; 4 << 20];
            while !stopped.load(Ordering::Relaxed) {
                for x in data.chunks_exact_mut(4096).flat_map(|page| page.iter_mut()) {
                    *x = x.mul_add(0.999, 0.001);
                }
            }
            data.iter().sum()
        };
        Self { stop, thread: Some(thread::spawn(work)) }
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        std::hint::black_box(self.thread.take().map(JoinHandle::join).is_some());
    }
}

/// Runs in a thread with all rights, so that this one keeps its own.
pub(crate) fn in_real_time<T: Send + 'static>(
    priority: u8,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<(Rights, T), String> {
    let thread = thread::spawn(move || {
        let rights = claim(&Request { priority: Some(priority), ..Request::all(core()) });
        (rights, work())
    });
    thread.join().map_err(|_| "the loop panicked".to_owned())
}

/// What was refused, for a note.
pub(crate) fn missing(rights: &Rights) -> String {
    rights.missing.iter().map(|m| format!("; {}", m.what)).collect()
}

pub(crate) fn us(ns: u64) -> f64 {
    ns as f64 * 1e-3
}

/// Median, tails and maximum, us.
pub(crate) fn tails(s: &Summary) -> String {
    format!("p50 {:.1}, p99.9 {:.1}, p99.99 {:.1}, max {:.0}", us(s.p50), us(s.p99_9), us(s.p99_99), us(s.max))
}

/// Wake-up latencies of `cyclictest` with the same period, priority and core. It counts whole microseconds, up to 20 ms.
pub(crate) fn cyclictest(ticks: usize) -> Result<Summary, String> {
    const LARGEST: usize = 20_000;
    let mut command = Command::new("cyclictest");
    command.args(["-q", "-m", "-t1", "-i1000", &format!("-p{PRIORITY}"), &format!("-a{}", core())]);
    command.args([format!("-l{ticks}"), format!("-h{LARGEST}")]);
    let output = command.output().map_err(|e| format!("cyclictest (Debian package rt-tests): {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let mut histogram = Histogram::new(None);
    for line in text.lines() {
        let mut words = line.split_whitespace().map(str::parse::<u64>);
        match (words.next(), words.next()) {
            (Some(Ok(us)), Some(Ok(times))) => (0..times).for_each(|_| histogram.record(1000 * us)),
            _ => {
                // `# Max Latencies: 02353`; beyond the histogram only this line knows.
                if let Some(Ok(max)) = line.strip_prefix("# Max Latencies:").map(|m| m.trim().parse::<u64>())
                    && max as usize >= LARGEST
                {
                    histogram.record(1000 * max);
                }
            }
        }
    }
    let summary = histogram.summary();
    if summary.count == 0 {
        return Err(format!("cyclictest failed: {}", String::from_utf8_lossy(&output.stderr).trim()));
    }
    Ok(summary)
}

/// Wake-up latencies of our clock.
fn wake_ups(waking: Waking, ticks: usize) -> Result<(Rights, Summary), String> {
    let mut clock = WallClock::new(Schedule::new(PERIOD, WhenLate::Skip)?, waking);
    in_real_time(PRIORITY, move || {
        let mut histogram = Histogram::new(None);
        for _ in 0..ticks {
            histogram.record(clock.wait().lateness_ns);
        }
        histogram.summary()
    })
}

/// A file that takes everything at once, or nothing until the end.
pub(crate) struct Nowhere {
    pub(crate) stalled: Arc<AtomicBool>,
}

impl Sink for Nowhere {
    fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
        while self.stalled.load(Ordering::Relaxed) {
            thread::park_timeout(Duration::from_millis(1));
        }
        Ok(rows.len())
    }

    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }

    fn note(&mut self, _: &str) {}
}

fn row(what: impl Into<String>, unit: &'static str, ours: f64, other: Result<f64, String>, note: String) -> Row {
    Row { case: "realtime", what: what.into(), unit, ours, other, bar: Bar::None, note }
}

impl Bench {
    /// Wake-up latency beside `cyclictest`, and what an exchange and a row cost.
    pub(crate) fn realtime(&self) -> Result<Vec<Row>, String> {
        let ticks = self.steps(10_000);
        let mut rows = Vec::new();
        for busy in [false, true] {
            let _busy = busy.then(Busy::new);
            let peer = cyclictest(ticks);
            for (name, waking) in [("sleep", Waking::Sleep), ("sleep, then spin 100 us", SPIN)] {
                let (rights, ours) = wake_ups(waking, ticks)?;
                let beside = if busy { ", beside a busy core" } else { "" };
                let mut note = format!("{}{}", tails(&ours), missing(&rights));
                if let Ok(peer) = &peer {
                    note += &format!("; cyclictest {}", tails(peer));
                }
                let other = peer.as_ref().map(|p| us(p.p99)).map_err(Clone::clone);
                rows.push(row(format!("{name}, late by p99 / cyclictest{beside}"), "us", us(ours.p99), other, note));
            }
        }
        rows.push(self.exchange_in_place());
        for patience in [Patience::Spin, Patience::Park] {
            rows.push(self.exchange_between_threads(patience)?);
        }
        for stalled in [false, true] {
            rows.push(self.tape_row(stalled)?);
        }
        Ok(rows)
    }

    /// Both ends in one thread: what the rings cost by themselves.
    fn exchange_in_place(&self) -> Row {
        let times = self.steps(2_000_000);
        let (mut integrator, mut controller) = mailbox::<(), ()>(3, 3, Patience::Spin);
        let begin = Instant::now();
        for n in 0..times {
            let Ok(number) = integrator.post((), &[n as f64; 3]) else { break };
            if let Some((number, (), target)) = controller.newest() {
                let measured = [target[0], target[1], target[2]];
                controller.answer(number, (), &measured);
            }
            std::hint::black_box(integrator.look(number).is_ok());
        }
        let ns = 1e9 * begin.elapsed().as_secs_f64() / times as f64;
        row("mailbox: target and answer, one thread", "ns", ns, Err(String::new()), String::new())
    }

    /// A controller that does nothing but answer, on its own core.
    fn exchange_between_threads(&self, patience: Patience) -> Result<Row, String> {
        let times = self.steps(200_000);
        let (mut integrator, mut controller) = mailbox::<(), ()>(3, 3, patience);
        let echo = thread::spawn(move || {
            claim(&Request { core: Some(core()), ..Request::default() });
            while !controller.is_alone() {
                if let Some((number, (), target)) = controller.newest() {
                    let measured = [target[0], target[1], target[2]];
                    controller.answer(number, (), &measured);
                }
                std::hint::spin_loop();
            }
        });
        let ask = move |integrator: &mut Integrator<(), ()>| -> Result<u64, String> {
            let begin = Instant::now();
            let number = integrator.post((), &[1.0; 3]).map_err(|e| e.to_string())?;
            integrator.wait(number, Duration::from_secs(1)).map_err(|e| e.to_string())?;
            Ok(begin.elapsed().as_nanos() as u64)
        };
        let mut histogram = Histogram::new(None);
        for _ in 0..times {
            histogram.record(ask(&mut integrator)?);
        }
        drop(integrator);
        echo.join().map_err(|_| "the controller panicked")?;
        let s = histogram.summary();
        let what = format!("mailbox: there and back between threads, {patience:?}, median").to_lowercase();
        Ok(row(what, "us", us(s.p50), Err(String::new()), tails(&s)))
    }

    /// A row of 20 channels, with a file that keeps up and with one that hangs.
    fn tape_row(&self, stalled: bool) -> Result<Row, String> {
        let times = self.steps(200_000);
        let hangs = Arc::new(AtomicBool::new(stalled));
        let options = TapeOptions { rows: if stalled { 1000 } else { times + 1 }, ..TapeOptions::default() };
        let mut tape = Tape::new(20, Nowhere { stalled: Arc::clone(&hangs) }, options).map_err(|e| e.to_string())?;
        let values = [1.0; 20];
        let begin = Instant::now();
        for n in 0..times {
            tape.record(n as f64, &values);
        }
        let ns = 1e9 * begin.elapsed().as_secs_f64() / times as f64;
        hangs.store(false, Ordering::Relaxed);
        let dropped = tape.finish(Duration::from_secs(10)).dropped;
        let what = if stalled { "tape: a row of 20, the file hangs" } else { "tape: a row of 20" };
        Ok(row(what, "ns", ns, Err(String::new()), format!("{dropped} of {times} dropped and counted")))
    }
}
