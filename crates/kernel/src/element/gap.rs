//! Stop or discontinuous support: a spring and dashpot that act only in contact and never pull.
//!
//! p = max(0, k (q - gap) + c q')                             for q > gap, else 0
//! p = both min(0, k (q + gap) + c q') in addition            for q < -gap
//!
//! Impact element of the Kelvin-Voigt kind, e.g. S. Muthukumar and R. DesRoches, Earthquake Eng. Struct.
//! Dyn. 35(7):811-828, 2006. Difference from that form: the force is cut at zero, so that the dashpot
//! cannot hold the bodies together while they separate.
//!
//! The stiffness jumps at contact; with c > 0 the force itself jumps by c q' (impact with a dashpot). A
//! step that straddles the contact is therefore first order only, whatever the scheme.

use super::info::{Info, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// One- or two-sided stop between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Gap {
    /// Contact stiffness, N/m (N m/rad).
    pub k: f64,
    /// Opening before contact, m (rad).
    pub gap: f64,
    /// Contact damping, N s/m (N m s/rad).
    pub c: f64,
    /// 1 for a stop on both sides, 0 for q > gap only.
    pub both: f64,
}

impl Gap {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "gap",
        title: "stop or discontinuous support with an opening; never pulls",
        equations: &[
            "p = max(0, k (q - gap) + c q') for q > gap, else 0",
            "p = both min(0, k (q + gap) + c q') in addition for q < -gap",
        ],
        reference: "Kelvin-Voigt impact element, S. Muthukumar and R. DesRoches, Earthquake Eng. Struct. Dyn. \
                    35(7):811-828, 2006, with the tensile part cut off",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "contact stiffness"),
            optional("gap", Unit::DISP, NonNegative, 0.0, "opening before contact"),
            optional("c", Unit::DAMPING, NonNegative, 0.0, "contact damping"),
            optional("both", Unit::NONE, Between(0.0, 1.0), 0.0, "1: a stop on both sides; 0: for q > gap only"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 4]) -> Self {
        Self { k: p[0], gap: p[1], c: p[2], both: p[3] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 4] {
        [self.k, self.gap, self.c, self.both]
    }
}

impl Law<1, 0> for Gap {
    fn response<T: Scalar>(&self, x: &Local<T, 1, 0>) -> Response<T, 1, 0> {
        let (q, v) = (x.q[0], x.v[0]);
        let none = T::constant(0.0);
        // The open case is the `yes` of each selection and zero the first argument of max and min: so a
        // NaN in q or q' falls through to the force instead of reading as "no contact".
        let upper = none.max((q - self.gap) * self.k + v * self.c);
        let lower = none.min((q + self.gap) * self.k + v * self.c);
        let push = (-q + self.gap).select(none, upper);
        let pull = (q + self.gap).select(none, lower);
        Response { p: [push + pull * self.both], g: [] }
    }
}
