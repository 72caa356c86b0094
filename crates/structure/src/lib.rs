//! From a [`Model`](interfield_language::Model) to a [`Simulation`]: assembled, cut, with specimens on their rigs, watched.
//!
//! ```text
//! Model --assemble--> Structure (one part, or several with cuts) --start--> Simulation
//! ```
//!
//! Everything up to the [`Simulation`] may allocate and collects all mistakes; from there on nothing
//! allocates and every failure is a [`Fault`](interfield_kernel::Fault).
//! **Must not be here:** text, file access, terminals, integration and coupling formulas.

pub mod advice;
pub mod assemble;
pub mod assembled;
pub mod blueprint;
pub mod budget;
pub mod capacity;
pub mod carried;
pub mod channels;
pub mod checkpoint;
mod damping;
mod definite;
pub mod elastic;
mod energy;
pub mod external;
mod faults;
mod gravity;
pub mod harmonic;
mod interface;
mod landing;
pub mod learning;
pub mod linearised;
pub mod modal;
pub mod preparation;
pub mod pushover;
mod ranks;
mod reduce;
mod restraint;
pub mod simulation;
pub mod specimen;
pub mod split;
mod structure;
pub mod walk;
pub mod watch;

pub use assemble::{Assembly, assemble};
pub use assembled::Assembled;
pub use checkpoint::Checkpoint;
pub use harmonic::Harmonic;
pub use modal::Modal;
pub use preparation::Preparation;
pub use reduce::estimate::Shown;
pub use simulation::Simulation;
pub use structure::Structure;
