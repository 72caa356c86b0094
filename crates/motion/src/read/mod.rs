//! Reading records from text, with the format found out.
//!
//! Nothing is guessed silently: what a reader assumed or repaired is in [`Record::notes`], and a unit or sampling
//! interval that the text does not give is asked for rather than assumed. Memory stays bounded by the size of the text
//! whatever the header announces.

mod columns;
mod cosmos;
mod decode;
mod esm;
pub mod number;
mod peer;

use std::fmt;

pub use decode::read_bytes;

use crate::record::{Format, Quantity, Record};
use crate::{MAX_BYTES, MAX_SAMPLES};

/// What a caller knows better than the text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The format; found out if absent.
    pub format: Option<Format>,
    /// Factor from the values of the text to SI; overrides the unit the text names.
    pub unit: Option<f64>,
    /// Sampling interval in seconds; overrides the one the text gives.
    pub dt: Option<f64>,
    /// Which column holds the values, counted from one as on the page; for [`Format::Columns`] only.
    pub column: Option<usize>,
}

/// Why a text is not a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// The line it was seen at, counted from one; zero if it concerns the text as a whole.
    pub line: usize,
    /// What is wrong.
    pub message: String,
    /// What to do about it; may be empty.
    pub help: String,
}

impl ReadError {
    pub(crate) fn new(line: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { line, message: message.into(), help: help.into() }
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "line {}: ", self.line)?;
        }
        f.write_str(&self.message)?;
        if !self.help.is_empty() {
            write!(f, " ({})", self.help)?;
        }
        Ok(())
    }
}

impl std::error::Error for ReadError {}

/// Reads a record from text.
pub fn read(text: &str, options: &ReadOptions) -> Result<Record, ReadError> {
    if text.len() > MAX_BYTES {
        return Err(decode::too_long(text.len()));
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        return Err(ReadError::new(0, "the text is empty", "was the download complete?"));
    }
    if let Some(dt) = options.dt {
        check_dt(dt, 0)?;
    }
    if let Some(unit) = options.unit
        && !(unit.is_finite() && unit != 0.0)
    {
        return Err(ReadError::new(
            0,
            format!("the unit's factor to SI cannot be {unit}"),
            "cm/s^2 has the factor 0.01",
        ));
    }
    decode::refuse_markup(text)?;
    let record = match options.format.unwrap_or_else(|| detect(text)) {
        Format::Peer => peer::read(text, options),
        Format::Esm => esm::read(text, options),
        Format::Cosmos => cosmos::read(text, options),
        Format::Columns => columns::read(text, options),
        Format::Generated => {
            Err(ReadError::new(0, "`generated` is not a format that can be read", "omit the format: it is detected"))
        }
    }?;
    record.check().map_err(|e| ReadError::new(0, e.message, "values in a unit this size are not a ground motion"))?;
    Ok(record)
}

/// The format a text looks like; what looks like nothing else is taken for columns.
pub fn detect(text: &str) -> Format {
    let mut keys = 0;
    for (_, line) in lines(text).take(120) {
        let line = clip(line);
        let upper = line.to_ascii_uppercase();
        if (upper.contains("FORMAT V") && upper.contains("TEXT LINES"))
            || upper.contains("REAL-HEADER VALUES")
            || upper.contains("INTEGER-HEADER VALUES")
            || cosmos::data_line(line).is_some()
        {
            return Format::Cosmos;
        }
        if ["SAMPLING_INTERVAL_S:", "NDATA:", "EVENT_NAME:", "EVENT_ID:", "STATION_CODE:", "HEADER_FORMAT:"]
            .iter()
            .any(|k| upper.starts_with(k))
        {
            keys += 1;
        }
        if keys >= 2 {
            return Format::Esm;
        }
    }
    if keys == 1 && lines(text).take(120).any(|(_, l)| clip(l).to_ascii_uppercase().starts_with("SAMPLING_INTERVAL_S:"))
    {
        return Format::Esm;
    }
    if peer::find_counts(text).is_some() { Format::Peer } else { Format::Columns }
}

/// The lines of a text with their numbers from one; a text without any line feed is split at its carriage returns.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> + Clone {
    let end = if text.contains('\n') || !text.contains('\r') { '\n' } else { '\r' };
    text.split(end).map(|l| l.strip_suffix('\r').unwrap_or(l)).enumerate().map(|(i, l)| (i + 1, l))
}

/// The number of the last line that is not blank.
pub(crate) fn last_line(text: &str) -> usize {
    lines(text).filter(|(_, l)| !l.trim().is_empty()).last().map_or(0, |(n, _)| n)
}

/// The first part of a line: enough for any header, bounded for any input.
pub(crate) fn clip(line: &str) -> &str {
    line.char_indices().nth(400).map_or(line, |(i, _)| &line[..i])
}

/// A token for a message: short, and without control characters.
pub(crate) fn shown(token: &str) -> String {
    let mut s: String = token.trim().chars().take(24).map(|c| if c.is_control() { '?' } else { c }).collect();
    if token.trim().chars().nth(24).is_some() {
        s.push('…');
    }
    s
}

/// Checks a sampling interval.
pub(crate) fn check_dt(dt: f64, line: usize) -> Result<f64, ReadError> {
    if dt.is_finite() && (1e-7..=100.0).contains(&dt) {
        return Ok(dt);
    }
    Err(ReadError::new(
        line,
        format!("{dt} s cannot be the sampling interval of a ground motion"),
        "it is given in seconds, between 1e-7 and 100",
    ))
}

/// The sampling interval: the caller's if there is one, else the text's.
pub(crate) fn choose_dt(
    options: &ReadOptions,
    found: Option<f64>,
    line: usize,
    notes: &mut Vec<String>,
) -> Result<f64, ReadError> {
    match (options.dt, found) {
        (Some(dt), found) => {
            if let Some(f) = found
                && (f - dt).abs() > 1e-6 * dt
            {
                notes.push(format!("sampling interval {dt} s as given; the text states {f} s"));
            }
            Ok(dt)
        }
        (None, Some(f)) => check_dt(f, line),
        (None, None) => Err(ReadError::new(line, "no sampling interval is given", "give dt in the options")),
    }
}

/// Quantity and factor to SI: the caller's factor if there is one, else the text's unit.
pub(crate) fn choose_unit(
    options: &ReadOptions,
    found: Option<(Quantity, f64)>,
    line: usize,
    notes: &mut Vec<String>,
) -> Result<(Quantity, f64), ReadError> {
    match (options.unit, found) {
        (Some(unit), Some((quantity, f))) => {
            if (unit - f).abs() > 1e-9 * unit.abs() {
                notes.push(format!("factor {unit} to SI as given; the unit of the text has {f}"));
            }
            Ok((quantity, unit))
        }
        (Some(unit), None) => Ok((Quantity::Acceleration, unit)),
        (None, Some(found)) => Ok(found),
        (None, None) => Err(ReadError::new(
            line,
            "no unit is given for the values",
            "name it in the header as in `acc [m/s^2]`, or give its factor to SI in the options",
        )),
    }
}

/// Appends a value, or says why not.
pub(crate) fn push(values: &mut Vec<f64>, value: f64, line: usize) -> Result<(), ReadError> {
    if values.len() >= MAX_SAMPLES {
        return Err(ReadError::new(line, format!("more than {MAX_SAMPLES} values"), "cut the record into pieces"));
    }
    values.push(value);
    Ok(())
}

/// Holds the number of values read against the number announced: more than 1 % missing is an error, as
/// is twice the number or more.
pub(crate) fn reconcile(
    values: &mut Vec<f64>,
    announced: usize,
    line: usize,
    notes: &mut Vec<String>,
) -> Result<(), ReadError> {
    let found = values.len();
    if found >= announced.saturating_mul(2).max(announced.saturating_add(10)) {
        return Err(ReadError::new(
            line,
            format!("the header states {announced} values, but {found} were found"),
            "split a file with several components or records first",
        ));
    }
    if found > announced {
        values.truncate(announced);
        notes.push(format!("{} values beyond the stated {announced} were ignored", found - announced));
    } else if found < announced {
        let missing = announced - found;
        if missing as f64 > 0.01 * announced as f64 {
            return Err(ReadError::new(
                line,
                format!("the header states {announced} values, but only {found} were found"),
                "the text is truncated; download it again",
            ));
        }
        notes.push(format!("{missing} of the stated {announced} values are missing at the end"));
    }
    Ok(())
}

/// Scales the values of a finished reading to SI and makes the record.
pub(crate) fn finish(
    mut values: Vec<f64>,
    dt: f64,
    (quantity, factor): (Quantity, f64),
    meta: Vec<(String, String)>,
    notes: Vec<String>,
    format: Format,
) -> Record {
    values.iter_mut().for_each(|x| *x *= factor);
    Record { dt, values, quantity, meta, notes, format }
}
