//! Accelerations at a few unknowns without all the others: what a coupling asks for that compares two sides many times in a step.

use std::iter::zip;

use interfield_kernel::{Fault, Point};

use super::Assembled;
use super::force::Moving;

/// Unknowns, and what acts on them.
#[derive(Default)]
pub(super) struct Few {
    unknowns: Vec<usize>,
    /// One over their masses.
    inverse: Vec<f64>,
    /// Elements that meet one of them or that remember where they have been, in their order.
    elements: Vec<usize>,
}

impl Assembled {
    /// Finds what it takes; `false` where everything acts on everything: through a mass matrix that is none of single masses, through
    /// modal damping, or because a specimen is moved by whole points.
    pub(super) fn find_few(&mut self, unknowns: &[usize]) -> bool {
        let Some(mass) = &self.lumped else { return false };
        if self.massless != 0.0 || !self.modal.is_empty() || !self.measured.is_empty() {
            return false;
        }
        let meets = |i: usize| {
            let e = &self.elements[i];
            let rows = self.row_ptr[e.row0] as usize..self.row_ptr[e.row0 + e.d] as usize;
            e.memory > 0 || self.rows[rows].iter().any(|r| unknowns.contains(&(r.0 as usize)))
        };
        self.few = Few {
            unknowns: unknowns.to_vec(),
            inverse: unknowns.iter().map(|&i| 1.0 / mass[i]).collect(),
            elements: (0..self.elements.len()).filter(|&i| meets(i)).collect(),
        };
        true
    }

    /// The same sums, in the same order, as those of a whole evaluation; what stands at other unknowns is of no use.
    pub(super) fn few_accelerations(&mut self, at: Point<'_>, a: &mut [f64]) -> Result<(), Fault> {
        self.set_time(at.t);
        let mut r = std::mem::take(&mut self.scratch.a);
        let mut g = std::mem::take(&mut self.scratch.g);
        let few = std::mem::take(&mut self.few);
        r.fill(0.0);
        for &i in &few.unknowns {
            r[i] = if self.damping.is_empty() {
                self.pattern.mul_row(i, &self.stiffness, at.u)
            } else {
                self.pattern.mul2_row(i, &self.stiffness, at.u, &self.damping, at.v)
            };
        }
        self.add_load(at.t, -1.0, &mut r);
        let fault = self.add_elements(few.elements.iter().copied(), at, None, Moving::All, &mut r, &mut g);
        for (a, (&i, inverse)) in a.iter_mut().zip(zip(&few.unknowns, &few.inverse)) {
            *a = -r[i] * inverse;
        }
        self.few = few;
        self.scratch.a = r;
        self.scratch.g = g;
        fault.map_or(Ok(()), Err)
    }
}
