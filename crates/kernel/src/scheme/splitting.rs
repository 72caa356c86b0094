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
use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
use crate::{Dims, Fault, Shift};

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

    /// How far the accelerations of the history lag behind the end of the step, in steps: αf - αm.
    pub const fn lag(&self) -> f64 {
        self.alpha.alpha_f - self.alpha.alpha_m
    }
}

impl Scheme for Splitting {
    fn claims(&self) -> Claims {
        Claims { order: 2, order_frozen: 2, evaluations: Some(1), carries_acceleration: self.alpha.is_newmark() }
    }

    fn operators(&self, dt: f64) -> Operators {
        self.alpha.dynamic(dt)
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: 4 * d.nu + 2 * d.ns, scratch: 2 * d.state() + 4 * d.nu + 2 * d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let d = k.sys.dims();
        let n = d.nu;
        cut!(k.h => a: n, sd: d.ns, p: n, pg: d.ns, a_p: n, m_p: n);
        rates(k.sys, 0, k.t, k.y, a, sd)?;
        k.sys.mul_mass(a, m_p);
        for i in 0..n {
            p[i] = -m_p[i];
        }
        pg.copy_from_slice(sd);
        a_p.copy_from_slice(a);
        Ok(())
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let Alpha { alpha_m, alpha_f, beta, gamma, .. } = self.alpha;
        let (d, f) = (sys.dims(), 1.0 - alpha_f);
        let (n, ns, ny) = (d.nu, d.ns, d.state());
        cut!(w => x: ny, shift: ny, q: n, a1: n, ma: n, mp: n, qg: ns, sd1: ns);
        cut!(y => u: n, v: n, s: ns);
        cut!(h => a: n, sd: ns, p: n, pg: ns, a_p: n, m_p: n);

        {
            cut!(&mut *x => xu: n, xv: n, xs: ns);
            cut!(&mut *shift => du: n, dv: n, ds: ns);
            du.fill(0.0);
            for i in 0..n {
                u[i] += dt * v[i] + (0.5 - beta) * dt * dt * a[i]; // ũ
                (xu[i], xv[i]) = (u[i], v[i] + dt * a[i]);
                v[i] += (1.0 - gamma) * dt * a[i]; // ṽ
                dv[i] = v[i] - xv[i];
            }
            for i in 0..ns {
                xs[i] = s[i] + dt * sd[i];
                s[i] += (1.0 - gamma) * dt * sd[i];
                ds[i] = s[i] - xs[i];
            }
        }
        let at = d.point(t + dt, x);
        sys.linearise(at)?;
        sys.force(at, Some(d.shift(shift)), q, qg)?;
        sys.mul_mass(a, ma);
        sys.mul_mass(a_p, mp);
        for i in 0..n {
            // p balances -M ā up to O(τ): what the mass matrix has changed since is made up for to second order.
            let p = p[i] + (m_p[i] - mp[i]);
            a1[i] = -alpha_m * ma[i] - alpha_f * p - f * q[i];
        }
        for i in 0..ns {
            sd1[i] = -alpha_m * sd[i] + alpha_f * pg[i] + f * qg[i];
        }
        sys.solve(1, a1, sd1);

        {
            cut!(&mut *shift => du: n, dv: n, ds: ns);
            for i in 0..n {
                (du[i], dv[i]) = (beta * dt * dt * a1[i], gamma * dt * a1[i]);
                u[i] += du[i];
                v[i] += dv[i];
            }
            for i in 0..ns {
                ds[i] = gamma * dt * sd1[i];
                s[i] += ds[i];
            }
            sys.mul_tangent(Shift { u: du, v: dv, s: ds }, p, pg);
        }
        for i in 0..n {
            p[i] += q[i];
        }
        for i in 0..ns {
            pg[i] += qg[i];
        }
        sys.mul_mass(a1, m_p);
        a.copy_from_slice(a1);
        a_p.copy_from_slice(a1);
        sd.copy_from_slice(sd1);
        Ok(())
    }
}
