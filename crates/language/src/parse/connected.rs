//! Degrees of freedom that nothing acts on, in a model that has other mistakes: an element that could not be read
//! counts for all nodes it names, so that one mistake is not reported twice.

use std::collections::BTreeSet;

use super::Context;
use crate::model::{Kind, Support};
use crate::problem::Problem;

/// What is connected, as far as the file can be understood.
#[derive(Debug, Default)]
pub(super) struct Contact {
    /// Nodes named since the last [`Contact::settle`].
    pub referred: Vec<usize>,
    /// Nodes named by parts that could not be read.
    pub nodes: BTreeSet<usize>,
    /// Whether something names a node that could be any.
    pub unclear: bool,
}

impl Contact {
    /// Ends an element or load: if it could not be read, its nodes count as connected.
    pub(super) fn settle(&mut self, good: bool) {
        let referred = std::mem::take(&mut self.referred);
        if !good {
            self.nodes.extend(referred);
        }
    }
}

/// Reports free degrees of freedom that no element, no mass and no unreadable part acts on.
pub(super) fn check(context: &Context<'_>) {
    let contact = context.contact.borrow();
    if contact.unclear || context.nodes_unknown || context.names_unknown {
        return;
    }
    let mut touched = vec![false; context.dofs.len()];
    for element in &context.elements {
        match &element.kind {
            Kind::Law { coordinates, .. }
            | Kind::Formula { coordinates, .. }
            | Kind::Block { coordinates, .. }
            | Kind::Frame { coordinates, .. } => {
                coordinates.iter().flatten().for_each(|c| touched[c.0] = true);
            }
            Kind::Linear { dofs, .. } => dofs.iter().for_each(|&d| touched[d] = true),
        }
    }
    for (index, node) in context.nodes.iter().enumerate() {
        if context.node_index.get(&node.name) != Some(&index) {
            // A second node of the same name: nothing can refer to it.
            continue;
        }
        for &(_, d) in &node.dofs {
            let dof = &context.dofs[d];
            let free = matches!(dof.support, Support::Free) && dof.mass == 0.0;
            if free && !touched[d] && !contact.nodes.contains(&index) && !context.unclear.contains(&index) {
                context.diags.push(context.places.locate(&Problem::unconnected(d, &dof.name)));
            }
        }
    }
}
