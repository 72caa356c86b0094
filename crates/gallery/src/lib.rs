//! The figures and tables of the papers, computed again.
//!
//! [`ITEMS`] lists them. Running one gives an [`Outcome`]: what to draw as plain numbers, and the claims of the paper, each
//! with what was measured. A [`Verdict`] follows from these numbers alone; nobody writes one down. The systems are the
//! files of `models/` ([`models`]), so that a reader can copy and change what was run.
//!
//! One file per topic, one small function per item that reads like what it shows.
//! **Must not be here:** files, drawing, terminals, formulas of a scheme or a coupling.

mod amplification;
mod claim;
mod control;
mod drift;
mod four_dofs;
mod frequency_domain;
mod gallery;
mod global_errors;
mod histories;
mod item;
mod links;
mod localized;
mod measured;
pub mod models;
mod more_unknowns;
mod noise;
mod one_stage;
mod outcome;
mod pendulums;
mod places;
mod real_time;
mod records;
mod resonance;
mod spectra;
mod split_mass;
mod subcycling;
mod viaduct;
mod viaduct_test;

pub use claim::{Claim, Expected, Finding, Measure, Said, Verdict};
pub use gallery::{ITEMS, find, run};
pub use item::{Item, Paper, Progress, Stopped};
pub use outcome::{Outcome, Table};
pub use places::{PLACES, Place, Shown};
pub use records::{Named, RECORDS, Records};
