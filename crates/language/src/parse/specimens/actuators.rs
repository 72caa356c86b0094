//! `[[specimen.actuator]]`: what moves a specimen, and the instruments on it.

use interfield_lab::controller::Calibration;
use interfield_lab::emulate::Sensor;
use interfield_lab::kinematics::{Lever, Strut};
use interfield_lab::plant::Limits;

use super::dynamics::{self, ActuatorType};
use super::{limits, wiring};
use crate::key::*;
use crate::parse::Context;
use crate::parse::motions::SEED;
use crate::reader::{Spanned, Table};
use crate::schema::merged;
use crate::specimen::{Actuator, Dynamics};
use crate::units::Dimension;

section! {
    /// What moves a specimen.
    pub(super) ACTUATOR = ("actuator", "[[specimen.actuator]]",
        "An actuator with its sensors. A single one without a direction describes all actuators.").more(|| merged(TYPE.name, dynamics::TYPES));
    NAME: Text = key("name", "Its name in tables, messages and recordings; its number, counted from 1, if absent.").example("east");
    DOF: Text = key("dof", "The degree of freedom it moves.").example("slab.x");
    ALONG: Inner = table("along", &FACTORS, "Its stroke as a weighted sum of degrees of freedom.")
        .example("{ \"tip.x\" = 1, \"base.x\" = -1 }");
    ANCHOR: List<Length> = key("anchor", "Position of its fixed end; the stroke is then the change of its \
        length.").example("[0, \"2 m\"]");
    ATTACHMENT: List<Length> = key("attachment", "Position of its moving end at rest.").example("[\"1 m\", \"2 m\"]");
    NODE: Text = key("node", "Node of the rigid body to which it is attached.").example("platform");
    TYPE: Choice<ActuatorType> = choice("type", dynamics::TYPES, "Its dynamics, in the emulated \
        laboratory.").default("ideal")
        .example("second-order");
    DELAY: Time = key("delay", "Pure delay of its command.").range(NOT_NEGATIVE).default("0").example("8 ms");
    DELAY_SWING: Time = key("delay_swing", "Amplitude of a sinusoidal variation of the \
        delay.").range(NOT_NEGATIVE).default("0").example("2 ms");
    DELAY_FREQUENCY: Frequency = key("delay_frequency", "Frequency of this \
        variation.").range(NOT_NEGATIVE).default("0").example("0.5 Hz");
    STROKE: Stroke = key("stroke", "Stroke: largest displacement it can reach.").range(NOT_NEGATIVE).example("100 mm");
    VELOCITY: StrokeRate = key("velocity", "Largest velocity it can reach.").range(NOT_NEGATIVE);
    ACCELERATION: StrokeAcceleration = key("acceleration", "Largest commanded acceleration; by default the largest \
        velocity times 2 pi 200 Hz. Braking uses at most 2 pi 10 Hz times that velocity.").range(NOT_NEGATIVE);
    FORCE: Force = key("force", "Largest force it can apply.").range(NOT_NEGATIVE).example("250 kN");
    LIMITS: Inner = table("limits", &limits::ACTUATOR_LIMITS, "Limits of this actuator, instead of those of the \
        specimen.")
        .example("{ force = \"80 kN\" }");
    FRICTION: Force = key("friction", "Coulomb friction between actuator and load \
        cell.").range(NOT_NEGATIVE).default("0").example("0.5 kN");
    DISPLACEMENT_SENSOR: Inner = table("displacement_sensor", &SENSOR, "Its displacement sensor, in the emulated laboratory.")
        .example("{ noise = \"0.02 mm\" }");
    FORCE_SENSOR: Inner = table("force_sensor", &SENSOR, "Its load cell, in the emulated laboratory.")
        .example("{ noise = \"1 N\", seed = 7 }");
    CALIBRATION: Inner = table("calibration", &CALIBRATIONS, "Calibration of its instruments.").example("{ command = \
        [0.1, 0] }");
    ETHERCAT: Inner = table("ethercat", &wiring::ETHERCAT, "Place of its signals on an EtherCAT bus.")
        .example("{ device = 1, command = { byte = 0 }, displacement = { byte = 0 }, force = { byte = 4 } }");
}

section! {
    FACTORS = ("along", "along = { \"tip.x\" = 1 }", "Factors of the degrees of freedom in the stroke.").others(|| Number.value());
}

section! {
    SENSOR = ("sensor", "force_sensor = { ... }", "Errors of a sensor.");
    GAIN: Pure = key("gain", "Gain: measured value over true value.").default("1").example("1.01");
    BIAS: Shown = key("bias", "Offset: measured value at zero.").default("0");
    NOISE: Shown = key("noise", "Standard deviation of its noise.").range(NOT_NEGATIVE).default("0");
    RANGE: Shown = key("range", "Largest value it can measure (saturation).").range(NOT_NEGATIVE).example("100 mm");
    QUANTUM: Shown = key("quantum", "Resolution of its converter.").range(NOT_NEGATIVE).default("0");
    NOISE_SEED: Count = SEED;
}

section! {
    CALIBRATIONS = ("calibration", "calibration = { ... }", "Instrument = gain x quantity + offset.");
    COMMAND: List<Number> = pair("command", "Gain and offset of the command, per unit of length of the file.");
    SHOWN_DISPLACEMENT: List<Number> =
        pair("displacement", "Gain and offset of the displacement sensor, per unit of length of the file.");
    SHOWN_FORCE: List<Number> = pair("force", "Gain and offset of the load cell, per unit of force of the file; a \
        negative gain reverses the sign.");
}

const fn pair(name: &'static str, doc: &'static str) -> Key<List<Number>> {
    key(name, doc).default("[1, 0]").example("[0.1, 0]")
}

/// The actuators of a specimen with these commanded degrees of freedom: one perfect one along each if none is written, one
/// kind for all if only one is written and it does not say where it acts.
pub(super) fn read(
    context: &Context<'_>,
    table: &Table<'_>,
    key: &Key<Tables>,
    dofs: &[usize],
) -> Option<Vec<Actuator>> {
    let tables = table.all(key);
    let unit = |i: usize| Lever::Linear((0..dofs.len()).map(|j| f64::from(u8::from(i == j))).collect());
    let moved = |i: usize| dofs.get(i).map_or(Dimension::LENGTH, |&d| context.disp(d));
    let perfect = |i: usize| Actuator {
        name: (i + 1).to_string(),
        turns: moved(i) != Dimension::LENGTH,
        lever: unit(i),
        calibration: Calibration::default(),
        dynamics: Dynamics::Ideal,
        delay: [0.0; 3],
        limits: Limits::NONE,
        acceleration: f64::INFINITY,
        own_limits: limits::nothing(),
        friction: 0.0,
        displacement: Sensor::default(),
        force: Sensor::default(),
        wiring: None,
        assignment: None,
    };
    if tables.is_empty() {
        return Some((0..dofs.len()).map(perfect).collect());
    }
    let acts_somewhere = |t: &Table<'_>| t.has(&DOF) || t.has(&ALONG) || t.has(&ANCHOR);
    let alone = tables.len() == 1 && !acts_somewhere(&tables[0]);
    let (written, span) = (tables.len(), tables[0].span());
    let mut actuators = Vec::new();
    for (i, t) in tables.into_iter().enumerate() {
        let dimension = acted_on(context, &t, moved(i));
        let t = t.along(dimension);
        let lever = if acts_somewhere(&t) { lever(context, &t, dofs) } else { Some(unit(i)) };
        let name = name(context, &t, i, &actuators);
        actuators.extend(one(context, &t).zip(lever).map(|(a, lever)| {
            let turns = turns(context, &lever, dofs);
            Actuator { name, turns, lever, ..a }
        }));
        t.finish();
    }
    if alone {
        let first = actuators.pop()?;
        // One kind for several: its name with their numbers.
        let name = |i: usize| match (dofs.len(), first.name.as_str()) {
            (1, name) => name.to_owned(),
            (_, "1") => (i + 1).to_string(),
            (_, name) => format!("{name} {}", i + 1),
        };
        let one = |i: usize| Actuator {
            name: name(i),
            turns: moved(i) != Dimension::LENGTH,
            lever: unit(i),
            ..first.clone()
        };
        return Some((0..dofs.len()).map(one).collect());
    }
    if written != dofs.len() && !dofs.is_empty() {
        let names: Vec<&str> = dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect();
        let message =
            format!("{written} actuators cannot control {} degrees of freedom ({})", dofs.len(), names.join(", "));
        context.error(span, message, "write one [[specimen.actuator]] for each of them");
        return None;
    }
    (actuators.len() == dofs.len()).then_some(actuators)
}

/// Whether its stroke is a length or an angle: that of what it acts on, by default of the degree of freedom of its number.
fn acted_on(context: &Context<'_>, t: &Table<'_>, usual: Dimension) -> Dimension {
    let dof = |name: &str| context.dofs.iter().position(|d| d.name == name).map(|d| context.disp(d));
    let along = || t.open(&ALONG).and_then(|inner| inner.keys().first().and_then(|key| dof(&key.value)));
    match t.read(&DOF) {
        _ if t.has(&ANCHOR) => Dimension::LENGTH,
        Some(name) => dof(&name.value).unwrap_or(usual),
        None => along().unwrap_or(usual),
    }
}

/// Its name, which no other actuator of the specimen has.
fn name(context: &Context<'_>, t: &Table<'_>, i: usize, before: &[Actuator]) -> String {
    let number = (i + 1).to_string();
    let Some(given) = t.read(&NAME) else { return number };
    let name = given.value.trim().to_owned();
    if name.is_empty() || name.contains(char::is_control) {
        context.error(given.span, "an actuator has a name of letters", "write for example name = \"east\", or omit it");
        return number;
    }
    if let Some(other) = before.iter().position(|a| a.name == name) {
        let message = format!("actuators {} and {number} have the same name `{name}`", other + 1);
        context.error(given.span, message, "give each actuator of the specimen a different name");
        return number;
    }
    name
}

/// Whether the stroke of a lever is an angle: only angles are in it.
fn turns(context: &Context<'_>, lever: &Lever, dofs: &[usize]) -> bool {
    let Lever::Linear(factors) = lever else { return false };
    let mut moved = factors.iter().zip(dofs).filter(|(factor, _)| **factor != 0.0).map(|(_, &d)| context.dofs[d].angle);
    moved.next() == Some(true) && moved.all(|angle| angle)
}

fn one(context: &Context<'_>, t: &Table<'_>) -> Option<Actuator> {
    let length = t.displacement();
    let force = Dimension::MOMENT.per(length);
    if t.has(&TYPE) && t.read(&TYPE).is_none() {
        // Its keys cannot be judged.
        t.ignore_all();
    }
    let limits = Limits {
        stroke: t.get_or(&STROKE, f64::INFINITY),
        velocity: t.get_or(&VELOCITY, f64::INFINITY),
        force: t.get_or(&FORCE, f64::INFINITY),
    };
    let acceleration = t.get_or(&ACCELERATION, f64::INFINITY);
    let own_limits = t.open(&LIMITS).map_or_else(limits::nothing, limits::own);
    let (friction, calibration) = (t.value(&FRICTION), calibration(context, t));
    let sensor = |key: &Key<Inner>, dim: Dimension| t.open(key).map_or_else(Sensor::default, |s| sensor(s.along(dim)));
    let (displacement, load_cell) = (sensor(&DISPLACEMENT_SENSOR, length), sensor(&FORCE_SENSOR, force));
    let (wiring, assignment) = t.open(&ETHERCAT).map_or((None, None), |inner| wiring::read(context, inner));
    Some(Actuator {
        name: String::new(),
        turns: false,
        lever: Lever::Linear(Vec::new()),
        calibration,
        dynamics: (t.value(&TYPE).read)(context, t)?,
        delay: delay(context, t),
        limits,
        acceleration,
        own_limits,
        friction,
        displacement,
        force: load_cell,
        wiring,
        assignment,
    })
}

/// Mean, swing and frequency of its delay.
fn delay(context: &Context<'_>, t: &Table<'_>) -> [f64; 3] {
    let delay = [t.value(&DELAY), t.value(&DELAY_SWING), t.value(&DELAY_FREQUENCY)];
    let (swings, pace) = (t.has(&DELAY_SWING), t.has(&DELAY_FREQUENCY));
    if swings != pace {
        let (given, place) = match swings {
            true => (DELAY_SWING.name, t.place(&DELAY_SWING)),
            false => (DELAY_FREQUENCY.name, t.place(&DELAY_FREQUENCY)),
        };
        let help = "write both delay_swing = \"2 ms\" and delay_frequency = \"0.5 Hz\"";
        context.error(place, format!("`{given}` alone has no effect"), help);
    } else if delay[1] > delay[0] {
        let message = "the delay becomes negative";
        context.error(t.place(&DELAY_SWING), message, "`delay_swing` must not be greater than `delay`");
    }
    delay
}

/// What an actuator acts on: a degree of freedom, a sum of several, or a point of a rigid body.
fn lever(context: &Context<'_>, t: &Table<'_>, dofs: &[usize]) -> Option<Lever> {
    let place = |dof: usize, text: &Spanned<String>| {
        let found = dofs.iter().position(|&d| d == dof);
        if found.is_none() {
            let names: Vec<&str> = dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect();
            let message = format!("`{}` is not moved by the specimen", text.value);
            context.error(text.span.clone(), message, format!("it has: {}", names.join(", ")));
        }
        found
    };
    if let Some(text) = t.read(&DOF) {
        let i = place(context.dof(&text)?, &text)?;
        return Some(Lever::Linear((0..dofs.len()).map(|j| f64::from(u8::from(i == j))).collect()));
    }
    if let Some(inner) = t.open(&ALONG) {
        let mut row = vec![0.0; dofs.len()];
        for key in inner.keys() {
            let factor = inner.entry(&key.value, &Number, Allowed::Any);
            let i = context.dof(&key).and_then(|d| place(d, &key));
            if let (Some(i), Some(factor)) = (i, factor) {
                row[i] = factor.value;
            }
        }
        inner.finish();
        return Some(Lever::Linear(row));
    }
    let point = |key: &Key<List<Length>>| {
        let values = t.read_required(key)?;
        if !(1..=3).contains(&values.value.len()) {
            context.error(values.span, "a point has one to three coordinates", "write for example [0, \"2 m\"]");
            return None;
        }
        Some(std::array::from_fn::<f64, 3, _>(|i| values.value.get(i).map_or(0.0, |v| v.value)))
    };
    let (anchor, attachment) = (point(&ANCHOR), point(&ATTACHMENT));
    let name = t.read_required(&NODE)?;
    let node = &context.nodes[context.node(&name)?];
    let moved = |short: &str| {
        let dof = node.dofs.iter().find(|d| d.0 == short)?.1;
        dofs.iter().position(|&d| d == dof)
    };
    let (anchor, attachment) = (anchor?, attachment?);
    if anchor == attachment {
        context.error(t.span(), "`anchor` and `attachment` are the same point", "an actuator needs a length");
        return None;
    }
    Some(Lever::Strut(Strut {
        anchor,
        attachment,
        pivot: node.at,
        translations: ["x", "y", "z"].map(moved),
        rotations: ["rx", "ry", "rz"].map(moved),
    }))
}

fn sensor(t: Table<'_>) -> Sensor {
    let sensor = Sensor {
        gain: t.value(&GAIN),
        bias: t.value(&BIAS),
        noise: t.value(&NOISE),
        range: t.get_or(&RANGE, f64::INFINITY),
        quantum: t.value(&QUANTUM),
        seed: t.value(&NOISE_SEED),
    };
    t.finish();
    sensor
}

/// What the instruments say of one metre and one newton: [gain, offset].
fn calibration(context: &Context<'_>, t: &Table<'_>) -> Calibration {
    let Some(inner) = t.open(&CALIBRATION) else { return Calibration::default() };
    let length = inner.displacement();
    let pair = |key: &Key<List<Number>>, dim: Dimension| {
        if !inner.has(key) {
            return [1.0, 0.0];
        }
        match inner.value(key).as_slice() {
            // Written per unit of the file.
            [gain, offset] if gain.value != 0.0 => [gain.value / context.scope.units.factor(dim), offset.value],
            _ => {
                let message = format!("`{}` must be [gain, offset] with a gain other than zero", key.name);
                context.error(inner.place(key), message, "write for example [0.1, 0]: volts per mm");
                [1.0, 0.0]
            }
        }
    };
    let calibration = Calibration {
        command: pair(&COMMAND, length),
        displacement: pair(&SHOWN_DISPLACEMENT, length),
        force: pair(&SHOWN_FORCE, Dimension::MOMENT.per(length)),
    };
    inner.finish();
    calibration
}
