//! Elastic-plastic with a gap: no stress until the gap is closed, then elastic, then yielding with hardening. One-sided.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// Positive yield stress and gap: acts in tension; both negative: in compression.
#[derive(Clone, Copy, Debug)]
pub struct ElasticPlasticGap {
    /// Modulus, Pa.
    pub e: f64,
    /// Yield stress, Pa, of the sign of the side on which it acts.
    pub fy: f64,
    /// Gap, a strain of the same sign.
    pub gap: f64,
    /// Ratio of the modulus after yielding to that before.
    pub hardening: f64,
    /// Whether a gap that yielding has widened stays wide; it closes behind otherwise.
    pub damage: bool,
}

impl ElasticPlasticGap {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "elastic-plastic-gap",
        title: "elastic-plastic behind a gap, on one side",
        equations: &["s = 0 until e reaches the gap, then E (e - gap), yielding at fy with the hardening ratio eta"],
        reference: "elementary",
        parameters: &[
            required("E", Unit::STIFFNESS, Positive, "modulus"),
            required("fy", Unit::FORCE, Any, "yield stress: positive acts in tension, negative in compression"),
            required("gap", Unit::DISP, Any, "gap, of the sign of fy"),
            optional("eta", Unit::NONE, Between(0.0, 0.999), 0.0, "hardening ratio"),
            optional("damage", Unit::NONE, Between(0.0, 1.0), 0.0, "1: a gap that yielding has widened stays wide"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        ElasticPlasticGap { e: p[0], fy: p[1], gap: p[2], hardening: p[3], damage: p[4] != 0.0 }
    }
}

impl Uniaxial<2> for ElasticPlasticGap {
    /// Strains at which it yields next and at which it comes into contact, in the direction in which it acts.
    fn start(&self) -> [f64; 2] {
        let (fy, gap) = (self.fy.abs(), self.gap * self.fy.sign());
        [gap + fy / self.e, gap]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[yields, contact]: &[T; 2], e: T, _: &Pace<T>) -> (T, [T; 2]) {
        let side = self.fy.sign();
        let (fy, gap, eta) = (self.fy.abs(), self.gap * side, self.hardening);
        let e = e * side;
        let plastic = (e - gap - fy / self.e) * (eta * self.e) + fy;
        let elastic = (e - contact) * self.e;
        let s = e.greater(yields, plastic, contact.greater(e, T::constant(0.0), elastic));
        // Between the first gap and the widened one, unless it is damaged, the gap closes behind.
        let closes = |then: T, stays: T| {
            if self.damage { stays } else { e.greater(T::constant(gap), contact.greater(e, then, stays), stays) }
        };
        let next = e.greater(yields, e, closes((e - eta * gap) / (1.0 - eta) + fy / self.e, yields));
        let touch = e.greater(yields, e - s / self.e, closes(e, contact));
        (s * side, [next, touch])
    }
}
