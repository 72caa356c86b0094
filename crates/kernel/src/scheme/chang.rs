//! Chang's explicit pseudodynamic algorithm, unconditionally stable for linear structures.
//!
//! S. Y. Chang, J. Eng. Mech. ASCE 128(9):935-947, 2002; paper 001, comparison of Fig. 3:
//!
//! ```text
//! u₁ = u + h β₁ v + h² β₂ a,   β₁ = D⁻¹ (M + h/2 C),   β₂ = D⁻¹ M / 2,   D = M + h/2 C + h²/4 K₀
//! (M + h/2 C) a₁ = f₁ - r(u₁) - C (v + h/2 a),   v₁ = v + h/2 (a + a₁)
//! ```
//!
//! Order 2, no numerical damping (equal to the trapezoidal rule for linear structures).
//! History h = [a s'].   Solved for: u₁ - u, then a₁.
//! A specimen sees u₁ itself, once per step.
//! Deviations: a damping force nonlinear in the velocity is evaluated at v + h a and corrected along C,
//! as in `alpha.rs`; element states, absent in the paper, are integrated as velocities are.

use super::{Claims, Length, Operators, Phases, Scheme, start_rates};
use crate::{Fault, Mck};

/// Chang (2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chang;

impl Scheme for Chang {
    fn claims(&self) -> Claims {
        Claims { order: 2, order_frozen: 2, carries_acceleration: true, lag: 0.0 }
    }

    fn operators(&self, dt: f64) -> Operators {
        Operators::new(&[
            Mck::MASS,
            Mck { m: 1.0, c: 0.5 * dt, k: 0.25 * dt * dt },
            Mck { m: 1.0, c: 0.5 * dt, k: 0.0 },
        ])
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let [a] = &mut p.history(["a"], Length::V);
        start_rates(p, y, a)
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let dt = p.dt();
        let y = &mut p.state();
        let [a] = &mut p.history(["a"], Length::V);
        let [x, shift] = &mut p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let ([mv], [b, cv]) = (&mut p.scratch(["mv"], Length::U), &mut p.scratch(["b", "cv"], Length::V));
        let [h, half_h, half_h2, back] =
            p.numbers([("h", dt), ("half_h", 0.5 * dt), ("half_h2", 0.5 * dt * dt), ("back", -0.5 * dt)]);

        // D (u₁ - u) = h (M + h/2 C) v + h²/2 M a; element states stay out of it.
        p.linearise(0.0, y)?;
        p.fill(&mut shift.u, 0.0);
        p.fill(&mut shift.v, 0.0);
        p.fill(b, 0.0);
        p.update([&mut x.u, &mut shift.v], [&y.v, a], |_, [v, a]| [h * v + half_h2 * a, half_h2 * v]);
        p.mul_mass(&x.u, mv);
        p.mul_tangent(shift, cv); // the forces of damping: -C
        p.update([b], [mv, cv], |_, [mv, cv]| [mv - cv]);
        p.solve(1, b);

        p.update([&mut x.u], [&y.u, b], |_, [u, b]| [u + b]); // u₁
        p.update([&mut x.v, &mut shift.v], [&y.v, a], |_, [v, a]| [v + h * a, back * a]); // back to v + h/2 a
        p.force(1.0, x, Some(shift), b)?;
        p.solve(2, b); // (M + h/2 C) a₁ = f(u₁, v + h/2 a)
        p.copy(&x.u, &mut y.u);
        p.update([&mut y.v], [a, b], |[v], [a, a1]| [v + half_h * (a + a1)]);
        p.copy(b, a);
        Ok(())
    }
}
