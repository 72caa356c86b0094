//! What is said about the laboratory after a test.

use interfield_lab::realtime::{Histogram, Summary};
use interfield_lab::rig::LoopTiming;
use interfield_lab::safety::{State, sequence::Transition};
use interfield_lab::verdict::Tracking;
use interfield_language::specimen::Actuator;
use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

use super::Assessed;
use crate::quantities::{ONE, Quantities, account_json, account_words, number};
use crate::table::{aligned, short};

/// Tracking and verdicts, as text.
pub fn text(assessed: &[Assessed], units: &UnitSystem) -> String {
    let mut out = String::new();
    for a in assessed {
        out += &format!("\nlaboratory of `{}`, {} samples\n", a.name, a.counts[0]);
        let (header, rows) = table(a, units);
        out += &aligned(&header.iter().map(String::as_str).collect::<Vec<_>>(), &rows);
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
            out += &format!("  counted: {}\n", account_words(&a.account));
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
    told.map(|t| t.line(a.period, &a.names)).chain(left).collect()
}

/// How well actuators followed: header and rows. Units stand in the header where all actuators have the same, else at the numbers.
pub fn table(a: &Assessed, units: &UnitSystem) -> (Vec<String>, Vec<Vec<String>>) {
    let alike = a.rig.windows(2).all(|w| w[0].turns == w[1].turns);
    let quantities = [
        ("target stroke", Dimension::LENGTH),
        ("target velocity", Dimension::VELOCITY),
        ("command velocity", Dimension::VELOCITY),
        ("force", Dimension::FORCE),
    ];
    let headed = |(name, dim): (&str, Dimension)| match a.rig.first().filter(|_| alike) {
        Some(actuator) => format!("{name} [{}]", actuator.unit(dim, units).0),
        None => name.to_owned(),
    };
    let ratios = ["actuator", "error [%]", "peak error [%]", "delay [ms]", "amplitude", "energy error [%]"];
    // Told of each where they differ.
    let method = |actuator: &Actuator| actuator.compensation.as_ref().map(|c| c.info().name.to_owned());
    let apart = a.rig.iter().any(|actuator| actuator.compensation.is_some()).then(|| "compensation".to_owned());
    let header = ratios.map(str::to_owned).into_iter().chain(quantities.map(headed)).chain(apart).collect();
    let row = |(actuator, tracking): (&Actuator, &Option<Tracking>)| {
        let Some(t) = tracking else {
            let nothing = (0..9).map(|_| "-".to_owned());
            return std::iter::once(actuator.name.clone()).chain(nothing).chain(method(actuator)).collect();
        };
        let ratios = [t.nrmse, t.peak_error, 1e3 * t.delay, t.amplitude, 100.0 * t.energy].map(short);
        let told = |(x, (_, dim)): (f64, (&str, Dimension))| {
            let (label, unit) = actuator.unit(dim, units);
            if alike { short(x / unit) } else { format!("{} {label}", short(x / unit)) }
        };
        let peaks = [t.peaks.target[0], t.peaks.target[1], t.peaks.command[1], t.peaks.force];
        let peaks = peaks.into_iter().zip(quantities).map(told);
        std::iter::once(actuator.name.clone()).chain(ratios).chain(peaks).chain(method(actuator)).collect()
    };
    (header, a.rig.iter().zip(&a.actuators).map(row).collect())
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

/// How an actuator followed, for JSON.
fn tracking_json(actuator: &Actuator, t: &Tracking, units: &UnitSystem) -> Value {
    let told = |object: Quantities, (name, x, dim): (&str, f64, Dimension)| {
        let (label, unit) = actuator.unit(dim, units);
        object.quantity(name, number(x / unit), &label)
    };
    let ratios = Quantities::default()
        .with("actuator", actuator.name.as_str())
        .quantity("nrmse", number(t.nrmse), "%")
        .quantity("peak_error", number(t.peak_error), "%")
        .seconds("delay", number(t.delay))
        .quantity("amplitude", number(t.amplitude), ONE)
        .quantity("frequency", number(t.frequency), "Hz")
        .quantity("energy_error", number(t.energy), ONE)
        .with("unread", t.unread);
    let ratios = match &actuator.compensation {
        Some(own) => ratios.with("compensation", own.info().name),
        None => ratios,
    };
    // An area between target and reached.
    let (label, unit) = actuator.unit(Dimension::LENGTH, units);
    let ratios = ratios.quantity("indicator", number(t.indicator / unit / unit), &format!("{label}^2"));
    let peaks = [
        ("stroke", t.peaks.target[0], Dimension::LENGTH),
        ("velocity", t.peaks.target[1], Dimension::VELOCITY),
        ("force", t.peaks.force, Dimension::FORCE),
        ("command_stroke", t.peaks.command[0], Dimension::LENGTH),
        ("command_velocity", t.peaks.command[1], Dimension::VELOCITY),
        ("largest_tracking_error", t.peaks.error, Dimension::LENGTH),
    ];
    peaks.into_iter().fold(ratios, told).object()
}

/// Times of a loop, for JSON.
pub fn histogram_json(summary: &Summary) -> Value {
    let add = |all: Quantities, (name, x): &(&str, f64)| match name.strip_suffix("_us") {
        Some(name) => all.quantity(name, *x, "us"),
        None => all.with(name, *x as u64),
    };
    summary.entries().iter().fold(Quantities::default(), add).object()
}

/// How time was kept, for JSON.
fn timing_json(LoopTiming { timing: kept, rights, compute }: &LoopTiming) -> Value {
    let histogram = |h: &Histogram| histogram_json(&h.summary());
    json!({
        "wake_up": histogram(&kept.wake_up), "controller": histogram(&kept.compute),
        "slack": histogram(&kept.slack), "next_target": histogram(compute),
        "missed": kept.missed, "overrun": kept.overrun,
        "priority": rights.priority, "core": rights.core, "memory_locked": rights.memory_locked,
        "missing_rights": rights.missing.iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

/// Everything, see [`crate::quantities`].
pub fn json(assessed: &[Assessed], units: &UnitSystem) -> Value {
    let one = |a: &Assessed| {
        let [samples, dropped, late] = a.counts;
        let sequence = &a.sequence;
        let name = |i: usize| a.rig.get(i).map(|actuator| actuator.name.clone());
        let sensor = |i: usize| i.checked_sub(a.rig.len()).and_then(|k| a.names.sensors.get(k).cloned());
        let transition = |t: &Transition| {
            Quantities::default()
                .with("sample", t.tick)
                .seconds("time", t.tick as f64 * a.period)
                .with("from", t.from.name())
                .with("to", t.to.name())
                .with("cause", t.cause.map(|c| c.name()))
                .with("actuator", t.actuator.map(usize::from).and_then(name))
                .with("sensor", t.actuator.map(usize::from).and_then(sensor))
                .object()
        };
        let tracking = a.rig.iter().zip(&a.actuators);
        let tracking = tracking.map(|(actuator, t)| t.as_ref().map(|t| tracking_json(actuator, t, units)));
        Quantities::default()
            .with("specimen", a.name.as_str())
            .with("state", sequence.state().name())
            .with("samples", samples)
            .with("dropped", dropped)
            .with("late", late)
            .quantity("energy_error", number(a.energy_error), ONE)
            .with("transitions", sequence.log().iter().map(transition).collect::<Vec<_>>())
            .with("actuators", tracking.collect::<Vec<_>>())
            .with("timing", a.timing.as_ref().map(timing_json))
            .with("account", account_json(&a.account))
            .with("verdict", a.verdict.grade.word())
            .with("reasons", json!(a.verdict.reasons))
            .with("recording", a.recording.as_ref().map(|p| p.display().to_string()))
            .object()
    };
    assessed.iter().map(one).collect::<Vec<_>>().into()
}
