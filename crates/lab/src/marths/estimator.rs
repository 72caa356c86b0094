//! Displacements without the noise of their sensors: a steady Kalman filter on the nominal plant, whose actuators have an unknown force as well.
//!
//! ```text
//! z⁺ = A z + B (u + d),  d⁺ = d + w        y = C z + v        ẑ += K (y - C ẑ) at a measurement
//! ```
//!
//! d, a random walk, stands for whatever the plant does differently from its model. The filter knows commands and measurements, no targets.

use super::ACTUATORS;
use super::matrix::{Matrix, regulator};
use super::plant::{Perturbation, Plant};
use super::published::DOUBT;

/// States of the filter: those of the plant, and d.
const STATES: usize = 8 + ACTUATORS;

/// The filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimator {
    step: Matrix,
    command: Matrix,
    output: Matrix,
    gain: Matrix,
}

impl Estimator {
    /// For a plant; `doubt` is the standard deviation of w over that of the sensor.
    pub fn new(plant: &Plant, doubt: f64) -> Self {
        let [a, b, c] = plant.sampled();
        let one = Matrix::diagonal(&[1.0; ACTUATORS]);
        let step = Matrix::zero(STATES, STATES).put(0, 0, &a).put(0, 8, &b).put(8, 8, &one);
        let command = Matrix::zero(STATES, ACTUATORS).put(0, 0, &b);
        let output = Matrix::zero(ACTUATORS, STATES).put(0, 0, &c);
        let mut noise = Matrix::zero(STATES, STATES);
        (8..STATES).for_each(|i| *noise.at(i, i) = doubt * doubt);
        // The gain of prediction A P Cᵀ(..)⁻¹ is that of the dual regulator; the one of correction lacks the A.
        let predicted = regulator(&step.transposed(), &output.transposed(), &noise, &one).transposed();
        Estimator { gain: step.solve(&predicted), step, command, output }
    }

    /// For the nominal plant.
    pub fn nominal() -> Self {
        Self::new(&Plant::new(&Perturbation::default()), DOUBT)
    }

    pub(super) fn memory(&self) -> usize {
        2 * STATES
    }

    pub(super) fn estimate(&self, memory: &mut [f64], measured: [f64; ACTUATORS]) -> [f64; ACTUATORS] {
        let state = &mut memory[..STATES];
        let mut rest = [0.0; ACTUATORS];
        self.output.add(state, &mut rest);
        (0..ACTUATORS).for_each(|i| rest[i] = measured[i] - rest[i]);
        self.gain.add(&rest, state);
        let mut estimated = [0.0; ACTUATORS];
        self.output.add(state, &mut estimated);
        estimated
    }

    /// These commands are held over the next sample.
    pub(super) fn sent(&self, memory: &mut [f64], commands: [f64; ACTUATORS]) {
        let (state, next) = memory.split_at_mut(STATES);
        next.fill(0.0);
        self.step.add(state, next);
        self.command.add(&commands, next);
        state.copy_from_slice(next);
    }
}
