//! What the test batteries share: problems, golden data, references computed by other means, a counting allocator.
//!
//! Development only. **Must not be here:** anything that a shipped crate depends on, integration formulas under test.

pub mod alloc;
pub mod couplings;
pub mod dense;
pub mod fibre_frames;
pub mod frames;
pub mod golden;
pub mod localized;
pub mod networks;
pub mod numerics;
pub mod passivity;
pub mod problems;
pub mod run;
pub mod shared;
pub mod variants;
pub mod watch;
