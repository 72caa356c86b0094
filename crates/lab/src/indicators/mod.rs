//! How well a specimen followed its target, and what the difference did to the energy of the test.
//!
//! **Must not be here:** verdicts and limits; who asks.
//!
//! [`tracking`] and [`energy`] run along with a test, sample by sample, with memory handed in; the others look back at complete histories.

pub mod delay;
pub mod energy;
pub mod error;
pub mod frequency;
pub mod tracking;

pub use delay::{delay_by_correlation, lag_by_correlation, lag_uphill};
pub use error::{nrmse, peak_error};
pub use frequency::{FrequencyEvaluation, frequency_evaluation};
