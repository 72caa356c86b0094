//! A divided model run with every coupling that can take it, beside the structure without error.
//!
//! All of it is computed, specimens by their laws. The reference has equal steps on all sides, far below those of the model: then a
//! coupling is the scheme of the structure in one piece, and there is still a force at the interface. It is run
//! with one step and with half of it, which tells its own error.

use interfield_analysis::scan::scan;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo, find};
use interfield_language::Model;
use interfield_language::units::{Dimension, UnitSystem, significant};
use interfield_structure::budget::EQUAL_STEPS;
use interfield_structure::elastic::computed;
use interfield_structure::{Modal, Simulation, Structure};

use super::cost::macro_step;
use super::expected::{Expected, Laws, Response};
use super::{equal_steps, first, recoupled};

/// Steps of the first reference in a fine step; the second has twice as many.
const FINER: usize = 2;
/// So often its step is halved again, while its own error is not below this share of the smallest error found.
const HALVED: usize = 3;
const BELOW: f64 = 0.1;
/// Nominal steps beyond which it is not.
const LONGEST: u64 = 4_000_000;
/// Steps of the first reference beyond which nothing is compared.
const MOST: f64 = 5e7;
/// Most nodes of the macro-grid that are compared.
const NODES: u64 = 20_000;
/// An error beyond this multiple of the motion is no result.
const LOST: f64 = 1e3;

/// Displacements and forces of the interface at the nodes compared, row by row, SI.
#[derive(Clone, Debug, Default)]
pub struct History {
    /// Displacements, m (rad).
    pub displacement: Vec<Vec<f64>>,
    /// Forces, N (N m).
    pub force: Vec<Vec<f64>>,
}

/// How a coupling did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quality {
    /// Error of the displacements of the interface over those displacements, root mean squares.
    pub displacement: f64,
    /// The same of its forces.
    pub force: f64,
    /// Largest gap over the largest displacement, of the worst row.
    pub gap: f64,
    /// Root mean square of the third difference of the forces over that of the forces, in the last quarter of the run.
    pub roughness: f64,
    /// Work that the interface added, over the work that went through it.
    pub added: f64,
}

/// A coupling that was run.
pub struct Compared {
    /// Its entry.
    pub info: &'static CouplingInfo,
    /// Whether it is that of the model, with its options.
    pub own: bool,
    /// Schemes of the substructures.
    pub schemes: Vec<String>,
    /// How it did, or why it did not get to the end.
    pub quality: Result<Quality, String>,
    /// What was expected.
    pub expected: Result<Expected, String>,
    /// Macro-steps taken.
    pub steps: u64,
    /// Time of one on this machine, s.
    pub per_step: f64,
    /// What was recorded.
    pub history: History,
}

/// All of them.
pub struct Comparison {
    /// Title of the model.
    pub title: String,
    /// Its units.
    pub units: UnitSystem,
    /// Step of the analysis, s, substeps of the fine side, and steps that were compared.
    pub dt: f64,
    /// See there.
    pub substeps: usize,
    /// See there.
    pub steps: u64,
    /// Times of the nodes, s.
    pub times: Vec<f64>,
    /// Names of the rows, and whether they turn.
    pub rows: Vec<(String, bool)>,
    /// The couplings.
    pub couplings: Vec<Compared>,
    /// Those that cannot take the model, and why.
    pub refused: Vec<(&'static str, String)>,
    /// The reference.
    pub reference: History,
    /// Its step, s, and its own error: of displacements and of forces.
    pub reference_dt: f64,
    /// See there.
    pub reference_error: [f64; 2],
    /// Its roughness.
    pub reference_roughness: f64,
    /// Its coupling.
    pub reference_coupling: &'static str,
    /// Specimens, and programs, that were computed.
    pub computed: [usize; 2],
}

impl Comparison {
    /// Unit and size of the displacement, or of the force, of a row.
    pub fn unit(&self, row: usize, force: bool) -> (String, f64) {
        let angle = self.rows.get(row).is_some_and(|r| r.1);
        let moved = if angle { Dimension::NONE } else { Dimension::LENGTH };
        let dim = if force { Dimension::MOMENT.per(moved) } else { moved };
        let label = if angle && !force { "rad".to_owned() } else { self.units.label(dim) };
        (label, self.units.factor(dim))
    }
}

/// A run that is asked for.
struct Job {
    model: Model,
    /// Its steps between two nodes of the comparison.
    every: u64,
    nodes: u64,
    /// The entry, of a coupling that is compared; none of a reference.
    info: Option<&'static CouplingInfo>,
    schemes: Vec<String>,
    per_step: f64,
}

/// What came of it.
struct Ran {
    outcome: Result<(), String>,
    history: History,
    gap: f64,
    added: f64,
    roughness: f64,
    steps: u64,
    expected: Result<Expected, String>,
}

/// Runs a model with every coupling that can take it, or those of `only`. `progress` hears how many of how many runs are done.
///
/// # Errors
/// Why nothing can be compared, and what to do.
pub fn compare(
    model: &Model,
    only: &[String],
    mut progress: impl FnMut(usize, usize),
) -> Result<Comparison, (String, String)> {
    let divided = || {
        let help = "divide it with [[substructure]] tables; see the chapter `Substructures and couplings`";
        ("the model is in one piece: there is nothing to couple".to_owned(), help.to_owned())
    };
    let partition = model.partition.as_ref().ok_or_else(divided)?;
    let steps = model.analysis.steps();
    if steps == 0 {
        return Err(("the analysis has no step".to_owned(), "give a longer --until, or a smaller --dt".to_owned()));
    }
    if Simulation::new(computed(model)).is_ok_and(|sim| sim.interface.is_empty()) {
        let help = "two substructures meet at a node on which elements of both act";
        return Err(("the substructures do not meet: there is nothing to couple".to_owned(), help.to_owned()));
    }
    let every = steps.div_ceil(NODES);
    let (nodes, substeps) = (steps / every, partition.exchanges());
    let steps_of_reference = (steps as f64) * (2 * FINER * substeps) as f64;
    if steps_of_reference > MOST {
        let message = format!(
            "the reference needs {steps_of_reference:.0e} steps, each a fraction of a fine step: more than anybody waits for"
        );
        let until = model.analysis.dt * (steps as f64) * MOST / steps_of_reference;
        let help = format!("give --until \"{} s\" or less, or fewer --substeps", significant(0.9 * until, 1));
        return Err((message, help));
    }
    let (jobs, refused) = jobs(model, only, (every, nodes));
    if jobs.is_empty() {
        let why = refused.first().map_or_else(String::new, |(name, why)| format!(": {name}: {why}"));
        return Err((format!("no coupling can take the model{why}"), "see `interfield check`".to_owned()));
    }
    let (reference_info, fine) = reference(model)?;
    let at = |finer: usize| {
        let finer = finer * substeps;
        Job::new(&equal_steps(fine.clone(), finer), None, every * finer as u64, nodes)
    };
    let response = Structure::new(model.clone())
        .map_err(first)
        .and_then(|s| Modal::new(&s, s.free().len().min(40)).map_err(|e| e.to_string()))
        .and_then(|modal| Response::new(model, Laws::Elastic, Some(&modal)));
    // The references take longest.
    let mut finer = FINER;
    let mut all = vec![at(2 * finer), at(finer)];
    all.extend(jobs);
    let total = all.len();
    let mut ran = scan(&all, |job| job.run(response.as_ref()), |done| progress(done, total));
    let couplings = ran.split_off(2);
    let jobs = all.split_off(2);
    let finished = |ran: Ran| match ran.outcome {
        Ok(()) => Ok(ran),
        Err(why) => Err((format!("the reference with small steps fails: {why}"), "give a smaller --dt".to_owned())),
    };
    let mut ran = ran.into_iter().map(finished).collect::<Result<Vec<Ran>, _>>()?.into_iter();
    let (Some(mut best), Some(mut coarser)) = (ran.next(), ran.next()) else {
        return Err(("there is no reference".to_owned(), String::new()));
    };
    let least = |best: &History| {
        let error = |r: &Ran| weighted(&r.history.displacement, &best.displacement, &best.force);
        couplings.iter().filter(|r| r.outcome.is_ok()).map(error).fold(f64::INFINITY, f64::min)
    };
    for _ in 0..HALVED {
        let longer = nodes * every * (4 * finer * substeps) as u64 > LONGEST;
        if longer || own_error(&best.history, &coarser.history)[0] <= BELOW * least(&best.history) {
            break;
        }
        finer *= 2;
        let Ok(next) = finished(at(2 * finer).run(Err(&String::new()))) else { break };
        coarser = std::mem::replace(&mut best, next);
    }
    let reference_error = own_error(&best.history, &coarser.history);
    let reference_dt = model.analysis.dt / (2 * finer * substeps) as f64;
    let own = partition.coupling.info.name;
    let compared = |(job, ran): (Job, Ran)| -> Option<Compared> {
        let info = job.info?;
        let quality = ran.outcome.and_then(|()| {
            let error = weighted(&ran.history.displacement, &best.history.displacement, &best.history.force);
            if error < LOST { Ok(error) } else { Err("diverges".to_owned()) }
        });
        let quality = quality.map(|displacement| Quality {
            displacement,
            force: weighted(&ran.history.force, &best.history.force, &best.history.displacement),
            gap: ran.gap,
            roughness: ran.roughness,
            added: ran.added,
        });
        let (schemes, per_step, own) = (job.schemes, job.per_step, own == info.name);
        let Ran { expected, steps, history, .. } = ran;
        Some(Compared { info, own, schemes, quality, expected, steps, per_step, history })
    };
    let couplings = jobs.into_iter().zip(couplings).filter_map(compared).collect();
    let sim = Simulation::new(computed(model)).map_err(|p| (first(p), String::new()))?;
    let row = |c: &interfield_structure::split::Constraint| (model.dofs[c.dof].name.clone(), model.dofs[c.dof].angle);
    Ok(Comparison {
        title: model.title.clone(),
        units: model.units.clone(),
        dt: model.analysis.dt,
        substeps,
        steps: nodes * every,
        times: (0..=nodes).map(|n| (n * every) as f64 * model.analysis.dt).collect(),
        rows: sim.interface.iter().map(row).collect(),
        couplings,
        refused,
        reference: best.history,
        reference_dt,
        reference_error,
        reference_roughness: best.roughness,
        reference_coupling: reference_info.name,
        computed: [model.specimens.len(), model.externals.len()],
    })
}

/// The couplings that are to be run, with the model of each; and those that cannot take it.
fn jobs(model: &Model, only: &[String], (every, nodes): (u64, u64)) -> (Vec<Job>, Vec<(&'static str, String)>) {
    let wanted = |info: &&CouplingInfo| only.is_empty() || only.iter().any(|name| name == info.name);
    let (mut jobs, mut refused) = (Vec::new(), Vec::new());
    for info in COUPLINGS.iter().filter(wanted) {
        let job = recoupled(model, info).map(|m| Job::new(&m, Some(info), every, nodes));
        // Timed before all cores are busy.
        let timed = job.and_then(|job| {
            let mut sim = Simulation::new(job.model.clone()).map_err(first)?;
            Ok(Job { per_step: macro_step(&mut sim).unwrap_or(f64::NAN), ..job })
        });
        match timed {
            Ok(job) => jobs.push(job),
            Err(why) => refused.push((info.name, why)),
        }
    }
    (jobs, refused)
}

/// Error of a reference, by the one with twice its step, if its errors go with the square of the step: of displacements, of forces.
fn own_error(best: &History, coarser: &History) -> [f64; 2] {
    let displacement = weighted(&coarser.displacement, &best.displacement, &best.force);
    let force = weighted(&coarser.force, &best.force, &best.displacement);
    [displacement, force].map(|e| e / 3.0)
}

/// The model for the reference, with its own steps: with the coupling for equal steps, else the first that has windows of one step and can take it.
fn reference(model: &Model) -> Result<(&'static CouplingInfo, Model), (String, String)> {
    let preferred = find(EQUAL_STEPS).into_iter();
    let others = COUPLINGS.iter().filter(|m| !m.parallel && !m.comparison && m.name != EQUAL_STEPS);
    let mut why = String::new();
    for info in preferred.chain(others) {
        let started = recoupled(model, info).and_then(|m| {
            let m = computed(&m);
            Simulation::new(equal_steps(m.clone(), 1)).map_err(first).map(|_| m)
        });
        match started {
            Ok(model) => return Ok((info, model)),
            Err(w) => why = if why.is_empty() { w } else { why },
        }
    }
    let help = "compare couplings with `interfield run --coupling` and `interfield compare`";
    Err((format!("there is no reference: {why}"), help.to_owned()))
}

impl Job {
    fn new(model: &Model, info: Option<&'static CouplingInfo>, every: u64, nodes: u64) -> Self {
        let schemes = model.partition.iter().flat_map(|p| &p.substructures).map(|s| s.scheme_name.clone()).collect();
        Job { model: computed(model), every, nodes, info, schemes, per_step: f64::NAN }
    }

    fn run(&self, response: Result<&Response, &String>) -> Ran {
        let expected = response.map_err(Clone::clone);
        let expected = expected.and_then(|r| match self.info {
            Some(_) => r.expect(&self.model),
            None => Err(String::new()),
        });
        let mut ran = Ran {
            outcome: Ok(()),
            history: History::default(),
            gap: 0.0,
            added: 0.0,
            roughness: 0.0,
            steps: 0,
            expected,
        };
        match Simulation::new(self.model.clone()) {
            Ok(sim) => self.step(sim, &mut ran),
            Err(problems) => ran.outcome = Err(first(problems)),
        }
        ran
    }

    fn step(&self, mut sim: Simulation, ran: &mut Ran) {
        let rows = sim.interface.len();
        let room = self.nodes as usize + 1;
        let series = || vec![Vec::with_capacity(room); rows];
        let mut history = History { displacement: series(), force: series() };
        let note = |sim: &Simulation, history: &mut History| {
            for (row, c) in sim.interface.iter().enumerate() {
                history.displacement[row].push(sim.displacement(c.dof).unwrap_or(0.0));
                history.force[row].push(sim.interface_force(row));
            }
        };
        note(&sim, &mut history);
        let mut rough = Roughness::new(rows);
        let total = self.nodes * self.every;
        for k in 0..total {
            if let Err(fault) = sim.step(k) {
                ran.outcome = Err(format!("a step fails: {}", sim.explain(fault)));
                break;
            }
            ran.steps = k + 1;
            if 4 * k >= 3 * total {
                (0..rows).for_each(|row| rough.push(row, sim.interface_force(row)));
            }
            if (k + 1) % self.every == 0 {
                note(&sim, &mut history);
                let finite =
                    history.displacement.iter().chain(&history.force).all(|x| x.last().is_some_and(|x| x.is_finite()));
                if !finite {
                    ran.outcome = Err("diverges".to_owned());
                    break;
                }
            }
        }
        let quality = sim.quality().unwrap_or_default();
        let gap = |r: &interfield_coupling::quality::RowQuality| r.gap_u / r.displacement.max(f64::MIN_POSITIVE);
        ran.gap = quality.rows.iter().map(gap).fold(0.0, f64::max);
        ran.added = if quality.through_work > 0.0 { quality.net_work / quality.through_work } else { 0.0 };
        ran.roughness = rough.relative();
        ran.history = history;
    }
}

/// Third differences of forces, and the forces.
struct Roughness {
    last: Vec<[f64; 4]>,
    seen: Vec<usize>,
    differences: f64,
    forces: f64,
}

impl Roughness {
    fn new(rows: usize) -> Self {
        Roughness { last: vec![[0.0; 4]; rows], seen: vec![0; rows], differences: 0.0, forces: 0.0 }
    }

    fn push(&mut self, row: usize, force: f64) {
        let last = &mut self.last[row];
        last.rotate_left(1);
        last[3] = force;
        self.seen[row] += 1;
        if self.seen[row] >= 4 {
            let [a, b, c, d] = *last;
            self.differences += (d - 3.0 * c + 3.0 * b - a).powi(2);
            self.forces += force * force;
        }
    }

    fn relative(&self) -> f64 {
        if self.forces > 0.0 { (self.differences / self.forces).sqrt() } else { 0.0 }
    }
}

/// Error of rows over the rows, root mean squares; each row counts by what it works with: a rotation by its moment.
fn weighted(found: &[Vec<f64>], right: &[Vec<f64>], with: &[Vec<f64>]) -> f64 {
    let rms = |x: &mut dyn Iterator<Item = f64>| {
        let (n, sum) = x.fold((0.0f64, 0.0), |(n, sum), x| (n + 1.0, sum + x * x));
        (sum / n.max(1.0)).sqrt()
    };
    // Rows that work with nothing, as those between parts that move alike, count as they are.
    let idle = with.iter().flatten().all(|x| *x == 0.0);
    let (mut error, mut size) = (0.0, 0.0);
    for ((found, right), with) in found.iter().zip(right).zip(with) {
        let weight = if idle { 1.0 } else { rms(&mut with.iter().copied()) };
        error += weight * rms(&mut found.iter().zip(right).map(|(a, b)| a - b));
        size += weight * rms(&mut right.iter().copied());
    }
    if size > 0.0 { error / size } else { f64::NAN }
}
