//! All couplings by name: one entry each. The model file, the command line, the catalogue and the test batteries are
//! generated from this list.

use interfield_kernel::scheme::registry::{AnyScheme, Argument, ArgumentError, Arguments, SchemeParameter, parameter};
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::{Scheme, System};

use crate::CouplingError;
use crate::coupled::Coupling;
use crate::foh::{Foh, FohOptions, Guess};
use crate::gc::Gc;
use crate::interface::Assembly;
use crate::llm::{Llm, Start};
use crate::localized::{Driven, Localized};
use crate::midpoint::Midpoint;
use crate::parallel::Parallel;
use crate::pm::Pm;
use crate::pmc::{Pmc, PmcOptions};
use crate::staggered::Staggered;

/// Any coupling, with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Method {
    Gc,
    Pm,
    Foh(FohOptions),
    Pmc(PmcOptions),
    Staggered,
    Parallel,
    Midpoint,
    Llm(Start),
}

impl Method {
    /// Starts the coupling of these substructures. `twins` are the systems of the coarse side once more, where
    /// [`MethodInfo::twins`] says so; `driven` are unknowns that move at a given rate, where [`MethodInfo::drives`] does.
    pub fn start<S: System + Send + 'static>(
        &self,
        assembly: Assembly<S>,
        twins: Vec<S>,
        driven: Vec<Driven>,
    ) -> Result<Box<dyn Coupling<S>>, CouplingError> {
        Ok(match *self {
            Method::Staggered => Box::new(Staggered::start(assembly)?),
            Method::Parallel => Box::new(Parallel::start(assembly, twins)?),
            Method::Midpoint => Box::new(Midpoint::start(assembly)?),
            Method::Llm(start) => {
                let mut interface = Localized::of(&assembly)?;
                driven.into_iter().for_each(|d| interface.drive(d));
                Box::new(Llm::start_from(assembly, interface, start)?)
            }
            Method::Gc => Box::new(Gc::start(assembly)?),
            Method::Pm => Box::new(Pm::start(assembly)?),
            Method::Foh(options) => Box::new(Foh::start(assembly, options)?),
            Method::Pmc(options) => Box::new(Pmc::start(assembly, options)?),
        })
    }
}

/// A family of schemes that a coupling can work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schemes {
    /// Any that does not iterate: the answer to a multiplier must be known beforehand.
    OnePass,
    /// LSRT1 and LSRT2.
    RealTimeRosenbrock,
    /// The state-space rules.
    StateSpace,
}

impl Schemes {
    /// Whether a scheme belongs to the family.
    pub fn contains(self, scheme: &AnyScheme) -> bool {
        match self {
            Schemes::OnePass => scheme.claims().evaluations.is_some(),
            Schemes::RealTimeRosenbrock => {
                let plain = |r: &Rosenbrock| *r == Rosenbrock::lsrt1() || *r == Rosenbrock::lsrt2(r.gamma);
                matches!(scheme, AnyScheme::Rosenbrock(r) if plain(r))
            }
            Schemes::StateSpace => matches!(scheme, AnyScheme::StateSpace(_)),
        }
    }

    /// The family in words.
    pub fn words(self) -> &'static str {
        match self {
            Schemes::OnePass => "a scheme that does not iterate",
            Schemes::RealTimeRosenbrock => "lsrt1 or lsrt2",
            Schemes::StateSpace => "a state-space scheme (trapezoidal, state-space-alpha)",
        }
    }
}

/// At which level a coupling works, which decides what tangents its sides may follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Operators of the interface are computed once, with the initial tangents: these must be kept.
    Constant,
    /// The interface problem contains masses only: tangents may follow the state.
    Mass,
}

/// Catalogue entry of a coupling.
#[derive(Clone, Copy)]
pub struct MethodInfo {
    /// Name in the model file.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// What it is good for and where it fails, in a sentence or two.
    pub advice: &'static str,
    /// Scheme of substructures that name none.
    pub scheme: &'static str,
    /// Which schemes its substructures may have.
    pub schemes: Schemes,
    /// Whether it has a coarse and a fine side.
    pub sided: bool,
    /// Whether all substructures of the fine side must have the same number of substeps: multipliers at the level of
    /// accelerations belong to the stages of all of them. Others exchange as often as all substeps allow.
    pub one_rate: bool,
    /// Whether it needs the systems of the coarse side twice: one advances while the other is evaluated.
    pub twins: bool,
    /// Whether supports with an imposed motion (and a mass) are constraints of it instead of loads on their elements.
    pub drives: bool,
    /// Whether coarse and fine side advance at the same time.
    pub parallel: bool,
    /// Tangents of its sides.
    pub level: Level,
    /// Its parameters.
    pub parameters: &'static [SchemeParameter],
    /// Its constructor.
    pub build: fn(Arguments<'_>) -> Result<Method, ArgumentError>,
}

const KAPPA: SchemeParameter =
    parameter("kappa", Some("0"), "a number from 0 to 1", "share of the displacement gap closed after each step");
const MIX: SchemeParameter = parameter(
    "mix",
    Some("0"),
    "a number from 0 to 0.2",
    "ties the interlaced sequences of the coarse side; 0.01 for noisy tests",
);
const CHI: SchemeParameter = parameter(
    "chi",
    Some("0"),
    "a number from 0 to 1",
    "damps the alternating mode of the multiplier, for Rosenbrock sides",
);
const GUESS: SchemeParameter = parameter(
    "guess",
    Some("linear"),
    "\"linear\", \"constant\" or \"zero\"",
    "guess of the multiplier at the end of the macro-step; decides the size of the link",
);

const START: SchemeParameter = parameter(
    "start",
    Some("consistent"),
    "\"consistent\" or \"free\"",
    "multipliers of the start: those at which accelerations agree, or none, as in comparisons with the literature; then \
     accelerations and multipliers alternate from step to step",
);

fn unit_interval(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

fn pmc(a: Arguments<'_>, family: PmcOptions) -> Result<Method, ArgumentError> {
    let kappa = a.number(&KAPPA, 0.0, unit_interval)?;
    let mix = a.number(&MIX, 0.0, |x| (0.0..=0.2).contains(&x))?;
    Ok(Method::Pmc(PmcOptions { kappa, mix, ..family }))
}

fn foh(a: Arguments<'_>) -> Result<Method, ArgumentError> {
    let guess = match a.get(GUESS.name) {
        None | Some(Argument::Word("linear")) => Guess::Linear,
        Some(Argument::Word("constant")) => Guess::Constant,
        Some(Argument::Word("zero")) => Guess::Zero,
        Some(_) => return Err(GUESS.refuse()),
    };
    let kappa = a.number(&KAPPA, 0.0, unit_interval)?;
    let chi = a.number(&CHI, 0.0, unit_interval)?;
    Ok(Method::Foh(FohOptions { guess, kappa, chi, ..FohOptions::FOH }))
}

/// What most couplings are; an entry says where it differs.
const PLAIN: MethodInfo = MethodInfo {
    name: "",
    title: "",
    reference: "",
    advice: "",
    scheme: "",
    schemes: Schemes::OnePass,
    sided: true,
    one_rate: false,
    twins: false,
    drives: false,
    parallel: false,
    level: Level::Constant,
    parameters: &[],
    build: |_| Ok(Method::Gc),
};

/// Every coupling, the recommended one first.
pub const METHODS: &[MethodInfo] = &[
    MethodInfo {
        name: "pmc",
        title: "passive multirate coupling, interfield parallel, order 2 for any ratio of steps",
        reference: "derived in this project (book: passivity 2.2)",
        advice: "The default for a specimen: stable for any passive sides, softening included, and free of drift. \
                 The coarse side steps over three macro-steps, which costs accuracy when it yields strongly; hysteretic laws \
                 there need mix = 0.01.",
        scheme: "alpha-os",
        parallel: true,
        parameters: &[KAPPA, MIX],
        build: |a| pmc(a, PmcOptions::PMC),
        ..PLAIN
    },
    MethodInfo {
        name: "pmc2",
        title: "passive multirate coupling with shorter windows, for a linear coarse side",
        reference: "derived in this project (book: passivity 2.6)",
        advice: "Half the error of pmc. Proved for a linear coarse side only; unstable when that side softens and is fast.",
        scheme: "alpha-os",
        parallel: true,
        parameters: &[KAPPA],
        build: |a| pmc(a, PmcOptions::PMC2),
        ..PLAIN
    },
    MethodInfo {
        name: "foh",
        title: "multiplier linear over the macro-step, interfield parallel, order 2",
        reference: "derived in this project (book: passivity 2.7)",
        advice: "An order of magnitude more accurate than pmc where tangents are known well and the interface mass of the \
                 fine side is not tiny; unstable with a softening fine side and substeps.",
        scheme: "alpha-os",
        parallel: true,
        parameters: &[GUESS, KAPPA, CHI],
        build: foh,
        ..PLAIN
    },
    MethodInfo {
        name: "pm",
        title: "Pegon and Magonette's interfield-parallel coupling",
        reference: "paper 003; Pegon, Magonette, report I.02.167, JRC Ispra, 2002",
        advice: "Robust with a softening specimen. First order with substeps, and then it dissipates at the interface.",
        scheme: "newmark",
        parallel: true,
        build: |_| Ok(Method::Pm),
        ..PLAIN
    },
    MethodInfo {
        name: "modified-ph",
        title: "modified Prakash-Hjelmstad coupling, interfield parallel, order 2",
        reference: "paper 003, with the history load its table lost",
        advice: "Conserves the pseudo-energy for any ratio of steps. Unstable at nearly every step with a softening fine \
                 side and substeps.",
        scheme: "newmark",
        parallel: true,
        parameters: &[KAPPA],
        build: |a| {
            Ok(Method::Foh(FohOptions { kappa: a.number(&KAPPA, 0.0, unit_interval)?, ..FohOptions::MODIFIED_PH }))
        },
        ..PLAIN
    },
    MethodInfo {
        name: "ph",
        title: "Prakash-Hjelmstad coupling, order 2",
        reference: "Prakash, Hjelmstad, Int. J. Numer. Methods Eng. 61:2183-2204, 2004",
        advice: "As modified-ph, with the unbalanced load of the coarse side; not parallel.",
        scheme: "newmark",
        build: |_| Ok(Method::Foh(FohOptions::PH)),
        ..PLAIN
    },
    MethodInfo {
        name: "gc",
        title: "Gravouil-Combescure coupling, staggered",
        reference: "Gravouil, Combescure, Int. J. Numer. Methods Eng. 50:199-225, 2001; paper 003",
        advice: "Equal to the whole structure for one step on both sides; first order with substeps. Not parallel.",
        scheme: "newmark",
        build: |_| Ok(Method::Gc),
        ..PLAIN
    },
    MethodInfo {
        name: "plsrt2",
        title: "interfield-parallel real-time Rosenbrock coupling (PLSRT2), order 2",
        reference: "papers 000 and 002",
        advice: "Second order, with windows of instability for both values of gamma at many substeps, and a displacement gap \
                 that grows linearly: check the model first, prefer pmc.",
        scheme: "lsrt2",
        schemes: Schemes::RealTimeRosenbrock,
        one_rate: true,
        twins: true,
        parallel: true,
        level: Level::Mass,
        build: |_| Ok(Method::Parallel),
        ..PLAIN
    },
    MethodInfo {
        name: "staggered",
        title: "staggered real-time Rosenbrock coupling, any number of substeps, order 2",
        reference: "paper 001",
        advice: "Accurate; stable in every scan with gamma = plus, with windows of instability with minus. Not parallel.",
        scheme: "lsrt2",
        schemes: Schemes::RealTimeRosenbrock,
        one_rate: true,
        level: Level::Mass,
        build: |_| Ok(Method::Staggered),
        ..PLAIN
    },
    MethodInfo {
        name: "midpoint",
        title: "midpoint rule with frozen multipliers, order 1",
        reference: "the comparison of paper 001, after Nakshatrala et al., 2008",
        advice: "For comparison only. Whatever scheme is named, the sides are integrated by the midpoint rule.",
        scheme: "lsrt2",
        one_rate: true,
        level: Level::Mass,
        build: |_| Ok(Method::Midpoint),
        ..PLAIN
    },
    MethodInfo {
        name: "llm",
        title: "state-space substructures with localized multipliers, order 2",
        reference: "paper 004",
        advice: "Any number of substructures, no choice of constraints where several meet, supports with imposed motions as \
                 constraints; all with the same step. Equal to the whole structure.",
        scheme: "trapezoidal",
        schemes: Schemes::StateSpace,
        sided: false,
        drives: true,
        parameters: &[START],
        build: |a| match a.get(START.name) {
            None | Some(Argument::Word("consistent")) => Ok(Method::Llm(Start::Consistent)),
            Some(Argument::Word("free")) => Ok(Method::Llm(Start::Free)),
            Some(_) => Err(START.refuse()),
        },
        ..PLAIN
    },
    MethodInfo {
        name: "clm",
        title: "state-space substructures with classical multipliers, staggered",
        reference: "paper 004 and its reference of 2019",
        advice: "Equal to llm for two parts and one step; first order with substeps.",
        scheme: "trapezoidal",
        schemes: Schemes::StateSpace,
        build: |_| Ok(Method::Gc),
        ..PLAIN
    },
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static MethodInfo> {
    METHODS.iter().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recommended_coupling_comes_first() {
        let made = (METHODS[0].build)(Arguments(&[]));
        assert_eq!(made, Ok(Method::Pmc(PmcOptions::PMC)));
    }
}
