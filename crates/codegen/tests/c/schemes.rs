//! Every scheme.
