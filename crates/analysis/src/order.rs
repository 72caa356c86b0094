//! Observed order of accuracy, by halving the step and comparing each run with the next finer one.

/// A trajectory sampled at common times: one block of numbers per sample.
pub type Trajectory = Vec<Vec<f64>>;

/// Differences between successive runs and the orders they suggest.
#[derive(Clone, Debug, PartialEq)]
pub struct Convergence {
    /// Step of the coarser run of each pair, s.
    pub dt: Vec<f64>,
    /// Largest difference over all samples, relative to the largest value.
    pub differences: Vec<f64>,
    /// log2 of the ratio of successive differences.
    pub orders: Vec<f64>,
}

impl Convergence {
    /// The order at the finest pair whose difference still stands clear of rounding.
    pub fn order(&self) -> Option<f64> {
        let clear = self.differences.iter().rposition(|d| *d > 1e-12)?;
        self.orders.get(clear.checked_sub(1)?).copied()
    }
}

/// Compares runs with steps dt, dt/2, dt/4, ...; `part` selects what of each sample is compared.
pub fn convergence(dt: f64, runs: &[Trajectory], part: impl Fn(&[f64]) -> &[f64]) -> Convergence {
    let values = runs.iter().flatten().flat_map(|s| part(s).iter());
    let scale = values.fold(0.0f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
    let differences: Vec<f64> = runs
        .windows(2)
        .map(|pair| {
            let samples = pair[0].iter().zip(&pair[1]);
            let worst = samples.flat_map(|(a, b)| part(a).iter().zip(part(b)).map(|(x, y)| (x - y).abs()));
            worst.fold(0.0, f64::max) / scale
        })
        .collect();
    let orders = differences.windows(2).map(|d| (d[0] / d[1]).log2()).collect();
    let dt = (0..differences.len()).map(|i| dt / f64::powi(2.0, i as i32)).collect();
    Convergence { dt, differences, orders }
}
