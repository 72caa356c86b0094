//! `[[external]]`: parts of the structure that other programs compute. Each becomes an element, its linear stand-in, that
//! substructures and channels refer to by its name.

use super::Context;
use super::elements::listed;
use super::matrices::{flat, rows};
use super::units;
use crate::diag::did_you_mean;
use crate::external::{ENDPOINTS, Endpoint, External, Program, TYPE};
use crate::model::{Element, Kind, Support};
use crate::reader::{Spanned, Table};
use crate::units::{Dimension, UnitSystem};

/// The word that asks for the stiffness of a program.
const IDENTIFY: &str = "identify";

/// How far a degree of freedom is moved to find a stiffness, if nothing is said: m or rad.
const PROBE: f64 = 1e-6;

/// Reads all `[[external]]`, before what refers to elements.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) -> Vec<External> {
    let mut externals = Vec::new();
    for table in root.tables("external") {
        let found = read_one(context, &table);
        context.contact.borrow_mut().settle(found.is_some());
        externals.extend(found);
        table.finish();
    }
    externals
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) -> Option<External> {
    let name = table.string_required("name", "\"frame\"");
    if let Some(name) = &name {
        context.declare(&name.value, name.span.clone());
    }
    let coordinates = listed(context, table, None);
    let dofs: Option<Vec<usize>> = coordinates.map(|c| c.into_iter().map(|c| c[0].0).collect());
    let known = dofs.as_deref().unwrap_or_default();
    let program = program(context, table, known);
    let units = table.table("units").map_or_else(
        || Some(UnitSystem::si()),
        |inner| {
            let units = inner.unit_system();
            inner.finish();
            units
        },
    );
    // By its word: what is wrong with a unit does not make it a process.
    let unit = table.is_string("program") && table.string("program").is_some_and(|p| p.value == "fmu");
    let Contact { command, at, start, timeout } = if unit { Contact::default() } else { contact(context, table) };
    let damped = table.bool("damped").is_none_or(|b| b.value);
    let amounts = amounts(context, table, known);
    let stiffness = stiffness(context, table, known);
    let (name, dofs, stiffness) = (name?, dofs?, stiffness?);
    // Not a number as long as it is not known: it acts on all its degrees of freedom, and cannot be computed with.
    let (matrix, probe) = match stiffness {
        Some(matrix) => (matrix, None),
        None => (vec![f64::NAN; dofs.len() * dofs.len()], Some(amounts?)),
    };
    let element = context.elements.len();
    context.places.elements.push(name.span);
    context.elements.push(Element {
        name: name.value.clone(),
        type_name: TYPE.to_owned(),
        kind: Kind::Linear { dofs: dofs.clone(), mass: Vec::new(), damping: Vec::new(), stiffness: matrix },
        damped,
        given: None,
        s0: Vec::new(),
    });
    let (program, units, name) = (program?, units?, name.value);
    Some(External { name, element, dofs, program, command, at, units, start, timeout, probe })
}

/// How a process is started and reached.
#[derive(Default)]
struct Contact {
    command: Vec<String>,
    at: Option<Endpoint>,
    start: f64,
    timeout: f64,
}

/// The keys of a program that is a process.
fn contact(context: &Context<'_>, table: &Table<'_>) -> Contact {
    let command: Vec<String> = table
        .list_of_strings("command")
        .map_or_else(Vec::new, |l| l.value)
        .into_iter()
        .map(|word| word.value)
        .collect();
    if command.first().is_some_and(|c| c.trim().is_empty()) || (command.is_empty() && table.has("command")) {
        let help = "write the program and its arguments: command = [\"python3\", \"frame.py\"]";
        context.error(table.place("command"), "this command names no program", help);
    }
    let at = table.string("at").and_then(|text| endpoint(context, &text));
    if !table.has("at") && !table.has("command") {
        let help = "write `command` for a program that is started here, `at` for one that runs already";
        context.error(table.span(), "this external says neither how its program is started nor where it is", help);
    }
    let time = |key: &str, default: f64| {
        let Some(q) = table.quantity(key, Dimension::TIME, &context.scope) else { return default };
        if q.value > 0.0 {
            return q.value;
        }
        context.error(q.span, format!("`{key}` must be greater than zero"), format!("write {key} = \"{default} s\""));
        default
    };
    let (start, timeout) = (time("start", 30.0), time("timeout", 5.0));
    Contact { command, at, start, timeout }
}

/// `program`, and the keys that only one of them has.
fn program(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Program> {
    const NAMES: [&str; 4] = ["opensees", "openfresco", "ut-sim", "fmu"];
    let name = table.string_required("program", "\"opensees\"")?;
    match name.value.as_str() {
        "opensees" => {
            let adapter = per_dof(context, table, "adapter_stiffness", dofs, |d| context.force(d).per(context.disp(d)));
            if !table.has("adapter_stiffness") {
                let help = "write the number behind -stif of the element `adapter`, with its unit: \
                            adapter_stiffness = \"1e7 kN/m\"";
                context.error(name.span, "missing key `adapter_stiffness` of an OpenSees script", help);
            }
            Some(Program::OpenSees { adapter: adapter? })
        }
        "openfresco" => Some(Program::OpenFresco),
        "ut-sim" => Some(Program::UtSim),
        "fmu" => units::read(context, table, dofs).map(Program::Fmu),
        other => {
            let help = did_you_mean(other, NAMES).unwrap_or_else(|| format!("programs are {}", NAMES.join(", ")));
            // Keys of a program that is not known cannot be judged.
            table.keys().iter().for_each(|k| table.ignore(&k.value));
            context.error(name.span, format!("there is no way to talk to `{other}`"), help);
            None
        }
    }
}

/// `at`: where the program listens.
fn endpoint(context: &Context<'_>, text: &Spanned<String>) -> Option<Endpoint> {
    Endpoint::parse(&text.value).map_err(|message| context.error(text.span.clone(), message, ENDPOINTS)).ok()
}

/// `stiffness`: `Some(None)` where it is to be identified.
fn stiffness(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Option<Vec<f64>>> {
    const KEY: &str = "stiffness";
    let n = dofs.len();
    if !table.has(KEY) || (table.is_string(KEY) && table.string(KEY)?.value == IDENTIFY) {
        return Some(None);
    }
    let matrix = rows(context, table, KEY)?;
    if n == 0 {
        return None;
    }
    let dim = |i: usize, j: usize| context.force(dofs[i]).per(context.disp(dofs[j]));
    let flat = flat(context, KEY, &matrix, (n, n), |i, j| context.scope.units.factor(dim(i, j)))?;
    Some(Some(flat))
}

/// `probe`: by how much each degree of freedom is moved.
fn amounts(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Vec<f64>> {
    if !table.has("probe") {
        return Some(vec![PROBE; dofs.len()]);
    }
    per_dof(context, table, "probe", dofs, |d| context.disp(d))
}

/// A positive quantity for all degrees of freedom, if they are of one kind, or a list with one for each.
fn per_dof(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &str,
    dofs: &[usize],
    dim: impl Fn(usize) -> Dimension,
) -> Option<Vec<f64>> {
    let Some(first) = dofs.first().map(|&d| dim(d)) else {
        // Its dimension is not known.
        table.ignore(key);
        return None;
    };
    let values = if table.is_list(key) {
        let dim = |i: usize| dofs.get(i).map_or(first, |&d| dim(d));
        let list = table.mixed_quantities(key, &dim, &context.scope)?.value;
        if list.len() != dofs.len() {
            let message = format!("`{key}` has {} numbers for {} degrees of freedom", list.len(), dofs.len());
            context.error(table.place(key), message, "write one for each, in their order");
            return None;
        }
        list
    } else {
        let one = table.quantity(key, first, &context.scope)?;
        if dofs.iter().any(|&d| dim(d) != first) {
            let message = format!("one `{key}` cannot be for translations and rotations");
            context.error(one.span, message, "write a list with one for each degree of freedom, in their order");
            return None;
        }
        vec![one; dofs.len()]
    };
    if let Some(bad) = values.iter().find(|v| v.value.is_nan() || v.value <= 0.0) {
        context.error(bad.span.clone(), format!("`{key}` must be greater than zero"), "remove the sign");
        return None;
    }
    Some(values.into_iter().map(|v| v.value).collect())
}

/// What can be said once supports and their motions are known: a program has forces where the structure is free.
pub(super) fn check(context: &Context<'_>, externals: &[External]) {
    for external in externals {
        let place = || context.places.elements[external.element].clone();
        for &d in &external.dofs {
            let name = &context.dofs[d].name;
            match context.dofs[d].support {
                Support::Imposed(_) if !context.drives(d) => {
                    let message = format!("`{name}` has an imposed motion, which the program does not know");
                    let help = "let the program move its own support, or let an element stand between";
                    context.error(place(), message, help);
                }
                Support::Fixed => {
                    let message = format!("`{name}` is fixed and needs no force of a program");
                    context.error(place(), message, "leave it out of `dofs`");
                }
                Support::Free | Support::Imposed(_) => {}
            }
        }
    }
}
