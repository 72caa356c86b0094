//! What a reduction at a fixed interface loses, as a bound that is proved and not an estimate.
//!
//! While the kept unknowns move with e^{iωt}, λ = ω², the interior obeys A z = λ P u_b + f with A = K − λM, and the generalised motions V
//! (modes Φ up to m, residual vectors beside them) take its Galerkin solution. Its residual R has no share in the modes, because these
//! are exact, and on what is beside them A ≥ (1 − λ/λ_{m+1}) K. The dynamic stiffness is wrong by Z_r − Z = Rᵀ A⁻¹ R, hence
//!
//! ```text
//! 0 ≤ Z_r − Z ≤ Rᵀ K⁻¹ R / (1 − λ/λ_{m+1})        for λ < λ_{m+1}
//! ```
//!
//! (book: reduction 3). R is a combination of P, f, K y and M y of the residual vectors y, so one Gram matrix in K⁻¹ serves all
//! frequencies, and no system is factorised again. λ_{m+1} is known because the modes below it were counted. The force that a load f sends to the interface is wrong by R_bᵀ A⁻¹ R_f, at most the root of the product
//! of both bounds. Damping is not in it.

use super::{Basis, Interior, Matrices};
use crate::eigen::{Complex, EigenError, symmetric_eigen};
use crate::modes::dot;
use crate::tall;

/// The bound of a basis, for all frequencies.
#[derive(Clone, Debug, PartialEq)]
pub struct Bound {
    /// Number of kept unknowns, and of loads inside.
    pub kept: usize,
    /// Loads inside.
    pub loads: usize,
    /// ω² of the residual vectors, with their shares in P and in the loads.
    pub residual: Vec<(f64, Vec<f64>)>,
    /// Of [P, f, K y, M y] in K⁻¹, row by row.
    pub gram: Vec<f64>,
    /// ω² of the first mode that is missing.
    pub next: Option<f64>,
}

/// What is lost up to a frequency, as shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Lost {
    /// Of the dynamic stiffness of the interface, the worst over the band; infinite at and above the first mode that is missing.
    pub stiffness: f64,
    /// Of the force that each load sends to the interface, of the largest over the band.
    pub forces: Vec<f64>,
}

impl Bound {
    /// The bound for a basis of this interior; `loads` over its unknowns.
    pub fn new(interior: &mut Interior<'_>, basis: &Basis, loads: &[Vec<f64>]) -> Self {
        let kept = interior.p.len();
        let sources: Vec<&[f64]> = interior.p.iter().chain(loads).map(Vec::as_slice).collect();
        let shapes: Vec<&[f64]> = basis.vectors[basis.modes..].iter().map(|v| v.1.as_slice()).collect();
        let (count, shares) = (sources.len(), tall::products(&shapes, &sources));
        let each = basis.vectors[basis.modes..].iter().enumerate();
        let residual = each.map(|(j, v)| (v.0, shares[j * count..(j + 1) * count].to_vec())).collect();
        let mut forces: Vec<Vec<f64>> = sources.iter().map(|f| f.to_vec()).collect();
        for f in &mut forces {
            interior.beside(basis, f);
        }
        forces.extend(shapes.iter().map(|y| interior.product(&interior.k, y)));
        forces.extend(shapes.iter().map(|y| interior.product(&interior.m, y)));
        let mut motions = forces.clone();
        for (i, motion) in motions.iter_mut().enumerate() {
            match i.checked_sub(count).and_then(|j| shapes.get(j)) {
                Some(y) => motion.copy_from_slice(y),
                None => interior.factor.solve(motion),
            }
        }
        let gram = tall::products(&forces, &motions);
        Bound { kept, loads: loads.len(), residual, gram, next: basis.next }
    }

    /// Energy in K⁻¹ of a residual: of these shares of P and the loads, of K y and of M y.
    fn energy(&self, shares: &[f64]) -> f64 {
        let row = |i: usize| dot(&self.gram[i * shares.len()..(i + 1) * shares.len()], shares);
        shares.iter().enumerate().filter(|x| *x.1 != 0.0).map(|(i, x)| x * row(i)).sum()
    }

    /// Twice the strain energy of the static answer to what a motion leaves unbalanced inside: `sources` are what P and the loads are
    /// multiplied by, `stiff` and `inert` what K and M of the residual vectors are.
    pub fn unbalanced(&self, sources: &[f64], stiff: &[f64], inert: &[f64]) -> f64 {
        let shares: Vec<f64> = sources.iter().chain(stiff).chain(inert).copied().collect();
        self.energy(&shares).max(0.0)
    }

    /// The bound of Z_r − Z over the kept unknowns and then the loads, row by row; none at and above the first mode that is missing.
    pub fn at(&self, omega2: f64) -> Option<Vec<f64>> {
        let columns = self.kept + self.loads;
        let Some(next) = self.next else { return Some(vec![0.0; columns * columns]) };
        if omega2 >= next {
            return None;
        }
        let (ny, size) = (self.residual.len(), columns + 2 * self.residual.len());
        // Residual of each column as a combination of what the Gram matrix is of.
        let mut c = vec![0.0; columns * size];
        for (j, row) in c.chunks_exact_mut(size).enumerate() {
            let factor = if j < self.kept { omega2 } else { 1.0 };
            row[j] = factor;
            for (y, (own, shares)) in self.residual.iter().enumerate() {
                let q = factor * shares[j] / (own - omega2);
                row[columns + y] = -q;
                row[columns + ny + y] = q * omega2;
            }
        }
        let margin = 1.0 - omega2 / next;
        let product = |a: &[f64], b: &[f64]| {
            let row = |i: usize| dot(&self.gram[i * size..(i + 1) * size], b);
            a.iter().enumerate().filter(|x| *x.1 != 0.0).map(|(i, x)| x * row(i)).sum::<f64>()
        };
        let rows: Vec<&[f64]> = c.chunks_exact(size).collect();
        let mut out: Vec<f64> = rows.iter().flat_map(|a| rows.iter().map(move |b| product(a, b) / margin)).collect();
        for (j, row) in rows.iter().enumerate() {
            // What the differences above may have lost by rounding.
            let terms: f64 =
                row.iter().enumerate().map(|(i, x)| x.abs() * self.gram[i * size + i].max(0.0).sqrt()).sum();
            let rounding = 8.0 * f64::EPSILON * size as f64 * terms * terms;
            out[j * columns + j] = (out[j * columns + j] + rounding / margin).max(0.0);
        }
        Some(out)
    }

    /// The same where damping of a0 M + a1 K acts, for harmonic motion with ω: K − λM with a complex λ takes its place.
    pub fn damped(&self, omega: f64, [a0, a1]: [f64; 2]) -> Option<Damped<'_>> {
        let s = (1.0, omega * a1);
        let over = |z: Complex| divided(z, s);
        let lambda = over((omega * omega, -omega * a0));
        let margin = match self.next {
            None => 1.0,
            Some(next) => 1.0 - lambda.0.hypot(lambda.1) / next,
        };
        (margin > 0.0).then(|| Damped { bound: self, lambda, load: over((1.0, 0.0)), factor: s.0.hypot(s.1), margin })
    }

    /// What is lost up to a circular frequency; `element` belongs to the same basis, `loads` are over its unknowns. Unknowns of
    /// different units are compared by the energies of their static stiffness.
    ///
    /// # Errors
    /// When a small eigenvalue problem has no answer.
    pub fn lost(&self, element: &Matrices, loads: &[Vec<f64>], omega: f64) -> Result<Lost, EigenError> {
        let (nb, n, columns) = (self.kept, element.size, self.kept + self.loads);
        let nothing = Lost { stiffness: f64::INFINITY, forces: vec![f64::INFINITY; self.loads] };
        let unit: Vec<f64> = (0..nb)
            .map(|b| element.stiffness[b * n + b])
            .map(|k| if k > 0.0 { k.sqrt().recip() } else { 0.0 })
            .collect();
        let (mut worst, mut forces) = (0.0f64, vec![(0.0f64, 0.0f64); self.loads]);
        for share in (1..=BAND).map(|i| i as f64 / BAND as f64) {
            let omega2 = (share * omega).powi(2);
            let Some(error) = self.at(omega2) else { return Ok(nothing) };
            let Some((z, sent)) = element.dynamic_stiffness(omega2, loads) else { continue };
            let scaled = |m: &dyn Fn(usize, usize) -> f64| -> Vec<f64> {
                (0..nb * nb).map(|p| unit[p / nb] * m(p / nb, p % nb) * unit[p % nb]).collect()
            };
            let norm = |m: Vec<f64>| Ok(symmetric_eigen(&m, nb)?.0.iter().fold(0.0f64, |m, x| m.max(x.abs())));
            let lost: f64 = norm(scaled(&|i, j| error[i * columns + j]))?;
            let all: f64 = norm(scaled(&|i, j| z[i * nb + j]))?;
            worst = worst.max(if lost < all { lost / (all - lost) } else { f64::INFINITY });
            for (l, (most, largest)) in forces.iter_mut().enumerate() {
                let root = error[(nb + l) * columns + nb + l].sqrt();
                let each = (0..nb).map(|b| unit[b] * unit[b] * error[b * columns + b]).sum::<f64>();
                *most = most.max(root * each.sqrt());
                let size = sent[l].iter().zip(&unit).map(|(f, u)| (f * u).powi(2)).sum::<f64>().sqrt();
                *largest = largest.max(size);
            }
        }
        let share = |(lost, all): &(f64, f64)| match all > lost {
            true => lost / (all - lost),
            false if *lost == 0.0 => 0.0,
            false => f64::INFINITY,
        };
        Ok(Lost { stiffness: worst, forces: forces.iter().map(share).collect() })
    }
}

/// The bound at a frequency, with damping.
pub struct Damped<'a> {
    bound: &'a Bound,
    lambda: Complex,
    /// What a load of one is in place of λ.
    load: Complex,
    /// |1 + iω a1|.
    factor: f64,
    margin: f64,
}

fn times(a: Complex, b: Complex) -> Complex {
    (a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
}

fn divided(a: Complex, b: Complex) -> Complex {
    let size = b.0 * b.0 + b.1 * b.1;
    let z = times(a, (b.0, -b.1));
    (z.0 / size, z.1 / size)
}

impl Damped<'_> {
    /// Shares of a residual, real and imaginary, while P and the loads are multiplied by these numbers.
    fn residual(&self, sources: &[Complex]) -> [Vec<f64>; 2] {
        let mut all: Vec<Complex> = sources.to_vec();
        let (mut stiff, mut inert) = (Vec::new(), Vec::new());
        for (own, shares) in &self.bound.residual {
            let sum = sources.iter().zip(shares).fold((0.0, 0.0), |s, (z, x)| (s.0 + z.0 * x, s.1 + z.1 * x));
            let q = divided(sum, (own - self.lambda.0, -self.lambda.1));
            stiff.push((-q.0, -q.1));
            inert.push(times(q, self.lambda));
        }
        all.extend(stiff.into_iter().chain(inert));
        [all.iter().map(|z| z.0).collect(), all.iter().map(|z| z.1).collect()]
    }

    /// What the force on the interface is wrong by at most for each root of the energy that [`unbalanced`](Self::unbalanced) gives, in kept
    /// unknowns times `unit`.
    ///
    /// # Errors
    /// When a small eigenvalue problem has no answer.
    pub fn force(&self, unit: &[f64]) -> Result<f64, EigenError> {
        let (nb, columns) = (self.bound.kept, self.bound.kept + self.bound.loads);
        let one = |b: usize| {
            let mut sources = vec![(0.0, 0.0); columns];
            sources[b] = (self.lambda.0 * unit[b], self.lambda.1 * unit[b]);
            self.residual(&sources)
        };
        let all: Vec<[Vec<f64>; 2]> = (0..nb).map(one).collect();
        // The Hermitian matrix Cᴴ G C as a real one, twice as large.
        let rows: Vec<&[f64]> =
            all.iter().map(|c| c[0].as_slice()).chain(all.iter().map(|c| c[1].as_slice())).collect();
        let size = rows.first().map_or(0, |r| r.len());
        let applied: Vec<Vec<f64>> = rows
            .iter()
            .map(|r| (0..size).map(|i| dot(&self.bound.gram[i * size..(i + 1) * size], r)).collect())
            .collect();
        let product = |i: usize, j: usize| dot(rows[i], &applied[j]);
        let mut matrix = vec![0.0; 4 * nb * nb];
        for i in 0..nb {
            for j in 0..nb {
                let re = product(i, j) + product(nb + i, nb + j);
                let im = product(i, nb + j) - product(nb + i, j);
                for (row, column, x) in [(i, j, re), (nb + i, nb + j, re), (nb + i, j, im), (i, nb + j, -im)] {
                    matrix[row * 2 * nb + column] = x;
                }
            }
        }
        let largest = symmetric_eigen(&matrix, 2 * nb)?.0.last().copied().unwrap_or(0.0);
        Ok(self.factor * (largest.max(0.0)).sqrt() / self.margin)
    }

    /// What the dynamic stiffness is wrong by at most, from [`force`](Self::force), in kept unknowns times the same units.
    pub fn stiffness(&self, force: f64) -> f64 {
        force * force * self.margin / self.factor
    }

    /// Root of the energy of what is not balanced inside while the kept unknowns move by `motion` and loads of `loads` act.
    pub fn unbalanced(&self, motion: &[Complex], loads: &[Complex]) -> f64 {
        let moved = motion.iter().map(|u| times(self.lambda, *u));
        let sources: Vec<Complex> = moved.chain(loads.iter().map(|f| times(self.load, *f))).collect();
        self.residual(&sources).iter().map(|part| self.bound.energy(part).max(0.0)).sum::<f64>().sqrt()
    }
}

/// Frequencies at which a band is looked at; the error rises with the frequency, its last one counts.
const BAND: usize = 8;
