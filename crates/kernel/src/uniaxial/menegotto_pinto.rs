//! Giuffré, Menegotto and Pinto (IABSE Reports 13, 1973) with the isotropic hardening of Filippou, Popov and Bertero (1983); `Steel02`
//! of OpenSees.
//!
//! A curve from the last reversal to an asymptote of hardening. After a small reversal inside of a large loop it forgets the large
//! one: it knows no nested branches, and overshoots on reloading.

use super::{Pace, Uniaxial, divisor, isotropic, zero};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// Smooth steel.
#[derive(Clone, Copy, Debug)]
pub struct MenegottoPinto {
    /// Yield stress, Pa.
    pub fy: f64,
    /// Modulus, Pa.
    pub e0: f64,
    /// Ratio of the modulus of hardening to that at rest.
    pub b: f64,
    /// Curvature: its exponent in the first branch, and the two numbers that lower it in later ones.
    pub r: [f64; 3],
    /// Growth of the yield stress in compression: share, and yield strains of range to which it belongs.
    pub compression: [f64; 2],
    /// The same in tension.
    pub tension: [f64; 2],
    /// Stress at zero strain at the beginning, Pa.
    pub initial: f64,
}

impl MenegottoPinto {
    /// b r + (1 - b) r / (1 + |r|^R)^(1/R) with its slope, and with no power of a number beyond one.
    #[inline(always)]
    fn curve<T: Scalar>(&self, r: T, exponent: T) -> (T, T) {
        let (nil, one, size) = (T::constant(0.0), T::constant(1.0), r.abs());
        let power = zero(r, nil, (-(divisor(size).ln().abs() * exponent)).exp());
        let root = (-((power + 1.0).ln() / exponent)).exp();
        let bent = r.min(one).max(-one) * root;
        let slope = size.greater(one, power, one) * root / (size.max(one) * (power + 1.0));
        (r * self.b + bent * (1.0 - self.b), slope * (1.0 - self.b) + self.b)
    }
}

impl MenegottoPinto {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "menegotto-pinto",
        title: "steel after Giuffré, Menegotto and Pinto, with isotropic hardening (Steel02 of OpenSees)",
        equations: &[
            "s = sr + (s0 - sr) (b x + (1 - b) x / (1 + |x|^R)^(1/R)), x = (e - er) / (e0 - er)",
            "R = R0 (1 - c1 xi / (c2 + xi))",
        ],
        reference: "M. Menegotto, P. E. Pinto, IABSE Reports 13, 1973; F. C. Filippou, E. P. Popov, V. V. Bertero, UCB/EERC-83/19, 1983",
        parameters: &[
            required("fy", Unit::FORCE, Positive, "yield stress"),
            required("E", Unit::STIFFNESS, Positive, "modulus"),
            required("b", Unit::NONE, Between(0.0, 0.999), "hardening ratio"),
            optional("R0", Unit::NONE, Positive, 15.0, "curvature of the first branch"),
            optional("cR1", Unit::NONE, Between(0.0, 0.999), 0.925, "how much the curvature falls"),
            optional("cR2", Unit::NONE, Positive, 0.15, "how fast it falls"),
            optional("a1", Unit::NONE, NonNegative, 0.0, "growth of the yield stress in compression"),
            optional("a2", Unit::NONE, Positive, 1.0, "yield strains of range to which it belongs, halved"),
            optional("a3", Unit::NONE, NonNegative, 0.0, "growth of the yield stress in tension"),
            optional("a4", Unit::NONE, Positive, 1.0, "yield strains of range to which it belongs, halved"),
            optional("s0", Unit::FORCE, Any, 0.0, "stress at zero strain at the beginning"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        MenegottoPinto {
            fy: p[0],
            e0: p[1],
            b: p[2],
            r: [p[3], p[4], p[5]],
            compression: [p[6], p[7]],
            tension: [p[8], p[9]],
            initial: p[10],
        }
    }
}

impl Uniaxial<10> for MenegottoPinto {
    /// Strain, stress, extreme strains, strain of the asymptotes before, corner of the asymptotes, point of the last reversal,
    /// direction.
    fn start(&self) -> [f64; 10] {
        let ey = self.fy / self.e0;
        [self.initial / self.e0, self.initial, ey, -ey, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 10], e: T, pace: &Pace<T>) -> (T, [T; 10]) {
        let (s, _, h) = self.respond(h, e, pace);
        (s, h)
    }

    #[inline(always)]
    fn respond<T: Scalar>(&self, h: &[T; 10], e: T, _: &Pace<T>) -> (T, T, [T; 10]) {
        let &[ec, sc, emax, emin, epl, es, ss, er, sr, dir] = h;
        let (nil, ey) = (T::constant(0.0), self.fy / self.e0);
        let e = e + self.initial / self.e0;
        let d = e - ec;
        let way = zero(d, dir, d.sign());
        let virgin = |then: T, stays: T| zero(dir, then, stays);
        // A reversal turns a direction; the first increment only takes one.
        let turn = |then: T, stays: T| nil.greater(dir * way, then, stays);
        let down = |then: T, stays: T| nil.greater(way, then, stays);
        let (emax, emin) = (turn(down(emax.max(ec), emax), emax), turn(down(emin, emin.min(ec)), emin));
        let (er, sr) = (turn(ec, er), turn(sc, sr));
        let growth = down(isotropic(self.compression, emax - emin, ey), isotropic(self.tension, emax - emin, ey));
        let corner =
            (way * growth * (self.fy * (1.0 - self.b)) - sr + er * self.e0) * (1.0 / (self.e0 * (1.0 - self.b)));
        let level = way * growth * self.fy + (corner - way * growth * ey) * (self.b * self.e0);
        let es = virgin(way * ey, turn(corner, es));
        let ss = virgin(way * self.fy, turn(level, ss));
        let epl = virgin(way * ey, turn(down(emin, emax), epl));
        let xi = (epl - es).abs() * (1.0 / ey);
        let [r0, c1, c2] = self.r;
        let exponent = (T::constant(1.0) - xi * c1 / (xi + c2)) * r0;
        let reach = divisor(es - er);
        let (height, slope) = self.curve((e - er) / reach, exponent);
        let (s, k) = (sr + (ss - sr) * height, (ss - sr) / reach * slope);
        // Never moved: on the elastic line.
        let (s, k) = (zero(way, sc + d * self.e0, s), zero(way, T::constant(self.e0), k));
        (s, k, [e, s, emax, emin, epl, es, ss, er, sr, way])
    }
}
