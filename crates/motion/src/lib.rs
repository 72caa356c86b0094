//! Ground-motion records: reading them from text, processing them, their spectra, the spectra of the codes and motions
//! generated to fit one.
//!
//! A [`Record`] is a uniformly sampled acceleration, velocity or displacement in SI units, together with what its
//! header said and with what the reader assumed or repaired. Between samples a record is a straight line: integration,
//! intensity measures and response spectra are all exact for that interpolant.
//!
//! **Must not be here:** files (everything takes `&str` or bytes; a caller reads at most [`MAX_BYTES`]), plotting,
//! structures and their models, the terminal. The crate depends on no other crate of the workspace.

pub mod filter;
pub mod fourier;
pub mod generate;
mod long;
pub mod measure;
pub mod pairs;
pub mod process;
pub mod random;
pub mod read;
mod record;
mod resample;
pub mod spectrum;
pub mod target;
pub mod unit;

pub use filter::Phase;
pub use fourier::FourierSpectrum;
pub use generate::{Compatibility, Envelope, GenerateOptions, compatibility, generate};
pub use long::{LongSignal, hann};
pub use process::Fit;
pub use read::{ReadError, ReadOptions, read, read_bytes};
pub use record::{Format, MotionError, Quantity, Record};
pub use spectrum::{ResponseSpectrum, log_periods};
pub use target::{Asce7, Ec8, GroundType, SpectrumType};

/// Standard gravity in m/s² (exact by definition, ISO 80000-3): what a value "in g" is multiplied by.
pub const STANDARD_GRAVITY: f64 = 9.80665;

/// The most bytes a record's text may have: 128 MiB, some hundred times the longest strong-motion file in use.
///
/// A caller that opens a file should read no more than one byte beyond this (`file.take(MAX_BYTES as u64 + 1)`).
pub const MAX_BYTES: usize = 128 << 20;

/// The most samples a record may have, read or computed: ten million, fourteen hours at 200 samples a second.
pub const MAX_SAMPLES: usize = 10_000_000;
