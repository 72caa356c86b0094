//! Joints of frames: panel zones, whose degrees of freedom follow each other.

use interfield_kernel::frame::part::Part;
use interfield_kernel::uniaxial::material::Material;

use super::Context;
use super::frames::{MATERIAL, frame};
use crate::key::*;
use crate::model::{Coordinate, Kind};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

section! {
    /// Keys of panel zones; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    COLUMNS: List<Text> = key("columns", "Its nodes at the ends of the columns.").required().example("[\"below\", \"above\"]");
    BEAMS: List<Text> = key("beams", "Its nodes at the ends of the beams.").required().example("[\"left\", \"right\"]");
    PANEL: Inner = table("panel", &DIMENSIONS, "Steel and dimensions of the panel, instead of a material.")
        .example("{ fy = \"350 MPa\", G = \"77 GPa\", column_depth = \"36 cm\", beam_depth = \"60 cm\", thickness = \"2 cm\" }");
}

section! {
    DIMENSIONS = ("panel", "panel = { ... }", "A steel panel of a column, after Krawinkler.");
    STRENGTH: Stress = key("fy", "Yield stress.").required().range(POSITIVE).example("350 MPa");
    SHEAR_MODULUS: Stress = key("G", "Shear modulus.").required().range(POSITIVE).example("77 GPa");
    COLUMN_DEPTH: Length = key("column_depth", "Depth of the column.").required().range(POSITIVE).example("36 cm");
    BEAM_DEPTH: Length = key("beam_depth", "Depth of the beams.").required().range(POSITIVE).example("60 cm");
    THICKNESS: Length = key("thickness", "Thickness of the panel, with doubler plates.").required().range(POSITIVE).example("2 cm");
    FLANGE_WIDTH: Length = key("flange_width", "Width of the flanges of the column.").range(NOT_NEGATIVE).default("0").example("37 cm");
    FLANGE_THICKNESS: Length = key("flange_thickness", "Their thickness.").range(NOT_NEGATIVE).default("0").example("3 cm");
    HARDENING: Pure = key("hardening", "Stiffness after four yield distortions, as a share of the first.").range(Allowed::Between(0.0, 1.0))
        .default("0.02").example("0.02");
}

/// A panel zone: a parallelogram of four rigid edges. The horizontal ones turn by the rotation of the columns, the vertical ones by that of
/// the beams; the difference is the distortion, on which the material acts. The first column and the first beam lead.
pub(super) fn panel_zone(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let nodes = |key: &Key<List<Text>>| {
        let list = table.read(key)?;
        let known: Option<Vec<(usize, Spanned<String>)>> =
            list.value.into_iter().map(|n| Some((context.node(&n)?, n))).collect();
        let known = known?;
        if !(1..=2).contains(&known.len()) {
            let message = format!("a panel zone has one or two nodes in `{}`, found {}", key.name, known.len());
            context.error(list.span, message, "name the nodes where the members meet the panel");
            return None;
        }
        Some(known)
    };
    let (columns, beams) = (nodes(&COLUMNS), nodes(&BEAMS));
    let material = law(context, table);
    let (columns, beams) = (columns?, beams?);
    let at = |n: usize| context.nodes[n].at;
    let centre = [at(columns[0].0)[0], at(beams[0].0)[1]];
    let reach =
        columns.iter().chain(&beams).map(|n| (0..2).map(|i| (at(n.0)[i] - centre[i]).abs()).fold(0.0, f64::max));
    let close = 1e-6 * reach.fold(0.0, f64::max);
    let off = |list: &[(usize, Spanned<String>)], axis: usize| {
        list.iter().find(|n| (at(n.0)[axis] - centre[axis]).abs() > close).map(|n| n.1.span.clone())
    };
    if let Some(span) = off(&columns, 0).or_else(|| off(&beams, 1)) {
        let help = "nodes of `columns` have one x, nodes of `beams` have one y; the panel is upright";
        context.error(span, "the nodes of this panel zone are not on its axes", help);
        return None;
    }
    let dof = |n: &(usize, Spanned<String>), name: &str| context.dof_of(n.0, name, n.1.span.clone());
    let [x, y] = [dof(&columns[0], "x")?, dof(&columns[0], "y")?];
    let (column, beam) = (dof(&columns[0], "rz")?, dof(&beams[0], "rz")?);
    let follow = |n: &(usize, Spanned<String>), name: &str, sum: Coordinate| {
        let sum = sum.into_iter().filter(|t| t.1 != 0.0).collect();
        context.joints.borrow_mut().push((dof(n, name)?, sum, n.1.span.clone()));
        Some(())
    };
    let below = at(columns[0].0)[1] - centre[1];
    for n in &columns[1..] {
        // The vertical edges lead from one column to the other.
        follow(n, "x", vec![(x, 1.0), (beam, below - (at(n.0)[1] - centre[1]))])?;
        follow(n, "y", vec![(y, 1.0)])?;
        follow(n, "rz", vec![(column, 1.0)])?;
    }
    for (i, n) in beams.iter().enumerate() {
        follow(n, "x", vec![(x, 1.0), (beam, below)])?;
        follow(n, "y", vec![(y, 1.0), (column, at(n.0)[0] - centre[0])])?;
        if i > 0 {
            follow(n, "rz", vec![(beam, 1.0)])?;
        }
    }
    let part = Part::Spring { material: material?, area: 1.0, length: 1.0 };
    Some(frame(context, part, vec![vec![(beam, 1.0), (column, -1.0)]]))
}

/// The moment of the panel over its distortion: a material, or Krawinkler's three lines.
fn law(context: &Context<'_>, table: &Table<'_>) -> Option<Material> {
    if table.has(&PANEL) == table.has(&MATERIAL) {
        let help = "write material = \"...\" (a moment), or panel = { fy = ..., ... }";
        context.error(table.span(), "a panel zone has either a material or the dimensions of its panel", help);
        return None;
    }
    let Some(t) = table.open(&PANEL) else {
        return context.known.material(context, &table.read(&MATERIAL)?, Dimension::MOMENT);
    };
    let (fy, g) = (t.read(&STRENGTH), t.read(&SHEAR_MODULUS));
    let (dc, db, tp) = (t.read(&COLUMN_DEPTH), t.read(&BEAM_DEPTH), t.read(&THICKNESS));
    let (bf, tf, hardening) = (t.value(&FLANGE_WIDTH), t.value(&FLANGE_THICKNESS), t.value(&HARDENING));
    t.finish();
    let [fy, g, dc, db, tp] = [fy?.value, g?.value, dc?.value, db?.value, tp?.value];
    // H. Krawinkler, Eng. J. AISC 15(3), 1978: shear yielding of the panel, then bending of the flanges until four times its distortion.
    let (yields, shear) = (fy / (3f64.sqrt() * g), 0.55 * fy * dc * tp);
    let full = shear * (1.0 + 3.0 * bf * tf * tf / (db * dc * tp));
    let last = full + hardening * shear / yields * 96.0 * yields;
    let line = [shear * db, yields, full * db, 4.0 * yields, last * db, 100.0 * yields];
    let other = line.map(|x| -x);
    let defaults = interfield_kernel::uniaxial::material::MATERIALS.iter().find(|m| m.name == "pinching")?.parameters;
    let values: Vec<f64> = line.into_iter().chain(other).collect();
    // Neither pinching nor damage.
    let rest = defaults[values.len()..]
        .iter()
        .map(|p| if p.name.starts_with("pinch") { 1.0 } else { p.default.unwrap_or(0.0) });
    let all: Vec<f64> = values.iter().copied().chain(rest).collect();
    Material::new("pinching", &all)
}
