//! One figure or table of a paper: what it is, and how it is computed.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::models::File;
use crate::outcome::Outcome;

/// The papers, by the numbers under which this project keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Paper {
    /// Real-time substructure tests of nonlinear systems with LSRT methods.
    P000,
    /// Novel linearly implicit integrators for real-time hybrid tests.
    P001,
    /// A parallel partitioned Rosenbrock method (in Chinese).
    P002,
    /// Partitioned time integration for hybrid tests of the Rio Torto viaduct.
    P003,
    /// State-space partitioned integration with localized multipliers.
    P004,
}

impl Paper {
    /// Its number.
    pub fn number(self) -> &'static str {
        ["000", "001", "002", "003", "004"][self as usize]
    }
}

/// One figure or table of a paper.
#[derive(Clone, Copy, Debug)]
pub struct Item {
    /// Name on the command line and of its files: paper, then what it is there.
    pub id: &'static str,
    /// The paper.
    pub paper: Paper,
    /// What it is there: `Fig. 1`.
    pub place: &'static str,
    /// What it shows, in a line.
    pub what: &'static str,
    /// What to look at, for somebody who learns the field from it.
    pub look: &'static str,
    /// Command lines that give the same with the ordinary commands.
    pub commands: &'static [&'static str],
    /// The models that it runs.
    pub models: &'static [&'static File],
    /// About how long it takes on one core, s: long ones are begun first, and a bar moves evenly.
    pub seconds: u32,
    /// Computes it.
    pub run: fn(&Progress<'_>) -> Result<Outcome, Stopped>,
}

/// Why an item has no outcome.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stopped {
    /// It was asked to stop.
    Interrupted,
    /// It could not be computed.
    Fault(String),
}

/// Parts of an item that progress is told in.
const PARTS: f64 = 1000.0;

/// How far an item is, and whether it should stop.
#[derive(Debug)]
pub struct Progress<'a> {
    done: AtomicU32,
    stop: &'a AtomicBool,
}

impl<'a> Progress<'a> {
    /// Nothing done yet; `stop` asks for an end.
    pub fn new(stop: &'a AtomicBool) -> Self {
        Progress { done: AtomicU32::new(0), stop }
    }

    /// Says that this part of the item is done, from 0 to 1; an error if it should stop.
    pub fn at(&self, part: f64) -> Result<(), Stopped> {
        self.done.store((part.clamp(0.0, 1.0) * PARTS) as u32, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) { Err(Stopped::Interrupted) } else { Ok(()) }
    }

    /// What is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        f64::from(self.done.load(Ordering::Relaxed)) / PARTS
    }
}
