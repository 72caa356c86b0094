//! Butterworth filters by the bilinear transform.
//!
//! With Ω = tan(π f Δt), Ω₁ and Ω₂ at the corners, B = Ω₂ − Ω₁ and Ω₀² = Ω₁Ω₂, one pass has
//! |H|² = 1 / (1 + ((Ω² − Ω₀²)/(BΩ))^{2n}); a low-pass has (Ω/Ω₂)^{2n} in its place and a high-pass (Ω₁/Ω)^{2n}.
//! Two passes, forward and backward, have the gain |H|² (−6 dB at the corners) and no phase. Before they run, the
//! record is continued at both ends by 1.5 n/f_low seconds of zeros (Boore 2005, Bull. Seismol. Soc. Am. 95; Converse
//! & Brady 1992), or by its end values for a low-pass; the result is cut back to the record's length unless
//! [`Phase::ZeroPadded`] is asked for.

use std::f64::consts::PI;

use realfft::num_complex::Complex;

use crate::MAX_SAMPLES;
use crate::record::MotionError;

/// How a filter is run over a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Forward and backward: gain |H|², no delay.
    Zero,
    /// As [`Zero`](Phase::Zero), but what the filter left in the padding is kept: the record grows at both ends, and its
    /// velocity and displacement integrated from rest are those of the filtered motion. Cut back, they are not, for the
    /// motion that was cut off at the start had already moved the ground (Boore 2005).
    ZeroPadded,
    /// Forward only: gain |H|, delayed, nothing before its cause.
    Causal,
}

/// The gain of one pass at frequency `f`, in closed form.
pub fn gain(f: f64, f_low: f64, f_high: f64, order: usize, dt: f64) -> f64 {
    let w = (PI * f * dt).tan();
    let (w1, w2) = ((PI * f_low * dt).tan(), (PI * f_high * dt).tan());
    let x = if f_low <= 0.0 {
        w / w2
    } else if f_high.is_infinite() {
        w1 / w
    } else {
        (w * w - w1 * w2) / ((w2 - w1) * w)
    };
    1.0 / (1.0 + x.powi(2).powi(order.min(1000) as i32)).sqrt()
}

/// A second-order section b(z)/a(z) with a₀ = 1.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section {
    b: [f64; 3],
    a: [f64; 2],
}

impl Section {
    /// From (n₂s² + n₁s + n₀)/(d₂s² + d₁s + d₀) with s = (1 − z⁻¹)/(1 + z⁻¹), normalised to unit gain at `omega`.
    fn bilinear(n: [f64; 3], d: [f64; 3], omega: f64) -> Self {
        let s = Complex::new(0.0, omega);
        let at = |p: [f64; 3]| if omega.is_infinite() { p[0].abs() } else { (s * s * p[0] + s * p[1] + p[2]).norm() };
        let g = at(d) / at(n);
        let map = |p: [f64; 3]| [p[0] + p[1] + p[2], 2.0 * (p[2] - p[0]), p[0] - p[1] + p[2]];
        let (b, a) = (map(n), map(d));
        Self { b: b.map(|x| g * x / a[0]), a: [a[1] / a[0], a[2] / a[0]] }
    }
}

/// The sections of a filter; corners as in [`Record::band_pass`](crate::Record::band_pass).
pub(crate) fn design(f_low: f64, f_high: f64, order: usize, dt: f64) -> Result<Vec<Section>, MotionError> {
    let nyquist = 0.5 / dt;
    if !(1..=10).contains(&order) {
        return Err(MotionError::new(format!("the order of a filter must be 1 to 10, not {order}")));
    }
    if !(f_low.is_finite() && f_low >= 0.0) || f_high.is_nan() || f_high <= f_low {
        return Err(MotionError::new(format!("corner frequencies of {f_low} and {f_high} Hz do not define a band")));
    }
    let low_pass = f_low == 0.0;
    let high_pass = f_high == f64::INFINITY;
    if low_pass && high_pass {
        return Err(MotionError::new(
            "a filter from zero to infinity has no effect; give at least one corner \
            frequency",
        ));
    }
    if f_low >= nyquist || (!high_pass && f_high >= nyquist) {
        return Err(MotionError::new(format!(
            "a corner frequency of {} Hz is not below the Nyquist frequency of {nyquist} Hz",
            if f_low >= nyquist { f_low } else { f_high }
        )));
    }
    let (w1, w2) = ((PI * f_low * dt).tan(), (PI * f_high.min(nyquist) * dt).tan());
    let (b, w0) = (w2 - w1, (w1 * w2).sqrt());
    // Poles of the prototype on the left half of the unit circle, one of each conjugate pair; the real one last.
    let mut sections = Vec::new();
    for k in 0..order.div_ceil(2) {
        let angle = PI * (2 * k + order + 1) as f64 / (2 * order) as f64;
        let p = Complex::new(angle.cos(), angle.sin());
        let real = order % 2 == 1 && k == order / 2;
        if low_pass {
            sections.push(match real {
                true => first_order_low_pass(w2),
                false => Section::bilinear([0.0, 0.0, 1.0], [1.0, -2.0 * p.re * w2, w2 * w2], 0.0),
            });
        } else if high_pass {
            sections.push(match real {
                true => first_order_high_pass(w1),
                false => Section::bilinear([1.0, 0.0, 0.0], [1.0, -2.0 * p.re * w1, w1 * w1], f64::INFINITY),
            });
        } else if real {
            sections.push(Section::bilinear([0.0, 1.0, 0.0], [1.0, b, w0 * w0], w0));
        } else {
            // s² − B p s + Ω₀² = 0 gives two poles, each with its conjugate from the conjugate of p.
            let root = (p * p * b * b - 4.0 * w0 * w0).sqrt();
            for s in [(p * b + root) * 0.5, (p * b - root) * 0.5] {
                sections.push(Section::bilinear([0.0, 1.0, 0.0], [1.0, -2.0 * s.re, s.norm_sqr()], w0));
            }
        }
    }
    // Sections normalised one by one at the centre make a product of gain one there.
    Ok(sections)
}

/// s/(s + w) by the bilinear transform.
fn first_order_high_pass(w: f64) -> Section {
    let g = 1.0 / (1.0 + w);
    Section { b: [g, -g, 0.0], a: [(w - 1.0) * g, 0.0] }
}

/// w/(s + w) by the bilinear transform.
fn first_order_low_pass(w: f64) -> Section {
    let g = 1.0 / (1.0 + w);
    Section { b: [w * g, w * g, 0.0], a: [(w - 1.0) * g, 0.0] }
}

/// One pass in place, transposed direct form II, from rest.
fn pass(sections: &[Section], x: &mut [f64]) {
    for s in sections {
        let (mut z1, mut z2) = (0.0, 0.0);
        for v in x.iter_mut() {
            let y = s.b[0] * *v + z1;
            z1 = s.b[1] * *v - s.a[0] * y + z2;
            z2 = s.b[2] * *v - s.a[1] * y;
            *v = y;
        }
    }
}

/// Runs the filter over padded values.
pub(crate) fn run(
    sections: &[Section],
    values: &[f64],
    f_low: f64,
    f_high: f64,
    order: usize,
    dt: f64,
    phase: Phase,
) -> Vec<f64> {
    let n = values.len();
    let slowest = if f_low > 0.0 { f_low } else { f_high };
    let pad = (1.5 * order as f64 / (slowest * dt)).ceil().min((4 * n + 1000) as f64).min(MAX_SAMPLES as f64) as usize;
    let (first, last) = match (f_low > 0.0, values) {
        (false, [first, .., last]) => (*first, *last),
        _ => (0.0, 0.0),
    };
    // From rest a low-pass would see a step at the start of the padding: the level is taken off and put back.
    let mut x = Vec::with_capacity(n + 2 * pad);
    x.extend(std::iter::repeat_n(0.0, pad));
    x.extend(values.iter().map(|v| v - first));
    x.extend(std::iter::repeat_n(last - first, pad));
    pass(sections, &mut x);
    if phase != Phase::Causal {
        // Backwards it starts from the last value it reached: again from rest relative to that.
        x.reverse();
        let level = if f_low > 0.0 { 0.0 } else { x.first().copied().unwrap_or(0.0) };
        x.iter_mut().for_each(|v| *v -= level);
        pass(sections, &mut x);
        x.iter_mut().for_each(|v| *v += level);
        x.reverse();
    }
    let range = if phase == Phase::ZeroPadded { 0..n + 2 * pad } else { pad..pad + n };
    x[range].iter().map(|v| v + first).collect()
}
