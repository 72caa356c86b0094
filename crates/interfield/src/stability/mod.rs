//! Stability of a model as it would be run: the verdict on its step, the motion that grows, the steps that would do, and
//! settings nearby that are safe.

mod certified;
mod course;
pub(crate) mod example;
pub mod hunt;
mod looped;
pub mod machine;
mod moments;
mod plants;
mod region;
mod remedy;
mod tap;
mod words;

use interfield_analysis::spectrum::{Principal, principal};
use interfield_analysis::stability::{Motion, Options, Stability, StabilityError, stability};
use interfield_analysis::step_limit::{Search, SearchError, StepLimit, largest_stable_step};
use interfield_kernel::{Fault, StepMap};
use interfield_lab::safety::Trip;
use interfield_language::Model;

use crate::table::time;
use crate::{Choices, ModelFile};
pub use certified::{Certificate, Verdict, certify};
pub use course::Course;
pub(crate) use course::examine_course;
use interfield_structure::{Simulation, Structure};
pub use looped::{Loop, examine_loop};
use machine::{Moves, OwnLimit, assemble, moves, own_limits};
pub(crate) use moments::Moments;
use remedy::Remedy;

/// Steps are searched from this fraction of the step of the model on.
const LEAST: f64 = 0.01;
/// And up to this multiple.
const MOST: f64 = 10.0;
/// Modes whose principal pairs are looked for.
const MODES: usize = 5;
/// Products for the verdict on a large model.
const PRODUCTS: usize = 6_000;
/// Products for each of the other settings that are tried on a large model.
const FEWER_PRODUCTS: usize = 1_500;

/// The largest stable step.
pub enum Limit {
    /// By a search over the step.
    Searched(StepLimit),
    /// A large structure in one piece: by its scheme and its highest frequency, s; `None`: any step.
    Known(Option<f64>),
    /// Not found, and why.
    Unknown(String),
}

/// Everything that was found.
pub struct Findings {
    machine: Simulation,
    verdict: Stability,
    /// What the step makes of the lowest modes: number, circular frequency in rad/s, principal pair.
    principal: Vec<(usize, f64, Principal)>,
    /// The leading motion and where it moves, where one leads.
    leading: Option<(Motion, Option<Moves>)>,
    limit: Limit,
    own: Vec<OwnLimit>,
    /// Stable settings nearby, for an unstable one.
    remedies: Vec<Remedy>,
    /// Whether they were looked for.
    unstable: bool,
    /// Whether this holds for small motions only.
    small: bool,
    /// The loop with the laboratory, if there are specimens.
    looped: Option<Loop>,
    /// The certificate for its uncertain numbers, and where a counter-example was written.
    certificate: Option<(Certificate, Option<Result<String, String>>)>,
}

/// Why a step could not be judged, and what to do about it.
pub struct Unjudged {
    /// The cause, a sentence.
    pub why: String,
    /// The remedy.
    pub help: &'static str,
}

impl Unjudged {
    fn new(why: String) -> Self {
        Unjudged { why, help: "try another --dt or --scheme" }
    }

    /// A step that failed while it was probed.
    fn step(machine: &Simulation, fault: Fault) -> Self {
        let why = format!("while the step was probed, {}", machine.explain(fault));
        match fault {
            Fault::Laboratory { code, .. } if Trip::from_code(code) == Some(Trip::NotFinite) => Unjudged {
                why: format!("{why}: compensation and actuators amplify the probe beyond what a number holds"),
                help: "look at the parameters of `compensation` and of [[specimen.actuator]] (coefficients that are too large, a \
                       transfer function that grows by itself), then at the step",
            },
            Fault::Laboratory { .. } => {
                Unjudged { why, help: "look at the limits and at the faults on purpose of the specimen" }
            }
            Fault::Singular { .. } => Unjudged {
                why,
                help: "give the node a `mass`, connect it with an element, or fix it; or take a smaller --dt",
            },
            Fault::SingularElement { .. } | Fault::NonFinite { .. } => {
                Unjudged { why, help: "look at the parameters of the element, or take a smaller --dt" }
            }
            Fault::NoConvergence { .. } => {
                Unjudged { why, help: "take a smaller --dt, or a --scheme that does not iterate" }
            }
            Fault::Partner { .. } | Fault::Rank { .. } => {
                Unjudged { why, help: "look at what the program said last, in its log" }
            }
        }
    }
}

impl From<Unjudged> for String {
    fn from(found: Unjudged) -> String {
        format!("{}; {}", found.why, found.help)
    }
}

/// Looks at a model.
///
/// # Errors
/// Why it cannot be judged.
pub fn examine(loaded: &ModelFile, args: &Choices) -> Result<Findings, Unjudged> {
    let model = loaded.variant(args).map_err(Unjudged::new)?;
    let (mut machine, small) = assemble(model.clone()).map_err(Unjudged::new)?;
    let verdict = judge(&mut machine, PRODUCTS)?;
    let small = small || !verdict.affine;
    let leading = verdict.motions.first().cloned().map(|motion| {
        let moves = moves(&machine, &motion);
        (motion, moves)
    });
    let principal = principal_pairs(&model, &verdict);
    let own = own_limits(&machine);
    let large = machine.coupling.len() > Options::default().dense;
    let limit = match &model.partition {
        None if large => Limit::Known(own.first().map(OwnLimit::dt)),
        _ => search(&model, machine.coupling.len()),
    };
    let unstable = !verdict.stable;
    let looped = if model.specimens.is_empty() { None } else { Some(examine_loop(&model).map_err(Unjudged::new)?) };
    let certificate = certify(&model, &[], 0.0).map_err(Unjudged::new)?.map(|found| {
        let file = example::write(loaded, args, &found);
        (found, file)
    });
    let mut found = Findings {
        machine,
        verdict,
        principal,
        leading,
        limit,
        own,
        remedies: Vec::new(),
        unstable,
        small,
        looped,
        certificate,
    };
    if unstable {
        found.remedies = remedy::look(loaded, args, &found);
    }
    Ok(found)
}

/// The principal pairs of the lowest modes of the whole structure, where all eigenvalues are known.
fn principal_pairs(model: &Model, verdict: &Stability) -> Vec<(usize, f64, Principal)> {
    if verdict.eigenvalues.is_empty() {
        return Vec::new();
    }
    let Ok(structure) = Structure::new(model.clone()) else { return Vec::new() };
    let frequencies = structure.modes(MODES.min(structure.free().len())).map(|m| m.omega2).unwrap_or_default();
    let pair = |(i, omega2): (usize, f64)| {
        let omega = omega2.max(0.0).sqrt();
        let pair = principal(&verdict.eigenvalues, omega * model.analysis.dt).filter(|_| omega > 0.0)?;
        Some((i + 1, omega, pair))
    };
    frequencies.into_iter().enumerate().filter_map(pair).collect()
}

/// The verdict on the first regular step of a machine.
fn judge(machine: &mut Simulation, products: usize) -> Result<Stability, Unjudged> {
    let options = Options { products, ..Options::default() };
    stability(machine.coupling.as_mut(), &options).map_err(|e| match e {
        StabilityError::Step(fault) => Unjudged::step(machine, fault),
        StabilityError::Eigen(e) => Unjudged::new(e.to_string()),
    })
}

/// Spectral radius of the step of a model in its substructures, and whether nothing grows.
pub fn judge_quietly(model: Model) -> Result<(f64, bool), String> {
    let verdict = judge(&mut assemble(model)?.0, PRODUCTS)?;
    Ok((verdict.radius, verdict.stable))
}

/// The same model with another step.
pub fn with_step(model: &Model, dt: f64) -> Model {
    let mut model = model.clone();
    model.analysis.dt = dt;
    model
}

/// Searches the steps around that of the model; the longer its complete state, the fewer.
fn search(model: &Model, len: usize) -> Limit {
    let dt = model.analysis.dt;
    let (points, resolution) = match len {
        0..=60 => (120, 1e-4),
        61..=240 => (31, 1e-3),
        _ => (7, 0.02),
    };
    let range = if len > Options::default().dense { dt / 8.0..=8.0 * dt } else { LEAST * dt..=MOST * dt };
    let options = Options { products: FEWER_PRODUCTS, ..Options::default() };
    let make = |dt: f64| assemble(with_step(model, dt)).map(|(machine, _)| machine.coupling as Box<dyn StepMap>);
    match largest_stable_step(make, &Search { range, points, resolution, options }) {
        Ok(found) => Limit::Searched(found),
        Err(SearchError::Make { dt, error }) => Limit::Unknown(format!("with a step of {}: {error}", time(dt))),
        Err(SearchError::Judge { dt, error }) => Limit::Unknown(match error {
            StabilityError::Step(fault) => {
                // The map has no names: the machine is made once more to say them.
                let why = assemble(with_step(model, dt)).map_or_else(|e| e, |(machine, _)| machine.explain(fault));
                format!("a step of {} fails: {why}", time(dt))
            }
            StabilityError::Eigen(e) => format!("with a step of {}: {e}", time(dt)),
        }),
        Err(SearchError::Range) => Limit::Unknown(
            "the step is too small or too large for a search of nearby \
            steps"
                .to_owned(),
        ),
    }
}

impl Findings {
    /// Whether no motion grows, and nothing is known that would let one grow.
    pub fn stable(&self) -> bool {
        let example = |c: &Certificate| matches!(c.verdict, Verdict::CounterExample(_));
        !self.unstable && !self.certificate.as_ref().is_some_and(|(c, _)| example(c))
    }

    /// The largest step below that of the model that is known to be stable, s.
    fn safe_step(&self) -> Option<f64> {
        let dt = self.machine.model.analysis.dt;
        match &self.limit {
            Limit::Searched(found) => found.probed.iter().rev().find(|p| p.stable && p.dt < dt).map(|p| p.dt),
            Limit::Known(limit) => limit.filter(|l| *l < dt),
            Limit::Unknown(_) => None,
        }
    }
}
