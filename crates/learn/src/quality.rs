//! How well computed forces agree with measured ones.

/// Figures of an agreement.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Figures {
    /// Root mean square of the difference over the standard deviation of the measured force.
    pub nrmse: f64,
    /// Largest difference over the largest measured force.
    pub peak: f64,
    /// Difference of the work at the end over the largest work.
    pub energy: f64,
    /// Largest difference of the work over the largest work.
    pub energy_history: f64,
}

/// What a share of unexplained force means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Grade {
    /// Below 5 %.
    Good,
    /// Below 15 %.
    Usable,
    /// Above.
    NotThisLaw,
}

impl Grade {
    /// Of an unexplained share.
    pub fn of(nrmse: f64) -> Self {
        match nrmse {
            x if x < 0.05 => Grade::Good,
            x if x < 0.15 => Grade::Usable,
            _ => Grade::NotThisLaw,
        }
    }

    /// For a reader.
    pub fn words(self) -> &'static str {
        match self {
            Grade::Good => "good",
            Grade::Usable => "usable",
            Grade::NotThisLaw => "not this law",
        }
    }
}

/// Of all samples.
pub fn figures(q: &[f64], p: &[f64], computed: &[f64]) -> Figures {
    let most = p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
    let peak = p.iter().zip(computed).fold(0.0, |m: f64, (p, c)| m.max((p - c).abs()));
    let (mut work, mut other) = (0.0, 0.0);
    let (mut largest, mut apart) = (0.0_f64, 0.0_f64);
    for k in 1..q.len() {
        let d = 0.5 * (q[k] - q[k - 1]);
        work += d * (p[k] + p[k - 1]);
        other += d * (computed[k] + computed[k - 1]);
        largest = largest.max(work.abs());
        apart = apart.max((work - other).abs());
    }
    let share = |x: f64| if largest > 0.0 { x / largest } else { 0.0 };
    Figures {
        nrmse: unexplained(p, computed, 0..p.len()),
        peak: if most > 0.0 { peak / most } else { 0.0 },
        energy: share((work - other).abs()),
        energy_history: share(apart),
    }
}

/// Root mean square of the difference within a range over the standard deviation of the measured force of the whole record.
pub fn unexplained(p: &[f64], computed: &[f64], range: impl ExactSizeIterator<Item = usize>) -> f64 {
    let n = range.len().max(1) as f64;
    let rest = range.map(|k| (p[k] - computed[k]).powi(2)).sum::<f64>() / n;
    let deviation = deviation(p);
    if deviation > 0.0 { rest.sqrt() / deviation } else { f64::INFINITY }
}

/// Standard deviation of all samples.
pub fn deviation(p: &[f64]) -> f64 {
    let n = p.len().max(1) as f64;
    let mean = p.iter().sum::<f64>() / n;
    (p.iter().map(|p| (p - mean).powi(2)).sum::<f64>() / n).sqrt()
}
