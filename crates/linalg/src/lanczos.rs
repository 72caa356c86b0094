//! The lowest modes of a large sparse pair by shift-invert Lanczos at shift zero, with the factor of the stiffness that the caller has.
//!
//! Grimes, Lewis and Simon, SIAM J. Matrix Anal. Appl. 15 (1994). Single vectors, orthogonalised twice against all earlier ones in the
//! product of the mass: for some hundred modes this costs less than the solutions, and no copies of found modes appear. A single vector
//! sees one direction of a multiple eigenvalue only. Therefore the number of modes below a bound is counted by the inertia of K − σM;
//! where some are missing, what was found is locked and the search starts again beside it.
//!
//! Unlike [`modes`](crate::modes) it goes on where it stopped when more modes are wanted. Of a very large structure only some hundred vectors
//! have room: then the best half of them is kept and the search goes on from there.

use crate::Pattern;
use crate::choice::SymmetricFactor;
use crate::eigen::{EigenError, symmetric_eigen};
use crate::modes::dot;
use crate::tall;

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

/// Numbers that the basis may have at most, unless the wanted modes alone are more: 4 GB.
const ROOM: usize = 500_000_000;
/// Vectors that it may have in any case.
const LEAST_ROOM: usize = 60;

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

/// K, the factor of it, and M.
pub(crate) struct Pencil<'a> {
    pub(crate) pattern: &'a Pattern,
    pub(crate) k: &'a [f64],
    pub(crate) m: &'a [f64],
    pub(crate) factor: &'a mut SymmetricFactor,
}

impl Pencil<'_> {
    fn inertia(&self, x: &[f64]) -> Vec<f64> {
        let mut y = vec![0.0; x.len()];
        self.pattern.mul(self.m, x, &mut y);
        y
    }
}

/// The lowest modes of K φ = ω² M φ with a definite K.
#[derive(Default)]
pub(crate) struct Lanczos {
    /// What was found by earlier starts.
    locked: Vec<Pair>,
    basis: Vec<Vec<f64>>,
    /// The first vectors of the basis where they are what was best when there was no more room: their θ, and the product of each with the one
    /// that came next.
    held: Vec<(f64, f64)>,
    /// The tridiagonal matrix of the others.
    diagonal: Vec<f64>,
    beside: Vec<f64>,
    /// The vector that comes next; none when all modes are found.
    next: Option<Vec<f64>>,
    /// Starts so far.
    starts: u64,
    /// Most vectors of the basis.
    room: usize,
    /// For the counts.
    counter: Option<SymmetricFactor>,
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

impl Lanczos {
    pub(crate) fn new(on: &mut Pencil<'_>) -> Self {
        let mut this = Lanczos { room: (ROOM / on.pattern.n().max(1)).max(LEAST_ROOM), ..Lanczos::default() };
        this.start(on);
        this
    }

    /// The modes that are wanted, ascending, and the ω² of the first that is not among them; none if there are no more. At most `most`
    /// modes: beyond that the answer is [`EigenError::TooMany`].
    pub(crate) fn find(
        &mut self,
        on: &mut Pencil<'_>,
        wanted: Wanted,
        most: usize,
    ) -> Result<(Vec<Pair>, Option<f64>), EigenError> {
        for _ in 0..STARTS {
            let seen = self.converge(on, wanted, most)?;
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
            let below = if values.is_empty() { 0 } else { self.below(on, bound)? };
            if below < found {
                return Err(EigenError::NoConvergence);
            }
            if below == found {
                let next = values.get(count).copied();
                let mut own = seen.ritz;
                own.sort_by(|a, b| a.0.total_cmp(&b.0));
                own.retain(|r| r.0 < seen.frontier);
                own.truncate(count);
                let mut pairs = self.locked.clone();
                pairs.retain(|p| p.0 < seen.frontier);
                pairs.extend(self.combined(on, own));
                pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
                pairs.truncate(count);
                return Ok((pairs, next));
            }
            // Some are missing: those of multiple eigenvalues of which one was found.
            let found = self.combined(on, seen.ritz);
            self.locked.extend(found);
            self.basis.clear();
            self.held.clear();
            self.diagonal.clear();
            self.beside.clear();
            self.start(on);
        }
        Err(EigenError::NoConvergence)
    }

    /// Number of modes below a bound.
    fn below(&mut self, on: &Pencil<'_>, bound: f64) -> Result<usize, EigenError> {
        let factor = self.counter.get_or_insert_with(|| SymmetricFactor::new(on.pattern));
        for shift in [0.0, 1e-9, -1e-9] {
            let sigma = bound * (1.0 + shift);
            let values: Vec<f64> = on.k.iter().zip(on.m).map(|(k, m)| k - sigma * m).collect();
            if factor.factorize(&values).is_ok() {
                return Ok(factor.negative_pivots());
            }
        }
        Err(EigenError::NoConvergence)
    }

    /// Goes on until what is wanted has converged, with one mode more.
    fn converge(&mut self, on: &mut Pencil<'_>, wanted: Wanted, most: usize) -> Result<Seen, EigenError> {
        // What would be one mode of a structure in a million.
        let limit = self.solutions + 12 * most + 400;
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
            if self.solutions >= limit {
                return Err(EigenError::NoConvergence);
            }
            if 2 * seen.ritz.len() + 8 > self.room {
                self.room = 2 * seen.ritz.len() + LEAST_ROOM;
            }
            if self.basis.len() >= self.room {
                self.restart()?;
            }
            for _ in 0..(self.basis.len() / 4).clamp(8, 40).min(self.room - self.basis.len()) {
                self.step(on)?;
            }
        }
    }

    /// The matrix of the operator in the basis: θ descending, their vectors, and what each leaves.
    fn projected(&self) -> Result<Vec<(f64, Vec<f64>, f64)>, EigenError> {
        let (size, held) = (self.basis.len(), self.held.len());
        let mut t = vec![0.0; size * size];
        let mut put = |i: usize, j: usize, x: f64| {
            t[i * size + j] = x;
            t[j * size + i] = x;
        };
        for (i, &(theta, product)) in self.held.iter().enumerate() {
            put(i, i, theta);
            if held < size {
                put(i, held, product);
            }
        }
        for (i, (&alpha, &beta)) in self.diagonal.iter().zip(&self.beside).enumerate() {
            put(held + i, held + i, alpha);
            if held + i + 1 < size {
                put(held + i, held + i + 1, beta);
            }
        }
        let (theta, vectors) = symmetric_eigen(&t, size)?;
        let left = |s: &[f64]| match (&self.next, self.beside.last()) {
            (None, _) => 0.0,
            (_, Some(beta)) => beta * s[size - 1].abs(),
            (_, None) => self.held.iter().zip(s).map(|(h, s)| h.1 * s).sum::<f64>().abs(),
        };
        let with_left = |(theta, s): (f64, Vec<f64>)| {
            let left = left(&s);
            (theta, s, left)
        };
        Ok(theta.into_iter().zip(vectors).rev().map(with_left).collect())
    }

    /// The part of the spectrum that has converged, from below.
    fn seen(&self) -> Result<Seen, EigenError> {
        let pairs = self.projected()?;
        let largest = pairs.first().map_or(0.0, |p| p.0);
        let mut seen = Seen { ritz: Vec::new(), frontier: if pairs.is_empty() { 0.0 } else { f64::INFINITY } };
        if pairs.is_empty() && self.next.is_none() {
            seen.frontier = f64::INFINITY;
        }
        for (theta, s, residual) in pairs {
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

    /// Makes room: of the basis the best half is kept (thick restart; Wu and Simon, SIAM J. Matrix Anal. Appl. 22 (2000)).
    fn restart(&mut self) -> Result<(), EigenError> {
        let Some(beta) = self.beside.last().copied().filter(|_| self.next.is_some()) else { return Ok(()) };
        let size = self.basis.len();
        let mut best = self.projected()?;
        best.truncate(size / 2);
        self.held = best.iter().map(|(theta, s, _)| (*theta, beta * s[size - 1])).collect();
        let factors: Vec<Vec<f64>> = best.into_iter().map(|b| b.1).collect();
        self.basis = tall::sums(self.basis[0].len(), &factors, &self.basis);
        self.diagonal.clear();
        self.beside.clear();
        Ok(())
    }

    /// One solution.
    fn step(&mut self, on: &mut Pencil<'_>) -> Result<(), EigenError> {
        let Some(v) = self.next.take() else { return Ok(()) };
        let mut w = on.inertia(&v);
        on.factor.solve(&mut w);
        self.solutions += 1;
        self.basis.push(v);
        let (mut alpha, last) = (0.0, self.basis.len() - 1);
        for _ in 0..2 {
            alpha += self.orthogonalise(on, &mut w)[last];
        }
        self.diagonal.push(alpha);
        let beta = dot(&w, &on.inertia(&w)).max(0.0).sqrt();
        if !beta.is_finite() {
            return Err(EigenError::NoConvergence);
        }
        let known = self.diagonal.iter().copied().chain(self.held.iter().map(|h| h.0));
        let largest = known.fold(0.0f64, |m, a| m.max(a.abs()));
        if beta > 1e-14 * largest {
            w.iter_mut().for_each(|x| *x /= beta);
            self.beside.push(beta);
            self.next = Some(w);
        } else {
            // The sequence has closed: another one, which this one does not see.
            self.beside.push(0.0);
            self.start(on);
        }
        Ok(())
    }

    /// Removes all that is known from a vector; returns its shares in the basis.
    fn orthogonalise(&self, on: &Pencil<'_>, w: &mut [f64]) -> Vec<f64> {
        let mw = on.inertia(w);
        let known: Vec<&[f64]> = self.basis.iter().chain(self.locked.iter().map(|p| &p.1)).map(Vec::as_slice).collect();
        let mut shares = tall::shares(&known, &mw);
        shares.iter_mut().for_each(|s| *s = -*s);
        tall::add(w, &shares, &known);
        shares.truncate(self.basis.len());
        shares.iter_mut().for_each(|s| *s = -*s);
        shares
    }

    /// A start vector beside all that is known, in the range of the mass.
    fn start(&mut self, on: &mut Pencil<'_>) {
        let n = on.pattern.n();
        self.starts += 1;
        let mut seed = 0x2545_f491_4f6c_dd1du64.wrapping_mul(2 * self.starts - 1);
        let mut next = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let random: Vec<f64> = (0..n).map(|_| next()).collect();
        let mut w = on.inertia(&random);
        on.factor.solve(&mut w);
        self.solutions += 1;
        let norm = |w: &[f64]| dot(w, &on.inertia(w)).max(0.0).sqrt();
        let before = norm(&w);
        for _ in 0..3 {
            self.orthogonalise(on, &mut w);
        }
        let after = norm(&w);
        self.next = (after > EXHAUSTED * before).then(|| {
            w.iter_mut().for_each(|x| *x /= after);
            w
        });
    }

    /// Ritz vectors, with unit modal mass and their largest entries positive.
    fn combined(&self, on: &Pencil<'_>, ritz: Vec<(f64, Vec<f64>)>) -> Vec<Pair> {
        let (values, factors): (Vec<f64>, Vec<Vec<f64>>) = ritz.into_iter().unzip();
        let mut shapes = tall::sums(on.pattern.n(), &factors, &self.basis);
        shapes.iter_mut().for_each(|x| crate::modes::normalise(on.pattern, on.m, x));
        values.into_iter().zip(shapes).collect()
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
        let mut on = Pencil { pattern, k, m, factor: &mut factor };
        Lanczos::new(&mut on).find(&mut on, wanted, 400).expect("found")
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

    /// With room for 60 vectors the search starts again several times, and finds the same; more modes come without starting afresh.
    #[test]
    fn a_basis_without_room_keeps_its_best_half() {
        let n = 900;
        let (pattern, k, m) = chain(&vec![1.0; n]);
        let mut factor = SymmetricFactor::new(&pattern);
        factor.factorize(&k).expect("definite");
        let mut on = Pencil { pattern: &pattern, k: &k, m: &m, factor: &mut factor };
        let mut lanczos = Lanczos { room: 24, ..Lanczos::default() };
        lanczos.start(&mut on);
        for wanted in [5, 20, 40] {
            let (found, next) = lanczos.find(&mut on, Wanted::Count(wanted), 400).expect("found");
            let all = found.iter().map(|p| p.0).chain(next);
            for (j, omega2) in all.enumerate() {
                assert!((omega2 / exact(n, j + 1) - 1.0).abs() < 1e-9, "mode {}: {omega2}", j + 1);
            }
        }
        assert!(!lanczos.held.is_empty(), "it had to make room");
        assert!(lanczos.solutions < 400, "{} solutions", lanczos.solutions);
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
        let mut on = Pencil { pattern: &pattern, k: &k, m: &m, factor: &mut factor };
        let found = Lanczos::new(&mut on).find(&mut on, Wanted::Below(4.0), 20);
        assert_eq!(found, Err(EigenError::TooMany { most: 20 }));
    }
}
