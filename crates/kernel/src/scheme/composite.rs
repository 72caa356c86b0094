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
//! History h = [a s'].   Solved for: a_γ with D = M + τC + τ²K, τ = γh/2, and a₁ with τ = h/c₃. Both halves are Newmark's method:
//! the first with (1/4, 1/2) and the step γh, the second with (1, 1) and the step τ from -(c₁ x + c₂ x_γ)/c₃ and a = 0.
//!
//! In one pass (`Composite`) a specimen sees both predictors, near t + γh and t + h; the rest goes through the tangent. Iterated
//! (`Iterated`) it is refused for a specimen, and laws with a memory stand after each half where its last iterate left them.
//! Deviations: in one pass velocities and states are evaluated at their full predictors, as in `alpha.rs`. Element states are
//! integrated as velocities are.

use super::alpha::{Alpha, Predictor};
use super::newton::Newton;
use super::registry::{
    AnyScheme, ArgumentError, Arguments, MAX_ITERATIONS, SchemeInfo, SchemeParameter, TOLERANCE, parameter,
};
use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
use crate::{Dims, Fault, Mck};

/// In one pass: two force evaluations and two solves per step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composite {
    /// γ: where the first half ends, in steps.
    pub gamma: f64,
}

impl Composite {
    /// γ of TR-BDF2, 2 - √2.
    pub const TR_BDF2: f64 = 2.0 - core::f64::consts::SQRT_2;

    /// c₁/c₃ and c₂/c₃.
    fn weights(&self) -> [f64; 2] {
        let g = self.gamma;
        [(1.0 - g) * (1.0 - g) / (g * (2.0 - g)), -1.0 / (g * (2.0 - g))]
    }

    /// τ of both halves: γh/2 and h/c₃.
    fn reaches(&self, dt: f64) -> [f64; 2] {
        let g = self.gamma;
        [0.5 * g * dt, if g == Self::TR_BDF2 { 0.5 * g * dt } else { (1.0 - g) / (2.0 - g) * dt }]
    }

    /// Slot of the second half: TR-BDF2 has one matrix.
    fn second(&self) -> usize {
        if self.gamma == Self::TR_BDF2 { 1 } else { 2 }
    }
}

impl Scheme for Composite {
    fn claims(&self) -> Claims {
        Claims { order: 2, order_frozen: 2, evaluations: Some(2), carries_acceleration: true }
    }

    fn lag(&self) -> f64 {
        0.0
    }

    fn rates(&self, d: Dims) -> usize {
        d.nu + d.ns
    }

    fn calm(&self) -> AnyScheme {
        (*self).into()
    }

    fn timed(&self) -> AnyScheme {
        (*self).into()
    }

    fn operators(&self, dt: f64) -> Operators {
        let [first, second] = self.reaches(dt).map(|tau| Mck { m: 1.0, c: tau, k: tau * tau });
        Operators::new(&[Mck::MASS, first, second][..=self.second()])
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: d.nu + d.ns, scratch: 3 * d.state() + d.nu + d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let (a, sd) = k.h.split_at_mut(k.sys.dims().nu);
        rates(k.sys, 0, k.t, k.y, a, sd)
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let d = sys.dims();
        let (n, ny) = (d.nu, d.state());
        let (inner, rest) = (self.gamma * dt, (1.0 - self.gamma) * dt);
        let ([tau, tau_1], [c1, c2]) = (self.reaches(dt), self.weights());
        cut!(w => middle: ny, x: ny, shift: ny, a: n, sd: d.ns);

        // Trapezoidal rule: x_γ = x + τ x' + τ x_γ', evaluated at x + γh x'.
        shift[..n].fill(0.0);
        for i in 0..n {
            x[i] = y[i] + inner * y[n + i] + tau * tau * h[i];
            middle[i] = x[i];
        }
        for i in n..ny {
            middle[i] = y[i] + tau * h[i - n];
            x[i] = y[i] + inner * h[i - n];
            shift[i] = middle[i] - x[i];
        }
        let at = d.point(t + inner, x);
        sys.linearise(at)?;
        sys.force(at, Some(d.shift(shift)), a, sd)?;
        a.iter_mut().for_each(|r| *r = -*r);
        sys.solve(1, a, sd); // D a_γ = -r
        advance(middle, tau, a, sd);

        // Backwards: x₁ = -(c₁ x + c₂ x_γ)/c₃ + τ x₁', evaluated at x_γ + (1-γ)h x_γ'.
        for i in 0..ny {
            y[i] = -(c1 * y[i] + c2 * middle[i]);
        }
        for i in 0..n {
            y[i] += tau_1 * y[n + i];
            x[i] = y[i];
            x[n + i] = middle[n + i] + rest * a[i];
        }
        for i in 2 * n..ny {
            x[i] = middle[i] + rest * sd[i - 2 * n];
        }
        for i in n..ny {
            shift[i] = y[i] - x[i];
        }
        let at = d.point(t + dt, x);
        sys.linearise(at)?;
        sys.force(at, Some(d.shift(shift)), a, sd)?;
        a.iter_mut().for_each(|r| *r = -*r);
        sys.solve(self.second(), a, sd); // D a₁ = -r
        advance(y, tau_1, a, sd);
        h[..n].copy_from_slice(a);
        h[n..].copy_from_slice(sd);
        Ok(())
    }
}

/// x += τ x', and τ² a for the displacements.
fn advance(x: &mut [f64], tau: f64, a: &[f64], sd: &[f64]) {
    let n = a.len();
    for i in 0..n {
        x[i] += tau * tau * a[i];
        x[n + i] += tau * a[i];
    }
    for (x, sd) in x[2 * n..].iter_mut().zip(sd) {
        *x += tau * sd;
    }
}

/// With Newton iterations in both halves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Iterated {
    /// The method.
    pub composite: Composite,
    /// Largest correction accepted as converged, relative to the motion.
    pub tolerance: f64,
    /// Iterations after which a half fails.
    pub max_iterations: u32,
}

impl Iterated {
    fn newmark(&self, beta: f64, gamma: f64) -> Newton {
        let alpha = Alpha::newmark(beta, gamma, Predictor::Full);
        Newton { alpha, tolerance: self.tolerance, max_iterations: self.max_iterations }
    }
}

impl Scheme for Iterated {
    fn claims(&self) -> Claims {
        Claims { evaluations: None, ..self.composite.claims() }
    }

    fn lag(&self) -> f64 {
        0.0
    }

    fn rates(&self, d: Dims) -> usize {
        d.nu + d.ns
    }

    fn calm(&self) -> AnyScheme {
        (*self).into()
    }

    fn timed(&self) -> AnyScheme {
        (*self).into()
    }

    fn operators(&self, dt: f64) -> Operators {
        self.composite.operators(dt)
    }

    fn memory(&self, d: Dims) -> Memory {
        let Memory { history, scratch } = self.newmark(0.25, 0.5).memory(d);
        Memory { history, scratch: scratch + d.state() }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        self.composite.start(k)
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let (before, w) = w.split_at_mut(y.len());
        before.copy_from_slice(y);
        let inner = self.composite.gamma * dt;
        let first = Step { t, dt: inner, y: &mut *y, h: &mut *h, w: &mut *w, sys: &mut *sys };
        self.newmark(0.25, 0.5).advance(1, t + inner, first)?;

        let ([_, tau], [c1, c2]) = (self.composite.reaches(dt), self.composite.weights());
        for (y, before) in y.iter_mut().zip(&*before) {
            *y = -(c1 * before + c2 * *y);
        }
        h.fill(0.0);
        self.newmark(1.0, 1.0).advance(self.composite.second(), t + dt, Step { t, dt: tau, y, h, w, sys })
    }
}

const SPLIT: SchemeParameter = parameter(
    "gamma",
    Some("0.5"),
    "a number from 0.1 to 0.9",
    "where the trapezoidal half of the step ends, as a share of it; 2 - sqrt(2) is tr-bdf2",
);

fn bathe(a: Arguments<'_>) -> Result<Composite, ArgumentError> {
    Ok(Composite { gamma: a.number(&SPLIT, 0.5, |g| (0.1..=0.9).contains(&g))? })
}

fn iterated(a: Arguments<'_>, composite: Composite) -> Result<AnyScheme, ArgumentError> {
    let (tolerance, max_iterations) = a.iterations()?;
    Ok(AnyScheme::Iterated(Iterated { composite, tolerance, max_iterations }))
}

const BATHE: &str = "Bathe, Comput. Struct. 85:437-445, 2007";
const BANK: &str = "Bank and others, IEEE Trans. Electron Devices 32(10):1992-2007, 1985";

/// Entries of the catalogue.
pub const INFO: [SchemeInfo; 4] = [
    SchemeInfo {
        name: "bathe",
        title: "Bathe's composite method in one pass: trapezoidal rule, then three points backwards; L-stable",
        reference: BATHE,
        parameters: &[SPLIT],
        build: |a| Ok(AnyScheme::Composite(bathe(a)?)),
    },
    SchemeInfo {
        name: "bathe-newton",
        title: "Bathe's composite method with Newton iterations",
        reference: BATHE,
        parameters: &[SPLIT, TOLERANCE, MAX_ITERATIONS],
        build: |a| iterated(a, bathe(a)?),
    },
    SchemeInfo {
        name: "tr-bdf2",
        title: "TR-BDF2 in one pass: the composite method with one matrix; L-stable",
        reference: BANK,
        parameters: &[],
        build: |_| Ok(AnyScheme::Composite(Composite { gamma: Composite::TR_BDF2 })),
    },
    SchemeInfo {
        name: "tr-bdf2-newton",
        title: "TR-BDF2 with Newton iterations",
        reference: BANK,
        parameters: &[TOLERANCE, MAX_ITERATIONS],
        build: |a| iterated(a, Composite { gamma: Composite::TR_BDF2 }),
    },
];
