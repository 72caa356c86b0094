//! Parts of a structure that are reduced: what is asked for, and what became of it.
//!
//! **Must not be here:** text, matrices of a structure.

mod stored;

use std::sync::{Arc, OnceLock};

pub use stored::{Inside, Stored, Unknown};

/// How the interface is held while the modes are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Interface {
    /// It stands (Craig-Bampton).
    #[default]
    Fixed,
    /// It is free (Rubin).
    Free,
}

/// A part that is to be reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Its name; that of the superelement.
    pub name: String,
    /// The substructure whose linear elements are reduced; none: those of a structure in one piece.
    pub substructure: Option<usize>,
    /// Degrees of freedom that are kept beside those that must be.
    pub keep: Vec<usize>,
    /// Highest frequency of interest, Hz.
    pub frequency: f64,
    /// Share of the dynamic stiffness of the interface that may be lost up to that frequency.
    pub accuracy: f64,
    /// Number of modes; none: as many as the accuracy needs.
    pub modes: Option<usize>,
    /// Whether residual vectors stand beside the modes.
    pub residual: bool,
    /// How the interface is held.
    pub interface: Interface,
    /// Up to this frequency, Hz, kept degrees of freedom on which nothing else acts move with their characteristic modes.
    pub characteristic: Option<f64>,
    /// Where it is kept, and what is kept there.
    pub file: Option<String>,
    /// What is kept there.
    pub stored: Option<Arc<Stored>>,
}

/// What the inside of a superelement weighs along a direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Inertia {
    /// The direction: short name of degrees of freedom.
    pub direction: String,
    /// Whether supports that move with the ground take part.
    pub supports: bool,
    /// What an acceleration of one along it adds at degrees of freedom to what the mass matrix says of the kept ones, kg.
    pub load: Vec<(usize, f64)>,
    /// Mass along it that the mass matrix does not show on the kept ones, kg.
    pub mass: f64,
    /// Share of the inertia that is kept.
    pub share: f64,
}

/// What acts inside a superelement.
#[derive(Clone, Debug, PartialEq)]
pub enum Acting {
    /// A motion of the ground.
    Ground {
        /// Its direction.
        direction: String,
        /// Whether supports that move with the ground take part.
        supports: bool,
    },
    /// What is there from the beginning.
    Held,
}

/// The numbers that bound what a superelement leaves unbalanced inside (book: reduction 3).
#[derive(Clone, Debug, PartialEq)]
pub struct Remainder {
    /// Loads that it knows.
    pub loads: Vec<Acting>,
    /// ω² of the residual vectors, rad²/s², with their shares in the inertia of the kept degrees of freedom and in the loads.
    pub residual: Vec<(f64, Vec<f64>)>,
    /// What each residual vector is in one of its degree of freedom.
    pub scale: Vec<f64>,
    /// Energies between inertia of kept degrees of freedom, loads, stiffness and inertia of the residual vectors, row by row.
    pub gram: Vec<f64>,
    /// ω² of the first mode that is missing.
    pub next: Option<f64>,
}

/// A part that has been reduced.
#[derive(Clone, Debug, PartialEq)]
pub struct Superelement {
    /// Its name.
    pub name: String,
    /// Its elements in the model: the first has its matrices, a second the stiffness that takes no part in Rayleigh damping.
    pub elements: Vec<usize>,
    /// Kept degrees of freedom.
    pub kept: Vec<usize>,
    /// Generalised degrees of freedom.
    pub generalised: Vec<usize>,
    /// Inertia of its inside by direction.
    pub inertia: Vec<Inertia>,
    /// What was asked for.
    pub asked: Reduction,
    /// Number of degrees of freedom inside, which are no unknowns any more.
    pub interior: usize,
    /// Number of modes; the other generalised degrees of freedom are residual vectors.
    pub modes: usize,
    /// Frequency of the highest mode, Hz; none without modes.
    pub last: Option<f64>,
    /// Frequency of the first mode that is missing, Hz; none if all are there.
    pub next: Option<f64>,
    /// Highest frequency of the superelement with its kept degrees of freedom free, Hz; none where one of them has no mass of its own.
    pub highest: Option<f64>,
    /// Largest share of the dynamic stiffness of the interface that is lost up to the frequency of interest: at most this with a fixed interface, as
    /// measured at some frequencies with a free one. Infinite where modes are missing below it.
    pub lost: f64,
    /// The same of the force that each ground motion of the model, and its constant loads, send to the interface: largest share.
    pub lost_force: Option<f64>,
    /// Share of the initial motion of the inside that is lost.
    pub lost_start: f64,
    /// What the motion of its interface by a harmonic load is wrong by at most, as a share of the largest: of the whole structure, once it has
    /// been looked at. None where that is not known.
    pub lost_response: OnceLock<Option<f64>>,
    /// What bounds it; none of a free interface, and of one in characteristic modes.
    pub remainder: Option<Remainder>,
    /// What constant loads inside are on its degrees of freedom.
    pub held: Vec<(usize, f64)>,
    /// Degrees of freedom inside.
    pub inside: Vec<usize>,
    /// What it was made of, as a hash.
    pub hash: String,
    /// Whether it comes from a file.
    pub taken: bool,
}
