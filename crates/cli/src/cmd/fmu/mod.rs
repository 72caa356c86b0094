//! `interfield fmu`: what is in a functional mock-up unit, and what it does alone.

mod simulate;

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_fmi::{Causality, Description, PLATFORM, Unit, Variable};
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::quantities::UNITS;
use interfield::table::{aligned, time};

/// Show the contents of a functional mock-up unit (FMU), or run it
///
/// Without --run, no code of the FMU is executed. An external with program = "fmu" refers to the variables shown here.
/// With --run, the FMU runs alone, with its inputs at their start values.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield fmu damper.fmu\n  interfield fmu damper.fmu --all --json\n  \
interfield fmu damper.fmu --run --until 2 --step 0.01 --set k=3 -o damper.csv")]
pub(crate) struct Args {
    /// FMU file (.fmu)
    file: PathBuf,
    /// Show local variables as well
    #[arg(long)]
    all: bool,
    /// Run it alone
    #[arg(long)]
    run: bool,
    /// With --run: end time, s [default: as the FMU proposes]
    #[arg(long, value_name = "TIME", requires = "run")]
    until: Option<f64>,
    /// With --run: communication step, s [default: as the FMU proposes]
    #[arg(long, value_name = "TIME", requires = "run")]
    step: Option<f64>,
    /// With --run: value of a parameter, in the unit declared by the FMU; may be repeated
    #[arg(long, value_name = "NAME=VALUE", requires = "run")]
    set: Vec<String>,
    /// With --run: file for the outputs, FILE.csv
    #[arg(short, long, value_name = "FILE", requires = "run")]
    output: Option<PathBuf>,
    /// Print the result, or the errors, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let name = args.file.display().to_string();
    let unit = match Unit::open(&args.file) {
        Ok(unit) => unit,
        Err(e) => {
            fail(args.json, Some(&name), None, &e.message, &e.help);
            return if args.file.is_file() { Exit::BadInput } else { Exit::Failure };
        }
    };
    if args.run {
        return simulate::run(args, &name, &unit);
    }
    let shown = |v: &&Variable| args.all || !matches!(v.causality, Causality::Local | Causality::Independent);
    let variables: Vec<&Variable> = unit.description().variables.iter().filter(shown).collect();
    if args.json {
        print_json(&document(&name, &unit, &variables));
    } else {
        print(&text(&name, &unit, &variables));
    }
    Exit::Done
}

fn text(name: &str, unit: &Unit, variables: &[&Variable]) -> String {
    let d = unit.description();
    let mut out = format!("{name}: {} ({})\n", d.model, d.version.name());
    for line in [&d.about, &d.tool].into_iter().filter(|l| !l.is_empty()) {
        out += &format!("  {line}\n");
    }
    let machines = match unit.platforms() {
        [] => "no binary".to_owned(),
        list => format!("binaries for {}", list.join(", ")),
    };
    let here = if unit.runs_here() { "it can run here" } else { "it cannot run here" };
    let sources = if unit.has_sources() { ", with sources" } else { "" };
    out += &format!("  {machines}{sources}; this machine is {PLATFORM}: {here}\n");
    out += &format!("  {}\n", steps(d));
    if d.needs_tool {
        out += "  it needs the program that exported it and cannot be used alone\n";
    }
    let rows: Vec<Vec<String>> = variables
        .iter()
        .map(|v| {
            let unit = v.unit.clone().unwrap_or_else(|| "-".to_owned());
            let start = v.start.clone().unwrap_or_else(|| "-".to_owned());
            let kind = format!("{}{}", v.kind.name(), if v.array { " array" } else { "" });
            vec![v.name.clone(), v.causality.name().to_owned(), kind, unit, start, v.about.clone()]
        })
        .collect();
    out += "\n";
    out += &aligned(&["variable", "<causality", "<type", "<unit", "start", "<"], &rows);
    let hidden = d.variables.len() - variables.len();
    if hidden > 0 {
        out += &format!("\n{hidden} more (local variables and the time); --all shows them.\n");
    }
    out
}

fn steps(d: &Description) -> String {
    let mut out = if d.variable_steps { "variable steps allowed" } else { "equal steps only" }.to_owned();
    if let Some(h) = d.internal_step {
        out += &format!(" and multiples of {}", time(h));
    }
    if let Some(h) = d.experiment.step {
        out += &format!("; proposed step {}", time(h));
    }
    out += if d.states { "; its state can be saved" } else { "; its state cannot be saved" };
    out
}

fn document(name: &str, unit: &Unit, variables: &[&Variable]) -> Value {
    let d = unit.description();
    let variable = |v: &&Variable| {
        json!({
            "name": v.name, "reference": v.reference, "causality": v.causality.name(), "variability": v.variability,
            "type": v.kind.name(), "array": v.array, "unit": v.unit, "start": v.start, "description": v.about,
        })
    };
    json!({
        "file": name, "version": d.version.name(), "model": d.model, "description": d.about, "tool": d.tool,
        "platforms": unit.platforms(), "sources": unit.has_sources(), "runs_here": unit.runs_here(),
        "needs_tool": d.needs_tool, "variable_steps": d.variable_steps, "internal_step": d.internal_step,
        "saves_state": d.states,
        "experiment": { "start": d.experiment.start, "stop": d.experiment.stop, "step": d.experiment.step },
        UNITS: { "internal_step": "s", "start": "s", "stop": "s", "step": "s" },
        "variables": variables.iter().map(variable).collect::<Vec<_>>(),
    })
}
