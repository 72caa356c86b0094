//! Numeric supernodal factorisation `A = L D Lᵀ` or `A = L D U`: multifrontal (Duff and Reid 1983), node by node in the order of the tree.
//!
//! A node collects its entries of the matrix and the updates of its children, eliminates its columns ([`crate::front`]) and
//! leaves an update for its parent. [`factorize`] does this on one core and allocates nothing; [`factorize_on_all_cores`]
//! gives subtrees to several cores and shares the large blocks among them. Both do the same operations in the same order on
//! every number, so the bits are the same.

use std::ops::Range;

use faer::MatMut;

use crate::front::{Scratch, eliminate, eliminate_general};
use crate::ordering::NONE;
use crate::packed::pack;
use crate::tree::{Node, Tree};
use crate::watch::Watch;

/// Subtrees with fewer multiplications stay on one core.
const ALONE: f64 = 2.0e7;

/// Memory of a factorisation on one core.
pub(crate) struct Workspace {
    /// Update matrices that wait for their parents.
    stack: Vec<f64>,
    scratch: Scratch,
}

impl Workspace {
    /// For the nodes of a subtree, or all.
    pub(crate) fn new(tree: &Tree, nodes: Range<usize>) -> Workspace {
        let height = tree.nodes[nodes.clone()].iter().map(Node::height).max().unwrap_or(0);
        Workspace { stack: vec![0.0; tree.stack(nodes)], scratch: Scratch::new(height) }
    }
}

/// The factor of a subtree, or of the whole tree: packed blocks and pivots.
pub(crate) struct Target<'a> {
    pub(crate) lower: &'a mut [f64],
    /// Transposed `U`, in the same places; empty for symmetric values.
    pub(crate) upper: &'a mut [f64],
    pub(crate) pivots: &'a mut [f64],
}

impl<'a> Target<'a> {
    /// Divided before a node; `start` is the first node of this part.
    fn split(self, start: &Node, at: &Node) -> (Target<'a>, Target<'a>) {
        let place = at.values - start.values;
        let (a, b) = self.lower.split_at_mut(place);
        let (e, f) = self.upper.split_at_mut(if self.upper.is_empty() { 0 } else { place });
        let (c, d) = self.pivots.split_at_mut((at.first - start.first) as usize);
        (Target { lower: a, upper: e, pivots: c }, Target { lower: b, upper: f, pivots: d })
    }

    /// The part of a node.
    fn of(&mut self, start: &Node, node: &Node) -> Target<'_> {
        let width = node.width as usize;
        let (place, len) = (node.values - start.values, node.height() * width);
        Target {
            lower: &mut self.lower[place..][..len],
            upper: if self.upper.is_empty() { &mut [] } else { &mut self.upper[place..][..len] },
            pivots: &mut self.pivots[(node.first - start.first) as usize..][..width],
        }
    }
}

/// Factorises on one core. The error is the column of a pivot that is exactly zero.
pub(crate) fn factorize(tree: &Tree, values: &[f64], target: Target<'_>, space: &mut Workspace) -> Result<(), usize> {
    if tree.nodes.is_empty() {
        return Ok(());
    }
    range(tree, values, 0..tree.nodes.len(), target, space)
}

/// Factorises with the threads of the current pool.
pub(crate) fn factorize_on_all_cores(
    tree: &Tree,
    values: &[f64],
    target: Target<'_>,
    watch: &Watch,
) -> Result<(), usize> {
    Job { tree, values, watch }.each(&tree.roots, target).map(|_| ())
}

/// Nodes of a subtree (or of the whole forest), one after the other; `target` is their part only. What they leave is at the
/// bottom of the stack.
fn range(
    tree: &Tree,
    values: &[f64],
    nodes: Range<usize>,
    mut target: Target<'_>,
    space: &mut Workspace,
) -> Result<(), usize> {
    let start = &tree.nodes[nodes.start];
    let mut top = 0;
    for s in nodes {
        let node = &tree.nodes[s];
        let square = (node.below as usize).pow(2);
        let (kids, rest) = space.stack.split_at_mut(top);
        let update = &mut rest[..square];
        let mut own = target.of(start, node);
        gather(tree, s, values, &mut own, update);
        let mut bottom = top;
        for &c in tree.children(s).iter().rev() {
            bottom -= (tree.nodes[c as usize].below as usize).pow(2);
        }
        let mut at = bottom;
        for &c in tree.children(s) {
            let child = &tree.nodes[c as usize];
            let length = (child.below as usize).pow(2);
            add(&kids[at..at + length], tree.places(child), node, &mut own, update);
            at += length;
        }
        front(node, own, update, &mut space.scratch, false)?;
        space.stack.copy_within(top..top + square, bottom);
        top = bottom + square;
    }
    Ok(())
}

fn front(node: &Node, own: Target<'_>, update: &mut [f64], scratch: &mut Scratch, cores: bool) -> Result<(), usize> {
    let (height, width, below) = (node.height(), node.width as usize, node.below as usize);
    let Target { lower, upper, pivots } = own;
    let matrix = MatMut::from_column_major_slice_mut(&mut *lower, height, width);
    let update = MatMut::from_column_major_slice_mut(update, below, below);
    let done = if upper.is_empty() {
        eliminate(matrix, update, scratch, cores)
    } else {
        eliminate_general(matrix, MatMut::from_column_major_slice_mut(&mut *upper, height, width), update, cores)
    };
    done.map_err(|k| node.first as usize + k)?;
    for (k, pivot) in pivots.iter_mut().enumerate() {
        *pivot = lower[k * (height + 1)];
    }
    if !upper.is_empty() {
        for (k, pivot) in pivots.iter().enumerate() {
            let column = &mut upper[k * height..(k + 1) * height];
            for i in k + 1..width {
                column[i] = lower[i * height + k];
            }
            column[k + 1..].iter_mut().for_each(|u| *u /= pivot);
        }
        pack(node, upper, &mut scratch.scaled);
    }
    pack(node, lower, &mut scratch.scaled);
    Ok(())
}

/// The block with its entries of the matrix, the update empty.
fn gather(tree: &Tree, s: usize, values: &[f64], own: &mut Target<'_>, update: &mut [f64]) {
    own.lower.fill(0.0);
    own.upper.fill(0.0);
    update.fill(0.0);
    for entry in tree.entries(s) {
        own.lower[entry.target as usize] = values[entry.source as usize];
    }
    if !own.upper.is_empty() {
        for (entry, mirror) in tree.entries(s).iter().zip(tree.mirrors(s)) {
            let value = values[mirror.source as usize];
            match mirror.inside {
                NONE => own.upper[entry.target as usize] = value,
                place => own.lower[place as usize] = value,
            }
        }
    }
}

/// Adds the update of a child.
fn add(child: &[f64], places: &[u32], node: &Node, own: &mut Target<'_>, update: &mut [f64]) {
    let (count, width) = (places.len(), node.width);
    let (height, below) = (node.height(), node.below as usize);
    let inside = places.partition_point(|&p| p < width);
    let general = !own.upper.is_empty();
    for (k, &place) in places.iter().enumerate() {
        let column = &child[k * count..(k + 1) * count];
        let from = if general { 0 } else { k };
        if k < inside {
            let target = &mut own.lower[place as usize * height..][..height];
            spread(&column[from..], &places[from..], 0, target);
            continue;
        }
        if general {
            for (x, &p) in column[..inside].iter().zip(places) {
                own.upper[p as usize * height + place as usize] += x;
            }
        }
        let from = from.max(inside);
        let target = &mut update[(place - width) as usize * below..][..below];
        spread(&column[from..], &places[from..], width, target);
    }
}

#[inline(always)]
fn spread(column: &[f64], places: &[u32], shift: u32, target: &mut [f64]) {
    let (first, last) = (places[0] - shift, places[places.len() - 1] - shift);
    if (last - first) as usize + 1 == places.len() {
        // One run without a gap, which is usual near the root.
        for (t, x) in target[first as usize..=last as usize].iter_mut().zip(column) {
            *t += x;
        }
        return;
    }
    for (x, &p) in column.iter().zip(places) {
        target[(p - shift) as usize] += x;
    }
}

/// A factorisation on several cores.
#[derive(Clone, Copy)]
struct Job<'a> {
    tree: &'a Tree,
    values: &'a [f64],
    watch: &'a Watch,
}

impl Job<'_> {
    /// The updates of subtrees with these roots, whose values are adjacent.
    fn each(self, roots: &[u32], target: Target<'_>) -> Result<Vec<Vec<f64>>, usize> {
        match roots {
            [] => Ok(Vec::new()),
            [root] => Ok(vec![self.subtree(*root as usize, target)?]),
            _ => {
                let nodes = &self.tree.nodes;
                let begin = |root: u32| &nodes[nodes[root as usize].subtree as usize];
                let (a, b) = roots.split_at(roots.len() / 2);
                let (left, right) = target.split(begin(a[0]), begin(b[0]));
                let (first, second) = rayon::join(|| self.each(a, left), || self.each(b, right));
                // Columns of the first are lower: its failure is the one that a single core meets.
                let mut first = first?;
                first.extend(second?);
                Ok(first)
            }
        }
    }

    /// The update of a subtree.
    fn subtree(self, s: usize, target: Target<'_>) -> Result<Vec<f64>, usize> {
        let tree = self.tree;
        let node = &tree.nodes[s];
        let first = node.subtree as usize;
        let square = (node.below as usize).pow(2);
        if node.products < ALONE || first == s {
            let mut space = Workspace::new(tree, first..s + 1);
            range(tree, self.values, first..s + 1, target, &mut space)?;
            self.watch.add(node.products);
            space.stack.truncate(square);
            return Ok(space.stack);
        }
        let (below, mut own) = target.split(&tree.nodes[first], node);
        let updates = self.each(tree.children(s), below)?;
        let mut update = vec![0.0; square];
        let mut own = own.of(node, node);
        gather(tree, s, self.values, &mut own, &mut update);
        for (&c, child) in tree.children(s).iter().zip(&updates) {
            add(child, tree.places(&tree.nodes[c as usize]), node, &mut own, &mut update);
        }
        drop(updates);
        front(node, own, &mut update, &mut Scratch::new(node.height()), true)?;
        self.watch.add(node.products - tree.children(s).iter().map(|&c| tree.nodes[c as usize].products).sum::<f64>());
        Ok(update)
    }
}
