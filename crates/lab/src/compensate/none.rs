//! No compensation: the command is the target.

use super::Compensator;

/// Sends the target.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Uncompensated;

impl Compensator for Uncompensated {
    fn memory(&self) -> usize {
        0
    }
    fn command(&self, _memory: &mut [f64], target: f64, _measured: f64) -> f64 {
        target
    }
    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(*self)
    }
}
