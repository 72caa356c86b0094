//! Nonlinear viscous damper.
//!
//! p = c sign(q') |q'|^n,   computed as   p = c q' (q'^2 + v0^2)^((n-1)/2)
//!
//! Fluid viscous dampers: M. C. Constantinou and M. D. Symans, Report NCEER-92-0032, 1992; T. T. Soong
//! and G. F. Dargush, Passive Energy Dissipation Systems in Structural Engineering, Wiley 1997.
//!
//! Deviation: for n < 1 the pure power has an infinite tangent at rest. The smooth form has the tangent
//! c v0^(n-1) there. It differs from the pure power by the factor (1 + (v0/q')^2)^((n-1)/2), that is
//! relatively by about (n-1)/2 (v0/q')^2: for n = 0.3, -21.5 % at q' = v0, -0.35 % at 10 v0, -0.0035 %
//! at 100 v0. For n < 1 the force never differs by more than c v0^n; for n = 1 not at all. The form is odd and
//! increasing in q' and always dissipates. n = 0 is regularised Coulomb friction of force c.

use super::info::{Info, POWER_DAMPING, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// Nonlinear viscous damper between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Damper {
    /// Force at unit rate, N (s/m)^n.
    pub c: f64,
    /// Exponent of the rate.
    pub n: f64,
    /// Rate below which the force is linear, m/s (rad/s).
    pub v0: f64,
}

impl Damper {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "damper",
        title: "nonlinear viscous damper",
        equations: &["p = c q' (q'^2 + v0^2)^((n-1)/2), about c sign(q') |q'|^n for |q'| >> v0"],
        reference: "M. C. Constantinou and M. D. Symans, Report NCEER-92-0032, 1992; regularised at q' = 0",
        parameters: &[
            required("c", POWER_DAMPING, NonNegative, "force at unit rate"),
            optional("n", Unit::NONE, Between(0.0, 5.0), 1.0, "exponent of the rate"),
            optional("v0", Unit::RATE, Positive, 1e-3, "rate below which the force is linear"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 3]) -> Self {
        Self { c: p[0], n: p[1], v0: p[2] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 3] {
        [self.c, self.n, self.v0]
    }
}

impl Law<1, 0> for Damper {
    fn response<T: Scalar>(&self, x: &Local<T, 1, 0>) -> Response<T, 1, 0> {
        let v = x.v[0];
        let smooth_rate_squared = v * v + self.v0 * self.v0;
        Response { p: [v * smooth_rate_squared.powf(0.5 * (self.n - 1.0)) * self.c], g: [] }
    }
}
