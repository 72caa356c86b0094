//! Adaptive model-based compensation with a gradient law (Galmez, Fermandois, robust adaptive model-based compensator; as in their public code, RobustAMBCvRTHS).
//!
//! ```text
//! u  = a₀ x + a₁ x' + a₂ x" + a₃ x"'        x target
//! a' = Γ e φ/(1 + φᵀφ)                      φ = (y, y', y", y"'), e = u - aᵀφ
//! ```
//!
//! y measured; y and u of the law pass the same low-pass (Butterworth of order 4, 20 Hz). Derivatives are backward differences, Γ is diagonal.
//!
//! Memory: targets, the filters, filtered measurements, a - a(0). Deviations: none known.

use super::feedforward::{Inverse, Series, sum};
use super::{Compensator, Sampling, seen, take, take_array};
use crate::signal::Filter;
use crate::signal::difference::ORDERS;

/// Corner of the low-pass, Hz.
pub const CORNER: f64 = 20.0;
/// Order of the low-pass.
pub const ORDER: usize = 4;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gradient {
    /// a₀ to a₃ at the start.
    pub start: Series,
    /// Diagonal of Γ, in SI units.
    pub gains: Series,
}

impl Gradient {
    /// At a sampling interval.
    pub fn design(&self, sampling: Sampling) -> Adapting {
        let (dt, differences) = (sampling.dt, sampling.differences(self.start[1]));
        Adapting {
            start: Inverse { series: self.start, differences },
            gains: self.gains.map(|g| g * dt),
            filter: Filter::butterworth(ORDER, CORNER, dt),
        }
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adapting {
    start: Inverse,
    gains: Series,
    filter: Filter,
}

impl Compensator for Adapting {
    fn memory(&self) -> usize {
        ORDERS + 2 * self.start.differences.memory() + 2 * self.filter.memory()
    }

    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let learned: &mut Series = take_array(&mut memory);
        let targets = take(&mut memory, self.start.differences.memory());
        let series: Series = std::array::from_fn(|i| self.start.series[i] + learned[i]);
        let command = sum(&series, &self.start.differences.step(targets, target));
        let u = self.filter.step(take(&mut memory, self.filter.memory()), command);
        let y = self.filter.step(take(&mut memory, self.filter.memory()), seen(measured, target));
        let phi = self.start.differences.step(memory, y);
        if measured.is_finite() {
            let share = (u - sum(&series, &phi)) / (1.0 + sum(&phi, &phi));
            for i in 0..ORDERS {
                learned[i] += self.gains[i] * share * phi[i];
            }
        }
        command
    }

    fn adapts(&self) -> &'static [&'static str] {
        &["a0", "a1 [s]", "a2 [s^2]", "a3 [s^3]"]
    }

    fn adapted(&self, memory: &[f64], values: &mut [f64]) {
        let learned = memory.iter().zip(&self.start.series).take(ORDERS);
        values.iter_mut().zip(learned).for_each(|(x, (learned, start))| *x = start + learned);
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(self.start)
    }
}
