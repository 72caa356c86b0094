//! `interfield run`: integrates a model, writes a result file (or CSV) and a report.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield_results::{Meta, Reader};
use interfield_structure::Simulation;
use interfield_structure::watch::{Grade, Verdict};
use serde_json::json;

use crate::Exit;
use crate::cmd::doctor;
use crate::coupled;
use crate::files::same;
use crate::laboratory::{self, Arming, Assessed, Laboratory, RealTime, Replay};
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json, progress};
use crate::outputs::{Files, Wanted};
use crate::programs::{self, Programs, Told};
use crate::ranges::{Range, Ranges};
use crate::record::{self, Format, Record};
use crate::rehearsal::{self, Rehearsal};
use crate::report::{Curves, Evidence, Frames, Report, Scene, Unmade, interface};
use crate::space::{Room, room};
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
    pub(crate) options: Options,
}

/// What can be said about a run beside its model.
#[derive(ClapArgs, Clone, Debug, Default)]
#[group(skip)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) settings: ModelArgs,
    /// Write the results to FILE.h5 (result file) or FILE.csv [default: interfield-out/MODEL.h5, of a test with a
    /// specimen the next free number: MODEL-2.h5]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the report to this HTML file [default: interfield-out/MODEL.html, none with --output]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print the summary, or all mistakes, as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Show no progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Let the coarse side of an interfield-parallel coupling advance on a thread of its own: the same results
    #[arg(long)]
    threads: bool,
    #[command(flatten)]
    real_time: RealTime,
    #[command(flatten)]
    arming: Arming,
}

/// The model that runs without arguments.
const EXAMPLE: &str = include_str!("../../../../models/isolated-building.toml");

/// Runs the embedded example.
pub(crate) fn example() -> Exit {
    let loaded = Loaded::embedded("isolated-building.toml (embedded)", EXAMPLE.to_owned(), PathBuf::new(), false);
    let wanted = Wanted { stem: "isolated-building".to_owned(), output: None, report: None };
    execute(&loaded, &Options::default(), &wanted, None)
}

/// Runs a model file.
pub(crate) fn run(args: &Args) -> Exit {
    with(&args.model, &args.options, None)
}

/// Runs a model file, with a recording in place of its laboratory if there is one.
pub(crate) fn with(model: &Path, options: &Options, replay: Option<Replay>) -> Exit {
    let loaded = match Loaded::open(model, options.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let stem = model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    // A replay has files of its own, beside those of the test.
    let stem = if replay.is_some() { format!("{stem}-replay") } else { stem };
    let wanted = Wanted { stem, output: options.output.clone(), report: options.report.clone() };
    let refuse = |message: String, help: &str| {
        fail(options.json, None, None, &message, help);
        Exit::BadInput
    };
    // Results must not replace the model or each other.
    let help = "give --output and --report files of their own";
    let (output, report) = (wanted.output.as_ref(), wanted.report.as_ref());
    if let Some(path) = [output, report].into_iter().flatten().find(|p| same(p, model)) {
        return refuse(format!("`{}` is the model file itself", path.display()), help);
    }
    if let Some(path) = report.filter(|r| output.is_some_and(|o| same(r, o))) {
        return refuse(format!("`{}` would hold both results and report", path.display()), help);
    }
    execute(&loaded, options, &wanted, replay)
}

/// How a run ended.
enum End {
    /// All steps were taken.
    Finished,
    /// Ctrl-C or a termination signal.
    Interrupted,
    /// A step failed; the reason in words.
    Faulted(String),
    /// The watch ended it: what came after would have been worth nothing.
    Diverged(String),
    /// The results could not be written.
    NotWritten(String),
}

impl End {
    /// How the result file says it.
    fn outcome(&self, t: f64, verdict: &Verdict) -> String {
        match self {
            Self::Finished => format!("finished; verdict: {}", verdict.line()),
            Self::Interrupted => format!("interrupted: by a signal at t = {} s", short(t)),
            Self::Faulted(reason) => format!("fault: {reason}"),
            Self::Diverged(reason) => reason.clone(),
            Self::NotWritten(reason) => format!("interrupted: {reason}"),
        }
    }

    /// In a word, and why.
    fn word(&self) -> (&'static str, Option<&str>) {
        match self {
            Self::Finished => ("finished", None),
            Self::Interrupted => ("interrupted", None),
            Self::Faulted(r) => ("fault", Some(r)),
            Self::Diverged(r) => ("diverged", Some(r)),
            Self::NotWritten(r) => ("not written", Some(r)),
        }
    }

    /// What speaks against a run that ended so.
    fn verdict(&self) -> Option<Verdict> {
        let (grade, reason) = match self {
            // The watch gives the reason itself.
            Self::Finished | Self::Diverged(_) => return None,
            Self::Interrupted => (Grade::Doubtful, "interrupted before its end"),
            Self::Faulted(r) | Self::NotWritten(r) => (Grade::Failed, r.as_str()),
        };
        Some(Verdict { grade, reasons: vec![reason.to_owned()] })
    }
}

/// The worst of how a run ended, what the watch over it found, and what is thought of the tests of its specimens.
fn judge(end: &End, watched: Option<Verdict>, assessed: &[Assessed]) -> Verdict {
    let tests = assessed.iter().map(|a| {
        let reasons = a.verdict.reasons.iter().map(|r| format!("specimen `{}`: {r}", a.name)).collect();
        Verdict { grade: a.verdict.grade, reasons }
    });
    Verdict::worst(end.verdict().into_iter().chain(watched).chain(tests))
}

/// How a run went.
struct Summary<'a> {
    /// How it ended.
    end: &'a End,
    /// What is thought of it.
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
        let what = match self.end {
            End::Finished => "finished".to_owned(),
            End::Interrupted => "interrupted, results up to there are kept".to_owned(),
            End::Faulted(r) => format!("stopped {r}; results up to there are kept"),
            End::Diverged(r) => format!("stopped: {r}; results up to there are kept"),
            End::NotWritten(r) => format!("stopped: {r}"),
        };
        let simulated = self.steps as f64 * sim.dt();
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

/// What a run leaves behind.
#[derive(Default)]
pub(crate) struct Left {
    /// Its result file, once that is known.
    pub(crate) results: Option<PathBuf>,
    /// Its summary, if it was wanted as JSON.
    pub(crate) document: Option<serde_json::Value>,
}

/// Runs a model that has been read; a recording takes the place of its laboratory if there is one.
fn execute(loaded: &Loaded, options: &Options, wanted: &Wanted, replay: Option<Replay>) -> Exit {
    let mut left = Left::default();
    let exit = leave(loaded, options, wanted, replay, &mut left);
    if let Some(document) = &left.document {
        print_json(document);
    }
    exit
}

/// Runs a model that has been read, and tells what it leaves behind.
pub(crate) fn leave(
    loaded: &Loaded,
    options: &Options,
    wanted: &Wanted,
    replay: Option<Replay>,
    left: &mut Left,
) -> Exit {
    let Options { settings, json, quiet, threads, real_time, arming, output: _, report: _ } = options;
    let (json, real_time) = (*json, *real_time);
    let mut clock = Clock::default();
    let (mut model, places) = match loaded.model(settings) {
        Ok(found) => found,
        Err(e) => return e,
    };
    let files = match wanted.files(!model.specimens.is_empty()) {
        Ok(files) => files,
        Err(refused) => {
            fail(json, None, None, &refused.message, &refused.help);
            return if refused.disk { Exit::Failure } else { Exit::BadInput };
        }
    };
    let files = &files;
    left.results = Some(files.results.clone());
    let programs = match Programs::start(&mut model, loaded.folder(), &files.results) {
        Ok(programs) => programs,
        Err(message) => {
            fail(json, None, None, &message, "see `[[external]]` in the reference");
            return Exit::Fault;
        }
    };
    let told = programs.told().to_vec();
    let structure = match loaded.advised_model(model, &places, None) {
        Ok(found) => found.structure,
        Err(e) => return e,
    };
    let model = structure.model.clone();
    let specimens = &model.specimens;
    match room(&model, &files.results, files.format) {
        // A computed run can be made again, and stops where the disk is full.
        Room::None(message) if !specimens.is_empty() => {
            let help = "make room, give an --output on another disk, or a `record_rate` to the specimen";
            fail(json, None, None, &message, help);
            return Exit::Failure;
        }
        Room::None(message) | Room::Little(message) => complain(&format!("warning: {message}")),
        Room::Enough => {}
    }
    let machine = if real_time.real_time { doctor::glance(specimens, real_time.core) } else { None };
    machine.iter().filter(|_| !json).for_each(|line| complain(line));
    if let Some(replay) = &replay
        && !specimens.iter().any(|s| replay.holds(s))
    {
        let help = "play a recording of this model: its channels begin with the name of the specimen";
        fail(json, None, None, "the recording holds no specimen of the model", help);
        return Exit::BadInput;
    }
    if real_time.real_time && specimens.is_empty() {
        let help = "name the elements that stand in the laboratory: [[specimen]]";
        fail(json, None, None, "--real-time: the model has no specimen", help);
        return Exit::BadInput;
    }
    clock.lap("model read and assembled");
    let witness = files.report.as_ref().map(|_| Witness {
        scene: Scene::new(&structure),
        frames: Frames::new(structure.free().len()),
        curves: (files.format == Format::Csv).then(|| Curves::new(&record::channels(&model))),
    });
    clock.lap("modes and memory for the report");
    let mut meta = record::meta(&model, structure.free().len(), loaded.text(), settings);
    record::complete(&mut meta, loaded, &model, &real_time);
    let elsewhere = specimens.iter().any(|s| s.at.is_some());
    let rehearsed = if elsewhere { rehearsal::of(loaded, settings) } else { Rehearsal::Missing };
    let mut laboratory = Laboratory::new(&files.results, loaded.folder(), &meta, &model, real_time, replay, programs)
        .armed(arming, rehearsed);
    let mut sim = match loaded.start(structure, &places, &mut laboratory) {
        Ok(sim) => sim,
        Err(e) => return e,
    };
    if real_time.control {
        laboratory.listen();
    }
    sim.coupling.use_threads(*threads);
    let mut listener = coupled::Listener::new(&sim);
    clock.lap("specimens on their rigs, schemes started");
    meta.settings.extend(record::solver(&sim));
    let mut record = match Record::create(&files.results, (files.format, files.replace), &model, &meta) {
        Ok(r) => r,
        Err(message) => {
            let help = "give another file with --output, for example --output results.h5";
            fail(json, Some(&files.results.display().to_string()), None, &message, help);
            return Exit::Failure;
        }
    };
    loaded.lines().iter().for_each(|line| record.log(line));
    let stop = Arc::new(AtomicBool::new(false));
    laboratory::on_interrupt(&stop, laboratory.operator());
    let visible = !*quiet && !json && std::io::stderr().is_terminal();
    if !json {
        print(&heading(&sim));
    }
    let mut ranges = Ranges::new(sim.channels().len());
    let mut witness = witness;
    real_time.claim();
    let (done, mut end, first) =
        integrate((&mut sim, &mut listener), &mut record, &mut ranges, witness.as_mut(), &stop, visible);
    let stepped = clock.lap("steps, recording");
    if !matches!(end, End::Finished) {
        sim.give_up();
    }
    sim.finish();
    let home = if specimens.is_empty() { 0.0 } else { clock.lap("specimens led home") };
    let mut assessed = Vec::new();
    assessed.extend(sim.rigs().filter_map(|(i, rig)| laboratory.assess(&specimens[i], rig)));
    assessed.iter().flat_map(laboratory::log).for_each(|line| record.log(&line));
    // By the clock, the way to the start may be part of the first step, where the scheme does not ask for a force before: the test begins at its end.
    let ways = laboratory::to_start(&assessed).map(|there| [there, home]);
    let within = ways.map_or(0.0, |[there, _]| if first >= there { there } else { 0.0 });
    let seconds = stepped - within;
    for line in programs::text(&told, &sim.model).lines().filter(|l| !l.is_empty()) {
        record.log(line.trim());
    }
    record.log(&format!("timings: {}", clock.text()));
    coupled::text(&sim).lines().filter(|l| !l.is_empty()).for_each(|l| record.log(l));
    let watched = sim.verdict();
    let mut verdict = judge(&end, watched.clone(), &assessed);
    record.log(&format!("verdict: {}", verdict.line()));
    record.log(&Summary { end: &end, verdict: &verdict, steps: done, seconds, ways }.line(&sim));
    if let Err(message) = record.finish(&end.outcome(done as f64 * sim.dt(), &verdict)) {
        end = End::NotWritten(message);
        verdict = judge(&end, watched, &assessed);
    }
    clock.lap("last results to the disk");
    let summary = Summary { end: &end, verdict: &verdict, steps: done, seconds, ways };
    let mut laboratory = laboratory::blocks(&assessed, &sim.model.units);
    laboratory.extend(programs::blocks(&told, &sim.model));
    let (mut evidence, curves) = summary.evidence(&sim, witness, &clock);
    evidence.interface = interface(&sim);
    evidence.laboratory = laboratory;
    evidence.log = loaded.lines();
    evidence.numbers = if assessed.is_empty() { serde_json::Value::Null } else { laboratory::json(&assessed) };
    let page = keep(files, &meta, &assessed, &sim, evidence, curves.as_ref());
    if json {
        let mut document = summary_json(&sim, &ranges.0, &summary, files);
        if model.partition.is_some() {
            document["scheme"] = serde_json::Value::Null;
            document["coupling"] = coupled::json(&sim, &listener);
        }
        if !assessed.is_empty() {
            document["laboratory"] = laboratory::json(&assessed);
        }
        if !told.is_empty() {
            document["externals"] = programs::json(&told, &sim.model);
        }
        document["warnings"] = loaded.messages().into();
        document["machine"] = json!(machine);
        if let Err(message) = &page {
            document["report_error"] = json!(message);
        }
        left.document = Some(document);
    } else {
        let laboratory = laboratory::text(&assessed, &sim.model.units) + &programs::text(&told, &sim.model);
        print(&summary_text(&sim, &ranges.0, &laboratory, &summary, files));
    }
    if let End::Faulted(reason) | End::Diverged(reason) | End::NotWritten(reason) = &end {
        complain(&format!("error: {reason}"));
        assessed.iter().flat_map(laboratory::log).for_each(|line| complain(&format!("note: {line}")));
        told.iter().filter_map(Told::last_words).for_each(|words| complain(&format!("note: {words}")));
    }
    if let Err(message) = &page {
        complain(&format!("error: {message}"));
    }
    match &end {
        End::Finished if page.is_err() => Exit::Failure,
        End::Finished if verdict.grade == Grade::Failed => Exit::Fault,
        End::Finished => Exit::Done,
        End::Interrupted => Exit::Interrupted,
        End::Faulted(_) | End::Diverged(_) => Exit::Fault,
        End::NotWritten(_) => Exit::Failure,
    }
}

impl Summary<'_> {
    /// What the run itself can tell its page: how it ended, how long it took, what was seen of the structure; and its curves
    /// where no result file has them.
    fn evidence(&self, sim: &Simulation, witness: Option<Witness>, clock: &Clock) -> (Evidence, Option<Curves>) {
        let mut timings: Vec<(String, String)> =
            clock.laps().into_iter().map(|(what, time)| (what.to_owned(), time)).collect();
        timings.push(("steps per second".to_owned(), short((self.steps as f64 / self.seconds).round())));
        let simulated = self.steps as f64 * sim.dt();
        timings.push(("times real time".to_owned(), short(simulated / self.seconds)));
        let structure = witness.as_ref().map(|w| [w.scene.modes(), w.scene.deformed(&sim.model, &w.frames)]);
        let good = matches!(self.end, End::Finished) && self.verdict.grade != Grade::Failed;
        let verdict = format!("{}; verdict: {}", self.line(sim), self.verdict.line());
        let evidence = Evidence { good, verdict, structure, timings, ..Evidence::default() };
        (evidence, witness.and_then(|w| w.curves))
    }
}

/// Keeps what was found in the files of the run, and makes its page from them as `interfield report` does.
fn keep(
    files: &Files,
    meta: &Meta,
    assessed: &[Assessed],
    sim: &Simulation,
    evidence: Evidence,
    curves: Option<&Curves>,
) -> Result<(), String> {
    let recordings = laboratory::keep(assessed, &sim.model.units);
    let kept = if files.format == Format::Results { evidence.keep(&files.results) } else { Ok(()) };
    let page = files.report.as_ref().map_or(Ok(()), |path| match curves {
        Some(curves) => Report { meta, curves, evidence }.write(path),
        None => {
            let read = Reader::open(&files.results).map_err(Unmade::Read);
            let made = read.and_then(|reader| {
                // A disk that takes no more evidence may still take a page.
                let evidence = Evidence::of(&reader).unwrap_or(evidence);
                Report::of_stored(&reader, evidence, path)
            });
            made.map_err(|e| match e {
                Unmade::Read(e) => format!("the report could not be made: {e}"),
                Unmade::Write(message) => message,
            })
        }
    });
    let failed: Vec<String> = [recordings, kept, page].into_iter().filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
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
    (sim, listener): (&mut Simulation, &mut coupled::Listener),
    record: &mut Record,
    ranges: &mut Ranges,
    mut witness: Option<&mut Witness>,
    stop: &AtomicBool,
    visible: bool,
) -> (u64, End, f64) {
    let (steps, free) = (sim.steps(), sim.free().collect::<Vec<_>>());
    let bar = progress(steps, "steps", visible);
    let every = sim.model.every;
    let mut row = vec![0.0; sim.channels().len()];
    let stopped = |t: f64, reason: String| End::Faulted(format!("at t = {} s: {reason}", short(t)));
    if let Err(fault) = sim.watch() {
        return (0, stopped(0.0, sim.explain(fault)), 0.0);
    }
    let mut end = End::Finished;
    let mut done = 0;
    let mut looked = Instant::now();
    let (begun, mut first) = (Instant::now(), 0.0);
    loop {
        if let Some(witness) = &mut witness {
            witness.frames.push(done, done as f64 * sim.dt(), |i| sim.displacement(free[i]).unwrap_or(0.0));
        }
        let lost = sim.lost();
        let stopping = lost.is_some() || stop.load(Ordering::Relaxed);
        // Extremes are those of all steps, whatever is recorded of them.
        let t = done as f64 * sim.dt();
        if let Err(fault) = sim.sample(done, &mut row) {
            end = stopped(t, sim.explain(fault));
            break;
        }
        if let Some(i) = row.iter().position(|x| !x.is_finite()) {
            end = stopped(t, format!("channel `{}` is {}", sim.channels()[i].name, row[i]));
            break;
        }
        ranges.push(t, row.iter().copied());
        if done % every == 0 || done == steps || stopping {
            if let Some(curves) = witness.as_mut().and_then(|w| w.curves.as_mut()) {
                curves.push(t, &row);
            }
            if let Err(reason) = record.row(t, &row) {
                end = End::NotWritten(reason);
                break;
            }
        }
        if let Some(reason) = lost {
            end = End::Diverged(reason);
            break;
        }
        if done == steps {
            break;
        }
        if stopping {
            end = End::Interrupted;
            break;
        }
        if let Err(fault) = sim.step(done) {
            let t = done as f64 * sim.dt();
            end = End::Faulted(format!("at t = {} s (step {}): {}", short(t), done + 1, sim.explain(fault)));
            break;
        }
        listener.push(sim);
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
    (done, end, first)
}

fn heading(sim: &Simulation) -> String {
    let a = &sim.model.analysis;
    let dims = sim.free().count();
    let mut out = format!("{}\n", sim.model.title);
    out += &format!("  {dims} unknowns, {} elements\n", sim.model.elements.len());
    let steps = format!("step {} s, {} steps to {} s\n", short(a.dt), sim.steps(), short(sim.steps() as f64 * a.dt));
    if sim.model.partition.is_some() {
        return out + "  " + &steps + &coupled::heading(sim);
    }
    out += &format!("  scheme {}, {steps}", a.scheme_name);
    if let Some(solver) = sim.solver(0) {
        let when = if sim.coupling.system(0).follows_state() { "factorised at each step" } else { "factorised once" };
        out += &format!("  solver {solver}, {when}\n");
    }
    out
}

fn summary_text(sim: &Simulation, ranges: &[Range], laboratory: &str, summary: &Summary<'_>, files: &Files) -> String {
    let rows: Vec<Vec<String>> = sim
        .channels()
        .iter()
        .zip(ranges)
        .map(|(c, r)| vec![c.name.clone(), c.unit.clone(), short(r.peak), format!("{:.3}", r.peak_time), short(r.last)])
        .collect();
    let mut out = String::from("\n");
    out += &aligned(&["channel", "unit", "peak", "at t [s]", "at the end"], &rows);
    out += &coupled::text(sim);
    out += laboratory;
    out += &format!("\n{}\n", summary.line(sim));
    out += &format!("  results: {}\n", files.results.display());
    if let Some(r) = &files.report {
        out += &format!("  report:  {}\n", r.display());
    }
    out + &format!("verdict: {}\n", summary.verdict.line())
}

fn summary_json(sim: &Simulation, ranges: &[Range], summary: &Summary<'_>, files: &Files) -> serde_json::Value {
    let a = &sim.model.analysis;
    let (ended, reason) = summary.end.word();
    let solvers = if sim.model.partition.is_none() { sim.solvers(0) } else { Vec::new() };
    json!({
        "title": sim.model.title,
        "ended": ended,
        "reason": reason,
        "verdict": summary.verdict.grade.word(),
        "reasons": summary.verdict.reasons,
        "scheme": a.scheme_name,
        "dt": a.dt,
        "duration": a.duration,
        "unknowns": sim.free().count(),
        "steps": summary.steps,
        "seconds": summary.seconds,
        "seconds_to_start": summary.ways.map(|w| w[0]),
        "seconds_home": summary.ways.map(|w| w[1]),
        "steps_per_second": summary.steps as f64 / summary.seconds,
        "solvers": solvers.iter().map(|(d, r)| json!({
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
