//! Looks up from a run now and then: shows progress, and hears Ctrl-C.

use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::forks::guarded;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// Steps between two looks at the clock.
const STEPS: u32 = 16;

/// Attaches to the interpreter every 50 ms.
pub(crate) struct Progress {
    shown: Option<Py<PyAny>>,
    last: Instant,
    skipped: u32,
}

impl Progress {
    /// `shown` is called with the steps done and all steps.
    pub(crate) fn new(shown: Option<Py<PyAny>>) -> Self {
        Progress { shown, last: Instant::now(), skipped: 0 }
    }

    /// Looks up if it is time; the error is what should end the run.
    pub(crate) fn look(&mut self, done: u64, all: u64) -> PyResult<()> {
        self.skipped += 1;
        if self.skipped < STEPS && done < all {
            return Ok(());
        }
        self.skipped = 0;
        if self.last.elapsed() < PAUSE && done < all {
            return Ok(());
        }
        self.last = Instant::now();
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(shown) = &self.shown {
                guarded(py, || shown.call1(py, (done, all)))?;
            }
            Ok(())
        })
    }
}
