//! Runs and rehearsals.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{OnceLock, PoisonError};
use std::time::Duration;

use interfield::laboratory::{self, RealTime};
use interfield::outputs::Wanted;
use interfield::{Choices, End, Moment, Observer, Operator, Outcome, Run, Setup, coupled, programs, record, updating};
use interfield_lab::verdict::Grade;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::callbacks::{Blame, Spec, callables, forgetful, observed, unsaved};
use crate::progress::{Progress, Steps, beside};
use crate::source::{Failure, Source, choices, warnings};

/// Most numbers of a result that are kept in memory.
const MOST_NUMBERS: u64 = 500_000_000;

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(run, module)?)?;
    module.add_function(wrap_pyfunction!(rehearse, module)?)
}

/// What a run is given besides its choices.
struct Options {
    output: Option<PathBuf>,
    stem: String,
    threads: bool,
    real_time: RealTime,
    checkpoint: Option<Duration>,
    resume: Option<PathBuf>,
}

fn options(text: &str) -> PyResult<Options> {
    let told: Value =
        serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("the options are not JSON: {e}")))?;
    let path = |name: &str| told[name].as_str().map(PathBuf::from);
    let usual = RealTime::default();
    let real_time = RealTime {
        real_time: told["real_time"].as_bool().unwrap_or(false),
        core: told["core"].as_u64().map(|n| n as usize),
        priority: told["priority"].as_u64().and_then(|n| u8::try_from(n).ok()).unwrap_or(usual.priority),
        ..usual
    };
    Ok(Options {
        output: path("output"),
        stem: told["stem"].as_str().unwrap_or("model").to_owned(),
        threads: told["threads"].as_bool().unwrap_or(false),
        real_time,
        checkpoint: told["checkpoint"].as_f64().and_then(|s| Duration::try_from_secs_f64(s).ok()),
        resume: path("resume"),
    })
}

/// Collects rows, shows progress, calls an observer of Python.
struct Watching<'a> {
    /// None where another thread shows it.
    progress: Option<Progress>,
    steps: &'a Steps,
    observer: Option<Spec>,
    operator: Operator,
    /// Rows in memory, unless they go to a file.
    rows: Option<(Vec<f64>, Vec<f64>)>,
    /// What ended the run from outside.
    stopped: Option<PyErr>,
}

impl Watching<'_> {
    fn end(&mut self, error: PyErr) {
        self.stopped.get_or_insert(error);
        self.operator.interrupt();
    }
}

impl Observer for Watching<'_> {
    fn observe(&mut self, moment: &Moment<'_>) {
        if moment.recorded {
            if let Some((t, rows)) = &mut self.rows {
                t.push(moment.t);
                rows.extend_from_slice(moment.row);
            }
            if let Some(observer) = self.observer.as_ref().filter(|_| self.stopped.is_none()) {
                match observed(observer, moment.t, moment.row) {
                    Ok(true) => {}
                    Ok(false) => {
                        // It has said what it had to say.
                        self.observer = None;
                        self.operator.interrupt();
                    }
                    Err(e) => self.end(e),
                }
            }
        }
        self.steps.done.store(moment.step, Ordering::Relaxed);
        if self.stopped.is_none()
            && let Some(Err(e)) = self.progress.as_mut().map(|p| p.look(moment.step, moment.steps))
        {
            self.end(e);
        }
    }
}

type Channels = Vec<(String, String, String, String)>;
type Rows<'py> = Option<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>)>;
/// Outcome as JSON, channels (name, unit, quantity, description), rows in memory, warnings, what ended it.
type Done<'py> = (String, Channels, Rows<'py>, String, Option<(String, Py<PyAny>)>);

/// Runs a model to its end.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn run<'py>(
    py: Python<'py>,
    source: Source,
    chosen: &str,
    given: &str,
    laws: Vec<Spec>,
    specimens: Vec<Spec>,
    compensators: Vec<Spec>,
    observer: Option<Spec>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Done<'py>> {
    let (chosen, options) = (choices(chosen)?, options(given)?);
    if (options.checkpoint.is_some() || options.resume.is_some())
        && let Some(name) = forgetful(py, &compensators)?
    {
        return Err(unsaved(&name).into());
    }
    let place = Blame::default();
    let callables = callables(py, &laws, &specimens, &compensators, &place)?;
    let (steps, operator) = (Steps::default(), OnceLock::new());
    let done = py.detach(|| {
        let by_the_clock = options.real_time.real_time;
        let (shown, progress) = if by_the_clock { (progress, None) } else { (None, Some(Progress::new(progress))) };
        let work = || to_end(&source, &chosen, options, callables, observer, progress, &steps, &operator);
        if !by_the_clock {
            return work();
        }
        let stop = || operator.get().map(Operator::interrupt).is_some();
        let (done, stopped) =
            beside(shown, &steps, stop, work).map_err(|e| Failure::from(format!("no thread for the test: {e}")))?;
        let mut done = done.map_err(|_| Failure::from("the test ended unexpectedly".to_owned()))??;
        done.4 = stopped.or(done.4.take());
        Ok(done)
    });
    let done = done.map_err(|failure| blamed(py, &place, failure.into()))?;
    let (outcome, channels, rows, said, stopped) = done;
    let own = place.lock().unwrap_or_else(PoisonError::into_inner).take();
    let ended = own.or(stopped.map(|e| (String::new(), e)));
    let ended = ended.map(|(name, e)| (name, e.into_value(py).into_any()));
    let width = channels.len();
    let rows = rows
        .map(|(t, rows)| {
            let height = t.len();
            Ok::<_, PyErr>((t.into_pyarray(py), rows.into_pyarray(py).reshape([height, width])?))
        })
        .transpose()?;
    Ok((outcome, channels, rows, said, ended))
}

/// The exception of a callback, if one is to blame, with what came of it; else what came of it.
pub(crate) fn blamed(py: Python<'_>, place: &Blame, failure: PyErr) -> PyErr {
    let Some((name, cause)) = place.lock().unwrap_or_else(PoisonError::into_inner).take() else { return failure };
    let made = py
        .import("interfield.errors")
        .and_then(|m| m.getattr("in_callback"))
        .and_then(|make| make.call1((name, cause.into_value(py), failure.into_value(py))));
    made.map_or_else(|e| e, PyErr::from_value)
}

type Ended = (String, Channels, Option<(Vec<f64>, Vec<f64>)>, String, Option<PyErr>);

#[allow(clippy::too_many_arguments)]
fn to_end(
    source: &Source,
    chosen: &Choices,
    options: Options,
    callables: interfield::Callables,
    observer: Option<Spec>,
    progress: Option<Progress>,
    steps_done: &Steps,
    at_work: &OnceLock<Operator>,
) -> Result<Ended, Failure> {
    let file = source.open();
    let in_memory = options.output.is_none();
    let output = options.output.map(|path| Wanted { stem: options.stem, output: Some(path), report: None });
    let setup = Setup {
        output,
        real_time: options.real_time,
        threads: options.threads,
        checkpoint: options.checkpoint,
        resume: options.resume,
        callables,
        ..Setup::default()
    };
    let prepared = file.prepare(chosen, setup)?;
    let notices = prepared.notices.clone();
    let mut run = prepared.start()?;
    let (steps, width) = (run.simulation().steps(), run.model().channels.len() as u64);
    let rows = interfield_ensemble::trial::rows(steps, run.model().every);
    if in_memory && rows.saturating_mul(width + 1) > MOST_NUMBERS {
        let message = format!("{rows} rows of {width} channels are too many to be kept in memory");
        let help = "give output=\"FILE.h5\", or record less with `every` in [record]";
        return Err(Failure::Said(message, help.to_owned()));
    }
    let room = || (Vec::with_capacity(rows as usize), Vec::with_capacity((rows * width) as usize));
    let mut watching = Watching {
        progress,
        steps: steps_done,
        observer,
        operator: run.operator().clone(),
        rows: in_memory.then(room),
        stopped: None,
    };
    steps_done.all.store(steps, Ordering::Relaxed);
    let _ = at_work.set(run.operator().clone());
    let outcome = run.to_end(&mut watching);
    let mut said = crate::source::messages(&file.messages());
    if let Some(list) = said.as_array_mut() {
        list.extend(
            notices.iter().map(|n| json!({ "severity": "warning", "message": n.trim_start_matches("warning: ") })),
        );
    }
    let channel = |c: interfield_results::ChannelInfo| (c.name, c.unit, c.quantity, c.description);
    let channels = record::channels(run.model()).into_iter().map(channel).collect();
    Ok((told(&run, &outcome).to_string(), channels, watching.rows, said.to_string(), watching.stopped))
}

/// An outcome as JSON.
pub(crate) fn told(run: &Run, outcome: &Outcome) -> Value {
    let (end, reason) = outcome.end.word();
    let grade = match outcome.verdict.grade {
        Grade::Good => "good",
        Grade::Doubtful => "doubtful",
        Grade::Failed => "failed",
    };
    let (sim, model) = (run.simulation(), run.model());
    let coupling = model.partition.is_some().then(|| coupled::json(sim, run.listener()));
    let laboratory = (!outcome.assessed.is_empty()).then(|| laboratory::json(&outcome.assessed, &model.units));
    let recordings: Vec<String> =
        outcome.assessed.iter().filter_map(|a| a.recording.as_ref()).map(|p| p.display().to_string()).collect();
    json!({
        "end": end,
        "reason": reason,
        "finished": outcome.end == End::Finished,
        "grade": grade,
        "reasons": outcome.verdict.reasons,
        "verdict": outcome.verdict.line(),
        "line": outcome.line(),
        "title": model.title,
        "steps": outcome.steps,
        "dt": sim.dt(),
        "simulated": outcome.simulated,
        "seconds": outcome.seconds,
        "timings": outcome.timings.iter().map(|(what, s)| json!([what, s])).collect::<Vec<_>>(),
        "file": run.files().map(|f| f.results.display().to_string()),
        "recordings": recordings,
        "coupling": coupling,
        "laboratory": laboratory,
        "externals": (!outcome.program_logs.is_empty()).then(|| programs::json(&outcome.program_logs, model)),
        "pushover": outcome.strength.as_ref().map(|s| s.json()),
        "updating": (!model.updates.is_empty()).then(|| updating::json(&sim.lessons())),
        "text": coupled::text(sim) + &updating::text(sim) + &laboratory::text(&outcome.assessed, &model.units)
            + &programs::text(&outcome.program_logs, model),
    })
}

/// Rehearses a test: (text, JSON, warnings).
#[pyfunction]
fn rehearse(
    py: Python<'_>,
    source: Source,
    chosen: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, String)> {
    let chosen = choices(chosen)?;
    let (found, stopped) = py.detach(|| {
        let file = source.open();
        let (mut progress, mut stopped) = (Progress::new(progress), None);
        let found = file.rehearse(&chosen, &mut |done, all| {
            if stopped.is_none() {
                stopped = progress.look(done, all).err();
            }
        });
        (found.map(|r| (r.text(), r.json().to_string(), warnings(&file))).map_err(Failure::from), stopped)
    });
    match stopped {
        Some(e) => Err(e),
        None => Ok(found?),
    }
}
