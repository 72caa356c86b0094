//! Cross-sections: `[[cross-section]]`.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::ops::Range;

use interfield_kernel::frame::section::Section as CrossSection;
use interfield_kernel::frame::{Group, Resultant};
use interfield_kernel::uniaxial::elastic::Elastic;
use interfield_kernel::uniaxial::material::Material;

use super::Context;
use super::materials::{self, Acts};
use crate::diag::did_you_mean;
use crate::key::*;
use crate::model::{NamedMaterial, Outline, Sections};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

section! {
    /// A cross-section of members.
    pub(super) CROSS_SECTION = ("cross-section", "[[cross-section]]", "A cross-section of members: elastic, or of fibres.");
    SECTION_NAME: Text = key("name", "Its name.").required().example("column");
    FIBRES: Tables = tables("fibres", &FIBRE, "Its fibres, by shapes; elastic if absent.")
        .example("[{ shape = \"rectangle\", material = \"concrete\", from = [\"-20 cm\", \"-20 cm\"], to = [\"20 cm\", \"20 cm\"], divisions = [10, 1] }]");
    CENTROID: Flag = key("centroid", "Whether the member axis lies in the centroid of all fibre areas, instead of in the origin of \
        their positions.").default("false").example("true");
    TORSION: Rigidity = key("torsion", "Torsional rigidity G J, elastic beside the fibres.").range(NOT_NEGATIVE).default("0").example("200 kN*m^2");
    MODULUS: Stress = key("E", "Young's modulus of an elastic section.").range(POSITIVE);
    AREA: Area = key("A", "Area of an elastic section.").range(POSITIVE);
    ABOUT_Z: SecondMoment = key("Iz", "Second moment of area about the local z axis, elastic section.").range(POSITIVE);
    ABOUT_Y: SecondMoment = key("Iy", "Second moment of area about the local y axis, elastic section in space.").range(POSITIVE);
    SHEAR_MODULUS: Stress = key("G", "Shear modulus, with `Ay` or `Az`.").range(POSITIVE).example("77 GPa");
    SHEAR_Y: Area = key("Ay", "Shear area along the local y axis; members of this section then deform in shear, elastically.")
        .range(POSITIVE).example("50 cm^2");
    SHEAR_Z: Area = key("Az", "The same along the local z axis, in space.").range(POSITIVE).example("50 cm^2");
    RESULTANTS: Inner = table("resultants", &RESULTANT, "Materials of single forces of the section, each by its own deformation: shear or \
        torsion beside fibres, or all forces of a section without fibres.").example("{ Vy = \"shear\" }");
}

section! {
    RESULTANT = ("resultants", "resultants = { ... }", "Forces of a section that follow materials of their own, uncoupled.");
    AXIAL: Text = key("N", "Axial force over the strain; `acts = \"section-force\"`.").example("axial");
    BENDING_Z: Text = key("Mz", "Moment about the local z axis over the curvature; `acts = \"section-moment\"`.").example("bending");
    BENDING_Y: Text = key("My", "Moment about the local y axis over the curvature.").example("bending");
    TWISTING: Text = key("T", "Torque over the twist.").example("torque");
    SHEARING_Y: Text = key("Vy", "Shear force along the local y axis over the shear strain.").example("shear");
    SHEARING_Z: Text = key("Vz", "Shear force along the local z axis over the shear strain.").example("shear");
}

/// The keys of the resultants in their order, with what their materials give.
const COMPONENTS: [(&Key<Text>, Acts); 6] = [
    (&AXIAL, Acts::SectionForce),
    (&BENDING_Z, Acts::SectionMoment),
    (&BENDING_Y, Acts::SectionMoment),
    (&TWISTING, Acts::SectionMoment),
    (&SHEARING_Y, Acts::SectionForce),
    (&SHEARING_Z, Acts::SectionForce),
];

section! {
    /// Fibres of a cross-section.
    FIBRE = ("fibre", "{ shape = ... }", "Fibres of one material, spread over a shape. Positions are [y, z] in local axes.");
    SHAPE: Choice<(Shape, &'static str)> = choice("shape", &[(Shape::Rectangle, "rectangle"), (Shape::Quadrilateral, "quadrilateral"),
        (Shape::Ring, "ring"), (Shape::WideFlange, "wide-flange"), (Shape::Line, "line"), (Shape::Arc, "arc"), (Shape::Point, "point")],
        "A patch (rectangle, quadrilateral, ring), an I of three rectangles (wide-flange), bars (line, arc), or one fibre (point).")
        .required().example("rectangle");
    OF: Text = key("material", "Its material.").required().example("steel");
    FROM: List<Length> = key("from", "First corner of a rectangle; first bar of a line.").example("[\"-20 cm\", \"-20 cm\"]");
    TO: List<Length> = key("to", "Opposite corner; last bar.").example("[\"20 cm\", \"20 cm\"]");
    CORNERS: List<List<Length>> = key("corners", "Corners of a quadrilateral, counter-clockwise.")
        .example("[[0, 0], [\"1 m\", 0], [\"1 m\", \"1 m\"], [0, \"1 m\"]]");
    DIVISIONS: List<Count> = key("divisions", "Cells along y and z; of a ring around and across; of a wide-flange over the web and through \
        the thickness of each flange.").example("[10, 1]");
    DEPTH: Length = key("depth", "Depth of a wide-flange, along y.").range(POSITIVE).example("300 mm");
    WIDTH: Length = key("width", "Width of its flanges.").range(POSITIVE).example("150 mm");
    WEB: Length = key("web", "Thickness of its web.").range(POSITIVE).example("7.1 mm");
    FLANGE: Length = key("flange", "Thickness of its flanges.").range(POSITIVE).example("10.7 mm");
    ACROSS: Count = key("across", "Cells over the width of its flanges; more than one for bending about the local y axis.").range(from(1.0))
        .default("1").example("8");
    CENTRE: List<Length> = key("centre", "Centre of a ring or an arc.").default("[0, 0]").example("[0, 0]");
    INNER: Length = key("inner", "Inner radius of a ring.").range(NOT_NEGATIVE).default("0").example("10 cm");
    OUTER: Length = key("outer", "Outer radius of a ring.").range(POSITIVE).example("25 cm");
    RADIUS: Length = key("radius", "Radius of an arc of bars.").range(POSITIVE).example("20 cm");
    START: Angle = key("start", "First angle, from y towards z.").default("0 deg").example("0 deg");
    END: Angle = key("end", "Last angle.").default("360 deg").example("180 deg");
    BARS: Count = key("bars", "Number of bars.").range(from(1.0)).example("3");
    BAR: Area = key("area", "Area of each bar, or of the fibre.").range(POSITIVE).example("490 mm^2");
    AT: List<Length> = key("at", "Position of one fibre.").example("[\"10 cm\", 0]");
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Rectangle,
    Quadrilateral,
    Ring,
    WideFlange,
    Line,
    Arc,
    Point,
}

/// Materials and cross-sections by their names; `None` where one was named and could not be read.
#[derive(Default)]
pub(super) struct Known {
    materials: materials::ByName,
    cross_sections: BTreeMap<String, Option<usize>>,
    pub(super) sections: Sections,
}

impl Known {
    /// Reads all materials, then all cross-sections.
    pub(super) fn read(context: &Context<'_>, root: &Table<'_>) -> Self {
        let mut known = Known::default();
        known.materials = materials::read(context, root, &mut known.sections);
        let good = known.materials.iter().filter_map(|(name, m)| Some((name, (*m)?)));
        let named = |(name, (material, acts)): (&String, (Material, Acts))| {
            let (_, force, disp) = acts.says();
            NamedMaterial { name: name.clone(), material, gives: [force, disp] }
        };
        known.sections.named = good.map(named).collect();
        for table in root.all(&super::CROSS_SECTION) {
            let name = table.read(&SECTION_NAME);
            let section = known.cross_section(context, &table);
            if let Some(name) = name {
                declare(context, &name, known.cross_sections.contains_key(&name.value));
                known.sections.names.resize(known.sections.sections.len(), name.value.clone());
                known.cross_sections.insert(name.value, section);
            }
            table.finish();
        }
        known
    }

    /// The material of this name that gives a stress (or else a force or a moment, as its use needs).
    pub(super) fn material(&self, context: &Context<'_>, name: &Spanned<String>, needs: Dimension) -> Option<Material> {
        let acts = [Acts::Stress, Acts::Force].into_iter().find(|a| a.says().1 == needs).unwrap_or(Acts::Moment);
        self.acting(context, name, acts)
    }

    fn acting(&self, context: &Context<'_>, name: &Spanned<String>, needs: Acts) -> Option<Material> {
        let (material, acts) = find(context, name, &self.materials, "material", "[[material]]")?;
        if acts != needs {
            let (given, wanted) = (acts.says().0, needs.says().0);
            let message = format!("the material `{}` gives a {given}, and a {wanted} is needed here", name.value);
            let help = format!("write acts = \"{wanted}\" in the material, with units to match");
            context.error(name.span.clone(), message, help);
            return None;
        }
        Some(material)
    }

    /// Number of the cross-section of this name.
    pub(super) fn section(&self, context: &Context<'_>, name: &Spanned<String>) -> Option<usize> {
        find(context, name, &self.cross_sections, "cross-section", "[[cross-section]]")
    }

    fn cross_section(&mut self, context: &Context<'_>, table: &Table<'_>) -> Option<usize> {
        let torsion = table.value(&TORSION);
        let centroid = table.value(&CENTROID);
        let beside = self.beside(context, table);
        let alone = table.has(&RESULTANTS) && !table.has(&FIBRES) && !table.has(&MODULUS);
        let inside = if table.has(&FIBRES) {
            let fibres = self.fibres(context, table, centroid);
            Some(fibres.map(|(first, count)| CrossSection::Fibres { first, count, torsion })?)
        } else if alone {
            None
        } else {
            Some(elastic(table, torsion)?)
        };
        let beside = beside?;
        // What fibres or an elastic section give already.
        let given = |c: usize| !alone && (c < 3 || (c == 3 && torsion > 0.0));
        if let Some(twice) = beside.iter().find(|r| given(r.component)) {
            let name = COMPONENTS[twice.component].0.name;
            let message = format!("`{name}` has a material of its own and is also a force of this section without it");
            let help = "remove it from `resultants` (or `torsion`), or give all forces of the section by `resultants`";
            context.error(table.place(&RESULTANTS), message, help);
            return None;
        }
        let of = |c: usize| beside.iter().any(|r| r.component == c);
        if alone && !(of(0) && of(1)) {
            let help = "write resultants = { N = \"...\", Mz = \"...\" }, in space also My and T; or add `fibres`";
            context.error(table.place(&RESULTANTS), "a section needs an axial force and a moment", help);
            return None;
        }
        let sections = &mut self.sections;
        let inside = inside.map(|section| {
            sections.sections.push(section);
            sections.sections.len() - 1
        });
        if !beside.is_empty() {
            let (first, count) = (sections.resultants.len(), beside.len());
            sections.resultants.extend(beside);
            sections.sections.push(CrossSection::With { inside, first, count });
        }
        Some(sections.sections.len() - 1)
    }

    /// Forces with materials of their own: `Ay`, `Az`, `resultants`.
    fn beside(&self, context: &Context<'_>, table: &Table<'_>) -> Option<Vec<Resultant>> {
        let modulus = table.read(&SHEAR_MODULUS);
        let mut list = Vec::new();
        for (component, key) in [(4, &SHEAR_Y), (5, &SHEAR_Z)] {
            let Some(area) = table.read(key) else { continue };
            let Some(modulus) = &modulus else {
                context.error(area.span, format!("`{}` needs a shear modulus", key.name), "write G = \"77 GPa\"");
                return None;
            };
            let stiffness = modulus.value * area.value;
            list.push(Resultant {
                component,
                material: Material::Elastic(Elastic { e: stiffness, compression: stiffness }),
            });
        }
        if let (Some(modulus), true) = (&modulus, list.is_empty()) {
            let help = "write the shear area as `Ay` (and `Az` in space); torsion has its own rigidity `torsion`";
            context.error(modulus.span.clone(), "`G` has no effect without a shear area", help);
            return None;
        }
        let Some(t) = table.open(&RESULTANTS) else { return Some(list) };
        let mut good = true;
        for (component, (key, acts)) in COMPONENTS.into_iter().enumerate() {
            let Some(name) = t.read(key) else { continue };
            match self.acting(context, &name, acts) {
                Some(_) if list.iter().any(|r| r.component == component) => {
                    let message = format!("the shear force `{}` is given twice", key.name);
                    context.error(name.span, message, "remove it here, or the shear area");
                    good = false;
                }
                Some(material) => list.push(Resultant { component, material }),
                None => good = false,
            }
        }
        t.finish();
        good.then_some(list)
    }

    /// Reads the fibres of a section; the range of its groups, one for each material.
    fn fibres(&mut self, context: &Context<'_>, table: &Table<'_>, centroid: bool) -> Option<(usize, usize)> {
        let mut by_material: Vec<(String, Material, Vec<Fibre>)> = Vec::new();
        let mut listed = 0;
        let (mut good, tables) = (true, table.all(&FIBRES));
        if tables.is_empty() {
            context.error(
                table.place(&FIBRES),
                "this section has no fibres",
                "list at least one shape, or remove `fibres`",
            );
            return None;
        }
        for t in tables {
            let name = t.read(&OF);
            let material = name.as_ref().and_then(|n| self.material(context, n, Dimension::STRESS));
            let list = fibres_of(context, &t);
            t.finish();
            let (Some(name), Some(material), Some(list)) = (name, material, list) else {
                good = false;
                continue;
            };
            let count = list.len();
            let list = list.into_iter().enumerate().map(move |(i, fibre)| Fibre { number: listed + i + 1, ..fibre });
            listed += count;
            match by_material.iter_mut().find(|m| m.0 == name.value) {
                Some(known) => known.2.extend(list),
                None => by_material.push((name.value, material, list.collect())),
            }
        }
        if !good {
            return None;
        }
        let all = || by_material.iter().flat_map(|m| &m.2);
        let total: f64 = all().map(|f| f.area).sum();
        let mean = |axis: usize| if centroid { all().map(|f| f.area * f.at[axis]).sum::<f64>() / total } else { 0.0 };
        let (y0, z0) = (mean(0), mean(1));
        let first = self.sections.groups.len();
        for (name, material, list) in by_material {
            self.sections.groups.push(Group { material, first: self.sections.y.len(), count: list.len() });
            self.sections.materials.push(name);
            for Fibre { number, at: [y, z], area, mut outline } in list {
                self.sections.y.push(y - y0);
                self.sections.z.push(z - z0);
                self.sections.area.push(area);
                outline.iter_mut().for_each(|p| *p = [p[0] - y0, p[1] - z0]);
                self.sections.outlines.push(outline);
                self.sections.numbers.push(number);
            }
        }
        Some((first, self.sections.groups.len() - first))
    }
}

/// Checks a name that a table gives to what it describes.
pub(super) fn declare(context: &Context<'_>, name: &Spanned<String>, taken: bool) {
    context.check_name(&name.value, name.span.clone());
    if taken {
        let message = format!("`{}` is there twice", name.value);
        context.error(name.span.clone(), message, "give one of them another name");
    }
}

/// What has this name, if it could be read.
pub(super) fn find<T: Copy>(
    context: &Context<'_>,
    name: &Spanned<String>,
    among: &BTreeMap<String, Option<T>>,
    what: &str,
    written: &str,
) -> Option<T> {
    let found = among.get(&name.value);
    if found.is_none() {
        let help = did_you_mean(&name.value, among.keys().map(String::as_str))
            .unwrap_or_else(|| format!("write a {written} with this name"));
        context.error(name.span.clone(), format!("there is no {what} `{}`", name.value), help);
    }
    *found?
}

fn elastic(table: &Table<'_>, torsion: f64) -> Option<CrossSection> {
    let (e, a, iz) = (table.read_required(&MODULUS), table.read_required(&AREA), table.read_required(&ABOUT_Z));
    let iy = table.read(&ABOUT_Y).map_or(0.0, |i| i.value);
    let (e, a, iz) = (e?.value, a?.value, iz?.value);
    Some(CrossSection::Elastic([e * a, e * iz, e * iy, torsion]))
}

/// Two numbers.
fn pair<T: Copy>(context: &Context<'_>, list: Option<Spanned<Vec<Spanned<T>>>>, key: &str) -> Option<[T; 2]> {
    let list = list?;
    let values: Vec<T> = list.value.iter().map(|x| x.value).collect();
    let pair = <[T; 2]>::try_from(values).ok();
    if pair.is_none() {
        context.error(list.span, format!("`{key}` has two numbers"), "first along y, then along z");
    }
    pair
}

/// A fibre: its number in the section, its position (y, z), its area, and what it covers.
struct Fibre {
    number: usize,
    at: [f64; 2],
    area: f64,
    outline: Outline,
}

impl Fibre {
    /// A bar.
    fn bar(at: [f64; 2], area: f64) -> Self {
        Fibre { number: 0, at, area, outline: Outline::new() }
    }
}

/// Fibres of a shape.
fn fibres_of(context: &Context<'_>, t: &Table<'_>) -> Option<Vec<Fibre>> {
    let shape = t.read(&SHAPE)?.value.0;
    let point = |key: &Key<List<Length>>| pair(context, t.read_required(key), key.name);
    let centre = || if t.has(&CENTRE) { pair(context, t.read(&CENTRE), "centre") } else { Some([0.0; 2]) };
    let cells = || {
        let cells = pair(context, t.read_required(&DIVISIONS), "divisions")?;
        let good = cells.iter().all(|n| (1..=1000).contains(n));
        if !good {
            context.error(t.place(&DIVISIONS), "a shape has 1 to 1000 divisions each way", "write for example [10, 1]");
        }
        good.then_some(cells.map(|n| n as f64))
    };
    match shape {
        Shape::Rectangle => {
            let (a, b, n) = (point(&FROM), point(&TO), cells());
            let ([y0, z0], [y1, z1], n) = (a?, b?, n?);
            checked(context, t, patch([[y0, z0], [y1, z0], [y1, z1], [y0, z1]], n), &TO)
        }
        Shape::Quadrilateral => {
            let corners = t.read_required(&CORNERS);
            let n = cells();
            let corners = corners?;
            let list: Vec<[f64; 2]> =
                corners.value.into_iter().filter_map(|c| pair(context, Some(c), "a corner")).collect();
            let Ok(corners) = <[[f64; 2]; 4]>::try_from(list) else {
                context.error(corners.span, "a quadrilateral has four corners", "name them counter-clockwise");
                return None;
            };
            checked(context, t, patch(corners, n?), &CORNERS)
        }
        Shape::Ring => {
            let (c, outer, n) = (centre(), t.read_required(&OUTER), cells());
            let (inner, a0, a1) = (t.value(&INNER), t.value(&START), end(t));
            let (c, outer, n) = (c?, outer?, n?);
            if inner >= outer.value {
                context.error(outer.span, "`outer` must be greater than `inner`", "a ring lies between two radii");
                return None;
            }
            Some(ring(c, [inner, outer.value], [a0, a1], n))
        }
        Shape::WideFlange => {
            let lengths = [&DEPTH, &WIDTH, &WEB, &FLANGE].map(|key| t.read_required(key));
            let (n, across) = (cells(), t.value(&ACROSS));
            let [depth, width, web, flange] = lengths;
            let (depth, width, web, flange) = (depth?, width?.value, web?, flange?);
            if web.value > width || 2.0 * flange.value >= depth.value {
                let help = "`web` is at most `width`, and twice `flange` is less than `depth`";
                context.error(depth.span, "this wide-flange has no room for its web", help);
                return None;
            }
            Some(wide_flange([depth.value, width, web.value, flange.value], n?, across as f64))
        }
        Shape::Line | Shape::Arc => {
            let (n, area) = (t.read_required(&BARS), t.read_required(&BAR));
            if shape == Shape::Line {
                let (a, b) = (point(&FROM), point(&TO));
                let (n, area, a, b) = (n?.value, area?.value, a?, b?);
                let at = |i: u64| if n == 1 { 0.5 } else { i as f64 / (n - 1) as f64 };
                let fibre = |i: u64| [0, 1].map(|k| a[k] + at(i) * (b[k] - a[k]));
                return Some((0..n).map(fibre).map(|at| Fibre::bar(at, area)).collect());
            }
            let (c, radius) = (centre(), t.read_required(&RADIUS));
            let (a0, a1) = (t.value(&START), end(t));
            let (n, area, c, radius) = (n?.value, area?.value, c?, radius?.value);
            // Around a full circle the last bar would be the first.
            let whole = ((a1 - a0).abs() - TAU).abs() < 1e-9;
            let steps = if whole || n == 1 { n } else { n - 1 } as f64;
            let bar = |i: u64| a0 + (a1 - a0) * i as f64 / steps;
            let at = |a: f64| [c[0] + radius * a.cos(), c[1] + radius * a.sin()];
            Some((0..n).map(bar).map(|a| Fibre::bar(at(a), area)).collect())
        }
        Shape::Point => {
            let (at, area) = (point(&AT), t.read_required(&BAR));
            let (at, area) = (at?, area?.value);
            Some(vec![Fibre::bar(at, area)])
        }
    }
}

fn end(t: &Table<'_>) -> f64 {
    t.read(&END).map_or(TAU, |a| a.value)
}

/// Fibres whose areas are positive; says where they are not.
fn checked<K>(context: &Context<'_>, t: &Table<'_>, list: Vec<Fibre>, key: &Key<K>) -> Option<Vec<Fibre>> {
    let good = list.iter().all(|f| f.area > 0.0);
    if !good {
        let span: Range<usize> = t.place(key);
        context.error(
            span,
            "the fibres of this shape have no positive area",
            "go from the lower to the upper corner, or around counter-clockwise",
        );
    }
    good.then_some(list)
}

/// Cells of a quadrilateral: centroid and area of each.
fn patch([a, b, c, d]: [[f64; 2]; 4], [ny, nz]: [f64; 2]) -> Vec<Fibre> {
    let at = |s: f64, t: f64| {
        [0, 1].map(|k| (1.0 - s) * (1.0 - t) * a[k] + s * (1.0 - t) * b[k] + s * t * c[k] + (1.0 - s) * t * d[k])
    };
    let mut list = Vec::new();
    for j in 0..nz as usize {
        for i in 0..ny as usize {
            let (s, t) = (i as f64 / ny, j as f64 / nz);
            let (s1, t1) = ((i + 1) as f64 / ny, (j + 1) as f64 / nz);
            list.push(centroid([at(s, t), at(s1, t), at(s1, t1), at(s, t1)]));
        }
    }
    list
}

/// An I: web, and a flange above and below.
fn wide_flange([depth, width, web, flange]: [f64; 4], [over, through]: [f64; 2], across: f64) -> Vec<Fibre> {
    let part = |y0: f64, y1: f64, b: f64, n: [f64; 2]| {
        patch([[y0, -0.5 * b], [y1, -0.5 * b], [y1, 0.5 * b], [y0, 0.5 * b]], n)
    };
    let (outer, inner) = (0.5 * depth, 0.5 * depth - flange);
    let parts = [
        part(-outer, -inner, width, [through, across]),
        part(-inner, inner, web, [over, 1.0]),
        part(inner, outer, width, [through, across]),
    ];
    parts.into_iter().flatten().collect()
}

/// Centroid and area of a quadrilateral.
fn centroid(p: [[f64; 2]; 4]) -> Fibre {
    let (mut area, mut y, mut z) = (0.0, 0.0, 0.0);
    for i in 0..4 {
        let ([y0, z0], [y1, z1]) = (p[i], p[(i + 1) % 4]);
        let cross = y0 * z1 - y1 * z0;
        area += 0.5 * cross;
        y += (y0 + y1) * cross / 6.0;
        z += (z0 + z1) * cross / 6.0;
    }
    Fibre { number: 0, at: [y / area, z / area], area, outline: p.to_vec() }
}

/// Cells of a ring: centroid and area of each.
fn ring(centre: [f64; 2], [inner, outer]: [f64; 2], [a0, a1]: [f64; 2], [around, across]: [f64; 2]) -> Vec<Fibre> {
    let half = 0.5 * (a1 - a0) / around;
    let mut list = Vec::new();
    for j in 0..across as usize {
        let radius = |j: usize| inner + (outer - inner) * j as f64 / across;
        let (r0, r1) = (radius(j), radius(j + 1));
        let squares = r1 * r1 - r0 * r0;
        let mean = 2.0 / 3.0 * (r1.powi(3) - r0.powi(3)) / squares * half.sin() / half;
        for i in 0..around as usize {
            let a = a0 + (2 * i + 1) as f64 * half;
            let place = |r: f64, a: f64| [centre[0] + r * a.cos(), centre[1] + r * a.sin()];
            // Along its two arcs, one point for ten degrees at least.
            let pieces = (2.0 * half.abs() / 10f64.to_radians()).ceil().max(1.0);
            let along = |k: usize| a - half + 2.0 * half * k as f64 / pieces;
            let outer = (0..=pieces as usize).map(|k| place(r1, along(k)));
            let inner = (0..=pieces as usize).rev().map(|k| place(r0, along(k)));
            list.push(Fibre {
                number: 0,
                at: place(mean, a),
                area: half * squares,
                outline: outer.chain(inner).collect(),
            });
        }
    }
    list
}
