//! What the integrator and the controller tell each other: numbered targets one way, the measurement of a numbered
//! target the other way, each a word of a type of their own and a row of numbers. All of it in wait-free rings; neither thread
//! can hold the other up.
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
            Silence::Passed => "the controller has moved on to a later target",
            Silence::Full => "the controller accepts no more targets",
            Silence::WrongSize => "the number of values differs from the one agreed with the controller",
        })
    }
}

impl std::error::Error for Silence {}

/// The end of the integrator, which sends words `O` with its targets and gets words `A` with the answers.
#[derive(Debug)]
pub struct Integrator<O, A> {
    out: Sender<O>,
    back: Receiver<A>,
    posted: u64,
    patience: Patience,
    sleeper: Arc<OnceLock<Thread>>,
}

/// The end of the controller.
#[derive(Debug)]
pub struct Controller<O, A> {
    targets: Receiver<O>,
    answers: Sender<A>,
    sleeper: Arc<OnceLock<Thread>>,
}

/// Both ends, for targets and measurements of so many values.
pub fn mailbox<O: Copy, A: Copy>(
    target: usize,
    measurement: usize,
    patience: Patience,
) -> (Integrator<O, A>, Controller<O, A>) {
    let (out, targets) = rows(target);
    let (answers, back) = rows(measurement);
    let sleeper = Arc::new(OnceLock::new());
    let integrator = Integrator { out, back, posted: 0, patience, sleeper: Arc::clone(&sleeper) };
    (integrator, Controller { targets, answers, sleeper })
}

impl<O: Copy, A: Copy> Integrator<O, A> {
    /// Posts a target; its number is the name under which the answer is asked for.
    ///
    /// # Errors
    /// [`Silence::Gone`], [`Silence::Full`] or [`Silence::WrongSize`].
    pub fn post(&mut self, order: O, target: &[f64]) -> Result<u64, Silence> {
        if self.out.values.is_abandoned() {
            return Err(Silence::Gone);
        }
        self.out.send(self.posted + 1, order, target)?;
        self.posted += 1;
        Ok(self.posted)
    }

    /// The measurement of a target, if it is there.
    ///
    /// # Errors
    /// [`Silence::Passed`] when only a later one has come, [`Silence::Gone`] when none can come any more.
    pub fn look(&mut self, number: u64) -> Result<Option<(A, &[f64])>, Silence> {
        // Asked first: what the controller sent before it ended is then in the ring.
        let gone = self.back.values.is_abandoned();
        while self.back.last.is_none_or(|(last, _)| last < number) && self.back.next() {}
        match self.back.last {
            Some((last, answer)) if last == number => Ok(Some((answer, &self.back.row))),
            Some((last, _)) if last > number => Err(Silence::Passed),
            _ if gone => Err(Silence::Gone),
            _ => Ok(None),
        }
    }

    /// Waits for the measurement of a target, at most so long.
    ///
    /// # Errors
    /// [`Silence::TimedOut`], or as [`look`](Self::look).
    pub fn wait(&mut self, number: u64, at_most: Duration) -> Result<(A, &[f64]), Silence> {
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
        self.look(number)?.ok_or(Silence::TimedOut)
    }
}

impl<O: Copy, A: Copy> Controller<O, A> {
    /// The newest target and its number, if one has come since the last call.
    #[inline]
    pub fn newest(&mut self) -> Option<(u64, O, &[f64])> {
        let mut any = false;
        while self.targets.next() {
            any = true;
        }
        let (number, order) = self.targets.last.filter(|_| any)?;
        Some((number, order, &self.targets.row))
    }

    /// Sends the measurement of a target; `false` when the integrator does not listen.
    #[inline]
    pub fn answer(&mut self, number: u64, answer: A, measurement: &[f64]) -> bool {
        let sent = self.answers.send(number, answer, measurement).is_ok();
        if let Some(sleeper) = self.sleeper.get() {
            sleeper.unpark();
        }
        sent
    }

    /// Whether the integrator has ended: no target will come any more.
    pub fn is_alone(&self) -> bool {
        self.targets.values.is_abandoned()
    }
}

/// A ring of words with their numbers, and one of the values that belong to them.
fn rows<W: Copy>(count: usize) -> (Sender<W>, Receiver<W>) {
    let (to, from) = RingBuffer::new(ROWS * count);
    let (words, said) = RingBuffer::new(ROWS);
    (Sender { values: to, words, count }, Receiver { values: from, words: said, row: vec![0.0; count], last: None })
}

#[derive(Debug)]
struct Sender<W> {
    values: Producer<f64>,
    words: Producer<(u64, W)>,
    count: usize,
}

impl<W: Copy> Sender<W> {
    /// The word goes last: whoever finds it finds the values.
    fn send(&mut self, number: u64, word: W, values: &[f64]) -> Result<(), Silence> {
        if values.len() != self.count {
            return Err(Silence::WrongSize);
        }
        if self.words.is_full() {
            return Err(Silence::Full);
        }
        self.values.push_entire_slice(values).map_err(|_| Silence::Full)?;
        self.words.push((number, word)).map_err(|_| Silence::Full)
    }
}

/// Holds the last word that was taken, with its number and its values.
#[derive(Debug)]
struct Receiver<W> {
    values: Consumer<f64>,
    words: Consumer<(u64, W)>,
    row: Vec<f64>,
    last: Option<(u64, W)>,
}

impl<W: Copy> Receiver<W> {
    fn next(&mut self) -> bool {
        let Ok(word) = self.words.pop() else { return false };
        self.last = Some(word);
        self.values.pop_entire_slice(&mut self.row).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_controller_sees_the_newest_target_once() {
        let (mut integrator, mut controller) = mailbox::<(), ()>(2, 1, Patience::Park);
        assert_eq!(controller.newest(), None);
        integrator.post((), &[1.0, 2.0]).unwrap();
        integrator.post((), &[3.0, 4.0]).unwrap();
        assert_eq!(controller.newest(), Some((2, (), &[3.0, 4.0][..])));
        assert_eq!(controller.newest(), None);
    }

    #[test]
    fn words_travel_with_their_numbers() {
        let (mut integrator, mut controller) = mailbox::<char, Option<u8>>(1, 0, Patience::Spin);
        let number = integrator.post('a', &[0.5]).unwrap();
        assert_eq!(controller.newest(), Some((number, 'a', &[0.5][..])));
        controller.answer(number, Some(7), &[]);
        assert_eq!(integrator.look(number), Ok(Some((Some(7), &[][..]))));
    }

    #[test]
    fn an_answer_is_found_by_its_number() {
        let (mut integrator, mut controller) = mailbox::<(), ()>(1, 2, Patience::Spin);
        let numbers: Vec<u64> = (0..3).map(|n| integrator.post((), &[f64::from(n)]).unwrap()).collect();
        assert_eq!(integrator.look(numbers[0]), Ok(None));
        controller.answer(numbers[0], (), &[0.5, -0.5]);
        controller.answer(numbers[2], (), &[2.5, -2.5]);
        assert_eq!(integrator.wait(numbers[0], Duration::ZERO), Ok(((), &[0.5, -0.5][..])));
        assert_eq!(integrator.look(numbers[0]), Ok(Some(((), &[0.5, -0.5][..]))), "asked again");
        assert_eq!(integrator.look(numbers[1]), Err(Silence::Passed));
        assert_eq!(integrator.look(numbers[2]), Ok(Some(((), &[2.5, -2.5][..]))));
    }

    #[test]
    fn silence_has_a_reason() {
        for patience in [Patience::Spin, Patience::Park] {
            let (mut integrator, mut controller) = mailbox::<(), ()>(1, 1, patience);
            assert_eq!(integrator.post((), &[1.0, 2.0]), Err(Silence::WrongSize));
            let number = integrator.post((), &[1.0]).unwrap();
            assert_eq!(integrator.wait(number, Duration::ZERO), Err(Silence::TimedOut));
            assert!(!controller.answer(number, (), &[]));
            assert!(controller.answer(number, (), &[7.0]));
            drop(controller);
            assert_eq!(integrator.wait(number, LONG), Ok(((), &[7.0][..])), "sent before it ended");
            assert_eq!(integrator.wait(number + 1, LONG), Err(Silence::Gone));
            assert_eq!(integrator.post((), &[1.0]), Err(Silence::Gone));
        }
    }

    #[test]
    fn a_controller_that_does_not_look_is_noticed_and_looks_at_the_rest() {
        let (mut integrator, mut controller) = mailbox::<(), ()>(3, 1, Patience::Park);
        let posted = (0..100).take_while(|n| integrator.post((), &[f64::from(*n); 3]).is_ok()).count();
        assert_eq!(posted, ROWS);
        assert_eq!(integrator.post((), &[0.0; 3]), Err(Silence::Full));
        assert_eq!(controller.newest().map(|t| t.0), Some(ROWS as u64));
        assert_eq!(integrator.post((), &[0.0; 3]), Ok(ROWS as u64 + 1), "a refused target uses up no number");
    }

    #[test]
    fn threads_exchange_hundreds_of_targets_in_order() {
        for patience in [Patience::Spin, Patience::Park] {
            let (mut integrator, mut controller) = mailbox::<(), ()>(1, 1, patience);
            let thread = std::thread::spawn(move || {
                let mut last = 0;
                while !controller.is_alone() {
                    if let Some((number, (), target)) = controller.newest() {
                        assert_eq!(number, last + 1);
                        last = number;
                        let doubled = 2.0 * target[0];
                        assert!(controller.answer(number, (), &[doubled]));
                    } else {
                        std::thread::yield_now();
                    }
                }
                last
            });
            for n in 0..300 {
                let number = integrator.post((), &[f64::from(n)]).unwrap();
                assert_eq!(integrator.wait(number, LONG), Ok(((), &[f64::from(2 * n)][..])));
            }
            drop(integrator);
            assert_eq!(thread.join().unwrap(), 300);
        }
    }
}
