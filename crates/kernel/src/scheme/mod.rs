//! Integration schemes, one method or one family per file, and their registry.
//!
//! A scheme advances `y = [u v s]` by one step of length `dt`. All it remembers between steps is its
//! history `h`; with `y` and the memory of the system that is the complete state, so that saving it, loading it elsewhere and
//! stepping gives the same bits. It reaches the structure through [`System`] only.
//! **Must not be here:** models, couplings, files, clocks.

pub mod alpha;
pub mod chang;
pub mod composite;
pub mod model_based;
pub mod newton;
pub mod registry;
pub mod rosenbrock;
pub mod splitting;
pub mod state_space;

use core::ops::Range;

use self::registry::AnyScheme;
use crate::{Dims, Fault, Mck, Point, Shift, System};

/// Cuts a slice of scratch memory into named parts: `cut!(memory => r: n, g: m);`.
macro_rules! cut {
    ($memory:expr => $($name:ident : $len:expr),+ $(,)?) => {
        let rest: &mut [f64] = $memory;
        $(let ($name, rest) = rest.split_at_mut($len);)+
        let _ = rest;
    };
}
pub(crate) use cut;

/// One step's view of a domain: the state (in place), the scheme's memory, and the system.
pub struct Step<'a> {
    /// Time at the start of the step, s.
    pub t: f64,
    /// Length of the step, s.
    pub dt: f64,
    /// State [u v s]: on entry at `t`, on exit at `t + dt`.
    pub y: &'a mut [f64],
    /// History of the scheme, see the header of its file.
    pub h: &'a mut [f64],
    /// Scratch, contents arbitrary.
    pub w: &'a mut [f64],
    /// What is integrated.
    pub sys: &'a mut dyn System,
}

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claims {
    /// Order of accuracy on smooth nonlinear, forced, damped problems with the exact tangent.
    pub order: u32,
    /// The same with the frozen initial tangent.
    pub order_frozen: u32,
    /// Force evaluations per step; `None` when the scheme iterates, which no specimen can follow.
    pub evaluations: Option<u32>,
    /// Whether the history holds the acceleration in its first `nu` entries.
    pub carries_acceleration: bool,
}

/// An integrator.
pub trait Scheme {
    /// What it claims to be.
    fn claims(&self) -> Claims;
    /// The dynamic matrices it solves with.
    fn operators(&self, dt: f64) -> Operators;
    /// How much memory it needs.
    fn memory(&self, dims: Dims) -> Memory;
    /// Fills the history from the initial state; `y` is left as it is.
    fn start(&self, k: Step<'_>) -> Result<(), Fault>;
    /// One step.
    fn step(&self, k: Step<'_>) -> Result<(), Fault>;
    /// How many steps later than [u v s] the rates stand that begin its history: not zero where forces are averaged over a step.
    fn lag(&self) -> f64;
    /// How many numbers these rates are.
    fn rates(&self, d: Dims) -> usize;
    /// The scheme that starts it in a coupling, until rates can be moved to their time: the same memory, no lag.
    fn calm(&self) -> AnyScheme;
    /// The same for the passive couplings, whose multipliers must be seen at the time of the point that the stage stands for.
    fn timed(&self) -> AnyScheme;
    /// Where in [u v s h] the displacement rates stand that a coupling compares: the velocities, unless the scheme
    /// keeps both apart.
    fn port_rate(&self, d: Dims) -> Range<usize> {
        d.nu..2 * d.nu
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
        (u, v, s)
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
    for x in a.iter_mut() {
        *x = -*x;
    }
    sys.solve(mass, a, sd);
    Ok(())
}
