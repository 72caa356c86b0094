//! Signals: functions of time written in a model file, read from a record, or generated to fit a spectrum.

use std::ops::Range;

use interfield_motion::{
    Asce7, Ec8, Fit, Format, GenerateOptions, GroundType, MAX_BYTES, MotionError, Phase, Quantity, ReadError,
    ReadOptions, Record, STANDARD_GRAVITY, SpectrumType, generate, read as read_record, read_bytes,
};

use super::Context;
use crate::diag::{Diagnostic, did_you_mean};
use crate::formula::compile;
use crate::reader::{Spanned, Table};
use crate::signal::{Signal, TimeFunction, synthetic_motion};
use crate::units::{Dimension, Unit};

/// Most samples a signal may have.
const MAX_SAMPLES: usize = 50_000_000;
/// Most samples a generated motion may have: some seconds of work.
const MAX_GENERATED: f64 = 40_000.0;
/// Order of the Butterworth filter of `band_pass`, each way.
const FILTER_ORDER: usize = 4;

/// A signal: a table under `key`, or the name of a `[signal.NAME]`.
pub(super) fn signal(
    context: &Context<'_>,
    table: &Table<'_>,
    named: Option<&Table<'_>>,
    key: &str,
    dim: Dimension,
) -> Option<Signal> {
    if table.is_string(key) {
        let name = table.string(key)?;
        let found = named.and_then(|n| n.table(&name.value));
        if found.is_none() {
            let known = named.map_or_else(Vec::new, Table::keys);
            let help = did_you_mean(&name.value, known.iter().map(|k| k.value.as_str()))
                .unwrap_or_else(|| format!("declare it: [signal.{}]", name.value));
            context.error(name.span, format!("there is no signal `{}`", name.value), help);
        }
        let inner = found?;
        let signal = read_signal(context, &inner, dim);
        inner.finish();
        return signal;
    }
    let inner = table.table_required(key, "{ type = \"harmonic\", amplitude = 1.0, frequency = \"2 Hz\" }")?;
    let signal = read_signal(context, &inner, dim);
    inner.finish();
    signal
}

fn read_signal(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    const TYPES: [&str; 7] = ["harmonic", "synthetic", "table", "file", "generated", "constant", "formula"];
    let Some(kind) = t.choice_required("type", &TYPES) else {
        t.keys().iter().for_each(|k| t.ignore(&k.value));
        return None;
    };
    let scope = &context.scope;
    let scale = t.number("scale").map_or(1.0, |s| s.value);
    let mut signal = match TYPES[kind.value] {
        "constant" => Signal::Constant(t.quantity_required("value", dim, scope)?.value),
        "synthetic" => synthetic_motion(t.quantity_required("peak", dim, scope)?.value),
        "harmonic" => harmonic(context, t, dim)?,
        "formula" => formula(context, t, dim)?,
        "table" => {
            let values = t.quantities_required("values", dim, scope);
            let dt = t.quantity("dt", Dimension::TIME, scope);
            let times = t.quantities("times", Dimension::TIME, scope);
            let values = values?;
            let y: Vec<f64> = values.value.iter().map(|v| v.value).collect();
            let x: Option<Vec<f64>> = times.as_ref().map(|t| t.value.iter().map(|v| v.value).collect());
            samples(context, &values.span, t, dt, x, y, "")?
        }
        "generated" => generated(context, t, dim)?,
        _ => record(context, t, dim)?,
    };
    if scale != 1.0 {
        scale_signal(&mut signal, scale);
    }
    if !signal.peak().unwrap_or(0.0).is_finite() {
        context.error(t.span(), "the values of this signal are too large", "check its unit and its scale");
        return None;
    }
    Some(signal)
}

fn harmonic(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let scope = &context.scope;
    let amplitude = t.quantity_required("amplitude", dim, scope);
    let hertz = t.quantity("frequency", Dimension::FREQUENCY, scope);
    let omega = t.quantity("omega", Dimension::FREQUENCY, scope);
    let phase = t.quantity("phase", Dimension::NONE, scope).map_or(0.0, |p| p.value);
    let mean = t.quantity("mean", dim, scope).map_or(0.0, |m| m.value);
    if t.has("frequency") == t.has("omega") {
        let message = "a harmonic needs either `frequency` (Hz) or `omega` (rad/s)";
        context.error(t.span(), message, "write frequency = \"2 Hz\"");
        return None;
    }
    let omega = hertz.map(|f| std::f64::consts::TAU * f.value).or(omega.map(|w| w.value));
    Some(Signal::Harmonic { amplitude: amplitude?.value, omega: omega?, phase, mean })
}

fn formula(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let text = t.string_required("value", "\"10*sin(2*pi*t)\"")?;
    match compile(std::slice::from_ref(&text.value), &["t".to_owned()], &context.scope.constants()) {
        Ok(c) => {
            let units = &context.scope.units;
            let f = TimeFunction::new(c, units.factor(Dimension::TIME), units.factor(dim));
            if !f.value(0.0).is_finite() {
                let message = format!("this formula gives {} at t = 0", f.value(0.0));
                let help = "a division by zero, or a root or logarithm of a number that is not positive: guard it, \
                            e.g. with max(t, 1e-9)";
                context.error(text.span, message, help);
                return None;
            }
            Some(Signal::Formula(f))
        }
        Err(errors) => {
            errors.into_iter().for_each(|e| t.expr_error(&text, e.error));
            None
        }
    }
}

fn scale_signal(signal: &mut Signal, scale: f64) {
    match signal {
        Signal::Constant(x) => *x *= scale,
        Signal::Harmonic { amplitude, mean, .. } => (*amplitude, *mean) = (*amplitude * scale, *mean * scale),
        Signal::Samples { values, .. } => values.iter_mut().for_each(|v| *v *= scale),
        Signal::Points(p) => p.iter_mut().for_each(|p| p.1 *= scale),
        Signal::Formula(f) => f.scale(scale),
    }
}

/// Samples at equal steps or at given times; `file` starts the message about a file.
fn samples(
    context: &Context<'_>,
    span: &Range<usize>,
    t: &Table<'_>,
    dt: Option<Spanned<f64>>,
    times: Option<Vec<f64>>,
    y: Vec<f64>,
    file: &str,
) -> Option<Signal> {
    let refuse = |message: String, help: &str| {
        context.error(span.clone(), format!("{file}{message}"), help);
        None
    };
    if y.len() < 2 || y.len() > MAX_SAMPLES {
        let message = format!("a signal needs 2 to {MAX_SAMPLES} samples, found {}", y.len());
        return refuse(message, "give one sample per line, or a column of times and one of samples");
    }
    match (dt, times) {
        (Some(dt), None) if dt.value > 0.0 => Some(Signal::Samples { start: 0.0, dt: dt.value, values: y }),
        (Some(dt), None) => {
            let message = format!("the `dt` of a signal must be greater than zero, found {} s", dt.value);
            context.error(dt.span, message, "write for example dt = \"10 ms\"");
            None
        }
        (None, Some(x)) => {
            if x.len() != y.len() {
                return refuse(format!("{} times for {} values", x.len(), y.len()), "give as many times as values");
            }
            if let Some(i) = x.windows(2).position(|w| w[0] >= w[1]) {
                let (a, b) = (i + 1, i + 2);
                let message =
                    format!("times must increase, but sample {a} is at {} s and sample {b} at {} s", x[i], x[i + 1]);
                return refuse(message, "sort the samples by time and remove doubles");
            }
            // Equal steps up to the digits of a text file are stored as such: found in no time in the loop.
            let step = (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64;
            if x.iter().enumerate().all(|(i, t)| (t - x[0] - step * i as f64).abs() < 1e-6 * step) {
                return Some(Signal::Samples { start: x[0], dt: step, values: y });
            }
            Some(Signal::Points(x.into_iter().zip(y).collect()))
        }
        (dt, _) => {
            // A `dt` or `times` that could not be read has been reported.
            if dt.is_some() || !(t.has("dt") || t.has("times")) {
                context.error(t.span(), "samples need either `dt` or times", "write for example dt = \"10 ms\"");
            }
            None
        }
    }
}

/// What a record is read with.
struct Reading<'a, 'd> {
    path: Spanned<String>,
    format: Option<Format>,
    /// Factor to SI of the `unit` in the model.
    factor: Option<f64>,
    dt: Option<Spanned<f64>>,
    /// Counted from 1.
    column: Option<Spanned<usize>>,
    table: &'a Table<'d>,
    dim: Dimension,
}

/// A record in a file: PEER AT2, ESM, COSMOS or columns of numbers; processed as the model asks.
fn record(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    const FORMATS: [(&str, Format); 4] =
        [("columns", Format::Columns), ("peer", Format::Peer), ("esm", Format::Esm), ("cosmos", Format::Cosmos)];
    let path = t.string_required("path", "\"record.csv\"");
    let format = t.choice("format", &FORMATS.map(|f| f.0));
    let unit = t.string("unit");
    let dt = t.quantity("dt", Dimension::TIME, &context.scope);
    let column = t.integer("column");
    let processing = Processing::read(context, t, dim);
    let factor = unit.as_ref().map(|u| unit_factor(context, t, u, dim));
    if let Some(dt) = dt.as_ref().filter(|dt| dt.value <= 0.0) {
        let message = format!("the `dt` of a signal must be greater than zero, found {} s", dt.value);
        context.error(dt.span.clone(), message, "write for example dt = \"10 ms\"");
        return None;
    }
    let column = match column {
        Some(c) if c.value < 1 => {
            context.error(c.span, format!("columns are counted from 1, found {}", c.value), "write column = 1");
            return None;
        }
        c => c.map(|c| c.map(|i| usize::try_from(i).unwrap_or(usize::MAX))),
    };
    // A value that is there but could not be read has been reported.
    let unread =
        [("format", format.is_some()), ("unit", unit.is_some()), ("dt", dt.is_some()), ("column", column.is_some())];
    if unread.iter().any(|(key, read)| t.has(key) && !read) || factor == Some(None) {
        return None;
    }
    let factor = factor.flatten();
    let format = format.map(|f| FORMATS[f.value].1);
    let reading = Reading { path: path?, format, factor, dt, column, table: t, dim };
    let signal = reading.signal(context)?;
    processing?.apply(context, signal)
}

impl Reading<'_, '_> {
    fn refuse<T>(&self, context: &Context<'_>, message: &str, help: &str) -> Option<T> {
        context.error(self.path.span.clone(), format!("`{}`: {message}", self.path.value), help);
        None
    }

    fn refuse_record<T>(&self, context: &Context<'_>, e: &ReadError) -> Option<T> {
        let line = if e.line > 0 { format!("line {}: ", e.line) } else { String::new() };
        let help = if e.help.is_empty() { "correct the record, or fetch it again" } else { &e.help };
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
            let message = format!("`column` chooses among columns of numbers, but `{}` is {name}", self.path.value);
            context.error(column.span.clone(), message, "remove it, or write format = \"columns\"");
            return None;
        }
        let dt = self.dt.as_ref().map(|dt| dt.value);
        let options = ReadOptions { format: Some(format), unit: self.factor, dt, column: None };
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
        Some(Signal::Samples { start: 0.0, dt: record.dt, values: record.values })
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
        samples(context, &self.path.span, self.table, self.dt.clone(), times, y, &file)
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

/// What is done to a record, in this order.
struct Processing {
    /// Degree of the polynomial taken off.
    baseline: Option<Spanned<usize>>,
    /// Corner frequencies, Hz.
    band_pass: Option<Spanned<(f64, f64)>>,
    /// New sampling interval, s.
    resample: Option<Spanned<f64>>,
    /// Largest absolute value.
    peak: Option<Spanned<f64>>,
}

impl Processing {
    /// Reads the keys; `None` if one of them is wrong.
    fn read(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Self> {
        let scope = &context.scope;
        let baseline = t.integer("baseline");
        let corners = t.quantities("band_pass", Dimension::FREQUENCY, scope);
        let resample = t.quantity("resample", Dimension::TIME, scope);
        let peak = t.quantity("peak", dim, scope);
        let given = ["baseline", "band_pass", "resample", "peak"].map(|key| t.has(key));
        let mut good = given == [baseline.is_some(), corners.is_some(), resample.is_some(), peak.is_some()];
        let mut refuse = |span: &Range<usize>, message: String, help: &str| {
            context.error(span.clone(), message, help);
            good = false;
        };
        if dim != Dimension::ACCELERATION && dim != Dimension::ANGULAR_ACCELERATION {
            let spans =
                [("baseline", baseline.as_ref().map(|b| &b.span)), ("band_pass", corners.as_ref().map(|b| &b.span))];
            for (key, span) in spans.into_iter().filter_map(|(key, span)| Some((key, span?))) {
                let message = format!("`{key}` is for accelerations, this signal is {}", dim.describe());
                refuse(span, message, "remove it: this record is used as it is");
            }
        }
        if let Some(b) = baseline.as_ref().filter(|b| !(0..=3).contains(&b.value)) {
            let message = format!("`baseline` is the degree of a polynomial, 0 to 3, found {}", b.value);
            refuse(&b.span, message, "write baseline = 1");
        }
        let band_pass = corners.and_then(|c| match c.value.as_slice() {
            [low, high] if low.value >= 0.0 && high.value > low.value => {
                Some(Spanned::new((low.value, high.value), c.span.clone()))
            }
            _ => {
                let message = "`band_pass` needs two rising frequencies".to_owned();
                refuse(&c.span, message, "write band_pass = [\"0.1 Hz\", \"25 Hz\"]");
                None
            }
        });
        let positive = [("resample", &resample, "resample = \"5 ms\""), ("peak", &peak, "a peak greater than zero")];
        for (key, value, help) in positive {
            if let Some(v) = value.as_ref().filter(|v| v.value <= 0.0) {
                refuse(&v.span, format!("`{key}` must be greater than zero"), &format!("write {help}"));
            }
        }
        let baseline = baseline.map(|b| b.map(|n| usize::try_from(n).unwrap_or(0)));
        good.then_some(Self { baseline, band_pass, resample, peak })
    }

    /// Applies everything that was asked for.
    fn apply(&self, context: &Context<'_>, signal: Signal) -> Option<Signal> {
        let mut signal = self.record(context, signal)?;
        if let Some(peak) = &self.peak {
            let factor = peak.value / signal.peak().unwrap_or(0.0);
            if !factor.is_finite() {
                let message = "this record is zero throughout and cannot be scaled to a peak";
                context.error(peak.span.clone(), message, "give another record or column");
                return None;
            }
            scale_signal(&mut signal, factor);
        }
        Some(signal)
    }

    /// What needs equally spaced samples.
    fn record(&self, context: &Context<'_>, signal: Signal) -> Option<Signal> {
        let spans = [
            self.baseline.as_ref().map(|b| b.span.clone()),
            self.band_pass.as_ref().map(|b| b.span.clone()),
            self.resample.as_ref().map(|b| b.span.clone()),
        ];
        let Some(first) = spans.into_iter().flatten().next() else { return Some(signal) };
        let Signal::Samples { start, dt, values } = signal else {
            let message = "this needs samples at equal steps, but those of the record are not";
            context.error(first, message, "bring the record to equal steps first, or use it as it is");
            return None;
        };
        let tell = |span: &Range<usize>, e: MotionError| {
            context.error(span.clone(), e.message, "change or remove this key");
        };
        let mut record = Record::new(dt, values, Quantity::Acceleration).map_err(|e| tell(&first, e)).ok()?;
        if let Some(b) = &self.baseline {
            record = record.baseline_corrected(b.value, Fit::Velocity).map_err(|e| tell(&b.span, e)).ok()?;
        }
        if let Some(b) = &self.band_pass {
            let (low, high) = b.value;
            record = record.band_pass(low, high, FILTER_ORDER, Phase::Zero).map_err(|e| tell(&b.span, e)).ok()?;
        }
        if let Some(r) = &self.resample {
            record = record.resampled(r.value).map_err(|e| tell(&r.span, e)).ok()?;
        }
        Some(Signal::Samples { start, dt: record.dt, values: record.values })
    }
}

/// A ground motion made to fit the spectrum of a code.
fn generated(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let scope = &context.scope;
    let positive = |key: &str, value: Option<Spanned<f64>>| {
        if let Some(bad) = value.as_ref().filter(|v| v.value <= 0.0) {
            let help = "give the design acceleration of the site, e.g. \"0.25 g\", and times in seconds";
            context.error(bad.span.clone(), format!("`{key}` must be greater than zero"), help);
            return None;
        }
        value.map(|v| v.value)
    };
    let acceleration = |key: &str| positive(key, t.quantity_required(key, Dimension::ACCELERATION, scope));
    let time = |key: &str, default: f64| {
        if t.has(key) { positive(key, t.quantity(key, Dimension::TIME, scope)) } else { Some(default) }
    };
    let default = GenerateOptions::default();
    let spectrum = t.choice_required("spectrum", &["ec8", "asce7"]);
    let (duration, dt) = (time("duration", default.duration), time("dt", default.dt));
    let seed = match t.integer("seed") {
        None => (!t.has("seed")).then_some(default.seed),
        Some(s) => u64::try_from(s.value).ok().or_else(|| {
            context.error(s.span, "a `seed` is a whole number from 0", "write seed = 1");
            None
        }),
    };
    let mut damping = Some(default.damping);
    let target: Option<Box<dyn Fn(f64) -> f64>> = match spectrum.map(|s| s.value) {
        None => {
            t.keys().iter().for_each(|k| t.ignore(&k.value));
            None
        }
        Some(0) => {
            let ag = acceleration("ag");
            let ground = t.choice_required("ground", &["A", "B", "C", "D", "E"]);
            let kind = match t.integer("kind") {
                None => (!t.has("kind")).then_some(SpectrumType::Type1),
                Some(k) if k.value == 1 => Some(SpectrumType::Type1),
                Some(k) if k.value == 2 => Some(SpectrumType::Type2),
                Some(k) => {
                    let message = format!("EN 1998-1 has spectra of type 1 and 2, not {}", k.value);
                    context.error(k.span, message, "write kind = 1 (high seismicity) or kind = 2");
                    None
                }
            };
            if t.has("damping") {
                let given = t.quantity("damping", Dimension::NONE, scope);
                if let Some(bad) = given.as_ref().filter(|z| !(0.001..=0.5).contains(&z.value)) {
                    let message = format!("the damping of a spectrum lies between 0.001 and 0.5, found {}", bad.value);
                    context.error(bad.span.clone(), message, "write damping = 0.05 or damping = \"5 %\"");
                }
                damping = given.map(|z| z.value).filter(|z| (0.001..=0.5).contains(z));
            }
            let ground = ground
                .map(|g| [GroundType::A, GroundType::B, GroundType::C, GroundType::D, GroundType::E][g.value.min(4)]);
            match (ag, ground, kind, damping) {
                (Some(ag), Some(ground), Some(kind), Some(damping)) => {
                    let spectrum = Ec8 { ag, ground, kind, damping };
                    Some(Box::new(move |period| spectrum.acceleration(period)))
                }
                _ => None,
            }
        }
        Some(_) => {
            let (sds, sd1, tl) = (acceleration("sds"), acceleration("sd1"), time("tl", 8.0));
            match (sds, sd1, tl) {
                (Some(sds), Some(sd1), Some(tl)) => {
                    let spectrum = Asce7 { sds: sds / STANDARD_GRAVITY, sd1: sd1 / STANDARD_GRAVITY, tl };
                    Some(Box::new(move |period| spectrum.acceleration(period)))
                }
                _ => None,
            }
        }
    };
    if dim != Dimension::ACCELERATION {
        let message = format!("a generated motion is an acceleration, but {} is needed", dim.describe());
        context.error(t.span(), message, "use it for a [[load]] of type \"ground\"");
        return None;
    }
    let (duration, dt, seed, damping, target) = (duration?, dt?, seed?, damping?, target?);
    if duration / dt > MAX_GENERATED {
        let message =
            format!("a generated motion has at most {MAX_GENERATED} samples, this would have {:.0}", duration / dt);
        context.error(t.span(), message, "give a larger `dt` or a shorter `duration`");
        return None;
    }
    match generate(&*target, &GenerateOptions { dt, duration, seed, damping, ..default }) {
        Ok(record) => Some(Signal::Samples { start: 0.0, dt: record.dt, values: record.values }),
        Err(e) => {
            let help = "give a `duration` of 10 s or more in steps of 10 ms or less";
            context.error(t.span(), e.message, help);
            None
        }
    }
}
