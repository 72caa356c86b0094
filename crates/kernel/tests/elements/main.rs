//! Batteries over the registry of laws, and closed-form checks of each element.

mod beams;
mod blocks;
mod laws;
mod registry;
mod samples;
mod tools;
