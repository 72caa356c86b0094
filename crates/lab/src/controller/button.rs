//! What somebody asks of a running test, from another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

/// What somebody may ask of a running test at any time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Nothing.
    None,
    /// Hold until told otherwise.
    Pause,
    /// Ramp down and end.
    Stop,
    /// End at once.
    Abort,
}

/// A request, readable from the loop without waiting.
#[derive(Clone, Debug, Default)]
pub struct Button(Arc<AtomicU8>);

impl Button {
    /// Asks.
    pub fn press(&self, request: Request) {
        self.0.store(request as u8, Ordering::Release);
    }

    /// What is asked now.
    pub(super) fn read(&self) -> Request {
        match self.0.load(Ordering::Acquire) {
            1 => Request::Pause,
            2 => Request::Stop,
            3 => Request::Abort,
            _ => Request::None,
        }
    }
}
