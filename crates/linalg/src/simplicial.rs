//! Own sparse factorisation without pivoting: `L D Lᵀ` for symmetric, `L D U` for unsymmetric values.
//!
//! Static ordering, so the memory is known in advance and nothing is allocated later. Pivots may have any sign; only a
//! pivot lost to cancellation is an error. A regular indefinite or unsymmetric matrix can still fail (or lose digits)
//! where elimination without row exchanges must: the matrices of time stepping have dominant, positive pivots.

use crate::Pattern;
use crate::kernels::{self, Workspace};
use crate::symbolic::Symbolic;

/// Symbolic analysis, factor and work space.
#[derive(Clone, Debug)]
pub(crate) struct Simplicial {
    symbolic: Symbolic,
    lower: Vec<f64>,
    /// Transposed `U`; empty for symmetric values.
    upper: Vec<f64>,
    inverse: Vec<f64>,
    space: Workspace,
    /// Permuted right-hand side; empty when the ordering is the identity.
    permuted: Vec<f64>,
    general: bool,
}

impl Simplicial {
    pub(crate) fn new(symbolic: Symbolic, general: bool) -> Simplicial {
        Simplicial {
            lower: vec![0.0; symbolic.values_len],
            upper: vec![0.0; if general { symbolic.values_len } else { 0 }],
            inverse: vec![0.0; symbolic.n()],
            space: Workspace::new(&symbolic, general),
            permuted: vec![0.0; symbolic.order.len()],
            symbolic,
            general,
        }
    }

    pub(crate) fn analyse(pattern: &Pattern, general: bool) -> Simplicial {
        Simplicial::new(Symbolic::new(pattern), general)
    }

    /// Symbolic analysis, and the values of L, U (empty for symmetric values) and the inverse pivots.
    pub(crate) fn parts(&self) -> (&Symbolic, [&[f64]; 3]) {
        (&self.symbolic, [&self.lower, &self.upper, &self.inverse])
    }

    pub(crate) fn ordering(&self) -> &'static str {
        self.symbolic.ordering
    }

    /// Stored entries of the factor: both triangles where both are stored, and the pivots.
    pub(crate) fn entries(&self) -> usize {
        self.lower.len() + self.upper.len() + self.inverse.len()
    }

    /// Arithmetic operations of one solution.
    pub(crate) fn solve_flops(&self) -> usize {
        4 * self.lower.len() + self.inverse.len()
    }

    /// Factorises; the error is the failing row in the original numbering.
    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        let (inverse, space) = (&mut self.inverse, &mut self.space);
        let done = if self.general {
            kernels::factorize_general(&self.symbolic, values, (&mut self.lower, &mut self.upper), inverse, space)
        } else {
            kernels::factorize_symmetric(&self.symbolic, values, &mut self.lower, inverse, space)
        };
        done.map_err(|k| self.symbolic.original(k))
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let upper = if self.general { &self.upper } else { &self.lower };
        let order = &self.symbolic.order;
        if order.is_empty() {
            kernels::solve(&self.symbolic, &self.lower, upper, &self.inverse, b);
            return;
        }
        for (x, &old) in self.permuted.iter_mut().zip(order) {
            *x = b[old as usize];
        }
        kernels::solve(&self.symbolic, &self.lower, upper, &self.inverse, &mut self.permuted);
        for (&x, &old) in self.permuted.iter().zip(order) {
            b[old as usize] = x;
        }
    }

    /// Number of negative pivots. By Sylvester's law of inertia this is the number of negative eigenvalues of a symmetric
    /// matrix.
    pub(crate) fn negative_pivots(&self) -> usize {
        self.inverse.iter().filter(|&&d| d < 0.0).count()
    }
}
