//! `interfield export c`: a model and its scheme as C99.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::quantities::UNITS;
use interfield_codegen::{Export, GENERATOR, Operations};
use serde_json::json;

use super::summary;
use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::files;

/// Write a model and its scheme as self-contained C99
///
/// The folder contains NAME.c and NAME.h, a main.c that runs the whole analysis and prints all channels as CSV, a
/// Makefile and a README; for a model with a specimen also a harness.c that drives `interfield lab` in real time.
/// The code allocates no memory. Inputs are loads and measured forces; outputs are commands and channels. NAME is the
/// name of the model file.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield export c models/frame.toml --out frame-c\n  \
interfield export c tower.toml --out tower-c --scheme newmark --dt \"1 ms\"")]
pub(super) struct Args {
    /// Model file (TOML)
    model: PathBuf,
    /// Folder to write; created if it does not exist
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
    /// Print what was written, or the errors, as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    settings: ModelArgs,
}

pub(super) fn run(args: &Args) -> Exit {
    let made = Loaded::open(&args.model, args.json).and_then(|loaded| {
        let stem = args.model.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
        loaded.export(&args.settings, &stem)
    });
    let mut export = match made {
        Ok(export) => export,
        Err(exit) => return exit,
    };
    if export.files.iter().any(|f| f.0 == "harness.c") {
        export.files.push(("interfield_wire.h".to_owned(), interfield_wire::C_HEADER.to_owned()));
    }
    for (name, text) in &export.files {
        if let Err(message) = files::write(&args.out.join(name), text) {
            fail(args.json, None, None, &message, "give another folder with --out");
            return Exit::Failure;
        }
    }
    tell(&export, args);
    Exit::Done
}

fn tell(export: &Export, args: &Args) {
    let (i, out) = (&export.interface, args.out.display());
    let files: Vec<&str> = export.files.iter().map(|f| f.0.as_str()).collect();
    if args.json {
        let names = |list: &[interfield_codegen::Variable]| {
            list.iter().map(|v| json!({ "name": v.name, "unit": v.unit() })).collect::<Vec<_>>()
        };
        let parameter =
            |v: &interfield_codegen::Variable| json!({ "name": v.name, "unit": v.unit(), "value": v.value });
        let parameters = i.parameters.iter().map(parameter).collect::<Vec<_>>();
        print_json(&json!({
            "folder": out.to_string(), "name": i.name, "files": files, "dt": i.dt, "steps": i.steps,
            UNITS: { "dt": "s" }, "generator": GENERATOR, "model_sha256": i.origin.sha256,
            "inputs": names(&i.inputs), "outputs": names(&i.outputs), "commands": names(&i.commands),
            "parameters": parameters,
            "operations": { "flops": i.per_step.flops, "divisions": i.per_step.divisions, "calls": i.per_step.calls },
        }));
        return;
    }
    let Operations { flops, divisions, calls } = i.per_step;
    print(&format!(
        "{out}: {}\n  {}\n  one step needs at most {flops} additions and multiplications, {divisions} divisions, \
            {calls} calls of math.h\n  make -C {out} run\n",
        files.join(", "),
        summary(i),
    ));
}
