//! `interfield.h`: the library for programs in C, MATLAB (`loadlibrary`), LabVIEW, Julia and Python (`ctypes`).
//!
//! Functions are declared once, in `abi.rs`; the header is printed from the same lines ([`header::text`]). The ABI is stable: functions
//! are added, never changed, and [`ABI`] counts. No panic leaves a function, no text is borrowed beyond the call, and every
//! failure is a number with a sentence in `interfield_last_error`.
//! **Must not be here:** what another front end would need, numerics.

mod abi;
mod handles;
pub mod header;
mod inputs;
mod session;

pub use abi::*;
pub use handles::Interfield;

/// Version of the ABI.
pub const ABI: i32 = 1;
