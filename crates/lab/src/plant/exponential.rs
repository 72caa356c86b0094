//! The exponential of a small matrix, for exact sampling of linear systems.

/// Terms of the series: with a norm below 1/2 the first one left out is below 1e-21.
const TERMS: u32 = 18;

/// A B of a rows x inner and an inner x columns matrix, row by row.
pub(crate) fn product(a: &[f64], b: &[f64], [rows, inner, columns]: [usize; 3]) -> Vec<f64> {
    let mut c = vec![0.0; rows * columns];
    for i in 0..rows {
        for k in 0..inner {
            for j in 0..columns {
                c[i * columns + j] += a[i * inner + k] * b[k * columns + j];
            }
        }
    }
    c
}

/// e^A by scaling, series and squaring; A is n x n, row by row.
pub fn exponential(a: &[f64], n: usize) -> Vec<f64> {
    let norm = a.chunks(n).map(|row| row.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, f64::max);
    let halvings = if norm > 0.5 { (norm / 0.5).log2().ceil() as i32 } else { 0 };
    let scaled: Vec<f64> = a.iter().map(|x| x / 2f64.powi(halvings)).collect();
    let mut term: Vec<f64> = (0..n * n).map(|i| if i / n == i % n { 1.0 } else { 0.0 }).collect();
    let mut sum = term.clone();
    for k in 1..=TERMS {
        term = product(&term, &scaled, [n; 3]);
        term.iter_mut().for_each(|x| *x /= f64::from(k));
        sum.iter_mut().zip(&term).for_each(|(s, t)| *s += t);
    }
    (0..halvings).fold(sum, |e, _| product(&e, &e, [n; 3]))
}
