//! Members of nonlinear frames, bars, and materials as springs.

use std::sync::Arc;

use interfield_kernel::element::beam::{BeamError, MassKind};
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release, local_axes};
use interfield_kernel::element::info::Info;
use interfield_kernel::frame::bearing::{Bearing, Shear};
use interfield_kernel::frame::member::{Formulation, Member};
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::rule::{Hinges, POINTS as MOST_POINTS, Rule};
use interfield_kernel::frame::slider::{Friction, Slider};
use interfield_kernel::frame::transformation::Transformation;
use interfield_kernel::frame::triple::Triple;

use super::Context;
use super::elements::{NODES, difference, parameters};
use super::members::{MASS, VECXZ, beam_error, releases};
use crate::key::*;
use crate::model::{Coordinate, FramePart, Kind};
use crate::reader::Table;
use crate::units::Dimension;

section! {
    /// Keys of members; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    pub(super) MATERIAL: Text = key("material", "Its material.").required().example("steel");
    AREA: Area = key("area", "Its area.").required().range(POSITIVE).example("20 cm^2");
    pub(super) SECTION: Text = key("cross_section", "Its cross-section.").example("column");
    FORMULATION: Choice<(By, &'static str)> = choice("formulation", &[(By::Force, "force"), (By::ForceIterated, "force-iterated"),
        (By::Displacement, "displacement")], "How its forces are found.").default("force").example("displacement");
    PASSES: Count = key("passes", "Evaluations of each section.").range(Allowed::Between(1.0, 100.0)).default("2").example("2");
    POINTS: Count = key("points", "Sections along it.").range(Allowed::Between(1.0, MOST_POINTS as f64)).default("5").example("5");
    RULE: Choice<(Along, &'static str)> = choice("rule", &[(Along::Lobatto, "lobatto"), (Along::Legendre, "legendre"),
        (Along::Radau, "radau"), (Along::NewtonCotes, "newton-cotes"), (Along::Trapezoidal, "trapezoidal")],
        "Where its sections stand.").default("lobatto").example("legendre");
    SECTIONS: Tables = tables("sections", &STATION, "Its sections one by one, instead of a rule.")
        .example("[{ at = 0, weight = 0.5, cross_section = \"a\" }, { at = 1, weight = 0.5, cross_section = \"b\" }]");
    MASS_PER_LENGTH: MassPerLength = key("mass_per_length", "Its mass per length.").range(NOT_NEGATIVE).example("200 kg/m");
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
    HINGE_RULE: Choice<(Hinges, &'static str)> = choice("rule", &[(Hinges::Radau, "radau"), (Hinges::TwoRadau, "two-radau"),
        (Hinges::Midpoint, "midpoint"), (Hinges::Endpoint, "endpoint")], "How hinges are integrated: modified Gauss-Radau (exact for elastic \
        members), two points of Gauss-Radau in each hinge, one in its middle, or one at the end.").default("radau").example("midpoint");
}

section! {
    STATION = ("member-section", "{ at = ... }", "A section of a member.");
    STATION_AT: Pure = key("at", "Its position, from 0 at the start to 1 at the end.").required().range(Allowed::Between(0.0, 1.0)).example("0.5");
    WEIGHT: Pure = key("weight", "The share of the length that belongs to it.").required().range(POSITIVE).example("0.2");
    STATION_SECTION: Text = key("cross_section", "Its cross-section.").required().example("column");
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
    Radau,
    NewtonCotes,
    Trapezoidal,
}

pub(super) fn frame(context: &Context<'_>, part: Part, coordinates: Vec<Coordinate>) -> Kind {
    let sections = Arc::clone(&context.sections);
    Kind::Frame {
        frame: Box::new(FramePart { part, sections, load: [0.0; 3], mass: Vec::new(), rest: Arc::new([]) }),
        coordinates,
    }
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
    let formulation = formulation(table);
    let kind = table.value(&TRANSFORMATION).0;
    let vecxz = vector(context, table);
    let offsets = offsets(context, table);
    let rule = rule(context, table);
    let (line_mass, mass) = (table.read(&MASS_PER_LENGTH), table.value(&MASS).0);
    let space = nodes.is_some_and(|nodes| nodes.iter().all(|&n| context.nodes[n].dofs.iter().any(|d| d.0 == "z")));
    let released = released(context, table, space);
    let (nodes, offsets) = (nodes?, offsets?);
    let at: [[f64; 3]; 2] =
        std::array::from_fn(|i| std::array::from_fn(|k| context.nodes[nodes[i]].at[k] + offsets[i][k]));
    let (length, axes) = axes(context, table, nodes, at, vecxz.filter(|_| space))?;
    let rows = coordinates(context, table, nodes, offsets, if space { axes } else { plane_axes(at) }, space)?;
    let rule = rule?(length)?;
    let sheared = sound(context, table, &rule, space)?;
    let refused = if sheared {
        Some("a section with shear needs a force-based member: a displacement-based one would ignore its shear")
    } else {
        released.contains(&true).then_some("released moments need a force-based member")
    };
    if let (Formulation::Displacement, Some(message)) = (formulation, refused) {
        context.error(table.place(&FORMULATION), message, "write formulation = \"force\"");
        return None;
    }
    let member = Member { length, rule, formulation, sheared, released };
    let mut element = frame(context, if space { Part::Space(member, kind) } else { Part::Plane(member, kind) }, rows);
    if let (Some(line_mass), Kind::Frame { frame, .. }) = (line_mass.filter(|m| m.value > 0.0), &mut element) {
        frame.mass = inertia(line_mass.value, length, mass, space);
    }
    Some(element)
}

fn formulation(table: &Table<'_>) -> Formulation {
    let (by, passes) = (table.value(&FORMULATION).0, table.value(&PASSES));
    match by {
        By::Displacement => Formulation::Displacement,
        By::Force => Formulation::Force { passes: passes as usize },
        By::ForceIterated => Formulation::ITERATED,
    }
}

/// Length and axes of a member between its ends, which lie at `at`.
fn axes(
    context: &Context<'_>,
    table: &Table<'_>,
    nodes: [usize; 2],
    at: [[f64; 3]; 2],
    vecxz: Option<[f64; 3]>,
) -> Option<(f64, [[f64; 3]; 3])> {
    let between = |[a, b]: [[f64; 3]; 2]| -> [f64; 3] { std::array::from_fn(|i| b[i] - a[i]) };
    let (whole, left) = (between(nodes.map(|n| context.nodes[n].at)), between(at));
    let along: f64 = (0..3).map(|i| whole[i] * left[i]).sum();
    let long = |x: [f64; 3]| x.iter().map(|x| x * x).sum::<f64>();
    // Ends that have passed each other, or meet.
    if table.has(&OFFSETS) && long(whole) > 0.0 && (along <= 0.0 || long(left) < 1e-18 * long(whole)) {
        let message = "the offsets leave nothing of this member";
        context.error(table.place(&OFFSETS), message, "make them shorter than the distance of the two nodes");
        return None;
    }
    let error = |e: BeamError| {
        let place = if e == BeamError::Orientation { table.place(&VECXZ) } else { table.place(&NODES) };
        beam_error(context, place, e);
    };
    local_axes(vecxz, at[0], at[1]).map_err(error).ok()
}

/// `release`: basic forces that the ends do not carry, in the order of the basic forces of a member.
fn released(context: &Context<'_>, table: &Table<'_>, space: bool) -> [bool; 6] {
    let allowed: &[&str] =
        if space { &["start.rz", "end.rz", "start.ry", "end.ry", "start.rx", "end.rx"] } else { &["start", "end"] };
    let list = releases(context, table, allowed);
    let of = |i: usize| list.get(i).copied().unwrap_or(false);
    // Torsion is one force: released at one end, it is released at both.
    let torsion = of(4) || of(5);
    [false, of(0), of(1), of(2), of(3), torsion]
}

/// Mass of a member over its coordinates.
fn inertia(line_mass: f64, length: f64, mass: MassKind, space: bool) -> Vec<f64> {
    if space {
        let release = [Release::default(); 2];
        let (e, g, iy, iz, j) = (1.0, 1.0, 0.0, 0.0, 0.0);
        let beam = Beam3d { e, g, area: 1.0, iy, iz, j, rho: line_mass, orientation: None, release, mass };
        beam.matrices([0.0; 3], [length, 0.0, 0.0]).map_or_else(|_| Vec::new(), |m| m.m.concat())
    } else {
        let beam = Beam2d { e: 1.0, area: 1.0, i: 0.0, rho: line_mass, release: [false; 2], mass };
        beam.matrices([0.0; 2], [length, 0.0]).map_or_else(|_| Vec::new(), |m| m.m.concat())
    }
}

/// Whether the sections of a member can carry what members carry; says what they cannot. Whether they deform in shear.
fn sound(context: &Context<'_>, table: &Table<'_>, rule: &Rule, space: bool) -> Option<bool> {
    let sections = &context.sections;
    let tables = sections.tables();
    let used = &rule.section[..rule.count];
    let sheared = |s: usize| tables.sections[s].is_sheared(&tables);
    let any = used.iter().any(|&s| sheared(s));
    for (_, &s) in used.iter().enumerate().filter(|(i, s)| !used[..*i].contains(s)) {
        let name = sections.names.get(s).map_or("", String::as_str);
        if any && !sheared(s) {
            let message = format!("the cross-section `{name}` has no shear, others of this member have");
            context.error(member_place(table), message, "give every section of the member a shear area `Ay`, or none");
            return None;
        }
        let missing = match (space, any) {
            (false, false) => weak(&tables.sections[s].at_rest::<2>(&tables)),
            (false, true) => weak(&tables.sections[s].at_rest::<3>(&tables)),
            (true, false) => weak(&tables.sections[s].at_rest::<4>(&tables)),
            (true, true) => weak(&tables.sections[s].at_rest::<6>(&tables)),
        };
        if let Some(i) = missing {
            let (what, help) = weakness(if !space && i == 2 { 4 } else { i });
            let message = format!("the cross-section `{name}` has no {what}");
            context.error(member_place(table), message, help);
            return None;
        }
    }
    Some(any)
}

fn member_place(table: &Table<'_>) -> std::ops::Range<usize> {
    [SECTION.name, SECTIONS.name].into_iter().find_map(|key| table.glimpse(key)).unwrap_or_else(|| table.span())
}

/// What a section lacks that gives no such force, and what to do.
fn weakness(component: usize) -> (&'static str, &'static str) {
    match component {
        0 => ("stiffness along its axis", "give its fibres materials that are stiff at rest"),
        1 => (
            "bending stiffness about its local z axis",
            "its fibres lie on one line along z: place fibres at different y (first number of a position), or divide them along y",
        ),
        2 => (
            "bending stiffness about its local y axis",
            "its fibres lie on one line: place fibres at different z, or divide them along z; an elastic section needs `Iy`",
        ),
        3 => (
            "torsional stiffness",
            "members in space need it: write torsion = \"200 kN*m^2\" (G J) in the cross-section",
        ),
        4 => ("shear stiffness along its local y axis", "write `G` and `Ay`, or give `Vy` a material"),
        _ => ("shear stiffness along its local z axis", "write `G` and `Az`, or give `Vz` a material"),
    }
}

/// The first force of a section that has no stiffness of its own beside those before it.
fn weak<const N: usize>(k: &[[f64; N]; N]) -> Option<usize> {
    let mut a = *k;
    for i in 0..N {
        // What rounding leaves of the stiffness that is due to the others.
        if a[i][i].is_nan() || a[i][i] <= 1e-12 * k[i][i].abs() {
            return Some(i);
        }
        for j in i + 1..N {
            let f = a[j][i] / a[i][i];
            (i..N).for_each(|c| a[j][c] -= f * a[i][c]);
        }
    }
    None
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

/// The sections of a member with their positions and weights, once its length is known.
fn rule(context: &Context<'_>, table: &Table<'_>) -> Option<impl FnOnce(f64) -> Option<Rule>> {
    let (points, along) = (table.value(&POINTS), table.value(&RULE).0);
    let hinged = table.open(&HINGES).map(|t| hinges(context, t));
    let stations = table.has(&SECTIONS).then(|| stations(context, table));
    let section = table.has(&SECTION).then(|| table.read(&SECTION).and_then(|n| context.known.section(context, &n)));
    if stations.is_some() == section.is_some() {
        let message = "a member has either one `cross_section` or a list of `sections`";
        context.error(
            table.span(),
            message,
            "write cross_section = \"...\" with `points` and `rule`, or `sections` alone",
        );
        return None;
    }
    let (place, span) = (table.place(&HINGES), table.place(&POINTS));
    let section = section.unwrap_or(Some(0))?;
    Some(move |length: f64| {
        if let Some(stations) = stations {
            return stations;
        }
        if let Some(hinges) = hinged {
            let (kind, first, second, lengths) = hinges?;
            let shares = lengths.map(|l| l / length);
            if kind.reach(shares) >= 1.0 {
                let message = match kind {
                    Hinges::Radau => {
                        "these hinges are too long: with this rule a hinge takes four times its length of the member"
                    }
                    _ => "these hinges are longer than the member",
                };
                context.error(
                    place,
                    message,
                    "shorten them, choose another `rule` of hinges, or spread points along the whole member",
                );
                return None;
            }
            return Some(Rule::hinges(kind, shares, [first, section, second]));
        }
        let n = points as usize;
        let rule = match along {
            Along::Lobatto => Rule::lobatto(n, section),
            Along::Legendre => Rule::legendre(n, section),
            Along::Radau => Rule::radau(n, section),
            Along::NewtonCotes => Rule::newton_cotes(n, section),
            Along::Trapezoidal => Rule::trapezoidal(n, section),
        };
        if rule.is_none() {
            context.error(span, "this rule has at least two points", "write points = 5, or rule = \"legendre\"");
        }
        rule
    })
}

/// `hinges`: rule, sections and lengths.
fn hinges(context: &Context<'_>, t: Table<'_>) -> Option<(Hinges, usize, usize, [f64; 2])> {
    let first = t.read(&FIRST).and_then(|n| context.known.section(context, &n));
    let second = t.read(&SECOND).and_then(|n| context.known.section(context, &n));
    let lengths = (t.read(&FIRST_LENGTH), t.read(&SECOND_LENGTH));
    let kind = t.value(&HINGE_RULE).0;
    t.finish();
    Some((kind, first?, second?, [lengths.0?.value, lengths.1?.value]))
}

/// `sections`: positions, weights and sections one by one.
fn stations(context: &Context<'_>, table: &Table<'_>) -> Option<Rule> {
    let (mut points, mut good) = (Vec::new(), true);
    for t in table.all(&SECTIONS) {
        let (at, weight) = (t.read(&STATION_AT), t.read(&WEIGHT));
        let section = t.read(&STATION_SECTION).and_then(|n| context.known.section(context, &n));
        t.finish();
        match (at, weight, section) {
            (Some(at), Some(weight), Some(section)) => points.push((at.value, weight.value, section)),
            _ => good = false,
        }
    }
    if !good {
        return None;
    }
    let sum: f64 = points.iter().map(|p| p.1).sum();
    let rule = Rule::given(&points).filter(|_| (sum - 1.0).abs() < 1e-3);
    if rule.is_none() {
        let message = match points.len() {
            0 => "this member has no sections".to_owned(),
            n if n > MOST_POINTS => format!("a member has at most {MOST_POINTS} sections, found {n}"),
            _ => format!("the weights of its sections have the sum {sum}, not 1"),
        };
        context.error(
            table.place(&SECTIONS),
            message,
            "each weight is the share of the length that belongs to the section",
        );
    }
    rule
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
    let shear = shear(context, table, info.name, &values?)?;
    let materials = [axial?, torsion?, rotation?, rotation?];
    Some(frame(context, Part::Bearing(Bearing { space, length, shear_distance, shear, materials }), rows))
}

/// What carries the shear of a bearing, from the parameters of the catalogue.
fn shear(context: &Context<'_>, table: &Table<'_>, name: &str, v: &[f64]) -> Option<Shear> {
    let friction = |v: &[f64]| friction(context, table, v);
    Some(match name {
        "elastomeric-bearing" => {
            Shear::Elastomeric { stiffness: v[0], strength: v[1], linear: v[2], growing: v[3], exponent: v[4] }
        }
        "friction-pendulum" => {
            Shear::Slider(Slider { curvature: 1.0 / v[0], stiffness: v[1], friction: friction(&v[2..])? })
        }
        "flat-slider" => Shear::Slider(Slider { curvature: 0.0, stiffness: v[0], friction: friction(&v[1..])? }),
        _ => Shear::Triple(triple(context, table, v)?),
    })
}

/// Friction from its five parameters.
fn friction(context: &Context<'_>, table: &Table<'_>, v: &[f64]) -> Option<Friction> {
    let rate = v[2];
    let slow = if table.has("friction_slow") { v[1] } else { v[0] };
    if rate == 0.0 && (slow != v[0] || v[3] > 0.0) {
        let message = "friction changes with the velocity, and `rate` is missing";
        context.error(table.place("friction_slow"), message, "write for example rate = \"20 s/m\"");
        return None;
    }
    if v[3] > v[0] || (v[3] > 0.0) != (v[4] > 0.0) {
        let help = "`friction_drop` is at most `friction`, and needs the force `drop_force`";
        context.error(table.place("friction_drop"), "friction cannot become negative under pressure", help);
        return None;
    }
    Some(Friction { slow, fast: v[0], rate, drop: v[3], force: if v[4] > 0.0 { v[4] } else { 1.0 } })
}

/// A triple pendulum from its parameters.
fn triple(context: &Context<'_>, table: &Table<'_>, v: &[f64]) -> Option<Triple> {
    let or = |x: f64, other: f64| if x > 0.0 { x } else { other };
    let &[r1, r2, mu1, mu2, d1, d2, weight, r3, r4, mu4, d3, d4, yielding] = v else { return None };
    let r = [r1, r2, or(r3, r2), or(r4, r1)];
    let mu = [mu1, mu2, if table.has("mu4") { mu4 } else { mu1 }];
    let d = [d1, d2, or(d3, d2), or(d4, d1)];
    let mut good = true;
    let mut wrong = |key: &str, message: &str, help: &str| {
        context.error(table.place(key), message, help);
        good = false;
    };
    if r[1] >= r[0] || r[2] >= r[3] {
        wrong(
            "R2",
            "the inner surfaces must be more curved than the outer plates",
            "R1 and R4 are greater than R2 and R3",
        );
    }
    if mu[1] > mu[0] || mu[1] > mu[2] {
        wrong("mu2", "the inner surfaces must slide first", "their friction `mu2` is at most `mu1` and `mu4`");
    }
    good.then(|| Triple::new(r, mu, d, (yielding, weight)))
}
