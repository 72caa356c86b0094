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

use core::array::from_fn;

use super::registry::AnyScheme;
use super::{Claims, Length, Operators, Phases, Scheme, State};
use crate::{Fault, Mck};

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
pub struct Aim<V> {
    /// The point y + Σ α_ij k_j.
    pub x: State<V>,
    /// The way along the tangent from there.
    pub shift: State<V>,
    /// b_u, the part of the displacement increment that is known before the solve.
    pub bu: V,
}

/// Increments of the stages.
pub type Stages<V> = [Option<State<V>>; MAX_STAGES];

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

    /// Memory of the increments, and of where a stage is aimed.
    pub fn scratch<P: Phases>(&self, p: &mut P) -> (Stages<P::Vector>, Aim<P::Vector>) {
        let stages = from_fn(|i| {
            let [k] = if i < self.stages { p.scratch_states([["k_u", "k_v"]]).map(Some) } else { [None] };
            k
        });
        let [x, shift] = p.scratch_states([["x_u", "x_v"], ["shift_u", "shift_v"]]);
        let [bu] = p.scratch(["bu"], Length::U);
        (stages, Aim { x, shift, bu })
    }

    /// Aims stage `i` from y, which stands in `aim.x`, given the increments of the stages `done` before it.
    #[inline]
    pub fn aim<P: Phases>(&self, p: &mut P, i: usize, done: &[Option<State<P::Vector>>], aim: &mut Aim<P::Vector>) {
        p.trial(i > 0); // histories of members follow the states y, not the stages
        let Aim { x, shift, bu } = aim;
        p.fill(&mut shift.u, 0.0); // Σ γ_ij k_j
        p.fill(&mut shift.v, 0.0);
        for (j, k) in done.iter().flatten().enumerate() {
            let [alpha, gamma] = p.numbers([("alpha", self.alpha[i][j]), ("gamma", self.gammas[i][j])]);
            p.update_states([x, shift], [k], |[x, shift], [k]| [x + alpha * k, shift + gamma * k]);
        }
        // First row: k_u = b_u + γh k_v with b_u = h (v_stage + Σ γ_ij k_v,j). Put into the second
        // row it moves the point of the tangent by γ b_u.
        let dt = p.dt();
        let [h, gamma] = p.numbers([("h", dt), ("gamma", self.gamma)]);
        p.update([bu, &mut shift.u], [&x.v, &shift.v], |[_, shift_u], [v, shift_v]| {
            let bu = h * (v + shift_v);
            [bu, shift_u + gamma * bu]
        });
    }

    /// Turns the forces of an aimed stage, `k.v` = f with the tangent's answer to the shift, into its increment.
    #[inline]
    pub fn settle<P: Phases>(&self, p: &mut P, slot: usize, bu: &P::Vector, k: &mut State<P::Vector>) {
        let dt = p.dt();
        let [h, gamma_h] = p.numbers([("h", dt), ("gamma_h", self.gamma * dt)]);
        // Second and third row: D k_v + γh R k_s = -h (r + K Δu + C Δv + R Δs), and the same for g.
        p.update([&mut k.v], [], |[f], []| [f * h]);
        p.solve(slot, &mut k.v);
        p.update([&mut k.u], [bu, &k.v], |_, [bu, k_v]| [bu + gamma_h * k_v]);
    }

    /// y_1 = y + Σ b_i k_i, from the increments of all stages.
    #[inline]
    pub fn finish<P: Phases>(&self, p: &mut P, y: &mut State<P::Vector>, stages: &[Option<State<P::Vector>>]) {
        p.trial(false);
        for (k, b) in stages.iter().flatten().zip(self.b) {
            let [b] = p.numbers([("b", b)]);
            p.update_states([y], [k], |[y], [k]| [y + b * k]);
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
            carries_acceleration: false,
            lag: 0.0,
        }
    }

    fn timed(&self) -> Option<AnyScheme> {
        (self.time == StageTimes::Published).then(|| self.shifted().into())
    }

    fn operators(&self, dt: f64) -> Operators {
        let tau = self.gamma * dt;
        Operators::new(&[Mck { m: 1.0, c: tau, k: tau * tau }])
    }

    fn tableau(&self) -> Option<Rosenbrock> {
        Some(*self)
    }

    fn start<P: Phases>(&self, _: &mut P) -> Result<(), Fault> {
        Ok(())
    }

    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        let (dt, y) = (p.dt(), &mut p.state());
        let (stages, aim) = &mut self.scratch(p);
        let slope = &mut (self.time == StageTimes::Derivative).then(|| p.scratch(["slope"], Length::V));

        p.linearise(0.0, y)?; // J at (y_k, t_k)
        if let Some([slope]) = slope {
            p.drift(y, slope)?;
        }
        for i in 0..self.stages {
            let (done, rest) = stages.split_at_mut(i);
            let Some(k) = &mut rest[0] else { break };
            p.update_states([&mut aim.x], [y], |_, [y]| [y]);
            self.aim(p, i, done, aim);
            p.force(self.time_of(i), &aim.x, Some(&aim.shift), &mut k.v)?;
            if let Some([slope]) = slope {
                let [drift] = p.numbers([("drift", self.shift(i) * dt)]);
                p.update([&mut k.v], [slope], |[f], [slope]| [f + drift * slope]); // + γ_i h² ∂f/∂t; `settle` multiplies by h
            }
            self.settle(p, 0, &aim.bu, k);
        }
        self.finish(p, y, stages);
        Ok(())
    }
}
