//! A partitioned model ready to run: the coupling that steps, the taps that read its channels on whichever side they
//! live, and the observer of its quality.
//!
//! **Must not be here:** coupling formulas, text.

mod blueprint;
mod interface;

use interfield_coupling::quality::{Cut, Monitor, Quality, gap, interface_force};
use interfield_coupling::{
    Assembly as Substructures, Coupling, CouplingError, Driven, Method, PmcOptions, Port, Substructure,
};
use interfield_kernel::element::Element as _;
use interfield_kernel::{Fault, Scheme};
use interfield_linalg::{EigenError, Pattern, highest};

use crate::assemble::{Assembly, Place, assemble, explain};
use crate::assembled::Assembled;
use crate::energy::Energy;
use crate::simulation::{Recorder, cannot_start, diagonal};
use crate::specimen::{Mounted, Rehearsal, Workshop, mount};
use crate::split::{Constraint, Drive, Split, SubModel, split};
use crate::watch::{Names, Spot, Verdict, Watch, sentence, verdict};
use interfield_language::external::External;
use interfield_language::model::{Channel, Element, EnergyPart, Kind, Model, Quantity};
use interfield_language::partition::{Constraints, Partition};
use interfield_language::signal::Motion;
use interfield_language::{Problem, Subject};

pub use blueprint::{Blueprint, PartBlueprint};

/// One substructure as far as reading and explaining goes.
struct Part {
    sub: SubModel,
    free: Vec<usize>,
    looped: Vec<usize>,
    /// Whether the states of these elements remember their deformation.
    memory: Vec<bool>,
    /// Elements in the loop whose force is a function of their deformation.
    curves: Vec<usize>,
    recorder: Recorder,
    /// Its energy balance, if recorded.
    energy: Option<Energy>,
    /// Copy of its state while it is read.
    x: Vec<f64>,
    out: Vec<f64>,
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
    /// Nothing: there is no link on the fine side.
    Zero,
}

/// A partitioned model ready to run.
pub struct Partitioned {
    /// The model it was made from.
    pub model: Model,
    /// The coupling.
    pub coupling: Box<dyn Coupling<Assembled>>,
    /// Warnings about the cuts; those about the whole structure are given by [`crate::Simulation`].
    pub warnings: Vec<Problem>,
    /// The constraints, row by row.
    pub interface: Vec<Constraint>,
    parts: Vec<Part>,
    sources: Vec<Source>,
    /// The constraints in unknowns of the parts.
    cuts: Vec<Cut>,
    /// Part and unknown of every degree of freedom of the whole model that is free.
    homes: Vec<Option<(usize, usize)>>,
    monitor: Monitor,
    links: Vec<f64>,
    /// Motions that the coupling imposes, by degree of freedom of the whole model.
    driven: Vec<(usize, Motion)>,
    watch: Option<Watch>,
    /// Unknowns that the coupling moves, with the force that moves them and where they are.
    moved: Vec<((usize, usize), [f64; 2])>,
}

/// Names for what a watch finds.
impl Names for Partitioned {
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

impl Partitioned {
    /// Takes a partitioned model apart, assembles the parts and starts the coupling, specimens in the emulated laboratory; all
    /// problems at once.
    pub fn new(model: Model) -> Result<Self, Vec<Problem>> {
        Self::in_workshop(model, &mut Rehearsal)
    }

    /// The same with rigs from a workshop.
    pub fn in_workshop(model: Model, workshop: &mut dyn Workshop) -> Result<Self, Vec<Problem>> {
        let Split { parts: subs, interface, driven, massless: mut warnings, .. } = split(&model)?;
        let dt = model.analysis.dt;
        let twins_wanted = model.partition.as_ref().is_some_and(|p| p.coupling.info.twins);
        let (mut parts, mut substructures, mut problems) = (Vec::new(), Vec::new(), Vec::new());
        let (mut twins, mut places_of) = (Vec::new(), Vec::new());
        for (p, mut sub) in subs.into_iter().enumerate() {
            let Mounted { assembly, rows } = match mount(&sub.model, workshop) {
                Ok(mounted) => mounted,
                Err(list) => {
                    problems.extend(list.into_iter().map(|problem| sub.in_whole(problem)));
                    continue;
                }
            };
            if twins_wanted && !sub.fine {
                problems.extend(sub.model.externals.iter().map(|e| sub.in_whole(needed_twice(e))));
                twins.extend(assemble(&sub.model).map(|twin| twin.system));
            }
            let Assembly { system, y0, places, free, looped, memory, .. } = assembly;
            sub.model.channels = model.channels.iter().filter_map(|c| inside(c, &sub)).collect();
            let scheme = sub.model.analysis.scheme;
            let recorder =
                Recorder::new(&sub.model, &places, &looped, &system, &rows, scheme.claims().carries_acceleration);
            let ports = ports(&interface, p, &places);
            problems.extend(changing_mass(&model, &sub, &places, &ports));
            let out = vec![0.0; sub.model.channels.len()];
            let curves = (0..system.curve_count()).map(|i| system.curve_element(i)).collect();
            substructures.push(Substructure {
                system,
                y0,
                scheme,
                substeps: sub.substeps as usize,
                fine: sub.fine,
                ports,
            });
            places_of.push(places);
            parts.push(Part { sub, free, looped, memory, curves, recorder, energy: None, x: Vec::new(), out });
        }
        if model.analysis.land {
            let message =
                "events = \"land\" changes the step of the whole structure, and substructures have steps of their own";
            let help = "leave `events` out and take more substeps, or run in one piece with --whole";
            problems.push(Problem::error(Subject::Step, message.to_owned(), help));
        }
        problems.extend(model.channels.iter().filter_map(|c| whole_dof(c, &interface).map(|d| not_cut(&model, c, d))));
        let Some(partition) = model.partition.as_ref().filter(|_| problems.is_empty()) else { return Err(problems) };
        let unknown = |&(part, dof): &(usize, usize)| match places_of[part][dof] {
            Place::Free(i) => Some((part, i)),
            Place::Imposed(_) | Place::Fixed => None,
        };
        let whole = |d: &Drive| Some((parts.get(d.ends.first()?.0)?.sub.dofs[d.ends.first()?.1], d.motion.clone()));
        let imposed = driven.iter().filter_map(whole).collect();
        let drive = |d: Drive| {
            let (ends, motion) = (d.ends.iter().filter_map(unknown).collect(), d.motion);
            Driven { ends, rate: Box::new(move |t| [motion.at(t)[1], motion.at(t)[2]]) }
        };
        let driven = driven.into_iter().map(drive).collect();
        let assembly = Substructures { substructures, rows: interface.len(), dt };
        let start = partition.coupling.method.start(assembly, twins, driven);
        let mut coupling = start.map_err(|e| vec![refusal(&e, &model, &interface, &parts)])?;
        let balanced = model.channels.iter().any(|c| matches!(c.quantity, Quantity::Energy(_)));
        for (i, part) in parts.iter_mut().enumerate() {
            part.x = coupling.state_of(i).to_vec();
            if balanced {
                let dims = coupling.dims_of(i);
                let at = dims.point(0.0, &part.x[..dims.state()]);
                let energy = Energy::new(coupling.system_of(i), at);
                let problem = |fault| vec![cannot_start(&part.sub.model, &part.free, &part.looped, fault)];
                part.energy = Some(energy.map_err(problem)?);
            }
        }
        warnings.extend(untied(partition, &parts));
        let mut homes = vec![None; model.dofs.len()];
        for (p, part) in parts.iter().enumerate().rev() {
            part.free.iter().enumerate().for_each(|(i, &d)| homes[part.sub.dofs[d]] = Some((p, i)));
        }
        let cuts = cuts(&interface, &parts);
        let sources = sources(&model, &cuts, &parts, coupling.as_ref());
        let most = (0..coupling.count()).map(|i| coupling.ports_of(i).len()).max().unwrap_or(0);
        let mut this = Partitioned {
            monitor: Monitor::new(coupling.as_ref(), cuts.iter().map(|c| c.1).collect(), steps(&model)),
            cuts: cuts.into_iter().map(|c| c.1).collect(),
            coupling,
            warnings,
            interface,
            parts,
            sources,
            homes,
            links: vec![0.0; most],
            driven: imposed,
            watch: None,
            moved: Vec::new(),
            model,
        };
        this.monitor.observe(this.coupling.as_mut(), 0);
        Ok(this)
    }

    /// Number of macro-steps to the end of the analysis.
    pub fn steps(&self) -> u64 {
        steps(&self.model)
    }

    /// Takes macro-step `k` and looks at how well it went.
    pub fn step(&mut self, k: u64) -> Result<(), Fault> {
        self.coupling.step(k)?;
        self.monitor.observe(self.coupling.as_mut(), k + 1);
        let t = (k + 1) as f64 * self.coupling.dt();
        for (i, part) in self.parts.iter_mut().enumerate() {
            if let Some(energy) = &mut part.energy {
                part.x.copy_from_slice(self.coupling.state_of(i));
                let dims = self.coupling.dims_of(i);
                energy.add(self.coupling.system_of(i), dims.point(t, &part.x[..dims.state()]))?;
            }
        }
        self.observe(k + 1)
    }

    /// Sets a watch over the run, from the present state on: see [`crate::watch`].
    ///
    /// # Errors
    /// The fault at the start.
    pub fn watch(&mut self) -> Result<(), Fault> {
        let mut watch = Watch::new(self.steps());
        for (i, part) in self.parts.iter_mut().enumerate() {
            part.x.copy_from_slice(self.coupling.state_of(i));
            let dims = self.coupling.dims_of(i);
            let dt = self.coupling.dt() / f64::from(part.sub.substeps);
            watch.add(self.coupling.system_of(i), dims.point(0.0, &part.x[..dims.state()]), dt)?;
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
        let Partitioned { watch: Some(watch), parts, coupling, moved, .. } = self else { return Ok(()) };
        for (end, before) in moved {
            let now = pushed(coupling.as_ref(), *end);
            watch.put(0.5 * (now[0] + before[0]) * (now[1] - before[1]));
            *before = now;
        }
        let (t, due) = (done as f64 * coupling.dt(), watch.is_due(done));
        for (i, part) in parts.iter_mut().enumerate() {
            part.x.copy_from_slice(coupling.state_of(i));
            let dims = coupling.dims_of(i);
            watch.note(i, coupling.system_of(i), dims.point(t, &part.x[..dims.state()]), due)?;
        }
        if due {
            watch.judge(t, || liveliest(parts, coupling.as_mut()));
        }
        Ok(())
    }

    /// Why the run is worthless from here on, if the watch over it says so.
    pub fn lost(&self) -> Option<String> {
        Some(sentence(&self.watch.as_ref()?.end()?, self))
    }

    /// What the watch over the run thinks of it; `None` without one.
    pub fn verdict(&self) -> Option<Verdict> {
        Some(verdict(&self.watch.as_ref()?.findings(&self.quality().rows), self))
    }

    /// Reads all channels at time `k dt` into `out`, in their units.
    pub fn sample(&mut self, k: u64, out: &mut [f64]) -> Result<(), Fault> {
        let t = k as f64 * self.coupling.dt();
        for (i, part) in self.parts.iter_mut().enumerate().filter(|(_, p)| !p.out.is_empty()) {
            part.x.copy_from_slice(self.coupling.state_of(i));
            if part.recorder.needs_acceleration {
                // Accelerations by the multipliers first, while the coupling can be read.
                part.recorder.outside.fill(0.0);
                self.coupling.add_multiplier_accelerations(i, &mut part.recorder.outside);
            }
            part.recorder.read(self.coupling.system_of(i), None, t, &part.x, &mut part.out)?;
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
                Source::Zero => 0.0,
            };
        }
        Ok(())
    }

    /// How well the substructures held together so far.
    pub fn quality(&self) -> Quality {
        self.monitor.quality()
    }

    /// Present force through cut `row` of [`Partitioned::interface`], on its first side.
    pub fn interface_force(&self, row: usize) -> f64 {
        self.cuts.get(row).map_or(0.0, |cut| interface_force(self.coupling.as_ref(), cut.plus))
    }

    /// Present displacement of a degree of freedom of the whole model (on the first side that has it), if it is free.
    pub fn displacement(&self, dof: usize) -> Option<f64> {
        let (part, unknown) = (*self.homes.get(dof)?)?;
        self.coupling.state_of(part).get(unknown).copied()
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

    /// Names of the substructures, in the order of the coupling.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|p| p.sub.name.as_str())
    }

    /// Substructure `i` as a model of its own.
    pub fn part(&self, i: usize) -> &SubModel {
        &self.parts[i].sub
    }

    /// Names of the unknowns of substructure `i`.
    pub fn unknowns(&self, i: usize) -> impl ExactSizeIterator<Item = &str> {
        let part = &self.parts[i];
        part.free.iter().map(|&d| part.sub.model.dofs[d].name.as_str())
    }

    /// Pattern, mass and stiffness of substructure `i` on its own, for small motions about the present linearisation.
    fn matrices(&mut self, i: usize) -> (&Pattern, Vec<f64>, Vec<f64>) {
        self.coupling.system_of(i).matrices(&self.parts[i].memory)
    }

    /// Mass of every unknown of substructure `i`, SI.
    pub fn masses(&mut self, i: usize) -> Vec<f64> {
        let (pattern, mass, _) = self.matrices(i);
        diagonal(pattern, &mass)
    }

    /// Largest circular frequency of substructure `i` on its own, rad/s.
    pub fn omega_max(&mut self, i: usize) -> Result<f64, EigenError> {
        let (pattern, mass, stiffness) = self.matrices(i);
        Ok(highest(pattern, &stiffness, &mass)?.max(0.0).sqrt())
    }

    /// A fault of the loop in words, with the user's names.
    pub fn explain(&self, fault: Fault) -> String {
        match self.parts.get(self.coupling.faulty()) {
            Some(Part { sub, free, looped, .. }) => {
                format!("substructure `{}`: {}", sub.name, explain(&sub.model, free, looped, fault))
            }
            None => explain(&self.model, &[], &[], fault),
        }
    }
}

/// Force of the multipliers on an unknown of a substructure, and its displacement.
fn pushed(coupling: &dyn Coupling<Assembled>, (part, unknown): (usize, usize)) -> [f64; 2] {
    [interface_force(coupling, (part, unknown)), coupling.state_of(part)[unknown]]
}

/// Substructure and unknown in which most of the energy is.
fn liveliest(parts: &[Part], coupling: &mut dyn Coupling<Assembled>) -> (usize, usize) {
    let mut most = (f64::NEG_INFINITY, (0, 0));
    for (i, part) in parts.iter().enumerate() {
        let n = part.free.len();
        let system = coupling.system_of(i);
        let unknown = system.liveliest(&part.x[..n], &part.x[n..2 * n]);
        let energy = system.kinetic_energy(&part.x[..n], &part.x[n..2 * n]) + system.elastic_energy(&part.x[..n]);
        if energy > most.0 {
            most = (energy, (i, unknown));
        }
    }
    most.1
}

/// PMC advances its coarse side on three interlaced sequences. A hysteretic law there sees all of them in turn, and what
/// keeps them apart drives it: on the isolated viaduct the multipliers break away after three seconds.
fn untied(partition: &Partition, parts: &[Part]) -> Option<Problem> {
    let Method::Pmc(PmcOptions { windows: 3, mix: 0.0, .. }) = partition.coupling.method else { return None };
    let hysteretic = |name: &str| {
        let law = interfield_kernel::element::catalogue::catalogue().any(|info| info.name == name && info.hysteretic);
        law || name == "formula"
    };
    let coarse = parts.iter().enumerate().filter(|(_, p)| !p.sub.fine);
    let mut elements = coarse.flat_map(|(_, p)| p.sub.elements.iter().zip(&p.sub.model.elements));
    let (&element, law) = elements.find(|(_, e)| hysteretic(&e.type_name))?;
    let message = format!(
        "`{}` is hysteretic and stands on the coarse side, whose three sequences `pmc` does not tie together",
        law.name
    );
    let help = "write mix = 0.01 in [coupling], or use another coupling (docs/passivity.md, limits)";
    Some(Problem { fatal: false, ..Problem::error(Subject::Element(element), message, help) })
}

/// The degree of freedom of a channel about a cut where there is none.
fn whole_dof(channel: &Channel, interface: &[Constraint]) -> Option<usize> {
    match channel.quantity {
        Quantity::Gap(d, _) | Quantity::InterfaceForce(d) | Quantity::Link(d) => {
            interface.iter().all(|c| c.dof != d).then_some(d)
        }
        _ => None,
    }
}

fn not_cut(model: &Model, channel: &Channel, dof: usize) -> Problem {
    let message = format!("channel `{}`: the structure is not cut at `{}`", channel.name, model.dofs[dof].name);
    Problem::error(Subject::Dof(dof), message, "record it where substructures meet")
}

/// An external on a side that is computed twice.
fn needed_twice(external: &External) -> Problem {
    let name = &external.name;
    let message =
        format!("the coupling computes the coarse side twice, and the program of external `{name}` runs once");
    let help = "put it into a substructure on the fine side, or take another coupling: \"pm\", \"lsrt2-staggered\"";
    Problem::error(Subject::Element(external.element), message, help)
}

fn steps(model: &Model) -> u64 {
    crate::simulation::steps(&model.analysis)
}

/// A channel of the whole model as one of a part, if what it reads is there.
fn inside(channel: &Channel, sub: &SubModel) -> Option<Channel> {
    let dof = |d: usize| sub.dofs.iter().position(|&x| x == d);
    let element = |e: usize| sub.elements.iter().position(|&x| x == e);
    let quantity = match channel.quantity {
        Quantity::Displacement(d) => Quantity::Displacement(dof(d)?),
        Quantity::Velocity(d) => Quantity::Velocity(dof(d)?),
        Quantity::Acceleration(d) => Quantity::Acceleration(dof(d)?),
        Quantity::AbsoluteAcceleration(d) => Quantity::AbsoluteAcceleration(dof(d)?),
        Quantity::Force(e, i) => Quantity::Force(element(e)?, i),
        Quantity::Deformation(e, i) => Quantity::Deformation(element(e)?, i),
        Quantity::State(e, i) => Quantity::State(element(e)?, i),
        Quantity::LoadSignal(i) => Quantity::LoadSignal(sub.loads.iter().position(|&x| x == i)?),
        Quantity::Specimen(s, i, reading) => {
            Quantity::Specimen(sub.specimens.iter().position(|&x| x == s)?, i, reading)
        }
        Quantity::External(e, i, reading) => {
            Quantity::External(sub.externals.iter().position(|&x| x == e)?, i, reading)
        }
        Quantity::Gap(..) | Quantity::InterfaceForce(_) | Quantity::Link(_) | Quantity::Energy(_) => return None,
    };
    Some(Channel { quantity, ..channel.clone() })
}

/// Entries of L of part `p`.
fn ports(interface: &[Constraint], p: usize, places: &[Place]) -> Vec<Port> {
    let ends = interface.iter().enumerate().flat_map(|(row, c)| [(row, c.plus, 1.0), (row, c.minus, -1.0)]);
    ends.filter(|(_, (part, _), _)| *part == p)
        .filter_map(|(row, (_, dof), sign)| match places[dof] {
            Place::Free(dof) => Some(Port { row, dof, sign }),
            Place::Imposed(_) | Place::Fixed => None,
        })
        .collect()
}

fn sources(model: &Model, cuts: &[(usize, Cut)], parts: &[Part], coupling: &dyn Coupling<Assembled>) -> Vec<Source> {
    let mut taken = vec![0; parts.len()];
    let source = |channel: &Channel| {
        // The parts list their channels in the order of the model; the first that has one gives it.
        let mut first = None;
        for (p, part) in parts.iter().enumerate() {
            if inside(channel, &part.sub).is_some() {
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
            Quantity::InterfaceForce(d) => at(d).next().map_or(Source::Zero, |&(_, cut)| Source::Force { cut, factor }),
            Quantity::Link(d) => {
                let ends = at(d).flat_map(|(_, cut)| [cut.plus, cut.minus]);
                let found = ends.filter(|(part, _)| coupling.is_fine(*part)).find_map(|(part, dof)| {
                    let port = coupling.ports_of(part).iter().position(|p| p.dof == dof)?;
                    Some(Source::Link { part, port, factor })
                });
                found.unwrap_or(Source::Zero)
            }
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

/// Why the coupling cannot start, in the user's names.
fn refusal(error: &CouplingError, model: &Model, interface: &[Constraint], parts: &[Part]) -> Problem {
    let name = |row: usize| interface.get(row).map_or("?", |c| model.dofs[c.dof].name.as_str());
    match error {
        CouplingError::Fault(located) => {
            let part = &parts[located.substructure];
            part.sub.in_whole(cannot_start(&part.sub.model, &part.free, &part.looped, located.fault))
        }
        CouplingError::Redundant { rows } => {
            let names: std::collections::BTreeSet<&str> = rows.iter().map(|&r| name(r)).collect();
            let names: Vec<String> = names.into_iter().map(|n| format!("`{n}`")).collect();
            let message = format!(
                "the constraints at {} say the same thing more than once, so that the interface forces are not determined",
                names.join(", ")
            );
            let repeated = model.partition.as_ref().is_some_and(|p| p.coupling.constraints == Constraints::AllPairs);
            let help = match repeated {
                true => {
                    "write constraints = \"tree\" in [coupling], or method = \"llm\", which has no such choice to make"
                }
                false => "write method = \"llm\" in [coupling], which determines them, or cut elsewhere",
            };
            Problem::error(Subject::Model, message, help)
        }
        CouplingError::Rigid { row } => {
            let message = format!(
                "the interface `{}` has no mass: on neither side, or not in the substructure with substeps",
                name(*row)
            );
            let dof = interface.get(*row).map_or(Subject::Model, |c| Subject::Dof(c.dof));
            Problem::error(dof, message, "give the node a mass, and both sides a share of it (`interface_mass`)")
        }
        CouplingError::Reversed { row } => {
            let message = format!(
                "a force at the interface `{}` moves a side against itself within a step: a scheme is beyond its limit of stability",
                name(*row)
            );
            let help = "take a smaller `dt`, more `substeps`, or an implicit `scheme`; `interfield check --stability` of a \
                        substructure by itself shows its limit";
            Problem::error(Subject::Step, message, help)
        }
        CouplingError::Unsuitable(message) => {
            Problem::error(Subject::Model, message.clone(), "change [coupling] or the substructures")
        }
    }
}

/// Couplings find their multipliers with the mass at the start. Where a pendulum meets an interface its mass there changes
/// with the motion: the parts would converge, to something else.
fn changing_mass(model: &Model, sub: &SubModel, places: &[Place], ports: &[Port]) -> Option<Problem> {
    let meets = |&(d, _): &(usize, f64)| match places[d] {
        Place::Free(i) => ports.iter().any(|p| p.dof == i),
        Place::Imposed(_) | Place::Fixed => false,
    };
    let swings = |e: &Element| match &e.kind {
        Kind::Law { law, coordinates, .. } => law.has_mass() && coordinates.iter().flatten().any(meets),
        _ => false,
    };
    let element = sub.model.elements.iter().position(swings)?;
    let coupling = model.partition.as_ref()?.coupling.info.name;
    let name = &sub.model.elements[element].name;
    let message = format!(
        "the mass of `{name}` changes with the motion and meets an interface, where coupling `{coupling}` keeps it"
    );
    let help = "cut the structure elsewhere, so that the pivot is no interface, or run it in one piece (--whole)";
    Some(sub.in_whole(Problem::error(Subject::Element(element), message, help)))
}
