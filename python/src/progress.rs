//! Looks up from a run now and then: shows progress, and hears Ctrl-C.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::forks::guarded;

/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// Steps between two looks at the clock.
const STEPS: u32 = 16;

/// Of threads that call functions of Python, bytes: these expect the stack of a main thread.
const STACK: usize = 16 << 20;

/// Does the work of a test in real time in a thread of its own, which never waits for the interpreter, while this one, the main thread mostly,
/// hears Ctrl-C and shows the steps that were counted. What should end the test is told to `stop` until that says that it was heard. The rights
/// of the work, its priority, end with its thread.
pub(crate) fn beside<T: Send>(
    shown: Option<Py<PyAny>>,
    steps: &Steps,
    stop: impl Fn() -> bool,
    work: impl FnOnce() -> T + Send,
) -> std::io::Result<(std::thread::Result<T>, Option<PyErr>)> {
    let progress = Progress::new(shown);
    std::thread::scope(|scope| {
        let working = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work)?;
        let (mut stopped, mut heard) = (None, false);
        while !working.is_finished() {
            std::thread::park_timeout(PAUSE);
            let [done, all] = [&steps.done, &steps.all].map(|n| n.load(Ordering::Relaxed));
            if stopped.is_none() {
                stopped = progress.show(done, all).err();
            }
            heard = heard || (stopped.is_some() && stop());
        }
        Ok((working.join(), stopped))
    })
}

/// Steps done, and all steps, for another thread.
#[derive(Default)]
pub(crate) struct Steps {
    pub(crate) done: AtomicU64,
    pub(crate) all: AtomicU64,
}

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
        self.show(done, all)
    }

    /// Shows it now.
    fn show(&self, done: u64, all: u64) -> PyResult<()> {
        Python::attach(|py| {
            py.check_signals()?;
            if let Some(shown) = &self.shown {
                guarded(py, || shown.call1(py, (done, all)))?;
            }
            Ok(())
        })
    }
}
