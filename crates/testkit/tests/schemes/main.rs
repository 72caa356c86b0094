//! Schemes and models in one piece and cut: order, spectra, energy, equalities, faults, complete state.
//! One program, because linking costs more than running.

mod edges;
mod energy;
mod equalities;
mod faults;
mod histories;
mod integrators;
mod order;
mod partition;
mod partitioned;
mod path;
mod resume;
mod signals;
mod spectra;
mod stability;
mod state;
