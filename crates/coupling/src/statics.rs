//! Self-equilibrated static motions of a pair, by which gaps are closed (book: passivity 2.4, 2.8).
//!
//! K^A d^A + L^Aᵀ d^Λ = f, K^B d^B + L^Bᵀ d^Λ = 0, L^A d^A + L^B d^B = g.

use interfield_kernel::System;
use interfield_linalg::dense_solve;

use crate::pair::Pair;
use crate::side::Side;

/// The stiffness of both sides, and where their displacements stand in the stacked states.
pub(crate) struct Statics {
    pub(crate) stiffness: [Vec<f64>; 2],
    pub(crate) unknowns: [Vec<usize>; 2],
}

/// Motions of a pair, one column after the other: stacked states of A and B (displacements only), and multipliers.
pub(crate) struct Motions {
    pub(crate) a: Vec<f64>,
    pub(crate) b: Vec<f64>,
    pub(crate) l: Vec<f64>,
}

impl Statics {
    pub(crate) fn new<S: System + Send + 'static>(pair: &mut Pair<S>) -> Self {
        let (ka, ua) = stiffness(pair.coarse.side_mut());
        let (kb, ub) = stiffness(&mut pair.fine);
        Statics { stiffness: [ka, kb], unknowns: [ua, ub] }
    }

    /// The motions under `n` columns of forces f on the displacements of A and of gaps g, both row-major; `None` for a mechanism.
    pub(crate) fn motions<S: System + Send + 'static>(
        &self,
        pair: &Pair<S>,
        [force, gap]: [&[f64]; 2],
        n: usize,
    ) -> Option<Motions> {
        let ([ka, kb], [ua, ub], rows) = (&self.stiffness, &self.unknowns, pair.rows);
        let (na, nb) = (ua.len(), ub.len());
        let size = na + nb + rows;
        // Multipliers in units of the stiffness, so that all pivots are of one size whatever the units.
        let scale = ka.iter().chain(kb).fold(0.0_f64, |m, x| m.max(x.abs())).max(f64::MIN_POSITIVE);
        let mut m = vec![0.0; size * size];
        for (k, width, at) in [(ka, na, 0), (kb, nb, na)] {
            for i in 0..width {
                m[(at + i) * size + at..][..width].copy_from_slice(&k[i * width..(i + 1) * width]);
            }
        }
        for (side, unknowns, at) in [(pair.a(), ua, 0), (&pair.fine, ub, na)] {
            let mut column = vec![0.0; side.len()];
            for (i, &u) in unknowns.iter().enumerate() {
                let mut w = vec![0.0; rows];
                column[u] = 1.0;
                side.port_displacements(&column, &mut w);
                column[u] = 0.0;
                for (r, w) in w.into_iter().enumerate() {
                    m[(na + nb + r) * size + at + i] = scale * w; // L
                    m[(at + i) * size + na + nb + r] = scale * w; // Lᵀ
                }
            }
        }
        let mut x = vec![0.0; size * n];
        x[..na * n].copy_from_slice(force);
        x[(na + nb) * n..].iter_mut().zip(gap).for_each(|(x, gap)| *x = scale * gap);
        if !dense_solve(&m, size, &mut x, n) {
            return None;
        }
        let columns = |unknowns: &[usize], at: usize, len: usize| {
            let mut columns = vec![0.0; n * len];
            for (i, &u) in unknowns.iter().enumerate() {
                (0..n).for_each(|c| columns[c * len + u] = x[(at + i) * n + c]);
            }
            columns
        };
        Some(Motions {
            a: columns(ua, 0, pair.a().len()),
            b: columns(ub, na, pair.fine.len()),
            l: (0..n * rows).map(|k| scale * x[(na + nb + k % rows) * n + k / rows]).collect(),
        })
    }
}

/// Dense tangent stiffness of a side, and where its displacements stand in the stacked state.
fn stiffness<S: System>(side: &mut Side<S>) -> (Vec<f64>, Vec<usize>) {
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
