//! The recording of a rig: every sample of every channel, in a result file of its own.

use std::path::Path;
use std::time::Duration;

use interfield_lab::controller::{COLUMNS, HEAD, Tape};
use interfield_lab::realtime::{Sink, Tape as Ring, TapeOptions};
use interfield_model::specimen::Specimen;
use interfield_model::units::{Dimension, UnitSystem};
use interfield_results::{Appender, ChannelInfo, Meta, Policy, Reader, Writer, WriterOptions};

use crate::files::{folder, unwritten};

/// How long the last samples may take to the disk.
const LAST: Duration = Duration::from_secs(5);
/// Rows of a block of the file.
const BLOCK: usize = 1024;

/// Name of a channel of an actuator.
pub(super) fn channel_name(specimen: &str, actuator: usize, column: &str) -> String {
    format!("{specimen}.{}.{column}", actuator + 1)
}

/// Channels of a recording and the factors from SI, in the order of a sample without its time.
fn channels(specimen: &Specimen, units: &UnitSystem) -> (Vec<ChannelInfo>, Vec<f64>) {
    let mut list = vec![
        ChannelInfo::new(
            &format!("{}.state", specimen.name),
            "",
            "state",
            "0 idle, 1 armed, 2 ramp, 3 running, 4 hold, 5 ramp-down, 6 aborted, 7 finished",
        ),
        ChannelInfo::new(&format!("{}.fresh", specimen.name), "", "flag", "1 where readings arrived"),
    ];
    let mut factors = vec![1.0; HEAD.len() - 1];
    for i in 0..specimen.actuators.len() {
        for column in COLUMNS {
            let (dim, quantity, text) = match column {
                "target" => (Dimension::LENGTH, "displacement", "where the actuator should be"),
                "command" => (Dimension::LENGTH, "displacement", "what it was sent, after compensation"),
                "reached" => (Dimension::LENGTH, "displacement", "where it was seen"),
                "force" => (Dimension::FORCE, "force", "what its load cell showed"),
                "error" => (Dimension::LENGTH, "displacement", "target less reached"),
                _ => (Dimension::STIFFNESS, "stiffness", "estimate while it moves"),
            };
            list.push(ChannelInfo::new(&channel_name(&specimen.name, i, column), &units.label(dim), quantity, text));
            factors.push(1.0 / units.factor(dim));
        }
    }
    (list, factors)
}

/// A column of a recording, times a factor.
pub(super) fn column(reader: &Reader, name: &str, factor: f64) -> Option<Vec<f64>> {
    let mut values = reader.read(reader.channel(name)?, 0..reader.rows()).ok()?;
    values.iter_mut().for_each(|x| *x *= factor);
    Some(values)
}

/// Opens a recording: one that never waits for the disk if the test runs by the clock, else one that loses nothing.
pub(super) fn open(
    path: &Path,
    meta: &Meta,
    specimen: &Specimen,
    units: &UnitSystem,
    real_time: bool,
) -> Result<Box<dyn Tape>, String> {
    let (mut list, factors) = channels(specimen, units);
    let meta = Meta { title: format!("{}: laboratory of {}", meta.title, specimen.name), ..meta.clone() };
    folder(path).map_err(|e| unwritten(path, &e))?;
    let row = vec![0.0; factors.len()];
    if real_time {
        list.push(ChannelInfo::new("dropped", "", "count", "samples that were not recorded just before this one"));
        let file = Appender::create(path, &meta, &list, BLOCK, true).map_err(|e| unwritten(path, &e))?;
        // Eight seconds of samples, in case the disk has other things to do.
        let rows = ((8.0 / specimen.period) as usize).clamp(4096, 1 << 20);
        let ring = Ring::new(factors.len(), ToFile(file), TapeOptions { rows, ..TapeOptions::default() });
        let ring = Some(ring.map_err(|e| unwritten(path, &e))?);
        return Ok(Box::new(ByTheClock { ring, factors, row }));
    }
    let options = WriterOptions { overwrite: true, policy: Policy::Wait, ..WriterOptions::default() };
    let writer = Some(Writer::create(path, &meta, &list, options).map_err(|e| unwritten(path, &e))?);
    Ok(Box::new(Patient { writer, factors, row }))
}

fn scale(sample: &[f64], factors: &[f64], row: &mut [f64]) -> f64 {
    let (t, values) = sample.split_first().map_or((0.0, sample), |(t, rest)| (*t, rest));
    for ((row, x), f) in row.iter_mut().zip(values).zip(factors) {
        *row = x * f;
    }
    t
}

/// A recording that the loop waits for.
struct Patient {
    writer: Option<Writer>,
    factors: Vec<f64>,
    row: Vec<f64>,
}

impl Tape for Patient {
    fn push(&mut self, sample: &[f64]) -> bool {
        let t = scale(sample, &self.factors, &mut self.row);
        let Some(writer) = &mut self.writer else { return false };
        writer.push(t, &self.row);
        writer.is_recording()
    }

    fn end(&mut self, outcome: &str, log: &[String]) {
        if let Some(writer) = self.writer.take() {
            log.iter().for_each(|line| writer.log(line));
            // What could not be written is missing in the file, and the verdict says so.
            let _ = writer.finish(outcome);
        }
    }
}

/// A recording that never waits.
struct ByTheClock {
    ring: Option<Ring<ToFile>>,
    factors: Vec<f64>,
    row: Vec<f64>,
}

impl Tape for ByTheClock {
    fn push(&mut self, sample: &[f64]) -> bool {
        let t = scale(sample, &self.factors, &mut self.row);
        self.ring.as_mut().is_some_and(|ring| ring.record(t, &self.row))
    }

    fn end(&mut self, outcome: &str, log: &[String]) {
        let Some(ended) = self.ring.take().map(|ring| ring.finish(LAST)) else { return };
        if let Some(mut file) = ended.sink {
            log.iter().for_each(|line| file.note(line));
            let _ = file.0.finish(outcome, ended.dropped);
        }
    }
}

/// A ring into a result file.
struct ToFile(Appender);

impl Sink for ToFile {
    fn append(&mut self, rows: &[f64]) -> Result<usize, String> {
        self.0.append(rows).map_err(|e| e.to_string())
    }

    fn flush(&mut self) -> Result<(), String> {
        self.0.flush().map_err(|e| e.to_string())
    }

    fn note(&mut self, line: &str) {
        // A line that cannot be kept is not worth an error.
        let _ = self.0.log(line);
    }
}
