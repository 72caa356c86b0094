//! The inverse of an actuator as a series in derivatives, fixed: u = a₀ x + a₁ x' + a₂ x" + a₃ x"'.
//!
//! For an actuator 1/(a₀ + a₁ s + a₂ s² + a₃ s³ + ...) (Phillips, Spencer, J. Struct. Eng. 139:1205-1214, 2013, model-based compensation). A pure delay d gives
//! a_i = dⁱ/i!. Derivatives are backward differences. Memory: the targets of three intervals.
//!
//! What the adaptive methods on this series share is here: [`advanced`] moves such an inverse ahead in time.

use super::{Compensator, Sampling};
use crate::signal::Differences;
use crate::signal::difference::ORDERS;

/// Coefficients of the series: 1, s, s², s³.
pub type Series = [f64; ORDERS];

/// Parameters of the method, and the method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedforward {
    /// a₀ to a₃.
    pub series: Series,
}

impl Feedforward {
    /// At a sampling interval.
    pub fn design(&self, sampling: Sampling) -> Inverse {
        Inverse { series: self.series, differences: sampling.differences(self.series[1]) }
    }
}

/// A fixed series at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inverse {
    pub(super) series: Series,
    pub(super) differences: Differences,
}

impl Compensator for Inverse {
    fn memory(&self) -> usize {
        self.differences.memory()
    }
    fn command(&self, memory: &mut [f64], target: f64, _measured: f64) -> f64 {
        sum(&self.series, &self.differences.step(memory, target))
    }
    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(*self)
    }
}

/// The inverse of a pure delay, s.
pub fn of_delay(delay: f64) -> Series {
    [1.0, delay, delay.powi(2) / 2.0, delay.powi(3) / 6.0]
}

/// The series times e^(τ s): the specimen arrives `t` seconds early. In backward differences D over h, e^(τ s) = (1 - hD)^(-τ/h) exactly.
pub fn advanced(series: &Series, t: f64, h: f64) -> Series {
    let shift = [1.0, t, t * (t + h) / 2.0, t * (t + h) * (t + 2.0 * h) / 6.0];
    std::array::from_fn(|i| (0..=i).map(|j| series[j] * shift[i - j]).sum())
}

/// Σ a_i x^(i).
pub fn sum(series: &Series, derivatives: &[f64; ORDERS]) -> f64 {
    series.iter().zip(derivatives).map(|(a, x)| a * x).sum()
}
