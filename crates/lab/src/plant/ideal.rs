//! The ideal actuator. Velocities and accelerations are differences of what was reached.

use super::{Actuator, Reached, Specimen};

/// Is where the command is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ideal {
    dt: f64,
}

impl Ideal {
    /// Sampled every `dt` seconds.
    pub fn new(dt: f64) -> Self {
        Ideal { dt }
    }
}

/// Position and velocity of the last sample.
const MOTION: usize = 2;

impl Actuator for Ideal {
    fn memory(&self) -> usize {
        MOTION
    }
    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let x = command[1];
        let v = (x - memory[0]) / self.dt;
        let a = (v - memory[1]) / self.dt;
        memory[..MOTION].copy_from_slice(&[x, v]);
        Reached::imposed(x, v, a, specimen)
    }
}
