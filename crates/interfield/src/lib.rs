//! Hybrid simulation as a library: open a model, prepare it, run it, observe and command it, judge it.
//!
//! ```
//! # fn main() -> Result<(), interfield::Refused> {
//! use interfield::{Choices, ModelFile, Setup};
//!
//! let model = ModelFile::open("../../models/isolated-building.toml")?; // all problems at once, each with its line
//! let choices = Choices { until: Some("2 s".into()), ..Choices::default() };
//! let prepared = model.prepare(&choices, Setup::default())?; // assembled, checked, nothing has moved
//! let mut run = prepared.start()?; // specimens connected, schemes started
//! let operator = run.operator().clone(); // pause, resume, stop, note: from any thread
//! let outcome = run.to_end(&mut |step: &interfield::Moment<'_>| assert!(step.t <= 2.1));
//! println!("{}: {}", outcome.line(), outcome.verdict.line());
//! assert!(outcome.ranges[0].peak.abs() > 0.0 && operator.is_over());
//! # Ok(())
//! # }
//! ```
//!
//! The program, ensembles, the gallery and the book use nothing else; so do the console and Python. Nothing here reads
//! arguments, chooses words for a terminal or draws a page; what must be said at once, such as a recording that fails
//! in the middle of a test, goes to standard error.
//! **Must not be here:** arguments, exit codes, pages, numerics.

pub mod alternatives;
pub mod cache;
pub mod callables;
pub mod checkpoint;
mod choices;
pub mod compensations;
pub mod coupled;
pub mod files;
pub mod host;
pub mod identify;
pub mod laboratory;
mod model_file;
mod noise;
mod operator;
mod outcome;
pub mod outputs;
pub mod pack;
pub mod plan;
pub mod programs;
pub mod pushover;
pub mod quantities;
mod ranges;
pub mod ranks;
pub mod record;
pub mod reductions;
mod refused;
pub mod rehearsal;
mod rehearse;
mod run;
pub mod sha256;
pub mod space;
pub mod stability;
mod stepping;
pub mod studies;
pub mod table;
pub mod trace;
pub mod updating;

pub use callables::Callables;
pub use choices::Choices;
pub use model_file::{Advised, ModelFile, Variants, read_bytes, replaced};
pub use operator::Operator;
pub use outcome::{End, Outcome};
pub use ranges::{Range, Ranges};
pub use refused::{Cause, Message, Refused};
pub use rehearse::Rehearsed;
pub use run::{Moment, Observer, Prepared, Run, Setup};
pub use stepping::Stepping;
