//! `[specimen.limits]` and `[[specimen.fault]]`.

use interfield_lab::emulate::{Injection, Misfortune};
use interfield_lab::safety::{Action, Limits, Watch};

use super::magnitude;
use crate::parse::Context;
use crate::reader::Table;
use crate::units::Dimension;

/// Names of the actions.
fn actions() -> [&'static str; 4] {
    Action::ALL.map(|a| a.1)
}

/// No limits of its own.
pub(super) fn nothing() -> Limits {
    Limits::none()
}

/// `limits` of one actuator.
pub(super) fn own(context: &Context<'_>, table: &Table<'_>, length: Dimension) -> Limits {
    let mut limits = nothing();
    if let Some(inner) = table.table("limits") {
        of_an_actuator(context, &inner, length, &mut limits);
        inner.finish();
    }
    limits
}

/// What must not happen to an actuator. A limit is a quantity, or a table with what follows.
fn of_an_actuator(context: &Context<'_>, inner: &Table<'_>, length: Dimension, limits: &mut Limits) {
    let force = Dimension::MOMENT.per(length);
    let per_second = |dim: Dimension| dim.times(Dimension::RATE);
    let (rate, acceleration) = (per_second(length), per_second(per_second(length)));
    let watch = |key: &str, dim: Dimension, default: Action| watch(context, inner, key, dim, default);
    limits.displacement = watch("displacement", length, Action::RampDown);
    limits.velocity = watch("velocity", rate, Action::RampDown);
    limits.acceleration = watch("acceleration", acceleration, Action::Hold);
    limits.jerk = watch("jerk", per_second(acceleration), Action::Hold).map(|w| w.limit);
    limits.force = watch("force", force, Action::RampDown);
    limits.force_rate = watch("force_rate", per_second(force), Action::RampDown);
    limits.measured_displacement = watch("measured_displacement", length, Action::RampDown);
    limits.measured_velocity = watch("measured_velocity", rate, Action::RampDown);
    limits.measured_acceleration = watch("measured_acceleration", acceleration, Action::RampDown);
    limits.tracking = watch("tracking", length, Action::RampDown);
    limits.energy = watch("energy", Dimension::NONE, Action::RampDown);
    limits.indicator = watch("indicator", Dimension::NONE, Action::RampDown);
    limits.frozen = watch("frozen", length, Action::Hold);
}

/// What must not happen.
pub(super) fn limits(context: &Context<'_>, table: &Table<'_>, dofs: &[usize]) -> Limits {
    let mut limits = Limits::default();
    let Some(inner) = table.table("limits") else { return limits };
    let length = dofs.first().map_or(Dimension::LENGTH, |&d| context.disp(d));
    of_an_actuator(context, &inner, length, &mut limits);
    let watch = |key: &str, dim: Dimension, default: Action| watch(context, &inner, key, dim, default);
    limits.missing = missing(context, &inner).or(limits.missing);
    limits.deadline = watch("deadline", Dimension::NONE, Action::Warn);
    limits.recorder = watch("recorder", Dimension::NONE, Action::Warn).or(limits.recorder);
    let action = |key: &str, default: Action| inner.choice(key, &actions()).map_or(default, |c| Action::ALL[c.value].0);
    limits.not_finite = action("not_finite", limits.not_finite);
    limits.gone = action("gone", limits.gone);
    inner.finish();
    limits
}

/// Samples in a row without readings.
fn missing(context: &Context<'_>, table: &Table<'_>) -> Option<Watch> {
    let watch = watch(context, table, "missing", Dimension::NONE, Action::Hold)?;
    if watch.limit < 1.0 || watch.limit != watch.limit.trunc() {
        let message = format!("`missing` is a whole number of samples from 1, found {}", watch.limit);
        context.error(table.place("missing"), message, "write for example missing = 10");
    }
    Some(Watch { samples: watch.limit.max(1.0) as u32, ..watch })
}

fn watch(context: &Context<'_>, table: &Table<'_>, key: &str, dim: Dimension, default: Action) -> Option<Watch> {
    let scope = &context.scope;
    let good = |q: &crate::reader::Spanned<f64>| {
        if q.value < 0.0 {
            context.error(q.span.clone(), format!("the limit `{key}` cannot be negative"), "write its absolute value");
        }
        q.value >= 0.0
    };
    if !table.is_table(key) {
        let limit = table.quantity(key, dim, scope).filter(good)?;
        return Some(Watch::new(limit.value, default));
    }
    let inner = table.table(key)?;
    let limit = inner.quantity_required("at", dim, scope).filter(good);
    let samples = inner.integer("samples").map_or(1, |n| {
        if n.value < 1 {
            let message = format!("`samples` is a whole number from 1, found {}", n.value);
            context.error(n.span, message, "write for example samples = 3");
        }
        n.value.clamp(1, i64::from(u32::MAX)) as u32
    });
    let action = inner.choice("action", &actions()).map_or(default, |c| Action::ALL[c.value].0);
    inner.finish();
    Some(Watch { limit: limit?.value, samples, action })
}

/// The actuator that a fault strikes, counted from 0; all of them if none is named.
fn actuator(context: &Context<'_>, t: &Table<'_>, count: usize) -> Option<usize> {
    let given = t.integer("actuator")?;
    let found = usize::try_from(given.value).ok().filter(|n| (1..=count).contains(n));
    if found.is_none() {
        let message = format!("there is no actuator {}", given.value);
        context.error(given.span, message, format!("actuators are counted from 1 to {count}"));
    }
    found.map(|n| n - 1)
}

/// What goes wrong on purpose; times are those of the laboratory.
pub(super) fn faults(
    context: &Context<'_>,
    table: &Table<'_>,
    dofs: &[usize],
    period: f64,
) -> (Vec<Injection>, Vec<[u64; 2]>) {
    const TYPES: [&str; 9] =
        ["frozen-displacement", "frozen-force", "silence", "spike", "nan", "delay", "gone", "emergency-stop", "stall"];
    let length = dofs.first().map_or(Dimension::LENGTH, |&d| context.disp(d));
    let (mut faults, mut stalls) = (Vec::new(), Vec::new());
    for t in table.tables("fault") {
        let kind = t.choice_required("type", &TYPES);
        let required = |key: &str| {
            if !t.has(key) {
                t.quantity_required(key, Dimension::TIME, &context.scope);
            }
            magnitude(context, &t, key, Dimension::TIME).map(|x| (x / period).round())
        };
        let from = required("at").map(|s| s as u64);
        let lasts = magnitude(context, &t, "for", Dimension::TIME);
        let samples = lasts.map_or(u64::MAX, |x| (x / period).round().max(1.0) as u64);
        let actuator = actuator(context, &t, dofs.len());
        let what = match kind.as_ref().map(|k| TYPES[k.value]) {
            Some("frozen-displacement") => Some(Misfortune::FrozenDisplacement),
            Some("frozen-force") => Some(Misfortune::FrozenForce),
            Some("silence") => Some(Misfortune::Silence),
            Some("spike") => t
                .quantity_required("size", Dimension::MOMENT.per(length), &context.scope)
                .map(|q| Misfortune::Spike(q.value)),
            Some("nan") => Some(Misfortune::NotANumber),
            Some("delay") => required("size").map(|s| Misfortune::Delay(s as usize)),
            Some("gone") => Some(Misfortune::Gone),
            Some("emergency-stop") => Some(Misfortune::EmergencyStop),
            Some("stall") => {
                // A machine that never comes back is not rehearsed: then there is no test.
                stalls.extend(from.map(|from| [from, samples.min(1 << 32)]));
                None
            }
            _ => None,
        };
        faults.extend(what.zip(from).map(|(what, from)| Injection { what, actuator, from, samples }));
        t.finish();
    }
    stalls.sort_unstable();
    (faults, stalls)
}
