//! Ties between interlaced sequences of states: a window starts from a mean of the last three states instead of from the last.
//!
//! Derived in this project (book: passivity 2.5). For a strength 0 <= e <= 1,
//! p₁ = (1 + √(1-e))/2, p₂ = (1 + √(1+e))/2, q = 1 - p:
//!
//! a₀ = p₁ p₂,  a₁ = p₁ q₂ + q₁ p₂,  a₂ = q₁ q₂,  d = a₁ + 2 a₂ = q₁ + q₂ ≈ e²/8
//!
//! Σ a_k x_n-k is the state at t_n - d h, exact to second order (Σ a_k = 1, Σ k² a_k = d²), and a contraction of everything in
//! which the sequences differ: |Σ a_k e^(-ikθ)|² = 1 - e² sin⁴(θ/2) <= 1.

use interfield_kernel::scheme::registry::{SchemeParameter, parameter};

/// A mean of the last three states.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tie {
    /// Weights a₁ and a₂ of the states before the last; a₀ = 1 - a₁ - a₂.
    pub weights: [f64; 2],
    /// How far before the last state the mean lies, in macro-steps.
    pub delay: f64,
}

impl Tie {
    /// The newest state alone.
    pub const NONE: Tie = Tie { weights: [0.0; 2], delay: 0.0 };

    /// The tie of strength `e`, from 0 (none) to 1.
    pub fn new(e: f64) -> Self {
        let [q1, q2] = [0.5 * (1.0 - (1.0 - e).sqrt()), 0.5 * (1.0 - (1.0 + e).sqrt())];
        let [p1, p2] = [1.0 - q1, 1.0 - q2];
        Tie { weights: [p1 * q2 + q1 * p2, q1 * q2], delay: q1 + q2 }
    }

    /// The mean of `x` = [x_n, x_n-1, x_n-2], written so that equal states give the same state to the bit.
    pub fn mean(&self, [x, x1, x2]: [f64; 3]) -> f64 {
        x + self.weights[0] * (x1 - x) + self.weights[1] * (x2 - x)
    }
}

/// The parameter of couplings that have one.
pub(crate) const TIE: SchemeParameter = parameter(
    "tie",
    Some("0.5"),
    "a number from 0 to 1",
    "how strongly the interlaced sequences of the coarse side are tied to each other: 0 not at all, 1 most smoothly",
);

#[cfg(test)]
mod tests {
    use super::*;

    /// A reference that was computed independently.
    #[test]
    fn weights_are_those_of_the_reference() {
        let reference = [
            (0.1, [0.9981198958318214, 0.0025062814466899966, -0.0006261772785113494], 0.0012539268896672978),
            (0.25, [0.9880763072715469, 0.0158770817240729, -0.003953388995619821], 0.007970303732833257),
            (0.5, [0.9494692640906437, 0.0669872981077807, -0.016456562198424472], 0.03407417371093176),
            (0.75, [0.8710783708246108, 0.16928108611692616, -0.04035945694153692], 0.08856217223385232),
            (1.0, [0.6035533905932737, 0.5, -0.10355339059327379], 0.29289321881345237),
        ];
        for (e, [a0, a1, a2], d) in reference {
            let tie = Tie::new(e);
            for (found, right) in
                [(1.0 - tie.weights[0] - tie.weights[1], a0), (tie.weights[0], a1), (tie.weights[1], a2)]
            {
                assert!((found - right).abs() < 1e-15, "e = {e}: {found} instead of {right}");
            }
            assert!((tie.delay - d).abs() < 1e-15);
        }
        assert_eq!(Tie::new(0.0), Tie::NONE);
    }

    #[test]
    fn parabolas_pass_exactly_and_rotating_patterns_shrink() {
        for e in [0.0, 0.3, 0.5, 1.0] {
            let tie = Tie::new(e);
            let parabola = |t: f64| 2.0 + 3.0 * t - 0.7 * t * t;
            let mean = tie.mean([parabola(0.0), parabola(-1.0), parabola(-2.0)]);
            assert!((mean - parabola(-tie.delay)).abs() < 1e-14, "e = {e}");
            for k in 1..100 {
                let angle = f64::from(k) * std::f64::consts::PI / 100.0;
                let of = |wave: fn(f64) -> f64| tie.mean([0.0, 1.0, 2.0].map(|n| wave(-n * angle)));
                let square = of(f64::cos).powi(2) + of(f64::sin).powi(2);
                assert!((square - 1.0 + (e * (angle / 2.0).sin().powi(2)).powi(2)).abs() < 1e-14, "e = {e}");
            }
        }
        assert_eq!(Tie::new(0.7).mean([0.1; 3]), 0.1);
    }
}
