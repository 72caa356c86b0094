//! `[[plane-frame]]`: columns and beams in the x-y plane, y upwards.

use toml::de::DeTable;

use super::block::{Block, positions};
use super::{Body, Made, sections};
use crate::reader::Item;

/// Keys of the block.
pub(super) const KEYS: [&str; 10] =
    ["name", "at", "bays", "width", "storeys", "height", "column", "beam", "supports", "floor_mass"];

/// Nodes `n<level>_<line>`, columns `c<level>_<line>` below them, beams `b<level>_<bay>`.
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let prefix = block.prefix();
    let (bays, storeys) = (block.lengths("bays", "width"), block.lengths("storeys", "height"));
    let origin = block.origin();
    let pinned = block.choice("supports", &["fixed", "pinned"]);
    let (prefix, bays, storeys, pinned) = (prefix?, bays?, storeys?, pinned? == 1);
    let size = (bays.len() as u64 + 1).saturating_mul(storeys.len() as u64 + 1);
    block.shared.claim(size.saturating_mul(3), 0, &block.span())?;
    let columns = members(block, "column", storeys.len());
    let beams = members(block, "beam", storeys.len());
    let masses = floor_masses(block, storeys.len(), bays.len() + 1);
    let (columns, beams, masses) = (columns?, beams?, masses?);
    let (x, y) = (positions(&bays), positions(&storeys));
    let name = |kind: &str, level: usize, line: usize| format!("{prefix}{kind}{level}_{line}");
    for (level, y) in y.iter().enumerate() {
        for (line, x) in x.iter().enumerate() {
            let node = Made::new(name("n", level, line), block.span()).texts("dofs", ["x", "y", "rz"]);
            let node = node.at(&[origin[0] + x, origin[1] + y]);
            body.node(match level {
                0 if pinned => node.texts("fixed", ["x", "y"]),
                0 => node.texts("fixed", ["x", "y", "rz"]),
                _ => node.maybe("mass", masses.get(level - 1).cloned()),
            });
        }
    }
    for level in 1..y.len() {
        for line in 0..x.len() {
            let column = Made::new(name("c", level, line), block.span());
            let column = column.texts("nodes", [name("n", level - 1, line), name("n", level, line)]);
            body.element(column.and(columns[level - 1].clone()));
        }
    }
    for level in 1..y.len() {
        for bay in 0..bays.len() {
            let beam = Made::new(name("b", level, bay), block.span());
            let beam = beam.texts("nodes", [name("n", level, bay), name("n", level, bay + 1)]);
            body.element(beam.and(beams[level - 1].clone()));
        }
    }
    Some(())
}

fn members<'a>(block: &Block<'_, 'a>, key: &str, storeys: usize) -> Option<Vec<DeTable<'a>>> {
    sections::members(block, key, storeys, "storeys", "beam2d")
}

/// The extra mass of each floor, shared by its nodes; empty if there is none.
pub(super) fn floor_masses<'a>(block: &Block<'_, 'a>, storeys: usize, nodes: usize) -> Option<Vec<Item<'a>>> {
    if !block.table.has("floor_mass") {
        return Some(Vec::new());
    }
    let masses = block.each("floor_mass", storeys, "storeys")?;
    Some(masses.into_iter().map(|mass| sections::share(mass, nodes)).collect())
}
