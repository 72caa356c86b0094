//! What an ensemble asks: the variables of the study, the records, the intensity. All mistakes at once.

use interfield_ensemble::values::Setting;
use interfield_ensemble::values::{Values, distribution, values};
use interfield_ensemble::{Axis, Draw, Role, Sampling, Study};

use super::Args;
use super::intensity::{Wanted, averaged, levels, option_time};
use super::records::Records;

/// Most runs of an ensemble.
const MOST_RUNS: usize = 100_000;

/// Names of the variables that are no parameters of the model.
const RECORD: &str = "record";
const SCALE: &str = "scale-to";
const LEVEL: &str = "intensity";

/// A mistake and what to do about it.
pub(super) type Mistake = (String, String);

/// Everything that is varied, and what stays as it is.
pub(super) struct Question {
    pub study: Study,
    /// Records that replace that of the model, in the order of their axis.
    pub records: Records,
    /// Parameters that have one value throughout.
    pub fixed: Vec<(String, String)>,
    /// The intensity that was asked for.
    pub wanted: Option<Wanted>,
    /// The period that was given for spectral accelerations, s.
    pub period: Option<f64>,
    /// Periods over which spectral accelerations are averaged, in first periods.
    pub averaged: (f64, f64),
    /// Time after the motion of the ground, s.
    pub free_vibration: Option<f64>,
}

impl Question {
    /// Reads the command line.
    pub(super) fn read(args: &Args) -> Result<Self, Vec<Mistake>> {
        let mut mistakes = Vec::new();
        let (mut axes, mut fixed, mut records) = (Vec::new(), Vec::new(), Records::default());
        if !args.records.is_empty() {
            records = Records::read(&args.records).unwrap_or_else(|found| {
                mistakes.extend(found);
                Records::default()
            });
            let list = records.motions.iter().map(|m| Setting { text: m.name.clone(), number: None }).collect();
            axes.push(Axis {
                name: RECORD.to_owned(),
                role: Role::Record,
                values: Values { unit: String::new(), list },
            });
        }
        if let Some(text) = &args.scale_to {
            axes.extend(levels("--scale-to", text, SCALE).map_err(|m| mistakes.push(m)));
        }
        if let Some(text) = &args.levels {
            axes.extend(levels("--levels", text, LEVEL).map_err(|m| mistakes.push(m)));
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
        let wanted = args.intensity.as_deref().map(Wanted::read).transpose();
        let period = args.period.as_deref().map(|t| option_time("--period", t, "0.5 s")).transpose();
        let tail = args.free_vibration.as_deref().map(free_vibration).transpose();
        let averaged = averaged(args.average_over.as_deref());
        mistakes.extend(wanted.as_ref().err().into_iter().chain(period.as_ref().err()).cloned());
        mistakes.extend(tail.as_ref().err().into_iter().chain(averaged.as_ref().err()).cloned());
        if let (Some(_), Ok(Some(Wanted::Variable(name)))) = (&args.levels, &wanted) {
            let message = format!(
                "--intensity {name}: --levels scales the ground motion, but this is not a measure of the \
                    ground motion"
            );
            mistakes.push((message, "give --intensity pga, sa or avgsa".to_owned()));
        }
        match (mistakes.is_empty(), wanted, period, tail, averaged) {
            (true, Ok(wanted), Ok(period), Ok(free_vibration), Ok(averaged)) => {
                Ok(Self { study, records, fixed, wanted, period, averaged, free_vibration })
            }
            _ => Err(mistakes),
        }
    }
}

/// The time of `--free-vibration`, which may be zero.
fn free_vibration(text: &str) -> Result<f64, Mistake> {
    match text.trim().strip_suffix('s').unwrap_or(text).trim() {
        "0" => Ok(0.0),
        _ => option_time("--free-vibration", text, "10 s"),
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

/// The first thing that is wrong with an expression.
pub(super) fn first(errors: &[interfield_language::formula::ExprError]) -> String {
    errors.first().map_or_else(String::new, |e| e.message.clone())
}
