//! Parameters of whatever predicts measurements: materials, formulas, whole structures. Only predictions are known, and derivatives where
//! somebody has them; the search, the intervals and the warnings are those of the laws of the catalogue ([`crate::identify`]).
//!
//! A prediction may be known up to a factor (all forces of a material scale its force): the factor is then eliminated, as variable projection
//! does, and no guess of a stiffness is needed. Without exact derivatives central differences are used, a hundred-thousandth of the box wide.
//! **Must not be here:** materials, formulas, structures.

use core::ops::Range;

use crate::confidence::{TWO_SIDED, Told, VAGUE};
use crate::law::Scale;
use crate::quality::{Grade, unexplained};
use crate::search::{self, Found, Residuals};

/// Half width of a central difference, part of the box: the error is that of rounding, 1e-11 of the prediction, and of the curvature.
const STEP: f64 = 1e-5;
/// How near its bound an unknown is at it, part of its box.
const EDGE: f64 = 1e-6;

/// What predicts.
pub trait Predicts {
    /// What would be measured with these unknowns, up to a factor where the task has one; none where there is no answer.
    fn predict(&self, unknowns: &[f64]) -> Option<Vec<f64>>;

    /// Exact derivatives by the unknowns, one column after the other, where they are known.
    fn slopes(&self, _unknowns: &[f64]) -> Option<Vec<f64>> {
        None
    }

    /// Names of what is reported.
    fn names(&self) -> Vec<String>;

    /// What is reported of unknowns and factor.
    fn report(&self, unknowns: &[f64], factor: f64) -> Vec<f64>;
}

/// A number that is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// Its name.
    pub name: String,
    /// How it is searched.
    pub scale: Scale,
    /// Bounds, of its magnitude if its scale is the logarithm.
    pub bounds: [f64; 2],
    /// -1 for a number that is negative, on a scale of logarithms.
    pub sign: f64,
    /// Where a search begins besides its own starts.
    pub first: Option<f64>,
}

impl Unknown {
    /// Its value at a place of its box, 0 to 1, and the slope there.
    pub fn at(&self, x: f64) -> (f64, f64) {
        let [lo, hi] = self.bounds;
        match self.scale {
            Scale::Linear => (lo + (hi - lo) * x, hi - lo),
            Scale::Log => {
                let span = (hi / lo).ln();
                let value = self.sign * lo * (span * x).exp();
                (value, value * span)
            }
        }
    }

    /// Where in its box a value is.
    pub fn place(&self, value: f64) -> f64 {
        let [lo, hi] = self.bounds;
        let x = match self.scale {
            Scale::Linear => (value - lo) / (hi - lo),
            Scale::Log => (self.sign * value / lo).max(1e-300).ln() / (hi / lo).ln(),
        };
        x.clamp(0.0, 1.0)
    }
}

/// How much is searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Starts that are looked at.
    pub screened: usize,
    /// Best of them that are refined.
    pub refined: usize,
}

impl Effort {
    /// Of something that is computed in a millisecond.
    pub const USUAL: Effort = Effort { screened: search::SCREENED, refined: search::REFINED };
}

/// Something to identify.
pub struct Task<'a> {
    /// What predicts.
    pub predicts: &'a dyn Predicts,
    /// What is searched.
    pub unknowns: Vec<Unknown>,
    /// What was measured.
    pub measured: &'a [f64],
    /// Weight of each number, 0 for those that are held back.
    pub weights: Vec<f64>,
    /// Whether predictions are known up to a factor only.
    pub scaled: bool,
}

/// A prediction at a place of the box, with its factor and its cost.
struct Point {
    factor: f64,
    /// Without the factor.
    plain: Vec<f64>,
    cost: f64,
}

impl Task<'_> {
    fn values(&self, x: &[f64]) -> Vec<f64> {
        self.unknowns.iter().zip(x).map(|(u, x)| u.at(*x).0).collect()
    }

    fn at(&self, x: &[f64]) -> Option<Point> {
        let plain = self.predicts.predict(&self.values(x))?;
        let weighted =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).zip(&self.weights).map(|((a, b), w)| w * w * a * b).sum() };
        let factor = if self.scaled {
            let size = weighted(&plain, &plain);
            if size > 0.0 { weighted(&plain, self.measured) / size } else { 0.0 }
        } else {
            1.0
        };
        let rest = plain.iter().zip(self.measured).zip(&self.weights).map(|((y, p), w)| (w * (factor * y - p)).powi(2));
        let cost: f64 = rest.sum();
        cost.is_finite().then_some(Point { factor, plain, cost })
    }

    /// Derivatives of the plain prediction by the places of the unknowns in their boxes.
    fn slopes(&self, x: &[f64]) -> Option<Vec<f64>> {
        let n = self.measured.len();
        if let Some(mut all) = self.predicts.slopes(&self.values(x)) {
            for ((column, u), x) in all.chunks_mut(n).zip(&self.unknowns).zip(x) {
                let slope = u.at(*x).1;
                column.iter_mut().for_each(|s| *s *= slope);
            }
            return all.iter().all(|s| s.is_finite()).then_some(all);
        }
        let mut all = Vec::with_capacity(n * x.len());
        for i in 0..x.len() {
            let side = |to: f64| {
                let mut moved = x.to_vec();
                moved[i] = (x[i] + to).clamp(0.0, 1.0);
                Some((moved[i], self.predicts.predict(&self.values(&moved))?))
            };
            let ((a, low), (b, high)) = (side(-STEP)?, side(STEP)?);
            all.extend(low.iter().zip(&high).map(|(low, high)| (high - low) / (b - a)));
        }
        all.iter().all(|s| s.is_finite()).then_some(all)
    }

    /// Weighted residuals, computed minus measured.
    fn residual(&self, point: &Point) -> Vec<f64> {
        let each = point.plain.iter().zip(self.measured).zip(&self.weights);
        each.map(|((y, p), w)| w * (point.factor * y - p)).collect()
    }

    fn count(&self) -> usize {
        self.weights.iter().filter(|w| **w != 0.0).count()
    }
}

impl Residuals for Task<'_> {
    fn cost(&self, x: &[f64]) -> f64 {
        self.at(x).map_or(f64::INFINITY, |p| p.cost)
    }

    fn normal(&self, x: &[f64]) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        let point = self.at(x)?;
        let mut jacobian = self.slopes(x)?;
        let n = self.measured.len();
        let direction: Vec<f64> = point.plain.iter().zip(&self.weights).map(|(y, w)| y * w).collect();
        let length: f64 = direction.iter().map(|d| d * d).sum();
        for column in jacobian.chunks_mut(n) {
            column.iter_mut().zip(&self.weights).for_each(|(s, w)| *s *= w * point.factor);
            if self.scaled && length > 0.0 {
                // What the factor can do is no part of the derivative.
                let share = column.iter().zip(&direction).map(|(s, d)| s * d).sum::<f64>() / length;
                column.iter_mut().zip(&direction).for_each(|(s, d)| *s -= share * d);
            }
        }
        let (g, h) = search::normal_equations(&jacobian, &self.residual(&point), x.len());
        Some((point.cost, g, h))
    }
}

/// A reported number.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Standard error; zero for what is held.
    pub error: f64,
    /// 95 % interval; none for what is held, at a bound or not determined.
    pub interval: Option<[f64; 2]>,
    /// Whether it ended at a bound of its box.
    pub at_bound: bool,
}

impl Number {
    /// Its standard error as a share of it.
    pub fn relative(&self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.value.abs() }
    }

    /// Whether data do not tell it.
    pub fn vague(&self) -> bool {
        !self.at_bound && self.relative() > VAGUE
    }
}

/// What was identified.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// What is reported.
    pub numbers: Vec<Number>,
    /// Unknowns at the best end.
    pub unknowns: Vec<f64>,
    /// The factor, one where there is none.
    pub factor: f64,
    /// What is predicted.
    pub predicted: Vec<f64>,
    /// Sum of the squared weighted residuals.
    pub rss: f64,
    /// Costs at the ends of all refined starts, the best first.
    pub costs: Vec<f64>,
    /// What is known of all unknowns together.
    pub told: Told,
    /// Names of the two that data tell apart least.
    pub entangled: Vec<String>,
    /// Held-back samples, and what is not explained of them by a fit to the others.
    pub held: Vec<(Range<usize>, f64)>,
    /// What to be careful about.
    pub warnings: Vec<String>,
}

impl Fitted {
    /// How many of the refined starts ended at the best cost.
    pub fn agreeing(&self) -> usize {
        self.costs.iter().filter(|c| **c <= 1.001 * self.rss).count()
    }
}

/// Identifies the unknowns of a task; `folds` are held back one after the other.
///
/// # Errors
/// That nothing can be predicted.
pub fn identify(task: &Task<'_>, effort: Effort, folds: &[Range<usize>]) -> Result<Fitted, String> {
    let m = task.unknowns.len();
    let first: Option<Vec<f64>> = task.unknowns.iter().map(|u| u.first.map(|f| u.place(f))).collect();
    let ends = search::among(task, m, [effort.screened, effort.refined], first.filter(|_| m > 0));
    let Some(best) = ends.first().filter(|e| e.cost.is_finite()) else {
        return Err("cannot be computed for these data: no start gave finite numbers".into());
    };
    let (x, n) = (best.x.clone(), task.measured.len());
    let lost = || "the best fit cannot be computed again".to_owned();
    let (point, mut jacobian) = (task.at(&x).ok_or_else(lost)?, task.slopes(&x).ok_or_else(lost)?);
    for column in jacobian.chunks_mut(n) {
        column.iter_mut().zip(&task.weights).for_each(|(s, w)| *s *= w * point.factor);
    }
    if task.scaled {
        jacobian.extend(point.plain.iter().zip(&task.weights).map(|(y, w)| w * y));
    }
    let told = Told::of(&jacobian, task.count(), point.cost, &task.residual(&point));
    let names: Vec<String> = task
        .unknowns
        .iter()
        .map(|u| u.name.clone())
        .chain(task.scaled.then(|| "the scale of the force".into()))
        .collect();
    let entangled = told.weakest().into_iter().map(|i| names[i].clone()).collect();
    let stuck: Vec<bool> = x.iter().map(|x| *x <= EDGE || *x >= 1.0 - EDGE).collect();
    let mut found = Fitted {
        numbers: numbers(task, (&x, point.factor), &told, &stuck),
        unknowns: task.values(&x),
        factor: point.factor,
        predicted: point.plain.iter().map(|y| point.factor * y).collect(),
        rss: point.cost,
        costs: ends.iter().map(|e| e.cost).collect(),
        told,
        entangled,
        held: folds.iter().filter_map(|f| held(task, &ends, f)).collect(),
        warnings: Vec::new(),
    };
    found.warnings = warnings(task, &found);
    Ok(found)
}

/// What is reported, with errors by the delta method.
fn numbers(task: &Task<'_>, (x, factor): (&[f64], f64), told: &Told, stuck: &[bool]) -> Vec<Number> {
    let report = |x: &[f64], factor: f64| task.predicts.report(&task.values(x), factor);
    let (values, m) = (report(x, factor), x.len());
    let slope = |i: usize| -> Vec<f64> {
        let (a, b) = if i < m {
            let at = |to: f64| {
                let mut moved = x.to_vec();
                moved[i] = x[i] + to;
                report(&moved, factor)
            };
            (at(-STEP), at(STEP))
        } else {
            (report(x, factor * (1.0 - STEP)), report(x, factor * (1.0 + STEP)))
        };
        let width = if i < m { 2.0 * STEP } else { 2.0 * STEP * factor };
        a.iter().zip(&b).map(|(a, b)| (b - a) / width).collect()
    };
    let count = m + usize::from(task.scaled);
    let slopes: Vec<Vec<f64>> = (0..count).map(slope).collect();
    let widening = told.tau.sqrt();
    let one = |(i, (name, value)): (usize, (String, f64))| {
        let variance: f64 =
            (0..count * count).map(|e| slopes[e / count][i] * told.covariance[e] * slopes[e % count][i]).sum();
        let error = variance.max(0.0).sqrt() * widening;
        let at_bound = task.unknowns.iter().zip(stuck).any(|(u, s)| *s && u.name == name);
        let mut number = Number { name, value, error, interval: None, at_bound };
        let log = task.unknowns.iter().find(|u| u.name == number.name).is_none_or(|u| u.scale == Scale::Log);
        let wide = TWO_SIDED * error;
        number.interval = (error > 0.0 && !at_bound && !number.vague()).then(|| {
            let mut ends = if log {
                let way = (wide / value.abs()).exp();
                [value / way, value * way]
            } else {
                [value - wide, value + wide]
            };
            ends.sort_by(f64::total_cmp);
            ends
        });
        number
    };
    task.predicts.names().into_iter().zip(values).enumerate().map(one).collect()
}

/// What is not explained of samples by a fit to the others.
fn held(task: &Task<'_>, ends: &[Found], range: &Range<usize>) -> Option<(Range<usize>, f64)> {
    let weights = task.weights.iter().enumerate().map(|(k, w)| if range.contains(&k) { 0.0 } else { *w }).collect();
    let part = Task {
        predicts: task.predicts,
        unknowns: task.unknowns.clone(),
        measured: task.measured,
        weights,
        scaled: task.scaled,
    };
    let refined = ends.iter().take(2).filter_map(|e| search::refine(&part, e.x.clone()));
    let best = refined.min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    let point = part.at(&best.x)?;
    let predicted: Vec<f64> = point.plain.iter().map(|y| point.factor * y).collect();
    Some((range.clone(), unexplained(task.measured, &predicted, range.clone())))
}

fn warnings(task: &Task<'_>, found: &Fitted) -> Vec<String> {
    let mut all = Vec::new();
    if task.scaled && found.factor <= 0.0 {
        all.push(
            "the force acts against the law: has it the opposite sign, or are deformation and force exchanged?".into(),
        );
    }
    for n in &found.numbers {
        if n.at_bound {
            all.push(at_bound(&n.name));
        } else if n.vague() {
            all.push(format!(
                "{} is not determined by these data (standard error {:.0} %)",
                n.name,
                (100.0 * n.relative()).min(1e6)
            ));
        }
    }
    all.extend(indistinct(found.told.collinearity, &found.entangled.join(" and ")));
    all.extend(optimistic(found.told.tau));
    all.extend(lonely(found.agreeing(), found.costs.len()));
    all
}

/// What is said of a number at its bound.
pub fn at_bound(name: &str) -> String {
    format!("{name} ends at a bound of its range: it is not an estimate, and has no interval")
}

/// What is said where data do not tell parameters apart.
pub fn indistinct(collinearity: f64, names: &str) -> Option<String> {
    let how = if collinearity > 1000.0 { "cannot" } else { "can hardly" };
    (collinearity > 20.0)
        .then(|| format!("these data {how} tell {names} apart (collinearity index {collinearity:.0}, good below 10)"))
}

/// What is said where residuals are not noise.
pub fn optimistic(tau: f64) -> Option<String> {
    (tau > 3.0).then(|| {
        format!(
            "the law does not explain the data to their noise ({tau:.0} samples count as one): intervals are optimistic"
        )
    })
}

/// What is said where one start only reached the best fit.
pub fn lonely(agreeing: usize, starts: usize) -> Option<String> {
    (starts > 1 && agreeing < 2)
        .then(|| format!("only {agreeing} of {starts} starts reached the best fit: there are other minima"))
}

/// What a share of unexplained measurements means where no law explains it.
pub fn not_explained(nrmse: f64) -> Option<String> {
    (Grade::of(nrmse) == Grade::NotThisLaw)
        .then(|| format!("{:.0} % of what was measured is not explained: not this law, or wrong data", 100.0 * nrmse))
}
