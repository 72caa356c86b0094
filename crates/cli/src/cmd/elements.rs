//! `interfield elements`: the catalogue of element types, from the registry.

use clap::Args as ClapArgs;
use interfield_kernel::element::catalogue::catalogue;
use interfield_kernel::element::info::{Coordinates, Info, Range, Unit};
use interfield_language::diag::did_you_mean;
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::table::aligned;

/// List the element types, or explain one
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield elements\n  interfield elements bouc-wen")]
pub(crate) struct Args {
    /// Explain only this element type
    name: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let chosen: Vec<&Info> = catalogue().filter(|i| args.name.as_ref().is_none_or(|n| n == i.name)).collect();
    if chosen.is_empty() {
        let name = args.name.as_deref().unwrap_or_default();
        let names: Vec<&str> = catalogue().map(|i| i.name).collect();
        let help =
            did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("types are {}", names.join(", ")));
        fail(args.json, None, None, &format!("there is no element type `{name}`"), &help);
        return Exit::BadInput;
    }
    if args.json {
        print_json(&Value::Array(chosen.iter().map(|i| describe(i)).collect()));
    } else if args.name.is_some() {
        print(&explain(chosen[0]));
    } else {
        let rows: Vec<Vec<String>> =
            chosen.iter().map(|i| vec![i.name.to_owned(), i.states.len().to_string(), i.title.to_owned()]).collect();
        print(&aligned(&["element", "states", "<"], &rows));
        print("\n`interfield elements NAME` shows equations, parameters and references.\n");
    }
    Exit::Done
}

/// A unit of the registry in words: F and q are the generalised force and displacement of the coordinate.
fn unit(u: Unit) -> String {
    let factors = [
        ("F", u.force, u.force_n),
        ("q", u.disp, u.disp_n),
        ("kg", u.mass, 0.0),
        ("m", u.length, 0.0),
        ("s", u.time, u.time_n),
    ];
    let words: Vec<String> = factors
        .into_iter()
        .filter(|(_, e, n)| *e != 0.0 || *n != 0.0)
        .map(|(name, e, n)| match (e, n) {
            (1.0, 0.0) => name.to_owned(),
            (e, 0.0) => format!("{name}^{e}"),
            (0.0, 1.0) => format!("{name}^n"),
            (0.0, n) => format!("{name}^({n}n)"),
            (e, n) => format!("{name}^({e}{}n)", if n < 0.0 { "-" } else { "+" }),
        })
        .collect();
    if words.is_empty() { "-".to_owned() } else { words.join(" ") }
}

fn range(r: Range) -> String {
    match r {
        Range::Any => "any number".to_owned(),
        Range::Positive => "greater than zero".to_owned(),
        Range::NonNegative => "zero or greater".to_owned(),
        Range::Between(a, b) => format!("from {a} to {b}"),
    }
}

fn connection(i: &Info) -> String {
    match i.coordinates {
        Coordinates::Difference => {
            "nodes = [\"a\", \"b\"] and dof = \"x\" (or along the line between them): q = u_b - u_a".to_owned()
        }
        Coordinates::Listed(list) => {
            let names: Vec<String> = list.iter().map(|c| format!("{} ({})", c.name, c.doc)).collect();
            format!("dofs = [...], in this order: {}", names.join(", "))
        }
        Coordinates::Own => "see its keys".to_owned(),
    }
}

fn describe(i: &Info) -> Value {
    json!({
        "name": i.name,
        "title": i.title,
        "equations": i.equations,
        "reference": i.reference,
        "connection": connection(i),
        "linear": i.linear,
        "symmetric": i.symmetric,
        "parameters": i.parameters.iter().map(|p| json!({
            "name": p.name, "unit": unit(p.unit), "range": range(p.range), "default": p.default, "doc": p.doc,
        })).collect::<Vec<_>>(),
        "options": i.options.iter().map(|(k, d)| json!({ "key": k, "doc": d })).collect::<Vec<_>>(),
        "states": i.states.iter().map(|s| json!({ "name": s.name, "unit": unit(s.unit) })).collect::<Vec<_>>(),
    })
}

fn explain(i: &Info) -> String {
    let mut out = format!("{}: {}\n  source: {}\n  connected by {}\n", i.name, i.title, i.reference, connection(i));
    for e in i.equations {
        out += &format!("    {e}\n");
    }
    if !i.parameters.is_empty() {
        out += "  parameters (F and q: force and displacement of the coordinate, N and m or N m and rad):\n";
    }
    let rows: Vec<Vec<String>> = i
        .parameters
        .iter()
        .map(|p| {
            let default = p.default.map_or("required".to_owned(), |d| d.to_string());
            vec![p.name.to_owned(), unit(p.unit), default, format!("{}; {}", p.doc, range(p.range))]
        })
        .collect();
    if !rows.is_empty() {
        out += &aligned(
            &["  key", "unit", "default", "<"],
            &rows
                .into_iter()
                .map(|mut r| {
                    r[0].insert_str(0, "  ");
                    r
                })
                .collect::<Vec<_>>(),
        );
    }
    for (key, doc) in i.options {
        out += &format!("    {key}: {doc}\n");
    }
    for s in i.states {
        out += &format!("  state {} [{}]\n", s.name, unit(s.unit));
    }
    out
}
