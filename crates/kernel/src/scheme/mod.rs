//! Integration schemes, one method or one family per file, and their registry.
//!
//! A scheme advances `y = [u v s]` by one step of length `dt`. All it remembers between steps is its
//! history `h`; with `y` and the memory of the system that is the complete state, so that saving it, loading it elsewhere and
//! stepping gives the same bits.
//!
//! Its step is written once, as phases ([`Phases`]): updates entry by entry, tangents, forces, products and solves. [`Step`]
//! runs them on a [`System`], [`Survey`] reads off how much memory and how many evaluations they need, and the
//! generated C is printed from them. A scheme thereby is one file and one entry of the [`registry`]:
//!
//! ```
//! use interfield_kernel::scheme::{Claims, Length, Operators, Phases, start_rates};
//! use interfield_kernel::{Fault, Mck, Scheme};
//!
//! /// Explicit central differences: u₁ = u + h v + h²/2 a,  M a₁ = f(u₁, v + h a),  v₁ = v + h/2 (a + a₁).
//! struct Central;
//!
//! impl Scheme for Central {
//!     fn claims(&self) -> Claims {
//!         Claims { order: 2, order_frozen: 2, carries_acceleration: true, lag: 0.0 }
//!     }
//!
//!     fn operators(&self, _: f64) -> Operators {
//!         Operators::new(&[Mck::MASS])
//!     }
//!
//!     fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
//!         let y = &p.state();
//!         let [a] = &mut p.history(["a"], Length::V);
//!         start_rates(p, y, a)
//!     }
//!
//!     fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
//!         let dt = p.dt();
//!         let y = &mut p.state();
//!         let [a] = &mut p.history(["a"], Length::V);
//!         let [a1] = &mut p.scratch(["a1"], Length::V);
//!         let [h, half_h, half_h2] = p.numbers([("h", dt), ("half_h", 0.5 * dt), ("half_h2", 0.5 * dt * dt)]);
//!
//!         p.update([&mut y.u], [&y.v, a], |[u], [v, a]| [u + h * v + half_h2 * a]);
//!         p.update([&mut y.v], [a], |[v], [a]| [v + h * a]); // evaluated there
//!         p.linearise(1.0, y)?;
//!         p.force(1.0, y, None, a1)?;
//!         p.solve(0, a1);
//!         p.update([&mut y.v], [a, a1], |[v], [a, a1]| [v + half_h * (a1 - a)]);
//!         p.copy(a1, a);
//!         Ok(())
//!     }
//! }
//!
//! assert_eq!(Central.evaluations(), Some(1));
//! ```
//!
//! **Must not be here:** models, couplings, files, clocks.

pub mod alpha;
pub mod chang;
pub mod composite;
pub mod model_based;
pub mod newton;
mod phases;
pub mod registry;
pub mod rosenbrock;
pub mod splitting;
pub mod state_space;

use core::ops::Range;

use self::registry::AnyScheme;
use crate::{Dims, Fault, Mck, Point, Shift, System};
pub use phases::{Correction, Length, Limits, Phases, State, Step, Survey, start_rates};

/// The dynamic matrices of a scheme; slot i of [`System::solve`] is entry i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Operators {
    list: [Mck; 3],
    len: usize,
}

impl Operators {
    /// From a list of at most three.
    pub fn new(ops: &[Mck]) -> Self {
        let mut list = [Mck::MASS; 3];
        list[..ops.len()].copy_from_slice(ops);
        Operators { list, len: ops.len() }
    }

    /// The list.
    pub fn as_slice(&self) -> &[Mck] {
        &self.list[..self.len]
    }
}

/// Lengths of the memory a scheme asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// History that survives a step.
    pub history: usize,
    /// Scratch.
    pub scratch: usize,
}

/// What a scheme claims; the batteries hold it to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Claims {
    /// Order of accuracy on smooth nonlinear, forced, damped problems with the exact tangent.
    pub order: u32,
    /// The same with the frozen initial tangent.
    pub order_frozen: u32,
    /// Whether the history holds the acceleration in its first `nu` entries.
    pub carries_acceleration: bool,
    /// How many steps later than [u v s] the rates stand that begin its history: not zero where forces are averaged over a step.
    pub lag: f64,
}

/// An integrator.
pub trait Scheme {
    /// What it claims to be.
    fn claims(&self) -> Claims;
    /// The dynamic matrices it solves with.
    fn operators(&self, dt: f64) -> Operators;
    /// Fills the history from the initial state, which is left as it is.
    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault>;
    /// One step.
    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault>;
    /// Where in [u v s h] the displacement rates stand that a coupling compares: the velocities, unless the scheme
    /// keeps both apart.
    fn port_rate(&self, d: Dims) -> Range<usize> {
        d.nu..2 * d.nu
    }

    /// How many numbers the rates are that begin its history.
    fn rates(&self, d: Dims) -> usize {
        d.nu + d.ns
    }

    /// The scheme that starts it in a coupling until its rates can be moved to their time, if they lag: the same memory, no lag.
    fn calm(&self) -> Option<AnyScheme> {
        None
    }

    /// The scheme in its place where the mass matrix never changes, if it then has less to remember and to do.
    fn lasting(&self) -> Option<AnyScheme> {
        None
    }

    /// The scheme in its place in the passive couplings, where its stages see the multipliers at other times than those of their
    /// points.
    fn timed(&self) -> Option<AnyScheme> {
        None
    }

    /// Its weights, if it keeps the rates of the state-space form.
    fn state_space(&self) -> Option<state_space::StateSpace> {
        None
    }

    /// Its tableau, if a coupling can advance it stage by stage.
    fn tableau(&self) -> Option<rosenbrock::Rosenbrock> {
        None
    }

    /// What its step needs.
    fn survey(&self) -> Survey {
        let mut survey = Survey::default();
        // Nothing moves, so nothing fails.
        let _ = self.step(&mut survey);
        survey
    }

    /// What its start needs.
    fn survey_start(&self) -> Survey {
        let mut survey = Survey::default();
        let _ = self.start(&mut survey);
        survey
    }

    /// Force evaluations per step; `None` when it iterates, which no specimen can follow.
    fn evaluations(&self) -> Option<u32> {
        let Survey { evaluations, iterates, .. } = self.survey();
        (!iterates).then_some(evaluations)
    }

    /// How much memory it needs.
    fn memory(&self, d: Dims) -> Memory {
        let (start, step) = (self.survey_start(), self.survey());
        let numbers = |[u, v]: [usize; 2]| u * d.nu + v * (d.nu + d.ns);
        Memory { history: numbers(step.history), scratch: numbers(start.scratch).max(numbers(step.scratch)) }
    }
}

impl Mck {
    /// The mass matrix alone.
    pub const MASS: Mck = Mck { m: 1.0, c: 0.0, k: 0.0 };
}

impl Dims {
    /// Length of [u v s].
    pub fn state(&self) -> usize {
        2 * self.nu + self.ns
    }

    /// [u v s] into its parts.
    pub fn split<'a>(&self, y: &'a [f64]) -> (&'a [f64], &'a [f64], &'a [f64]) {
        let (u, rest) = y.split_at(self.nu);
        let (v, s) = rest.split_at(self.nu);
        (u, v, &s[..self.ns])
    }

    /// [u v s] as a point at time `t`.
    pub fn point<'a>(&self, t: f64, y: &'a [f64]) -> Point<'a> {
        let (u, v, s) = self.split(y);
        Point { t, u, v, s }
    }

    /// [u v s] as an increment.
    pub fn shift<'a>(&self, y: &'a [f64]) -> Shift<'a> {
        let (u, v, s) = self.split(y);
        Shift { u, v, s }
    }
}

/// Accelerations and state rates that satisfy the equations at (t, y): M a = -r, s' = g.
/// Slot `mass` of the system must be [`Mck::MASS`].
pub fn rates(sys: &mut dyn System, mass: usize, t: f64, y: &[f64], a: &mut [f64], sd: &mut [f64]) -> Result<(), Fault> {
    let at = sys.dims().point(t, y);
    sys.linearise(at)?;
    sys.force(at, None, a, sd)?;
    a.iter_mut().for_each(|x| *x = -*x);
    sys.solve(mass, a, sd);
    Ok(())
}
