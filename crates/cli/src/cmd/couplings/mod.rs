//! `interfield couplings`: the catalogue of coupling methods, from the registry; or all of them on a model.

mod compared;

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield::files::has_extension;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo, find};
use serde_json::{Value, json};

use crate::Exit;
use crate::catalogue::{Catalogue, Wanted, parameters, parameters_json};
use crate::load::{ModelArgs, pair};
use crate::output::fail;

/// List the coupling methods for substructures, or explain one; or compare them all on a model
///
/// With a model file, its divided structure is run with every coupling that can take it, all of it computed: specimens by
/// their laws, without laboratory. A table and a picture show the error of each against a reference with far smaller
/// steps, beside the error that `interfield check` expects, and its cost.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield couplings\n  interfield couplings pmc\n  \
interfield couplings models/isolated-building.toml --until \"5 s\"\n  \
interfield couplings models/three-dof.toml --only pmc,psl,gc --substeps 5 -o three-dof.png")]
pub(crate) struct Args {
    /// Coupling to explain, or model file to compare all couplings on
    #[arg(value_name = "NAME or MODEL")]
    what: Option<String>,
    /// Replace a parameter of the model, e.g. --set k=4000
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair, requires = "what")]
    set: Vec<(String, String)>,
    /// Time step of the model, e.g. "1 ms"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "what")]
    dt: Option<String>,
    /// Steps of the fine side in one step of the analysis
    #[arg(long, value_name = "N", requires = "what", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    substeps: Option<u32>,
    /// Duration of the analysis, e.g. "5 s"
    #[arg(long, value_name = "TIME", allow_hyphen_values = true, requires = "what")]
    until: Option<String>,
    /// Only these couplings, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "what")]
    only: Vec<String>,
    /// Picture of the comparison, FILE.svg or FILE.png [default: interfield-out/MODEL-couplings.svg]
    #[arg(short, long, value_name = "FILE", requires = "what")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    fn settings(&self) -> ModelArgs {
        ModelArgs {
            set: self.set.clone(),
            dt: self.dt.clone(),
            until: self.until.clone(),
            substeps: self.substeps,
            ..ModelArgs::default()
        }
    }

    /// An option that needs a model.
    fn about_a_model(&self) -> Option<&'static str> {
        let given = [
            (!self.set.is_empty(), "--set"),
            (self.dt.is_some(), "--dt"),
            (self.until.is_some(), "--until"),
            (self.substeps.is_some(), "--substeps"),
            (!self.only.is_empty(), "--only"),
            (self.output.is_some(), "--output"),
        ];
        given.into_iter().find(|g| g.0).map(|g| g.1)
    }
}

pub(crate) fn run(args: &Args) -> Exit {
    let is_model = |what: &&String| {
        find(what).is_none()
            && (has_extension(Path::new(what), "toml") || Path::new(what).exists() || what.contains('/'))
    };
    if let Some(model) = args.what.as_ref().filter(is_model) {
        return compared::run(Path::new(model), args);
    }
    if let Some(option) = args.about_a_model() {
        let help = "give a model file: interfield couplings MODEL.toml";
        fail(args.json, None, None, &format!("{option} is for a model"), help);
        return Exit::BadInput;
    }
    let catalogue = Catalogue {
        kind: "coupling",
        entries: COUPLINGS,
        name: |entry| entry.name,
        json: describe,
        explain,
        header: &["coupling", "<parallel", "<default scheme", "<"],
        row,
        note: "`interfield couplings NAME` shows its use and its limits, `interfield couplings MODEL` compares all on a model.",
    };
    catalogue.tell(&Wanted { name: args.what.clone(), json: args.json })
}

fn row(m: &CouplingInfo) -> Vec<String> {
    [m.name, if m.parallel { "yes" } else { "no" }, m.scheme, m.title].map(str::to_owned).to_vec()
}

fn describe(m: &CouplingInfo) -> Value {
    json!({
        "name": m.name, "title": m.title, "reference": m.reference, "advice": m.advice, "parallel": m.parallel, "ranks": m.ranks,
        "default_scheme": m.scheme, "schemes": m.schemes.words(),
        "parameters": parameters_json(m.parameters),
    })
}

fn explain(m: &CouplingInfo) -> String {
    let mut out = format!("{}: {}\n  source: {}\n  {}\n", m.name, m.title, m.reference, m.advice);
    out += &format!("  substructures take {}; without one, {}\n", m.schemes.words(), m.scheme);
    out + &parameters(m.parameters)
}
