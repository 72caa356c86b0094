//! A structure that is running: its coupling steps, its channels are read on whichever side they live, and it is watched.
//!
//! A structure in one piece is the trivial coupling: one part, no constraint. Nothing here asks which it is.
//! **Must not be here:** coupling formulas, text.

use std::sync::Arc;

use interfield_coupling::quality::{Cut, Monitor, Quality, gap, interface_force};
use interfield_coupling::{
    Assembly as Substructures, Coupling, CouplingError, Driven, Options, Parts, Ranks, Single, Substructure,
};
use interfield_kernel::{Archive, Fault, Mck, Persist, Scheme};
use interfield_lab::rig::Rig;
use interfield_language::model::{Channel, EnergyPart, Kind, Model, Pushing, Quantity, Support};
use interfield_language::signal::Motion;
use interfield_language::update::Learned;
use interfield_language::{Problem, Subject};
use interfield_linalg::{EigenError, Modes, Pattern, Report, highest, modes};

use crate::assemble::{Assembly, Place};
use crate::assembled::Assembled;
use crate::carried::{Carried, Home, Members, When};
use crate::channels::{Channels, Recorder, untold};
use crate::energy::Energy;
use crate::faults::{cannot_start, explain, refusal};
use crate::landing::Landing;
use crate::learning::{Learning, Lesson, Site};
use crate::preparation;
use crate::pushover::{self, Pushed};
use crate::ranks;
use crate::reduce::estimate::{Onlooker, Shown};
use crate::specimen::{Rehearsal, Workshop, mount};
use crate::split::{Constraint, Drive, SubModel};
use crate::structure::{self, Structure};
use crate::watch::{Names, Spot, Verdict, Watch, sentence, verdict};

/// One substructure as far as reading and explaining goes; all there is of a structure in one piece.
pub(crate) struct Part {
    pub(crate) sub: SubModel,
    pub(crate) free: Vec<usize>,
    pub(crate) looped: Vec<usize>,
    /// Where its degrees of freedom are.
    places: Vec<Place>,
    /// Whether the states of these elements remember their deformation.
    memory: Vec<bool>,
    /// Elements in the loop whose force is a function of their deformation.
    curves: Vec<usize>,
    pub(crate) recorder: Recorder,
    /// Its energy balance, only where it is recorded: it costs an evaluation of all forces per step.
    energy: Option<Energy>,
    out: Vec<f64>,
}

impl Part {
    /// The unknown that a degree of freedom of the whole model is here.
    fn unknown(&self, dof: usize) -> Option<usize> {
        self.free.iter().position(|&d| self.sub.dofs[d] == dof)
    }
}

/// Where a channel comes from.
pub enum Source {
    /// Channel of a part.
    #[allow(missing_docs)]
    Part { part: usize, index: usize },
    /// Gap at a cut, derivative 0 or 1.
    #[allow(missing_docs)]
    Gap { cut: Cut, derivative: usize, factor: f64 },
    /// Force through a cut, on its first side.
    #[allow(missing_docs)]
    Force { cut: Cut, factor: f64 },
    /// Link displacement at a port of a part.
    #[allow(missing_docs)]
    Link { part: usize, port: usize, factor: f64 },
    /// Part of the energy balance, over all substructures.
    #[allow(missing_docs)]
    Energy { part: EnergyPart, factor: f64 },
    /// What is known of an update.
    #[allow(missing_docs)]
    Learned { update: usize, what: Learned, factor: f64 },
    /// Nothing: there is no link on the fine side.
    Zero,
}

/// A structure ready to run, and running.
pub struct Simulation {
    /// The model it was made from.
    pub model: Arc<Model>,
    /// What steps.
    pub coupling: Box<dyn Coupling<Assembled>>,
    /// What is doubtful about the model, and about its cuts.
    pub warnings: Vec<Problem>,
    /// The constraints between its parts, row by row.
    pub interface: Vec<Constraint>,
    pub(crate) parts: Vec<Part>,
    pub(crate) sources: Vec<Source>,
    /// The constraints in unknowns of the parts.
    cuts: Vec<Cut>,
    free: Vec<usize>,
    /// Part and unknown of every degree of freedom of the model that is free in a part.
    homes: Vec<Option<(usize, usize)>>,
    /// Where there are cuts.
    monitor: Option<Monitor>,
    links: Vec<f64>,
    /// Motions that the coupling imposes, by degree of freedom of the model.
    pub(crate) driven: Vec<(usize, Motion)>,
    watch: Option<Watch>,
    /// Unknowns that the coupling moves, with the force that moves them and where they are.
    moved: Vec<((usize, usize), [f64; 2])>,
    /// Only where asked for.
    landing: Option<Landing>,
    /// Looks at members; only where asked for.
    members: Option<Members>,
    /// What specimens teach.
    learning: Option<Learning>,
    /// Looks at superelements.
    onlooker: Option<Onlooker>,
    /// Which process has which part.
    ranks: Ranks,
}

/// The coupling, and what looks on and remembers: the quality of the cuts, energy balances, the watch.
impl Persist for Simulation {
    fn persist(&mut self, archive: &mut dyn Archive) {
        self.coupling.persist(archive);
        self.monitor.iter_mut().for_each(|monitor| monitor.persist(archive));
        for part in &mut self.parts {
            archive.same(usize::from(part.energy.is_some()));
            part.energy.iter_mut().for_each(|energy| energy.persist(archive));
        }
        archive.same(usize::from(self.watch.is_some()));
        self.watch.iter_mut().for_each(|watch| watch.persist(archive));
        self.moved.iter_mut().for_each(|(_, before)| archive.numbers(before));
        self.onlooker.iter_mut().for_each(|onlooker| onlooker.persist(archive));
        if let Some(learning) = &mut self.learning {
            learning.persist(archive);
            // What is restored goes into the laws.
            learning.apply(&mut self.parts, self.coupling.as_mut());
        }
    }
}

/// Names for what a watch finds.
impl Names for Simulation {
    fn unknown(&self, at: Spot) -> &str {
        let part = &self.parts[at.part];
        part.free.get(at.index).map_or("?", |&d| part.sub.model.dofs[d].name.as_str())
    }

    fn element(&self, at: Spot) -> &str {
        let part = &self.parts[at.part];
        let element = part.curves.get(at.index).and_then(|&e| part.looped.get(e));
        element.map_or("?", |&e| part.sub.model.elements[e].name.as_str())
    }

    fn cut(&self, cut: usize) -> &str {
        self.interface.get(cut).map_or("?", |c| self.model.dofs[c.dof].name.as_str())
    }
}

impl Simulation {
    /// Assembles a model and starts it, specimens in the emulated laboratory; all problems at once.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn new(model: impl Into<Arc<Model>>) -> Result<Self, Vec<Problem>> {
        Self::in_workshop(model, &mut Rehearsal)
    }

    /// The same with rigs from a workshop.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn in_workshop(model: impl Into<Arc<Model>>, workshop: &mut dyn Workshop) -> Result<Self, Vec<Problem>> {
        Structure::new(model)?.start(workshop)
    }

    /// Number of steps to the end of the analysis.
    pub fn steps(&self) -> u64 {
        match self.pushing() {
            Some(push) => push.targets.len() as u64,
            None => self.model.analysis.steps(),
        }
    }

    /// How it is pushed, if it is.
    pub fn pushing(&self) -> Option<&Pushing> {
        self.model.pushover.as_ref().filter(|_| self.model.analysis.statics)
    }

    /// Length of a step of the analysis, s.
    pub fn dt(&self) -> f64 {
        self.coupling.dt()
    }

    /// Takes step number `k`, from k dt to (k + 1) dt, and looks at how well it went.
    ///
    /// # Errors
    /// The fault; the state is then the one before the step.
    pub fn step(&mut self, k: u64) -> Result<(), Fault> {
        match &mut self.landing {
            None => self.coupling.step(k)?,
            Some(landing) => landing.step(self.coupling.as_mut(), k)?,
        }
        if let Some(monitor) = &mut self.monitor {
            monitor.observe(self.coupling.as_mut(), k + 1);
        }
        let t = (k + 1) as f64 * self.coupling.dt();
        for (i, part) in self.parts.iter_mut().enumerate() {
            if let Some(energy) = &mut part.energy {
                let dims = self.coupling.dims_of(i);
                let (system, x) = self.coupling.at_node(i);
                energy.add(system, dims.point(t, &x[..dims.state()]))?;
            }
        }
        self.look(t);
        self.observe(k + 1)?;
        if let Some(onlooker) = &mut self.onlooker {
            onlooker.note(&self.model, self.coupling.as_ref(), k + 1);
        }
        if let Some(learning) = &mut self.learning {
            let energy = learning.step(t, &mut self.parts, self.coupling.as_mut(), &self.model.updates);
            if let Some(watch) = &mut self.watch {
                watch.put(energy);
            }
        }
        Ok(())
    }

    /// What the motion of superelements so far shows of their error.
    pub fn reduction_errors(&self) -> Vec<Shown> {
        self.onlooker.as_ref().map_or_else(Vec::new, |o| o.shown(&self.model))
    }

    /// What specimens taught numerical elements so far.
    pub fn lessons(&self) -> Vec<Lesson> {
        self.learning.as_ref().map_or_else(Vec::new, |l| l.lessons(&self.model))
    }

    /// Looks at the members from the present state on, see [`crate::carried`].
    pub fn watch_members(&mut self) {
        let homes: Vec<Home<'_>> = (self.parts.iter().enumerate())
            .map(|(i, part)| Home {
                model: &part.sub.model,
                elements: &part.sub.elements,
                looped: &part.looped,
                free: &part.free,
                places: &part.places,
                system: self.coupling.system(i),
            })
            .collect();
        let members = Members::new(&homes);
        if !members.is_empty() {
            self.members = Some(members);
            self.look(0.0);
            self.members.iter_mut().for_each(Members::begin);
        }
    }

    fn look(&mut self, t: f64) {
        let Simulation { members: Some(members), parts, coupling, .. } = self else { return };
        let displaced = |i: usize| members.displaced(i, &coupling.state_of(i)[..coupling.dims_of(i).nu]);
        let displaced = (0..parts.len()).map(displaced).fold(0.0, f64::max);
        members.decide(t, displaced);
        for i in 0..parts.len() {
            let n = coupling.dims_of(i).nu;
            let (system, x) = coupling.at_node(i);
            members.look(i, system, t, &x[..n]);
        }
    }

    /// What the members carried at a moment, with its time, s, and over the run; none without [`Simulation::watch_members`].
    pub fn members(&self, when: When) -> Option<(f64, Vec<Carried>)> {
        let members = self.members.as_ref()?;
        Some((if when == When::Start { 0.0 } else { members.peak_time() }, members.at(when)))
    }

    /// Sets a watch over the run, from the present state on: see [`crate::watch`].
    ///
    /// # Errors
    /// The fault at the start.
    pub fn watch(&mut self) -> Result<(), Fault> {
        if self.pushing().is_some() {
            // Every step ends in balance.
            return Ok(());
        }
        let shortest = if self.landing.is_some() { Landing::FINEST } else { 1.0 };
        let mut watch = Watch::new(self.steps());
        for (i, part) in self.parts.iter().enumerate() {
            let dims = self.coupling.dims_of(i);
            let dt = shortest * self.coupling.dt() / f64::from(part.sub.substeps);
            let (system, x) = self.coupling.at_node(i);
            watch.add(system, dims.point(0.0, &x[..dims.state()]), dt)?;
        }
        self.watch = Some(watch);
        let (parts, coupling) = (&self.parts, self.coupling.as_ref());
        let ends = parts.iter().enumerate().flat_map(|(p, part)| {
            let driven = |d: &usize| self.driven.iter().any(|(dof, _)| *dof == part.sub.dofs[*d]);
            let unknowns = part.free.iter().enumerate().filter(move |(_, d)| driven(d));
            unknowns.map(move |(unknown, _)| ((p, unknown), pushed(coupling, (p, unknown))))
        });
        self.moved = ends.collect();
        Ok(())
    }

    fn observe(&mut self, done: u64) -> Result<(), Fault> {
        let Simulation { watch: Some(watch), parts, coupling, moved, .. } = self else { return Ok(()) };
        for (end, before) in moved {
            let now = pushed(coupling.as_ref(), *end);
            watch.put(0.5 * (now[0] + before[0]) * (now[1] - before[1]));
            *before = now;
        }
        let (t, due) = (done as f64 * coupling.dt(), watch.is_due(done));
        for i in 0..parts.len() {
            let dims = coupling.dims_of(i);
            let (system, x) = coupling.at_node(i);
            watch.note(i, system, dims.point(t, &x[..dims.state()]), due)?;
        }
        if due {
            watch.judge(t, || liveliest(coupling.as_mut()));
        }
        Ok(())
    }

    /// Why the run is worthless from here on, if the watch over it says so.
    pub fn lost(&self) -> Option<String> {
        Some(sentence(&self.watch.as_ref()?.end()?, self))
    }

    /// What the watch over the run thinks of it; `None` without one.
    pub fn verdict(&self) -> Option<Verdict> {
        if self.pushing().is_some() {
            return Some(pushover::verdict(self.coupling.system(0)));
        }
        let rows = self.quality().map_or_else(Vec::new, |q| q.rows);
        Some(verdict(&self.watch.as_ref()?.findings(&rows), self))
    }

    /// The channels, in the order of [`Simulation::sample`].
    pub fn channels(&self) -> &[Channel] {
        &self.model.channels
    }

    /// Reads all channels at time `k dt` into `out`, in their units.
    ///
    /// # Errors
    /// A fault of an evaluation that a channel needs.
    pub fn sample(&mut self, k: u64, out: &mut [f64]) -> Result<(), Fault> {
        let t = k as f64 * self.coupling.dt();
        for (i, part) in self.parts.iter_mut().enumerate().filter(|(_, p)| !p.out.is_empty()) {
            if part.recorder.needs_acceleration {
                // Accelerations by the multipliers first, while the coupling can be read.
                part.recorder.outside.fill(0.0);
                self.coupling.add_multiplier_accelerations(i, &mut part.recorder.outside);
            }
            let (system, x) = self.coupling.at_node(i);
            part.recorder.read(system, t, x, &mut part.out)?;
        }
        for (source, out) in self.sources.iter().zip(out) {
            *out = match source {
                Source::Part { part, index } => self.parts[*part].out[*index],
                Source::Gap { cut, derivative, factor } => factor * gap(self.coupling.as_ref(), *cut, *derivative),
                Source::Force { cut, factor } => factor * interface_force(self.coupling.as_ref(), cut.plus),
                Source::Link { part, port, factor } => {
                    let n = self.coupling.ports_of(*part).len();
                    self.coupling.links_of(*part, &mut self.links[..n]);
                    factor * self.links[*port]
                }
                Source::Energy { part, factor } => {
                    factor * self.parts.iter().filter_map(|p| p.energy.as_ref()).map(|e| e.part(*part)).sum::<f64>()
                }
                Source::Learned { update, what, factor } => {
                    factor * self.learning.as_ref().map_or(0.0, |l| l.read(*update, *what))
                }
                Source::Zero => 0.0,
            };
        }
        Ok(())
    }

    /// How well the parts held together so far; `None` of a structure in one piece.
    pub fn quality(&self) -> Option<Quality> {
        self.monitor.as_ref().map(Monitor::quality)
    }

    /// Net work of the multipliers so far, J: the energy that the cuts create or lose. `None` of a structure in one piece.
    pub fn interface_work(&self) -> Option<f64> {
        self.monitor.as_ref().map(Monitor::net_work)
    }

    /// Present gap at cut `row` of [`Simulation::interface`].
    pub fn interface_gap(&self, row: usize) -> f64 {
        self.cuts.get(row).map_or(0.0, |cut| gap(self.coupling.as_ref(), *cut, 0))
    }

    /// Present force through cut `row` of [`Simulation::interface`], on its first side.
    pub fn interface_force(&self, row: usize) -> f64 {
        self.cuts.get(row).map_or(0.0, |cut| interface_force(self.coupling.as_ref(), cut.plus))
    }

    /// Present displacement of a degree of freedom of the model (on the first side that has it), if it is free.
    pub fn displacement(&self, dof: usize) -> Option<f64> {
        let (part, unknown) = (*self.homes.get(dof)?)?;
        self.coupling.state_of(part).get(unknown).copied()
    }

    /// Where a degree of freedom of the model is at time `t`, the present one, m (rad): an unknown, or one whose motion is prescribed.
    pub fn position(&self, dof: usize, t: f64) -> f64 {
        let prescribed = || match &self.model.dofs[dof].support {
            Support::Imposed(motion) => motion.at(t)[0],
            _ => 0.0,
        };
        self.displacement(dof).unwrap_or_else(prescribed)
    }

    /// The degrees of freedom of the model that are unknowns, rising. Those that the coupling moves are none.
    pub fn free(&self) -> &[usize] {
        &self.free
    }

    /// Whether all elements are springs, dashpots and matrices, so that tangents and energies by them hold for any motion.
    pub fn is_linear(&self) -> bool {
        self.model.externals.is_empty()
            && self
                .model
                .elements
                .iter()
                .all(|e| e.given.is_none() && (matches!(e.kind, Kind::Linear { .. }) || e.type_name == "spring"))
    }

    /// Number of its parts.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// Part `i` as a model of its own.
    pub fn part(&self, i: usize) -> &SubModel {
        &self.parts[i].sub
    }

    /// Names of the unknowns of part `i`.
    pub fn unknowns(&self, i: usize) -> impl ExactSizeIterator<Item = &str> {
        let part = &self.parts[i];
        part.free.iter().map(|&d| part.sub.model.dofs[d].name.as_str())
    }

    /// The degree of freedom of the model that each unknown of part `i` is.
    pub fn dofs(&self, i: usize) -> impl ExactSizeIterator<Item = usize> {
        let part = &self.parts[i];
        part.free.iter().map(|&d| part.sub.dofs[d])
    }

    /// [u v s h] of every part.
    pub fn states(&self) -> impl Iterator<Item = &[f64]> {
        (0..self.parts.len()).map(|i| self.coupling.state_of(i))
    }

    /// Where each channel comes from.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// What the channels of part `i` read.
    pub fn channels_of(&self, i: usize) -> Channels<'_> {
        self.parts[i].recorder.channels(&self.parts[i].sub.model, self.coupling.dims_of(i))
    }

    /// Displacements, velocities and element states of part `i`.
    pub fn y(&self, i: usize) -> &[f64] {
        &self.coupling.state_of(i)[..self.coupling.dims_of(i).state()]
    }

    /// Pattern, mass and stiffness of part `i` on its own, for small motions about the present linearisation.
    pub fn matrices(&self, i: usize) -> (&Pattern, Vec<f64>, Vec<f64>) {
        self.coupling.system(i).matrices(&self.parts[i].memory)
    }

    /// Mass of every unknown of part `i`, SI.
    pub fn masses(&self, i: usize) -> Vec<f64> {
        let (pattern, mass, _) = self.matrices(i);
        (0..pattern.n()).map(|j| pattern.position(j, j).map_or(0.0, |p| mass[p])).collect()
    }

    /// Largest circular frequency of part `i` on its own, rad/s.
    ///
    /// # Errors
    /// When it was not found.
    pub fn omega_max(&self, i: usize) -> Result<f64, EigenError> {
        let (pattern, mass, stiffness) = self.matrices(i);
        Ok(highest(pattern, &stiffness, &mass)?.max(0.0).sqrt())
    }

    /// Lowest modes of part `i` on its own, about the present linearisation.
    ///
    /// # Errors
    /// When they were not found.
    pub fn modes(&self, i: usize, count: usize) -> Result<Modes, EigenError> {
        let (pattern, mass, stiffness) = self.matrices(i);
        modes(pattern, &stiffness, &mass, count)
    }

    /// How each linear system of part `i` is solved.
    pub fn solvers(&self, i: usize) -> Vec<(Mck, Report)> {
        self.coupling.system(i).solvers()
    }

    /// How the dynamic matrix of part `i` is solved: what its step spends its time on.
    pub fn solver(&self, i: usize) -> Option<Report> {
        let solvers = self.solvers(i);
        let main = solvers.iter().position(|(d, _)| d.c != 0.0).unwrap_or(0);
        solvers.into_iter().nth(main).map(|s| s.1)
    }

    /// The test ends before its time; [`Simulation::finish`] follows.
    pub fn give_up(&mut self) {
        (0..self.parts.len()).for_each(|i| self.coupling.system_of(i).give_up());
    }

    /// The test has ended: specimens are led back to where they stood.
    pub fn finish(&mut self) {
        (0..self.parts.len()).for_each(|i| self.coupling.system_of(i).finish());
    }

    /// The rigs of the specimens, each with its number in the model.
    pub fn rigs(&self) -> impl Iterator<Item = (usize, &dyn Rig)> {
        let parts = self.parts.iter().enumerate();
        parts.flat_map(|(i, part)| part.sub.specimens.iter().copied().zip(self.coupling.system(i).rigs()))
    }

    /// Whether a fault of the loop came from the laboratory or from a program, and says nothing about the structure.
    pub fn came_from_outside(&self, fault: Fault) -> bool {
        matches!(fault, Fault::Laboratory { .. } | Fault::Partner { .. } | Fault::Rank { .. })
    }

    /// A fault of the loop in words, with the user's names.
    pub fn explain(&self, fault: Fault) -> String {
        if let Some(push) = self.pushing()
            && let Some(part) = self.parts.first()
            && let Some(words) =
                pushover::stopped(&self.model, push, self.coupling.as_ref(), (&part.free, &part.looped), fault)
        {
            return words;
        }
        if let Fault::Rank { rank, told } = fault {
            return ranks::explain(&self.ranks, self.parts.iter().map(|p| p.sub.name.as_str()), (rank, told));
        }
        match self.parts.get(self.coupling.faulty()) {
            Some(Part { sub, free, looped, .. }) => sub.said_of(explain(&sub.model, free, looped, fault)),
            None => explain(&self.model, &[], &[], fault),
        }
    }
}

impl Structure {
    /// Puts specimens on the rigs of a workshop, and starts the schemes and the coupling.
    ///
    /// # Errors
    /// Everything that stands against it.
    pub fn start(self, workshop: &mut dyn Workshop) -> Result<Simulation, Vec<Problem>> {
        let (free, rayleigh) = (self.free().to_vec(), self.assembly().rayleigh);
        let Structure { model, warnings, interface, preparation, parts: mut assembled, driven, ranks, whole } = self;
        // The factors need its memory.
        drop(whole);
        preparation::fits(&preparation, &mut assembled, &ranks).map_err(|problem| vec![problem])?;
        let (mut parts, mut substructures, mut twins, mut all_rows) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut problems = Vec::new();
        for part in assembled {
            let structure::Part { sub, mut assembly, specimens, twin, ports } = part;
            let rows = match mount(&sub.model, &mut assembly, specimens, workshop) {
                Ok(rows) => rows,
                Err(list) => {
                    problems.extend(list.into_iter().map(|problem| sub.in_whole(problem)));
                    continue;
                }
            };
            let Assembly { system, y0, places, free, looped, memory, .. } = assembly;
            let channels: Vec<Channel> = model.channels.iter().filter_map(|c| sub.channel(c)).collect();
            problems.extend(untold(&sub.model, &channels, &rows).into_iter().map(|problem| sub.in_whole(problem)));
            let scheme = sub.model.analysis.scheme;
            let out = vec![0.0; channels.len()];
            let carried = scheme.claims().carries_acceleration;
            let recorder = Recorder::new(&sub.model, channels, &places, &looped, &system, &rows, carried);
            let curves = (0..system.curve_count()).map(|i| system.curve_element(i)).collect();
            let (substeps, fine) = (sub.substeps as usize, sub.fine);
            substructures.push(Substructure { system, y0, scheme, substeps, fine, ports });
            twins.extend(twin);
            all_rows.push(rows);
            parts.push(Part { sub, free, looped, places, memory, curves, recorder, energy: None, out });
        }
        if !problems.is_empty() {
            return Err(problems);
        }
        let imposed = driven.iter().filter_map(|d| whole_motion(d, &parts)).collect();
        let driven = driven.into_iter().map(|d| imposed_rate(d, &parts)).collect();
        let mut coupling = if model.analysis.statics {
            balanced(&model, substructures, &parts)?
        } else {
            let assembly =
                Substructures { substructures, rows: interface.len(), dt: model.analysis.dt, ranks: ranks.clone() };
            let started = start(&model, assembly, twins, driven);
            let gathered = started.and_then(|mut coupling| match coupling.gather() {
                Ok(()) => Ok(coupling),
                Err(located) => Err(CouplingError::Fault(located)),
            });
            gathered.map_err(|e| vec![refusal(&e, &model, &interface, &parts)])?
        };
        // What is only looked at, the first rank looks at.
        if ranks.rank() == 0 {
            ready(&model, &mut parts, coupling.as_mut())?;
        }
        let site = Site { model: &model, parts: &parts, rows: &all_rows };
        let learning = Learning::new(&site, coupling.as_mut())?;
        let mut homes = vec![None; model.dofs.len()];
        for (p, part) in parts.iter().enumerate().rev() {
            part.free.iter().enumerate().for_each(|(i, &d)| homes[part.sub.dofs[d]] = Some((p, i)));
        }
        let cuts = cuts(&interface, &parts);
        let sources = sources(&model, &cuts, &parts, coupling.as_ref());
        let cuts: Vec<Cut> = cuts.into_iter().map(|c| c.1).collect();
        let monitor = model.partition.as_ref().map(|_| {
            let mut monitor = Monitor::new(coupling.as_ref(), cuts.clone(), model.analysis.steps());
            monitor.observe(coupling.as_mut(), 0);
            monitor
        });
        let onlooker = Onlooker::new(&model, &homes, rayleigh);
        let landing = model.analysis.land.then(|| Landing::new(&model, coupling.as_ref())).transpose()?;
        let most = (0..coupling.count()).map(|i| coupling.ports_of(i).len()).max().unwrap_or(0);
        Ok(Simulation {
            monitor,
            cuts,
            coupling,
            warnings,
            interface,
            parts,
            sources,
            free,
            homes,
            links: vec![0.0; most],
            driven: imposed,
            watch: None,
            moved: Vec::new(),
            landing,
            members: None,
            learning,
            onlooker,
            ranks,
            model,
        })
    }
}

/// The degree of freedom of the model that a coupling moves, and how.
fn whole_motion(drive: &Drive, parts: &[Part]) -> Option<(usize, Motion)> {
    let &(part, dof) = drive.ends.first()?;
    Some((parts.get(part)?.sub.dofs[dof], drive.motion.clone()))
}

/// The same for the coupling.
fn imposed_rate(drive: Drive, parts: &[Part]) -> Driven {
    let unknown = |&(part, dof): &(usize, usize)| match parts[part].places[dof] {
        Place::Free(i) => Some((part, i)),
        Place::Imposed(_) | Place::Fixed => None,
    };
    let (ends, motion) = (drive.ends.iter().filter_map(unknown).collect(), drive.motion);
    Driven { ends, rate: Box::new(move |t| [motion.at(t)[1], motion.at(t)[2]]) }
}

/// Brings the structure into its first balance, ready to be pushed.
fn balanced(
    model: &Model,
    mut substructures: Vec<Substructure<Assembled>>,
    parts: &[Part],
) -> Result<Box<dyn Coupling<Assembled>>, Vec<Problem>> {
    let (Some(all), [part]) = (substructures.pop(), parts) else {
        let help = "push it in one piece: remove the substructures, or give --whole";
        return Err(vec![Problem::error(Subject::Model, "a structure that is cut cannot be pushed".to_owned(), help)]);
    };
    let known = pushover::Parts { y0: all.y0, places: &part.places, free: &part.free, looped: &part.looped };
    Ok(Box::new(Pushed::start(model, all.system, known)?))
}

/// Starts the coupling of the model; without one, the structure in one piece.
fn start(
    model: &Model,
    mut assembly: Substructures<Assembled>,
    twins: Vec<Assembled>,
    driven: Vec<Driven>,
) -> Result<Box<dyn Coupling<Assembled>>, CouplingError> {
    match (&model.partition, assembly.substructures.pop()) {
        (None, Some(all)) => Ok(Box::new(Single::start(all, assembly.dt)?)),
        (Some(partition), last) => {
            assembly.substructures.extend(last);
            partition.coupling.method.start(Parts { assembly, twins, driven })
        }
        (None, None) => Err(CouplingError::Unsuitable("there is no structure".to_owned())),
    }
}

/// Prepares what is only read: accelerations that no scheme carries, and energies where they are recorded.
fn ready(model: &Model, parts: &mut [Part], coupling: &mut dyn Coupling<Assembled>) -> Result<(), Vec<Problem>> {
    let balanced = model.channels.iter().any(|c| matches!(c.quantity, Quantity::Energy(_)));
    for (i, part) in parts.iter_mut().enumerate() {
        let dims = coupling.dims_of(i);
        let (system, x) = coupling.at_node(i);
        let fatal = |fault| vec![part.sub.in_whole(cannot_start(&part.sub.model, &part.free, &part.looped, fault))];
        if part.recorder.needs_acceleration {
            system.prepare_mass().map_err(fatal)?;
        }
        if balanced {
            part.energy = Some(Energy::new(system, dims.point(0.0, &x[..dims.state()])).map_err(fatal)?);
        }
    }
    Ok(())
}

/// Force of the multipliers on an unknown of a substructure, and its displacement.
fn pushed(coupling: &dyn Coupling<Assembled>, (part, unknown): (usize, usize)) -> [f64; 2] {
    [interface_force(coupling, (part, unknown)), coupling.state_of(part)[unknown]]
}

/// Part and unknown in which most of the energy is.
fn liveliest(coupling: &mut dyn Coupling<Assembled>) -> (usize, usize) {
    let mut most = (f64::NEG_INFINITY, (0, 0));
    for i in 0..coupling.count() {
        let n = coupling.dims_of(i).nu;
        let (system, x) = coupling.at_node(i);
        let unknown = system.liveliest(&x[..n], &x[n..2 * n]);
        let energy = system.kinetic_energy(&x[..n], &x[n..2 * n]) + system.elastic_energy(&x[..n]);
        if energy > most.0 {
            most = (energy, (i, unknown));
        }
    }
    most.1
}

fn sources(model: &Model, cuts: &[(usize, Cut)], parts: &[Part], coupling: &dyn Coupling<Assembled>) -> Vec<Source> {
    let mut taken = vec![0; parts.len()];
    let source = |channel: &Channel| {
        // The parts list their channels in the order of the model; the first that has one gives it.
        let mut first = None;
        for (p, part) in parts.iter().enumerate() {
            if part.sub.channel(channel).is_some() {
                first = first.or(Some(Source::Part { part: p, index: taken[p] }));
                taken[p] += 1;
            }
        }
        if let Some(source) = first {
            return source;
        }
        let at = |dof: usize| cuts.iter().filter(move |(d, _)| *d == dof);
        let factor = channel.factor;
        match channel.quantity {
            Quantity::Energy(part) => Source::Energy { part, factor },
            Quantity::Gap(d, derivative) => {
                at(d).next().map_or(Source::Zero, |&(_, cut)| Source::Gap { cut, derivative, factor })
            }
            // Its ends are in different parts.
            Quantity::Drift { above, below: Some(below), height } => {
                let end = |d: usize| parts.iter().enumerate().find_map(|(p, part)| Some((p, part.unknown(d)?)));
                let ends = end(above).zip(end(below));
                let gap =
                    |(plus, minus)| Source::Gap { cut: Cut { plus, minus }, derivative: 0, factor: factor / height };
                ends.map_or(Source::Zero, gap)
            }
            Quantity::InterfaceForce(d) => at(d).next().map_or(Source::Zero, |&(_, cut)| Source::Force { cut, factor }),
            Quantity::Link(d) => {
                let ends = at(d).flat_map(|(_, cut)| [cut.plus, cut.minus]);
                let found = ends.filter(|(part, _)| coupling.is_fine(*part)).find_map(|(part, dof)| {
                    let port = coupling.ports_of(part).iter().position(|p| p.dof == dof)?;
                    Some(Source::Link { part, port, factor })
                });
                found.unwrap_or(Source::Zero)
            }
            Quantity::Update(update, what) => Source::Learned { update, what, factor },
            _ => Source::Zero,
        }
    };
    let mut source = source;
    model.channels.iter().map(&mut source).collect()
}

/// The constraints in unknowns of the parts, with the degree of freedom of the whole model.
fn cuts(interface: &[Constraint], parts: &[Part]) -> Vec<(usize, Cut)> {
    let unknown = |(part, dof): (usize, usize)| Some((part, parts[part].free.iter().position(|&d| d == dof)?));
    let cut = |c: &Constraint| Some((c.dof, Cut { plus: unknown(c.plus)?, minus: unknown(c.minus)? }));
    interface.iter().filter_map(cut).collect()
}
