//! A small set of vertices whose removal divides a graph into two parts of similar size.
//!
//! Two ways, of which the best result counts. By distances: half of the vertices are nearer to one end of the graph than to the
//! other. Multilevel: the graph is made coarser by matching (Hendrickson and Leland 1995; Karypis and Kumar 1998), the coarsest one
//! is divided by growing a part from a vertex, and on the way back the separator is improved at every level. Separators are
//! improved by moving single vertices out of it, best gain first, with the best state of a sequence kept (Fiduccia and Mattheyses 1982,
//! Ashcraft and Liu 1997 for separators of vertices).

use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::graph::{Graph, Numbers};

/// A graph with at most so many vertices is divided directly, from so many starts.
const COARSEST: usize = 100;
const TRIALS: usize = 4;
/// From so many vertices on, so many multilevel divisions compete: the separators of large parts make most of the factor.
const MANY: usize = 600;
const RUNS: u64 = 4;
/// So many divisions by distances compete in every case.
const SWEEPS: u64 = 3;
/// Largest share of the weight on one side, and what a difference of the sides costs.
const SHARE: f64 = 0.55;
const BALANCE: f64 = 0.4;
/// Moves without an improvement after which a sequence ends, and sequences per level.
const PATIENCE: usize = 120;
const PASSES: usize = 6;

/// Where a vertex is: on side 0, on side 1, or in the separator.
pub(crate) const SEPARATOR: u8 = 2;

/// The side of every vertex of a connected graph. It does not depend on the number of cores.
pub(crate) fn separate(graph: &Graph, seed: u64) -> Vec<u8> {
    let runs = if graph.n() < MANY { 0 } else { RUNS };
    let run = |run: u64| {
        let mut numbers = Numbers(seed.wrapping_mul(64).wrapping_add(run));
        let division = if run < runs {
            Division::new(graph, multilevel(graph, &mut numbers))
        } else {
            improved(graph, sweep(graph, &mut numbers))
        };
        (division.cost(), division.side)
    };
    let found: Vec<(f64, Vec<u8>)> = (0..runs + SWEEPS).into_par_iter().map(run).collect();
    found.into_iter().min_by(|a, b| a.0.total_cmp(&b.0)).map_or_else(Vec::new, |f| f.1)
}

fn improved(graph: &Graph, side: Vec<u8>) -> Division<'_> {
    let mut division = Division::new(graph, side);
    division.improve();
    division
}

/// Side 0 is nearer to one end of the graph, side 1 to the other. In a building, whose vertices have neighbours along the
/// axes, such a division is oblique and the smallest there is; no sequence of moves would turn a straight one into it.
fn sweep(graph: &Graph, numbers: &mut Numbers) -> Vec<u8> {
    let far = |start: usize| {
        let (steps, reached) = graph.distances(start);
        (steps, reached.last().map_or(start, |&v| v as usize))
    };
    let (_, one) = far(numbers.below(graph.n()));
    let (from_one, other) = far(one);
    let (from_other, _) = far(other);
    let mut order: Vec<u32> = (0..graph.n() as u32).collect();
    order.sort_by_key(|&v| {
        let (a, b) = (from_one[v as usize], from_other[v as usize]);
        (i64::from(a) - i64::from(b), a)
    });
    halves(graph, order.into_iter())
}

/// The first half of the vertices is side 0, what touches it is the separator.
fn halves(graph: &Graph, order: impl Iterator<Item = u32>) -> Vec<u8> {
    let mut side = vec![1u8; graph.n()];
    let (half, mut taken) = (graph.total() / 2, 0);
    for v in order {
        if taken >= half {
            break;
        }
        side[v as usize] = 0;
        taken += u64::from(graph.weight[v as usize]);
    }
    for v in 0..graph.n() {
        if side[v] == 1 && graph.neighbours(v).iter().any(|&u| side[u as usize] == 0) {
            side[v] = SEPARATOR;
        }
    }
    side
}

fn multilevel(graph: &Graph, numbers: &mut Numbers) -> Vec<u8> {
    if graph.n() > COARSEST {
        let (coarse, map) = graph.coarser(numbers);
        if coarse.n() * 20 <= graph.n() * 19 {
            let side = multilevel(&coarse, numbers);
            return improved(graph, map.iter().map(|&c| side[c as usize]).collect()).side;
        }
    }
    let mut best: Option<(f64, Vec<u8>)> = None;
    for _ in 0..TRIALS {
        // Half of the graph around a vertex.
        let (_, reached) = graph.distances(numbers.below(graph.n()));
        let division = improved(graph, halves(graph, reached.into_iter()));
        let cost = division.cost();
        if best.as_ref().is_none_or(|b| cost < b.0) {
            best = Some((cost, division.side));
        }
    }
    best.map_or_else(Vec::new, |b| b.1)
}

/// A move out of the separator in one word that sorts by gain, then by the lower vertex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Move(u64);

impl Move {
    fn new(gain: i64, v: usize, side: usize) -> Move {
        let gain = (gain.clamp(-(1 << 29), 1 << 29) + (1 << 30)) as u64;
        Move(gain << 33 | u64::from(u32::MAX - v as u32) << 1 | side as u64)
    }

    /// Gain, vertex and side.
    fn parts(self) -> (i64, usize, usize) {
        let v = u32::MAX - (self.0 >> 1) as u32;
        ((self.0 >> 33) as i64 - (1 << 30), v as usize, (self.0 & 1) as usize)
    }
}

/// A division under improvement.
struct Division<'a> {
    graph: &'a Graph,
    side: Vec<u8>,
    /// Weights of side 0, side 1 and the separator.
    weights: [i64; 3],
    /// The weight of the neighbours of each vertex on each side.
    pulls: Vec<[i64; 2]>,
    largest: i64,
}

impl<'a> Division<'a> {
    fn new(graph: &'a Graph, side: Vec<u8>) -> Division<'a> {
        let mut weights = [0; 3];
        for (&s, &w) in side.iter().zip(&graph.weight) {
            weights[s as usize] += i64::from(w);
        }
        let total: i64 = weights.iter().sum();
        let heaviest = graph.weight.iter().max().map_or(0, |&w| i64::from(w));
        let largest = ((total as f64 * SHARE) as i64).max(total / 2 + heaviest);
        let mut out = Division { graph, weights, pulls: vec![[0; 2]; side.len()], side, largest };
        for v in 0..graph.n() {
            out.pulls[v] = out.pull(v);
        }
        out
    }

    fn pull(&self, v: usize) -> [i64; 2] {
        let mut out = [0; 2];
        for &u in self.graph.neighbours(v) {
            if let Some(sum) = out.get_mut(self.side[u as usize] as usize) {
                *sum += i64::from(self.graph.weight[u as usize]);
            }
        }
        out
    }

    /// Weight of the separator, more where the sides differ.
    fn cost(&self) -> f64 {
        let [a, b, s] = self.weights.map(|w| w as f64);
        let excess = (a.max(b) - self.largest as f64).max(0.0);
        s * (1.0 + BALANCE * (a - b).abs() / (a + b + s).max(1.0)) + 2.0 * excess
    }

    /// What the separator loses when `v` moves to `side`.
    fn gain(&self, v: usize, side: usize) -> i64 {
        i64::from(self.graph.weight[v]) - self.pulls[v][1 - side]
    }

    fn improve(&mut self) {
        for _ in 0..PASSES {
            if !self.pass() {
                break;
            }
        }
    }

    /// One sequence of moves, each vertex at most once out of the separator; true if it ended better.
    fn pass(&mut self) -> bool {
        let n = self.graph.n();
        let mut moved = vec![false; n];
        let mut heap = BinaryHeap::new();
        for v in 0..n {
            self.offer(v, 0, &moved, &mut heap);
            self.offer(v, 1, &moved, &mut heap);
        }
        let start = self.cost();
        let (mut best, mut best_length) = (start, 0);
        let mut log: Vec<(u32, u8)> = Vec::new();
        let mut moves = 0;
        let patience = PATIENCE.min(n / 4 + 10);
        while let Some(best_move) = heap.pop() {
            let (gain, vertex, to) = best_move.parts();
            if self.side[vertex] != SEPARATOR || moved[vertex] || gain != self.gain(vertex, to) {
                continue;
            }
            let own = i64::from(self.graph.weight[vertex]);
            if self.weights[to] + own > self.largest && self.weights[to] >= self.weights[1 - to] {
                continue;
            }
            moved[vertex] = true;
            self.set(vertex, to as u8, &mut log);
            for k in 0..self.graph.neighbours(vertex).len() {
                let u = self.graph.neighbours(vertex)[k] as usize;
                if self.side[u] as usize == 1 - to {
                    self.set(u, SEPARATOR, &mut log);
                    self.offer(u, 0, &moved, &mut heap);
                    self.offer(u, 1, &moved, &mut heap);
                    for j in 0..self.graph.neighbours(u).len() {
                        let x = self.graph.neighbours(u)[j] as usize;
                        self.offer(x, to, &moved, &mut heap);
                    }
                } else {
                    self.offer(u, 1 - to, &moved, &mut heap);
                }
            }
            moves += 1;
            let cost = self.cost();
            if cost < best {
                (best, best_length, moves) = (cost, log.len(), 0);
            } else if moves > patience {
                break;
            }
        }
        let undone = log.split_off(best_length);
        for (v, side) in undone.into_iter().rev() {
            self.set(v as usize, side, &mut Vec::new());
        }
        best < start
    }

    /// Puts the moves of a vertex of the separator up for choice.
    fn offer(&self, v: usize, side: usize, moved: &[bool], heap: &mut BinaryHeap<Move>) {
        if self.side[v] == SEPARATOR && !moved[v] {
            heap.push(Move::new(self.gain(v, side), v, side));
        }
    }

    fn set(&mut self, v: usize, side: u8, log: &mut Vec<(u32, u8)>) {
        let old = self.side[v];
        log.push((v as u32, old));
        let weight = i64::from(self.graph.weight[v]);
        self.weights[old as usize] -= weight;
        self.weights[side as usize] += weight;
        self.side[v] = side;
        for &u in self.graph.neighbours(v) {
            let pulls = &mut self.pulls[u as usize];
            if let Some(sum) = pulls.get_mut(old as usize) {
                *sum -= weight;
            }
            if let Some(sum) = pulls.get_mut(side as usize) {
                *sum += weight;
            }
        }
    }
}
