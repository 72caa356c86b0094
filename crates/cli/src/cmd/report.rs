//! `interfield report`: the report of a stored result, made again.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_report::Block;
use interfield_results::{Outcome, Reader};
use serde_json::json;

use crate::Exit;
use crate::output::{fail, print, print_json};
use crate::report::{Evidence, Report, Scene, Unmade};
use crate::stored;

/// Write the report of a stored result again: one HTML page that works offline
///
/// The page is the same as the one written at the end of the run, including the laboratory, because the result file
/// contains all its data. For a run that was killed, the page shows what the file contains: peaks, histories,
/// hysteresis loops, energies, spectra, settings and log.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield report interfield-out/frame.h5\n  \
interfield report interfield-out/frame.h5 -o frame-again.html")]
pub(crate) struct Args {
    /// Result file (.h5)
    result: PathBuf,
    /// HTML file to write [default: beside the result]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print what was written, or the errors, as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    match make(args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn make(args: &Args) -> Result<(), Exit> {
    let json = args.json;
    let reader = stored::open(&args.result, json)?;
    let output = args.output.clone().unwrap_or_else(|| args.result.with_extension("html"));
    stored::check_output(&output, &["html"], &[&args.result], json)?;
    let name = output.display().to_string();
    page(&reader, &output).map_err(|e| match e {
        Unmade::Read(e) => stored::damaged(&e, json),
        Unmade::Write(message) => {
            fail(json, Some(&name), None, &message, "give another file with --output");
            Exit::Failure
        }
    })?;
    if json {
        print_json(&json!({
            "result": args.result.display().to_string(), "output": name, "rows": reader.rows(),
        }));
    } else {
        print(&format!("{name}: {} channels, {} rows\n", reader.channels().len(), reader.rows()));
    }
    Ok(())
}

/// Writes the page of a stored result; the error is a sentence.
pub(super) fn write(reader: &Reader, path: &Path) -> Result<(), String> {
    page(reader, path).map_err(|e| match e {
        Unmade::Read(e) => e.to_string(),
        Unmade::Write(message) => message,
    })
}

fn page(reader: &Reader, path: &Path) -> Result<(), Unmade> {
    let mut evidence = Evidence::of(reader).unwrap_or_else(|| found_again(reader));
    if evidence.structure.is_none() {
        evidence.structure = Some(structure(reader).map_err(Unmade::Read)?);
    }
    Report::of_stored(reader, evidence, path)
}

/// What can still be found about a run that was killed before it said so itself, or whose file an earlier version made.
fn found_again(reader: &Reader) -> Evidence {
    let log: Vec<String> = reader.log().lines().map(str::to_owned).collect();
    Evidence {
        good: matches!(reader.outcome(), Outcome::Finished(text) if text == "finished"),
        verdict: verdict(reader, &log),
        log,
        ..Evidence::default()
    }
}

/// What the run said last of itself; else how the file says that it ended.
fn verdict(reader: &Reader, log: &[String]) -> String {
    let last = log.iter().rev().find(|l| l.contains(" steps in "));
    match reader.outcome() {
        Outcome::Unknown => reader.outcome().words(),
        _ => last.cloned().unwrap_or_else(|| reader.outcome().words()),
    }
}

/// Modes and deformed shape, from the model inside the file; a sentence where it cannot be read any more.
fn structure(reader: &Reader) -> interfield_results::Result<[Vec<Block>; 2]> {
    match stored::structure(reader) {
        Ok(structure) => {
            let scene = Scene::new(&structure);
            Ok([scene.modes(), scene.deformed_in(&structure.model, reader)?])
        }
        Err(why) => {
            let text = format!("The model in the result file could not be read: {why}.");
            Ok([vec![Block::Text(text)], Vec::new()])
        }
    }
}
