//! The stored form of a finished block: panels of up to [`COLUMNS`] columns whose values follow each other as the
//! substitutions read them, so that both directions are one walk through memory.
//!
//! A panel of `q` columns from column `c` on holds `q` by `q` values on and above and below its diagonal, then tiles of
//! [`TILE`] rows, then the rows that are left; each of these pieces column by column. It has the memory of its columns in the
//! block, less the rows above the diagonal, at the end.

use crate::tree::Node;

/// Columns of a panel, and rows of a tile.
pub(crate) const COLUMNS: usize = 4;
pub(crate) const TILE: usize = 4;

/// One panel: first column, number of columns, and where its values are in the block.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Panel {
    pub(crate) first: usize,
    pub(crate) columns: usize,
    start: usize,
    end: usize,
}

impl Panel {
    fn new(node: &Node, first: usize) -> Panel {
        let (height, width) = (node.height(), node.width as usize);
        let columns = COLUMNS.min(width - first);
        Panel { first, columns, start: first * (height + columns), end: (first + columns) * height }
    }

    /// The panels of a node, from the left.
    pub(crate) fn all(node: &Node) -> impl DoubleEndedIterator<Item = Panel> + '_ {
        (0..(node.width as usize).div_ceil(COLUMNS)).map(|k| Panel::new(node, k * COLUMNS))
    }

    pub(crate) fn of<'a>(&self, block: &'a [f64]) -> &'a [f64] {
        &block[self.start..self.end]
    }

    /// Calls `visit(row, column, values)`, both counted from the first column, for every place below the diagonal, with the
    /// values of both blocks there.
    pub(crate) fn each(&self, [a, b]: [&[f64]; 2], mut visit: impl FnMut(usize, usize, [f64; 2])) {
        let (q, a, b) = (self.columns, self.of(a), self.of(b));
        for (row, column, at) in places(a.len() / q, q) {
            if row > column {
                visit(row, column, [a[at], b[at]]);
            }
        }
    }
}

/// Row, column and place of every value of a panel.
fn places(rows: usize, q: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    let tiles = (rows - q) / TILE;
    let pieces = [(0, q)].into_iter().chain((0..tiles).map(move |t| (q + t * TILE, TILE)));
    let last = q + tiles * TILE;
    let pieces = pieces.chain((last < rows).then_some((last, rows - last)));
    pieces.flat_map(move |(start, count)| {
        (0..q).flat_map(move |c| (0..count).map(move |r| (start + r, c, start * q + c * count + r)))
    })
}

/// Packs a block; what stands on and above its diagonal is not read later. `scratch` has the height times [`COLUMNS`] values.
pub(crate) fn pack(node: &Node, block: &mut [f64], scratch: &mut [f64]) {
    let height = node.height();
    for panel in Panel::all(node) {
        let (q, rows) = (panel.columns, height - panel.first);
        let source = &mut scratch[..rows * q];
        for (c, column) in source.chunks_exact_mut(rows).enumerate() {
            column.copy_from_slice(&block[(panel.first + c) * height + panel.first..][..rows]);
        }
        let target = &mut block[panel.start..panel.end];
        let mut at = 0;
        let mut row = 0;
        while row < rows {
            let count = if row == 0 { q } else { TILE.min(rows - row) };
            for c in 0..q {
                target[at..at + count].copy_from_slice(&source[c * rows + row..][..count]);
                at += count;
            }
            row += count;
        }
    }
}
