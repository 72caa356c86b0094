//! A run kept in memory: the displacements of a model after every step, for a comparison with another program.

use interfield_language::Model;
use interfield_language::model::{Channel, Quantity};
use interfield_language::units::Dimension;
use interfield_structure::specimen::Rehearsal;

use crate::{Choices, ModelFile, Refused};

/// What moved, step by step, the start included.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// Time after each step, s.
    pub times: Vec<f64>,
    /// Values after each step, one row after the other, in the units of the model.
    pub values: Vec<f64>,
    /// Values of a row.
    pub width: usize,
    /// Why it ended before its last step.
    pub fault: Option<String>,
}

impl Trace {
    /// One channel over all steps.
    pub fn column(&self, channel: usize) -> Vec<f64> {
        self.values.iter().skip(channel).step_by(self.width.max(1)).copied().collect()
    }
}

/// The displacement of a degree of freedom as a channel, in the units of the model.
pub fn displacement(model: &Model, dof: usize) -> Channel {
    let angle = model.dofs[dof].angle;
    let dim = if angle { Dimension::ANGLE } else { Dimension::LENGTH };
    let unit = if angle { model.units.angle_label(dim) } else { model.units.label(dim) };
    let name = model.dofs[dof].name.clone();
    Channel { name, quantity: Quantity::Displacement(dof), unit, factor: 1.0 / model.units.factor(dim) }
}

/// Runs a model to its end in memory, recording these channels instead of its own.
///
/// # Errors
/// Everything that stands against the run; a step that fails ends the trace instead.
pub fn trace(
    file: &ModelFile,
    choices: &Choices,
    channels: impl FnOnce(&Model) -> Vec<Channel>,
) -> Result<Trace, Refused> {
    let (mut model, places) = file.model(choices)?;
    model.channels = channels(&model);
    let width = model.channels.len();
    let structure = file.assemble(model, &places)?;
    let mut sim = file.start(structure, &places, &mut Rehearsal)?;
    let (steps, dt) = (sim.steps(), sim.dt());
    let mut trace = Trace { width, ..Trace::default() };
    let mut row = vec![0.0; width];
    for done in 0..=steps {
        let taken = if done == 0 { Ok(()) } else { sim.step(done - 1) };
        if let Err(fault) = taken.and_then(|()| sim.sample(done, &mut row)) {
            trace.fault = Some(sim.explain(fault));
            break;
        }
        trace.times.push(done as f64 * dt);
        trace.values.extend_from_slice(&row);
    }
    sim.finish();
    Ok(trace)
}
