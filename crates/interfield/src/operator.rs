//! Words to a run from other threads: to its specimens where it has some, to its loop where it is only computed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use interfield_lab::controller::{Operator as Rigs, Word};

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
    over: AtomicBool,
}

/// How often a loop that is paused looks whether it may go on.
const LOOK: Duration = Duration::from_millis(5);

impl Operator {
    /// Says a word; the answer, or why nothing was done.
    ///
    /// # Errors
    /// A sentence, when the word comes too late or changes nothing.
    pub fn say(&self, word: &Word) -> Result<String, String> {
        if self.rigs.has_rigs() || matches!(word, Word::Note(_)) {
            return self.rigs.say(word);
        }
        let Loop { stop, paused, over } = &*self.loops;
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
            Word::Control(..) => Err("this run has no actuators; nothing was done".to_owned()),
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
        let Loop { stop, paused, .. } = &*self.loops;
        while paused.load(Ordering::Acquire) && !stop.load(Ordering::Acquire) {
            std::thread::sleep(LOOK);
        }
        stop.load(Ordering::Relaxed)
    }

    pub(crate) fn end(&self) {
        self.loops.over.store(true, Ordering::Release);
    }
}
