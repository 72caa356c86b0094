//! `interfield fmt`: model files in canonical form.

use std::io::Read;
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::document::Document;
use interfield_language::format::format;
use serde_json::json;

use crate::Exit;
use crate::load::Loaded;
use crate::output::{complain, fail, print, print_json};
use interfield::files::write;

/// Format model files: spaces, blank lines, line breaks
///
/// Comments, order and values do not change. A file with a syntax error is left unchanged.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield fmt tower.toml\n  interfield fmt --check tower.toml bridge.toml\n  \
interfield fmt - < tower.toml")]
pub(crate) struct Args {
    /// Model files; `-` formats standard input to standard output
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Change nothing; list the files that would change, with exit code 3 if there are any
    #[arg(long)]
    check: bool,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    if args.files.iter().any(|f| f == Path::new("-")) {
        if args.files.len() > 1 || args.json {
            let help = "write `interfield fmt -`, with nothing else but --check";
            fail(args.json, None, None, "standard input is formatted alone, to standard output", help);
            return Exit::BadInput;
        }
        return standard_input(args);
    }
    let mut worst = Exit::Done;
    let mut changed = Vec::new();
    let mut errors = Vec::new();
    for path in &args.files {
        let loaded = match Loaded::open(path, false) {
            Ok(loaded) => loaded,
            Err(e) => {
                errors.push(json!({ "file": path.display().to_string(), "message": "it cannot be read" }));
                worst = worse(worst, e);
                continue;
            }
        };
        let Some(text) = formatted(&path.display().to_string(), loaded.text()) else {
            errors.push(json!({ "file": path.display().to_string(), "message": "it is not valid TOML" }));
            worst = worse(worst, Exit::BadInput);
            continue;
        };
        if text == loaded.text() {
            continue;
        }
        changed.push(path.display().to_string());
        if args.check {
            worst = worse(worst, Exit::Fault);
        } else if let Err(message) = write(path, &text) {
            complain(&format!("error: {message}"));
            errors.push(json!({ "file": path.display().to_string(), "message": message }));
            worst = worse(worst, Exit::Failure);
        }
    }
    if args.json {
        print_json(&json!({ "changed": changed, "written": !args.check, "errors": errors }));
    } else {
        let what = if args.check { "would change" } else { "formatted" };
        changed.iter().for_each(|name| print(&format!("{name}: {what}\n")));
    }
    worst
}

/// The canonical form of a text; `None` after its syntax errors have been shown.
fn formatted(name: &str, text: &str) -> Option<String> {
    let source = Source::new(name, text);
    let diags = Diagnostics::new();
    let good = Document::parse(&source, &diags).is_some() && !diags.has_errors();
    if !good {
        complain(&diags.render(&source, false));
    }
    good.then(|| format(text))
}

/// What is worse for a script: a mistake, then a failure, then a difference.
fn worse(a: Exit, b: Exit) -> Exit {
    let rank = |e: Exit| match e {
        Exit::Done => 0,
        Exit::Fault => 1,
        Exit::Failure => 2,
        Exit::BadInput | Exit::Interrupted => 3,
    };
    if rank(b) > rank(a) { b } else { a }
}

fn standard_input(args: &Args) -> Exit {
    let mut text = String::new();
    if let Err(e) = std::io::stdin().lock().read_to_string(&mut text) {
        fail(false, Some("standard input"), None, &format!("standard input cannot be read: {e}"), "");
        return Exit::Failure;
    }
    match formatted("standard input", &text) {
        None => Exit::BadInput,
        Some(result) if args.check => {
            if result == text {
                Exit::Done
            } else {
                Exit::Fault
            }
        }
        Some(result) => {
            print(&result);
            Exit::Done
        }
    }
}
