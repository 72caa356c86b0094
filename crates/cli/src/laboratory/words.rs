//! What is said about the laboratory after a test.

use interfield_lab::realtime::Histogram;
use interfield_lab::verdict::Tracking;
use interfield_model::units::{Dimension, UnitSystem};
use interfield_report::{Block, Table};
use serde_json::{Value, json};

use super::Assessed;
use crate::table::{aligned, short};

/// Tracking and verdicts, as text.
pub(crate) fn text(assessed: &[Assessed], units: &UnitSystem) -> String {
    let mut out = String::new();
    for a in assessed {
        out += &format!("\n{}\n", title(a));
        out += &aligned(&header(units).iter().map(String::as_str).collect::<Vec<_>>(), &rows(a, units));
        remarks(a).iter().for_each(|line| out += &format!("  {line}\n"));
    }
    out
}

/// The same for a report.
pub(crate) fn blocks(assessed: &[Assessed], units: &UnitSystem) -> Vec<Block> {
    let one = |a: &Assessed| {
        let table = Block::Table(Table { header: header(units), rows: rows(a, units) });
        [Block::Lines(vec![title(a)]), table, Block::Lines(remarks(a))]
    };
    assessed.iter().flat_map(one).collect()
}

fn title(a: &Assessed) -> String {
    format!("laboratory of `{}`, {} samples", a.name, a.counts[0])
}

fn rows(a: &Assessed, units: &UnitSystem) -> Vec<Vec<String>> {
    a.actuators.iter().enumerate().map(|(i, t)| row(i, t.as_ref(), units)).collect()
}

/// Timing, what happened, and the verdict with its reasons.
fn remarks(a: &Assessed) -> Vec<String> {
    let mut out = Vec::new();
    if let Some((kept, rights, compute)) = &a.timing {
        out.push(timing("wake-up", &kept.wake_up));
        out.push(timing("controller", &kept.compute));
        out.push(timing("next target", compute));
        let (missed, overrun, late) = (kept.missed, kept.overrun, a.counts[2]);
        out.push(format!("{missed} periods missed, {overrun} overrun, {late} samples without a target in time"));
        out.extend(rights.missing.iter().map(ToString::to_string));
    }
    if !a.account.is_empty() {
        let counted: Vec<String> = a.account.iter().map(|(name, x)| format!("{name} {}", short(*x))).collect();
        out.push(format!("counted: {}", counted.join(", ")));
    }
    out.extend(log(a));
    out.push(format!("verdict: {}: {}", a.verdict.grade.word(), a.verdict.reasons.join("; ")));
    out.extend(a.recording.as_ref().map(|path| format!("recording: {}", path.display())));
    out
}

/// The transitions of a test that a reader cares about: not the planned ones.
pub(crate) fn log(a: &Assessed) -> Vec<String> {
    let transitions = a.machine.log();
    let told = transitions.iter().filter(|t| t.cause.is_some());
    let left = a.account.iter().find(|(name, _)| *name == "left_at_sample");
    let left = left.map(|(_, k)| format!("the commands left the recording at sample {k}"));
    told.map(|t| t.line(a.period)).chain(left).collect()
}

fn header(units: &UnitSystem) -> Vec<String> {
    let (u, f) = (units.label(Dimension::LENGTH), units.label(Dimension::FORCE));
    vec![
        "actuator".to_owned(),
        "error [%]".to_owned(),
        "peak error [%]".to_owned(),
        "delay [ms]".to_owned(),
        "amplitude".to_owned(),
        "energy error [%]".to_owned(),
        format!("stroke [{u}]"),
        format!("velocity [{u}/s]"),
        format!("force [{f}]"),
    ]
}

fn row(i: usize, tracking: Option<&Tracking>, units: &UnitSystem) -> Vec<String> {
    let Some(t) = tracking else {
        return std::iter::once((i + 1).to_string()).chain((0..8).map(|_| "-".to_owned())).collect();
    };
    let (u, f) = (units.factor(Dimension::LENGTH), units.factor(Dimension::FORCE));
    vec![
        (i + 1).to_string(),
        short(t.nrmse),
        short(t.peak_error),
        short(1e3 * t.delay),
        short(t.amplitude),
        short(100.0 * t.energy),
        short(t.peaks[0] / u),
        short(t.peaks[1] / u),
        short(t.peaks[2] / f),
    ]
}

fn timing(what: &str, histogram: &Histogram) -> String {
    let s = histogram.summary();
    let us = |ns: u64| short(ns as f64 / 1e3);
    format!(
        "{what}: median {} us, 99 % {} us, 99.99 % {} us, at most {} us",
        us(s.p50),
        us(s.p99),
        us(s.p99_99),
        us(s.max)
    )
}

/// Everything, SI.
pub(crate) fn json(assessed: &[Assessed]) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let tracking = |t: &Tracking| {
        json!({
            "nrmse": finite(t.nrmse), "peak_error": finite(t.peak_error), "delay": finite(t.delay),
            "amplitude": finite(t.amplitude), "frequency": finite(t.frequency), "indicator": finite(t.indicator),
            "energy_error": finite(t.energy), "stroke": finite(t.peaks[0]), "velocity": finite(t.peaks[1]), "force": finite(t.peaks[2]),
        })
    };
    let histogram = |h: &Histogram| {
        h.summary().entries().iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<serde_json::Map<_, _>>()
    };
    let one = |a: &Assessed| {
        let [samples, dropped, late] = a.counts;
        let machine = &a.machine;
        json!({
            "specimen": a.name,
            "state": machine.state().name(),
            "samples": samples,
            "dropped": dropped,
            "late": late,
            "energy_error": finite(a.energy_error),
            "transitions": machine.log().iter().map(|t| json!({
                "sample": t.tick, "from": t.from.name(), "to": t.to.name(),
                "cause": t.cause.map(|c| c.name()), "actuator": t.actuator.map(|a| a + 1),
            })).collect::<Vec<_>>(),
            "actuators": a.actuators.iter().map(|t| t.as_ref().map(tracking)).collect::<Vec<_>>(),
            "timing": a.timing.as_ref().map(|(kept, rights, compute)| json!({
                "wake_up": histogram(&kept.wake_up), "controller": histogram(&kept.compute),
                "slack": histogram(&kept.slack), "next_target": histogram(compute),
                "missed": kept.missed, "overrun": kept.overrun,
                "priority": rights.priority, "core": rights.core, "memory_locked": rights.memory_locked,
                "missing_rights": rights.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
            })),
            "account": a.account.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<serde_json::Map<_, _>>(),
            "verdict": a.verdict.grade.word(),
            "reasons": a.verdict.reasons,
            "recording": a.recording.as_ref().map(|p| p.display().to_string()),
        })
    };
    assessed.iter().map(one).collect::<Vec<_>>().into()
}
