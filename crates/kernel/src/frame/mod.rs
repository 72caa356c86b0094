//! Members of nonlinear frames: sections of fibres, beam-columns over them, and the motion of a member as a whole.
//!
//! A member is three things on top of each other: a *section* gives forces from strains, a *formulation* gives the basic forces of a
//! member from its basic deformations (those without rigid motion), a *transformation* leads from the displacements of the end
//! nodes to these and back. Histories are memory of the system, as those of materials.
//!
//! Nothing allocates: fibres and sections are tables that whoever assembles holds, see [`Tables`].
//! **Must not be here:** equations of materials, assembly, time stepping, parsing.

pub mod bearing;
pub mod fibres;
pub mod matrix;
pub mod member;
pub mod part;
pub mod rule;
pub mod section;
pub mod seen;
pub mod slider;
pub mod transformation;
pub mod triple;

use core::ops::Range;

use crate::uniaxial::Pace;
use crate::uniaxial::combined::Library;
use crate::uniaxial::material::Material;
use crate::{Dual, Portable, Scalar, portable};
use matrix::Matrix;
use section::Section;

/// Fibres of one material in a section: a range of the fibres of [`Tables`].
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Their material.
    pub material: Material,
    /// The first of them.
    pub first: usize,
    /// How many.
    pub count: usize,
}

/// A force of a section that follows a material of its own, uncoupled from all others: shear or torsion beside fibres, or a moment
/// over a curvature.
#[derive(Clone, Copy, Debug)]
pub struct Resultant {
    /// Which: N, Mz, My, T, Vy, Vz.
    pub component: usize,
    /// The force or moment over its strain, curvature or twist.
    pub material: Material,
}

/// Sections and fibres of a frame.
#[derive(Clone, Copy, Debug)]
pub struct Tables<'a> {
    /// Parts of combined materials, and programs of formulas.
    pub library: Library<'a>,
    /// Sections, by number.
    pub sections: &'a [Section],
    /// Groups of fibres, by number.
    pub groups: &'a [Group],
    /// Resultants with materials of their own, by number.
    pub resultants: &'a [Resultant],
    /// Positions of the fibres along the local y axis, m.
    pub y: &'a [f64],
    /// Positions along the local z axis, m.
    pub z: &'a [f64],
    /// Areas, m².
    pub area: &'a [f64],
    /// How fibres are evaluated.
    pub program: fibres::Program,
}

/// What members ask for in their own scalar: a program, with the tables of the frame; or what records a member, which notes that this is
/// asked for.
pub trait Evaluate<T: Scalar> {
    /// The sections of the frame.
    fn tables(&self) -> &Tables<'_>;

    /// Forces and stiffness of groups of fibres at the strains `e` of their section, reached from their histories, and their histories there.
    fn fibres<const N: usize>(
        &self,
        groups: Range<usize>,
        histories: (&[T], &mut [T]),
        e: &[T; N],
        t: T,
    ) -> ([T; N], Matrix<N, T>);

    /// See [`Material::advance`].
    fn advance(
        &self,
        material: &Material,
        history: &dyn Fn(usize) -> T,
        e: Dual<T>,
        pace: &Pace<Dual<T>>,
        keep: &mut dyn FnMut(usize, T),
    ) -> Dual<T>;

    /// x^n of a number that is not negative.
    fn power(&self, x: T, n: f64) -> T;

    /// e^x.
    fn exp(&self, x: T) -> T;

    /// See [`triple::Triple::sheared`]. Its iteration has no record: whoever records parts refuses these bearings first.
    fn triple(
        &self,
        _triple: &triple::Triple,
        _u: [T; 2],
        _axial: T,
        _memory: (&[T], &mut [T]),
    ) -> bearing::Sheared<T> {
        let unknown = T::constant(f64::NAN);
        bearing::Sheared {
            force: [unknown; 2],
            stiffness: [[unknown; 2]; 2],
            axial: [unknown; 2],
            turns: [[unknown; 2]; 2],
        }
    }

    /// See [`transformation::turned`].
    fn turned(&self, length: f64, x: &[T; 9], memory: &[T]) -> transformation::Turned<T>;
}

impl Evaluate<f64> for Tables<'_> {
    fn tables(&self) -> &Tables<'_> {
        self
    }

    fn triple(
        &self,
        triple: &triple::Triple,
        u: [f64; 2],
        axial: f64,
        memory: (&[f64], &mut [f64]),
    ) -> bearing::Sheared<f64> {
        triple.sheared(u, axial, memory)
    }

    fn fibres<const N: usize>(
        &self,
        groups: Range<usize>,
        histories: (&[f64], &mut [f64]),
        e: &[f64; N],
        t: f64,
    ) -> ([f64; N], Matrix<N>) {
        fibres::evaluate(self, groups, histories, e, t)
    }

    fn advance(
        &self,
        material: &Material,
        history: &dyn Fn(usize) -> f64,
        e: Dual<f64>,
        pace: &Pace<Dual<f64>>,
        keep: &mut dyn FnMut(usize, f64),
    ) -> Dual<f64> {
        let lift = |x: Dual<f64>| Dual { re: Portable([x.re]), eps: Portable([x.eps]) };
        let pace = Pace { t: lift(pace.t), rate: pace.rate.map(lift), calm: pace.calm };
        let s = material.advance(&self.library, |i| Portable([history(i)]), lift(e), &pace, |i, x| keep(i, x.0[0]));
        Dual { re: s.re.0[0], eps: s.eps.0[0] }
    }

    fn exp(&self, x: f64) -> f64 {
        portable::exp(x)
    }

    fn power(&self, x: f64, n: f64) -> f64 {
        Portable([x]).powf(n).0[0]
    }

    fn turned(&self, length: f64, x: &[f64; 9], memory: &[f64]) -> transformation::Turned<f64> {
        transformation::turned(length, x, memory)
    }
}
