//! Fourier amplitudes of signals of any length in bounded memory.
//!
//! Where a signal has more samples than fit, neighbours are averaged; what that takes from the amplitudes,
//! sin(πfmΔt) / (m sin(πfΔt)) for the mean of m samples, is given back, and only frequencies are returned that
//! the averages still resolve well.

use std::f64::consts::PI;

use crate::fourier::transform;
use crate::record::MotionError;

/// Most means that are kept.
const CAPACITY: usize = 1 << 19;

/// Highest frequency returned of averaged signals, times the time between means. What lies around 1 - x looks like x, and
/// a mean lets x / (1 - x) of it pass: a ninth here, if the signal has as much up there as below.
const RESOLVED: f64 = 0.1;

/// A signal that may be long.
#[derive(Clone, Debug)]
pub struct LongSignal {
    means: Vec<f64>,
    /// Samples in a mean.
    block: u64,
    sum: f64,
    filled: u64,
}

impl Default for LongSignal {
    fn default() -> Self {
        Self { means: Vec::with_capacity(CAPACITY), block: 1, sum: 0.0, filled: 0 }
    }
}

impl LongSignal {
    /// Takes the next sample. Never allocates.
    pub fn push(&mut self, value: f64) {
        self.sum += value;
        self.filled += 1;
        if self.filled < self.block {
            return;
        }
        if self.means.len() == CAPACITY {
            for i in 0..CAPACITY / 2 {
                self.means[i] = (self.means[2 * i] + self.means[2 * i + 1]) / 2.0;
            }
            self.means.truncate(CAPACITY / 2);
            self.block *= 2;
            return;
        }
        self.means.push(self.sum / self.block as f64);
        (self.sum, self.filled) = (0.0, 0);
    }

    /// All that it remembers, to be saved or restored: means, samples in a mean, the sum of the next one and how many are in it.
    pub fn memory(&mut self) -> (&mut Vec<f64>, &mut u64, &mut f64, &mut u64) {
        (&mut self.means, &mut self.block, &mut self.sum, &mut self.filled)
    }

    /// Samples that were averaged into one; 1 where there was room for all.
    pub fn block(&self) -> u64 {
        self.block
    }

    /// Frequencies in Hz and amplitudes Δt |Σ x exp(-2πi f jΔt)| of samples `dt` apart, without the mean.
    ///
    /// # Errors
    /// When there is nothing to transform.
    pub fn fourier(&self, dt: f64) -> Result<Vec<(f64, f64)>, MotionError> {
        if self.means.len() < 2 || !(dt > 0.0 && dt.is_finite()) || !self.means.iter().all(|x| x.is_finite()) {
            return Err(MotionError::new("a spectrum needs at least two samples and a sampling interval".to_owned()));
        }
        let (n, m) = (self.means.len(), self.block as f64);
        let step = m * dt;
        let kept = |c: f64| {
            let (top, bottom) = ((PI * c * step).sin(), m * (PI * c * dt).sin());
            if self.block == 1 { 1.0 } else { top / bottom }
        };
        let most = if self.block == 1 { f64::INFINITY } else { RESOLVED / step };
        let lines = transform(&self.means, n)?;
        let line = |(k, z): (usize, &realfft::num_complex::Complex<f64>)| {
            let f = k as f64 / (n as f64 * step);
            (f, z.norm() * step / kept(f))
        };
        Ok(lines.iter().enumerate().skip(1).map(line).take_while(|l| l.0 <= most).collect())
    }
}

/// Weights of Hann's taper over `count` samples, twice 0.5 (1 − cos): their mean is one, so that the amplitude of a steady
/// oscillation stays as it is.
pub fn hann(count: usize) -> impl Iterator<Item = f64> {
    (0..count).map(move |i| 1.0 - (2.0 * PI * i as f64 / count as f64).cos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taper_keeps_amplitudes_and_removes_leakage() {
        // 10.5 periods: without a taper the jump between end and start spreads over all frequencies.
        let (dt, count) = (0.01, 1050);
        let sine = |i: usize| (2.0 * PI * i as f64 * dt).sin();
        let spectrum = |weights: &mut dyn Iterator<Item = f64>| {
            let mut signal = LongSignal::default();
            weights.take(count).enumerate().for_each(|(i, w)| signal.push(w * sine(i)));
            signal.fourier(dt).unwrap()
        };
        let (plain, tapered) = (spectrum(&mut std::iter::repeat(1.0)), spectrum(&mut hann(count)));
        let near = |lines: &[(f64, f64)], f: f64| {
            lines.iter().min_by(|a, b| (a.0 - f).abs().total_cmp(&(b.0 - f).abs())).unwrap().1
        };
        // Between two lines the largest one has 0.85 of the amplitude with the taper, 0.64 without it.
        assert!((near(&tapered, 1.0) / (0.5 * 10.5) - 0.85).abs() < 0.02, "{}", near(&tapered, 1.0));
        assert!(near(&tapered, 5.0) < 2e-3 * near(&plain, 5.0), "{} {}", near(&tapered, 5.0), near(&plain, 5.0));
    }

    #[test]
    fn a_long_sine_has_its_amplitude_where_it_belongs() {
        // 1.5 Hz for 1000 s, in 20 000 samples and in 2 million.
        for (dt, block) in [(0.05, 1), (0.0005, 4)] {
            let mut signal = LongSignal::default();
            let count = (1000.0 / dt) as u64;
            (0..count).for_each(|i| signal.push((2.0 * PI * 1.5 * i as f64 * dt).sin()));
            assert_eq!(signal.block(), block);
            let lines = signal.fourier(dt).unwrap();
            let top = lines.iter().copied().fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
            assert!((top.0 - 1.5).abs() < 2e-3, "{top:?}");
            assert!((top.1 - 500.0).abs() < 5.0, "half of the duration: {top:?}");
        }
    }

    #[test]
    fn averaging_takes_nothing_from_high_frequencies() {
        // A single pulse has the same amplitude at all frequencies.
        let mut signal = LongSignal::default();
        let count = 4 * CAPACITY;
        (0..count).for_each(|i| signal.push(if (1000..1002).contains(&i) { 50.0 } else { 0.0 }));
        let dt = 1e-3;
        for (f, a) in signal.fourier(dt).unwrap() {
            let exact = dt * 50.0 * (2.0 * (PI * f * dt).cos()).abs();
            assert!((a - exact).abs() < 0.15 * exact, "{f} Hz: {a} {exact}");
        }
        assert!(LongSignal::default().fourier(1.0).is_err());
    }
}
