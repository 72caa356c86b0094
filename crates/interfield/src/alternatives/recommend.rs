//! Which coupling is recommended, by what fits into a fine step (the section "Which coupling?" of the book).

use interfield_coupling::registry::COUPLINGS;
use interfield_language::Model;
use interfield_language::units::time_to;

use interfield_structure::budget::{Clock, Cost, EQUAL_STEPS};

use super::Candidate;

/// A coupling whose expected error is at most this multiple of that of the recommended one is as good.
const AS_GOOD: f64 = 1.25;
/// An expected error below this is as good as any: load cells and transducers have larger ones.
const SMALL: f64 = 1e-3;

/// Why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// There is no specimen, so that nothing must keep time.
    NoClock,
    /// A whole step of the coarse side fits into a fine step.
    WholeFits,
    /// Its linear part fits, its laws do not.
    CoreFits,
    /// It does not fit, but into a macro-step it does.
    TooLarge,
    /// Another program computes it, and nobody knows how long that takes.
    Foreign,
    /// Nothing keeps time.
    NothingFits,
}

/// What is recommended.
#[derive(Clone, Debug, PartialEq)]
pub struct Recommendation {
    /// Why.
    pub reason: Reason,
    /// The coupling, with its step; none where there is nothing to choose.
    pub coupling: Option<(&'static str, f64)>,
    /// Whether the model has it, or one as good.
    pub followed: bool,
    /// Expected error of the coupling of the model, and of this one: the larger of elastic and yielded.
    pub errors: Option<[f64; 2]>,
}

/// By the work of the sides, and by which couplings can take the model.
pub(super) fn recommend(clock: Option<Clock>, cost: &Cost, foreign: bool, all: &[Candidate]) -> Recommendation {
    let chosen = |reason: Reason, candidate: Option<&Candidate>| Recommendation {
        reason,
        coupling: candidate.map(|c| (c.info.name, c.dt)),
        followed: false,
        errors: None,
    };
    let Some(clock) = clock else { return chosen(Reason::NoClock, None) };
    let fits = |c: &&Candidate| c.needs.fits(clock);
    // Of any size, and then what the registry lists first; that of the model comes first among the candidates.
    let any_size = |c: &&Candidate| c.info.name == COUPLINGS[0].name;
    let windows = |c: &&Candidate| c.info.parallel && !c.facts.laws_apart;
    let of_any_size = || all.iter().find(any_size).or(all.iter().find(windows));
    let apart = |c: &&Candidate| c.info.parallel && c.facts.laws_apart && cost.coarse.apart > 0.0;
    if foreign {
        return chosen(Reason::Foreign, of_any_size());
    }
    // The finest step comes last, if it is not that of the model.
    let equal = all.iter().rev().find(|c| c.info.name == EQUAL_STEPS && c.exchanges == 1);
    let unsided = all.iter().find(|c| c.own && c.exchanges == 1 && c.facts.coarse_step <= 1.0);
    if let Some(candidate) = equal.or(unsided).filter(fits) {
        return chosen(Reason::WholeFits, Some(candidate));
    }
    if let Some(candidate) = all.iter().filter(apart).find(fits) {
        return chosen(Reason::CoreFits, Some(candidate));
    }
    match of_any_size().filter(fits) {
        Some(candidate) => chosen(Reason::TooLarge, Some(candidate)),
        None => chosen(Reason::NothingFits, None),
    }
}

impl Recommendation {
    /// Whether a candidate is the recommended one.
    pub fn is(&self, candidate: &Candidate) -> bool {
        self.coupling.is_some_and(|(name, dt)| candidate.info.name == name && candidate.dt == dt)
    }

    /// Compares with the coupling of the model, once errors are expected.
    pub(super) fn judge(&mut self, all: &[Candidate]) {
        let error = |c: &Candidate| c.worst_error();
        let own = all.iter().find(|c| c.own);
        let best = all.iter().find(|c| self.is(c));
        self.errors = own.and_then(error).zip(best.and_then(error)).map(|(a, b)| [a, b]);
        let as_good = self.errors.is_some_and(|[own, best]| own <= (AS_GOOD * best).max(SMALL));
        let sound = |own: &Candidate| own.fits == Some(true) && own.stable_if_soft != Some(false);
        self.followed = own.is_some_and(|own| self.is(own) || (as_good && sound(own)));
    }

    /// What to write in the file of a model to follow it; empty where there is nothing to write.
    pub fn to_write(&self, model: &Model, candidate: &Candidate) -> Vec<String> {
        let Some(partition) = &model.partition else { return Vec::new() };
        let mut list = Vec::new();
        if candidate.dt != model.analysis.dt {
            list.push(format!("dt = \"{}\" in [analysis]", time_to(candidate.dt, 10)));
            list.push("no `substeps` in [[substructure]]".to_owned());
        }
        if candidate.info.name != partition.coupling.info.name {
            list.push(format!("method = \"{}\" in [coupling], without other options", candidate.info.name));
            // Without a scheme the file gets that of the coupling.
            let scheme = &partition.substructures[0].scheme_name;
            if partition.substructures.iter().all(|s| s.scheme_name == *scheme) && scheme != candidate.info.scheme {
                list.push(format!("scheme = \"{scheme}\" in [analysis]"));
            }
        }
        list
    }
}
