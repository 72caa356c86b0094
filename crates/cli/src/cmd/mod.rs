//! The subcommands.

pub(crate) mod compare;
pub(crate) mod elements;
pub(crate) mod export;
pub(crate) mod modes;
pub(crate) mod motion;
pub(crate) mod order;
pub(crate) mod plot;
pub(crate) mod report;
pub(crate) mod run;
pub(crate) mod schemes;
pub(crate) mod show;
pub(crate) mod spectrum;
