//! Loads and the signals behind them.

use super::{Context, finish};
use crate::diag::did_you_mean;
use crate::formula::compile;
use crate::model::{Load, Support};
use crate::reader::{Spanned, Table};
use crate::signal::{Motion, Signal, TimeFunction, synthetic_motion};
use crate::units::Dimension;

/// Most samples a signal may have.
const MAX_SAMPLES: usize = 50_000_000;

/// Reads all `[[load]]`; the second list names each load, for channels.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, duration: f64) -> (Vec<Load>, Vec<String>) {
    let named = root.table("signal");
    let (mut loads, mut names) = (Vec::new(), Vec::new());
    for table in root.tables("load") {
        let kind = table.choice_required("type", &["ground", "force", "imposed"]);
        let name = table.string("name");
        let name = match name {
            Some(n) => {
                context.declare(&n.value, n.span);
                n.value
            }
            None => format!("load-{}", loads.len() + 1),
        };
        match kind.map(|k| k.value) {
            Some(0) => {
                let direction = table.string_required("direction", "\"x\"");
                let supports = table.bool("support_inertia").is_none_or(|b| b.value);
                let signal = signal(context, &table, named.as_ref(), "signal", Dimension::ACCELERATION);
                if let (Some(direction), Some(signal)) = (direction, signal) {
                    let known: Vec<&str> = context.dofs.iter().map(|d| crate::assemble::short_name(&d.name)).collect();
                    if !known.contains(&direction.value.as_str()) {
                        let message = format!("no node can move in the direction `{}`", direction.value);
                        let help = did_you_mean(&direction.value, known)
                            .unwrap_or_else(|| "name a degree of freedom of the nodes".to_owned());
                        context.error(direction.span, message, help);
                    } else {
                        context.load_dimensions.insert(name.clone(), Dimension::ACCELERATION);
                        loads.push(Load::Ground { direction: direction.value, signal, supports });
                        names.push(name);
                    }
                }
            }
            Some(1) => {
                let dof = table.string_required("at", "\"roof.x\"").and_then(|d| Some((context.dof(&d)?, d.span)));
                let dim = dof.as_ref().map_or(Dimension::FORCE, |d| context.force(d.0));
                let signal = signal(context, &table, named.as_ref(), "signal", dim);
                if let (Some((dof, span)), Some(signal)) = (dof, signal) {
                    if !matches!(context.dofs[dof].support, Support::Free) {
                        let message = format!("a force on `{}` does nothing: it is held", context.dofs[dof].name);
                        context.error(span, message, "load a free degree of freedom");
                    }
                    context.load_dimensions.insert(name.clone(), dim);
                    loads.push(Load::Force { dof, signal });
                    names.push(name);
                }
            }
            Some(_) => imposed(context, &table, named.as_ref(), duration),
            None => ["at", "direction", "signal", "displacement", "acceleration"].iter().for_each(|k| table.ignore(k)),
        }
        finish(table);
    }
    if let Some(named) = named {
        for key in named.keys() {
            // Those in use were read by their load.
            named.ignore(&key.value);
        }
        finish(named);
    }
    (loads, names)
}

fn imposed(context: &mut Context<'_>, table: &Table<'_>, named: Option<&Table<'_>>, duration: f64) {
    let at = table.string_required("at", "\"base.x\"");
    let dof = at.as_ref().and_then(|d| context.dof(d));
    let disp = dof.map_or(Dimension::LENGTH, |d| context.disp(d));
    let acceleration = disp.per(Dimension::TIME).per(Dimension::TIME);
    let motion = match (table.has("displacement"), table.has("acceleration")) {
        (true, false) => {
            signal(context, table, named, "displacement", disp).map(|s| Motion::from_displacement(&s, duration))
        }
        (false, true) => {
            signal(context, table, named, "acceleration", acceleration).map(|s| Motion::from_acceleration(&s, duration))
        }
        _ => {
            let help = "write displacement = { type = \"harmonic\", ... } or acceleration = { ... }";
            context.error(table.span(), "an imposed motion needs either `displacement` or `acceleration`", help);
            None
        }
    };
    if let (Some(dof), Some(motion), Some(at)) = (dof, motion, at) {
        if let Support::Imposed(_) = context.dofs[dof].support {
            context.error(at.span, format!("`{}` already has an imposed motion", at.value), "impose it once");
            return;
        }
        context.dofs[dof].support = Support::Imposed(motion);
    }
}

/// A signal: a table under `key`, or the name of a `[signal.NAME]`.
fn signal(
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
        finish(inner);
        return signal;
    }
    let inner = table.table_required(key, "{ type = \"harmonic\", amplitude = 1.0, frequency = \"2 Hz\" }")?;
    let signal = read_signal(context, &inner, dim);
    finish(inner);
    signal
}

fn read_signal(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    const TYPES: [&str; 6] = ["harmonic", "synthetic", "table", "file", "constant", "formula"];
    let Some(kind) = t.choice_required("type", &TYPES) else {
        t.keys().iter().for_each(|k| t.ignore(&k.value));
        return None;
    };
    let scope = &context.scope;
    let scale = t.number("scale").map_or(1.0, |s| s.value);
    let mut signal = match TYPES[kind.value] {
        "constant" => Signal::Constant(t.quantity_required("value", dim, scope)?.value),
        "synthetic" => synthetic_motion(t.quantity_required("peak", dim, scope)?.value),
        "harmonic" => {
            let amplitude = t.quantity_required("amplitude", dim, scope);
            let hertz = t.quantity("frequency", Dimension::FREQUENCY, scope);
            let omega = t.quantity("omega", Dimension::FREQUENCY, scope);
            let phase = t.quantity("phase", Dimension::NONE, scope).map_or(0.0, |p| p.value);
            let mean = t.quantity("mean", dim, scope).map_or(0.0, |m| m.value);
            let omega = match (hertz, omega) {
                (Some(f), None) => std::f64::consts::TAU * f.value,
                (None, Some(w)) => w.value,
                _ => {
                    context.error(
                        t.span(),
                        "a harmonic needs either `frequency` (Hz) or `omega` (rad/s)",
                        "write frequency = \"2 Hz\"",
                    );
                    return None;
                }
            };
            Signal::Harmonic { amplitude: amplitude?.value, omega, phase, mean }
        }
        "formula" => {
            let text = t.string_required("value", "\"10*sin(2*pi*t)\"")?;
            match compile(std::slice::from_ref(&text.value), &["t".to_owned()], &scope.constants()) {
                Ok(c) => {
                    let units = &scope.units;
                    let f = TimeFunction::new(c, units.factor(Dimension::TIME), units.factor(dim));
                    if !f.value(0.0).is_finite() {
                        let message = format!("this formula gives {} at t = 0", f.value(0.0));
                        context.error(text.span, message, "guard the division, root or logarithm");
                        return None;
                    }
                    Signal::Formula(f)
                }
                Err(errors) => {
                    errors.into_iter().for_each(|e| t.expr_error(&text, e.error));
                    return None;
                }
            }
        }
        "table" => {
            let values = t.quantities_required("values", dim, scope);
            let dt = t.quantity("dt", Dimension::TIME, scope);
            let times = t.quantities("times", Dimension::TIME, scope);
            let values = values?;
            let y: Vec<f64> = values.value.iter().map(|v| v.value).collect();
            let x: Option<Vec<f64>> = times.as_ref().map(|t| t.value.iter().map(|v| v.value).collect());
            samples(context, &values.span, t, dt, x, y)?
        }
        _ => {
            let path = t.string_required("path", "\"record.csv\"");
            let unit = t.string("unit");
            let dt = t.quantity("dt", Dimension::TIME, scope);
            let column = t.integer("column");
            record(context, t, path?, unit, dt, column, dim)?
        }
    };
    if scale != 1.0 {
        scale_signal(&mut signal, scale);
    }
    Some(signal)
}

fn scale_signal(signal: &mut Signal, scale: f64) {
    match signal {
        Signal::Constant(x) => *x *= scale,
        Signal::Harmonic { amplitude, mean, .. } => (*amplitude, *mean) = (*amplitude * scale, *mean * scale),
        Signal::Samples { values, .. } => values.iter_mut().for_each(|v| *v *= scale),
        Signal::Points(p) => p.iter_mut().for_each(|p| p.1 *= scale),
        Signal::Formula(f) => f.scale(scale),
    }
}

/// Samples at equal steps or at given times.
fn samples(
    context: &Context<'_>,
    span: &std::ops::Range<usize>,
    t: &Table<'_>,
    dt: Option<Spanned<f64>>,
    times: Option<Vec<f64>>,
    y: Vec<f64>,
) -> Option<Signal> {
    if y.len() < 2 || y.len() > MAX_SAMPLES {
        context.error(
            span.clone(),
            format!("a signal needs 2 to {MAX_SAMPLES} samples, found {}", y.len()),
            "add samples",
        );
        return None;
    }
    match (dt, times) {
        (Some(dt), None) if dt.value > 0.0 => Some(Signal::Samples { start: 0.0, dt: dt.value, values: y }),
        (Some(dt), None) => {
            context.error(dt.span, "`dt` must be greater than zero", "write for example dt = \"10 ms\"");
            None
        }
        (None, Some(x)) => {
            if x.len() != y.len() {
                let message = format!("{} times for {} values", x.len(), y.len());
                context.error(span.clone(), message, "give as many times as values");
                return None;
            }
            if let Some(i) = x.windows(2).position(|w| w[0] >= w[1]) {
                let message = format!(
                    "times must increase, but number {} is {} and number {} is {}",
                    i + 1,
                    x[i],
                    i + 2,
                    x[i + 1]
                );
                context.error(span.clone(), message, "sort the samples and remove doubles");
                return None;
            }
            // Equal steps up to the digits of a text file are stored as such: found in no time in the loop.
            let step = (x[x.len() - 1] - x[0]) / (x.len() - 1) as f64;
            if x.iter().enumerate().all(|(i, t)| (t - x[0] - step * i as f64).abs() < 1e-6 * step) {
                return Some(Signal::Samples { start: x[0], dt: step, values: y });
            }
            Some(Signal::Points(x.into_iter().zip(y).collect()))
        }
        _ => {
            context.error(t.span(), "samples need either `dt` or times", "write dt = \"10 ms\"");
            None
        }
    }
}

/// A text file with one column of samples (and `dt`), or a column of times and columns of samples. Lines that start
/// with # or % are comments, one header line is skipped; commas, semicolons, tabs and spaces separate.
fn record(
    context: &Context<'_>,
    t: &Table<'_>,
    path: Spanned<String>,
    unit: Option<Spanned<String>>,
    dt: Option<Spanned<f64>>,
    column: Option<Spanned<i64>>,
    dim: Dimension,
) -> Option<Signal> {
    let factor = match &unit {
        None => context.scope.units.factor(dim),
        Some(u) => match crate::units::Unit::parse(&u.value) {
            Ok(parsed) if parsed.dim == dim => parsed.factor,
            Ok(parsed) => {
                let message = format!("expected a unit of {}, found {}", dim.describe(), parsed.dim.describe());
                context.error(u.span.clone(), message, format!("write for example unit = \"{}\"", dim.example()));
                return None;
            }
            Err(e) => {
                context.error(t.locate(u, e.span), e.message, e.help.unwrap_or_default());
                return None;
            }
        },
    };
    let refuse = |message: String, help: &str| {
        context.error(path.span.clone(), format!("`{}`: {message}", path.value), help);
        None
    };
    let text = match (context.files)(&path.value) {
        Ok(text) => text,
        Err(e) => return refuse(e, "the path is relative to the model file"),
    };
    let wanted = match &column {
        Some(c) if c.value < 1 => {
            context.error(c.span.clone(), "columns are counted from 1", "write column = 1");
            return None;
        }
        Some(c) => c.value as usize - 1,
        None => usize::from(dt.is_none()),
    };
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut header = true;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let words = line.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty());
        let row: Result<Vec<f64>, String> = words.map(|w| w.parse::<f64>().map_err(|_| w.to_owned())).collect();
        match row {
            Err(_) if header => {}
            Err(word) => {
                return refuse(format!("line {}: `{word}` is not a number", number + 1), "remove or correct the line");
            }
            Ok(row) => {
                if let Some(bad) = row.iter().find(|v| !v.is_finite()) {
                    return refuse(format!("line {}: {bad} is not a finite number", number + 1), "correct the record");
                }
                let Some(value) = row.get(wanted) else {
                    let help = "give `dt` for a file with one column, or `column` to choose another";
                    return refuse(format!("line {} has no column {}", number + 1, wanted + 1), help);
                };
                x.push(row[0]);
                y.push(value * factor);
            }
        }
        header = false;
    }
    let times = dt.is_none().then(|| x.iter().map(|t| t * context.scope.units.factor(Dimension::TIME)).collect());
    samples(context, &path.span, t, dt, times, y)
}
