//! From a model file to a system that steps: reading, checking, assembling.
//!
//! ```text
//! text --parse--> Model (SI, names resolved) --assemble--> Assembled (kernel System) --> Simulation
//! ```
//!
//! Everything up to the [`Simulation`] may allocate and collects all mistakes; from there on nothing
//! allocates and every failure is a [`Fault`](interfield_kernel::Fault).
//! **Must not be here:** file access, terminals, integration formulas.

pub mod advice;
pub mod assemble;
pub mod assembled;
pub mod checkpoint;
mod damping;
mod definite;
pub mod diag;
pub mod document;
mod energy;
pub mod external;
pub mod format;
pub mod formula;
pub mod include;
pub mod integral;
pub mod jet;
mod landing;
pub mod linearised;
pub mod machine;
pub mod matrix_market;
pub mod modal;
pub mod model;
pub mod parse;
pub mod partition;
pub mod partitioned;
mod print;
pub mod quantity;
pub mod reader;
pub mod schema;
pub mod signal;
pub mod simulation;
pub mod specimen;
pub mod units;
pub mod watch;

pub use assemble::{Assembly, assemble};
pub use assembled::Assembled;
pub use checkpoint::Checkpoint;
pub use machine::Machine;
pub use modal::Modal;
pub use model::Model;
pub use partitioned::Partitioned;
pub use simulation::Simulation;
