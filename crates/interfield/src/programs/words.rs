//! What is said about the programs of externals.

use interfield_language::Model;
use interfield_language::external::{External, Program};
use interfield_language::units::Dimension;
use serde_json::{Value, json};

use super::ProgramLog;
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
            lines.push(format!("  stiffness identified by {moves} moves: {}\n", stiffness(external, model)));
        }
        if !story.account.is_empty() {
            let counted: Vec<String> = story.account.iter().map(|(name, x)| format!("{name} {}", short(*x))).collect();
            lines.push(format!("  {}\n", counted.join(", ")));
        }
        if let Some((ending, _)) = &story.ending {
            // The status of a script that was told to end.
            let usual = self.program == "opensees" && ending.ends_with(" 255");
            lines.push(format!("  its process {ending}{}\n", if usual { ", as OpenSees does" } else { "" }));
        }
        if let Some(said) = &story.messages {
            lines.push(format!("  it says:{said}\n"));
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
            _ if e.command.is_empty() => "it must run already".to_owned(),
            _ => format!("started by `{}`", e.command.join(" ")),
        };
        let stiffness = match e.probe {
            None => stiffness(e, model),
            Some(_) => "not known before it runs".to_owned(),
        };
        let text = format!("{}{at}, {start}; moved along {}", e.program.name(), dofs.join(", "));
        labelled("  ", &e.name, &text) + &labelled("    ", "stiffness", &stiffness)
    };
    format!("\ncomputed by other programs\n{}", model.externals.iter().map(one).collect::<String>())
}

/// The same for JSON, SI.
pub fn described_json(model: &Model) -> Value {
    let one = |e: &External| {
        json!({
            "name": e.name, "program": e.program.name(), "command": e.command,
            "at": e.at.as_ref().map(ToString::to_string),
            "dofs": e.dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect::<Vec<_>>(),
            "stiffness": e.probe.is_none().then(|| e.stiffness(model)),
        })
    };
    model.externals.iter().map(one).collect::<Vec<_>>().into()
}

/// The stiffness of the stand-in of an external as it is written in a model file, with its unit.
fn stiffness(external: &External, model: &Model) -> String {
    let n = external.dofs.len();
    let angle = |i: usize| model.dofs[external.dofs[i]].angle;
    let dim = |i: usize, j: usize| {
        let disp = |i: usize| if angle(i) { Dimension::NONE } else { Dimension::LENGTH };
        Dimension::MOMENT.per(disp(i)).per(disp(j))
    };
    let k = external.stiffness(model);
    let entry = |i: usize, j: usize| short(k[i * n + j] / model.units.factor(dim(i, j)));
    let row = |i: usize| format!("[{}]", (0..n).map(|j| entry(i, j)).collect::<Vec<_>>().join(", "));
    let matrix = format!("[{}]", (0..n).map(row).collect::<Vec<_>>().join(", "));
    let alike = (0..n).all(|i| !angle(i));
    if alike { format!("{matrix} {}", model.units.label(Dimension::STIFFNESS)) } else { matrix }
}

/// Everything, SI.
pub fn json(program_logs: &[ProgramLog], model: &Model) -> Value {
    let one = |t: &ProgramLog| {
        let story = t.story();
        json!({
            "name": t.name, "program": t.program, "at": t.at,
            "log": t.log.as_ref().map(|p| p.display().to_string()),
            "identified_by_moves": t.identified,
            "stiffness": t.external(model).map(|e| e.stiffness(model)),
            "account": story.account.iter().map(|(k, v)| ((*k).to_owned(), json!(v))).collect::<serde_json::Map<_, _>>(),
            "process": story.ending.as_ref().map(|e| &e.0), "messages": story.messages,
        })
    };
    program_logs.iter().map(one).collect::<Vec<_>>().into()
}
