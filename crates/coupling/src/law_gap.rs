//! Closing the law gap of PSL, b u - x, without touching the dynamics (book: passivity 2.8).
//!
//! Static modes, one per deformation: (K + bᵀ k b) d^A + L^Aᵀ d^Λ = bᵀ k, K^B d^B + L^Bᵀ d^Λ = 0, L^A d^A + L^B d^B = 0, and
//! d^x = b d^A - I. With g = -κ (b u - x): d^A g and d^B g are added to the displacements, d^Λ g to the multipliers, d^x g to
//! all stored deformations of the laws, k d^x g to all stored forces. Turns an eigenvalue 1 into 1 - κ where laws are linear.

use interfield_kernel::System;

use crate::CouplingError;
use crate::gap::add;
use crate::pair::Pair;
use crate::statics::{Motions, Statics};

/// The static modes.
pub(crate) struct LawGap {
    /// One column per deformation, as those of the deformations and forces of the laws.
    modes: Motions,
    x: Vec<f64>,
    w: Vec<f64>,
    here: [Vec<f64>; 2],
}

impl LawGap {
    /// Solves for the modes of the `n` deformations.
    pub(crate) fn new<S: System + Send + 'static>(pair: &mut Pair<S>, n: usize) -> Result<Self, CouplingError> {
        let mut statics = Statics::new(pair);
        let na = statics.unknowns[0].len();
        let (b, kbt) = compatibility(pair, &statics.unknowns[0], n);
        for i in 0..na {
            for j in 0..na {
                // + bᵀ k b
                statics.stiffness[0][i * na + j] += (0..n).map(|e| b[e * na + i] * kbt[e * na + j]).sum::<f64>();
            }
        }
        // bᵀ k
        let force: Vec<f64> = (0..na * n).map(|k| kbt[k % n * na + k / n]).collect();
        let Some(modes) = statics.motions(pair, [&force, &vec![0.0; pair.rows * n]], n) else {
            let why = "closing the law gap (kappa) needs an assembled structure with positive definite stiffness; this one is a \
                mechanism: omit kappa";
            return Err(CouplingError::Unsuitable(why.to_owned()));
        };
        let len = pair.a().len();
        let (mut x, mut w) = (vec![0.0; n * n], vec![0.0; n * n]);
        for e in 0..n {
            let column = &mut x[e * n..(e + 1) * n];
            for (i, x) in column.iter_mut().enumerate() {
                let at = statics.unknowns[0].iter().enumerate();
                let moved: f64 = at.map(|(j, &u)| b[i * na + j] * modes.a[e * len + u]).sum();
                *x = moved - f64::from(u8::from(i == e));
            }
            pair.coarse.side_mut().law_stiffness(column, &mut w[e * n..(e + 1) * n]);
        }
        Ok(LawGap { modes, x, w, here: [vec![0.0; n], vec![0.0; n]] })
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
            add(a, &self.modes.a[e * a.len()..], *g);
            add(b, &self.modes.b[e * b.len()..], *g);
            add(l, &self.modes.l[e * l.len()..], *g);
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
