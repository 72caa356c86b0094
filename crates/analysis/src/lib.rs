//! What can be learned of a time-stepping scheme by stepping it: amplification matrices, spectra, observed order,
//! stability and its limits.
//!
//! Everything here knows [`StepMap`](interfield_kernel::StepMap) and nothing else, so that it holds for a single
//! scheme, a coupled one, or a loop with an emulated specimen alike.
//! **Must not be here:** the name of a scheme, a model, a formula of any method.

pub mod certificate;
pub mod order;
pub mod oscillator;
pub mod poles;
pub mod probe;
pub mod scan;
pub mod spectrum;
pub mod stability;
pub mod step_limit;
