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
use super::{Claims, Length, Operators, Phases, Scheme, State, start_rates};
use crate::{Dims, Fault, Mck};

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
        build: |_| Ok(ModelBased::cr().into()),
    },
    SchemeInfo {
        name: "kr-alpha",
        title: "Kolay and Ricles' explicit alpha method, with the damping of generalized-alpha",
        reference: "Kolay, Ricles, Earthq. Eng. Struct. Dyn. 43(9):1361-1380, 2014",
        parameters: &[RHO_INF],
        build: |a| Ok(ModelBased::kr_alpha(a.number(&RHO_INF, 0.8, unit_interval)?).into()),
    },
    SchemeInfo {
        name: "mkr-alpha",
        title: "modified KR-alpha method: more damping, and stable if the structure is stiffer than its tangent",
        reference: "Kolay, Ricles, J. Earthq. Eng. 23(5):771-792, 2019",
        parameters: &[RHO_INF],
        build: |a| Ok(ModelBased::mkr_alpha(a.number(&RHO_INF, 0.8, unit_interval)?).into()),
    },
];

impl Scheme for ModelBased {
    fn claims(&self) -> Claims {
        // With damping, a balances the forces of the late velocity.
        Claims { order: 2, order_frozen: 2, carries_acceleration: false, lag: self.alpha_m - self.alpha_f }
    }

    fn rates(&self, d: Dims) -> usize {
        2 * (d.nu + d.ns)
    }

    fn calm(&self) -> Option<AnyScheme> {
        Some(ModelBased::cr().into())
    }

    fn operators(&self, dt: f64) -> Operators {
        let ModelBased { alpha_m, alpha_f, beta, gamma } = *self;
        let a0 = Mck { m: 1.0, c: gamma * dt, k: beta * dt * dt };
        let g = Mck { m: 1.0 - alpha_m, c: (1.0 - alpha_f) * a0.c, k: (1.0 - alpha_f) * a0.k };
        // Without G⁻¹ in a₁, without G.
        Operators::new(&[Mck::MASS, a0, g][..if alpha_m == alpha_f { 2 } else { 3 }])
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let [a, b] = &mut p.history(["a", "b"], Length::V);
        p.require_mass()?;
        start_rates(p, y, a)?;
        weigh(p, a, b);
        Ok(())
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let ModelBased { alpha_m, alpha_f, gamma, .. } = *self;
        let (dt, end) = (p.dt(), 1.0 - alpha_f);
        let y = &mut p.state();
        let [a, b] = &mut p.history(["a", "b"], Length::V);
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let [q, e, me] = &mut p.scratch(["q", "e", "me"], Length::V);
        let [h, u_b, v_b, v_b1] =
            p.numbers([("h", dt), ("u_b", 0.5 * dt * dt), ("v_b", (1.0 - gamma) * dt), ("v_b1", gamma * dt)]);
        let [alpha_f, f, reach, sigma, mu] = p.numbers([
            ("alpha_f", alpha_f),
            ("f", end),
            ("reach", end * dt),
            ("sigma", alpha_f / end),
            ("mu", (alpha_m - alpha_f) / end),
        ]);

        p.linearise(0.0, y)?;
        let State { u, v } = y;
        p.fill(&mut shift.u, 0.0);
        p.update([u, &mut x.u], [v, b], |[u, _], [v, b]| {
            let u1 = u + h * v + u_b * b;
            [u1, alpha_f * u + f * u1]
        });
        p.update([v, &mut x.v, &mut shift.v], [b], |[v, ..], [b]| [v + v_b * b, v + reach * b, -(v_b1 * b)]);
        p.force(end, x, Some(shift), q)?;
        p.solve(0, q); // M q = f

        // a₁ = q + σ (q-a) + μ G⁻¹ M (q-a)
        p.update([a, e], [q], |[a, _], [q]| [q + sigma * (q - a), q - a]);
        if self.alpha_m != self.alpha_f {
            p.mul_mass(e, me);
            p.solve(2, me);
            p.update([a], [me], |[a], [me]| [a + mu * me]);
        }
        weigh(p, a, b);
        p.update([v], [b], |[v], [b]| [v + v_b1 * b]);
        Ok(())
    }
}

/// A₀ b = M a.
fn weigh<P: Phases>(p: &mut P, a: &P::Vector, b: &mut P::Vector) {
    p.mul_mass(a, b);
    p.solve(1, b);
}
