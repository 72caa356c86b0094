//! A dense system solved once, with pivoting, for preparation and never for the loop; and the inverse of a small matrix, for both.

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

/// Inverts a small row-major matrix in place by Gauss-Jordan elimination with row pivoting; `false` if singular. `work` has its size.
/// Generated C does the same in the same order, so that both have the same bits.
pub fn invert(a: &mut [f64], work: &mut [f64], n: usize) -> bool {
    let inv = &mut work[..n * n];
    inv.fill(0.0);
    for i in 0..n {
        inv[i * n + i] = 1.0;
    }
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if a[i * n + k].abs() > a[p * n + k].abs() {
                p = i;
            }
        }
        let pivot = a[p * n + k];
        if !pivot.is_finite() || pivot == 0.0 {
            return false;
        }
        for j in 0..n {
            a.swap(k * n + j, p * n + j);
            inv.swap(k * n + j, p * n + j);
        }
        for j in 0..n {
            a[k * n + j] /= pivot;
            inv[k * n + j] /= pivot;
        }
        for i in 0..n {
            let f = a[i * n + k];
            if i != k && f != 0.0 {
                for j in 0..n {
                    a[i * n + j] -= f * a[k * n + j];
                    inv[i * n + j] -= f * inv[k * n + j];
                }
            }
        }
    }
    a[..n * n].copy_from_slice(inv);
    true
}
