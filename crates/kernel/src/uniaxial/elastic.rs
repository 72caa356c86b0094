//! Elastic, with another modulus in compression if wanted; none of it is a material without tension or without compression.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// s = E e in tension, s = E⁻ e in compression.
#[derive(Clone, Copy, Debug)]
pub struct Elastic {
    /// Modulus in tension, Pa.
    pub e: f64,
    /// Modulus in compression, Pa.
    pub compression: f64,
}

impl Elastic {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "elastic",
        title: "elastic, with another modulus in compression if wanted",
        equations: &["s = E e + eta e' where e >= 0, else s = Ec e + eta e'"],
        reference: "elementary",
        parameters: &[
            required("E", Unit::STIFFNESS, NonNegative, "modulus in tension"),
            optional("Ec", Unit::STIFFNESS, NonNegative, -1.0, "modulus in compression; that in tension if absent"),
            optional("eta", Unit::DAMPING, NonNegative, 0.0, "viscosity beside it"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        Elastic { e: p[0], compression: if p[1] < 0.0 { p[0] } else { p[1] } }
    }
}

impl Uniaxial<0> for Elastic {
    fn start(&self) -> [f64; 0] {
        []
    }

    #[inline]
    fn advance<T: Scalar>(&self, _: &[T; 0], e: T, _: &Pace<T>) -> (T, [T; 0]) {
        (e.select(e * self.e, e * self.compression), [])
    }
}
