//! Bouc-Wen hysteresis with the force as its state, and a linear spring in parallel.
//!
//! p = k2 q + z,   z' = k q' - beta |q'| |z|^(n-1) z - gamma q' |z|^n
//!
//! R. Bouc 1967, Y. K. Wen, J. Eng. Mech. Div. ASCE 102(2):249-263, 1976; in this form (the state is a
//! force) in papers 000 and 004. The ultimate force is (k / (beta + gamma))^(1/n).
//! Deviations: z beyond the ultimate force, where the exact solution never is, counts as that force.

use super::info::{Info, PATH_OPTION, Range::*, State, Unit, optional, required};
use super::path::PathMoved;
use super::{Law, Local, Response, signed_power, strength, within};
use crate::Scalar;

/// Bouc-Wen element.
#[derive(Clone, Copy, Debug)]
pub struct BoucWen {
    /// Initial stiffness of the hysteretic part, N/m.
    pub k: f64,
    /// Shape, N^(1-n)/m.
    pub beta: f64,
    /// Shape, N^(1-n)/m.
    pub gamma: f64,
    /// Sharpness of the yield corner.
    pub n: f64,
    /// Elastic stiffness in parallel, N/m.
    pub k2: f64,
    strength: f64,
}

const SHAPE: Unit = Unit { force: 1.0, force_n: -1.0, disp: -1.0, ..Unit::NONE };

impl BoucWen {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "bouc-wen",
        title: "Bouc-Wen hysteresis",
        equations: &["p = k2 q + z", "z' = k q' - beta |q'| |z|^(n-1) z - gamma q' |z|^n"],
        reference: "Y. K. Wen, J. Eng. Mech. Div. ASCE 102(2):249-263, 1976; Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form, sec. 2.1; Hovmand, Andersen, Abbiati, Real-time hybrid simulation with nonlinear numerical substructures, eq. 11",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "initial stiffness of the hysteretic part"),
            required("beta", SHAPE, Any, "shape: width of the loop"),
            required("gamma", SHAPE, Any, "shape: bulge of the loop"),
            optional("n", Unit::NONE, Between(0.5, 100.0), 1.0, "sharpness of the yield corner"),
            optional("k2", Unit::STIFFNESS, NonNegative, 0.0, "elastic stiffness in parallel"),
        ],
        options: &[PATH_OPTION],
        states: &[State { name: "z", unit: Unit::FORCE }],
        hysteretic: true,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 5]) -> Self {
        let [k, beta, gamma, n, k2] = p;
        Self { k, beta, gamma, n, k2, strength: bound(p) }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 5] {
        [self.k, self.beta, self.gamma, self.n, self.k2]
    }
}

/// What |z| cannot exceed, N.
fn bound<T: Scalar>([k, beta, gamma, n, _]: [T; 5]) -> T {
    strength(k, beta + gamma, n)
}

impl Law<1, 1> for BoucWen {
    fn strength<T: Scalar>(parameters: &[T]) -> Option<T> {
        parameters.try_into().ok().map(bound)
    }

    fn response<T: Scalar>(&self, x: &Local<T, 1, 1>) -> Response<T, 1, 1> {
        let (z, v) = (within(self.strength, x.s[0]), x.v[0]);
        let zn = z.abs().powf(self.n);
        let rate = v * self.k - v.abs() * signed_power(z, self.n) * self.beta - v * zn * self.gamma;
        Response { p: [x.q[0] * self.k2 + z], g: [rate] }
    }
}

impl PathMoved for BoucWen {
    fn bounded<T: Scalar>(&self, z: T) -> T {
        within(self.strength, z)
    }
}
