//! What an ensemble asks: the variables of the study, the records, the limits. All mistakes at once.

use std::path::{Path, PathBuf};

use interfield_ensemble::values::Setting;
use interfield_ensemble::values::{Values, distribution, values};
use interfield_ensemble::{Axis, Draw, Figure, Role, Sampling, Study};
use interfield_language::Model;
use interfield_language::diag::did_you_mean;
use interfield_language::quantity::Scope;
use interfield_language::units::{Dimension, Unit, UnitSystem};
use interfield_motion::{MAX_BYTES, Quantity, ReadOptions, Record, STANDARD_GRAVITY};

use super::Args;
use interfield::read_bytes;

/// Most runs of an ensemble.
const MOST_RUNS: usize = 100_000;

/// Names of the variables that are no parameters of the model.
const RECORD: &str = "record";
const SCALE: &str = "scale-to";

/// A mistake and what to do about it.
pub(super) type Mistake = (String, String);

/// Everything that is varied, and what stays as it is.
pub(super) struct Question {
    pub study: Study,
    /// Records that replace that of the model, in the order of their axis.
    pub records: Vec<Record>,
    /// Parameters that have one value throughout.
    pub fixed: Vec<(String, String)>,
    /// Periods in s of the spectral accelerations that are wanted beside the peak ground acceleration.
    pub periods: Vec<f64>,
}

impl Question {
    /// Reads the command line.
    pub(super) fn read(args: &Args) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let (mut axes, mut fixed, mut records) = (Vec::new(), Vec::new(), Vec::new());
        if !args.records.is_empty() {
            let (names, found) = read_records(&args.records, &mut mistakes);
            records = found;
            let list = names.into_iter().map(|text| Setting { text, number: None }).collect();
            axes.push(Axis {
                name: RECORD.to_owned(),
                role: Role::Record,
                values: Values { unit: String::new(), list },
            });
        }
        if let Some(text) = &args.scale_to {
            axes.extend(scale_axis(text).map_err(|m| mistakes.push(m)));
        }
        for (name, text) in &args.settings.set {
            match values(text) {
                Ok(Some(values)) => axes.push(Axis { name: name.clone(), role: Role::Parameter, values }),
                Ok(None) => fixed.push((name.clone(), text.clone())),
                Err(why) => mistakes.push((format!("--set {name}={text}: {why}"), RANGES.to_owned())),
            }
        }
        if let Some(text) = &args.seeds {
            match seeds(text) {
                Ok(values) => axes.push(Axis { name: "seed".to_owned(), role: Role::Parameter, values }),
                Err(why) => {
                    mistakes.push((format!("--seeds {text}: {why}"), "write for example --seeds 1..100".into()))
                }
            }
        }
        let mut draws = Vec::new();
        for (name, text) in &args.draw {
            match distribution(text) {
                Ok((distribution, unit)) => draws.push(Draw { name: name.clone(), unit, distribution }),
                Err(why) => mistakes.push((format!("--draw {name}~{text}: {why}"), String::new())),
            }
        }
        let study = Study {
            axes,
            draws,
            samples: args.sample as usize,
            sampling: if args.random { Sampling::Random } else { Sampling::Latin },
            seed: args.draw_seed,
        };
        mistakes.extend(study_mistakes(&study, &fixed));
        let periods = match args.intensity.as_deref().map(period) {
            Some(Some(Err(why))) => {
                mistakes.push((why, "write for example --intensity \"sa(0.5 s)\"".to_owned()));
                Vec::new()
            }
            Some(Some(Ok(period))) => vec![period],
            _ => Vec::new(),
        };
        if mistakes.is_empty() { Ok(Self { study, records, fixed, periods }) } else { Err(mistakes) }
    }
}

const RANGES: &str = "write a range such as 0.1 g..1 g:10 (ten values) or 1..20, or a list such as 1, 2, 5";

/// What is wrong with the study as a whole.
fn study_mistakes(study: &Study, fixed: &[(String, String)]) -> Vec<Mistake> {
    let mut mistakes = Vec::new();
    let variables = study.variables();
    for (i, v) in variables.iter().enumerate() {
        let before = variables[..i].iter().any(|w| w.name == v.name) || fixed.iter().any(|(name, _)| name == v.name);
        if before {
            mistakes.push((format!("`{}` is given twice", v.name), "give each parameter once".to_owned()));
        }
    }
    if variables.is_empty() {
        let help =
            "give --seeds 1..100, --records FOLDER, --set NAME=FROM..TO:COUNT or --draw \"NAME~normal(MEAN, STD)\"";
        mistakes.push(("nothing is varied".to_owned(), help.to_owned()));
    }
    match study.count() {
        Some(0) => {}
        Some(n) if n <= MOST_RUNS => {}
        n => {
            let n = n.map_or_else(|| "too many".to_owned(), |n| n.to_string());
            mistakes.push((format!("{n} runs, more than {MOST_RUNS}"), "give fewer values".to_owned()));
        }
    }
    mistakes
}

fn seeds(text: &str) -> Result<Values, String> {
    let found = values(text)?.or_else(|| {
        let one = text.trim().parse::<u32>().ok()?;
        Some(Values { unit: String::new(), list: vec![Setting::number(f64::from(one), "")] })
    });
    let whole = |s: &Setting| s.number.is_some_and(|x| x >= 0.0 && x == x.trunc());
    found.filter(|v| v.unit.is_empty() && v.list.iter().all(whole)).ok_or("seeds are whole numbers from 0".to_owned())
}

/// Peaks to which the ground motion is scaled, in their own unit.
fn scale_axis(text: &str) -> Result<Axis, Mistake> {
    let refuse =
        |why: String| (format!("--scale-to {text}: {why}"), "write for example --scale-to \"0.3 g\"".to_owned());
    let found = match values(text).map_err(refuse)? {
        Some(found) => found,
        None => Values { unit: String::new(), list: vec![Setting { text: text.to_owned(), number: None }] },
    };
    for value in &found.list {
        acceleration(&value.text).map_err(refuse)?;
    }
    Ok(Axis { name: SCALE.to_owned(), role: Role::Scale, values: found })
}

/// An acceleration greater than zero in m/s².
pub(super) fn acceleration(text: &str) -> Result<f64, String> {
    let scope = Scope::new(UnitSystem::si());
    let value = scope.quantity(text, Dimension::ACCELERATION).map_err(|e| first(&e))?;
    if value > 0.0 { Ok(value) } else { Err("the peak must be greater than zero".to_owned()) }
}

fn first(errors: &[interfield_language::formula::ExprError]) -> String {
    errors.first().map_or_else(String::new, |e| e.message.clone())
}

/// The period in s of `sa(0.5 s)`; `None` for another intensity.
fn period(text: &str) -> Option<Result<f64, String>> {
    let inside = text.trim().strip_prefix("sa(")?.strip_suffix(')')?;
    let scope = Scope::new(UnitSystem::si());
    let value = scope.quantity(inside, Dimension::TIME).map_err(|e| format!("--intensity {text}: {}", first(&e)));
    Some(value.and_then(|t| {
        if t > 0.0 { Ok(t) } else { Err(format!("--intensity {text}: the period must be greater than zero")) }
    }))
}

/// Reads all records: files, and all files of folders in the order of their names.
fn read_records(paths: &[PathBuf], mistakes: &mut Vec<Mistake>) -> (Vec<String>, Vec<Record>) {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        match folder(path) {
            Ok(found) if found.is_empty() => {
                mistakes.push((format!("`{}` has no files", path.display()), "give records, or their folder".into()))
            }
            Ok(found) => files.extend(found),
            Err(e) => mistakes.push((format!("`{}` cannot be read: {e}", path.display()), String::new())),
        }
    }
    let name = |p: &Path| p.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    let read = |path: &PathBuf| match read_record(path) {
        Ok(record) => Some((name(path), record)),
        Err(mistake) => {
            mistakes.push(mistake);
            None
        }
    };
    files.iter().filter_map(read).unzip()
}

fn folder(path: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries: Vec<PathBuf> = std::fs::read_dir(path)?.map(|e| Ok(e?.path())).collect::<std::io::Result<_>>()?;
    let hidden = |p: &Path| p.file_name().is_some_and(|n| n.to_string_lossy().starts_with('.'));
    let mut files: Vec<PathBuf> = entries.into_iter().filter(|p| p.is_file() && !hidden(p)).collect();
    files.sort();
    Ok(files)
}

fn read_record(path: &Path) -> Result<Record, Mistake> {
    let name = path.display();
    let bytes = read_bytes(path, MAX_BYTES as u64).map_err(|e| (format!("`{name}` {e}"), String::new()))?;
    let record = interfield_motion::read_bytes(&bytes, &ReadOptions::default()).map_err(|e| {
        let line = if e.line > 0 { format!("line {}: ", e.line) } else { String::new() };
        let help = format!(
            "`interfield motion {name} -o clean.csv`, with --unit and --dt as needed, writes a complete \
                record"
        );
        (format!("`{name}`: {line}{}", e.message), help)
    })?;
    if record.quantity != Quantity::Acceleration {
        let message = format!("`{name}` is a {}; an acceleration is needed", record.quantity.name());
        return Err((message, "give another record of the same station".to_owned()));
    }
    Ok(record)
}

/// Which figure of a channel is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    Peak,
    Rms,
    Final,
}

impl Measure {
    const ALL: [(&'static str, Self); 3] = [("peak", Self::Peak), ("rms", Self::Rms), ("final", Self::Final)];

    /// Its magnitude.
    fn of(self, figure: &Figure) -> f64 {
        match self {
            Self::Peak => figure.peak.abs(),
            Self::Rms => figure.rms,
            Self::Final => figure.last.abs(),
        }
    }
}

/// A limit state.
pub(super) struct Limit {
    /// As it was written.
    pub text: String,
    pub channel: usize,
    measure: Measure,
    /// In the unit of the channel.
    threshold: f64,
}

impl Limit {
    /// Whether a run exceeded it.
    pub(super) fn exceeded(&self, figures: &[Figure]) -> bool {
        figures.get(self.channel).is_some_and(|f| self.measure.of(f) > self.threshold)
    }

    /// Reads `[peak|rms|final] CHANNEL > VALUE` for the channels of a model.
    fn read(text: &str, model: &Model) -> Result<Self, Mistake> {
        let refuse = |why: String, help: String| (format!("--exceeds \"{text}\": {why}"), help);
        let example = || "write for example --exceeds \"storey1.deformation > 20 mm\"".to_owned();
        let (left, right) =
            text.split_once('>').ok_or_else(|| refuse("there is no `>` in it".to_owned(), example()))?;
        let (word, rest) = left.trim().split_once(' ').unwrap_or(("", left));
        let measure = Measure::ALL.iter().find(|m| m.0 == word).map(|m| m.1);
        let name = if measure.is_some() { rest.trim() } else { left.trim() };
        let channel = model.channels.iter().position(|c| c.name == name).ok_or_else(|| {
            let names = || model.channels.iter().map(|c| c.name.as_str());
            let known: Vec<&str> = names().take(20).collect();
            let near = did_you_mean(name, names());
            let help = near.unwrap_or_else(|| format!("the model records {}", known.join(", ")));
            refuse(format!("no channel `{name}` is recorded"), help)
        })?;
        let c = &model.channels[channel];
        let value = Scope::new(model.units.clone()).evaluate(right).map_err(|e| refuse(first(&e), example()))?;
        let threshold = match (value.dim, Unit::parse(&c.unit)) {
            (None, _) => value.si,
            (Some(found), Ok(unit)) if found == unit.dim => {
                let si = value.at(unit.dim, &model.units).map_err(|(why, _)| refuse(why, example()))?;
                si * c.factor
            }
            (Some(found), Ok(unit)) => {
                let why = format!("`{name}` is {}, but {} is {}", unit.dim.describe(), right.trim(), found.describe());
                return Err(refuse(why, format!("write the value in {}", c.unit)));
            }
            (Some(_), Err(_)) => {
                return Err(refuse(format!("`{name}` has no unit"), "write a plain number".to_owned()));
            }
        };
        let measure = measure.unwrap_or(Measure::Peak);
        Ok(Self { text: text.trim().to_owned(), channel, measure, threshold })
    }
}

/// All limits, or all that is wrong with them.
pub(super) fn limits(texts: &[String], model: &Model) -> Result<Vec<Limit>, Vec<Mistake>> {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for text in texts {
        match Limit::read(text, model) {
            Ok(limit) => good.push(limit),
            Err(mistake) => bad.push(mistake),
        }
    }
    if bad.is_empty() { Ok(good) } else { Err(bad) }
}

/// What a fragility curve is drawn over.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Intensity {
    pub name: String,
    pub unit: String,
    source: Source,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// A variable of the study.
    Variable(usize),
    /// A measure of the ground motion: 0 is the peak, then the periods.
    Motion(usize),
}

impl Intensity {
    /// The one that was asked for, or the most natural one.
    pub(super) fn choose(wanted: Option<&str>, question: &Question) -> Result<Self, Mistake> {
        let variables = question.study.variables();
        let variable = |i: usize| Self {
            name: variables[i].name.to_owned(),
            unit: variables[i].unit.to_owned(),
            source: Source::Variable(i),
        };
        let motion =
            |name: &str, i: usize| Self { name: name.to_owned(), unit: "g".to_owned(), source: Source::Motion(i) };
        let numbers = |i: &usize| match question.study.axes.get(*i) {
            Some(axis) => axis.values.list.iter().all(|s| s.number.is_some()),
            None => true,
        };
        let Some(wanted) = wanted else {
            let all = || (0..variables.len()).filter(numbers);
            let found = all().find(|&i| variables[i].role == Role::Scale);
            let found = found.or_else(|| all().find(|&i| question.records.is_empty() && variables[i].name != "seed"));
            return Ok(found.map_or_else(|| motion("pga", 0), variable));
        };
        let wanted = wanted.trim();
        if wanted == "pga" {
            return Ok(motion("pga", 0));
        }
        if !question.periods.is_empty() {
            return Ok(motion(wanted, 1));
        }
        (0..variables.len()).filter(numbers).find(|&i| variables[i].name == wanted).map(variable).ok_or_else(|| {
            let names: Vec<&str> = variables.iter().map(|v| v.name).collect();
            let help = did_you_mean(wanted, names.iter().copied())
                .unwrap_or_else(|| format!("give pga, sa(PERIOD) or a varied number: {}", names.join(", ")));
            (format!("--intensity {wanted}: unknown intensity measure"), help)
        })
    }

    /// Its value for a case with these values and measures of the ground motion in m/s².
    pub(super) fn of(&self, values: &[Setting], motions: &[f64]) -> Option<f64> {
        match self.source {
            Source::Variable(i) => values.get(i)?.number,
            Source::Motion(i) => motions.get(i).map(|a| a / STANDARD_GRAVITY).filter(|a| a.is_finite()),
        }
    }
}
