//! How emulated actuators move: one entry for each `type`, with its keys and who reads it.

use interfield_lab::plant::Hydraulic;

use crate::key::*;
use crate::parse::Context;
use crate::reader::{Spanned, Table};
use crate::specimen::Dynamics;

/// A kind of actuator.
pub(super) type ActuatorType = Type<fn(&Context<'_>, &Table<'_>) -> Option<Dynamics>>;

/// All kinds of actuators, the perfect one first.
pub(super) const TYPES: &[ActuatorType] = &[
    Type::new("ideal", "Ideal: the actuator follows its command exactly.", &[], |_, _| Some(Dynamics::Ideal)),
    Type::new("first-order", "First-order lag with a time constant.", &[FIRST_ORDER], first_order),
    Type::new("second-order", "Second-order lag: a damped oscillator.", &[SECOND_ORDER], second_order),
    Type::new(
        "transfer",
        "Transfer function from command to displacement: a ratio of polynomials in s.",
        &[TRANSFER],
        transfer,
    ),
    Type::new(
        "servo-hydraulic",
        "Hydraulic actuator that interacts with the force of the specimen.",
        &[HYDRAULIC],
        hydraulic,
    ),
];

section! {
    [FIRST_ORDER];
    TIME_CONSTANT: Time = key("time_constant", "Time constant.").required().range(POSITIVE).example("10 ms");
}

section! {
    [SECOND_ORDER];
    FREQUENCY: Frequency = key("frequency", "Natural frequency.").required().range(POSITIVE).example("25 Hz");
    DAMPING: Pure = key("damping", "Damping ratio.").required().range(NOT_NEGATIVE).example("0.7");
}

section! {
    [TRANSFER];
    NUMERATOR: List<Number> = key("numerator", "Coefficients of s, the highest power first.").required().example("[1]");
    DENOMINATOR: List<Number> = key("denominator", "Coefficients of s, the highest power first.").required().example("[0.01, 1]");
}

section! {
    [HYDRAULIC];
    G: Number = key("g", "Calibration.").default("1.0261");
    A1B0: Number = key("a1b0", "Gain of its controller and valve, SI.").default("2.1283e13");
    A2: Number = key("a2", "Its natural velocity feedback, SI.").default("4.2297e6");
    A3: Number = key("a3", "Its leakage, 1/s.").default("3.3");
    BETA1: Number = key("beta1", "Damping of its valve, 1/s.").default("425");
    BETA2: Number = key("beta2", "Stiffness of its valve, 1/s^2.").default("99976");
}

fn first_order(_: &Context<'_>, t: &Table<'_>) -> Option<Dynamics> {
    let time = t.read(&TIME_CONSTANT)?;
    Some(Dynamics::Transfer { numerator: vec![1.0], denominator: vec![time.value, 1.0] })
}

fn second_order(_: &Context<'_>, t: &Table<'_>) -> Option<Dynamics> {
    let (frequency, damping) = (t.read(&FREQUENCY), t.read(&DAMPING));
    let (w, damping) = (std::f64::consts::TAU * frequency?.value, damping?.value);
    Some(Dynamics::Transfer { numerator: vec![w * w], denominator: vec![1.0, 2.0 * damping * w, w * w] })
}

fn transfer(context: &Context<'_>, t: &Table<'_>) -> Option<Dynamics> {
    let (numerator, denominator) = (t.read(&NUMERATOR), t.read(&DENOMINATOR));
    let (numerator, denominator) = (numerator?, denominator?);
    let values = |l: &Spanned<Vec<Spanned<f64>>>| l.value.iter().map(|x| x.value).collect::<Vec<f64>>();
    if denominator.value.len() <= numerator.value.len() || denominator.value.first().is_none_or(|x| x.value == 0.0) {
        let message = "the denominator of a transfer function must be of higher order than its numerator";
        let help = "coefficients of s, the highest power first: 1/(0.01 s + 1) is [1] over [0.01, 1]";
        context.error(denominator.span, message, help);
        return None;
    }
    Some(Dynamics::Transfer { numerator: values(&numerator), denominator: values(&denominator) })
}

fn hydraulic(_: &Context<'_>, t: &Table<'_>) -> Option<Dynamics> {
    Some(Dynamics::Hydraulic(Hydraulic {
        g: t.value(&G),
        a1b0: t.value(&A1B0),
        a2: t.value(&A2),
        a3: t.value(&A3),
        beta1: t.value(&BETA1),
        beta2: t.value(&BETA2),
        ..Hydraulic::benchmark(1.0)
    }))
}
