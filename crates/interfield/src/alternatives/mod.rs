//! The couplings that a divided model could have: what each costs against the clock of its laboratory, which error is
//! expected of it, and which one is recommended.
//!
//! `check` says it before a test ([`examine`]); `couplings MODEL` runs them all beside each other ([`compare`]). Everything is generic over the
//! registry of couplings.

mod compare;
mod cost;
mod expected;
mod recommend;
mod soft;
mod told;
mod words;

use interfield_coupling::Options;
use interfield_coupling::registry::{COUPLINGS, CouplingInfo, Facts, find};
use interfield_language::{Model, Problem};
use interfield_structure::budget::{Clock, Cost, EQUAL_STEPS, Needs, is_foreign};
use interfield_structure::elastic::computed;
use interfield_structure::{Modal, Simulation};

pub use compare::{Compared, Comparison, History, Quality, compare};
pub use cost::Measured;
pub use expected::{Expected, Laws, Mode, Response};
pub use recommend::{Reason, Recommendation};

/// Nominal time of the probes of all couplings beyond which only those that matter most are probed; and of these, none, s.
const PATIENCE: f64 = 1.0;

/// A coupling that can take the model.
pub struct Candidate {
    /// Its entry.
    pub info: &'static CouplingInfo,
    /// What is known of it with its options.
    pub facts: Facts,
    /// Step of the analysis, s.
    pub dt: f64,
    /// Exchanges in a macro-step.
    pub exchanges: usize,
    /// What it needs, nominally.
    pub needs: Needs,
    /// Whether it keeps the time of the laboratory, if there is one.
    pub fits: Option<bool>,
    /// What is expected of it, or why nothing is.
    pub expected: Result<Expected, String>,
    /// The same with laws that have yielded.
    pub yielded: Result<Expected, String>,
    /// Whether no motion grows where laws have yielded; `None` where none can, or it was not probed.
    pub stable_if_soft: Option<bool>,
    /// Time of a macro-step on this machine, without laboratory, s.
    pub measured: Option<f64>,
    /// Whether it is that of the model.
    pub own: bool,
    /// Whether its step is the fine step of the model, for both sides.
    pub at_fine_step: bool,
    /// The model with it.
    model: Model,
}

impl Candidate {
    /// The larger of the expected errors, elastic and yielded; `None` where there is none.
    pub fn worst_error(&self) -> Option<f64> {
        let errors = [&self.expected, &self.yielded].into_iter().flatten().map(|e| e.error);
        errors.filter(|e| e.is_finite()).reduce(f64::max)
    }
}

/// What is known of the couplings of a divided model.
pub struct Alternatives {
    /// The clock of the laboratory, if there is one.
    pub clock: Option<Clock>,
    /// Nominal work of the sides.
    pub cost: Cost,
    /// Times of the sides on this machine.
    pub measured: Measured,
    /// The modes that matter, or why they are not known.
    pub response: Result<Response, String>,
    /// The same with laws that have yielded.
    pub yielded: Result<Response, String>,
    /// The couplings, that of the model first.
    pub candidates: Vec<Candidate>,
    /// Those that cannot take it, and why.
    pub refused: Vec<(&'static str, String)>,
    /// Those that need other schemes than the model has.
    pub other_schemes: Vec<&'static str>,
    /// What to do.
    pub recommendation: Recommendation,
    /// Whether not all were probed: the structure is large.
    pub partly: bool,
    title: String,
}

/// The first of several problems, as a sentence.
fn first(problems: Vec<Problem>) -> String {
    problems.first().map_or_else(|| "it cannot be started".to_owned(), |p| p.message.clone())
}

/// Looks at the couplings of a model that has been started; `None` of a structure in one piece, or one that is pushed.
pub fn examine(sim: &Simulation, modal: Result<&Modal, String>) -> Option<Alternatives> {
    let model = &sim.model;
    model.partition.as_ref().filter(|_| !model.analysis.statics)?;
    let (clock, cost) = (Clock::of(model), Cost::of(sim));
    let mut field = Field { model, cost, clock, refused: Vec::new(), other: Vec::new() };
    let mut candidates = field.couplings();
    candidates.extend(field.at_fine_step());
    let mut recommendation = recommend::recommend(clock, &cost, is_foreign(model), &candidates);
    let mut measured = Measured::default();
    if let Ok(mut own) = Simulation::new(computed(model)) {
        measured = cost::measure(&mut own);
    }
    let response = modal.and_then(|modal| Response::new(model, Laws::Elastic, Some(modal)));
    let yielded = Response::new(model, Laws::Yielded, None);
    let partly = probe(&mut candidates, [&response, &yielded], &recommendation);
    recommendation.judge(&candidates);
    let title = model.title.clone();
    let Field { refused, other: other_schemes, .. } = field;
    Some(Alternatives {
        clock,
        cost,
        measured,
        response,
        yielded,
        candidates,
        refused,
        other_schemes,
        recommendation,
        partly,
        title,
    })
}

/// Probes the modes with every coupling, where that takes no time; else with that of the model and the recommended one. Whether some were
/// left out.
fn probe(
    candidates: &mut [Candidate],
    [response, yielded]: [&Result<Response, String>; 2],
    recommendation: &Recommendation,
) -> bool {
    let nominal = |c: &Candidate| {
        let modes = [response, yielded].into_iter().flatten().flat_map(|r| &r.modes);
        modes.map(|m| m.probed_in(c.dt)).sum::<usize>() as f64 * c.needs.elastic
    };
    let all: f64 = candidates.iter().map(nominal).sum();
    let matters = |c: &Candidate| c.own || recommendation.is(c);
    let few: f64 = candidates.iter().filter(|c| matters(c)).map(nominal).sum();
    let wanted = |c: &Candidate| all <= PATIENCE || (few <= PATIENCE && matters(c));
    for c in candidates.iter_mut() {
        let of = |response: &Result<Response, String>| match response {
            Err(why) => Err(why.clone()),
            Ok(_) if !wanted(c) => Err("not probed: the structure is large".to_owned()),
            Ok(response) => response.expect(&c.model),
        };
        (c.expected, c.yielded) = (of(response), of(yielded));
        c.stable_if_soft = wanted(c).then(|| soft::stays_stable(&c.model)).flatten();
        c.measured = Simulation::new(computed(&c.model)).ok().and_then(|mut sim| cost::macro_step(&mut sim));
    }
    all > PATIENCE
}

/// Where candidates come from.
struct Field<'a> {
    model: &'a Model,
    cost: Cost,
    clock: Option<Clock>,
    refused: Vec<(&'static str, String)>,
    other: Vec<&'static str>,
}

impl Field<'_> {
    fn own(&self) -> Option<&'static CouplingInfo> {
        self.model.partition.as_ref().map(|p| p.coupling.info)
    }

    /// Those of the registry that can take the model with its schemes, its own first. Those for comparison are left out.
    fn couplings(&mut self) -> Vec<Candidate> {
        let own = self.own();
        let is_own = |info: &CouplingInfo| own.is_some_and(|o| o.name == info.name);
        let order =
            COUPLINGS.iter().filter(|m| is_own(m)).chain(COUPLINGS.iter().filter(|m| !is_own(m) && !m.comparison));
        let mut found = Vec::new();
        for info in order {
            match recoupled(self.model, info) {
                Ok(model) if !is_own(info) && other_schemes(&model, self.model) => self.other.push(info.name),
                Ok(model) => match self.candidate(model, is_own(info), false) {
                    Ok(candidate) => found.push(candidate),
                    Err(why) => self.refused.push((info.name, why)),
                },
                Err(why) => self.refused.push((info.name, why)),
            }
        }
        found
    }

    /// The same steps for both sides: those of the fine one. None where they are equal already.
    fn at_fine_step(&self) -> Option<Candidate> {
        let exchanges = self.model.partition.as_ref()?.exchanges();
        if exchanges == 1 {
            return None;
        }
        let model = recoupled(self.model, find(EQUAL_STEPS)?).ok()?;
        self.candidate(equal_steps(model, exchanges), false, true).ok()
    }

    fn candidate(&self, model: Model, own: bool, at_fine_step: bool) -> Result<Candidate, String> {
        Simulation::new(computed(&model)).map_err(first)?;
        let partition = model.partition.as_ref().ok_or_else(|| "the model is in one piece".to_owned())?;
        let (info, facts) = (partition.coupling.info, partition.coupling.method.facts());
        let exchanges = if info.sided { partition.exchanges() } else { 1 };
        let needs = self.cost.needs((info.parallel, &facts), exchanges);
        let fits = self.clock.map(|clock| needs.fits(clock));
        let [expected, yielded] = [(); 2].map(|()| Err(String::new()));
        let (stable_if_soft, measured) = (None, None);
        let dt = model.analysis.dt;
        Ok(Candidate {
            info,
            facts,
            dt,
            exchanges,
            needs,
            fits,
            expected,
            yielded,
            stable_if_soft,
            measured,
            own,
            at_fine_step,
            model,
        })
    }
}

/// The model with a coupling: its own with its options, another with its defaults; the error is a sentence.
fn recoupled(model: &Model, info: &'static CouplingInfo) -> Result<Model, String> {
    let own = model.partition.as_ref().ok_or_else(|| "the model is in one piece".to_owned())?;
    if own.coupling.info.name == info.name {
        return Ok(model.clone());
    }
    let partition = own.coupled_by(info).ok_or_else(|| "it has no default options".to_owned())?;
    Ok(Model { partition: Some(partition), ..model.clone() })
}

/// The model with equal steps on all sides: so many in each step that it has.
fn equal_steps(mut model: Model, finer: usize) -> Model {
    model.analysis.dt /= finer as f64;
    model.partition.iter_mut().flat_map(|p| &mut p.substructures).for_each(|s| s.substeps = 1);
    model
}

/// Whether two models that differ in their coupling differ in schemes too.
fn other_schemes(a: &Model, b: &Model) -> bool {
    let schemes =
        |m: &Model| -> Vec<_> { m.partition.iter().flat_map(|p| &p.substructures).map(|s| s.scheme).collect() };
    schemes(a) != schemes(b)
}
