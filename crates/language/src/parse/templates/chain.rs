//! `[[chain]]`: masses in a row, joined by springs of any law.

use super::block::{AT, Block, Each, Keys, NAME, count};
use super::sections::LAW;
use super::{Body, Made};
use crate::key::*;

section! {
    /// Masses in a row.
    pub(super) CHAIN = ("chain", "[[chain]]", "Masses `m1`, ... connected by `spring1`, ...");
    CHAIN_NAME: Text = NAME;
    CHAIN_AT: List<Length> = AT;
    MASSES: Count = count("masses", "Number of masses.").required().example("4");
    MASS: Each<Mass> = key("mass", "The masses, for all or each.").required().example("1 t");
    K: Each<Stiffness> = key("k", "Stiffness of linear springs.").example("100 kN/m");
    SPRING: Each<Keys> = of(Or(LAW, List(LAW)), "spring", "Law of the springs, instead of `k`.")
        .example("{ type = \"spring\", k = \"1 kN/mm\" }");
    OWN: Keys = of(LAW, "spring<N>", "Law of one spring, instead of the common one.").example("soft");
    ENDS: List<Text> = key("ends", "Nodes to which the two ends are attached, or \"free\".").default("[\"ground\", \
        \"free\"]")
        .example("[\"ground\", \"roof\"]");
    DOF: Text = key("dof", "Direction.").default("x").example("y");
    SPACING: Length = key("spacing", "Distance between the masses, for drawings.").default("1 m").example("2 m");
}

/// Nodes `m1`, ... and elements `spring1`, ... from one end to the other.
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let n = block.table.read(&MASSES).map(|n| n.value as usize);
    let prefix = block.prefix();
    let dof = block.table.good(&DOF);
    let origin = block.origin();
    let spacing = block.table.value(&SPACING);
    let ends = ends(block);
    let (n, prefix, dof, [start, end]) = (n?, prefix?, dof?, ends?);
    block.shared.claim(2 * n as u64 + 1, 0, &block.span())?;
    let masses = block.each_required(&MASS, n, "masses");
    let mut joints: Vec<String> = (1..=n).map(|i| format!("{prefix}m{i}")).collect();
    for (i, mass) in masses.iter().flatten().enumerate() {
        let node = Made::new(joints[i].clone(), block.span()).texts("dofs", [&dof]).with("mass", mass.clone());
        let along = spacing * (i + 1) as f64;
        body.node(node.at(&[origin[0] + along, origin[1], origin[2]]));
    }
    if let Some(start) = start {
        joints.insert(0, start);
    }
    joints.extend(end);
    if joints.len() < 2 {
        return block.error(block.span(), "a single mass with two free ends has no spring", "name a node in `ends`");
    }
    let laws = block.laws(&SPRING, &K, joints.len() - 1)?;
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
    match &block.table.good(&ENDS)?[..] {
        [a, b] => Some([node(&a.value), node(&b.value)]),
        other => {
            let message = format!("a chain has two ends, found {}", other.len());
            block.error(block.table.place(&ENDS), message, "write ends = [\"ground\", \"free\"]")
        }
    }
}
