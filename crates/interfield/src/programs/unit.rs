//! Functional mock-up units: loaded into this process instead of started.

use std::path::Path;

use interfield_fmi::{Dof, Log, UnitPartner, Value, Wiring};
use interfield_language::Model;
use interfield_language::external::{External, Program, Setting, Unit};
use interfield_language::units::Dimension;
use interfield_language::{Problem, Subject};

/// Loads the unit of an external, whose file is seen from `folder`. The error says everything that is wrong.
pub(crate) fn load(model: &Model, external: &External, unit: &Unit, folder: &Path) -> Result<UnitPartner, String> {
    let file = interfield_fmi::Unit::open(&folder.join(&unit.file)).map_err(|e| e.to_string())?;
    UnitPartner::new(&file, &wiring(model, external, unit)).map_err(|errors| {
        let all: Vec<String> = errors.iter().map(ToString::to_string).collect();
        all.join("; ")
    })
}

/// What is wrong with the units of a model, whose files are seen from `folder`. Nothing of them runs.
pub fn mistakes(model: &Model, folder: &Path) -> Vec<Problem> {
    let mut problems = Vec::new();
    for external in &model.externals {
        let Program::Fmu(unit) = &external.program else { continue };
        let found = match interfield_fmi::Unit::open(&folder.join(&unit.file)) {
            Ok(file) => wiring(model, external, unit).mistakes(&file),
            Err(e) => vec![e],
        };
        let subject = Subject::Element(external.element);
        let problem = |e: interfield_fmi::Error| Problem { subject, message: e.message, help: e.help, fatal: true };
        problems.extend(found.into_iter().map(problem));
    }
    problems
}

fn wiring(model: &Model, external: &External, unit: &Unit) -> Wiring {
    let dof = |(i, &d): (usize, &usize)| Dof {
        displacement: unit.displacements.get(i).cloned().unwrap_or_default(),
        velocity: unit.velocities.get(i).cloned(),
        force: unit.forces.get(i).cloned().unwrap_or_default(),
        rotation: model.dofs[d].angle,
    };
    let value = |setting: &Setting| match setting {
        Setting::Number(x) => Value::Number(*x),
        Setting::Flag(on) => Value::Flag(*on),
        Setting::Text(text) => Value::Text(text.clone()),
    };
    Wiring {
        dofs: external.dofs.iter().enumerate().map(dof).collect(),
        time: unit.time.clone(),
        parameters: unit.parameters.iter().map(|(name, setting)| (name.clone(), value(setting))).collect(),
        length: external.units.factor(Dimension::LENGTH),
        force: external.units.factor(Dimension::FORCE),
    }
}

/// What a unit said, each after a bar; `None` if it said nothing.
pub(crate) fn last_words(log: &Log) -> Option<String> {
    let messages = log.messages();
    let shown = &messages[messages.len().saturating_sub(5)..];
    (!shown.is_empty()).then(|| shown.iter().map(|m| format!("\n  | {}", m.text)).collect())
}
