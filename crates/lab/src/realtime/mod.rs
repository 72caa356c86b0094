//! Time that passes outside: the periodic clock, the rights a thread needs to keep it, what crosses between threads, and
//! the record of all of it.
//!
//! **Must not be here:** what is done in a period (commands, limits, specimens), files, terminals.
//!
//! A controller thread claims its [`rights`], then repeats [`Clock::wait`], takes the newest target from its
//! [`mailbox`], does its work, answers, puts one row on the [`Tape`], shows
//! it on its [`Feed`] if somebody looks, and notes the [`Timing`]. None of these
//! allocates, locks or waits for anything but the clock.

mod clock;
mod histogram;
pub mod host;
mod live;
pub mod mailbox;
mod monotonic;
pub mod rights;
mod tape;

pub use clock::{Clock, FollowingClock, FreeClock, Schedule, Tick, VirtualClock, Waking, WallClock, WhenLate};
pub use histogram::{Bar, Histogram, Summary, Timing};
pub use live::{Feed, Tap, live};
pub use tape::{Ended, Health, Sink, Tape, TapeOptions};
