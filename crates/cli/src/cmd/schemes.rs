//! `interfield schemes`: the catalogue of integration schemes, from the registry.

use clap::Args as ClapArgs;
use interfield_kernel::scheme::Scheme;
use interfield_kernel::scheme::registry::{Arguments, SCHEMES, SchemeInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{choose, parameters, parameters_json};
use crate::output::{print, print_json};
use interfield::table::aligned;

/// List the integration schemes, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield schemes\n  interfield schemes lsrt2")]
pub(crate) struct Args {
    /// Explain only this scheme
    name: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let chosen = match choose("scheme", SCHEMES, |entry| entry.name, args.name.as_deref(), args.json) {
        Ok(chosen) => chosen,
        Err(exit) => return exit,
    };
    if args.json {
        print_json(&Value::Array(chosen.iter().map(|s| describe(s)).collect()));
    } else if args.name.is_some() {
        print(&explain(chosen[0]));
    } else {
        let rows: Vec<Vec<String>> = chosen
            .iter()
            .map(|s| {
                let claims = (s.build)(Arguments(&[])).map(|s| s.claims()).ok();
                let order = claims.map_or_else(|| "-".to_owned(), |c| c.order.to_string());
                let evaluations = claims
                    .map_or_else(|| "-".to_owned(), |c| c.evaluations.map_or("iterates".to_owned(), |e| e.to_string()));
                vec![s.name.to_owned(), order, evaluations, s.title.to_owned()]
            })
            .collect();
        print(&aligned(&["scheme", "order", "forces/step", "<"], &rows));
        print("\n`interfield schemes NAME` shows parameters and references.\n");
    }
    Exit::Done
}

fn describe(s: &SchemeInfo) -> Value {
    let claims = (s.build)(Arguments(&[])).map(|s| s.claims()).ok();
    json!({
        "name": s.name,
        "title": s.title,
        "reference": s.reference,
        "order": claims.map(|c| c.order),
        "order_with_frozen_tangent": claims.map(|c| c.order_frozen),
        "force_evaluations_per_step": claims.and_then(|c| c.evaluations),
        "iterates": claims.is_some_and(|c| c.evaluations.is_none()),
        "parameters": parameters_json(s.parameters),
    })
}

fn explain(s: &SchemeInfo) -> String {
    let mut out = format!("{}: {}\n  source: {}\n", s.name, s.title, s.reference);
    if let Ok(scheme) = (s.build)(Arguments(&[])) {
        let c = scheme.claims();
        let evaluations =
            c.evaluations.map_or("iterates, so not for a specimen".to_owned(), |e| format!("{e} per step"));
        out += &format!(
            "  order: {} ({} with a frozen tangent)\n  force evaluations: {evaluations}\n",
            c.order, c.order_frozen
        );
    }
    out + &parameters(s.parameters)
}
