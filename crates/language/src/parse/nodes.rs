//! Nodes: names, positions, degrees of freedom, supports, masses, initial values.

use std::ops::Range;

use super::Context;
use crate::diag::Diagnostic;
use crate::model::{Dof, Node, Support};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

/// Name of the node that is always there and always fixed.
pub(super) const GROUND: &str = "ground";

/// Rotations are the degrees of freedom with these names; all others are translations.
pub(super) fn is_angle(dof: &str) -> bool {
    matches!(dof, "rx" | "ry" | "rz") || ["theta", "phi", "psi", "rot"].iter().any(|p| dof.starts_with(p))
}

/// The usual six, whose meaning in space is known.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Unit vector component of a translation, 0 for other degrees of freedom.
pub(super) fn axis(dof: &str) -> Option<usize> {
    AXES.iter().position(|a| *a == dof)
}

/// Reads `dofs` and all `[[node]]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) {
    let defaults = root.list_of_strings("dofs");
    let unclear = root.has("dofs") && defaults.is_none();
    let defaults = defaults.map_or_else(Vec::new, |d| d.value);
    check_dofs(context, &defaults);
    context.names.insert(GROUND.to_owned(), 0..0);
    context.node_index.insert(GROUND.to_owned(), 0);
    context.nodes.push(Node { name: GROUND.to_owned(), at: [0.0; 3], dofs: Vec::new() });
    let tables = root.tables("node");
    if tables.is_empty() {
        let complete = !std::mem::replace(&mut context.nodes_unknown, true);
        if complete && !root.has("node") {
            let help = "write for example:\n[[node]]\nname = \"roof\"\ndofs = [\"x\"]\nmass = \"10 t\"";
            context.diags.push(Diagnostic::error("the model has no nodes", 0..0).help(help));
        }
    }
    for table in tables {
        read_node(context, table, &defaults, unclear);
    }
}

fn check_dofs(context: &Context<'_>, dofs: &[Spanned<String>]) {
    for (i, d) in dofs.iter().enumerate() {
        if d.value.is_empty() || !d.value.chars().all(|c| c.is_alphanumeric() || c == '_') {
            let message = format!("`{}` cannot be the name of a degree of freedom", d.value);
            context.error(d.span.clone(), message, "use x, y, z, rx, ry, rz or a word such as theta");
        }
        if dofs[..i].iter().any(|e| e.value == d.value) {
            context.error(d.span.clone(), format!("`{}` is listed twice", d.value), "remove one");
        }
    }
}

fn read_node(context: &mut Context<'_>, table: Table<'_>, defaults: &[Spanned<String>], unclear: bool) {
    let name = table.string_required("name", "\"roof\"");
    let name = name.unwrap_or_else(|| Spanned::new(format!("node{}", context.nodes.len()), table.span()));
    context.declare(&name.value, name.span.clone());
    let own = table.list_of_strings("dofs");
    if let Some(own) = &own {
        check_dofs(context, &own.value);
    }
    let unclear = own.is_none() && (unclear || table.has("dofs"));
    if unclear {
        context.unclear.insert(context.nodes.len());
    }
    let names: Vec<String> = own.map_or_else(|| defaults.to_vec(), |o| o.value).into_iter().map(|d| d.value).collect();
    if names.is_empty() && !unclear {
        let message = format!("node `{}` has no degrees of freedom", name.value);
        let help = "write dofs = [\"x\"] here, or once at the top of the file for all nodes";
        context.error(name.span.clone(), message, help);
        context.unclear.insert(context.nodes.len());
    }
    let at = read_position(context, &table);
    let fixed = read_fixed(context, &table, &names);
    let mass_of = |angle: bool| if angle { Dimension::INERTIA } else { Dimension::MASS };
    let mass = read_per_dof(context, &table, "mass", &names, mass_of);
    let u0 = read_per_dof(context, &table, "initial", &names, displacement);
    let v0 = read_per_dof(context, &table, "initial_velocity", &names, |a| displacement(a).per(Dimension::TIME));
    if table.has("mass") && mass.iter().all(Option::is_none) {
        // A mass that could not be read is one.
        context.contact.borrow_mut().nodes.insert(context.nodes.len());
    }
    let mut dofs = Vec::new();
    for (i, dof) in names.into_iter().enumerate() {
        if let Some((m, span)) = mass[i].as_ref().filter(|(m, _)| *m < 0.0) {
            let unit = if is_angle(&dof) { "kg*m^2" } else { "kg" };
            let message = format!("negative mass {m} {unit} at `{}.{dof}`", name.value);
            context.error(span.clone(), message, "a mass is positive, or zero: remove the sign");
        }
        let value = |list: &[PerDof]| list[i].as_ref().map_or(0.0, |x| x.0);
        let support = if fixed.contains(&dof) { Support::Fixed } else { Support::Free };
        if fixed.contains(&dof)
            && let Some((_, span)) = [&u0[i], &v0[i]].into_iter().flatten().find(|(x, _)| *x != 0.0)
        {
            let message = format!("`{}.{dof}` is fixed and cannot have an initial value", name.value);
            context.error(span.clone(), message, "free it, or impose a motion with a [[load]] of type \"imposed\"");
        }
        dofs.push((dof.clone(), context.dofs.len()));
        context.places.dofs.push(name.span.clone());
        context.dofs.push(Dof {
            name: format!("{}.{dof}", name.value),
            angle: is_angle(&dof),
            support,
            mass: value(&mass),
            u0: value(&u0),
            v0: value(&v0),
        });
    }
    context.node_index.entry(name.value.clone()).or_insert(context.nodes.len());
    context.nodes.push(Node { name: name.value, at, dofs });
    table.finish();
}

/// `at`: one to three coordinates; missing ones are zero.
fn read_position(context: &Context<'_>, table: &Table<'_>) -> [f64; 3] {
    let mut at = [0.0; 3];
    if let Some(position) = table.quantities("at", Dimension::LENGTH, &context.scope) {
        if position.value.is_empty() || position.value.len() > 3 {
            let message = format!("a position has 1 to 3 coordinates, found {}", position.value.len());
            context.error(position.span.clone(), message, "write for example at = [0.0, 3.0]");
        }
        for (a, p) in at.iter_mut().zip(&position.value) {
            *a = p.value;
        }
    }
    at
}

fn displacement(angle: bool) -> Dimension {
    if angle { Dimension::ANGLE } else { Dimension::LENGTH }
}

/// `fixed = true` or a list of degrees of freedom.
fn read_fixed(context: &Context<'_>, table: &Table<'_>, names: &[String]) -> Vec<String> {
    if table.is_bool("fixed") {
        return if table.bool("fixed").is_some_and(|b| b.value) { names.to_vec() } else { Vec::new() };
    }
    let list = table.list_of_strings("fixed").map_or_else(Vec::new, |l| l.value);
    for f in list.iter().filter(|_| !context.unclear.contains(&context.nodes.len())) {
        if !names.contains(&f.value) {
            let message = format!("`{}` is not a degree of freedom of this node", f.value);
            context.error(f.span.clone(), message, format!("it has: {}", names.join(", ")));
        }
    }
    list.into_iter().map(|f| f.value).collect()
}

/// A value and its place, where one is given.
type PerDof = Option<(f64, Range<usize>)>;

/// A value for every degree of freedom: one quantity for all translations, or a table by name.
fn read_per_dof(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &str,
    names: &[String],
    dim: impl Fn(bool) -> Dimension,
) -> Vec<PerDof> {
    if table.is_table(key) {
        let Some(inner) = table.table(key) else { return vec![None; names.len()] };
        let values = names
            .iter()
            .map(|n| inner.quantity(n, dim(is_angle(n)), &context.scope).map(|q| (q.value, q.span)))
            .collect();
        if context.unclear.contains(&context.nodes.len()) {
            // Its keys cannot be judged.
            inner.keys().iter().for_each(|k| inner.ignore(&k.value));
        }
        inner.finish();
        return values;
    }
    let one = table.quantity(key, dim(false), &context.scope);
    if let Some(q) = &one
        && q.value != 0.0
        && names.iter().all(|n| is_angle(n))
        && !names.is_empty()
    {
        let message = format!("`{key}` of a node that only rotates needs a table");
        context.error(q.span.clone(), message, format!("write {key} = {{ {} = ... }}", names[0]));
    }
    names.iter().map(|n| one.as_ref().filter(|_| !is_angle(n)).map(|q| (q.value, q.span.clone()))).collect()
}
