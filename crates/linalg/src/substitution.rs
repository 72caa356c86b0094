//! Forward and backward substitution with the packed blocks of a supernodal factor: every value of the factor is read once in
//! each direction, in the order of memory, because the memory is what bounds the time.
//!
//! Forward, a node passes what it adds to the rows below it on to its parent, as the factorisation does with its updates. So
//! every sum has its order from the tree alone, and the bits do not depend on which thread computes which subtree.

use std::ops::Range;
use std::sync::Arc;

use faer::traits::pulp::{Arch, Simd, WithSimd};

use crate::packed::{Panel, TILE};
use crate::tree::{Node, Tree};

/// A finished factor: what substitutions read.
#[derive(Debug)]
pub(crate) struct Blocks {
    pub(crate) tree: Arc<Tree>,
    pub(crate) lower: Vec<f64>,
    /// Transposed `U` in the same places; empty for symmetric values, of which it is `L`.
    pub(crate) upper: Vec<f64>,
    /// Inverse pivots.
    pub(crate) inverse: Vec<f64>,
}

/// Vectors of a substitution in one thread.
pub(crate) struct Vectors {
    /// Right-hand side and solution, in the order of elimination.
    pub(crate) x: Vec<f64>,
    /// Forward: what finished nodes add to the rows below them, until their parents are computed. At the top the vector of the
    /// node at work, its own columns first.
    pub(crate) stack: Vec<f64>,
}

impl Vectors {
    pub(crate) fn new(tree: &Tree) -> Vectors {
        let (mut top, mut most) = (0, 0);
        for (s, node) in tree.nodes.iter().enumerate() {
            most = most.max(top + node.height());
            top += node.below as usize;
            top -= tree.children(s).iter().map(|&c| tree.nodes[c as usize].below as usize).sum::<usize>();
        }
        Vectors { x: vec![0.0; tree.order.len()], stack: vec![0.0; most] }
    }
}

impl Blocks {
    pub(crate) fn new(tree: Arc<Tree>, general: bool) -> Blocks {
        let (n, len) = (tree.order.len(), tree.values_len);
        let upper = vec![0.0; if general { len } else { 0 }];
        Blocks { lower: vec![0.0; len], upper, inverse: vec![0.0; n], tree }
    }

    /// Transposed `U`.
    pub(crate) fn transposed(&self) -> &[f64] {
        if self.upper.is_empty() { &self.lower } else { &self.upper }
    }

    /// `x ← L⁻¹ x` for the nodes of a subtree, or of all; what it adds to the rows below its root is at the start of the stack
    /// afterwards.
    pub(crate) fn forward(&self, nodes: Range<usize>, vectors: &mut Vectors) {
        self.run(Forward, nodes, vectors);
    }

    /// `x ← U⁻¹ D⁻¹ x` for the nodes of a subtree, or of all.
    pub(crate) fn backward(&self, nodes: Range<usize>, vectors: &mut Vectors) {
        self.run(Backward, nodes, vectors);
    }

    /// The widest instructions of the processor; none that fuse, so the bits are the same with all of them.
    fn run<P: Pass>(&self, pass: P, nodes: Range<usize>, vectors: &mut Vectors) {
        Arch::new().dispatch(Walk { pass, blocks: self, nodes, vectors });
    }

    /// One node forward; `kids` are what its children pass on, `y` becomes what it passes on itself.
    pub(crate) fn forward_at<'k>(
        &self,
        s: usize,
        kids: impl Iterator<Item = (&'k [f64], &'k [u32])>,
        x: &mut [f64],
        y: &mut [f64],
    ) {
        Arch::new().dispatch(One { blocks: self, s, kids, x, y });
    }
}

struct Forward;
struct Backward;

/// A walk through the nodes.
trait Pass {
    fn walk(&self, blocks: &Blocks, nodes: Range<usize>, vectors: &mut Vectors);
}

struct Walk<'a, P> {
    pass: P,
    blocks: &'a Blocks,
    nodes: Range<usize>,
    vectors: &'a mut Vectors,
}

impl<P: Pass> WithSimd for Walk<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        self.pass.walk(self.blocks, self.nodes, self.vectors);
    }
}

struct One<'a, K> {
    blocks: &'a Blocks,
    s: usize,
    kids: K,
    x: &'a mut [f64],
    y: &'a mut [f64],
}

impl<'k, K: Iterator<Item = (&'k [f64], &'k [u32])>> WithSimd for One<'_, K> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        forward(self.blocks, self.s, self.kids, self.x, self.y);
    }
}

impl Pass for Forward {
    #[inline(always)]
    fn walk(&self, blocks: &Blocks, nodes: Range<usize>, vectors: &mut Vectors) {
        let tree = &blocks.tree;
        let Vectors { x, stack } = vectors;
        let mut top = 0;
        for s in nodes {
            let node = &tree.nodes[s];
            let (width, height) = (node.width as usize, node.height());
            let (kids, y) = stack.split_at_mut(top);
            let children = tree.children(s);
            let below = |c: &u32| tree.nodes[*c as usize].below as usize;
            let bottom = top - children.iter().map(below).sum::<usize>();
            let mut rest = &kids[bottom..];
            let passed = children.iter().map(|c| {
                let (own, others) = rest.split_at(below(c));
                rest = others;
                (own, tree.places(&tree.nodes[*c as usize]))
            });
            forward(blocks, s, passed, x, &mut y[..height]);
            stack.copy_within(top + width..top + height, bottom);
            top = bottom + height - width;
        }
    }
}

impl Pass for Backward {
    #[inline(always)]
    fn walk(&self, blocks: &Blocks, nodes: Range<usize>, vectors: &mut Vectors) {
        let Vectors { x, stack } = vectors;
        for s in nodes.rev() {
            backward(blocks, s, x, stack);
        }
    }
}

/// Calls a kernel with the number of columns as a constant.
macro_rules! by_columns {
    ($panel:expr, $kernel:ident ( $($arg:expr),* )) => {
        match $panel.columns {
            1 => $kernel::<1>($($arg),*),
            2 => $kernel::<2>($($arg),*),
            3 => $kernel::<3>($($arg),*),
            _ => $kernel::<4>($($arg),*),
        }
    };
}

/// `x ← L⁻¹ x` for one node, whose vector is `y`.
#[inline(always)]
fn forward<'k>(
    blocks: &Blocks,
    s: usize,
    kids: impl Iterator<Item = (&'k [f64], &'k [u32])>,
    x: &mut [f64],
    y: &mut [f64],
) {
    let node = &blocks.tree.nodes[s];
    let (width, first) = (node.width as usize, node.first as usize);
    let own = &mut x[first..first + width];
    y[..width].copy_from_slice(own);
    y[width..].fill(0.0);
    for (passed, places) in kids {
        for (&place, t) in places.iter().zip(passed) {
            y[place as usize] += t;
        }
    }
    let block = &blocks.lower[node.values..];
    for panel in Panel::all(node) {
        by_columns!(panel, forward_panel(panel.of(block), &mut y[panel.first..]));
    }
    own.copy_from_slice(&y[..width]);
}

/// `x ← U⁻¹ D⁻¹ x` for one node; `y` is scratch memory of at least its height.
#[inline(always)]
fn backward(blocks: &Blocks, s: usize, x: &mut [f64], y: &mut [f64]) {
    let node: &Node = &blocks.tree.nodes[s];
    let (height, width, first) = (node.height(), node.width as usize, node.first as usize);
    let y = &mut y[..height];
    let pivots = &blocks.inverse[first..first + width];
    for ((y, x), d) in y.iter_mut().zip(&x[first..first + width]).zip(pivots) {
        *y = x * d;
    }
    for (t, &row) in y[width..].iter_mut().zip(blocks.tree.rows(node)) {
        *t = x[row as usize];
    }
    let block = &blocks.transposed()[node.values..];
    for panel in Panel::all(node).rev() {
        by_columns!(panel, backward_panel(panel.of(block), &mut y[panel.first..]));
    }
    x[first..first + width].copy_from_slice(&y[..width]);
}

/// Bytes between the tile at work and the one that is asked for: two pages of memory, because the processor by itself does not
/// read beyond the page it is in.
const AHEAD: isize = 8192;

/// Asks for the memory so far from a tile; an address that is not ours does no harm.
#[inline(always)]
fn read_ahead<const Q: usize>(tile: &[[f64; TILE]; Q], bytes: isize) {
    #[cfg(target_arch = "x86_64")]
    if let Some(sse) = faer::traits::pulp::core_arch::x86::Sse::try_new() {
        for line in 0..(8 * TILE * Q).div_ceil(64) {
            let place = tile.as_ptr().wrapping_byte_offset(bytes + 64 * line as isize);
            sse._mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(place.cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (tile, bytes);
}

#[inline(always)]
fn forward_panel<const Q: usize>(values: &[f64], y: &mut [f64]) {
    let (diagonal, values) = values.split_at(Q * Q);
    let (top, rest) = y.split_at_mut(Q);
    for i in 1..Q {
        for q in 0..i {
            top[i] -= diagonal[q * Q + i] * top[q];
        }
    }
    let top: [f64; Q] = std::array::from_fn(|q| top[q]);
    let (tiles, last) = rest.as_chunks_mut::<TILE>();
    let (body, end) = values.split_at(tiles.len() * TILE * Q);
    // Tile by tile, not as a counted loop: the compiler would put one row of several tiles into a register instead of the
    // rows of one tile.
    let (mut tiles, mut body) = (tiles, body.as_chunks::<TILE>().0);
    while let (Some((t, more)), Some((tile, rest))) = (tiles.split_first_mut(), body.split_first_chunk::<Q>()) {
        read_ahead(tile, AHEAD);
        let mut sum = *t;
        for q in 0..Q {
            for i in 0..TILE {
                sum[i] -= tile[q][i] * top[q];
            }
        }
        *t = sum;
        (tiles, body) = (more, rest);
    }
    let count = last.len();
    for (i, t) in last.iter_mut().enumerate() {
        for q in 0..Q {
            *t -= end[q * count + i] * top[q];
        }
    }
}

#[inline(always)]
fn backward_panel<const Q: usize>(values: &[f64], y: &mut [f64]) {
    let (diagonal, values) = values.split_at(Q * Q);
    let (top, rest) = y.split_at_mut(Q);
    let (tiles, last) = rest.as_chunks::<TILE>();
    let (body, end) = values.split_at(tiles.len() * TILE * Q);
    let mut sums = [[0.0; TILE]; Q];
    // From the last tile to the first: with the panels from right to left this is one walk down through memory, which the
    // processor reads ahead. The other way round every panel would begin anew, at a third of the speed.
    let (mut tiles, mut body) = (tiles, body.as_chunks::<TILE>().0);
    while let (Some((t, more)), Some((rest, tile))) = (tiles.split_last(), body.split_last_chunk::<Q>()) {
        read_ahead(tile, -AHEAD);
        for q in 0..Q {
            for i in 0..TILE {
                sums[q][i] += tile[q][i] * t[i];
            }
        }
        (tiles, body) = (more, rest);
    }
    // Without this the compiler would put the sums of several columns into one register, and turn every tile for that.
    let sums = std::hint::black_box(sums);
    for q in (0..Q).rev() {
        let mut sum = (sums[q][0] + sums[q][1]) + (sums[q][2] + sums[q][3]);
        for (l, t) in end[q * last.len()..].iter().zip(last) {
            sum += l * t;
        }
        top[q] -= sum;
        for i in q + 1..Q {
            top[q] -= diagonal[q * Q + i] * top[i];
        }
    }
}
