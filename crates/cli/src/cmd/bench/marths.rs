//! `interfield bench marths`: the benchmark of multi-axial real-time hybrid simulation, with any controller.

use std::time::Instant;

use clap::Args as ClapArgs;
use interfield_analysis::scan::scan;
use interfield_lab::compensate::{Compensation, find};
use interfield_lab::marths::{
    self, ACTUATORS, CRITERIA, Controller, Criteria, DELAYS, Histories, NOISE, PUBLISHED, Perturbation, RATE,
    RECOMMENDED, Reference, Settings, Verdict,
};
use interfield_language::parse::compensators::compensator_from_text;
use serde_json::{Value, json};

use super::{Controlled, Tests, drawn, marths_figure, records};
use crate::Exit;
use crate::output::{fail_all, print, print_json, progress};
use interfield::quantities::UNITS;
use interfield::table::{aligned, time};

/// Multi-axial real-time hybrid simulation (Condori Uribe et al., 2023): all ground motions with one controller
///
/// A frame of three storeys and three bays with 29 degrees of freedom; one bay is a specimen. Two actuators with a coupler
/// move its joint, displacement and rotation, at 1024 Hz, with noise and converters; they are 61 and 24 ms late and move
/// each other. J1 to J3 are delay and tracking error of the actuators, J4 to J6 those of the estimated joint, J7 to J10 the
/// errors of joint and floors against the whole frame. Parameters that a user of the benchmark knows (the delay of each
/// actuator, noise, and for multi-variable methods the nominal plant) are passed to the controller unless --param sets them.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield bench marths\n  interfield bench marths --controller lqg --perturbed 20\n  \
interfield bench marths --records ground-motions --perturbed 200 -o marths.png\n  interfield bench marths --controller ats --json"
)]
pub(super) struct Args {
    /// Compensator, see `interfield compensators`, or a published controller: rodeac, lqg
    #[arg(long, default_value = RECOMMENDED)]
    controller: String,
    #[command(flatten)]
    controlled: Controlled,
    #[command(flatten)]
    tests: Tests,
}

/// Modes of the frame that are told.
const MODES: usize = 3;

/// What is kept of a test.
pub(super) struct Tested {
    pub motion: String,
    draw: Option<u32>,
    pub verdict: Verdict,
    pub criteria: Criteria,
    peak_force: f64,
    saturated: bool,
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
    let controller = controller(&args.controller, &args.controlled.param).map_err(|mistakes| {
        fail_all(args.tests.json, None, None, &mistakes);
        Exit::BadInput
    })?;
    let output = args.controlled.picture("marths", &args.controller, args.tests.json)?;
    let (motions, files) = records::load(args.tests.records.as_deref(), args.tests.json)?;

    let started = Instant::now();
    let references = scan(&motions, Reference::new, |_| {});
    let names: Vec<&str> = motions.iter().map(|m| m.name.as_str()).collect();
    let bar = progress((names.len() * (1 + args.tests.perturbed as usize)) as u64, "tests", !args.tests.json);
    let found = all(&controller, &names, &references, args.tests.perturbed, args.tests.seed, |done| {
        bar.set_position(done as u64)
    });
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();

    let name = drawn(&output, &marths_figure::figure(&args.controller, &found), args.tests.json)?;
    let warnings = controller.compensator.warnings();
    if args.tests.json {
        print_json(&json!({
            "benchmark": "marths", "controller": args.controller, "seed": args.tests.seed, "warnings": warnings,
            "parameters": args.controlled.param.iter().map(|(n, v)| (n.clone(), json!(v))).collect::<serde_json::Map<_, _>>(),
            "records": files, "picture": name, "seconds": seconds, "frequencies": marths::frequencies(),
            UNITS: { "seconds": "s", "frequencies": "Hz" },
            "criteria": CRITERIA.iter()
                .map(|c| json!({ "name": c.0, "unit": c.1, "what": c.2, "values": c.3 })).collect::<Vec<_>>(),
            "tests": found.iter().map(describe).collect::<Vec<_>>(),
        }));
    } else {
        print(&text(args, &found, &references, &warnings));
        print(&format!("\n{} tests in {}\n  figure: {name}\n", found.len(), time(seconds)));
    }
    Ok(if found.iter().all(Tested::stable) { Exit::Done } else { Exit::Fault })
}

/// The controller of a name, with the parameters of the command line and what a user of the benchmark knows.
pub(super) fn controller(name: &str, param: &[(String, String)]) -> Result<Controller, Vec<(String, String)>> {
    if let Some(found) = marths::published(name) {
        let refused = |(given, _): &(String, String)| {
            (
                format!("{name} has no parameter `{given}`"),
                "omit --param: its numbers are the published ones".to_owned(),
            )
        };
        return if param.is_empty() { Ok(found) } else { Err(param.iter().map(refused).collect()) };
    }
    let takes = |known: &str| find(name).is_some_and(|m| m.parameters.iter().any(|p| p.name == known));
    let given = |known: &str| param.iter().any(|(n, _)| n == known);
    let mut methods: Vec<Compensation> = Vec::with_capacity(ACTUATORS);
    for delay in DELAYS {
        let mut all = param.to_vec();
        if takes("delay") && !given("delay") && !given("series") {
            all.push(("delay".to_owned(), delay.to_string()));
        }
        if takes("noise") && !given("noise") {
            all.push(("noise".to_owned(), NOISE.to_string()));
        }
        methods.push(compensator_from_text(name, &all).map_err(|problems| with_published(name, problems))?);
    }
    let methods: Result<[Compensation; ACTUATORS], _> = methods.try_into();
    methods.map(|m| marths::registered(&m)).map_err(|_| Vec::new())
}

/// A name that nothing has may be meant for a published controller.
fn with_published(name: &str, problems: Vec<(String, String)>) -> Vec<(String, String)> {
    let known = find(name).is_some();
    let also = PUBLISHED.map(|(name, _)| format!("`{name}`")).join(" and ");
    problems
        .into_iter()
        .map(|(m, help)| (m, if known { help } else { format!("{help}; {also} are known here, too") }))
        .collect()
}

/// Nominal tests first, then the perturbed ones.
pub(super) fn all(
    controller: &Controller,
    names: &[&str],
    references: &[Reference],
    perturbed: u32,
    seed: u64,
    progress: impl Fn(usize) + Sync,
) -> Vec<Tested> {
    let draws = std::iter::once(None).chain((0..perturbed).map(Some));
    let tests: Vec<(usize, Option<u32>)> = draws.flat_map(|draw| (0..names.len()).map(move |m| (m, draw))).collect();
    let work = |(motion, draw): &(usize, Option<u32>)| {
        let (perturbation, seed) = match draw {
            None => (Perturbation::default(), seed),
            Some(draw) => (Perturbation::draw(seed, u64::from(*draw)), seed.wrapping_add(1 + u64::from(*draw))),
        };
        let outcome = marths::run(&Settings {
            reference: &references[*motion],
            controller: &*controller.compensator,
            estimator: controller.estimator.as_ref(),
            perturbation,
            seed,
        });
        Tested {
            motion: names[*motion].to_owned(),
            draw: *draw,
            verdict: outcome.verdict,
            criteria: outcome.criteria,
            peak_force: outcome.peak_force,
            saturated: outcome.saturated,
            histories: (draw.is_none() && *motion == 0).then_some(outcome.histories),
        }
    };
    scan(&tests, work, progress)
}

fn describe(t: &Tested) -> Value {
    let lost = match t.verdict {
        Verdict::Stable => None,
        Verdict::Unstable(at) => Some(at),
    };
    json!({
        "motion": t.motion, "perturbation": t.draw, "stable": t.stable(), "unstable_at": lost,
        "criteria": t.stable().then_some(&t.criteria.values), "released": t.stable().then_some(&t.criteria.released),
        "peak_force": t.peak_force, "saturated": t.saturated,
        UNITS: {
            "unstable_at": "s", "criteria": CRITERIA.map(|c| c.1), "released": "%", "peak_force": "N",
        },
    })
}

/// Mean and largest of several tests, value by value.
pub(super) struct Summary {
    pub mean: [f64; 10],
    pub largest: [f64; 10],
}

/// Of those that are stable; `None` if none is.
pub(super) fn summary(tests: &[&Tested]) -> Option<Summary> {
    let values: Vec<[f64; 10]> = tests.iter().filter(|t| t.stable()).map(|t| t.criteria.largest()).collect();
    let count = values.len() as f64;
    (!values.is_empty()).then(|| Summary {
        mean: std::array::from_fn(|j| values.iter().map(|v| v[j].abs()).sum::<f64>() / count),
        largest: std::array::from_fn(|j| values.iter().map(|v| v[j].abs()).fold(0.0, f64::max)),
    })
}

fn numbers(values: &[f64; 10]) -> Vec<String> {
    values.iter().map(|j| format!("{:.2}", if *j == 0.0 { 0.0 } else { *j })).collect()
}

fn text(args: &Args, found: &[Tested], references: &[Reference], warnings: &[String]) -> String {
    let parameters: String = args.controlled.param.iter().map(|(n, v)| format!(", {n} = {v}")).collect();
    let mut out =
        format!("Multi-axial real-time hybrid simulation at {RATE} Hz, controller {}{parameters}\n", args.controller);
    let modes: Vec<String> = marths::frequencies().iter().take(MODES).map(|f| format!("{f:.4}")).collect();
    out += &format!("The frame has its first modes at {} Hz.\n", modes.join(", "));
    for warning in warnings {
        out += &format!("warning: {warning}\n");
    }
    let nominal: Vec<&Tested> = found.iter().filter(|t| t.draw.is_none()).collect();
    let mut rows: Vec<Vec<String>> = nominal.iter().map(|t| row(t)).collect();
    let mut summarised = |name: &str, tests: &[&Tested]| {
        let lost = tests.iter().filter(|t| !t.stable()).count();
        let verdict = format!("{lost} of {} unstable", tests.len());
        let Some(found) = summary(tests) else {
            rows.push([vec![name.to_owned()], vec!["-".to_owned(); 11], vec![verdict]].concat());
            return;
        };
        let force = tests.iter().filter(|t| t.stable()).map(|t| t.peak_force).fold(0.0, f64::max) / 1e3;
        rows.push([vec![format!("{name}, mean")], numbers(&found.mean), vec![String::new(); 2]].concat());
        let force = format!("{force:.2}");
        rows.push([vec![format!("{name}, largest")], numbers(&found.largest), vec![force, verdict]].concat());
    };
    summarised("nominal", &nominal);
    if args.tests.perturbed > 0 {
        let perturbed: Vec<&Tested> = found.iter().filter(|t| t.draw.is_some()).collect();
        summarised(&format!("{} perturbed", args.tests.perturbed), &perturbed);
    }
    let criteria = CRITERIA.map(|(name, unit, ..)| format!("{name} [{unit}]"));
    let mut header = vec!["motion"];
    header.extend(criteria.iter().map(String::as_str));
    header.extend(["force [kN]", "<verdict"]);
    out += &aligned(&header, &rows);
    out += "Each number is the largest of the actuators, coordinates or floors of its criterion; --json has all.\n";
    out + &released(&nominal, references)
}

fn row(t: &Tested) -> Vec<String> {
    let (criteria, verdict) = match t.verdict {
        Verdict::Stable if t.saturated => (numbers(&t.criteria.largest()), "stable, a command is saturated".to_owned()),
        Verdict::Stable => (numbers(&t.criteria.largest()), "stable".to_owned()),
        Verdict::Unstable(at) => (vec!["-".to_owned(); 10], format!("UNSTABLE at {at:.2} s")),
    };
    [vec![t.motion.clone()], criteria, vec![format!("{:.2}", t.peak_force / 1e3), verdict]].concat()
}

/// J7 to J10 against the assumed bay, beside those of a perfect test.
fn released(nominal: &[&Tested], references: &[Reference]) -> String {
    let mean = |all: &[&Criteria]| -> Vec<String> {
        let largest = |c: &Criteria, j: usize| c.released[j].iter().fold(0.0f64, |m, x| m.max(*x));
        (0..4).map(|j| format!("{:.2}", all.iter().map(|c| largest(c, j)).sum::<f64>() / all.len() as f64)).collect()
    };
    let stable: Vec<&Criteria> = nominal.iter().filter(|t| t.stable()).map(|t| &t.criteria).collect();
    if stable.is_empty() {
        return String::new();
    }
    let perfect: Vec<Criteria> = references.iter().map(Reference::perfect).collect();
    let rows = vec![
        [vec!["this controller".to_owned()], mean(&stable)].concat(),
        [vec!["perfect actuators and sensors".to_owned()], mean(&perfect.iter().collect::<Vec<_>>())].concat(),
    ];
    let header = ["", "J7 [%]", "J8 [%]", "J9 [%]", "J10 [%]"];
    "\nJ7 to J10 against the frame with the bay as assumed in the design, as in the released scripts (mean over motions).\n\
     The real bay differs from it, so that a perfect test has these errors, too:\n"
        .to_owned()
        + &aligned(&header, &rows)
}
