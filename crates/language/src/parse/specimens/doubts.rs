//! What a careful operator would ask about a specimen before its test: limits that never come to bear, and a start beyond
//! them.

use interfield_lab::kinematics::{Kinematics, Lever};
use interfield_lab::safety::{Limits, Watch};

use super::LIMITS;
use crate::diag::Diagnostic;
use crate::parse::Context;
use crate::reader::Table;
use crate::specimen::{Actuator, Instrument, Specimen};
use crate::units::Dimension;

/// A limit of the test, its key, what the actuator can do, and in what words.
type Pair = (&'static str, fn(&Specimen) -> Option<Watch>, fn(&Actuator) -> f64, &'static str);

const PAIRS: [Pair; 3] = [
    ("displacement", |s| s.limits.displacement, |a| a.limits.stroke, "stroke"),
    ("velocity", |s| s.limits.velocity, |a| a.limits.velocity, "velocity"),
    ("force", |s| s.limits.force, |a| a.limits.force, "force"),
];

/// Doubts a specimen.
pub(super) fn doubt(context: &Context<'_>, table: &Table<'_>, specimen: &Specimen) {
    let kind = |turns: bool| if turns { Dimension::ANGLE } else { Dimension::LENGTH };
    let length = kind(specimen.counts_angles());
    let dims = [length, length.times(Dimension::RATE), Dimension::MOMENT.per(length)];
    let limits = table.open(&LIMITS);
    let place = |key: &str| limits.as_ref().and_then(|l| l.glimpse(key)).unwrap_or_else(|| table.span());
    let written = |x: f64, dim: Dimension| {
        let units = &context.scope.units;
        // Conversions of decimal units leave a few last digits behind.
        format!("{} {}", (x / units.factor(dim) * 1e9).round() / 1e9, units.label(dim))
    };
    let warn = |key: &str, message: String, help: &str| {
        context.diags.push(Diagnostic::warning(message, place(key)).following().help(help));
    };
    for ((key, limit, reach, word), dim) in PAIRS.into_iter().zip(dims) {
        let bound = specimen.actuators.iter().filter(|a| a.turns == specimen.counts_angles());
        let largest = bound.map(reach).fold(0.0, f64::max);
        let Some(limit) = limit(specimen).map(|w| w.limit).filter(|limit| *limit > largest) else { continue };
        let message = format!(
            "the limit of {} lies beyond the {word} of the actuator, {}: it has no effect",
            written(limit, dim),
            written(largest, dim)
        );
        warn(key, message, "use a limit below it");
    }
    for actuator in specimen.actuators.iter().filter(|a| a.turns != specimen.counts_angles()) {
        let (of_rig, own) = (specimen.limits, actuator.own_limits);
        let stated = |limits: Limits| {
            [
                ("displacement", limits.displacement.is_some()),
                ("velocity", limits.velocity.is_some()),
                ("acceleration", limits.acceleration.is_some()),
                ("jerk", limits.jerk.is_some()),
                ("force", limits.force.is_some()),
                ("force_rate", limits.force_rate.is_some()),
                ("measured_displacement", limits.measured_displacement.is_some()),
                ("measured_velocity", limits.measured_velocity.is_some()),
                ("measured_acceleration", limits.measured_acceleration.is_some()),
                ("tracking", limits.tracking.is_some()),
                ("frozen", limits.frozen.is_some()),
            ]
        };
        let both = stated(of_rig).into_iter().zip(stated(own));
        for (key, _) in both.filter(|((_, rig), (_, own))| *rig && !own).map(|(rig, _)| rig) {
            let message = format!(
                "the limit `{key}` of the specimen does not hold for actuator `{}`, which turns",
                actuator.name
            );
            warn(key, message, "write it in `limits` of that actuator, as an angle or a moment");
        }
    }
    let levers = specimen.transducers.iter().map(|t| t.lever.clone()).collect();
    let redundant = specimen.transducers.len() > Kinematics::new(levers, specimen.columns()).rank();
    let unwatched = |t: &Instrument| specimen.limits_of_transducer(t).disagreement.is_none();
    if redundant && specimen.transducers.iter().all(unwatched) {
        let message = format!(
            "the transducers of specimen `{}` are redundant, and nothing watches whether they agree",
            specimen.name
        );
        warn("disagreement", message, "write for example disagreement = \"0.5 mm\" in [specimen.limits]");
    }
    for (i, actuator) in specimen.actuators.iter().enumerate() {
        let length = kind(actuator.turns);
        let Lever::Linear(row) = &actuator.lever else { continue };
        let start: f64 =
            row.iter().zip(&specimen.dofs).map(|(f, &d)| f * context.dofs[d].u0).sum::<f64>() / specimen.scale;
        let limit = specimen.limits_of(i).displacement.map_or(f64::INFINITY, |w| w.limit);
        let (most, what) = if actuator.limits.stroke < limit {
            (actuator.limits.stroke, "stroke of its actuator")
        } else {
            (limit, "limit of the test")
        };
        if start.abs() > most {
            let message = format!(
                "specimen `{}` begins at {}, beyond the {what} of {}: the test cannot start",
                specimen.name,
                written(start, length),
                written(most, length)
            );
            warn("displacement", message, "reduce the `initial` displacement, or use a larger limit and stroke");
        }
    }
}
