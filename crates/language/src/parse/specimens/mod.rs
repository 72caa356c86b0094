//! `[[specimen]]`: elements that stand in the laboratory, and how they are driven.

mod actuators;
mod doubts;
mod dynamics;
mod faults;
mod limits;
mod wiring;

use interfield_kernel::Scheme;
use interfield_lab::compensate::{COMPENSATIONS, Compensation, find};
use interfield_lab::controller::{Home, MissPolicy};
use interfield_lab::fieldbus::AtEnd;

use super::arguments::{self, Given, Placed, argument, dimension, pairs, variant};
use super::compensators::compensator;
use super::substructures::{Owners, take_elements};
use super::{Context, SPECIMEN as SPECIMENS};
use crate::diag::Diagnostic;
use crate::external::TYPE;
use crate::key::*;
use crate::model::{Analysis, Support};
use crate::partition::{Partition, visit};
use crate::reader::{Spanned, Table};
use crate::schema::Variant;
use crate::specimen::{ADDRESSES, Address, SEALING, Specimen};
use crate::units::Dimension;

section! {
    /// What stands in the laboratory.
    pub(super) SPECIMEN = ("specimen", "[[specimen]]",
        "Elements tested in the laboratory: their force is measured, not computed. Without hardware they are \
            emulated.");
    NAME: Text = key("name", "Its name.").required().example("isolators");
    AT: Text = key("at", "Address of its controller: udp://HOST:PORT, shm:/NAME or ethercat:INTERFACE; if absent, the \
        specimen is emulated.")
        .example("udp://127.0.0.1:7700");
    KEY: Text = key("key", "Key file that encrypts and authenticates its messages, see `interfield key`; relative to \
        the model file.")
        .example("lab.key");
    INSECURE: Flag = key("insecure", "Allows messages to other machines without \
        encryption.").default("false").example("true");
    ELEMENTS: List<Text> = key("elements", "Elements whose force is measured; a trailing * matches any ending.")
        .example("[\"iso-*\"]");
    MASS: Inner = table("mass", &MASSES, "Mass that is present in the laboratory and not in the model.")
        .example("{ \"table.x\" = \"1.8 kg\" }");
    RATE: Frequency = key("rate", "Sampling rate of its controller, up to 1 MHz; one sample per step if \
        absent.").range(POSITIVE)
        .example("1 kHz");
    RECORD_RATE: Frequency = key("record_rate", "Rate of its recording; `rate` must be a whole multiple of it. If \
        absent, every sample is recorded. Limits and peaks always use every sample.").range(POSITIVE).example("100 Hz");
    TIME_SCALE: Pure = key("time_scale", "Time scale: seconds in the laboratory per second of the \
        model.").range(POSITIVE).default("1")
        .example("200");
    SCALE: Pure = key("scale", "Length scale: structure over specimen; forces scale with its \
        square.").range(POSITIVE).default("1")
        .example("2.5");
    RAMP: Time = key("ramp", "Shortest time of the motion to the initial displacement and back; longer if the \
        actuator limits require it.").range(POSITIVE).default("2 s").example("2 s");
    PATIENCE: Time = key("patience", "Longest hold before the return to the start position; a pause may last \
        longer.").range(POSITIVE).default("10 s")
        .example("10 s");
    BRIDGE: Time = key("bridge", "Time for which a late target is bridged by a decaying motion before the test holds.")
        .range(POSITIVE).default("20 ms").example("20 ms");
    BRAKE: Time = key("brake", "Time in which a motion is braked for a hold or for the return to the start \
        position.").range(POSITIVE)
        .default("50 ms").example("50 ms");
    HOME: Choice<(Home, &'static str)> = choice("home", &Home::ALL, "Final position of the specimen: the start \
        position, the position of zero force, or the current position.").default("displacement").example("force");
    LATE: Choice<(MissPolicy, &'static str)> = choice("late", &LATE_WORDS, "Action of the controller while a target \
        is late.")
        .default("hold").example("extrapolate");
    CORRECT_FORCE: Flag = key("correct_force", "Corrects the measured force for the tracking error, with the initial \
        stiffness.").default("false").example("true");
    COMPENSATION: Or<Named, Inner> = of(Or(Named(methods), Inner(&METHOD_TABLE)), "compensation", "Compensation of \
        actuator delay and dynamics.")
        .default("none").example("ats");
    ACTUATOR: Tables = tables("actuator", &actuators::ACTUATOR, "Its actuators; if absent, an ideal one along each \
        moved degree of freedom.").example("[{ type = \"second-order\", frequency = \"25 Hz\", damping = 0.7 }]");
    AT_END: Choice<(AtEnd, &'static str)> = choice("at_end", &[(AtEnd::Hold, "hold"), (AtEnd::Zero, "zero")],
        "Outputs of EtherCAT terminals after the test.").default("hold").example("zero");
    INTERLOCK: Inner = table("interlock", &wiring::INTERLOCK, "Digital inputs and outputs of an EtherCAT bus for the \
        safety interlock of the laboratory; they do not replace the interlock.")
        .example("{ emergency_stop = { device = 2, byte = 0, bit = 3 }, enable = { device = 3, byte = 0, bit = 1 } }");
    LIMITS: Inner = table("limits", &limits::LIMITS, "Limits.").example("{ displacement = \"90 mm\" }");
    FAULT: Tables = tables("fault", &faults::FAULT, "Simulated faults, in the emulated laboratory.")
        .example("[{ type = \"silence\", at = \"3 s\", for = \"50 ms\" }]");
}

/// Largest rate of a controller, Hz.
const FASTEST: f64 = 1e6;

const LATE_WORDS: [(MissPolicy, &str); 3] =
    [(MissPolicy::Hold, "hold"), (MissPolicy::Extrapolate, "extrapolate"), (MissPolicy::Abort, "abort")];

section! {
    MASSES = ("specimen-mass", "mass = { \"table.x\" = \"1.8 kg\" }", "Mass in the laboratory, by degree of freedom.").others(|| Mass.value());
}

section! {
    METHOD_TABLE = ("compensation", "compensation = { method = ... }", "").variants(variants);
}

/// The key that chooses a compensator.
const METHOD: Key<Text> = key("method", "The compensator.").required().example("ats");

fn methods() -> Vec<&'static str> {
    COMPENSATIONS.iter().map(|m| m.name).collect()
}

fn variants() -> Vec<Variant> {
    COMPENSATIONS.iter().map(|i| variant(METHOD.name, i.name, [i.title, i.reference, i.advice], i.parameters)).collect()
}

/// Reads all `[[specimen]]`, after everything they refer to.
pub(super) fn read(
    context: &mut Context<'_>,
    root: &Table<'_>,
    analysis: Option<&Analysis>,
    partition: Option<&Partition>,
) -> Vec<Specimen> {
    let mut owners = Owners::new();
    let mut specimens: Vec<Specimen> = Vec::new();
    for (index, table) in root.all(&SPECIMENS).into_iter().enumerate() {
        context.places.specimens.push(table.span());
        let found = read_one(context, &table, index, &mut owners, (analysis, partition));
        if let Some(specimen) = &found {
            check_place(context, specimen, &table, partition);
            doubts::doubt(context, &table, specimen);
            wiring::check(context, specimen, &specimens, [table.place(&AT), table.place(&INTERLOCK)]);
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
    let before = context.diags.error_count();
    let name = table.read(&NAME);
    if let Some(name) = &name {
        context.check_name(&name.value, name.span.clone());
    }
    let at = table.read(&AT).and_then(|text| Some((address(context, &text)?, text.span)));
    let (key, insecure) = secrecy(context, table, at.as_ref());
    for item in table.read(&ELEMENTS).map_or_else(Vec::new, |l| l.value) {
        take_elements(context, &item, (index, "specimens"), owners);
    }
    let elements: Vec<usize> = owners.iter().filter(|(_, o)| o.0 == index).map(|(&e, _)| e).collect();
    let masses = masses(context, table);
    let dofs = commanded(context, table, &elements, &masses, context.diags.error_count() == before);
    let masses: Vec<f64> = dofs.iter().map(|d| masses.iter().filter(|m| m.0 == *d).map(|m| m.1).sum()).collect();
    let time_scale = table.value(&TIME_SCALE);
    let stepping = analysis.map(|a| Stepping::of(a, partition, &elements));
    let period = period(context, table, stepping.as_ref(), time_scale);
    let record_every = record_every(context, table, period);
    let interlock = wiring::interlock(context, table, &INTERLOCK, at.as_ref().map(|a| &a.0));
    let compensation = compensation(context, table);
    for doubt in compensation.iter().flat_map(|method| method.design(period).warnings()) {
        let help = "rehearse the test, or use another compensation: `interfield compensators` lists them";
        context.diags.push(Diagnostic::warning(doubt, table.place(&COMPENSATION)).help(help));
    }
    let actuators = actuators::read(context, table, &ACTUATOR, &dofs);
    let length = dofs.first().map_or(Dimension::LENGTH, |&d| context.disp(d));
    let limits = table.open(&LIMITS).map_or_else(Default::default, |t| limits::read(context, t.along(length)));
    let names: Vec<&str> = actuators.iter().flatten().map(|a| a.name.as_str()).collect();
    let (faults, stalls) = faults::read(context, table.all(&FAULT), length, (&names, period));
    // Every key is read before anything is given up, so that none that stands there is called unknown.
    let complete = name.is_some() && compensation.is_some() && actuators.is_some() && !dofs.is_empty();
    let specimen = Specimen {
        name: name.map(|n| n.value).unwrap_or_default(),
        at: at.map(|a| a.0),
        key,
        insecure,
        elements,
        dofs,
        masses,
        period,
        record_every,
        time_scale,
        scale: table.value(&SCALE),
        ramp: table.value(&RAMP),
        patience: table.value(&PATIENCE),
        late: table.value(&LATE).0,
        bridge: table.value(&BRIDGE),
        brake: table.value(&BRAKE),
        home: table.value(&HOME).0,
        correct_force: table.value(&CORRECT_FORCE),
        compensation: compensation.unwrap_or(Compensation::Uncompensated),
        actuators: actuators.unwrap_or_default(),
        limits,
        faults,
        stalls,
        at_end: table.value(&AT_END).0,
        interlock,
    };
    complete.then_some(specimen)
}

/// `at`: where its controller is.
fn address(context: &Context<'_>, text: &Spanned<String>) -> Option<Address> {
    let found = match Address::parse(&text.value) {
        Ok(Address::Udp { port: 0, .. }) => Err("port 0 cannot be used: write the port of the controller".to_owned()),
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
    let (key, insecure) = (table.read(&KEY), table.value(&INSECURE));
    match (&key, at) {
        (Some(key), _) if insecure => {
            let message = "`key` encrypts the messages and `insecure` disables encryption";
            context.error(key.span.clone(), message, "keep one of the two");
        }
        (Some(key), Some((Address::Shared(_), _))) => {
            let message = "shared memory never leaves the machine and needs no key";
            context.error(key.span.clone(), message, "remove `key`; only the user who created the memory can open it");
        }
        (None, Some((address, span))) if address.leaves_the_machine() && !insecure => {
            let message = format!(
                "`{address}` is on another machine and has no key: anyone in the network could read the messages and \
                    move the specimen"
            );
            context.error(span.clone(), message, SEALING);
        }
        _ => {}
    }
    (key.map(|k| k.value), insecure)
}

/// `mass`: what stands in the laboratory, by degree of freedom.
fn masses(context: &Context<'_>, table: &Table<'_>) -> Vec<(usize, f64)> {
    let Some(inner) = table.open(&MASS) else { return Vec::new() };
    let mut list = Vec::new();
    for key in inner.keys() {
        inner.ignore(key.value.as_str());
        let Some(dof) = context.dof(&key) else { continue };
        let dim = context.force(dof).per(context.disp(dof)).times(Dimension::TIME.power(2.0));
        // One that could not be read is there nevertheless.
        list.push((dof, inner.entry(&key.value, &Measured(dim), NOT_NEGATIVE).map_or(0.0, |mass| mass.value)));
    }
    inner.finish();
    list
}

/// The free degrees of freedom that the elements and masses of a specimen have.
/// `good`: everything that it names was found.
fn commanded(
    context: &Context<'_>,
    table: &Table<'_>,
    elements: &[usize],
    masses: &[(usize, f64)],
    good: bool,
) -> Vec<usize> {
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
            let message = format!("element `{}` has mass and cannot be a specimen", element.name);
            context.error(table.span(), message, "remove its mass: give it to the node, or to `mass` of the specimen");
        }
    }
    dofs.sort_unstable();
    dofs.dedup();
    for &d in dofs.iter().filter(|&&d| matches!(context.dofs[d].support, Support::Imposed(_)) && !context.drives(d)) {
        let message = format!(
            "`{}` has an imposed motion, which the actuators of the specimen cannot apply",
            context.dofs[d].name
        );
        context.error(table.span(), message, "place another element between the specimen and the moving support");
    }
    dofs.retain(|&d| !matches!(context.dofs[d].support, Support::Fixed));
    if dofs.is_empty() && !context.names_unknown && good {
        let help = "name its `elements`, or the `mass` in the laboratory";
        let d = Diagnostic::error("this specimen has no element and no mass to move", table.span()).help(help);
        // An element with a mistake of its own may be what it lacks.
        context.diags.push(d.following());
    }
    dofs
}

/// What sends a specimen its targets.
struct Stepping<'a> {
    scheme: &'a str,
    /// Its step, s of the model.
    step: f64,
    /// Targets in a step: a scheme sends one for each evaluation of the forces.
    targets: u32,
}

impl<'a> Stepping<'a> {
    /// Of the substructure with these elements, or of the whole.
    fn of(analysis: &'a Analysis, partition: Option<&'a Partition>, elements: &[usize]) -> Self {
        let substructure = partition.and_then(|p| p.substructures.get(p.owners[*elements.first()?]));
        let whole = (analysis.scheme_name.as_str(), analysis.scheme, 1);
        let (scheme, made, substeps) = substructure.map_or(whole, |s| (s.scheme_name.as_str(), s.scheme, s.substeps));
        let targets = made.evaluations().unwrap_or(1).max(1);
        Stepping { scheme, step: analysis.dt / f64::from(substeps), targets }
    }

    /// Time of the model from one target to the next, s.
    fn interval(&self) -> f64 {
        self.step / f64::from(self.targets)
    }

    fn words(&self) -> String {
        let often = match self.targets {
            1 => "one target".to_owned(),
            2 => "two targets".to_owned(),
            n => format!("{n} targets"),
        };
        format!("`{}` sends {often} per step of {}", self.scheme, crate::units::time(self.step))
    }
}

/// Sampling interval of the controller: a whole number of samples from one evaluation to the next, by default one.
fn period(context: &Context<'_>, table: &Table<'_>, stepping: Option<&Stepping<'_>>, time_scale: f64) -> f64 {
    let interval = stepping.map_or(1e-3, Stepping::interval) * time_scale;
    let Some(rate) = table.read(&RATE) else { return interval };
    if rate.value > FASTEST {
        context.error(rate.span, "the rate of a controller must be between 0 and 1 MHz", "write rate = \"1 kHz\"");
        return interval;
    }
    let samples = interval * rate.value;
    let whole = samples.round().max(1.0);
    if (samples - whole).abs() > 1e-6 * whole {
        let sends = stepping.map_or_else(String::new, |s| format!("{}: ", s.words()));
        let every = format!("{samples:.4}");
        let every = every.trim_end_matches('0').trim_end_matches('.');
        let message =
            format!("{sends}a new target every {every} samples of the controller, which is not a whole number");
        let help = format!(
            "write rate = \"{} Hz\", or change the step, the substeps, the scheme or `time_scale`",
            whole / interval
        );
        context.error(rate.span, message, help);
    }
    interval / whole
}

/// `record_rate`: one of how many samples is recorded, a whole number; by default each.
fn record_every(context: &Context<'_>, table: &Table<'_>, period: f64) -> u64 {
    let Some(rate) = table.read(&RECORD_RATE) else { return 1 };
    let every = 1.0 / (period * rate.value);
    if every >= 1e15 {
        context.error(rate.span, "at this rate nothing would be recorded", "write record_rate = \"100 Hz\"");
        return 1;
    }
    let whole = every.round().max(1.0);
    if (every - whole).abs() > 1e-6 * whole {
        let sampled = 1.0 / period;
        let message = format!("the controller samples at {sampled:.6} Hz: one in {every:.6} samples would be recorded");
        let help =
            format!("it must be a whole number: write record_rate = \"{} Hz\", or another `rate`", sampled / whole);
        context.error(rate.span, message, help);
    }
    whole as u64
}

/// `compensation = "ats"` or `{ method = "ats", ... }`.
fn compensation(context: &Context<'_>, table: &Table<'_>) -> Option<Compensation> {
    if !table.has(&COMPENSATION) {
        return Some(Compensation::Uncompensated);
    }
    let given = table.read(&COMPENSATION)?;
    let inner = match given.value {
        Either::First(name) => return method(context, &Spanned::new(name, given.span), &[]),
        Either::Second(inner) => inner,
    };
    let name = inner.read(&METHOD);
    let info = name.as_ref().and_then(|n| find(&n.value));
    let mut given = Vec::new();
    for key in inner.keys().into_iter().filter(|k| k.value != METHOD.name) {
        let parameter = info.and_then(|i| i.parameters.iter().find(|p| p.name == key.value));
        let value = match parameter.and_then(|p| p.measure) {
            Some(measure) => {
                let number = inner.entry(&key.value, &Measured(dimension(measure)), Allowed::Any);
                number.map(|q| Given::Number(q.value))
            }
            None => argument(&inner, &key.value),
        };
        given.extend(value.map(|v| (key.value.clone(), v, key.span.clone())));
    }
    inner.finish();
    method(context, &name?, &given)
}

fn method(context: &Context<'_>, name: &Spanned<String>, given: &[Placed]) -> Option<Compensation> {
    let made = compensator(&name.value, &pairs(given));
    made.map_err(|errors| arguments::report(context, name, given, errors)).ok()
}

/// A specimen stands in one substructure.
fn check_place(context: &Context<'_>, specimen: &Specimen, table: &Table<'_>, partition: Option<&Partition>) {
    let Some(partition) = partition else { return };
    let owner = |e: &usize| partition.owners.get(*e).copied();
    let mut owners = specimen.elements.iter().filter_map(owner);
    let first = owners.next();
    if owners.any(|o| Some(o) != first) {
        let message = format!("the elements of specimen `{}` belong to several substructures", specimen.name);
        context.error(table.span(), message, "put them into one substructure, or define one specimen for each");
    }
}
