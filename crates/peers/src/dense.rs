//! The inverse of a small matrix, once at the start.

use interfield_linalg::Lu;

/// The inverse of the n x n matrix `a`, by rows, or `None` if it has none.
pub(crate) fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let mut lu = Lu::new(n);
    if n == 0 || a.len() != n * n || lu.factorize(a).is_err() {
        return None;
    }
    // Its transpose by columns.
    let mut rows: Vec<f64> = (0..n * n).map(|i| f64::from(u8::from(i % (n + 1) == 0))).collect();
    rows.chunks_exact_mut(n).for_each(|unit| lu.solve_transposed(unit));
    Some(rows)
}

/// Adds a x to y, `a` n x n by rows.
pub(crate) fn add_product(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks_exact(x.len().max(1)).zip(y) {
        *y += dot(row, x);
    }
}

/// Takes a x from y.
pub(crate) fn subtract_product(a: &[f64], x: &[f64], y: &mut [f64]) {
    for (row, y) in a.chunks_exact(x.len().max(1)).zip(y) {
        *y -= dot(row, x);
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let a = [0.0, 2.0, 1.0, 4.0, -1.0, 0.5, 3.0, 0.0, 7.0];
        let b = inverse(&a, 3).expect("not singular");
        for i in 0..3 {
            let mut column = [0.0; 3];
            add_product(&a, &[b[i], b[3 + i], b[6 + i]], &mut column);
            for (j, x) in column.iter().enumerate() {
                assert!((x - f64::from(u8::from(i == j))).abs() < 1e-15, "{i} {j}: {x}");
            }
        }
        assert_eq!(inverse(&[1.0, 2.0, 2.0, 4.0], 2), None);
        assert_eq!(inverse(&[f64::NAN], 1), None);
        assert_eq!(inverse(&[0.0], 1), None);
    }
}
