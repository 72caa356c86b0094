//! The strains at which a material changes what an engineer calls its state.

use super::kent_park::{Envelope, KentPark};
use super::kent_park_tension::KentParkTension;
use super::material::Material;

/// Strains (or deformations); infinite where there are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// First yield in compression, negative.
    pub compression: f64,
    /// First yield in tension.
    pub tension: f64,
    /// Strength of a concrete in compression, negative: beyond it the concrete softens.
    pub peak: f64,
    /// From here on a concrete carries its residual stress only, negative: it is crushed.
    pub crushed: f64,
    /// First crack of a concrete that carries tension.
    pub cracked: f64,
}

impl Limits {
    /// Of a material that never changes its state.
    pub const NONE: Limits = Limits {
        compression: f64::NEG_INFINITY,
        tension: f64::INFINITY,
        peak: f64::NEG_INFINITY,
        crushed: f64::NEG_INFINITY,
        cracked: f64::INFINITY,
    };

    const fn yields(compression: f64, tension: f64) -> Self {
        Limits { compression, tension, ..Self::NONE }
    }

    const fn crushes(e: &Envelope) -> Self {
        Limits { peak: e.ec0, crushed: e.ecu, ..Self::NONE }
    }

    /// How many times its yield strain a strain is; zero for a material that does not yield.
    pub fn ductility(&self, strain: f64) -> f64 {
        (strain / self.tension).max(strain / self.compression)
    }
}

impl Material {
    /// Where its state changes.
    pub fn limits(&self) -> Limits {
        match self {
            Material::ElasticPlastic(m) => Limits::yields(m.e0 + m.compression / m.e, m.e0 + m.tension / m.e),
            Material::Bilinear(m) => Limits::yields(-m.fy / m.e0, m.fy / m.e0),
            Material::Hardening(m) => Limits::yields(-m.fy / m.e, m.fy / m.e),
            Material::MenegottoPinto(m) => Limits::yields((-m.fy - m.initial) / m.e0, (m.fy - m.initial) / m.e0),
            Material::SelfCentring(m) => Limits::yields(-m.activation / m.k1, m.activation / m.k1),
            Material::Pinching(m) => Limits::yields(-m.negative.r[0], m.positive.r[0]),
            Material::ElasticPlasticGap(m) if m.fy > 0.0 => Limits::yields(f64::NEG_INFINITY, m.gap + m.fy / m.e),
            Material::ElasticPlasticGap(m) => Limits::yields(m.gap + m.fy / m.e, f64::INFINITY),
            Material::KentPark(KentPark(envelope)) => Limits::crushes(envelope),
            Material::KentParkTension(KentParkTension { envelope, ft, .. }) => {
                Limits { cracked: ft / envelope.modulus(), ..Limits::crushes(envelope) }
            }
            _ => Limits::NONE,
        }
    }
}
