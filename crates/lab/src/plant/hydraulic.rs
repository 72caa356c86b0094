//! A servo-hydraulic actuator that feels the specimen it moves (Silva, Gomez, Maghareh, Dyke, Spencer, Mech. Syst. Signal Process. 135:106381, 2020).
//!
//! ```text
//! valve      y" + β₁ y' + β₂ y = a₁β₀ (g u - x)
//! actuator   F' + a₃ F = y - a₂ x'              a₂ x': natural velocity feedback
//! specimen   m x" + r(x, x') = F
//! ```
//!
//! Classical Runge-Kutta of order 4, as the benchmark prescribes, one step per sample. Memory: [y, y', F, x, x'].
//! The mass swings on oil and specimen with ω² = (a₂ + k)/m. What is lighter than the mass with ω dt = 2, or has none, is taken for
//! that mass: the rule is stable up to 2.8 and damps what is that fast, so that the specimen follows as one without mass does.

use super::{Actuator, Reached, Specimen};

/// Parameters, in N, m, s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hydraulic {
    /// Calibration of the command.
    pub g: f64,
    /// Gain of controller and valve.
    pub a1b0: f64,
    /// Natural velocity feedback.
    pub a2: f64,
    /// Leakage.
    pub a3: f64,
    /// Damping of the valve.
    pub beta1: f64,
    /// Stiffness of the valve.
    pub beta2: f64,
    /// Sampling interval, s.
    pub dt: f64,
}

type State = [f64; Hydraulic::STATES];

impl Hydraulic {
    /// y, y', F, x, x'.
    pub const STATES: usize = 5;

    /// The actuator of the benchmark.
    pub fn benchmark(dt: f64) -> Self {
        Hydraulic { g: 1.0261, a1b0: 2.1283e13, a2: 4.2297e6, a3: 3.3, beta1: 425.0, beta2: 9.9976e4, dt }
    }

    /// Mass that moves with the piston, kg.
    fn mass(&self, specimen: &dyn Specimen) -> f64 {
        let lightest = (self.a2.abs() + specimen.stiffness().abs()) * (0.5 * self.dt).powi(2);
        specimen.mass().max(lightest)
    }

    fn rate(&self, z: &State, command: f64, specimen: &dyn Specimen) -> State {
        let mut rate = [0.0; Hydraulic::STATES];
        self.oil(z, command, &mut rate);
        rate[4] = (z[2] - specimen.force(z[3], z[4])) / self.mass(specimen);
        rate
    }

    /// Rates of valve, oil and position; that of the velocity is the specimen's.
    pub(crate) fn oil(&self, z: &[f64], command: f64, rate: &mut [f64]) {
        let [y, dy, force, x, v] = [z[0], z[1], z[2], z[3], z[4]];
        rate[0] = dy;
        rate[1] = self.a1b0 * (self.g * command - x) - self.beta1 * dy - self.beta2 * y;
        rate[2] = y - self.a2 * v - self.a3 * force;
        rate[3] = v;
    }
}

impl Actuator for Hydraulic {
    fn feels(&self) -> Option<Hydraulic> {
        Some(*self)
    }
    fn memory(&self) -> usize {
        5
    }
    fn advance(&self, memory: &mut [f64], [before, now]: [f64; 2], specimen: &mut dyn Specimen) -> Reached {
        let mut z = [0.0; 5];
        z.copy_from_slice(&memory[..5]);
        let h = self.dt;
        let along = |k: &State, share: f64| std::array::from_fn(|i| z[i] + share * h * k[i]);
        let middle = 0.5 * (before + now);
        let k1 = self.rate(&z, before, specimen);
        let k2 = self.rate(&along(&k1, 0.5), middle, specimen);
        let k3 = self.rate(&along(&k2, 0.5), middle, specimen);
        let k4 = self.rate(&along(&k3, 1.0), now, specimen);
        for i in 0..5 {
            memory[i] = z[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]);
        }
        let (force, x, v) = (memory[2], memory[3], memory[4]);
        let restoring = specimen.arrive(x, v);
        Reached { x, v, a: (force - restoring) / self.mass(specimen), force }
    }
}
