//! Elements between two nodes at one place: materials along several directions, or a cross-section.

use interfield_kernel::frame::part::{DIRECTIONS, Part};
use interfield_kernel::uniaxial::material::Material;

use super::Context;
use super::elements::NODES;
use super::frames::{SECTION, frame};
use super::nodes::GROUND;
use crate::key::*;
use crate::model::{Coordinate, Kind};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

section! {
    /// Keys of elements without length; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    MATERIALS: List<Text> = key("materials", "Its materials.").required().example("[\"shear\", \"joint\"]");
    ALONG_WHAT: List<Text> = key("directions", "Local direction of each material.").required().example("[\"x\", \"rz\"]");
    ALONG: List<Pure> = key("along", "Its local x axis.").example("[0, 0, 1]");
    ACROSS: List<Pure> = key("across", "In its local xy plane.").example("[1, 0, 0]");
}

/// Distance up to which two nodes are at one place, m.
const NEAR: f64 = 1e-6;
const NAMES: [&str; DIRECTIONS] = ["x", "y", "z", "rx", "ry", "rz"];

/// Materials along several directions.
pub(super) fn springs(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let place = Place::read(context, table);
    let (materials, directions) = (table.read(&MATERIALS), table.read(&ALONG_WHAT));
    let (place, materials, directions) = (place?, materials?, directions?);
    let (n, m) = (materials.value.len(), directions.value.len());
    if n != m || n == 0 || n > DIRECTIONS {
        let message = format!("{n} materials for {m} directions");
        context.error(materials.span, message, "write one material for each direction, 1 to 6 of them");
        return None;
    }
    let mut parts = Vec::new();
    let mut rows: Vec<Coordinate> = Vec::new();
    for (i, (material, direction)) in materials.value.iter().zip(&directions.value).enumerate() {
        if directions.value[..i].iter().any(|d| d.value == direction.value) {
            let message = format!("direction `{}` is there twice", direction.value);
            let help = "combine two materials along one direction in a [[material]] of type = \"parallel\"";
            context.error(direction.span.clone(), message, help);
            return None;
        }
        let row = place.row(context, table, direction);
        let needs = if direction.value.starts_with('r') { Dimension::MOMENT } else { Dimension::FORCE };
        parts.push(context.known.material(context, material, needs));
        rows.push(row?);
    }
    let parts: Vec<Material> = parts.into_iter().collect::<Option<_>>()?;
    let materials = std::array::from_fn(|i| parts[i.min(n - 1)]);
    Some(frame(context, Part::Springs { materials, count: n }, rows))
}

/// A cross-section.
pub(super) fn slice(context: &Context<'_>, table: &Table<'_>) -> Option<Kind> {
    let place = Place::read(context, table);
    let name = table.read(&SECTION);
    let (place, name) = (place?, name?);
    let section = context.known.section(context, &name)?;
    let tables = context.sections.tables();
    if tables.sections[section].is_sheared(&tables) {
        let message = format!("the cross-section `{}` deforms in shear", name.value);
        let help = "a section between nodes at one place has no length to shear over: put the shear into a zero-length element";
        context.error(name.span, message, help);
        return None;
    }
    let directions: &[&str] = if place.space { &["x", "rz", "ry", "rx"] } else { &["x", "rz"] };
    let rows: Vec<Option<Coordinate>> = directions
        .iter()
        .map(|d| place.row(context, table, &Spanned::new((*d).to_owned(), table.place(&NODES))))
        .collect();
    let size = directions.len();
    Some(frame(context, Part::Slice { section, size }, rows.into_iter().collect::<Option<_>>()?))
}

/// Two nodes at one place and the local axes there.
struct Place {
    nodes: [usize; 2],
    space: bool,
    axes: [[f64; 3]; 3],
}

impl Place {
    fn read(context: &Context<'_>, table: &Table<'_>) -> Option<Self> {
        let nodes = table.read(&NODES);
        let vectors = [(&ALONG, [1.0, 0.0, 0.0]), (&ACROSS, [0.0, 1.0, 0.0])]
            .map(|(key, default)| if table.has(key) { vector(context, table, key) } else { Some(default) });
        let nodes = nodes?;
        let [a, b] = &nodes.value[..] else {
            let message = format!("this element joins two nodes, found {}", nodes.value.len());
            context.error(nodes.span, message, "name two nodes at one place; `ground` always exists");
            return None;
        };
        let nodes_at = [context.node(a)?, context.node(b)?];
        let is_ground = |n: usize| context.nodes[n].name == GROUND;
        let held = nodes_at.map(is_ground);
        if nodes_at[0] == nodes_at[1] || held == [true; 2] {
            context.error(nodes.span, "this element connects a node with itself", "name two different nodes");
            return None;
        }
        let at = nodes_at.map(|n| context.nodes[n].at);
        let apart = (0..3).map(|i| (at[1][i] - at[0][i]).powi(2)).sum::<f64>().sqrt();
        if apart > NEAR && held == [false; 2] {
            let message = format!("the nodes are {} apart", context.scope.units.show(apart, Dimension::LENGTH, 3));
            let help = "this element joins nodes at one place; across a distance use `uniaxial` along one dof, a `bar` or a bearing";
            context.error(nodes.span, message, help);
            return None;
        }
        let free: Vec<usize> = nodes_at.into_iter().filter(|&n| !is_ground(n)).collect();
        let space = free.iter().all(|&n| context.nodes[n].dofs.iter().any(|d| d.0 == "z"));
        let [x, y] = vectors;
        let Some(axes) = axes(x?, y?) else {
            let message = "`along` and `across` must be two vectors that are not parallel";
            context.error(table.place(&ALONG), message, "write for example along = [0, 0, 1], across = [1, 0, 0]");
            return None;
        };
        if !space && axes[2] != [0.0, 0.0, 1.0] {
            let message = "in the plane the local axes turn about z only";
            context.error(table.place(&ALONG), message, "write for example along = [0, 1], across = [-1, 0]");
            return None;
        }
        Some(Place { nodes: nodes_at, space, axes })
    }

    /// The displacement or rotation of the second node against the first along a local direction.
    fn row(&self, context: &Context<'_>, table: &Table<'_>, direction: &Spanned<String>) -> Option<Coordinate> {
        let known: &[&str] = if self.space { &NAMES } else { &["x", "y", "rz"] };
        if !known.contains(&direction.value.as_str()) {
            let message = format!("there is no direction `{}`", direction.value);
            context.error(direction.span.clone(), message, format!("directions are {}", known.join(", ")));
            return None;
        }
        let turn = direction.value.starts_with('r');
        let axis = NAMES.iter().position(|n| *n == direction.value)? % 3;
        let mut row = Coordinate::new();
        for (node, sign) in self.nodes.into_iter().zip([-1.0, 1.0]) {
            if context.nodes[node].name == GROUND {
                continue;
            }
            for (i, along) in self.axes[axis].into_iter().enumerate().filter(|a| a.1 != 0.0) {
                let name = NAMES[if turn { 3 + i } else { i }];
                row.push((context.dof_of(node, name, table.place(&NODES))?, sign * along));
            }
        }
        Some(row)
    }
}

fn vector(context: &Context<'_>, table: &Table<'_>, key: &Key<List<Pure>>) -> Option<[f64; 3]> {
    let list = table.read(key)?;
    let mut v: Vec<f64> = list.value.iter().map(|x| x.value).collect();
    if v.len() == 2 {
        v.push(0.0);
    }
    let vector = <[f64; 3]>::try_from(v).ok();
    if vector.is_none() {
        context.error(
            list.span,
            format!("`{}` is a vector", key.name),
            "write two numbers in the plane, three in space",
        );
    }
    vector
}

/// Local axes: x along one vector, y in the plane of both.
fn axes(x: [f64; 3], y: [f64; 3]) -> Option<[[f64; 3]; 3]> {
    let cross =
        |a: [f64; 3], b: [f64; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let unit = |a: [f64; 3]| {
        let size = a.iter().map(|x| x * x).sum::<f64>().sqrt();
        (size > 0.0 && size.is_finite()).then(|| a.map(|x| x / size))
    };
    let (x, y) = (unit(x)?, unit(y)?);
    let normal = cross(x, y);
    let z = (normal.iter().any(|c| c.abs() > 1e-9)).then(|| unit(normal)).flatten()?;
    Some([x, cross(z, x), z])
}
