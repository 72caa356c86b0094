//! Functions of time: loads, ground motions, imposed support motions. Prepared before the run; evaluated in
//! the loop without allocation.

use interfield_kernel::{Dual, Scalar};

use crate::formula::Compiled;

/// A scalar function of time.
#[derive(Clone, Debug)]
pub enum Signal {
    /// The same value always.
    Constant(f64),
    /// `mean + amplitude sin(omega t + phase)`, omega in rad/s.
    #[allow(missing_docs)]
    Harmonic { amplitude: f64, omega: f64, phase: f64, mean: f64 },
    /// Equally spaced samples from `start`, linear in between, zero outside.
    #[allow(missing_docs)]
    Samples { start: f64, dt: f64, values: Vec<f64> },
    /// Points (t, value) with increasing t, linear in between, zero outside.
    Points(Vec<(f64, f64)>),
    /// An expression in `t`.
    Formula(TimeFunction),
}

impl Signal {
    /// Value at time `t`.
    pub fn value(&self, t: f64) -> f64 {
        match self {
            Signal::Constant(x) => *x,
            Signal::Harmonic { amplitude, omega, phase, mean } => mean + amplitude * (omega * t + phase).sin(),
            Signal::Samples { start, dt, values } => {
                let x = (t - start) / dt;
                // A time that should hit a sample may miss it by rounding; past the end is zero.
                let last = values.len() - 1;
                if !(-1e-9..=last as f64 + 1e-9).contains(&x) {
                    return 0.0;
                }
                let i = (x.max(0.0) as usize).min(last);
                let f = x - i as f64;
                if i == last { values[last] } else { values[i] + f * (values[i + 1] - values[i]) }
            }
            Signal::Points(p) => {
                let i = p.partition_point(|(x, _)| *x <= t);
                match (i.checked_sub(1).map(|j| p[j]), p.get(i)) {
                    (Some((t0, y0)), Some(&(t1, y1))) => y0 + (t - t0) / (t1 - t0) * (y1 - y0),
                    (Some((t0, y0)), None) if t == t0 => y0,
                    _ => 0.0,
                }
            }
            Signal::Formula(f) => f.value(t),
        }
    }

    /// Where the samples of a record end, s; `None` for a function that goes on.
    pub fn end(&self) -> Option<f64> {
        match self {
            Signal::Samples { start, dt, values } => Some(start + dt * (values.len() - 1) as f64),
            Signal::Points(p) => p.last().map(|p| p.0),
            _ => None,
        }
    }

    /// Largest absolute value over the samples, or the amplitude; `None` where it is not known beforehand.
    pub fn peak(&self) -> Option<f64> {
        let peak = |it: &mut dyn Iterator<Item = f64>| it.fold(0.0f64, |m, x| m.max(x.abs()));
        match self {
            Signal::Constant(x) => Some(x.abs()),
            Signal::Harmonic { amplitude, mean, .. } => Some(amplitude.abs() + mean.abs()),
            Signal::Samples { values, .. } => Some(peak(&mut values.iter().copied())),
            Signal::Points(p) => Some(peak(&mut p.iter().map(|p| p.1))),
            Signal::Formula(_) => None,
        }
    }
}

/// Registers a program may use, see [`crate::formula`].
const REGISTERS: usize = 256;

/// An expression in `t`, in the units of its file.
#[derive(Clone, Debug)]
pub struct TimeFunction {
    compiled: Compiled,
    time: f64,
    factor: f64,
}

impl TimeFunction {
    /// From a program with the one input t and one output; `time` and `factor` are the units of both in SI.
    pub fn new(compiled: Compiled, time: f64, factor: f64) -> Self {
        TimeFunction { compiled, time, factor }
    }

    /// Value at time `t`, s.
    pub fn value(&self, t: f64) -> f64 {
        self.run(t)
    }

    fn run<T: Scalar>(&self, t: T) -> T {
        let program = self.compiled.program();
        let mut registers = [T::constant(0.0); REGISTERS];
        let mut out = [T::constant(0.0)];
        program.run(&[t / self.time], &mut registers, &mut out);
        out[0] * self.factor
    }

    /// Multiplies its values.
    pub fn scale(&mut self, factor: f64) {
        self.factor *= factor;
    }
}

/// The synthetic ground motion of the golden results (a stand-in for the records of paper 000, which are not
/// public): twelve sines under an envelope, sampled at 10 ms for 20 s and scaled to the peak `pga`, m/s^2.
pub fn synthetic_motion(pga: f64) -> Signal {
    let dt = 0.01;
    let raw: Vec<f64> = (0..=2000)
        .map(|j| {
            let t = dt * f64::from(j);
            let envelope = match t {
                t if t < 2.0 => (t / 2.0) * (t / 2.0),
                t if t < 8.0 => 1.0,
                t => (-(t - 8.0) / 2.0).exp(),
            };
            let sum: f64 = (1..=12)
                .map(|n| {
                    let n = f64::from(n);
                    let f = 0.4 + 0.6 * (n - 1.0);
                    let x = f / 2.5;
                    let a = ((1.0 - x * x) * (1.0 - x * x) + (1.2 * x) * (1.2 * x)).sqrt().recip();
                    a * (std::f64::consts::TAU * f * t + n * n).sin()
                })
                .sum();
            envelope * sum
        })
        .collect();
    let peak = raw.iter().fold(0.0f64, |m, x| m.max(x.abs()));
    Signal::Samples { start: 0.0, dt, values: raw.iter().map(|x| x / peak * pga).collect() }
}

/// An imposed motion: displacement with its first two derivatives.
#[derive(Clone, Debug)]
pub enum Motion {
    /// `mean + amplitude sin(omega t + phase)`.
    #[allow(missing_docs)]
    Harmonic { amplitude: f64, omega: f64, phase: f64, mean: f64 },
    /// A displacement formula in `t`.
    Formula(TimeFunction),
    /// Piecewise cubic over equal intervals: per interval displacement, velocity, acceleration at its start
    /// and the constant third derivative. Constant displacement (zero velocity) after the end.
    #[allow(missing_docs)]
    Cubic { dt: f64, pieces: Vec<[f64; 4]> },
}

impl Motion {
    /// From a displacement signal: harmonics and formulas exactly, samples through a natural cubic spline.
    /// `until` bounds the time for which points that are not equally spaced are resampled.
    pub fn from_displacement(signal: &Signal, until: f64) -> Motion {
        match signal {
            Signal::Constant(x) => Motion::Harmonic { amplitude: 0.0, omega: 0.0, phase: 0.0, mean: *x },
            &Signal::Harmonic { amplitude, omega, phase, mean } => Motion::Harmonic { amplitude, omega, phase, mean },
            Signal::Formula(f) => Motion::Formula(f.clone()),
            Signal::Samples { dt, values, start } if *start == 0.0 => Motion::spline(*dt, values),
            other => {
                let n = 2000;
                let dt = other.end().unwrap_or(until).max(f64::MIN_POSITIVE) / f64::from(n);
                let values: Vec<f64> = (0..=n).map(|i| other.value(dt * f64::from(i))).collect();
                Motion::spline(dt, &values)
            }
        }
    }

    /// From an acceleration signal, integrated twice from rest; exactly for samples linear in between.
    pub fn from_acceleration(signal: &Signal, until: f64) -> Motion {
        let (dt, values) = match signal {
            Signal::Samples { dt, values, start } if *start == 0.0 => (*dt, values.clone()),
            other => {
                let n = 20_000;
                let dt = other.end().unwrap_or(until).max(f64::MIN_POSITIVE) / f64::from(n);
                (dt, (0..=n).map(|i| other.value(dt * f64::from(i))).collect())
            }
        };
        let (mut u, mut v) = (0.0, 0.0);
        let pieces = values
            .windows(2)
            .map(|a| {
                let piece = [u, v, a[0], (a[1] - a[0]) / dt];
                u += dt * (v + dt * (a[0] / 2.0 + (a[1] - a[0]) / 6.0));
                v += dt * (a[0] + a[1]) / 2.0;
                piece
            })
            .collect();
        Motion::Cubic { dt, pieces }
    }

    fn spline(dt: f64, y: &[f64]) -> Motion {
        // Second derivatives of the natural spline: m[i-1] + 4 m[i] + m[i+1] = 6 (y[i+1] - 2 y[i] + y[i-1]) / dt^2,
        // a tridiagonal system solved by elimination.
        let n = y.len();
        let mut m = vec![0.0; n];
        let mut c = vec![0.0; n];
        for i in 1..n.saturating_sub(1) {
            let p = 4.0 - c[i - 1];
            c[i] = 1.0 / p;
            m[i] = (6.0 * (y[i + 1] - 2.0 * y[i] + y[i - 1]) / (dt * dt) - m[i - 1]) / p;
        }
        for i in (1..n.saturating_sub(1)).rev() {
            m[i] -= c[i] * m[i + 1];
        }
        let pieces = (0..n.saturating_sub(1))
            .map(|i| [y[i], (y[i + 1] - y[i]) / dt - dt * (2.0 * m[i] + m[i + 1]) / 6.0, m[i], (m[i + 1] - m[i]) / dt])
            .collect();
        Motion::Cubic { dt, pieces }
    }

    /// Displacement, velocity and acceleration at time `t`.
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Motion::Harmonic { amplitude, omega, phase, mean } => {
                let (s, c) = (omega * t + phase).sin_cos();
                [mean + amplitude * s, amplitude * omega * c, -amplitude * omega * omega * s]
            }
            Motion::Formula(f) => {
                let at = |t: f64| f.run(Dual { re: t, eps: 1.0 });
                // The velocity is exact; its central difference loses nothing a mass could feel.
                let e = 1e-5;
                let x = at(t);
                [x.re, x.eps, (at(t + e).eps - at(t - e).eps) / (2.0 * e)]
            }
            Motion::Cubic { dt, pieces } => {
                let i = ((t / dt).max(0.0) as usize).min(pieces.len().saturating_sub(1));
                let Some(&[u, v, a, j]) = pieces.get(i) else { return [0.0; 3] };
                let end = dt * pieces.len() as f64;
                let x = t.clamp(0.0, end) - dt * i as f64;
                let value = u + x * (v + x * (a / 2.0 + x * j / 6.0));
                if t > end * (1.0 + 1e-12) {
                    return [value, 0.0, 0.0];
                }
                [value, v + x * (a + x * j / 2.0), a + x * j]
            }
        }
    }
}
