//! Elements: laws from the registry, members, matrices, blocks, formulas.

use interfield_kernel::element::beam::{BeamError, MassKind};
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release};
use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinates, Info, Range as Allowed, Unit};
use interfield_kernel::element::{AnyLaw, LAWS};

use super::nodes::{GROUND, axis};
use super::{Context, finish};
use crate::diag::did_you_mean;
use crate::formula::{FormulaElement, FormulaSpec};
use crate::matrix_market;
use crate::model::{BlockData, Coordinate, Element, Kind};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

/// Reads all `[[element]]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) {
    for table in root.tables("element") {
        read_one(context, &table);
        finish(table);
    }
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) {
    let Some(kind_name) = table.string_required("type", "\"spring\"") else {
        ["name", "nodes", "dof", "dofs", "k", "c"].iter().for_each(|k| table.ignore(k));
        return;
    };
    let name = table.string("name");
    let (name, span) = match name {
        Some(n) => (n.value, n.span),
        None => (format!("{}-{}", kind_name.value, context.elements.len() + 1), kind_name.span.clone()),
    };
    context.declare(&name, span.clone());
    let damped = table.bool("damped").is_none_or(|b| b.value);
    let Some(info) = catalogue().find(|i| i.name == kind_name.value) else {
        let help = did_you_mean(&kind_name.value, catalogue().map(|i| i.name))
            .unwrap_or_else(|| "`interfield elements` lists the types".to_owned());
        context.error(kind_name.span.clone(), format!("there is no element type `{}`", kind_name.value), help);
        table.keys().iter().for_each(|k| table.ignore(&k.value));
        return;
    };
    let mut s0 = Vec::new();
    let kind = match info.name {
        "mass" => point_mass(context, table, info),
        "beam2d" => beam2d(context, table, info),
        "beam3d" => beam3d(context, table, info),
        "matrix" => matrix(context, table),
        "block" => block(context, table),
        "formula" => formula(context, table, &mut s0),
        _ => law(context, table, info, &mut s0),
    };
    let given = table.table("tangent").map(|t| {
        let (force, disp) = first_dimensions(context, kind.as_ref());
        let stiffness = force.per(disp);
        let k = t.quantity_required("k", stiffness, &context.scope).map_or(0.0, |k| k.value);
        let c = t.quantity("c", stiffness.times(Dimension::TIME), &context.scope).map_or(0.0, |c| c.value);
        finish(t);
        (k, c)
    });
    if let Some(kind) = kind {
        context.places.elements.push(span);
        context.elements.push(Element { name, type_name: info.name.to_owned(), kind, damped, given, s0 });
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
pub(super) fn dimension(unit: Unit, force: Dimension, disp: Dimension, n: f64) -> Dimension {
    force
        .power(unit.force + n * unit.force_n)
        .times(disp.power(unit.disp + n * unit.disp_n))
        .times(Dimension::MASS.power(unit.mass))
        .times(Dimension::LENGTH.power(unit.length))
        .times(Dimension::TIME.power(unit.time + n * unit.time_n))
}

/// The parameters of a catalogue entry, in its order.
fn parameters(
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
        given.or(p.default).unwrap_or(1.0)
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
                let message = format!("`{}` ({}) must be {allowed}", p.name, p.doc);
                context.error(given.span, message, format!("it is {} in SI units", given.value));
                return None;
            }
            Some(given.value)
        })
        .collect();
    values.into_iter().collect()
}

/// One coordinate between two nodes, or from the ground to one node: the elongation.
fn difference(context: &Context<'_>, table: &Table<'_>) -> Option<Coordinate> {
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
    Some(coordinate)
}

/// Coordinates that are degrees of freedom, listed under `dofs`.
fn listed(context: &Context<'_>, table: &Table<'_>, wanted: Option<&[&str]>) -> Option<Vec<Coordinate>> {
    let example = wanted.map_or_else(|| "[\"roof.x\"]".to_owned(), |w| format!("[\"{}\"]", w.join("\", \"")));
    let dofs = table.list_of_strings_required("dofs", &example)?;
    if dofs.value.is_empty() || wanted.is_some_and(|w| w.len() != dofs.value.len()) {
        let message = format!("found {} degrees of freedom", dofs.value.len());
        let help = wanted.map_or_else(
            || "name at least one".to_owned(),
            |w| format!("this element needs {}: {}", w.len(), w.join(", ")),
        );
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
fn initial_states(context: &Context<'_>, table: &Table<'_>, states: &[(String, Dimension)], s0: &mut Vec<f64>) {
    if let Some(inner) = table.table("initial") {
        *s0 = states
            .iter()
            .map(|(name, dim)| inner.quantity(name, *dim, &context.scope).map_or(0.0, |q| q.value))
            .collect();
        finish(inner);
    }
}

fn law(context: &Context<'_>, table: &Table<'_>, info: &'static Info, s0: &mut Vec<f64>) -> Option<Kind> {
    debug_assert!(LAWS.iter().any(|l| l.name == info.name));
    let coordinates = match info.coordinates {
        Coordinates::Listed(list) => {
            let names: Vec<&str> = list.iter().map(|c| c.name).collect();
            let coordinates = listed(context, table, Some(&names));
            if let Some(c) = &coordinates {
                for (c, expected) in c.iter().zip(list) {
                    let dof = &context.dofs[c[0].0];
                    if dof.angle != expected.angle {
                        let (is, needs) =
                            if dof.angle { ("a rotation", "a translation") } else { ("a translation", "a rotation") };
                        let message = format!(
                            "coordinate `{}` ({}) is {needs}, but `{}` is {is}",
                            expected.name, expected.doc, dof.name
                        );
                        context.error(
                            table.span(),
                            message,
                            "rotations are called rx, ry, rz, theta..., phi..., psi... or rot...",
                        );
                    }
                }
            }
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
    initial_states(context, table, &states, s0);
    Some(Kind::Law { law: AnyLaw::new(info.name, &values?)?, coordinates: coordinates? })
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

/// The two end nodes of a member and their degrees of freedom with these names.
fn member(
    context: &Context<'_>,
    table: &Table<'_>,
    names: &[&str],
) -> Option<([[f64; 3]; 2], Vec<usize>, std::ops::Range<usize>)> {
    let nodes = table.list_of_strings_required("nodes", "[\"a\", \"b\"]")?;
    let [a, b] = &nodes.value[..] else {
        context.error(nodes.span, format!("a member joins two nodes, found {}", nodes.value.len()), "name two nodes");
        return None;
    };
    let (ia, ib) = (context.node(a), context.node(b));
    let (ia, ib) = (ia?, ib?);
    let mut dofs = Vec::new();
    for (node, name) in [(ia, a), (ib, b)] {
        for dof in names {
            dofs.push(context.dof_of(node, dof, name.span.clone()));
        }
    }
    let dofs: Vec<usize> = dofs.into_iter().collect::<Option<_>>()?;
    Some(([context.nodes[ia].at, context.nodes[ib].at], dofs, nodes.span))
}

fn mass_kind(table: &Table<'_>) -> MassKind {
    match table.choice("mass", &["consistent", "lumped"]) {
        Some(Spanned { value: 1, .. }) => MassKind::Lumped,
        _ => MassKind::Consistent,
    }
}

fn beam_error(context: &Context<'_>, span: std::ops::Range<usize>, e: BeamError) {
    let (message, help) = match e {
        BeamError::ZeroLength => {
            ("this member has no length", "its two nodes are at the same place: correct `at` of one")
        }
        BeamError::Orientation => {
            ("`vecxz` is zero or parallel to the member", "give another vector in the local x-z plane")
        }
        BeamError::Mechanism => ("these releases make the member a mechanism", "release fewer moments"),
    };
    context.error(span, message, help);
}

fn flatten<const N: usize>(a: &[[f64; N]; N]) -> Vec<f64> {
    a.iter().flatten().copied().collect()
}

fn beam2d(context: &Context<'_>, table: &Table<'_>, info: &Info) -> Option<Kind> {
    let ends = member(context, table, &["x", "y", "rz"]);
    let values = parameters(context, table, info, Dimension::FORCE, Dimension::LENGTH);
    let released = releases(context, table, &["start", "end"]);
    let mass = mass_kind(table);
    let ([a, b], dofs, span) = ends?;
    let values = values?;
    let beam = Beam2d {
        e: values[0],
        area: values[1],
        i: values[2],
        rho: values[3],
        release: [released[0], released[1]],
        mass,
    };
    match beam.matrices([a[0], a[1]], [b[0], b[1]]) {
        Ok(m) => Some(Kind::Linear { dofs, mass: flatten(&m.m), damping: Vec::new(), stiffness: flatten(&m.k) }),
        Err(e) => {
            beam_error(context, span, e);
            None
        }
    }
}

fn beam3d(context: &Context<'_>, table: &Table<'_>, info: &Info) -> Option<Kind> {
    let ends = member(context, table, &["x", "y", "z", "rx", "ry", "rz"]);
    let values = parameters(context, table, info, Dimension::FORCE, Dimension::LENGTH);
    const RELEASES: [&str; 6] = ["start.rx", "start.ry", "start.rz", "end.rx", "end.ry", "end.rz"];
    let r = releases(context, table, &RELEASES);
    let orientation = table.numbers("vecxz").and_then(|v| {
        let xyz: Vec<f64> = v.value.iter().map(|x| x.value).collect();
        let vector = <[f64; 3]>::try_from(xyz).ok();
        if vector.is_none() {
            context.error(v.span, "`vecxz` has three components", "write for example vecxz = [0, 0, 1]");
        }
        vector
    });
    let mass = mass_kind(table);
    let ([a, b], dofs, span) = ends?;
    let v = values?;
    let release = |i: usize| Release { torsion: r[i], my: r[i + 1], mz: r[i + 2] };
    let beam = Beam3d {
        e: v[0],
        g: v[1],
        area: v[2],
        iy: v[3],
        iz: v[4],
        j: v[5],
        rho: v[6],
        orientation,
        release: [release(0), release(3)],
        mass,
    };
    match beam.matrices(a, b) {
        Ok(m) => Some(Kind::Linear { dofs, mass: flatten(&m.m), damping: Vec::new(), stiffness: flatten(&m.k) }),
        Err(e) => {
            beam_error(context, span, e);
            None
        }
    }
}

/// `release = [...]`: which of the allowed words are listed.
fn releases(context: &Context<'_>, table: &Table<'_>, allowed: &[&str]) -> Vec<bool> {
    let list = table.list_of_strings("release").map_or_else(Vec::new, |l| l.value);
    for item in &list {
        if !allowed.contains(&item.value.as_str()) {
            let message = format!("`{}` cannot be released", item.value);
            context.error(item.span.clone(), message, format!("allowed here: {}", allowed.join(", ")));
        }
    }
    allowed.iter().map(|a| list.iter().any(|l| l.value == *a)).collect()
}

/// A matrix, inline or in a Matrix Market file, in the units of the file; `factor(i, j)` converts entry (i, j) to SI.
fn read_matrix(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &str,
    (rows, columns): (usize, usize),
    factor: impl Fn(usize, usize) -> f64,
) -> Option<Vec<f64>> {
    let (values, span) = if table.is_string(key) {
        let path = table.string(key)?;
        let read = (context.files)(&path.value).and_then(|text| matrix_market::parse(&text));
        match read {
            Ok(m) => (m, path.span),
            Err(e) => {
                let help = "the file must be in Matrix Market format (coordinate or array, real)";
                context.error(path.span, format!("`{}`: {e}", path.value), help);
                return None;
            }
        }
    } else {
        let m = table.matrix(key)?;
        (m.value, m.span)
    };
    let (found_rows, found_columns) = (values.len(), values.first().map_or(0, Vec::len));
    if (found_rows, found_columns) != (rows, columns) {
        let message = format!("`{key}` is {found_rows} x {found_columns}, expected {rows} x {columns}");
        context.error(span, message, "one row and column per listed degree of freedom (or state)");
        return None;
    }
    let si = values.iter().enumerate().flat_map(|(i, row)| row.iter().enumerate().map(move |(j, x)| (i, j, *x)));
    let flat: Vec<f64> = si.map(|(i, j, x)| x * factor(i, j)).collect();
    if let Some(bad) = flat.iter().position(|x| !x.is_finite()) {
        let message = format!("entry ({}, {}) of `{key}` is not a finite number", bad / columns + 1, bad % columns + 1);
        context.error(span, message, "correct the matrix");
        return None;
    }
    Some(flat)
}

fn matrix(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let coordinates = listed(context, table, None);
    ["M", "C", "K"].iter().for_each(|k| table.ignore(k));
    let dofs: Vec<usize> = coordinates?.into_iter().map(|c| c[0].0).collect();
    let n = dofs.len();
    let units = &context.scope.units;
    let read = |key: &str, time: f64| {
        if !table.has(key) {
            return Some(Vec::new());
        }
        read_matrix(context, table, key, (n, n), |i, j| {
            let dim = context.force(dofs[i]).per(context.disp(dofs[j])).times(Dimension::TIME.power(time));
            units.factor(dim)
        })
    };
    let (mass, damping, stiffness) = (read("M", 2.0), read("C", 1.0), read("K", 0.0));
    let kind = Kind::Linear { mass: mass?, damping: damping?, stiffness: stiffness?, dofs };
    if let Kind::Linear { mass, damping, stiffness, .. } = &kind
        && mass.is_empty()
        && damping.is_empty()
        && stiffness.is_empty()
    {
        context.error(table.span(), "this matrix element has no matrix", "give M, C or K, inline or as a file name");
        return None;
    }
    if let Kind::Linear { mass, dofs, .. } = &kind
        && let Some(i) = (0..mass.len().min(n)).find(|&i| mass[i * n + i] < 0.0)
    {
        let message = format!("negative mass at `{}`", context.dofs[dofs[i]].name);
        context.error(table.span(), message, "the diagonal of M must not be negative");
        return None;
    }
    Some(kind)
}

fn block(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let coordinates = listed(context, table, None);
    ["A", "B", "Bv", "C", "D", "Dv"].iter().for_each(|k| table.ignore(k));
    let coordinates = coordinates?;
    let dofs: Vec<usize> = coordinates.iter().map(|c| c[0].0).collect();
    if !table.has("A") {
        context.error(
            table.span(),
            "missing key `A` of this block",
            "write A = [[...]], the matrix of s' = A s + B q + Bv q'",
        );
        return None;
    }
    let states = if table.is_string("A") {
        let text = table.string("A").and_then(|p| (context.files)(&p.value).ok());
        text.and_then(|t| matrix_market::parse(&t).ok()).map_or(0, |m| m.len())
    } else {
        table.matrix("A").map_or(0, |m| m.value.len())
    };
    let (d, units) = (dofs.len(), &context.scope.units);
    let of = |dim: Dimension| units.factor(dim);
    let [none, time] = [Dimension::NONE, Dimension::TIME];
    let read = |key: &str, shape: (usize, usize), factor: &dyn Fn(usize, usize) -> f64| {
        if table.has(key) {
            read_matrix(context, table, key, shape, factor)
        } else {
            Some(vec![0.0; shape.0 * shape.1])
        }
    };
    let disp = |j: usize| context.disp(dofs[j]);
    let force = |i: usize| context.force(dofs[i]);
    let a = read("A", (states, states), &|_, _| of(none.per(time)));
    let b = read("B", (states, d), &|_, j| of(none.per(time).per(disp(j))));
    let bv = read("Bv", (states, d), &|_, j| of(none.per(disp(j))));
    let c = read("C", (d, states), &|i, _| of(force(i)));
    let dd = read("D", (d, d), &|i, j| of(force(i).per(disp(j))));
    let dv = read("Dv", (d, d), &|i, j| of(force(i).times(time).per(disp(j))));
    let block = BlockData { inputs: d, states, a: a?, b: b?, bv: bv?, c: c?, d: dd?, dv: dv? };
    Some(Kind::Block { block, coordinates })
}

fn formula(context: &Context<'_>, table: &Table<'_>, s0: &mut Vec<f64>) -> Option<Kind> {
    let names = table.list_of_strings("coordinates").map_or_else(Vec::new, |n| n.value);
    let (coordinates, q) = if table.has("dofs") {
        let coordinates = listed(context, table, None);
        let count = coordinates.as_ref().map_or(0, Vec::len);
        let q: Vec<String> = if names.is_empty() {
            (1..=count).map(|i| if count == 1 { "u".to_owned() } else { format!("u{i}") }).collect()
        } else {
            names.iter().map(|n| n.value.clone()).collect()
        };
        if coordinates.is_some() && q.len() != count {
            let message = format!("{} coordinate names for {count} degrees of freedom", q.len());
            context.error(table.span(), message, "give as many `coordinates` as `dofs`");
            return None;
        }
        (coordinates, q)
    } else {
        (difference(context, table).map(|c| vec![c]), vec!["u".to_owned()])
    };
    // u has the rate v, u1 has v1, and a coordinate called theta has theta_dot.
    let v: Vec<String> = q
        .iter()
        .map(|n| match n.strip_prefix('u') {
            Some(rest) if rest.chars().all(|c| c.is_ascii_digit()) => format!("v{rest}"),
            _ => format!("{n}_dot"),
        })
        .collect();
    let mut constants = context.scope.constants();
    if let Some(own) = table.table("parameters") {
        for key in own.keys() {
            let value = match own.raw(&key.value) {
                Some(Spanned { value: crate::reader::Raw::Number(x), .. }) => Some(x),
                Some(Spanned { value: crate::reader::Raw::Text(t), span }) => {
                    let text = Spanned::new(t, span);
                    match context.scope.evaluate(&text.value) {
                        Ok(v) => Some(v.si / v.dim.map_or(1.0, |d| context.scope.units.factor(d))),
                        Err(errors) => {
                            errors.into_iter().for_each(|e| own.expr_error(&text, e));
                            None
                        }
                    }
                }
                None => None,
            };
            constants.retain(|c| c.0 != key.value);
            constants.push((key.value, value.unwrap_or(1.0)));
        }
        finish(own);
    }
    let forces: Vec<Spanned<String>> = if table.is_string("force") {
        table.string("force").into_iter().collect()
    } else {
        table.list_of_strings_required("force", "\"k*u + c*v\"").map_or_else(Vec::new, |l| l.value)
    };
    let mut rates = Vec::new();
    if let Some(states) = table.table("states") {
        for key in states.keys() {
            if let Some(rate) = states.string(&key.value) {
                rates.push((key.value, rate));
            }
        }
        finish(states);
    }
    let states: Vec<(String, Dimension)> = rates.iter().map(|(n, _)| (n.clone(), Dimension::NONE)).collect();
    initial_states(context, table, &states, s0);
    let coordinates = coordinates?;
    let dims: Vec<Dimension> =
        coordinates.iter().map(|c| c.first().map_or(Dimension::LENGTH, |x| context.disp(x.0))).collect();
    if forces.len() != q.len() {
        if !forces.is_empty() {
            let message = format!("{} forces for {} coordinates ({})", forces.len(), q.len(), q.join(", "));
            context.error(table.span(), message, "give one `force` per coordinate");
        }
        return None;
    }
    let spec = FormulaSpec {
        q,
        v,
        s: rates.iter().map(|(n, _)| n.clone()).collect(),
        forces: forces.iter().map(|f| f.value.clone()).collect(),
        rates: rates.iter().map(|(_, r)| r.value.clone()).collect(),
        constants,
        ..FormulaSpec::default()
    }
    .in_units(&context.scope.units, &dims, &vec![Dimension::NONE; rates.len()]);
    let texts: Vec<&Spanned<String>> = forces.iter().chain(rates.iter().map(|(_, r)| r)).collect();
    match FormulaElement::new(&spec) {
        Ok(element) => {
            check_at_start(context, &element, &coordinates, s0, &texts);
            let states = spec.s;
            Some(Kind::Formula { element: Box::new(element), coordinates, states })
        }
        Err(errors) => {
            for e in errors {
                match texts.get(e.formula) {
                    Some(text) => table.expr_error(text, e.error),
                    None => context.error(table.span(), e.error.message, e.error.help.unwrap_or_default()),
                }
            }
            None
        }
    }
}

/// A formula that is not finite in the initial state is wrong now, not in the middle of a test.
fn check_at_start(
    context: &Context<'_>,
    element: &FormulaElement,
    coordinates: &[Coordinate],
    s0: &[f64],
    texts: &[&Spanned<String>],
) {
    use interfield_kernel::element::Element as _;
    let (d, s) = element.size();
    let sum = |c: &Coordinate, f: &dyn Fn(usize) -> f64| c.iter().map(|&(i, x)| x * f(i)).sum::<f64>();
    let q: Vec<f64> = coordinates.iter().map(|c| sum(c, &|i| context.dofs[i].u0)).collect();
    let v: Vec<f64> = coordinates.iter().map(|c| sum(c, &|i| context.dofs[i].v0)).collect();
    let states: Vec<f64> = (0..s).map(|i| s0.get(i).copied().unwrap_or(0.0)).collect();
    let (mut p, mut g) = (vec![0.0; d], vec![0.0; s]);
    element.response(0.0, &q, &v, &states, &mut p, &mut g);
    for (value, text) in p.iter().chain(&g).zip(texts) {
        if !value.is_finite() {
            let message = format!("this formula gives {value} in the initial state");
            let help =
                "a division by zero, or a root or logarithm of a negative number: guard it, e.g. with max(u, 1e-9)";
            context.error(text.span.clone(), message, help);
        }
    }
}
