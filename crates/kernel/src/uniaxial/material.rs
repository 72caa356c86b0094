//! Any material, by kind: what sections and springs hold. Histories of many fibres lie side by side, number after number.

use super::Uniaxial;
use super::bilinear::Bilinear;
use super::elastic::Elastic;
use super::elastic_plastic::ElasticPlastic;
use super::gap::ElasticPlasticGap;
use super::hardening::Hardening;
use super::kent_park::KentPark;
use super::kent_park_tension::KentParkTension;
use super::maxwell::Maxwell;
use super::menegotto_pinto::MenegottoPinto;
use super::pinching::Pinching;
use super::self_centring::SelfCentring;
use crate::Scalar;
use crate::element::info::Info;

/// Works with a material of any kind.
pub trait Visitor {
    /// What comes of it.
    type Answer;
    /// The work.
    fn visit<const H: usize>(self, law: &impl Uniaxial<H>) -> Self::Answer;
}

macro_rules! materials {
    ($($kind:ident: $size:literal),* $(,)?) => {
        /// A material of any kind.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum Material {
            $($kind($kind)),*
        }

        /// Every material, in the order of the catalogue.
        pub const MATERIALS: &[Info] = &[$($kind::INFO),*];

        impl Material {
            /// The material of this name in the catalogue with these parameters, in its order.
            pub fn new(name: &str, parameters: &[f64]) -> Option<Self> {
                $(if name == $kind::INFO.name {
                    return (parameters.len() == $kind::INFO.parameters.len()).then(|| Material::$kind($kind::new(parameters)));
                })*
                None
            }

            /// Numbers of its history.
            pub const fn history(&self) -> usize {
                match self { $(Material::$kind(_) => $size),* }
            }

            /// Writes the histories of `count` fibres that were never strained.
            pub fn start(&self, count: usize, h: &mut [f64]) {
                match self { $(Material::$kind(law) => spread(law, count, h)),* }
            }

            /// The tangent at rest.
            pub fn stiffness(&self) -> f64 {
                match self { $(Material::$kind(law) => law.stiffness()),* }
            }

            /// Stresses at the strains of fibres side by side, in any scalar; the histories of all `count` fibres are `h`, those of
            /// these fibres begin at `first`.
            pub fn advance<T: Scalar>(&self, history: impl Fn(usize) -> T, e: T, t: f64, mut keep: impl FnMut(usize, T)) -> T {
                match self {
                    $(Material::$kind(law) => {
                        let h: [T; $size] = core::array::from_fn(&history);
                        let (s, next) = law.advance(&h, e, t);
                        next.into_iter().enumerate().for_each(|(i, x)| keep(i, x));
                        s
                    }),*
                }
            }

            /// Shows the material itself to whoever works with it, so that the kind is asked for once for many fibres.
            #[inline(always)]
            pub fn show<V: Visitor>(&self, visitor: V) -> V::Answer {
                match self { $(Material::$kind(law) => visitor.visit(law)),* }
            }
        }
    };
}

materials! {
    Elastic: 0,
    ElasticPlastic: 1,
    ElasticPlasticGap: 2,
    Bilinear: 8,
    Hardening: 2,
    MenegottoPinto: 10,
    KentPark: 6,
    KentParkTension: 5,
    Pinching: 9,
    SelfCentring: 2,
    Maxwell: 3,
}

fn spread<const H: usize>(law: &impl Uniaxial<H>, count: usize, h: &mut [f64]) {
    for (i, x) in law.start().into_iter().enumerate() {
        h[i * count..(i + 1) * count].fill(x);
    }
}
