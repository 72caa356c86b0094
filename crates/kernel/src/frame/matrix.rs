//! Small dense matrices, of the sizes of sections and members.

/// A square matrix by rows.
pub type Matrix<const N: usize> = [[f64; N]; N];

/// The inverse without exchange of rows; not finite where a pivot vanishes. Flexibilities and stiffnesses are symmetric, and definite
/// unless a section softens.
pub fn inverse<const N: usize>(mut a: Matrix<N>) -> Matrix<N> {
    for k in 0..N {
        let pivot = 1.0 / a[k][k];
        a[k][k] = 1.0;
        for j in 0..N {
            a[k][j] *= pivot;
        }
        for i in 0..N {
            if i != k {
                let f = a[i][k];
                a[i][k] = 0.0;
                for j in 0..N {
                    a[i][j] -= f * a[k][j];
                }
            }
        }
    }
    a
}

/// y = A x.
pub fn times<const R: usize, const C: usize>(a: &[[f64; C]; R], x: &[f64; C]) -> [f64; R] {
    core::array::from_fn(|i| (0..C).map(|j| a[i][j] * x[j]).sum())
}

/// y += f Aᵀ x.
pub fn add_transposed<const R: usize, const C: usize>(f: f64, a: &[[f64; C]; R], x: &[f64; R], y: &mut [f64; C]) {
    for j in 0..C {
        for i in 0..R {
            y[j] += f * a[i][j] * x[i];
        }
    }
}

/// K += f Bᵀ k B.
pub fn add_congruent<const R: usize, const C: usize>(f: f64, b: &[[f64; C]; R], k: &Matrix<R>, out: &mut Matrix<C>) {
    for i in 0..R {
        for l in 0..R {
            let kil = f * k[i][l];
            if kil != 0.0 {
                for m in 0..C {
                    let bm = b[i][m] * kil;
                    if bm != 0.0 {
                        for n in 0..C {
                            out[m][n] += bm * b[l][n];
                        }
                    }
                }
            }
        }
    }
}
