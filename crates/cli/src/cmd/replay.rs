//! `interfield replay`: a run whose specimen is a recording, or all tests of a pack.

use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;
use interfield_language::external::Program;
use interfield_results::Reader;
use serde_json::{Value, json};

use super::run::{self, Left};
use crate::Exit;
use crate::load::Loaded;
use crate::output::{complain, fail, print, print_json};
use interfield::laboratory::Replay;
use interfield::outputs::Wanted;
use interfield::pack::{Pack, Packed, is_pack};
use interfield::record::Format;

/// Run a model with a recorded laboratory instead of its specimen; or repeat all tests of a pack
///
/// Every sample is answered with the recorded displacement and force. The run ends when its commands differ from the
/// recorded ones by more than --tolerance, because the response of the specimen to other commands is not known.
/// Options are those of `interfield run`. A pack (`interfield pack`) also provides the model, its files and settings;
/// every hash is checked, and the results are compared bit by bit with those in the pack.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield replay interfield-out/tower.lab.h5 tower.toml\n  \
interfield replay friday.lab.h5 tower.toml --tolerance 1e-3 -o again.h5 --json\n  \
interfield replay evidence.zip")]
pub(crate) struct Args {
    /// Recording of a laboratory, written by `interfield run` beside its results; or a pack, folder or archive
    recording: PathBuf,
    /// Model file; not needed for a pack, which contains it
    model: Option<PathBuf>,
    #[command(flatten)]
    options: run::Options,
    /// Largest difference between a command and the recorded one, relative to the largest command
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
    let packed = is_pack(&args.recording);
    match &args.model {
        Some(_) if packed => {
            let message = format!("`{name}` is a pack, which contains its own model");
            refuse(message, &format!("write interfield replay {name}"), Exit::BadInput)
        }
        None if packed => pack(args),
        None => {
            let message = format!("`{name}` is a recording and needs its model");
            refuse(message, &format!("write interfield replay {name} MODEL.toml"), Exit::BadInput)
        }
        Some(model) => match Replay::open(&args.recording, args.tolerance) {
            Ok(replay) => run::with(model, &args.options, Some(replay)),
            Err(e) => {
                let help = "give a recording NAME.lab.h5, written by `interfield run` for a model with a specimen";
                refuse(e, help, Exit::Failure)
            }
        },
    }
}

/// Makes all tests of a pack again.
fn pack(args: &Args) -> Exit {
    let (options, json) = (&args.options, args.options.json);
    let name = args.recording.display().to_string();
    let refuse = |message: &str, help: &str, exit: Exit| {
        fail(json, Some(&name), None, message, help);
        exit
    };
    let pack = match Pack::open(&args.recording) {
        Ok(pack) => pack,
        Err(all) => {
            let help = "give an unchanged pack, as written by `interfield pack`";
            all.lines().for_each(|message| fail(json, Some(&name), None, message, help));
            return Exit::Failure;
        }
    };
    if interfield::Choices::from(&options.settings) != interfield::Choices::default() {
        let help = "omit the settings: the pack contains those of its runs";
        return refuse("a pack is replayed with its original settings", help, Exit::BadInput);
    }
    let (again, served): (Vec<_>, Vec<_>) = pack.tests.iter().partition(|t| t.result.is_some());
    served
        .iter()
        .for_each(|t| complain(&format!("note: `{}` was served to another program and cannot be repeated", t.name)));
    if again.is_empty() {
        return refuse("it holds no test that can be repeated", "give a pack of `interfield run`", Exit::BadInput);
    }
    let given = options.output.as_deref();
    if given.is_some_and(|o| again.len() > 1 || Format::of(o) == Some(Format::Csv)) {
        let help = "omit --output: results go to interfield-out";
        return refuse("--output names one result file (.h5), but the pack holds several tests", help, Exit::BadInput);
    }
    let mut documents = Vec::new();
    let mut exit = Exit::Done;
    for test in again {
        let found = one(test, args, &mut documents);
        exit = if exit == Exit::Done { found } else { exit };
    }
    if json {
        print_json(&json!({ "pack": name, "tests": documents }));
    }
    exit
}

/// Makes a test again and compares it with what was packed.
fn one(test: &Packed, args: &Args, documents: &mut Vec<Value>) -> Exit {
    let json = args.options.json;
    let refuse = |message: &str, help: &str, exit: Exit| {
        fail(json, Some(&test.name), None, message, help);
        exit
    };
    let load = || Loaded::open(&test.model, json).map(|loaded| loaded.with_files(test.files.clone()));
    let loaded = match load() {
        Ok(loaded) => loaded,
        Err(exit) => return exit,
    };
    // A pack from elsewhere starts nothing on this machine.
    let model = load().and_then(|loaded| loaded.model(&test.settings.clone().into()));
    let external = model.iter().flat_map(|(m, _)| &m.externals).find(|e| !matches!(e.program, Program::Fmu(_)));
    if let Some(external) = external {
        let message = format!("`{}` was computed by another program, which the pack does not contain", external.name);
        return refuse(&message, "run the model of the pack together with that program", Exit::BadInput);
    }
    let replay = match Replay::open_all(&test.recordings, args.tolerance) {
        // A computed run has no laboratory to be replaced.
        Ok(_) if test.recordings.is_empty() => None,
        Ok(replay) => Some(replay),
        Err(message) => return refuse(&message, "pack the test again", Exit::Failure),
    };
    let mut options = args.options.clone();
    options.settings = test.settings.clone().into();
    let stem = format!("{}-replay", test.name);
    let wanted = Wanted { stem, output: options.output.clone(), report: options.report.clone() };
    let mut left = Left::default();
    let ran = run::leave(&loaded, &options, &wanted, replay, &mut left);
    let (Some(results), Some(before)) = (&left.results, &test.result) else { return ran };
    let compared = match same_bits(before, results) {
        Ok(compared) => compared,
        // What went wrong with the run has been said.
        Err(_) if ran != Exit::Done => return ran,
        Err(message) => return refuse(&message, "", Exit::Failure),
    };
    let Compared { rows, again, difference } = &compared;
    let same = difference.is_none() && again >= rows;
    let said = match difference {
        None if same => format!("identical to the pack, bit by bit: {rows} rows of all channels"),
        None => format!("the pack holds {rows} rows, {again} were repeated; these are identical, bit by bit"),
        Some(where_) => format!("differs from the pack: {where_}"),
    };
    match left.document {
        Some(mut document) => {
            document["same_bits"] = json!(same);
            document["compared"] = json!(said);
            documents.push(document);
        }
        None => print(&format!("{}: {said}\n", test.name)),
    }
    match ran {
        // A test that was stopped is made again as far as it went.
        Exit::Done | Exit::Fault => {
            if same {
                Exit::Done
            } else {
                Exit::Fault
            }
        }
        other => other,
    }
}

/// Two results, bit by bit.
struct Compared {
    /// Rows of the first, and of the second.
    rows: u64,
    again: u64,
    /// Where they differ first, in words.
    difference: Option<String>,
}

fn same_bits(before: &Path, after: &Path) -> Result<Compared, String> {
    let open = |path: &Path| Reader::open(path).map_err(|e| e.to_string());
    let (a, b) = (open(before)?, open(after)?);
    let (rows, again) = (a.rows(), b.rows());
    let common = rows.min(again);
    let mut difference = (a.channels() != b.channels()).then(|| "it has other channels".to_owned());
    let column = |r: &Reader, c: Option<usize>| match c {
        None => r.time(0..common),
        Some(c) => r.read(c, 0..common),
    };
    let channels = if difference.is_none() { a.channels() } else { &[] };
    let columns =
        std::iter::once(("time", None)).chain(channels.iter().enumerate().map(|(i, c)| (c.name.as_str(), Some(i))));
    for (name, channel) in columns {
        let (x, y) = (column(&a, channel).map_err(|e| e.to_string())?, column(&b, channel).map_err(|e| e.to_string())?);
        if let Some(k) = x.iter().zip(&y).position(|(x, y)| x.to_bits() != y.to_bits()) {
            difference.get_or_insert_with(|| format!("`{name}` was {:e} in row {} and is now {:e}", x[k], k + 1, y[k]));
        }
    }
    Ok(Compared { rows, again, difference })
}
