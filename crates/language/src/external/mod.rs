//! Parts of a structure that another program computes: OpenSees, a remote site, a unit of another simulator.
//!
//! An external is an element whose matrix is a linear stand-in, and a program that says the forces in its place: to a scheme
//! it is what a specimen is, without actuators, compensation and limits.
//!
//! **Must not be here:** text; processes and protocols.

mod endpoint;
mod unit;

pub use endpoint::{ENDPOINTS, Endpoint};
pub use unit::{Setting, Unit};

use crate::model::{Kind, Model};
use crate::problem::{Problem, Subject};
use crate::units::{Dimension, UnitSystem};

/// Type of the elements that stand in for externals.
pub const TYPE: &str = "external";

/// A part of the structure whose forces another program computes. Indices are those of the model.
#[derive(Clone, Debug)]
pub struct External {
    /// Name, which is that of its element too.
    pub name: String,
    /// The element that stands in for it: constant stiffness on its degrees of freedom.
    pub element: usize,
    /// Its degrees of freedom, in the order that the program uses.
    pub dofs: Vec<usize>,
    /// Which program, and what is peculiar to it.
    pub program: Program,
    /// How it is started; empty: it runs already.
    pub command: Vec<String>,
    /// Where it listens; `None`: wherever it is told to.
    pub at: Option<Endpoint>,
    /// Its units.
    pub units: UnitSystem,
    /// Longest time until it listens, s.
    pub start: f64,
    /// Longest time of an answer, s.
    pub timeout: f64,
    /// As long as its stiffness is not known: by how much each degree of freedom is moved to find it, m (rad).
    pub probe: Option<Vec<f64>>,
}

/// A program, and what is peculiar to it.
#[derive(Clone, Debug, PartialEq)]
pub enum Program {
    /// An OpenSees script with one element `adapter`: its stiffness on each degree of freedom, N/m (N m/rad).
    #[allow(missing_docs)]
    OpenSees { adapter: Vec<f64> },
    /// A site that waits for an OpenFresco client.
    OpenFresco,
    /// A substructure that waits for a UT-SIM client.
    UtSim,
    /// A functional mock-up unit, which runs inside our process: no command, no address, no time to wait.
    Fmu(Unit),
    /// A function of whoever runs the model, such as a Python program: it is handed in, not started.
    Callable,
}

impl Program {
    /// Whether it is a process with a command or an address.
    pub fn is_process(&self) -> bool {
        !matches!(self, Program::Fmu(_) | Program::Callable)
    }

    /// Name in a model file.
    pub fn name(&self) -> &'static str {
        match self {
            Program::OpenSees { .. } => "opensees",
            Program::OpenFresco => "openfresco",
            Program::UtSim => "ut-sim",
            Program::Fmu(_) => "fmu",
            Program::Callable => "callable",
        }
    }
}

impl External {
    /// One unit of displacement, and of force, of each of its degrees of freedom in the program, in SI.
    pub fn dof_units(&self, model: &Model) -> Vec<[f64; 2]> {
        let unit = |&d: &usize| {
            let disp = if model.dofs[d].angle { Dimension::NONE } else { Dimension::LENGTH };
            [self.units.factor(disp), self.units.factor(Dimension::MOMENT.per(disp))]
        };
        self.dofs.iter().map(unit).collect()
    }

    /// Stiffness of its stand-in, row-major, N/m; numbers that are none as long as it is not known.
    pub fn stiffness<'m>(&self, model: &'m Model) -> &'m [f64] {
        match &model.elements[self.element].kind {
            Kind::Linear { stiffness, .. } => stiffness,
            _ => &[],
        }
    }
}

impl Model {
    /// Gives the stand-in of an external its stiffness, row-major.
    pub fn settle(&mut self, external: usize, stiffness: Vec<f64>) {
        let Some(external) = self.externals.get_mut(external) else { return };
        external.probe = None;
        if let Kind::Linear { stiffness: old, .. } = &mut self.elements[external.element].kind {
            *old = stiffness;
        }
    }

    /// Externals whose stiffness is not known, as problems.
    pub fn unsettled(&self) -> Vec<Problem> {
        let unknown = self.externals.iter().filter(|e| e.probe.is_some());
        let problem = |e: &External| {
            let message = format!("the stiffness of external `{}` is unknown before its program runs", e.name);
            let help = "`interfield run` and `interfield check --identify` identify it; or write stiffness = [[...]], \
                which all commands use";
            Problem::error(Subject::Element(e.element), message, help)
        };
        unknown.map(problem).collect()
    }
}
