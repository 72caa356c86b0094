//! What the public benchmarks share: ground motions and how a test ended.

/// A ground acceleration.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Name.
    pub name: String,
    /// Sampling interval, s.
    pub dt: f64,
    /// Samples, m/s², before the factor of the benchmark.
    pub values: Vec<f64>,
}

/// Factor of the ground motions in the benchmarks.
pub const SCALE: f64 = 0.4;

impl Motion {
    /// Scaled as in the benchmarks, between samples linear, zero after the end.
    pub(crate) fn at(&self, t: f64) -> f64 {
        let place = t / self.dt;
        let i = place.floor() as usize;
        let value = |i: usize| self.values.get(i).copied().unwrap_or(0.0);
        SCALE * (value(i) + (place - i as f64) * (value(i + 1) - value(i)))
    }

    /// Samples of a test at this rate, Hz.
    pub(crate) fn samples(&self, rate: f64) -> usize {
        (self.values.len().saturating_sub(1) as f64 * self.dt * rate).floor() as usize
    }
}

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// At its end.
    Stable,
    /// Lost at this time, s.
    Unstable(f64),
}
