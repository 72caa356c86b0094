//! Dense work of one node: elimination of its columns, and the update that it passes to its parent.
//!
//! The block holds `[A₁₁; A₂₁]`, the update `A₂₂`, lower triangles. Eliminated by panels of [`PANEL`] columns:
//!
//! ```text
//! A₁₁ = L₁₁ D L₁₁ᵀ      W = A₂₁ L₁₁⁻ᵀ = L₂₁ D      A₂₂ ← A₂₂ − L₂₁ Wᵀ
//! ```
//!
//! Of unsymmetric values `U` takes the place of `D Lᵀ`, and all of the update is computed.
//!
//! The dense kernels are those of `faer`. How the work is cut into pieces depends on sizes alone and never on the number of
//! cores; every piece is computed by one core. Therefore the bits of the result do not depend on the cores either.

use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::ldlt::factor::{
    LdltError, LdltRegularization, cholesky_in_place, cholesky_in_place_scratch,
};
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_unit_lower_triangular_in_place};
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

/// The same for unsymmetric values: the top square of `block` holds all of `A₁₁`, `upper` below it `A₁₂ᵀ`. Afterwards `block` is
/// `L` with `U` on and above its diagonal, `upper` below the square the rest of `Uᵀ`.
pub(crate) fn eliminate_general(
    block: MatMut<'_, f64>,
    upper: MatMut<'_, f64>,
    mut update: MatMut<'_, f64>,
    cores: bool,
) -> Result<(), usize> {
    let (height, width) = (block.nrows(), block.ncols());
    let mut rest = block;
    let mut beside = upper.split_at_row_mut(width).1;
    let mut done = 0;
    while done < width {
        let panel = PANEL.min(width - done);
        let (top, bottom) = rest.split_at_row_mut(panel);
        let (mut square, mut right) = top.split_at_col_mut(panel);
        let (mut below, mut later) = bottom.split_at_col_mut(panel);
        let (mut transposed, mut others) = beside.split_at_col_mut(panel);
        lu(square.as_mut()).map_err(|k| done + k)?;
        let left = height - done - panel;
        let cores = cores && left * left * panel > SHARED;
        let square = square.as_ref();
        let unit = |x: MatMut<'_, f64>| {
            solve_unit_lower_triangular_in_place(square, x.transpose_mut(), Par::Seq);
        };
        by_rows(below.as_mut(), cores, &|x| {
            solve_lower_triangular_in_place(square.transpose(), x.transpose_mut(), Par::Seq);
        });
        by_rows(right.as_mut().transpose_mut(), cores, &unit);
        by_rows(transposed.as_mut(), cores, &unit);
        let (below, right, transposed) = (below.as_ref(), right.as_ref(), transposed.as_ref());
        let own = width - done - panel;
        subtract_all(later.as_mut(), below, right.transpose(), cores);
        subtract_all(others.as_mut(), transposed, below.subrows(0, own), cores);
        subtract_all(update.as_mut(), below.subrows(own, left - own), transposed, cores);
        done += panel;
        (rest, beside) = (later, others);
    }
    Ok(())
}

/// `A = L U` without pivoting, in place, column by column; the error is the column whose pivot is exactly zero.
fn lu(mut a: MatMut<'_, f64>) -> Result<(), usize> {
    for k in 0..a.ncols() {
        let (done, mut later) = a.as_mut().split_at_col_mut(k + 1);
        let (pivot, mut column) = done.col_mut(k).split_at_row_mut(k + 1);
        let pivot = pivot[k];
        if pivot == 0.0 {
            return Err(k);
        }
        column.as_mut().iter_mut().for_each(|l| *l /= pivot);
        let column = column.as_ref();
        for j in 0..later.ncols() {
            let (top, below) = later.as_mut().col_mut(j).split_at_row_mut(k + 1);
            let u = top[k];
            below.iter_mut().zip(column.iter()).for_each(|(x, l)| *x -= l * u);
        }
    }
    Ok(())
}

/// Calls `work` with pieces of the same rows whoever computes them.
fn by_rows(target: MatMut<'_, f64>, cores: bool, work: &(dyn Fn(MatMut<'_, f64>) + Sync)) {
    if target.nrows() <= ROWS {
        if target.nrows() > 0 {
            work(target);
        }
        return;
    }
    let half = (target.nrows() / 2).next_multiple_of(ROWS).min(target.nrows() - 1);
    let (a, b) = target.split_at_row_mut(half);
    if cores {
        rayon::join(|| by_rows(a, cores, work), || by_rows(b, cores, work));
    } else {
        by_rows(a, cores, work);
        by_rows(b, cores, work);
    }
}

/// `target ← target − left rightᵀ`.
fn subtract_all(target: MatMut<'_, f64>, left: MatRef<'_, f64>, right: MatRef<'_, f64>, cores: bool) {
    let columns = target.ncols();
    if columns > PIECE {
        let half = (columns / 2).next_multiple_of(PIECE).min(columns - 1);
        let ((a, b), (near, far)) = (target.split_at_col_mut(half), right.split_at_row(half));
        if cores {
            rayon::join(|| subtract_all(a, left, near, cores), || subtract_all(b, left, far, cores));
        } else {
            subtract_all(a, left, near, cores);
            subtract_all(b, left, far, cores);
        }
    } else if columns > 0 && target.nrows() > 0 {
        matmul(target, Accum::Add, left, right.transpose(), -1.0, Par::Seq);
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
