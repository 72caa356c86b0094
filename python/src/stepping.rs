//! A run that Python steps by itself.

use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};

use interfield::{End, Stepping};
use interfield_kernel::StepMap;
use numpy::{IntoPyArray, PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::{PyIndexError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use pyo3::{PyTraverseError, PyVisit};

use crate::callbacks::{Blame, Function, Spec, callables, forgetful, unsaved};
use crate::forks;
use crate::run::blamed;
use crate::source::{Failure, Source, choices, warnings};

/// Steps between two looks for Ctrl-C.
const HEARING: u64 = 1000;

/// A part of the state vector: its name, names of its unknowns, where [u], [v] and [s h] begin, and the end.
type Part = (String, Vec<String>, [usize; 4]);

/// See `interfield.Simulation`.
#[pyclass(frozen)]
pub(crate) struct Stepper {
    stepping: Mutex<Stepping>,
    /// The functions that are in it.
    functions: Vec<Function>,
    /// Which thread is in it; 0 for none.
    inside: AtomicUsize,
    /// Forks when it was made.
    forks: u64,
    blame: Blame,
    /// A compensator that cannot be saved.
    forgetful: Option<String>,
    channels: Vec<(String, String)>,
    said: String,
}

/// A number of the thread that is neither 0 nor that of another one.
fn this_thread() -> usize {
    thread_local!(static PLACE: u8 = const { 0 });
    PLACE.with(|place| std::ptr::from_ref(place).addr())
}

/// The run, while a thread has it.
struct Inside<'a> {
    stepping: MutexGuard<'a, Stepping>,
    inside: &'a AtomicUsize,
}

impl Deref for Inside<'_> {
    type Target = Stepping;

    fn deref(&self) -> &Stepping {
        &self.stepping
    }
}

impl DerefMut for Inside<'_> {
    fn deref_mut(&mut self) -> &mut Stepping {
        &mut self.stepping
    }
}

impl Drop for Inside<'_> {
    fn drop(&mut self) {
        self.inside.store(0, Ordering::Relaxed);
    }
}

impl Stepper {
    /// Waits for other threads without the lock of the interpreter, which their functions need. A function of the run itself
    /// cannot wait for the step that called it: it is told so.
    fn enter(&self, py: Python<'_>) -> PyResult<Inside<'_>> {
        loop {
            let stepping = match self.stepping.try_lock() {
                Ok(stepping) => stepping,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {
                    if self.inside.load(Ordering::Relaxed) == this_thread() {
                        return Err(PyRuntimeError::new_err(
                            "this simulation is taking a step: a function inside of it cannot use it; give the function what it \
                             needs, or use the simulation between the steps",
                        ));
                    }
                    if self.forks != forks::count() {
                        return Err(PyRuntimeError::new_err(
                            "this simulation was taking a step in another thread when the process was forked; make it anew",
                        ));
                    }
                    py.detach(|| drop(self.stepping.lock()));
                    continue;
                }
            };
            self.inside.store(this_thread(), Ordering::Relaxed);
            return Ok(Inside { stepping, inside: &self.inside });
        }
    }

    /// How the run ended, as an error where it did not finish; `Ok(true)`: it goes on.
    fn judge(&self, py: Python<'_>, end: Option<&End>) -> PyResult<bool> {
        match end {
            None => Ok(true),
            Some(End::Finished) => Ok(false),
            Some(end) => {
                let (word, reason) = end.word();
                let message = reason.map_or_else(|| word.to_owned(), |r| format!("{word}: {r}"));
                let refused = interfield::Refused::new(interfield::Cause::Fault, message, "");
                Err(blamed(py, &self.blame, Failure::from(refused).into()))
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
        laws: Vec<Spec>,
        specimens: Vec<Spec>,
        compensators: Vec<Spec>,
    ) -> PyResult<Self> {
        let chosen = choices(chosen)?;
        let blame = Blame::default();
        let callables = callables(py, &laws, &specimens, &compensators, &blame)?;
        let functions =
            [&laws, &specimens, &compensators].into_iter().flatten().filter_map(|s| s.function.clone()).collect();
        let made = py.detach(|| -> Result<_, Failure> {
            let file = source.open();
            let stepping = file.stepping(&chosen, callables)?;
            Ok((stepping, warnings(&file)))
        });
        let (stepping, said) = made.map_err(|failure| blamed(py, &blame, failure.into()))?;
        let channels = stepping.run().model().channels.iter().map(|c| (c.name.clone(), c.unit.clone())).collect();
        Ok(Stepper {
            stepping: Mutex::new(stepping),
            functions,
            inside: AtomicUsize::new(0),
            forks: forks::count(),
            blame,
            forgetful: forgetful(py, &compensators)?,
            channels,
            said,
        })
    }

    /// A function of a run may hold the simulation that calls it: the collector of cycles is told of the functions. There is nothing to clear here,
    /// as in a tuple: functions are there before their simulation, so that another object of such a cycle was changed later.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.functions.iter().try_for_each(|function| visit.call(&**function))
    }

    /// Takes so many steps; whether the run goes on.
    fn step(&self, py: Python<'_>, count: u64) -> PyResult<bool> {
        // In parts, so that Ctrl-C is heard.
        let mut left = count;
        loop {
            let part = left.min(HEARING);
            let mut stepping = self.enter(py)?;
            for _ in 0..part {
                let end = stepping.step();
                if end.is_some() {
                    return self.judge(py, end);
                }
            }
            drop(stepping);
            left -= part;
            if left == 0 {
                return Ok(true);
            }
            py.check_signals()?;
        }
    }

    /// The same without the lock of the interpreter, for many steps.
    fn advance(&self, py: Python<'_>, count: u64) -> PyResult<bool> {
        let mut left = count;
        while left > 0 {
            let part = left.min(HEARING);
            let mut inside = self.enter(py)?;
            let stepping: &mut Stepping = &mut inside;
            if py.detach(|| (0..part).any(|_| stepping.step().is_some())) {
                return self.judge(py, inside.ended());
            }
            drop(inside);
            left -= part;
            py.check_signals()?;
        }
        Ok(true)
    }

    #[getter]
    fn t(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.enter(py)?.t())
    }

    #[getter]
    fn dt(&self, py: Python<'_>) -> PyResult<f64> {
        Ok(self.enter(py)?.run().simulation().dt())
    }

    #[getter]
    fn done(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.enter(py)?.done())
    }

    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        Ok(self.enter(py)?.run().simulation().steps())
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
    fn row<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        Ok(PyArray1::from_slice(py, self.enter(py)?.row()))
    }

    /// One channel after the last step.
    fn get(&self, py: Python<'_>, channel: usize) -> PyResult<f64> {
        let inside = self.enter(py)?;
        inside.row().get(channel).copied().ok_or_else(|| PyIndexError::new_err("there is no such channel"))
    }

    /// Parts of the state vector.
    fn layout(&self, py: Python<'_>) -> PyResult<Vec<Part>> {
        let inside = self.enter(py)?;
        let sim = inside.run().simulation();
        let part = |i: usize| {
            let (range, dims) = (sim.coupling.range_of(i), sim.coupling.dims_of(i));
            let names = sim.unknowns(i).map(str::to_owned).collect();
            let at = range.start;
            (sim.part(i).name.clone(), names, [at, at + dims.nu, at + 2 * dims.nu, range.end])
        };
        Ok((0..sim.count()).map(part).collect())
    }

    /// The state vector of the step map: [u v s h z] of every part, multipliers, SI.
    fn vector<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let inside = self.enter(py)?;
        Ok(PyArray1::from_slice(py, StepMap::state(inside.run().simulation().coupling.as_ref())))
    }

    /// Replaces the state vector.
    fn set_vector(&self, py: Python<'_>, values: PyReadonlyArray1<'_, f64>) -> PyResult<()> {
        let values = values.as_array().to_vec();
        self.enter(py)?.set_state(&values).map_err(PyValueError::new_err)
    }

    /// The complete state as bytes.
    fn save<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        if let Some(name) = &self.forgetful {
            return Err(unsaved(name).into());
        }
        let bytes = self.enter(py)?.save_bytes().map_err(Failure::from);
        Ok(PyBytes::new(py, &bytes.map_err(|failure| blamed(py, &self.blame, failure.into()))?))
    }

    /// Goes on from such a state.
    fn restore(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        if let Some(name) = &self.forgetful {
            return Err(unsaved(name).into());
        }
        let restored = self.enter(py)?.restore_bytes(state).map_err(Failure::from);
        restored.map_err(|failure| blamed(py, &self.blame, failure.into()))
    }

    /// Ends the run: its outcome as JSON.
    fn finish(&self, py: Python<'_>) -> PyResult<String> {
        let mut inside = self.enter(py)?;
        let stepping: &mut Stepping = &mut inside;
        Ok(py.detach(|| {
            let outcome = stepping.finish();
            crate::run::told(stepping.run(), &outcome).to_string()
        }))
    }

    /// The matrix of one step about the present state, row by row.
    fn matrix<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, numpy::PyArray2<f64>>> {
        let mut inside = self.enter(py)?;
        let stepping: &mut Stepping = &mut inside;
        let found = py.detach(|| stepping.matrix()).map_err(Failure::from)?;
        let size = found.size;
        found.entries.into_pyarray(py).reshape([size, size])
    }
}
