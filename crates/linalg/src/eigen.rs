//! Dense eigen solvers, for preparation and analysis. They allocate.

use std::fmt;

use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, EvdParams, evd_real, evd_scratch};
use faer::{Mat, Par, Side, Spec, c64};

/// A complex number as (real, imaginary).
pub type Complex = (f64, f64);

/// Why an eigenvalue problem has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EigenError {
    /// A value of the input is NaN or infinite, or a slice has the wrong length.
    BadInput,
    /// The iteration did not converge.
    NoConvergence,
    /// The second matrix of a generalised problem is not positive semidefinite.
    MassNotPositive,
    /// Some unknowns have neither mass nor stiffness (one of them is in this row), so their motion is undetermined.
    Undetermined {
        /// Row in the original numbering.
        row: usize,
    },
    /// A matrix is not symmetric: its modes would be complex.
    Unsymmetric,
    /// The stiffness has negative eigenvalues and the matrix is too large for the dense solver, which could return them.
    Indefinite,
    /// There are more modes in the range than this.
    TooMany {
        /// The most that may be found.
        most: usize,
    },
}

impl fmt::Display for EigenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EigenError::BadInput => write!(f, "the matrices are not finite or have the wrong size"),
            EigenError::NoConvergence => write!(f, "the eigenvalue iteration did not converge"),
            EigenError::MassNotPositive => write!(f, "the mass matrix is not positive semidefinite"),
            EigenError::Undetermined { row } => write!(f, "unknown {row} has neither mass nor stiffness"),
            EigenError::TooMany { most } => write!(f, "there are more than {most} modes in the range"),
            EigenError::Unsymmetric => write!(f, "the mass or stiffness matrix is not symmetric"),
            EigenError::Indefinite => {
                write!(
                    f,
                    "the stiffness matrix is indefinite (softened or unstable), which the sparse solver cannot \
                    handle"
                )
            }
        }
    }
}

impl std::error::Error for EigenError {}

/// Eigenvalues of a real dense matrix (row-major, `n` by `n`), in no particular order.
pub fn eigenvalues(a: &[f64], n: usize) -> Result<Vec<Complex>, EigenError> {
    let (matrix, _) = balanced(a, n)?;
    decompose(&matrix, None)
}

/// Eigenvalues of a real matrix, and if wanted its eigenvectors: of a pair the real and the imaginary part in two columns.
///
/// By the double-shift iteration whatever the size: the multishift iteration of the library does not come to an end where many eigenvalues are
/// the same, as those of six equal actuators.
fn decompose(matrix: &Mat<f64>, vectors: Option<&mut Mat<f64>>) -> Result<Vec<Complex>, EigenError> {
    let n = matrix.nrows();
    let mut params: Spec<EvdParams, f64> = Spec::default();
    params.schur.blocking_threshold = usize::MAX;
    let right = if vectors.is_some() { ComputeEigenvectors::Yes } else { ComputeEigenvectors::No };
    let scratch = evd_scratch::<f64>(n, ComputeEigenvectors::No, right, Par::Seq, params);
    let (mut re, mut im) = (Diag::<f64>::zeros(n), Diag::<f64>::zeros(n));
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let right = vectors.map(Mat::as_mut);
    let done = evd_real(matrix.as_ref(), re.as_mut(), im.as_mut(), None, right, Par::Seq, stack, params);
    done.map_err(|_| EigenError::NoConvergence)?;
    let mut values = Vec::with_capacity(n);
    while values.len() < n {
        let k = values.len();
        values.push((re[k], im[k]));
        if im[k] != 0.0 && k + 1 < n {
            values.push((re[k], -im[k]));
        }
    }
    finite(values)
}

/// Eigenvalues and right eigenvectors (of unit length) of a real dense matrix (row-major, `n` by `n`).
pub fn eigenpairs(a: &[f64], n: usize) -> Result<(Vec<Complex>, Vec<Vec<Complex>>), EigenError> {
    let (matrix, scale) = balanced(a, n)?;
    let mut u = Mat::<f64>::zeros(n, n);
    let values = decompose(&matrix, Some(&mut u))?;
    // The second of a pair is the conjugate of the first.
    let second: Vec<bool> = values.iter().map(|v| v.1 != 0.0).fold(Vec::new(), |mut list, complex| {
        let after_first = complex && list.last().is_some_and(|second| !second) && values[list.len() - 1].1 != 0.0;
        list.push(after_first);
        list
    });
    let entry = |i: usize, k: usize| match (values[k].1 != 0.0, second[k]) {
        (false, _) => (u[(i, k)], 0.0),
        (true, false) => (u[(i, k)], u[(i, k + 1)]),
        (true, true) => (u[(i, k - 1)], -u[(i, k)]),
    };
    let vectors = (0..n)
        .map(|k| {
            let parts = (0..n).map(|i| entry(i, k));
            let mut v: Vec<Complex> = parts.enumerate().map(|(i, (x, y))| (scale[i] * x, scale[i] * y)).collect();
            let length = v.iter().map(|c| c.0 * c.0 + c.1 * c.1).sum::<f64>().sqrt();
            if length > 0.0 {
                v.iter_mut().for_each(|c| *c = (c.0 / length, c.1 / length));
            }
            v
        })
        .collect();
    Ok((values, vectors))
}

/// How far, relative to its size, a real dense matrix (row-major, `n` by `n`) is from one that has the eigenvalue `z`: the
/// smallest singular value of `A − zI` over the norm of `A`, after balancing. Of the order of rounding: `z` cannot be told
/// from an eigenvalue.
pub fn resolvent_distance(a: &[f64], n: usize, z: Complex) -> Result<f64, EigenError> {
    let (matrix, _) = balanced(a, n)?;
    let norm = matrix.norm_l2();
    let mut shifted = Mat::from_fn(n, n, |i, j| c64::new(matrix[(i, j)], 0.0));
    for i in 0..n {
        shifted[(i, i)] -= c64::new(z.0, z.1);
    }
    let values = shifted.singular_values().map_err(|_| EigenError::NoConvergence)?;
    let smallest = values.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(if norm > 0.0 { smallest / norm } else { smallest })
}

fn finite(values: Vec<Complex>) -> Result<Vec<Complex>, EigenError> {
    if values.iter().all(|v| v.0.is_finite() && v.1.is_finite()) { Ok(values) } else { Err(EigenError::NoConvergence) }
}

/// [`balance`]d, for the solvers.
fn balanced(a: &[f64], n: usize) -> Result<(Mat<f64>, Vec<f64>), EigenError> {
    if a.len() != n * n || !a.iter().all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
    let (m, scale) = balance(a, n);
    Ok((Mat::from_fn(n, n, |i, j| m[i * n + j]), scale))
}

/// `D⁻¹ A D` with the powers of two `D` that make rows and columns about equally large (Parlett and Reinsch, Numer.
/// Math. 13, 1969), and `D`. State matrices mix displacements and velocities, i.e. units; without this, small eigenvalues drown in
/// the rounding errors of large entries.
pub fn balance(a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut m = a.to_vec();
    let mut scale = vec![1.0; n];
    for _ in 0..20 {
        let mut changed = false;
        for i in 0..n {
            let (mut row, mut column) = (0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                row += m[i * n + j].abs();
                column += m[j * n + i].abs();
            }
            if row == 0.0 || column == 0.0 {
                continue;
            }
            let exponent = (0.5 * (row / column).log2()).round().clamp(-500.0, 500.0);
            let f = exponent.exp2();
            if exponent != 0.0 && (column * f + row / f) < 0.95 * (column + row) {
                changed = true;
                scale[i] *= f;
                for j in 0..n {
                    m[i * n + j] /= f;
                    m[j * n + i] *= f;
                }
            }
        }
        if !changed {
            break;
        }
    }
    (m, scale)
}

/// Eigenvalues (ascending) and eigenvectors of `A x = λ B x` with dense symmetric `A` and symmetric positive definite `B`
/// (row-major, `n` by `n`, lower triangles are read). Vectors satisfy `xᵀ B x = 1`.
///
/// Reduction with the Cholesky factor of `B`: errors of the eigenvalues are of the order of rounding times the *largest*
/// of them. `Err(MassNotPositive)` when `B` is not positive definite.
pub fn dense_symmetric_generalized(a: &[f64], b: &[f64], n: usize) -> Result<(Vec<f64>, Vec<Vec<f64>>), EigenError> {
    if a.len() != n * n || b.len() != n * n || !a.iter().chain(b).all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
    let b = Mat::from_fn(n, n, |i, j| b[i * n + j]);
    let llt = b.llt(Side::Lower).map_err(|_| EigenError::MassNotPositive)?;
    let l = llt.L();
    // A pivot that is nothing but rounding errors means a semidefinite matrix that slipped through.
    if !(0..n).all(|i| l[(i, i)] * l[(i, i)] > 1e-13 * b[(i, i)]) {
        return Err(EigenError::MassNotPositive);
    }
    let mut c = Mat::from_fn(n, n, |i, j| if i >= j { a[i * n + j] } else { a[j * n + i] });
    l.solve_lower_triangular_in_place(c.as_mut());
    l.solve_lower_triangular_in_place(c.as_mut().transpose_mut());
    let c = Mat::from_fn(n, n, |i, j| 0.5 * (c[(i, j)] + c[(j, i)]));
    let eigen = c.self_adjoint_eigen(Side::Lower).map_err(|_| EigenError::NoConvergence)?;
    let mut x = eigen.U().to_owned();
    l.transpose().solve_upper_triangular_in_place(x.as_mut());
    let values: Vec<f64> = (0..n).map(|k| eigen.S()[k]).collect();
    let vectors: Vec<Vec<f64>> = (0..n).map(|k| x.col(k).iter().copied().collect()).collect();
    if values.iter().chain(vectors.iter().flatten()).all(|v| v.is_finite()) {
        Ok((values, vectors))
    } else {
        Err(EigenError::NoConvergence)
    }
}

/// Eigenvalues (ascending) and unit eigenvectors of a dense symmetric matrix; its lower triangle is read.
pub(crate) fn symmetric_eigen(a: &[f64], n: usize) -> Result<(Vec<f64>, Vec<Vec<f64>>), EigenError> {
    if a.len() != n * n || !a.iter().all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
    if n == 0 {
        return Ok(Default::default());
    }
    let a = Mat::from_fn(n, n, |i, j| a[i * n + j]);
    let eigen = a.self_adjoint_eigen(Side::Lower).map_err(|_| EigenError::NoConvergence)?;
    let vectors = (0..n).map(|k| eigen.U().col(k).iter().copied().collect()).collect();
    Ok(((0..n).map(|k| eigen.S()[k]).collect(), vectors))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Six equal chains of twenty unknowns, one after the other: every eigenvalue six times, as of six equal actuators with their delays.
    #[test]
    fn many_equal_eigenvalues_are_found_and_the_vectors_belong_to_them() {
        let (copies, own) = (6, 20);
        let n = copies * own;
        let mut a = vec![0.0; n * n];
        for copy in 0..copies {
            let at = |i: usize| copy * own + i;
            // A line of delays that ends in an oscillator.
            (1..own).for_each(|i| a[at(i) * n + at(i - 1)] = 1.0);
            a[at(0) * n + at(own - 1)] = -0.5;
            a[at(own - 1) * n + at(own - 1)] = 0.25;
        }
        let (values, vectors) = eigenpairs(&a, n).expect("they are found");
        for (value, x) in values.iter().zip(&vectors) {
            let off = |i: usize| {
                let (re, im) =
                    (0..n).fold((0.0, 0.0), |s, j| (s.0 + a[i * n + j] * x[j].0, s.1 + a[i * n + j] * x[j].1));
                let expected = (value.0 * x[i].0 - value.1 * x[i].1, value.0 * x[i].1 + value.1 * x[i].0);
                (re - expected.0).abs().max((im - expected.1).abs())
            };
            assert!((0..n).map(off).fold(0.0, f64::max) < 1e-10, "{value:?}");
        }
    }
}
