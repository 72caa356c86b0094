//! The lowest modes of a large sparse pair by shift-invert Lanczos at shift zero, with the factor of the stiffness that the caller has.
//!
//! Grimes, Lewis and Simon, SIAM J. Matrix Anal. Appl. 15 (1994). Single vectors, orthogonalised twice against all earlier ones in the
//! product of the mass: for some hundred modes this costs less than the solutions, and no copies of found modes appear. A single vector
//! sees one direction of a multiple eigenvalue only. Therefore the number of modes below a bound is counted by the inertia of K − σM;
//! where some are missing, what was found is locked and the search starts again beside it.
//!
//! Unlike [`modes`](crate::modes) it goes on where it stopped when more modes are wanted.

use crate::Pattern;
use crate::choice::SymmetricFactor;
use crate::eigen::{EigenError, symmetric_eigen};
use crate::modes::dot;

/// ‖K⁻¹Mx − θx‖ / θ of a vector that has converged; the error of its ω² is of the order of the square.
const CONVERGED: f64 = 1e-10;
/// The same as a share of the largest θ, where rounding ends.
const ROUNDING: f64 = 2e-15;
/// What is left of a start vector beside all found ones when there are no more.
const EXHAUSTED: f64 = 1e-11;
/// Most starts beside what was found.
const STARTS: usize = 12;
/// Modes closer than this (relative, ω²) are not told apart by a count.
const GAP: f64 = 1e-7;

/// A mode: ω², and its shape with unit modal mass.
pub(crate) type Pair = (f64, Vec<f64>);

/// What is wanted of a spectrum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wanted {
    /// This many modes.
    Count(usize),
    /// All modes below this ω², rad²/s².
    Below(f64),
}

/// The lowest modes of K φ = ω² M φ with a definite K.
pub(crate) struct Lanczos<'a> {
    pattern: &'a Pattern,
    k: &'a [f64],
    m: &'a [f64],
    /// What was found by earlier starts.
    locked: Vec<Pair>,
    basis: Vec<Vec<f64>>,
    /// The tridiagonal matrix of this start.
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// The vector that comes next; none when all modes are found.
    next: Option<Vec<f64>>,
    seed: u64,
    /// Solutions so far.
    pub(crate) solutions: usize,
}

/// The converged part of the spectrum.
struct Seen {
    /// ω² of what was found by this start, with their vectors in its basis.
    ritz: Vec<(f64, Vec<f64>)>,
    /// Below this ω² nothing is open as far as this start can tell.
    frontier: f64,
}

impl<'a> Lanczos<'a> {
    pub(crate) fn new(pattern: &'a Pattern, k: &'a [f64], m: &'a [f64], factor: &mut SymmetricFactor) -> Self {
        let mut this = Lanczos {
            pattern,
            k,
            m,
            locked: Vec::new(),
            basis: Vec::new(),
            diagonal: Vec::new(),
            beside: Vec::new(),
            next: None,
            seed: 0x2545_f491_4f6c_dd1d,
            solutions: 0,
        };
        this.start(factor);
        this
    }

    /// The modes that are wanted, ascending, and the ω² of the first that is not among them; none if there are no more. At most `most`
    /// modes: beyond that the answer is [`EigenError::TooMany`].
    pub(crate) fn find(
        &mut self,
        factor: &mut SymmetricFactor,
        wanted: Wanted,
        most: usize,
    ) -> Result<(Vec<Pair>, Option<f64>), EigenError> {
        let mut counter = None;
        for _ in 0..STARTS {
            let seen = self.converge(factor, wanted, most)?;
            let mut values: Vec<f64> = self.locked.iter().map(|p| p.0).chain(seen.ritz.iter().map(|r| r.0)).collect();
            values.retain(|v| *v < seen.frontier);
            values.sort_by(f64::total_cmp);
            let count = match wanted {
                Wanted::Count(count) => count.min(values.len()),
                Wanted::Below(most) => values.partition_point(|v| *v < most),
            };
            // The count stands where two neighbours are apart.
            let apart = (count.max(1)..values.len()).find(|&i| values[i] - values[i - 1] > GAP * values[i]);
            let (bound, found) = match apart {
                Some(i) => (0.5 * (values[i - 1] + values[i]), i),
                None => (values.last().map_or(0.0, |v| v * (1.0 + 10.0 * GAP)), values.len()),
            };
            let below = if values.is_empty() { 0 } else { self.below(&mut counter, bound)? };
            if below < found {
                return Err(EigenError::NoConvergence);
            }
            if below == found {
                let mut pairs = self.locked.clone();
                pairs.extend(seen.ritz.iter().map(|r| (r.0, self.combine(&r.1))));
                pairs.retain(|p| p.0 < seen.frontier);
                pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
                return Ok((pairs.drain(..count).collect(), values.get(count).copied()));
            }
            // Some are missing: those of multiple eigenvalues of which one was found.
            let found: Vec<Pair> = seen.ritz.iter().map(|r| (r.0, self.combine(&r.1))).collect();
            self.locked.extend(found);
            self.basis.clear();
            self.diagonal.clear();
            self.beside.clear();
            self.start(factor);
        }
        Err(EigenError::NoConvergence)
    }

    /// Number of modes below a bound.
    fn below(&self, counter: &mut Option<SymmetricFactor>, bound: f64) -> Result<usize, EigenError> {
        let factor = counter.get_or_insert_with(|| SymmetricFactor::new(self.pattern));
        for shift in [0.0, 1e-9, -1e-9] {
            let sigma = bound * (1.0 + shift);
            let values: Vec<f64> = self.k.iter().zip(self.m).map(|(k, m)| k - sigma * m).collect();
            if factor.factorize(&values).is_ok() {
                return Ok(factor.negative_pivots());
            }
        }
        Err(EigenError::NoConvergence)
    }

    /// Goes on until what is wanted has converged, with one mode more.
    fn converge(&mut self, factor: &mut SymmetricFactor, wanted: Wanted, most: usize) -> Result<Seen, EigenError> {
        // What would be one mode of a structure in a million.
        let limit = 6 * most + 200;
        loop {
            let seen = self.seen()?;
            let open = seen.frontier;
            let known = self.locked.iter().map(|p| p.0).chain(seen.ritz.iter().map(|r| r.0)).filter(|v| *v < open);
            let (count, beyond) = known.fold((0, false), |(n, b), v| {
                let over = matches!(wanted, Wanted::Below(limit) if v >= limit);
                (n + 1, b || over)
            });
            let done = match wanted {
                Wanted::Count(wanted) => count > wanted,
                Wanted::Below(_) => beyond,
            };
            if done || self.next.is_none() {
                return Ok(seen);
            }
            if count > most {
                return Err(EigenError::TooMany { most });
            }
            if self.basis.len() >= limit {
                return Err(EigenError::NoConvergence);
            }
            for _ in 0..(self.basis.len() / 4).clamp(8, 40) {
                self.step(factor)?;
            }
        }
    }

    /// The part of the spectrum that has converged, from below.
    fn seen(&self) -> Result<Seen, EigenError> {
        let size = self.basis.len();
        let mut t = vec![0.0; size * size];
        for i in 0..size {
            t[i * size + i] = self.diagonal[i];
            if i + 1 < size {
                t[(i + 1) * size + i] = self.beside[i];
                t[i * size + i + 1] = self.beside[i];
            }
        }
        let (theta, vectors) = symmetric_eigen(&t, size)?;
        let largest = theta.last().copied().unwrap_or(0.0);
        let rest = if self.next.is_some() { self.beside.last().copied().unwrap_or(0.0) } else { 0.0 };
        let mut seen = Seen { ritz: Vec::new(), frontier: if size == 0 { 0.0 } else { f64::INFINITY } };
        if size == 0 && self.next.is_none() {
            seen.frontier = f64::INFINITY;
        }
        for (theta, s) in theta.into_iter().zip(vectors).rev() {
            let residual = rest * s[size - 1].abs();
            let massless = theta <= ROUNDING * largest;
            if massless || residual > CONVERGED * theta + ROUNDING * largest {
                // An eigenvalue is within the residual of what has not converged yet.
                if self.next.is_some() {
                    seen.frontier = 1.0 / (theta + residual).max(ROUNDING * largest);
                }
                break;
            }
            seen.ritz.push((1.0 / theta, s));
        }
        Ok(seen)
    }

    /// One solution.
    fn step(&mut self, factor: &mut SymmetricFactor) -> Result<(), EigenError> {
        let Some(v) = self.next.take() else { return Ok(()) };
        let mut w = self.product(&v);
        factor.solve(&mut w);
        self.solutions += 1;
        self.basis.push(v);
        let (mut alpha, last) = (0.0, self.basis.len() - 1);
        for _ in 0..2 {
            alpha += self.orthogonalise(&mut w)[last];
        }
        self.diagonal.push(alpha);
        let beta = dot(&w, &self.product(&w)).max(0.0).sqrt();
        if !beta.is_finite() {
            return Err(EigenError::NoConvergence);
        }
        let largest = self.diagonal.iter().fold(0.0f64, |m, a| m.max(a.abs()));
        if beta > 1e-14 * largest {
            w.iter_mut().for_each(|x| *x /= beta);
            self.beside.push(beta);
            self.next = Some(w);
        } else {
            // The sequence has closed: another one, which this one does not see.
            self.beside.push(0.0);
            self.start(factor);
        }
        Ok(())
    }

    /// Removes all that is known from a vector; returns its shares in the basis.
    fn orthogonalise(&self, w: &mut [f64]) -> Vec<f64> {
        let mw = self.product(w);
        let shares: Vec<f64> = self.basis.iter().map(|v| dot(v, &mw)).collect();
        let locked: Vec<f64> = self.locked.iter().map(|p| dot(&p.1, &mw)).collect();
        let known = self.locked.iter().map(|p| &p.1).zip(&locked).chain(self.basis.iter().zip(&shares));
        for (v, share) in known {
            w.iter_mut().zip(v).for_each(|(w, v)| *w -= share * v);
        }
        shares
    }

    fn product(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.pattern.mul(self.m, x, &mut y);
        y
    }

    /// A start vector beside all that is known, in the range of the mass.
    fn start(&mut self, factor: &mut SymmetricFactor) {
        let n = self.pattern.n();
        let mut next = || {
            self.seed = self.seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let random: Vec<f64> = (0..n).map(|_| next()).collect();
        let mut w = self.product(&random);
        factor.solve(&mut w);
        self.solutions += 1;
        let norm = |this: &Self, w: &[f64]| dot(w, &this.product(w)).max(0.0).sqrt();
        let before = norm(self, &w);
        for _ in 0..3 {
            self.orthogonalise(&mut w);
        }
        let after = norm(self, &w);
        self.next = (after > EXHAUSTED * before).then(|| {
            w.iter_mut().for_each(|x| *x /= after);
            w
        });
    }

    /// A Ritz vector, with unit modal mass and its largest entry positive.
    fn combine(&self, s: &[f64]) -> Vec<f64> {
        let mut x = vec![0.0; self.pattern.n()];
        for (v, s) in self.basis.iter().zip(s) {
            x.iter_mut().zip(v).for_each(|(x, v)| *x += s * v);
        }
        crate::modes::normalise(self.pattern, self.m, &mut x);
        x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain of unit springs, both ends held, with these masses.
    fn chain(masses: &[f64]) -> (Pattern, Vec<f64>, Vec<f64>) {
        let n = masses.len();
        let pattern = Pattern::new(n, (1..n).map(|i| (i - 1, i)));
        let (mut k, mut m) = (vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]);
        for i in 0..n {
            for (p, &j) in pattern.row(i).zip(pattern.columns(i)) {
                k[p] = if j as usize == i { 2.0 } else { -1.0 };
                m[p] = if j as usize == i { masses[i] } else { 0.0 };
            }
        }
        (pattern, k, m)
    }

    fn exact(n: usize, j: usize) -> f64 {
        let s = (std::f64::consts::PI * j as f64 / (2.0 * (n + 1) as f64)).sin();
        4.0 * s * s
    }

    fn find((pattern, k, m): &(Pattern, Vec<f64>, Vec<f64>), wanted: Wanted) -> (Vec<Pair>, Option<f64>) {
        let mut factor = SymmetricFactor::new(pattern);
        factor.factorize(k).expect("definite");
        let mut lanczos = Lanczos::new(pattern, k, m, &mut factor);
        lanczos.find(&mut factor, wanted, 400).expect("found")
    }

    #[test]
    fn modes_of_a_chain_are_those_of_the_closed_form_and_one_more_is_known() {
        let n = 900;
        let (found, next) = find(&chain(&vec![1.0; n]), Wanted::Count(25));
        assert_eq!(found.len(), 25);
        for (j, (omega2, _)) in found.iter().enumerate() {
            assert!((omega2 / exact(n, j + 1) - 1.0).abs() < 1e-9, "mode {}: {omega2}", j + 1);
        }
        assert!((next.expect("there are more") / exact(n, 26) - 1.0).abs() < 1e-9);
        let (below, _) = find(&chain(&vec![1.0; n]), Wanted::Below(exact(n, 13) * 1.001));
        assert_eq!(below.len(), 13);
    }

    /// Every eigenvalue five times: a single vector sees each once, the count tells of the others.
    #[test]
    fn no_mode_of_a_multiple_eigenvalue_is_missed() {
        let (copies, own) = (5, 200);
        let n = copies * own;
        let pattern = Pattern::new(n, (1..n).filter(|i| i % own != 0).map(|i| (i - 1, i)));
        let (mut k, mut m) = (vec![0.0; pattern.nnz()], vec![0.0; pattern.nnz()]);
        for i in 0..n {
            for (p, &j) in pattern.row(i).zip(pattern.columns(i)) {
                k[p] = if j as usize == i { 2.0 } else { -1.0 };
                m[p] = if j as usize == i { 1.0 } else { 0.0 };
            }
        }
        let (found, _) = find(&(pattern.clone(), k, m.clone()), Wanted::Count(12));
        for (j, (omega2, _)) in found.iter().enumerate() {
            assert!((omega2 / exact(own, j / copies + 1) - 1.0).abs() < 1e-9, "mode {}: {omega2}", j + 1);
        }
        for (i, (_, a)) in found.iter().enumerate() {
            let mut ma = vec![0.0; n];
            pattern.mul(&m, a, &mut ma);
            for (j, (_, b)) in found.iter().enumerate() {
                let expected = f64::from(u8::from(i == j));
                assert!((dot(b, &ma) - expected).abs() < 1e-9, "modes {i} and {j} are not orthogonal");
            }
        }
    }

    /// Where only a few unknowns have mass, there are as many modes, and the search says that there are no more.
    #[test]
    fn what_has_no_mass_has_no_mode() {
        let mut masses = vec![0.0; 300];
        [10, 90, 170, 250].iter().for_each(|&i| masses[i] = 2.0);
        let (found, next) = find(&chain(&masses), Wanted::Count(10));
        assert_eq!((found.len(), next), (4, None));
        assert_eq!(find(&chain(&vec![0.0; 40]), Wanted::Count(3)), (Vec::new(), None));
    }

    #[test]
    fn too_many_modes_are_refused() {
        let (pattern, k, m) = chain(&vec![1.0; 400]);
        let mut factor = SymmetricFactor::new(&pattern);
        factor.factorize(&k).expect("definite");
        let mut lanczos = Lanczos::new(&pattern, &k, &m, &mut factor);
        assert_eq!(lanczos.find(&mut factor, Wanted::Below(4.0), 20), Err(EigenError::TooMany { most: 20 }));
    }
}
