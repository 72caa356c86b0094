//! A structure pushed by a pattern of forces along one displacement: monotonic, or to and fro by a protocol. Specimens take part: they are
//! moved once per step, to where the structure is in balance with what they said last; what is left of the balance goes into the
//! next step.

use std::sync::Arc;

use interfield_kernel::{Fault, System};
use interfield_language::model::Model;
use interfield_language::{Problem, Subject};

use crate::assemble::{Assembly, Place, explain};
use crate::assembled::{Assembled, Push, Statics};
use crate::channels::Recorder;

use crate::specimen::{Workshop, mount};
use crate::structure::Structure;

/// A structure in one piece that is pushed.
pub struct Pushover {
    /// The model.
    pub model: Arc<Model>,
    system: Assembled,
    statics: Statics,
    push: Push,
    recorder: Recorder,
    targets: Vec<f64>,
    free: Vec<usize>,
    looped: Vec<usize>,
    physical: bool,
    done: usize,
}

impl Structure {
    /// Puts specimens on the rigs of a workshop, ready to be pushed as `[pushover]` says.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn push(mut self, workshop: &mut dyn Workshop) -> Result<Pushover, Vec<Problem>> {
        let model = Arc::clone(&self.model);
        let refused = |message: &str, help: &str| vec![Problem::error(Subject::Model, message.to_owned(), help)];
        let Some(plan) = &model.pushover else {
            let help = "write [pushover] with control, pattern and to";
            return Err(refused("the model does not say how it is pushed", help));
        };
        let (Some(part), true) = (self.parts.pop(), self.parts.is_empty()) else {
            let help = "push it in one piece, with --whole";
            return Err(refused("a structure that is cut cannot be pushed", help));
        };
        let crate::structure::Part { sub, mut assembly, specimens, .. } = part;
        let physical = !specimens.is_empty();
        let rows = mount(&sub.model, &mut assembly, specimens, workshop)?;
        let Assembly { mut system, y0, places, free, looped, .. } = assembly;
        let unknown = |dof: usize| match places[dof] {
            Place::Free(i) => Some(i),
            Place::Imposed(_) | Place::Fixed => None,
        };
        // What follows one other alone is pushed with it.
        let control = match model.resolved(&[(plan.control, 1.0)])[..] {
            [(leads, 1.0)] => unknown(leads),
            _ => None,
        };
        let Some(control) = control else {
            let message =
                format!("`{}` is held or follows a rotation, and cannot be pushed", model.dofs[plan.control].name);
            return Err(vec![Problem::error(Subject::Dof(plan.control), message, "control a free degree of freedom")]);
        };
        let mut pattern = vec![0.0; free.len()];
        for term in &plan.pattern {
            model
                .resolved(&[*term])
                .into_iter()
                .filter_map(|(d, f)| Some((unknown(d)?, f)))
                .for_each(|(i, f)| pattern[i] += f);
        }
        let recorder = Recorder::new(&sub.model, model.channels.clone(), &places, &looped, &system, &rows, true);
        let fatal = |fault| vec![crate::assemble::cannot_start(&model, &free, &looped, fault)];
        let mut statics = Statics::new(&mut system, &y0).map_err(fatal)?;
        if physical {
            statics.measure(&mut system, 0.0).map_err(fatal)?;
        }
        let (push, targets) = (Push { pattern, control }, plan.targets.clone());
        Ok(Pushover {
            model: Arc::clone(&model),
            system,
            statics,
            push,
            recorder,
            targets,
            free,
            looped,
            physical,
            done: 0,
        })
    }
}

impl Pushover {
    /// Steps of the protocol.
    pub fn steps(&self) -> usize {
        self.targets.len()
    }

    /// Takes the next step of the protocol.
    ///
    /// # Errors
    /// The fault; the structure is then where it was in balance last.
    pub fn step(&mut self) -> Result<(), Fault> {
        let t = (self.done + 1) as f64 * self.model.analysis.dt;
        self.statics.push(&mut self.system, t, &self.push, self.targets[self.done])?;
        if self.physical {
            self.statics.measure(&mut self.system, t)?;
        }
        self.done += 1;
        Ok(())
    }

    /// Load factor of the pattern.
    pub fn factor(&self) -> f64 {
        self.statics.factor
    }

    /// The controlled displacement, m (rad).
    pub fn controlled(&self) -> f64 {
        self.statics.u[self.push.control]
    }

    /// Reads the channels.
    ///
    /// # Errors
    /// Where a number is not finite.
    pub fn sample(&mut self, out: &mut [f64]) -> Result<(), Fault> {
        let mut x = self.statics.state();
        x.resize(x.len() + self.system.dims().nu, 0.0);
        let t = self.done as f64 * self.model.analysis.dt;
        self.recorder.read(&mut self.system, t, &x, out)
    }

    /// The test has ended: specimens are led home.
    pub fn finish(&mut self) {
        self.system.finish();
    }

    /// A fault in words.
    pub fn explain(&self, fault: Fault) -> String {
        match fault {
            Fault::NoConvergence { .. } => format!(
                "no balance was found beyond {:.6} of the controlled displacement: the structure has lost its strength, or the step is too \
                 long",
                self.controlled()
            ),
            fault => explain(&self.model, &self.free, &self.looped, fault),
        }
    }
}
