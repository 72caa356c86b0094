//! Forward and backward substitution with the packed blocks of a supernodal factor: every value of the factor is read once in
//! each direction, in the order of memory, because the memory is what bounds the time.
//!
//! The rows below a node are collected in (or spread from) a dense vector, so the inner loops have no indices.

use crate::packed::{Panel, Stored, TILE};
use crate::tree::{Node, Tree};

/// Calls a kernel with the number of columns as a constant.
macro_rules! by_columns {
    ($panel:expr, $kernel:ident ( $($arg:expr),* )) => {
        match $panel.columns {
            1 => $kernel::<1, T>($($arg),*),
            2 => $kernel::<2, T>($($arg),*),
            3 => $kernel::<3, T>($($arg),*),
            _ => $kernel::<4, T>($($arg),*),
        }
    };
}

/// `x ← L⁻¹ x` for one node; `y` is scratch memory of at least its height.
pub(crate) fn forward<T: Stored>(tree: &Tree, node: &Node, block: &[T], x: &mut [f64], y: &mut [f64]) {
    let (height, width, first) = (node.height(), node.width as usize, node.first as usize);
    let y = &mut y[..height];
    y[..width].copy_from_slice(&x[first..first + width]);
    y[width..].fill(0.0);
    for panel in Panel::all(node) {
        by_columns!(panel, forward_panel(panel.of(block), &mut y[panel.first..]));
    }
    x[first..first + width].copy_from_slice(&y[..width]);
    for (&row, t) in tree.rows(node).iter().zip(&y[width..]) {
        x[row as usize] += t;
    }
}

/// `x ← L⁻ᵀ D⁻¹ x` for one node.
pub(crate) fn backward<T: Stored>(
    tree: &Tree,
    node: &Node,
    block: &[T],
    inverse: &[f64],
    x: &mut [f64],
    y: &mut [f64],
) {
    let (height, width, first) = (node.height(), node.width as usize, node.first as usize);
    let y = &mut y[..height];
    let pivots = &inverse[first..first + width];
    for ((y, x), d) in y.iter_mut().zip(&x[first..first + width]).zip(pivots) {
        *y = x * d;
    }
    for (t, &row) in y[width..].iter_mut().zip(tree.rows(node)) {
        *t = x[row as usize];
    }
    for panel in Panel::all(node).rev() {
        by_columns!(panel, backward_panel(panel.of(block), &mut y[panel.first..]));
    }
    x[first..first + width].copy_from_slice(&y[..width]);
}

#[inline(always)]
fn forward_panel<const Q: usize, T: Stored>(values: &[T], y: &mut [f64]) {
    let (diagonal, values) = values.split_at(Q * Q);
    let (top, rest) = y.split_at_mut(Q);
    for i in 1..Q {
        for q in 0..i {
            top[i] -= diagonal[q * Q + i].wide() * top[q];
        }
    }
    let top: [f64; Q] = std::array::from_fn(|q| top[q]);
    let (tiles, last) = rest.as_chunks_mut::<TILE>();
    let (body, end) = values.split_at(tiles.len() * TILE * Q);
    // Tile by tile, not as a counted loop: the compiler would put one row of several tiles into a register instead of the
    // rows of one tile.
    let (mut tiles, mut body) = (tiles, body.as_chunks::<TILE>().0);
    while let (Some((t, more)), Some((tile, rest))) = (tiles.split_first_mut(), body.split_first_chunk::<Q>()) {
        let mut sum = *t;
        for q in 0..Q {
            for i in 0..TILE {
                sum[i] -= tile[q][i].wide() * top[q];
            }
        }
        *t = sum;
        (tiles, body) = (more, rest);
    }
    let count = last.len();
    for (i, t) in last.iter_mut().enumerate() {
        for q in 0..Q {
            *t -= end[q * count + i].wide() * top[q];
        }
    }
}

#[inline(always)]
fn backward_panel<const Q: usize, T: Stored>(values: &[T], y: &mut [f64]) {
    let (diagonal, values) = values.split_at(Q * Q);
    let (top, rest) = y.split_at_mut(Q);
    let (tiles, last) = rest.as_chunks::<TILE>();
    let (body, end) = values.split_at(tiles.len() * TILE * Q);
    let mut sums = [[0.0; TILE]; Q];
    let mut body = body.as_chunks::<TILE>().0;
    let mut tiles = tiles;
    while let (Some((t, more)), Some((tile, rest))) = (tiles.split_first(), body.split_first_chunk::<Q>()) {
        for q in 0..Q {
            for i in 0..TILE {
                sums[q][i] += tile[q][i].wide() * t[i];
            }
        }
        (tiles, body) = (more, rest);
    }
    for q in (0..Q).rev() {
        let mut sum = (sums[q][0] + sums[q][1]) + (sums[q][2] + sums[q][3]);
        for (l, t) in end[q * last.len()..].iter().zip(last) {
            sum += l.wide() * t;
        }
        top[q] -= sum;
        for i in q + 1..Q {
            top[q] -= diagonal[q * Q + i].wide() * top[i];
        }
    }
}
