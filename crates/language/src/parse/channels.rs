//! Recorded channels: `node.dof[.u|v|a|abs]`, at a cut `[.gap|gap_v|lambda|link]`, `element.force|deformation|STATE`, loads
//! by name, `energy.PART`, `drift.drift`, `member.section.1.moment`, `member.section.1.fibre.12.stress`; `node.dof.target|reached|measured` of a specimen, `external.node.dof.target|...` of an external.

use interfield_kernel::element::info::Unit;
use interfield_kernel::frame::member::Member;
use interfield_kernel::frame::part::Part;
use interfield_kernel::frame::section::Section as CrossSection;
use interfield_lab::rig::Reading;

use super::Context;
use super::elements::dimension;
use super::no_node;
use crate::diag::{Diagnostic, did_you_mean};
use crate::external::External;
use crate::key::*;
use crate::model::{Channel, EnergyPart, FramePart, Kind, Quantity, Support, Within};
use crate::partition::visit;
use crate::reader::{Spanned, Table};
use crate::specimen::Specimen;
use crate::units::Dimension;

section! {
    /// What to record.
    pub(super) RECORD = ("record", "[record]", "Recorded channels.");
    CHANNELS: List<Text> = key("channels", "Channels to record: `roof.x`, `roof.x.v`, `roof.x.a`, `roof.x.abs` \
        (absolute \
        acceleration), `spring.force`, `spring.deformation`, a state `iso.z`, a load `quake`; for section 1 of a member \
        `column.section.1.moment`, `.curvature`, `.axial`, `.elongation` (in space also `.moment_y`, `.curvature_y`, `.torque`, `.twist`), for \
        fibre 12 of it `column.section.1.fibre.12.stress` and `.strain`; for a specimen \
        `slab.x.target`, `slab.x.reached`, `slab.x.measured` (force); for an external `frame.roof.x.target` etc. If \
        absent, all displacements (up to 24). Every [[drift]] is recorded too.").example("[\"roof.x\", \
        \"spring.force\"]");
    EVERY: Whole = key("every", "Number of steps between two recorded \
        rows.").range(from(1.0)).default("1").example("10");
    ENERGY_BALANCE: Flag = key("energy", "Also record the energy balance: energy.kinetic, energy.internal, \
        energy.damping, \
        energy.input, energy.error.").default("false").example("true");
}

/// Name of the energy balance among the channels.
const ENERGY: &str = "energy";

/// Channels recorded when the file names none.
const DEFAULT_CHANNELS: usize = 24;

/// Begins the channels of a section, and of a fibre of one.
const SECTION: &str = "section";
const FIBRE: &str = "fibre";

/// What has readings.
type Measured<'a> = (&'a [Specimen], &'a [External]);

/// Reads `[record]`: channels and thinning.
pub(super) fn read(
    context: &Context<'_>,
    root: &Table<'_>,
    loads: &[String],
    measured: Measured<'_>,
    drifts: Vec<Channel>,
    steps: Option<u64>,
) -> (Vec<Channel>, u64) {
    let (mut every, mut energy, mut listed) = (1, false, None);
    if let Some(table) = root.open(&super::RECORD) {
        (every, energy, listed) = (table.value(&EVERY) as u64, table.value(&ENERGY_BALANCE), table.read(&CHANNELS));
        if let Some(steps) = steps.filter(|steps| *steps > 0 && every > *steps) {
            let message =
                format!("`every` is {every}, but the run has only {steps} steps: its start and its end are recorded");
            let d = Diagnostic::warning(message, table.place(&EVERY)).following();
            context.diags.push(d.help("take a smaller number, or omit it to record each step"));
        }
        table.finish();
    }
    let Some(listed) = listed else {
        let unseen = |d: usize| measured.0.iter().any(|s| s.is_unseen(d));
        let free = context.dofs.iter().enumerate().filter(|(i, d)| matches!(d.support, Support::Free) && !unseen(*i));
        let all = free.map(|(i, d)| channel(context, d.name.clone(), Quantity::Displacement(i), of_dof(context, i, 0)));
        let all = all.take(DEFAULT_CHANNELS).chain(drifts).collect();
        return (with_energy(context, all, energy), every);
    };
    for (i, c) in listed.value.iter().enumerate() {
        if listed.value[..i].iter().any(|d| d.value == c.value) {
            context.error(c.span.clone(), format!("channel `{}` is listed twice", c.value), "remove one");
        }
    }
    let declared = |name: &str| drifts.iter().find(|d| d.name == name).cloned();
    let read = |c: &Spanned<String>| declared(&c.value).or_else(|| read_channel(context, c, loads, measured));
    let mut channels: Vec<Channel> = listed.value.iter().filter_map(read).collect();
    // A drift is declared to be recorded.
    channels.extend(drifts.into_iter().filter(|d| listed.value.iter().all(|c| c.value != d.name)));
    (with_energy(context, channels, energy), every)
}

/// The channels and, if `all` of the energy balance was asked for, those parts of it that are not among them.
fn with_energy(context: &Context<'_>, mut channels: Vec<Channel>, all: bool) -> Vec<Channel> {
    for (name, part) in EnergyPart::ALL.iter().filter(|_| all) {
        let quantity = Quantity::Energy(*part);
        if channels.iter().all(|c| c.quantity != quantity) {
            channels.push(channel(context, format!("{ENERGY}.{name}"), quantity, Dimension::MOMENT.into()));
        }
    }
    channels
}

/// What a channel is measured in.
#[derive(Clone, Copy)]
struct Measure {
    dim: Dimension,
    /// Whether it is an angle or a rate of one, which is said in the unit though it has no dimension.
    angle: bool,
}

impl From<Dimension> for Measure {
    fn from(dim: Dimension) -> Self {
        Measure { dim, angle: false }
    }
}

/// Measure of a time derivative of a degree of freedom.
fn of_dof(context: &Context<'_>, dof: usize, derivative: i32) -> Measure {
    let dim = context.disp(dof).times(Dimension::RATE.power(f64::from(derivative)));
    Measure { dim, angle: context.dofs[dof].angle }
}

fn channel(context: &Context<'_>, name: String, quantity: Quantity, measure: Measure) -> Channel {
    let units = &context.scope.units;
    let unit = if measure.angle { units.angle_label(measure.dim) } else { units.label(measure.dim) };
    Channel { name, quantity, unit, factor: 1.0 / units.factor(measure.dim) }
}

fn read_channel(
    context: &Context<'_>,
    text: &Spanned<String>,
    loads: &[String],
    (specimens, externals): Measured<'_>,
) -> Option<Channel> {
    let (first, rest) = text.value.split_once('.').unwrap_or((&text.value, ""));
    let make = |quantity, measure| Some(channel(context, text.value.clone(), quantity, measure));
    if let Some(i) = loads.iter().position(|l| l == first) {
        if rest.is_empty() {
            let dim = context.load_dimensions.get(first).copied().unwrap_or(Dimension::NONE);
            return make(Quantity::LoadSignal(i), Measure { dim, angle: dim == Dimension::ANGULAR_ACCELERATION });
        }
        let message = format!("load `{first}` has no quantity `{rest}`");
        context.error(text.span.clone(), message, format!("write \"{first}\" for its signal"));
        return None;
    }
    if let Some(&node) = context.node_index.get(first) {
        if let Some((dof, what)) = rest.split_once('.')
            && let Some((_, reading)) = READINGS.iter().find(|r| r.0 == what)
        {
            return reading_channel(context, text, (node, dof), *reading, specimens);
        }
        return node_channel(context, text, node, rest).filter(|c| is_seen(context, text, c, specimens));
    }
    if let Some(e) = context.elements.iter().position(|e| e.name == first) {
        if let Some((dof, what)) = rest.rsplit_once('.')
            && let Some((_, reading)) = READINGS.iter().find(|r| r.0 == what)
            && let Some(x) = externals.iter().position(|x| x.element == e)
        {
            return external_channel(context, text, dof, *reading, (x, &externals[x]));
        }
        let channel = element_channel(context, text, e, rest)?;
        return Some(channel)
            .filter(|c| is_measured(context, text, c, specimens) && is_seen(context, text, c, specimens));
    }
    if let Some(place) = context.names.get(first) {
        // An imposed motion, or a part with a mistake of its own, which has been reported.
        if context.imposed.contains(first) {
            let d =
                Diagnostic::error(format!("`{first}` imposes a motion and has no signal to record"), text.span.clone());
            context.diags.push(d.also(place.clone(), "declared here").help("record the degree of freedom it moves"));
        }
        return None;
    }
    if first == ENERGY {
        let part = EnergyPart::ALL.iter().find(|(name, _)| *name == rest);
        if part.is_none() {
            let names: Vec<&str> = EnergyPart::ALL.iter().map(|p| p.0).collect();
            let message = format!("`{rest}` is not a part of the energy balance");
            context.error(text.span.clone(), message, format!("it has: {}", names.join(", ")));
        }
        return make(Quantity::Energy(part?.1), Dimension::MOMENT.into());
    }
    if context.nodes_unknown || context.names_unknown {
        return None;
    }
    let known = context.nodes.iter().map(|n| n.name.as_str());
    let known = known.chain(context.elements.iter().map(|e| e.name.as_str())).chain(loads.iter().map(String::as_str));
    let help = context.near(first, known).map(|near| format!("did you mean `{near}`?")).unwrap_or_else(|| {
        "a channel names a node, an element or a load: \"roof.x\", \"storey1.force\", \"quake\"".to_owned()
    });
    let d = Diagnostic::error(format!("no node, element or load is called `{first}`"), text.span.clone()).help(help);
    // A node that elements miss too is told there.
    let told = context.diags.says(&no_node(first)) || context.diags.is_headless();
    context.diags.push(if told { d.following() } else { d });
    None
}

/// What the program of an external says of one of its degrees of freedom.
fn external_channel(
    context: &Context<'_>,
    text: &Spanned<String>,
    dof: &str,
    reading: Reading,
    (x, external): (usize, &External),
) -> Option<Channel> {
    let names: Vec<&str> = external.dofs.iter().map(|&d| context.dofs[d].name.as_str()).collect();
    let Some(i) = names.iter().position(|name| *name == dof) else {
        let message = format!("`{dof}` is not a degree of freedom of external `{}`", external.name);
        let near = did_you_mean(dof, names.iter().copied()).map_or_else(String::new, |d| format!("{d} "));
        context.error(text.span.clone(), message, format!("{near}it has: {}", names.join(", ")));
        return None;
    };
    let d = external.dofs[i];
    let measure = if reading == Reading::Force { context.force(d).into() } else { of_dof(context, d, 0) };
    Some(channel(context, text.value.clone(), Quantity::External(x, i, reading), measure))
}

/// What the laboratory says of a degree of freedom, by the names of the channels.
const READINGS: [(&str, Reading); 3] =
    [("target", Reading::Target), ("reached", Reading::Reached), ("measured", Reading::Force)];

fn reading_channel(
    context: &Context<'_>,
    text: &Spanned<String>,
    (node, dof): (usize, &str),
    reading: Reading,
    specimens: &[Specimen],
) -> Option<Channel> {
    let d = context.dof_of(node, dof, text.span.clone())?;
    let found = specimens.iter().enumerate().find_map(|(s, specimen)| {
        // Of the inner ones those that actuators act on.
        let mut moved = specimen.dofs.iter().chain(&specimen.inner[..specimen.held]);
        let i = moved.position(|&x| x == d)?;
        (i < specimen.dofs.len() || reading != Reading::Target).then_some((s, i))
    });
    let Some((s, i)) = found else {
        let message = format!("no specimen is moved along `{}`", context.dofs[d].name);
        let help = "target, reached and measured are quantities of a [[specimen]]; quantities of an [[external]] \
            start with its name";
        // It may be that of a specimen with mistakes of its own.
        if specimens.len() == context.places.specimens.len() {
            context.error(text.span.clone(), message, help);
        }
        return None;
    };
    let measure = if reading == Reading::Force { context.force(d).into() } else { of_dof(context, d, 0) };
    Some(channel(context, text.value.clone(), Quantity::Specimen(s, i, reading), measure))
}

fn node_channel(context: &Context<'_>, text: &Spanned<String>, node: usize, rest: &str) -> Option<Channel> {
    let make = |quantity, measure| Some(channel(context, text.value.clone(), quantity, measure));
    let (dof, what) = rest.split_once('.').unwrap_or((rest, "u"));
    if dof.is_empty() {
        let name = &context.nodes[node].name;
        let message = format!("`{}` does not name a direction of the node", text.value);
        let dof = context.nodes[node].dofs.first().map_or("x", |d| d.0.as_str());
        context.error(text.span.clone(), message, format!("write \"{name}.{dof}\" for its displacement in {dof}"));
        return None;
    }
    let d = context.dof_of(node, dof, text.span.clone())?;
    match what {
        "u" => make(Quantity::Displacement(d), of_dof(context, d, 0)),
        "v" => make(Quantity::Velocity(d), of_dof(context, d, 1)),
        "a" => make(Quantity::Acceleration(d), of_dof(context, d, 2)),
        "abs" => make(Quantity::AbsoluteAcceleration(d), of_dof(context, d, 2)),
        "gap" | "gap_v" | "lambda" | "link" if !context.partitioned => {
            let message = format!("`{what}` is a quantity of an interface, but this model has no substructures");
            context.error(text.span.clone(), message, "remove it, or divide the model with [[substructure]]");
            None
        }
        "gap" => make(Quantity::Gap(d, 0), of_dof(context, d, 0)),
        "gap_v" => make(Quantity::Gap(d, 1), of_dof(context, d, 1)),
        "lambda" => make(Quantity::InterfaceForce(d), context.force(d).into()),
        "link" => make(Quantity::Link(d), of_dof(context, d, 0)),
        _ => {
            let message = format!("`{what}` is not a quantity of a degree of freedom");
            let help = "write u (displacement), v (velocity), a (acceleration relative to the ground) or abs \
                        (absolute acceleration); at an interface also gap, gap_v, lambda (interface force) and link";
            context.error(text.span.clone(), message, help);
            None
        }
    }
}

/// Whether the laboratory knows what a channel needs of inner degrees of freedom: where they are, if they are emulated or an actuator acts
/// on them.
fn is_seen(context: &Context<'_>, text: &Spanned<String>, channel: &Channel, specimens: &[Specimen]) -> bool {
    let has = |d: usize| specimens.iter().find(|s| s.inner.contains(&d));
    let mut coordinates = Vec::new();
    let dof = match channel.quantity {
        Quantity::Displacement(d) => {
            let Some(specimen) = has(d).filter(|s| s.is_unseen(d)) else { return true };
            let message =
                format!("nothing measures `{}` in the laboratory of `{}`", context.dofs[d].name, specimen.name);
            let help = "no actuator acts on this inner degree of freedom: remove the channel, or emulate the specimen (no `at`)";
            context.error(text.span.clone(), message, help);
            return false;
        }
        Quantity::Velocity(d) | Quantity::Acceleration(d) | Quantity::AbsoluteAcceleration(d) => d,
        Quantity::Deformation(e, _) => {
            visit(&context.elements[e], |d, _| coordinates.push(d));
            let Some(d) = coordinates.into_iter().find(|&d| has(d).is_some()) else { return true };
            d
        }
        _ => return true,
    };
    if has(dof).is_none() {
        return true;
    }
    let name = &context.dofs[dof].name;
    let message =
        format!("`{}` needs `{name}`, which exists in the laboratory only: just its displacement is known", text.value);
    context.error(text.span.clone(), message, format!("record \"{name}\""));
    false
}

/// Whether a force of a specimen is among those that its actuators measure; an element that is fixed at one end has others.
fn is_measured(context: &Context<'_>, text: &Spanned<String>, channel: &Channel, specimens: &[Specimen]) -> bool {
    let Quantity::Force(e, i) = channel.quantity else { return true };
    let Some(specimen) = specimens.iter().find(|s| s.elements.contains(&e)) else { return true };
    let element = &context.elements[e];
    let commanded = |d: &usize| specimen.dofs.contains(d) || specimen.inner[..specimen.held].contains(d);
    let coordinates: Vec<bool> = match &element.kind {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => {
            coordinates.iter().map(|c| c.iter().any(|term| commanded(&term.0))).collect()
        }
        Kind::Linear { dofs, .. } => dofs.iter().map(commanded).collect(),
    };
    if coordinates[i] {
        return true;
    }
    let known: Vec<String> = (0..coordinates.len())
        .filter(|&i| coordinates[i])
        .map(|i| format!("\"{}.force.{}\"", element.name, i + 1))
        .collect();
    let message = format!("`{}` is a force where the specimen is fixed: no actuator measures it", text.value);
    context.error(text.span.clone(), message, format!("record {}", known.join(", ")));
    false
}

fn element_channel(context: &Context<'_>, text: &Spanned<String>, e: usize, what: &str) -> Option<Channel> {
    let element = &context.elements[e];
    let make = |quantity, measure| Some(channel(context, text.value.clone(), quantity, measure));
    let first_dofs: Vec<Option<usize>> = match &element.kind {
        Kind::Law { coordinates, .. }
        | Kind::Formula { coordinates, .. }
        | Kind::Block { coordinates, .. }
        | Kind::Frame { coordinates, .. } => coordinates.iter().map(|c| c.first().map(|x| x.0)).collect(),
        Kind::Linear { dofs, .. } => dofs.iter().map(|d| Some(*d)).collect(),
    };
    if let (Some(rest), Kind::Frame { frame, .. }) = (what.strip_prefix(SECTION), &element.kind)
        && let Some(member) = frame.part.member()
    {
        return section_channel(context, text, (e, frame, member), rest.strip_prefix('.').unwrap_or(rest));
    }
    let (what, index) = what.split_once('.').unwrap_or((what, "1"));
    let disp = |i: usize| first_dofs[i].map_or(Dimension::LENGTH.into(), |d| of_dof(context, d, 0));
    if what == "force" || what == "deformation" {
        let i = index.parse::<usize>().ok().filter(|i| (1..=first_dofs.len()).contains(i));
        let Some(i) = i else {
            let count = first_dofs.len();
            let message = match count {
                1 => format!("element `{}` has one coordinate; `{index}` does not exist", element.name),
                _ => format!("element `{}` has {count} coordinates; `{index}` is not one of them", element.name),
            };
            let help = match count {
                1 => format!("write \"{}.{what}\"", element.name),
                _ => format!("count them from 1: \"{}.{what}.1\" to \"{}.{what}.{count}\"", element.name, element.name),
            };
            context.error(text.span.clone(), message, help);
            return None;
        };
        let d = disp(i - 1);
        return if what == "force" {
            make(Quantity::Force(e, i - 1), Dimension::MOMENT.per(d.dim).into())
        } else {
            make(Quantity::Deformation(e, i - 1), d)
        };
    }
    let plain = Measure::from(Dimension::NONE);
    let states: Vec<(String, Measure)> = match &element.kind {
        Kind::Law { law, .. } => {
            let d = disp(0);
            let measure = |u: Unit| Measure {
                dim: dimension(u, Dimension::MOMENT.per(d.dim), d.dim, 1.0),
                angle: d.angle && u == Unit::DISP,
            };
            law.info().states.iter().map(|s| (s.name.to_owned(), measure(s.unit))).collect()
        }
        Kind::Formula { states, .. } => states.iter().map(|s| (s.clone(), plain)).collect(),
        Kind::Block { block, .. } => (1..=block.states).map(|i| (format!("s{i}"), plain)).collect(),
        Kind::Linear { .. } | Kind::Frame { .. } => Vec::new(),
    };
    if let Some(i) = states.iter().position(|(name, _)| name == what) {
        return make(Quantity::State(e, i), states[i].1);
    }
    let mut known = vec!["force", "deformation"];
    let sections = matches!(&element.kind, Kind::Frame { frame, .. } if frame.part.member().is_some());
    known.extend(sections.then_some("section.1.moment"));
    known.extend(states.iter().map(|(name, _)| name.as_str()));
    let (message, near) = if what.is_empty() {
        (format!("`{}` does not name a quantity of the element", text.value), None)
    } else {
        (format!("element `{}` has no quantity `{what}`", element.name), did_you_mean(what, known.iter().copied()))
    };
    let near = near.map_or_else(String::new, |n| format!("{n} "));
    context.error(text.span.clone(), message, format!("{near}it has: {}", known.join(", ")));
    None
}

/// What is recorded of a section of a member, or of a fibre of it: `1.moment`, `1.fibre.12.stress`.
fn section_channel(
    context: &Context<'_>,
    text: &Spanned<String>,
    (e, frame, member): (usize, &FramePart, &Member),
    rest: &str,
) -> Option<Channel> {
    let name = &context.elements[e].name;
    let refuse = |message: String, help: String| {
        context.error(text.span.clone(), message, help);
        None
    };
    let (number, what) = rest.split_once('.').unwrap_or((rest, ""));
    let count = member.rule.count;
    let Some(point) = number.parse::<usize>().ok().filter(|p| (1..=count).contains(p)) else {
        let message = format!("member `{name}` has {count} sections; `{number}` is not one of them");
        return refuse(message, format!("count them from its first node: \"{name}.section.1.moment\" to {count}"));
    };
    let make =
        |what, measure| Some(channel(context, text.value.clone(), Quantity::Section(e, point - 1, what), measure));
    let here = format!("{name}.section.{point}");
    if let Some(fibre) = what.strip_prefix(FIBRE).and_then(|f| f.strip_prefix('.')) {
        let (number, what) = fibre.split_once('.').unwrap_or((fibre, ""));
        let section = &frame.sections.sections[member.rule.section[point - 1]];
        let fibres = fibres_of(frame, section);
        if fibres.is_empty() {
            return refuse(
                format!("section {point} of member `{name}` is elastic and has no fibres"),
                format!("record \"{here}.moment\" and \"{here}.curvature\""),
            );
        }
        let numbered = |n: usize| fibres.iter().copied().find(|&f| frame.sections.numbers[f] == n);
        let Some(f) = number.parse().ok().and_then(numbered) else {
            let count = fibres.len();
            let message =
                format!("section {point} of member `{name}` has {count} fibres; `{number}` is not one of them");
            return refuse(message, format!("count them from 1 to {count} in the order of `fibres`"));
        };
        return match what {
            "stress" => make(Within::FibreStress(f), Dimension::STRESS.into()),
            "strain" => make(Within::FibreStrain(f), Dimension::NONE.into()),
            _ => refuse(
                format!("`{what}` is not a quantity of a fibre"),
                format!("write \"{here}.fibre.{number}.stress\" or \"{here}.fibre.{number}.strain\""),
            ),
        };
    }
    let known = if matches!(frame.part, Part::Space(..)) { &Within::ALL[..] } else { &Within::ALL[..4] };
    match known.iter().find(|k| k.0 == what) {
        Some((_, quantity)) => make(*quantity, section_measure(*quantity)),
        None => {
            let names: Vec<&str> = known.iter().map(|k| k.0).collect();
            let near = did_you_mean(what, names.iter().copied()).map_or_else(String::new, |n| format!("{n} "));
            let message = match what {
                "" => format!("`{}` does not name a quantity of the section", text.value),
                _ => format!("a section of member `{name}` has no quantity `{what}`"),
            };
            refuse(message, format!("{near}it has: {}, {FIBRE}.1.stress, {FIBRE}.1.strain", names.join(", ")))
        }
    }
}

/// Numbers of the fibres of a section in the tables.
fn fibres_of(frame: &FramePart, section: &CrossSection) -> Vec<usize> {
    let groups = section.groups(&frame.sections.tables());
    groups.iter().flat_map(|g| g.first..g.first + g.count).collect()
}

/// What a strain or a force of a section is measured in.
fn section_measure(what: Within) -> Measure {
    match what {
        Within::Force(0) => Dimension::FORCE.into(),
        Within::Force(_) => Dimension::MOMENT.into(),
        Within::Strain(1..) => Dimension::NONE.per(Dimension::LENGTH).into(),
        Within::FibreStress(_) => Dimension::STRESS.into(),
        Within::Strain(_) | Within::FibreStrain(_) => Dimension::NONE.into(),
    }
}
