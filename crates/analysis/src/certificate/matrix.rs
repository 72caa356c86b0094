//! Small dense complex matrices: an inverse, and the bound on a spectral radius.

use crate::poles::Pole as Complex;

const ZERO: Complex = Complex { re: 0.0, im: 0.0 };

/// Inverse of an n x n matrix, row by row, in place by Gauss and Jordan with pivots from the column, and the direction of the determinant; none if it has no
/// inverse.
pub(super) fn invert(a: &mut [Complex], n: usize, order: &mut Vec<usize>) -> Option<Complex> {
    order.clear();
    let mut direction = Complex { re: 1.0, im: 0.0 };
    for k in 0..n {
        let size = |i: usize| a[i * n + k].re.abs() + a[i * n + k].im.abs();
        let (mut pivot, mut largest) = (k, size(k));
        for i in k + 1..n {
            if size(i) > largest {
                (pivot, largest) = (i, size(i));
            }
        }
        if largest == 0.0 || !largest.is_finite() {
            return None;
        }
        order.push(pivot);
        if pivot != k {
            (0..n).for_each(|j| a.swap(k * n + j, pivot * n + j));
        }
        let size = a[k * n + k].size();
        direction = direction * a[k * n + k].times(if pivot == k { 1.0 } else { -1.0 } / size);
        let one = Complex { re: 1.0, im: 0.0 } / a[k * n + k];
        a[k * n + k] = Complex { re: 1.0, im: 0.0 };
        let (above, rest) = a.split_at_mut(k * n);
        let (row, below) = rest.split_at_mut(n);
        row.iter_mut().for_each(|z| *z = *z * one);
        for other in above.chunks_exact_mut(n).chain(below.chunks_exact_mut(n)) {
            let factor = std::mem::replace(&mut other[k], ZERO);
            if factor != ZERO {
                other.iter_mut().zip(&*row).for_each(|(to, z)| *to = *to - factor * *z);
            }
        }
    }
    // Rows were exchanged: of the inverse, columns.
    for k in (0..n).rev() {
        let pivot = order[k];
        if pivot != k {
            (0..n).for_each(|i| a.swap(i * n + k, i * n + pivot));
        }
    }
    Some(direction)
}

/// Iterations of [`radius`] at most.
const ITERATIONS: usize = 16;

/// An upper bound on the spectral radius of G E, both n x n with entries that are not negative. It stops where it is seen to be below `enough`, or
/// above one by a lower bound; `x` and `y` are for its vectors: `x` is a start, and in the end a vector with G E x ≤ bound x.
pub(super) fn radius(g: &[f64], e: &[f64], n: usize, enough: f64, [x, y]: [&mut Vec<f64>; 2]) -> f64 {
    if x.len() != n || !x.iter().all(|v| v.is_finite() && *v > 0.0) {
        x.clear();
        x.resize(n, 1.0);
    }
    y.resize(n, 0.0);
    let times = |m: &[f64], from: &[f64], to: &mut [f64]| {
        for (row, to) in m.chunks_exact(n).zip(to) {
            *to = row.iter().zip(from).map(|(a, b)| a * b).sum();
        }
    };
    let mut bound = f64::INFINITY;
    let (mut z, mut best) = (vec![0.0; n], x.clone());
    for _ in 0..ITERATIONS {
        times(e, x, y);
        times(g, y, &mut z);
        let (mut most, mut least) = (0.0f64, f64::INFINITY);
        for (z, x) in z.iter().zip(x.iter()) {
            let ratio = z / x;
            if ratio.is_nan() {
                return f64::INFINITY;
            }
            most = most.max(ratio);
            least = least.min(ratio);
        }
        if most < bound {
            bound = most;
            best.copy_from_slice(x);
        }
        if bound < enough || least > 1.0 || most == 0.0 {
            break;
        }
        // A small part of the vector is kept, so that no entry becomes zero.
        let scale = 1.0 / most.max(f64::MIN_POSITIVE);
        for (x, z) in x.iter_mut().zip(&z) {
            *x = (z * scale + 1e-3 * *x).clamp(1e-280, 1e280);
        }
    }
    std::mem::swap(x, &mut best);
    bound
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_inverse_times_the_matrix_is_one() {
        let n = 5;
        let entry = |k: usize| Complex { re: ((7 * k + 3) % 11) as f64 - 5.0, im: ((5 * k + 1) % 7) as f64 - 3.0 };
        let a: Vec<Complex> = (0..n * n).map(entry).collect();
        let mut inverse = a.clone();
        assert!(invert(&mut inverse, n, &mut Vec::new()).is_some());
        for i in 0..n {
            for j in 0..n {
                let sum = (0..n).fold(ZERO, |s, k| s + a[i * n + k] * inverse[k * n + j]);
                let expected = f64::from(u8::from(i == j));
                assert!((sum.re - expected).hypot(sum.im) < 1e-12, "{i} {j}: {sum:?}");
            }
        }
        assert!(invert(&mut [ZERO; 4], 2, &mut Vec::new()).is_none());
    }

    #[test]
    fn the_radius_is_bounded_whatever_the_units() {
        // [[0, s], [0.81/s, 0]] has the radius 0.9 for every s.
        let one = [1.0, 0.0, 0.0, 1.0];
        for s in [1.0, 1e-9, 1e12] {
            let bound = radius(&[0.0, s, 0.81 / s, 0.0], &one, 2, 1.0, [&mut Vec::new(), &mut Vec::new()]);
            assert!((0.9 - 1e-12..1.0).contains(&bound), "{s}: {bound}");
            let bound = radius(&[0.0, s, 1.21 / s, 0.0], &one, 2, 1.0, [&mut Vec::new(), &mut Vec::new()]);
            assert!(bound >= 1.1 - 1e-12, "{s}: {bound}");
        }
    }
}
