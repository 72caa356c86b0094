//! Proportional-integral tracking behind a phase lead: the controller shipped with the benchmark of Silva et al. (Mech. Syst. Signal Process. 135:106381, 2020).
//!
//! ```text
//! u = (k_p + k_i/s) (L x - y)      L = (p/z s + p)/(s + p) = (1 + s/z)/(1 + s/p)
//! ```
//!
//! x target, y measured, both blocks by the rule of Tustin. Memory: that of two sections. A measurement that is no number is taken for the target.

use super::{Compensator, take};
use crate::signal::Filter;

/// Parameters of the method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiLead {
    /// Proportional gain.
    pub kp: f64,
    /// Integral gain, 1/s.
    pub ki: f64,
    /// Zero of the lead, rad/s.
    pub zero: f64,
    /// Pole of the lead, rad/s.
    pub pole: f64,
}

impl PiLead {
    /// At a sampling interval.
    pub fn design(&self, dt: f64) -> Tracking {
        let lead = Filter::tustin([self.pole, self.pole / self.zero, 0.0], [self.pole, 1.0, 0.0], dt);
        Tracking { lead, pi: Filter::tustin([self.ki, self.kp, 0.0], [0.0, 1.0, 0.0], dt) }
    }
}

/// The method at its sampling interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tracking {
    /// The phase lead.
    pub lead: Filter,
    /// The controller of the error.
    pub pi: Filter,
}

impl Compensator for Tracking {
    fn memory(&self) -> usize {
        self.lead.memory() + self.pi.memory()
    }
    fn command(&self, mut memory: &mut [f64], target: f64, measured: f64) -> f64 {
        let wanted = self.lead.step(take(&mut memory, self.lead.memory()), target);
        let error = if measured.is_finite() { wanted - measured } else { 0.0 };
        self.pi.step(memory, error)
    }
    fn frozen(&self) -> Box<dyn Compensator> {
        Box::new(*self)
    }
}
