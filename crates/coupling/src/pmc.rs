//! PMC, the passive multirate coupling: interfield parallel, second order for any ratio of steps, free of drift, stable for
//! any passive sides, softening included. The recommended coupling for a specimen.
//!
//! Derived in this project (book: passivity 2.2, 2.5, 2.6, 3.5, 4.2: statement, proof, limits). f_k is a free state of A (Λ_k = 0),
//! w_k = L^A v^A_k + H^A Λ_k its effective free velocity. A advances on windows of τ = (m + d) h, m = 3, that start at t_n - d h from the
//! tied states Ā = Σ a_i A_n-i, Λ̄ = Σ a_i Λ_n-i of tie.rs. Macro-step n → n+1:
//!
//! 1. *Concurrently* A: f_n+3 from Ā over τ.
//! 2. *Concurrently* B: for j = 1..ss a free step, (H^A + H^B) d = Σ c_i(x) w_n+i - H^A Λ + L^B v^B, link(d), Λ += d (fine.rs)
//!    with the cubic kernel c over t_n-1 .. t_n+2.
//! 3. A_n+1 = f_n+1 + link^A(Λ_n+1).
//!
//! The windows are m interlaced sequences, each with its own memory of laws (side/); the tie holds them together. Without it (tie 0)
//! Ā = A_n.
//! PMC2s: windows of m = 2, A first: f_n+2 from Ā, then B. Exact for any A; not parallel.
//! PMC2: the same for a linear A, parallel. f_n+3 is computed one step early, with A_n+1 ≈ f_n+1 + link(Λᵖ), Λᵖ = 2 Λ_n - Λ_n-1, as
//! the newest of the tied states, and corrected by a_0 Y (Λ_n+1 - Λᵖ) once Λ_n+1 is known. Unproved for a softening A.
//! Start-up: macro-steps of FOH, so many that all that the first windows start from is known, see start_up.rs.
//! State x = [A_n A_n-1 (A_n-2) f_n+1 (f_n+2) | B_n | Λ_n Λ_n-1 (Λ_n-2 ..) | rates of B in the start-up]; node k of the start-up of s
//! steps stands in place s - k of the states of A, and of the multipliers.

use interfield_kernel::System;
use interfield_kernel::scheme::registry::{ArgumentError, Arguments};

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::fine::{FineLoop, Kernel};
use crate::flexibility::Flexibility;
use crate::foh::{Guess, MacroStep};
use crate::gap::GapMode;
use crate::interface::Assembly;
use crate::pair::{End, Member, Pair, ranges};
use crate::registry::{CouplingInfo, CouplingMethod, Facts, KAPPA, Options, Parts, unit_interval};
use crate::side::{Side, Stepping};
use crate::start_up::{calm, slope, timed};
use crate::tie::{TIE, Tie};
use crate::{CouplingError, Located};

/// Options of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PmcOptions {
    /// Length of A's windows in macro-steps: 3 (PMC) or 2 (PMC2, PMC2s).
    pub windows: usize,
    /// Whether A computes while B does. With windows of 2 it then has to predict (PMC2, linear A).
    pub parallel: bool,
    /// Strength of the tie between the interlaced sequences of A.
    pub tie: f64,
    /// Share κ of the displacement gap that is closed after each step.
    pub kappa: f64,
}

impl PmcOptions {
    /// PMC.
    pub const PMC: Self = PmcOptions { windows: 3, parallel: true, tie: 0.5, kappa: 0.0 };
    /// PMC2.
    pub const PMC2: Self = PmcOptions { windows: 2, ..Self::PMC };
    /// PMC2s.
    pub const PMC2S: Self = PmcOptions { parallel: false, ..Self::PMC2 };

    /// Whether A's windows start from a state that is not known yet.
    pub fn predicts(&self) -> bool {
        self.parallel && self.windows == 2
    }

    /// States of A whose multiplier is known that a step begins with.
    pub fn coupled(&self) -> usize {
        if self.tie == 0.0 { 2 } else { 3 }
    }

    /// Free states of A that a step begins with.
    pub fn free(&self) -> usize {
        if self.parallel { 2 } else { 1 }
    }

    /// Macro-steps of the start-up.
    pub fn starts(&self) -> usize {
        if self.tie == 0.0 { self.windows - 1 } else { self.windows + 1 }
    }

    /// Multipliers that the state has room for: those of a step and those of the start-up.
    pub fn multipliers(&self) -> usize {
        self.coupled().max(self.starts() + 1)
    }

    /// Nodes of the start-up before the last whose rates of B are kept.
    pub fn kept(&self) -> usize {
        self.starts().min(2)
    }

    /// Length of A's windows with what the tie adds, in macro-steps.
    fn window(&self) -> f64 {
        self.windows as f64 + Tie::new(self.tie).delay
    }
}

/// Steppings of A: its windows, and the start-up.
const WINDOW: usize = 0;
const CALM: usize = 1;

/// The method.
pub struct Pmc {
    layout: Layout,
    options: PmcOptions,
    tie: Tie,
    fine: FineLoop,
    start_up: MacroStep,
    gap: Option<GapMode>,
    /// PMC2: response of a window to the link it starts from, per port.
    ahead: Vec<Vec<f64>>,
    w: Vec<f64>,
    /// Start-up: where its last window begins.
    window: Vec<f64>,
    l0: Vec<f64>,
    /// PMC2: Λᵖ.
    predicted: Vec<f64>,
    /// Rates of A at all nodes of the start-up, and their slopes.
    rates: [Vec<f64>; 2],
}

/// The parts of the complete state.
struct State<'a> {
    /// States of A, one after the other: coupled, then free.
    a: &'a mut [f64],
    b: &'a mut [f64],
    /// Multipliers, one after the other.
    l: &'a mut [f64],
    /// Rates of B at the last nodes of the start-up but one, the oldest first.
    rates: &'a mut [f64],
}

impl<'a> State<'a> {
    fn cut(x: &'a mut [f64], layout: &Layout, options: &PmcOptions) -> Self {
        let (a, x) = x.split_at_mut(layout.b.start);
        let (b, x) = x.split_at_mut(layout.b.len());
        let (l, rates) = x.split_at_mut(options.multipliers() * layout.l.len());
        State { a, b, l, rates }
    }
}

impl Pmc {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(
        assembly: Assembly<S>,
        options: PmcOptions,
    ) -> Result<TwoSided<S>, CouplingError> {
        let mut pair = Pair::new(
            assembly,
            |scheme, h| {
                let scheme = timed(scheme);
                let window = Stepping { scheme, dt: options.window() * h, steps: 1 };
                vec![window, Stepping { scheme: calm(scheme), dt: h, steps: 1 }]
            },
            |scheme, h, [substeps, steps]| {
                let (scheme, dt) = (timed(scheme), h / substeps as f64);
                vec![Stepping { scheme, dt, steps }, Stepping { scheme: calm(scheme), dt, steps: substeps }]
            },
        )?;
        pair.require_inertia(pair.ss)?;
        let (na, nb, rows) = (pair.a().len(), pair.fine.len(), pair.rows);
        let others = (options.coupled() + options.free() - 1) * na;
        let kept = options.kept() * pair.fine.lagging_len(0);
        let ([a, _, b, l, ..], len) = ranges([na, others, nb, rows, (options.multipliers() - 1) * rows, kept]);
        // The states of A are written last.
        let layout = Layout { len, open: b.start..len, a, b, l };
        let mut x = vec![0.0; len];
        let s = State::cut(&mut x, &layout, &options);
        let (l, past) = s.l.split_at_mut(rows);
        pair.start((CALM, CALM), &mut s.a[..na], s.b, l)?;
        past[..rows].copy_from_slice(l);
        let mut ha = vec![0.0; rows * rows];
        pair.a().flexibility(WINDOW, &mut ha);
        let fine = FineLoop::new(Kernel::Cubic, Flexibility::unsolved(ha), pair.flexibility(WINDOW, 0)?, rows);
        let start_up = MacroStep::new(&pair, (CALM, CALM), Guess::Constant)?;
        let gap = if options.kappa != 0.0 { Some(GapMode::new(&mut pair)?) } else { None };
        let ahead = if options.predicts() {
            let columns = pair.coarse.side_mut().probe_from_link(WINDOW, WINDOW, [1.0, 0.0]);
            columns.map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?
        } else {
            Vec::new()
        };
        let nodes = (options.starts() + 1) * pair.a().lagging_len(WINDOW);
        let method = Pmc {
            layout,
            options,
            tie: Tie::new(options.tie),
            fine,
            start_up,
            gap,
            ahead,
            w: vec![0.0; 4 * rows],
            window: vec![0.0; na],
            l0: vec![0.0; rows],
            predicted: vec![0.0; rows],
            rates: [vec![0.0; nodes], vec![0.0; nodes]],
        };
        Ok(TwoSided::new(pair, method, x))
    }

    /// Macro-step `k` of the start-up; the last one opens the windows.
    fn start_up<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        x: &mut State<'_>,
        k: u64,
    ) -> Result<(), Located> {
        let (na, rows) = (self.layout.a.len(), self.layout.l.len());
        older(x.a, na);
        older(&mut x.l[rows..], rows);
        let rates = x.rates.len() / self.options.kept();
        x.rates.copy_within(rates.., 0);
        let newest = x.rates.len() - rates;
        pair.fine.lagging_rates(0, x.b, &mut x.rates[newest..]);
        let (l, past) = x.l.split_at_mut(rows);
        let t = k as f64 * pair.h;
        self.start_up.run(pair, (CALM, CALM), &mut x.a[..na], x.b, l, &mut past[..rows], t)?;
        if k + 1 == self.options.starts() as u64 { self.open_windows(pair, x) } else { Ok(()) }
    }

    /// At the last node of the start-up: moves the rates to their time and computes the free states that the first regular step
    /// needs.
    fn open_windows<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        x: &mut State<'_>,
    ) -> Result<(), Located> {
        let (s, h, na, rows) = (self.options.starts(), pair.h, self.layout.a.len(), self.layout.l.len());
        let node = |k: usize| (s - k) * na..(s - k + 1) * na;
        // Slopes first, for all nodes, then the shifts.
        let [rates, slopes] = &mut self.rates;
        let n = rates.len() / (s + 1);
        for k in 0..=s {
            pair.a().lagging_rates(WINDOW, &x.a[node(k)], &mut rates[k * n..(k + 1) * n]);
        }
        for k in 0..=s {
            // The parabola through three nodes, two of them on the same side of the first and of the last; the line through two.
            let first = k.saturating_sub(1).min(s.saturating_sub(2));
            let count = (s + 1).min(3);
            for i in 0..n {
                let mut values = [0.0; 3];
                (0..count).for_each(|j| values[j] = rates[(first + j) * n + i]);
                slopes[k * n + i] = slope(&values[..count], k - first, h);
            }
        }
        (0..=s).for_each(|k| pair.a().shift_rates(WINDOW, &mut x.a[node(k)], |i, _| slopes[k * n + i]));
        let (kept, past) = (self.options.kept(), &*x.rates);
        let m = past.len() / kept;
        pair.fine.shift_rates(0, x.b, |i, now| {
            let mut values = [now; 3];
            (0..kept).for_each(|j| values[j] = past[j * m + i]);
            slope(&values[..=kept], kept, h)
        });
        // The windows that end 1, 2 nodes after the last. Their ends take the places of nodes from which the second one starts.
        let from = |ahead: usize| s + ahead - self.options.windows;
        let tied = |ahead: usize, a: &[f64], side: &Side<S>, x: &mut [f64]| {
            let [k, k1, k2] = [0, 1, 2].map(|back| from(ahead).saturating_sub(back));
            side.tied(&self.tie, [&a[node(k)], &a[node(k1)], &a[node(k2)]], x);
        };
        let free = self.options.free();
        tied(free, x.a, pair.a(), &mut self.window);
        for ahead in 1..=free {
            let [l, l1, l2] = [0, 1, 2].map(|back| (s - from(ahead).saturating_sub(back)) * rows);
            mean(&self.tie, [l, l1, l2].map(|at| &x.l[at..at + rows]), &mut self.l0);
            let t = (from(ahead) as f64 - self.tie.delay) * h;
            pair.coarse.begin((WINDOW, End::Free), t, [&self.l0, &self.l0], |side, start| match ahead == free {
                true => start.copy_from_slice(&self.window),
                false => tied(ahead, x.a, side, start),
            });
            pair.end_coarse()?;
            let place = self.options.coupled() + ahead - 1;
            x.a[place * na..(place + 1) * na].copy_from_slice(pair.coarse.arrived());
        }
        Ok(())
    }

    /// Begins the window of step 1.
    fn begin_window<S: System + Send + 'static>(&mut self, pair: &mut Pair<S>, x: &State<'_>, t: f64) {
        let (na, rows) = (self.layout.a.len(), self.layout.l.len());
        let state = |i: usize| &x.a[i * na..(i + 1) * na];
        let multiplier = |i: usize| &x.l[i * rows..(i + 1) * rows];
        let (coupled, d) = (self.options.coupled(), self.tie.delay * pair.h);
        let (tie, predicted, l0) = (&self.tie, &mut self.predicted, &mut self.l0);
        if self.options.predicts() {
            for (l, (l0, l1)) in predicted.iter_mut().zip(multiplier(0).iter().zip(multiplier(1))) {
                *l = 2.0 * l0 - l1; // Λᵖ_n+1
            }
            mean(tie, [predicted, multiplier(0), multiplier(1)], l0);
            pair.coarse.begin((WINDOW, End::Free), t + (pair.h - d), [l0, l0], |side, start| {
                start.copy_from_slice(state(coupled));
                side.link(WINDOW, start, predicted, 1.0);
                side.tie(tie, start, [state(0), state(1)]);
            });
        } else {
            mean(tie, [multiplier(0), multiplier(1), multiplier(coupled - 1)], l0);
            pair.coarse.begin((WINDOW, End::Free), t - d, [l0, l0], |side, start| {
                side.tied(tie, [state(0), state(1), state(coupled - 1)], start);
            });
        }
    }

    /// Free velocities of A at t_n-1 .. t_n+2.
    fn free_velocities<S: System + Send + 'static>(&mut self, pair: &Pair<S>, x: &State<'_>) {
        let (na, rows) = (self.layout.a.len(), self.layout.l.len());
        let state = |i: usize| &x.a[i * na..(i + 1) * na];
        let free = self.options.coupled();
        let last = if self.options.parallel { state(free + 1) } else { pair.coarse.arrived() };
        self.w.fill(0.0);
        for (w, state) in self.w.chunks_exact_mut(rows.max(1)).zip([state(1), state(0), state(free), last]) {
            pair.a().port_rates(WINDOW, state, w, 1.0);
        }
        for (i, w) in [1, 0].into_iter().zip(self.w.chunks_exact_mut(rows.max(1))) {
            self.fine.add_coarse_flexibility(&x.l[i * rows..(i + 1) * rows], w, 1.0);
        }
    }
}

/// All but the last of the vectors of length `n` one place further: there is room for a new first one.
fn older(x: &mut [f64], n: usize) {
    x.copy_within(..x.len() - n, n);
}

/// The mean of three vectors, the newest first.
fn mean(tie: &Tie, [x, x1, x2]: [&[f64]; 3], out: &mut [f64]) {
    for (i, out) in out.iter_mut().enumerate() {
        *out = tie.mean([x[i], x1[i], x2[i]]);
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Pmc {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Pmc {
            options: self.options,
            tie: self.tie,
            fine: self.fine.blueprint(),
            start_up: self.start_up.blueprint(),
            gap: self.gap.as_ref().map(|gap| gap.blueprint(self.options.kappa)),
            ahead: &self.ahead,
        }
    }

    fn settled(&self) -> u64 {
        self.options.starts() as u64
    }

    fn is_parallel(&self) -> bool {
        self.options.parallel
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (h, ss, t) = (pair.h, pair.ss, k as f64 * pair.h);
        let PmcOptions { parallel, kappa, .. } = self.options;
        let (na, rows, coupled) = (self.layout.a.len(), self.layout.l.len(), self.options.coupled());
        let mut x = State::cut(x, &self.layout, &self.options);
        if k < self.options.starts() as u64 {
            return self.start_up(pair, &mut x, k);
        }
        x.l[coupled * rows..].fill(0.0);
        x.rates.fill(0.0);
        if parallel {
            self.free_velocities(pair, &x);
            self.begin_window(pair, &x, t);
        } else {
            self.begin_window(pair, &x, t);
            pair.end_coarse()?;
            self.free_velocities(pair, &x);
        }
        older(&mut x.l[..coupled * rows], rows);
        let fine = self.fine.run(&mut pair.fine, 0, x.b, &mut x.l[..rows], &self.w, (t, h), ss);
        if parallel {
            pair.end_coarse()?;
        }
        fine.map_err(|f| pair.fine_fault(f))?;

        let (states, free) = x.a.split_at_mut(coupled * na);
        older(states, na);
        states[..na].copy_from_slice(&free[..na]);
        pair.a().link(WINDOW, &mut states[..na], &x.l[..rows], 1.0); // A_n+1
        free.copy_within(na.., 0);
        let newest = free.len() - na;
        free[newest..].copy_from_slice(pair.coarse.arrived());
        if self.options.predicts() {
            self.predicted.iter_mut().zip(&*x.l).for_each(|(d, l)| *d = l - *d); // Λ_n+1 - Λᵖ
            let newest_share = self.tie.mean([1.0, 0.0, 0.0]); // a_0
            pair.a().add_columns(&self.ahead, &mut free[newest..], &self.predicted, newest_share);
        }
        if let Some(gap) = &mut self.gap {
            gap.close(pair, kappa, [states, free], x.b, &mut x.l[..coupled * rows]);
        }
        Ok(())
    }

    fn link<'a>(&'a self, x: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &x[self.layout.l.clone()])
    }
}

impl Options for PmcOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Pmc::start(parts.assembly, self)?))
    }

    fn facts(&self) -> Facts {
        Facts { coarse_step: self.window(), ramped: true, sequences: self.windows, ..Facts::PLAIN }
    }
}

/// Entry of the catalogue.
pub(crate) const PMC: CouplingInfo = CouplingInfo {
    name: "pmc",
    title: "passive multirate coupling, interfield parallel, order 2 for any ratio of steps",
    reference: "derived in this project (book: passivity 2.2)",
    advice: "The default for a specimen: stable for all passive sides, including softening ones, and without drift. \
        The coarse side uses steps of three macro-steps, which is less accurate if it yields strongly.",
    scheme: "alpha-os",
    parallel: true,
    ranks: true,
    parameters: &[KAPPA, TIE],
    build: |a| pmc(a, PmcOptions::PMC),
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const PMC2: CouplingInfo = CouplingInfo {
    name: "pmc2",
    title: "passive multirate coupling with shorter windows, for a linear coarse side",
    reference: "derived in this project (book: passivity 2.6)",
    advice: "Half the error of pmc. Stability is proved for a linear coarse side only; it is unstable if that side \
        softens and has high frequencies: use pmc2s.",
    build: |a| pmc(a, PmcOptions::PMC2),
    ..PMC
};

/// Entry of the catalogue.
pub(crate) const PMC2S: CouplingInfo = CouplingInfo {
    name: "pmc2s",
    title: "passive multirate coupling with shorter windows, the coarse side first, order 2 for any ratio of steps",
    reference: "derived in this project (book: passivity 2.6)",
    advice: "Half the error of pmc, also if the coarse side yields. Not parallel: a step of the coarse side must fit into \
        a fine step.",
    parallel: false,
    build: |a| pmc(a, PmcOptions::PMC2S),
    ..PMC
};

fn pmc(a: Arguments<'_>, family: PmcOptions) -> Result<CouplingMethod, ArgumentError> {
    let kappa = a.number(&KAPPA, 0.0, unit_interval)?;
    let tie = a.number(&TIE, family.tie, unit_interval)?;
    Ok(PmcOptions { kappa, tie, ..family }.into())
}
