//! Resampling by a windowed sinc, at any ratio.

use std::f64::consts::PI;
use std::sync::OnceLock;

use crate::MAX_SAMPLES;
use crate::record::MotionError;

/// Zero crossings of the kernel on either side.
const CROSSINGS: usize = 64;
/// Kernel table entries between two zero crossings.
const PER_CROSSING: usize = 2048;
/// Kaiser's parameter: side lobes 80 dB down.
const BETA: f64 = 8.0;
/// Half-power frequency over the Nyquist frequency, so that the transition ends at it.
const ROLL_OFF: f64 = 0.955;

/// I₀ by its power series.
fn bessel_i0(x: f64) -> f64 {
    let q = 0.25 * x * x;
    let (mut term, mut sum) = (1.0, 1.0);
    for k in 1..60 {
        term *= q / (k * k) as f64;
        sum += term;
    }
    sum
}

/// sinc(x) windowed to |x| ≤ CROSSINGS, for x ≥ 0.
fn table() -> Vec<f64> {
    let size = CROSSINGS * PER_CROSSING;
    let scale = bessel_i0(BETA);
    (0..=size + 1)
        .map(|i| {
            let x = i as f64 / PER_CROSSING as f64;
            let r = x / CROSSINGS as f64;
            if r >= 1.0 {
                return 0.0;
            }
            let sinc = if i == 0 { 1.0 } else { (PI * x).sin() / (PI * x) };
            sinc * bessel_i0(BETA * (1.0 - r * r).sqrt()) / scale
        })
        .collect()
}

/// Samples of `x` (every `dt`) at every `dt_new`, from its first to its last.
pub(crate) fn resample(x: &[f64], dt: f64, dt_new: f64) -> Result<Vec<f64>, MotionError> {
    if !(dt_new.is_finite() && dt_new > 0.0) {
        return Err(MotionError::new(format!("the new sampling interval must be positive and finite, not {dt_new}")));
    }
    let n = x.len();
    let ratio = dt_new / dt;
    if (ratio - 1.0).abs() < 1e-12 {
        return Ok(x.to_vec());
    }
    let count = ((n.saturating_sub(1)) as f64 / ratio + 1e-6).floor() + 1.0;
    if count < 2.0 {
        return Err(MotionError::new(format!(
            "an interval of {dt_new} s leaves fewer than two samples of this record"
        )));
    }
    if count.is_nan() || count > MAX_SAMPLES as f64 {
        return Err(MotionError::new(format!("an interval of {dt_new} s would make more than {MAX_SAMPLES} samples")));
    }
    static KERNEL: OnceLock<Vec<f64>> = OnceLock::new();
    let kernel = KERNEL.get_or_init(table);
    // Cut-off in cycles per old sample, times two: the sinc's argument per old sample.
    let cut = ROLL_OFF * (1.0 / ratio).min(1.0);
    let reach = CROSSINGS as f64 / cut;
    let last = n as i64 - 1;
    let at = |k: i64| -> f64 {
        if k < 0 {
            2.0 * x[0] - x[(-k).min(last) as usize]
        } else if k > last {
            2.0 * x[n - 1] - x[(2 * last - k).max(0) as usize]
        } else {
            x[k as usize]
        }
    };
    let mut out = Vec::with_capacity(count as usize);
    for i in 0..count as usize {
        let t = i as f64 * ratio;
        let (from, to) = ((t - reach).ceil() as i64, (t + reach).floor() as i64);
        let (mut sum, mut weight) = (0.0, 0.0);
        for k in from..=to {
            let p = (t - k as f64).abs() * cut * PER_CROSSING as f64;
            let j = p as usize;
            let Some([a, b]) = kernel.get(j..j + 2) else { continue };
            let w = a + (b - a) * (p - j as f64);
            sum += w * at(k);
            weight += w;
        }
        // The weights add up to 1/cut but for the ripple of the window: dividing keeps a constant exactly.
        out.push(sum / weight);
    }
    Ok(out)
}
