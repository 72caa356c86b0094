//! Both ends of a wire under seal, over any transport.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use super::caller::{Caller, Opened};
use super::porter::{Asked, Porter};
use super::{Key, MOST_DATAGRAM};
use crate::layout::MOST_BYTES;
use crate::{Dock, Heard, Heartbeat, Link, Stopwatch};

/// A client under seal.
pub struct SealedLink<L> {
    inner: L,
    caller: Caller,
    /// What is to be said once the line is open.
    held: Vec<u8>,
    raw: [u8; MOST_DATAGRAM],
    out: [u8; MOST_DATAGRAM],
}

impl<L: Link> SealedLink<L> {
    /// Over this transport, with whoever has the key.
    ///
    /// # Errors
    /// When the system gives no randomness: a sentence.
    pub fn new(inner: L, key: &Key) -> Result<Self, String> {
        let held = Vec::with_capacity(MOST_BYTES);
        Ok(SealedLink { inner, caller: Caller::new(key)?, held, raw: [0; MOST_DATAGRAM], out: [0; MOST_DATAGRAM] })
    }

    fn pass(&mut self, datagram: Heard, buffer: &mut [u8]) -> Option<Heard> {
        let Heard::Bytes(n) = datagram else { return Some(datagram) };
        match self.caller.hear(&self.raw[..n], buffer) {
            Opened::Message(n) => Some(Heard::Bytes(n)),
            Opened::OtherKey => Some(Heard::OtherKey),
            Opened::Line => {
                let held = std::mem::take(&mut self.held);
                self.send(&held);
                None
            }
            Opened::Nothing => None,
        }
    }
}

impl<L: Link> Link for SealedLink<L> {
    fn send(&mut self, bytes: &[u8]) {
        if let Some(n) = self.caller.seal(bytes, &mut self.out) {
            self.inner.send(&self.out[..n]);
        } else {
            self.held.clear();
            self.held.extend_from_slice(bytes);
            self.inner.send(self.caller.call());
        }
    }

    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        loop {
            let heard = self.inner.receive(&mut self.raw, until);
            if let Some(heard) = self.pass(heard, buffer) {
                return heard;
            }
            // So that a flood of others cannot hold the loop.
            if Instant::now() >= until {
                return Heard::Nothing;
            }
        }
    }

    fn keep_alive(&mut self, mut heartbeat: Heartbeat) -> io::Result<()> {
        let Some(sealer) = self.caller.sealer().map(Arc::clone) else { return Ok(()) };
        let (mut plain, mut out) = (Vec::new(), [0; MOST_DATAGRAM]);
        self.inner.keep_alive(Box::new(move |bytes| {
            plain.clear();
            heartbeat(&mut plain);
            let n = sealer.seal(&plain, &mut out);
            bytes.extend_from_slice(&out[..n]);
        }))
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.caller.seals().counts()
    }
}

/// The controller end under seal.
pub struct SealedDock<D> {
    inner: D,
    porter: Porter,
    clock: Stopwatch,
    raw: [u8; MOST_DATAGRAM],
}

impl<D: Dock> SealedDock<D> {
    /// Over this transport, for those who have the key.
    pub fn new(inner: D, key: Key) -> Self {
        SealedDock { inner, porter: Porter::new(key), clock: Stopwatch::start(), raw: [0; MOST_DATAGRAM] }
    }
}

impl<D: Dock> Dock for SealedDock<D> {
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard {
        loop {
            let heard = self.inner.receive(&mut self.raw, until);
            let Heard::Bytes(n) = heard else { return heard };
            match self.porter.hear(self.clock.ns(), &self.raw[..n], buffer) {
                Asked::Message(n) => return Heard::Bytes(n),
                Asked::Answer => self.inner.answer(self.porter.outgoing()),
                Asked::Nothing => {}
            }
            if Instant::now() >= until {
                return Heard::Nothing;
            }
        }
    }

    fn answer(&mut self, bytes: &[u8]) {
        let sealed = self.porter.answer(bytes);
        if !sealed.is_empty() {
            self.inner.answer(sealed);
        }
    }

    fn adopt(&mut self) {
        self.porter.adopt();
        self.inner.adopt();
    }

    fn send(&mut self, bytes: &[u8]) {
        let sealed = self.porter.send(bytes);
        if !sealed.is_empty() {
            self.inner.send(sealed);
        }
    }

    fn silence_is_death(&self) -> bool {
        self.inner.silence_is_death()
    }

    fn counts(&self) -> Vec<(&'static str, u64)> {
        self.porter.seals().counts()
    }
}
