//! Loads and the signals behind them.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Context;
use super::nodes::is_angle;
use crate::diag::{Diagnostic, did_you_mean};
use crate::formula::compile;
use crate::model::{Load, Support};
use crate::reader::{Spanned, Table};
use crate::signal::{Motion, Signal, TimeFunction, synthetic_motion};
use crate::units::{Dimension, Unit};

/// Most samples a signal may have.
const MAX_SAMPLES: usize = 50_000_000;

/// Reads all `[[load]]`; the second list names each load, for channels.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, duration: f64) -> (Vec<Load>, Vec<String>) {
    let named = root.table("signal");
    let mut loads = Loads { named: named.as_ref(), duration, list: Vec::new(), names: Vec::new(), forced: Vec::new() };
    for table in root.tables("load") {
        let kind = table.choice_required("type", &["ground", "force", "imposed"]);
        let name = match table.string("name") {
            Some(n) => {
                context.declare(&n.value, n.span);
                n.value
            }
            None => format!("load-{}", loads.list.len() + 1),
        };
        let good = match kind.map(|k| k.value) {
            Some(0) => loads.ground(context, &table, name),
            Some(1) => loads.force(context, &table, name),
            Some(_) => loads.imposed(context, &table, name),
            None => {
                table.keys().iter().for_each(|k| table.ignore(&k.value));
                None
            }
        };
        context.contact.borrow_mut().settle(good.is_some());
        table.finish();
    }
    // All imposed motions are known now.
    for (dof, span) in &loads.forced {
        if !matches!(context.dofs[*dof].support, Support::Free) {
            let message = format!("a force on `{}` does nothing: it is held", context.dofs[*dof].name);
            context.error(span.clone(), message, "load a free degree of freedom, or free this one");
        }
    }
    let Loads { list, names, .. } = loads;
    if let Some(named) = named {
        for unused in named.unread() {
            let message = format!("the signal `{}` is used by no load", unused.value);
            context.diags.push(Diagnostic::warning(message, unused.span).help("name it in a [[load]], or remove it"));
        }
    }
    (list, names)
}

/// Loads read so far.
struct Loads<'a, 'd> {
    /// `[signal.NAME]` of the file.
    named: Option<&'a Table<'d>>,
    /// End of the analysis.
    duration: f64,
    list: Vec<Load>,
    names: Vec<String>,
    /// Degrees of freedom under a force, with the place that says so.
    forced: Vec<(usize, Range<usize>)>,
}

impl Loads<'_, '_> {
    fn ground(&mut self, context: &mut Context<'_>, table: &Table<'_>, name: String) -> Option<()> {
        let direction = table.string_required("direction", "\"x\"");
        let supports = table.bool("support_inertia").is_none_or(|b| b.value);
        let angle = direction.as_ref().is_some_and(|d| is_angle(&d.value));
        let dim = if angle { Dimension::ANGULAR_ACCELERATION } else { Dimension::ACCELERATION };
        let signal = signal(context, table, self.named, "signal", dim);
        let direction = direction?;
        let known: BTreeSet<&str> = context.dofs.iter().map(|d| crate::assemble::short_name(&d.name)).collect();
        if !known.contains(direction.value.as_str()) {
            if context.unclear.is_empty() && !context.nodes_unknown {
                let message = format!("no node can move in the direction `{}`", direction.value);
                let list = known.iter().copied().collect::<Vec<_>>().join(", ");
                let help =
                    did_you_mean(&direction.value, known).unwrap_or_else(|| format!("degrees of freedom are {list}"));
                context.error(direction.span, message, help);
            }
            return None;
        }
        context.load_dimensions.insert(name.clone(), dim);
        self.list.push(Load::Ground { direction: direction.value, signal: signal?, supports });
        self.names.push(name);
        Some(())
    }

    fn force(&mut self, context: &mut Context<'_>, table: &Table<'_>, name: String) -> Option<()> {
        let at = table.string_required("at", "\"roof.x\"").and_then(|d| Some((context.dof(&d)?, d.span)));
        let dim = at.as_ref().map_or(Dimension::FORCE, |d| context.force(d.0));
        let signal = signal(context, table, self.named, "signal", dim);
        let (dof, span) = at?;
        self.forced.push((dof, span));
        context.load_dimensions.insert(name.clone(), dim);
        self.list.push(Load::Force { dof, signal: signal? });
        self.names.push(name);
        Some(())
    }

    fn imposed(&mut self, context: &mut Context<'_>, table: &Table<'_>, name: String) -> Option<()> {
        context.imposed.insert(name);
        let at = table.string_required("at", "\"base.x\"");
        let dof = at.as_ref().and_then(|d| context.dof(d));
        let disp = dof.map_or(Dimension::LENGTH, |d| context.disp(d));
        let acceleration = disp.per(Dimension::TIME).per(Dimension::TIME);
        let motion = match (table.has("displacement"), table.has("acceleration")) {
            (true, false) => signal(context, table, self.named, "displacement", disp)
                .map(|s| Motion::from_displacement(&s, self.duration)),
            (false, true) => signal(context, table, self.named, "acceleration", acceleration)
                .map(|s| Motion::from_acceleration(&s, self.duration)),
            _ => {
                let help = "write displacement = { type = \"harmonic\", ... } or acceleration = { ... }";
                context.error(table.span(), "an imposed motion needs either `displacement` or `acceleration`", help);
                None
            }
        };
        let (dof, at) = (dof?, at?);
        if let Some(first) = context.imposed_at.get(&dof) {
            let message = format!("`{}` already has an imposed motion", at.value);
            let d = Diagnostic::error(message, at.span).also(first.clone(), "first imposed here");
            context.diags.push(d.help("impose one motion on each degree of freedom"));
            return None;
        }
        context.imposed_at.insert(dof, at.span);
        context.dofs[dof].support = Support::Imposed(motion?);
        Some(())
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
        inner.finish();
        return signal;
    }
    let inner = table.table_required(key, "{ type = \"harmonic\", amplitude = 1.0, frequency = \"2 Hz\" }")?;
    let signal = read_signal(context, &inner, dim);
    inner.finish();
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
        _ => record(context, t, dim)?,
    };
    if scale != 1.0 {
        scale_signal(&mut signal, scale);
    }
    Some(signal)
}

fn harmonic(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let scope = &context.scope;
    let amplitude = t.quantity_required("amplitude", dim, scope);
    let hertz = t.quantity("frequency", Dimension::FREQUENCY, scope);
    let omega = t.quantity("omega", Dimension::FREQUENCY, scope);
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

fn scale_signal(signal: &mut Signal, scale: f64) {
    match signal {
        Signal::Constant(x) => *x *= scale,
        Signal::Harmonic { amplitude, mean, .. } => (*amplitude, *mean) = (*amplitude * scale, *mean * scale),
        Signal::Samples { values, .. } => values.iter_mut().for_each(|v| *v *= scale),
        Signal::Points(p) => p.iter_mut().for_each(|p| p.1 *= scale),
        Signal::Formula(f) => f.scale(scale),
    }
}

/// Samples at equal steps or at given times; `file` starts the message about a file.
fn samples(
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
        (Some(dt), None) if dt.value > 0.0 => Some(Signal::Samples { start: 0.0, dt: dt.value, values: y }),
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
                return Some(Signal::Samples { start: x[0], dt: step, values: y });
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

/// A text file with one column of samples (and `dt`), or a column of times and columns of samples. Lines that start
/// with # or % are comments, one header line is skipped; commas, semicolons, tabs and spaces separate.
fn record(context: &Context<'_>, t: &Table<'_>, dim: Dimension) -> Option<Signal> {
    let path = t.string_required("path", "\"record.csv\"");
    let unit = t.string("unit");
    let dt = t.quantity("dt", Dimension::TIME, &context.scope);
    let column = t.integer("column");
    let factor = record_factor(context, t, unit.as_ref(), dim);
    let column = match column {
        Some(c) if c.value < 1 => {
            context.error(c.span, format!("columns are counted from 1, found {}", c.value), "write column = 1");
            return None;
        }
        Some(c) => c.value as usize - 1,
        // With `dt` the file has no times.
        None => usize::from(!t.has("dt")),
    };
    let path = path?;
    let file = format!("`{}`: ", path.value);
    let refuse = |message: String, help: &str| {
        context.error(path.span.clone(), format!("{file}{message}"), help);
        None
    };
    let text = match (context.files)(&path.value) {
        Ok(text) => text,
        Err(e) => return refuse(e, "the path is relative to the model file"),
    };
    let (x, y) = match columns(&text, column) {
        Ok(columns) => columns,
        Err((message, help)) => return refuse(message, help),
    };
    let factor = factor?;
    let y: Vec<f64> = y.into_iter().map(|v| v * factor).collect();
    let second = context.scope.units.factor(Dimension::TIME);
    let times = (!t.has("dt")).then(|| x.iter().map(|t| t * second).collect());
    samples(context, &path.span, t, dt, times, y, &file)
}

/// From the numbers of a record to SI.
fn record_factor(context: &Context<'_>, t: &Table<'_>, unit: Option<&Spanned<String>>, dim: Dimension) -> Option<f64> {
    let Some(u) = unit else { return Some(context.scope.units.factor(dim)) };
    match Unit::parse(&u.value) {
        Ok(parsed) if parsed.dim == dim => Some(parsed.factor),
        Ok(parsed) => {
            let message = format!("expected a unit of {}, found {}", dim.describe(), parsed.dim.describe());
            let example = dim.example();
            let example = example.split_once(' ').map_or(example.as_str(), |(_, unit)| unit);
            context.error(u.span.clone(), message, format!("write for example unit = \"{example}\""));
            None
        }
        Err(e) => {
            context.error(t.locate(u, e.span), e.message, e.help.unwrap_or_default());
            None
        }
    }
}

/// Two columns of a record.
type Columns = (Vec<f64>, Vec<f64>);

/// First column and column number `wanted` (from 0) of a record, or what is wrong and what to do.
fn columns(text: &str, wanted: usize) -> Result<Columns, (String, &'static str)> {
    let (mut x, mut y) = (Vec::new(), Vec::new());
    let mut header = true;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with(['#', '%']) {
            continue;
        }
        let words = line.split([',', ';', ' ', '\t']).filter(|w| !w.is_empty());
        let row: Result<Vec<f64>, String> = words.map(|w| w.parse::<f64>().map_err(|_| w.to_owned())).collect();
        let at = format!("line {}", number + 1);
        match row {
            Err(_) if header => {}
            Err(word) => {
                let word: String = word.chars().take(40).collect();
                return Err((format!("{at}: `{word}` is not a number"), "remove or correct the line"));
            }
            Ok(row) => {
                if let Some(bad) = row.iter().position(|v| !v.is_finite()) {
                    let message = format!("{at}, column {}: {} is not a finite number", bad + 1, row[bad]);
                    return Err((message, "fill the gap in the record, or remove the line"));
                }
                let Some(value) = row.get(wanted) else {
                    let help = "give `dt` for a file with one column, or `column` to choose another";
                    return Err((format!("{at} has no column {}", wanted + 1), help));
                };
                x.push(row[0]);
                y.push(*value);
            }
        }
        header = false;
    }
    Ok((x, y))
}
