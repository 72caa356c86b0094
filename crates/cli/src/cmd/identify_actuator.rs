//! `interfield identify-actuator`: actuators from a recording, each by itself; or the plant of all actuators of a specimen, with their
//! interaction, from a recording or from an excitation of its emulated rig.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield::files::has_extension;
use interfield::identify::actuator;
use interfield::identify::drive::played;
use interfield::identify::plant::{Finding, Wanted, excited, recorded};
use interfield::identify::signals::Signals;
use interfield_language::diag::did_you_mean;

use crate::Exit;
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};

/// Identify actuators: delay, dynamics, noise
///
/// DATA is a recording (FILE.lab.h5, or a text file with columns `t [s],command [mm],reached [mm]`): each actuator is identified by itself, order 1 to 3
/// with and without delay, with 95 % intervals, and printed as the block of an emulated laboratory, with settings of compensators for it.
///
/// DATA is a model: all actuators of a specimen together, with their interaction. Fits a transfer matrix with delays to commands and strokes, and prints it for the model file: `[specimen.plant]`, `delay` of each actuator and a compensation. Without --from, the emulated rig
/// is excited by a small multisine of each actuator, one after the other, through its guard; with --from, a recording of a test is used, FILE.lab.h5, from rest to rest.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield identify-actuator interfield-out/rig.lab.h5\n  interfield identify-actuator chirp.csv --after 1 --before 11\n  \
interfield identify-actuator rig.toml\n  interfield identify-actuator rig.toml --drive chirp.csv --record chirp-rig.csv\n  interfield identify-actuator rig.toml --from interfield-out/rig.lab.h5 --to 15\n  \
interfield identify-actuator rig.toml --amplitude 2 --duration 30 --output plant.toml"
)]
pub(crate) struct Args {
    /// Recording, text file with columns, or model file
    data: PathBuf,
    /// Of a recording, use samples from this time on, s
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    after: Option<f64>,
    /// Of a recording, use samples up to this time, s
    #[arg(long, value_name = "SECONDS", allow_hyphen_values = true)]
    before: Option<f64>,
    #[command(flatten)]
    settings: ModelArgs,
    /// The specimen [default: the only one]
    #[arg(long, value_name = "NAME")]
    specimen: Option<String>,
    /// Recording of a test, instead of an excitation
    #[arg(long, value_name = "FILE", conflicts_with_all = ["amplitude", "duration", "lowest"])]
    from: Option<PathBuf>,
    /// Signal to play on the emulated rig, a text file with a column for each actuator that moves (`interfield motion --chirp`);
    /// every actuator is then identified by itself
    #[arg(long, value_name = "FILE", conflicts_with_all = ["from", "amplitude", "duration", "lowest", "order"])]
    drive: Option<PathBuf>,
    /// Recording of the drive signal [default: interfield-out/MODEL-drive.csv]
    #[arg(long, value_name = "FILE", requires = "drive")]
    record: Option<PathBuf>,
    /// Lowest frequency of the excitation, Hz
    #[arg(long, value_name = "HZ", default_value_t = 0.1)]
    lowest: f64,
    /// Highest frequency, Hz
    #[arg(long, value_name = "HZ", default_value_t = 20.0)]
    to: f64,
    /// Largest displacement of the excitation, in the unit of the strokes [default: a twentieth of the stroke]
    #[arg(long, value_name = "NUMBER")]
    amplitude: Option<f64>,
    /// Time for each actuator, s
    #[arg(long, value_name = "SECONDS", default_value_t = 20.0)]
    duration: f64,
    /// Order of the denominators [default: as the data prefer]
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u8).range(1..=5))]
    order: Option<u8>,
    /// Also write the plant to this file
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> Exit {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    if !has_extension(&args.data, "toml") {
        return match args.drive {
            Some(_) => refuse("--drive needs a model, whose emulated rig plays the signal", "give a model, FILE.toml"),
            None => alone(args, &args.data),
        };
    }
    let positive = |x: f64| x.is_finite() && x > 0.0;
    if ![args.lowest, args.to, args.duration, args.amplitude.unwrap_or(1.0)].into_iter().all(positive) {
        return refuse(
            "frequencies, amplitude and duration must be greater than zero",
            "write for example --to 20 --amplitude 2 --duration 20",
        );
    }
    let loaded = match Loaded::open(&args.data, args.json) {
        Ok(loaded) => loaded,
        Err(e) => return e,
    };
    let model = match loaded.model(&args.settings) {
        Ok((model, _)) => model,
        Err(e) => return e,
    };
    let names: Vec<&str> = model.specimens.iter().map(|s| s.name.as_str()).collect();
    let index = match (&args.specimen, &names[..]) {
        (None, [_]) => 0,
        (None, []) => return refuse("the model has no [[specimen]]", "only actuators of a specimen can be identified"),
        (None, _) => {
            return refuse("the model has several specimens", &format!("give --specimen: {}", names.join(", ")));
        }
        (Some(name), _) => match names.iter().position(|n| n == name) {
            Some(index) => index,
            None => {
                let help = did_you_mean(name, names.iter().copied());
                let help = help.unwrap_or_else(|| format!("its specimens are {}", names.join(", ")));
                return refuse(&format!("the model has no specimen `{name}`"), &help);
            }
        },
    };
    if let Some(drive) = &args.drive {
        let played = Signals::open(drive).and_then(|signals| played(&model, index, &signals));
        let recording = match played {
            Ok(recording) => recording,
            Err((message, help)) => return refuse(&message, &help),
        };
        let stem = args.data.file_stem().map_or_else(|| "rig".into(), |s| s.to_string_lossy().into_owned());
        let usual = || PathBuf::from("interfield-out").join(format!("{stem}-drive.csv"));
        let path = args.record.clone().unwrap_or_else(usual);
        if let Err(message) = interfield::files::write(&path, recording.csv()) {
            fail(args.json, Some(&path.display().to_string()), None, &message, "give another --record");
            return Exit::Failure;
        }
        if !args.json {
            print(&format!("recording: {}\n\n", path.display()));
        }
        return alone(args, &path);
    }
    let wanted = Wanted {
        band: [args.lowest, args.to],
        amplitude: args.amplitude,
        duration: args.duration,
        order: args.order.map(usize::from),
    };
    let specimen = &model.specimens[index];
    let record = match &args.from {
        Some(path) => recorded(&model, specimen, path),
        None => excited(&model, index, &wanted),
    };
    let found = record.and_then(|record| Finding::of(&model, specimen, &record, &wanted));
    let found = match found {
        Ok(found) => found,
        Err(message) => return refuse(&message, "`interfield identify-actuator --help` shows what it needs"),
    };
    if let Some(path) = &args.output
        && let Err(e) = std::fs::write(path, found.toml())
    {
        return refuse(&format!("`{}` cannot be written: {e}", path.display()), "give another --output");
    }
    if args.json {
        print_json(&found.json());
    } else {
        print(&found.text());
        found.doubts().iter().for_each(|doubt| complain(&format!("warning: {doubt}")));
    }
    Exit::Done
}

/// Every actuator of a recording by itself.
fn alone(args: &Args, data: &std::path::Path) -> Exit {
    let refuse = |message: &str, help: &str| {
        fail(args.json, None, None, message, help);
        Exit::BadInput
    };
    let found = Signals::open(data).and_then(|signals| actuator::recorded(&signals, [args.after, args.before]));
    let recorded = match found {
        Ok(recorded) => recorded,
        Err((message, help)) => return refuse(&message, &help),
    };
    let (mut blocks, mut texts, mut all, mut warnings) = (String::new(), String::new(), Vec::new(), Vec::new());
    for one in &recorded {
        let name = if one.name.is_empty() { "the actuator" } else { &one.name };
        match interfield_learn::actuator::identify(&one.motion) {
            Ok(found) => {
                let finding = actuator::Finding { recorded: one, found: &found };
                texts += &(finding.text() + "\n");
                blocks += &finding.toml();
                all.push(finding.json());
                warnings.extend(found.warnings.iter().map(|w| format!("{name}: {w}")));
            }
            Err(problems) => {
                let help = "record a chirp or band-limited noise of some seconds, and give --after and --before";
                return refuse(&format!("{name}: {}", problems.join("; ")), help);
            }
        }
    }
    if let Some(path) = &args.output
        && let Err(message) = interfield::files::write(path, &blocks)
    {
        fail(args.json, None, None, &message, "give another --output");
        return Exit::Failure;
    }
    if args.json {
        print_json(&serde_json::json!({ "actuators": all }));
    } else {
        print(&(texts + "for the model file:\n\n" + &blocks));
        warnings.iter().for_each(|w| complain(&format!("warning: {w}")));
    }
    Exit::Done
}
