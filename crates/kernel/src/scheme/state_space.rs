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
use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
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
        Claims { order: 2, order_frozen, evaluations: Some(1), carries_acceleration: false }
    }

    fn operators(&self, dt: f64) -> Operators {
        let tau = self.alpha_f * self.gamma * dt;
        Operators::new(&[Mck::MASS, Mck { m: self.alpha_m, c: tau, k: tau * tau / self.alpha_m }])
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: d.state(), scratch: 2 * d.state() + 3 * d.nu + d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let n = k.sys.dims().nu;
        let (ud, rest) = k.h.split_at_mut(n);
        ud.copy_from_slice(&k.y[n..2 * n]); // u₀' = v₀
        let (a, sd) = rest.split_at_mut(n);
        rates(k.sys, 0, k.t, k.y, a, sd)
    }

    /// The rates u' of the history: what this scheme integrates.
    fn port_rate(&self, d: Dims) -> Range<usize> {
        d.state()..d.state() + d.nu
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let StateSpace { alpha_m, alpha_f, gamma, predictor } = *self;
        let d = sys.dims();
        let (n, ny) = (d.nu, d.state());
        let tau = alpha_f * gamma * dt;
        cut!(w => x: ny, shift: ny, bu: n, a1: n, ma: n, sd1: d.ns);

        let reach = if predictor == Predictor::Full { alpha_f * dt } else { alpha_f * (1.0 - gamma) * dt };
        for i in 0..ny {
            let (xk, xd) = (y[i], h[i]);
            let x_p = xk + (1.0 - gamma) * dt * xd; // X̃
            let x_a = (1.0 - alpha_f) * xk + alpha_f * x_p; // X̃α
            x[i] = xk + reach * xd; // X*
            shift[i] = x_a - x[i];
            y[i] = x_p;
        }
        for i in 0..n {
            bu[i] = (x[n + i] + shift[n + i] - (1.0 - alpha_m) * h[i]) / alpha_m;
            shift[i] += tau * bu[i];
        }
        let at = d.point(t + alpha_f * dt, x);
        sys.linearise(at)?;
        sys.force(at, Some(d.shift(shift)), a1, sd1)?;
        if alpha_m != 1.0 {
            sys.mul_mass(&h[n..2 * n], ma);
        } else {
            ma.fill(0.0);
        }
        for i in 0..n {
            a1[i] = -a1[i] - (1.0 - alpha_m) * ma[i];
        }
        for i in 0..d.ns {
            sd1[i] -= (1.0 - alpha_m) * h[2 * n + i];
        }
        sys.solve(1, a1, sd1);
        for i in 0..n {
            h[i] = bu[i] + tau / alpha_m * a1[i]; // u₁'
        }
        h[n..2 * n].copy_from_slice(a1);
        h[2 * n..].copy_from_slice(sd1);
        for i in 0..ny {
            y[i] += gamma * dt * h[i];
        }
        Ok(())
    }
}
