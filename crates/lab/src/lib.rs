//! The laboratory: what stands between a command and a measured force, real or emulated, and the loop that drives it.
//!
//! **Must not be here:** model files, coupling and integration formulas, plots, terminals.
//!
//! A block (a filter, an actuator, a sensor, a compensator) holds parameters only; what it remembers from one sample to
//! the next is a slice of numbers handed in, all zeros for a block that was never used. The memory of a whole emulated
//! laboratory is thereby one slice, part of the complete state of the loop, and the loop can be probed like any scheme.
#![forbid(unsafe_code)]

pub mod benchmark;
pub mod compensate;
pub mod controller;
pub mod emulate;
pub mod fieldbus;
pub mod fixture;
pub mod guard;
pub mod hardware;
pub mod identify;
pub mod indicators;
pub mod kinematics;
pub mod marths;
pub mod paced;
pub mod partner;
pub mod plant;
pub mod random;
pub mod realtime;
pub mod recorded;
pub mod rig;
pub mod safety;
pub mod sensing;
pub mod signal;
pub mod stiffness;
pub mod verdict;
pub mod vrths;
