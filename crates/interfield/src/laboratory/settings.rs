//! The settings of a laboratory as they are kept with what it measured: one JSON text for a specimen, for each of its
//! actuators, and for each fault on purpose, with the units of the model ([`crate::quantities`]); what a compensator, a valve, a bus and the instruments are set to is
//! told as they take it, in SI. Nothing can be forgotten: what a specimen has is taken apart without a rest.

use interfield_lab::controller::{Home, MissPolicy};
use interfield_lab::emulate::{Injection, Misfortune, Sensor};
use interfield_lab::fieldbus::AtEnd;
use interfield_lab::fixture::Fixture;
use interfield_lab::guard::Envelope;
use interfield_lab::kinematics::Lever;
use interfield_lab::safety::{Action, Limits, Watch};
use interfield_language::Model;
use interfield_language::specimen::{Actuator, Control, Dynamics, Instrument, Loading, Specimen, unit};
use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

use super::RealTime;
use super::described::described;
use crate::quantities::{self, ONE, Quantities, UNITS, number};

/// First part of the names of these settings.
pub const PREFIX: &str = "specimen.";

/// All settings of all specimens, by name.
pub fn settings(model: &Model, pace: &RealTime) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for specimen in &model.specimens {
        let name = format!("{PREFIX}{}", specimen.name);
        all.push((name.clone(), of_specimen(model, specimen, pace).to_string()));
        for (i, actuator) in specimen.actuators.iter().enumerate() {
            all.push((format!("{name}.actuator.{}", i + 1), of_actuator(actuator, &model.units).to_string()));
        }
        let lists = [
            ("transducer", &specimen.transducers, Dimension::LENGTH),
            ("load_cell", &specimen.load_cells, Dimension::FORCE),
        ];
        for (kind, list, dim) in lists {
            for (i, instrument) in list.iter().enumerate() {
                let settings = of_instrument(instrument, dim, specimen, &model.units);
                all.push((format!("{name}.{kind}.{}", i + 1), settings.to_string()));
            }
        }
        for (i, fixture) in specimen.fixtures.iter().enumerate() {
            all.push((format!("{name}.fixture.{}", i + 1), of_fixture(fixture, specimen, model).to_string()));
        }
        for (i, fault) in specimen.faults.iter().enumerate() {
            all.push((format!("{name}.fault.{}", i + 1), of_fault(fault, specimen).to_string()));
        }
    }
    all
}

fn of_specimen(model: &Model, specimen: &Specimen, pace: &RealTime) -> Value {
    let Specimen {
        name,
        at,
        // The name of a key file is no secret, what is in it is.
        key,
        insecure,
        elements,
        dofs,
        masses,
        inner,
        held,
        inner_masses,
        period,
        every,
        record_every,
        time_scale,
        scale,
        ramp,
        patience,
        late,
        bridge,
        brake,
        home,
        correct_force,
        compensation,
        plant,
        // These have texts of their own.
        actuators: _,
        sharing,
        transducers: _,
        load_cells: _,
        fixtures: _,
        tared,
        inertia_window,
        uncertain,
        limits,
        faults: _,
        stalls,
        at_end,
        interlock,
    } = specimen;
    let mut all = json!({
        "name": name,
        "at": at.as_ref().map(ToString::to_string),
        "key": key,
        "insecure": insecure,
        "elements": elements.iter().map(|&e| model.elements[e].name.as_str()).collect::<Vec<_>>(),
        "dofs": dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect::<Vec<_>>(),
        "masses": masses.iter().map(|m| m / model.units.readable(Dimension::MASS).0).collect::<Vec<_>>(),
        "period": period,
        "record_every": record_every,
        "time_scale": time_scale,
        "scale": scale,
        "ramp": ramp,
        "patience": patience,
        "late": match late {
            MissPolicy::Hold => "hold",
            MissPolicy::Extrapolate => "extrapolate",
            MissPolicy::Abort => "abort",
            MissPolicy::Wait => "wait",
        },
        "bridge": bridge,
        "brake": brake,
        "home": Home::ALL.iter().find(|h| h.0 == *home).map(|h| h.1),
        "stalls": stalls.iter().map(|[from, samples]| [*from as f64 * period, *samples as f64 * period]).collect::<Vec<_>>(),
        "envelopes": (0..specimen.actuators.len()).map(|i| envelope(specimen, i, &model.units)).collect::<Vec<_>>(),
        "sharing": sharing,
        "tare": tared,
        "inertia_window": inertia_window,
        "correct_force": correct_force,
        "compensation": described(compensation),
        "at_end": match at_end { AtEnd::Hold => "hold", AtEnd::Zero => "zero" },
        "interlock": described(interlock),
        "limits": of_limits(limits, specimen.counts_angles(), &model.units),
        "clock": pace.real_time.then(|| described(pace)),
        UNITS: {
            "masses": model.units.readable(Dimension::MASS).1, "period": "s", "time_scale": ONE, "scale": ONE, "ramp": "s",
            "patience": "s", "sharing": "s", "bridge": "s", "brake": "s", "stalls": "s", "inertia_window": "s", "watchdog": "s",
        },
    });
    all["uncertain"] = described(&uncertain.all().map(|(name, known)| (name, known.map(|k| k.range))));
    all["samples_per_target"] = json!(every);
    all["plant"] = described(plant);
    all["inner"] = of_inner(model, inner, *held, inner_masses);
    all
}

/// Degrees of freedom that exist in the laboratory only, with their masses there.
fn of_inner(model: &Model, inner: &[usize], held: usize, masses: &[f64]) -> Value {
    let one = |(i, (&d, &m)): (usize, (&usize, &f64))| {
        let dof = &model.dofs[d];
        let (size, unit) = if dof.angle { (1.0, "kg*m^2".to_owned()) } else { model.units.readable(Dimension::MASS) };
        let inner = Quantities::default().with("dof", dof.name.as_str()).with("held", i < held);
        inner.quantity("mass", number(m / size), &unit).object()
    };
    inner.iter().zip(masses).enumerate().map(one).collect()
}

/// Limits that have a value, by name.
pub(crate) fn watched(limits: &Limits) -> [(&'static str, Option<Watch>); 18] {
    let Limits {
        displacement,
        velocity,
        acceleration,
        jerk,
        force,
        force_rate,
        measured_displacement,
        measured_velocity,
        measured_acceleration,
        tracking,
        energy,
        indicator,
        frozen,
        load_error,
        disagreement,
        missing,
        deadline,
        recorder,
        // These are always watched.
        not_finite: _,
        gone: _,
    } = *limits;
    [
        ("displacement", displacement),
        ("velocity", velocity),
        ("acceleration", acceleration),
        ("jerk", jerk.map(|limit| Watch::new(limit, Action::Hold))),
        ("force", force),
        ("force-rate", force_rate),
        ("measured-displacement", measured_displacement),
        ("measured-velocity", measured_velocity),
        ("measured-acceleration", measured_acceleration),
        ("tracking", tracking),
        ("energy", energy),
        ("indicator", indicator),
        ("frozen", frozen),
        ("load-error", load_error),
        ("disagreement", disagreement),
        ("missing", missing),
        ("deadline", deadline),
        ("recorder", recorder),
    ]
}

/// What a limit measures.
fn measure(limit: &str) -> Dimension {
    match limit {
        "displacement" | "measured-displacement" | "tracking" | "frozen" | "disagreement" => Dimension::LENGTH,
        "velocity" | "measured-velocity" => Dimension::VELOCITY,
        "acceleration" | "measured-acceleration" => Dimension::ACCELERATION,
        "jerk" => JERK,
        "force" | "load-error" => Dimension::FORCE,
        "force-rate" => Dimension::FORCE.per(Dimension::TIME),
        _ => Dimension::NONE,
    }
}

/// What must not happen, and what follows: the fault matrix of a specimen, by the names of its limits.
fn of_limits(limits: &Limits, turns: bool, units: &UnitSystem) -> Value {
    let always = [("not-finite", limits.not_finite), ("gone", limits.gone)];
    let watch = |w: Watch, dim: Dimension| {
        let (label, unit) = match dim.is_none() {
            true => (quantities::label(dim, units), units.factor(dim)),
            false => unit(turns, dim, units),
        };
        let watch = Quantities::default().quantity("at", number(w.limit / unit), &label);
        watch.with("samples", w.samples).with("action", action(w.action)).object()
    };
    let watched = watched(limits).into_iter();
    let watched = watched.map(|(name, w)| (name.to_owned(), w.map_or(Value::Null, |w| watch(w, measure(name)))));
    let always = always.into_iter().map(|(name, a)| (name.to_owned(), json!({ "action": action(a) })));
    watched.chain(always).collect::<serde_json::Map<_, _>>().into()
}

/// What may be sent at all; `null` where there is no bound.
fn envelope(specimen: &Specimen, i: usize, units: &UnitSystem) -> Value {
    let Envelope { position: [low, high], velocity, acceleration, braking, jerk } = specimen.envelope(i);
    let actuator = &specimen.actuators[i];
    let (length, unit) = actuator.unit(Dimension::LENGTH, units);
    let object = Quantities::default().with("actuator", actuator.name.as_str());
    let object = object.quantity("position", json!([number(low / unit), number(high / unit)]), &length);
    let bounds = [
        ("velocity", velocity, Dimension::VELOCITY),
        ("acceleration", acceleration, Dimension::ACCELERATION),
        ("braking", braking, Dimension::ACCELERATION),
        ("jerk", jerk, JERK),
    ];
    bounds.into_iter().fold(object, |all, bound| told(all, bound, actuator, units)).object()
}

/// Dimension of the rate of an acceleration.
const JERK: Dimension = Dimension::new(0.0, 1.0, -3.0);

/// A quantity of an actuator.
fn told(all: Quantities, (name, si, dim): (&str, f64, Dimension), of: &Actuator, units: &UnitSystem) -> Quantities {
    let (label, unit) = of.unit(dim, units);
    all.quantity(name, number(si / unit), &label)
}

fn action(action: Action) -> &'static str {
    Action::ALL.iter().find(|a| a.0 == action).map_or("", |a| a.1)
}

fn of_actuator(actuator: &Actuator, units: &UnitSystem) -> Value {
    let Actuator {
        name,
        turns: _,
        lever,
        calibration,
        dynamics,
        compensation,
        delay: [delay, swing, frequency],
        limits,
        acceleration,
        own_limits,
        loading,
        mount,
        share,
        friction,
        displacement,
        force,
        uncertain,
        wiring,
        assignment,
    } = actuator;
    let lever = of_lever(lever);
    let dynamics = match dynamics {
        Dynamics::Ideal => json!("ideal"),
        Dynamics::Transfer { numerator, denominator } => json!({ "numerator": numerator, "denominator": denominator }),
        Dynamics::Hydraulic(hydraulic) => json!({ "hydraulic": described(hydraulic) }),
    };
    let settings = Quantities::default()
        .with("name", name.as_str())
        .with("lever", lever)
        .with("calibration", described(calibration))
        .with("dynamics", dynamics)
        .with("compensation", described(compensation))
        .with("delay", json!({ "constant": delay, "swing": swing, "frequency": frequency, UNITS: { "constant": "s", "swing": "s", "frequency": "Hz" } }))
        .with("limits", of_limits(own_limits, actuator.turns, units))
        .with("displacement_sensor", sensor(displacement, actuator.unit(Dimension::LENGTH, units)))
        .with("force_sensor", sensor(force, actuator.unit(Dimension::FORCE, units)))
        .with("control", loading.as_ref().map_or(Value::Null, |l| of_loading(l, actuator, units)))
        .with("share", *share)
        .with("uncertain", described(&uncertain.all().map(|(name, known)| (name, known.map(|k| k.range)))))
        .with("wiring", described(wiring))
        .with("assignment", described(assignment));
    let bounds = [
        ("stroke", limits.stroke, Dimension::LENGTH),
        ("velocity", limits.velocity, Dimension::VELOCITY),
        ("acceleration", *acceleration, Dimension::ACCELERATION),
        ("force", limits.force, Dimension::FORCE),
        ("mount_stiffness", *mount, Dimension::STIFFNESS),
        ("friction", *friction, Dimension::FORCE),
    ];
    bounds.into_iter().fold(settings, |all, bound| told(all, bound, actuator, units)).object()
}

/// What an actuator follows on an inner degree of freedom, from when on.
fn of_loading(loading: &Loading, actuator: &Actuator, units: &UnitSystem) -> Value {
    let Loading { control, load, bandwidth, switches } = loading;
    let switch = |(at, to): &(f64, Control)| json!({ "at": at, "to": to.name(), UNITS: { "at": "s" } });
    let settings = Quantities::default().with("control", control.name());
    told(settings, ("load", *load, Dimension::FORCE), actuator, units)
        .quantity("bandwidth", number(bandwidth / std::f64::consts::TAU), "Hz")
        .with("switches", switches.iter().map(switch).collect::<Vec<_>>())
        .object()
}

/// What an actuator moves, or a sensor measures along.
fn of_lever(lever: &Lever) -> Value {
    match lever {
        Lever::Linear(factors) => json!({ "along": factors }),
        Lever::Strut(strut) => json!({ "strut": described(strut) }),
    }
}

/// A transducer or a load cell, which shows this.
fn of_instrument(instrument: &Instrument, dim: Dimension, specimen: &Specimen, units: &UnitSystem) -> Value {
    let Instrument { name, turns, lever, actuator, sensor: errors, calibration, limits, wiring } = instrument;
    Quantities::default()
        .with("name", name.as_str())
        .with("actuator", actuator.and_then(|i| specimen.actuators.get(i)).map(|a| a.name.as_str()))
        .with("lever", of_lever(lever))
        .with("calibration", json!(calibration))
        .with("sensor", sensor(errors, instrument.unit(dim, units)))
        .with("limits", of_limits(limits, *turns, units))
        .with("wiring", described(wiring))
        .object()
}

/// A body between load cells and specimen.
fn of_fixture(fixture: &Fixture, specimen: &Specimen, model: &Model) -> Value {
    let Fixture { mass, inertia, arm, gravity, translations, rotations } = fixture;
    let moved = |list: &[Option<usize>; 3]| {
        list.iter()
            .flatten()
            .map(|&j| specimen.column(j).map_or("?", |d| model.dofs[d].name.as_str()))
            .collect::<Vec<_>>()
    };
    let units = &model.units;
    let told = |x: f64, dim: Dimension| x / units.factor(dim);
    Quantities::default()
        .with("moves_with", moved(translations).into_iter().chain(moved(rotations)).collect::<Vec<_>>())
        .quantity("mass", told(*mass, Dimension::MASS), &units.label(Dimension::MASS))
        .quantity("inertia", json!(inertia.map(|i| told(i, Dimension::INERTIA))), &units.label(Dimension::INERTIA))
        .quantity("arm", json!(arm.map(|x| told(x, Dimension::LENGTH))), &units.label(Dimension::LENGTH))
        .quantity("gravity", json!(gravity), "m/s^2")
        .object()
}

/// A sensor; what it shows has this unit, of this size in SI.
fn sensor(s: &Sensor, (label, unit): (String, f64)) -> Value {
    let Sensor { gain, bias, noise, range, quantum, seed } = *s;
    let shown = [("bias", bias), ("noise", noise), ("range", range), ("quantum", quantum)];
    let sensor = Quantities::default().quantity("gain", gain, ONE).with("seed", seed);
    shown.into_iter().fold(sensor, |all, (name, x)| all.quantity(name, number(x / unit), &label)).object()
}

/// The word of a model file for what goes wrong on purpose, and how much: SI.
pub(crate) fn misfortune(what: Misfortune, period: f64) -> (&'static str, Option<f64>) {
    match what {
        Misfortune::FrozenDisplacement => ("frozen-displacement", None),
        Misfortune::FrozenForce => ("frozen-force", None),
        Misfortune::Silence => ("silence", None),
        Misfortune::Spike(size) => ("spike", Some(size)),
        Misfortune::Offset(size) => ("offset", Some(size)),
        Misfortune::NotANumber => ("nan", None),
        Misfortune::Delay(samples) => ("delay", Some(samples as f64 * period)),
        Misfortune::Gone => ("gone", None),
        Misfortune::EmergencyStop => ("emergency-stop", None),
    }
}

fn of_fault(fault: &Injection, specimen: &Specimen) -> Value {
    let period = specimen.period;
    let Injection { what, actuator, sensor, from, samples } = *fault;
    let (what, size) = misfortune(what, period);
    let lasts = (samples != u64::MAX).then_some(samples as f64 * period);
    let actuator = actuator.and_then(|a| specimen.actuators.get(a)).map(|a| a.name.as_str());
    // A spike is told in SI: it strikes displacement and force alike.
    let unit = if what == "delay" { "s" } else { "SI" };
    json!({
        "type": what, "size": size, "actuator": actuator, "sensor": sensor.and_then(|k| specimen.names().sensors.get(k).cloned()), "at": from as f64 * period, "for": lasts,
        UNITS: { "size": unit, "at": "s", "for": "s" },
    })
}
