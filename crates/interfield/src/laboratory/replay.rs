//! A recording in place of the laboratory.

use std::path::{Path, PathBuf};

use interfield_lab::hardware::Hardware;
use interfield_lab::recorded::{Recorded, Track};
use interfield_language::specimen::{Instrument, Specimen};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_results::Reader;

use super::settings::PREFIX;
use super::tape;
use crate::files::same;

/// Recordings of a laboratory, to be played back.
#[derive(Clone)]
pub struct Replay {
    recordings: Vec<Recording>,
    tolerance: f64,
}

#[derive(Clone)]
struct Recording {
    path: PathBuf,
    channels: Vec<String>,
}

impl Replay {
    /// Looks at a recording; the error is a sentence for the user.
    pub fn open(path: &Path, tolerance: f64) -> Result<Self, String> {
        Self::open_all(&[path.to_owned()], tolerance)
    }

    /// Looks at the recordings of all specimens of a test; the error is a sentence for the user.
    pub fn open_all(paths: &[PathBuf], tolerance: f64) -> Result<Self, String> {
        let open = |path: &PathBuf| {
            let reader = Reader::open(path).map_err(|e| e.to_string())?;
            let channels = reader.channels().iter().map(|c| c.name.clone()).collect();
            Ok(Recording { path: path.clone(), channels })
        };
        Ok(Replay { recordings: paths.iter().map(open).collect::<Result<_, String>>()?, tolerance })
    }

    /// The recording of the test of this specimen.
    fn of(&self, specimen: &Specimen) -> Option<&Recording> {
        self.recordings.iter().find(|r| called(&r.channels, specimen, 0).is_some())
    }

    /// Whether it holds the test of this specimen.
    pub fn holds(&self, specimen: &Specimen) -> bool {
        self.of(specimen).is_some()
    }

    /// The specimen as it was recorded; `to` is where its next recording goes.
    pub(crate) fn hardware(
        &self,
        specimen: &Specimen,
        units: &UnitSystem,
        to: Option<&Path>,
    ) -> Result<Box<dyn Hardware>, String> {
        let Some(Recording { path, channels }) = self.of(specimen) else {
            return Err(format!("there is no recording of specimen `{}`", specimen.name));
        };
        let of = |e: &dyn std::fmt::Display| format!("the recording `{}` cannot be replayed: {e}", path.display());
        if to.is_some_and(|to| same(path, to)) {
            return Err(of(&"the run would overwrite it with its own recording; give another --output"));
        }
        let reader = Reader::open(path).map_err(|e| of(&e))?;
        if let Some(every) = thinned(&reader, &specimen.name) {
            return Err(of(&format!(
                "it holds only one in {every} samples (`record_rate`); a replay needs all of \
                them"
            )));
        }
        if reader.dropped() > 0 {
            return Err(of(&format!("{} samples are missing; a replay needs all of them", reader.dropped())));
        }
        let time = reader.time(0..reader.rows().min(2)).map_err(|e| of(&e))?;
        if let [a, b] = time[..]
            && ((b - a) - specimen.period).abs() > 1e-6 * specimen.period
        {
            let (was, is) = (crate::table::time(b - a), crate::table::time(specimen.period));
            return Err(of(&format!("its sampling interval is {was}, but the model needs {is}")));
        }
        let actuator = |i: usize| called(channels, specimen, i).unwrap_or_else(|| specimen.actuators[i].name.clone());
        let column = |i: usize, name: &str, dim: Dimension| {
            let name = tape::channel_name(&specimen.name, &actuator(i), name);
            let unit = reader.channel(&name).map(|c| reader.channels()[c].unit.clone());
            let (label, factor) = specimen.actuators[i].unit(dim, units);
            if let Some(was) = unit.filter(|u| *u != label) {
                return Err(of(&format!("channel `{name}` is in {was}, and the model has {label}")));
            }
            Ok((name, factor))
        };
        let command = |i: usize| {
            let (name, factor) = column(i, "command", Dimension::LENGTH)?;
            let found = tape::column(&reader, &name, factor);
            found.ok_or_else(|| of(&format!("it has no channel `{name}`")))
        };
        let reading = |i: usize, name: &str, dim: Dimension| {
            let (channel, factor) = column(i, name, dim)?;
            let found = tape::reading(&reader, &specimen.name, &actuator(i), name, factor);
            found.ok_or_else(|| of(&format!("it has no channel `{channel}`")))
        };
        let track = |i: usize| {
            Ok(Track {
                command: command(i)?,
                displacement: reading(i, "reached", Dimension::LENGTH)?,
                force: reading(i, "force", Dimension::FORCE)?,
            })
        };
        let tracks = (0..specimen.actuators.len()).map(track).collect::<Result<Vec<_>, String>>()?;
        let fresh = tape::column(&reader, &format!("{}.fresh", specimen.name), 1.0).unwrap_or_default();
        let fresh = fresh.into_iter().map(|f| f > 0.0).collect();
        let further = |(instrument, name, dim): (&Instrument, &str, Dimension)| {
            let channel = tape::channel_name(&specimen.name, &instrument.name, name);
            let unit = reader.channel(&channel).map(|c| reader.channels()[c].unit.clone());
            let (label, factor) = instrument.unit(dim, units);
            if let Some(was) = unit.filter(|u| *u != label) {
                return Err(of(&format!("channel `{channel}` is in {was}, and the model has {label}")));
            }
            let found = tape::reading(&reader, &specimen.name, &instrument.name, name, factor);
            found.ok_or_else(|| of(&format!("it has no channel `{channel}`")))
        };
        let transducers = specimen.further_transducers().map(|t| further((t, "reached", Dimension::LENGTH)));
        let load_cells = specimen.further_load_cells().map(|c| further((c, "force", Dimension::FORCE)));
        let sensors = [transducers.collect::<Result<_, String>>()?, load_cells.collect::<Result<_, String>>()?];
        let recorded = Recorded::new(tracks, fresh, self.tolerance).and_then(|r| r.with_sensors(sensors));
        Ok(Box::new(recorded.map_err(|e| of(&e))?))
    }
}

/// The name of an actuator in a recording with these channels: its own, or its number, by which earlier versions called all.
fn called(channels: &[String], specimen: &Specimen, i: usize) -> Option<String> {
    let names = [specimen.actuators.get(i)?.name.clone(), (i + 1).to_string()];
    names.into_iter().find(|name| channels.contains(&tape::channel_name(&specimen.name, name, "command")))
}

/// Of how many samples one was recorded, if not each.
fn thinned(reader: &Reader, specimen: &str) -> Option<u64> {
    let name = format!("{PREFIX}{specimen}");
    let settings: serde_json::Value = serde_json::from_str(reader.meta().setting(&name)?.text()?).ok()?;
    settings["record_every"].as_u64().filter(|n| *n > 1)
}
