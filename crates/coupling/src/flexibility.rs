//! The small matrix of the interface problem, H Λ = w, factorised once.

use interfield_linalg::{Factor, Kind, Pattern, dense_symmetric_generalized};

use crate::CouplingError;

/// A factorised interface operator.
pub struct Flexibility {
    factor: Option<Factor>,
    /// The matrix, row-major.
    pub(crate) matrix: Vec<f64>,
    symmetric: bool,
}

/// Below this ratio of eigenvalues (of the matrix scaled to a unit diagonal) constraints say the same thing twice.
const REDUNDANT: f64 = 1e-11;

impl Flexibility {
    /// Factorises a row-major matrix; constraints that repeat each other are refused.
    pub(crate) fn new(matrix: Vec<f64>, n: usize) -> Result<Self, CouplingError> {
        if n == 0 {
            return Ok(Flexibility { factor: None, matrix, symmetric: true });
        }
        let diagonal = |i: usize| matrix[i * n + i];
        if let Some(row) = (0..n).find(|&i| !diagonal(i).is_finite() || diagonal(i) < 0.0) {
            return Err(CouplingError::Reversed { row });
        }
        if let Some(row) = (0..n).find(|&i| diagonal(i) == 0.0) {
            return Err(CouplingError::Rigid { row });
        }
        let scale = |i: usize| matrix[i * n + i].sqrt();
        let at = |i: usize, j: usize| 0.5 * (matrix[i * n + j] + matrix[j * n + i]) / (scale(i) * scale(j));
        let scaled: Vec<f64> = (0..n * n).map(|k| at(k / n, k % n)).collect();
        let unit: Vec<f64> = (0..n * n).map(|k| f64::from(u8::from(k / n == k % n))).collect();
        let (values, vectors) =
            dense_symmetric_generalized(&scaled, &unit, n).map_err(|_| CouplingError::Rigid { row: 0 })?;
        let least = (0..n).min_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
        let most = values.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        if values[least] < -REDUNDANT * most {
            let part = |i: usize| vectors[least][i].abs();
            let row = (0..n).max_by(|&i, &j| part(i).total_cmp(&part(j))).unwrap_or(0);
            return Err(CouplingError::Reversed { row });
        }
        if values[least] <= REDUNDANT * most {
            let rows = (0..n).filter(|&i| vectors[least][i].abs() > 1e-3).collect();
            return Err(CouplingError::Redundant { rows });
        }
        let asymmetry =
            (0..n * n).map(|k| (matrix[k] - matrix[k % n * n + k / n]).abs() / (scale(k / n) * scale(k % n)));
        let symmetric = asymmetry.fold(0.0, f64::max) < 1e-12;
        let kind = if symmetric { Kind::Symmetric } else { Kind::General };
        let pattern = Pattern::new(n, (0..n * n).map(|k| (k / n, k % n)));
        let mut factor = Factor::new(&pattern, kind, true);
        factor.factorize(&matrix).map_err(|_| CouplingError::Rigid { row: 0 })?;
        Ok(Flexibility { factor: Some(factor), matrix, symmetric })
    }

    /// A matrix that is only multiplied with.
    pub(crate) fn unsolved(matrix: Vec<f64>) -> Self {
        Flexibility { factor: None, matrix, symmetric: false }
    }

    /// The matrix, row-major.
    pub fn matrix(&self) -> &[f64] {
        &self.matrix
    }

    /// Its factor; none if it is empty, or only multiplied with.
    pub fn factor(&self) -> Option<&Factor> {
        self.factor.as_ref()
    }

    /// Whether it was found symmetric and factorised as such.
    pub(crate) fn is_symmetric(&self) -> bool {
        self.symmetric
    }

    /// w := H⁻¹ w.
    pub(crate) fn solve(&mut self, w: &mut [f64]) {
        if let Some(factor) = &mut self.factor {
            factor.solve(w);
        }
    }

    /// y += factor * H x.
    pub(crate) fn mul_add(&self, x: &[f64], y: &mut [f64], factor: f64) {
        for (row, y) in self.matrix.chunks_exact(x.len().max(1)).zip(y) {
            *y += factor * row.iter().zip(x).map(|(a, x)| a * x).sum::<f64>();
        }
    }
}
