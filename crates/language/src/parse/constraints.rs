//! `[[constraint]]`: degrees of freedom that follow others, eliminated before anything is computed.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Context;
use crate::diag::Diagnostic;
use crate::key::*;
use crate::model::{Coordinate, Dof, Element, Kind, Load, Support};
use crate::partition::visit;
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

section! {
    /// Nodes that move together.
    pub(super) CONSTRAINT = ("constraint", "[[constraint]]", "Nodes that move together: those that follow are no unknowns.")
        .variants(|| TYPES.iter().map(|t| t.variant(TYPE.name)).collect());
    LEADS: Text = key("leads", "The node that the others follow.").required().example("centre-1");
    FOLLOWS: List<Text> = key("follows", "The nodes that follow it.").required().example("[\"corner-1\", \"corner-2\"]");
}

/// How one node follows another: for each of its degrees of freedom that follows, the sum that it equals.
type Rule = fn(&Pair<'_>) -> Vec<(&'static str, Vec<(&'static str, f64)>)>;

const TYPE: Key<Choice<Type<Rule>>> = choice("type", &TYPES, "How they move together.").required();

const TYPES: [Type<Rule>; 4] = [
    Type::new("equal", "These degrees of freedom are equal.", &[EQUAL], |_| Vec::new()),
    Type::new("rigid-link", "A rigid bar between the nodes that carries moments.", &[], rigid_link),
    Type::new("rigid-bar", "The translations are equal, the rotations are not bound.", &[], |pair| {
        let both = |d: &'static str| (d, vec![(d, 1.0)]);
        ["x", "y", "z"].into_iter().filter(|d| pair.has(d)).map(both).collect()
    }),
    Type::new("diaphragm", "A floor that is rigid in its plane.", &[PLANE], diaphragm),
];

section! {
    [EQUAL];
    DOFS: List<Text> = key("dofs", "The degrees of freedom that are equal.").required().example("[\"x\"]");
}

section! {
    [PLANE];
    NORMAL: Choice<(usize, &'static str)> = choice("normal", &[(0, "x"), (1, "y"), (2, "z")], "The axis across the floor.")
        .default("z").example("z");
}

/// A node that follows and the one that leads.
struct Pair<'a> {
    /// From the one that leads to the one that follows, m.
    arm: [f64; 3],
    normal: usize,
    /// Degrees of freedom of the one that follows.
    dofs: &'a [(String, usize)],
    /// Those of the one that leads.
    leading: &'a [(String, usize)],
}

impl Pair<'_> {
    fn has(&self, dof: &str) -> bool {
        self.dofs.iter().any(|d| d.0 == dof)
    }

    fn turns(&self, rotation: &str) -> bool {
        self.leading.iter().any(|d| d.0 == rotation)
    }
}

const TRANSLATIONS: [&str; 3] = ["x", "y", "z"];
const ROTATIONS: [&str; 3] = ["rx", "ry", "rz"];

/// u = u0 + th x d, th = th0.
fn rigid_link(pair: &Pair<'_>) -> Vec<(&'static str, Vec<(&'static str, f64)>)> {
    let mut rules = Vec::new();
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        if pair.has(TRANSLATIONS[i]) {
            let turned = [(ROTATIONS[j], pair.arm[k]), (ROTATIONS[k], -pair.arm[j])];
            let turned = turned.into_iter().filter(|t| t.1 != 0.0 && pair.turns(t.0));
            rules.push((TRANSLATIONS[i], std::iter::once((TRANSLATIONS[i], 1.0)).chain(turned).collect()));
        }
        if pair.has(ROTATIONS[i]) {
            rules.push((ROTATIONS[i], vec![(ROTATIONS[i], 1.0)]));
        }
    }
    rules
}

/// The same within the plane of a floor: two translations and the rotation about its normal.
fn diaphragm(pair: &Pair<'_>) -> Vec<(&'static str, Vec<(&'static str, f64)>)> {
    let n = pair.normal;
    let (i, j) = ((n + 1) % 3, (n + 2) % 3);
    let with = |d: usize, arm: f64| {
        let turned = (arm != 0.0).then_some((ROTATIONS[n], arm));
        (TRANSLATIONS[d], std::iter::once((TRANSLATIONS[d], 1.0)).chain(turned).collect())
    };
    let rules = [with(i, -pair.arm[j]), with(j, pair.arm[i]), (ROTATIONS[n], vec![(ROTATIONS[n], 1.0)])];
    rules.into_iter().filter(|rule| pair.has(rule.0)).collect()
}

/// A degree of freedom that follows: the sum that it equals, and where that is said.
type Followers = BTreeMap<usize, (Coordinate, Range<usize>)>;

/// Degrees of freedom of a joint that follow others of it: which, the sum, and where that is said.
pub(super) type Joint = (usize, Coordinate, Range<usize>);

/// Forces of a model: over time with their names, and held from the beginning.
pub(super) struct Forces<'a> {
    pub(super) loads: &'a mut Vec<Load>,
    pub(super) names: &'a mut Vec<String>,
    pub(super) held: &'a mut Vec<(usize, f64)>,
}

/// Reads all `[[constraint]]` and makes the degrees of freedom follow; elements, masses and loads are then only on those that lead.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, forces: Forces<'_>) {
    let mut followers = Followers::new();
    for (dof, sum, span) in context.joints.take() {
        follow(context, dof, sum, span, &mut followers);
    }
    for table in root.all(&super::CONSTRAINT) {
        read_one(context, &table, &mut followers);
        table.finish();
    }
    let names: Vec<usize> = followers.keys().copied().collect();
    for dof in names {
        let mut way = vec![dof];
        if let Some(sum) = resolve(context, &followers, dof, &mut way) {
            lead(context, dof, &sum, &followers[&dof].1);
            context.dofs[dof].support = Support::Follows(sum);
        }
    }
    if !followers.is_empty() {
        let Forces { loads, names, held } = forces;
        eliminate(context, &followers, (loads, names));
        let resolved = |h: &(usize, f64)| resolved(&context.dofs, &[*h]);
        *held = held.iter().flat_map(resolved).collect();
    }
}

/// An imposed motion of what follows one other alone is that of the other; an initial value has no place.
fn lead(context: &mut Context<'_>, dof: usize, sum: &Coordinate, span: &Range<usize>) {
    let name = context.dofs[dof].name.clone();
    if context.dofs[dof].u0 != 0.0 || context.dofs[dof].v0 != 0.0 {
        let message = format!("`{name}` follows another node and cannot have an initial value");
        context.error(context.places.dofs[dof].clone(), message, "give it to the node that leads");
    }
    let Support::Imposed(motion) = &context.dofs[dof].support else { return };
    let motion = motion.clone();
    match sum[..] {
        [(leads, 1.0)] if matches!(context.dofs[leads].support, Support::Free) => {
            context.dofs[leads].support = Support::Imposed(motion);
        }
        [(leads, 1.0)] => {
            let message =
                format!("`{name}` has an imposed motion and follows `{}`, which is held", context.dofs[leads].name);
            context.error(span.clone(), message, "impose the motion on the node that leads, and free both");
        }
        _ => {
            let message = format!("`{name}` has an imposed motion and follows a rotation");
            context.error(span.clone(), message, "impose the motion on the node that leads");
        }
    }
}

/// Puts elements, masses and forces on the degrees of freedom that lead.
fn eliminate(context: &mut Context<'_>, followers: &Followers, (loads, names): (&mut Vec<Load>, &mut Vec<String>)) {
    let first = context.elements.len();
    let Context { elements, dofs, places, load_dimensions, .. } = context;
    for element in elements.iter_mut() {
        let mut written = Vec::new();
        visit(element, |d, _| written.push(d));
        if written.iter().any(|d| followers.contains_key(d)) {
            element.written_on = written;
        }
        match &mut element.kind {
            Kind::Law { coordinates, .. }
            | Kind::Formula { coordinates, .. }
            | Kind::Block { coordinates, .. }
            | Kind::Frame { coordinates, .. } => coordinates.iter_mut().for_each(|c| *c = resolved(dofs, c)),
            Kind::Linear { dofs: on, mass, damping, stiffness } if on.iter().any(|d| followers.contains_key(d)) => {
                let rows: Vec<Coordinate> = on.iter().map(|&d| resolved(dofs, &[(d, 1.0)])).collect();
                let all: BTreeSet<usize> = rows.iter().flatten().map(|r| r.0).collect();
                let leading: Vec<usize> = all.into_iter().collect();
                for matrix in [mass, damping, stiffness] {
                    *matrix = transformed(&rows, &leading, matrix);
                }
                *on = leading;
            }
            Kind::Linear { .. } => {}
        }
    }
    for (&d, (_, span)) in followers {
        let mass = std::mem::take(&mut dofs[d].mass);
        if mass == 0.0 {
            continue;
        }
        let row = resolved(dofs, &[(d, 1.0)]);
        if let [(leads, 1.0)] = row[..] {
            dofs[leads].mass += mass;
            continue;
        }
        let on: Vec<usize> = row.iter().map(|r| r.0).collect();
        let mass = transformed(&[row], &on, &[mass]);
        let kind = Kind::Linear { dofs: on, mass, damping: Vec::new(), stiffness: Vec::new() };
        let (name, type_name) = (format!("mass-of-{}", dofs[d].name.replace('.', "-")), "mass".to_owned());
        let written_on = vec![d];
        let (s0, inside) = (Vec::new(), false);
        elements.push(Element { name, type_name, kind, damped: false, given: None, s0, written_on, inside });
        for list in [&mut places.elements, &mut places.stiffnesses, &mut places.dashpots] {
            list.push(span.clone());
        }
    }
    context.carried = first..elements.len();
    // A force on what follows acts on all that lead it, by its lever arms.
    for i in 0..loads.len() {
        let Load::Force { dof, signal } = &loads[i] else { continue };
        if !followers.contains_key(dof) {
            continue;
        }
        let (dof, signal) = (*dof, signal.clone());
        for (n, (leads, f)) in resolved(dofs, &[(dof, 1.0)]).into_iter().enumerate() {
            let mut signal = signal.clone();
            if f != 1.0 {
                signal.scale(f);
            }
            let load = Load::Force { dof: leads, signal };
            if n == 0 {
                loads[i] = load;
            } else {
                let name = format!("{}-on-{}", names[i], dofs[leads].name);
                let dimension = if dofs[leads].angle { Dimension::MOMENT } else { Dimension::FORCE };
                load_dimensions.insert(name.clone(), dimension);
                places.loads.push(places.loads[i].clone());
                names.push(name);
                loads.push(load);
            }
        }
    }
}

/// A coordinate in degrees of freedom that follow none.
fn resolved(dofs: &[Dof], coordinate: &[(usize, f64)]) -> Coordinate {
    let expanded = |&(d, f): &(usize, f64)| match &dofs[d].support {
        Support::Follows(terms) => terms.iter().map(|&(o, g)| (o, f * g)).collect(),
        _ => vec![(d, f)],
    };
    merged(coordinate.iter().flat_map(expanded).collect())
}

/// Tᵀ A T of a matrix over rows T, on the columns `on`; nothing stays nothing.
fn transformed(rows: &[Coordinate], on: &[usize], a: &[f64]) -> Vec<f64> {
    let (n, m) = (rows.len(), on.len());
    let mut out = vec![0.0; if a.is_empty() { 0 } else { m * m }];
    let column = |d: usize| on.iter().position(|&o| o == d).unwrap_or(0);
    for (i, ri) in rows.iter().enumerate().filter(|_| !a.is_empty()) {
        for (j, rj) in rows.iter().enumerate() {
            for &(d, f) in ri {
                rj.iter().for_each(|&(e, g)| out[column(d) * m + column(e)] += f * g * a[i * n + j]);
            }
        }
    }
    out
}

fn read_one(context: &Context<'_>, table: &Table<'_>, followers: &mut Followers) -> Option<()> {
    let (kind, leads, follow) = (table.read(&TYPE), table.read(&LEADS), table.read(&FOLLOWS));
    let Some(kind) = kind else {
        table.ignore_all();
        return None;
    };
    let normal = if kind.value.name == "diaphragm" { table.value(&NORMAL).0 } else { 2 };
    let equal = if kind.value.name == "equal" { table.read(&DOFS)?.value } else { Vec::new() };
    let (leads, follow) = (leads?, follow?);
    let leader = context.node(&leads)?;
    for name in follow.value {
        let Some(node) = context.node(&name) else { continue };
        if node == leader {
            context.error(name.span.clone(), "a node cannot follow itself", "name other nodes in `follows`");
            continue;
        }
        let at = |n: usize| context.nodes[n].at;
        let arm = std::array::from_fn(|i| at(node)[i] - at(leader)[i]);
        let (dofs, leading) = (&context.nodes[node].dofs, &context.nodes[leader].dofs);
        let pair = Pair { arm, normal, dofs, leading };
        let rules: Vec<(String, Vec<(String, f64)>)> = if kind.value.name == "equal" {
            equal.iter().map(|d| (d.value.clone(), vec![(d.value.clone(), 1.0)])).collect()
        } else {
            let owned = |(d, sum): (&str, Vec<(&str, f64)>)| {
                (d.to_owned(), sum.iter().map(|s| (s.0.to_owned(), s.1)).collect())
            };
            (kind.value.read)(&pair).into_iter().map(owned).collect()
        };
        for (dof, sum) in rules {
            bind(context, (node, &dof), (leader, &sum), &name, followers);
        }
    }
    Some(())
}

/// One degree of freedom follows a sum of those of the leading node.
fn bind(
    context: &Context<'_>,
    (node, dof): (usize, &str),
    (leader, sum): (usize, &[(String, f64)]),
    name: &Spanned<String>,
    followers: &mut Followers,
) -> Option<()> {
    let follower = context.dof_of(node, dof, name.span.clone())?;
    let terms: Vec<Option<(usize, f64)>> =
        sum.iter().map(|(d, f)| Some((context.dof_of(leader, d, name.span.clone())?, *f))).collect();
    let terms: Coordinate = terms.into_iter().collect::<Option<_>>()?;
    follow(context, follower, terms, name.span.clone(), followers)
}

/// One degree of freedom follows a sum of others.
fn follow(
    context: &Context<'_>,
    follower: usize,
    terms: Coordinate,
    span: Range<usize>,
    followers: &mut Followers,
) -> Option<()> {
    let full = &context.dofs[follower].name;
    if matches!(context.dofs[follower].support, Support::Fixed) {
        let leads = terms.first().map_or("another node", |t| &context.dofs[t.0].name);
        let message = format!("`{full}` is held and cannot follow `{leads}`");
        context.error(span, message, "free it, or take the node out of the constraint");
        return None;
    }
    if let Some((_, first)) = followers.get(&follower) {
        let message = format!("`{full}` already follows another node");
        let d = Diagnostic::error(message, span).also(first.clone(), "it follows here first");
        context.diags.push(d.help("let each degree of freedom follow once"));
        return None;
    }
    followers.insert(follower, (terms, span));
    Some(())
}

/// The sum that a degree of freedom equals, in degrees of freedom that follow none.
fn resolve(context: &Context<'_>, followers: &Followers, dof: usize, way: &mut Vec<usize>) -> Option<Coordinate> {
    let (sum, span) = followers.get(&dof)?;
    let mut resolved = Coordinate::new();
    for &(d, f) in sum {
        if !followers.contains_key(&d) {
            resolved.push((d, f));
            continue;
        }
        if way.contains(&d) {
            // Told once, at the first of the circle.
            if way.iter().min() == way.first() {
                let names: Vec<&str> = way.iter().chain([&d]).map(|&d| context.dofs[d].name.as_str()).collect();
                let message = format!("these degrees of freedom follow each other in a circle: {}", names.join(", "));
                context.error(span.clone(), message, "let one of them lead");
            }
            return None;
        }
        way.push(d);
        let inner = resolve(context, followers, d, way);
        way.pop();
        resolved.extend(inner?.into_iter().map(|(o, g)| (o, f * g)));
    }
    Some(merged(resolved))
}

/// Terms of one degree of freedom as one.
fn merged(terms: Coordinate) -> Coordinate {
    let mut sum = Coordinate::new();
    for (d, f) in terms {
        match sum.iter_mut().find(|s| s.0 == d) {
            Some(term) => term.1 += f,
            None => sum.push((d, f)),
        }
    }
    sum
}
