//! COSMOS V1.x (and the CSMIP volumes it grew from): text, integer and real headers, comments, then a line that
//! describes the data, such as `4000 acceleration pts, approx 40 secs, units=cm/s2 (04), Format=(8F10.5)` or
//! `4000 points of accel data equally spaced at .010 sec, in cm/sec2. (8f10.3)`.
//!
//! The first block of data is read, whatever it is; a record with several blocks says so in its notes. The sampling
//! interval is on the data line or the 62nd real header value, in milliseconds (COSMOS 2001, table 3).

use super::number::{fields, parse, row};
use super::{ReadError, ReadOptions, choose_dt, choose_unit, clip, finish, last_line, lines, push, reconcile, shown};
use crate::record::{Format, Quantity, Record};
use crate::unit;

/// What a data line says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct DataLine {
    npts: usize,
    dt: Option<f64>,
    unit: Option<(Quantity, f64)>,
    unit_text: String,
    /// Field width of the Fortran format, if it was understood.
    width: Option<usize>,
}

/// Recognises the line that describes a block of data.
pub(crate) fn data_line(line: &str) -> Option<DataLine> {
    let lower = clip(line).to_ascii_lowercase();
    let first = fields(&lower).next()?;
    let npts = first
        .bytes()
        .all(|b| b.is_ascii_digit())
        .then(|| parse(first))
        .flatten()
        .filter(|x| *x >= 1.0 && *x <= 1e12)?;
    let spaced = lower.contains("equally spaced at");
    let named = lower.contains(" pts") && (lower.contains("units") || lower.contains("approx"));
    if !spaced && !named {
        return None;
    }
    let after = |key: &str| Some(&lower[lower.find(key)? + key.len()..]);
    let dt = after("equally spaced at").and_then(|r| parse(fields(r).next()?));
    let unit_text = after("units=")
        .or_else(|| after("units ="))
        .map(|r| r.split(['(', ',']).next().unwrap_or(""))
        .or_else(|| after(" in ").map(|r| r.split(['(', ',']).next().unwrap_or("")))
        .unwrap_or("")
        .trim()
        .to_owned();
    // The number of the unit in COSMOS table 2 stands in brackets behind its name.
    let code = after("units").and_then(unit::bracketed).and_then(|c| parse(c.split(')').next()?.trim()));
    let unit = unit::parse(&unit_text).or(match code.map(|c| c as i64) {
        Some(2) => unit::parse("g"),
        Some(4) => unit::parse("cm/s2"),
        Some(5) => unit::parse("cm/s"),
        Some(6) => unit::parse("cm"),
        Some(7) => unit::parse("in/s2"),
        Some(8) => unit::parse("in/s"),
        Some(9) => unit::parse("in"),
        Some(10) => unit::parse("gal"),
        Some(11) => unit::parse("mg"),
        _ => None,
    });
    Some(DataLine { npts: npts as usize, dt, unit, unit_text, width: field_width(&lower) })
}

/// The field width in `(8F10.5)`, `(6e12.4)`, `(1F15.6E)`, `(10I8)`.
fn field_width(line: &str) -> Option<usize> {
    let open = line.rfind('(')?;
    let inner = line[open + 1..].split(')').next()?;
    let letter = inner.find(['f', 'e', 'i', 'g', 'd'])?;
    let digits: String = inner[letter + 1..].chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok().filter(|w| (2..=40).contains(w))
}

pub(crate) fn read(text: &str, options: &ReadOptions) -> Result<Record, ReadError> {
    let mut notes = Vec::new();
    let mut meta = Vec::new();
    let mut reals: Vec<f64> = Vec::new();
    let mut wanted = 0usize;
    let mut text_lines = 0usize;
    let mut found = None;
    for (n, full) in lines(text) {
        let line = clip(full);
        if n > 2000 {
            break;
        }
        let upper = line.to_ascii_uppercase();
        if n == 1 {
            text_lines = upper
                .split_once("WITH ")
                .and_then(|(_, r)| r.split_whitespace().next()?.parse().ok())
                .filter(|x| *x <= 100)
                .unwrap_or(13);
        }
        if let Some(d) = data_line(line) {
            found = Some((n, d));
            break;
        }
        if upper.contains("REAL-HEADER") {
            wanted =
                fields(line).next().and_then(parse).filter(|x| (1.0..=10_000.0).contains(x)).map_or(0, |x| x as usize);
            continue;
        }
        if wanted > reals.len() {
            row(line, n, |v| {
                reals.push(v);
                Ok(())
            })?;
            continue;
        }
        if n <= text_lines && !line.trim().is_empty() {
            header_meta(n, line.trim(), &mut meta);
        }
    }
    let Some((at, data)) = found else {
        return Err(ReadError::new(
            last_line(text),
            "no line that describes the data was found",
            "one such as `4000 acceleration pts, approx 40 secs, units=cm/s2 (04), Format=(8F10.5)` is needed",
        ));
    };
    let header_dt = reals.get(61).copied().filter(|x| *x > 0.0).map(|ms| ms * 1e-3);
    let dt = choose_dt(options, data.dt.or(header_dt), at, &mut notes)?;
    if data.unit.is_none() && options.unit.is_none() {
        let what = if data.unit_text.is_empty() { "no unit" } else { data.unit_text.as_str() };
        return Err(ReadError::new(
            at,
            format!("the values are in `{}`, which is not a unit of motion", shown(what)),
            "use the processed record (volume 1 or 2), or give the factor to SI in the options",
        ));
    }
    let unit = choose_unit(options, data.unit, at, &mut notes)?;

    let mut values: Vec<f64> = Vec::new();
    let mut last = at;
    let mut by_width = 0usize;
    let mut rest_has_block = false;
    let mut complete = false;
    for (n, line) in lines(text).skip(at) {
        let trimmed = line.trim();
        if complete || trimmed.is_empty() {
            if !trimmed.is_empty() && data_line(line).is_some() {
                rest_has_block = true;
                break;
            }
            continue;
        }
        if trimmed.to_ascii_lowercase().starts_with("end-of-data") || trimmed.starts_with("/&") {
            complete = true;
            continue;
        }
        let before = values.len();
        if let Err(e) = row(line, n, |v| push(&mut values, v, n)) {
            values.truncate(before);
            let cells = data.width.and_then(|w| cut(line, w)).ok_or(e)?;
            for v in cells {
                push(&mut values, v, n)?;
            }
            by_width += 1;
        }
        last = n;
        complete = values.len() >= data.npts;
    }
    if by_width > 0 {
        notes.push(format!("{by_width} lines without spaces between numbers were split by the field width"));
    }
    if rest_has_block {
        notes.push("the text has further blocks of data; the first one was read".to_owned());
    }
    reconcile(&mut values, data.npts, last, &mut notes)?;
    if values.len() < 2 {
        return Err(ReadError::new(last, "a record needs two values or more", ""));
    }
    Ok(finish(values, dt, unit, meta, notes, Format::Cosmos))
}

/// Cuts a line into cells of `width`; `None` if one of them is no number.
fn cut(line: &str, width: usize) -> Option<Vec<f64>> {
    let line = line.trim_end();
    if !line.is_ascii() || line.len() > 4096 {
        return None;
    }
    line.as_bytes().chunks(width).map(|c| parse(std::str::from_utf8(c).ok()?.trim())).collect()
}

/// The text header's lines under names.
fn header_meta(n: usize, line: &str, meta: &mut Vec<(String, String)>) {
    let key = match n {
        1 => "title".to_owned(),
        2 => "event".to_owned(),
        _ => match line.split_once(':') {
            Some((k, v)) if k.len() <= 30 => {
                let k = k.trim();
                let name = if k.eq_ignore_ascii_case("statn no") { "station" } else { k };
                let name = if k.to_ascii_lowercase().starts_with("sta chan") { "component" } else { name };
                meta.push((name.to_owned(), v.trim().to_owned()));
                return;
            }
            _ => format!("line {n}"),
        },
    };
    meta.push((key, line.to_owned()));
}
