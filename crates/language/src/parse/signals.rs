//! Signals: functions of time written in a model file, read from a record, or generated to fit a spectrum.

use std::ops::Range;

use super::{Context, motions, records};
use crate::diag::did_you_mean;
use crate::formula::compile;
use crate::key::*;
use crate::reader::Table;
use crate::signal::{Signal, TimeFunction, synthetic_motion};
use crate::units::{Dimension, time_to};

/// Most samples a signal may have.
const MAX_SAMPLES: usize = 50_000_000;

/// A signal in place, or the name of one.
pub(super) type SignalKey = Or<Text, Inner>;

/// What might be written for a signal.
pub(super) const EXAMPLE: &str = "{ type = \"harmonic\", amplitude = 1.0, frequency = \"2 Hz\" }";

section! {
    /// `[signal]`.
    pub(super) SIGNALS = ("signals", "[signal]", "Named signals, [signal.NAME], for use by several loads.").others(|| Inner(&SIGNAL).value());
}

section! {
    /// A function of time.
    pub(super) SIGNAL = ("signal", "signal = { ... }", "A function of time.").variants(|| TYPES.iter().flat_map(|t| motions::spectra(t.variant(TYPE.name))).collect());
    SCALE: Number = key("scale", "Factor on all values.").default("1").example("1.5");
}

/// A kind of signal.
pub(super) type SignalType = Type<fn(&Context<'_>, &Table<'_>) -> Option<Signal>>;

const TYPE: Key<Choice<SignalType>> = choice("type", &TYPES, "Type of the signal.").required();

/// All kinds of signals: one entry each.
const TYPES: [SignalType; 7] = [
    Type::new("harmonic", "mean + amplitude sin(omega t + phase).", &[HARMONIC], harmonic),
    Type::new("synthetic", "A synthetic ground motion: 20 s, sampled at 10 ms.", &[SYNTHETIC], |_, t| {
        Some(synthetic_motion(t.read(&SYNTHETIC_PEAK)?.value))
    }),
    Type::new("table", "Values given in the model file, with linear interpolation, zero outside.", &[TABLE], table),
    records::FILE,
    motions::GENERATED,
    Type::new("constant", "A constant value.", &[CONSTANT], |_, t| Some(Signal::Constant(t.read(&VALUE)?.value))),
    Type::new("formula", "A formula in `t`, in the units of the file.", &[FORMULA], formula),
];

section! {
    [HARMONIC];
    AMPLITUDE: Driven = key("amplitude", "Its amplitude.").required();
    FREQUENCY: Frequency = key("frequency", "Frequency, instead of `omega`.");
    OMEGA: AngularFrequency = key("omega", "Circular frequency, instead of `frequency`.").example("7 rad/s");
    PHASE: Pure = key("phase", "Phase at t = 0.").default("0").example("90 deg");
    MEAN: Driven = key("mean", "Mean value.").default("0").example("2 kN");
}

section! {
    [SYNTHETIC];
    SYNTHETIC_PEAK: Driven = key("peak", "Its peak.").required().example("0.3 g");
}

section! {
    [TABLE];
    VALUES: List<Driven> = key("values", "The values.").required().example("[0, \"5 kN\", 0]");
    DT: Time = key("dt", "Interval between them, instead of `times`.").range(POSITIVE).example("10 ms");
    TIMES: List<Time> = key("times", "Their times, instead of `dt`.").example("[0, \"1 s\", \"2 s\"]");
}

section! {
    [CONSTANT];
    VALUE: Driven = key("value", "The value.").required().example("5 kN");
}

section! {
    [FORMULA];
    TEXT: Text = key("value", "The formula.").required().example("10*sin(2*pi*t)");
}

/// A signal: a table under `key`, or the name of a `[signal.NAME]`; of this dimension.
pub(super) fn signal(
    context: &Context<'_>,
    table: &Table<'_>,
    named: Option<&Table<'_>>,
    key: &Key<SignalKey>,
    dim: Dimension,
) -> Option<Signal> {
    let given = table.read_required(key)?;
    let inner = match given.value {
        Either::Second(inner) => Some(inner),
        Either::First(name) => {
            let found = named.and_then(|n| Some(n.entry(&name, &Inner(&SIGNAL), Allowed::Any)?.value));
            if found.is_none() {
                let known = named.map_or_else(Vec::new, Table::keys);
                let help = did_you_mean(&name, known.iter().map(|k| k.value.as_str()))
                    .unwrap_or_else(|| format!("declare it: [signal.{name}]"));
                context.error(given.span, format!("there is no signal `{name}`"), help);
            }
            found
        }
    }?;
    let inner = inner.along(dim);
    let signal = read_signal(context, &inner);
    inner.finish();
    signal
}

fn read_signal(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let Some(kind) = t.read(&TYPE) else {
        t.ignore_all();
        return None;
    };
    let scale = t.value(&SCALE);
    let mut signal = (kind.value.read)(context, t)?;
    if scale != 1.0 {
        signal.scale(scale);
    }
    if !signal.peak().unwrap_or(0.0).is_finite() {
        context.error(t.span(), "the values of this signal are too large", "check its unit and its scale");
        return None;
    }
    Some(signal)
}

fn harmonic(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let (amplitude, hertz, omega) = (t.read(&AMPLITUDE), t.read(&FREQUENCY), t.read(&OMEGA));
    let (phase, mean) = (t.value(&PHASE), t.value(&MEAN));
    if t.has(&FREQUENCY) == t.has(&OMEGA) {
        let message = "a harmonic needs either `frequency` (Hz) or `omega` (rad/s)";
        context.error(t.span(), message, "write frequency = \"2 Hz\"");
        return None;
    }
    let omega = hertz.map(|f| std::f64::consts::TAU * f.value).or(omega.map(|w| w.value));
    Some(Signal::Harmonic { amplitude: amplitude?.value, omega: omega?, phase, mean })
}

fn table(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let (values, dt, times) = (t.read(&VALUES), t.read(&DT), t.read(&TIMES));
    if (t.has(&DT) && dt.is_none()) || (t.has(&TIMES) && times.is_none()) {
        return None;
    }
    let values = values?;
    let y: Vec<f64> = values.value.iter().map(|v| v.value).collect();
    let times = times.map(|t| t.value.iter().map(|v| v.value).collect());
    samples(context, &values.span, t, (dt.map(|dt| dt.value), times), y, "")
}

fn formula(context: &Context<'_>, t: &Table<'_>) -> Option<Signal> {
    let text = t.read(&TEXT)?;
    match compile(std::slice::from_ref(&text.value), &["t".to_owned()], &context.scope.constants()) {
        Ok(c) => {
            let units = &context.scope.units;
            let f = TimeFunction::new(c, units.factor(Dimension::TIME), units.factor(t.displacement()));
            if !f.value(0.0).is_finite() {
                let message = format!("this formula gives {} at t = 0", f.value(0.0));
                let help = "a division by zero, or a root or logarithm of a number that is not positive: avoid it, \
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
    (dt, times): (Option<f64>, Option<Vec<f64>>),
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
        (Some(dt), None) => Some(Signal::Samples { start: 0.0, dt, values: y.into() }),
        (None, Some(x)) => {
            if x.len() != y.len() {
                return refuse(format!("{} times for {} values", x.len(), y.len()), "give as many times as values");
            }
            if let Some(i) = x.windows(2).position(|w| w[0] >= w[1]) {
                let (a, b) = (i + 1, i + 2);
                let message = format!(
                    "times must increase, but sample {a} is at {} and sample {b} at {}",
                    time_to(x[i], 10),
                    time_to(x[i + 1], 10)
                );
                return refuse(message, "sort the samples by time and remove duplicates");
            }
            // Equal steps up to the digits of a text file are stored as such: found in no time in the loop.
            let step = (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64;
            if x.iter().enumerate().all(|(i, t)| (t - x[0] - step * i as f64).abs() < 1e-6 * step) {
                return Some(Signal::Samples { start: x[0], dt: step, values: y.into() });
            }
            Some(Signal::Points(x.into_iter().zip(y).collect()))
        }
        _ => {
            context.error(t.span(), "samples need either `dt` or times", "write for example dt = \"10 ms\"");
            None
        }
    }
}
