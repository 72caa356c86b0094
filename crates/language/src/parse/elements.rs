//! Elements: laws from the registry and point masses, and what all element types share.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{
    Coordinate as Expected, Coordinates, Info, PATH_OPTION, Range as Allowed, Unit,
};
use interfield_kernel::element::path::PathLaw;
use interfield_kernel::element::{AnyLaw, LAWS};

use super::nodes::{GROUND, axis};
use super::{Context, formulas, matrices, members};
use crate::diag::did_you_mean;
use crate::model::{Coordinate, Element, Estimate, Kind, TangentPolicy};
use crate::reader::Table;
use crate::units::{Dimension, UnitSystem};

/// Reads all `[[element]]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) {
    for table in root.tables("element") {
        let count = context.elements.len();
        read_one(context, &table);
        context.contact.borrow_mut().settle(context.elements.len() > count);
        table.finish();
    }
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) {
    let kind_name = table.string_required("type", "\"spring\"");
    let (name, span) = match (table.string("name"), &kind_name) {
        (Some(n), _) => (n.value, n.span),
        (None, Some(k)) => (format!("{}-{}", k.value, context.elements.len() + 1), k.span.clone()),
        (None, None) => return unreadable(context, table),
    };
    context.declare(&name, span.clone());
    let Some(kind_name) = kind_name else { return unreadable(context, table) };
    let damped = table.bool("damped").is_none_or(|b| b.value);
    let Some(info) = catalogue().find(|i| i.name == kind_name.value) else {
        let help = did_you_mean(&kind_name.value, catalogue().map(|i| i.name)).unwrap_or_else(|| {
            let names: Vec<&str> = catalogue().map(|i| i.name).collect();
            format!("types are {}", names.join(", "))
        });
        context.error(kind_name.span.clone(), format!("there is no element type `{}`", kind_name.value), help);
        return unreadable(context, table);
    };
    let mut s0 = Vec::new();
    let kind = match info.name {
        "mass" => point_mass(context, table, info),
        "beam2d" => members::beam2d(context, table, info),
        "beam3d" => members::beam3d(context, table, info),
        "matrix" => matrices::matrix(context, table),
        "block" => matrices::block(context, table, &mut s0),
        "formula" => formulas::formula(context, table, &mut s0),
        _ => law(context, table, info, &mut s0),
    };
    let given = table.table("tangent").and_then(|t| {
        let given = tangent(context, &t, info.name, kind.as_ref());
        t.finish();
        given
    });
    if let Some(kind) = kind {
        if given.is_some() {
            context.estimates.push((context.elements.len(), table.place("tangent")));
        }
        context.places.elements.push(span);
        context.elements.push(Element { name, type_name: info.name.to_owned(), kind, damped, given, s0 });
    }
}

/// `tangent = { k = ..., c = ... }` on each coordinate, or `{ K = [[...]], C = [[...]] }` over all of them.
fn tangent(context: &Context<'_>, t: &Table<'_>, type_name: &str, kind: Option<&Kind>) -> Option<Estimate> {
    let scope = &context.scope;
    let ends: Vec<usize> = match kind? {
        Kind::Linear { dofs, .. } => dofs.clone(),
        // Only those with one degree of freedom per coordinate have matrices; a law has one coordinate.
        Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Block { coordinates, .. } => {
            coordinates.iter().filter_map(|c| c.first()).map(|c| c.0).collect()
        }
    };
    let linear = matches!(kind, Some(Kind::Linear { .. }));
    if type_name == "mass" || (linear && t.has("k")) || t.has("k") == t.has("K") {
        t.keys().iter().for_each(|k| t.ignore(&k.value));
        let (message, help) = match type_name {
            "mass" => ("a mass has no tangent", "remove it"),
            _ if linear => ("this element has a matrix as its tangent", "write tangent = { K = [[...]], C = [[...]] }"),
            _ => ("a tangent has either a number `k` or a matrix `K`", "write tangent = { k = \"4 kN/mm\" }"),
        };
        context.error(t.span(), message, help);
        return None;
    }
    if t.has("k") {
        let (force, disp) = first_dimensions(context, kind);
        let stiffness = force.per(disp);
        let k = t.quantity_required("k", stiffness, scope);
        let c = match t.has("c") {
            true => t.quantity("c", stiffness.times(Dimension::TIME), scope).map(|c| c.value),
            false => Some(0.0),
        };
        return Some(Estimate::Each(k?.value, c?));
    }
    let n = ends.len();
    let matrix = |key: &str, time: f64| {
        if !t.has(key) {
            return Some(vec![0.0; n * n]);
        }
        let rows = matrices::rows(context, t, key)?;
        matrices::flat(context, key, &rows, (n, n), |i, j| {
            let dim = context.force(ends[i]).per(context.disp(ends[j])).times(Dimension::TIME.power(time));
            scope.units.factor(dim)
        })
    };
    let (k, c) = (matrix("K", 0.0), matrix("C", 1.0));
    Some(Estimate::Matrices(k?, c?))
}

/// An estimate that no tangent policy asks for does nothing.
pub(super) fn unused_tangents(context: &Context<'_>, policy: impl Fn(usize) -> Option<TangentPolicy>) {
    for (element, place) in &context.estimates {
        if policy(*element).is_some_and(|p| p != TangentPolicy::Given) {
            let message = format!("the `tangent` of `{}` has no effect", context.elements[*element].name);
            let help = "write tangent = \"given\" in [analysis] (or in the substructure), or remove it";
            context.error(place.clone(), message, help);
        }
    }
}

/// An element of unknown type: its keys cannot be judged, but the nodes it names can.
fn unreadable(context: &Context<'_>, table: &Table<'_>) {
    table.keys().iter().for_each(|k| table.ignore(&k.value));
    if table.is_list("nodes") {
        let nodes = table.list_of_strings("nodes").map_or_else(Vec::new, |n| n.value);
        for n in &nodes {
            context.node(n);
        }
    }
    if table.is_list("dofs") {
        let dofs = table.list_of_strings("dofs").map_or_else(Vec::new, |n| n.value);
        for d in &dofs {
            context.dof(d);
        }
    }
}

fn first_dimensions(context: &Context<'_>, kind: Option<&Kind>) -> (Dimension, Dimension) {
    let first = kind.and_then(|k| match k {
        Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Block { coordinates, .. } => {
            coordinates.first()?.first().map(|c| c.0)
        }
        Kind::Linear { dofs, .. } => dofs.first().copied(),
    });
    first.map_or((Dimension::FORCE, Dimension::LENGTH), |d| (context.force(d), context.disp(d)))
}

/// A unit of the registry on a coordinate with these dimensions; `n` is the value of the parameter `n`.
pub(crate) fn dimension(unit: Unit, force: Dimension, disp: Dimension, n: f64) -> Dimension {
    force
        .power(unit.force + n * unit.force_n)
        .times(disp.power(unit.disp + n * unit.disp_n))
        .times(Dimension::MASS.power(unit.mass))
        .times(Dimension::LENGTH.power(unit.length))
        .times(Dimension::TIME.power(unit.time + n * unit.time_n))
}

/// The parameters of a catalogue entry, in its order.
pub(super) fn parameters(
    context: &Context<'_>,
    table: &Table<'_>,
    info: &Info,
    force: Dimension,
    disp: Dimension,
) -> Option<Vec<f64>> {
    // The exponent first: units of others depend on it.
    let exponent = info.parameters.iter().find(|p| p.name == "n");
    let n = exponent.map_or(1.0, |p| {
        let given = table.quantity("n", Dimension::NONE, &context.scope).map(|q| q.value);
        // An exponent that is out of range is reported below; the usual one tells the units of the others.
        given.filter(|n| p.range.contains(*n)).or(p.default).unwrap_or(1.0)
    });
    let values: Vec<Option<f64>> = info
        .parameters
        .iter()
        .map(|p| {
            let dim = dimension(p.unit, force, disp, n);
            let given = match p.default {
                None => table.quantity_required(p.name, dim, &context.scope),
                Some(default) => match table.quantity(p.name, dim, &context.scope) {
                    None if table.has(p.name) => None,
                    None => return Some(default),
                    given => given,
                },
            }?;
            if !p.range.contains(given.value) {
                let allowed = match p.range {
                    Allowed::Any => "a finite number".to_owned(),
                    Allowed::Positive => "greater than zero".to_owned(),
                    Allowed::NonNegative => "zero or greater".to_owned(),
                    Allowed::Between(a, b) => format!("between {a} and {b}"),
                };
                let si = UnitSystem::si();
                let unit = if dim.is_none() { String::new() } else { format!(" {}", si.label(dim)) };
                let message = format!("`{}` ({}) must be {allowed}, found {}{unit}", p.name, p.doc, given.value);
                let help = match p.range {
                    Allowed::Between(a, b) => format!("write a number from {a} to {b}"),
                    _ if given.value < 0.0 => "remove the sign".to_owned(),
                    _ => format!("write for example {} = \"{}\"", p.name, dim.example()),
                };
                context.error(given.span, message, help);
                return None;
            }
            Some(given.value)
        })
        .collect();
    values.into_iter().collect()
}

/// One coordinate between two nodes, or from the ground to one node: the elongation.
pub(super) fn difference(context: &Context<'_>, table: &Table<'_>) -> Option<Coordinate> {
    let nodes = table.list_of_strings_required("nodes", "[\"base\", \"roof\"]");
    let dof = table.string("dof");
    let nodes = nodes?;
    if nodes.value.is_empty() || nodes.value.len() > 2 {
        let message = format!("this element joins two nodes, found {}", nodes.value.len());
        context.error(nodes.span, message, "name two nodes; `ground` is always there");
        return None;
    }
    let indices: Vec<Option<usize>> = nodes.value.iter().map(|n| context.node(n)).collect();
    let indices: Vec<usize> = indices.into_iter().collect::<Option<_>>()?;
    let (from, to) = if let [one] = indices[..] { (0, one) } else { (indices[0], indices[1]) };
    if from == to {
        context.error(nodes.span, "this element joins a node with itself", "name two different nodes");
        return None;
    }
    let is_ground = |i: usize| context.nodes[i].name == GROUND;
    if let Some(dof) = dof {
        let of = |i: usize, sign: f64| -> Option<Option<(usize, f64)>> {
            if is_ground(i) { Some(None) } else { Some(Some((context.dof_of(i, &dof.value, dof.span.clone())?, sign))) }
        };
        let (a, b) = (of(from, -1.0), of(to, 1.0));
        return Some([a?, b?].into_iter().flatten().collect());
    }
    // Along the line between the nodes.
    let (a, b) = (context.nodes[from].at, context.nodes[to].at);
    let along: Vec<f64> = (0..3).map(|i| b[i] - a[i]).collect();
    let length = along.iter().map(|x| x * x).sum::<f64>().sqrt();
    if is_ground(from) || is_ground(to) || length == 0.0 {
        let message = "the direction of this element is not known";
        context.error(nodes.span, message, "write dof = \"x\", or give both nodes different positions");
        return None;
    }
    let mut coordinate = Coordinate::new();
    for (node, sign) in [(from, -1.0), (to, 1.0)] {
        for (name, dof) in &context.nodes[node].dofs {
            let cosine = axis(name).map_or(0.0, |i| along[i] / length);
            if cosine != 0.0 {
                coordinate.push((*dof, sign * cosine));
            }
        }
    }
    if coordinate.is_empty() {
        let message = "its nodes cannot move along this element";
        context.error(nodes.span, message, "give them the degrees of freedom it needs, or write dof = \"x\"");
        return None;
    }
    Some(coordinate)
}

/// Coordinates that are degrees of freedom, listed under `dofs`.
pub(super) fn listed(context: &Context<'_>, table: &Table<'_>, wanted: Option<&[&str]>) -> Option<Vec<Coordinate>> {
    let example = wanted.map_or_else(|| "[\"roof.x\"]".to_owned(), |w| format!("[\"{}\"]", w.join("\", \"")));
    let dofs = table.list_of_strings_required("dofs", &example)?;
    if dofs.value.is_empty() || wanted.is_some_and(|w| w.len() != dofs.value.len()) {
        let (message, help) = match wanted {
            None => ("this list names no degree of freedom".to_owned(), "write for example [\"roof.x\"]".to_owned()),
            Some(w) => (
                format!("this element needs {} degrees of freedom, found {}", w.len(), dofs.value.len()),
                format!("name in this order: {}", w.join(", ")),
            ),
        };
        for d in &dofs.value {
            context.dof(d);
        }
        context.error(dofs.span, message, help);
        return None;
    }
    for (i, d) in dofs.value.iter().enumerate() {
        if dofs.value[..i].iter().any(|e| e.value == d.value) {
            context.error(d.span.clone(), format!("`{}` is listed twice", d.value), "name each degree of freedom once");
        }
    }
    let found: Vec<Option<usize>> = dofs.value.iter().map(|d| context.dof(d)).collect();
    Some(found.into_iter().collect::<Option<Vec<_>>>()?.into_iter().map(|d| vec![(d, 1.0)]).collect())
}

/// Initial values of states, `initial = { z = 0.1 }`.
pub(super) fn initial_states(
    context: &Context<'_>,
    table: &Table<'_>,
    states: &[(String, Dimension)],
    s0: &mut Vec<f64>,
) {
    if !states.is_empty()
        && let Some(inner) = table.table("initial")
    {
        *s0 = states
            .iter()
            .map(|(name, dim)| inner.quantity(name, *dim, &context.scope).map_or(0.0, |q| q.value))
            .collect();
        inner.finish();
    }
}

fn law(context: &Context<'_>, table: &Table<'_>, info: &'static Info, s0: &mut Vec<f64>) -> Option<Kind> {
    debug_assert!(LAWS.iter().any(|l| l.name == info.name));
    let coordinates = match info.coordinates {
        Coordinates::Listed(list) => {
            let names: Vec<&str> = list.iter().map(|c| c.name).collect();
            let coordinates = listed(context, table, Some(&names));
            check_kinds(context, table, list, coordinates.as_deref().unwrap_or_default());
            coordinates
        }
        Coordinates::Difference | Coordinates::Own => difference(context, table).map(|c| vec![c]),
    };
    let dims = coordinates.as_ref().and_then(|c| c.first()?.first().copied());
    let (force, disp) =
        dims.map_or((Dimension::FORCE, Dimension::LENGTH), |(d, _)| (context.force(d), context.disp(d)));
    let values = parameters(context, table, info, force, disp);
    let states: Vec<(String, Dimension)> =
        info.states.iter().map(|s| (s.name.to_owned(), dimension(s.unit, force, disp, 1.0))).collect();
    let law = values.and_then(|values| AnyLaw::new(info.name, &values));
    let path = path_moved(context, table, info, law.as_ref());
    if path && table.has("initial") {
        table.ignore("initial");
        let message = "a law whose memory is its path starts from rest, it has no `initial`";
        context.error(table.span(), message, "remove `initial`: the first evaluation moves it to its deformation");
    } else {
        initial_states(context, table, &states, s0);
    }
    Some(Kind::Law { law: law?, coordinates: coordinates?, path })
}

/// `memory` of the laws that have this option. A law that begins with a state of its own has one that is integrated.
fn path_moved(context: &Context<'_>, table: &Table<'_>, info: &Info, law: Option<&AnyLaw>) -> bool {
    if !info.options.contains(&PATH_OPTION) {
        return false;
    }
    let Some(memory) = table.string("memory") else {
        return law.is_some_and(PathLaw::preferred) && !table.has("initial");
    };
    if !["state", "path"].contains(&memory.value.as_str()) {
        let message = format!("`memory` is \"state\" or \"path\", found \"{}\"", memory.value);
        context.error(memory.span, message, "leave it out for the one that suits the law");
    }
    memory.value == "path"
}

/// Whether rotations and translations stand where the element expects them.
fn check_kinds(context: &Context<'_>, table: &Table<'_>, expected: &[Expected], found: &[Coordinate]) {
    let written = table.list_of_strings("dofs").map_or_else(Vec::new, |d| d.value);
    for ((expected, found), text) in expected.iter().zip(found).zip(written) {
        let dof = &context.dofs[found[0].0];
        if dof.angle != expected.angle {
            let word = |angle: bool| if angle { "a rotation" } else { "a translation" };
            let message = format!(
                "`{}` ({}) is {}, but `{}` is {}",
                expected.name,
                expected.doc,
                word(expected.angle),
                dof.name,
                word(dof.angle)
            );
            let help = "degrees of freedom called rx, ry, rz, theta..., phi..., psi... or rot... are rotations";
            context.error(text.span, message, help);
        }
    }
}

fn point_mass(context: &Context<'_>, table: &Table<'_>, info: &Info) -> Option<Kind> {
    let node = table.string_required("node", "\"roof\"");
    let values = parameters(context, table, info, Dimension::FORCE, Dimension::LENGTH);
    let node = context.node(&node?)?;
    let values = values?;
    let mut diagonal = Vec::new();
    for (name, dof) in &context.nodes[node].dofs {
        let mass = match name.as_str() {
            "rx" => values[1],
            "ry" => values[2],
            "rz" => values[3],
            _ if axis(name).is_some() => values[0],
            _ => continue,
        };
        diagonal.push((*dof, mass));
    }
    let n = diagonal.len();
    let mut mass = vec![0.0; n * n];
    for (i, (_, m)) in diagonal.iter().enumerate() {
        mass[i * n + i] = *m;
    }
    let dofs = diagonal.into_iter().map(|d| d.0).collect();
    Some(Kind::Linear { dofs, mass, damping: Vec::new(), stiffness: Vec::new() })
}
