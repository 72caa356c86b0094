//! All couplings by name: one entry each. The model file, the command line, the catalogue and the test batteries are
//! generated from this list.

use interfield_kernel::scheme::registry::{AnyScheme, ArgumentError, Arguments, SchemeParameter, parameter};
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::{Scheme, System};

use crate::CouplingError;
use crate::coupled::Coupling;
use crate::foh::{self, FohOptions};
use crate::gc::{self, GcOptions};
use crate::interface::Assembly;
use crate::llm::{self, Start};
use crate::localized::Driven;
use crate::midpoint::{self, MidpointOptions};
use crate::parallel::{self, ParallelOptions};
use crate::pm::{self, PmOptions};
use crate::pmc::{self, PmcOptions};
use crate::psl::{self, PslOptions};
use crate::staggered::{self, StaggeredOptions};

/// What a coupling is started with.
pub struct Parts<S> {
    /// The substructures and what ties them.
    pub assembly: Assembly<S>,
    /// The systems of the coarse side once more, where [`CouplingInfo::twins`] says so.
    pub twins: Vec<S>,
    /// Unknowns that move at a given rate, where [`CouplingInfo::drives`] does.
    pub driven: Vec<Driven>,
}

/// Without twins, and nothing driven.
impl<S> From<Assembly<S>> for Parts<S> {
    fn from(assembly: Assembly<S>) -> Self {
        Parts { assembly, twins: Vec::new(), driven: Vec::new() }
    }
}

/// What others must know of a coupling with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Facts {
    /// Length of a step of the coarse side (of its laws, where they are computed apart), in macro-steps.
    pub coarse_step: f64,
    /// Whether all substeps of a macro-step see one multiplier linear in time.
    pub ramped: bool,
    /// How many interlaced sequences of states the coarse side has, each of which goes on from its own memory.
    pub sequences: usize,
    /// Whether laws of the coarse side are computed apart from their structure; those that cannot be are evaluated in every fine step.
    pub laws_apart: bool,
    /// What of it generated code does not do, and what to do; in words.
    pub not_in_c: Option<[&'static str; 2]>,
}

impl Facts {
    /// What holds of most couplings.
    pub(crate) const PLAIN: Facts =
        Facts { coarse_step: 1.0, ramped: false, sequences: 1, laws_apart: false, not_in_c: None };
}

/// A coupling with its options, before it is started.
pub trait Options: Copy {
    /// Starts it.
    fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError>;
    /// What is known of it.
    fn facts(&self) -> Facts;
    /// Length of the steps in which the structure of the coarse side is integrated, in macro-steps, if the sides exchange so
    /// often in a macro-step.
    fn coarse_step(&self, _exchanges: usize) -> f64 {
        self.facts().coarse_step
    }
}

/// Makes the enum of all couplings: a file with a new one is a line here, and one of [`COUPLINGS`] for each of its entries.
macro_rules! couplings {
    ($($coupling:ident($options:ty)),* $(,)?) => {
        /// Any coupling, with its options.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        pub enum CouplingMethod { $($coupling($options),)* }

        impl Options for CouplingMethod {
            fn start<S: System + Send + 'static>(self, parts: Parts<S>) -> Result<Box<dyn Coupling<S>>, CouplingError> {
                match self { $(CouplingMethod::$coupling(options) => options.start(parts),)* }
            }

            fn facts(&self) -> Facts {
                match self { $(CouplingMethod::$coupling(options) => options.facts(),)* }
            }

            fn coarse_step(&self, exchanges: usize) -> f64 {
                match self { $(CouplingMethod::$coupling(options) => options.coarse_step(exchanges),)* }
            }
        }

        $(impl From<$options> for CouplingMethod {
            fn from(options: $options) -> Self {
                CouplingMethod::$coupling(options)
            }
        })*
    };
}

impl CouplingMethod {
    /// Its options that are numbers, as a model file names them.
    pub fn numbers(&self) -> Vec<(&'static str, f64)> {
        match self {
            CouplingMethod::Pmc(o) => vec![("windows", o.windows as f64), ("kappa", o.kappa), ("tie", o.tie)],
            CouplingMethod::Psl(o) => {
                vec![("windows", o.windows as f64), ("tie", o.tie), ("eta", o.eta), ("kappa", o.kappa)]
            }
            CouplingMethod::Foh(o) => vec![("chi", o.chi), ("kappa", o.kappa)],
            _ => Vec::new(),
        }
    }
}

couplings!(
    Pmc(PmcOptions),
    Psl(PslOptions),
    Foh(FohOptions),
    Pm(PmOptions),
    Gc(GcOptions),
    Parallel(ParallelOptions),
    Staggered(StaggeredOptions),
    Midpoint(MidpointOptions),
    Llm(Start),
);

/// The recommended one.
impl Default for CouplingMethod {
    fn default() -> Self {
        PmcOptions::PMC.into()
    }
}

/// A family of schemes that a coupling can work with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Schemes {
    /// Any that does not iterate: the answer to a multiplier must be known beforehand. And whose rates at the ports are those of
    /// the ends of its steps: inside of steps of different lengths they are rates of different times, and the multipliers that
    /// make them agree do not converge.
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
            Schemes::OnePass => {
                scheme.evaluations().is_some() && (scheme.state_space().is_none() || scheme.claims().lag == 0.0)
            }
            Schemes::RealTimeRosenbrock => {
                let plain = |r: &Rosenbrock| *r == Rosenbrock::lsrt1() || *r == Rosenbrock::lsrt2(r.gamma);
                scheme.tableau().is_some_and(|r| plain(&r))
            }
            Schemes::StateSpace => scheme.state_space().is_some(),
        }
    }

    /// The family in words.
    pub fn words(self) -> &'static str {
        match self {
            Schemes::OnePass => "a scheme that does not iterate and has its rates at the ends of the steps",
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
pub struct CouplingInfo {
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
    /// Whether it is there to be compared with, and not to be suggested.
    pub comparison: bool,
    /// What Ω is in its stability map.
    pub omega: &'static str,
    /// Whether coarse and fine side advance at the same time.
    pub parallel: bool,
    /// Whether its substructures can be in several processes: then the bits are those of one.
    pub ranks: bool,
    /// Tangents of its sides.
    pub level: Level,
    /// Its parameters.
    pub parameters: &'static [SchemeParameter],
    /// Its constructor.
    pub build: fn(Arguments<'_>) -> Result<CouplingMethod, ArgumentError>,
}

pub(crate) const KAPPA: SchemeParameter = parameter(
    "kappa",
    Some("0"),
    "a number from 0 to 1",
    "fraction of the displacement gap that is closed after each \
        step",
);

pub(crate) fn unit_interval(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

impl CouplingInfo {
    /// What most couplings are; an entry says where it differs.
    pub(crate) const PLAIN: CouplingInfo = CouplingInfo {
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
        comparison: false,
        omega: "Omega = omega dt",
        parallel: false,
        ranks: false,
        level: Level::Constant,
        parameters: &[],
        build: |_| Ok(GcOptions.into()),
    };
}

/// Every coupling, the recommended one first.
pub const COUPLINGS: &[CouplingInfo] = &[
    pmc::PMC,
    pmc::PMC2,
    pmc::PMC2S,
    psl::PSL,
    psl::PSL1,
    foh::FOH,
    pm::PM,
    foh::MODIFIED_PH,
    foh::PH,
    gc::GC,
    parallel::PLSRT2,
    staggered::STAGGERED,
    midpoint::MIDPOINT,
    llm::LLM,
    gc::CLM,
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static CouplingInfo> {
    COUPLINGS.iter().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recommended_coupling_comes_first() {
        let made = (COUPLINGS[0].build)(Arguments(&[]));
        assert_eq!(made, Ok(CouplingMethod::default()));
    }
}
