//! How far a long preparation is, for somebody who looks at it from another thread.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// An order of elimination is looked for.
    Ordering,
    /// A matrix is factorised.
    Factorising,
}

/// Counts the work of an analysis and of a factorisation; reading it costs nothing.
#[derive(Debug, Default)]
pub struct Watch {
    stage: AtomicU32,
    done: AtomicU64,
    total: AtomicU64,
}

impl Watch {
    pub(crate) fn begin(&self, stage: Stage, total: f64) {
        self.stage.store(0, Relaxed);
        self.done.store(0, Relaxed);
        self.total.store(total as u64, Relaxed);
        self.stage.store(stage as u32 + 1, Relaxed);
    }

    pub(crate) fn add(&self, work: f64) {
        self.done.fetch_add(work as u64, Relaxed);
    }

    pub(crate) fn end(&self) {
        self.stage.store(0, Relaxed);
    }

    /// What is being done, and the share of it that is done; `None` between such works.
    pub fn now(&self) -> Option<(Stage, f64)> {
        let stage = match self.stage.load(Relaxed) {
            1 => Stage::Ordering,
            2 => Stage::Factorising,
            _ => return None,
        };
        let (done, total) = (self.done.load(Relaxed) as f64, self.total.load(Relaxed).max(1) as f64);
        Some((stage, (done / total).min(1.0)))
    }
}
