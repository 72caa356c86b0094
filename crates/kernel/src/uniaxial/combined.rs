//! Materials made of others: side by side (parallel), one after the other (series), within limits of strain, from an initial strain.
//!
//! A combination names its parts by their places in a [`Library`], which whoever assembles holds; so a material stays a small value
//! that can be copied, combinations nest, and nothing is allocated. The history of a combination is its own, then those of its parts.

use super::material::{MOST, Material};
use super::{Pace, divisor, zero};
use crate::element::info::{Info, Range::*, Unit, optional};
use crate::expr::Instr;
use crate::{Dual, Scalar};

/// What materials refer to: parts of combinations, and the programs of formulas.
#[derive(Clone, Copy, Debug, Default)]
pub struct Library<'a> {
    /// Parts of combinations.
    pub parts: &'a [Share],
    /// Instructions of all formulas.
    pub code: &'a [Instr],
    /// Constants of all formulas.
    pub constants: &'a [f64],
    /// Registers with the results of all formulas.
    pub outputs: &'a [u16],
}

/// A part of a combination.
#[derive(Clone, Copy, Debug)]
pub struct Share {
    /// Its material.
    pub material: Material,
    /// What its stress is multiplied with, side by side with others.
    pub factor: f64,
}

/// Parts of a combination: a range of the library, and the numbers of all their histories.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    first: usize,
    count: usize,
    history: usize,
}

impl Parts {
    /// The last `count` parts of a library.
    pub fn last(parts: &[Share], count: usize) -> Self {
        let first = parts.len() - count;
        Parts { first, count, history: parts[first..].iter().map(|p| p.material.history()).sum() }
    }

    /// The parts, each with the place of its history behind `own` numbers of the combination.
    fn of<'a>(&self, library: &Library<'a>, own: usize) -> impl Iterator<Item = (usize, &'a Share)> {
        let mut at = own;
        library.parts[self.first..self.first + self.count].iter().map(move |part| {
            let mine = at;
            at += part.material.history();
            (mine, part)
        })
    }

    /// Whether the means of two of their histories are some.
    fn mix(&self, library: &Library<'_>) -> bool {
        !self.any(library, |material, library| !material.mixes(library))
    }

    /// Whether something holds for one of them.
    pub(super) fn any(&self, library: &Library<'_>, what: fn(&Material, &Library<'_>) -> bool) -> bool {
        self.of(library, 0).any(|(_, part)| what(&part.material, library))
    }

    /// Histories of `count` fibres that were never strained, behind those of the combination.
    fn start(&self, library: &Library<'_>, own: usize, count: usize, h: &mut [f64]) {
        for (at, part) in self.of(library, own) {
            let size = part.material.history();
            part.material.start(library, count, &mut h[at * count..(at + size) * count]);
        }
    }
}

/// How histories are read and written where the material that asks is not known: numbers by their place.
pub(super) type Read<'a, T> = &'a dyn Fn(usize) -> T;
pub(super) type Write<'a, T> = &'a mut dyn FnMut(usize, T);

/// One strain for all: s = sum of factor times stress.
#[derive(Clone, Copy, Debug)]
pub struct Parallel(pub Parts);

impl Parallel {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "parallel",
        title: "materials side by side: one strain, stresses added",
        equations: &["s = sum f_i s_i(e)"],
        reference: "elementary",
        options: &[
            ("of", "names of its materials"),
            ("factors", "what the stress of each is multiplied with (default: 1 each)"),
        ],
        ..Info::SPRING_LIKE
    };

    pub(super) fn history(&self) -> usize {
        self.0.history
    }

    pub(super) fn mixes(&self, library: &Library<'_>) -> bool {
        self.0.mix(library)
    }

    pub(super) fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
        self.0.start(library, 0, count, h);
    }

    pub(super) fn advance<T: Scalar>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        let mut sum = Dual::constant(0.0);
        for (at, part) in self.0.of(library, 0) {
            let s = part.material.advance(library, |i| history(at + i), e, pace, |i, x| keep(at + i, x));
            sum = sum + s * part.factor;
        }
        sum
    }
}

/// Most parts in series.
pub const SERIES: usize = 8;
/// Passes of a series in an increment: by tangents, of which piecewise linear parts need two or three and smooth ones five; then by
/// secants of the last two points, where tangents lead to and fro across a corner.
const PASSES: usize = 16;
/// Passes by tangents.
const TANGENTS: usize = 6;
/// Change of a strain, as a share of it, below which a secant is rounding.
const STILL: f64 = 1e-7;
/// The least tangent of a part in series, as a share of the largest initial one: a part that yields without hardening takes all
/// further strain.
const LEAST: f64 = 1e-9;

/// One stress for all: strains are added. A fixed number of passes finds how an increment is divided among the parts; the history has
/// strain, stress and tangent of each, so that what a pass has left of the unbalance goes into the next increment.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    parts: Parts,
    /// The least tangent of a part.
    floor: f64,
}

impl Series {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "series",
        title: "materials one after the other: one stress, strains added",
        equations: &["s = s_i(e_i) for every i, e = sum e_i"],
        reference: "elementary; a fixed number of Newton and secant passes in every increment, what is left is carried on",
        options: &[("of", "names of its materials")],
        ..Info::SPRING_LIKE
    };

    /// A series of parts of the library, at most [`SERIES`].
    pub fn new(library: &Library<'_>, parts: Parts) -> Self {
        let stiffest = parts.of(library, 0).map(|(_, p)| p.material.stiffness(library)).fold(0.0, f64::max);
        Series { parts, floor: LEAST * stiffest }
    }

    pub(super) fn history(&self) -> usize {
        3 * self.parts.count + self.parts.history
    }

    /// It remembers tangents.
    pub(super) fn mixes(&self, _: &Library<'_>) -> bool {
        false
    }

    pub(super) fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
        let own = 3 * self.parts.count;
        h[..own * count].fill(0.0);
        for (i, (_, part)) in self.parts.of(library, own).enumerate() {
            let stiffness = part.material.stiffness(library).max(self.floor);
            h[(3 * i + 2) * count..(3 * i + 3) * count].fill(stiffness);
        }
        self.parts.start(library, own, count, h);
    }

    pub(super) fn advance<T: Scalar>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        let (nil, one, floor) = (T::constant(0.0), T::constant(1.0), T::constant(self.floor));
        let (n, own) = (self.parts.count.min(SERIES), 3 * self.parts.count);
        let [mut strain, mut stress, mut flexible] = [[nil; SERIES]; 3];
        for i in 0..n {
            (strain[i], stress[i]) = (history(3 * i), history(3 * i + 1));
            flexible[i] = one / history(3 * i + 2);
        }
        let total = |x: &[T; SERIES]| (1..n).fold(x[0], |sum, i| sum + x[i]);
        for pass in 0..PASSES {
            let (missing, all) = (e.re - total(&strain), total(&flexible));
            // Each goes where the others are as stressed as it is, by the tangents; differences of stresses, so that nothing is lost where one
            // part is far softer than the rest.
            let before = stress;
            let towards = |i: usize| (0..n).fold(missing, |sum, j| sum + flexible[j] * (before[j] - before[i]));
            let steps: [T; SERIES] =
                core::array::from_fn(|i| if i < n { towards(i) * (flexible[i] / all) } else { nil });
            for (i, (at, part)) in self.parts.of(library, own).enumerate() {
                strain[i] = strain[i] + steps[i];
                let last = stress[i];
                let here = Dual { re: strain[i], eps: one };
                let s = part.material.advance(library, |j| history(at + j), here, pace, |j, x| keep(at + j, x));
                let stiffness = s.eps.abs().greater(floor, s.eps, floor);
                (stress[i], flexible[i]) = (s.re, one / stiffness);
                if (TANGENTS..PASSES - 1).contains(&pass) {
                    let moved = steps[i].abs().greater(strain[i].abs() * STILL, steps[i], nil);
                    let secant = (s.re - last).abs() / divisor(moved).abs();
                    flexible[i] = zero(moved, flexible[i], one / secant.max(floor));
                }
                keep(3 * i, strain[i]);
                keep(3 * i + 1, stress[i]);
                keep(3 * i + 2, stiffness);
            }
        }
        let stiffness = one / total(&flexible);
        let shared = (0..n).fold(e.re - total(&strain), |sum, i| sum + flexible[i] * stress[i]);
        Dual { re: stiffness * shared, eps: stiffness * e.eps }
    }
}

/// A material that fails for good as soon as its strain leaves a range.
#[derive(Clone, Copy, Debug)]
pub struct Limited {
    pub(super) part: Parts,
    /// Strain at which it fails in compression.
    pub min: f64,
    /// Strain at which it fails in tension.
    pub max: f64,
    /// Tangent of what has failed: a matrix with nothing else stays regular.
    rest: f64,
}

/// The tangent of what has failed as a share of the initial one, as in OpenSees.
const REST: f64 = 1e-8;

impl Limited {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "limited",
        title: "a material that fails for good beyond strains (MinMax of OpenSees)",
        equations: &["s = s(e) while emin < e < emax, then s = 0 for ever"],
        reference: "elementary",
        parameters: &[
            optional("emin", Unit::DISP, Any, -1e16, "strain at which it fails in compression"),
            optional("emax", Unit::DISP, Any, 1e16, "strain at which it fails in tension"),
        ],
        options: &[("of", "name of the material")],
        ..Info::SPRING_LIKE
    };

    /// The last part of a library within limits.
    pub fn new(library: &Library<'_>, [min, max]: [f64; 2]) -> Self {
        let part = Parts::last(library.parts, 1);
        let rest = part.of(library, 0).map(|(_, p)| REST * p.material.stiffness(library)).sum();
        Limited { part, min, max, rest }
    }

    pub(super) fn history(&self) -> usize {
        1 + self.part.history
    }

    /// It remembers whether it has failed.
    pub(super) fn mixes(&self, _: &Library<'_>) -> bool {
        false
    }

    /// Whether it has failed, then the history of the material.
    pub(super) fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
        h[..count].fill(0.0);
        self.part.start(library, 1, count, h);
    }

    pub(super) fn advance<T: Scalar>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        let one = T::constant(1.0);
        let inside = T::constant(self.max).greater(e.re, e.re.greater(T::constant(self.min), history(0), one), one);
        let nil = T::constant(0.0);
        let mut sum = Dual::constant(0.0);
        for (at, part) in self.part.of(library, 1) {
            // What has failed stays where it was.
            let write = |i: usize, x: T| keep(at + i, inside.greater(nil, history(at + i), x));
            sum = sum + part.material.advance(library, |i| history(at + i), e, pace, write);
        }
        keep(0, inside);
        let failed = Dual { re: inside, eps: nil };
        failed.greater(Dual::constant(0.0), Dual { re: nil, eps: e.eps * self.rest }, sum)
    }
}

/// A material that begins at a strain of its own: prestress, shrinkage, lack of fit.
#[derive(Clone, Copy, Debug)]
pub struct Shifted {
    pub(super) part: Parts,
    /// The strain at which it begins.
    pub strain: f64,
}

impl Shifted {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "initial-strain",
        title: "a material that begins at a strain or a stress of its own (InitStrainMaterial, InitStressMaterial of OpenSees)",
        equations: &["s = s(e + e0)"],
        reference: "elementary",
        parameters: &[
            optional("e0", Unit::DISP, Any, 0.0, "strain at which it begins"),
            optional("s0", Unit::FORCE, Any, 0.0, "or the stress at which it begins"),
        ],
        options: &[("of", "name of the material")],
        ..Info::SPRING_LIKE
    };

    /// The last part of a library from a strain on.
    pub fn new(parts: &[Share], strain: f64) -> Self {
        Shifted { part: Parts::last(parts, 1), strain }
    }

    /// The strain at which a material that was never strained has this stress, by Newton's method; `None` if it has none.
    pub fn strain_of(library: &Library<'_>, material: &Material, stress: f64) -> Option<f64> {
        let mut strain = 0.0;
        for _ in 0..200 {
            let (s, k) = material.first(library, strain);
            if (s - stress).abs() <= 1e-13 * stress.abs() {
                return Some(strain);
            }
            let next = strain + (stress - s) / k;
            if !next.is_finite() || next == strain {
                return (next == strain).then_some(strain);
            }
            strain = next;
        }
        None
    }

    pub(super) fn history(&self) -> usize {
        self.part.history
    }

    pub(super) fn mixes(&self, library: &Library<'_>) -> bool {
        self.part.mix(library)
    }

    /// The history of the material once it has come to its strain.
    pub(super) fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
        self.part.start(library, 0, count, h);
        for (at, part) in self.part.of(library, 0) {
            let mut fresh = [0.0; MOST];
            let size = part.material.history().min(MOST);
            (0..size).for_each(|i| fresh[i] = h[(at + i) * count]);
            let strain = Dual::constant(self.strain);
            part.material.advance(
                library,
                |i| fresh[i],
                strain,
                &Pace::at(0.0),
                |i, x: f64| {
                    h[(at + i) * count..(at + i + 1) * count].fill(x);
                },
            );
        }
    }

    pub(super) fn advance<T: Scalar>(
        &self,
        library: &Library<'_>,
        history: Read<'_, T>,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: Write<'_, T>,
    ) -> Dual<T> {
        let mut sum = Dual::constant(0.0);
        for (at, part) in self.part.of(library, 0) {
            let s = part.material.advance(library, |i| history(at + i), e + self.strain, pace, |i, x| keep(at + i, x));
            sum = sum + s;
        }
        sum
    }
}
