//! Where substructures touch: the signed Boolean matrices L of all sides, row by row.
//!
//! Convention throughout this crate (paper 003; papers 000 to 002 write -Λ; book: partitioned 1.1):
//!
//! ```text
//! M a + r(u, v, s, t) + Lᵀ Λ = 0   on every side,     Σ L v = 0
//! ```

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Scheme, System};

use crate::ranks::Ranks;

/// One entry of L: constraint `row` reads unknown `dof` of its side with this sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Port {
    /// Constraint.
    pub row: usize,
    /// Unknown of the side.
    pub dof: usize,
    /// +1 on one side of the cut, -1 on the other.
    pub sign: f64,
}

/// A substructure as a coupling takes it.
#[derive(Clone, Debug)]
pub struct Substructure<S> {
    /// What is integrated.
    pub system: S,
    /// Initial [u v s].
    pub y0: Vec<f64>,
    /// With what.
    pub scheme: AnyScheme,
    /// Steps per macro-step.
    pub substeps: usize,
    /// Whether it stands on the fine side B, which exchanges multipliers at every substep and is never rewound: where a
    /// specimen belongs. The others form the coarse side A.
    pub fine: bool,
    /// Its entries of L.
    pub ports: Vec<Port>,
}

impl<S: System> Substructure<S> {
    /// Its scheme, in the form for a mass matrix that never changes if its does not.
    pub(crate) fn settled_scheme(&self) -> AnyScheme {
        let lasting = if self.system.changes_mass() { None } else { self.scheme.lasting() };
        lasting.unwrap_or(self.scheme)
    }
}

/// Substructures to be coupled.
#[derive(Clone, Debug)]
pub struct Assembly<S> {
    /// The substructures, the coarse ones first by convention of the model file.
    pub substructures: Vec<Substructure<S>>,
    /// Number of constraints, rows of L.
    pub rows: usize,
    /// Macro-step, s.
    pub dt: f64,
    /// Which process has which of them.
    pub ranks: Ranks,
}
