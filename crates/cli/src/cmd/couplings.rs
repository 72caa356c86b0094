//! `interfield couplings`: the catalogue of coupling methods, from the registry.

use clap::Args as ClapArgs;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{Catalogue, Wanted, parameters, parameters_json};

/// List the coupling methods for substructures, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield couplings\n  interfield couplings pmc")]
pub(crate) struct Args {
    #[command(flatten)]
    wanted: Wanted,
}

pub(crate) fn run(args: &Args) -> Exit {
    let catalogue = Catalogue {
        kind: "coupling",
        entries: COUPLINGS,
        name: |entry| entry.name,
        json: describe,
        explain,
        header: &["coupling", "<parallel", "<default scheme", "<"],
        row,
        note: "`interfield couplings NAME` shows its use and its limits.",
    };
    catalogue.tell(&args.wanted)
}

fn row(m: &CouplingInfo) -> Vec<String> {
    [m.name, if m.parallel { "yes" } else { "no" }, m.scheme, m.title].map(str::to_owned).to_vec()
}

fn describe(m: &CouplingInfo) -> Value {
    json!({
        "name": m.name, "title": m.title, "reference": m.reference, "advice": m.advice, "parallel": m.parallel,
        "default_scheme": m.scheme, "schemes": m.schemes.words(),
        "parameters": parameters_json(m.parameters),
    })
}

fn explain(m: &CouplingInfo) -> String {
    let mut out = format!("{}: {}\n  source: {}\n  {}\n", m.name, m.title, m.reference, m.advice);
    out += &format!("  substructures take {}; without one, {}\n", m.schemes.words(), m.scheme);
    out + &parameters(m.parameters)
}
