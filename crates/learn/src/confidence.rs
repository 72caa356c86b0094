//! How well data tell parameters: standard errors, correlation, and which parameters cannot be told apart.
//!
//! sigma² = rss/(N - m - L); cov = sigma² (JᵀJ)⁻¹ by the singular values of J with columns of length one. The collinearity index is one over
//! the least of these (Brun, Reichert and Künsch, Water Resour. Res. 37:1015, 2001). Coloured residuals, which are model errors, count as
//! fewer samples: N/tau, tau = 1 + 2 times the sum of the autocorrelation up to its first zero.

use interfield_linalg::Svd;

use crate::jet::Jet;
use crate::law::{Quantity, Role, Scale, Size};
use crate::problem::{Point, Problem};

/// Standard normal: 95 %.
pub(crate) const TWO_SIDED: f64 = 1.96;
/// Most parameters of a law, nonlinear and linear.
const PARAMETERS: usize = 12;
/// Relative standard error above which data do not tell a parameter.
pub const VAGUE: f64 = 0.5;

/// A number with what is known of it.
#[derive(Clone, Debug)]
pub struct Estimate {
    /// The number.
    pub quantity: Quantity<f64>,
    /// Standard error; zero for what is fixed.
    pub error: f64,
    /// 95 % interval; none for what is fixed, at a bound or not determined.
    pub interval: Option<[f64; 2]>,
    /// Whether it ended at a bound of its box.
    pub at_bound: bool,
}

impl Estimate {
    /// Its standard error as a share of it.
    pub fn relative(&self) -> f64 {
        if self.error == 0.0 { 0.0 } else { self.error / self.quantity.value.abs() }
    }

    /// Whether data do not tell it.
    pub fn vague(&self) -> bool {
        self.quantity.role != Role::Derived && !self.at_bound && self.relative() > VAGUE
    }
}

/// What is known of all parameters together.
#[derive(Clone, Debug)]
pub struct Confidence {
    /// Standard deviation of the residuals.
    pub sigma: f64,
    /// Samples that count as one.
    pub tau: f64,
    /// One over the least singular value.
    pub collinearity: f64,
    /// Names of the parameters, nonlinear ones first.
    pub names: Vec<&'static str>,
    /// Standard errors on the scale of the search, as a share for logarithms, of the value for others.
    pub relative: Vec<f64>,
    /// Correlations, row-major.
    pub correlation: Vec<f64>,
    /// Entries of the direction that data tell least.
    pub weak: Vec<f64>,
    covariance: Vec<f64>,
}

/// Samples that count as one, from residuals.
pub fn correlation_time(residual: &[f64]) -> f64 {
    let power: f64 = residual.iter().map(|r| r * r).sum();
    let mut tau = 1.0;
    if power > 0.0 {
        for lag in 1..residual.len() {
            let c: f64 = residual.iter().zip(&residual[lag..]).map(|(a, b)| a * b).sum::<f64>() / power;
            if c <= 0.0 {
                break;
            }
            tau += 2.0 * c;
        }
    }
    tau
}

/// What a Jacobian and its residuals tell.
#[derive(Clone, Debug)]
pub struct Told {
    /// Standard deviation of the residuals.
    pub sigma: f64,
    /// Samples that count as one.
    pub tau: f64,
    /// One over the least singular value.
    pub collinearity: f64,
    /// Entries of the direction that data tell least.
    pub weak: Vec<f64>,
    /// Covariance as if residuals were white, row-major.
    pub covariance: Vec<f64>,
}

impl Told {
    /// From the weighted columns of a Jacobian, one after the other, with so many samples that have a weight.
    pub fn of(jacobian: &[f64], samples: usize, cost: f64, residual: &[f64]) -> Self {
        let n = residual.len();
        let count = jacobian.len() / n.max(1);
        let lengths: Vec<f64> =
            jacobian.chunks(n.max(1)).map(|c| c.iter().map(|x| x * x).sum::<f64>().sqrt()).collect();
        let scaled: Vec<f64> = (0..n * count)
            .map(|e| {
                let (k, i) = (e / count, e % count);
                if lengths[i] > 0.0 { jacobian[i * n + k] / lengths[i] } else { 0.0 }
            })
            .collect();
        let mut svd = Svd::new(n, count);
        svd.factorize(&scaled);
        let values = svd.values();
        let least = values.last().copied().unwrap_or(1.0);
        let free = samples.saturating_sub(count).max(1) as f64;
        let sigma = (cost / free).sqrt();
        let mut covariance = vec![0.0; count * count];
        for j in 0..count {
            let v = svd.right(j);
            // A direction without any effect is not told at all.
            let weight = sigma * sigma / values[j].max(1e-300).powi(2);
            for a in 0..count {
                for b in 0..count {
                    let length = lengths[a].max(1e-300) * lengths[b].max(1e-300);
                    covariance[a * count + b] += weight * v[a] * v[b] / length;
                }
            }
        }
        let weak = if count > 0 { svd.right(count - 1).to_vec() } else { Vec::new() };
        Told { sigma, tau: correlation_time(residual), collinearity: 1.0 / least, weak, covariance }
    }

    /// Numbers of the two unknowns that data tell apart least.
    pub fn weakest(&self) -> Vec<usize> {
        largest(&self.weak)
    }
}

/// Places of the two largest entries.
fn largest(weak: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..weak.len()).collect();
    order.sort_by(|a, b| weak[*b].abs().total_cmp(&weak[*a].abs()));
    order.truncate(2);
    order
}

impl Confidence {
    /// At the end `x` of a search.
    pub fn at(problem: &Problem<'_>, x: &[f64], point: &Point) -> Self {
        let (m, linear) = (x.len(), problem.linear());
        let count = m + linear.len();
        let samples = problem.count();
        let n = point.residual.len();
        // On the scale of the search: by the logarithm, or by the value.
        let mut jacobian = point.slopes.clone();
        for (i, variable) in problem.variables.iter().enumerate() {
            let [lo, hi] = variable.bounds;
            let span = if variable.scale == Scale::Log { (hi / lo).ln() } else { hi - lo };
            jacobian[i * n..(i + 1) * n].iter_mut().for_each(|s| *s /= span);
        }
        jacobian.extend(&point.columns);
        let Told { sigma, tau, collinearity, weak, covariance } =
            Told::of(&jacobian, samples, point.cost, &point.residual);
        let deviation = |i: usize| covariance[i * count + i].max(0.0).sqrt();
        let correlation = (0..count * count)
            .map(|e| {
                let scale = deviation(e / count) * deviation(e % count);
                if scale > 0.0 && scale.is_finite() { covariance[e] / scale } else { 0.0 }
            })
            .collect();
        let relative = (0..count)
            .map(|i| match problem.variables.get(i) {
                Some(v) if v.scale == Scale::Log => deviation(i),
                Some(v) => deviation(i) / v.at(x[i]).0.abs(),
                None => deviation(i) / point.linear[i - m].abs(),
            })
            .collect();
        let names = problem.variables.iter().map(|v| v.name).chain(linear).collect();
        Confidence { sigma, tau, collinearity, names, relative, correlation, weak, covariance }
    }

    /// How much larger standard errors are because residuals are coloured.
    pub fn widening(&self) -> f64 {
        self.tau.sqrt()
    }

    /// The two parameters that data tell apart least.
    pub fn entangled(&self) -> Vec<&'static str> {
        largest(&self.weak).into_iter().map(|i| self.names[i]).collect()
    }

    /// What is reported of a law, with errors by the delta method.
    pub fn estimates(&self, problem: &Problem<'_>, x: &[f64], linear: &[f64], at_bound: &[bool]) -> Vec<Estimate> {
        let (m, count) = (x.len(), self.names.len());
        let seed = |value: f64, i: Option<usize>, slope: f64| match i {
            Some(i) if i < PARAMETERS => Jet::<PARAMETERS>::variable(value, i, slope),
            _ => Jet { re: value, eps: [0.0; PARAMETERS] },
        };
        let plain = problem.eta(x);
        let mut eta: Vec<Jet<PARAMETERS>> = plain.iter().map(|e| seed(*e, None, 0.0)).collect();
        for (i, variable) in problem.variables.iter().enumerate() {
            let value = variable.at(x[i]).0;
            let slope = if variable.scale == Scale::Log { value } else { 1.0 };
            if let Some(e) = problem.entry(i) {
                eta[e] = seed(value, Some(i), slope);
            }
        }
        let c: Vec<Jet<PARAMETERS>> = linear.iter().enumerate().map(|(l, c)| seed(*c, Some(m + l), 1.0)).collect();
        let size: Size = problem.size;
        let bound = |name: &str| problem.variables.iter().position(|v| v.name == name).is_some_and(|i| at_bound[i]);
        let estimate = |q: Quantity<Jet<PARAMETERS>>| {
            let g = q.value.eps;
            let variance: f64 = (0..count * count)
                .filter(|e| g[e / count] != 0.0 && g[e % count] != 0.0)
                .map(|e| g[e / count] * self.covariance[e] * g[e % count])
                .sum();
            let error = variance.max(0.0).sqrt();
            let at_bound = q.variable.is_some_and(bound);
            let quantity = Quantity {
                name: q.name,
                role: q.role,
                value: q.value.re,
                unit: q.unit,
                scale: q.scale,
                variable: q.variable,
            };
            let mut found = Estimate { quantity, error, interval: None, at_bound };
            let wide = TWO_SIDED * error * self.widening();
            let value = quantity.value;
            found.interval = (error > 0.0 && !at_bound && !found.vague()).then(|| match quantity.scale {
                Scale::Log if value > 0.0 => [value * (-wide / value).exp(), value * (wide / value).exp()],
                _ => [value - wide, value + wide],
            });
            found
        };
        problem.family.quantities(&eta, &c, &size).into_iter().map(estimate).collect()
    }

    /// A searched variable or linear parameter that belongs to no law: its standard error.
    pub fn error(&self, name: &str) -> Option<f64> {
        let i = self.names.iter().position(|n| *n == name)?;
        Some(self.covariance[i * self.names.len() + i].max(0.0).sqrt() * self.widening())
    }
}
