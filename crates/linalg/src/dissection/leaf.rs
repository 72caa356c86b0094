//! The order of a small part that is divided no more: exact minimum degree, with the later neighbours of the part counted.

use super::graph::Graph;

/// Sets of vertices, one bit for each.
struct Sets {
    words: usize,
    bits: Vec<u64>,
}

impl Sets {
    fn new(count: usize) -> Sets {
        let words = count.div_ceil(64);
        Sets { words, bits: vec![0; count * words] }
    }

    fn of(&self, set: usize) -> &[u64] {
        &self.bits[set * self.words..][..self.words]
    }

    fn insert(&mut self, set: usize, k: usize) {
        self.bits[set * self.words + k / 64] |= 1 << (k % 64);
    }

    fn remove(&mut self, set: usize, k: usize) {
        self.bits[set * self.words + k / 64] &= !(1 << (k % 64));
    }
}

/// The members of a set, ascending.
fn members(set: &[u64]) -> impl Iterator<Item = usize> + '_ {
    set.iter().enumerate().flat_map(|(word, &bits)| {
        std::iter::successors(Some(bits), |b| Some(b & b.wrapping_sub(1)))
            .take_while(|&b| b != 0)
            .map(move |b| 64 * word + b.trailing_zeros() as usize)
    })
}

/// The vertices of `part` in their order of elimination; all of their neighbours elsewhere in the graph come later.
pub(crate) fn order(graph: &Graph, part: &[u32]) -> Vec<u32> {
    let own = part.len();
    let mut all = part.to_vec();
    all.extend(part.iter().flat_map(|&v| graph.neighbours(v as usize)));
    let mut rest = all.split_off(own);
    let mut sorted = part.to_vec();
    sorted.sort_unstable();
    rest.sort_unstable();
    rest.dedup();
    rest.retain(|v| sorted.binary_search(v).is_err());
    all.extend(rest);
    let mut places: Vec<(u32, usize)> = all.iter().enumerate().map(|(k, &v)| (v, k)).collect();
    places.sort_unstable();
    let mut near = Sets::new(all.len());
    for (k, &v) in part.iter().enumerate() {
        for u in graph.neighbours(v as usize) {
            if let Ok(at) = places.binary_search_by_key(u, |p| p.0) {
                near.insert(k, places[at].1);
                near.insert(places[at].1, k);
            }
        }
    }
    let weight: Vec<u64> = all.iter().map(|&v| u64::from(graph.weight[v as usize])).collect();
    let degree = |near: &Sets, k: usize| members(near.of(k)).map(|u| weight[u]).sum::<u64>();
    let mut degrees: Vec<u64> = (0..own).map(|k| degree(&near, k)).collect();
    let mut left: Vec<usize> = (0..own).collect();
    let mut out = Vec::with_capacity(own);
    while let Some(at) = (0..left.len()).min_by_key(|&at| (degrees[left[at]], left[at])) {
        let v = left.swap_remove(at);
        out.push(part[v]);
        let clique = near.of(v).to_vec();
        for u in members(&clique) {
            near.bits[u * near.words..][..near.words].iter_mut().zip(&clique).for_each(|(a, b)| *a |= b);
            near.remove(u, u);
            near.remove(u, v);
            if u < own {
                degrees[u] = degree(&near, u);
            }
        }
    }
    out
}
