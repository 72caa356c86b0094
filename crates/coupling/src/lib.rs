//! Partitioned time integration: substructures, each with its own scheme and step, joined by Lagrange multipliers, without
//! iterating, because a specimen cannot be rewound.
//!
//! A coupling is a schedule over sides and knows no scheme and no structure: one file per published algorithm.
//! It is a [`StepMap`](interfield_kernel::StepMap) of its complete state, so that everything that can be learned by
//! stepping (stability, order) is learned of couplings as of schemes.
//! **Must not be here:** models, names, files, clocks, sleeping; a lock or an allocation inside a step.

mod coupled;
mod crew;
pub mod fine;
mod flexibility;
mod foh;
mod gap;
mod gc;
pub mod interface;
mod midpoint;
mod pair;
mod parallel;
mod pm;
mod pmc;
mod ported;
pub mod quality;
pub mod registry;
pub mod side;
mod staged;
mod staged_pair;
mod staggered;
mod start_up;

pub use coupled::{Coupling, TwoSided};
pub use foh::{Foh, FohOptions, Guess};
pub use gc::Gc;
pub use interface::{Assembly, Port, Substructure};
pub use midpoint::Midpoint;
pub use parallel::Parallel;
pub use pm::Pm;
pub use pmc::{Pmc, PmcOptions};
pub use registry::Method;
pub use staggered::Staggered;

use interfield_kernel::Fault;

/// A fault, and the substructure in which it happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located {
    /// Substructure, in the order of [`Assembly::substructures`].
    pub substructure: usize,
    /// The fault.
    pub fault: Fault,
}

/// Why substructures cannot be coupled.
#[derive(Clone, Debug, PartialEq)]
pub enum CouplingError {
    /// A substructure cannot be started.
    Fault(Located),
    /// These constraints say the same thing more than once.
    #[allow(missing_docs)]
    Redundant { rows: Vec<usize> },
    /// The multiplier of this constraint moves nothing: no mass on either side.
    #[allow(missing_docs)]
    Rigid { row: usize },
    /// The coupling does not do what was asked for; what and why, in words.
    Unsuitable(String),
}
