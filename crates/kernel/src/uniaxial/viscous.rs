//! A viscous dashpot whose stress is a power of the rate (fluid viscous dampers: Constantinou and Symans, NCEER-92-0032, 1992); `Viscous`
//! of OpenSees.
//!
//! For n < 1 the power has a vertical tangent at rest, which only schemes that iterate can follow. Below the rate v0 the stress is linear
//! instead: s = c v (v² + v0²)^((n-1)/2), as the element `damper` has it.

use super::{Pace, Uniaxial, strain_rate};
use crate::Scalar;
use crate::element::info::{Info, POWER_DAMPING, Range::*, Unit, optional, required};

/// s = c sign(v) |v|^n.
#[derive(Clone, Copy, Debug)]
pub struct Viscous {
    /// Stress at unit rate.
    pub c: f64,
    /// Exponent of the rate.
    pub n: f64,
    /// Rate below which the stress is linear; zero leaves it to the scheme.
    pub v0: f64,
}

/// Least rate in the tangent of a pure power, as in OpenSees.
const LEAST: f64 = 1e-11;

impl Viscous {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "viscous",
        title: "viscous, a power of the rate",
        equations: &["s = c sign(e') |e'|^n, linear below v0: s = c e' (e'^2 + v0^2)^((n-1)/2)"],
        reference: "M. C. Constantinou, M. D. Symans, Report NCEER-92-0032, 1992",
        parameters: &[
            required("c", POWER_DAMPING, NonNegative, "stress at unit rate"),
            optional("n", Unit::NONE, Between(0.0, 5.0), 1.0, "exponent of the rate"),
            optional(
                "v0",
                Unit::RATE,
                NonNegative,
                0.0,
                "rate below which it is linear; if zero or absent: none in schemes that iterate, 1 mm/s in the others",
            ),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        Viscous { c: p[0], n: p[1], v0: p[2] }
    }
}

impl Uniaxial<3> for Viscous {
    /// Strain, time and rate, see `strain_rate`.
    fn start(&self) -> [f64; 3] {
        [0.0; 3]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 3], e: T, pace: &Pace<T>) -> (T, [T; 3]) {
        let (v, next) = strain_rate(h, e, pace);
        let v0 = if self.v0 > 0.0 { self.v0 } else { pace.calm };
        if self.n == 1.0 {
            return (v * self.c, next);
        }
        if v0 > 0.0 {
            return (v * (v * v + v0 * v0).powf(0.5 * (self.n - 1.0)) * self.c, next);
        }
        let (size, least) = (v.abs(), T::constant(LEAST));
        let power = size.max(least).powf(self.n) * v.sign();
        let near = v * (self.n * LEAST.powf(self.n - 1.0));
        (size.greater(least, power, near) * self.c, next)
    }
}
