//! Concrete without tension: the envelope of Kent, Scott and Park (Scott, Park and Priestley, ACI Journal 79(1), 1982), unloading
//! after Karsan and Jirsa (J. Struct. Div. ASCE 95, 1969); `Concrete01` of OpenSees.

use super::{Pace, Uniaxial, zero};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, required};

/// The compression envelope that both concretes have. All four numbers are negative.
#[derive(Clone, Copy, Debug)]
pub struct Envelope {
    /// Strength, Pa.
    pub fc: f64,
    /// Strain at the strength.
    pub ec0: f64,
    /// Residual stress, Pa.
    pub fcu: f64,
    /// Strain from which the residual stress holds.
    pub ecu: f64,
}

impl Envelope {
    /// Modulus at rest, Pa.
    pub fn modulus(&self) -> f64 {
        2.0 * self.fc / self.ec0
    }

    /// Stress and slope: a parabola to the strength, a line to the residual stress, which stays.
    #[inline(always)]
    pub fn at<T: Scalar>(&self, e: T) -> (T, T) {
        let x = e * (1.0 / self.ec0);
        let slope = (self.fcu - self.fc) / (self.ecu - self.ec0);
        let (first, second) = (T::constant(self.ec0), T::constant(self.ecu));
        let parabola = (x * 2.0 - x * x) * self.fc;
        let line = (e - self.ec0) * slope + self.fc;
        let s = e.greater(first, parabola, e.greater(second, line, T::constant(self.fcu)));
        let steep = (T::constant(1.0) - x) * self.modulus();
        (s, e.greater(first, steep, e.greater(second, T::constant(slope), T::constant(0.0))))
    }
}

/// Concrete that opens without stress.
#[derive(Clone, Copy, Debug)]
pub struct KentPark(pub Envelope);

impl KentPark {
    /// Slope of unloading from a point of the envelope, and the strain at which it meets zero stress.
    #[inline(always)]
    fn unloading<T: Scalar>(&self, e: T, envelope: T) -> (T, T) {
        let Envelope { ec0, ecu, .. } = self.0;
        let modulus = T::constant(self.0.modulus());
        let x = e.max(T::constant(ecu)) * (1.0 / ec0);
        let ratio = T::constant(2.0).greater(x, x * x * 0.145 + x * 0.13, (x - 2.0) * 0.707 + 0.834);
        let (plastic, elastic) = (e - ratio * ec0, envelope * (1.0 / self.0.modulus()));
        let none = plastic.greater(T::constant(-f64::EPSILON), T::constant(1.0), T::constant(0.0));
        let whole = none.greater(T::constant(0.0), T::constant(-1.0), plastic);
        // `plastic` is how far unloading leads back: along the rule where that is the softer way, else with the modulus.
        let soft = |rule: T, stiff: T| plastic.greater(elastic, stiff, rule);
        let slope = none.greater(T::constant(0.0), modulus, soft(envelope / whole, modulus));
        let end = none.greater(T::constant(0.0), ratio * ec0, soft(e - plastic, e - elastic));
        (slope, end)
    }
}

impl KentPark {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "kent-park",
        title: "concrete without tension: Kent, Scott and Park with unloading after Karsan and Jirsa (Concrete01 of OpenSees)",
        equations: &["s = fc (2 x - x^2), x = e / ec0, then a line to (ecu, fcu), then fcu"],
        reference: "B. D. Scott, R. Park, M. J. N. Priestley, ACI Journal 79(1), 1982; I. D. Karsan, J. O. Jirsa, J. Struct. Div. ASCE 95, 1969",
        parameters: &[
            required("fc", Unit::FORCE, Any, "strength, negative"),
            required("ec0", Unit::DISP, Any, "strain at the strength, negative"),
            required("fcu", Unit::FORCE, Any, "residual stress, negative or zero"),
            required("ecu", Unit::DISP, Any, "strain from which the residual stress holds, negative"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        KentPark(Envelope { fc: p[0], ec0: p[1], fcu: p[2], ecu: p[3] })
    }
}

impl Uniaxial<6> for KentPark {
    /// Strain, stress, smallest strain, end and slope of unloading from there, tangent.
    fn start(&self) -> [f64; 6] {
        let modulus = self.0.modulus();
        [0.0, 0.0, 0.0, 0.0, modulus, modulus]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 6], e: T, pace: &Pace<T>) -> (T, [T; 6]) {
        let (s, _, h) = self.respond(h, e, pace);
        (s, h)
    }

    #[inline(always)]
    fn respond<T: Scalar>(&self, &[ec, sc, emin, end, slope, tangent]: &[T; 6], e: T, _: &Pace<T>) -> (T, T, [T; 6]) {
        let nil = T::constant(0.0);
        let d = e - ec;
        let line = sc + slope * d;
        // Towards compression: on the envelope, on the unloading line, or not yet in contact.
        let (envelope, steep) = self.0.at(e);
        let (new_slope, new_end) = self.unloading(e, envelope);
        let beyond = |then: T, stays: T| e.greater(emin, stays, then);
        let touches = |then: T, open: T| e.greater(end, open, then);
        let s = beyond(envelope, touches(slope * (e - end), nil));
        let k = beyond(steep, touches(slope, nil));
        let (emin1, end1, slope1) = (beyond(e, emin), beyond(new_end, end), beyond(new_slope, slope));
        let (s, k) = (line.greater(s, line, s), line.greater(s, slope1, k));
        // Towards tension: along the line until it opens.
        let (back, back_k) = (line.greater(nil, nil, line), line.greater(nil, nil, slope));
        let down = |then: T, else_: T| nil.greater(d, then, else_);
        let open = |then: T, else_: T| e.greater(nil, then, else_);
        let s = open(nil, down(s, zero(d, sc + tangent * d, back)));
        let k = open(nil, down(k, zero(d, tangent, back_k)));
        let history = |new: T, old: T| open(old, down(new, old));
        (s, k, [e, s, history(emin1, emin), history(end1, end), history(slope1, slope), k])
    }
}
