//! Substitutions on several threads: each has subtrees of its own, the caller what is above them.
//!
//! The threads are there before the loop and get their work as a pointer through a ring ([`crate::workers`]): no lock, no
//! allocation. Which thread computes a subtree changes no sum, so the bits are those of one thread.

use std::ops::Range;
use std::sync::Arc;

use crate::ordering::NONE;
use crate::substitution::{Blocks, Vectors};
use crate::tree::{Node, Tree};
use crate::workers::{Job, Workers};

/// Entries of a factor from which several threads pay: handing over costs some microseconds.
const SHARED: f64 = 4.0e5;
/// Entries that one handed-over subtree costs beside its own: the calls, and the rows that change hands.
const HANDED: f64 = 3.0e3;

/// Subtrees of one thread.
struct Share {
    /// There while a factor exists that is not being computed.
    blocks: Option<Arc<Blocks>>,
    vectors: Vectors,
    subtrees: Vec<Subtree>,
    back: bool,
}

struct Subtree {
    nodes: Range<usize>,
    /// What it adds to the rows below its root.
    passed: Vec<f64>,
}

impl Job for Share {
    fn run(&mut self) {
        let Some(blocks) = &self.blocks else { return };
        for subtree in &mut self.subtrees {
            if self.back {
                blocks.backward(subtree.nodes.clone(), &mut self.vectors);
            } else {
                blocks.forward(subtree.nodes.clone(), &mut self.vectors);
                let below = subtree.passed.len();
                subtree.passed.copy_from_slice(&self.vectors.stack[..below]);
            }
        }
    }
}

/// The threads of one factor.
pub(crate) struct Team {
    workers: Vec<Workers<Share>>,
    /// Theirs, and last that of the caller, while nothing is under way.
    shares: Vec<Option<Box<Share>>>,
    /// Nodes above the subtrees, ascending.
    above: Vec<usize>,
    /// Of the nodes above and the roots of the subtrees: where `passed` has what they pass on.
    slot: Vec<u32>,
    passed: Vec<Vec<f64>>,
}

impl Team {
    /// So many threads with the caller; `None` where one is as fast.
    pub(crate) fn new(tree: &Tree, threads: usize) -> Option<Team> {
        let (subtrees, above) = divided(tree, threads)?;
        let below = |s: usize| vec![0.0; tree.nodes[s].below as usize];
        let mut slot = vec![NONE; tree.nodes.len()];
        let mut passed = Vec::new();
        for s in above.iter().copied().chain(subtrees.iter().flatten().map(|r| r.end - 1)) {
            slot[s] = passed.len() as u32;
            passed.push(below(s));
        }
        let share = |nodes: Vec<Range<usize>>| {
            let subtrees =
                nodes.into_iter().map(|nodes| Subtree { passed: below(nodes.end - 1), nodes }).collect::<Vec<_>>();
            Some(Box::new(Share { blocks: None, vectors: Vectors::new(tree), subtrees, back: false }))
        };
        let shares: Vec<_> = subtrees.into_iter().map(share).collect();
        let mut workers: Vec<_> = (1..shares.len()).map(|_| Workers::worker("interfield-solve")).collect();
        // The caller does its own share with the same calls.
        workers.push(Workers::caller());
        Some(Team { workers, shares, above, slot, passed })
    }

    /// Threads at work, with the caller.
    pub(crate) fn threads(&self) -> usize {
        1 + self.workers.iter().filter(|w| w.is_worker()).count()
    }

    /// Lets go of the factor, which is about to be changed.
    pub(crate) fn release(&mut self) {
        self.shares.iter_mut().flatten().for_each(|share| share.blocks = None);
    }

    /// `x ← (L D Lᵀ)⁻¹ x`, in the order of elimination.
    pub(crate) fn solve(&mut self, blocks: &Arc<Blocks>, vectors: &mut Vectors) {
        let tree = &blocks.tree;
        self.hand_out(|own| {
            own.blocks.get_or_insert_with(|| blocks.clone());
            own.back = false;
            for subtree in &own.subtrees {
                let columns = columns(tree, &subtree.nodes);
                own.vectors.x[columns.clone()].copy_from_slice(&vectors.x[columns]);
            }
        });
        let (slot, passed) = (&self.slot, &mut self.passed);
        for subtree in self.shares.iter_mut().flatten().flat_map(|own| &mut own.subtrees) {
            std::mem::swap(&mut subtree.passed, &mut passed[slot[subtree.nodes.end - 1] as usize]);
        }
        for &s in &self.above {
            let node = &tree.nodes[s];
            let y = &mut vectors.stack[..node.height()];
            let passed_on = |&c: &u32| (&passed[slot[c as usize] as usize][..], tree.places(&tree.nodes[c as usize]));
            blocks.forward_at(s, tree.children(s).iter().map(passed_on), &mut vectors.x, y);
            passed[slot[s] as usize].copy_from_slice(&y[node.width as usize..]);
        }
        for &s in self.above.iter().rev() {
            blocks.backward(s..s + 1, vectors);
        }
        self.hand_out(|own| {
            own.back = true;
            for subtree in &own.subtrees {
                for &row in tree.rows(&tree.nodes[subtree.nodes.end - 1]) {
                    own.vectors.x[row as usize] = vectors.x[row as usize];
                }
            }
        });
        for own in self.shares.iter().flatten() {
            for subtree in &own.subtrees {
                let columns = columns(tree, &subtree.nodes);
                vectors.x[columns.clone()].copy_from_slice(&own.vectors.x[columns]);
            }
        }
    }

    /// Every thread does its share, the caller meanwhile his own.
    fn hand_out(&mut self, prepare: impl Fn(&mut Share)) {
        for (worker, share) in self.workers.iter_mut().zip(&mut self.shares) {
            if let Some(mut own) = share.take() {
                prepare(&mut own);
                worker.start(own);
            }
        }
        for (worker, share) in self.workers.iter_mut().zip(&mut self.shares) {
            *share = Some(worker.finish());
        }
    }
}

/// The columns of a subtree.
fn columns(tree: &Tree, nodes: &Range<usize>) -> Range<usize> {
    let (first, last) = (&tree.nodes[nodes.start], &tree.nodes[nodes.end - 1]);
    first.first as usize..(last.first + last.width) as usize
}

/// The nodes of a subtree, which follow each other.
type Nodes = Range<usize>;

/// Subtrees for so many threads, the caller's last, and the nodes above them: the division that is done first by estimate.
/// `None` where it is no faster than one thread.
fn divided(tree: &Tree, threads: usize) -> Option<(Vec<Vec<Nodes>>, Vec<usize>)> {
    let own = |node: &Node| f64::from(node.width) * (f64::from(node.below) + 0.5 * f64::from(node.width));
    let mut work: Vec<f64> = tree.nodes.iter().map(own).collect();
    for s in 0..work.len() {
        work[s] += tree.children(s).iter().map(|&c| work[c as usize]).sum::<f64>();
    }
    let total: f64 = tree.roots.iter().map(|&r| work[r as usize]).sum();
    if threads < 2 || total < SHARED {
        return None;
    }
    let time = |roots: &[u32], above: f64| {
        let loads = dealt(roots, &work, threads).1;
        above + loads.into_iter().fold(0.0, f64::max) + HANDED * roots.len() as f64
    };
    let (mut roots, mut above, mut above_work) = (tree.roots.clone(), Vec::new(), 0.0);
    let mut best = (time(&roots, 0.0), roots.clone(), above.clone());
    // Whoever is largest is divided, as long as that may help.
    while let Some(at) = (0..roots.len()).max_by(|&a, &b| work[roots[a] as usize].total_cmp(&work[roots[b] as usize])) {
        let root = roots[at];
        if work[root as usize] < total / (32.0 * threads as f64) || tree.children(root as usize).is_empty() {
            break;
        }
        roots.swap_remove(at);
        roots.extend_from_slice(tree.children(root as usize));
        above.push(root);
        above_work += own(&tree.nodes[root as usize]);
        let found = time(&roots, above_work);
        if found < best.0 {
            best = (found, roots.clone(), above.clone());
        }
    }
    let (found, roots, above) = best;
    if found > 0.9 * total {
        return None;
    }
    let lists = dealt(&roots, &work, threads).0;
    let range = |s: u32| tree.nodes[s as usize].subtree as usize..s as usize + 1;
    let mut subtrees: Vec<Vec<Nodes>> = lists.into_iter().map(|list| list.into_iter().map(range).collect()).collect();
    subtrees.iter_mut().for_each(|list| list.sort_by_key(|r| r.start));
    let mut above: Vec<usize> = above.into_iter().map(|s| s as usize).collect();
    above.sort_unstable();
    Some((subtrees, above))
}

/// Subtrees dealt to threads, the largest first to whoever has least; and the work of each.
fn dealt(roots: &[u32], work: &[f64], threads: usize) -> (Vec<Vec<u32>>, Vec<f64>) {
    let mut order = roots.to_vec();
    order.sort_by(|&a, &b| work[b as usize].total_cmp(&work[a as usize]).then(a.cmp(&b)));
    let (mut lists, mut loads) = (vec![Vec::new(); threads], vec![0.0; threads]);
    for root in order {
        let least = (0..threads).min_by(|&a, &b| f64::total_cmp(&loads[a], &loads[b])).unwrap_or(0);
        lists[least].push(root);
        loads[least] += work[root as usize];
    }
    (lists, loads)
}
