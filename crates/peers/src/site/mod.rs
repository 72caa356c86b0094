//! OpenFresco sites: a shadow in the finite-element program commands an actor in the laboratory.
//!
//! Over TCP both say a whole 1 first, to see whether they order bytes alike. Then messages of 256 numbers: `open` with tag
//! and version, answered likewise; `setup` with the length of all later messages, followed by two messages of five sizes
//! (displacements, velocities, accelerations, forces, time; commanded, then answered). Then trials, requests for readings,
//! commits, and an end that is answered.

mod actor;
mod shadow;

pub use actor::Actor;
pub use shadow::{NoSite, Settings, Shadow};

/// Numbers of a message before `setup`.
pub const BOOT: usize = 256;

/// Bytes of the message about the order of bytes, and what it says.
const PROBE: usize = 4;
const ONE: [i32; 1] = [1];

/// Bytes of a message of five sizes.
const FIVE: usize = 20;

/// Version that a shadow says; an actor repeats what it is told, because both must say the same.
pub const VERSION: f64 = 2.8;

/// First number of the answer to `open`, and to the end.
const OPENED: f64 = 0.0;
const CLOSED: f64 = 4.0;
