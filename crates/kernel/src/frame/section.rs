//! Forces of a cross-section from its strains: elastic, or of fibres.
//!
//! Strains of a plane section are (eps, kz), forces (N, Mz); in space (eps, kz, ky, twist) and (N, Mz, My, T). A fibre at (y, z) is strained
//! by eps - y kz + z ky; torsion is elastic beside it. A section with shear has one more of each in the plane, (gy) and (Vy), and two
//! in space (book: frames 2).

use super::fibres::padded;
use super::matrix::{Matrix, zeros};
use super::part::strained;
use super::{Evaluate, Group, Resultant, Tables};
use crate::Scalar;
use crate::uniaxial::Pace;

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
    /// Resultants that follow materials of their own, beside another section or alone.
    With {
        /// Number of the other section.
        inside: Option<usize>,
        /// First resultant.
        first: usize,
        /// Number of resultants.
        count: usize,
    },
}

/// Forces that fibres give to a section with so many: N, Mz, and in space My.
pub const fn bending(n: usize) -> usize {
    if n < 4 { 2 } else { 3 }
}

/// Forces without shear.
const fn slender(n: usize) -> usize {
    if n < 4 { 2 } else { 4 }
}

impl Resultant {
    /// Where it stands among so many forces of a section, if it is one of them.
    fn place(&self, n: usize) -> Option<usize> {
        match (self.component, n) {
            (4, 3) => Some(2),
            (0 | 1, _) | (2 | 3, 4) | (_, 6) => Some(self.component),
            _ => None,
        }
    }
}

impl Section {
    /// Its groups of fibres; none of an elastic one.
    pub fn groups<'a>(&self, tables: &Tables<'a>) -> &'a [Group] {
        match *self {
            Section::Elastic(_) => &[],
            Section::Fibres { first, count, .. } => &tables.groups[first..first + count],
            Section::With { inside, .. } => inside.map_or(&[], |s| tables.sections[s].groups(tables)),
        }
    }

    fn resultants<'a>(&self, tables: &Tables<'a>) -> &'a [Resultant] {
        match *self {
            Section::With { first, count, .. } => &tables.resultants[first..first + count],
            _ => &[],
        }
    }

    /// Whether it deforms in shear.
    pub fn is_sheared(&self, tables: &Tables<'_>) -> bool {
        self.resultants(tables).iter().any(|r| r.component > 3)
    }

    /// Numbers of its history.
    pub fn history(&self, tables: &Tables<'_>) -> usize {
        let fibres = self.groups(tables).iter().map(Group::history);
        fibres.chain(self.resultants(tables).iter().map(|r| r.material.history())).sum()
    }

    /// Whether the mean of two of its histories is one, see [`mixes`](crate::uniaxial::material::Material::mixes).
    pub fn mixes(&self, tables: &Tables<'_>) -> bool {
        let fibres = self.groups(tables).iter().map(|g| &g.material);
        fibres.chain(self.resultants(tables).iter().map(|r| &r.material)).all(|m| m.mixes(&tables.library))
    }

    /// Writes the history of a section that was never strained.
    pub fn start(&self, tables: &Tables<'_>, mut h: &mut [f64]) {
        for g in self.groups(tables) {
            let (mine, rest) = h.split_at_mut(g.history());
            g.material.start(&tables.library, padded(g.count), mine);
            h = rest;
        }
        for r in self.resultants(tables) {
            let (mine, rest) = h.split_at_mut(r.material.history());
            r.material.start(&tables.library, 1, mine);
            h = rest;
        }
    }

    /// Forces and stiffness at the strains `e`, reached from the history `h`, and the history there.
    pub fn evaluate<const N: usize>(
        &self,
        tables: &Tables<'_>,
        histories: (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
    ) -> ([f64; N], Matrix<N>) {
        self.respond(tables, histories, e, t)
    }

    /// [`Section::evaluate`] in any scalar.
    pub fn respond<const N: usize, T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (mut h, mut next): (&[T], &mut [T]),
        e: &[T; N],
        t: T,
    ) -> ([T; N], Matrix<N, T>) {
        let (mut s, mut k) = ([T::constant(0.0); N], zeros());
        match *self {
            Section::Elastic(stiffness) => {
                for i in 0..slender(N) {
                    (s[i], k[i][i]) = (e[i] * stiffness[i], T::constant(stiffness[i]));
                }
            }
            Section::Fibres { first, count, torsion } => {
                (s, k) = by.fibres(first..first + count, (h, next), e, t);
                if N >= 4 {
                    (s[3], k[3][3]) = (e[3] * torsion, T::constant(torsion));
                }
            }
            Section::With { inside, .. } => {
                let tables = by.tables();
                if let Some(inside) = inside {
                    let section = &tables.sections[inside];
                    let size = section.history(tables);
                    let (mine, rest) = next.split_at_mut(size);
                    (s, k) = section.respond(by, (&h[..size], mine), e, t);
                    (h, next) = (&h[size..], rest);
                }
                for r in self.resultants(tables) {
                    let size = r.material.history();
                    let (mine, rest) = next.split_at_mut(size);
                    if let Some(i) = r.place(N) {
                        let pace = Pace { t, rate: None, calm: 0.0 };
                        (s[i], k[i][i]) = strained(by, &r.material, (&h[..size], mine), e[i], pace);
                    }
                    (h, next) = (&h[size..], rest);
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
            Section::Elastic(stiffness) => (0..slender(N)).for_each(|i| k[i][i] = stiffness[i]),
            Section::Fibres { torsion, .. } => {
                for g in self.groups(tables) {
                    let modulus = g.material.stiffness(&tables.library);
                    for f in g.first..g.first + g.count {
                        let lever = [1.0, -tables.y[f], tables.z[f]];
                        for i in 0..bending(N) {
                            for j in 0..bending(N) {
                                k[i][j] += modulus * tables.area[f] * lever[i] * lever[j];
                            }
                        }
                    }
                }
                if N >= 4 {
                    k[3][3] = torsion;
                }
            }
            Section::With { inside, .. } => {
                if let Some(inside) = inside {
                    k = tables.sections[inside].at_rest(tables);
                }
                for r in self.resultants(tables) {
                    if let Some(i) = r.place(N) {
                        k[i][i] = r.material.stiffness(&tables.library);
                    }
                }
            }
        }
        k
    }
}
