//! Elastic response spectra.
//!
//! A single-degree-of-freedom oscillator ü + 2ζωu̇ + ω²u = −a(t), at rest at the start, is solved exactly for an
//! acceleration that is a straight line between samples (Nigam & Jennings 1969, Bull. Seismol. Soc. Am. 59). Steps are
//! divided so that none exceeds T/12, and within a step the extremum of the Hermite cubic is taken where the response
//! turns round, so that peaks between samples are not missed (error below 2e-4). After the record the ground is at rest
//! and the oscillator is followed for one more period, since a long-period one may peak only then.

use std::f64::consts::PI;

use crate::record::{MotionError, Record};

/// Largest responses of oscillators of several periods.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSpectrum {
    /// Damping ratio.
    pub damping: f64,
    /// Natural periods in seconds.
    pub periods: Vec<f64>,
    /// Largest relative displacement S_d in m.
    pub sd: Vec<f64>,
    /// Pseudo-velocity ω S_d in m/s.
    pub psv: Vec<f64>,
    /// Pseudo-acceleration ω² S_d in m/s².
    pub psa: Vec<f64>,
    /// Largest absolute acceleration |ü + a| in m/s².
    pub sa_abs: Vec<f64>,
}

/// `count` periods from `from` to `to`, evenly spaced in their logarithm; empty if that makes no sense.
pub fn log_periods(from: f64, to: f64, count: usize) -> Vec<f64> {
    if !(from > 0.0 && to >= from && to.is_finite()) || count > 1_000_000 {
        return Vec::new();
    }
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|i| from * (to / from).powf(i as f64 / last)).collect()
}

impl Record {
    /// The response spectrum at `periods` (seconds; zero is the ground itself) for damping ratio `zeta` in [0, 1).
    pub fn response_spectrum(&self, periods: &[f64], zeta: f64) -> Result<ResponseSpectrum, MotionError> {
        self.check_acceleration("a response spectrum")?;
        if !(0.0..1.0).contains(&zeta) {
            return Err(MotionError::new(format!("the damping ratio must be in [0, 1), not {zeta}")));
        }
        if let Some(t) = periods.iter().find(|t| !(t.is_finite() && **t >= 0.0)) {
            return Err(MotionError::new(format!("{t} s is not a natural period")));
        }
        let mut s = ResponseSpectrum {
            damping: zeta,
            periods: periods.to_vec(),
            sd: Vec::with_capacity(periods.len()),
            psv: Vec::with_capacity(periods.len()),
            psa: Vec::with_capacity(periods.len()),
            sa_abs: Vec::with_capacity(periods.len()),
        };
        for &t in periods {
            let (psa, sa) = peaks(&self.values, self.dt, t, zeta);
            let omega = 2.0 * PI / t;
            s.sd.push(if t > 0.0 { psa / (omega * omega) } else { 0.0 });
            s.psv.push(if t > 0.0 { psa / omega } else { 0.0 });
            s.psa.push(psa);
            s.sa_abs.push(sa);
        }
        Ok(s)
    }
}

/// A step of θ = ωh for y = ω²u and y' = ω u̇: (y, y')₁ = A (y, y')₀ + f₀ C + f₁ D with the forcing f = −a.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    a: [[f64; 2]; 2],
    c: [f64; 2],
    d: [f64; 2],
}

impl Step {
    pub(crate) fn new(theta: f64, zeta: f64) -> Self {
        let m = [[0.0, 1.0], [-1.0, -2.0 * zeta]];
        let mul = |x: [[f64; 2]; 2], y: [[f64; 2]; 2]| {
            let f = |i: usize, j: usize| x[i][0] * y[0][j] + x[i][1] * y[1][j];
            [[f(0, 0), f(0, 1)], [f(1, 0), f(1, 1)]]
        };
        // φ₀ = exp(Mθ), φ₁ = Σ (Mθ)^j/(j+1)!, φ₂ = Σ (Mθ)^j/(j+2)!.
        let (mut p0, mut p1, mut p2) = ([[0.0; 2]; 2], [[0.0; 2]; 2], [[0.0; 2]; 2]);
        if theta < 0.6 {
            // Near zero the closed form loses all its digits; the series loses none.
            let mut term = [[1.0, 0.0], [0.0, 1.0]];
            for j in 0..20 {
                let k = j as f64;
                for r in 0..2 {
                    for c in 0..2 {
                        p0[r][c] += term[r][c];
                        p1[r][c] += term[r][c] / (k + 1.0);
                        p2[r][c] += term[r][c] / ((k + 1.0) * (k + 2.0));
                    }
                }
                term = mul(term, m).map(|row| row.map(|x| x * theta / (k + 1.0)));
            }
        } else {
            let wd = (1.0 - zeta * zeta).sqrt();
            let (e, s, c) = ((-zeta * theta).exp(), (wd * theta).sin() / wd, (wd * theta).cos());
            p0 = [[e * (c + zeta * s), e * s], [-e * s, e * (c - zeta * s)]];
            // M⁻¹ = [[−2ζ, −1], [1, 0]].
            let inv = [[-2.0 * zeta / theta, -1.0 / theta], [1.0 / theta, 0.0]];
            let less = |x: [[f64; 2]; 2]| [[x[0][0] - 1.0, x[0][1]], [x[1][0], x[1][1] - 1.0]];
            p1 = mul(inv, less(p0));
            p2 = mul(inv, less(p1));
        }
        let d = [theta * p2[0][1], theta * p2[1][1]];
        Self { a: p0, c: [theta * p1[0][1] - d[0], theta * p1[1][1] - d[1]], d }
    }

    #[inline]
    pub(crate) fn apply(&self, y: [f64; 2], f0: f64, f1: f64) -> [f64; 2] {
        [
            self.a[0][0] * y[0] + self.a[0][1] * y[1] + self.c[0] * f0 + self.d[0] * f1,
            self.a[1][0] * y[0] + self.a[1][1] * y[1] + self.c[1] * f0 + self.d[1] * f1,
        ]
    }
}

/// Into how many parts a step is divided.
fn parts(dt: f64, period: f64) -> usize {
    (12.0 * dt / period).ceil().clamp(1.0, 256.0) as usize
}

/// Largest |ω²u| and |ü + a|.
fn peaks(a: &[f64], dt: f64, period: f64, zeta: f64) -> (f64, f64) {
    let pga = a.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Far below the sampling interval the oscillator moves with the ground.
    if period < 1e-3 * dt {
        return (pga, pga);
    }
    let parts = parts(dt, period);
    let theta = 2.0 * PI / period * dt / parts as f64;
    let step = Step::new(theta, zeta);
    let mut track = Track { y: [0.0; 2], psa: 0.0, sa: 0.0, zeta };
    for w in a.windows(2) {
        for k in 0..parts {
            let f0 = -(w[0] + (w[1] - w[0]) * k as f64 / parts as f64);
            let f1 = -(w[0] + (w[1] - w[0]) * (k + 1) as f64 / parts as f64);
            track.advance(&step, theta, f0, f1);
        }
    }
    let theta = 2.0 * PI / 32.0;
    let step = Step::new(theta, zeta);
    for _ in 0..32 {
        track.advance(&step, theta, 0.0, 0.0);
    }
    (track.psa, track.sa)
}

/// An oscillator's state with the peaks it has seen.
struct Track {
    y: [f64; 2],
    psa: f64,
    sa: f64,
    zeta: f64,
}

impl Track {
    #[inline]
    fn advance(&mut self, step: &Step, theta: f64, f0: f64, f1: f64) {
        let (y0, y1) = (self.y, step.apply(self.y, f0, f1));
        self.psa = self.psa.max(y1[0].abs());
        if y0[1] * y1[1] < 0.0 {
            self.psa = self.psa.max(turn(y0[0], y1[0], y0[1] * theta, y1[1] * theta));
        }
        // Absolute acceleration z = y + 2ζy' (but for its sign), z' = y' + 2ζy'' with y'' = f − y − 2ζy'.
        let two = 2.0 * self.zeta;
        let (z0, z1) = (y0[0] + two * y0[1], y1[0] + two * y1[1]);
        let (s0, s1) = (y0[1] + two * (f0 - z0), y1[1] + two * (f1 - z1));
        self.sa = self.sa.max(z1.abs());
        if s0 * s1 < 0.0 {
            self.sa = self.sa.max(turn(z0, z1, s0 * theta, s1 * theta));
        }
        self.y = y1;
    }
}

/// Largest absolute value inside the unit interval of the cubic with values `p0`, `p1` and opposite slopes `m0`, `m1`.
fn turn(p0: f64, p1: f64, m0: f64, m1: f64) -> f64 {
    // p(s) = p0 + m0 s + c s² + d s³.
    let (c, d) = (3.0 * (p1 - p0) - 2.0 * m0 - m1, 2.0 * (p0 - p1) + m0 + m1);
    let root = (c * c - 3.0 * d * m0).max(0.0).sqrt();
    let q = -(c + root.copysign(c));
    [q / (3.0 * d), m0 / q]
        .into_iter()
        .filter(|s| *s > 0.0 && *s < 1.0)
        .fold(0.0, |m: f64, s| m.max((p0 + s * (m0 + s * (c + s * d))).abs()))
}
