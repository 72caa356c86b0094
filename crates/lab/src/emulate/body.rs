//! What the actuators of an emulated laboratory move: masses and elements of a model, at the scale of the specimen.

use interfield_kernel::{Archive, Fault, Point, System};

use super::inner::Inner;

/// Motion of a body at the end of a sample.
#[derive(Clone, Copy, Debug)]
pub struct Motion<'a> {
    /// Time in the laboratory, s.
    pub t: f64,
    /// Displacements, m.
    pub u: &'a [f64],
    /// Velocities, m/s.
    pub v: &'a [f64],
    /// Accelerations, m/s².
    pub a: &'a [f64],
}

/// A specimen in numbers.
pub trait Body: Send {
    /// Length of what it remembers.
    fn memory(&self) -> usize;

    /// Moves in `dt` from where it was to `to`, and gives the force that holds it there.
    fn advance(&mut self, memory: &mut [f64], to: Motion<'_>, dt: f64, force: &mut [f64]) -> Result<(), Fault>;

    /// Stiffness at rest, row-major.
    fn stiffness(&self) -> &[f64];

    /// How many degrees of freedom it has that no actuator moves.
    fn free(&self) -> usize {
        0
    }

    /// Where those are, m (rad).
    fn shows(&self, _memory: &[f64], _free: &mut [f64]) {}

    /// Saves or restores what it remembers beside its memory.
    fn persist(&mut self, _archive: &mut dyn Archive) {}
}

/// A body made of a [`System`] of the structure's scale S: displacements are S times those of the specimen, forces S²
/// times. Its internal states follow the motion by Heun's rule; time is that of the laboratory, so that what depends on
/// velocity feels how slowly an extended test moves. It stands in the laboratory with the states it is given, before it is led to an
/// initial displacement; what it remembers of them is how they have changed, and whether it was ever moved, so that zeros mean a
/// specimen that never was.
pub struct Replica<S> {
    pub(super) system: S,
    pub(super) scale: f64,
    stiffness: Vec<f64>,
    pub(super) u: Vec<f64>,
    pub(super) v: Vec<f64>,
    pub(super) rates: [Vec<f64>; 2],
    /// States before the test, present ones, and those that Heun's rule tries.
    pub(super) start: Vec<f64>,
    /// What the system remembers before the test.
    pub(super) rest: Vec<f64>,
    pub(super) states: Vec<f64>,
    pub(super) trial: Vec<f64>,
    masses: Vec<f64>,
    /// What no actuator moves.
    pub(super) inner: Option<Inner>,
    /// Factors on restoring forces and on damping, and the damping at rest that the latter belongs to; none: as the system says.
    factors: Option<([f64; 2], Vec<f64>)>,
    /// Forces on all unknowns, and rates of the states at the beginning of a substep.
    pub(super) r: Vec<f64>,
    pub(super) rate0: Vec<f64>,
}

impl<S: System> Replica<S> {
    /// A replica of `system`, which carries no load, at 1/`scale`, with the `masses` of the specimen itself in place of those
    /// of the system. `stiffness` is that of the system at rest, `start` its states before the test; those that are not given are zero.
    pub fn new(system: S, scale: f64, stiffness: Vec<f64>, masses: Vec<f64>, mut start: Vec<f64>) -> Self {
        let d = system.dims();
        start.resize(d.ns, 0.0);
        // k = dF/dx = (dF/S²)/(dx/S).
        let stiffness = stiffness.into_iter().map(|k| k / scale).collect();
        let states = || vec![0.0; d.ns];
        let (u, v) = (vec![0.0; d.nu], vec![0.0; d.nu]);
        let rest = system.memory().to_vec();
        Replica {
            system,
            scale,
            stiffness,
            u,
            v,
            rates: [states(), states()],
            start,
            rest,
            states: states(),
            trial: states(),
            masses,
            inner: None,
            factors: None,
            r: vec![0.0; d.nu],
            rate0: states(),
        }
    }

    /// The same with restoring forces times the first factor and damping, by rows as it is at rest, times the second. Free degrees of freedom keep theirs.
    #[must_use]
    pub fn with_factors(self, factors: [f64; 2], damping: Vec<f64>) -> Self {
        let factors = (factors != [1.0; 2]).then_some((factors, damping));
        Replica { factors, ..self }
    }

    /// [u v] at the scale of the structure before the step, where free ones are counted from their rest; changes of the states, memory of
    /// the system, whether it was moved, and accelerations of the free ones.
    fn layout(&self) -> [usize; 5] {
        let d = self.system.dims();
        let free = self.inner.as_ref().map_or(0, Inner::len);
        [2 * d.nu, d.ns, self.rest.len(), usize::from(!self.rest.is_empty()), free]
    }

    /// [`Body::advance`] of a body with free degrees of freedom.
    fn advance_freely(
        &mut self,
        inner: &mut Inner,
        memory: &mut [f64],
        (to, dt): (Motion<'_>, f64),
        force: &mut [f64],
    ) -> Result<(), Fault> {
        let [moves, states, remembers, flag, _] = self.layout();
        let n = moves / 2;
        let (before, rest) = memory.split_at_mut(moves);
        let (changed, rest) = rest.split_at_mut(states);
        let (remembered, rest) = rest.split_at_mut(remembers);
        let (moved, a) = rest.split_at_mut(flag);
        (0..states).for_each(|i| inner.states[i] = self.start[i] + changed[i]);
        let known: &[f64] = if moved.iter().all(|m| *m == 0.0) { &self.rest } else { remembered };
        inner.memory.copy_from_slice(known);
        self.follow(inner, (before, a), to, dt)?;
        moved.fill(1.0);
        let area = self.scale * self.scale;
        for i in 0..inner.known.driven {
            let at = inner.known.order[i];
            force[i] = (self.r[at] + inner.inertia(at)) / area + self.masses[i] * to.a[i];
        }
        before[..n].copy_from_slice(&self.u);
        before[n..].copy_from_slice(&self.v);
        for j in 0..inner.len() {
            let at = inner.unknown(j);
            before[at] -= inner.rest[j];
            a[j] = inner.a[at];
        }
        (0..states).for_each(|i| changed[i] = self.states[i] - self.start[i]);
        remembered.copy_from_slice(self.system.memory());
        Ok(())
    }
}

impl<S: System + Send> Body for Replica<S> {
    fn memory(&self) -> usize {
        self.layout().iter().sum()
    }

    fn advance(&mut self, memory: &mut [f64], to: Motion<'_>, dt: f64, force: &mut [f64]) -> Result<(), Fault> {
        if let Some(mut inner) = self.inner.take() {
            let result = self.advance_freely(&mut inner, memory, (to, dt), force);
            self.inner = Some(inner);
            return result;
        }
        let [moves, states, remembers, ..] = self.layout();
        let n = moves / 2;
        let (before, rest) = memory.split_at_mut(moves);
        let (changed, rest) = rest.split_at_mut(states);
        let (remembered, moved) = rest.split_at_mut(remembers);
        let s = &mut self.states;
        (0..states).for_each(|i| s[i] = self.start[i] + changed[i]);
        let known: &[f64] = if moved.iter().all(|m| *m == 0.0) { &self.rest } else { remembered };
        self.system.memory_mut().copy_from_slice(known);
        moved.fill(1.0);
        for i in 0..n {
            self.u[i] = self.scale * to.u[i];
            self.v[i] = self.scale * to.v[i];
        }
        if states > 0 {
            let [g0, g1] = &mut self.rates;
            let from = Point { t: to.t - dt, u: &before[..n], v: &before[n..], s };
            self.system.force(from, None, force, g0)?;
            (0..states).for_each(|i| self.trial[i] = s[i] + dt * g0[i]);
            let there = Point { t: to.t, u: &self.u, v: &self.v, s: &self.trial };
            self.system.force(there, None, force, g1)?;
            (0..states).for_each(|i| s[i] += 0.5 * dt * (g0[i] + g1[i]));
        }
        let there = Point { t: to.t, u: &self.u, v: &self.v, s };
        self.system.force(there, None, force, &mut self.rates[0])?;
        if let Some(([stiffness, damping], c)) = &self.factors {
            for (i, force) in force[..n].iter_mut().enumerate() {
                let damped: f64 = c[i * n..(i + 1) * n].iter().zip(&self.v).map(|(c, v)| c * v).sum();
                *force = stiffness * *force + (damping - stiffness) * damped;
            }
        }
        let area = self.scale * self.scale;
        (0..n).for_each(|i| force[i] = force[i] / area + self.masses[i] * to.a[i]);
        before[..n].copy_from_slice(&self.u);
        before[n..].copy_from_slice(&self.v);
        (0..states).for_each(|i| changed[i] = self.states[i] - self.start[i]);
        remembered.copy_from_slice(self.system.memory());
        Ok(())
    }

    fn stiffness(&self) -> &[f64] {
        &self.stiffness
    }

    fn free(&self) -> usize {
        self.inner.as_ref().map_or(0, Inner::len)
    }

    fn shows(&self, memory: &[f64], free: &mut [f64]) {
        let Some(inner) = &self.inner else { return };
        for (j, shown) in free.iter_mut().enumerate() {
            *shown = (inner.rest[j] + memory[inner.unknown(j)]) / self.scale;
        }
    }
}
