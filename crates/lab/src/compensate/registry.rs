//! All methods of compensation by name: one entry each. The model file, `interfield compensators`, the book and the tests are made from this list.

use std::sync::Arc;

use interfield_kernel::scheme::registry::{Argument, ArgumentError, Arguments, Measure, SchemeParameter, parameter};

use super::alone::Alone;
use super::ats::Ats;
use super::decoupling::Decoupling;
use super::early::Early;
use super::early_decoupling::EarlyDecoupling;
use super::feedforward::{Feedforward, Series, of_delay};
use super::fir::Fir;
use super::gradient::Gradient;
use super::inverse::Inverse;
use super::none::Uncompensated;
use super::pi_lead::PiLead;
use super::polynomial::{MOST, Polynomial};
use super::{Compensator, Each, Multivariable, Sampling};
use crate::plant::StateSpace;

/// Any method, with its parameters.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Compensation {
    Uncompensated,
    Polynomial(Polynomial),
    Inverse(Inverse),
    Feedforward(Feedforward),
    PiLead(PiLead),
    Ats(Ats),
    Gradient(Gradient),
    Fir(Fir),
    Early(Early),
    Decoupling(Decoupling),
    EarlyDecoupling(EarlyDecoupling),
}

impl Compensation {
    /// The compensator of one actuator, asked so often.
    pub fn design(&self, sampling: impl Into<Sampling>) -> Box<dyn Compensator> {
        let sampling: Sampling = sampling.into();
        let dt = sampling.dt;
        match self {
            Compensation::Uncompensated => Box::new(Uncompensated),
            Compensation::Polynomial(m) => Box::new(m.design(dt)),
            Compensation::Inverse(m) => Box::new(m.design(dt)),
            Compensation::Feedforward(m) => Box::new(m.design(sampling)),
            Compensation::PiLead(m) => Box::new(m.design(dt)),
            Compensation::Ats(m) => Box::new(m.design(sampling)),
            Compensation::Gradient(m) => Box::new(m.design(sampling)),
            Compensation::Fir(m) => Box::new(m.design(sampling)),
            Compensation::Early(m) => Box::new(m.design(sampling)),
            Compensation::Decoupling(_) | Compensation::EarlyDecoupling(_) => {
                let mut alone = self.clone();
                if self.model().is_some_and(|m| m.actuators != 1) {
                    alone.set_model(None);
                }
                Box::new(Alone(alone.together(1, sampling)))
            }
        }
    }

    /// The compensator of so many actuators, asked so often.
    pub fn together(&self, actuators: usize, sampling: impl Into<Sampling>) -> Box<dyn Multivariable> {
        let sampling: Sampling = sampling.into();
        match self {
            Compensation::Decoupling(m) => Box::new(m.design(actuators, sampling)),
            Compensation::EarlyDecoupling(m) => Box::new(m.design(actuators, sampling)),
            one => Box::new(Each::new((0..actuators).map(|_| one.design(sampling)).collect())),
        }
    }

    /// The model of all actuators that it inverts, if it has one.
    pub fn model(&self) -> Option<&StateSpace> {
        match self {
            Compensation::Decoupling(m) => m.model.as_deref(),
            Compensation::EarlyDecoupling(m) => m.model.as_deref(),
            _ => None,
        }
    }

    /// Gives a method that inverts a model this one; others have none.
    pub fn set_model(&mut self, model: Option<StateSpace>) {
        match self {
            Compensation::Decoupling(m) => m.model = model.map(Arc::new),
            Compensation::EarlyDecoupling(m) => m.model = model.map(Arc::new),
            _ => {}
        }
    }

    /// Its catalogue entry.
    pub fn info(&self) -> &'static CompensationInfo {
        let name = match self {
            Compensation::Uncompensated => "none",
            Compensation::Polynomial(_) => "polynomial",
            Compensation::Inverse(_) if self.learns() => "adaptive-inverse",
            Compensation::Inverse(_) => "inverse",
            Compensation::Feedforward(_) => "feedforward",
            Compensation::PiLead(_) => "pi-lead",
            Compensation::Ats(_) => "ats",
            Compensation::Gradient(_) => "amb",
            Compensation::Fir(_) => "fir-rls",
            Compensation::Early(_) => "early",
            Compensation::Decoupling(_) => "decoupling",
            Compensation::EarlyDecoupling(_) => "early-decoupling",
        };
        // Every name above has an entry, which a test holds.
        find(name).unwrap_or(&COMPENSATIONS[0])
    }

    /// Its parameters with their values, SI, defaults included: what [`CompensationInfo::build`] would make it of.
    pub fn values(&self) -> Vec<(&'static SchemeParameter, Vec<f64>)> {
        let one = |p: &'static SchemeParameter, x: f64| (p, vec![x]);
        match self {
            Compensation::Uncompensated => Vec::new(),
            Compensation::Polynomial(m) => {
                let spacing = m.spacing.map(|n| one(&SPACING, n as f64));
                [one(&DELAY, m.delay), one(&POINTS, m.order as f64)].into_iter().chain(spacing).collect()
            }
            Compensation::Inverse(m) if self.learns() => vec![one(&DELAY, m.delay), one(&KP, m.kp), one(&KI, m.ki)],
            Compensation::Inverse(m) => vec![one(&DELAY, m.delay)],
            Compensation::Feedforward(m) => vec![begun(m.series)],
            Compensation::PiLead(m) => {
                vec![one(&PROPORTIONAL, m.kp), one(&INTEGRAL, m.ki), one(&ZERO, m.zero), one(&POLE, m.pole)]
            }
            Compensation::Ats(m) => {
                vec![begun(m.start), one(&WINDOW, m.window), one(&SKIP, m.skip as f64), one(&THRESHOLD, m.threshold)]
            }
            Compensation::Gradient(m) => vec![begun(m.start), (&GAINS, m.gains.to_vec())],
            Compensation::Fir(m) => {
                vec![begun(m.start), one(&TAPS, m.spacing), one(&FORGETTING, m.forgetting), one(&TRUST, m.doubt)]
            }
            Compensation::Early(m) => vec![
                begun(m.start),
                one(&AHEAD, m.ahead),
                one(&HORIZON, m.horizon),
                one(&CORNER, m.corner),
                one(&NOISE, m.noise),
                one(&DOUBT, m.doubt),
            ],
            Compensation::Decoupling(m) => m.values(),
            Compensation::EarlyDecoupling(m) => vec![
                one(&PLAIN_DELAY, m.delay),
                one(&EARLY, m.ahead),
                one(&LAG, m.lag),
                one(&FEEDBACK, m.feedback),
                one(&CORRECTION, m.correction),
                one(&HORIZON, m.horizon),
                one(&CORNER, m.corner),
                one(&NOISE, m.noise),
                one(&DEVIATION, m.doubt),
            ],
        }
    }

    /// Whether it changes during a test: a probe of the loop knows what it starts with.
    pub fn learns(&self) -> bool {
        match self {
            Compensation::Ats(_)
            | Compensation::Gradient(_)
            | Compensation::Fir(_)
            | Compensation::Early(_)
            | Compensation::EarlyDecoupling(_) => true,
            Compensation::Inverse(m) => m.kp != 0.0 || m.ki != 0.0,
            Compensation::Uncompensated
            | Compensation::Polynomial(_)
            | Compensation::Feedforward(_)
            | Compensation::PiLead(_)
            | Compensation::Decoupling(_) => false,
        }
    }
}

/// Catalogue entry of a method.
#[derive(Clone, Copy)]
pub struct CompensationInfo {
    /// Name in the model file.
    pub name: &'static str,
    /// One line.
    pub title: &'static str,
    /// Where it comes from.
    pub reference: &'static str,
    /// What it is good for and where it fails, in a sentence or two.
    pub advice: &'static str,
    /// Whether it learns during the test.
    pub adaptive: bool,
    /// Whether it compensates all actuators of a rig together, by a model of them.
    pub multivariable: bool,
    /// Its parameters.
    pub parameters: &'static [SchemeParameter],
    /// Its constructor.
    pub build: fn(Arguments<'_>) -> Result<Compensation, ArgumentError>,
}

const DELAY: SchemeParameter =
    parameter("delay", None, "a time in s, zero or greater", "delay of the actuator").measuring(Measure::Time);
const POINTS: SchemeParameter =
    parameter("order", Some("3"), "1, 2, 3 or 4", "order of the polynomial; 1 and 4 add energy to the loop");
const SPACING: SchemeParameter =
    parameter("spacing", Some("the delay"), "a whole number of samples from 1 to 10000", "distance between the points");
const KP: SchemeParameter =
    parameter("kp", Some("1e7"), "a number in 1/m^2, zero or greater", "gain on the tracking indicator");
const KI: SchemeParameter =
    parameter("ki", Some("1e5"), "a number in 1/(m^2 s), zero or greater", "gain on its integral");
const SERIES: SchemeParameter = parameter(
    "series",
    Some("from the delay d: 1, d, d^2/2, d^3/6"),
    "four numbers: 1, s, s^2, s^3",
    "coefficients a0 to a3 of the inverse; start values if they adapt",
);
const LATE: SchemeParameter = parameter(
    "delay",
    Some("0"),
    "a time in s, zero or greater",
    "delay of the actuator, used for the coefficients if none are given",
)
.measuring(Measure::Time);
const GAINS: SchemeParameter = parameter(
    "gains",
    Some("10^8.4, 10^6.2, 10^2.1, 10^0.8"),
    "four numbers, zero or greater",
    "rates of adaptation in SI units, for motions of millimetres",
);
const WINDOW: SchemeParameter =
    parameter("window", Some("1"), "a time in s, from 0.01 to 60", "length of the fitted window")
        .measuring(Measure::Time);
const SKIP: SchemeParameter =
    parameter("skip", Some("16"), "a whole number of samples from 1 to 10000", "samples per fit");
const THRESHOLD: SchemeParameter = parameter(
    "threshold",
    Some("2.54e-4"),
    "a length in m, zero or greater",
    "amplitude below which the coefficients do not adapt",
)
.measuring(Measure::Length);
const TAPS: SchemeParameter =
    parameter("spacing", Some("5e-4"), "a time in s, greater than zero", "time between the taps")
        .measuring(Measure::Time);
const FORGETTING: SchemeParameter =
    parameter("forgetting", Some("1"), "a number from 0.9 to 1", "forgetting factor per sample; 1 means no forgetting");
const TRUST: SchemeParameter = parameter(
    "doubt",
    Some("1e10"),
    "a number in 1/m^2, greater than zero",
    "initial covariance: large values adapt fast",
);
const PROPORTIONAL: SchemeParameter = parameter("kp", Some("2"), "a number", "proportional gain");
const INTEGRAL: SchemeParameter =
    parameter("ki", Some("95"), "a rate in 1/s", "integral gain").measuring(Measure::Rate);
const ZERO: SchemeParameter = parameter(
    "zero",
    Some("168.6036181107506"),
    "an angular frequency in rad/s, greater than zero",
    "zero of the phase lead",
)
.measuring(Measure::AngularFrequency);
const POLE: SchemeParameter = parameter(
    "pole",
    Some("8570.39733944"),
    "an angular frequency in rad/s, greater than zero",
    "pole of the phase lead",
)
.measuring(Measure::AngularFrequency);
const AHEAD: SchemeParameter = parameter(
    "ahead",
    Some("1.5"),
    "a number of samples from 0 to 20",
    "lead of the specimen: the age of the force in the loop, 1.5 if the force of the last sample is held over the next",
);
const HORIZON: SchemeParameter = parameter(
    "horizon",
    Some("4"),
    "a time in s, greater than zero",
    "time of motion after which the weight of a \
        sample is 1/e",
)
.measuring(Measure::Time);
const CORNER: SchemeParameter =
    parameter("corner", Some("10"), "a frequency in Hz, greater than zero", "low-pass filter before the fit")
        .measuring(Measure::Frequency);
const NOISE: SchemeParameter = parameter(
    "noise",
    Some("1.6e-5"),
    "a length in m, greater than zero",
    "standard deviation of the displacement sensor",
)
.measuring(Measure::Length);
const DOUBT: SchemeParameter = parameter(
    "doubt",
    Some("0.3"),
    "a number greater than zero",
    "largest deviation of the inverse from its start values, in units of a_i (2 pi 4 Hz)^i",
);

const EARLY: SchemeParameter = parameter(
    "ahead",
    Some("0"),
    "a number of samples from 0 to 20",
    "lead of the specimen, if the loop uses the force later than it is measured",
);
const BANDWIDTH: SchemeParameter = parameter(
    "bandwidth",
    Some("15"),
    "a frequency in Hz, greater than zero",
    "highest frequency of the motion that must be followed",
)
.measuring(Measure::Frequency);
const ROLL_OFF: SchemeParameter = parameter(
    "roll_off",
    Some("100"),
    "a frequency in Hz, greater than zero",
    "frequency above which the inverse is filtered; high values follow better and amplify noise of the targets",
)
.measuring(Measure::Frequency);
const PLAIN_DELAY: SchemeParameter = parameter(
    "delay",
    Some("0"),
    "a time in s, zero or greater",
    "delay of the actuators, used if there is no model of them",
)
.measuring(Measure::Time);

const LAG: SchemeParameter = parameter(
    "lag",
    Some("5"),
    "a frequency in Hz, greater than zero",
    "pole of the inverse: near the slowest zero of the actuators, if they have one",
)
.measuring(Measure::Frequency);
const FEEDBACK: SchemeParameter = parameter(
    "feedback",
    Some("1"),
    "a number from 0 to 1",
    "share of the measured error that is added to the target; without a model of the actuators there is none",
);
const CORRECTION: SchemeParameter = parameter(
    "correction",
    Some("20"),
    "a frequency in Hz, greater than zero",
    "low-pass filter of the measured error",
)
.measuring(Measure::Frequency);
const DEVIATION: SchemeParameter = parameter(
    "doubt",
    Some("0.1"),
    "a number greater than zero",
    "expected deviation of the actuators from their model: of the gain, and of the delay in units of 1/(2 pi 4 Hz), 40 ms",
);

impl Decoupling {
    fn values(&self) -> Vec<(&'static SchemeParameter, Vec<f64>)> {
        vec![
            (&PLAIN_DELAY, vec![self.delay]),
            (&EARLY, vec![self.ahead]),
            (&BANDWIDTH, vec![self.bandwidth]),
            (&ROLL_OFF, vec![self.roll_off]),
        ]
    }
}

/// What a series is written as: the delay that it was made from, or its coefficients.
fn begun(series: Series) -> (&'static SchemeParameter, Vec<f64>) {
    if series == of_delay(series[1]) { (&LATE, vec![series[1]]) } else { (&SERIES, series.to_vec()) }
}

fn positive(x: f64) -> bool {
    x > 0.0
}

fn not_negative(x: f64) -> bool {
    x >= 0.0
}

fn whole(x: f64) -> bool {
    (1.0..=1e4).contains(&x) && x.fract() == 0.0
}

fn delay(a: Arguments<'_>) -> Result<f64, ArgumentError> {
    a.get(DELAY.name).ok_or(DELAY.refuse())?;
    a.number(&DELAY, 0.0, not_negative)
}

fn four(a: Arguments<'_>, p: &SchemeParameter, default: Series) -> Result<Series, ArgumentError> {
    match a.get(p.name) {
        None => Ok(default),
        Some(Argument::List(given)) => match given.try_into() {
            Ok(series) if given.iter().all(|x| x.is_finite()) => Ok(series),
            _ => Err(p.refuse()),
        },
        Some(_) => Err(p.refuse()),
    }
}

fn series(a: Arguments<'_>) -> Result<Series, ArgumentError> {
    let delay = a.number(&LATE, 0.0, not_negative)?;
    four(a, &SERIES, of_delay(delay))
}

fn polynomial(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    let order = a.number(&POINTS, 3.0, |n| (1.0..=MOST as f64).contains(&n) && n.fract() == 0.0)? as usize;
    let spacing = match a.get(SPACING.name) {
        None => None,
        Some(_) => Some(a.number(&SPACING, 1.0, whole)? as usize),
    };
    Ok(Compensation::Polynomial(Polynomial { order, delay: delay(a)?, spacing }))
}

fn gradient(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    let gains = four(a, &GAINS, [8.4, 6.2, 2.1, 0.8].map(|e: f64| 10f64.powf(e)))?;
    if gains.iter().any(|g| *g < 0.0) {
        return Err(GAINS.refuse());
    }
    Ok(Compensation::Gradient(Gradient { start: series(a)?, gains }))
}

fn ats(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    Ok(Compensation::Ats(Ats {
        start: series(a)?,
        window: a.number(&WINDOW, 1.0, |x| (0.01..=60.0).contains(&x))?,
        skip: a.number(&SKIP, 16.0, whole)? as usize,
        threshold: a.number(&THRESHOLD, 2.54e-4, not_negative)?,
    }))
}

fn fir(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    Ok(Compensation::Fir(Fir {
        start: series(a)?,
        spacing: a.number(&TAPS, 5e-4, positive)?,
        forgetting: a.number(&FORGETTING, 1.0, |x| (0.9..=1.0).contains(&x))?,
        doubt: a.number(&TRUST, 1e10, positive)?,
    }))
}

fn pi_lead(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    Ok(Compensation::PiLead(PiLead {
        kp: a.number(&PROPORTIONAL, 2.0, |_| true)?,
        ki: a.number(&INTEGRAL, 95.0, |_| true)?,
        zero: a.number(&ZERO, 168.6036181107506, positive)?,
        pole: a.number(&POLE, 8570.39733944, positive)?,
    }))
}

fn early(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    Ok(Compensation::Early(Early {
        start: series(a)?,
        ahead: a.number(&AHEAD, 1.5, |x| (0.0..=20.0).contains(&x))?,
        horizon: a.number(&HORIZON, 4.0, positive)?,
        corner: a.number(&CORNER, 10.0, positive)?,
        noise: a.number(&NOISE, 1.6e-5, positive)?,
        doubt: a.number(&DOUBT, 0.3, positive)?,
    }))
}

/// Without a model: who knows the actuators adds it.
fn decoupling(a: Arguments<'_>) -> Result<Decoupling, ArgumentError> {
    Ok(Decoupling {
        model: None,
        delay: a.number(&PLAIN_DELAY, 0.0, not_negative)?,
        ahead: a.number(&EARLY, 0.0, |x| (0.0..=20.0).contains(&x))?,
        bandwidth: a.number(&BANDWIDTH, 15.0, positive)?,
        roll_off: a.number(&ROLL_OFF, 100.0, positive)?,
    })
}

fn early_decoupling(a: Arguments<'_>) -> Result<Compensation, ArgumentError> {
    Ok(Compensation::EarlyDecoupling(EarlyDecoupling {
        model: None,
        delay: a.number(&PLAIN_DELAY, 0.0, not_negative)?,
        ahead: a.number(&EARLY, 0.0, |x| (0.0..=20.0).contains(&x))?,
        lag: a.number(&LAG, 5.0, positive)?,
        feedback: a.number(&FEEDBACK, 1.0, |x| (0.0..=1.0).contains(&x))?,
        correction: a.number(&CORRECTION, 20.0, positive)?,
        horizon: a.number(&HORIZON, 4.0, positive)?,
        corner: a.number(&CORNER, 10.0, positive)?,
        noise: a.number(&NOISE, 1.6e-5, positive)?,
        doubt: a.number(&DEVIATION, 0.1, positive)?,
    }))
}

/// Every method, the recommended one first.
pub const COMPENSATIONS: &[CompensationInfo] = &[
    CompensationInfo {
        name: "early",
        title: "adaptive inverse with a lead equal to the age of the force",
        reference: "derived in this project (book: compensation 2)",
        advice: "The default. It identifies the inverse of the actuator and moves the specimen ahead of its target by \
            the delay of the measured force, so that the force belongs to the correct time. It needs a smooth target \
            and an actuator for which an inverse of order 3 is adequate.",
        adaptive: true,
        multivariable: false,
        parameters: &[LATE, SERIES, AHEAD, HORIZON, CORNER, NOISE, DOUBT],
        build: early,
    },
    CompensationInfo {
        name: "ats",
        title: "adaptive time series: inverse of order 2, fitted over a moving window",
        reference: "Chae, Kazemibidokhti, Ricles, Earthq. Eng. Struct. Dyn. 42:1697-1715, 2013",
        advice: "Robust, and adapts to an actuator that changes. It does not compensate the delay of the measured \
            force.",
        adaptive: true,
        multivariable: false,
        parameters: &[LATE, SERIES, WINDOW, SKIP, THRESHOLD],
        build: ats,
    },
    CompensationInfo {
        name: "amb",
        title: "adaptive model-based: inverse of order 3 by a gradient law",
        reference: "Galmez, Fermandois, robust adaptive model-based compensator, public code RobustAMBCvRTHS",
        advice: "As accurate as ats if its gains suit the motion. The default gains are for motions of some \
            millimetres; choose others for other amplitudes.",
        adaptive: true,
        multivariable: false,
        parameters: &[LATE, SERIES, GAINS],
        build: gradient,
    },
    CompensationInfo {
        name: "fir-rls",
        title: "four taps, identified by recursive least squares",
        reference: "after RoDeAC, public code",
        advice: "Needs no model of the actuator. Without forgetting it does not adapt to an actuator that changes.",
        adaptive: true,
        multivariable: false,
        parameters: &[LATE, SERIES, TAPS, FORGETTING, TRUST],
        build: fir,
    },
    CompensationInfo {
        name: "feedforward",
        title: "fixed inverse of order 3",
        reference: "Phillips, Spencer, J. Struct. Eng. 139:1205-1214, 2013",
        advice: "As accurate as the model of the actuator with its specimen.",
        adaptive: false,
        multivariable: false,
        parameters: &[LATE, SERIES],
        build: |a| Ok(Compensation::Feedforward(Feedforward { series: series(a)? })),
    },
    CompensationInfo {
        name: "early-decoupling",
        title: "inverse of a model of all actuators; gain and delay of each adapt",
        reference: "derived in this project (book: compensation 6)",
        advice: "The most accurate one in the multi-axial benchmark, for actuators that act on one another and are known \
            from a test: give it a `plant`. It adapts what differs most from one day to the next, two numbers for each \
            actuator, and corrects the target by the measured error. It does not adapt the interaction.",
        adaptive: true,
        multivariable: true,
        parameters: &[PLAIN_DELAY, EARLY, LAG, FEEDBACK, CORRECTION, HORIZON, CORNER, NOISE, DEVIATION],
        build: early_decoupling,
    },
    CompensationInfo {
        name: "decoupling",
        title: "inverse of a model of all actuators, with their interaction",
        reference: "after Phillips, Spencer, J. Eng. Mech. 139:219-228, 2013",
        advice: "As accurate as the model: a `plant` in its table, or that of the specimen. Exact at rest, stable for \
            every stable model.",
        adaptive: false,
        multivariable: true,
        parameters: &[PLAIN_DELAY, EARLY, BANDWIDTH, ROLL_OFF],
        build: |a| Ok(Compensation::Decoupling(decoupling(a)?)),
    },
    CompensationInfo {
        name: "pi-lead",
        title: "proportional-integral tracking with a phase lead",
        reference: "shipped with the benchmark of Silva et al., Mech. Syst. Signal Process. 135:106381, 2020",
        advice: "A baseline. The defaults are those of the benchmark, where 4.6 ms of delay remain.",
        adaptive: false,
        multivariable: false,
        parameters: &[PROPORTIONAL, INTEGRAL, ZERO, POLE],
        build: pi_lead,
    },
    CompensationInfo {
        name: "inverse",
        title: "inverse of a first-order delay",
        reference: "Chen, Ricles, Eng. Struct. 31:2643-2655, 2009",
        advice: "For delays that are short compared with the periods of the structure; otherwise it overshoots.",
        adaptive: false,
        multivariable: false,
        parameters: &[DELAY],
        build: |a| Ok(Compensation::Inverse(Inverse { delay: delay(a)?, kp: 0.0, ki: 0.0 })),
    },
    CompensationInfo {
        name: "adaptive-inverse",
        title: "inverse of a first-order delay, adapted by the tracking indicator",
        reference: "Chen, Ricles, J. Struct. Eng. 136:432-440, 2010",
        advice: "Corrects a delay that is known approximately. Its gains depend on the amplitude of the motion.",
        adaptive: true,
        multivariable: false,
        parameters: &[DELAY, KP, KI],
        build: |a| {
            let (kp, ki) = (a.number(&KP, 1e7, not_negative)?, a.number(&KI, 1e5, not_negative)?);
            Ok(Compensation::Inverse(Inverse { delay: delay(a)?, kp, ki }))
        },
    },
    CompensationInfo {
        name: "polynomial",
        title: "extrapolation of the target by a polynomial of order 1 to 4",
        reference: "Horiuchi, Inoue, Konno, Namita, Earthq. Eng. Struct. Dyn. 28:1121-1141, 1999",
        advice: "For a pure delay that is known and short. Above a certain frequency, which a warning states, it adds \
            energy to the loop.",
        adaptive: false,
        multivariable: false,
        parameters: &[DELAY, POINTS, SPACING],
        build: polynomial,
    },
    CompensationInfo {
        name: "none",
        title: "no compensation: the command is the target",
        reference: "-",
        advice: "For ideal actuators, and for comparison.",
        adaptive: false,
        multivariable: false,
        parameters: &[],
        build: |_| Ok(Compensation::Uncompensated),
    },
];

/// The entry of this name.
pub fn find(name: &str) -> Option<&'static CompensationInfo> {
    COMPENSATIONS.iter().find(|m| m.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_method_says_of_itself_makes_it_again() {
        let number = |x: f64| Argument::Number(x);
        for info in COMPENSATIONS {
            for given in [
                vec![("delay", number(0.012))],
                vec![
                    ("delay", number(0.004)),
                    ("series", Argument::List(&[1.0, 0.02, 1e-4, 0.0])),
                    ("skip", number(3.0)),
                ],
            ] {
                let known: Vec<(&str, Argument<'_>)> =
                    given.into_iter().filter(|(name, _)| info.parameters.iter().any(|p| p.name == *name)).collect();
                let method = (info.build)(Arguments(&known)).unwrap_or_else(|e| panic!("{}: {}", info.name, e.name));
                assert_eq!(method.info().name, info.name);
                let values = method.values();
                let said: Vec<(&str, Argument<'_>)> = values
                    .iter()
                    .map(|(p, v)| (p.name, if let [x] = v[..] { number(x) } else { Argument::List(v) }))
                    .collect();
                assert_eq!((info.build)(Arguments(&said)), Ok(method), "{}: {said:?}", info.name);
            }
        }
    }
}
