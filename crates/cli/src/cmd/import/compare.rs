//! `--compare`: the same script in OpenSees, and how its results differ from those of the imported models.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interfield::trace::{Trace, displacement, trace};
use interfield::{Choices, ModelFile};
use interfield_fmi::scratch::Scratch;
use interfield_language::Model;
use interfield_language::model::{Channel, PushPart, Quantity, Support};
use interfield_language::parse::pushover::PushOverrides;
use interfield_opensees::peer::{self, Course, Difference, Failure, Pair, Peer, Reason, Request};
use interfield_opensees::{Fate, Import, Record, first_value};

use super::modes::{Mode, modes};

/// Numbers that are kept of a run of OpenSees; beyond, only the channels that the model records are compared.
const MOST: usize = 20_000_000;

/// A displacement of OpenSees: node, and number of the degree of freedom from 1.
type Moved = (i64, usize);

/// What is compared.
pub(super) struct Comparing<'a> {
    pub(super) script: &'a Path,
    pub(super) arguments: &'a [String],
    /// A Python that the user has named.
    pub(super) python: Option<&'a str>,
    pub(super) halve: bool,
    pub(super) record: &'a Record,
    pub(super) import: &'a Import,
    /// Where the models and their records are.
    pub(super) folder: &'a Path,
}

/// An analysis in both programs.
pub(super) struct Compared {
    /// The model file.
    pub(super) model: String,
    /// `run` or `pushover`.
    pub(super) command: &'static str,
    /// Factor of the motion, where the script repeats the analysis.
    pub(super) factor: Option<f64>,
    /// Steps of OpenSees, ours, and those that were compared.
    pub(super) steps: [usize; 3],
    /// Time after each compared step, s; the number of the step in a pushover.
    pub(super) x: Vec<f64>,
    pub(super) pairs: Vec<Pair>,
    pub(super) differences: Vec<Difference>,
    /// Why ours ended early.
    pub(super) fault: Option<String>,
}

/// Everything that was compared.
pub(super) struct Comparison {
    pub(super) version: String,
    pub(super) analyses: Vec<Compared>,
    pub(super) modes: Vec<Vec<Mode>>,
    pub(super) reasons: Vec<Reason>,
    /// What a reader must know besides.
    pub(super) notes: Vec<String>,
}

/// A message and a remedy.
pub(super) type Refusal = (String, String);

/// A model with the displacements that are compared: place in the list of OpenSees, degree of freedom of the model.
struct Job<'a> {
    file: ModelFile,
    name: &'a str,
    command: &'static str,
    factor: Option<f64>,
    number: usize,
    dofs: Vec<(usize, usize)>,
}

impl Comparing<'_> {
    pub(super) fn run(&self) -> Result<Comparison, Refusal> {
        let (mut jobs, channels) = self.jobs()?;
        let scratch = Scratch::new("compare");
        let scratch =
            scratch.map_err(|e| (format!("no folder for temporary files: {e}"), "check the disk".to_owned()))?;
        let (whole, python) = self.whole(&channels, scratch.path())?;
        let halved = match self.halve {
            true => Some(self.peer(&python, &channels, true, scratch.path()).map_err(|f| self.refusal(&f, &python))?),
            false => None,
        };
        let mut notes = self.notes(&whole, jobs.len());
        let (courses, halved) = (whole.courses(), halved.as_ref().map(Peer::courses));
        let mut analyses = Vec::new();
        jobs.retain(|job| job.number < courses.len());
        for job in &jobs {
            let halves = halved.as_ref().and_then(|h| h.get(job.number));
            match compared(job, &courses[job.number], halves, channels.len()) {
                Ok(analysis) => analyses.push(analysis),
                Err(message) => notes.push(format!("{} was not compared: {}", job.name, first_line(&message))),
            }
        }
        let base = self.script.parent().map(Path::to_path_buf).unwrap_or_default();
        let start = |series: &_| first_value(series, &|path| super::reading(&base, path));
        Ok(Comparison {
            version: whole.version.clone(),
            analyses,
            modes: modes(self.record, &whole, &base),
            reasons: self.announced().chain(peer::reasons(self.record, &start)).collect(),
            notes,
        })
    }

    /// What the translation has replaced: it makes a difference too. Numbers that were computed on the way do not.
    fn announced(&self) -> impl Iterator<Item = Reason> {
        let replaced = self.import.report.of(Fate::Replaced).filter(|f| !f.message.contains("descend"));
        replaced.map(|f| Reason { place: f.place.clone(), message: format!("{}: {}", f.command, f.message) })
    }

    /// The analyses of all models, and the displacements that OpenSees is asked for.
    fn jobs(&self) -> Result<(Vec<Job<'_>>, Vec<Moved>), Refusal> {
        let mut jobs = Vec::new();
        let mut wanted: BTreeSet<Moved> = BTreeSet::new();
        let mut models = Vec::new();
        for model in &self.import.models {
            for (k, (number, text)) in model.analyses.iter().enumerate() {
                let file = ModelFile::embedded(&model.name, text.clone(), self.folder.to_path_buf());
                let (read, _) =
                    file.model(&choices(model.command, None)).map_err(|r| (r.to_string(), String::new()))?;
                let all = moving(&read);
                let dofs = if all.len() * steps(&read) > MOST { recorded(&read, &all) } else { all };
                wanted.extend(dofs.iter().map(|(at, _)| *at));
                let factor = model.repeats.get(k).map(|r| r.0);
                jobs.push((file, &*model.name, model.command, factor, *number));
                models.push(dofs);
            }
        }
        let channels: Vec<Moved> = wanted.into_iter().collect();
        let place = |at: &Moved| channels.binary_search(at).unwrap_or_default();
        let jobs = jobs.into_iter().zip(&models).map(|((file, name, command, factor, number), dofs)| Job {
            file,
            name,
            command,
            factor,
            number,
            dofs: dofs.iter().map(|(at, dof)| (place(at), *dof)).collect(),
        });
        Ok((jobs.collect(), channels))
    }

    /// OpenSees with the first Python that has it.
    fn whole(&self, channels: &[Moved], scratch: &Path) -> Result<(Peer, PathBuf), Refusal> {
        let pythons = match self.python {
            Some(python) => vec![PathBuf::from(python)],
            None => peer::candidates(self.script, super::active().as_deref()),
        };
        let mut first = None;
        for python in pythons {
            match self.peer(&python, channels, false, scratch) {
                Ok(peer) => return Ok((peer, python)),
                Err(Failure::Other(message)) => return Err((message, String::new())),
                Err(failure) => first = first.or(Some(self.refusal(&failure, &python))),
            }
        }
        Err(first.unwrap_or_default())
    }

    fn peer(&self, python: &Path, channels: &[Moved], halve: bool, scratch: &Path) -> Result<Peer, Failure> {
        let script = std::fs::canonicalize(self.script).unwrap_or_else(|_| self.script.to_path_buf());
        peer::run(&Request { python, script: &script, arguments: self.arguments, channels, halve, scratch })
    }

    fn refusal(&self, failure: &Failure, python: &Path) -> Refusal {
        let python = python.display();
        let install = "install it with `python3 -m venv opensees && opensees/bin/pip install openseespy`, then add \
                       --python opensees/bin/python";
        match failure {
            Failure::NoOpenSees(said) => {
                (format!("--compare: {python} cannot load openseespy: {said}"), install.to_owned())
            }
            Failure::NoProgram(program) if program == "tclsh" => {
                ("--compare: there is no program `tclsh`".to_owned(), "install it: apt install tcl".to_owned())
            }
            Failure::NoProgram(program) => (format!("--compare: there is no program `{program}`"), install.to_owned()),
            Failure::Other(message) => (format!("--compare: {message}"), String::new()),
        }
    }

    /// What happened in OpenSees that a reader of the numbers must know.
    fn notes(&self, whole: &Peer, jobs: usize) -> Vec<String> {
        let mut notes = Vec::new();
        if let interfield_opensees::record::End::Error(message, place) = &whole.end {
            notes.push(format!("in OpenSees the script ends with an error: {message} ({place})"));
        }
        if let Some((_, t)) = whole.failures.first() {
            let n = whole.failures.len();
            notes.push(format!(
                "OpenSees did not converge {n} times, first at time or load factor {t}; the script decides what follows"
            ));
        }
        for model in self.import.models.iter().filter(|m| m.analyses.is_empty()) {
            notes.push(format!(
                "{} was not compared: OpenSees has no steps in time or by displacement control for it",
                model.name
            ));
        }
        let courses = whole.courses().len();
        if courses != jobs {
            notes.push(format!(
                "in OpenSees the script makes {courses} analyses, while it was recorded {jobs}: what follows depends on results; \
                 those that both have are compared"
            ));
        }
        notes
    }
}

/// The message of an error that is printed with its place.
fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default().trim_start_matches("error: ")
}

/// What is chosen for a run or a pushover; `halved` is the step, as a text with its unit.
fn choices(command: &str, halved: Option<String>) -> Choices {
    match command {
        "pushover" => {
            let pushover = Some(PushOverrides { step: halved, ..PushOverrides::default() });
            Choices { pushover, ..Choices::default() }
        }
        _ => Choices { dt: halved, ..Choices::default() },
    }
}

/// Half the step, as a text with its unit.
fn half_step(model: &Model) -> String {
    match &model.pushover {
        Some(push) if model.analysis.statics => {
            let first = push.targets.windows(2).map(|w| (w[1] - w[0]).abs()).fold(0.0, f64::max);
            let unit = if push.control.is_some_and(|d| model.dofs[d].angle) { "rad" } else { "m" };
            // Rounding must not add a step.
            format!("{:e} {unit}", 0.5 * first * (1.0 + 1e-9))
        }
        _ => format!("{:e} s", model.analysis.dt / 2.0),
    }
}

fn steps(model: &Model) -> usize {
    usize::try_from(model.analysis.steps()).unwrap_or(usize::MAX)
}

/// The free degrees of freedom of nodes of the script: node and number in OpenSees, and place in the model.
fn moving(model: &Model) -> Vec<(Moved, usize)> {
    let tag = |name: &str| name.strip_prefix('n').and_then(|t| t.parse::<i64>().ok());
    let nodes = model.nodes.iter().filter_map(|n| Some((tag(&n.name)?, n)));
    let dofs = nodes.flat_map(|(tag, n)| n.dofs.iter().enumerate().map(move |(i, (_, d))| ((tag, i + 1), *d)));
    dofs.filter(|(_, d)| !matches!(model.dofs[*d].support, Support::Fixed)).collect()
}

/// Those of them that the model records.
fn recorded(model: &Model, all: &[(Moved, usize)]) -> Vec<(Moved, usize)> {
    let is = |dof: usize| model.channels.iter().any(|c| c.name == model.dofs[dof].name);
    all.iter().copied().filter(|(_, dof)| is(*dof)).collect()
}

/// Ours, step by step.
fn ours(job: &Job<'_>, choices: &Choices) -> Result<Trace, String> {
    let channels = |model: &Model| -> Vec<Channel> {
        let moved = job.dofs.iter().map(|(_, dof)| displacement(model, *dof));
        let factor = Channel {
            name: "load factor".to_owned(),
            quantity: Quantity::Push(PushPart::Factor),
            unit: "-".to_owned(),
            factor: 1.0,
        };
        moved.chain((job.command == "pushover").then_some(factor)).collect()
    };
    trace(&job.file, choices, channels).map_err(|refused| refused.to_string())
}

/// One analysis in both programs.
fn compared(job: &Job<'_>, course: &Course<'_>, halved: Option<&Course<'_>>, width: usize) -> Result<Compared, String> {
    let plain = choices(job.command, None);
    let (model, _) = job.file.model(&plain).map_err(|refused| refused.to_string())?;
    let own = ours(job, &plain)?;
    let led = model.pushover.as_ref().and_then(|p| job.dofs.iter().position(|(_, dof)| Some(*dof) == p.control));
    let rows = match led {
        Some(k) if !course.is_transient() => peer::rows_along(&course.column(job.dofs[k].0, width), &own.column(k)),
        _ => course.rows_in_time(&own.times),
    };
    if rows.is_empty() {
        return Err("the two have no step in common".to_owned());
    }
    let half = halved.map(|course| ours(job, &choices(job.command, Some(half_step(&model)))).map(|t| (course, t)));
    let half = half.transpose()?;
    let theirs = |course: &Course<'_>, k: usize, channel: usize| match k < job.dofs.len() {
        true => course.column(channel, width),
        // The time of OpenSees in a pushover is its load factor.
        false => course.times(),
    };
    let units = job.dofs.iter().map(|(channel, dof)| (*channel, displacement(&model, *dof)));
    let factor = (job.command == "pushover").then(|| ("load factor".to_owned(), "-".to_owned(), 0));
    let names = units.map(|(channel, c)| (c.name, c.unit, channel)).chain(factor);
    let pick = |values: &[f64], at: &[usize]| at.iter().map(|i| values[*i]).collect::<Vec<f64>>();
    let (in_theirs, in_ours): (Vec<usize>, Vec<usize>) = rows.iter().copied().unzip();
    let pairs: Vec<Pair> = names
        .enumerate()
        .map(|(k, (name, unit, channel))| Pair {
            name,
            unit,
            theirs: pick(&theirs(course, k, channel), &in_theirs),
            ours: pick(&own.column(k), &in_ours),
            halved: half.as_ref().map(|(course, own)| {
                let twice: Vec<usize> = in_ours.iter().map(|i| 2 * i).collect();
                // A run that ended early is short: the difference says so.
                let short =
                    |values: Vec<f64>, at: &[usize]| at.iter().filter_map(|i| values.get(*i).copied()).collect();
                [short(theirs(course, k, channel), &in_theirs), short(own.column(k), &twice)]
            }),
        })
        .collect();
    let x =
        if course.is_transient() { pick(&own.times, &in_ours) } else { in_ours.iter().map(|i| *i as f64).collect() };
    Ok(Compared {
        model: job.name.to_owned(),
        command: job.command,
        factor: job.factor,
        steps: [course.steps(), own.times.len() - 1, rows.len()],
        x,
        differences: peer::differences(&pairs),
        pairs,
        fault: own.fault,
    })
}
