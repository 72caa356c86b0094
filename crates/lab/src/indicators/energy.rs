//! Energy error: the work that the measured force does on the difference between where the specimen should be and where it is (after Mosqueda, Stojadinović,
//! Mahin, J. Struct. Eng. 133:1100-1108, 2007).
//!
//! ```text
//! E_err = ∫ f d(x - y)        input = ∫ f dx
//! ```
//!
//! x target, y measured, f the measured force; trapezoidal rule. The error is positive where the tracking takes energy out of the test, negative where it feeds it: a specimen
//! that lags feeds. Memory: error, work, largest work so far, f, x, y of the sample before.

/// Numbers it remembers.
pub const MEMORY: usize = 6;

/// Work on the difference, and what it is compared with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EnergyError {
    /// ∫ f d(x - y), J.
    pub error: f64,
    /// Largest |∫ f dx| so far, J.
    pub scale: f64,
}

impl EnergyError {
    /// The error as a share of the scale; zero before there was any work.
    pub fn relative(&self) -> f64 {
        if self.scale > 0.0 { self.error / self.scale } else { 0.0 }
    }
}

/// Both after a new sample.
pub fn step(memory: &mut [f64], target: f64, measured: f64, force: f64) -> EnergyError {
    let [error, work, scale, f, x, y] = std::array::from_fn(|i| memory[i]);
    let mean = 0.5 * (f + force);
    let error = error + mean * ((target - x) - (measured - y));
    let work = work + mean * (target - x);
    let scale = work.abs().max(scale);
    memory[..MEMORY].copy_from_slice(&[error, work, scale, force, target, measured]);
    EnergyError { error, scale }
}
