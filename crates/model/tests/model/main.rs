//! The model file: what is read, what is refused, and how it is said.
//! One program, because linking costs more than running.

mod advice;
mod balance;
mod externals;
mod format;
mod formulas;
mod front;
mod fuzz;
mod partition;
mod records;
mod specimens;
mod templates;
mod units;
mod watch;
