//! How a rig is driven: what a controller is told before the test.

use std::sync::Arc;

use crate::compensate::Compensator;

/// Calibration of one actuator: instrument = gain · physical + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Calibration {
    /// Of the command.
    pub command: [f64; 2],
    /// Of the displacement sensor.
    pub displacement: [f64; 2],
    /// Of the load cell.
    pub force: [f64; 2],
}

impl Default for Calibration {
    /// Instruments that speak metres and newtons.
    fn default() -> Self {
        Calibration { command: [1.0, 0.0], displacement: [1.0, 0.0], force: [1.0, 0.0] }
    }
}

/// What the controller does when a target is not there in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissPolicy {
    /// The specimen waits, and the whole schedule with it.
    Hold,
    /// The command goes on as it went, and catches up.
    Extrapolate,
    /// The test ends.
    Abort,
}

/// How a rig is driven.
#[derive(Clone)]
pub struct Plan {
    /// Sampling interval of the controller, s.
    pub period: f64,
    /// Seconds in the laboratory per second of the model.
    pub time_scale: f64,
    /// Structure over specimen in length; forces by its square.
    pub scale: f64,
    /// Time of the way to the initial displacement and back at the end, s.
    pub ramp: f64,
    /// Longest hold before ramping down, s.
    pub patience: f64,
    /// What a late target does.
    pub miss: MissPolicy,
    /// One per actuator.
    pub compensators: Vec<Arc<dyn Compensator>>,
    /// One per actuator.
    pub calibration: Vec<Calibration>,
    /// Stiffness of the specimen at rest per actuator, N/m: where the online estimate starts.
    pub stiffness: Vec<f64>,
}
