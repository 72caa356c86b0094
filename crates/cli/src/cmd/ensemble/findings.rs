//! What the runs of an ensemble say together.

use interfield::quantities::{ONE, UNITS};
use interfield_ensemble::fragility::{Fit, Stripe, Trial, fit, stripes};
use interfield_ensemble::statistics::{PROBABILITIES, rank_correlation};
use interfield_ensemble::{Band, Case, Ending, Figure, Outcome, Study, Summary, bands, over};
use interfield_language::Model;
use interfield_motion::STANDARD_GRAVITY;
use serde_json::{Map, Value, json};

use super::question::{Intensity, Limit};

/// Key figures of a channel that are summarised, with what they are called.
pub(super) type Pick = fn(&Figure) -> f64;
pub(super) const FIGURES: [(&str, Pick); 5] =
    [("peak", |f| f.peak.abs()), ("max", |f| f.max), ("min", |f| f.min), ("rms", |f| f.rms), ("final", |f| f.last)];

/// A limit with its curve.
pub(super) struct Fragility {
    pub limit: String,
    pub stripes: Vec<Stripe>,
    pub fit: Result<Fit, String>,
    /// Runs that stopped before they exceeded the limit, or that have no intensity: nothing is known of them.
    pub unknown: usize,
}

/// Everything found.
pub(super) struct Findings<'a> {
    pub model: &'a Model,
    pub study: &'a Study,
    pub cases: &'a [Case],
    pub outcomes: &'a [Outcome],
    /// Names of the measures of the ground motion of each run, in g.
    pub motions: Vec<String>,
    /// For each channel a summary of each of [`FIGURES`], over all runs that finished: one that stopped would bring in how far
    /// it had come.
    pub summaries: Vec<Vec<Option<Summary>>>,
    /// For each channel its bands over time, over all runs that finished with the sampling of the first.
    pub bands: Vec<Vec<Band>>,
    /// Time between the samples of the bands, s.
    pub interval: f64,
    pub intensity: &'a Intensity,
    pub fragility: Vec<Fragility>,
    /// For each variable with numbers its rank correlation with the peak of each channel.
    pub sensitivity: Vec<(String, Vec<Option<f64>>)>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(
        model: &'a Model,
        study: &'a Study,
        (cases, outcomes): (&'a [Case], &'a [Outcome]),
        (intensity, limits): (&'a Intensity, &[Limit]),
        (periods, thin): (&[f64], u64),
        threads: usize,
    ) -> Self {
        let channels: Vec<usize> = (0..model.channels.len()).collect();
        let finished: Vec<&Outcome> = outcomes.iter().filter(|o| o.ending == Ending::Finished).collect();
        let summary = |c: usize, pick: Pick| {
            let numbers = finished.iter().filter_map(|o| o.figures.get(c)).map(pick);
            Summary::of(&numbers.collect::<Vec<f64>>())
        };
        let summaries = channels.iter().map(|&c| FIGURES.iter().map(|f| summary(c, f.1)).collect()).collect();
        let bands = over(&channels, threads, |&c| {
            bands(&finished.iter().filter_map(|o| o.histories.get(c)).map(Vec::as_slice).collect::<Vec<_>>())
        });
        let periods = periods.iter().map(|t| format!("sa({t} s)"));
        Self {
            model,
            study,
            cases,
            outcomes,
            motions: [String::from("pga")].into_iter().chain(periods).collect(),
            summaries,
            bands,
            interval: model.analysis.dt * (model.every * thin) as f64,
            intensity,
            fragility: limits.iter().map(|l| fragility(l, intensity, cases, outcomes)).collect(),
            sensitivity: sensitivity(study, cases, outcomes, channels.len()),
        }
    }

    /// Number of runs that ended like this.
    pub(super) fn count(&self, like: fn(&Ending) -> bool) -> usize {
        self.outcomes.iter().filter(|o| like(&o.ending)).count()
    }

    /// Reasons of all runs that did not finish, each with the numbers of its runs.
    pub(super) fn failures(&self) -> Vec<(&str, Vec<usize>)> {
        let mut found: Vec<(&str, Vec<usize>)> = Vec::new();
        for (i, outcome) in self.outcomes.iter().enumerate() {
            let (Ending::Fault(why) | Ending::Refused(why)) = &outcome.ending else { continue };
            match found.iter_mut().find(|(w, _)| w == why) {
                Some((_, runs)) => runs.push(i),
                None => found.push((why, vec![i])),
            }
        }
        found
    }

    /// Everything but the single runs.
    pub(super) fn json(&self) -> Value {
        let variables = self.study.variables();
        let variable = |(i, v): (usize, &interfield_ensemble::study::Variable<'_>)| {
            let values =
                self.study.axes.get(i).map(|a| a.values.list.iter().map(|s| s.text.as_str()).collect::<Vec<_>>());
            let draw = i.checked_sub(self.study.axes.len()).and_then(|i| self.study.draws.get(i));
            json!({
                "name": v.name, "unit": v.unit, "values": values,
                "distribution": draw.map(|d| d.distribution.words()),
            })
        };
        let channel = |(c, summaries): (usize, &Vec<Option<Summary>>)| {
            let channel = &self.model.channels[c];
            let mut out = json!({ "name": channel.name, "unit": channel.unit });
            for ((name, _), summary) in FIGURES.iter().zip(summaries) {
                out[*name] = summary.as_ref().map_or(Value::Null, summary_json);
            }
            out
        };
        let drawn = !self.study.draws.is_empty();
        json!({
            "title": self.model.title,
            "scheme": self.model.analysis.scheme_name,
            "dt": self.model.analysis.dt,
            "duration": self.model.analysis.duration,
            "variables": variables.iter().enumerate().map(variable).collect::<Vec<_>>(),
            "samples": drawn.then_some(self.study.samples),
            "sampling": drawn.then(|| self.study.sampling.word()),
            "draw_seed": drawn.then_some(self.study.seed),
            "runs": self.outcomes.len(),
            "finished": self.count(|e| *e == Ending::Finished),
            "faults": self.count(|e| matches!(e, Ending::Fault(_))),
            "refused": self.count(|e| matches!(e, Ending::Refused(_))),
            "failures": self.failures().iter().map(|(why, runs)| json!({ "reason": why, "runs": runs })).collect::<Vec<_>>(),
            "channels": self.summaries.iter().enumerate().map(channel).collect::<Vec<_>>(),
            "intensity": { "name": self.intensity.name, "unit": self.intensity.unit },
            UNITS: {
                "dt": "s", "duration": "s", "seconds": "s", "runs_per_second": "1/s", "intensity": self.intensity.unit,
                "fraction": ONE, "confidence_95": ONE, "median": self.intensity.unit, "dispersion": ONE,
                "standard_error_of_ln_median": ONE, "standard_error_of_dispersion": ONE, "rank_correlation_with_peak": ONE,
            },
            "fragility": self.fragility.iter().map(fragility_json).collect::<Vec<_>>(),
            "sensitivity": self.sensitivity.iter().map(|(name, r)| {
                let by = self.model.channels.iter().zip(r).map(|(c, r)| (c.name.clone(), json!(r)));
                json!({ "variable": name, "rank_correlation_with_peak": by.collect::<Map<_, _>>() })
            }).collect::<Vec<_>>(),
        })
    }

    /// The single runs.
    pub(super) fn cases_json(&self) -> Vec<Value> {
        let variables = self.study.variables();
        let case = |(case, outcome): (&Case, &Outcome)| {
            let values = variables.iter().zip(&case.values).map(|(v, s)| (v.name.to_owned(), json!(s.text)));
            let (ending, reason) = match &outcome.ending {
                Ending::Finished => ("finished", None),
                Ending::Fault(why) => ("fault", Some(why)),
                Ending::Refused(why) => ("refused", Some(why)),
            };
            let figures = self.model.channels.iter().zip(&outcome.figures).map(|(c, f)| {
                let figure = json!({
                    "min": f.min, "max": f.max, "peak": f.peak, "peak_time": f.peak_time, "rms": f.rms, "final": f.last,
                });
                (c.name.clone(), figure)
            });
            let motions = self.motions.iter().zip(&outcome.intensities);
            json!({
                "run": case.index, "values": values.collect::<Map<_, _>>(), "outcome": ending, "reason": reason,
                "motion_in_g": motions.map(|(n, a)| (n.clone(), json!(a / STANDARD_GRAVITY))).collect::<Map<_, _>>(),
                "channels": figures.collect::<Map<_, _>>(),
            })
        };
        self.cases.iter().zip(self.outcomes).map(case).collect()
    }
}

fn summary_json(s: &Summary) -> Value {
    let quantiles = PROBABILITIES.iter().zip(s.band.quantiles).map(|(p, q)| (format!("{p}"), json!(q)));
    json!({
        "runs": s.band.count, "mean": s.band.mean, "std": s.band.std, "min": s.min, "max": s.max,
        "quantiles": quantiles.collect::<Map<_, _>>(),
    })
}

fn fragility_json(f: &Fragility) -> Value {
    let stripe = |s: &Stripe| {
        json!({
            "intensity": s.intensity, "exceeded": s.exceeded, "runs": s.total, "fraction": s.fraction(),
            "confidence_95": [s.interval.0, s.interval.1],
        })
    };
    json!({
        "limit": f.limit, "unknown": f.unknown, "stripes": f.stripes.iter().map(stripe).collect::<Vec<_>>(),
        "fit": f.fit.as_ref().ok().map(|fit| json!({
            "median": fit.median, "dispersion": fit.dispersion,
            "standard_error_of_ln_median": fit.median_error, "standard_error_of_dispersion": fit.dispersion_error,
        })),
        "no_fit": f.fit.as_ref().err(),
    })
}

/// How often a limit was exceeded. A run that stopped counts if it had exceeded the limit by then.
fn fragility(limit: &Limit, intensity: &Intensity, cases: &[Case], outcomes: &[Outcome]) -> Fragility {
    let trial = |(case, outcome): (&Case, &Outcome)| {
        let exceeded = limit.exceeded(&outcome.figures);
        let known = exceeded || outcome.ending == Ending::Finished;
        let intensity = intensity.of(&case.values, &outcome.intensities)?;
        known.then_some(Trial { intensity, exceeded })
    };
    let trials: Vec<Trial> = cases.iter().zip(outcomes).filter_map(trial).collect();
    let unknown = cases.len() - trials.len();
    Fragility { limit: limit.text.clone(), stripes: stripes(&trials), fit: fit(&trials), unknown }
}

fn sensitivity(
    study: &Study,
    cases: &[Case],
    outcomes: &[Outcome],
    channels: usize,
) -> Vec<(String, Vec<Option<f64>>)> {
    let variables = study.variables();
    let numbers = |i: usize| cases.iter().all(|c| c.values[i].number.is_some());
    let correlation = |i: usize, c: usize| {
        let pair = |(case, outcome): (&Case, &Outcome)| {
            Some((
                case.values[i].number?,
                outcome.figures.get(c).filter(|_| outcome.ending == Ending::Finished)?.peak.abs(),
            ))
        };
        let (x, y): (Vec<f64>, Vec<f64>) = cases.iter().zip(outcomes).filter_map(pair).unzip();
        rank_correlation(&x, &y)
    };
    // A seed is a name, not a quantity.
    let chosen = (0..variables.len()).filter(|&i| numbers(i) && variables[i].name != "seed");
    chosen.map(|i| (variables[i].name.to_owned(), (0..channels).map(|c| correlation(i, c)).collect())).collect()
}
