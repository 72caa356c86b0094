//! A watch over a run: whether what it says can be believed. It looks at energy that comes from nowhere, at laws that turn
//! stiffer than the step can follow or push away, and at substructures that come apart; it never influences the run.
//!
//! Energy is the measure because it needs no other run to compare with: whatever structure, scheme and coupling, nothing can
//! hold more than was in it at the start and loads brought since. An unstable run breaks that within its first
//! doublings, long before its numbers overflow.
//! **Must not be here:** a scheme's or a coupling's name.

mod book;
mod events;
mod words;

use interfield_coupling::quality::RowQuality;
use interfield_kernel::{Archive, Fault, Point};
pub use interfield_lab::verdict::{Grade, Verdict};

use crate::assembled::Assembled;
use book::Book;
use events::Events;
pub(crate) use words::{Names, sentence, verdict};

/// Energies are looked at every so many steps, and at the end.
const EVERY: u64 = 32;
/// Energy from nowhere, over all that was put in, that is doubted; and at which a run is worth nothing.
const GAINED: [f64; 2] = [0.05, 1.0];
/// A run that holds more than that, and this many times more than when it first did, has diverged: it will not come back.
const GROWN: f64 = 1e3;
/// Energy that got lost where nothing takes any, over all that was put in, that is doubted.
const LOST: f64 = 0.1;
/// Gap between substructures over the motion there that is doubted; and disbelieved.
const APART: [f64; 2] = [0.02, 0.5];
/// Steps of ω dt up to which a stop is resolved: ten per contact, half a period.
const CONTACT: f64 = std::f64::consts::PI / 10.0;
/// Motions below this share of the largest are not compared with gaps.
const STILL: f64 = 1e-6;

/// Where something was found: time, substructure, and unknown or element there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Spot {
    pub t: f64,
    pub part: usize,
    pub index: usize,
}

/// What was found, gravest first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Finding {
    /// It holds `times` as much energy as was ever put in; most of it in this unknown. The run is worthless from there on.
    #[allow(missing_docs)]
    Diverged { at: Spot, times: f64 },
    /// Springs push away instead of back, and hold less than nothing: the structure has left the place where it was stable.
    RanAway(Spot),
    /// This cut has opened by a share of the motion there.
    #[allow(missing_docs)]
    Apart { cut: usize, share: f64 },
    /// The integration added this share of the energy put in.
    #[allow(missing_docs)]
    Gained { at: Spot, share: f64 },
    /// The integration took this share of it, where nothing else does.
    #[allow(missing_docs)]
    Lost { until: f64, share: f64 },
    /// This element turned stiff, and a step of `dt` s would resolve it.
    #[allow(missing_docs)]
    Unresolved { at: Spot, dt: f64 },
    /// This element pushes away instead of back.
    Softened(Spot),
}

impl Spot {
    fn persist(&mut self, archive: &mut dyn Archive) {
        let Spot { t, part, index } = self;
        archive.number(t);
        archive.whole(part);
        archive.whole(index);
    }
}

impl Finding {
    /// Saves or restores one that ends a run: the others are only made when the run is over.
    fn persist(&mut self, archive: &mut dyn Archive) {
        let (mut at, mut times) = match self {
            Finding::Diverged { at, times } => (*at, Some(*times)),
            Finding::RanAway(at) => (*at, None),
            _ => return,
        };
        at.persist(archive);
        archive.option(&mut times, 0.0, |archive, times| archive.number(times));
        *self = times.map_or(Finding::RanAway(at), |times| Finding::Diverged { at, times });
    }

    /// How grave it is.
    pub fn grade(&self) -> Grade {
        match self {
            Finding::Diverged { .. } | Finding::RanAway(_) => Grade::Failed,
            Finding::Apart { share, .. } if *share > APART[1] => Grade::Failed,
            _ => Grade::Doubtful,
        }
    }
}

/// One system under watch.
struct Watched {
    book: Book,
    events: Events,
    /// Length of its own steps, s.
    dt: f64,
    /// All that takes energy is in the book.
    complete: bool,
    /// Some of its forces are measured, or told by another program.
    measured: bool,
    potential: f64,
}

/// The watch.
pub struct Watch {
    systems: Vec<Watched>,
    /// Steps to the end.
    steps: u64,
    /// Kinetic energy at the start, and what hysteretic laws could give back, J.
    start: f64,
    /// Work that was done from outside of all systems, J.
    outside: f64,
    /// Largest work of the loads, and most that springs gave back so far, J.
    most: [f64; 2],
    /// Most energy that came from nowhere, J, and where.
    gained: (f64, Spot),
    /// Most energy that got lost, J, and until when, s.
    lost: (f64, f64),
    /// Energy from nowhere when it was first more than was put in, J.
    first: Option<f64>,
    end: Option<Finding>,
}

impl Watch {
    /// Over no system yet, for a run of so many steps.
    pub(crate) fn new(steps: u64) -> Self {
        Watch {
            systems: Vec::new(),
            steps,
            start: 0.0,
            outside: 0.0,
            most: [0.0; 2],
            gained: (0.0, Spot::default()),
            lost: (0.0, 0.0),
            first: None,
            end: None,
        }
    }

    /// Takes a system in, at its start; its own steps are `dt` long.
    pub(crate) fn add(&mut self, system: &mut Assembled, at: Point<'_>, dt: f64) -> Result<(), Fault> {
        let events = Events::new(system, at);
        let potential = events.potential(system, at.u);
        let book = Book::new(system, at, potential)?;
        let (complete, measured) = (book.is_complete(system), !system.measured().is_empty());
        self.start += book.sums().kinetic + if complete { 0.0 } else { system.stored_at_start(at.t, at.u, at.s) };
        self.systems.push(Watched { book, events, dt, complete, measured, potential });
        Ok(())
    }

    /// Saves or restores what was seen.
    pub(crate) fn persist(&mut self, archive: &mut dyn Archive) {
        let Watch { systems, steps: _, start, outside, most, gained, lost, first, end } = self;
        archive.same(systems.len());
        for Watched { book, events, dt: _, complete: _, measured: _, potential } in systems {
            book.persist(archive);
            events.persist(archive);
            archive.number(potential);
        }
        archive.numbers([start, outside].into_iter().chain(most).chain([&mut gained.0, &mut lost.0, &mut lost.1]));
        gained.1.persist(archive);
        archive.option(first, 0.0, |archive, first| archive.number(first));
        archive.option(end, Finding::RanAway(Spot::default()), |archive, end| end.persist(archive));
    }

    /// Whether energies are looked at after `done` steps.
    pub(crate) fn is_due(&self, done: u64) -> bool {
        done.is_multiple_of(EVERY) || done == self.steps
    }

    /// Adds a step of substructure `part` that ended at `at`.
    pub(crate) fn note(&mut self, part: usize, system: &mut Assembled, at: Point<'_>, due: bool) -> Result<(), Fault> {
        let Watched { book, events, potential, .. } = &mut self.systems[part];
        book.add(system, at)?;
        events.note(system, at);
        if due {
            events.look(system, at.t);
            *potential = events.potential(system, at.u);
            book.look(system, at, *potential);
        }
        Ok(())
    }

    /// Adds work that was done from outside of all systems: by supports that a coupling moves, J.
    pub(crate) fn put(&mut self, work: f64) {
        self.outside += work;
    }

    /// All energy that was put in so far, J; with what cannot be told of a load that jumps within a step.
    fn put_in(&self) -> f64 {
        let rough: f64 = self.systems.iter().map(|s| s.book.sums().rough).sum();
        self.start + self.most[0] + self.most[1] + rough
    }

    /// Compares the energies of all systems; `liveliest` says where most of them is.
    pub(crate) fn judge(&mut self, t: f64, liveliest: impl FnOnce() -> (usize, usize)) {
        if self.end.is_some() {
            return;
        }
        let sum = |of: fn(&Watched) -> f64| self.systems.iter().map(of).sum::<f64>();
        let held = sum(|s| s.book.sums().kinetic + s.book.sums().internal);
        let (internal, input) = (sum(|s| s.book.sums().internal), sum(|s| s.book.sums().input) + self.outside);
        self.most = [self.most[0].max(input.abs()), self.most[1].max(-internal)];
        let gained = held - input - self.start;
        if -gained > self.lost.0 {
            self.lost = (-gained, t);
        } else if gained > self.gained.0 || gained.is_nan() {
            let (part, index) = liveliest();
            let at = Spot { t, part, index };
            self.gained = (gained, at);
            self.first = match self.first {
                _ if gained <= GAINED[1] * self.put_in() => None,
                None => Some(gained),
                first => first,
            };
            // What sensors and late actuators add of their own is judged by the laboratory.
            let own = !self.systems.iter().any(|s| s.measured);
            if gained.is_nan() || (own && self.first.is_some_and(|first| gained > GROWN * first)) {
                self.end = Some(Finding::Diverged { at, times: 1.0 + gained / self.put_in() });
            }
        }
        if let Some(at) = self.escape().filter(|_| sum(|s| s.potential) < 0.0) {
            self.end = Some(Finding::RanAway(at));
        }
    }

    /// The first element that pushes away instead of back.
    fn escape(&self) -> Option<Spot> {
        let of = |(part, s): (usize, &Watched)| {
            let curves = s.events.curves.iter().enumerate();
            curves.filter_map(|(index, c)| Some(Spot { t: c.escaped?, part, index })).next()
        };
        self.systems.iter().enumerate().filter_map(of).min_by(|a, b| a.t.total_cmp(&b.t))
    }

    /// Why the run was ended, if it was.
    pub fn end(&self) -> Option<Finding> {
        self.end
    }

    /// All that was found; `cuts` are those between the substructures. Indices of elements are those of laws of the
    /// deformation, [`Assembled::curve_element`].
    pub(crate) fn findings(&self, cuts: &[RowQuality]) -> Vec<Finding> {
        let mut found: Vec<Finding> = self.end.into_iter().collect();
        let largest = cuts.iter().map(|c| c.displacement).fold(0.0, f64::max);
        let moving = cuts.iter().enumerate().filter(|(_, c)| c.displacement.max(c.gap_u) > STILL * largest);
        let share = |c: &RowQuality| {
            if c.gap_u.is_nan() { f64::INFINITY } else { c.gap_u / c.displacement.max(f64::MIN_POSITIVE) }
        };
        let widest = moving.map(|(cut, c)| (cut, share(c))).max_by(|a, b| a.1.total_cmp(&b.1));
        found.extend(widest.filter(|w| w.1 > APART[0]).map(|(cut, share)| Finding::Apart { cut, share }));
        if self.end.is_none() && self.put_in() > 0.0 {
            let (gained, lost) = (self.gained.0 / self.put_in(), self.lost.0 / self.put_in());
            // What sensors add of their own is not the integration's.
            let own = !self.systems.iter().any(|s| s.measured);
            found.extend(match gained {
                share if share > GAINED[1] && own => Some(Finding::Diverged { at: self.gained.1, times: 1.0 + share }),
                share if share > GAINED[0] => Some(Finding::Gained { at: self.gained.1, share }),
                _ => None,
            });
            let all_counted = own && self.systems.iter().all(|s| s.complete);
            found.extend((all_counted && lost > LOST).then_some(Finding::Lost { until: self.lost.1, share: lost }));
            found.extend(self.escape().map(Finding::Softened));
        }
        found.extend(self.unresolved());
        found.sort_by_key(|f| std::cmp::Reverse(f.grade()));
        found
    }

    /// The law that turned stiffest for its mass and its step, if that was too long for it.
    fn unresolved(&self) -> Option<Finding> {
        let laws = self.systems.iter().enumerate().flat_map(|(part, s)| {
            let laws = s.events.curves.iter().enumerate();
            laws.filter_map(move |(index, c)| Some((c.omega()?, s.dt, Spot { t: c.stiffest[1], part, index })))
        });
        let (omega, dt, at) = laws.max_by(|a, b| (a.0 * a.1).total_cmp(&(b.0 * b.1)))?;
        (omega * dt > CONTACT).then_some(Finding::Unresolved { at, dt: CONTACT / omega })
    }
}
