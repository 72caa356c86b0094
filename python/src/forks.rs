//! Copies of this process: one that goes on with a run of its parent would write into the files of the parent.

use std::sync::atomic::{AtomicU64, Ordering};

use pyo3::prelude::*;

static FORKS: AtomicU64 = AtomicU64::new(0);

/// How often this process, or one before it, was copied by `os.fork`.
pub(crate) fn count() -> u64 {
    FORKS.load(Ordering::Relaxed)
}

#[pyfunction]
fn forked() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// Has copies counted.
pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    let os = module.py().import("os")?;
    // Windows has none.
    if os.hasattr("register_at_fork")? {
        let named = pyo3::types::PyDict::new(module.py());
        named.set_item("after_in_child", wrap_pyfunction!(forked, module)?)?;
        os.call_method("register_at_fork", (), Some(&named))?;
    }
    Ok(())
}

/// Calls a function of a run. A copy of this process that comes back from it is ended: the run and its files are its parent's.
pub(crate) fn guarded<R>(py: Python<'_>, call: impl FnOnce() -> R) -> R {
    let before = count();
    let said = call();
    if count() != before {
        end(py);
    }
    said
}

#[cold]
fn end(py: Python<'_>) -> ! {
    let text = "interfield: a copy of this process (os.fork) came back into a run of its parent and was ended; \
                call os._exit() in the copy\n";
    // Whether it can be said or not, it ends.
    drop(py.import("sys").and_then(|sys| sys.getattr("stderr")?.call_method1("write", (text,))));
    drop(py.import("os").and_then(|os| os.call_method1("_exit", (70,))));
    std::process::abort();
}
