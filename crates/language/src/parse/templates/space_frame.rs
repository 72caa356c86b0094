//! `[[space-frame]]`: columns along z, beams along x and y.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use super::block::{Block, positions};
use super::plane_frame::floor_masses;
use super::{Body, Made, sections};
use crate::reader::Item;

const DOFS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

/// Keys of the block.
pub(super) const KEYS: [&str; 14] = [
    "name",
    "at",
    "bays_x",
    "width_x",
    "bays_y",
    "width_y",
    "storeys",
    "height",
    "column",
    "beam",
    "beam_x",
    "beam_y",
    "supports",
    "floor_mass",
];

/// Nodes `n<level>_<x>_<y>`; columns `c...` named after the node above, beams `x...` and `y...` after the node before.
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let prefix = block.prefix();
    let bays = [block.lengths("bays_x", "width_x"), block.lengths("bays_y", "width_y")];
    let storeys = block.lengths("storeys", "height");
    let origin = block.origin();
    let pinned = block.choice("supports", &["fixed", "pinned"]);
    let [bays_x, bays_y] = bays;
    let (prefix, bays_x, bays_y, storeys, pinned) = (prefix?, bays_x?, bays_y?, storeys?, pinned? == 1);
    let (nx, ny) = (bays_x.len() + 1, bays_y.len() + 1);
    let size = (nx as u64).saturating_mul(ny as u64).saturating_mul(storeys.len() as u64 + 1);
    block.shared.claim(size.saturating_mul(4), 0, &block.span())?;
    let members = |key: &str| sections::members(block, key, storeys.len(), "storeys", "beam3d");
    let columns = members("column");
    // One key for the beams of both directions, or one each.
    let (along_x, along_y) = match block.table.has("beam") {
        true => (members("beam"), members("beam")),
        false => (members("beam_x"), members("beam_y")),
    };
    let masses = floor_masses(block, storeys.len(), nx * ny);
    let (columns, along_x, along_y, masses) = (columns?, along_x?, along_y?, masses?);
    let (x, y, z) = (positions(&bays_x), positions(&bays_y), positions(&storeys));
    let name = |kind: &str, [level, i, j]: [usize; 3]| format!("{prefix}{kind}{level}_{i}_{j}");
    let places = || {
        let (nz, nx, ny) = (z.len(), x.len(), y.len());
        (0..nz).flat_map(move |k| (0..nx).flat_map(move |i| (0..ny).map(move |j| [k, i, j])))
    };
    for [level, i, j] in places() {
        let node = Made::new(name("n", [level, i, j]), block.span()).texts("dofs", DOFS);
        let node = node.at(&[origin[0] + x[i], origin[1] + y[j], origin[2] + z[level]]);
        body.node(match level {
            0 if pinned => node.texts("fixed", DOFS[..3].to_vec()),
            0 => node.texts("fixed", DOFS),
            _ => node.maybe("mass", masses.get(level - 1).cloned()),
        });
    }
    for [level, i, j] in places() {
        let mut member = |kind: &str, named: [usize; 3], to: [usize; 3], keys: &DeTable<'a>, up: [&'static str; 3]| {
            let made = Made::new(name(kind, named), block.span());
            let made = made.texts("nodes", [name("n", [level, i, j]), name("n", to)]);
            let oriented = block.has_key(keys, "vecxz");
            let made = if oriented { made } else { made.with("vecxz", vector(up, &block.span())) };
            body.element(made.and(keys.clone()));
        };
        if level < storeys.len() {
            member("c", [level + 1, i, j], [level + 1, i, j], &columns[level], ["0", "1", "0"]);
        }
        if level > 0 && i < bays_x.len() {
            member("x", [level, i, j], [level, i + 1, j], &along_x[level - 1], ["0", "1", "0"]);
        }
        if level > 0 && j < bays_y.len() {
            member("y", [level, i, j], [level, i, j + 1], &along_y[level - 1], ["1", "0", "0"]);
        }
    }
    Some(())
}

/// A list of plain numbers.
fn vector<'a>(numbers: [&'static str; 3], span: &Range<usize>) -> Item<'a> {
    let mut list = DeArray::new();
    for number in numbers.into_iter().filter_map(|n| DeValue::parse(n).ok()) {
        list.push(toml::Spanned::new(span.clone(), number.into_inner()));
    }
    toml::Spanned::new(span.clone(), DeValue::Array(list))
}
