//! Bilinear hysteresis: a spring in parallel with an elastic-perfectly-plastic slider; isolators.
//!
//! p = k (a q + (1 - a) min(delta, max(-delta, s)))
//! s' = 0 where s >= delta and q' > 0, or s <= -delta and q' < 0;   s' = q' otherwise
//!
//! N. Mostaghel, J. Eng. Mech. ASCE 125(2):216-224, 1999; isolators of paper 003. For a friction pendulum
//! of radius R under the weight W: a k = W/R, (1 - a) k delta = mu W.
//!
//! The rate of s is discontinuous: at |s| = delta it jumps between 0 and q', and the tangent with it. At
//! the corner itself (q' = 0) the tangent is the elastic one, which is what the next reversal meets. A
//! step that straddles the corner leaves s beyond delta by up to |q'| times the step.
//! Deviation: the force clamps s, so that it never exceeds the slip force; the excess of s delays the
//! unloading by the same small travel.

use super::info::{Info, PATH_OPTION, Range::*, State, Unit, required};
use super::path::PathMoved;
use super::{Law, Local, Response, within};
use crate::Scalar;

/// Bilinear element between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Mostaghel {
    /// Initial stiffness, N/m.
    pub k: f64,
    /// Post-yield over initial stiffness.
    pub a: f64,
    /// Yield displacement, m.
    pub delta: f64,
}

impl Mostaghel {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "mostaghel",
        title: "bilinear hysteresis of an isolator",
        equations: &[
            "p = k (a q + (1 - a) min(delta, max(-delta, s)))",
            "s' = 0 where s >= delta and q' > 0, or s <= -delta and q' < 0; s' = q' otherwise",
        ],
        reference: "N. Mostaghel, J. Eng. Mech. ASCE 125(2):216-224, 1999; Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "initial stiffness"),
            required("a", Unit::NONE, Between(0.0, 1.0), "post-yield over initial stiffness"),
            required("delta", Unit::DISP, Positive, "yield displacement"),
        ],
        options: &[PATH_OPTION],
        states: &[State { name: "s", unit: Unit::DISP }],
        hysteretic: true,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 3]) -> Self {
        Self { k: p[0], a: p[1], delta: p[2] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 3] {
        [self.k, self.a, self.delta]
    }
}

impl Law<1, 1> for Mostaghel {
    fn response<T: Scalar>(&self, x: &Local<T, 1, 1>) -> Response<T, 1, 1> {
        let (q, v, s) = (x.q[0], x.v[0], x.s[0]);
        let (none, clamped) = (T::constant(0.0), within(self.delta, s));
        let rate = (s - self.delta).select(none.min(v), (-s - self.delta).select(none.max(v), v));
        Response { p: [(q * self.a + clamped * (1.0 - self.a)) * self.k], g: [rate] }
    }
}

impl PathMoved for Mostaghel {
    /// Exactly: the slider follows until it slips.
    fn moved<T: Scalar>(&self, x0: T, s: T, x1: T) -> T {
        self.bounded(s + (x1 - x0))
    }

    fn bounded<T: Scalar>(&self, s: T) -> T {
        within(self.delta, s)
    }
}
