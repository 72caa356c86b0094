//! `interfield schema`: the JSON Schema of model files, for editors.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use crate::Exit;
use crate::output::{fail, print};
use crate::schema;
use interfield::files::write;

/// Print the JSON Schema of model files, with which editors complete and explain keys
///
/// A model whose first line is `#:schema interfield.schema.json` uses the schema of that name beside it, in every
/// editor that builds on Taplo (VS Code: "Even Better TOML"). `interfield new` writes both.
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
