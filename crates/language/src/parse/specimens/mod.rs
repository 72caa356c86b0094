//! `[[specimen]]`: elements that stand in the laboratory, and how they are driven.

mod actuators;
mod control;
mod doubts;
mod dynamics;
mod faults;
mod fixtures;
pub(super) mod inner;
mod limits;
mod plant;
mod sensors;
mod uncertain;
mod wiring;

use faults::Struck;
use interfield_kernel::Scheme;
use interfield_lab::compensate::{COMPENSATIONS, Compensation, CompensationInfo, find};
use interfield_lab::controller::{Home, MissPolicy};
use interfield_lab::fieldbus::AtEnd;
use sensors::Measures;

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
use crate::schema::{self, Variant};
use crate::specimen::{ADDRESSES, Actuator, Address, Instrument, SEALING, Specimen};
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
    INNER: List<Text> = key("inner", "Degrees of freedom that exist in the laboratory only: no target moves them. An \
        actuator with control = \"force\" holds them, or they are free and follow by their own mass and stiffness.")
        .example("[\"bob.x\"]");
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
    SHARING: Time = key("sharing", "Time in which redundant actuators take internal forces back: they share the load, and do not press against \
        each other.").range(POSITIVE).example("50 ms");
    CORRECT_FORCE: Flag = key("correct_force", "Corrects the measured force for the tracking error, with the initial \
        stiffness.").default("false").example("true");
    pub(super) COMPENSATION: Or<Named, Inner> = of(Or(Named(methods), Inner(&METHOD_TABLE)), "compensation", "Compensation of \
        actuator delay and dynamics.")
        .default("none").example("ats");
    ACTUATOR: Tables = tables("actuator", &actuators::ACTUATOR, "Its actuators; if absent, an ideal one along each \
        moved degree of freedom.").example("[{ type = \"second-order\", frequency = \"25 Hz\", damping = 0.7 }]");
    PLANT: Inner = table("plant", &plant::PLANT, "Dynamics of all actuators together, in the emulated laboratory; if \
        absent, each actuator has its own.")
        .example("{ type = \"transfer-matrix\", entry = [{ command = \"east\", stroke = \"east\", numerator = [1], denominator = \
            [0.01, 1] }] }");
    TRANSDUCER: Tables = tables("transducer", &sensors::TRANSDUCER, "Displacement transducers besides those of the \
        actuators.").example("[{ name = \"lvdt 1\", dof = \"slab.x\" }]");
    LOAD_CELL: Tables = tables("load_cell", &sensors::LOAD_CELL, "Load cells besides those of the \
        actuators.").example("[{ name = \"base\", dof = \"slab.x\" }]");
    FIXTURE: Tables = tables("fixture", &fixtures::FIXTURE, "Rigid bodies between the load cells and the \
        specimen.").example("[{ node = \"slab\", mass = \"850 kg\" }]");
    TARE: Flag = key("tare", "Whether the load cells show zero under the weight of the fixtures at the start.").default("true").example("false");
    INERTIA_WINDOW: Time = key("inertia_window", "Time over which the acceleration of the fixtures is estimated from the measured \
        displacements: longer is smoother, and less exact; by default 20 ms times `time_scale`.").range(POSITIVE).example("10 ms");
    AT_END: Choice<(AtEnd, &'static str)> = choice("at_end", &[(AtEnd::Hold, "hold"), (AtEnd::Zero, "zero")],
        "Outputs of EtherCAT terminals after the test.").default("hold").example("zero");
    INTERLOCK: Inner = table("interlock", &wiring::INTERLOCK, "Digital inputs and outputs of an EtherCAT bus for the \
        safety interlock of the laboratory; they do not replace the interlock.")
        .example("{ emergency_stop = { device = 2, byte = 0, bit = 3 }, enable = { device = 3, byte = 0, bit = 1 } }");
    UNCERTAIN: Inner = table("uncertain", &uncertain::SPECIMEN, "What is known of it within intervals only: `check --stability` and `rehearse` \
        certify the loop for all of it.").example("{ stiffness = [0.8, 1.2] }");
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
    let one = |i: &CompensationInfo| {
        let mut found = variant(METHOD.name, i.name, [i.title, i.reference, i.advice], i.parameters);
        if i.multivariable {
            let doc = "Model of the actuators that is inverted; if absent, `plant` of the specimen, or its actuators as described.";
            found.keys.push(schema::Key { doc: doc.to_owned(), ..PLANT.describe() });
        }
        found
    };
    COMPENSATIONS.iter().map(one).collect()
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
    let mut dofs = commanded(context, table, &elements, &masses, context.diags.error_count() == before);
    let mut inner = inner::read(context, table, (&elements, &dofs));
    check_masses(context, table, &elements, &inner);
    dofs.retain(|d| !inner.contains(d));
    let own = |d: &usize| masses.iter().filter(|m| m.0 == *d).map(|m| m.1).reduce(|a, b| a + b);
    let scale = table.value(&SCALE);
    let time_scale = table.value(&TIME_SCALE);
    let stepping = analysis.map(|a| Stepping::of(a, partition, &elements));
    let (period, every) = period(context, table, stepping.as_ref(), time_scale);
    let record_every = record_every(context, table, period);
    let interlock = wiring::interlock(context, table, &INTERLOCK, at.as_ref().map(|a| &a.0));
    let coordinates: Vec<usize> = dofs.iter().chain(&inner).copied().collect();
    let mut actuators = actuators::read(context, table, (&coordinates, dofs.len()), period);
    if let Some(actuators) = &actuators {
        inner::check_arms(context, table, actuators, (&coordinates, dofs.len()));
    }
    let held = inner::arrange(&mut inner, dofs.len(), actuators.as_mut());
    let coordinates: Vec<usize> = dofs.iter().chain(&inner[..held]).copied().collect();
    // Of a specimen that is similar to the structure: forces by S², displacements by S.
    let inner_masses = inner.iter().map(|d| own(d).unwrap_or(context.dofs[*d].mass / scale)).collect();
    let masses: Vec<f64> = dofs.iter().map(|d| own(d).unwrap_or(0.0)).collect();
    if let Some(actuators) = &actuators {
        control::check(context, table, actuators, &inner[..held]);
    }
    let moved = actuators.as_deref().unwrap_or_default();
    let plant = read_plant(context, table, moved);
    let compensation = compensation(context, table, Some(moved));
    let all_turn = actuators.as_ref().is_some_and(|a| !a.is_empty() && a.iter().all(|a| a.turns));
    let length = if all_turn { Dimension::ANGLE } else { Dimension::LENGTH };
    let limits = table.open(&LIMITS).map_or_else(Default::default, |t| limits::read(context, t.along(length)));
    let list = actuators.as_deref().unwrap_or_default();
    let mut taken: Vec<String> = list.iter().map(|a| a.name.clone()).collect();
    let rig = sensors::Rig { dofs: &coordinates, actuators: list };
    let transducers = sensors::read(context, table.all(&TRANSDUCER), Measures::Displacements, rig, &mut taken);
    let load_cells = sensors::read(context, table.all(&LOAD_CELL), Measures::Forces, rig, &mut taken);
    let tared = table.value(&TARE);
    let fixtures = fixtures::read(context, table.all(&FIXTURE), &coordinates, tared);
    let uncertain = table.open(&UNCERTAIN).map_or_else(Default::default, |t| uncertain::specimen(context, t));
    let inertia_window = table.get_or(&INERTIA_WINDOW, 0.02 * time_scale);
    let struck = struck(list, &transducers, &load_cells);
    let (faults, stalls) = faults::read(context, table.all(&FAULT), (&struck, period));
    // Every key is read before anything is given up, so that none that stands there is called unknown.
    let complete = name.is_some() && compensation.is_some() && actuators.is_some() && !dofs.is_empty();
    let mut specimen = Specimen {
        name: name.map(|n| n.value).unwrap_or_default(),
        at: at.map(|a| a.0),
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
        ramp: table.value(&RAMP),
        patience: table.value(&PATIENCE),
        late: table.value(&LATE).0,
        bridge: table.value(&BRIDGE),
        brake: table.value(&BRAKE),
        home: table.value(&HOME).0,
        correct_force: table.value(&CORRECT_FORCE),
        compensation: compensation.unwrap_or(Compensation::Uncompensated),
        plant,
        actuators: actuators.unwrap_or_default(),
        sharing: table.read(&SHARING).map(|s| s.value),
        transducers,
        load_cells,
        fixtures,
        tared,
        inertia_window,
        uncertain,
        limits,
        faults,
        stalls,
        at_end: table.value(&AT_END).0,
        interlock,
    };
    if complete {
        compensated(context, table, &mut specimen);
    }
    complete.then_some(specimen)
}

/// `plant`: all actuators together.
fn read_plant(
    context: &Context<'_>,
    table: &Table<'_>,
    actuators: &[Actuator],
) -> Option<interfield_lab::plant::StateSpace> {
    let inner = table.open(&PLANT)?;
    if actuators.is_empty() {
        // What is wrong with them has been said.
        inner.ignore_all();
    }
    let found = (!actuators.is_empty()).then(|| plant::read(context, &inner, actuators)).flatten();
    inner.finish();
    plant::check_actuators(context, &table.all(&ACTUATOR), actuators);
    found
}

/// Gives a method for all actuators its model, and says what a careful colleague would remark about the compensation.
fn compensated(context: &Context<'_>, table: &Table<'_>, specimen: &mut Specimen) {
    let place = || table.place(&COMPENSATION);
    let method = specimen.compensation.info();
    if method.multivariable {
        if let Some(own) = specimen.actuators.iter().find(|a| a.compensation.is_some()) {
            let message = format!(
                "`{}` compensates all actuators together, and actuator `{}` has a compensation of its own",
                method.name, own.name
            );
            context.error(place(), message, "remove one of the two");
            return;
        }
        if specimen.compensation.model().is_none() {
            let model = specimen.linear_plant();
            if model.is_none() {
                let message =
                    format!("`{}` needs a model of the actuators, and servo-hydraulic ones have none", method.name);
                let help = "identify it with `interfield identify-actuator`, and write compensation = { method = ..., plant = { ... } }";
                context.error(place(), message, help);
                return;
            }
            specimen.compensation.set_model(model);
        }
    }
    let warn = |said: Vec<String>, place: std::ops::Range<usize>| {
        let help = "rehearse the test, or use another compensation: `interfield compensators` lists them";
        said.into_iter().for_each(|doubt| context.diags.push(Diagnostic::warning(doubt, place.clone()).help(help)));
    };
    if specimen.actuators.iter().any(|a| a.compensation.is_none()) {
        let warnings = match method.multivariable {
            true => specimen.compensator().warnings(),
            false => specimen.compensation.design(specimen.sampling()).warnings(),
        };
        warn(warnings, place());
    }
    for (t, actuator) in table.all(&ACTUATOR).iter().zip(&specimen.actuators) {
        let own =
            actuator.compensation.iter().flat_map(|method| method.design(specimen.sampling()).warnings()).collect();
        warn(own, t.place(&COMPENSATION));
    }
}

/// What faults can strike.
fn struck<'a>(actuators: &'a [Actuator], transducers: &'a [Instrument], load_cells: &'a [Instrument]) -> Struck<'a> {
    let stroke = |turns: bool| if turns { Dimension::ANGLE } else { Dimension::LENGTH };
    let further = |list: &'a [Instrument]| {
        list.iter().filter(|i| i.actuator.is_none()).map(|i| (i.name.as_str(), stroke(i.turns))).collect()
    };
    let actuators = actuators.iter().map(|a| (a.name.as_str(), stroke(a.turns))).collect();
    Struck { actuators, transducers: further(transducers), load_cells: further(load_cells) }
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

/// An element with mass moves by itself only where it has inner degrees of freedom; elsewhere its mass would be nobody's.
fn check_masses(context: &Context<'_>, table: &Table<'_>, elements: &[usize], inner: &[usize]) {
    for &e in elements {
        let element = &context.elements[e];
        let mut moves = false;
        visit(element, |d, _| moves |= inner.contains(&d));
        if element.kind.has_mass() && !moves {
            let message = format!("element `{}` has mass and cannot be a specimen", element.name);
            let help = "remove its mass: give it to the node, or to `mass` of the specimen; or list what moves by itself \
                        in `inner` of the specimen";
            context.error(table.span(), message, help);
        }
    }
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

/// Sampling interval of the controller, and the whole number of samples from one evaluation to the next, by default one.
fn period(context: &Context<'_>, table: &Table<'_>, stepping: Option<&Stepping<'_>>, time_scale: f64) -> (f64, usize) {
    let interval = stepping.map_or(1e-3, Stepping::interval) * time_scale;
    let Some(rate) = table.read(&RATE) else { return (interval, 1) };
    if rate.value > FASTEST {
        context.error(rate.span, "the rate of a controller must be between 0 and 1 MHz", "write rate = \"1 kHz\"");
        return (interval, 1);
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
    (interval / whole, whole as usize)
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

/// `compensation = "ats"` or `{ method = "ats", ... }`; of these actuators, or of a single one.
fn compensation(context: &Context<'_>, table: &Table<'_>, actuators: Option<&[Actuator]>) -> Option<Compensation> {
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
    let (mut given, mut model) = (Vec::new(), None);
    for key in inner.keys().into_iter().filter(|k| k.value != METHOD.name) {
        let parameter = info.and_then(|i| i.parameters.iter().find(|p| p.name == key.value));
        let value = match parameter.and_then(|p| p.measure) {
            Some(measure) => {
                let number = inner.entry(&key.value, &Measured(dimension(measure)), Allowed::Any);
                number.map(|q| Given::Number(q.value))
            }
            None if key.value == PLANT.name && info.is_some_and(|i| i.multivariable) => {
                let inner = inner.open(&PLANT)?;
                // Actuators with mistakes of their own have no plant.
                model = Some(actuators.filter(|a| !a.is_empty()).and_then(|a| plant::read(context, &inner, a)));
                inner.ignore_all();
                None
            }
            // Only methods for all actuators have one: it is refused by its name.
            None if key.value == PLANT.name => {
                inner.ignore(PLANT.name);
                Some(Given::Word(PLANT.name.to_owned()))
            }
            None => argument(&inner, &key.value),
        };
        given.extend(value.map(|v| (key.value.clone(), v, key.span.clone())));
    }
    inner.finish();
    let mut made = method(context, &name?, &given)?;
    if let Some(model) = model {
        made.set_model(Some(model?));
    }
    Some(made)
}

/// `compensation` of one actuator, instead of that of its specimen.
fn own_compensation(context: &Context<'_>, t: &Table<'_>) -> Option<Compensation> {
    let found = t.has(&COMPENSATION).then(|| compensation(context, t, None)).flatten()?;
    if found.info().multivariable {
        let message = format!("`{}` compensates all actuators together", found.info().name);
        context.error(
            t.place(&COMPENSATION),
            message,
            "write it in [[specimen]], or use another one here: \"early\", \"ats\"",
        );
        return None;
    }
    Some(found)
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
