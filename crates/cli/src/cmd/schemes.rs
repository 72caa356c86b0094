//! `interfield schemes`: the catalogue of integration schemes, from the registry.

use clap::Args as ClapArgs;
use interfield_kernel::scheme::Scheme;
use interfield_kernel::scheme::registry::{AnyScheme, Arguments, SCHEMES, SchemeInfo};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{Catalogue, Wanted, parameters, parameters_json};

/// List the integration schemes, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield schemes\n  interfield schemes lsrt2")]
pub(crate) struct Args {
    #[command(flatten)]
    wanted: Wanted,
}

pub(crate) fn run(args: &Args) -> Exit {
    let catalogue = Catalogue {
        kind: "scheme",
        entries: SCHEMES,
        name: |entry| entry.name,
        json: describe,
        explain,
        header: &["scheme", "order", "forces/step", "<"],
        row,
        note: "`interfield schemes NAME` shows parameters and references.",
    };
    catalogue.tell(&args.wanted)
}

fn row(s: &SchemeInfo) -> Vec<String> {
    let scheme = (s.build)(Arguments(&[])).ok();
    let of = |f: fn(AnyScheme) -> String| scheme.map_or_else(|| "-".to_owned(), f);
    let order = of(|s| s.claims().order.to_string());
    let evaluations = of(|s| s.evaluations().map_or("iterates".to_owned(), |e| e.to_string()));
    vec![s.name.to_owned(), order, evaluations, s.title.to_owned()]
}

fn describe(s: &SchemeInfo) -> Value {
    let scheme = (s.build)(Arguments(&[])).ok();
    let claims = scheme.map(|s| s.claims());
    json!({
        "name": s.name,
        "title": s.title,
        "reference": s.reference,
        "order": claims.map(|c| c.order),
        "order_with_frozen_tangent": claims.map(|c| c.order_frozen),
        "force_evaluations_per_step": scheme.and_then(|s| s.evaluations()),
        "iterates": scheme.is_some_and(|s| s.evaluations().is_none()),
        "parameters": parameters_json(s.parameters),
    })
}

fn explain(s: &SchemeInfo) -> String {
    let mut out = format!("{}: {}\n  source: {}\n", s.name, s.title, s.reference);
    if let Ok(scheme) = (s.build)(Arguments(&[])) {
        let c = scheme.claims();
        let evaluations = scheme.evaluations().map_or("iterates: not suitable for a specimen".to_owned(), |e| {
            format!(
                "{e} per \
                step"
            )
        });
        out += &format!(
            "  order: {} ({} with a frozen tangent)\n  force evaluations: {evaluations}\n",
            c.order, c.order_frozen
        );
    }
    out + &parameters(s.parameters)
}
