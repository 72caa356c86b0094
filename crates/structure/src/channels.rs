//! What the channels of a structure or a substructure read out of its state, without allocating.

use interfield_kernel::element::AnyLaw;
use interfield_kernel::element::path::PathLaw;
use interfield_kernel::frame::part::At;
use interfield_kernel::{Dims, Fault, System};
use interfield_lab::rig::Reading;
use interfield_language::model::FramePart;
use interfield_language::model::{Channel, Coordinate, Kind, Load, Model, Quantity, Support, Within, short_name};
use interfield_language::signal::{Motion, Signal};
use interfield_language::specimen::Specimen;
use interfield_language::{Problem, Subject};
use interfield_linalg::dense_solve;

use crate::assemble::{Place, stored};
use crate::assembled::changing::renewed;
use crate::assembled::{Assembled, Row, Stored, gather};
use crate::pushover::Pushed;
use crate::specimen::Rows;

/// Where a channel reads.
#[allow(missing_docs)]
pub enum Tap {
    /// Entry of the state [u v s h].
    State(usize),
    /// Entry of the memory of the system.
    Memory(usize),
    /// Force of a path-moved law where it was last evaluated, from its memory.
    Path { law: PathLaw, memory: usize, element: usize },
    /// Acceleration of an unknown, plus that of the ground if `absolute`.
    Acceleration { dof: usize, absolute: bool },
    /// Derivative 0, 1 or 2 of an imposed motion.
    Imposed { index: usize, derivative: usize },
    /// Absolute acceleration of a held degree of freedom: that of the ground, and of its imposed motion.
    Held { imposed: Option<usize>, ground: Vec<Signal> },
    /// Of a degree of freedom that follows others: a sum of their taps, all of unknowns and supports.
    Sum(Vec<(Tap, f64)>),
    /// Always zero: a fixed degree of freedom.
    Zero,
    /// Coordinate `coordinate` of an element, or its force.
    Element { probe: usize, coordinate: usize, force: bool },
    /// What is read of section `point` of a member, which has its memory there.
    Section { probe: usize, memory: usize, point: usize, what: Within },
    /// Value of a load.
    Signal(Signal),
    /// Force of an element of a specimen: factors of the measured forces, by their place in the memory of the system.
    Measured(Vec<(usize, f64)>),
}

/// An element that is read.
pub struct Probe {
    /// Its law, if it has one.
    pub law: Option<Stored>,
    /// Constant matrices [K, C] when it is not a law.
    pub matrices: [Vec<f64>; 2],
    /// One row per coordinate.
    pub rows: Vec<Row>,
    /// First of its states.
    pub state0: usize,
    /// Number of its states.
    pub states: usize,
    /// Its number in the loop, if it is there.
    pub looped: Option<usize>,
}

/// Reads channels out of a state without allocating.
pub(crate) struct Recorder {
    channels: Vec<Channel>,
    taps: Vec<(Tap, f64)>,
    probes: Vec<Probe>,
    motions: Vec<Motion>,
    pub(crate) needs_acceleration: bool,
    n: usize,
    imposed: [Vec<f64>; 3],
    a: Vec<f64>,
    /// Base accelerations now.
    ground: Vec<f64>,
    /// Accelerations by what acts on the system from outside: multipliers. Zero for a structure in one piece.
    pub(crate) outside: Vec<f64>,
    q: Vec<f64>,
    v: Vec<f64>,
    p: Vec<f64>,
    g: Vec<f64>,
    /// As long as what any member remembers that is read.
    trial: Vec<f64>,
}

/// What the channels of a structure or a substructure read, laid open.
#[derive(Clone, Copy)]
pub struct Channels<'a> {
    /// The structure.
    pub model: &'a Model,
    /// The channels.
    pub channels: &'a [Channel],
    /// Numbers of its unknowns.
    pub dims: Dims,
    /// Where the channels read, with the factors to their units.
    pub taps: &'a [(Tap, f64)],
    /// The elements that they read.
    pub probes: &'a [Probe],
    /// Whether they read accelerations that the scheme does not carry.
    pub needs_acceleration: bool,
}

impl Recorder {
    /// Lays it open.
    pub(crate) fn channels<'a>(&'a self, model: &'a Model, dims: Dims) -> Channels<'a> {
        let Recorder { channels, taps, probes, needs_acceleration, .. } = self;
        Channels { model, channels, dims, taps, probes, needs_acceleration: *needs_acceleration }
    }

    pub(crate) fn new(
        model: &Model,
        channels: Vec<Channel>,
        places: &[Place],
        looped: &[usize],
        system: &Assembled,
        physical: &[Rows],
        carried: bool,
    ) -> Self {
        let dims = system.dims();
        let n = dims.nu;
        let row = |c: &Coordinate| -> Row {
            model
                .resolved(c)
                .iter()
                .filter_map(|&(d, f)| match places[d] {
                    Place::Free(i) => Some((i as u32, f)),
                    Place::Imposed(i) => Some(((n + i) as u32, f)),
                    Place::Fixed => None,
                })
                .collect()
        };
        // The law and the place in the memory of the system of a path-moved element.
        let path = |e: usize| match stored(&model.elements[e].kind) {
            Some((Stored::Path(law), _)) => {
                let element = looped.iter().position(|&l| l == e)?;
                Some((law, system.memory_offset(element), element))
            }
            _ => None,
        };
        // The place of the forces of a part of a frame in the memory of the system.
        let frame = |e: usize| match &model.elements[e].kind {
            Kind::Frame { frame, .. } => {
                let range = system.memory_range(looped.iter().position(|&l| l == e)?);
                Some(range.end - frame.part.size())
            }
            _ => None,
        };
        // Where the laboratory says that an inner degree of freedom is.
        let inner = |dof: usize| {
            let of = |s: &Specimen| s.inner.iter().position(|&d| d == dof).map(|i| s.dofs.len() + i);
            let (s, i) = model.specimens.iter().enumerate().find_map(|(s, specimen)| Some((s, of(specimen)?)))?;
            Some(system.measured().get(s)?.place(Reading::Reached, i))
        };
        let mut probes = Vec::new();
        let mut needs_acceleration = false;
        let ground = |dof: usize| -> Vec<Signal> {
            let along = short_name(&model.dofs[dof].name);
            let signal = |l: &Load| match l {
                Load::Ground { direction, signal, .. } if direction == along => Some(signal.clone()),
                _ => None,
            };
            model.loads.iter().filter_map(signal).collect()
        };
        let mut tap_one = |dof: usize, derivative: usize, absolute: bool| match places[dof] {
            Place::Fixed if absolute => Tap::Held { imposed: None, ground: ground(dof) },
            Place::Imposed(i) if absolute => Tap::Held { imposed: Some(i), ground: ground(dof) },
            Place::Fixed => Tap::Zero,
            Place::Imposed(index) => Tap::Imposed { index, derivative },
            Place::Free(i) if derivative < 2 => Tap::State(derivative * n + i),
            Place::Free(i) => {
                needs_acceleration |= !carried;
                Tap::Acceleration { dof: i, absolute }
            }
        };
        let mut tap_dof = |dof: usize, derivative: usize, absolute: bool| match &model.dofs[dof].support {
            Support::Follows(terms) => {
                let ground = if absolute { ground(dof) } else { Vec::new() };
                let own = terms.iter().map(|&(d, f)| (tap_one(d, derivative, false), f));
                Tap::Sum(own.chain([(Tap::Held { imposed: None, ground }, 1.0)]).collect())
            }
            _ => tap_one(dof, derivative, absolute),
        };
        let taps = channels
            .iter()
            .map(|channel| {
                let tap = match channel.quantity {
                    // Of the structure as a whole.
                    Quantity::Gap(..)
                    | Quantity::InterfaceForce(_)
                    | Quantity::Link(_)
                    | Quantity::Energy(_)
                    | Quantity::Update(..) => Tap::Zero,
                    Quantity::Push(part) => Tap::State(Pushed::place(dims, part)),
                    Quantity::Displacement(d) if let Some(place) = inner(d) => Tap::Memory(place),
                    Quantity::Displacement(d) => tap_dof(d, 0, false),
                    Quantity::Velocity(d) => tap_dof(d, 1, false),
                    Quantity::Acceleration(d) => tap_dof(d, 2, false),
                    Quantity::AbsoluteAcceleration(d) => tap_dof(d, 2, true),
                    Quantity::Drift { above, below, height } => {
                        let ends = [Some((above, 1.0 / height)), below.map(|d| (d, -1.0 / height))];
                        let rows = vec![row(&ends.into_iter().flatten().collect())];
                        probes.push(Probe {
                            law: None,
                            matrices: Default::default(),
                            rows,
                            state0: 0,
                            states: 0,
                            looped: None,
                        });
                        Tap::Element { probe: probes.len() - 1, coordinate: 0, force: false }
                    }
                    Quantity::Section(e, point, what) => {
                        let Kind::Frame { frame, coordinates } = &model.elements[e].kind else {
                            return (Tap::Zero, 0.0);
                        };
                        let at = looped.iter().position(|&l| l == e);
                        let memory = at.map_or(0, |l| system.memory_offset(l));
                        match (frame.part.remembered(point), what) {
                            (Some([strains, _]), Within::Strain(i)) => Tap::Memory(memory + strains + i),
                            (Some([_, forces]), Within::Force(i)) => Tap::Memory(memory + forces + i),
                            _ => {
                                let rows = coordinates.iter().map(row).collect();
                                let (law, matrices) = (Some(Stored::Frame(frame.clone())), Default::default());
                                probes.push(Probe { law, matrices, rows, state0: 0, states: 0, looped: None });
                                Tap::Section { probe: probes.len() - 1, memory, point, what }
                            }
                        }
                    }
                    Quantity::LoadSignal(i) => match &model.loads[i] {
                        Load::Ground { signal, .. } | Load::Force { signal, .. } => Tap::Signal(signal.clone()),
                    },
                    Quantity::State(e, i) => match (looped.iter().position(|&l| l == e), path(e)) {
                        (_, Some((_, memory, _))) => Tap::Memory(memory + 1),
                        (Some(l), None) => Tap::State(2 * n + system.state_offset(l) + i),
                        (None, None) => Tap::Zero,
                    },
                    Quantity::Specimen(s, i, reading) => Tap::Memory(system.measured()[s].place(reading, i)),
                    Quantity::External(e, i, reading) => {
                        Tap::Memory(system.measured()[model.specimens.len() + e].place(reading, i))
                    }
                    Quantity::Force(e, i) if let Some(weights) = measured_force(physical, system, e, i) => {
                        Tap::Measured(weights)
                    }
                    Quantity::Force(e, _) if let Some((law, memory, element)) = path(e) => {
                        Tap::Path { law, memory, element }
                    }
                    Quantity::Force(e, i) if let Some(forces) = frame(e) => Tap::Memory(forces + i),
                    Quantity::Force(e, i) | Quantity::Deformation(e, i) => {
                        let kind = &model.elements[e].kind;
                        let state0 = looped.iter().position(|&l| l == e).map_or(0, |l| system.state_offset(l));
                        probes.push(match (stored(kind), kind) {
                            (Some((law, coordinates)), _) => Probe {
                                states: law.shape().1,
                                law: Some(law),
                                matrices: Default::default(),
                                rows: coordinates.iter().map(row).collect(),
                                state0,
                                looped: looped.iter().position(|&l| l == e),
                            },
                            (None, Kind::Linear { dofs, stiffness, damping, .. }) => Probe {
                                law: None,
                                matrices: [stiffness.clone(), damping.clone()],
                                rows: dofs.iter().map(|&d| row(&vec![(d, 1.0)])).collect(),
                                state0,
                                states: 0,
                                looped: None,
                            },
                            (None, _) => unreachable!("only plain matrices have no law"),
                        });
                        let force = matches!(channel.quantity, Quantity::Force(..));
                        Tap::Element { probe: probes.len() - 1, coordinate: i, force }
                    }
                };
                (tap, channel.factor)
            })
            .collect();
        let motions: Vec<Motion> = model
            .dofs
            .iter()
            .filter_map(|d| match &d.support {
                Support::Imposed(m) => Some(m.clone()),
                _ => None,
            })
            .collect();
        let widest = probes.iter().map(|p| p.rows.len()).max().unwrap_or(0);
        let most = probes.iter().map(|p| p.states).max().unwrap_or(0);
        let longest = probes.iter().filter_map(|p| p.law.as_ref()).map(Stored::memory).max().unwrap_or(0);
        Recorder {
            channels,
            taps,
            probes,
            needs_acceleration,
            n,
            imposed: std::array::from_fn(|_| vec![0.0; motions.len()]),
            motions,
            a: vec![0.0; n],
            ground: vec![0.0; system.ground_count()],
            outside: vec![0.0; n],
            q: vec![0.0; widest],
            v: vec![0.0; widest],
            p: vec![0.0; widest],
            g: vec![0.0; most],
            trial: vec![0.0; longest],
        }
    }

    /// The law of an element of the loop has other parameters now.
    pub(crate) fn change(&mut self, element: usize, law: &AnyLaw) {
        for probe in self.probes.iter_mut().filter(|p| p.looped == Some(element)) {
            if let Some(law) = probe.law.as_ref().and_then(|before| renewed(before, law)) {
                probe.law = Some(law);
            }
        }
        for (tap, _) in &mut self.taps {
            if let Tap::Path { law: own, element: e, .. } = tap
                && *e == element
                && let Some(law) = PathLaw::of(law)
            {
                *own = law;
            }
        }
    }

    /// Reads the channels at time `t` from the state `x` = [u v s h].
    pub(crate) fn read(&mut self, system: &mut Assembled, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), Fault> {
        let dims = system.dims();
        for (i, m) in self.motions.iter().enumerate() {
            [self.imposed[0][i], self.imposed[1][i], self.imposed[2][i]] = m.at(t);
        }
        // Once for all channels: a record is looked up in its samples.
        system.ground_values(t, &mut self.ground);
        let at = dims.point(t, &x[..dims.state()]);
        let a: &[f64] = if self.needs_acceleration {
            system.accelerations(at, &mut self.a)?;
            self.a.iter_mut().zip(&self.outside).for_each(|(a, o)| *a += o);
            &self.a
        } else {
            x.get(dims.state()..dims.state() + self.n).unwrap_or(&[])
        };
        let ground = &self.ground;
        let imposed = &self.imposed;
        let motion = |tap: &Tap| match tap {
            Tap::State(i) => x[*i],
            Tap::Acceleration { dof, absolute: false } => a[*dof],
            Tap::Acceleration { dof, absolute: true } => a[*dof] + system.ground_along(*dof, ground),
            Tap::Imposed { index, derivative } => imposed[*derivative][*index],
            Tap::Held { imposed: i, ground } => {
                i.map_or(0.0, |i| imposed[2][i]) + ground.iter().map(|s| s.value(t)).sum::<f64>()
            }
            _ => 0.0,
        };
        for ((tap, factor), out) in self.taps.iter().zip(out) {
            let value = match tap {
                Tap::Sum(terms) => terms.iter().map(|(tap, f)| f * motion(tap)).sum(),
                Tap::State(_) | Tap::Acceleration { .. } | Tap::Imposed { .. } | Tap::Held { .. } => motion(tap),
                // The system has the memory of the state that is read.
                Tap::Memory(i) => system.memory()[*i],
                Tap::Measured(weights) => weights.iter().map(|(i, w)| w * system.memory()[*i]).sum(),
                Tap::Path { law, memory: i, .. } => law.force([system.memory()[*i], system.memory()[*i + 1]]),
                Tap::Section { probe, memory, point, what } => {
                    let Probe { law: Some(Stored::Frame(frame)), rows, .. } = &self.probes[*probe] else { continue };
                    for (q, row) in self.q.iter_mut().zip(rows) {
                        *q = gather(row, at.u, &self.imposed[0]);
                    }
                    let here = At { t, q: &self.q, v: &[], calm: 0.0, load: frame.load };
                    within(frame, &system.memory()[*memory..], here, (*point, *what), &mut self.trial)
                }
                Tap::Zero => 0.0,
                Tap::Signal(s) => s.value(t),
                Tap::Element { probe, coordinate, force } => {
                    let probe = &self.probes[*probe];
                    let d = probe.rows.len();
                    for (i, row) in probe.rows.iter().enumerate() {
                        self.q[i] = gather(row, at.u, &self.imposed[0]);
                        self.v[i] = gather(row, at.v, &self.imposed[1]);
                    }
                    if !force {
                        self.q[*coordinate]
                    } else if let Some(law) = &probe.law {
                        let s = &at.s[probe.state0..probe.state0 + probe.states];
                        law.response(t, &self.q[..d], &self.v[..d], s, &mut self.p, &mut self.g);
                        self.p[*coordinate]
                    } else {
                        let dot = |m: &[f64], x: &[f64]| -> f64 {
                            m.get(coordinate * d..(coordinate + 1) * d)
                                .map_or(0.0, |row| row.iter().zip(x).map(|(a, x)| a * x).sum())
                        };
                        dot(&probe.matrices[0], &self.q) + dot(&probe.matrices[1], &self.v)
                    }
                }
            };
            *out = value * factor;
        }
        Ok(())
    }
}

/// What is read of a section of a member that remembers `memory` and is at `at`.
fn within(frame: &FramePart, memory: &[f64], at: At<'_>, (point, what): (usize, Within), trial: &mut [f64]) -> f64 {
    let tables = frame.sections.tables();
    let Some(seen) = frame.part.seen(&tables, memory, at, point, trial) else { return 0.0 };
    let fibre = |f: usize| {
        let section = frame.part.member().map(|m| &tables.sections[m.rule.section[point]]);
        section.and_then(|s| s.fibre(&tables, &memory[seen.history.0..seen.history.1], &seen.strains, at.t, f))
    };
    match what {
        Within::Strain(i) => seen.strains[i],
        Within::Force(i) => seen.forces[i],
        Within::FibreStrain(f) => fibre(f).map_or(0.0, |f| f.0),
        Within::FibreStress(f) => fibre(f).map_or(0.0, |f| f.1),
    }
}

/// Force of coordinate `i` of element `e` by the measured forces f, if it stands in the laboratory.
fn measured_force(physical: &[Rows], system: &Assembled, e: usize, i: usize) -> Option<Vec<(usize, f64)>> {
    let (specimen, weights) = weights(physical, e, i)?;
    let place = |j: usize| system.measured()[specimen].place(Reading::Force, j);
    Some(weights.unwrap_or_else(|n| vec![f64::NAN; n]).into_iter().enumerate().map(|(j, w)| (place(j), w)).collect())
}

/// The specimen of an element, and the weights of its measured forces in that of coordinate `i` of the element. The forces p of all
/// coordinates there are those with Bᵀ p = f: p = (B Bᵀ)⁻¹ B f, if there are no more coordinates than degrees of freedom; else only
/// how many forces are measured.
pub(crate) fn weights(physical: &[Rows], e: usize, i: usize) -> Option<(usize, Result<Vec<f64>, usize>)> {
    let (specimen, rows) = physical.iter().enumerate().find(|(_, rows)| rows.iter().any(|r| r.0 == e))?;
    let before: usize = rows.iter().take_while(|r| r.0 != e).map(|r| r.1.len()).sum();
    let all: Vec<&[f64]> = rows.iter().flat_map(|r| r.1.iter().map(Vec::as_slice)).collect();
    // Coordinates at supports are moved by nobody, and nothing is known of their forces.
    let moved = |row: &&[f64]| row.iter().any(|x| *x != 0.0);
    let asked = all.iter().take(before + i).filter(|row| moved(row)).count();
    let b: Vec<&[f64]> = all.iter().copied().filter(moved).collect();
    let dot = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let gram: Vec<f64> = b.iter().flat_map(|x| b.iter().map(|y| dot(x, y))).collect();
    let mut unit = vec![0.0; b.len()];
    *unit.get_mut(asked)? = 1.0;
    let n = b.first()?.len();
    let told = dense_solve(&gram, b.len(), &mut unit, 1) && moved(&all[before + i]);
    let weight = |j: usize| b.iter().zip(&unit).map(|(row, w)| row[j] * w).sum();
    Some((specimen, if told { Ok((0..n).map(weight).collect()) } else { Err(n) }))
}

/// Channels of forces that cannot be told from what is measured: where a specimen has more elements than degrees of freedom.
pub(crate) fn untold(model: &Model, channels: &[Channel], physical: &[Rows]) -> Vec<Problem> {
    let problem = |channel: &Channel| {
        let Quantity::Force(e, i) = channel.quantity else { return None };
        let (s, Err(_)) = weights(physical, e, i)? else { return None };
        let specimen = model.specimens.get(s)?;
        let message = format!(
            "the force `{}` cannot be told from the measured forces: the elements of specimen `{}` are more than the degrees of freedom \
             that are measured",
            channel.name, specimen.name
        );
        let dof = specimen.dofs.first().map_or("", |&d| model.dofs[d].name.as_str());
        let help = format!("remove it from [record]; the measured force on `{dof}` is `{dof}.measured`");
        Some(Problem::error(Subject::Specimen(s), message, &help))
    };
    channels.iter().filter_map(problem).collect()
}
