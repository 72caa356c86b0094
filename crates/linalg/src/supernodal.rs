//! Own supernodal sparse `L D Lᵀ` for large symmetric matrices: dense blocks, pivots of any sign, no pivoting.
//!
//! The bits of factor and solution do not depend on the number of cores.

use crate::Pattern;
use crate::front::warm_up;
use crate::kernels::pivot_tolerance;
use crate::multifrontal::{Target, Workspace, factorize, factorize_on_all_cores};
use crate::ordering::Ordering;
use crate::packed::Panel;
use crate::substitution::{backward, forward};
use crate::tree::Tree;

/// Symbolic analysis, factor and work space.
pub(crate) struct Supernodal {
    tree: Tree,
    lower: Vec<f64>,
    /// Inverse pivots.
    inverse: Vec<f64>,
    space: Workspace,
    /// Permuted right-hand side, and the vector of one node.
    permuted: Vec<f64>,
    dense: Vec<f64>,
}

impl Supernodal {
    /// Analyses the pattern; `None` if a block does not fit 32-bit indices.
    pub(crate) fn new(pattern: &Pattern) -> Option<Supernodal> {
        Supernodal::with_order(pattern, &Ordering::best(pattern))
    }

    pub(crate) fn with_order(pattern: &Pattern, ordering: &Ordering) -> Option<Supernodal> {
        let tree = Tree::new(pattern, ordering)?;
        let n = pattern.n();
        let height = tree.nodes.iter().map(|node| node.height()).max().unwrap_or(0);
        // Pages that no factorisation in the loop touches cost nothing.
        let space = Workspace::new(&tree, 0..tree.nodes.len());
        warm_up();
        Some(Supernodal {
            lower: vec![0.0; tree.values_len],
            inverse: vec![0.0; n],
            space,
            permuted: vec![0.0; n],
            dense: vec![0.0; height],
            tree,
        })
    }

    /// Factorises, on one core without allocating or on all of them with the same bits; the error is a row whose pivot is lost, in the original numbering.
    pub(crate) fn factorize(&mut self, values: &[f64], cores: bool) -> Result<(), usize> {
        let target = Target { lower: &mut self.lower, pivots: &mut self.inverse };
        let done = match cores {
            true => factorize_on_all_cores(&self.tree, values, target),
            false => factorize(&self.tree, values, target, &mut self.space),
        };
        done.and_then(|()| self.invert_pivots(values))
            .map_err(|k| self.tree.order.get(k).map_or(0, |&old| old as usize))
    }

    /// Inverts the pivots, and refuses those that are made of rounding errors: the same test as in the simplicial kernels.
    fn invert_pivots(&mut self, values: &[f64]) -> Result<(), usize> {
        let tolerance = pivot_tolerance(self.inverse.len());
        let definite = self.inverse.iter().all(|&d| d > 0.0);
        let sizes = &mut self.permuted;
        for ((size, &source), d) in sizes.iter_mut().zip(&self.tree.diagonal).zip(&self.inverse) {
            let a = values[source as usize];
            // Of a definite matrix a = d + Σ l² d, so the magnitudes that the pivot was made of are known.
            *size = if definite { 2.0 * a.abs() - d } else { a.abs() };
        }
        if !definite {
            for node in &self.tree.nodes {
                let block = &self.lower[node.values..];
                let (width, rows) = (node.width as usize, self.tree.rows(node));
                for panel in Panel::all(node) {
                    panel.each(block, |i, j, l| {
                        let (i, j) = (panel.first + i, panel.first + j);
                        let row = if i < width { node.first as usize + i } else { rows[i - width] as usize };
                        if i > j {
                            sizes[row] += l * l * self.inverse[node.first as usize + j].abs();
                        }
                    });
                }
            }
        }
        for (k, (d, size)) in self.inverse.iter_mut().zip(sizes).enumerate() {
            let pivot = *d;
            *d = 1.0 / pivot;
            if !(pivot.abs() > tolerance * *size && d.is_finite() && size.is_finite()) {
                return Err(k);
            }
        }
        Ok(())
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let x = &mut self.permuted;
        for (x, &old) in x.iter_mut().zip(&self.tree.order) {
            *x = b[old as usize];
        }
        for node in &self.tree.nodes {
            forward(&self.tree, node, &self.lower[node.values..], x, &mut self.dense);
        }
        for node in self.tree.nodes.iter().rev() {
            backward(&self.tree, node, &self.lower[node.values..], &self.inverse, x, &mut self.dense);
        }
        for (&x, &old) in x.iter().zip(&self.tree.order) {
            b[old as usize] = x;
        }
    }

    pub(crate) fn ordering(&self) -> &'static str {
        self.tree.ordering
    }

    /// Stored entries that a solution reads: the blocks without their upper triangles.
    pub(crate) fn entries(&self) -> usize {
        let triangle = |w: usize| w * (w - 1) / 2;
        self.lower.len() - self.tree.nodes.iter().map(|node| triangle(node.width as usize)).sum::<usize>()
    }

    /// Number of negative pivots, which is the number of negative eigenvalues (Sylvester's law of inertia).
    pub(crate) fn negative_pivots(&self) -> usize {
        self.inverse.iter().filter(|&&d| d < 0.0).count()
    }
}

impl std::fmt::Debug for Supernodal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supernodal").field("entries", &self.lower.len()).finish_non_exhaustive()
    }
}
