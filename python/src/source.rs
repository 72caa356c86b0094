//! A model as Python has it: a text, a name for messages, and the folder that it sees files from.

use std::path::PathBuf;

use interfield::{Choices, Message, ModelFile, Refused};
use interfield_structure::harmonic::Body;
use numpy::{IntoPyArray, PyArray1, PyArray2, PyArrayMethods};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use serde_json::{Value, json};

/// A model.
#[derive(Clone, FromPyObject)]
pub(crate) struct Source {
    name: String,
    text: String,
    folder: PathBuf,
}

impl Source {
    pub(crate) fn open(&self) -> ModelFile {
        ModelFile::embedded(&self.name, self.text.clone(), self.folder.clone())
    }
}

/// Choices as JSON.
pub(crate) fn choices(text: &str) -> PyResult<Choices> {
    let given: Value =
        serde_json::from_str(text).map_err(|e| PyValueError::new_err(format!("the choices are not JSON: {e}")))?;
    Choices::written(&given).map_err(PyValueError::new_err)
}

/// Why something was not done.
pub(crate) enum Failure {
    Refused(Box<Refused>),
    /// A sentence, and what to do.
    Said(String, String),
}

impl From<Refused> for Failure {
    fn from(refused: Refused) -> Self {
        Failure::Refused(Box::new(refused))
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Self {
        Failure::Said(message, String::new())
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> PyErr {
        let (cause, shown, messages) = match &failure {
            Failure::Refused(refused) => {
                (format!("{:?}", refused.cause), refused.render(false), messages(&refused.messages))
            }
            Failure::Said(message, help) => {
                let help = if help.is_empty() { String::new() } else { format!("\nhelp: {help}") };
                let one = json!([{ "severity": "error", "message": message, "help": help }]);
                ("Input".to_owned(), format!("error: {message}{help}"), one)
            }
        };
        Python::attach(|py| {
            let made = py
                .import("interfield.errors")
                .and_then(|m| m.getattr("from_native"))
                .and_then(|make| make.call1((cause, shown.trim_end(), messages.to_string())));
            made.map_or_else(|e| e, PyErr::from_value)
        })
    }
}

/// Messages as JSON.
pub(crate) fn messages(list: &[Message]) -> Value {
    let one = |m: &Message| {
        json!({
            "severity": m.severity, "file": m.file, "line": m.line, "column": m.column, "message": m.message,
            "help": m.help,
        })
    };
    list.iter().map(one).collect()
}

/// What was found doubtful, as JSON.
pub(crate) fn warnings(file: &ModelFile) -> String {
    messages(&file.messages()).to_string()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(check, module)?)?;
    module.add_function(wrap_pyfunction!(bundle, module)?)?;
    module.add_function(wrap_pyfunction!(parts, module)?)?;
    module.add_function(wrap_pyfunction!(expand, module)?)?;
    module.add_function(wrap_pyfunction!(modes, module)?)?;
    module.add_function(wrap_pyfunction!(stability, module)?)
}

/// The text with everything it includes.
#[pyfunction]
fn bundle(source: Source) -> String {
    source.open().text().to_owned()
}

/// What functions may compute: externals with their degrees of freedom; specimens with those and their actuators, and whether
/// they have an address.
#[pyfunction]
#[allow(clippy::type_complexity)]
fn parts(source: Source, chosen: &str) -> PyResult<(Vec<(String, usize)>, Vec<(String, usize, usize, bool)>)> {
    let (model, _) = source.open().model(&choices(chosen)?).map_err(Failure::from)?;
    let externals = model.externals.iter().map(|e| (e.name.clone(), e.dofs.len())).collect();
    let specimens =
        model.specimens.iter().map(|s| (s.name.clone(), s.dofs.len() + s.held, s.actuators.len(), s.at.is_some()));
    Ok((externals, specimens.collect()))
}

/// The model as plain TOML, with everything written out.
#[pyfunction]
fn expand(py: Python<'_>, source: Source, chosen: &str) -> PyResult<String> {
    let chosen = choices(chosen)?;
    Ok(py.detach(|| source.open().expanded(&chosen).map_err(Failure::from))?)
}

/// Reads and assembles: (what it is as text, as JSON, warnings).
#[pyfunction]
fn check(py: Python<'_>, source: Source, chosen: &str) -> PyResult<(String, String, String)> {
    let chosen = choices(chosen)?;
    Ok(py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        let structure = file.advised(&chosen, None)?.structure;
        let model = structure.model.clone();
        if model.externals.iter().any(|e| e.probe.is_some()) {
            let plan = interfield::plan::Plan::unsettled(&model);
            return Ok((plan.text(), plan.json().to_string(), warnings(&file)));
        }
        let started = structure.start(&mut interfield_structure::specimen::Rehearsal);
        let sim = started.map_err(|p| p.first().map_or_else(String::new, |p| p.message.clone()))?;
        let plan = interfield::plan::Plan::with_limits(&sim);
        Ok((plan.text(), plan.json().to_string(), warnings(&file)))
    })?)
}

type Modes<'py> = (Vec<String>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray2<f64>>, Vec<Direction<'py>>, String);
type Direction<'py> = (String, f64, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Names of the unknowns, circular frequencies (rad/s), shapes (unknown by mode), and for each direction its mass,
/// participation factors and effective masses; warnings.
#[pyfunction]
fn modes<'py>(py: Python<'py>, source: Source, chosen: &str, count: usize) -> PyResult<Modes<'py>> {
    let chosen = choices(chosen)?;
    let (names, omega, shapes, directions, said) = py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        let advised = file.advised(&chosen, Some(count))?;
        let modal = advised.modal.map_err(|e| format!("the modes could not be computed: {e}"))?;
        let names: Vec<String> = advised.structure.unknowns_of(Body::Coupled).map(str::to_owned).collect();
        let n = count.min(modal.omega2.len());
        let omega: Vec<f64> = modal.omega2[..n].iter().map(|x| x.max(0.0).sqrt()).collect();
        let shapes: Vec<f64> = (0..names.len())
            .flat_map(|i| modal.shapes[..n].iter().map(move |s| s.get(i).copied().unwrap_or(0.0)))
            .collect();
        let cut = |x: &[f64]| x.iter().copied().take(n).collect::<Vec<f64>>();
        let one = |d: &interfield_structure::modal::Direction| {
            (d.name.clone(), d.mass, cut(&d.participation), cut(&d.effective))
        };
        let directions: Vec<_> = modal.directions.iter().map(one).collect();
        Ok((names, omega, shapes, directions, warnings(&file)))
    })?;
    let (rows, columns) = (names.len(), omega.len());
    let shapes = shapes.into_pyarray(py).reshape([rows, columns])?;
    let directions =
        directions.into_iter().map(|(n, m, p, e)| (n, m, p.into_pyarray(py), e.into_pyarray(py))).collect();
    Ok((names, omega.into_pyarray(py), shapes, directions, said))
}

/// Stability of a step: (text, JSON, whether nothing grows, warnings).
#[pyfunction]
fn stability(py: Python<'_>, source: Source, chosen: &str) -> PyResult<(String, String, bool, String)> {
    let chosen = choices(chosen)?;
    Ok(py.detach(|| -> Result<_, Failure> {
        let file = source.open();
        // For its messages, each with its place.
        file.structure(&chosen)?;
        let found = interfield::stability::examine(&file, &chosen)
            .map_err(|e| Failure::Said(format!("the step cannot be judged: {}", e.why), e.help.to_owned()))?;
        Ok((found.text(), found.json().to_string(), found.stable(), warnings(&file)))
    })?)
}
