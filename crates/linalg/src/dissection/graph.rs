//! The graph that is dissected: unknowns with the same neighbours are one vertex, so a frame has a vertex per node.

use crate::Pattern;

pub(crate) const NONE: u32 = u32::MAX;

/// An undirected graph with weights, without loops. Compressed rows; every edge is stored at both ends.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    pub(crate) ptr: Vec<u32>,
    pub(crate) to: Vec<u32>,
    /// Weight of each stored edge: how many edges of the first graph it stands for.
    pub(crate) edge: Vec<u32>,
    /// Unknowns in each vertex.
    pub(crate) weight: Vec<u32>,
}

impl Graph {
    pub(crate) fn n(&self) -> usize {
        self.weight.len()
    }

    pub(crate) fn neighbours(&self, v: usize) -> &[u32] {
        &self.to[self.ptr[v] as usize..self.ptr[v + 1] as usize]
    }

    /// Neighbours of a vertex with the weight of the edge to each.
    pub(crate) fn edges(&self, v: usize) -> impl Iterator<Item = (u32, u32)> + '_ {
        let range = self.ptr[v] as usize..self.ptr[v + 1] as usize;
        self.to[range.clone()].iter().copied().zip(self.edge[range].iter().copied())
    }

    pub(crate) fn total(&self) -> u64 {
        self.weight.iter().map(|&w| u64::from(w)).sum()
    }

    /// The graph of a pattern, and the unknowns of each vertex (compressed rows).
    pub(crate) fn compressed(pattern: &Pattern) -> (Graph, Members) {
        let n = pattern.n();
        let mixed = |j: u32| u64::from(j).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let hash: Vec<u64> =
            (0..n).map(|i| pattern.columns(i).iter().fold(0u64, |h, &j| h.wrapping_add(mixed(j)))).collect();
        // Equal closed neighbourhoods contain each other, so a representative is among the neighbours.
        let mut first: Vec<u32> = (0..n as u32).collect();
        for i in 0..n {
            let same = |&&j: &&u32| {
                let j = j as usize;
                first[j] as usize == j && hash[j] == hash[i] && pattern.columns(j) == pattern.columns(i)
            };
            if let Some(&j) = pattern.columns(i).iter().take_while(|&&j| (j as usize) < i).find(same) {
                first[i] = j;
            }
        }
        let mut vertex = vec![NONE; n];
        let mut count = 0;
        for i in 0..n {
            if first[i] as usize == i {
                vertex[i] = count;
                count += 1;
            } else {
                vertex[i] = vertex[first[i] as usize];
            }
        }
        let members = Members::new(&vertex, count as usize);
        let mut graph = Graph { ptr: vec![0], ..Graph::default() };
        let mut seen = vec![NONE; count as usize];
        for v in 0..count {
            let own = members.of(v as usize);
            graph.weight.push(own.len() as u32);
            seen[v as usize] = v;
            for &j in pattern.columns(own[0] as usize) {
                let u = vertex[j as usize];
                if seen[u as usize] != v {
                    seen[u as usize] = v;
                    graph.to.push(u);
                }
            }
            graph.ptr.push(graph.to.len() as u32);
        }
        graph.edge = vec![1; graph.to.len()];
        (graph, members)
    }

    /// Steps from a vertex to each of those that it is connected with, [`NONE`] elsewhere, and these by distance.
    pub(crate) fn distances(&self, start: usize) -> (Vec<u32>, Vec<u32>) {
        let mut steps = vec![NONE; self.n()];
        let mut reached = vec![start as u32];
        steps[start] = 0;
        let mut k = 0;
        while let Some(&v) = reached.get(k) {
            k += 1;
            for &u in self.neighbours(v as usize) {
                if steps[u as usize] == NONE {
                    steps[u as usize] = steps[v as usize] + 1;
                    reached.push(u);
                }
            }
        }
        (steps, reached)
    }

    /// The vertices of every connected part, ascending.
    pub(crate) fn components(&self) -> Vec<Vec<u32>> {
        let mut out: Vec<Vec<u32>> = Vec::new();
        let mut seen = vec![false; self.n()];
        for start in 0..self.n() {
            if std::mem::replace(&mut seen[start], true) {
                continue;
            }
            let mut own = vec![start as u32];
            let mut k = 0;
            while let Some(&v) = own.get(k) {
                k += 1;
                for &u in self.neighbours(v as usize) {
                    if !std::mem::replace(&mut seen[u as usize], true) {
                        own.push(u);
                    }
                }
            }
            own.sort_unstable();
            out.push(own);
        }
        out
    }

    /// The part of the graph on the given vertices; `place` is scratch memory, [`NONE`] throughout before and after.
    pub(crate) fn part(&self, vertices: &[u32], place: &mut [u32]) -> Graph {
        for (k, &v) in vertices.iter().enumerate() {
            place[v as usize] = k as u32;
        }
        let mut out = Graph { ptr: vec![0], ..Graph::default() };
        for &v in vertices {
            out.weight.push(self.weight[v as usize]);
            for (u, edge) in self.edges(v as usize) {
                let u = place[u as usize];
                if u != NONE {
                    out.to.push(u);
                    out.edge.push(edge);
                }
            }
            out.ptr.push(out.to.len() as u32);
        }
        for &v in vertices {
            place[v as usize] = NONE;
        }
        out
    }

    /// Half as many vertices, by matching each with the neighbour behind the heaviest edge; and the new vertex of each.
    pub(crate) fn coarser(&self, numbers: &mut Numbers) -> (Graph, Vec<u32>) {
        let n = self.n();
        let mut order: Vec<u32> = (0..n as u32).collect();
        numbers.shuffle(&mut order);
        // Few neighbours first: they have the least choice.
        order.sort_by_key(|&v| self.neighbours(v as usize).len().min(32));
        let heaviest = (self.total() / 20).max(1);
        let mut mate = vec![NONE; n];
        for &v in &order {
            if mate[v as usize] != NONE {
                continue;
            }
            let own = u64::from(self.weight[v as usize]);
            // Of equal edges the one to the lighter vertex, and of these any: a preference for a direction would make the
            // coarse graph of a regular mesh one of layers, and hide every separator across them.
            let salt = numbers.word();
            let mut best = (0, 0, 0, v);
            for (u, edge) in self.edges(v as usize) {
                let weight = self.weight[u as usize];
                if mate[u as usize] == NONE && own + u64::from(weight) <= heaviest {
                    best = best.max((edge, u32::MAX - weight, (u ^ salt).wrapping_mul(0x9e37_79b9), u));
                }
            }
            mate[v as usize] = best.3;
            mate[best.3 as usize] = v;
        }
        let mut map = vec![NONE; n];
        let mut pairs = Vec::with_capacity(n / 2 + 1);
        for v in 0..n {
            if map[v] == NONE {
                map[v] = pairs.len() as u32;
                map[mate[v] as usize] = pairs.len() as u32;
                pairs.push((v as u32, mate[v]));
            }
        }
        let mut out = Graph { ptr: vec![0], ..Graph::default() };
        let mut slot = vec![NONE; pairs.len()];
        for (c, &(a, b)) in pairs.iter().enumerate() {
            let begin = out.to.len();
            for v in [Some(a), (b != a).then_some(b)].into_iter().flatten() {
                for (u, edge) in self.edges(v as usize) {
                    let u = map[u as usize] as usize;
                    if u == c {
                        continue;
                    }
                    if slot[u] == NONE || (slot[u] as usize) < begin {
                        slot[u] = out.to.len() as u32;
                        out.to.push(u as u32);
                        out.edge.push(edge);
                    } else {
                        out.edge[slot[u] as usize] += edge;
                    }
                }
            }
            out.ptr.push(out.to.len() as u32);
            let second = if a == b { 0 } else { self.weight[b as usize] };
            out.weight.push(self.weight[a as usize] + second);
        }
        (out, map)
    }
}

/// The unknowns of each vertex.
#[derive(Clone, Debug)]
pub(crate) struct Members {
    ptr: Vec<u32>,
    unknowns: Vec<u32>,
}

impl Members {
    fn new(vertex: &[u32], count: usize) -> Members {
        let mut ptr = vec![0u32; count + 1];
        for &v in vertex {
            ptr[v as usize + 1] += 1;
        }
        for v in 0..count {
            ptr[v + 1] += ptr[v];
        }
        let mut next = ptr.clone();
        let mut unknowns = vec![0; vertex.len()];
        for (i, &v) in vertex.iter().enumerate() {
            unknowns[next[v as usize] as usize] = i as u32;
            next[v as usize] += 1;
        }
        Members { ptr, unknowns }
    }

    pub(crate) fn of(&self, v: usize) -> &[u32] {
        &self.unknowns[self.ptr[v] as usize..self.ptr[v + 1] as usize]
    }
}

/// Pseudo-random numbers from a fixed seed: the same graph is always dissected in the same way.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    fn word(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) as u32
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        ((u64::from(self.word()) * n as u64) >> 32) as usize
    }

    fn shuffle(&mut self, list: &mut [u32]) {
        for i in (1..list.len()).rev() {
            list.swap(i, self.below(i + 1));
        }
    }
}
