//! `uncertain` of specimens and actuators: intervals, or distributions, for the certificate of stability.

use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::uncertain::{Known, Numbers, OfActuator, OfSpecimen};
use crate::units::Dimension;

/// Normal distributions: an interval of 99.9 % lies so many standard deviations on each side of the mean.
const DEVIATIONS: f64 = 3.290_527;
const COVERED: f64 = 0.999;

/// The table of a distribution of one kind of quantity.
macro_rules! distribution {
    ($module:ident, $kind:ty, $name:literal, $mean:literal, $std:literal) => {
        mod $module {
            use crate::key::*;
            section! {
                pub(super) SECTION = ($name, "{ mean = ..., cov = ... }", "A normal distribution, of which 99.9 % are covered.");
                pub(super) MEAN: $kind = key("mean", "Mean.").required().example($mean);
                pub(super) STD: $kind = key("std", "Standard deviation.").range(NOT_NEGATIVE).example($std);
                pub(super) COV: Pure = key("cov", "Coefficient of variation: standard deviation over mean.").range(NOT_NEGATIVE).example("0.1");
            }
        }
    };
}

distribution!(time, Time, "uncertain-time", "10 ms", "1 ms");
distribution!(frequency, Frequency, "uncertain-frequency", "20 Hz", "2 Hz");
distribution!(pure, Pure, "uncertain-number", "1", "0.05");
distribution!(shown, Shown, "uncertain-noise", "0.02 mm", "0.002 mm");

section! {
    /// Intervals of an actuator.
    pub(super) ACTUATOR = ("actuator-uncertain", "uncertain = { delay = [\"8 ms\", \"14 ms\"] }",
        "Values of the actuator that are known within an interval only, [lowest, highest], or by a distribution. `check --stability` and `rehearse` \
            certify the stability of the loop for all of them. An interval of zero width is a value: the emulated actuator has it.");
    DELAY: Or<List<Time>, Inner> = of(Or(List(Time), Inner(&time::SECTION)), "delay", "Its pure delay.").range(NOT_NEGATIVE)
        .example("[\"8 ms\", \"14 ms\"]");
    GAIN: Or<List<Pure>, Inner> = of(Or(List(Pure), Inner(&pure::SECTION)), "gain", "Stroke over command at rest.").range(POSITIVE)
        .example("[0.98, 1.02]");
    FREQUENCY: Or<List<Frequency>, Inner> = of(Or(List(Frequency), Inner(&frequency::SECTION)), "frequency",
        "Natural frequency of a second-order actuator.").range(POSITIVE).example("[\"18 Hz\", \"25 Hz\"]");
    DAMPING: Or<List<Pure>, Inner> = of(Or(List(Pure), Inner(&pure::SECTION)), "damping", "Damping ratio of a second-order actuator.")
        .range(NOT_NEGATIVE).example("{ mean = 0.7, cov = 0.1 }");
    TIME_CONSTANT: Or<List<Time>, Inner> = of(Or(List(Time), Inner(&time::SECTION)), "time_constant",
        "Time constant of a first-order actuator.").range(POSITIVE).example("[\"8 ms\", \"12 ms\"]");
    DISPLACEMENT_NOISE: Or<List<Shown>, Inner> = of(Or(List(Shown), Inner(&shown::SECTION)), "displacement_noise",
        "Standard deviation of the noise of its displacement sensor.").range(NOT_NEGATIVE).example("[\"0.01 mm\", \"0.05 mm\"]");
    FORCE_NOISE: Or<List<Shown>, Inner> = of(Or(List(Shown), Inner(&shown::SECTION)), "force_noise",
        "Standard deviation of the noise of its load cell; a moment where it turns.").range(NOT_NEGATIVE).example("[0.1, 0.5]");
}

section! {
    /// Intervals of a specimen.
    pub(super) SPECIMEN = ("specimen-uncertain", "uncertain = { stiffness = [0.8, 1.2] }",
        "Properties of the specimen that are known within an interval only: factors on what its elements say, [lowest, highest], or by a distribution. An interval of \
            zero width is a value: the emulated specimen has it.");
    STIFFNESS: Or<List<Pure>, Inner> = of(Or(List(Pure), Inner(&pure::SECTION)), "stiffness", "Factor on its restoring forces.")
        .range(POSITIVE).example("{ mean = 1, cov = 0.1 }");
    SPECIMEN_DAMPING: Or<List<Pure>, Inner> = of(Or(List(Pure), Inner(&pure::SECTION)), "damping", "Factor on its damping.")
        .range(NOT_NEGATIVE).example("[0.5, 2]");
    MASS: Or<List<Pure>, Inner> = of(Or(List(Pure), Inner(&pure::SECTION)), "mass", "Factor on its mass.").range(POSITIVE)
        .example("[0.95, 1.05]");
}

/// Reads one interval or distribution. `section` has the keys of the distribution.
macro_rules! known {
    ($context:expr, $table:expr, $key:expr, $module:ident) => {
        $table.read(&$key).and_then(|found| {
            let (name, span) = ($key.name, found.span.clone());
            match found.value {
                Either::First(list) => {
                    interval($context, name, span, &list.iter().map(|x| x.value).collect::<Vec<f64>>())
                }
                Either::Second(inner) => {
                    let (mean, std, cov) =
                        (inner.read(&$module::MEAN), inner.read(&$module::STD), inner.read(&$module::COV));
                    let missing = !inner.has(&$module::MEAN) || (mean.is_none());
                    let wrong = std.is_none() && inner.has(&$module::STD) || cov.is_none() && inner.has(&$module::COV);
                    inner.finish();
                    if missing || wrong {
                        return None;
                    }
                    let numbers = [mean.map(|x| x.value), std.map(|x| x.value), cov.map(|x| x.value)];
                    distribution($context, name, span, numbers)
                }
            }
        })
    };
}

fn interval(context: &Context<'_>, name: &str, span: std::ops::Range<usize>, list: &[f64]) -> Option<Known> {
    let [low, high] = *list else {
        let message = format!("`{name}` is an interval and needs two values, found {}", list.len());
        context.error(span, message, "write the lowest and the highest value: [lowest, highest]");
        return None;
    };
    if low > high {
        context.error(span, format!("the interval of `{name}` is reversed"), "write the lowest value first");
        return None;
    }
    Some(Known { range: [low, high], covered: 1.0, span })
}

fn distribution(
    context: &Context<'_>,
    name: &str,
    span: std::ops::Range<usize>,
    [mean, std, cov]: [Option<f64>; 3],
) -> Option<Known> {
    let mean = mean?;
    let deviation = match (std, cov) {
        (Some(std), None) => std,
        (None, Some(cov)) => cov * mean.abs(),
        _ => {
            let message = format!("the distribution of `{name}` needs either `std` or `cov`");
            context.error(span, message, "write for example { mean = ..., cov = 0.1 }");
            return None;
        }
    };
    let range = [mean - DEVIATIONS * deviation, mean + DEVIATIONS * deviation];
    if range[0] < 0.0 || (range[0] == 0.0 && deviation > 0.0) {
        let message = format!(
            "the distribution of `{name}` reaches below zero: 99.9 % of it lie within 3.29 standard deviations of the mean"
        );
        context.error(span, message, "write a smaller deviation, or an interval: [lowest, highest]");
        return None;
    }
    Some(Known { range, covered: if deviation > 0.0 { COVERED } else { 1.0 }, span })
}

/// Says that a value of the file is not in its interval.
fn check(context: &Context<'_>, name: &str, known: Option<&Known>, own: f64) {
    let Some(known) = known.filter(|k| !k.is_value()) else { return };
    // To rounding of units.
    let slack = 1e-9 * known.range[1].abs();
    if own < known.range[0] - slack || own > known.range[1] + slack {
        let message = format!("`{name}` of the file is outside of its interval under `uncertain`");
        context.error(
            known.span.clone(),
            message,
            "the interval contains the value of the file; for a specimen the factor 1",
        );
    }
}

/// Intervals of an actuator of a kind; its numbers take single values. Noise is in the units of the displacement and of the force that it measures.
pub(super) fn actuator(
    context: &Context<'_>,
    table: Table<'_>,
    (kind, length): (&str, Dimension),
    mut numbers: Numbers<'_>,
) -> OfActuator {
    let table = table.along(length);
    let displacement_noise = known!(context, table, DISPLACEMENT_NOISE, shown);
    let table = table.along(Dimension::MOMENT.per(length));
    let found = OfActuator {
        delay: known!(context, table, DELAY, time),
        gain: known!(context, table, GAIN, pure),
        frequency: known!(context, table, FREQUENCY, frequency),
        damping: known!(context, table, DAMPING, pure),
        time_constant: known!(context, table, TIME_CONSTANT, time),
        displacement_noise,
        force_noise: known!(context, table, FORCE_NOISE, shown),
    };
    table.finish();
    let only = [
        ("gain", &["first-order", "second-order", "transfer"][..]),
        ("frequency", &["second-order"]),
        ("damping", &["second-order"]),
        ("time_constant", &["first-order"]),
    ];
    for (name, known) in found.all() {
        let Some(known) = known else { continue };
        let kinds = only.iter().find(|(n, _)| *n == name).map_or(&[][..], |(_, kinds)| *kinds);
        if !kinds.is_empty() && !kinds.contains(&kind) {
            let message = format!("an actuator of type \"{kind}\" has no `{name}` that could be uncertain");
            let kinds: Vec<String> = kinds.iter().map(|k| format!("\"{k}\"")).collect();
            context.error(known.span.clone(), message, format!("remove it, or write type = {}", kinds.join(" or ")));
            continue;
        }
        let Some(own) = numbers.get(name) else { continue };
        if known.is_value() {
            numbers.set(name, known.range[0]);
        } else if !(name.ends_with("_noise") && own == 0.0) {
            // A file that says nothing of a noise does not say that there is none.
            check(context, name, Some(known), own);
        }
    }
    found
}

/// Intervals of a specimen.
pub(super) fn specimen(context: &Context<'_>, table: Table<'_>) -> OfSpecimen {
    let found = OfSpecimen {
        stiffness: known!(context, table, STIFFNESS, pure),
        damping: known!(context, table, SPECIMEN_DAMPING, pure),
        mass: known!(context, table, MASS, pure),
    };
    table.finish();
    found.all().into_iter().for_each(|(name, known)| check(context, name, known, 1.0));
    found
}
