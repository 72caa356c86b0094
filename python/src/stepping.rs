//! A run that Python steps by itself.

use std::sync::{Mutex, MutexGuard, PoisonError};

use interfield::{End, Stepping};
use interfield_kernel::StepMap;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::callbacks::{Blame, LawSpec, callables};
use crate::run::blamed;
use crate::source::{Failure, Source, choices, warnings};

/// See `interfield.Simulation`.
#[pyclass(frozen)]
pub(crate) struct Stepper {
    stepping: Mutex<Stepping>,
    blame: Blame,
    channels: Vec<(String, String)>,
    said: String,
}

impl Stepper {
    fn lock(&self) -> MutexGuard<'_, Stepping> {
        self.stepping.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How the run ended, as an error where it did not finish; `Ok(true)`: it goes on.
    fn judge(&self, end: Option<&End>) -> PyResult<bool> {
        match end {
            None => Ok(true),
            Some(End::Finished) => Ok(false),
            Some(end) => {
                let (word, reason) = end.word();
                let message = reason.map_or_else(|| word.to_owned(), |r| format!("{word}: {r}"));
                let refused = interfield::Refused::new(interfield::Cause::Fault, message, "");
                Err(Python::attach(|py| blamed(py, &self.blame, Failure::from(refused).into())))
            }
        }
    }
}

#[pymethods]
impl Stepper {
    #[new]
    fn new(
        py: Python<'_>,
        source: Source,
        chosen: &str,
        laws: Vec<LawSpec>,
        specimens: Vec<LawSpec>,
        compensators: Vec<(String, Py<PyAny>, usize)>,
    ) -> PyResult<Self> {
        let chosen = choices(chosen)?;
        let blame = Blame::default();
        let callables = callables(&laws, &specimens, compensators, &blame);
        let made = py.detach(|| -> Result<_, Failure> {
            let file = source.open();
            let stepping = file.stepping(&chosen, callables)?;
            Ok((stepping, warnings(&file)))
        });
        let (stepping, said) = made.map_err(|failure| blamed(py, &blame, failure.into()))?;
        let channels = stepping.run().model().channels.iter().map(|c| (c.name.clone(), c.unit.clone())).collect();
        Ok(Stepper { stepping: Mutex::new(stepping), blame, channels, said })
    }

    /// Takes so many steps; whether the run goes on.
    fn step(&self, count: u64) -> PyResult<bool> {
        let mut stepping = self.lock();
        for _ in 0..count {
            let end = stepping.step();
            if end.is_some() {
                return self.judge(end);
            }
        }
        Ok(true)
    }

    /// The same without the lock of the interpreter, for many steps.
    fn advance(&self, py: Python<'_>, count: u64) -> PyResult<bool> {
        // In parts, so that Ctrl-C is heard.
        let mut left = count;
        while left > 0 {
            let part = left.min(1000);
            let over = py.detach(|| {
                let mut stepping = self.lock();
                (0..part).any(|_| stepping.step().is_some())
            });
            if over {
                return self.judge(self.lock().ended());
            }
            left -= part;
            py.check_signals()?;
        }
        Ok(true)
    }

    #[getter]
    fn t(&self) -> f64 {
        self.lock().t()
    }

    #[getter]
    fn dt(&self) -> f64 {
        self.lock().run().simulation().dt()
    }

    #[getter]
    fn done(&self) -> u64 {
        self.lock().done()
    }

    #[getter]
    fn steps(&self) -> u64 {
        self.lock().run().simulation().steps()
    }

    #[getter]
    fn channels(&self) -> Vec<(String, String)> {
        self.channels.clone()
    }

    #[getter]
    fn warnings(&self) -> String {
        self.said.clone()
    }

    /// All channels after the last step.
    fn row<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, self.lock().row())
    }

    /// One channel after the last step.
    fn get(&self, channel: usize) -> PyResult<f64> {
        let row = self.lock();
        row.row().get(channel).copied().ok_or_else(|| PyIndexError::new_err("there is no such channel"))
    }

    /// Parts of the state vector: name, names of unknowns, and where [u], [v] and [s h] of the part begin and end.
    fn layout(&self) -> Vec<(String, Vec<String>, [usize; 4])> {
        let stepping = self.lock();
        let sim = stepping.run().simulation();
        let part = |i: usize| {
            let (range, dims) = (sim.coupling.range_of(i), sim.coupling.dims_of(i));
            let names = sim.unknowns(i).map(str::to_owned).collect();
            let at = range.start;
            (sim.part(i).name.clone(), names, [at, at + dims.nu, at + 2 * dims.nu, range.end])
        };
        (0..sim.count()).map(part).collect()
    }

    /// The state vector of the step map: [u v s h z] of every part, multipliers, SI.
    fn vector<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_slice(py, StepMap::state(self.lock().run().simulation().coupling.as_ref()))
    }

    /// Replaces the state vector.
    fn set_vector(&self, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let values = values.as_array();
        self.lock().set_state(&values.to_vec()).map_err(PyValueError::new_err)
    }

    /// The complete state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = self.lock().save_bytes().map_err(Failure::from)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// Goes on from such a state.
    fn restore(&self, state: &[u8]) -> PyResult<()> {
        Ok(self.lock().restore_bytes(state).map_err(Failure::from)?)
    }

    /// Ends the run: its outcome as JSON.
    fn finish(&self, py: Python<'_>) -> String {
        py.detach(|| {
            let mut stepping = self.lock();
            let outcome = stepping.finish();
            crate::run::told(stepping.run(), &outcome).to_string()
        })
    }

    /// Mass, damping and stiffness of a part are not copied here; the matrix of its step is, see `studies`.
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        let found = py.detach(|| self.lock().matrix()).map_err(Failure::from)?;
        let size = found.size;
        found.entries.into_pyarray(py).reshape([size, size])
    }
}
