//! Functions of Python inside of a run: laws, specimens, compensators and observers, interpreted or compiled.
//!
//! A compiled one is called through its address without the interpreter:
//!
//! ```text
//! law          double  f(double t, double u, double v)                                 one degree of freedom, no states
//!              void    f(double t, const double *u, const double *v, double *states, double *force)
//! compensator  double  f(double target, double measured)                               one actuator, no states
//!              void    f(const double *target, const double *measured, double *states, double *command)
//! observer     int32_t f(double t, const double *row)                                  0 ends the run
//! ```

use std::ops::Deref;
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
use crate::source::Failure;

/// The first exception of a callback, with the name of what it computes.
pub(crate) type Blame = Arc<Mutex<Option<(String, PyErr)>>>;

/// Keeps the first one.
fn blame(place: &Blame, name: &str, error: PyErr) {
    let mut place = place.lock().unwrap_or_else(PoisonError::into_inner);
    place.get_or_insert_with(|| (name.to_owned(), error));
}

/// A function of Python that a run calls. All who hold it share one reference, so that the collector of cycles counts it once.
#[derive(Clone)]
pub(crate) struct Function(Arc<Py<PyAny>>);

impl Deref for Function {
    type Target = Py<PyAny>;

    fn deref(&self) -> &Py<PyAny> {
        &self.0
    }
}

impl<'a, 'py> FromPyObject<'a, 'py> for Function {
    type Error = PyErr;

    fn extract(object: Borrowed<'a, 'py, PyAny>) -> PyResult<Self> {
        Ok(Function(Arc::new(object.to_owned().unbind())))
    }
}

/// What Python says of a function: name, function, degrees of freedom (of a compensator: actuators); or of a compiled one its
/// address and number of states.
#[derive(FromPyObject)]
pub(crate) struct Spec {
    name: String,
    pub(crate) function: Option<Function>,
    dofs: usize,
    address: usize,
    scalar: bool,
    states: usize,
}

impl Spec {
    /// A function that remembers what it likes, and cannot be asked for it.
    pub(crate) fn forgets(&self, py: Python<'_>) -> PyResult<bool> {
        self.function.as_ref().map_or(Ok(false), |f| Ok(!saves(f.bind(py))?))
    }

    /// As a partner.
    pub(crate) fn partner(&self, place: &Blame) -> Box<dyn Partner> {
        match &self.function {
            Some(function) => Box::new(Interpreted {
                name: self.name.clone(),
                function: function.clone(),
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
    py: Python<'_>,
    laws: &[Spec],
    specimens: &[Spec],
    compensators: &[Spec],
    place: &Blame,
) -> PyResult<Callables> {
    let mut all = Callables::default();
    for spec in laws {
        all = all.with_law(spec.name.clone(), spec.partner(place));
    }
    for spec in specimens {
        all = all.with_specimen(spec.name.clone(), spec.partner(place));
    }
    for spec in compensators {
        let compensator: Arc<dyn Multivariable> = match &spec.function {
            Some(function) => Arc::new(Commanding::new(py, spec, function, place)?),
            None => Arc::new(CompiledCommand {
                address: spec.address,
                scalar: spec.scalar,
                actuators: spec.dofs,
                states: spec.states,
            }),
        };
        all = all.with_compensator(spec.name.clone(), compensator);
    }
    Ok(all)
}

/// The name of the first compensator whose memory nobody can save.
pub(crate) fn forgetful(py: Python<'_>, compensators: &[Spec]) -> PyResult<Option<String>> {
    for spec in compensators {
        if spec.forgets(py)? {
            return Ok(Some(spec.name.clone()));
        }
    }
    Ok(None)
}

/// What is said where its state is to be saved or restored.
pub(crate) fn unsaved(name: &str) -> Failure {
    Failure::Said(
        format!("the compensator of `{name}` cannot be saved: it is a Python function without save() and restore()"),
        "give an object with these methods, or a compiled function with states".to_owned(),
    )
}

/// Whether an object can be asked for its numbers.
fn saves(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(object.hasattr("save")? && object.hasattr("restore")?)
}

/// A function of Python.
struct Interpreted {
    name: String,
    function: Function,
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
            match saves(object)? {
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
    function: Function,
    actuators: usize,
    kept: Option<Kept>,
    blame: Blame,
}

/// The numbers of one that has `save` and `restore`. They stand in the memory of its controller, which is saved with the run: first 1 once
/// it was used, then the numbers.
struct Kept {
    /// Before it was ever used.
    first: Vec<f64>,
    /// Those that the object has now.
    now: Mutex<Vec<f64>>,
}

impl Kept {
    /// Takes the object back to what the memory says, if it is somewhere else.
    fn before(&self, py: Python<'_>, object: &Py<PyAny>, memory: &[f64]) -> PyResult<()> {
        let wanted = if memory[0] == 0.0 { &self.first[..] } else { &memory[1..] };
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.iter().zip(wanted).any(|(a, b)| a.to_bits() != b.to_bits()) {
            object.call_method1(py, "restore", (wanted.to_vec(),))?;
            now.copy_from_slice(wanted);
        }
        Ok(())
    }

    fn after(&self, py: Python<'_>, object: &Py<PyAny>, memory: &mut [f64]) -> PyResult<()> {
        let list: Vec<f64> = object.call_method0(py, "save")?.extract(py)?;
        if list.len() != self.first.len() {
            let message = format!("save() returned {} numbers, and {} at the start", list.len(), self.first.len());
            return Err(PyValueError::new_err(message));
        }
        memory[0] = 1.0;
        memory[1..].copy_from_slice(&list);
        self.now.lock().unwrap_or_else(PoisonError::into_inner).copy_from_slice(&list);
        Ok(())
    }
}

impl Commanding {
    fn new(py: Python<'_>, spec: &Spec, function: &Function, place: &Blame) -> PyResult<Self> {
        let kept = match saves(function.bind(py))? {
            true => {
                let first: Vec<f64> = function.call_method0(py, "save")?.extract(py)?;
                Some(Kept { now: Mutex::new(first.clone()), first })
            }
            false => None,
        };
        let (name, function) = (spec.name.clone(), function.clone());
        Ok(Commanding { name, function, actuators: spec.dofs, kept, blame: place.clone() })
    }

    fn ask(
        &self,
        py: Python<'_>,
        memory: &mut [f64],
        targets: &[f64],
        measured: &[f64],
        commands: &mut [f64],
    ) -> PyResult<()> {
        if let Some(kept) = &self.kept {
            kept.before(py, &self.function, memory)?;
        }
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
        if let Some(bad) = commands.iter().find(|c| !c.is_finite()) {
            return Err(PyValueError::new_err(format!("the compensator of `{}` returned {bad}", self.name)));
        }
        match &self.kept {
            Some(kept) => kept.after(py, &self.function, memory),
            None => Ok(()),
        }
    }
}

/// What a compensator of somebody else would do to a probe is unknown: nothing.
fn unprobed(actuators: usize) -> Box<dyn Multivariable> {
    let none = || Box::new(Uncompensated) as Box<dyn Compensator>;
    Box::new(Each::new((0..actuators).map(|_| none()).collect()))
}

impl Multivariable for Commanding {
    fn actuators(&self) -> usize {
        self.actuators
    }

    fn memory(&self) -> usize {
        self.kept.as_ref().map_or(0, |kept| 1 + kept.first.len())
    }

    fn command(&self, memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        if let Err(e) = Python::attach(|py| self.ask(py, memory, targets, measured, commands)) {
            blame(&self.blame, &self.name, e);
            // The guard lets no such number through and ends the test.
            commands.fill(f64::NAN);
        }
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        unprobed(self.actuators)
    }
}

/// A compiled compensator.
struct CompiledCommand {
    address: usize,
    scalar: bool,
    actuators: usize,
    states: usize,
}

type ScalarCommand = unsafe extern "C" fn(f64, f64) -> f64;
type ArrayCommand = unsafe extern "C" fn(*const f64, *const f64, *mut f64, *mut f64);

impl Multivariable for CompiledCommand {
    fn actuators(&self) -> usize {
        self.actuators
    }

    fn memory(&self) -> usize {
        self.states
    }

    #[allow(unsafe_code)]
    fn command(&self, memory: &mut [f64], targets: &[f64], measured: &[f64], commands: &mut [f64]) {
        if self.scalar {
            // SAFETY: as for laws above; Python has compared the signature where it is known.
            let function: ScalarCommand = unsafe { std::mem::transmute::<usize, ScalarCommand>(self.address) };
            commands[0] = unsafe { function(targets[0], measured[0]) };
        } else {
            // SAFETY: as above; one number for each actuator, states as declared.
            let function: ArrayCommand = unsafe { std::mem::transmute::<usize, ArrayCommand>(self.address) };
            unsafe { function(targets.as_ptr(), measured.as_ptr(), memory.as_mut_ptr(), commands.as_mut_ptr()) };
        }
    }

    fn frozen(&self) -> Box<dyn Multivariable> {
        unprobed(self.actuators)
    }
}

type Look = unsafe extern "C" fn(f64, *const f64) -> i32;

/// Shows a row to an observer; whether the run goes on.
#[allow(unsafe_code)]
pub(crate) fn observed(observer: &Spec, t: f64, row: &[f64]) -> PyResult<bool> {
    let Some(function) = &observer.function else {
        // SAFETY: as for laws above; the row has as many numbers as the result has channels.
        let look: Look = unsafe { std::mem::transmute::<usize, Look>(observer.address) };
        return Ok(unsafe { look(t, row.as_ptr()) } != 0);
    };
    Python::attach(|py| {
        let row = PyArray1::from_slice(py, row);
        let said = guarded(py, || function.call1(py, (t, row)))?;
        // Also the false of numpy.
        let said = said.bind(py);
        Ok(said.is_none() || said.is_truthy()?)
    })
}
