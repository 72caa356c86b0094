//! Complex systems on a real pattern, for harmonic responses: (A + iB) x = f.
//!
//! Written with real numbers, every entry a + ib becomes the block [a −b; b a]. The real factors do not pivot where they
//! are sparse, and a lightly damped structure near a resonance has small pivots: each solution is therefore corrected by its
//! residual, and one that stays bad is refused.

use crate::{Complex, Factor, Kind, Pattern, Singular, Solver};

/// Up to so many real unknowns the factor is dense and pivots.
const DENSE: usize = 64;
/// Corrections of a solution, at most.
const CORRECTIONS: usize = 4;
/// Residual over right-hand side of a solution that is good, and of one that is accepted.
const GOOD: f64 = 1e-13;
const ACCEPTED: f64 = 1e-7;

/// Factors of a complex matrix on a pattern.
pub struct ComplexFactor {
    /// The pattern of the real matrix, twice as large.
    pattern: Pattern,
    factor: Factor,
    /// Where the four numbers of each entry are.
    places: Vec<[u32; 4]>,
    values: Vec<f64>,
    right: Vec<f64>,
    solution: Vec<f64>,
    residual: Vec<f64>,
}

impl ComplexFactor {
    /// For matrices on `pattern`.
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.n();
        let entries = |i: usize| pattern.columns(i).iter().map(move |&j| (i, j as usize));
        let blocks = (0..n).flat_map(entries).flat_map(|(i, j)| (0..4).map(move |b| (2 * i + b / 2, 2 * j + b % 2)));
        let double = Pattern::new(2 * n, blocks);
        let place = |(i, j): (usize, usize)| {
            std::array::from_fn(|b| double.position(2 * i + b / 2, 2 * j + b % 2).map_or(0, |p| p as u32))
        };
        let places = (0..n).flat_map(entries).map(place).collect();
        let dense = || Factor::with_solver(&double, Kind::General, Solver::Dense).ok();
        let small = if 2 * n <= DENSE { dense() } else { None };
        let factor = small.unwrap_or_else(|| Factor::new(&double, Kind::General, false));
        let (nnz, zero) = (double.nnz(), vec![0.0; 2 * n]);
        let [right, solution, residual] = [zero.clone(), zero.clone(), zero];
        ComplexFactor { pattern: double, factor, places, values: vec![0.0; nnz], right, solution, residual }
    }

    /// Factorises `re` + i `im`, both on the pattern.
    ///
    /// # Errors
    /// When it is singular; the row is that of the complex matrix.
    pub fn factorize(&mut self, re: &[f64], im: &[f64]) -> Result<(), Singular> {
        for ((place, re), im) in self.places.iter().zip(re).zip(im) {
            for (p, x) in place.iter().zip([*re, -im, *im, *re]) {
                self.values[*p as usize] = x;
            }
        }
        self.factor.factorize(&self.values).map_err(|s| Singular { row: s.row / 2 })
    }

    /// Overwrites the right-hand side with the solution.
    ///
    /// # Errors
    /// When no solution is found whose residual is small: the matrix is singular up to rounding.
    pub fn solve(&mut self, b: &mut [Complex]) -> Result<(), Singular> {
        b.iter().zip(self.right.chunks_exact_mut(2)).for_each(|(z, r)| r.copy_from_slice(&[z.0, z.1]));
        let size = |x: &[f64]| x.iter().fold(0.0f64, |m, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) });
        let whole = size(&self.right);
        self.solution.fill(0.0);
        self.residual.copy_from_slice(&self.right);
        let mut left = whole;
        for _ in 0..=CORRECTIONS {
            self.factor.solve(&mut self.residual);
            self.solution.iter_mut().zip(&self.residual).for_each(|(x, d)| *x += d);
            self.pattern.mul(&self.values, &self.solution, &mut self.residual);
            self.residual.iter_mut().zip(&self.right).for_each(|(r, b)| *r = b - *r);
            left = size(&self.residual);
            if left <= GOOD * whole {
                break;
            }
        }
        if left.is_nan() || left > ACCEPTED * whole {
            let worst = self.residual.iter().position(|r| r.is_nan() || r.abs() >= left).unwrap_or(0);
            return Err(Singular { row: worst / 2 });
        }
        b.iter_mut().zip(self.solution.chunks_exact(2)).for_each(|(z, x)| *z = (x[0], x[1]));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of `n` equal springs and masses, k = m = 1, the last held by a dashpot c: the response to a force at the first.
    fn chain(n: usize, omega: f64, c: f64) -> Result<Vec<Complex>, Singular> {
        let pattern = Pattern::new(n, (1..n).map(|i| (i - 1, i)));
        let (mut re, mut im) = (vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]);
        for i in 0..n {
            let here = pattern.position(i, i).unwrap();
            re[here] = 2.0 - omega * omega;
            for j in [i.wrapping_sub(1), i + 1].into_iter().filter(|j| *j < n) {
                re[pattern.position(i, j).unwrap()] = -1.0;
            }
        }
        im[pattern.position(n - 1, n - 1).unwrap()] = omega * c;
        let mut factor = ComplexFactor::new(&pattern);
        factor.factorize(&re, &im)?;
        let mut b = vec![(0.0, 0.0); n];
        b[0] = (1.0, 0.0);
        factor.solve(&mut b).map(|()| b)
    }

    #[test]
    fn a_chain_answers_as_its_continued_fraction_says() {
        for (n, omega, c) in [(3, 0.3, 0.1), (40, 1.1, 0.02), (300, 1.9, 1e-3), (300, 1.41, 1e-6)] {
            // x1 = 1 / (d - 1 / (d - ...)), from the dashpot on.
            let d = 2.0 - omega * omega;
            let mut z: Complex = (d, omega * c);
            for _ in 1..n {
                let square = z.0 * z.0 + z.1 * z.1;
                z = (d - z.0 / square, z.1 / square);
            }
            let square = z.0 * z.0 + z.1 * z.1;
            let exact = (z.0 / square, -z.1 / square);
            let found = chain(n, omega, c).unwrap()[0];
            let error = (found.0 - exact.0).hypot(found.1 - exact.1) / exact.0.hypot(exact.1);
            assert!(error < 1e-6, "n = {n}, omega = {omega}: {found:?}, exact {exact:?}");
        }
    }

    #[test]
    fn a_resonance_without_damping_is_refused() {
        // Two masses on three springs: omega = 1 and sqrt(3).
        assert!(chain(2, 1.0, 0.0).is_err());
        assert!(chain(2, 1.0, 0.1).is_ok());
    }
}
