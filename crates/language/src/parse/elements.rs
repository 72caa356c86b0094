//! Elements: laws from the registry and point masses, and what all element types share.

use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinate as Expected, Coordinates, Info, PATH_OPTION, Parameter, Unit};
use interfield_kernel::element::path::PathLaw;
use interfield_kernel::element::{AnyLaw, LAWS};

use super::matrices::{Matrix, flat, rows};
use super::nodes::{GROUND, axis};
use super::{Context, ELEMENT, formulas, frames, joints, matrices, members, zero_length};
use crate::diag::did_you_mean;
use crate::key::{Kind as _, *};
use crate::model::{Coordinate, Element, Estimate, Kind, TangentPolicy};
use crate::reader::Table;
use crate::schema::{self, Variant, sentence};
use crate::units::Dimension;

section! {
    /// An element.
    pub(crate) ELEMENTS = ("element", "[[element]]", "An element.").variants(variants);
    NAME: Text = key("name", "Its name, for channels and messages.").example("storey1");
    DAMPED: Flag = key("damped", "Whether its stiffness is included in Rayleigh damping; if absent: not that of bars, bearings and \
        materials between nodes (`uniaxial`, `zero-length`), that of all others.").example("false");
    TANGENT: Inner = table("tangent", &ESTIMATE, "Estimate for the tangent policy `given`.").example("{ k = \"4 kN/mm\" }");
}

/// The key that chooses a type.
pub(super) const TYPE: Key<Named> = of(Named(types), "type", "Type of the element.").required().example("spring");

section! {
    /// Keys that some types have; what they mean is said by the catalogue.
    [OPTIONS];
    pub(super) NODES: List<Text> = key("nodes", "The two nodes it connects; `ground` always exists.").required()
        .example("[\"ground\", \"roof\"]");
    DOF: Text = key("dof", "Degree of freedom along which it acts; if absent, the line between the \
        nodes.").example("x");
    pub(super) DOFS: List<Text> = key("dofs", "Its degrees of freedom.").required().example("[\"roof.x\"]");
    NODE: Text = key("node", "The node.").required().example("roof");
    MEMORY: Choice<(bool, &'static str)> = choice("memory", &[(false, "state"), (true, "path")], "Its state \
        variables.").example("path");
    INITIAL: Inner = table("initial", &STATES, "Initial values of its states.").example("{ z = \"10 kN\" }");
}

/// Types whose stiffness Rayleigh damping leaves out unless asked: often a stiff joint or a yielding device, whose damping would hide what the
/// material gives.
const UNDAMPED: [&str; 8] = [
    "uniaxial",
    "bar",
    "zero-length",
    "zero-length-section",
    "elastomeric-bearing",
    "friction-pendulum",
    "flat-slider",
    "triple-pendulum",
];

/// Keys that a stiffness is given by, whatever the type.
const STIFFNESS_KEYS: [&str; 5] = ["k", "K", "E", "k1", "force"];
/// The same of viscous damping.
const DASHPOT_KEYS: [&str; 3] = ["c", "C", "force"];

section! {
    STATES = ("states", "{ ... }", "Initial values of states, by name.").others(|| Anything.value());
}

section! {
    ESTIMATE = ("tangent", "{ ... }", "Estimate that the tangent policy `given` uses.");
    STIFFNESS: Tangent = key("k", "Estimated stiffness on each coordinate.");
    DAMPING: TangentDamping = key("c", "Estimated damping on each coordinate.").default("0").example("5 kN*s/m");
    STIFFNESSES: Or<Rows, Text> = key("K", "Estimated stiffness over all coordinates, instead of `k`.").example("[[4, -4], [-4, 4]]");
    DAMPINGS: Or<Rows, Text> = key("C", "Estimated damping over all coordinates, in addition to `K`.").example("[[1, \
        0], [0, 1]]");
}

fn types() -> Vec<&'static str> {
    catalogue().map(|i| i.name).collect()
}

fn variants() -> Vec<Variant> {
    let variant = |info: &'static Info| Variant {
        when: vec![(TYPE.name, info.name)],
        doc: format!("{}\n\n{}\n\n{}", sentence(info.title), info.equations.join("\n"), sentence(info.reference)),
        keys: keys_of(info),
    };
    catalogue().map(variant).collect()
}

/// All keys that an element of this type has besides those of all: how it is connected, its parameters, and its options.
fn keys_of(info: &'static Info) -> Vec<schema::Key> {
    let mut keys = match info.coordinates {
        Coordinates::Difference => vec![NODES.describe(), DOF.describe()],
        Coordinates::Listed(of) => {
            let names: Vec<String> = of.iter().map(|c| format!("{} ({})", c.name, c.doc)).collect();
            let doc = format!("Its degrees of freedom, in this order: {}.", names.join(", "));
            vec![schema::Key { doc, ..DOFS.describe() }]
        }
        Coordinates::Own if info.name.starts_with("beam") => vec![NODES.describe()],
        Coordinates::Own => Vec::new(),
    };
    let parameter = |p: &'static Parameter| schema::Key {
        range: p.range,
        doc: sentence(p.doc),
        default: p.default.map(|d| d.to_string()),
        example: p
            .default
            .filter(|_| p.unit == Unit::NONE)
            .map_or_else(|| parameter_key(p, FREE).written_example(), |d| d.to_string()),
        ..parameter_key(p, FREE).describe()
    };
    keys.extend(info.parameters.iter().map(parameter));
    let options = info.options.iter().flat_map(|(names, doc)| names.split(", ").map(move |name| (name, doc)));
    keys.extend(
        options
            .filter_map(|(name, doc)| Some(schema::Key { doc: sentence(doc), required: false, ..option(name)? }))
            .filter(|k| k.name != INITIAL.name),
    );
    if !info.states.is_empty() || matches!(info.name, "block" | "formula") {
        let names: Vec<&str> = info.states.iter().map(|s| s.name).collect();
        let known = if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) };
        keys.push(schema::Key { doc: format!("Initial values of its states{known}."), ..INITIAL.describe() });
    }
    keys
}

/// All keys of an element of this type but `type`.
pub(super) fn described(info: &'static Info) -> Vec<schema::Key> {
    ELEMENTS.described().into_iter().chain(keys_of(info)).collect()
}

/// An option of the catalogue, by its name.
pub(crate) fn option(name: &str) -> Option<schema::Key> {
    let all = [
        OPTIONS,
        members::OPTIONS,
        formulas::OPTIONS,
        matrices::MATRICES,
        frames::OPTIONS,
        frames::BEARING,
        zero_length::OPTIONS,
        joints::OPTIONS,
    ];
    all.into_iter().flatten().find(|k| k.name() == name).map(|k| k.describe())
}

/// Dimensions of force and displacement on a translation, and the exponent `n` of a law.
const FREE: (Dimension, Dimension, f64) = (Dimension::FORCE, Dimension::LENGTH, 1.0);

/// A parameter of the catalogue as a key; its range is checked with its doc in the message.
pub(super) fn parameter_key(p: &'static Parameter, (force, disp, n): (Dimension, Dimension, f64)) -> Key<Measured> {
    let key = of(Measured(dimension(p.unit, force, disp, n)), p.name, p.doc);
    let key = usual(p, force, disp).map_or(key, |example| key.example(example));
    if p.default.is_none() { key.required() } else { key }
}

/// What is usual for a strength or a strain of a material, where the unit alone would suggest a modulus; compression is negative.
fn usual(p: &Parameter, force: Dimension, disp: Dimension) -> Option<&'static str> {
    let negative = p.doc.contains("negative");
    match p.unit {
        Unit::FORCE if force == Dimension::STRESS => Some(if negative { "-30 MPa" } else { "250 MPa" }),
        Unit::DISP if disp == Dimension::NONE && negative => Some("-0.004"),
        _ => None,
    }
}

/// Reads all `[[element]]`.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) {
    for table in root.all(&ELEMENT) {
        let count = context.elements.len();
        read_one(context, &table);
        context.contact.borrow_mut().settle(context.elements.len() > count);
        table.finish();
    }
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) {
    let kind_name = table.read(&TYPE);
    let (name, span) = match (table.read(&NAME), &kind_name) {
        (Some(n), _) => (n.value, n.span),
        (None, Some(k)) => (format!("{}-{}", k.value, context.elements.len() + 1), k.span.clone()),
        (None, None) => return unreadable(context, table),
    };
    context.declare(&name, span.clone());
    let Some(kind_name) = kind_name else { return unreadable(context, table) };
    let asked = table.read(&DAMPED);
    let Some(info) = catalogue().find(|i| i.name == kind_name.value) else {
        let help =
            did_you_mean(&kind_name.value, types()).unwrap_or_else(|| format!("types are {}", types().join(", ")));
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
        "uniaxial" => frames::uniaxial(context, table),
        "zero-length" => zero_length::springs(context, table),
        "zero-length-section" => zero_length::slice(context, table),
        "bar" => frames::bar(context, table),
        "member" => frames::member(context, table),
        "panel-zone" => joints::panel_zone(context, table),
        "elastomeric-bearing" | "friction-pendulum" | "flat-slider" | "triple-pendulum" => {
            frames::bearing(context, table, info)
        }
        _ => law(context, table, info, &mut s0),
    };
    let given = table.open(&TANGENT).and_then(|t| {
        let t = t.along(first_dimensions(context, kind.as_ref()).1);
        let given = tangent(context, &t, info.name, kind.as_ref());
        t.finish();
        given
    });
    if let Some(kind) = kind {
        if given.is_some() {
            context.estimates.push((context.elements.len(), table.place(&TANGENT)));
        }
        let place = |keys: &[&str]| keys.iter().find_map(|key| table.glimpse(key)).unwrap_or_else(|| span.clone());
        context.places.stiffnesses.push(place(&STIFFNESS_KEYS));
        context.places.dashpots.push(place(&DASHPOT_KEYS));
        context.places.elements.push(span);
        context.elements.push(Element {
            name,
            type_name: info.name.to_owned(),
            kind,
            damped: asked.map_or(!UNDAMPED.contains(&info.name), |d| d.value),
            given,
            s0,
            written_on: Vec::new(),
            inside: false,
        });
    }
}

/// `tangent = { k = ..., c = ... }` on each coordinate, or `{ K = [[...]], C = [[...]] }` over all of them.
fn tangent(context: &Context<'_>, t: &Table<'_>, type_name: &str, kind: Option<&Kind>) -> Option<Estimate> {
    let ends: Vec<usize> = match kind? {
        Kind::Linear { dofs, .. } => dofs.clone(),
        // Only those with one degree of freedom per coordinate have matrices; a law has one coordinate.
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => coordinates.iter().filter_map(|c| c.first()).map(|c| c.0).collect(),
    };
    let linear = matches!(kind, Some(Kind::Linear { .. }));
    if type_name == "mass" || (linear && t.has(&STIFFNESS)) || t.has(&STIFFNESS) == t.has(&STIFFNESSES) {
        t.ignore_all();
        let (message, help) = match type_name {
            "mass" => ("a mass has no tangent", "remove it"),
            _ if linear => ("the tangent of this element is a matrix", "write tangent = { K = [[...]], C = [[...]] }"),
            _ => ("a tangent has either a number `k` or a matrix `K`", "write tangent = { k = \"4 kN/mm\" }"),
        };
        context.error(t.span(), message, help);
        return None;
    }
    if t.has(&STIFFNESS) {
        let (k, c) = (t.read(&STIFFNESS), t.good(&DAMPING));
        return Some(Estimate::Each(k?.value, c?));
    }
    let n = ends.len();
    let matrix = |key: &Key<Or<Rows, Text>>, time: f64| match rows(context, t, key, "")? {
        Matrix::Word => Some(vec![0.0; n * n]),
        Matrix::Rows(rows) => flat(context, key.name, &rows, (n, n), |i, j| {
            let dim = context.force(ends[i]).per(context.disp(ends[j])).times(Dimension::TIME.power(time));
            context.scope.units.factor(dim)
        }),
    };
    let (k, c) = (matrix(&STIFFNESSES, 0.0), matrix(&DAMPINGS, 1.0));
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
    table.ignore_all();
    let list = |key: &Key<List<Text>>| match table.is_list(key) {
        true => table.read(key).map_or_else(Vec::new, |n| n.value),
        false => Vec::new(),
    };
    for node in list(&NODES) {
        context.node(&node);
    }
    for dof in list(&DOFS) {
        context.dof(&dof);
    }
}

fn first_dimensions(context: &Context<'_>, kind: Option<&Kind>) -> (Dimension, Dimension) {
    let first = kind.and_then(|k| match k {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => coordinates.first()?.first().map(|c| c.0),
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

/// Dimension of a number of the catalogue on a coordinate that is an angle, or none; `n` is the value of the parameter `n`.
pub fn law_dimension(unit: Unit, angle: bool, n: f64) -> Dimension {
    let disp = if angle { Dimension::NONE } else { Dimension::LENGTH };
    dimension(unit, Dimension::MOMENT.per(disp), disp, n)
}

/// The parameters of a catalogue entry, in its order.
pub(super) fn parameters(
    table: &Table<'_>,
    info: &'static Info,
    force: Dimension,
    disp: Dimension,
) -> Option<Vec<f64>> {
    // The exponent first: units of others depend on it.
    let exponent = info.parameters.iter().find(|p| p.name == "n");
    let n = exponent.map_or(1.0, |p| {
        let given = if table.has(p.name) { table.read(&parameter_key(p, FREE)).map(|q| q.value) } else { None };
        // An exponent that is out of range is reported below; the usual one tells the units of the others.
        given.filter(|n| p.range.contains(*n)).or(p.default).unwrap_or(1.0)
    });
    let one = |p: &'static Parameter| {
        let key = parameter_key(p, (force, disp, n));
        if let (Some(default), false) = (p.default, table.has(p.name)) {
            return Some(default);
        }
        let given = table.read(&key)?;
        let place = Place { name: p.name, doc: p.doc, example: None, range: p.range };
        let subject = format!("`{}` ({})", p.name, p.doc);
        place.check_as(&subject, table, given.value, key.kind.0, given.span).then_some(given.value)
    };
    let values: Vec<Option<f64>> = info.parameters.iter().map(one).collect();
    values.into_iter().collect()
}

/// One coordinate between two nodes, or from the ground to one node: the elongation.
pub(super) fn difference(context: &Context<'_>, table: &Table<'_>) -> Option<Coordinate> {
    let nodes = table.read(&NODES);
    let dof = table.read(&DOF);
    let nodes = nodes?;
    if nodes.value.is_empty() || nodes.value.len() > 2 {
        let message = format!("this element connects two nodes, found {}", nodes.value.len());
        context.error(nodes.span, message, "name two nodes; `ground` always exists");
        return None;
    }
    let indices: Vec<Option<usize>> = nodes.value.iter().map(|n| context.node(n)).collect();
    let indices: Vec<usize> = indices.into_iter().collect::<Option<_>>()?;
    let (from, to) = if let [one] = indices[..] { (0, one) } else { (indices[0], indices[1]) };
    if from == to {
        context.error(nodes.span, "this element connects a node with itself", "name two different nodes");
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
        let message = "the direction of this element is unknown";
        context.error(nodes.span, message, "write dof = \"x\", or give the nodes different positions");
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
        let message = "its nodes have no degree of freedom along this element";
        context.error(nodes.span, message, "give them the degrees of freedom it needs, or write dof = \"x\"");
        return None;
    }
    Some(coordinate)
}

/// Coordinates that are degrees of freedom, listed under `dofs`.
pub(super) fn listed(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &Key<List<Text>>,
    wanted: Option<&[&str]>,
) -> Option<Vec<Coordinate>> {
    let dofs = table.read(key)?;
    if dofs.value.is_empty() || wanted.is_some_and(|w| w.len() != dofs.value.len()) {
        let (message, help) = match wanted {
            None => (
                "this list is empty; it must name degrees of freedom".to_owned(),
                "write for example \
                [\"roof.x\"]"
                    .to_owned(),
            ),
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
pub(super) fn initial_states(table: &Table<'_>, states: &[(String, Dimension)], s0: &mut Vec<f64>) {
    if !states.is_empty()
        && let Some(inner) = table.open(&INITIAL)
    {
        *s0 = states
            .iter()
            .map(|(name, dim)| inner.entry(name, &Measured(*dim), Allowed::Any).map_or(0.0, |q| q.value))
            .collect();
        inner.finish();
    }
}

fn law(context: &Context<'_>, table: &Table<'_>, info: &'static Info, s0: &mut Vec<f64>) -> Option<Kind> {
    debug_assert!(LAWS.iter().any(|l| l.name == info.name));
    let coordinates = match info.coordinates {
        Coordinates::Listed(list) => {
            let names: Vec<&str> = list.iter().map(|c| c.name).collect();
            let coordinates = listed(context, table, &DOFS, Some(&names));
            check_kinds(context, table, list, coordinates.as_deref().unwrap_or_default());
            coordinates
        }
        Coordinates::Difference | Coordinates::Own => difference(context, table).map(|c| vec![c]),
    };
    let dims = coordinates.as_ref().and_then(|c| c.first()?.first().copied());
    let (force, disp) =
        dims.map_or((Dimension::FORCE, Dimension::LENGTH), |(d, _)| (context.force(d), context.disp(d)));
    let values = parameters(table, info, force, disp);
    let states: Vec<(String, Dimension)> =
        info.states.iter().map(|s| (s.name.to_owned(), dimension(s.unit, force, disp, 1.0))).collect();
    let law = values.and_then(|values| AnyLaw::new(info.name, &values));
    let path = path_moved(table, info, law.as_ref());
    if path && table.has(&INITIAL) {
        table.ignore(&INITIAL);
        let message = "a law whose state is its loading path starts from rest and has no `initial`";
        context.error(table.span(), message, "remove `initial`: the first step loads it to its deformation");
    } else {
        initial_states(table, &states, s0);
    }
    Some(Kind::Law { law: law?, coordinates: coordinates?, path })
}

/// `memory` of the laws that have this option. A law that begins with a state of its own has one that is integrated.
fn path_moved(table: &Table<'_>, info: &Info, law: Option<&AnyLaw>) -> bool {
    if !info.options.contains(&PATH_OPTION) {
        return false;
    }
    let usual = || law.is_some_and(PathLaw::preferred) && !table.has(&INITIAL);
    table.read(&MEMORY).map_or_else(usual, |memory| memory.value.0)
}

/// Whether rotations and translations stand where the element expects them.
fn check_kinds(context: &Context<'_>, table: &Table<'_>, expected: &[Expected], found: &[Coordinate]) {
    let written = table.read(&DOFS).map_or_else(Vec::new, |d| d.value);
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

fn point_mass(context: &Context<'_>, table: &Table<'_>, info: &'static Info) -> Option<Kind> {
    let node = table.read(&NODE);
    let values = parameters(table, info, Dimension::FORCE, Dimension::LENGTH);
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
