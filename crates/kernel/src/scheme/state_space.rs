//! Trapezoidal rule and generalized-α for the state-space form M X' + R(X) = F, X = [u v s].
//!
//! Paper 004 (trapezoidal, with localized multipliers); K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput.
//! Methods Appl. Mech. Eng. 190:305-319, 2000 (first-order generalized-α). With τ = αf γ h:
//!
//! ```text
//! X̃ = X + (1-γ) h X',   X̃α = (1-αf) X + αf X̃,   X* = X + αf h X'
//! D X₁' = F(t + αf h) - R(X*) + K₀ (X* - X̃α) - (1-αm) M X',   D = αm M + τ K₀
//! X₁ = X̃ + γ h X₁'
//! ```
//!
//! Order 2 for γ = 1/2 + αm - αf.   History h = [u' v' s'] (u' differs from v inside generalized-α).
//! Solved for: v₁', after eliminating u₁' = (ṽα - (1-αm) u' + τ v₁') / αm.
//! A specimen sees X*, inside the step (at its end for the trapezoidal rule).
//! Deviations: X* is the *full* predictor, paper 004 evaluates at X̃α; identical for linear elements, and
//! second instead of first order for nonlinear ones (book: newmark 4.1). `Predictor::Half` is
//! the published form.

use core::ops::Range;

use super::alpha::Predictor;
use super::registry::AnyScheme;
use super::{Claims, Length, Operators, Phases, Scheme, State, start_rates};
use crate::{Dims, Fault, Mck};

/// Parameters; weights αm, αf are those of the *end* of the step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StateSpace {
    /// Weight of the new rate.
    pub alpha_m: f64,
    /// Weight of the new state.
    pub alpha_f: f64,
    /// Weight of the new rate in the update.
    pub gamma: f64,
    /// Evaluation point.
    pub predictor: Predictor,
}

impl StateSpace {
    /// The trapezoidal rule of paper 004.
    pub const fn trapezoidal(predictor: Predictor) -> Self {
        StateSpace { alpha_m: 1.0, alpha_f: 1.0, gamma: 0.5, predictor }
    }

    /// First-order generalized-α with the spectral radius `rho_inf` at infinite frequency.
    pub const fn generalized_alpha(rho_inf: f64, predictor: Predictor) -> Self {
        let alpha_m = 0.5 * (3.0 - rho_inf) / (1.0 + rho_inf);
        let alpha_f = 1.0 / (1.0 + rho_inf);
        StateSpace { alpha_m, alpha_f, gamma: 0.5 + alpha_m - alpha_f, predictor }
    }
}

impl Scheme for StateSpace {
    fn claims(&self) -> Claims {
        // Half a step away from the end of the step, only the exact tangent makes up for the distance.
        let order_frozen = if self.predictor == Predictor::Full { 2 } else { 1 };
        Claims { order: 2, order_frozen, carries_acceleration: false, lag: self.alpha_f - self.alpha_m }
    }

    fn rates(&self, d: Dims) -> usize {
        d.state()
    }

    fn calm(&self) -> Option<AnyScheme> {
        Some(StateSpace::trapezoidal(self.predictor).into())
    }

    fn state_space(&self) -> Option<StateSpace> {
        Some(*self)
    }

    fn operators(&self, dt: f64) -> Operators {
        let tau = self.alpha_f * self.gamma * dt;
        Operators::new(&[Mck::MASS, Mck { m: self.alpha_m, c: tau, k: tau * tau / self.alpha_m }])
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let rate = &mut history(p);
        p.copy(&y.v, &mut rate.u); // u₀' = v₀
        start_rates(p, y, &mut rate.v)
    }

    /// The rates u' of the history: what this scheme integrates.
    fn port_rate(&self, d: Dims) -> Range<usize> {
        d.state()..d.state() + d.nu
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let dt = p.dt();
        let (y, rate) = (&mut p.state(), &mut history(p));
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let ([bu], [a1, ma]) = (&mut p.scratch(["bu"], Length::U), &mut p.scratch(["a1", "ma"], Length::V));
        let full = self.predictor == Predictor::Full;
        let reach = if full { self.alpha_f * dt } else { self.alpha_f * (1.0 - self.gamma) * dt };
        let tau_of = self.alpha_f * self.gamma * dt;
        let [ahead, reach, old, alpha_f, old_rate, alpha_m] = p.numbers([
            ("ahead", (1.0 - self.gamma) * dt),
            ("reach", reach),
            ("old", 1.0 - self.alpha_f),
            ("alpha_f", self.alpha_f),
            ("old_rate", 1.0 - self.alpha_m),
            ("alpha_m", self.alpha_m),
        ]);
        let [tau, share, gamma_h] =
            p.numbers([("tau", tau_of), ("share", tau_of / self.alpha_m), ("gamma_h", self.gamma * dt)]);

        p.update_states([y, x, shift], [rate], |[y, ..], [rate]| {
            let y_p = y + ahead * rate; // X̃
            let x = y + reach * rate; // X*
            [y_p, x, old * y + alpha_f * y_p - x]
        });
        p.update([bu, &mut shift.u], [&x.v, &shift.v, &rate.u], |[_, shift], [x_v, shift_v, u_rate]| {
            let bu = (x_v + shift_v - old_rate * u_rate) / alpha_m;
            [bu, shift + tau * bu]
        });
        p.linearise(self.alpha_f, x)?;
        p.force(self.alpha_f, x, Some(shift), a1)?;
        if self.alpha_m != 1.0 {
            p.mul_mass(&rate.v, ma);
            p.update([a1], [ma], |[a1], [ma]| [a1 - old_rate * ma]);
        }
        p.solve(1, a1);
        p.update([&mut rate.u], [bu, a1], |_, [bu, a1]| [bu + share * a1]); // u₁'
        p.copy(a1, &mut rate.v);
        p.update_states([y], [rate], |[y], [rate]| [y + gamma_h * rate]);
        Ok(())
    }
}

fn history<P: Phases>(p: &mut P) -> State<P::Vector> {
    let ([u], [v]) = (p.history(["u_rate"], Length::U), p.history(["v_rate"], Length::V));
    State { u, v }
}
