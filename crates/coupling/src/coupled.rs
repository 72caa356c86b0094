//! What all couplings of two sides share: complete state, faults that leave everything as it was, threads.

use std::ops::Range;

use interfield_kernel::{Archive, Dims, Fault, Persist, StepMap};

use crate::blueprint::{Blueprint, Schedule, Subdomain};
use crate::flexibility::Flexibility;
use crate::interface::Port;
use crate::pair::{Member, Pair, ranges};
use crate::{CouplingError, Located};

/// A coupling as its users see it.
pub trait Coupling<S>: StepMap + Send {
    /// Number of substructures.
    fn count(&self) -> usize;
    /// Where [u v s h z] of substructure `i` at the present node of the macro-grid stands in the complete state.
    fn range_of(&self, i: usize) -> Range<usize>;
    /// [u v s h z] of substructure `i` at the present node of the macro-grid.
    fn state_of(&self, i: usize) -> &[f64] {
        &self.state()[self.range_of(i)]
    }
    /// Numbers of unknowns of substructure `i`.
    fn dims_of(&self, i: usize) -> Dims;
    /// Entries of L of substructure `i`.
    fn ports_of(&self, i: usize) -> &[Port];
    /// Multipliers at the present node, M a + r + Lᵀ Λ = 0; where a coupling computes them inside of its steps alone,
    /// extrapolated from there.
    fn multipliers(&self) -> &[f64];
    /// Displacement of each port of substructure `i` that came from the link of the last step.
    fn links_of(&self, i: usize, out: &mut [f64]);
    /// Accelerations of substructure `i` at the present node, where its scheme keeps them.
    fn acceleration_of(&self, i: usize) -> Option<&[f64]>;
    /// a -= M⁻¹ Lᵀ Λ: what the multipliers add to the accelerations that the forces of substructure `i` alone cause.
    fn add_multiplier_accelerations(&self, i: usize, a: &mut [f64]);
    /// Whether substructure `i` stands on the fine side.
    fn is_fine(&self, i: usize) -> bool;
    /// System of substructure `i`.
    fn system(&self, i: usize) -> &S;
    /// System of substructure `i`, with the memory that belongs to the present state, and its [u v s h z]: for evaluations outside of a step.
    fn at_node(&mut self, i: usize) -> (&mut S, &[f64]);
    /// The system of these.
    fn system_of(&mut self, i: usize) -> &mut S {
        self.at_node(i).0
    }
    /// Substructure in which the last fault happened.
    fn faulty(&self) -> usize;
    /// Everything that a copy of it elsewhere needs to take the same steps.
    fn blueprint(&self) -> Blueprint<'_, S>;
    /// Brings the complete states of the substructures of other ranks to the first one, which looks at them, as every step does.
    ///
    /// # Errors
    /// The fault of another rank.
    fn gather(&mut self) -> Result<(), Located> {
        Ok(())
    }
    /// Lets threads advance the substructures, or the caller alone: the same bits. Says whether threads will be used;
    /// couplings that are not interfield-parallel cannot.
    fn use_threads(&mut self, threads: bool) -> bool;
}

/// Where things stand in the complete state of a method (without what rigs remember).
pub(crate) struct Layout {
    pub(crate) len: usize,
    /// What a step may have changed when it fails, once the start-up is over.
    pub(crate) open: Range<usize>,
    /// Coarse side at the present node.
    pub(crate) a: Range<usize>,
    /// Fine side at the present node.
    pub(crate) b: Range<usize>,
    /// Multipliers at the present node.
    pub(crate) l: Range<usize>,
}

/// Two sides as a coupling holds them, whatever they can be asked to do in a step.
pub(crate) trait Sides<S>: Send {
    /// Macro-step, s.
    fn macro_step(&self) -> f64;
    /// Where each substructure stands.
    fn places(&self) -> &[Member];
    /// Range of a substructure in the stacked state of its side.
    fn range(&self, place: Member) -> Range<usize>;
    /// Numbers of unknowns.
    fn dims(&self, place: Member) -> Dims;
    /// Entries of L.
    fn ports(&self, place: Member) -> &[Port];
    /// Numbers of constraints and of exchanges per macro-step.
    fn counts(&self) -> (usize, usize);
    /// Tables of the substructures of the coarse and of the fine side, counted within their side.
    fn blueprints(&self) -> [Vec<Subdomain<'_, S>>; 2];
    /// L M⁻¹ Lᵀ.
    fn start_mobility(&self) -> Option<Flexibility>;
    /// The system.
    fn system(&self, place: Member) -> &S;
    /// The same with what its laws remember in the state `x`, to be evaluated.
    fn system_at(&mut self, place: Member, x: &[f64]) -> &mut S;
    /// Displacements of the ports that the multipliers `l` cause through the link of stepping `g`.
    fn link_displacements(&self, place: Member, g: usize, l: &[f64], out: &mut [f64]);
    /// Whether the scheme keeps the accelerations of the nodes.
    fn carries_acceleration(&self, place: Member) -> bool;
    /// a -= M⁻¹ Lᵀ l.
    fn add_accelerations(&self, place: Member, l: &[f64], a: &mut [f64]);
    /// Length of what the rigs of both sides remember.
    fn rigs(&self) -> usize;
    /// Stores what they remember.
    fn keep_rigs(&self, m: &mut [f64]);
    /// Gives it back to them.
    fn recall_rigs(&mut self, m: &[f64]);
    /// Saves or restores what else they remember, and what is kept of the last step for its readers.
    fn persist(&mut self, archive: &mut dyn Archive);
    /// Brings the complete states of all substructures, the coarse and the fine ones from these places of `x` on, to the first rank.
    fn gather(&mut self, _x: &mut [f64], _sides: [usize; 2]) -> Result<(), Located> {
        Ok(())
    }
    /// Lets a thread advance the coarse side, or the caller; says whether a thread will.
    fn use_threads(&mut self, threads: bool) -> bool;
}

/// A schedule over two sides.
pub(crate) trait Algorithm<S, P: Sides<S> = Pair<S>>: Send {
    /// Complete state.
    fn layout(&self) -> &Layout;
    /// Its tables.
    fn schedule(&self) -> Schedule<'_>;
    /// Tables of the twins of the coarse side.
    fn twins(&self) -> Vec<Subdomain<'_, S>> {
        Vec::new()
    }
    /// Number of the first step that is like all later ones.
    fn settled(&self) -> u64;
    /// Whether both sides can advance at the same time.
    fn is_parallel(&self) -> bool;
    /// Step `k` of the macro-grid.
    fn step(&mut self, pair: &mut P, x: &mut [f64], k: u64) -> Result<(), Located>;
    /// Stepping and multipliers of the last link of a side.
    fn link<'a>(&'a self, x: &'a [f64], place: Member) -> (usize, &'a [f64]);
    /// Multipliers at the present node: part of the state, unless they follow from it.
    fn multipliers<'a>(&'a self, _: &'a P, x: &'a [f64]) -> &'a [f64] {
        &x[self.layout().l.clone()]
    }
    /// Saves or restores what it keeps of the last step for its readers.
    fn persist(&mut self, _archive: &mut dyn Archive) {}
    /// Lets a thread advance the coarse side, or the caller.
    fn use_threads(&mut self, pair: &mut P, threads: bool) -> bool {
        pair.use_threads(threads && self.is_parallel())
    }
}

/// A schedule with its sides, of whatever kind.
trait Stepper<S>: Send {
    fn sides(&self) -> &dyn Sides<S>;
    fn sides_mut(&mut self) -> &mut dyn Sides<S>;
    fn layout(&self) -> &Layout;
    fn schedule(&self) -> (Schedule<'_>, Vec<Subdomain<'_, S>>);
    fn settled(&self) -> u64;
    fn step(&mut self, x: &mut [f64], k: u64) -> Result<(), Located>;
    fn links(&self, x: &[f64], place: Member, out: &mut [f64]);
    fn multipliers<'a>(&'a self, x: &'a [f64]) -> &'a [f64];
    fn persist(&mut self, archive: &mut dyn Archive);
    fn use_threads(&mut self, threads: bool) -> bool;
}

struct Paired<P, M> {
    pair: P,
    method: M,
}

impl<S, P: Sides<S>, M: Algorithm<S, P>> Stepper<S> for Paired<P, M> {
    fn sides(&self) -> &dyn Sides<S> {
        &self.pair
    }

    fn sides_mut(&mut self) -> &mut dyn Sides<S> {
        &mut self.pair
    }

    fn layout(&self) -> &Layout {
        self.method.layout()
    }

    fn schedule(&self) -> (Schedule<'_>, Vec<Subdomain<'_, S>>) {
        (self.method.schedule(), self.method.twins())
    }

    fn settled(&self) -> u64 {
        self.method.settled()
    }

    fn step(&mut self, x: &mut [f64], k: u64) -> Result<(), Located> {
        self.method.step(&mut self.pair, x, k)
    }

    fn links(&self, x: &[f64], place: Member, out: &mut [f64]) {
        let (g, l) = self.method.link(x, place);
        self.pair.link_displacements(place, g, l, out);
    }

    fn multipliers<'a>(&'a self, x: &'a [f64]) -> &'a [f64] {
        self.method.multipliers(&self.pair, x)
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.pair.persist(archive);
        self.method.persist(archive);
    }

    fn use_threads(&mut self, threads: bool) -> bool {
        self.method.use_threads(&mut self.pair, threads)
    }
}

/// A coupling of two sides.
pub struct TwoSided<S> {
    stepper: Box<dyn Stepper<S>>,
    /// Complete state of the method, then what the rigs of both sides remember.
    x: Vec<f64>,
    before: Vec<f64>,
    faulty: usize,
}

impl<S: 'static> TwoSided<S> {
    /// Puts a started method and its sides together.
    pub(crate) fn new<P: Sides<S> + 'static>(pair: P, method: impl Algorithm<S, P> + 'static, mut x: Vec<f64>) -> Self {
        let start = x.len();
        x.resize(start + pair.rigs(), 0.0);
        pair.keep_rigs(&mut x[start..]);
        TwoSided { stepper: Box::new(Paired { pair, method }), before: vec![0.0; start], x, faulty: 0 }
    }

    fn recall_rigs(&mut self) {
        let start = self.stepper.layout().len;
        self.stepper.sides_mut().recall_rigs(&self.x[start..]);
    }
}

impl<S: 'static> Persist for TwoSided<S> {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.x.len());
        archive.numbers(&mut self.x);
        self.stepper.persist(archive);
    }
}

impl<S: 'static> StepMap for TwoSided<S> {
    fn len(&self) -> usize {
        self.x.len()
    }

    fn dt(&self) -> f64 {
        self.stepper.sides().macro_step()
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn state_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }

    fn settled(&self) -> u64 {
        self.stepper.settled()
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        let layout = self.stepper.layout();
        let (len, open) = (layout.len, if k < self.settled() { 0..layout.len } else { layout.open.clone() });
        let sides = [layout.a.start, layout.b.start];
        self.before[open.clone()].copy_from_slice(&self.x[open.clone()]);
        self.recall_rigs();
        let (x, rigs) = self.x.split_at_mut(len);
        match self.stepper.step(x, k).and_then(|()| self.stepper.sides_mut().gather(x, sides)) {
            Ok(()) => {
                self.stepper.sides().keep_rigs(rigs);
                Ok(())
            }
            Err(Located { substructure, fault }) => {
                self.faulty = substructure;
                x[open.clone()].copy_from_slice(&self.before[open]);
                Err(fault)
            }
        }
    }
}

impl<S: 'static> Coupling<S> for TwoSided<S> {
    fn count(&self) -> usize {
        self.stepper.sides().places().len()
    }

    fn range_of(&self, i: usize) -> Range<usize> {
        let (layout, sides) = (self.stepper.layout(), self.stepper.sides());
        let place = sides.places()[i];
        let start = match place {
            Member::Coarse(_) => layout.a.start,
            Member::Fine(_) => layout.b.start,
        };
        let within = sides.range(place);
        start + within.start..start + within.end
    }

    fn dims_of(&self, i: usize) -> Dims {
        let sides = self.stepper.sides();
        sides.dims(sides.places()[i])
    }

    fn ports_of(&self, i: usize) -> &[Port] {
        let sides = self.stepper.sides();
        sides.ports(sides.places()[i])
    }

    fn multipliers(&self) -> &[f64] {
        self.stepper.multipliers(&self.x)
    }

    fn links_of(&self, i: usize, out: &mut [f64]) {
        self.stepper.links(&self.x, self.stepper.sides().places()[i], out);
    }

    fn acceleration_of(&self, i: usize) -> Option<&[f64]> {
        let sides = self.stepper.sides();
        let d = self.dims_of(i);
        sides.carries_acceleration(sides.places()[i]).then(|| &self.state_of(i)[d.state()..d.state() + d.nu])
    }

    fn add_multiplier_accelerations(&self, i: usize, a: &mut [f64]) {
        let sides = self.stepper.sides();
        sides.add_accelerations(sides.places()[i], self.multipliers(), a);
    }

    fn is_fine(&self, i: usize) -> bool {
        matches!(self.stepper.sides().places()[i], Member::Fine(_))
    }

    fn system(&self, i: usize) -> &S {
        let sides = self.stepper.sides();
        sides.system(sides.places()[i])
    }

    fn at_node(&mut self, i: usize) -> (&mut S, &[f64]) {
        self.recall_rigs();
        let (place, x) = (self.stepper.sides().places()[i], &self.x[self.range_of(i)]);
        (self.stepper.sides_mut().system_at(place, x), x)
    }

    fn faulty(&self) -> usize {
        self.faulty
    }

    fn blueprint<'a>(&'a self) -> Blueprint<'a, S> {
        let sides = self.stepper.sides();
        let (rows, substeps) = sides.counts();
        let (schedule, twins) = self.stepper.schedule();
        let [coarse, fine] = sides.blueprints();
        let ([a, b, t], _) = ranges([coarse.len(), fine.len(), twins.len()]);
        // Counted within their side, they get their numbers in the assembly.
        let number = |place: fn(usize) -> Member, mut subdomain: Subdomain<'a, S>| {
            let own = place(subdomain.substructure);
            subdomain.substructure = sides.places().iter().position(|p| *p == own).unwrap_or(0);
            subdomain
        };
        let mut subdomains: Vec<_> = coarse.into_iter().map(|p| number(Member::Coarse, p)).collect();
        subdomains.extend(fine.into_iter().map(|p| number(Member::Fine, p)));
        subdomains.extend(twins.into_iter().map(|p| number(Member::Coarse, p)));
        let (h, mobility) = (sides.macro_step(), sides.start_mobility());
        Blueprint { h, substeps, rows, subdomains, coarse: a, fine: b, twins: t, mobility, schedule }
    }

    fn gather(&mut self) -> Result<(), Located> {
        let layout = self.stepper.layout();
        let (len, sides) = (layout.len, [layout.a.start, layout.b.start]);
        self.stepper.sides_mut().gather(&mut self.x[..len], sides)
    }

    fn use_threads(&mut self, threads: bool) -> bool {
        self.stepper.use_threads(threads)
    }
}

/// What a method may ask of its substructures; refusals in words.
pub(crate) fn require(condition: bool, message: &str) -> Result<(), CouplingError> {
    if condition { Ok(()) } else { Err(CouplingError::Unsuitable(message.to_owned())) }
}
