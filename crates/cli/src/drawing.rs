//! Pictures in files, and a model as points and lines for one, with what moves them.

use std::path::Path;

use interfield::files::{has_extension, write};
use interfield_language::Model;
use interfield_language::model::{Kind, Node as ModelNode, Support};
use interfield_report::Figure;
use interfield_report::structure::{Held, Line, Node, Structure};

/// Dots per inch of pictures, where nobody asks for others.
pub(crate) const DPI: f64 = 192.0;

/// Draws a figure into a file: as PNG with so many dots per inch if it is called so, else as SVG.
pub(crate) fn draw(path: &Path, figure: &Figure, dpi: f64) -> Result<(), String> {
    if has_extension(path, "png") { write(path, figure.png(dpi)) } else { write(path, figure.svg()) }
}

/// Length of the arm at which the turning of a pendulum is drawn, m.
const ARM: f64 = 1.0;

/// What moves a node: a degree of freedom of the model, and the displacement for a unit of it.
pub(crate) type Moves = Vec<(usize, [f64; 3])>;

/// The nodes of a model that are drawn: the ground has no degrees of freedom, and links to it end at a support.
fn drawn(model: &Model) -> impl Iterator<Item = &ModelNode> {
    model.nodes.iter().filter(|n| !n.dofs.is_empty())
}

/// The axis along which a degree of freedom of this name moves.
fn direction(name: &str) -> Option<usize> {
    ["x", "y", "z"].iter().position(|d| *d == name)
}

/// It only turns, and grows longer at most: a pendulum.
fn swings(model: &Model, node: &ModelNode) -> bool {
    node.dofs.iter().all(|(n, _)| direction(n).is_none()) && node.dofs.iter().any(|(_, d)| model.dofs[*d].angle)
}

/// The structure of a model.
pub(crate) fn structure(model: &Model) -> Structure {
    let mut node_of = vec![None; model.dofs.len()];
    for (i, node) in drawn(model).enumerate() {
        node.dofs.iter().for_each(|(_, d)| node_of[*d] = Some(i));
    }
    let nodes = drawn(model).map(|node| {
        let held = node.dofs.iter().filter(|(_, d)| !matches!(model.dofs[*d].support, Support::Free)).count();
        let held = match held {
            0 => Held::Free,
            n if n == node.dofs.len() => Held::Fixed,
            _ => Held::Partly,
        };
        Node { name: node.name.clone(), at: node.at, held, swings: swings(model, node) }
    });
    let mut structure = Structure { nodes: nodes.collect(), lines: Vec::new() };
    for element in &model.elements {
        let (dofs, one): (Vec<usize>, bool) = match &element.kind {
            Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Frame { coordinates, .. } => {
                (coordinates.iter().flatten().map(|c| c.0).collect(), coordinates.len() == 1)
            }
            Kind::Linear { dofs, .. } => (dofs.clone(), false),
            // A controller connects nothing that could be seen.
            Kind::Block { .. } => continue,
        };
        let mut nodes: Vec<usize> = Vec::new();
        for node in dofs.iter().filter_map(|d| node_of[*d]) {
            if !nodes.contains(&node) {
                nodes.push(node);
            }
        }
        let member = element.type_name.starts_with("beam") || element.type_name == "member";
        match nodes[..] {
            [] => {}
            // A law on one node acts between it and the ground; a mass on one node joins nothing.
            [from] if one => structure.lines.push(Line { from, to: None, member }),
            [from, ref others @ ..] => {
                structure.lines.extend(others.iter().map(|&to| Line { from, to: Some(to), member }));
            }
        }
    }
    structure
}

/// What moves each node of the structure of a model; a pendulum also moves with the node it hangs on.
pub(crate) fn moves(model: &Model, structure: &Structure) -> Vec<Moves> {
    let own: Vec<Moves> = drawn(model)
        .map(|node| {
            let swings = swings(model, node);
            let along = |name: &str, angle: bool| match (direction(name), angle) {
                (Some(axis), _) => Some(std::array::from_fn(|a| f64::from(a == axis))),
                (None, true) => swings.then_some([ARM, 0.0, 0.0]),
                // A pendulum that grows longer goes down; any other coordinate is drawn to the right.
                (None, false) => Some(if swings { [0.0, -1.0, 0.0] } else { [1.0, 0.0, 0.0] }),
            };
            node.dofs.iter().filter_map(|(name, d)| Some((*d, along(name, model.dofs[*d].angle)?))).collect()
        })
        .collect();
    let carried = |i: usize| structure.nodes[i].swings.then(|| structure.carrier(i)).flatten();
    (0..own.len())
        .map(|i| carried(i).map_or_else(|| own[i].clone(), |c| [own[c].clone(), own[i].clone()].concat()))
        .collect()
}
