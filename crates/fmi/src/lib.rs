//! Functional mock-up units (FMI 2.0 and 3.0, co-simulation) as partners of a model.
//!
//! **Must not be here:** model files; anything of ours but the seam of `lab`.
