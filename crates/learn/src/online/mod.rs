//! Learning while a test runs: what a specimen shows, sample by sample, becomes parameters for elements of the same kind.
//!
//! ```text
//! (q, f) --filter or rls--> estimates with deviations --teacher: gate, rate limit, shadows--> parameters in use
//!                                                     --pupil: energy budget--> every numerical element by itself
//! ```
//!
//! Nothing allocates after the start, everything is deterministic, and all of it is state ([`interfield_kernel::Persist`]).
//! **Must not be here:** models, text, files, units other than SI.

pub mod filter;
pub mod hysteresis;
pub mod pupil;
pub mod recursive;
pub mod root;
pub mod teacher;

pub use filter::{Filter, Settings};
pub use hysteresis::{COUNT, Hysteresis, NAMES, Parameters, Shape};
pub use pupil::{Change, Pupil};
pub use recursive::{Recursive, Terms};
pub use teacher::{Learner, Limits, State, Teacher};
