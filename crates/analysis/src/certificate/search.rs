//! The search for the first singular matrix over frequencies and parameters.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::PI;

use super::Plant;
use super::cell::{Known, Test};

/// Where to look, and when to give up.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The parameter of which the smallest value without a certificate is wanted; none: any value.
    pub first: Option<usize>,
    /// Widths of the parameters that are not divided further.
    pub widths: Vec<f64>,
    /// So many cells are tested at most.
    pub cells: usize,
    /// Where motions stand still in every loop, [`super::Rest::still`] of them: radius of a circle around z = 1 in which the loop has no others at the point of what
    /// is known. The unit circle is left there for that circle: the number of motions within it cannot change either.
    pub ring: Option<f64>,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No motion stands on the unit circle, for any value.
    Excluded,
    /// Below this value of the first parameter there is none; at these values of the parameters there is one, or nearly so.
    #[allow(missing_docs)]
    Singular { below: f64, at: Vec<f64>, phase: f64 },
    /// The motions that stand still are not as many as they should be.
    Uncounted,
    /// The cells ran out, at these values of the parameters. Below this value of the first parameter there is none.
    #[allow(missing_docs)]
    Exhausted { below: f64, at: Vec<f64> },
}

/// What was found, and what it took.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// What was found.
    pub found: Found,
    /// Cells that were tested.
    pub cells: usize,
}

/// A bound counts if it is below this.
const BELOW: f64 = 0.999_999;
/// Phases are not divided further below this share of themselves.
const FINEST: f64 = 1e-5;
/// Or below this, rad per step.
const LEAST: f64 = 1e-8;

/// A cell of phases (first) and parameters, on the unit circle or on that around z = 1.
struct Cell {
    ring: bool,
    key: f64,
    depth: u32,
    sides: Vec<[f64; 2]>,
}

impl PartialEq for Cell {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cell {}

impl PartialOrd for Cell {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Cell {
    /// The heap gives the largest: the smallest key, of these the deepest cell.
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.total_cmp(&self.key).then(self.depth.cmp(&other.depth))
    }
}

/// Looks for the first motion on the unit circle within these intervals. At one point of them, at the lowest value of the first, the loop must be stable; where motions
/// stand still, that must be the point of what is known, or it must have been excluded on the way from that point that another motion comes into the circle around z = 1.
pub fn search(known: &mut Known, plant: &mut dyn Plant, intervals: &[[f64; 2]], limits: &Limits) -> Searched {
    let still = known.still;
    let mut test = Test::new(known, plant);
    let key = |sides: &[[f64; 2]]| limits.first.map_or(0.0, |i| sides[i + 1][0]);
    let mut heap = BinaryHeap::new();
    let mut add = |ring: bool, phases: [f64; 2]| {
        let sides = [&[phases], intervals].concat();
        heap.push(Cell { ring, key: key(&sides), depth: 0, sides });
    };
    match limits.ring {
        None => add(false, [0.0, PI]),
        Some(r) => {
            if test.winding(r) != Some(still) {
                return Searched { found: Found::Uncounted, cells: 0 };
            }
            add(true, [0.0, PI]);
            add(false, [2.0 * (0.5 * r).asin(), PI]);
        }
    }
    let mut cells = 0;
    while let Some(cell) = heap.pop() {
        if cells >= limits.cells {
            let at = cell.sides[1..].iter().map(|s| middle(*s)).collect();
            return Searched { found: Found::Exhausted { below: cell.key, at }, cells };
        }
        cells += 1;
        let ring = limits.ring.filter(|_| cell.ring);
        if test.bound(ring, &cell.sides) < BELOW {
            continue;
        }
        let phase = middle(cell.sides[0]);
        let finest = |i: usize| match i {
            0 => (FINEST * phase).max(LEAST),
            i => limits.widths.get(i - 1).copied().unwrap_or(0.0),
        };
        let wide: Vec<usize> =
            (0..cell.sides.len()).filter(|&i| cell.sides[i][1] - cell.sides[i][0] > finest(i)).collect();
        let Some(&split) = (match wide[..] {
            [] | [_] => wide.first(),
            _ => {
                let shares: Vec<f64> = wide.iter().map(|&i| test.share(ring, &cell.sides, i)).collect();
                (0..wide.len()).max_by(|&a, &b| shares[a].total_cmp(&shares[b])).map(|k| &wide[k])
            }
        }) else {
            let at = cell.sides[1..].iter().map(|s| middle(*s)).collect();
            return Searched { found: Found::Singular { below: cell.key, at, phase }, cells };
        };
        let [low, high] = cell.sides[split];
        let half = middle([low, high]);
        for part in [[low, half], [half, high]] {
            let mut sides = cell.sides.clone();
            sides[split] = part;
            heap.push(Cell { ring: cell.ring, key: key(&sides), depth: cell.depth + 1, sides });
        }
    }
    Searched { found: Found::Excluded, cells }
}

pub(super) fn middle([low, high]: [f64; 2]) -> f64 {
    0.5 * (low + high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::{Disc, Rest};

    /// A spring of unknown stiffness behind an ideal actuator.
    struct Spring;

    impl Plant for Spring {
        fn channels(&self) -> usize {
            1
        }

        fn response(&mut self, _: f64, _: f64, cell: &[[f64; 2]], out: &mut [Disc]) {
            let [low, high] = cell[0];
            out[0] = Disc { re: 1.0, im: 0.0, radius: 0.0 };
            out[1] = Disc { re: -0.5 * (low + high), im: 0.0, radius: 0.5 * (high - low) };
        }
    }

    /// States, then measured displacement, measured force and command.
    fn loop_of(rows: &[&[f64]]) -> Rest {
        let n = rows.len();
        let matrix: Vec<f64> = rows.concat();
        Rest::from_step(&matrix, n, &[n - 3, n - 2], &[n - 1], 1)
    }

    fn found(rest: &Rest, stiffness: [f64; 2], first: bool, ring: Option<f64>) -> Found {
        let limits = Limits { first: first.then_some(0), widths: vec![1e-3], cells: 20_000, ring };
        let point = if first { stiffness[0] } else { middle(stiffness) };
        search(&mut Known::new(rest, &mut Spring, &[point]), &mut Spring, &[stiffness], &limits).found
    }

    #[test]
    fn the_first_value_that_is_not_stable_is_found() {
        // x⁺ = x/2 + f, f = -k x: stable below k = 1.5.
        let rest = loop_of(&[&[0.5, 0.0, 1.0, 0.0], &[0.0; 4], &[0.0; 4], &[1.0, 0.0, 0.0, 0.0]]);
        assert_eq!(rest.still(), 0);
        assert_eq!(found(&rest, [0.2, 1.45], false, None), Found::Excluded);
        let Found::Singular { below, at, phase } = found(&rest, [0.2, 4.0], true, None) else { panic!("not found") };
        assert!(
            (below - 1.5).abs() < 0.01 && (at[0] - 1.5).abs() < 0.01 && (phase - PI).abs() < 1e-3,
            "{below} {at:?}"
        );
    }

    #[test]
    fn what_stands_still_in_every_loop_is_counted_and_left_out() {
        // x⁺ = x + (f - y)/10, y⁺ = f: z = 1 for every k, and z = -k/10.
        let rest = loop_of(&[
            &[1.0, -0.1, 0.0, 0.1, 0.0],
            &[0.0, 0.0, 0.0, 1.0, 0.0],
            &[0.0; 5],
            &[0.0; 5],
            &[1.0, 0.0, 0.0, 0.0, 0.0],
        ]);
        assert_eq!(rest.still(), 1);
        assert!(!matches!(found(&rest, [1.0, 9.0], false, None), Found::Excluded));
        assert_eq!(found(&rest, [1.0, 9.0], false, Some(0.2)), Found::Excluded);
        let Found::Singular { below, .. } = found(&rest, [1.0, 15.0], true, Some(0.2)) else { panic!("not found") };
        assert!((below - 10.0).abs() < 0.1, "{below}");
        // Here no measurement moves it, so that it can also be taken out.
        let (rest, taken) = rest.without_drift();
        assert_eq!((taken, rest.still()), (1, 0));
        assert_eq!(found(&rest, [1.0, 9.0], false, None), Found::Excluded);
        // A motion that comes into the small circle is no motion that stands still: x⁺ = (1 - k) x.
        let moving = loop_of(&[&[1.0, 0.0, 1.0, 0.0], &[0.0; 4], &[0.0; 4], &[1.0, 0.0, 0.0, 0.0]]);
        assert_eq!(moving.still(), 0);
        assert_eq!(found(&moving, [0.01, 0.03], false, Some(0.2)), Found::Uncounted);
    }

    /// Three storeys on a spring that may fall to a tenth, with little damping, in coordinates in which large entries nearly cancel: as in a coupling with several sequences of states.
    #[test]
    fn a_slow_motion_with_little_damping_is_decided_in_any_coordinates() {
        let (n, h, k, c) = (6, 0.02, 2e3, 0.5);
        // v⁺ = v + h (f - K u - C v), u⁺ = u + h v⁺.
        let mut a = vec![0.0; n * n];
        for i in 0..3usize {
            for j in 0..3usize {
                let own = f64::from(u8::from(i > 0) + u8::from(i < 2));
                let chain = if i == j { own } else { -f64::from(u8::from(i.abs_diff(j) == 1)) };
                let unit = f64::from(u8::from(i == j));
                let rate = unit - h * c * chain - if i == 0 && j == 0 { h * 0.02 } else { 0.0 };
                (a[(3 + i) * n + j], a[(3 + i) * n + 3 + j]) = (-h * k * chain, rate);
                (a[i * n + j], a[i * n + 3 + j]) = (unit - h * h * k * chain, h * rate);
            }
        }
        let (mut b, mut seen) = (vec![0.0; n], vec![0.0; n]);
        (b[0], b[3], seen[0]) = (h * h, h, 1.0);
        // x = T y with T = I + 4 N, N the first upper diagonal: y = T⁻¹ x by substitution from below.
        let solve = |x: &mut [f64]| (0..n - 1).rev().for_each(|i| x[i] -= 4.0 * x[i + 1]);
        let times =
            |row: &[f64]| -> Vec<f64> { (0..n).map(|j| row[j] + if j > 0 { 4.0 * row[j - 1] } else { 0.0 }).collect() };
        let turned: Vec<f64> = a.chunks_exact(n).flat_map(times).collect();
        let mut columns: Vec<Vec<f64>> = (0..n).map(|j| (0..n).map(|i| turned[i * n + j]).collect()).collect();
        columns.iter_mut().for_each(|x| solve(x));
        solve(&mut b);
        let mut rows: Vec<Vec<f64>> =
            (0..n).map(|i| [(0..n).map(|j| columns[j][i]).collect(), vec![0.0, b[i], 0.0]].concat()).collect();
        rows.extend([vec![0.0; n + 3], vec![0.0; n + 3], [times(&seen), vec![0.0; 3]].concat()]);
        let rest = loop_of(&rows.iter().map(|r| &r[..]).collect::<Vec<_>>());
        let limits = Limits { first: None, widths: vec![1e-5], cells: 4_000, ring: None };
        let searched = search(&mut Known::new(&rest, &mut Spring, &[1.1]), &mut Spring, &[[0.2, 2.0]], &limits);
        assert_eq!(searched.found, Found::Excluded, "{} cells", searched.cells);
    }
}
