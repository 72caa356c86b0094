//! What is said about the programs of externals.

use interfield_language::Model;
use interfield_language::external::{External, Program};
use interfield_language::units::Dimension;
use serde_json::{Value, json};

use super::ProgramLog;
use crate::quantities::{UNITS, account_json, account_words};
use crate::table::{labelled, short};

/// The program that is a file.
const UNIT: &str = "fmu";

/// What became of the programs, as text.
pub fn text(program_logs: &[ProgramLog], model: &Model) -> String {
    program_logs.iter().map(|t| format!("\nexternal `{}`\n", t.name) + &t.lines(model).concat()).collect()
}

impl ProgramLog {
    /// What is known of it, a line each.
    pub fn lines(&self, model: &Model) -> Vec<String> {
        let story = self.story();
        let at = if self.program == UNIT { "in" } else { "at" };
        let mut lines = vec![format!("  {} {at} {}\n", self.program, self.at)];
        if let (Some(moves), Some(external)) = (&self.identified, self.external(model)) {
            lines.push(format!("  stiffness identified from {moves} displacements: {}\n", stiffness(external, model)));
        }
        if !story.account.is_empty() {
            lines.push(format!("  {}\n", account_words(&story.account)));
        }
        if let Some((ending, _)) = &story.ending {
            // The status of a script that was told to end.
            let usual = self.program == "opensees" && ending.ends_with(" 255");
            lines.push(format!("  its process {ending}{}\n", if usual { ", as OpenSees does" } else { "" }));
        }
        if let Some(said) = &story.messages {
            lines.push(format!("  its output:{said}\n"));
        }
        if let Some(log) = &self.log {
            lines.push(format!("  log: {}\n", log.display()));
        }
        lines
    }

    /// After a fault: how its process ended and what it said last.
    pub fn last_words(&self) -> Option<String> {
        let story = self.story();
        match (&story.ending, &story.messages) {
            (Some((ending, said)), _) => Some(format!("the process of external `{}` {ending}{said}", self.name)),
            (None, Some(said)) => Some(format!("the unit of external `{}` says:{said}", self.name)),
            (None, None) => None,
        }
    }

    fn external<'m>(&self, model: &'m Model) -> Option<&'m External> {
        model.externals.iter().find(|e| e.name == self.name)
    }
}

/// What a model file says of its externals, for a look at the model.
pub fn described(model: &Model) -> String {
    if model.externals.is_empty() {
        return String::new();
    }
    let one = |e: &External| {
        let dofs: Vec<&str> = e.dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect();
        let at = e.at.as_ref().map_or_else(String::new, |at| format!(" at {at}"));
        let start = match &e.program {
            Program::Fmu(unit) => format!("loaded from {}", unit.file),
            Program::Callable => "a function of the program that runs the model".to_owned(),
            _ if e.command.is_empty() => "must be running already".to_owned(),
            _ => format!("started by `{}`", e.command.join(" ")),
        };
        let stiffness = match e.probe {
            None => stiffness(e, model),
            Some(_) => "unknown before it runs".to_owned(),
        };
        let text = format!("{}{at}, {start}; moved along {}", e.program.name(), dofs.join(", "));
        labelled("  ", &e.name, &text) + &labelled("    ", "stiffness", &stiffness)
    };
    format!("\ncomputed by other programs\n{}", model.externals.iter().map(one).collect::<String>())
}

/// The same for JSON.
pub fn described_json(model: &Model) -> Value {
    let one = |e: &External| {
        let stiffness = e.probe.is_none().then(|| stiffness_json(e, model));
        json!({
            "name": e.name, "program": e.program.name(), "command": e.command,
            "at": e.at.as_ref().map(ToString::to_string),
            "dofs": e.dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect::<Vec<_>>(),
            "stiffness": stiffness,
        })
    };
    model.externals.iter().map(one).collect::<Vec<_>>().into()
}

/// The stiffness of the stand-in of an external, row by row: numbers and their units.
fn stiffness_rows(external: &External, model: &Model) -> Vec<Vec<(f64, String)>> {
    let n = external.dofs.len();
    let disp = |i: usize| if model.dofs[external.dofs[i]].angle { Dimension::NONE } else { Dimension::LENGTH };
    let k = external.stiffness(model);
    let entry = |i: usize, j: usize| {
        let dim = Dimension::MOMENT.per(disp(i)).per(disp(j));
        (k[i * n + j] / model.units.factor(dim), model.units.label(dim))
    };
    (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect()
}

/// The one unit of a matrix, if it has one.
fn common(rows: &[Vec<(f64, String)>]) -> Option<&str> {
    let mut units = rows.iter().flatten().map(|e| e.1.as_str());
    let first = units.next()?;
    units.all(|u| u == first).then_some(first)
}

/// The stiffness of the stand-in of an external as it is written in a model file, with its units.
fn stiffness(external: &External, model: &Model) -> String {
    let rows = stiffness_rows(external, model);
    let common = common(&rows);
    let entry = |(x, unit): &(f64, String)| match common {
        Some(_) => short(*x),
        None => format!("{} {unit}", short(*x)),
    };
    let row = |row: &Vec<_>| format!("[{}]", row.iter().map(entry).collect::<Vec<_>>().join(", "));
    let matrix = format!("[{}]", rows.iter().map(row).collect::<Vec<_>>().join(", "));
    common.map_or(matrix.clone(), |unit| format!("{matrix} {unit}"))
}

/// The same for JSON: rows of numbers, and their unit or a matrix of units.
fn stiffness_json(external: &External, model: &Model) -> Value {
    let rows = stiffness_rows(external, model);
    let numbers = rows.iter().map(|row| row.iter().map(|e| e.0).collect()).collect::<Vec<Vec<f64>>>();
    let units = rows.iter().map(|row| row.iter().map(|e| e.1.as_str()).collect()).collect::<Vec<Vec<&str>>>();
    match common(&rows) {
        Some(unit) => json!({ "rows": numbers, UNITS: { "rows": unit } }),
        None => json!({ "rows": numbers, UNITS: { "rows": units } }),
    }
}

/// Everything, see [`crate::quantities`].
pub fn json(program_logs: &[ProgramLog], model: &Model) -> Value {
    let one = |t: &ProgramLog| {
        let story = t.story();
        json!({
            "name": t.name, "program": t.program, "at": t.at,
            "log": t.log.as_ref().map(|p| p.display().to_string()),
            "identified_by_moves": t.identified,
            "stiffness": t.external(model).map(|e| stiffness_json(e, model)),
            "account": account_json(&story.account),
            "process": story.ending.as_ref().map(|e| &e.0), "messages": story.messages,
        })
    };
    program_logs.iter().map(one).collect::<Vec<_>>().into()
}
