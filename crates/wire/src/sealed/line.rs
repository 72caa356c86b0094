//! A line that is open: seals and opens messages, each number once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use snow::StatelessTransportState;

use super::{HEAD, Kind, MOST_DATAGRAM, Seals, TAG, head};
use crate::layout::MOST_BYTES;
use crate::window::{Arrival, Window};

/// Seals messages; shared with the thread that sends heartbeats, so that no number is used twice.
pub(super) struct Sealer {
    id: u64,
    state: StatelessTransportState,
    sent: AtomicU64,
}

impl Sealer {
    /// Seals a message into `out`; the length of the datagram, or 0 if it is no message of the wire.
    pub(super) fn seal(&self, message: &[u8], out: &mut [u8; MOST_DATAGRAM]) -> usize {
        if message.len() > MOST_BYTES {
            return 0;
        }
        let number = 1 + self.sent.fetch_add(1, Ordering::Relaxed);
        let (first, rest) = out.split_at_mut(HEAD);
        first.copy_from_slice(&head(Kind::Message, self.id, number));
        self.state.write_message(number, message, rest).map_or(0, |n| HEAD + n)
    }
}

/// An open line.
pub(super) struct Line {
    sealer: Arc<Sealer>,
    seen: Window,
}

impl Line {
    pub(super) fn new(id: u64, state: StatelessTransportState) -> Self {
        Line { sealer: Arc::new(Sealer { id, state, sent: AtomicU64::new(0) }), seen: Window::default() }
    }

    pub(super) fn id(&self) -> u64 {
        self.sealer.id
    }

    pub(super) fn sealer(&self) -> &Arc<Sealer> {
        &self.sealer
    }

    /// Whether a message ever came: who sent it has the key, now and not only in a call that somebody recorded.
    pub(super) fn is_confirmed(&self) -> bool {
        self.seen.newest() > 0
    }

    /// Opens a message into `out`, unless its seal is bad or it came before.
    pub(super) fn open(&mut self, number: u64, body: &[u8], out: &mut [u8], seals: &mut Seals) -> Option<usize> {
        if body.len().checked_sub(TAG).is_none_or(|n| n > out.len()) {
            seals.rejected += 1;
            return None;
        }
        let Ok(n) = self.sealer.state.read_message(number, body, out) else {
            seals.rejected += 1;
            return None;
        };
        match self.seen.note(number) {
            Arrival::Newest { .. } | Arrival::Reordered => {
                seals.sealed += 1;
                Some(n)
            }
            Arrival::Duplicate | Arrival::Ancient => {
                seals.replayed += 1;
                None
            }
        }
    }
}
