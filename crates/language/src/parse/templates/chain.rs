//! `[[chain]]`: masses in a row, joined by springs of any law.

use super::block::Block;
use super::{Body, Made};
use crate::units::Dimension;

/// Keys of the block.
pub(super) const KEYS: [&str; 9] = ["name", "at", "masses", "mass", "k", "spring", "ends", "dof", "spacing"];

/// Nodes `m1`, ... and elements `spring1`, ... from one end to the other.
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let n = block.count("masses", "3");
    let prefix = block.prefix();
    let dof = block.string_or("dof", "x");
    let origin = block.origin();
    let spacing = block.table.quantity("spacing", Dimension::LENGTH, block.scope);
    let ends = ends(block);
    let (n, prefix, dof, [start, end]) = (n?, prefix?, dof?, ends?);
    block.shared.claim(2 * n as u64 + 1, 0, &block.span())?;
    let masses = block.each_required("mass", n, "masses", "\"1 t\"");
    let mut joints: Vec<String> = (1..=n).map(|i| format!("{prefix}m{i}")).collect();
    for (i, mass) in masses.iter().flatten().enumerate() {
        let node = Made::new(joints[i].clone(), block.span()).texts("dofs", [&dof]).with("mass", mass.clone());
        let along = spacing.as_ref().map_or(1.0, |s| s.value) * (i + 1) as f64;
        body.node(node.at(&[origin[0] + along, origin[1], origin[2]]));
    }
    if let Some(start) = start {
        joints.insert(0, start);
    }
    joints.extend(end);
    if joints.len() < 2 {
        return block.error(block.span(), "a single mass with two free ends has no spring", "name a node in `ends`");
    }
    let laws = block.laws("spring", joints.len() - 1)?;
    masses?;
    for (i, law) in laws.into_iter().enumerate() {
        let spring = Made::new(format!("{prefix}spring{}", i + 1), block.span());
        body.element(spring.texts("nodes", joints[i..i + 2].to_vec()).text("dof", &*dof).and(law));
    }
    Some(())
}

/// Nodes that the two ends are attached to; `None` for a free end.
fn ends(block: &Block<'_, '_>) -> Option<[Option<String>; 2]> {
    let node = |name: &str| (name != "free").then(|| name.to_owned());
    let Some(ends) = block.table.list_of_strings("ends") else {
        return (!block.table.has("ends")).then(|| [node("ground"), None]);
    };
    match &ends.value[..] {
        [a, b] => Some([node(&a.value), node(&b.value)]),
        other => {
            let message = format!("a chain has two ends, found {}", other.len());
            block.error(ends.span, message, "write ends = [\"ground\", \"free\"]")
        }
    }
}
