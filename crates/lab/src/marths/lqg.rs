//! A regulator in the manner of the controller that ships with the benchmark: linear-quadratic, with the states from a Kalman filter and the integrals of the tracking errors.
//!
//! ```text
//! u = -L [ẑ; ξ] + N r        ξ⁺ = ξ + (r - y)/f
//! ```
//!
//! L makes the sum of (C z)² + ki ξ² + ρ u² least; N gives the strokes of the targets at rest.

use super::estimator::Estimator;
use super::matrix::{Matrix, regulator};
use super::plant::Plant;
use super::{ACTUATORS, RATE};
use crate::compensate::Multivariable;

/// States of the regulator: those of the plant, and ξ.
const STATES: usize = 8 + ACTUATORS;

/// The regulator with its filter.
#[derive(Clone, Debug, PartialEq)]
pub struct Lqg {
    filter: Estimator,
    gain: Matrix,
    feed: Matrix,
}

impl Lqg {
    /// For a plant, with the weights of commands and of integrated errors, 1/s².
    pub fn new(plant: &Plant, effort: f64, integral: f64, doubt: f64) -> Self {
        let [a, b, c] = plant.sampled();
        let one = Matrix::diagonal(&[1.0; ACTUATORS]);
        let minus = c.times(&Matrix::diagonal(&[-1.0 / RATE; 8]));
        let step = Matrix::zero(STATES, STATES).put(0, 0, &a).put(8, 0, &minus).put(8, 8, &one);
        let command = Matrix::zero(STATES, ACTUATORS).put(0, 0, &b);
        let weight = Matrix::zero(STATES, STATES).put(0, 0, &c.transposed().times(&c)).put(
            8,
            8,
            &Matrix::diagonal(&[integral; ACTUATORS]),
        );
        let gain = regulator(&step, &command, &weight, &Matrix::diagonal(&[effort; ACTUATORS]));
        // At rest z = (1 - A)⁻¹ B u and ξ = 0: u + L_z z = N r with C z = r.
        let mut of_state = Matrix::zero(ACTUATORS, 8);
        for i in 0..ACTUATORS {
            (0..8).for_each(|j| *of_state.at(i, j) = gain.values[i * STATES + j]);
        }
        let rest = Matrix::diagonal(&[1.0; 8]).plus(&a, -1.0).solve(&b);
        let feed = one.plus(&of_state.times(&rest), 1.0).times(&c.times(&rest).solve(&one));
        Lqg { filter: Estimator::new(plant, doubt), gain, feed }
    }
}

impl Multivariable for Lqg {
    fn actuators(&self) -> usize {
        ACTUATORS
    }

    fn memory(&self) -> usize {
        self.filter.memory() + STATES
    }

    fn command(&self, memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        let (filter, state) = memory.split_at_mut(self.filter.memory());
        let measured = [measured[0], measured[1]];
        self.filter.estimate(filter, measured);
        state[..8].copy_from_slice(&filter[..8]);
        let mut wanted = [0.0; ACTUATORS];
        self.gain.add(state, &mut wanted);
        wanted.iter_mut().for_each(|u| *u = -*u);
        self.feed.add(targets, &mut wanted);
        commands.copy_from_slice(&wanted);
        (0..ACTUATORS).for_each(|i| state[8 + i] += (targets[i] - measured[i]) / RATE);
        self.filter.sent(filter, wanted);
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        Box::new(self.clone())
    }
}
