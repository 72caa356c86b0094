//! Rows of stored results, shown again as the loop showed them.

use interfield_console::{Column, Feed, Hub, Topic};
use interfield_lab::controller::COLUMNS;
use interfield_lab::controller::live::LIVE_HEAD;
use interfield_lab::safety::monitor::MEASURED;
use interfield_lab::safety::{Action, State, Trip};
use interfield_language::specimen::Specimen;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_results::{Error, Reader};
use interfield_structure::Structure;
use serde_json::{Value, json};

use super::described::run_columns;

/// Rows that are read at once.
const BLOCK: u64 = 2048;
/// Rows that are shown at once; of more every so manyth is.
const AT_ONCE: u64 = 400;
/// Rows of the rings.
const RING: usize = 4096;

/// Where a column of a row comes from.
enum From {
    /// A channel, times a factor.
    Channel(usize, f64),
    /// The time.
    Time,
    /// The time of the test, over this step.
    Steps(f64),
    Nothing,
}

/// A file that is shown row by row.
pub(crate) struct Track {
    reader: Reader,
    times: Vec<f64>,
    feed: Feed,
    columns: Vec<From>,
    /// When the test begins in this file, and how much longer it takes there.
    begins: f64,
    scale: f64,
    next: u64,
    /// First row and columns that were read.
    block: (u64, Vec<Vec<f64>>),
}

impl Track {
    /// The time of the test at this time of the file.
    pub(crate) fn of_the_test(&self, t: f64) -> f64 {
        (t - self.begins) / self.scale
    }

    /// Goes to a time of the test.
    pub(crate) fn seek(&mut self, t: f64) {
        let t = self.begins + t * self.scale;
        self.next = self.times.partition_point(|x| *x < t) as u64;
    }

    /// Shows all rows up to a time of the test.
    pub(crate) fn show(&mut self, t: f64) -> Result<(), Error> {
        let t = self.begins + t * self.scale;
        let end = self.times.partition_point(|x| *x <= t) as u64;
        let stride = end.saturating_sub(self.next).div_ceil(AT_ONCE).max(1);
        while self.next < end {
            let row = (self.next + stride - 1).min(end - 1);
            self.read(row)?;
            let at = (row - self.block.0) as usize;
            let time = self.times[row as usize];
            let (feed, values) = (&mut self.feed, &self.block.1);
            for ((x, from), column) in feed.row().iter_mut().zip(&self.columns).zip(values) {
                *x = match from {
                    From::Channel(_, factor) => column[at] * factor,
                    From::Time => time,
                    From::Steps(dt) => (time / dt).round(),
                    From::Nothing => 0.0,
                };
            }
            feed.send();
            self.next = row + 1;
        }
        Ok(())
    }

    /// Makes sure that a row was read.
    fn read(&mut self, row: u64) -> Result<(), Error> {
        let (first, columns) = &self.block;
        let known = columns.iter().map(Vec::len).max().unwrap_or(0) as u64;
        if row >= *first && row < first + known {
            return Ok(());
        }
        let range = row..(row + BLOCK).min(self.times.len() as u64);
        let one = |from: &From| match from {
            From::Channel(c, _) => self.reader.read(*c, range.clone()),
            // As long as the others, so that the block is known.
            _ => Ok(vec![0.0; (range.end - range.start) as usize]),
        };
        self.block = (row, self.columns.iter().map(one).collect::<Result<_, _>>()?);
        Ok(())
    }
}

fn track(reader: Reader, times: Vec<f64>, feed: Feed, columns: Vec<From>) -> Track {
    Track { reader, times, feed, columns, begins: 0.0, scale: 1.0, next: 0, block: (0, Vec::new()) }
}

/// The channels of a run.
pub(crate) fn run_track(hub: &Hub, reader: Reader, times: Vec<f64>, structure: Option<&Structure>) -> Track {
    let columns =
        run_columns(structure.map(|s| s.model.as_ref()), reader.channels().iter().map(|c| (&c.name, &c.unit)));
    let dt = structure.map_or(1.0, |s| s.model.analysis.dt);
    let from =
        [From::Steps(dt), From::Time].into_iter().chain((0..reader.channels().len()).map(|c| From::Channel(c, 1.0)));
    let from = from.collect();
    let feed = hub.topic(Topic { name: "run".to_owned(), columns, time: 1, rig: false, open: true }, RING);
    track(reader, times, feed, from)
}

/// The shape of its structure, as far as its displacements were recorded.
pub(crate) fn shape_track(hub: &Hub, reader: Reader, times: Vec<f64>, structure: &Structure) -> Option<Track> {
    let model = &structure.model;
    let length = model.units.factor(Dimension::LENGTH);
    let recorded = |&d: &usize| {
        let dof = &model.dofs[d];
        let found = reader.channel(&dof.name).or_else(|| reader.channel(&format!("{}.u", dof.name)));
        found.map_or(From::Nothing, |c| From::Channel(c, if dof.angle { 1.0 } else { length }))
    };
    let from: Vec<From> = std::iter::once(From::Time).chain(structure.free().iter().map(recorded)).collect();
    if from.len() > super::described::DRAWN || !from.iter().any(|f| matches!(f, From::Channel(..))) {
        // What would stand still for want of a recording is not drawn.
        hub.tell("structure", Value::Null);
        return None;
    }
    let unknown = from.iter().skip(1).enumerate().filter(|(_, f)| matches!(f, From::Nothing));
    hub.tell("unrecorded", unknown.map(|(k, _)| json!(k)).collect());
    let unknowns = structure.free().iter().map(|&d| Column::new(&model.dofs[d].name, "", 1.0));
    let columns = std::iter::once(Column::new("t", "s", 1.0)).chain(unknowns).collect();
    let feed = hub.topic(Topic { name: "shape".to_owned(), columns, time: 0, rig: false, open: false }, RING);
    Some(track(reader, times, feed, from))
}

/// Limits that a recording has a column for.
const BARS: [(Trip, &str); 4] = [
    (Trip::Displacement, "command"),
    (Trip::MeasuredDisplacement, "reached"),
    (Trip::Force, "force"),
    (Trip::Tracking, "error"),
];

/// The recording of a specimen.
pub(crate) fn rig(hub: &Hub, reader: Reader, specimen: &Specimen, units: &UnitSystem) -> Result<Track, Error> {
    let times = reader.time(0..reader.rows())?;
    let own = |column: &str| reader.channel(&format!("{}.{column}", specimen.name));
    let head = |name: &&str| match *name {
        "time" | "model" => From::Time,
        name => own(name).map_or(From::Nothing, |c| From::Channel(c, 1.0)),
    };
    let mut from: Vec<From> = LIVE_HEAD.iter().map(head).collect();
    let mut columns: Vec<Column> = LIVE_HEAD.iter().map(|n| Column::new(*n, "", 1.0)).collect();
    let topic = format!("rig.{}", specimen.name);
    let (mut actuators, mut bars): (Vec<Value>, Vec<Value>) = (Vec::new(), Vec::new());
    for actuator in &specimen.actuators {
        let start = columns.len();
        let unit = |column: &str| {
            actuator.unit(
                match column {
                    "force" => Dimension::FORCE,
                    "stiffness" => Dimension::STIFFNESS,
                    _ => Dimension::LENGTH,
                },
                units,
            )
        };
        for column in COLUMNS {
            let name = format!("{}.{column}", actuator.name);
            from.push(own(&name).map_or(From::Nothing, |c| From::Channel(c, 1.0)));
            columns.push(Column::new(name, unit(column).0, 1.0));
        }
        actuators.push(json!({
            "name": actuator.name, "column": start, "adapted": 0, "adapts": [],
            "length": unit("reached").0, "force": unit("force").0,
        }));
        for (trip, watch) in MEASURED.into_iter().zip(specimen.limits.watches()) {
            let Some((watch, (_, column))) = watch.zip(BARS.iter().find(|b| b.0 == trip)) else { continue };
            let place = COLUMNS.iter().position(|c| c == column).unwrap_or(0);
            let action = Action::ALL.iter().find(|x| x.0 == watch.action).map_or("", |x| x.1);
            let (label, factor) = unit(column);
            bars.push(json!({
                "label": trip.name().replace('-', " "), "topic": topic, "column": start + place,
                "limit": watch.limit / factor, "unit": label, "action": action,
            }));
        }
    }
    hub.tell_more(
        "rigs",
        json!({ "name": specimen.name, "topic": topic, "time": 0, "actuators": actuators, "bars": bars }),
    );
    // The test proper begins with its first sample: what comes before is the way to its start.
    let running = f64::from(State::Running as u8);
    let states = own("state").map(|c| reader.read(c, 0..reader.rows())).transpose()?;
    let first = states.and_then(|s| s.iter().position(|x| *x == running)).unwrap_or(0);
    let begins = times.get(first).copied().unwrap_or(0.0);
    let feed = hub.topic(Topic { name: topic, columns, time: 0, rig: true, open: true }, RING);
    Ok(Track { begins, scale: specimen.time_scale, ..track(reader, times, feed, from) })
}
