//! Columns of numbers, with or without a header: `t [s], a [m/s^2]`, `time,acc(g)`, `time_s,accel_m_s2`.
//!
//! Separators are commas, semicolons, tabs or spaces; with semicolons a comma may be the decimal sign. Lines that begin
//! with `#`, `%`, `//`, `!` or `*` are comments. The time column, if there is one, must be equally spaced.

use super::number::{bad, parse};
use super::{ReadError, ReadOptions, choose_dt, choose_unit, clip, finish, lines, push, shown};
use crate::record::{Format, Quantity, Record};
use crate::{MAX_SAMPLES, unit};

/// How many columns a row may have.
const MAX_COLUMNS: usize = 256;
/// How many lines may precede the numbers.
const HEADER_LINES: usize = 200;

#[derive(Clone, Copy)]
enum Separator {
    Semicolon,
    Comma,
    Space,
}

impl Separator {
    fn of(line: &str) -> Self {
        if line.contains(';') {
            Separator::Semicolon
        } else if line.contains(',') {
            Separator::Comma
        } else {
            Separator::Space
        }
    }

    fn split(self, line: &str) -> Box<dyn Iterator<Item = &str> + '_> {
        match self {
            Separator::Semicolon => Box::new(line.split(';').map(str::trim)),
            Separator::Comma => Box::new(line.split(',').map(str::trim)),
            Separator::Space => Box::new(line.split_whitespace()),
        }
    }
}

/// One cell; a comma in it is a decimal sign (it can only be there if semicolons separate).
fn cell(text: &str) -> Option<f64> {
    let text = text.trim_matches('"');
    if text.contains(',') && text.len() <= 64 { parse(&text.replace(',', ".")) } else { parse(text) }
}

fn is_comment(line: &str) -> bool {
    line.starts_with(['#', '%', '!', '*']) || line.starts_with("//")
}

pub(crate) fn read(text: &str, options: &ReadOptions) -> Result<Record, ReadError> {
    let mut notes = Vec::new();
    let mut meta = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let mut names_line = 0;
    let mut dt_found = None;
    let mut first = None;
    for (n, full) in lines(text) {
        let line = clip(full).trim();
        if line.is_empty() {
            continue;
        }
        let comment = is_comment(line);
        let body = line.trim_start_matches(['#', '%', '!', '*', '/']).trim();
        let separator = Separator::of(line);
        if !comment && separator.split(line).find(|c| !c.is_empty()).is_some_and(|c| cell(c).is_some()) {
            first = Some((n, separator));
            break;
        }
        if n > HEADER_LINES {
            return Err(ReadError::new(
                n,
                format!("no numbers in the first {HEADER_LINES} lines"),
                "is this a record?",
            ));
        }
        if !comment && first_is_nonfinite(separator, line) {
            return Err(bad(separator.split(line).next().unwrap_or(""), n));
        }
        dt_found = dt_found.or_else(|| dt_in(body));
        // Of several text lines the last with as many cells as it takes is the header; the others are remarks.
        let cells: Vec<String> =
            Separator::of(body).split(body).take(MAX_COLUMNS).map(|c| c.trim_matches('"').trim().to_owned()).collect();
        let cells = if matches!(Separator::of(body), Separator::Space) { regroup(cells) } else { cells };
        if !comment || cells.iter().any(|c| unit::in_name(c).is_some()) {
            names = cells;
            names_line = n;
        }
        if !body.is_empty() {
            match body.split_once(':') {
                Some((k, v)) if comment && k.len() <= 30 && !v.trim().is_empty() => {
                    meta.push((k.trim().to_owned(), v.trim().to_owned()));
                }
                _ => meta.push((format!("line {n}"), body.to_owned())),
            }
        }
    }
    let Some((start, separator)) = first else {
        return Err(ReadError::new(
            super::last_line(text),
            "there are no numbers in the text",
            "formats known: PEER AT2, ESM ASCII, COSMOS, columns of numbers",
        ));
    };

    let width = lines(text)
        .skip(start - 1)
        .map(|(_, l)| l)
        .next()
        .map_or(0, |l| separator.split(l.trim().trim_end_matches([',', ';'])).take(MAX_COLUMNS + 1).count());
    if width > MAX_COLUMNS {
        return Err(ReadError::new(
            start,
            format!("more than {MAX_COLUMNS} values on a line"),
            "write one sample per line, or give the format and dt if these are rows of a PEER record",
        ));
    }
    if names.len() != width {
        if !names.is_empty() && width > 1 && options.unit.is_none() {
            return Err(ReadError::new(
                names_line,
                format!("the header has {} names, the first row {width} values", names.len()),
                "name every column, or give unit and column in the options",
            ));
        }
        if !(width == 1 && unit_of(&names).is_some()) {
            names.clear();
        }
    }
    let time_column = if width > 1 {
        match names.first() {
            Some(_) => names.iter().position(|n| is_time(n)),
            None => Some(0),
        }
    } else {
        None
    };
    let column = match options.column {
        Some(c) if c == 0 || c > width => {
            return Err(ReadError::new(
                start,
                format!("column {c} was requested, but the text has {width}"),
                "columns are counted from 1",
            ));
        }
        Some(c) => c - 1,
        None => (0..width).find(|i| Some(*i) != time_column).unwrap_or(0),
    };
    // A column asked for by number that is the only candidate for the time leaves no time.
    let time_column = time_column.filter(|t| *t != column);
    let found = if names.len() == width { names.get(column).and_then(|n| unit::in_name(n)) } else { unit_of(&names) };
    let unit = choose_unit(options, found, if names_line > 0 { names_line } else { start }, &mut notes)?;
    let unit = (if found.is_none() { names.get(column).map_or(unit.0, |n| quantity_of(n)) } else { unit.0 }, unit.1);
    let others: Vec<String> = (0..width)
        .filter(|i| *i != column && Some(*i) != time_column)
        .map(|i| names.get(i).map_or_else(|| format!("{}", i + 1), |n| format!("{} ({})", i + 1, shown(n))))
        .take(8)
        .collect();
    if !others.is_empty() {
        notes.push(format!("column {} was read; other columns: {}", column + 1, others.join(", ")));
    }
    if let Some(name) = names.get(column) {
        meta.push(("column".to_owned(), name.clone()));
    }

    let (times, values, last) = body(text, start, separator, width, time_column, column)?;
    if values.len() < 2 {
        return Err(ReadError::new(
            last,
            "a record needs two values or more",
            "the text is truncated; download it \
            again",
        ));
    }
    let factor = time_column.and_then(|t| names.get(t)).map_or(1.0, |n| time_factor(n));
    let dt = match time_column {
        Some(t) if names.is_empty() && options.dt.is_some() && spacing(&times, 1.0, text, start).is_err() => {
            notes.push(format!("column {} is not a time; the given dt is used", t + 1));
            options.dt
        }
        Some(_) => {
            let (dt, note) = spacing(&times, factor, text, start)?;
            notes.extend(note);
            if times[0].abs() * factor > 1e-6 * dt {
                notes.push(format!("the first sample is at {} s; the time was shifted to zero", times[0] * factor));
            }
            Some(dt)
        }
        None => dt_found,
    };
    let dt = choose_dt(options, dt, start, &mut notes)?;
    Ok(finish(values, dt, unit, meta, notes, Format::Columns))
}

/// Reads time and value of every row.
fn body(
    text: &str,
    start: usize,
    separator: Separator,
    width: usize,
    time_column: Option<usize>,
    column: usize,
) -> Result<(Vec<f64>, Vec<f64>, usize), ReadError> {
    let (mut times, mut values, mut last) = (Vec::new(), Vec::new(), start);
    for (n, line) in lines(text).skip(start - 1) {
        let line = line.trim();
        if line.is_empty() || is_comment(line) {
            continue;
        }
        let mut seen = 0;
        for (i, c) in separator.split(line.trim_end_matches([',', ';'])).enumerate() {
            if i >= width {
                return Err(ReadError::new(n, format!("more values on this line than the {width} on the first"), ""));
            }
            seen += 1;
            if Some(i) != time_column && i != column {
                continue;
            }
            let v = cell(c).ok_or_else(|| bad(c, n))?;
            if i == column {
                push(&mut values, v, n)?;
            } else if times.len() < MAX_SAMPLES {
                times.push(v);
            }
        }
        if seen < width {
            return Err(ReadError::new(
                n,
                format!("{seen} values on this line, {width} on the first"),
                "the text may be truncated",
            ));
        }
        last = n;
    }
    Ok((times, values, last))
}

/// The interval of a time column, with a note if its stamps are rounded.
fn spacing(times: &[f64], factor: f64, text: &str, start: usize) -> Result<(f64, Option<String>), ReadError> {
    let n = times.len();
    let line_of = |i: usize| {
        lines(text)
            .skip(start - 1)
            .filter(|(_, l)| !l.trim().is_empty() && !is_comment(l.trim()))
            .nth(i)
            .map_or(start, |(n, _)| n)
    };
    let mut steps: Vec<f64> = times.windows(2).map(|w| w[1] - w[0]).collect();
    let middle = steps.len() / 2;
    let (_, median, _) = steps.select_nth_unstable_by(middle, f64::total_cmp);
    let median = *median;
    if let Some(i) = times.windows(2).position(|w| w[1] <= w[0]) {
        return Err(ReadError::new(
            line_of(i + 1),
            format!("time does not increase here: {} after {}", times[i + 1], times[i]),
            "the first column must be the time; give column and dt in the options if it is not",
        ));
    }
    if let Some(i) = times.windows(2).position(|w| ((w[1] - w[0]) - median).abs() > 0.5 * median) {
        return Err(ReadError::new(
            line_of(i + 1),
            format!("the samples are not equally spaced: {} here, {median} elsewhere", times[i + 1] - times[i]),
            "a row may be missing; resample the record to a fixed interval first",
        ));
    }
    let dt = (times[n - 1] - times[0]) / (n - 1) as f64;
    let deviation = |i: usize| (times[i] - times[0] - i as f64 * dt).abs();
    let worst = (0..n).max_by(|a, b| deviation(*a).total_cmp(&deviation(*b))).unwrap_or(0);
    if deviation(worst) > 0.5 * dt {
        return Err(ReadError::new(
            line_of(worst),
            format!(
                "the samples are not equally spaced: time {} deviates by {:.2} intervals",
                times[worst],
                deviation(worst) / dt
            ),
            "resample the record to a fixed interval first",
        ));
    }
    let note = (deviation(worst) > 0.01 * dt).then(|| {
        format!(
            "times deviate from equal spacing by up to {:.1} % of dt, as rounded times do",
            100.0 * deviation(worst) / dt
        )
    });
    let dt = dt * factor;
    let rounded = (dt * 1e9).round() / 1e9;
    let dt = if (rounded - dt).abs() < 1e-9 * dt { rounded } else { dt };
    Ok((super::check_dt(dt, start)?, note))
}

/// Joins a unit in brackets to the name before it: `t [s] a [m/s^2]` has two columns.
fn regroup(cells: Vec<String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for c in cells {
        match out.last_mut() {
            Some(last) if c.starts_with(['[', '(']) => {
                last.push(' ');
                last.push_str(&c);
            }
            _ => out.push(c),
        }
    }
    out
}

/// The one unit named among several words, for a single column under a line of prose.
fn unit_of(names: &[String]) -> Option<(Quantity, f64)> {
    names.iter().find_map(|n| unit::in_name(n))
}

fn base(name: &str) -> String {
    name.trim().split(['[', '(', '_', ' ', '/']).next().unwrap_or("").trim().to_ascii_lowercase()
}

fn is_time(name: &str) -> bool {
    matches!(
        base(name).as_str(),
        "t" | "time" | "times" | "sec" | "secs" | "seconds" | "zeit" | "temps" | "tempo" | "tiempo"
    )
}

fn time_factor(name: &str) -> f64 {
    let inner = unit::bracketed(name).or_else(|| name.rsplit(['_', ' ']).next()).unwrap_or("").trim();
    if inner.eq_ignore_ascii_case("ms") || inner.eq_ignore_ascii_case("msec") { 1e-3 } else { 1.0 }
}

fn quantity_of(name: &str) -> Quantity {
    let b = base(name);
    if b == "v" || b.starts_with("vel") {
        Quantity::Velocity
    } else if b == "d" || b == "u" || b.starts_with("dis") {
        Quantity::Displacement
    } else {
        Quantity::Acceleration
    }
}

/// `dt = 0.005` in a line of text.
fn dt_in(line: &str) -> Option<f64> {
    let lower = line.to_ascii_lowercase();
    let at = lower.find("dt")?;
    if lower[..at].ends_with(|c: char| c.is_alphanumeric()) {
        return None;
    }
    let rest = lower[at + 2..].trim_start();
    let rest = rest.strip_prefix(['=', ':'])?.trim_start();
    let end = rest.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '-' | 'e'))).unwrap_or(rest.len());
    parse(&rest[..end]).filter(|x| *x > 0.0)
}

fn first_is_nonfinite(separator: Separator, line: &str) -> bool {
    separator.split(line).next().is_some_and(|c| {
        matches!(c.trim_start_matches(['+', '-']).to_ascii_lowercase().as_str(), "nan" | "inf" | "infinity")
    })
}
