//! Newmark, HHT-α and generalized-α in one pass (operator splitting): one force evaluation and one solve
//! per step, no iteration.
//!
//! N. M. Newmark, J. Eng. Mech. Div. ASCE 85(3):67-94, 1959; H. M. Hilber, T. J. R. Hughes, R. L. Taylor,
//! Earthq. Eng. Struct. Dyn. 5:283-292, 1977; J. Chung, G. M. Hulbert, J. Appl. Mech. 60:371-375, 1993.
//! Balance at the generalised midpoint, weights (1-α) on the end of the step:
//!
//! ```text
//! M [(1-αm) a₁ + αm a] + r((1-αf) x₁ + αf x, t + (1-αf) h) = 0
//! ```
//!
//! Order 2 for γ = 1/2 - αm + αf.   History h = [a s'].   Solved for: a₁.
//! D = (1-αm) M + (1-αf)(γh C + βh² K).
//!
//! A specimen sees the predictor ũ = u + h v + (1/2-β) h² a (weighted by 1-αf); the rest of the step
//! goes through the tangent.
//! Deviations: the force is evaluated at the *full* predictor v + h a of velocity and states, with
//! C (ṽ - v*) subtracted (book: newmark 1.2): identical for linear damping, second order instead of first
//! otherwise; `Predictor::Half` is the textbook form. Element states are integrated as velocities are.

use super::registry::AnyScheme;
use super::{Claims, Length, Operators, Phases, Scheme, State, start_rates};
use crate::{Fault, Mck};

/// Where velocities and element states are evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Predictor {
    /// x + h x', second-order accurate; the tangent brings it back to the algorithm's point.
    Full,
    /// x + (1-γ) h x', as printed; first order for nonlinear damping and states, unless the tangent is exact.
    Half,
}

/// Parameters of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Alpha {
    /// Weight of the old inertia force.
    pub alpha_m: f64,
    /// Weight of the old restoring force.
    pub alpha_f: f64,
    /// Newmark's β.
    pub beta: f64,
    /// Newmark's γ.
    pub gamma: f64,
    /// Evaluation point.
    pub predictor: Predictor,
}

impl Alpha {
    /// Its coefficients by name.
    pub(super) fn coefficients(&self, mut tell: impl FnMut(&'static str, f64)) {
        let Alpha { alpha_m, alpha_f, beta, gamma, predictor: _ } = *self;
        for (name, x) in [("alpha_m", alpha_m), ("alpha_f", alpha_f), ("beta", beta), ("gamma", gamma)] {
            tell(name, x);
        }
    }

    /// Newmark's method.
    pub const fn newmark(beta: f64, gamma: f64, predictor: Predictor) -> Self {
        Alpha { alpha_m: 0.0, alpha_f: 0.0, beta, gamma, predictor }
    }

    /// HHT-α, 0 <= α <= 1/3 (written positive).
    pub const fn hht(alpha: f64, predictor: Predictor) -> Self {
        Alpha {
            alpha_m: 0.0,
            alpha_f: alpha,
            beta: 0.25 * (1.0 + alpha) * (1.0 + alpha),
            gamma: 0.5 + alpha,
            predictor,
        }
    }

    /// Generalized-α with the spectral radius `rho_inf` at infinite frequency.
    pub const fn chung_hulbert(rho_inf: f64, predictor: Predictor) -> Self {
        let alpha_m = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
        let alpha_f = rho_inf / (rho_inf + 1.0);
        let q = 1.0 - alpha_m + alpha_f;
        Alpha { alpha_m, alpha_f, beta: 0.25 * q * q, gamma: 0.5 - alpha_m + alpha_f, predictor }
    }

    /// Order for smooth problems when the balance is solved to second order.
    pub(super) fn order(&self) -> u32 {
        if (self.gamma - (0.5 - self.alpha_m + self.alpha_f)).abs() < 1e-12 { 2 } else { 1 }
    }

    /// Without averaging, a₁ satisfies the balance at the end of the step; otherwise it belongs to a time in between and
    /// is no second-order acceleration of t + h.
    pub(super) fn is_newmark(&self) -> bool {
        self.alpha_m == 0.0 && self.alpha_f == 0.0
    }

    pub(super) fn dynamic(&self, dt: f64) -> Operators {
        let f = 1.0 - self.alpha_f;
        Operators::new(&[Mck::MASS, Mck { m: 1.0 - self.alpha_m, c: f * self.gamma * dt, k: f * self.beta * dt * dt }])
    }
}

impl Scheme for Alpha {
    fn claims(&self) -> Claims {
        let order = self.order();
        // Half a step away from the end of the step, only the exact tangent makes up for the distance.
        let order_frozen = if self.predictor == Predictor::Full { order } else { 1 };
        Claims { order, order_frozen, carries_acceleration: self.is_newmark(), lag: self.alpha_m - self.alpha_f }
    }

    fn calm(&self) -> Option<AnyScheme> {
        (self.alpha_m != self.alpha_f).then(|| Alpha::newmark(0.25, 0.5, self.predictor).into())
    }

    fn operators(&self, dt: f64) -> Operators {
        self.dynamic(dt)
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let [a] = &mut p.history(["a"], Length::V);
        start_rates(p, y, a)
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let (dt, end) = (p.dt(), 1.0 - self.alpha_f);
        let State { u, v } = &mut p.state();
        let [a] = &mut p.history(["a"], Length::V);
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let [a1, ma] = &mut p.scratch(["a1", "ma"], Length::V);
        // Fraction of the rate in the evaluation point, see `Predictor`.
        let reach = if self.predictor == Predictor::Full { end * dt } else { end * (1.0 - self.gamma) * dt };
        let [alpha_m, alpha_f, f, h, reach] =
            p.numbers([("alpha_m", self.alpha_m), ("alpha_f", self.alpha_f), ("f", end), ("h", dt), ("reach", reach)]);
        let [u_a, v_a, u_a1, v_a1] = p.numbers([
            ("u_a", (0.5 - self.beta) * dt * dt),
            ("v_a", (1.0 - self.gamma) * dt),
            ("u_a1", self.beta * dt * dt),
            ("v_a1", self.gamma * dt),
        ]);

        p.fill(&mut shift.u, 0.0);
        p.update([u, &mut x.u], [v, a], |[u, _], [v, a]| {
            let u_p = u + h * v + u_a * a; // ũ
            [u_p, alpha_f * u + f * u_p]
        });
        p.update([v, &mut x.v, &mut shift.v], [a], |[v, ..], [a]| {
            let (v_p, x) = (v + v_a * a, v + reach * a); // ṽ
            [v_p, x, alpha_f * v + f * v_p - x]
        });
        p.linearise(end, x)?;
        p.force(end, x, Some(shift), a1)?;
        if self.alpha_m != 0.0 {
            p.mul_mass(a, ma);
            p.update([a1], [ma], |[a1], [ma]| [a1 - alpha_m * ma]);
        }
        p.solve(1, a1); // D a₁ = f - αm M a
        p.update([u], [a1], |[u], [a1]| [u + u_a1 * a1]);
        p.update([v], [a1], |[v], [a1]| [v + v_a1 * a1]);
        p.copy(a1, a);
        Ok(())
    }
}
