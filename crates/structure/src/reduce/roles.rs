//! Which elements are reduced, and which degrees of freedom stay.

use interfield_language::model::{Element, Kind, Load, Model, Support};
use interfield_language::partition::visit;
use interfield_language::reduction::Reduction;
use interfield_language::{Problem, Subject};

use crate::assemble::component::Role;
use crate::assemble::{is_linear, is_symmetric, stored, tangent_at_rest};

/// A part that is reduced.
pub(super) struct Parts {
    /// Its elements.
    pub(super) elements: Vec<usize>,
    /// What each degree of freedom of the model is to it.
    pub(super) roles: Vec<Role>,
    /// Degrees of freedom that anything else needs.
    pub(super) needed: Vec<bool>,
}

impl Parts {
    /// Finds them.
    ///
    /// # Errors
    /// When there is nothing to reduce, or nothing to hold it.
    pub(super) fn new(model: &Model, number: usize, asked: &Reduction) -> Result<Self, Vec<Problem>> {
        let name = &asked.name;
        let refuse = |message: String, help: &str| Err(vec![Problem::error(Subject::Reduction(number), message, help)]);
        let elements = elements(model, asked);
        if elements.is_empty() {
            let of = of(model, asked);
            let message = format!("`{name}` has nothing to reduce: {of} has no linear element with constant matrices");
            return refuse(
                message,
                "remove this [[reduce]]; nonlinear elements, specimens and externals are never reduced",
            );
        }
        let mut touched = vec![false; model.dofs.len()];
        elements.iter().for_each(|&e| visit(&model.elements[e], |d, _| touched[d] = true));
        let mut kept = must_stay(model, asked, &elements);
        let moves = |d: usize| matches!(model.dofs[d].support, Support::Free | Support::Imposed(_));
        let away: Vec<&str> =
            asked.keep.iter().filter(|&&d| !touched[d]).map(|&d| model.dofs[d].name.as_str()).collect();
        if let Some(first) = away.first() {
            let more = if away.len() > 1 { format!(" (and {} more)", away.len() - 1) } else { String::new() };
            let message = format!(
                "`{name}` keeps `{first}`{more}, but no linear element of {} acts there: this interface is not connected to what is reduced",
                of(model, asked)
            );
            return refuse(message, "remove it from `keep`, or connect it with an element");
        }
        let needed: Vec<bool> = kept
            .iter()
            .zip(&model.dofs)
            .map(|(kept, dof)| *kept || matches!(dof.support, Support::Imposed(_)))
            .collect();
        asked.keep.iter().for_each(|&d| kept[d] = true);
        let role = |d: usize| match (touched[d] && moves(d), kept[d], &model.dofs[d].support) {
            (false, ..) => Role::Outside,
            (true, true, _) | (true, _, Support::Imposed(_)) => Role::Kept,
            (true, false, _) => Role::Interior,
        };
        let roles: Vec<Role> = (0..model.dofs.len()).map(role).collect();
        let count = |role: Role| roles.iter().filter(|r| **r == role).count();
        if count(Role::Interior) == 0 {
            let message = format!(
                "`{name}` has nothing to reduce: all {} degrees of freedom that its elements act on must be kept",
                count(Role::Kept)
            );
            let help = "nonlinear elements, specimens, loads and interfaces keep theirs; remove this [[reduce]], or shorten `keep`";
            return refuse(message, help);
        }
        if count(Role::Kept) == 0 {
            let message =
                format!("`{name}` has no interface: nothing else acts on what is reduced, and `keep` names nothing");
            let help = "write the nodes whose motion matters, for example keep = [\"roof\"]";
            return refuse(message, help);
        }
        let dof = |d: usize| roles[d] == Role::Interior && model.dofs[d].mass < 0.0;
        if let Some(d) = (0..roles.len()).find(|&d| dof(d)) {
            let message = format!("`{name}`: the mass of `{}` is negative", model.dofs[d].name);
            return Err(vec![Problem::error(Subject::Mass(d), message, "give it a mass that is not negative")]);
        }
        Ok(Parts { elements, roles, needed })
    }
}

/// What is reduced, in words.
fn of(model: &Model, asked: &Reduction) -> String {
    let names = model.partition.as_ref().map(|p| &p.substructures);
    match asked.substructure.and_then(|s| names?.get(s)) {
        Some(s) => format!("substructure `{}`", s.name),
        None => "the model".to_owned(),
    }
}

/// The linear elements that are the numerical model's own.
fn elements(model: &Model, asked: &Reduction) -> Vec<usize> {
    let tested = |e: usize| model.specimens.iter().any(|s| s.elements.contains(&e));
    let told = |e: usize| model.externals.iter().any(|x| x.element == e);
    let made = |e: usize| model.superelements.iter().any(|s| s.elements.contains(&e));
    let owned = |e: usize| match (&model.partition, asked.substructure) {
        (Some(partition), Some(own)) => partition.owners[e] == own,
        // In one piece: with --whole, or never divided.
        _ => true,
    };
    let free = |e: usize| {
        let mut any = false;
        visit(&model.elements[e], |d, _| any |= matches!(model.dofs[d].support, Support::Free));
        any
    };
    let fits = |&e: &usize| {
        let element = &model.elements[e];
        let own = !element.inside && element.given.is_none() && !tested(e) && !told(e) && !made(e);
        own && owned(e) && is_linear(&element.kind) && is_symmetric(&element.kind) && !is_dashpot(element) && free(e)
    };
    (0..model.elements.len()).filter(fits).collect()
}

/// Whether it has viscous damping of its own: its force acts at one place, and no mode that is missing would follow it.
fn is_dashpot(element: &Element) -> bool {
    let damping = match (&element.kind, stored(&element.kind)) {
        (Kind::Linear { damping, .. }, _) => damping.clone(),
        (_, Some((law, at))) => tangent_at_rest(&law, &element.s0, &vec![0.0; at.len()], false).1,
        (_, None) => Vec::new(),
    };
    damping.iter().any(|c| *c != 0.0)
}

/// The degrees of freedom that anything else needs.
fn must_stay(model: &Model, asked: &Reduction, inside: &[usize]) -> Vec<bool> {
    let mut kept = vec![false; model.dofs.len()];
    let mut own = vec![false; model.elements.len()];
    inside.iter().for_each(|&e| own[e] = true);
    for (_, element) in model.elements.iter().enumerate().filter(|(e, element)| !own[*e] && !element.inside) {
        visit(element, |d, _| kept[d] = true);
    }
    let mut keep = |d: usize| kept[d] = true;
    for load in &model.loads {
        if let Load::Force { dof, .. } = load {
            keep(*dof);
        }
    }
    for specimen in &model.specimens {
        specimen.dofs.iter().chain(&specimen.inner).for_each(|&d| keep(d));
    }
    model.externals.iter().flat_map(|e| &e.dofs).for_each(|&d| keep(d));
    if let Some(push) = &model.pushover {
        push.control.iter().for_each(|&d| keep(d));
        push.pattern.iter().for_each(|p| keep(p.0));
    }
    if let Some(partition) = &model.partition {
        for (part, substructure) in partition.substructures.iter().enumerate() {
            let others = Some(part) != asked.substructure;
            let nodes = substructure.nodes.iter().filter(|_| others);
            nodes.flat_map(|&n| &model.nodes[n].dofs).for_each(|d| keep(d.1));
        }
    }
    // What leads followers that are kept is kept with them.
    for d in 0..kept.len() {
        if let (true, Support::Follows(terms)) = (kept[d], &model.dofs[d].support) {
            terms.iter().for_each(|t| kept[t.0] = true);
        }
    }
    kept
}
