//! placeholder

pub mod frames;
