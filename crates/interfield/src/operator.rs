//! Words to a run from other threads: to its specimens where it has some, to its loop where it is only computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use interfield_lab::controller::{Operator as Rigs, Said, Word};

/// Whoever commands a run; clones command the same one.
#[derive(Clone, Debug, Default)]
pub struct Operator {
    rigs: Rigs,
    loops: Arc<Loop>,
}

#[derive(Debug, Default)]
struct Loop {
    stop: Arc<AtomicBool>,
    paused: AtomicBool,
    /// Whether the loop stands because of that.
    standing: AtomicBool,
    over: AtomicBool,
    /// Whether the loop has come to its first moment.
    begun: AtomicBool,
    /// Time of the model, s, bits of a float.
    time: AtomicU64,
}

/// How often a loop that is paused looks whether it may go on.
const LOOK: Duration = Duration::from_millis(5);

impl Operator {
    /// Says a word; the answer, or why nothing was done.
    ///
    /// # Errors
    /// A sentence, when the word comes too late or changes nothing.
    pub fn say(&self, word: &Word) -> Result<String, String> {
        self.say_by("", word)
    }

    /// The same by somebody, who is kept with it.
    ///
    /// # Errors
    /// A sentence, when the word comes too late or changes nothing.
    pub fn say_by(&self, who: &str, word: &Word) -> Result<String, String> {
        if self.rigs.has_rigs() {
            return self.rigs.say_by(who, word);
        }
        let by = if who.is_empty() { String::new() } else { format!(" ({who})") };
        let line = match word {
            Word::Status => return self.say_to_loop(word),
            Word::Note(text) => format!("note{by}: {text}"),
            word => format!("operator{by}: {}", format!("{word:?}").to_lowercase()),
        };
        // Rigs may come at any moment: what ends a test that is being started is kept for them.
        self.rigs.forestall(word);
        let answer = match word {
            Word::Note(_) => "noted".to_owned(),
            word => self.say_to_loop(word)?,
        };
        self.rigs.keep(&format!("t = {:.4} s: {line}", self.t()));
        Ok(answer)
    }

    fn say_to_loop(&self, word: &Word) -> Result<String, String> {
        let Loop { stop, paused, over, .. } = &*self.loops;
        if over.load(Ordering::Acquire) && *word != Word::Status {
            return Err("the run is over".to_owned());
        }
        let change = |flag: &AtomicBool, to: bool, done: &str, already: &str| match flag.swap(to, Ordering::AcqRel) {
            before if before == to => Err(already.to_owned()),
            _ => Ok(done.to_owned()),
        };
        match word {
            Word::Pause => change(paused, true, "pausing", "the run is paused already"),
            Word::Resume => change(paused, false, "resuming", "the run is not paused"),
            Word::Control(..) | Word::Slower(_) => Err("this run has no actuators; nothing was done".to_owned()),
            Word::Stop | Word::Abort => change(stop, true, "stopping", "the run is being stopped already"),
            Word::Status | Word::Note(_) => Ok(match [over, stop, paused].map(|f| f.load(Ordering::Acquire)) {
                [true, ..] => "over",
                [_, true, _] => "stopping",
                [_, _, true] => "paused",
                _ => "running",
            }
            .to_owned()),
        }
    }

    /// Time of the model, s.
    pub fn t(&self) -> f64 {
        f64::from_bits(self.loops.time.load(Ordering::Acquire))
    }

    /// What the rigs say of themselves; nothing where a run is only computed.
    pub fn said(&self) -> Vec<Said> {
        self.rigs.said()
    }

    /// Whether all rigs, or the loop of a computed run, have taken what was said.
    pub fn is_heard(&self) -> bool {
        let Loop { stop, paused, standing, over, .. } = &*self.loops;
        if self.rigs.has_rigs() {
            return self.rigs.is_heard();
        }
        let [stop, paused, standing, over] = [stop, paused, standing, over].map(|f| f.load(Ordering::Acquire));
        over || (!stop && paused == standing)
    }

    /// Whether a computed run stands because of a pause.
    pub fn is_standing(&self) -> bool {
        self.loops.standing.load(Ordering::Acquire)
    }

    /// Whether the loop has begun, or a specimen listens.
    pub fn is_begun(&self) -> bool {
        self.loops.begun.load(Ordering::Acquire) || self.rigs.has_rigs()
    }

    /// Whether the run is to end.
    pub fn is_ending(&self) -> bool {
        self.loops.stop.load(Ordering::Acquire)
    }

    /// Keeps a line with the test.
    pub fn keep(&self, line: &str) {
        self.rigs.keep(line);
    }

    /// What was said and noted so far, a line each.
    pub fn lines(&self) -> Vec<String> {
        self.rigs.lines()
    }

    /// Ends the run as it should end: after this step, specimens are led home, everything is kept.
    pub fn interrupt(&self) {
        self.loops.stop.store(true, Ordering::Release);
        // Nobody looks at the flag while a test stands.
        if self.rigs.is_paused() {
            let _ = self.rigs.say(&Word::Stop);
        }
    }

    /// Whether something that may be real listens.
    pub fn has_rigs(&self) -> bool {
        self.rigs.has_rigs()
    }

    /// Whether the run has ended.
    pub fn is_over(&self) -> bool {
        self.loops.over.load(Ordering::Acquire)
    }

    /// Set once the run is to end; for loops that are not a [`Run`](crate::Run).
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        self.loops.stop.clone()
    }

    /// Whom the rigs listen to.
    pub(crate) fn rigs(&self) -> &Rigs {
        &self.rigs
    }

    /// Whether the loop is to end; waits while a computed run is paused.
    pub(crate) fn is_stopped(&self) -> bool {
        let Loop { stop, paused, standing, .. } = &*self.loops;
        while paused.load(Ordering::Acquire) && !stop.load(Ordering::Acquire) {
            standing.store(true, Ordering::Release);
            std::thread::sleep(LOOK);
        }
        standing.store(false, Ordering::Release);
        stop.load(Ordering::Relaxed)
    }

    /// Says where the loop is.
    pub(crate) fn pass(&self, t: f64) {
        self.loops.time.store(t.to_bits(), Ordering::Release);
        self.loops.begun.store(true, Ordering::Release);
    }

    pub(crate) fn end(&self) {
        self.loops.over.store(true, Ordering::Release);
    }
}
