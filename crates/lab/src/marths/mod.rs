//! The benchmark of multi-axial real-time hybrid simulation (Condori Uribe, Salmeron, Patino, Montoya, Dyke, Silva, Maghareh, Najarian, Montoya, Front. Built Environ. 9:1270996, 2023).
//!
//! A frame of three storeys and three bays, of which a bay of the first storey stands in the laboratory. Two actuators with a coupler move its joint, x and
//! rotation; they are 61 and 24 ms late and move each other. [`run`] is one test: the loop of the benchmark at 1024 Hz and its ten criteria.
//!
//! **Must not be here:** controllers, ground motions (the caller brings them), tables and pictures.

pub mod coupler;
mod criteria;
mod estimator;
mod frame;
mod lqg;
mod matrix;
mod physical;
mod plant;
mod published;
mod reference;
mod rehearsal;

pub use crate::benchmark::{Motion, SCALE, Verdict};
pub use criteria::{CRITERIA, Criteria};
pub use estimator::Estimator;
pub use frame::frequencies;
pub use lqg::Lqg;
pub use plant::{Perturbation, Plant};
pub use published::{Controller, PUBLISHED, RECOMMENDED, published, registered};
pub use rehearsal::{Histories, Outcome, Reference, Settings, run};

/// Sampling rate of controller, sensors and integration, Hz.
pub const RATE: f64 = 1024.0;

/// Actuators.
pub const ACTUATORS: usize = 2;

/// Degrees of freedom of the interface: x of the first floor, rotation of joint 6 (free) and of joint 7 (held by the actuators), from 0.
const INTERFACE: [usize; 3] = [26, 28, 20];

/// Horizontal degrees of freedom of the floors, from below.
const FLOORS: [usize; 3] = [26, 25, 12];

/// Rotations that the criteria look at, one per floor.
const ROTATIONS: [usize; 3] = [20, 21, 2];

/// Noise of the displacement sensors, standard deviation, m: white, 1.5e-7 mm² s (times the rate).
pub const NOISE: f64 = 1.239_354_670_786_373_4e-5;

/// What a user of the benchmark knows of the actuators beforehand: their delays at 1 Hz, s.
pub const DELAYS: [f64; ACTUATORS] = [0.0608, 0.0239];
