//! Coordinates of the state in which the motions of the loop stand apart.
//!
//! Whether F is regular is the same in all coordinates, the bound on it is not: it takes absolute values entry by entry, and where a slow motion consists of large entries
//! that nearly cancel (sequences of states, filters that differentiate), it is too large by orders of magnitude. With the motions of the loop at rest (actuators
//! as they follow what is slow) as coordinates, x = T y, zI - A is nearly diagonal and the bound is the distance to the nearest motion, as it should be.
//!
//! Motions that cannot be told apart (multiple ones, chains of delays) stay together, in the space that the left vectors of the others leave. T is not exact, nor
//! need it be: how far T⁻¹AT is from what was computed is bounded, and is part of what the bound allows for.

use interfield_linalg::{Svd, dense_solve, eigenpairs};

use super::cell::ROUNDING;
use super::{Disc, Plant, Rest};

/// Motions that decay faster than this per step stay together.
const FAST: f64 = 0.05;
/// Motions nearer to each other than this, too.
const CLOSE: f64 = 1e-7;
/// Largest condition number of the coordinates.
const WORST: f64 = 1e8;
/// Entries that are smaller than so many times the bound on their rounding are taken for zero.
const NOTHING: f64 = 16.0;
/// What an actuator makes of a motion as slow as this, rad per sample, is what it makes of rest.
const SLOW: f64 = 1e-3;

impl Rest {
    /// The same in coordinates that tell the motions of the loop apart that it has with these values of the plant; as it is, where they cannot be told apart.
    pub(super) fn apart(&self, plant: &mut dyn Plant, cell: &[[f64; 2]]) -> Self {
        let changed = self.at_rest(plant, cell).and_then(|closed| {
            let t = coordinates(&closed, self.states)?;
            self.changed(&t)
        });
        changed.unwrap_or_else(|| self.clone())
    }

    /// The closed loop with the responses of the plant to what is slow: A + B P (I - D P)⁻¹ C.
    fn at_rest(&self, plant: &mut dyn Plant, cell: &[[f64; 2]]) -> Option<Vec<f64>> {
        let (n, m) = (self.states, self.channels);
        let (inputs, outputs) = (2 * m * self.samples, m * self.samples);
        let mut discs = vec![Disc::default(); 2 * m * m];
        plant.response(SLOW, 0.0, cell, &mut discs);
        if discs.iter().any(|d| !d.re.is_finite()) {
            return None;
        }
        // Of a row of measurements: what commands add to it.
        let through = |row: &[f64], command: usize| -> f64 {
            let (sample, channel) = (command / m, command % m);
            (0..2 * m).map(|k| row[sample * 2 * m + k] * discs[k * m + channel].re).sum()
        };
        let own: Vec<f64> = (0..outputs * outputs)
            .map(|k| {
                let (i, j) = (k / outputs, k % outputs);
                f64::from(u8::from(i == j)) - through(&self.d[i * inputs..(i + 1) * inputs], j)
            })
            .collect();
        let mut commands = self.c.clone();
        if !dense_solve(&own, outputs, &mut commands, n) {
            return None;
        }
        let mut closed = self.a.clone();
        for i in 0..n {
            let row = &self.b[i * inputs..(i + 1) * inputs];
            for k in 0..outputs {
                let b = through(row, k);
                if b != 0.0 {
                    (0..n).for_each(|j| closed[i * n + j] += b * commands[k * n + j]);
                }
            }
        }
        closed.iter().all(|x| x.is_finite()).then_some(closed)
    }

    /// The same with x = T y, T row by row, and the bounds on what was computed.
    fn changed(&self, t: &[f64]) -> Option<Self> {
        let (n, inputs, outputs) = (self.states, 2 * self.channels * self.samples, self.channels * self.samples);
        let absolute = |m: &[f64]| m.iter().map(|x| x.abs()).collect::<Vec<f64>>();
        let mut inverse: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k % (n + 1) == 0))).collect();
        if n == 0 || !dense_solve(t, n, &mut inverse, n) {
            return None;
        }
        let size = |m: &[f64]| m.iter().map(|x| x * x).sum::<f64>().sqrt();
        if size(t).max(1.0) * size(&inverse) > WORST * n as f64 {
            return None;
        }
        let (abs_t, abs_inverse) = (absolute(t), absolute(&inverse));
        let small = n as f64 * f64::EPSILON;
        // X with T X = R, and how far it is from that: |T⁻¹| (residual and its rounding). A bound on |T⁻¹| is what was computed, twice.
        let solved = |right: &[f64], of: &[f64], width: usize| -> Option<(Vec<f64>, Vec<f64>)> {
            let mut x = right.to_vec();
            if !dense_solve(t, n, &mut x, width) {
                return None;
            }
            let back = product(t, &x, n, n, width);
            let rounding = product(&abs_t, &absolute(&x), n, n, width);
            let left: Vec<f64> = (0..n * width)
                .map(|k| (back[k] - right[k]).abs() + small * rounding[k] + (ROUNDING + small) * of[k])
                .collect();
            let off = product(&abs_inverse, &left, n, n, width).iter().map(|x| 2.0 * x).collect();
            Some((x, off))
        };
        let (mut a, mut off_a) =
            solved(&product(&self.a, t, n, n, n), &product(&absolute(&self.a), &abs_t, n, n, n), n)?;
        // What is hardly more than rounding belongs to the bound: motions that stand apart leave zeros, and zeros cost nothing.
        for (entry, off) in a.iter_mut().zip(&mut off_a).filter(|(entry, off)| entry.abs() <= NOTHING * **off) {
            *off += entry.abs();
            *entry = 0.0;
        }
        let (b, off_b) = solved(&self.b, &absolute(&self.b), inputs)?;
        let c = product(&self.c, t, outputs, n, n);
        let off_c = product(&absolute(&self.c), &abs_t, outputs, n, n).iter().map(|x| (ROUNDING + small) * x).collect();
        Some(Rest { a, b, c, off: [off_a, off_b, off_c], ..self.clone() })
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

/// T, row by row: motions of a matrix that stand alone, of a pair real and imaginary part, then what their left vectors leave.
fn coordinates(matrix: &[f64], n: usize) -> Option<Vec<f64>> {
    let transposed: Vec<f64> = (0..n * n).map(|k| matrix[k % n * n + k / n]).collect();
    let [right, left] = [alone(matrix, n)?, alone(&transposed, n)?];
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
    Some((0..n * n).map(|e| columns[e % n][e / n]).collect())
}

/// Real vectors of the motions of a matrix that stand alone and are not too fast.
fn alone(matrix: &[f64], n: usize) -> Option<Vec<Vec<f64>>> {
    let (values, vectors) = eigenpairs(matrix, n).ok()?;
    let distance = |i: usize, j: usize| (values[i].0 - values[j].0).hypot(values[i].1 - values[j].1);
    let single = |i: usize| (0..n).all(|j| j == i || distance(i, j) > CLOSE);
    let mut found = Vec::new();
    for i in (0..n).filter(|&i| values[i].1 >= 0.0 && values[i].0.hypot(values[i].1) > FAST && single(i)) {
        let part = |pick: fn(&(f64, f64)) -> f64| vectors[i].iter().map(pick).collect::<Vec<f64>>();
        found.push(part(|z| z.0));
        if values[i].1 > 0.0 {
            found.push(part(|z| z.1));
        }
    }
    Some(found)
}
