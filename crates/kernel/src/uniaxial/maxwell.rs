//! Linear Maxwell: a spring and a dashpot in series, with the exponential of the step.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, required};

/// s' = K e' - s K / C over an increment at a constant rate, with the trapezoidal weight (1 + g)/2 of the increment, which is
/// right to second order in dt K / C.
#[derive(Clone, Copy, Debug)]
pub struct Maxwell {
    /// Stiffness of the spring.
    pub k: f64,
    /// Coefficient of the dashpot.
    pub c: f64,
}

impl Maxwell {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "maxwell",
        title: "a spring and a dashpot in series",
        equations: &["s' = k e' - s k / c"],
        reference: "elementary; the exponential of the step",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "stiffness of the spring"),
            required("c", Unit::DAMPING, Positive, "coefficient of the dashpot"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        Maxwell { k: p[0], c: p[1] }
    }
}

impl Uniaxial<3> for Maxwell {
    /// Strain, stress and time.
    fn start(&self) -> [f64; 3] {
        [0.0; 3]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[ec, sc, tc]: &[T; 3], e: T, pace: &Pace<T>) -> (T, [T; 3]) {
        let g = ((tc - pace.t) * (self.k / self.c)).exp();
        let s = sc * g + (e - ec) * (g + 1.0) * (0.5 * self.k);
        (s, [e, s, pace.t])
    }
}
