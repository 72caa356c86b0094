//! An acceleration given as a formula, integrated twice from rest.
//!
//! Panels from t = 0 on are halved until an 8-point Gauss rule over each agrees with the same rule over its halves to
//! 1e-12 of the largest acceleration so far, or to the rounding of the formula itself; only the state at their starts is
//! kept, and the rest of the way is the same rule again. With a_max the largest acceleration, velocities are thereby right
//! to 1e-10 a_max t and displacements to 1e-10 a_max t^2/2, whatever the end of the analysis. Panels are never longer
//! than `LONGEST` steps: a pulse between two steps may be missed here as it is by the run.

use crate::signal::TimeFunction;

/// Longest panel in steps of the analysis: the nodes of its halves are closer than the steps.
const LONGEST: f64 = 8.0;
/// Shortest panel over the longest: a jump of the acceleration inside is wrong by less than the tolerance.
const SHORTEST: f64 = 1e-10;
/// Disagreement that is allowed, over the largest acceleration and the length of the panel.
const TOLERANCE: f64 = 1e-12;
/// Disagreement below which halving in vain means rounding: of sin(30 t) at 2000 s some 1e-11. At a jump it is larger.
const NOISE: f64 = 1e-8;
/// Most panels kept, 24 bytes each.
const MOST: usize = 4_000_000;
/// Nodes and weights of the Gauss-Legendre rule with 8 points (Abramowitz and Stegun, table 25.4), by symmetry.
const GAUSS: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_5),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_3),
];

/// Why a formula cannot be integrated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unintegrable {
    /// It is not a number near this time, s.
    NotFinite(f64),
    /// It is not resolved by a reasonable number of panels; they end at this time, s.
    TooRough(f64),
}

/// A motion from rest with a formula as its acceleration.
#[derive(Clone, Debug)]
pub struct Integral {
    acceleration: TimeFunction,
    /// Time, displacement and velocity at the start of each panel.
    starts: Vec<[f64; 3]>,
}

impl Integral {
    /// Up to `until`, and a little beyond for a last step that passes it; `dt` is the step of the analysis.
    pub fn new(acceleration: TimeFunction, until: f64, dt: f64) -> Result<Self, Unintegrable> {
        let (longest, end) = (LONGEST * dt, 1.1 * until + dt);
        let mut integral = Integral { acceleration, starts: vec![[0.0; 3]] };
        let ([mut t, mut u, mut v], mut h, mut largest) = ([0.0; 3], longest, 0.0f64);
        // Disagreement over the panel of twice the length.
        let mut before = f64::INFINITY;
        while t < end {
            let (whole, a) = integral.panel(t, t + h);
            let (left, b) = integral.panel(t, t + h / 2.0);
            let (right, c) = integral.panel(t + h / 2.0, t + h);
            largest = largest.max(a).max(b).max(c);
            if !largest.is_finite() {
                return Err(Unintegrable::NotFinite(t));
            }
            let dv = left[1] + right[1];
            let apart = (dv - whole[1]).abs() / (largest * h);
            let rounding = apart <= NOISE && before <= 4.0 * apart;
            if apart > TOLERANCE && !rounding && h > SHORTEST * longest {
                (h, before) = (h / 2.0, apart);
                continue;
            }
            before = f64::INFINITY;
            u += v * h + left[0] + left[1] * (h / 2.0) + right[0];
            v += dv;
            t += h;
            h = (2.0 * h).min(longest);
            if integral.starts.len() == MOST {
                return Err(Unintegrable::TooRough(t));
            }
            integral.starts.push([t, u, v]);
        }
        Ok(integral)
    }

    /// The acceleration.
    pub fn acceleration(&self) -> &TimeFunction {
        &self.acceleration
    }

    /// Time, displacement and velocity at the start of each panel.
    pub fn starts(&self) -> &[[f64; 3]] {
        &self.starts
    }

    /// Nodes and weights of its rule, for one half of a panel.
    pub fn rule() -> &'static [(f64, f64)] {
        &GAUSS
    }

    /// What the acceleration adds to displacement and velocity between two times, and its largest value at the nodes (NaN
    /// if one is not a number).
    fn panel(&self, from: f64, to: f64) -> ([f64; 2], f64) {
        let (middle, half) = (0.5 * (from + to), 0.5 * (to - from));
        let ([mut u, mut v], mut largest) = ([0.0; 2], 0.0f64);
        for (x, w) in GAUSS {
            for x in [-x, x] {
                let a = self.acceleration.value(middle + half * x);
                v += w * a;
                u += w * (1.0 - x) * a;
                largest = if a.is_nan() || a.abs() > largest { a.abs() } else { largest };
            }
        }
        ([half * half * u, half * v], largest)
    }

    /// Displacement, velocity and acceleration at time `t`.
    pub fn at(&self, t: f64) -> [f64; 3] {
        let i = self.starts.partition_point(|s| s[0] <= t).saturating_sub(1);
        let [start, u, v] = self.starts[i];
        let ([du, dv], _) = self.panel(start, t);
        [u + v * (t - start) + du, v + dv, self.acceleration.value(t)]
    }
}
