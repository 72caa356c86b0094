//! Fragility: the probability that a limit is exceeded against an intensity, as counted and as a lognormal curve.

use crate::normal;

/// Bins of intensities that are all different.
const BINS: usize = 10;
/// Two-sided 95 % of a normal distribution.
const CONFIDENCE: f64 = 1.959_963_984_540_054;

/// One run: how strong the shaking was, and whether the limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Trial {
    /// Intensity, greater than zero.
    pub intensity: f64,
    /// Whether the limit was exceeded.
    pub exceeded: bool,
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
}

impl Fit {
    /// Probability at an intensity.
    pub fn probability(&self, intensity: f64) -> f64 {
        normal::below(libm::log(intensity / self.median) / self.dispersion)
    }
}

/// The curve under which the runs are most likely (maximum likelihood, Shinozuka et al. 2000; Baker 2015): a probit regression
/// on the logarithm of the intensity, by Fisher's scoring. The error says why there is none.
pub fn fit(trials: &[Trial]) -> Result<Fit, String> {
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
        return Err(format!(
            "below {low} no run exceeds the limit, above {high} every run does: a curve cannot be \
            fitted"
        ));
    }
    let n = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / n;
    let spread = (logs.iter().map(|z| (z - mean) * (z - mean)).sum::<f64>() / n).sqrt();
    if spread.is_nan() || spread < 1e-12 {
        return Err("all runs have the same intensity: several are needed for a curve".to_owned());
    }
    let z: Vec<f64> = logs.iter().map(|z| (z - mean) / spread).collect();
    let probability = |(a, b): (f64, f64), z: f64| normal::below(a + b * z).clamp(1e-15, 1.0 - 1e-15);
    let likelihood = |at: (f64, f64)| -> f64 {
        let term = |(&z, t): (&f64, &Trial)| {
            let p = probability(at, z);
            libm::log(if t.exceeded { p } else { 1.0 - p })
        };
        z.iter().zip(trials).map(term).sum()
    };
    let (mut at, mut best) = ((0.0, 0.0), likelihood((0.0, 0.0)));
    let mut information = [0.0; 3];
    for _ in 0..200 {
        let mut score = [0.0; 2];
        information = [0.0; 3];
        for (&z, t) in z.iter().zip(trials) {
            let (p, d) = (probability(at, z), normal::density(at.0 + at.1 * z));
            let (residual, weight) = (f64::from(u8::from(t.exceeded)) - p, d / (p * (1.0 - p)));
            score = [score[0] + weight * residual, score[1] + weight * residual * z];
            let w = weight * d;
            information = [information[0] + w, information[1] + w * z, information[2] + w * z * z];
        }
        let [i, j, k] = information;
        let determinant = i * k - j * j;
        let mut step = ((k * score[0] - j * score[1]) / determinant, (i * score[1] - j * score[0]) / determinant);
        let mut next = (at.0 + step.0, at.1 + step.1);
        // The likelihood is concave: a step that overshoots is halved.
        while likelihood(next) < best && step.0.abs() + step.1.abs() > 1e-12 {
            step = (0.5 * step.0, 0.5 * step.1);
            next = (at.0 + step.0, at.1 + step.1);
        }
        (at, best) = (next, likelihood(next));
        if step.0.abs() + step.1.abs() < 1e-11 {
            break;
        }
    }
    let (a, b) = at;
    if b.is_nan() || b <= 1e-6 {
        return Err("the limit is not exceeded more often where the intensity is higher".to_owned());
    }
    let [i, j, k] = information;
    let determinant = i * k - j * j;
    let (var_a, cov, var_b) = (k / determinant, -j / determinant, i / determinant);
    let var_median = (var_a + (a / b) * (a / b) * var_b - 2.0 * (a / b) * cov) / (b * b);
    Ok(Fit {
        median: libm::exp(mean - spread * a / b),
        dispersion: spread / b,
        median_error: spread * var_median.max(0.0).sqrt(),
        dispersion_error: spread / (b * b) * var_b.max(0.0).sqrt(),
    })
}
