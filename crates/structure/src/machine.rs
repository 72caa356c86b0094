//! A model ready to run, in one piece or in its substructures: what every tool that only steps and samples needs.

use interfield_kernel::{Fault, StepMap};

use crate::specimen::{Rehearsal, Workshop};
use crate::watch::Verdict;
use crate::{Partitioned, Simulation};
use interfield_language::Model;
use interfield_language::Problem;

/// What advances.
pub enum Machine {
    /// The structure in one piece.
    Whole(Box<Simulation>),
    /// Its substructures.
    Parts(Box<Partitioned>),
}

impl Machine {
    /// Assembles a model, in its substructures if it has any and is not wanted `whole`.
    ///
    /// # Errors
    /// All problems at once.
    pub fn new(model: Model, whole: bool) -> Result<Self, Vec<Problem>> {
        Self::in_workshop(model, whole, &mut Rehearsal)
    }

    /// [`Machine::new`] with the specimens of a workshop.
    ///
    /// # Errors
    /// All problems at once.
    pub fn in_workshop(model: Model, whole: bool, workshop: &mut dyn Workshop) -> Result<Self, Vec<Problem>> {
        if whole || model.partition.is_none() {
            Simulation::in_workshop(model, workshop).map(|sim| Machine::Whole(Box::new(sim)))
        } else {
            Partitioned::in_workshop(model, workshop).map(|parts| Machine::Parts(Box::new(parts)))
        }
    }

    /// The model it was made from.
    pub fn model(&self) -> &Model {
        match self {
            Machine::Whole(sim) => &sim.model,
            Machine::Parts(parts) => &parts.model,
        }
    }

    /// Number of steps to the end of the analysis.
    pub fn steps(&self) -> u64 {
        match self {
            Machine::Whole(sim) => sim.steps(),
            Machine::Parts(parts) => parts.steps(),
        }
    }

    /// Sets a watch over the run: see [`crate::watch`].
    ///
    /// # Errors
    /// The fault at the start.
    pub fn watch(&mut self) -> Result<(), Fault> {
        match self {
            Machine::Whole(sim) => sim.watch(),
            Machine::Parts(parts) => parts.watch(),
        }
    }

    /// Why the run is worthless from here on, if the watch over it says so.
    pub fn lost(&self) -> Option<String> {
        match self {
            Machine::Whole(sim) => sim.lost(),
            Machine::Parts(parts) => parts.lost(),
        }
    }

    /// What the watch over the run thinks of it; `None` without one.
    pub fn verdict(&self) -> Option<Verdict> {
        match self {
            Machine::Whole(sim) => sim.verdict(),
            Machine::Parts(parts) => parts.verdict(),
        }
    }

    /// Takes step number `k`.
    ///
    /// # Errors
    /// The fault; the state is then the one before the step.
    pub fn step(&mut self, k: u64) -> Result<(), Fault> {
        match self {
            Machine::Whole(sim) => sim.step(k),
            Machine::Parts(parts) => parts.step(k),
        }
    }

    /// All channels after `k` steps, in their units.
    ///
    /// # Errors
    /// A fault of an evaluation that a channel needs.
    pub fn sample(&mut self, k: u64, row: &mut [f64]) -> Result<(), Fault> {
        match self {
            Machine::Whole(sim) => sim.sample(k, row),
            Machine::Parts(parts) => parts.sample(k, row),
        }
    }

    /// A fault in the user's names.
    pub fn explain(&self, fault: Fault) -> String {
        match self {
            Machine::Whole(sim) => sim.explain(fault),
            Machine::Parts(parts) => parts.explain(fault),
        }
    }

    /// State [u v ...] of the whole, or of each substructure.
    pub fn states(&self) -> Vec<&[f64]> {
        match self {
            Machine::Whole(sim) => vec![sim.y()],
            Machine::Parts(parts) => (0..parts.coupling.count()).map(|i| parts.coupling.state_of(i)).collect(),
        }
    }

    /// The step, for the tools of analysis.
    pub fn map(&mut self) -> &mut dyn StepMap {
        match self {
            Machine::Whole(sim) => &mut sim.domain,
            Machine::Parts(parts) => parts.coupling.as_mut(),
        }
    }

    /// The step alone.
    pub fn into_map(self) -> Box<dyn StepMap> {
        match self {
            Machine::Whole(sim) => Box::new(sim.domain),
            Machine::Parts(parts) => parts.coupling,
        }
    }
}
