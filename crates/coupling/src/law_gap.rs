//! Closing the law gap of PSL, b u - x, without touching the dynamics (book: passivity 2.8).
//!
//! Static modes, one per deformation: (K + bᵀ k b) d^A + L^Aᵀ d^Λ = bᵀ k, K^B d^B + L^Bᵀ d^Λ = 0, L^A d^A + L^B d^B = 0, and
//! d^x = b d^A - I. With g = -κ (b u - x): d^A g and d^B g are added to the displacements, d^Λ g to the multipliers, d^x g to
//! all stored deformations of the laws, k d^x g to all stored forces. Turns an eigenvalue 1 into 1 - κ where laws are linear.

use interfield_kernel::System;
use interfield_linalg::dense_solve;

use crate::CouplingError;
use crate::gap::{add, stiffness};
use crate::pair::Pair;

/// The static modes.
pub(crate) struct LawGap {
    /// One column per deformation: stacked states of A and B (displacements only), multipliers, deformations, forces.
    a: Vec<f64>,
    b: Vec<f64>,
    l: Vec<f64>,
    x: Vec<f64>,
    w: Vec<f64>,
    here: [Vec<f64>; 2],
}

impl LawGap {
    /// Solves for the modes of the `n` deformations.
    pub(crate) fn new<S: System + Send + 'static>(pair: &mut Pair<S>, n: usize) -> Result<Self, CouplingError> {
        let (len_a, len_b, rows) = (pair.a().len(), pair.fine.len(), pair.rows);
        let (mut ka, ua) = stiffness(pair.coarse.side_mut());
        let (kb, ub) = stiffness(&mut pair.fine);
        let (na, nb) = (ua.len(), ub.len());
        let (b, kbt) = compatibility(pair, &ua, n);
        for i in 0..na {
            for j in 0..na {
                ka[i * na + j] += (0..n).map(|e| b[e * na + i] * kbt[e * na + j]).sum::<f64>(); // + bᵀ k b
            }
        }
        let size = na + nb + rows;
        // Multipliers in units of the stiffness, so that all pivots are of one size whatever the units.
        let scale = ka.iter().chain(&kb).fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        let mut m = vec![0.0; size * size];
        for (k, width, at) in [(&ka, na, 0), (&kb, nb, na)] {
            for i in 0..width {
                m[(at + i) * size + at..][..width].copy_from_slice(&k[i * width..(i + 1) * width]);
            }
        }
        for (side, unknowns, at) in [(pair.a(), &ua, 0), (&pair.fine, &ub, na)] {
            let mut column = vec![0.0; side.len()];
            for (i, &u) in unknowns.iter().enumerate() {
                let mut w = vec![0.0; rows];
                column[u] = 1.0;
                side.port_displacements(&column, &mut w);
                column[u] = 0.0;
                for (r, w) in w.into_iter().enumerate() {
                    m[(na + nb + r) * size + at + i] = scale * w;
                    m[(at + i) * size + na + nb + r] = scale * w;
                }
            }
        }
        let mut rhs = vec![0.0; size * n];
        for i in 0..na {
            (0..n).for_each(|e| rhs[i * n + e] = kbt[e * na + i]); // bᵀ k
        }
        if !dense_solve(&m, size, &mut rhs, n) {
            let why = "closing the law gap (kappa) needs an assembled structure with positive definite stiffness; this one is a \
                mechanism: omit kappa";
            return Err(CouplingError::Unsuitable(why.to_owned()));
        }
        let columns = |unknowns: &[usize], at: usize, len: usize| {
            let mut columns = vec![0.0; n * len];
            for (i, &u) in unknowns.iter().enumerate() {
                (0..n).for_each(|e| columns[e * len + u] = rhs[(at + i) * n + e]);
            }
            columns
        };
        let (a, fine) = (columns(&ua, 0, len_a), columns(&ub, na, len_b));
        let l = (0..n * rows).map(|k| scale * rhs[(na + nb + k % rows) * n + k / rows]).collect();
        let mut x = vec![0.0; n * n];
        let mut w = vec![0.0; n * n];
        for e in 0..n {
            let column = &mut x[e * n..(e + 1) * n];
            for (i, x) in column.iter_mut().enumerate() {
                let moved: f64 = (0..na).map(|j| b[i * na + j] * rhs[j * n + e]).sum();
                *x = moved - f64::from(u8::from(i == e));
            }
            pair.coarse.side_mut().law_stiffness(column, &mut w[e * n..(e + 1) * n]);
        }
        Ok(LawGap { a, b: fine, l, x, w, here: [vec![0.0; n], vec![0.0; n]] })
    }

    /// Closes the share `kappa` of the gap at `t` between the structure and `nodes[0]`: adds the modes to A, B and the
    /// multipliers, to the deformations with which all `nodes` begin, and to the `forces`.
    pub(crate) fn close<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        (t, kappa): (f64, f64),
        [a, b, l]: [&mut [f64]; 3],
        nodes: &mut [&mut [f64]; 4],
        mut forces: [&mut [f64]; 2],
    ) {
        let [here, rates] = &mut self.here;
        pair.coarse.side_mut().law_motion(a, t, here, rates);
        let n = here.len();
        here.iter_mut().zip(&nodes[0][..n]).for_each(|(here, x)| *here = -kappa * (*here - x));
        for (e, g) in here.iter().enumerate() {
            add(a, &self.a[e * a.len()..], *g);
            add(b, &self.b[e * b.len()..], *g);
            add(l, &self.l[e * l.len()..], *g);
            nodes.iter_mut().for_each(|node| add(&mut node[..n], &self.x[e * n..], *g));
            forces.iter_mut().for_each(|w| add(w, &self.w[e * n..], *g));
        }
    }
}

/// b and k b, one row per deformation over the displacements that stand at `unknowns`.
fn compatibility<S: System + Send + 'static>(pair: &mut Pair<S>, unknowns: &[usize], n: usize) -> (Vec<f64>, Vec<f64>) {
    let na = unknowns.len();
    let (mut b, mut kb) = (vec![0.0; n * na], vec![0.0; n * na]);
    let [mut zero, mut x, mut y, mut f] = [(); 4].map(|()| vec![0.0; n]);
    let mut a = vec![0.0; pair.a().len()];
    let side = pair.coarse.side_mut();
    side.law_motion(&a, 0.0, &mut zero, &mut y);
    for (j, &u) in unknowns.iter().enumerate() {
        a[u] = 1.0;
        side.law_motion(&a, 0.0, &mut x, &mut y);
        a[u] = 0.0;
        x.iter_mut().zip(&zero).for_each(|(x, zero)| *x -= zero);
        side.law_stiffness(&x, &mut f);
        (0..n).for_each(|e| (b[e * na + j], kb[e * na + j]) = (x[e], f[e]));
    }
    (b, kb)
}
