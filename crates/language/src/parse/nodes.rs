//! Nodes: names, positions, degrees of freedom, supports, masses, initial values.

use std::ops::Range;

use super::{Context, DOFS, NODE, SUPERELEMENT};
use crate::diag::Diagnostic;
use crate::key::*;
use crate::model::{Dof, Node, Support};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

section! {
    /// A point of the structure.
    pub(super) NODES = ("node", "[[node]]", "A named point with its degrees of freedom.");
    NAME: Text = key("name", "Its name; `ground` always exists and is always fixed.").required().example("roof");
    AT: List<Length> = key("at", "Its position, one to three coordinates.").example("[0, \"3 m\"]");
    OWN_DOFS: List<Text> = key("dofs", "Its degrees of freedom, if different from those at the top of the \
        file.").example("[\"x\", \"rz\"]");
    FIXED: Or<Flag, List<Text>> = key("fixed", "true for all degrees of freedom, or a list of those that are \
        fixed.").default("false").example("[\"x\", \"y\"]");
    MASS: PerDof<Mass> = of(Or(Mass, Inner(&PER_DOF)), "mass", "Mass on all translations, or a table by degree of freedom.")
        .example("{ x = \"10 t\", rz = \"5 t*m^2\" }");
    INITIAL: PerDof<Length> =
        of(Or(Length, Inner(&PER_DOF)), "initial", "Initial displacement, on all translations or by degree of freedom.")
            .example("{ x = \"5 mm\" }");
    INITIAL_VELOCITY: PerDof<Velocity> =
        of(Or(Velocity, Inner(&PER_DOF)), "initial_velocity", "Initial velocity, on all translations or by degree of freedom.")
            .example("{ x = \"1 m/s\" }");
}

/// One quantity for all translations, or a table by name.
type PerDof<M> = Or<M, Inner>;

section! {
    PER_DOF = ("per-dof", "{ x = ..., rz = ... }", "A value for each degree of freedom of the node, by its name.").others(|| Anything.value());
}

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

/// No structure is larger than this, m.
const FAR: f64 = 1e5;

/// Reads `dofs` and all `[[node]]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) {
    let defaults = root.read(&DOFS);
    let unclear = root.has(&DOFS) && defaults.is_none();
    let defaults = defaults.map_or_else(Vec::new, |d| d.value);
    check_dofs(context, &defaults);
    context.names.insert(GROUND.to_owned(), 0..0);
    context.node_index.insert(GROUND.to_owned(), 0);
    context.nodes.push(Node { name: GROUND.to_owned(), at: [0.0; 3], dofs: Vec::new() });
    let tables = root.all(&NODE);
    // A superelement brings its own.
    if tables.is_empty() && !root.has(&SUPERELEMENT) {
        let complete = !std::mem::replace(&mut context.nodes_unknown, true);
        if complete && !root.has(&NODE) {
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
    let name = table.read(&NAME);
    let name = name.unwrap_or_else(|| Spanned::new(format!("node{}", context.nodes.len()), table.span()));
    context.declare(&name.value, name.span.clone());
    let own = table.read(&OWN_DOFS);
    if let Some(own) = &own {
        check_dofs(context, &own.value);
    }
    let unclear = own.is_none() && (unclear || table.has(&OWN_DOFS));
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
    let mass = read_per_dof(context, &table, &MASS, &names, mass_of);
    let u0 = read_per_dof(context, &table, &INITIAL, &names, displacement);
    let v0 = read_per_dof(context, &table, &INITIAL_VELOCITY, &names, |a| displacement(a).per(Dimension::TIME));
    if table.has(&MASS) && mass.iter().all(Option::is_none) {
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
        let value = |list: &[Given]| list[i].as_ref().map_or(0.0, |x| x.0);
        let support = if fixed.contains(&dof) { Support::Fixed } else { Support::Free };
        if fixed.contains(&dof)
            && let Some((_, span)) = [&u0[i], &v0[i]].into_iter().flatten().find(|(x, _)| *x != 0.0)
        {
            let message = format!("`{}.{dof}` is fixed and cannot have an initial value", name.value);
            context.error(span.clone(), message, "free it, or impose a motion with a [[load]] of type \"imposed\"");
        }
        dofs.push((dof.clone(), context.dofs.len()));
        context.places.dofs.push(name.span.clone());
        context.places.masses.push(mass[i].as_ref().map_or_else(|| name.span.clone(), |m| m.1.clone()));
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
    if let Some(position) = table.read(&AT) {
        if position.value.is_empty() || position.value.len() > 3 {
            let message = format!("a position has 1 to 3 coordinates, found {}", position.value.len());
            context.error(position.span.clone(), message, "write for example at = [0.0, 3.0]");
        }
        for (a, p) in at.iter_mut().zip(&position.value) {
            *a = p.value;
        }
        if let Some(far) = position.value.iter().find(|p| p.value.abs() > FAR) {
            let message = format!(
                "this node lies {} away from the origin",
                table.units().show(far.value.abs(), Dimension::LENGTH, 4)
            );
            let d = Diagnostic::warning(message, far.span.clone()).following();
            context.diags.push(d.help("check the unit: a plain number is in the unit of length of the file"));
        }
    }
    at
}

fn displacement(angle: bool) -> Dimension {
    if angle { Dimension::ANGLE } else { Dimension::LENGTH }
}

/// `fixed = true` or a list of degrees of freedom.
fn read_fixed(context: &Context<'_>, table: &Table<'_>, names: &[String]) -> Vec<String> {
    let list = match table.read(&FIXED).map(|f| f.value) {
        Some(Either::First(all)) => return if all { names.to_vec() } else { Vec::new() },
        Some(Either::Second(list)) => list,
        None => return Vec::new(),
    };
    for f in list.iter().filter(|_| !context.unclear.contains(&context.nodes.len())) {
        if !names.contains(&f.value) {
            let message = format!("`{}` is not a degree of freedom of this node", f.value);
            context.error(f.span.clone(), message, format!("it has: {}", names.join(", ")));
        }
    }
    list.into_iter().map(|f| f.value).collect()
}

/// A value and its place, where one is given.
type Given = Option<(f64, Range<usize>)>;

/// A value for every degree of freedom: one quantity for all translations, or a table by name.
fn read_per_dof<M: for<'x> crate::key::Kind<Value<'x> = f64>>(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &Key<PerDof<M>>,
    names: &[String],
    dim: impl Fn(bool) -> Dimension,
) -> Vec<Given> {
    let Some(given) = table.read(key) else { return vec![None; names.len()] };
    let one = match given.value {
        Either::First(one) => one,
        Either::Second(inner) => {
            let one = |n: &String| inner.entry(n, &Measured(dim(is_angle(n))), Allowed::Any).map(|q| (q.value, q.span));
            let values = names.iter().map(one).collect();
            if context.unclear.contains(&context.nodes.len()) {
                // Its keys cannot be judged.
                inner.ignore_all();
            }
            inner.finish();
            return values;
        }
    };
    if one != 0.0 && names.iter().all(|n| is_angle(n)) && !names.is_empty() {
        let message = format!("`{}` of a node that only rotates needs a table", key.name);
        context.error(given.span.clone(), message, format!("write {} = {{ {} = ... }}", key.name, names[0]));
    }
    names.iter().map(|n| (!is_angle(n)).then(|| (one, given.span.clone()))).collect()
}
