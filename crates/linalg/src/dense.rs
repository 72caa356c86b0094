//! Dense factorisations for small matrices: diagonal, `L D Lᵀ` / LU, and the stored inverse. Row-major storage, plain
//! loops over contiguous rows, no allocation after construction.

use crate::{Pattern, Singular};

/// Where the values of a pattern go in a dense matrix.
#[derive(Clone, Debug)]
struct Scatter {
    n: usize,
    target: Vec<u32>,
}

impl Scatter {
    fn new(pattern: &Pattern) -> Scatter {
        let n = pattern.n();
        let target = (0..n).flat_map(|i| pattern.columns(i).iter().map(move |&j| (i * n) as u32 + j)).collect();
        Scatter { n, target }
    }

    fn fill(&self, values: &[f64], a: &mut [f64]) {
        a.fill(0.0);
        for (&value, &at) in values.iter().zip(&self.target) {
            a[at as usize] = value;
        }
    }
}

/// Inverse of each entry of a diagonal matrix.
#[derive(Clone, Debug)]
pub(crate) struct Diagonal {
    inverse: Vec<f64>,
}

impl Diagonal {
    pub(crate) fn new(n: usize) -> Diagonal {
        Diagonal { inverse: vec![0.0; n] }
    }

    /// Fails with the first row whose inverse does not exist.
    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        for (row, (inverse, &value)) in self.inverse.iter_mut().zip(values).enumerate() {
            *inverse = 1.0 / value;
            if !inverse.is_finite() || !value.is_finite() {
                return Err(row);
            }
        }
        Ok(())
    }

    pub(crate) fn inverse(&self) -> &[f64] {
        &self.inverse
    }

    pub(crate) fn solve(&self, b: &mut [f64]) {
        for (b, inverse) in b.iter_mut().zip(&self.inverse) {
            *b *= inverse;
        }
    }
}

/// Dense factor of a matrix that is factorised again and again.
///
/// Symmetric values are first tried as `L D Lᵀ` with positive pivots, half the work and stable without row exchanges.
/// A pivot that is not positive means an indefinite matrix, and LU with partial pivoting takes over; so every regular
/// symmetric matrix works.
#[derive(Clone, Debug)]
pub(crate) struct Dense {
    scatter: Scatter,
    symmetric: bool,
    a: Vec<f64>,
    inverse: Vec<f64>,
    lu: Lu,
    used_lu: bool,
}

impl Dense {
    pub(crate) fn new(pattern: &Pattern, symmetric: bool) -> Dense {
        let n = pattern.n();
        Dense {
            scatter: Scatter::new(pattern),
            symmetric,
            a: vec![0.0; if symmetric { n * n } else { 0 }],
            inverse: vec![0.0; n],
            lu: Lu::new(n),
            used_lu: !symmetric,
        }
    }

    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        self.used_lu = true;
        if self.symmetric {
            self.scatter.fill(values, &mut self.a);
            if ldlt(self.scatter.n, &mut self.a, &mut self.inverse) {
                self.used_lu = false;
                return Ok(());
            }
        }
        self.scatter.fill(values, &mut self.lu.a);
        self.lu.eliminate()
    }

    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        if self.used_lu {
            self.lu.solve(b);
        } else {
            ldlt_solve(&self.a, &self.inverse, b);
        }
    }

    pub(crate) fn symmetric(&self) -> bool {
        self.symmetric
    }

    pub(crate) fn entries(&self) -> usize {
        let n = self.scatter.n;
        if self.symmetric { n * (n + 1) / 2 } else { n * n }
    }
}

/// Overwrites the upper triangle of `a` (row-major) with the unit upper factor of `Uᵀ D U`. False when a pivot is not
/// safely positive.
fn ldlt(n: usize, a: &mut [f64], inverse: &mut [f64]) -> bool {
    let tolerance = crate::kernels::pivot_tolerance(n);
    for k in 0..n {
        inverse[k] = a[k * n + k];
    }
    for k in 0..n {
        let (head, tail) = a.split_at_mut((k + 1) * n);
        let row = &mut head[k * n..];
        let pivot = row[k];
        let original = inverse[k];
        let inv = 1.0 / pivot;
        if !(pivot > tolerance * original && original < f64::INFINITY && inv.is_finite()) {
            return false;
        }
        inverse[k] = inv;
        for (below, i) in tail.chunks_exact_mut(n).zip(k + 1..n) {
            let l = row[i] * inv;
            if l != 0.0 {
                for (x, &u) in below[i..].iter_mut().zip(&row[i..]) {
                    *x -= l * u;
                }
            }
        }
        for u in &mut row[k + 1..] {
            *u *= inv;
        }
    }
    true
}

/// Solves A x = b for a small matrix that is symmetric and positive definite; `None` if it is not. Only the upper triangle
/// is read, and nothing allocated.
pub fn definite_solve<const N: usize>(mut a: [[f64; N]; N], mut b: [f64; N]) -> Option<[f64; N]> {
    let mut inverse = [0.0; N];
    if !ldlt(N, a.as_flattened_mut(), &mut inverse) {
        return None;
    }
    ldlt_solve(a.as_flattened(), &inverse, &mut b);
    b.iter().all(|x| x.is_finite()).then_some(b)
}

/// As [`definite_solve`] for a matrix of any size and several right-hand sides, `rows` one after the other, in place. `work` holds a
/// row; the matrix is overwritten. `false` if it is not positive definite: the rows are then as they were.
pub fn definite_solve_rows(a: &mut [f64], work: &mut [f64], rows: &mut [f64]) -> bool {
    let n = work.len();
    if !ldlt(n, a, work) {
        return false;
    }
    rows.chunks_exact_mut(n.max(1)).for_each(|b| ldlt_solve(a, work, b));
    true
}

fn ldlt_solve(a: &[f64], inverse: &[f64], b: &mut [f64]) {
    let n = b.len();
    for (k, row) in a.chunks_exact(n.max(1)).enumerate() {
        let (head, tail) = b.split_at_mut(k + 1);
        let y = head[k];
        for (x, &u) in tail.iter_mut().zip(&row[k + 1..]) {
            *x -= u * y;
        }
        head[k] = y * inverse[k];
    }
    for (k, row) in a.chunks_exact(n.max(1)).enumerate().rev() {
        let (head, tail) = b.split_at_mut(k + 1);
        head[k] -= row_dot(&row[k + 1..], tail);
    }
}

/// Dot product with four partial sums.
fn row_dot(a: &[f64], x: &[f64]) -> f64 {
    let (a4, a1) = a.as_chunks::<4>();
    let (x4, x1) = x.as_chunks::<4>();
    let mut sum = [0.0; 4];
    for (a, x) in a4.iter().zip(x4) {
        for j in 0..4 {
            sum[j] += a[j] * x[j];
        }
    }
    let rest: f64 = a1.iter().zip(x1).map(|(a, x)| a * x).sum();
    (sum[0] + sum[2]) + (sum[1] + sum[3]) + rest
}

/// Dense LU with partial pivoting of equilibrated rows. Only its constructor allocates.
#[derive(Clone, Debug)]
pub struct Lu {
    n: usize,
    a: Vec<f64>,
    inverse: Vec<f64>,
    /// Row of the original matrix in each pivot position.
    order: Vec<u32>,
    /// Inverse of the largest entry of each row. It only steers the choice of pivots, so that this does not depend on the
    /// units of the rows.
    scale: Vec<f64>,
    /// Largest scaled entry of each column of the matrix.
    column: Vec<f64>,
    x: Vec<f64>,
}

impl Lu {
    /// For a matrix with `n` rows.
    pub fn new(n: usize) -> Lu {
        Lu {
            n,
            a: vec![0.0; n * n],
            inverse: vec![0.0; n],
            order: vec![0; n],
            scale: vec![0.0; n],
            column: vec![0.0; n],
            x: vec![0.0; n],
        }
    }

    /// Factorises a row-major matrix.
    ///
    /// # Errors
    /// The row that was left without a pivot.
    ///
    /// # Panics
    /// If the matrix has another size.
    pub fn factorize(&mut self, matrix: &[f64]) -> Result<(), Singular> {
        self.a.copy_from_slice(matrix);
        self.eliminate().map_err(|row| Singular { row })
    }

    /// The smallest pivot.
    pub fn least_pivot(&self) -> f64 {
        1.0 / self.inverse.iter().fold(0.0_f64, |m, x| m.max(x.abs()))
    }

    /// Factorises the matrix in `a`. The error is the original row that was left without a pivot.
    fn eliminate(&mut self) -> Result<(), usize> {
        let n = self.n;
        self.column.fill(0.0);
        for (i, row) in self.a.chunks_exact(n.max(1)).enumerate() {
            let largest = row.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if largest == 0.0 || !row.iter().all(|v| v.is_finite()) {
                return Err(i);
            }
            self.scale[i] = 1.0 / largest;
            self.order[i] = i as u32;
            for (size, v) in self.column.iter_mut().zip(row) {
                *size = size.max(v.abs() * self.scale[i]);
            }
        }
        let tolerance = crate::kernels::pivot_tolerance(n);
        for k in 0..n {
            let (mut best, mut size) = (k, -1.0);
            for i in k..n {
                let candidate = self.a[i * n + k].abs() * self.scale[i];
                if candidate > size {
                    (best, size) = (i, candidate);
                }
            }
            // What is left of a regular column is far above the rounding errors of what it was.
            if size <= tolerance * self.column[k] || !size.is_finite() {
                return Err(self.order[best] as usize);
            }
            self.order.swap(k, best);
            self.scale.swap(k, best);
            let (head, tail) = self.a.split_at_mut((k + 1) * n);
            let row = &mut head[k * n..];
            if best != k {
                row.swap_with_slice(&mut tail[(best - k - 1) * n..][..n]);
            }
            let inverse = 1.0 / row[k];
            self.inverse[k] = inverse;
            for below in tail.chunks_exact_mut(n) {
                let l = below[k] * inverse;
                below[k] = l;
                if l != 0.0 {
                    for (x, &u) in below[k + 1..].iter_mut().zip(&row[k + 1..]) {
                        *x -= l * u;
                    }
                }
            }
        }
        Ok(())
    }

    /// A x = b, in place.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.n;
        for k in 0..n {
            let row = &self.a[k * n..][..k];
            self.x[k] = b[self.order[k] as usize] - row_dot(row, &self.x[..k]);
        }
        for k in (0..n).rev() {
            let row = &self.a[k * n + k + 1..(k + 1) * n];
            b[k] = (self.x[k] - row_dot(row, &b[k + 1..n])) * self.inverse[k];
        }
    }

    /// Aᵀ x = b, in place.
    pub fn solve_transposed(&mut self, b: &mut [f64]) {
        let (n, a, x) = (self.n, &self.a, &mut self.x);
        for k in 0..n {
            let sum: f64 = (0..k).map(|i| a[i * n + k] * x[i]).sum();
            x[k] = (b[k] - sum) * self.inverse[k];
        }
        for k in (0..n).rev() {
            x[k] -= (k + 1..n).map(|i| a[i * n + k] * x[i]).sum::<f64>();
            b[self.order[k] as usize] = x[k];
        }
    }
}

/// Stored inverse: a solution is one matrix-vector product without any chain of dependencies, the fastest way for a
/// small matrix that changes rarely.
#[derive(Clone, Debug)]
pub(crate) struct Inverse {
    scatter: Scatter,
    lu: Lu,
    /// Column-major.
    columns: Vec<f64>,
    out: Vec<f64>,
}

impl Inverse {
    pub(crate) fn new(pattern: &Pattern) -> Inverse {
        let n = pattern.n();
        Inverse { scatter: Scatter::new(pattern), lu: Lu::new(n), columns: vec![0.0; n * n], out: vec![0.0; n] }
    }

    pub(crate) fn factorize(&mut self, values: &[f64]) -> Result<(), usize> {
        self.scatter.fill(values, &mut self.lu.a);
        self.lu.eliminate()?;
        for (j, column) in self.columns.chunks_exact_mut(self.lu.n.max(1)).enumerate() {
            self.out.fill(0.0);
            self.out[j] = 1.0;
            self.lu.solve(&mut self.out);
            column.copy_from_slice(&self.out);
        }
        Ok(())
    }

    /// Four columns at a time: one load and store of the result per four products.
    pub(crate) fn solve(&mut self, b: &mut [f64]) {
        let n = self.lu.n;
        let out = &mut self.out[..n];
        out.fill(0.0);
        let mut fours = self.columns.chunks_exact(4 * n.max(1));
        let (b4, b1) = b.as_chunks::<4>();
        for (block, x) in fours.by_ref().zip(b4) {
            let (c0, rest) = block.split_at(n);
            let (c1, rest) = rest.split_at(n);
            let (c2, c3) = rest.split_at(n);
            for ((((y, c0), c1), c2), c3) in out.iter_mut().zip(c0).zip(c1).zip(c2).zip(c3) {
                *y += (c0 * x[0] + c1 * x[1]) + (c2 * x[2] + c3 * x[3]);
            }
        }
        for (column, &x) in fours.remainder().chunks_exact(n.max(1)).zip(b1) {
            for (y, c) in out.iter_mut().zip(column) {
                *y += c * x;
            }
        }
        b.copy_from_slice(out);
    }

    pub(crate) fn columns(&self) -> &[f64] {
        &self.columns
    }

    pub(crate) fn entries(&self) -> usize {
        self.columns.len()
    }
}
