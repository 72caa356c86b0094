//! Pendulum on a spring, hanging from a pivot that moves horizontally.
//!
//! Bob at X = x + rho sin(theta), rho cos(theta) below the pivot; spring length rho, natural length L:
//! M = m [[1, sin(theta), rho cos(theta)], [sin(theta), 1, 0], [rho cos(theta), 0, rho^2]]
//! p_x     = m (2 rho' theta' cos(theta) - rho theta'^2 sin(theta))
//! p_rho   = k (rho - L) + c rho' - m rho theta'^2 - m g cos(theta)
//! p_theta = 2 m rho rho' theta' + m g rho sin(theta)
//!
//! Lagrange's equations of T = m/2 (X'^2 + Y'^2), V = k/2 (rho - L)^2 - m g rho cos(theta) and the dashpot
//! c along the spring; paper 000, Table 2.1 (the geometry is the reading of the methods file, LSRT 9.6).
//! Deviations: none. The bob alone has two translations for three coordinates, so M is singular for
//! every configuration: the pivot needs a mass of its own. rho = 0 is singular; the rest position is
//! rho = L + m g / k, theta = 0, and has to be given as the initial condition.

use super::info::{Coordinate, Coordinates, Info, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// Spring pendulum; coordinates: pivot displacement (m), spring length (m) and angle (rad).
#[derive(Clone, Copy, Debug)]
pub struct SpringPendulum {
    /// Mass of the bob, kg.
    pub m: f64,
    /// Spring stiffness, N/m.
    pub k: f64,
    /// Natural length of the spring, m.
    pub length: f64,
    /// Damping along the spring, N s/m.
    pub c: f64,
    /// Acceleration of gravity, m/s^2.
    pub g: f64,
}

impl SpringPendulum {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "spring-pendulum",
        title: "pendulum on a spring below a moving pivot",
        equations: &[
            "M = m [[1, sin(theta), rho cos(theta)], [sin(theta), 1, 0], [rho cos(theta), 0, rho^2]]",
            "p_x = m (2 rho' theta' cos(theta) - rho theta'^2 sin(theta))",
            "p_rho = k (rho - L) + c rho' - m rho theta'^2 - m g cos(theta)",
            "p_theta = 2 m rho rho' theta' + m g rho sin(theta)",
        ],
        reference: "Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form, Table 2.1",
        coordinates: Coordinates::Listed(&[
            Coordinate { name: "x", angle: false, doc: "horizontal displacement of the pivot" },
            Coordinate { name: "rho", angle: false, doc: "length of the spring; at rest L + m g / k" },
            Coordinate { name: "theta", angle: true, doc: "angle from the vertical, positive towards positive x" },
        ]),
        parameters: &[
            required("m", Unit::MASS, Positive, "mass of the bob"),
            required("k", Unit::LINEAR_STIFFNESS, Positive, "spring stiffness"),
            required("length", Unit::LENGTH, NonNegative, "natural length L of the spring"),
            optional("c", Unit::LINEAR_DAMPING, NonNegative, 0.0, "damping along the spring"),
            // As for the pendulum: the value of the papers.
            optional("g", Unit::ACCELERATION, NonNegative, 9.81, "acceleration of gravity"),
        ],
        symmetric: false,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 5]) -> Self {
        Self { m: p[0], k: p[1], length: p[2], c: p[3], g: p[4] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 5] {
        [self.m, self.k, self.length, self.c, self.g]
    }
}

impl Law<3, 0> for SpringPendulum {
    const HAS_MASS: bool = true;

    fn response<T: Scalar>(&self, x: &Local<T, 3, 0>) -> Response<T, 3, 0> {
        let [_, rho, theta] = x.q;
        let [_, stretching, omega] = x.v;
        let (sin, cos) = (theta.sin(), theta.cos());
        let coriolis = stretching * omega * 2.0;
        let centrifugal = rho * omega * omega;
        let spring = (rho - self.length) * self.k + stretching * self.c;
        Response {
            p: [
                (coriolis * cos - centrifugal * sin) * self.m,
                spring - (centrifugal + cos * self.g) * self.m,
                rho * (coriolis + sin * self.g) * self.m,
            ],
            g: [],
        }
    }

    fn mass<T: Scalar>(&self, q: &[T; 3]) -> [[T; 3]; 3] {
        let [_, rho, theta] = *q;
        let (m, none) = (T::constant(self.m), T::constant(0.0));
        let stretch = theta.sin() * self.m;
        let swing = rho * theta.cos() * self.m;
        [[m, stretch, swing], [stretch, m, none], [swing, none, rho * rho * self.m]]
    }
}
