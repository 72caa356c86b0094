//! PSL: passive slow laws. The linear core of A goes with B on the fine grid; each law of A has a macro-step to compute.
//!
//! Derived in this project (book: passivity 2.8, 3.7). Law e of A: deformation x = b u, force, initial stiffness k. On the fine grid
//! it is a dashpot and a given force, f(t) = W(t) + Z b v, Z = k τ/2, τ = (m + d) h, W linear between macro-nodes. The core
//! has M, C + Σ bᵀ Z b, and the stiffness without the laws. With the tie of tie.rs, bars are means Σ a_i (·)_n-i. Macro-step
//! n → n+1, m = 2:
//!
//! 1. *Concurrently* the laws, from their nodes up to t_n: x̃ = x̄ + τ ȳ + η q̄; each moves from z̄ to x̃: force r, memory z_n+2;
//!    W_n+2 = r - k (η q̄ + τ/2 ȳ). Pending: x̄, ȳ, q̄, z_n+2.
//! 2. *Concurrently* the fine grid, j = 1..ss: free steps of the core, under the given forces, and of B;
//!    (H^core + H^B) d = L^A v + L^B v; link both; Λ += d.
//! 3. At t_n+1, with y = b v^A and the pending bars of this node: x = x̄ + τ/2 (ȳ + y), q = -η q̄ + τ/2 (y - ȳ).
//!
//! PSL1: m = 1. The laws are computed before the fine grid and give W_n+1; not parallel.
//! κ: closes a share of the law gap b u - x by its static mode; unproved where laws soften.
//! Start: nothing but the consistent start; nodes before t_0 are extrapolated backwards from it.
//! Second order for any ss, no displacement gap; a law gap b u - x of O(h²).
//! Evaluations: each law once, core and B ss strides. Laws that cannot be computed apart (kernel/src/laws.rs) and dampers
//! stay in the core and are evaluated on the fine grid.
//! State x = [A_n B_n Λ_n | W_n W_n+1 | [x y q z]_n n-1 n-2, pending].

use interfield_kernel::System;
use interfield_kernel::scheme::registry::{ArgumentError, Arguments, SchemeParameter, parameter};

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::flexibility::Flexibility;
use crate::interface::Assembly;
use crate::law_gap::LawGap;
use crate::pair::{Member, Pair, exchanges, ranges};
use crate::registry::{CouplingInfo, CouplingMethod, Facts, Options, Parts, unit_interval};
use crate::side::{SideFault, Stepping};
use crate::slow::{Moves, Size, cut};
use crate::start_up::timed;
use crate::tie::{TIE, Tie};
use crate::{CouplingError, Located};
use interfield_linalg::workers::Workers;

/// Options of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PslOptions {
    /// Macro-steps between the node from which a law is computed and the node to which its force belongs: 2 (PSL, parallel)
    /// or 1 (PSL1).
    pub windows: usize,
    /// Strength of the tie between the interlaced sequences of the laws.
    pub tie: f64,
    /// How much of the difference between a law and its dashpot is carried on, η.
    pub eta: f64,
    /// Share κ of the law gap that is closed after each step.
    pub kappa: f64,
}

impl PslOptions {
    /// PSL.
    pub const PSL: Self = PslOptions { windows: 2, tie: 0.5, eta: 0.9, kappa: 0.0 };
    /// PSL1: one sequence, nothing to tie.
    pub const PSL1: Self = PslOptions { windows: 1, tie: 0.0, ..Self::PSL };

    /// Length of the windows of the laws, in macro-steps.
    fn window(&self) -> f64 {
        self.windows as f64 + Tie::new(self.tie).delay
    }
}

/// The method.
pub struct Psl<S> {
    layout: Layout,
    options: PslOptions,
    tie: Tie,
    /// Length of the windows of the laws, s.
    tau: f64,
    size: Size,
    /// H^core + H^B.
    h: Flexibility,
    workers: Workers<Moves<S>>,
    /// The laws, between evaluations.
    moves: Option<Box<Moves<S>>>,
    gap: Option<LawGap>,
    /// Bars [x y q z] of the evaluation under way; z is what the laws remember after it.
    bars: Vec<f64>,
    /// W of the evaluation under way.
    ahead: Vec<f64>,
    d: Vec<f64>,
    work: Vec<f64>,
}

impl<S: System + Send + 'static> Psl<S> {
    /// Starts it. `twins` are the systems of the coarse substructures once more, in their order.
    pub fn start(mut assembly: Assembly<S>, twins: Vec<S>, options: PslOptions) -> Result<TwoSided<S>, CouplingError> {
        let tau = options.window() * assembly.dt;
        let mut coarse: Vec<_> = assembly.substructures.iter_mut().filter(|s| !s.fine).map(|s| &mut s.system).collect();
        let (moves, size) = Moves::new(&mut coarse, twins)?;
        coarse.into_iter().filter_map(S::laws).for_each(|laws| laws.detach(tau / 2.0));
        let ss = exchanges(assembly.substructures.iter().filter(|s| s.fine).map(|s| s.substeps));
        let mut pair = Pair::new(
            assembly,
            |scheme, h| vec![Stepping { scheme: timed(scheme), dt: h / ss as f64, steps: 1 }],
            |scheme, h, [substeps, steps]| vec![Stepping { scheme: timed(scheme), dt: h / substeps as f64, steps }],
        )?;
        pair.require_inertia(pair.ss)?;
        let (na, nb, rows, node) = (pair.a().len(), pair.fine.len(), pair.rows, size.node());
        let ([a, b, l, ..], len) = ranges([na, nb, rows, 2 * size.x, 3 * node, node]);
        let mut method = Psl {
            layout: Layout { len, open: 0..len, a, b, l },
            options,
            tie: Tie::new(options.tie),
            tau,
            size,
            h: pair.flexibility(0, 0)?,
            workers: Workers::caller(),
            moves: Some(Box::new(moves)),
            gap: None,
            bars: vec![0.0; node],
            ahead: vec![0.0; size.x],
            d: vec![0.0; rows],
            work: vec![0.0; size.x],
        };
        if options.kappa != 0.0 {
            method.gap = Some(LawGap::new(&mut pair, size.x)?);
        }
        let mut x = vec![0.0; len];
        method.begin(&mut pair, &mut x)?;
        Ok(TwoSided::new(pair, method, x))
    }

    /// The consistent start, the nodes of the laws up to t_0 (backwards along parabolas), W_0 and, for m = 2, W_1.
    fn begin(&mut self, pair: &mut Pair<S>, x: &mut [f64]) -> Result<(), CouplingError> {
        let (size, h) = (self.size, pair.h);
        let a0 = pair.a().initial();
        let s = State::cut(x, &self.layout, size);
        let [mut x0, mut y0, mut rate] = [(); 3].map(|()| vec![0.0; size.x]);
        let side = pair.coarse.side_mut();
        side.law_motion(&a0, 0.0, &mut x0, &mut y0);
        let mut z0 = vec![0.0; size.z];
        side.law_memory(&a0, &mut z0);
        let moved = self.evaluate(&x0, &z0);
        let (r, _) = moved.map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?;
        let side = pair.coarse.side_mut();
        side.law_stiffness(&y0, &mut self.work);
        (0..size.x).for_each(|i| s.w0[i] = r[i] - self.tau / 2.0 * self.work[i]);
        side.drive_laws((0.0, h), s.w0, s.w0);
        pair.start((0, 0), s.a, s.b, s.l)?;
        let started = pair.coarse.side_mut().law_start(s.a, s.l, &mut rate);
        started.map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?;
        let spread = self.tau * self.tau / (2.0 * (1.0 + self.options.eta));
        for (back, node) in s.nodes.into_iter().enumerate() {
            let t = -(back as f64) * h;
            let [x, y, q, z] = cut(node, size);
            for i in 0..size.x {
                x[i] = x0[i] + t * y0[i] + 0.5 * t * t * rate[i];
                y[i] = y0[i] + t * rate[i];
                q[i] = spread * rate[i];
            }
            z.copy_from_slice(&z0);
        }
        s.w1.copy_from_slice(s.w0);
        if self.options.windows == 2 {
            let x1: Vec<f64> = (0..size.x).map(|i| x0[i] + h * y0[i] + 0.5 * h * h * rate[i]).collect();
            let y1: Vec<f64> = (0..size.x).map(|i| y0[i] + h * rate[i]).collect();
            let moved = self.evaluate(&x1, &z0);
            let (r, z1) = moved.map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?;
            pair.coarse.side_mut().law_stiffness(&y1, &mut self.work);
            (0..size.x).for_each(|i| s.w1[i] = r[i] - self.tau / 2.0 * self.work[i]);
            cut(s.pending, size)[3].copy_from_slice(&z1);
        }
        Ok(())
    }

    /// Forces of the laws that move from `z` to `x`, and what they then remember.
    fn evaluate(&mut self, x: &[f64], z: &[f64]) -> Result<(Vec<f64>, Vec<f64>), SideFault> {
        let Some(mut moves) = self.moves.take() else { return Ok((Vec::new(), Vec::new())) };
        moves.x.copy_from_slice(x);
        moves.z.copy_from_slice(z);
        self.workers.start(moves);
        let moves = self.moves.insert(self.workers.finish());
        moves.outcome?;
        Ok((moves.r.clone(), moves.z.clone()))
    }

    /// Step 1 begins: bars of the nodes, and the laws on their way to x̃.
    fn begin_laws(&mut self, nodes: &[&mut [f64]; 3]) {
        let Some(mut moves) = self.moves.take() else { return };
        for (i, bar) in self.bars.iter_mut().enumerate() {
            *bar = self.tie.mean([nodes[0][i], nodes[1][i], nodes[2][i]]);
        }
        let (tau, eta) = (self.tau, self.options.eta);
        let [x, y, q, z] = cut(&mut self.bars, self.size);
        for i in 0..self.size.x {
            moves.x[i] = x[i] + tau * y[i] + eta * q[i]; // x̃
        }
        moves.z.copy_from_slice(z);
        self.workers.start(moves);
    }

    /// Step 1 ends: W of the node for which the laws were computed, and the bars with what the laws then remember.
    fn end_laws(&mut self, pair: &mut Pair<S>) -> Result<(), Located> {
        let moves = self.moves.insert(self.workers.finish());
        let (tau, eta) = (self.tau, self.options.eta);
        let [_, y, q, z] = cut(&mut self.bars, self.size);
        for i in 0..self.size.x {
            self.work[i] = eta * q[i] + tau / 2.0 * y[i];
        }
        pair.coarse.side_mut().law_stiffness(&self.work, &mut self.ahead);
        for (w, r) in self.ahead.iter_mut().zip(&moves.r) {
            *w = r - *w;
        }
        z.copy_from_slice(&moves.z);
        moves.outcome.map_err(|fault| pair.coarse_fault(fault))
    }

    /// Step 2: the core and B over a macro-step from `t`.
    fn run_fine(&mut self, pair: &mut Pair<S>, s: &mut State<'_>, t: f64) -> Result<(), Located> {
        let (h, ss) = (pair.h, pair.ss);
        pair.coarse.side_mut().drive_laws((t, h), s.w0, s.w1);
        for j in 0..ss {
            let t = t + j as f64 * h / ss as f64;
            pair.coarse.side_mut().stride(0, s.a, t, s.l, s.l).map_err(|f| pair.coarse_fault(f))?;
            pair.fine.stride(0, s.b, t, s.l, s.l).map_err(|f| pair.fine_fault(f))?;
            self.d.fill(0.0);
            pair.a().port_rates(0, s.a, &mut self.d, 1.0);
            pair.fine.port_rates(0, s.b, &mut self.d, 1.0);
            self.h.solve(&mut self.d); // (H^core + H^B) d = L^A v + L^B v
            pair.a().link(0, s.a, &self.d, 1.0);
            pair.fine.link(0, s.b, &self.d, 1.0);
            s.l.iter_mut().zip(&self.d).for_each(|(l, d)| *l += d);
        }
        Ok(())
    }

    /// Step 3: the node at `t` in the place of the oldest one.
    fn close_node(&mut self, pair: &mut Pair<S>, s: &mut State<'_>, t: f64, first: bool) {
        let (tau, eta, size) = (self.tau, self.options.eta, self.size);
        let [newest, middle, oldest] = &mut s.nodes;
        oldest.copy_from_slice(middle);
        middle.copy_from_slice(newest);
        let [x, y, q, z] = cut(newest, size);
        let [x_bar, y_bar, q_bar, z_next] = cut(s.pending, size);
        let side = pair.coarse.side_mut();
        side.law_motion(s.a, t, x, &mut self.work);
        if first {
            // The window of this node began before the motion: the node is that of the structure. Where a scheme keeps no
            // accelerations, the rates of the first step give them.
            let spread = tau * tau / (2.0 * (1.0 + eta));
            for i in 0..size.x {
                q[i] = 2.0 * (self.work[i] - y[i]) / pair.h - q[i] / spread;
            }
            pair.coarse.side_mut().law_accelerations(s.a, t, q);
            q.iter_mut().for_each(|q| *q *= spread);
        } else {
            for i in 0..size.x {
                x[i] = x_bar[i] + tau / 2.0 * (y_bar[i] + self.work[i]);
                q[i] = -eta * q_bar[i] + tau / 2.0 * (self.work[i] - y_bar[i]);
            }
        }
        y.copy_from_slice(&self.work);
        z.copy_from_slice(z_next);
        pair.coarse.side_mut().show_laws(z, s.a);
    }
}

/// The parts of the complete state.
struct State<'a> {
    a: &'a mut [f64],
    b: &'a mut [f64],
    l: &'a mut [f64],
    /// W at t_n and t_n+1.
    w0: &'a mut [f64],
    w1: &'a mut [f64],
    /// [x y q z] at t_n, t_n-1, t_n-2.
    nodes: [&'a mut [f64]; 3],
    /// Bars of the node t_n+1, and what the laws remember there.
    pending: &'a mut [f64],
}

impl<'a> State<'a> {
    fn cut(x: &'a mut [f64], layout: &Layout, size: Size) -> Self {
        let (a, x) = x.split_at_mut(layout.a.len());
        let (b, x) = x.split_at_mut(layout.b.len());
        let (l, x) = x.split_at_mut(layout.l.len());
        let (w0, x) = x.split_at_mut(size.x);
        let (w1, x) = x.split_at_mut(size.x);
        let (n0, x) = x.split_at_mut(size.node());
        let (n1, x) = x.split_at_mut(size.node());
        let (n2, pending) = x.split_at_mut(size.node());
        State { a, b, l, w0, w1, nodes: [n0, n1, n2], pending }
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Psl<S> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Psl { options: self.options, h: &self.h }
    }

    fn settled(&self) -> u64 {
        self.options.windows as u64 - 1
    }

    fn is_parallel(&self) -> bool {
        self.options.windows == 2
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (h, ahead) = (pair.h, self.options.windows == 2);
        let mut s = State::cut(x, &self.layout, self.size);
        self.begin_laws(&s.nodes);
        if !ahead {
            self.end_laws(pair)?;
            s.w1.copy_from_slice(&self.ahead);
            s.pending.copy_from_slice(&self.bars);
        }
        let fine = self.run_fine(pair, &mut s, k as f64 * h);
        if ahead {
            self.end_laws(pair)?;
        }
        fine?;
        self.close_node(pair, &mut s, (k + 1) as f64 * h, ahead && k == 0);
        s.w0.copy_from_slice(s.w1);
        if ahead {
            s.w1.copy_from_slice(&self.ahead);
            s.pending.copy_from_slice(&self.bars);
        }
        if let Some(gap) = &mut self.gap {
            let State { a, b, l, w0, w1, nodes: [n0, n1, n2], pending } = s;
            gap.close(pair, ((k + 1) as f64 * h, self.options.kappa), [a, b, l], &mut [n0, n1, n2, pending], [w0, w1]);
        }
        Ok(())
    }

    fn link<'a>(&'a self, x: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &x[self.layout.l.clone()])
    }

    fn use_threads(&mut self, _: &mut Pair<S>, threads: bool) -> bool {
        self.workers =
            if threads && self.options.windows == 2 { Workers::worker("interfield-side") } else { Workers::caller() };
        self.workers.is_worker()
    }
}

impl Options for PslOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Psl::start(parts.assembly, parts.twins, self)?))
    }

    fn facts(&self) -> Facts {
        Facts {
            coarse_step: self.windows as f64,
            laws_apart: true,
            not_in_c: Some([
                "generated code does not compute laws apart from their structure",
                "use method = \"pmc\" in [coupling]",
            ]),
            ..Facts::PLAIN
        }
    }

    /// The core goes with the fine side.
    fn coarse_step(&self, exchanges: usize) -> f64 {
        1.0 / exchanges as f64
    }
}

const ETA: SchemeParameter = parameter(
    "eta",
    Some("0.9"),
    "a number from 0 to 1",
    "how much of the difference between a law and its dashpot is carried from one evaluation to the next",
);

const LAW_KAPPA: SchemeParameter = parameter(
    "kappa",
    Some("0"),
    "a number from 0 to 1",
    "fraction of the gap between the laws and the structure that is closed after each step; not proved where laws soften",
);

/// Entry of the catalogue.
pub(crate) const PSL: CouplingInfo = CouplingInfo {
    name: "psl",
    title: "passive slow laws, interfield parallel, order 2 for any ratio of steps",
    reference: "derived in this project (book: passivity 2.8)",
    advice: "For a coarse side whose laws are expensive and whose linear part is not: the linear part goes with the \
        specimen on the fine grid, each law has a macro-step to compute. Stable for all passive sides, no displacement \
        gap, more accurate than pmc. The linear solve of the coarse side must fit into a fine step.",
    scheme: "alpha-os",
    twins: true,
    parallel: true,
    parameters: &[TIE, ETA, LAW_KAPPA],
    build: |a| psl(a, PslOptions::PSL),
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const PSL1: CouplingInfo = CouplingInfo {
    name: "psl1",
    title: "passive slow laws, computed before each macro-step, order 2 for any ratio of steps",
    reference: "derived in this project (book: passivity 2.8)",
    advice: "A third of the error of psl where the coarse side yields. Not parallel: all laws of the coarse side and its \
        linear solve must fit into a fine step.",
    parallel: false,
    parameters: &[ETA, LAW_KAPPA],
    build: |a| psl(a, PslOptions::PSL1),
    ..PSL
};

fn psl(a: Arguments<'_>, family: PslOptions) -> Result<CouplingMethod, ArgumentError> {
    let tie = if family.windows == 2 { a.number(&TIE, family.tie, unit_interval)? } else { family.tie };
    let (eta, kappa) = (a.number(&ETA, family.eta, unit_interval)?, a.number(&LAW_KAPPA, 0.0, unit_interval)?);
    Ok(PslOptions { tie, eta, kappa, ..family }.into())
}
