//! Own supernodal sparse factorisation for large matrices, `L D Lᵀ` of symmetric and `L D U` of unsymmetric values: dense
//! blocks, pivots of any sign, no pivoting.
//!
//! The bits of factor and solution do not depend on the number of cores.

use std::sync::Arc;

use crate::Pattern;
use crate::front::{PANEL, warm_up};
use crate::kernels::pivot_tolerance;
use crate::multifrontal::{Target, Workspace, factorize, factorize_on_all_cores};
use crate::ordering::Ordering;
use crate::packed::Panel;
use crate::substitution::{Blocks, Vectors};
use crate::team::Team;
use crate::tree::{Node, Tree};
use crate::watch::{Stage, Watch};

/// Symbolic analysis, factor and work space.
pub(crate) struct Supernodal {
    /// Alone its owner while it is changed.
    blocks: Arc<Blocks>,
    space: Workspace,
    vectors: Vectors,
    /// Threads that share solutions.
    team: Option<Team>,
}

impl Supernodal {
    /// Analyses the pattern; `None` if a block does not fit 32-bit indices.
    pub(crate) fn new(pattern: &Pattern, general: bool) -> Option<Supernodal> {
        Supernodal::with_order(pattern, &Ordering::best(pattern, &Watch::default()), general)
    }

    pub(crate) fn with_order(pattern: &Pattern, ordering: &Ordering, general: bool) -> Option<Supernodal> {
        Tree::new(pattern, ordering, general).map(|tree| Supernodal::of_tree(Arc::new(tree), general))
    }

    /// Reserves the memory of an analysis.
    pub(crate) fn of_tree(tree: Arc<Tree>, general: bool) -> Supernodal {
        // Pages that no factorisation in the loop touches cost nothing.
        let space = Workspace::new(&tree, 0..tree.nodes.len());
        warm_up();
        Supernodal { space, vectors: Vectors::new(&tree), team: None, blocks: Arc::new(Blocks::new(tree, general)) }
    }

    /// Numbers that a factorisation works with beside the factor.
    pub(crate) fn work(tree: &Tree) -> usize {
        tree.stack(0..tree.nodes.len()) + tree.nodes.iter().map(Node::height).max().unwrap_or(0) * PANEL
    }

    /// Lets so many threads share every solution from now on, where that is faster: they wait for it, and are gone with the
    /// factor. The bits stay the same. Returns how many there are, with the caller.
    pub(crate) fn share(&mut self, threads: usize) -> usize {
        self.team = Team::new(&self.blocks.tree, threads);
        self.threads()
    }

    pub(crate) fn threads(&self) -> usize {
        self.team.as_ref().map_or(1, Team::threads)
    }

    /// Factorises, on one core without allocating, or with somebody who watches on all of them with the same bits; the error is a row whose pivot is lost, in the original numbering.
    pub(crate) fn factorize(&mut self, values: &[f64], watch: Option<&Watch>) -> Result<(), usize> {
        self.team.iter_mut().for_each(Team::release);
        // Nobody else has it now: threads give it back before a solution ends.
        let Some(blocks) = Arc::get_mut(&mut self.blocks) else { return Err(0) };
        let Blocks { tree, lower, upper, inverse } = blocks;
        let target = Target { lower, upper, pivots: inverse };
        let done = match watch {
            Some(watch) => {
                watch.begin(Stage::Factorising, tree.roots.iter().map(|&r| tree.nodes[r as usize].products).sum());
                let done = factorize_on_all_cores(tree, values, target, watch);
                watch.end();
                done
            }
            None => factorize(tree, values, target, &mut self.space),
        };
        done.and_then(|()| invert_pivots(blocks, values, &mut self.vectors.x))
            .map_err(|k| blocks.tree.order.get(k).map_or(0, |&old| old as usize))
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let tree = &self.blocks.tree;
        for (x, &old) in self.vectors.x.iter_mut().zip(&tree.order) {
            *x = b[old as usize];
        }
        match &mut self.team {
            Some(team) => team.solve(&self.blocks, &mut self.vectors),
            None => {
                self.blocks.forward(0..tree.nodes.len(), &mut self.vectors);
                self.blocks.backward(0..tree.nodes.len(), &mut self.vectors);
            }
        }
        for (&x, &old) in self.vectors.x.iter().zip(&tree.order) {
            b[old as usize] = x;
        }
    }

    /// The factor in words.
    pub(crate) fn words(&self) -> impl Iterator<Item = u64> + '_ {
        let Blocks { lower, upper, inverse, .. } = &*self.blocks;
        lower.iter().chain(upper).chain(inverse).map(|x| x.to_bits())
    }

    /// Takes a factor in words; the error is that there were too few.
    pub(crate) fn take(&mut self, words: &mut dyn FnMut() -> Option<u64>) -> Option<()> {
        self.team.iter_mut().for_each(Team::release);
        let Blocks { lower, upper, inverse, .. } = Arc::get_mut(&mut self.blocks)?;
        for x in lower.iter_mut().chain(upper).chain(inverse) {
            *x = f64::from_bits(words()?);
        }
        Some(())
    }

    pub(crate) fn ordering(&self) -> &'static str {
        self.blocks.tree.ordering
    }

    /// Stored entries that a solution reads.
    pub(crate) fn entries(&self) -> usize {
        let one = self.blocks.tree.read();
        if self.blocks.upper.is_empty() { one } else { 2 * one }
    }

    /// Number of negative pivots, which is the number of negative eigenvalues (Sylvester's law of inertia).
    pub(crate) fn negative_pivots(&self) -> usize {
        self.blocks.inverse.iter().filter(|&&d| d < 0.0).count()
    }
}

/// Inverts the pivots, and refuses those that are made of rounding errors: the same test as in the simplicial kernels.
fn invert_pivots(blocks: &mut Blocks, values: &[f64], sizes: &mut [f64]) -> Result<(), usize> {
    let Blocks { tree, lower, upper, inverse } = blocks;
    let tolerance = pivot_tolerance(inverse.len());
    let definite = upper.is_empty() && inverse.iter().all(|&d| d > 0.0);
    for ((size, &source), d) in sizes.iter_mut().zip(&tree.diagonal).zip(inverse.iter()) {
        let a = values[source as usize];
        // Of a definite matrix a = d + Σ l² d, so the magnitudes that the pivot was made of are known.
        *size = if definite { 2.0 * a.abs() - d } else { a.abs() };
    }
    if !definite {
        let transposed = if upper.is_empty() { &*lower } else { &*upper };
        for node in &tree.nodes {
            let both = [&lower[node.values..], &transposed[node.values..]];
            let (width, rows) = (node.width as usize, tree.rows(node));
            for panel in Panel::all(node) {
                panel.each(both, |i, j, [l, u]| {
                    let (i, j) = (panel.first + i, panel.first + j);
                    let row = if i < width { node.first as usize + i } else { rows[i - width] as usize };
                    sizes[row] += (l * u * inverse[node.first as usize + j]).abs();
                });
            }
        }
    }
    for (k, (d, size)) in inverse.iter_mut().zip(sizes).enumerate() {
        let pivot = *d;
        *d = 1.0 / pivot;
        if !(pivot.abs() > tolerance * *size && d.is_finite() && size.is_finite()) {
            return Err(k);
        }
    }
    Ok(())
}

impl std::fmt::Debug for Supernodal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Supernodal").field("entries", &self.blocks.lower.len()).finish_non_exhaustive()
    }
}
