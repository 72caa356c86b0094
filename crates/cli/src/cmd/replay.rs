//! `interfield replay`: a run whose specimen is a recording.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::run;
use crate::Exit;
use crate::laboratory::Replay;
use crate::output::fail;

/// Run a model with a recorded laboratory in place of its specimen
///
/// Every sample is answered with the displacement and force that were recorded. The run ends where its commands leave those of
/// the recording: a specimen cannot be asked what it would have done. Options are those of `interfield run`.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield replay interfield-out/tower.lab.h5 tower.toml\n  \
interfield replay friday.lab.h5 tower.toml --tolerance 1e-3 -o again.h5 --json")]
pub(crate) struct Args {
    /// Recording of a laboratory, written by `interfield run` beside its results
    recording: PathBuf,
    /// Model file
    model: PathBuf,
    #[command(flatten)]
    options: run::Options,
    /// Largest difference of a command from the recorded one, over the largest command
    #[arg(long, value_name = "SHARE", default_value_t = 1e-6)]
    tolerance: f64,
}

/// Runs it.
pub(crate) fn run(args: &Args) -> Exit {
    let name = args.recording.display().to_string();
    let refuse = |message: String, help: &str, exit: Exit| {
        fail(args.options.json, Some(&name), None, &message, help);
        exit
    };
    if !(args.tolerance.is_finite() && args.tolerance >= 0.0) {
        return refuse("--tolerance must not be negative".to_owned(), "write --tolerance 1e-6", Exit::BadInput);
    }
    match Replay::open(&args.recording, args.tolerance) {
        Ok(replay) => run::with(&args.model, &args.options, Some(replay)),
        Err(e) => {
            let help = "give a recording NAME.lab.h5, written by `interfield run` for a model with a specimen";
            refuse(e, help, Exit::Failure)
        }
    }
}
