//! What noise of uncertain size does to a loop. It does not change the stability of a linear loop, but it moves the actuators: the test is run without its
//! loads, in the emulated laboratory, with the least and with the largest noise that may be there.

use std::sync::{Arc, PoisonError};

use interfield_language::Model;
use interfield_language::model::Support;
use interfield_language::specimen::Actuator;
use interfield_language::units::{Dimension, UnitSystem};
use interfield_structure::Simulation;
use serde_json::Value;

use crate::quantities::{Quantities, number};
use crate::rehearse::Dry;
use crate::table::{aligned, short};

/// So long it is run at most, s of the model.
const LONGEST: f64 = 20.0;
/// Largest noise in so many standard deviations: one sample in 15,000.
const PEAK: f64 = 4.0;

/// What an actuator does under noise alone.
pub(crate) struct Shaken {
    /// Its specimen and its name.
    actuator: String,
    /// Standard deviation of its command and of its measured force, with the least and the largest noise.
    command: [f64; 2],
    force: [f64; 2],
    /// Names and sizes in SI of the units in which they are told.
    units: [(String, f64); 2],
    /// What it comes too near to.
    over: Option<String>,
}

/// What uncertain noise does; empty if no noise is uncertain.
///
/// # Errors
/// Why it is not known: a sentence.
pub(crate) fn shaken(model: &Arc<Model>) -> Result<Vec<Shaken>, String> {
    let asked = |a: &Actuator| a.uncertain.displacement_noise.is_some() || a.uncertain.force_noise.is_some();
    if model.analysis.statics || !model.specimens.iter().flat_map(|s| &s.actuators).any(asked) {
        return Ok(Vec::new());
    }
    if model.dofs.iter().any(|d| matches!(d.support, Support::Imposed(_))) {
        return Err("a support is moved, which is not noise".to_owned());
    }
    let ends = [deviations(model, 0)?, deviations(model, 1)?];
    let actuators = model.specimens.iter().flat_map(|s| s.actuators.iter().enumerate().map(move |(i, a)| (s, i, a)));
    let one = |(k, (specimen, i, a)): (usize, (&interfield_language::specimen::Specimen, usize, &Actuator))| {
        let of = |quantity: usize| [ends[0][k][quantity], ends[1][k][quantity]];
        let (command, force) = (of(0), of(1));
        let limits = specimen.limits_of(i);
        let bounds = [
            ("command", PEAK * command[1], a.limits.stroke.min(limits.displacement.map_or(f64::INFINITY, |w| w.limit))),
            ("force", PEAK * force[1], a.limits.force.min(limits.force.map_or(f64::INFINITY, |w| w.limit))),
            ("tracking error", PEAK * ends[1][k][2], limits.tracking.map_or(f64::INFINITY, |w| w.limit)),
            (
                "velocity of the command",
                PEAK * ends[1][k][3],
                a.limits.velocity.min(limits.velocity.map_or(f64::INFINITY, |w| w.limit)),
            ),
        ];
        let over = bounds.iter().find(|(_, x, limit)| x > limit).map(|(what, ..)| (*what).to_owned());
        let actuator = format!("{}.{}", specimen.name, a.name);
        let units: &UnitSystem = &model.units;
        Shaken {
            actuator,
            command,
            force,
            units: [a.unit(Dimension::LENGTH, units), a.unit(Dimension::FORCE, units)],
            over,
        }
    };
    Ok(actuators.enumerate().map(one).collect())
}

/// Standard deviations of command, measured force, tracking error and velocity of the command of each actuator, with the noise at one end of its
/// intervals.
fn deviations(model: &Model, end: usize) -> Result<Vec<[f64; 4]>, String> {
    let mut quiet = model.clone();
    (quiet.loads, quiet.load_names, quiet.channels, quiet.held) = Default::default();
    quiet.dofs.iter_mut().for_each(|d| (d.u0, d.v0) = (0.0, 0.0));
    quiet.analysis.duration = quiet.analysis.duration.min(LONGEST);
    for a in quiet.specimens.iter_mut().flat_map(|s| &mut s.actuators) {
        let known =
            [&a.uncertain.displacement_noise, &a.uncertain.force_noise].map(|k| k.as_ref().map(|k| k.range[end]));
        for (sensor, noise) in [&mut a.displacement, &mut a.force].into_iter().zip(known) {
            sensor.noise = noise.unwrap_or(sensor.noise);
        }
    }
    let mut dry = Dry::default();
    let first = |p: Vec<interfield_language::Problem>| p.first().map_or_else(String::new, |p| p.message.clone());
    let mut sim = Simulation::in_workshop(quiet, &mut dry).map_err(first)?;
    for k in 0..sim.steps() {
        if let Err(fault) = sim.step(k) {
            return Err(format!("noise alone ends the test: {}", sim.explain(fault)));
        }
    }
    let mut all = Vec::new();
    for specimen in &model.specimens {
        let Some((_, seen)) = dry.seen.iter().find(|(name, _)| *name == specimen.name) else { continue };
        let seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        for history in &seen.histories {
            let error = history.reached.iter().zip(&history.target).map(|(x, t)| x - t);
            let velocity = history.command.windows(2).map(|w| (w[1] - w[0]) / specimen.period);
            all.push([
                deviation(history.command.iter().copied()),
                deviation(history.force.iter().copied()),
                deviation(error),
                deviation(velocity),
            ]);
        }
    }
    Ok(all)
}

/// Standard deviation of the second half of a history, when the start has died away.
fn deviation(history: impl Iterator<Item = f64>) -> f64 {
    let all: Vec<f64> = history.collect();
    let rest = &all[all.len() / 2..];
    let count = rest.len().max(1) as f64;
    let mean = rest.iter().sum::<f64>() / count;
    (rest.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / count).sqrt()
}

/// The section of the output; empty if no noise is uncertain.
pub(crate) fn text(all: &[Shaken]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let rows: Vec<Vec<String>> = all
        .iter()
        .flat_map(|s| {
            [("command", s.command, &s.units[0]), ("measured force", s.force, &s.units[1])].map(
                |(what, x, (label, unit))| {
                    vec![s.actuator.clone(), format!("{what} [{label}]"), short(x[0] / unit), short(x[1] / unit)]
                },
            )
        })
        .collect();
    let header = ["<actuator", "<standard deviation", "least noise", "largest noise"];
    format!("\nresponse to noise alone, through the loop\n{}", aligned(&header, &rows))
}

impl Shaken {
    /// What speaks against it.
    pub(crate) fn doubt(&self) -> Option<String> {
        let what = self.over.as_ref()?;
        Some(format!(
            "actuator {}: the largest noise alone takes its {what} over a limit ({PEAK} standard deviations)",
            self.actuator
        ))
    }

    /// As JSON.
    pub(crate) fn json(&self) -> Value {
        let told = |x: [f64; 2], unit: f64| Value::from(x.map(|x| number(x / unit)).to_vec());
        let [(length, m), (force, n)] = &self.units;
        Quantities::default()
            .with("actuator", self.actuator.as_str())
            .quantity("command_deviation", told(self.command, *m), length)
            .quantity("force_deviation", told(self.force, *n), force)
            .with("over", self.over.clone())
            .object()
    }
}
