//! Forces of a cross-section from its strains: elastic, or of fibres.
//!
//! Strains of a plane section are (eps, kz), forces (N, Mz); in space (eps, kz, ky, twist) and (N, Mz, My, T). A fibre at (y, z) is strained
//! by eps - y kz + z ky; torsion is elastic beside it.

use super::matrix::Matrix;
use super::{Group, Tables};
use crate::uniaxial::Pace;
use crate::{Dual, Portable, Scalar};

/// Fibres that are evaluated together.
const LANES: usize = 4;

/// A cross-section.
#[derive(Clone, Copy, Debug)]
pub enum Section {
    /// EA, EIz, EIy, GJ.
    Elastic([f64; 4]),
    /// Fibres: a range of groups; torsional stiffness GJ.
    Fibres {
        /// First group.
        first: usize,
        /// Number of groups.
        count: usize,
        /// GJ, N m².
        torsion: f64,
    },
}

impl Section {
    /// Its groups of fibres; none of an elastic one.
    pub fn groups<'a>(&self, tables: &Tables<'a>) -> &'a [Group] {
        match *self {
            Section::Elastic(_) => &[],
            Section::Fibres { first, count, .. } => &tables.groups[first..first + count],
        }
    }

    /// Numbers of its history.
    pub fn history(&self, tables: &Tables<'_>) -> usize {
        self.groups(tables).iter().map(|g| g.count * g.material.history()).sum()
    }

    /// Writes the history of a section that was never strained.
    pub fn start(&self, tables: &Tables<'_>, mut h: &mut [f64]) {
        for g in self.groups(tables) {
            let (mine, rest) = h.split_at_mut(g.count * g.material.history());
            g.material.start(&tables.library, g.count, mine);
            h = rest;
        }
    }

    /// Forces and stiffness at the strains `e`, reached from the history `h`, and the history there.
    pub fn evaluate<const N: usize>(
        &self,
        tables: &Tables<'_>,
        (mut h, mut next): (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
    ) -> ([f64; N], Matrix<N>) {
        let (mut s, mut k) = ([0.0; N], [[0.0; N]; N]);
        match *self {
            Section::Elastic(stiffness) => {
                for i in 0..N {
                    (s[i], k[i][i]) = (stiffness[i] * e[i], stiffness[i]);
                }
            }
            Section::Fibres { torsion, .. } => {
                for g in self.groups(tables) {
                    let size = g.count * g.material.history();
                    let (mine, rest) = next.split_at_mut(size);
                    g.add(tables, (&h[..size], mine), e, t, (&mut s, &mut k));
                    (h, next) = (&h[size..], rest);
                }
                if N == 4 {
                    (s[3], k[3][3]) = (torsion * e[3], torsion);
                }
            }
        }
        (s, k)
    }
}

impl Section {
    /// Stiffness at rest, from the initial tangents of its materials.
    pub fn at_rest<const N: usize>(&self, tables: &Tables<'_>) -> Matrix<N> {
        let mut k = [[0.0; N]; N];
        match *self {
            Section::Elastic(stiffness) => (0..N).for_each(|i| k[i][i] = stiffness[i]),
            Section::Fibres { torsion, .. } => {
                for g in self.groups(tables) {
                    let modulus = g.material.stiffness(&tables.library);
                    for f in g.first..g.first + g.count {
                        let lever = [1.0, -tables.y[f], tables.z[f]];
                        for i in 0..N.min(3) {
                            for j in 0..N.min(3) {
                                k[i][j] += modulus * tables.area[f] * lever[i] * lever[j];
                            }
                        }
                    }
                }
                if N == 4 {
                    k[3][3] = torsion;
                }
            }
        }
        k
    }
}

impl Group {
    /// Adds forces and stiffness of its fibres, side by side as far as that goes.
    fn add<const N: usize>(
        &self,
        tables: &Tables<'_>,
        (h, next): (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
        out: (&mut [f64; N], &mut Matrix<N>),
    ) {
        let mut i = 0;
        while i + LANES <= self.count {
            self.lanes::<N, LANES>(tables, (h, next), i, e, t, (out.0, out.1));
            i += LANES;
        }
        while i < self.count {
            self.lanes::<N, 1>(tables, (h, next), i, e, t, (out.0, out.1));
            i += 1;
        }
    }

    #[inline]
    fn lanes<const N: usize, const L: usize>(
        &self,
        tables: &Tables<'_>,
        (h, next): (&[f64], &mut [f64]),
        at: usize,
        e: &[f64; N],
        t: f64,
        (s, k): (&mut [f64; N], &mut Matrix<N>),
    ) {
        let take = |from: &[f64], first: usize| Portable::<L>(core::array::from_fn(|l| from[first + l]));
        let here = self.first + at;
        let (y, z, area) = (take(tables.y, here), take(tables.z, here), take(tables.area, here));
        let mut strain = Portable::<L>::constant(e[0]) - y * e[1];
        if N == 4 {
            strain = strain + z * e[2];
        }
        let strain = Dual { re: strain, eps: Portable::constant(1.0) };
        let old = |j: usize| take(h, j * self.count + at);
        let stress = self.material.advance(&tables.library, old, strain, &Pace::at(t), |j, x| {
            next[j * self.count + at..j * self.count + at + L].copy_from_slice(&x.0);
        });
        let lever = |i: usize| match i {
            0 => Portable::constant(1.0),
            1 => -y,
            _ => z,
        };
        let sum = |x: Portable<L>| x.0.iter().sum::<f64>();
        for i in 0..N.min(3) {
            s[i] += sum(stress.re * area * lever(i));
            for j in 0..=i {
                let kij = sum(stress.eps * area * lever(i) * lever(j));
                k[i][j] += kij;
                if i != j {
                    k[j][i] += kij;
                }
            }
        }
    }
}
