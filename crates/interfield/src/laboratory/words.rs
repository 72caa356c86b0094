//! What is said about the laboratory after a test.

use interfield_lab::realtime::Histogram;
use interfield_lab::rig::LoopTiming;
use interfield_lab::safety::State;
use interfield_lab::verdict::Tracking;
use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

use super::Assessed;
use crate::table::{aligned, short};

/// Tracking and verdicts, as text.
pub fn text(assessed: &[Assessed], units: &UnitSystem) -> String {
    let mut out = String::new();
    for a in assessed {
        out += &format!("\nlaboratory of `{}`, {} samples\n", a.name, a.counts[0]);
        let rows: Vec<Vec<String>> = a.actuators.iter().enumerate().map(|(i, t)| row(i, t.as_ref(), units)).collect();
        out += &aligned(&header(units).iter().map(String::as_str).collect::<Vec<_>>(), &rows);
        if let Some(LoopTiming { timing: kept, rights, compute }) = &a.timing {
            out += &timing("wake-up", &kept.wake_up);
            out += &timing("controller", &kept.compute);
            out += &timing("next target", compute);
            let (missed, overrun, late) = (kept.missed, kept.overrun, a.counts[2]);
            out += &format!(
                "  {missed} periods missed, {overrun} overrun, {late} samples whose target came too \
                late\n"
            );
            for notice in &rights.missing {
                out += &format!("  {notice}\n");
            }
        }
        if !a.account.is_empty() {
            let counted: Vec<String> = a.account.iter().map(|(name, x)| format!("{name} {}", short(*x))).collect();
            out += &format!("  counted: {}\n", counted.join(", "));
        }
        for line in log(a) {
            out += &format!("  {line}\n");
        }
        out += &format!("  verdict: {}: {}\n", a.verdict.grade.word(), a.verdict.reasons.join("; "));
        if let Some(path) = &a.recording {
            out += &format!("  recording: {}\n", path.display());
        }
    }
    out
}

/// Time by the clock until the last of the specimens stood at its start and the test began, s; `None` without a clock.
pub fn to_start(assessed: &[Assessed]) -> Option<f64> {
    let begun = |a: &Assessed| {
        let first = a.sequence.log().iter().find(|t| t.to == State::Running);
        // Where it never ran, all of its samples were spent on the way.
        first.map_or(a.counts[0], |t| t.tick) as f64 * a.period
    };
    assessed.iter().filter(|a| a.timing.is_some()).map(begun).max_by(f64::total_cmp)
}

/// The transitions of a test that a reader cares about: not the planned ones.
pub fn log(a: &Assessed) -> Vec<String> {
    let transitions = a.sequence.log();
    let told = transitions.iter().filter(|t| t.cause.is_some());
    let left = a.account.iter().find(|(name, _)| *name == "left_at_sample");
    let left = left.map(|(_, k)| format!("the commands differ from the recording from sample {k} on"));
    told.map(|t| t.line(a.period)).chain(left).collect()
}

/// Header of a table of how well actuators followed.
pub fn header(units: &UnitSystem) -> Vec<String> {
    let (u, f) = (units.label(Dimension::LENGTH), units.label(Dimension::FORCE));
    vec![
        "actuator".to_owned(),
        "error [%]".to_owned(),
        "peak error [%]".to_owned(),
        "delay [ms]".to_owned(),
        "amplitude".to_owned(),
        "energy error [%]".to_owned(),
        format!("target stroke [{u}]"),
        format!("target velocity [{u}/s]"),
        format!("command velocity [{u}/s]"),
        format!("force [{f}]"),
    ]
}

/// Its row for actuator `i`.
pub fn row(i: usize, tracking: Option<&Tracking>, units: &UnitSystem) -> Vec<String> {
    let Some(t) = tracking else {
        return std::iter::once((i + 1).to_string()).chain((0..9).map(|_| "-".to_owned())).collect();
    };
    let (u, f) = (units.factor(Dimension::LENGTH), units.factor(Dimension::FORCE));
    vec![
        (i + 1).to_string(),
        short(t.nrmse),
        short(t.peak_error),
        short(1e3 * t.delay),
        short(t.amplitude),
        short(100.0 * t.energy),
        short(t.peaks.target[0] / u),
        short(t.peaks.target[1] / u),
        short(t.peaks.command[1] / u),
        short(t.peaks.force / f),
    ]
}

fn timing(what: &str, histogram: &Histogram) -> String {
    let s = histogram.summary();
    let us = |ns: u64| short(ns as f64 / 1e3);
    format!(
        "  {what}: median {} us, 99 % {} us, 99.99 % {} us, at most {} us\n",
        us(s.p50),
        us(s.p99),
        us(s.p99_99),
        us(s.max)
    )
}

/// Everything, SI.
pub fn json(assessed: &[Assessed]) -> Value {
    let finite = |x: f64| x.is_finite().then_some(x);
    let tracking = |t: &Tracking| {
        json!({
            "nrmse": finite(t.nrmse), "peak_error": finite(t.peak_error), "delay": finite(t.delay),
            "amplitude": finite(t.amplitude), "frequency": finite(t.frequency), "indicator": finite(t.indicator),
            "energy_error": finite(t.energy), "stroke": finite(t.peaks.target[0]), "velocity": finite(t.peaks.target[1]), "force": finite(t.peaks.force),
            "command_stroke": finite(t.peaks.command[0]), "command_velocity": finite(t.peaks.command[1]),
            "largest_tracking_error": finite(t.peaks.error), "unread": t.unread,
        })
    };
    let histogram = |h: &Histogram| {
        h.summary().entries().iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<serde_json::Map<_, _>>()
    };
    let one = |a: &Assessed| {
        let [samples, dropped, late] = a.counts;
        let sequence = &a.sequence;
        json!({
            "specimen": a.name,
            "state": sequence.state().name(),
            "samples": samples,
            "dropped": dropped,
            "late": late,
            "energy_error": finite(a.energy_error),
            "transitions": sequence.log().iter().map(|t| json!({
                "sample": t.tick, "from": t.from.name(), "to": t.to.name(),
                "cause": t.cause.map(|c| c.name()), "actuator": t.actuator.map(|a| a + 1),
            })).collect::<Vec<_>>(),
            "actuators": a.actuators.iter().map(|t| t.as_ref().map(tracking)).collect::<Vec<_>>(),
            "timing": a.timing.as_ref().map(|LoopTiming { timing: kept, rights, compute }| json!({
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
