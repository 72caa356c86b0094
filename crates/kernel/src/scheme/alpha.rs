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

use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
use crate::{Dims, Fault, Mck};

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
        Claims { order, order_frozen, evaluations: Some(1), carries_acceleration: self.is_newmark() }
    }

    fn operators(&self, dt: f64) -> Operators {
        self.dynamic(dt)
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: d.nu + d.ns, scratch: 2 * d.state() + 2 * d.nu + d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let (a, sd) = k.h.split_at_mut(k.sys.dims().nu);
        rates(k.sys, 0, k.t, k.y, a, sd)
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let Alpha { alpha_m, alpha_f, beta, gamma, predictor } = *self;
        let (d, f) = (sys.dims(), 1.0 - alpha_f);
        let (n, ny) = (d.nu, d.state());
        cut!(w => x: ny, shift: ny, a1: n, ma: n, sd1: d.ns);
        cut!(y => u: n, v: n, s: d.ns);
        cut!(h => a: n, sd: d.ns);

        // Fraction of the rate in the evaluation point, see `Predictor`.
        let reach = if predictor == Predictor::Full { f * dt } else { f * (1.0 - gamma) * dt };
        {
            cut!(&mut *x => xu: n, xv: n, xs: d.ns);
            cut!(&mut *shift => du: n, dv: n, ds: d.ns);
            du.fill(0.0);
            for i in 0..n {
                let u_p = u[i] + dt * v[i] + (0.5 - beta) * dt * dt * a[i]; // ũ
                let v_p = v[i] + (1.0 - gamma) * dt * a[i]; // ṽ
                xu[i] = alpha_f * u[i] + f * u_p;
                xv[i] = v[i] + reach * a[i];
                dv[i] = alpha_f * v[i] + f * v_p - xv[i];
                (u[i], v[i]) = (u_p, v_p);
            }
            for i in 0..d.ns {
                let s_p = s[i] + (1.0 - gamma) * dt * sd[i];
                xs[i] = s[i] + reach * sd[i];
                ds[i] = alpha_f * s[i] + f * s_p - xs[i];
                s[i] = s_p;
            }
        }
        let at = d.point(t + f * dt, x);
        sys.linearise(at)?;
        sys.force(at, Some(d.shift(shift)), a1, sd1)?;
        if alpha_m != 0.0 {
            sys.mul_mass(a, ma);
        } else {
            ma.fill(0.0);
        }
        for i in 0..n {
            a1[i] = -a1[i] - alpha_m * ma[i];
        }
        for i in 0..d.ns {
            sd1[i] -= alpha_m * sd[i];
        }
        sys.solve(1, a1, sd1); // D a₁ = -r - αm M a
        for i in 0..n {
            u[i] += beta * dt * dt * a1[i];
            v[i] += gamma * dt * a1[i];
        }
        for i in 0..d.ns {
            s[i] += gamma * dt * sd1[i];
        }
        a.copy_from_slice(a1);
        sd.copy_from_slice(sd1);
        Ok(())
    }
}
