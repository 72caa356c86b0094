//! Recording: a row costs one copy into a ring; a thread carries the ring into the file.

use crate::appender::{Appender, FAILED, GIVEN_UP};
use crate::{ChannelInfo, Error, Meta, Result, layout};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// What happens to a row when the ring is full because the disk is slower than the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Policy {
    /// The run waits: nothing is lost. For runs without a clock.
    #[default]
    Wait,
    /// The row is dropped and counted: the run never waits. For runs in real time.
    Drop,
}

/// How a run is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WriterOptions {
    /// Longest time a row stays out of the file; held between 1 ms and 50 ms.
    pub flush: Duration,
    /// What happens when the ring is full.
    pub policy: Policy,
    /// Rows of a block of the file; held between 16 and 65 536, and fewer when a block would exceed 16 MiB.
    pub block_rows: usize,
    /// Size of the ring in blocks; at least 2, and at most about 64 MiB in all.
    pub ring_blocks: usize,
    /// Whether a file that exists may be replaced.
    pub overwrite: bool,
}

impl Default for WriterOptions {
    fn default() -> Self {
        Self {
            flush: Duration::from_millis(20),
            policy: Policy::Wait,
            block_rows: layout::DEFAULT_BLOCK_ROWS,
            ring_blocks: 32,
            overwrite: false,
        }
    }
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct WriteReport {
    /// Rows in the file.
    pub rows: u64,
    /// Rows refused because the ring was full or the row had the wrong length.
    pub dropped: u64,
    /// Bytes of the file.
    pub bytes: u64,
    /// Longest time one write to the file took, in milliseconds.
    pub worst_flush_ms: f64,
}

/// Records one run. One thread pushes; a thread of its own writes.
#[derive(Debug)]
pub struct Writer {
    ring: rtrb::Producer<f64>,
    row: Vec<f64>,
    policy: Policy,
    dropped: u64,
    pushed: u64,
    log: mpsc::Sender<String>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<Written>>,
    path: PathBuf,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    failed: AtomicBool,
    failure: Mutex<Option<String>>,
    outcome: Mutex<Option<String>>,
    /// Rows refused, and rows taken, when the end has come.
    dropped: AtomicU64,
    pushed: AtomicU64,
    /// Rows that whoever opens the file finds.
    flushed: AtomicU64,
}

#[derive(Debug)]
struct Written {
    rows: u64,
    bytes: u64,
    worst: Duration,
}

impl Writer {
    /// Begins a result file, as [`Appender::create`] does.
    ///
    /// # Errors
    /// When the file cannot be made, exists and may not be replaced, or a text does not fit into the format.
    pub fn create(path: &Path, meta: &Meta, channels: &[ChannelInfo], options: WriterOptions) -> Result<Self> {
        let flush = options.flush.clamp(Duration::from_millis(1), Duration::from_millis(50));
        let file = Appender::create(path, meta, channels, options.block_rows, options.overwrite)?;
        let (columns, block_rows) = (file.columns(), file.block_rows());
        let most = (64 << 20) / (columns * 8);
        let ring_rows = (block_rows * options.ring_blocks.clamp(2, 1 << 16)).min(most.max(2 * block_rows));
        let (ring, consumer) = rtrb::RingBuffer::new(ring_rows * columns);
        let (log, log_lines) = mpsc::channel();
        let shared = Arc::new(Shared::default());
        let mut recorder =
            Recorder { file, ring: consumer, log_lines, shared: Arc::clone(&shared), flush, worst: Duration::ZERO };
        let thread = thread::Builder::new()
            .name("results".into())
            .spawn(move || recorder.run())
            .map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
        Ok(Self {
            ring,
            row: vec![0.0; columns],
            policy: options.policy,
            dropped: 0,
            pushed: 0,
            log,
            shared,
            thread: Some(thread),
            path: path.to_path_buf(),
        })
    }

    /// Records the values of all channels at time `t`; says whether the row was taken.
    ///
    /// One copy and one atomic store: no lock, no allocation, no system call while there is room in the ring. Without
    /// room [`Policy::Drop`] returns at once and [`Policy::Wait`] waits. A row whose length is not the number of
    /// channels is refused and counted.
    #[inline]
    pub fn push(&mut self, t: f64, values: &[f64]) -> bool {
        if values.len() + 1 != self.row.len() {
            self.dropped += 1;
            return false;
        }
        self.row[0] = t;
        self.row[1..].copy_from_slice(values);
        if self.ring.push_entire_slice(&self.row).is_ok() {
            self.pushed += 1;
            return true;
        }
        self.push_into_full_ring()
    }

    #[cold]
    fn push_into_full_ring(&mut self) -> bool {
        if self.policy == Policy::Wait {
            while !self.ring.is_abandoned() {
                if let Some(thread) = &self.thread {
                    thread.thread().unpark();
                }
                thread::sleep(Duration::from_micros(100));
                if self.ring.push_entire_slice(&self.row).is_ok() {
                    self.pushed += 1;
                    return true;
                }
            }
        }
        self.dropped += 1;
        false
    }

    /// Adds a line to the log of the file, within the flush interval. Allocates: not for the stepping loop.
    pub fn log(&self, line: &str) {
        // The receiver lives as long as the thread; a failure of the thread is reported by `finish`.
        self.log.send(line.to_owned()).ok();
    }

    /// Whether everything so far could be written: one atomic load.
    pub fn is_recording(&self) -> bool {
        !self.shared.failed.load(Ordering::Relaxed) && !self.ring.is_abandoned()
    }

    /// What stopped the recording, if anything did.
    ///
    /// # Errors
    /// The failure of the writing thread.
    pub fn status(&self) -> std::result::Result<(), String> {
        if self.is_recording() {
            return Ok(());
        }
        let failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        Err(failure.clone().unwrap_or_else(|| "the writing thread ended".into()))
    }

    /// Waits until everything pushed so far is found by whoever opens the file.
    ///
    /// # Errors
    /// The failure of the writing thread.
    pub fn sync(&self) -> std::result::Result<(), String> {
        while self.shared.flushed.load(Ordering::Acquire) < self.pushed {
            self.status()?;
            if let Some(thread) = &self.thread {
                thread.thread().unpark();
            }
            thread::sleep(Duration::from_micros(100));
        }
        self.status()
    }

    /// Rows refused so far.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    /// Ends the file: everything pushed is written, the outcome noted, the file synchronised with the disk.
    ///
    /// An outcome that begins with `interrupted` reads back as [`Outcome::Interrupted`](crate::Outcome::Interrupted).
    ///
    /// # Errors
    /// [`Error::Recording`] when something could not be written; the rows before it are in the file.
    pub fn finish(mut self, outcome: &str) -> Result<WriteReport> {
        self.end(outcome)
    }

    fn end(&mut self, outcome: &str) -> Result<WriteReport> {
        *self.shared.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome.to_owned());
        self.shared.dropped.store(self.dropped, Ordering::Relaxed);
        self.shared.pushed.store(self.pushed, Ordering::Relaxed);
        self.shared.stop.store(true, Ordering::Release);
        let written = self.thread.take().and_then(|thread| {
            thread.thread().unpark();
            thread.join().ok()
        });
        let rows = written.as_ref().map_or(0, |w| w.rows);
        let lost = self.pushed.saturating_sub(rows) + self.dropped;
        match (written, self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).take()) {
            (Some(w), None) => Ok(WriteReport {
                rows,
                dropped: self.dropped,
                bytes: w.bytes,
                worst_flush_ms: w.worst.as_secs_f64() * 1e3,
            }),
            (_, failure) => Err(Error::Recording {
                path: self.path.clone(),
                what: failure.unwrap_or_else(|| "the writing thread ended".into()),
                rows,
                lost,
            }),
        }
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // Nobody is left to hear of an error.
            self.end(GIVEN_UP).ok();
        }
    }
}

/// The writing thread.
struct Recorder {
    file: Appender,
    ring: rtrb::Consumer<f64>,
    log_lines: mpsc::Receiver<String>,
    shared: Arc<Shared>,
    flush: Duration,
    worst: Duration,
}

impl Recorder {
    fn run(&mut self) -> Written {
        let pause = (self.flush / 4).clamp(Duration::from_micros(250), Duration::from_millis(5));
        let mut failed = false;
        let mut last = Instant::now();
        loop {
            // Read before the ring is emptied: what was pushed before the stop is then in the ring.
            let stop = self.shared.stop.load(Ordering::Acquire) || self.ring.is_abandoned();
            let result = if failed { self.discard() } else { self.carry(stop, &mut last) };
            if let Err(error) = result {
                failed = true;
                self.report(&error);
            }
            if stop {
                break;
            }
            // Only a ring that fills while this thread writes keeps it from sleeping.
            if self.ring.slots() * 4 < self.ring.buffer().capacity() {
                thread::park_timeout(pause);
            }
        }
        let outcome = self.shared.outcome.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut outcome = outcome.unwrap_or_else(|| "interrupted".into());
        if failed {
            outcome = FAILED.into();
        }
        // What was taken and could not be written is missing as well.
        let lost = self.shared.pushed.load(Ordering::Relaxed).saturating_sub(self.file.rows());
        let dropped = self.shared.dropped.load(Ordering::Relaxed) + lost;
        if let Err(error) = self.file.end(&outcome, dropped) {
            self.report(&error);
        }
        Written { rows: self.file.rows(), bytes: self.file.bytes(), worst: self.worst }
    }

    fn report(&mut self, error: &io::Error) {
        // The area of the log exists already; if it cannot be written either, `finish` still reports the failure.
        self.file.log(&format!("recording failed: {error}")).ok();
        let mut failure = self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert_with(|| error.to_string());
        self.shared.failed.store(true, Ordering::Relaxed);
    }

    /// Empties the ring so that a run that waits goes on without a record.
    fn discard(&mut self) -> io::Result<()> {
        let slots = self.ring.slots();
        if let Ok(chunk) = self.ring.read_chunk(slots) {
            chunk.commit_all();
        }
        while let Ok(line) = self.log_lines.try_recv() {
            self.file.log(&line).ok();
        }
        Ok(())
    }

    fn carry(&mut self, all: bool, last: &mut Instant) -> io::Result<()> {
        let columns = self.file.columns();
        loop {
            let ready = self.ring.slots() / columns * columns;
            let Ok(chunk) = self.ring.read_chunk(ready) else { break };
            // The ring holds a whole number of rows, so none lies across its end.
            let (rows, _) = chunk.as_slices();
            if rows.is_empty() {
                break;
            }
            let begin = Instant::now();
            let taken = self.file.append(rows)?;
            self.worst = self.worst.max(begin.elapsed());
            chunk.commit(taken * columns);
        }
        if all || last.elapsed() >= self.flush {
            let begin = Instant::now();
            self.file.flush()?;
            self.shared.flushed.store(self.file.rows(), Ordering::Release);
            *last = Instant::now();
            self.worst = self.worst.max(*last - begin);
        }
        while let Ok(line) = self.log_lines.try_recv() {
            self.file.log(&line)?;
        }
        Ok(())
    }
}
