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

use super::{Basis, Interior, Superelement};
use crate::eigen::{EigenError, symmetric_eigen};
use crate::modes::dot;

/// The bound of a basis, for all frequencies.
pub struct Bound {
    kept: usize,
    loads: usize,
    /// ω² of the residual vectors, with their shares in P and in the loads.
    residual: Vec<(f64, Vec<f64>)>,
    /// Of [P, f, K y, M y] in K⁻¹, row by row.
    gram: Vec<f64>,
    next: Option<f64>,
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
        let sources: Vec<Vec<f64>> = interior.p.iter().chain(loads).cloned().collect();
        let residual = &basis.vectors[basis.modes..];
        let shares = residual.iter().map(|(omega2, y)| (*omega2, sources.iter().map(|f| dot(y, f)).collect()));
        let shares: Vec<(f64, Vec<f64>)> = shares.collect();
        let mut forces = sources;
        forces.iter_mut().for_each(|f| interior.beside(basis, f));
        let mut motions = forces.clone();
        motions.iter_mut().for_each(|f| interior.factor.solve(f));
        for (_, y) in residual {
            forces.push(interior.product(&interior.k, y));
            motions.push(y.clone());
        }
        for (_, y) in residual {
            let inertia = interior.product(&interior.m, y);
            forces.push(inertia.clone());
            motions.push(inertia);
            let last = motions.len() - 1;
            interior.factor.solve(&mut motions[last]);
        }
        let gram = forces.iter().flat_map(|f| motions.iter().map(move |u| dot(f, u))).collect();
        Bound { kept, loads: loads.len(), residual: shares, gram, next: basis.next }
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

    /// What is lost up to a circular frequency; `element` belongs to the same basis, `loads` are over its unknowns. Unknowns of different
    /// units are compared by the energies of their static stiffness.
    ///
    /// # Errors
    /// When a small eigenvalue problem has no answer.
    pub fn lost(&self, element: &Superelement, loads: &[Vec<f64>], omega: f64) -> Result<Lost, EigenError> {
        let (nb, n, columns) = (self.kept, element.size(), self.kept + self.loads);
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

/// Frequencies at which a band is looked at; the error rises with the frequency, its last one counts.
const BAND: usize = 8;
