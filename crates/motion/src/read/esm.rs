//! ESM and ITACA ASCII: lines of `KEY: value` (64 of them in version 1.2), then a value a line.

use super::number::{bad, parse, row};
use super::{ReadError, ReadOptions, choose_dt, choose_unit, clip, finish, lines, push, reconcile};
use crate::record::{Format, Record};
use crate::unit;

/// How many header lines there may be.
const HEADER_LINES: usize = 500;

pub(crate) fn read(text: &str, options: &ReadOptions) -> Result<Record, ReadError> {
    let mut notes = Vec::new();
    let mut meta: Vec<(String, String)> = Vec::new();
    let (mut dt, mut npts, mut unit) = (None, None, None);
    let mut end = 0;
    for (n, line) in lines(text) {
        let line = clip(line).trim();
        // The header ends where the numbers begin; a blank line belongs to it.
        if line.is_empty() {
            continue;
        }
        let Some((key, value)) = line.split_once(':').filter(|(k, _)| is_key(k)) else {
            if parse(line.split_whitespace().next().unwrap_or("")).is_some() {
                break;
            }
            let e = bad(line, n);
            if e.message.contains("finite") || e.message.contains("field") {
                return Err(e);
            }
            return Err(ReadError::new(
                n,
                format!("`{}` is neither `KEY: value` nor a number", super::shown(line)),
                "",
            ));
        };
        if n > HEADER_LINES {
            return Err(ReadError::new(n, format!("more than {HEADER_LINES} header lines"), "is this an ESM record?"));
        }
        let (key, value) = (key.trim().to_ascii_uppercase(), value.trim());
        let number = |what: &str| {
            parse(value)
                .ok_or_else(|| ReadError::new(n, format!("{what} `{}` is not a number", super::shown(value)), ""))
        };
        match key.as_str() {
            "SAMPLING_INTERVAL_S" => dt = Some((number("the sampling interval")?, n)),
            "NDATA" => {
                let x = number("the number of values")?;
                if !(1.0..=1e12).contains(&x) || x.fract() != 0.0 {
                    return Err(ReadError::new(n, format!("{x} is not a number of values"), ""));
                }
                npts = Some(x as usize);
            }
            "UNITS" => match unit::parse(value) {
                Some(u) => unit = Some((u, n)),
                None if options.unit.is_some() => {}
                None => {
                    return Err(ReadError::new(
                        n,
                        format!("the unit `{}` is unknown", super::shown(value)),
                        "give its factor to SI in the options",
                    ));
                }
            },
            "DATA_TYPE" if value.to_ascii_uppercase().contains("SPECTR") => {
                return Err(ReadError::new(
                    n,
                    format!("this is a `{}`, not a record", super::shown(value)),
                    "use the ACC, VEL or DIS file of the same station",
                ));
            }
            _ => {}
        }
        if !value.is_empty() {
            let name = match key.as_str() {
                "EVENT_NAME" => "event",
                "STATION_CODE" => "station",
                "STREAM" => "component",
                "EVENT_DATE_YYYYMMDD" => "date",
                other => other,
            };
            meta.push((name.to_owned(), value.to_owned()));
        }
        end = n;
    }
    let line = dt.map_or(end, |(_, n)| n);
    let dt = choose_dt(options, dt.map(|(x, _)| x), line, &mut notes)?;
    let unit = choose_unit(options, unit.map(|(u, _)| u), end, &mut notes)?;

    let mut values = Vec::new();
    let mut last = end;
    for (n, line) in lines(text).skip(end) {
        if line.trim().is_empty() {
            continue;
        }
        row(line, n, |v| push(&mut values, v, n))?;
        last = n;
    }
    if values.len() < 2 {
        return Err(ReadError::new(
            last,
            "the header is followed by fewer than two values",
            "the text is truncated; download it again",
        ));
    }
    match npts {
        Some(npts) => reconcile(&mut values, npts, last, &mut notes)?,
        None => notes.push(format!("NDATA is not given; {} values were read", values.len())),
    }
    if values.len() < 2 {
        return Err(ReadError::new(last, "a record needs two values or more", ""));
    }
    Ok(finish(values, dt, unit, meta, notes, Format::Esm))
}

/// A key is a word of capitals, digits and a few signs: `PGA_CM/S^2`.
fn is_key(text: &str) -> bool {
    let t = text.trim();
    t.starts_with(|c: char| c.is_ascii_alphabetic())
        && t.len() <= 60
        && t.bytes()
            .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'^' | b' ' | b'-' | b'(' | b')' | b'.'))
}
