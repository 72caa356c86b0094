//! What the runs are arranged by: a measure of the ground motion, or a number that is varied.

use interfield_ensemble::ground::{Combine, Measure};
use interfield_ensemble::values::Setting;
use interfield_ensemble::{Case, Outcome, Role, Study};
use interfield_language::diag::did_you_mean;
use interfield_language::quantity::Scope;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_motion::STANDARD_GRAVITY;

use super::question::{Mistake, Question, first};
use super::{Args, Pair};
use interfield::table::short;

/// Periods over which spectral accelerations are averaged, in first periods (Eads, Miranda & Lignos 2015).
const AVERAGED: (f64, f64) = (0.2, 3.0);

/// A measure as the command line says it; its periods may be those of the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Wanted {
    Peak,
    Spectral(Option<f64>),
    /// Periods in s, or in first periods.
    Average(Option<(f64, f64)>),
    /// A varied number.
    Variable(String),
}

/// A time greater than zero, s.
fn time(text: &str) -> Result<f64, String> {
    let value = Scope::new(UnitSystem::si()).quantity(text, Dimension::TIME).map_err(|e| first(&e))?;
    if value > 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(format!("`{}` is not greater than zero", text.trim()))
    }
}

/// A time of an option.
pub(super) fn option_time(name: &str, text: &str, example: &str) -> Result<f64, Mistake> {
    time(text).map_err(|why| (format!("{name} \"{text}\": {why}"), format!("write for example {name} \"{example}\"")))
}

impl Wanted {
    /// Reads `pga`, `sa`, `sa(0.5 s)`, `avgsa`, `avgsa(0.1 s..1.5 s)` or the name of a variable.
    pub(super) fn read(text: &str) -> Result<Self, Mistake> {
        let text = text.trim();
        let lower = text.to_lowercase();
        let inside =
            |name: &str| lower.strip_prefix(name)?.trim_start().strip_prefix('(')?.strip_suffix(')').map(str::trim);
        let refuse = |why: String, example: &str| {
            (format!("--intensity \"{text}\": {why}"), format!("write for example --intensity \"{example}\""))
        };
        match lower.as_str() {
            "pga" => return Ok(Self::Peak),
            "sa" | "sa(t1)" => return Ok(Self::Spectral(None)),
            "avgsa" | "saavg" => return Ok(Self::Average(None)),
            _ => {}
        }
        if let Some(range) = inside("avgsa").or_else(|| inside("saavg")) {
            let both = range.split_once("..").ok_or_else(|| "there is no `..` between two periods".to_owned());
            let both = both.and_then(|(a, b)| Ok((time(a)?, time(b)?)));
            let both =
                both.and_then(
                    |(a, b)| if a < b { Ok((a, b)) } else { Err("the first period is the shorter one".to_owned()) },
                );
            return both.map(|b| Self::Average(Some(b))).map_err(|why| refuse(why, "avgsa(0.1 s..1.5 s)"));
        }
        if let Some(period) = inside("sa") {
            return time(period).map(|t| Self::Spectral(Some(t))).map_err(|why| refuse(why, "sa(0.5 s)"));
        }
        Ok(Self::Variable(text.to_owned()))
    }

    /// Whether the first period of the model is needed.
    pub(super) fn needs_period(&self) -> bool {
        matches!(self, Self::Spectral(None) | Self::Average(None))
    }

    /// The measure of a model with this first period; `None` for a variable.
    pub(super) fn measure(&self, period: f64, over: (f64, f64)) -> Option<Measure> {
        match self {
            Self::Peak => Some(Measure::Peak),
            Self::Spectral(own) => Some(Measure::Spectral(own.unwrap_or(period))),
            Self::Average(own) => {
                let (from, to) = own.unwrap_or((over.0 * period, over.1 * period));
                Some(Measure::Average(from, to))
            }
            Self::Variable(_) => None,
        }
    }
}

/// The range of `--average-over`, in first periods.
pub(super) fn averaged(text: Option<&str>) -> Result<(f64, f64), Mistake> {
    let Some(text) = text else { return Ok(AVERAGED) };
    let both =
        text.split_once("..").and_then(|(a, b)| Some((a.trim().parse::<f64>().ok()?, b.trim().parse::<f64>().ok()?)));
    both.filter(|(a, b)| *a > 0.0 && a < b && b.is_finite()).ok_or_else(|| {
        let message = format!("--average-over \"{text}\" is not a range of multiples of the first period");
        (message, "write two increasing numbers, for example --average-over 0.2..3".to_owned())
    })
}

/// How the components of a pair are taken together.
impl From<Pair> for Combine {
    fn from(pair: Pair) -> Self {
        match pair {
            Pair::Geomean => Self::GeometricMean,
            Pair::Larger => Self::Larger,
            Pair::First => Self::First,
        }
    }
}

/// The short name of a measure: in files, and in the journal.
pub(super) fn name(measure: Measure) -> String {
    match measure {
        Measure::Peak => "pga".to_owned(),
        Measure::Spectral(t) => format!("sa({t} s)"),
        Measure::Average(from, to) => format!("avgsa({from} s..{to} s)"),
    }
}

/// A measure in words.
pub(super) fn words(measure: Measure) -> String {
    match measure {
        Measure::Peak => "peak ground acceleration".to_owned(),
        Measure::Spectral(t) => format!("spectral acceleration Sa({} s, 5 %)", short(t)),
        Measure::Average(from, to) => {
            format!("average spectral acceleration Sa({} to {} s, 5 %)", short(from), short(to))
        }
    }
}

/// What the runs are arranged by.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Intensity {
    pub name: String,
    /// For axes and tables.
    pub words: String,
    pub unit: String,
    pub source: Source,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Source {
    /// A variable of the study.
    Variable(usize),
    /// A measure of the ground motion, by its name.
    Motion(String),
}

impl Intensity {
    /// The one that was asked for, or the most natural one; `measure` is that to which motions are scaled, or that was asked for.
    pub(super) fn choose(args: &Args, question: &Question, measure: Option<Measure>) -> Result<Self, Mistake> {
        let study = &question.study;
        let variables = study.variables();
        let variable = |i: usize| {
            // --scale-to is about the peak, whatever was asked for.
            let scaled_by = measure.filter(|_| args.scale_to.is_none()).unwrap_or(Measure::Peak);
            let (name, words) = match variables[i].role {
                Role::Scale => (name(scaled_by), words(scaled_by)),
                Role::Record | Role::Parameter => (variables[i].name.to_owned(), variables[i].name.to_owned()),
            };
            Self { name, words, unit: variables[i].unit.to_owned(), source: Source::Variable(i) }
        };
        let motion =
            |m: Measure| Self { name: name(m), words: words(m), unit: "g".to_owned(), source: Source::Motion(name(m)) };
        let numbers = |i: &usize| study.axes.get(*i).is_none_or(|a| a.values.list.iter().all(|s| s.number.is_some()));
        let all = || (0..variables.len()).filter(numbers);
        // With --scale-to the motions have common peaks, whatever they are arranged by.
        let levels =
            all().find(|&i| variables[i].role == Role::Scale && (args.levels.is_some() || args.intensity.is_none()));
        match (&question.wanted, levels) {
            (Some(Wanted::Variable(wanted)), _) => {
                all().find(|&i| variables[i].name == wanted).map(variable).ok_or_else(|| {
                    let names: Vec<&str> = variables.iter().map(|v| v.name).collect();
                    let help = did_you_mean(wanted, names.iter().copied().chain(["pga", "sa", "avgsa"]))
                        .unwrap_or_else(|| {
                            format!("give pga, sa, sa(PERIOD), avgsa or a varied number: {}", names.join(", "))
                        });
                    (format!("--intensity {wanted}: unknown intensity measure"), help)
                })
            }
            (_, Some(levels)) => Ok(variable(levels)),
            (Some(_), None) => Ok(motion(measure.unwrap_or(Measure::Peak))),
            (None, None) => {
                let other = all().find(|&i| question.records.motions.is_empty() && variables[i].name != "seed");
                Ok(other.map_or_else(|| motion(Measure::Peak), variable))
            }
        }
    }

    /// `name [unit]` in words.
    pub(super) fn label(&self) -> String {
        if self.unit.is_empty() { self.words.clone() } else { format!("{} [{}]", self.words, self.unit) }
    }

    /// Its value for a run.
    pub(super) fn of(&self, case: &Case, outcome: &Outcome) -> Option<f64> {
        match &self.source {
            Source::Variable(i) => case.values.get(*i)?.number,
            Source::Motion(name) => {
                let found = outcome.motions.iter().find(|m| m.0 == *name).map(|m| m.1 / STANDARD_GRAVITY);
                found.filter(|a| a.is_finite())
            }
        }
    }

    /// The axis of the study along which it has common values: then each point off that axis has a curve.
    pub(super) fn axis(&self, study: &Study) -> Option<usize> {
        match self.source {
            Source::Variable(i) => (i < study.axes.len()).then_some(i),
            Source::Motion(_) => None,
        }
    }
}

/// Levels of an intensity, in their own unit: accelerations greater than zero.
pub(super) fn levels(option: &str, text: &str, name: &str) -> Result<interfield_ensemble::Axis, Mistake> {
    use interfield_ensemble::values::{Values, values};
    let refuse = |why: String| {
        let help = format!("write for example {option} \"0.1 g..1 g:10\", or {option} \"0.1, 0.2, 0.4 g\"");
        (format!("{option} \"{text}\": {why}"), help)
    };
    let found = match values(text).map_err(refuse)? {
        Some(found) => found,
        None => single(text)
            .ok_or_else(|| refuse("it is not a number with a unit".to_owned()))
            .map(|(number, unit)| Values { list: vec![Setting::number(number, &unit)], unit })?,
    };
    if found.unit.is_empty() && found.list.iter().all(|s| s.number.is_some()) {
        return Err(refuse("give the unit, for example g".to_owned()));
    }
    for value in &found.list {
        acceleration(&value.text).map_err(refuse)?;
    }
    let mut numbers: Vec<f64> = found.list.iter().filter_map(|s| s.number).collect();
    numbers.sort_by(f64::total_cmp);
    if numbers.len() < found.list.len() {
        return Err(refuse("write all values in one unit".to_owned()));
    }
    if numbers.windows(2).any(|w| w[0] == w[1]) {
        return Err(refuse("a value is given twice".to_owned()));
    }
    Ok(interfield_ensemble::Axis { name: name.to_owned(), role: Role::Scale, values: found })
}

/// A number and its unit.
fn single(text: &str) -> Option<(f64, String)> {
    let text = text.trim();
    let end = (1..=text.len())
        .rev()
        .filter(|&i| text.is_char_boundary(i))
        .find(|&i| text[..i].trim_end().parse::<f64>().is_ok())?;
    Some((text[..end].trim_end().parse().ok()?, text[end..].trim().to_owned()))
}

/// An acceleration greater than zero in m/s².
pub(super) fn acceleration(text: &str) -> Result<f64, String> {
    let scope = Scope::new(UnitSystem::si());
    let value = scope.quantity(text, Dimension::ACCELERATION).map_err(|e| first(&e))?;
    if value > 0.0 && value.is_finite() { Ok(value) } else { Err("an intensity is greater than zero".to_owned()) }
}
