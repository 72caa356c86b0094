//! Degrees of freedom of a body that no actuator moves: they follow by their own mass and stiffness, or statically without mass.
//!
//! Within a sample, divided into substeps of length h, the driven coordinates are given and the free ones u solve
//!
//! ```text
//! M(u) a + r(u, v, s) = 0 in the free rows        v = 2 (u - u₀)/h - v₀     a = 4 (u - u₀)/h² - 4 v₀/h - a₀    with mass
//!                                                v = (u - u₀)/h            a = 0                              without
//! ```
//!
//! the average acceleration rule (Newmark, γ = 1/2, β = 1/4), by Newton's iteration. Every evaluation begins with what the body remembered
//! at the beginning of the substep: a trial moves no history.

use interfield_kernel::{Fault, Point, System};
use interfield_linalg::Lu;

use super::body::{Motion, Replica};

/// What is known of the free degrees of freedom of a body. Coordinates are the driven ones, then the free ones.
pub struct Free {
    /// Unknown of the system of each coordinate.
    pub order: Vec<usize>,
    /// How many coordinates are driven.
    pub driven: usize,
    /// Stiffness and damping at rest, row-major over the coordinates, at the scale of the structure.
    pub stiffness: Vec<f64>,
    /// See [`Free::stiffness`].
    pub damping: Vec<f64>,
    /// Masses of the free ones beside those of elements, at the scale of the structure.
    pub masses: Vec<f64>,
    /// Where they rest if not at zero.
    pub guess: Vec<f64>,
    /// Whether the mass matrix depends on the configuration.
    pub moving_mass: bool,
}

/// Largest phase of the fastest free motion within a substep: the rule then shortens its period by less than 0.1 %.
const PHASE: f64 = 0.1;
/// Most substeps of a sample: what is faster follows without its own vibration.
const MOST: f64 = 20.0;
/// Most iterations of a substep.
const ITERATIONS: u32 = 40;
/// Corrections of these shares of the way of a substep, of the largest displacement, and of the displacement under what is carried within
/// the body are rounding; members are balanced within themselves to the last share.
const ROUNDING: [f64; 3] = [1e-9, 1e-13, 1e-11];
/// A matrix is renewed where an iteration leaves more than this share of a correction.
const SLOW: f64 = 0.2;
/// Difference by which the matrix is renewed, over the displacement.
const NEAR: f64 = 1e-7;
/// Mass of every unknown of the system that is nobody's: a system must have some.
const UNIT: f64 = 1.0;

/// The free degrees of freedom of a body, as they are integrated.
pub(super) struct Inner {
    pub(super) known: Free,
    /// Where they rest.
    pub(super) rest: Vec<f64>,
    massless: Vec<bool>,
    substeps: u32,
    /// The matrix of Newton's iteration over the free ones; that at rest, and for which substep, s, it was made.
    matrix: Vec<f64>,
    at_rest: Vec<f64>,
    made_for: Option<f64>,
    /// Whether the matrix is that at rest.
    rested: bool,
    lu: Lu,
    /// Of the free ones, at the beginning of a substep: displacement, velocity, acceleration.
    begin: [Vec<f64>; 3],
    residual: Vec<f64>,
    step: Vec<f64>,
    /// Of all unknowns: accelerations, inertia forces.
    pub(super) a: Vec<f64>,
    inertia: Vec<f64>,
    /// At the beginning of a substep: states, rates of the states, memory of the system, displacements and velocities of all unknowns.
    pub(super) states: Vec<f64>,
    pub(super) memory: Vec<f64>,
    from: [Vec<f64>; 2],
}

impl Inner {
    fn new(known: Free, [n, states, memory]: [usize; 3]) -> Self {
        let free = known.order.len() - known.driven;
        let zeros = |n: usize| vec![0.0; n];
        Inner {
            rest: zeros(free),
            massless: vec![false; free],
            substeps: 1,
            matrix: zeros(free * free),
            at_rest: zeros(free * free),
            made_for: None,
            rested: false,
            lu: Lu::new(free),
            begin: [zeros(free), zeros(free), zeros(free)],
            residual: zeros(free),
            step: zeros(free),
            a: zeros(n),
            inertia: zeros(n),
            states: zeros(states),
            memory: zeros(memory),
            from: [zeros(n), zeros(n)],
            known,
        }
    }

    /// Number of free ones.
    pub(super) fn len(&self) -> usize {
        self.known.order.len() - self.known.driven
    }

    /// Unknown of the system of free one `j`.
    pub(super) fn unknown(&self, j: usize) -> usize {
        self.known.order[self.known.driven + j]
    }

    /// What element masses do to an unknown.
    pub(super) fn inertia(&self, unknown: usize) -> f64 {
        self.inertia[unknown]
    }

    fn factorize(&mut self) -> Result<(), Fault> {
        self.rested = false;
        self.lu.factorize(&self.matrix).map_err(|s| Fault::Singular { dof: self.unknown(s.row) })
    }

    /// Takes the matrix at rest again: a sample begins with nothing that the one before has found, so that it is the same after a pause.
    fn forget(&mut self) -> Result<(), Fault> {
        if !self.rested {
            self.matrix.copy_from_slice(&self.at_rest);
            self.factorize()?;
            self.rested = true;
        }
        Ok(())
    }

    /// Entry of a matrix over all coordinates, for two free ones.
    fn of(&self, matrix: &[f64], i: usize, j: usize) -> f64 {
        let (d, n) = (self.known.driven, self.known.order.len());
        matrix[(d + i) * n + d + j]
    }
}

impl<S: System> Replica<S> {
    /// The same body with free degrees of freedom, each where it rests.
    ///
    /// # Errors
    /// When no rest was found.
    pub fn with_free(mut self, known: Free, period: f64) -> Result<Self, Fault> {
        let d = self.system.dims();
        let mut inner = Inner::new(known, [d.nu, d.ns, self.rest.len()]);
        inner.memory.copy_from_slice(&self.rest);
        inner.states.copy_from_slice(&self.start);
        let zero = vec![0.0; inner.len()];
        let guess = inner.known.guess.clone();
        if self.settle(&mut inner, &zero).is_err() {
            self.settle(&mut inner, &guess)?;
        }
        for j in 0..inner.len() {
            inner.rest[j] = self.u[inner.unknown(j)];
        }
        self.take_masses(&mut inner, period)?;
        self.inner = Some(inner);
        Ok(self)
    }

    /// Finds where the free ones rest while the driven ones stand at zero: r(u) = 0 in the free rows.
    fn settle(&mut self, inner: &mut Inner, guess: &[f64]) -> Result<(), Fault> {
        let free = inner.len();
        self.u.fill(0.0);
        (0..free).for_each(|j| self.u[inner.unknown(j)] = guess[j]);
        for k in 0..free * free {
            inner.matrix[k] = inner.of(&inner.known.stiffness, k / free, k % free);
        }
        inner.factorize()?;
        self.iterate(inner, 0.0, 0.0)
    }

    /// Which free ones have no mass, and how many substeps the fastest of the others needs.
    fn take_masses(&mut self, inner: &mut Inner, period: f64) -> Result<(), Fault> {
        let mut fastest = 0.0f64;
        for j in 0..inner.len() {
            inner.a.fill(0.0);
            let at = inner.unknown(j);
            inner.a[at] = 1.0;
            self.evaluate(inner, 0.0, 0.0)?;
            let mass = inner.inertia[at] + inner.known.masses[j];
            inner.massless[j] = mass == 0.0;
            if mass > 0.0 {
                let stiff: f64 = (0..inner.len()).map(|k| inner.of(&inner.known.stiffness, j, k).abs()).sum();
                fastest = fastest.max((stiff / mass).sqrt());
            }
        }
        inner.a.fill(0.0);
        inner.substeps = (fastest * period / PHASE).ceil().clamp(1.0, MOST) as u32;
        self.make(inner, period / f64::from(inner.substeps));
        Ok(())
    }

    /// Forces at `self.u`, `self.v` at time `t`, after `h` seconds from the beginning of the substep: r in `self.r`, and what element masses
    /// add at the accelerations in `inner.inertia`. States follow by Heun's rule. Nothing is remembered but by the system itself.
    fn evaluate(&mut self, inner: &mut Inner, t: f64, h: f64) -> Result<(), Fault> {
        self.states.copy_from_slice(&inner.states);
        if h > 0.0 && !self.states.is_empty() {
            let [_, g1] = &mut self.rates;
            self.system.memory_mut().copy_from_slice(&inner.memory);
            (0..self.trial.len()).for_each(|i| self.trial[i] = self.states[i] + h * self.rate0[i]);
            let there = Point { t, u: &self.u, v: &self.v, s: &self.trial };
            self.system.force(there, None, &mut self.r, g1)?;
            (0..self.trial.len()).for_each(|i| self.states[i] += 0.5 * h * (self.rate0[i] + g1[i]));
        }
        let there = Point { t, u: &self.u, v: &self.v, s: &self.states };
        if inner.known.moving_mass {
            // Forces are then those with the mass at this very point.
            self.system.linearise(there)?;
        }
        self.system.memory_mut().copy_from_slice(&inner.memory);
        self.system.force(there, None, &mut self.r, &mut self.rates[0])?;
        self.system.mul_mass(&inner.a, &mut inner.inertia);
        inner.inertia.iter_mut().zip(&inner.a).for_each(|(f, a)| *f -= UNIT * a);
        Ok(())
    }

    /// Moves in `dt` from where it was, `before` = [u v] of all unknowns and `a` of the free ones, to where the driven ones are at the end.
    /// Forces are in `self.r` and `inner.inertia` afterwards.
    pub(super) fn follow(
        &mut self,
        inner: &mut Inner,
        (before, a): (&[f64], &[f64]),
        to: Motion<'_>,
        dt: f64,
    ) -> Result<(), Fault> {
        let n = self.u.len();
        inner.from[0].copy_from_slice(&before[..n]);
        inner.from[1].copy_from_slice(&before[n..]);
        for j in 0..inner.len() {
            let unknown = inner.unknown(j);
            inner.from[0][unknown] += inner.rest[j];
        }
        inner.begin[2].copy_from_slice(a);
        let h = dt / f64::from(inner.substeps);
        if inner.made_for != Some(h) {
            self.make(inner, h);
        }
        inner.forget()?;
        for k in 1..=inner.substeps {
            self.drive(inner, (before, to, dt), f64::from(k) / f64::from(inner.substeps));
            let t = to.t - dt + f64::from(k) * h;
            self.substep(inner, t, h)?;
            if k < inner.substeps {
                inner.states.copy_from_slice(&self.states);
                inner.memory.copy_from_slice(self.system.memory());
            }
            inner.from[0].copy_from_slice(&self.u);
            inner.from[1].copy_from_slice(&self.v);
            (0..inner.len()).for_each(|j| inner.begin[2][j] = inner.a[inner.unknown(j)]);
        }
        Ok(())
    }

    /// Puts the driven coordinates where they are at the share `x` of the sample: on the cubic through both ends and their velocities.
    fn drive(&mut self, inner: &mut Inner, (before, to, dt): (&[f64], Motion<'_>, f64), x: f64) {
        let n = self.u.len();
        for i in 0..inner.known.driven {
            let at = inner.known.order[i];
            let end = [to.u[i], to.v[i], to.a[i]].map(|x| self.scale * x);
            [self.u[at], self.v[at], inner.a[at]] = if x == 1.0 {
                end
            } else {
                let (u0, v0) = (before[at], before[n + at]);
                let (way, m0, m1) = (end[0] - u0, v0 * dt, end[1] * dt);
                let (b, c) = (3.0 * way - 2.0 * m0 - m1, m0 + m1 - 2.0 * way);
                [
                    u0 + x * (m0 + x * (b + x * c)),
                    (m0 + x * (2.0 * b + 3.0 * x * c)) / dt,
                    (2.0 * b + 6.0 * x * c) / (dt * dt),
                ]
            };
        }
    }

    /// One substep of the free ones.
    fn substep(&mut self, inner: &mut Inner, t: f64, h: f64) -> Result<(), Fault> {
        let free = inner.len();
        for j in 0..free {
            let at = inner.unknown(j);
            (inner.begin[0][j], inner.begin[1][j]) = (inner.from[0][at], inner.from[1][at]);
        }
        if !self.states.is_empty() {
            let from = Point { t: t - h, u: &inner.from[0], v: &inner.from[1], s: &inner.states };
            self.system.memory_mut().copy_from_slice(&inner.memory);
            self.system.force(from, None, &mut self.r, &mut self.rate0)?;
        }
        for j in 0..free {
            let [u, v, a] = &inner.begin;
            let ahead = if inner.massless[j] { 0.0 } else { h * (v[j] + 0.5 * h * a[j]) };
            self.u[inner.known.order[inner.known.driven + j]] = u[j] + ahead;
        }
        self.iterate(inner, t, h)
    }

    /// Newton's iteration on the balance of the free ones; `h` = 0: at rest.
    fn iterate(&mut self, inner: &mut Inner, t: f64, h: f64) -> Result<(), Fault> {
        let (mut before, mut close) = (f64::INFINITY, false);
        for _ in 0..ITERATIONS {
            self.rate_free(inner, h);
            self.evaluate(inner, t, h)?;
            self.take_residual(inner);
            if close || inner.residual.iter().all(|r| *r == 0.0) {
                return Ok(());
            }
            inner.step.copy_from_slice(&inner.residual);
            inner.lu.solve(&mut inner.step);
            let left = self.correct(inner);
            if !left.is_finite() {
                break;
            }
            // A correction that does not shrink further though it is small is rounding of large forces.
            close = left <= 1.0 || (left <= 1e3 && left >= 0.5 * before);
            if !close && left > SLOW * before {
                self.renew(inner, t, h)?;
            }
            before = left;
        }
        Err(Fault::NoConvergence { iterations: ITERATIONS, residual: before })
    }

    /// Takes the step away; how large it is against rounding.
    fn correct(&mut self, inner: &mut Inner) -> f64 {
        let mut left = 0.0f64;
        for j in 0..inner.len() {
            let at = inner.unknown(j);
            self.u[at] -= inner.step[j];
            let way = (self.u[at] - inner.begin[0][j]).abs();
            let of = [way, self.farthest(inner, j), self.reach(inner, j)];
            let rounding: f64 = ROUNDING.iter().zip(of).map(|(share, size)| share * size).sum();
            left = left.max(inner.step[j].abs() / (rounding + f64::MIN_POSITIVE));
        }
        left
    }

    /// How far free one `j` is, was, or rests from zero.
    fn farthest(&self, inner: &Inner, j: usize) -> f64 {
        let [now, begin, rest] = [self.u[inner.unknown(j)], inner.begin[0][j], inner.rest[j]].map(f64::abs);
        now.max(begin).max(rest)
    }

    /// How far free one `j` would move under what is carried within the body, whatever of it cancels: |K_ij| ≤ √(K_ii K_jj).
    fn reach(&self, inner: &Inner, j: usize) -> f64 {
        let (n, k) = (inner.known.order.len(), &inner.known.stiffness);
        let root = |i: usize| k[i * n + i].abs().sqrt();
        let carried: f64 = inner.known.order.iter().enumerate().map(|(i, &at)| root(i) * self.u[at].abs()).sum();
        let own = root(inner.known.driven + j);
        if own > 0.0 { carried / own } else { 0.0 }
    }

    /// Velocities and accelerations of the free ones from their displacements.
    fn rate_free(&mut self, inner: &mut Inner, h: f64) {
        for j in 0..inner.len() {
            let at = inner.unknown(j);
            let [u, v, a] = [0, 1, 2].map(|k| inner.begin[k][j]);
            let way = self.u[at] - u;
            (self.v[at], inner.a[at]) = match inner.massless[j] || h == 0.0 {
                true => (if h == 0.0 { 0.0 } else { way / h }, 0.0),
                false => (2.0 * way / h - v, 4.0 * (way / h - v) / h - a),
            };
        }
    }

    fn take_residual(&self, inner: &mut Inner) {
        for j in 0..inner.len() {
            let at = inner.unknown(j);
            inner.residual[j] = self.r[at] + inner.inertia[at] + inner.known.masses[j] * inner.a[at];
        }
    }

    /// The matrix of Newton's iteration at rest: 4 M/h² + 2 C/h + K with mass, C/h + K without.
    fn make(&self, inner: &mut Inner, h: f64) {
        let free = inner.len();
        for j in 0..free {
            // A column of the mass, by a unit acceleration.
            inner.a.fill(0.0);
            let at = inner.unknown(j);
            inner.a[at] = 1.0;
            self.system.mul_mass(&inner.a, &mut inner.inertia);
            let (by_u, by_v) = if inner.massless[j] { (0.0, 1.0 / h) } else { (4.0 / (h * h), 2.0 / h) };
            for i in 0..free {
                let own = if i == j { inner.known.masses[j] - UNIT } else { 0.0 };
                let mass = inner.inertia[inner.unknown(i)] + own;
                let (k, c) = (inner.of(&inner.known.stiffness, i, j), inner.of(&inner.known.damping, i, j));
                inner.at_rest[i * free + j] = k + by_v * c + by_u * mass;
            }
        }
        inner.a.fill(0.0);
        (inner.made_for, inner.rested) = (Some(h), false);
    }

    /// The matrix of Newton's iteration where it is now, by differences.
    fn renew(&mut self, inner: &mut Inner, t: f64, h: f64) -> Result<(), Fault> {
        let free = inner.len();
        self.rate_free(inner, h);
        self.evaluate(inner, t, h)?;
        self.take_residual(inner);
        inner.step.copy_from_slice(&inner.residual);
        for j in 0..free {
            let at = inner.unknown(j);
            let here = self.u[at];
            let size = self.farthest(inner, j).max(self.reach(inner, j));
            let near = if size > 0.0 { NEAR * size } else { NEAR * NEAR };
            self.u[at] = here + near;
            self.rate_free(inner, h);
            self.evaluate(inner, t, h)?;
            self.take_residual(inner);
            for i in 0..free {
                inner.matrix[i * free + j] = (inner.residual[i] - inner.step[i]) / (self.u[at] - here);
            }
            self.u[at] = here;
        }
        inner.factorize()
    }
}
