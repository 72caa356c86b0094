//! `[[specimen.actuator]]`: what moves a specimen, and the instruments on it.

use interfield_lab::controller::Calibration;
use interfield_lab::emulate::Sensor;
use interfield_lab::kinematics::{Lever, Strut};
use interfield_lab::plant::{Hydraulic, Limits};

use super::{magnitude, safety, seed, wiring};
use crate::parse::Context;
use crate::reader::{Spanned, Table};
use crate::specimen::{Actuator, Dynamics};
use crate::units::Dimension;

/// How an emulated actuator can move.
const TYPES: [&str; 5] = ["ideal", "first-order", "second-order", "transfer", "servo-hydraulic"];

/// The actuators of a specimen with these commanded degrees of freedom: one perfect one along each if none is written, one
/// kind for all if only one is written and it does not say where it acts.
pub(super) fn read(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Option<Vec<Actuator>> {
    let tables = table.tables("actuator");
    let unit = |i: usize| Lever::Linear((0..dofs.len()).map(|j| f64::from(u8::from(i == j))).collect());
    let angle = |i: usize| dofs.get(i).is_some_and(|&d| context.dofs[d].angle);
    let perfect = |i: usize| Actuator {
        lever: unit(i),
        calibration: Calibration::default(),
        dynamics: Dynamics::Ideal,
        delay: [0.0; 3],
        limits: Limits::NONE,
        acceleration: f64::INFINITY,
        own_limits: safety::nothing(),
        friction: 0.0,
        displacement: Sensor::default(),
        force: Sensor::default(),
        wiring: None,
        assignment: None,
    };
    if tables.is_empty() {
        return Some((0..dofs.len()).map(perfect).collect());
    }
    let acts_somewhere = |t: &Table<'_>| ["dof", "along", "anchor"].iter().any(|key| t.has(key));
    let alone = tables.len() == 1 && !acts_somewhere(&tables[0]);
    let mut actuators = Vec::new();
    for (i, t) in tables.iter().enumerate() {
        let lever = if acts_somewhere(t) { lever(context, t, dofs) } else { Some(unit(i)) };
        let made = one(context, t, angle(i));
        actuators.extend(made.zip(lever).map(|(a, lever)| Actuator { lever, ..a }));
    }
    let (written, span) = (tables.len(), tables[0].span());
    tables.into_iter().for_each(Table::finish);
    if alone {
        let first = actuators.pop()?;
        return Some((0..dofs.len()).map(|i| Actuator { lever: unit(i), ..first.clone() }).collect());
    }
    if written != dofs.len() && !dofs.is_empty() {
        let names: Vec<&str> = dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect();
        let message =
            format!("{written} actuators cannot hold {} degrees of freedom ({})", dofs.len(), names.join(", "));
        context.error(span, message, "write one [[specimen.actuator]] for each of them");
        return None;
    }
    (actuators.len() == dofs.len()).then_some(actuators)
}

fn one(context: &Context<'_>, t: &Table<'_>, angle: bool) -> Option<Actuator> {
    let length = if angle { Dimension::ANGLE } else { Dimension::LENGTH };
    let force = Dimension::MOMENT.per(length);
    let rate = length.times(Dimension::RATE);
    let quantity = |key: &str, dim: Dimension| magnitude(context, t, key, dim);
    let _ = t.string("name");
    let limits = Limits {
        stroke: quantity("stroke", length).unwrap_or(f64::INFINITY),
        velocity: quantity("velocity", rate).unwrap_or(f64::INFINITY),
        force: quantity("force", force).unwrap_or(f64::INFINITY),
    };
    let acceleration = quantity("acceleration", rate.times(Dimension::RATE)).unwrap_or(f64::INFINITY);
    let own_limits = safety::own(context, t, length);
    let friction = quantity("friction", force).unwrap_or(0.0);
    let displacement = sensor(context, t, "displacement_sensor", length);
    let load_cell = sensor(context, t, "force_sensor", force);
    let calibration = calibration(context, t, length, force);
    let (wiring, assignment) = t.table("ethercat").map_or((None, None), |inner| wiring::read(context, inner));
    Some(Actuator {
        lever: Lever::Linear(Vec::new()),
        calibration,
        dynamics: dynamics(context, t)?,
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
    let [mean, swing] = ["delay", "delay_swing"].map(|key| magnitude(context, t, key, Dimension::TIME));
    let frequency = magnitude(context, t, "delay_frequency", Dimension::FREQUENCY);
    let delay = [mean, swing, frequency].map(|x| x.unwrap_or(0.0));
    let place = |key: &str| t.place(key);
    if t.has("delay_swing") != t.has("delay_frequency") {
        let given = if t.has("delay_swing") { "delay_swing" } else { "delay_frequency" };
        let message = format!("`{given}` alone does nothing");
        context.error(place(given), message, "write both delay_swing = \"2 ms\" and delay_frequency = \"0.5 Hz\"");
    } else if delay[1] > delay[0] {
        let message = "the delay swings to negative values";
        context.error(place("delay_swing"), message, "`delay_swing` must not be greater than `delay`");
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
    if let Some(text) = t.string("dof") {
        let i = place(context.dof(&text)?, &text)?;
        return Some(Lever::Linear((0..dofs.len()).map(|j| f64::from(u8::from(i == j))).collect()));
    }
    if let Some(inner) = t.table("along") {
        let mut row = vec![0.0; dofs.len()];
        for key in inner.keys() {
            let factor = inner.number(&key.value);
            let i = context.dof(&key).and_then(|d| place(d, &key));
            if let (Some(i), Some(factor)) = (i, factor) {
                row[i] = factor.value;
            }
        }
        inner.finish();
        return Some(Lever::Linear(row));
    }
    let point = |key: &str| {
        let values = t.quantities_required(key, Dimension::LENGTH, &context.scope)?;
        if !(1..=3).contains(&values.value.len()) {
            context.error(values.span, "a point has one to three coordinates", "write for example [0, \"2 m\"]");
            return None;
        }
        Some(std::array::from_fn::<f64, 3, _>(|i| values.value.get(i).map_or(0.0, |v| v.value)))
    };
    let (anchor, attachment) = (point("anchor"), point("attachment"));
    let name = t.string_required("node", "\"platform\"")?;
    let node = &context.nodes[context.node(&name)?];
    let moved = |short: &str| {
        let dof = node.dofs.iter().find(|d| d.0 == short)?.1;
        dofs.iter().position(|&d| d == dof)
    };
    let (anchor, attachment) = (anchor?, attachment?);
    if anchor == attachment {
        context.error(t.span(), "`anchor` and `attachment` are the same point", "an actuator has a length");
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

/// How it moves.
fn dynamics(context: &Context<'_>, t: &Table<'_>) -> Option<Dynamics> {
    let scope = &context.scope;
    let kind = t.choice("type", &TYPES).map_or(0, |c| c.value);
    match TYPES[kind] {
        "first-order" => {
            let time = t.quantity_required("time_constant", Dimension::TIME, scope)?;
            if time.value <= 0.0 {
                context.error(time.span, "`time_constant` must be greater than zero", "write for example \"10 ms\"");
                return None;
            }
            Some(Dynamics::Transfer { numerator: vec![1.0], denominator: vec![time.value, 1.0] })
        }
        "second-order" => {
            let frequency = t.quantity_required("frequency", Dimension::FREQUENCY, scope);
            let damping = t.quantity_required("damping", Dimension::NONE, scope);
            let (frequency, damping) = (frequency?, damping?);
            if frequency.value <= 0.0 || damping.value < 0.0 {
                let message = "`frequency` must be greater than zero, `damping` not negative";
                context.error(frequency.span, message, "write frequency = \"25 Hz\", damping = 0.7");
                return None;
            }
            let w = std::f64::consts::TAU * frequency.value;
            let denominator = vec![1.0, 2.0 * damping.value * w, w * w];
            Some(Dynamics::Transfer { numerator: vec![w * w], denominator })
        }
        "transfer" => {
            let numerator = t.numbers_required("numerator", "[1.0]");
            let denominator = t.numbers_required("denominator", "[0.01, 1.0]");
            let (numerator, denominator) = (numerator?, denominator?);
            let values = |l: &Spanned<Vec<Spanned<f64>>>| l.value.iter().map(|x| x.value).collect::<Vec<f64>>();
            if denominator.value.len() <= numerator.value.len()
                || denominator.value.first().is_none_or(|x| x.value == 0.0)
            {
                let message = "the denominator of a transfer function must be of higher order than its numerator";
                context.error(
                    denominator.span,
                    message,
                    "coefficients of s, the highest power first: 1/(0.01 s + 1) is [1] over [0.01, 1]",
                );
                return None;
            }
            Some(Dynamics::Transfer { numerator: values(&numerator), denominator: values(&denominator) })
        }
        "servo-hydraulic" => {
            let mut h = Hydraulic::benchmark(1.0);
            let parameters: [(&str, &mut f64); 6] = [
                ("g", &mut h.g),
                ("a1b0", &mut h.a1b0),
                ("a2", &mut h.a2),
                ("a3", &mut h.a3),
                ("beta1", &mut h.beta1),
                ("beta2", &mut h.beta2),
            ];
            for (key, value) in parameters {
                *value = t.number(key).map_or(*value, |x| x.value);
            }
            Some(Dynamics::Hydraulic(h))
        }
        _ => Some(Dynamics::Ideal),
    }
}

fn sensor(context: &Context<'_>, t: &Table<'_>, key: &str, dim: Dimension) -> Sensor {
    let Some(inner) = t.table(key) else { return Sensor::default() };
    let scope = &context.scope;
    let size = |key: &str| magnitude(context, &inner, key, dim);
    let sensor = Sensor {
        gain: inner.quantity("gain", Dimension::NONE, scope).map_or(1.0, |q| q.value),
        bias: inner.quantity("bias", dim, scope).map_or(0.0, |q| q.value),
        noise: size("noise").unwrap_or(0.0),
        range: size("range").unwrap_or(f64::INFINITY),
        quantum: size("quantum").unwrap_or(0.0),
        seed: seed(context, &inner).unwrap_or(1),
    };
    inner.finish();
    sensor
}

/// What the instruments say of one metre and one newton: [gain, offset].
fn calibration(context: &Context<'_>, t: &Table<'_>, length: Dimension, force: Dimension) -> Calibration {
    let Some(inner) = t.table("calibration") else { return Calibration::default() };
    let pair = |key: &str, dim: Dimension| {
        let Some(list) = inner.numbers(key) else { return [1.0, 0.0] };
        match list.value.as_slice() {
            // Written per unit of the file.
            [gain, offset] if gain.value != 0.0 => [gain.value / context.scope.units.factor(dim), offset.value],
            _ => {
                context.error(
                    list.span,
                    format!("`{key}` must be [gain, offset] with a gain other than zero"),
                    "write for example [0.1, 0]: volts per mm",
                );
                [1.0, 0.0]
            }
        }
    };
    let calibration = Calibration {
        command: pair("command", length),
        displacement: pair("displacement", length),
        force: pair("force", force),
    };
    inner.finish();
    calibration
}
