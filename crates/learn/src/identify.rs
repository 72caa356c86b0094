//! A law from a record: the search, what is known of its result, held-back cycles, one set per level, and what to be careful about.

use core::ops::Range;

use crate::confidence::{Confidence, Estimate};
use crate::general;
use crate::law::Family;
use crate::problem::{Options, Problem, Samples};
use crate::quality::{Figures, Grade, figures, unexplained};
use crate::record::Prepared;
use crate::search::{self, Found, Residuals};

/// Most levels for which a set of their own is identified.
const LEVELS: usize = 12;
/// How near its bound a variable is at it, part of its box.
const EDGE: f64 = 1e-6;

impl Residuals for Problem<'_> {
    fn cost(&self, x: &[f64]) -> f64 {
        self.at(x, false).cost
    }

    fn normal(&self, x: &[f64]) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        let point = self.at(x, true);
        point.cost.is_finite().then(|| {
            let (g, h) = search::normal_equations(&point.jacobian(), &point.residual, x.len());
            (point.cost, g, h)
        })
    }
}

/// Samples that were held back, and how well a law found without them explains them.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// Samples.
    pub range: Range<usize>,
    /// Unexplained share of the held-back samples.
    pub held: f64,
    /// Unexplained share of the others.
    pub fitted: f64,
}

/// A set of parameters for one level of amplitude.
#[derive(Clone, Debug)]
pub struct Level {
    /// Samples.
    pub range: Range<usize>,
    /// Amplitude.
    pub amplitude: f64,
    /// Unexplained share within the level.
    pub unexplained: f64,
    /// Parameters.
    pub estimates: Vec<Estimate>,
}

/// A law with all that is known of it.
#[derive(Clone, Debug)]
pub struct Identified {
    /// The law.
    pub family: Family,
    /// Its nonlinear variables.
    pub eta: Vec<f64>,
    /// Its linear parameters.
    pub linear: Vec<f64>,
    /// What is reported.
    pub estimates: Vec<Estimate>,
    /// Delay of the force channel, samples, with its standard error, if it was asked for.
    pub delay: Option<(f64, f64)>,
    /// Offset of the force, with its standard error, if it was asked for.
    pub offset: Option<(f64, f64)>,
    /// What is known of all parameters together.
    pub confidence: Confidence,
    /// Agreement.
    pub figures: Figures,
    /// Sum of the squared residuals.
    pub rss: f64,
    /// Akaike's and Schwarz's criteria with the number of samples, and the latter with the number that counts.
    pub criteria: [f64; 3],
    /// Costs at the ends of all refined starts, the best first.
    pub costs: Vec<f64>,
    /// Held-back cycles.
    pub folds: Vec<Fold>,
    /// One set per level, if that was asked for or one set does not do.
    pub levels: Vec<Level>,
    /// Computed forces.
    pub force: Vec<f64>,
    /// What to be careful about.
    pub warnings: Vec<String>,
}

impl Identified {
    /// What the unexplained share means.
    pub fn grade(&self) -> Grade {
        Grade::of(self.figures.nrmse)
    }

    /// Unexplained share of the last held-back cycles, which have the largest amplitude where amplitudes grow: extrapolation.
    pub fn held(&self) -> Option<f64> {
        self.folds.last().map(|f| f.held)
    }

    /// How many of the refined starts ended at the best cost.
    pub fn agreeing(&self) -> usize {
        self.costs.iter().filter(|c| **c <= 1.001 * self.rss).count()
    }
}

/// What is done beside the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extras {
    /// Hold back cycles.
    pub validate: bool,
    /// One set per level of amplitude.
    pub levels: Levels,
}

/// When one set of parameters per level is identified.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Levels {
    /// Never.
    #[default]
    Never,
    /// Where one set does not explain the data.
    IfNeeded,
    /// Always.
    Always,
}

/// The best ends of a search over samples with these weights, the best first.
fn solve(problem: &Problem<'_>) -> Vec<Found> {
    search::everywhere(problem, problem.variables.len())
}

/// From an end of another search of the same law.
fn solve_from(problem: &Problem<'_>, ends: &[Found]) -> Option<Found> {
    let mut all: Vec<Found> = ends.iter().filter_map(|f| search::refine(problem, f.x.clone())).collect();
    all.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    all.into_iter().next()
}

/// Identifies a law.
///
/// # Errors
/// A sentence.
pub fn identify(family: Family, prepared: &Prepared, options: &Options, extras: Extras) -> Result<Identified, String> {
    let samples = &prepared.samples;
    if family.needs_rate() && samples.v.is_empty() {
        return Err(format!("`{}` depends on the rate, and the record has none", family.name()));
    }
    let problem = Problem::new(family, samples, options)?;
    let ends = solve(&problem);
    let Some(best) = ends.first().filter(|f| f.cost.is_finite()) else {
        return Err(format!("`{}` cannot be computed for these data: no start gave finite forces", family.name()));
    };
    let x = best.x.clone();
    let point = problem.at(&x, true);
    let confidence = Confidence::at(&problem, &x, &point);
    let at_bound: Vec<bool> = x.iter().map(|x| *x <= EDGE || *x >= 1.0 - EDGE).collect();
    let estimates = confidence.estimates(&problem, &x, &point.linear, &at_bound);
    let named = |name: &str| {
        let variable = problem.variables.iter().position(|v| v.name == name).map(|i| problem.variables[i].at(x[i]).0);
        let column = problem.linear().iter().position(|n| *n == name).map(|l| point.linear[l]);
        variable.or(column).zip(confidence.error(name))
    };
    let parameters = (x.len() + point.linear.len() + 1) as f64;
    let n = problem.count() as f64;
    let bic = |n: f64| n * (point.cost / problem.count() as f64).ln() + parameters * n.ln();
    let aic = n * (point.cost / n).ln() + 2.0 * parameters;
    let mut found = Identified {
        family,
        eta: problem.eta(&x),
        linear: point.linear.clone(),
        estimates,
        delay: named("delay"),
        offset: named("offset"),
        figures: figures(&samples.q, &samples.p, &point.force),
        rss: point.cost,
        criteria: [aic, bic(n), bic(n / confidence.tau)],
        costs: ends.iter().map(|f| f.cost).collect(),
        folds: Vec::new(),
        levels: Vec::new(),
        force: point.force.clone(),
        warnings: Vec::new(),
        confidence,
    };
    if extras.validate {
        found.folds = folds(prepared).into_iter().filter_map(|f| fold(&problem, &ends, samples, f)).collect();
    }
    let several = prepared.levels.len() >= 2 && prepared.levels.len() <= LEVELS;
    let wanted = match extras.levels {
        Levels::Never => false,
        Levels::IfNeeded => found.grade() == Grade::NotThisLaw,
        Levels::Always => true,
    };
    if several && family.hysteretic() && wanted {
        found.levels = prepared.levels.iter().filter_map(|l| level(&problem, &ends, samples, l)).collect();
    }
    let names: Vec<&str> = problem.variables.iter().map(|v| v.name).collect();
    let stuck: Vec<&str> = names.iter().zip(&at_bound).filter(|(_, b)| **b).map(|(n, _)| *n).collect();
    found.warnings = warnings(&found, prepared, &stuck);
    if !options.delay {
        found.warnings.extend(unsynchronised(family, samples, options, &x, found.rss));
    }
    Ok(found)
}

/// Samples to hold back: the last level, and the one before it; of one level, cycles.
pub fn folds(prepared: &Prepared) -> Vec<Range<usize>> {
    let levels: Vec<Range<usize>> = prepared.levels.iter().map(|l| l.0.clone()).collect();
    let groups = if (3..=LEVELS).contains(&levels.len()) {
        levels
    } else {
        // Quarters of the cycles.
        let cycles = &prepared.cycles;
        if cycles.len() < 3 {
            return Vec::new();
        }
        let quarters = cycles.len().min(4);
        let bound =
            |i: usize| if i == quarters { prepared.samples.q.len() } else { cycles[i * cycles.len() / quarters].start };
        (0..quarters).map(|i| bound(i)..bound(i + 1)).collect()
    };
    groups[groups.len() - 2..].to_vec()
}

fn fold(problem: &Problem<'_>, ends: &[Found], samples: &Samples, range: Range<usize>) -> Option<Fold> {
    let n = samples.p.len();
    let weights: Vec<f64> = (0..n).map(|k| f64::from(u8::from(!range.contains(&k)))).collect();
    let part = problem.clone().weighted(weights);
    let end = solve_from(&part, ends)?;
    let force = part.at(&end.x, false).force;
    let others: Vec<usize> = (0..n).filter(|k| !range.contains(k)).collect();
    Some(Fold {
        held: unexplained(&samples.p, &force, range.clone()),
        fitted: unexplained(&samples.p, &force, others.into_iter()),
        range,
    })
}

fn level(
    problem: &Problem<'_>,
    ends: &[Found],
    samples: &Samples,
    (range, amplitude): &(Range<usize>, f64),
) -> Option<Level> {
    let weights = (0..samples.p.len()).map(|k| f64::from(u8::from(range.contains(&k)))).collect();
    let part = problem.clone().weighted(weights);
    // The sets of levels differ much: besides the set of all, every start.
    let mut all = solve(&part);
    all.extend(solve_from(&part, ends));
    all.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let end = all.into_iter().next()?;
    let point = part.at(&end.x, true);
    if !point.cost.is_finite() {
        return None;
    }
    let at_bound: Vec<bool> = end.x.iter().map(|x| *x <= EDGE || *x >= 1.0 - EDGE).collect();
    let estimates = Confidence::at(&part, &end.x, &point).estimates(&part, &end.x, &point.linear, &at_bound);
    // Within the level, a small one too: relative to the forces of this level.
    let unexplained = unexplained(&samples.p[range.clone()], &point.force[range.clone()], 0..range.len());
    Some(Level { range: range.clone(), amplitude: *amplitude, unexplained, estimates })
}

fn percent(x: f64) -> String {
    if x < 0.1 { format!("{:.1} %", 100.0 * x) } else { format!("{:.0} %", 100.0 * x) }
}

fn warnings(found: &Identified, prepared: &Prepared, stuck: &[&str]) -> Vec<String> {
    let (family, confidence) = (found.family, &found.confidence);
    let mut all = Vec::new();
    if found.grade() == Grade::NotThisLaw {
        let share = percent(found.figures.nrmse);
        all.push(if confidence.tau < 1.5 {
            format!("{share} of the force is not explained, as white noise: the law may be right, the force is noisy; smooth the record")
        } else {
            format!("not this law: {share} of the force is not explained; --element auto compares laws, and a `formula` element can have what none of them has, such as pinching")
        });
    }
    if found.levels.len() >= 2 && found.grade() == Grade::NotThisLaw {
        let shares = found.levels.iter().map(|l| l.unexplained);
        let (least, most) = shares.fold((f64::INFINITY, 0.0), |(a, b): (f64, f64), x| (a.min(x), b.max(x)));
        if most < 0.95 * found.figures.nrmse {
            all.push(format!(
                "one set of parameters for all amplitudes leaves {}; one set per level leaves {} to {}: use the set of the amplitude of your test",
                percent(found.figures.nrmse),
                percent(least),
                percent(most)
            ));
        }
    }
    all.extend(stuck.iter().map(|name| general::at_bound(name)));
    for e in found.estimates.iter().filter(|e| e.vague()) {
        let name = e.quantity.name;
        all.push(format!(
            "{name} is not determined by these data (standard error {}); {} would",
            percent(e.relative()),
            family.wanted(name)
        ));
    }
    all.extend(general::indistinct(confidence.collinearity, &confidence.entangled().join(" and ")));
    all.extend(general::optimistic(confidence.tau));
    all.extend(general::lonely(found.agreeing(), found.costs.len()));
    for e in &found.estimates {
        let q = &e.quantity;
        let negative = q.value < 0.0 && matches!(q.name, "k" | "k2" | "c" | "P" | "a");
        if negative && e.interval.is_none_or(|i| i[1] < 0.0) {
            all.push(format!("{} is negative: has the force the opposite sign, or is this not the law?", q.name));
        }
    }
    if let Some(x) = family.yields_at(&found.eta).filter(|x| prepared.noise > 0.01 * x) {
        all.push(format!(
            "noise of the deformation is {} of the yield displacement and makes a longer path, which biases n and r: use the command behind the identified actuator, or --smooth",
            percent(prepared.noise / x)
        ));
    }
    if let Some(limit) = family.increment(&found.eta) {
        let largest = prepared.samples.q.windows(2).map(|q| (q[1] - q[0]).abs()).fold(0.0, f64::max);
        if largest > limit {
            all.push(format!(
                "the deformation moves by up to {:.1} times xy/n between samples: one step of the law is inaccurate there; sample faster or use --substeps",
                largest / limit
            ));
        }
    }
    let start = prepared.samples.p[0].abs();
    let most = prepared.samples.p.iter().fold(0.0, |m: f64, p| m.max(p.abs()));
    if family.hysteretic() && start > 0.1 * most && prepared.samples.q[0].abs() < 0.1 * prepared.samples.size().q {
        all.push("the record starts loaded, and the law starts at rest: use --loaded".into());
    }
    all
}

/// Whether the force is later or earlier than the deformation: a delay turns stiffness into damping.
/// Told only where the delay explains the data, or most of what is left: a wrong law has delays, too.
fn unsynchronised(family: Family, samples: &Samples, options: &Options, x: &[f64], rss: f64) -> Option<String> {
    let with = Options { delay: true, ..options.clone() };
    let problem = Problem::new(family, samples, &with).ok()?;
    let mut from = x.to_vec();
    from.push(0.5);
    let end = search::refine(&problem, from)?;
    let point = problem.at(&end.x, true);
    if !point.cost.is_finite() || point.slopes.is_empty() {
        return None;
    }
    let confidence = Confidence::at(&problem, &end.x, &point);
    let error = confidence.error("delay")?;
    let delay = problem.variables.last()?.at(*end.x.last()?).0;
    let explains = confidence.tau < 3.0 || point.cost < 0.5 * rss;
    let clear = explains && delay.abs() > 2.0 * error && delay.abs() > 0.1;
    let what = if samples.dt > 0.0 { format!(" ({:.3} ms)", 1e3 * delay.abs() * samples.dt) } else { String::new() };
    clear.then(|| {
        let which = if delay > 0.0 { "after" } else { "before" };
        format!(
            "the channels are not synchronised: the force comes {:.2} samples{what} {which} the deformation, which turns stiffness into damping; use --delay",
            delay.abs()
        )
    })
}
