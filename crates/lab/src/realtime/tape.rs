//! Every sample of every channel, from the loop to a file, through a bounded ring and a thread of its own.
//!
//! The loop copies a row into the ring and goes on. When the ring is full, because the file is slow, stalled or full,
//! the row is dropped and counted, and the next row that finds room says how many are missing before it: a gap is never silent.
//! The thread empties the ring every few milliseconds, so that a killed process loses only what came since. A write that
//! fails is tried again until the end; meanwhile [`Tape::health`] tells the loop, which may act on it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rtrb::{Consumer, Producer, RingBuffer};

/// Where the rows go. Called by the thread of the tape, which may be held up as long as it likes.
pub trait Sink: Send + 'static {
    /// Takes rows from the front of `rows`, at least one; says how many. A row is the time, the values of all channels,
    /// and the number of rows dropped just before it.
    ///
    /// # Errors
    /// What the system said; then no row was taken, and the same rows are offered again.
    fn append(&mut self, rows: &[f64]) -> Result<usize, String>;

    /// Makes what was taken survive the end of the process.
    ///
    /// # Errors
    /// What the system said; it is tried again.
    fn flush(&mut self) -> Result<(), String>;

    /// Takes a line for the log; a line that cannot be kept is not worth an error.
    fn note(&mut self, line: &str);

    /// Hears that writing has begun to fail, in the writing thread: whoever should know is told at once.
    fn failing(&mut self, _why: &str) {}
}

/// How a tape records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TapeOptions {
    /// Rows the ring holds: how long the file may stall before anything is dropped.
    pub rows: usize,
    /// Longest time a row stays in the ring; held between 1 ms and 50 ms.
    pub batch: Duration,
}

impl Default for TapeOptions {
    /// Four seconds at 1 kHz.
    fn default() -> Self {
        Self { rows: 4096, batch: Duration::from_millis(20) }
    }
}

/// What the loop can know about its record.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Health {
    /// How full the ring is, 0 to 1. Above one half the file cannot keep up.
    pub fill: f64,
    /// Rows dropped so far.
    pub dropped: u64,
    /// Whether the last write failed, or the writing thread has ended.
    pub failing: bool,
}

/// The end of a record.
#[derive(Debug)]
pub struct Ended<S> {
    /// The sink, to be closed; none if it is still held up, or panicked.
    pub sink: Option<S>,
    /// Rows that are in the file.
    pub written: u64,
    /// Rows that found no room, and those that were still in the ring when the record ended.
    pub dropped: u64,
    /// What stopped the writing, if anything did.
    pub failure: Option<String>,
}

/// The recording end of the loop.
#[derive(Debug)]
pub struct Tape<S> {
    ring: Producer<f64>,
    row: Vec<f64>,
    /// Rows dropped since the last one that was taken.
    gap: u64,
    dropped: u64,
    recorded: u64,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<S>>,
    /// Closed when the thread ends: a way to wait for it, but not for ever.
    ended: mpsc::Receiver<()>,
}

#[derive(Debug, Default)]
struct Shared {
    stop: AtomicBool,
    failing: AtomicBool,
    written: AtomicU64,
    failure: Mutex<Option<String>>,
}

/// How long a tape that is thrown away waits for its last rows.
const LAST_WAIT: Duration = Duration::from_secs(5);

impl<S: Sink> Tape<S> {
    /// Starts the thread that fills `sink` with rows of `channels` values. The pages of the ring are touched here, not
    /// in the loop. Call it before the thread claims its rights, which a new thread would inherit.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn new(channels: usize, sink: S, options: TapeOptions) -> std::io::Result<Self> {
        let columns = channels + 2;
        let (mut ring, mut from) = RingBuffer::new(options.rows.max(2) * columns);
        while ring.push(0.0).is_ok() {}
        while from.pop().is_ok() {}
        let shared = Arc::new(Shared::default());
        let (ends, ended) = mpsc::channel::<()>();
        let mut scribe = Scribe {
            ring: from,
            columns,
            sink,
            shared: Arc::clone(&shared),
            batch: options.batch.clamp(Duration::from_millis(1), Duration::from_millis(50)),
            unflushed: 0,
        };
        let write = move || {
            let _ends = ends;
            scribe.run();
            scribe.sink
        };
        let thread = thread::Builder::new().name("interfield-tape".into()).spawn(write)?;
        let row = vec![0.0; columns];
        Ok(Self { ring, row, gap: 0, dropped: 0, recorded: 0, shared, thread: Some(thread), ended })
    }

    /// Records the values of all channels at time `t`; says whether there was room. One copy and one atomic store: no
    /// lock, no allocation, no system call. Values of another number than agreed are dropped and counted.
    #[inline]
    pub fn record(&mut self, t: f64, values: &[f64]) -> bool {
        let fits = values.len() + 2 == self.row.len();
        if fits {
            let last = self.row.len() - 1;
            self.row[0] = t;
            self.row[1..last].copy_from_slice(values);
            self.row[last] = self.gap as f64;
        }
        if !fits || self.ring.push_entire_slice(&self.row).is_err() {
            self.gap += 1;
            self.dropped += 1;
            return false;
        }
        self.gap = 0;
        self.recorded += 1;
        true
    }

    /// How the record is doing: a few atomic loads.
    #[inline]
    pub fn health(&self) -> Health {
        let capacity = self.ring.buffer().capacity();
        Health {
            fill: (capacity - self.ring.slots()) as f64 / capacity as f64,
            dropped: self.dropped,
            failing: self.shared.failing.load(Ordering::Acquire) || self.ring.is_abandoned(),
        }
    }

    /// What the system said when the last write failed. Locks: not for the loop.
    pub fn failure(&self) -> Option<String> {
        self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Ends the record when everything in the ring is written, the writing fails, or `patience` is over.
    pub fn finish(mut self, patience: Duration) -> Ended<S> {
        self.end(patience)
    }
}

impl<S> Tape<S> {
    fn end(&mut self, patience: Duration) -> Ended<S> {
        self.shared.stop.store(true, Ordering::Release);
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
        let in_time = self.ended.recv_timeout(patience) != Err(mpsc::RecvTimeoutError::Timeout);
        let joined = self.thread.take().filter(|_| in_time).map(JoinHandle::join);
        let written = self.shared.written.load(Ordering::Acquire);
        let failure = match joined {
            Some(Ok(_)) => self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner).clone(),
            Some(Err(_)) => Some("the writing thread ended early".into()),
            None => Some("the file does not respond".into()),
        };
        Ended {
            sink: joined.and_then(Result::ok),
            written,
            dropped: self.dropped + self.recorded.saturating_sub(written),
            failure,
        }
    }
}

impl<S> Drop for Tape<S> {
    fn drop(&mut self) {
        if self.thread.is_some() {
            // Nobody is left to hear of a failure.
            self.end(LAST_WAIT);
        }
    }
}

/// The writing thread.
struct Scribe<S> {
    ring: Consumer<f64>,
    columns: usize,
    sink: S,
    shared: Arc<Shared>,
    batch: Duration,
    /// Rows the sink has taken since its last flush.
    unflushed: u64,
}

impl<S: Sink> Scribe<S> {
    fn run(&mut self) {
        loop {
            // Read before the ring is emptied: what was recorded before the end is then in the ring.
            let stop = self.shared.stop.load(Ordering::Acquire) || self.ring.is_abandoned();
            let result = self.carry();
            self.report(result.err());
            if stop {
                return;
            }
            thread::park_timeout(self.batch);
        }
    }

    /// Empties the ring into the sink.
    fn carry(&mut self) -> Result<(), String> {
        while self.offer()? > 0 {}
        self.sink.flush()?;
        self.shared.written.fetch_add(std::mem::take(&mut self.unflushed), Ordering::Release);
        Ok(())
    }

    /// Offers what lies in the ring in one piece; says how many rows were taken. Rows leave the ring only when the sink
    /// has them.
    fn offer(&mut self) -> Result<usize, String> {
        let ready = self.ring.slots() / self.columns * self.columns;
        let Ok(chunk) = self.ring.read_chunk(ready) else { return Ok(0) };
        // The ring holds a whole number of rows, so none lies across its end.
        let (rows, _) = chunk.as_slices();
        if rows.is_empty() {
            return Ok(0);
        }
        let taken = self.sink.append(rows)?.min(rows.len() / self.columns);
        for row in rows.chunks_exact(self.columns).take(taken) {
            let gap = row[self.columns - 1];
            if gap > 0.0 {
                self.sink.note(&format!("{gap} samples were dropped before t = {} s", row[0]));
            }
        }
        chunk.commit(taken * self.columns);
        self.unflushed += taken as u64;
        Ok(taken)
    }

    fn report(&mut self, error: Option<String>) {
        let was_failing = self.shared.failing.load(Ordering::Relaxed);
        match &error {
            Some(error) if !was_failing => {
                self.sink.note(&format!("recording fails: {error}"));
                self.sink.failing(error);
            }
            None if was_failing => self.sink.note("recording continues"),
            None => return,
            Some(_) => {}
        }
        let failing = error.is_some();
        // The reason is there before anybody hears of the failure.
        *self.shared.failure.lock().unwrap_or_else(PoisonError::into_inner) = error;
        self.shared.failing.store(failing, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    /// A file in memory that does as it is told: one word of the script for each call of `append`.
    struct Scripted {
        script: mpsc::Receiver<Word>,
        /// Says when a call has begun.
        begun: mpsc::Sender<()>,
        rows: Vec<Vec<f64>>,
        log: Vec<String>,
    }

    enum Word {
        /// Takes at most so many rows.
        Take(usize),
        /// The disk is full.
        Fail,
    }

    impl Sink for Scripted {
        fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
            self.begun.send(()).ok();
            // Stalls until there is a word; takes everything when the script has ended.
            match self.script.recv() {
                Ok(Word::Fail) => Err("no space left on device".into()),
                word => {
                    let most = if let Ok(Word::Take(most)) = word { most } else { usize::MAX };
                    let before = self.rows.len();
                    self.rows.extend(rows.chunks_exact(3).take(most).map(<[f64]>::to_vec));
                    Ok(self.rows.len() - before)
                }
            }
        }

        fn flush(&mut self) -> Result<(), String> {
            Ok(())
        }

        fn note(&mut self, line: &str) {
            self.log.push(line.to_owned());
        }
    }

    fn tape(rows: usize) -> (Tape<Scripted>, mpsc::Sender<Word>, mpsc::Receiver<()>) {
        let (words, script) = mpsc::channel();
        let (begun, begins) = mpsc::channel();
        let sink = Scripted { script, begun, rows: Vec::new(), log: Vec::new() };
        let options = TapeOptions { rows, batch: Duration::from_millis(1) };
        (Tape::new(1, sink, options).unwrap(), words, begins)
    }

    /// Samples `from..to`, whose value is their time.
    fn record(tape: &mut Tape<Scripted>, from: u32, to: u32) -> usize {
        (from..to).filter(|n| tape.record(f64::from(*n), &[f64::from(*n)])).count()
    }

    #[test]
    fn a_stalled_file_costs_the_loop_nothing_and_the_gap_is_marked() {
        let (mut tape, words, begins) = tape(8);
        assert_eq!(record(&mut tape, 0, 1), 1);
        begins.recv().unwrap();
        // The file hangs with the first row, which stays in the ring until it is written.
        assert_eq!(record(&mut tape, 1, 12), 7);
        assert_eq!(tape.health(), Health { fill: 1.0, dropped: 4, failing: false });
        words.send(Word::Take(1)).unwrap();
        begins.recv().unwrap();
        assert_eq!(record(&mut tape, 12, 13), 1);
        drop(words);
        let ended = tape.finish(LONG);
        let sink = ended.sink.unwrap();
        let times: Vec<f64> = sink.rows.iter().map(|r| r[0]).collect();
        assert_eq!(times, [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 12.0]);
        assert!(sink.rows.iter().all(|r| r[2] == if r[0] == 12.0 { 4.0 } else { 0.0 }));
        assert_eq!(sink.log, ["4 samples were dropped before t = 12 s"]);
        assert_eq!((ended.written, ended.dropped, ended.failure), (9, 4, None));
    }

    #[test]
    fn a_full_disk_is_told_to_the_loop_and_nothing_is_lost_once_there_is_room() {
        let (mut tape, words, begins) = tape(64);
        record(&mut tape, 0, 10);
        for word in [Word::Take(3), Word::Fail, Word::Fail] {
            begins.recv().unwrap();
            words.send(word).unwrap();
        }
        // The call after two failures has begun: both have been reported.
        begins.recv().unwrap();
        assert!(tape.health().failing);
        assert_eq!(tape.failure().as_deref(), Some("no space left on device"));
        record(&mut tape, 10, 20);
        drop(words);
        let ended = tape.finish(LONG);
        let sink = ended.sink.unwrap();
        assert!(sink.rows.iter().map(|r| r[1]).eq((0..20).map(f64::from)));
        assert_eq!(sink.log, ["recording fails: no space left on device", "recording continues"]);
        assert_eq!((ended.written, ended.dropped, ended.failure), (20, 0, None));
    }

    #[test]
    fn a_disk_that_stays_full_ends_with_a_count_of_what_is_missing() {
        let (mut tape, words, _begins) = tape(4);
        for _ in 0..100_000 {
            words.send(Word::Fail).unwrap();
        }
        assert_eq!(record(&mut tape, 0, 6), 4);
        let ended = tape.finish(LONG);
        assert_eq!((ended.written, ended.dropped), (0, 6));
        assert_eq!(ended.failure.as_deref(), Some("no space left on device"));
    }

    #[test]
    fn a_file_that_never_answers_does_not_hold_the_end_up() {
        let (mut tape, words, begins) = tape(4);
        record(&mut tape, 0, 3);
        begins.recv().unwrap();
        let ended = tape.finish(Duration::ZERO);
        assert!(ended.sink.is_none());
        assert_eq!((ended.written, ended.dropped, ended.failure.as_deref()), (0, 3, Some("the file does not respond")));
        drop(words);
    }

    #[test]
    fn a_panic_of_the_file_is_a_failure_not_a_hang() {
        struct Broken;
        impl Sink for Broken {
            fn append(&mut self, _: &[f64]) -> Result<usize, String> {
                panic!("a fault in a sink")
            }
            fn flush(&mut self) -> Result<(), String> {
                Ok(())
            }
            fn note(&mut self, _: &str) {}
        }
        let mut tape = Tape::new(1, Broken, TapeOptions::default()).unwrap();
        tape.record(0.0, &[1.0]);
        while !tape.health().failing {
            thread::yield_now();
        }
        assert!(!tape.record(1.0, &[1.0, 2.0]), "two values for one channel");
        let ended = tape.finish(LONG);
        assert_eq!((ended.dropped, ended.failure.as_deref()), (2, Some("the writing thread ended early")));
    }
}
