//! What a factor is made of, for programs that print it instead of running it.

use crate::factor::{Factor, Inner};
use crate::kernels::pivot_tolerance;
use crate::simplicial::Simplicial;
use crate::symbolic::Symbolic;
use crate::{Kind, Pattern};

/// A factor laid open.
#[derive(Clone, Debug)]
pub enum Blueprint {
    /// Inverse of each entry of the diagonal.
    Diagonal(Vec<f64>),
    /// The stored inverse, by columns.
    Inverse(Vec<f64>),
    /// Factorised dense: `L D Lᵀ` first if the values are symmetric, else LU with row exchanges.
    #[allow(missing_docs)]
    Dense { symmetric: bool },
    /// Sparse `L D U` without pivoting.
    Sparse(Box<Sparse>),
}

/// A sparse factor: columns in panels that share one list of rows.
#[derive(Clone, Debug)]
pub struct Sparse {
    /// Whether `U` is stored too.
    pub general: bool,
    /// `order[new] = old`; empty for the identity.
    pub order: Vec<u32>,
    /// First column, width, start and number of its rows, start of its values.
    pub panels: Vec<[u32; 5]>,
    /// Rows of all panels.
    pub rows: Vec<u32>,
    /// Length of the values of one triangle.
    pub values_len: usize,
    /// Compressed rows: the panels left of each row that have an entry in it.
    pub row_panels_ptr: Vec<u32>,
    /// The panels of these.
    pub row_panels: Vec<u32>,
    /// For each of these, how many rows of the panel come before.
    pub row_panels_filled: Vec<u32>,
    /// Panel of each column.
    pub panel_of: Vec<u32>,
    /// Compressed rows: strictly lower entries of the permuted matrix.
    pub lower_ptr: Vec<u32>,
    /// Column, position of the entry and of its mirror image in the values of the matrix.
    pub lower: Vec<[u32; 3]>,
    /// Positions of the diagonal.
    pub diagonal: Vec<u32>,
    /// Share of its terms that a pivot must exceed.
    pub tolerance: f64,
    /// `L`, `Uᵀ` if general, inverse pivots.
    pub values: Vec<f64>,
}

impl Factor {
    /// Lays the factor of a matrix with these values open. A supernodal factor is laid open as the sparse one of the same
    /// matrix; its solutions agree to rounding. `None` if that one has no usable pivot.
    pub fn blueprint(&self, pattern: &Pattern, values: &[f64]) -> Option<Blueprint> {
        Some(match self.inner() {
            Inner::Diagonal(x) => Blueprint::Diagonal(x.inverse().to_vec()),
            Inner::Inverse(x) => Blueprint::Inverse(x.columns().to_vec()),
            Inner::Dense(x) => Blueprint::Dense { symmetric: x.symmetric() },
            Inner::Simplicial(x) => Blueprint::Sparse(Box::new(lay_open(x))),
            Inner::Supernodal(_) => {
                let mut sparse = Simplicial::analyse(pattern, self.kind() == Kind::General);
                sparse.factorize(values).ok()?;
                Blueprint::Sparse(Box::new(lay_open(&sparse)))
            }
        })
    }
}

fn lay_open(factor: &Simplicial) -> Sparse {
    let (s, [lower, upper, inverse]) = factor.parts();
    let mut filled = vec![0u32; s.panels.len()];
    let mut next = |&p: &u32| {
        filled[p as usize] += 1;
        filled[p as usize] - 1
    };
    Sparse {
        general: !upper.is_empty(),
        order: s.order.clone(),
        panels: s.panels.iter().map(|p| [p.first, p.width, p.rows, p.rows_len, p.values]).collect(),
        rows: s.rows.clone(),
        values_len: s.values_len,
        row_panels_ptr: s.row_panels_ptr.clone(),
        row_panels_filled: s.row_panels.iter().map(&mut next).collect(),
        row_panels: s.row_panels.clone(),
        panel_of: s.panel_of.clone(),
        lower_ptr: s.lower_ptr.clone(),
        lower: s.lower.iter().map(|e| [e.column, e.source, e.mirror]).collect(),
        diagonal: s.diagonal.clone(),
        tolerance: pivot_tolerance(Symbolic::n(s)),
        values: [lower, upper, inverse].concat(),
    }
}
