//! `interfield expand`: a model with its short blocks written out.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{print, print_json};

/// Print a model with includes, parts, sections and templates written out
///
/// The output is a complete model that gives the same results. It shows what the short blocks stand for.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield expand models/frame.toml > long.toml")]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// Replace a parameter of the model, e.g. --set bays=4
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Print the text, or all errors, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(l) => l,
        Err(e) => return e,
    };
    match loaded.expanded(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() }) {
        Ok(text) if args.json => print_json(&json!({ "model": text })),
        Ok(text) => print(&text),
        Err(e) => return e,
    }
    Exit::Done
}
