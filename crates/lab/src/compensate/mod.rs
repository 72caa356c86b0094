//! Compensation: what to send to an actuator so that the specimen is where it should be, in time.
//!
//! **Must not be here:** actuators, the loop, limits of what may be sent.
//!
//! One file per method; `registry` lists them. A method states its parameters in SI units, whatever the sampling; [`Compensation::design`]
//! makes the [`Compensator`] of a sampling interval.
//!
//! [`Compensation::design`]: registry::Compensation::design

pub mod ats;
pub mod early;
pub mod feedforward;
pub mod fir;
pub mod gradient;
pub mod inverse;
mod least_squares;
pub mod none;
pub mod pi_lead;
pub mod polynomial;
pub mod registry;

pub use interfield_kernel::scheme::registry::{Argument, Arguments};
pub use registry::{COMPENSATIONS, Compensation, CompensationInfo, find};

/// A compensator at its sampling interval: parameters only, everything it has learned is in its memory.
pub trait Compensator: Send + Sync {
    /// Numbers it remembers from one sample to the next; all zeros for one that was never used.
    fn memory(&self) -> usize;

    /// What to send to the actuator, m. `target` is where the specimen should be now, `measured` the latest word of the displacement
    /// sensor. A measurement that is no number teaches it nothing.
    fn command(&self, memory: &mut [f64], target: f64, measured: f64) -> f64;

    /// The linear compensator that it is before it has learned anything, for probes of stability.
    fn frozen(&self) -> Box<dyn Compensator>;

    /// What a careful colleague would remark about its parameters.
    fn warnings(&self) -> Vec<String> {
        Vec::new()
    }
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
