//! `interfield export simulink` and `twincat`: a model and its scheme for the tools of others, as a folder of sources.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::quantities::UNITS;
use interfield_codegen::{Export, GENERATOR};
use serde_json::json;

use super::summary;
use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{fail, print, print_json};
use interfield::files;

/// Write a model and its scheme as an S-function of Simulink
///
/// The folder contains the model as C, the S-function, a MATLAB script that builds it and a README with the steps. Not
/// tested in MATLAB: the tests compile it against stub headers and run it with a driver instead of Simulink.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield export simulink models/frame.toml --out frame-simulink")]
pub(super) struct Simulink {
    #[command(flatten)]
    folder: Folder,
}

/// Write a model and its scheme as a C++ module for TwinCAT, with its interface in structured text
///
/// The folder contains the model as C, the module, a function block and data types in structured text, and a README
/// with the steps. Not tested in TwinCAT: the tests compile it against stub headers and run it with a driver instead
/// of the PLC.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield export twincat models/frame.toml --out frame-twincat")]
pub(super) struct Twincat {
    #[command(flatten)]
    folder: Folder,
}

#[derive(ClapArgs)]
struct Folder {
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

impl Simulink {
    pub(super) fn run(&self) -> Exit {
        self.folder.write(interfield_codegen::wrap::simulink::files)
    }
}

impl Twincat {
    pub(super) fn run(&self) -> Exit {
        self.folder.write(interfield_codegen::wrap::twincat::files)
    }
}

impl Folder {
    fn write(&self, wrap: fn(&Export) -> Vec<(String, String)>) -> Exit {
        let made = Loaded::open(&self.model, self.json).and_then(|loaded| {
            let stem = self.model.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
            loaded.export(&self.settings, &stem)
        });
        let export = match made {
            Ok(export) => export,
            Err(exit) => return exit,
        };
        let wrapped = wrap(&export);
        for (name, text) in &wrapped {
            if let Err(message) = files::write(&self.out.join(name), text) {
                fail(self.json, None, None, &message, "give another folder with --out");
                return Exit::Failure;
            }
        }
        let (i, out) = (&export.interface, self.out.display());
        let names: Vec<&str> = wrapped.iter().map(|f| f.0.as_str()).collect();
        if self.json {
            let folder = out.to_string();
            print_json(&json!({
                "folder": folder, "name": i.name, "files": names, "dt": i.dt, "steps": i.steps, UNITS: { "dt": "s" },
                "generator": GENERATOR, "model_sha256": i.origin.sha256,
            }));
        } else {
            print(&format!(
                "{out}: {}\n  {}\n  {out}/README.md describes the next steps.\n",
                names.join(", "),
                summary(i),
            ));
        }
        Exit::Done
    }
}
