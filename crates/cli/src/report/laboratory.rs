//! The laboratory in the report of a run: verdict, tracking, what was asked and what was reached, and how time was kept.

use interfield_lab::realtime::Histogram;
use interfield_lab::rig::LoopTiming;
use interfield_lab::verdict::Grade;
use interfield_language::units::UnitSystem;
use interfield_report::{Axis, Block, Curve, Order, Panel, Table};
use interfield_results::Reader;

use super::Evidence;
use crate::stored::curve;
use interfield::laboratory::{Assessed, json, log, table, tape};

/// Actuators whose curves are drawn.
const DRAWN: usize = 8;

/// All blocks of the section.
pub(crate) fn blocks(assessed: &[Assessed], units: &UnitSystem) -> Vec<Block> {
    assessed.iter().flat_map(|a| one(a, units)).collect()
}

/// Adds what was found to every recording; the error is a sentence.
pub(crate) fn keep(assessed: &[Assessed], units: &UnitSystem) -> Result<(), String> {
    let one = |a: &Assessed| {
        let Some(path) = &a.recording else { return Ok(()) };
        let test = std::slice::from_ref(a);
        // Its own log has the words of the operator too.
        let own = Reader::open(path).map(|r| r.log().lines().map(str::to_owned).collect());
        let evidence = Evidence {
            good: a.verdict.grade != Grade::Failed,
            verdict: verdict(a),
            laboratory: one(a, units),
            log: own.unwrap_or_else(|_| log(a)),
            numbers: json(test, units),
            ..Evidence::default()
        };
        evidence.keep(path)
    };
    let failed: Vec<String> = assessed.iter().filter_map(|a| one(a).err()).collect();
    if failed.is_empty() { Ok(()) } else { Err(failed.join("; ")) }
}

/// The verdict in a line.
fn verdict(a: &Assessed) -> String {
    format!("{}: {}: {}", a.name, a.verdict.grade.word(), a.verdict.reasons.join("; "))
}

fn one(a: &Assessed, units: &UnitSystem) -> Vec<Block> {
    let (header, rows) = table(a, units);
    let mut blocks = vec![Block::Text(verdict(a)), Block::Table(Table { header, rows })];
    if let Some(reader) = a.recording.as_ref().and_then(|path| Reader::open(path).ok()) {
        blocks.extend(a.rig.iter().take(DRAWN).flat_map(|actuator| curves(a, &reader, &actuator.name)));
    }
    if let Some(LoopTiming { timing: kept, rights, compute }) = &a.timing {
        let times = [("wake-up", &kept.wake_up), ("controller", &kept.compute), ("next target", compute)];
        blocks.push(Block::Plot(Panel {
            title: format!("{}: how time was kept", a.name),
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
        over_time(&["target", "reached"], "where it should be and where it was"),
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
