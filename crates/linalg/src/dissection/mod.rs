//! Nested dissection (George 1973): the graph is divided by a small separator, both parts are ordered in the same way, and
//! the separator comes last. Small parts are ordered by minimum degree.
//!
//! Against minimum degree the factor of large structures in space is smaller, and its elimination tree is balanced, so that
//! several cores work at once.

mod graph;
mod separator;

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;

use crate::Pattern;
use crate::watch::{Stage, Watch};
use graph::{Graph, NONE};
use separator::{SEPARATOR, separate};

/// Parts with at most so many vertices are ordered by minimum degree.
const LEAF: usize = 40;

/// Parts with at least so many vertices are ordered on two cores.
const TWO_CORES: usize = 2000;

/// The order of elimination, `order[new] = old`.
pub(crate) fn dissect(pattern: &Pattern, watch: &Watch) -> Vec<u32> {
    let (graph, members) = Graph::compressed(pattern);
    let n = graph.n() as f64;
    // Every level of the tree goes over all vertices.
    watch.begin(Stage::Ordering, n * (n / LEAF as f64).log2().max(1.0));
    let order = dissect_graph(&graph, 1, watch);
    order.iter().flat_map(|&v| members.of(v as usize).iter().copied()).collect()
}

fn dissect_graph(graph: &Graph, seed: u64, watch: &Watch) -> Vec<u32> {
    let n = graph.n();
    if n <= LEAF {
        return minimum_degree(&graph.ptr, &graph.to).unwrap_or_else(|| (0..n as u32).collect());
    }
    let side = separate(graph, seed);
    watch.add(n as f64);
    let part = |s: u8| (0..n as u32).filter(|&v| side[v as usize] == s).collect::<Vec<u32>>();
    let (a, b) = (part(0), part(1));
    if a.len() == n || b.len() == n || a.len() + b.len() == 0 {
        // One clique, or nearly: no order is better than another.
        return minimum_degree(&graph.ptr, &graph.to).unwrap_or_else(|| (0..n as u32).collect());
    }
    let mut place = vec![NONE; n];
    let (left, right) = (graph.part(&a, &mut place), graph.part(&b, &mut place));
    let half = |graph: &Graph, vertices: &[u32], seed| -> Vec<u32> {
        dissect_graph(graph, seed, watch).iter().map(|&v| vertices[v as usize]).collect()
    };
    // The seed depends on the place in the tree alone: the order does not depend on the number of cores.
    let (first, second) =
        (|| half(&left, &a, seed.wrapping_mul(2)), || half(&right, &b, seed.wrapping_mul(2).wrapping_add(1)));
    let (mut order, second) = if n > TWO_CORES { rayon::join(first, second) } else { (first(), second()) };
    order.extend(second);
    order.extend((0..n as u32).filter(|&v| side[v as usize] == SEPARATOR));
    order
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
