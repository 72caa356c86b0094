//! `[[specimen.transducer]]` and `[[specimen.load_cell]]`: what measures a specimen in place of the sensors of its actuators.

use interfield_lab::emulate::Sensor;
use interfield_lab::fieldbus::Field;
use interfield_lab::safety::Limits;

use super::actuators::{self, FACTORS};
use super::{limits, wiring};
use crate::diag::did_you_mean;
use crate::key::*;
use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::{Actuator, Instrument};
use crate::units::Dimension;

section! {
    /// What measures displacements.
    pub(super) TRANSDUCER = ("transducer", "[[specimen.transducer]]", "A displacement transducer with its own direction. If there are any, the \
        measured displacements of the specimen are those that fit all of them best; the displacement sensors of the actuators are then for \
        tracking and control only.").more(shared);
    TRANSDUCER_LIMITS: Inner = table("limits", &limits::TRANSDUCER_LIMITS, "Limits of this transducer, instead of those of the \
        specimen.").example("{ measured_displacement = \"80 mm\" }");
}

section! {
    /// What measures forces.
    pub(super) LOAD_CELL = ("load_cell", "[[specimen.load_cell]]", "A load cell with its own direction. If there are any, they carry the specimen \
        together: its force is the sum of theirs, each along its direction; the load cells of the actuators are then for limits only.").more(shared);
    LOAD_CELL_LIMITS: Inner = table("limits", &limits::LOAD_CELL_LIMITS, "Limits of this load cell, instead of those of the \
        specimen.").example("{ force = \"80 kN\" }");
}

section! {
    [SHARED];
    NAME: Text = key("name", "Its name in tables, messages, faults and recordings; no actuator and no other sensor of the specimen has \
        it.").example("lvdt 1");
    ACTUATOR: Text = key("actuator", "The actuator whose own sensor counts as one of these, in place of a further \
        one.").example("east");
    DOF: Text = key("dof", "The degree of freedom along which it measures.").example("slab.x");
    ALONG: Inner = table("along", &FACTORS, "What it measures as a weighted sum of degrees of freedom; the factor of a rotation is a \
        lever arm.").example("{ \"slab.x\" = 1, \"slab.rz\" = \"-2 m\" }");
    ELEMENT: Text = key("element", "The element of the specimen whose deformation it measures, or whose force it \
        carries.").example("brace");
    ANCHOR: List<Length> = key("anchor", "Position of its fixed end; it measures the change of its length, or the force along \
        it.").example("[0, \"2 m\"]");
    ATTACHMENT: List<Length> = key("attachment", "Position of its moving end at rest.").example("[\"1 m\", \"2 m\"]");
    NODE: Text = key("node", "Node of the rigid body to which it is attached.").example("platform");
    CALIBRATION: List<Number> = key("calibration", "Gain and offset: instrument = gain x quantity + offset, per unit of the \
        file.").default("[1, 0]").example("[0.1, 0]");
    ETHERCAT: Inner = table("ethercat", &wiring::INPUT, "Place of its value in the inputs of an EtherCAT \
        device.").example("{ device = 2, byte = 0, type = \"i16\" }");
}

/// Keys that both kinds have: where it measures, its errors.
fn shared() -> Vec<crate::schema::Key> {
    describe(SHARED).into_iter().chain(describe(actuators::SENSOR.keys)).collect()
}

/// What a list of sensors measures.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Measures {
    Displacements,
    Forces,
}

impl Measures {
    fn word(self) -> &'static str {
        match self {
            Measures::Displacements => "transducer",
            Measures::Forces => "load cell",
        }
    }
}

/// What is known of a specimen when its sensors are read.
#[derive(Clone, Copy)]
pub(super) struct Rig<'a> {
    pub(super) dofs: &'a [usize],
    pub(super) actuators: &'a [Actuator],
}

/// The sensors of one kind; `taken` are the names of other instruments, to which theirs are added.
pub(super) fn read(
    context: &Context<'_>,
    tables: Vec<Table<'_>>,
    measures: Measures,
    rig: Rig<'_>,
    taken: &mut Vec<String>,
) -> Vec<Instrument> {
    let mut list: Vec<Instrument> = Vec::new();
    for (i, t) in tables.into_iter().enumerate() {
        let found = if t.has(&ACTUATOR) {
            of_actuator(context, &t, measures, rig, &list)
        } else {
            own(context, t, measures, rig, (i, &mut *taken))
        };
        list.extend(found);
    }
    list
}

/// The sensor of an actuator as one of these.
fn of_actuator(
    context: &Context<'_>,
    t: &Table<'_>,
    measures: Measures,
    rig: Rig<'_>,
    before: &[Instrument],
) -> Option<Instrument> {
    let given = t.read(&ACTUATOR)?;
    let others: Vec<_> = t.keys().into_iter().filter(|key| key.value != ACTUATOR.name).collect();
    t.ignore_all();
    if let Some(other) = others.first() {
        let message =
            format!("`{}` belongs to a sensor of its own, and this is that of actuator `{}`", other.value, given.value);
        let help =
            "remove it, or remove `actuator`; what the sensor of an actuator shows is written in [[specimen.actuator]]";
        context.error(other.span.clone(), message, help);
        return None;
    }
    let Some(place) = rig.actuators.iter().position(|a| a.name == given.value) else {
        // Actuators with mistakes of their own have no names yet.
        if !rig.actuators.is_empty() {
            let names: Vec<&str> = rig.actuators.iter().map(|a| a.name.as_str()).collect();
            let near = did_you_mean(&given.value, names.iter().copied());
            let help = near.unwrap_or_else(|| format!("actuators are {}", names.join(", ")));
            context.error(given.span, format!("there is no actuator `{}`", given.value), help);
        }
        return None;
    };
    let word = measures.word();
    if before.iter().any(|other| other.actuator == Some(place)) {
        let message = format!("the {word} of actuator `{}` is listed twice", given.value);
        context.error(given.span, message, "list it once");
        return None;
    }
    let a = &rig.actuators[place];
    let (sensor, calibration) = match measures {
        Measures::Displacements => (a.displacement, a.calibration.displacement),
        Measures::Forces => (a.force, a.calibration.force),
    };
    let (name, lever) = (a.name.clone(), a.lever.clone());
    let limits = Limits::none();
    Some(Instrument { name, turns: a.turns, lever, actuator: Some(place), sensor, calibration, limits, wiring: None })
}

/// A sensor of its own.
fn own(
    context: &Context<'_>,
    t: Table<'_>,
    measures: Measures,
    rig: Rig<'_>,
    (number, taken): (usize, &mut Vec<String>),
) -> Option<Instrument> {
    let word = measures.word();
    let name = name(context, &t, format!("{word} {}", number + 1), taken);
    let somewhere = actuators::acts_somewhere(&t);
    if !somewhere {
        let message = format!("nothing says in which direction this {word} measures");
        let help = "write dof = \"slab.x\", along = { ... }, element = \"NAME\", or anchor, attachment and node; or \
                    actuator = \"NAME\" for the sensor of an actuator";
        context.error(t.span(), message, help);
    }
    let lever = if somewhere { actuators::lever(context, &t, rig.dofs) } else { None };
    let turns = lever.as_ref().is_some_and(|l| l.1);
    let length = if turns { Dimension::ANGLE } else { Dimension::LENGTH };
    let shown = match measures {
        Measures::Displacements => length,
        Measures::Forces => Dimension::MOMENT.per(length),
    };
    let t = t.along(length);
    let limits = match measures {
        Measures::Displacements => t.open(&TRANSDUCER_LIMITS).map(limits::of_transducer),
        Measures::Forces => t.open(&LOAD_CELL_LIMITS).map(limits::of_load_cell),
    };
    let wiring: Option<Field> = t.open(&ETHERCAT).and_then(|inner| wiring::input(context, inner));
    let t = t.along(shown);
    let sensor: Sensor = actuators::errors(&t);
    let calibration = actuators::gain_and_offset(context, &t, &CALIBRATION, shown);
    t.finish();
    let (lever, turns) = lever?;
    let limits = limits.unwrap_or_else(Limits::none);
    Some(Instrument { name: name?, turns, lever, actuator: None, sensor, calibration, limits, wiring })
}

/// Its name, which no other instrument of the specimen has.
fn name(context: &Context<'_>, t: &Table<'_>, usual: String, taken: &mut Vec<String>) -> Option<String> {
    let given = t.read(&NAME);
    let (name, span) = given.map_or_else(|| (usual, t.span()), |g| (g.value.trim().to_owned(), g.span));
    if name.is_empty() || name.contains(char::is_control) {
        context.error(span, "a sensor has a name of letters", "write for example name = \"lvdt 1\", or omit it");
        return None;
    }
    if taken.contains(&name) {
        let message = format!("two instruments of this specimen have the name `{name}`");
        context.error(span, message, "give each actuator, transducer and load cell a different name");
        return None;
    }
    taken.push(name.clone());
    Some(name)
}
