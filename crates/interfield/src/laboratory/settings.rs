//! The settings of a laboratory as they are kept with what it measured: one JSON text for a specimen, for each of its
//! actuators, and for each fault on purpose. SI. Nothing can be forgotten: what a specimen has is taken apart without a rest.

use interfield_lab::controller::{Home, MissPolicy};
use interfield_lab::emulate::{Injection, Misfortune, Sensor};
use interfield_lab::fieldbus::AtEnd;
use interfield_lab::guard::Envelope;
use interfield_lab::kinematics::Lever;
use interfield_lab::safety::{Action, Limits, Watch};
use interfield_language::Model;
use interfield_language::specimen::{Actuator, Dynamics, Specimen};
use serde_json::{Value, json};

use super::RealTime;

/// First part of the names of these settings.
pub const PREFIX: &str = "specimen.";

/// All settings of all specimens, by name.
pub fn settings(model: &Model, pace: &RealTime) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for specimen in &model.specimens {
        let name = format!("{PREFIX}{}", specimen.name);
        all.push((name.clone(), of_specimen(model, specimen, pace).to_string()));
        for (i, actuator) in specimen.actuators.iter().enumerate() {
            all.push((format!("{name}.actuator.{}", i + 1), of_actuator(actuator).to_string()));
        }
        for (i, fault) in specimen.faults.iter().enumerate() {
            all.push((format!("{name}.fault.{}", i + 1), of_fault(fault, specimen.period).to_string()));
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
        period,
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
        // These have texts of their own.
        actuators: _,
        limits,
        faults: _,
        stalls,
        at_end,
        interlock,
    } = specimen;
    json!({
        "name": name,
        "at": at.as_ref().map(ToString::to_string),
        "key": key,
        "insecure": insecure,
        "elements": elements.iter().map(|&e| model.elements[e].name.as_str()).collect::<Vec<_>>(),
        "dofs": dofs.iter().map(|&d| model.dofs[d].name.as_str()).collect::<Vec<_>>(),
        "masses": masses,
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
        "envelopes": (0..specimen.actuators.len()).map(|i| envelope(&specimen.envelope(i))).collect::<Vec<_>>(),
        "correct_force": correct_force,
        "compensation": format!("{compensation:?}"),
        "at_end": match at_end { AtEnd::Hold => "hold", AtEnd::Zero => "zero" },
        "interlock": format!("{interlock:?}"),
        "limits": of_limits(limits),
        "clock": pace.real_time.then(|| format!("{pace:?}")),
    })
}

/// Limits that have a value, by name.
pub(crate) fn watched(limits: &Limits) -> [(&'static str, Option<Watch>); 16] {
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
        ("missing", missing),
        ("deadline", deadline),
        ("recorder", recorder),
    ]
}

/// What must not happen, and what follows: the fault matrix of a specimen, by the names of its limits.
fn of_limits(limits: &Limits) -> Value {
    let always = [("not-finite", limits.not_finite), ("gone", limits.gone)];
    let watch = |w: Watch| json!({ "at": finite(w.limit), "samples": w.samples, "action": action(w.action) });
    let watched = watched(limits).into_iter().map(|(name, w)| (name.to_owned(), w.map_or(Value::Null, watch)));
    let always = always.into_iter().map(|(name, a)| (name.to_owned(), json!({ "action": action(a) })));
    watched.chain(always).collect::<serde_json::Map<_, _>>().into()
}

/// What may be sent at all; `null` where there is no bound.
fn envelope(envelope: &Envelope) -> Value {
    let Envelope { position: [low, high], velocity, acceleration, braking, jerk } = *envelope;
    json!({
        "position": [finite(low), finite(high)], "velocity": finite(velocity), "acceleration": finite(acceleration),
        "braking": finite(braking), "jerk": finite(jerk),
    })
}

fn action(action: Action) -> &'static str {
    Action::ALL.iter().find(|a| a.0 == action).map_or("", |a| a.1)
}

/// `null` where there is no bound.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn of_actuator(actuator: &Actuator) -> Value {
    let Actuator {
        name,
        lever,
        calibration,
        dynamics,
        delay: [delay, swing, frequency],
        limits,
        acceleration,
        own_limits,
        friction,
        displacement,
        force,
        wiring,
        assignment,
    } = actuator;
    let lever = match lever {
        Lever::Linear(factors) => json!({ "along": factors }),
        Lever::Strut(strut) => json!({ "strut": format!("{strut:?}") }),
    };
    let dynamics = match dynamics {
        Dynamics::Ideal => json!("ideal"),
        Dynamics::Transfer { numerator, denominator } => json!({ "numerator": numerator, "denominator": denominator }),
        Dynamics::Hydraulic(hydraulic) => json!(format!("{hydraulic:?}")),
    };
    json!({
        "name": name,
        "lever": lever,
        "calibration": {
            "command": calibration.command, "displacement": calibration.displacement, "force": calibration.force,
        },
        "dynamics": dynamics,
        "delay": { "constant": delay, "swing": swing, "frequency": frequency },
        "stroke": finite(limits.stroke),
        "velocity": finite(limits.velocity),
        "acceleration": finite(*acceleration),
        "force": finite(limits.force),
        "limits": of_limits(own_limits),
        "friction": friction,
        "displacement_sensor": sensor(displacement),
        "force_sensor": sensor(force),
        "wiring": wiring.as_ref().map(|w| format!("{w:?}")),
        "assignment": assignment.as_ref().map(|a| format!("{a:?}")),
    })
}

fn sensor(s: &Sensor) -> Value {
    let Sensor { gain, bias, noise, range, quantum, seed } = *s;
    json!({ "gain": gain, "bias": bias, "noise": noise, "range": finite(range), "quantum": quantum, "seed": seed })
}

/// The word of a model file for what goes wrong on purpose, and how much: SI.
pub(crate) fn misfortune(what: Misfortune, period: f64) -> (&'static str, Option<f64>) {
    match what {
        Misfortune::FrozenDisplacement => ("frozen-displacement", None),
        Misfortune::FrozenForce => ("frozen-force", None),
        Misfortune::Silence => ("silence", None),
        Misfortune::Spike(size) => ("spike", Some(size)),
        Misfortune::NotANumber => ("nan", None),
        Misfortune::Delay(samples) => ("delay", Some(samples as f64 * period)),
        Misfortune::Gone => ("gone", None),
        Misfortune::EmergencyStop => ("emergency-stop", None),
    }
}

fn of_fault(fault: &Injection, period: f64) -> Value {
    let Injection { what, actuator, from, samples } = *fault;
    let (what, size) = misfortune(what, period);
    let lasts = (samples != u64::MAX).then_some(samples as f64 * period);
    json!({ "type": what, "size": size, "actuator": actuator.map(|a| a + 1), "at": from as f64 * period, "for": lasts })
}
