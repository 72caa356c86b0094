//! The recording of a rig: its samples in a result file of its own, and a true account of what is in it.
//!
//! Values have the units of the model file, which rounds them. What is lost by that of the readings stands in columns `rest`
//! at the end, so that a replay gives the bits of the test; factors that are powers of two lose nothing.

use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use interfield_lab::controller::{COLUMNS, HEAD, Tape};
use interfield_lab::realtime::{Sink, Tape as Ring, TapeOptions};
use interfield_lab::safety::State;
use interfield_lab::verdict::Peaks;
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_results::{Appender, ChannelInfo, Error, Meta, Policy, Reader, Writer, WriterOptions};

use crate::files::{folder, unwritten};

/// How long the last samples may take to the disk.
const LAST: Duration = Duration::from_secs(5);
/// Rows of a block of the file.
const BLOCK: usize = 1024;
/// Columns that a replay answers with.
const READINGS: [&str; 2] = ["reached", "force"];

/// What became of a recording when it was ended.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// Samples that should be in the file and are not.
    pub missing: u64,
    /// What the system said, if anything could not be written.
    pub failure: Option<String>,
    /// Largest numbers of each actuator, over all samples, SI.
    pub peaks: Vec<Peaks>,
}

/// Where a recording leaves its account.
#[derive(Clone, Debug, Default)]
pub struct Account(Arc<Mutex<Option<Kept>>>);

impl Account {
    fn write(&self, kept: Kept) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
    }

    /// What became of it; `None` until it is ended.
    pub fn read(&self) -> Option<Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Name of a channel of an actuator.
pub fn channel_name(specimen: &str, actuator: &str, column: &str) -> String {
    format!("{specimen}.{actuator}.{column}")
}

/// What a column of an actuator measures: its dimension, a word, a sentence.
fn meaning(column: &str) -> (Dimension, &'static str, &'static str) {
    match column {
        "target" => (Dimension::LENGTH, "displacement", "target displacement"),
        "asked" => (Dimension::LENGTH, "displacement", "compensated displacement"),
        "command" => (Dimension::LENGTH, "displacement", "command sent to the actuator"),
        "reached" => (Dimension::LENGTH, "displacement", "measured displacement"),
        "force" => (Dimension::FORCE, "force", "measured force (load cell)"),
        "error" => (Dimension::LENGTH, "displacement", "target minus measured displacement"),
        _ => (Dimension::STIFFNESS, "stiffness", "estimate during motion"),
    }
}

/// Name of the column with what rounding took of a reading.
fn rest_name(specimen: &str, actuator: &str, column: &str) -> String {
    format!("{}.rest", channel_name(specimen, actuator, column))
}

/// Whether a number can be multiplied by this, and divided again, without a rounding.
fn is_power_of_two(x: f64) -> bool {
    x.is_normal() && x.to_bits() << 12 == 0
}

/// How a sample becomes a row, and what is remembered of those that do not.
struct Scribe {
    /// Factors from SI, in the order of a sample without its time.
    factors: Vec<f64>,
    /// Readings with a rest: place in the sample, unit in SI.
    rests: Vec<(usize, f64)>,
    row: Vec<f64>,
    /// One of so many samples is kept; samples so far, and those to be kept.
    every: u64,
    seen: u64,
    due: u64,
    period: f64,
    /// Last target and command, if there were any, and peaks.
    actuators: Vec<(Option<[f64; 2]>, Peaks)>,
    account: Account,
}

impl Scribe {
    /// With the channels of its file.
    fn new(specimen: &Specimen, units: &UnitSystem, account: Account) -> (Self, Vec<ChannelInfo>) {
        let states: Vec<String> = State::ALL.iter().map(|(s, name)| format!("{} {name}", *s as u8)).collect();
        let states = states.join(", ");
        let mut list = vec![
            ChannelInfo::new(&format!("{}.state", specimen.name), "", "state", &states),
            ChannelInfo::new(&format!("{}.fresh", specimen.name), "", "flag", "1 if measurements arrived"),
        ];
        let mut factors = vec![1.0; HEAD.len() - 1];
        let mut rests = Vec::new();
        let mut rest_channels = Vec::new();
        for actuator in &specimen.actuators {
            for column in COLUMNS {
                let (dim, quantity, text) = meaning(column);
                let (label, unit) = actuator.unit(dim, units);
                let name = channel_name(&specimen.name, &actuator.name, column);
                if READINGS.contains(&column) && !is_power_of_two(unit) {
                    let text = format!("rounding remainder of `{name}`, SI units, for an exact replay");
                    let name = rest_name(&specimen.name, &actuator.name, column);
                    rest_channels.push(ChannelInfo::new(&name, "SI", "rounding", &text));
                    rests.push((factors.len(), unit));
                }
                list.push(ChannelInfo::new(&name, &label, quantity, text));
                factors.push(1.0 / unit);
            }
        }
        let transducers = specimen.further_transducers().map(|t| (t, "reached"));
        for (instrument, column) in transducers.chain(specimen.further_load_cells().map(|c| (c, "force"))) {
            let (dim, quantity, text) = meaning(column);
            let (label, unit) = instrument.unit(dim, units);
            let name = channel_name(&specimen.name, &instrument.name, column);
            if !is_power_of_two(unit) {
                let text = format!("rounding remainder of `{name}`, SI units, for an exact replay");
                let name = rest_name(&specimen.name, &instrument.name, column);
                rest_channels.push(ChannelInfo::new(&name, "SI", "rounding", &text));
                rests.push((factors.len(), unit));
            }
            list.push(ChannelInfo::new(&name, &label, quantity, text));
            factors.push(1.0 / unit);
        }
        list.extend(rest_channels);
        let row = vec![0.0; factors.len() + rests.len()];
        let actuators = vec![(None, Peaks::default()); specimen.actuators.len()];
        let (every, period) = (specimen.record_every.max(1), specimen.period);
        (Scribe { factors, rests, row, every, seen: 0, due: 0, period, actuators, account }, list)
    }

    /// Looks at a sample: its time and the row to be kept, if it is one of those. Never allocates.
    fn take(&mut self, sample: &[f64]) -> Option<(f64, &[f64])> {
        let (t, values) = sample.split_first().map_or((0.0, sample), |(t, rest)| (*t, rest));
        for (of, (before, peaks)) in values[HEAD.len() - 1..].chunks_exact(COLUMNS.len()).zip(&mut self.actuators) {
            let value = |name: &str| COLUMNS.iter().position(|c| *c == name).map_or(0.0, |i| of[i]);
            let now = [value("target"), value("command")];
            peaks.add(now, before.replace(now), value("force"), value("error"), self.period);
        }
        let due = self.seen.is_multiple_of(self.every);
        self.seen += 1;
        if !due {
            return None;
        }
        self.due += 1;
        let (row, rests) = self.row.split_at_mut(self.factors.len());
        for ((row, x), f) in row.iter_mut().zip(values).zip(&self.factors) {
            *row = x * f;
        }
        for (rest, (place, unit)) in rests.iter_mut().zip(&self.rests) {
            // Of two numbers this close the difference is exact.
            *rest = values[*place] - row[*place] * unit;
        }
        Some((t, &self.row))
    }

    /// The end: so many rows are in the file.
    fn end(&self, rows: u64, failure: Option<String>) {
        let peaks = self.actuators.iter().map(|a| a.1).collect();
        self.account.write(Kept { missing: self.due.saturating_sub(rows), failure, peaks });
    }
}

/// A column of a recording, times a factor.
pub(crate) fn column(reader: &Reader, name: &str, factor: f64) -> Option<Vec<f64>> {
    let mut values = reader.read(reader.channel(name)?, 0..reader.rows()).ok()?;
    values.iter_mut().for_each(|x| *x *= factor);
    Some(values)
}

/// A reading of an actuator as it was, SI: bit for bit where the recording has its rest.
pub(crate) fn reading(reader: &Reader, specimen: &str, actuator: &str, name: &str, unit: f64) -> Option<Vec<f64>> {
    let mut values = column(reader, &channel_name(specimen, actuator, name), unit)?;
    if let Some(rests) = column(reader, &rest_name(specimen, actuator, name), 1.0) {
        values.iter_mut().zip(rests).for_each(|(x, rest)| *x += rest);
    }
    Some(values)
}

/// Bytes that a recording of so many samples takes, about.
pub fn bytes(specimen: &Specimen, samples: f64) -> f64 {
    let further = specimen.further_transducers().chain(specimen.further_load_cells()).count();
    let columns = HEAD.len() + specimen.actuators.len() * (COLUMNS.len() + READINGS.len()) + 2 * further + 1;
    (samples / specimen.record_every.max(1) as f64 + BLOCK as f64) * 8.0 * columns as f64
}

/// Opens a recording where there is none: one that never waits for the disk if the test runs by the clock, else one that
/// loses nothing.
pub(crate) fn open(
    path: &Path,
    meta: &Meta,
    specimen: &Specimen,
    units: &UnitSystem,
    real_time: bool,
    account: Account,
) -> Result<Box<dyn Tape>, String> {
    let (scribe, mut list) = Scribe::new(specimen, units, account);
    let meta = Meta { title: format!("{}: laboratory of {}", meta.title, specimen.name), ..meta.clone() };
    folder(path).map_err(|e| unwritten(path, &e))?;
    let refused = |e: Error| match e {
        Error::Io { source, .. } => unwritten(path, &source),
        other => unwritten(path, &other),
    };
    let name = path.display().to_string();
    // An empty file only keeps the name.
    let overwrite = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() == 0);
    if real_time {
        list.push(ChannelInfo::new("dropped", "", "count", "number of unrecorded samples just before this one"));
        let file = Appender::create(path, &meta, &list, BLOCK, overwrite).map_err(refused)?;
        // Eight seconds of samples, in case the disk has other things to do.
        let rows = ((8.0 / specimen.period) as usize).clamp(4096, 1 << 20);
        let options = TapeOptions { rows, ..TapeOptions::default() };
        let ring = Ring::new(scribe.row.len(), ToFile { file, name }, options);
        let ring = Some(ring.map_err(|e| unwritten(path, &e))?);
        return Ok(Box::new(ByTheClock { ring, scribe }));
    }
    let options = WriterOptions { overwrite, policy: Policy::Wait, ..WriterOptions::default() };
    let writer = Some(Writer::create(path, &meta, &list, options).map_err(refused)?);
    Ok(Box::new(Patient { writer, scribe, name, told: false }))
}

/// Says at once that a recording fails: a test may take hours more.
fn tell(name: &str, why: &str) {
    // Where that is impossible there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "warning: writing the recording {name} failed: {why}");
}

/// A recording that the loop waits for.
struct Patient {
    writer: Option<Writer>,
    scribe: Scribe,
    name: String,
    told: bool,
}

impl Tape for Patient {
    fn push(&mut self, sample: &[f64]) -> bool {
        let row = self.scribe.take(sample);
        let Some(writer) = &mut self.writer else { return false };
        let taken = row.is_none_or(|(t, row)| writer.push(t, row));
        if let Err(why) = writer.status()
            && !std::mem::replace(&mut self.told, true)
        {
            tell(&self.name, &why);
        }
        taken && !self.told
    }

    fn end(&mut self, outcome: &str, log: &[String]) {
        let Some(writer) = self.writer.take() else { return };
        log.iter().for_each(|line| writer.log(line));
        match writer.finish(outcome) {
            Ok(written) => self.scribe.end(written.rows, None),
            Err(Error::Recording { what, rows, .. }) => self.scribe.end(rows, Some(what)),
            Err(e) => self.scribe.end(0, Some(e.to_string())),
        }
    }
}

/// A recording that never waits.
struct ByTheClock {
    ring: Option<Ring<ToFile>>,
    scribe: Scribe,
}

impl Tape for ByTheClock {
    fn push(&mut self, sample: &[f64]) -> bool {
        let Some(ring) = &mut self.ring else { return false };
        let taken = self.scribe.take(sample).is_none_or(|(t, row)| ring.record(t, row));
        // What is in the ring is not yet in the file: a disk that refuses is told before the ring is full.
        taken && !ring.health().failing
    }

    fn end(&mut self, outcome: &str, log: &[String]) {
        let Some(ended) = self.ring.take().map(|ring| ring.finish(LAST)) else { return };
        let Some(mut sink) = ended.sink else {
            return self.scribe.end(ended.written, ended.failure);
        };
        log.iter().for_each(|line| sink.note(line));
        // Perhaps there is room again.
        let last = sink.file.flush().err().map(|e| e.to_string());
        let missing = self.scribe.due.saturating_sub(sink.file.rows());
        match sink.file.finish(outcome, missing) {
            Ok(rows) => self.scribe.end(rows, last),
            Err(Error::Recording { what, rows, .. }) => self.scribe.end(rows, Some(what)),
            Err(e) => self.scribe.end(0, Some(e.to_string())),
        }
    }
}

/// A ring into a result file.
struct ToFile {
    file: Appender,
    name: String,
}

impl Sink for ToFile {
    fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
        self.file.append(rows).map_err(|e| e.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.file.flush().map_err(|e| e.to_string())
    }

    fn note(&mut self, line: &str) {
        // A line that cannot be kept is not worth an error.
        let _ = self.file.log(line);
    }

    fn failing(&mut self, why: &str) {
        tell(&self.name, why);
    }
}
