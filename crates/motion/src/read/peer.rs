//! PEER AT2, VT2 and DT2 in their several layouts.
//!
//! Modern: four lines, the third naming the unit, the fourth `NPTS=  4000, DT=   .0050 SEC`; or `4000  0.0050  NPTS, DT`.
//! Old: any number of text lines before that line, a closing line of asterisks. Bare: a line of the two numbers alone.
//! The values follow in rows of any length.

use super::number::{fields, parse, row};
use super::{ReadError, ReadOptions, choose_dt, choose_unit, clip, finish, last_line, lines, push, reconcile, shown};
use crate::record::{Format, Quantity, Record};
use crate::{STANDARD_GRAVITY, unit};

/// How many lines a header may have.
const HEADER_LINES: usize = 100;

/// The line that gives the counts, with what it says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Counts {
    /// The line's number.
    pub line: usize,
    /// How many values are announced.
    pub npts: Option<usize>,
    /// The sampling interval.
    pub dt: Option<f64>,
}

/// Looks for the line of NPTS and DT.
pub(crate) fn find_counts(text: &str) -> Option<Counts> {
    let mut previous: Option<Counts> = None;
    for (n, line) in lines(text).take(HEADER_LINES) {
        let line = clip(line);
        let width = fields(line).count();
        if let Some(bare) = previous.take()
            && width != 2
            && width > 0
            && row(line, n, |_| Ok(())).is_ok()
        {
            return Some(bare);
        }
        if let Some(c) = keyword_counts(n, line) {
            return Some(c);
        }
        previous = bare_counts(n, line);
    }
    None
}

/// `NPTS=  4000, DT=   .0050 SEC`, `NPTS: 4000 DT: 0.005`, `4000  0.0050  NPTS, DT`.
fn keyword_counts(line: usize, text: &str) -> Option<Counts> {
    let upper = text.to_ascii_uppercase();
    let at = upper.find("NPTS")?;
    let after = |key: &str| {
        let i = upper.find(key)? + key.len();
        let rest = upper.get(i..)?.trim_start_matches([' ', '=', ':', ',', '\t']);
        let end = rest
            .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-' | 'E' | 'D')))
            .unwrap_or(rest.len());
        // `SEC` glued to the number leaves a trailing E behind only if a digit precedes it.
        parse(rest.get(..end)?.trim_end_matches(['E', 'D', '.']))
    };
    let (npts, dt) = match (after("NPTS"), after("DT")) {
        (None, None) => {
            let mut numbers = fields(upper.get(..at)?).filter_map(parse);
            (numbers.next(), numbers.next())
        }
        found => found,
    };
    Some(Counts { line, npts: npts.and_then(count), dt })
}

/// A line of two numbers, a whole one and a sampling interval.
fn bare_counts(line: usize, text: &str) -> Option<Counts> {
    let mut f = fields(text);
    let (first, second, rest) = (f.next()?, f.next()?, f.next());
    let npts = first.bytes().all(|b| b.is_ascii_digit()).then(|| parse(first)).flatten().and_then(count)?;
    let dt = parse(second)?;
    (rest.is_none() && npts >= 2 && dt > 0.0 && dt <= 1.0 && second.contains('.')).then_some(Counts {
        line,
        npts: Some(npts),
        dt: Some(dt),
    })
}

fn count(x: f64) -> Option<usize> {
    ((1.0..=1e12).contains(&x) && x.fract() == 0.0).then_some(x as usize)
}

pub(crate) fn read(text: &str, options: &ReadOptions) -> Result<Record, ReadError> {
    let mut notes = Vec::new();
    let counts = find_counts(text);
    let header_end = match counts {
        Some(c) => c.line,
        None if options.dt.is_some() => {
            notes.push("no line with NPTS and DT; all rows of numbers were read".to_owned());
            lines(text)
                .take(HEADER_LINES)
                .take_while(|(n, l)| row(clip(l), *n, |_| Ok(())).is_err() || l.trim().is_empty())
                .last()
                .map_or(0, |(n, _)| n)
        }
        None => {
            return Err(ReadError::new(
                last_line(text).min(HEADER_LINES),
                "no line with NPTS and DT was found in the header",
                "a PEER record has one, as in `NPTS=  4000, DT=   .0050 SEC`; otherwise give dt in the options",
            ));
        }
    };
    let header: Vec<&str> = lines(text).take(header_end).map(|(_, l)| clip(l)).collect();
    let dt = choose_dt(options, counts.and_then(|c| c.dt), header_end, &mut notes)?;
    let found = header_unit(&header);
    if found.is_none() && options.unit.is_none() {
        notes.push("the header states no unit; g was assumed, as usual for PEER records".to_owned());
    }
    let unit = choose_unit(
        options,
        Some(found.unwrap_or((Quantity::Acceleration, STANDARD_GRAVITY))),
        header_end,
        &mut notes,
    )?;

    let mut values = Vec::new();
    let mut repaired = 0usize;
    let mut last = header_end;
    for (n, line) in lines(text).skip(header_end) {
        let trimmed = line.trim();
        if trimmed.is_empty() {
            continue;
        }
        if is_closing(trimmed) {
            break;
        }
        // A last line of text after all values is a remark; before that it is damage.
        let all_there = counts.and_then(|c| c.npts).is_some_and(|npts| values.len() >= npts);
        match row(line, n, |v| push(&mut values, v, n)) {
            Ok(r) => repaired += usize::from(r),
            Err(_)
                if all_there && !trimmed.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '.' | '-' | '+')) =>
            {
                notes.push(format!("the text from line {n} on was ignored: `{}`", shown(trimmed)));
                break;
            }
            Err(e) => return Err(e),
        }
        last = n;
    }
    if repaired > 0 {
        notes.push(format!("numbers without a space between them were separated on {repaired} lines"));
    }
    if values.is_empty() {
        return Err(ReadError::new(last, "no values follow the header", "the text is truncated; download it again"));
    }
    match counts.and_then(|c| c.npts) {
        Some(npts) => reconcile(&mut values, npts, last, &mut notes)?,
        None => notes.push(format!("the number of values is not stated; {} were read", values.len())),
    }
    if values.len() < 2 {
        return Err(ReadError::new(last, "a record needs two values or more", ""));
    }
    let meta = meta(&header);
    Ok(finish(values, dt, unit, meta, notes, Format::Peer))
}

/// `*** End Data ***`, `END`.
fn is_closing(line: &str) -> bool {
    (line.starts_with("***") && line.contains(|c: char| c.is_alphabetic() || c == ' '))
        || line.eq_ignore_ascii_case("end")
}

/// `ACCELERATION TIME SERIES IN UNITS OF G`, `The units are (g)`.
fn header_unit(header: &[&str]) -> Option<(Quantity, f64)> {
    header.iter().find_map(|line| {
        let lower = line.to_ascii_lowercase();
        let at = ["units of", "units are", "units:", "units =", "units="]
            .iter()
            .find_map(|k| Some(lower.find(k)? + k.len()))?;
        let rest = lower.get(at..)?.trim();
        let bracketed = unit::bracketed(rest).and_then(unit::parse);
        bracketed.or_else(|| unit::parse(rest.split([' ', ',', ';']).next()?))
    })
}

/// What the text lines say: PEER's second line is `event, date, station, component`.
fn meta(header: &[&str]) -> Vec<(String, String)> {
    let mut meta = Vec::new();
    let is_title = header.first().is_some_and(|l| {
        let u = l.to_ascii_uppercase();
        u.contains("STRONG MOTION") || u.contains("STRONG-MOTION") || u.contains("PEER")
    });
    for (i, line) in header.iter().enumerate() {
        let line = line.trim();
        if line.is_empty() || i + 1 == header.len() {
            continue;
        }
        if is_title && i == 1 {
            let parts: Vec<&str> = line.split(',').map(str::trim).collect();
            match parts.as_slice() {
                [event, date, station @ .., component] if !station.is_empty() => {
                    meta.push(("event".to_owned(), (*event).to_owned()));
                    meta.push(("date".to_owned(), (*date).to_owned()));
                    meta.push(("station".to_owned(), station.join(", ")));
                    meta.push(("component".to_owned(), (*component).to_owned()));
                }
                [event, station, component] => {
                    meta.push(("event".to_owned(), (*event).to_owned()));
                    meta.push(("station".to_owned(), (*station).to_owned()));
                    meta.push(("component".to_owned(), (*component).to_owned()));
                }
                _ => meta.push(("title".to_owned(), line.to_owned())),
            }
        } else {
            meta.push((if i == 0 { "title".to_owned() } else { format!("line {}", i + 1) }, line.to_owned()));
        }
    }
    meta
}
