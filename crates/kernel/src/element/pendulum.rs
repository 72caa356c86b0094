//! Rigid pendulum hanging from a floor that moves horizontally.
//!
//! Bob at X = x + L sin(theta), L cos(theta) below the floor, theta from the vertical:
//! M = [[m, m L cos(theta)], [m L cos(theta), m L^2]]
//! p = [-m L sin(theta) theta'^2, m g L sin(theta)]
//!
//! Lagrange's equations of T = m/2 [(x' + L theta' cos(theta))^2 + (L theta' sin(theta))^2] and
//! V = m g L (1 - cos(theta)); paper 000, sec. 2.1. Deviations: none. M is singular at theta = 0 and pi,
//! so the floor needs a mass of its own. A ground acceleration enters through M, as for any other mass.

use super::info::{Coordinate, Coordinates, Info, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// Pendulum; coordinates: floor displacement (m) and angle (rad).
#[derive(Clone, Copy, Debug)]
pub struct Pendulum {
    /// Mass of the bob, kg.
    pub m: f64,
    /// Length, m.
    pub length: f64,
    /// Acceleration of gravity, m/s^2.
    pub g: f64,
}

impl Pendulum {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "pendulum",
        title: "rigid pendulum below a floor",
        equations: &[
            "M = [[m, m L cos(theta)], [m L cos(theta), m L^2]]",
            "p = [-m L sin(theta) theta'^2, m g L sin(theta)]",
        ],
        reference: "Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form, sec. 2.1",
        coordinates: Coordinates::Listed(&[
            Coordinate { name: "x", angle: false, doc: "horizontal displacement of the floor" },
            Coordinate { name: "theta", angle: true, doc: "angle from the vertical, positive towards positive x" },
        ]),
        parameters: &[
            required("m", Unit::MASS, Positive, "mass of the bob"),
            required("length", Unit::LENGTH, Positive, "length L from pivot to bob"),
            // 9.81 rather than the standard 9.80665: the value with which the papers' results were made.
            optional("g", Unit::ACCELERATION, NonNegative, 9.81, "acceleration of gravity"),
        ],
        // The centrifugal force couples theta' into the floor, but not the floor's rate into the angle.
        symmetric: false,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 3]) -> Self {
        Self { m: p[0], length: p[1], g: p[2] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 3] {
        [self.m, self.length, self.g]
    }
}

impl Law<2, 0> for Pendulum {
    const HAS_MASS: bool = true;

    fn response<T: Scalar>(&self, x: &Local<T, 2, 0>) -> Response<T, 2, 0> {
        let (theta, omega) = (x.q[1], x.v[1]);
        let sin = theta.sin() * (self.m * self.length);
        Response { p: [-(sin * omega * omega), sin * self.g], g: [] }
    }

    fn mass<T: Scalar>(&self, q: &[T; 2]) -> [[T; 2]; 2] {
        let coupling = q[1].cos() * (self.m * self.length);
        [[T::constant(self.m), coupling], [coupling, T::constant(self.m * self.length * self.length)]]
    }
}
