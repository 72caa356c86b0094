//! What can go wrong inside a step. `Copy`, so that a fault travels out of a real-time loop unharmed;
//! names and advice are added outside, where the model is known.

use crate::Dims;

/// Where a non-finite number was met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Restoring force of this element.
    ElementForce,
    /// Rate of an internal state of this element.
    ElementRate,
    /// Displacement of this degree of freedom after the step.
    Displacement,
    /// Velocity of this degree of freedom after the step.
    Velocity,
    /// Internal state (counted over the whole substructure) after the step.
    State,
}

/// A step that could not be completed. The state of the domain is the one before the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// A number that is not finite appeared; `index` counts elements or degrees of freedom, see `place`.
    NonFinite {
        /// What was not finite.
        place: Place,
        /// Element or degree of freedom.
        index: usize,
    },
    /// The dynamic matrix m M + c C + k K could not be factorised; `dof` is the row of the bad pivot.
    Singular {
        /// Degree of freedom of the vanishing or negative pivot.
        dof: usize,
    },
    /// The state matrix of an element could not be eliminated.
    SingularElement {
        /// Element counted over the substructure.
        element: usize,
    },
    /// Newton's iteration did not reach its tolerance.
    NoConvergence {
        /// Iterations made.
        iterations: u32,
        /// Last residual, relative to the first one.
        residual: f64,
    },
    /// The laboratory ended the test; the code is its own.
    Laboratory {
        /// Of which specimen, counted over the substructure.
        specimen: u16,
        /// What tripped.
        code: u32,
        /// At which of its instruments, if at one: actuators, then sensors of their own.
        instrument: Option<u16>,
    },
    /// A program that computes a part of the structure returned no force; the code is that of the laboratory.
    Partner {
        /// Which one, counted over the substructure.
        index: usize,
        /// What was the matter.
        code: u32,
    },
    /// Another process that computes a part of the structure has ended, or answers no more.
    Rank {
        /// Its number.
        rank: u16,
        /// Whether it said that it ends.
        told: bool,
    },
}

impl Fault {
    /// The same, if a laboratory ended the test, as that of this specimen.
    #[must_use]
    pub fn of_specimen(self, number: u16) -> Self {
        match self {
            Fault::Laboratory { code, instrument, .. } => Fault::Laboratory { specimen: number, code, instrument },
            other => other,
        }
    }
}

/// Names the first number of `y` = [u v s] that is not finite.
pub fn check_finite(d: Dims, y: &[f64]) -> Result<(), Fault> {
    // All at once first: this is done at every step, the search only at the last one.
    if y.iter().fold(true, |sound, x| sound & x.is_finite()) {
        return Ok(());
    }
    match y.iter().position(|x| !x.is_finite()) {
        None => Ok(()),
        Some(i) if i < d.nu => Err(Fault::NonFinite { place: Place::Displacement, index: i }),
        Some(i) if i < 2 * d.nu => Err(Fault::NonFinite { place: Place::Velocity, index: i - d.nu }),
        Some(i) => Err(Fault::NonFinite { place: Place::State, index: i - 2 * d.nu }),
    }
}
