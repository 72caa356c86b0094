//! Compensation: what to send to an actuator so that the specimen is where it should be, in time.
//!
//! **Must not be here:** actuators, the loop, limits of what may be sent.
//!
//! One file per method; `registry` lists them. A method states its parameters in SI units, whatever the sampling; [`Compensation::design`]
//! makes the [`Compensator`] of a sampling interval, [`Compensation::together`] that of all actuators of a rig. A method for one actuator is applied to [`Each`] of
//! them; a [`Multivariable`] one sees all targets and all measurements.
//!
//! [`Compensation::design`]: registry::Compensation::design
//! [`Compensation::together`]: registry::Compensation::together

mod alone;
pub mod ats;
pub mod decoupling;
mod each;
pub mod early;
pub mod early_decoupling;
pub mod feedforward;
pub mod fir;
pub mod gradient;
pub mod inverse;
pub mod none;
pub mod pi_lead;
pub mod polynomial;
pub mod registry;
mod riccati;

pub use each::Each;
pub use interfield_kernel::scheme::registry::{Argument, Arguments};
pub use registry::{COMPENSATIONS, Compensation, CompensationInfo, find};

use crate::signal::Differences;

/// When a compensator is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sampling {
    /// Samples every so many seconds.
    pub dt: f64,
    /// Samples from one target of the structure to the next, between which targets are on a straight line.
    pub every: usize,
}

impl From<f64> for Sampling {
    /// A target at every sample.
    fn from(dt: f64) -> Self {
        Sampling { dt, every: 1 }
    }
}

impl Sampling {
    /// Differences of targets for a delay, s: over the way from one target to the next, whose corners would else be spikes of the derivatives. Where targets are
    /// rare, over a quarter of the delay.
    fn differences(self, delay: f64) -> Differences {
        let most = (0.25 * delay.abs() / self.dt).round().min(self.every as f64);
        Differences::over(self.dt, most as usize)
    }
}

/// Most parameters of an actuator that a method adapts.
pub const ADAPTED: usize = 4;

/// A compensator at its sampling interval: parameters only, everything it has learned is in its memory.
pub trait Compensator: Send + Sync {
    /// Numbers it remembers from one sample to the next; all zeros for one that was never used.
    fn memory(&self) -> usize;

    /// What to send to the actuator, m. `target` is where the specimen should be now, `measured` the latest word of the displacement
    /// sensor. A measurement that is no number teaches it nothing; the specimen is then taken to be at its target.
    fn command(&self, memory: &mut [f64], target: f64, measured: f64) -> f64;

    /// Names of the parameters that it adapts, at most [`ADAPTED`], with their units; none where nothing is adapted.
    fn adapts(&self) -> &'static [&'static str] {
        &[]
    }

    /// Their values at present, from its memory. Does not allocate.
    fn adapted(&self, _memory: &[f64], _values: &mut [f64]) {}

    /// The linear compensator that it is before it has learned anything, for probes of stability.
    fn frozen(&self) -> Box<dyn Compensator>;

    /// What a careful colleague would remark about its parameters.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A compensator of all actuators of a rig, at its sampling interval: parameters only, everything it has learned is in its memory.
pub trait Multivariable: Send + Sync {
    /// Number of actuators: length of targets, measurements and commands.
    fn actuators(&self) -> usize;

    /// Numbers it remembers from one sample to the next; all zeros for one that was never used.
    fn memory(&self) -> usize;

    /// What to send to the actuators, m (rad). `targets` are where the actuators should be now, `measured` what their displacement sensors showed
    /// last; a measurement that is no number teaches nothing about its actuator. Every command is written.
    fn command(&self, memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]);

    /// Names of the parameters that it adapts for an actuator, at most [`ADAPTED`], with their units; none where nothing is adapted.
    fn adapts(&self, _actuator: usize) -> &'static [&'static str] {
        &[]
    }

    /// Their values at present, from its memory: a row of [`ADAPTED`] for each actuator. Does not allocate.
    fn adapted(&self, _memory: &[f64], _values: &mut [f64]) {}

    /// The linear compensator that it is before it has learned anything, for probes of stability.
    fn frozen(&self) -> Box<dyn Multivariable>;

    /// What a careful colleague would remark about its parameters.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
}

/// What the filters of a fit see of a measurement: where nothing is to be learned, the specimen is where it should be. So they go on through a pause,
/// and what follows is no jump, in which a fit would see an actuator without delay.
fn seen(measured: f64, target: f64) -> f64 {
    if measured.is_finite() { measured } else { target }
}

/// Cuts the next `count` numbers off a memory.
fn take<'a>(memory: &mut &'a mut [f64], count: usize) -> &'a mut [f64] {
    let (first, rest) = std::mem::take(memory).split_at_mut(count);
    *memory = rest;
    first
}

/// As [`take`], an array.
fn take_array<'a, const N: usize>(memory: &mut &'a mut [f64]) -> &'a mut [f64; N] {
    let (first, rest) =
        std::mem::take(memory).split_first_chunk_mut().expect("a memory as long as the compensator asked for");
    *memory = rest;
    first
}
