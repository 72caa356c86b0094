//! `[[superelement]]`: a superelement from a file.

use std::ops::Range;
use std::sync::Arc;

use super::nodes::GROUND;
use super::{Context, SUPERELEMENT};
use crate::key::*;
use crate::model::{Dof, Load, Node, Support};
use crate::partition::visit;
use crate::reader::{Spanned, Table};
use crate::reduction::{Stored, Superelement};

section! {
    /// A superelement that another model was reduced to.
    pub(super) SUPERELEMENTS = ("superelement", "[[superelement]]", "A superelement from a file that `interfield reduce` or the key `file` of a \
        [[reduce]] wrote. It brings its nodes; those of its interface may be in the model already.");
    NAME: Text = key("name", "Its name: the generalised unknowns are `NAME.mode1`, ...").required().example("tower");
    FILE: Text = key("file", "The file.").required().example("tower.superelement");
    PREFIX: Text = key("prefix", "What stands before the names of its nodes in this model.").example("left-");
}

/// What a file holds; `Some(None)` if it is not there and that is no error, `None` after a message.
pub(super) fn stored(
    context: &Context<'_>,
    file: &Spanned<String>,
    may_be_absent: bool,
) -> Option<Option<Arc<Stored>>> {
    let refuse = |why: String, help: &str| {
        context.error(file.span.clone(), format!("`{}`: {why}", file.value), help);
        None
    };
    let bytes = match (context.files)(&file.value) {
        Ok(bytes) => bytes,
        Err(_) if may_be_absent => return Some(None),
        Err(why) => {
            return refuse(why, "the path is relative to the model file; `interfield reduce MODEL` writes such a file");
        }
    };
    let text = String::from_utf8(bytes).map_err(|_| "it is not a text file".to_owned());
    match text.and_then(|text| Stored::read(&text)) {
        Ok(stored) => Some(Some(Arc::new(stored))),
        Err(why) => {
            refuse(why, "it is not a whole superelement file: delete it to have it written again, or give another name")
        }
    }
}

/// Reads all `[[superelement]]`, after the nodes; also what constant loads inside them are.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>) -> Vec<Superelement> {
    let mut all = Vec::new();
    for table in root.all(&SUPERELEMENT) {
        let found = read_one(context, &table);
        if found.is_none() {
            // What it would have brought is missing everywhere.
            (context.nodes_unknown, context.names_unknown) = (true, true);
        }
        all.extend(found);
        table.finish();
    }
    all
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>) -> Option<Superelement> {
    let (name, file) = (table.read(&NAME), table.read(&FILE));
    let prefix = table.read(&PREFIX).map_or_else(String::new, |p| p.value);
    if let Some(name) = &name {
        context.declare(&name.value, name.span.clone());
    }
    let (name, file) = (name?, file?);
    let stored = stored(context, &file, false)??;
    let mut kept = Vec::new();
    for u in &stored.unknowns[..stored.kept] {
        kept.push(place(context, &file, &format!("{prefix}{}", u.name), (u.angle, u.at), true)?);
    }
    let mut inside = Vec::new();
    for (i, x) in stored.inside.iter().enumerate() {
        inside.push((place(context, &file, &format!("{prefix}{}", x.name), (x.angle, x.at), false)?, i));
    }
    let before = context.elements.len();
    let first = context.dofs.len();
    let told = stored.put(stored.asked(&name.value), kept, (&mut context.dofs, &mut context.elements), &inside);
    for _ in first..context.dofs.len() {
        context.places.dofs.push(name.span.clone());
        context.places.masses.push(name.span.clone());
    }
    for _ in before..context.elements.len() {
        context.places.stiffnesses.push(name.span.clone());
        context.places.dashpots.push(name.span.clone());
        context.places.elements.push(name.span.clone());
    }
    Some(told)
}

/// The degree of freedom `node.dof` of a superelement: of a node that is there if it is of the interface, else of one that it brings.
fn place(
    context: &mut Context<'_>,
    file: &Spanned<String>,
    name: &str,
    (angle, at): (bool, [f64; 3]),
    kept: bool,
) -> Option<usize> {
    let Some((node, dof)) = name.rsplit_once('.') else {
        context.error(
            file.span.clone(),
            format!("`{}`: `{name}` is not a degree of freedom", file.value),
            "write the file again",
        );
        return None;
    };
    let found = context.node_index.get(node).copied();
    let number = match found {
        Some(n) => n,
        None => {
            context.declare(node, file.span.clone());
            let n = context.nodes.len();
            context.nodes.push(Node { name: node.to_owned(), at, dofs: Vec::new() });
            context.node_index.insert(node.to_owned(), n);
            n
        }
    };
    if let Some((_, d)) = context.nodes[number].dofs.iter().find(|(short, _)| short == dof) {
        let held = !matches!(context.dofs[*d].support, Support::Free);
        if kept && node != GROUND && !held {
            return Some(*d);
        }
        let message = match kept {
            true => format!("`{name}` of the superelement `{}` is fixed in this model", file.value),
            false => format!(
                "`{name}` is inside the superelement `{}`, and this model has a degree of freedom of that name",
                file.value
            ),
        };
        context.error(
            file.span.clone(),
            message,
            "give another name to the node of the model, or a `prefix` to the superelement",
        );
        return None;
    }
    let d = context.dofs.len();
    context.places.dofs.push(file.span.clone());
    context.places.masses.push(file.span.clone());
    context.dofs.push(Dof { name: name.to_owned(), angle, support: Support::Free, mass: 0.0, u0: 0.0, v0: 0.0 });
    context.nodes[number].dofs.push((dof.to_owned(), d));
    Some(d)
}

/// Nothing but its superelement acts on what is inside, and no constraint binds its interface.
pub(super) fn check(context: &Context<'_>, all: &[Superelement], loads: &[Load]) {
    let own = |e: usize| all.iter().any(|s| s.elements.contains(&e));
    let mut inside = vec![None; context.dofs.len()];
    all.iter().for_each(|s| s.inside.iter().for_each(|&d| inside[d] = Some(s)));
    let refuse = |d: usize, s: &Superelement, what: &str, place: Range<usize>| {
        let message =
            format!("{what} acts on `{}`, which is inside the superelement `{}`", context.dofs[d].name, s.name);
        let node = context.dofs[d].name.split('.').next().unwrap_or_default();
        let help = format!("keep it where the superelement is made: keep = [\"{node}\"] in its [[reduce]]");
        context.error(place, message, help);
    };
    for (e, element) in context.elements.iter().enumerate().filter(|(e, _)| !own(*e)) {
        let mut on = element.written_on.clone();
        visit(element, |d, _| on.push(d));
        if let Some((d, s)) = on.into_iter().find_map(|d| Some((d, inside[d]?))) {
            refuse(d, s, &format!("element `{}`", element.name), context.places.elements[e].clone());
        }
    }
    for (load, place) in loads.iter().zip(&context.places.loads) {
        if let Load::Force { dof, .. } = load
            && let Some(s) = inside[*dof]
        {
            refuse(*dof, s, "a load", place.clone());
        }
    }
    for s in all {
        for &d in &s.kept {
            if matches!(context.dofs[d].support, Support::Follows(_)) {
                let message =
                    format!("`{}` of the superelement `{}` follows another node", context.dofs[d].name, s.name);
                let help = "let the other node follow the one of the superelement: exchange them in the [[constraint]]";
                context.error(context.places.dofs[d].clone(), message, help);
            }
        }
        let bound = |d: &&usize| !matches!(context.dofs[**d].support, Support::Follows(_));
        if let Some(&d) = s.inside.iter().find(bound) {
            refuse(d, s, "an imposed motion or a constraint", context.places.dofs[d].clone());
        }
    }
}
