//! What a run advances.

use interfield_kernel::Fault;
use interfield_model::{Partitioned, Simulation};

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

    pub(crate) fn parts(&self) -> Option<&Partitioned> {
        match self {
            Self::Whole => None,
            Self::Parts(parts, _) => Some(parts),
        }
    }
}
