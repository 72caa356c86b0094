//! The generalized-α family with Newton iterations on the acceleration; with β = 1/4, γ = 1/2 the constant
//! average acceleration method (CAAM) of papers 000 and 001.
//!
//! Balance equation and references as in `alpha.rs`. Order 2 for γ = 1/2 - αm + αf.
//! History h = [a s'].   Solved for: increments of a₁.   D as in `alpha.rs`, taken at each iterate when
//! the tangent policy is exact (full Newton), else kept (modified Newton).
//!
//! A correction that is small and no longer shrinks is what rounding leaves of the forces: where stiffnesses are far apart it
//! stays above any tolerance, and the step is as good as it gets.
//!
//! Iterates, so it is refused for a specimen, which cannot be rewound. Laws that evaluations move are: every iterate moves
//! them from where the step began, and what they remember of the last one is where they stand after the step.
//! Deviations: none.

use super::alpha::Alpha;
use super::registry::AnyScheme;
use super::{Claims, Memory, Operators, Scheme, Step, cut};
use crate::fault::Place;
use crate::{Dims, Fault};

/// Iterated member of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newton {
    /// Parameters (its predictor is not used).
    pub alpha: Alpha,
    /// Largest correction accepted as converged, relative to the motion.
    pub tolerance: f64,
    /// Iterations after which the step fails.
    pub max_iterations: u32,
}

/// Relative corrections below this end the iteration as soon as they do not shrink any more.
const ROUNDING: f64 = 1e-6;

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| if x.abs() > m || x.is_nan() { x.abs() } else { m })
}

impl Scheme for Newton {
    fn claims(&self) -> Claims {
        let order = self.alpha.order();
        Claims { order, order_frozen: order, evaluations: None, carries_acceleration: self.alpha.is_newmark() }
    }

    fn lag(&self) -> f64 {
        self.alpha.lag()
    }

    fn rates(&self, d: Dims) -> usize {
        d.nu + d.ns
    }

    fn calm(&self) -> AnyScheme {
        let alpha = if self.lag() == 0.0 { self.alpha } else { Alpha::newmark(0.25, 0.5, self.alpha.predictor) };
        Newton { alpha, ..*self }.into()
    }

    fn timed(&self) -> AnyScheme {
        (*self).into()
    }

    fn operators(&self, dt: f64) -> Operators {
        self.alpha.dynamic(dt)
    }

    fn memory(&self, d: Dims) -> Memory {
        Memory { history: d.nu + d.ns, scratch: 2 * d.state() + 3 * d.nu + 2 * d.ns }
    }

    fn start(&self, k: Step<'_>) -> Result<(), Fault> {
        self.alpha.start(k)
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        self.advance(1, k.t + (1.0 - self.alpha.alpha_f) * k.dt, k)
    }
}

impl Newton {
    /// One step whose forces are those of time `t`, solved for with the matrix of this slot.
    pub(super) fn advance(&self, slot: usize, t: f64, k: Step<'_>) -> Result<(), Fault> {
        let Step { dt, y, h, w, sys, .. } = k;
        let Alpha { alpha_m, alpha_f, beta, gamma, .. } = self.alpha;
        let (d, f) = (sys.dims(), 1.0 - alpha_f);
        let (n, ny) = (d.nu, d.state());
        cut!(w => x1: ny, x: ny, rate: n + d.ns, b: n, bs: d.ns, inertia: n);

        sys.commit();
        rate.copy_from_slice(h); // first guess: a₁ = a, s₁' = s'
        let (mut first, mut before) = (0.0, f64::INFINITY);
        for iteration in 1..=self.max_iterations {
            for i in 0..n {
                let (u, v, a, a1) = (y[i], y[n + i], h[i], rate[i]);
                x1[i] = u + dt * v + dt * dt * ((0.5 - beta) * a + beta * a1);
                x1[n + i] = v + dt * ((1.0 - gamma) * a + gamma * a1);
            }
            for i in 2 * n..ny {
                x1[i] = y[i] + dt * ((1.0 - gamma) * h[i - n] + gamma * rate[i - n]);
            }
            for i in 0..ny {
                x[i] = alpha_f * y[i] + f * x1[i];
            }
            let at = d.point(t, x);
            sys.rewind();
            sys.linearise(at)?;
            sys.force(at, None, b, bs)?;
            // -residual = -r - M [(1-αm) a₁ + αm a]
            for i in 0..n {
                x[i] = (1.0 - alpha_m) * rate[i] + alpha_m * h[i];
            }
            sys.mul_mass(&x[..n], inertia);
            for i in 0..n {
                b[i] = -b[i] - inertia[i];
            }
            for i in 0..d.ns {
                bs[i] -= (1.0 - alpha_m) * rate[n + i] + alpha_m * h[n + i];
            }
            sys.solve(slot, b, bs);
            if let Some(index) = b.iter().position(|x| !x.is_finite()) {
                return Err(Fault::NonFinite { place: Place::Displacement, index });
            }
            if let Some(index) = bs.iter().position(|x| !x.is_finite()) {
                return Err(Fault::NonFinite { place: Place::State, index });
            }
            for i in 0..n {
                rate[i] += b[i];
            }
            for i in 0..d.ns {
                rate[n + i] += bs[i];
            }
            // Corrections measured as motions, so that a structure at rest under load converges too.
            let (da, ds) = (dt * dt * largest(b), dt * largest(bs));
            let u_size = largest(&x1[..n]) + dt * largest(&x1[n..2 * n]) + dt * dt * largest(&rate[..n]);
            let s_size = largest(&x1[2 * n..]) + dt * largest(&rate[n..]);
            let size = (da / u_size.max(f64::MIN_POSITIVE)).max(ds / s_size.max(f64::MIN_POSITIVE));
            let settled = size <= ROUNDING && size >= before;
            before = size;
            if da <= self.tolerance * u_size && ds <= self.tolerance * s_size || settled {
                for i in 0..n {
                    y[i] += dt * y[n + i] + dt * dt * ((0.5 - beta) * h[i] + beta * rate[i]);
                    y[n + i] += dt * ((1.0 - gamma) * h[i] + gamma * rate[i]);
                }
                for i in 2 * n..ny {
                    y[i] += dt * ((1.0 - gamma) * h[i - n] + gamma * rate[i - n]);
                }
                h.copy_from_slice(rate);
                return Ok(());
            }
            if iteration == 1 {
                first = size;
            }
            if iteration == self.max_iterations {
                return Err(Fault::NoConvergence { iterations: iteration, residual: size / first });
            }
        }
        Err(Fault::NoConvergence { iterations: 0, residual: 1.0 })
    }
}
