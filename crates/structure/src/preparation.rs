//! What the start of a large structure may use, and who follows it.

use std::sync::Arc;

use interfield_coupling::Ranks;
use interfield_kernel::{Mck, Scheme};
use interfield_language::{Problem, Subject};
pub use interfield_linalg::digest::Digest;
pub use interfield_linalg::{Stage, Watch};

use crate::Simulation;
use crate::structure::Part;

/// Words, as a keeper stores them and gives them back.
pub type Words<'a> = dyn FnMut() -> Option<u64> + 'a;

/// Keeps analyses and factors from one start to the next.
pub trait Keeper: Send + Sync {
    /// Hands over what was kept under this name; `accept` says whether it can be used. `false` if nothing can.
    fn load(&self, name: &str, accept: &mut dyn FnMut(&mut Words<'_>) -> bool) -> bool;
    /// Keeps words under this name.
    fn keep(&self, name: &str, words: &mut dyn Iterator<Item = u64>);
}

/// What the start of a structure may use, and who follows it.
#[derive(Clone, Default)]
pub struct Preparation {
    /// Bytes of memory that are free, if anybody knows.
    pub memory: Option<f64>,
    /// Where analyses and factors are kept.
    pub keeper: Option<Arc<dyn Keeper>>,
    /// Follows the long parts of it.
    pub watch: Arc<Watch>,
}

/// Memory of a structure that is ready for its steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Bytes of the factors, with what they are computed in.
    pub factors: f64,
    /// Bytes of matrices, elements and states.
    pub rest: f64,
}

impl Memory {
    /// Both.
    pub fn total(&self) -> f64 {
        self.factors + self.rest
    }

    pub(crate) fn plus(self, other: Memory) -> Memory {
        Memory { factors: self.factors + other.factors, rest: self.rest + other.rest }
    }
}

/// Structures with fewer unknowns fit anywhere.
const SMALL: usize = 2000;

/// Whether the factors of these parts fit, before their memory is reserved; what is in it already is no longer free. A rank factorises its own.
pub(crate) fn fits(preparation: &Preparation, parts: &mut [Part], ranks: &Ranks) -> Result<(), Problem> {
    let mut need = Memory::default();
    for (i, part) in parts.iter_mut().enumerate() {
        let analysis = &part.sub.model.analysis;
        let operators = match analysis.statics {
            true => vec![Mck { m: 0.0, c: 0.0, k: 1.0 }],
            false => analysis.scheme.operators(analysis.dt).as_slice().to_vec(),
        };
        for system in std::iter::once(&mut part.assembly.system).chain(&mut part.twin) {
            system.prepare_with(preparation);
            if ranks.is_here(i) && system.unknowns() >= SMALL {
                need = need.plus(system.memory_needed(&operators));
            }
        }
    }
    let Some(free) = preparation.memory.filter(|free| need.factors > *free) else { return Ok(()) };
    let what = match ranks.is_alone() {
        true => "the model does not fit in memory: its factor".to_owned(),
        false => format!("what rank {} has does not fit in memory: its factors", ranks.rank()),
    };
    let needs = if ranks.is_alone() { "needs" } else { "need" };
    let message = format!("{what} {needs} {}, {} are free", gigabytes(need.factors), gigabytes(free));
    let help = "replace its linear part by a superelement with [[reduce]], divide it into substructures, use a coarser \
        mesh, or a machine with more memory";
    Err(Problem::error(Subject::Model, message, help))
}

impl Simulation {
    /// Lets so many threads share the solutions of large matrices from now on, see [`interfield_linalg::Factor::share_solutions`];
    /// the bits stay the same. Returns how many there are, with the caller.
    pub fn share_solutions(&mut self, threads: usize) -> usize {
        (0..self.count()).map(|i| self.coupling.system_of(i).share_solutions(threads)).max().unwrap_or(1)
    }

    /// Memory that its parts use.
    pub fn memory(&self) -> Memory {
        (0..self.count()).map(|i| self.coupling.system(i).memory_used()).fold(Memory::default(), Memory::plus)
    }
}

fn gigabytes(bytes: f64) -> String {
    if bytes < 1e8 { format!("{:.1} MB", 1e-6 * bytes) } else { format!("{:.1} GB", 1e-9 * bytes) }
}
