//! The way of the aim through the targets of the structure, at a rate that can be brought to zero and back.
//!
//! At full rate the aim takes so many samples from one target to the next as the time between them lasts, on a straight line, and
//! lands on each. A pause slows the *time* of the test, not the specimen: the rate goes smoothly from one to zero and the
//! aim stays on its way, so that a specimen that remembers its path is not led beside it. While the rate changes a target
//! falls between two samples; it then counts as reached in the sample before, less than a sample early.

use interfield_kernel::Archive;

use super::path::{bump, ease};

/// How fast the time of a test goes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Rate {
    Full,
    /// Sample of the slowing, from 1.
    Slowing(u32),
    Still,
    /// Sample of the speeding, from 1, and what is added in sum so that targets fall on samples again.
    Speeding(u32, f64),
}

/// Samples in which the rate changes: odd, so that it goes through a whole number of samples in sum.
const CHANGE: u32 = 201;

impl Rate {
    /// The rate of this sample.
    fn value(self) -> f64 {
        let x = |k: u32| f64::from(k) / f64::from(CHANGE);
        match self {
            Rate::Full => 1.0,
            Rate::Slowing(k) => 1.0 - ease(x(k)),
            Rate::Still => 0.0,
            Rate::Speeding(k, extra) => ease(x(k)) + extra * bump(x(k)) / f64::from(CHANGE),
        }
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        let (mut kind, mut sample, mut extra) = match *self {
            Rate::Full => (0, 0, 0.0),
            Rate::Slowing(k) => (1, k, 0.0),
            Rate::Still => (2, 0, 0.0),
            Rate::Speeding(k, extra) => (3, k, extra),
        };
        archive.choice(&mut kind, &[0, 1, 2, 3]);
        archive.whole(&mut sample);
        archive.number(&mut extra);
        *self = [Rate::Full, Rate::Slowing(sample), Rate::Still, Rate::Speeding(sample, extra)][kind];
    }

    /// The rate of the next sample.
    fn next(self) -> Self {
        match self {
            Rate::Slowing(k) if k + 1 < CHANGE => Rate::Slowing(k + 1),
            Rate::Slowing(_) => Rate::Still,
            Rate::Speeding(k, extra) if k + 1 < CHANGE => Rate::Speeding(k + 1, extra),
            Rate::Speeding(..) => Rate::Full,
            other => other,
        }
    }
}

/// Where the aim is, and where it goes.
#[derive(Clone, Debug)]
pub(super) struct Course {
    pub(super) aim: Vec<f64>,
    pub(super) goal: Vec<f64>,
    /// The target before the goal, and how many samples of full rate are left to it.
    via: Vec<f64>,
    behind: f64,
    /// Samples of full rate from there to the goal that are left.
    left: f64,
    /// Whether a measurement is waited for at the goal.
    pub(super) asked: bool,
    rate: Rate,
    /// Rate of the last sample.
    step: f64,
}

/// What counts as no sample.
const NOTHING: f64 = 1e-9;

impl Course {
    pub(super) fn new(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Course {
            aim: zeros(),
            goal: zeros(),
            via: zeros(),
            behind: 0.0,
            left: 0.0,
            asked: false,
            rate: Rate::Full,
            step: 1.0,
        }
    }

    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        let Course { aim, goal, via, behind, left, asked, rate, step } = self;
        archive.numbers([aim, goal, via].into_iter().flatten().chain([behind, left, step]));
        archive.flag(asked);
        rate.persist(archive);
    }

    /// Goes to another target, in so many samples of full rate.
    pub(super) fn go(&mut self, goal: &[f64], samples: u64) {
        // What counted as reached a little early is still passed.
        if !self.asked && self.left > 0.0 {
            self.behind = self.left;
            self.via.copy_from_slice(&self.goal);
        } else {
            self.behind = 0.0;
        }
        self.goal.copy_from_slice(goal);
        self.left = samples as f64;
        self.asked = true;
    }

    /// Stays where it is, and waits for nothing.
    pub(super) fn stop(&mut self) {
        self.goal.copy_from_slice(&self.aim);
        (self.left, self.behind, self.asked) = (0.0, 0.0, false);
    }

    /// Slows down.
    pub(super) fn slow(&mut self) {
        self.rate = match self.rate {
            Rate::Full => Rate::Slowing(1),
            // From the same rate on.
            Rate::Speeding(k, _) => Rate::Slowing(CHANGE.saturating_sub(k).max(1)),
            other => other,
        };
    }

    /// Is still from now on, because something else moves the specimen.
    pub(super) fn freeze(&mut self) {
        self.rate = Rate::Still;
    }

    /// Speeds up again.
    pub(super) fn speed(&mut self) {
        let from = match self.rate {
            Rate::Full | Rate::Speeding(..) => return,
            Rate::Still => 1,
            Rate::Slowing(k) => CHANGE.saturating_sub(k).max(1),
        };
        // What the rate goes through from here on, and what is missing to a whole number of samples.
        let through: f64 = (from..CHANGE).map(|k| Rate::Speeding(k, 0.0).value()).sum();
        let spread: f64 = (from..CHANGE).map(|k| bump(f64::from(k) / f64::from(CHANGE))).sum();
        let off = self.behind + self.left - through;
        let extra = off - off.round();
        self.rate = Rate::Speeding(from, if spread > 0.0 { extra * f64::from(CHANGE) / spread } else { 0.0 });
    }

    /// At full rate from now on: what remains of a change is left out.
    pub(super) fn full(&mut self) {
        self.rate = Rate::Full;
    }

    pub(super) fn is_full(&self) -> bool {
        self.rate == Rate::Full
    }

    pub(super) fn is_still(&self) -> bool {
        self.rate == Rate::Still
    }

    /// Samples like the last one that are left to a goal that counts as reached.
    pub(super) fn early(&self) -> f64 {
        if self.step > 0.0 { self.left / self.step } else { 0.0 }
    }

    /// Samples to the goal.
    pub(super) fn way(&self) -> f64 {
        self.behind + self.left
    }

    /// Whether the next sample has no target to go to.
    pub(super) fn is_out_of_targets(&self) -> bool {
        !self.asked && self.way() < self.rate.value() - NOTHING
    }

    /// One sample towards the goal.
    pub(super) fn advance(&mut self) {
        let mut step = self.rate.value();
        (self.step, self.rate) = (step, self.rate.next());
        if self.behind > 0.0 {
            let share = (step / self.behind).min(1.0);
            self.aim.iter_mut().zip(&self.via).for_each(|(a, v)| *a += share * (v - *a));
            let passed = step.min(self.behind);
            (step, self.behind) = (step - passed, self.behind - passed);
            if self.behind > 0.0 || step == 0.0 {
                return;
            }
        }
        if self.left <= 0.0 || step == 0.0 {
            return;
        }
        // The last sample lands on the target itself, not beside it by rounding.
        let lands = self.left <= step + NOTHING;
        for (aim, goal) in self.aim.iter_mut().zip(&self.goal) {
            let increment = (goal - *aim) / self.left;
            *aim = if lands { *goal } else { *aim + increment * step };
        }
        self.left = if lands { 0.0 } else { self.left - step };
        if (self.left - self.left.round()).abs() < NOTHING {
            self.left = self.left.round();
        }
    }

    /// Eased towards the goal: `done` of the way from `origin`.
    pub(super) fn ease_to(&mut self, origin: &[f64], done: f64) {
        for ((aim, goal), from) in self.aim.iter_mut().zip(&self.goal).zip(origin) {
            // From the goal, so that the last sample lands on it.
            *aim = goal - (1.0 - done) * (goal - from);
        }
        self.left = (self.left - 1.0).max(0.0);
    }

    /// Whether the goal counts as reached in this sample: the next one would pass it.
    pub(super) fn is_reached(&self) -> bool {
        let next = self.rate.value();
        self.asked && self.behind == 0.0 && (self.left <= 0.0 || (next < 1.0 && self.left <= next + NOTHING))
    }
}
