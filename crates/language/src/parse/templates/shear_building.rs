//! `[[shear-building]]`: floors one above the other, each joined to the one below by a storey.

use super::block::{Block, positions};
use super::{Body, Made};

/// Keys of the block.
pub(super) const KEYS: [&str; 9] = ["name", "at", "storeys", "mass", "k", "storey", "base", "dof", "height"];

/// Nodes `floor1`, ... and elements `storey1`, ... (`storey1_x`, ... with several directions).
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let n = block.count("storeys", "5");
    let prefix = block.prefix();
    let base = block.string_or("base", "ground");
    let dofs: Option<Vec<String>> = match block.table.is_list("dof") {
        true => block.table.list_of_strings("dof").map(|l| l.value.into_iter().map(|d| d.value).collect()),
        false => block.string_or("dof", "x").map(|d| vec![d]),
    };
    let origin = block.origin();
    let (n, prefix, base, dofs) = (n?, prefix?, base?, dofs?);
    block.shared.claim(n as u64 * (1 + dofs.len() as u64), 0, &block.span())?;
    let masses = block.each_required("mass", n, "storeys", "\"60 t\"");
    let laws = block.laws("storey", n);
    let heights = heights(block, n);
    let (masses, laws) = (masses?, laws?);
    let levels = positions(&heights?);
    for (i, mass) in masses.into_iter().enumerate() {
        let floor = Made::new(format!("{prefix}floor{}", i + 1), block.span()).texts("dofs", &dofs).with("mass", mass);
        // Upwards is y in the plane of the drawing.
        body.node(floor.at(&[origin[0], origin[1] + levels[i + 1], origin[2]]));
    }
    for (i, law) in laws.into_iter().enumerate() {
        let below = if i == 0 { base.clone() } else { format!("{prefix}floor{i}") };
        for dof in &dofs {
            let direction = if dofs.len() > 1 { format!("_{dof}") } else { String::new() };
            let storey = Made::new(format!("{prefix}storey{}{direction}", i + 1), block.span());
            let storey = storey.texts("nodes", [below.clone(), format!("{prefix}floor{}", i + 1)]).text("dof", dof);
            body.element(storey.and(law.clone()));
        }
    }
    Some(())
}

/// Heights of the storeys, for drawings only.
fn heights(block: &Block<'_, '_>, n: usize) -> Option<Vec<f64>> {
    const USUAL: f64 = 3.0;
    let length = crate::units::Dimension::LENGTH;
    if block.table.is_list("height") {
        let list = block.table.quantities("height", length, block.scope)?;
        if list.value.len() != n {
            let message = format!("`height` lists {} values for {n} storeys", list.value.len());
            return block.error(list.span, message, "write one value for all storeys, or one for each");
        }
        return Some(list.value.iter().map(|h| h.value).collect());
    }
    let one = block.table.quantity("height", length, block.scope);
    if one.is_none() && block.table.has("height") {
        return None;
    }
    Some(vec![one.map_or(USUAL, |h| h.value); n])
}
