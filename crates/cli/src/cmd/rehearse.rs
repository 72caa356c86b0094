//! `interfield rehearse`: a test before the test.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::updating::Rehearsed;
use interfield::{Choices, rehearsal};

use super::updating::figure;
use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs, pushed};
use crate::output::{complain, fail, print, print_json, progress};

/// Check a hybrid test before it runs: loop stability and its margins, actuator demands, expected verdict
///
/// The stability of the loop of structure, controller, actuators and specimen is computed; delay and gain are then
/// increased until the loop becomes unstable. The whole test runs once in the emulated laboratory, as fast as
/// possible, with the verdict of a test: strokes, velocities and forces are compared with the capacity of the
/// actuators and the limits. The result is stored in interfield-out/MODEL.rehearsal.json.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield rehearse models/isolated-building.toml\n  \
interfield rehearse models/isolated-building.toml --coupling modified-ph --json\n  \
interfield rehearse models/isolated-building.toml --compensation all\n  \
interfield rehearse models/learning-building.toml --updating")]
pub(crate) struct Args {
    /// Model file with a `[[specimen]]`
    model: PathBuf,
    #[command(flatten)]
    settings: ModelArgs,
    /// Take the model as `interfield pushover` does, not its motion in time
    #[arg(long)]
    pushover: bool,
    /// Compare compensators on this model: `all`, or one of them. Actuators are identified from --recording, or from an excitation of
    /// the emulated rig, and every compensator has the settings that follow
    #[arg(long, value_name = "NAME", conflicts_with = "pushover")]
    compensation: Option<String>,
    /// Recording in which the actuators move (FILE.lab.h5 or FILE.csv), see `interfield motion --chirp`
    #[arg(long, value_name = "FILE", requires = "compensation")]
    recording: Option<PathBuf>,
    /// Write the model with the recommended compensation to this file
    #[arg(short, long, value_name = "FILE", requires = "compensation")]
    output: Option<PathBuf>,
    /// Rehearse online updating: the response with `[[update]]` and without, against that of a structure that knows the true
    /// specimen (`truth`) from the beginning
    #[arg(long, conflicts_with_all = ["pushover", "compensation"])]
    updating: bool,
    /// Draw the responses of --updating into this file, FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", requires = "updating")]
    plot: Option<PathBuf>,
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
    let choices = Choices::from(&pushed(&args.settings, args.pushover));
    if let Some(name) = &args.compensation {
        return compare(args, &loaded, &choices, name);
    }
    if args.updating {
        return updated(args, &loaded, &choices);
    }
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

/// With updating and without. Done if updating helps.
fn updated(args: &Args, loaded: &Loaded, choices: &Choices) -> Result<Exit, Exit> {
    let model = loaded.or_refuse(loaded.updated(choices))?;
    let rehearsed = Rehearsed::new(model, Vec::new()).map_err(|message| {
        fail(args.json, None, None, &message, "run the model itself: interfield run");
        Exit::Fault
    })?;
    loaded.show();
    if let Some(path) = &args.plot {
        draw(path, &figure(&rehearsed), DPI).map_err(|message| {
            fail(args.json, Some(&path.display().to_string()), None, &message, "give another --plot");
            Exit::Failure
        })?;
    }
    if args.json {
        print_json(&rehearsed.json());
    } else {
        print(&rehearsed.text());
    }
    Ok(if rehearsed.is_good() { Exit::Done } else { Exit::Fault })
}

/// Compensators side by side. Done if one of them can be recommended.
fn compare(args: &Args, loaded: &Loaded, choices: &Choices, name: &str) -> Result<Exit, Exit> {
    let bar = progress(0, "steps", !args.json);
    let asked = (name, args.recording.as_deref());
    let tests = loaded.or_refuse(loaded.rehearse_compensations(choices, asked, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    }));
    bar.finish_and_clear();
    let tests = tests?;
    if args.json {
        print_json(&tests.json());
    } else {
        print(&tests.text());
    }
    if let (Some(path), Some(best)) = (&args.output, tests.recommended()) {
        write_tuned(args, loaded, choices, (path, best))?;
    }
    Ok(if tests.recommended().is_some() { Exit::Done } else { Exit::Fault })
}

/// Writes the model with the recommended settings.
fn write_tuned(
    args: &Args,
    loaded: &Loaded,
    choices: &Choices,
    (path, best): (&std::path::Path, &interfield::compensations::Tried),
) -> Result<(), Exit> {
    let refuse = |message: &str, help: &str| {
        fail(args.json, Some(&path.display().to_string()), None, message, help);
        Exit::Failure
    };
    if interfield::files::same(path, &args.model) {
        return Err(refuse("this is the model itself", "give another --output"));
    }
    let text = std::fs::read_to_string(&args.model)
        .map_err(|e| refuse(&format!("the model cannot be read again: {e}"), ""))?;
    let tuned = loaded.with_settings(&text, choices, best).ok_or_else(|| {
        let help = "write the lines above into the model: its actuators are no [[specimen.actuator]] with a name";
        refuse("the settings cannot be put into the text of the model", help)
    })?;
    interfield::files::write(path, tuned).map_err(|m| refuse(&m, "give another --output"))?;
    if !args.json {
        print(&format!("model with these settings: {}\n", path.display()));
    }
    Ok(())
}
