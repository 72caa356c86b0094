//! What evaluations cost, counted and not measured: the same on every machine, however busy it is, and so is every choice made
//! by it.
//!
//! The unit is a nominal nanosecond. The factors were fitted to optimised builds on a processor of 2.1 GHz (see the book,
//! substructures: what a step costs); another machine is faster or slower by some factor.

use interfield_kernel::frame::member::Formulation;
use interfield_kernel::frame::part::Part;

use super::Assembled;
use super::element::{Entry, Stored};

/// Nominal time of an addition or a multiplication, ns.
const OPERATION: f64 = 0.7;
/// Of a law of one deformation without memory, and for every state of it.
const LAW: f64 = 12.0;
/// Of a hysteretic law that is moved along its path.
const PATH: f64 = 90.0;
/// Of a coordinate of formulas of the model file.
const FORMULA: f64 = 150.0;
/// Of a part of a frame, and of every number that its fibres remember in each of their evaluations.
const FRAME: f64 = 400.0;
const REMEMBERED: f64 = 2.5;

/// Work of one evaluation of all forces and one solution, s of nominal time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Work {
    /// Products with constant matrices, and loads.
    pub linear: f64,
    /// The solution with the dynamic matrix, and its factorisation where it follows the state.
    pub solve: f64,
    /// Laws that stay with the structure.
    pub laws: f64,
    /// Laws that can be computed apart from it.
    pub apart: f64,
}

impl Work {
    /// All of it.
    pub fn whole(&self) -> f64 {
        self.core() + self.apart
    }

    /// What is left where laws are computed apart.
    pub fn core(&self) -> f64 {
        self.linear + self.solve + self.laws
    }

    /// So often.
    #[must_use]
    pub fn times(self, n: f64) -> Work {
        Work { linear: n * self.linear, solve: n * self.solve, laws: n * self.laws, apart: n * self.apart }
    }

    /// The sum of two.
    #[must_use]
    pub fn plus(self, other: Work) -> Work {
        Work {
            linear: self.linear + other.linear,
            solve: self.solve + other.solve,
            laws: self.laws + other.laws,
            apart: self.apart + other.apart,
        }
    }
}

impl Assembled {
    /// What an evaluation and a solution cost.
    pub fn work(&self) -> Work {
        let (n, nnz) = (self.n as f64, self.pattern.nnz() as f64);
        let matrices = if self.damping.is_empty() { 1.0 } else { 2.0 };
        // A scheme goes over its vectors some twenty times.
        let vectors = 20.0 * n + 3.0 * n * self.grounds.len() as f64;
        let linear = 2.0 * matrices * nnz + 4.0 * n * self.modal.len() as f64 + vectors;
        let solve = {
            // The solution as a scheme with constant operators prepares it, before one has.
            let prepared = self.operators.iter().find(|o| o.mck.c != 0.0).or(self.operators.first());
            let (report, constant) = prepared.map_or_else(
                || (self.plan(!self.follows_state()).report(), false),
                |o| (o.factor.report(), o.constant),
            );
            let entries = report.nnz_factor as f64;
            let factorised = if self.follows_state() && !constant { entries * entries / n.max(1.0) } else { 0.0 };
            report.solve_flops as f64 + factorised
        };
        let all: f64 = self.elements.iter().map(evaluation).sum();
        let apart: f64 = self.slow_elements().map(|e| evaluation(&self.elements[e])).sum();
        let nano = 1e-9;
        Work {
            linear: nano * OPERATION * linear,
            solve: nano * OPERATION * solve,
            laws: nano * (all - apart).max(0.0),
            apart: nano * apart,
        }
    }
}

/// Whether a law can lose stiffness: hysteretic ones, springs that soften, members of frames, formulas.
pub(crate) fn can_yield(law: &Stored) -> bool {
    match law {
        Stored::Path(_) | Stored::Frame(_) | Stored::Formula(_) => true,
        Stored::Law(law) => law.info().hysteretic || (law.softens() && !law.info().linear),
        Stored::Block(_) => false,
    }
}

/// Nominal time of an evaluation of an element, ns.
fn evaluation(e: &Entry) -> f64 {
    let (d, s) = (e.d as f64, e.s as f64);
    let products = OPERATION * 2.0 * (2.0 * d * d + 3.0 * d * s + s * s);
    match &e.law {
        Stored::Law(_) => LAW * (d + s) + products,
        Stored::Path(_) => PATH,
        Stored::Formula(_) => FORMULA * d,
        Stored::Block(_) => LAW + products,
        Stored::Frame(frame) => {
            let passes = match &frame.part {
                Part::Plane(member, _) | Part::Space(member, _) => match member.formulation {
                    Formulation::Displacement => 1,
                    Formulation::Force { passes } => passes,
                    // Few are needed where a step is small.
                    Formulation::ForceIterated { passes, .. } => passes.min(4),
                },
                _ => 1,
            };
            FRAME + REMEMBERED * passes as f64 * e.memory as f64
        }
    }
}
