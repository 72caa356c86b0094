//! Statistics of many numbers, and of many histories sample by sample.

/// Probabilities of the quantiles of a [`Band`]: the median, and the bounds of 68 % and 90 % of all runs.
pub const PROBABILITIES: [f64; 5] = [0.05, 0.16, 0.5, 0.84, 0.95];

/// What is known of a quantity over all runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// How many numbers it stands for.
    pub count: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation of the population, estimated with n - 1; zero of a single number.
    pub std: f64,
    /// Quantiles at [`PROBABILITIES`].
    pub quantiles: [f64; 5],
}

/// A band with its extremes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Mean, standard deviation and quantiles.
    pub band: Band,
    /// Smallest number.
    pub min: f64,
    /// Largest number.
    pub max: f64,
}

impl Band {
    /// The band of some numbers, which get sorted; `None` without any.
    pub fn of(numbers: &mut [f64]) -> Option<Self> {
        let n = numbers.len();
        if n == 0 {
            return None;
        }
        numbers.sort_by(f64::total_cmp);
        // Sums from the smallest on: they do not depend on the order of the runs.
        let mean = numbers.iter().sum::<f64>() / n as f64;
        let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
        let std = if n > 1 { (squares / (n - 1) as f64).sqrt() } else { 0.0 };
        Some(Self { count: n, mean, std, quantiles: PROBABILITIES.map(|p| quantile(numbers, p)) })
    }
}

impl Summary {
    /// The summary of some numbers; `None` without any.
    pub fn of(numbers: &[f64]) -> Option<Self> {
        let mut sorted = numbers.to_vec();
        let band = Band::of(&mut sorted)?;
        Some(Self { band, min: sorted[0], max: sorted[sorted.len() - 1] })
    }
}

/// Quantile of sorted numbers, linear between them (definition 7 of Hyndman & Fan 1996: that of NumPy and R); infinite next to
/// an infinite one.
pub(crate) fn quantile(sorted: &[f64], p: f64) -> f64 {
    let at = p * (sorted.len() - 1) as f64;
    let i = (at as usize).min(sorted.len() - 1);
    let next = sorted[(i + 1).min(sorted.len() - 1)];
    let share = at - i as f64;
    // Infinite numbers have no difference.
    if share == 0.0 || next == sorted[i] { sorted[i] } else { sorted[i] + share * (next - sorted[i]) }
}

/// Bands over time of histories with common times. A history may end early; samples that none has are left out.
///
/// ```
/// let bands = interfield_ensemble::bands(&[&[1.0, 2.0], &[3.0]]);
/// assert_eq!((bands[0].mean, bands[0].count), (2.0, 2));
/// assert_eq!((bands[1].mean, bands[1].count), (2.0, 1));
/// ```
pub fn bands(histories: &[&[f64]]) -> Vec<Band> {
    let samples = histories.iter().map(|h| h.len()).max().unwrap_or(0);
    let mut numbers = Vec::with_capacity(histories.len());
    let band = |k: usize| {
        numbers.clear();
        numbers.extend(histories.iter().filter_map(|h| h.get(k)));
        Band::of(&mut numbers)
    };
    (0..samples).filter_map(band).collect()
}

/// Spearman's rank correlation of two lists: +1 if one always rises with the other, -1 if it always falls. `None` where one of
/// them does not vary.
pub fn rank_correlation(x: &[f64], y: &[f64]) -> Option<f64> {
    let (x, y) = (ranks(x), ranks(y));
    let n = x.len().min(y.len()) as f64;
    let mean = (n + 1.0) / 2.0;
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - mean) * (b - mean)).sum::<f64>();
    let scale = (product(&x, &x) * product(&y, &y)).sqrt();
    (scale > 0.0).then(|| product(&x, &y) / scale)
}

/// Places in the sorted list, from 1; equal numbers share the mean of theirs.
fn ranks(x: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|&i, &j| x[i].total_cmp(&x[j]));
    let mut ranks = vec![0.0; x.len()];
    let mut start = 0;
    for group in order.chunk_by(|&i, &j| x[i] == x[j]) {
        let rank = start as f64 + (group.len() as f64 + 1.0) / 2.0;
        group.iter().for_each(|&i| ranks[i] = rank);
        start += group.len();
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms() {
        // 1 to 100: mean (n + 1)/2, variance n (n + 1)/12 with n - 1, quantiles 1 + 99 p.
        let numbers: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let s = Summary::of(&numbers).unwrap();
        assert_eq!((s.band.mean, s.min, s.max, s.band.count), (50.5, 1.0, 100.0, 100));
        assert!((s.band.std - (100.0f64 * 101.0 / 12.0).sqrt()).abs() < 1e-12);
        for (p, q) in PROBABILITIES.iter().zip(s.band.quantiles) {
            assert!((q - (1.0 + 99.0 * p)).abs() < 1e-12, "{p}: {q}");
        }
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[3.0]).unwrap().band.std, 0.0);
    }

    #[test]
    fn ranks_share_ties_and_correlations_have_their_limits() {
        assert_eq!(ranks(&[10.0, 30.0, 20.0, 20.0]), [1.0, 4.0, 2.5, 2.5]);
        assert_eq!(rank_correlation(&[1.0, 2.0, 3.0], &[1.0, 8.0, 27.0]), Some(1.0));
        assert_eq!(rank_correlation(&[1.0, 2.0, 3.0], &[5.0, 1.0, -9.0]), Some(-1.0));
        assert_eq!(rank_correlation(&[1.0, 1.0], &[1.0, 2.0]), None);
        // Without ties it is 1 - 6 sum d^2 / (n (n^2 - 1)), here with d = 0, 1, 1, 0.
        let r = rank_correlation(&[1.0, 2.0, 3.0, 4.0], &[1.0, 3.0, 2.0, 4.0]).unwrap();
        assert!((r - 0.8).abs() < 1e-15);
    }
}
