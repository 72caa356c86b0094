//! Differences of two histories, relative to the reference.

/// 100 std(a - b)/std(b), %: means do not count, n - 1 in the denominators as in the benchmark.
pub fn nrmse(a: &[f64], reference: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(reference).map(|(x, y)| x - y).collect();
    100.0 * deviation(&difference) / deviation(reference)
}

/// 100 max|a - b|/max|b|, %.
pub fn peak_error(a: &[f64], reference: &[f64]) -> f64 {
    let peak = |it: &mut dyn Iterator<Item = f64>| it.fold(0.0f64, |m, x| m.max(x.abs()));
    100.0 * peak(&mut a.iter().zip(reference).map(|(x, y)| x - y)) / peak(&mut reference.iter().copied())
}

/// Standard deviation of a sample.
pub fn deviation(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}
