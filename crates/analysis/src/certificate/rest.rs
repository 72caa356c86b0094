//! The known part of a loop over one step: from measurements to commands.
//!
//! It may have motions that stand still for ever and take no part in the loop: the gap of two displacements whose velocities are coupled stays what
//! it is, whatever the specimen does. They are poles at z = 1 for all values of the parameters, which no test on the unit circle can pass, and no fault of the loop: [`Rest::without_drift`]
//! takes those out that no measurement moves, or that move no command.

use interfield_linalg::{Svd, balance};

use super::cell::ROUNDING;

/// Below this share of the largest, a singular value is zero to rounding.
const NOTHING: f64 = 1e-12;
/// The same where rows and columns were scaled.
const STILL: f64 = 1e-10;

/// State-space of the known part over one step, matrices row by row.
///
/// Inputs are the measurements of the step, sample by sample, of each channel two; outputs its commands, sample by sample. States that never
/// change anything, or that nothing ever changes, are left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Rest {
    pub(super) states: usize,
    pub(super) channels: usize,
    pub(super) samples: usize,
    pub(super) a: Vec<f64>,
    pub(super) b: Vec<f64>,
    pub(super) c: Vec<f64>,
    pub(super) d: Vec<f64>,
    /// How far entries of A, B and C may be from what they should be.
    pub(super) off: [Vec<f64>; 3],
}

impl Rest {
    /// From the matrix of one step over the whole state, row by row, in which `inputs` and `outputs` are the places of measurements and of commands.
    pub fn from_step(matrix: &[f64], n: usize, inputs: &[usize], outputs: &[usize], channels: usize) -> Self {
        let mut states: Vec<usize> = (0..n).filter(|i| !inputs.contains(i) && !outputs.contains(i)).collect();
        let entry = |i: usize, j: usize| matrix[i * n + j];
        loop {
            let moved = |i: usize| states.iter().chain(inputs).any(|&j| j != i && entry(i, j) != 0.0);
            let seen = |j: usize| states.iter().chain(outputs).any(|&i| i != j && entry(i, j) != 0.0);
            let kept: Vec<usize> = states.iter().copied().filter(|&s| moved(s) && seen(s)).collect();
            if kept.len() == states.len() {
                break;
            }
            states = kept;
        }
        let part = |rows: &[usize], columns: &[usize]| -> Vec<f64> {
            rows.iter().flat_map(|&i| columns.iter().map(move |&j| entry(i, j))).collect()
        };
        Rest {
            states: states.len(),
            channels,
            samples: outputs.len() / channels.max(1),
            a: part(&states, &states),
            b: part(&states, inputs),
            c: part(outputs, &states),
            d: part(outputs, inputs),
            off: Default::default(),
        }
        .off_by_rounding()
    }

    /// Entries are off by rounding.
    fn off_by_rounding(mut self) -> Self {
        self.off = [&self.a, &self.b, &self.c].map(|m| m.iter().map(|x| ROUNDING * x.abs()).collect());
        self
    }

    /// Number of states that take part.
    pub fn states(&self) -> usize {
        self.states
    }

    /// Number of samples in a step.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The same without motions at z = 1 that no measurement moves or that move no command, and their number.
    #[must_use]
    pub fn without_drift(mut self) -> (Self, usize) {
        self.balance();
        let before = self.states;
        loop {
            let (n, inputs, outputs) = (self.states, self.inputs(), self.outputs());
            let still = |i: usize, j: usize| self.a[i * n + j] - f64::from(u8::from(i == j));
            // wᵀ (A - I) = 0 and wᵀ B = 0; (A - I) v = 0 and C v = 0. Columns of B and rows of C have units of their own.
            let length = |x: &mut dyn Iterator<Item = f64>| match x.map(|x| x * x).sum::<f64>().sqrt() {
                0.0 => 1.0,
                length => length,
            };
            let moved: Vec<f64> = (0..inputs).map(|k| length(&mut (0..n).map(|i| self.b[i * inputs + k]))).collect();
            let seen: Vec<f64> = (0..outputs).map(|k| length(&mut (0..n).map(|j| self.c[k * n + j]))).collect();
            let unmoved = null(n + inputs, n, |i, j| match i.checked_sub(n) {
                None => still(j, i),
                Some(k) => self.b[j * inputs + k] / moved[k],
            });
            let unseen = || {
                null(n + outputs, n, |i, j| match i.checked_sub(n) {
                    None => still(i, j),
                    Some(k) => self.c[k * n + j] / seen[k],
                })
            };
            let Some(vector) = unmoved.or_else(unseen) else { break };
            self.leave(&vector);
        }
        let taken = before - self.states;
        (self.off_by_rounding(), taken)
    }

    /// How many motions stand still in every closed loop: positions of rest that the loop keeps whatever the specimen is, such as a gap of two displacements whose
    /// velocities are coupled. At rest state, commands and measurements solve (I - A) x = B y, c = C x + D y, with the same numbers at every sample; of the solutions
    /// as many are there as measurements say, and these.
    pub fn still(&self) -> usize {
        let (n, m, samples) = (self.states, self.channels, self.samples);
        let (inputs, width) = (self.inputs(), n + 3 * m);
        let constant = |from: &[f64], k: usize| -> f64 { (0..samples).map(|j| from[j * 2 * m + k]).sum() };
        let entry = |i: usize, j: usize| -> f64 {
            let own = |holds: bool| f64::from(u8::from(holds));
            match i.checked_sub(n) {
                None if j < n => own(i == j) - self.a[i * n + j],
                None if j < n + m => 0.0,
                None => -constant(&self.b[i * inputs..(i + 1) * inputs], j - n - m),
                Some(o) if j < n => -self.c[o * n + j],
                Some(o) if j < n + m => own(o % m == j - n),
                Some(o) => -constant(&self.d[o * inputs..(o + 1) * inputs], j - n - m),
            }
        };
        let rows = n + m * samples;
        let mut matrix: Vec<f64> = (0..rows * width).map(|k| entry(k / width, k % width)).collect();
        // Columns and rows have units of their own.
        for _ in 0..2 {
            for j in 0..width {
                let most = (0..rows).map(|i| matrix[i * width + j].abs()).fold(0.0, f64::max);
                (0..rows).filter(|_| most > 0.0).for_each(|i| matrix[i * width + j] /= most);
            }
            for row in matrix.chunks_exact_mut(width) {
                let most = row.iter().fold(0.0f64, |m, x| m.max(x.abs()));
                row.iter_mut().filter(|_| most > 0.0).for_each(|x| *x /= most);
            }
        }
        let mut svd = Svd::new(rows, width);
        svd.factorize(&matrix);
        // Of a wide matrix the singular values that it has not are zero.
        (width - svd.rank(STILL)).saturating_sub(2 * m)
    }

    /// Number of measurements and of commands in a step.
    fn inputs(&self) -> usize {
        2 * self.channels * self.samples
    }

    fn outputs(&self) -> usize {
        self.channels * self.samples
    }

    /// States in units in which they are about equally large.
    fn balance(&mut self) {
        let (n, inputs) = (self.states, self.inputs());
        let (a, scale) = balance(&self.a, n);
        self.a = a;
        self.b.iter_mut().enumerate().for_each(|(k, b)| *b /= scale[k / inputs]);
        self.c.iter_mut().enumerate().for_each(|(k, c)| *c *= scale[k % n]);
    }

    /// Only what is perpendicular to a unit vector is left of the state.
    fn leave(&mut self, vector: &[f64]) {
        let (n, inputs) = (self.states, self.inputs());
        // Householder's reflection H that makes the vector the last unit vector: H = I - 2 q qᵀ.
        let mut q = vector.to_vec();
        q[n - 1] += if q[n - 1] < 0.0 { -1.0 } else { 1.0 };
        let square: f64 = q.iter().map(|x| x * x).sum();
        let columns = |m: &mut [f64], rows: usize| {
            for row in m.chunks_exact_mut(n).take(rows) {
                let along = 2.0 * row.iter().zip(&q).map(|(x, q)| x * q).sum::<f64>() / square;
                row.iter_mut().zip(&q).for_each(|(x, q)| *x -= along * q);
            }
        };
        let rows = |m: &mut [f64], width: usize| {
            for j in 0..width {
                let along = 2.0 * (0..n).map(|i| m[i * width + j] * q[i]).sum::<f64>() / square;
                (0..n).for_each(|i| m[i * width + j] -= along * q[i]);
            }
        };
        columns(&mut self.a, n);
        rows(&mut self.a, n);
        rows(&mut self.b, inputs);
        let outputs = self.outputs();
        columns(&mut self.c, outputs);
        let kept = |m: &[f64]| -> Vec<f64> { m.chunks_exact(n).flat_map(|row| row[..n - 1].iter().copied()).collect() };
        (self.a, self.c) = (kept(&self.a[..n * (n - 1)]), kept(&self.c));
        self.b.truncate((n - 1) * inputs);
        self.states = n - 1;
    }
}

/// A unit vector that a matrix takes to zero, to rounding.
fn null(rows: usize, columns: usize, entry: impl Fn(usize, usize) -> f64) -> Option<Vec<f64>> {
    if columns == 0 {
        return None;
    }
    let matrix: Vec<f64> = (0..rows * columns).map(|k| entry(k / columns, k % columns)).collect();
    let mut svd = Svd::new(rows, columns);
    svd.factorize(&matrix);
    (svd.rank(NOTHING) < columns).then(|| svd.right(columns - 1).to_vec())
}
