//! A signal and its derivatives by backward differences: x, (x - x₁)/h, (x - 2x₁ + x₂)/h², (x - 3x₁ + 3x₂ - x₃)/h³.
//!
//! The derivative of order i is that of i h/2 ago: it lags by half an interval per order. h is one sample or several: a signal that goes on straight lines of several samples
//! has its derivatives over one of them, and spikes at its corners over less.

use super::line;

/// Derivatives taken at most.
pub const ORDERS: usize = 4;

/// Backward differences at an interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Differences {
    rate: f64,
    every: usize,
}

impl Differences {
    /// Samples every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Self::over(dt, 1)
    }

    /// Samples every `dt` seconds, of which so many are an interval.
    pub fn over(dt: f64, samples: usize) -> Self {
        let every = samples.max(1);
        Differences { rate: 1.0 / (every as f64 * dt), every }
    }

    /// Numbers it remembers: the samples of the last three intervals.
    pub fn memory(&self) -> usize {
        (ORDERS - 1) * self.every
    }

    /// The interval h, s.
    pub fn interval(&self) -> f64 {
        1.0 / self.rate
    }

    /// x and its first three derivatives at a new sample.
    pub fn step(&self, memory: &mut [f64], x: f64) -> [f64; ORDERS] {
        let [x1, x2, x3] = [1, 2, 3].map(|i| memory[i * self.every - 1]);
        let d1 = (x - x1) * self.rate;
        let e1 = (x1 - x2) * self.rate;
        let g1 = (x2 - x3) * self.rate;
        let (d2, e2) = ((d1 - e1) * self.rate, (e1 - g1) * self.rate);
        line::push(memory, x);
        [x, d1, d2, (d2 - e2) * self.rate]
    }
}
