//! `interfield ensemble`: a model over seeds, records, intensities, grids and draws of its parameters.

mod demand;
mod drawing;
mod findings;
mod intensity;
mod journal;
mod page;
mod question;
mod ranks;
mod records;
mod saving;
mod shards;
mod truths;
mod words;
mod worker;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::{Args as ClapArgs, ValueEnum};
use interfield_ensemble::ground::{Combine, Measure};
use interfield_ensemble::{Case, Ending, Outcome, Role, all_cores, each, ground, over, trial};
use interfield_language::Model;
use interfield_language::external::External;
use interfield_results::Setting;
use interfield_structure::{Modal, Structure};
use serde_json::json;

use interfield::{Operator, sha256};

use crate::Exit;
use crate::interrupt::on_interrupt;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, fail_all, print, print_json, progress};
use crate::team::Team;
use demand::{Demand, limits};
use findings::{Asked, Findings};
use intensity::{Intensity, Wanted};
use interfield::programs::Programs;
use interfield::table::{short, time};
use journal::{Journal, Refusal};
use question::{Mistake, Question};
use saving::Origin;
use shards::Shard;
use words::{Pace, text};
use worker::{Shaken, Timing, Worker};

/// Most samples of a history that goes into the bands, and most numbers of all histories together (eight bytes each).
const SAMPLES: u64 = 2000;
const NUMBERS: u64 = 16_000_000;
/// Time after a record in first periods of the structure, and in s where those are not known.
const TAIL: (f64, f64) = (10.0, 10.0);
/// Unknowns up to which all modes are found at once, and modes beyond.
const MODES: (usize, usize) = (800, 40);

/// Run a model many times: over seeds, records, intensities, parameter grids or random samples
///
/// Every `--set` with a range (0.1 g..1 g:10 has ten values, 1..20 whole numbers, 0.1..10:5log equal ratios) or a list (1, 2, 5) spans the
/// grid, and so do --seeds, --records and --levels; the last one given in this order changes fastest: records, levels, set,
/// seeds. Every --draw is drawn --sample times at each point of the grid.
///
/// With --records every record runs to its end, followed by free vibration, and --levels makes it an incremental dynamic analysis: curves of
/// the demand over the intensity, statistics at each intensity, and fragility from counts and from the capacity of each record.
///
/// The results do not depend on the number of threads. Every run is noted as soon as it is done, under its model, record, scale and settings:
/// after an interruption, even a kill, the same command goes on where it was, and other levels, intensities or limits of the same model
/// run only what is missing. A run that stops is counted and reported; the others go on.
///
/// The folder gets index.html to look at, ensemble.json and runs.csv with the key figures of every run; of an incremental dynamic analysis
/// ida.csv, intensities.csv and ida.h5, else bands.h5 with mean, standard deviation and quantiles over time; and the figures as SVG.
#[derive(ClapArgs, Clone)]
#[command(after_help = "Examples:
  interfield ensemble tower.toml --set \"peak=0.1 g..1 g:10\" --seeds 1..20 --exceeds \"columns.deformation > 40 mm\"
  interfield ensemble tower.toml --records records --intensity sa --levels \"0.1 g..1 g:10\" --exceeds \"drift > 2 %\" --collapse \"10 %\"
  interfield ensemble tower.toml --records records --levels \"0.1, 0.2, 0.4 g\" --exceeds \"residual roof.x > 5 mm\"
  interfield ensemble tower.toml --draw \"k~lognormal(8 kN/mm, 0.2)\" --draw \"zeta~uniform(0.02, 0.05)\" --sample 200
  interfield ensemble tower.toml --seeds 1..1000 --shard 3/64
  interfield ensemble tower.toml --seeds 1..1000 --merge
  interfield ensemble tower.toml --set k=4,8,16 --threads 1 --keep --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Values of the parameter `seed` of the model, e.g. 1..100
    #[arg(long, value_name = "RANGE")]
    seeds: Option<String>,
    /// Records instead of the ground motion of the model: files, a folder for all records in it, or a list (CSV with the columns x, y,
    /// scale)
    #[arg(long, value_name = "PATH", num_args = 1..)]
    records: Vec<PathBuf>,
    /// Scale the ground motion to each of these values of the intensity, e.g. "0.1 g..1 g:10" or "0.1, 0.2, 0.4 g"
    #[arg(long, value_name = "VALUES", conflicts_with = "scale_to", allow_hyphen_values = true)]
    levels: Option<String>,
    /// Scale the ground motion to each of these peaks, whatever the intensity is
    #[arg(long, value_name = "PEAKS", allow_hyphen_values = true)]
    scale_to: Option<String>,
    /// Period of spectral accelerations, e.g. "0.5 s" [default: the first period of the model along the motion]
    #[arg(long, value_name = "TIME")]
    period: Option<String>,
    /// Periods over which avgsa is averaged, in first periods
    #[arg(long, value_name = "FROM..TO", default_value = "0.2..3")]
    average_over: Option<String>,
    /// Intensity of a record with two components: of both the geometric mean, the larger one, or that of the first
    #[arg(long, value_enum, default_value = "geomean")]
    pair: Pair,
    /// Time after the end of each record, for residual values [default: ten first periods with --records, else none]
    #[arg(long, value_name = "TIME")]
    free_vibration: Option<String>,
    /// Draw a parameter: NAME~normal(MEAN, STD), NAME~lognormal(MEDIAN, DISPERSION) or NAME~uniform(FROM, TO)
    #[arg(long, value_name = "NAME~DISTRIBUTION", value_parser = drawn)]
    draw: Vec<(String, String)>,
    /// Number of random samples
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sample: u32,
    /// Draw independent samples instead of a Latin hypercube
    #[arg(long)]
    random: bool,
    /// Seed of the random samples
    #[arg(long, value_name = "N", default_value_t = 1)]
    draw_seed: u64,
    /// Count the runs in which a channel exceeds a value in magnitude: "[peak|rms|final|residual] CHANNEL > VALUE"; the channel `drift`
    /// is the largest of all storey drifts
    #[arg(long, value_name = "LIMIT")]
    exceeds: Vec<String>,
    /// What the runs are arranged by: pga, sa (5 % damping, at the first period), sa(PERIOD), avgsa, avgsa(FROM..TO), or a varied number
    /// [default: the first that fits]
    #[arg(long, value_name = "NAME")]
    intensity: Option<String>,
    /// What curves show over the intensity: "[peak|rms|final|residual] CHANNEL" [default: drift, else what the first limit is about]
    #[arg(long, value_name = "DEMAND")]
    demand: Option<String>,
    /// What counts as collapse beside a run that stops: a value of the demand, or `slope` for a curve flatter than 20 % of its
    /// elastic slope
    #[arg(long, value_name = "VALUE")]
    collapse: Option<String>,
    /// Rehearse online updating ([[update]]) over so many true specimens that differ from the first guess: the response with updating and
    /// without, against that of a structure that knows the truth
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000), conflicts_with_all = ["seeds", "records", "levels", "draw", "exceeds"])]
    truths: Option<u32>,
    /// Largest difference of a true parameter from the first guess, %
    #[arg(long, value_name = "PERCENT", default_value_t = 30.0, value_parser = spread, requires = "truths")]
    spread: f64,
    /// Draw the responses and reductions of --truths into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", requires = "truths")]
    plot: Option<PathBuf>,
    /// Output folder [default: interfield-out/MODEL-ensemble]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Number of threads [default: all hardware threads]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Run only this piece of the study, e.g. 3/64, on as many machines as there are; --merge puts the pieces together
    #[arg(long, value_name = "NUMBER/ALL", value_parser = shards::read, conflicts_with = "merge")]
    shard: Option<Shard>,
    /// Put the pieces of --shard together: those in the output folder, and in these folders
    #[arg(long, value_name = "FOLDER", num_args = 0..)]
    merge: Option<Vec<PathBuf>>,
    /// Keep the result file of every run, in FOLDER/runs
    #[arg(long)]
    keep: bool,
    /// Print the results as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Hide the progress bar
    #[arg(short, long)]
    quiet: bool,
    /// Whether another rank speaks.
    #[arg(skip)]
    silent: bool,
}

/// How the intensities of two components become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pair {
    /// Their geometric mean
    Geomean,
    /// The larger one
    Larger,
    /// That of the first component
    First,
}

/// `name~distribution` on the command line.
fn drawn(text: &str) -> Result<(String, String), String> {
    let (name, distribution) =
        text.split_once('~').ok_or("write NAME~DISTRIBUTION, for example k~normal(4000, 10 %)")?;
    Ok((name.trim().to_owned(), distribution.trim().to_owned()))
}

/// A percentage below which no parameter loses its sign.
fn spread(text: &str) -> Result<f64, String> {
    let found = text.trim_end_matches(['%', ' ']).parse::<f64>().ok().filter(|x| (0.0..95.0).contains(x));
    found.ok_or_else(|| "write a percentage between 0 and 95, for example 30".to_owned())
}

pub(crate) fn run(args: &Args) -> Exit {
    match Team::join() {
        Ok(team) if team.is_alone() => {}
        Ok(team) => return team.part(ranks::share(args, &team)),
        Err(exit) => return exit,
    }
    if let Some(count) = args.truths {
        return truths::ask(args, count).unwrap_or_else(|exit| exit);
    }
    ask(args).unwrap_or_else(|exit| exit)
}

/// Says what is wrong with the command line.
fn refuse(args: &Args, mistakes: &[Mistake]) -> Exit {
    fail_all(args.json, None, None, mistakes);
    Exit::BadInput
}

/// Says what the machine did not do.
fn failed(args: &Args, message: &str, help: &str) -> Exit {
    fail(args.json, None, None, message, help);
    Exit::Failure
}

/// Where nothing could be written.
const ELSEWHERE: &str = "give another folder with --output";

fn ask(args: &Args) -> Result<Exit, Exit> {
    if let Some((path, e)) = args.records.iter().find_map(|p| Some((p, std::fs::metadata(p).err()?))) {
        return Err(failed(
            args,
            &format!("`{}` cannot be read: {e}", path.display()),
            "give records, or their folder",
        ));
    }
    let loaded = Loaded::open(&args.model, args.json)?;
    let mut question = Question::read(args).map_err(|mistakes| refuse(args, &mistakes))?;
    let cases = question.study.cases();
    let settings = ModelArgs { set: question.fixed.clone(), ..args.settings.clone() };
    let stem = args.model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let default = || Path::new("interfield-out").join(format!("{stem}-ensemble"));
    let out = args.output.clone().unwrap_or_else(default);
    let first = first_model(&loaded, &settings, &question, &cases, &out)?;
    let ground = Ground::prepare(args, &loaded, &settings, &mut question, &first).map_err(|m| refuse(args, &m))?;
    let intensity = Intensity::choose(args, &question, Some(ground.measure)).map_err(|m| refuse(args, &[m]))?;
    let limits = limits(&args.exceeds, &first).map_err(|mistakes| refuse(args, &mistakes))?;
    let demand = Demand::choose(args.demand.as_deref(), &limits, &first).map_err(|m| refuse(args, &[m]))?;
    let collapse = demand.as_ref().map_or(Ok(Default::default()), |d| d.collapse(args.collapse.as_deref(), &first));
    let collapse = collapse.map_err(|m| refuse(args, &[m]))?;
    let remains = limits.iter().map(|l| &l.demand).chain(&demand).any(Demand::is_residual);
    if remains && ground.tail == 0.0 && args.settings.until.is_none() {
        let help = "give --free-vibration \"10 s\": the time after the motion in which it comes to rest";
        return Err(refuse(
            args,
            &[("a residual value needs free vibration after the motion".to_owned(), help.to_owned())],
        ));
    }
    if !args.json {
        ground.remarks.iter().for_each(|remark| complain(&format!("note: {remark}")));
    }

    let variants = loaded.variants();
    // Parsing it once more brings in the files that the model refers to.
    let _ = variants.model(&(&worker::settings(&settings, &question.study.variables(), &cases[0])).into());
    let identity = identity(&loaded, &variants.files());
    let path = out.join(args.shard.map_or_else(|| "journal.bin".to_owned(), Shard::file));
    let about = about(&stem, &first);
    let journal = Journal::open(&path, &identity, &about, thinning(&first, cases.len()));
    let mut journal = journal.map_err(|e| match e {
        Refusal::File(message) => failed(args, &message, ELSEWHERE),
        Refusal::Other(what) => {
            let help = "give another folder with --output, or delete this one".to_owned();
            refuse(args, &[(format!("`{}` {what}", out.display()), help)])
        }
    })?;
    if let Some(folders) = &args.merge {
        shards::merge(&mut journal, (folders, &out), (&identity, &about)).map_err(|m| refuse(args, &[m]))?;
    }
    let operator = Operator::default();
    on_interrupt(&operator);
    let stop = operator.stop_flag();
    let worker = Worker {
        variants,
        folder: loaded.folder(),
        text: loaded.text(),
        settings,
        study: &question.study,
        motions: &ground.motions,
        measure: ground.measure,
        scaled_by: if args.scale_to.is_some() { Measure::Peak } else { ground.measure },
        combine: ground.combine,
        tail: ground.tail,
        first: &first,
        thin: ground.motions.is_empty().then_some(journal.thin),
        identity: &identity,
        runs: out.join("runs"),
        keep: args.keep,
        stop: &stop,
    };
    let asked = Asked {
        intensity: &intensity,
        limits: &limits,
        demand: demand.as_ref(),
        collapse,
        collapse_asked: args.collapse.is_some(),
    };
    let told = Told { out: &out, remarks: &ground.remarks, first_period: ground.period };
    answer(args, &loaded, &worker, (&cases, journal), &asked, &told)
}

/// What is said beside the findings.
struct Told<'a> {
    out: &'a Path,
    remarks: &'a [String],
    /// First period of the structure, s, where it was looked for.
    first_period: Option<f64>,
}

/// Runs what is missing, and says what all runs show together.
fn answer(
    args: &Args,
    loaded: &Loaded,
    worker: &Worker<'_>,
    (cases, mut journal): (&[Case], Journal),
    asked: &Asked<'_>,
    told: &Told<'_>,
) -> Result<Exit, Exit> {
    let keys: Vec<String> = cases.iter().map(|c| worker.key(c)).collect();
    if args.merge.is_some() {
        let there = |key: &str| !worker.keep || worker.results(key).exists();
        shards::missing(&journal, cases, &keys, there).map_or(Ok(()), |m| Err(refuse(args, &[m])))?;
    }
    // A program at a fixed address serves one run at a time.
    let one_at_a_time = worker.first.externals.iter().any(|e| e.at.is_some());
    let threads = if one_at_a_time { 1 } else { args.threads.map_or_else(all_cores, |n| n as usize) };
    let began = Instant::now();
    let (outcomes, had) = answers(args, worker, (cases, &keys), &mut journal, threads).map_err(|end| match end {
        End::NotWritten(message) => failed(args, &message, ELSEWHERE),
        End::Stopped(done) => {
            complain(&format!(
                "interrupted: {done} of {} runs are done; the same command continues from there",
                cases.iter().filter(|c| args.shard.is_none_or(|s| s.has(c.index))).count()
            ));
            Exit::Interrupted
        }
    })?;
    if let Some(shard) = args.shard {
        let ended = shard.finish(journal, (&keys, &outcomes), (told.out, had));
        let (text, document) = ended.map_err(|message| failed(args, &message, ELSEWHERE))?;
        match args.json {
            _ if args.silent => {}
            true => print_json(&document),
            false => print(&text),
        }
        return Ok(Exit::Done);
    }
    let outcomes: Vec<Outcome> = outcomes.into_iter().flatten().collect();
    let seconds = began.elapsed().as_secs_f64();
    let findings = Findings::new(worker, (cases, &outcomes), asked, threads);
    let origin = Origin {
        text: loaded.text(),
        model: args.model.display().to_string(),
        identity: worker.identity,
        settings: written_settings(args, worker, asked),
        remarks: told.remarks,
        first_period: told.first_period,
    };
    let saved = saving::save(told.out, &findings, &origin)
        .and_then(|figures| journal.finish(&keys, &outcomes).map(|()| figures));
    let figures = saved.map_err(|message| failed(args, &message, ELSEWHERE))?;
    let pace = Pace { had, runs: cases.len() - had, seconds, threads };
    if args.json {
        let mut document = findings.json();
        document["first_period"] = json!(told.first_period);
        document["remarks"] = json!(told.remarks);
        document["folder"] = json!(told.out.display().to_string());
        document["figures"] = json!(figures);
        document["runs_now"] = json!(pace.runs);
        document["seconds"] = json!(seconds);
        document["runs_per_second"] = json!(pace.runs as f64 / seconds);
        document["threads"] = json!(threads);
        document["warnings"] = loaded.messages().into();
        print_json(&document);
    } else {
        print(&text(&findings, told, &pace));
    }
    Ok(if findings.count(|e| *e == Ending::Finished) == 0 { Exit::Fault } else { Exit::Done })
}

/// How the ground moves in all runs.
struct Ground {
    /// The records along the directions of the model.
    motions: Vec<Shaken>,
    measure: Measure,
    combine: Combine,
    /// Time after the motion, s.
    tail: f64,
    /// First period of the structure, s, where it was looked for.
    period: Option<f64>,
    /// What should be said of the records.
    remarks: Vec<String>,
}

impl Ground {
    fn prepare(
        args: &Args,
        loaded: &Loaded,
        settings: &ModelArgs,
        question: &mut Question,
        first: &Model,
    ) -> Result<Self, Vec<Mistake>> {
        let directions = ground::directions(first);
        let shaken = !args.records.is_empty();
        movable(&directions, shaken, question.study.axes.iter().any(|a| a.role == Role::Scale)).map_err(|m| vec![m])?;
        let needed = question.period.is_none() && question.wanted.as_ref().is_some_and(Wanted::needs_period);
        let default_tail = shaken && question.free_vibration.is_none() && settings.until.is_none();
        let found = if needed || default_tail { first_period(loaded, settings, &directions) } else { Ok(f64::NAN) };
        let period = match (question.period, &found) {
            (Some(period), _) => period,
            (None, Ok(period)) => *period,
            (None, Err(why)) if needed => {
                let message = format!("the first period of the model is unknown: {why}");
                return Err(vec![(message, "give it with --period, for example --period \"0.5 s\"".to_owned())]);
            }
            (None, Err(_)) => f64::NAN,
        };
        // Rounded to what a person would write.
        let ten = found.as_ref().ok().filter(|t| t.is_finite()).map_or(TAIL.1, |t| (TAIL.0 * t * 10.0).ceil() / 10.0);
        let tail = question.free_vibration.unwrap_or(if default_tail { ten } else { 0.0 });
        let measure =
            question.wanted.as_ref().and_then(|w| w.measure(period, question.averaged)).unwrap_or(Measure::Peak);
        question.records.along(&directions)?;
        let combine = Combine::from(args.pair);
        let made = over(&question.records.motions, all_cores(), |m| Shaken::new(m.clone(), measure, combine));
        let motions = made.into_iter().collect::<Result<Vec<Shaken>, String>>();
        let motions = motions.map_err(|why| vec![(why, "give another record".to_owned())])?;
        let still: Vec<Mistake> = motions
            .iter()
            .filter(|m| !(m.measured > 0.0 && m.peak > 0.0))
            .map(|m| {
                (
                    format!("`{}` is zero everywhere: it cannot excite the model", m.motion.name),
                    "give another record".to_owned(),
                )
            })
            .collect();
        if !still.is_empty() {
            return Err(still);
        }
        let remarks = record_remarks(&question.records.skipped, &motions, first, settings, tail);
        let period = found.ok().filter(|t| t.is_finite());
        Ok(Self { motions, measure, combine, tail, period, remarks })
    }
}

/// Whether the motions of a model can be replaced and scaled.
fn movable(directions: &[String], records: bool, scaled: bool) -> Result<(), Mistake> {
    let help = || "write one [[load]] with type = \"ground\" for each direction".to_owned();
    if directions.is_empty() && (records || scaled) {
        return Err(("the model has no ground motion, --records and --levels need one".to_owned(), help()));
    }
    let twice = directions.iter().enumerate().find(|(i, d)| directions[..*i].contains(d));
    match twice.filter(|_| records) {
        Some((_, d)) => Err((
            format!("the model has two ground motions along {d}, --records replaces one in each direction"),
            help(),
        )),
        None => Ok(()),
    }
}

/// First period of the structure as its file has it, along the directions in which it is shaken.
fn first_period(loaded: &Loaded, settings: &ModelArgs, directions: &[String]) -> Result<f64, String> {
    let model = loaded.variant(settings)?;
    let structure = Structure::new(model).map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))?;
    let n = structure.free().len();
    let modal = Modal::new(&structure, if n <= MODES.0 { n } else { MODES.1 }).map_err(|e| e.to_string())?;
    ground::first_period(&modal, directions).ok_or_else(|| "no mode moves along the ground motion".to_owned())
}

/// What a user should know of the records before they run.
fn record_remarks(
    skipped: &[(String, String)],
    motions: &[Shaken],
    model: &Model,
    settings: &ModelArgs,
    tail: f64,
) -> Vec<String> {
    let mut remarks: Vec<String> = skipped.iter().map(|(name, why)| format!("`{name}` is skipped: {why}")).collect();
    for m in motions.iter().filter(|m| !m.motion.left_out.is_empty()) {
        remarks.push(format!(
            "only one component of `{}` is used; not used: {}",
            m.motion.name,
            m.motion.left_out.join(", ")
        ));
    }
    let dt = model.analysis.dt;
    for m in motions {
        let (name, own, timing) = (&m.motion.name, m.motion.dt(), Timing::of(model, Some(&m.motion), settings, tail));
        let ratio = own / timing.dt;
        if timing.refined > 1 {
            let (own, step, dt) = (time(own), time(timing.dt), time(dt));
            remarks.push(format!("`{name}` is sampled every {own}: it is run with steps of {step} instead of {dt}"));
        } else if own < dt * (1.0 - 1e-9) {
            remarks.push(format!("`{name}` is sampled every {}: steps of {} (--dt) miss samples", time(own), time(dt)));
        } else if (ratio - ratio.round()).abs() > 1e-6 * ratio {
            remarks.push(format!(
                "`{name}` is sampled every {}, no multiple of the step of {}: its peaks fall between steps",
                time(own),
                time(timing.dt)
            ));
        }
    }
    let end = model.analysis.duration;
    let cut: Vec<&str> =
        motions.iter().filter(|m| m.motion.duration() > end * (1.0 + 1e-9)).map(|m| m.motion.name.as_str()).collect();
    if settings.until.is_some() && !cut.is_empty() {
        remarks.push(format!(
            "--until ends {} of {} records before their end: {}",
            cut.len(),
            motions.len(),
            cut.join(", ")
        ));
    }
    remarks
}

/// The model of the first case, with all that is wrong with it or doubtful about it.
fn first_model(
    loaded: &Loaded,
    settings: &ModelArgs,
    question: &Question,
    cases: &[Case],
    out: &Path,
) -> Result<Model, Exit> {
    let variables = question.study.variables();
    let Some(case) = cases.first() else { return Err(Exit::BadInput) };
    let mut settings = worker::settings(settings, &variables, case);
    let record = question.records.motions.first();
    if let Some(record) = record.filter(|_| settings.until.is_none()) {
        // What is said of the motion is about the record, to its end.
        settings.until = Some(format!("{} s", record.duration()));
    }
    let (mut model, places) = loaded.model(&settings)?;
    if let Some(record) = record {
        ground::replace(&mut model, &record.components, 1.0);
    }
    let elsewhere = |e: &&External| e.at.is_some() && e.command.is_empty();
    if let Some(external) = model.externals.iter().find(elsewhere) {
        let message = format!(
            "external `{}` is computed by a program that was started elsewhere, which serves one run",
            external.name
        );
        let help = "write its `command`, so that each run starts its own process";
        fail(loaded.json(), None, None, &message, help);
        return Err(Exit::BadInput);
    }
    if !model.externals.is_empty() {
        // Stiffnesses are asked for once; from here on every model has them.
        let programs = Programs::start(&mut model, loaded.folder(), &out.join("runs").join("first.h5"));
        if let Err(message) = programs {
            fail(loaded.json(), None, None, &message, "see `[[external]]` in the reference");
            return Err(Exit::Fault);
        }
        loaded.remember(&model);
    }
    let advised = loaded.advised_model(model, &places, None)?;
    Ok(Model::clone(&advised.structure.model))
}

/// Every so many recorded samples go into the bands.
fn thinning(model: &Model, runs: usize) -> u64 {
    let steps = model.analysis.steps();
    let room = NUMBERS / (runs.max(1) as u64 * model.channels.len().max(1) as u64);
    trial::rows(steps, model.every).div_ceil(SAMPLES.min(room).max(2)).max(1)
}

/// The model in a few words.
fn about(stem: &str, model: &Model) -> String {
    format!("`{stem}` ({})", model.title)
}

/// What a model is known by: its text, and all files that it refers to.
fn identity(loaded: &Loaded, files: &BTreeMap<String, Result<Vec<u8>, String>>) -> String {
    let mut bytes = loaded.text().as_bytes().to_vec();
    for (name, content) in files {
        bytes.extend(format!("\n{name}\n").as_bytes());
        bytes.extend(sha256::of_bytes(content.as_deref().unwrap_or_default()).as_bytes());
    }
    sha256::of_bytes(&bytes)
}

/// Settings of the command line, for the files.
fn written_settings(args: &Args, worker: &Worker<'_>, asked: &Asked<'_>) -> Vec<(String, Setting)> {
    let s = &args.settings;
    let pairs = |list: &[(String, String)]| {
        (!list.is_empty()).then(|| list.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(", "))
    };
    let limits: Vec<&str> = asked.limits.iter().map(|l| l.text.as_str()).collect();
    let several = worker.motions.iter().any(|m| m.motion.components.len() > 1);
    let all = [
        ("set", pairs(&worker.settings.set)),
        ("scheme", s.scheme.clone()),
        ("param", pairs(&s.param)),
        ("dt", s.dt.clone()),
        ("until", s.until.clone()),
        ("coupling", s.coupling.clone()),
        ("substeps", s.substeps.map(|n| n.to_string())),
        ("whole", s.whole.then(|| "yes".to_owned())),
        ("tangent", s.tangent.clone()),
        ("intensity", args.intensity.clone()),
        ("levels", args.levels.clone().or_else(|| args.scale_to.clone())),
        ("pair", several.then(|| format!("{:?}", args.pair).to_lowercase())),
        ("free_vibration", (worker.tail > 0.0).then(|| format!("{} s", short(worker.tail)))),
        ("demand", asked.demand.map(|d| d.words.clone())),
        ("collapse", args.collapse.clone()),
        ("exceeds", (!limits.is_empty()).then(|| limits.join("; "))),
    ];
    all.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into()))).collect()
}

/// Why not all runs are there.
enum End {
    NotWritten(String),
    /// By a signal; so many runs are in the journal.
    Stopped(usize),
}

/// The outcomes of all cases in their order: those of the journal, and the others by running them; and how many were there. Of a piece of the
/// study only its own.
fn answers(
    args: &Args,
    worker: &Worker<'_>,
    (cases, keys): (&[Case], &[String]),
    journal: &mut Journal,
    threads: usize,
) -> Result<(Vec<Option<Outcome>>, usize), End> {
    let own = |case: &Case| args.shard.is_none_or(|s| s.has(case.index));
    let there = |key: &String| journal.runs.get(key).filter(|_| !worker.keep || worker.results(key).exists()).cloned();
    let mut outcomes: Vec<Option<Outcome>> =
        cases.iter().zip(keys).map(|(case, key)| there(key).filter(|_| own(case))).collect();
    // Runs are known by what they are, not by the intensity that was asked for then.
    let wanted = intensity::name(worker.measure);
    for (case, outcome) in cases.iter().zip(&mut outcomes) {
        if let Some(outcome) = outcome.as_mut().filter(|o| o.motions.iter().all(|m| m.0 != wanted)) {
            outcome.motions = worker.measures(case, None);
        }
    }
    let had = outcomes.iter().flatten().count();
    let missing: Vec<&Case> =
        cases.iter().zip(&outcomes).filter(|(c, o)| o.is_none() && own(c)).map(|(c, _)| c).collect();
    let bar = progress(missing.len() as u64, "runs", !args.json && !args.quiet);
    let mut trouble = None;
    each(
        &missing,
        threads,
        |case| worker.run(case),
        |i, found| {
            let noted = found.and_then(|outcome| match outcome {
                Some(outcome) => {
                    let index = missing[i].index;
                    journal.append(&keys[index], &outcome)?;
                    outcomes[index] = Some(outcome);
                    Ok(())
                }
                None => Ok(()),
            });
            bar.inc(1);
            match noted {
                Ok(()) => ControlFlow::Continue(()),
                Err(message) => {
                    trouble = Some(message);
                    // The others need not go to their ends.
                    worker.stop.store(true, Ordering::Relaxed);
                    ControlFlow::Break(())
                }
            }
        },
    );
    bar.finish_and_clear();
    if let Some(message) = trouble {
        return Err(End::NotWritten(message));
    }
    let there = outcomes.iter().flatten().count();
    match there < cases.iter().filter(|c| own(c)).count() {
        true => Err(End::Stopped(there)),
        false => Ok((outcomes, had)),
    }
}
