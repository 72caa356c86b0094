//! Something that makes a model unusable or doubtful, and what it is about.

use crate::units::time;

/// What a problem is about, so that it can be shown where it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// A degree of freedom.
    Dof(usize),
    /// The mass of a degree of freedom.
    Mass(usize),
    /// An element.
    Element(usize),
    /// The stiffness of an element.
    Stiffness(usize),
    /// The viscous damping of an element.
    Dashpot(usize),
    /// The damping block.
    Damping,
    /// A load, by its number among the loads of the model.
    Load(usize),
    /// The time step.
    Step,
    /// The end of the analysis.
    Duration,
    /// A substructure.
    Substructure(usize),
    /// Its shares of the mass at interfaces.
    InterfaceMass(usize),
    /// A specimen.
    Specimen(usize),
    /// A part that is reduced.
    Reduction(usize),
    /// An update.
    Update(usize),
    /// The laboratory that a specimen or an external needs, not the model.
    Laboratory,
    /// What happened in a laboratory or a program on the way to the first step, not the model.
    Start,
    /// The model as a whole.
    Model,
}

/// Something that makes the model unusable, or doubtful.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What it is about.
    pub subject: Subject,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: String,
    /// Whether the model cannot be run.
    pub fatal: bool,
}

impl Problem {
    /// Something that must be changed.
    pub fn error(subject: Subject, message: String, help: &str) -> Self {
        Problem { subject, message, help: help.to_owned(), fatal: true }
    }

    /// Something doubtful.
    pub fn warning(subject: Subject, message: String, help: &str) -> Self {
        Problem { subject, message, help: help.to_owned(), fatal: false }
    }

    /// An analysis that is over before its first step, s.
    pub fn no_step(subject: Subject, duration: f64, dt: f64) -> Self {
        let message = format!("the analysis of {} is shorter than one step of {}", time(duration), time(dt));
        Self::error(subject, message, "use a smaller `dt` or a longer `duration`")
    }

    /// Nothing acts on a degree of freedom.
    pub fn unconnected(dof: usize, name: &str) -> Self {
        let message = format!("`{name}` is connected to nothing: no element and no mass acts on it");
        Self::error(Subject::Dof(dof), message, "connect it with an element, give it a mass, or fix it")
    }
}
