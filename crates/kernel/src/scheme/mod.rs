//! Integration schemes.
