//! The scheme of 001-fig-7(b) against the same written out by hand (book: partitioned 4.4).

use interfield_gallery::models::{SPLIT_MASS, Settings, start_parts};

/// One side of the split mass: u, v, m, k.
struct Side {
    u: f64,
    v: f64,
    m: f64,
    k: f64,
}

impl Side {
    /// Velocity that a unit impulse of the multiplier gives in a step of the midpoint rule.
    fn flexibility(&self, h: f64) -> f64 {
        h / (self.m + self.k * h * h / 4.0)
    }

    /// Velocity after a step without multiplier: m (v₁ - v₀)/h + k (u₀ + u₁)/2 = 0, u₁ - u₀ = h (v₀ + v₁)/2.
    fn free(&self, h: f64) -> f64 {
        self.v - self.flexibility(h) * self.k * (self.u + h * self.v / 2.0)
    }

    fn advance(&mut self, v: f64, h: f64) {
        self.u += h * (self.v + v) / 2.0;
        self.v = v;
    }
}

/// Midpoint rule on both sides, rates equal at the end of every substep, A's free velocity interpolated, and A corrected by the
/// last multiplier.
fn by_hand(b1: f64, ss: u32, h: f64, steps: u32) -> [f64; 4] {
    let share = 1.0 / (1.0 + b1);
    let mut a = Side { u: 1.0, v: 1.0, m: b1 * share, k: share };
    let mut b = Side { u: 1.0, v: 1.0, m: share, k: b1 * share };
    let fine = h / f64::from(ss);
    let mut lambda = (b.k * b.u / b.m - a.k * a.u / a.m) / (1.0 / a.m + 1.0 / b.m);
    for _ in 0..steps {
        let (from, to) = (a.v + a.flexibility(h) * lambda, a.free(h));
        for j in 1..=ss {
            let x = f64::from(j) / f64::from(ss);
            let free = b.free(fine);
            lambda = ((1.0 - x) * from + x * to - free) / (a.flexibility(h) + b.flexibility(fine));
            b.advance(free + b.flexibility(fine) * lambda, fine);
        }
        a.advance(to - a.flexibility(h) * lambda, h);
    }
    [a.u, a.v, b.u, b.v]
}

#[test]
fn classical_multipliers_with_the_midpoint_rule_are_nakshatralas_coupling() {
    for (b1, ss) in [(0.5, 1), (0.5, 10), (0.1, 10), (2.0, 4)] {
        let settings = Settings {
            set: &[("b1", &b1.to_string())],
            scheme: "state-space-alpha",
            param: &[("rho_inf", "1")],
            coupling: "clm",
            substeps: ss,
            dt: "0.05 s",
            until: "2 s",
        };
        let mut machine = start_parts(SPLIT_MASS.with(&settings).expect("a model")).expect("it starts");
        for k in 0..machine.steps() {
            machine.step(k).expect("a step");
        }
        // Behind displacement and velocity stand the rates.
        let found: Vec<f64> = machine.states().flat_map(|y| y[..2].to_vec()).collect();
        for (found, expected) in found.iter().zip(by_hand(b1, ss, 0.05, 40)) {
            assert!((found - expected).abs() < 1e-11, "b1 = {b1}, ss = {ss}: {found} instead of {expected}");
        }
        assert_eq!(found.len(), 4);
    }
}
