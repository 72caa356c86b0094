//! `interfield schema`: the JSON Schema of model files, for editors.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::Exit;
use crate::output::{fail, print};
use crate::schema;
use interfield::files::write;

/// Print the JSON Schema of model files; editors use it to complete and explain keys
///
/// If the first line of a model is `#:schema interfield.schema.json`, editors based on Taplo (VS Code: "Even Better
/// TOML") use the schema file of that name in the same folder. `interfield new` writes both.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield schema\n  interfield schema -o interfield.schema.json")]
pub(crate) struct Args {
    /// Write it to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The schema is JSON in any case
    #[arg(long, hide = true)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let Some(path) = &args.output else {
        print(&schema::text());
        return Exit::Done;
    };
    match write(path, schema::text()) {
        Ok(()) => Exit::Done,
        Err(message) => {
            fail(args.json, Some(&path.display().to_string()), None, &message, "give another file with --output");
            Exit::Failure
        }
    }
}
