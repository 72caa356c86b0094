//! What a divided model costs, against the clock of its laboratory; and the coupling of a model that names none.
//!
//! Choices are made by counted work in nominal time ([`Work`]), so that they do not depend on how busy a machine is.

use interfield_coupling::registry::{Facts, find};
use interfield_kernel::{Scheme, System};
use interfield_language::Model;
use interfield_language::partition::{Choice, Coupling, Partition};

use crate::assembled::Work;
use crate::{Simulation, Structure};

/// The coupling for equal steps: then it is the scheme of the structure in one piece.
pub const EQUAL_STEPS: &str = "gc";
/// The coupling whose coarse side has only its linear part on the fine grid.
pub const LAWS_APART: &str = "psl";

/// Share of the time available that computing may take.
const SHARE: f64 = 0.5;
/// Nominal time of a fine step beside forces and solutions (multipliers, copies, calls), and for each unknown and row of the interface, s.
const STEP: f64 = 200e-9;
const LINK: f64 = 2e-9;

/// The clock of the laboratory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// A fine step by it, s.
    pub fine: f64,
    /// Fine steps in a macro-step.
    pub exchanges: usize,
}

impl Clock {
    /// That of a divided model with specimens: the fastest of them.
    pub fn of(model: &Model) -> Option<Self> {
        let partition = model.partition.as_ref()?;
        let scale = model.specimens.iter().map(|s| s.time_scale).min_by(f64::total_cmp)?;
        let exchanges = partition.exchanges();
        Some(Clock { fine: scale * model.analysis.dt / exchanges as f64, exchanges })
    }
}

/// Nominal work of the sides of a divided model: an evaluation and a solution of each, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Of the coarse side.
    pub coarse: Work,
    /// Of the fine side, with what holds the sides together, for one fine step.
    pub fine: f64,
    /// Unknowns of the coarse side.
    pub unknowns: usize,
}

/// What a coupling needs, s of nominal time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Needs {
    /// In the busiest fine step.
    pub fine_step: f64,
    /// Beside the fine steps, in a macro-step.
    pub beside: f64,
    /// In a macro-step, on all processors, if all laws were springs.
    pub elastic: f64,
}

impl Cost {
    /// Of a model that has been started, specimens by what stands for them.
    pub fn of(sim: &Simulation) -> Self {
        let part = |i: usize| {
            let part = sim.part(i);
            (
                part.fine,
                sim.coupling.system(i).work(),
                part.model.analysis.scheme.evaluations(),
                sim.coupling.dims_of(i).nu,
            )
        };
        Cost::counted((0..sim.count()).map(part), sim.interface.len())
    }

    /// Of one that has not.
    fn before(structure: &Structure) -> Self {
        let part = |p: &crate::structure::Part| {
            let system = &p.assembly.system;
            (p.sub.fine, system.work(), p.sub.model.analysis.scheme.evaluations(), system.dims().nu)
        };
        Cost::counted(structure.parts.iter().map(part), structure.interface.len())
    }

    /// Of parts: which side, work, evaluations in a step, unknowns; and of so many rows of the interface.
    fn counted(parts: impl Iterator<Item = (bool, Work, Option<u32>, usize)>, rows: usize) -> Self {
        let (mut cost, mut both) = (Cost::default(), 0);
        for (fine, work, evaluations, unknowns) in parts {
            // Of a scheme that iterates some.
            let work = work.times(f64::from(evaluations.unwrap_or(3)));
            both += unknowns;
            if fine {
                cost.fine += work.whole();
            } else {
                cost.coarse = cost.coarse.plus(work);
                cost.unknowns += unknowns;
            }
        }
        cost.fine += STEP + LINK * (both * rows) as f64;
        cost
    }

    /// What a coupling needs of it.
    pub fn needs(&self, (parallel, facts): (bool, &Facts), exchanges: usize) -> Needs {
        let Cost { coarse, fine, .. } = *self;
        let (fine_step, beside) = match (facts.laws_apart, parallel) {
            (true, true) => (coarse.core() + fine, coarse.apart),
            (false, true) => (fine, coarse.whole()),
            (_, false) => (coarse.whole() + fine, 0.0),
        };
        let linear = coarse.linear + coarse.solve;
        let strides = if facts.laws_apart { exchanges } else { 1 };
        Needs { fine_step, beside, elastic: strides as f64 * linear + exchanges as f64 * fine }
    }
}

impl Needs {
    /// Whether it keeps the time of a laboratory.
    pub fn fits(&self, clock: Clock) -> bool {
        self.fine_step <= SHARE * clock.fine && self.beside <= SHARE * clock.fine * clock.exchanges as f64
    }
}

/// Whether another program computes something of the coarse side: nobody can count its work.
pub fn is_foreign(model: &Model) -> bool {
    let coarse = |p: &Partition, e: usize| p.owners.get(e).is_some_and(|&i| !p.substructures[i].fine);
    model.partition.as_ref().is_some_and(|p| model.externals.iter().any(|e| coarse(p, e.element)))
}

/// The partition with the coupling that fits, of a structure whose file names none: by its specimens (without, nothing has to keep time) and by
/// the steps that it has, which are the user's. `None` where the one for a coarse side of any size stays.
pub(crate) fn partition_by_work(structure: &Structure) -> Option<Partition> {
    let model = &structure.model;
    let partition = model.partition.as_ref().filter(|_| !is_foreign(model) && !model.analysis.statics)?;
    let (clock, cost) = (Clock::of(model)?, Cost::before(structure));
    let coupled = |name: &str| {
        let partition = partition.coupled_by(find(name)?)?;
        let (info, facts) = (partition.coupling.info, interfield_coupling::Options::facts(&partition.coupling.method));
        let fits = cost.needs((info.parallel, &facts), clock.exchanges).fits(clock);
        fits.then_some(Partition { coupling: Coupling { choice: Choice::ByWork, ..partition.coupling }, ..partition })
    };
    let apart = || coupled(LAWS_APART).filter(|_| cost.coarse.apart > 0.0);
    match coupled(EQUAL_STEPS) {
        Some(equal) => (clock.exchanges == 1).then_some(equal),
        None => apart(),
    }
}
