//! The laboratory in the report of a run: verdict, tracking, what was asked and what was reached, and how time was kept.

use interfield_lab::realtime::Histogram;
use interfield_lab::rig::LoopTiming;
use interfield_lab::verdict::Grade;
use interfield_language::Model;
use interfield_language::specimen::{Action, Specimen, Watch};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_report::{Axis, Block, Curve, Order, Panel, Table, printed};
use interfield_results::Reader;

use super::Evidence;
use crate::stored::curve;
use interfield::laboratory::{Assessed, json, log, table, tape};
use interfield::table::short;

/// Actuators whose curves are drawn.
const DRAWN: usize = 8;

/// All blocks of the section.
pub(crate) fn blocks(assessed: &[Assessed], model: &Model) -> Vec<Block> {
    assessed.iter().flat_map(|a| one(a, model)).collect()
}

/// Adds what was found to every recording; the error is a sentence.
pub(crate) fn keep(assessed: &[Assessed], model: &Model) -> Result<(), String> {
    let one_of = |a: &Assessed| {
        let Some(path) = &a.recording else { return Ok(()) };
        let test = std::slice::from_ref(a);
        // Its own log has the words of the operator too.
        let own = Reader::open(path).map(|r| r.log().lines().map(str::to_owned).collect());
        let evidence = Evidence {
            good: a.verdict.grade != Grade::Failed,
            verdict: verdict(a),
            laboratory: one(a, model),
            log: own.unwrap_or_else(|_| log(a)),
            numbers: json(test, &model.units),
            ..Evidence::default()
        };
        evidence.keep(path)
    };
    let failed: Vec<String> = assessed.iter().filter_map(|a| one_of(a).err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// The verdict in a line.
fn verdict(a: &Assessed) -> String {
    format!("{}: {}: {}", a.name, a.verdict.grade.word(), a.verdict.reasons.join("; "))
}

/// Verdict, tracking and limits first; then curves, time and log.
fn one(a: &Assessed, model: &Model) -> Vec<Block> {
    let units = &model.units;
    let (header, rows) = table(a, units);
    let mut blocks = vec![Block::Text(verdict(a)), Block::Table(Table { header, rows })];
    blocks.extend(model.specimens.iter().find(|s| s.name == a.name).and_then(|s| limits(a, s, units)));
    if let Some(reader) = a.recording.as_ref().and_then(|path| Reader::open(path).ok()) {
        blocks.extend(a.rig.iter().take(DRAWN).flat_map(|actuator| curves(a, &reader, &actuator.name)));
    }
    if let Some(LoopTiming { timing: kept, rights, compute }) = &a.timing {
        let times = [("wake-up", &kept.wake_up), ("controller", &kept.compute), ("next target", compute)];
        blocks.push(Block::Plot(Panel {
            title: format!("{}: timing", a.name),
            x: Axis::new("time", "µs").log(),
            y: Axis::new("samples", "").log(),
            order: Order::Sorted,
            curves: times.map(|(name, histogram)| Curve::line(name, bars(histogram))).to_vec(),
            note: format!("{} periods missed, {} overrun", kept.missed, kept.overrun),
            ..Panel::default()
        }));
        let notices: Vec<String> = rights.missing.iter().map(ToString::to_string).collect();
        if !notices.is_empty() {
            blocks.push(Block::Lines(notices));
        }
    }
    let lines = log(a);
    if !lines.is_empty() {
        blocks.push(Block::Lines(lines));
    }
    blocks
}

/// What each actuator did, beside the limit it was given; `None` if no limit has a number that can be compared.
fn limits(a: &Assessed, specimen: &Specimen, units: &UnitSystem) -> Option<Block> {
    let mut rows = Vec::new();
    for (i, tracking) in a.actuators.iter().enumerate() {
        let (limits, peaks) = (specimen.limits_of(i), tracking.as_ref().map(|t| t.peaks));
        let speed = Dimension::LENGTH.per(Dimension::TIME);
        let watched = [
            ("commanded displacement", limits.displacement, peaks.map(|p| p.command[0]), Dimension::LENGTH),
            ("commanded velocity", limits.velocity, peaks.map(|p| p.command[1]), speed),
            ("measured force", limits.force, peaks.map(|p| p.force), Dimension::FORCE),
            ("tracking error", limits.tracking, peaks.map(|p| p.error), Dimension::LENGTH),
        ];
        for (what, watch, reached, dimension) in watched {
            let Some(Watch { limit, action, .. }) = watch.filter(|w| w.limit.is_finite() && w.limit > 0.0) else {
                continue;
            };
            let (label, unit) = a.rig[i].unit(dimension, units);
            let number = |x: f64| short(x / unit);
            rows.push(vec![
                format!("actuator {}: {what}", a.rig[i].name),
                printed(&label),
                reached.map_or_else(|| "-".to_owned(), number),
                number(limit),
                reached.map_or_else(|| "-".to_owned(), |r| format!("{:.0}", 100.0 * r / limit)),
                Action::ALL.iter().find(|a| a.0 == action).map_or("", |a| a.1).to_owned(),
            ]);
        }
    }
    let header = ["limit", "unit", "largest", "limit", "used [%]", "beyond it"].map(str::to_owned).to_vec();
    (!rows.is_empty()).then_some(Block::Table(Table { header, rows }))
}

/// Target and reached, their difference, and the force over the displacement of an actuator.
fn curves(a: &Assessed, reader: &Reader, actuator: &str) -> Vec<Block> {
    let channel = |column: &str| reader.channel(&tape::channel_name(&a.name, actuator, column));
    let unit = |c: usize| reader.channels()[c].unit.clone();
    let over_time = |names: &[&str], title: &str| {
        let found: Option<Vec<(usize, Curve)>> = names
            .iter()
            .map(|name| {
                let c = channel(name)?;
                Some((c, curve(reader, name, None, c).ok()?))
            })
            .collect();
        let found = found?;
        let unit = unit(found.first()?.0);
        Some(Block::Plot(Panel {
            title: format!("{}, actuator {actuator}: {title}", a.name),
            x: Axis::new("time in the laboratory", "s"),
            y: Axis::new("displacement", &unit),
            order: Order::Sorted,
            curves: found.into_iter().map(|f| f.1).collect(),
            ..Panel::default()
        }))
    };
    let hysteresis = || {
        let (x, y) = (channel("reached")?, channel("force")?);
        Some(Block::Plot(Panel {
            title: format!("{}, actuator {actuator}: measured force", a.name),
            x: Axis::new("reached", &unit(x)),
            y: Axis::new("force", &unit(y)),
            curves: vec![curve(reader, "measured", Some(x), y).ok()?],
            ..Panel::default()
        }))
    };
    let blocks = [
        over_time(&["target", "reached"], "target and measured displacement"),
        over_time(&["error"], "tracking error"),
        hysteresis(),
    ];
    blocks.into_iter().flatten().collect()
}

/// A histogram as the outline of its bars, µs.
fn bars(histogram: &Histogram) -> Vec<(f64, f64)> {
    let bars = histogram.bars();
    bars.iter()
        .filter(|b| b.count > 0)
        .map(|b| ((0.5 * (b.range[0] + b.range[1])).max(1.0) / 1e3, b.count as f64))
        .collect()
}
