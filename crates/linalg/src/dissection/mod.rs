//! Nested dissection (George 1973): the graph is divided by a small separator, both parts are ordered in the same way, and
//! the separator comes last. Small parts are ordered by minimum degree.
//!
//! Against minimum degree the factor of large structures in space is smaller, and its elimination tree is balanced, so that
//! several cores work at once.

mod graph;
mod leaf;
mod separator;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use rayon::prelude::*;

use crate::Pattern;
use crate::watch::{Stage, Watch};
use graph::{Graph, NONE};
use separator::{SEPARATOR, separate};

/// Parts with at most so many vertices are divided no more.
const LEAF: usize = 80;

/// A vertex with more neighbours than this times the root of the number of vertices connects everything with everything: it
/// comes last, and the rest is divided without it.
const HUB: f64 = 10.0;

/// Parts with at least so many vertices are ordered on two cores.
const TWO_CORES: usize = 2000;

/// The best of several dissections is better by some percent: as many as have so many edges together, at most three.
const EDGES: usize = 150_000;

/// Orders of elimination, `order[new] = old`, of which the caller takes the best. They do not depend on the number of cores.
pub(crate) fn dissections(pattern: &Pattern, watch: &Watch) -> Vec<Vec<u32>> {
    let (graph, members) = Graph::compressed(pattern);
    let n = graph.n() as f64;
    let count = (EDGES / graph.to.len().max(1)).clamp(1, 3) as u64;
    // Every level of the tree goes over all vertices.
    watch.begin(Stage::Ordering, count as f64 * n * (n / LEAF as f64).log2().max(1.0));
    let many = (HUB * n.sqrt()) as usize;
    let (hubs, rest): (Vec<u32>, Vec<u32>) =
        (0..graph.n() as u32).partition(|&v| graph.neighbours(v as usize).len() > many);
    let one = |seed| {
        let mut order = Vec::with_capacity(graph.n());
        let whole = Part { graph: graph.part(&rest, &mut vec![NONE; graph.n()]), vertices: rest.clone() };
        Dissection { graph: &graph, watch }.connected_parts(whole, seed, &mut order);
        order.iter().chain(&hubs).flat_map(|&v| members.of(v as usize).iter().copied()).collect()
    };
    // Seeds far apart: those of the parts follow from them.
    (1..=count).into_par_iter().map(|k| one(k << 40 | 1)).collect()
}

/// A part of the graph, and the vertex of the whole that each of its vertices is.
struct Part {
    graph: Graph,
    vertices: Vec<u32>,
}

impl Part {
    fn part(&self, vertices: &[u32], place: &mut [u32]) -> Part {
        Part { graph: self.graph.part(vertices, place), vertices: self.names(vertices) }
    }

    fn names(&self, vertices: &[u32]) -> Vec<u32> {
        vertices.iter().map(|&v| self.vertices[v as usize]).collect()
    }
}

struct Dissection<'a> {
    graph: &'a Graph,
    watch: &'a Watch,
}

impl Dissection<'_> {
    /// Appends the order of a part. The seed depends on the place in the tree alone: the order does not depend on the number of
    /// cores.
    fn connected_parts(&self, part: Part, seed: u64, order: &mut Vec<u32>) {
        if part.vertices.len() <= LEAF {
            return order.extend(leaf::order(self.graph, &part.vertices));
        }
        let components = part.graph.components();
        if components.len() == 1 {
            return self.connected(part, seed, order);
        }
        let mut place = vec![NONE; part.graph.n()];
        for vertices in components {
            let component = part.part(&vertices, &mut place);
            if vertices.len() <= LEAF {
                order.extend(leaf::order(self.graph, &component.vertices));
            } else {
                self.connected(component, seed, order);
            }
        }
    }

    fn connected(&self, part: Part, seed: u64, order: &mut Vec<u32>) {
        let n = part.graph.n();
        let side = separate(&part.graph, seed);
        self.watch.add(n as f64);
        let of = |s: u8| (0..n as u32).filter(|&v| side[v as usize] == s).collect::<Vec<u32>>();
        let (a, b) = (of(0), of(1));
        if a.is_empty() || b.is_empty() || a.len().max(b.len()) * 10 > 9 * n {
            // Everything is connected with everything, or nearly: no division is of use.
            let own = minimum_degree(&part.graph.ptr, &part.graph.to).unwrap_or_else(|| (0..n as u32).collect());
            return order.extend(part.names(&own));
        }
        let separator = part.names(&of(SEPARATOR));
        let mut place = vec![NONE; n];
        let (left, right) = (part.part(&a, &mut place), part.part(&b, &mut place));
        drop((part, place));
        let (one, other) = (seed.wrapping_mul(2), seed.wrapping_mul(2).wrapping_add(1));
        if n > TWO_CORES {
            let mut second = Vec::new();
            rayon::join(|| self.connected_parts(left, one, order), || self.connected_parts(right, other, &mut second));
            order.extend(second);
        } else {
            self.connected_parts(left, one, order);
            self.connected_parts(right, other, order);
        }
        order.extend(separator);
    }
}

/// Approximate minimum degree ordering of a graph in compressed rows, `order[new] = old`.
pub(crate) fn minimum_degree(ptr: &[u32], to: &[u32]) -> Option<Vec<u32>> {
    let n = ptr.len() - 1;
    let (mut order, mut inv) = (vec![0u32; n], vec![0u32; n]);
    let mut memory = MemBuffer::try_new(amd::order_scratch::<u32>(n, to.len())).ok()?;
    // Rows of parts of a graph are not sorted, and the ordering does not need it.
    let matrix = SymbolicSparseColMatRef::new_unsorted_checked(n, n, ptr, None, to);
    amd::order(&mut order, &mut inv, matrix, amd::Control::default(), MemStack::new(&mut memory)).ok()?;
    Some(order)
}
