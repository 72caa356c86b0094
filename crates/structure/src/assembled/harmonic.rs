//! The assembled system in harmonic motion: its dynamic stiffness about the present linearisation.

use interfield_linalg::{Lu, Pattern};

use super::element::Entry;
use super::{Assembled, Stored};

impl Assembled {
    /// Pattern of its matrices.
    pub(crate) fn pattern(&self) -> &Pattern {
        &self.pattern
    }

    /// Dynamic stiffness K − ω²M + iωC on the pattern, real and imaginary part, without modal damping, which is not on
    /// the pattern ([`Assembled::modal_damping`]). Of an element with states, ṡ = Aq + Bq̇ + Es and r = Kq + Cq̇ + Rs, it is
    /// K + iωC + R (iω − E)⁻¹ (A + iωB).
    ///
    /// # Errors
    /// The number of an element whose states resonate at exactly this frequency.
    pub(crate) fn dynamic_stiffness(&self, omega: f64, re: &mut [f64], im: &mut [f64]) -> Result<(), usize> {
        let mass = if self.mass_lin.is_empty() { &self.mass } else { &self.mass_lin };
        re.iter_mut().zip(&self.stiffness).zip(mass).for_each(|((x, k), m)| *x = k - omega * omega * m);
        im.fill(0.0);
        im.iter_mut().zip(&self.damping).for_each(|(x, c)| *x = omega * c);
        for (number, e) in self.elements.iter().enumerate() {
            let [k, c, ..] = e.blocks(&self.tangents);
            let mut local = [k.to_vec(), c.iter().map(|c| omega * c).collect()];
            self.add_states(e, omega, &mut local).ok_or(number)?;
            if matches!(e.law, Stored::Frame(_)) {
                local[0] = symmetric(&local[0], e.d);
            }
            for s in &self.scatter[e.scatter.clone()] {
                re[s.position as usize] += s.factor * local[0][s.index as usize];
                im[s.position as usize] += s.factor * local[1][s.index as usize];
            }
        }
        Ok(())
    }

    /// Adds R (iω − E)⁻¹ (A + iωB) of an element; `None` where iω − E is singular.
    fn add_states(&self, e: &Entry, omega: f64, local: &mut [Vec<f64>; 2]) -> Option<()> {
        let [_, _, r, a, b, own, _] = e.blocks(&self.tangents);
        let (d, s) = (e.d, e.s);
        if s == 0 {
            return Some(());
        }
        // In real numbers: [−E −ω; ω −E] [x; y] = [A; ωB], column by column.
        let mut matrix = vec![0.0; 4 * s * s];
        for i in 0..s {
            for j in 0..s {
                matrix[i * 2 * s + j] = -own[i * s + j];
                matrix[(s + i) * 2 * s + s + j] = -own[i * s + j];
            }
            matrix[i * 2 * s + s + i] = -omega;
            matrix[(s + i) * 2 * s + i] = omega;
        }
        let mut lu = Lu::new(2 * s);
        lu.factorize(&matrix).ok()?;
        let mut column = vec![0.0; 2 * s];
        for j in 0..d {
            for i in 0..s {
                (column[i], column[s + i]) = (a[i * d + j], omega * b[i * d + j]);
            }
            lu.solve(&mut column);
            for (part, local) in local.iter_mut().enumerate() {
                for i in 0..d {
                    local[i * d + j] += (0..s).map(|l| r[i * s + l] * column[part * s + l]).sum::<f64>();
                }
            }
        }
        Some(())
    }

    /// Modal damping: c and w of each term c w wᵀ of the damping matrix.
    pub(crate) fn modal_damping(&self) -> &[(f64, Vec<f64>)] {
        &self.modal
    }
}

/// The symmetric part of a d by d matrix. Sway under an axial force that changes is of second order in a small motion, and no
/// part of it.
pub(super) fn symmetric(matrix: &[f64], d: usize) -> Vec<f64> {
    (0..d * d).map(|at| 0.5 * (matrix[at] + matrix[at % d * d + at / d])).collect()
}
