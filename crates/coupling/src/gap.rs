//! Closing the displacement gap without touching the dynamics (book: passivity 2.4).
//!
//! Velocities agree exactly in the couplings of this crate, displacements only up to a bounded O(h²). A self-equilibrated
//! static mode, K^A d^A + L^Aᵀ d^Λ = 0, K^B d^B + L^Bᵀ d^Λ = 0, L^A d^A + L^B d^B = I, is an exact fixed point of every
//! scheme. Adding -κ times the gap of it turns the eigenvalue 1 into 1-κ and leaves all others alone.
//! It needs a structure that is statically stable when assembled; hysteretic forces that are states of an element give
//! no stiffness here.

use interfield_kernel::System;
use interfield_linalg::dense_solve;

use crate::CouplingError;
use crate::blueprint::Gap;
use crate::pair::Pair;
use crate::side::Side;

/// The static modes, one per constraint.
pub(crate) struct GapMode {
    /// Columns of stacked states (displacements only), one per constraint.
    a: Vec<f64>,
    b: Vec<f64>,
    /// rows x rows, row-major by constraint of the gap.
    l: Vec<f64>,
    gap: Vec<f64>,
    dl: Vec<f64>,
}

impl GapMode {
    /// Solves for the modes.
    pub(crate) fn new<S: System + Send + 'static>(pair: &mut Pair<S>) -> Result<Self, CouplingError> {
        let rows = pair.rows;
        let (ka, ua) = stiffness(pair.coarse.side_mut());
        let (kb, ub) = stiffness(&mut pair.fine);
        let (na, nb) = (ua.len(), ub.len());
        let n = na + nb + rows;
        // Multipliers in units of the stiffness, so that all pivots are of one size whatever the units.
        let scale = ka.iter().chain(&kb).fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        let mut m = vec![0.0; n * n];
        for (k, size, at) in [(&ka, na, 0), (&kb, nb, na)] {
            for i in 0..size {
                m[(at + i) * n + at..][..size].copy_from_slice(&k[i * size..(i + 1) * size]);
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
                    m[(na + nb + r) * n + at + i] = scale * w; // L
                    m[(at + i) * n + na + nb + r] = scale * w; // Lᵀ
                }
            }
        }
        let mut rhs = vec![0.0; n * rows];
        (0..rows).for_each(|r| rhs[(na + nb + r) * rows + r] = scale);
        let unstable = "closing the gap (kappa) needs an assembled structure with positive definite stiffness; this \
            one is a mechanism, or its stiffness is hysteretic only: omit kappa";
        let ok = dense_solve(&m, n, &mut rhs, rows);
        if !ok {
            return Err(CouplingError::Unsuitable(unstable.to_owned()));
        }
        let columns = |unknowns: &[usize], at: usize, len: usize| {
            let mut columns = vec![0.0; rows * len];
            for (i, &u) in unknowns.iter().enumerate() {
                (0..rows).for_each(|r| columns[r * len + u] = rhs[(at + i) * rows + r]);
            }
            columns
        };
        let (a, b) = (columns(&ua, 0, pair.a().len()), columns(&ub, na, pair.fine.len()));
        let l = (0..rows * rows).map(|k| scale * rhs[(na + nb + k % rows) * rows + k / rows]).collect();
        Ok(GapMode { a, b, l, gap: vec![0.0; rows], dl: vec![0.0; rows] })
    }

    /// Its tables, for the share `kappa`.
    pub(crate) fn blueprint(&self, kappa: f64) -> Gap<'_> {
        Gap { kappa, a: &self.a, b: &self.b, l: &self.l }
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
                add(a, &self.a[r * na..], g);
            }
            add(xb, &self.b[r * xb.len()..], g);
            add(&mut self.dl, &self.l[r * rows..], g);
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

/// Dense tangent stiffness of a side, and where its displacements stand in the stacked state.
pub(crate) fn stiffness<S: System>(side: &mut Side<S>) -> (Vec<f64>, Vec<usize>) {
    let unknowns: Vec<usize> =
        (0..side.count()).flat_map(|i| side.range(i).start..side.range(i).start + side.dims(i).nu).collect();
    let n = unknowns.len();
    let mut k = vec![0.0; n * n];
    let mut at = 0;
    for i in 0..side.count() {
        let d = side.dims(i);
        let (mut u, zeros) = (vec![0.0; d.nu], vec![0.0; d.nu.max(d.ns)]);
        let (mut r, mut g) = (vec![0.0; d.nu], vec![0.0; d.ns]);
        for j in 0..d.nu {
            u[j] = 1.0;
            let shift = interfield_kernel::Shift { u: &u, v: &zeros[..d.nu], s: &zeros[..d.ns] };
            side.system(i).mul_tangent(shift, &mut r, &mut g);
            u[j] = 0.0;
            (0..d.nu).for_each(|l| k[(at + l) * n + at + j] = r[l]);
        }
        at += d.nu;
    }
    (k, unknowns)
}
