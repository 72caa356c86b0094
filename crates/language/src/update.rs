//! Online updating: which specimen teaches, which parameters, and which numerical elements learn.
//!
//! **Must not be here:** how parameters are estimated.

use crate::model::Kind;
use crate::units::Dimension;

/// An update of a model.
#[derive(Clone, Debug)]
pub struct Update {
    /// Name.
    pub name: String,
    /// Number of the specimen that teaches.
    pub specimen: usize,
    /// The element of it that teaches; its parameters in the file are the first guess.
    pub teacher: usize,
    /// Whether anything is learned; without, the first guess stays.
    pub enabled: bool,
    /// Which parameters are learned, as places in [`PARAMETERS`].
    pub parameters: Vec<usize>,
    /// The elements that learn.
    pub pupils: Vec<usize>,
    /// Noise of the measured force, N (N m), and of the measured deformation, m (rad): standard deviations.
    pub noise: [f64; 2],
    /// A parameter is sought between its first guess over this factor and times this factor.
    pub range: f64,
    /// Standard deviation of the first guess, relative to it.
    pub prior: f64,
    /// Largest relative change of a parameter, 1/s.
    pub rate: f64,
    /// Energy that changes may give to an element, as a part of what it dissipates.
    pub tank: f64,
    /// What the emulated specimen really has, by the places of parameters: factors of the first guess.
    pub truth: Vec<(usize, f64)>,
}

/// What a parameter measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measures {
    /// Force by deformation.
    Stiffness,
    /// Force.
    Force,
    /// Nothing.
    Number,
    /// Deformation.
    Deformation,
    /// Force by the third power of the deformation.
    Cubic,
    /// Force by a power of the rate.
    Damping,
}

impl Measures {
    /// Its dimension for deformations of this one and an exponent of the rate.
    pub fn dimension(self, along: Dimension, n: f64) -> Dimension {
        let force = Dimension::MOMENT.per(along);
        match self {
            Measures::Stiffness => force.per(along),
            Measures::Force => force,
            Measures::Number => Dimension::NONE,
            Measures::Deformation => along,
            Measures::Cubic => force.per(along).per(along).per(along),
            Measures::Damping => force.per(along.per(Dimension::TIME).power(n)),
        }
    }
}

/// Parameters of laws that are learned; those of hysteretic laws have a meaning and a unit whatever the exponent is.
pub const PARAMETERS: &[(&str, Measures)] = &[
    ("k", Measures::Stiffness),
    ("Fy", Measures::Force),
    ("r", Measures::Number),
    ("n", Measures::Number),
    ("k2", Measures::Stiffness),
    ("xa", Measures::Deformation),
    ("k3", Measures::Cubic),
    ("c", Measures::Damping),
];

/// Laws that can be learned, with the parameters that they have.
pub const LAWS: [(&str, &[usize]); 5] = [
    ("bouc-wen", &[0, 1, 2, 3, 4]),
    ("modified-bouc-wen", &[0, 1, 2, 3, 5]),
    ("mostaghel", &[0, 1, 4]),
    ("cubic", &[0, 6, 7]),
    ("damper", &[7]),
];

/// What is recorded of an update.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Learned {
    /// The estimate of a parameter.
    Value(usize),
    /// What contains it with a probability of 95 %: the lower bound.
    Low(usize),
    /// The upper bound.
    High(usize),
    /// Energy that changes gave to all elements that learn, J.
    Injected,
    /// What their tanks may give them so far, J.
    Tank,
    /// One as long as it learns, zero after it was disabled.
    Active,
}

/// The exponent of the rate of a damper; one of what has none.
pub fn exponent(kind: &Kind) -> f64 {
    let Kind::Law { law, .. } = kind else { return 1.0 };
    let place = law.info().parameters.iter().position(|p| p.name == "n");
    place.map_or(1.0, |i| law.with_parameters(|p| p[i]))
}
