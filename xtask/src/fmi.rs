//! Functional mock-up units: ours in FMPy, those of others here.
//!
//! The scripts are in peers/ and print one line of JSON; versions are pinned in peers/requirements-fmi.txt.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::context::{Context, Outcome};

/// Largest difference to our own run that counts as none, relative to the largest value of a channel.
const TOLERANCE: f64 = 1e-10;

/// Models that are exported, and with which scheme: linear, with cubic springs, with hysteresis.
const MODELS: &[(&str, &str)] = &[("frame", "newmark"), ("duffing-chain", "lsrt2"), ("rio-torto-isolated", "alpha-os")];

/// A model with a specimen: a communication step is one of its commands.
const SPECIMEN: (&str, &str) = ("forced-split-mass", "alpha-os");

/// Validates and simulates our units in FMPy with steps of all lengths, takes their states back there, and runs them and a reference unit here.
pub(crate) fn stage(context: &Context) -> Outcome {
    let python = crate::python::units(context)?;
    context.build()?;
    let folder = context.target.join("fmi");
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut worst: f64 = 0.0;
    for (model, scheme) in MODELS {
        let ours = run(context, &folder, model, scheme)?;
        for version in ["2", "3"] {
            let unit = export(context, &folder, model, scheme, version)?;
            let theirs = simulated(context, &python, &unit)?;
            worst = worst.max(compare(&unit, "FMPy", &theirs, &ours)?);
            worst = worst.max(compare(&unit, "our importer", &imported(context, &unit)?, &ours)?);
            states(context, &python, &unit)?;
            steps(context, &python, &unit)?;
        }
    }
    for version in ["2", "3"] {
        fixed(context, &python, &export(context, &folder, SPECIMEN.0, SPECIMEN.1, version)?)?;
    }
    let mut fetch = Command::new(&python);
    fetch.arg("-B").arg(context.root.join("peers/fmi_reference.py")).arg(&folder);
    let reference =
        context.json(fetch).map_err(|e| format!("{e}\nthe reference unit could not be fetched from PyPI"))?;
    let reference = PathBuf::from(reference["unit"].as_str().ok_or("fmi_reference.py did not say where the unit is")?);
    let ours = imported(context, &reference)?;
    let same = compare(&reference, "FMPy", &simulated(context, &python, &reference)?, &ours)?;
    // A ball that was dropped from 1 m, lost half of its energy at every bounce and lies on the ground.
    let height = column(&ours, "h").ok_or("the reference unit has no output `h`")?;
    let rests = height.first() == Some(&1.0) && height.last().is_some_and(|h| h.abs() < 1e-9);
    if !rests {
        return Err(format!(
            "the ball of the reference unit starts at {:?} and ends at {:?}",
            height.first(),
            height.last()
        ));
    }
    Ok(format!(
        "{} units without findings, {worst:.0e} from our run; BouncingBall {same:.0e} from FMPy",
        2 * MODELS.len()
    ))
}

/// Columns by name, without their units.
type Table = Vec<(String, Vec<f64>)>;

fn column<'a>(table: &'a Table, name: &str) -> Option<&'a Vec<f64>> {
    table.iter().find(|(n, _)| n == name).map(|(_, values)| values)
}

fn interfield(context: &Context) -> Command {
    Command::new(context.interfield())
}

/// Our own run.
fn run(context: &Context, folder: &Path, model: &str, scheme: &str) -> Result<Table, String> {
    let csv = folder.join(format!("{model}.csv"));
    let mut command = interfield(context);
    command.args(["run", &format!("models/{model}.toml"), "--whole", "--scheme", scheme]);
    command.arg("--output").arg(&csv).arg("--json");
    context.output(command)?;
    read(&csv)
}

fn export(context: &Context, folder: &Path, model: &str, scheme: &str, version: &str) -> Result<PathBuf, String> {
    let unit = folder.join(format!("{model}-{version}.fmu"));
    let mut command = interfield(context);
    command.args(["export", "fmu", &format!("models/{model}.toml"), "--whole", "--scheme", scheme, "--fmi", version]);
    command.arg("--out").arg(&unit).arg("--json");
    let told = context.json(command)?;
    if told["without_binary"].is_null() {
        Ok(unit)
    } else {
        Err(format!("{}: {}", unit.display(), told["without_binary"]))
    }
}

/// A unit in our importer.
fn imported(context: &Context, unit: &Path) -> Result<Table, String> {
    let csv = unit.with_extension("csv");
    let mut command = interfield(context);
    command.arg("fmu").arg(unit).args(["--run", "--json", "--output"]).arg(&csv);
    context.output(command)?;
    read(&csv)
}

/// A unit in FMPy, which must have nothing to say about it.
fn simulated(context: &Context, python: &Path, unit: &Path) -> Result<Table, String> {
    let told = script(context, python, &[&unit.display().to_string()])?;
    for what in ["findings", "said"] {
        if told[what].as_array().is_none_or(|list| !list.is_empty()) {
            return Err(format!("{}: FMPy: {what}: {}", unit.display(), told[what]));
        }
    }
    let outputs = told["outputs"].as_object().ok_or("fmi_units.py gave no outputs")?;
    Ok(outputs.iter().map(|(name, values)| (name.clone(), numbers(values))).collect())
}

/// Saves and restores the state of a unit in FMPy: the bits must be the same.
fn states(context: &Context, python: &Path, unit: &Path) -> Result<(), String> {
    let told = script(context, python, &["--states", &unit.display().to_string()])?;
    let first = numbers(&told["first"]);
    for how in ["again", "from_bytes"] {
        if first.is_empty() || numbers(&told[how]) != first {
            return Err(format!("{}: a state that was restored ({how}) gives other outputs: {told}", unit.display()));
        }
    }
    Ok(())
}

/// Communication steps of any length lead to the same bits at a step of the model, also after a reset.
fn steps(context: &Context, python: &Path, unit: &Path) -> Result<(), String> {
    let told = script(context, python, &["--steps", &unit.display().to_string()])?;
    let ends: Vec<Vec<f64>> = told["ends"].as_array().into_iter().flatten().map(numbers).collect();
    match ends.as_slice() {
        [own, others @ ..] if !own.is_empty() && others.len() == 5 && others.iter().all(|o| o == own) => Ok(()),
        _ => Err(format!("{}: communication steps of another length give other outputs: {told}", unit.display())),
    }
}

/// A unit that takes its own steps only declares it, and says so at once.
fn fixed(context: &Context, python: &Path, unit: &Path) -> Result<(), String> {
    let told = script(context, python, &["--fixed", &unit.display().to_string()])?;
    let said = told["said"].to_string();
    if told["may_vary"] == false && said.contains("must answer every command") {
        return Ok(());
    }
    Err(format!("{}: a communication step that it cannot take: {told}", unit.display()))
}

fn script(context: &Context, python: &Path, arguments: &[&str]) -> Result<Value, String> {
    let mut command = Command::new(python);
    command.arg("-B").arg(context.root.join("peers/fmi_units.py")).args(arguments);
    context.json(command)
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().map(|x| x.as_f64().unwrap_or(f64::NAN)).collect()
}

/// A table of numbers with names in its first line.
fn read(path: &Path) -> Result<Table, String> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let mut lines = text.lines().filter(|l| !l.starts_with('#') && !l.trim().is_empty());
    let name = |cell: &str| cell.trim().trim_matches('"').split(" [").next().unwrap_or("").to_owned();
    let header = lines.next().ok_or_else(|| format!("{} is empty", path.display()))?;
    let mut table: Table = header.split(',').map(|cell| (name(cell), Vec::new())).collect();
    for line in lines {
        for (column, cell) in table.iter_mut().zip(line.split(',')) {
            column.1.push(cell.trim().parse().unwrap_or(f64::NAN));
        }
    }
    Ok(table)
}

/// Largest difference of a channel of `ours` (but for the time), if it is within the tolerance.
fn compare(unit: &Path, host: &str, theirs: &Table, ours: &Table) -> Result<f64, String> {
    let shown = unit.display();
    let mut worst: f64 = 0.0;
    for (name, ours) in ours.iter().skip(1) {
        let theirs = column(theirs, name).ok_or_else(|| format!("{shown} in {host}: there is no output `{name}`"))?;
        if theirs.len() != ours.len() || ours.is_empty() {
            return Err(format!("{shown} in {host}: `{name}` has {} values, ours {}", theirs.len(), ours.len()));
        }
        let size = ours.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let apart = theirs.iter().zip(ours).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, |m: f64, d| if d.is_nan() { f64::INFINITY } else { m.max(d) });
        let relative = if apart == 0.0 { 0.0 } else { apart / size };
        if relative > TOLERANCE {
            return Err(format!("{shown} in {host}: `{name}` is {relative:.1e} from our run"));
        }
        worst = worst.max(relative);
    }
    println!("{shown} in {host}: {worst:.1e}");
    Ok(worst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        let table = |x: f64| vec![("t".to_owned(), vec![0.0, 1.0]), ("u".to_owned(), vec![1.0, x])];
        let unit = Path::new("a.fmu");
        assert!(compare(unit, "b", &table(1000.0 + 5e-8), &table(1000.0)).is_ok());
        assert!(compare(unit, "b", &table(1000.0 + 5e-7), &table(1000.0)).is_err());
        assert!(compare(unit, "b", &table(f64::NAN), &table(1000.0)).is_err());
        assert!(compare(unit, "b", &table(1.0)[..1].to_vec(), &table(1.0)).is_err());
        assert!(compare(unit, "b", &vec![("t".into(), vec![]), ("u".into(), vec![1.0])], &table(1.0)).is_err());
    }
}
