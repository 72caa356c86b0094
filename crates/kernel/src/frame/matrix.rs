//! Small dense matrices, of the sizes of sections and members. Zeros that are known are left out, so that what records an operation
//! records none for them.

use crate::Scalar;

/// A square matrix by rows.
pub type Matrix<const N: usize, T = f64> = [[T; N]; N];

/// A matrix of zeros.
pub fn zeros<const R: usize, const C: usize, T: Scalar>() -> [[T; C]; R] {
    [[T::constant(0.0); C]; R]
}

/// The inverse without exchange of rows; not finite where a pivot vanishes. Flexibilities and stiffnesses are symmetric, and definite
/// unless a section softens.
pub fn inverse<const N: usize, T: Scalar>(mut a: Matrix<N, T>) -> Matrix<N, T> {
    for k in 0..N {
        let pivot = T::constant(1.0) / a[k][k];
        a[k][k] = T::constant(1.0);
        for j in 0..N {
            a[k][j] = a[k][j] * pivot;
        }
        for i in 0..N {
            if i != k {
                let f = a[i][k];
                a[i][k] = T::constant(0.0);
                for j in 0..N {
                    a[i][j] = a[i][j] - f * a[k][j];
                }
            }
        }
    }
    a
}

/// The sum of products.
pub fn dot<const N: usize, T: Scalar>(x: &[T; N], y: &[T; N]) -> T {
    (0..N).fold(T::constant(0.0), |sum, i| sum + x[i] * y[i])
}

/// y = A x.
pub fn times<const R: usize, const C: usize, T: Scalar>(a: &[[T; C]; R], x: &[T; C]) -> [T; R] {
    core::array::from_fn(|i| dot(&a[i], x))
}

/// y += f Aᵀ x.
pub fn add_transposed<const R: usize, const C: usize, T: Scalar>(f: f64, a: &[[T; C]; R], x: &[T; R], y: &mut [T; C]) {
    for j in 0..C {
        for i in 0..R {
            y[j] = y[j] + a[i][j] * f * x[i];
        }
    }
}

/// K += f Bᵀ k B.
pub fn add_congruent<const R: usize, const C: usize, T: Scalar>(
    f: f64,
    b: &[[T; C]; R],
    k: &Matrix<R, T>,
    out: &mut Matrix<C, T>,
) {
    for i in 0..R {
        for l in 0..R {
            let kil = k[i][l] * f;
            if !kil.is_zero() {
                for m in 0..C {
                    let bm = b[i][m] * kil;
                    if !bm.is_zero() {
                        for n in 0..C {
                            out[m][n] = out[m][n] + bm * b[l][n];
                        }
                    }
                }
            }
        }
    }
}

/// x += more.
pub fn add<const N: usize, T: Scalar>(x: &mut [T; N], more: &[T; N]) {
    (0..N).for_each(|i| x[i] = x[i] + more[i]);
}

/// x - y.
pub fn difference<const N: usize, T: Scalar>(x: &[T; N], y: &[T; N]) -> [T; N] {
    core::array::from_fn(|i| x[i] - y[i])
}
