//! Members of nonlinear frames, bars, and materials as springs.

use std::sync::Arc;

use interfield_kernel::element::beam3d::local_axes;
use interfield_kernel::element::info::Info;
use interfield_kernel::frame::bearing::{Bearing, Shear};
use interfield_kernel::frame::member::{Formulation, Member};
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::rule::{POINTS as MOST_POINTS, Rule};
use interfield_kernel::frame::transformation::Transformation;

use super::Context;
use super::elements::{NODES, difference, parameters};
use super::members::{VECXZ, beam_error};
use crate::key::*;
use crate::model::{Coordinate, FramePart, Kind};
use crate::reader::Table;
use crate::units::Dimension;

section! {
    /// Keys of members; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    MATERIAL: Text = key("material", "Its material.").required().example("steel");
    AREA: Area = key("area", "Its area.").required().range(POSITIVE).example("20 cm^2");
    SECTION: Text = key("cross_section", "Its cross-section.").required().example("column");
    FORMULATION: Choice<(By, &'static str)> = choice("formulation", &[(By::Force, "force"), (By::ForceIterated, "force-iterated"),
        (By::Displacement, "displacement")], "How its forces are found.").default("force").example("displacement");
    PASSES: Count = key("passes", "Evaluations of each section.").range(Allowed::Between(1.0, 100.0)).default("2").example("2");
    POINTS: Count = key("points", "Sections along it.").range(Allowed::Between(1.0, MOST_POINTS as f64)).default("5").example("5");
    RULE: Choice<(Along, &'static str)> = choice("rule", &[(Along::Lobatto, "lobatto"), (Along::Legendre, "legendre")],
        "Where its sections stand.").default("lobatto").example("legendre");
    HINGES: Inner = table("hinges", &HINGE, "Plastic hinges at its ends.")
        .example("{ start = \"hinge\", start_length = \"35 cm\", end = \"hinge\", end_length = \"35 cm\" }");
    TRANSFORMATION: Choice<(Transformation, &'static str)> = choice("transformation", &[(Transformation::Linear, "linear"),
        (Transformation::PDelta, "p-delta"), (Transformation::Corotational, "corotational")],
        "How its motion as a whole is taken.").default("linear").example("p-delta");
    OFFSETS: List<List<Length>> = key("offsets", "Vectors from its nodes to its ends.").example("[[0, \"30 cm\"], [0, \"-25 cm\"]]");
}

section! {
    /// Keys of bearings.
    pub(super) [BEARING];
    AXIAL: Text = key("axial", "Material along its axis.").required().example("vertical");
    ROTATION: Text = key("rotation", "Material about the axes across.").required().example("tilting");
    TORSION: Text = key("torsion", "Material about its axis.").example("tilting");
    SHEAR_DISTANCE: Pure = key("shear_distance", "Where the shear acts.").range(Allowed::Between(0.0, 1.0)).default("0.5").example("0.5");
}

section! {
    HINGE = ("hinges", "hinges = { ... }", "Plastic hinges at the ends of a member; the rest has its own cross-section.");
    FIRST: Text = key("start", "Cross-section of the hinge at the start.").required().example("hinge");
    FIRST_LENGTH: Length = key("start_length", "Its length.").required().range(POSITIVE).example("35 cm");
    SECOND: Text = key("end", "Cross-section of the hinge at the end.").required().example("hinge");
    SECOND_LENGTH: Length = key("end_length", "Its length.").required().range(POSITIVE).example("35 cm");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    Force,
    ForceIterated,
    Displacement,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Along {
    Lobatto,
    Legendre,
}

/// Work of the last correction at which an iterated member has converged, as a share of nothing: J.
const CONVERGED: f64 = 1e-12;
/// Most passes of an iterated member.
const PATIENCE: usize = 30;

fn frame(context: &Context<'_>, part: Part, coordinates: Vec<Coordinate>) -> Kind {
    let sections = Arc::clone(&context.sections);
    Kind::Frame { frame: Box::new(FramePart { part, sections, load: [0.0; 3], rest: Arc::new([]) }), coordinates }
}

/// A material as a spring.
pub(super) fn uniaxial(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let coordinate = difference(context, table);
    let name = table.read(&MATERIAL);
    let coordinate = coordinate?;
    let needs = coordinate.first().map_or(Dimension::FORCE, |c| context.force(c.0));
    let material = context.known.material(context, &name?, needs)?;
    Some(frame(context, Part::Spring { material, area: 1.0, length: 1.0 }, vec![coordinate]))
}

/// A bar.
pub(super) fn bar(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let (name, area) = (table.read(&MATERIAL), table.read(&AREA));
    let kind = table.value(&TRANSFORMATION).0;
    let material = name.and_then(|n| context.known.material(context, &n, Dimension::STRESS));
    if kind == Transformation::Linear {
        let coordinate = difference(context, table)?;
        let length = length(context, table)?;
        let (material, area) = (material?, area?.value);
        return Some(frame(context, Part::Spring { material, area, length }, vec![coordinate]));
    }
    let nodes = ends(context, table)?;
    let at = nodes.map(|n| context.nodes[n].at);
    let (length, axes) =
        local_axes(None, at[0], at[1]).map_err(|e| beam_error(context, table.place(&NODES), e)).ok()?;
    let space = nodes.iter().all(|&n| context.nodes[n].dofs.iter().any(|d| d.0 == "z"));
    let size = if space { 3 } else { 2 };
    let axes = if space { axes } else { plane_axes(at) };
    let mut rows = vec![Coordinate::new(); size];
    for (node, sign) in [(nodes[0], -1.0), (nodes[1], 1.0)] {
        for (i, name) in ["x", "y", "z"][..size].iter().enumerate() {
            let dof = context.dof_of(node, name, table.place(&NODES))?;
            (0..size).filter(|&r| axes[r][i] != 0.0).for_each(|r| rows[r].push((dof, sign * axes[r][i])));
        }
    }
    let (material, area) = (material?, area?.value);
    Some(frame(context, Part::Truss { material, area, length, size }, rows))
}

fn plane_axes([a, b]: [[f64; 3]; 2]) -> [[f64; 3]; 3] {
    let (dx, dy) = (b[0] - a[0], b[1] - a[1]);
    let l = dx.hypot(dy);
    [[dx / l, dy / l, 0.0], [-dy / l, dx / l, 0.0], [0.0, 0.0, 1.0]]
}

/// The two nodes of a member.
fn ends(context: &Context<'_>, table: &Table<'_>) -> Option<[usize; 2]> {
    let nodes = table.read(&NODES)?;
    let [a, b] = &nodes.value[..] else {
        context.error(nodes.span, format!("a member joins two nodes, found {}", nodes.value.len()), "name two nodes");
        return None;
    };
    let (a, b) = (context.node(a), context.node(b));
    Some([a?, b?])
}

/// Distance of the two nodes.
fn length(context: &Context<'_>, table: &Table<'_>) -> Option<f64> {
    let [a, b] = ends(context, table)?.map(|n| context.nodes[n].at);
    let length = (0..3).map(|i| (b[i] - a[i]).powi(2)).sum::<f64>().sqrt();
    if length == 0.0 {
        beam_error(context, table.place(&NODES), interfield_kernel::element::beam::BeamError::ZeroLength);
    }
    (length > 0.0).then_some(length)
}

/// A beam-column.
pub(super) fn member(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let nodes = ends(context, table);
    let section = table.read(&SECTION).and_then(|n| context.known.section(context, &n));
    let (by, passes) = (table.value(&FORMULATION).0, table.value(&PASSES));
    let kind = table.value(&TRANSFORMATION).0;
    let vecxz = vector(context, table);
    let offsets = offsets(context, table);
    let rule = rule(context, table, section);
    let (nodes, offsets) = (nodes?, offsets?);
    let space = nodes.iter().all(|&n| context.nodes[n].dofs.iter().any(|d| d.0 == "z"));
    let at: [[f64; 3]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|k| context.nodes[nodes[i]].at[k] + offsets[i][k]));
    let (length, axes) =
        local_axes(vecxz, at[0], at[1]).map_err(|e| beam_error(context, table.place(&NODES), e)).ok()?;
    let axes = if space { axes } else { plane_axes(at) };
    let rows = coordinates(context, table, nodes, offsets, axes, space)?;
    let rule = rule?(length)?;
    let formulation = match by {
        By::Displacement => Formulation::Displacement,
        By::Force => Formulation::Force { passes: passes as usize },
        By::ForceIterated => Formulation::ForceIterated { tolerance: CONVERGED, passes: PATIENCE },
    };
    let member = Member { length, rule, formulation };
    Some(frame(context, if space { Part::Space(member, kind) } else { Part::Plane(member, kind) }, rows))
}

fn vector(context: &Context<'_>, table: &Table<'_>) -> Option<[f64; 3]> {
    let v = table.read(&VECXZ)?;
    let vector = <[f64; 3]>::try_from(v.value.iter().map(|x| x.value).collect::<Vec<_>>()).ok();
    if vector.is_none() {
        context.error(v.span, "`vecxz` has three components", "write for example vecxz = [0, 0, 1]");
    }
    vector
}

/// `offsets`, or none.
fn offsets(context: &Context<'_>, table: &Table<'_>) -> Option<[[f64; 3]; 2]> {
    if !table.has(&OFFSETS) {
        return Some([[0.0; 3]; 2]);
    }
    let list = table.read(&OFFSETS)?;
    let vectors: Vec<[f64; 3]> =
        list.value.iter().map(|v| std::array::from_fn(|i| v.value.get(i).map_or(0.0, |x| x.value))).collect();
    let both = <[[f64; 3]; 2]>::try_from(vectors).ok();
    if both.is_none() {
        context.error(list.span, "`offsets` has two vectors", "write one for each end, in global axes");
    }
    both
}

/// The integration rule, once the length is known.
fn rule(context: &Context<'_>, table: &Table<'_>, section: Option<usize>) -> Option<impl FnOnce(f64) -> Option<Rule>> {
    let (points, along) = (table.value(&POINTS), table.value(&RULE).0);
    let (place, hinges) = (table.place(&HINGES), table.open(&HINGES));
    let hinged = hinges.map(|t| {
        let first = t.read(&FIRST).and_then(|n| context.known.section(context, &n));
        let second = t.read(&SECOND).and_then(|n| context.known.section(context, &n));
        let lengths = (t.read(&FIRST_LENGTH), t.read(&SECOND_LENGTH));
        t.finish();
        Some((first?, second?, [lengths.0?.value, lengths.1?.value]))
    });
    let span = table.place(&POINTS);
    let section = section?;
    Some(move |length: f64| match hinged {
        Some(hinges) => {
            let (first, second, lengths) = hinges?;
            if 4.0 * (lengths[0] + lengths[1]) >= length {
                let message = "these hinges are too long: a hinge takes four times its length of the member";
                context.error(place, message, "shorten them, or take points along the whole member");
                return None;
            }
            Some(Rule::hinges(lengths.map(|l| l / length), [first, section, second]))
        }
        None => {
            let rule = match along {
                Along::Lobatto => Rule::lobatto(points as usize, section),
                Along::Legendre => Rule::legendre(points as usize, section),
            };
            if rule.is_none() {
                context.error(span, "the rule `lobatto` has at least two points", "write points = 5");
            }
            rule
        }
    })
}

/// Local displacements of the ends of a member in the degrees of freedom of its nodes.
fn coordinates(
    context: &Context<'_>,
    table: &Table<'_>,
    nodes: [usize; 2],
    offsets: [[f64; 3]; 2],
    axes: [[f64; 3]; 3],
    space: bool,
) -> Option<Vec<Coordinate>> {
    let names: &[&str] = if space { &["x", "y", "z", "rx", "ry", "rz"] } else { &["x", "y", "rz"] };
    let mut rows = Vec::new();
    for (node, d) in nodes.into_iter().zip(offsets) {
        let dofs: Vec<Option<usize>> = names.iter().map(|n| context.dof_of(node, n, table.place(&NODES))).collect();
        let dofs: Vec<usize> = dofs.into_iter().collect::<Option<_>>()?;
        // Displacement of the end by each degree of freedom, in global axes: u + th x d.
        let translations: Vec<[f64; 3]> = match space {
            true => vec![
                [1.0, 0.0, 0.0],
                [0.0, 1.0, 0.0],
                [0.0, 0.0, 1.0],
                [0.0, -d[2], d[1]],
                [d[2], 0.0, -d[0]],
                [-d[1], d[0], 0.0],
            ],
            false => vec![[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-d[1], d[0], 0.0]],
        };
        let project = |row: &[f64; 3], x: &[f64; 3]| (0..3).map(|i| row[i] * x[i]).sum::<f64>();
        let nonzero = |list: Vec<(usize, f64)>| list.into_iter().filter(|c| c.1 != 0.0).collect::<Coordinate>();
        for row in &axes[..if space { 3 } else { 2 }] {
            rows.push(nonzero(dofs.iter().zip(&translations).map(|(&d, t)| (d, project(row, t))).collect()));
        }
        if space {
            for row in &axes {
                rows.push(nonzero((0..3).map(|i| (dofs[3 + i], row[i])).collect()));
            }
        } else {
            rows.push(vec![(dofs[2], 1.0)]);
        }
    }
    Some(rows)
}

/// An elastomeric bearing or a friction pendulum.
pub(super) fn bearing(context: &Context<'_>, table: &Table<'_>, info: &'static Info) -> Option<Kind> {
    let nodes = ends(context, table);
    let values = parameters(table, info, Dimension::FORCE, Dimension::LENGTH);
    let shear_distance = table.value(&SHEAR_DISTANCE);
    let named = |key: &Key<Text>, needs: Dimension| {
        let name = table.read(key)?;
        context.known.material(context, &name, needs)
    };
    let (axial, rotation) = (named(&AXIAL, Dimension::FORCE), named(&ROTATION, Dimension::MOMENT));
    let torsion = if table.has(&TORSION) { named(&TORSION, Dimension::MOMENT) } else { rotation };
    let nodes = nodes?;
    let space = nodes.iter().all(|&n| context.nodes[n].dofs.iter().any(|d| d.0 == "z"));
    let at = nodes.map(|n| context.nodes[n].at);
    let length = (0..3).map(|i| (at[1][i] - at[0][i]).powi(2)).sum::<f64>().sqrt();
    // Upright where both nodes are at one place.
    let up = if space { [0.0, 0.0, 1.0] } else { [0.0, 1.0, 0.0] };
    let top = if length > 0.0 { at[1] } else { std::array::from_fn(|i| at[0][i] + up[i]) };
    let axes = match space {
        true => local_axes(None, at[0], top).map_err(|e| beam_error(context, table.place(&NODES), e)).ok()?.1,
        false => plane_axes([at[0], top]),
    };
    let rows = coordinates(context, table, nodes, [[0.0; 3]; 2], axes, space)?;
    let v = values?;
    let shear = match info.name {
        "elastomeric-bearing" => {
            Shear::Elastomeric { stiffness: v[0], strength: v[1], linear: v[2], growing: v[3], exponent: v[4] }
        }
        _ => Shear::Pendulum { radius: v[0], stiffness: v[1], friction: v[2] },
    };
    let materials = [axial?, torsion?, rotation?, rotation?];
    Some(frame(context, Part::Bearing(Bearing { space, length, shear_distance, shear, materials }), rows))
}
