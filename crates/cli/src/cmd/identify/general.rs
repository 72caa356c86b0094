//! Laws and materials of the catalogues, formulas of a model, and elements of a structure from its response.

use interfield::identify::element::Formula;
use interfield::identify::general::{Finding, block, labels};
use interfield::identify::law::Measured;
use interfield::identify::signals::Signals;
use interfield::identify::structure::{Label, Response};
use interfield::table::short;
use interfield_language::Model;
use interfield_language::model::Kind as Of;
use interfield_learn::catalogue::{Catalogued, Kind};
use interfield_learn::general::{Effort, Fitted, Predicts, Task, identify, not_explained};
use interfield_learn::quality::figures;
use interfield_learn::{Prepared, identify as laws};
use interfield_report::{Axis, Curve, Figure, Order, Panel, Style};

use super::{Args, loops, read, ready, write_block};
use crate::Exit;
use crate::drawing::{DPI, draw};
use crate::load::{Loaded, ModelArgs};
use crate::output::{complain, fail, print, print_json};

/// Most channels of a picture.
const PANELS: usize = 6;

type Refused = (String, String);

/// Numbers of the command line that are held, SI, and names of those that are searched.
fn chosen(args: &Args) -> Result<(Vec<(String, f64)>, Vec<String>), Refused> {
    let fixed = super::options(args)?.fixed;
    Ok((fixed, args.free.clone()))
}

fn refuse(args: &Args, (message, help): &Refused) -> Exit {
    fail(args.json, None, None, message, help);
    Exit::BadInput
}

/// A law or a material of the catalogues.
pub(super) fn catalogued(args: &Args, kind: Kind) -> Result<(), Exit> {
    let own = |e: Refused| refuse(args, &e);
    let (fixed, free) = chosen(args).map_err(own)?;
    let (record, measured) = read(args, None).map_err(own)?;
    let prepared = ready(args, &record, kind.needs_rate())?;
    let help = || "`interfield elements` lists parameters; --fix holds one, --free adds an optional one".to_owned();
    let law = Catalogued::new(kind, &prepared.samples, &prepared.t, (&fixed, &free)).map_err(|m| own((m, help())))?;
    let fitted = fitted(args, &law, (law.unknowns.clone(), law.scaled), &prepared)?;
    let labels = labels(kind, &fitted.numbers, &measured);
    let block = block(kind, &fitted.numbers, &labels);
    tell_loop(args, kind.info().name.to_owned(), (&fitted, labels, block), (&prepared, &measured))
}

/// Elements of a model: a formula from its own loop, others from the response of the structure.
pub(super) fn of_model(args: &Args, path: &std::path::Path) -> Result<(), Exit> {
    let own = |e: Refused| refuse(args, &e);
    let (fixed, free) = chosen(args).map_err(own)?;
    let loaded = Loaded::open(path, args.json)?;
    let (model, _) = loaded.model(&ModelArgs::default())?;
    let signals = Signals::open(&args.data).map_err(own)?;
    let names: Vec<String> = args.element.split(',').map(|n| n.trim().to_owned()).collect();
    if let [name] = &names[..]
        && let Some(e) = model.elements.iter().find(|e| e.name == *name)
        && let Of::Formula { element, .. } = &e.kind
        && (args.deformation.is_some() || signals.pair(Some(name.as_str())).is_ok())
    {
        let (record, measured) = read(args, Some(name.as_str())).map_err(own)?;
        let prepared = ready(args, &record, false)?;
        let data = (&prepared.samples, &prepared.t[..]);
        let law = Formula::new(element, &e.s0, data, (&fixed, &free)).map_err(|message| {
            own((
                format!("`{name}`: {message}"),
                "constants are those of the formula, in the units of the model".into(),
            ))
        })?;
        let fitted = fitted(args, &law, (law.unknowns.clone(), false), &prepared)?;
        let labels = fitted.numbers.iter().map(|_| Label { unit: "-".into(), factor: 1.0 }).collect();
        let keys: Vec<String> = fitted.numbers.iter().map(|n| format!("{} = {:e}", n.name, n.value)).collect();
        let block =
            format!("# of the element `{name}`, in the units of the model:\nparameters = {{ {} }}\n", keys.join(", "));
        return tell_loop(args, name.clone(), (&fitted, labels, block), (&prepared, &measured));
    }
    response(args, &model, &signals, (&names, &fixed, &free))
}

fn fitted(
    args: &Args,
    law: &dyn Predicts,
    (unknowns, scaled): (Vec<interfield_learn::general::Unknown>, bool),
    prepared: &Prepared,
) -> Result<Fitted, Exit> {
    let measured = &prepared.samples.p;
    let task = Task { predicts: law, unknowns, measured, weights: vec![1.0; measured.len()], scaled };
    let effort = Effort { refined: Effort::USUAL.refined.min(4), ..Effort::USUAL };
    let mut found = identify(&task, effort, &laws::folds(prepared))
        .map_err(|m| refuse(args, &(format!("it {m}"), "choose another --element".into())))?;
    let nrmse = figures(&prepared.samples.q, measured, &found.predicted).nrmse;
    found.warnings.extend(not_explained(nrmse));
    Ok(found)
}

fn tell_loop(
    args: &Args,
    name: String,
    (fitted, labels, block): (&Fitted, Vec<Label>, String),
    (prepared, measured): (&Prepared, &Measured),
) -> Result<(), Exit> {
    let f = figures(&prepared.samples.q, &prepared.samples.p, &fitted.predicted);
    let mut lines = vec![format!(
        "largest difference {} % of the largest force, energy {} % wrong at the end, {} % at most",
        short(100.0 * f.peak),
        short(100.0 * f.energy),
        short(100.0 * f.energy_history)
    )];
    lines.extend(fitted.held.iter().map(|(range, share)| {
        let t = |k: usize| short(prepared.t[k.min(prepared.t.len() - 1)]);
        let (from, to) = (t(range.start), t(range.end.saturating_sub(1)));
        format!(
            "held back {from} s to {to} s: {} % of the force not explained there, by a law from the rest",
            short(100.0 * share)
        )
    }));
    let finding = Finding {
        name: name.clone(),
        source: args.data.display().to_string(),
        fitted,
        labels,
        unexplained: f.nrmse,
        samples: prepared.samples.p.len(),
        lines,
        block,
    };
    tell(args, &finding, &prepared.warnings, &loops(prepared, (&name, f.nrmse, &fitted.predicted), measured))
}

/// Elements from the response of their structure.
fn response(
    args: &Args,
    model: &Model,
    signals: &Signals,
    (names, fixed, free): (&[String], &[(String, f64)], &[String]),
) -> Result<(), Exit> {
    let response =
        Response::new(model, signals, names, (fixed, free), [args.from, args.to]).map_err(|e| refuse(args, &e))?;
    let (response, found) = response.identify().map_err(|m| {
        refuse(args, &(format!("the response cannot be computed: {m}"), "run the model itself: interfield run".into()))
    })?;
    let lines: Vec<String> = found
        .channels
        .iter()
        .map(|(name, share)| format!("{name}: {} % not explained", short(100.0 * share)))
        .collect();
    let name = format!("{} in `{}`", names.join(", "), model.title);
    let finding = Finding {
        name,
        source: args.data.display().to_string(),
        fitted: &found.fitted,
        labels: response.labels.clone(),
        unexplained: found.unexplained,
        samples: response.times().len(),
        lines,
        block: response.toml(&found.fitted.unknowns),
    };
    let n = response.times().len();
    let panel = |(c, (name, share)): (usize, &(String, f64))| {
        let channel = model.channels.iter().find(|m| m.name == *name);
        let (unit, factor) = channel.map_or((String::new(), 1.0), |c| (c.unit.clone(), c.factor));
        let points = |y: &[f64]| {
            response.times().iter().zip(&y[c * n..(c + 1) * n]).map(|(t, y)| (*t, y * factor)).collect::<Vec<_>>()
        };
        Panel {
            title: format!("{name}: {} % not explained", short(100.0 * share)),
            x: Axis::new("time", "s"),
            y: Axis::new(name, &unit),
            curves: vec![
                Curve::line("measured", points(&response.measured)),
                Curve::line("computed", points(&found.fitted.predicted)).style(Style::Dashed),
            ],
            order: Order::Time,
            ..Panel::default()
        }
    };
    let panels = found.channels.iter().enumerate().take(PANELS).map(panel).collect();
    tell(args, &finding, &response.warnings, &Figure { width: 900.0, slenderness: 0.22, ..Figure::new(panels) })
}

/// Picture, block, text or JSON.
fn tell(args: &Args, finding: &Finding<'_>, data: &[String], figure: &Figure) -> Result<(), Exit> {
    if let Some(path) = &args.plot {
        draw(path, figure, DPI).map_err(|message| {
            fail(args.json, Some(&path.display().to_string()), None, &message, "");
            Exit::Failure
        })?;
    }
    write_block(args, &finding.toml())?;
    if args.json {
        let mut all = finding.json();
        all["data_warnings"] = serde_json::json!(data);
        print_json(&all);
        return Ok(());
    }
    print(&(finding.text() + "\nfor the model file:\n\n" + &finding.toml()));
    data.iter().chain(&finding.fitted.warnings).for_each(|w| complain(&format!("warning: {w}")));
    Ok(())
}
