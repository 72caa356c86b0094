//! Motions made to fit a spectrum, so that an example needs no download.
//!
//! Sines of random phase under an envelope (Gasparini & Vanmarcke 1976, SIMQKE) have their Fourier amplitudes multiplied
//! by the ratio of target to response spectrum until the two agree. Each round ends with a correction that
//! brings velocity and displacement back to zero at the end, so nothing has to be done to the result before it is used.
//!
//! A seed fixes the motion: the random numbers are integers, and the transform has one code path.

use std::f64::consts::PI;

use realfft::num_complex::Complex;

use crate::fourier::{inverse, transform};
use crate::process::solve;
use crate::random::SplitMix64;
use crate::record::{Format, MotionError, Quantity, Record};
use crate::spectrum::log_periods;

/// How often phases are drawn before the best motion so far is taken.
const DRAWS: usize = 5;
/// The score ([`Matched::score`]) below which a draw is good: a mean misfit of 4 % with no ratio below 0.93.
const GOOD: f64 = 0.04;

/// How the strength of a generated motion goes with time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Envelope {
    /// Parabolic rise to time `rise`, constant to time `hold`, exponential decay to 0.05 at the end (Jennings, Housner &
    /// Tsai 1968); times as fractions of the duration.
    Jennings {
        /// Where the rise ends.
        rise: f64,
        /// Where the decay begins.
        hold: f64,
    },
    /// a t^b exp(−ct) with its maximum of one at `peak` (a fraction of the duration) and the value `end` at the end
    /// (Saragoni & Hart 1974, with the parameters of Boore 2003).
    SaragoniHart {
        /// Where the maximum is.
        peak: f64,
        /// The value at the end.
        end: f64,
    },
}

impl Envelope {
    /// The value at `x`, a fraction of the duration.
    pub fn at(&self, x: f64) -> f64 {
        match *self {
            Envelope::Jennings { rise, hold } => {
                if x < rise {
                    (x / rise).powi(2)
                } else if x <= hold {
                    1.0
                } else {
                    0.05f64.powf((x - hold) / (1.0 - hold))
                }
            }
            Envelope::SaragoniHart { peak, end } => {
                let b = -peak * end.ln() / (1.0 + peak * (peak.ln() - 1.0));
                if x <= 0.0 { 0.0 } else { (x / peak).powf(b) * (b * (1.0 - x / peak)).exp() }
            }
        }
    }

    fn check(&self) -> Result<(), MotionError> {
        let ok = match *self {
            Envelope::Jennings { rise, hold } => rise > 0.0 && hold >= rise && hold < 1.0,
            Envelope::SaragoniHart { peak, end } => peak > 0.0 && peak < 1.0 && end > 0.0 && end < 1.0,
        };
        if ok { Ok(()) } else { Err(MotionError::new(format!("{self:?} is not an envelope"))) }
    }
}

/// What a generated motion is like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerateOptions {
    /// Sampling interval in seconds.
    pub dt: f64,
    /// Duration in seconds.
    pub duration: f64,
    /// What the phases are drawn from.
    pub seed: u64,
    /// How the strength goes with time.
    pub envelope: Envelope,
    /// Rounds of matching; 30 are plenty.
    pub iterations: usize,
    /// Damping ratio of the spectrum.
    pub damping: f64,
    /// Lowest and highest frequency in Hz.
    pub band: (f64, f64),
}

impl Default for GenerateOptions {
    fn default() -> Self {
        Self {
            dt: 0.01,
            duration: 20.0,
            seed: 1,
            envelope: Envelope::Jennings { rise: 0.15, hold: 0.6 },
            iterations: 30,
            damping: 0.05,
            band: (0.2, 33.0),
        }
    }
}

/// How well a motion fits a target spectrum.
#[derive(Clone, Debug, PartialEq)]
pub struct Compatibility {
    /// The periods compared.
    pub periods: Vec<f64>,
    /// Pseudo-acceleration of the motion over the target.
    pub ratio: Vec<f64>,
    /// Mean of |ratio − 1|.
    pub mean_misfit: f64,
    /// Largest |ratio − 1|.
    pub max_misfit: f64,
    /// Smallest ratio and the period it is at.
    pub min_ratio: (f64, f64),
    /// Largest ratio and the period it is at.
    pub max_ratio: (f64, f64),
    /// Peak ground acceleration over the target at zero period.
    pub pga_ratio: f64,
    /// Whether no ratio is below 0.9, as EN 1998-1, 3.2.3.1.2(4)c asks of the mean spectrum between 0.2 T₁ and 2 T₁.
    pub meets_ec8: bool,
}

/// Holds the spectrum of a record against a target (m/s² over the period in s) on 100 periods of a range.
pub fn compatibility(
    record: &Record,
    target: &dyn Fn(f64) -> f64,
    damping: f64,
    range: (f64, f64),
) -> Result<Compatibility, MotionError> {
    let periods = log_periods(range.0, range.1, 100);
    if periods.is_empty() {
        return Err(MotionError::new(format!("{} to {} s is not a range of periods", range.0, range.1)));
    }
    let s = record.response_spectrum(&periods, damping)?;
    let ratio: Vec<f64> = periods.iter().zip(&s.psa).map(|(t, x)| x / target(*t)).collect();
    let zero = target(0.0);
    if ratio.iter().any(|r| !r.is_finite()) {
        return Err(MotionError::new("the target spectrum must be positive and finite over the range"));
    }
    let extreme = |sign: f64| {
        let i = (0..ratio.len()).max_by(|a, b| (sign * ratio[*a]).total_cmp(&(sign * ratio[*b]))).unwrap_or(0);
        (ratio[i], periods[i])
    };
    let (min_ratio, max_ratio) = (extreme(-1.0), extreme(1.0));
    Ok(Compatibility {
        mean_misfit: ratio.iter().map(|r| (r - 1.0).abs()).sum::<f64>() / ratio.len() as f64,
        max_misfit: (max_ratio.0 - 1.0).abs().max((min_ratio.0 - 1.0).abs()),
        meets_ec8: min_ratio.0 >= 0.9,
        pga_ratio: record.peak() / zero,
        min_ratio,
        max_ratio,
        periods,
        ratio,
    })
}

/// A motion whose response spectrum fits `target` (pseudo-acceleration in m/s² over the period in seconds).
///
/// The notes of the record say how well it does, between 0.1 and 2 s or as much of that as the band covers.
pub fn generate(target: &dyn Fn(f64) -> f64, options: &GenerateOptions) -> Result<Record, MotionError> {
    let o = *options;
    let (f_low, mut f_high) = o.band;
    o.envelope.check()?;
    if !(o.dt.is_finite() && o.dt > 0.0 && o.duration.is_finite() && o.duration >= 100.0 * o.dt) {
        return Err(MotionError::new(format!("{} s in steps of {} s is not a valid motion", o.duration, o.dt)));
    }
    if o.duration / o.dt > 500_000.0 {
        return Err(MotionError::new("a generated motion may have 500000 samples"));
    }
    if !(0.0..1.0).contains(&o.damping) || o.iterations > 1000 {
        return Err(MotionError::new("the damping ratio must be in [0, 1), the iterations at most 1000"));
    }
    f_high = f_high.min(0.45 / o.dt);
    if !(f_low > 0.0 && f_high > 2.0 * f_low) {
        return Err(MotionError::new(format!(
            "{f_low} to {f_high} Hz is not a valid band (the sampling interval limits its upper end)"
        )));
    }
    let n = (o.duration / o.dt).round() as usize + 1;
    let matched = Matched::new(target, o, n, (f_low, f_high))?;
    let mut best = (f64::INFINITY, Vec::new());
    // Some draws of phases cannot be brought to fit by amplitudes alone: then the generator draws again.
    let mut random = SplitMix64::new(o.seed);
    for _ in 0..DRAWS {
        let mut a = matched.start(&mut random)?;
        for round in 0..=o.iterations {
            let record = Record::new(o.dt, a, Quantity::Acceleration)?;
            let psa = record.response_spectrum(&matched.periods, o.damping)?.psa;
            // Full steps at first, shorter ones later: the ratios of neighbours work against each other.
            let power = if round < 10 { 1.0 } else { 0.5 };
            let ratio: Vec<f64> =
                matched.wanted.iter().zip(&psa).map(|(w, x)| (w / x.max(1e-9 * w)).powf(power)).collect();
            let (score, scale) = matched.score(&psa);
            if score < best.0 {
                best = (score, record.values.iter().map(|x| x * scale).collect());
            }
            a = matched.improve(&record.values, &ratio)?;
        }
        if best.0 < GOOD {
            break;
        }
    }
    let mut record = Record::new(o.dt, best.1, Quantity::Acceleration)?;
    record.format = Format::Generated;
    let range = (0.1f64.max(1.0 / f_high), 2.0f64.min(1.0 / f_low));
    let mut fit = compatibility(&record, target, o.damping, range)?;
    // The last percent, where the lowest ratio lies between the periods that were matched.
    if (0.88..0.905).contains(&fit.min_ratio.0) {
        let lift = 0.905 / fit.min_ratio.0;
        record.values.iter_mut().for_each(|x| *x *= lift);
        fit = compatibility(&record, target, o.damping, range)?;
    }
    record.meta.push(("seed".to_owned(), o.seed.to_string()));
    record.notes.push(format!(
        "generated to match a spectrum: mean misfit {:.1} %, ratios {:.3} to {:.3} between {} and {} s",
        100.0 * fit.mean_misfit,
        fit.min_ratio.0,
        fit.max_ratio.0,
        range.0,
        range.1
    ));
    Ok(record)
}

/// What stays the same from round to round.
struct Matched {
    o: GenerateOptions,
    n: usize,
    size: usize,
    band: (f64, f64),
    periods: Vec<f64>,
    wanted: Vec<f64>,
}

impl Matched {
    fn new(target: &dyn Fn(f64) -> f64, o: GenerateOptions, n: usize, band: (f64, f64)) -> Result<Self, MotionError> {
        let count = (110.0 * (band.1 / band.0).log10()).ceil().clamp(20.0, 300.0) as usize;
        let periods = log_periods(1.0 / band.1, 1.0 / band.0, count);
        let wanted: Vec<f64> = periods.iter().map(|t| target(*t)).collect();
        if let Some(i) = wanted.iter().position(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(MotionError::new(format!(
                "the target is {} at {} s; it must be positive",
                wanted[i], periods[i]
            )));
        }
        Ok(Self { o, n, size: (2 * n).next_power_of_two(), band, periods, wanted })
    }

    /// Random phases, amplitudes of the target's order, the envelope.
    fn start(&self, random: &mut SplitMix64) -> Result<Vec<f64>, MotionError> {
        let df = 1.0 / (self.size as f64 * self.o.dt);
        let c: Vec<Complex<f64>> = (0..=self.size / 2)
            .map(|k| {
                let phase = 2.0 * PI * random.uniform();
                let f = k as f64 * df;
                let amplitude = self.window(f) * self.at(f, &self.wanted) / f.max(df).sqrt();
                Complex::from_polar(amplitude, phase)
            })
            .collect();
        let mut a = inverse(c, self.size)?;
        a.truncate(self.n);
        let last = (self.n - 1) as f64;
        a.iter_mut().enumerate().for_each(|(i, x)| *x *= self.o.envelope.at(i as f64 / last));
        self.settle(&mut a);
        let psa = Record::new(self.o.dt, a.clone(), Quantity::Acceleration)?
            .response_spectrum(&self.periods, self.o.damping)?
            .psa;
        let mean = |x: &[f64]| x.iter().map(|v| v.max(1e-300).ln()).sum::<f64>() / x.len() as f64;
        let scale = (mean(&self.wanted) - mean(&psa)).exp();
        a.iter_mut().for_each(|x| *x *= scale);
        Ok(a)
    }

    /// One inside the band, with cosine flanks a tenth of an octave wide.
    fn window(&self, f: f64) -> f64 {
        let (low, high) = self.band;
        let flank = |x: f64| 0.5 - 0.5 * (PI * x.clamp(0.0, 1.0)).cos();
        flank((f / low - 0.8) / 0.2) * flank((1.1 - f / high) / 0.1)
    }

    /// `table` over the periods, interpolated at frequency `f`.
    fn at(&self, f: f64, table: &[f64]) -> f64 {
        let t = 1.0 / f.max(1e-9);
        let (first, last) = (self.periods[0], self.periods[self.periods.len() - 1]);
        let x = ((t / first).ln() / (last / first).ln()).clamp(0.0, 1.0) * (table.len() - 1) as f64;
        let i = (x as usize).min(table.len() - 2);
        table[i] + (table[i + 1] - table[i]) * (x - i as f64)
    }

    /// One round in the frequency domain.
    fn improve(&self, a: &[f64], ratio: &[f64]) -> Result<Vec<f64>, MotionError> {
        let mut c = transform(a, self.size)?;
        let df = 1.0 / (self.size as f64 * self.o.dt);
        for (k, z) in c.iter_mut().enumerate() {
            let f = k as f64 * df;
            *z *= self.window(f) * self.at(f, ratio).clamp(0.2, 5.0);
        }
        let mut a = inverse(c, self.size)?;
        a.truncate(self.n);
        self.settle(&mut a);
        Ok(a)
    }

    /// Short tapers, then velocity and displacement brought to zero at the end.
    ///
    /// What is added is (c₀ + c₁x) sin²(πx), x from zero to one: slow, and zero with its slope at both ends.
    fn settle(&self, a: &mut [f64]) {
        let n = a.len();
        let last = (n - 1) as f64;
        let edge = 0.03;
        for (i, x) in a.iter_mut().enumerate() {
            let s = (i as f64 / last).min(1.0 - i as f64 / last) / edge;
            if s < 1.0 {
                *x *= 0.5 - 0.5 * (PI * s).cos();
            }
        }
        let shape = |i: usize, k: usize| {
            let x = i as f64 / last;
            (PI * x).sin().powi(2) * if k == 0 { 1.0 } else { x - 0.5 }
        };
        let ends = |f: &dyn Fn(usize) -> f64| {
            let (mut v, mut d) = (0.0, 0.0);
            for i in 1..n {
                let (a0, a1) = (f(i - 1), f(i));
                d += v + (2.0 * a0 + a1) / 6.0;
                v += 0.5 * (a0 + a1);
            }
            (v / last, d / (last * last))
        };
        let (v, d) = ends(&|i| a[i]);
        let (v0, d0) = ends(&|i| shape(i, 0));
        let (v1, d1) = ends(&|i| shape(i, 1));
        if let Some(c) = solve(&[v0, v1, d0, d1], vec![v, d]) {
            for (i, x) in a.iter_mut().enumerate() {
                *x -= c[0] * shape(i, 0) + c[1] * shape(i, 1);
            }
        }
    }

    /// How far the spectrum is off between 0.1 and 2 s (smaller is better), and by what factor it is best scaled.
    fn score(&self, psa: &[f64]) -> (f64, f64) {
        let inside: Vec<f64> = (0..psa.len())
            .filter(|i| (0.09..=2.2).contains(&self.periods[*i]))
            .map(|i| psa[i] / self.wanted[i])
            .collect();
        let ratios =
            if inside.is_empty() { psa.iter().zip(&self.wanted).map(|(a, b)| a / b).collect() } else { inside };
        let low = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        // A little up where that lifts the lowest point over what the code asks.
        let scale = (0.94 / low.max(1e-9)).clamp(1.0, 1.04);
        let mean = ratios.iter().map(|r| (scale * r - 1.0).abs()).sum::<f64>() / ratios.len() as f64;
        let short = (0.93 - scale * low).max(0.0);
        (mean + 20.0 * short, scale)
    }
}
