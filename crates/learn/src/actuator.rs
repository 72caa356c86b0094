//! An actuator from commands and strokes: delay and dynamics of order one to three, with confidence, and which of these data tell.
//!
//! Model: the command is linear between samples, late by any fraction of a sample, and passes g/(a_n s^n + .. + a_1 s + 1), sampled exactly.
//! Output error, Levenberg-Marquardt in ln g, tau/dt and the logarithms of T, or f and zeta, or f, zeta and T; sensitivities are exact, through
//! the exponential of the system matrix. All six candidates (order one to three, with and without delay) are fitted, each from several delays
//! because the cost has several minima along them, and the least criterion of Schwarz among those with all standard errors below 30 % is chosen:
//! a superfluous pole shows in its error, not in the residual.

use core::f64::consts::PI;

use interfield_kernel::Scalar;

use crate::confidence::correlation_time;
use crate::jet::Jet;
use crate::law::{Scale, Variable};
use crate::response::Response;
use crate::search::{self, Residuals};

/// Most variables: gain, delay, three of the poles.
const MOST: usize = 5;
/// Relative standard error above which a candidate is not chosen.
const VAGUE: f64 = 0.3;
/// Blocks of the sandwich estimate, s.
const BLOCK: f64 = 0.25;
/// Correlation of neighbouring residuals above which they are not noise.
pub const COLOURED: f64 = 0.3;
/// Fewest samples.
const FEWEST: usize = 200;

/// Commands and strokes, SI.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Motion {
    /// Commands.
    pub command: Vec<f64>,
    /// Measured strokes.
    pub reached: Vec<f64>,
    /// Time between samples, s.
    pub dt: f64,
}

/// One number with its standard error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Number {
    /// `gain`, `delay`, `T`, `f` or `z`.
    pub name: &'static str,
    /// Its value: seconds, Hz, or a plain number.
    pub value: f64,
    /// The larger of the naive standard error and that of blocks.
    pub error: f64,
}

/// A fitted candidate.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Order of the dynamics.
    pub order: usize,
    /// Whether it has a delay.
    pub delayed: bool,
    /// Its numbers.
    pub numbers: Vec<Number>,
    /// Root mean square of the residuals.
    pub rms: f64,
    /// That over the standard deviation of the strokes.
    pub unexplained: f64,
    /// Schwarz's criterion.
    pub bic: f64,
    /// Collinearity index.
    pub collinearity: f64,
    /// Correlation of neighbouring residuals.
    pub lag1: f64,
    /// Samples of the residual that count as one.
    pub tau: f64,
    /// Computed strokes.
    pub computed: Vec<f64>,
}

impl Candidate {
    /// A number by its name; zero for a delay that it has not.
    pub fn number(&self, name: &str) -> f64 {
        self.numbers.iter().find(|n| n.name == name).map_or(0.0, |n| n.value)
    }

    /// Denominator, rising powers of s from 1.
    pub fn denominator(&self) -> Vec<f64> {
        let (w, z, t) = (2.0 * PI * self.number("f"), self.number("z"), self.number("T"));
        match self.order {
            1 => vec![1.0, t],
            2 => vec![1.0, 2.0 * z / w, 1.0 / (w * w)],
            _ => vec![1.0, 2.0 * z / w + t, 1.0 / (w * w) + 2.0 * z * t / w, t / (w * w)],
        }
    }

    /// Lag of slow motions, s: the delay and a_1.
    pub fn lag(&self) -> f64 {
        self.number("delay") + self.denominator()[1]
    }

    /// Whether all numbers are told.
    pub fn told(&self) -> bool {
        self.numbers.iter().all(|n| n.error < VAGUE * n.value.abs())
    }
}

/// An identified actuator.
#[derive(Clone, Debug)]
pub struct Identified {
    /// The chosen candidate.
    pub chosen: Candidate,
    /// All of them.
    pub candidates: Vec<Candidate>,
    /// The measured response.
    pub response: Response,
    /// What to be careful about.
    pub warnings: Vec<String>,
}

struct Fit<'a> {
    motion: &'a Motion,
    order: usize,
    variables: Vec<Variable>,
    delayed: bool,
}

impl Fit<'_> {
    /// Computed strokes in any scalar.
    fn strokes<T: Scalar>(&self, x: &[f64], seed: impl Fn(f64, usize, f64) -> T) -> Vec<T> {
        let of = |i: usize| {
            let (value, slope) = self.variables[i].at(x[i]);
            (value, seed(value, i, slope))
        };
        let (dt, u) = (self.motion.dt, &self.motion.command);
        let gain = of(0).1;
        let (delay, late) = if self.delayed { of(1) } else { (0.0, T::constant(0.0)) };
        let first = 1 + usize::from(self.delayed);
        let pole = |i: usize| of(first + i).1;
        let one = T::constant(1.0);
        // x' = A x + b u, the first state is the stroke of gain one.
        let mut a = [[T::constant(0.0); 3]; 3];
        let mut b = [T::constant(0.0); 3];
        match self.order {
            1 => (a[0][0], b[0]) = (-(one / pole(0)), one / pole(0)),
            order => {
                let w = pole(0) * (2.0 * PI);
                (a[0][1], a[1][0], a[1][1]) = (one, -(w * w), -(w * pole(1) * 2.0));
                if order == 2 {
                    b[1] = w * w;
                } else {
                    // The first-order part drives the second-order one.
                    let t = pole(2);
                    (a[1][2], a[2][2], b[2]) = (w * w, -(one / t), one / t);
                }
            }
        }
        let n = self.order;
        let whole = Advance::over(&a, &b, n, dt);
        // The late command at each sample, between samples of the command; before the first one it rested where it was then.
        let heard = |k: usize| {
            let place = k as f64 - delay;
            if place <= 0.0 {
                return T::constant(u[0]);
            }
            let left = (place.floor() as usize).min(u.len() - 2);
            T::constant(u[left]) + (T::constant(k as f64 - left as f64) - late) * (u[left + 1] - u[left])
        };
        let mut state = [T::constant(0.0); 3];
        state[0] = T::constant(u[0]);
        if n == 3 {
            state[2] = T::constant(u[0]);
        }
        let mut before = heard(0);
        let mut out = vec![state[0] * gain];
        for k in 1..u.len() {
            let now = heard(k);
            state = whole.state(&state, before, now - before, n);
            out.push(state[0] * gain);
            before = now;
        }
        out
    }
}

/// x(t + dt) = Phi x + G0 u + G1 du for a command that moves from `u` by `du` in a sample.
struct Advance<T> {
    phi: [[T; 3]; 3],
    level: [T; 3],
    slope: [T; 3],
}

impl<T: Scalar> Advance<T> {
    /// By the exponential of the system with a ramp as input over a sample: Taylor's series of a part of it, squared.
    fn over(a: &[[T; 3]; 3], b: &[T; 3], n: usize, dt: f64) -> Self {
        // A pole of a hundredth of a sample is then still followed.
        const HALVINGS: u32 = 12;
        let size = n + 2;
        let zero = T::constant(0.0);
        let mut m = [[zero; 5]; 5];
        for i in 0..n {
            (0..n).for_each(|j| m[i][j] = a[i][j] * dt);
            m[i][n] = b[i] * dt;
        }
        // The ramp in parts of a sample.
        m[n][n + 1] = T::constant(1.0);
        let part = 1.0 / f64::from(2_u32.pow(HALVINGS));
        m.iter_mut().flatten().for_each(|x| *x = *x * part);
        let times = |x: &[[T; 5]; 5], y: &[[T; 5]; 5]| {
            let mut z = [[zero; 5]; 5];
            for i in 0..size {
                for j in 0..size {
                    z[i][j] = (0..size).fold(zero, |s, k| s + x[i][k] * y[k][j]);
                }
            }
            z
        };
        // e^m - 1, so that nothing small is lost beside one: (1 + p)^2 - 1 = 2 p + p^2.
        let mut p = m;
        let mut term = m;
        for k in 2..=8 {
            term = times(&term, &m);
            term.iter_mut().flatten().for_each(|x| *x = *x / f64::from(k));
            (0..25).for_each(|e| p[e / 5][e % 5] = p[e / 5][e % 5] + term[e / 5][e % 5]);
        }
        for _ in 0..HALVINGS {
            let square = times(&p, &p);
            (0..25).for_each(|e| p[e / 5][e % 5] = p[e / 5][e % 5] * 2.0 + square[e / 5][e % 5]);
        }
        let mut phi = [[zero; 3]; 3];
        for i in 0..n {
            (0..n).for_each(|j| phi[i][j] = p[i][j] + if i == j { 1.0 } else { 0.0 });
        }
        let column = |c: usize| core::array::from_fn(|i| if i < n { p[i][c] } else { zero });
        Advance { phi, level: column(n), slope: column(n + 1) }
    }

    fn state(&self, x: &[T; 3], u: T, du: T, n: usize) -> [T; 3] {
        core::array::from_fn(|i| {
            let free = (0..n).fold(T::constant(0.0), |s, j| s + self.phi[i][j] * x[j]);
            if i < n { free + self.level[i] * u + self.slope[i] * du } else { x[i] }
        })
    }
}

impl Residuals for Fit<'_> {
    fn cost(&self, x: &[f64]) -> f64 {
        let y = self.strokes(x, |value, _, _| value);
        let cost: f64 = y.iter().zip(&self.motion.reached).map(|(a, b)| (a - b).powi(2)).sum();
        if cost.is_finite() { cost } else { f64::INFINITY }
    }

    fn normal(&self, x: &[f64]) -> Option<(f64, Vec<f64>, Vec<f64>)> {
        let (residual, jacobian) = self.linearised(x);
        let cost: f64 = residual.iter().map(|r| r * r).sum();
        let (g, h) = search::normal_equations(&jacobian, &residual, x.len());
        (cost.is_finite() && h.iter().all(|h| h.is_finite())).then_some((cost, g, h))
    }
}

impl Fit<'_> {
    fn linearised(&self, x: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let y = self.strokes(x, |value, i, slope| Jet::<MOST>::variable(value, i, slope));
        let residual = y.iter().zip(&self.motion.reached).map(|(a, b)| a.re - b).collect();
        let jacobian = (0..x.len()).flat_map(|i| y.iter().map(move |y| y.eps[i])).collect();
        (residual, jacobian)
    }
}

/// Identifies an actuator.
///
/// # Errors
/// What is wrong with the data.
pub fn identify(motion: &Motion) -> Result<Identified, Vec<String>> {
    let problems = wrong(motion);
    if !problems.is_empty() {
        return Err(problems);
    }
    let response = Response::measured(&motion.command, &motion.reached, motion.dt);
    let Some(lag) = response.lag() else {
        return Err(vec![
            "the stroke does not follow the command: at no frequency do they agree (coherence below 0.9 everywhere)"
                .into(),
        ]);
    };
    let mut candidates: Vec<Candidate> = Vec::new();
    for order in 1..=3 {
        for delayed in [true, false] {
            candidates.extend(candidate(motion, order, delayed, lag.max(0.1 * motion.dt)));
        }
    }
    let told = candidates.iter().filter(|c| c.told()).min_by(|a, b| a.bic.total_cmp(&b.bic));
    let Some(chosen) = told.cloned() else {
        return Err(vec![
            "no model of order one to three has parameters that these data tell: use a longer or broader motion".into(),
        ]);
    };
    let mut warnings = Vec::new();
    if chosen.lag1 > COLOURED {
        warnings.push(format!(
            "what is left is not noise (neighbouring samples correlate by {:.2}): order too low, friction, or a rate limit",
            chosen.lag1
        ));
    }
    if chosen.unexplained > 0.15 {
        warnings
            .push(format!("{:.0} % of the stroke is not explained: do not use this model", 100.0 * chosen.unexplained));
    }
    if (chosen.number("gain") - 1.0).abs() > 0.1 {
        warnings.push(format!(
            "the gain is {:.3}: are command and stroke in the same unit, and calibrated?",
            chosen.number("gain")
        ));
    }
    if response.highest() < 0.2 / lag.max(motion.dt) / (2.0 * PI) * 2.0 {
        warnings
            .push(format!("the motion tells the actuator up to {:.2} Hz only; use a broader one", response.highest()));
    }
    Ok(Identified { chosen, candidates, response, warnings })
}

fn wrong(motion: &Motion) -> Vec<String> {
    let n = motion.command.len();
    let mut all = Vec::new();
    if n < FEWEST || motion.reached.len() != n {
        all.push(format!(
            "{n} commands and {} strokes: at least {FEWEST} of both are needed, as many of one as of the other",
            motion.reached.len()
        ));
        return all;
    }
    if !(motion.dt.is_finite() && motion.dt > 0.0) {
        all.push("the time between samples must be greater than zero".into());
    }
    for (name, x) in [("the command", &motion.command), ("the stroke", &motion.reached)] {
        let bad = x.iter().filter(|x| !x.is_finite()).count();
        if bad > 0 {
            all.push(format!("{name} is NaN (not a number) or infinite in {bad} of {n} samples"));
            continue;
        }
        let (low, high) = x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), x| (a.min(*x), b.max(*x)));
        if high - low <= 1e-12 * high.abs().max(low.abs()) || high == low {
            all.push(format!("{name} is constant: nothing can be identified"));
        }
    }
    all
}

fn candidate(motion: &Motion, order: usize, delayed: bool, lag: f64) -> Option<Candidate> {
    let dt = motion.dt;
    let log = |name, low: f64, high: f64| Variable { name, scale: Scale::Log, bounds: [low, high] };
    let mut variables = vec![log("gain", 0.1, 10.0)];
    if delayed {
        variables.push(Variable { name: "delay", scale: Scale::Linear, bounds: [0.0, 2.0 * lag / dt + 2.0] });
    }
    let (slow, fast) = (20.0 * lag.max(dt), dt / 200.0);
    match order {
        1 => variables.push(log("T", fast, slow)),
        _ => {
            variables.extend([log("f", 0.02 / lag.max(dt), 5.0 / dt), log("z", 0.02, 20.0)]);
            variables.extend((order == 3).then(|| log("T", fast, slow)));
        }
    }
    let fit = Fit { motion, order, variables, delayed };
    let shares: &[f64] = if delayed { &[0.1, 0.5, 0.85] } else { &[0.0] };
    let mut ends: Vec<search::Found> = Vec::new();
    for share in shares {
        let rest = (1.0 - share) * lag;
        let values: Vec<f64> = fit
            .variables
            .iter()
            .map(|v| match v.name {
                "gain" => 1.0,
                "delay" => share * lag / dt,
                "z" => 0.6,
                "f" => 1.2 / (if order == 3 { 0.7 * rest } else { rest }) / (2.0 * PI),
                _ => {
                    if order == 3 {
                        0.3 * rest
                    } else {
                        rest
                    }
                }
            })
            .collect();
        let x = fit.variables.iter().zip(&values).map(|(v, value)| v.place(*value).clamp(0.0, 1.0)).collect();
        ends.extend(search::refine(&fit, x));
    }
    ends.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    let end = ends.into_iter().next()?;
    Some(assessed(&fit, &end))
}

/// Numbers and errors at the end of a search.
fn assessed(fit: &Fit<'_>, end: &search::Found) -> Candidate {
    let (m, n, dt) = (end.x.len(), fit.motion.reached.len(), fit.motion.dt);
    let (residual, mut jacobian) = fit.linearised(&end.x);
    // By the logarithm or the value.
    for (i, v) in fit.variables.iter().enumerate() {
        let [low, high] = v.bounds;
        let span = if v.scale == Scale::Log { (high / low).ln() } else { high - low };
        jacobian[i * n..(i + 1) * n].iter_mut().for_each(|s| *s /= span);
    }
    let (_, information) = search::normal_equations(&jacobian, &residual, m);
    let lengths: Vec<f64> = (0..m).map(|i| information[i * m + i].sqrt().max(1e-300)).collect();
    let mut svd = interfield_linalg::Svd::new(m, m);
    let scaled: Vec<f64> = (0..m * m).map(|e| information[e] / lengths[e / m] / lengths[e % m]).collect();
    svd.factorize(&scaled);
    let values = svd.values();
    let inverse = |a: usize, b: usize| -> f64 {
        (0..m).map(|j| svd.right(j)[a] * svd.right(j)[b] / values[j].max(1e-300)).sum::<f64>() / lengths[a] / lengths[b]
    };
    let inverse: Vec<f64> = (0..m * m).map(|e| inverse(e / m, e % m)).collect();
    let variance = end.cost / n.saturating_sub(m).max(1) as f64;
    // Sandwich: blocks of residuals that need not be white.
    let block = ((BLOCK / dt).round() as usize).max(1);
    let mut middle = vec![0.0; m * m];
    for start in (0..n).step_by(block) {
        let range = start..(start + block).min(n);
        let g: Vec<f64> = (0..m).map(|i| range.clone().map(|k| jacobian[i * n + k] * residual[k]).sum()).collect();
        (0..m * m).for_each(|e| middle[e] += g[e / m] * g[e % m]);
    }
    let robust = |i: usize| -> f64 {
        let row = |a: usize| (0..m).map(|b| inverse[i * m + b] * middle[a * m + b]).sum::<f64>();
        (0..m).map(|a| row(a) * inverse[i * m + a]).sum::<f64>()
    };
    let numbers = fit
        .variables
        .iter()
        .enumerate()
        .map(|(i, v)| {
            let value = v.at(end.x[i]).0;
            let error = (variance * inverse[i * m + i]).max(robust(i)).max(0.0).sqrt();
            match v.scale {
                Scale::Log => Number { name: v.name, value, error: error * value },
                Scale::Linear => Number { name: v.name, value: value * dt, error: error * dt },
            }
        })
        .collect();
    let rms = (end.cost / n as f64).sqrt();
    let count = n as f64;
    let power: f64 = residual.iter().map(|r| r * r).sum();
    let lag1 = if power > 0.0 { residual.windows(2).map(|r| r[0] * r[1]).sum::<f64>() / power } else { 0.0 };
    Candidate {
        order: fit.order,
        delayed: fit.delayed,
        numbers,
        rms,
        unexplained: rms / crate::quality::deviation(&fit.motion.reached),
        bic: count * (end.cost / count).ln() + (m as f64 + 1.0) * count.ln(),
        collinearity: 1.0 / values.last().copied().unwrap_or(1.0).max(1e-300).sqrt(),
        lag1,
        tau: correlation_time(&residual),
        computed: fit.strokes(&end.x, |value, _, _| value),
    }
}
