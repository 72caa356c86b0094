//! From a model to trajectories.

use std::sync::Arc;

use interfield_analysis::order::{Convergence, Trajectory, convergence};
use interfield_kernel::System;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::{Model, TangentPolicy};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::split::{Split, split};
use interfield_structure::{Simulation, assemble};

/// Reads a model from text; it may refer to no files.
///
/// # Panics
/// With all messages, if there are mistakes.
pub fn read(text: &str) -> Model {
    read_with("test.toml", text, &Overrides::default())
}

/// Reads a model from text with settings of the command line.
///
/// # Panics
/// With all messages, if there are mistakes.
pub fn read_with(name: &str, text: &str, overrides: &Overrides) -> Model {
    let source = Source::new(name, text.to_owned());
    let diags = Diagnostics::new();
    match parse(&source, overrides, &|path| Err(format!("no file {path}")), &diags) {
        Some((model, _)) => model,
        None => panic!("{}", diags.render(&source, false)),
    }
}

/// Settings of the command line in short: `set` parameters of the file.
pub fn set(parameters: &[(&str, &str)]) -> Overrides {
    let set = parameters.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect();
    Overrides { set, ..Overrides::default() }
}

/// The model `models/<name>.toml`.
///
/// # Panics
/// If it is missing or wrong.
pub fn model(name: &str, overrides: &Overrides) -> Model {
    let path = format!("{}/../../models/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
    read_with(name, &text, overrides)
}

/// `models/<name>.toml`, ready to run.
///
/// # Panics
/// If it is missing or wrong.
pub fn load(name: &str, overrides: &Overrides) -> Simulation {
    simulation(model(name, overrides))
}

/// A model in one piece, ready to run.
///
/// # Panics
/// If it cannot be assembled.
pub fn simulation(model: Model) -> Simulation {
    Simulation::new(model.in_one_piece()).unwrap_or_else(|problems| {
        let words: Vec<String> = problems.into_iter().map(|p| p.message).collect();
        panic!("{}", words.join("\n"))
    })
}

/// A model taken apart.
///
/// # Panics
/// If it cannot be assembled or cut.
pub fn taken_apart(model: &Model) -> Split {
    let model = Arc::new(model.clone());
    let apart = assemble(&model).and_then(|whole| split(&model, Some(&whole)));
    apart.unwrap_or_else(|problems| panic!("{}: {}", model.title, problems[0].message))
}

/// A model with another scheme and step, ready to run.
///
/// # Panics
/// If it cannot be assembled.
pub fn start(model: &Model, scheme: AnyScheme, dt: f64) -> Simulation {
    let mut model = model.clone();
    (model.analysis.scheme, model.analysis.dt) = (scheme, dt);
    simulation(model)
}

/// A model with another tangent policy.
pub fn with_tangent(model: &Model, tangent: TangentPolicy) -> Model {
    let mut model = model.clone();
    model.analysis.tangent = tangent;
    model
}

/// Takes the steps `from..to`.
///
/// # Panics
/// If one fails.
pub fn advance(sim: &mut Simulation, from: u64, to: u64) {
    for k in from..to {
        if let Err(fault) = sim.step(k) {
            panic!("step {k}: {}", sim.explain(fault));
        }
    }
}

/// [u v s] after these numbers of steps.
///
/// # Panics
/// If a step fails.
pub fn states(sim: &mut Simulation, at: &[u64]) -> Trajectory {
    let mut done = 0;
    at.iter()
        .map(|&k| {
            advance(sim, done, k);
            done = k;
            sim.y(0).to_vec()
        })
        .collect()
}

/// [u v s] after every step of length `dt`, the initial state included, for `count` steps.
///
/// # Panics
/// If a step fails.
pub fn history(model: &Model, scheme: AnyScheme, dt: f64, count: u64) -> Trajectory {
    let at: Vec<u64> = (0..=count).collect();
    states(&mut start(model, scheme, dt), &at)
}

/// Trajectories with `levels` halvings of the step, sampled at the `count` steps of the coarsest run.
///
/// # Panics
/// If a step fails.
pub fn refined(model: &Model, scheme: AnyScheme, dt: f64, count: u64, levels: u32) -> Vec<Trajectory> {
    let run = |level: u32| {
        let factor = 1u64 << level;
        let at: Vec<u64> = (1..=count).map(|k| k * factor).collect();
        states(&mut start(model, scheme, dt / factor as f64), &at)
    };
    (0..levels).map(run).collect()
}

/// Observed convergence of displacements and of velocities.
///
/// # Panics
/// If a step fails.
pub fn converge(model: &Model, scheme: AnyScheme, dt: f64, count: u64, levels: u32) -> [Convergence; 2] {
    let n = start(model, scheme, dt).coupling.system(0).dims().nu;
    let runs = refined(model, scheme, dt, count, levels);
    [convergence(dt, &runs, |y| &y[..n]), convergence(dt, &runs, |y| &y[n..2 * n])]
}

/// Copies the complete state of one run into another.
pub fn copy_state(from: &Simulation, to: &mut Simulation) {
    to.coupling.state_mut().copy_from_slice(from.coupling.state());
}
