//! `interfield ensemble`: a model over seeds, records, intensities, grids and draws of its parameters.

mod drawing;
mod findings;
mod journal;
mod page;
mod question;
mod saving;
mod worker;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::Instant;

use clap::Args as ClapArgs;
use interfield_ensemble::{Case, Ending, Outcome, Study, all_cores, each, ground, trial};
use interfield_language::Model;
use interfield_results::Setting;
use serde_json::json;

use interfield::Operator;

use crate::Exit;
use crate::interrupt::on_interrupt;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, fail_all, print, print_json, progress};
use findings::Findings;
use interfield::table::{aligned, short};
use journal::{FNV, Journal, Refusal, fnv};
use question::{Intensity, Limit, Mistake, Question, limits};
use saving::Origin;
use worker::Worker;

/// Most samples of a history that goes into the bands, and most numbers of all histories together (eight bytes each).
const SAMPLES: u64 = 2000;
const NUMBERS: u64 = 16_000_000;

/// Run a model many times: over seeds, records, intensities, grids or random draws of its parameters
///
/// Every `--set` with a range (0.1 g..1 g:10 has ten values, 1..20 whole numbers, 0.1..10:5log equal ratios) or a list (1, 2, 5) spans the
/// grid, and so do --seeds, --records and --scale-to; the last one given in this order changes fastest: records, scale-to, set,
/// seeds. Every --draw is drawn --sample times at each point of the grid.
///
/// The results do not depend on the number of threads. Every run is noted as soon as it is done: after an interruption, even a kill, the same
/// command goes on where it was. Limits can be changed afterwards without running anything again. A run that stops is counted
/// and reported; the others go on.
///
/// The folder gets index.html to look at, ensemble.json and runs.csv with the key figures of every run, bands.h5 with mean, standard
/// deviation and quantiles over time, and the figures as SVG.
#[derive(ClapArgs)]
#[command(after_help = "Examples:
  interfield ensemble tower.toml --set \"peak=0.1 g..1 g:10\" --seeds 1..20 --exceeds \"columns.deformation > 40 mm\"
  interfield ensemble tower.toml --records records --scale-to \"0.1 g..0.6 g:6\" --exceeds \"final roof.x > 5 mm\"
  interfield ensemble tower.toml --draw \"k~lognormal(8 kN/mm, 0.2)\" --draw \"zeta~uniform(0.02, 0.05)\" --sample 200
  interfield ensemble tower.toml --set k=4,8,16 --threads 1 --keep --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Values of the parameter `seed` of the model, e.g. 1..100
    #[arg(long, value_name = "RANGE")]
    seeds: Option<String>,
    /// Records in the place of the ground motion of the model: files, or a folder for all files in it
    #[arg(long, value_name = "PATH", num_args = 1..)]
    records: Vec<PathBuf>,
    /// Scale the ground motion to this peak, or to each of a range or list of them
    #[arg(long, value_name = "PEAKS")]
    scale_to: Option<String>,
    /// Draw a parameter: NAME~normal(MEAN, STD), NAME~lognormal(MEDIAN, DISPERSION) or NAME~uniform(FROM, TO)
    #[arg(long, value_name = "NAME~DISTRIBUTION", value_parser = drawn)]
    draw: Vec<(String, String)>,
    /// How many times to draw
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    sample: u32,
    /// Draw independently instead of by a Latin hypercube
    #[arg(long)]
    random: bool,
    /// What the draws start from
    #[arg(long, value_name = "N", default_value_t = 1)]
    draw_seed: u64,
    /// Count the runs in which a channel exceeds a value in magnitude: "[peak|rms|final] CHANNEL > VALUE"
    #[arg(long, value_name = "LIMIT")]
    exceeds: Vec<String>,
    /// What fragility is drawn over: a varied number, pga, or sa(PERIOD) with 5 % damping [default: the first that fits]
    #[arg(long, value_name = "NAME")]
    intensity: Option<String>,
    /// Folder for everything [default: interfield-out/MODEL-ensemble]
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Threads [default: as many as the machine runs at once]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    threads: Option<u32>,
    /// Keep the result file of every run, in FOLDER/runs
    #[arg(long)]
    keep: bool,
    /// Print what came out as JSON on standard output
    #[arg(long)]
    json: bool,
    /// Show no progress bar
    #[arg(short, long)]
    quiet: bool,
}

/// `name~distribution` on the command line.
fn drawn(text: &str) -> Result<(String, String), String> {
    let (name, distribution) =
        text.split_once('~').ok_or("write NAME~DISTRIBUTION, for example k~normal(4000, 10 %)")?;
    Ok((name.trim().to_owned(), distribution.trim().to_owned()))
}

pub(crate) fn run(args: &Args) -> Exit {
    ask(args).unwrap_or_else(|exit| exit)
}

fn ask(args: &Args) -> Result<Exit, Exit> {
    let refuse = |mistakes: &[Mistake]| {
        fail_all(args.json, None, None, mistakes);
        Exit::BadInput
    };
    let failed = |message: String, help: &str| {
        fail(args.json, None, None, &message, help);
        Exit::Failure
    };
    if let Some((path, e)) = args.records.iter().find_map(|p| Some((p, std::fs::metadata(p).err()?))) {
        return Err(failed(format!("`{}` cannot be read: {e}", path.display()), "give records, or their folder"));
    }
    let loaded = Loaded::open(&args.model, args.json)?;
    let question = Question::read(args).map_err(|mistakes| refuse(&mistakes))?;
    let intensity = Intensity::choose(args.intensity.as_deref(), &question).map_err(|m| refuse(&[m]))?;
    let study = &question.study;
    let cases = study.cases();
    let variables = study.variables();
    let settings = ModelArgs { set: question.fixed.clone(), ..args.settings.clone() };
    let first = first_model(&loaded, &settings, &question, &cases)?;
    if !question.records.is_empty() || args.scale_to.is_some() {
        let count = ground::count(&first);
        let wrong = if question.records.is_empty() { count == 0 } else { count != 1 };
        if wrong {
            let message = format!("the model has {count} ground motions, --records and --scale-to need one");
            return Err(refuse(&[(message, "write one [[load]] with type = \"ground\"".to_owned())]));
        }
    }
    let limits = limits(&args.exceeds, &first).map_err(|mistakes| refuse(&mistakes))?;

    let stem = args.model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let default = || Path::new("interfield-out").join(format!("{stem}-ensemble"));
    let out = args.output.clone().unwrap_or_else(default);
    let thin = thinning(&first, cases.len());
    let variants = loaded.variants();
    // Parsing it once more brings in the files that the model refers to.
    let _ = variants.model(&(&worker::settings(&settings, &variables, &cases[0])).into());
    let fingerprint = fingerprint(args, &loaded, &question, &cases, &variants.files(), thin);
    let about = about(&stem, study);
    let (mut journal, done) = Journal::open(&out.join("journal.bin"), fingerprint, &about).map_err(|e| match e {
        Refusal::File(message) => failed(message, "give another folder with --output"),
        Refusal::Other(what) => {
            let message = format!("`{}` {what}", out.display());
            refuse(&[(message, "give another folder with --output, or delete this one".to_owned())])
        }
    })?;
    let operator = Operator::default();
    on_interrupt(&operator);
    let stop = operator.stop_flag();
    let worker = Worker {
        variants,
        text: loaded.text(),
        settings,
        study,
        records: &question.records,
        periods: &question.periods,
        first: &first,
        thin,
        keep: args.keep.then(|| out.join("runs")),
        stop: &stop,
    };
    let threads = args.threads.map_or_else(all_cores, |n| n as usize);
    let began = Instant::now();
    let had = done.len();
    let outcomes = answers(args, &worker, &cases, (&mut journal, done), threads).map_err(|end| match end {
        End::NotWritten(message) => failed(message, "give another folder with --output"),
        End::Stopped(done) => {
            complain(&format!(
                "interrupted: {done} of {} runs are done, the same command goes on from there",
                cases.len()
            ));
            Exit::Interrupted
        }
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let findings =
        Findings::new(&first, study, (&cases, &outcomes), (&intensity, &limits), (&question.periods, thin), threads);
    let origin = Origin {
        text: loaded.text(),
        model: args.model.display().to_string(),
        fingerprint,
        settings: written_settings(args, &question, &limits),
    };
    let saved = saving::save(&out, &findings, &origin)
        .and_then(|figures| journal.finish(fingerprint, &about, &outcomes).map(|()| figures));
    let figures = saved.map_err(|message| failed(message, "give another folder with --output"))?;
    let pace = Pace { had, runs: cases.len() - had, seconds, threads };
    if args.json {
        let mut document = findings.json();
        document["folder"] = json!(out.display().to_string());
        document["figures"] = json!(figures);
        document["runs_now"] = json!(pace.runs);
        document["seconds"] = json!(seconds);
        document["runs_per_second"] = json!(pace.runs as f64 / seconds);
        document["threads"] = json!(threads);
        document["warnings"] = loaded.messages().into();
        print_json(&document);
    } else {
        print(&text(&findings, &out, &pace));
    }
    Ok(if findings.count(|e| *e == Ending::Finished) == 0 { Exit::Fault } else { Exit::Done })
}

/// The model of the first case, with all that is wrong with it or doubtful about it.
fn first_model(loaded: &Loaded, settings: &ModelArgs, question: &Question, cases: &[Case]) -> Result<Model, Exit> {
    let variables = question.study.variables();
    let Some(case) = cases.first() else { return Err(Exit::BadInput) };
    let settings = worker::settings(settings, &variables, case);
    if let Some(external) = loaded.variant(&settings).ok().and_then(|m| m.externals.into_iter().next()) {
        let message = format!("external `{}` is computed by a program, which goes with one run", external.name);
        let help = "an ensemble needs a structure that is computed here: write it as elements";
        fail(loaded.json(), None, None, &message, help);
        return Err(Exit::BadInput);
    }
    let advised = loaded.advised(&settings, None)?;
    let mut model = Model::clone(&advised.structure.model);
    worker::shake(&mut model, &variables, case, &question.records, &question.study);
    Ok(model)
}

/// Every so many recorded samples go into the bands.
fn thinning(model: &Model, runs: usize) -> u64 {
    let steps = model.analysis.steps();
    let room = NUMBERS / (runs.max(1) as u64 * model.channels.len().max(1) as u64);
    trial::rows(steps, model.every).div_ceil(SAMPLES.min(room).max(2)).max(1)
}

/// What was varied, in a few words.
fn about(model: &str, study: &Study) -> String {
    let axes = study.axes.iter().map(|a| format!("{} ({})", a.name, a.values.list.len()));
    let draws = study.draws.iter().map(|d| format!("{} drawn {} times", d.name, study.samples));
    let runs = study.count().unwrap_or(0);
    format!("{runs} runs of `{model}` over {}", axes.chain(draws).collect::<Vec<_>>().join(", "))
}

/// A number that differs if anything differs on which the runs depend; limits do not count.
fn fingerprint(
    args: &Args,
    loaded: &Loaded,
    question: &Question,
    cases: &[Case],
    files: &std::collections::BTreeMap<String, Result<Vec<u8>, String>>,
    thin: u64,
) -> u64 {
    let settings = ModelArgs { set: question.fixed.clone(), ..args.settings.clone() };
    let texts = format!("{} {settings:?} {:?} {thin} {}", env!("CARGO_PKG_VERSION"), question.periods, args.keep);
    let mut hash = fnv(texts.as_bytes(), fnv(loaded.text().as_bytes(), FNV));
    for (name, bytes) in files {
        hash = fnv(bytes.as_deref().unwrap_or_default(), fnv(name.as_bytes(), hash));
    }
    for v in question.study.variables() {
        hash = fnv(format!("{v:?}").as_bytes(), hash);
    }
    for case in cases {
        hash = case.values.iter().fold(hash, |h, v| fnv(v.text.as_bytes(), fnv(b"\0", h)));
    }
    for record in &question.records {
        hash = fnv(&record.dt.to_le_bytes(), hash);
        hash = record.values.iter().fold(hash, |h, x| fnv(&x.to_le_bytes(), h));
    }
    hash
}

/// Settings of the command line, for the files.
fn written_settings(args: &Args, question: &Question, limits: &[Limit]) -> Vec<(String, Setting)> {
    let s = &args.settings;
    let pairs = |list: &[(String, String)]| {
        (!list.is_empty()).then(|| list.iter().map(|(n, v)| format!("{n}={v}")).collect::<Vec<_>>().join(", "))
    };
    let limits: Vec<&str> = limits.iter().map(|l| l.text.as_str()).collect();
    let all = [
        ("set", pairs(&question.fixed)),
        ("scheme", s.scheme.clone()),
        ("param", pairs(&s.param)),
        ("dt", s.dt.clone()),
        ("until", s.until.clone()),
        ("coupling", s.coupling.clone()),
        ("substeps", s.substeps.map(|n| n.to_string())),
        ("whole", s.whole.then(|| "yes".to_owned())),
        ("tangent", s.tangent.clone()),
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

/// The outcomes of all cases in their order: those of the journal, and the others by running them.
fn answers(
    args: &Args,
    worker: &Worker<'_>,
    cases: &[Case],
    (journal, done): (&mut Journal, Vec<(usize, Outcome)>),
    threads: usize,
) -> Result<Vec<Outcome>, End> {
    let mut outcomes: Vec<Option<Outcome>> = cases.iter().map(|_| None).collect();
    for (i, outcome) in done {
        if let Some(place) = outcomes.get_mut(i) {
            *place = Some(outcome);
        }
    }
    let missing: Vec<&Case> = cases.iter().zip(&outcomes).filter(|(_, o)| o.is_none()).map(|(c, _)| c).collect();
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
                    journal.append(index, &outcome)?;
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
    if there < cases.len() { Err(End::Stopped(there)) } else { Ok(outcomes.into_iter().flatten().collect()) }
}

/// How fast it went.
struct Pace {
    /// Runs that were done before.
    had: usize,
    /// Runs of this time.
    runs: usize,
    seconds: f64,
    threads: usize,
}

/// What was varied, for people.
fn heading(findings: &Findings<'_>) -> String {
    let study = findings.study;
    let axes = study.axes.iter().map(|a| match a.values.list.as_slice() {
        [first, .., last] => format!("{} {} to {} ({} values)", a.name, first.text, last.text, a.values.list.len()),
        list => format!("{} {}", a.name, list.first().map_or("", |s| s.text.as_str())),
    });
    let draws = study.draws.iter().map(|d| format!("{} drawn {} times", d.name, study.samples));
    let over: Vec<String> = axes.chain(draws).collect();
    format!("{} runs over {}", findings.outcomes.len(), over.join(", "))
}

/// How the runs ended, for people.
fn sentence(findings: &Findings<'_>) -> String {
    let all = findings.outcomes.len();
    let (faults, refused) =
        (findings.count(|e| matches!(e, Ending::Fault(_))), findings.count(|e| matches!(e, Ending::Refused(_))));
    match (faults, refused) {
        (0, 0) => "all finished".to_owned(),
        (f, 0) => format!("{} finished, {f} stopped before their end", all - f),
        (0, r) => format!("{} finished, {r} could not begin", all - r),
        (f, r) => format!("{} finished, {f} stopped before their end, {r} could not begin", all - f - r),
    }
}

fn text(findings: &Findings<'_>, out: &Path, pace: &Pace) -> String {
    let mut text = format!("{}\n  {}\n\n", findings.model.title, heading(findings));
    let (header, rows) = page::peak_rows(findings);
    text += &aligned(&header, &rows);
    if !findings.fragility.is_empty() {
        let (header, rows) = page::fragility_rows(findings);
        let unit =
            if findings.intensity.unit.is_empty() { String::new() } else { format!(" [{}]", findings.intensity.unit) };
        text += &format!("\n  fragility over {}{unit}\n", findings.intensity.name);
        text += &aligned(&header, &rows);
        page::fragility_remarks(findings).iter().for_each(|r| text += &format!("  {r}\n"));
    }
    for (why, runs) in findings.failures().iter().take(5) {
        let example = runs.first().copied().unwrap_or(0);
        text += &format!("\n  {} runs, such as {example}: {why}\n", runs.len());
    }
    let steps = findings.model.analysis.steps();
    let before = if pace.had > 0 { format!(" ({} were done before)", pace.had) } else { String::new() };
    let rate = if pace.runs > 0 {
        format!(
            ", {} steps in {} s ({} runs/s on {} threads)",
            pace.runs as u64 * steps,
            short(pace.seconds),
            short(pace.runs as f64 / pace.seconds),
            pace.threads
        )
    } else {
        String::new()
    };
    text += &format!("\n{}: {} runs{before}{rate}\n", sentence(findings), pace.runs);
    text + &format!("  page: {}\n  runs: {}\n", out.join("index.html").display(), out.join("runs.csv").display())
}
