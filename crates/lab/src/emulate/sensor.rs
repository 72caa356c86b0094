//! Sensors that are not perfect.

use crate::signal::noise::normal;

/// An instrument: what it shows is what there is, times its gain, with bias, noise, range and steps of its converter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sensor {
    /// Shown over true.
    pub gain: f64,
    /// Shown at zero, m or N.
    pub bias: f64,
    /// Standard deviation of its noise.
    pub noise: f64,
    /// Largest number that can be shown.
    pub range: f64,
    /// Step of its converter; zero for none.
    pub quantum: f64,
    /// The same seed gives the same noise.
    pub seed: u64,
}

impl Default for Sensor {
    /// A perfect one.
    fn default() -> Self {
        Sensor { gain: 1.0, bias: 0.0, noise: 0.0, range: f64::INFINITY, quantum: 0.0, seed: 1 }
    }
}

impl Sensor {
    /// What it shows at sample number `tick`.
    pub fn shows(&self, truth: f64, tick: u64) -> f64 {
        let noise = if self.noise > 0.0 { self.noise * normal(self.seed, tick) } else { 0.0 };
        let shown = (self.gain * truth + self.bias + noise).clamp(-self.range, self.range);
        if self.quantum > 0.0 { self.quantum * (shown / self.quantum).round() } else { shown }
    }

    /// Without noise, bias, range and steps: what is left is linear.
    pub fn linear(&self) -> Self {
        Sensor { gain: self.gain, ..Sensor::default() }
    }
}
