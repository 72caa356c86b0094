//! What the page of a console is told of a model: its structure, its rigs and their limits, its interfaces, its ground motion.

use interfield_console::{Column, Topic};
use interfield_lab::compensate::ADAPTED;
use interfield_lab::controller::live::{Bar, LIVE_ADAPTED, LIVE_COLUMNS, LIVE_HEAD, Limited};
use interfield_lab::controller::{COLUMNS, Controller};
use interfield_lab::safety::monitor::MEASURED;
use interfield_lab::safety::{Action, Trip};
use interfield_language::Model;
use interfield_language::model::{Channel, EnergyPart, Load, Quantity};
use interfield_language::specimen::{Actuator, Specimen};
use interfield_language::units::{Dimension, UnitSystem};
use interfield_language::update::{Learned, PARAMETERS, Update};
use interfield_report::structure::Place;
use interfield_structure::Structure;
use serde_json::{Value, json};

use crate::drawing::{moves, structure};

/// Most unknowns of a structure that is drawn while it moves.
pub(super) const DRAWN: usize = 3000;
/// Points of a ground motion.
const POINTS: usize = 1200;

/// All that is known before anything is mounted.
pub(crate) fn about(assembled: &Structure, kind: &str) -> Value {
    let model = &assembled.model;
    let of = |wanted: &dyn Fn(&Quantity) -> bool| -> Vec<Value> {
        let found = model.channels.iter().filter(|c| wanted(&c.quantity));
        found.map(|c| json!({ "name": c.name, "unit": c.unit })).collect()
    };
    json!({
        "title": model.title,
        "kind": kind,
        "dt": model.analysis.dt,
        "steps": model.analysis.steps(),
        "duration": model.analysis.dt * model.analysis.steps() as f64,
        "structure": drawn(assembled),
        "rigs": [],
        "cut": {
            "gap": of(&|q| matches!(q, Quantity::Gap(_, 0))),
            "force": of(&|q| matches!(q, Quantity::InterfaceForce(_))),
            "energy": of(&|q| matches!(q, Quantity::Energy(EnergyPart::Error))),
        },
        "updates": updates(model),
        "ground": ground(model),
        "confirm": [],
    })
}

/// Points, lines, and what moves them.
fn drawn(assembled: &Structure) -> Value {
    let model = &assembled.model;
    if assembled.free().len() > DRAWN {
        return Value::Null;
    }
    let structure = structure(model);
    let drawing = structure.drawing();
    let mut unknown = vec![None; model.dofs.len()];
    assembled.free().iter().enumerate().for_each(|(i, &d)| unknown[d] = Some(i));
    let moved = |moves: &crate::drawing::Moves| -> Vec<Value> {
        let one = |(dof, [x, y, z, ..]): &(usize, [f64; 6])| {
            let [x, y, z] = drawing.along([*x, *y, *z]);
            unknown[*dof].map(|k| json!([k, x, y, z]))
        };
        moves.iter().filter_map(one).collect()
    };
    let moves: Vec<Vec<Value>> = moves(model, &structure).iter().map(moved).collect();
    let edges: Vec<Value> = drawing
        .edges
        .iter()
        .map(|e| json!([e.ends[0], e.ends[1], u8::from(e.place == Some(Place::Specimen))]))
        .collect();
    let length = Dimension::LENGTH;
    json!({
        "points": drawing.points, "nodes": drawing.nodes, "edges": edges, "moves": moves, "sketch": drawing.sketch,
        "unit": model.units.label(length), "factor": 1.0 / model.units.factor(length),
    })
}

/// The first ground motion, as a whole.
fn ground(model: &Model) -> Value {
    let found = model.loads.iter().zip(&model.load_names).find_map(|(load, name)| match load {
        Load::Ground { signal, .. } => Some((signal, name)),
        Load::Force { .. } => None,
    });
    let Some((signal, name)) = found else { return Value::Null };
    let (duration, unit) = (model.analysis.dt * model.analysis.steps() as f64, Dimension::ACCELERATION);
    let times: Vec<f64> = (0..=POINTS).map(|i| duration * i as f64 / POINTS as f64).collect();
    let values: Vec<f64> = times.iter().map(|t| signal.value(*t) / model.units.factor(unit)).collect();
    json!({ "name": name, "t": times, "a": values, "unit": model.units.label(unit) })
}

/// What is identified online: parameters with their units; their channels begin with the name.
fn updates(model: &Model) -> Vec<Value> {
    let one = |(index, update): (usize, &Update)| {
        let parameter = |c: &Channel| match c.quantity {
            Quantity::Update(i, Learned::Value(p)) if i == index => {
                Some(json!({ "name": PARAMETERS[p].0, "unit": if c.unit == "-" { "" } else { &c.unit } }))
            }
            _ => None,
        };
        json!({
            "name": update.name, "parameters": model.channels.iter().filter_map(parameter).collect::<Vec<_>>(),
            "energy": model.units.label(Dimension::MOMENT),
        })
    };
    model.updates.iter().enumerate().filter(|(_, u)| u.enabled).map(one).collect()
}

/// Columns of the rows of a run: step, time, and its channels with their units. It is an alarm when updating is disabled.
pub(super) fn run_columns<'a>(
    model: Option<&Model>,
    channels: impl Iterator<Item = (&'a String, &'a String)>,
) -> Vec<Column> {
    let known = model.map_or(&[][..], |m| &m.channels);
    let channel = |(name, unit): (&String, &String)| {
        let column = Column::new(name, unit, 1.0);
        let active =
            known.iter().filter(|c| c.name == *name && matches!(c.quantity, Quantity::Update(_, Learned::Active)));
        active.fold(column, |column, _| column.alarm(format!("{name}: online updating is disabled"), DISABLED))
    };
    let head = [Column::new("step", "", 1.0), Column::new("t", "s", 1.0)];
    head.into_iter().chain(channels.map(channel)).collect()
}

/// What an operator does when updating was disabled.
const DISABLED: &str = "The measurements contradict the law, or its parameters leave their ranges. The numerical elements keep their last \
    parameters and the test goes on: decide whether it is still the test that you want.";

/// Dimension of what a limit is a limit of.
fn dimension(trip: Trip) -> Dimension {
    match trip {
        Trip::MeasuredVelocity | Trip::Velocity => Dimension::VELOCITY,
        Trip::MeasuredAcceleration => Dimension::ACCELERATION,
        Trip::Force | Trip::Load => Dimension::FORCE,
        Trip::ForceRate => Dimension::FORCE.per(Dimension::TIME),
        Trip::Energy | Trip::Indicator => Dimension::NONE,
        _ => Dimension::LENGTH,
    }
}

fn unit_of(own: impl Fn(Dimension) -> (String, f64), dim: Dimension) -> (String, f64) {
    if dim == Dimension::NONE { ("%".to_owned(), 0.01) } else { own(dim) }
}

/// Unit in which it is told by how much transducers contradict each other.
fn disagreement_unit(specimen: &Specimen, units: &UnitSystem) -> (String, f64) {
    let dim = Dimension::LENGTH;
    specimen.further_transducers().next().map_or_else(|| (units.label(dim), units.factor(dim)), |t| t.unit(dim, units))
}

/// Columns of the live rows of a rig, with their units.
pub(crate) fn rig_topic(specimen: &Specimen, controller: &Controller, units: &UnitSystem) -> Topic {
    let (length, metres) = disagreement_unit(specimen, units);
    let head = |name: &&str| match *name {
        "time" | "model" => Column::new(*name, "s", 1.0),
        "wake" | "work" => Column::new(*name, "s", 1.0).peak(),
        "disagreement" => Column::new(*name, &length, 1.0 / metres).peak(),
        name => Column::new(name, "", 1.0),
    };
    let mut columns: Vec<Column> = LIVE_HEAD.iter().map(head).collect();
    for (i, actuator) in specimen.actuators.iter().enumerate() {
        for column in COLUMNS {
            let dim = match column {
                "force" => Dimension::FORCE,
                "stiffness" => Dimension::STIFFNESS,
                _ => Dimension::LENGTH,
            };
            let (label, unit) = actuator.unit(dim, units);
            let made = Column::new(format!("{}.{column}", actuator.name), label, 1.0 / unit);
            columns.push(if column == "error" { made.peak() } else { made });
        }
        for trip in MEASURED {
            let (label, unit) = unit_of(|dim| actuator.unit(dim, units), dimension(trip));
            columns.push(Column::new(format!("{}.limit.{}", actuator.name, trip.name()), label, 1.0 / unit).peak());
        }
        let (label, unit) = actuator.unit(Dimension::FORCE, units);
        columns.push(Column::new(format!("{}.limit.{}", actuator.name, Trip::Load.name()), label, 1.0 / unit).peak());
        for k in 0..ADAPTED {
            let name = controller.adapts(i).get(k).map(|n| format!("{}.{n}", actuator.name));
            columns.push(Column::new(name.unwrap_or_default(), "", 1.0));
        }
    }
    for transducer in specimen.further_transducers() {
        let (label, unit) = transducer.unit(Dimension::LENGTH, units);
        columns.push(Column::new(format!("{}.reached", transducer.name), label, 1.0 / unit));
    }
    for cell in specimen.further_load_cells() {
        let (label, unit) = cell.unit(Dimension::FORCE, units);
        columns.push(Column::new(format!("{}.force", cell.name), label, 1.0 / unit));
    }
    for sensor in specimen.further_transducers().chain(specimen.further_load_cells()) {
        for trip in MEASURED {
            let (label, unit) = unit_of(|dim| sensor.unit(dim, units), dimension(trip));
            columns.push(Column::new(format!("{}.limit.{}", sensor.name, trip.name()), label, 1.0 / unit).peak());
        }
    }
    columns.resize_with(controller.shown(), || Column::new("", "", 1.0));
    Topic { name: format!("rig.{}", specimen.name), columns, time: 0, rig: true, open: true }
}

/// What the page is told of a rig.
pub(crate) fn rig_about(specimen: &Specimen, controller: &Controller, units: &UnitSystem, topic: &Topic) -> Value {
    let start = |i: usize| LIVE_HEAD.len() + i * LIVE_COLUMNS;
    let actuator = |(i, a): (usize, &Actuator)| {
        json!({
            "name": a.name, "column": start(i), "adapted": start(i) + LIVE_ADAPTED, "adapts": controller.adapts(i),
            "length": a.unit(Dimension::LENGTH, units).0, "force": a.unit(Dimension::FORCE, units).0,
        })
    };
    let several = specimen.actuators.len() > 1;
    let transducers: Vec<_> = specimen.further_transducers().collect();
    let load_cells: Vec<_> = specimen.further_load_cells().collect();
    let bar = |b: &Bar| {
        let dim = dimension(b.trip);
        let (whose, (label, unit)) = match b.of {
            Limited::Rig if b.trip == Trip::Disagreement => (None, disagreement_unit(specimen, units)),
            Limited::Rig => (None, ((if b.trip == Trip::Deadline { "targets" } else { "samples" }).to_owned(), 1.0)),
            Limited::Actuator(i) => {
                let a = &specimen.actuators[i];
                (several.then_some(&a.name), unit_of(|dim| a.unit(dim, units), dim))
            }
            Limited::Transducer(i) => (Some(&transducers[i].name), unit_of(|dim| transducers[i].unit(dim, units), dim)),
            Limited::LoadCell(i) => (Some(&load_cells[i].name), unit_of(|dim| load_cells[i].unit(dim, units), dim)),
        };
        let name = b.trip.name().replace('-', " ");
        let action = Action::ALL.iter().find(|x| x.0 == b.action).map_or("", |x| x.1);
        json!({
            "label": whose.map_or_else(|| name.clone(), |whose| format!("{name}, {whose}")), "topic": topic.name,
            "column": b.column, "limit": b.limit / unit, "unit": label, "action": action,
            "counts": b.of == Limited::Rig && b.trip != Trip::Disagreement,
        })
    };
    json!({
        "name": specimen.name, "topic": topic.name, "time": 0, "rate": 1.0 / specimen.period,
        "actuators": specimen.actuators.iter().enumerate().map(actuator).collect::<Vec<_>>(),
        "bars": controller.bars().iter().map(bar).collect::<Vec<_>>(),
    })
}
