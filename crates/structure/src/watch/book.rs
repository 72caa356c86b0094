//! What is written down of the energy of a system while it runs.
//!
//! Two ways. Where energies are functions of the state (constant matrices, springs, stops) and everything else can only take
//! energy (dampers, hysteretic laws), it is enough to add up the work of the loads at every step and to look at the
//! energies from time to time: next to nothing beside a step. Where that is not so (moved supports, masses that depend on
//! the configuration, formulas, specimens), every step is balanced as `energy.*` channels are.

use interfield_kernel::{Archive, Fault, Point};

use crate::assembled::Assembled;
use crate::energy::Energy;
use interfield_language::model::EnergyPart;
use interfield_language::signal::Signal;

/// Energies of one system, J; those of springs from where the run started.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sums {
    pub kinetic: f64,
    pub internal: f64,
    pub input: f64,
    /// Largest work of a load in a step that cannot be told: its change over the step, times the way.
    pub rough: f64,
}

/// A load: its signal, the linear form of the displacements that it works on, and both at the last step.
struct Load {
    signal: Signal,
    form: Vec<(usize, f64)>,
    before: [f64; 2],
}

/// The books of one system.
pub(super) enum Book {
    Light(Light),
    Full(Box<Energy>),
}

/// See the head of the file.
pub(super) struct Light {
    loads: Vec<Load>,
    input: f64,
    rough: f64,
    /// Potential energy at the start.
    start: f64,
    sums: Sums,
}

impl Light {
    fn new(system: &mut Assembled, at: Point<'_>, potential: f64) -> Self {
        let load = |(form, signal): (Vec<(usize, f64)>, Signal)| {
            let before = [signal.value(at.t), dot(&form, at.u)];
            Load { signal, form, before }
        };
        let loads = system.load_forms().into_iter().map(load).collect();
        let sums = Sums { kinetic: system.kinetic_energy(at.u, at.v), ..Sums::default() };
        Light { loads, input: 0.0, rough: 0.0, start: potential, sums }
    }

    /// Adds the work of the loads over a step.
    fn add(&mut self, at: Point<'_>) {
        for load in &mut self.loads {
            let now = [load.signal.value(at.t), dot(&load.form, at.u)];
            let way = now[1] - load.before[1];
            self.input += 0.5 * (now[0] + load.before[0]) * way;
            self.rough = self.rough.max(((now[0] - load.before[0]) * way).abs());
            load.before = now;
        }
    }
}

impl Book {
    pub(super) fn new(system: &mut Assembled, at: Point<'_>, potential: f64) -> Result<Self, Fault> {
        Ok(match system.is_plain() {
            true => Book::Light(Light::new(system, at, potential)),
            false => Book::Full(Box::new(Energy::new(system, at)?)),
        })
    }

    /// Saves or restores the sums.
    pub(super) fn persist(&mut self, archive: &mut dyn Archive) {
        match self {
            Book::Full(energy) => energy.persist(archive),
            Book::Light(Light { loads, input, rough, start, sums }) => {
                loads.iter_mut().for_each(|load| archive.numbers(&mut load.before));
                archive.numbers([input, rough, start]);
                archive.numbers([&mut sums.kinetic, &mut sums.internal, &mut sums.input, &mut sums.rough]);
            }
        }
    }

    /// Adds a step that ended at `at`.
    pub(super) fn add(&mut self, system: &mut Assembled, at: Point<'_>) -> Result<(), Fault> {
        match self {
            Book::Light(book) => {
                book.add(at);
                Ok(())
            }
            Book::Full(energy) => energy.add(system, at),
        }
    }

    /// Looks at the energies at `at`, where the potential of all springs is this.
    pub(super) fn look(&mut self, system: &mut Assembled, at: Point<'_>, potential: f64) {
        if let Book::Light(Light { input, rough, start, sums, .. }) = self {
            let kinetic = system.kinetic_energy(at.u, at.v);
            *sums = Sums { kinetic, internal: potential - *start, input: *input, rough: *rough };
        }
    }

    pub(super) fn sums(&self) -> Sums {
        match self {
            Book::Light(book) => book.sums,
            Book::Full(energy) => Sums {
                kinetic: energy.part(EnergyPart::Kinetic),
                internal: energy.part(EnergyPart::Internal),
                input: energy.part(EnergyPart::Input),
                rough: 0.0,
            },
        }
    }

    /// Whether all that takes energy is in the sums.
    pub(super) fn is_complete(&self, system: &Assembled) -> bool {
        matches!(self, Book::Full(_)) || system.is_conservative()
    }
}

fn dot(form: &[(usize, f64)], u: &[f64]) -> f64 {
    form.iter().map(|&(i, f)| f * u[i]).sum()
}
