//! Variable projection: what data leave unexplained at given nonlinear variables, with the linear parameters eliminated.
//!
//! Golub and Pereyra, SIAM J. Numer. Anal. 10:413, 1973; the Jacobian is that of Kaufman, BIT 15:49, 1975:
//! J = (I - U Uᵀ) W (dPhi/deta) c. Singular values below 1e-8 of the largest are cut: while nothing yields, the columns of k and k2 coincide.

use interfield_kernel::Scalar;
use interfield_linalg::Svd;

use crate::jet::Jet;
use crate::law::{Family, Path, Scale, Size, Variable};

/// Singular values of the columns below this share of the largest are cut.
const CUT: f64 = 1e-8;
/// Largest shift between the channels, samples.
const SHIFT: f64 = 3.0;
/// Most variables of a search.
pub const MOST: usize = 8;

/// Samples of a law, SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Samples {
    /// Deformations.
    pub q: Vec<f64>,
    /// Rates; empty if there are none.
    pub v: Vec<f64>,
    /// Forces.
    pub p: Vec<f64>,
    /// Time between samples, s; zero where it is unknown.
    pub dt: f64,
}

impl Samples {
    /// Their sizes.
    pub fn size(&self) -> Size {
        let most = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let rms = (self.v.iter().map(|v| v * v).sum::<f64>() / self.v.len().max(1) as f64).sqrt();
        Size { q: most(&self.q), v: most(&self.v), rms }
    }
}

/// What is identified besides the law, and what is not.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Nonlinear variables that keep a value.
    pub fixed: Vec<(String, f64)>,
    /// A delay between the channels, as one more variable.
    pub delay: bool,
    /// An offset of the load cell, as one more column.
    pub offset: bool,
    /// The state at the first sample, as one more variable.
    pub loaded: bool,
    /// Runge-Kutta steps per increment of the path.
    pub substeps: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options { fixed: Vec::new(), delay: false, offset: false, loaded: false, substeps: 1 }
    }
}

/// Which number of a problem a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Eta(usize),
    Delay,
    Start,
}

/// A law, samples and weights.
#[derive(Clone, Debug)]
pub struct Problem<'a> {
    /// The law.
    pub family: Family,
    /// The samples.
    pub samples: &'a Samples,
    /// Their sizes, which set the boxes.
    pub size: Size,
    /// Variables of the search.
    pub variables: Vec<Variable>,
    places: Vec<Place>,
    eta: Vec<f64>,
    weights: Vec<f64>,
    offset: bool,
    substeps: usize,
}

/// What is known at a point of the search.
#[derive(Clone, Debug)]
pub struct Point {
    /// Sum of the squared weighted residuals; infinite where a force is not finite.
    pub cost: f64,
    /// Linear parameters.
    pub linear: Vec<f64>,
    /// Weighted residuals, computed minus measured.
    pub residual: Vec<f64>,
    /// Computed forces.
    pub force: Vec<f64>,
    /// Weighted derivatives of the forces by the variables in their box, one column after the other; empty if not asked for.
    pub slopes: Vec<f64>,
    /// Weighted columns, one after the other.
    pub columns: Vec<f64>,
    /// Left singular vectors of the weighted columns, one after the other.
    basis: Vec<f64>,
}

impl<'a> Problem<'a> {
    /// A law for these samples.
    ///
    /// # Errors
    /// A sentence.
    pub fn new(family: Family, samples: &'a Samples, options: &Options) -> Result<Self, String> {
        let size = samples.size();
        let all = family.variables(&size);
        let mut eta = vec![f64::NAN; all.len()];
        for (name, value) in &options.fixed {
            let Some(i) = all.iter().position(|v| v.name == name) else {
                let names: Vec<&str> = all.iter().map(|v| v.name).collect();
                return Err(if names.is_empty() {
                    format!("`{}` has no variable `{name}` that can be fixed", family.name())
                } else {
                    format!(
                        "`{}` has no variable `{name}` that can be fixed; it has {}",
                        family.name(),
                        names.join(", ")
                    )
                });
            };
            if !value.is_finite() || (all[i].scale == Scale::Log && *value <= 0.0) {
                return Err(format!("`{name}` cannot be fixed to {value}"));
            }
            eta[i] = *value;
        }
        let (mut variables, mut places) = (Vec::new(), Vec::new());
        for (i, variable) in all.into_iter().enumerate() {
            if eta[i].is_nan() {
                variables.push(variable);
                places.push(Place::Eta(i));
            }
        }
        if options.loaded && family.hysteretic() {
            variables.push(Variable { name: "start", scale: Scale::Linear, bounds: [-1.0, 1.0] });
            places.push(Place::Start);
        }
        if options.delay {
            variables.push(Variable { name: "delay", scale: Scale::Linear, bounds: [-SHIFT, SHIFT] });
            places.push(Place::Delay);
        }
        let weights = vec![1.0; samples.p.len()];
        let (offset, substeps) = (options.offset, options.substeps.max(1));
        Ok(Problem { family, samples, size, variables, places, eta, weights, offset, substeps })
    }

    /// The same with other weights, 0 for samples that are held back.
    #[must_use]
    pub fn weighted(mut self, weights: Vec<f64>) -> Self {
        self.weights = weights;
        self
    }

    /// Samples with a weight.
    pub fn count(&self) -> usize {
        self.weights.iter().filter(|w| **w != 0.0).count()
    }

    /// Names of the linear parameters.
    pub fn linear(&self) -> Vec<&'static str> {
        let own = self.family.linear(!self.samples.v.is_empty());
        own.iter().copied().chain(self.offset.then_some("offset")).collect()
    }

    /// All nonlinear variables of the law at `x` of the box.
    pub fn eta(&self, x: &[f64]) -> Vec<f64> {
        let mut eta = self.eta.clone();
        for (i, place) in self.places.iter().enumerate() {
            if let Place::Eta(e) = place {
                eta[*e] = self.variables[i].at(x[i]).0;
            }
        }
        eta
    }

    /// Which entry of [`Self::eta`] a variable is.
    pub fn entry(&self, variable: usize) -> Option<usize> {
        match self.places[variable] {
            Place::Eta(e) => Some(e),
            _ => None,
        }
    }

    /// What data leave at `x` of the box, with derivatives if they are `wanted`.
    pub fn at(&self, x: &[f64], wanted: bool) -> Point {
        match (wanted, x.len()) {
            (false, _) | (_, 0) => self.evaluate::<0>(x),
            (_, 1) => self.evaluate::<1>(x),
            (_, 2) => self.evaluate::<2>(x),
            (_, 3) => self.evaluate::<3>(x),
            (_, 4) => self.evaluate::<4>(x),
            (_, 5) => self.evaluate::<5>(x),
            (_, 6) => self.evaluate::<6>(x),
            (_, 7) => self.evaluate::<7>(x),
            _ => self.evaluate::<MOST>(x),
        }
    }

    fn evaluate<const M: usize>(&self, x: &[f64]) -> Point {
        // Without directions the numbers are plain ones.
        if M == 0 {
            self.project(&self.columns::<f64>(x, |value, _, _| value), |_| [0.0; M], |c| c)
        } else {
            let seed = |value: f64, i: usize, slope: f64| Jet::<M>::variable(value, i, slope);
            self.project(&self.columns::<Jet<M>>(x, seed), |c| c.eps, |c| c.re)
        }
    }

    /// The columns at `x`, in any scalar that a variable can be made of.
    fn columns<T: Scalar>(&self, x: &[f64], seed: impl Fn(f64, usize, f64) -> T) -> Vec<T> {
        let mut eta: Vec<T> = self.eta.iter().map(|e| T::constant(*e)).collect();
        let (mut delay, mut start) = (None, T::constant(0.0));
        for (i, place) in self.places.iter().enumerate() {
            let (value, slope) = self.variables[i].at(x[i]);
            let number = seed(value, i, slope);
            match *place {
                Place::Eta(e) => eta[e] = number,
                Place::Delay => delay = Some((value, number)),
                Place::Start => start = number,
            }
        }
        let shifted = |x: &[f64]| match delay {
            Some((delay, number)) => shift(x, delay, number),
            None => x.iter().map(|x| T::constant(*x)).collect(),
        };
        let (q, v) = (shifted(&self.samples.q), shifted(&self.samples.v));
        let path = Path { q: &q, v: &v, start, substeps: self.substeps };
        self.family.columns(&eta, &path, &self.size)
    }

    fn project<T: Scalar, const M: usize>(
        &self,
        columns: &[T],
        slopes: impl Fn(T) -> [f64; M],
        value: impl Fn(T) -> f64,
    ) -> Point {
        let n = self.samples.p.len();
        let own = columns.len() / n.max(1);
        let width = own + usize::from(self.offset);
        let entry = |k: usize, l: usize| if l < own { value(columns[k * own + l]) } else { 1.0 };
        let mut lengths = vec![0.0; width];
        for l in 0..width {
            lengths[l] = (0..n).map(|k| (self.weights[k] * entry(k, l)).powi(2)).sum::<f64>().sqrt();
        }
        let lost = Point {
            cost: f64::INFINITY,
            linear: vec![0.0; width],
            residual: Vec::new(),
            force: Vec::new(),
            slopes: Vec::new(),
            columns: Vec::new(),
            basis: Vec::new(),
        };
        if lengths.iter().any(|l| !l.is_finite()) || lengths.iter().all(|l| *l == 0.0) {
            return lost;
        }
        lengths.iter_mut().filter(|l| **l == 0.0).for_each(|l| *l = 1.0);
        let scaled: Vec<f64> = (0..n * width)
            .map(|e| self.weights[e / width] * entry(e / width, e % width) / lengths[e % width])
            .collect();
        let mut svd = Svd::new(n, width);
        svd.factorize(&scaled);
        let rank = svd.rank(CUT);
        let target: Vec<f64> = (0..n).map(|k| self.weights[k] * self.samples.p[k]).collect();
        let mut linear = vec![0.0; width];
        svd.solve(rank, &target, &mut linear);
        linear.iter_mut().zip(&lengths).for_each(|(c, l)| *c /= l);
        let force: Vec<f64> = (0..n).map(|k| (0..width).map(|l| entry(k, l) * linear[l]).sum()).collect();
        let residual: Vec<f64> = (0..n).map(|k| self.weights[k] * (force[k] - self.samples.p[k])).collect();
        let cost: f64 = residual.iter().map(|r| r * r).sum();
        if !cost.is_finite() {
            return lost;
        }
        let mut slope = vec![0.0; M * n];
        for k in 0..n {
            for l in 0..own {
                let eps = slopes(columns[k * own + l]);
                (0..M).for_each(|i| slope[i * n + k] += self.weights[k] * eps[i] * linear[l]);
            }
        }
        if slope.iter().any(|s| !s.is_finite()) {
            return lost;
        }
        // U = A V / S, which Jacobi rotations leave perpendicular to rounding.
        let across = |k: usize, j: usize| (0..width).map(|l| scaled[k * width + l] * svd.right(j)[l]).sum::<f64>();
        let basis = (0..rank * n).map(|e| across(e % n, e / n) / svd.values()[e / n]).collect();
        let columns = (0..width).flat_map(|l| (0..n).map(move |k| (k, l))).map(|(k, l)| self.weights[k] * entry(k, l));
        let columns = columns.collect();
        Point { cost, linear, residual, force, slopes: slope, columns, basis }
    }
}

impl Point {
    /// The Jacobian of the projected residuals, one column after the other.
    pub fn jacobian(&self) -> Vec<f64> {
        let n = self.residual.len();
        let mut all = self.slopes.clone();
        for column in all.chunks_mut(n.max(1)) {
            for u in self.basis.chunks(n) {
                let share: f64 = column.iter().zip(u).map(|(x, u)| x * u).sum();
                column.iter_mut().zip(u).for_each(|(x, u)| *x -= share * u);
            }
        }
        all
    }
}

/// The samples `delay` samples later, by cubic interpolation between them (Catmull-Rom: through the samples, with the slopes of central
/// differences); the ends stay. `number` is the delay with its derivative.
fn shift<T: Scalar>(x: &[f64], delay: f64, number: T) -> Vec<T> {
    let last = x.len().saturating_sub(1);
    let value = |k: usize| {
        let place = k as f64 - delay;
        if place <= 0.0 || place >= last as f64 {
            return T::constant(x[if place <= 0.0 { 0 } else { last }]);
        }
        let left = place.floor();
        let at = |i: f64| x[(left + i).clamp(0.0, last as f64) as usize];
        let (a, b, c, d) = (at(-1.0), at(0.0), at(1.0), at(2.0));
        let s = T::constant(k as f64 - left) - number;
        ((s * (0.5 * (d - a) + 1.5 * (b - c)) + (a - 2.5 * b + 2.0 * c - 0.5 * d)) * s + 0.5 * (c - a)) * s + b
    };
    (0..x.len()).map(value).collect()
}
