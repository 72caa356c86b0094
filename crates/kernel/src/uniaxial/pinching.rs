//! Pinching hysteresis on two backbones of three lines, with damage and unloading that degrades (Scott and Filippou); `Hysteretic`
//! of OpenSees.
//!
//! The rule is the same in both directions: it is written once, for a motion towards a side, "mine", with everything mirrored for the
//! other one.

use super::{Pace, Uniaxial, divisor, zero};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// Damage that goes on for ever must not carry a largest deformation out of the numbers.
const FAR: f64 = 1e16;
/// Share of the first stiffness where a backbone or a slip is flat.
const FLAT: f64 = 1e-9;

/// One side of the envelope, as positive numbers.
#[derive(Clone, Copy, Debug)]
pub struct Backbone {
    /// Deformations of the three corners.
    pub r: [f64; 3],
    /// Forces there.
    pub m: [f64; 3],
}

impl Backbone {
    /// Stiffnesses of the three lines.
    fn slopes(&self) -> [f64; 3] {
        let ([r1, r2, r3], [m1, m2, m3]) = (self.r, self.m);
        [m1 / r1, (m2 - m1) / (r2 - r1), (m3 - m2) / (r3 - r2)]
    }

    /// Stiffness of unloading.
    fn unloading(&self) -> f64 {
        self.slopes().into_iter().fold(0.0, f64::max)
    }

    /// Area below it.
    fn area(&self) -> f64 {
        let ([r1, r2, r3], [m1, m2, m3]) = (self.r, self.m);
        0.5 * (r1 * m1 + (r2 - r1) * (m2 + m1) + (r3 - r2) * (m3 + m2))
    }

    /// Force and tangent at a deformation.
    #[inline]
    fn at<T: Scalar>(&self, x: T) -> (T, T) {
        let ([r1, r2, r3], [m1, m2, m3], [e1, e2, e3]) = (self.r, self.m, self.slopes());
        let flat = |slope: f64| T::constant(if slope > 0.0 { slope } else { e1 * FLAT });
        let beyond = if e3 > 0.0 { (x - r3) * e3 + m3 } else { T::constant(m3) };
        let up_to = |corner: f64, then: T, else_: T| x.greater(T::constant(corner), else_, then);
        let lines = up_to(r2, (x - r1) * e2 + m1, up_to(r3, (x - r2) * e3 + m2, beyond));
        let force = up_to(0.0, T::constant(0.0), up_to(r1, x * e1, lines));
        let last = up_to(r2, T::constant(e2), up_to(r3, T::constant(e3), flat(e3)));
        (force, up_to(0.0, T::constant(e1 * FLAT), up_to(r1, T::constant(e1), last)))
    }

    /// Where a softening backbone has come to zero, for the largest deformation `x` so far; the largest number where it has not.
    #[inline]
    fn exhausted<T: Scalar>(&self, x: T) -> T {
        let ([r1, r2, _], [m1, m2, _], [_, e2, e3]) = (self.r, self.m, self.slopes());
        let zero_of = |slope: f64, r: f64, m: f64| {
            let limit = if slope < 0.0 { r - m / slope } else { f64::MAX };
            T::constant(if self.at(limit).0 > 0.0 { f64::MAX } else { limit })
        };
        let last = x.greater(T::constant(r2), zero_of(e3, r2, m2), zero_of(e2, r1, m1));
        x.greater(T::constant(r1), last, T::constant(f64::MAX))
    }
}

/// A spring that pinches.
#[derive(Clone, Copy, Debug)]
pub struct Pinching {
    /// Towards positive deformations.
    pub positive: Backbone,
    /// Towards negative ones, as positive numbers.
    pub negative: Backbone,
    /// Share of the deformation at which reloading stiffens.
    pub pinch_x: f64,
    /// Share of the force there.
    pub pinch_y: f64,
    /// Damage by deformation.
    pub damage_deformation: f64,
    /// Damage by energy.
    pub damage_energy: f64,
    /// Exponent by which unloading softens.
    pub beta: f64,
}

/// The state seen from the side towards which it moves.
#[derive(Clone, Copy)]
struct Towards<T> {
    /// Committed deformation and force.
    ec: T,
    sc: T,
    /// Largest deformations: mine, and the other side's as a positive number.
    mine: T,
    other: T,
    /// Where unloading of the other side met zero.
    zero: T,
    energy: T,
    /// Positive where it moved to the other side before.
    turned: T,
}

impl Pinching {
    /// Force, tangent, largest deformation of this side and zero of the other after moving to `e` within the envelopes.
    #[inline]
    fn towards<T: Scalar>(&self, me: &Backbone, other: &Backbone, h: Towards<T>, e: T) -> [T; 4] {
        let (nil, one) = (T::constant(0.0), T::constant(1.0));
        let softer = |x: T, r: f64| one / one.max((x.max(nil) / r).powf(self.beta));
        let unload = softer(h.other, other.r[0]) * other.unloading();
        let reload = softer(h.mine, me.r[0]) * me.unloading();
        // A reversal under the other side's force: where that comes to zero, and the damage it has done.
        let turning = |then: T, stays: T| h.turned.greater(nil, h.sc.greater(nil, stays, then), stays);
        let release = turning(h.ec - h.sc / unload, h.zero);
        let energy = h.energy - h.sc * h.sc * 0.5 / unload;
        let area = self.positive.area() + self.negative.area();
        let worn = energy * (self.damage_energy / area) + (h.other - other.r[0]) / other.r[0] * self.damage_deformation;
        let damage = h.other.greater(T::constant(other.r[0]), worn, nil);
        let top = turning(h.mine * (damage + 1.0), h.mine).min(T::constant(FAR)).max(T::constant(me.r[0]));
        let (peak, _) = me.at(top);
        let slack = release.max(-other.exhausted(h.other));
        let corner = slack + (top - peak * (1.0 - self.pinch_y) / reload - slack) * self.pinch_x;
        let d = e - h.ec;
        let freed = h.sc + unload * d;
        let stiff = h.sc + reload * d;
        // Unloading the other side, pinched, or stiffening to the largest deformation.
        let pinched = peak * self.pinch_y / divisor(corner - slack);
        let rising = peak * (1.0 - self.pinch_y) / divisor(top - corner);
        let first = pinched * (e - slack);
        let second = peak * self.pinch_y + rising * (e - corner);
        let lower = |line: T| stiff.min(line);
        let slope = |line: T, k: T| line.greater(stiff, reload, k);
        let unloading = nil.greater(freed, freed, nil);
        let before = |x: T, then: T, else_: T| x.greater(e, then, else_);
        let up_to = |x: T, then: T, else_: T| e.greater(x, else_, then);
        let s = before(release, unloading, before(corner, up_to(slack, nil, lower(first)), lower(second)));
        let flat = T::constant(FLAT);
        let k = before(
            release,
            nil.greater(freed, unload, flat * other.unloading()),
            before(corner, up_to(slack, flat * me.unloading(), slope(first, pinched)), slope(second, rising)),
        );
        [s, k, top, release]
    }
}

impl Pinching {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "pinching",
        title: "pinching hysteresis with damage on two backbones of three lines (Hysteretic of OpenSees)",
        equations: &["on the backbone beyond the largest deformation; within, unloading to zero, pinched reloading"],
        reference: "M. H. Scott, F. C. Filippou (OpenSees)",
        parameters: &[
            required("m1p", Unit::FORCE, Any, "force at corner 1, positive side"),
            required("r1p", Unit::DISP, Any, "deformation at corner 1, positive side"),
            required("m2p", Unit::FORCE, Any, "force at corner 2, positive side"),
            required("r2p", Unit::DISP, Any, "deformation at corner 2, positive side"),
            required("m3p", Unit::FORCE, Any, "force at corner 3, positive side"),
            required("r3p", Unit::DISP, Any, "deformation at corner 3, positive side"),
            required("m1n", Unit::FORCE, Any, "force at corner 1, negative side"),
            required("r1n", Unit::DISP, Any, "deformation at corner 1, negative side"),
            required("m2n", Unit::FORCE, Any, "force at corner 2, negative side"),
            required("r2n", Unit::DISP, Any, "deformation at corner 2, negative side"),
            required("m3n", Unit::FORCE, Any, "force at corner 3, negative side"),
            required("r3n", Unit::DISP, Any, "deformation at corner 3, negative side"),
            optional(
                "pinch_x",
                Unit::NONE,
                Between(0.0, 1.0),
                1.0,
                "share of the deformation at which reloading stiffens",
            ),
            optional("pinch_y", Unit::NONE, Between(0.0, 1.0), 1.0, "share of the force there"),
            optional("damage1", Unit::NONE, NonNegative, 0.0, "damage by deformation"),
            optional("damage2", Unit::NONE, NonNegative, 0.0, "damage by energy"),
            optional("beta", Unit::NONE, NonNegative, 0.0, "exponent by which unloading softens"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        let side = |first: usize, sign: f64| Backbone {
            m: [0, 2, 4].map(|i| sign * p[first + i]),
            r: [1, 3, 5].map(|i| sign * p[first + i]),
        };
        Pinching {
            positive: side(0, 1.0),
            negative: side(6, -1.0),
            pinch_x: p[12],
            pinch_y: p[13],
            damage_deformation: p[14],
            damage_energy: p[15],
            beta: p[16],
        }
    }
}

impl Uniaxial<9> for Pinching {
    /// Deformation, force, largest deformations of both sides, zeros of unloading of the positive and of the negative side, energy,
    /// direction, tangent.
    fn start(&self) -> [f64; 9] {
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, self.positive.slopes()[0]]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 9], e: T, _: &Pace<T>) -> (T, [T; 9]) {
        let &[ec, sc, top, bottom, zp, zn, energy, dir, tangent] = h;
        let nil = T::constant(0.0);
        let d = e - ec;
        let up = Towards { ec, sc, mine: top, other: -bottom, zero: zn, energy, turned: -dir };
        let down = Towards { ec: -ec, sc: -sc, mine: -bottom, other: top, zero: -zp, energy, turned: dir };
        let [su, ku, top1, zn1] = self.towards(&self.positive, &self.negative, up, e);
        let [sd, kd, bottom1, zp1] = self.towards(&self.negative, &self.positive, down, -e);
        let (over, over_k) = self.positive.at(e);
        let (under, under_k) = self.negative.at(-e);
        // On the envelopes, else within them towards one side.
        let rises = |up: T, down: T| d.greater(nil, up, down);
        let place = |above: T, below: T, inside: T| top.greater(e, e.greater(bottom, inside, below), above);
        let s = place(over, -under, rises(su, -sd));
        let k = place(over_k, under_k, rises(ku, kd));
        let next = [
            e,
            s,
            place(e, top, rises(top1, top)),
            place(bottom, e, rises(bottom, -bottom1)),
            place(zp, zp, rises(zp, -zp1)),
            place(zn, zn, rises(zn1, zn)),
            energy + (sc + s) * d * 0.5,
            place(T::constant(1.0), T::constant(-1.0), d.sign()),
            k,
        ];
        (zero(d, sc + tangent * d, s), core::array::from_fn(|i| zero(d, h[i], next[i])))
    }
}
