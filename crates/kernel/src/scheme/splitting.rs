//! Generalized-α by operator splitting with the restoring force carried along: the side of the passive couplings.
//!
//! Derived in this project (book: newmark 2); weights of J. Chung, G. M. Hulbert, J. Appl. Mech. 60:371-375, 1993. With p the restoring force
//! at the old end of the step, corrected along the tangent, and τ the step:
//!
//! ```text
//! ũ = u + τ v + (1/2-β) τ² a,   ṽ = v + (1-γ) τ a,   v* = v + τ a
//! q = r(ũ, v*, t + τ) - C (v* - ṽ)
//! D a₁ = -αm M a - αf p - (1-αf) q,   D = (1-αm) M + (1-αf)(γτ C + βτ² K)
//! u₁ = ũ + βτ² a₁,   v₁ = ṽ + γτ a₁,   p₁ = q + (γτ C + βτ² K) a₁
//! ```
//!
//! Order 2.   History h = [a s' p pg ā m] (pg: the corrected rates of the states; m = M ā with the mass matrix in which p is
//! expressed and ā the acceleration of that step, so that p can follow a mass matrix that changes).   Solved for: a₁.
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
}

impl Splitting {
    /// With the spectral radius `rho_inf` at infinite frequency.
    pub const fn generalized_alpha(rho_inf: f64) -> Self {
        Splitting { alpha: Alpha::chung_hulbert(rho_inf, Predictor::Full) }
    }

    /// Without averaging: the trapezoidal rule, in the same memory.
    pub const fn trapezoidal() -> Self {
        Splitting { alpha: Alpha::newmark(0.25, 0.5, Predictor::Full) }
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
        Some(Splitting::trapezoidal().into())
    }

    fn operators(&self, dt: f64) -> Operators {
        self.alpha.dynamic(dt)
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let ([a, carried], [a_p, m_p]) = &mut history(p);
        start_rates(p, y, a)?;
        p.mul_mass(a, carried);
        p.copy(carried, m_p);
        p.copy(a, a_p);
        p.update([carried], [m_p], |_, [m_p]| [-m_p]);
        Ok(())
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let Alpha { alpha_m, alpha_f, beta, gamma, .. } = self.alpha;
        let dt = p.dt();
        let State { u, v } = &mut p.state();
        let ([a, carried], [a_p, m_p]) = &mut history(p);
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let ([f, q, a1, ma], [mp]) =
            (&mut p.scratch(["f", "q", "a1", "ma"], Length::V), &mut p.scratch(["mp"], Length::U));
        let [h, u_a, v_a, u_a1, v_a1] = p.numbers([
            ("h", dt),
            ("u_a", (0.5 - beta) * dt * dt),
            ("v_a", (1.0 - gamma) * dt),
            ("u_a1", beta * dt * dt),
            ("v_a1", gamma * dt),
        ]);
        let [alpha_m, alpha_f, end] = p.numbers([("alpha_m", alpha_m), ("alpha_f", alpha_f), ("end", 1.0 - alpha_f)]);

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
        p.mul_mass(a_p, mp);
        // p balances -M ā up to O(τ): what the mass matrix has changed since is made up for to second order.
        p.copy(carried, f);
        p.update([f], [m_p, mp], |[p], [m_p, mp]| [-(p + (m_p - mp))]);
        p.update([a1], [ma, f, q], |_, [ma, f, q]| [-alpha_m * ma + alpha_f * f + end * q]);
        p.solve(1, a1);

        p.update([u, &mut shift.u], [a1], |[u, _], [a1]| {
            let du = u_a1 * a1;
            [u + du, du]
        });
        p.update([v, &mut shift.v], [a1], |[v, _], [a1]| {
            let dv = v_a1 * a1;
            [v + dv, dv]
        });
        p.mul_tangent(shift, f);
        p.update([carried], [f, q], |_, [f, q]| [f + q]);
        p.mul_mass(a1, m_p);
        p.update([carried], [m_p], |[f], _| [-f]); // as far as m goes: p, with its sign
        p.copy(a1, a);
        p.copy(a1, a_p);
        Ok(())
    }
}

/// Vectors as long as v, and as u.
type History<V> = ([V; 2], [V; 2]);

fn history<P: Phases>(p: &mut P) -> History<P::Vector> {
    (p.history(["a", "carried"], Length::V), p.history(["a_p", "m_p"], Length::U))
}
