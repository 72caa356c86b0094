//! `interfield doctor`: can this machine keep the time of a test, and what would have to change?

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield_lab::controller::Controller;
use interfield_lab::paced::{Pace, Paced};
use interfield_lab::realtime::host::{self, Fact};
use interfield_lab::realtime::mailbox::Patience;
use interfield_lab::realtime::rights::{Request, Rights};
use interfield_lab::realtime::{Schedule, Timing, Waking, WallClock, WhenLate};
use interfield_lab::rig::Rig;
use interfield_lab::verdict::Grade;
use interfield_language::Model;
use interfield_language::quantity::Scope;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_structure::Simulation;
use interfield_structure::specimen::Workshop;
use serde_json::{Value, json};

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::quantities::UNITS;
use interfield::table::{short, time};

/// Check whether this machine can run a test in real time: kernel, permissions, sleep states, cores, and one minute of
/// measured wake-ups
///
/// With a model, its test runs repeatedly in the emulated laboratory in real time, so that wake-ups are measured under
/// the real load; no files are written. Without a model, the wake-ups of an idle loop are measured. Settings that
/// cannot be read are reported as unknown.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield doctor\n  \
interfield doctor models/isolated-building.toml --core 1\n  \
interfield doctor --rate \"4 kHz\" --seconds 10 --json")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`: its rate and its load
    model: Option<PathBuf>,
    #[command(flatten)]
    settings: ModelArgs,
    /// Rate of the loop, if no model is given
    #[arg(
        long,
        value_name = "FREQUENCY",
        default_value = "1 kHz",
        conflicts_with = "model",
        allow_hyphen_values = true
    )]
    rate: String,
    /// Duration of the measurement, s
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    seconds: f64,
    /// CPU core of the loop
    #[arg(long, value_name = "N")]
    core: Option<usize>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Shortest and longest measurement, s.
const MEASURED: [f64; 2] = [0.05, 3600.0];
/// A glance before a test, s.
const GLANCE: f64 = 0.2;
/// A test that ends by itself sooner than this is not begun again.
const SHORTEST: Duration = Duration::from_millis(200);
/// Where the facts of this machine are.
const HERE: &str = "/";

/// A loop that was kept for a while.
struct Kept {
    /// Whose.
    name: String,
    period: f64,
    timing: Timing,
    rights: Rights,
}

impl Kept {
    fn judge(&self) -> (Grade, String) {
        host::judge(&self.timing, (1e9 * self.period) as u64)
    }

    /// What was measured, a line.
    fn text(&self) -> String {
        let late = self.timing.wake_up.summary();
        let us = |ns: u64| short(ns as f64 / 1e3);
        let minutes = self.timing.wake_up.summary().count as f64 * self.period / 60.0;
        let missed = self.timing.missed as f64 / minutes.max(f64::MIN_POSITIVE);
        format!(
            "late by {} us (half), {} us (99 %), {} us (99.9 %), {} us at most, of {} us; {} periods missed per minute, {} overrun",
            us(late.p50),
            us(late.p99),
            us(late.p99_9),
            us(late.max),
            short(1e6 * self.period),
            short(missed),
            self.timing.overrun
        )
    }

    fn json(&self) -> Value {
        let numbers = |h: &interfield_lab::realtime::Histogram| interfield::laboratory::histogram_json(&h.summary());
        let (grade, why) = self.judge();
        json!({
            "name": self.name, "period": self.period, UNITS: { "period": "s" }, "wake_up": numbers(&self.timing.wake_up),
            "work": numbers(&self.timing.compute), "missed": self.timing.missed, "overrun": self.timing.overrun,
            "priority": self.rights.priority, "core": self.rights.core, "memory_locked": self.rights.memory_locked,
            "refused": self.rights.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "verdict": grade.word(), "reason": why,
        })
    }
}

/// All that was found.
struct Findings {
    facts: Vec<Fact>,
    seconds: f64,
    kept: Vec<Kept>,
    /// Why an emulated test ended early, if one did.
    interrupted: Option<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Exit {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    if !(MEASURED[0]..=MEASURED[1]).contains(&args.seconds) {
        return refuse("--seconds must lie between 0.05 and 3600", "write --seconds 60");
    }
    let before = host::stolen(Path::new(HERE));
    let measured = match &args.model {
        Some(path) => beside(path, args),
        None => match idle(args) {
            Ok(kept) => Ok((vec![kept], None)),
            Err(why) => return refuse(&why, "write --rate \"2 kHz\""),
        },
    };
    let (kept, interrupted) = match measured {
        Ok(found) => found,
        Err(exit) => return exit,
    };
    let mut facts = host::facts(Path::new(HERE));
    facts.push(taken_away(before, host::stolen(Path::new(HERE))));
    let found = Findings { facts, seconds: args.seconds, kept, interrupted };
    if args.json {
        print_json(&found.json());
    } else {
        print(&found.text(args.model.as_deref()));
    }
    if found.verdict().0 == Grade::Failed { Exit::Fault } else { Exit::Done }
}

/// What the host took of a virtual machine meanwhile.
fn taken_away(before: Option<[u64; 2]>, after: Option<[u64; 2]>) -> Fact {
    let name = "stolen time";
    let (Some([s0, t0]), Some([s1, t1])) = (before, after) else {
        return Fact { name, found: "unknown: /proc/stat cannot be read".to_owned(), advice: None };
    };
    let share = 100.0 * s1.saturating_sub(s0) as f64 / t1.saturating_sub(t0).max(1) as f64;
    let advice = "the host of this virtual machine is busy: reserve cores for the machine";
    Fact {
        name,
        found: format!("{} % taken by the host", short(share)),
        advice: (share > 0.0).then(|| advice.to_owned()),
    }
}

fn request(core: Option<usize>) -> Request {
    Request { priority: Some(80), core, lock_memory: true, stay_awake: true }
}

/// A loop without work; the error is a sentence.
fn idle(args: &Args) -> Result<Kept, String> {
    let asked = Scope::new(UnitSystem::default()).quantity(&args.rate, Dimension::FREQUENCY);
    let rate =
        asked.map_err(|e| e.first().map_or_else(|| "--rate is not a frequency".to_owned(), |e| e.message.clone()))?;
    if !(rate.is_finite() && rate > 0.0) {
        return Err(format!("--rate {}: the rate must be greater than zero", args.rate));
    }
    let (timing, rights) = host::wake_ups(1.0 / rate, args.seconds, request(args.core), Waking::default())?;
    Ok(Kept { name: "an idle loop".to_owned(), period: 1.0 / rate, timing, rights })
}

/// The loops of a model's test in real time, in the emulated laboratory, again and again; and why one ended early, if one did.
fn beside(path: &Path, args: &Args) -> Result<(Vec<Kept>, Option<String>), Exit> {
    let loaded = Loaded::open(path, args.json)?;
    let model = loaded.advised(&args.settings, None)?.structure.model;
    if model.specimens.is_empty() {
        let help = "define the tested elements with [[specimen]]; or omit the model and give --rate";
        fail(args.json, None, None, "the model has no specimen, so there is no control rate to check", help);
        return Err(Exit::BadInput);
    }
    let until = Instant::now() + Duration::from_secs_f64(args.seconds);
    let mut kept: Vec<Kept> = Vec::new();
    let mut interrupted = None;
    while Instant::now() < until {
        let begun = Instant::now();
        let ended = once(&loaded, &model, args.core, until, &mut kept)?;
        let at_once = ended.is_some() && begun.elapsed() < SHORTEST;
        interrupted = interrupted.or(ended);
        if at_once {
            break;
        }
    }
    Ok((kept, interrupted))
}

/// One test, or its beginning: why it ended by itself, if it did before its time.
fn once(
    loaded: &Loaded,
    model: &Arc<Model>,
    core: Option<usize>,
    until: Instant,
    kept: &mut Vec<Kept>,
) -> Result<Option<String>, Exit> {
    let refused = |problems: Vec<interfield_language::Problem>| {
        problems.iter().for_each(|p| fail(loaded.json(), None, None, &p.message, &p.help));
        Exit::BadInput
    };
    let mut sim = Simulation::in_workshop(model.clone(), &mut Bench { core }).map_err(refused)?;
    let mut ended = None;
    for k in 0..sim.steps() {
        if Instant::now() >= until {
            break;
        }
        if let Err(fault) = sim.step(k) {
            ended = Some(sim.explain(fault));
            break;
        }
    }
    sim.finish();
    for (i, rig) in sim.rigs() {
        let (Some(specimen), Some(kept_time)) = (model.specimens.get(i), rig.timing()) else { continue };
        match kept.iter_mut().find(|k| k.name == specimen.name) {
            Some(known) => add(&mut known.timing, &kept_time.timing),
            None => kept.push(Kept {
                name: specimen.name.clone(),
                period: specimen.period,
                timing: kept_time.timing,
                rights: kept_time.rights,
            }),
        }
    }
    Ok(ended)
}

/// Counts another stretch of the same loop.
fn add(sum: &mut Timing, more: &Timing) {
    sum.wake_up.merge(&more.wake_up);
    sum.compute.merge(&more.compute);
    sum.slack.merge(&more.slack);
    sum.missed += more.missed;
    sum.overrun += more.overrun;
}

/// A workshop of emulated specimens in real time, which writes nothing.
struct Bench {
    core: Option<usize>,
}

impl Workshop for Bench {
    fn mount(&mut self, specimen: &Specimen, controller: Controller) -> Result<Box<dyn Rig>, String> {
        let clock = WallClock::new(Schedule::new(specimen.period, WhenLate::Skip)?, Waking::default());
        let pace = Pace { rights: request(self.core), patience: Patience::Park, watchdog: Duration::from_secs(10) };
        Ok(Box::new(Paced::start(controller, Box::new(clock), pace).map_err(|e| e.to_string())?))
    }
}

impl Findings {
    /// The worst of all loops, and why.
    fn verdict(&self) -> (Grade, String) {
        let worst = self.kept.iter().map(Kept::judge).max_by_key(|v| v.0);
        let (grade, why) = worst.unwrap_or((Grade::Failed, "no wake-up was measured".to_owned()));
        match &self.interrupted {
            Some(said) => (grade.max(Grade::Doubtful), format!("{why}; the emulated test ended early: {said}")),
            None => (grade, why),
        }
    }

    /// What to change; the gravest things are those that every machine for tests has.
    fn advice(&self) -> Vec<&str> {
        self.facts.iter().filter_map(|f| f.advice.as_deref()).collect()
    }

    fn text(&self, model: Option<&Path>) -> String {
        let width = self.facts.iter().map(|f| f.name.len()).max().unwrap_or(0);
        let mut out = String::from("this machine\n");
        for fact in &self.facts {
            let mark = if fact.advice.is_some() { "  (!)" } else { "" };
            out += &format!("  {:width$}  {}{mark}\n", fact.name, fact.found);
        }
        let load = model.map_or("without a load".to_owned(), |m| format!("beside the load of {}", m.display()));
        out += &format!("\nwake-ups of {}, {load}\n", time(self.seconds));
        for kept in &self.kept {
            out += &format!("  {}: {}\n", kept.name, kept.text());
        }
        let (grade, why) = self.verdict();
        out += &format!("\nverdict: {}: {why}\n", grade.word());
        let advice = self.advice();
        if !advice.is_empty() {
            out += "\nrecommended changes\n";
            advice.iter().for_each(|line| out += &format!("  {line}\n"));
        }
        out
    }

    fn json(&self) -> Value {
        let (grade, why) = self.verdict();
        json!({
            "facts": self.facts.iter().map(|f| json!({ "name": f.name, "found": f.found, "advice": f.advice }))
                .collect::<Vec<_>>(),
            "seconds": self.seconds, UNITS: { "seconds": "s" }, "loops": self.kept.iter().map(Kept::json).collect::<Vec<_>>(),
            "verdict": grade.word(), "reason": why, "advice": self.advice(), "interrupted": self.interrupted,
        })
    }
}

/// A glance at the machine before a test in real time, in a line.
pub(crate) fn glance(specimens: &[Specimen], core: Option<usize>) -> Option<String> {
    let period = specimens.iter().map(|s| s.period).min_by(f64::total_cmp)?;
    let line = match host::wake_ups(period, GLANCE, request(core), Waking::default()) {
        Ok((timing, rights)) => {
            let refused: Vec<String> = rights.missing.iter().map(|n| format!("; {}", n.what)).collect();
            let kept = Kept { name: String::new(), period, timing, rights };
            let (grade, why) = kept.judge();
            format!(
                "{}: {why}, in {GLANCE} s of wake-ups at {} Hz{}",
                grade.word(),
                short(1.0 / period),
                refused.concat()
            )
        }
        Err(why) => format!("unknown: {why}"),
    };
    Some(format!("machine: {line}; `interfield doctor MODEL` shows details"))
}
