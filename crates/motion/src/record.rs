//! The record itself.

use std::fmt;

use crate::MAX_SAMPLES;

/// What the samples of a record are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Acceleration in m/s².
    Acceleration,
    /// Velocity in m/s.
    Velocity,
    /// Displacement in m.
    Displacement,
}

impl Quantity {
    /// The SI unit of the samples.
    pub fn unit(self) -> &'static str {
        match self {
            Quantity::Acceleration => "m/s^2",
            Quantity::Velocity => "m/s",
            Quantity::Displacement => "m",
        }
    }

    /// The name in words.
    pub fn name(self) -> &'static str {
        match self {
            Quantity::Acceleration => "acceleration",
            Quantity::Velocity => "velocity",
            Quantity::Displacement => "displacement",
        }
    }
}

/// Where a record came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// PEER AT2, VT2 and DT2: text lines, a line with NPTS and DT, values in rows.
    Peer,
    /// ESM and ITACA ASCII: `KEY: value` lines, then a value a line.
    Esm,
    /// COSMOS V1.x and the CSMIP volumes before it: text, integer and real headers, then blocks of fixed width.
    Cosmos,
    /// Columns separated by commas, semicolons, tabs or spaces.
    Columns,
    /// Not read but computed.
    Generated,
}

impl Format {
    /// The name a reader would look for.
    pub fn name(self) -> &'static str {
        match self {
            Format::Peer => "PEER AT2",
            Format::Esm => "ESM ASCII",
            Format::Cosmos => "COSMOS",
            Format::Columns => "columns",
            Format::Generated => "generated",
        }
    }
}

/// A uniformly sampled ground motion in SI units.
#[derive(Clone, Debug, PartialEq)]
pub struct Record {
    /// Sampling interval in seconds.
    pub dt: f64,
    /// The samples, in the SI unit of [`quantity`](Self::quantity); the first is at time zero.
    pub values: Vec<f64>,
    /// What the samples are.
    pub quantity: Quantity,
    /// What the header says: event, station, component and the like, in the order of the file.
    pub meta: Vec<(String, String)>,
    /// What was assumed, repaired or done to the record, in order.
    pub notes: Vec<String>,
    /// Where the record came from.
    pub format: Format,
}

impl Record {
    /// A record of computed samples; fails if [`check`](Self::check) does.
    pub fn new(dt: f64, values: Vec<f64>, quantity: Quantity) -> Result<Self, MotionError> {
        let record = Self { dt, values, quantity, meta: Vec::new(), notes: Vec::new(), format: Format::Generated };
        record.check()?;
        Ok(record)
    }

    /// Whether the record can be worked with: `dt` positive and finite, two samples or more, all of them finite.
    pub fn check(&self) -> Result<(), MotionError> {
        if !(self.dt.is_finite() && self.dt > 0.0) {
            return Err(MotionError::new(format!(
                "the sampling interval must be positive and finite, not {}",
                self.dt
            )));
        }
        if self.values.len() < 2 {
            return Err(MotionError::new(format!(
                "a record needs two samples or more, this one has {}",
                self.values.len()
            )));
        }
        if self.values.len() > MAX_SAMPLES {
            return Err(MotionError::new(format!(
                "a record may have {MAX_SAMPLES} samples, this one has {}",
                self.values.len()
            )));
        }
        match self.values.iter().position(|x| !x.is_finite()) {
            Some(i) => Err(MotionError::new(format!("sample {} is {}", i + 1, self.values[i]))),
            None => Ok(()),
        }
    }

    /// Time from the first sample to the last, in seconds.
    pub fn duration(&self) -> f64 {
        self.values.len().saturating_sub(1) as f64 * self.dt
    }

    /// The time of sample `index`.
    pub fn time(&self, index: usize) -> f64 {
        index as f64 * self.dt
    }

    /// The header's value for `key`, compared without regard to case.
    pub fn meta(&self, key: &str) -> Option<&str> {
        self.meta.iter().find(|(k, _)| k.eq_ignore_ascii_case(key)).map(|(_, v)| v.as_str())
    }

    /// The same record with other samples and one more note.
    pub(crate) fn with(&self, dt: f64, values: Vec<f64>, note: String) -> Result<Self, MotionError> {
        let mut notes = self.notes.clone();
        notes.push(note);
        let record = Self { dt, values, quantity: self.quantity, meta: self.meta.clone(), notes, format: self.format };
        record.check()?;
        Ok(record)
    }

    /// Fails unless the record is a sound one of acceleration.
    pub(crate) fn check_acceleration(&self, what: &str) -> Result<(), MotionError> {
        self.check()?;
        if self.quantity != Quantity::Acceleration {
            return Err(MotionError::new(format!(
                "{what} needs an acceleration, this record is a {}",
                self.quantity.name()
            )));
        }
        Ok(())
    }
}

/// Why a record cannot be processed as asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MotionError {
    /// One sentence for the person who asked.
    pub message: String,
}

impl MotionError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

impl fmt::Display for MotionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for MotionError {}
