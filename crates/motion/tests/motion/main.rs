//! Ground motions: readers, processing, spectra, generation, hostile files.
//! One program, because linking costs more than running.

mod fuzz;
mod generator;
mod malformed;
mod processing;
mod readers;
mod spectra;
