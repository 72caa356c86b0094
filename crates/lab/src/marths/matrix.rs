//! Small dense matrices for the design of estimator and regulator.

use interfield_linalg::Lu;

/// A matrix, row by row.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Matrix {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) values: Vec<f64>,
}

impl Matrix {
    pub(super) fn zero(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, values: vec![0.0; rows * columns] }
    }

    pub(super) fn diagonal(values: &[f64]) -> Self {
        let mut matrix = Self::zero(values.len(), values.len());
        values.iter().enumerate().for_each(|(i, value)| *matrix.at(i, i) = *value);
        matrix
    }

    pub(super) fn at(&mut self, row: usize, column: usize) -> &mut f64 {
        &mut self.values[row * self.columns + column]
    }

    /// Writes a smaller matrix into this one.
    pub(super) fn put(mut self, row: usize, column: usize, part: &Matrix) -> Self {
        for i in 0..part.rows {
            let from = &part.values[i * part.columns..][..part.columns];
            self.values[(row + i) * self.columns + column..][..part.columns].copy_from_slice(from);
        }
        self
    }

    pub(super) fn times(&self, other: &Matrix) -> Matrix {
        let mut product = Self::zero(self.rows, other.columns);
        for i in 0..self.rows {
            for k in 0..self.columns {
                let weight = self.values[i * self.columns + k];
                let from = &other.values[k * other.columns..][..other.columns];
                let to = &mut product.values[i * other.columns..][..other.columns];
                to.iter_mut().zip(from).for_each(|(x, y)| *x += weight * y);
            }
        }
        product
    }

    pub(super) fn transposed(&self) -> Matrix {
        let values = (0..self.values.len()).map(|at| self.values[at % self.rows * self.columns + at / self.rows]);
        Matrix { rows: self.columns, columns: self.rows, values: values.collect() }
    }

    pub(super) fn plus(&self, other: &Matrix, weight: f64) -> Matrix {
        let values = self.values.iter().zip(&other.values).map(|(x, y)| x + weight * y).collect();
        Matrix { values, ..*self }
    }

    /// A⁻¹ B; zeros for a singular A, which no design of this folder has.
    pub(super) fn solve(&self, right: &Matrix) -> Matrix {
        let mut factors = Lu::new(self.rows);
        let mut solved = right.transposed();
        if factors.factorize(&self.values).is_err() {
            return Self::zero(right.rows, right.columns);
        }
        solved.values.chunks_exact_mut(right.rows.max(1)).for_each(|column| factors.solve(column));
        solved.transposed()
    }

    /// y += A x.
    pub(super) fn add(&self, x: &[f64], y: &mut [f64]) {
        for (y, row) in y.iter_mut().zip(self.values.chunks_exact(self.columns)) {
            *y += row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
    }
}

/// The gain L of u = -L x that makes Σ xᵀQx + uᵀRu least for x⁺ = A x + B u, by the structure-preserving doubling algorithm (Chu, Fan, Lin, Wang 2004): as many
/// steps as two to their number samples.
pub(super) fn regulator(a: &Matrix, b: &Matrix, q: &Matrix, r: &Matrix) -> Matrix {
    let n = a.rows;
    let one = Matrix::diagonal(&vec![1.0; n]);
    let (mut a_k, mut g, mut h) = (a.clone(), b.times(&r.solve(&b.transposed())), q.clone());
    for _ in 0..DOUBLINGS {
        let w = one.plus(&g.times(&h), 1.0);
        let (wa, wg) = (w.solve(&a_k), w.solve(&g));
        let at = a_k.transposed();
        h = h.plus(&at.times(&h).times(&wa), 1.0);
        g = g.plus(&a_k.times(&wg).times(&at), 1.0);
        a_k = a_k.times(&wa);
    }
    let bt = b.transposed();
    let weight = r.plus(&bt.times(&h).times(b), 1.0);
    weight.solve(&bt.times(&h).times(a))
}

/// 2^20 samples: a quarter of an hour.
const DOUBLINGS: usize = 20;
