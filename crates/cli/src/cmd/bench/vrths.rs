//! `interfield bench vrths`: the benchmark of virtual real-time hybrid simulation, with any compensator.

use std::time::Instant;

use clap::Args as ClapArgs;
use interfield_analysis::scan::scan;
use interfield_lab::compensate::{Compensator, find};
use interfield_lab::vrths::{
    self, CASES, CRITERIA, DELAY, Histories, LOAD_SYSTEM, Motion, Perturbation, RATE, Settings, Verdict,
};
use interfield_language::parse::compensators::compensator_from_text;
use serde_json::{Value, json};

use super::{Controlled, Tests, drawn, figure, records};
use crate::Exit;
use crate::output::{fail_all, print, print_json, progress};
use interfield::quantities::UNITS;
use interfield::table::{aligned, time};

/// Virtual real-time hybrid simulation (Silva et al., 2020): all ground motions and cases with one controller
///
/// A three-storey frame; part of the first storey is a specimen driven by a hydraulic actuator, at 4096 Hz, with noise
/// and converters. J1 is the delay of the specimen, J2 and J3 its tracking error, J4 to J9 the errors of specimen and
/// floors against the frame in one piece. Parameters that a user of the benchmark knows (delay 24 ms, the inverse of
/// the actuator without the specimen) are passed to the controller unless --param sets them.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench vrths\n  interfield bench vrths --controller ats --param window=2\n  \
interfield bench vrths --records ground-motions --perturbed 20 -o early.svg\n  interfield bench vrths --controller none --json"
)]
pub(super) struct Args {
    /// Compensator, see `interfield compensators`
    #[arg(long, default_value = "early")]
    controller: String,
    #[command(flatten)]
    controlled: Controlled,
    #[command(flatten)]
    tests: Tests,
}

/// One test: which motion and case, which draw of the plant.
struct Test {
    motion: usize,
    case: usize,
    draw: Option<u32>,
}

/// What is kept of a test.
pub(super) struct Tested {
    /// Motion and case.
    pub name: String,
    motion: String,
    pub case: usize,
    draw: Option<u32>,
    pub verdict: Verdict,
    pub criteria: [f64; 9],
    peak_force: f64,
    /// Of the first test only: all would be gigabytes.
    pub histories: Option<Histories>,
}

impl Tested {
    pub(super) fn stable(&self) -> bool {
        self.verdict == Verdict::Stable
    }
}

pub(super) fn run(args: &Args) -> Exit {
    match bench(args) {
        Ok(exit) | Err(exit) => exit,
    }
}

fn bench(args: &Args) -> Result<Exit, Exit> {
    let param = with_knowledge(&args.controller, &args.controlled.param);
    let mut method = compensator_from_text(&args.controller, &param).map_err(|mistakes| {
        fail_all(args.tests.json, None, None, &mistakes);
        Exit::BadInput
    })?;
    method.set_model(vrths::model());
    let controller = method.design(1.0 / RATE);
    let output = args.controlled.picture("vrths", &args.controller, args.tests.json)?;
    let (motions, files) = records::load(args.tests.records.as_deref(), args.tests.json)?;

    let started = Instant::now();
    let tests = tests(&motions, args.tests.perturbed);
    let bar = progress(tests.len() as u64, "tests", !args.tests.json);
    let work = |t: &Test| tested(t, &motions, &*controller, args.tests.seed);
    let found = scan(&tests, work, |done| bar.set_position(done as u64));
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();

    let name = drawn(&output, &figure::figure(&args.controller, &found), args.tests.json)?;
    let warnings = controller.warnings();
    if args.tests.json {
        print_json(&json!({
            "benchmark": "vrths", "controller": args.controller, "seed": args.tests.seed, "warnings": warnings,
            "parameters": param.into_iter().map(|(n, v)| (n, json!(v))).collect::<serde_json::Map<_, _>>(),
            "records": files, "picture": name, "seconds": seconds, UNITS: { "seconds": "s" },
            "criteria": CRITERIA.iter().map(|c| json!({ "name": c.0, "unit": c.1, "what": c.2 })).collect::<Vec<_>>(),
            "tests": found.iter().map(describe).collect::<Vec<_>>(),
        }));
    } else {
        print(&text(args, &param, &found, &warnings));
        print(&format!("\n{} tests in {}\n  figure: {name}\n", found.len(), time(seconds)));
    }
    Ok(if found.iter().all(Tested::stable) { Exit::Done } else { Exit::Fault })
}

/// All tests of a compensator with what a user of the benchmark knows beforehand; `None` for a name that nothing has.
pub(super) fn all(name: &str, motions: &[Motion], perturbed: u32, seed: u64) -> Option<Vec<Tested>> {
    let mut method = compensator_from_text(name, &with_knowledge(name, &[])).ok()?;
    method.set_model(vrths::model());
    let controller = method.design(1.0 / RATE);
    Some(scan(&tests(motions, perturbed), |t: &Test| tested(t, motions, &*controller, seed), |_| {}))
}

/// The parameters of the command line, and what a user of the benchmark knows beforehand.
fn with_knowledge(controller: &str, param: &[(String, String)]) -> Vec<(String, String)> {
    let mut param = param.to_vec();
    let takes = |name: &str| find(controller).is_some_and(|m| m.parameters.iter().any(|p| p.name == name));
    if !param.iter().any(|(n, _)| n == "delay" || n == "series") {
        if takes("series") {
            param.push(("series".to_owned(), format!("{LOAD_SYSTEM:?}")));
        } else if takes("delay") {
            param.push(("delay".to_owned(), DELAY.to_string()));
        }
    }
    param
}

/// Nominal tests first.
fn tests(motions: &[Motion], perturbed: u32) -> Vec<Test> {
    let draws = std::iter::once(None).chain((0..perturbed).map(Some));
    let all =
        |draw| (0..motions.len()).flat_map(move |motion| (0..CASES.len()).map(move |case| Test { motion, case, draw }));
    draws.flat_map(all).collect()
}

fn tested(test: &Test, motions: &[Motion], controller: &dyn Compensator, seed: u64) -> Tested {
    let (motion, case) = (&motions[test.motion], &CASES[test.case]);
    let (perturbation, seed) = match test.draw {
        None => (Perturbation::default(), seed),
        Some(draw) => (Perturbation::draw(seed, u64::from(draw)), seed.wrapping_add(1 + u64::from(draw))),
    };
    let outcome = vrths::run(&Settings { motion, case, controller, perturbation, seed });
    let first = test.draw.is_none() && test.motion == 0 && test.case == 0;
    Tested {
        name: format!("{} {}", motion.name, case.number),
        motion: motion.name.clone(),
        case: case.number,
        draw: test.draw,
        verdict: outcome.verdict,
        criteria: outcome.criteria.0,
        peak_force: outcome.peak_force,
        histories: first.then_some(outcome.histories),
    }
}

fn describe(t: &Tested) -> Value {
    let lost = match t.verdict {
        Verdict::Stable => None,
        Verdict::Unstable(at) => Some(at),
    };
    json!({
        "motion": t.motion, "case": t.case, "perturbation": t.draw, "stable": t.stable(), "unstable_at": lost,
        "criteria": t.stable().then_some(t.criteria), "peak_force": t.peak_force,
        UNITS: { "unstable_at": "s", "criteria": CRITERIA.map(|c| c.1), "peak_force": "N" },
    })
}

fn text(args: &Args, param: &[(String, String)], found: &[Tested], warnings: &[String]) -> String {
    let parameters: String = param.iter().map(|(n, v)| format!(", {n} = {v}")).collect();
    let mut out =
        format!("Virtual real-time hybrid simulation at {RATE} Hz, controller {}{parameters}\n", args.controller);
    for warning in warnings {
        out += &format!("warning: {warning}\n");
    }
    let numbers = |criteria: &[f64; 9]| criteria.map(|j| format!("{j:.2}"));
    let blank = || std::array::from_fn::<_, 9, _>(|_| "-".to_owned());
    let row = |t: &Tested| {
        let (criteria, verdict) = match t.verdict {
            Verdict::Stable => (numbers(&t.criteria), "stable".to_owned()),
            Verdict::Unstable(at) => (blank(), format!("UNSTABLE at {at:.2} s")),
        };
        let first = [t.motion.clone(), t.case.to_string()];
        first.into_iter().chain(criteria).chain([format!("{:.2}", t.peak_force / 1e3), verdict]).collect::<Vec<_>>()
    };
    let mut rows: Vec<Vec<String>> = found.iter().filter(|t| t.draw.is_none()).map(row).collect();
    let mut worst = |name: &str, tests: Vec<&Tested>| {
        let (stable, lost): (Vec<&Tested>, Vec<&Tested>) = tests.into_iter().partition(|t| t.stable());
        let largest = |value: &dyn Fn(&Tested) -> f64| stable.iter().map(|t| value(t)).fold(0.0, f64::max);
        let criteria =
            if stable.is_empty() { blank() } else { numbers(&std::array::from_fn(|i| largest(&|t| t.criteria[i]))) };
        let force = largest(&|t| t.peak_force) / 1e3;
        let force = if stable.is_empty() { "-".to_owned() } else { format!("{force:.2}") };
        let verdict = format!("{} of {} unstable", lost.len(), lost.len() + stable.len());
        let first = [name.to_owned(), String::new()];
        rows.push(first.into_iter().chain(criteria).chain([force, verdict]).collect());
    };
    worst("largest", found.iter().filter(|t| t.draw.is_none()).collect());
    if args.tests.perturbed > 0 {
        worst(&format!("{} perturbed", args.tests.perturbed), found.iter().filter(|t| t.draw.is_some()).collect());
    }
    let criteria = CRITERIA.map(|(name, unit, _)| format!("{name} [{unit}]"));
    let mut header = vec!["motion", "case"];
    header.extend(criteria.iter().map(String::as_str));
    header.extend(["force [kN]", "<verdict"]);
    out + &aligned(&header, &rows)
}
