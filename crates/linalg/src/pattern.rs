//! Sparsity pattern and the matrix-vector products on it.

use std::ops::Range;

/// Structurally symmetric sparsity pattern: compressed rows, columns ascending, both triangles, diagonal always present.
///
/// A matrix on the pattern is a slice of [`nnz`](Pattern::nnz) values in row order; [`position`](Pattern::position) tells
/// where an entry lives. Because the pattern is symmetric, the same arrays describe compressed columns of the transpose,
/// which the factorisations use.
///
/// Indices are 32 bits wide: half the memory traffic of `usize`, and traffic is what bounds these kernels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    ptr: Vec<u32>,
    idx: Vec<u32>,
}

impl Pattern {
    /// Pattern of an `n` by `n` matrix with the given entries (row, column), their mirror images and the diagonal.
    /// Order and repetition of the entries do not matter.
    ///
    /// # Panics
    /// If an entry lies outside the matrix, or if the pattern needs more than 2³² entries: both are programming errors.
    pub fn new(n: usize, entries: impl IntoIterator<Item = (usize, usize)>) -> Pattern {
        assert!(n < u32::MAX as usize, "a pattern of {n} rows does not fit 32-bit indices");
        // A (row, column) pair packed into one integer sorts in row order.
        let pack = |i: usize, j: usize| (i as u64) << 32 | j as u64;
        let mut keys: Vec<u64> = (0..n).map(|i| pack(i, i)).collect();
        for (i, j) in entries {
            assert!(i < n && j < n, "entry ({i}, {j}) lies outside a matrix of {n} rows");
            if i != j {
                keys.push(pack(i, j));
                keys.push(pack(j, i));
            }
        }
        keys.sort_unstable();
        keys.dedup();
        assert!(keys.len() < u32::MAX as usize, "{} entries do not fit 32-bit indices", keys.len());
        let mut ptr = vec![0u32; n + 1];
        for key in &keys {
            ptr[(key >> 32) as usize + 1] += 1;
        }
        for i in 0..n {
            ptr[i + 1] += ptr[i];
        }
        Pattern { ptr, idx: keys.iter().map(|&key| key as u32).collect() }
    }

    /// Number of rows (and columns).
    pub fn n(&self) -> usize {
        self.ptr.len() - 1
    }

    /// Number of stored entries, counting both triangles and the diagonal; the length of a value slice.
    pub fn nnz(&self) -> usize {
        self.idx.len()
    }

    /// Positions of row `i` in a value slice.
    pub fn row(&self, i: usize) -> Range<usize> {
        self.ptr[i] as usize..self.ptr[i + 1] as usize
    }

    /// Columns of row `i`, ascending; parallel to [`row`](Pattern::row).
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.idx[self.row(i)]
    }

    /// Position of entry (`i`, `j`) in a value slice, or `None` where the pattern has no entry.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        if i >= self.n() || j >= self.n() {
            return None;
        }
        let row = self.row(i);
        self.idx[row.clone()].binary_search(&(j as u32)).ok().map(|k| row.start + k)
    }

    /// True when only the diagonal is present.
    pub fn is_diagonal(&self) -> bool {
        self.nnz() == self.n()
    }

    /// Row pointers and column indices as raw arrays.
    pub(crate) fn raw(&self) -> (&[u32], &[u32]) {
        (&self.ptr, &self.idx)
    }

    /// Row that a position of a value slice belongs to.
    pub(crate) fn row_of(&self, position: usize) -> usize {
        self.ptr.partition_point(|&p| p as usize <= position) - 1
    }

    /// Row of the first value that is NaN or infinite.
    pub(crate) fn first_non_finite_row(&self, values: &[f64]) -> Option<usize> {
        values.iter().position(|v| !v.is_finite()).map(|p| self.row_of(p))
    }

    /// `y = A x`.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn mul(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_row(values, x, y, |y, sum| *y = sum);
    }

    /// `y += A x`.
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn mul_add(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        self.each_row(values, x, y, |y, sum| *y += sum);
    }

    /// `y += A x + B w`, both matrices on this pattern, in a single pass over the indices (for example damping and
    /// stiffness forces of one step).
    ///
    /// # Panics
    /// If a slice has the wrong length.
    pub fn mul2_add(&self, a: &[f64], x: &[f64], b: &[f64], w: &[f64], y: &mut [f64]) {
        let n = self.n();
        assert_eq!(a.len(), self.nnz(), "values of the first matrix");
        assert_eq!(b.len(), self.nnz(), "values of the second matrix");
        assert_eq!((x.len(), w.len(), y.len()), (n, n, n), "vector lengths");
        let mut start = 0;
        for (y, &end) in y.iter_mut().zip(&self.ptr[1..]) {
            *y += self.sum2(start..end as usize, a, x, b, w);
            start = end as usize;
        }
    }

    /// Entry `i` of `A x`, the bits of [`Pattern::mul`].
    pub fn mul_row(&self, i: usize, values: &[f64], x: &[f64]) -> f64 {
        self.sum(self.row(i), values, x)
    }

    /// Entry `i` of `A x + B w`, the bits of [`Pattern::mul2_add`].
    pub fn mul2_row(&self, i: usize, a: &[f64], x: &[f64], b: &[f64], w: &[f64]) -> f64 {
        self.sum2(self.row(i), a, x, b, w)
    }

    #[inline(always)]
    fn sum2(&self, row: Range<usize>, a: &[f64], x: &[f64], b: &[f64], w: &[f64]) -> f64 {
        if let Some(run) = self.run(&row) {
            return dot(&a[row.clone()], &x[run.clone()]) + dot(&b[row], &w[run]);
        }
        let (mut s, mut t) = (0.0, 0.0);
        let w = &w[..x.len()]; // an index that is good for one is good for both
        for ((&j, &a), &b) in self.idx[row.clone()].iter().zip(&a[row.clone()]).zip(&b[row]) {
            s += a * x[j as usize];
            t += b * w[j as usize];
        }
        s + t
    }

    /// Two partial sums hide the latency of the additions; more of them do not pay for rows of 3 to 40 entries.
    #[inline(always)]
    fn sum(&self, row: Range<usize>, values: &[f64], x: &[f64]) -> f64 {
        if let Some(run) = self.run(&row) {
            return dot(&values[row], &x[run]);
        }
        let (idx, last_idx) = self.idx[row.clone()].as_chunks::<2>();
        let (val, last_val) = values[row].as_chunks::<2>();
        let (mut s, mut t) = (0.0, 0.0);
        for (j, v) in idx.iter().zip(val) {
            s += v[0] * x[j[0] as usize];
            t += v[1] * x[j[1] as usize];
        }
        if let (&[j], &[v]) = (last_idx, last_val) {
            s += v * x[j as usize];
        }
        s + t
    }

    /// The columns of a long row without a gap, such as those of a superelement.
    #[inline(always)]
    fn run(&self, row: &Range<usize>) -> Option<Range<usize>> {
        if row.len() < LONG {
            return None;
        }
        let (first, last) = (self.idx[row.start] as usize, self.idx[row.end - 1] as usize);
        (last + 1 - first == row.len()).then_some(first..last + 1)
    }

    /// Row sums of the product, handed to `put`.
    #[inline(always)]
    fn each_row(&self, values: &[f64], x: &[f64], y: &mut [f64], put: impl Fn(&mut f64, f64)) {
        let n = self.n();
        assert_eq!(values.len(), self.nnz(), "values of the matrix");
        assert_eq!((x.len(), y.len()), (n, n), "vector lengths");
        let mut start = 0;
        for (y, &end) in y.iter_mut().zip(&self.ptr[1..]) {
            put(y, self.sum(start..end as usize, values, x));
            start = end as usize;
        }
    }
}

/// From so many neighbours on, a row is summed as a dense one.
const LONG: usize = 32;

/// Dot product with eight partial sums: as fast as its numbers can be read, where one or two wait for each addition.
fn dot(a: &[f64], x: &[f64]) -> f64 {
    let (a8, a1) = a.as_chunks::<8>();
    let (x8, x1) = x.as_chunks::<8>();
    let mut sum = [0.0; 8];
    for (a, x) in a8.iter().zip(x8) {
        for j in 0..8 {
            sum[j] += a[j] * x[j];
        }
    }
    let rest = a1.iter().zip(x1).fold(0.0, |sum, (a, x)| sum + a * x);
    ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest
}
