//! A structure divided without being told where: into parts of about the same work that share few degrees of freedom.
//!
//! Recursive bisection: elements in the order in which a walk from one end of the structure meets them, divided where the work is; then
//! elements at the cut change sides as long as that makes the interface smaller (after C. M. Fiduccia, R. M. Mattheyses, 19th Design
//! Automation Conf., 175-181, 1982, without moves that make it larger). The same model gives the same parts everywhere.

use std::collections::VecDeque;

/// Share of its work by which a half may differ for a smaller interface.
const TOLERANCE: f64 = 0.04;
/// Rounds of exchange.
const ROUNDS: usize = 8;

/// Elements as they are divided: those on every free degree of freedom, and those of every element.
struct Graph<'a> {
    of_element: &'a [Vec<usize>],
    on_dof: Vec<Vec<usize>>,
}

/// The part, 0 to `parts` - 1, of each element with these free degrees of freedom. An element has as much work as it has of them.
pub(crate) fn bisect(of_element: &[Vec<usize>], parts: usize) -> Vec<usize> {
    let count = of_element.iter().flatten().max().map_or(0, |d| d + 1);
    let mut on_dof = vec![Vec::new(); count];
    for (e, dofs) in of_element.iter().enumerate() {
        dofs.iter().for_each(|&d| on_dof[d].push(e));
    }
    let graph = Graph { of_element, on_dof };
    let mut part = vec![0; of_element.len()];
    graph.divide((0..of_element.len()).collect(), (0, parts.max(1)), &mut part);
    part
}

impl Graph<'_> {
    fn work(&self, e: usize) -> f64 {
        self.of_element[e].len().max(1) as f64
    }

    /// Gives the parts from `first` on to some elements.
    fn divide(&self, elements: Vec<usize>, (first, count): (usize, usize), part: &mut [usize]) {
        elements.iter().for_each(|&e| part[e] = first);
        if count < 2 || elements.len() < 2 {
            return;
        }
        let left = count / 2;
        let mut order = self.walk(&elements, elements[0]);
        // From the end that is farthest from where it began.
        order = self.walk(&elements, *order.last().unwrap_or(&elements[0]));
        let all: f64 = elements.iter().map(|&e| self.work(e)).sum();
        let aim = all * left as f64 / count as f64;
        let (mut sum, mut is_left) = (0.0, vec![false; self.of_element.len()]);
        for &e in &order {
            // The one at the border goes where it changes the balance less.
            if sum + 0.5 * self.work(e) > aim {
                break;
            }
            is_left[e] = true;
            sum += self.work(e);
        }
        self.refine(&order, &mut is_left, (sum, aim, TOLERANCE * aim.min(all - aim)));
        let (a, b): (Vec<usize>, Vec<usize>) = elements.into_iter().partition(|&e| is_left[e]);
        self.divide(a, (first, left), part);
        self.divide(b, (first + left, count - left), part);
    }

    /// The elements in the order of a walk in breadth; piece after piece where they are not connected.
    fn walk(&self, elements: &[usize], start: usize) -> Vec<usize> {
        let mut open = vec![false; self.of_element.len()];
        elements.iter().for_each(|&e| open[e] = true);
        let mut met = vec![false; self.on_dof.len()];
        let (mut order, mut queue) = (Vec::with_capacity(elements.len()), VecDeque::new());
        for &begin in std::iter::once(&start).chain(elements) {
            if std::mem::take(&mut open[begin]) {
                queue.push_back(begin);
            }
            while let Some(e) = queue.pop_front() {
                order.push(e);
                for &d in &self.of_element[e] {
                    if !std::mem::replace(&mut met[d], true) {
                        queue.extend(self.on_dof[d].iter().filter(|&&other| std::mem::take(&mut open[other])));
                    }
                }
            }
        }
        order
    }

    /// Lets elements change sides as long as the halves then share less.
    fn refine(&self, order: &[usize], is_left: &mut [bool], (mut sum, aim, tolerance): (f64, f64, f64)) {
        let mut counts = vec![[0_usize; 2]; self.on_dof.len()];
        for &e in order {
            self.of_element[e].iter().for_each(|&d| counts[d][usize::from(is_left[e])] += 1);
        }
        for _ in 0..ROUNDS {
            let mut moved = false;
            for &e in order {
                let (own, other) = (usize::from(is_left[e]), usize::from(!is_left[e]));
                let gain: i32 = self.of_element[e]
                    .iter()
                    .map(|&d| match (counts[d][own], counts[d][other]) {
                        (1, 1..) => 1,
                        (2.., 0) => -1,
                        _ => 0,
                    })
                    .sum();
                let after = if is_left[e] { sum - self.work(e) } else { sum + self.work(e) };
                let (off, was) = ((after - aim).abs(), (sum - aim).abs());
                if (gain > 0 && (off <= tolerance || off < was)) || (gain == 0 && off < was) {
                    for &d in &self.of_element[e] {
                        counts[d][own] -= 1;
                        counts[d][other] += 1;
                    }
                    (is_left[e], sum, moved) = (!is_left[e], after, true);
                }
            }
            if !moved {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Degrees of freedom of several parts.
    fn shared(elements: &[Vec<usize>], part: &[usize]) -> usize {
        let most = elements.iter().flatten().max().map_or(0, |d| d + 1);
        let several = |d: usize| {
            let mut parts: Vec<usize> =
                elements.iter().zip(part).filter(|(e, _)| e.contains(&d)).map(|(_, p)| *p).collect();
            parts.sort_unstable();
            parts.dedup();
            parts.len() > 1
        };
        (0..most).filter(|&d| several(d)).count()
    }

    fn sizes(part: &[usize], parts: usize) -> Vec<usize> {
        (0..parts).map(|p| part.iter().filter(|q| **q == p).count()).collect()
    }

    #[test]
    fn a_chain_is_cut_at_single_nodes_into_equal_parts() {
        // Not in the order of the chain.
        let elements: Vec<Vec<usize>> = (0..120).map(|i| (i * 77) % 120).map(|i| vec![i, i + 1]).collect();
        for parts in [2, 3, 4, 8] {
            let part = bisect(&elements, parts);
            assert_eq!(shared(&elements, &part), parts - 1);
            assert!(sizes(&part, parts).iter().all(|n| n.abs_diff(120 / parts) <= 3), "{:?}", sizes(&part, parts));
        }
    }

    #[test]
    fn a_plate_is_cut_along_short_lines() {
        let n = 24;
        let node = |i: usize, j: usize| i * (n + 1) + j;
        let square = |k: usize| {
            let (i, j) = (k / n, k % n);
            vec![node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)]
        };
        let elements: Vec<Vec<usize>> = (0..n * n).map(square).collect();
        let part = bisect(&elements, 4);
        assert!(sizes(&part, 4).iter().all(|s| s.abs_diff(n * n / 4) <= n), "{:?}", sizes(&part, 4));
        // Two straight cuts share 2 n + 1 nodes, strips 3 (n + 1).
        assert!(shared(&elements, &part) <= 4 * n, "{}", shared(&elements, &part));
    }

    #[test]
    fn pieces_that_are_not_connected_and_more_parts_than_elements_are_no_trouble() {
        let part = bisect(&[vec![0, 1], vec![5, 6], vec![9], vec![]], 2);
        assert_eq!(sizes(&part, 2), [2, 2]);
        assert_eq!(bisect(&[vec![0]], 4), [0]);
        assert!(bisect(&[], 3).is_empty());
    }
}
