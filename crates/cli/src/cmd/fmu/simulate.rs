//! A unit run alone: inputs stay where they start, outputs are written down.

use std::fmt::Write;

use interfield_fmi::{Causality, Error, Kind, Unit, Variable};
use serde_json::{Value, json};

use super::Args;
use crate::Exit;
use crate::output::{complain, fail, print, print_json};
use interfield::files;
use interfield::quantities::UNITS;
use interfield::table::{aligned, short, time};

/// Most steps: what a slip of the keyboard asks for should not run for days.
const MOST_STEPS: f64 = 1e9;

/// The outputs at the end of every step.
struct Run<'a> {
    outputs: Vec<&'a Variable>,
    times: Vec<f64>,
    rows: Vec<Vec<f64>>,
    /// Why it ended early.
    fault: Option<Error>,
}

pub(super) fn run(args: &Args, name: &str, unit: &Unit) -> Exit {
    let experiment = &unit.description().experiment;
    let start = experiment.start.unwrap_or(0.0);
    let until = args.until.or(experiment.stop).unwrap_or(start + 1.0);
    let step = args.step.or(experiment.step).or(unit.description().internal_step).unwrap_or((until - start) / 100.0);
    let steps = ((until - start) / step).round();
    if !(step > 0.0 && (1.0..=MOST_STEPS).contains(&steps)) {
        let message =
            format!("a run from {} to {} in steps of {} is not possible", time(start), time(until), time(step));
        fail(args.json, Some(name), None, &message, "write for example --until 2 --step 0.01");
        return Exit::BadInput;
    }
    let run = match simulate(args, unit, start, step, steps as u64) {
        Ok(run) => run,
        Err(e) => {
            fail(args.json, Some(name), None, &e.message, &e.help);
            return Exit::BadInput;
        }
    };
    if let Some(path) = &args.output
        && let Err(message) = files::write(path, csv(&run))
    {
        fail(args.json, Some(name), None, &message, "give another file with --output");
        return Exit::Failure;
    }
    tell(args, name, &run);
    if run.fault.is_some() { Exit::Fault } else { Exit::Done }
}

fn simulate<'a>(args: &Args, unit: &'a Unit, start: f64, step: f64, steps: u64) -> Result<Run<'a>, Error> {
    let description = unit.description();
    let shown = |v: &&Variable| {
        v.causality == Causality::Output && !v.array && !matches!(v.kind, Kind::String | Kind::Binary | Kind::Clock)
    };
    let outputs: Vec<&Variable> = description.variables.iter().filter(shown).collect();
    let mut instance = unit.instance()?;
    for text in &args.set {
        let wrong =
            |what: String| Error { message: format!("--set {text}: {what}"), help: "write --set NAME=VALUE".into() };
        let (name, value) = text.split_once('=').ok_or_else(|| wrong("there is no `=`".to_owned()))?;
        let variable = description.variable(name.trim());
        let variable = variable.ok_or_else(|| wrong(format!("`{}` has no variable `{name}`", description.model)))?;
        let value = value.trim();
        match (variable.kind, value.parse::<f64>()) {
            (Kind::String, _) => instance.set_text(variable, value)?,
            (Kind::Boolean, _) if matches!(value, "true" | "false") => {
                instance.set(variable, f64::from(value == "true"))?
            }
            (_, Ok(number)) => instance.set(variable, number)?,
            (kind, Err(_)) => return Err(wrong(format!("`{value}` is not a valid {}", kind.name()))),
        }
    }
    instance.enter_initialisation(start)?;
    instance.exit_initialisation()?;
    let mut run = Run { outputs, times: Vec::new(), rows: Vec::new(), fault: None };
    for k in 0..=steps {
        // Not summed up: the last time is the end.
        let t = start + k as f64 * step;
        let row: Result<Vec<f64>, Error> = run.outputs.iter().map(|v| instance.get(v)).collect();
        run.times.push(t);
        run.rows.push(row?);
        if k < steps
            && let Err(e) = instance.step(t, step)
        {
            run.fault = Some(e);
            break;
        }
    }
    instance.terminate();
    Ok(run)
}

fn label(v: &Variable) -> String {
    format!("{} [{}]", v.name, v.unit.as_deref().unwrap_or("-"))
}

fn csv(run: &Run) -> String {
    let mut out = String::from("t [s]");
    for v in &run.outputs {
        let label = label(v);
        let quoted = label.contains([',', '"']);
        out += &if quoted { format!(",\"{}\"", label.replace('"', "\"\"")) } else { format!(",{label}") };
    }
    out.push('\n');
    for (t, row) in run.times.iter().zip(&run.rows) {
        let _ = write!(out, "{t:?}");
        for x in row {
            let _ = write!(out, ",{x:?}");
        }
        out.push('\n');
    }
    out
}

fn tell(args: &Args, name: &str, run: &Run) {
    let end = run.times.last().copied().unwrap_or(0.0);
    let peak = |i: usize| run.rows.iter().fold(0.0_f64, |m, row| m.max(row[i].abs()));
    let last = |i: usize| run.rows.last().map_or(0.0, |row| row[i]);
    if let Some(e) = &run.fault {
        complain(&format!("error: {e}"));
    }
    if args.json {
        let one =
            |(i, v): (usize, &&Variable)| json!({ "name": v.name, "unit": v.unit, "peak": peak(i), "last": last(i) });
        print_json(&json!({
            "file": name, "steps": run.rows.len() - 1, "end": end, "fault": run.fault.as_ref().map(|e| e.message.clone()),
            UNITS: { "end": "s" },
            "output": args.output.as_ref().map(|p| p.display().to_string()),
            "outputs": run.outputs.iter().enumerate().map(one).collect::<Vec<Value>>(),
        }));
        return;
    }
    let row = |(i, v): (usize, &&Variable)| vec![label(v), short(peak(i)), short(last(i))];
    let rows: Vec<Vec<String>> = run.outputs.iter().enumerate().map(row).collect();
    print(&format!(
        "{name}: {} steps to {}\n\n{}",
        run.rows.len() - 1,
        time(end),
        aligned(&["output", "largest", "at the end"], &rows)
    ));
    if let Some(path) = &args.output {
        print(&format!("\n{}\n", path.display()));
    }
}
