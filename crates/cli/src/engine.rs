//! What a run advances.

use interfield_kernel::Fault;
use interfield_lab::rig::Rig;
use interfield_structure::watch::Verdict;
use interfield_structure::{Partitioned, Simulation};

use crate::coupled::Listener;

/// What advances: the structure in one piece, or its substructures.
pub(crate) enum Engine {
    Whole,
    Parts(Box<Partitioned>, Listener),
}

impl Engine {
    pub(crate) fn step(&mut self, sim: &mut Simulation, k: u64) -> Result<(), Fault> {
        match self {
            Self::Whole => sim.step(k),
            Self::Parts(parts, listener) => {
                parts.step(k)?;
                listener.push(parts);
                Ok(())
            }
        }
    }

    /// Sets a watch over the run.
    pub(crate) fn watch(&mut self, sim: &mut Simulation) -> Result<(), Fault> {
        match self {
            Self::Whole => sim.watch(),
            Self::Parts(parts, _) => parts.watch(),
        }
    }

    /// Why the run is worthless from here on, if the watch says so.
    pub(crate) fn lost(&self, sim: &Simulation) -> Option<String> {
        match self {
            Self::Whole => sim.lost(),
            Self::Parts(parts, _) => parts.lost(),
        }
    }

    /// What the watch thinks of the run.
    pub(crate) fn verdict(&self, sim: &Simulation) -> Option<Verdict> {
        match self {
            Self::Whole => sim.verdict(),
            Self::Parts(parts, _) => parts.verdict(),
        }
    }

    pub(crate) fn sample(&mut self, sim: &mut Simulation, k: u64, row: &mut [f64]) -> Result<(), Fault> {
        match self {
            Self::Whole => sim.sample(k, row),
            Self::Parts(parts, _) => parts.sample(k, row),
        }
    }

    pub(crate) fn explain(&self, sim: &Simulation, fault: Fault) -> String {
        match self {
            Self::Whole => sim.explain(fault),
            Self::Parts(parts, _) => parts.explain(fault),
        }
    }

    /// Displacement of unknown `i` of the whole structure.
    pub(crate) fn unknown(&self, sim: &Simulation, i: usize) -> f64 {
        match self {
            Self::Whole => sim.y()[i],
            Self::Parts(parts, _) => parts.displacement(sim.free()[i]).unwrap_or(0.0),
        }
    }

    /// The test ends before its time; [`Engine::finish`] follows.
    pub(crate) fn give_up(&mut self, sim: &mut Simulation) {
        match self {
            Self::Whole => sim.domain.system_mut().give_up(),
            Self::Parts(parts, _) => (0..parts.coupling.count()).for_each(|i| parts.coupling.system_of(i).give_up()),
        }
    }

    /// The test has ended: specimens are led back to where they stood.
    pub(crate) fn finish(&mut self, sim: &mut Simulation) {
        match self {
            Self::Whole => sim.domain.system_mut().finish(),
            Self::Parts(parts, _) => (0..parts.coupling.count()).for_each(|i| parts.coupling.system_of(i).finish()),
        }
    }

    /// Looks at the rigs of the specimens, each with its number in the model.
    pub(crate) fn visit_rigs(&mut self, sim: &Simulation, mut visit: impl FnMut(usize, &dyn Rig)) {
        match self {
            Self::Whole => {
                let specimens = 0..sim.model.specimens.len();
                specimens.zip(sim.domain.system().rigs()).for_each(|(i, rig)| visit(i, rig));
            }
            Self::Parts(parts, _) => {
                for part in 0..parts.coupling.count() {
                    let numbers = parts.part(part).specimens.clone();
                    let rigs = parts.coupling.system_of(part).rigs();
                    numbers.into_iter().zip(rigs).for_each(|(i, rig)| visit(i, rig));
                }
            }
        }
    }

    pub(crate) fn parts(&self) -> Option<&Partitioned> {
        match self {
            Self::Whole => None,
            Self::Parts(parts, _) => Some(parts),
        }
    }
}
