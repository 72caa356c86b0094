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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ordering::Ordering;

    fn grid(nx: usize, ny: usize, more: usize) -> Vec<(usize, usize)> {
        let at = move |x: usize, y: usize| more + x + nx * y;
        let along = (0..ny).flat_map(move |y| (1..nx).map(move |x| (at(x - 1, y), at(x, y))));
        along.chain((1..ny).flat_map(move |y| (0..nx).map(move |x| (at(x, y - 1), at(x, y))))).collect()
    }

    fn entries(pattern: &Pattern) -> u64 {
        let orders = dissections(pattern, &Watch::default());
        for order in &orders {
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.into_iter().eq(0..pattern.n() as u32), "an order holds everything once");
        }
        orders.into_iter().map(|o| Ordering::new(pattern, o, "").entries()).min().unwrap_or(0)
    }

    #[test]
    fn every_graph_has_an_order() {
        let star = (1..3000).map(|i| (0, i)).collect();
        let clique = (0..200).flat_map(|i| (0..i).map(move |j| (i, j))).collect();
        let triangles = (0..1000).flat_map(|k| [(3 * k, 3 * k + 1), (3 * k, 3 * k + 2)]).collect();
        // Two cliques that touch in a chain, and a comb whose teeth are longer than its back.
        let dumb_bell = (0..150)
            .flat_map(|i| (0..i).flat_map(move |j| [(i, j), (250 + i, 250 + j)]))
            .chain((150..251).map(|i| (i - 1, i)))
            .collect();
        let comb =
            (1..20).map(|k| (100 * (k - 1), 100 * k)).chain((0..2000).filter(|i| i % 100 > 0).map(|i| (i - 1, i)));
        let mut numbers = graph::Numbers(3);
        let random = (0..9000).map(|_| (numbers.below(1500), numbers.below(1500))).collect();
        let cases: [(usize, Vec<(usize, usize)>); 9] = [
            (0, vec![]),
            (1, vec![]),
            (5000, vec![]),
            (3000, star),
            (200, clique),
            (3000, triangles),
            (400, dumb_bell),
            (2000, comb.collect()),
            (1500, random),
        ];
        let least = [0, 0, 0, 2999, 200 * 199 / 2, 2000, 150 * 149 + 101, 1999, 1];
        for ((n, list), least) in cases.into_iter().zip(least) {
            let found = entries(&Pattern::new(n, list));
            assert!(found >= least && found < 2 * least.max(500_000), "{n}: {found}");
        }
    }

    /// A node that everything is tied to costs a row of the factor, and spoils no separator.
    #[test]
    fn a_hub_comes_last() {
        let mut list = grid(60, 50, 2);
        let alone = entries(&Pattern::new(3002, list.iter().copied()));
        list.extend((2..3002).flat_map(|i| [(0, i), (1, i)]));
        let tied = entries(&Pattern::new(3002, list));
        assert!(tied <= alone + 2 * 3000 + 1, "{tied} and {alone}");
    }

    /// Parts that are not connected are ordered each for itself.
    #[test]
    fn separate_parts_have_no_separator() {
        let one = entries(&Pattern::new(1500, grid(50, 30, 0)));
        let both = entries(&Pattern::new(3000, grid(50, 30, 0).into_iter().chain(grid(50, 30, 1500))));
        assert!(both as f64 <= 2.06 * one as f64, "{both} and {one}");
    }

    /// In a building the smallest separator is oblique: three quarters of a floor.
    #[test]
    fn a_cube_of_a_frame_is_cut_obliquely() {
        let side = 14;
        let at = |x: usize, y: usize, z: usize| x + side * (y + side * z);
        let near = (0..side * side * side).flat_map(|k| {
            let (x, y, z) = (k % side, k / side % side, k / side / side);
            [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)].into_iter().map(move |to| (k, to))
        });
        let list = near.filter(|(_, (x, y, z))| *x.max(y).max(z) < side).map(|(k, (x, y, z))| (k, at(x, y, z)));
        let pattern = Pattern::new(side * side * side, list);
        let (graph, _) = Graph::compressed(&pattern);
        let cut = separate(&graph, 1).iter().filter(|&&s| s == SEPARATOR).count();
        assert!(cut < side * side * 17 / 20, "{cut} of {}", side * side);
    }
}
