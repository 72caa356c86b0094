//! PLSRT2: the interfield-parallel Rosenbrock coupling with subcycling.
//!
//! Paper 000 table 3.1, paper 002 steps 1 to 5 and (1) to (4); book: partitioned 2.3. System step t_i → t_i+1 = t_i + h; F^B is B's rate without
//! multipliers, Λ makes the accelerations agree:
//!
//! 1. *Concurrently* A, over 4h from t_i-2 to t_i+2: Λ(A_i-2, F^B_i-2), stage 1 gives Â_i; Λ(Â_i, F^B_i), stage 2 gives A_i+2.
//! 2. *Concurrently* B, ss substeps from B_i: Λ at the start and in the middle of each from B and from
//!    A_i+θ = (1-θ) A_i + θ A_i+1; gives B_i+1.
//!
//! Â_i is local to the window and does not replace A_i. A is four interlaced sequences, tied together by B alone. Mixed: with
//! LSRT1 on a side, its first stage is all. Jacobians without the interface forces, at the starts of windows and substeps.
//! Second order with LSRT2 on both sides. The displacements drift apart linearly, by O(h²).
//! Stability (measured; book: claims 1): *conditional* for both γ, contrary to 002; γ plus is unstable in windows from ss = 6 on.
//! State x = [A_i-2 F^B_i-2 A_i-1 F^B_i-1 A_i B_i A_i+1].   Evaluations: A's windows 2, B 2 ss, and A for B 2 ss.
//! A is needed twice: the twins advance on the windows, on another thread if wanted, while the originals answer to B.
//! Each of the four sequences has its own memory of laws; the originals go on from that of A_i and are not remembered.
//! Start-up: two staggered steps with ss = 1, then a third one for A_3 alone, after which B goes back from the middle of
//! that step to t_2, once; a specimen must allow it. Before, the parts of x that lie before t_0 (and A_i+1) are not used.
//! Deviations: the papers' 14-vector has B_i-2 and B_i-1 where x has the rates there, because evaluating them would rewind
//! B; lengths, nodes and non-zero eigenvalues are the same. 002 forgets A_3 among the start values and misprints the indices of B's
//! points (book: errata 1).

use interfield_kernel::System;

use crate::blueprint::{self, Schedule};
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided, require};
use crate::flexibility::Flexibility;
use crate::interface::{Assembly, Substructure};
use crate::memory::{keep_rigs, recall_rigs, rigs};
use crate::pair::{Member, ranges};
use crate::registry::{CouplingInfo, Facts, Level, Options, Parts, Schemes};
use crate::side::SideFault;
use crate::staged::{StagedSide, tableau};
use crate::staged_pair::{Counterpart, StagedPair, Substeps, mobility};
use crate::staggered::{StaggeredStep, mix};
use crate::{CouplingError, Located};
use interfield_linalg::workers::{Job, Workers};

/// Number of the first parallel step.
const STARTS: u64 = 2;

/// Steppings of B.
const SUBSTEP: usize = 0;
const START_UP: usize = 1;

/// One window of A, as a job.
struct Window<S> {
    side: StagedSide<S>,
    mobility: Flexibility,
    /// A_i-2 before, A_i+2 afterwards.
    y: Vec<f64>,
    middle: Vec<f64>,
    /// Start, s, and half the length, s.
    t: f64,
    half: f64,
    /// Port accelerations of B at the start and in the middle.
    fine: [Vec<f64>; 2],
    outcome: Result<(), SideFault>,
}

impl<S: System> Window<S> {
    /// Stage `i`, after an evaluation.
    fn stage(&mut self, i: usize) {
        let l = &mut self.fine[i];
        self.side.port_accelerations(l);
        self.mobility.solve(l);
        self.side.stage(i, 0, &self.y, self.t, l);
    }

    fn advance(&mut self) -> Result<(), SideFault> {
        self.side.recall(&self.y);
        self.side.linearise(&self.y, self.t)?;
        self.side.evaluate(&self.y, self.t)?;
        self.stage(0);
        if self.side.has_second_stage() {
            self.side.middle(&self.y, &mut self.middle); // Â_i
            self.side.evaluate(&self.middle, self.t + self.half)?;
            self.stage(1);
        }
        self.side.finish(&mut self.y)?;
        self.side.keep(&mut self.y);
        Ok(())
    }
}

impl<S: System + Send + 'static> Job for Window<S> {
    fn run(&mut self) {
        self.outcome = self.advance();
    }
}

/// The method.
pub struct Parallel<S> {
    layout: Layout,
    start_up: StaggeredStep,
    workers: Workers<Window<S>>,
    /// The window, between steps.
    window: Option<Box<Window<S>>>,
    /// Look-ahead of the start-up: a state of B that is dropped, and what B's rigs remember and the multipliers before.
    dropped: Vec<f64>,
    rigs: Vec<f64>,
    multipliers: Vec<f64>,
}

impl<S: System + Send + 'static> Parallel<S> {
    /// Starts it. `twins` are the systems of the coarse substructures once more, in their order.
    pub fn start(assembly: Assembly<S>, twins: Vec<S>) -> Result<TwoSided<S>, CouplingError> {
        let coarse: Vec<_> = assembly.substructures.iter().filter(|s| !s.fine).collect();
        require(
            coarse.len() == twins.len() && coarse.iter().zip(&twins).all(|(s, twin)| s.system.dims() == twin.dims()),
            "the interfield-parallel coupling needs two copies of each system of the coarse side",
        )?;
        require(
            coarse.iter().all(|s| s.system.memory().len() == s.system.own_memory()),
            "the interfield-parallel coupling advances the coarse side over overlapping windows, which would move a \
                specimen back and forth: put it on the fine side",
        )?;
        let twin = |(s, system): (&&Substructure<S>, S)| {
            let Substructure { ref y0, scheme, substeps, fine, ref ports, .. } = **s;
            let sub = Substructure { system, y0: y0.clone(), scheme, substeps, fine, ports: ports.clone() };
            tableau(scheme).map(|tableau| (sub, tableau))
        };
        let twins = coarse.iter().zip(twins).map(twin).collect::<Result<Vec<_>, _>>()?;
        let (rows, h) = (assembly.rows, assembly.dt);
        let tableau = |sub: &Substructure<S>| tableau(sub.scheme);
        let mut pair = StagedPair::new(assembly, tableau, |h| vec![h], |h, ss| vec![h / ss as f64, h])?;
        let side = StagedSide::new(twins, rows, &[4.0 * h]).map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?;
        let window = Window {
            mobility: mobility(&side, &pair.b, rows)?,
            y: vec![0.0; side.len()],
            middle: vec![0.0; side.len()],
            side,
            t: 0.0,
            half: 2.0 * h,
            fine: [vec![0.0; rows], vec![0.0; rows]],
            outcome: Ok(()),
        };
        let (na, nb, nf) = (pair.a.len(), pair.b.len(), pair.b.rates_len());
        let ([_, _, _, _, a, b, _], len) = ranges([na, nf, na, nf, na, nb, na]);
        let mut x = vec![0.0; len];
        let state = State::cut(&mut x, &pair);
        pair.start(state.a, state.b)?;
        let method = Parallel {
            layout: Layout { len, open: b.clone(), a, b, l: 0..0 },
            start_up: StaggeredStep::new(&pair),
            workers: Workers::caller(),
            window: Some(Box::new(window)),
            dropped: vec![0.0; nb],
            rigs: vec![0.0; rigs(pair.b.systems())],
            multipliers: vec![0.0; rows],
        };
        Ok(TwoSided::new(pair, method, x))
    }

    /// A staggered step with ss = 1; afterwards, before the first parallel step, A_3.
    fn start_up(&mut self, pair: &mut StagedPair<S>, x: &mut State<'_>, k: u64) -> Result<(), Located> {
        let h = pair.h;
        let substeps = |k: u64| Substeps { stepping: START_UP, count: 1, t: k as f64 * h, h };
        x.shift();
        self.start_up.run(pair, 0, x.a, x.b, substeps(k))?;
        x.f1.copy_from_slice(&pair.node_rates);
        if k + 1 == STARTS {
            x.ahead.copy_from_slice(x.a);
            self.dropped.copy_from_slice(x.b);
            keep_rigs(pair.b.systems(), &mut self.rigs);
            self.multipliers.copy_from_slice(&pair.node_multipliers);
            self.start_up.run(pair, 0, x.ahead, &mut self.dropped, substeps(k + 1))?;
            recall_rigs(pair.b.systems_mut(), &self.rigs);
            pair.node_multipliers.copy_from_slice(&self.multipliers);
        }
        Ok(())
    }
}

/// The parts of the complete state.
struct State<'a> {
    a2: &'a mut [f64],
    f2: &'a mut [f64],
    a1: &'a mut [f64],
    f1: &'a mut [f64],
    a: &'a mut [f64],
    b: &'a mut [f64],
    ahead: &'a mut [f64],
}

impl<'a> State<'a> {
    fn cut<S: System>(x: &'a mut [f64], pair: &StagedPair<S>) -> Self {
        let (na, nf) = (pair.a.len(), pair.b.rates_len());
        let (a2, x) = x.split_at_mut(na);
        let (f2, x) = x.split_at_mut(nf);
        let (a1, x) = x.split_at_mut(na);
        let (f1, x) = x.split_at_mut(nf);
        let (a, x) = x.split_at_mut(na);
        let (b, ahead) = x.split_at_mut(pair.b.len());
        State { a2, f2, a1, f1, a, b, ahead }
    }

    /// What is past becomes one step older; A_i and F^B_i-1 are to be written.
    fn shift(&mut self) {
        self.a2.copy_from_slice(self.a1);
        self.f2.copy_from_slice(self.f1);
        self.a1.copy_from_slice(self.a);
    }
}

/// A during the substeps of B.
struct Ahead<'a, S> {
    from: &'a [f64],
    to: &'a [f64],
    ss: usize,
    /// A_i-2 and F^B_i-2, where the window starts.
    start: (&'a [f64], &'a [f64]),
    t: f64,
    workers: &'a mut Workers<Window<S>>,
    window: &'a mut Option<Box<Window<S>>>,
}

impl<S: System + Send + 'static> Counterpart<S> for Ahead<'_, S> {
    fn at(&self, q: usize, x: &mut [f64]) {
        mix(self.from, self.to, q as f64 / (2 * self.ss) as f64, x);
    }

    fn needs(&self, _: usize) -> bool {
        false
    }

    /// The twins have the stages.
    fn stages(&self, _: usize) -> bool {
        false
    }

    /// B's answer at t_i is known: the window can be advanced.
    fn met(&mut self, q: usize, _: &mut StagedSide<S>, b: &StagedSide<S>, _: &[f64]) -> Result<(), SideFault> {
        if q == 0
            && let Some(mut window) = self.window.take()
        {
            window.y.copy_from_slice(self.start.0);
            window.t = self.t;
            window.fine.iter_mut().for_each(|w| w.fill(0.0));
            b.port_accelerations_of(self.start.1, &mut window.fine[0]);
            b.port_accelerations(&mut window.fine[1]);
            self.workers.start(window);
        }
        Ok(())
    }
}

impl<S: System + Send + 'static> Algorithm<S, StagedPair<S>> for Parallel<S> {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        let window = self.window.as_ref().expect("the window is at rest");
        Schedule::Parallel { mobility: &window.mobility }
    }

    fn twins(&self) -> Vec<blueprint::Subdomain<'_, S>> {
        self.window.iter().flat_map(|window| window.side.blueprint()).collect()
    }

    fn settled(&self) -> u64 {
        STARTS
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn step(&mut self, pair: &mut StagedPair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let mut x = State::cut(x, pair);
        if k < STARTS {
            return self.start_up(pair, &mut x, k);
        }
        let (h, ss) = (pair.h, pair.ss);
        pair.a.recall(x.a);
        pair.b.recall(x.b);
        let substeps = Substeps { stepping: SUBSTEP, count: ss, t: k as f64 * h, h };
        let mut ahead = Ahead {
            from: x.a,
            to: x.ahead,
            ss,
            start: (x.a2, x.f2),
            t: (k - STARTS) as f64 * h,
            workers: &mut self.workers,
            window: &mut self.window,
        };
        let fine = pair.advance_fine(x.b, &mut ahead, substeps);
        if self.window.is_none() {
            self.window = Some(self.workers.finish());
        }
        fine?;
        let Some(window) = &self.window else { return Ok(()) };
        window.outcome.map_err(|f| pair.coarse_fault(f))?;
        pair.b.keep(x.b);
        x.shift();
        x.f1.copy_from_slice(&pair.node_rates);
        x.a.copy_from_slice(x.ahead);
        x.ahead.copy_from_slice(&window.y);
        Ok(())
    }

    fn link<'a>(&'a self, _: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &[])
    }

    fn multipliers<'a>(&'a self, pair: &'a StagedPair<S>, _: &'a [f64]) -> &'a [f64] {
        &pair.node_multipliers
    }

    fn use_threads(&mut self, _: &mut StagedPair<S>, threads: bool) -> bool {
        self.workers = if threads { Workers::worker("interfield-side") } else { Workers::caller() };
        self.workers.is_worker()
    }
}

/// It has no options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParallelOptions;

impl Options for ParallelOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Parallel::start(parts.assembly, parts.twins)?))
    }

    fn facts(&self) -> Facts {
        Facts { coarse_step: 4.0, sequences: 4, ..Facts::PLAIN }
    }
}

/// Entry of the catalogue.
pub(crate) const PLSRT2: CouplingInfo = CouplingInfo {
    name: "plsrt2",
    title: "interfield-parallel real-time Rosenbrock coupling (PLSRT2), order 2",
    reference: "Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form; Jia, Li, Liu, Xia, J. Chongqing Univ., 2013",
    advice: "Second order. With many substeps it has ranges of instability for both values of gamma, and its \
        displacement gap grows linearly. Check the model first; pmc is preferable.",
    scheme: "lsrt2",
    schemes: Schemes::RealTimeRosenbrock,
    one_rate: true,
    twins: true,
    omega: "Omega = omega dt (the papers use 4 omega dt)",
    parallel: true,
    level: Level::Mass,
    build: |_| Ok(ParallelOptions.into()),
    ..CouplingInfo::PLAIN
};
