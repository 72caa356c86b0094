//! Early arrival (this project, see the chapter on compensation in the book): an adaptive inverse whose specimen comes ahead of time.
//!
//! A loop that applies the force of the last sample over the next one acts on a force that is one and a half samples old, however well
//! the specimen follows. Here the specimen is sent to where the structure *will* be: the delay of the force is compensated where it can be, in the
//! command.
//!
//! ```text
//! u = (a₀ + a₁ D + a₂ D² + a₃ D³) e^(τs) x                      x target, D backward differences, τ = ahead dt
//! a = a(0) + argmin_δ Σ w (u - (a(0) + δ)ᵀφ)² + ρ Σ (ωⁱ δ_i)²      φ = (y, Dy, D²y, D³y), y measured
//! ```
//!
//! u and y of the fit pass the same low-pass; ω is 4 Hz. The fit is a ridge regression with forgetting: with R = Σ w φφᵀ and r = Σ w φ (u - a(0)ᵀφ), φ_i in units of ωⁱ,
//! (R + ρ) δ = r, a system of four equations. ρ = (noise/doubt)² keeps the start until the motion says more than the noise; learning and forgetting
//! rest while the specimen does, so that nothing winds up or is lost in a pause.
//!
//! Memory: targets, the filters, filtered measurements, a count of samples, δ, R, r.

use std::f64::consts::TAU;

use interfield_linalg::definite_solve;

use super::feedforward::{Inverse, Series, advanced, sum};
use super::{Compensator, Sampling, seen, take, take_array};
use crate::signal::Filter;
use crate::signal::difference::ORDERS;

/// Unit of the derivatives in the fit, rad/s: where the motion of structures is.
const OMEGA: f64 = TAU * 4.0;
/// Order of the low-pass.
const ORDER: usize = 4;
/// Samples per second that the fit looks at: ten times the corner of the low-pass and more.
const LOOKS: f64 = 512.0;
/// Motion below so many times the filtered noise teaches nothing: its derivatives are noisier than itself.
const QUIET: f64 = 30.0;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Early {
    /// a₀ to a₃ at the start.
    pub start: Series,
    /// How many samples the specimen arrives early.
    pub ahead: f64,
    /// Time after which a sample counts 1/e, s of motion.
    pub horizon: f64,
    /// Corner of the low-pass, Hz.
    pub corner: f64,
    /// Standard deviation of the displacement sensor, m.
    pub noise: f64,
    /// How far the coefficients, in units of 1/ωⁱ, may be from the start.
    pub doubt: f64,
}

impl Early {
    /// At a sampling interval.
    pub fn design(&self, sampling: Sampling) -> Adapting {
        let dt = sampling.dt;
        // White noise of the sensor behind the low-pass.
        let noise = self.noise * (2.0 * self.corner * dt).min(1.0).sqrt();
        let skip = (1.0 / (LOOKS * dt)).round().max(1.0);
        Adapting {
            start: Inverse { series: self.start, differences: sampling.differences(self.start[1]) },
            ahead: self.ahead * dt,
            filter: Filter::butterworth(ORDER, self.corner, dt),
            skip,
            keep: (-skip * dt / self.horizon).exp(),
            ridge: (noise / self.doubt).powi(2),
            quiet: QUIET * noise,
        }
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Adapting {
    start: Inverse,
    /// How early the specimen arrives, s.
    ahead: f64,
    filter: Filter,
    skip: f64,
    keep: f64,
    ridge: f64,
    quiet: f64,
}

impl Adapting {
    /// Adds a sample to the sums and fits again.
    fn learn(&self, learned: &mut Series, sums: &mut [f64; ORDERS * (ORDERS + 1)], u: f64, derivatives: &Series) {
        let mut unit = 1.0;
        let phi: Series = std::array::from_fn(|i| {
            let x = derivatives[i] * unit;
            unit /= OMEGA;
            x
        });
        if phi[0].abs().max(phi[1].abs()) < self.quiet {
            return;
        }
        let rest = u - sum(&self.start.series, derivatives);
        let (matrix, right) = sums.split_at_mut(ORDERS * ORDERS);
        let mut system = [[0.0; ORDERS]; ORDERS];
        for i in 0..ORDERS {
            right[i] = self.keep * right[i] + phi[i] * rest;
            for j in 0..=i {
                let entry = &mut matrix[i * ORDERS + j];
                *entry = self.keep * *entry + phi[i] * phi[j];
                system[j][i] = *entry;
            }
            system[i][i] += self.ridge;
        }
        if let Some(found) = definite_solve(system, std::array::from_fn(|i| right[i])) {
            let mut unit = 1.0;
            for i in 0..ORDERS {
                learned[i] = found[i] * unit;
                unit /= OMEGA;
            }
        }
    }
}

impl Compensator for Adapting {
    fn memory(&self) -> usize {
        ORDERS + ORDERS * (ORDERS + 1) + 1 + 2 * self.start.differences.memory() + 2 * self.filter.memory()
    }

    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let learned: &mut Series = take_array(&mut memory);
        let sums: &mut [f64; ORDERS * (ORDERS + 1)] = take_array(&mut memory);
        let count = take(&mut memory, 1);
        let targets = take(&mut memory, self.start.differences.memory());
        let series: Series = std::array::from_fn(|i| self.start.series[i] + learned[i]);
        let differences = &self.start.differences;
        let command = sum(&advanced(&series, self.ahead, differences.interval()), &differences.step(targets, target));
        let u = self.filter.step(take(&mut memory, self.filter.memory()), command);
        let y = self.filter.step(take(&mut memory, self.filter.memory()), seen(measured, target));
        let phi = differences.step(memory, y);
        if measured.is_finite() {
            count[0] += 1.0;
            if count[0] >= self.skip {
                count[0] = 0.0;
                self.learn(learned, sums, u, &phi);
            }
        }
        command
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        let series = advanced(&self.start.series, self.ahead, self.start.differences.interval());
        Box::new(Inverse { series, ..self.start })
    }
}
