//! The generalized-α family with Newton iterations on the acceleration; with β = 1/4, γ = 1/2 the constant
//! average acceleration method (CAAM) of papers 000 and 001.
//!
//! Balance equation and references as in `alpha.rs`. Order 2 for γ = 1/2 - αm + αf.
//! History h = [a s'].   Solved for: increments of a₁.   D as in `alpha.rs`, taken at each iterate when
//! the tangent policy is exact (full Newton), else kept (modified Newton).
//!
//! Iterates, so it is refused for a specimen, which cannot be rewound. Laws that evaluations move are: every iterate moves
//! them from where the step began, and what they remember of the last one is where they stand after the step.
//! Deviations: none.

use super::alpha::Alpha;
use super::{Claims, Length, Limits, Operators, Phases, Scheme, State};
use crate::Fault;

/// Iterated member of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Parameters (its predictor is not used).
    pub alpha: Alpha,
    /// When it ends.
    pub limits: Limits,
}

impl Scheme for Newton {
    fn claims(&self) -> Claims {
        let order = self.alpha.order();
        Claims {
            order,
            order_frozen: order,
            carries_acceleration: self.alpha.is_newmark(),
            lag: self.alpha.claims().lag,
        }
    }

    fn operators(&self, dt: f64) -> Operators {
        self.alpha.dynamic(dt)
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        self.alpha.start(p)
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let (dt, Alpha { alpha_m, alpha_f, beta, gamma, .. }) = (p.dt(), self.alpha);
        let y = &mut p.state();
        let [a] = &mut p.history(["a"], Length::V);
        let [x1, x] = &mut p.scratch_states([["x1_u", "x1_v"], ["x_u", "x_v"]]);
        let [a1, b, inertia] = &mut p.scratch(["a1", "b", "inertia"], Length::V);
        let end = 1.0 - alpha_f;
        let [h, h2, u_a, beta, v_a, gamma] = p.numbers([
            ("h", dt),
            ("h2", dt * dt),
            ("u_a", 0.5 - beta),
            ("beta", beta),
            ("v_a", 1.0 - gamma),
            ("gamma", gamma),
        ]);
        let [alpha_f, f, alpha_m, m_a1] =
            p.numbers([("alpha_f", alpha_f), ("f", end), ("alpha_m", alpha_m), ("m_a1", 1.0 - alpha_m)]);
        let du = |[v, a, a1]: [P::Number; 3]| (h * v, h2 * (u_a * a + beta * a1));
        let dv = |[a, a1]: [P::Number; 2]| h * (v_a * a + gamma * a1);

        // First guess: the last acceleration. Laws that remember are first asked where they stand, at the displacement before the step: the
        // acceleration of a degree of freedom without mass means nothing, and a guess by it can lead them onto a wrong branch for good.
        if p.remembers() {
            let Alpha { beta, .. } = self.alpha;
            let [by_v, by_a] = p.numbers([("by_v", -1.0 / (beta * dt)), ("by_a", (beta - 0.5) / beta)]);
            p.update([a1], [&y.v, a], |_, [v, a]| [by_v * v + by_a * a]);
        } else {
            p.copy(a, a1);
        }
        p.iterate(self.limits, |p| {
            p.update([&mut x1.u], [&y.u, &y.v, a, a1], |_, [u, v, a, a1]| {
                let (by_v, by_a) = du([v, a, a1]);
                [u + by_v + by_a]
            });
            p.update([&mut x1.v], [&y.v, a, a1], |_, [v, a, a1]| [v + dv([a, a1])]);
            p.update_states([x], [y, x1], |_, [y, x1]| [alpha_f * y + f * x1]);
            p.linearise(end, x)?;
            p.force(end, x, None, b)?;
            // -residual = f - M [(1-αm) a₁ + αm a]
            p.update([&mut x.v], [a1, a], |_, [a1, a]| [m_a1 * a1 + alpha_m * a]);
            p.mul_mass(&x.v, inertia);
            p.update([b], [inertia], |[b], [inertia]| [b - inertia]);
            p.solve(1, b);
            p.update([a1], [b], |[a1], [b]| [a1 + b]);
            p.measure(b, x1, a1)
        })?;
        let State { u, v } = y;
        p.update([u], [v, a, a1], |[u], [v, a, a1]| {
            let (by_v, by_a) = du([v, a, a1]);
            [u + (by_v + by_a)]
        });
        p.update([v], [a, a1], |[v], [a, a1]| [v + dv([a, a1])]);
        p.copy(a1, a);
        Ok(())
    }
}
