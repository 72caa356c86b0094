//! Linear first-order block: a controller, a filter, an actuator, a fitted transfer function.
//!
//! s' = A s + B q + Bv q',   p = C s + D q + Dv q'
//!
//! State-space form of linear systems theory (e.g. T. Kailath, Linear Systems, Prentice-Hall 1980), with
//! the rates of the coordinates as further inputs. The matrices belong to the caller.

use super::info::{Coordinates, Info};
use super::{Element, Tangent};
use crate::Scalar;

/// Linear first-order block on D coordinates and S states; matrices row-major.
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Number of coordinates, D.
    pub coordinates: usize,
    /// Number of states, S.
    pub states: usize,
    /// A, S x S: state rates from states.
    pub a: &'a [f64],
    /// B, S x D: state rates from coordinates.
    pub b: &'a [f64],
    /// Bv, S x D: state rates from rates of the coordinates.
    pub bv: &'a [f64],
    /// C, D x S: forces from states.
    pub c: &'a [f64],
    /// D, D x D: forces from coordinates.
    pub d: &'a [f64],
    /// Dv, D x D: forces from rates of the coordinates.
    pub dv: &'a [f64],
}

impl Block<'_> {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "block",
        title: "linear first-order block",
        equations: &["s' = A s + B q + Bv q'", "p = C s + D q + Dv q'"],
        reference: "state-space form of linear systems theory",
        coordinates: Coordinates::Own,
        options: &[
            ("dofs", "list of `node.direction`: the coordinates q"),
            ("A, B, Bv, C, D, Dv", "matrices as lists of rows or names of Matrix Market files; absent means zero"),
        ],
        // Not `linear` in the sense of the entry: it has states, so it cannot be merged into M, C and K.
        symmetric: false,
        dissipative: false,
        ..Info::SPRING_LIKE
    };

    /// Whether every matrix has the size that the numbers of coordinates and states ask for. The other
    /// functions rely on it.
    pub fn fits(&self) -> bool {
        let (d, s) = (self.coordinates, self.states);
        self.a.len() == s * s
            && self.b.len() == s * d
            && self.bv.len() == s * d
            && self.c.len() == d * s
            && self.d.len() == d * d
            && self.dv.len() == d * d
    }

    /// Forces `p` and state rates `g` in any scalar.
    pub fn evaluate<T: Scalar>(&self, q: &[T], v: &[T], s: &[T], p: &mut [T], g: &mut [T]) {
        let (q, v, s) = (&q[..self.coordinates], &v[..self.coordinates], &s[..self.states]);
        for i in 0..self.coordinates {
            p[i] = row_product(self.c, i, s) + row_product(self.d, i, q) + row_product(self.dv, i, v);
        }
        for i in 0..self.states {
            g[i] = row_product(self.a, i, s) + row_product(self.b, i, q) + row_product(self.bv, i, v);
        }
    }
}

/// Row `i` of the row-major `matrix` times `x`.
fn row_product<T: Scalar>(matrix: &[f64], i: usize, x: &[T]) -> T {
    let mut sum = T::constant(0.0);
    for (a, b) in matrix[i * x.len()..(i + 1) * x.len()].iter().zip(x) {
        sum = sum + *b * *a;
    }
    sum
}

impl Element for Block<'_> {
    fn size(&self) -> (usize, usize) {
        (self.coordinates, self.states)
    }

    fn has_mass(&self) -> bool {
        false
    }

    fn response(&self, _t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        self.evaluate(q, v, s, p, g);
    }

    fn tangent(&self, _t: f64, _q: &[f64], _v: &[f64], _s: &[f64], _acc: &[f64], out: Tangent<'_>) {
        // The letters of systems theory on the right, those of the tangent (K = dp/dq, ...) on the left.
        out.k[..self.d.len()].copy_from_slice(self.d);
        out.c[..self.dv.len()].copy_from_slice(self.dv);
        out.r[..self.c.len()].copy_from_slice(self.c);
        out.a[..self.b.len()].copy_from_slice(self.b);
        out.b[..self.bv.len()].copy_from_slice(self.bv);
        out.e[..self.a.len()].copy_from_slice(self.a);
    }

    fn mass(&self, _q: &[f64], m: &mut [f64]) {
        m[..self.coordinates * self.coordinates].fill(0.0);
    }
}
