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

use super::registry::AnyScheme;
use super::{Claims, Memory, Operators, Scheme, Step, cut, rates};
use crate::{Dims, Fault, Mck, Shift};

/// Chang (2002).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chang;

impl Scheme for Chang {
    fn claims(&self) -> Claims {
        Claims { order: 2, order_frozen: 2, evaluations: Some(1), carries_acceleration: true }
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
        Operators::new(&[
            Mck::MASS,
            Mck { m: 1.0, c: 0.5 * dt, k: 0.25 * dt * dt },
            Mck { m: 1.0, c: 0.5 * dt, k: 0.0 },
        ])
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: d.nu + d.ns, scratch: 2 * d.state() + 3 * d.nu + 3 * d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        let (a, sd) = k.h.split_at_mut(k.sys.dims().nu);
        rates(k.sys, 0, k.t, k.y, a, sd)
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, h, w, sys } = k;
        let d = sys.dims();
        let (n, ny, ns) = (d.nu, d.state(), d.ns);
        cut!(w => x: ny, shift: ny, b: n, mv: n, cv: n, bs: ns, zero: ns, gc: ns);

        // D (u₁ - u) = h (M + h/2 C) v + h²/2 M a
        sys.linearise(d.point(t, y))?;
        for i in 0..n {
            x[i] = dt * y[n + i] + 0.5 * dt * dt * h[i];
            shift[n + i] = 0.5 * dt * dt * y[n + i];
        }
        sys.mul_mass(&x[..n], mv);
        shift[..n].fill(0.0);
        zero.fill(0.0);
        sys.mul_tangent(Shift { u: &shift[..n], v: &shift[n..2 * n], s: zero }, cv, gc);
        for i in 0..n {
            b[i] = mv[i] + cv[i];
        }
        bs.fill(0.0);
        sys.solve(1, b, bs);

        for i in 0..n {
            let (v, a) = (y[n + i], h[i]);
            x[i] = y[i] + b[i]; // u₁
            x[n + i] = v + dt * a;
            shift[n + i] = -0.5 * dt * a; // back to v + h/2 a
        }
        for i in 2 * n..ny {
            x[i] = y[i] + dt * h[i - n];
            shift[i] = -0.5 * dt * h[i - n];
        }
        sys.force(d.point(t + dt, x), Some(d.shift(shift)), b, bs)?;
        b.iter_mut().for_each(|r| *r = -*r);
        sys.solve(2, b, bs); // (M + h/2 C) a₁ = -r(u₁, v + h/2 a)
        y[..n].copy_from_slice(&x[..n]);
        for i in 0..n {
            y[n + i] += 0.5 * dt * (h[i] + b[i]);
        }
        for i in 0..ns {
            y[2 * n + i] += 0.5 * dt * (h[n + i] + bs[i]);
        }
        h[..n].copy_from_slice(b);
        h[n..].copy_from_slice(bs);
        Ok(())
    }
}
