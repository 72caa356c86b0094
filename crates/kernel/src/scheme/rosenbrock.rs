//! Rosenbrock methods for real-time integration: LSRT1, LSRT2, a three-stage method of third order, and
//! any other tableau.
//!
//! O. S. Bursi, A. Gonzalez-Buelga, L. Vulcan, D. J. Wagg, Earthq. Eng. Struct. Dyn. 37(3):339-360, 2008; paper 000, eq.
//! (2.2)-(2.5), paper 002, eq. (1)-(5). One linear solve and one force evaluation per stage, one factorisation per step,
//! no derivative of f with respect to time (but see `StageTimes`: ROS3P and RODAS3 of the literature have it).
//! History h = [] (none).   Solved for: k_v of each stage.   D = M + γh C + (γh)² K.
//!
//! A specimen sees the stage points, which lie inside or at the start of the step.
//! Deviations from the papers: eq. (2.2) of 000 misprints the bracket as a factor on the right; the
//! velocity rows are multiplied by M and the displacement rows eliminated, so that a stage is one n x n
//! solve (book: rosenbrock 1); the three-stage method is derived in this project, not published (book: rosenbrock 4). With
//! `StageTimes::Shifted` stage i sees the time t + (α_i + γ_i) h, γ_i = γ + Σ γ_ij, which puts back the term of df/dt to
//! second order: the passive couplings need it (book: rosenbrock 3, passivity 3.3). The states of the stages stay where they are.

use super::{Claims, Memory, Operators, Scheme, Step, cut};
use crate::{Dims, Fault, Mck, System};

/// Most stages a tableau may have.
pub const MAX_STAGES: usize = 6;

/// At which time a stage is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageTimes {
    /// t + α_i h, where its point is.
    Published,
    /// t + (α_i + γ_i) h, the stage of the method for the augmented autonomous system.
    Shifted,
    /// t + α_i h, with the term γ_i h² ∂f/∂t at (y, t): the methods of the literature, which keep their order under loads.
    Derivative,
}

/// Coefficients of  [I - γhJ] k_i = h f(y + Σ α_ij k_j, t_i) + hJ Σ γ_ij k_j,  y_1 = y + Σ b_i k_i.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rosenbrock {
    /// Number of stages.
    pub stages: usize,
    /// Diagonal coefficient γ.
    pub gamma: f64,
    /// α_ij, j < i.
    pub alpha: [[f64; MAX_STAGES]; MAX_STAGES],
    /// γ_ij, j < i.
    pub gammas: [[f64; MAX_STAGES]; MAX_STAGES],
    /// Weights.
    pub b: [f64; MAX_STAGES],
    /// The times t_i.
    pub time: StageTimes,
}

/// Where a stage wants to know the forces; a coupling comes between this and the solve.
pub struct Aim<'a> {
    /// The point y + Σ α_ij k_j, [u v s].
    pub x: &'a mut [f64],
    /// The way along the tangent from there.
    pub shift: &'a mut [f64],
    /// b_u, the part of the displacement increment that is known before the solve.
    pub bu: &'a mut [f64],
}

const ZERO: [[f64; MAX_STAGES]; MAX_STAGES] = [[0.0; MAX_STAGES]; MAX_STAGES];

impl Rosenbrock {
    /// γ = 1 - √2/2, the L-stable value of LSRT2 with little damping of the low modes ("minus").
    pub const GAMMA_MINUS: f64 = 1.0 - core::f64::consts::FRAC_1_SQRT_2;
    /// γ = 1 + √2/2, the other L-stable value of LSRT2 ("plus").
    pub const GAMMA_PLUS: f64 = 1.0 + core::f64::consts::FRAC_1_SQRT_2;

    /// LSRT1, the linearly implicit Euler method: order 1, L-stable.
    pub const fn lsrt1() -> Self {
        Rosenbrock {
            stages: 1,
            gamma: 1.0,
            alpha: ZERO,
            gammas: ZERO,
            b: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            time: StageTimes::Published,
        }
    }

    /// LSRT2: order 2 for every γ and every Jacobian, A-stable for γ >= 1/4, L-stable for γ = 1 ± √2/2.
    pub const fn lsrt2(gamma: f64) -> Self {
        let (mut alpha, mut gammas) = (ZERO, ZERO);
        alpha[1][0] = 0.5;
        gammas[1][0] = -gamma;
        Rosenbrock { stages: 2, gamma, alpha, gammas, b: [0.0, 1.0, 0.0, 0.0, 0.0, 0.0], time: StageTimes::Published }
    }

    /// Three stages at 0, 1/3 and 2/3 of the step, order 3 (exact Jacobian), L-stable. Derived for this
    /// project: the order conditions, including those that replace the missing df/dt term, with the
    /// free split α_31 = 0.
    pub const fn three_stage() -> Self {
        // Root of γ³ - 3γ² + 3γ/2 - 1/6, for which R(∞) = 0.
        let g = 0.435_866_521_508_459;
        let beta21 = (1.0 - 6.0 * g + 6.0 * g * g) / (1.0 - 3.0 * g) / 3.0;
        let beta32 = 2.0 / 3.0 - 2.0 * g;
        let beta31 = 4.0 / 3.0 * (0.5 - g) - beta32;
        let (mut alpha, mut gammas) = (ZERO, ZERO);
        alpha[1][0] = 1.0 / 3.0;
        alpha[2][1] = 2.0 / 3.0;
        gammas[1][0] = beta21 - 1.0 / 3.0;
        gammas[2][0] = beta31;
        gammas[2][1] = beta32 - 2.0 / 3.0;
        Rosenbrock {
            stages: 3,
            gamma: g,
            alpha,
            gammas,
            b: [0.25, 0.0, 0.75, 0.0, 0.0, 0.0],
            time: StageTimes::Published,
        }
    }

    /// ROS3P: three stages, order 3, A-stable, R(∞) = 0.73; no order reduction in parabolic problems.
    /// J. Lang, J. Verwer, BIT 41(4):731-738, 2001.
    pub const fn ros3p() -> Self {
        let g = 0.788_675_134_594_812_9; // 1/2 + √3/6
        let (mut alpha, mut gammas) = (ZERO, ZERO);
        alpha[1][0] = 1.0;
        alpha[2][0] = 1.0;
        gammas[1][0] = -1.0;
        gammas[2][0] = -g;
        gammas[2][1] = 0.5 - 2.0 * g;
        let b = [2.0 / 3.0, 0.0, 1.0 / 3.0, 0.0, 0.0, 0.0];
        Rosenbrock { stages: 3, gamma: g, alpha, gammas, b, time: StageTimes::Derivative }
    }

    /// RODAS3: four stages, order 3, L-stable and stiffly accurate.
    /// A. Sandu and others, Atmos. Environ. 31(20):3459-3472, 1997.
    pub const fn rodas3() -> Self {
        let (mut alpha, mut gammas) = (ZERO, ZERO);
        alpha[2][0] = 1.0;
        alpha[3][0] = 0.75;
        alpha[3][1] = -0.25;
        alpha[3][2] = 0.5;
        gammas[1][0] = 1.0;
        gammas[2][0] = -0.25;
        gammas[2][1] = -0.25;
        gammas[3][0] = 1.0 / 12.0;
        gammas[3][1] = 1.0 / 12.0;
        gammas[3][2] = -2.0 / 3.0;
        let b = [5.0 / 6.0, -1.0 / 6.0, -1.0 / 6.0, 0.5, 0.0, 0.0];
        Rosenbrock { stages: 4, gamma: 0.5, alpha, gammas, b, time: StageTimes::Derivative }
    }

    /// The same method with the term of ∂f/∂t.
    pub const fn with_derivative(self) -> Self {
        Rosenbrock { time: StageTimes::Derivative, ..self }
    }

    /// The same method with the times of its stages shifted.
    pub const fn shifted(self) -> Self {
        Rosenbrock { time: StageTimes::Shifted, ..self }
    }

    /// α_i: where the point of stage i lies in the step.
    pub fn place(&self, i: usize) -> f64 {
        self.alpha[i][..i].iter().sum()
    }

    /// (t_i - t) / h.
    pub fn time_of(&self, i: usize) -> f64 {
        match self.time {
            StageTimes::Published | StageTimes::Derivative => self.place(i),
            StageTimes::Shifted => self.place(i) + self.shift(i),
        }
    }

    /// γ_i = γ + Σ γ_ij.
    fn shift(&self, i: usize) -> f64 {
        self.gamma + self.gammas[i][..i].iter().sum::<f64>()
    }

    /// Aims stage `i`, given the increments of the stages `done` before it.
    #[inline]
    pub fn aim(&self, i: usize, dt: f64, y: &[f64], done: &[f64], aim: &mut Aim<'_>) {
        let Aim { x, shift, bu } = aim;
        let (n, ny) = (bu.len(), y.len());
        x.copy_from_slice(y); // y + Σ α_ij k_j
        shift.fill(0.0); // Σ γ_ij k_j
        for (j, kj) in done.chunks_exact(ny).enumerate() {
            let (alpha, gamma) = (self.alpha[i][j], self.gammas[i][j]);
            for l in 0..ny {
                x[l] += alpha * kj[l];
                shift[l] += gamma * kj[l];
            }
        }
        // First row: k_u = b_u + γh k_v with b_u = h (v_stage + Σ γ_ij k_v,j). Put into the second
        // row it moves the point of the tangent by γ b_u.
        for l in 0..n {
            bu[l] = dt * (x[n + l] + shift[n + l]);
            shift[l] += self.gamma * bu[l];
        }
    }

    /// Turns the forces of an aimed stage, `k` = [· r g] with the tangent's answer to the shift, into its increment.
    #[inline]
    pub fn settle(&self, dt: f64, bu: &[f64], k: &mut [f64], slot: usize, sys: &mut dyn System) {
        // Second and third row: D k_v + γh R k_s = -h (r + K Δu + C Δv + R Δs), and the same for g.
        let n = bu.len();
        let (ku, rest) = k.split_at_mut(n);
        let (kv, ks) = rest.split_at_mut(n);
        kv.iter_mut().for_each(|r| *r *= -dt);
        ks.iter_mut().for_each(|g| *g *= dt);
        sys.solve(slot, kv, ks);
        for l in 0..n {
            ku[l] = bu[l] + self.gamma * dt * kv[l];
        }
    }

    /// y_1 = y + Σ b_i k_i, from the increments of all stages.
    #[inline]
    pub fn finish(&self, y: &mut [f64], stages: &[f64]) {
        let ny = y.len();
        for (i, ki) in stages.chunks_exact(ny).enumerate() {
            for l in 0..ny {
                y[l] += self.b[i] * ki[l];
            }
        }
    }

    fn weighted(&self, f: impl Fn(usize) -> f64) -> f64 {
        (0..self.stages).map(|i| self.b[i] * f(i)).sum()
    }

    /// Residuals of the order conditions, for any Jacobian-consistent problem whose stages see the times t_i; a
    /// method is of order p if the conditions up to p vanish. `[1; 2, 2t; 3a, 3b, 3t]`, where those of time (t) are
    /// fulfilled by the term of ∂f/∂t.
    pub fn order_conditions(&self) -> [f64; 6] {
        let of_time = |residual: f64| if self.time == StageTimes::Derivative { 0.0 } else { residual };
        let g = self.gamma;
        let beta = |i: usize, j: usize| self.alpha[i][j] + self.gammas[i][j];
        let beta_i = |i: usize| (0..i).map(|j| beta(i, j)).sum::<f64>();
        [
            self.weighted(|_| 1.0) - 1.0,
            self.weighted(beta_i) - (0.5 - g),
            of_time(self.weighted(|i| self.time_of(i)) - 0.5),
            self.weighted(|i| self.place(i) * self.place(i)) - 1.0 / 3.0,
            self.weighted(|i| (0..i).map(|j| beta(i, j) * beta_i(j)).sum()) - (1.0 / 6.0 - g + g * g),
            of_time(self.weighted(|i| (0..i).map(|j| beta(i, j) * self.time_of(j)).sum()) - (1.0 / 6.0 - 0.5 * g)),
        ]
    }

    /// Whether the conditions of order 2 hold for *every* matrix in place of the Jacobian
    /// (a W-method of order 2): Σ b_i α_i = 1/2 and Σ b_i (γ_i + γ) = 0.
    fn is_w2(&self) -> bool {
        let w = self.weighted(|i| self.gammas[i][..i].iter().sum::<f64>() + self.gamma);
        vanish(&[self.order_conditions()[0], self.weighted(|i| self.place(i)) - 0.5, w])
    }

    fn order(&self) -> u32 {
        let c = self.order_conditions();
        // Second derivatives with respect to time, once and twice.
        let mixed = self.weighted(|i| self.place(i) * self.time_of(i)) - 1.0 / 3.0;
        let twice = self.weighted(|i| self.time_of(i) * self.time_of(i)) - 1.0 / 3.0;
        match () {
            () if !vanish(&c[..1]) => 0,
            () if !vanish(&c[..3]) => 1,
            () if !vanish(&c) || !vanish(&[mixed, twice]) => 2,
            () => 3,
        }
    }
}

fn vanish(residuals: &[f64]) -> bool {
    residuals.iter().all(|x| x.abs() < 1e-12)
}

impl Scheme for Rosenbrock {
    fn claims(&self) -> Claims {
        let order = self.order();
        let explicit = self.gamma == 0.0 && self.gammas.iter().flatten().all(|g| *g == 0.0);
        Claims {
            order,
            order_frozen: if explicit { order } else { order.min(if self.is_w2() { 2 } else { 1 }) },
            evaluations: Some(self.stages as u32),
            carries_acceleration: false,
        }
    }

    fn operators(&self, dt: f64) -> Operators {
        let tau = self.gamma * dt;
        Operators::new(&[Mck { m: 1.0, c: tau, k: tau * tau }])
    }

    fn memory(&self, d: Dims) -> Memory {
        let slope = if self.time == StageTimes::Derivative { d.nu + d.ns } else { 0 };
        Memory { history: 0, scratch: (self.stages + 2) * d.state() + d.nu + slope }
    }

    fn start(&self, _: Step<'_>) -> Result<(), Fault> {
        Ok(())
    }

    fn step(&self, k: Step<'_>) -> Result<(), Fault> {
        let Step { t, dt, y, w, sys, .. } = k;
        let d = sys.dims();
        let (n, ny) = (d.nu, d.state());
        let slopes = if self.time == StageTimes::Derivative { n + d.ns } else { 0 };
        cut!(w => stage: self.stages * ny, x: ny, shift: ny, bu: n, slope: slopes);

        sys.linearise(d.point(t, y))?; // J at (y_k, t_k)
        if slopes > 0 {
            let (r, g) = slope.split_at_mut(n);
            sys.drift(d.point(t, y), dt, r, g)?;
        }
        for i in 0..self.stages {
            let (done, ki) = stage.split_at_mut(i * ny);
            let ki = &mut ki[..ny];
            self.aim(i, dt, y, done, &mut Aim { x, shift, bu });
            let t_i = t + self.time_of(i) * dt;
            {
                let (kv, ks) = ki[n..].split_at_mut(n);
                sys.force(d.point(t_i, x), Some(d.shift(shift)), kv, ks)?;
            }
            // + γ_i h² ∂f/∂t; `settle` multiplies by h.
            for (k, slope) in ki[n..].iter_mut().zip(slope.iter()) {
                *k += self.shift(i) * dt * slope;
            }
            self.settle(dt, bu, ki, 0, sys);
        }
        self.finish(y, stage);
        Ok(())
    }
}
