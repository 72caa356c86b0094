//! What runs inside the time-stepping loop: integration schemes, element laws and the seams between
//! them.
//!
//! **Must not be here:** the standard library, allocation, `unsafe`, clocks, threads, files, sockets,
//! text parsing, or a dependency other than `libm`. Memory is always handed in by the caller; errors
//! are small `Copy` values ([`Fault`]); everything a step remembers lives in one slice of numbers.
//!
//! The canonical form of every substructure is
//!
//! ```text
//! M v' + r(u, v, s, t) = 0,    u' = v,    s' = g(u, v, s, t)
//! ```
//!
//! with the external load inside `r` (with a minus sign), so that a computed and a measured force have
//! one meaning. See [`System`] for what a scheme may ask of it.
#![no_std]
#![forbid(unsafe_code)]

pub mod archive;
pub mod domain;
pub mod element;
pub mod expr;
pub mod fault;
pub mod frame;
pub mod laws;
pub mod portable;
pub mod scalar;
pub mod scheme;
pub mod system;
pub mod uniaxial;

pub use archive::{Archive, Persist, StateError};
pub use domain::{Domain, StepMap};
pub use fault::Fault;
pub use laws::SlowLaws;
pub use scalar::{Dual, Lanes, Portable, Scalar};

pub use scheme::Scheme;
pub use system::{Dims, Mck, Point, Shift, System};
