//! The staggered Rosenbrock coupling with subcycling, accelerations continuous at every stage.
//!
//! Paper 001 (pseudo-code 1 to 8), 000 sec. 3; book: partitioned 2.2. Macro-step t → t + h, with B in ss ≥ 1 substeps and the fine clock
//! t_q = t + q h / (2 ss); Λ(A, B) makes the accelerations agree:
//!
//! 1. Λ(A, B) at t; stage 1 of A gives A_m at t + h/2. A_q = (1 - q/ss) A + q/ss A_m for q ≤ ss.
//! 2. For j = 1..ss, q = 2(j-1): stage 1 of B with Λ(A_q, B) gives B_m, stage 2 with Λ(A_q+1, B_m) the new B.
//! 3. Where q = ss is met (the start of a substep for even ss, its middle for odd ss): stage 2 of A with that very Λ(A_m, ·) gives
//!    A_end, and A_q = (1 - (q-ss)/ss) A_m + (q-ss)/ss A_end from there on.
//!
//! ss = 1 is the coupling without subcycling. Mixed: a side with one stage (LSRT1) ends at once, A_end = A + k₁; B with one
//! stage needs no second Λ, but for odd ss its B + k₁/2 closes A. Jacobians without the interface forces, at the starts of the
//! (sub)steps. Second order with LSRT2 on both sides, otherwise first. Not parallel: B needs A_m.
//! State x = [A B]; the multipliers follow from it.   Evaluations: A and B 2 ss each (LSRT2).
//! Stability (measured; book: claims 1): γ plus stable in every scan; γ minus has windows of instability for ss > 1.
//! Deviations: 001 steps 4 and 8 misprint the counter (j = 1, 3, .., ss-1 is meant) and leave out Λ at the starts of later
//! substeps; odd ss > 1 is the natural extension.

use std::marker::PhantomData;

use interfield_kernel::System;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;

use crate::blueprint::Schedule;
use crate::coupled::{Algorithm, Coupling, Layout, TwoSided};
use crate::interface::{Assembly, Substructure};
use crate::pair::{Member, ranges};
use crate::registry::{CouplingInfo, Facts, Level, Options, Parts, Schemes};
use crate::side::SideFault;
use crate::staged::{StagedSide, tableau};
use crate::staged_pair::{Counterpart, StagedPair, Substeps};
use crate::{CouplingError, Located};

/// The method.
pub struct Staggered {
    layout: Layout,
    step: StaggeredStep,
}

impl Staggered {
    /// Starts it.
    pub fn start<S: System + Send + 'static>(assembly: Assembly<S>) -> Result<TwoSided<S>, CouplingError> {
        Self::start_with(assembly, |sub| tableau(sub.scheme))
    }

    /// Starts it with tableaus of the caller's choice.
    pub(crate) fn start_with<S: System + Send + 'static>(
        assembly: Assembly<S>,
        tableau: impl Fn(&Substructure<S>) -> Result<Rosenbrock, CouplingError>,
    ) -> Result<TwoSided<S>, CouplingError> {
        let mut pair = StagedPair::new(assembly, tableau, |h| vec![h], |h, ss| vec![h / ss as f64])?;
        let ([a, b, l], len) = ranges([pair.a.len(), pair.b.len(), 0]);
        let mut x = vec![0.0; len];
        let (xa, xb) = x.split_at_mut(a.end);
        pair.start(xa, xb)?;
        let step = StaggeredStep::new(&pair);
        Ok(TwoSided::new(pair, Staggered { layout: Layout { len, open: b.clone(), a, b, l }, step }, x))
    }
}

impl<S: System + Send + 'static> Algorithm<S, StagedPair<S>> for Staggered {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn schedule(&self) -> Schedule<'_> {
        Schedule::Staggered
    }

    fn settled(&self) -> u64 {
        0
    }

    fn is_parallel(&self) -> bool {
        false
    }

    fn step(&mut self, pair: &mut StagedPair<S>, x: &mut [f64], k: u64) -> Result<(), Located> {
        let (xa, xb) = x.split_at_mut(self.layout.a.end);
        let substeps = Substeps { stepping: 0, count: pair.ss, t: k as f64 * pair.h, h: pair.h };
        self.step.run(pair, 0, xa, xb, substeps)
    }

    fn link<'a>(&'a self, _: &'a [f64], _: Member) -> (usize, &'a [f64]) {
        (0, &[])
    }

    fn multipliers<'a>(&'a self, pair: &'a StagedPair<S>, _: &'a [f64]) -> &'a [f64] {
        &pair.node_multipliers
    }
}

/// One macro-step; the interfield-parallel coupling starts with some.
pub(crate) struct StaggeredStep {
    middle: Vec<f64>,
    end: Vec<f64>,
}

impl StaggeredStep {
    pub(crate) fn new<S: System>(pair: &StagedPair<S>) -> Self {
        StaggeredStep { middle: vec![0.0; pair.a.len()], end: vec![0.0; pair.a.len()] }
    }

    /// Advances both sides; A steps in stepping `stepping`.
    pub(crate) fn run<S: System + Send + 'static>(
        &mut self,
        pair: &mut StagedPair<S>,
        stepping: usize,
        xa: &mut [f64],
        xb: &mut [f64],
        substeps: Substeps,
    ) -> Result<(), Located> {
        let (t, ss, two) = (substeps.t, substeps.count, pair.a.has_second_stage());
        pair.a.recall(xa);
        pair.b.recall(xb);
        pair.a.linearise(xa, t).map_err(|f| pair.coarse_fault(f))?;
        let mut moving =
            Moving { start: xa, middle: &mut self.middle, end: &mut self.end, stepping, t, ss, two, side: PhantomData };
        pair.advance_fine(xb, &mut moving, substeps)?;
        xa.copy_from_slice(&self.end);
        pair.a.keep(xa);
        pair.b.keep(xb);
        Ok(())
    }
}

/// A during the macro-step.
struct Moving<'a, S> {
    start: &'a [f64],
    middle: &'a mut [f64],
    end: &'a mut [f64],
    stepping: usize,
    t: f64,
    ss: usize,
    /// Whether A has a second stage.
    two: bool,
    side: PhantomData<S>,
}

impl<S: System> Counterpart<S> for Moving<'_, S> {
    fn at(&self, q: usize, x: &mut [f64]) {
        if q == 0 {
            x.copy_from_slice(self.start); // there is no middle yet
        } else if q <= self.ss {
            mix(self.start, self.middle, q as f64 / self.ss as f64, x);
        } else {
            mix(self.middle, self.end, (q - self.ss) as f64 / self.ss as f64, x);
        }
    }

    fn needs(&self, q: usize) -> bool {
        self.two && q == self.ss
    }

    fn stages(&self, q: usize) -> bool {
        q == 0 || self.needs(q)
    }

    fn met(&mut self, q: usize, a: &mut StagedSide<S>, _: &StagedSide<S>, l: &[f64]) -> Result<(), SideFault> {
        if q == 0 {
            a.stage(0, self.stepping, self.start, self.t, l);
            a.middle(self.start, self.middle);
        }
        if q == if self.two { self.ss } else { 0 } {
            a.stage(1, self.stepping, self.start, self.t, l);
            self.end.copy_from_slice(self.start);
            a.finish(self.end)?;
        }
        Ok(())
    }
}

/// x = (1 - s) from + s to.
pub(crate) fn mix(from: &[f64], to: &[f64], s: f64, x: &mut [f64]) {
    x.iter_mut().zip(from).zip(to).for_each(|((x, a), b)| *x = (1.0 - s) * a + s * b);
}

/// It has no options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StaggeredOptions;

impl Options for StaggeredOptions {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(Box::new(Staggered::start(parts.assembly)?))
    }

    fn facts(&self) -> Facts {
        Facts::PLAIN
    }
}

/// Entry of the catalogue.
pub(crate) const STAGGERED: CouplingInfo = CouplingInfo {
    name: "staggered",
    title: "staggered real-time Rosenbrock coupling, any number of substeps, order 2",
    reference: "Bursi, Jia, Wang, Monolithic and partitioned L-stable Rosenbrock methods for dynamic substructure tests",
    advice: "Accurate. With gamma = plus it was stable in all our parameter scans; with minus it has ranges of \
        instability. Not parallel.",
    scheme: "lsrt2",
    schemes: Schemes::RealTimeRosenbrock,
    one_rate: true,
    level: Level::Mass,
    build: |_| Ok(StaggeredOptions.into()),
    ..CouplingInfo::PLAIN
};
