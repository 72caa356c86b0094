//! `interfield run`: integrates a model, writes its channels and a report.

use std::fs::File;
use std::io::{BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use interfield_kernel::StepMap;
use interfield_model::Simulation;
use serde_json::json;

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};
use crate::report::{self, History};
use crate::table::{aligned, short};

/// Run a model: write its channels (CSV) and a report (HTML)
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield run models/frame.toml\n  \
interfield run models/frame.toml --scheme newmark --dt \"5 ms\" --output frame.csv\n  \
interfield run models/shear-pendulum.toml --set k1=5000 --json")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Write the channels to this CSV file [default: interfield-out/MODEL.csv]
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
}

/// The model that runs without arguments.
const EXAMPLE: &str = include_str!("../../../../models/isolated-building.toml");

/// Folder for results that nobody gave a place.
const OUT: &str = "interfield-out";

/// Runs the embedded example.
pub(crate) fn example() -> Exit {
    let loaded = Loaded::embedded("isolated-building.toml (embedded)", EXAMPLE.to_owned(), PathBuf::new(), false);
    let out = Path::new(OUT);
    let files = Files { csv: out.join("isolated-building.csv"), report: Some(out.join("isolated-building.html")) };
    execute(&loaded, &ModelArgs::default(), &files, false, false)
}

/// Runs a model file.
pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    let stem = args.model.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let out = Path::new(OUT);
    let files = Files {
        csv: args.output.clone().unwrap_or_else(|| out.join(format!("{stem}.csv"))),
        report: args.report.clone().or_else(|| args.output.is_none().then(|| out.join(format!("{stem}.html")))),
    };
    // Results must not replace the model or each other.
    let written = [Some(&files.csv), files.report.as_ref()];
    let model = written.into_iter().flatten().find(|p| same(p, &args.model));
    let clash = files.report.as_ref().filter(|r| same(r, &files.csv) && files.csv.as_path() != Path::new("/dev/null"));
    if let Some(path) = model.or(clash) {
        let what = if model.is_some() { "is the model file itself" } else { "would hold both channels and report" };
        let message = format!("`{}` {what}", path.display());
        fail(args.json, None, None, &message, "give --output and --report files of their own");
        return Exit::BadInput;
    }
    execute(&loaded, &args.settings, &files, args.json, args.quiet)
}

struct Files {
    csv: PathBuf,
    report: Option<PathBuf>,
}

/// Opens a file for writing, with the folders it needs.
fn create(path: &Path) -> Result<File, String> {
    let made = path.parent().filter(|p| !p.as_os_str().is_empty()).map_or(Ok(()), std::fs::create_dir_all);
    made.and_then(|()| File::create(path)).map_err(|e| unwritten(path, &e))
}

fn unwritten(path: &Path, e: &std::io::Error) -> String {
    format!("`{}` cannot be written: {e}", path.display())
}

/// Whether two paths name the same file, as far as the disk can tell.
fn same(a: &Path, b: &Path) -> bool {
    let real = |p: &Path| std::fs::canonicalize(p).ok();
    a == b || (real(a).is_some() && real(a) == real(b))
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

fn execute(loaded: &Loaded, settings: &ModelArgs, files: &Files, json: bool, quiet: bool) -> Exit {
    let mut sim = match loaded.simulation(settings) {
        Ok(s) => s,
        Err(e) => return e,
    };
    let csv = match create(&files.csv) {
        Ok(f) => f,
        Err(message) => {
            let help = "give another file with --output, for example --output results.csv";
            fail(json, Some(&files.csv.display().to_string()), None, &message, help);
            return Exit::Failure;
        }
    };
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    // A second handler in one process is impossible here; without one Ctrl-C just ends the program.
    let _ = ctrlc::set_handler(move || flag.store(true, Ordering::Relaxed));
    let visible = !quiet && !json && std::io::stderr().is_terminal();
    if !json {
        print(&heading(&sim));
    }
    let mut history = History::new(&sim);
    let start = Instant::now();
    let (done, verdict) = integrate(&mut sim, BufWriter::new(csv), &mut history, &stop, visible);
    let seconds = start.elapsed().as_secs_f64();
    let summary = report::Summary { verdict: &verdict, steps: done, seconds };
    let report = files.report.as_ref().map_or(Ok(()), |path| {
        let page = report::page(&sim, loaded.text(), &history, &summary);
        let mut file = create(path)?;
        file.write_all(page.as_bytes()).map_err(|e| unwritten(path, &e))
    });
    if json {
        let mut document = summary_json(&sim, &history, &summary, files);
        document["warnings"] = loaded.messages().into();
        if let Err(message) = &report {
            document["report_error"] = json!(message);
        }
        print_json(&document);
    } else {
        print(&summary_text(&sim, &history, &summary, files));
    }
    if let Verdict::Faulted(reason) | Verdict::NotWritten(reason) = &verdict {
        complain(&format!("error: {reason}"));
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

/// The loop: step, record, look at the clock from time to time.
fn integrate(
    sim: &mut Simulation,
    mut out: BufWriter<File>,
    history: &mut History,
    stop: &AtomicBool,
    visible: bool,
) -> (u64, Verdict) {
    let steps = sim.steps();
    let bar = ProgressBar::with_draw_target(
        Some(steps),
        if visible { ProgressDrawTarget::stderr_with_hz(10) } else { ProgressDrawTarget::hidden() },
    );
    if let Ok(style) = ProgressStyle::with_template("  {bar:40} {percent:>3} %  {pos}/{len} steps  ETA {eta}") {
        bar.set_style(style);
    }
    let every = sim.model.every;
    let mut row = vec![0.0; sim.channels().len()];
    let write = |out: &mut BufWriter<File>, t: f64, row: &[f64]| -> std::io::Result<()> {
        write!(out, "{t:e}")?;
        for x in row {
            write!(out, ",{x:e}")?;
        }
        writeln!(out)
    };
    let mut header = String::from("t [s]");
    for c in sim.channels() {
        header += &format!(",{} [{}]", c.name, c.unit);
    }
    let failed = |e: std::io::Error| Verdict::NotWritten(format!("the results could not be written: {e}"));
    let stopped = |t: f64, reason: String| Verdict::Faulted(format!("at t = {} s: {reason}", short(t)));
    if let Err(e) = writeln!(out, "{header}") {
        return (0, failed(e));
    }
    let mut verdict = Verdict::Finished;
    let mut done = 0;
    let mut looked = Instant::now();
    loop {
        let stopping = stop.load(Ordering::Relaxed);
        if done % every == 0 || done == steps || stopping {
            let t = done as f64 * sim.domain.dt();
            if let Err(fault) = sim.sample(done, &mut row) {
                verdict = stopped(t, sim.explain(fault));
                break;
            }
            if let Some(i) = row.iter().position(|x| !x.is_finite()) {
                verdict = stopped(t, format!("channel `{}` is {}", sim.channels()[i].name, row[i]));
                break;
            }
            history.push(t, &row);
            if let Err(e) = write(&mut out, t, &row) {
                verdict = failed(e);
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
        if let Err(fault) = sim.step(done) {
            let t = done as f64 * sim.domain.dt();
            verdict = Verdict::Faulted(format!("at t = {} s (step {}): {}", short(t), done + 1, sim.explain(fault)));
            break;
        }
        done += 1;
        if visible && done % 16 == 0 && looked.elapsed() > Duration::from_millis(50) {
            bar.set_position(done);
            looked = Instant::now();
        }
    }
    bar.finish_and_clear();
    if let Err(e) = out.flush()
        && !matches!(verdict, Verdict::NotWritten(_))
    {
        verdict = failed(e);
    }
    (done, verdict)
}

fn heading(sim: &Simulation) -> String {
    let a = &sim.model.analysis;
    let dims = sim.unknowns().len();
    let mut out = format!("{}\n", sim.model.title);
    out += &format!("  {dims} unknowns, {} elements\n", sim.model.elements.len());
    out += &format!(
        "  scheme {}, step {} s, {} steps to {} s\n",
        a.scheme_name,
        short(a.dt),
        sim.steps(),
        short(a.duration)
    );
    if let Some((_, solver)) = sim.solvers().last() {
        let when = if sim.domain.system().follows_state() { "factorised at each step" } else { "factorised once" };
        out += &format!("  solver {solver}, {when}\n");
    }
    out
}

fn summary_text(sim: &Simulation, history: &History, summary: &report::Summary<'_>, files: &Files) -> String {
    let rows: Vec<Vec<String>> = sim
        .channels()
        .iter()
        .zip(&history.ranges)
        .map(|(c, r)| vec![c.name.clone(), c.unit.clone(), short(r.peak), format!("{:.3}", r.peak_time), short(r.last)])
        .collect();
    let mut out = String::from("\n");
    out += &aligned(&["channel", "unit", "peak", "at t [s]", "at the end"], &rows);
    out += &format!("\n{}\n", summary.line(sim));
    out += &format!("  channels: {}\n", files.csv.display());
    if let Some(r) = &files.report {
        out += &format!("  report:   {}\n", r.display());
    }
    out
}

fn summary_json(
    sim: &Simulation,
    history: &History,
    summary: &report::Summary<'_>,
    files: &Files,
) -> serde_json::Value {
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
        "steps_per_second": summary.steps as f64 / summary.seconds,
        "solvers": sim.solvers().iter().map(|(d, r)| json!({
            "m": d.m, "c": d.c, "k": d.k, "method": r.to_string(),
        })).collect::<Vec<_>>(),
        "channels": sim.channels().iter().zip(&history.ranges).map(|(c, r)| json!({
            "name": c.name, "unit": c.unit, "peak": r.peak, "peak_time": r.peak_time,
            "min": r.min, "max": r.max, "final": r.last,
        })).collect::<Vec<_>>(),
        "csv": files.csv.display().to_string(),
        "report": files.report.as_ref().map(|r| r.display().to_string()),
    })
}
