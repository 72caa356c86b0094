//! The energy balance of a run, summed up step by step over the free degrees of freedom.
//!
//! With the forces f of springs and dampers and the loads p at both ends of a step, and its displacement Δu, the work of
//! the step is ½ (f₀ + f₁)·Δu and ½ (p₀ + p₁)·Δu. That is exact for linear springs with any scheme; with the
//! average-acceleration method even the balance with the kinetic energy closes to rounding, and with every other the error
//! is what the scheme, not the sum, adds or loses, up to the second order of the step. Laws whose force is a function of the
//! deformation, such as stops, are followed along the way between both ends: a step that runs over their corner shows as
//! an error, also with the average-acceleration method. Where the mass depends on the
//! configuration, f contains inertia forces whose power is ½ vᵀṀv; it is taken out with M at both ends.
//! Members of frames are not evaluated again: their work is summed from one evaluation of the step to that of the next, and the rest of
//! the way to the end of the step, of the order of the square of a step, is taken with the last forces.
//! Under ground acceleration displacements are relative to the ground, and so is the energy (Uang and Bertero 1990): the
//! input is the work of -M ι a_g. What moving supports do to springs counts as internal work.
//!
//! **Must not be here:** schemes, units.

use interfield_kernel::{Archive, Fault, Point, System};

use crate::assembled::Assembled;
use interfield_language::model::EnergyPart;

/// Sums of work up to the present, J. Everything is allocated when it is made.
pub(crate) struct Energy {
    before: End,
    after: End,
    /// From one end to the other.
    way: Vec<f64>,
    /// Kinetic energy at the start.
    start: f64,
    kinetic: f64,
    internal: f64,
    /// Work of members from their last evaluation to the present.
    rest: f64,
    damping: f64,
    input: f64,
}

/// What is remembered of one end of a step.
struct End {
    u: Vec<f64>,
    v: Vec<f64>,
    /// Forces of springs and dampers.
    force: Vec<f64>,
    load: Vec<f64>,
    damping: Vec<f64>,
    /// Deformations of laws that are followed along their way, and rates.
    ways: Vec<[f64; 2]>,
    /// Coordinates and forces of members at their last evaluation.
    members: Vec<[f64; 2]>,
}

impl End {
    fn new(system: &Assembled) -> Self {
        let zero = || vec![0.0; system.dims().nu];
        let ways = vec![[0.0; 2]; system.curve_count()];
        let members = vec![[0.0; 2]; system.frame_count()];
        Self { u: zero(), v: zero(), force: zero(), load: zero(), damping: zero(), ways, members }
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        let End { u, v, force, load, damping, ways, members } = self;
        let pairs = ways.as_flattened_mut().iter_mut().chain(members.as_flattened_mut());
        archive.numbers([u, v, force, load, damping].into_iter().flatten().chain(pairs));
    }

    fn read(&mut self, system: &mut Assembled, at: Point<'_>) -> Result<(), Fault> {
        self.u.copy_from_slice(at.u);
        self.v.copy_from_slice(at.v);
        system.forces_and_loads(at, &mut self.force, &mut self.load)?;
        self.force.iter_mut().zip(&self.load).for_each(|(f, l)| *f += l);
        if system.is_damped() {
            system.damping_forces(at.v, &mut self.damping);
        }
        system.deformations(at.u, at.v, &mut self.ways);
        system.frame_forces(&mut self.members);
        Ok(())
    }
}

/// ½ (a + b)·(to - from).
fn work(a: &[f64], b: &[f64], from: &[f64], to: &[f64]) -> f64 {
    let mut sum = 0.0;
    for i in 0..a.len() {
        sum += (a[i] + b[i]) * (to[i] - from[i]);
    }
    sum / 2.0
}

impl Energy {
    /// Starts the sums at a state.
    pub(crate) fn new(system: &mut Assembled, at: Point<'_>) -> Result<Self, Fault> {
        let mut before = End::new(system);
        before.read(system, at)?;
        let start = system.kinetic_energy(at.u, at.v);
        let (after, way) = (End::new(system), vec![0.0; system.dims().nu]);
        Ok(Self { before, after, way, start, kinetic: start, internal: 0.0, rest: 0.0, damping: 0.0, input: 0.0 })
    }

    /// Adds the step that ended here.
    pub(crate) fn add(&mut self, system: &mut Assembled, at: Point<'_>) -> Result<(), Fault> {
        let (a, b) = (&self.before, &mut self.after);
        b.read(system, at)?;
        self.kinetic = system.kinetic_energy(at.u, at.v);
        self.internal += work(&a.force, &b.force, &a.u, &b.u);
        self.damping += work(&a.damping, &b.damping, &a.u, &b.u);
        self.input += work(&a.load, &b.load, &a.u, &b.u);
        for (way, (from, to)) in self.way.iter_mut().zip(a.u.iter().zip(&b.u)) {
            *way = to - from;
        }
        self.internal += system.work_between(at.t, &self.way, &a.ways, &b.ways);
        let member = |(a, b): (&[f64; 2], &[f64; 2])| 0.5 * (a[1] + b[1]) * (b[0] - a[0]);
        self.internal += a.members.iter().zip(&b.members).map(member).sum::<f64>();
        self.rest = system.work_from_last(at.u);
        if system.has_moving_mass() {
            let mut change = |v: &[f64]| system.kinetic_energy(&b.u, v) - system.kinetic_energy(&a.u, v);
            self.internal -= (change(&a.v) + change(&b.v)) / 2.0;
        }
        std::mem::swap(&mut self.before, &mut self.after);
        Ok(())
    }

    /// Saves or restores the sums.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        let Energy { before, after: _, way: _, start, kinetic, internal, rest, damping, input } = self;
        before.persist(archive);
        archive.numbers([start, kinetic, internal, rest, damping, input]);
    }

    /// A part of the balance, J.
    pub(crate) fn part(&self, part: EnergyPart) -> f64 {
        match part {
            EnergyPart::Kinetic => self.kinetic,
            EnergyPart::Internal => self.internal + self.rest,
            EnergyPart::Damping => self.damping,
            EnergyPart::Input => self.input,
            EnergyPart::Error => self.input - self.internal - self.rest - (self.kinetic - self.start),
        }
    }
}
