//! Self-centring, flag-shaped (Christopoulos, Tremblay, Kim and Lacerte, J. Struct. Eng. 134(1), 2008): friction around a
//! prestressed core; it comes back to zero.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, required};

/// Elastic with `k1` between two lines of slope `k2`: the one on which it loads, and the one on which it comes back.
#[derive(Clone, Copy, Debug)]
pub struct SelfCentring {
    /// Stiffness before activation.
    pub k1: f64,
    /// Stiffness after activation, less than `k1`.
    pub k2: f64,
    /// Activation force.
    pub activation: f64,
    /// Height of the flag as a share of the activation force, 0 to 1.
    pub beta: f64,
}

impl SelfCentring {
    /// Elastic up to a force, then of slope `k2`; for a deformation that is not negative.
    #[inline]
    fn line<T: Scalar>(&self, force: f64, e: T) -> T {
        ((e - force / self.k1) * self.k2 + force).min(e * self.k1)
    }
}

impl SelfCentring {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "self-centring",
        title: "self-centring, flag-shaped",
        equations: &["s = s0 + k1 (e - e0) between the lines of slope k2 through fa and (1 - beta) fa"],
        reference: "C. Christopoulos, R. Tremblay, H.-J. Kim, M. Lacerte, J. Struct. Eng. 134(1), 2008",
        parameters: &[
            required("k1", Unit::STIFFNESS, Positive, "stiffness before activation"),
            required("k2", Unit::STIFFNESS, NonNegative, "stiffness after activation"),
            required("fa", Unit::FORCE, Positive, "activation force"),
            required("beta", Unit::NONE, Between(0.0, 1.0), "height of the flag as a share of the activation force"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        SelfCentring { k1: p[0], k2: p[1], activation: p[2], beta: p[3] }
    }
}

impl Uniaxial<2> for SelfCentring {
    /// Deformation and force.
    fn start(&self) -> [f64; 2] {
        [0.0; 2]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[ec, sc]: &[T; 2], e: T, _: &Pace<T>) -> (T, [T; 2]) {
        let (side, size) = (e.select(T::constant(1.0), T::constant(-1.0)), e.abs());
        let trial = (sc + (e - ec) * self.k1) * side;
        let upper = self.line(self.activation, size);
        let lower = self.line(self.activation * (1.0 - self.beta), size);
        let s = lower.max(upper.min(trial)) * side;
        (s, [e, s])
    }
}
