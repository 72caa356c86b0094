//! The search for the first singular matrix over frequencies and parameters.

use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::f64::consts::{PI, TAU};

use super::matrix::{invert, radius};
use super::{Disc, Plant, Rest};
use crate::poles::Pole as Complex;

/// Where to look, and when to give up.
#[derive(Clone, Debug, PartialEq)]
pub struct Limits {
    /// The parameter of which the smallest value without a certificate is wanted; none: any value.
    pub first: Option<usize>,
    /// Widths of the parameters that are not divided further.
    pub widths: Vec<f64>,
    /// So many cells are tested at most.
    pub cells: usize,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// No motion stands on the unit circle, for any value.
    Excluded,
    /// Below this value of the first parameter there is none; at these values of the parameters there is one, or nearly so.
    #[allow(missing_docs)]
    Singular { below: f64, at: Vec<f64>, phase: f64 },
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

/// Relative rounding of the matrices, and of their inverse.
const ROUNDING: f64 = 1e-12;
/// A bound counts if it is below this.
const BELOW: f64 = 0.999_999;
/// Phases are not divided further below this share of themselves.
const FINEST: f64 = 1e-5;
/// Or below this, rad per step.
const LEAST: f64 = 1e-8;

/// A cell of phases (first) and parameters.
struct Cell {
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

/// Looks for the first motion on the unit circle within these intervals.
pub fn search(rest: &Rest, plant: &mut dyn Plant, intervals: &[[f64; 2]], limits: &Limits) -> Searched {
    let mut test = Test::new(rest, plant);
    let key = |sides: &[[f64; 2]]| limits.first.map_or(0.0, |i| sides[i + 1][0]);
    let sides = [&[[0.0, PI]], intervals].concat();
    let mut heap = BinaryHeap::from([Cell { key: key(&sides), depth: 0, sides }]);
    let mut cells = 0;
    while let Some(cell) = heap.pop() {
        if cells >= limits.cells {
            return Searched { found: Found::Exhausted { below: cell.key }, cells };
        }
        cells += 1;
        if test.bound(&cell.sides) < BELOW {
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
                let shares: Vec<f64> = wide.iter().map(|&i| test.share(&cell.sides, i)).collect();
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
            heap.push(Cell { key: key(&sides), depth: cell.depth + 1, sides });
        }
    }
    Searched { found: Found::Excluded, cells }
}

fn middle([low, high]: [f64; 2]) -> f64 {
    0.5 * (low + high)
}

/// The test of a cell, with its memory.
struct Test<'a> {
    rest: &'a Rest,
    plant: &'a mut dyn Plant,
    /// F at the centre and its inverse, absolute values of the inverse, and the bound on what changes within the cell.
    f: Vec<Complex>,
    inverse: Vec<f64>,
    change: Vec<f64>,
    /// Responses of the plant at the frequencies that look the same at the steps.
    discs: Vec<Disc>,
    order: Vec<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
}

impl<'a> Test<'a> {
    fn new(rest: &'a Rest, plant: &'a mut dyn Plant) -> Self {
        let size = rest.states + rest.samples * rest.channels;
        let one = Disc::default();
        Test {
            f: vec![Complex { re: 0.0, im: 0.0 }; size * size],
            inverse: vec![0.0; size * size],
            change: vec![0.0; size * size],
            discs: vec![one; 2 * rest.channels * rest.channels * rest.samples],
            order: Vec::new(),
            x: Vec::new(),
            y: Vec::new(),
            rest,
            plant,
        }
    }

    /// Whether F is regular in the whole cell: where this is below one.
    fn bound(&mut self, sides: &[[f64; 2]]) -> f64 {
        let (phase, half) = (middle(sides[0]), 0.5 * (sides[0][1] - sides[0][0]));
        self.assemble(phase, half, &sides[1..]);
        let n = self.rest.states + self.rest.samples * self.rest.channels;
        if !invert(&mut self.f, n, &mut self.order) {
            return f64::INFINITY;
        }
        self.inverse.iter_mut().zip(&self.f).for_each(|(to, z)| *to = z.size());
        radius(&self.inverse, &self.change, n, [&mut self.x, &mut self.y])
    }

    /// What one side contributes to the bound, of the inverse that was computed last.
    fn share(&mut self, sides: &[[f64; 2]], side: usize) -> f64 {
        let centre: Vec<[f64; 2]> =
            sides.iter().enumerate().map(|(i, s)| if i == side { *s } else { [middle(*s); 2] }).collect();
        let (phase, half) = (middle(sides[0]), 0.5 * (centre[0][1] - centre[0][0]));
        self.assemble(phase, half, &centre[1..]);
        let n = self.rest.states + self.rest.samples * self.rest.channels;
        // One product tells enough: which is larger, not how large.
        let e = &self.change;
        let row = |i: usize| -> f64 {
            let sum = |k: usize| -> f64 { (0..n).map(|j| e[k * n + j] * self.x[j]).sum() };
            (0..n).map(|k| (k, self.inverse[i * n + k])).filter(|(_, g)| *g != 0.0).map(|(k, g)| g * sum(k)).sum()
        };
        // The commands close the loop: the states behind them follow.
        (self.rest.states..n).map(|i| row(i) / self.x[i]).fold(0.0, f64::max)
    }

    /// F at the centre of a cell, and how far it may be from that within it.
    fn assemble(&mut self, phase: f64, half: f64, cell: &[[f64; 2]]) {
        let Rest { states: n, channels: m, samples, a, b, c, d } = self.rest;
        let (n, m, samples) = (*n, *m, *samples);
        let (size, inputs, count) = (n + samples * m, 2 * m * samples, samples as f64);
        let block = 2 * m * m;
        for l in 0..samples {
            let at = (phase + TAU * l as f64) / count;
            self.plant.response(at, half / count, cell, &mut self.discs[l * block..(l + 1) * block]);
        }
        let turn = |angle: f64| Complex { re: angle.cos(), im: angle.sin() };
        let z = turn(phase);
        for i in 0..n {
            for j in 0..n {
                let entry = a[i * n + j];
                let own = f64::from(u8::from(i == j));
                self.f[i * size + j] = Complex { re: own * z.re - entry, im: own * z.im };
                self.change[i * size + j] = own * (half + ROUNDING) + ROUNDING * entry.abs();
            }
        }
        // Φ: sample j of the step from frequency l, e^(i j (phase + 2π l)/samples).
        let wave = |j: usize, l: usize| turn(j as f64 * (phase + TAU * l as f64) / count);
        for row in 0..size {
            let (from, own): (&[f64], Option<(usize, usize)>) = match row.checked_sub(n) {
                None => (&b[row * inputs..(row + 1) * inputs], None),
                Some(o) => (&d[o * inputs..(o + 1) * inputs], Some((o / m, o % m))),
            };
            if let Some(o) = row.checked_sub(n) {
                for j in 0..n {
                    self.f[row * size + j] = Complex { re: -c[o * n + j], im: 0.0 };
                    self.change[row * size + j] = ROUNDING * c[o * n + j].abs();
                }
            }
            for l in 0..samples {
                for channel in 0..m {
                    let (mut value, mut change) = (Complex { re: 0.0, im: 0.0 }, 0.0);
                    for measured in 0..2 * m {
                        let disc = self.discs[l * block + measured * m + channel];
                        let (mut sum, mut turned, mut all) = (Complex { re: 0.0, im: 0.0 }, 0.0, 0.0);
                        for j in 0..samples {
                            let entry = from[j * 2 * m + measured];
                            if entry != 0.0 {
                                sum = sum + wave(j, l).times(entry);
                                turned += entry.abs() * j as f64 * half / count;
                                all += entry.abs();
                            }
                        }
                        let centre = Complex { re: disc.re, im: disc.im };
                        value = value + sum * centre;
                        let reach = centre.size() + disc.radius;
                        if all > 0.0 {
                            change += sum.size() * disc.radius + (turned + ROUNDING * all) * reach;
                        }
                    }
                    let at = row * size + n + l * m + channel;
                    let (mut f, mut e) = (value.times(-1.0), change);
                    if let Some((j, _)) = own.filter(|(_, own)| *own == channel) {
                        f = f + wave(j, l);
                        e += j as f64 * half / count + ROUNDING;
                    }
                    (self.f[at], self.change[at]) = (f, e);
                }
            }
        }
    }
}
