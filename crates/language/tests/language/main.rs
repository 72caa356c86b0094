//! The model file: what is read, what is refused, and how it is said.
//! One program, because linking costs more than running.

mod format;
mod formulas;
mod front;
mod materials;
mod pushover;
mod records;
mod templates;
mod units;
