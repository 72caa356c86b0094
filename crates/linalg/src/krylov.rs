//! The eigenvalues of largest magnitude of an operator that is known by its products only.
//!
//! *Amplified Arnoldi.* A start vector is driven by powers of the operator, x ← Aᵏx, and from time to time a short Arnoldi
//! sequence is started from where it stands. The powers let an eigenvalue outside a crowd stand out, however many
//! thousands of others share one circle (an undamped structure); the Arnoldi sequence then resolves the few that lead,
//! complex pairs and near neighbours included. Powers alone would not converge for those, restarted Arnoldi alone would
//! lose itself in the crowd: on a full circle no polynomial filters better than zᵏ does.
//!
//! *What may have been missed.* A random start has a share of about 1/√n in every mode. After K powers the share of a mode
//! of magnitude |λ| has become |λ|ᴷ/√n, against the measured growth G of the whole vector: had |λ| been larger than
//! (100 √n G)^(1/K), it would lead. That is the [`Dominant::bound`]; the factor 100 leaves a chance of about 1 in 100
//! that the start was that poor.

use std::fmt;

use crate::eigen::{Complex, EigenError, eigenpairs};

/// How long and how well to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DominantOptions {
    /// Largest number of products.
    pub products: usize,
    /// Residual ‖Az − λz‖ / ‖λz‖ below which a pair counts as converged.
    pub tolerance: f64,
    /// A converged leader ends the search only if it is larger than this; below, all products are spent on looking for a
    /// larger one. Zero: any leader will do.
    pub beyond: f64,
    /// ... and only when a leader larger by this share would have been seen.
    pub resolution: f64,
    /// Length of an Arnoldi sequence.
    pub dimension: usize,
}

impl Default for DominantOptions {
    fn default() -> Self {
        DominantOptions { products: 20_000, tolerance: 1e-8, beyond: 0.0, resolution: 0.02, dimension: 40 }
    }
}

/// An approximate eigenvalue with its right eigenvector.
#[derive(Clone, Debug, PartialEq)]
pub struct Ritz {
    /// Eigenvalue; of a complex pair, the one with positive imaginary part.
    pub value: Complex,
    /// Eigenvector of unit length.
    pub vector: Vec<Complex>,
    /// ‖Az − λz‖ / ‖z‖, entries weighed by their natural sizes.
    pub residual: f64,
}

impl Ritz {
    /// |λ|.
    pub fn magnitude(&self) -> f64 {
        self.value.0.hypot(self.value.1)
    }
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Dominant {
    /// The leading approximations, largest magnitude first. Empty: the operator is nilpotent.
    pub pairs: Vec<Ritz>,
    /// Whether the first of them has converged.
    pub converged: bool,
    /// Products made.
    pub products: usize,
    /// Mean growth of the driven vector per product, over the second half of its way: of magnitude |λ| of the leader,
    /// also where no single pair leads.
    pub growth: f64,
    /// No eigenvalue is larger than this, up to a poor start (see the module).
    pub bound: f64,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq)]
pub enum KrylovError<E> {
    /// The operator failed.
    Product(E),
    /// A product is not finite, or a small dense problem has no solution.
    Eigen(EigenError),
}

impl<E: fmt::Display> fmt::Display for KrylovError<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            KrylovError::Product(e) => e.fmt(f),
            KrylovError::Eigen(e) => e.fmt(f),
        }
    }
}

impl<E: fmt::Debug + fmt::Display> std::error::Error for KrylovError<E> {}

/// The leading eigenvalues of the real `n` by `n` operator `product(x, y)`: y = A x.
///
/// Deterministic. An answer that has not converged within the products allowed is returned as such: for a crowd of equal
/// magnitudes there may be no leader, and [`Dominant::growth`] and [`Dominant::bound`] are then the answer.
pub fn dominant<E>(
    n: usize,
    product: impl FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    options: &DominantOptions,
) -> Result<Dominant, KrylovError<E>> {
    let mut op = Operator { product, scale: vec![1.0; n], x: vec![0.0; n], y: vec![0.0; n], used: 0 };
    let mut drive = Drive { x: random(n), steps: 0, log: 0.0, half: (0, 0.0) };
    op.balance(&drive.x)?;
    normalise(&mut drive.x);
    let start = (100.0 * (n.max(1) as f64).sqrt()).ln();
    let m = options.dimension.clamp(2, n.max(2));
    let mut stretch = m;
    loop {
        let mut pairs = op.arnoldi(&drive.x, m)?.ritz(&op.scale).map_err(KrylovError::Eigen)?;
        let converged = pairs.first().is_none_or(|p| p.residual <= options.tolerance * p.magnitude());
        let leads = pairs.first().is_none_or(|p| p.magnitude() > options.beyond);
        let seen = drive.steps as f64 * options.resolution >= start;
        let left = options.products.saturating_sub(op.used);
        if (converged && leads && seen) || left <= m || drive.vanished() {
            if drive.vanished() {
                pairs.clear();
            }
            let (growth, bound) = (drive.growth(), drive.bound(start));
            return Ok(Dominant { pairs, converged, products: op.used, growth, bound });
        }
        drive.advance(&mut op, stretch.min(left - m))?;
        stretch *= 2;
    }
}

/// The vector that is driven by powers.
struct Drive {
    x: Vec<f64>,
    steps: usize,
    /// ln of the growth since the start.
    log: f64,
    /// Steps and log at about half the way.
    half: (usize, f64),
}

impl Drive {
    fn advance<E, F: FnMut(&[f64], &mut [f64]) -> Result<(), E>>(
        &mut self,
        op: &mut Operator<F>,
        steps: usize,
    ) -> Result<(), KrylovError<E>> {
        self.half = (self.steps, self.log);
        let mut y = vec![0.0; self.x.len()];
        for _ in 0..steps {
            op.apply(&self.x, &mut y)?;
            std::mem::swap(&mut self.x, &mut y);
            self.log += normalise(&mut self.x).ln();
            self.steps += 1;
            if self.vanished() {
                break;
            }
        }
        Ok(())
    }

    fn vanished(&self) -> bool {
        self.log == f64::NEG_INFINITY
    }

    fn growth(&self) -> f64 {
        if self.vanished() { 0.0 } else { ((self.log - self.half.1) / (self.steps - self.half.0).max(1) as f64).exp() }
    }

    fn bound(&self, start: f64) -> f64 {
        match self.steps {
            0 => f64::INFINITY,
            steps => ((start + self.log) / steps as f64).exp(),
        }
    }
}

/// The operator in scaled entries, D⁻¹ A D.
struct Operator<F> {
    product: F,
    scale: Vec<f64>,
    x: Vec<f64>,
    y: Vec<f64>,
    used: usize,
}

impl<F> Operator<F> {
    fn apply<E>(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), KrylovError<E>>
    where
        F: FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    {
        for ((scaled, x), d) in self.x.iter_mut().zip(x).zip(&self.scale) {
            *scaled = x * d;
        }
        (self.product)(&self.x, &mut self.y).map_err(KrylovError::Product)?;
        self.used += 1;
        for ((out, y), d) in out.iter_mut().zip(&self.y).zip(&self.scale) {
            *out = y / d;
        }
        // A sum is finite only if all of its terms are.
        let finite = out.iter().fold(0.0, |sum, y| sum + y.abs()) < f64::INFINITY;
        if finite { Ok(()) } else { Err(KrylovError::Eigen(EigenError::BadInput)) }
    }

    /// Scales every entry by its size in the motion that follows from a start: displacements, velocities and forces have
    /// different units, and a norm that mixes them sees growth where there is none. Powers of two, which round nothing.
    fn balance<E>(&mut self, start: &[f64]) -> Result<(), KrylovError<E>>
    where
        F: FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    {
        let (mut x, mut y) = (start.to_vec(), vec![0.0; start.len()]);
        let mut squares = vec![0.0; start.len()];
        for step in 0..24 {
            self.apply(&x, &mut y)?;
            let largest = y.iter().fold(0.0f64, |m, v| m.max(v.abs()));
            if largest == 0.0 {
                return Ok(());
            }
            for (x, y) in x.iter_mut().zip(&y) {
                *x = y / largest;
            }
            if step >= 4 {
                squares.iter_mut().zip(&x).for_each(|(s, x)| *s += x * x);
            }
        }
        for (d, s) in self.scale.iter_mut().zip(&squares) {
            // Entries that stay at zero have no size; a mode that fills few entries must not make the others infinitely small.
            *d = if *s > 0.0 { (0.5 * s.log2()).round().max(-40.0).exp2() } else { 1.0 };
        }
        Ok(())
    }

    fn arnoldi<E>(&mut self, start: &[f64], m: usize) -> Result<Krylov, KrylovError<E>>
    where
        F: FnMut(&[f64], &mut [f64]) -> Result<(), E>,
    {
        let mut basis = vec![start.to_vec()];
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut rest = 0.0;
        for j in 0..m {
            let mut w = vec![0.0; start.len()];
            self.apply(&basis[j], &mut w)?;
            let before = dot(&w, &w).sqrt();
            let mut column = vec![0.0; j + 1];
            // Twice is enough (Kahan): the second pass removes what rounding left of the first.
            for _ in 0..2 {
                for (h, v) in column.iter_mut().zip(&basis) {
                    let c = dot(v, &w);
                    *h += c;
                    w.iter_mut().zip(v).for_each(|(w, v)| *w -= c * v);
                }
            }
            columns.push(column);
            rest = normalise(&mut w);
            if rest <= 1e-14 * before {
                rest = 0.0;
                break;
            }
            columns[j].push(rest);
            basis.push(w);
        }
        basis.truncate(columns.len());
        Ok(Krylov { basis, columns, rest })
    }
}

/// A V = V H + rest w eₘᵀ.
struct Krylov {
    basis: Vec<Vec<f64>>,
    columns: Vec<Vec<f64>>,
    rest: f64,
}

/// So many approximations are returned at most.
const KEPT: usize = 8;

impl Krylov {
    fn ritz(&self, scale: &[f64]) -> Result<Vec<Ritz>, EigenError> {
        let m = self.columns.len();
        let mut h = vec![0.0; m * m];
        for (j, column) in self.columns.iter().enumerate() {
            for (i, v) in column.iter().enumerate().take(m) {
                h[i * m + j] = *v;
            }
        }
        let (values, vectors) = eigenpairs(&h, m)?;
        let mut order: Vec<usize> = (0..m).filter(|&k| values[k].1 >= 0.0).collect();
        let size = |k: usize| values[k].0.hypot(values[k].1);
        order.sort_by(|&a, &b| size(b).total_cmp(&size(a)));
        let pair = |&k: &usize| {
            let y = &vectors[k];
            let residual = y.last().map_or(0.0, |y| self.rest * y.0.hypot(y.1));
            let mut z = vec![(0.0, 0.0); scale.len()];
            for (v, y) in self.basis.iter().zip(y) {
                for ((z, v), d) in z.iter_mut().zip(v).zip(scale) {
                    *z = (z.0 + d * v * y.0, z.1 + d * v * y.1);
                }
            }
            let length = z.iter().map(|c| c.0 * c.0 + c.1 * c.1).sum::<f64>().sqrt();
            if length > 0.0 {
                z.iter_mut().for_each(|c| *c = (c.0 / length, c.1 / length));
            }
            Ritz { value: values[k], vector: z, residual }
        };
        Ok(order.iter().take(KEPT).map(pair).collect())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Scales to unit length and returns the length.
fn normalise(x: &mut [f64]) -> f64 {
    let length = dot(x, x).sqrt();
    if length > 0.0 {
        x.iter_mut().for_each(|v| *v /= length);
    }
    length
}

/// Entries between -1 and 1 in no order that a structure could share (splitmix64).
pub fn random(n: usize) -> Vec<f64> {
    let mut state = 0x1234_5678_u64;
    let next = |_| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    (0..n).map(next).collect()
}
