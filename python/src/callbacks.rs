//! Functions of Python inside of a run: laws, specimens and compensators, interpreted or compiled.
//!
//! A compiled one is called through its address without the interpreter:
//!
//! ```text
//! scalar  double law(double t, double u, double v)                                    one degree of freedom, no states
//! array   void   law(double t, const double *u, const double *v, double *states, double *force)
//! ```

use std::sync::{Arc, Mutex, PoisonError};

use interfield::Callables;
use interfield_kernel::{Archive, StateError};
use interfield_lab::compensate::none::Uncompensated;
use interfield_lab::compensate::{Compensator, Each, Multivariable};
use interfield_lab::partner::{Partner, Trouble};
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::forks::guarded;

/// The first exception of a callback, with the name of what it computes.
pub(crate) type Blame = Arc<Mutex<Option<(String, PyErr)>>>;

/// Keeps the first one.
fn blame(place: &Blame, name: &str, error: PyErr) {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    place.get_or_insert_with(|| (name.to_owned(), error));
}

/// What Python says of a law: name, function, degrees of freedom; or of a compiled one its address and number of states.
#[derive(FromPyObject)]
pub(crate) struct LawSpec {
    name: String,
    function: Option<Py<PyAny>>,
    dofs: usize,
    address: usize,
    scalar: bool,
    states: usize,
}

impl LawSpec {
    /// As a partner.
    pub(crate) fn partner(&self, place: &Blame) -> Box<dyn Partner> {
        match &self.function {
            Some(function) => Box::new(Interpreted {
                name: self.name.clone(),
                function: Python::attach(|py| function.clone_ref(py)),
                dofs: self.dofs,
                blame: place.clone(),
            }),
            None => Box::new(Compiled {
                address: self.address,
                scalar: self.scalar,
                dofs: self.dofs,
                states: vec![0.0; self.states],
            }),
        }
    }
}

/// All functions of a run.
pub(crate) fn callables(
    laws: &[LawSpec],
    specimens: &[LawSpec],
    compensators: Vec<(String, Py<PyAny>, usize)>,
    place: &Blame,
) -> Callables {
    let mut all = Callables::default();
    for spec in laws {
        all = all.with_law(spec.name.clone(), spec.partner(place));
    }
    for spec in specimens {
        all = all.with_specimen(spec.name.clone(), spec.partner(place));
    }
    for (name, function, actuators) in compensators {
        let compensator = Commanding { name: name.clone(), function, actuators, blame: place.clone() };
        all = all.with_compensator(name, Arc::new(compensator));
    }
    all
}

/// A function of Python.
struct Interpreted {
    name: String,
    function: Py<PyAny>,
    dofs: usize,
    blame: Blame,
}

impl Interpreted {
    fn ask(&self, py: Python<'_>, t: f64, u: &[f64], v: &[f64], force: &mut [f64]) -> PyResult<()> {
        if let ([u], [v]) = (u, v) {
            let said = guarded(py, || self.function.call1(py, (t, *u, *v)))?;
            let said = said.bind(py);
            match said.extract::<f64>() {
                Ok(x) => force[0] = x,
                Err(_) => numbers(said, force)?,
            }
        } else {
            let (u, v) = (PyArray1::from_slice(py, u), PyArray1::from_slice(py, v));
            let said = guarded(py, || self.function.call1(py, (t, u, v)))?;
            numbers(said.bind(py), force)?;
        }
        match force.iter().find(|f| !f.is_finite()) {
            Some(bad) => Err(PyValueError::new_err(format!("`{}` returned {bad} at t = {t} s", self.name))),
            None => Ok(()),
        }
    }
}

/// Reads as many numbers as there are places. Bytes are a sequence of numbers in Python, and no forces.
fn numbers(said: &Bound<'_, PyAny>, to: &mut [f64]) -> PyResult<()> {
    let list: Vec<f64> = match said.extract::<numpy::PyReadonlyArray1<'_, f64>>() {
        Ok(array) => array.as_array().to_vec(),
        Err(_) => {
            let bytes = said.is_instance_of::<PyBytes>() || said.is_instance_of::<PyByteArray>();
            let list = if bytes { None } else { said.extract().ok() };
            list.ok_or_else(|| {
                let kind = said.get_type();
                PyTypeError::new_err(format!("it must return {} numbers, and returned {kind}", to.len()))
            })?
        }
    };
    if list.len() != to.len() {
        return Err(PyValueError::new_err(format!("it must return {} numbers, and returned {}", to.len(), list.len())));
    }
    to.copy_from_slice(&list);
    Ok(())
}

impl Partner for Interpreted {
    fn dofs(&self) -> usize {
        self.dofs
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        reached.copy_from_slice(u);
        Python::attach(|py| self.ask(py, t, u, v, force)).map_err(|e| {
            blame(&self.blame, &self.name, e);
            Trouble::Refused
        })
    }

    /// An object with `save` and `restore` is asked for its numbers; a plain function may remember anything.
    fn persist(&mut self, archive: &mut dyn Archive) {
        let state = Python::attach(|py| -> PyResult<Option<Vec<f64>>> {
            let object = self.function.bind(py);
            match object.hasattr("save")? && object.hasattr("restore")? {
                true => object.call_method0("save")?.extract().map(Some),
                false => Ok(None),
            }
        });
        let mut state = match state {
            Ok(Some(state)) => state,
            Ok(None) => return archive.fail(StateError::Live("a Python function without save() and restore()")),
            Err(e) => {
                blame(&self.blame, &self.name, e);
                return archive.fail(StateError::Live("a Python object whose save() failed"));
            }
        };
        archive.same(state.len());
        archive.numbers(&mut state);
        let restored = Python::attach(|py| self.function.call_method1(py, "restore", (state,)));
        if let Err(e) = restored {
            blame(&self.blame, &self.name, e);
            archive.fail(StateError::Mismatch);
        }
    }
}

/// A compiled function.
struct Compiled {
    address: usize,
    scalar: bool,
    dofs: usize,
    states: Vec<f64>,
}

type Scalar = unsafe extern "C" fn(f64, f64, f64) -> f64;
type Array = unsafe extern "C" fn(f64, *const f64, *const f64, *mut f64, *mut f64);

impl Compiled {
    #[allow(unsafe_code)]
    fn ask(&mut self, t: f64, u: &[f64], v: &[f64], force: &mut [f64]) {
        if self.scalar {
            // SAFETY: whoever hands in an address promises a function of this signature (see the module), alive as long as
            // the run; Python keeps the object that owns it. An address of zero is refused in Python.
            let law: Scalar = unsafe { std::mem::transmute::<usize, Scalar>(self.address) };
            force[0] = unsafe { law(t, u[0], v[0]) };
        } else {
            // SAFETY: as above; u, v and force have as many numbers as the law has degrees of freedom, states as declared.
            let law: Array = unsafe { std::mem::transmute::<usize, Array>(self.address) };
            unsafe { law(t, u.as_ptr(), v.as_ptr(), self.states.as_mut_ptr(), force.as_mut_ptr()) };
        }
    }
}

impl Partner for Compiled {
    fn dofs(&self) -> usize {
        self.dofs
    }

    fn exchange(
        &mut self,
        t: f64,
        u: &[f64],
        v: &[f64],
        reached: &mut [f64],
        force: &mut [f64],
    ) -> Result<(), Trouble> {
        reached.copy_from_slice(u);
        self.ask(t, u, v, force);
        Ok(())
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.states.len());
        archive.numbers(&mut self.states);
    }
}

/// A compensator of Python.
struct Commanding {
    name: String,
    function: Py<PyAny>,
    actuators: usize,
    blame: Blame,
}

impl Multivariable for Commanding {
    fn actuators(&self) -> usize {
        self.actuators
    }

    fn memory(&self) -> usize {
        0
    }

    fn command(&self, _memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        let asked = Python::attach(|py| {
            let said = guarded(py, || match (targets, measured) {
                ([target], [measured]) => self.function.call1(py, (*target, *measured)),
                _ => {
                    let (t, m) = (PyArray1::from_slice(py, targets), PyArray1::from_slice(py, measured));
                    self.function.call1(py, (t, m))
                }
            })?;
            let said = said.bind(py);
            match said.extract::<f64>() {
                Ok(x) if commands.len() == 1 => commands[0] = x,
                _ => numbers(said, commands)?,
            }
            match commands.iter().find(|c| !c.is_finite()) {
                Some(bad) => Err(PyValueError::new_err(format!("the compensator of `{}` returned {bad}", self.name))),
                None => Ok(()),
            }
        });
        if let Err(e) = asked {
            blame(&self.blame, &self.name, e);
            // The guard lets no such number through and ends the test.
            commands.fill(f64::NAN);
        }
    }

    /// What it would do to a probe is unknown: nothing.
    fn frozen(&self) -> Box<dyn Multivariable> {
        let none = || Box::new(Uncompensated) as Box<dyn Compensator>;
        Box::new(Each::new((0..self.actuators).map(|_| none()).collect()))
    }
}
