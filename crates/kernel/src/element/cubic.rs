//! Linear-plus-cubic spring with a dashpot in parallel (Duffing's restoring force).
//!
//! p = k q + k3 q^3 + c q'
//!
//! G. Duffing, Erzwungene Schwingungen bei veraenderlicher Eigenfrequenz, Vieweg 1918.
//! k3 > 0 hardens, k3 < 0 softens: with k > 0 and k3 < 0 the tangent stiffness is lost at
//! |q| = sqrt(-k / (3 k3)). Deviations: none.

use super::info::{Info, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// Linear-plus-cubic spring and dashpot between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Cubic {
    /// Linear stiffness, N/m (N m/rad).
    pub k: f64,
    /// Cubic stiffness, N/m^3 (N m/rad^3).
    pub k3: f64,
    /// Damping, N s/m (N m s/rad).
    pub c: f64,
}

const CUBIC_STIFFNESS: Unit = Unit { force: 1.0, disp: -3.0, ..Unit::NONE };

impl Cubic {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "cubic",
        title: "linear-plus-cubic spring and dashpot in parallel",
        equations: &["p = k q + k3 q^3 + c q'"],
        reference: "G. Duffing, Erzwungene Schwingungen bei veraenderlicher Eigenfrequenz, Vieweg 1918",
        parameters: &[
            required("k", Unit::STIFFNESS, Any, "linear stiffness"),
            required("k3", CUBIC_STIFFNESS, Any, "cubic stiffness: positive hardens, negative softens"),
            optional("c", Unit::DAMPING, NonNegative, 0.0, "viscous damping"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 3]) -> Self {
        Self { k: p[0], k3: p[1], c: p[2] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 3] {
        [self.k, self.k3, self.c]
    }
}

impl Law<1, 0> for Cubic {
    fn softens(&self) -> bool {
        self.k >= 0.0 && self.k3 <= 0.0
    }

    fn response<T: Scalar>(&self, x: &Local<T, 1, 0>) -> Response<T, 1, 0> {
        let (q, v) = (x.q[0], x.v[0]);
        Response { p: [q * (q * q * self.k3 + self.k) + v * self.c], g: [] }
    }
}
