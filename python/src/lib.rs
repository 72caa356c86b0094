//! The native part of the Python package `interfield`: models are texts, choices are JSON, numbers are numpy arrays.
//!
//! What a user of Python sees is in `python/interfield`; here is what it cannot say itself. Runs go without the lock of the
//! interpreter, which is taken for callbacks, for progress and for Ctrl-C only.
//! **Must not be here:** numerics, and what another front end would need.

mod callbacks;
mod ensemble;
mod forks;
mod hosted;
mod identification;
mod progress;
mod results;
mod run;
mod source;
mod stepping;
mod studies;

use pyo3::prelude::*;

/// Registers everything.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<results::Reader>()?;
    module.add_class::<stepping::Stepper>()?;
    forks::register(module)?;
    source::register(module)?;
    run::register(module)?;
    studies::register(module)?;
    ensemble::register(module)?;
    hosted::register(module)?;
    identification::register(module)
}
