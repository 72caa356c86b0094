//! Loads: the motion of the ground, forces, imposed motions.

use std::collections::BTreeSet;
use std::ops::Range;

use super::nodes::is_angle;
use super::signals::{self, SIGNAL, SignalKey, signal};
use super::{Context, LOAD};
use crate::diag::{Diagnostic, did_you_mean};
use crate::integral::Unintegrable;
use crate::key::*;
use crate::model::{Kind, Load, Support};
use crate::reader::Table;
use crate::signal::{Motion, Signal};
use crate::specimen::Specimen;
use crate::units::{Dimension, time_to};
use interfield_kernel::frame::part::Part;

section! {
    /// A load.
    pub(super) LOADS = ("load", "[[load]]", "A load.").variants(|| TYPES.iter().map(|t| t.variant(TYPE.name)).collect());
    NAME: Text = key("name", "Its name, for channels.").example("quake");
}

/// Who reads a load.
type Read = for<'d> fn(&mut Loads<'_, 'd>, &mut Context<'_>, &Table<'d>, String) -> Option<()>;

const TYPE: Key<Choice<Type<Read>>> = choice("type", &TYPES, "Type of the load.").required();

/// All kinds of loads.
const TYPES: [Type<Read>; 4] = [
    Type::new(
        "ground",
        "Acceleration of the ground; displacements are then relative to the ground.",
        &[GROUND],
        |loads, context, table, name| loads.ground(context, table, name),
    ),
    Type::new("force", "A force or moment on one degree of freedom.", &[FORCE], |loads, context, table, name| {
        loads.force(context, table, name)
    }),
    Type::new(
        "gravity",
        "A force that is there from the beginning: the structure is brought into static balance with it before anything moves.",
        &[GRAVITY],
        |loads, context, table, _| loads.gravity(context, table),
    ),
    Type::new(
        "imposed",
        "A prescribed motion of one degree of freedom, by displacement or acceleration.",
        &[IMPOSED],
        |loads, context, table, name| loads.imposed(context, table, name),
    ),
];

section! {
    [GROUND];
    DIRECTION: Text = key("direction", "Direction in which the ground moves.").required().example("x");
    GROUND_SIGNAL: SignalKey = signal_key("signal", "Its acceleration: a table, or the name of a [signal.NAME].").required();
    SUPPORT_INERTIA: Flag = key("support_inertia", "Whether the mass that couples free degrees of freedom to the \
        moving supports is included.")
        .default("true").example("false");
}

section! {
    [FORCE];
    AT: Text = key("at", "The degree of freedom.").required().example("roof.x");
    FORCE_SIGNAL: SignalKey = signal_key("signal", "Its value: a table, or the name of a [signal.NAME].").required();
}

section! {
    [GRAVITY];
    HELD_AT: Text = key("at", "The degree of freedom that it acts on.").example("roof.y");
    HELD: Force = key("force", "The force, or the moment on a rotation.").example("-400 kN");
    LOADED: List<Text> = key("elements", "Instead of `at`: the members along which it is spread; a trailing * matches any ending.")
        .example("[\"beam-*\"]");
    SPREAD_X: ForcePerLength = key("x", "Along the local x axis, from the first end to the second.").default("0").example("-1 kN/m");
    SPREAD_Y: ForcePerLength = key("y", "Along the local y axis.").default("0").example("-20 kN/m");
    SPREAD_Z: ForcePerLength = key("z", "Along the local z axis.").default("0").example("-20 kN/m");
}

section! {
    [IMPOSED];
    MOVED: Text = key("at", "The degree of freedom.").required().example("base.x");
    DISPLACEMENT: SignalKey = signal_key("displacement", "Its displacement: a table, or the name of a [signal.NAME].")
        .example("{ type = \"harmonic\", amplitude = \"5 mm\", frequency = \"2 Hz\" }");
    ACCELERATION: SignalKey = signal_key("acceleration", "Its acceleration instead, integrated twice from rest.").example("quake");
}

const fn signal_key(name: &'static str, doc: &'static str) -> Key<SignalKey> {
    of(Or(Text, Inner(&SIGNAL)), name, doc).example(signals::EXAMPLE)
}

/// Reads all `[[load]]`; the second list names each load, for channels.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, time: (f64, f64)) -> (Vec<Load>, Vec<String>, Held) {
    let named = root.open(&super::SIGNAL);
    let mut loads = Loads {
        named: named.as_ref(),
        time,
        list: Vec::new(),
        names: Vec::new(),
        forced: Vec::new(),
        held: Vec::new(),
    };
    for table in root.all(&LOAD) {
        let kind = table.read(&TYPE);
        let name = match table.read(&NAME) {
            Some(n) => {
                context.declare(&n.value, n.span);
                n.value
            }
            None => format!("load-{}", loads.list.len() + 1),
        };
        let good = match kind {
            Some(kind) => (kind.value.read)(&mut loads, context, &table, name),
            None => {
                table.ignore_all();
                None
            }
        };
        context.contact.borrow_mut().settle(good.is_some());
        table.finish();
    }
    // All imposed motions are known now.
    for (dof, span) in &loads.forced {
        if !matches!(context.dofs[*dof].support, Support::Free) {
            let message = format!("a force on `{}` has no effect: it is fixed", context.dofs[*dof].name);
            context.error(span.clone(), message, "load a free degree of freedom, or free this one");
        }
    }
    let Loads { list, names, held, .. } = loads;
    if let Some(named) = named {
        for unused in named.unread() {
            let message = format!("no load uses the signal `{}`", unused.value);
            context.diags.push(Diagnostic::warning(message, unused.span).help("name it in a [[load]], or remove it"));
        }
    }
    (list, names, held)
}

/// Loads read so far.
struct Loads<'a, 'd> {
    /// `[signal.NAME]` of the file.
    named: Option<&'a Table<'d>>,
    /// End and step of the analysis.
    time: (f64, f64),
    list: Vec<Load>,
    names: Vec<String>,
    /// Degrees of freedom under a force, with the place that says so.
    forced: Vec<(usize, Range<usize>)>,
    held: Held,
}

/// Forces that are there from the beginning, by degree of freedom.
type Held = Vec<(usize, f64)>;

/// What is spread along a member is computed with it; the laboratory knows nothing of it.
pub(super) fn refuse_on_specimens(context: &Context<'_>, specimens: &[Specimen]) {
    for &e in specimens.iter().flat_map(|s| &s.elements) {
        let element = &context.elements[e];
        if matches!(&element.kind, Kind::Frame { frame, .. } if frame.load != [0.0; 3]) {
            let message = format!("gravity is spread along `{}`, which stands in the laboratory", element.name);
            let help = "put this load on its nodes: type = \"gravity\", at = \"NODE.y\", force = \"-10 kN\"";
            context.error(context.places.elements[e].clone(), message, help);
        }
    }
}

impl<'d> Loads<'_, 'd> {
    fn ground(&mut self, context: &mut Context<'_>, table: &Table<'d>, name: String) -> Option<()> {
        let direction = table.read(&DIRECTION);
        let supports = table.value(&SUPPORT_INERTIA);
        let dim = Dimension::ACCELERATION;
        let signal = signal(context, table, self.named, &GROUND_SIGNAL, dim);
        let direction = direction?;
        let known: BTreeSet<&str> = context.dofs.iter().map(|d| crate::model::short_name(&d.name)).collect();
        if !known.contains(direction.value.as_str()) {
            if context.unclear.is_empty() && !context.nodes_unknown {
                let message = format!("no node can move in the direction `{}`", direction.value);
                let list = known.iter().copied().collect::<Vec<_>>().join(", ");
                let help =
                    did_you_mean(&direction.value, known).unwrap_or_else(|| format!("degrees of freedom are {list}"));
                context.error(direction.span, message, help);
            }
            return None;
        }
        if is_angle(&direction.value) {
            let message = "the ground cannot rotate: ground rotation is not supported";
            context.error(direction.span, message, "name a translation, or impose motions on the supports");
            return None;
        }
        context.load_dimensions.insert(name.clone(), dim);
        self.list.push(Load::Ground { direction: direction.value, signal: signal?, supports });
        context.places.loads.push(table.place(&GROUND_SIGNAL));
        self.names.push(name);
        Some(())
    }

    fn force(&mut self, context: &mut Context<'_>, table: &Table<'d>, name: String) -> Option<()> {
        let at = table.read(&AT).and_then(|d| Some((context.dof(&d)?, d.span)));
        let dim = at.as_ref().map_or(Dimension::FORCE, |d| context.force(d.0));
        let signal = signal(context, table, self.named, &FORCE_SIGNAL, dim);
        let (dof, span) = at?;
        self.forced.push((dof, span));
        context.load_dimensions.insert(name.clone(), dim);
        self.list.push(Load::Force { dof, signal: signal? });
        context.places.loads.push(table.place(&FORCE_SIGNAL));
        self.names.push(name);
        Some(())
    }

    fn gravity(&mut self, context: &mut Context<'_>, table: &Table<'d>) -> Option<()> {
        if table.has(&HELD_AT) == table.has(&LOADED) {
            table.ignore_all();
            let help = "write at = \"roof.y\", force = \"-400 kN\", or elements = [\"beam-*\"], y = \"-20 kN/m\"";
            context.error(table.span(), "gravity acts either at a degree of freedom or along elements", help);
            return None;
        }
        if let Some(at) = table.read(&HELD_AT) {
            let dof = context.dof(&at);
            let along = dof.map_or(Dimension::LENGTH, |d| context.disp(d));
            let force = table
                .read(&of(Measured(Force.dimension(along)), HELD.name, "The force.").required().example("-400 kN"));
            let dof = dof?;
            self.forced.push((dof, at.span));
            self.held.push((dof, force?.value));
            return Some(());
        }
        let load = [table.value(&SPREAD_X), table.value(&SPREAD_Y), table.value(&SPREAD_Z)];
        for pattern in table.read(&LOADED)?.value {
            let (stem, open) = pattern.value.strip_suffix('*').map_or((pattern.value.as_str(), false), |s| (s, true));
            let mut found = false;
            for e in &mut context.elements {
                let named = if open { e.name.starts_with(stem) } else { e.name == stem };
                if let (true, Kind::Frame { frame, .. }) = (named, &mut e.kind)
                    && matches!(frame.part, Part::Plane(..) | Part::Space(..))
                {
                    (0..3).for_each(|i| frame.load[i] += load[i]);
                    found = true;
                }
            }
            if !found {
                let message = format!("no member is called `{}`", pattern.value);
                context.error(pattern.span, message, "name elements of the type `member`");
            }
        }
        Some(())
    }

    fn imposed(&mut self, context: &mut Context<'_>, table: &Table<'d>, name: String) -> Option<()> {
        context.imposed.insert(name);
        let at = table.read(&MOVED);
        let dof = at.as_ref().and_then(|d| context.dof(d));
        let disp = dof.map_or(Dimension::LENGTH, |d| context.disp(d));
        let acceleration = disp.per(Dimension::TIME).per(Dimension::TIME);
        let motion = match (table.has(&DISPLACEMENT), table.has(&ACCELERATION)) {
            (true, false) => {
                signal(context, table, self.named, &DISPLACEMENT, disp).map(|s| Motion::from_displacement(&s))
            }
            (false, true) => signal(context, table, self.named, &ACCELERATION, acceleration)
                .and_then(|s| self.integrated(context, table.place(&ACCELERATION), &s)),
            _ => {
                let help = "write displacement = { type = \"harmonic\", ... } or acceleration = { ... }";
                context.error(table.span(), "an imposed motion needs either `displacement` or `acceleration`", help);
                None
            }
        };
        let (dof, at) = (dof?, at?);
        if let Some(first) = context.imposed_at.get(&dof) {
            let message = format!("`{}` already has an imposed motion", at.value);
            let d = Diagnostic::error(message, at.span).also(first.clone(), "first imposed here");
            context.diags.push(d.help("impose one motion on each degree of freedom"));
            return None;
        }
        context.imposed_at.insert(dof, at.span);
        context.dofs[dof].support = Support::Imposed(motion?);
        Some(())
    }

    /// The motion with this acceleration.
    fn integrated(&self, context: &Context<'_>, place: Range<usize>, acceleration: &Signal) -> Option<Motion> {
        let (duration, dt) = self.time;
        let (message, help) = match Motion::from_acceleration(acceleration, duration, dt) {
            Ok(motion) => return Some(motion),
            Err(Unintegrable::NotFinite(t)) => (
                format!("this acceleration is not a finite number shortly after t = {}", time_to(t, 7)),
                "avoid a division by zero, or a root or logarithm of a number that is not positive",
            ),
            Err(Unintegrable::TooRough(t)) => (
                format!("this acceleration varies too fast to be integrated; stopped at t = {}", time_to(t, 7)),
                "check the time unit in the formula, or impose a `displacement` or a table",
            ),
        };
        context.error(place, message, help);
        None
    }
}
