//! Natural modes: the lowest eigenpairs of `K φ = ω² M φ`.
//!
//! *Dense* (up to [`DENSE_LIMIT`] unknowns). Unknowns without any mass are condensed statically, which is exact. The rest
//! is solved twice: reduced with the mass (right for the high modes and for negative eigenvalues; errors are rounding
//! times the highest ω²) and with the shifted stiffness (right for the low modes; errors are rounding times
//! (ω²+σ)²/(ω₁²+σ)). The lower modes are taken from the second, the upper from the first, split at the geometric mean of
//! the spectrum, where both are equally good. Where the mass is semidefinite only the second exists, where the stiffness
//! is indefinite only the first.
//!
//! *Sparse* (above). Subspace iteration (Bathe and Wilson) with a sparse factor of `K + σM` and fixed start vectors. The
//! projections use `X̄ᵀ(K+σM)X̄ = X̄ᵀMX`, which does not suffer the cancellation of `KX̄`. The result is checked twice:
//! by residuals, and by a Sturm count (negative pivots of `K − sM`), which proves that no mode was missed.

use crate::Pattern;
use crate::choice::SymmetricFactor;
use crate::eigen::{EigenError, dense_symmetric_generalized};

/// Largest problem for the dense solver.
pub(crate) const DENSE_LIMIT: usize = 800;

/// Stiffness of a mode below this share of the largest is a rigid-body mode.
const RIGID: f64 = 1e-11;

/// Natural modes, ascending.
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// Squared circular frequencies. Tiny negative values of rigid-body modes are set to zero; larger negative values
    /// (an unstable structure) are kept.
    pub omega2: Vec<f64>,
    /// Mode shapes with `φᵀ M φ = 1`; the largest component is positive.
    pub shapes: Vec<Vec<f64>>,
}

/// The lowest `count` modes (fewer where fewer exist) of `K φ = ω² M φ` on a pattern.
///
/// `M` must be symmetric positive semidefinite; modes of massless unknowns do not exist and are not returned. `K` must be
/// symmetric; it may have rigid-body modes. Negative eigenvalues of `K` are returned as negative ω² up to 800 unknowns
/// with positive definite mass (after condensation), and are refused with [`EigenError::Indefinite`] otherwise.
pub fn modes(pattern: &Pattern, k: &[f64], m: &[f64], count: usize) -> Result<Modes, EigenError> {
    let nnz = pattern.nnz();
    if k.len() != nnz || m.len() != nnz || !k.iter().chain(m).all(|v| v.is_finite()) {
        return Err(EigenError::BadInput);
    }
    if !is_symmetric(pattern, k) || !is_symmetric(pattern, m) {
        return Err(EigenError::Unsymmetric);
    }
    let mut found = if pattern.n() <= DENSE_LIMIT || count * 4 > pattern.n() {
        dense(pattern, k, m)?
    } else {
        sparse(pattern, k, m, count)?
    };
    found.omega2.truncate(count);
    found.shapes.truncate(count);
    for (shape, omega2) in found.shapes.iter_mut().zip(&mut found.omega2) {
        normalise(pattern, m, shape);
        *omega2 += 0.0; // no negative zero
    }
    Ok(found)
}

/// Unit modal mass, largest component positive.
pub(crate) fn normalise(pattern: &Pattern, m: &[f64], shape: &mut [f64]) {
    let mut product = vec![0.0; shape.len()];
    pattern.mul(m, shape, &mut product);
    let mass = dot(shape, &product);
    let largest = shape.iter().fold(0.0f64, |a, &b| if b.abs() > a.abs() * (1.0 + 1e-9) { b } else { a });
    let factor = largest.signum() / mass.sqrt();
    if factor.is_finite() {
        shape.iter_mut().for_each(|v| *v *= factor);
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// True for rows of the mass matrix without any entry.
pub(crate) fn massless(pattern: &Pattern, m: &[f64]) -> Vec<bool> {
    (0..pattern.n()).map(|i| m[pattern.row(i)].iter().all(|&v| v == 0.0)).collect()
}

/// All modes by dense matrices.
fn dense(pattern: &Pattern, k: &[f64], m: &[f64]) -> Result<Modes, EigenError> {
    let n = pattern.n();
    let without = massless(pattern, m);
    let kept: Vec<usize> = (0..n).filter(|&i| !without[i]).collect();
    let gone: Vec<usize> = (0..n).filter(|&i| without[i]).collect();
    let at = |values: &[f64], i: usize, j: usize| pattern.position(i, j).map_or(0.0, |p| values[p]);
    let r = kept.len();
    let mut kr = vec![0.0; r * r];
    let mut mr = vec![0.0; r * r];
    for (a, &i) in kept.iter().enumerate() {
        for (b, &j) in kept.iter().enumerate() {
            kr[a * r + b] = at(k, i, j);
            mr[a * r + b] = at(m, i, j);
        }
    }
    // Static condensation: column b of `follow` is the motion of the massless unknowns when kept unknown b moves by one.
    let mut follow: Vec<Vec<f64>> = Vec::new();
    if !gone.is_empty() {
        let place = |i: usize| gone.binary_search(&i).ok();
        let inner = gone
            .iter()
            .enumerate()
            .flat_map(|(a, &i)| pattern.columns(i).iter().filter_map(move |&j| place(j as usize).map(|b| (a, b))));
        let inner = Pattern::new(gone.len(), inner);
        let mut values = vec![0.0; inner.nnz()];
        for a in 0..gone.len() {
            for (position, &b) in inner.row(a).zip(inner.columns(a)) {
                values[position] = at(k, gone[a], gone[b as usize]);
            }
        }
        let mut factor = SymmetricFactor::new(&inner);
        factor.factorize(&values).map_err(|row| EigenError::Undetermined { row: gone[row] })?;
        for &j in &kept {
            let mut column: Vec<f64> = gone.iter().map(|&i| -at(k, i, j)).collect();
            if column.iter().any(|&v| v != 0.0) {
                factor.solve(&mut column);
            }
            follow.push(column);
        }
        for (a, &i) in kept.iter().enumerate() {
            let coupling: Vec<(usize, f64)> =
                gone.iter().enumerate().map(|(g, &j)| (g, at(k, i, j))).filter(|c| c.1 != 0.0).collect();
            for b in 0..r {
                kr[a * r + b] += coupling.iter().map(|&(g, v)| v * follow[b][g]).sum::<f64>();
            }
        }
    }
    let (omega2, reduced) = dense_reduced(&kr, &mr, r)?;
    let shapes = reduced
        .iter()
        .map(|y| {
            let mut shape = vec![0.0; n];
            for (b, (&j, &v)) in kept.iter().zip(y).enumerate() {
                shape[j] = v;
                if let Some(column) = follow.get(b) {
                    for (&i, c) in gone.iter().zip(column) {
                        shape[i] += c * v;
                    }
                }
            }
            shape
        })
        .collect();
    Ok(Modes { omega2, shapes })
}

type Pairs = (Vec<f64>, Vec<Vec<f64>>);

/// All eigenpairs of the dense pair after condensation; see the head of the file.
fn dense_reduced(k: &[f64], m: &[f64], n: usize) -> Result<Pairs, EigenError> {
    if n == 0 {
        return Ok((Vec::new(), Vec::new()));
    }
    let by_mass = match dense_symmetric_generalized(k, m, n) {
        Ok(pairs) => pairs,
        Err(EigenError::MassNotPositive) => return by_stiffness(k, m, n, semidefinite_shift(k, m, n)),
        Err(other) => return Err(other),
    };
    let highest = by_mass.0[n - 1].abs().max(by_mass.0[0].abs());
    if by_mass.0[0] < -RIGID * highest {
        return Ok(by_mass);
    }
    // Zero shift for a supported structure, otherwise the first elastic eigenvalue. A structure may be held by a spring that is
    // soft beside all others: the pivots of the stiffness tell it from a rigid motion, where the spectrum cannot.
    let elastic = match is_held(k, n) {
        true => Some(0),
        false => by_mass.0.iter().position(|&v| v > RIGID * highest),
    };
    let Some(elastic) = elastic else { return Ok(by_mass) };
    let shift = if elastic == 0 { 0.0 } else { by_mass.0[elastic] };
    let Ok(low) = by_stiffness(k, m, n, shift) else { return Ok(by_mass) };
    if low.0.len() != n {
        return Ok(by_mass);
    }
    let (mut values, mut vectors) = low;
    let middle = (by_mass.0[elastic].max(values[elastic]).max(0.0) * highest).sqrt();
    let mut split = by_mass.0.partition_point(|&v| v < middle);
    // Do not cut through a group of close eigenvalues: their vectors from the two sources need not be orthogonal.
    while split > 0 && split < n && by_mass.0[split] - by_mass.0[split - 1] < 1e-3 * by_mass.0[split] {
        split += 1;
    }
    values.truncate(split);
    vectors.truncate(split);
    values.extend(&by_mass.0[split..]);
    vectors.extend_from_slice(&by_mass.1[split..]);
    for value in &mut values {
        if value.abs() < RIGID * highest {
            *value = value.max(0.0);
        }
    }
    Ok((values, vectors))
}

/// Whether every pivot of a dense stiffness is larger than rounding can make it.
fn is_held(k: &[f64], n: usize) -> bool {
    let least = 16.0 * n as f64 * f64::EPSILON;
    let mut l = k.to_vec();
    for i in 0..n {
        let pivot = l[i * n + i];
        if pivot.is_nan() || pivot <= least * k[i * n + i] {
            return false;
        }
        for row in i + 1..n {
            let factor = l[row * n + i] / pivot;
            if factor != 0.0 {
                for column in i + 1..=row {
                    l[row * n + column] -= factor * l[column * n + i];
                }
            }
        }
    }
    true
}

/// Shift for a semidefinite mass: none if the stiffness is positive definite, otherwise a small one.
fn semidefinite_shift(k: &[f64], m: &[f64], n: usize) -> f64 {
    if dense_symmetric_generalized(m, k, n).is_ok() {
        return 0.0;
    }
    let ratio = (0..n).filter(|&i| m[i * n + i] > 0.0).map(|i| k[i * n + i].abs() / m[i * n + i]).fold(0.0, f64::max);
    if ratio > 0.0 { 1e-5 * ratio } else { 1.0 }
}

/// Eigenpairs from `M x = θ (K + σM) x`, ω² = 1/θ − σ. Drops θ = 0 (no mass).
fn by_stiffness(k: &[f64], m: &[f64], n: usize, shift: f64) -> Result<Pairs, EigenError> {
    let shifted: Vec<f64> = k.iter().zip(m).map(|(k, m)| k + shift * m).collect();
    let (theta, vectors) = dense_symmetric_generalized(m, &shifted, n).map_err(|error| match error {
        EigenError::MassNotPositive => EigenError::Indefinite,
        other => other,
    })?;
    let largest = theta.last().copied().unwrap_or(0.0);
    if theta[0] < -1e-10 * largest.abs() {
        return Err(EigenError::MassNotPositive);
    }
    let mut out: Pairs = (Vec::new(), Vec::new());
    for (theta, vector) in theta.into_iter().zip(vectors).rev() {
        if theta <= 1e-13 * n as f64 * largest {
            break;
        }
        out.0.push(1.0 / theta - shift);
        // Unit modal mass, so that vectors of both sources are scaled alike.
        out.1.push(vector.into_iter().map(|v| v / theta.sqrt()).collect());
    }
    if shift > 0.0 {
        for value in &mut out.0 {
            if value.abs() < 1e-10 * shift {
                *value = 0.0;
            }
        }
    }
    Ok(out)
}

/// The lowest modes by subspace iteration.
fn sparse(pattern: &Pattern, k: &[f64], m: &[f64], count: usize) -> Result<Modes, EigenError> {
    let n = pattern.n();
    let diagonal = |values: &[f64], i: usize| pattern.position(i, i).map_or(0.0, |p| values[p]);
    if (0..n).any(|i| diagonal(m, i) < 0.0) {
        return Err(EigenError::MassNotPositive);
    }
    let with_mass = (0..n).filter(|&i| diagonal(m, i) > 0.0).count();
    let count = count.min(with_mass);
    if count == 0 {
        return Ok(Modes { omega2: Vec::new(), shapes: Vec::new() });
    }
    let size = (2 * count).max(count + 8).min(with_mass);
    let highest = (0..n).filter(|&i| diagonal(m, i) > 0.0).map(|i| diagonal(k, i) / diagonal(m, i)).fold(0.0, f64::max);
    if highest <= 0.0 {
        return Err(EigenError::Indefinite);
    }

    // Supported structures need no shift. Otherwise a small one finds the spectrum roughly, and the first elastic
    // eigenvalue is the shift that separates rigid from elastic modes best.
    let mut iteration = Subspace::new(pattern, m, size);
    let mut shift = 0.0;
    let supported = iteration.factorize(k, shift).is_ok() && {
        iteration.run(count.min(2), 6, 1e-2);
        iteration.omega2(0) > RIGID * highest
    };
    if !supported {
        shift = 1e-7 * highest;
        iteration = Subspace::new(pattern, m, size);
        iteration.factorize(k, shift)?;
        iteration.run(count, 12, 1e-3);
        let elastic = (0..size).map(|i| iteration.omega2(i)).find(|&v| v > RIGID * highest);
        shift = elastic.unwrap_or(shift);
        iteration.factorize(k, shift)?;
    }
    if !iteration.run(count, 300, 1e-13) {
        return Err(EigenError::NoConvergence);
    }
    if iteration.omega2(0) < -1e-9 * highest.max(shift) {
        return Err(EigenError::Indefinite);
    }
    iteration.check_residuals(k, count)?;
    iteration.check_count(k, count)?;
    let omega2 = (0..count)
        .map(|i| {
            let value = iteration.omega2(i);
            if value < RIGID * highest { value.max(0.0) } else { value }
        })
        .collect();
    iteration.x.truncate(count);
    Ok(Modes { omega2, shapes: iteration.x })
}

/// State of the subspace iteration.
struct Subspace<'a> {
    pattern: &'a Pattern,
    m: &'a [f64],
    factor: Option<SymmetricFactor>,
    shift: f64,
    /// Current vectors, `xᵀ M x = 1`.
    x: Vec<Vec<f64>>,
    /// `M x`.
    mx: Vec<Vec<f64>>,
    /// Eigenvalues of the inverse, 1/(ω²+σ), descending.
    theta: Vec<f64>,
}

impl<'a> Subspace<'a> {
    /// Start vectors from a fixed sequence of pseudo-random numbers: no symmetry of a structure makes one of them
    /// orthogonal to a mode.
    fn new(pattern: &'a Pattern, m: &'a [f64], size: usize) -> Subspace<'a> {
        let mut state = 0x2545_f491_4f6c_dd1du64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let x: Vec<Vec<f64>> = (0..size).map(|_| (0..pattern.n()).map(|_| next()).collect()).collect();
        let mut mx = vec![vec![0.0; pattern.n()]; size];
        for (x, mx) in x.iter().zip(&mut mx) {
            pattern.mul(m, x, mx);
        }
        Subspace { pattern, m, factor: None, shift: 0.0, x, mx, theta: vec![0.0; size] }
    }

    fn omega2(&self, i: usize) -> f64 {
        1.0 / self.theta[i] - self.shift
    }

    /// Factorises `K + σM`, which must be positive definite.
    fn factorize(&mut self, k: &[f64], shift: f64) -> Result<(), EigenError> {
        let values: Vec<f64> = k.iter().zip(self.m).map(|(k, m)| k + shift * m).collect();
        let mut factor = self.factor.take().unwrap_or_else(|| SymmetricFactor::new(self.pattern));
        factor.factorize(&values).map_err(|row| EigenError::Undetermined { row })?;
        if factor.negative_pivots() > 0 {
            return Err(EigenError::Indefinite);
        }
        self.factor = Some(factor);
        self.shift = shift;
        Ok(())
    }

    /// Iterates until the first `count` eigenvalues change by no more than `tolerance` (relative) and their vectors have
    /// relative residuals below `√tolerance · 10⁻³`, or residuals that rounding errors keep from falling further; false if
    /// `limit` iterations are not enough.
    fn run(&mut self, count: usize, limit: usize, tolerance: f64) -> bool {
        let fine = 1e-3 * tolerance.sqrt();
        let coarse = 1e-6f64.max(fine);
        let mut previous = f64::INFINITY;
        for _ in 0..limit {
            let before = self.theta.clone();
            let Some(residuals) = self.step() else { return false };
            let worst = residuals[..count].iter().copied().fold(0.0, f64::max);
            let settled = (0..count).all(|i| (self.theta[i] - before[i]).abs() <= tolerance * self.theta[i]);
            let stalled = worst <= coarse && worst > 0.9 * previous;
            if settled && (worst <= fine || stalled) {
                return true;
            }
            previous = worst;
        }
        false
    }

    /// One inverse iteration with Rayleigh-Ritz. Returns the relative residual ‖S⁻¹Mx − θx‖ / θ of each old vector in the
    /// norm of the mass (the error of an eigenvalue is of the order of its square).
    fn step(&mut self) -> Option<Vec<f64>> {
        let size = self.x.len();
        let factor = self.factor.as_mut()?;
        let mut bar = self.mx.clone();
        bar.iter_mut().for_each(|b| factor.solve(b));
        let mut mbar = vec![vec![0.0; self.pattern.n()]; size];
        for (b, mb) in bar.iter().zip(&mut mbar) {
            self.pattern.mul(self.m, b, mb);
        }
        let mut stiff = vec![0.0; size * size];
        let mut mass = vec![0.0; size * size];
        for i in 0..size {
            for j in 0..=i {
                let (s, t) = (dot(&bar[i], &self.mx[j]), dot(&bar[i], &mbar[j]));
                stiff[i * size + j] = s;
                stiff[j * size + i] = s;
                mass[i * size + j] = t;
                mass[j * size + i] = t;
            }
        }
        let residual = (0..size)
            .map(|i| {
                let theta = self.theta[i];
                let terms = bar[i].iter().zip(&self.x[i]).zip(mbar[i].iter().zip(&self.mx[i]));
                let square: f64 = terms.map(|((b, x), (mb, mx))| (b - theta * x) * (mb - theta * mx)).sum();
                square.max(0.0).sqrt() / theta.abs().max(f64::MIN_POSITIVE)
            })
            .collect();
        // Scale to unit diagonal before the Cholesky factorisation inside.
        let d: Vec<f64> = (0..size).map(|i| 1.0 / stiff[i * size + i].sqrt()).collect();
        for i in 0..size {
            for j in 0..size {
                stiff[i * size + j] *= d[i] * d[j];
                mass[i * size + j] *= d[i] * d[j];
            }
        }
        let (theta, vectors) = dense_symmetric_generalized(&mass, &stiff, size).ok()?;
        for (new, (theta, q)) in theta.iter().zip(&vectors).rev().enumerate() {
            self.theta[new] = *theta;
            let scale = 1.0 / theta.sqrt();
            combine(&bar, q, &d, scale, &mut self.x[new]);
            combine(&mbar, q, &d, scale, &mut self.mx[new]);
        }
        Some(residual)
    }

    /// Backward error of each mode: ‖Kφ − ω²Mφ‖ against the magnitudes of the terms that make it up.
    fn check_residuals(&self, k: &[f64], count: usize) -> Result<(), EigenError> {
        let magnitude: Vec<f64> = k.iter().map(|v| v.abs()).collect();
        let n = self.pattern.n();
        let (mut kx, mut size) = (vec![0.0; n], vec![0.0; n]);
        for i in 0..count {
            self.pattern.mul(k, &self.x[i], &mut kx);
            let absolute: Vec<f64> = self.x[i].iter().map(|v| v.abs()).collect();
            self.pattern.mul(&magnitude, &absolute, &mut size);
            let omega2 = self.omega2(i);
            let residual: f64 = kx.iter().zip(&self.mx[i]).map(|(k, m)| (k - omega2 * m).powi(2)).sum();
            let small = residual.sqrt() <= 1e-9 * dot(&size, &size).sqrt();
            if !small {
                return Err(EigenError::NoConvergence);
            }
        }
        Ok(())
    }

    /// Sturm count: as many eigenvalues below a bound just above the last mode as were found below it.
    fn check_count(&self, k: &[f64], count: usize) -> Result<(), EigenError> {
        let mut factor = SymmetricFactor::new(self.pattern);
        // Between the last wanted and the next mode if they are apart; otherwise just above the last, counting its twins.
        let last = self.omega2(count - 1);
        for step in [1e-6, 1.3e-6, 1.7e-6] {
            let bound = last + step * (last + self.shift);
            let values: Vec<f64> = k.iter().zip(self.m).map(|(k, m)| k - bound * m).collect();
            if factor.factorize(&values).is_ok() {
                let found = (0..self.theta.len()).filter(|&i| self.omega2(i) < bound).count();
                let below = factor.negative_pivots();
                return if below <= found && below >= count { Ok(()) } else { Err(EigenError::NoConvergence) };
            }
        }
        // No pivot order let the count through; the residuals stand alone.
        Ok(())
    }
}

/// `out = scale · Σ qᵢ dᵢ vᵢ`.
fn combine(vectors: &[Vec<f64>], q: &[f64], d: &[f64], scale: f64, out: &mut [f64]) {
    out.fill(0.0);
    for ((v, q), d) in vectors.iter().zip(q).zip(d) {
        let f = q * d * scale;
        for (o, v) in out.iter_mut().zip(v) {
            *o += f * v;
        }
    }
}

/// Whether values on a pattern are those of a symmetric matrix, up to rounding.
pub(crate) fn is_symmetric(pattern: &Pattern, values: &[f64]) -> bool {
    let scale = values.iter().fold(0.0f64, |m, v| m.max(v.abs()));
    (0..pattern.n()).all(|i| {
        pattern.row(i).zip(pattern.columns(i)).all(|(p, &j)| {
            let mirrored = pattern.position(j as usize, i).map_or(0.0, |q| values[q]);
            (values[p] - mirrored).abs() <= 1e-9 * scale
        })
    })
}
