//! Frequency evaluation index (Guo, Chen, Xu, Sanchez, Smart Mater. Struct. 23:045042, 2014): amplitude and delay of tracking, weighted by where the target has
//! its energy.
//!
//! ```text
//! FEI = Σ (Y_j/X_j) |X_j|²/Σ |X_j|²        f_eq = Σ f_j |X_j|²/Σ |X_j|²        delay = -arg FEI/(2π f_eq)
//! ```
//!
//! X, Y: discrete Fourier transforms of target and measurement.

use std::f64::consts::TAU;

use realfft::RealFftPlanner;
use realfft::num_complex::Complex64;

/// The index of a history.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrequencyEvaluation {
    /// |FEI|: 1 is right, less is undershoot.
    pub amplitude: f64,
    /// Delay, s; negative: ahead.
    pub delay: f64,
    /// f_eq, Hz.
    pub frequency: f64,
}

/// Of a measurement and its target, sampled every `dt` seconds; `None` for histories too short or a target that stands still.
pub fn frequency_evaluation(measured: &[f64], target: &[f64], dt: f64) -> Option<FrequencyEvaluation> {
    let n = measured.len().min(target.len());
    if n < 2 {
        return None;
    }
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(n);
    let transform = |x: &[f64]| {
        let (mut input, mut output) = (x[..n].to_vec(), plan.make_output_vec());
        plan.process(&mut input, &mut output).ok().map(|()| output)
    };
    let (y, x) = (transform(measured)?, transform(target)?);
    let (mut index, mut energy, mut first) = (Complex64::ZERO, 0.0, 0.0);
    // The line at frequency zero is an offset, not a motion.
    for (j, (x, y)) in x.iter().zip(&y).enumerate().skip(1) {
        index += y * x.conj();
        energy += x.norm_sqr();
        first += j as f64 / (n as f64 * dt) * x.norm_sqr();
    }
    let frequency = first / energy;
    let delay = -index.arg() / (TAU * frequency);
    (energy > 0.0).then(|| FrequencyEvaluation { amplitude: index.norm() / energy, delay, frequency })
}
