//! What is done to a record before it is used. Every operation returns a new record with a note of what was done.

use interfield_linalg::Lu;

use crate::filter::{self, Phase};
use crate::record::{MotionError, Quantity, Record};
use crate::resample;

/// What a baseline correction fits its polynomial to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The samples themselves.
    Samples,
    /// The velocity integrated from an acceleration, with the constraint that the correction is zero at the start; its
    /// derivative is taken from the acceleration.
    Velocity,
}

impl Record {
    /// All samples times `factor`.
    pub fn scaled(&self, factor: f64) -> Result<Record, MotionError> {
        self.check()?;
        if !factor.is_finite() {
            return Err(MotionError::new(format!("a record cannot be scaled by {factor}")));
        }
        self.with(self.dt, self.values.iter().map(|x| x * factor).collect(), format!("scaled by {factor}"))
    }

    /// Scaled so that the largest absolute sample is `peak` (in SI); the sign of the motion is kept.
    pub fn scaled_to_peak(&self, peak: f64) -> Result<Record, MotionError> {
        self.check()?;
        if !(peak.is_finite() && peak > 0.0) {
            return Err(MotionError::new(format!("the peak to scale to must be positive and finite, not {peak}")));
        }
        let now = self.peak();
        if now == 0.0 {
            return Err(MotionError::new("the record is zero throughout and cannot be scaled to a peak"));
        }
        self.scaled(peak / now)
    }

    /// Least-squares polynomial of degree `order` (0 to 3) taken off; see [`Fit`] for what it is fitted to.
    ///
    /// Fitted to the velocity the polynomial has degree `order + 1` and no constant, so that the acceleration loses one
    /// of degree `order` in either case (Brady 1966; Boore 2001, Bull. Seismol. Soc. Am. 91).
    pub fn baseline_corrected(&self, order: usize, fit: Fit) -> Result<Record, MotionError> {
        self.check()?;
        if order > 3 {
            return Err(MotionError::new(format!("baseline correction has orders 0 to 3, not {order}")));
        }
        let n = self.values.len();
        if n <= order + 2 {
            return Err(MotionError::new(format!("{n} samples are too few for a baseline of order {order}")));
        }
        let x = |i: usize| i as f64 / (n - 1) as f64;
        let values = match fit {
            Fit::Samples => {
                let c = least_squares(n, order + 1, |i, b| legendre(x(i), b), |i| self.values[i])?;
                (0..n).map(|i| self.values[i] - series(x(i), &c).0).collect()
            }
            Fit::Velocity => {
                self.check_acceleration("a baseline fitted to the velocity")?;
                let v = self.velocity()?.values;
                // v ~ x (c0 P0(x) + c1 P1(x) + ...), so that its derivative is (p + x p') / duration.
                let c = least_squares(
                    n,
                    order + 1,
                    |i, b| {
                        legendre(x(i), b);
                        b.iter_mut().for_each(|y| *y *= x(i));
                    },
                    |i| v[i],
                )?;
                let duration = self.duration();
                (0..n)
                    .map(|i| {
                        let (p, dp) = series(x(i), &c);
                        self.values[i] - (p + x(i) * dp) / duration
                    })
                    .collect()
            }
        };
        let what = if fit == Fit::Samples { self.quantity.name() } else { "velocity" };
        self.with(self.dt, values, format!("baseline of order {order}, fitted to the {what}, subtracted"))
    }

    /// Butterworth filter of `order` with corners in Hz; see [`filter`] for the response.
    ///
    /// `f_low = 0` leaves a low-pass, `f_high = f64::INFINITY` a high-pass.
    pub fn band_pass(&self, f_low: f64, f_high: f64, order: usize, phase: Phase) -> Result<Record, MotionError> {
        self.check()?;
        let sections = filter::design(f_low, f_high, order, self.dt)?;
        let values = filter::run(&sections, &self.values, f_low, f_high, order, self.dt, phase);
        let how = match phase {
            Phase::Zero => "zero-phase (two passes)",
            Phase::ZeroPadded => "zero-phase (two passes, padding kept)",
            Phase::Causal => "causal (one pass)",
        };
        let mut note = format!("Butterworth filter of order {order}, {f_low} to {f_high} Hz, {how}");
        if phase == Phase::ZeroPadded {
            let lead = (values.len() - self.values.len()) / 2;
            note.push_str(&format!("; the record now starts {} s earlier", lead as f64 * self.dt));
        }
        self.with(self.dt, values, note)
    }

    /// Cosine tapers over the first `start` and the last `end` seconds: (1 − cos πt/start)/2.
    pub fn tapered(&self, start: f64, end: f64) -> Result<Record, MotionError> {
        self.check()?;
        let ok = |x: f64| x.is_finite() && x >= 0.0;
        if !(ok(start) && ok(end)) || start + end > self.duration() * (1.0 + 1e-12) {
            return Err(MotionError::new(format!(
                "tapers of {start} s and {end} s do not fit a record of {} s",
                self.duration()
            )));
        }
        let ramp =
            |t: f64, length: f64| if t < length { 0.5 - 0.5 * (std::f64::consts::PI * t / length).cos() } else { 1.0 };
        let total = self.duration();
        let values = self
            .values
            .iter()
            .enumerate()
            .map(|(i, x)| x * ramp(self.time(i), start) * ramp((total - self.time(i)).max(0.0), end))
            .collect();
        self.with(self.dt, values, format!("cosine tapers of {start} s at the start and {end} s at the end"))
    }

    /// The samples between two times, both included; the first of them is at time zero afterwards.
    pub fn trimmed(&self, from: f64, to: f64) -> Result<Record, MotionError> {
        self.check()?;
        if !(from.is_finite() && !to.is_nan() && from >= 0.0 && to > from) {
            return Err(MotionError::new(format!("cannot cut out the time from {from} to {to} s")));
        }
        let last = self.values.len() - 1;
        let a = (from / self.dt - 1e-6).ceil().max(0.0);
        let b = (to / self.dt + 1e-6).floor();
        let b = if b >= last as f64 { last } else { b as usize };
        if a >= b as f64 {
            return Err(MotionError::new(format!("fewer than two samples lie between {from} and {to} s")));
        }
        self.with(self.dt, self.values[a as usize..=b].to_vec(), format!("trimmed to {from} .. {to} s"))
    }

    /// The record sampled anew every `dt` seconds, band-limited to the lower of both Nyquist frequencies.
    ///
    /// A Kaiser-windowed sinc with 64 zero crossings a side: flat to 0.92 of that Nyquist frequency, 80 dB down beyond
    /// it. Ends are continued by odd reflection, so a record that does not start at rest is not rung.
    pub fn resampled(&self, dt: f64) -> Result<Record, MotionError> {
        self.check()?;
        let values = resample::resample(&self.values, self.dt, dt)?;
        self.with(dt, values, format!("resampled from {} s to {dt} s", self.dt))
    }

    /// The integral from rest by the trapezoidal rule: exact for samples joined by straight lines.
    pub fn integrated(&self) -> Result<Record, MotionError> {
        self.check()?;
        let quantity = match self.quantity {
            Quantity::Acceleration => Quantity::Velocity,
            Quantity::Velocity => Quantity::Displacement,
            Quantity::Displacement => return Err(MotionError::new("the integral of a displacement is not useful")),
        };
        let mut sum = 0.0;
        let mut values = Vec::with_capacity(self.values.len());
        values.push(0.0);
        for w in self.values.windows(2) {
            sum += 0.5 * self.dt * (w[0] + w[1]);
            values.push(sum);
        }
        let mut out =
            self.with(self.dt, values, format!("{} integrated to {}", self.quantity.name(), quantity.name()))?;
        out.quantity = quantity;
        Ok(out)
    }

    /// The velocity from rest.
    pub fn velocity(&self) -> Result<Record, MotionError> {
        match self.quantity {
            Quantity::Acceleration => self.integrated(),
            Quantity::Velocity => Ok(self.clone()),
            Quantity::Displacement => {
                Err(MotionError::new("the velocity of a displacement record would need derivatives"))
            }
        }
    }

    /// The displacement from rest; for an acceleration exact for straight lines between its samples:
    /// d₁ = d₀ + v₀ Δt + (2a₀ + a₁) Δt²/6.
    pub fn displacement(&self) -> Result<Record, MotionError> {
        match self.quantity {
            Quantity::Displacement => Ok(self.clone()),
            Quantity::Velocity => self.integrated(),
            Quantity::Acceleration => {
                let mut out = self.velocity()?;
                let (mut v, mut d) = (0.0, 0.0);
                for i in 1..self.values.len() {
                    let (a0, a1) = (self.values[i - 1], self.values[i]);
                    d += v * self.dt + (2.0 * a0 + a1) * self.dt * self.dt / 6.0;
                    v += 0.5 * self.dt * (a0 + a1);
                    out.values[i] = d;
                }
                out.quantity = Quantity::Displacement;
                out.notes.push("velocity integrated to displacement".to_owned());
                out.check()?;
                Ok(out)
            }
        }
    }
}

/// Legendre polynomials on [0, 1] up to the length of `out`.
fn legendre(x: f64, out: &mut [f64]) {
    let s = 2.0 * x - 1.0;
    let (mut p0, mut p1) = (1.0, s);
    for (k, o) in out.iter_mut().enumerate() {
        *o = p0;
        let p2 = ((2 * k + 3) as f64 * s * p1 - (k + 1) as f64 * p0) / (k + 2) as f64;
        (p0, p1) = (p1, p2);
    }
}

/// A Legendre series of up to four terms and its derivative with respect to x in [0, 1].
fn series(x: f64, c: &[f64]) -> (f64, f64) {
    let s = 2.0 * x - 1.0;
    let p = [1.0, s, 1.5 * s * s - 0.5, 2.5 * s * s * s - 1.5 * s];
    let dp = [0.0, 2.0, 6.0 * s, 15.0 * s * s - 3.0];
    (c.iter().zip(p).map(|(a, b)| a * b).sum(), c.iter().zip(dp).map(|(a, b)| a * b).sum())
}

/// Coefficients of `m` basis functions fitted to `n` values: normal equations, well conditioned for the bases used.
fn least_squares(
    n: usize,
    m: usize,
    basis: impl Fn(usize, &mut [f64]),
    value: impl Fn(usize) -> f64,
) -> Result<Vec<f64>, MotionError> {
    let (mut a, mut right) = (vec![0.0; m * m], vec![0.0; m]);
    let mut b = vec![0.0; m];
    for i in 0..n {
        basis(i, &mut b);
        let y = value(i);
        for r in 0..m {
            for c in 0..m {
                a[r * m + c] += b[r] * b[c];
            }
            right[r] += b[r] * y;
        }
    }
    solve(&a, right).ok_or_else(|| MotionError::new("the baseline cannot be fitted to this record"))
}

/// A x = b; `None` if A, by rows, is singular.
pub(crate) fn solve(a: &[f64], mut b: Vec<f64>) -> Option<Vec<f64>> {
    let mut lu = Lu::new(b.len());
    lu.factorize(a).ok()?;
    lu.solve(&mut b);
    b.iter().all(|x| x.is_finite()).then_some(b)
}
