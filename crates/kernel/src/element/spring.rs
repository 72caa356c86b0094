//! Linear spring and dashpot in parallel.
//!
//! p = k q + c q'

use super::info::{Info, Range::*, Unit, optional, required};
use super::{Law, Local, Response};
use crate::Scalar;

/// Linear spring and dashpot between two nodes.
#[derive(Clone, Copy, Debug)]
pub struct Spring {
    /// Stiffness, N/m (N m/rad).
    pub k: f64,
    /// Damping, N s/m (N m s/rad).
    pub c: f64,
}

impl Spring {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "spring",
        title: "linear spring and dashpot in parallel",
        equations: &["p = k q + c q'"],
        reference: "elementary",
        parameters: &[
            required("k", Unit::STIFFNESS, Any, "stiffness"),
            optional("c", Unit::DAMPING, Any, 0.0, "viscous damping"),
        ],
        linear: true,
        ..Info::SPRING_LIKE
    };

    /// From the parameters of [`Self::INFO`], in that order.
    pub fn new(p: [f64; 2]) -> Self {
        Self { k: p[0], c: p[1] }
    }

    /// The parameters of [`Self::INFO`], in that order.
    pub fn parameters(&self) -> [f64; 2] {
        [self.k, self.c]
    }
}

impl Law<1, 0> for Spring {
    fn response<T: Scalar>(&self, x: &Local<T, 1, 0>) -> Response<T, 1, 0> {
        Response { p: [x.q[0] * self.k + x.v[0] * self.c], g: [] }
    }
}
