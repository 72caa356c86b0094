//! `[[shear-building]]`: floors one above the other, each joined to the one below by a storey.

use super::block::{AT, Block, Each, Keys, NAME, count, positions};
use super::sections::LAW;
use super::{Body, Made};
use crate::key::*;

section! {
    /// Floors on storeys.
    pub(super) SHEAR_BUILDING = ("shear-building", "[[shear-building]]", "Floors `floor1`, ... one above the other, \
        connected by `storey1`, ...");
    BUILDING_NAME: Text = NAME;
    BUILDING_AT: List<Length> = AT;
    STOREYS: Count = count("storeys", "Number of storeys.").required().example("5");
    MASS: Each<Mass> = key("mass", "Mass of the floors, for all or each.").required().example("20 t");
    K: Each<Stiffness> = key("k", "Stiffness of linear storeys.").example("30 kN/mm");
    STOREY: Each<Keys> = of(Or(LAW, List(LAW)), "storey", "Law of the storeys, instead of `k`.")
        .example("{ type = \"spring\", k = \"30 kN/mm\" }");
    OWN: Keys = of(LAW, "storey<N>", "Law of one storey, instead of the common one.").example("soft");
    BASE: Text = key("base", "The node that supports it.").default("ground").example("slab");
    DOF: Each<Text> = key("dof", "Direction, or a list of directions.").default("x").example("[\"x\", \"y\"]");
    HEIGHT: Each<Length> = key("height", "Height of the storeys, for drawings.").default("3 m").example("3.5 m");
}

/// Nodes `floor1`, ... and elements `storey1`, ... (`storey1_x`, ... with several directions).
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let n = block.table.read(&STOREYS).map(|n| n.value as usize);
    let prefix = block.prefix();
    let base = block.table.good(&BASE);
    let dofs: Option<Vec<String>> = block.table.good(&DOF).map(|dofs| match dofs {
        Either::First(one) => vec![one],
        Either::Second(list) => list.into_iter().map(|d| d.value).collect(),
    });
    let origin = block.origin();
    let (n, prefix, base, dofs) = (n?, prefix?, base?, dofs?);
    block.shared.claim(n as u64 * (1 + dofs.len() as u64), 0, &block.span())?;
    let masses = block.each_required(&MASS, n, "storeys");
    let laws = block.laws(&STOREY, &K, n);
    let heights = block.each_length(&HEIGHT, n, "storeys");
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
