//! Small normal equations, without allocation.

/// The solution of A x = b, A symmetric and positive definite (its lower triangle is read); `None` if it is not. Cholesky's LLᵀ.
pub(super) fn solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> Option<[f64; N]> {
    for j in 0..N {
        let pivot = a[j][j] - (0..j).map(|k| a[j][k] * a[j][k]).sum::<f64>();
        // Also refuses what is no number.
        if !(pivot > f64::EPSILON * a[j][j].abs() && pivot.is_finite()) {
            return None;
        }
        a[j][j] = pivot.sqrt();
        for i in j + 1..N {
            a[i][j] = (a[i][j] - (0..j).map(|k| a[i][k] * a[j][k]).sum::<f64>()) / a[j][j];
        }
    }
    for i in 0..N {
        b[i] = (b[i] - (0..i).map(|k| a[i][k] * b[k]).sum::<f64>()) / a[i][i];
    }
    for i in (0..N).rev() {
        b[i] = (b[i] - (i + 1..N).map(|k| a[k][i] * b[k]).sum::<f64>()) / a[i][i];
    }
    b.iter().all(|x| x.is_finite()).then_some(b)
}
