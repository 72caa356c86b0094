//! How a rig is driven: what a controller is told before the test.

use std::sync::Arc;

use super::force::Hold;
use crate::compensate::Multivariable;
use crate::guard::Envelope;

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

/// What the controller does when a target is not there in time, after it has run out smoothly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissPolicy {
    /// The specimen waits, and the whole schedule with it.
    Hold,
    /// What is left of the way takes what is left of the time: it catches up.
    Extrapolate,
    /// The test ends.
    Abort,
    /// Nothing is late: whoever computes the structure keeps no time, and every way ends at rest.
    Wait,
}

/// Where a test leaves its specimen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Home {
    /// Where it stood at the start. A specimen that has yielded carries a force there.
    Displacement,
    /// Where it carries no force: it is unloaded by its stiffness.
    Force,
    /// Where it is.
    Hold,
}

impl Home {
    /// By the names of a model file.
    pub const ALL: [(Home, &str); 3] =
        [(Home::Displacement, "displacement"), (Home::Force, "force"), (Home::Hold, "hold")];
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
    /// Shortest time of the ways to the start and home, s.
    pub ramp: f64,
    /// Longest hold before returning, s.
    pub patience: f64,
    /// What a late target does.
    pub miss: MissPolicy,
    /// How long a late target is bridged before the test holds, s.
    pub bridge: f64,
    /// In what time a motion is braked for a hold or on the way home, s.
    pub brake: f64,
    /// Where the specimen is left.
    pub home: Home,
    /// Samples, from which on and how many, in which no target comes: on purpose, to rehearse a machine that stalls.
    pub stalls: Vec<[u64; 2]>,
    /// Of all actuators.
    pub compensator: Arc<dyn Multivariable>,
    /// One per actuator.
    pub calibration: Vec<Calibration>,
    /// What each actuator may be sent.
    pub envelopes: Vec<Envelope>,
    /// Stiffness of the specimen at rest per actuator, N/m: where the online estimate starts.
    pub stiffness: Vec<f64>,
    /// Actuators that hold inner degrees of freedom, which are the last ones of the kinematics: one for each.
    pub holds: Vec<Hold>,
    /// Inner degrees of freedom that no actuator moves.
    pub free: usize,
    /// Stiffness between piston and specimen per actuator, N/m; infinite: rigid.
    pub mounts: Vec<f64>,
    /// Time constant with which redundant actuators take internal forces back, s; none: none are redundant.
    pub sharing: Option<f64>,
}

impl Plan {
    /// A time in samples, at least one.
    pub(super) fn samples(&self, time: f64) -> f64 {
        (time / self.period).ceil().clamp(1.0, 1e12)
    }
}
