//! The search for the first singular matrix over frequencies and parameters.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::PI;

use super::cell::Test;
use super::{Plant, Rest};

/// Where to look, and when to give up.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The parameter of which the smallest value without a certificate is wanted; none: any value.
    pub first: Option<usize>,
    /// Widths of the parameters that are not divided further.
    pub widths: Vec<f64>,
    /// So many cells are tested at most.
    pub cells: usize,
    /// Where motions stand still in every loop, [`Rest::still`] of them: radius of a circle around z = 1 in which the loop has no others in the middle of the
    /// intervals. The unit circle is left there for that circle: the number of motions within it cannot change either.
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
    /// The cells ran out. Below this value of the first parameter there is none.
    #[allow(missing_docs)]
    Exhausted { below: f64 },
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

/// Looks for the first motion on the unit circle within these intervals. In the middle of them, at the lowest value of the first, the loop must be stable.
pub fn search(rest: &Rest, plant: &mut dyn Plant, intervals: &[[f64; 2]], limits: &Limits) -> Searched {
    let known = |(i, side): (usize, &[f64; 2])| if limits.first == Some(i) { [side[0]; 2] } else { [middle(*side); 2] };
    let mut test = Test::new(rest, plant, intervals.iter().enumerate().map(known).collect());
    let key = |sides: &[[f64; 2]]| limits.first.map_or(0.0, |i| sides[i + 1][0]);
    let mut heap = BinaryHeap::new();
    let mut add = |ring: bool, phases: [f64; 2]| {
        let sides = [&[phases], intervals].concat();
        heap.push(Cell { ring, key: key(&sides), depth: 0, sides });
    };
    match limits.ring {
        None => add(false, [0.0, PI]),
        Some(r) => {
            if test.winding(r) != Some(rest.still()) {
                return Searched { found: Found::Uncounted, cells: 0 };
            }
            add(true, [0.0, PI]);
            add(false, [2.0 * (0.5 * r).asin(), PI]);
        }
    }
    let mut cells = 0;
    while let Some(cell) = heap.pop() {
        if cells >= limits.cells {
            return Searched { found: Found::Exhausted { below: cell.key }, cells };
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
