//! Elastic in compression only: contact, soil, masonry; `ENT` of OpenSees.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, required};

/// s = E e where e < 0, else 0.
#[derive(Clone, Copy, Debug)]
pub struct NoTension {
    /// Modulus, Pa.
    pub e: f64,
}

impl NoTension {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "no-tension",
        title: "elastic in compression, nothing in tension",
        equations: &["s = min(E e, 0)"],
        reference: "elementary",
        parameters: &[required("E", Unit::STIFFNESS, Positive, "modulus in compression")],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        NoTension { e: p[0] }
    }
}

impl Uniaxial<0> for NoTension {
    fn start(&self) -> [f64; 0] {
        []
    }

    #[inline]
    fn advance<T: Scalar>(&self, _: &[T; 0], e: T, _: &Pace<T>) -> (T, [T; 0]) {
        // At no strain it is about to resist.
        (T::constant(0.0).min(e * self.e), [])
    }
}
