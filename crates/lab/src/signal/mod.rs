//! Signals, sample by sample: filters with a known phase delay, differences, delay lines, noise.
//!
//! **Must not be here:** what a signal is used for.

pub mod difference;
pub mod filter;
pub mod fit;
pub mod line;
pub mod noise;

pub use difference::Differences;
pub use filter::Filter;
pub use noise::Noise;
