//! A specimen inside a system: where its measured force enters the forces of a scheme.
//!
//! The system was assembled with a stand-in K u + C v for the specimen. With a rig the force at a point is
//!
//! ```text
//! r = r_system(u, v) - (K u + C v) + f        f measured where the rig went
//! ```
//!
//! and everything else a scheme asks (tangents, solves, masses) is that of the stand-in.

use interfield_kernel::{Archive, Fault, Point};
use interfield_lab::rig::{Reading, Rig, Target};

use crate::assembled::SpecimenBlueprint;

/// A specimen in a system, or a program that computes a part of it.
pub(crate) struct Measured {
    rig: Box<dyn Rig>,
    /// Unknowns of the system that are commanded.
    unknowns: Vec<usize>,
    stiffness: Vec<f64>,
    damping: Vec<f64>,
    /// Whether forces are moved from where the specimen is to where it should be.
    correct: bool,
    /// Offset in the memory of the system.
    memory0: usize,
    /// Where its inner degrees of freedom begin, m (rad).
    inner: Vec<f64>,
    /// Its number in the substructure.
    number: u16,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl Measured {
    pub(crate) fn new(
        rig: Box<dyn Rig>,
        unknowns: Vec<usize>,
        [stiffness, damping]: [Vec<f64>; 2],
        correct: bool,
        (memory0, number): (usize, usize),
    ) -> Self {
        let n = unknowns.len();
        Measured {
            rig,
            unknowns,
            stiffness,
            damping,
            correct,
            memory0,
            number: number as u16,
            inner: Vec::new(),
            u: vec![0.0; n],
            v: vec![0.0; n],
        }
    }

    /// The same with inner degrees of freedom that begin here.
    pub(crate) fn with_inner(self, inner: Vec<f64>) -> Self {
        Measured { inner, ..self }
    }

    /// Before the first measurement, which some schemes do not ask for at the start, inner degrees of freedom are where they begin.
    pub(crate) fn settle(&self, memory: &mut [f64]) {
        let n = self.unknowns.len();
        self.inner.iter().enumerate().for_each(|(i, u)| memory[self.place(Reading::Reached, n + i)] = *u);
    }

    /// What of it is known before the test.
    pub(crate) fn blueprint(&self) -> SpecimenBlueprint {
        SpecimenBlueprint {
            unknowns: self.unknowns.clone(),
            stiffness: self.stiffness.clone(),
            damping: self.damping.clone(),
            correct: self.correct,
            memory0: self.memory0,
        }
    }

    /// Length of its memory.
    pub(crate) fn memory(&self) -> usize {
        self.rig.memory()
    }

    /// Place of a reading of a degree of freedom in the memory of the system: of the commanded ones, then of the inner ones.
    pub(crate) fn place(&self, reading: Reading, i: usize) -> usize {
        let n = self.unknowns.len();
        self.memory0 + if i < n { reading.place(i, n) } else { reading.inner_place(i - n, n) }
    }

    /// The largest force that it said last, N (N m).
    pub(crate) fn largest_force(&self, memory: &[f64]) -> f64 {
        let n = self.unknowns.len();
        (0..n).map(|i| memory[self.place(Reading::Force, i)].abs()).fold(0.0, f64::max)
    }

    /// Its rig.
    pub(crate) fn rig(&self) -> &dyn Rig {
        self.rig.as_ref()
    }

    /// Saves or restores what the rig remembers beside its memory.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        self.rig.persist(archive);
    }

    /// The test ends before its time.
    pub(crate) fn give_up(&mut self) {
        self.rig.give_up();
    }

    /// The test is over: the rig sets out for home.
    pub(crate) fn turn_home(&mut self) {
        self.rig.turn_home();
    }

    /// The test is over.
    pub(crate) fn finish(&mut self, memory: &mut [f64]) {
        let own = self.memory0..self.memory0 + self.rig.memory();
        self.rig.finish(&mut memory[own]);
    }

    /// Sends the rig to `at`, without waiting.
    pub(crate) fn set_out(&mut self, at: Point<'_>) -> Result<(), Fault> {
        self.look_at(at);
        self.rig.set_out(Target { t: at.t, u: &self.u, v: &self.v }).map_err(|fault| fault.of_specimen(self.number))
    }

    fn look_at(&mut self, at: Point<'_>) {
        for (i, &d) in self.unknowns.iter().enumerate() {
            (self.u[i], self.v[i]) = (at.u[d], at.v[d]);
        }
    }

    /// Takes the damping forces of the stand-in away.
    pub(crate) fn take_damping(&self, v: &[f64], out: &mut [f64]) {
        for (&row, damping) in self.unknowns.iter().zip(self.damping.chunks_exact(self.unknowns.len().max(1))) {
            out[row] -= self.unknowns.iter().zip(damping).map(|(&j, c)| c * v[j]).sum::<f64>();
        }
    }

    /// Puts the measured force in place of that of the stand-in. The rig moves, or if not `moves`, what it measured last is
    /// carried to `at` by the stiffness.
    pub(crate) fn add(&mut self, at: Point<'_>, moves: bool, memory: &mut [f64], r: &mut [f64]) -> Result<(), Fault> {
        let n = self.unknowns.len();
        let memory = &mut memory[self.memory0..self.memory0 + self.rig.memory()];
        self.look_at(at);
        if moves {
            let moved = self.rig.exchange(memory, Target { t: at.t, u: &self.u, v: &self.v });
            moved.map_err(|fault| fault.of_specimen(self.number))?;
        }
        for i in 0..n {
            let mut f = memory[Reading::Force.place(i, n)];
            for j in 0..n {
                let (k, c) = (self.stiffness[i * n + j], self.damping[i * n + j]);
                let target = memory[Reading::Target.place(j, n)];
                // From the target to where the force is wanted; and from where the specimen is to the target.
                let mut way = self.u[j] - target;
                if self.correct {
                    way += target - memory[Reading::Reached.place(j, n)];
                }
                f += k * (way - self.u[j]) - c * self.v[j];
            }
            r[self.unknowns[i]] += f;
        }
        Ok(())
    }
}
