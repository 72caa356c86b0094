//! Actuators, each with the specimen it moves, advanced over one sample of the controller.
//!
//! **Must not be here:** sensors, controllers, what commands the actuator.
//!
//! An actuator is given the command at the beginning and at the end of a sample and says where the specimen is at its end.
//! What a [`ideal`] or [`transfer`] actuator reaches does not depend on the specimen; a [`hydraulic`] one is slowed by it. Actuators that
//! act on one another move together, as [`coupled`].

pub mod coupled;
pub mod delayed;
pub mod exponential;
pub mod hydraulic;
pub mod ideal;
pub mod limits;
pub mod response;
pub mod state_space;
pub mod transfer;
pub mod uncertain;

pub use coupled::Coupled;
pub use delayed::Delayed;
pub use hydraulic::Hydraulic;
pub use ideal::Ideal;
pub use limits::{Limited, Limits};
pub use realfft::num_complex::Complex64;
pub use state_space::{Rational, StateSpace};
pub use transfer::Transfer;

/// What an actuator moves: a mass and a restoring force.
pub trait Specimen {
    /// Mass that moves with the actuator, kg.
    fn mass(&self) -> f64;
    /// Stiffness about where it is, N/m.
    fn stiffness(&self) -> f64;
    /// Restoring and damping force at a trial point, N: nothing moves on.
    fn force(&self, x: f64, v: f64) -> f64;
    /// The specimen has come to this point at the end of a sample: a law with a path moves on. The force there.
    fn arrive(&mut self, x: f64, v: f64) -> f64 {
        self.force(x, v)
    }
}

/// m, c, k.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSpecimen {
    /// Mass, kg.
    pub mass: f64,
    /// Damping, N s/m.
    pub damping: f64,
    /// Stiffness, N/m.
    pub stiffness: f64,
}

impl Specimen for LinearSpecimen {
    fn mass(&self) -> f64 {
        self.mass
    }
    fn stiffness(&self) -> f64 {
        self.stiffness
    }
    fn force(&self, x: f64, v: f64) -> f64 {
        self.damping * v + self.stiffness * x
    }
}

/// Where a specimen is at the end of a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reached {
    /// Displacement, m.
    pub x: f64,
    /// Velocity, m/s.
    pub v: f64,
    /// Acceleration, m/s².
    pub a: f64,
    /// What a load cell between actuator and specimen feels, N: m a and the restoring force.
    pub force: f64,
}

impl Reached {
    /// A specimen that is moved here whatever its force.
    fn imposed(x: f64, v: f64, a: f64, specimen: &mut dyn Specimen) -> Self {
        Reached { x, v, a, force: specimen.mass() * a + specimen.arrive(x, v) }
    }
}

/// An actuator, made for one sampling interval. All zeros in its memory: at rest in the middle.
pub trait Actuator: Send + Sync {
    /// Numbers it remembers.
    fn memory(&self) -> usize;
    /// Moves over one sample, in which the command goes linearly from the first to the second value, m.
    fn advance(&self, memory: &mut [f64], command: [f64; 2], specimen: &mut dyn Specimen) -> Reached;

    /// The actuator inside, if what it reaches depends on the specimen: such ones are moved together. Its memory is the end of this one's.
    fn feels(&self) -> Option<Hydraulic> {
        None
    }
    /// What comes of a command to the actuator inside: delayed, limited.
    fn pass(&self, _memory: &mut [f64], command: [f64; 2]) -> [f64; 2] {
        command
    }
    /// The restoring force at the end of a sample that was moved together, N.
    fn settle(&self, _memory: &mut [f64], _force: f64) {}
}
