//! Dense eigen solvers, for preparation and analysis. They allocate.

use std::fmt;

use faer::{Mat, Side, c64};

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
}

impl fmt::Display for EigenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EigenError::BadInput => write!(f, "the matrices are not finite or have the wrong size"),
            EigenError::NoConvergence => write!(f, "the eigenvalue iteration did not converge"),
            EigenError::MassNotPositive => write!(f, "the mass matrix is not positive semidefinite"),
            EigenError::Undetermined { row } => write!(f, "unknown {row} has neither mass nor stiffness"),
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
    let values = matrix.eigenvalues().map_err(|_| EigenError::NoConvergence)?;
    finite(values.iter().map(|v| (v.re, v.im)).collect())
}

/// Eigenvalues and right eigenvectors (of unit length) of a real dense matrix (row-major, `n` by `n`).
pub fn eigenpairs(a: &[f64], n: usize) -> Result<(Vec<Complex>, Vec<Vec<Complex>>), EigenError> {
    let (matrix, scale) = balanced(a, n)?;
    let eigen = matrix.eigen().map_err(|_| EigenError::NoConvergence)?;
    let values = finite((0..n).map(|k| (eigen.S()[k].re, eigen.S()[k].im)).collect())?;
    let vectors = (0..n)
        .map(|k| {
            let u = eigen.U().col(k);
            let mut v: Vec<Complex> = (0..n).map(|i| (scale[i] * u[i].re, scale[i] * u[i].im)).collect();
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

/// `D⁻¹ A D` with the powers of two `D` that make rows and columns about equally large (Parlett and Reinsch, Numer.
/// Math. 13, 1969). State matrices mix displacements and velocities, i.e. units; without this, small eigenvalues drown in
/// the rounding errors of large entries.
fn balanced(a: &[f64], n: usize) -> Result<(Mat<f64>, Vec<f64>), EigenError> {
    if a.len() != n * n || !a.iter().all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
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
    Ok((Mat::from_fn(n, n, |i, j| m[i * n + j]), scale))
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
