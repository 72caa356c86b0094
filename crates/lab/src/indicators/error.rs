//! Differences of two histories, relative to the reference.

/// 100 std(a - b)/std(b), %: means do not count, n - 1 in the denominators as in the benchmark. Of a reference that stands still: 0 where the other does
/// too, else infinite.
pub fn nrmse(a: &[f64], reference: &[f64]) -> f64 {
    let difference: Vec<f64> = a.iter().zip(reference).map(|(x, y)| x - y).collect();
    percent(deviation(&difference), deviation(reference))
}

/// 100 max|a - b|/max|b|, %. Of a reference that is zero: 0 where the other is too, else infinite.
pub fn peak_error(a: &[f64], reference: &[f64]) -> f64 {
    let peak = |it: &mut dyn Iterator<Item = f64>| it.fold(0.0f64, |m, x| m.max(x.abs()));
    percent(peak(&mut a.iter().zip(reference).map(|(x, y)| x - y)), peak(&mut reference.iter().copied()))
}

/// A share in percent; nothing of nothing is nothing.
fn percent(part: f64, of: f64) -> f64 {
    if part == 0.0 && of == 0.0 { 0.0 } else { 100.0 * part / of }
}

/// Standard deviation of a sample; zero for a single number, or none.
pub fn deviation(x: &[f64]) -> f64 {
    let n = x.len() as f64;
    // The mean of equal numbers may be another one, by rounding.
    if x.windows(2).all(|w| w[0] == w[1]) {
        return 0.0;
    }
    let mean = x.iter().sum::<f64>() / n;
    (x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0)).sqrt()
}
