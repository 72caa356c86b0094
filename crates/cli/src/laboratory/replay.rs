//! A recording in place of the laboratory.

use std::path::{Path, PathBuf};

use interfield_lab::hardware::Hardware;
use interfield_lab::recorded::{Recorded, Track};
use interfield_model::specimen::Specimen;
use interfield_model::units::{Dimension, UnitSystem};
use interfield_results::Reader;

use super::tape;
use crate::files::same;

/// A recording of a laboratory, to be played back.
#[derive(Clone)]
pub(crate) struct Replay {
    path: PathBuf,
    tolerance: f64,
    channels: Vec<String>,
}

impl Replay {
    /// Looks at a recording; the error is a sentence for the user.
    pub(crate) fn open(path: &Path, tolerance: f64) -> Result<Self, String> {
        let reader = Reader::open(path).map_err(|e| e.to_string())?;
        let channels = reader.channels().iter().map(|c| c.name.clone()).collect();
        Ok(Replay { path: path.to_owned(), tolerance, channels })
    }

    /// Whether it holds the test of this specimen.
    pub(crate) fn holds(&self, specimen: &Specimen) -> bool {
        self.channels.contains(&tape::channel_name(&specimen.name, 0, "command"))
    }

    /// The specimen as it was recorded; `to` is where its next recording goes.
    pub(super) fn hardware(
        &self,
        specimen: &Specimen,
        units: &UnitSystem,
        to: &Path,
    ) -> Result<Box<dyn Hardware>, String> {
        let of =
            |e: &dyn std::fmt::Display| format!("the recording `{}` cannot be played back: {e}", self.path.display());
        if same(&self.path, to) {
            return Err(of(&"the run would write its own recording over it; give another --output"));
        }
        let reader = Reader::open(&self.path).map_err(|e| of(&e))?;
        let time = reader.time(0..reader.rows().min(2)).map_err(|e| of(&e))?;
        if let [a, b] = time[..]
            && ((b - a) - specimen.period).abs() > 1e-6 * specimen.period
        {
            let (was, is) = (b - a, specimen.period);
            return Err(of(&format!("it was sampled every {was} s, and the model wants every {is} s")));
        }
        let column = |i: usize, name: &str, dim: Dimension| {
            let name = tape::channel_name(&specimen.name, i, name);
            let unit = reader.channel(&name).map(|c| reader.channels()[c].unit.clone());
            if unit.as_ref().is_some_and(|u| *u != units.label(dim)) {
                return Err(of(&format!("channel `{name}` has other units than the model")));
            }
            let found = tape::column(&reader, &name, units.factor(dim));
            found.ok_or_else(|| of(&format!("it has no channel `{name}`")))
        };
        let track = |(i, actuator): (usize, &interfield_model::specimen::Actuator)| {
            let c = &actuator.calibration;
            let said = |[gain, offset]: [f64; 2], x: Vec<f64>| x.into_iter().map(|x| gain * x + offset).collect();
            Ok(Track {
                command: said(c.command, column(i, "command", Dimension::LENGTH)?),
                displacement: said(c.displacement, column(i, "reached", Dimension::LENGTH)?),
                force: said(c.force, column(i, "force", Dimension::FORCE)?),
            })
        };
        let tracks = specimen.actuators.iter().enumerate().map(track).collect::<Result<Vec<_>, String>>()?;
        let fresh = tape::column(&reader, &format!("{}.fresh", specimen.name), 1.0).unwrap_or_default();
        let fresh = fresh.into_iter().map(|f| f > 0.0).collect();
        Ok(Box::new(Recorded::new(tracks, fresh, self.tolerance).map_err(|e| of(&e))?))
    }
}
