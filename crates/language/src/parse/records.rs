//! Records: files of strong-motion networks, and columns of numbers.

use interfield_motion::{Format, MAX_BYTES, Quantity, ReadError, ReadOptions, read as read_record, read_bytes};

use super::Context;
use super::motions::Processing;
use super::signals::{SignalType, samples};
use crate::diag::Diagnostic;
use crate::key::*;
use crate::reader::{Spanned, Table};
use crate::signal::Signal;
use crate::units::{Dimension, Unit};

/// A record in a file.
pub(super) const FILE: SignalType =
    Type::new("file", "A record in a file: PEER AT2, ESM, COSMOS, or columns of numbers.", &[KEYS], record);

section! {
    [KEYS];
    PATH: Text = key("path", "The file, relative to the model.").required().example("record.at2");
    FORMAT: Choice<(Format, &'static str)> = choice("format", &FORMATS, "Its format, if it is not recognised.").example("peer");
    UNIT: Text = key("unit", "Unit of its values, if the file does not state it.").example("g");
    DT: Time = key("dt", "Sampling interval, if the file does not state it.").range(POSITIVE).example("10 ms");
    COLUMN: Whole = key("column", "Column of a file of columns, counted from 1.").range(from(1.0)).example("2");
    pub(super) BASELINE: Whole = key("baseline", "Baseline correction: degree (0 to 3) of the polynomial subtracted \
        from the acceleration.")
        .range(Allowed::Between(0.0, 3.0)).example("1");
    pub(super) BAND_PASS: List<Frequency> = key("band_pass", "Corner frequencies of a zero-phase band-pass \
        filter.").range(NOT_NEGATIVE)
        .example("[\"0.1 Hz\", \"25 Hz\"]");
    pub(super) RESAMPLE: Time = key("resample", "New sampling interval.").range(POSITIVE).example("5 ms");
    pub(super) PEAK: Driven = key("peak", "Peak to which it is scaled.").range(POSITIVE).example("0.3 g");
}

const FORMATS: [(Format, &str); 4] =
    [(Format::Columns, "columns"), (Format::Peer, "peer"), (Format::Esm, "esm"), (Format::Cosmos, "cosmos")];

/// What a record is read with.
struct Reading<'a, 'd> {
    path: Spanned<String>,
    format: Option<Format>,
    /// Factor to SI of the `unit` in the model.
    factor: Option<f64>,
    dt: Option<f64>,
    /// Counted from 1.
    column: Option<Spanned<usize>>,
    table: &'a Table<'d>,
    dim: Dimension,
}

/// A record in a file: PEER AT2, ESM, COSMOS or columns of numbers; processed as the model asks.
fn record(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let (errors, dim) = (context.diags.error_count(), t.displacement());
    let (path, format) = (t.read(&PATH), t.read(&FORMAT).map(|f| f.value.0));
    let factor = t.read(&UNIT).and_then(|u| unit_factor(context, t, &u, dim));
    let dt = t.read(&DT).map(|dt| dt.value);
    let column = t.read(&COLUMN).map(|c| c.map(|i| usize::try_from(i).unwrap_or(usize::MAX)));
    let processing = Processing::read(context, t);
    if context.diags.error_count() > errors {
        return None;
    }
    let signal = Reading { path: path?, format, factor, dt, column, table: t, dim }.signal(context)?;
    processing.apply(context, signal)
}

impl Reading<'_, '_> {
    fn refuse<T>(&self, context: &Context<'_>, message: &str, help: &str) -> Option<T> {
        context.error(self.path.span.clone(), format!("`{}`: {message}", self.path.value), help);
        None
    }

    fn refuse_record<T>(&self, context: &Context<'_>, e: &ReadError) -> Option<T> {
        let line = if e.line > 0 { format!("line {}: ", e.line) } else { String::new() };
        let help = if e.help.is_empty() { "correct the record, or download it again" } else { &e.help };
        self.refuse(context, &format!("{line}{}", e.message), help)
    }

    fn signal(&self, context: &Context<'_>) -> Option<Signal> {
        let bytes = match (context.files)(&self.path.value) {
            Ok(bytes) => bytes,
            Err(e) => return self.refuse(context, &e, "the path is relative to the model file"),
        };
        let text = match decode(&bytes) {
            Ok(text) => text,
            Err(e) => return self.refuse_record(context, &e),
        };
        drop(bytes);
        let format = self.format.unwrap_or_else(|| interfield_motion::read::detect(&text));
        if format == Format::Columns { self.columns(context, &text) } else { self.motion(context, &text, format) }
    }

    /// A record with a header that says what it is.
    fn motion(&self, context: &Context<'_>, text: &str, format: Format) -> Option<Signal> {
        let name = format.name();
        let wanted = match self.dim {
            dim if dim == Dimension::ACCELERATION => Quantity::Acceleration,
            dim if dim == Dimension::LENGTH => Quantity::Displacement,
            other => {
                let message = format!("this is a ground motion ({name}), but {} is needed", other.describe());
                return self.refuse(context, &message, "give columns of numbers");
            }
        };
        if let Some(column) = &self.column {
            let message = format!("`column` is for files with columns of numbers, but `{}` is {name}", self.path.value);
            context.error(column.span.clone(), message, "remove it, or write format = \"columns\"");
            return None;
        }
        let options = ReadOptions { format: Some(format), unit: self.factor, dt: self.dt, column: None };
        let record = match read_record(text, &options) {
            Ok(record) => record,
            Err(e) => return self.refuse_record(context, &e),
        };
        if record.quantity != wanted {
            let message = format!("this is a {}, but {} is needed", record.quantity.name(), self.dim.describe());
            return self.refuse(context, &message, "give another record of the same station");
        }
        for note in &record.notes {
            let warning = Diagnostic::warning(format!("`{}`: {note}", self.path.value), self.path.span.clone());
            context.diags.push(warning.help("`interfield motion FILE` shows what was read"));
        }
        Some(Signal::Samples { start: 0.0, dt: record.dt, values: record.values.into() })
    }

    /// Columns of numbers, of any dimension, at equal steps or at given times.
    fn columns(&self, context: &Context<'_>, text: &str) -> Option<Signal> {
        let units = &context.scope.units;
        let wanted = self.column.as_ref().map(|c| c.value - 1);
        let found = match Columns::read(text, wanted, self.dt.is_some()) {
            Ok(columns) => columns,
            Err((message, help)) => return self.refuse(context, &message, help),
        };
        let named = found.name.as_deref().and_then(unit_in_name);
        let factor = match (self.factor, named) {
            (Some(factor), _) => factor,
            (None, Some((unit, _))) if unit.dim == self.dim => unit.factor,
            (None, Some((unit, true))) => {
                let (name, dim) = (found.name.unwrap_or_default(), unit.dim.describe());
                let message = format!("the column `{name}` is {dim}, but {} is needed", self.dim.describe());
                return self.refuse(context, &message, "choose another with `column`, or give `unit`");
            }
            _ => units.factor(self.dim),
        };
        let time = found.time_name.as_deref().and_then(unit_in_name).filter(|(unit, _)| unit.dim == Dimension::TIME);
        let second = time.map_or_else(|| units.factor(Dimension::TIME), |(unit, _)| unit.factor);
        let y: Vec<f64> = found.y.into_iter().map(|v| v * factor).collect();
        let times = self.dt.is_none().then(|| found.x.iter().map(|t| t * second).collect());
        let file = format!("`{}`: ", self.path.value);
        samples(context, &self.path.span, self.table, (self.dt, times), y, &file)
    }
}

/// The text of a record: UTF-8, UTF-16 with a byte-order mark or Latin-1; anything else is refused by the motion crate,
/// which knows archives, images and login pages by name.
fn decode(bytes: &[u8]) -> Result<String, ReadError> {
    let wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let control = |b: &u8| *b < 9 || (14..32).contains(b) || *b == 127;
    let body = bytes.strip_suffix(b"\x1a").unwrap_or(bytes);
    let markup = body.trim_ascii_start().starts_with(b"<");
    if bytes.len() > MAX_BYTES || markup || body.is_empty() || (!wide && body.iter().any(control)) {
        read_bytes(bytes, &ReadOptions::default())?;
    }
    if wide {
        let order = if bytes[0] == 0xff { u16::from_le_bytes } else { u16::from_be_bytes };
        let units = bytes[2..].chunks_exact(2).map(|c| order([c[0], c[1]]));
        return Ok(char::decode_utf16(units).map(|c| c.unwrap_or('\u{fffd}')).collect());
    }
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    Ok(match std::str::from_utf8(body) {
        Ok(text) => text.to_owned(),
        Err(_) => body.iter().map(|&b| char::from(b)).collect(),
    })
}

/// Factor to SI of a unit that must have this dimension.
fn unit_factor(context: &Context<'_>, t: &Table<'_>, unit: &Spanned<String>, dim: Dimension) -> Option<f64> {
    match Unit::parse(&unit.value) {
        Ok(parsed) if parsed.dim == dim => Some(parsed.factor),
        Ok(parsed) => {
            let message = format!("expected a unit of {}, found {}", dim.describe(), parsed.dim.describe());
            let example = dim.example();
            let example = example.split_once(' ').map_or(example.as_str(), |(_, unit)| unit);
            context.error(unit.span.clone(), message, format!("write for example unit = \"{example}\""));
            None
        }
        Err(e) => {
            let help = e.help.unwrap_or_else(|| format!("{} is written like \"{}\"", dim.describe(), dim.example()));
            context.error(t.locate(unit, e.span), e.message, help);
            None
        }
    }
}

/// The unit in the name of a column, `a [m/s^2]` or `accel_m_s2`, and whether it stands in brackets.
fn unit_in_name(name: &str) -> Option<(Unit, bool)> {
    let known = |(quantity, factor): (Quantity, f64)| {
        let dim = match quantity {
            Quantity::Acceleration => Dimension::ACCELERATION,
            Quantity::Velocity => Dimension::VELOCITY,
            Quantity::Displacement => Dimension::LENGTH,
        };
        Unit { factor, dim }
    };
    let inside = name.find(['[', '(']).and_then(|open| {
        let rest = &name[open + 1..];
        rest.rfind([']', ')']).map(|close| rest[..close].trim())
    });
    match inside {
        Some(text) => {
            let unit = Unit::parse(text).ok().or_else(|| interfield_motion::unit::parse(text).map(known))?;
            Some((unit, true))
        }
        None => {
            let ending = name.rsplit_once(['_', ' ']).map(|(_, ending)| ending).and_then(|e| Unit::parse(e).ok());
            let unit = interfield_motion::unit::in_name(name).map(known).or(ending)?;
            Some((unit, false))
        }
    }
}

/// Two columns of a record.
#[derive(Debug, Default)]
struct Columns {
    /// The first column.
    x: Vec<f64>,
    /// The wanted column.
    y: Vec<f64>,
    /// Its name, if the file has a header.
    name: Option<String>,
    /// Name of the first column.
    time_name: Option<String>,
}

/// What is wrong with a record and what to do.
type Complaint = (String, &'static str);

impl Columns {
    /// Reads the first column and column `wanted` (from 0; the first that is no time if absent).
    ///
    /// Lines that start with # or % are comments, one line of text is the header; commas, semicolons, tabs and spaces
    /// separate. Where semicolons separate, a comma is the decimal sign.
    fn read(text: &str, wanted: Option<usize>, has_dt: bool) -> Result<Self, Complaint> {
        let end = if text.contains('\n') || !text.contains('\r') { '\n' } else { '\r' };
        let mut found = Self::default();
        let (mut names, mut header) = (Vec::new(), true);
        let mut column = None;
        for (number, line) in text.split(end).enumerate() {
            let line = line.trim();
            let at = format_args!("line {}", number + 1);
            if line.is_empty() || line.starts_with(['#', '%']) {
                if column.is_none() && line.contains(['[', '(']) && names.is_empty() {
                    names = names_of(line.trim_start_matches(['#', '%']));
                }
                continue;
            }
            let row = match row(line) {
                Err(_) if header => {
                    (names, header) = (names_of(line), false);
                    continue;
                }
                Err(word) => {
                    let word: String = word.chars().take(40).collect();
                    return Err((format!("{at}: `{word}` is not a number"), "remove or correct the line"));
                }
                Ok(row) => row,
            };
            header = false;
            if let Some(bad) = row.iter().position(|v| !v.is_finite()) {
                let message = format!("{at}, column {}: {} is not a finite number", bad + 1, row[bad]);
                return Err((message, "fill the gap in the record, or remove the line"));
            }
            let column = *column.get_or_insert_with(|| {
                if names.len() != row.len() {
                    names.clear();
                }
                // With `dt` the file has no times, unless its header says otherwise.
                let times = !has_dt || (row.len() > 1 && names.first().is_some_and(|n| is_time(n)));
                wanted.unwrap_or(usize::from(times))
            });
            let Some(value) = row.get(column) else {
                let help = "give `dt` for a file with one column, or `column` to choose another";
                return Err((format!("{at} has no column {}", column.saturating_add(1)), help));
            };
            found.x.push(row[0]);
            found.y.push(*value);
        }
        found.time_name = names.first().cloned();
        found.name = column.and_then(|c| names.get(c).cloned());
        Ok(found)
    }
}

/// The numbers of a line, or the first word that is none.
fn row(line: &str) -> Result<Vec<f64>, String> {
    let number = |w: &str| w.parse::<f64>().ok().or_else(|| interfield_motion::read::number::parse(w));
    let mut row = Vec::with_capacity(4);
    if line.contains(';') && line.contains(',') {
        for cell in line.trim_end_matches(';').split(';').map(str::trim) {
            row.push(number(&cell.replace(',', ".")).ok_or_else(|| cell.to_owned())?);
        }
        return Ok(row);
    }
    for word in line.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty()) {
        row.push(number(word).ok_or_else(|| word.to_owned())?);
    }
    Ok(row)
}

/// The names of a header line; a unit in brackets belongs to the name before it.
fn names_of(line: &str) -> Vec<String> {
    let line: String = line.chars().take(10_000).collect();
    let separator = [';', ',', '\t'].into_iter().find(|s| line.contains(*s));
    if let Some(separator) = separator {
        return line.split(separator).map(|n| n.trim().trim_matches('"').to_owned()).collect();
    }
    let mut names: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match names.last_mut() {
            Some(last) if word.starts_with(['[', '(']) => *last = format!("{last} {word}"),
            _ => names.push(word.to_owned()),
        }
    }
    names
}

/// Whether a column of this name holds times.
fn is_time(name: &str) -> bool {
    let base = name.split(['[', '(', '_', ' ']).next().unwrap_or("").trim().to_ascii_lowercase();
    matches!(base.as_str(), "t" | "time" | "times" | "zeit" | "temps" | "tempo" | "tiempo")
}
