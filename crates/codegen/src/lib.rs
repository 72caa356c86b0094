//! A model and its integration as portable C99, and the wrappers that FMI, Simulink and TwinCAT want around it.
//!
//! ```text
//! Simulation --blueprint--> Subdomain --emit--> tables        laws --record--> C functions
//! schemes --print--> C functions, Stepping: their numbers     c/*.c: system, the same operations in the same order
//! ```
//!
//! **Must not be here:** the equations of an element (they are recorded from their one definition), files, terminals,
//! processes.

mod api;
pub mod cost;
mod frame;
mod harness;
pub mod inputs;
pub mod law;
mod measures;
pub mod outputs;
pub mod parameters;
mod record;
mod refusals;
mod simulation;
pub mod stepping;
pub mod subdomain;
mod text;
pub mod wrap;

pub use api::{Export, GENERATOR, Interface, Measure, Origin, Variable};
pub use record::Operations;
pub use refusals::export;
pub use text::identifier;
