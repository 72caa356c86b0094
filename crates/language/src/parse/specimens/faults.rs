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
        absent, and no `sensor` is named.").range(from(1.0)).example("east");
    SENSOR: Text = key("sensor", "Name of the transducer or load cell besides those of the actuators that the fault \
        affects.").example("lvdt 2");
}

/// A kind of fault, in a laboratory with this sampling interval.
type Fault = Type<fn(&Table<'_>, f64) -> Option<What>>;

/// The instruments that a fault can strike, by name: actuators, further transducers and further load cells, and the dimension of the stroke
/// of each.
pub(super) struct Struck<'a> {
    pub(super) actuators: Vec<(&'a str, Dimension)>,
    pub(super) transducers: Vec<(&'a str, Dimension)>,
    pub(super) load_cells: Vec<(&'a str, Dimension)>,
}

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
    Type::new(
        "offset",
        "A displacement sensor shows an additional displacement: it has slipped.",
        &[OFFSET],
        |t, _| laboratory(Misfortune::Offset(t.read(&OFFSET_SIZE)?.value)),
    ),
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
    [OFFSET];
    OFFSET_SIZE: Stroke = key("size", "Additional displacement.").required().example("2 mm");
}

section! {
    [DELAY];
    DELAY_SIZE: Time = key("size", "Additional delay.").required().range(NOT_NEGATIVE).example("20 ms");
}

/// The actuator that a fault strikes, counted from 0; all of them if none is named.
fn actuator(context: &Context<'_>, t: &Table<'_>, struck: &Struck<'_>) -> Option<usize> {
    let given = t.read(&ACTUATOR)?;
    let names: Vec<&str> = struck.actuators.iter().map(|a| a.0).collect();
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

/// The further sensor that a fault strikes, counted from 0, transducers first, with the dimension of its displacement.
fn sensor(context: &Context<'_>, t: &Table<'_>, struck: &Struck<'_>) -> Option<(usize, Dimension)> {
    let given = t.read(&SENSOR)?;
    let all: Vec<_> = struck.transducers.iter().chain(&struck.load_cells).collect();
    let found = all.iter().position(|(name, _)| *name == given.value);
    let Some(place) = found else {
        let help = did_you_mean(&given.value, all.iter().map(|s| s.0)).unwrap_or_else(|| match all.is_empty() {
            true => {
                "write a [[specimen.transducer]] or [[specimen.load_cell]] with this name; the sensors of an actuator \
                     are named by `actuator`"
                    .to_owned()
            }
            false => format!("sensors are {}", all.iter().map(|s| s.0).collect::<Vec<_>>().join(", ")),
        });
        context.error(given.span, format!("there is no sensor `{}`", given.value), help);
        return None;
    };
    if t.has(&ACTUATOR) {
        let message = "a fault affects an `actuator` or a `sensor`, not both";
        context.error(t.place(&ACTUATOR), message, "remove one of them");
    }
    let displacement = place < struck.transducers.len();
    let kind = t.read(&TYPE).map_or("", |k| k.value.name);
    let fits = match kind {
        "frozen-displacement" | "offset" => displacement,
        "frozen-force" | "spike" => !displacement,
        "nan" | "" => true,
        _ => {
            let message = format!("`{kind}` does not affect a single sensor");
            context.error(t.place(&SENSOR), message, "remove `sensor`, or write type = \"nan\"");
            return None;
        }
    };
    if !fits {
        let (is, types) = match displacement {
            true => ("a transducer", "frozen-displacement, offset and nan"),
            false => ("a load cell", "frozen-force, spike and nan"),
        };
        let message = format!("`{kind}` does not affect {is}, and `{}` is one", given.value);
        context.error(given.span, message, format!("faults of {is} are {types}"));
        return None;
    }
    Some((place, all[place].1))
}

/// The dimension of the strokes that a fault strikes. Where it strikes all actuators, and some of them turn, no size holds for all.
fn dimension(
    context: &Context<'_>,
    t: &Table<'_>,
    struck: &Struck<'_>,
    (sensor, actuator): (Option<Dimension>, Option<usize>),
) -> Dimension {
    let all = || struck.actuators.iter().map(|a| a.1);
    if let Some(known) = sensor.or_else(|| Some(struck.actuators.get(actuator?)?.1)) {
        return known;
    }
    let first = all().next().unwrap_or(Dimension::LENGTH);
    let sized = t.read(&TYPE).is_some_and(|kind| ["spike", "offset"].contains(&kind.value.name));
    if sized && !t.has(&ACTUATOR) && !t.has(&SENSOR) && all().any(|other| other != first) {
        let message = "this fault strikes actuators that move and actuators that turn: no `size` holds for all of them";
        let help = "name the actuator, and write one [[specimen.fault]] for each";
        context.error(t.place("size"), message, help);
    }
    first
}

/// What goes wrong on purpose, and the samples (from which on, how many) in which no target comes; times are those of the
/// laboratory.
pub(super) fn read(
    context: &Context<'_>,
    tables: Vec<Table<'_>>,
    (struck, period): (&Struck<'_>, f64),
) -> (Vec<Injection>, Vec<[u64; 2]>) {
    let (mut faults, mut stalls) = (Vec::new(), Vec::new());
    for t in tables {
        let sensor = sensor(context, &t, struck);
        let actuator = actuator(context, &t, struck);
        let along = dimension(context, &t, struck, (sensor.map(|s| s.1), actuator));
        let t = t.along(along);
        let kind = t.read(&TYPE);
        let from = t.read(&AT).map(|at| (at.value / period).round() as u64);
        let samples = t.read(&FOR).map_or(u64::MAX, |lasts| (lasts.value / period).round().max(1.0) as u64);
        match kind.and_then(|kind| (kind.value.read)(&t, period)).zip(from) {
            Some((What::Laboratory(what), from)) => {
                let sensor = sensor.map(|s| s.0);
                faults.push(Injection { what, actuator, sensor, from, samples });
            }
            // A machine that never comes back is not rehearsed: then there is no test.
            Some((What::Stall, from)) => stalls.push([from, samples.min(1 << 32)]),
            None => {}
        }
        t.finish();
    }
    stalls.sort_unstable();
    (faults, stalls)
}
