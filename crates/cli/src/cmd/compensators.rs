//! `interfield compensators`: the catalogue of methods of compensation, from the registry.

use clap::Args as ClapArgs;
use interfield_lab::compensate::{METHODS, MethodInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{choose, parameters, parameters_json};
use crate::output::{print, print_json};
use interfield::table::aligned;

/// List the compensators of actuator delay, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield compensators\n  interfield compensators ats")]
pub(crate) struct Args {
    /// Explain only this compensator
    name: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let chosen = match choose("compensator", METHODS, |entry| entry.name, args.name.as_deref(), args.json) {
        Ok(chosen) => chosen,
        Err(exit) => return exit,
    };
    if args.json {
        print_json(&Value::Array(chosen.iter().map(|m| describe(m)).collect()));
    } else if args.name.is_some() {
        print(&explain(chosen[0]));
    } else {
        let adaptive = |m: &MethodInfo| if m.adaptive { "yes" } else { "no" }.to_owned();
        let row = |m: &&MethodInfo| vec![m.name.to_owned(), adaptive(m), m.title.to_owned()];
        let rows: Vec<Vec<String>> = chosen.iter().map(row).collect();
        print(&aligned(&["compensator", "<learns", "<"], &rows));
        print("\n`interfield compensators NAME` says what it is good for and where it fails.\n");
    }
    Exit::Done
}

fn describe(m: &MethodInfo) -> Value {
    json!({
        "name": m.name, "title": m.title, "reference": m.reference, "advice": m.advice, "adaptive": m.adaptive,
        "parameters": parameters_json(m.parameters),
    })
}

fn explain(m: &MethodInfo) -> String {
    format!("{}: {}\n  source: {}\n  {}\n{}", m.name, m.title, m.reference, m.advice, parameters(m.parameters))
}
