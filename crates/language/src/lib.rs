//! The model file: text is read, checked and resolved into a [`Model`] in SI units, or refused with all its mistakes at once.
//!
//! ```text
//! text --document--> tables with their lines --parse--> Model
//! ```
//!
//! **Must not be here:** file access, terminals, matrices of a structure, time.

pub mod diag;
pub mod document;
pub mod external;
pub mod format;
pub mod formula;
pub mod include;
pub mod integral;
pub mod jet;
pub mod key;
pub mod matrix_market;
mod memo;
pub mod model;
pub mod parse;
pub mod partition;
mod print;
pub mod problem;
pub mod protocol;
pub mod quantity;
pub mod reader;
pub mod reduction;
pub mod schema;
pub mod signal;
pub mod specimen;
mod syntax;
pub mod units;
pub mod update;

pub use model::Model;
pub use parse::elements::law_dimension;
pub use problem::{Problem, Subject};
