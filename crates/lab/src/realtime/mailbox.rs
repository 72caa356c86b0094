//! What the integrator and the controller tell each other: numbered targets one way, the measurement of a numbered
//! target the other way. Two wait-free rings of rows of numbers; neither thread can hold the other up.
//!
//! The controller only ever looks. The integrator waits, by spinning (a core of its own, answers within a
//! microsecond) or parked (a core it shares, woken by the answer), and never longer than its watchdog allows. A thread
//! that spins under SCHED_FIFO on the core of the controller waits for ever: park, or take another core.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::thread::Thread;
use std::time::{Duration, Instant};

use rtrb::{Consumer, Producer, RingBuffer};

/// Rows a ring holds: more than one so that a target can overtake another, few because only the newest counts.
const ROWS: usize = 16;

/// How the integrator waits for an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Patience {
    /// Looks again and again.
    Spin,
    /// Sleeps until the controller wakes it.
    #[default]
    Park,
}

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Silence {
    /// The controller did not answer in time.
    TimedOut,
    /// The controller has ended.
    Gone,
    /// The controller has gone on to a later target without answering this one.
    Passed,
    /// The controller has not looked at the last targets: there is no room for another.
    Full,
    /// The number of values is not the agreed one.
    WrongSize,
}

impl fmt::Display for Silence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Silence::TimedOut => "the controller did not answer in time",
            Silence::Gone => "the controller has ended",
            Silence::Passed => "the controller went on to a later target",
            Silence::Full => "the controller does not take targets any more",
            Silence::WrongSize => "the values are not as many as was agreed with the controller",
        })
    }
}

impl std::error::Error for Silence {}

/// The end of the integrator.
#[derive(Debug)]
pub struct Integrator {
    out: Sender,
    back: Receiver,
    posted: u64,
    patience: Patience,
    sleeper: Arc<OnceLock<Thread>>,
}

/// The end of the controller.
#[derive(Debug)]
pub struct Controller {
    targets: Receiver,
    answers: Sender,
    sleeper: Arc<OnceLock<Thread>>,
}

/// Both ends, for targets and measurements of so many values.
pub fn mailbox(target: usize, measurement: usize, patience: Patience) -> (Integrator, Controller) {
    let (out, targets) = rows(target);
    let (answers, back) = rows(measurement);
    let sleeper = Arc::new(OnceLock::new());
    let integrator = Integrator { out, back, posted: 0, patience, sleeper: Arc::clone(&sleeper) };
    (integrator, Controller { targets, answers, sleeper })
}

impl Integrator {
    /// Posts a target; its number is the name under which the answer is asked for.
    ///
    /// # Errors
    /// [`Silence::Gone`], [`Silence::Full`] or [`Silence::WrongSize`].
    pub fn post(&mut self, target: &[f64]) -> Result<u64, Silence> {
        if self.out.ring.is_abandoned() {
            return Err(Silence::Gone);
        }
        self.out.send(self.posted + 1, target)?;
        self.posted += 1;
        Ok(self.posted)
    }

    /// The measurement of a target, if it is there.
    ///
    /// # Errors
    /// [`Silence::Passed`] when only a later one has come, [`Silence::Gone`] when none can come any more.
    pub fn look(&mut self, number: u64) -> Result<Option<&[f64]>, Silence> {
        // Asked first: what the controller sent before it ended is then in the ring.
        let gone = self.back.ring.is_abandoned();
        while self.back.number() < number && self.back.next() {}
        match self.back.number() {
            n if n == number => Ok(Some(self.back.values())),
            n if n > number => Err(Silence::Passed),
            _ if gone => Err(Silence::Gone),
            _ => Ok(None),
        }
    }

    /// Waits for the measurement of a target, at most so long.
    ///
    /// # Errors
    /// [`Silence::TimedOut`], or as [`look`](Self::look).
    pub fn wait(&mut self, number: u64, at_most: Duration) -> Result<&[f64], Silence> {
        let begin = Instant::now();
        while self.look(number)?.is_none() {
            let left = at_most.saturating_sub(begin.elapsed());
            if left.is_zero() {
                return Err(Silence::TimedOut);
            }
            match self.patience {
                Patience::Spin => std::hint::spin_loop(),
                Patience::Park => {
                    self.sleeper.get_or_init(std::thread::current);
                    // The answer may have come before the controller knew whom to wake; afterwards it cannot be missed.
                    // In slices, so that an end that has moved to another thread is slow instead of stuck.
                    if self.look(number)?.is_none() {
                        std::thread::park_timeout(left.min(Duration::from_millis(1)));
                    }
                }
            }
        }
        Ok(self.back.values())
    }
}

impl Controller {
    /// The newest target and its number, if one has come since the last call.
    #[inline]
    pub fn newest(&mut self) -> Option<(u64, &[f64])> {
        let mut any = false;
        while self.targets.next() {
            any = true;
        }
        any.then(|| (self.targets.number(), self.targets.values()))
    }

    /// Sends the measurement of a target; `false` when the integrator does not listen.
    #[inline]
    pub fn answer(&mut self, number: u64, measurement: &[f64]) -> bool {
        let sent = self.answers.send(number, measurement).is_ok();
        if let Some(sleeper) = self.sleeper.get() {
            sleeper.unpark();
        }
        sent
    }

    /// Whether the integrator has ended: no target will come any more.
    pub fn is_alone(&self) -> bool {
        self.targets.ring.is_abandoned()
    }
}

/// A ring of rows `[number, values...]`; the number travels as the bits of a float.
fn rows(values: usize) -> (Sender, Receiver) {
    let (to, from) = RingBuffer::new(ROWS * (values + 1));
    (Sender { ring: to, row: vec![0.0; values + 1] }, Receiver { ring: from, row: vec![0.0; values + 1] })
}

#[derive(Debug)]
struct Sender {
    ring: Producer<f64>,
    row: Vec<f64>,
}

impl Sender {
    fn send(&mut self, number: u64, values: &[f64]) -> Result<(), Silence> {
        if values.len() + 1 != self.row.len() {
            return Err(Silence::WrongSize);
        }
        self.row[0] = f64::from_bits(number);
        self.row[1..].copy_from_slice(values);
        self.ring.push_entire_slice(&self.row).map_err(|_| Silence::Full)
    }
}

/// Holds the last row that was taken; number 0 before the first.
#[derive(Debug)]
struct Receiver {
    ring: Consumer<f64>,
    row: Vec<f64>,
}

impl Receiver {
    fn next(&mut self) -> bool {
        self.ring.pop_entire_slice(&mut self.row).is_ok()
    }

    fn number(&self) -> u64 {
        self.row[0].to_bits()
    }

    fn values(&self) -> &[f64] {
        &self.row[1..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_controller_sees_the_newest_target_once() {
        let (mut integrator, mut controller) = mailbox(2, 1, Patience::Park);
        assert_eq!(controller.newest(), None);
        integrator.post(&[1.0, 2.0]).unwrap();
        integrator.post(&[3.0, 4.0]).unwrap();
        assert_eq!(controller.newest(), Some((2, &[3.0, 4.0][..])));
        assert_eq!(controller.newest(), None);
    }

    #[test]
    fn an_answer_is_found_by_its_number() {
        let (mut integrator, mut controller) = mailbox(1, 2, Patience::Spin);
        let numbers: Vec<u64> = (0..3).map(|n| integrator.post(&[f64::from(n)]).unwrap()).collect();
        assert_eq!(integrator.look(numbers[0]), Ok(None));
        controller.answer(numbers[0], &[0.5, -0.5]);
        controller.answer(numbers[2], &[2.5, -2.5]);
        assert_eq!(integrator.wait(numbers[0], Duration::ZERO), Ok(&[0.5, -0.5][..]));
        assert_eq!(integrator.look(numbers[0]), Ok(Some(&[0.5, -0.5][..])), "asked again");
        assert_eq!(integrator.look(numbers[1]), Err(Silence::Passed));
        assert_eq!(integrator.look(numbers[2]), Ok(Some(&[2.5, -2.5][..])));
    }

    #[test]
    fn silence_has_a_reason() {
        for patience in [Patience::Spin, Patience::Park] {
            let (mut integrator, mut controller) = mailbox(1, 1, patience);
            assert_eq!(integrator.post(&[1.0, 2.0]), Err(Silence::WrongSize));
            let number = integrator.post(&[1.0]).unwrap();
            assert_eq!(integrator.wait(number, Duration::ZERO), Err(Silence::TimedOut));
            assert!(!controller.answer(number, &[]));
            assert!(controller.answer(number, &[7.0]));
            drop(controller);
            assert_eq!(integrator.wait(number, LONG), Ok(&[7.0][..]), "sent before it ended");
            assert_eq!(integrator.wait(number + 1, LONG), Err(Silence::Gone));
            assert_eq!(integrator.post(&[1.0]), Err(Silence::Gone));
        }
    }

    #[test]
    fn a_controller_that_does_not_look_is_noticed_and_looks_at_the_rest() {
        let (mut integrator, mut controller) = mailbox(3, 1, Patience::Park);
        let posted = (0..100).take_while(|n| integrator.post(&[f64::from(*n); 3]).is_ok()).count();
        assert_eq!(posted, ROWS);
        assert_eq!(integrator.post(&[0.0; 3]), Err(Silence::Full));
        assert_eq!(controller.newest().map(|t| t.0), Some(ROWS as u64));
        assert_eq!(integrator.post(&[0.0; 3]), Ok(ROWS as u64 + 1), "a refused target uses up no number");
    }

    #[test]
    fn threads_exchange_hundreds_of_targets_in_order() {
        for patience in [Patience::Spin, Patience::Park] {
            let (mut integrator, mut controller) = mailbox(1, 1, patience);
            let thread = std::thread::spawn(move || {
                let mut last = 0;
                while !controller.is_alone() {
                    if let Some((number, target)) = controller.newest() {
                        assert_eq!(number, last + 1);
                        last = number;
                        let doubled = 2.0 * target[0];
                        assert!(controller.answer(number, &[doubled]));
                    } else {
                        std::thread::yield_now();
                    }
                }
                last
            });
            for n in 0..300 {
                let number = integrator.post(&[f64::from(n)]).unwrap();
                assert_eq!(integrator.wait(number, LONG), Ok(&[f64::from(2 * n)][..]));
            }
            drop(integrator);
            assert_eq!(thread.join().unwrap(), 300);
        }
    }
}
