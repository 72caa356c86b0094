//! Singular values of small matrices of any shape and rank, by one-sided Jacobi rotations (Hestenes, J. SIAM 6:51, 1958): slow for large
//! matrices, accurate for small ones, and without allocation after construction.

/// A = U S Vᵀ, and what follows from it: rank, pseudo-inverse, row space.
#[derive(Clone, Debug)]
pub struct Svd {
    rows: usize,
    columns: usize,
    /// Columns of the longer side, then of the shorter side, each contiguous, by falling singular value.
    long: Vec<f64>,
    short: Vec<f64>,
    values: Vec<f64>,
}

/// Most sweeps; a dozen is usual.
const SWEEPS: usize = 60;

impl Svd {
    /// For matrices of this shape.
    pub fn new(rows: usize, columns: usize) -> Self {
        let (k, l) = (rows.min(columns), rows.max(columns));
        Svd { rows, columns, long: vec![0.0; k * l], short: vec![0.0; k * k], values: vec![0.0; k] }
    }

    /// Decomposes `a`, row-major.
    pub fn factorize(&mut self, a: &[f64]) {
        let (k, l) = (self.values.len(), self.rows.max(self.columns));
        let tall = self.rows >= self.columns;
        for j in 0..k {
            for i in 0..l {
                self.long[j * l + i] = if tall { a[i * self.columns + j] } else { a[j * self.columns + i] };
            }
            (0..k).for_each(|i| self.short[j * k + i] = f64::from(u8::from(i == j)));
        }
        for _ in 0..SWEEPS {
            let mut turned = false;
            for p in 0..k {
                for q in p + 1..k {
                    turned |= self.rotate(p, q);
                }
            }
            if !turned {
                break;
            }
        }
        self.normalise();
    }

    /// Makes two columns of the longer side perpendicular. `false` if they were.
    fn rotate(&mut self, p: usize, q: usize) -> bool {
        let (k, l) = (self.values.len(), self.rows.max(self.columns));
        let column = |j: usize| &self.long[j * l..(j + 1) * l];
        let (pp, qq, pq) = (dot(column(p), column(p)), dot(column(q), column(q)), dot(column(p), column(q)));
        if pq.abs() <= f64::EPSILON * (pp * qq).sqrt() {
            return false;
        }
        let zeta = (qq - pp) / (2.0 * pq);
        let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
        let cos = 1.0 / (1.0 + t * t).sqrt();
        for (columns, length) in [(&mut self.long, l), (&mut self.short, k)] {
            for i in 0..length {
                let (x, y) = (columns[p * length + i], columns[q * length + i]);
                (columns[p * length + i], columns[q * length + i]) = (cos * (x - t * y), cos * (y + t * x));
            }
        }
        true
    }

    /// Lengths of the columns as singular values, the largest first.
    fn normalise(&mut self) {
        let (k, l) = (self.values.len(), self.rows.max(self.columns));
        for j in 0..k {
            let column = &mut self.long[j * l..(j + 1) * l];
            let length = dot(column, column).sqrt();
            self.values[j] = length;
            if length > 0.0 {
                column.iter_mut().for_each(|x| *x /= length);
            }
        }
        for j in 0..k {
            let largest = (j..k).fold(j, |best, i| if self.values[i] > self.values[best] { i } else { best });
            if largest != j {
                self.values.swap(j, largest);
                (0..l).for_each(|i| self.long.swap(j * l + i, largest * l + i));
                (0..k).for_each(|i| self.short.swap(j * k + i, largest * k + i));
            }
        }
    }

    /// Singular values, the largest first.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// How many singular values are above this share of the largest one.
    pub fn rank(&self, share: f64) -> usize {
        let least = share * self.values.first().copied().unwrap_or(0.0);
        self.values.iter().filter(|s| **s > least).count()
    }

    /// Column `j` of U.
    fn left(&self, j: usize) -> &[f64] {
        let side = if self.rows >= self.columns { &self.long } else { &self.short };
        &side[j * self.rows..(j + 1) * self.rows]
    }

    /// Column `j` of V: the first ones span the row space of A.
    pub fn right(&self, j: usize) -> &[f64] {
        let side = if self.rows >= self.columns { &self.short } else { &self.long };
        &side[j * self.columns..(j + 1) * self.columns]
    }

    /// x = A⁺ b: the shortest of those that fit best, with so many singular values.
    pub fn solve(&self, rank: usize, b: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for j in 0..rank {
            let share = dot(self.left(j), b) / self.values[j];
            x.iter_mut().zip(self.right(j)).for_each(|(x, v)| *x += share * v);
        }
    }

    /// x = (Aᵀ)⁺ b.
    pub fn solve_transposed(&self, rank: usize, b: &[f64], x: &mut [f64]) {
        x.fill(0.0);
        for j in 0..rank {
            let share = dot(self.right(j), b) / self.values[j];
            x.iter_mut().zip(self.left(j)).for_each(|(x, u)| *x += share * u);
        }
    }

    /// Whether row `i` of A depends on others: it takes part in a combination of rows that is zero.
    pub fn depends(&self, rank: usize, i: usize) -> bool {
        let own: f64 = (0..rank).map(|j| self.left(j)[i].powi(2)).sum();
        1.0 - own > 1e-6
    }

    /// Takes from `row` what lies in the row space of A.
    pub fn leave_row_space(&self, rank: usize, row: &mut [f64]) {
        for j in 0..rank {
            let share = dot(self.right(j), row);
            row.iter_mut().zip(self.right(j)).for_each(|(x, v)| *x -= share * v);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A⁺ by its four conditions (Penrose 1955), for tall, flat, square and rank-deficient matrices.
    #[test]
    fn the_pseudo_inverse_satisfies_the_conditions_of_penrose() {
        let noise = |i: usize| ((i as f64 + 1.0) * 12.9898).sin() * 43758.5453 % 1.0;
        for (m, n, rank) in [(3, 3, 3), (5, 2, 2), (2, 5, 2), (4, 4, 2), (6, 3, 1), (1, 4, 1)] {
            // A product of thin factors has the rank of their width.
            let (b, c): (Vec<f64>, Vec<f64>) =
                ((0..m * rank).map(noise).collect(), (0..rank * n).map(|i| noise(i + 77)).collect());
            let entry = |i: usize, j: usize| (0..rank).map(|k| b[i * rank + k] * c[k * n + j]).sum::<f64>();
            let a: Vec<f64> = (0..m * n).map(|e| entry(e / n, e % n)).collect();
            let mut svd = Svd::new(m, n);
            svd.factorize(&a);
            assert_eq!(svd.rank(1e-10), rank, "{:?}", svd.values());
            let mut inverse = vec![0.0; n * m];
            for i in 0..m {
                let unit: Vec<f64> = (0..m).map(|k| f64::from(u8::from(k == i))).collect();
                let mut x = vec![0.0; n];
                svd.solve(rank, &unit, &mut x);
                (0..n).for_each(|j| inverse[j * m + i] = x[j]);
            }
            let times = |x: &[f64], y: &[f64], (p, q, r): (usize, usize, usize)| -> Vec<f64> {
                (0..p * r).map(|e| (0..q).map(|k| x[e / r * q + k] * y[k * r + e % r]).sum()).collect()
            };
            let (ap, pa) = (times(&a, &inverse, (m, n, m)), times(&inverse, &a, (n, m, n)));
            let near = |x: &[f64], y: &[f64]| assert!(x.iter().zip(y).all(|(x, y)| (x - y).abs() < 1e-12), "{m} x {n}");
            near(&times(&ap, &a, (m, m, n)), &a);
            near(&times(&pa, &inverse, (n, n, m)), &inverse);
            let flipped = |x: &[f64], k: usize| (0..k * k).map(|e| x[e % k * k + e / k]).collect::<Vec<f64>>();
            near(&ap, &flipped(&ap, m));
            near(&pa, &flipped(&pa, n));
            // A row of A lies in its row space.
            let mut row = a[..n].to_vec();
            svd.leave_row_space(rank, &mut row);
            near(&row, &vec![0.0; n]);
        }
    }
}
