//! Where nodes without positions are drawn: by their distance from the ground, one above the other as a building under a ground
//! motion, else side by side as a chain of masses.

use std::collections::VecDeque;

use super::{Hold, Structure};

/// How far, in a sketch, a pendulum hangs beside its node.
const HANGS: [f64; 2] = [0.4, -0.5];

impl Structure {
    /// A building, whose ground moves, stands upright; a chain that is pushed lies.
    pub(super) fn is_upright(&self) -> bool {
        let pushed = self.loads.iter().any(|l| l.node.is_some());
        self.loads.iter().any(|l| l.node.is_none()) || !pushed
    }

    /// Where links of a node of a sketch meet the ground.
    pub(super) fn footing(&self, _node: usize, at: [f64; 3]) -> [f64; 3] {
        if self.is_upright() { [at[0], 0.0, at[2] - at[2].max(1.0)] } else { [at[0] - at[0].max(1.0), 0.0, at[2]] }
    }

    /// Places of all nodes.
    pub(super) fn sketch(&self) -> Vec<[f64; 3]> {
        let level = self.levels();
        let levels = level.iter().max().map_or(0, |l| l + 1);
        let stands = |i: usize| !self.nodes[i].swings || self.carrier(i).is_none();
        let mut count = vec![0usize; levels];
        (0..level.len()).filter(|&i| stands(i)).for_each(|i| count[level[i]] += 1);
        let mut used = vec![0usize; levels];
        let mut points = vec![[0.0; 3]; level.len()];
        for i in (0..level.len()).filter(|&i| stands(i)) {
            let l = level[i];
            let beside = used[l] as f64 - (count[l] as f64 - 1.0) / 2.0;
            points[i] = if self.is_upright() { [beside, 0.0, l as f64] } else { [l as f64, 0.0, -beside] };
            used[l] += 1;
        }
        for i in (0..level.len()).filter(|&i| !stands(i)) {
            let at = self.carrier(i).map_or([0.0; 3], |c| points[c]);
            points[i] = [at[0] + HANGS[0], 0.0, at[2] + HANGS[1]];
        }
        points
    }

    /// How many links each node is away from the ground; what hangs together with nothing that is held starts at one.
    fn levels(&self) -> Vec<usize> {
        let n = self.nodes.len();
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); n];
        let mut level: Vec<Option<usize>> = vec![None; n];
        let mut queue = VecDeque::new();
        for (i, node) in self.nodes.iter().enumerate() {
            if node.held.all(|h| h != Hold::Free) {
                (level[i], _) = (Some(0), queue.push_back(i));
            }
        }
        for line in self.lines.iter().filter(|l| l.from < n) {
            match line.to.filter(|&t| t < n) {
                Some(to) => {
                    near[line.from].push(to);
                    near[to].push(line.from);
                }
                None if level[line.from].is_none() => {
                    (level[line.from], _) = (Some(1), queue.push_back(line.from));
                }
                None => {}
            }
        }
        let mut start = 0;
        loop {
            while let Some(i) = queue.pop_front() {
                let next = level[i].map_or(1, |l| l + 1);
                for &j in &near[i] {
                    if level[j].is_none() {
                        (level[j], _) = (Some(next), queue.push_back(j));
                    }
                }
            }
            match (start..n).find(|&i| level[i].is_none()) {
                Some(i) => (level[i], start, _) = (Some(1), i, queue.push_back(i)),
                None => break,
            }
        }
        level.into_iter().map(|l| l.unwrap_or(0)).collect()
    }
}
