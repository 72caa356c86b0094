//! What measures a specimen: transducers and load cells with directions of their own, and the fixtures that are taken off their forces.

use interfield_lab::fixture::Fixture;
use interfield_lab::kinematics::{Kinematics, Lever};
use interfield_lab::safety::Limits;
use interfield_lab::sensing::Array;
use interfield_language::Model;
use interfield_language::specimen::{Instrument, Specimen};
use interfield_language::units::Dimension;
use serde_json::{Value, json};

use super::limits::{bound, follows, watches};
use super::quantity::{Along, Quantity};
use super::specimen::{lever, sensor};
use crate::laboratory::settings::watched;
use crate::table::{labelled, short, time};

/// What gives displacements and forces, and what is taken off, where it is not the sensors of the actuators.
pub(super) fn lines(specimen: &Specimen, model: &Model) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    if !specimen.transducers.is_empty() {
        lines.push(("displacements", displacements(specimen)));
    }
    if !specimen.load_cells.is_empty() {
        lines.push((
            "forces",
            format!("the sum of what {} carry, each along its direction", names(&specimen.load_cells)),
        ));
    }
    for body in &specimen.fixtures {
        lines.push(("fixture", fixture(body, specimen, model)));
    }
    if !specimen.fixtures.is_empty() {
        let weight = if specimen.tared { "load cells are zero under it at the start" } else { "load cells show it" };
        let window = time(specimen.inertia_window);
        lines.push(("fixtures", format!("weight: {weight}; accelerations from measured displacements of {window}")));
    }
    lines
}

/// The sensors besides those of the actuators, each as a section of a page.
pub(super) fn text(specimen: &Specimen, model: &Model) -> String {
    let mut out = String::new();
    for (word, instrument, limits, force) in further(specimen) {
        let along = Along { units: &model.units, angle: instrument.turns };
        out += &format!("\n  {word} {}\n", instrument.name);
        out += &labelled("    ", "measures", &measures(instrument, specimen, model, force));
        out += &labelled("    ", "sensor", &errors(instrument, along, force));
        if instrument.calibration != [1.0, 0.0] {
            let [gain, offset] = instrument.calibration;
            let (size, unit) = quantity(along, 1.0, force).unit();
            let offset = if offset == 0.0 { String::new() } else { format!(" + {}", short(offset)) };
            out += &labelled("    ", "instrument", &format!("{} per {unit}{offset}", short(gain / size)));
        }
        if instrument.wiring.is_some() {
            out += &labelled("    ", "bus", "wired to a device on the EtherCAT bus");
        }
        let limits: Vec<String> = stated(&limits)
            .map(|(name, watch)| {
                let bound = bound(name, watch, Vec::new(), along);
                format!("{} {}, {}", watches(name), bound.at.unwrap_or_default(), follows(watch.action))
            })
            .collect();
        if !limits.is_empty() {
            out += &labelled("    ", "limits", &limits.join("; "));
        }
    }
    out
}

/// All of it, as JSON: [transducers, load cells, fixtures].
pub(super) fn json(specimen: &Specimen, model: &Model) -> [Value; 3] {
    let instrument = |i: &Instrument, limits: Limits, force: bool| {
        let along = Along { units: &model.units, angle: i.turns };
        let limit = |(name, watch)| {
            let bound = bound(name, watch, Vec::new(), along);
            json!({ "limit": name, "at": bound.value, "samples": bound.samples, "action": bound.action_name() })
        };
        json!({
            "name": i.name, "measures": lever(&i.lever, i.turns, specimen, model),
            "actuator": i.actuator.and_then(|a| specimen.actuators.get(a)).map(|a| a.name.as_str()),
            "noise": quantity(along, i.sensor.noise, force).json(),
            "limits": stated(&limits).map(limit).collect::<Vec<_>>(),
        })
    };
    let unit = |value: f64, dim: Dimension| json!({ "value": value / model.units.factor(dim), "unit": model.units.label(dim) });
    let body = |f: &Fixture| {
        json!({
            "moves_with": moved(f, specimen, model), "mass": unit(f.mass, Dimension::MASS),
            "inertia": f.inertia.map(|i| unit(i, Dimension::INERTIA)), "center_from_node": f.arm.map(|x| unit(x, Dimension::LENGTH)),
            "gravity": f.gravity.map(|g| unit(g, Dimension::ACCELERATION)),
            "tared": specimen.tared, "inertia_window": { "value": specimen.inertia_window, "unit": "s" },
        })
    };
    let transducers = specimen.transducers.iter().map(|t| instrument(t, specimen.limits_of_transducer(t), false));
    let load_cells = specimen.load_cells.iter().map(|c| instrument(c, specimen.limits_of_load_cell(c), true));
    [transducers.collect(), load_cells.collect(), specimen.fixtures.iter().map(body).collect()]
}

/// Sensors besides those of the actuators: what each is, its limits, whether it shows a force.
fn further(specimen: &Specimen) -> impl Iterator<Item = (&'static str, &Instrument, Limits, bool)> {
    let transducers = specimen.further_transducers();
    let transducers = transducers.map(|t| ("transducer", t, specimen.limits_of_transducer(t), false));
    let load_cells = specimen.further_load_cells();
    transducers.chain(load_cells.map(|c| ("load cell", c, specimen.limits_of_load_cell(c), true)))
}

fn stated(limits: &Limits) -> impl Iterator<Item = (&'static str, interfield_lab::safety::Watch)> {
    watched(limits).into_iter().filter_map(|(name, watch)| Some((name, watch?)))
}

fn names(list: &[Instrument]) -> String {
    let name = |i: &Instrument| match i.actuator {
        Some(_) => format!("that of actuator {}", i.name),
        None => i.name.clone(),
    };
    list.iter().map(name).collect::<Vec<_>>().join(", ")
}

fn displacements(specimen: &Specimen) -> String {
    let list = &specimen.transducers;
    let levers: Vec<Lever> = list.iter().map(|t| t.lever.clone()).collect();
    let kinematics = Kinematics::new(levers, specimen.columns());
    let redundant = list.len().saturating_sub(kinematics.rank());
    let fit = match redundant {
        0 => "none of them is redundant, so that none is checked".to_owned(),
        n => {
            let array = Array::new((0..list.len()).collect(), kinematics);
            let alone: Vec<&str> = array.unchecked().map(|k| list[k].name.as_str()).collect();
            let alone = match alone.is_empty() {
                true => String::new(),
                false => format!("; nothing checks {}", alone.join(", ")),
            };
            format!("the best fit, {n} redundant{alone}")
        }
    };
    format!("by {}: {fit}", names(list))
}

fn measures(instrument: &Instrument, specimen: &Specimen, model: &Model, force: bool) -> String {
    let along = lever(&instrument.lever, instrument.turns, specimen, model);
    match (force, instrument.turns) {
        (false, _) => along,
        (true, false) => format!("the force along {along}"),
        (true, true) => format!("the moment about {along}"),
    }
}

fn quantity(along: Along<'_>, x: f64, force: bool) -> Quantity {
    if force { along.force(x, 0) } else { along.stroke(x, 0) }
}

fn errors(instrument: &Instrument, along: Along<'_>, force: bool) -> String {
    sensor(if force { "force" } else { "displacement" }, &instrument.sensor, |x| quantity(along, x, force))
}

fn moved(body: &Fixture, specimen: &Specimen, model: &Model) -> Vec<String> {
    let dofs = body.translations.iter().chain(&body.rotations).flatten();
    dofs.filter_map(|&j| specimen.dofs.get(j)).map(|&d| model.dofs[d].name.clone()).collect()
}

fn fixture(body: &Fixture, specimen: &Specimen, model: &Model) -> String {
    let units = &model.units;
    let mut said =
        vec![format!("{} with {}", units.show(body.mass, Dimension::MASS, 6), moved(body, specimen, model).join(", "))];
    if body.inertia.iter().any(|i| *i > 0.0) {
        let about = body.inertia.iter().zip(["x", "y", "z"]).filter(|(i, _)| **i > 0.0);
        let about = about.map(|(i, axis)| format!("{} about {axis}", units.show(*i, Dimension::INERTIA, 6)));
        said.push(about.collect::<Vec<_>>().join(", "));
    }
    if body.arm.iter().any(|x| *x != 0.0) {
        let at = body.arm.map(|x| short(x / units.factor(Dimension::LENGTH))).join(", ");
        said.push(format!("centre of mass at ({at}) {} from its node", units.label(Dimension::LENGTH)));
    }
    said.join("; ")
}
