//! A finite impulse response as the inverse of the actuator, learned by recursive least squares (RoDeAC, as in its public code:
//! four taps, no forgetting, Butterworth of order 4, 20 Hz).
//!
//! ```text
//! u_k = Σ c_i x_(k - i s)                           x target
//! e = u - cᵀφ,  φ_i = y_(k - i s)                   y measured; u and y behind the same low-pass
//! g = Pφ/(λ + φᵀPφ),  c += g e,  P = (P - g φᵀP)/λ
//! ```
//!
//! Memory: lines of targets and filtered measurements, the filters, c - c(0), P - P(0). Deviations: taps are s samples apart, by default 0.5 ms, because neighbouring samples of a fast controller are too alike for a fit; the start is a series in derivatives.

use super::feedforward::Series;
use super::gradient::{CORNER, ORDER};
use super::{Compensator, Sampling, seen, take, take_array};
use crate::signal::{Filter, line};

/// Taps.
const TAPS: usize = 4;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fir {
    /// Inverse at the start, as a series in derivatives.
    pub start: Series,
    /// Distance of the taps, s.
    pub spacing: f64,
    /// λ: 1 forgets nothing.
    pub forgetting: f64,
    /// P(0): how far coefficients may move, against what was seen, 1/m².
    pub doubt: f64,
}

impl Fir {
    /// At a sampling interval.
    pub fn design(&self, sampling: Sampling) -> Adapting {
        let (dt, differences) = (sampling.dt, sampling.differences(self.start[1]));
        let spacing = (self.spacing.max(differences.interval()) / dt).round().max(1.0) as usize;
        // Derivatives as backward differences over the time between the taps.
        let rate = 1.0 / (spacing as f64 * dt);
        let [a0, a1, a2, a3] = self.start;
        let (a1, a2, a3) = (a1 * rate, a2 * rate.powi(2), a3 * rate.powi(3));
        let start = [a0 + a1 + a2 + a3, -a1 - 2.0 * a2 - 3.0 * a3, a2 + 3.0 * a3, -a3];
        let filter = Filter::butterworth(ORDER, CORNER, dt);
        let covariance = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { self.doubt } else { 0.0 }));
        Adapting { start, spacing, filter, learns: true, forgetting: self.forgetting, covariance }
    }
}

/// As published: taps one sample apart with a covariance of their own, 1/m², from an identification, and no forgetting.
pub fn published(start: [f64; TAPS], covariance: [[f64; TAPS]; TAPS], dt: f64) -> Adapting {
    Adapting {
        start,
        spacing: 1,
        filter: Filter::butterworth(ORDER, CORNER, dt),
        forgetting: 1.0,
        covariance,
        learns: true,
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adapting {
    start: [f64; TAPS],
    spacing: usize,
    filter: Filter,
    forgetting: f64,
    /// P(0), 1/m².
    covariance: [[f64; TAPS]; TAPS],
    learns: bool,
}

impl Adapting {
    fn line(&self) -> usize {
        line::memory((TAPS - 1) * self.spacing + 1)
    }

    fn taps(&self, line: &[f64]) -> [f64; TAPS] {
        std::array::from_fn(|i| line::ago(line, i * self.spacing))
    }

    /// One sample of recursive least squares; `covariance` is P - P(0), row by row.
    fn learn(&self, learned: &mut [f64; TAPS], covariance: &mut [f64; TAPS * TAPS], phi: &[f64; TAPS], error: f64) {
        let p = |c: &[f64; TAPS * TAPS], i: usize, j: usize| c[i * TAPS + j] + self.covariance[i][j];
        let p_phi: [f64; TAPS] = std::array::from_fn(|i| (0..TAPS).map(|j| p(covariance, i, j) * phi[j]).sum());
        let spread = self.forgetting + phi.iter().zip(&p_phi).map(|(x, y)| x * y).sum::<f64>();
        for i in 0..TAPS {
            learned[i] += p_phi[i] / spread * error;
            for j in 0..TAPS {
                let new = (p(covariance, i, j) - p_phi[i] * p_phi[j] / spread) / self.forgetting;
                covariance[i * TAPS + j] = new - self.covariance[i][j];
            }
        }
    }
}

fn dot(a: &[f64; TAPS], b: &[f64; TAPS]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

impl Compensator for Adapting {
    fn memory(&self) -> usize {
        TAPS + TAPS * TAPS + 2 * self.line() + 2 * self.filter.memory()
    }

    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let learned: &mut [f64; TAPS] = take_array(&mut memory);
        let covariance: &mut [f64; TAPS * TAPS] = take_array(&mut memory);
        let targets = take(&mut memory, self.line());
        line::push(targets, target);
        // One that does not learn is linear: also in a memory that a probe has written into.
        let learned_so_far = if self.learns { *learned } else { [0.0; TAPS] };
        let weights: [f64; TAPS] = std::array::from_fn(|i| self.start[i] + learned_so_far[i]);
        let command = dot(&weights, &self.taps(targets));
        if self.learns {
            let u = self.filter.step(take(&mut memory, self.filter.memory()), command);
            let y = self.filter.step(take(&mut memory, self.filter.memory()), seen(measured, target));
            line::push(memory, y);
            if measured.is_finite() {
                let phi = self.taps(memory);
                self.learn(learned, covariance, &phi, u - dot(&weights, &phi));
            }
        }
        command
    }

    fn adapts(&self) -> &'static [&'static str] {
        if self.learns { &["c0", "c1", "c2", "c3"] } else { &[] }
    }

    fn adapted(&self, memory: &[f64], values: &mut [f64]) {
        let learned = memory.iter().zip(&self.start);
        values.iter_mut().zip(learned).for_each(|(x, (learned, start))| *x = start + learned);
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(Adapting { learns: false, ..*self })
    }
}
