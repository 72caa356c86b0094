//! Many fibres of one material at the strains of their section, eight by eight.
//!
//! The histories of a group are columns of whole blocks of eight places; where there are fewer fibres, the last of them is repeated
//! without area. So there is one program for all fibres, without a branch, which a compiler turns into instructions on several
//! numbers at once, and its bits do not depend on how many these are. Sums are of eight parts, by the place in the block.

use core::ops::Range;

use super::matrix::Matrix;
use super::section::bending;
use super::{Group, Tables};
use crate::uniaxial::combined::Library;
use crate::uniaxial::material::{Material, Visitor};
use crate::uniaxial::{Pace, Uniaxial};
use crate::{Dual, Portable, Scalar};

/// Fibres that are evaluated together.
pub const LANES: usize = 8;

/// Numbers of eight fibres.
type Block = [f64; LANES];

/// Places that so many fibres take in each column of their histories.
pub const fn padded(count: usize) -> usize {
    count.next_multiple_of(LANES)
}

/// How fibres are evaluated, in the plane and in space: by the program as it is compiled for every processor, or by the same program
/// compiled for a wider one, which whoever assembles has found.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// With curvature about one axis.
    pub plane: fn(&Material, Fibres<'_, 2>),
    /// With curvature about both.
    pub space: fn(&Material, Fibres<'_, 3>),
}

impl Default for Program {
    fn default() -> Self {
        Program { plane: |material, fibres| material.show(fibres), space: |material, fibres| material.show(fibres) }
    }
}

/// Forces of fibres (N, Mz, My) and the lower triangle of their stiffness, by rows; the sum of each eighth fibre by itself.
#[derive(Clone, Copy, Debug)]
pub struct Sums {
    s: [Block; 3],
    k: [Block; 6],
}

impl Sums {
    pub(super) const ZERO: Sums = Sums { s: [[0.0; LANES]; 3], k: [[0.0; LANES]; 6] };

    #[inline(always)]
    fn add<const D: usize>(&mut self, [y, z, area]: [&Block; 3], stress: &Block, tangent: &Block) {
        for l in 0..LANES {
            let lever = [1.0, -y[l], z[l]];
            let (force, stiffness) = (stress[l] * area[l], tangent[l] * area[l]);
            for i in 0..D {
                self.s[i][l] += force * lever[i];
                for j in 0..=i {
                    self.k[i * (i + 1) / 2 + j][l] += stiffness * lever[i] * lever[j];
                }
            }
        }
    }

    /// The first forces and their stiffness.
    pub(super) fn total<const N: usize>(&self, count: usize, s: &mut [f64; N], k: &mut Matrix<N>) {
        let sum = |x: &Block| ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
        for i in 0..count {
            s[i] = sum(&self.s[i]);
            for j in 0..=i {
                k[i][j] = sum(&self.k[i * (i + 1) / 2 + j]);
                k[j][i] = k[i][j];
            }
        }
    }
}

/// See [`super::Evaluate::fibres`].
pub(super) fn evaluate<const N: usize>(
    tables: &Tables<'_>,
    groups: Range<usize>,
    (mut h, mut next): (&[f64], &mut [f64]),
    e: &[f64; N],
    t: f64,
) -> ([f64; N], Matrix<N>) {
    let mut sums = Sums::ZERO;
    for g in &tables.groups[groups] {
        let size = g.history();
        let (mine, rest) = next.split_at_mut(size);
        g.add(tables, (&h[..size], mine), e, t, &mut sums);
        (h, next) = (&h[size..], rest);
    }
    let (mut s, mut k) = ([0.0; N], [[0.0; N]; N]);
    sums.total(bending(N), &mut s, &mut k);
    (s, k)
}

impl Group {
    /// Numbers of the histories of its fibres.
    pub fn history(&self) -> usize {
        padded(self.count) * self.material.history()
    }

    /// Adds forces and stiffness of its fibres at the strains `e` of the section.
    pub(super) fn add<const N: usize>(
        &self,
        tables: &Tables<'_>,
        (h, next): (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
        sums: &mut Sums,
    ) {
        let all = self.first..self.first + self.count;
        let place = [tables.y, tables.z, tables.area].map(|x| &x[all.clone()]);
        let library = &tables.library;
        if N < 4 {
            (tables.program.plane)(&self.material, Fibres { place, h, next, e: [e[0], e[1]], t, library, sums });
        } else {
            (tables.program.space)(&self.material, Fibres { place, h, next, e: [e[0], e[1], e[2]], t, library, sums });
        }
    }
}

/// Fibres of one material on their way to the strains of their section: the elongation and D - 1 curvatures.
pub struct Fibres<'a, const D: usize> {
    /// y, z, area.
    place: [&'a [f64]; 3],
    h: &'a [f64],
    next: &'a mut [f64],
    e: [f64; D],
    t: f64,
    library: &'a Library<'a>,
    sums: &'a mut Sums,
}

/// The eight numbers from a place on.
#[inline(always)]
fn eight(from: &[f64], at: usize) -> &Block {
    const NONE: &Block = &[f64::NAN; LANES];
    from.get(at..).and_then(|from| from.first_chunk()).unwrap_or(NONE)
}

/// The last numbers, and beyond them the very last again.
#[inline(always)]
fn last(from: &[f64], at: usize) -> Block {
    let mut block = [0.0; LANES];
    (0..LANES).for_each(|l| block[l] = from[(at + l).min(from.len() - 1)]);
    block
}

/// The histories of the eight fibres from a place on: before and after.
struct Histories<'a> {
    h: &'a [f64],
    next: &'a mut [f64],
    stride: usize,
    at: usize,
}

impl Histories<'_> {
    #[inline(always)]
    fn before(&self, column: usize) -> Portable<LANES> {
        Portable(*eight(self.h, column * self.stride + self.at))
    }

    #[inline(always)]
    fn after(&mut self, column: usize, x: &Portable<LANES>) {
        let next = self.next.get_mut(column * self.stride + self.at..);
        if let Some(next) = next.and_then(|next| next.first_chunk_mut()) {
            *next = x.0;
        }
    }
}

impl<const D: usize> Fibres<'_, D> {
    /// Asks for stresses and tangents at the strains of all blocks.
    #[inline(always)]
    fn each(self, mut respond: impl FnMut(&mut Histories<'_>, Portable<LANES>) -> [Portable<LANES>; 2]) {
        let Fibres { place, h, next, e, sums, .. } = self;
        let (count, here) = (place[2].len(), place[2].len() % LANES);
        let (whole, stride) = (count - here, padded(count));
        let mut rest = [[0.0; LANES]; 3];
        if here > 0 {
            rest = [last(place[0], whole), last(place[1], whole), last(place[2], whole)];
            rest[2][here..].fill(0.0);
        }
        for at in (0..count).step_by(LANES) {
            let [y, z, area] = if at < whole {
                [eight(place[0], at), eight(place[1], at), eight(place[2], at)]
            } else {
                [&rest[0], &rest[1], &rest[2]]
            };
            let mut strain = [0.0; LANES];
            for l in 0..LANES {
                strain[l] = e[0] - y[l] * e[1];
                if D == 3 {
                    strain[l] += z[l] * e[2];
                }
            }
            let mut histories = Histories { h, next, stride, at };
            let [stress, tangent] = respond(&mut histories, Portable(strain));
            sums.add::<D>([y, z, area], &stress.0, &tangent.0);
        }
    }
}

impl<const D: usize> Visitor for Fibres<'_, D> {
    type Answer = ();

    #[inline(always)]
    fn visit<const H: usize>(self, law: &impl Uniaxial<H>) {
        let pace = Pace::at(self.t);
        self.each(
            #[inline(always)]
            |histories, strain| {
                let mut old = [Portable([0.0; LANES]); H];
                (0..H).for_each(|j| old[j] = histories.before(j));
                let (stress, tangent, reached) = law.respond(&old, strain, &pace);
                (0..H).for_each(|j| histories.after(j, &reached[j]));
                [stress, tangent]
            },
        );
    }

    fn visit_made(self, made: &Material) {
        let (pace, library) = (Pace::at(self.t), self.library);
        self.each(|histories, strain| {
            let strain = Dual { re: strain, eps: Portable::constant(1.0) };
            let Histories { h, next, stride, at } = histories;
            let before = |j: usize| Portable(*eight(h, j * *stride + *at));
            let mut after = Histories { h, next, stride: *stride, at: *at };
            let s = made.advance(library, before, strain, &pace, |j, x| after.after(j, &x));
            [s.re, s.eps]
        });
    }
}
