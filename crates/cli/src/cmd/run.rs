//! `interfield run`: integrates a model, writes a result file (or CSV) and a report.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use interfield::files::same;
use interfield::laboratory::{self, Replay};
use interfield::outputs::{Files, OUT, Wanted};
use interfield::plan::Plan;
use interfield::programs::{self, ProgramLog};
use interfield::pushover::Strength;
use interfield::quantities::{ONE, UNITS};
use interfield::ranks::{Followed, agree};
use interfield::record::{self, Format};
use interfield::table::{aligned, short, time};
use interfield::{
    Callables, Cause, Choices, End, Moment, Operator, Outcome, Prepared, Range, Refused, Run, Setup, checkpoint,
    coupled, reductions, updating,
};
use interfield_console::{Console, Hub, RunDesk, Start};
use interfield_language::Model;
use interfield_language::model::Channel;
use interfield_report::{Block, Figure, Table};
use interfield_results::{Meta, Reader};
use interfield_structure::Simulation;
use interfield_structure::learning::Lesson;
use interfield_structure::watch::Grade;
use serde_json::json;

use crate::Exit;
use crate::cmd::doctor;
use crate::console::{self, Beside, ConsoleArgs};
use crate::interrupt::{listen, on_interrupt};
use crate::load::{Arming, Loaded, ModelArgs, RealTime, refuse};
use crate::output::{Following, complain, fail, print, print_json, progress};
use crate::report::{
    Curves, Evidence, Frames, LOOKED_AT, Pictures, Report, Scene, Unmade, blocks, envelopes, interface,
    keep as keep_recordings,
};
use crate::team::Team;

/// Run a model: write a result file (HDF5, or CSV) and a report (HTML)
///
/// The result file holds the channels with their units, the model, all settings, and how the run ended. It is readable
/// at any time, even if the run is killed. Python (h5py), MATLAB (h5read) and Octave (load) open it.
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
    /// Advance the coarse side of an interfield-parallel coupling on a separate thread, and let several threads share the solutions of
    /// a large matrix also in real time; the results are the same
    #[arg(long)]
    pub(crate) threads: bool,
    #[command(flatten)]
    pub(crate) running: Running,
    /// The processes that share it.
    #[arg(skip)]
    pub(crate) team: Team,
}

impl std::ops::Deref for Options {
    type Target = Running;

    fn deref(&self) -> &Running {
        &self.running
    }
}

/// What can be said about a run whatever it computes: its files, its clock, its laboratory.
#[derive(ClapArgs, Clone, Debug, Default)]
#[group(skip)]
pub(crate) struct Running {
    /// Write the results to FILE.h5 (result file) or FILE.csv [default: interfield-out/MODEL.h5, or the next free
    /// number for a test with a specimen: MODEL-2.h5]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Write the report to this HTML file [default: interfield-out/MODEL.html, none with --output]
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Print the summary, or all errors, as JSON on standard output
    #[arg(long)]
    pub(crate) json: bool,
    /// Hide the progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Keep the analysis and the factor of a large structure in this folder; the next start of the same model is short
    /// [default: interfield-out/cache]
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, default_missing_value = CACHE)]
    cache: Option<PathBuf>,
    /// Save the complete state beside the results at this interval in seconds, for --resume [default: 60]
    #[arg(long, value_name = "SECONDS", num_args = 0..=1, default_missing_value = "60", value_parser = seconds)]
    checkpoint: Option<f64>,
    /// Continue from a checkpoint, by default the newest of this model; the results equal those of an uninterrupted run
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = NEWEST)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    real_time: RealTime,
    #[command(flatten)]
    arming: Arming,
    #[command(flatten)]
    console: ConsoleArgs,
}

/// Where factors are kept, unless it is said.
const CACHE: &str = "interfield-out/cache";

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
    let team = match Team::join() {
        Ok(team) => team,
        Err(exit) => return exit,
    };
    let options = Options { team: team.clone(), ..args.options.clone() };
    team.part(with(&args.model, &options, None))
}

/// Runs a model file, with a recording in place of its laboratory if there is one.
pub(crate) fn with(model: &Path, options: &Options, replay: Option<Replay>) -> Exit {
    let loaded = match Loaded::open(model, options.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let stem = model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    // A push and a replay have files of their own, beside those of the run.
    let stem = if options.settings.pushover.is_some() { format!("{stem}-pushover") } else { stem };
    let stem = if replay.is_some() { format!("{stem}-replay") } else { stem };
    let wanted = Wanted { stem, output: options.output.clone(), report: options.report.clone() };
    let refuse = |message: String, help: &str| {
        fail(options.json, None, None, &message, help);
        Exit::BadInput
    };
    // Results must not replace the model or each other.
    let help = "give --output and --report different files";
    let (output, report) = (wanted.output.as_ref(), wanted.report.as_ref());
    if let Some(path) = [output, report].into_iter().flatten().find(|p| same(p, model)) {
        return refuse(format!("`{}` is the model file itself", path.display()), help);
    }
    if let Some(path) = report.filter(|r| output.is_some_and(|o| same(r, o))) {
        return refuse(format!("`{}` is given for both results and report", path.display()), help);
    }
    execute(&loaded, options, &wanted, replay)
}

/// What a report needs that only the run itself can tell.
struct PageData {
    scene: Scene,
    frames: Frames,
    /// All recorded rows; none of a run that is resumed.
    curves: Option<Curves>,
}

impl PageData {
    /// For a run that has a report. One that is resumed has its first rows in the file only.
    fn new(prepared: &Prepared<'_>, resumed: bool) -> Option<Self> {
        prepared.files.as_ref().filter(|f| f.report.is_some())?;
        let structure = &prepared.structure;
        Some(PageData {
            scene: Scene::new(structure),
            frames: Frames::new(structure.free().iter().map(|&d| !structure.model.dofs[d].angle).collect()),
            curves: (!resumed).then(|| Curves::new(&record::channels(&structure.model))),
        })
    }

    fn see(&mut self, m: &Moment<'_>, free: &[usize]) {
        self.frames.push(m.step, m.t, |i| m.simulation.displacement(free[i]).unwrap_or(0.0));
        if let Some(curves) = self.curves.as_mut().filter(|_| m.recorded) {
            curves.push(m.t, m.row);
        }
    }
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
    match attempt(loaded, options, wanted, replay, left) {
        Ok(exit) => exit,
        // One voice is enough.
        Err(_) if !options.team.is_first() => Exit::BadInput,
        Err(refused) => refuse(options.json, &refused),
    }
}

fn attempt(
    loaded: &Loaded,
    options: &Options,
    wanted: &Wanted,
    replay: Option<Replay>,
    left: &mut Left,
) -> Result<Exit, Refused> {
    let Options { settings, threads, running, team } = options;
    let Running { json, quiet, real_time, arming, cache, checkpoint, resume, console, .. } = running;
    let (json, choices) = (*json, Choices::from(settings));
    let setup = Setup {
        output: Some(wanted.clone()),
        real_time: (*real_time).into(),
        arming: arming.into(),
        threads: *threads,
        cache: cache.clone(),
        watch: Arc::default(),
        replay,
        checkpoint: checkpoint.map(Duration::from_secs_f64),
        resume: resume.as_deref().map(|path| resumed(path, wanted)).transpose()?,
        shown: None,
        operator: Operator::default(),
        callables: Callables::default(),
        ranks: team.ranks.clone(),
    };
    if !team.is_alone() {
        team.on_interrupt(&setup.operator);
        agree(&team.ranks, loaded, &choices)?;
    }
    if !team.is_first() {
        return follow(loaded, &choices, setup, team);
    }
    let watch = setup.watch.clone();
    let following = Following::new(&watch, !*quiet && !json);
    let mut prepared = loaded.prepare(&choices, setup)?;
    drop(following);
    left.results = prepared.files.as_ref().map(|f| f.results.clone());
    loaded.show();
    if !team.is_alone() {
        complain(&format!("{} ranks, {}", team.ranks.count(), team.name()));
    }
    prepared.notices.iter().for_each(|notice| complain(notice));
    let specimens = &prepared.structure.model.specimens;
    let machine = if real_time.real_time { doctor::glance(specimens, real_time.core) } else { None };
    machine.iter().filter(|_| !json).for_each(|line| complain(line));
    let mut page_data = PageData::new(&prepared, resume.is_some());
    prepared.lap("modes and memory for the report");
    let mut desk = Desk::open(console, loaded, &mut prepared, real_time, laboratory::Arming::from(arming).arm)?;
    if let Some(desk) = &mut desk
        && !desk.wait(console, arming, &mut prepared)
    {
        complain("the test was called off before it started");
        return Ok(Exit::Interrupted);
    }
    let following = Following::new(&watch, !*quiet && !json);
    let mut run = prepared.start().inspect_err(|refused| {
        if let Some(desk) = &desk {
            let why: Vec<&str> = refused.messages.iter().map(|m| m.message.as_str()).collect();
            desk.desk.ended(&why.join("; "), false);
        }
    })?;
    drop(following);
    run.notices.iter().for_each(|notice| complain(notice));
    // In real time nothing is kept for pictures.
    if page_data.is_some() && !real_time.real_time && run.model().elements.len() <= LOOKED_AT {
        run.watch_members();
    }
    if team.is_alone() {
        on_interrupt(run.operator());
    }
    if real_time.control {
        listen(run.operator(), |_| None);
    }
    if !json {
        print(&format!("{}\n{}", run.model().title, Plan::new(run.simulation()).heading()));
    }
    let bar = progress(run.simulation().steps(), "steps", !*quiet && !json);
    let free = run.simulation().free().to_vec();
    let mut looked = Instant::now();
    let mut observer = desk.as_ref().map(|desk| desk.observer(&run));
    let outcome = run.to_end(&mut |m: &Moment<'_>| {
        if let Some(observer) = &mut observer {
            observer.observe(m);
        }
        if let Some(page_data) = &mut page_data {
            page_data.see(m, &free);
        }
        if m.step.is_multiple_of(16) && looked.elapsed() > Duration::from_millis(50) {
            bar.set_position(m.step);
            looked = Instant::now();
        }
    });
    bar.finish_and_clear();
    drop(observer);
    if let Some(desk) = desk {
        desk.end(&outcome);
    }
    Ok(tell(loaded, &run, &outcome, page_data, machine, json, left))
}

/// What a rank does that follows the first one.
fn follow(loaded: &Loaded, choices: &Choices, setup: Setup, team: &Team) -> Result<Exit, Refused> {
    let followed = loaded.prepare(choices, Setup { output: None, ..setup }).and_then(Prepared::follow);
    Ok(match followed {
        Ok(Followed::Finished) => Exit::Done,
        Ok(Followed::Told) => Exit::Fault,
        Ok(Followed::Lost(message)) => {
            team.complain(&message);
            Exit::Fault
        }
        // The first rank has the same model and says it too.
        Err(refused) => {
            if team.lost().is_some() || refused.cause == Cause::Machine {
                team.complain(&refused.to_string());
            }
            Exit::BadInput
        }
    })
}

/// The console of a run, and who commands from it.
struct Desk {
    hub: Hub,
    console: Console,
    desk: Arc<RunDesk>,
}

impl Desk {
    /// Opens it, if one is wanted. Nothing has moved yet.
    fn open(
        args: &ConsoleArgs,
        loaded: &Loaded,
        prepared: &mut Prepared<'_>,
        real_time: &RealTime,
        arm: bool,
    ) -> Result<Option<Self>, Refused> {
        if args.console.is_none() {
            return Ok(None);
        }
        let mut about = console::about(
            &prepared.structure,
            if real_time.real_time { "in real time" } else { "emulated or computed" },
        );
        let model = &prepared.structure.model;
        // The page confirms what --arm allows. Without it the laboratory refuses whatever is not emulated, and there is nothing to confirm.
        let elsewhere = model.specimens.iter().filter(|s| arm && s.at.is_some());
        let confirm: Vec<String> = elsewhere.map(|s| s.name.clone()).collect();
        about["confirm"] = json!(confirm);
        about["clocked"] = json!(real_time.real_time);
        let results = prepared.files.as_ref().map(|f| f.results.clone());
        let beside = Beside {
            model: Some(loaded.path()),
            results: results.as_deref(),
            core: real_time.core,
            ..Beside::default()
        };
        let opened = console::open(args, about, beside);
        let opened = opened.map_err(|message| Refused::new(Cause::Input, message, console::HELP))?;
        let Some((hub, console)) = opened else { return Ok(None) };
        let operator = Box::new(console::Commanded::run(prepared.operator().clone()));
        let desk = RunDesk::new(&hub, operator, real_time.real_time, console::time_scale(model), confirm);
        hub.commanded_by(desk.clone());
        let shown = console::shown(&hub, model);
        prepared.show_on(shown);
        Ok(Some(Desk { hub, console, desk }))
    }

    /// Waits until somebody starts the test; `false`: it was called off.
    fn wait(&mut self, args: &ConsoleArgs, arming: &Arming, prepared: &mut Prepared<'_>) -> bool {
        if args.console_start {
            self.desk.open();
            return true;
        }
        match self.desk.wait() {
            Start::CalledOff => {
                self.console.end();
                false
            }
            Start::Confirmed(typed) => {
                let mut said = laboratory::Arming::from(arming);
                if !typed.is_empty() {
                    said.confirm = Some(typed);
                }
                prepared.arm(said);
                true
            }
        }
    }

    fn observer(&self, run: &Run) -> console::Observer {
        console::Observer::new(&self.hub, run, self.desk.clone())
    }

    /// Shows how it ended.
    fn end(mut self, outcome: &Outcome) {
        let verdict = format!("{}; verdict: {}", outcome.line(), outcome.verdict.line());
        self.desk.ended(&verdict, outcome.is_good() || outcome.end == End::Interrupted);
        self.console.end();
    }
}

/// A time to wait.
fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|s: &f64| (0.0..1e9).contains(s));
    seconds.ok_or_else(|| "write a number of seconds, for example --checkpoint 30".to_owned())
}

/// What stands for the newest checkpoint.
const NEWEST: &str = "newest";

/// The checkpoint to go on from: the one given, or the newest.
fn resumed(given: &Path, wanted: &Wanted) -> Result<PathBuf, Refused> {
    if given.as_os_str() != NEWEST {
        return Ok(given.to_owned());
    }
    let default = || Path::new(OUT).join(&wanted.stem).with_extension("h5");
    let results = wanted.output.clone().unwrap_or_else(default);
    checkpoint::newest(&results).ok_or_else(|| {
        let message = format!("there is no checkpoint of `{}`", results.display());
        Refused::new(Cause::Input, message, "run with --checkpoint to write one; or give --resume FILE.checkpoint")
    })
}

/// Says, keeps and shows what came out.
fn tell(
    loaded: &Loaded,
    run: &Run,
    outcome: &Outcome,
    page_data: Option<PageData>,
    machine: Option<String>,
    json: bool,
    left: &mut Left,
) -> Exit {
    let (sim, model, Some(files)) = (run.simulation(), run.model(), run.files()) else { return Exit::Failure };
    let (mut evidence, curves) = evidence(outcome, sim, page_data);
    evidence.interface = interface(sim);
    evidence.laboratory = blocks(&outcome.assessed, model);
    evidence.laboratory.extend(programs_blocks(outcome, model));
    evidence.laboratory.extend(lessons_blocks(sim));
    evidence.laboratory.extend(reduced_blocks(sim));
    evidence.log = loaded.lines();
    evidence.pushover = outcome.strength.as_ref().map_or_else(Vec::new, strength_blocks);
    if !outcome.assessed.is_empty() {
        evidence.numbers = laboratory::json(&outcome.assessed, &model.units);
    }
    let page = keep(files, run.meta(), outcome, model, evidence, curves.as_ref());
    if json {
        let mut document = summary_json(sim, outcome, files);
        if model.partition.is_some() {
            document["scheme"] = serde_json::Value::Null;
            document["coupling"] = coupled::json(sim, run.listener());
        }
        if !outcome.assessed.is_empty() {
            document["laboratory"] = laboratory::json(&outcome.assessed, &model.units);
        }
        if !outcome.program_logs.is_empty() {
            document["externals"] = programs::json(&outcome.program_logs, model);
        }
        if !model.superelements.is_empty() {
            document["reduced"] = reductions::json(sim);
        }
        if !model.updates.is_empty() {
            document["updating"] = updating::json(&sim.lessons());
        }
        document["setup"] = Plan::new(sim).json();
        if let Some(strength) = &outcome.strength {
            document["pushover"] = strength.json();
        }
        document["warnings"] = loaded.messages().into();
        document["machine"] = json!(machine);
        if let Err(message) = &page {
            document["report_error"] = json!(message);
        }
        left.document = Some(document);
    } else {
        print(&summary_text(sim, outcome, files));
    }
    if let End::Faulted(reason) | End::Diverged(reason) | End::NotWritten(reason) = &outcome.end {
        complain(&format!("error: {reason}"));
        outcome.assessed.iter().flat_map(laboratory::log).for_each(|line| complain(&format!("note: {line}")));
        outcome
            .program_logs
            .iter()
            .filter_map(ProgramLog::last_words)
            .for_each(|words| complain(&format!("note: {words}")));
    }
    if let Err(message) = &page {
        complain(&format!("error: {message}"));
    }
    match &outcome.end {
        End::Finished if page.is_err() => Exit::Failure,
        End::Finished if outcome.verdict.grade == Grade::Failed => Exit::Fault,
        End::Finished => Exit::Done,
        End::Interrupted => Exit::Interrupted,
        End::Faulted(_) | End::Diverged(_) => Exit::Fault,
        End::NotWritten(_) => Exit::Failure,
    }
}

/// What specimens taught, for a report.
fn lessons_blocks(sim: &Simulation) -> Vec<Block> {
    let one = |lesson: &Lesson| {
        let (header, rows) = updating::rows(lesson, &sim.model);
        let header = header.iter().map(|h| h.trim_start_matches('<').to_owned()).collect();
        [
            Block::Text(format!("updating {}: adapted to {}", lesson.name, lesson.teacher)),
            Block::Table(Table { header, rows }),
            Block::Lines(updating::sentences(lesson, &sim.model)),
        ]
    };
    sim.lessons().iter().flat_map(one).collect()
}

/// What was reduced, and what the run shows of its error, for a report.
fn reduced_blocks(sim: &Simulation) -> Vec<Block> {
    let (header, rows) = reductions::table(sim);
    if rows.is_empty() {
        return Vec::new();
    }
    let text = "reduced parts: what is lost at most, and what the run shows of the error of their motion (by energy, three times its residual)";
    vec![Block::Text(text.to_owned()), Block::Table(Table { header, rows })]
}

/// What became of the programs, for a report.
fn programs_blocks(outcome: &Outcome, model: &Model) -> Vec<Block> {
    let one = |t: &ProgramLog| {
        let lines = t.lines(model).iter().map(|l| l.trim().to_owned()).collect();
        [Block::Text(format!("{}, computed by another program", t.name)), Block::Lines(lines)]
    };
    outcome.program_logs.iter().flat_map(one).collect()
}

/// What a push says of the structure, for a report.
fn strength_blocks(strength: &Strength) -> Vec<Block> {
    let table = |(header, rows): (Vec<String>, Vec<Vec<String>>)| {
        let header = header.iter().map(|h| h.trim_start_matches('<').to_owned()).collect();
        (!rows.is_empty()).then_some(Block::Table(Table { header, rows }))
    };
    let tables = strength.tables().into_iter().filter_map(table);
    std::iter::once(Block::Text(strength.heading())).chain(tables).collect()
}

/// What the run itself can tell its page: how it ended, how long it took, what was seen of the structure; and its curves where no result file
/// has them.
fn evidence(outcome: &Outcome, sim: &Simulation, page_data: Option<PageData>) -> (Evidence, Option<Curves>) {
    let model = &sim.model;
    let lap = |(what, s): &(&str, f64)| ((*what).to_owned(), time(*s));
    let mut timings: Vec<(String, String)> = outcome.timings.iter().map(lap).collect();
    let rate = short((outcome.steps as f64 / outcome.seconds).round());
    timings.push(("steps per second".to_owned(), rate));
    timings.push(("times real time".to_owned(), short(outcome.simulated / outcome.seconds)));
    let structure = page_data.as_ref().map(|w| [w.scene.modes(), w.scene.deformed(model, &w.frames)]);
    let verdict = format!("{}; verdict: {}", outcome.line(), outcome.verdict.line());
    let mut evidence = Evidence { good: outcome.is_good(), verdict, structure, timings, ..Evidence::default() };
    if let Some(data) = &page_data {
        let Pictures { gravity, members } = data.scene.pictures(model, sim, &data.frames);
        (evidence.gravity, evidence.members) = (gravity, members);
        evidence.storeys = data.curves.as_ref().map_or_else(Vec::new, |c| envelopes(model, &c.ranges));
    }
    (evidence, page_data.and_then(|w| w.curves))
}

/// Keeps what was found in the files of the run, and makes its page from them as `interfield report` does.
fn keep(
    files: &Files,
    meta: &Meta,
    outcome: &Outcome,
    model: &Model,
    evidence: Evidence,
    curves: Option<&Curves>,
) -> Result<(), String> {
    let recordings = keep_recordings(&outcome.assessed, model);
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
    let picture = match (curves.map(Curves::pushed).as_deref(), curve_of(files)) {
        (Some([Block::Plot(panel)]), Some(path)) => {
            interfield::files::write(&path, Figure::new(vec![panel.clone()]).svg())
        }
        _ => Ok(()),
    };
    let failed: Vec<String> = [recordings, kept, page, picture].into_iter().filter_map(Result::err).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// Where the curve of a push is drawn: beside its report.
fn curve_of(files: &Files) -> Option<PathBuf> {
    files.report.as_ref().map(|report| report.with_extension("svg"))
}

fn summary_text(sim: &Simulation, outcome: &Outcome, files: &Files) -> String {
    let row = |(c, r): (&Channel, &Range)| {
        vec![c.name.clone(), c.unit.clone(), short(r.peak), format!("{:.3}", r.peak_time), short(r.last)]
    };
    let rows: Vec<Vec<String>> = sim.channels().iter().zip(&outcome.ranges).map(row).collect();
    let mut out = String::from("\n");
    out += &aligned(&["channel", "unit", "peak", "at t [s]", "at the end"], &rows);
    out += &outcome.strength.as_ref().map_or_else(String::new, Strength::text);
    out += &coupled::text(sim);
    out += &reductions::text(sim);
    out += &updating::text(sim);
    out += &laboratory::text(&outcome.assessed, &sim.model.units);
    out += &programs::text(&outcome.program_logs, &sim.model);
    out += &format!("\n{}\n", outcome.line());
    out += &format!("  results: {}\n", files.results.display());
    if let Some(r) = &files.report {
        out += &format!("  report:  {}\n", r.display());
    }
    if let Some(curve) = curve_of(files).filter(|_| outcome.strength.is_some()) {
        out += &format!("  curve:   {}\n", curve.display());
    }
    out + &format!("verdict: {}\n", outcome.verdict.line())
}

fn summary_json(sim: &Simulation, outcome: &Outcome, files: &Files) -> serde_json::Value {
    let a = &sim.model.analysis;
    let (ended, reason) = outcome.end.word();
    let solvers = if sim.model.partition.is_none() { sim.solvers(0) } else { Vec::new() };
    json!({
        "title": sim.model.title,
        "ended": ended,
        "reason": reason,
        "verdict": outcome.verdict.grade.word(),
        "reasons": outcome.verdict.reasons,
        "scheme": a.scheme_name,
        "dt": a.dt,
        "duration": a.duration,
        "unknowns": sim.free().len(),
        "steps": outcome.steps,
        "seconds": outcome.seconds,
        "seconds_to_start": outcome.ways.map(|w| w[0]),
        "seconds_home": outcome.ways.map(|w| w[1]),
        "steps_per_second": outcome.steps as f64 / outcome.seconds,
        "solvers": solvers.iter().map(|(d, r)| json!({
            "m": d.m, "c": d.c, "k": d.k, "method": r.to_string(), UNITS: { "m": ONE, "c": "s", "k": "s^2" },
        })).collect::<Vec<_>>(),
        UNITS: {
            "dt": "s", "duration": "s", "seconds": "s", "seconds_to_start": "s", "seconds_home": "s", "steps_per_second": "1/s",
        },
        "channels": sim.channels().iter().zip(&outcome.ranges).map(|(c, r)| json!({
            "name": c.name, "unit": c.unit, "peak": r.peak, "peak_time": r.peak_time,
            "min": r.min, "max": r.max, "final": r.last, UNITS: { "peak_time": "s" },
        })).collect::<Vec<_>>(),
        "results": files.results.display().to_string(),
        "csv": (files.format == Format::Csv).then(|| files.results.display().to_string()),
        "report": files.report.as_ref().map(|r| r.display().to_string()),
        "curve": curve_of(files).filter(|_| outcome.strength.is_some()).map(|c| c.display().to_string()),
    })
}
