//! Value, velocity and acceleration of a sampled motion: those of the cubic that fits the last samples best, at the newest one.
//!
//! A cubic fitted to the newest end of the motion has no delay (its derivatives are exact where the third derivative is constant), and a delayed
//! acceleration would act as damping of the wrong sign. With T the length of the window the acceleration of a wave of angular
//! frequency w is too large by 3/28 (w T)², and noise of the standard deviation s gives it one of about 161 s/(dt² N^2.5), N samples in
//! the window: a longer window is smoother, and less exact.

use super::line;

/// Weights of the samples, the newest first.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    value: Vec<f64>,
    velocity: Vec<f64>,
    acceleration: Vec<f64>,
}

impl Fit {
    /// Over this time, in samples of `dt`: at least those that a cubic needs, at most [`MOST`].
    pub fn new(window: f64, dt: f64) -> Self {
        let n = ((window / dt).round() + 1.0).clamp(4.0, MOST as f64) as usize;
        // Time from -1 to 1, the newest sample at 1: orthogonal polynomials of these points keep the digits.
        let half = 0.5 * (n - 1) as f64;
        let x: Vec<f64> = (0..n).map(|k| 1.0 - k as f64 / half).collect();
        let mut weights = [vec![0.0; n], vec![0.0; n], vec![0.0; n]];
        // p_k with its first two derivatives at x = 1, by three terms: p_(k+1) = x p_k - b p_(k-1); points are symmetric about zero.
        let (mut before, mut now) = ((vec![0.0; n], [0.0; 3]), (vec![1.0; n], [1.0, 0.0, 0.0]));
        let mut size_before = 1.0;
        for k in 0..4 {
            let size: f64 = now.0.iter().map(|p| p * p).sum();
            for (w, derivative) in weights.iter_mut().zip(now.1) {
                w.iter_mut().zip(&now.0).for_each(|(w, p)| *w += derivative * p / size);
            }
            let b = if k == 0 { 0.0 } else { size / size_before };
            let next: Vec<f64> = (0..n).map(|i| x[i] * now.0[i] - b * before.0[i]).collect();
            let [p, d, dd] = now.1;
            let at_end = [p - b * before.1[0], p + d - b * before.1[1], 2.0 * d + dd - b * before.1[2]];
            (before, now, size_before) = (now, (next, at_end), size);
        }
        let step = half * dt;
        let [value, mut velocity, mut acceleration] = weights;
        velocity.iter_mut().for_each(|w| *w /= step);
        acceleration.iter_mut().for_each(|w| *w /= step * step);
        Fit { value, velocity, acceleration }
    }

    /// Samples that it looks at: the length of its line.
    pub fn samples(&self) -> usize {
        self.velocity.len()
    }

    /// Takes the next sample of a motion whose last ones are in this [`line`](mod@super::line): its velocity and acceleration.
    pub fn step(&self, past: &mut [f64], sample: f64) -> [f64; 2] {
        line::push(past, sample);
        [sum(&self.velocity, past), sum(&self.acceleration, past)]
    }

    /// Takes the next sample of a signal whose last ones are in this [`line`](mod@super::line): what it is without what is faster than the window.
    pub fn smooth(&self, past: &mut [f64], sample: f64) -> f64 {
        line::push(past, sample);
        sum(&self.value, past)
    }
}

fn sum(weights: &[f64], past: &[f64]) -> f64 {
    weights.iter().zip(past).map(|(w, x)| w * x).sum()
}

/// Most samples of a window.
pub const MOST: usize = 512;

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a motion through a fit: velocity and acceleration at its end.
    fn of(fit: &Fit, dt: f64, motion: impl Fn(f64) -> f64) -> [f64; 2] {
        let mut past = vec![0.0; fit.samples()];
        let n = fit.samples();
        (0..n).fold([0.0; 2], |_, k| fit.step(&mut past, motion((k as f64 - (n - 1) as f64) * dt)))
    }

    #[test]
    fn a_cubic_is_exact_and_a_wave_as_good_as_stated() {
        for (window, dt) in [(0.0, 1e-3), (0.02, 1e-3), (0.02, 1.0 / 1024.0), (0.1, 1e-4), (3.0, 0.01)] {
            let fit = Fit::new(window, dt);
            let [v, a] = of(&fit, dt, |t| 0.3 - 2.0 * t + 5.0 * t * t - 7.0 * t * t * t);
            let mut past = vec![0.0; fit.samples()];
            let cubic = |k: usize| (k as f64 * 0.1).powi(3) - 2.0;
            let last = (0..fit.samples()).fold(0.0, |_, k| fit.smooth(&mut past, cubic(k)));
            assert!((last / cubic(fit.samples() - 1) - 1.0).abs() < 1e-9, "{window} {dt}: {last}");
            assert!((v + 2.0).abs() < 1e-8 && (a - 10.0).abs() < 1e-6 * 10.0, "{window} {dt}: {v} {a}");
        }
        let (window, dt, omega) = (0.02, 1e-4, 20.0);
        let [_, a] = of(&Fit::new(window, dt), dt, |t| (omega * t + 0.5 * std::f64::consts::PI).sin());
        let too_large = -a / (omega * omega) - 1.0;
        let stated = 3.0 / 28.0 * (omega * window).powi(2);
        assert!((too_large / stated - 1.0).abs() < 0.1, "{too_large} {stated}");
    }

    #[test]
    fn noise_is_as_large_as_stated_and_the_window_bounded() {
        let (dt, n) = (1e-3, 101);
        let fit = Fit::new((n - 1) as f64 * dt, dt);
        assert_eq!(fit.samples(), n);
        let size = fit.acceleration.iter().map(|w| w * w).sum::<f64>().sqrt();
        let stated = 161.0 / (dt * dt * (n as f64).powf(2.5));
        assert!((size / stated - 1.0).abs() < 0.15, "{size} {stated}");
        assert_eq!([Fit::new(0.0, 1.0).samples(), Fit::new(1e9, 1e-6).samples()], [4, MOST]);
    }
}
