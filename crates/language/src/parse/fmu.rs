//! `program = "fmu"` of an external: the unit's file and the meaning of its variables. What variables there are is known
//! when the file is opened, not here.

use super::Context;
use crate::external::{Setting, Unit};
use crate::key::*;
use crate::reader::{Raw, Table};

section! {
    pub(super) [KEYS];
    FILE: Text = key("file", "FMU file, relative to the folder of the model file.").required().example("damper.fmu");
    DISPLACEMENTS: List<Text> = key("displacements", "Input variables for the displacements, one for each degree of \
        freedom.").required()
        .example("[\"u\"]");
    VELOCITIES: List<Text> = key("velocities", "Input variables for the velocities, if the FMU needs \
        them.").example("[\"v\"]");
    FORCES: List<Text> = key("forces", "Output variables for the restoring forces, one for each degree of freedom; \
        `-NAME` for a force of opposite sign (acting on the structure).").required().example("[\"F\"]");
    TIME: Text = key("time", "Input variable for the time, if the FMU needs it.").example("t");
    PARAMETERS: Inner = table("parameters", &SETTINGS, "Parameters by name, in the units of the FMU.").example("{ k = \
        2.5 }");
}

section! {
    SETTINGS = ("unit-parameters", "parameters", "Parameters of a functional mock-up unit (FMU) by name, in the units \
        that the FMU declares.").others(|| SETTING.value());
}

const SETTING: Or<Anything, Flag> = Or(Anything, Flag);

/// Reads the keys that only a unit has.
pub(super) fn read(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Unit> {
    let file = table.read(&FILE);
    if let Some(file) = file.as_ref().filter(|f| !f.value.to_lowercase().ends_with(".fmu")) {
        let message = format!("`{}`: the file name of an FMU must end in .fmu", file.value);
        context.error(file.span.clone(), message, "write the path of an FMU file, for example \"damper.fmu\"");
    }
    let displacements = names(context, table, &DISPLACEMENTS, dofs);
    let velocities = names(context, table, &VELOCITIES, dofs);
    let forces = names(context, table, &FORCES, dofs);
    let time = table.read(&TIME).map(|t| t.value);
    let parameters = table.open(&PARAMETERS).map_or_else(Vec::new, |inner| {
        let found = inner.keys().into_iter().filter_map(|key| Some((setting(&inner, &key.value)?, key.value)));
        let found = found.map(|(value, key)| (key, value)).collect();
        inner.finish();
        found
    });
    Some(Unit {
        file: file?.value,
        displacements: displacements?,
        velocities: velocities?,
        forces: forces?,
        time,
        parameters,
    })
}

/// One variable for each degree of freedom; none if the key is absent and may be.
fn names(context: &Context<'_>, table: &Table<'_>, key: &Key<List<Text>>, dofs: &[usize]) -> Option<Vec<String>> {
    let list = table.read(key);
    if !table.has(key) && key.name == VELOCITIES.name {
        return Some(Vec::new());
    }
    let list = list?;
    // Without degrees of freedom there is another mistake to tell.
    if !dofs.is_empty() && list.value.len() != dofs.len() {
        let message =
            format!("`{}` has {} variables for {} degrees of freedom", key.name, list.value.len(), dofs.len());
        context.error(list.span, message, "write one for each, in the order of `dofs`");
        return None;
    }
    Some(list.value.into_iter().map(|name| name.value).collect())
}

fn setting(table: &Table<'_>, name: &str) -> Option<Setting> {
    Some(match table.entry(name, &SETTING, Allowed::Any)?.value {
        Either::First(Raw::Number(x)) => Setting::Number(x),
        Either::First(Raw::Text(text)) => Setting::Text(text),
        Either::Second(flag) => Setting::Flag(flag),
    })
}
