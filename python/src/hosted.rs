//! A specimen of Python for a test in another process.

use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use interfield::laboratory::histogram_json;
use pyo3::prelude::*;
use serde_json::json;

use crate::callbacks::{Blame, Spec};
use crate::source::{Failure, Source, choices};

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(host, module)?)
}

/// Of the thread that calls the function of the specimen, bytes.
const STACK: usize = 16 << 20;

/// Answers one test; `ready` is called with the address once it listens. What was counted, as JSON.
#[pyfunction]
fn host(py: Python<'_>, source: Source, chosen: &str, law: Spec, name: &str, ready: Py<PyAny>) -> PyResult<String> {
    let chosen = choices(chosen)?;
    let (blame, stop) = (Blame::default(), AtomicBool::new(false));
    let (found, stopped) = py.detach(|| {
        std::thread::scope(|scope| {
            let serve = || {
                let file = source.open();
                let mut make = || law.partner(&blame);
                let mut listening = |address: &str| {
                    // One that cannot be told learns of it when nobody listens.
                    let _ = Python::attach(|py| ready.call1(py, (address,)));
                };
                file.host(&chosen, name, &mut make, &stop, &mut listening).map_err(Failure::from)
            };
            // Functions of Python expect the stack of a main thread.
            let serving = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, serve);
            let serving = match serving {
                Ok(serving) => serving,
                Err(e) => return (Ok(Err(Failure::from(format!("no thread for the specimen: {e}")))), None),
            };
            let mut stopped = None;
            while !serving.is_finished() {
                std::thread::park_timeout(Duration::from_millis(50));
                if let Err(e) = Python::attach(|py| py.check_signals()) {
                    stop.store(true, Ordering::Relaxed);
                    stopped.get_or_insert(e);
                }
            }
            (serving.join(), stopped)
        })
    });
    if let Some(e) = stopped {
        return Err(e);
    }
    if let Some((_, e)) = blame.lock().unwrap_or_else(PoisonError::into_inner).take() {
        return Err(e);
    }
    let hosted = found.map_err(|_| Failure::from("the host of the specimen ended unexpectedly".to_owned()))??;
    let mut told = json!({ "answering": histogram_json(&hosted.statistics.answering.summary()) });
    for (name, count) in hosted.statistics.counts() {
        told[name] = count.into();
    }
    Ok(told.to_string())
}
