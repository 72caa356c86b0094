//! Concrete with tension that softens (Yassin, PhD thesis, Berkeley 1994), on the compression envelope of Kent, Scott and Park;
//! `Concrete02` of OpenSees.

use super::kent_park::Envelope;
use super::{Pace, Uniaxial, divisor, zero};
use crate::Scalar;
use crate::element::info::{Info, Range::*, Unit, optional, required};

/// Where OpenSees has a slope that never vanishes, so that a section keeps a stiffness.
const FLAT: f64 = 1e-10;

/// Concrete that cracks.
#[derive(Clone, Copy, Debug)]
pub struct KentParkTension {
    /// In compression.
    pub envelope: Envelope,
    /// Ratio of the slope of unloading from the residual strain to the modulus at rest.
    pub lambda: f64,
    /// Strength in tension, Pa.
    pub ft: f64,
    /// Softening modulus in tension, Pa, positive.
    pub ets: f64,
}

impl KentParkTension {
    /// Tension envelope: stress and slope at a strain beyond the crack's closing.
    #[inline(always)]
    fn tension<T: Scalar>(&self, x: T) -> (T, T) {
        let modulus = self.envelope.modulus();
        let (peak, end) = (self.ft / modulus, self.ft * (1.0 / self.ets + 1.0 / modulus));
        let (first, last) = (T::constant(peak), T::constant(end));
        let softening = T::constant(self.ft) - (x - peak) * self.ets;
        let s = x.greater(first, x.greater(last, T::constant(0.0), softening), x * modulus);
        let flat = x.greater(last, T::constant(FLAT), T::constant(-self.ets));
        (s, x.greater(first, flat, T::constant(modulus)))
    }
}

impl KentParkTension {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "kent-park-tension",
        title: "concrete with tension that softens (Concrete02 of OpenSees)",
        equations: &["compression as kent-park; tension E e to ft, then falling with Ets"],
        reference: "M. H. M. Yassin, PhD thesis, Berkeley 1994",
        parameters: &[
            required("fc", Unit::FORCE, Any, "strength, negative"),
            required("ec0", Unit::DISP, Any, "strain at the strength, negative"),
            required("fcu", Unit::FORCE, Any, "residual stress, negative or zero"),
            required("ecu", Unit::DISP, Any, "strain from which the residual stress holds, negative"),
            optional("lambda", Unit::NONE, Between(0.0, 0.999), 0.1, "slope of unloading from ecu over the modulus"),
            required("ft", Unit::FORCE, Positive, "strength in tension"),
            required("Ets", Unit::STIFFNESS, Positive, "softening modulus in tension"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        KentParkTension {
            envelope: Envelope { fc: p[0], ec0: p[1], fcu: p[2], ecu: p[3] },
            lambda: p[4],
            ft: p[5],
            ets: p[6],
        }
    }
}

impl Uniaxial<5> for KentParkTension {
    /// Strain, stress, smallest strain, widest crack, tangent.
    fn start(&self) -> [f64; 5] {
        [0.0, 0.0, 0.0, 0.0, self.envelope.modulus()]
    }

    #[inline]
    fn advance<T: Scalar>(&self, h: &[T; 5], e: T, pace: &Pace<T>) -> (T, [T; 5]) {
        let (s, _, h) = self.respond(h, e, pace);
        (s, h)
    }

    #[inline(always)]
    fn respond<T: Scalar>(&self, &[ec, sc, emin, crack, tangent]: &[T; 5], e: T, _: &Pace<T>) -> (T, T, [T; 5]) {
        let modulus = self.envelope.modulus();
        let Envelope { fcu, ecu, .. } = self.envelope;
        let d = e - ec;
        // All unloading lines meet in one point.
        let focus = (fcu - self.lambda * modulus * ecu) / (modulus * (1.0 - self.lambda));
        let (lowest, _) = self.envelope.at(emin);
        let slope = (lowest - modulus * focus) / (emin - focus);
        let closing = emin - lowest / slope;
        let (envelope, steep) = self.envelope.at(e);
        let steep = zero(steep, T::constant(FLAT), steep);
        // Between the envelope and the closing of the crack: elastic, within two lines.
        let (floor, ceiling) = (lowest + slope * (e - emin), slope * 0.5 * (e - closing));
        let trial = sc + d * modulus;
        let raised = floor.greater(trial, floor, trial);
        let within = ceiling.greater(raised, raised, ceiling);
        let elastic = floor.greater(trial, slope, T::constant(modulus));
        let within_k = ceiling.greater(raised, elastic, slope * 0.5);
        // Beyond: back to the widest crack, then along the tension envelope.
        let (carried, _) = self.tension(crack);
        let secant = zero(crack, T::constant(modulus), carried / divisor(crack));
        let (opening, opening_k) = self.tension(e - closing);
        let reopens = |then: T, else_: T| e.greater(closing + crack, else_, then);
        let unloads = |then: T, else_: T| e.greater(closing, else_, then);
        let deeper = |then: T, else_: T| emin.greater(e, then, else_);
        let s = deeper(envelope, unloads(within, reopens(secant * (e - closing), opening)));
        let k = deeper(steep, unloads(within_k, reopens(secant, opening_k)));
        let wider = deeper(crack, unloads(crack, reopens(crack, e - closing)));
        let next = [e, s, deeper(e, emin), wider, k];
        let kept = [ec, sc, emin, crack, tangent];
        let mut history = next;
        (0..5).for_each(|i| history[i] = zero(d, kept[i], next[i]));
        (zero(d, sc + tangent * d, s), history[4], history)
    }
}
