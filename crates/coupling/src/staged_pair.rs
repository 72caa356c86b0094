//! Two staged sides, the multipliers at which their accelerations agree, and the substeps of B between given states of A.
//!
//! ```text
//! H Λ = L^A a^A + L^B a^B,   H = L^A M_A⁻¹ L^Aᵀ + L^B M_B⁻¹ L^Bᵀ,   a = -M⁻¹ r      (book: partitioned 2.1)
//! ```
//!
//! The fine clock counts half substeps: q = 0 .. 2 ss, t_q = t + q h / (2 ss).

use std::ops::Range;

use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::{Archive, Dims, System};

use crate::blueprint::Subdomain;
use crate::coupled::{Sides, require};
use crate::flexibility::Flexibility;
use crate::interface::{Assembly, Port, Substructure};
use crate::memory::{keep_rigs, recall_rigs, rigs};
use crate::pair::{Member, locate, sort};
use crate::side::SideFault;
use crate::staged::StagedSide;
use crate::{CouplingError, Located};

/// Both sides.
pub(crate) struct StagedPair<S> {
    pub(crate) a: StagedSide<S>,
    pub(crate) b: StagedSide<S>,
    places: Vec<Member>,
    /// Macro-step h, s.
    pub(crate) h: f64,
    /// Substeps of B per macro-step.
    pub(crate) ss: usize,
    mobility: Flexibility,
    /// Multipliers at the present node: along the line through the start and the middle of the last substep, or those of
    /// its start where schemes of one stage need no others. For reading alone; nothing is computed from them.
    pub(crate) node_multipliers: Vec<f64>,
    /// Rates of B at the start of the last macro-step.
    pub(crate) node_rates: Vec<f64>,
    at_a: Vec<f64>,
    at_b: Vec<f64>,
    l: Vec<f64>,
}

/// What B meets during its substeps: A, as a schedule lets it move.
pub(crate) trait Counterpart<S> {
    /// State of A at half substep `q`.
    fn at(&self, q: usize, x: &mut [f64]);
    /// Whether A needs the multipliers at the middle `q` of a substep.
    fn needs(&self, q: usize) -> bool;
    /// Whether a stage of A follows at half substep `q`.
    fn stages(&self, q: usize) -> bool;
    /// Both sides have been evaluated at half substep `q`; under `l` their accelerations agree.
    fn met(&mut self, q: usize, a: &mut StagedSide<S>, b: &StagedSide<S>, l: &[f64]) -> Result<(), SideFault>;
}

/// Substeps of B: their stepping and number, and start and length of the macro-step.
#[derive(Clone, Copy)]
pub(crate) struct Substeps {
    pub(crate) stepping: usize,
    pub(crate) count: usize,
    pub(crate) t: f64,
    pub(crate) h: f64,
}

impl<S: System + Send + 'static> StagedPair<S> {
    /// Sorts substructures into sides that may step with lengths made from (h) and (h, ss).
    pub(crate) fn new(
        assembly: Assembly<S>,
        tableau: impl Fn(&Substructure<S>) -> Result<Rosenbrock, CouplingError>,
        coarse: impl Fn(f64) -> Vec<f64>,
        fine: impl Fn(f64, usize) -> Vec<f64>,
    ) -> Result<Self, CouplingError> {
        let Assembly { substructures, rows, dt: h, .. } = assembly;
        let (places, a, b) = sort(substructures);
        let ss = b.first().map_or(1, |s| s.substeps);
        require(
            ss > 0 && b.iter().all(|s| s.substeps == ss),
            "all substructures of the fine side need the same number of substeps, at least 1",
        )?;
        require(a.iter().all(|s| s.substeps == 1), "substructures of the coarse side take one step per macro-step")?;
        let with = |subs: Vec<Substructure<S>>| -> Result<Vec<_>, CouplingError> {
            subs.into_iter().map(|s| tableau(&s).map(|tableau| (s, tableau))).collect()
        };
        let whose = |place: fn(usize) -> Member, (i, fault)| CouplingError::Fault(locate(&places, place(i), fault));
        let a = StagedSide::new(with(a)?, rows, &coarse(h)).map_err(|e| whose(Member::Coarse, e))?;
        let b = StagedSide::new(with(b)?, rows, &fine(h, ss)).map_err(|e| whose(Member::Fine, e))?;
        let mobility = mobility(&a, &b, rows)?;
        let (at_a, at_b, node_rates) = (vec![0.0; a.len()], vec![0.0; b.len()], vec![0.0; b.rates_len()]);
        let (node_multipliers, l) = (vec![0.0; rows], vec![0.0; rows]);
        Ok(StagedPair { a, b, places, h, ss, mobility, node_multipliers, node_rates, at_a, at_b, l })
    }

    /// Fills in the initial states and the multipliers there.
    pub(crate) fn start(&mut self, xa: &mut [f64], xb: &mut [f64]) -> Result<(), CouplingError> {
        self.a.initial(xa);
        self.b.initial(xb);
        let evaluated = self.a.evaluate(xa, 0.0).map_err(|f| self.coarse_fault(f));
        evaluated
            .and_then(|()| self.b.evaluate(xb, 0.0).map_err(|f| self.fine_fault(f)))
            .map_err(CouplingError::Fault)?;
        self.a.keep(xa);
        self.b.keep(xb);
        self.find_multipliers();
        self.node_multipliers.copy_from_slice(&self.l);
        Ok(())
    }

    /// Λ of the last evaluations of both sides.
    fn find_multipliers(&mut self) {
        self.l.fill(0.0);
        self.a.port_accelerations(&mut self.l);
        self.b.port_accelerations(&mut self.l);
        self.mobility.solve(&mut self.l);
    }

    /// The substeps of B from `xb` beside A; every stage point of B is evaluated once.
    pub(crate) fn advance_fine(
        &mut self,
        xb: &mut [f64],
        a: &mut impl Counterpart<S>,
        steps: Substeps,
    ) -> Result<(), Located> {
        let Substeps { stepping, count, t, h } = steps;
        let two = self.b.has_second_stage();
        let time = |q: usize| t + q as f64 * (h / (2 * count) as f64);
        for q in 0..2 * count {
            let (stage, start) = (q % 2, time(q - q % 2));
            if stage == 0 {
                let found = self.b.linearise(xb, start).and_then(|()| self.b.evaluate(xb, start));
                found.map_err(|f| self.fine_fault(f))?;
            } else if two || a.needs(q) {
                self.b.middle(xb, &mut self.at_b);
                self.b.evaluate(&self.at_b, time(q)).map_err(|f| self.fine_fault(f))?;
            }
            if stage == 0 || two || a.needs(q) {
                a.at(q, &mut self.at_a);
                let (at, side) = (&self.at_a, &mut self.a);
                let found = if a.stages(q) { side.evaluate(at, time(q)) } else { side.evaluate_ports(at, time(q)) };
                found.map_err(|f| self.coarse_fault(f))?;
                self.find_multipliers();
                if q == 0 {
                    self.b.rates(&mut self.node_rates);
                }
                for (node, l) in self.node_multipliers.iter_mut().zip(&self.l) {
                    *node = if stage == 0 { *l } else { 2.0 * l - *node };
                }
                a.met(q, &mut self.a, &self.b, &self.l).map_err(|f| self.coarse_fault(f))?;
                self.b.stage(stage, stepping, xb, start, &self.l);
            }
            if stage == 1 {
                self.b.finish(xb).map_err(|f| self.fine_fault(f))?;
            }
        }
        Ok(())
    }

    /// A fault of the coarse side, with the substructure.
    pub(crate) fn coarse_fault(&self, (i, fault): SideFault) -> Located {
        locate(&self.places, Member::Coarse(i), fault)
    }

    fn fine_fault(&self, (i, fault): SideFault) -> Located {
        locate(&self.places, Member::Fine(i), fault)
    }

    fn side(&self, place: Member) -> (&StagedSide<S>, usize) {
        match place {
            Member::Coarse(i) => (&self.a, i),
            Member::Fine(i) => (&self.b, i),
        }
    }
}

/// H of two sides, factorised.
pub(crate) fn mobility<S: System>(
    a: &StagedSide<S>,
    b: &StagedSide<S>,
    rows: usize,
) -> Result<Flexibility, CouplingError> {
    let mut h = vec![0.0; rows * rows];
    a.mobility(&mut h);
    b.mobility(&mut h);
    Flexibility::new(h, rows)
}

impl<S: System + Send + 'static> Sides<S> for StagedPair<S> {
    fn macro_step(&self) -> f64 {
        self.h
    }

    fn places(&self) -> &[Member] {
        &self.places
    }

    fn range(&self, place: Member) -> Range<usize> {
        let (side, i) = self.side(place);
        side.range(i)
    }

    fn dims(&self, place: Member) -> Dims {
        let (side, i) = self.side(place);
        side.dims(i)
    }

    fn ports(&self, place: Member) -> &[Port] {
        let (side, i) = self.side(place);
        side.ports(i)
    }

    fn counts(&self) -> (usize, usize) {
        (self.l.len(), self.ss)
    }

    fn blueprints(&self) -> [Vec<Subdomain<'_, S>>; 2] {
        [self.a.blueprint(), self.b.blueprint()]
    }

    fn start_mobility(&self) -> Option<Flexibility> {
        mobility(&self.a, &self.b, self.l.len()).ok()
    }

    fn system(&self, place: Member) -> &S {
        let (side, i) = self.side(place);
        side.system(i)
    }

    fn system_at(&mut self, place: Member, x: &[f64]) -> &mut S {
        match place {
            Member::Coarse(i) => self.a.at(i, x),
            Member::Fine(i) => self.b.at(i, x),
        }
    }

    /// Nothing is linked: the multipliers act through the stages.
    fn link_displacements(&self, _: Member, _: usize, _: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }

    fn carries_acceleration(&self, _: Member) -> bool {
        false
    }

    fn add_accelerations(&self, place: Member, l: &[f64], a: &mut [f64]) {
        let (side, i) = self.side(place);
        side.add_accelerations(i, l, a);
    }

    fn rigs(&self) -> usize {
        rigs(self.a.systems().chain(self.b.systems()))
    }

    fn keep_rigs(&self, m: &mut [f64]) {
        keep_rigs(self.a.systems().chain(self.b.systems()), m);
    }

    fn recall_rigs(&mut self, m: &[f64]) {
        recall_rigs(self.a.systems_mut().chain(self.b.systems_mut()), m);
    }

    fn persist(&mut self, archive: &mut dyn Archive) {
        self.a.persist(archive);
        self.b.persist(archive);
        archive.numbers(&mut self.node_multipliers);
    }

    fn use_threads(&mut self, _: bool) -> bool {
        false
    }
}
