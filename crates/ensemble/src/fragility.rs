//! Fragility: the probability that a limit is exceeded against an intensity, as counted and as a lognormal curve.

use crate::ida::Capacity;
use crate::normal;

/// Bins of intensities that are all different.
const BINS: usize = 10;
/// Two-sided 95 % of a normal distribution.
const CONFIDENCE: f64 = 1.959_963_984_540_054;
/// Probability of the confidence intervals of a curve.
const COVERAGE: f64 = 0.95;

/// One run: how strong the shaking was, and whether the limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Intensity, greater than zero.
    pub intensity: f64,
    /// Whether the limit was exceeded.
    pub exceeded: bool,
    /// Runs of one group share a ground motion and its structure: they are not independent of each other.
    pub group: usize,
}

/// Runs of one intensity, or of similar ones.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stripe {
    /// The intensity; of similar ones the geometric mean.
    pub intensity: f64,
    /// Runs that exceeded the limit.
    pub exceeded: usize,
    /// All runs.
    pub total: usize,
    /// 95 % confidence interval of the probability, of Wilson (1927).
    pub interval: (f64, f64),
}

impl Stripe {
    /// The part of the runs that exceeded the limit.
    pub fn fraction(&self) -> f64 {
        self.exceeded as f64 / self.total as f64
    }

    fn of(group: &[Trial]) -> Self {
        let (exceeded, total) = (group.iter().filter(|t| t.exceeded).count(), group.len());
        let first = group[0].intensity;
        let mean = group.iter().map(|t| libm::log(t.intensity)).sum::<f64>() / total as f64;
        let same = group.iter().all(|t| t.intensity == first);
        Self {
            intensity: if same { first } else { libm::exp(mean) },
            exceeded,
            total,
            interval: wilson(exceeded, total),
        }
    }
}

/// Confidence interval of a probability of which so many of so many trials came true.
fn wilson(hits: usize, total: usize) -> (f64, f64) {
    let (n, p, z) = (total as f64, hits as f64 / total as f64, CONFIDENCE);
    let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // Exact at both ends, where rounding would leave a trace.
    (if hits == 0 { 0.0 } else { centre - half }, if hits == total { 1.0 } else { centre + half })
}

/// The runs by intensity, rising. Where hardly two runs share an intensity they are gathered in bins of equal size.
pub fn stripes(trials: &[Trial]) -> Vec<Stripe> {
    let mut sorted = trials.to_vec();
    sorted.sort_by(|a, b| a.intensity.total_cmp(&b.intensity));
    let groups: Vec<&[Trial]> = sorted.chunk_by(|a, b| a.intensity == b.intensity).collect();
    if 2 * groups.len() <= sorted.len() {
        return groups.into_iter().map(Stripe::of).collect();
    }
    sorted.chunks(sorted.len().div_ceil(BINS).max(1)).map(Stripe::of).collect()
}

/// A lognormal curve P(x) = Φ(ln(x / median) / dispersion).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// Intensity at which half of all runs exceed the limit.
    pub median: f64,
    /// Standard deviation of the logarithm.
    pub dispersion: f64,
    /// Standard error of the logarithm of the median.
    pub median_error: f64,
    /// Standard error of the dispersion.
    pub dispersion_error: f64,
    /// 95 % confidence interval of the median.
    pub median_interval: (f64, f64),
    /// 95 % confidence interval of the dispersion.
    pub dispersion_interval: (f64, f64),
}

impl Fit {
    /// Probability at an intensity.
    pub fn probability(&self, intensity: f64) -> f64 {
        normal::below(libm::log(intensity / self.median) / self.dispersion)
    }

    /// With intervals of `width` standard errors, both on a logarithmic scale.
    fn new((median, dispersion): (f64, f64), (median_error, dispersion_error): (f64, f64), width: f64) -> Self {
        let around = |x: f64, error: f64| {
            let factor = libm::exp(width * error);
            (x / factor, x * factor)
        };
        let (median_interval, dispersion_interval) =
            (around(median, median_error), around(dispersion, dispersion_error / dispersion));
        Self { median, dispersion, median_error, dispersion_error, median_interval, dispersion_interval }
    }
}

/// The curve under which the runs are most likely (maximum likelihood, Shinozuka et al. 2000; Baker 2015): a probit regression
/// on the logarithm of the intensity. Where several runs share a group, the errors are those of as many independent groups
/// (sandwich estimator, White 1982; Liang & Zeger 1986) and the intervals those of Student's distribution. The error says why there is none.
pub fn fit(trials: &[Trial]) -> Result<Fit, String> {
    let probit = Probit::new(trials)?;
    let (at, information) = probit.maximum();
    let (a, b) = at;
    if b.is_nan() || b <= 1e-6 {
        return Err("the limit is not exceeded more often where the intensity is higher".to_owned());
    }
    let mut groups: Vec<usize> = trials.iter().map(|t| t.group).collect();
    groups.sort_unstable();
    groups.dedup();
    let clustered = groups.len() < trials.len();
    let inverse = inverse(information);
    let [var_a, cov, var_b] = if clustered { probit.sandwich(at, inverse, &groups) } else { inverse };
    let spread = probit.spread;
    let var_median = (var_a + (a / b) * (a / b) * var_b - 2.0 * (a / b) * cov) / (b * b);
    let errors = (spread * var_median.max(0.0).sqrt(), spread / (b * b) * var_b.max(0.0).sqrt());
    let width = if clustered { normal::student(COVERAGE, groups.len() - 1) } else { CONFIDENCE };
    Ok(Fit::new((libm::exp(probit.mean - spread * a / b), spread / b), errors, width))
}

/// The inverse of a symmetric matrix [a b; b c], as [a, b, c].
fn inverse([a, b, c]: [f64; 3]) -> [f64; 3] {
    let determinant = a * c - b * b;
    [c / determinant, -b / determinant, a / determinant]
}

/// Runs with P(exceeded) = Φ(a + b z), z the logarithm of the intensity less its mean, over its spread.
struct Probit<'a> {
    trials: &'a [Trial],
    z: Vec<f64>,
    mean: f64,
    spread: f64,
}

impl<'a> Probit<'a> {
    fn new(trials: &'a [Trial]) -> Result<Self, String> {
        let logs: Vec<f64> = trials.iter().map(|t| libm::log(t.intensity)).collect();
        if logs.iter().any(|z| !z.is_finite()) {
            return Err("an intensity is not greater than zero".to_owned());
        }
        let extreme = |exceeded: bool, pick: fn(f64, f64) -> f64| {
            logs.iter().zip(trials).filter(|(_, t)| t.exceeded == exceeded).map(|(z, _)| *z).reduce(pick)
        };
        let (Some(lowest), Some(highest)) = (extreme(true, f64::min), extreme(false, f64::max)) else {
            let which = if trials.first().is_some_and(|t| t.exceeded) { "every" } else { "no" };
            return Err(format!("{which} run exceeds the limit: other intensities are needed for a curve"));
        };
        if highest <= lowest {
            // Any steeper curve is still more likely.
            let [low, high] = [lowest, highest].map(|z| format!("{:.3e}", libm::exp(z)).parse().unwrap_or(f64::NAN));
            let why = if low == high {
                format!("only at {low} do some runs exceed the limit and others not")
            } else {
                format!("up to {high} no run exceeds the limit, from {low} on every run does")
            };
            return Err(format!("{why}: a curve cannot be fitted; more intensities near there are needed"));
        }
        let n = logs.len() as f64;
        let mean = logs.iter().sum::<f64>() / n;
        let spread = (logs.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n).sqrt();
        if spread.is_nan() || spread < 1e-12 {
            return Err("all runs have the same intensity: several are needed for a curve".to_owned());
        }
        let z = logs.iter().map(|z| (z - mean) / spread).collect();
        Ok(Self { trials, z, mean, spread })
    }

    fn probability((a, b): (f64, f64), z: f64) -> f64 {
        normal::below(a + b * z).clamp(1e-15, 1.0 - 1e-15)
    }

    fn likelihood(&self, at: (f64, f64)) -> f64 {
        let term = |(&z, t): (&f64, &Trial)| {
            let p = Self::probability(at, z);
            libm::log(if t.exceeded { p } else { 1.0 - p })
        };
        self.z.iter().zip(self.trials).map(term).sum()
    }

    /// What a run adds to the derivative of the likelihood, and to the information.
    fn score(at: (f64, f64), z: f64, t: &Trial) -> ([f64; 2], [f64; 3]) {
        let (p, d) = (Self::probability(at, z), normal::density(at.0 + at.1 * z));
        let (residual, weight) = (f64::from(u8::from(t.exceeded)) - p, d / (p * (1.0 - p)));
        let w = weight * d;
        ([weight * residual, weight * residual * z], [w, w * z, w * z * z])
    }

    /// Where the likelihood is largest, by Fisher's scoring, and the information there.
    fn maximum(&self) -> ((f64, f64), [f64; 3]) {
        let (mut at, mut best) = ((0.0, 0.0), self.likelihood((0.0, 0.0)));
        let mut information = [0.0; 3];
        for _ in 0..200 {
            let mut score = [0.0; 2];
            information = [0.0; 3];
            for (&z, t) in self.z.iter().zip(self.trials) {
                let (s, w) = Self::score(at, z, t);
                score = [score[0] + s[0], score[1] + s[1]];
                information = [information[0] + w[0], information[1] + w[1], information[2] + w[2]];
            }
            let [i, j, k] = information;
            let determinant = i * k - j * j;
            let mut step = ((k * score[0] - j * score[1]) / determinant, (i * score[1] - j * score[0]) / determinant);
            let mut next = (at.0 + step.0, at.1 + step.1);
            // The likelihood is concave: a step that overshoots is halved.
            while self.likelihood(next) < best && step.0.abs() + step.1.abs() > 1e-12 {
                step = (0.5 * step.0, 0.5 * step.1);
                next = (at.0 + step.0, at.1 + step.1);
            }
            (at, best) = (next, self.likelihood(next));
            if step.0.abs() + step.1.abs() < 1e-11 {
                break;
            }
        }
        (at, information)
    }

    /// Covariance of (a, b) with the runs of a group taken together: I⁻¹ (Σ s sᵀ) I⁻¹ G/(G - 1) over G groups with scores s.
    fn sandwich(&self, at: (f64, f64), [p, q, r]: [f64; 3], groups: &[usize]) -> [f64; 3] {
        let mut scores = vec![[0.0; 2]; groups.len()];
        for (&z, t) in self.z.iter().zip(self.trials) {
            let Ok(g) = groups.binary_search(&t.group) else { continue };
            let (s, _) = Self::score(at, z, t);
            scores[g] = [scores[g][0] + s[0], scores[g][1] + s[1]];
        }
        let n = groups.len() as f64;
        let mut covariance = [0.0; 3];
        for [x, y] in scores {
            let (u, v) = (p * x + q * y, q * x + r * y);
            covariance = [covariance[0] + u * u, covariance[1] + u * v, covariance[2] + v * v];
        }
        covariance.map(|c| c * n / (n - 1.0))
    }
}

/// The curve of capacities, one of each ground motion (Baker 2015, IDA). Where all are known, by the mean and the standard
/// deviation of their logarithms, with the exact intervals of Student and (by Wilson & Hilferty 1931) of chi-squared; where
/// some are only bounded, by maximum likelihood. The error says why there is none.
pub fn fit_capacities(capacities: &[Capacity]) -> Result<Fit, String> {
    let n = capacities.len();
    if capacities.iter().all(|c| !c.high.is_finite()) {
        return Err("no ground motion reaches the limit: higher intensities are needed for a curve".to_owned());
    }
    if n < 2 {
        return Err("one ground motion is not enough for a curve".to_owned());
    }
    if capacities.iter().all(|c| c.low == c.high) {
        return known(&capacities.iter().map(|c| libm::log(c.low)).collect::<Vec<f64>>());
    }
    let (lowest, highest) =
        capacities.iter().fold((f64::INFINITY, 0.0), |(l, h): (f64, f64), c| (l.min(c.high), h.max(c.low)));
    if highest <= lowest {
        return Err("every ground motion reaches the limit between the same two intensities: more of them are needed for a curve".to_owned());
    }
    bounded(capacities)
}

/// From the logarithms of all capacities.
fn known(logs: &[f64]) -> Result<Fit, String> {
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let std = (logs.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / (n - 1.0)).sqrt();
    if std.is_nan() || std < 1e-12 {
        return Err("all ground motions reach the limit at the same intensity: a curve cannot be fitted".to_owned());
    }
    let degrees = n - 1.0;
    let errors = (std / n.sqrt(), std / (2.0 * degrees).sqrt());
    let mut fit = Fit::new((libm::exp(mean), std), errors, normal::student(COVERAGE, logs.len() - 1));
    // Wilson & Hilferty: the cube root of chi-squared over its degrees is nearly normal.
    let squared = |z: f64| (1.0 - 2.0 / (9.0 * degrees) + z * (2.0 / (9.0 * degrees)).sqrt()).max(1e-6).powi(3);
    fit.dispersion_interval = (std / squared(CONFIDENCE).sqrt(), std / squared(-CONFIDENCE).sqrt());
    Ok(fit)
}

/// By maximum likelihood from bounds, with the algorithm of expectation and maximisation (Dempster, Laird & Rubin 1977): capacities take the
/// mean and the variance of a normal distribution between their bounds, until nothing changes.
fn bounded(capacities: &[Capacity]) -> Result<Fit, String> {
    let bounds: Vec<(f64, f64)> = capacities.iter().map(|c| (libm::log(c.low), libm::log(c.high))).collect();
    let n = bounds.len() as f64;
    let middle = |&(a, b): &(f64, f64)| match (a.is_finite(), b.is_finite()) {
        (true, true) => 0.5 * (a + b),
        (true, false) => a,
        _ => b,
    };
    let start = bounds.iter().map(middle).sum::<f64>() / n;
    let (mut mean, mut std) = (start, 0.5f64);
    for _ in 0..100_000 {
        let moments: Vec<(f64, f64)> = bounds.iter().map(|&b| truncated(b, mean, std)).collect();
        let next = moments.iter().map(|m| m.0).sum::<f64>() / n;
        let square = moments.iter().map(|(m, v)| v + (m - next) * (m - next)).sum::<f64>() / n;
        let moved = (next - mean).abs() + (square.sqrt() - std).abs();
        (mean, std) = (next, square.sqrt());
        if moved < 1e-12 || !std.is_finite() {
            break;
        }
    }
    if !(std.is_finite() && mean.is_finite() && std > 1e-6 && std < 1e3) {
        return Err("the capacities are too uncertain for a curve: more intensities are needed".to_owned());
    }
    // Information about (mean, ln std), by central differences of the likelihood.
    let likelihood = |m: f64, s: f64| bounds.iter().map(|&b| log_share(b, m, s)).sum::<f64>();
    let h = 1e-3;
    let at = |i: f64, j: f64| likelihood(mean + i * h * std, std * libm::exp(j * h));
    let information = [
        -(at(1.0, 0.0) - 2.0 * at(0.0, 0.0) + at(-1.0, 0.0)) / (h * h * std * std),
        -(at(1.0, 1.0) - at(1.0, -1.0) - at(-1.0, 1.0) + at(-1.0, -1.0)) / (4.0 * h * h * std),
        -(at(0.0, 1.0) - 2.0 * at(0.0, 0.0) + at(0.0, -1.0)) / (h * h),
    ];
    let [var_mean, _, var_ln] = inverse(information);
    let errors = (var_mean.max(0.0).sqrt(), std * var_ln.max(0.0).sqrt());
    Ok(Fit::new((libm::exp(mean), std), errors, normal::student(COVERAGE, capacities.len() - 1)))
}

/// Probability of a standard normal variable between two bounds, without the loss of digits far from its middle.
fn between(a: f64, b: f64) -> f64 {
    let p = if a > 0.0 { normal::below(-a) - normal::below(-b) } else { normal::below(b) - normal::below(a) };
    p.max(1e-300)
}

/// Mean and variance of a normal variable that lies between two bounds.
fn truncated((low, high): (f64, f64), mean: f64, std: f64) -> (f64, f64) {
    if low == high {
        return (low, 0.0);
    }
    let (a, b) = ((low - mean) / std, (high - mean) / std);
    let p = between(a, b);
    let times = |x: f64| if x.is_finite() { x * normal::density(x) } else { 0.0 };
    let shift = (normal::density(a) - normal::density(b)) / p;
    (mean + std * shift, (std * std * (1.0 + (times(a) - times(b)) / p - shift * shift)).max(0.0))
}

/// Logarithm of the likelihood of a capacity, known or between bounds.
fn log_share((low, high): (f64, f64), mean: f64, std: f64) -> f64 {
    let z = |x: f64| (x - mean) / std;
    if low == high { -0.5 * z(low) * z(low) - libm::log(std) } else { libm::log(between(z(low), z(high))) }
}
