//! The inverse of a small matrix, once at the start.

/// The inverse of the n x n matrix `a`, by rows, or `None` if it has none.
pub(crate) fn inverse(a: &[f64], n: usize) -> Option<Vec<f64>> {
    let scale = a.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    if n == 0 || a.len() != n * n || !a.iter().all(|x| x.is_finite()) {
        return None;
    }
    // Gauss and Jordan on [a | 1], the largest pivot of a column first.
    let mut rows: Vec<Vec<f64>> = (0..n)
        .map(|i| a[i * n..(i + 1) * n].iter().copied().chain((0..n).map(|j| f64::from(u8::from(i == j)))).collect())
        .collect();
    for c in 0..n {
        let best = (c..n).max_by(|&i, &j| rows[i][c].abs().total_cmp(&rows[j][c].abs()))?;
        rows.swap(c, best);
        let pivot = rows[c][c];
        if pivot.abs() <= f64::EPSILON * scale {
            return None;
        }
        rows[c].iter_mut().for_each(|x| *x /= pivot);
        let row = rows[c].clone();
        for (_, other) in rows.iter_mut().enumerate().filter(|(i, _)| *i != c) {
            let factor = other[c];
            other.iter_mut().zip(&row).for_each(|(x, r)| *x -= factor * r);
        }
    }
    Some(rows.into_iter().flat_map(|r| r.into_iter().skip(n)).collect())
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
