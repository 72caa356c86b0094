//! `interfield rehearse`: a test before the test.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::{Choices, rehearsal};

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, print, print_json, progress};

/// Look at a hybrid test before it is run: stability of the loop and its margins, what the actuators must do, the verdict to expect
///
/// The loop of structure, controller, actuators and specimen is probed for a motion that grows; delay and gain are added until one does; and the whole test
/// is run once in the emulated laboratory, as fast as possible, and judged as a test is, with strokes, velocities and forces against what the actuators can do and the limits allow. What came out is kept in interfield-out/MODEL.rehearsal.json.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield rehearse models/isolated-building.toml\n  \
interfield rehearse models/isolated-building.toml --coupling modified-ph --json")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Exit {
    attempt(args).unwrap_or_else(|exit| exit)
}

fn attempt(args: &Args) -> Result<Exit, Exit> {
    let loaded = Loaded::open(&args.model, args.json)?;
    let choices = Choices::from(&args.settings);
    let bar = progress(0, "steps", !args.json);
    let rehearsed = loaded.or_refuse(loaded.rehearse(&choices, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    }));
    bar.finish_and_clear();
    let rehearsed = rehearsed?;
    loaded.show();
    let numbers = rehearsed.json();
    let kept = rehearsal::fingerprint(&loaded, &choices)
        .and_then(|fingerprint| rehearsal::keep(&args.model, &fingerprint, &numbers));
    if args.json {
        print_json(&numbers);
    } else {
        print(&rehearsed.text());
        kept.iter().for_each(|path| print(&format!("  record: {}\n", path.display())));
    }
    Ok(match kept {
        Err(message) => {
            complain(&format!("error: the record of the rehearsal is missing: {message}"));
            Exit::Failure
        }
        Ok(_) if rehearsed.objections().is_empty() => Exit::Done,
        Ok(_) => Exit::Fault,
    })
}
