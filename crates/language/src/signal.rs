//! Functions of time: loads, ground motions, imposed support motions. Prepared before the run; evaluated in
//! the loop without allocation.

use std::sync::Arc;

use interfield_kernel::Scalar;

use crate::formula::Compiled;
use crate::integral::{Integral, Unintegrable};
use crate::jet::Jet;
use crate::memo::Memo;

/// A scalar function of time. Samples are shared: a record exists once, however many parts of a structure it shakes.
#[derive(Clone, Debug)]
pub enum Signal {
    /// The same value always.
    Constant(f64),
    /// `mean + amplitude sin(omega t + phase)`, omega in rad/s.
    #[allow(missing_docs)]
    Harmonic { amplitude: f64, omega: f64, phase: f64, mean: f64 },
    /// Equally spaced samples from `start`, linear in between, zero outside.
    #[allow(missing_docs)]
    Samples { start: f64, dt: f64, values: Arc<[f64]> },
    /// Points (t, value) with increasing t, linear in between, zero outside.
    Points(Arc<[(f64, f64)]>),
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
                    // A time that should hit the last point may miss it by rounding.
                    (Some((t0, y0)), None) if t - t0 <= 1e-9 * (t0 - p[0].0) => y0,
                    _ => 0.0,
                }
            }
            Signal::Formula(f) => f.value(t),
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

    /// Multiplies its values.
    pub fn scale(&mut self, factor: f64) {
        match self {
            Signal::Constant(x) => *x *= factor,
            Signal::Harmonic { amplitude, mean, .. } => (*amplitude, *mean) = (*amplitude * factor, *mean * factor),
            Signal::Samples { values, .. } => *values = values.iter().map(|v| v * factor).collect(),
            Signal::Points(p) => *p = p.iter().map(|(t, x)| (*t, x * factor)).collect(),
            Signal::Formula(f) => f.scale(factor),
        }
    }
}

/// Registers a program may use, see [`crate::formula`], and those that most programs do with.
const REGISTERS: usize = 256;
const FEW_REGISTERS: usize = 32;

/// An expression in `t`, in the units of its file. Its copies share the values they have computed.
#[derive(Clone, Debug)]
pub struct TimeFunction {
    compiled: Compiled,
    time: f64,
    factor: f64,
    memo: Arc<Memo>,
}

impl TimeFunction {
    /// From a program with the one input t and one output; `time` and `factor` are the units of both in SI.
    pub fn new(compiled: Compiled, time: f64, factor: f64) -> Self {
        TimeFunction { compiled, time, factor, memo: Arc::new(Memo::new()) }
    }

    /// Value at time `t`, s.
    pub fn value(&self, t: f64) -> f64 {
        self.memo.value(t, |t| self.in_its_unit(t)) * self.factor
    }

    /// Value at time `t`, s, in any scalar.
    pub fn run<T: Scalar>(&self, t: T) -> T {
        self.in_its_unit(t) * self.factor
    }

    fn in_its_unit<T: Scalar>(&self, t: T) -> T {
        let program = self.compiled.program();
        let zero = T::constant(0.0);
        let mut out = [zero];
        if program.registers <= FEW_REGISTERS {
            program.run(&[t / self.time], &mut [zero; FEW_REGISTERS], &mut out);
        } else {
            program.run(&[t / self.time], &mut [zero; REGISTERS], &mut out);
        }
        out[0]
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
    /// From rest with the acceleration `mean + amplitude sin(omega t + phase)`, omega not zero.
    #[allow(missing_docs)]
    HarmonicAcceleration { amplitude: f64, omega: f64, phase: f64, mean: f64 },
    /// A displacement formula in `t`.
    Formula(TimeFunction),
    /// From rest with an acceleration formula in `t`.
    FormulaAcceleration(Integral),
    /// Piecewise cubic between `times`: per interval displacement, velocity, acceleration at its start and the constant
    /// third derivative. At rest before the first and after the last.
    #[allow(missing_docs)]
    Cubic { times: Arc<[f64]>, pieces: Arc<[[f64; 4]]> },
}

/// Samples of a signal that has some: (times, values).
fn samples(signal: &Signal) -> Option<(Vec<f64>, Vec<f64>)> {
    match signal {
        Signal::Samples { start, dt, values } => {
            Some(((0..values.len()).map(|i| start + dt * i as f64).collect(), values.to_vec()))
        }
        Signal::Points(p) => Some(p.iter().copied().unzip()),
        _ => None,
    }
}

impl Motion {
    /// From a displacement signal: harmonics and formulas exactly, samples through a natural cubic spline.
    pub fn from_displacement(signal: &Signal) -> Motion {
        match signal {
            &Signal::Harmonic { amplitude, omega, phase, mean } => Motion::Harmonic { amplitude, omega, phase, mean },
            Signal::Formula(f) => Motion::Formula(f.clone()),
            Signal::Constant(x) => Motion::Harmonic { amplitude: 0.0, omega: 0.0, phase: 0.0, mean: *x },
            Signal::Samples { .. } | Signal::Points(_) => {
                let (times, values) = samples(signal).unwrap_or_default();
                Motion::spline(times, &values)
            }
        }
    }

    /// From an acceleration signal, integrated twice from rest: harmonics and samples (linear in between) exactly,
    /// formulas up to the time `until` of an analysis in steps of `dt`, with the error stated in [`crate::integral`].
    pub fn from_acceleration(signal: &Signal, until: f64, dt: f64) -> Result<Motion, Unintegrable> {
        let (mut times, values) = match signal {
            &Signal::Harmonic { amplitude, omega, phase, mean } if omega != 0.0 => {
                return Ok(Motion::HarmonicAcceleration { amplitude, omega, phase, mean });
            }
            &Signal::Harmonic { amplitude, phase, mean, .. } => {
                let (amplitude, omega, mean) = (0.0, 1.0, mean + amplitude * phase.sin());
                return Ok(Motion::HarmonicAcceleration { amplitude, omega, phase, mean });
            }
            &Signal::Constant(mean) => {
                return Ok(Motion::HarmonicAcceleration { amplitude: 0.0, omega: 1.0, phase: 0.0, mean });
            }
            Signal::Samples { .. } | Signal::Points(_) => samples(signal).unwrap_or_default(),
            Signal::Formula(f) => return Integral::new(f.clone(), until, dt).map(Motion::FormulaAcceleration),
        };
        let (mut u, mut v) = (0.0, 0.0);
        let mut pieces: Vec<[f64; 4]> = (1..times.len())
            .map(|i| {
                let (dt, a, da) = (times[i] - times[i - 1], values[i - 1], values[i] - values[i - 1]);
                let piece = [u, v, a, da / dt];
                u += dt * (v + dt * (a / 2.0 + da / 6.0));
                v += dt * (a + da / 2.0);
                piece
            })
            .collect();
        // Behind its last sample an acceleration is zero: what moves then goes on moving.
        if let Some(&end) = times.last()
            && until > end
            && v != 0.0
        {
            pieces.push([u, v, 0.0, 0.0]);
            times.push(2.0 * until - end);
        }
        Ok(Motion::Cubic { times: times.into(), pieces: pieces.into() })
    }

    /// The natural cubic spline through points with increasing times.
    fn spline(times: Vec<f64>, y: &[f64]) -> Motion {
        // Second derivatives m: h[i-1] m[i-1] + 2 (h[i-1] + h[i]) m[i] + h[i] m[i+1] = 6 (slope[i] - slope[i-1]), a
        // tridiagonal system solved by elimination.
        let last = y.len().saturating_sub(1);
        let h: Vec<f64> = times.windows(2).map(|t| t[1] - t[0]).collect();
        let slope: Vec<f64> = (0..last).map(|i| (y[i + 1] - y[i]) / h[i]).collect();
        let (mut m, mut c) = (vec![0.0; y.len()], vec![0.0; y.len()]);
        for i in 1..last {
            let pivot = 2.0 * (h[i - 1] + h[i]) - h[i - 1] * c[i - 1];
            c[i] = h[i] / pivot;
            m[i] = (6.0 * (slope[i] - slope[i - 1]) - h[i - 1] * m[i - 1]) / pivot;
        }
        for i in (1..last).rev() {
            m[i] -= c[i] * m[i + 1];
        }
        let piece = |i: usize| [y[i], slope[i] - h[i] * (2.0 * m[i] + m[i + 1]) / 6.0, m[i], (m[i + 1] - m[i]) / h[i]];
        Motion::Cubic { pieces: (0..last).map(piece).collect(), times: times.into() }
    }

    /// Displacement, velocity and acceleration at time `t`.
    pub fn at(&self, t: f64) -> [f64; 3] {
        match self {
            Motion::Harmonic { amplitude, omega, phase, mean } => {
                let (s, c) = (omega * t + phase).sin_cos();
                [mean + amplitude * s, amplitude * omega * c, -amplitude * omega * omega * s]
            }
            Motion::HarmonicAcceleration { amplitude, omega, phase, mean } => {
                let ((s, c), (s0, c0)) = ((omega * t + phase).sin_cos(), phase.sin_cos());
                let (v, u) = (amplitude / omega, amplitude / (omega * omega));
                [u * (s0 - s) + (v * c0 + 0.5 * mean * t) * t, v * (c0 - c) + mean * t, amplitude * s + mean]
            }
            Motion::Formula(f) => {
                let x = f.run(Jet { value: t, first: 1.0, second: 0.0 });
                [x.value, x.first, x.second]
            }
            Motion::FormulaAcceleration(integral) => integral.at(t),
            Motion::Cubic { times, pieces } => {
                let i = times.partition_point(|x| *x <= t).saturating_sub(1).min(pieces.len().saturating_sub(1));
                let (Some(&[u, v, a, j]), Some(end)) = (pieces.get(i), times.last()) else { return [0.0; 3] };
                let x = t.clamp(times[0], *end) - times[i];
                let value = u + x * (v + x * (a / 2.0 + x * j / 6.0));
                // A time that should hit the last sample may miss it by rounding.
                let slack = 1e-9 * (end - times[0]);
                if t > end + slack || t < times[0] - slack {
                    return [value, 0.0, 0.0];
                }
                [value, v + x * (a + x * j / 2.0), a + x * j]
            }
        }
    }
}
