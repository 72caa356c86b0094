//! `interfield compensators`: the catalogue of methods of compensation, from the registry.

use clap::Args as ClapArgs;
use interfield_lab::compensate::{COMPENSATIONS, CompensationInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{Catalogue, Wanted, parameters, parameters_json};

/// List the compensators of actuator delay, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield compensators\n  interfield compensators ats")]
pub(crate) struct Args {
    #[command(flatten)]
    wanted: Wanted,
}

pub(crate) fn run(args: &Args) -> Exit {
    let catalogue = Catalogue {
        kind: "compensator",
        entries: COMPENSATIONS,
        name: |entry| entry.name,
        json: describe,
        explain,
        header: &["compensator", "<learns", "<"],
        row,
        note: "`interfield compensators NAME` shows its use and its limits.",
    };
    catalogue.tell(&args.wanted)
}

fn row(m: &CompensationInfo) -> Vec<String> {
    [m.name, if m.adaptive { "yes" } else { "no" }, m.title].map(str::to_owned).to_vec()
}

fn describe(m: &CompensationInfo) -> Value {
    json!({
        "name": m.name, "title": m.title, "reference": m.reference, "advice": m.advice, "adaptive": m.adaptive,
        "parameters": parameters_json(m.parameters),
    })
}

fn explain(m: &CompensationInfo) -> String {
    format!("{}: {}\n  source: {}\n  {}\n{}", m.name, m.title, m.reference, m.advice, parameters(m.parameters))
}
