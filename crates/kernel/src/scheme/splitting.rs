//! Generalized-α by operator splitting with the restoring force carried along: the side of the passive couplings.
//!
//! Derived in this project (book: newmark 2); weights of J. Chung, G. M. Hulbert, J. Appl. Mech. 60:371-375, 1993. With p the restoring force
//! at the old end of the step, corrected along the tangent, and τ the step:
//!
//! ```text
//! ũ = u + τ v + (1/2-β) τ² a,   ṽ = v + (1-γ) τ a,   v* = v + τ a
//! q = r(ũ, v*, t + τ) - C (v* - ṽ)
//! D a₁ = -αm M a - αf p - (1-αf) q,   D = (1-αm) M + (1-αf)(γτ C + βτ² K)
//! u₁ = ũ + βτ² a₁,   v₁ = ṽ + γτ a₁,   p₁ = q + (γτ C + βτ² K) a₁ = -(αm M a + αf p + (1-αm) M a₁)/(1-αf)
//! ```
//!
//! Order 2.   History h = [a s' p pg] (pg: the corrected rates of the states), and [ā m] behind it where the mass matrix changes (m = M ā with the
//! mass matrix in which p is expressed and ā the acceleration of that step, so that p can follow).   Solved for: a₁.
//!
//! A specimen sees ũ, the predictor of the *end* of the step, once: `generalized-alpha` weighs it with the start of the step.
//! The point does not depend on what loads the end of the step, and a side that softens stays passive (book: passivity 3.2).
//! Deviations: element states are integrated as velocities are. For linear unloaded systems the amplification is that of
//! generalized-α.

use super::alpha::{Alpha, Predictor};
use super::registry::AnyScheme;
use super::{Claims, Length, Operators, Phases, Scheme, State, start_rates};
use crate::Fault;

/// The scheme, by the weights of its generalized-α.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Splitting {
    alpha: Alpha,
    /// Whether the mass matrix may change.
    changing: bool,
}

impl Splitting {
    /// With the spectral radius `rho_inf` at infinite frequency.
    pub const fn generalized_alpha(rho_inf: f64) -> Self {
        Splitting { alpha: Alpha::chung_hulbert(rho_inf, Predictor::Full), changing: true }
    }

    /// Without averaging: the trapezoidal rule, in the same memory.
    pub const fn trapezoidal() -> Self {
        Splitting { alpha: Alpha::newmark(0.25, 0.5, Predictor::Full), changing: true }
    }

    /// Its weights.
    pub const fn weights(&self) -> Alpha {
        self.alpha
    }
}

impl Scheme for Splitting {
    fn claims(&self) -> Claims {
        Claims {
            order: 2,
            order_frozen: 2,
            carries_acceleration: self.alpha.is_newmark(),
            lag: self.alpha.claims().lag,
        }
    }

    fn calm(&self) -> Option<AnyScheme> {
        Some(Splitting { changing: self.changing, ..Splitting::trapezoidal() }.into())
    }

    fn lasting(&self) -> Option<AnyScheme> {
        Some(Splitting { changing: false, ..*self }.into())
    }

    fn operators(&self, dt: f64) -> Operators {
        self.alpha.dynamic(dt)
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let ([a, carried], old) = &mut self.history(p);
        let [m] = &mut p.scratch(["mu"], Length::U);
        start_rates(p, y, a)?;
        p.mul_mass(a, carried);
        p.copy(carried, m);
        p.update([carried], [m], |_, [m]| [-m]); // as far as m goes: p, with its sign
        if let Some([a_p, m_p]) = old {
            p.copy(a, a_p);
            p.copy(m, m_p);
        }
        Ok(())
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let Alpha { alpha_m, alpha_f, beta, gamma, .. } = self.alpha;
        let dt = p.dt();
        let State { u, v } = &mut p.state();
        let ([a, carried], old) = &mut self.history(p);
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let ([f, q, a1, ma], [m]) =
            (&mut p.scratch(["f", "q", "a1", "ma"], Length::V), &mut p.scratch(["mu"], Length::U));
        let [h, u_a, v_a, u_a1, v_a1] = p.numbers([
            ("h", dt),
            ("u_a", (0.5 - beta) * dt * dt),
            ("v_a", (1.0 - gamma) * dt),
            ("u_a1", beta * dt * dt),
            ("v_a1", gamma * dt),
        ]);
        let [alpha_m, alpha_f, end, mass] =
            p.numbers([("alpha_m", alpha_m), ("alpha_f", alpha_f), ("end", 1.0 - alpha_f), ("mass", 1.0 - alpha_m)]);

        p.fill(&mut shift.u, 0.0);
        p.update([u, &mut x.u], [v, a], |[u, _], [v, a]| {
            let u_p = u + (h * v + u_a * a); // ũ
            [u_p, u_p]
        });
        p.update([v, &mut x.v, &mut shift.v], [a], |[v, ..], [a]| {
            let (v_p, x) = (v + v_a * a, v + h * a); // ṽ, v*
            [v_p, x, v_p - x]
        });
        p.linearise(1.0, x)?;
        p.force(1.0, x, Some(shift), q)?;
        p.mul_mass(a, ma);
        p.copy(carried, f);
        match old {
            // p balances -M ā up to O(τ): what the mass matrix has changed since is made up for to second order.
            Some([a_p, m_p]) => {
                p.mul_mass(a_p, m);
                p.update([f], [m_p, m], |[p], [m_p, m]| [-(p + (m_p - m))]);
            }
            None => p.update([f], [m], |[p], _| [-p]),
        }
        p.update([f, a1], [ma, q], |[f, _], [ma, q]| {
            let known = -alpha_m * ma + alpha_f * f;
            [known, known + end * q]
        });
        p.solve(1, a1);

        p.update([u], [a1], |[u], [a1]| [u + u_a1 * a1]);
        p.update([v, a], [a1], |[v, _], [a1]| [v + v_a1 * a1, a1]);
        // What the tangent makes of a₁ is what D a₁ has beside the mass.
        p.mul_mass(a1, ma);
        p.update([carried], [f, ma], |_, [f, ma]| [(mass * ma - f) / end]);
        p.copy(ma, m);
        p.update([carried], [m], |[f], _| [-f]); // as far as m goes: p, with its sign
        if let Some([a_p, m_p]) = old {
            p.copy(a1, a_p);
            p.copy(m, m_p);
        }
        Ok(())
    }
}

/// Vectors as long as v, and as u.
type History<V> = ([V; 2], Option<[V; 2]>);

impl Splitting {
    fn history<P: Phases>(&self, p: &mut P) -> History<P::Vector> {
        let carried = p.history(["a", "carried"], Length::V);
        (carried, self.changing.then(|| p.history(["a_p", "m_p"], Length::U)))
    }
}
