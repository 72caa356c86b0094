//! Elastic, perfectly plastic.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// s = E (e - e0 - ep) between the two yield stresses; the history is the plastic strain ep.
#[derive(Clone, Copy, Debug)]
pub struct ElasticPlastic {
    /// Modulus, Pa.
    pub e: f64,
    /// Yield stress in tension, Pa.
    pub tension: f64,
    /// Yield stress in compression, Pa, negative.
    pub compression: f64,
    /// Strain without stress at the beginning.
    pub e0: f64,
}

impl ElasticPlastic {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "elastic-plastic",
        title: "elastic, perfectly plastic",
        equations: &["s = E (e - e0 - ep) within -fyc and fy"],
        reference: "elementary",
        parameters: &[
            required("E", Unit::STIFFNESS, Positive, "modulus"),
            required("fy", Unit::FORCE, Positive, "yield stress in tension"),
            optional(
                "fyc",
                Unit::FORCE,
                NonNegative,
                0.0,
                "yield stress in compression, positive; that in tension if absent",
            ),
            optional("e0", Unit::DISP, Any, 0.0, "strain without stress at the beginning"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        ElasticPlastic { e: p[0], tension: p[1], compression: -if p[2] == 0.0 { p[1] } else { p[2] }, e0: p[3] }
    }
}

impl Uniaxial<1> for ElasticPlastic {
    fn start(&self) -> [f64; 1] {
        [0.0]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[plastic]: &[T; 1], e: T, _: &Pace<T>) -> (T, [T; 1]) {
        let trial = (e - self.e0 - plastic) * self.e;
        let (tension, compression) = (T::constant(self.tension), T::constant(self.compression));
        // At the yield stress itself, as near as strains can be told apart, the tangent is that of yielding.
        let slack = self.e * f64::EPSILON;
        let s = trial.greater(tension - slack, tension, (compression + slack).greater(trial, compression, trial));
        (s, [plastic + (trial - s) / self.e])
    }
}
