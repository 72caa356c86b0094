//! `[[drift]]`: storey drifts, each recorded as the channel `NAME.drift` in per cent of the height of the storey.

use super::nodes::{GROUND, axis};
use super::{Context, DRIFT};
use crate::key::*;
use crate::model::{Channel, Quantity, Support};
use crate::reader::{Spanned, Table};

section! {
    /// A storey drift.
    pub(super) DRIFTS = ("drift", "[[drift]]", "A storey drift: the displacement between two nodes over the height between \
        them, recorded as the channel `NAME.drift` in %.");
    NAME: Text = key("name", "Its name: the channel is `NAME.drift`.").required().example("storey1");
    NODES: List<Text> = key("nodes", "The node below and the node above; `ground` is the base.").required()
        .example("[\"ground\", \"floor1\"]");
    DOF: Text = key("dof", "Direction of the displacement, a translation.").required().example("x");
    HEIGHT: Length = key("height", "Height of the storey; by default the distance of the two nodes across the direction, from their positions.")
        .range(POSITIVE).example("3.2 m");
}

/// What stands behind the name of a drift in a channel.
const SUFFIX: &str = ".drift";

/// Reads all `[[drift]]` as channels.
pub(super) fn read(context: &Context<'_>, root: &Table<'_>) -> Vec<Channel> {
    let mut channels: Vec<Channel> = Vec::new();
    for table in root.all(&DRIFT) {
        let name = table.read(&NAME);
        let quantity = quantity(context, &table);
        table.finish();
        let Some(name) = name else { continue };
        context.check_name(&name.value, name.span.clone());
        let channel = format!("{}{SUFFIX}", name.value);
        if channels.iter().any(|c| c.name == channel) {
            context.error(name.span, format!("two drifts are called `{}`", name.value), "give one another name");
        }
        // One with a mistake of its own keeps its name, so that channels which use it are not reported too.
        let quantity = quantity.unwrap_or(Quantity::Drift { above: 0, below: None, height: 1.0 });
        channels.push(Channel { name: channel, quantity, unit: "%".to_owned(), factor: 100.0 });
    }
    channels
}

/// What a drift reads.
fn quantity(context: &Context<'_>, table: &Table<'_>) -> Option<Quantity> {
    let (nodes, dof, height) = (table.read(&NODES), table.read(&DOF), table.read(&HEIGHT));
    let (nodes, dof) = (nodes?, dof?);
    let [below, above] = &nodes.value[..] else {
        let message = format!("a drift has two nodes, not {}", nodes.value.len());
        context.error(nodes.span, message, "write the node below and the node above: nodes = [\"ground\", \"floor1\"]");
        return None;
    };
    if below.value == above.value {
        let message = format!("both nodes are `{}`", above.value);
        context.error(nodes.span, message, "write the node below and the node above");
        return None;
    }
    // Only what elements connect holds a structure together.
    let found = |name: &Spanned<String>| match context.node_index.get(&name.value) {
        Some(&node) => Some(node),
        None => context.node(name),
    };
    let (lower, upper) = (found(below), found(above));
    let (lower, upper) = (lower?, upper?);
    let end = |node: usize| match context.nodes[node].name == GROUND {
        true => Some(None),
        false => context.dof_of(node, &dof.value, dof.span.clone()).map(Some),
    };
    let (below_dof, above_dof) = (end(lower), end(upper));
    let (below_dof, above_dof) = (below_dof?, above_dof?);
    let Some(above_dof) = above_dof else {
        context.error(above.span.clone(), "`ground` is below all nodes", "write nodes = [\"ground\", \"floor1\"]");
        return None;
    };
    if context.dofs[above_dof].angle {
        let message = format!("`{}` is a rotation, but a drift is a displacement over a height", dof.value);
        context.error(dof.span, message, "write a translation, for example dof = \"x\"");
        return None;
    }
    let held = |d: &usize| matches!(context.dofs[*d].support, Support::Fixed);
    let height = match height {
        Some(height) => height.value,
        None if table.has(&HEIGHT) => return None,
        None => distance_across(context, (lower, upper), &dof.value).or_else(|| {
            let message = format!("the height between `{}` and `{}` is not known", below.value, above.value);
            let help = "write height = \"3 m\", or give both nodes positions: at = [0, \"3 m\"]";
            context.error(table.span(), message, help);
            None
        })?,
    };
    Some(Quantity::Drift { above: above_dof, below: below_dof.filter(|d| !held(d)), height })
}

/// Distance of two nodes across a direction, m; `None` where it is zero or where one of them has no position.
fn distance_across(context: &Context<'_>, (lower, upper): (usize, usize), dof: &str) -> Option<f64> {
    if [lower, upper].iter().any(|&n| context.nodes[n].name == GROUND) {
        return None;
    }
    let [a, b] = [lower, upper].map(|n| context.nodes[n].at);
    let squares = (0..3).filter(|i| Some(*i) != axis(dof)).map(|i| (b[i] - a[i]) * (b[i] - a[i]));
    Some(squares.sum::<f64>().sqrt()).filter(|h| *h > 0.0)
}
