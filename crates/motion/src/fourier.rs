//! Fourier amplitude spectra.

use std::f64::consts::PI;

use realfft::RealFftPlanner;
use realfft::num_complex::Complex;

use crate::record::{MotionError, Record};

/// One-sided Fourier spectrum: F(f) = Δt Σ x_j exp(−2πi f jΔt) at f = k/(NΔt), k = 0 … N/2, N the number of samples.
///
/// It approximates the continuous transform, so the amplitude of an acceleration is in m/s. With weights two for all
/// but the first and (N even) last line, Σ w |F|² Δf = Σ x² Δt.
#[derive(Clone, Debug, PartialEq)]
pub struct FourierSpectrum {
    /// Frequencies in Hz, from zero to at most the Nyquist frequency.
    pub frequencies: Vec<f64>,
    /// |F|.
    pub amplitude: Vec<f64>,
    /// arg F in radians.
    pub phase: Vec<f64>,
}

impl Record {
    /// The Fourier spectrum of the record as it is: neither tapered nor padded.
    pub fn fourier_spectrum(&self) -> Result<FourierSpectrum, MotionError> {
        self.check()?;
        let n = self.values.len();
        let c = transform(&self.values, n)?;
        let df = 1.0 / (n as f64 * self.dt);
        Ok(FourierSpectrum {
            frequencies: (0..c.len()).map(|k| k as f64 * df).collect(),
            amplitude: c.iter().map(|z| z.norm() * self.dt).collect(),
            phase: c.iter().map(|z| z.arg()).collect(),
        })
    }
}

impl FourierSpectrum {
    /// The amplitude smoothed at the frequencies `at` with the window of Konno & Ohmachi (1998),
    /// W = (sin(b log₁₀(f/f_c)) / (b log₁₀(f/f_c)))⁴; their bandwidth is b = 40.
    pub fn smoothed(&self, at: &[f64], bandwidth: f64) -> Vec<f64> {
        at.iter().map(|fc| self.smoothed_at(*fc, bandwidth)).collect()
    }

    fn smoothed_at(&self, fc: f64, b: f64) -> f64 {
        if !(fc > 0.0 && fc.is_finite() && b > 0.0 && b.is_finite()) {
            return self.amplitude.first().copied().unwrap_or(0.0);
        }
        // Beyond four lobes the weight is below 1e-5 of its maximum.
        let reach = 10f64.powf(4.0 * PI / b);
        let from = self.frequencies.partition_point(|f| *f < fc / reach).max(1);
        let to = self.frequencies.partition_point(|f| *f <= fc * reach);
        let (mut sum, mut weights) = (0.0, 0.0);
        for k in from..to.min(self.amplitude.len()) {
            let x = b * (self.frequencies[k] / fc).log10();
            let w = if x.abs() < 1e-9 { 1.0 } else { (x.sin() / x).powi(4) };
            sum += w * self.amplitude[k];
            weights += w;
        }
        if weights > 0.0 {
            return sum / weights;
        }
        // No line within the window: the nearest one.
        let k = self.frequencies.partition_point(|f| *f < fc).min(self.amplitude.len().saturating_sub(1));
        self.amplitude.get(k).copied().unwrap_or(0.0)
    }
}

/// The discrete transform of `x` continued by zeros to `n` samples; lines 0 … n/2.
pub(crate) fn transform(x: &[f64], n: usize) -> Result<Vec<Complex<f64>>, MotionError> {
    let plan = RealFftPlanner::<f64>::new().plan_fft_forward(n.max(1));
    let mut input = plan.make_input_vec();
    for (a, b) in input.iter_mut().zip(x) {
        *a = *b;
    }
    let mut output = plan.make_output_vec();
    plan.process(&mut input, &mut output).map_err(|e| MotionError::new(e.to_string()))?;
    Ok(output)
}

/// The inverse of [`transform`].
pub(crate) fn inverse(mut c: Vec<Complex<f64>>, n: usize) -> Result<Vec<f64>, MotionError> {
    let plan = RealFftPlanner::<f64>::new().plan_fft_inverse(n.max(1));
    // A real signal has a real mean, and a real line at the Nyquist frequency.
    if let Some(z) = c.first_mut() {
        z.im = 0.0;
    }
    if n.is_multiple_of(2)
        && let Some(z) = c.last_mut()
    {
        z.im = 0.0;
    }
    let mut output = plan.make_output_vec();
    plan.process(&mut c, &mut output).map_err(|e| MotionError::new(e.to_string()))?;
    output.iter_mut().for_each(|x| *x /= n as f64);
    Ok(output)
}
