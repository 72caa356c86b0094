//! All couplings on a model: run, told and drawn.

use std::path::{Path, PathBuf};

use interfield::Advised;
use interfield::alternatives::{Compared, Comparison, compare, examine};
use interfield_coupling::registry::{COUPLINGS, find};
use interfield_language::diag::did_you_mean;
use interfield_report::{Axis, BLACK, Curve, Figure, Mark, Order, Panel, Style};
use interfield_structure::specimen::Rehearsal as AsEmulated;

use super::Args;
use crate::Exit;
use crate::drawing::{self, DPI};
use crate::load::Loaded;
use crate::output::{fail, print, print_json, progress};
use crate::stored::check_output;

/// Modes of the structure in one piece among which those that matter are looked for.
const MODES: usize = 12;
/// Couplings whose errors are drawn over time.
const DRAWN: usize = 5;

pub(super) fn run(path: &Path, args: &Args) -> Exit {
    match attempt(path, args) {
        Ok(()) => Exit::Done,
        Err(exit) => exit,
    }
}

fn attempt(path: &Path, args: &Args) -> Result<(), Exit> {
    if let Some(name) = args.only.iter().find(|name| find(name).is_none()) {
        let names: Vec<&str> = COUPLINGS.iter().map(|m| m.name).collect();
        let help =
            did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("couplings are {}", names.join(", ")));
        fail(args.json, None, None, &format!("--only: there is no coupling `{name}`"), &help);
        return Err(Exit::BadInput);
    }
    let loaded = Loaded::open(path, args.json)?;
    let stem = path.file_stem().map_or_else(|| "model".into(), |s| s.to_string_lossy().into_owned());
    let default = || PathBuf::from("interfield-out").join(format!("{stem}-couplings.svg"));
    let output = args.output.clone().unwrap_or_else(default);
    check_output(&output, &["svg", "png"], &[path], args.json)?;
    let settings = args.settings();
    let (model, places) = loaded.model(&settings)?;
    if let Some(external) = model.externals.iter().find(|e| e.probe.is_some()) {
        let message = format!("the stiffness of external `{}` is not known", external.name);
        let help = "write its `stiffness` in the model; `interfield check --identify` finds it";
        fail(args.json, Some(&path.display().to_string()), None, &message, help);
        return Err(Exit::BadInput);
    }
    let Advised { structure, modal, .. } = loaded.advised_model(model, &places, Some(MODES))?;
    let model = structure.model.clone();
    let bar = progress(0, "runs", !args.json);
    let told = |done: usize, all: usize| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
    };
    let found = compare(&model, &args.only, told);
    bar.finish_and_clear();
    let found = found.map_err(|(message, help)| {
        fail(args.json, Some(&path.display().to_string()), None, &message, &help);
        Exit::BadInput
    })?;
    // What `check` says, to be read beside what was found.
    let sim = loaded.start(structure, &places, &mut AsEmulated)?;
    let said = examine(&sim, modal.as_ref().map_err(Clone::clone));
    let name = output.display().to_string();
    drawing::draw(&output, &figure(&found), DPI).map_err(|message| {
        fail(args.json, Some(&name), None, &message, "give another file with --output");
        Exit::Failure
    })?;
    if args.json {
        print_json(&found.json(&name, said.as_ref().map(|a| a.json(&model))));
    } else {
        print(&(found.text(&name) + &said.map_or_else(String::new, |a| a.said(&model))));
    }
    Ok(())
}

/// Error over cost; the force of the interface; errors over time.
fn figure(found: &Comparison) -> Figure {
    let title = format!("{}: couplings compared", found.title);
    let row = busiest(found);
    Figure { title, slenderness: 0.45, ..Figure::new(vec![costs(found), force(found, row), errors(found, row)]) }
}

/// The row of the interface through which most work goes.
fn busiest(found: &Comparison) -> usize {
    let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
    let work = |row: &usize| square(&found.reference.displacement[*row]) * square(&found.reference.force[*row]);
    (0..found.rows.len()).max_by(|a, b| work(a).total_cmp(&work(b))).unwrap_or(0)
}

/// Measured error of each coupling over the time of its step, with a line to the expected one.
fn costs(found: &Comparison) -> Panel {
    let point = |c: &Compared| {
        let error = c.quality.as_ref().map_or(f64::NAN, |q| 100.0 * q.displacement);
        (1e6 * c.per_step, error)
    };
    let group = |parallel: bool, name: &str, colour: usize| {
        let mut members: Vec<&Compared> = found.couplings.iter().filter(|c| c.info.parallel == parallel).collect();
        members.sort_by(|a, b| a.per_step.total_cmp(&b.per_step));
        let expected = |c: &&Compared| {
            let measured = point(c).1;
            Some(100.0 * c.expected_error()).filter(|e| e.is_finite()).unwrap_or(measured)
        };
        let points: Vec<(f64, f64)> = members.iter().map(|c| point(c)).collect();
        let low = members.iter().map(|c| point(c).1.min(expected(c))).collect();
        let high = members.iter().map(|c| point(c).1.max(expected(c))).collect();
        Curve::line(name, points).style(Style::Whiskers { low, high }).colour(colour)
    };
    let word = |c: &Compared| {
        let (x, y) = point(c);
        Mark::Word(x, y, format!("{}{}", c.info.name, if c.own { " (of the model)" } else { "" }))
    };
    let mut marks: Vec<Mark> = found.couplings.iter().map(word).collect();
    marks.push(Mark::Horizontal(100.0 * found.reference_error[0], "error of the reference".to_owned()));
    let (times, errors): (Vec<f64>, Vec<f64>) = found.couplings.iter().map(point).unzip();
    let expected = found.couplings.iter().map(|c| 100.0 * c.expected_error());
    let errors: Vec<f64> = errors.into_iter().chain(expected).chain([100.0 * found.reference_error[0]]).collect();
    Panel {
        title: "Error of the interface displacement over cost; lines end at the expected error".to_owned(),
        x: around(Axis::new("time of a macro-step, both sides", "us").log(), &times),
        y: around(Axis::new("error, rms over rms", "%").log(), &errors),
        order: Order::Free,
        curves: vec![group(true, "sides in parallel", 0), group(false, "one side after the other", 1)],
        marks,
        ..Panel::default()
    }
}

/// A logarithmic axis with room around its values.
fn around(axis: Axis, values: &[f64]) -> Axis {
    let there = || values.iter().copied().filter(|x| x.is_finite() && *x > 0.0);
    match (there().reduce(f64::min), there().reduce(f64::max)) {
        (Some(least), Some(most)) => axis.over(0.6 * least, 1.8 * most),
        _ => axis,
    }
}

/// The couplings that are drawn over time: the best, and that of the model.
fn drawn(found: &Comparison) -> Vec<&Compared> {
    let list: Vec<&Compared> = found.ordered().into_iter().filter(|c| c.quality.is_ok()).collect();
    let mut drawn: Vec<&Compared> = list.iter().copied().take(DRAWN).collect();
    if let Some(own) = list.iter().find(|c| c.own && !drawn.iter().any(|d| d.own)) {
        drawn.push(own);
    }
    drawn
}

fn over_time(found: &Comparison, values: impl Iterator<Item = f64>) -> Vec<(f64, f64)> {
    found.times.iter().copied().zip(values).collect()
}

/// The force of a row, of the coupling of the model (else the best) and of the reference.
fn force(found: &Comparison, row: usize) -> Panel {
    let (unit, size) = found.unit(row, true);
    let history = |force: &[Vec<f64>]| over_time(found, force[row].iter().map(|f| f / size));
    let mut curves = vec![Curve::line("reference", history(&found.reference.force)).colour(BLACK)];
    let shown = drawn(found);
    if let Some(c) = shown.iter().find(|c| c.own).or(shown.first()) {
        curves.push(Curve::line(c.info.name, history(&c.history.force)).style(Style::Dashed).colour(1));
    }
    Panel {
        title: format!("Force of the interface at {}", found.rows[row].0),
        x: Axis::new("time", "s"),
        y: Axis::new("force", &unit),
        order: Order::Time,
        curves,
        ..Panel::default()
    }
}

/// Errors of the displacement of a row.
fn errors(found: &Comparison, row: usize) -> Panel {
    let (unit, size) = found.unit(row, false);
    let right = &found.reference.displacement[row];
    let curve = |c: &&Compared| {
        let error = c.history.displacement[row].iter().zip(right).map(|(a, b)| (a - b) / size);
        Curve::line(c.info.name, over_time(found, error))
    };
    let shown = drawn(found);
    // The worst below the others.
    let curves = shown.iter().rev().map(curve).collect();
    Panel {
        title: format!("Error of the displacement of the interface at {}, the best couplings", found.rows[row].0),
        x: Axis::new("time", "s"),
        y: Axis::new("error", &unit),
        order: Order::Time,
        curves,
        ..Panel::default()
    }
}
