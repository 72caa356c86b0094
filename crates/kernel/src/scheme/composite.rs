//! Bathe's method and TR-BDF2: the trapezoidal rule to t + γh, then three points backwards over (t, t + γh, t + h).
//!
//! K. J. Bathe, Comput. Struct. 85:437-445, 2007 (γ = 1/2); R. E. Bank and others, IEEE Trans. Electron Devices 32(10):1992-2007,
//! 1985 (γ = 2-√2, for which both solves have the same matrix). With c₁ = (1-γ)/γ, c₂ = -1/((1-γ)γ), c₃ = (2-γ)/(1-γ):
//!
//! ```text
//! M a_γ + r(u_γ, v_γ, t + γh) = 0,   x_γ = x + γh/2 (x' + x_γ')
//! M a₁ + r(u₁, v₁, t + h) = 0,       h x₁' = c₁ x + c₂ x_γ + c₃ x₁
//! ```
//!
//! Order 2, L-stable for every γ: ρ² = (c₃² + Ω²d²) / ((c₃² + Ω²)(1 + γ²Ω²/4)), d = ((1-γ)² + 1) / (2(1-γ)), and d² = 1 + γ²c₃²/4.
//! History h = [a s'].   Solved for: a_γ with D = M + τC + τ²K, τ = γh/2, and a₁ with τ = h/c₃. Both halves
//! are x = x̃ + τ x': x̃ = x + τ x' in the first, -(c₁ x + c₂ x_γ)/c₃ in the second.
//!
//! In one pass a specimen sees both predictors, near t + γh and t + h; the rest goes through the tangent. Iterated it is refused for
//! a specimen, and laws with a memory stand after each half where its last iterate left them.
//! Deviations: in one pass velocities and states are evaluated at their full predictors, as in `alpha.rs`. Element states are
//! integrated as velocities are.

use super::registry::{ArgumentError, Arguments, MAX_ITERATIONS, SchemeInfo, SchemeParameter, TOLERANCE, parameter};
use super::{Claims, Length, Limits, Operators, Phases, Scheme, State, start_rates};
use crate::{Fault, Mck};

/// The method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composite {
    /// γ: where the first half ends, in steps.
    pub gamma: f64,
    /// When the iterations of a half end; none are made in one pass.
    pub newton: Option<Limits>,
}

impl Composite {
    /// γ of TR-BDF2, 2 - √2.
    pub const TR_BDF2: f64 = 2.0 - core::f64::consts::SQRT_2;

    /// τ of both halves: γh/2 and h/c₃.
    fn reaches(&self, dt: f64) -> [f64; 2] {
        let g = self.gamma;
        [0.5 * g * dt, if g == Self::TR_BDF2 { 0.5 * g * dt } else { (1.0 - g) / (2.0 - g) * dt }]
    }

    /// Slot of the second half: TR-BDF2 has one matrix.
    fn second(&self) -> usize {
        if self.gamma == Self::TR_BDF2 { 1 } else { 2 }
    }

    /// The end of a half: `a` becomes what balances the forces of this time at x̃ + τ a, and `to` = x̃ becomes that point. One pass
    /// evaluates velocities and states at `x.v` and goes along the tangent from there; iterations begin with the `a` they find.
    fn balance<P: Phases>(
        &self,
        p: &mut P,
        (time, slot, [tau, tau2]): (f64, usize, [P::Number; 2]),
        to: &mut State<P::Vector>,
        a: &mut P::Vector,
        Work { x, shift, inertia }: &mut Work<P::Vector>,
    ) -> Result<(), Fault> {
        match self.newton {
            None => {
                p.copy(&to.u, &mut x.u);
                p.fill(&mut shift.u, 0.0);
                p.update([&mut shift.v], [&to.v, &x.v], |_, [to, x]| [to - x]);
                p.linearise(time, x)?;
                p.force(time, x, Some(shift), a)?;
                p.solve(slot, a);
            }
            Some(limits) => p.iterate(limits, |p| {
                p.update([&mut x.u], [&to.u, a], |_, [u, a]| [u + tau2 * a]);
                p.update([&mut x.v], [&to.v, a], |_, [v, a]| [v + tau * a]);
                p.linearise(time, x)?;
                let b = &mut shift.v;
                p.force(time, x, None, b)?;
                p.mul_mass(a, inertia);
                p.update([b], [inertia], |[b], [inertia]| [b - inertia]);
                p.solve(slot, b);
                p.update([a], [b], |[a], [b]| [a + b]);
                p.measure(b, x, a)
            })?,
        }
        p.update([&mut to.u], [a], |[u], [a]| [u + tau2 * a]);
        p.update([&mut to.v], [a], |[v], [a]| [v + tau * a]);
        Ok(())
    }
}

/// What a half works with.
struct Work<V> {
    x: State<V>,
    shift: State<V>,
    inertia: V,
}

impl Scheme for Composite {
    fn claims(&self) -> Claims {
        Claims { order: 2, order_frozen: 2, carries_acceleration: true, lag: 0.0 }
    }

    fn operators(&self, dt: f64) -> Operators {
        let [first, second] = self.reaches(dt).map(|tau| Mck { m: 1.0, c: tau, k: tau * tau });
        Operators::new(&[Mck::MASS, first, second][..=self.second()])
    }

    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let y = &p.state();
        let [a] = &mut p.history(["a"], Length::V);
        start_rates(p, y, a)
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let (dt, g) = (p.dt(), self.gamma);
        let y = &mut p.state();
        let [a] = &mut p.history(["a"], Length::V);
        let [middle, x, shift] = p.scratch_states([["m_u", "m_v"], ["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let [inertia] = p.scratch(["inertia"], Length::V);
        let (middle, work) = (&mut { middle }, &mut Work { x, shift, inertia });
        let [tau, tau_1] = self.reaches(dt);
        let [inner, tau, tau2] = p.numbers([("inner", g * dt), ("tau", tau), ("tau2", tau * tau)]);
        let [rest, tau_1, tau2_1] = p.numbers([("rest", (1.0 - g) * dt), ("tau_1", tau_1), ("tau2_1", tau_1 * tau_1)]);
        let c3 = g * (2.0 - g); // of γ (1-γ) c
        let [c1, c2] = p.numbers([("c1", -(1.0 - g) * (1.0 - g) / c3), ("c2", 1.0 / c3)]);

        // Trapezoidal rule: x̃ = x + τ x', evaluated at x + γh x'.
        p.update([&mut middle.u], [&y.u, &y.v, a], |_, [u, v, a]| [u + inner * v + tau2 * a]);
        p.update([&mut middle.v, &mut work.x.v], [&y.v, a], |_, [v, a]| [v + tau * a, v + inner * a]);
        self.balance(p, (g, 1, [tau, tau2]), middle, a, work)?;

        // Backwards: x̃ = -(c₁ x + c₂ x_γ)/c₃, evaluated at x_γ + (1-γ)h x_γ'.
        p.update_states([y], [middle], |[y], [middle]| [c1 * y + c2 * middle]);
        let State { u, v } = y;
        p.update([u], [v], |[u], [v]| [u + tau_1 * v]);
        p.update([&mut work.x.v], [&middle.v, a], |_, [v, a]| [v + rest * a]);
        self.balance(p, (1.0, self.second(), [tau_1, tau2_1]), y, a, work)
    }
}

const SPLIT: SchemeParameter = parameter(
    "gamma",
    Some("0.5"),
    "a number from 0.1 to 0.9",
    "end of the trapezoidal substep, as a fraction of the step; 2 - sqrt(2) is tr-bdf2",
);

fn bathe(a: Arguments<'_>) -> Result<f64, ArgumentError> {
    a.number(&SPLIT, 0.5, |g| (0.1..=0.9).contains(&g))
}

const BATHE: &str = "Bathe, Comput. Struct. 85:437-445, 2007";
const BANK: &str = "Bank and others, IEEE Trans. Electron Devices 32(10):1992-2007, 1985";

/// Entries of the catalogue.
pub const INFO: [SchemeInfo; 4] = [
    SchemeInfo {
        name: "bathe",
        title: "Bathe's composite method in one pass: trapezoidal rule, then three-point backward Euler; L-stable",
        reference: BATHE,
        parameters: &[SPLIT],
        build: |a| Ok(Composite { gamma: bathe(a)?, newton: None }.into()),
    },
    SchemeInfo {
        name: "bathe-newton",
        title: "Bathe's composite method with Newton iterations",
        reference: BATHE,
        parameters: &[SPLIT, TOLERANCE, MAX_ITERATIONS],
        build: |a| Ok(Composite { gamma: bathe(a)?, newton: Some(a.limits()?) }.into()),
    },
    SchemeInfo {
        name: "tr-bdf2",
        title: "TR-BDF2 in one pass: the composite method with one matrix; L-stable",
        reference: BANK,
        parameters: &[],
        build: |_| Ok(Composite { gamma: Composite::TR_BDF2, newton: None }.into()),
    },
    SchemeInfo {
        name: "tr-bdf2-newton",
        title: "TR-BDF2 with Newton iterations",
        reference: BANK,
        parameters: &[TOLERANCE, MAX_ITERATIONS],
        build: |a| Ok(Composite { gamma: Composite::TR_BDF2, newton: Some(a.limits()?) }.into()),
    },
];
