//! Methods for one actuator, applied to each actuator of a rig by itself.

use super::{ADAPTED, Compensator, Multivariable};

/// One compensator per actuator. Memory: theirs, one after the other.
pub struct Each(Vec<Box<dyn Compensator>>);

impl Each {
    /// These, in the order of the actuators.
    pub fn new(compensators: Vec<Box<dyn Compensator>>) -> Self {
        Each(compensators)
    }
}

impl Multivariable for Each {
    fn actuators(&self) -> usize {
        self.0.len()
    }

    fn memory(&self) -> usize {
        self.0.iter().map(|c| c.memory()).sum()
    }

    fn command(&self, mut memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        for (i, compensator) in self.0.iter().enumerate() {
            let (own, rest) = memory.split_at_mut(compensator.memory());
            memory = rest;
            commands[i] = compensator.command(own, targets[i], measured[i]);
        }
    }

    fn adapts(&self, actuator: usize) -> &'static [&'static str] {
        self.0.get(actuator).map_or(&[], |c| c.adapts())
    }

    fn adapted(&self, mut memory: &[f64], values: &mut [f64]) {
        for (compensator, values) in self.0.iter().zip(values.chunks_exact_mut(ADAPTED)) {
            let (own, rest) = memory.split_at(compensator.memory());
            memory = rest;
            compensator.adapted(own, values);
        }
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        Box::new(Each(self.0.iter().map(|c| c.frozen()).collect()))
    }

    fn warnings(&self) -> Vec<String> {
        self.0.iter().flat_map(|c| c.warnings()).collect()
    }
}
