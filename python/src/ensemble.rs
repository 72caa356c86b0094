//! Many runs of one model on all cores, and ground motions for them.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use interfield_ensemble::ground::{self, Combine, Measure};
use interfield_ensemble::trial::{self, Figure, Wanted};
use interfield_ensemble::{Outcome, all_cores, over};
use interfield_language::Model;
use interfield_motion::read::{ReadOptions, read};
use interfield_motion::{Quantity, Record};
use interfield_structure::Simulation;
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::source::{Failure, Source, choices, warnings};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(ensemble, module)?)?;
    module.add_function(wrap_pyfunction!(read_motion, module)?)?;
    module.add_function(wrap_pyfunction!(intensity, module)?)
}

/// Reads a ground motion: interval in s, acceleration in m/s².
#[pyfunction]
#[pyo3(signature = (path, unit=None, dt=None))]
fn read_motion<'py>(
    py: Python<'py>,
    path: PathBuf,
    unit: Option<f64>,
    dt: Option<f64>,
) -> PyResult<(f64, Bound<'py, PyArray1<f64>>)> {
    let bytes = std::fs::read(&path)?;
    let options = ReadOptions { unit, dt, ..ReadOptions::default() };
    let found = read(&String::from_utf8_lossy(&bytes), &options).map_err(|e| {
        let place = if e.line == 0 { String::new() } else { format!(":{}", e.line) };
        Failure::Said(format!("{}{place}: {}", path.display(), e.message), e.help)
    })?;
    if found.quantity != Quantity::Acceleration {
        return Err(Failure::from(format!("{}: it is a {}", path.display(), found.quantity.name())).into());
    }
    Ok((found.dt, found.values.into_pyarray(py)))
}

fn record(dt: f64, values: &PyReadonlyArray1<'_, f64>) -> Result<Record, Failure> {
    Record::new(dt, values.as_array().to_vec(), Quantity::Acceleration).map_err(|e| Failure::from(e.to_string()))
}

/// Peak acceleration, or the spectral acceleration at a period with 5 % damping, m/s².
#[pyfunction]
#[pyo3(signature = (dt, values, period=None))]
fn intensity(dt: f64, values: PyReadonlyArray1<'_, f64>, period: Option<f64>) -> PyResult<f64> {
    let measure = period.map_or(Measure::Peak, Measure::Spectral);
    let found = measure.of(&[record(dt, &values)?], Combine::First).map_err(|e| Failure::from(e.to_string()))?;
    Ok(found)
}

/// One run: choices, number of the motion, factor.
type Case = (String, Option<usize>, f64);

/// Figures in the order min, max, peak, peak_time, rms, last, residual (case by channel by figure).
type Done<'py> = (
    Vec<(String, String)>,
    Bound<'py, PyArray3<f64>>,
    Vec<(String, String)>,
    Vec<Vec<Bound<'py, PyArray1<f64>>>>,
    String,
);

const FIGURES: usize = 7;

fn figures(f: &Figure) -> [f64; FIGURES] {
    [f.min, f.max, f.peak, f.peak_time, f.rms, f.last, f.residual]
}

/// Runs all cases. `tail` seconds follow after each motion. `progress` is called with the cases done and all cases.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
fn ensemble<'py>(
    py: Python<'py>,
    source: Source,
    cases: Vec<Case>,
    motions: Vec<(f64, PyReadonlyArray1<'py, f64>)>,
    tail: f64,
    threads: usize,
    thin: Option<u64>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Done<'py>> {
    let motions = motions.iter().map(|(dt, values)| record(*dt, values)).collect::<Result<Vec<_>, _>>()?;
    let cases = cases
        .into_iter()
        .map(|(chosen, motion, factor)| Ok((choices(&chosen)?, motion, factor)))
        .collect::<PyResult<Vec<_>>>()?;
    let threads = if threads == 0 { all_cores() } else { threads };
    let (stop, done, all) = (AtomicBool::new(false), AtomicUsize::new(0), cases.len());
    let (found, stopped) = py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        // For its messages, each with its place.
        let first = match cases.first() {
            Some((chosen, ..)) => file.structure(chosen)?.model.clone(),
            None => return Err(Failure::from("there is no case".to_owned())),
        };
        let channels: Vec<(String, String)> = first.channels.iter().map(|c| (c.name.clone(), c.unit.clone())).collect();
        let variants = file.variants();
        let work = |(chosen, motion, factor): &(interfield::Choices, Option<usize>, f64)| {
            let outcome = variants.model(chosen).map(|model| {
                let shaken = motion.and_then(|i| motions.get(i));
                one(model, shaken, (*factor, tail), thin, &stop)
            });
            done.fetch_add(1, Ordering::Relaxed);
            outcome.unwrap_or_else(|why| Some(Outcome::refused(why)))
        };
        // One thread looks up now and then, the others work.
        let (outcomes, stopped) = std::thread::scope(|scope| {
            let working = scope.spawn(|| over(&cases, threads, work));
            let mut stopped = None;
            while !working.is_finished() {
                std::thread::park_timeout(Duration::from_millis(20));
                let looked = Python::attach(|py| {
                    py.check_signals()?;
                    if let Some(progress) = &progress {
                        progress.call1(py, (done.load(Ordering::Relaxed), all))?;
                    }
                    Ok::<(), PyErr>(())
                });
                if let Err(e) = looked {
                    stop.store(true, Ordering::Relaxed);
                    stopped.get_or_insert(e);
                }
            }
            (working.join(), stopped)
        });
        let outcomes = outcomes.map_err(|_| Failure::from("a run of the ensemble ended unexpectedly".to_owned()))?;
        Ok(((channels, outcomes, warnings(&file)), stopped))
    })?;
    if let Some(e) = stopped {
        return Err(e);
    }
    let (channels, outcomes, said) = found;
    let width = channels.len();
    let mut table = Vec::with_capacity(outcomes.len() * width * FIGURES);
    let (mut endings, mut histories) = (Vec::new(), Vec::new());
    for outcome in outcomes.into_iter().flatten() {
        let known = outcome.figures.len() == width;
        for i in 0..width {
            table.extend(if known { figures(&outcome.figures[i]) } else { [f64::NAN; FIGURES] });
        }
        let (word, why) = outcome.ending.word();
        endings.push((word.to_owned(), why.to_owned()));
        histories.push(outcome.histories.into_iter().map(|h| h.into_pyarray(py)).collect());
    }
    let table = table.into_pyarray(py).reshape([endings.len(), width, FIGURES])?;
    Ok((channels, table, endings, histories, said))
}

/// One case; `None` where it was stopped.
fn one(
    mut model: Model,
    motion: Option<&Record>,
    (factor, tail): (f64, f64),
    thin: Option<u64>,
    stop: &AtomicBool,
) -> Option<Outcome> {
    match motion {
        Some(record) => {
            let all: Vec<Record> = ground::directions(&model).iter().map(|_| record.clone()).collect();
            if all.len() != 1 {
                let why = format!("the model has {} ground motions; an ensemble replaces one", all.len());
                return Some(Outcome::refused(why));
            }
            ground::replace(&mut model, &all, factor);
            model.analysis.duration = record.duration() + tail;
        }
        None if factor != 1.0 => ground::scale(&mut model, factor),
        None => {}
    }
    let mut machine = match Simulation::new(model) {
        Ok(machine) => machine,
        Err(problems) => {
            return Some(Outcome::refused(problems.first().map_or_else(String::new, |p| p.message.clone())));
        }
    };
    let wanted = Wanted { thin, rest: None };
    let outcome = trial::run(&mut machine, wanted, stop, |_, _| Ok::<(), String>(()));
    machine.finish();
    outcome.unwrap_or(None)
}
