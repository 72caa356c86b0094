//! One figure or table of a paper: what it is, and how it is computed.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use crate::models::File;
use crate::outcome::Outcome;
use crate::records::{Named, Records};
use interfield_motion::Record;

/// The papers, by the numbers under which this project keeps them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Paper {
    P000,
    P001,
    P002,
    P003,
    P004,
}

impl Paper {
    /// All of them.
    pub const ALL: [Paper; 5] = [Paper::P000, Paper::P001, Paper::P002, Paper::P003, Paper::P004];

    /// Its number.
    pub fn number(self) -> &'static str {
        ["000", "001", "002", "003", "004"][self as usize]
    }

    /// Authors and title.
    pub fn title(self) -> &'static str {
        match self {
            Paper::P000 => {
                "C. Jia, Y. Li, L. Liu, P. Yang, Y. Wu: Rosenbrock-based L-stable real-time method and its partitioned form for \
structural dynamic problems"
            }
            Paper::P001 => {
                "O. S. Bursi, C. Jia, Z. Wang: Monolithic and partitioned L-stable Rosenbrock methods for dynamic substructure tests"
            }
            Paper::P002 => {
                "C. Jia, Y. Li, L. Liu, H. Xia: Coupled Rosenbrock integration and its convergence (in Chinese), J. Chongqing Univ., 2013"
            }
            Paper::P003 => {
                "G. Abbiati, E. Cazzador, O. S. Bursi, P. Pegon, F. J. Molina, F. Paolacci: Hybrid simulation of complex structural \
systems based on partitioned time integration schemes"
            }
            Paper::P004 => {
                "M. Hovmand, L. V. Andersen, G. Abbiati: Real-time hybrid simulation with nonlinear numerical substructures based on \
state-space modeling"
            }
        }
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

/// How far an item is, whether it should stop, and which records it may use.
#[derive(Debug)]
pub struct Progress<'a> {
    done: AtomicU32,
    stop: &'a AtomicBool,
    records: &'a Records,
}

impl<'a> Progress<'a> {
    /// Nothing done yet; `stop` asks for an end.
    pub fn new(stop: &'a AtomicBool, records: &'a Records) -> Self {
        Progress { done: AtomicU32::new(0), stop, records }
    }

    /// A recorded motion, if the user has given it.
    pub(crate) fn record(&self, named: &Named) -> Option<&'a Record> {
        self.records.of(named)
    }

    /// Says that this part of the item is done, from 0 to 1; an error if it should stop.
    pub fn at(&self, part: f64) -> Result<(), Stopped> {
        self.done.store((part.clamp(0.0, 1.0) * PARTS) as u32, Ordering::Relaxed);
        if self.stop.load(Ordering::Relaxed) { Err(Stopped::Interrupted) } else { Ok(()) }
    }

    /// Says that all is done.
    pub(crate) fn finish(&self) {
        self.done.store(PARTS as u32, Ordering::Relaxed);
    }

    /// What is done, from 0 to 1.
    pub fn done(&self) -> f64 {
        f64::from(self.done.load(Ordering::Relaxed)) / PARTS
    }
}
