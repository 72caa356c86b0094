//! Members between two nodes: beams in the plane and in space, turned into constant matrices.

use std::ops::Range;

use interfield_kernel::element::beam::{BeamError, MassKind};
use interfield_kernel::element::beam2d::Beam2d;
use interfield_kernel::element::beam3d::{Beam3d, Release};
use interfield_kernel::element::info::Info;

use super::Context;
use super::elements::{NODES, parameters};
use crate::diag::Diagnostic;
use crate::key::*;
use crate::model::Kind;
use crate::reader::Table;
use crate::units::Dimension;

section! {
    /// Keys of beams; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    pub(super) MASS: Choice<(MassKind, &'static str)> =
        choice("mass", &[(MassKind::Consistent, "consistent"), (MassKind::Lumped, "lumped")], "Its mass.")
            .default("consistent").example("lumped");
    RELEASE: List<Text> = key("release", "End moments that are released (hinges).").example("[\"start\"]");
    pub(super) VECXZ: List<Number> = key("vecxz", "A vector in its local x-z plane.").example("[0, 0, 1]");
}

/// The ends of a member: positions, degrees of freedom, and where its nodes are named.
type Ends = ([[f64; 3]; 2], Vec<usize>, Range<usize>);

/// The two end nodes of a member and their degrees of freedom with these names.
fn member(context: &Context<'_>, table: &Table<'_>, names: &[&str]) -> Option<Ends> {
    let nodes = table.read(&NODES)?;
    let [a, b] = &nodes.value[..] else {
        context.error(
            nodes.span,
            format!("a member connects two nodes, found {}", nodes.value.len()),
            "name two \
            nodes",
        );
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

pub(super) fn beam_error(context: &Context<'_>, span: Range<usize>, e: BeamError) {
    let (message, help) = match e {
        BeamError::ZeroLength => {
            ("this member has no length", "its two nodes have the same position: correct `at` of one")
        }
        BeamError::Orientation => {
            ("`vecxz` is zero or parallel to the member", "give another vector in the local x-z plane")
        }
        BeamError::Mechanism => ("these releases make the member a mechanism", "release fewer moments"),
    };
    context.error(span, message, help);
}

/// Warns of a modulus or a density that no building material has: its unit is probably not the one meant.
fn check_material(context: &Context<'_>, table: &Table<'_>, e: f64, rho: f64) {
    let help = "check its unit: steel has 210 GPa and 7850 kg/m^3, concrete about 30 GPa and 2500 kg/m^3";
    let doubt = |key: &str, message: String| {
        context.diags.push(Diagnostic::warning(message, table.place(key)).help(help));
    };
    let shown = |x: f64, dim: Dimension| table.units().show(x, dim, 4);
    if !(1e8..=1e12).contains(&e) {
        doubt("E", format!("a modulus of {} does not fit any building material", shown(e, Dimension::STRESS)));
    }
    // Zero is a member without mass; floors may be smeared into the density of their beams.
    if rho != 0.0 && !(10.0..=1e5).contains(&rho) {
        doubt("rho", format!("a density of {} does not fit any building material", shown(rho, Dimension::DENSITY)));
    }
}

fn flatten<const N: usize>(a: &[[f64; N]; N]) -> Vec<f64> {
    a.iter().flatten().copied().collect()
}

pub(super) fn beam2d(context: &Context<'_>, table: &Table<'_>, info: &'static Info) -> Option<Kind> {
    let ends = member(context, table, &["x", "y", "rz"]);
    let values = parameters(table, info, Dimension::FORCE, Dimension::LENGTH);
    let released = releases(context, table, &["start", "end"]);
    let mass = table.value(&MASS).0;
    let ([a, b], dofs, span) = ends?;
    let values = values?;
    check_material(context, table, values[0], values[3]);
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

pub(super) fn beam3d(context: &Context<'_>, table: &Table<'_>, info: &'static Info) -> Option<Kind> {
    let ends = member(context, table, &["x", "y", "z", "rx", "ry", "rz"]);
    let values = parameters(table, info, Dimension::FORCE, Dimension::LENGTH);
    const RELEASES: [&str; 6] = ["start.rx", "start.ry", "start.rz", "end.rx", "end.ry", "end.rz"];
    let r = releases(context, table, &RELEASES);
    let orientation = table.read(&VECXZ).and_then(|v| {
        let xyz: Vec<f64> = v.value.iter().map(|x| x.value).collect();
        let vector = <[f64; 3]>::try_from(xyz).ok();
        if vector.is_none() {
            context.error(v.span, "`vecxz` has three components", "write for example vecxz = [0, 0, 1]");
        }
        vector
    });
    let mass = table.value(&MASS).0;
    let ([a, b], dofs, span) = ends?;
    let v = values?;
    check_material(context, table, v[0], v[6]);
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
pub(super) fn releases(context: &Context<'_>, table: &Table<'_>, allowed: &[&str]) -> Vec<bool> {
    let list = table.read(&RELEASE).map_or_else(Vec::new, |l| l.value);
    for item in &list {
        if !allowed.contains(&item.value.as_str()) {
            let message = format!("`{}` cannot be released", item.value);
            context.error(item.span.clone(), message, format!("allowed here: {}", allowed.join(", ")));
        }
    }
    allowed.iter().map(|a| list.iter().any(|l| l.value == *a)).collect()
}
