//! `program = "fmu"` of an external: the unit's file and the meaning of its variables. What variables there are is known
//! when the file is opened, not here.

use super::Context;
use crate::external::{Setting, Unit};
use crate::reader::{Raw, Table};

/// Reads the keys that only a unit has.
pub(super) fn read(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Unit> {
    let file = table.string_required("file", "\"damper.fmu\"");
    if let Some(file) = file.as_ref().filter(|f| !f.value.to_lowercase().ends_with(".fmu")) {
        let message = format!("`{}` is no name of a functional mock-up unit", file.value);
        context.error(file.span.clone(), message, "its file ends with .fmu");
    }
    let displacements = names(context, table, "displacements", dofs, Some("[\"u\"]"));
    let velocities = names(context, table, "velocities", dofs, None);
    let forces = names(context, table, "forces", dofs, Some("[\"F\"]"));
    let time = table.string("time").map(|t| t.value);
    let parameters = table.table("parameters").map_or_else(Vec::new, |inner| {
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

/// One variable for each degree of freedom; empty if the key is absent and has no `example`.
fn names(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &str,
    dofs: &[usize],
    example: Option<&str>,
) -> Option<Vec<String>> {
    let list = match example {
        Some(example) => table.list_of_strings_required(key, example)?,
        None if !table.has(key) => return Some(Vec::new()),
        None => table.list_of_strings(key)?,
    };
    // Without degrees of freedom there is another mistake to tell.
    if !dofs.is_empty() && list.value.len() != dofs.len() {
        let message = format!("`{key}` has {} variables for {} degrees of freedom", list.value.len(), dofs.len());
        context.error(list.span, message, "write one for each, in the order of `dofs`");
        return None;
    }
    Some(list.value.into_iter().map(|name| name.value).collect())
}

fn setting(table: &Table<'_>, key: &str) -> Option<Setting> {
    if table.is_bool(key) {
        return table.bool(key).map(|b| Setting::Flag(b.value));
    }
    Some(match table.raw(key)?.value {
        Raw::Number(x) => Setting::Number(x),
        Raw::Text(text) => Setting::Text(text),
    })
}
