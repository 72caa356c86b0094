//! Coordinates of the state in which the motions of the loop stand apart, and the loop in them.
//!
//! Whether F is regular is the same in all coordinates, the bound on it is not: it takes absolute values entry by entry, and where a slow motion consists of large entries
//! that nearly cancel (sequences of states, filters that differentiate), it is too large by orders of magnitude. The loop is closed with a constant P̄, what the plant
//! makes of rest; y = P̄ c + w, and w, what the plant does besides, is all that comes from outside:
//!
//! ```text
//! z x = (A + B P̄ M C) x + (B + B P̄ M D) w,   c = M C x + M D w,   M = (I - D P̄)⁻¹
//! ```
//!
//! With the motions of this loop as coordinates, x = T y, its matrix falls into blocks: one for each motion that stands alone, one for those that cannot be told
//! apart (multiple ones, chains of delays), in the space that the left vectors of the others leave. A block is inverted by itself, and its bound is the distance to
//! the nearest motion. T is not exact, nor need it be: how far T⁻¹AT is from its blocks is bounded, and is part of what the bound allows for.

use interfield_linalg::{Svd, dense_solve, eigenpairs};

use super::cell::ROUNDING;
use super::{Disc, Plant, Rest};

/// Motions that decay faster than this per step stay together.
const FAST: f64 = 0.05;
/// Motions nearer to each other than this, too.
const CLOSE: f64 = 1e-7;
/// Largest condition number of the coordinates.
const WORST: f64 = 1e8;
/// A bound on the entries of an inverse is what was computed, times this: its condition is far from what would take half of the digits more.
const LARGER: f64 = 1.1;
/// What an actuator makes of a motion as slow as this, rad per sample, is what it makes of rest.
const SLOW: f64 = 1e-3;
/// Shares of the measured force with which the loop is closed: where a motion of one of them stands on the circle, it does not in another.
const SHARES: [f64; 2] = [1.0, 0.8];

/// Motions that stay together: their place among the coordinates, and their matrix row by row.
pub(super) struct Block {
    pub first: usize,
    pub size: usize,
    pub a: Vec<f64>,
}

/// A loop that is closed with a constant plant, in blocks.
pub(super) struct Form {
    /// The constant plant: row by row, two rows for each channel.
    pub plant: Vec<f64>,
    pub blocks: Vec<Block>,
    /// From w to the state, from the state to commands, from w to commands.
    pub b: Vec<f64>,
    pub c: Vec<f64>,
    pub d: Vec<f64>,
    /// How far the matrix of all blocks and these may be from what they should be.
    pub off: [Vec<f64>; 4],
}

/// A matrix that was computed, and how far it may be from what it should be.
struct Computed(Vec<f64>, Vec<f64>);

impl Rest {
    /// Its forms, closed with what the plant makes of rest with these values.
    pub(super) fn forms(&self, plant: &mut dyn Plant, cell: &[[f64; 2]]) -> Vec<Form> {
        let m = self.channels;
        let mut discs = vec![Disc::default(); 2 * m * m];
        plant.response(SLOW, 0.0, cell, &mut discs);
        let share = |share: f64| -> Vec<f64> {
            let force = |k: usize| if k / m.max(1) % 2 == 1 { share } else { 1.0 };
            discs.iter().enumerate().map(|(k, disc)| force(k) * disc.re).collect()
        };
        let mut forms: Vec<Form> = SHARES.iter().filter_map(|s| self.form(share(*s))).collect();
        if forms.is_empty() {
            forms.extend(self.form(vec![0.0; 2 * m * m]));
        }
        forms
    }

    /// The loop closed with a constant plant; none if that is no loop.
    fn form(&self, plant: Vec<f64>) -> Option<Form> {
        let (n, m) = (self.states, self.channels);
        let (inputs, outputs) = (2 * m * self.samples, m * self.samples);
        if plant.iter().any(|p| !p.is_finite()) {
            return None;
        }
        let small = (2 + inputs) as f64 * f64::EPSILON;
        // Of rows of measurements: what commands add to them.
        let through = |from: &[f64], plant: &[f64]| -> Vec<f64> {
            let row = |row: &[f64], command: usize| -> f64 {
                let (sample, channel) = (command / m, command % m);
                (0..2 * m).map(|k| row[sample * 2 * m + k] * plant[k * m + channel]).sum()
            };
            from.chunks_exact(inputs.max(1)).flat_map(|r| (0..outputs).map(move |k| row(r, k))).collect()
        };
        let large = absolute(&plant);
        let unit = identity(outputs);
        let minus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<f64>>();
        let plus = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<f64>>();
        let own = minus(&unit, &through(&self.d, &plant));
        let large_own = plus(&unit, &through(&absolute(&self.d), &large));
        let mut inverse = unit;
        if outputs > 0 && !dense_solve(&own, outputs, &mut inverse, outputs) {
            return None;
        }
        let large_inverse = absolute(&inverse);
        let solved = |from: &[f64], width: usize| -> Computed {
            let x = product(&inverse, from, outputs, outputs, width);
            let left = plus(&product(&large_own, &absolute(&x), outputs, outputs, width), &absolute(from));
            let off = product(&large_inverse, &left, outputs, outputs, width);
            Computed(x, scaled(off, LARGER * small))
        };
        let (c, d) = (solved(&self.c, n), solved(&self.d, inputs));
        let fed = Computed(through(&self.b, &plant), scaled(through(&absolute(&self.b), &large), small));
        let closed = plus(&self.a, &product(&fed.0, &c.0, n, outputs, n));
        if ![&closed, &self.b, &c.0, &d.0].iter().all(|m| m.iter().all(|x| x.is_finite())) {
            return None;
        }
        let (t, sizes) = coordinates(&closed, n).unwrap_or_else(|| (identity(n), vec![n]));
        let (t, sizes) = if let Some(t) = Turn::new(t, n) { (t, sizes) } else { (Turn::new(identity(n), n)?, vec![n]) };
        let (c, fed) = (t.after(&c, outputs), t.before(&fed.0, &fed.1, outputs)?);
        // X + F Y, in these coordinates.
        let closed = |x: Computed, y: &Computed, width: usize| -> Computed {
            let far = plus(&absolute(&y.0), &y.1);
            let size = plus(&absolute(&x.0), &product(&absolute(&fed.0), &far, n, outputs, width));
            let off =
                plus(&product(&fed.1, &far, n, outputs, width), &product(&absolute(&fed.0), &y.1, n, outputs, width));
            let off = plus(&plus(&x.1, &off), &scaled(size, small));
            Computed(plus(&x.0, &product(&fed.0, &y.0, n, outputs, width)), off)
        };
        let own = t.after(&Computed(self.a.clone(), vec![0.0; n * n]), n);
        let Computed(a, mut off_a) = closed(t.before(&own.0, &own.1, n)?, &c, n);
        let Computed(b, mut off_b) = closed(t.before(&self.b, &vec![0.0; n * inputs], inputs)?, &d, inputs);
        let (Computed(c, mut off_c), Computed(d, mut off_d)) = (c, d);
        // A, B, C and D themselves are off by rounding: what that is here, where large entries that nearly cancel have done so.
        let add = |to: &mut [f64], what: Vec<f64>| to.iter_mut().zip(what).for_each(|(to, x)| *to += LARGER * x);
        let rounding = |m: &[f64]| scaled(absolute(m), ROUNDING);
        let fed = absolute(&product(&fed.0, &inverse, n, outputs, outputs));
        let moved = absolute(&self.measured(&plant, &c, n));
        let passed = plus(&absolute(&self.measured(&plant, &d, inputs)), &identity(inputs));
        let off_d0 = rounding(&self.d);
        let off_b0 = product(&t.large_inverse, &rounding(&self.b), n, n, inputs);
        let off_c0 = product(&rounding(&self.c), &t.large, outputs, n, n);
        let off_c0 = plus(&off_c0, &product(&off_d0, &moved, outputs, inputs, n));
        let off_d0 = product(&off_d0, &passed, outputs, inputs, inputs);
        add(&mut off_a, product(&product(&t.large_inverse, &rounding(&self.a), n, n, n), &t.large, n, n, n));
        add(&mut off_a, product(&off_b0, &moved, n, inputs, n));
        add(&mut off_a, product(&fed, &off_c0, n, outputs, n));
        add(&mut off_b, product(&off_b0, &passed, n, inputs, inputs));
        add(&mut off_b, product(&fed, &off_d0, n, outputs, inputs));
        add(&mut off_c, product(&large_inverse, &off_c0, outputs, outputs, n));
        add(&mut off_d, product(&large_inverse, &off_d0, outputs, outputs, inputs));
        let mut blocks = Vec::new();
        let mut first = 0;
        for size in sizes.into_iter().filter(|size| *size > 0) {
            let part = (0..size * size).map(|k| a[(first + k / size) * n + first + k % size]).collect();
            blocks.push(Block { first, size, a: part });
            for i in first..first + size {
                // What stands beside the blocks belongs to the bound.
                (0..n)
                    .filter(|j| !(first..first + size).contains(j))
                    .for_each(|j| off_a[i * n + j] += a[i * n + j].abs());
            }
            first += size;
        }
        Some(Form { plant, blocks, b, c, d, off: [off_a, off_b, off_c, off_d] })
    }

    /// Measurements of the constant plant, of rows of commands.
    fn measured(&self, plant: &[f64], commands: &[f64], width: usize) -> Vec<f64> {
        let m = self.channels;
        let mut out = vec![0.0; 2 * commands.len()];
        for (row, out) in out.chunks_exact_mut(width.max(1)).enumerate() {
            let (sample, k) = (row / (2 * m), row % (2 * m));
            for channel in 0..m {
                let from = &commands[(sample * m + channel) * width..(sample * m + channel + 1) * width];
                out.iter_mut().zip(from).for_each(|(to, x)| *to += plant[k * m + channel] * x);
            }
        }
        out
    }
}

fn absolute(m: &[f64]) -> Vec<f64> {
    m.iter().map(|x| x.abs()).collect()
}

fn scaled(mut m: Vec<f64>, factor: f64) -> Vec<f64> {
    m.iter_mut().for_each(|x| *x *= factor);
    m
}

fn identity(n: usize) -> Vec<f64> {
    (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect()
}

/// Other coordinates, x = T y, T row by row, with |T| and |T⁻¹|.
struct Turn {
    t: Vec<f64>,
    large: Vec<f64>,
    large_inverse: Vec<f64>,
    n: usize,
}

impl Turn {
    fn new(t: Vec<f64>, n: usize) -> Option<Self> {
        let mut inverse = identity(n);
        if n > 0 && !dense_solve(&t, n, &mut inverse, n) {
            return None;
        }
        let size = |m: &[f64]| m.iter().map(|x| x * x).sum::<f64>().sqrt();
        let good = size(&t).max(1.0) * size(&inverse) <= WORST * n as f64;
        let [large, large_inverse] = [absolute(&t), absolute(&inverse)];
        (good || n == 0).then_some(Turn { t, large, large_inverse, n })
    }

    fn rounding(&self) -> f64 {
        self.n as f64 * f64::EPSILON
    }

    /// T⁻¹ M, and how far it is from that: |T⁻¹| (residual, its rounding, and how far M is from what it should be).
    fn before(&self, m: &[f64], off: &[f64], width: usize) -> Option<Computed> {
        let n = self.n;
        let mut x = m.to_vec();
        if n > 0 && !dense_solve(&self.t, n, &mut x, width) {
            return None;
        }
        let back = product(&self.t, &x, n, n, width);
        let rounding = product(&self.large, &absolute(&x), n, n, width);
        let left: Vec<f64> =
            (0..n * width).map(|k| (back[k] - m[k]).abs() + self.rounding() * rounding[k] + off[k]).collect();
        Some(Computed(x, scaled(product(&self.large_inverse, &left, n, n, width), LARGER)))
    }

    /// M T, and how far it is from that.
    fn after(&self, Computed(m, off): &Computed, rows: usize) -> Computed {
        let n = self.n;
        let rounding = product(&absolute(m), &self.large, rows, n, n);
        let off = product(off, &self.large, rows, n, n);
        Computed(
            product(m, &self.t, rows, n, n),
            (0..rows * n).map(|k| off[k] + self.rounding() * rounding[k]).collect(),
        )
    }
}

/// A B, row by row.
fn product(a: &[f64], b: &[f64], rows: usize, inner: usize, columns: usize) -> Vec<f64> {
    let mut out = vec![0.0; rows * columns];
    for (i, row) in out.chunks_exact_mut(columns.max(1)).enumerate() {
        for k in 0..inner {
            let factor = a[i * inner + k];
            if factor != 0.0 {
                row.iter_mut().zip(&b[k * columns..(k + 1) * columns]).for_each(|(to, x)| *to += factor * x);
            }
        }
    }
    out
}

/// T, row by row: motions of a matrix that stand alone, of a pair real and imaginary part, then what their left vectors leave; and how many of these belong together.
fn coordinates(matrix: &[f64], n: usize) -> Option<(Vec<f64>, Vec<usize>)> {
    let transposed: Vec<f64> = (0..n * n).map(|k| matrix[k % n * n + k / n]).collect();
    let [right, left] = [alone(matrix, n)?, alone(&transposed, n)?];
    let mut sizes: Vec<usize> = right.iter().map(Vec::len).collect();
    let [right, left] = [right, left].map(|all| all.concat());
    let k = right.len();
    if k == 0 || k != left.len() {
        return None;
    }
    // Perpendicular to the left vectors: the last right singular vectors of the matrix with them as rows.
    let mut rows: Vec<f64> = left.concat();
    rows.resize(n * n, 0.0);
    let mut svd = Svd::new(n, n);
    svd.factorize(&rows);
    let columns: Vec<&[f64]> = right.iter().map(|v| &v[..]).chain((k..n).map(|j| svd.right(j))).collect();
    sizes.push(n - k);
    Some(((0..n * n).map(|e| columns[e % n][e / n]).collect(), sizes))
}

/// Real vectors of the motions of a matrix that stand alone and are not too fast: of each one, or two.
fn alone(matrix: &[f64], n: usize) -> Option<Vec<Vec<Vec<f64>>>> {
    let (values, vectors) = eigenpairs(matrix, n).ok()?;
    let distance = |i: usize, j: usize| (values[i].0 - values[j].0).hypot(values[i].1 - values[j].1);
    let single = |i: usize| (0..n).all(|j| j == i || distance(i, j) > CLOSE);
    let mut found = Vec::new();
    for i in (0..n).filter(|&i| values[i].1 >= 0.0 && values[i].0.hypot(values[i].1) > FAST && single(i)) {
        let part = |pick: fn(&(f64, f64)) -> f64| vectors[i].iter().map(pick).collect::<Vec<f64>>();
        let both = [part(|z| z.0), part(|z| z.1)];
        found.push(both.into_iter().take(if values[i].1 > 0.0 { 2 } else { 1 }).collect());
    }
    Some(found)
}
