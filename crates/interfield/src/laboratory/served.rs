//! A specimen that another program commands: from its numbers, in the units of the model file, to targets of the rig.

use interfield_kernel::Fault;
use interfield_lab::rig::{Reading, Rig, Target};
use interfield_lab::safety::Trip;
use interfield_lab::verdict::{Grade, Verdict};
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use interfield_language::units::Dimension;
use interfield_peers::substructure::{Broken, Counts, Matrices, Substructure};
use interfield_structure::specimen::Apart;

/// Share of steps in which a path that is only sampled finely may turn: it does at its peaks, twice per period. Iterations turn in most steps.
const TURNING: f64 = 0.1;

/// What the moves of a client have to do with the verdict: a specimen that is moved back and forth within a step has seen loads that the structure
/// never computed with.
pub fn judge(verdict: &mut Verdict, counts: &Counts) {
    if counts.iterated == 0 {
        return;
    }
    let Counts { commits, iterated, reversed, most, .. } = *counts;
    let several =
        format!("the client moved the specimen several times in {iterated} of {commits} steps, at most {most} times");
    if reversed as f64 <= TURNING * commits as f64 {
        verdict.reasons.push(several);
        return;
    }
    if verdict.grade == Grade::Good {
        verdict.grade = Grade::Doubtful;
        verdict.reasons.clear();
    }
    verdict.reasons.push(format!("{several}, back and forth in {reversed}: its loops are not those of the structure"));
}

/// A specimen on its rig.
pub struct Served {
    rig: Box<dyn Rig>,
    memory: Vec<f64>,
    matrices: Matrices,
    /// Stiffness by which forces are moved from where the specimen is to where it should be, if they are, SI.
    correction: Option<Vec<f64>>,
    /// Units of displacements and forces, SI.
    length: Vec<f64>,
    force: Vec<f64>,
    /// Time of the model, and what a move takes of it: the usual one, and the first one of a client, s.
    t: f64,
    step: f64,
    first_step: f64,
    /// Whether the next move is the first one of a client.
    first: bool,
    u: Vec<f64>,
    /// Zeros: specimens are led by their displacements, and clients guess velocities.
    v: Vec<f64>,
    over: bool,
    /// Whether the client has ended its test itself.
    planned: bool,
}

impl Served {
    /// Serves a specimen. A move takes a time step of the model. Clients are told to compute with an additional damping of
    /// `client_damping` seconds times the stiffness.
    pub fn new(model: &Model, specimen: &Specimen, apart: Apart, client_damping: f64) -> Self {
        let Apart { rig, stiffness, damping } = apart;
        let units = &model.units;
        let angle = |d: &usize| model.dofs[*d].angle;
        let length: Vec<f64> =
            specimen.dofs.iter().map(|d| if angle(d) { 1.0 } else { units.factor(Dimension::LENGTH) }).collect();
        let force_of = |d: &usize| units.factor(if angle(d) { Dimension::MOMENT } else { Dimension::FORCE });
        let force: Vec<f64> = specimen.dofs.iter().map(force_of).collect();
        let n = specimen.dofs.len();
        let in_units = |matrix: &[f64], factor: f64| -> Vec<f64> {
            matrix.iter().enumerate().map(|(k, x)| x * factor * length[k % n] / force[k / n]).collect()
        };
        let measured_damping = in_units(&damping, 1.0 / units.factor(Dimension::TIME));
        let added = in_units(&stiffness, client_damping / units.factor(Dimension::TIME));
        let matrices = Matrices {
            stiffness: in_units(&stiffness, 1.0),
            damping: measured_damping.iter().zip(&added).map(|(c, a)| c + a).collect(),
            measured_damping,
            // The load cells feel the inertia of what stands in the laboratory.
            mass: Matrices::zeros(n),
        };
        let step = model.analysis.dt;
        Served {
            memory: vec![0.0; rig.memory()],
            rig,
            matrices,
            correction: specimen.correct_force.then_some(stiffness),
            length,
            force,
            t: 0.0,
            step,
            // Wherever a client before it left the specimen, the way from there is taken as slowly as the one home.
            first_step: step.max(specimen.ramp / specimen.time_scale),
            first: true,
            u: vec![0.0; n],
            v: vec![0.0; n],
            over: false,
            planned: false,
        }
    }

    /// The client has ended its test: what follows is not a test that was given up.
    pub fn ended_as_planned(&mut self) {
        self.planned = true;
    }

    /// Its rig.
    pub fn rig(&self) -> &dyn Rig {
        self.rig.as_ref()
    }
}

impl Substructure for Served {
    fn dofs(&self) -> usize {
        self.u.len()
    }

    fn matrices(&self) -> &Matrices {
        &self.matrices
    }

    fn begin(&mut self) {
        self.first = true;
    }

    fn go(&mut self, u: &[f64], reached: &mut [f64], force: &mut [f64]) -> Result<(), Broken> {
        if self.over {
            return Err(Broken("the test is over"));
        }
        let n = self.u.len();
        self.u.iter_mut().zip(u).zip(&self.length).for_each(|((si, u), unit)| *si = u * unit);
        self.t += if std::mem::take(&mut self.first) { self.first_step } else { self.step };
        if let Err(fault) = self.rig.exchange(&mut self.memory, Target { t: self.t, u: &self.u, v: &self.v }) {
            self.over = true;
            let code = if let Fault::Laboratory { code, .. } = fault { Trip::from_code(code) } else { None };
            return Err(Broken(code.map_or("its equations have no solution at this displacement", Trip::words)));
        }
        let reading = |reading: Reading, i: usize| self.memory.get(reading.place(i, n)).copied().unwrap_or(f64::NAN);
        for i in 0..n {
            reached[i] = reading(Reading::Reached, i) / self.length[i];
            let mut f = reading(Reading::Force, i);
            if let Some(k) = &self.correction {
                f += (0..n).map(|j| k[i * n + j] * (self.u[j] - reading(Reading::Reached, j))).sum::<f64>();
            }
            force[i] = f / self.force[i];
        }
        Ok(())
    }

    fn leave(&mut self) {
        self.over = true;
        if !self.planned {
            self.rig.give_up();
        }
        self.rig.finish(&mut self.memory);
    }
}
