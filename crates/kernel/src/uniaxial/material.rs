//! Any material, by kind: what sections and springs hold. Histories of many fibres lie side by side, number after number.

use super::bilinear::Bilinear;
use super::combined::{Library, Limited, Parallel, Series, Shifted};
use super::elastic::Elastic;
use super::elastic_plastic::ElasticPlastic;
use super::formula::Formula;
use super::gap::ElasticPlasticGap;
use super::hardening::Hardening;
use super::kent_park::KentPark;
use super::kent_park_tension::KentParkTension;
use super::maxwell::Maxwell;
use super::menegotto_pinto::MenegottoPinto;
use super::no_tension::NoTension;
use super::nonlinear_maxwell::NonlinearMaxwell;
use super::pinching::Pinching;
use super::self_centring::SelfCentring;
use super::viscous::Viscous;
use super::{Pace, Uniaxial};
use crate::element::info::Info;
use crate::{Dual, Scalar};

/// Works with a material of any kind.
pub trait Visitor {
    /// What comes of it.
    type Answer;
    /// The work with a material of its own.
    fn visit<const H: usize>(self, law: &impl Uniaxial<H>) -> Self::Answer;
    /// The work with one that is made of others or of formulas.
    fn visit_made(self, made: &Material) -> Self::Answer;
}

/// Every material with the length of its history, and what that consists of:
///
/// - `numbers`: continuous variables (plastic strains, stresses, times). The mean of two histories is the history of a state
///   between them, and what is slightly beyond a bound then comes back to it with the next increment.
/// - `branches`: extremes, directions, tangents, failure. Half of a reversal is none, so a history is only ever taken as a whole.
macro_rules! materials {
    ($($kind:ident: $size:literal $what:ident),* ; $($made:ident),*) => {
        /// A material of any kind.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum Material {
            $($kind($kind),)*
            $($made($made)),*
        }

        /// Every material with parameters alone, in the order of the catalogue.
        pub const MATERIALS: &[Info] = &[$($kind::INFO),*];

        /// Materials that are made of others or of formulas.
        pub const MADE: &[Info] = &[$($made::INFO),*];

        impl Material {
            /// The material of this name in the catalogue with these parameters, in its order; `None` if it is made of others.
            pub fn new(name: &str, parameters: &[f64]) -> Option<Self> {
                $(if name == $kind::INFO.name {
                    return (parameters.len() == $kind::INFO.parameters.len()).then(|| Material::$kind($kind::new(parameters)));
                })*
                None
            }

            /// Its entry in the catalogue.
            pub const fn info(&self) -> &'static Info {
                match self {
                    $(Material::$kind(_) => &$kind::INFO,)*
                    $(Material::$made(_) => &$made::INFO),*
                }
            }

            /// Numbers of its history.
            pub fn history(&self) -> usize {
                match self {
                    $(Material::$kind(_) => $size,)*
                    $(Material::$made(made) => made.history()),*
                }
            }

            /// Whether the mean of two of its histories is one.
            pub fn mixes(&self, library: &Library<'_>) -> bool {
                match self {
                    $(Material::$kind(_) => materials!(@$what),)*
                    $(Material::$made(made) => made.mixes(library)),*
                }
            }

            /// Writes the histories of `count` fibres that were never strained.
            pub fn start(&self, library: &Library<'_>, count: usize, h: &mut [f64]) {
                match self {
                    $(Material::$kind(law) => spread(law, count, h),)*
                    $(Material::$made(made) => made.start(library, count, h)),*
                }
            }

            /// Stresses at the strains of fibres side by side with their derivatives along one direction, in any scalar. `history` stays the
            /// committed one while the new one is kept.
            #[inline]
            pub fn advance<T: Scalar>(
                &self,
                library: &Library<'_>,
                history: impl Fn(usize) -> T,
                e: Dual<T>,
                pace: &Pace<Dual<T>>,
                mut keep: impl FnMut(usize, T),
            ) -> Dual<T> {
                match self {
                    $(Material::$kind(law) => {
                        let h: [Dual<T>; $size] = core::array::from_fn(|i| Dual { re: history(i), eps: T::constant(0.0) });
                        let (s, next) = law.advance(&h, e, pace);
                        next.into_iter().enumerate().for_each(|(i, x)| keep(i, x.re));
                        s
                    })*
                    $(Material::$made(made) => made.advance(library, &history, e, pace, &mut keep),)*
                }
            }

            /// Shows the material itself to whoever works with it, so that the kind is asked for once for many fibres.
            #[inline(always)]
            pub fn show<V: Visitor>(&self, visitor: V) -> V::Answer {
                match self {
                    $(Material::$kind(law) => visitor.visit(law),)*
                    $(Material::$made(_) => visitor.visit_made(self),)*
                }
            }
        }
    };
    (@numbers) => { true };
    (@branches) => { false };
}

materials! {
    Elastic: 0 numbers,
    NoTension: 0 numbers,
    ElasticPlastic: 1 numbers,
    ElasticPlasticGap: 2 branches,
    Bilinear: 8 branches,
    Hardening: 2 numbers,
    MenegottoPinto: 10 branches,
    KentPark: 6 branches,
    KentParkTension: 5 branches,
    Pinching: 9 branches,
    SelfCentring: 2 numbers,
    Viscous: 3 numbers,
    Maxwell: 3 numbers,
    NonlinearMaxwell: 4 numbers;
    Parallel,
    Series,
    Limited,
    Shifted,
    Formula
}

impl Material {
    /// Stress and tangent after one increment from the beginning.
    pub fn first(&self, library: &Library<'_>, e: f64) -> (f64, f64) {
        let mut h = [0.0; MOST];
        let size = self.history().min(MOST);
        self.start(library, 1, &mut h[..size]);
        let s = self.advance(library, |i| h[i], Dual { re: e, eps: 1.0 }, &Pace::at(0.0), |_, _| ());
        (s.re, s.eps)
    }

    /// The tangent at rest.
    pub fn stiffness(&self, library: &Library<'_>) -> f64 {
        self.first(library, 0.0).1
    }

    /// Whether its stress depends on the rate.
    pub fn viscous(&self, library: &Library<'_>) -> bool {
        match self {
            Material::Viscous(_) | Material::NonlinearMaxwell(_) => true,
            Material::Parallel(made) => made.0.any(library, Material::viscous),
            Material::Limited(made) => made.part.any(library, Material::viscous),
            Material::Shifted(made) => made.part.any(library, Material::viscous),
            Material::Formula(made) => made.viscous(),
            _ => false,
        }
    }
}

impl Material {
    /// Whether the slope of its stress by the rate changes with the rate.
    pub fn follows_rate(&self, library: &Library<'_>) -> bool {
        match self {
            Material::Viscous(law) => law.n != 1.0,
            Material::Parallel(made) => made.0.any(library, Material::follows_rate),
            Material::Limited(made) => made.part.any(library, Material::follows_rate),
            Material::Shifted(made) => made.part.any(library, Material::follows_rate),
            Material::Formula(made) => made.viscous(),
            _ => false,
        }
    }
}

/// Most numbers of the history of a material.
pub const MOST: usize = 256;

fn spread<const H: usize>(law: &impl Uniaxial<H>, count: usize, h: &mut [f64]) {
    for (i, x) in law.start().into_iter().enumerate() {
        h[i * count..(i + 1) * count].fill(x);
    }
}
