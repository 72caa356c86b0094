//! Linear isotropic and kinematic hardening: the return map of Simo and Hughes (1998, box 1.5), whatever the increments.

use super::{Pace, Uniaxial};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// The yield stress grows with the plastic way, and its centre moves with the plastic strain.
#[derive(Clone, Copy, Debug)]
pub struct Hardening {
    /// Modulus, Pa.
    pub e: f64,
    /// Yield stress, Pa.
    pub fy: f64,
    /// Isotropic modulus, Pa.
    pub isotropic: f64,
    /// Kinematic modulus, Pa.
    pub kinematic: f64,
}

impl Hardening {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "hardening",
        title: "linear isotropic and kinematic hardening",
        equations: &["s = E (e - ep), |s - Hk ep| <= fy + Hi a"],
        reference: "J. C. Simo, T. J. R. Hughes, Computational Inelasticity, Springer 1998, box 1.5",
        parameters: &[
            required("E", Unit::STIFFNESS, Positive, "modulus"),
            required("fy", Unit::FORCE, Positive, "yield stress"),
            optional("Hi", Unit::STIFFNESS, NonNegative, 0.0, "isotropic hardening modulus"),
            optional("Hk", Unit::STIFFNESS, NonNegative, 0.0, "kinematic hardening modulus"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        Hardening { e: p[0], fy: p[1], isotropic: p[2], kinematic: p[3] }
    }
}

impl Uniaxial<2> for Hardening {
    /// Plastic strain and plastic way.
    fn start(&self) -> [f64; 2] {
        [0.0; 2]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[plastic, way]: &[T; 2], e: T, _: &Pace<T>) -> (T, [T; 2]) {
        let trial = (e - plastic) * self.e;
        let relative = trial - plastic * self.kinematic;
        let beyond = relative.abs() - way * self.isotropic - self.fy;
        // On the yield surface, as near as strains can be told apart, the tangent is that of yielding.
        let slack = T::constant(-self.e * f64::EPSILON);
        let slip = beyond.greater(slack, beyond / (self.e + self.kinematic + self.isotropic), T::constant(0.0));
        let moved = slip * relative.sign();
        (trial - moved * self.e, [plastic + moved, way + slip])
    }
}
