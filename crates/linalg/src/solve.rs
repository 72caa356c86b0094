//! A dense system solved once, with pivoting: for preparation, never for the loop.

use faer::linalg::solvers::Solve;
use faer::{Mat, MatRef};

/// Solves A X = B in place for a row-major `n` by `n` matrix and `m` right-hand sides (`b`: n by m, row-major). `false`
/// if the matrix is singular to working precision; `b` is then left as it is.
pub fn dense_solve(a: &[f64], n: usize, b: &mut [f64], m: usize) -> bool {
    let matrix = MatRef::from_row_major_slice(a, n, n);
    let lu = matrix.full_piv_lu();
    let pivots = lu.U().diagonal();
    let size = (0..n).map(|i| pivots.column_vector()[i].abs());
    let (least, most) = size.fold((f64::INFINITY, 0.0_f64), |(l, g), x| (l.min(x), g.max(x)));
    let regular = least > 1e-14 * most;
    if n > 0 && !regular {
        return false;
    }
    let x = lu.solve(Mat::from_fn(n, m, |i, j| b[i * m + j]));
    for i in 0..n {
        for j in 0..m {
            b[i * m + j] = x[(i, j)];
        }
    }
    true
}
