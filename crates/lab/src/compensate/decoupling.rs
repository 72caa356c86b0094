//! Decoupling feedforward: the inverse of a model of all actuators, with what they do to one another (Phillips, Spencer, J. Eng. Mech. 139:219-228, 2013, model-based
//! control of several actuators).
//!
//! ```text
//! x̂ = (1 + A₁ D + A₂ D² + A₃ D³) x        x targets, D backward differences, A_i matrices
//! u = K x̂                                 K ≈ G⁻¹: stable, proper, exact at rest
//! ```
//!
//! K is the inverse of the model G without its delays, filtered above the roll-off (see `riccati`). The A_i make good what K and the delays leave, and the lead that is
//! wished for: G K (1 + ΣA_i Dⁱ) = e^(τs), in the mean square over the bandwidth, each decade the same. Both hold for commands that are linear
//! between samples.
//!
//! Memory: the targets of three intervals of each actuator, the last x̂, the states of K. Deviations from the source: K is optimal instead of improper, the differences are fitted instead of a series.

use std::f64::consts::{PI, TAU};
use std::sync::Arc;

use interfield_linalg::{balance, dense_solve};
use realfft::num_complex::Complex64;

use super::riccati::{gram, identity, inverse};
use super::{Multivariable, Sampling, take};
use crate::plant::{Coupled, StateSpace};
use crate::signal::Differences;
use crate::signal::difference::ORDERS;

/// Frequencies of the fit, over two decades up to the bandwidth.
const FREQUENCIES: usize = 64;
/// No fit beyond this share of the sampling rate: differences mean little there.
const HIGHEST: f64 = 0.2;

/// Parameters of the method.
#[derive(Clone, Debug, PartialEq)]
pub struct Decoupling {
    /// Model of the actuators; none: each follows after the delay.
    pub model: Option<Arc<StateSpace>>,
    /// Delay of actuators without a model, s.
    pub delay: f64,
    /// How many samples the specimen arrives early.
    pub ahead: f64,
    /// Frequency up to which the targets are followed, Hz.
    pub bandwidth: f64,
    /// Frequency from which on the inverse is filtered, Hz.
    pub roll_off: f64,
}

impl Decoupling {
    /// For so many actuators at a sampling interval; a model knows their number by itself.
    pub fn design(&self, actuators: usize, sampling: Sampling) -> Feedforward {
        let dt = sampling.dt;
        let model = self.model.as_deref().cloned().unwrap_or_else(|| StateSpace {
            delays: vec![self.delay; actuators],
            ..still(identity(actuators), actuators)
        });
        let (model, units) = in_units(model);
        let m = model.actuators;
        let found = inverse(&model, TAU * self.roll_off);
        let approximate = found.is_none();
        // Where the model cannot be inverted, what it does at rest is, and the differences do the rest.
        let dynamics = found.unwrap_or_else(|| still(at_rest(&model), m));
        let differences = sampling.differences(model.lag().unwrap_or(self.delay));
        let h = differences.interval();
        let bandwidth = self.bandwidth.min(HIGHEST / h);
        let fit = Fit { model: &model, dynamics: &dynamics, lead: self.ahead * dt, bandwidth, dt, h };
        let (series, error) = fit.series();
        let dynamics = Coupled::new(&dynamics, dt);
        Feedforward { units, series, dynamics, differences, error, bandwidth, approximate }
    }
}

/// The model with strokes in units of their own, so that lengths and angles do not spoil the numbers of one another; and the units.
fn in_units(model: StateSpace) -> (StateSpace, Vec<f64>) {
    let (n, m) = (model.order, model.actuators);
    let Some(dc) = model.dc() else { return (model, vec![1.0; m]) };
    let (_, unit) = balance(&dc, m);
    let b = model.b.iter().enumerate().map(|(k, b)| b * unit[k % m]).collect();
    let c = model.c.iter().enumerate().map(|(k, c)| c / unit[k / n]).collect();
    let d = model.d.iter().enumerate().map(|(k, d)| d * unit[k % m] / unit[k / m]).collect();
    (StateSpace { b, c, d, ..model }, unit)
}

/// A gain without dynamics.
fn still(d: Vec<f64>, m: usize) -> StateSpace {
    StateSpace { order: 0, actuators: m, a: Vec::new(), b: Vec::new(), c: Vec::new(), d, delays: vec![0.0; m] }
}

/// G(0)⁻¹; the identity where there is none.
fn at_rest(model: &StateSpace) -> Vec<f64> {
    let m = model.actuators;
    let mut found = identity(m);
    match model.dc() {
        Some(dc) if dense_solve(&dc, m, &mut found, m) => found,
        _ => identity(m),
    }
}

/// The search for the A_i.
struct Fit<'a> {
    model: &'a StateSpace,
    dynamics: &'a StateSpace,
    lead: f64,
    bandwidth: f64,
    dt: f64,
    /// Of the differences, s.
    h: f64,
}

impl Fit<'_> {
    /// G K as sampled, at a frequency, Hz; commands, and what K is told, are linear between samples.
    fn compensated(&self, frequency: f64) -> Option<Vec<Complex64>> {
        let (m, w) = (self.model.actuators, TAU * frequency);
        let between = (PI * frequency * self.dt).sin() / (PI * frequency * self.dt);
        let linear = between.powi(if self.dynamics.order > 0 { 4 } else { 2 });
        let (g, k) = (self.model.response(w)?, self.dynamics.response(w)?);
        let entry = |i: usize, j: usize| linear * (0..m).map(|l| g[i * m + l] * k[l * m + j]).sum::<Complex64>();
        Some((0..m * m).map(|e| entry(e / m, e % m)).collect())
    }

    /// Frequencies, rad/s, D in units of the bandwidth, and G K there.
    fn points(&self) -> Vec<(f64, Complex64, Vec<Complex64>)> {
        let frequency = |k: usize| self.bandwidth * 10f64.powf(-2.0 * k as f64 / FREQUENCIES as f64);
        let point = |f: f64| {
            let d = (Complex64::ONE - Complex64::cis(-TAU * f * self.h)) / (self.h * TAU * self.bandwidth);
            Some((TAU * f, d, self.compensated(f)?))
        };
        (0..FREQUENCIES).filter_map(|k| point(frequency(k))).collect()
    }

    /// A₁, A₂, A₃, one after the other, and the largest error that is left over the bandwidth.
    fn series(&self) -> (Vec<f64>, f64) {
        const TERMS: usize = ORDERS - 1;
        let m = self.model.actuators;
        let (points, size) = (self.points(), TERMS * m);
        let (mut normal, mut right) = (vec![0.0; size * size], vec![0.0; size * m]);
        for (w, d, t) in &points {
            let powers: [Complex64; TERMS] = std::array::from_fn(|i| d.powu(i as u32 + 1));
            let squares = gram(t, m);
            let wanted = Complex64::cis(w * self.lead);
            for (i, p) in (0..TERMS).flat_map(|i| (0..m).map(move |p| (i, p))) {
                let row = i * m + p;
                for (k, q) in (0..TERMS).flat_map(|k| (0..m).map(move |q| (k, q))) {
                    normal[row * size + k * m + q] += (powers[i].conj() * powers[k] * squares[p * m + q]).re;
                }
                for c in 0..m {
                    // Tᴴ(e^(τs) - T).
                    let rest = t[c * m + p].conj() * wanted - squares[p * m + c];
                    right[row * m + c] += (powers[i].conj() * rest).re;
                }
            }
        }
        if !dense_solve(&normal, size, &mut right, m) {
            right.fill(0.0);
        }
        let error = points.iter().map(|(w, d, t)| self.left(*w, *d, t, &right)).fold(0.0, f64::max);
        let unit = TAU * self.bandwidth;
        let terms = right.chunks_exact(m * m).zip(1..);
        (terms.flat_map(|(a, i)| a.iter().map(move |x| x / unit.powi(i))).collect(), error)
    }

    /// Largest entry of G K (1 + Σ A_i Dⁱ) - e^(τs).
    fn left(&self, w: f64, d: Complex64, t: &[Complex64], series: &[f64]) -> f64 {
        let m = self.model.actuators;
        let before = |k: usize, j: usize| {
            let unit = if k == j { Complex64::ONE } else { Complex64::ZERO };
            series.chunks_exact(m * m).zip(1..).fold(unit, |sum, (a, i)| sum + d.powu(i) * a[k * m + j])
        };
        let entry = |i: usize, j: usize| {
            let wanted = if i == j { Complex64::cis(w * self.lead) } else { Complex64::ZERO };
            ((0..m).map(|k| t[i * m + k] * before(k, j)).sum::<Complex64>() - wanted).norm()
        };
        (0..m * m).map(|e| entry(e / m, e % m)).fold(0.0, f64::max)
    }
}

/// The method at its sampling interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Feedforward {
    /// Of the strokes, m (rad).
    units: Vec<f64>,
    /// A₁, A₂, A₃.
    series: Vec<f64>,
    dynamics: Coupled,
    differences: Differences,
    error: f64,
    bandwidth: f64,
    approximate: bool,
}

impl Feedforward {
    /// Largest error of the strokes over the bandwidth, by the model: a share of the amplitude.
    pub fn error(&self) -> f64 {
        self.error
    }
}

impl Multivariable for Feedforward {
    fn actuators(&self) -> usize {
        self.units.len()
    }

    fn memory(&self) -> usize {
        // The second copy of x̂ is needed within a sample only.
        self.actuators() * (self.differences.memory() + 2) + self.dynamics.memory()
    }

    fn command(&self, mut memory: &mut [f64], targets: &[f64], _measured: &[f64], commands: &mut [f64]) {
        let m = self.actuators();
        let lines = take(&mut memory, m * self.differences.memory());
        let before = take(&mut memory, m);
        let now = take(&mut memory, m);
        now.iter_mut().zip(targets.iter().zip(&self.units)).for_each(|(x, (target, unit))| *x = target / unit);
        for (j, line) in lines.chunks_exact_mut(self.differences.memory()).enumerate() {
            let derivatives = self.differences.step(line, targets[j] / self.units[j]);
            for (a, x) in self.series.chunks_exact(m * m).zip(&derivatives[1..]) {
                for (i, ahead) in now.iter_mut().enumerate() {
                    *ahead += a[i * m + j] * x;
                }
            }
        }
        self.dynamics.follow(memory, before, now, commands);
        before.copy_from_slice(now);
        now.fill(0.0);
        commands.iter_mut().zip(&self.units).for_each(|(command, unit)| *command *= unit);
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        Box::new(self.clone())
    }

    fn warnings(&self) -> Vec<String> {
        let mut said = Vec::new();
        if self.approximate {
            said.push("the model of the actuators has no stable inverse: decoupling is exact at rest only".to_owned());
        }
        if self.error > 0.1 {
            said.push(format!(
                "decoupling leaves an error of {:.0} % of the amplitude at frequencies up to {:.3} Hz, by its model: the delays are \
                 too long for this bandwidth",
                100.0 * self.error,
                self.bandwidth
            ));
        }
        said
    }
}
