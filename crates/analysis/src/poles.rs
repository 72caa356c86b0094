//! Poles of a vibration: how fast it decays and turns, what a step makes of that, and what it does to a forced response.
//!
//! A free vibration q'' - 2σ q' + (σ² + ω²) q = 0 has the pole s = σ + iω: q is a sum of e^(st) and its conjugate. One step of
//! a method has poles of its own, near these. That difference is all that a linear analysis can say of a method, and how much of a response it
//! spoils depends on the load and on how long the vibration remembers: the response with the pole of the method beside that with the
//! true one tells.

use std::ops::{Add, Div, Mul, Sub};

/// A complex frequency, 1/s: rate of growth and circular frequency.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Pole {
    pub re: f64,
    pub im: f64,
}

impl Add for Pole {
    type Output = Pole;
    fn add(self, other: Pole) -> Pole {
        Pole { re: self.re + other.re, im: self.im + other.im }
    }
}

impl Sub for Pole {
    type Output = Pole;
    fn sub(self, other: Pole) -> Pole {
        Pole { re: self.re - other.re, im: self.im - other.im }
    }
}

impl Mul for Pole {
    type Output = Pole;
    fn mul(self, other: Pole) -> Pole {
        Pole { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl Div for Pole {
    type Output = Pole;
    fn div(self, other: Pole) -> Pole {
        let square = other.re * other.re + other.im * other.im;
        let conjugate = Pole { re: other.re / square, im: -other.im / square };
        self * conjugate
    }
}

const fn real(re: f64) -> Pole {
    Pole { re, im: 0.0 }
}

impl Pole {
    /// Of a circular frequency, rad/s, and a damping ratio below one.
    pub fn of(omega: f64, ratio: f64) -> Self {
        Pole { re: -ratio * omega, im: omega * (1.0 - ratio * ratio).max(0.0).sqrt() }
    }

    /// |s|, rad/s.
    pub fn size(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// Damping ratio.
    pub fn ratio(self) -> f64 {
        -self.re / self.size()
    }

    fn exp(self) -> Self {
        let (sin, cos) = self.im.sin_cos();
        Pole { re: self.re.exp() * cos, im: self.re.exp() * sin }
    }

    /// The pole on the way to another: a share of 1 is there.
    #[must_use]
    pub fn towards(self, other: Pole, share: f64) -> Self {
        self + (other - self).times(share)
    }

    pub(crate) fn times(self, factor: f64) -> Self {
        Pole { re: factor * self.re, im: factor * self.im }
    }

    /// The pole of a vibration that a bilinear map with steps of `dt` turned into this one: it maps every pole of a linear
    /// system by λ = (1 + s dt/2) / (1 - s dt/2), exactly.
    pub fn before_bilinear_map(self, dt: f64) -> Self {
        let lambda = self.times(dt).exp();
        ((lambda - real(1.0)) / (lambda + real(1.0))).times(2.0 / dt)
    }
}

/// The pole of a free vibration near `guess`, from its displacements and velocities every `dt`; `None` if it is no such vibration.
///
/// What a method makes of a single mode is a map of two numbers, (q, v) some steps later = G (q, v), whatever it takes for the velocity: G by
/// least squares has the pole in its eigenvalues. What else is in the samples (other modes, what a method adds of its own)
/// averages out. First over a quarter of a period, then over half of all samples, which tells more digits.
pub fn fit(samples: &[(f64, f64)], dt: f64, guess: Pole) -> Option<Pole> {
    let turn = guess.im * dt;
    let quarter = ((0.5 * std::f64::consts::PI / turn) as usize).clamp(1, (samples.len() / 2).max(1));
    let near = over(samples, dt, guess, quarter)?;
    // Where the vibration comes back, or is reversed, the two eigenvalues cannot be told apart: as far from there as possible.
    let off = |lag: &usize| (near.im * dt * *lag as f64).cos().abs();
    let longest = samples.len() / 2;
    let lag = (longest.saturating_sub(longest / 3)..=longest)
        .filter(|lag| *lag > quarter)
        .min_by(|a, b| off(a).total_cmp(&off(b)));
    lag.map_or(Some(near), |lag| over(samples, dt, near, lag))
}

/// The pole by what happens within `lag` steps.
fn over(samples: &[(f64, f64)], dt: f64, guess: Pole, lag: usize) -> Option<Pole> {
    // Velocities over the frequency, so that G is nearly a rotation.
    let scaled = |&(q, v): &(f64, f64)| [q, v / guess.size()];
    let (mut now, mut later) = ([[0.0; 2]; 2], [[0.0; 2]; 2]);
    for (a, b) in samples.iter().map(scaled).zip(samples.iter().skip(lag).map(scaled)) {
        for i in 0..2 {
            for j in 0..2 {
                now[i][j] += a[i] * a[j];
                later[i][j] += b[i] * a[j];
            }
        }
    }
    let det = now[0][0] * now[1][1] - now[0][1] * now[1][0];
    if det.is_nan() || det <= 1e-12 * (now[0][0] + now[1][1]).powi(2) {
        return None;
    }
    let inverse = [[now[1][1] / det, -now[0][1] / det], [-now[1][0] / det, now[0][0] / det]];
    let g = |i: usize, j: usize| later[i][0] * inverse[0][j] + later[i][1] * inverse[1][j];
    let (half, det) = (0.5 * (g(0, 0) + g(1, 1)), g(0, 0) * g(1, 1) - g(0, 1) * g(1, 0));
    let square = det - half * half;
    if !(det > 0.0 && det.is_finite() && square > 0.0) {
        return None;
    }
    let (time, angle) = (lag as f64 * dt, square.sqrt().atan2(half));
    // The angle is known but for its sign and whole turns.
    let turns =
        |angle: f64| angle + std::f64::consts::TAU * ((guess.im * time - angle) / std::f64::consts::TAU).round();
    let angle = [turns(angle), turns(-angle)]
        .into_iter()
        .min_by(|a, b| (a - guess.im * time).abs().total_cmp(&(b - guess.im * time).abs()))?;
    Some(Pole { re: 0.5 * det.ln() / time, im: angle / time }).filter(|s| s.im > 0.0)
}

/// A vibration under a load that is linear between equal steps, without error: q'' - 2σ q' + (σ² + ω²) q = g f.
#[derive(Clone, Copy, Debug)]
pub struct Vibration {
    pole: Pole,
    /// e^(s dt), and what the load at the start and at the end of a step adds.
    turn: Pole,
    weights: [Pole; 2],
    z: Pole,
    load: f64,
}

impl Vibration {
    /// At rest; `gain` is g.
    pub fn new(pole: Pole, gain: f64, dt: f64) -> Self {
        let x = pole.times(dt);
        let turn = x.exp();
        // ∫ e^(s(h-τ)) and the same with τ/h, over a step; the series where the quotients lose their digits.
        let (whole, end) = if x.size() > 1e-2 {
            let whole = (turn - real(1.0)) / x;
            (whole, (whole - real(1.0)) / x)
        } else {
            let series = |from: f64| {
                let third = real(1.0) + x.times(1.0 / (from + 2.0)) * (real(1.0) + x.times(1.0 / (from + 3.0)));
                real(1.0) + x.times(1.0 / (from + 1.0)) * third
            };
            (series(1.0), series(2.0).times(0.5))
        };
        let weights = [whole - end, end].map(|w| w.times(gain * dt));
        Vibration { pole, turn, weights, z: real(0.0), load: 0.0 }
    }

    /// The same from a displacement and a velocity on, under the load that acts there.
    #[must_use]
    pub fn from(self, q: f64, v: f64, load: f64) -> Self {
        Vibration { z: Pole { re: v - self.pole.re * q, im: self.pole.im * q }, load, ..self }
    }

    /// The displacement.
    pub fn q(&self) -> f64 {
        self.z.im / self.pole.im
    }

    /// A step to the load at its end.
    pub fn step(&mut self, load: f64) {
        let [start, end] = self.weights;
        self.z = self.turn * self.z + start.times(self.load) + end.times(load);
        self.load = load;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn free(s: Pole, dt: f64, n: usize) -> Vec<(f64, f64)> {
        let at = |k: usize| {
            let z = s.times(k as f64 * dt).exp() * Pole { re: 0.3, im: -0.8 };
            (z.re, (s * z).re)
        };
        (0..n).map(at).collect()
    }

    #[test]
    fn the_pole_of_a_free_vibration_is_found_from_a_poor_guess() {
        for ratio in [0.0, 0.02, 0.3, -0.01] {
            let s = Pole::of(6.0, ratio);
            let found = fit(&free(s, 0.01, 150), 0.01, Pole::of(5.5, 0.05)).unwrap();
            assert!((found - s).size() < 1e-9, "{ratio}: {found:?} for {s:?}");
        }
    }

    #[test]
    fn what_a_method_takes_for_the_velocity_does_not_matter_and_other_modes_hardly() {
        let (s, other) = (Pole::of(6.0, 0.01), Pole::of(31.0, 0.02));
        let mixed = |(a, b): (&(f64, f64), &(f64, f64))| (a.0 + 1e-3 * b.0, 1.1 * a.1 + 0.2 * a.0 + 1e-3 * b.1);
        let samples: Vec<(f64, f64)> = free(s, 0.01, 200).iter().zip(&free(other, 0.01, 200)).map(mixed).collect();
        let found = fit(&samples, 0.01, Pole::of(5.5, 0.05)).unwrap();
        assert!((found - s).size() < 1e-5 * s.size(), "{found:?} for {s:?}");
    }

    #[test]
    fn what_is_no_vibration_has_no_pole() {
        let guess = Pole::of(6.0, 0.0);
        assert_eq!(fit(&[], 0.01, guess), None);
        assert_eq!(fit(&[(1.0, 0.0)], 0.01, guess), None);
        assert_eq!(fit(&[(0.0, 0.0); 50], 0.01, guess), None);
        assert_eq!(fit(&[(f64::NAN, 0.0); 50], 0.01, guess), None);
        assert_eq!(fit(&[(f64::INFINITY, 1.0); 50], 0.01, guess), None);
    }

    #[test]
    fn the_trapezoidal_rule_is_undone_exactly() {
        let (s, dt) = (Pole::of(10.0, 0.05), 0.05);
        let half = s.times(dt / 2.0);
        let lambda = (real(1.0) + half) / (real(1.0) - half);
        let discrete = Pole { re: lambda.size().ln() / dt, im: lambda.im.atan2(lambda.re) / dt };
        assert!((discrete - s).size() > 0.1);
        assert!((discrete.before_bilinear_map(dt) - s).size() < 1e-12);
    }

    #[test]
    fn a_vibration_under_a_ramp_is_exact_for_any_step() {
        // q'' + 2 ζω q' + ω² q = t from rest: (t - 2ζ/ω)/ω² + decaying terms.
        for (omega, dt) in [(6.0, 0.01), (6.0, 0.5), (0.05, 0.01), (300.0, 0.01)] {
            let s = Pole::of(omega, 0.05);
            let mut v = Vibration::new(s, 2.0, dt).from(0.0, 0.0, 0.0);
            for n in 1..=40 {
                v.step(f64::from(n) * dt);
            }
            let t = 40.0 * dt;
            let (c, d) = (0.1 / omega.powi(3), (0.1 * 0.05 - 1.0) / (omega * omega * s.im));
            let decay = (s.re * t).exp() * (c * (s.im * t).cos() + d * (s.im * t).sin());
            let exact = 2.0 * ((t - 0.1 / omega) / (omega * omega) + decay);
            let size = 2.0 * t.powi(3) / 6.0;
            let scale = exact.abs().max(1e-9 * size);
            assert!((v.q() - exact).abs() < 1e-7 * scale.max(1e-6 * size), "{omega} {dt}: {} for {exact}", v.q());
        }
    }

    #[test]
    fn a_vibration_goes_on_from_where_it_is() {
        let (s, dt) = (Pole::of(6.0, 0.02), 0.03);
        let samples = free(s, dt, 50);
        let mut v = Vibration::new(s, 1.0, dt).from(samples[0].0, samples[0].1, 0.0);
        for sample in &samples {
            assert!((v.q() - sample.0).abs() < 1e-12);
            v.step(0.0);
        }
    }
}
