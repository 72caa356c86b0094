//! Results of earlier runs: opening a result file for a command, and curves out of it that fit into a figure.

use std::io::Read;
use std::path::{Path, PathBuf};

use interfield_language::units::Unit;
use interfield_report::thin::Thinner;
use interfield_report::{Axis, Curve};
use interfield_results::{ChannelInfo, Error, Meta, Reader, Setting};

use crate::Exit;
use crate::load::{Loaded, ModelArgs, pair};
use crate::output::fail;
use interfield::files::{has_extension, same};
use interfield::record::OVERRIDES;
use interfield_structure::Structure;

/// Pieces of a curve in a figure: more than there are pixels.
const PIECES: usize = 5000;

/// Opens a result file; says what is wrong with it.
pub(crate) fn open(path: &Path, json: bool) -> Result<Reader, Exit> {
    let name = path.display().to_string();
    let help = "give a result file, such as interfield-out/MODEL.h5; `interfield run MODEL` writes one";
    let unread = |why: &str| {
        fail(json, Some(&name), None, &format!("`{name}` {why}"), help);
        Exit::Failure
    };
    // Opening a pipe would wait for somebody to write into it.
    match std::fs::metadata(path) {
        Ok(meta) if meta.is_dir() => return Err(unread("is a folder, not a file")),
        Ok(meta) if !meta.is_file() => return Err(unread("is not a file on a disk")),
        _ => {}
    }
    if let Some((length, whole)) = cut_off(path) {
        let message = format!("`{name}` is truncated: it has {length} of {whole} bytes");
        fail(json, Some(&name), None, &message, "copy the file again");
        return Err(Exit::BadInput);
    }
    Reader::open(path).map_err(|e| match e {
        Error::Format { what, .. } => {
            let run = format!("it looks like a model; `interfield run {name}` writes a result file");
            let help = if has_extension(path, "toml") { &run } else { help };
            fail(json, Some(&name), None, &format!("`{name}` is not a readable result file: {what}"), help);
            Exit::BadInput
        }
        Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => unread("does not exist"),
        Error::Io { source, .. } => unread(&format!("cannot be read: {source}")),
        other => unread(&format!("cannot be read: {other}")),
    })
}

/// Length and whole length of an HDF5 file (of the oldest and usual kind) that has lost its end.
fn cut_off(path: &Path) -> Option<(u64, u64)> {
    let mut file = std::fs::File::open(path).ok()?;
    let mut head = [0; 48];
    file.read_exact(&mut head).ok()?;
    let whole = u64::from_le_bytes(head[40..].try_into().ok()?);
    // After the head: a result file that is still growing is lengthened before it says so.
    let length = file.metadata().ok()?.len();
    (head.starts_with(b"\x89HDF\r\n\x1a\n\0") && length < whole).then_some((length, whole))
}

/// Says that a result file turned out to be damaged or unreadable.
pub(crate) fn damaged(e: &Error, json: bool) -> Exit {
    let (file, exit) = match e {
        Error::Format { path, .. } => (Some(path.display().to_string()), Exit::BadInput),
        Error::Io { path, .. } => (Some(path.display().to_string()), Exit::Failure),
        _ => (None, Exit::Failure),
    };
    fail(json, file.as_deref(), None, &e.to_string(), "");
    exit
}

/// Refuses an output file of another kind than a command writes, or one that is its input.
pub(crate) fn check_output(output: &Path, kinds: &[&str], inputs: &[&Path], json: bool) -> Result<(), Exit> {
    let name = output.display().to_string();
    let message = if inputs.iter().any(|i| same(i, output)) {
        format!("`{name}` is the result file itself")
    } else if !kinds.iter().any(|k| has_extension(output, k)) {
        format!("`{name}`: unknown file type")
    } else {
        return Ok(());
    };
    let kinds: Vec<String> = kinds.iter().map(|k| format!("FILE.{k}")).collect();
    fail(json, None, None, &message, &format!("write {}", kinds.join(" or ")));
    Err(Exit::BadInput)
}

/// What a run replaced of its model file.
pub(crate) fn overrides(meta: &Meta) -> ModelArgs {
    let setting = |wanted: &str| meta.setting(wanted).and_then(Setting::text);
    match setting(OVERRIDES).and_then(|text| serde_json::from_str(text).ok()) {
        Some(kept) => interfield::Choices::from_json(&kept).into(),
        // Earlier versions kept these only.
        None => {
            let set = setting("set").into_iter().flat_map(|l| l.split(", ")).filter_map(|p| pair(p).ok()).collect();
            ModelArgs { set, ..ModelArgs::default() }
        }
    }
}

/// The structure of the model inside a result file; the error is a sentence.
pub(crate) fn structure(reader: &Reader) -> Result<Structure, String> {
    let meta = reader.meta();
    let settings = overrides(meta);
    // Records are looked for where the model was most likely run from.
    let folders = [PathBuf::new(), reader.path().parent().unwrap_or(Path::new("")).to_owned()];
    let mut why = String::new();
    for folder in folders {
        let loaded = Loaded::embedded("model of the result", meta.model_text.clone(), folder, false);
        match loaded.quiet_structure(&(&settings).into()) {
            Ok(structure) => return Ok(structure),
            Err(message) => why = message,
        }
    }
    Err(why)
}

/// `name [unit]`, for an axis.
pub(crate) fn label(name: &str, unit: &str) -> String {
    if unit.is_empty() { name.to_owned() } else { format!("{name} [{unit}]") }
}

/// An axis for these channels: of the one channel, or of what all of them measure.
pub(crate) fn axis(channels: &[&ChannelInfo]) -> Axis {
    match channels {
        [] => Axis::default(),
        [one] => Axis::new(&one.name, &one.unit),
        [first, rest @ ..] => {
            let common = rest.iter().all(|c| c.quantity == first.quantity);
            Axis::new(if common { measured(first) } else { "value".to_owned() }, &first.unit)
        }
    }
}

/// What a channel has on its axis: of angles, and of loads that shake the ground, results keep only the general word.
pub(crate) fn measured(channel: &ChannelInfo) -> String {
    let angle = channel.unit.starts_with("rad");
    match channel.quantity.as_str() {
        "displacement" if angle => "rotation".to_owned(),
        quantity @ ("velocity" | "acceleration") if angle => format!("angular {quantity}"),
        "absolute acceleration" if angle => "absolute angular acceleration".to_owned(),
        "load" if channel.unit.ends_with("/s^2") => "ground acceleration".to_owned(),
        quantity => quantity.to_owned(),
    }
}

/// Rows from one time to another, both included.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Window {
    /// s.
    pub from: f64,
    /// s.
    pub to: f64,
}

impl Window {
    /// All rows.
    pub(crate) const WHOLE: Window = Window { from: f64::NEG_INFINITY, to: f64::INFINITY };

    /// Whether a row at this time is in it. Times are multiples of a step up to rounding.
    pub(crate) fn holds(&self, t: f64) -> bool {
        let near = 1e-9 * t.abs();
        t >= self.from - near && t <= self.to + near
    }
}

/// The rows of some channels within a window: time and values.
///
/// # Errors
/// When the file cannot be read.
pub(crate) fn rows(
    reader: &Reader,
    channels: &[usize],
    window: Window,
    mut see: impl FnMut(f64, &[f64]),
) -> Result<(), Error> {
    let mut row = vec![0.0; channels.len()];
    for chunk in reader.chunks(channels, 0) {
        let chunk = chunk?;
        for (i, &t) in chunk.time.iter().enumerate().filter(|(_, t)| window.holds(**t)) {
            row.iter_mut().zip(&chunk.channels).for_each(|(x, c)| *x = c[i]);
            see(t, &row);
        }
        // Time goes on: nothing of the window comes after it.
        if chunk.time.last().is_some_and(|t| *t > window.to && !window.holds(*t)) {
            break;
        }
    }
    Ok(())
}

/// A channel over time, or over another channel. Of a long result the extremes of each piece are kept, so that no peak is lost.
pub(crate) fn curve(reader: &Reader, name: &str, over: Option<usize>, channel: usize) -> Result<Curve, Error> {
    curve_within(reader, name, over, channel, Window::WHOLE, [1.0; 2])
}

/// As [`curve`], of the rows within a window, with factors for the horizontal and the vertical axis.
pub(crate) fn curve_within(
    reader: &Reader,
    name: &str,
    over: Option<usize>,
    channel: usize,
    window: Window,
    factors: [f64; 2],
) -> Result<Curve, Error> {
    let mut thinner = Thinner::new(PIECES);
    let columns: Vec<usize> = over.into_iter().chain([channel]).collect();
    rows(reader, &columns, window, |t, row| match row {
        [x, y] => thinner.push(x * factors[0], y * factors[1]),
        row => thinner.push(t, row[0] * factors[1]),
    })?;
    Ok(thinner.curve(name))
}

/// How many of one unit make another; `None` if they measure different things.
pub(crate) fn conversion(from: &str, to: &str) -> Option<f64> {
    if from == to {
        return Some(1.0);
    }
    let (from, to) = (Unit::parse(from).ok()?, Unit::parse(to).ok()?);
    (from.dim == to.dim).then(|| from.factor / to.factor)
}
