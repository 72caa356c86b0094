//! Dense work of one node: elimination of its columns, and the update that it passes to its parent.
//!
//! The block holds `[A₁₁; A₂₁]`, the update `A₂₂`, lower triangles. Eliminated by panels of [`PANEL`] columns:
//!
//! ```text
//! A₁₁ = L₁₁ D L₁₁ᵀ      W = A₂₁ L₁₁⁻ᵀ = L₂₁ D      A₂₂ ← A₂₂ − L₂₁ Wᵀ
//! ```
//!
//! The dense kernels are those of `faer`. How the work is cut into pieces depends on sizes alone and never on the number of
//! cores; every piece is computed by one core. Therefore the bits of the result do not depend on the cores either.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::{
    LdltError, LdltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_unit_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns that are eliminated at once.
pub(crate) const PANEL: usize = 96;
/// Columns of a piece of an update, and rows of a piece of a panel.
const PIECE: usize = 192;
const ROWS: usize = 512;
/// Multiplications of an update from which several cores share it.
const SHARED: usize = 2_000_000;

/// Memory of the dense work.
pub(crate) struct Scratch {
    /// `W` of one panel; between panels free for others.
    pub(crate) scaled: Vec<f64>,
    small: MemBuffer,
}

impl Scratch {
    /// Enough for blocks of this height.
    pub(crate) fn new(height: usize) -> Scratch {
        let request: StackReq = cholesky_in_place_scratch::<f64>(PANEL, Par::Seq, Default::default());
        Scratch { scaled: vec![0.0; height * PANEL], small: MemBuffer::new(request) }
    }
}

/// Eliminates the columns of a block. The error is the column whose pivot is exactly zero.
pub(crate) fn eliminate(
    block: MatMut<'_, f64>,
    mut update: MatMut<'_, f64>,
    scratch: &mut Scratch,
    cores: bool,
) -> Result<(), usize> {
    let (height, width) = (block.nrows(), block.ncols());
    let mut rest = block;
    let mut done = 0;
    while done < width {
        let panel = PANEL.min(width - done);
        let (current, mut later) = rest.split_at_col_mut(panel);
        let (mut top, mut below) = current.split_at_row_mut(panel);
        let stack = MemStack::new(&mut scratch.small);
        cholesky_in_place(top.as_mut(), LdltRegularization::default(), Par::Seq, stack, Default::default())
            .map_err(|LdltError::ZeroPivot { index }| done + index)?;
        let left = height - done - panel;
        if left == 0 {
            break;
        }
        let mut scaled = MatMut::from_column_major_slice_mut(&mut scratch.scaled[..left * panel], left, panel);
        let cores = cores && left * left * panel > SHARED;
        solve(top.as_ref(), below.as_mut(), scaled.as_mut(), cores);
        let (below, scaled) = (below.as_ref(), scaled.as_ref());
        let own = width - done - panel;
        if own > 0 {
            later = later.split_at_row_mut(panel).1;
            subtract(later.as_mut(), below, scaled.subrows(0, own), cores);
        }
        if left > own {
            subtract(update.as_mut(), below.subrows(own, left - own), scaled.subrows(own, left - own), cores);
        }
        done += panel;
        rest = later;
    }
    Ok(())
}

/// `below ← below L⁻ᵀ`, copied to `scaled`, then divided by the pivots.
fn solve(top: MatRef<'_, f64>, below: MatMut<'_, f64>, scaled: MatMut<'_, f64>, cores: bool) {
    if below.nrows() > ROWS {
        // Pieces of the same rows whoever computes them.
        let half = (below.nrows() / 2).next_multiple_of(ROWS).min(below.nrows() - 1);
        let ((a, b), (c, d)) = (below.split_at_row_mut(half), scaled.split_at_row_mut(half));
        if cores {
            rayon::join(|| solve(top, a, c, cores), || solve(top, b, d, cores));
        } else {
            solve(top, a, c, cores);
            solve(top, b, d, cores);
        }
        return;
    }
    let (mut below, mut scaled) = (below, scaled);
    solve_unit_lower_triangular_in_place(top, below.as_mut().transpose_mut(), Par::Seq);
    scaled.copy_from(below.as_ref());
    for k in 0..below.ncols() {
        let inverse = 1.0 / top[(k, k)];
        below.as_mut().col_mut(k).iter_mut().for_each(|x| *x *= inverse);
    }
}

/// `target ← target − left rightᵀ` for the columns of `target`, on and below its diagonal; `right` has a row for each column.
fn subtract(target: MatMut<'_, f64>, left: MatRef<'_, f64>, right: MatRef<'_, f64>, cores: bool) {
    let columns = target.ncols();
    if columns > PIECE {
        let half = (columns / 2).next_multiple_of(PIECE).min(columns - 1);
        let (a, b) = target.split_at_col_mut(half);
        let b = b.split_at_row_mut(half).1;
        let below = left.subrows(half, left.nrows() - half);
        let (near, far) = right.split_at_row(half);
        if cores {
            rayon::join(|| subtract(a, left, near, cores), || subtract(b, below, far, cores));
        } else {
            subtract(a, left, near, cores);
            subtract(b, below, far, cores);
        }
        return;
    }
    let (top, below) = target.split_at_row_mut(columns);
    let (near, far) = left.split_at_row(columns);
    triangular::matmul(
        top,
        BlockStructure::TriangularLower,
        Accum::Add,
        near,
        BlockStructure::Rectangular,
        right.transpose(),
        BlockStructure::Rectangular,
        -1.0,
        Par::Seq,
    );
    if below.nrows() > 0 {
        matmul(below, Accum::Add, far, right.transpose(), -1.0, Par::Seq);
    }
}

/// Lets the kernels below allocate what they keep per thread, with products as large as any that are made here.
pub(crate) fn warm_up() {
    let (height, width) = (2 * PIECE + PANEL, PANEL + 8);
    let mut block = vec![0.0; height * width];
    (0..width).for_each(|k| block[k * (height + 1)] = 1.0);
    let below = height - width;
    let mut update = vec![0.0; below * below];
    let block = MatMut::from_column_major_slice_mut(&mut block, height, width);
    let update = MatMut::from_column_major_slice_mut(&mut update, below, below);
    // The unit matrix has no zero pivot.
    let _ = eliminate(block, update, &mut Scratch::new(height), false);
}
