//! Pages to look at: plots, structures and tables from a plain description, as one HTML file that works offline.
//!
//! **Must not be here:** models, schemes, files, stepping; no other crate of the workspace is known here.

pub mod structure;
pub mod text;
