//! Adaptive time series (Chae, Kazemibidokhti, Ricles, Earthq. Eng. Struct. Dyn. 42:1697-1715, 2013).
//!
//! ```text
//! u = a₀ x + a₁ x' + a₂ x"          x target
//! a = least squares of u on (y, y', y") over the window, y measured
//! ```
//!
//! u and y of the fit pass the same low-pass (Butterworth of order 4, 20 Hz), every `skip`-th sample counts. The fit is made while the largest |y| of
//! the window is above a threshold; a₀ stays within 0.7 to 1.3, a₁ and a₂ between zero and four times their start, and no coefficient moves faster than
//! its own limit. Defaults (window 1 s, every 16th sample, 0.01 in) as shipped with OpenFresco.
//!
//! Memory: targets, the filters, filtered measurements, a - a(0), a count of samples, the window as lines of u, y, y', y". Deviations: limits and rates are
//! relative to the start, so that they hold for any delay.

use interfield_linalg::definite_solve;

use super::feedforward::{Inverse, Series, of_delay, sum};
use super::gradient::{CORNER, ORDER};
use super::{Compensator, Sampling, seen, take, take_array};
use crate::signal::{Filter, line};

/// Coefficients of the fit.
const FITTED: usize = 3;
/// Most that a coefficient changes in a second, as a share of its start.
const RATE: f64 = 10.0;
/// How far a₀ may be from one.
const GAIN: f64 = 0.3;
/// How many times the start a₁ and a₂ may be.
const MOST: f64 = 4.0;
/// A start of less than this delay, s, counts as one of it: who knows nothing must be able to learn.
const LEAST: f64 = 0.01;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ats {
    /// a₀, a₁ and a₂ at the start; a₃ is not used.
    pub start: Series,
    /// Window of the fit, s.
    pub window: f64,
    /// Every how many samples the fit is made.
    pub skip: usize,
    /// Amplitude below which nothing is learned, m.
    pub threshold: f64,
}

impl Ats {
    /// At a sampling interval.
    pub fn design(&self, sampling: Sampling) -> Adapting {
        let ([a0, a1, a2, _], dt) = (self.start, sampling.dt);
        let skip = self.skip.max(1);
        let points = ((self.window / (dt * skip as f64)).round() as usize).max(2 * FITTED);
        Adapting {
            start: Inverse { series: [a0, a1, a2, 0.0], differences: sampling.differences(a1) },
            size: std::array::from_fn(|i| self.start[i].abs().max(of_delay(LEAST)[i])),
            filter: Filter::butterworth(ORDER, CORNER, dt),
            skip,
            points,
            threshold: self.threshold,
            rate: RATE * dt * skip as f64,
        }
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adapting {
    start: Inverse,
    /// What the coefficients are compared with.
    size: [f64; FITTED],
    filter: Filter,
    skip: usize,
    points: usize,
    threshold: f64,
    rate: f64,
}

impl Adapting {
    /// The coefficients that fit the window best; `None` if there is too little motion in it.
    fn fit(&self, window: &[f64]) -> Option<[f64; FITTED]> {
        let mut lines = window.chunks_exact(line::memory(self.points));
        let [u, y, v, a] = std::array::from_fn(|_| lines.next().unwrap_or_default());
        // Derivatives in these units make the equations well-conditioned.
        let scale = self.size;
        let (mut matrix, mut right, mut largest) = ([[0.0; FITTED]; FITTED], [0.0; FITTED], 0.0f64);
        for point in 0..self.points {
            let phi = [line::ago(y, point) * scale[0], line::ago(v, point) * scale[1], line::ago(a, point) * scale[2]];
            let u = line::ago(u, point);
            largest = largest.max(phi[0].abs());
            for i in 0..FITTED {
                right[i] += phi[i] * u;
                for j in 0..=i {
                    matrix[j][i] += phi[i] * phi[j];
                }
            }
        }
        if largest < self.threshold {
            return None;
        }
        let found = definite_solve(matrix, right)?;
        Some(std::array::from_fn(|i| found[i] * scale[i]))
    }

    fn learn(&self, learned: &mut [f64; FITTED], found: [f64; FITTED]) {
        for i in 0..FITTED {
            let bounds = if i == 0 { (1.0 - GAIN, 1.0 + GAIN) } else { (0.0, MOST * self.size[i]) };
            let wanted = found[i].clamp(bounds.0, bounds.1) - self.start.series[i];
            let step = self.rate * self.size[i];
            learned[i] += (wanted - learned[i]).clamp(-step, step);
        }
    }
}

impl Compensator for Adapting {
    fn memory(&self) -> usize {
        FITTED
            + 1
            + 2 * self.start.differences.memory()
            + 2 * self.filter.memory()
            + (FITTED + 1) * line::memory(self.points)
    }

    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let learned: &mut [f64; FITTED] = take_array(&mut memory);
        let count = take(&mut memory, 1);
        let targets = take(&mut memory, self.start.differences.memory());
        let mut series: Series = self.start.series;
        series.iter_mut().zip(learned.iter()).for_each(|(a, l)| *a += l);
        let command = sum(&series, &self.start.differences.step(targets, target));
        let u = self.filter.step(take(&mut memory, self.filter.memory()), command);
        let y = self.filter.step(take(&mut memory, self.filter.memory()), seen(measured, target));
        let [y, v, a, _] = self.start.differences.step(take(&mut memory, self.start.differences.memory()), y);
        if measured.is_finite() {
            count[0] += 1.0;
            if count[0] as usize >= self.skip {
                count[0] = 0.0;
                for (line, sample) in memory.chunks_exact_mut(line::memory(self.points)).zip([u, y, v, a]) {
                    line::push(line, sample);
                }
                if let Some(found) = self.fit(memory) {
                    self.learn(learned, found);
                }
            }
        }
        command
    }

    fn adapts(&self) -> &'static [&'static str] {
        &["a0", "a1 [s]", "a2 [s^2]"]
    }

    fn adapted(&self, memory: &[f64], values: &mut [f64]) {
        let learned = memory.iter().zip(&self.start.series).take(FITTED);
        values.iter_mut().zip(learned).for_each(|(x, (learned, start))| *x = start + learned);
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(self.start)
    }
}
