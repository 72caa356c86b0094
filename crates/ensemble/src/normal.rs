//! The standard normal distribution. `libm` computes the same bits on every machine, unlike the C library of the system.

use std::f64::consts::{PI, SQRT_2, TAU};

/// Density.
pub fn density(x: f64) -> f64 {
    libm::exp(-0.5 * x * x) / TAU.sqrt()
}

/// Probability of a value below `x`.
pub fn below(x: f64) -> f64 {
    0.5 * libm::erfc(-x / SQRT_2)
}

/// The value below which the probability is `p`; infinite at 0 and 1.
///
/// Newton's method on the logarithm of the tail. That is concave and the start is a bound, Φ(x) ≤ exp(-x²/2)/2, so that it rises
/// to the solution without overshooting.
pub fn quantile(p: f64) -> f64 {
    if !(p > 0.0 && p < 1.0) {
        return if p <= 0.0 { f64::NEG_INFINITY } else { f64::INFINITY };
    }
    if p > 0.5 {
        // 1 - p is exact here.
        return -quantile(1.0 - p);
    }
    let goal = libm::log(p);
    let mut x = -(-2.0 * libm::log(2.0 * p)).max(0.0).sqrt();
    for _ in 0..60 {
        let tail = below(x);
        let step = (libm::log(tail) - goal) * tail / density(x);
        x -= step;
        if step.abs() <= 1e-15 * x.abs().max(1.0) {
            break;
        }
    }
    x
}

/// The value that a Student variable with `degrees` of freedom exceeds in magnitude with the probability 1 - `p`.
///
/// The probability within ±t is a finite sum for whole degrees (Abramowitz & Stegun 26.7.3 and 26.7.4); halved intervals find t.
pub fn student(p: f64, degrees: usize) -> f64 {
    if degrees == 0 {
        return f64::INFINITY;
    }
    let within = |t: f64| {
        let theta = libm::atan(t / (degrees as f64).sqrt());
        let (s, c) = (libm::sin(theta), libm::cos(theta));
        let odd = degrees % 2 == 1;
        // c + (2/3) c³ + ... up to the power degrees - 2, or 1 + (1/2) c² + ... up to the same.
        let (mut term, mut sum, mut power) = if odd { (c, c, 1) } else { (1.0, 1.0, 0) };
        while power + 2 <= degrees.saturating_sub(2) {
            term *= (power + 1) as f64 / (power + 2) as f64 * c * c;
            sum += term;
            power += 2;
        }
        match (odd, degrees) {
            (true, 1) => 2.0 * theta / PI,
            (true, _) => 2.0 * (theta + s * sum) / PI,
            (false, _) => s * sum,
        }
    };
    let (mut low, mut high) = (0.0, 1.0);
    while within(high) < p && high < 1e300 {
        high *= 2.0;
    }
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if within(middle) < p { low = middle } else { high = middle }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_tables() {
        // Abramowitz & Stegun, table 26.1 and 26.5.
        assert!((below(1.0) - 0.841_344_746_068_543).abs() < 1e-15);
        assert!((below(-3.0) - 1.349_898_031_630_095e-3).abs() < 1e-17);
        for (p, x) in [(0.975, 1.959_963_984_540_054), (0.84, 0.994_457_883_209_753), (1e-10, -6.361_340_902_404_056)] {
            assert!((quantile(p) - x).abs() < 1e-13, "{p}: {}", quantile(p));
        }
        assert_eq!(quantile(0.5), 0.0);
        assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn students_distribution_agrees_with_the_tables() {
        // Abramowitz & Stegun, table 26.10.
        for (degrees, t) in [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (10, 2.228), (30, 2.042), (120, 1.980)] {
            assert!((student(0.95, degrees) - t).abs() < 6e-4, "{degrees}: {}", student(0.95, degrees));
        }
        assert!((student(0.95, 100_000) - quantile(0.975)).abs() < 1e-4);
        assert!(student(0.95, 0).is_infinite());
    }

    #[test]
    fn both_functions_undo_each_other() {
        for i in 1..2000 {
            let p = f64::from(i) / 2000.0;
            assert!((below(quantile(p)) - p).abs() < 1e-14, "{p}");
        }
        assert!((quantile(1e-300) + 37.0471).abs() < 1e-4);
    }
}
