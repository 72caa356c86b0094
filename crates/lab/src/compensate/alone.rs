//! A multi-variable method for a single actuator.

use super::{Compensator, Multivariable};

/// A compensator of all actuators, of which there is one.
pub(super) struct Alone(pub(super) Box<dyn Multivariable>);

impl Compensator for Alone {
    fn memory(&self) -> usize {
        self.0.memory()
    }

    fn command(&self, memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let mut command = [target];
        self.0.command(memory, &[target], &[measured], &mut command);
        command[0]
    }

    fn adapts(&self) -> &'static [&'static str] {
        self.0.adapts(0)
    }

    fn adapted(&self, memory: &[f64], values: &mut [f64]) {
        self.0.adapted(memory, values);
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(Alone(self.0.frozen()))
    }

    fn warnings(&self) -> Vec<String> {
        self.0.warnings()
    }
}
