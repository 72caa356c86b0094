//! `[[reduce]]`: the linear part of a structure as a superelement.

use super::{Context, REDUCE, superelements};
use crate::diag::suggest;
use crate::key::*;
use crate::model::Support;
use crate::partition::Partition;
use crate::reader::{Spanned, Table};
use crate::reduction::{Interface, Reduction};

section! {
    /// A part that is reduced.
    pub(super) REDUCTION = ("reduce", "[[reduce]]", "The linear part of a structure, or of a substructure, with fewer unknowns: what touches the \
        rest is kept, and some modes stand for the inside. Nonlinear elements, specimens, loads, moved supports and interfaces of \
        substructures stay as they are.");
    NAME: Text = key("name", "Its name: the generalised unknowns are `NAME.mode1`, ...").required().example("tower");
    SUBSTRUCTURE: Text = key("substructure", "The substructure whose linear elements are reduced; needed if the model has substructures.")
        .example("deck");
    KEEP: List<Text> = key("keep", "Nodes, or degrees of freedom, that stay unknowns beside those that must.").example("[\"roof\", \"floor3.x\"]");
    FREQUENCY: Frequency = key("frequency", "Highest frequency of interest: up to it the interface is as accurate as `accuracy` says.").required()
        .range(POSITIVE).example("10 Hz");
    ACCURACY: Pure = key("accuracy", "Largest share of the dynamic stiffness of the interface that may be lost up to `frequency`.")
        .range(Allowed::Between(1e-8, 0.5)).default("0.01").example("0.001");
    MODES: Count = key("modes", "Number of modes, instead of as many as `accuracy` needs.").range(Allowed::Between(0.0, 2000.0)).example("20");
    RESIDUAL: Flag = key("residual", "Whether residual vectors stand beside the modes: one unknown for each kept one and each ground motion, \
        with which far fewer modes are needed.").default("true").example("false");
    INTERFACE: Choice<(Interface, &'static str)> = choice("interface", &[(Interface::Fixed, "fixed"), (Interface::Free, "free")], "How the kept \
        unknowns are held while the modes are found. \"fixed\" (Craig-Bampton) states a proven bound; \"free\" (Rubin) needs fewer modes on soft \
        supports, and `modes`.").default("fixed").example("free");
    CHARACTERISTIC: Frequency = key("characteristic", "Kept degrees of freedom on which nothing acts but `keep` names them move with the characteristic \
        modes of the interface up to this frequency, instead of each by itself: for more than 100 of them.").range(POSITIVE).example("25 Hz");
    FILE: Text = key("file", "Where the superelement is kept, beside the model: it is taken from there while model and wishes are the same, and written \
        there otherwise.").example("tower.superelement");
}

/// Reads all `[[reduce]]`, after everything they refer to.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, partition: Option<&Partition>) -> Vec<Reduction> {
    let mut reductions: Vec<Reduction> = Vec::new();
    for table in root.all(&REDUCE) {
        context.places.reductions.push(table.span());
        let found = read_one(context, &table, partition);
        if let Some(found) = found {
            if let Some(other) = reductions.iter().find(|r| r.substructure == found.substructure) {
                let message = format!("`{}` and `{}` reduce the same elements", other.name, found.name);
                context.error(
                    table.span(),
                    message,
                    "keep one of them; a structure with substructures can have one for each",
                );
            }
            reductions.push(found);
        }
        table.finish();
    }
    reductions
}

fn read_one(context: &mut Context<'_>, table: &Table<'_>, partition: Option<&Partition>) -> Option<Reduction> {
    let name = table.read(&NAME);
    if let Some(name) = &name {
        context.declare(&name.value, name.span.clone());
    }
    let substructure = substructure(context, table, partition);
    let keep = table.read(&KEEP).map_or_else(Vec::new, |l| l.value);
    let keep: Vec<usize> = keep.iter().flat_map(|k| kept(context, k)).collect();
    let frequency = table.read(&FREQUENCY);
    let (accuracy, residual) = (table.value(&ACCURACY), table.value(&RESIDUAL));
    let modes = table.read(&MODES).map(|m| m.value as usize);
    let interface = table.read(&INTERFACE).map_or_else(Interface::default, |i| i.value.0);
    if interface == Interface::Free && !table.has(&MODES) {
        let help = "write modes = 20, and compare what `interfield check` says is lost";
        context.error(table.place(&INTERFACE), "a free interface needs the number of `modes`", help);
    }
    if modes == Some(0) && !residual {
        let message = "without modes and without residual vectors nothing of the inside moves by itself";
        context.error(table.place(&MODES), message, "write more `modes`, or remove the key");
    }
    let characteristic = table.read(&CHARACTERISTIC).map(|f| f.value);
    let (file, stored) = match table.read(&FILE) {
        None => (None, None),
        Some(file) => {
            // A file that is not there yet will be written; one that holds something else is not touched.
            let stored = superelements::stored(context, &file, true)?;
            (Some(file.value), stored)
        }
    };
    let (name, substructure, frequency) = (name?.value, substructure?, frequency?.value);
    let wishes = Reduction {
        name,
        substructure,
        keep,
        frequency,
        accuracy,
        modes,
        residual,
        interface,
        characteristic,
        file,
        stored,
    };
    Some(wishes)
}

/// The substructure that is meant; `None` after a message.
fn substructure(context: &Context<'_>, table: &Table<'_>, partition: Option<&Partition>) -> Option<Option<usize>> {
    let given = table.read(&SUBSTRUCTURE);
    let Some(partition) = partition else {
        let Some(given) = given else { return Some(None) };
        if !context.partitioned {
            let message = format!("there is no substructure `{}`: the model is in one piece", given.value);
            context.error(given.span, message, "remove the key, or divide the model with [[substructure]]");
        }
        return None;
    };
    let names = || partition.substructures.iter().map(|s| s.name.as_str());
    let all = || format!("the substructures are {}", names().collect::<Vec<_>>().join(", "));
    let Some(given) = given else {
        if !table.has(&SUBSTRUCTURE) {
            let message = "the model has substructures: one of them must be named";
            context.error(table.span(), message, format!("write substructure = \"...\"; {}", all()));
        }
        return None;
    };
    match names().position(|n| n == given.value) {
        Some(found) => Some(Some(found)),
        None => {
            let near = suggest(&given.value, names()).map_or_else(all, |n| format!("did you mean `{n}`?"));
            context.error(given.span, format!("there is no substructure `{}`", given.value), near);
            None
        }
    }
}

/// The degrees of freedom of a node, or one of them.
fn kept(context: &Context<'_>, name: &Spanned<String>) -> Vec<usize> {
    let found = match name.value.contains('.') {
        true => context.dof(name).into_iter().collect(),
        false => context.node(name).map_or_else(Vec::new, |n| context.nodes[n].dofs.iter().map(|d| d.1).collect()),
    };
    let mut unknowns = Vec::new();
    for &dof in &found {
        let d = &context.dofs[dof];
        match &d.support {
            Support::Free | Support::Imposed(_) => unknowns.push(dof),
            Support::Fixed => {}
            Support::Follows(leads) => {
                let leads: Vec<String> = leads.iter().map(|t| format!("\"{}\"", context.dofs[t.0].name)).collect();
                let message =
                    format!("`{}` cannot be kept: it follows others by a constraint and is no unknown", d.name);
                context.error(name.span.clone(), message, format!("keep what it follows: {}", leads.join(", ")));
            }
        }
    }
    if unknowns.is_empty()
        && !found.is_empty()
        && found.iter().all(|&d| matches!(context.dofs[d].support, Support::Fixed))
    {
        let message = format!("`{}` is fixed and cannot be kept as an unknown", name.value);
        context.error(name.span.clone(), message, "remove it");
    }
    unknowns
}
