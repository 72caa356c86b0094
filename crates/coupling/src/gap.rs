//! Closing the displacement gap without touching the dynamics (book: passivity 2.4).
//!
//! Velocities agree exactly in the couplings of this crate, displacements only up to a bounded O(h²). A self-equilibrated
//! static mode, K^A d^A + L^Aᵀ d^Λ = 0, K^B d^B + L^Bᵀ d^Λ = 0, L^A d^A + L^B d^B = I, is an exact fixed point of every
//! scheme. Adding -κ times the gap of it turns the eigenvalue 1 into 1-κ and leaves all others alone.
//! It needs a structure that is statically stable when assembled; hysteretic forces that are states of an element give
//! no stiffness here.

use interfield_kernel::System;

use crate::CouplingError;
use crate::blueprint::Gap;
use crate::pair::Pair;
use crate::statics::{Motions, Statics};

/// The static modes, one per constraint.
pub(crate) struct GapMode {
    modes: Motions,
    gap: Vec<f64>,
    dl: Vec<f64>,
}

impl GapMode {
    /// Solves for the modes.
    pub(crate) fn new<S: System + Send + 'static>(pair: &mut Pair<S>) -> Result<Self, CouplingError> {
        let (statics, rows) = (Statics::new(pair), pair.rows);
        let force = vec![0.0; statics.unknowns[0].len() * rows];
        let gap: Vec<f64> = (0..rows * rows).map(|k| f64::from(u8::from(k % (rows + 1) == 0))).collect();
        let unstable = "closing the gap (kappa) needs an assembled structure with positive definite stiffness; this \
            one is a mechanism, or its stiffness is hysteretic only: omit kappa";
        let modes = statics.motions(pair, [&force, &gap], rows);
        let modes = modes.ok_or_else(|| CouplingError::Unsuitable(unstable.to_owned()))?;
        Ok(GapMode { modes, gap: vec![0.0; rows], dl: vec![0.0; rows] })
    }

    /// Its tables, for the share `kappa`.
    pub(crate) fn blueprint(&self, kappa: f64) -> Gap<'_> {
        Gap { kappa, a: &self.modes.a, b: &self.modes.b, l: &self.modes.l }
    }

    /// Closes the share `kappa` of the gap between the first of the `coupled` states of A and `xb`: adds the mode to all coupled and
    /// free states of A, one after the other, to B, and to all `multipliers`.
    pub(crate) fn close<S: System + Send + 'static>(
        &mut self,
        pair: &Pair<S>,
        kappa: f64,
        [coupled, free]: [&mut [f64]; 2],
        xb: &mut [f64],
        multipliers: &mut [f64],
    ) {
        let (na, rows) = (pair.a().len().max(1), self.gap.len().max(1));
        self.gap.fill(0.0);
        pair.a().port_displacements(coupled, &mut self.gap);
        pair.fine.port_displacements(xb, &mut self.gap);
        self.dl.fill(0.0);
        for (r, gap) in self.gap.iter().enumerate() {
            let g = -kappa * gap;
            for a in coupled.chunks_exact_mut(na).chain(free.chunks_exact_mut(na)) {
                add(a, &self.modes.a[r * na..], g);
            }
            add(xb, &self.modes.b[r * xb.len()..], g);
            add(&mut self.dl, &self.modes.l[r * rows..], g);
        }
        for l in multipliers.chunks_exact_mut(rows) {
            add(l, &self.dl, 1.0);
        }
        for f in free.chunks_exact_mut(na) {
            pair.a().link(0, f, &self.dl, -1.0);
        }
    }
}

pub(crate) fn add(x: &mut [f64], d: &[f64], factor: f64) {
    x.iter_mut().zip(d).for_each(|(x, d)| *x += factor * d);
}
