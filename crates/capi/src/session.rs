//! What stands behind a handle.

use std::ffi::CString;
use std::path::PathBuf;

use interfield::{Callables, Choices, End, ModelFile, Refused, Stepping};
use interfield_language::external::Program;
use interfield_language::model::Quantity;

use crate::inputs::Input;

/// A run with its inputs and the last sentence.
pub(crate) struct Session {
    pub(crate) stepping: Stepping,
    inputs: Vec<(String, Input)>,
    names: Vec<[CString; 2]>,
    pub(crate) told: CString,
}

/// A text that C takes: without zeros.
pub(crate) fn text(message: &str) -> CString {
    CString::new(message.replace('\0', " ")).unwrap_or_default()
}

impl Session {
    /// Opens a model: its file, or its text with the folder that it sees files from.
    pub(crate) fn open(file: &ModelFile, choices: &str) -> Result<Self, String> {
        let choices = match choices.trim() {
            "" => Choices::default(),
            given => Choices::written(
                &serde_json::from_str(given).map_err(|e| format!("the choices are not valid JSON: {e}"))?,
            )?,
        };
        let shown = |refused: Refused| refused.render(false).trim_end().to_owned();
        let (model, _) = file.model(&choices).map_err(shown)?;
        let mut inputs = Vec::new();
        let mut callables = Callables::default();
        for external in model.externals.iter().filter(|e| e.program == Program::Callable) {
            let input = Input::new(external.dofs.len());
            inputs.push((external.name.clone(), input.clone()));
            callables = callables.with_law(external.name.clone(), Box::new(input));
        }
        let stepping = file.stepping(&choices, callables).map_err(shown)?;
        let names = model.channels.iter().map(|c| [text(&c.name), text(&c.unit)]).collect();
        Ok(Session { stepping, inputs, names, told: CString::default() })
    }

    pub(crate) fn step(&mut self, count: u64) -> Result<bool, String> {
        for _ in 0..count {
            match self.stepping.step() {
                None => {}
                Some(End::Finished) => return Ok(false),
                Some(end) => {
                    let (word, reason) = end.word();
                    return Err(reason.map_or_else(|| word.to_owned(), |r| format!("{word}: {r}")));
                }
            }
        }
        Ok(true)
    }

    pub(crate) fn channels(&self) -> usize {
        self.names.len()
    }

    pub(crate) fn channel(&self, i: i32) -> Option<&[CString; 2]> {
        self.names.get(usize::try_from(i).ok()?)
    }

    pub(crate) fn get(&self, name: &str) -> Result<f64, String> {
        let found = self.stepping.channel(name).and_then(|i| self.stepping.row().get(i).copied());
        found.ok_or_else(|| format!("there is no channel `{name}`"))
    }

    /// A force of an external, or a displacement or velocity of an unknown, in the unit of its channel.
    pub(crate) fn set(&mut self, name: &str, value: f64) -> Result<(), String> {
        if !value.is_finite() {
            return Err(format!("`{name}` cannot be set to {value}"));
        }
        let (base, index) = match name.rsplit_once('.').and_then(|(b, i)| Some((b, i.parse::<usize>().ok()?))) {
            Some((base, i)) if i >= 1 => (base, i - 1),
            _ => (name, 0),
        };
        if let Some((_, input)) = self.inputs.iter().find(|(n, _)| n == base) {
            return match input.set(index, value) {
                true => Ok(()),
                false => Err(format!("`{base}` has no force number {}", index + 1)),
            };
        }
        let run = self.stepping.run();
        let (sim, channel) = (run.simulation(), run.model().channels.iter().find(|c| c.name == name));
        let Some(channel) = channel else { return Err(format!("there is no input and no channel `{name}`")) };
        let (dof, derivative) = match channel.quantity {
            Quantity::Displacement(d) => (d, 0),
            Quantity::Velocity(d) => (d, 1),
            _ => return Err(format!("`{name}` is computed and cannot be set; displacements and velocities can")),
        };
        let mut state = sim.coupling.state().to_vec();
        let mut found = false;
        for part in 0..sim.count() {
            let (start, n) = (sim.coupling.range_of(part).start, sim.coupling.dims_of(part).nu);
            // On both sides of an interface.
            for unknown in sim.dofs(part).enumerate().filter(|(_, d)| *d == dof).map(|(i, _)| i) {
                state[start + derivative * n + unknown] = value / channel.factor;
                found = true;
            }
        }
        if !found {
            return Err(format!("`{name}` is not an unknown and cannot be set"));
        }
        self.stepping.set_state(&state)
    }
}

/// The model at a path.
pub(crate) fn at(path: &str) -> Result<ModelFile, String> {
    ModelFile::open(PathBuf::from(path)).map_err(|refused| refused.render(false).trim_end().to_owned())
}
