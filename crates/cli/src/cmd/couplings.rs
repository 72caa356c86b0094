//! `interfield couplings`: the catalogue of coupling methods, from the registry.

use clap::Args as ClapArgs;
use interfield_coupling::registry::{METHODS, MethodInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{choose, parameters, parameters_json};
use crate::output::{print, print_json};
use interfield::table::aligned;

/// List the couplings of substructures, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield couplings\n  interfield couplings pmc")]
pub(crate) struct Args {
    /// Explain only this coupling
    name: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let chosen = match choose("coupling", METHODS, |entry| entry.name, args.name.as_deref(), args.json) {
        Ok(chosen) => chosen,
        Err(exit) => return exit,
    };
    if args.json {
        print_json(&Value::Array(chosen.iter().map(|m| describe(m)).collect()));
    } else if args.name.is_some() {
        print(&explain(chosen[0]));
    } else {
        let yes = |x: bool| if x { "yes" } else { "no" }.to_owned();
        let row = |m: &&MethodInfo| vec![m.name.to_owned(), yes(m.parallel), m.scheme.to_owned(), m.title.to_owned()];
        let rows: Vec<Vec<String>> = chosen.iter().map(row).collect();
        print(&aligned(&["coupling", "<parallel", "<default scheme", "<"], &rows));
        print("\n`interfield couplings NAME` says what it is good for and where it fails.\n");
    }
    Exit::Done
}

fn describe(m: &MethodInfo) -> Value {
    json!({
        "name": m.name, "title": m.title, "reference": m.reference, "advice": m.advice, "parallel": m.parallel,
        "default_scheme": m.scheme, "schemes": m.schemes.words(),
        "parameters": parameters_json(m.parameters),
    })
}

fn explain(m: &MethodInfo) -> String {
    let mut out = format!("{}: {}\n  source: {}\n  {}\n", m.name, m.title, m.reference, m.advice);
    out += &format!("  substructures take {}; without one, {}\n", m.schemes.words(), m.scheme);
    out + &parameters(m.parameters)
}
