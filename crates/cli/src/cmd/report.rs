//! `interfield report`: the report of a stored result, made again.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_report::Block;
use interfield_results::{Outcome, Reader};
use serde_json::json;

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::{fail, print, print_json};
use crate::report::{Curves, Report, Scene};
use crate::stored;

/// Write the report of a stored result again: one HTML page that works offline
///
/// The page has what the file has: peaks, histories, hysteresis loops, energies, spectra, settings and log. Modes are
/// computed from the model inside the file; the deformed shape needs all displacements recorded.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield report interfield-out/frame.h5\n  \
interfield report interfield-out/frame.h5 -o frame-again.html")]
pub(crate) struct Args {
    /// Result file (.h5)
    result: PathBuf,
    /// HTML file to write [default: beside the result]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print what was written, or what went wrong, as JSON
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
    let curves = Curves::of(&reader).map_err(|e| stored::damaged(&e, json))?;
    let (modes, deformed) = structure(&reader, &args.result).map_err(|e| stored::damaged(&e, json))?;
    let log: Vec<String> = reader.log().lines().map(str::to_owned).collect();
    let report = Report {
        meta: reader.meta(),
        good: matches!(reader.outcome(), Outcome::Finished(text) if text.starts_with("finished") && !text.contains("verdict: failed")),
        verdict: verdict(&reader, &log),
        curves: &curves,
        modes,
        deformed,
        // The log repeats it.
        interface: Vec::new(),
        laboratory: Vec::new(),
        log,
        timings: Vec::new(),
    };
    let name = output.display().to_string();
    report.write(&output).map_err(|message| {
        fail(json, Some(&name), None, &message, "give another file with --output");
        Exit::Failure
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

/// What the run said last of itself; else how the file says that it ended.
fn verdict(reader: &Reader, log: &[String]) -> String {
    let last = log.iter().rev().find(|l| l.contains(" steps in "));
    match reader.outcome() {
        Outcome::Unknown => stored::outcome(reader),
        _ => last.cloned().unwrap_or_else(|| stored::outcome(reader)),
    }
}

/// Modes and deformed shape, from the model inside the file; a sentence where it cannot be read any more.
fn structure(reader: &Reader, path: &Path) -> interfield_results::Result<(Vec<Block>, Vec<Block>)> {
    let meta = reader.meta();
    let replaced = meta.settings.iter().find(|(name, _)| name == "set").map(|(_, list)| list.as_str());
    let set = replaced.into_iter().flat_map(|l| l.split(", ")).filter_map(|p| pair(p).ok()).collect();
    // Records are looked for where the model was most likely run from.
    let folders = [PathBuf::new(), path.parent().unwrap_or(Path::new("")).to_owned()];
    let mut why = String::new();
    for folder in folders {
        let loaded = Loaded::embedded("model of the result", meta.model_text.clone(), folder, false);
        let settings = ModelArgs { set: Vec::clone(&set), ..ModelArgs::default() };
        match loaded.quiet_simulation(&settings) {
            Ok(sim) => {
                let scene = Scene::new(&sim);
                return Ok((scene.modes(), scene.deformed_in(&sim.model, reader)?));
            }
            Err(message) => why = message,
        }
    }
    Ok((vec![Block::Text(format!("The model inside the result could not be read again: {why}."))], Vec::new()))
}
