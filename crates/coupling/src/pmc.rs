//! PMC, the passive multirate coupling: interfield parallel, second order for any ratio of steps, free of drift, stable for
//! any passive sides, softening included. The recommended coupling for a specimen.
//!
//! Derived in this project (book: passivity 2.2, 3.5, 4.2: statement, proof, limits). Macro-step n → n+1 with A on windows of
//! m = 3 macro-steps, two ahead; f_k is a free state of A (Λ_k = 0), w_k = L^A v^A_k + H^A Λ_k its effective free velocity:
//!
//! 1. *Concurrently* A: f_n+3 from A_n over 3h.
//! 2. *Concurrently* B: for j = 1..ss a free step, (H^A + H^B) d = Σ c_i(x) w_n+i - H^A Λ + L^B v^B, link(d), Λ += d (fine.rs)
//!    with the cubic kernel c over t_n-1 .. t_n+2.
//! 3. A_n+1 = f_n+1 + link^A(Λ_n+1).
//!
//! PMC2: windows of m = 2, for linear A. f_n+3 is computed one step early, from f_n+1 + link(Λᵖ), Λᵖ = 2 Λ_n - Λ_n-1, and
//! corrected by Y (Λ_n+1 - Λᵖ) once Λ_n+1 is known. Half the error of PMC; unproved for a softening A.
//! mix ε: windows start from (1-ε) A_n + ε A_n-1 and ties the interlaced sequences of A together; costs O(ε h).
//! Start-up: m-1 macro-steps of FOH (one more with ε), see start_up.rs.
//! State x = [A_n B_n Λ_n | Λ_n-1 A_n-1 f_n+1 f_n+2 | past].

use interfield_kernel::System;
use interfield_kernel::scheme::registry::{ArgumentError, Arguments, SchemeParameter, parameter};

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided, require};
use crate::fine::{FineLoop, Kernel};
use crate::flexibility::Flexibility;
use crate::foh::{Guess, MacroStep};
use crate::gap::GapMode;
use crate::interface::Assembly;
use crate::pair::{End, Member, Pair, ranges};
use crate::registry::{CouplingInfo, CouplingMethod, Facts, KAPPA, Options, Parts, unit_interval};
use crate::side::Stepping;
use crate::start_up::{calm, slope, timed};
use crate::{CouplingError, Located};

/// Options of the family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PmcOptions {
    /// Length of A's windows in macro-steps: 3 (PMC) or 2 (PMC2, linear A).
    pub windows: usize,
    /// Share κ of the displacement gap that is closed after each step.
    pub kappa: f64,
    /// Mixing ε of the interlaced sequences of A (windows of 3 only).
    pub mix: f64,
}

impl PmcOptions {
    /// PMC.
    pub const PMC: Self = PmcOptions { windows: 3, kappa: 0.0, mix: 0.0 };
    /// PMC2.
    pub const PMC2: Self = PmcOptions { windows: 2, ..Self::PMC };

    /// Length of A's windows with what the mixing adds, in macro-steps.
    pub(crate) fn window(&self) -> f64 {
        self.windows as f64 + self.mix
    }

    /// A hysteretic law in A sees the three interlaced sequences in turn, and what keeps them apart drives it: on the isolated
    /// viaduct the multipliers break away after three seconds.
    pub(crate) fn against_hysteresis(&self) -> Option<[&'static str; 2]> {
        (self.windows == 3 && self.mix == 0.0).then_some([
            "whose three interlaced sequences `pmc` does not couple",
            "write mix = 0.01 in [coupling], or use another coupling (book: passivity 4.1)",
        ])
    }
}

/// Steppings of A: its windows, and the start-up.
const WINDOW: usize = 0;
const CALM: usize = 1;

/// The method.
pub struct Pmc {
    layout: Layout,
    options: PmcOptions,
    fine: FineLoop,
    start_up: MacroStep,
    /// Macro-steps of the start-up.
    starts: usize,
    gap: Option<GapMode>,
    /// PMC2: response of a window to the link it starts from, per port.
    ahead: Vec<Vec<f64>>,
    w: Vec<f64>,
    window: Vec<f64>,
    l0: Vec<f64>,
    /// Slopes of the rates at all nodes of the start-up, A then B.
    slopes: Vec<f64>,
}

impl Pmc {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(
        assembly: Assembly<S>,
        options: PmcOptions,
    ) -> Result<TwoSided<S>, CouplingError> {
        let PmcOptions { windows, kappa, mix } = options;
        require(windows == 3 || mix == 0.0, "mix needs windows of 3 macro-steps (pmc, not pmc2)")?;
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
        let starts = windows - 1 + usize::from(mix != 0.0);
        let (na, nb, rows) = (pair.a().len(), pair.fine.len(), pair.rows);
        let past = starts * (na + nb + rows);
        let ([a, b, l, ..], len) = ranges([na, nb, rows, rows, na, na, na, past]);
        let mut x = vec![0.0; len];
        {
            let (xa, rest) = x.split_at_mut(na);
            let (xb, rest) = rest.split_at_mut(nb);
            let (l0, rest) = rest.split_at_mut(rows);
            pair.start((CALM, CALM), xa, xb, l0)?;
            rest[..rows].copy_from_slice(l0);
        }
        let mut ha = vec![0.0; rows * rows];
        pair.a().flexibility(WINDOW, &mut ha);
        let fine = FineLoop::new(Kernel::Cubic, Flexibility::unsolved(ha), pair.flexibility(WINDOW, 0)?, rows);
        let start_up = MacroStep::new(&pair, (CALM, CALM), Guess::Linear)?;
        let gap = if kappa != 0.0 { Some(GapMode::new(&mut pair)?) } else { None };
        let ahead = if windows == 2 {
            let columns = pair.coarse.side_mut().probe_from_link(WINDOW, WINDOW, [1.0, 0.0]);
            columns.map_err(|f| CouplingError::Fault(pair.coarse_fault(f)))?
        } else {
            Vec::new()
        };
        let (w, window, l0) = (vec![0.0; 4 * rows], vec![0.0; na], vec![0.0; rows]);
        let slopes = vec![0.0; (starts + 1) * na + nb];
        let layout = Layout { len, a, b, l };
        Ok(TwoSided::new(pair, Pmc { layout, options, fine, start_up, starts, gap, ahead, w, window, l0, slopes }, x))
    }

    /// After the last start-up step: moves the rates to their time and computes the free states that the first regular
    /// step needs. `pa` holds A_0.., `a` the newest.
    fn open_windows<S: System + Send + 'static>(
        &mut self,
        pair: &mut Pair<S>,
        x: &mut State<'_>,
    ) -> Result<(), Located> {
        let (s, na, nb, h) = (self.starts, x.a.len(), x.b.len(), pair.h);
        let rows = x.l.len();
        let (pa, rest) = x.past.split_at_mut(s * na);
        let (pb, pl) = rest.split_at_mut(s * nb);
        // Slopes first, for all nodes, then the shifts.
        let rate = |past: &[f64], now: &[f64], n: usize, node: usize, i: usize| {
            let value = |k: usize| if k == s { now[i] } else { past[k * n + i] };
            if s == 1 {
                return slope(&[value(0), value(1)], node, h);
            }
            let first = node.saturating_sub(1).min(s - 2);
            slope(&[value(first), value(first + 1), value(first + 2)], node - first, h)
        };
        let (slopes, last) = self.slopes.split_at_mut((s + 1) * na);
        for node in 0..=s {
            (0..na).for_each(|i| slopes[node * na + i] = rate(pa, x.a, na, node, i));
        }
        (0..nb).for_each(|i| last[i] = rate(pb, x.b, nb, s, i));
        for (node, a) in pa.chunks_exact_mut(na.max(1)).enumerate() {
            pair.a().shift_rates(WINDOW, a, |i| slopes[node * na + i]);
        }
        pair.a().shift_rates(WINDOW, x.a, |i| slopes[s * na + i]);
        pair.fine.shift_rates(0, x.b, |i| last[i]);
        let eps = self.options.mix;
        for (ahead, f) in [&mut *x.f1, &mut *x.f2].into_iter().enumerate() {
            let from = s + 1 + ahead - self.options.windows;
            let node = |k: usize, i: usize| if k == s { x.a[i] } else { pa[k * na + i] };
            let multiplier = |k: usize, i: usize| if k == s { x.l[i] } else { pl[k * rows + i] };
            for i in 0..na {
                self.window[i] = node(from, i);
                if eps != 0.0 {
                    self.window[i] += eps * (node(from - 1, i) - node(from, i));
                }
            }
            for i in 0..rows {
                self.l0[i] = multiplier(from, i);
                if eps != 0.0 {
                    self.l0[i] += eps * (multiplier(from - 1, i) - multiplier(from, i));
                }
            }
            let t = (from as f64 - eps) * h;
            pair.coarse.begin(WINDOW, End::Free, &self.window, t, &self.l0, &self.l0);
            pair.coarse.end(f).map_err(|f| pair.coarse_fault(f))?;
        }
        x.a_last.copy_from_slice(&pa[(s - 1) * na..]);
        Ok(())
    }
}

/// The parts of the complete state.
struct State<'a> {
    a: &'a mut [f64],
    b: &'a mut [f64],
    l: &'a mut [f64],
    l_last: &'a mut [f64],
    a_last: &'a mut [f64],
    f1: &'a mut [f64],
    f2: &'a mut [f64],
    past: &'a mut [f64],
}

impl<'a> State<'a> {
    fn cut(x: &'a mut [f64], layout: &Layout) -> Self {
        let (na, nb, rows) = (layout.a.len(), layout.b.len(), layout.l.len());
        let (a, x) = x.split_at_mut(na);
        let (b, x) = x.split_at_mut(nb);
        let (l, x) = x.split_at_mut(rows);
        let (l_last, x) = x.split_at_mut(rows);
        let (a_last, x) = x.split_at_mut(na);
        let (f1, x) = x.split_at_mut(na);
        let (f2, past) = x.split_at_mut(na);
        State { a, b, l, l_last, a_last, f1, f2, past }
    }
}

impl<S: System + Send + 'static> Algorithm<S> for Pmc {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Pmc {
            options: self.options,
            fine: self.fine.blueprint(),
            start_up: self.start_up.blueprint(),
            starts: self.starts,
            gap: self.gap.as_ref().map(|gap| gap.blueprint(self.options.kappa)),
            ahead: &self.ahead,
        }
    }

    fn settled(&self) -> u64 {
        self.starts as u64
    }

    fn is_parallel(&self) -> bool {
        true
    }

    fn step(&mut self, pair: &mut Pair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (h, ss, t) = (pair.h, pair.ss, k as f64 * pair.h);
        let mut x = State::cut(x, &self.layout);
        let (na, nb, rows, s) = (x.a.len(), x.b.len(), x.l.len(), self.starts);
        if k < s as u64 {
            let node = k as usize;
            let (pa, rest) = x.past.split_at_mut(s * na);
            let (pb, pl) = rest.split_at_mut(s * nb);
            pa[node * na..][..na].copy_from_slice(x.a);
            pb[node * nb..][..nb].copy_from_slice(x.b);
            pl[node * rows..][..rows].copy_from_slice(x.l);
            self.start_up.run(pair, (CALM, CALM), x.a, x.b, x.l, x.l_last, t)?;
            if node + 1 == s {
                self.open_windows(pair, &mut x)?;
            }
            return Ok(());
        }
        x.past.fill(0.0);

        // Free velocities of A at t_n-1 .. t_n+2.
        self.w.fill(0.0);
        for (i, (state, l)) in [(&*x.a_last, Some(&*x.l_last)), (&*x.a, Some(&*x.l)), (&*x.f1, None), (&*x.f2, None)]
            .into_iter()
            .enumerate()
        {
            let w = &mut self.w[i * rows..(i + 1) * rows];
            pair.a().port_rates(WINDOW, state, w, 1.0);
            if let Some(l) = l {
                self.fine.add_coarse_flexibility(l, w, 1.0);
            }
        }
        // A's window, two nodes further than B will look in this step.
        let eps = self.options.mix;
        if self.options.windows == 3 {
            for i in 0..na {
                self.window[i] = x.a[i] + eps * (x.a_last[i] - x.a[i]);
            }
            for i in 0..rows {
                self.l0[i] = x.l[i] + eps * (x.l_last[i] - x.l[i]);
            }
            pair.coarse.begin(WINDOW, End::Free, &self.window, t - eps * h, &self.l0, &self.l0);
        } else {
            for i in 0..rows {
                self.l0[i] = 2.0 * x.l[i] - x.l_last[i]; // Λᵖ_n+1
            }
            self.window.copy_from_slice(x.f1);
            pair.a().link(WINDOW, &mut self.window, &self.l0, 1.0);
            pair.coarse.begin(WINDOW, End::Free, &self.window, t + h, &self.l0, &self.l0);
        }
        x.l_last.copy_from_slice(x.l);
        let fine = self.fine.run(&mut pair.fine, 0, x.b, x.l, &self.w, (t, h), ss);
        pair.coarse.end(&mut self.window).map_err(|f| pair.coarse_fault(f))?;
        fine.map_err(|f| pair.fine_fault(f))?;

        x.a_last.copy_from_slice(x.a);
        x.a.copy_from_slice(x.f1);
        pair.a().link(WINDOW, x.a, x.l, 1.0); // A_n+1
        x.f1.copy_from_slice(x.f2);
        x.f2.copy_from_slice(&self.window);
        if self.options.windows == 2 {
            for i in 0..rows {
                self.l0[i] = x.l[i] - self.l0[i];
            }
            pair.a().add_columns(&self.ahead, x.f2, &self.l0); // + Y (Λ_n+1 - Λᵖ)
        }
        if let Some(gap) = &mut self.gap {
            let State { a, b, l, l_last, a_last, f1, f2, .. } = x;
            gap.close(pair, self.options.kappa, &mut [a, a_last], &mut [f1, f2], b, &mut [l, l_last]);
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
        Facts {
            coarse_step: self.window(),
            ramped: true,
            against_hysteresis: self.against_hysteresis(),
            not_in_c: None,
        }
    }
}

const MIX: SchemeParameter = parameter(
    "mix",
    Some("0"),
    "a number from 0 to 0.2",
    "couples the interlaced sequences of the coarse side; 0.01 for noisy tests",
);

/// Entry of the catalogue.
pub(crate) const PMC: CouplingInfo = CouplingInfo {
    name: "pmc",
    title: "passive multirate coupling, interfield parallel, order 2 for any ratio of steps",
    reference: "derived in this project (book: passivity 2.2)",
    advice: "The default for a specimen: stable for all passive sides, including softening ones, and without drift. \
        The coarse side uses steps of three macro-steps, which is less accurate if it yields strongly; hysteretic \
        laws there need mix = 0.01.",
    scheme: "alpha-os",
    parallel: true,
    parameters: &[KAPPA, MIX],
    build: |a| pmc(a, PmcOptions::PMC),
    ..CouplingInfo::PLAIN
};

/// Entry of the catalogue.
pub(crate) const PMC2: CouplingInfo = CouplingInfo {
    name: "pmc2",
    title: "passive multirate coupling with shorter windows, for a linear coarse side",
    reference: "derived in this project (book: passivity 2.6)",
    advice: "Half the error of pmc. Stability is proved for a linear coarse side only; it is unstable if that side \
        softens and has high frequencies.",
    scheme: "alpha-os",
    parallel: true,
    parameters: &[KAPPA],
    build: |a| pmc(a, PmcOptions::PMC2),
    ..CouplingInfo::PLAIN
};

fn pmc(a: Arguments<'_>, family: PmcOptions) -> Result<CouplingMethod, ArgumentError> {
    let kappa = a.number(&KAPPA, 0.0, unit_interval)?;
    let mix = a.number(&MIX, 0.0, |x| (0.0..=0.2).contains(&x))?;
    Ok(PmcOptions { kappa, mix, ..family }.into())
}
