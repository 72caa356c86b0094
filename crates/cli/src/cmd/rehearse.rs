//! `interfield rehearse`: a test before the test. Is the loop stable behind these actuators, how much more delay would it
//! bear, and what will the actuators have to do?

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args as ClapArgs;
use interfield_lab::controller::{COLUMNS, Controller, HEAD, Tape};
use interfield_lab::rig::Rig;
use interfield_model::specimen::{Specimen, Workshop};
use interfield_model::units::{Dimension, UnitSystem};
use interfield_model::{Model, Partitioned};
use serde_json::{Value, json};

use crate::Exit;
use crate::coupled::Listener;
use crate::engine::Engine;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json, progress};
use crate::stability::judge_quietly;
use crate::table::{aligned, radius, short};

/// Look at a hybrid test before it is run: stability of the loop, critical delay, what the actuators must do
///
/// The loop of structure, controller, actuators and specimen is probed for a motion that grows; delay is added to the actuators until one does; and the whole test
/// is run once in the emulated laboratory, as fast as possible, to see strokes, velocities and forces against what the actuators can do and the limits allow.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield rehearse models/isolated-building.toml\n  \
interfield rehearse models/isolated-building.toml --coupling modified-ph --json")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Largest delay that is tried, s of the laboratory.
const LONGEST: f64 = 0.25;
/// Steps of the search before it is narrowed down.
const COARSE: usize = 16;
/// Growth per step that is noticed.
const NOTICED: f64 = 1e-6;
/// The critical delay is found to this share of itself.
const FINE: f64 = 1e-3;

/// Runs the command.
pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let (mut sim, mut parts) = match loaded.advised(&args.settings, None) {
        Ok(found) => (found.sim, found.parts),
        Err(e) => return e,
    };
    let model = sim.model.clone();
    if model.specimens.is_empty() {
        let help = "name the elements that stand in the laboratory: [[specimen]]";
        fail(args.json, None, None, "there is nothing to rehearse: the model has no specimen", help);
        return Exit::BadInput;
    }
    let asked = Model { partition: model.partition.clone().filter(|_| !args.settings.whole), ..model.clone() };
    let loop_found = judge_quietly(asked.clone());
    let critical = loop_found.as_ref().ok().filter(|l| l.1).map(|l| critical_delay(&asked, l.0));
    let mut dry = Dry::default();
    if let Err(e) = loaded.in_workshop(&mut sim, &mut parts, &mut dry) {
        return e;
    }
    let mut engine = parts.map_or(Engine::Whole, |parts: Partitioned| {
        let listener = Listener::new(&parts);
        Engine::Parts(Box::new(parts), listener)
    });
    let steps = sim.steps();
    let bar = progress(steps, "steps", !args.json);
    let mut ended = None;
    for k in 0..steps {
        if let Err(fault) = engine.step(&mut sim, k) {
            ended = Some((k as f64 * sim.model.analysis.dt, engine.explain(&sim, fault)));
            break;
        }
        bar.set_position(k);
    }
    bar.finish_and_clear();
    engine.finish(&mut sim);
    let links = engine.parts().map(|p| p.quality().rows.iter().fold(0.0f64, |m, r| m.max(r.link[1])));
    let rehearsal = Rehearsed { model: &model, loop_found, critical, ended, links, seen: &dry.seen };
    let ready = rehearsal.ready();
    if args.json {
        print_json(&rehearsal.json());
    } else {
        print(&rehearsal.text());
    }
    if ready { Exit::Done } else { Exit::Fault }
}

/// The smallest additional delay of all actuators at which a motion grows, s; `None` if none up to [`LONGEST`] does. `radius` is
/// that of the loop without it.
///
/// A radius that leaves this one behind counts as growth, whatever the probe calls it: where a structure is slow beside the step, its probe cannot
/// tell slow growth from a drift, and a critical delay that is too short is the safe mistake.
fn critical_delay(model: &Model, radius: f64) -> Option<f64> {
    let bound = radius.max(1.0) + NOTICED;
    let late = |delay: f64| {
        let mut model = model.clone();
        model.specimens.iter_mut().flat_map(|s| &mut s.actuators).for_each(|a| a.delay[0] += delay);
        judge_quietly(model).is_ok_and(|(found, stable)| stable && found <= bound)
    };
    let period = model.specimens.iter().fold(f64::INFINITY, |m, s| m.min(s.period));
    let ratio = (LONGEST / (0.1 * period)).max(2.0).powf(1.0 / COARSE as f64);
    let mut below = 0.0;
    let mut above = (0..=COARSE).map(|i| 0.1 * period * ratio.powi(i as i32)).find(|&d| {
        let stable = late(d);
        if stable {
            below = d;
        }
        !stable
    })?;
    while above - below > FINE * above {
        let middle = 0.5 * (above + below);
        if late(middle) { below = middle } else { above = middle }
    }
    Some(below)
}

/// Largest numbers of an actuator: target, command, velocity of the command, force, tracking error.
#[derive(Clone, Copy, Default)]
struct Peaks {
    target: f64,
    command: f64,
    velocity: f64,
    force: f64,
    error: f64,
    last: Option<f64>,
}

/// What was seen of a specimen: one per actuator.
type Seen = Arc<Mutex<Vec<Peaks>>>;

/// A workshop that looks at what the actuators do, and writes nothing.
#[derive(Default)]
struct Dry {
    seen: Vec<(String, Seen)>,
}

impl Workshop for Dry {
    fn mount(&mut self, specimen: &Specimen, mut controller: Controller) -> Result<Box<dyn Rig>, String> {
        let seen = Seen::new(Mutex::new(vec![Peaks::default(); specimen.actuators.len()]));
        controller.record(Box::new(Eye { seen: seen.clone(), period: specimen.period }));
        self.seen.push((specimen.name.clone(), seen));
        Ok(Box::new(controller))
    }
}

struct Eye {
    seen: Seen,
    period: f64,
}

impl Tape for Eye {
    fn push(&mut self, sample: &[f64]) -> bool {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (peaks, row) in seen.iter_mut().zip(sample[HEAD.len()..].chunks_exact(COLUMNS.len())) {
            let [target, command, _, force, error, _] = *row else { continue };
            let velocity = peaks.last.replace(command).map_or(0.0, |last| (command - last) / self.period);
            peaks.target = peaks.target.max(target.abs());
            peaks.command = peaks.command.max(command.abs());
            peaks.velocity = peaks.velocity.max(velocity.abs());
            peaks.force = peaks.force.max(force.abs());
            peaks.error = peaks.error.max(error.abs());
        }
        true
    }

    fn end(&mut self, _outcome: &str, _log: &[String]) {}
}

/// All that was found.
struct Rehearsed<'a> {
    model: &'a Model,
    /// Spectral radius of the loop and whether nothing grows.
    loop_found: Result<(f64, bool), String>,
    /// Critical delay, if the loop is stable.
    critical: Option<Option<f64>>,
    /// When and why the dry run ended early.
    ended: Option<(f64, String)>,
    /// Largest link displacement on the fine side, m.
    links: Option<f64>,
    seen: &'a [(String, Seen)],
}

/// A quantity of an actuator against what it can do and may do.
struct Demand {
    actuator: String,
    what: &'static str,
    dim: Dimension,
    expected: f64,
    can: f64,
    may: Option<f64>,
}

impl Demand {
    fn fits(&self) -> bool {
        self.expected <= self.can && self.may.is_none_or(|may| self.expected <= may)
    }
}

impl Rehearsed<'_> {
    fn demands(&self) -> Vec<Demand> {
        let mut all = Vec::new();
        for (specimen, (_, seen)) in self.model.specimens.iter().zip(self.seen) {
            let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
            for (i, (peaks, actuator)) in seen.iter().zip(&specimen.actuators).enumerate() {
                let limits = &specimen.limits;
                let watched = |w: Option<interfield_lab::safety::Watch>| w.map(|w| w.limit);
                let name = format!("{} {}", specimen.name, i + 1);
                let mut add = |what, dim, expected, can, may| {
                    all.push(Demand { actuator: name.clone(), what, dim, expected, can, may });
                };
                add("stroke", Dimension::LENGTH, peaks.command, actuator.limits.stroke, watched(limits.displacement));
                add(
                    "velocity",
                    Dimension::VELOCITY,
                    peaks.velocity,
                    actuator.limits.velocity,
                    watched(limits.velocity),
                );
                add("force", Dimension::FORCE, peaks.force, actuator.limits.force, watched(limits.force));
                add("tracking error", Dimension::LENGTH, peaks.error, f64::INFINITY, watched(limits.tracking));
            }
        }
        all
    }

    fn ready(&self) -> bool {
        let stable = self.loop_found.as_ref().is_ok_and(|l| l.1);
        stable && self.ended.is_none() && self.demands().iter().all(Demand::fits)
    }

    /// What stands against the test.
    fn objections(&self) -> Vec<String> {
        let mut all = Vec::new();
        match &self.loop_found {
            Ok((_, true)) => {}
            Ok((found, false)) => all.push(format!("the loop is unstable: spectral radius {}", radius(*found))),
            Err(why) => all.push(format!("the loop could not be probed: {why}")),
        }
        if let Some((t, why)) = &self.ended {
            all.push(format!("the dry run ended at t = {} s: {why}", short(*t)));
        }
        for d in self.demands().iter().filter(|d| !d.fits()) {
            let than = if d.expected > d.can { "the actuator can" } else { "the limit allows" };
            all.push(format!("{}: more {} than {than}", d.actuator, d.what));
        }
        all
    }

    fn text(&self) -> String {
        let units = &self.model.units;
        let mut out = format!("{}\n\nloop of structure, controller and actuators\n", self.model.title);
        match &self.loop_found {
            Ok((found, stable)) => {
                let word = if *stable { "stable" } else { "unstable" };
                out += &format!("  {word}: spectral radius {}\n", radius(*found));
            }
            Err(why) => out += &format!("  not probed: {why}\n"),
        }
        match self.critical {
            Some(Some(delay)) => out += &format!("  it bears {} ms of additional delay\n", short(1e3 * delay)),
            Some(None) => out += &format!("  it bears any additional delay up to {LONGEST} s\n"),
            None => {}
        }
        out += "\nwhat the actuators will have to do\n";
        let rows: Vec<Vec<String>> = self.demands().iter().map(|d| row(d, units)).collect();
        out += &aligned(&["<actuator", "<quantity", "expected", "it can", "it may", "<"], &rows);
        if let Some(link) = self.links {
            let unit = units.label(Dimension::LENGTH);
            out += &format!(
                "  links move the specimen by {} {unit} at most\n",
                short(link / units.factor(Dimension::LENGTH))
            );
        }
        let objections = self.objections();
        out += "\n";
        out += &match objections.as_slice() {
            [] => "ready for the test\n".to_owned(),
            list => format!("not ready: {}\n", list.join("; ")),
        };
        out
    }

    fn json(&self) -> Value {
        let finite = |x: f64| x.is_finite().then_some(x);
        json!({
            "title": self.model.title,
            "ready": self.ready(),
            "objections": self.objections(),
            "spectral_radius": self.loop_found.as_ref().ok().map(|l| l.0),
            "stable": self.loop_found.as_ref().ok().map(|l| l.1),
            "critical_delay": self.critical.flatten(),
            "ended": self.ended.as_ref().map(|(t, why)| json!({ "t": t, "reason": why })),
            "largest_link": self.links,
            "actuators": self.demands().iter().map(|d| json!({
                "actuator": d.actuator, "quantity": d.what, "expected": finite(d.expected), "can": finite(d.can), "may": d.may,
                "fits": d.fits(),
            })).collect::<Vec<_>>(),
        })
    }
}

fn row(d: &Demand, units: &UnitSystem) -> Vec<String> {
    let number = |x: f64| if x.is_finite() { short(x / units.factor(d.dim)) } else { "-".to_owned() };
    let what = format!("{} [{}]", d.what, units.label(d.dim));
    let mark = if d.fits() { "" } else { "too much" };
    vec![
        d.actuator.clone(),
        what,
        number(d.expected),
        number(d.can),
        d.may.map_or("-".to_owned(), number),
        mark.to_owned(),
    ]
}
