//! Scripts of OpenSees as models: the modules that record a script, and the translator from a record to model files. What cannot be
//! translated is told, with its line and what to do; nothing is dropped silently.

mod arguments;
mod channels;
mod damping;
mod domain;
mod elements;
mod loads;
mod materials;
mod model;
mod origin;
pub mod peer;
pub mod record;
pub mod report;
mod schemes;
mod script;
mod sections;
mod series;
pub mod units;
mod write;

pub use record::Record;
pub use report::{Fate, Finding, Report};
pub use series::Files;
pub use units::Units;

use model::{Setting, Written};
use script::{Analysis, Run, Script};

/// Files of the Python recorder, by their paths below one folder; the first is what is run, with the script as its argument.
pub const PYTHON: &[(&str, &str)] = &[
    ("run.py", include_str!("../recorder/run.py")),
    ("openseespy/__init__.py", ""),
    ("openseespy/opensees.py", include_str!("../recorder/opensees.py")),
    ("opensees/__init__.py", "import sys\nimport openseespy.opensees as _module\nsys.modules[__name__] = _module\n"),
];

/// The Tcl recorder, in the same way; it also passes commands on to the real OpenSees.
pub const TCL: &[(&str, &str)] = &[("record.tcl", include_str!("../recorder/record.tcl"))];

/// What the user has chosen.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Name of the model: files are called after it.
    pub stem: String,
    /// Title of the models.
    pub title: String,
    /// Lines at the top of each model file.
    pub header: Vec<String>,
    /// Units that the user has told.
    pub units: Option<Units>,
    /// Commands that may be left out.
    pub allow: Vec<String>,
}

/// A model file.
#[derive(Clone, Debug)]
pub struct ModelFile {
    /// Its name, with `.toml`.
    pub name: String,
    /// Its text.
    pub text: String,
    /// Records beside it: name and text.
    pub beside: Vec<(String, String)>,
    /// What is analysed: `pushover`, `run` or `check`.
    pub command: &'static str,
    /// Factors and peaks of the ground motion with which the script repeats this analysis, if it does; peaks in units of the script.
    pub repeats: Vec<(f64, f64)>,
    /// The analyses of the script that it stands for: the number of each among those by displacement control and in time, and its own
    /// text.
    pub analyses: Vec<(usize, String)>,
}

/// A script as models.
#[derive(Clone, Debug)]
pub struct Import {
    /// One for each analysis that differs.
    pub models: Vec<ModelFile>,
    /// What was not translated as it stands.
    pub report: Report,
    /// The units of the script.
    pub units: Units,
}

/// Translates a record. `files` reads what the script names.
pub fn translate(record: &Record, options: &Options, files: &Files<'_>) -> Import {
    let report = Report { allowed: options.allow.clone(), ..Report::default() };
    let mut script = Script::new(report, files);
    script.read(record);
    let Script { runs, mut report, .. } = script;
    if runs.is_empty() {
        let place = record::Place { file: record.script.clone(), line: 0 };
        let remedy = "the script must build a model with openseespy (import openseespy.opensees as ops)";
        report.add(Fate::Refused, "model", &place, "the script has built no model with elements", remedy);
    }
    let units = options.units.clone().unwrap_or_else(|| guessed(&runs));
    let (mut models, mut records) = (Vec::<ModelFile>::new(), Vec::new());
    let mut plain: Vec<String> = Vec::new();
    let mut courses = 0;
    for run in chosen(&runs) {
        let name = name(&options.stem, run, models.len(), runs.len());
        let setting =
            Setting { header: &options.header, title: &options.title, stem: &options.stem, units: &units, files };
        let Written { text, files: beside, motions } = model::write(run, &setting, &mut report, &mut records);
        // Analyses that differ by the factor of their motion alone are one model.
        let scale = |s: f64| format!(", scale = {}", write::number(s));
        let bare = motions.iter().fold(text.clone(), |t, m| t.replace(&scale(m.0), ""));
        let motion = motions.first().copied();
        // What OpenSees does by load control is not followed step by step.
        let followed = matches!(run.kind, Analysis::Push { imposed: false, .. } | Analysis::Motion { .. });
        let own = followed.then(|| (courses, text.clone()));
        courses += usize::from(followed);
        match plain.iter().position(|p| *p == bare) {
            Some(i) => {
                models[i].repeats.extend(motion);
                models[i].analyses.extend(own);
            }
            None => {
                plain.push(bare);
                let repeats = motion.into_iter().collect();
                let analyses = own.into_iter().collect();
                models.push(ModelFile { name, text, beside, command: command(run), repeats, analyses });
            }
        }
    }
    models.iter_mut().filter(|m| m.repeats.len() < 2).for_each(|m| m.repeats.clear());
    Import { models, report, units }
}

/// The model as it stands at the end of a record, at rest; `None` if something in it is refused.
pub fn translate_here(record: &Record, options: &Options, files: &Files<'_>) -> Option<(String, Units)> {
    let mut script = Script::new(Report::default(), files);
    let run = script.standing(record)?;
    let units = guessed(std::slice::from_ref(&run));
    let setting = Setting { header: &[], title: "record", stem: &options.stem, units: &units, files };
    let written = model::write(&run, &setting, &mut script.report, &mut Vec::new());
    (!script.report.refuses()).then_some((written.text, units))
}

/// The units that all models of a script together tell.
fn guessed(runs: &[Run]) -> Units {
    let clues: Vec<units::Clue> = runs.iter().flat_map(|r| model::clues(&r.domain)).collect();
    units::guess(&clues)
}

/// Runs worth a file: a model at rest only if nothing else is there.
fn chosen(runs: &[Run]) -> impl Iterator<Item = &Run> {
    let moving = runs.iter().any(|r| r.kind != Analysis::Rest);
    runs.iter().filter(move |r| !moving || r.kind != Analysis::Rest)
}

fn command(run: &Run) -> &'static str {
    match run.kind {
        Analysis::Rest => "check",
        Analysis::Push { .. } | Analysis::Load { .. } => "pushover",
        Analysis::Motion { .. } => "run",
    }
}

/// The first is called after the script, others say what they are.
fn name(stem: &str, run: &Run, before: usize, runs: usize) -> String {
    let kind = if command(run) == "pushover" { "-pushover" } else { "" };
    match (before, runs) {
        (0, _) => format!("{stem}.toml"),
        (n, _) => format!("{stem}{kind}-{}.toml", n + 1),
    }
}

/// The value of a `timeSeries` at its beginning, if it can be read.
pub fn first_value(series: &record::Command, files: &Files<'_>) -> Option<f64> {
    series::course(series, files).ok().map(|course| course.at(0.0))
}
