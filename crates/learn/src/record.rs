//! Measured deformations and forces: what is wrong with them, how noisy they are, their cycles and levels.
//!
//! Nothing is repaired in silence: what cannot be used is refused with the place, what can be used with care is a warning.

use core::ops::Range;

use crate::problem::Samples;

/// A record as measured, SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    /// Times, s.
    pub t: Vec<f64>,
    /// Deformations.
    pub q: Vec<f64>,
    /// Rates, if they were measured.
    pub v: Option<Vec<f64>>,
    /// Forces.
    pub p: Vec<f64>,
}

/// What is done before the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Preparation {
    /// Smooth deformation and force with the same window of a sixteenth of a cycle.
    pub smooth: bool,
    /// Ignore movements of the deformation below three times its noise.
    pub dead_band: bool,
    /// The law depends on the rate: make one if none was measured.
    pub rate: bool,
}

/// A record that can be used.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// Samples.
    pub samples: Samples,
    /// Times, s.
    pub t: Vec<f64>,
    /// Standard deviation of the noise of the deformation.
    pub noise: f64,
    /// Cycles, one after the other, over all samples.
    pub cycles: Vec<Range<usize>>,
    /// Cycles of equal amplitude together, with that amplitude.
    pub levels: Vec<(Range<usize>, f64)>,
    /// What to know.
    pub warnings: Vec<String>,
}

/// Fewest samples of a record.
const FEWEST: usize = 40;
/// Most samples of a search; longer records are smoothed and thinned.
const MOST: usize = 4000;
/// Most samples of a record that cannot be thinned because its cycles are short: the beginning is used.
const LONGEST: usize = 20_000;
/// Fewest samples of a cycle: a reversal is then cut by less than 1 % of the amplitude.
const PER_CYCLE: usize = 40;

/// Checks a record and prepares it.
///
/// # Errors
/// Everything that is wrong with it.
pub fn prepare(record: &Record, wanted: Preparation) -> Result<Prepared, Vec<String>> {
    let mut problems = wrong(record);
    if !problems.is_empty() {
        return Err(problems);
    }
    let mut warnings = Vec::new();
    let beginning = shortened(record, &mut warnings);
    let record = beginning.as_ref().unwrap_or(record);
    let steps: Vec<f64> = record.t.windows(2).map(|t| t[1] - t[0]).collect();
    let dt = median(&steps);
    gaps(record, dt, wanted.rate, &mut problems, &mut warnings);
    if let Some(v) = &record.v {
        rates(record, v, &mut problems);
    }
    sizes(record, &mut warnings);
    if !problems.is_empty() {
        return Err(problems);
    }
    let noise = noise(&record.q);
    let mut cycles = cycles(&record.q, noise);
    let mut samples = Samples { q: record.q.clone(), v: record.v.clone().unwrap_or_default(), p: record.p.clone(), dt };
    let mut t = record.t.clone();
    if cycles.len() < 2 {
        warnings.push("the deformation has no complete cycle: a law that remembers its path cannot be told from one that does not".into());
    }
    let mut typical = if cycles.len() < 2 { record.q.len() } else { median_length(&cycles) };
    // First of all: what follows costs by the samples and their neighbours.
    let factor = record.q.len() / MOST;
    if factor >= 2 && typical / factor >= 2 * PER_CYCLE {
        for x in [&mut samples.q, &mut samples.p, &mut samples.v] {
            *x = means(x, 2 * factor - 1, factor);
        }
        t = t.into_iter().step_by(factor).collect();
        samples.dt *= factor as f64;
        typical /= factor;
        cycles = cycles.into_iter().map(|c| c.start.div_ceil(factor)..c.end.div_ceil(factor)).collect();
        warnings.push(format!("{} samples: smoothed, and every {factor}th is used", record.q.len()));
    } else if cycles.len() >= 2 && typical < PER_CYCLE {
        warnings.push(format!(
            "{typical} samples per cycle: reversals are cut off; use at least {PER_CYCLE}, so that they are cut by less than 1 %"
        ));
    }
    if wanted.smooth {
        let window = ((typical / 16).max(3) - 1) | 1;
        for x in [&mut samples.q, &mut samples.p, &mut samples.v] {
            *x = smoothed(x, window);
        }
    }
    if wanted.rate && samples.v.is_empty() {
        // Central differences of the smoothed deformation; one-sided ones would shift it by half a sample.
        let smooth = smoothed(&samples.q, ((typical / 32).max(3) - 1) | 1);
        samples.v = slopes(&smooth, samples.dt);
        warnings.push("no rate was measured: it is computed by central differences of the smoothed deformation".into());
    }
    if wanted.dead_band {
        let mut last = samples.q[0];
        for q in &mut samples.q {
            if (*q - last).abs() > 3.0 * noise {
                last = *q;
            }
            *q = last;
        }
    }
    let levels = levels(&samples.q, &cycles);
    Ok(Prepared { samples, t, noise, cycles, levels, warnings })
}

/// The first cycles of a record with so many short ones that it can be neither used as a whole nor thinned.
fn shortened(record: &Record, warnings: &mut Vec<String>) -> Option<Record> {
    let n = record.q.len();
    let factor = n / MOST;
    if n <= LONGEST {
        return None;
    }
    let part = 0..LONGEST;
    let cycles = cycles(&record.q[part.clone()], noise(&record.q[part.clone()]));
    let typical = if cycles.len() < 2 { n } else { median_length(&cycles) };
    if typical / factor >= 2 * PER_CYCLE {
        return None;
    }
    let end = record.t[LONGEST - 1];
    warnings
        .push(format!("{n} samples in short cycles: those up to {end} s are used; choose others with --from and --to"));
    let first = |x: &[f64]| x[part.clone()].to_vec();
    Some(Record { t: first(&record.t), q: first(&record.q), v: record.v.as_deref().map(first), p: first(&record.p) })
}

/// Numbers and lengths.
fn wrong(record: &Record) -> Vec<String> {
    let n = record.q.len();
    let mut problems = Vec::new();
    if n < FEWEST {
        problems.push(format!("the record has {n} samples; at least {FEWEST} are needed"));
        return problems;
    }
    let channels: [(&str, &[f64]); 4] = [
        ("the time", &record.t),
        ("the deformation", &record.q),
        ("the rate", record.v.as_deref().unwrap_or(&record.q)),
        ("the force", &record.p),
    ];
    for (i, (name, x)) in channels.into_iter().enumerate() {
        if x.len() != n {
            problems.push(format!(
                "{name} has {} samples and the deformation {n}: the channels must have the same times",
                x.len()
            ));
            continue;
        }
        let bad = x.iter().filter(|x| !x.is_finite()).count();
        if bad > 0 && !(i == 2 && record.v.is_none()) {
            let first = x.iter().position(|x| !x.is_finite()).unwrap_or(0);
            let at = if i == 0 || !record.t[first.min(record.t.len() - 1)].is_finite() {
                format!("sample {first}")
            } else {
                format!("{} s", record.t[first])
            };
            problems.push(format!(
                "{name} is NaN (not a number) or infinite in {bad} of {n} samples, first at {at}: the path there is unknown; use the part before or after it"
            ));
        }
    }
    if !problems.is_empty() {
        return problems;
    }
    if let Some(k) = record.t.windows(2).position(|t| t[1] <= t[0]) {
        problems.push(format!("the time does not increase at {} s (sample {})", record.t[k + 1], k + 1));
    }
    for (name, x, i) in [("the deformation", &record.q, 0), ("the force", &record.p, 1)] {
        let (lo, hi) = extent(x);
        let size = lo.abs().max(hi.abs());
        if hi - lo <= 1e-9 * size || size == 0.0 {
            let why = ["nothing moves", "nothing resists, or the load cell is not connected"][i];
            problems.push(format!("{name} is constant: {why}, so that nothing can be identified"));
        }
    }
    problems
}

/// Times without samples.
fn gaps(record: &Record, dt: f64, rate: bool, problems: &mut Vec<String>, warnings: &mut Vec<String>) {
    let (lo, hi) = extent(&record.q);
    let places: Vec<usize> = (1..record.t.len()).filter(|&k| record.t[k] - record.t[k - 1] > 1.5 * dt).collect();
    let Some(&first) = places.first() else { return };
    let moved = places.iter().map(|&k| (record.q[k] - record.q[k - 1]).abs()).fold(0.0, f64::max);
    let place = format!(
        "samples are missing at {} {}, first between {} s and {} s",
        places.len(),
        if places.len() == 1 { "place" } else { "places" },
        record.t[first - 1],
        record.t[first]
    );
    if moved > 0.05 * (hi - lo) {
        problems.push(format!(
            "{place}: the deformation moves by {:.0} % of its range in the gap, on an unknown path; use the part before or after it",
            100.0 * moved / (hi - lo)
        ));
    } else if rate || record.v.is_some() {
        warnings.push(format!("{place}; rates beside it are uncertain"));
    } else {
        warnings.push(format!("{place}; the deformation hardly moves in it"));
    }
}

/// Whether a measured rate is the derivative of the deformation.
fn rates(record: &Record, v: &[f64], problems: &mut Vec<String>) {
    let n = v.len();
    let slope: Vec<f64> =
        (1..n - 1).map(|k| (record.q[k + 1] - record.q[k - 1]) / (record.t[k + 1] - record.t[k - 1])).collect();
    let (vv, vs, ss) =
        slope.iter().zip(&v[1..]).fold((0.0, 0.0, 0.0), |(a, b, c), (s, v)| (a + v * v, b + v * s, c + s * s));
    if vv == 0.0 {
        problems.push("the rate is zero in all samples: leave it out, or give the measured one".into());
        return;
    }
    // Noise of the deformation makes its derivative longer, not shorter, so the part along v is compared.
    let (ratio, likeness) = (vs / vv, vs / (vv * ss).sqrt().max(1e-300));
    if likeness < 0.5 && ss < 100.0 * vv {
        problems.push(format!(
            "the rate is not the derivative of the deformation (correlation {likeness:.2}): is it another channel, or not synchronised?"
        ));
    } else if !(0.7..1.4).contains(&ratio) {
        problems.push(format!(
            "the deformation changes {ratio:.4} times as fast as the rate says: is one of their units wrong (1000: m and mm)?"
        ));
    }
}

/// Whether numbers are those of a structure.
fn sizes(record: &Record, warnings: &mut Vec<String>) {
    let (q, p) = (most(&record.q), most(&record.p));
    if !(1e-7..=10.0).contains(&q) {
        warnings.push(format!("the largest deformation is {q:.3e} m (rad): is its unit right?"));
    }
    // Newtons that are said to be kilonewtons: few machines of the world have more than 20 MN.
    if !(1e-2..=2e7).contains(&p) {
        warnings.push(format!("the largest force is {p:.3e} N (N m): is its unit right?"));
    }
    let (mut work, mut passed) = (0.0, 0.0);
    for k in 1..record.q.len() {
        let w = 0.5 * (record.p[k] + record.p[k - 1]) * (record.q[k] - record.q[k - 1]);
        work += w;
        passed += w.abs();
    }
    if work < -0.05 * passed {
        warnings.push("the force gives work instead of taking it: has it the opposite sign, are the two columns exchanged, or is it delayed against the deformation?".into());
    }
}

/// Standard deviation of the noise of a signal that is otherwise smooth: the median of third differences, whose noise is sqrt(20) times as
/// large and in which a path of 40 samples per cycle leaves 0.4 % of its amplitude. (The deviation from a smoothed signal leaves as much
/// of the reversals as of the noise.)
pub fn noise(x: &[f64]) -> f64 {
    let third: Vec<f64> = x.windows(4).map(|x| (x[3] - 3.0 * x[2] + 3.0 * x[1] - x[0]).abs()).collect();
    median(&third) / (0.6745 * 20f64.sqrt())
}

/// Cycles between upward passages of the middle, from the first sample to the last.
fn cycles(q: &[f64], noise: f64) -> Vec<Range<usize>> {
    let (lo, hi) = extent(q);
    let least = (6.0 * noise).max(0.02 * (hi - lo));
    let mut bounds = vec![0];
    // Turning points, with a threshold against noise.
    let (mut turn, mut low, mut rising) = (0, 0, None);
    for k in 0..q.len() {
        match rising {
            None if q[k] - q[0] > least => rising = Some(true),
            None if q[0] - q[k] > least => rising = Some(false),
            Some(true) if q[k] > q[turn] => turn = k,
            Some(false) if q[k] < q[turn] => turn = k,
            Some(true) if q[turn] - q[k] > least => {
                // From the last minimum to this maximum it passed upwards.
                if low > 0 {
                    let middle = if q[low] < 0.0 && q[turn] > 0.0 { 0.0 } else { 0.5 * (q[low] + q[turn]) };
                    bounds.extend((low..turn).find(|&i| q[i + 1] >= middle && q[i] < middle).map(|i| i + 1));
                }
                (rising, turn) = (Some(false), k);
            }
            Some(false) if q[k] - q[turn] > least => {
                low = turn;
                (rising, turn) = (Some(true), k);
            }
            _ => {}
        }
    }
    if low > *bounds.last().unwrap_or(&0) && rising == Some(true) {
        // The way back to rest after the last minimum belongs to its cycle.
        let middle = 0.0;
        if q[turn] > middle + least {
            bounds.extend((low..turn).find(|&i| q[i + 1] >= middle && q[i] < middle).map(|i| i + 1));
        }
    }
    bounds.push(q.len());
    let mut all: Vec<Range<usize>> = bounds.windows(2).map(|b| b[0]..b[1]).filter(|r| !r.is_empty()).collect();
    if all.len() >= 2 && 2 * all[all.len() - 1].len() < all[all.len() - 2].len() {
        let end = all.pop().map_or(0, |r| r.end);
        if let Some(last) = all.last_mut() {
            last.end = end;
        }
    }
    all
}

/// Cycles of one amplitude together, if there are few such levels.
fn levels(q: &[f64], cycles: &[Range<usize>]) -> Vec<(Range<usize>, f64)> {
    let mut all: Vec<(Range<usize>, f64)> = Vec::new();
    for cycle in cycles {
        let amplitude = most(&q[cycle.clone()]);
        match all.last_mut() {
            Some((range, level)) if (amplitude - *level).abs() < 0.1 * *level => range.end = cycle.end,
            _ => all.push((cycle.clone(), amplitude)),
        }
    }
    all
}

/// Weighted means over an odd Hann window; shorter ones towards the ends.
pub fn smoothed(x: &[f64], window: usize) -> Vec<f64> {
    means(x, window, 1)
}

/// The same at every `step`th sample.
fn means(x: &[f64], window: usize, step: usize) -> Vec<f64> {
    let half = window / 2;
    let weights: Vec<f64> =
        (0..=half).map(|i| 1.0 + (core::f64::consts::PI * i as f64 / (half as f64 + 1.0)).cos()).collect();
    let mean = |k: usize| {
        let reach = half.min(k).min(x.len() - 1 - k) as isize;
        let (sum, all) = (-reach..=reach).fold((0.0, 0.0), |(s, w), i| {
            let h = weights[i.unsigned_abs()];
            (s + h * x[(k as isize + i) as usize], w + h)
        });
        sum / all
    };
    (0..x.len()).step_by(step).map(mean).collect()
}

fn slopes(x: &[f64], dt: f64) -> Vec<f64> {
    let last = x.len() - 1;
    let slope = |k: usize| {
        let (a, b) = (k.saturating_sub(1), (k + 1).min(last));
        (x[b] - x[a]) / ((b - a) as f64 * dt)
    };
    (0..x.len()).map(slope).collect()
}

fn median_length(cycles: &[Range<usize>]) -> usize {
    let mut lengths: Vec<usize> = cycles.iter().map(Range::len).collect();
    lengths.sort_unstable();
    lengths[lengths.len() / 2]
}

fn median(x: &[f64]) -> f64 {
    let mut sorted = x.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(0.0)
}

fn extent(x: &[f64]) -> (f64, f64) {
    x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)))
}

fn most(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}
