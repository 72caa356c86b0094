//! `[[specimen.fault]]`: what goes wrong on purpose, one entry for each `type`.

use interfield_lab::emulate::{Injection, Misfortune};

use crate::diag::did_you_mean;
use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::schema::merged;
use crate::units::Dimension;

section! {
    /// Something that goes wrong.
    pub(super) FAULT = ("fault", "[[specimen.fault]]", "A simulated fault.").more(|| merged(TYPE.name, TYPES));
    TYPE: Choice<Fault> = choice("type", TYPES, "Type of the fault.").required().example("frozen-force");
    AT: Time = key("at", "Start, in laboratory time.").required().range(NOT_NEGATIVE).example("3 s");
    FOR: Time = key("for", "Duration; until the end if absent.").range(NOT_NEGATIVE).example("50 ms");
    ACTUATOR: Or<Whole, Text> = key("actuator", "Name of the actuator, or its number counted from 1; all actuators if \
        absent.").range(from(1.0)).example("east");
}

/// A kind of fault, in a laboratory with this sampling interval.
type Fault = Type<fn(&Table<'_>, f64) -> Option<What>>;

/// What a fault strikes: the emulated laboratory, or the machine that sends the targets.
enum What {
    Laboratory(Misfortune),
    Stall,
}

const fn plain(name: &'static str, doc: &'static str, read: fn(&Table<'_>, f64) -> Option<What>) -> Fault {
    Type::new(name, doc, &[], read)
}

/// All faults.
const TYPES: &[Fault] = &[
    plain("frozen-displacement", "A displacement sensor is frozen.", |_, _| laboratory(Misfortune::FrozenDisplacement)),
    plain("frozen-force", "A load cell is frozen.", |_, _| laboratory(Misfortune::FrozenForce)),
    plain("silence", "No measurements arrive.", |_, _| laboratory(Misfortune::Silence)),
    Type::new("spike", "A load cell shows an additional force (spike).", &[SPIKE], |t, _| {
        laboratory(Misfortune::Spike(t.read(&SPIKE_SIZE)?.value))
    }),
    plain("nan", "A measurement is NaN (not a number).", |_, _| laboratory(Misfortune::NotANumber)),
    Type::new("delay", "Measurements arrive late.", &[DELAY], |t, period| {
        laboratory(Misfortune::Delay((t.read(&DELAY_SIZE)?.value / period).round() as usize))
    }),
    plain("gone", "The connection is lost.", |_, _| laboratory(Misfortune::Gone)),
    plain("emergency-stop", "The emergency stop is pressed.", |_, _| laboratory(Misfortune::EmergencyStop)),
    plain("stall", "No target arrives.", |_, _| Some(What::Stall)),
];

fn laboratory(what: Misfortune) -> Option<What> {
    Some(What::Laboratory(what))
}

section! {
    [SPIKE];
    SPIKE_SIZE: Force = key("size", "Additional force.").required().example("20 kN");
}

section! {
    [DELAY];
    DELAY_SIZE: Time = key("size", "Additional delay.").required().range(NOT_NEGATIVE).example("20 ms");
}

/// The actuator that a fault strikes, counted from 0; all of them if none is named.
fn actuator(context: &Context<'_>, t: &Table<'_>, names: &[&str]) -> Option<usize> {
    let given = t.read(&ACTUATOR)?;
    let (found, said) = match &given.value {
        Either::First(n) => (usize::try_from(n - 1).ok().filter(|n| *n < names.len()), n.to_string()),
        Either::Second(name) => (names.iter().position(|other| other == name), format!("`{name}`")),
    };
    // Actuators with mistakes of their own have no names yet.
    if found.is_none() && !names.is_empty() {
        let near = match &given.value {
            Either::Second(name) => did_you_mean(name, names.iter().copied()),
            Either::First(_) => None,
        };
        let list = || format!("actuators are {}; or write their number, from 1 to {}", names.join(", "), names.len());
        context.error(given.span, format!("there is no actuator {said}"), near.unwrap_or_else(list));
    }
    found
}

/// What goes wrong on purpose, and the samples (from which on, how many) in which no target comes; times are those of the
/// laboratory, of which displacements have dimension `length`.
pub(super) fn read(
    context: &Context<'_>,
    tables: Vec<Table<'_>>,
    length: Dimension,
    (actuators, period): (&[&str], f64),
) -> (Vec<Injection>, Vec<[u64; 2]>) {
    let (mut faults, mut stalls) = (Vec::new(), Vec::new());
    for t in tables.into_iter().map(|t| t.along(length)) {
        let kind = t.read(&TYPE);
        let from = t.read(&AT).map(|at| (at.value / period).round() as u64);
        let samples = t.read(&FOR).map_or(u64::MAX, |lasts| (lasts.value / period).round().max(1.0) as u64);
        let actuator = actuator(context, &t, actuators);
        match kind.and_then(|kind| (kind.value.read)(&t, period)).zip(from) {
            Some((What::Laboratory(what), from)) => faults.push(Injection { what, actuator, from, samples }),
            // A machine that never comes back is not rehearsed: then there is no test.
            Some((What::Stall, from)) => stalls.push([from, samples.min(1 << 32)]),
            None => {}
        }
        t.finish();
    }
    stalls.sort_unstable();
    (faults, stalls)
}
