//! The wire between a test and the controller of its specimen: one message format, two ways to carry it.
//!
//! ```text
//! lab::Controller --Hardware--> Remote --Link--> UDP, shared memory --Dock--> host --Hardware--> Emulated
//!                               call::Call       codec                      station::Station     or a C program
//! ```
//!
//! What a side does with a message is decided in [`call`] and [`station`] without input or output, so that loss, reordering
//! and hostile bytes are tested without a network. Nothing here allocates after the greeting, and no bytes from outside can
//! make it panic, grow, or move a specimen twice. Where a wire leaves the machine, [`sealed`] stands between the sides and the
//! transport.
//!
//! **Must not be here:** model files, compensation, limits, terminals; any other crate of ours but the laboratory's seam.

pub mod call;
pub mod codec;
pub mod host;
pub mod layout;
pub mod remote;
pub mod sealed;
#[cfg(unix)]
pub mod shared;
pub mod station;
pub mod statistics;
pub mod udp;
pub mod window;

use std::time::Instant;

/// What a transport has for whoever waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heard {
    /// So many bytes.
    Bytes(usize),
    /// Nothing until the end of the wait.
    Nothing,
    /// The other side does not exist any more.
    Dead,
    /// Somebody is there, with another key; anybody can say so.
    OtherKey,
}

/// Writes the next heartbeat, which is never twice the same under seal.
pub type Heartbeat = Box<dyn FnMut(&mut Vec<u8>) + Send>;

/// The end of the one who commands.
pub trait Link: Send {
    /// Sends a message. One that is lost is sent again by the protocol, so a failure is not told.
    fn send(&mut self, bytes: &[u8]);

    /// Waits for a message, at most until then.
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard;

    /// From now on shows life by these messages, where the transport does not show it by itself.
    ///
    /// # Errors
    /// When the system gives no thread.
    fn keep_alive(&mut self, _heartbeat: Heartbeat) -> std::io::Result<()> {
        Ok(())
    }

    /// What it counted of its own, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// The end of the controller.
pub trait Dock: Send {
    /// Waits for a message, at most until then. `Dead` if the client with the session is.
    fn receive(&mut self, buffer: &mut [u8], until: Instant) -> Heard;

    /// Answers whoever sent the message received last.
    fn answer(&mut self, bytes: &[u8]);

    /// Whoever sent the message received last has the session.
    fn adopt(&mut self);

    /// Sends to whoever has the session.
    fn send(&mut self, bytes: &[u8]);

    /// Whether a client that was not heard for a while must be taken for dead.
    fn silence_is_death(&self) -> bool;

    /// What it counted of its own, by name.
    fn counts(&self) -> Vec<(&'static str, u64)> {
        Vec::new()
    }
}

/// `interfield_wire.h`: the messages for programs in C.
pub const C_HEADER: &str = include_str!("../c/interfield_wire.h");

/// Nanoseconds since some beginning, for time stamps.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Begins now.
    pub fn start() -> Self {
        Stopwatch(Instant::now())
    }

    /// Since the beginning, ns.
    pub fn ns(&self) -> u64 {
        self.0.elapsed().as_nanos() as u64
    }
}
