//! The limits of a specimen: what must not happen to it, and what follows.

use interfield_lab::safety::{Action, Watch};
use interfield_language::Model;
use interfield_language::specimen::Specimen;
use serde_json::Value;

use super::quantity::{Along, Quantity};
use super::specimen::along;
use crate::laboratory::settings::watched;
use crate::table::aligned;

/// A limit: its name, of which actuators, at what, and what follows.
pub(super) struct Bound {
    pub(super) name: &'static str,
    /// Names of the actuators it holds for; none: the whole specimen.
    pub(super) actuators: Vec<String>,
    pub(super) at: Option<String>,
    pub(super) value: Value,
    pub(super) samples: u32,
    action: Action,
}

impl Bound {
    /// What follows, by its name in a model file.
    pub(super) fn action_name(&self) -> Option<&'static str> {
        Action::ALL.iter().find(|a| a.0 == self.action).map(|a| a.1)
    }
}

/// All limits of a specimen, those of its actuators with their names.
pub(super) fn bounds(specimen: &Specimen, model: &Model) -> Vec<Bound> {
    let mut list = Vec::new();
    let all = watched(&specimen.limits);
    for (k, (name, watch)) in all.iter().enumerate() {
        let own = |i: usize| watched(&specimen.actuators[i].own_limits)[k].1.is_some();
        let whole = matches!(*name, "disagreement" | "missing" | "deadline" | "recorder");
        // Those that have it from the specimen: limits of lengths and forces do not hold for one that turns.
        let from_specimen = |i: &usize| !own(*i) && watched(&specimen.limits_of(*i))[k].1.is_some();
        let others: Vec<usize> = (0..specimen.actuators.len()).filter(from_specimen).collect();
        if let Some(watch) = watch.filter(|_| whole || !others.is_empty()) {
            let first = others.first().copied().unwrap_or(0);
            let names = others.iter().map(|&i| specimen.actuators[i].name.clone()).collect();
            list.push(bound(name, watch, if whole { Vec::new() } else { names }, along(specimen, first, model)));
        }
        for (i, actuator) in specimen.actuators.iter().enumerate() {
            if let Some(watch) = watched(&actuator.own_limits)[k].1 {
                list.push(bound(name, watch, vec![actuator.name.clone()], along(specimen, i, model)));
            }
        }
    }
    for (name, action) in [("not-finite", specimen.limits.not_finite), ("gone", specimen.limits.gone)] {
        list.push(Bound { name, actuators: Vec::new(), at: None, value: Value::Null, samples: 1, action });
    }
    list
}

pub(super) fn bound(name: &'static str, watch: Watch, actuators: Vec<String>, along: Along<'_>) -> Bound {
    let quantity = match name {
        "displacement" | "measured-displacement" | "tracking" | "frozen" | "disagreement" => {
            along.stroke(watch.limit, 0)
        }
        "velocity" | "measured-velocity" => along.stroke(watch.limit, 1),
        "acceleration" | "measured-acceleration" => along.stroke(watch.limit, 2),
        "jerk" => along.stroke(watch.limit, 3),
        "force" | "load-error" => along.force(watch.limit, 0),
        "force-rate" => along.force(watch.limit, 1),
        "energy" | "indicator" => Quantity::plain(100.0 * watch.limit, "%"),
        "missing" => Quantity::plain(f64::from(watch.samples), "in a row"),
        "deadline" => Quantity::plain(watch.limit, "targets"),
        _ => Quantity::plain(watch.limit, "samples"),
    };
    let samples = if name == "missing" { 1 } else { watch.samples };
    Bound { name, actuators, at: Some(quantity.text()), value: quantity.json(), samples, action: watch.action }
}

/// What a limit watches, in words.
pub(super) fn watches(name: &str) -> &'static str {
    match name {
        "displacement" => "commanded displacement",
        "velocity" => "commanded velocity",
        "acceleration" => "commanded acceleration",
        "jerk" => "commanded jerk",
        "force" => "measured force",
        "force-rate" => "rate of the force",
        "measured-displacement" => "measured displacement",
        "measured-velocity" => "measured velocity",
        "measured-acceleration" => "measured acceleration",
        "tracking" => "tracking error",
        "energy" => "energy of the error",
        "indicator" => "its energy in a second",
        "frozen" => "travel, sensor frozen",
        "load-error" => "load error",
        "disagreement" => "transducers contradict",
        "missing" => "measurements missing",
        "deadline" => "late targets",
        "recorder" => "samples not recorded",
        "not-finite" => "measurement is NaN",
        _ => "connection lost",
    }
}

pub(super) fn follows(action: Action) -> &'static str {
    match action {
        Action::Warn => "warn: it is logged",
        Action::Hold => "hold: until it is over",
        Action::RampDown => "ramp-down: return, end",
        Action::Abort => "abort: brake, switch off",
    }
}

/// What must not happen, and what follows.
pub(super) fn text(specimen: &Specimen, model: &Model) -> String {
    let several = specimen.actuators.len() > 1;
    let row = |b: &Bound| {
        let mut at = b.at.clone().unwrap_or_else(|| "always".to_owned());
        if b.samples > 1 {
            at += &format!(", {} times", b.samples);
        }
        let mut row = vec![watches(b.name).to_owned(), at, follows(b.action).to_owned()];
        if several {
            let whose = if b.actuators.len() == specimen.actuators.len() || b.actuators.is_empty() {
                "all".to_owned()
            } else {
                b.actuators.join(", ")
            };
            row.push(whose);
        }
        row
    };
    let rows: Vec<Vec<String>> = bounds(specimen, model).iter().map(row).collect();
    let header: &[&str] = if several { &["limit", "at", "<then", "<actuator"] } else { &["limit", "at", "<then"] };
    format!("\n  limits of {}\n{}", specimen.name, aligned(header, &rows))
}
