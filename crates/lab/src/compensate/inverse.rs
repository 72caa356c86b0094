//! Inverse compensation (Chen, Ricles, Eng. Struct. 31:2643-2655, 2009), and its adaptive form with the tracking indicator
//! (Chen, Ricles, J. Struct. Eng. 136:432-440, 2010).
//!
//! ```text
//! u_k = α x_k - (α - 1) x_(k-1)          α = 1 + delay/dt + Δα
//! Δα  = -(k_p TI + k_i ∫ TI dt)           TI falls while the specimen lags, see `indicators::tracking`
//! ```
//!
//! This is a lead of α - 1 samples. Both gains zero: not adaptive.
//!
//! Memory: the last target, the indicator, its integral. Deviations: the gains are per m² and per m² s (the paper samples at one rate); the lead never
//! becomes negative.

use super::{Compensator, take};
use crate::indicators::tracking;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inverse {
    /// Delay, s.
    pub delay: f64,
    /// Proportional gain, samples per m².
    pub kp: f64,
    /// Integral gain, samples per m² s.
    pub ki: f64,
}

impl Inverse {
    /// At a sampling interval.
    pub fn design(&self, dt: f64) -> Lead {
        Lead { alpha: 1.0 + self.delay / dt, kp: self.kp, ki: self.ki, dt }
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lead {
    alpha: f64,
    kp: f64,
    ki: f64,
    dt: f64,
}

impl Lead {
    fn adapts(&self) -> bool {
        self.kp != 0.0 || self.ki != 0.0
    }
}

impl Compensator for Lead {
    fn memory(&self) -> usize {
        1 + if self.adapts() { tracking::MEMORY + 1 } else { 0 }
    }

    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let last = take(&mut memory, 1);
        let mut alpha = self.alpha;
        if self.adapts() {
            let indicator = take(&mut memory, tracking::MEMORY);
            let ti = if measured.is_finite() {
                tracking::step(indicator, target, measured)
            } else {
                tracking::value(indicator)
            };
            memory[0] += ti * self.dt;
            alpha = (alpha - self.kp * ti - self.ki * memory[0]).max(1.0);
        }
        let command = alpha * target - (alpha - 1.0) * last[0];
        last[0] = target;
        command
    }

    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(Lead { kp: 0.0, ki: 0.0, ..*self })
    }
}
