//! `[[specimen]]`: elements that stand in the laboratory, and how they are driven.

mod actuators;
mod safety;
mod wiring;

use interfield_kernel::Scheme;
use interfield_lab::compensate::{Compensation, find};
use interfield_lab::controller::{Home, MissPolicy};
use interfield_lab::fieldbus::AtEnd;

use super::compensators::{compensator, measures};
use super::motions::seed;
use super::substructures::{Owners, take_elements};
use super::{Context, analysis};
use crate::diag::Diagnostic;
use crate::external::TYPE;
use crate::model::{Analysis, Support};
use crate::partition::{Partition, visit};
use crate::reader::{Spanned, Table};
use crate::specimen::{ADDRESSES, Address, SEALING, Specimen};
use crate::units::Dimension;

/// Largest rate of a controller, Hz.
const FASTEST: f64 = 1e6;

/// Reads all `[[specimen]]`, after everything they refer to.
pub(super) fn read(
    context: &mut Context<'_>,
    root: &Table<'_>,
    analysis: Option<&Analysis>,
    partition: Option<&Partition>,
) -> Vec<Specimen> {
    let mut owners = Owners::new();
    let mut specimens: Vec<Specimen> = Vec::new();
    for (index, table) in root.tables("specimen").into_iter().enumerate() {
        context.places.specimens.push(table.span());
        let found = read_one(context, &table, index, &mut owners, (analysis, partition));
        if let Some(specimen) = &found {
            check_place(context, specimen, &table, partition);
            wiring::check(context, specimen, &specimens, ["at", "interlock"].map(|key| table.place(key)));
        }
        specimens.extend(found);
        table.finish();
    }
    specimens
}

fn read_one(
    context: &mut Context<'_>,
    table: &Table<'_>,
    index: usize,
    owners: &mut Owners,
    (analysis, partition): (Option<&Analysis>, Option<&Partition>),
) -> Option<Specimen> {
    let name = table.string_required("name", "\"isolators\"");
    if let Some(name) = &name {
        context.check_name(&name.value, name.span.clone());
    }
    let at = table.string("at").and_then(|text| Some((address(context, &text)?, text.span)));
    let (key, insecure) = secrecy(context, table, at.as_ref());
    for item in table.list_of_strings("elements").map_or_else(Vec::new, |l| l.value) {
        take_elements(context, &item, (index, "specimens"), owners);
    }
    let elements: Vec<usize> = owners.iter().filter(|(_, o)| o.0 == index).map(|(&e, _)| e).collect();
    let masses = masses(context, table);
    let dofs = commanded(context, table, &elements, &masses);
    let masses: Vec<f64> = dofs.iter().map(|d| masses.iter().filter(|m| m.0 == *d).map(|m| m.1).sum()).collect();
    let positive = |key: &str, dim: Dimension, default: f64| {
        let Some(q) = table.quantity(key, dim, &context.scope) else { return default };
        if q.value > 0.0 {
            return q.value;
        }
        context.error(q.span, format!("`{key}` must be greater than zero"), "write a positive number");
        default
    };
    let time_scale = positive("time_scale", Dimension::NONE, 1.0);
    let scale = positive("scale", Dimension::NONE, 1.0);
    let (ramp, patience) = (positive("ramp", Dimension::TIME, 2.0), positive("patience", Dimension::TIME, 10.0));
    let interval = analysis.map_or(1e-3, |a| interval(a, partition, &elements)) * time_scale;
    let period = period(context, table, interval);
    let record_every = record_every(context, table, period);
    let late = match table.choice("late", &["hold", "extrapolate", "abort"]).map(|c| c.value) {
        Some(1) => MissPolicy::Extrapolate,
        Some(2) => MissPolicy::Abort,
        _ => MissPolicy::Hold,
    };
    let bridge = positive("bridge", Dimension::TIME, 0.02);
    let brake = positive("brake", Dimension::TIME, 0.05);
    let home = table.choice("home", &Home::ALL.map(|h| h.1)).map_or(Home::Displacement, |c| Home::ALL[c.value].0);
    let at_end = match table.choice("at_end", &["hold", "zero"]).map(|c| c.value) {
        Some(1) => AtEnd::Zero,
        _ => AtEnd::Hold,
    };
    let interlock = wiring::interlock(context, table, at.as_ref().map(|a| &a.0));
    let correct_force = table.bool("correct_force").is_some_and(|b| b.value);
    let compensation = compensation(context, table);
    for doubt in compensation.iter().flat_map(|method| method.design(period).warnings()) {
        let help = "rehearse the test, or take another compensation: `interfield compensators` lists them";
        context.diags.push(Diagnostic::warning(doubt, table.place("compensation")).help(help));
    }
    let actuators = actuators::read(context, table, &dofs);
    let limits = safety::limits(context, table, &dofs);
    let (faults, stalls) = safety::faults(context, table, &dofs, period);
    if dofs.is_empty() {
        return None;
    }
    Some(Specimen {
        name: name?.value,
        at: at.map(|a| a.0),
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
        compensation: compensation?,
        actuators: actuators?,
        limits,
        faults,
        stalls,
        at_end,
        interlock,
    })
}

/// `at`: where its controller is.
fn address(context: &Context<'_>, text: &Spanned<String>) -> Option<Address> {
    let found = match Address::parse(&text.value) {
        Ok(Address::Udp { port: 0, .. }) => Err("port 0 is nobody's: a controller has a number of its own".to_owned()),
        other => other,
    };
    found.map_err(|message| context.error(text.span.clone(), message, ADDRESSES)).ok()
}

/// `key` and `insecure`: how its messages are kept from others.
fn secrecy(
    context: &Context<'_>,
    table: &Table<'_>,
    at: Option<&(Address, std::ops::Range<usize>)>,
) -> (Option<String>, bool) {
    let (key, insecure) = (table.string("key"), table.bool("insecure").is_some_and(|b| b.value));
    match (&key, at) {
        (Some(key), _) if insecure => {
            let message = "with a `key` messages are sealed, and `insecure` says that they are not";
            context.error(key.span.clone(), message, "keep one of the two");
        }
        (Some(key), Some((Address::Shared(_), _))) => {
            let message = "shared memory never leaves the machine and is not sealed";
            context.error(key.span.clone(), message, "take `key` away; only the user who made the memory may open it");
        }
        (None, Some((address, span))) if address.leaves_the_machine() && !insecure => {
            let message = format!(
                "`{address}` leaves this machine without a seal: whoever is in the network could read the messages, \
                 and move the specimen"
            );
            context.error(span.clone(), message, SEALING);
        }
        _ => {}
    }
    (key.map(|k| k.value), insecure)
}

/// `mass`: what stands in the laboratory, by degree of freedom.
fn masses(context: &Context<'_>, table: &Table<'_>) -> Vec<(usize, f64)> {
    let Some(inner) = table.table("mass") else { return Vec::new() };
    let mut list = Vec::new();
    for key in inner.keys() {
        let Some(dof) = context.dof(&key) else { continue };
        let dim = context.force(dof).per(context.disp(dof)).times(Dimension::TIME.power(2.0));
        let Some(mass) = inner.quantity(&key.value, dim, &context.scope) else { continue };
        if mass.value < 0.0 {
            context.error(mass.span, "a mass cannot be negative", "write how much stands in the laboratory");
            continue;
        }
        list.push((dof, mass.value));
    }
    inner.finish();
    list
}

/// The free degrees of freedom that the elements and masses of a specimen have.
fn commanded(context: &Context<'_>, table: &Table<'_>, elements: &[usize], masses: &[(usize, f64)]) -> Vec<usize> {
    let mut dofs: Vec<usize> = masses.iter().map(|m| m.0).collect();
    for &e in elements {
        let element = &context.elements[e];
        visit(element, |d, _| dofs.push(d));
        if element.type_name == TYPE {
            let message = format!("`{}` is computed by another program and cannot be a specimen", element.name);
            context.error(table.span(), message, "list other `elements`");
        }
        let massive = element.kind.has_mass();
        if massive {
            let message = format!("element `{}` has a mass of its own and cannot be a specimen", element.name);
            context.error(
                table.span(),
                message,
                "take its mass out: give it to the node, or to `mass` of the specimen",
            );
        }
    }
    dofs.sort_unstable();
    dofs.dedup();
    for &d in dofs.iter().filter(|&&d| matches!(context.dofs[d].support, Support::Imposed(_)) && !context.drives(d)) {
        let message =
            format!("`{}` has an imposed motion, which no actuator of the specimen can give", context.dofs[d].name);
        context.error(table.span(), message, "let another element stand between the specimen and the moving support");
    }
    dofs.retain(|&d| !matches!(context.dofs[d].support, Support::Fixed));
    if dofs.is_empty() && !context.names_unknown {
        let help = "name its `elements`, or the `mass` that stands in the laboratory";
        context.error(table.span(), "this specimen has nothing that could be moved", help);
    }
    dofs
}

/// Time of the model between two evaluations of a specimen with these elements.
fn interval(analysis: &Analysis, partition: Option<&Partition>, elements: &[usize]) -> f64 {
    let substructure = partition.and_then(|p| p.substructures.get(p.owners[*elements.first()?]));
    let (scheme, substeps) = substructure.map_or((analysis.scheme, 1), |s| (s.scheme, s.substeps));
    analysis.dt / f64::from(substeps) / f64::from(scheme.evaluations().unwrap_or(1).max(1))
}

/// A quantity that has no sign; `None` if it is not given, or after it was refused.
fn magnitude(context: &Context<'_>, table: &Table<'_>, key: &str, dim: Dimension) -> Option<f64> {
    let given = table.quantity(key, dim, &context.scope)?;
    if given.value >= 0.0 {
        return Some(given.value);
    }
    context.error(given.span, format!("`{key}` cannot be negative"), "write its absolute value, or remove it");
    None
}

/// Sampling interval of the controller: a whole number of samples from one evaluation to the next, by default one.
fn period(context: &Context<'_>, table: &Table<'_>, interval: f64) -> f64 {
    let Some(rate) = table.quantity("rate", Dimension::FREQUENCY, &context.scope) else { return interval };
    if !(rate.value > 0.0 && rate.value <= FASTEST) {
        context.error(rate.span, "the rate of a controller lies between 0 and 1 MHz", "write rate = \"1 kHz\"");
        return interval;
    }
    let samples = interval * rate.value;
    let whole = samples.round().max(1.0);
    if (samples - whole).abs() > 1e-6 * whole {
        let message = format!("the specimen gets a new target every {samples:.6} samples of its controller");
        let help = format!(
            "it must be a whole number: write rate = \"{} Hz\", or change the step, the substeps or `time_scale`",
            whole / interval
        );
        context.error(rate.span, message, help);
    }
    interval / whole
}

/// `record_rate`: one of how many samples is recorded, a whole number; by default each.
fn record_every(context: &Context<'_>, table: &Table<'_>, period: f64) -> u64 {
    let Some(rate) = table.quantity("record_rate", Dimension::FREQUENCY, &context.scope) else { return 1 };
    let every = 1.0 / (period * rate.value);
    if !(rate.value > 0.0 && every.is_finite() && every < 1e15) {
        context.error(rate.span, "the rate of a recording is greater than zero", "write record_rate = \"100 Hz\"");
        return 1;
    }
    let whole = every.round().max(1.0);
    if (every - whole).abs() > 1e-6 * whole {
        let sampled = 1.0 / period;
        let message =
            format!("the controller samples at {sampled:.6} Hz: every {every:.6} samples one would be recorded");
        let help =
            format!("it must be a whole number: write record_rate = \"{} Hz\", or another `rate`", sampled / whole);
        context.error(rate.span, message, help);
    }
    whole as u64
}

/// `compensation = "ats"` or `{ method = "ats", ... }`.
fn compensation(context: &Context<'_>, table: &Table<'_>) -> Option<Compensation> {
    const KEY: &str = "compensation";
    if !table.has(KEY) {
        return Some(Compensation::Uncompensated);
    }
    if !table.is_table(KEY) {
        let name = table.string_required(KEY, "\"ats\"")?;
        return method(context, name, &[]);
    }
    let inner = table.table(KEY)?;
    let name = inner.string_required("method", "\"ats\"");
    let info = name.as_ref().and_then(|n| find(&n.value));
    let mut given = Vec::new();
    for key in inner.keys().into_iter().filter(|k| k.value != "method") {
        let parameter = info.and_then(|i| i.parameters.iter().find(|p| p.name == key.value));
        let value = match parameter.and_then(|p| measures(p.expected)) {
            Some(dim) => inner.quantity(&key.value, dim, &context.scope).map(|q| analysis::Given::Number(q.value)),
            None => analysis::argument(&inner, &key.value),
        };
        given.extend(value.map(|v| (key.value.clone(), v, key.span.clone())));
    }
    inner.finish();
    method(context, name?, &given)
}

fn method(context: &Context<'_>, name: Spanned<String>, given: &[analysis::Placed]) -> Option<Compensation> {
    let pairs: Vec<(&str, analysis::Given)> = given.iter().map(|(n, g, _)| (n.as_str(), g.clone())).collect();
    match compensator(&name.value, &pairs) {
        Ok(method) => Some(method),
        Err(errors) => {
            for (parameter, message, help) in errors {
                let place = parameter.and_then(|p| given.iter().find(|g| g.0 == p)).map(|g| g.2.clone());
                context.error(place.unwrap_or_else(|| name.span.clone()), message, help);
            }
            None
        }
    }
}

/// A specimen stands in one substructure.
fn check_place(context: &Context<'_>, specimen: &Specimen, table: &Table<'_>, partition: Option<&Partition>) {
    let Some(partition) = partition else { return };
    let owner = |e: &usize| partition.owners.get(*e).copied();
    let mut owners = specimen.elements.iter().filter_map(owner);
    let first = owners.next();
    if owners.any(|o| Some(o) != first) {
        let message = format!("the elements of specimen `{}` belong to several substructures", specimen.name);
        context.error(table.span(), message, "put them into one, or make one specimen of each");
    }
}
