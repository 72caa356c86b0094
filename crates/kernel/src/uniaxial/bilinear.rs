//! Bilinear with kinematic hardening, and isotropic hardening if wanted (Filippou, Popov and Bertero, UCB/EERC-83/19, 1983).
//! As `Steel01` of OpenSees has it: the stress of an increment that reverses still sees the old yield stress.

use super::{Pace, Uniaxial, isotropic, zero};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// Without isotropic hardening this is the backward-Euler return to the lines of hardening, whatever the increments.
#[derive(Clone, Copy, Debug)]
pub struct Bilinear {
    /// Yield stress, Pa.
    pub fy: f64,
    /// Modulus before yielding, Pa.
    pub e0: f64,
    /// Ratio of the modulus after yielding to that before.
    pub b: f64,
    /// Growth of the yield stress in compression: share per 2 `a2` yield strains of range, and that number.
    pub compression: [f64; 2],
    /// The same in tension.
    pub tension: [f64; 2],
}

impl Bilinear {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "bilinear",
        title: "bilinear with kinematic and isotropic hardening (Steel01 of OpenSees)",
        equations: &["s = s0 + E (e - e0) between the lines b E e -+ fy (1 - b)"],
        reference: "F. C. Filippou, E. P. Popov, V. V. Bertero, UCB/EERC-83/19, 1983",
        parameters: &[
            required("fy", Unit::FORCE, Positive, "yield stress"),
            required("E", Unit::STIFFNESS, Positive, "modulus"),
            required("b", Unit::NONE, Between(-0.999, 0.999), "hardening ratio"),
            optional("a1", Unit::NONE, NonNegative, 0.0, "growth of the yield stress in compression"),
            optional("a2", Unit::NONE, Positive, 55.0, "yield strains of range to which it belongs, halved"),
            optional("a3", Unit::NONE, NonNegative, 0.0, "growth of the yield stress in tension"),
            optional("a4", Unit::NONE, Positive, 55.0, "yield strains of range to which it belongs, halved"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        Bilinear { fy: p[0], e0: p[1], b: p[2], compression: [p[3], p[4]], tension: [p[5], p[6]] }
    }
}

impl Uniaxial<8> for Bilinear {
    /// Strain, stress, largest and smallest strain of a reversal, growth in tension and in compression, direction, tangent.
    fn start(&self) -> [f64; 8] {
        [0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, self.e0]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 8], e: T, pace: &Pace<T>) -> (T, [T; 8]) {
        let (s, _, h) = self.respond(h, e, pace);
        (s, h)
    }

    #[inline(always)]
    fn respond<T: Scalar>(
        &self,
        &[ec, sc, emax, emin, tension, compression, dir, tangent]: &[T; 8],
        e: T,
        _: &Pace<T>,
    ) -> (T, T, [T; 8]) {
        let nil = T::constant(0.0);
        let (d, ey, soft) = (e - ec, self.fy / self.e0, self.b * self.e0);
        let trial = sc + d * self.e0;
        let width = self.fy * (1.0 - self.b);
        let s = (e * soft - compression * width).max((e * soft + tension * width).min(trial));
        let elastic = zero(s - trial, T::constant(self.e0), T::constant(soft));
        // Reversals: from tension to compression, and back.
        let down = |then: T, stays: T| dir.greater(nil, nil.greater(d, then, stays), stays);
        let up = |then: T, stays: T| nil.greater(dir, d.greater(nil, then, stays), stays);
        let top = down(emax.max(ec), emax);
        let bottom = up(emin.min(ec), emin);
        let next = [
            e,
            s,
            top,
            bottom,
            up(isotropic(self.tension, emax - bottom, ey), tension),
            down(isotropic(self.compression, top - emin, ey), compression),
            zero(d, dir, d.sign()),
            elastic,
        ];
        // No increment: stress and tangent as they were.
        let rest = sc + tangent * d;
        let kept = [ec, sc, emax, emin, tension, compression, dir, tangent];
        let mut history = next;
        (0..8).for_each(|i| history[i] = zero(d, kept[i], next[i]));
        (zero(d, rest, s), history[7], history)
    }
}
