//! Random hybrid tests, small and fast: a structure of one or two storeys, a specimen behind an actuator, a compensator. They are what a certificate of
//! stability is tried on, in the time domain, with the actuators and compensators of the emulated laboratory.
//!
//! The structure is integrated explicitly, one target per step (Newmark 1959, β = 0, γ = 1/2):
//!
//! ```text
//! u⁺ = u + dt v + dt²/2 a                         the target of the specimen
//! (M + dt/2 C) a⁺ = -K u⁺ - C (v + dt/2 a) - f       f measured
//! v⁺ = v + dt/2 (a + a⁺)
//! ```
//!
//! **Must not be here:** whether a loop is stable.

use std::f64::consts::TAU;

use crate::compensate::feedforward::{Feedforward, of_delay};
use crate::compensate::inverse::Inverse;
use crate::compensate::{Compensation, Compensator};
use crate::plant::response::Lag;
use crate::plant::uncertain::{Follows, Spread, Uncertain, UncertainRig};
use crate::plant::{Actuator, Delayed, Ideal, LinearSpecimen, Transfer};
use crate::signal::noise::uniform;

/// How an actuator of a random test moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Moves {
    Ideal,
    FirstOrder,
    SecondOrder,
}

/// A random test. The specimen stands on the first storey.
pub struct Random {
    /// Storeys.
    pub storeys: usize,
    mass: [f64; 2],
    /// By rows.
    stiffness: [f64; 4],
    damping: [f64; 4],
    /// Step and sampling interval, s.
    pub dt: f64,
    /// Period of the first mode with the specimen, s.
    pub period: f64,
    /// The specimen in the middle of its intervals.
    pub specimen: LinearSpecimen,
    moves: Moves,
    /// Intervals of the actuator.
    pub spread: Spread,
    /// Factors on stiffness, damping and mass of the specimen.
    pub factors: [[f64; 2]; 3],
    compensator: Box<dyn Compensator>,
}

/// States of the structure: displacements, velocities, accelerations.
const STATES: usize = 6;

impl Random {
    /// The test of this number: every number is another test, the same for the same seed.
    pub fn new(seed: u64, number: u64) -> Self {
        let mut drawn = 64 * number;
        let mut between = |low: f64, high: f64| {
            drawn += 1;
            low + (high - low) * uniform(seed, drawn)
        };
        let storeys = 1 + usize::from(between(0.0, 1.0) < 0.4);
        let frequency = 10f64.powf(between(-0.3, 1.0));
        let omega = TAU * frequency;
        let mass = [1.0, between(0.2, 1.5)];
        // Shares of stiffness, damping and mass that stand in the laboratory.
        let share = between(0.05, 0.95);
        let carried = mass[0] + if storeys == 2 { mass[1] } else { 0.0 };
        let whole = omega * omega * carried;
        let ratio = 10f64.powf(between(-2.3, -0.8));
        let specimen = LinearSpecimen {
            mass: if between(0.0, 1.0) < 0.3 { between(0.0, 0.2) * mass[0] } else { 0.0 },
            damping: if between(0.0, 1.0) < 0.5 { between(0.0, 0.5) * 2.0 * ratio * omega * carried } else { 0.0 },
            stiffness: share * whole,
        };
        let second = between(0.7, 3.0) * whole;
        let below = (1.0 - share) * whole;
        let stiffness = match storeys {
            1 => [below, 0.0, 0.0, 1.0],
            _ => [below + second, -second, -second, second],
        };
        // In proportion to the stiffness with the specimen: every mode is damped.
        let factor = 2.0 * ratio / omega;
        let all = [stiffness[0] + specimen.stiffness, stiffness[1], stiffness[2], stiffness[3]];
        let damping = if storeys == 1 { [factor * all[0], 0.0, 0.0, 0.0] } else { all.map(|k| factor * k) };
        let dt = 1.0 / (frequency * between(40.0, 160.0));
        let moves =
            [Moves::Ideal, Moves::FirstOrder, Moves::SecondOrder, Moves::SecondOrder][between(0.0, 4.0) as usize % 4];
        let middle = [
            // Multiples of the sample are the corners of the interpolation: as likely as all else.
            match between(0.0, 1.0) {
                x if x < 0.2 => dt * between(0.0, 6.0).floor(),
                _ => dt * between(0.0, 6.0),
            },
            1.0,
            match moves {
                Moves::FirstOrder => between(0.3, 3.0) * dt,
                _ => frequency * between(4.0, 20.0),
            },
            between(0.4, 1.2),
        ];
        let mut interval = |x: f64, most: f64| {
            let width = if between(0.0, 1.0) < 0.4 { 0.0 } else { between(0.0, most) };
            [x * (1.0 - width), x * (1.0 + width)]
        };
        let spread = Spread {
            delay: interval(middle[0], 0.4),
            gain: interval(middle[1], 0.03),
            pace: interval(middle[2], 0.15),
            damping: interval(middle[3], 0.15),
        };
        let factors = [interval(1.0, 0.2), interval(1.0, 0.3), interval(1.0, 0.1)];
        let lag = match moves {
            Moves::Ideal => 0.0,
            Moves::FirstOrder => middle[2],
            Moves::SecondOrder => 2.0 * middle[3] / (TAU * middle[2]),
        };
        let delay = (middle[0] + lag) * between(0.3, 1.1);
        let method = match between(0.0, 1.0) {
            x if x < 0.5 || delay < 0.1 * dt => Compensation::Uncompensated,
            x if x < 0.75 => Compensation::Inverse(Inverse { delay, kp: 0.0, ki: 0.0 }),
            _ => Compensation::Feedforward(Feedforward { series: of_delay(delay) }),
        };
        let compensator = method.design(dt).frozen();
        let (period, mass) = (1.0 / frequency, mass);
        Random { storeys, mass, stiffness, damping, dt, period, specimen, moves, spread, factors, compensator }
    }

    /// All intervals: of the actuator, then the factors of the specimen.
    pub fn intervals(&self) -> Vec<[f64; 2]> {
        [&self.spread.intervals()[..], &self.factors].concat()
    }

    /// The uncertain rig.
    pub fn rig(&self) -> UncertainRig {
        let follows = match self.moves {
            Moves::Ideal => Follows::Ideal,
            Moves::FirstOrder => Follows::FirstOrder(Lag::new()),
            Moves::SecondOrder => Follows::SecondOrder(Lag::new()),
        };
        UncertainRig {
            actuators: vec![Uncertain { follows, displacement_gain: 1.0, force_gain: 1.0 }],
            matrices: [self.specimen.stiffness, self.specimen.damping, self.specimen.mass].map(|x| vec![x]),
            stored: Vec::new(),
            beyond: [vec![0.0], vec![0.0]],
            dt: self.dt,
        }
    }

    /// Length of the state of what is known: structure, compensator, last measured displacement.
    fn known(&self) -> usize {
        STATES + self.compensator.memory() + 1
    }

    /// One step. The rig is given a command and says displacement and force.
    fn step(&self, state: &mut [f64], rig: &mut dyn FnMut(f64) -> (f64, f64)) {
        let (n, dt) = (self.storeys, self.dt);
        let (own, rest) = state.split_at_mut(STATES);
        let (memory, measured) = rest.split_at_mut(self.compensator.memory());
        let [mut u, mut v] = [[0.0; 2]; 2];
        for i in 0..n {
            u[i] = own[i] + dt * own[2 + i] + 0.5 * dt * dt * own[4 + i];
            v[i] = own[2 + i] + 0.5 * dt * own[4 + i];
        }
        let command = self.compensator.command(memory, u[0], measured[0]);
        let (x, force) = rig(command);
        measured[0] = x;
        let mut right = [0.0; 2];
        for i in 0..n {
            let pulls = |j: usize| self.stiffness[2 * i + j] * u[j] + self.damping[2 * i + j] * v[j];
            right[i] = -(0..n).map(pulls).sum::<f64>() - if i == 0 { force } else { 0.0 };
        }
        let half = 0.5 * dt;
        let m = [self.mass[0] + half * self.damping[0], half * self.damping[1], self.mass[1] + half * self.damping[3]];
        let a = match n {
            1 => [right[0] / m[0], 0.0],
            _ => {
                let det = m[0] * m[2] - m[1] * m[1];
                [(m[2] * right[0] - m[1] * right[1]) / det, (m[0] * right[1] - m[1] * right[0]) / det]
            }
        };
        // A storey that is not there stays at rest.
        for i in 0..2 {
            (own[i], own[2 + i], own[4 + i]) = (u[i], v[i] + half * a[i], a[i]);
        }
    }

    /// The step of what is known as a matrix, row by row, and its size: behind the state stand measured displacement, measured force, command.
    pub fn matrix(&self) -> (Vec<f64>, usize) {
        let (known, n) = (self.known(), self.known() + 3);
        let mut matrix = vec![0.0; n * n];
        let mut state = vec![0.0; known];
        for j in 0..n {
            let unit = |k: usize| f64::from(u8::from(j == k));
            state.iter_mut().enumerate().for_each(|(k, s)| *s = unit(k));
            let mut sent = 0.0;
            self.step(&mut state, &mut |command| {
                sent = command;
                (unit(known), unit(known + 1))
            });
            (0..known).for_each(|i| matrix[i * n + j] = state[i]);
            matrix[(n - 1) * n + j] = sent;
        }
        (matrix, n)
    }

    /// The actuator with these values, see [`Spread`], and an additional delay, s.
    fn actuator(&self, values: &[f64], extra: f64) -> Delayed {
        let dt = self.dt;
        let inner: Option<Box<dyn Actuator>> = match self.moves {
            Moves::Ideal => None,
            Moves::FirstOrder => Transfer::first_order(values[2], dt).map(|t| Box::new(t) as Box<dyn Actuator>),
            Moves::SecondOrder => {
                Transfer::second_order(values[2], values[3], dt).map(|t| Box::new(t) as Box<dyn Actuator>)
            }
        };
        Delayed::new(inner.unwrap_or_else(|| Box::new(Ideal::new(dt))), values[0] + extra, dt)
    }

    /// The specimen with these values.
    fn standing(&self, values: &[f64]) -> LinearSpecimen {
        LinearSpecimen {
            stiffness: values[4] * self.specimen.stiffness,
            damping: values[5] * self.specimen.damping,
            mass: values[6] * self.specimen.mass,
        }
    }

    /// The whole loop as a matrix, row by row, and its size, with these values and an additional delay, s.
    pub fn whole(&self, values: &[f64], extra: f64) -> (Vec<f64>, usize) {
        let (actuator, mut specimen) = (self.actuator(values, extra), self.standing(values));
        let known = self.known();
        let n = known + actuator.memory() + 1;
        let mut matrix = vec![0.0; n * n];
        for j in 0..n {
            let mut state = vec![0.0; n];
            state[j] = 1.0;
            let (own, rest) = state.split_at_mut(known);
            let (memory, last) = rest.split_at_mut(n - known - 1);
            self.step(own, &mut |command| {
                let command = values[1] * command;
                let there = actuator.advance(memory, [last[0], command], &mut specimen);
                last[0] = command;
                (there.x, there.force)
            });
            (0..n).for_each(|i| matrix[i * n + j] = state[i]);
        }
        (matrix, n)
    }

    /// How a free vibration of so many periods ends, with these values and an additional delay, s: the largest motion of the last fifth over that of the
    /// fifth before, and of that over the one before. Of displacements and accelerations the larger counts: a growing motion of high frequency stands out
    /// in accelerations long before it does in displacements. It stops where the answer is clear.
    pub fn grown(&self, values: &[f64], extra: f64, periods: f64) -> [f64; 2] {
        let (actuator, mut specimen) = (self.actuator(values, extra), self.standing(values));
        let mut state = vec![0.0; self.known()];
        let mut memory = vec![0.0; actuator.memory()];
        let mut last = 0.0;
        state[2] = 1.0;
        state[3] = if self.storeys == 2 { -0.7 } else { 0.0 };
        let steps = (periods * self.period / self.dt) as usize;
        let (mut peaks, part) = ([[0.0f64; 2]; 5], steps.div_ceil(5).max(1));
        let omega = TAU / self.period;
        for k in 0..steps {
            self.step(&mut state, &mut |command| {
                let command = values[1] * command;
                let there = actuator.advance(&mut memory, [last, command], &mut specimen);
                last = command;
                (there.x, there.force)
            });
            // In units of a vibration at unit velocity.
            let sizes = [state[0].abs().max(state[1].abs()) * omega, state[4].abs().max(state[5].abs()) / omega];
            if sizes.iter().any(|s| s.is_nan() || *s > 1e9) {
                return [f64::INFINITY; 2];
            }
            let peak = &mut peaks[k / part];
            *peak = [peak[0].max(sizes[0]), peak[1].max(sizes[1])];
        }
        // What has died away so far is rounding.
        let ratio = |k: usize, i: usize| if peaks[k][i] < 1e-12 { 0.0 } else { peaks[k][i] / peaks[k - 1][i] };
        [4, 3].map(|k| ratio(k, 0).max(ratio(k, 1)))
    }
}
