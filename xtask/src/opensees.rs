//! OpenSees as a peer: our results against its.
//!
//! The scripts are in peers/ and print one line of JSON; versions are pinned in peers/requirements.txt.

use crate::context::{Context, Outcome};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

pub(crate) mod external;
mod scripts;
pub(crate) mod served;
mod viaduct;

/// Largest difference that still counts as the same result, relative to the largest value compared.
const TOLERANCE: f64 = 1e-9;

/// Compares the plane frame, the space frame, the viaduct and imported scripts.
pub(crate) fn stage(context: &Context) -> Outcome {
    let python = crate::python::python(context)?;
    context.build()?;
    let results = [
        plane_frame(context, &python),
        space_frame(context, &python),
        viaduct::stage(context, &python),
        scripts::stage(context, &python),
    ];
    let join = |texts: Vec<&String>| texts.into_iter().map(String::as_str).collect::<Vec<_>>().join("; ");
    let failures: Vec<_> = results.iter().filter_map(|r| r.as_ref().err()).collect();
    if failures.is_empty() { Ok(join(results.iter().flatten().collect())) } else { Err(join(failures)) }
}

/// Frequencies, and the top displacement in an earthquake.
fn plane_frame(context: &Context, python: &Path) -> Outcome {
    let model = "models/frame.toml";
    let peer = script(context, python, "opensees_frame.py", &[])?;
    let omega = frequencies(context, model, &numbers(&peer, "omega")?)?;

    // OpenSees moves the supports with the ground; the model of the paper does not.
    let folder = context.target.join("opensees");
    let text = std::fs::read_to_string(context.root.join(model)).map_err(|e| format!("{model}: {e}"))?;
    let moving = text.replace("support_inertia = false", "support_inertia = true");
    if moving == text {
        return Err(format!("{model} no longer says support_inertia = false"));
    }
    let variant = folder.join("frame.toml");
    std::fs::create_dir_all(&folder)
        .and_then(|()| std::fs::write(&variant, moving))
        .map_err(|e| format!("{}: {e}", variant.display()))?;
    let csv = folder.join("frame.csv");
    let mut run = interfield(context);
    run.arg("run").arg(&variant);
    run.args(["--scheme", "newmark", "--dt", "0.01", "--until", "10", "--tangent", "exact"]);
    run.arg("--output").arg(&csv).arg("--json");
    context.output(run)?;
    let table = std::fs::read_to_string(&csv).map_err(|e| format!("{}: {e}", csv.display()))?;
    let dt = peer["dt"].as_f64().ok_or("the peer did not say its time step")?;
    let times: Vec<f64> = numbers(&peer, "steps")?.iter().map(|k| k * dt).collect();
    let ours = column_at(&table, "n10_0.x [m]", &times).map_err(|e| format!("{}: {e}", csv.display()))?;
    let top = compare("displacement of the top", model, &ours, &numbers(&peer, "top")?)?;
    Ok(format!("plane frame: frequencies {omega:.0e}, motion {top:.0e}"))
}

/// Frequencies.
fn space_frame(context: &Context, python: &Path) -> Outcome {
    let peer = script(context, python, "opensees_space_frame.py", &[])?;
    let omega = frequencies(context, "models/space-frame.toml", &numbers(&peer, "omega")?)?;
    Ok(format!("space frame: frequencies {omega:.0e}"))
}

/// Relative difference of as many circular frequencies as the peer gives.
fn frequencies(context: &Context, model: &str, theirs: &[f64]) -> Result<f64, String> {
    let mut command = interfield(context);
    command.args(["modes", model, "--count", &theirs.len().to_string(), "--json"]);
    let modes = context.json(command)?;
    let modes = modes["modes"].as_array().ok_or("`interfield modes --json` has no list `modes`")?;
    let ours: Option<Vec<f64>> = modes.iter().map(|m| m["omega"].as_f64()).collect();
    let ours = ours.ok_or("`interfield modes --json`: a mode has no number `omega`")?;
    // Each on its own scale, so that the low ones are held to the tolerance too.
    let ratios: Vec<f64> = ours.iter().zip(theirs).map(|(a, b)| a / b).collect();
    if ours.len() != theirs.len() {
        return Err(format!("{model}: {} frequencies, OpenSees has {}", ours.len(), theirs.len()));
    }
    compare("circular frequency, as a ratio,", model, &ratios, &vec![1.0; theirs.len()])
}

/// Largest difference relative to the largest of `theirs`, if it is within the tolerance.
fn compare(what: &str, model: &str, ours: &[f64], theirs: &[f64]) -> Result<f64, String> {
    if ours.len() != theirs.len() || ours.is_empty() {
        return Err(format!("{model}: {what}: {} values, OpenSees has {}", ours.len(), theirs.len()));
    }
    let scale = theirs.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let (mut worst, mut place) = (0.0, 0);
    for (i, (a, b)) in ours.iter().zip(theirs).enumerate() {
        let difference = (a - b).abs() / scale;
        let difference = if difference.is_nan() { f64::INFINITY } else { difference };
        if difference > worst {
            (worst, place) = (difference, i);
        }
    }
    println!("{model}: {what} differs from OpenSees by {worst:.1e}");
    if worst <= TOLERANCE {
        Ok(worst)
    } else {
        let (a, b) = (ours[place], theirs[place]);
        Err(format!("{model}: {what} number {} is {a}, in OpenSees {b}: differs by {worst:.1e}", place + 1))
    }
}

/// Values of a column of a CSV file in the rows of these times; the first column is the time.
fn column_at(csv: &str, name: &str, times: &[f64]) -> Result<Vec<f64>, String> {
    let mut lines = csv.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let header: Vec<&str> = lines.next().ok_or("it is empty")?.split(',').map(|h| h.trim().trim_matches('"')).collect();
    let column = header.iter().position(|h| *h == name);
    let column = column.ok_or_else(|| format!("no column `{name}`, there are {}", header.join(", ")))?;
    let mut rows = Vec::new();
    for line in lines {
        let cell = |i: usize| line.split(',').nth(i).and_then(|c| c.trim().parse::<f64>().ok());
        rows.push(cell(0).zip(cell(column)).ok_or_else(|| format!("not a row of numbers: {line}"))?);
    }
    let find = |t: &f64| rows.iter().find(|row| (row.0 - t).abs() < 1e-6).map(|row| row.1);
    times.iter().map(|t| find(t).ok_or_else(|| format!("no row for t = {t} s"))).collect()
}

/// Our program, as just built.
fn interfield(context: &Context) -> Command {
    Command::new(context.interfield())
}

/// What a script of peers/ prints.
fn script(context: &Context, python: &Path, name: &str, arguments: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(python);
    command.arg("-B").arg(context.root.join("peers").join(name)).args(arguments);
    context.json(command)
}

/// A list of numbers in the answer of a script.
fn numbers(value: &Value, key: &str) -> Result<Vec<f64>, String> {
    let list = value[key].as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
    list.ok_or_else(|| format!("the peer's answer has no list of numbers `{key}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_found_by_time() {
        let csv = "t [s],a [m],n10_0.x [m]\n0.0,9,1\n0.5,9,2.5\n1.0,9,-3e-1\n";
        assert_eq!(column_at(csv, "n10_0.x [m]", &[1.0, 0.5]), Ok(vec![-0.3, 2.5]));
        assert!(column_at(csv, "b", &[]).is_err());
        assert!(column_at(csv, "a [m]", &[0.7]).is_err());
        assert!(column_at("t,a\n0,x\n", "a", &[0.0]).is_err());
    }

    #[test]
    fn differences_are_relative_to_the_largest() {
        assert!(compare("a", "b", &[1.0, 1000.0 + 5e-7], &[1.0, 1000.0]).is_ok());
        assert!(compare("a", "b", &[1.0, 1000.0 + 5e-6], &[1.0, 1000.0]).is_err());
        assert!(compare("a", "b", &[f64::NAN, 1000.0], &[1.0, 1000.0]).is_err());
        assert!(compare("a", "b", &[1.0], &[1.0, 2.0]).is_err());
        assert!(compare("a", "b", &[], &[]).is_err());
    }
}
