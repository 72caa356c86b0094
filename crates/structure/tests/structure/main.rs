//! Structures: how they are assembled, cut, mounted and watched.
//! One program, because linking costs more than running.

mod advice;
mod balance;
mod externals;
mod fuzz;
mod harmonic;
mod inner;
mod partition;
mod reduction;
mod rigs;
mod sensors;
mod specimens;
mod superelements;
mod updating;
mod walk;
mod watch;
