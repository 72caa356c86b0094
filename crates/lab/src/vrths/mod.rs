//! The benchmark of virtual real-time hybrid simulation (Silva, Gomez, Maghareh, Dyke, Spencer, Mech. Syst. Signal Process. 135:106381, 2020).
//!
//! A frame of three storeys, of which a part of the first one stands in the laboratory, behind a hydraulic actuator 24 ms late. Four cases of mass
//! and damping; any controller. [`run`] is one test: the loop of the benchmark at 4096 Hz and its nine criteria.
//!
//! **Must not be here:** controllers, ground motions (the caller brings them), tables and pictures.

mod criteria;
mod frame;
mod rehearsal;

use crate::plant::{Rational, StateSpace};
pub use criteria::{CRITERIA, Criteria};
pub use frame::{CASES, Case};

pub use crate::benchmark::{Motion, SCALE, Verdict};
pub use rehearsal::{Histories, Outcome, Perturbation, Settings, run};

/// Sampling rate of controller, sensors and integration, Hz.
pub const RATE: f64 = 4096.0;

/// What a user of the benchmark knows of the actuator beforehand: its delay at the first frequency of the frame, s.
pub const DELAY: f64 = 0.024;

/// And its inverse as identified without the specimen (Galmez, Fermandois): 1, s, s², s³.
pub const LOAD_SYSTEM: [f64; 4] = [1.0, 0.019859, 8.44e-5, 1.986e-7];

/// The same as a model for methods that invert one.
pub fn model() -> Option<StateSpace> {
    StateSpace::diagonal(&[Rational { numerator: vec![1.0], denominator: LOAD_SYSTEM.to_vec() }])
}
