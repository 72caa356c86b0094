//! From a [`Model`](interfield_language::Model) to a [`Simulation`]: assembled, cut, with specimens on their rigs, watched.
//!
//! ```text
//! Model --assemble--> Assembled (kernel System) --> Simulation
//! ```
//!
//! Everything up to the [`Simulation`] may allocate and collects all mistakes; from there on nothing
//! allocates and every failure is a [`Fault`](interfield_kernel::Fault).
//! **Must not be here:** text, file access, terminals, integration and coupling formulas.

pub mod advice;
pub mod assemble;
pub mod assembled;
mod damping;
mod definite;
mod energy;
pub mod external;
mod landing;
pub mod linearised;
pub mod machine;
pub mod modal;
pub mod partitioned;
pub mod simulation;
pub mod specimen;
pub mod split;
pub mod watch;

pub use assemble::{Assembly, assemble};
pub use assembled::Assembled;
pub use machine::Machine;
pub use modal::Modal;
pub use partitioned::Partitioned;
pub use simulation::Simulation;
