//! Frequency responses of actuators over whole intervals: discs of the complex plane that contain every value.
//!
//! *Delay.* A command that is linear between samples and heard τ later is ζ^(-w) ((1 - f) + f/ζ), τ/dt = w + f: over τ it moves along chords of
//! length |1 - 1/ζ| per sample, over the phase by no more than τ/dt per radian.
//!
//! *Lags.* G = 1/D with D = 1 + b s + a s². Sampled behind a command that is linear over each sample, its response is the mean of G at
//! all frequencies that look the same at the samples, ω_k = (φ + 2πk)/dt, with the weights (2 sin(φ/2)/(ω_k dt))², whose sum is one
//! (they are the transform of the linear interpolation). So a change of a and b moves the sampled response by no more than that mean of the changes of G, and these are bounded by
//! |G|² |ΔD|/(1 - |G| |ΔD|), |ΔD| ≤ ω² |Δa| + ω |Δb|.
//!
//! **Must not be here:** what is uncertain in a test, specimens.

use std::f64::consts::{PI, TAU};
use std::ops::{Add, Mul};

use super::{Complex64, Transfer};

/// A disc of the complex plane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Its centre.
    pub centre: Complex64,
    /// Its radius.
    pub radius: f64,
}

impl Disc {
    /// No bound is known.
    pub const EVERYWHERE: Disc = Disc { centre: Complex64::new(0.0, 0.0), radius: f64::INFINITY };

    /// A real interval.
    pub fn of([low, high]: [f64; 2]) -> Self {
        Disc { centre: Complex64::from(0.5 * (low + high)), radius: 0.5 * (high - low).abs() }
    }

    /// A single value.
    pub fn at(centre: Complex64) -> Self {
        Disc { centre, radius: 0.0 }
    }

    /// The same with a larger radius.
    #[must_use]
    pub fn wider(self, by: f64) -> Self {
        Disc { radius: self.radius + by, ..self }
    }

    /// Whether it contains a value, to rounding.
    pub fn contains(&self, value: Complex64) -> bool {
        (value - self.centre).norm() <= self.radius + 1e-11 * (1.0 + self.centre.norm())
    }
}

impl Add for Disc {
    type Output = Disc;
    fn add(self, other: Disc) -> Disc {
        Disc { centre: self.centre + other.centre, radius: self.radius + other.radius }
    }
}

impl Mul for Disc {
    type Output = Disc;
    fn mul(self, other: Disc) -> Disc {
        let radius = self.centre.norm() * other.radius + other.centre.norm() * self.radius + self.radius * other.radius;
        // Zero times everywhere.
        Disc { centre: self.centre * other.centre, radius: if radius.is_nan() { f64::INFINITY } else { radius } }
    }
}

/// Samples of a signal every `dt` seconds, seen at e^(iφ) for every φ within `half` of `phase`.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Band {
    pub phase: f64,
    pub half: f64,
    pub dt: f64,
}

impl Band {
    /// A rate by the difference of two samples, 1/s.
    pub fn difference(&self) -> Disc {
        let q = Complex64::from_polar(1.0, -self.phase);
        Disc { centre: (1.0 - q) / self.dt, radius: self.half / self.dt }
    }

    /// The mean of two samples.
    pub fn mean(&self) -> Disc {
        let q = Complex64::from_polar(1.0, -self.phase);
        Disc { centre: 0.5 * (1.0 + q), radius: 0.5 * self.half }
    }

    /// The sum over samples of a rate by the trapezoidal rule, s: dt/2 (1 + q)/(1 - q), q = e^(-iφ).
    pub fn trapezoidal(&self) -> Disc {
        let q = Complex64::from_polar(1.0, -self.phase);
        let away = (1.0 - q).norm();
        if away <= self.half {
            return Disc::EVERYWHERE;
        }
        let centre = 0.5 * self.dt * (1.0 + q) / (1.0 - q);
        Disc { centre, radius: self.dt * self.half / (away * (away - self.half)) }
    }

    /// How far that sum over the velocities of a motion is from its displacement `x`, whose part beyond half of the sampling frequency has a gain of at most
    /// `gain`/k around the multiple k of that frequency: (θ/2) cot(θ/2) is 1 - θ²/12 - ... for what is slow, and (θ_k/2) cot(θ/2) for what looks as
    /// slow, with the weight (2 sin(θ/2)/θ_k)².
    pub fn trapezoidal_error(&self, x: Disc, gain: f64) -> f64 {
        let phase = (self.phase + PI).rem_euclid(TAU) - PI;
        let theta = phase.abs() + self.half;
        if theta > 2.0 {
            return f64::INFINITY;
        }
        // What looks as slow: as part of x, and of the sum. Σ over k ≠ 0 of sin θ/θ_k, θ_k ≥ 4 |k|, times gain/|k|; and its weight alone.
        let (own, summed) = (0.25 * theta * theta * gain, theta * gain * PI * PI / 12.0);
        // 1 - (θ/2) cot(θ/2) ≤ θ²/12 (1 + θ²/15), θ ≤ 2.
        let slow = theta * theta / 12.0 * (1.0 + theta * theta / 15.0);
        slow * (x.centre.norm() + x.radius + own) + own + summed
    }

    /// A delay within an interval, s.
    pub fn delay(&self, [low, high]: [f64; 2]) -> Disc {
        let q = Complex64::from_polar(1.0, -self.phase);
        let samples = 0.5 * (low + high) / self.dt;
        let (whole, part) = (samples.floor(), samples.fract());
        let centre = Complex64::from_polar(1.0, -self.phase * whole) * ((1.0 - part) + q * part);
        // The chord of one sample, at any phase of the band; and the phase, at the middle of the interval.
        let chord = (1.0 - q).norm() + self.half;
        let radius = chord * 0.5 * (high - low) / self.dt + samples * self.half;
        // No point is farther than two radii of the unit disc.
        Disc { centre, radius: radius.min(1.0 + centre.norm()) }
    }
}

/// 1/(1 + b s + a s²) with a and b within intervals.
#[derive(Clone, Debug)]
pub struct Lag {
    /// The one in the middle: a and b, sampled.
    middle: Option<([f64; 2], f64, Transfer)>,
}

/// Frequencies on each side that are looked at one by one.
const NEAR: i32 = 3;

impl Lag {
    /// Of any intervals.
    pub fn new() -> Self {
        Lag { middle: None }
    }

    /// Displacement, velocity and acceleration over the command, in a band.
    pub fn response(&mut self, band: Band, a: [f64; 2], b: [f64; 2]) -> [Disc; 3] {
        let middle = [0.5 * (a[0] + a[1]), 0.5 * (b[0] + b[1])];
        if self.middle.as_ref().is_none_or(|(m, dt, _)| *m != middle || *dt != band.dt) {
            let denominator = if a[1] > 0.0 { vec![1.0, middle[1], middle[0]] } else { vec![1.0, middle[1]] };
            let Some(made) = Transfer::new(&[1.0], &denominator, band.dt) else { return [Disc::EVERYWHERE; 3] };
            self.middle = Some((middle, band.dt, made));
        }
        let Some((_, _, transfer)) = &self.middle else { return [Disc::EVERYWHERE; 3] };
        let [x, v, acceleration] = transfer.response(band.phase, band.half);
        let [da, db] = [0.5 * (a[1] - a[0]), 0.5 * (b[1] - b[0])];
        if da == 0.0 && db == 0.0 {
            return [x, v, acceleration];
        }
        let [dx, dv] = changes(band, middle, [da, db]);
        let (x, v) = (x.wider(dx), v.wider(dv));
        // The equation of motion says the rest: a x" = u - x - b x'.
        let one = Disc::at(Complex64::from(1.0));
        let minus = Disc::at(Complex64::from(-1.0));
        let rest = |lower: Disc, over: [f64; 2]| (one + minus * lower) * Disc::of([1.0 / over[1], 1.0 / over[0]]);
        if a[1] > 0.0 {
            let follows = rest(x + Disc::of(b) * v, a);
            return [
                x,
                v,
                Disc { radius: follows.radius + (follows.centre - acceleration.centre).norm(), ..acceleration },
            ];
        }
        // b x' = u - x, b x" = u' - x'.
        let turned = (band.difference() + minus * v) * Disc::of([1.0 / b[1], 1.0 / b[0]]);
        [x, v, Disc { radius: turned.radius + (turned.centre - acceleration.centre).norm(), ..acceleration }]
    }
}

impl Default for Lag {
    fn default() -> Self {
        Lag::new()
    }
}

/// How far displacement and velocity move where a and b do by so much, anywhere in a band.
fn changes(band: Band, [a, b]: [f64; 2], [da, db]: [f64; 2]) -> [f64; 2] {
    let Band { phase, half, dt } = band;
    // |sin(φ/2)| at most.
    let folded = (phase.rem_euclid(TAU) - PI).abs();
    let sine = if folded <= half { 1.0 } else { ((PI - folded + half).min(PI) / 2.0).sin() };
    // The same phase within half a turn.
    let phase = (phase + PI).rem_euclid(TAU) - PI;
    let mut sums = [0.0; 2];
    let mut add = |omega: f64, reach: f64, weight: f64| {
        let size = |w: f64| (1.0 - a * w * w).hypot(b * w);
        // |G| at most in the band, from its value in the middle.
        let near = reach * (a * (2.0 * omega + reach) + b);
        let least = size(omega) - near;
        let change = (omega + reach) * ((omega + reach) * da + db);
        if least <= change {
            sums = [f64::INFINITY; 2];
            return;
        }
        let moved = change / (least * (least - change));
        sums[0] += weight * moved;
        sums[1] += weight * moved * (omega + reach);
    };
    let reach = half / dt;
    for k in -NEAR..=NEAR {
        let omega = ((phase + TAU * f64::from(k)) / dt).abs();
        let lowest = (omega - reach).max(0.0) * dt;
        let weight = if lowest > 2.0 * sine { (2.0 * sine / lowest).powi(2) } else { 1.0 };
        add(omega, reach, weight);
    }
    // All beyond: ω ≥ far, with weights whose sum is below 2 sin²/(π² NEAR), and a tenth more for the width of the band.
    if half > 0.5 {
        return [f64::INFINITY; 2];
    }
    let far = (TAU * (f64::from(NEAR) + 1.0) - PI - half) / dt;
    let tail = 1.1 * 2.0 * sine * sine / (PI * PI * f64::from(NEAR));
    let moved = if a * far * far > 2.0 {
        // |D| ≥ a ω² - 1.
        let (rising, change) = (a - 1.0 / (far * far), da + db / far);
        if change < rising { change / (rising - change) / (rising * far * far) } else { f64::INFINITY }
    } else if da == 0.0 && db < b {
        // |D| ≥ b ω, |ΔD| ≤ ω db.
        db / (b - db) / (b * far)
    } else {
        f64::INFINITY
    };
    [sums[0] + tail * moved, sums[1] + tail * moved * far]
}
