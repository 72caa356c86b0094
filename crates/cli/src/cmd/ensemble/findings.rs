//! What the runs of an ensemble say together.

use interfield::quantities::{ONE, UNITS};
use interfield_ensemble::fragility::{Fit, Stripe, Trial, fit, fit_capacities, stripes};
use interfield_ensemble::ida::{self, Capacity, Collapse, Curve, FRACTILES, Point};
use interfield_ensemble::statistics::{PROBABILITIES, rank_correlation};
use interfield_ensemble::{Band, Case, Ending, Figure, Outcome, Study, Summary, bands, over};
use interfield_language::Model;
use interfield_motion::STANDARD_GRAVITY;
use serde_json::{Map, Value, json};

use super::demand::{Demand, Limit};
use super::intensity::Intensity;
use super::worker::Worker;

/// Key figures of a channel that are summarised, with what they are called.
pub(super) type Pick = fn(&Figure) -> f64;
pub(super) const FIGURES: [(&str, Pick); 6] = [
    ("peak", |f| f.peak.abs()),
    ("max", |f| f.max),
    ("min", |f| f.min),
    ("rms", |f| f.rms),
    ("final", |f| f.last),
    ("residual", |f| f.residual),
];
/// Demands at which fractiles of the intensity are told.
const DEMANDS: usize = 40;

/// A limit with its curves.
pub(super) struct Fragility {
    pub limit: String,
    pub stripes: Vec<Stripe>,
    pub fit: Result<Fit, String>,
    /// Of each ground motion the intensity at which it reaches the limit, where there are several intensities.
    pub capacities: Vec<Capacity>,
    pub capacity_fit: Option<Result<Fit, String>>,
    /// Runs that say nothing of the limit: they could not begin, were broken off, or have no intensity.
    pub unknown: usize,
}

/// A quantity at one intensity: its fractiles and dispersion.
pub(super) struct AtIntensity {
    pub quantity: String,
    pub unit: String,
    pub stripes: Vec<ida::Stripe>,
}

/// An incremental dynamic analysis.
pub(super) struct Ida {
    pub demand: Demand,
    /// One curve of each ground motion (and of each draw), with what it is called.
    pub curves: Vec<(String, Curve)>,
    /// By intensity, rising: the demand first, then peaks and residual values of all channels.
    pub quantities: Vec<AtIntensity>,
    /// Demands with the fractiles of the intensity at which they are reached.
    pub at_demands: Vec<(f64, [f64; 3])>,
}

/// What is asked of the runs.
pub(super) struct Asked<'a> {
    pub intensity: &'a Intensity,
    pub limits: &'a [Limit],
    pub demand: Option<&'a Demand>,
    pub collapse: Collapse,
    /// Whether collapse was asked for, and is told of even if there is none.
    pub collapse_asked: bool,
}

/// Everything found.
pub(super) struct Findings<'a> {
    pub model: &'a Model,
    pub study: &'a Study,
    pub cases: &'a [Case],
    pub outcomes: &'a [Outcome],
    pub worker: &'a Worker<'a>,
    /// Names of the measures of the ground motion of each run.
    pub motions: Vec<String>,
    /// For each channel a summary of each of [`FIGURES`], over all runs that finished: one that stopped would bring in how far
    /// it had come.
    pub summaries: Vec<Vec<Option<Summary>>>,
    /// For each channel its bands over time, over all runs that finished with the sampling of the first.
    pub bands: Vec<Vec<Band>>,
    /// Time between the samples of the bands, s.
    pub interval: f64,
    pub intensity: &'a Intensity,
    pub limits: &'a [Limit],
    pub collapse: Collapse,
    pub ida: Option<Ida>,
    pub fragility: Vec<Fragility>,
    /// For each variable with numbers its rank correlation with the peak of each channel.
    pub sensitivity: Vec<(String, Vec<Option<f64>>)>,
}

impl<'a> Findings<'a> {
    pub(super) fn new(
        worker: &'a Worker<'a>,
        (cases, outcomes): (&'a [Case], &'a [Outcome]),
        asked: &Asked<'a>,
        threads: usize,
    ) -> Self {
        let (model, study) = (worker.first, worker.study);
        let channels: Vec<usize> = (0..model.channels.len()).collect();
        let finished: Vec<&Outcome> = outcomes.iter().filter(|o| o.ending == Ending::Finished).collect();
        let summary = |c: usize, pick: Pick| {
            let numbers = finished.iter().filter_map(|o| o.figures.get(c)).map(pick).filter(|x| x.is_finite());
            Summary::of(&numbers.collect::<Vec<f64>>())
        };
        let summaries = channels.iter().map(|&c| FIGURES.iter().map(|f| summary(c, f.1)).collect()).collect();
        let bands = over(&channels, threads, |&c| {
            bands(&finished.iter().filter_map(|o| o.histories.get(c)).map(Vec::as_slice).collect::<Vec<_>>())
        });
        let runs = Runs { study, cases, outcomes, intensity: asked.intensity };
        let ida = asked.demand.filter(|_| runs.is_ida(asked.limits)).and_then(|d| runs.ida(d, asked.collapse, model));
        let mut fragility: Vec<Fragility> = asked.limits.iter().map(|l| runs.fragility(l)).collect();
        let collapsed = ida.as_ref().map(|ida| runs.collapse(ida, asked.collapse));
        fragility.extend(collapsed.filter(|f| asked.collapse_asked || f.stripes.iter().any(|s| s.exceeded > 0)));
        let mut motions: Vec<String> = Vec::new();
        for (name, _) in outcomes.iter().flat_map(|o| &o.motions) {
            if !motions.contains(name) {
                motions.push(name.clone());
            }
        }
        Self {
            model,
            study,
            cases,
            outcomes,
            worker,
            motions,
            summaries,
            bands,
            interval: model.analysis.dt * (model.every * worker.thin.unwrap_or(1)) as f64,
            intensity: asked.intensity,
            limits: asked.limits,
            collapse: asked.collapse,
            ida,
            fragility,
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
            let (_, why) = outcome.ending.word();
            if why.is_empty() {
                continue;
            }
            match found.iter_mut().find(|(w, _)| *w == why) {
                Some((_, runs)) => runs.push(i),
                None => found.push((why, vec![i])),
            }
        }
        found
    }

    /// Runs that still swing at their end by more than a twentieth of the largest value of a channel that is judged by what remains.
    pub(super) fn still_swinging(&self) -> usize {
        let Some(channels) = self.ida.as_ref().map(|i| &i.demand.channels) else { return 0 };
        let most = match self.collapse {
            Collapse::Demand(most) => most,
            Collapse::Stopped | Collapse::Slope(_) => f64::INFINITY,
        };
        let swings = |o: &&Outcome| {
            let swings = |f: &Figure| f.peak.abs() <= most && f.swing > 0.05 * f.peak.abs();
            channels.iter().filter_map(|&c| o.figures.get(c)).any(swings)
        };
        self.outcomes.iter().filter(|o| o.ending == Ending::Finished).filter(swings).count()
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
            "free_vibration": self.worker.tail,
            "variables": variables.iter().enumerate().map(variable).collect::<Vec<_>>(),
            "records": self.worker.motions.iter().map(|m| self.record_json(m)).collect::<Vec<_>>(),
            "samples": drawn.then_some(self.study.samples),
            "sampling": drawn.then(|| self.study.sampling.word()),
            "draw_seed": drawn.then_some(self.study.seed),
            "runs": self.outcomes.len(),
            "finished": self.count(|e| *e == Ending::Finished),
            "faults": self.count(|e| matches!(e, Ending::Fault(_))),
            "broken_off": self.count(|e| matches!(e, Ending::Broken(_))),
            "refused": self.count(|e| matches!(e, Ending::Refused(_))),
            "failures": self.failures().iter().map(|(why, runs)| json!({ "reason": why, "runs": runs })).collect::<Vec<_>>(),
            "channels": self.summaries.iter().enumerate().map(channel).collect::<Vec<_>>(),
            "intensity": { "name": self.intensity.name, "words": self.intensity.words, "unit": self.intensity.unit },
            "ida": self.ida.as_ref().map(ida_json),
            UNITS: self.units(),
            "fragility": self.fragility.iter().map(fragility_json).collect::<Vec<_>>(),
            "sensitivity": self.sensitivity.iter().map(|(name, r)| {
                let by = self.model.channels.iter().zip(r).map(|(c, r)| (c.name.clone(), json!(r)));
                json!({ "variable": name, "rank_correlation_with_peak": by.collect::<Map<_, _>>() })
            }).collect::<Vec<_>>(),
        })
    }

    /// Units of the numbers by their names.
    fn units(&self) -> Value {
        json!({
            "dt": "s", "duration": "s", "free_vibration": "s", "first_period": "s", "seconds": "s",
            "runs_per_second": "1/s", "intensity": self.intensity.unit, "fraction": ONE, "confidence_95": ONE,
            "median": self.intensity.unit, "median_confidence_95": self.intensity.unit, "dispersion": ONE,
            "dispersion_confidence_95": ONE, "capacities": self.intensity.unit,
            "intensity_fractiles": self.intensity.unit, "standard_error_of_ln_median": ONE,
            "standard_error_of_dispersion": ONE, "rank_correlation_with_peak": ONE,
            "demand": self.ida.as_ref().map_or("", |i| i.demand.unit.as_str()), "sampling_s": "s", "duration_s": "s",
            "measures_in_g": "g",
        })
    }

    fn record_json(&self, m: &super::worker::Shaken) -> Value {
        let name = super::intensity::name(self.worker.measure);
        let mut measures = Map::new();
        measures.insert("pga".to_owned(), json!(m.peak / STANDARD_GRAVITY));
        measures.insert(name, json!(m.measured / STANDARD_GRAVITY));
        json!({
            "name": m.motion.name, "components": m.motion.components.len(), "left_out": m.motion.left_out,
            "sampling_s": m.motion.dt(), "duration_s": m.motion.duration(), "measures_in_g": measures, "sha256": m.hash,
        })
    }

    /// The single runs.
    pub(super) fn cases_json(&self) -> Vec<Value> {
        let variables = self.study.variables();
        let case = |(case, outcome): (&Case, &Outcome)| {
            let values = variables.iter().zip(&case.values).map(|(v, s)| (v.name.to_owned(), json!(s.text)));
            let (ending, reason) = outcome.ending.word();
            let figures = self.model.channels.iter().zip(&outcome.figures).map(|(c, f)| {
                let figure = json!({
                    "min": f.min, "max": f.max, "peak": f.peak, "peak_time": f.peak_time, "rms": f.rms, "final": f.last,
                    "residual": f.residual,
                });
                (c.name.clone(), figure)
            });
            let motions = outcome.motions.iter().map(|(name, a)| (name.clone(), json!(a / STANDARD_GRAVITY)));
            json!({
                "run": case.index, "values": values.collect::<Map<_, _>>(), "outcome": ending,
                "reason": (!reason.is_empty()).then_some(reason),
                "steps": outcome.steps.0, "dt_s": outcome.steps.1, "scale": self.worker.factor(case),
                "file": self.file(case),
                "motion_in_g": motions.collect::<Map<_, _>>(),
                "channels": figures.collect::<Map<_, _>>(),
            })
        };
        self.cases.iter().zip(self.outcomes).map(case).collect()
    }

    /// The result file of a run, if it is kept.
    pub(super) fn file(&self, case: &Case) -> Option<String> {
        let path = self.worker.results(&self.worker.key(case));
        self.worker.keep.then(|| format!("runs/{}", path.file_name().unwrap_or_default().to_string_lossy()))
    }
}

/// The runs, arranged by intensity.
struct Runs<'a> {
    study: &'a Study,
    cases: &'a [Case],
    outcomes: &'a [Outcome],
    intensity: &'a Intensity,
}

impl Runs<'_> {
    /// Whether there are curves: the ground motion is scaled, or limits are asked over a number that is varied.
    fn is_ida(&self, limits: &[Limit]) -> bool {
        let axis = self.intensity.axis(self.study).and_then(|i| self.study.axes.get(i));
        axis.is_some_and(|a| a.role == interfield_ensemble::Role::Scale || !limits.is_empty())
    }

    /// The number of the curve of a case: that of the first case that differs from it by the intensity only.
    fn group(&self, case: &Case) -> usize {
        let Some(axis) = self.intensity.axis(self.study) else { return case.index };
        let samples = if self.study.draws.is_empty() { 1 } else { self.study.samples };
        let stride = self.study.axes[axis + 1..].iter().fold(samples, |n, a| n * a.values.list.len());
        let length = self.study.axes[axis].values.list.len();
        case.index / (stride * length) * (stride * length) + case.index % stride
    }

    /// A run as a point of a curve; `None` if it says nothing.
    fn point(&self, case: &Case, outcome: &Outcome, demand: impl Fn(&[Figure]) -> Option<f64>) -> Option<Point> {
        let intensity = self.intensity.of(case, outcome)?;
        let demand = match &outcome.ending {
            Ending::Finished => demand(&outcome.figures)?,
            // A structure that cannot be followed any more has collapsed (Vamvatsikos & Cornell 2002).
            Ending::Fault(_) => f64::INFINITY,
            Ending::Broken(_) | Ending::Refused(_) => return None,
        };
        Some(Point { intensity, demand, collapsed: !demand.is_finite() })
    }

    /// The curves of a demand by their groups.
    fn curves(&self, demand: impl Fn(&[Figure]) -> Option<f64>) -> Vec<(usize, Curve)> {
        let mut points: Vec<(usize, Point)> = Vec::new();
        for (case, outcome) in self.cases.iter().zip(self.outcomes) {
            points.extend(self.point(case, outcome, &demand).map(|p| (self.group(case), p)));
        }
        points.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.intensity.total_cmp(&b.1.intensity)));
        let curve = |run: &[(usize, Point)]| (run[0].0, Curve { points: run.iter().map(|p| p.1).collect() });
        points.chunk_by(|a, b| a.0 == b.0).map(curve).collect()
    }

    /// What a curve is called: everything that differs but the intensity.
    fn label(&self, group: usize) -> String {
        let axis = self.intensity.axis(self.study);
        let Some(case) = self.cases.get(group) else { return String::new() };
        let variables = self.study.variables();
        let value = |i: usize| match variables[i].role {
            interfield_ensemble::Role::Record => case.values[i].text.clone(),
            _ => format!("{} = {}", variables[i].name, case.values[i].text),
        };
        (0..variables.len()).filter(|i| Some(*i) != axis).map(value).collect::<Vec<_>>().join(", ")
    }

    fn ida(&self, demand: &Demand, collapse: Collapse, model: &Model) -> Option<Ida> {
        let mut curves = self.curves(|figures| demand.of(figures));
        curves.iter_mut().for_each(|(_, c)| c.judge(collapse));
        let only = |list: &[(usize, Curve)]| list.iter().map(|c| c.1.clone()).collect::<Vec<Curve>>();
        let all = only(&curves);
        let first =
            AtIntensity { quantity: demand.words.clone(), unit: demand.unit.clone(), stripes: ida::stripes(&all) };
        if first.stripes.is_empty() {
            return None;
        }
        let mut quantities = vec![first];
        for (c, channel) in model.channels.iter().enumerate() {
            for (word, pick) in [FIGURES[0], FIGURES[5]] {
                let of = |figures: &[Figure]| figures.get(c).map(|f| pick(f).abs()).filter(|x| x.is_finite());
                let stripes = ida::stripes(&only(&self.curves(of)));
                // Nothing is left where there is no free vibration.
                if stripes.iter().any(|s| s.count > s.collapsed) {
                    let quantity = format!("{} {word}", channel.name);
                    quantities.push(AtIntensity { quantity, unit: channel.unit.clone(), stripes });
                }
            }
        }
        let seen = all.iter().flat_map(|c| &c.points).map(|p| p.demand).filter(|d| d.is_finite());
        let largest = match collapse {
            Collapse::Demand(most) => most,
            _ => seen.fold(0.0, f64::max),
        };
        let at = |i: usize| largest * i as f64 / DEMANDS as f64;
        let at_demands = (1..=DEMANDS).map(|i| (at(i), ida::intensities_at(&all, at(i)))).collect();
        let curves = curves.into_iter().map(|(group, c)| (self.label(group), c)).collect();
        Some(Ida { demand: demand.clone(), curves, quantities, at_demands })
    }

    /// How often a limit was exceeded.
    fn fragility(&self, limit: &Limit) -> Fragility {
        let exceeded = |p: &Point| p.demand > limit.threshold;
        let curves = self.curves(|figures| limit.demand.of(figures));
        self.counted(limit.text.clone(), &curves, exceeded, |c| c.capacity(limit.threshold))
    }

    /// How often the structure collapsed.
    fn collapse(&self, ida: &Ida, rule: Collapse) -> Fragility {
        let text = match rule {
            Collapse::Stopped => "collapse".to_owned(),
            Collapse::Demand(most) => format!("collapse ({} > {most} {})", ida.demand.words, ida.demand.unit),
            Collapse::Slope(share) => format!("collapse (slope below {} % of the elastic one)", 100.0 * share),
        };
        let curves: Vec<(usize, Curve)> = ida.curves.iter().map(|c| c.1.clone()).enumerate().collect();
        self.counted(text, &curves, |p| p.collapsed, Curve::collapse)
    }

    fn counted(
        &self,
        limit: String,
        curves: &[(usize, Curve)],
        exceeded: impl Fn(&Point) -> bool,
        capacity: impl Fn(&Curve) -> Capacity,
    ) -> Fragility {
        let trial = |group: usize, p: &Point| Trial { intensity: p.intensity, exceeded: exceeded(p), group };
        let trials: Vec<Trial> = curves
            .iter()
            .flat_map(|(group, c)| c.points.iter().map(|p| trial(*group, p)).collect::<Vec<_>>())
            .collect();
        let several = curves.iter().any(|(_, c)| c.points.len() > 1);
        let capacities: Vec<Capacity> =
            if several { curves.iter().map(|(_, c)| capacity(c)).collect() } else { Vec::new() };
        Fragility {
            limit,
            stripes: stripes(&trials),
            fit: fit(&trials),
            capacity_fit: several.then(|| fit_capacities(&capacities)),
            capacities,
            unknown: self.cases.len() - trials.len(),
        }
    }
}

fn summary_json(s: &Summary) -> Value {
    let quantiles = PROBABILITIES.iter().zip(s.band.quantiles).map(|(p, q)| (format!("{p}"), json!(q)));
    json!({
        "runs": s.band.count, "mean": s.band.mean, "std": s.band.std, "min": s.min, "max": s.max,
        "quantiles": quantiles.collect::<Map<_, _>>(),
    })
}

fn fit_json(fit: &Fit) -> Value {
    json!({
        "median": fit.median, "dispersion": fit.dispersion,
        "median_confidence_95": [fit.median_interval.0, fit.median_interval.1],
        "dispersion_confidence_95": [fit.dispersion_interval.0, fit.dispersion_interval.1],
        "standard_error_of_ln_median": fit.median_error, "standard_error_of_dispersion": fit.dispersion_error,
    })
}

fn fragility_json(f: &Fragility) -> Value {
    let stripe = |s: &Stripe| {
        json!({
            "intensity": s.intensity, "exceeded": s.exceeded, "runs": s.total, "fraction": s.fraction(),
            "confidence_95": [s.interval.0, s.interval.1],
        })
    };
    let by_capacity = f.capacity_fit.as_ref().map(|found| {
        json!({
            "capacities": f.capacities.iter().map(|c| [c.low, c.high]).collect::<Vec<_>>(),
            "fit": found.as_ref().ok().map(fit_json), "no_fit": found.as_ref().err(),
        })
    });
    json!({
        "limit": f.limit, "unknown": f.unknown, "stripes": f.stripes.iter().map(stripe).collect::<Vec<_>>(),
        "fit": f.fit.as_ref().ok().map(fit_json), "no_fit": f.fit.as_ref().err(), "ida": by_capacity,
    })
}

/// Numbers that are not finite have no JSON; a collapse is told beside them.
fn ida_json(ida: &Ida) -> Value {
    let fractiles =
        |values: [f64; 3]| FRACTILES.iter().zip(values).map(|(p, x)| (format!("{p}"), json!(x))).collect::<Map<_, _>>();
    let point = |p: &Point| json!({ "intensity": p.intensity, "demand": p.demand, "collapsed": p.collapsed });
    let curve =
        |(name, c): &(String, Curve)| json!({ "name": name, "points": c.points.iter().map(point).collect::<Vec<_>>() });
    let level = |i: usize| {
        let first = &ida.quantities[0].stripes[i];
        let of = |q: &AtIntensity| {
            let s = q.stripes.iter().find(|s| s.intensity == first.intensity)?;
            let told = json!({
                "unit": q.unit, "runs": s.count, "fractiles": fractiles(s.fractiles), "dispersion": s.dispersion,
            });
            Some((q.quantity.clone(), told))
        };
        json!({
            "intensity": first.intensity, "runs": first.count, "collapses": first.collapsed,
            "quantities": ida.quantities.iter().filter_map(of).collect::<Map<_, _>>(),
        })
    };
    let at =
        |(demand, values): &(f64, [f64; 3])| json!({ "demand": demand, "intensity_fractiles": fractiles(*values) });
    json!({
        "demand": { "name": ida.demand.words, "unit": ida.demand.unit },
        "curves": ida.curves.iter().map(curve).collect::<Vec<_>>(),
        "intensities": (0..ida.quantities[0].stripes.len()).map(level).collect::<Vec<_>>(),
        "demands": ida.at_demands.iter().map(at).collect::<Vec<_>>(),
    })
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
