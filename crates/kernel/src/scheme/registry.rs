//! All schemes by name: one entry each. The command line, the model file, the catalogue and the test
//! batteries are generated from this list.

use core::ops::Range;

use super::alpha::{Alpha, Predictor};
use super::chang::Chang;
use super::composite::{self, Composite};
use super::model_based::{self, ModelBased};
use super::newton::Newton;
use super::rosenbrock::{MAX_STAGES, Rosenbrock};
use super::splitting::Splitting;
use super::state_space::StateSpace;
use super::{Claims, Limits, Operators, Phases, Scheme};
use crate::{Dims, Fault};

/// Makes the enum of all schemes: a file with a new one is a line here, and one of [`SCHEMES`] for each of its entries.
macro_rules! schemes {
    ($($scheme:ident),* $(,)?) => {
        /// Any scheme of this crate, stored without a pointer.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[allow(missing_docs)]
        // A tableau is larger than the others; there is one scheme per domain, so nothing is gained by boxing it.
        #[allow(clippy::large_enum_variant)]
        pub enum AnyScheme { $($scheme($scheme),)* }

        /// Asks the scheme inside.
        macro_rules! inner {
            ($any:expr, $s:ident => $asked:expr) => {
                match $any { $(AnyScheme::$scheme($s) => $asked,)* }
            };
        }

        $(impl From<$scheme> for AnyScheme {
            fn from(scheme: $scheme) -> Self {
                AnyScheme::$scheme(scheme)
            }
        })*
    };
}

schemes!(Rosenbrock, Alpha, Newton, Chang, Splitting, StateSpace, ModelBased, Composite);

impl Scheme for AnyScheme {
    fn claims(&self) -> Claims {
        inner!(self, s => s.claims())
    }
    fn operators(&self, dt: f64) -> Operators {
        inner!(self, s => s.operators(dt))
    }
    fn start<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        inner!(self, s => s.start(p))
    }
    fn step<P: Phases>(&self, p: &mut P) -> Result<(), Fault> {
        inner!(self, s => s.step(p))
    }
    fn port_rate(&self, d: Dims) -> Range<usize> {
        inner!(self, s => s.port_rate(d))
    }
    fn rates(&self, d: Dims) -> usize {
        inner!(self, s => s.rates(d))
    }
    fn calm(&self) -> Option<AnyScheme> {
        inner!(self, s => s.calm())
    }
    fn lasting(&self) -> Option<AnyScheme> {
        inner!(self, s => s.lasting())
    }
    fn timed(&self) -> Option<AnyScheme> {
        inner!(self, s => s.timed())
    }
    fn state_space(&self) -> Option<StateSpace> {
        inner!(self, s => s.state_space())
    }
    fn tableau(&self) -> Option<Rosenbrock> {
        inner!(self, s => s.tableau())
    }
}

impl AnyScheme {
    /// Its coefficients by the names they have in the literature.
    pub fn coefficients(&self, mut tell: impl FnMut(&'static str, f64)) {
        match self {
            AnyScheme::Alpha(a) | AnyScheme::Newton(Newton { alpha: a, .. }) => a.coefficients(tell),
            AnyScheme::Splitting(s) => s.weights().coefficients(tell),
            AnyScheme::ModelBased(m) => {
                Alpha {
                    predictor: Predictor::Full,
                    alpha_m: m.alpha_m,
                    alpha_f: m.alpha_f,
                    beta: m.beta,
                    gamma: m.gamma,
                }
                .coefficients(tell);
            }
            AnyScheme::StateSpace(s) => {
                for (name, x) in [("alpha_m", s.alpha_m), ("alpha_f", s.alpha_f), ("gamma", s.gamma)] {
                    tell(name, x);
                }
            }
            AnyScheme::Rosenbrock(r) => tell("gamma", r.gamma),
            AnyScheme::Composite(c) => tell("gamma", c.gamma),
            AnyScheme::Chang(_) => {}
        }
    }
}

/// A value given to a parameter of a scheme.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Argument<'a> {
    /// A number.
    Number(f64),
    /// A word, such as `plus`.
    Word(&'a str),
    /// A list of numbers.
    List(&'a [f64]),
}

/// A parameter of a scheme, for the catalogue and for messages.
#[derive(Clone, Copy, Debug)]
pub struct SchemeParameter {
    /// Name.
    pub name: &'static str,
    /// What may be written, in words.
    pub expected: &'static str,
    /// What is taken when it is absent; `None` for a required parameter.
    pub default: Option<&'static str>,
    /// What it does.
    pub doc: &'static str,
    /// What its number measures, SI; a plain number otherwise.
    pub measure: Option<Measure>,
}

/// What the number of a parameter measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// s.
    Time,
    /// m.
    Length,
    /// Cycles per time, Hz.
    Frequency,
    /// Angle per time, rad/s.
    AngularFrequency,
    /// 1/s that counts neither.
    Rate,
}

/// Why a scheme could not be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArgumentError {
    /// The parameter.
    pub name: &'static str,
    /// What it should have been.
    pub expected: &'static str,
}

/// Arguments by name.
#[derive(Clone, Copy, Debug)]
pub struct Arguments<'a>(pub &'a [(&'a str, Argument<'a>)]);

impl<'a> Arguments<'a> {
    /// The argument of this name.
    pub fn get(&self, name: &str) -> Option<Argument<'a>> {
        self.0.iter().find(|(n, _)| *n == name).map(|(_, a)| *a)
    }

    /// The number given for `p`, or the default; `ok` says what is allowed.
    pub fn number(&self, p: &SchemeParameter, default: f64, ok: impl Fn(f64) -> bool) -> Result<f64, ArgumentError> {
        match self.get(p.name) {
            None => Ok(default),
            Some(Argument::Number(x)) if x.is_finite() && ok(x) => Ok(x),
            Some(_) => Err(p.refuse()),
        }
    }

    fn list(&self, p: &SchemeParameter) -> Result<&'a [f64], ArgumentError> {
        match self.get(p.name) {
            Some(Argument::List(x)) if x.iter().all(|x| x.is_finite()) => Ok(x),
            _ => Err(p.refuse()),
        }
    }

    /// A tableau with the stage times that are asked for.
    fn timed(&self, tableau: Rosenbrock) -> Result<AnyScheme, ArgumentError> {
        match self.get(TIME.name) {
            None | Some(Argument::Word("published")) => Ok(AnyScheme::Rosenbrock(tableau)),
            Some(Argument::Word("shifted")) => Ok(AnyScheme::Rosenbrock(tableau.shifted())),
            Some(Argument::Word("derivative")) => Ok(AnyScheme::Rosenbrock(tableau.with_derivative())),
            Some(_) => Err(TIME.refuse()),
        }
    }

    /// When iterations end.
    pub(super) fn limits(&self) -> Result<Limits, ArgumentError> {
        let tolerance = self.number(&TOLERANCE, 1e-12, |x| x > 0.0 && x < 0.01)?;
        let max = self.number(&MAX_ITERATIONS, 25.0, |x| (1.0..=1000.0).contains(&x) && x == libm::floor(x))?;
        Ok(Limits { tolerance, iterations: max as u32 })
    }

    fn predictor(&self) -> Result<Predictor, ArgumentError> {
        match self.get(PREDICTOR.name) {
            None | Some(Argument::Word("full")) => Ok(Predictor::Full),
            Some(Argument::Word("half")) => Ok(Predictor::Half),
            Some(_) => Err(PREDICTOR.refuse()),
        }
    }
}

impl SchemeParameter {
    /// With a unit.
    pub const fn measuring(self, measure: Measure) -> Self {
        SchemeParameter { measure: Some(measure), ..self }
    }

    /// The error of a value that is not what was expected.
    pub fn refuse(&self) -> ArgumentError {
        ArgumentError { name: self.name, expected: self.expected }
    }
}

/// Catalogue entry of a scheme.
#[derive(Clone, Copy)]
pub struct SchemeInfo {
    /// Name in the model file and on the command line.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// Its parameters.
    pub parameters: &'static [SchemeParameter],
    /// Its constructor.
    pub build: fn(Arguments<'_>) -> Result<AnyScheme, ArgumentError>,
}

/// A parameter of a catalogue entry.
pub const fn parameter(
    name: &'static str,
    default: Option<&'static str>,
    expected: &'static str,
    doc: &'static str,
) -> SchemeParameter {
    SchemeParameter { name, expected, default, doc, measure: None }
}

const GAMMA_LSRT2: SchemeParameter = parameter(
    "gamma",
    Some("minus"),
    "`minus` (1 - sqrt(2)/2), `plus` (1 + sqrt(2)/2) or a number of at least 0.25",
    "diagonal coefficient; `minus` is accurate, `plus` damps strongly, 0.5 is the trapezoidal rule",
);
const TIME: SchemeParameter = parameter(
    "time",
    Some("published"),
    "`published`, `shifted` or `derivative`",
    "time at which a stage evaluates the load: at its point alpha_i; at alpha_i + gamma_i, as the passive couplings \
        need; or at alpha_i with the df/dt term of the literature, which needs three more evaluations per step",
);
const GAMMA: SchemeParameter = parameter("gamma", Some("0.5"), "a number from 0.5 to 2", "Newmark's gamma");
const BETA: SchemeParameter = parameter("beta", Some("0.25"), "a number from 0 to 1", "Newmark's beta; 0 is explicit");
const PREDICTOR: SchemeParameter = parameter(
    "predictor",
    Some("full"),
    "`full` or `half`",
    "where velocities and states are evaluated; `half` is the published form; it is first order for nonlinear \
        elements unless the tangent is exact",
);
pub(super) const TOLERANCE: SchemeParameter =
    parameter("tolerance", Some("1e-12"), "a number above 0 and below 0.01", "largest relative correction accepted");
pub(super) const MAX_ITERATIONS: SchemeParameter =
    parameter("max_iterations", Some("25"), "a whole number from 1 to 1000", "iterations after which a step fails");
const ALPHA_HHT: SchemeParameter =
    parameter("alpha", Some("0.1"), "a number from 0 to 1/3", "weight of the old force; 0 is the trapezoidal rule");
pub(super) const RHO_INF: SchemeParameter =
    parameter("rho_inf", Some("0.8"), "a number from 0 to 1", "spectral radius at infinite frequency");
const TABLEAU_GAMMA: SchemeParameter = parameter("gamma", None, "a number of at least 0", "diagonal coefficient");
const TABLEAU_B: SchemeParameter = parameter("b", None, "a list of 1 to 6 numbers that add up to 1", "weights");
const TABLEAU_ALPHA: SchemeParameter = parameter(
    "alpha",
    None,
    "the list alpha_21, alpha_31, alpha_32, ...: s(s-1)/2 numbers for s weights",
    "stage points, lower triangle by rows",
);
const TABLEAU_GAMMAS: SchemeParameter = parameter(
    "gammas",
    None,
    "the list gamma_21, gamma_31, gamma_32, ...: s(s-1)/2 numbers for s weights, zeros if gamma = 0",
    "lower triangle by rows",
);

pub(super) fn unit_interval(x: f64) -> bool {
    (0.0..=1.0).contains(&x)
}

fn newton(a: Arguments<'_>, alpha: Alpha) -> Result<AnyScheme, ArgumentError> {
    Ok(AnyScheme::Newton(Newton { alpha, limits: a.limits()? }))
}

fn newmark(a: Arguments<'_>, predictor: Predictor) -> Result<Alpha, ArgumentError> {
    let beta = a.number(&BETA, 0.25, unit_interval)?;
    let gamma = a.number(&GAMMA, 0.5, |x| (0.5..=2.0).contains(&x))?;
    Ok(Alpha::newmark(beta, gamma, predictor))
}

fn tableau(a: Arguments<'_>) -> Result<AnyScheme, ArgumentError> {
    let Some(Argument::Number(_)) = a.get(TABLEAU_GAMMA.name) else { return Err(TABLEAU_GAMMA.refuse()) };
    let gamma = a.number(&TABLEAU_GAMMA, 0.0, |x| x >= 0.0)?;
    let b = a.list(&TABLEAU_B)?;
    let stages = b.len();
    if stages == 0 || stages > MAX_STAGES || (b.iter().sum::<f64>() - 1.0).abs() > 1e-9 {
        return Err(TABLEAU_B.refuse());
    }
    let alpha = a.list(&TABLEAU_ALPHA)?;
    let gammas = a.list(&TABLEAU_GAMMAS)?;
    let triangle = stages * (stages - 1) / 2;
    if alpha.len() != triangle {
        return Err(TABLEAU_ALPHA.refuse());
    }
    if gammas.len() != triangle || gamma == 0.0 && gammas.iter().any(|g| *g != 0.0) {
        return Err(TABLEAU_GAMMAS.refuse());
    }
    let mut t = Rosenbrock { stages, gamma, ..Rosenbrock::lsrt1() };
    t.b = [0.0; MAX_STAGES];
    t.b[..stages].copy_from_slice(b);
    let mut next = 0;
    for i in 1..stages {
        for j in 0..i {
            (t.alpha[i][j], t.gammas[i][j]) = (alpha[next], gammas[next]);
            next += 1;
        }
    }
    a.timed(t)
}

const ROSENBROCK_REFERENCE: &str = "Bursi, Gonzalez-Buelga, Vulcan, Wagg, Earthq. Eng. Struct. Dyn. 37(3):339-360, 2008; Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form; Jia, Li, Liu, Xia, J. Chongqing Univ., 2013";

/// Every scheme.
pub const SCHEMES: &[SchemeInfo] = &[
    SchemeInfo {
        name: "lsrt1",
        title: "one-stage L-stable real-time Rosenbrock method, order 1",
        reference: ROSENBROCK_REFERENCE,
        parameters: &[TIME],
        build: |a| a.timed(Rosenbrock::lsrt1()),
    },
    SchemeInfo {
        name: "lsrt2",
        title: "two-stage L-stable real-time Rosenbrock method, order 2",
        reference: ROSENBROCK_REFERENCE,
        parameters: &[GAMMA_LSRT2, TIME],
        build: |a| {
            let gamma = match a.get("gamma") {
                None | Some(Argument::Word("minus")) => Rosenbrock::GAMMA_MINUS,
                Some(Argument::Word("plus")) => Rosenbrock::GAMMA_PLUS,
                _ => a.number(&GAMMA_LSRT2, 0.0, |g| g >= 0.25)?,
            };
            a.timed(Rosenbrock::lsrt2(gamma))
        },
    },
    SchemeInfo {
        name: "rosenbrock3",
        title: "three-stage L-stable real-time Rosenbrock method, order 3",
        reference: "derived in this project (book: rosenbrock 4)",
        parameters: &[TIME],
        build: |a| a.timed(Rosenbrock::three_stage()),
    },
    SchemeInfo {
        name: "ros3p",
        title: "Lang and Verwer's Rosenbrock method with the df/dt term, order 3, A-stable",
        reference: "Lang, Verwer, BIT 41(4):731-738, 2001",
        parameters: &[],
        build: |_| Ok(AnyScheme::Rosenbrock(Rosenbrock::ros3p())),
    },
    SchemeInfo {
        name: "rodas3",
        title: "stiffly accurate Rosenbrock method with the df/dt term, order 3, L-stable",
        reference: "Sandu and others, Atmos. Environ. 31(20):3459-3472, 1997",
        parameters: &[],
        build: |_| Ok(AnyScheme::Rosenbrock(Rosenbrock::rodas3())),
    },
    SchemeInfo {
        name: "rosenbrock",
        title: "Rosenbrock method with user-defined coefficients",
        reference: "Hairer, Wanner, Solving Ordinary Differential Equations II, sec. IV.7",
        parameters: &[TABLEAU_GAMMA, TABLEAU_B, TABLEAU_ALPHA, TABLEAU_GAMMAS, TIME],
        build: tableau,
    },
    SchemeInfo {
        name: "newmark",
        title: "Newmark's method in one pass (operator splitting), no iteration",
        reference: "Newmark, J. Eng. Mech. Div. ASCE 85(3):67-94, 1959; Abbiati, Cazzador, Bursi, Pegon, Molina, Paolacci, Hybrid simulation of complex structural systems",
        parameters: &[BETA, GAMMA, PREDICTOR],
        build: |a| Ok(AnyScheme::Alpha(newmark(a, a.predictor()?)?)),
    },
    SchemeInfo {
        name: "explicit-newmark",
        title: "Newmark's method with beta = 0: explicit, stable up to omega dt = 2",
        reference: "Newmark, J. Eng. Mech. Div. ASCE 85(3):67-94, 1959",
        parameters: &[GAMMA, PREDICTOR],
        build: |a| {
            let gamma = a.number(&GAMMA, 0.5, |x| (0.5..=2.0).contains(&x))?;
            Ok(AnyScheme::Alpha(Alpha::newmark(0.0, gamma, a.predictor()?)))
        },
    },
    SchemeInfo {
        name: "newmark-newton",
        title: "Newmark's method with Newton iterations",
        reference: "Newmark, J. Eng. Mech. Div. ASCE 85(3):67-94, 1959",
        parameters: &[BETA, GAMMA, TOLERANCE, MAX_ITERATIONS],
        build: |a| newton(a, newmark(a, Predictor::Full)?),
    },
    SchemeInfo {
        name: "caam",
        title: "constant average acceleration (Newmark 1/4, 1/2) with Newton iterations",
        reference: "Jia, Li, Liu, Yang, Wu, Rosenbrock-based L-stable real-time method and its partitioned form; Bursi, Jia, Wang, Monolithic and partitioned L-stable Rosenbrock methods for dynamic substructure tests",
        parameters: &[TOLERANCE, MAX_ITERATIONS],
        build: |a| newton(a, Alpha::newmark(0.25, 0.5, Predictor::Full)),
    },
    SchemeInfo {
        name: "hht",
        title: "Hilber-Hughes-Taylor alpha method in one pass",
        reference: "Hilber, Hughes, Taylor, Earthq. Eng. Struct. Dyn. 5:283-292, 1977",
        parameters: &[ALPHA_HHT, PREDICTOR],
        build: |a| {
            let alpha = a.number(&ALPHA_HHT, 0.1, |x| (0.0..=1.0 / 3.0 + 1e-12).contains(&x))?;
            Ok(AnyScheme::Alpha(Alpha::hht(alpha, a.predictor()?)))
        },
    },
    SchemeInfo {
        name: "generalized-alpha",
        title: "generalized-alpha method in one pass",
        reference: "Chung, Hulbert, J. Appl. Mech. 60:371-375, 1993",
        parameters: &[RHO_INF, PREDICTOR],
        build: |a| {
            let rho = a.number(&RHO_INF, 0.8, unit_interval)?;
            Ok(AnyScheme::Alpha(Alpha::chung_hulbert(rho, a.predictor()?)))
        },
    },
    SchemeInfo {
        name: "generalized-alpha-newton",
        title: "generalized-alpha method with Newton iterations",
        reference: "Chung, Hulbert, J. Appl. Mech. 60:371-375, 1993",
        parameters: &[RHO_INF, TOLERANCE, MAX_ITERATIONS],
        build: |a| {
            let rho = a.number(&RHO_INF, 0.8, unit_interval)?;
            newton(a, Alpha::chung_hulbert(rho, Predictor::Full))
        },
    },
    SchemeInfo {
        name: "alpha-os",
        title: "generalized-alpha by operator splitting; the corrected restoring force is part of the history",
        reference: "derived in this project for passive couplings (book: newmark 2); weights of Chung, Hulbert, 1993",
        parameters: &[RHO_INF],
        build: |a| Ok(AnyScheme::Splitting(Splitting::generalized_alpha(a.number(&RHO_INF, 0.8, unit_interval)?))),
    },
    SchemeInfo {
        name: "chang",
        title: "Chang's explicit pseudodynamic algorithm, unconditionally stable for linear structures",
        reference: "Chang, J. Eng. Mech. ASCE 128(9):935-947, 2002; Bursi, Jia, Wang, Monolithic and partitioned L-stable Rosenbrock methods for dynamic substructure tests",
        parameters: &[],
        build: |_| Ok(AnyScheme::Chang(Chang)),
    },
    SchemeInfo {
        name: "trapezoidal",
        title: "trapezoidal rule on the state-space form",
        reference: "Hovmand, Andersen, Abbiati, Real-time hybrid simulation with nonlinear numerical substructures, sec. 2",
        parameters: &[PREDICTOR],
        build: |a| Ok(AnyScheme::StateSpace(StateSpace::trapezoidal(a.predictor()?))),
    },
    SchemeInfo {
        name: "state-space-alpha",
        title: "first-order generalized-alpha method on the state-space form",
        reference: "Jansen, Whiting, Hulbert, Comput. Methods Appl. Mech. Eng. 190:305-319, 2000",
        parameters: &[RHO_INF, PREDICTOR],
        build: |a| {
            let rho = a.number(&RHO_INF, 0.8, unit_interval)?;
            Ok(AnyScheme::StateSpace(StateSpace::generalized_alpha(rho, a.predictor()?)))
        },
    },
    model_based::INFO[0],
    model_based::INFO[1],
    model_based::INFO[2],
    composite::INFO[0],
    composite::INFO[1],
    composite::INFO[2],
    composite::INFO[3],
];

/// The scheme called `name`.
pub fn find(name: &str) -> Option<&'static SchemeInfo> {
    SCHEMES.iter().find(|s| s.name == name)
}
