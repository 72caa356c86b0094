//! `[[space-frame]]`: columns along z, beams along x and y.

use std::ops::Range;

use toml::de::{DeArray, DeTable, DeValue};

use super::block::{AT, Block, Each, Keys, NAME, positions, spacing};
use super::plane_frame::{self, floor_masses};
use super::sections::MEMBER;
use super::{Body, Made, sections};
use crate::key::*;
use crate::reader::Item;

const DOFS: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];

section! {
    /// A frame in space.
    pub(super) SPACE_FRAME = ("space-frame", "[[space-frame]]", "Nodes `n2_0_1` (level, line along x, line along y), columns `c2_0_1` \
        below them, beams `x2_0_1` and `y2_0_1`.");
    FRAME_NAME: Text = NAME;
    FRAME_AT: List<Length> = AT;
    BAYS_X: Or<Count, List<Length>> = spacing("bays_x", "Widths of the bays along x, or their number.");
    WIDTH_X: Length = key("width_x", "Width of each, if `bays_x` is a number.").range(POSITIVE).example("3.5 m");
    BAYS_Y: Or<Count, List<Length>> = spacing("bays_y", "Widths of the bays along y, or their number.");
    WIDTH_Y: Length = key("width_y", "Width of each, if `bays_y` is a number.").range(POSITIVE).example("3.5 m");
    STOREYS: Or<Count, List<Length>> = plane_frame::STOREYS;
    HEIGHT: Length = plane_frame::HEIGHT;
    COLUMN: Each<Keys> = of(Or(MEMBER, List(MEMBER)), "column", "The columns (beam3d); `vecxz` = [0, 1, 0] unless given.").required()
        .example("steel");
    BEAM: Each<Keys> = of(Or(MEMBER, List(MEMBER)), "beam", "The beams (beam3d) of both directions.").example("steel");
    BEAM_X: Each<Keys> = of(Or(MEMBER, List(MEMBER)), "beam_x", "The beams along x, instead of \
        `beam`.").example("steel");
    BEAM_Y: Each<Keys> = of(Or(MEMBER, List(MEMBER)), "beam_y", "The beams along y, instead of \
        `beam`.").example("steel");
    SUPPORTS: Choice<(bool, &'static str)> = plane_frame::SUPPORTS;
    FLOOR_MASS: Each<Mass> = plane_frame::FLOOR_MASS;
}

/// Nodes `n<level>_<x>_<y>`; columns `c...` named after the node above, beams `x...` and `y...` after the node before.
pub(super) fn write<'a>(block: &Block<'_, 'a>, body: &mut Body<'a>) -> Option<()> {
    let prefix = block.prefix();
    let bays = [block.lengths(&BAYS_X, &WIDTH_X), block.lengths(&BAYS_Y, &WIDTH_Y)];
    let storeys = block.lengths(&STOREYS, &HEIGHT);
    let origin = block.origin();
    let pinned = block.table.good(&SUPPORTS);
    let [bays_x, bays_y] = bays;
    let (prefix, bays_x, bays_y, storeys, pinned) = (prefix?, bays_x?, bays_y?, storeys?, pinned?.0);
    let (nx, ny) = (bays_x.len() + 1, bays_y.len() + 1);
    let size = (nx as u64).saturating_mul(ny as u64).saturating_mul(storeys.len() as u64 + 1);
    block.shared.claim(size.saturating_mul(4), 0, &block.span())?;
    let members = |key: &Key<Each<Keys>>| sections::members(block, key, storeys.len(), "storeys", "beam3d");
    let columns = members(&COLUMN);
    // One key for the beams of both directions, or one each.
    let (along_x, along_y) = match block.table.has(&BEAM) {
        true => (members(&BEAM), members(&BEAM)),
        false => (members(&BEAM_X), members(&BEAM_Y)),
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
