//! A specimen as it will be tested: where it is, how often it gets a target, what stands between the equations and the actuators,
//! and what must not happen to it.

use interfield_kernel::scheme::registry::Measure;
use interfield_lab::controller::{Calibration, Home, MissPolicy};
use interfield_lab::emulate::{Injection, Sensor};
use interfield_lab::kinematics::{Kinematics, Lever};
use interfield_lab::plant::{self, StateSpace};
use interfield_language::Model;
use interfield_language::specimen::{Actuator, Control, Dynamics, Loading, Specimen};
use interfield_language::units::Dimension;
use serde_json::{Map, Value, json};

use super::quantity::{Along, Quantity, count, frequency, listed};
use super::side::Side;
use super::{limits, sensors};
use crate::laboratory::settings::misfortune;
use crate::table::{labelled, short, time};

/// Names that are listed before the rest is counted.
const NAMED: usize = 8;

/// In a line, for the head of a run.
pub(super) fn line(specimen: &Specimen, model: &Model, side: Option<&Side>) -> String {
    let mut said = vec![place(specimen)];
    if specimen.time_scale != 1.0 {
        said.push(pace(specimen.time_scale));
    }
    said.push(frequency(1.0 / specimen.period));
    said.extend(side.map(|side| every(specimen, side)));
    said.push(compensated(specimen, model));
    said.join(", ")
}

/// How commands are compensated, in a few words: once if it is the same for all actuators.
fn compensated(specimen: &Specimen, model: &Model) -> String {
    let one = |i: usize| {
        let method = specimen.compensation_of(i);
        let delay = parameters(specimen, i, model).into_iter().find(|p| p.0 == "delay" && method.model().is_none());
        let delay = delay.map_or_else(String::new, |(_, d)| format!(" for a delay of {}", self::said(&d)));
        match method.info().name {
            "none" => "no compensation".to_owned(),
            name => format!("compensation {name}{delay}"),
        }
    };
    if !specimen.compensated_apart() {
        return one(0);
    }
    let each = specimen.actuators.iter().enumerate().map(|(i, a)| format!("{} of actuator {}", one(i), a.name));
    each.collect::<Vec<_>>().join(", ")
}

/// Everything, as a section of a page.
pub(super) fn text(specimen: &Specimen, model: &Model, side: Option<&Side>) -> String {
    let mut out = format!("\nspecimen {}\n", specimen.name);
    for (label, text) in lines(specimen, model, side) {
        out += &labelled("  ", label, &text);
    }
    let each: Vec<_> = (0..specimen.actuators.len()).map(|i| actuator_lines(specimen, i, model)).collect();
    for (i, (actuator, lines)) in specimen.actuators.iter().zip(&each).enumerate() {
        out += &format!("\n  actuator {}\n", actuator.name);
        // The legs of a hexapod are alike: what they move is told of each, the rest once.
        let alike = each[..i].iter().position(|before| before[1..] == lines[1..]);
        for (label, text) in &lines[..if alike.is_some() { 1 } else { lines.len() }] {
            out += &labelled("    ", label, text);
        }
        if let Some(first) = alike {
            out += &labelled("    ", "otherwise", &format!("as actuator {}", specimen.actuators[first].name));
        }
    }
    out += &sensors::text(specimen, model);
    out + &limits::text(specimen, model)
}

/// Label and text of all that is said of a specimen as a whole.
fn lines(specimen: &Specimen, model: &Model, side: Option<&Side>) -> Vec<(&'static str, String)> {
    let elements: Vec<&str> = specimen.elements.iter().map(|&e| model.elements[e].name.as_str()).collect();
    let dofs: Vec<&str> = specimen.dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect();
    let mut lines = vec![
        ("measured", listed(&elements, NAMED)),
        ("moved along", listed(&dofs, NAMED)),
        ("laboratory", place(specimen)),
        ("time", format!("{} with --real-time, else as fast as it is computed", pace(specimen.time_scale))),
    ];
    if specimen.elements.is_empty() {
        lines.remove(0);
    }
    let (actuators, driven) = (specimen.actuators.len(), driven(specimen));
    if driven != specimen.columns() || actuators != driven {
        let by = count(actuators, "actuator");
        lines.push((
            "driven",
            format!("{} of {} by {by}; it resists no other", count(driven, "direction"), specimen.columns()),
        ));
    }
    if let Some(sharing) = specimen.sharing.filter(|_| actuators > driven) {
        let text = format!("redundant actuators take back what they press against each other within {}", time(sharing));
        lines.push(("sharing", text));
    }
    let masses = specimen.dofs.iter().zip(&specimen.masses).filter(|(_, m)| **m != 0.0);
    let masses: Vec<String> = masses.map(|(&d, &m)| mass(model, d, m)).collect();
    if !masses.is_empty() {
        lines.push(("mass in the laboratory", masses.join(", ")));
    }
    if !specimen.inner.is_empty() {
        lines.push(("in the laboratory only", inner(specimen, model)));
    }
    if specimen.scale != 1.0 {
        let by = short(specimen.scale);
        lines.push((
            "scale",
            format!("the structure is {by} times as long as the specimen, forces by the square of it"),
        ));
    }
    let recorded = match specimen.record_every {
        1 => "each sample is recorded".to_owned(),
        n => format!("one sample in {n} is recorded"),
    };
    lines.push(("controller", format!("{}, {recorded}", frequency(1.0 / specimen.period))));
    lines.extend(side.map(|side| ("targets", targets(specimen, side))));
    if !specimen.compensated_apart() {
        lines.push(("compensation", compensation(specimen, 0, model)));
    }
    lines.extend(specimen.plant.as_ref().map(|plant| ("plant", together(plant, specimen))));
    lines.extend(sensors::lines(specimen, model));
    if specimen.correct_force {
        let text = "the measured force is moved from where the specimen is to its target, by the stiffness at rest";
        lines.push(("correction", text.to_owned()));
    }
    lines.push(("late target", late(specimen)));
    lines.extend(start(specimen, model).map(|text| ("start position", text)));
    lines.push(("start and end", ways(specimen)));
    lines.push((
        "hold",
        format!("{} at most, then the specimen returns to the start position", time(specimen.patience)),
    ));
    if !specimen.faults.is_empty() || !specimen.stalls.is_empty() {
        lines.push(("faults on purpose", faults(specimen, model)));
    }
    lines
}

/// Degrees of freedom that no target moves: who holds them, and their masses.
fn inner(specimen: &Specimen, model: &Model) -> String {
    let one = |(i, (&d, &m)): (usize, (&usize, &f64))| {
        let held = if i < specimen.held { "held by its actuator" } else { "free" };
        let name = &model.dofs[d].name;
        if m == 0.0 {
            format!("{name} ({held}, no mass)")
        } else {
            format!("{name} ({held}, {})", mass_of(model, d, m))
        }
    };
    let list = specimen.inner.iter().zip(&specimen.inner_masses).enumerate().map(one);
    list.collect::<Vec<_>>().join(", ")
}

fn mass_of(model: &Model, dof: usize, value: f64) -> String {
    format!("{} {}", short(value), if model.dofs[dof].angle { "kg*m^2" } else { "kg" })
}

/// Number of independent directions that its actuators drive.
fn driven(specimen: &Specimen) -> usize {
    let levers = specimen.actuators.iter().map(|a| a.lever.clone()).collect();
    Kinematics::new(levers, specimen.columns()).rank()
}

fn mass(model: &Model, dof: usize, value: f64) -> String {
    format!("{} along {}", mass_of(model, dof, value), model.dofs[dof].name)
}

fn place(specimen: &Specimen) -> String {
    match (&specimen.at, &specimen.key, specimen.insecure) {
        (None, ..) => "emulated in this process".to_owned(),
        (Some(at), Some(key), _) => format!("at {at}, encrypted with {key}"),
        (Some(at), None, true) => format!("at {at}, not encrypted"),
        (Some(at), None, false) => format!("at {at}"),
    }
}

fn pace(time_scale: f64) -> String {
    match time_scale {
        1.0 => "real time".to_owned(),
        slow if slow > 1.0 => format!("{} times slower than real time", short(slow)),
        fast => format!("{} times faster than real time", short(1.0 / fast)),
    }
}

/// Samples of the controller from one target to the next.
fn samples_per_target(specimen: &Specimen, side: &Side) -> f64 {
    let evaluations = f64::from(side.evaluations.unwrap_or(1).max(1));
    (side.step * specimen.time_scale / evaluations / specimen.period).round()
}

fn targets(specimen: &Specimen, side: &Side) -> String {
    let often = match side.evaluations {
        Some(2) => "two targets".to_owned(),
        Some(n) if n > 1 => format!("{n} targets"),
        _ => "one target".to_owned(),
    };
    let slow = if specimen.time_scale == 1.0 {
        String::new()
    } else {
        format!(" ({} in the laboratory)", time(side.step * specimen.time_scale))
    };
    format!("{} sends {often} per step of {}{slow}: {}", side.scheme, time(side.step), every(specimen, side))
}

fn every(specimen: &Specimen, side: &Side) -> String {
    match samples_per_target(specimen, side) {
        1.0 => "a new target every sample".to_owned(),
        n => format!("a new target every {n} samples"),
    }
}

/// All actuators as one plant.
fn together(plant: &StateSpace, specimen: &Specimen) -> String {
    let m = plant.actuators;
    let states = plant.order;
    let across = plant.dc().map_or_else(String::new, |dc| {
        let unlike = |k: usize| specimen.actuators[k / m].turns != specimen.actuators[k % m].turns;
        let cross = (0..m * m).filter(|&k| k / m != k % m && !unlike(k)).map(|k| dc[k].abs()).fold(0.0, f64::max);
        format!(
            ", at rest each is moved by {} % of the command of another at most",
            short((1e3 * cross).round() / 10.0)
        )
    });
    format!("all {m} actuators together, {states} states{across}")
}

/// The method of an actuator with its parameters, in the units of the model.
fn compensation(specimen: &Specimen, actuator: usize, model: &Model) -> String {
    let method = specimen.compensation_of(actuator);
    let values = parameters(specimen, actuator, model);
    let of_model = values.iter().filter(|(name, _)| *name != "delay" || method.model().is_none());
    let said: Vec<String> = of_model.map(|(name, q)| format!("{name} {}", said(q))).collect();
    let name = method.info().name;
    let learns = if method.learns() { "; adapts during the test" } else { "" };
    if said.is_empty() { name.to_owned() } else { format!("{name} ({}{learns})", said.join(", ")) }
}

fn said(list: &[Parameter]) -> String {
    match list {
        [one] => one.text(),
        many => format!("[{}]", many.iter().map(Parameter::text).collect::<Vec<_>>().join(", ")),
    }
}

/// A number of a compensation.
enum Parameter {
    /// s.
    Time(f64),
    /// Hz.
    Frequency(f64),
    Other(Quantity),
}

impl Parameter {
    fn text(&self) -> String {
        match self {
            Parameter::Time(t) => time(*t),
            Parameter::Frequency(f) => frequency(*f),
            Parameter::Other(q) => q.text(),
        }
    }

    fn json(&self) -> Value {
        match self {
            Parameter::Time(t) => json!({ "value": t, "unit": "s" }),
            Parameter::Frequency(f) => json!({ "value": f, "unit": "Hz" }),
            Parameter::Other(q) => q.json(),
        }
    }
}

fn parameters(specimen: &Specimen, actuator: usize, model: &Model) -> Vec<(&'static str, Vec<Parameter>)> {
    let along = along(specimen, actuator, model);
    let measured = |measure: Option<Measure>, x: f64| match measure {
        Some(Measure::Time) => Parameter::Time(x),
        Some(Measure::Frequency) => Parameter::Frequency(x),
        Some(Measure::Length) => Parameter::Other(along.stroke(x, 0)),
        Some(Measure::AngularFrequency) => Parameter::Other(Quantity::plain(x, "rad/s")),
        Some(Measure::Rate) => Parameter::Other(Quantity::plain(x, "1/s")),
        None => Parameter::Other(Quantity::plain(x, "-")),
    };
    let values = specimen.compensation_of(actuator).values().into_iter();
    values.map(|(p, list)| (p.name, list.into_iter().map(|x| measured(p.measure, x)).collect())).collect()
}

fn late(specimen: &Specimen) -> String {
    let then = match specimen.late {
        MissPolicy::Hold | MissPolicy::Wait => "then the specimen waits for it",
        MissPolicy::Extrapolate => "then the motion continues and catches up",
        MissPolicy::Abort => "then the test ends",
    };
    format!("bridged for {}, {then}", time(specimen.bridge))
}

/// Where it stands when the test begins, if that is not where it was mounted.
fn start(specimen: &Specimen, model: &Model) -> Option<String> {
    let moved = specimen.dofs.iter().filter(|&&d| model.dofs[d].u0 != 0.0);
    let one = |&d: &usize| {
        let dof = &model.dofs[d];
        format!("{} = {}", dof.name, Along { units: &model.units, angle: dof.angle }.stroke(dof.u0, 0).text())
    };
    let list: Vec<String> = moved.map(one).collect();
    let why = if model.held.is_empty() { "" } else { "; in balance with gravity, with the law of its elements" };
    (!list.is_empty()).then(|| format!("{}, where it is moved before the test{why}", list.join(", ")))
}

fn ways(specimen: &Specimen) -> String {
    let home = match specimen.home {
        Home::Displacement => "at the end it returns to the start position",
        Home::Force => "at the end it is unloaded to zero force",
        Home::Hold => "at the end it stays where it is",
    };
    format!("each way takes {} at least; {home}; braked within {}", time(specimen.ramp), time(specimen.brake))
}

fn faults(specimen: &Specimen, model: &Model) -> String {
    let one = |fault: &Injection| {
        let (what, size) = misfortune(fault.what, specimen.period);
        let size = size.map_or_else(String::new, |x| format!(" of {}", of_size(specimen, fault, model, what, x)));
        let whose = fault.actuator.and_then(|a| specimen.actuators.get(a));
        let sensor = fault.sensor.and_then(|k| specimen.names().sensors.get(k).cloned());
        let whose = whose.map(|a| format!("actuator {}", a.name)).or(sensor);
        let whose = whose.map_or_else(String::new, |name| format!(" at {name}"));
        let lasts = match fault.samples {
            u64::MAX => String::new(),
            n => format!(" for {}", time(n as f64 * specimen.period)),
        };
        format!("{what}{size}{whose} from {}{lasts}", time(fault.from as f64 * specimen.period))
    };
    let stall = |[from, samples]: &[u64; 2]| {
        let [from, lasts] = [*from, *samples].map(|n| time(n as f64 * specimen.period));
        format!("no targets from {from} for {lasts}")
    };
    specimen.faults.iter().map(one).chain(specimen.stalls.iter().map(stall)).collect::<Vec<_>>().join("; ")
}

fn of_size(specimen: &Specimen, fault: &Injection, model: &Model, what: &str, size: f64) -> String {
    match what {
        "delay" => time(size),
        _ => {
            let further = specimen.further_transducers().chain(specimen.further_load_cells());
            let sensor = fault.sensor.and_then(|k| further.into_iter().nth(k));
            let along = match sensor {
                Some(sensor) => Along { units: &model.units, angle: sensor.turns },
                None => along(specimen, fault.actuator.unwrap_or(0), model),
            };
            if what == "offset" { along.stroke(size, 0).text() } else { along.force(size, 0).text() }
        }
    }
}

/// What actuator `i` moves along.
pub(super) fn along<'m>(specimen: &Specimen, i: usize, model: &'m Model) -> Along<'m> {
    let angle = specimen.actuators.get(i).is_some_and(|a| a.turns);
    Along { units: &model.units, angle }
}

/// Label and text of all that is said of an actuator.
fn actuator_lines(specimen: &Specimen, i: usize, model: &Model) -> Vec<(&'static str, String)> {
    let (a, along) = (&specimen.actuators[i], along(specimen, i, model));
    let mut lines = vec![("moves", lever(&a.lever, a.turns, specimen, model)), ("follows", follows_by(specimen, a))];
    if specimen.compensated_apart() {
        lines.push(("compensation", compensation(specimen, i, model)));
    }
    lines.extend(a.loading.as_ref().map(|l| ("control", control(l, along))));
    let plant::Limits { stroke, velocity, force } = a.limits;
    let can = finite([
        ("stroke", stroke, along.stroke(stroke, 0)),
        ("velocity", velocity, along.stroke(velocity, 1)),
        ("acceleration", a.acceleration, along.stroke(a.acceleration, 2)),
        ("force", force, along.force(force, 0)),
    ]);
    lines.push(("can", if can.is_empty() { "no capacity is stated".to_owned() } else { can.join(", ") }));
    let e = specimen.envelope(i);
    let sent = finite([
        ("stroke", e.position[1], along.stroke(e.position[1], 0)),
        ("velocity", e.velocity, along.stroke(e.velocity, 1)),
        ("acceleration", e.acceleration, along.stroke(e.acceleration, 2)),
        ("jerk", e.jerk, along.stroke(e.jerk, 3)),
    ]);
    lines.push(("is sent at most", if sent.is_empty() { "no bound is stated".to_owned() } else { sent.join(", ") }));
    let sensors = [
        sensor("displacement", &a.displacement, |x| along.stroke(x, 0)),
        sensor("force", &a.force, |x| along.force(x, 0)),
    ];
    lines.push(("sensors", sensors.join("; ")));
    if a.mount.is_finite() {
        lines.push(("mount", format!("{} between piston and specimen", along.stiffness(a.mount).text())));
    }
    if a.friction != 0.0 {
        lines.push(("friction", along.force(a.friction, 0).text()));
    }
    if a.calibration != Calibration::default() {
        lines.push(("instruments", calibration(a, along)));
    }
    if a.wiring.is_some() {
        lines.push(("bus", "wired to a device on the EtherCAT bus".to_owned()));
    }
    lines
}

/// What it follows on an inner degree of freedom, from when on.
fn control(loading: &Loading, along: Along<'_>) -> String {
    let Loading { control, load, bandwidth, switches } = loading;
    let named = |c: Control| match c {
        Control::Displacement => "displacement: it stays at its place".to_owned(),
        Control::Force => {
            let bandwidth = frequency(bandwidth / std::f64::consts::TAU);
            format!("force: it holds {}, bandwidth {bandwidth}", along.force(*load, 0).text())
        }
    };
    let first = named(*control);
    let then = switches.iter().map(|(at, to)| format!("; from {} of the model on, {}", time(*at), named(*to)));
    first + &then.collect::<String>()
}

/// Those that are stated, each with its name.
fn finite<const N: usize>(list: [(&str, f64, Quantity); N]) -> Vec<String> {
    list.iter().filter(|(_, x, _)| x.is_finite()).map(|(name, _, q)| format!("{name} {}", q.text())).collect()
}

/// What it acts on.
pub(super) fn lever(lever: &Lever, turns: bool, specimen: &Specimen, model: &Model) -> String {
    let name = |j: usize| specimen.column(j).map_or("?", |d| model.dofs[d].name.as_str());
    match lever {
        Lever::Linear(row) => {
            let terms = row.iter().enumerate().filter(|(_, f)| **f != 0.0);
            // The factor of a rotation in a length is a lever arm.
            let arm = |j: usize| !turns && specimen.column(j).is_some_and(|d| model.dofs[d].angle);
            let term = |(j, f): (usize, &f64)| match *f {
                f if arm(j) => format!("{} x {}", model.units.show(f, Dimension::LENGTH, 6), name(j)),
                1.0 => name(j).to_owned(),
                -1.0 => format!("-{}", name(j)),
                f => format!("{} {}", short(f), name(j)),
            };
            terms.map(term).collect::<Vec<_>>().join(" + ").replace("+ -", "- ")
        }
        Lever::Strut(strut) => {
            let moved = strut.translations.iter().chain(&strut.rotations).flatten().map(|&j| name(j));
            let point = |p: [f64; 3]| {
                let at = |x: f64| short(x / model.units.factor(Dimension::LENGTH));
                format!("({})", p.map(at).join(", "))
            };
            let unit = model.units.label(Dimension::LENGTH);
            let ends = [strut.anchor, strut.attachment].map(point);
            format!("{}, as a strut from {} to {} {unit}", moved.collect::<Vec<_>>().join(", "), ends[0], ends[1])
        }
    }
}

/// How it follows its command, in the emulated laboratory.
fn follows_by(specimen: &Specimen, actuator: &Actuator) -> String {
    let follows = match &actuator.dynamics {
        _ if specimen.plant.is_some() => "with the others, as the plant says".to_owned(),
        Dynamics::Ideal => "at once (ideal)".to_owned(),
        Dynamics::Transfer { numerator, denominator } => transfer(numerator, denominator),
        Dynamics::Hydraulic(_) => "as a servo-hydraulic actuator, against the force of the specimen".to_owned(),
    };
    match actuator.delay {
        [0.0, ..] => follows,
        [delay, 0.0, _] => format!("{follows}, {} late", time(delay)),
        [delay, swing, rate] => {
            format!("{follows}, {} late, swinging by {} at {}", time(delay), time(swing), frequency(rate))
        }
    }
}

/// A transfer function by the name that the model file has for it.
fn transfer(numerator: &[f64], denominator: &[f64]) -> String {
    match (numerator, denominator) {
        ([1.0], [constant, 1.0]) => format!("as first-order, time constant {}", time(*constant)),
        ([gain], [1.0, drag, stiffness]) if gain == stiffness && *stiffness > 0.0 => {
            let omega = stiffness.sqrt();
            let (f, ratio) = (omega / std::f64::consts::TAU, drag / (2.0 * omega));
            format!("as second-order, {}, damping {}", frequency(f), short(ratio))
        }
        _ => {
            let list = |c: &[f64]| format!("[{}]", c.iter().map(|x| short(*x)).collect::<Vec<_>>().join(", "));
            format!("as the transfer function {} over {}", list(numerator), list(denominator))
        }
    }
}

pub(super) fn sensor(name: &str, sensor: &Sensor, quantity: impl Fn(f64) -> Quantity) -> String {
    let Sensor { gain, bias, noise, range, quantum, seed: _ } = *sensor;
    let mut said = Vec::new();
    if gain != 1.0 {
        said.push(format!("gain {}", short(gain)));
    }
    for (what, x, usual) in
        [("bias", bias, 0.0), ("noise", noise, 0.0), ("range", range, f64::INFINITY), ("step", quantum, 0.0)]
    {
        if x != usual {
            said.push(format!("{what} {}", quantity(x).text()));
        }
    }
    format!("{name}: {}", if said.is_empty() { "perfect".to_owned() } else { said.join(", ") })
}

/// What the instruments show per unit of the model.
fn calibration(actuator: &Actuator, along: Along<'_>) -> String {
    let Calibration { command, displacement, force } = actuator.calibration;
    // Gains are per SI unit: one of the model's is so many of them.
    let one = |[gain, offset]: [f64; 2], unit: Quantity| {
        let (size, unit) = unit.unit();
        let offset = if offset == 0.0 { String::new() } else { format!(" + {}", short(offset)) };
        format!("{} per {unit}{offset}", short(gain / size))
    };
    let (length, newton) = (along.stroke(1.0, 0), along.force(1.0, 0));
    format!(
        "command {}, displacement {}, force {}",
        one(command, length.clone()),
        one(displacement, length),
        one(force, newton)
    )
}

/// Everything, as JSON.
pub(super) fn json(specimen: &Specimen, model: &Model, side: Option<&Side>) -> Value {
    let names = |list: &[usize], name: &dyn Fn(usize) -> String| list.iter().map(|&i| name(i)).collect::<Vec<_>>();
    let limit = |b: &limits::Bound| {
        json!({
            "limit": b.name, "at": b.value, "samples": b.samples, "actuators": b.actuators,
            "action": b.action_name(),
        })
    };
    let [transducers, load_cells, fixtures] = sensors::json(specimen, model);
    json!({
        "name": specimen.name,
        "elements": names(&specimen.elements, &|e| model.elements[e].name.clone()),
        "dofs": names(&specimen.dofs, &|d| model.dofs[d].name.clone()),
        "at": specimen.at.as_ref().map(ToString::to_string), "emulated": specimen.at.is_none(),
        "time_scale": specimen.time_scale, "scale": specimen.scale,
        "rate": 1.0 / specimen.period, "record_rate": 1.0 / (specimen.period * specimen.record_every as f64),
        "targets_per_step": side.and_then(|s| s.evaluations),
        "samples_per_target": side.map(|s| samples_per_target(specimen, s) as u64),
        "compensation": compensation_json(specimen, 0, model),
        "correct_force": specimen.correct_force,
        "ramp": specimen.ramp, "patience": specimen.patience, "bridge": specimen.bridge, "brake": specimen.brake,
        "home": Home::ALL.iter().find(|h| h.0 == specimen.home).map(|h| h.1),
        "driven_directions": driven(specimen),
        "sharing": specimen.sharing,
        "actuators": (0..specimen.actuators.len()).map(|i| actuator_json(specimen, i, model)).collect::<Vec<_>>(),
        "transducers": transducers, "load_cells": load_cells, "fixtures": fixtures,
        "limits": limits::bounds(specimen, model).iter().map(limit).collect::<Vec<_>>(),
        "faults_on_purpose": specimen.faults.len() + specimen.stalls.len(),
    })
}

/// How the commands of an actuator are compensated.
fn compensation_json(specimen: &Specimen, actuator: usize, model: &Model) -> Value {
    let method = specimen.compensation_of(actuator);
    let parameters = parameters(specimen, actuator, model).into_iter();
    let parameters: Map<String, Value> = parameters.map(|(name, list)| (name.to_owned(), values(&list))).collect();
    json!({ "method": method.info().name, "learns": method.learns(), "parameters": parameters })
}

fn values(list: &[Parameter]) -> Value {
    if let [one] = list { one.json() } else { list.iter().map(Parameter::json).collect::<Vec<_>>().into() }
}

fn actuator_json(specimen: &Specimen, i: usize, model: &Model) -> Value {
    let (a, along) = (&specimen.actuators[i], along(specimen, i, model));
    let bound = |x: f64, q: Quantity| x.is_finite().then(|| q.json());
    let (e, can) = (specimen.envelope(i), a.limits);
    json!({
        "name": a.name, "moves": lever(&a.lever, a.turns, specimen, model), "follows": follows_by(specimen, a), "delay": a.delay[0],
        "compensation": compensation_json(specimen, i, model),
        "stroke": bound(can.stroke, along.stroke(can.stroke, 0)),
        "velocity": bound(can.velocity, along.stroke(can.velocity, 1)),
        "acceleration": bound(a.acceleration, along.stroke(a.acceleration, 2)),
        "force": bound(can.force, along.force(can.force, 0)),
        "sent_at_most": {
            "stroke": bound(e.position[1], along.stroke(e.position[1], 0)),
            "velocity": bound(e.velocity, along.stroke(e.velocity, 1)),
            "acceleration": bound(e.acceleration, along.stroke(e.acceleration, 2)),
        },
        "noise": {
            "displacement": along.stroke(a.displacement.noise, 0).json(), "force": along.force(a.force.noise, 0).json(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actuators_are_called_as_the_file_calls_them() {
        let w = std::f64::consts::TAU * 25.0;
        assert_eq!(transfer(&[w * w], &[1.0, 1.4 * w, w * w]), "as second-order, 25 Hz, damping 0.7");
        assert_eq!(transfer(&[1.0], &[0.02, 1.0]), "as first-order, time constant 20 ms");
        assert_eq!(transfer(&[1.0, 2.0], &[1.0, 0.0, 3.0]), "as the transfer function [1, 2] over [1, 0, 3]");
    }
}
