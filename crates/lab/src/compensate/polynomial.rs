//! Polynomial extrapolation over the delay (Horiuchi, Inoue, Konno, Namita, Earthq. Eng. Struct. Dyn. 28:1121-1141, 1999).
//!
//! The polynomial of order n through x(t), x(t - s), ..., x(t - n s) is read at t + d: for s = d the coefficients are (2, -1),
//! (3, -3, 1), (4, -6, 4, -1), in general, with e = d/s, those of Lagrange
//!
//! ```text
//! a_i = Π_{j≠i} (e + j)/(j - i)
//! ```
//!
//! After the delay the specimen follows G(ω) = e^(-jωd) Σ a_i e^(-jωis), for s = d 1 - (1 - e^(-jωd))^(n+1). Where Im G < 0 it lags and the
//! loop is fed with energy: n = 1 and n = 4 do so at every low frequency, n = 2 from ωd = π/3, n = 3 from ωd = π/2.
//!
//! Memory: a line of n s/dt + 1 targets. Deviations: the spacing is the delay rounded to samples (at least one), the delay itself is not.

use std::f64::consts::TAU;

use realfft::num_complex::Complex64;

use super::Compensator;
use crate::signal::line;

/// Largest order.
pub const MOST: usize = 4;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Polynomial {
    /// Order, 1 to 4.
    pub order: usize,
    /// Delay, s.
    pub delay: f64,
    /// Distance of the points in samples; `None`: the delay.
    pub spacing: Option<usize>,
}

impl Polynomial {
    /// At a sampling interval.
    pub fn design(&self, dt: f64) -> Extrapolation {
        let order = self.order.clamp(1, MOST);
        let spacing = self.spacing.unwrap_or((self.delay / dt).round() as usize).max(1);
        let e = self.delay / (spacing as f64 * dt);
        let mut coefficients = [0.0; MOST + 1];
        for i in 0..=order {
            let others = (0..=order).filter(|j| *j != i);
            coefficients[i] = others.map(|j| (e + j as f64) / (j as f64 - i as f64)).product();
        }
        Extrapolation { order, spacing, coefficients, delay: self.delay, dt }
    }
}

/// A polynomial at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extrapolation {
    order: usize,
    spacing: usize,
    coefficients: [f64; MOST + 1],
    delay: f64,
    dt: f64,
}

/// Frequencies looked at below half the sampling rate.
const SCAN: u32 = 4000;

/// An imaginary part that counts as negative: relative to what a lag of this share of the delay would give.
const LAG: f64 = 1e-3;

/// What sums of this size leave behind where nothing should be.
const ROUNDING: f64 = 1e-14;

impl Extrapolation {
    /// Weights of the points, the newest first.
    pub fn coefficients(&self) -> &[f64] {
        &self.coefficients[..=self.order]
    }

    /// What the specimen does for a target of one at this frequency, Hz, behind an actuator with exactly the delay.
    pub fn followed(&self, frequency: f64) -> Complex64 {
        let w = TAU * frequency;
        let point = |(i, a): (usize, &f64)| {
            *a * Complex64::from_polar(1.0, -w * (self.delay + (i * self.spacing) as f64 * self.dt))
        };
        self.coefficients().iter().enumerate().map(point).sum()
    }

    /// The lowest frequency, Hz, at which it feeds the loop with energy; `None` where it does so nowhere below half the sampling rate.
    pub fn feeds_from(&self) -> Option<f64> {
        if self.delay <= 0.0 {
            return None;
        }
        let least = |f: f64| LAG * (TAU * f * self.delay).min(1.0).powi(self.order as i32 + 1);
        let lags = |f: f64| self.followed(f).im < -least(f).max(ROUNDING);
        // Equal ratios: a lag that starts at zero is seen at the first.
        let highest: f64 = 0.5 / self.dt;
        (0..=SCAN).map(|i| highest * 1e-5f64.powf(1.0 - f64::from(i) / f64::from(SCAN))).find(|f| lags(*f))
    }
}

impl Compensator for Extrapolation {
    fn memory(&self) -> usize {
        line::memory(self.order * self.spacing + 1)
    }

    fn command(&self, memory: &mut [f64], target: f64, _measured: f64) -> f64 {
        line::push(memory, target);
        let point = |(i, a): (usize, &f64)| a * line::ago(memory, i * self.spacing);
        self.coefficients().iter().enumerate().map(point).sum()
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(*self)
    }

    fn warnings(&self) -> Vec<String> {
        let order = self.order;
        let what = "an actuator with this delay lags behind its target, which acts as negative damping";
        self.feeds_from()
            .map(|f| match f {
                f if f < 1e-3 / self.delay => format!(
                    "order {order} adds energy to the loop at all low frequencies: \
                    {what}; orders 2 and 3 do not"
                ),
                f => format!(
                    "order {order} adds energy to the loop above {f:.3} Hz: {what}; modes in this range need \
                    structural damping"
                ),
            })
            .into_iter()
            .collect()
    }
}
