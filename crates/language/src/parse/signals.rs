//! Signals: functions of time written in a model file, read from a record, or generated to fit a spectrum.

use std::ops::Range;

use super::Context;
use super::motions::generated;
use super::records::record;
use crate::diag::did_you_mean;
use crate::formula::compile;
use crate::reader::{Spanned, Table};
use crate::signal::{Signal, TimeFunction, synthetic_motion};
use crate::units::Dimension;

/// Most samples a signal may have.
const MAX_SAMPLES: usize = 50_000_000;

/// A signal: a table under `key`, or the name of a `[signal.NAME]`.
pub(super) fn signal(
    context: &Context<'_>,
    table: &Table<'_>,
    named: Option<&Table<'_>>,
    key: &str,
    dim: Dimension,
) -> Option<Signal> {
    if table.is_string(key) {
        let name = table.string(key)?;
        let found = named.and_then(|n| n.table(&name.value));
        if found.is_none() {
            let known = named.map_or_else(Vec::new, Table::keys);
            let help = did_you_mean(&name.value, known.iter().map(|k| k.value.as_str()))
                .unwrap_or_else(|| format!("declare it: [signal.{}]", name.value));
            context.error(name.span, format!("there is no signal `{}`", name.value), help);
        }
        let inner = found?;
        let signal = read_signal(context, &inner, dim);
        inner.finish();
        return signal;
    }
    let inner = table.table_required(key, "{ type = \"harmonic\", amplitude = 1.0, frequency = \"2 Hz\" }")?;
    let signal = read_signal(context, &inner, dim);
    inner.finish();
    signal
}

fn read_signal(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    const TYPES: [&str; 7] = ["harmonic", "synthetic", "table", "file", "generated", "constant", "formula"];
    let Some(kind) = t.choice_required("type", &TYPES) else {
        t.keys().iter().for_each(|k| t.ignore(&k.value));
        return None;
    };
    let scope = &context.scope;
    let scale = t.number("scale").map_or(1.0, |s| s.value);
    let mut signal = match TYPES[kind.value] {
        "constant" => Signal::Constant(t.quantity_required("value", dim, scope)?.value),
        "synthetic" => synthetic_motion(t.quantity_required("peak", dim, scope)?.value),
        "harmonic" => harmonic(context, t, dim)?,
        "formula" => formula(context, t, dim)?,
        "table" => {
            let values = t.quantities_required("values", dim, scope);
            let dt = t.quantity("dt", Dimension::TIME, scope);
            let times = t.quantities("times", Dimension::TIME, scope);
            let values = values?;
            let y: Vec<f64> = values.value.iter().map(|v| v.value).collect();
            let x: Option<Vec<f64>> = times.as_ref().map(|t| t.value.iter().map(|v| v.value).collect());
            samples(context, &values.span, t, dt, x, y, "")?
        }
        "generated" => generated(context, t, dim)?,
        _ => record(context, t, dim)?,
    };
    if scale != 1.0 {
        signal.scale(scale);
    }
    if !signal.peak().unwrap_or(0.0).is_finite() {
        context.error(t.span(), "the values of this signal are too large", "check its unit and its scale");
        return None;
    }
    Some(signal)
}

fn harmonic(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let scope = &context.scope;
    let amplitude = t.quantity_required("amplitude", dim, scope);
    let hertz = t.quantity("frequency", Dimension::FREQUENCY, scope);
    let omega = t.quantity("omega", Dimension::ANGULAR_FREQUENCY, scope);
    let phase = t.quantity("phase", Dimension::NONE, scope).map_or(0.0, |p| p.value);
    let mean = t.quantity("mean", dim, scope).map_or(0.0, |m| m.value);
    if t.has("frequency") == t.has("omega") {
        let message = "a harmonic needs either `frequency` (Hz) or `omega` (rad/s)";
        context.error(t.span(), message, "write frequency = \"2 Hz\"");
        return None;
    }
    let omega = hertz.map(|f| std::f64::consts::TAU * f.value).or(omega.map(|w| w.value));
    Some(Signal::Harmonic { amplitude: amplitude?.value, omega: omega?, phase, mean })
}

fn formula(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let text = t.string_required("value", "\"10*sin(2*pi*t)\"")?;
    match compile(std::slice::from_ref(&text.value), &["t".to_owned()], &context.scope.constants()) {
        Ok(c) => {
            let units = &context.scope.units;
            let f = TimeFunction::new(c, units.factor(Dimension::TIME), units.factor(dim));
            if !f.value(0.0).is_finite() {
                let message = format!("this formula gives {} at t = 0", f.value(0.0));
                let help = "a division by zero, or a root or logarithm of a number that is not positive: guard it, \
                            e.g. with max(t, 1e-9)";
                context.error(text.span, message, help);
                return None;
            }
            Some(Signal::Formula(f))
        }
        Err(errors) => {
            errors.into_iter().for_each(|e| t.expr_error(&text, e.error));
            None
        }
    }
}

/// Samples at equal steps or at given times; `file` starts the message about a file.
pub(super) fn samples(
    context: &Context<'_>,
    span: &Range<usize>,
    t: &Table<'_>,
    dt: Option<Spanned<f64>>,
    times: Option<Vec<f64>>,
    y: Vec<f64>,
    file: &str,
) -> Option<Signal> {
    let refuse = |message: String, help: &str| {
        context.error(span.clone(), format!("{file}{message}"), help);
        None
    };
    if y.len() < 2 || y.len() > MAX_SAMPLES {
        let message = format!("a signal needs 2 to {MAX_SAMPLES} samples, found {}", y.len());
        return refuse(message, "give one sample per line, or a column of times and one of samples");
    }
    match (dt, times) {
        (Some(dt), None) if dt.value > 0.0 => Some(Signal::Samples { start: 0.0, dt: dt.value, values: y.into() }),
        (Some(dt), None) => {
            let message = format!("the `dt` of a signal must be greater than zero, found {} s", dt.value);
            context.error(dt.span, message, "write for example dt = \"10 ms\"");
            None
        }
        (None, Some(x)) => {
            if x.len() != y.len() {
                return refuse(format!("{} times for {} values", x.len(), y.len()), "give as many times as values");
            }
            if let Some(i) = x.windows(2).position(|w| w[0] >= w[1]) {
                let (a, b) = (i + 1, i + 2);
                let message =
                    format!("times must increase, but sample {a} is at {} s and sample {b} at {} s", x[i], x[i + 1]);
                return refuse(message, "sort the samples by time and remove doubles");
            }
            // Equal steps up to the digits of a text file are stored as such: found in no time in the loop.
            let step = (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64;
            if x.iter().enumerate().all(|(i, t)| (t - x[0] - step * i as f64).abs() < 1e-6 * step) {
                return Some(Signal::Samples { start: x[0], dt: step, values: y.into() });
            }
            Some(Signal::Points(x.into_iter().zip(y).collect()))
        }
        (dt, _) => {
            // A `dt` or `times` that could not be read has been reported.
            if dt.is_some() || !(t.has("dt") || t.has("times")) {
                context.error(t.span(), "samples need either `dt` or times", "write for example dt = \"10 ms\"");
            }
            None
        }
    }
}
