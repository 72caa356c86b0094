//! Substructures that are divided without being told where.

use super::{Context, Draft};
use crate::model::Support;
use crate::partition::bisect::bisect;
use crate::partition::visit;
use crate::reader::Spanned;

/// Puts the parts of those with `parts` in their places; elements get the owners that they have then.
pub(super) fn divide(context: &mut Context<'_>, drafts: Vec<Draft>, owners: &mut [usize]) -> Vec<Draft> {
    if drafts.iter().all(|d| d.parts.value == 1) {
        return drafts;
    }
    let mut places = [Vec::new(), Vec::new()];
    let (mut all, mut given) = (Vec::new(), owners.to_vec());
    for (old, draft) in drafts.into_iter().enumerate() {
        let (first, parts) = (all.len(), draft.parts.value);
        let own: Vec<usize> = (0..owners.len()).filter(|&e| owners[e] == old).collect();
        own.iter().for_each(|&e| given[e] = first);
        if parts > 1 {
            if !draft.nodes.is_empty() {
                let message =
                    format!("substructure `{}` is divided by its elements, and lists nodes too", draft.name.value);
                context.error(draft.parts.span.clone(), message, "list the nodes in a substructure without `parts`");
            }
            if own.len() < parts {
                let message = format!(
                    "substructure `{}` has {} elements and cannot be divided into {parts} parts",
                    draft.name.value,
                    own.len()
                );
                context.error(draft.parts.span.clone(), message, "divide it into fewer parts");
            }
            let graph: Vec<Vec<usize>> = own.iter().map(|&e| shared(context, e)).collect();
            own.iter().zip(bisect(&graph, parts)).for_each(|(&e, part)| given[e] = first + part);
        }
        let mass = context.places.interface_masses.get(old).cloned().unwrap_or_else(|| draft.name.span.clone());
        for part in 0..parts {
            places[0].push(draft.name.span.clone());
            places[1].push(mass.clone());
            let name = if parts == 1 { draft.name.value.clone() } else { format!("{}-{}", draft.name.value, part + 1) };
            all.push(Draft {
                name: Spanned::new(name, draft.name.span.clone()),
                scheme: draft.scheme.clone(),
                nodes: if part == 0 { draft.nodes.clone() } else { Vec::new() },
                interface_mass: draft.interface_mass.clone(),
                parts: Spanned::new(1, draft.parts.span.clone()),
                ..draft
            });
        }
    }
    owners.copy_from_slice(&given);
    [context.places.substructures, context.places.interface_masses] = places;
    all
}

/// The free degrees of freedom on which an element acts.
fn shared(context: &Context<'_>, e: usize) -> Vec<usize> {
    let mut dofs = Vec::new();
    visit(&context.elements[e], |d, acts| {
        if acts && matches!(context.dofs[d].support, Support::Free) {
            dofs.push(d);
        }
    });
    dofs.sort_unstable();
    dofs.dedup();
    dofs
}
