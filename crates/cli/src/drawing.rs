//! A model as points and lines for a picture.

use interfield_language::Model;
use interfield_language::model::{Kind, Support};
use interfield_report::structure::{Held, Line, Node, Structure};

/// The structure of a model. The node `ground` is not drawn; links to it end at a support.
pub(crate) fn structure(model: &Model) -> Structure {
    let drawn: Vec<&interfield_language::model::Node> = model.nodes.iter().filter(|n| !n.dofs.is_empty()).collect();
    let mut node_of = vec![None; model.dofs.len()];
    for (i, node) in drawn.iter().enumerate() {
        node.dofs.iter().for_each(|(_, d)| node_of[*d] = Some(i));
    }
    let nodes = drawn.iter().map(|n| {
        let held = n.dofs.iter().filter(|(_, d)| !matches!(model.dofs[*d].support, Support::Free)).count();
        Node {
            name: n.name.clone(),
            at: n.at,
            held: match held {
                0 => Held::Free,
                h if h == n.dofs.len() => Held::Fixed,
                _ => Held::Partly,
            },
            swings: n.dofs.iter().all(|(_, d)| model.dofs[*d].angle),
        }
    });
    let mut lines = Vec::new();
    for e in &model.elements {
        let dofs: Vec<usize> = match &e.kind {
            Kind::Linear { dofs, .. } => dofs.clone(),
            Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Block { coordinates, .. } => {
                coordinates.iter().flatten().map(|c| c.0).collect()
            }
        };
        let mut touched: Vec<usize> = dofs.iter().filter_map(|&d| node_of[d]).collect();
        touched.dedup();
        // A law on one node acts between it and the ground; a mass or a controller on one node joins nothing.
        let joins = matches!(e.kind, Kind::Law { .. } | Kind::Formula { .. });
        match touched[..] {
            [one] if joins => lines.push(Line { from: one, to: None, member: false }),
            _ => lines.extend(touched.windows(2).map(|pair| Line {
                from: pair[0],
                to: Some(pair[1]),
                member: e.type_name.starts_with("beam"),
            })),
        }
    }
    Structure { nodes: nodes.collect(), lines }
}
