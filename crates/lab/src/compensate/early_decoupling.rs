//! Early arrival of several actuators that move each other (this project, book: compensation 6): a fixed inverse of the model of all of them, whose gain and delay adapt for each
//! actuator, with a correction by the measured error.
//!
//! ```text
//! x̂ = x + k F (x - y)                                                     x targets, y measured, F low-pass
//! w_j = Σ_l (a₀ + a₁ D + a₂ D² + a₃ D³ + a₄ L)_jl e^(τs) x̂_l              D backward differences, L = 1/(1 + s/p), τ = ahead dt
//! u_j = (1 + α_j + β_j D S) w_j                                           S low-pass
//! α_j, β_j = argmin Σ w (u_j - (1 + α + β D S) v_j)² + ρ (α² + (ωβ)²)     v_j: as w_j, of y instead of x̂
//! ```
//!
//! A series in derivatives cannot be the inverse of an actuator with a slow zero: that inverse has a pole there. The fifth term L has one; its corner p need not be that zero, only near it.
//!
//! What an actuator does differently from its model acts on its own command: it is slower, or weaker. So there are two unknowns for each actuator and not one for each
//! entry of a matrix, which the motion of a structure, a few modes, could not tell apart. u and y of the fit pass the same low-pass; ω is 4 Hz. Learning and forgetting rest while
//! the specimen does.
//!
//! The correction has a gain k ≤ 1 at rest and less above: where the model is right, |G K| ≈ 1, no delay makes that loop unstable. Without a model there is none.
//!
//! Memory: for each actuator errors, targets, the low-passes, measurements; α, β and their sums; a count of samples.

use std::f64::consts::TAU;
use std::sync::Arc;

use interfield_linalg::definite_solve;
use realfft::num_complex::Complex64;

use super::feedforward::{advanced, of_delay};
use super::{Multivariable, Sampling, seen, take};
use crate::plant::StateSpace;
use crate::signal::difference::ORDERS;
use crate::signal::{Differences, Filter};

/// Terms of the inverse for each pair of actuators: four derivatives and L.
const TERMS: usize = ORDERS + 1;
/// Unit of the derivatives in the fits, rad/s: where the motion of structures is.
const OMEGA: f64 = TAU * 4.0;
/// Order of the low-pass of the fit, and of F and S.
const ORDER: [usize; 2] = [4, 2];
/// Corner of S, over that of the fit: the correction of a delay must not amplify what is above the motion.
const SMOOTH: f64 = 1.5;
/// Samples per second that the fit looks at: ten times the corner of the low-pass and more.
const LOOKS: f64 = 512.0;
/// Motion below so many times the filtered noise teaches nothing.
const QUIET: f64 = 30.0;
/// Noise of a measurement behind the inverse over that of the sensor, with what neighbouring looks share of it: how much more evidence a change needs.
const AMPLIFIED: f64 = 100.0;
/// Largest change of gain and delay, in units of 1 and 1/ω: an actuator that differs more needs another model.
const MOST: f64 = 0.5;

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq)]
pub struct EarlyDecoupling {
    /// Model of the actuators; none: each follows after the delay.
    pub model: Option<Arc<StateSpace>>,
    /// Delay of actuators without a model, s.
    pub delay: f64,
    /// How many samples the specimen arrives early.
    pub ahead: f64,
    /// Corner p of the fifth term, Hz.
    pub lag: f64,
    /// k, 0 to 1.
    pub feedback: f64,
    /// Corner of F, Hz.
    pub correction: f64,
    /// Time after which a sample counts 1/e, s of motion.
    pub horizon: f64,
    /// Corner of the low-pass of the fit, Hz.
    pub corner: f64,
    /// Standard deviation of the displacement sensors, m.
    pub noise: f64,
    /// How far gain and delay, in units of 1 and 1/ω, may be from the model.
    pub doubt: f64,
}

/// The terms of actuators that do not move each other, with these delays, s.
fn of_delays(delays: &[f64]) -> Vec<f64> {
    let n = delays.len();
    let mut start = vec![0.0; n * n * TERMS];
    for (i, delay) in delays.iter().enumerate() {
        start[(i * n + i) * TERMS..][..ORDERS].copy_from_slice(&of_delay(*delay));
    }
    start
}

/// Frequencies of the fit to a model.
const POINTS: usize = 160;

/// a₀ to a₄, for each command the terms of each target, whose sum is nearest to the inverse of a model: from 0.2 to 25 Hz, with less weight above 6 Hz. `None` for a model that has no
/// inverse.
fn inverse_of(model: &StateSpace, lag: f64, (differences, dt): (Differences, f64)) -> Option<Vec<f64>> {
    let n = model.actuators;
    let m = n * TERMS;
    let (mut matrix, mut right) = (vec![0.0; m * m], vec![0.0; n * m]);
    for k in 0..POINTS {
        let frequency = 0.2 * 125f64.powf(k as f64 / (POINTS - 1) as f64);
        let (plant, terms) = (model.response(TAU * frequency)?, of_sine(frequency, lag, (differences, dt)));
        let weight = 1.0 / (1.0 + (frequency / 6.0).powi(2));
        for command in 0..n {
            let phi: Vec<Complex64> =
                (0..m).map(|i| terms[i % TERMS] / unit(i % TERMS) * plant[i / TERMS * n + command]).collect();
            for i in 0..m {
                right[command * m + i] += weight * phi[i].re;
                (0..=i).for_each(|j| matrix[i * m + j] += weight * (phi[i] * phi[j].conj()).re);
            }
        }
    }
    // Terms that a model does not tell apart share its inverse. Strokes may be lengths and angles: each in its own unit.
    (0..m).for_each(|i| matrix[i * m + i] *= 1.0 + 1e-12);
    if !cholesky(&mut matrix, m) {
        return None;
    }
    for row in right.chunks_exact_mut(m) {
        substitute(&matrix, row);
        row.iter_mut().enumerate().for_each(|(i, a)| *a /= unit(i % TERMS));
    }
    Some(right)
}

/// Units of the terms in that fit.
fn unit(term: usize) -> f64 {
    if term < ORDERS { OMEGA.powi(term as i32) } else { 1.0 }
}

/// The five terms of a sine, as the differences see it.
fn of_sine(frequency: f64, lag: f64, (differences, dt): (Differences, f64)) -> [Complex64; TERMS] {
    let back = Complex64::cis(-TAU * frequency * dt);
    let h = differences.interval();
    let d = (Complex64::ONE - Complex64::cis(-TAU * frequency * h)) / h;
    let keep = (-TAU * lag * dt).exp();
    [Complex64::ONE, d, d * d, d * d * d, (1.0 - keep) / (Complex64::ONE - keep * back)]
}

/// L of a positive definite matrix, in its lower triangle; `false` where it is not one.
fn cholesky(a: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        let square = a[j * n + j] - (0..j).map(|k| a[j * n + k] * a[j * n + k]).sum::<f64>();
        if !(square > 0.0 && square.is_finite()) {
            return false;
        }
        let pivot = square.sqrt();
        a[j * n + j] = pivot;
        for i in j + 1..n {
            let rest = a[i * n + j] - (0..j).map(|k| a[i * n + k] * a[j * n + k]).sum::<f64>();
            a[i * n + j] = rest / pivot;
        }
    }
    true
}

/// L Lᵀ x = b, in place.
fn substitute(l: &[f64], b: &mut [f64]) {
    let n = b.len();
    for i in 0..n {
        b[i] = (b[i] - (0..i).map(|k| l[i * n + k] * b[k]).sum::<f64>()) / l[i * n + i];
    }
    for i in (0..n).rev() {
        b[i] = (b[i] - (i + 1..n).map(|k| l[k * n + i] * b[k]).sum::<f64>()) / l[i * n + i];
    }
}

impl EarlyDecoupling {
    /// For so many actuators at a sampling interval; a model knows their number by itself.
    pub fn design(&self, actuators: usize, sampling: Sampling) -> Adapting {
        let (model, dt) = (self.model.as_deref(), sampling.dt);
        let differences = sampling.differences(model.and_then(StateSpace::lag).unwrap_or(self.delay));
        let inverse = model.map(|model| inverse_of(model, self.lag, (differences, dt)));
        let singular = matches!(inverse, Some(None));
        let n = self.model.as_deref().map_or(actuators, |model| model.actuators);
        let start = inverse.flatten().unwrap_or_else(|| of_delays(&vec![self.delay; n]));
        let noise = self.noise * (2.0 * self.corner * dt).min(1.0).sqrt();
        let skip = (1.0 / (LOOKS * dt)).round().max(1.0);
        Adapting {
            n,
            start,
            singular,
            basis: Basis { differences, keep: (-TAU * self.lag * dt).exp() },
            ahead: Ahead::new(self.ahead * dt, differences.interval(), TAU * self.lag),
            // What the actuators do must be known for the error to be corrected in time.
            feedback: if self.model.is_some() && !singular { self.feedback } else { 0.0 },
            correction: Filter::butterworth(ORDER[1], self.correction, dt),
            fit: Fit {
                low_pass: Filter::butterworth(ORDER[0], self.corner, dt),
                smooth: Filter::butterworth(ORDER[1], SMOOTH * self.corner, dt),
                rate: 1.0 / (OMEGA * dt),
                skip,
                keep: (-skip * dt / self.horizon).exp(),
                ridge: (AMPLIFIED * noise / self.doubt).powi(2),
                quiet: QUIET * noise,
            },
            learns: true,
        }
    }
}

/// The five terms of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Basis {
    differences: Differences,
    /// What L keeps over a sample.
    keep: f64,
}

impl Basis {
    fn memory(&self) -> usize {
        self.differences.memory() + 1
    }

    fn step(&self, memory: &mut [f64], x: f64) -> [f64; TERMS] {
        let (past, slow) = memory.split_at_mut(self.differences.memory());
        let [x0, x1, x2, x3] = self.differences.step(past, x);
        slow[0] += (1.0 - self.keep) * (x - slow[0]);
        [x0, x1, x2, x3, slow[0]]
    }
}

/// The five terms a time τ later: Taylor in backward differences, and L relaxing towards the new value.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Ahead {
    shift: [f64; ORDERS],
    relaxed: f64,
}

impl Ahead {
    fn new(t: f64, h: f64, p: f64) -> Self {
        Ahead { shift: advanced(&[1.0, 0.0, 0.0, 0.0], t, h), relaxed: 1.0 - (-p * t).exp() }
    }

    fn of(&self, now: [f64; TERMS]) -> [f64; TERMS] {
        let mut later = [0.0; TERMS];
        for i in 0..ORDERS {
            later[i] = (i..ORDERS).map(|k| self.shift[k - i] * now[k]).sum();
        }
        later[ORDERS] = now[ORDERS] + self.relaxed * (now[0] - now[ORDERS]);
        later
    }
}

/// Gain and delay of one actuator from its commands.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Fit {
    low_pass: Filter,
    smooth: Filter,
    /// 1/(ω dt): differences are in units of ω.
    rate: f64,
    skip: f64,
    keep: f64,
    ridge: f64,
    quiet: f64,
}

/// α and ωβ.
const UNKNOWNS: usize = 2;
/// Numbers of an actuator: unknowns, matrix, right-hand side; the filtered command; the last smooth w and v.
const SUMS: usize = UNKNOWNS * (UNKNOWNS + 2) + 1 + 2;

impl Fit {
    /// Adds a sample to the sums of an actuator, whose command u moved it so that the inverse says v.
    fn learn(&self, sums: &mut [f64], u: f64, v: [f64; UNKNOWNS]) {
        let (learned, rest) = sums.split_at_mut(UNKNOWNS);
        let (matrix, right) = rest.split_at_mut(UNKNOWNS * UNKNOWNS);
        let mut system = [[0.0; UNKNOWNS]; UNKNOWNS];
        for i in 0..UNKNOWNS {
            right[i] = self.keep * right[i] + v[i] * (u - v[0]);
            for j in 0..=i {
                let entry = &mut matrix[i * UNKNOWNS + j];
                *entry = self.keep * *entry + v[i] * v[j];
                system[j][i] = *entry;
            }
            system[i][i] += self.ridge;
        }
        if let Some(found) = definite_solve(system, std::array::from_fn(|i| right[i])) {
            learned.copy_from_slice(&found.map(|x| x.clamp(-MOST, MOST)));
        }
    }

    /// D S of the next sample of a history.
    fn rate(&self, memory: &mut [f64], last: &mut f64, x: f64) -> f64 {
        let smooth = self.smooth.step(memory, x);
        let rate = (smooth - *last) * self.rate;
        *last = smooth;
        rate
    }
}

/// The method at its sampling interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Adapting {
    n: usize,
    start: Vec<f64>,
    /// Whether the model could not be inverted.
    singular: bool,
    basis: Basis,
    ahead: Ahead,
    feedback: f64,
    correction: Filter,
    fit: Fit,
    learns: bool,
}

impl Adapting {
    /// The command of the model for the terms of all actuators.
    fn inverse(&self, actuator: usize, terms: &[f64]) -> f64 {
        self.start[actuator * terms.len()..].iter().zip(terms).map(|(a, x)| a * x).sum()
    }

    /// w of every actuator, without what was learned.
    fn feed(&self, memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        let (terms, mut memory) = memory.split_at_mut(self.n * TERMS);
        for ((target, measured), terms) in targets.iter().zip(measured).zip(terms.chunks_exact_mut(TERMS)) {
            let error = if measured.is_finite() { target - measured } else { 0.0 };
            let error = self.correction.step(take(&mut memory, self.correction.memory()), error);
            let now = self.basis.step(take(&mut memory, self.basis.memory()), target + self.feedback * error);
            terms.copy_from_slice(&self.ahead.of(now));
        }
        for (j, command) in commands.iter_mut().enumerate() {
            *command = self.inverse(j, terms);
        }
    }

    /// Numbers that [`Self::feed`] remembers.
    fn fed(&self) -> usize {
        self.n * (TERMS + self.correction.memory() + self.basis.memory())
    }
}

impl Multivariable for Adapting {
    fn actuators(&self) -> usize {
        self.n
    }

    fn memory(&self) -> usize {
        let filters = 2 * self.fit.low_pass.memory() + 2 * self.fit.smooth.memory();
        let learning = self.n * (SUMS + filters + TERMS + self.basis.memory()) + 1;
        self.fed() + if self.learns { learning } else { 0 }
    }

    fn command(&self, mut memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        self.feed(take(&mut memory, self.fed()), targets, measured, commands);
        if !self.learns {
            return;
        }
        let (n, fit) = (self.n, &self.fit);
        let (passed, smoothed) = (fit.low_pass.memory(), fit.smooth.memory());
        let (count, sums) = (take(&mut memory, 1), take(&mut memory, n * SUMS));
        for (command, sums) in commands.iter_mut().zip(sums.chunks_exact_mut(SUMS)) {
            let w = *command;
            let rate = fit.rate(take(&mut memory, smoothed), &mut sums[SUMS - 2], w);
            *command += sums[0] * w + sums[1] * rate;
            sums[SUMS - 3] = fit.low_pass.step(take(&mut memory, passed), *command);
        }
        let taught = measured.iter().all(|y| y.is_finite());
        let terms = take(&mut memory, n * TERMS);
        for ((&y, &target), terms) in measured.iter().zip(targets).zip(terms.chunks_exact_mut(TERMS)) {
            let y = fit.low_pass.step(take(&mut memory, passed), seen(y, target));
            terms.copy_from_slice(&self.basis.step(take(&mut memory, self.basis.memory()), y));
        }
        let moves = terms.chunks_exact(TERMS).any(|t| t[0].abs().max(t[1].abs() / OMEGA) >= fit.quiet);
        count[0] += f64::from(u8::from(taught));
        let looks = count[0] >= fit.skip;
        for (j, sums) in sums.chunks_exact_mut(SUMS).enumerate() {
            let v = self.inverse(j, terms);
            let rate = fit.rate(take(&mut memory, smoothed), &mut sums[SUMS - 1], v);
            if taught && looks && moves {
                fit.learn(sums, sums[SUMS - 3], [v, rate]);
            }
        }
        if taught && looks {
            count[0] = 0.0;
        }
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        Box::new(Adapting { learns: false, ..self.clone() })
    }

    fn warnings(&self) -> Vec<String> {
        let what = "the plant of this compensation has no inverse: commands of several actuators give the same strokes. \
            Each actuator is compensated by itself";
        self.singular.then(|| what.to_owned()).into_iter().collect()
    }
}
