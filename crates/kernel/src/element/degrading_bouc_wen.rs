//! Bouc-Wen hysteresis that loses stiffness and strength with the work done on it.
//!
//! p = a k q + F
//! F' = K(H) [1 - |F / Fy(H)|^n (n1 sign(F q') + n2)] q'
//! H' = F q'
//! K(H) = max(0, exp(-dk H) - a) k,   Fy(H) = (1 - a) k xy / (1 + ds H)
//!
//! T. T. Baber and M. N. Noori, J. Eng. Mech. ASCE 111(8):1010-1026, 1985 (degradation by dissipated
//! energy); J. Song and A. Der Kiureghian, J. Eng. Mech. ASCE 132(6):610-618, 2006 (the shape function);
//! in this form in a nonlinear variant of the real-time hybrid simulation benchmark.
//! H is the work done on the hysteretic spring: the dissipated energy plus the small recoverable part,
//! which is gone whenever F = 0. For n1 >= |n2| it never falls below zero.
//! Deviation: K is held at zero once exp(-dk H) has fallen to a, where the printed form turns negative
//! and would feed energy back; there F keeps its value. F beyond the strength at H = 0, where the exact solution never is,
//! counts as that strength.

use super::info::{Info, Range::*, State, Unit, optional, required};
use super::{Law, Local, Response, signed_power, strength, within};
use crate::Scalar;

/// Degrading Bouc-Wen element between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct DegradingBoucWen {
    /// Initial stiffness, N/m.
    pub k: f64,
    /// Yield displacement, m.
    pub xy: f64,
    /// Post-yield over initial stiffness.
    pub a: f64,
    /// Stiffness degradation, 1/J.
    pub dk: f64,
    /// Strength degradation, 1/J.
    pub ds: f64,
    /// Sharpness of the yield corner.
    pub n: f64,
    /// Shape: loading.
    pub n1: f64,
    /// Shape: both directions.
    pub n2: f64,
    strength: f64,
}

const PER_WORK: Unit = Unit { force: -1.0, disp: -1.0, ..Unit::NONE };

impl DegradingBoucWen {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "degrading-bouc-wen",
        title: "Bouc-Wen hysteresis with stiffness and strength degradation",
        equations: &[
            "p = a k q + F",
            "F' = K [1 - |F / Fy|^n (n1 sign(F q') + n2)] q'",
            "H' = F q'",
            "K = max(0, exp(-dk H) - a) k",
            "Fy = (1 - a) k xy / (1 + ds H)",
        ],
        reference: "T. T. Baber and M. N. Noori, J. Eng. Mech. ASCE 111(8):1010-1026, 1985; J. Song and \
                    A. Der Kiureghian, J. Eng. Mech. ASCE 132(6):610-618, 2006",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "initial stiffness"),
            required("xy", Unit::DISP, Positive, "yield displacement"),
            optional("a", Unit::NONE, Between(0.0, 0.99), 0.0, "post-yield over initial stiffness"),
            optional("dk", PER_WORK, NonNegative, 0.0, "stiffness degradation per work done"),
            optional("ds", PER_WORK, NonNegative, 0.0, "strength degradation per work done"),
            optional("n", Unit::NONE, Between(0.5, 100.0), 1.0, "sharpness of the yield corner"),
            optional("n1", Unit::NONE, Any, 0.5, "shape: width of the loop; n1 + n2 = 1 makes Fy the strength"),
            optional("n2", Unit::NONE, Any, 0.5, "shape: bulge of the loop; dissipative for |n2| <= n1"),
        ],
        states: &[State { name: "F", unit: Unit::FORCE }, State { name: "H", unit: Unit::WORK }],
        hysteretic: true,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 8]) -> Self {
        let [k, xy, a, dk, ds, n, n1, n2] = p;
        Self { k, xy, a, dk, ds, n, n1, n2, strength: bound(p) }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 8] {
        [self.k, self.xy, self.a, self.dk, self.ds, self.n, self.n1, self.n2]
    }
}

/// What |F| cannot exceed, N.
fn bound<T: Scalar>([k, xy, a, _, _, n, n1, n2]: [T; 8]) -> T {
    let one = T::constant(1.0);
    T::constant(f64::MAX).min((one - a) * k * xy * strength(one, n1 + n2, n))
}

impl Law<1, 2> for DegradingBoucWen {
    fn strength<T: Scalar>(parameters: &[T]) -> Option<T> {
        parameters.try_into().ok().map(bound)
    }

    fn response<T: Scalar>(&self, x: &Local<T, 1, 2>) -> Response<T, 1, 2> {
        let (q, v, force, work) = (x.q[0], x.v[0], within(self.strength, x.s[0]), x.s[1]);
        let initial_strength = (1.0 - self.a) * self.k * self.xy;
        let stiffness = T::constant(0.0).max((-(work * self.dk)).exp() - self.a) * self.k;
        let used = force * (work * self.ds + 1.0) / initial_strength;
        // sign(F q') q' = sign(F) |q'|
        let yielded = v.abs() * signed_power(used, self.n) * self.n1 + v * used.abs().powf(self.n) * self.n2;
        Response { p: [q * (self.a * self.k) + force], g: [stiffness * (v - yielded), force * v] }
    }
}
