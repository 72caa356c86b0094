//! A result file as CSV or as a MATLAB 5 file, in one pass and with flat memory.
//!
//! The result file itself is HDF5, which MATLAB reads with `h5read`; the MATLAB 5 file is for `load` in MATLAB and
//! Octave and for `scipy.io.loadmat`.

use crate::image::unit_name;
use crate::reader::{Outcome, Reader};
use crate::{Error, Result, Setting, identifiers, io_error};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes time and all channels as comma-separated values; the first line names them with their units. Every number
/// reads back to the same bits.
///
/// # Errors
/// When the result cannot be read or the text not be written.
pub fn csv(reader: &Reader, out: impl Write) -> Result<()> {
    let mut out = BufWriter::with_capacity(1 << 16, out);
    let wrong = |source: io::Error| Error::Io { path: reader.path().to_path_buf(), source };
    let mut line = String::from("t [s]");
    for channel in reader.channels() {
        line.push(',');
        let label =
            if channel.unit.is_empty() { channel.name.clone() } else { format!("{} [{}]", channel.name, channel.unit) };
        if label.contains([',', '"', '\n', '\r']) {
            line.push_str(&format!("\"{}\"", label.replace('"', "\"\"")));
        } else {
            line.push_str(&label);
        }
    }
    line.push('\n');
    out.write_all(line.as_bytes()).map_err(wrong)?;
    let all: Vec<usize> = (0..reader.channels().len()).collect();
    for chunk in reader.chunks(&all, 0) {
        let chunk = chunk?;
        for (row, t) in chunk.time.iter().enumerate() {
            write!(out, "{t:e}").map_err(wrong)?;
            for values in &chunk.channels {
                write!(out, ",{:e}", values[row]).map_err(wrong)?;
            }
            out.write_all(b"\n").map_err(wrong)?;
        }
    }
    out.flush().map_err(wrong)
}

/// Writes [`csv`] into a file.
///
/// # Errors
/// When the result cannot be read or the file not be written.
pub fn csv_file(reader: &Reader, path: &Path) -> Result<()> {
    let file = File::create(path).map_err(io_error(path))?;
    csv(reader, file).map_err(|error| match error {
        Error::Io { source, .. } => Error::Io { path: path.to_path_buf(), source },
        other => other,
    })
}

/// Writes a MATLAB 5 file with `time`, one column vector per channel (its name with underscores for what MATLAB takes in no
/// name), the structure `units` and the structure `info` (title, program, version, created, outcome, model_text, log, settings,
/// and `names`: the names of the channels as they are).
///
/// # Errors
/// When the result cannot be read, the file not be written, or a channel has more than 2 GiB (the format holds no more;
/// read the result file itself with `h5read` then).
pub fn mat5(reader: &Reader, path: &Path) -> Result<()> {
    let rows = reader.rows();
    if rows * 8 + 1024 > i32::MAX as u64 {
        return Err(Error::Invalid(format!(
            "{rows} rows are more than a MATLAB 5 file holds; read the result file itself with h5read"
        )));
    }
    let wrong = io_error(path);
    let mut out = BufWriter::with_capacity(1 << 16, File::create(path).map_err(&wrong)?);
    let mut header = format!("MATLAB 5.0 MAT-file, written by Interfield: {}", reader.meta().created);
    header = header.chars().map(|c| if c.is_ascii() { c } else { '?' }).take(116).collect();
    let mut bytes = header.into_bytes();
    bytes.resize(124, b' ');
    bytes[116..124].fill(0);
    bytes.extend_from_slice(&[0x00, 0x01, b'I', b'M']);
    out.write_all(&bytes).map_err(&wrong)?;

    let names = identifiers(reader.channels().iter().map(|c| c.name.as_str()));
    vector(&mut out, reader, None, "time").and_then(|r| r.map_err(&wrong))?;
    for (channel, name) in names.iter().enumerate() {
        vector(&mut out, reader, Some(channel), name).and_then(|r| r.map_err(&wrong))?;
    }

    let units: Vec<(&str, Vec<u8>)> = [("time", matrix_text("", "s"))]
        .into_iter()
        .chain(names.iter().zip(reader.channels()).map(|(name, c)| (name.as_str(), matrix_text("", &c.unit))))
        .collect();
    out.write_all(&matrix_struct("units", &units)).map_err(&wrong)?;

    let meta = reader.meta();
    let outcome = match reader.outcome() {
        Outcome::Finished(text) | Outcome::Interrupted(text) => text.as_str(),
        Outcome::Unknown => "unknown",
    };
    let settings: Vec<(String, Vec<u8>)> =
        meta.settings.iter().flat_map(|(name, value)| setting(name, value)).collect();
    let keys = identifiers(settings.iter().map(|(name, _)| name.as_str()));
    let settings: Vec<(&str, Vec<u8>)> =
        keys.iter().zip(settings).map(|(key, (_, value))| (key.as_str(), value)).collect();
    let full: Vec<(&str, Vec<u8>)> = names
        .iter()
        .zip(reader.channels())
        .map(|(name, channel)| (name.as_str(), matrix_text("", &channel.name)))
        .collect();
    let info = [
        ("title", matrix_text("", &meta.title)),
        ("program", matrix_text("", &meta.program)),
        ("version", matrix_text("", &meta.version)),
        ("created", matrix_text("", &meta.created)),
        ("outcome", matrix_text("", outcome)),
        ("model_text", matrix_text("", &meta.model_text)),
        ("log", matrix_text("", reader.log())),
        ("settings", matrix_struct("", &settings)),
        ("names", matrix_struct("", &full)),
    ];
    out.write_all(&matrix_struct("info", &info)).map_err(&wrong)?;
    out.flush().map_err(&wrong)
}

const MI_INT8: u32 = 1;
const MI_INT32: u32 = 5;
const MI_UINT32: u32 = 6;
const MI_DOUBLE: u32 = 9;
const MI_MATRIX: u32 = 14;
const MI_UTF8: u32 = 16;
const MX_STRUCT: u8 = 2;
const MX_CHAR: u8 = 4;
const MX_DOUBLE: u8 = 6;

/// Streams a column vector: its size is known before its values.
fn vector(out: &mut impl Write, reader: &Reader, channel: Option<usize>, name: &str) -> Result<io::Result<()>> {
    let rows = reader.rows();
    let head = matrix_head(MX_DOUBLE, [rows as i32, 1], name);
    let mut start = tag(MI_MATRIX, head.len() as u32 + 8 + rows as u32 * 8);
    start.extend_from_slice(&head);
    start.extend_from_slice(&tag(MI_DOUBLE, rows as u32 * 8));
    let mut result = out.write_all(&start);
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < rows && result.is_ok() {
        let range = at..(at + 65_536).min(rows);
        at = range.end;
        let values = match channel {
            None => reader.time(range)?,
            Some(channel) => reader.read(channel, range)?,
        };
        bytes.clear();
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        result = out.write_all(&bytes);
    }
    Ok(result)
}

fn tag(kind: u32, size: u32) -> Vec<u8> {
    let mut out = kind.to_le_bytes().to_vec();
    out.extend_from_slice(&size.to_le_bytes());
    out
}

fn element(kind: u32, data: &[u8]) -> Vec<u8> {
    let mut out = tag(kind, data.len() as u32);
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(8), 0);
    out
}

fn matrix_head(class: u8, dims: [i32; 2], name: &str) -> Vec<u8> {
    let mut out = element(MI_UINT32, &[class, 0, 0, 0, 0, 0, 0, 0]);
    out.extend_from_slice(&element(MI_INT32, &dims.map(i32::to_le_bytes).concat()));
    out.extend_from_slice(&element(MI_INT8, name.as_bytes()));
    out
}

/// Text as UTF-8, the one encoding that MATLAB, Octave and scipy all take; the dimension counts characters.
fn matrix_text(name: &str, text: &str) -> Vec<u8> {
    let mut body = matrix_head(MX_CHAR, [i32::from(!text.is_empty()), text.chars().count() as i32], name);
    body.extend_from_slice(&element(MI_UTF8, text.as_bytes()));
    element(MI_MATRIX, &body)
}

fn matrix_number(value: f64) -> Vec<u8> {
    let mut body = matrix_head(MX_DOUBLE, [1, 1], "");
    body.extend_from_slice(&element(MI_DOUBLE, &value.to_le_bytes()));
    element(MI_MATRIX, &body)
}

/// A setting, and its unit if it has one, as in the result file.
fn setting(name: &str, value: &Setting) -> Vec<(String, Vec<u8>)> {
    let own = |value| vec![(name.to_owned(), value)];
    match value {
        Setting::Text(text) => own(matrix_text("", text)),
        Setting::Count(n) => own(matrix_number(*n as f64)),
        Setting::Number(value, unit) if unit.is_empty() => own(matrix_number(*value)),
        Setting::Number(value, unit) => {
            [own(matrix_number(*value)), vec![(unit_name(name), matrix_text("", unit))]].concat()
        }
    }
}

fn matrix_struct(name: &str, fields: &[(&str, Vec<u8>)]) -> Vec<u8> {
    const LENGTH: usize = 64;
    let mut body = matrix_head(MX_STRUCT, [1, 1], name);
    // The one element that must have the short form: type and size in a single word.
    body.extend_from_slice(&(4 << 16 | MI_INT32).to_le_bytes());
    body.extend_from_slice(&(LENGTH as u32).to_le_bytes());
    let mut names = Vec::new();
    for (field, _) in fields {
        let start = names.len();
        names.extend_from_slice(field.as_bytes());
        names.resize(start + LENGTH, 0);
    }
    body.extend_from_slice(&element(MI_INT8, &names));
    for (_, value) in fields {
        body.extend_from_slice(value);
    }
    element(MI_MATRIX, &body)
}
