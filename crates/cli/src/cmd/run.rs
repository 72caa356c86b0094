//! `interfield run`: integrates a model, writes a result file (or CSV) and a report.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield_kernel::StepMap;
use interfield_model::{Partitioned, Simulation};
use interfield_report::Block;
use interfield_results::{Meta, Reader};
use serde_json::json;

use crate::Exit;
use crate::cmd::doctor;
use crate::coupled;
use crate::engine::Engine;
use crate::files::same;
use crate::laboratory::{self, Laboratory, RealTime, Replay};
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json, progress};
use crate::programs::{self, Programs, Told};
use crate::ranges::{Range, Ranges};
use crate::record::{self, Format, Record};
use crate::report::{Curves, Frames, Report, Scene, interface};
use crate::table::{aligned, short};

/// Run a model: write a result file (HDF5, or CSV) and a report (HTML)
///
/// The result file holds the channels with their units, the model, all settings, and how the run ended. It is complete
/// at every moment, also if the run is killed. Python (h5py), MATLAB (h5read) and Octave (load) open it.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield run models/frame.toml\n  \
interfield run models/frame.toml --scheme newmark --dt \"5 ms\" --output frame.csv\n  \
interfield run models/shear-pendulum.toml --set k1=5000 --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Write the results to FILE.h5 (result file) or FILE.csv [default: interfield-out/MODEL.h5]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Write the report to this HTML file [default: interfield-out/MODEL.html, none with --output]
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print the summary, or all mistakes, as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Show no progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Let the coarse side of an interfield-parallel coupling advance on a thread of its own: the same results
    #[arg(long)]
    threads: bool,
    #[command(flatten)]
    real_time: RealTime,
}

/// How a run behaves.
#[derive(Clone, Default)]
struct How {
    json: bool,
    quiet: bool,
    threads: bool,
    real_time: RealTime,
    /// A recording that takes the place of the laboratory.
    replay: Option<Replay>,
}

/// The model that runs without arguments.
const EXAMPLE: &str = include_str!("../../../../models/isolated-building.toml");

/// Folder for results that nobody gave a place.
const OUT: &str = "interfield-out";

/// Runs the embedded example.
pub(crate) fn example() -> Exit {
    let loaded = Loaded::embedded("isolated-building.toml (embedded)", EXAMPLE.to_owned(), PathBuf::new(), false);
    execute(&loaded, &ModelArgs::default(), &Files::default_for("isolated-building"), How::default())
}

impl Args {
    /// Whether JSON is wanted.
    pub(crate) fn json(&self) -> bool {
        self.json
    }
}

/// Runs a model file.
pub(crate) fn run(args: &Args) -> Exit {
    with(args, None)
}

/// Runs a model file, with a recording in place of its laboratory if there is one.
pub(crate) fn with(args: &Args, replay: Option<Replay>) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let stem = args.model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    // A replay has files of its own: what was recorded is not written over.
    let default = Files::default_for(&if replay.is_some() { format!("{stem}-replay") } else { stem });
    let (results, report) = match &args.output {
        None => (default.results, args.report.clone().or(default.report)),
        Some(output) => (output.clone(), args.report.clone()),
    };
    let refuse = |message: String, help: &str| {
        fail(args.json, None, None, &message, help);
        Exit::BadInput
    };
    // Results must not replace the model or each other.
    let help = "give --output and --report files of their own";
    if let Some(path) = [Some(&results), report.as_ref()].into_iter().flatten().find(|p| same(p, &args.model)) {
        return refuse(format!("`{}` is the model file itself", path.display()), help);
    }
    if let Some(path) = report.as_ref().filter(|r| same(r, &results)) {
        return refuse(format!("`{}` would hold both results and report", path.display()), help);
    }
    let Some(format) = Format::of(&results) else {
        let help = "write --output FILE.h5 for a result file or --output FILE.csv for comma-separated values";
        return refuse(format!("`{}`: the kind of file is not known", results.display()), help);
    };
    execute(
        &loaded,
        &args.settings,
        &Files { results, format, report },
        How { json: args.json, quiet: args.quiet, threads: args.threads, real_time: args.real_time, replay },
    )
}

/// What a run writes.
struct Files {
    results: PathBuf,
    format: Format,
    report: Option<PathBuf>,
}

impl Files {
    fn default_for(stem: &str) -> Self {
        let out = Path::new(OUT);
        let report = Some(out.join(format!("{stem}.html")));
        Self { results: out.join(format!("{stem}.h5")), format: Format::Results, report }
    }
}

/// How a run ended.
pub(crate) enum Verdict {
    /// All steps were taken.
    Finished,
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// A step failed; the reason in words.
    Faulted(String),
    /// The results could not be written.
    NotWritten(String),
}

impl Verdict {
    /// How the result file says it.
    fn outcome(&self, t: f64) -> String {
        match self {
            Self::Finished => "finished".to_owned(),
            Self::Interrupted => format!("interrupted: by a signal at t = {} s", short(t)),
            Self::Faulted(reason) => format!("fault: {reason}"),
            Self::NotWritten(reason) => format!("interrupted: {reason}"),
        }
    }
}

/// How a run went.
struct Summary<'a> {
    /// How it ended.
    verdict: &'a Verdict,
    /// Steps taken.
    steps: u64,
    /// Wall-clock time of the steps, s.
    seconds: f64,
    /// In a test by the clock: the ways of the specimens to their start and home, s.
    ways: Option<[f64; 2]>,
}

impl Summary<'_> {
    /// One line for people.
    fn line(&self, sim: &Simulation) -> String {
        let what = match self.verdict {
            Verdict::Finished => "finished".to_owned(),
            Verdict::Interrupted => "interrupted, results up to there are kept".to_owned(),
            Verdict::Faulted(r) => format!("stopped {r}; results up to there are kept"),
            Verdict::NotWritten(r) => format!("stopped: {r}"),
        };
        let simulated = self.steps as f64 * sim.domain.dt();
        let ways = self.ways.map_or_else(String::new, |[there, home]| {
            format!("; {} s to the start before, {} s home after", short(there), short(home))
        });
        format!(
            "{what}: {} steps in {} s ({} steps/s, {} times real time){ways}",
            self.steps,
            short(self.seconds),
            short((self.steps as f64 / self.seconds).round()),
            short((simulated / self.seconds * 10.0).round() / 10.0)
        )
    }
}

/// What a report needs that only the run itself can tell.
struct Witness {
    scene: Scene,
    frames: Frames,
    /// Where no result file has them.
    curves: Option<Curves>,
}

fn execute(loaded: &Loaded, settings: &ModelArgs, files: &Files, how: How) -> Exit {
    let How { json, quiet, threads, real_time, replay } = how;
    let mut clock = Clock::default();
    let (mut model, places) = match loaded.model(settings) {
        Ok(found) => found,
        Err(e) => return e,
    };
    let programs = match Programs::start(&mut model, loaded.folder(), &files.results) {
        Ok(programs) => programs,
        Err(message) => {
            fail(json, None, None, &message, "see `[[external]]` in the reference");
            return Exit::Fault;
        }
    };
    let told = programs.told().to_vec();
    let (mut sim, mut parts) = match loaded.advised_model(model, &places, settings, None) {
        Ok(found) => (found.sim, found.parts),
        Err(e) => return e,
    };
    let specimens = sim.model.specimens.clone();
    let machine = if real_time.real_time { doctor::glance(&specimens, real_time.core) } else { None };
    machine.iter().filter(|_| !json).for_each(|line| complain(line));
    let mut laboratory = None;
    if let Some(replay) = &replay
        && !specimens.iter().any(|s| replay.holds(s))
    {
        let help = "play a recording of this model: its channels begin with the name of the specimen";
        fail(json, None, None, "the recording holds no specimen of the model", help);
        return Exit::BadInput;
    }
    if !(specimens.is_empty() && sim.model.externals.is_empty()) {
        let meta = record::meta(&sim, loaded.text(), settings);
        let mut made = Laboratory::new(&files.results, loaded.folder(), &meta, &sim.model, real_time, replay, programs);
        if let Err(e) = loaded.in_workshop(&mut sim, &mut parts, &mut made) {
            return e;
        }
        if real_time.control {
            made.listen();
        }
        laboratory = Some(made);
    }
    if real_time.real_time && specimens.is_empty() {
        let help = "name the elements that stand in the laboratory: [[specimen]]";
        fail(json, None, None, "--real-time: the model has no specimen", help);
        return Exit::BadInput;
    }
    let mut engine = parts.map_or(Engine::Whole, |mut parts| {
        parts.coupling.use_threads(threads);
        let listener = coupled::Listener::new(&parts);
        Engine::Parts(Box::new(parts), listener)
    });
    clock.lap("model read and assembled");
    let mut meta = record::meta(&sim, loaded.text(), settings);
    if let Some(parts) = engine.parts() {
        meta.settings
            .retain(|(name, _)| !["scheme", "scheme_coefficients", "tangent", "solver"].contains(&name.as_str()));
        meta.settings.splice(0..0, coupled::settings(parts));
    }
    let mut record = match Record::create(&files.results, files.format, &sim, &meta) {
        Ok(r) => r,
        Err(message) => {
            let help = "give another file with --output, for example --output results.h5";
            fail(json, Some(&files.results.display().to_string()), None, &message, help);
            return Exit::Failure;
        }
    };
    loaded.lines().iter().for_each(|line| record.log(line));
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // A second handler in one process is impossible here; without one Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let visible = !quiet && !json && std::io::stderr().is_terminal();
    if !json {
        print(&heading(&sim, engine.parts()));
    }
    let mut ranges = Ranges::new(sim.channels().len());
    let mut witness = files.report.as_ref().map(|_| Witness {
        scene: Scene::new(&sim),
        frames: Frames::new(&sim),
        curves: (files.format == Format::Csv).then(|| Curves::new(&record::channels(&sim))),
    });
    clock.lap("modes and memory for the report");
    real_time.claim();
    let (done, mut verdict, first) =
        integrate((&mut sim, &mut engine), &mut record, &mut ranges, witness.as_mut(), &stop, visible);
    let stepped = clock.lap("steps, recording");
    engine.finish(&mut sim);
    let home = if specimens.is_empty() { 0.0 } else { clock.lap("specimens led home") };
    let mut assessed = Vec::new();
    if let Some(laboratory) = &laboratory {
        engine.visit_rigs(&sim, |i, rig| assessed.extend(laboratory.assess(&specimens[i], rig)));
        assessed.iter().flat_map(laboratory::log).for_each(|line| record.log(&line));
    }
    // By the clock, the way to the start may be part of the first step, where the scheme does not ask for a force before: the test begins at its end.
    let ways = laboratory::to_start(&assessed).map(|there| [there, home]);
    let within = ways.map_or(0.0, |[there, _]| if first >= there { there } else { 0.0 });
    let seconds = stepped - within;
    for line in programs::text(&told, &sim.model).lines().filter(|l| !l.is_empty()) {
        record.log(line.trim());
    }
    record.log(&format!("timings: {}", clock.text()));
    if let Some(parts) = engine.parts() {
        coupled::text(parts).lines().filter(|l| !l.is_empty()).for_each(|l| record.log(l));
    }
    record.log(&Summary { verdict: &verdict, steps: done, seconds, ways }.line(&sim));
    if let Err(message) = record.finish(&verdict.outcome(done as f64 * sim.domain.dt())) {
        verdict = Verdict::NotWritten(message);
    }
    clock.lap("last results to the disk");
    let summary = Summary { verdict: &verdict, steps: done, seconds, ways };
    let report = match (&files.report, witness) {
        (Some(path), Some(witness)) => {
            let mut laboratory = laboratory::blocks(&assessed, &sim.model.units);
            laboratory.extend(programs::blocks(&told, &sim.model));
            let judged = laboratory::verdict(&assessed);
            let told = Repeated { meta: &meta, log: loaded.lines(), parts: engine.parts(), laboratory, judged };
            report(path, &files.results, told, &sim, &summary, witness, &mut clock)
        }
        _ => Ok(()),
    };
    if json {
        let mut document = summary_json(&sim, &ranges.0, &summary, files);
        if let Engine::Parts(parts, listener) = &engine {
            document["scheme"] = serde_json::Value::Null;
            document["coupling"] = coupled::json(parts, listener);
        }
        if !assessed.is_empty() {
            document["laboratory"] = laboratory::json(&assessed);
        }
        if !told.is_empty() {
            document["externals"] = programs::json(&told, &sim.model);
        }
        document["warnings"] = loaded.messages().into();
        document["machine"] = json!(machine);
        if let Err(message) = &report {
            document["report_error"] = json!(message);
        }
        print_json(&document);
    } else {
        let laboratory = laboratory::text(&assessed, &sim.model.units) + &programs::text(&told, &sim.model);
        print(&summary_text(&sim, engine.parts(), &ranges.0, &laboratory, &summary, files));
    }
    if let Verdict::Faulted(reason) | Verdict::NotWritten(reason) = &verdict {
        complain(&format!("error: {reason}"));
        assessed.iter().flat_map(laboratory::log).for_each(|line| complain(&format!("note: {line}")));
        told.iter().filter_map(Told::last_words).for_each(|words| complain(&format!("note: {words}")));
    }
    if let Err(message) = &report {
        complain(&format!("error: {message}"));
    }
    match &verdict {
        Verdict::Finished if report.is_err() => Exit::Failure,
        Verdict::Finished => Exit::Done,
        Verdict::Interrupted => Exit::Interrupted,
        Verdict::Faulted(_) => Exit::Fault,
        Verdict::NotWritten(_) => Exit::Failure,
    }
}

/// What the report repeats of what was said elsewhere.
struct Repeated<'a> {
    meta: &'a Meta,
    log: Vec<String>,
    parts: Option<&'a Partitioned>,
    laboratory: Vec<Block>,
    /// Verdicts on the tests of specimens, and whether any of them failed.
    judged: (String, bool),
}

/// Writes the report of the run that just ended.
fn report(
    path: &Path,
    results: &Path,
    told: Repeated<'_>,
    sim: &Simulation,
    summary: &Summary<'_>,
    witness: Witness,
    clock: &mut Clock,
) -> Result<(), String> {
    let Witness { scene, frames, curves } = witness;
    let curves = match curves {
        Some(curves) => curves,
        None => Reader::open(results)
            .and_then(|reader| Curves::of(&reader))
            .map_err(|e| format!("the report could not be made: {e}"))?,
    };
    clock.lap("reading back for the report");
    let mut timings = clock.laps();
    timings.push(("steps per second", short((summary.steps as f64 / summary.seconds).round())));
    let simulated = summary.steps as f64 * sim.domain.dt();
    timings.push(("times real time", short(simulated / summary.seconds)));
    let Repeated { meta, log, parts, laboratory, judged: (judged, failed) } = told;
    let report = Report {
        meta,
        good: matches!(summary.verdict, Verdict::Finished) && !failed,
        verdict: summary.line(sim) + &judged,
        curves: &curves,
        modes: scene.modes(),
        deformed: scene.deformed(sim, &frames),
        interface: parts.map_or_else(Vec::new, interface),
        laboratory,
        log,
        timings,
    };
    report.write(path)
}

/// What took how long.
struct Clock {
    last: Instant,
    laps: Vec<(&'static str, f64)>,
}

impl Default for Clock {
    fn default() -> Self {
        Self { last: Instant::now(), laps: Vec::new() }
    }
}

impl Clock {
    /// Ends a part; how long it took, s.
    fn lap(&mut self, what: &'static str) -> f64 {
        let seconds = self.last.elapsed().as_secs_f64();
        self.laps.push((what, seconds));
        self.last = Instant::now();
        seconds
    }

    fn laps(&self) -> Vec<(&'static str, String)> {
        self.laps.iter().map(|(what, s)| (*what, format!("{} s", short(*s)))).collect()
    }

    fn text(&self) -> String {
        let parts: Vec<String> = self.laps().into_iter().map(|(what, s)| format!("{what} {s}")).collect();
        parts.join(", ")
    }
}

/// The loop: step, record, look at the clock from time to time. Steps taken, how it ended, and the time that the first step took, s.
fn integrate(
    (sim, engine): (&mut Simulation, &mut Engine),
    record: &mut Record,
    ranges: &mut Ranges,
    mut witness: Option<&mut Witness>,
    stop: &AtomicBool,
    visible: bool,
) -> (u64, Verdict, f64) {
    let steps = sim.steps();
    let bar = progress(steps, "steps", visible);
    let every = sim.model.every;
    let mut row = vec![0.0; sim.channels().len()];
    let stopped = |t: f64, reason: String| Verdict::Faulted(format!("at t = {} s: {reason}", short(t)));
    let mut verdict = Verdict::Finished;
    let mut done = 0;
    let mut looked = Instant::now();
    let (begun, mut first) = (Instant::now(), 0.0);
    loop {
        if let Some(witness) = &mut witness {
            witness.frames.push(done, done as f64 * sim.domain.dt(), |i| engine.unknown(sim, i));
        }
        let stopping = stop.load(Ordering::Relaxed);
        if done % every == 0 || done == steps || stopping {
            let t = done as f64 * sim.domain.dt();
            if let Err(fault) = engine.sample(sim, done, &mut row) {
                verdict = stopped(t, engine.explain(sim, fault));
                break;
            }
            if let Some(i) = row.iter().position(|x| !x.is_finite()) {
                verdict = stopped(t, format!("channel `{}` is {}", sim.channels()[i].name, row[i]));
                break;
            }
            ranges.push(t, row.iter().copied());
            if let Some(curves) = witness.as_mut().and_then(|w| w.curves.as_mut()) {
                curves.push(t, &row);
            }
            if let Err(reason) = record.row(t, &row) {
                verdict = Verdict::NotWritten(reason);
                break;
            }
        }
        if done == steps {
            break;
        }
        if stopping {
            verdict = Verdict::Interrupted;
            break;
        }
        if let Err(fault) = engine.step(sim, done) {
            let t = done as f64 * sim.domain.dt();
            verdict =
                Verdict::Faulted(format!("at t = {} s (step {}): {}", short(t), done + 1, engine.explain(sim, fault)));
            break;
        }
        done += 1;
        if done == 1 {
            first = begun.elapsed().as_secs_f64();
        }
        if visible && done % 16 == 0 && looked.elapsed() > Duration::from_millis(50) {
            bar.set_position(done);
            looked = Instant::now();
        }
    }
    bar.finish_and_clear();
    (done, verdict, first)
}

fn heading(sim: &Simulation, parts: Option<&Partitioned>) -> String {
    let a = &sim.model.analysis;
    let dims = sim.unknowns().len();
    let mut out = format!("{}\n", sim.model.title);
    out += &format!("  {dims} unknowns, {} elements\n", sim.model.elements.len());
    let steps = format!("step {} s, {} steps to {} s\n", short(a.dt), sim.steps(), short(a.duration));
    if let Some(parts) = parts {
        return out + "  " + &steps + &coupled::heading(parts);
    }
    out += &format!("  scheme {}, {steps}", a.scheme_name);
    if let Some(solver) = sim.solver() {
        let when = if sim.domain.system().follows_state() { "factorised at each step" } else { "factorised once" };
        out += &format!("  solver {solver}, {when}\n");
    }
    out
}

fn summary_text(
    sim: &Simulation,
    parts: Option<&Partitioned>,
    ranges: &[Range],
    laboratory: &str,
    summary: &Summary<'_>,
    files: &Files,
) -> String {
    let rows: Vec<Vec<String>> = sim
        .channels()
        .iter()
        .zip(ranges)
        .map(|(c, r)| vec![c.name.clone(), c.unit.clone(), short(r.peak), format!("{:.3}", r.peak_time), short(r.last)])
        .collect();
    let mut out = String::from("\n");
    out += &aligned(&["channel", "unit", "peak", "at t [s]", "at the end"], &rows);
    out += &parts.map_or_else(String::new, coupled::text);
    out += laboratory;
    out += &format!("\n{}\n", summary.line(sim));
    out += &format!("  results: {}\n", files.results.display());
    if let Some(r) = &files.report {
        out += &format!("  report:  {}\n", r.display());
    }
    out
}

fn summary_json(sim: &Simulation, ranges: &[Range], summary: &Summary<'_>, files: &Files) -> serde_json::Value {
    let a = &sim.model.analysis;
    let (verdict, reason) = match summary.verdict {
        Verdict::Finished => ("finished", None),
        Verdict::Interrupted => ("interrupted", None),
        Verdict::Faulted(r) => ("fault", Some(r)),
        Verdict::NotWritten(r) => ("not written", Some(r)),
    };
    json!({
        "title": sim.model.title,
        "verdict": verdict,
        "reason": reason,
        "scheme": a.scheme_name,
        "dt": a.dt,
        "duration": a.duration,
        "unknowns": sim.unknowns().len(),
        "steps": summary.steps,
        "seconds": summary.seconds,
        "seconds_to_start": summary.ways.map(|w| w[0]),
        "seconds_home": summary.ways.map(|w| w[1]),
        "steps_per_second": summary.steps as f64 / summary.seconds,
        "solvers": sim.solvers().iter().map(|(d, r)| json!({
            "m": d.m, "c": d.c, "k": d.k, "method": r.to_string(),
        })).collect::<Vec<_>>(),
        "channels": sim.channels().iter().zip(ranges).map(|(c, r)| json!({
            "name": c.name, "unit": c.unit, "peak": r.peak, "peak_time": r.peak_time,
            "min": r.min, "max": r.max, "final": r.last,
        })).collect::<Vec<_>>(),
        "results": files.results.display().to_string(),
        "csv": (files.format == Format::Csv).then(|| files.results.display().to_string()),
        "report": files.report.as_ref().map(|r| r.display().to_string()),
    })
}
