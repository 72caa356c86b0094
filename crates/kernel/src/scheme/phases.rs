//! What a step is made of. A scheme writes its step once, over any [`Phases`]: [`Step`] runs it, [`Survey`] counts what it
//! needs, and `interfield-codegen` prints it as C.
//!
//! A vector is as long as the displacements u, or as the velocities with the element states behind them, which are
//! integrated as velocities are: wherever a scheme says v it means [v s], for a it means [a s']. With the forces
//! f = [-r g] and the mass [M 1] the balance is `M a = f(u, v, t)` in every entry.

use core::array::from_fn;
use core::mem::take;

use crate::fault::Place;
use crate::{Dims, Fault, Point, Scalar, Shift, System};

/// How long a vector is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As u.
    U,
    /// As v, with the element states.
    V,
}

/// Displacements, and velocities with the element states behind them; or increments or rates of these.
#[derive(Clone, Copy, Debug)]
pub struct State<V> {
    /// Displacements.
    pub u: V,
    /// Velocities and element states.
    pub v: V,
}

/// When an iteration ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Largest correction accepted as converged, relative to the motion.
    pub tolerance: f64,
    /// Iterations after which the step fails.
    pub iterations: u32,
}

/// A correction of the rates, measured as motions so that a structure at rest under load converges too, and the motion to
/// compare it with; displacements, then element states.
#[derive(Clone, Copy, Debug, Default)]
pub struct Correction {
    correction: [f64; 2],
    motion: [f64; 2],
}

/// Relative corrections below this end an iteration as soon as they do not shrink any more: where stiffnesses are far apart,
/// what rounding leaves of the forces stays above any tolerance, and the step is as good as it gets.
const ROUNDING: f64 = 1e-6;

impl Correction {
    fn size(&self) -> f64 {
        let relative = |i: usize| self.correction[i] / self.motion[i].max(f64::MIN_POSITIVE);
        relative(0).max(relative(1))
    }

    fn within(&self, tolerance: f64) -> bool {
        (0..2).all(|i| self.correction[i] <= tolerance * self.motion[i])
    }
}

/// The phases of a step. Times are given in steps: 0 is the start, 1 the end.
pub trait Phases: Sized {
    /// A vector.
    type Vector;
    /// An entry of a vector, or a number of the step.
    type Number: Scalar;

    /// Length of the step, s. Which phases there are does not depend on it.
    fn dt(&self) -> f64;
    /// Whether the system remembers the points at which it was evaluated, see [`System::memory`].
    fn remembers(&self) -> bool {
        false
    }
    /// Numbers of the step, with the names that they have in C.
    fn numbers<const N: usize>(&mut self, named: [(&'static str, f64); N]) -> [Self::Number; N];

    /// The state: at the start of the step on entry, at its end on exit. Asked for once.
    fn state(&mut self) -> State<Self::Vector>;
    /// Memory that survives the step, in the order of the calls.
    fn history<const N: usize>(&mut self, names: [&'static str; N], length: Length) -> [Self::Vector; N];
    /// Memory of this step, contents arbitrary.
    fn scratch<const N: usize>(&mut self, names: [&'static str; N], length: Length) -> [Self::Vector; N];

    /// Entry by entry, as far as the shortest vector goes: new values of `changed` from the old ones and those of `read`.
    fn update<const C: usize, const R: usize>(
        &mut self,
        changed: [&mut Self::Vector; C],
        read: [&Self::Vector; R],
        f: impl Fn([Self::Number; C], [Self::Number; R]) -> [Self::Number; C],
    );
    /// All entries of `x` become `value`.
    fn fill(&mut self, x: &mut Self::Vector, value: f64);

    /// Refuses unknowns without mass: a step that finds accelerations by the mass alone does not move them.
    fn require_mass(&mut self) -> Result<(), Fault> {
        Ok(())
    }
    /// Takes the tangents at this time and point, if the tangent policy is to follow the state.
    fn linearise(&mut self, time: f64, at: &State<Self::Vector>) -> Result<(), Fault>;
    /// Whether the evaluations that follow are trials: they leave histories of members where they are. A step with stages
    /// moves them once, to its start; specimens and laws that stand for one are moved by every evaluation.
    fn trial(&mut self, trial: bool);
    /// Evaluates at this time and point, and extrapolates along the tangent by `shift`: f = [-r g]. The step is cut here: a
    /// specimen is moved to `at.u`, and waited for.
    fn force(
        &mut self,
        time: f64,
        at: &State<Self::Vector>,
        shift: Option<&State<Self::Vector>>,
        f: &mut Self::Vector,
    ) -> Result<(), Fault>;
    /// Solves with operator `slot` of the scheme, in place: `[m M + c C + k K] a = b`, element states eliminated.
    fn solve(&mut self, slot: usize, b: &mut Self::Vector);
    /// y = M x, element states having the mass 1.
    fn mul_mass(&mut self, x: &Self::Vector, y: &mut Self::Vector);
    /// What the tangent makes of an increment: by how much f changes.
    fn mul_tangent(&mut self, x: &State<Self::Vector>, f: &mut Self::Vector);
    /// How f changes with time alone, at the start of the step; moves nothing.
    fn drift(&mut self, at: &State<Self::Vector>, f: &mut Self::Vector) -> Result<(), Fault>;

    /// Repeats phases, each time with the laws where the step began, until their correction is small enough.
    fn iterate(
        &mut self,
        limits: Limits,
        phases: impl FnMut(&mut Self) -> Result<Correction, Fault>,
    ) -> Result<(), Fault>;
    /// Measures the correction that `rate` got in an iteration whose end point was `x`.
    fn measure(
        &mut self,
        correction: &Self::Vector,
        x: &State<Self::Vector>,
        rate: &Self::Vector,
    ) -> Result<Correction, Fault>;

    /// Copies, as far as the shorter vector goes.
    fn copy(&mut self, from: &Self::Vector, to: &mut Self::Vector) {
        self.update([to], [from], |_, [x]| [x]);
    }

    /// [`Phases::update`] of whole states.
    fn update_states<const C: usize, const R: usize>(
        &mut self,
        mut changed: [&mut State<Self::Vector>; C],
        read: [&State<Self::Vector>; R],
        f: impl Fn([Self::Number; C], [Self::Number; R]) -> [Self::Number; C],
    ) {
        self.update(changed.each_mut().map(|x| &mut x.u), read.map(|x| &x.u), &f);
        self.update(changed.map(|x| &mut x.v), read.map(|x| &x.v), &f);
    }

    /// Scratch for whole states.
    fn scratch_states<const N: usize>(&mut self, names: [[&'static str; 2]; N]) -> [State<Self::Vector>; N] {
        names.map(|[u, v]| {
            let ([u], [v]) = (self.scratch([u], Length::U), self.scratch([v], Length::V));
            State { u, v }
        })
    }
}

/// Fills a history [a s'] so that it satisfies the equations at the start: M a = f.
/// Slot 0 of the scheme must be [`crate::Mck::MASS`].
pub fn start_rates<P: Phases>(p: &mut P, at: &State<P::Vector>, a: &mut P::Vector) -> Result<(), Fault> {
    p.linearise(0.0, at)?;
    p.force(0.0, at, None, a)?;
    p.solve(0, a);
    Ok(())
}

/// Runs the phases of a step: a view of the state (changed in place), the memory of the scheme, and the system.
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

impl<'a> Step<'a> {
    fn point<'b>(&self, time: f64, at: &'b State<&'a mut [f64]>) -> Point<'b> {
        let (v, s) = at.v.split_at(at.u.len());
        Point { t: self.t + time * self.dt, u: at.u, v, s }
    }

    fn length(&self, length: Length) -> usize {
        let Dims { nu, ns } = self.sys.dims();
        nu + if length == Length::V { ns } else { 0 }
    }
}

fn shift_of<'b>(x: &'b State<&mut [f64]>) -> Shift<'b> {
    let (v, s) = x.v.split_at(x.u.len());
    Shift { u: x.u, v, s }
}

fn cut<'a, const N: usize>(memory: &mut &'a mut [f64], length: usize) -> [&'a mut [f64]; N] {
    from_fn(|_| {
        let (vector, rest) = take(memory).split_at_mut(length);
        *memory = rest;
        vector
    })
}

fn negate(r: &mut [f64]) {
    r.iter_mut().for_each(|x| *x = -*x);
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

impl<'a> Phases for Step<'a> {
    type Vector = &'a mut [f64];
    type Number = f64;

    #[inline]
    fn dt(&self) -> f64 {
        self.dt
    }

    fn remembers(&self) -> bool {
        !self.sys.memory().is_empty()
    }

    #[inline]
    fn numbers<const N: usize>(&mut self, named: [(&'static str, f64); N]) -> [f64; N] {
        named.map(|(_, value)| value)
    }

    #[inline]
    fn state(&mut self) -> State<&'a mut [f64]> {
        let (u, v) = take(&mut self.y).split_at_mut(self.sys.dims().nu);
        State { u, v }
    }

    #[inline]
    fn history<const N: usize>(&mut self, _: [&'static str; N], length: Length) -> [&'a mut [f64]; N] {
        let length = self.length(length);
        cut(&mut self.h, length)
    }

    #[inline]
    fn scratch<const N: usize>(&mut self, _: [&'static str; N], length: Length) -> [&'a mut [f64]; N] {
        let length = self.length(length);
        cut(&mut self.w, length)
    }

    #[inline]
    fn update<const C: usize, const R: usize>(
        &mut self,
        changed: [&mut &'a mut [f64]; C],
        read: [&&'a mut [f64]; R],
        f: impl Fn([f64; C], [f64; R]) -> [f64; C],
    ) {
        let lengths = changed.iter().map(|x| x.len()).chain(read.iter().map(|x| x.len()));
        let n = lengths.min().unwrap_or(0);
        // Cut to one length, so that the compiler needs no check inside the loop.
        let changed = changed.map(|x| &mut x[..n]);
        let read = read.map(|x| &x[..n]);
        for i in 0..n {
            let new = f(from_fn(|k| changed[k][i]), from_fn(|k| read[k][i]));
            for k in 0..C {
                changed[k][i] = new[k];
            }
        }
    }

    #[inline]
    fn fill(&mut self, x: &mut &'a mut [f64], value: f64) {
        x.fill(value);
    }

    fn require_mass(&mut self) -> Result<(), Fault> {
        let n = self.sys.dims().nu;
        let (x, mx) = self.w.split_at_mut(n);
        // No two neighbours alike, so that the terms of a row do not cancel: zero is an empty row.
        x.iter_mut().enumerate().for_each(|(i, x)| *x = 1.0 + (i % 89) as f64 / 89.0);
        self.sys.mul_mass(x, &mut mx[..n]);
        match mx[..n].iter().position(|m| *m == 0.0) {
            Some(dof) => Err(Fault::Singular { dof }),
            None => Ok(()),
        }
    }

    fn linearise(&mut self, time: f64, at: &State<&'a mut [f64]>) -> Result<(), Fault> {
        self.sys.linearise(self.point(time, at))
    }

    fn trial(&mut self, trial: bool) {
        self.sys.trial(trial);
    }

    fn force(
        &mut self,
        time: f64,
        at: &State<&'a mut [f64]>,
        shift: Option<&State<&'a mut [f64]>>,
        f: &mut &'a mut [f64],
    ) -> Result<(), Fault> {
        let at = self.point(time, at);
        let (r, g) = f.split_at_mut(at.u.len());
        self.sys.force(at, shift.map(|x| shift_of(x)), r, g)?;
        negate(r);
        Ok(())
    }

    fn solve(&mut self, slot: usize, b: &mut &'a mut [f64]) {
        let (b, bs) = b.split_at_mut(self.sys.dims().nu);
        self.sys.solve(slot, b, bs);
    }

    fn mul_mass(&mut self, x: &&'a mut [f64], y: &mut &'a mut [f64]) {
        let n = self.sys.dims().nu;
        self.sys.mul_mass(&x[..n], &mut y[..n]);
        let rest = n..y.len();
        y[rest.clone()].copy_from_slice(&x[rest]);
    }

    fn mul_tangent(&mut self, x: &State<&'a mut [f64]>, f: &mut &'a mut [f64]) {
        let (r, g) = f.split_at_mut(x.u.len());
        self.sys.mul_tangent(shift_of(x), r, g);
        negate(r);
    }

    fn drift(&mut self, at: &State<&'a mut [f64]>, f: &mut &'a mut [f64]) -> Result<(), Fault> {
        let (at, dt) = (self.point(0.0, at), self.dt);
        let (r, g) = f.split_at_mut(at.u.len());
        self.sys.drift(at, dt, r, g)?;
        negate(r);
        Ok(())
    }

    fn iterate(
        &mut self,
        limits: Limits,
        mut phases: impl FnMut(&mut Self) -> Result<Correction, Fault>,
    ) -> Result<(), Fault> {
        self.sys.commit();
        let (mut first, mut before) = (0.0, f64::INFINITY);
        for iteration in 1..=limits.iterations {
            self.sys.rewind();
            let correction = phases(self)?;
            let size = correction.size();
            if correction.within(limits.tolerance) || size <= ROUNDING && size >= before {
                return Ok(());
            }
            first = if iteration == 1 { size } else { first };
            before = size;
        }
        Err(Fault::NoConvergence { iterations: limits.iterations, residual: before / first })
    }

    fn measure(
        &mut self,
        correction: &&'a mut [f64],
        x: &State<&'a mut [f64]>,
        rate: &&'a mut [f64],
    ) -> Result<Correction, Fault> {
        let (n, dt) = (x.u.len(), self.dt);
        if let Some(i) = correction.iter().position(|x| !x.is_finite()) {
            let (place, index) = if i < n { (Place::Displacement, i) } else { (Place::State, i - n) };
            return Err(Fault::NonFinite { place, index });
        }
        let u = largest(x.u) + dt * largest(&x.v[..n]) + dt * dt * largest(&rate[..n]);
        let s = largest(&x.v[n..]) + dt * largest(&rate[n..]);
        let correction = [dt * dt * largest(&correction[..n]), dt * largest(&correction[n..])];
        Ok(Correction { correction, motion: [u, s] })
    }
}

/// Counts what a step needs: its evaluations and its memory, without moving anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// Vectors of each [`Length`] that survive the step.
    pub history: [usize; 2],
    /// Vectors of each [`Length`] besides.
    pub scratch: [usize; 2],
    /// Evaluations of the forces, those of one iteration only.
    pub evaluations: u32,
    /// Whether it iterates, which no specimen can follow.
    pub iterates: bool,
    /// Whether it asks how the forces change with time alone.
    pub drifts: bool,
    /// Whether it needs the mass of every unknown.
    pub needs_mass: bool,
}

impl Phases for Survey {
    type Vector = ();
    type Number = f64;

    fn dt(&self) -> f64 {
        1.0
    }
    fn numbers<const N: usize>(&mut self, named: [(&'static str, f64); N]) -> [f64; N] {
        named.map(|(_, value)| value)
    }
    fn state(&mut self) -> State<()> {
        State { u: (), v: () }
    }
    fn history<const N: usize>(&mut self, _: [&'static str; N], length: Length) -> [(); N] {
        self.history[length as usize] += N;
        [(); N]
    }
    fn scratch<const N: usize>(&mut self, _: [&'static str; N], length: Length) -> [(); N] {
        self.scratch[length as usize] += N;
        [(); N]
    }
    fn update<const C: usize, const R: usize>(
        &mut self,
        _: [&mut (); C],
        _: [&(); R],
        _: impl Fn([f64; C], [f64; R]) -> [f64; C],
    ) {
    }
    fn fill(&mut self, _: &mut (), _: f64) {}
    fn require_mass(&mut self) -> Result<(), Fault> {
        self.needs_mass = true;
        Ok(())
    }
    fn linearise(&mut self, _: f64, _: &State<()>) -> Result<(), Fault> {
        Ok(())
    }
    fn trial(&mut self, _: bool) {}

    fn force(&mut self, _: f64, _: &State<()>, _: Option<&State<()>>, _: &mut ()) -> Result<(), Fault> {
        self.evaluations += 1;
        Ok(())
    }
    fn solve(&mut self, _: usize, _: &mut ()) {}
    fn mul_mass(&mut self, _: &(), _: &mut ()) {}
    fn mul_tangent(&mut self, _: &State<()>, _: &mut ()) {}
    fn drift(&mut self, _: &State<()>, _: &mut ()) -> Result<(), Fault> {
        self.drifts = true;
        Ok(())
    }
    fn iterate(
        &mut self,
        _: Limits,
        mut phases: impl FnMut(&mut Self) -> Result<Correction, Fault>,
    ) -> Result<(), Fault> {
        self.iterates = true;
        phases(self).map(|_| ())
    }
    fn measure(&mut self, _: &(), _: &State<()>, _: &()) -> Result<Correction, Fault> {
        Ok(Correction::default())
    }
}
