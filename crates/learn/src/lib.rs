//! What measurements tell of a law: identification with exact sensitivities, confidence, and what data cannot tell.
//!
//! Samples of deformation and force become parameters by variable projection ([`problem`]) and a bounded search from several starts
//! ([`search`]); [`confidence`] says how well data tell them, [`quality`] how well they agree, [`record`] what is wrong with data, and
//! [`identify()`] does all of it.
//!
//! ```
//! use interfield_learn::{Extras, Family, Options, Preparation, Record, identify, prepare};
//!
//! let t: Vec<f64> = (0..400).map(|k| k as f64 * 0.01).collect();
//! let q: Vec<f64> = t.iter().map(|t| 0.02 * (6.0 * t).sin()).collect();
//! let p = q.iter().map(|q| 2e6 * q - 1e8 * q.powi(3)).collect();
//! let prepared = prepare(&Record { t, q, v: None, p }, Preparation::default()).unwrap();
//! let found = identify(Family::Cubic, &prepared, &Options::default(), Extras::default()).unwrap();
//! assert!((found.linear[0] - 2e6).abs() < 1.0 && (found.linear[1] + 1e8).abs() < 1e3);
//! ```
//! **Must not be here:** files, terminals, models, units other than SI.

pub mod actuator;
pub mod catalogue;
pub mod confidence;
pub mod friction;
pub mod general;
pub mod identify;
pub mod jet;
pub mod law;
pub mod online;
pub mod problem;
pub mod quality;
pub mod record;
pub mod response;
pub mod search;

pub use confidence::{Confidence, Estimate};
pub use identify::{Extras, Identified, Levels, identify};
pub use law::Family;
pub use problem::{Options, Samples};
pub use quality::Grade;
pub use record::{Preparation, Prepared, Record, prepare};
