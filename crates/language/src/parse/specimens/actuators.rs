//! `[[specimen.actuator]]`: what moves a specimen, and the instruments on it.

use interfield_lab::controller::{Calibration, Control};
use interfield_lab::emulate::Sensor;
use interfield_lab::kinematics::{Lever, Strut};
use interfield_lab::plant::Limits;

use super::dynamics::{self, ActuatorType};
use super::{COMPENSATION, control, limits, own_compensation, uncertain, wiring};
use crate::diag::did_you_mean;
use crate::key::*;
use crate::model::{Kind, Support};
use crate::parse::Context;
use crate::parse::motions::SEED;
use crate::quantity::Value;
use crate::reader::{Raw, Spanned, Table};
use crate::schema::merged;
use crate::specimen::uncertain::{Numbers, OfActuator};
use crate::specimen::{Actuator, Dynamics};
use crate::units::Dimension;

section! {
    /// What moves a specimen.
    pub(super) ACTUATOR = ("actuator", "[[specimen.actuator]]",
        "An actuator with its sensors. A single one without a direction describes all actuators.").more(|| merged(TYPE.name, dynamics::TYPES));
    NAME: Text = key("name", "Its name in tables, messages and recordings; its number, counted from 1, if absent.").example("east");
    DOF: Text = key("dof", "The degree of freedom it moves.").example("slab.x");
    ALONG: Inner = table("along", &FACTORS, "Its stroke as a weighted sum of degrees of freedom; the factor of a rotation is a \
        lever arm.")
        .example("{ \"slab.x\" = 1, \"slab.rz\" = \"-2 m\" }");
    ELEMENT: Text = key("element", "The element of the specimen whose deformation is its stroke: one actuator on a damper or a \
        brace between several degrees of freedom.").example("brace");
    ANCHOR: List<Length> = key("anchor", "Position of its fixed end; the stroke is then the change of its \
        length.").example("[0, \"2 m\"]");
    ATTACHMENT: List<Length> = key("attachment", "Position of its moving end at rest.").example("[\"1 m\", \"2 m\"]");
    NODE: Text = key("node", "Node of the rigid body to which it is attached.").example("platform");
    TYPE: Choice<ActuatorType> = choice("type", dynamics::TYPES, "Its dynamics, in the emulated \
        laboratory.").default("ideal")
        .example("second-order");
    OWN_COMPENSATION: Or<Named, Inner> = of(COMPENSATION.kind, COMPENSATION.name, "Compensation of this actuator, instead \
        of that of the specimen.").example("ats");
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
    pub(super) CONTROL: Choice<(Control, &'static str)> = choice("control", &Control::ALL, "What it follows on an inner degree \
        of freedom: its place, or its `load`.").default("displacement").example("force");
    pub(super) LOAD: Force = key("load", "Load that it holds in force control: applied on the way to the start, taken off at the \
        end. Its sign is that of its load cell.").example("-1200 kN");
    pub(super) BANDWIDTH: Frequency = key("bandwidth", "Bandwidth of force control; 2 Hz if absent, at most a fiftieth of \
        `rate`.").range(POSITIVE).example("4 Hz");
    pub(super) SWITCH: Tables = tables("switch", &control::SWITCHES, "Changes of its control during the test.")
        .example("[{ at = \"3 s\", to = \"displacement\" }]");
    MOUNT_STIFFNESS: Tangent = key("mount_stiffness", "Stiffness between its piston and the specimen: rod, clevises, reaction wall. \
        Rigid if absent. Redundant actuators need it.").range(POSITIVE).example("200 kN/mm");
    SHARE: Pure = key("share", "What it carries of a force that several actuators share, in \
        proportion.").range(POSITIVE).default("1").example("2");
    FRICTION: Force = key("friction", "Coulomb friction between actuator and load \
        cell.").range(NOT_NEGATIVE).default("0").example("0.5 kN");
    DISPLACEMENT_SENSOR: Inner = table("displacement_sensor", &SENSOR, "Its displacement sensor, in the emulated laboratory.")
        .example("{ noise = \"0.02 mm\" }");
    FORCE_SENSOR: Inner = table("force_sensor", &SENSOR, "Its load cell, in the emulated laboratory.")
        .example("{ noise = \"1 N\", seed = 7 }");
    CALIBRATION: Inner = table("calibration", &CALIBRATIONS, "Calibration of its instruments.").example("{ command = \
        [0.1, 0] }");
    UNCERTAIN: Inner = table("uncertain", &uncertain::ACTUATOR, "What is known of it within intervals only: `check --stability` and \
        `rehearse` certify the loop for all of it.").example("{ delay = [\"8 ms\", \"14 ms\"] }");
    ETHERCAT: Inner = table("ethercat", &wiring::ETHERCAT, "Place of its signals on an EtherCAT bus.")
        .example("{ device = 1, command = { byte = 0 }, displacement = { byte = 0 }, force = { byte = 4 } }");
}

section! {
    pub(super) FACTORS = ("along", "along = { \"tip.x\" = 1 }", "Factors of the degrees of freedom in the stroke: numbers, and lengths for rotations.")
        .others(|| crate::key::Kind::value(&Anything));
}

section! {
    pub(super) SENSOR = ("sensor", "force_sensor = { ... }", "Errors of a sensor.");
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

/// The actuators of a specimen over its coordinates, of which targets move the first `commanded`: one perfect one along each of those if none
/// is written, one kind for all if only one is written and it does not say where it acts.
pub(super) fn read(
    context: &Context<'_>,
    table: &Table<'_>,
    (coordinates, commanded): (&[usize], usize),
    period: f64,
) -> Option<Vec<Actuator>> {
    let (tables, dofs) = (table.all(&super::ACTUATOR), &coordinates[..commanded]);
    let unit = |i: usize| Lever::Linear((0..coordinates.len()).map(|j| f64::from(u8::from(i == j))).collect());
    let moved = |i: usize| dofs.get(i).map_or(Dimension::LENGTH, |&d| context.disp(d));
    let perfect = |i: usize| Actuator {
        name: (i + 1).to_string(),
        turns: moved(i) != Dimension::LENGTH,
        lever: unit(i),
        calibration: Calibration::default(),
        dynamics: Dynamics::Ideal,
        compensation: None,
        delay: [0.0; 3],
        limits: Limits::NONE,
        acceleration: f64::INFINITY,
        own_limits: limits::nothing(),
        loading: None,
        mount: f64::INFINITY,
        share: 1.0,
        friction: 0.0,
        displacement: Sensor::default(),
        force: Sensor::default(),
        uncertain: Default::default(),
        wiring: None,
        assignment: None,
    };
    if tables.is_empty() {
        return Some((0..dofs.len()).map(perfect).collect());
    }
    let alone = tables.len() == 1 && !acts_somewhere(&tables[0]);
    let (written, span) = (tables.len(), tables[0].span());
    if alone {
        check_one_kind(context, &tables[0], dofs);
    }
    let direct = !tables.iter().any(acts_somewhere);
    let mut actuators = Vec::new();
    for (i, t) in tables.into_iter().enumerate() {
        let lever = match acts_somewhere(&t) {
            true => lever(context, &t, coordinates),
            false if i < dofs.len() => Some((unit(i), moved(i) != Dimension::LENGTH)),
            // More than there are degrees of freedom, and it does not say where it acts: told below.
            false => None,
        };
        let turns = lever.as_ref().map_or(moved(i) != Dimension::LENGTH, |l| l.1);
        let t = t.along(if turns { Dimension::ANGLE } else { Dimension::LENGTH });
        let name = name(context, &t, i, &actuators);
        let found = one(context, &t, period).zip(lever);
        actuators.extend(found.map(|(a, (lever, turns))| Actuator { name, turns, lever, ..a }));
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
    if direct && written != dofs.len() && !dofs.is_empty() {
        let message = format!(
            "{written} actuators, and {} degrees of freedom ({}): nothing says which actuator moves what",
            dofs.len(),
            listed(context, dofs)
        );
        let help = "write `dof`, `along`, `element` or `anchor` in each [[specimen.actuator]]";
        context.error(span, message, help);
        return None;
    }
    let mounts = actuators.iter().filter(|a: &&Actuator| a.mount.is_finite()).count();
    if mounts > 0 && mounts < actuators.len() {
        let message = "some actuators of this specimen have a `mount_stiffness`, others have none";
        context.error(span, message, "write `mount_stiffness` in each [[specimen.actuator]], or in none");
        return None;
    }
    (actuators.len() == written).then_some(actuators)
}

/// Whether an actuator or a sensor says where it acts.
pub(super) fn acts_somewhere(t: &Table<'_>) -> bool {
    PLACES.into_iter().flatten().any(|key| t.has(*key))
}

/// The keys that say where something acts, by the ways to say it.
const PLACES: [&[&str]; 4] = [&[DOF.name], &[ALONG.name], &[ELEMENT.name], &[ANCHOR.name, ATTACHMENT.name, NODE.name]];

/// Says that a second way to say where something acts would be ignored.
fn is_said_once(context: &Context<'_>, t: &Table<'_>) -> bool {
    let said = PLACES.into_iter().filter_map(|keys| keys.iter().find(|key| t.has(**key)));
    let [first, second, ..] = said.collect::<Vec<_>>()[..] else { return true };
    let message = format!("`{first}` and `{second}` both say in which direction it acts");
    context.error(
        t.place(*second),
        message,
        "keep one of them: `dof`, `along`, `element`, or `anchor`, `attachment` and `node`",
    );
    PLACES.into_iter().flatten().for_each(|key| t.ignore(*key));
    false
}

/// One description for all actuators has no single unit where some of them turn.
fn check_one_kind(context: &Context<'_>, t: &Table<'_>, dofs: &[usize]) {
    let angles = dofs.iter().filter(|&&d| context.dofs[d].angle).count();
    let keys = ["stroke", "velocity", "acceleration", "force", "limits", "friction", "mount_stiffness"];
    let instruments = ["displacement_sensor", "force_sensor", "calibration"];
    let Some(key) =
        keys.into_iter().chain(instruments).find(|key| t.has(*key)).filter(|_| angles > 0 && angles < dofs.len())
    else {
        return;
    };
    let dofs = listed(context, dofs);
    let message = format!("`{key}` would hold for actuators that move and for some that turn ({dofs})");
    let help =
        "write one [[specimen.actuator]] with `dof` for each degree of freedom: those that turn count in rad and kN m";
    context.error(t.place(key), message, help);
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

fn one(context: &Context<'_>, t: &Table<'_>, period: f64) -> Option<Actuator> {
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
    let compensation = own_compensation(context, t);
    let own_limits = t.open(&LIMITS).map_or_else(limits::nothing, limits::own);
    let (friction, calibration) = (t.value(&FRICTION), calibration(context, t));
    let sensor = |key: &Key<Inner>, dim: Dimension| t.open(key).map_or_else(Sensor::default, |s| sensor(s.along(dim)));
    let (mut displacement, mut load_cell) = (sensor(&DISPLACEMENT_SENSOR, length), sensor(&FORCE_SENSOR, force));
    let (wiring, assignment) = t.open(&ETHERCAT).map_or((None, None), |inner| wiring::read(context, inner));
    let kind = t.value(&TYPE);
    let mut dynamics = (kind.read)(context, t)?;
    let mut delay = delay(context, t);
    let known = t.open(&UNCERTAIN);
    let uncertain = known.map_or_else(Default::default, |u| {
        let noise = [&mut displacement.noise, &mut load_cell.noise];
        let numbers = Numbers { dynamics: &mut dynamics, delay: &mut delay[0], noise };
        uncertain::actuator(context, u, (kind.name, length), numbers)
    });
    late(context, t, delay, &uncertain);
    Some(Actuator {
        name: String::new(),
        turns: false,
        lever: Lever::Linear(Vec::new()),
        calibration,
        dynamics,
        compensation,
        delay,
        limits,
        acceleration,
        own_limits,
        loading: control::read(context, t, period),
        mount: t.get_or(&MOUNT_STIFFNESS, f64::INFINITY),
        share: t.value(&SHARE),
        friction,
        displacement,
        force: load_cell,
        uncertain,
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
    }
    delay
}

/// Longest delay of an actuator, s: all commands of it are remembered.
const LONGEST_DELAY: f64 = 10.0;

/// Says that a delay is none, or none of an actuator.
fn late(context: &Context<'_>, t: &Table<'_>, [delay, swing, _]: [f64; 3], uncertain: &OfActuator) {
    if swing > delay {
        let message = "the delay becomes negative";
        context.error(t.place(&DELAY_SWING), message, "`delay_swing` must not be greater than `delay`");
    }
    let (known, place) = (uncertain.delay.as_ref(), t.place(&DELAY));
    let (most, place) = known.map_or((delay, place), |k| (delay.max(k.range[1]), k.span.clone()));
    if most + swing > LONGEST_DELAY {
        let message =
            format!("a delay of {} is longer than {LONGEST_DELAY} s", t.units().show(most + swing, Dimension::TIME, 4));
        context.error(place, message, "write its unit, for example \"8 ms\"");
    }
}

/// What an actuator acts on: a degree of freedom, a sum of several, the deformation of an element, or a point of a rigid body; and whether its
/// stroke is an angle.
pub(super) fn lever(context: &Context<'_>, t: &Table<'_>, dofs: &[usize]) -> Option<(Lever, bool)> {
    if !is_said_once(context, t) {
        return None;
    }
    if let Some(text) = t.read(&DOF) {
        let dof = context.dof(&text)?;
        let i = place(context, dof, &text, dofs)?;
        let row = (0..dofs.len()).map(|j| f64::from(u8::from(i == j))).collect();
        return Some((Lever::Linear(row), context.dofs[dof].angle));
    }
    if let Some(inner) = t.open(&ALONG) {
        let found = along(context, &inner, dofs);
        inner.finish();
        return found;
    }
    if let Some(name) = t.read(&ELEMENT) {
        return deformation(context, &name, dofs);
    }
    strut(context, t, dofs).map(|strut| (Lever::Strut(strut), false))
}

/// The place of a degree of freedom among those that a specimen moves.
fn place(context: &Context<'_>, dof: usize, text: &Spanned<String>, dofs: &[usize]) -> Option<usize> {
    let found = dofs.iter().position(|&d| d == dof);
    // A specimen without any has a mistake of its own.
    if found.is_none() && !dofs.is_empty() {
        let message = match context.dofs[dof].support {
            Support::Fixed => format!("`{}` is fixed: nothing moves it", text.value),
            _ => format!("`{}` is not moved by the specimen", text.value),
        };
        context.error(text.span.clone(), message, format!("the specimen moves {}", listed(context, dofs)));
    }
    found
}

/// Degrees of freedom by their names.
fn listed(context: &Context<'_>, dofs: &[usize]) -> String {
    dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect::<Vec<_>>().join(", ")
}

/// A stroke as a weighted sum. It is a length where a displacement or a lever arm is in it, else an angle.
fn along(context: &Context<'_>, inner: &Table<'_>, dofs: &[usize]) -> Option<(Lever, bool)> {
    let mut row = vec![0.0; dofs.len()];
    let (mut lengths, mut angles, mut bare) = (None, None, Vec::new());
    let mut complete = true;
    for key in inner.keys() {
        let found = context.dof(&key).and_then(|d| Some((d, place(context, d, &key, dofs)?)));
        let Some(((dof, i), raw)) = found.zip(inner.entry(&key.value, &Anything, Allowed::Any)) else {
            inner.ignore(key.value.as_str());
            complete = false;
            continue;
        };
        let value = match &raw.value {
            Raw::Number(x) => Some(Value::bare(*x)),
            Raw::Text(text) => match context.scope.evaluate(text) {
                Ok(value) => Some(value),
                Err(errors) => {
                    let text = Spanned::new(text.clone(), raw.span.clone());
                    errors.into_iter().for_each(|e| inner.expr_error(&text, e));
                    None
                }
            },
        };
        let Some(value) = value else {
            complete = false;
            continue;
        };
        row[i] = value.si;
        let turns = context.dofs[dof].angle;
        match (value.dim.filter(|d| !d.is_none()), turns) {
            (None, false) => lengths = lengths.or(Some(key)),
            (None, true) if value.dim.is_some() => angles = angles.or(Some(key)),
            (None, true) => bare.push(key),
            (Some(dim), true) if dim == Dimension::LENGTH => lengths = lengths.or(Some(key)),
            (Some(dim), false) if dim == Dimension::NONE.per(Dimension::LENGTH) => angles = angles.or(Some(key)),
            (Some(dim), _) => {
                let (wanted, example) = match turns {
                    true => ("a lever arm (a length), or a number", "\"-2 m\""),
                    false => ("a number", "1"),
                };
                let message = format!("the factor of `{}` is {wanted}, found {}", key.value, dim.describe());
                context.error(raw.span, message, format!("write for example \"{}\" = {example}", key.value));
                complete = false;
            }
        }
    }
    match (&lengths, &angles, bare.first()) {
        (Some(length), Some(angle), _) => {
            let message = format!("the part of `{}` is a length, that of `{}` an angle", length.value, angle.value);
            context.error(
                angle.span.clone(),
                message,
                "give rotations a lever arm, for example \"slab.rz\" = \"-2 m\"",
            );
            return None;
        }
        // A number is a lever arm in metres where the file counts in metres; elsewhere it could be either.
        (Some(_), None, Some(key)) if context.scope.units.factor(Dimension::LENGTH) != 1.0 => {
            let message = format!("the factor of the rotation `{}` is a lever arm and needs a unit", key.value);
            let help = format!("write for example \"{}\" = \"-2 m\"", key.value);
            context.error(key.span.clone(), message, help);
            return None;
        }
        _ => {}
    }
    if complete && row.iter().all(|x| *x == 0.0) {
        context.error(
            inner.span(),
            "this actuator moves nothing: all its factors are zero",
            "write for example { \"slab.x\" = 1 }",
        );
        return None;
    }
    complete.then_some((Lever::Linear(row), lengths.is_none()))
}

/// The deformation of an element of the specimen that has one.
fn deformation(context: &Context<'_>, name: &Spanned<String>, dofs: &[usize]) -> Option<(Lever, bool)> {
    let Some(element) = context.elements.iter().find(|e| e.name == name.value) else {
        let near = did_you_mean(&name.value, context.elements.iter().map(|e| e.name.as_str()));
        let help = near.unwrap_or_else(|| "write the name of an element of the specimen".to_owned());
        context.error(name.span.clone(), format!("there is no element `{}`", name.value), help);
        return None;
    };
    let terms = match &element.kind {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => match coordinates.as_slice() {
            [only] => Some(only),
            _ => None,
        },
        Kind::Linear { .. } => None,
    };
    let Some(terms) = terms else {
        let message = format!("the deformation of element `{}` is not a single number", name.value);
        let help = "write `along` with the factors of the degrees of freedom in the stroke";
        context.error(name.span.clone(), message, help);
        return None;
    };
    let mut row = vec![0.0; dofs.len()];
    let mut turns = false;
    for (d, factor) in terms {
        // Supports do not move.
        if let Some(i) = dofs.iter().position(|x| x == d) {
            row[i] += factor;
            turns = context.dofs[*d].angle;
        }
    }
    if row.iter().all(|x| *x == 0.0) {
        let message = format!("element `{}` does not belong to this specimen", name.value);
        context.error(name.span.clone(), message, "name one of its `elements`");
        return None;
    }
    Some((Lever::Linear(row), turns))
}

/// A strut from a fixed point to a point of a rigid body.
fn strut(context: &Context<'_>, t: &Table<'_>, dofs: &[usize]) -> Option<Strut> {
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
        let message = "`anchor` and `attachment` are the same point: a strut has a length";
        let help = "`anchor` is its end at the reaction wall or floor, `attachment` its end at the specimen";
        context.error(t.place(&ATTACHMENT), message, help);
        return None;
    }
    let (translations, rotations) = (["x", "y", "z"].map(moved), ["rx", "ry", "rz"].map(moved));
    let strut = Strut { anchor, attachment, pivot: node.at, translations, rotations };
    // A specimen without degrees of freedom has a mistake of its own.
    if !dofs.is_empty() && !(0..dofs.len()).any(|d| strut.acts_on(d)) {
        let own: Vec<usize> = node.dofs.iter().map(|d| d.1).filter(|d| dofs.contains(d)).collect();
        let (message, help) = match own.is_empty() {
            true => (
                format!("the specimen does not move node `{}`: this strut never changes its length", node.name),
                format!("the specimen moves {}", listed(context, dofs)),
            ),
            false => (
                format!(
                    "no motion of node `{}` ({}) changes the length of this strut",
                    node.name,
                    listed(context, &own)
                ),
                "check `anchor` and `attachment`: x, y and z of its two ends".to_owned(),
            ),
        };
        context.error(name.span, message, help);
        return None;
    }
    Some(strut)
}

fn sensor(t: Table<'_>) -> Sensor {
    let sensor = errors(&t);
    t.finish();
    sensor
}

/// The errors of a sensor.
pub(super) fn errors(t: &Table<'_>) -> Sensor {
    Sensor {
        gain: t.value(&GAIN),
        bias: t.value(&BIAS),
        noise: t.value(&NOISE),
        range: t.get_or(&RANGE, f64::INFINITY),
        quantum: t.value(&QUANTUM),
        seed: t.value(&NOISE_SEED),
    }
}

/// What the instruments say of one metre and one newton: [gain, offset].
fn calibration(context: &Context<'_>, t: &Table<'_>) -> Calibration {
    let Some(inner) = t.open(&CALIBRATION) else { return Calibration::default() };
    let length = inner.displacement();
    let pair = |key: &Key<List<Number>>, dim: Dimension| gain_and_offset(context, &inner, key, dim);
    let calibration = Calibration {
        command: pair(&COMMAND, length),
        displacement: pair(&SHOWN_DISPLACEMENT, length),
        force: pair(&SHOWN_FORCE, Dimension::MOMENT.per(length)),
    };
    inner.finish();
    calibration
}

/// What an instrument says of one unit in SI: [gain, offset], written per unit of the file.
pub(super) fn gain_and_offset(
    context: &Context<'_>,
    t: &Table<'_>,
    key: &Key<List<Number>>,
    dim: Dimension,
) -> [f64; 2] {
    if !t.has(key) {
        return [1.0, 0.0];
    }
    match t.value(key).as_slice() {
        [gain, offset] if gain.value != 0.0 => [gain.value / context.scope.units.factor(dim), offset.value],
        _ => {
            let message = format!("`{}` must be [gain, offset] with a gain other than zero", key.name);
            context.error(t.place(key), message, "write for example [0.1, 0]: volts per mm");
            [1.0, 0.0]
        }
    }
}
