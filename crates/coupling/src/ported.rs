//! A system with ports: the multipliers of its interface added to its forces, linear in time over a stride.
//!
//! Any scheme thereby becomes a side of a coupling without a line of its own, and the time level of the multiplier is
//! right by construction: where the scheme evaluates forces at t + θτ, it sees λ(θ).

use interfield_kernel::{Dims, Fault, Mck, Point, Shift, System};

use crate::interface::Port;

/// What [`Ported`] answers to `force`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    /// The system's forces.
    Forces,
    /// The tangent alone, without loads: the linear system about the last linearisation, for probing.
    Tangent,
}

/// A system whose ports are loaded by multipliers.
#[derive(Clone, Debug)]
pub(crate) struct Ported<S> {
    pub(crate) system: S,
    pub(crate) ports: Vec<Port>,
    /// Slot of the first operator of the scheme in use.
    pub(crate) slot: usize,
    /// Start and length of the step, s.
    span: (f64, f64),
    /// Multiplier on each port at both ends of the step.
    ends: [Vec<f64>; 2],
    answer: Answer,
    scratch: [Vec<f64>; 2],
}

impl<S: System> Ported<S> {
    pub(crate) fn new(system: S, ports: Vec<Port>) -> Self {
        let Dims { nu, ns } = system.dims();
        let ends = [vec![0.0; ports.len()], vec![0.0; ports.len()]];
        let scratch = [vec![0.0; nu], vec![0.0; ns]];
        Ported { system, ports, slot: 0, span: (0.0, 1.0), ends, answer: Answer::Forces, scratch }
    }

    /// Loads the ports with (1 - x) `l0` + x `l1` at the fractions `x` of a stride (global multipliers) at both ends of
    /// the step from `t` to `t + tau`.
    pub(crate) fn load_ports(&mut self, (t, tau): (f64, f64), x: [f64; 2], l0: &[f64], l1: &[f64]) {
        self.span = (t, tau);
        for (x, end) in x.into_iter().zip(&mut self.ends) {
            for (p, l) in self.ports.iter().zip(end) {
                *l = (1.0 - x) * l0[p.row] + x * l1[p.row];
            }
        }
    }

    /// No multipliers.
    pub(crate) fn unload(&mut self) {
        self.ends.iter_mut().for_each(|end| end.fill(0.0));
    }

    /// Runs `f` on the linear system about the last linearisation.
    pub(crate) fn linear<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.answer = Answer::Tangent;
        let result = f(self);
        self.answer = Answer::Forces;
        result
    }
}

impl<S: System> System for Ported<S> {
    fn dims(&self) -> Dims {
        self.system.dims()
    }

    fn force(&mut self, at: Point<'_>, shift: Option<Shift<'_>>, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        match self.answer {
            Answer::Forces => self.system.force(at, shift, r, g)?,
            Answer::Tangent => {
                self.system.mul_tangent(Shift { u: at.u, v: at.v, s: at.s }, r, g);
                if let Some(shift) = shift {
                    let [rs, gs] = &mut self.scratch;
                    self.system.mul_tangent(shift, rs, gs);
                    r.iter_mut().zip(rs).for_each(|(r, x)| *r += *x);
                    g.iter_mut().zip(gs).for_each(|(g, x)| *g += *x);
                }
            }
        }
        // The ends exactly: t + τ - t is not τ after many steps.
        let x = (at.t - self.span.0) / self.span.1;
        let x = if (x - 1.0).abs() < 1e-6 { 1.0 } else { x };
        for (i, p) in self.ports.iter().enumerate() {
            let l = (1.0 - x) * self.ends[0][i] + x * self.ends[1][i];
            r[p.dof] += p.sign * l; // + Lᵀ λ
        }
        Ok(())
    }

    fn drift(&mut self, at: Point<'_>, dt: f64, r: &mut [f64], g: &mut [f64]) -> Result<(), Fault> {
        match self.answer {
            Answer::Forces => self.system.drift(at, dt, r, g)?,
            Answer::Tangent => {
                r.fill(0.0);
                g.fill(0.0);
            }
        }
        for (i, p) in self.ports.iter().enumerate() {
            r[p.dof] += p.sign * (self.ends[1][i] - self.ends[0][i]) / self.span.1;
        }
        Ok(())
    }

    fn prepare(&mut self, operators: &[Mck]) -> Result<(), Fault> {
        self.system.prepare(operators)
    }

    fn linearise(&mut self, at: Point<'_>) -> Result<(), Fault> {
        match self.answer {
            Answer::Forces => self.system.linearise(at),
            Answer::Tangent => Ok(()),
        }
    }

    fn solve(&mut self, slot: usize, b: &mut [f64], bs: &mut [f64]) {
        self.system.solve(self.slot + slot, b, bs);
    }

    fn mul_mass(&self, x: &[f64], y: &mut [f64]) {
        self.system.mul_mass(x, y);
    }

    fn mul_tangent(&self, x: Shift<'_>, r: &mut [f64], g: &mut [f64]) {
        self.system.mul_tangent(x, r, g);
    }

    fn load(&mut self, t: f64, out: &mut [f64]) {
        self.system.load(t, out);
    }

    fn memory(&self) -> &[f64] {
        self.system.memory()
    }

    fn memory_mut(&mut self) -> &mut [f64] {
        self.system.memory_mut()
    }

    fn settle(&mut self, at: Point<'_>) {
        self.system.settle(at);
    }

    fn trial(&mut self, trial: bool) {
        self.system.trial(trial);
    }
}
