//! Coulomb friction between piston and load cell, from stroke and force of a moving actuator.
//!
//! The force is taken as k q + c v + F sign(v) + sliders of several widths + a constant. The sliders together are the hysteresis of a specimen
//! (Iwan, J. Appl. Mech. 33:893, 1966): they follow a reversal over some way, friction at once, so that both are told apart.
//! **Must not be here:** dynamics of actuators.

use crate::confidence::Told;
use crate::record::{noise, smoothed};
use interfield_linalg::Svd;

/// Most samples that are used.
const MOST: usize = 6000;
/// Widths of the sliders, over the largest stroke.
const WIDTHS: [f64; 5] = [0.08, 0.16, 0.32, 0.64, 1.2];
/// Columns: direction, stroke, rate, one, and the sliders.
const COLUMNS: usize = 4 + WIDTHS.len();
/// Standard errors above which friction is told.
const TOLD: f64 = 4.0;

/// Friction and noise of a load cell.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Friction {
    /// Coulomb friction, N; half the width of the loop that it makes.
    pub force: f64,
    /// Its standard error.
    pub error: f64,
    /// Standard deviation of the noise of the load cell, N.
    pub noise: f64,
    /// Part of the deviation of the force that is not explained.
    pub unexplained: f64,
}

impl Friction {
    /// Whether data tell that there is friction.
    pub fn told(&self) -> bool {
        self.force > TOLD * self.error && self.force > self.noise
    }

    /// From stroke and force, sampled every `dt` seconds; none where nothing moves or a number is not finite.
    pub fn of(q: &[f64], p: &[f64], dt: f64) -> Option<Self> {
        let n = q.len().min(p.len());
        if n < 40 || q.iter().chain(p).any(|x| !x.is_finite()) {
            return None;
        }
        let load = noise(&p[..n]);
        let still = noise(&q[..n]);
        // Slow enough that noise makes no reversals, fast enough that a reversal stays one.
        let smooth = smoothed(&q[..n], 1 + 2 * ((0.004 / dt).round() as usize).clamp(2, 50));
        let most = smooth.iter().fold(0.0, |m: f64, q| m.max(q.abs()));
        let rate: Vec<f64> =
            (0..n).map(|k| (smooth[(k + 1).min(n - 1)] - smooth[k.saturating_sub(1)]) / (2.0 * dt)).collect();
        let fastest = rate.iter().fold(0.0, |m: f64, v| m.max(v.abs()));
        if most <= 10.0 * still || fastest == 0.0 {
            return None;
        }
        // Where it hardly moves, the direction is that of the noise.
        let moving: Vec<usize> = (0..n).filter(|&k| rate[k].abs() > 0.02 * fastest).collect();
        let every = moving.len().div_ceil(MOST).max(1);
        let used: Vec<usize> = moving.into_iter().step_by(every).collect();
        if used.len() < 40 {
            return None;
        }
        let mut sliders = [0.0; WIDTHS.len()];
        let mut rows = Vec::with_capacity(n * COLUMNS);
        for k in 0..n {
            let d = if k == 0 { 0.0 } else { (smooth[k] - smooth[k - 1]) / most };
            rows.extend([rate[k].signum(), smooth[k] / most, rate[k] / fastest, 1.0]);
            for (s, width) in sliders.iter_mut().zip(WIDTHS) {
                *s = f64::clamp(*s + d, -width, width);
                rows.push(*s / width);
            }
        }
        let a: Vec<f64> = used.iter().flat_map(|&k| rows[k * COLUMNS..(k + 1) * COLUMNS].to_vec()).collect();
        let b: Vec<f64> = used.iter().map(|&k| p[k]).collect();
        let mut svd = Svd::new(used.len(), COLUMNS);
        svd.factorize(&a);
        let mut x = [0.0; COLUMNS];
        svd.solve(svd.rank(1e-10), &b, &mut x);
        let expected = |row: &[f64]| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>();
        let residual: Vec<f64> = a.chunks(COLUMNS).zip(&b).map(|(row, b)| expected(row) - b).collect();
        let (cost, force) = (residual.iter().map(|r| r * r).sum::<f64>(), x[0]);
        if !cost.is_finite() {
            return None;
        }
        let jacobian: Vec<f64> = (0..COLUMNS).flat_map(|i| a.chunks(COLUMNS).map(move |row| row[i])).collect();
        let told = Told::of(&jacobian, used.len(), cost, &residual);
        let error = (told.covariance[0].max(0.0) * told.tau).sqrt();
        let forces: Vec<f64> = used.iter().map(|&k| p[k]).collect();
        let unexplained = (cost / used.len() as f64).sqrt() / crate::quality::deviation(&forces).max(1e-300);
        Some(Friction { force, error, noise: load, unexplained })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform numbers of variance one.
    fn dice(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((*seed >> 33) as f64 / f64::from(1_u32 << 31) - 0.5) * 12f64.sqrt()
    }

    /// A chirp of 10 mm on a specimen that yields at 4 mm, at 1 kHz, in units of `scale` newtons.
    fn record(friction: f64, yields: f64, scale: f64) -> (Vec<f64>, Vec<f64>) {
        let (mut s, mut last, mut seed) = (0.0_f64, 0.0, 5);
        (0..8000)
            .map(|k| {
                let t = f64::from(k) * 1e-3;
                let q = 0.01 * (std::f64::consts::TAU * (0.2 + 0.3 * t) * t).sin();
                let v = q - last;
                last = q;
                s = (s + v).clamp(-0.004, 0.004);
                let rubs = if v == 0.0 { 0.0 } else { v.signum() };
                let p = 2e6 * q + yields * s + friction * rubs + 30.0 * dice(&mut seed);
                (q + 1e-5 * dice(&mut seed), p * scale)
            })
            .unzip()
    }

    #[test]
    fn friction_is_found_beside_a_specimen_and_is_not_its_hysteresis() {
        for scale in [1e-6, 1.0, 1e6] {
            let (q, p) = record(600.0, 0.0, scale);
            let found = Friction::of(&q, &p, 1e-3).unwrap();
            assert!(found.told() && (found.force / scale - 600.0).abs() < 30.0, "{found:?}");
            assert!((found.noise / scale - 30.0).abs() < 6.0, "{found:?}");
            let (q, p) = record(600.0, 1e6, scale);
            let found = Friction::of(&q, &p, 1e-3).unwrap();
            assert!(found.told() && (found.force / scale - 600.0).abs() < 200.0, "{found:?}");
            let (q, p) = record(0.0, 0.0, scale);
            let found = Friction::of(&q, &p, 1e-3).unwrap();
            assert!(!found.told(), "{found:?}");
        }
        assert!(Friction::of(&[0.0; 100], &[1.0; 100], 1e-3).is_none());
        assert!(Friction::of(&[f64::NAN; 100], &[1.0; 100], 1e-3).is_none());
    }
}
