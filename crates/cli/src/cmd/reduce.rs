//! `interfield reduce`: the reduced parts of a model as superelement files.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield::plan::{reduced_json, reduced_text};
use interfield::replaced;
use interfield_language::model::Model;
use interfield_language::reduction::{Stored, Superelement};
use serde_json::json;

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{fail, print, print_json};

/// Reduce the parts of a model that its [[reduce]] name, and write each as a superelement file
///
/// Another model takes such a file with [[superelement]]. What the model records inside, and all of the inside of smaller parts, can be
/// recorded there too. To keep a superelement beside its own model, write `file` in its [[reduce]] instead.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield reduce frame.toml                    frame-tower.superelement, what is lost\n  \
    interfield reduce frame.toml -o tower.superelement"
)]
pub(crate) struct Args {
    /// Model file
    model: PathBuf,
    /// File to write, if one part is reduced, or a folder [default: MODEL-PART.superelement beside the model]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Replace a parameter of the model, e.g. --set bays=4
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = pair)]
    set: Vec<(String, String)>,
    /// Print what was written and what is lost, or all errors, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let loaded = match Loaded::open(&args.model, args.json) {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    let structure = match loaded.structure(&ModelArgs { set: args.set.clone(), ..ModelArgs::default() }) {
        Ok(structure) => structure,
        Err(exit) => return exit,
    };
    let model = &structure.model;
    if model.superelements.is_empty() {
        return refuse(
            args,
            Exit::BadInput,
            "the model has no [[reduce]]",
            "write [[reduce]] with a name and a frequency",
        );
    }
    let mut files = Vec::new();
    for told in &model.superelements {
        let path = match place(args, model, told) {
            Ok(path) => path,
            Err(message) => return refuse(args, Exit::BadInput, &message, "give a folder with -o, or omit it"),
        };
        if let Err(e) = replaced(&path, Stored::of(model, told).text().as_bytes()) {
            return refuse(args, Exit::Failure, &format!("`{}`: {e}", path.display()), "give another file with -o");
        }
        files.push(path.display().to_string());
    }
    if args.json {
        print_json(&json!({ "files": files, "reduced": reduced_json(model), "warnings": loaded.messages() }));
    } else {
        let written: String = files.iter().map(|f| format!("  written: {f}\n")).collect();
        print(&format!("{}{written}", reduced_text(model).trim_start()));
    }
    Exit::Done
}

fn refuse(args: &Args, exit: Exit, message: &str, help: &str) -> Exit {
    fail(args.json, Some(&args.model.display().to_string()), None, message, help);
    exit
}

/// Where a superelement is written.
fn place(args: &Args, model: &Model, told: &Superelement) -> Result<PathBuf, String> {
    let stem = args.model.file_stem().map_or_else(|| "model".to_owned(), |s| s.to_string_lossy().into_owned());
    let own = format!("{stem}-{}.superelement", told.name);
    match &args.output {
        None => Ok(args.model.parent().unwrap_or(Path::new("")).join(own)),
        Some(folder) if folder.is_dir() => Ok(folder.join(own)),
        Some(file) if model.superelements.len() == 1 => Ok(file.clone()),
        Some(file) => {
            let parts = model.superelements.len();
            Err(format!("`{}` is one file, and the model has {parts} reduced parts", file.display()))
        }
    }
}
