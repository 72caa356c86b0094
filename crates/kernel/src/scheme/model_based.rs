//! CR, KR-α and MKR-α: explicit in the forces, unconditionally stable by weights made of the matrices of the model.
//!
//! C. Chen, J. M. Ricles, J. Eng. Mech. ASCE 134(8):676-683, 2008; C. Kolay, J. M. Ricles, Earthq. Eng. Struct. Dyn.
//! 43(9):1361-1380, 2014, and J. Earthq. Eng. 23(5):771-792, 2019. With A₀ = M + γh C + βh² K:
//!
//! ```text
//! A₀ b = M a
//! u₁ = u + h v + h²/2 b,   v₁ = v + (1-γ) h b + γh b₁
//! M q = -r(x_f),   u_f = (1-αf) u₁ + αf u,   v_f = v + (1-αf-γ) h b   at   t + (1-αf) h
//! (I-A₃) a₁ + A₃ a = q,   A₃ = A₀⁻¹ (αm M + αf (γh C + βh² K))
//! ```
//!
//! Order 2 for γ = 1/2 - αm + αf.   History h = [a s' b b_s].   Solved for: q, a₁ - q and b₁. With A₀ - A₀A₃ = G = (1-αm) M +
//! (1-αf)(γh C + βh² K) there is A₀A₃ = (αf G + (αm-αf) M) / (1-αf), so that
//! a₁ = q + [αf (q-a) + (αm-αf) G⁻¹ M (q-a)] / (1-αf).   CR is αm = αf = 0, β = 1/4: a₁ = q.
//!
//! KR-α has the characteristic polynomial of generalized-α. MKR-α (β = (1/2+γ)/2) has at infinity
//! (λ + αf/(1-αf)) (λ² + (1+αm-αf)/(1-αm+αf)): all three roots are of size ρ for αf = ρ/(1+ρ), αm - αf = (ρ²-1)/(ρ²+1), which
//! is the αm of the paper. For a structure K that is not the K of A₀ all of them stay stable if K <= K of A₀.
//!
//! A specimen sees u_f, once per step: the displacement itself with CR, a mean of two of them else.
//! Deviations: the published velocity is v̄ = v - γh b, that of t - γh. Started as v(0) it costs an order; v is that of t. (So is
//! v̄ + γh a, but for stiff modes it is a small difference of large numbers.) A damping force nonlinear in the velocity is evaluated
//! at v + (1-αf) h b and corrected along C to v_f, as in `alpha.rs`: identical for linear damping, second instead of first order
//! otherwise. Element states, absent in the papers, are integrated as velocities are. Unknowns without mass are refused: nothing in
//! the force of the step moves them.

use super::registry::{AnyScheme, RHO_INF, SchemeInfo, unit_interval};
use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
use crate::{Dims, Fault, Mck, System};

/// Weights of the family; those of `alpha.rs` for A₃ and A₀.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ModelBased {
    /// Weight of the old inertia force.
    pub alpha_m: f64,
    /// Weight of the old restoring force.
    pub alpha_f: f64,
    /// Weight of the stiffness in A₀.
    pub beta: f64,
    /// Weight of the damping in A₀.
    pub gamma: f64,
}

impl ModelBased {
    /// Chen and Ricles: the roots of the average acceleration method.
    pub const fn cr() -> Self {
        ModelBased { alpha_m: 0.0, alpha_f: 0.0, beta: 0.25, gamma: 0.5 }
    }

    /// KR-α with the spectral radius `rho_inf` at infinite frequency.
    pub const fn kr_alpha(rho_inf: f64) -> Self {
        let alpha_m = (2.0 * rho_inf - 1.0) / (rho_inf + 1.0);
        let alpha_f = rho_inf / (rho_inf + 1.0);
        let gamma = 0.5 - alpha_m + alpha_f;
        ModelBased { alpha_m, alpha_f, beta: 0.25 * (0.5 + gamma) * (0.5 + gamma), gamma }
    }

    /// MKR-α: more damping of the low frequencies, and stable where the structure is stiffer than the model says.
    pub const fn mkr_alpha(rho_inf: f64) -> Self {
        let alpha_f = rho_inf / (rho_inf + 1.0);
        let alpha_m = alpha_f + (rho_inf * rho_inf - 1.0) / (rho_inf * rho_inf + 1.0);
        let gamma = 0.5 - alpha_m + alpha_f;
        ModelBased { alpha_m, alpha_f, beta: 0.5 * (0.5 + gamma), gamma }
    }
}

/// Entries of the catalogue.
pub const INFO: [SchemeInfo; 3] = [
    SchemeInfo {
        name: "cr",
        title: "Chen and Ricles' explicit algorithm, unconditionally stable for linear structures",
        reference: "Chen, Ricles, J. Eng. Mech. ASCE 134(8):676-683, 2008",
        parameters: &[],
        build: |_| Ok(AnyScheme::ModelBased(ModelBased::cr())),
    },
    SchemeInfo {
        name: "kr-alpha",
        title: "Kolay and Ricles' explicit alpha method, with the damping of generalized-alpha",
        reference: "Kolay, Ricles, Earthq. Eng. Struct. Dyn. 43(9):1361-1380, 2014",
        parameters: &[RHO_INF],
        build: |a| Ok(AnyScheme::ModelBased(ModelBased::kr_alpha(a.number(&RHO_INF, 0.8, unit_interval)?))),
    },
    SchemeInfo {
        name: "mkr-alpha",
        title: "modified KR-alpha method: more damping, and bears a structure stiffer than its tangent",
        reference: "Kolay, Ricles, J. Earthq. Eng. 23(5):771-792, 2019",
        parameters: &[RHO_INF],
        build: |a| Ok(AnyScheme::ModelBased(ModelBased::mkr_alpha(a.number(&RHO_INF, 0.8, unit_interval)?))),
    },
];

/// The first unknown without mass: its row of M is empty, so that no product with it is anything but zero.
fn massless(sys: &dyn System, x: &mut [f64], mx: &mut [f64]) -> Option<usize> {
    for (i, x) in x.iter_mut().enumerate() {
        *x = 1.0 + (i % 89) as f64 / 89.0; // no two neighbours alike: terms of a row do not cancel
    }
    sys.mul_mass(x, mx);
    mx.iter().position(|m| *m == 0.0)
}

impl Scheme for ModelBased {
    fn claims(&self) -> Claims {
        // With damping, a balances the forces of the late velocity.
        Claims { order: 2, order_frozen: 2, evaluations: Some(1), carries_acceleration: false }
    }

    fn lag(&self) -> f64 {
        self.alpha_m - self.alpha_f
    }

    fn rates(&self, d: Dims) -> usize {
        self.memory(d).history
    }

    fn calm(&self) -> AnyScheme {
        if self.lag() == 0.0 { *self } else { ModelBased::cr() }.into()
    }

    fn timed(&self) -> AnyScheme {
        (*self).into()
    }

    fn operators(&self, dt: f64) -> Operators {
        let ModelBased { alpha_m, alpha_f, beta, gamma } = *self;
        let a0 = Mck { m: 1.0, c: gamma * dt, k: beta * dt * dt };
        let g = Mck { m: 1.0 - alpha_m, c: (1.0 - alpha_f) * a0.c, k: (1.0 - alpha_f) * a0.k };
        // Without G⁻¹ in a₁, without G.
        Operators::new(&[Mck::MASS, a0, g][..if alpha_m == alpha_f { 2 } else { 3 }])
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: 2 * (d.nu + d.ns), scratch: 2 * d.state() + 3 * d.nu + 2 * d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let Dims { nu: n, ns } = k.sys.dims();
        cut!(k.w => x: n, mx: n);
        if let Some(dof) = massless(k.sys, x, mx) {
            return Err(Fault::Singular { dof });
        }
        cut!(k.h => a: n, sd: ns, b: n, bs: ns);
        rates(k.sys, 0, k.t, k.y, a, sd)?;
        weigh(k.sys, a, sd, b, bs);
        Ok(())
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let ModelBased { alpha_m, alpha_f, gamma, .. } = *self;
        let (d, f) = (sys.dims(), 1.0 - alpha_f);
        let (n, ns, ny) = (d.nu, d.ns, d.state());
        cut!(w => x: ny, shift: ny, q: n, e: n, me: n, qs: ns, es: ns);
        sys.linearise(d.point(t, y))?;
        cut!(y => u: n, v: n, s: ns);
        cut!(h => a: n, sd: ns, b: n, bs: ns);
        {
            cut!(&mut *x => xu: n, xv: n, xs: ns);
            cut!(&mut *shift => du: n, dv: n, ds: ns);
            du.fill(0.0);
            for i in 0..n {
                let u1 = u[i] + dt * v[i] + 0.5 * dt * dt * b[i];
                xu[i] = alpha_f * u[i] + f * u1;
                xv[i] = v[i] + f * dt * b[i];
                dv[i] = -gamma * dt * b[i]; // to v_f
                u[i] = u1;
                v[i] += (1.0 - gamma) * dt * b[i];
            }
            for i in 0..ns {
                xs[i] = s[i] + f * dt * bs[i];
                ds[i] = -gamma * dt * bs[i];
                s[i] += (1.0 - gamma) * dt * bs[i];
            }
        }
        sys.force(d.point(t + f * dt, x), Some(d.shift(shift)), q, qs)?;
        q.iter_mut().for_each(|r| *r = -*r);
        sys.solve(0, q, qs); // M q = -r

        // a₁ = q + σ (q-a) + μ G⁻¹ M (q-a)
        let (sigma, mu) = (alpha_f / f, (alpha_m - alpha_f) / f);
        for i in 0..n {
            e[i] = q[i] - a[i];
            a[i] = q[i] + sigma * e[i];
        }
        for i in 0..ns {
            es[i] = qs[i] - sd[i];
            sd[i] = qs[i] + sigma * es[i];
        }
        if mu != 0.0 {
            sys.mul_mass(e, me);
            sys.solve(2, me, es);
            for i in 0..n {
                a[i] += mu * me[i];
            }
            for i in 0..ns {
                sd[i] += mu * es[i];
            }
        }
        weigh(sys, a, sd, b, bs);
        for i in 0..n {
            v[i] += gamma * dt * b[i];
        }
        for i in 0..ns {
            s[i] += gamma * dt * bs[i];
        }
        Ok(())
    }
}

/// A₀ b = M a.
fn weigh(sys: &mut dyn System, a: &[f64], sd: &[f64], b: &mut [f64], bs: &mut [f64]) {
    sys.mul_mass(a, b);
    bs.copy_from_slice(sd);
    sys.solve(1, b, bs);
}
