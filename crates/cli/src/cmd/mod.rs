//! The subcommands.

pub(crate) mod elements;
pub(crate) mod modes;
pub(crate) mod order;
pub(crate) mod run;
pub(crate) mod schemes;
pub(crate) mod spectrum;
