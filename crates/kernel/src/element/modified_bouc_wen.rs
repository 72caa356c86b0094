//! Bouc-Wen hysteresis whose elastic slope falls with the displacement: reinforced concrete piers.
//!
//! p = z,   z' = [rho k / (1 + alpha q^2) - (beta sign(q' z) + gamma) |z|^n] q'
//!
//! Paper 003, eq. 21. With alpha = beta = gamma = 0 and rho = 1 it is the linear spring k (the paper's
//! "beta and rho set to zero for the linear case" cannot be meant: rho = 0 removes the force).
//! It cannot give energy back over a cycle from rest if beta - |gamma| >= sqrt(alpha) / 2 (n = 1; a
//! sufficient condition, from z q' = (z z' + (beta sign(q' z) + gamma) |z| z q') (1 + alpha q^2) / (rho k)).
//! Deviations: sign(q' z) |z|^n q' is written sign(z) |z|^n |q'|, which does not underflow; z beyond the strength at q = 0,
//! where the exact solution never is, counts as that strength.

use super::info::{Info, PATH_OPTION, Range::*, State, Unit, optional, required};
use super::path::PathMoved;
use super::{Law, Local, Response, signed_power, strength, within};
use crate::Scalar;

/// Modified Bouc-Wen element between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct ModifiedBoucWen {
    /// Initial stiffness for rho = 1, N/m.
    pub k: f64,
    /// Shape, N^(1-n)/m.
    pub beta: f64,
    /// Loss of elastic slope with the displacement, 1/m^2.
    pub alpha: f64,
    /// Shape, N^(1-n)/m.
    pub gamma: f64,
    /// Sharpness of the yield corner.
    pub n: f64,
    /// Factor of the initial stiffness.
    pub rho: f64,
    strength: f64,
}

const SHAPE: Unit = Unit { force: 1.0, force_n: -1.0, disp: -1.0, ..Unit::NONE };
const PER_DISP_SQUARED: Unit = Unit { disp: -2.0, ..Unit::NONE };

impl ModifiedBoucWen {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "modified-bouc-wen",
        title: "Bouc-Wen hysteresis with displacement softening",
        equations: &["p = z", "z' = [rho k / (1 + alpha q^2) - (beta sign(q' z) + gamma) |z|^n] q'"],
        reference: "Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems, eq. 21",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "initial stiffness for rho = 1"),
            required("beta", SHAPE, Any, "shape: width of the loop"),
            optional("alpha", PER_DISP_SQUARED, NonNegative, 0.0, "loss of elastic slope with the displacement"),
            optional("gamma", SHAPE, Any, 0.0, "shape: bulge of the loop"),
            optional("n", Unit::NONE, Between(0.5, 100.0), 1.0, "sharpness of the yield corner"),
            optional("rho", Unit::NONE, NonNegative, 1.0, "factor of the initial stiffness"),
        ],
        options: &[PATH_OPTION],
        states: &[State { name: "z", unit: Unit::FORCE }],
        hysteretic: true,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 6]) -> Self {
        let [k, beta, alpha, gamma, n, rho] = p;
        Self { k, beta, alpha, gamma, n, rho, strength: bound(p) }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 6] {
        [self.k, self.beta, self.alpha, self.gamma, self.n, self.rho]
    }
}

/// What |z| cannot exceed, N.
fn bound<T: Scalar>([k, beta, _, gamma, n, rho]: [T; 6]) -> T {
    strength(rho * k, beta + gamma, n)
}

impl Law<1, 1> for ModifiedBoucWen {
    fn strength<T: Scalar>(parameters: &[T]) -> Option<T> {
        parameters.try_into().ok().map(bound)
    }

    fn response<T: Scalar>(&self, x: &Local<T, 1, 1>) -> Response<T, 1, 1> {
        let (q, v, z) = (x.q[0], x.v[0], within(self.strength, x.s[0]));
        let elastic = v * (self.rho * self.k) / (q * q * self.alpha + 1.0);
        let zn = z.abs().powf(self.n);
        let rate = elastic - v.abs() * signed_power(z, self.n) * self.beta - v * zn * self.gamma;
        Response { p: [z], g: [rate] }
    }
}

impl PathMoved for ModifiedBoucWen {
    fn bounded<T: Scalar>(&self, z: T) -> T {
        within(self.strength, z)
    }
}
