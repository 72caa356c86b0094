//! Runs what `ethercrab` wants done, in the thread that calls: sends its frames, gives it those that come.
//!
//! Its own task ends at the first frame that it does not know. Here a frame that comes too late, or was never asked for, is
//! left out, as a bus with losses needs it.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};
use std::time::{Duration, Instant};

use ethercrab::{PduRx, PduTx};

use crate::socket::{MOST_BYTES, Socket};

/// Longest wait for a frame before a future is asked again: its timeouts are noticed only then.
const LOOK: Duration = Duration::from_millis(1);

/// A socket, and both ends of the queue of frames.
pub(super) struct Pump<'a> {
    pub(super) socket: Socket,
    pub(super) tx: PduTx<'a>,
    pub(super) rx: PduRx<'a>,
    pub(super) buffer: [u8; MOST_BYTES],
}

impl Pump<'_> {
    /// Runs a future to its end, at most until then.
    pub(super) fn run<F: Future>(&mut self, future: F, until: Instant) -> Option<F::Output> {
        let mut future = pin!(future);
        let mut context = Context::from_waker(Waker::noop());
        loop {
            if let Poll::Ready(output) = future.as_mut().poll(&mut context) {
                return Some(output);
            }
            while let Some(frame) = self.tx.next_sendable_frame() {
                let _ = frame.send_blocking(|bytes| {
                    self.socket.send(bytes);
                    Ok(bytes.len())
                });
            }
            let now = Instant::now();
            if now >= until {
                return None;
            }
            self.socket.wait(until.min(now + LOOK));
            self.take();
        }
    }

    /// Waits, and throws away what comes meanwhile.
    pub(super) fn sleep(&mut self, until: Instant) {
        while Instant::now() < until {
            self.socket.wait(until);
            self.take();
        }
    }

    fn take(&mut self) {
        while let Some(n) = self.socket.receive(&mut self.buffer) {
            let _ = self.rx.receive_frame(&self.buffer[..n]);
        }
    }
}
