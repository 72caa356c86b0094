//! Transducers and load cells of an emulated laboratory besides those of its actuators, and the fixtures that they feel.

use interfield_kernel::{Archive, Fault};

use super::body::{Body, Motion};
use super::fault::Injection;
use super::sensor::Sensor;
use crate::fixture::{Course, Fixtures};
use crate::kinematics::{Kinematics, Lever};

/// A body with fixtures on it.
pub struct Carried {
    body: Box<dyn Body>,
    fixtures: Fixtures,
    /// Whether their rates are those of the best fit of the motion.
    fitted: bool,
}

impl Carried {
    /// This body with these fixtures. `straight`: its actuators go from target to target on straight lines, as ideal ones do. Such a motion has no
    /// acceleration but at its corners; the fixtures then feel that of the motion that fits it best.
    pub fn new(body: Box<dyn Body>, fixtures: Fixtures, straight: bool) -> Self {
        Carried { body, fixtures, fitted: straight }
    }

    /// What is remembered of the motion, before what the body remembers.
    fn past(&self) -> usize {
        if self.fitted { self.fixtures.memory() } else { 0 }
    }
}

impl Body for Carried {
    fn memory(&self) -> usize {
        self.past() + self.body.memory()
    }

    fn advance(&mut self, memory: &mut [f64], to: Motion<'_>, dt: f64, force: &mut [f64]) -> Result<(), Fault> {
        let (past, memory) = memory.split_at_mut(self.past());
        self.body.advance(memory, to, dt, force)?;
        match self.fitted {
            true => self.fixtures.give_fitted(past, to.u, force),
            false => self.fixtures.give(Course { u: to.u, v: to.v, a: to.a }, force),
        }
        Ok(())
    }

    fn stiffness(&self) -> &[f64] {
        self.body.stiffness()
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.body.persist(archive);
    }

    fn free(&self) -> usize {
        self.body.free()
    }

    fn shows(&self, memory: &[f64], free: &mut [f64]) {
        self.body.shows(&memory[self.past()..], free);
    }
}

/// Sensors of one kind, with what each is along.
struct Row {
    kinematics: Kinematics,
    sensors: Vec<Sensor>,
    truth: Vec<f64>,
}

impl Row {
    fn new(sensors: Vec<(Lever, Sensor)>, dofs: usize, linear: bool) -> Self {
        let (levers, sensors): (Vec<Lever>, Vec<Sensor>) = sensors.into_iter().unzip();
        let kinematics = Kinematics::new(levers, dofs);
        let kinematics = if linear { kinematics.linearised() } else { kinematics };
        Row { kinematics, truth: vec![0.0; sensors.len()], sensors }
    }
}

/// All of them.
pub struct Instruments {
    transducers: Row,
    load_cells: Row,
    /// Actuators whose own load cells carry what they push, beside these.
    beside: Vec<usize>,
    /// Forces of the other actuators, and what they are on the degrees of freedom.
    pushed: Vec<f64>,
    carried: Vec<f64>,
    u: Vec<f64>,
}

/// What an emulated laboratory has done in a sample.
pub(super) struct Done<'a> {
    pub(super) tick: u64,
    /// Displacements of the body.
    pub(super) u: &'a [f64],
    /// Forces of the actuators.
    pub(super) forces: &'a [f64],
    /// Whether there was a solution at all.
    pub(super) sound: bool,
}

impl Instruments {
    /// Transducers and load cells over `dofs` degrees of freedom; `beside` are the actuators whose own load cells measure what they carry. For
    /// probes they are linear.
    pub fn new(
        [transducers, load_cells]: [Vec<(Lever, Sensor)>; 2],
        beside: Vec<usize>,
        dofs: usize,
        linear: bool,
    ) -> Self {
        let sensor = |s: Sensor| if linear { s.linear() } else { s };
        let [transducers, load_cells] = [transducers, load_cells]
            .map(|list| Row::new(list.into_iter().map(|(lever, s)| (lever, sensor(s))).collect(), dofs, linear));
        let zeros = || vec![0.0; dofs];
        Instruments { transducers, load_cells, beside, pushed: Vec::new(), carried: zeros(), u: zeros() }
    }

    /// How many transducers and load cells.
    pub fn counts(&self) -> [usize; 2] {
        [self.transducers.sensors.len(), self.load_cells.sensors.len()]
    }

    /// For so many actuators.
    pub(super) fn reserve(&mut self, actuators: usize) {
        self.pushed.resize(actuators, 0.0);
    }

    /// What they show, in the places behind those of the actuators.
    pub(super) fn show<'f>(
        &mut self,
        done: Done<'_>,
        actuators: &Kinematics,
        faults: impl Iterator<Item = &'f Injection> + Clone,
        [displacement, force]: [&mut [f64]; 2],
    ) {
        self.transducers.kinematics.strokes(done.u, &mut self.transducers.truth);
        self.carry(&done, actuators);
        let count = self.transducers.sensors.len();
        for (row, shown, first, seed) in
            [(&self.transducers, displacement, 0, 2000), (&self.load_cells, force, count, 3000)]
        {
            for (k, (sensor, truth)) in row.sensors.iter().zip(&row.truth).enumerate() {
                // The noise of neighbours must not be the same.
                let sensor = Sensor { seed: sensor.seed.wrapping_add(seed + k as u64), ..*sensor };
                let mut shows = if done.sound { sensor.shows(*truth, done.tick) } else { f64::NAN };
                for fault in faults.clone().filter(|f| f.sensor == Some(first + k)) {
                    fault.spoil_one(&mut shows, shown[k]);
                }
                shown[k] = shows;
            }
        }
    }

    /// What the load cells carry: all that the actuators push, but for those that have cells of their own in the sum.
    fn carry(&mut self, done: &Done<'_>, actuators: &Kinematics) {
        let Row { kinematics, truth, .. } = &mut self.load_cells;
        if truth.is_empty() {
            return;
        }
        self.pushed.copy_from_slice(done.forces);
        self.beside.iter().for_each(|&i| self.pushed[i] = 0.0);
        actuators.to_dofs(&self.pushed, &mut self.carried);
        // Where they are: their strokes lead to the displacements at which they were taken.
        self.u.copy_from_slice(done.u);
        kinematics.strokes(done.u, truth);
        kinematics.displacements(truth, &mut self.u);
        kinematics.to_actuators(&self.carried, truth);
    }
}
