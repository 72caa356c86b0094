//! Partitioned time integration: substructures, each with its own scheme and step, joined by Lagrange multipliers, without
//! iterating, because a specimen cannot be rewound.
//!
//! A coupling is a schedule over sides and knows no scheme and no structure: one file per published algorithm.
//! It is a [`StepMap`](interfield_kernel::StepMap) of its complete state, so that everything that can be learned by
//! stepping (stability, order) is learned of couplings as of schemes.
//! **Must not be here:** models, names, files, clocks, sleeping; a lock or an allocation inside a step.

pub mod blueprint;
mod condensed;
mod coupled;
pub mod fine;
mod flexibility;
mod foh;
mod gap;
mod gc;
pub mod interface;
mod law_gap;
mod llm;
mod localized;
mod memory;
mod midpoint;
mod pair;
mod parallel;
mod pm;
mod pmc;
mod ported;
mod psl;
pub mod quality;
pub mod ranks;
pub mod registry;
pub mod side;
mod single;
mod slow;
mod staged;
mod staged_pair;
mod staggered;
mod start_up;
mod statics;
mod tie;

pub use coupled::{Coupling, TwoSided};
pub use flexibility::Flexibility;
pub use foh::{Foh, FohOptions, Guess};
pub use gc::{Gc, GcOptions};
pub use interface::{Assembly, Port, Substructure};
pub use llm::{Llm, Start};
pub use localized::{Driven, Imposed, Localized, Rate};
pub use midpoint::{Midpoint, MidpointOptions};
pub use pair::exchanges;
pub use parallel::{Parallel, ParallelOptions};
pub use pm::{Pm, PmOptions};
pub use pmc::{Pmc, PmcOptions};
pub use psl::{Psl, PslOptions};
pub use ranks::{Channel, Exchange, Ranks};
pub use registry::{CouplingMethod, Options, Parts};
pub use single::Single;
pub use staggered::{Staggered, StaggeredOptions};
pub use tie::Tie;

use std::fmt;

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
    /// The multiplier of this constraint moves nothing; or the unknown it holds has no mass, in a substructure that makes
    /// several steps between two exchanges.
    #[allow(missing_docs)]
    Rigid { row: usize },
    /// The multiplier of this constraint moves a side against itself within a step, or without bound: a scheme beyond its
    /// limit of stability.
    #[allow(missing_docs)]
    Reversed { row: usize },
    /// The coupling does not do what was asked for; what and why, in words.
    Unsuitable(String),
}

impl CouplingError {
    /// The same about constraints that are counted from `first` on.
    fn shifted(self, first: usize) -> Self {
        match self {
            CouplingError::Redundant { rows } => {
                CouplingError::Redundant { rows: rows.iter().map(|row| first + row).collect() }
            }
            CouplingError::Rigid { row } => CouplingError::Rigid { row: first + row },
            CouplingError::Reversed { row } => CouplingError::Reversed { row: first + row },
            other => other,
        }
    }
}

impl fmt::Display for CouplingError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CouplingError::Fault(Located { substructure, fault }) => {
                let why = match fault {
                    Fault::NonFinite { .. } => "a number is not finite",
                    Fault::Singular { .. } => "its dynamic matrix is singular or not positive definite",
                    Fault::SingularElement { .. } => "the states of an element cannot be eliminated",
                    Fault::NoConvergence { .. } => "Newton's iteration does not converge",
                    Fault::Laboratory { .. } => "its laboratory has ended the test",
                    Fault::Partner { .. } => "a program that computes a part of it returned no force",
                    Fault::Rank { .. } => "another rank has ended",
                };
                write!(f, "substructure {substructure} (counted from 0) cannot be started: {why}")
            }
            CouplingError::Redundant { rows } => write!(
                f,
                "the constraints {rows:?} (counted from 0) are redundant: omit one of them, or use localized \
                    multipliers"
            ),
            CouplingError::Rigid { row } => {
                write!(
                    f,
                    "the multiplier of constraint {row} (counted from 0) acts on no mass: give its unknowns a \
                    mass"
                )
            }
            CouplingError::Reversed { row } => write!(
                f,
                "the multiplier of constraint {row} (counted from 0) acts on a side whose scheme is unstable at this \
                    step: use smaller steps, or another scheme"
            ),
            CouplingError::Unsuitable(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for CouplingError {}
