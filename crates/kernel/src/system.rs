//! The one seam between a scheme and what it integrates.
//!
//! A [`System`] is a numerical substructure, or a specimen: a specimen wraps the numerical system that
//! holds its estimated M, C and K, passes the operator calls through and answers [`System::force`] with
//! a measurement. A scheme cannot tell the two apart.

use crate::{Archive, Fault, SlowLaws};

/// Numbers of unknowns of a system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dims {
    /// Displacements (and as many velocities).
    pub nu: usize,
    /// Internal states of the elements: hysteretic forces, controllers.
    pub ns: usize,
}

/// A state at which forces are asked for. This is the point a specimen is moved to.
#[derive(Clone, Copy, Debug)]
pub struct Point<'a> {
    /// Time, s.
    pub t: f64,
    /// Displacements.
    pub u: &'a [f64],
    /// Velocities.
    pub v: &'a [f64],
    /// Internal states.
    pub s: &'a [f64],
}

/// An increment along which the tangent extrapolates from the evaluated [`Point`] to the point that the
/// algorithm means.
#[derive(Clone, Copy, Debug)]
pub struct Shift<'a> {
    /// Displacement increment.
    pub u: &'a [f64],
    /// Velocity increment.
    pub v: &'a [f64],
    /// Increment of the internal states.
    pub s: &'a [f64],
}

/// Coefficients of a dynamic matrix D = m M + c C + k K.
///
/// Element states follow the velocities: their rates carry `m`, their values `c`, and they are
/// eliminated inside each element, so that only the n x n matrix is ever factorised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mck {
    /// Factor of the mass matrix.
    pub m: f64,
    /// Factor of the damping matrix.
    pub c: f64,
    /// Factor of the stiffness matrix.
    pub k: f64,
}

/// What a scheme may ask of the thing it integrates, `M a + r(u, v, s, t) = 0`, `s' = g(u, v, s, t)`.
///
/// With the tangents K = dr/du, C = dr/dv, R = dr/ds, A = dg/du, B = dg/dv, E = dg/ds at the point of
/// the last [`System::linearise`] (or, where the tangent policy says so, at the start).
pub trait System {
    /// Numbers of unknowns.
    fn dims(&self) -> Dims;

    /// Evaluates at `at` and extrapolates along the tangent by `shift`:
    /// `r = r(at) + K du + C dv + R ds` and `g = g(at) + A du + B dv + E ds`.
    ///
    /// A linear substructure computes both terms in one product; a specimen is moved to `at` exactly
    /// once per call. Where the mass depends on the configuration, `r` is expressed with the mass
    /// matrix of the linearisation, `r := M_lin M(u)^-1 r(at)`, so that `M_lin a + r = 0` holds for
    /// the true acceleration and no scheme needs to know.
    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault>;

    /// Declares the dynamic matrices of a scheme; slot i of [`System::solve`] is `operators[i]`.
    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault>;

    /// Takes the tangents at `at` and factorises again, if the tangent policy is to follow the state.
    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault>;

    /// Solves `D a + c R sd = b`, `(m I - c E) sd = bs + (c B + k A) a`, in place: `b` becomes `a`,
    /// `bs` becomes `sd`.
    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]);

    /// Whether its mass matrix depends on the configuration.
    fn changes_mass(&self) -> bool {
        false
    }

    /// `y = M x` with the mass matrix of the linearisation.
    fn mul_mass(&self, x: &[f64], y: &mut [f64]);

    /// The tangent applied to an increment: `r = K du + C dv + R ds`, `g = A du + B dv + E ds`.
    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]);

    /// The external load at time `t`: the part of `-r` that depends on time alone. Forces, the inertia of constant
    /// masses under a base acceleration, supports that move the structure through constant matrices.
    fn load(&mut self, t: f64, out: &mut [f64]);

    /// How forces and state rates at a point change with time alone, `r = ∂r/∂t` and `g = ∂g/∂t`, just after `at.t`; `dt` is
    /// the step, s. Moves nothing.
    fn drift(&mut self, at: Point<'_>, dt: f64, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault>;

    /// Prepares [`System::accelerations_at`] for these unknowns. `false`: it would be no shorter than a whole evaluation.
    fn prepare_at(&mut self, _unknowns: &[usize]) -> bool {
        false
    }

    /// What [`System::force`] without a shift and a solution with the mass matrix give at the unknowns of [`System::prepare_at`], bit by
    /// bit: `a = -M⁻¹ r`, for couplings that ask for nothing else. Laws with a memory are moved as [`System::force`] moves them.
    fn accelerations_at(&mut self, _at: Point<'_>, _a: &mut [f64]) -> Result<(), Fault> {
        Ok(())
    }

    /// What the system remembers of the points at which it was evaluated: laws that [`System::force`] moves from one
    /// point to the next. Part of the complete state of a domain.
    fn memory(&self) -> &[f64] {
        &[]
    }

    /// [`System::memory`], to be written.
    fn memory_mut(&mut self) -> &mut [f64] {
        &mut []
    }

    /// How many of the first numbers of [`System::memory`] belong to a state of the system: whoever keeps several states of it keeps as
    /// many of these, and gives them back before it goes on from one. The others exist once, whatever is computed with the system: what
    /// a rig went through, which nobody can take back.
    fn own_memory(&self) -> usize {
        self.memory().len()
    }

    /// Whether number `i` of these is a continuous variable, so that the mean of two states has the mean of it. Branches, directions,
    /// tangents and turned axes are not: they are taken from one state, with all that belongs to them.
    fn mixes(&self, _i: usize) -> bool {
        true
    }

    /// Saves or restores what else it remembers from one step to the next, beside [`System::memory`].
    fn persist(&mut self, _archive: &mut dyn Archive) {}

    /// Forgets all evaluations at the beginning of a motion: laws that evaluations move have come to this point from rest.
    fn settle(&mut self, _at: Point<'_>) {
        self.memory_mut().fill(0.0);
    }

    /// Says that the scheme iterates, before [`System::prepare`]: evaluations are then trials, each of which moves the laws
    /// with a memory from where they stood at the last [`System::commit`], and tangents are those of the trials.
    fn iterate(&mut self) {}

    /// Whether the evaluations that follow are trials of a step with stages: histories of members stay where they are.
    fn trial(&mut self, _trial: bool) {}

    /// A step begins where the laws stand now.
    fn commit(&mut self) {}

    /// The laws stand again where the step began, for another trial.
    fn rewind(&mut self) {}

    /// Its laws that can be computed apart from it, if it knows of any.
    fn laws(&mut self) -> Option<&mut dyn SlowLaws> {
        None
    }
}
