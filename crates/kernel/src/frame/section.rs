//! Forces of a cross-section from its strains: elastic, or of fibres.
//!
//! Strains of a plane section are (eps, kz), forces (N, Mz); in space (eps, kz, ky, twist) and (N, Mz, My, T). A fibre at (y, z) is strained
//! by eps - y kz + z ky; torsion is elastic beside it.

use super::matrix::Matrix;
use super::{Group, Tables};
use crate::Portable;
use crate::uniaxial::Uniaxial;
use crate::uniaxial::material::Visitor;

/// Fibres that are evaluated together.
const LANES: usize = 8;

/// Places that so many fibres take in each column of their history: whole blocks, of which the last places are not used.
pub const fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

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
    fn groups<'a>(&self, tables: &Tables<'a>) -> &'a [Group] {
        match *self {
            Section::Elastic(_) => &[],
            Section::Fibres { first, count, .. } => &tables.groups[first..first + count],
        }
    }

    /// Numbers of its history.
    pub fn history(&self, tables: &Tables<'_>) -> usize {
        self.groups(tables).iter().map(Group::history).sum()
    }

    /// Writes the history of a section that was never strained.
    pub fn start(&self, tables: &Tables<'_>, mut h: &mut [f64]) {
        for g in self.groups(tables) {
            let (mine, rest) = h.split_at_mut(g.history());
            g.material.start(padded(g.count), mine);
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
                let mut sums = Sums::ZERO;
                for g in self.groups(tables) {
                    let size = g.history();
                    let (mine, rest) = next.split_at_mut(size);
                    g.add::<N>(tables, (&h[..size], mine), e, t, &mut sums);
                    (h, next) = (&h[size..], rest);
                }
                sums.total(&mut s, &mut k);
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
                    let modulus = g.material.stiffness();
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

/// Forces of fibres and the lower triangle of their stiffness, by rows; the sum of each eighth fibre by itself.
struct Sums {
    s: [[f64; LANES]; 3],
    k: [[f64; LANES]; 6],
}

impl Sums {
    const ZERO: Sums = Sums { s: [[0.0; LANES]; 3], k: [[0.0; LANES]; 6] };

    #[inline(always)]
    fn add<const N: usize>(&mut self, [y, z, area]: [&Block; 3], stress: &Block, tangent: &Block) {
        for l in 0..LANES {
            let lever = [1.0, -y[l], z[l]];
            let (force, stiffness) = (stress[l] * area[l], tangent[l] * area[l]);
            for i in 0..N.min(3) {
                self.s[i][l] += force * lever[i];
                for j in 0..=i {
                    self.k[i * (i + 1) / 2 + j][l] += stiffness * lever[i] * lever[j];
                }
            }
        }
    }

    fn total<const N: usize>(&self, s: &mut [f64; N], k: &mut Matrix<N>) {
        let sum = |x: &[f64; LANES]| ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
        for i in 0..N.min(3) {
            s[i] = sum(&self.s[i]);
            for j in 0..=i {
                k[i][j] = sum(&self.k[i * (i + 1) / 2 + j]);
                k[j][i] = k[i][j];
            }
        }
    }
}

impl Group {
    /// Numbers of the histories of its fibres.
    fn history(&self) -> usize {
        padded(self.count) * self.material.history()
    }

    /// Adds forces and stiffness of its fibres, side by side.
    fn add<const N: usize>(
        &self,
        tables: &Tables<'_>,
        (h, next): (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
        sums: &mut Sums,
    ) {
        let all = self.first..self.first + self.count;
        let [y, z, area] = [tables.y, tables.z, tables.area].map(|x| &x[all.clone()]);
        self.material.show(Fibres { y, z, area, h, next, e, t, sums });
    }
}

/// Fibres of one material on their way to the strains of their section.
struct Fibres<'a, const N: usize> {
    y: &'a [f64],
    z: &'a [f64],
    area: &'a [f64],
    h: &'a [f64],
    next: &'a mut [f64],
    e: &'a [f64; N],
    t: f64,
    sums: &'a mut Sums,
}

/// Numbers of eight fibres.
type Block = [f64; LANES];

/// The eight numbers from a place on.
#[inline(always)]
fn eight(from: &[f64], at: usize) -> &Block {
    const NONE: &Block = &[f64::NAN; LANES];
    from.get(at..).and_then(|from| from.first_chunk()).unwrap_or(NONE)
}

/// The last numbers, beyond them the very last again.
#[inline(always)]
fn last(from: &[f64], at: usize) -> Block {
    let mut block = [0.0; LANES];
    (0..LANES).for_each(|l| block[l] = from[(at + l).min(from.len() - 1)]);
    block
}

impl<const N: usize> Visitor for Fibres<'_, N> {
    type Answer = ();

    /// Eight by eight, by one program without a branch: where there are fewer, the last is repeated without area.
    #[inline(always)]
    fn visit<const H: usize>(self, law: &impl Uniaxial<H>) {
        let Fibres { y, z, area, h, next, e, t, sums } = self;
        let (count, here) = (area.len(), area.len() % LANES);
        let (whole, stride) = (count - here, padded(count));
        let mut rest = [[0.0; LANES]; 3];
        if here > 0 {
            rest = [last(y, whole), last(z, whole), last(area, whole)];
            rest[2][here..].fill(0.0);
        }
        for at in (0..count).step_by(LANES) {
            let [y, z, area] =
                if at < whole { [y, z, area].map(|x| eight(x, at)) } else { [&rest[0], &rest[1], &rest[2]] };
            let mut strain = [0.0; LANES];
            for l in 0..LANES {
                let bent = e[0] - y[l] * e[1];
                strain[l] = if N == 4 { bent + z[l] * e[2] } else { bent };
            }
            let mut old = [Portable([0.0; LANES]); H];
            (0..H).for_each(|j| old[j] = Portable(*eight(h, j * stride + at)));
            let (stress, tangent, reached) = law.respond(&old, Portable(strain), t);
            for j in 0..H {
                if let Some(next) = next.get_mut(j * stride + at..).and_then(|next| next.first_chunk_mut()) {
                    *next = reached[j].0;
                }
            }
            sums.add::<N>([y, z, area], &stress.0, &tangent.0);
        }
    }
}
