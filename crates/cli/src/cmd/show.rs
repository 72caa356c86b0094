//! `interfield show`: what is in a result file.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use interfield_results::Reader;
use interfield_results::summary::{Statistics, statistics};
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{print, print_json};
use crate::report::Evidence;
use crate::stored;
use interfield::laboratory::PREFIX;
use interfield::quantities::UNITS;
use interfield::record::{OVERRIDES, settings_json};
use interfield::table::{aligned, short, time};

/// Show the contents of a result file: how the run ended, its settings, its channels
///
/// Also works for a run that was killed or is still running.
#[derive(ClapArgs)]
#[command(after_help = "Examples:\n  interfield show interfield-out/frame.h5\n  \
interfield show interfield-out/frame.h5 --model > frame-as-run.toml\n  \
interfield show interfield-out/frame.h5 --json")]
pub(crate) struct Args {
    /// Result file (.h5)
    result: PathBuf,
    /// Print the model file that was run, and nothing else
    #[arg(long)]
    model: bool,
    /// Print the result as JSON (with --model: the model text in it)
    #[arg(long)]
    json: bool,
}

/// Lines of the log that are shown.
const LOG_LINES: usize = 10;

/// Characters of a setting that are shown.
const SETTING: usize = 100;

pub(crate) fn run(args: &Args) -> Exit {
    let reader = match stored::open(&args.result, args.json) {
        Ok(r) => r,
        Err(e) => return e,
    };
    if args.model && !args.json {
        print(&reader.meta().model_text);
        return Exit::Done;
    }
    let found = statistics(&reader).and_then(|s| Ok((s, span(&reader)?)));
    let (channels, span) = match found {
        Ok(found) => found,
        Err(e) => return stored::damaged(&e, args.json),
    };
    if args.json {
        let mut document = describe(&reader, &channels, span);
        if args.model {
            document["model"] = json!(reader.meta().model_text);
        }
        print_json(&document);
    } else {
        print(&explain(&reader, &channels, span));
    }
    Exit::Done
}

/// First and last time.
fn span(reader: &Reader) -> Result<Option<(f64, f64)>, interfield_results::Error> {
    let rows = reader.rows();
    let (first, last) = (reader.time(0..1)?, reader.time(rows.saturating_sub(1)..rows)?);
    Ok(first.first().copied().zip(last.first().copied()))
}

/// A time among the settings, in s.
fn seconds(reader: &Reader, name: &str) -> Option<f64> {
    reader.meta().setting(name)?.seconds()
}

fn describe(reader: &Reader, channels: &[Statistics], span: Option<(f64, f64)>) -> Value {
    let meta = reader.meta();
    let evidence = Evidence::of(reader);
    json!({
        "file": reader.path().display().to_string(),
        "title": meta.title,
        "outcome": reader.outcome().words(),
        "created": meta.created,
        "program": meta.program,
        "version": meta.version,
        "settings": settings_json(&meta.settings),
        "rows": reader.rows(),
        "dropped": reader.dropped(),
        "dt": seconds(reader, "dt"),
        "duration": seconds(reader, "duration"),
        "first_time": span.map(|s| s.0),
        "last_time": span.map(|s| s.1),
        UNITS: { "dt": "s", "duration": "s", "first_time": "s", "last_time": "s" },
        "channels": channels.iter().map(|s| json!({
            "name": s.channel.name, "unit": s.channel.unit, "quantity": s.channel.quantity,
            "description": s.channel.description, "min": s.min, "max": s.max, "peak": s.peak,
            "peak_time": s.peak_time, "rms": s.rms, "final": s.last, "not_a_number": s.nan,
            UNITS: { "peak_time": "s" },
        })).collect::<Vec<_>>(),
        "verdict": evidence.as_ref().map(|e| e.verdict.as_str()),
        "laboratory": evidence.as_ref().map(|e| &e.numbers),
        "log": reader.log().lines().collect::<Vec<_>>(),
    })
}

fn explain(reader: &Reader, channels: &[Statistics], span: Option<(f64, f64)>) -> String {
    let meta = reader.meta();
    let mut lines = vec![
        ("outcome", reader.outcome().words()),
        ("begun", meta.created.clone()),
        ("program", format!("{} {}", meta.program, meta.version)),
    ];
    let numbers = Evidence::of(reader).map_or(Value::Null, |e| e.numbers);
    for test in numbers.as_array().into_iter().flatten() {
        let reasons: Vec<&str> = test["reasons"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let word = |key: &str| test[key].as_str().unwrap_or_default();
        lines.push(("verdict", format!("{}: {}: {}", word("specimen"), word("verdict"), reasons.join("; "))));
    }
    // What is there for programs would only be cut here; --json shows it.
    let for_people = |name: &str| name != OVERRIDES && !name.starts_with(PREFIX);
    lines.extend(meta.settings.iter().filter(|(n, _)| for_people(n)).map(|(n, v)| (n.as_str(), cut(&v.to_string()))));
    let range = span.map_or_else(String::new, |(a, b)| format!(", t = {} to {}", time(a), time(b)));
    lines.push(("rows", format!("{}{range}", reader.rows())));
    if reader.dropped() > 0 {
        lines.push(("dropped", format!("{} rows: the disk was too slow", reader.dropped())));
    }
    let width = lines.iter().map(|(n, _)| n.chars().count()).max().unwrap_or(0);
    let mut out = format!("{}\n", meta.title);
    for (name, value) in lines {
        out += &format!("  {name:<width$}  {value}\n");
    }
    let rows: Vec<Vec<String>> = channels
        .iter()
        .map(|s| {
            let (c, at) = (&s.channel, format!("{:.3}", s.peak_time));
            vec![c.name.clone(), c.unit.clone(), short(s.min), short(s.max), at, short(s.rms), short(s.last)]
        })
        .collect();
    out += "\n";
    out += &aligned(&["channel", "unit", "min", "max", "peak at t [s]", "rms", "at the end"], &rows);
    let log: Vec<&str> = reader.log().lines().collect();
    if !log.is_empty() {
        out += "\nlog:\n";
    }
    for line in &log[log.len().saturating_sub(LOG_LINES)..] {
        out += &format!("  {line}\n");
    }
    out
}

/// A setting on one line of bounded length.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(SETTING).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(SETTING).is_some() {
        shown += " ...";
    }
    shown
}
