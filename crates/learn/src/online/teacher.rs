//! A specimen that teaches: when estimates are used, how fast, and when they are not believed any more.
//!
//! - A parameter is used as soon as its deviation fell below 0.8 of that of the usual first guess.
//! - What is used moves by at most a rate, relative to its value: jumps of stiffness are jumps of force.
//! - Three laws run freely on the deformation of the specimen: with the first guess, with what is used, with the estimates. A first guess that
//!   explains the force well is replaced only once the estimates explain it clearly better: they would add their noise to what is right
//!   already. (To ask that of every first guess hurts: where it is far off, whatever comes late is worse.)
//! - If what is used is much worse, or forces are far from what was expected too often, the first guess comes back at the same rate and
//!   nothing is learned any more.
//!
//! **Must not be here:** elements that are taught.

use interfield_kernel::{Archive, Persist};

use super::filter::{Filter, Sample};
use super::hysteresis::{COUNT, Parameters};
use super::recursive::{Recursive, Terms};

/// How estimates are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// A parameter is used once its deviation over that of the first guess is below this.
    pub gate: f64,
    /// Largest relative change of a parameter, 1/s.
    pub rate: f64,
    /// Time over which errors are averaged, s.
    pub window: f64,
    /// Mean square error of what is used, over that of the first guess, beyond which it is not believed.
    pub rollback: f64,
    /// Error of the first guess, over the force, below which estimates must first explain the force better.
    pub near: f64,
    /// Mean square error of the estimates over that of such a first guess, below which they are used.
    pub proof: f64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { gate: 0.8, rate: 10.0, window: 5.0, rollback: 9.0, near: 0.15, proof: 0.5 }
    }
}

/// Whether a specimen still teaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It does.
    Learning,
    /// What was learned explains the force worse than the first guess.
    Worse,
    /// More than 20 of 100 samples are far from what was expected: a sensor fault, or another law.
    Inconsistent,
    /// Numbers are not finite.
    NotFinite,
}

impl State {
    /// All of them.
    pub const ALL: [State; 4] = [State::Learning, State::Worse, State::Inconsistent, State::NotFinite];
}

/// Of so many samples that were used ...
const HISTORY: u32 = 100;
/// ... so many may be far from what was expected.
const DOUBTED: u32 = 60;
/// The noise of the force below which an error is none, as a mean square.
const FLOOR: f64 = 4.0;

/// What the mean square of noise over the window varies by, over the noise.
const VARIES: f64 = 0.2;

/// What estimates.
#[derive(Clone, Debug)]
pub enum Learner {
    /// A filter of a hysteretic law.
    Filter(Box<Filter>),
    /// Least squares of a law that is linear in its parameters.
    Recursive(Box<Recursive>),
}

impl Learner {
    /// The first guess.
    pub fn initial(&self) -> &Parameters {
        match self {
            Learner::Filter(f) => &f.settings().initial,
            Learner::Recursive(r) => &r.start().initial,
        }
    }

    /// Which parameters are learned.
    pub fn free(&self) -> &[bool; COUNT] {
        match self {
            Learner::Filter(f) => &f.settings().free,
            Learner::Recursive(r) => &r.start().free,
        }
    }

    /// The present estimate.
    pub fn estimate(&self) -> Parameters {
        match self {
            Learner::Filter(f) => f.estimate(),
            Learner::Recursive(r) => r.estimate(),
        }
    }

    /// Bounds of an estimate that contain it with so many deviations.
    pub fn band(&self, parameter: usize, deviations: f64) -> [f64; 2] {
        match self {
            Learner::Filter(f) => f.band(parameter, deviations),
            Learner::Recursive(r) => r.band(parameter, deviations),
        }
    }

    /// Deviation of a parameter over that of the first guess.
    pub fn doubt(&self, parameter: usize) -> f64 {
        match self {
            Learner::Filter(f) => f.doubt(parameter),
            Learner::Recursive(r) => r.doubt(parameter),
        }
    }

    fn noise(&self) -> [f64; 2] {
        match self {
            Learner::Filter(f) => f.settings().noise,
            Learner::Recursive(r) => r.start().noise,
        }
    }

    fn step(&mut self, q: f64, f: f64, dt: f64) -> Sample {
        match self {
            Learner::Filter(filter) => filter.step(q, f),
            Learner::Recursive(r) => r.step(q, f, dt),
        }
    }
}

/// A specimen that teaches.
#[derive(Clone, Debug)]
pub struct Teacher {
    learner: Learner,
    limits: Limits,
    dt: f64,
    used: Parameters,
    state: State,
    /// Hysteretic forces of the three free laws, and where they are.
    shadows: [f64; 3],
    at: f64,
    /// Their mean square errors, and the largest ratio so far of the second to the first.
    errors: [f64; 3],
    worst: f64,
    /// Mean square of the force.
    force: f64,
    /// Whether the estimates may be used.
    proven: bool,
    /// The last samples that were used: a one for each that was doubted.
    history: u128,
    /// Most of them that were doubted at a time.
    doubted: u32,
    /// Samples, and those that were used.
    samples: u64,
    moved: u64,
    /// Largest deformation, and largest hysteretic force over the yield force.
    reach: f64,
    loaded: f64,
}

impl Teacher {
    /// A learner that is asked every `dt` seconds.
    pub fn new(learner: Learner, limits: Limits, dt: f64) -> Self {
        Teacher {
            used: *learner.initial(),
            learner,
            limits,
            dt,
            state: State::Learning,
            shadows: [0.0; 3],
            at: 0.0,
            errors: [0.0; 3],
            worst: 0.0,
            force: 0.0,
            proven: false,
            history: 0,
            doubted: 0,
            samples: 0,
            moved: 0,
            reach: 0.0,
            loaded: 0.0,
        }
    }

    /// What estimates.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The parameters in use.
    pub fn used(&self) -> &Parameters {
        &self.used
    }

    /// Whether it still teaches.
    pub fn state(&self) -> State {
        self.state
    }

    /// Largest ratio so far of the mean square errors of what is used and of the first guess.
    pub fn worst(&self) -> f64 {
        self.worst
    }

    /// Most samples of a hundred that were doubted.
    pub fn doubted(&self) -> u32 {
        self.doubted
    }

    /// Part of the samples in which the specimen moved beyond noise.
    pub fn moving(&self) -> f64 {
        self.moved as f64 / self.samples.max(1) as f64
    }

    /// Largest deformation so far, m.
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// Largest hysteretic force over the estimated yield force; none for laws without one.
    pub fn loaded(&self) -> Option<f64> {
        matches!(self.learner, Learner::Filter(_)).then_some(self.loaded)
    }

    /// Uses a sample: measured deformation, m, and force, N. Without sense, nothing happens to what is in use.
    pub fn step(&mut self, q: f64, f: f64) {
        self.samples += 1;
        if self.state == State::Learning {
            let sample = self.learner.step(q, f, self.dt);
            match sample {
                Sample::Refused => self.state = State::NotFinite,
                Sample::Still => {}
                Sample::Used | Sample::Doubted => {
                    self.moved += 1;
                    self.history = self.history << 1 | u128::from(sample == Sample::Doubted);
                    let doubted = (self.history & ((1 << HISTORY) - 1)).count_ones();
                    self.doubted = self.doubted.max(doubted);
                    if doubted > DOUBTED {
                        self.state = State::Inconsistent;
                    }
                }
            }
            if sample != Sample::Refused {
                self.compare(q, f, sample != Sample::Still);
                self.reach = self.reach.max(q.abs());
            }
        }
        self.lead();
    }

    /// Moves what is in use towards what is known.
    fn lead(&mut self) {
        let most = self.limits.rate * self.dt;
        let (goal, initial) = (self.learner.estimate(), *self.learner.initial());
        for i in (0..COUNT).filter(|&i| self.learner.free()[i]) {
            let goal = match self.state {
                State::Learning if self.proven && self.learner.doubt(i) < self.limits.gate => goal[i],
                State::Learning => continue,
                _ => initial[i],
            };
            let now = self.used[i];
            self.used[i] = if now * goal > 0.0 {
                now * (goal / now).ln().clamp(-most, most).exp()
            } else {
                // Through zero: relative to the first guess.
                let most = most * initial[i].abs();
                now + (goal - now).clamp(-most, most)
            };
        }
    }

    /// Runs the free laws and compares their errors.
    fn compare(&mut self, q: f64, f: f64, moved: bool) {
        let all = [*self.learner.initial(), self.used, self.learner.estimate()];
        let expected = match &self.learner {
            Learner::Filter(filter) => {
                let law = filter.settings().law;
                if moved {
                    for (z, x) in self.shadows.iter_mut().zip(&all) {
                        *z = law.moved(x, *z, self.at, q - self.at);
                    }
                    self.at = q;
                    self.loaded = self.loaded.max((filter.force() / filter.estimate()[1]).abs());
                }
                [0, 1, 2].map(|i| f - self.shadows[i] - all[i][4] * q)
            }
            Learner::Recursive(r) => [0, 1, 2].map(|i| {
                let [expected, measured] = r.expected(&all[i]);
                measured - expected
            }),
        };
        let share = (self.dt / self.limits.window).min(1.0);
        for (mean, e) in self.errors.iter_mut().zip(expected) {
            *mean += share * (e * e - *mean);
        }
        self.force += share * (f * f - self.force);
        // Without the noise of the sensor, and beyond what its mean varies by.
        let noise = self.learner.noise()[0].powi(2);
        let [first, _, estimate] = self.errors.map(|e| e - noise);
        let Limits { near, proof, .. } = self.limits;
        let far = first > near * near * (self.force - noise) + VARIES * noise && self.force > 2.0 * noise;
        self.proven |= far || first > VARIES * noise && estimate < proof * first;
        let ratio = self.errors[1] / self.errors[0].max(FLOOR * self.learner.noise()[0].powi(2));
        self.worst = self.worst.max(ratio);
        if ratio > self.limits.rollback {
            self.state = State::Worse;
        }
    }

    /// The law, if it is linear in its parameters.
    pub fn terms(&self) -> Option<Terms> {
        match &self.learner {
            Learner::Filter(_) => None,
            Learner::Recursive(r) => Some(r.law()),
        }
    }
}

impl Persist for Teacher {
    fn persist(&mut self, archive: &mut dyn Archive) {
        match &mut self.learner {
            Learner::Filter(f) => f.persist(archive),
            Learner::Recursive(r) => r.persist(archive),
        }
        archive.numbers(&mut self.used);
        archive.choice(&mut self.state, &State::ALL);
        archive.numbers(&mut self.shadows);
        archive.number(&mut self.at);
        archive.numbers(&mut self.errors);
        archive.number(&mut self.worst);
        archive.number(&mut self.force);
        archive.choice(&mut self.proven, &[false, true]);
        let mut halves = [self.history as u64, (self.history >> 64) as u64];
        halves.iter_mut().for_each(|half| archive.whole(half));
        self.history = u128::from(halves[0]) | u128::from(halves[1]) << 64;
        archive.whole(&mut self.doubted);
        archive.whole(&mut self.samples);
        archive.whole(&mut self.moved);
        archive.number(&mut self.reach);
        archive.number(&mut self.loaded);
    }
}
