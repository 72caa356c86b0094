//! LLM: any number of state-space elements tied to generalized degrees of freedom by localized multipliers.
//!
//! Paper 004 (after K. C. Park, C. A. Felippa, U. A. Gumaste, Comput. Mech. 24:476-490, 2000); book: partitioned 4.
//! Each tie of an element has its own multiplier, so that a node shared by three elements leaves nothing to choose and
//! the operator is always regular; the classical form with pairwise constraints (CLM) is gc.rs with the same schemes. With G picking
//! rates u', B loading momentum rows, l̄ the ties and l̄c the imposed rates:
//!
//! ```text
//! M X' + R(X) = F(t) + B Λ,   G X' = l̄ X'g,   l̄c X'g = h(t),   Σ l̄ᵀ Λ = l̄cᵀ Λc
//! ```
//!
//! 1. Every element steps alone, under the multipliers as they are.
//! 2. One interface problem for Λ, Λc and X'g with h(t + dt + (αf - αm) dt), see condensed.rs.
//! 3. Link of every element. Λ belongs to t + αf dt (t + dt for the trapezoidal rule).
//!
//! Start: the same problem with M in place of D, accelerations in place of rates, and h'(0). Without it (`Start::Free`) gaps of
//! accelerations, and multipliers, would alternate forever (eigenvalue -1 per generalized degree of freedom; -ρ∞ with
//! generalized-α), as they do when h jumps. Order 2; for nonlinear elements only with the full predictor.
//! State x = [elements [u v s h z], Λ, Λc].   Evaluations: one per element.
//! Deviations from paper 004: plus signs in l̄c (as printed, -h is imposed) and a minus sign in B̄ of the last element (as
//! printed, the operator is not symmetric); G and B have a zero block for s; B Λ acts on every element; h is a *rate*,
//! also where the paper speaks of a displacement; second order and conservation of energy hold for linear elements, or
//! (the order) with the full predictor. h enters at the time to which the scheme assigns its rates, which for the trapezoidal
//! rule is t + dt; at t + dt generalized-α is of first order with moving supports. In step 1 the paper has Λ = 0, the same with one evaluation per step.
//! L of an element is -Gᵀ here, so that M a + r + Lᵀ Λ = 0 as everywhere in this crate.

use std::ops::Range;

use interfield_kernel::fault::check_finite;
use interfield_kernel::scheme::registry::{Argument, SchemeParameter, parameter};
use interfield_kernel::{Archive, Dims, Fault, Persist, Scheme, StepMap, System};

use crate::blueprint::{Blueprint, Schedule, Subdomain};
use crate::condensed::{Condensed, ranges};
use crate::coupled::{Coupling, require};
use crate::interface::{Assembly, Port, Substructure};
use crate::localized::{Imposed, Localized};
use crate::memory::{keep_rigs, recall_rigs, rigs};
use crate::ranks::{Channel, Mail, Ranks};
use crate::registry::{CouplingInfo, Facts, Options, Parts, Schemes};
use crate::side::{Side, SideFault, Stepping};
use crate::{CouplingError, Located};

/// The multipliers of the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// Those at which the accelerations agree.
    Consistent,
    /// None: each element begins with its own accelerations. Gaps of accelerations, and multipliers, alternate then.
    Free,
}

impl Start {
    pub(crate) fn not_in_c(&self) -> Option<[&'static str; 2]> {
        (*self == Start::Free).then_some([
            "the generated C supports only the consistent start of localized multipliers",
            "write start = \"consistent\" in [coupling]",
        ])
    }
}

/// An element, and where it stands in the complete state.
struct Element<S> {
    side: Side<S>,
    x: Range<usize>,
    /// Its multipliers, counted over all elements.
    ties: Range<usize>,
    rigs: Range<usize>,
    ports: Vec<Port>,
}

/// The coupling.
pub struct Llm<S> {
    elements: Vec<Element<S>>,
    problem: Condensed,
    /// The problem of the start.
    inertial: Condensed,
    imposed: Vec<Imposed>,
    dt: f64,
    /// Rates after a step to t belong to t + lag, s.
    lag: f64,
    /// Complete state, then what the rigs of the elements remember.
    x: Vec<f64>,
    before: Vec<f64>,
    /// Λ in the state.
    multipliers: Range<usize>,
    /// Λc in the state.
    reactions: Range<usize>,
    w: Vec<f64>,
    /// Imposed rates.
    h: Vec<f64>,
    faulty: usize,
    /// Who has which element.
    ranks: Ranks,
    mail: Mail,
    /// How the strides of the elements went that began.
    outcomes: Vec<Result<(), SideFault>>,
}

impl<S: System + Send + 'static> Llm<S> {
    /// Starts the substructures of an assembly, whose constraints are not looked at, tied as `interface` says.
    pub fn start(assembly: Assembly<S>, interface: Localized) -> Result<Self, CouplingError> {
        Self::start_from(assembly, interface, Start::Consistent)
    }

    /// [`Llm::start`] with other multipliers.
    pub fn start_from(assembly: Assembly<S>, interface: Localized, start: Start) -> Result<Self, CouplingError> {
        let Assembly { substructures, dt, ranks, .. } = assembly;
        interface.check(&substructures)?;
        let lag = check_schemes(&substructures)? * dt;
        let ranges = ranges(&interface);
        let count = ranges.last().map_or(0, |r| r.end);
        let mut begun = Vec::new();
        let (mut end, mut last) = (0, 0);
        for (i, (mut sub, ties)) in substructures.into_iter().zip(ranges).enumerate() {
            let port = |first: usize| {
                move |(j, tie): (usize, &(usize, usize))| Port { row: first + j, dof: tie.0, sign: -1.0 }
            };
            let ports = interface.ties[i].iter().enumerate().map(port(ties.start)).collect();
            sub.ports = interface.ties[i].iter().enumerate().map(port(0)).collect();
            let own = (ranks.of(std::iter::once(i)), Channel::Coarse);
            let side = Side::begin(vec![sub], ties.len(), own, |scheme, _| vec![Stepping { scheme, dt, steps: 1 }]);
            let side = side.map_err(|(_, fault)| refusal(i, fault))?;
            let (x, rigs) = (end..end + side.len(), last..last + rigs(side.systems()));
            (end, last) = (x.end, rigs.end);
            begun.push(Element { side, x, ties, rigs, ports });
        }
        // Other ranks are waited for when this one has done what it can.
        let complete = |(i, e): (usize, Element<S>)| {
            Ok(Element { side: e.side.complete().map_err(|(_, fault)| refusal(i, fault))?, ..e })
        };
        let mut elements = begun.into_iter().enumerate().map(complete).collect::<Result<Vec<_>, CouplingError>>()?;
        let multipliers = end..end + count;
        let reactions = multipliers.end..multipliers.end + interface.imposed.len();
        elements.iter_mut().for_each(|e| e.rigs = e.rigs.start + reactions.end..e.rigs.end + reactions.end);
        let block = |e: &Element<S>, fill: fn(&Side<S>, &mut [f64])| {
            let mut w = vec![0.0; e.ties.len() * e.ties.len()];
            fill(&e.side, &mut w);
            w
        };
        let inertial = elements.iter().map(|e| block(e, Side::mobility)).collect();
        let inertial = Condensed::new(&interface, inertial)?;
        let flexible = elements.iter().map(|e| block(e, |side, w| side.flexibility(0, w))).collect();
        let problem = Condensed::new(&interface, flexible)?;
        let x = vec![0.0; reactions.end + last];
        let mut this = Llm {
            outcomes: vec![Ok(()); elements.len()],
            elements,
            problem,
            inertial,
            dt,
            lag,
            before: x.clone(),
            x,
            multipliers,
            reactions,
            w: vec![0.0; count],
            h: vec![0.0; interface.imposed.len()],
            imposed: interface.imposed,
            faulty: 0,
            mail: Mail::new(&ranks, Channel::Whole, 0),

            ranks,
        };
        this.begin(start)?;
        Ok(this)
    }

    /// Λ and Λc so that the accelerations agree, or none, then the histories under them.
    fn begin(&mut self, start: Start) -> Result<(), CouplingError> {
        self.w.fill(0.0);
        for (i, e) in self.elements.iter_mut().enumerate() {
            let x = &mut self.x[e.x.clone()];
            x.copy_from_slice(&e.side.initial());
            let w = &mut self.w[e.ties.clone()];
            e.side.free_accelerations(x, 0.0, w).map_err(|(_, fault)| refusal(i, fault))?;
        }
        if start == Start::Consistent {
            self.solve(0.0, 1);
        }
        for (i, e) in self.elements.iter_mut().enumerate() {
            let (x, rest) = self.x.split_at_mut(self.multipliers.start);
            let l = &rest[e.ties.clone()];
            e.side.restart(0, &mut x[e.x.clone()], 0.0, l).map_err(|(_, fault)| refusal(i, fault))?;
        }
        self.keep_rigs();
        Ok(())
    }

    /// Λ and Λc at `t` from the port rates in `w`, which becomes the change of Λ. The imposed functions enter with their
    /// derivative number `derivative`: 0 in steps, 1 at the start, which has its own problem.
    fn solve(&mut self, t: f64, derivative: usize) {
        for (h, imposed) in self.h.iter_mut().zip(&self.imposed) {
            *h = (imposed.rate)(t)[derivative];
        }
        let (l, rest) = self.x[self.multipliers.start..].split_at_mut(self.multipliers.len());
        let reactions = &mut rest[..self.imposed.len()];
        let problem = if derivative == 0 { &mut self.problem } else { &mut self.inertial };
        problem.solve(&mut self.w, l, &self.h, reactions);
    }

    fn advance(&mut self, k: u64) -> Result<(), Located> {
        let t = k as f64 * self.dt;
        self.w.fill(0.0);
        let (x, l) = self.x.split_at_mut(self.multipliers.start);
        // Those of this rank first: the others are waited for then.
        for (e, outcome) in self.elements.iter_mut().zip(&mut self.outcomes) {
            let (x, l) = (&mut x[e.x.clone()], &l[e.ties.clone()]);
            *outcome = e.side.begin_stride(0, x, t, l, l);
        }
        for (i, (e, outcome)) in self.elements.iter_mut().zip(&self.outcomes).enumerate() {
            let x = &mut x[e.x.clone()];
            e.side.end_stride(*outcome, x).map_err(|(_, fault)| Located { substructure: i, fault })?;
            e.side.port_rates(0, x, &mut self.w[e.ties.clone()], 1.0);
        }
        self.solve((k + 1) as f64 * self.dt + self.lag, 0);
        for (i, e) in self.elements.iter().enumerate() {
            let x = &mut self.x[e.x.clone()];
            e.side.link(0, x, &self.w[e.ties.clone()], 1.0);
            let dims = e.side.dims(0);
            check_finite(dims, &x[..dims.state()]).map_err(|fault| Located { substructure: i, fault })?;
        }
        self.bring()
    }

    fn bring(&mut self) -> Result<(), Located> {
        let Llm { elements, ranks, mail, x, .. } = self;
        let gathered = ranks.gather(x, elements.iter().map(|e| e.x.clone()), mail);
        gathered.map_err(|(substructure, fault)| Located { substructure, fault })
    }

    fn keep_rigs(&mut self) {
        self.elements.iter().for_each(|e| keep_rigs(e.side.systems(), &mut self.x[e.rigs.clone()]));
    }

    fn recall_rigs(&mut self) {
        self.elements.iter_mut().for_each(|e| recall_rigs(e.side.systems_mut(), &self.x[e.rigs.clone()]));
    }

    /// Forces that impose the rates, Λc, in the order of [`Localized::imposed`].
    pub fn reactions(&self) -> &[f64] {
        &self.x[self.reactions.clone()]
    }

    /// The operator of the interface problem by its entries (row, column, value), unknowns [Λ Λc X'g]; for inspection, the
    /// steps solve it in condensed form.
    pub fn operator(&self) -> Vec<(usize, usize, f64)> {
        self.problem.entries()
    }
}

impl<S: System + Send + 'static> Persist for Llm<S> {
    fn persist(&mut self, archive: &mut dyn Archive) {
        archive.same(self.x.len());
        archive.numbers(&mut self.x);
        self.elements.iter_mut().for_each(|e| e.side.persist(archive));
    }
}

impl<S: System + Send + 'static> StepMap for Llm<S> {
    fn len(&self) -> usize {
        self.x.len()
    }

    fn dt(&self) -> f64 {
        self.dt
    }

    fn state(&self) -> &[f64] {
        &self.x
    }

    fn state_mut(&mut self) -> &mut [f64] {
        &mut self.x
    }

    fn step(&mut self, k: u64) -> Result<(), Fault> {
        self.before.copy_from_slice(&self.x);
        self.recall_rigs();
        match self.advance(k) {
            Ok(()) => {
                self.keep_rigs();
                Ok(())
            }
            Err(Located { substructure, fault }) => {
                self.faulty = substructure;
                self.x.copy_from_slice(&self.before);
                Err(fault)
            }
        }
    }
}

impl<S: System + Send + 'static> Coupling<S> for Llm<S> {
    fn count(&self) -> usize {
        self.elements.len()
    }

    fn range_of(&self, i: usize) -> Range<usize> {
        self.elements[i].x.clone()
    }

    fn dims_of(&self, i: usize) -> Dims {
        self.elements[i].side.dims(0)
    }

    fn ports_of(&self, i: usize) -> &[Port] {
        &self.elements[i].ports
    }

    fn multipliers(&self) -> &[f64] {
        &self.x[self.multipliers.clone()]
    }

    fn links_of(&self, i: usize, out: &mut [f64]) {
        let e = &self.elements[i];
        e.side.link_displacements(0, 0, &self.multipliers()[e.ties.clone()], out);
    }

    /// v' of the history, behind u'.
    fn acceleration_of(&self, i: usize) -> Option<&[f64]> {
        let d = self.dims_of(i);
        self.state_of(i).get(d.state() + d.nu..d.state() + 2 * d.nu)
    }

    fn add_multiplier_accelerations(&self, i: usize, a: &mut [f64]) {
        let e = &self.elements[i];
        e.side.add_accelerations(0, &self.multipliers()[e.ties.clone()], a);
    }

    fn is_fine(&self, _: usize) -> bool {
        false
    }

    fn system(&self, i: usize) -> &S {
        self.elements[i].side.system(0)
    }

    fn at_node(&mut self, i: usize) -> (&mut S, &[f64]) {
        self.recall_rigs();
        let (e, x) = (&mut self.elements[i], &self.x);
        (e.side.at(0, &x[e.x.clone()]), &x[e.x.clone()])
    }

    fn faulty(&self) -> usize {
        self.faulty
    }

    fn blueprint(&self) -> Blueprint<'_, S> {
        let count = self.elements.len();
        let mut subdomains = Vec::new();
        for (i, e) in self.elements.iter().enumerate() {
            let own = e.side.blueprint().into_iter();
            subdomains.extend(own.map(|subdomain| Subdomain { substructure: i, ports: e.ports.clone(), ..subdomain }));
        }
        Blueprint {
            h: self.dt,
            substeps: 1,
            rows: self.multipliers.len(),
            subdomains,
            coarse: 0..count,
            fine: count..count,
            twins: count..count,
            mobility: None,
            schedule: Schedule::Llm { start: self.inertial.blueprint(), step: self.problem.blueprint(), lag: self.lag },
        }
    }

    fn gather(&mut self) -> Result<(), Located> {
        self.bring()
    }

    fn use_threads(&mut self, _: bool) -> bool {
        false
    }
}

/// One state-space scheme for all, one step for all. How much later than the states its rates are, in steps.
fn check_schemes<S>(elements: &[Substructure<S>]) -> Result<f64, CouplingError> {
    let mut levels = None;
    for (i, element) in elements.iter().enumerate() {
        let Some(scheme) = element.scheme.state_space() else {
            return Err(CouplingError::Unsuitable(format!(
                "localized multipliers act on the rates of the state-space form, which the scheme of substructure {i} \
                    does not have: use `trapezoidal` or `state-space-alpha`"
            )));
        };
        let own = (scheme.alpha_m, scheme.alpha_f);
        require(
            *levels.get_or_insert(own) == own,
            &format!("all substructures need the same scheme and rho_inf: substructure {i} differs from the first"),
        )?;
        let substeps = element.substeps;
        require(
            substeps == 1,
            &format!(
                "localized multipliers need the same step in all substructures; substructure {i} has {substeps} \
                substeps"
            ),
        )?;
    }
    Ok(levels.map_or(0.0, |(alpha_m, alpha_f)| alpha_f - alpha_m))
}

fn refusal(substructure: usize, fault: Fault) -> CouplingError {
    CouplingError::Fault(Located { substructure, fault })
}

impl Options for Start {
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        let mut interface = Localized::of(&parts.assembly)?;
        parts.driven.into_iter().for_each(|d| interface.drive(d));
        Ok(Box::new(Llm::start_from(parts.assembly, interface, self)?))
    }

    fn facts(&self) -> Facts {
        Facts { not_in_c: self.not_in_c(), ..Facts::PLAIN }
    }
}

const START: SchemeParameter = parameter(
    "start",
    Some("consistent"),
    "\"consistent\" or \"free\"",
    "initial multipliers: consistent with equal accelerations, or zero as in the literature (accelerations and \
        multipliers then alternate from step to step)",
);

/// Entry of the catalogue.
pub(crate) const LLM: CouplingInfo = CouplingInfo {
    name: "llm",
    title: "state-space substructures with localized multipliers, order 2",
    reference: "Hovmand, Andersen, Abbiati, Real-time hybrid simulation with nonlinear numerical substructures",
    advice: "Any number of substructures with the same step; no choice of constraints where several meet; supports \
        with imposed motions are constraints. Equal to the structure in one piece.",
    scheme: "trapezoidal",
    schemes: Schemes::StateSpace,
    sided: false,
    drives: true,
    parameters: &[START],
    build: |a| match a.get(START.name) {
        None | Some(Argument::Word("consistent")) => Ok(Start::Consistent.into()),
        Some(Argument::Word("free")) => Ok(Start::Free.into()),
        Some(_) => Err(START.refuse()),
    },
    ranks: true,
    ..CouplingInfo::PLAIN
};
