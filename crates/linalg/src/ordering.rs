//! The order of elimination: the given numbering, approximate minimum degree, or nested dissection, whichever makes the
//! smallest factor; with the elimination tree and the size of every column.

use rayon::prelude::*;

use crate::Pattern;
use crate::dissection::{dissections, minimum_degree};
use crate::watch::{Stage, Watch};

pub(crate) const NONE: u32 = u32::MAX;

/// From so many multiplications of a factorisation on (10 ms), nested dissection is tried.
const DISSECTION_PRODUCTS: f64 = 1.0e8;

/// Names of the orders.
pub(crate) const ORDERINGS: [&str; 3] = ["natural", "AMD", "nested dissection"];

/// An order of elimination and what follows from it.
#[derive(Clone, Debug)]
pub(crate) struct Ordering {
    pub(crate) name: &'static str,
    /// `order[new] = old`, post-ordered: the columns of a subtree are adjacent.
    pub(crate) order: Vec<u32>,
    /// Parent of each column in the elimination tree, [`NONE`] for roots.
    pub(crate) parent: Vec<u32>,
    /// Entries of each column of the factor, with the diagonal.
    pub(crate) counts: Vec<u32>,
}

impl Ordering {
    /// The best of the candidates. A tie goes to the given numbering: it needs no permutation and walks memory in order
    /// (chains, banded numberings).
    pub(crate) fn best(pattern: &Pattern, watch: &Watch) -> Ordering {
        let mut best = Ordering::new(pattern, (0..pattern.n() as u32).collect(), "natural");
        let (ptr, idx) = pattern.raw();
        let mut compete = |other: Ordering| {
            let products = other.products();
            if other.entries() < best.entries() {
                best = other;
            }
            products
        };
        let products =
            minimum_degree(ptr, idx).map_or(f64::INFINITY, |order| compete(Ordering::new(pattern, order, "AMD")));
        if products > DISSECTION_PRODUCTS {
            watch.begin(Stage::Ordering, 0.0);
            let orders = dissections(pattern, watch);
            let named = |order| Ordering::new(pattern, order, "nested dissection");
            let orderings: Vec<Ordering> = orders.into_par_iter().map(named).collect();
            orderings.into_iter().for_each(|ordering| {
                compete(ordering);
            });
            watch.end();
        }
        best
    }

    /// An order with its tree, post-ordered. Post-ordering keeps the fill.
    pub(crate) fn new(pattern: &Pattern, order: Vec<u32>, name: &'static str) -> Ordering {
        let parent = elimination_tree(pattern, &order, &inverse(&order));
        let post = postorder(&parent);
        let place = inverse(&post);
        let order: Vec<u32> = post.iter().map(|&k| order[k as usize]).collect();
        let parent: Vec<u32> =
            post.iter().map(|&k| place.get(parent[k as usize] as usize).copied().unwrap_or(NONE)).collect();
        let counts = column_counts(pattern, &order, &inverse(&order), &parent);
        Ordering { name, order, parent, counts }
    }

    /// Entries of the factor below the diagonal.
    pub(crate) fn entries(&self) -> u64 {
        self.counts.iter().map(|&c| u64::from(c) - 1).sum()
    }

    /// Multiplications of a factorisation of one triangle, stored zeros apart.
    pub(crate) fn products(&self) -> f64 {
        self.counts.iter().map(|&c| 0.5 * f64::from(c) * f64::from(c)).sum()
    }
}

pub(crate) fn inverse(order: &[u32]) -> Vec<u32> {
    let mut inv = vec![0u32; order.len()];
    for (new, &old) in order.iter().enumerate() {
        inv[old as usize] = new as u32;
    }
    inv
}

/// Parent of each column in the elimination tree (`NONE` for roots), with path compression (Liu 1986).
pub(crate) fn elimination_tree(pattern: &Pattern, order: &[u32], inv: &[u32]) -> Vec<u32> {
    let n = order.len();
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for k in 0..n as u32 {
        for &neighbour in pattern.columns(order[k as usize] as usize) {
            let mut j = inv[neighbour as usize];
            while j < k {
                let up = std::mem::replace(&mut ancestor[j as usize], k);
                if up == NONE {
                    parent[j as usize] = k;
                    break;
                }
                j = up;
            }
        }
    }
    parent
}

/// Depth-first post-order of a forest given by parents; children keep their order.
pub(crate) fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let (mut child, mut sibling) = (vec![NONE; n], vec![NONE; n]);
    for j in (0..n).rev() {
        if let Some(first) = child.get_mut(parent[j] as usize) {
            sibling[j] = *first;
            *first = j as u32;
        }
    }
    let mut out = Vec::with_capacity(n);
    let mut stack = Vec::new();
    for root in (0..n).filter(|&j| parent[j] == NONE) {
        stack.push(root as u32);
        while let Some(&top) = stack.last() {
            let next = std::mem::replace(&mut child[top as usize], NONE);
            if next == NONE {
                stack.pop();
                out.push(top);
                let after = sibling[top as usize];
                if after != NONE {
                    stack.push(after);
                }
            } else {
                stack.push(next);
            }
        }
    }
    out
}

/// Entries of each column of the factor with the diagonal, without forming the factor (Gilbert, Ng and Peyton 1994): row `i`
/// of the factor is a subtree of the elimination tree, and its columns are counted by its leaves less the lowest common
/// ancestors of neighbouring leaves. The columns must be post-ordered.
fn column_counts(pattern: &Pattern, order: &[u32], inv: &[u32], parent: &[u32]) -> Vec<u32> {
    let n = order.len();
    // First column of the subtree below each column.
    let mut first: Vec<u32> = (0..n as u32).collect();
    for j in 0..n {
        if let Some(up) = first.get(parent[j] as usize).copied() {
            first[parent[j] as usize] = up.min(first[j]);
        }
    }
    let mut count: Vec<i64> = (0..n).map(|j| i64::from(first[j] as usize == j)).collect();
    let (mut last_seen, mut last_leaf) = (vec![NONE; n], vec![NONE; n]);
    // Sets of columns that hang below one not yet visited; the largest member is the root of the subtree.
    let mut set: Vec<u32> = (0..n as u32).collect();
    for j in 0..n {
        if parent[j] != NONE {
            count[parent[j] as usize] -= 1;
        }
        for &neighbour in pattern.columns(order[j] as usize) {
            let i = inv[neighbour as usize] as usize;
            if i <= j {
                continue;
            }
            if last_seen[i] == NONE || first[j] > last_seen[i] {
                count[j] += 1;
                if last_leaf[i] != NONE {
                    let mut root = last_leaf[i] as usize;
                    while set[root] as usize != root {
                        set[root] = set[set[root] as usize];
                        root = set[root] as usize;
                    }
                    count[root] -= 1;
                }
                last_leaf[i] = j as u32;
            }
            last_seen[i] = j as u32;
        }
        if parent[j] != NONE {
            set[j] = parent[j];
        }
    }
    for j in 0..n {
        if parent[j] != NONE {
            count[parent[j] as usize] += count[j];
        }
    }
    count.into_iter().map(|c| c as u32).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Columns of the factor by elimination of a set of rows per column: the definition.
    fn counted(pattern: &Pattern, order: &[u32]) -> Vec<u32> {
        let inv = inverse(order);
        let n = order.len();
        let mut rows: Vec<std::collections::BTreeSet<u32>> = (0..n)
            .map(|j| {
                pattern
                    .columns(order[j] as usize)
                    .iter()
                    .map(|&i| inv[i as usize])
                    .filter(|&i| i as usize > j)
                    .collect()
            })
            .collect();
        for j in 0..n {
            let own: Vec<u32> = rows[j].iter().copied().collect();
            if let Some((&up, rest)) = own.split_first() {
                rows[up as usize].extend(rest);
            }
        }
        rows.iter().map(|r| r.len() as u32 + 1).collect()
    }

    /// An irregular pattern: a ring with chords and a second component.
    fn irregular(n: usize) -> Pattern {
        let chords = (0..n).map(|i| (i, (i * i + 7 * i + 3) % n)).filter(|(i, j)| (i % 3 == 0) == (j % 3 == 0));
        Pattern::new(n + 2, (1..n).map(|i| (i - 1, i)).chain(chords).chain([(n, n + 1)]))
    }

    #[test]
    fn counts_are_those_of_the_elimination() {
        for n in [1, 2, 3, 10, 57, 200] {
            let pattern = irregular(n);
            let (ptr, idx) = pattern.raw();
            let natural: Vec<u32> = (0..pattern.n() as u32).collect();
            for order in
                [natural, minimum_degree(ptr, idx).unwrap(), dissections(&pattern, &Watch::default()).remove(0)]
            {
                let ordering = Ordering::new(&pattern, order, "");
                assert_eq!(ordering.counts, counted(&pattern, &ordering.order), "n = {n}");
            }
        }
    }

    #[test]
    fn a_dissection_is_a_permutation_and_beats_minimum_degree_on_a_cube() {
        let side = 14;
        let at = |x: usize, y: usize, z: usize| x + side * (y + side * z);
        let mut entries = Vec::new();
        for (x, y, z) in (0..side * side * side).map(|k| (k % side, k / side % side, k / side / side)) {
            for (dx, dy, dz) in (0..8).map(|k| (k % 2, k / 2 % 2, k / 4)) {
                if x + dx < side && y + dy < side && z + dz < side {
                    entries.push((at(x, y, z), at(x + dx, y + dy, z + dz)));
                }
            }
        }
        let pattern = Pattern::new(side * side * side, entries);
        let dissected = dissections(&pattern, &Watch::default()).remove(0);
        let mut sorted = dissected.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &v)| i == v as usize));
        assert_eq!(dissected, dissections(&pattern, &Watch::default())[0], "the same order every time");
        let (ptr, idx) = pattern.raw();
        let degree = Ordering::new(&pattern, minimum_degree(ptr, idx).unwrap(), "");
        let dissection = Ordering::new(&pattern, dissected, "");
        assert!(dissection.products() < degree.products(), "{} {}", dissection.products(), degree.products());
    }
}
