//! `[pushover]`: forces that push the structure so that one displacement, or the load factor, follows a protocol.

use super::{Context, Overrides};
use crate::diag::Diagnostic;
use crate::key::*;
use crate::model::{Analysis, Channel, Damping, Model, PushPart, Pushing, Quantity, TangentPolicy, short_name};
use crate::protocol::{Given, PROTOCOLS, Protocol};
use crate::reader::{Spanned, Table};
use crate::units::{Dimension, UnitSystem};

section! {
    /// How the structure is pushed.
    pub(super) PUSHOVER = ("pushover", "[pushover]", "Forces that push the structure slowly, from balance to balance, so that one \
        displacement follows a protocol; `interfield pushover` does it. Loads in time do not act, gravity does. A model with a \
        [pushover] needs no [analysis].");
    CONTROL: Text = key("control", "The degree of freedom whose displacement is controlled. If absent, the load factor is: `to`, `cycles` and \
        `step` are then load factors, and the push ends at the strength of the structure.").example("roof.x");
    PATTERN: Inner = table("pattern", &FORCES, "Forces for a load factor of one.").required().example("{ \"floor.x\" = \"1 kN\", \"roof.x\" = \"2 kN\" }");
    TO: Stroke = key("to", "Final displacement of a monotonic push; with `protocol`, the largest amplitude. Displacements include \
        those by gravity.").example("200 mm");
    CYCLES: List<Stroke> = key("cycles", "Instead of `to`: amplitudes of cycles, each to one side, to the other and back to zero; a negative one \
        begins to the negative side.").example("[\"10 mm\", \"20 mm\", \"40 mm\"]");
    REPEAT: Count = key("repeat", "Cycles at each amplitude of `cycles`.").range(Allowed::Between(1.0, 1000.0)).default("1").example("2");
    PROTOCOL: Choice<Protocol> = choice("protocol", PROTOCOLS, "Instead of `cycles`: amplitudes of a standard up to `to`. \
        \"atc-24\" (multiples of `yield`), \"sac\" and \"aci-374\" (drifts of `height`), \"fema-461\" (amplitudes that grow by 1.4 to `to`).")
        .example("atc-24");
    YIELD: Stroke = key("yield", "Yield displacement, for protocol \"atc-24\".").range(POSITIVE).example("12 mm");
    HEIGHT: Length = key("height", "Storey height, for protocols \"sac\" and \"aci-374\".").range(POSITIVE).example("3 m");
    RELATIVE: Flag = key("relative", "Whether displacements count from where gravity has left the structure, as those of an actuator that is set \
        to zero there (and of OpenSees).").default("false").example("true");
    STEP: Stroke = key("step", "Longest step.").required().range(POSITIVE).example("1 mm");
    VELOCITY: StrokeRate = key("velocity", "Largest velocity of the controlled displacement; required for a test with a specimen. Without it, a step \
        counts as one second.").range(POSITIVE).example("0.5 mm/s");
    HOLD: Time = key("hold", "How long a specimen stands at each target before its force is taken.").range(NOT_NEGATIVE).default("0 s").example("1 s");
}

section! {
    FORCES = ("forces", "{ \"node.dof\" = ... }", "Forces by degree of freedom.").others(|| Anything.value());
}

/// Most steps of a protocol.
const MOST: f64 = 1e6;
/// Times of a test are whole multiples of this, s: controllers sample at whole multiples of 100 Hz.
const TICK: f64 = 0.01;

/// What the command line says about a push.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PushOverrides {
    /// Final displacement, or the largest amplitude of the protocol.
    pub to: Option<String>,
    /// Amplitudes of cycles.
    pub cycles: Vec<String>,
    /// Cycles at each amplitude.
    pub repeat: Option<u32>,
    /// Longest step.
    pub step: Option<String>,
    /// Largest velocity.
    pub velocity: Option<String>,
}

/// Whether the model is pushed, not moved in time: it is asked to, or nothing else is said.
pub(super) fn is_wanted(root: &Table<'_>, overrides: &Overrides) -> bool {
    overrides.pushover.is_some() || (root.has(&super::PUSHOVER) && !root.has(&super::ANALYSIS))
}

/// Reads `[pushover]`, with the command line on top.
pub(super) fn read(context: &Context<'_>, root: &Table<'_>, overrides: &Overrides) -> Option<Pushing> {
    if overrides.pushover.is_some() && !root.has(&super::PUSHOVER) {
        let help = "write for example:\n[pushover]\ncontrol = \"roof.x\"\npattern = { \"roof.x\" = \"1 kN\" }\nto = \
            \"200 mm\"\nstep = \"1 mm\"";
        context.error(0..0, "the model has no [pushover]", help);
    }
    let table = root.open(&super::PUSHOVER)?;
    let control = table.has(&CONTROL).then(|| table.read(&CONTROL).and_then(|c| context.dof(&c)));
    let along = match control {
        Some(Some(d)) => context.disp(d),
        Some(None) => Dimension::LENGTH,
        None => Dimension::NONE,
    };
    let table = table.along(along);
    let given = overrides.pushover.clone().unwrap_or_default();
    let reader = Reader { context, table: &table, along, given: &given };
    let pattern = pattern(context, &table);
    let course = reader.course();
    let step = reader.value(&STEP, "--step", given.step.as_ref(), along).filter(|s| {
        let good = s.value > 0.0;
        if !good {
            reader.refuse("--step", "--step must be greater than zero", "write for example --step \"1 mm\"");
        }
        good
    });
    let velocity = reader.value(&VELOCITY, "--velocity", given.velocity.as_ref(), along.times(Dimension::RATE));
    let (hold, relative) = (table.value(&HOLD), table.value(&RELATIVE));
    let protocol = table.read(&PROTOCOL).map(|p| p.value.name);
    let span = table.place(&STEP);
    table.finish();
    let control = match control {
        Some(found) => Some(found?),
        None => None,
    };
    let (pattern, course, step) = (pattern?, course?, step?.value);
    let mut push = Pushing {
        control,
        pattern,
        targets: Vec::new(),
        cycles: Vec::new(),
        amplitudes: course.amplitudes,
        velocity: velocity.map(|v| v.value),
        hold,
        relative,
        protocol: protocol.filter(|_| given.cycles.is_empty()),
    };
    match divided(&mut push, &course.turns, step) {
        true => Some(push),
        false => {
            context.error(span, "this protocol has more than a million steps", "use longer steps");
            None
        }
    }
}

/// Where the controlled displacement turns, and the amplitude of each cycle; no cycles of a monotonic push.
struct Course {
    turns: Vec<f64>,
    amplitudes: Vec<f64>,
}

/// Divides the way from turn to turn into equal steps; `false` if there are too many.
fn divided(push: &mut Pushing, turns: &[f64], step: f64) -> bool {
    let mut at = 0.0;
    for (i, &turn) in turns.iter().enumerate() {
        let steps = ((turn - at).abs() / step - 1e-9).ceil().max(1.0);
        if steps + push.targets.len() as f64 > MOST {
            return false;
        }
        let from = at;
        push.targets.extend((1..=steps as u64).map(|k| from + (turn - from) * k as f64 / steps));
        at = turn;
        // Three turns to a cycle.
        if !push.amplitudes.is_empty() && i % 3 == 2 {
            push.cycles.push(push.targets.len());
        }
    }
    true
}

/// Reads values that the command line may replace.
struct Reader<'a, 'd> {
    context: &'a Context<'d>,
    table: &'a Table<'d>,
    along: Dimension,
    given: &'a PushOverrides,
}

impl<'d> Reader<'_, 'd> {
    fn refuse(&self, option: &str, message: impl Into<String>, help: &str) {
        self.context.diags.push(Diagnostic::unlocated(message).help(help).at_option(option));
    }

    /// A quantity of the command line.
    fn typed(&self, option: &str, text: &str, dim: Dimension) -> Option<f64> {
        match self.context.scope.quantity(text, dim) {
            Ok(x) => Some(x),
            Err(errors) => {
                for e in errors {
                    let help = e.help.unwrap_or_else(|| format!("write for example {option} \"20 mm\""));
                    self.refuse(option, format!("{option} {text}: {}", e.message), &help);
                }
                None
            }
        }
    }

    /// A value of the command line, else of the file.
    fn value<K: Kind<Value<'d> = f64>>(
        &self,
        key: &Key<K>,
        option: &str,
        text: Option<&String>,
        dim: Dimension,
    ) -> Option<Spanned<f64>> {
        match text {
            None => self.table.read(key),
            Some(text) => {
                // What the command line replaces is looked at nevertheless.
                if self.table.has(key) {
                    self.table.read(key);
                }
                self.typed(option, text, dim).map(|x| Spanned::new(x, 0..0))
            }
        }
    }

    /// The way: monotonic, in cycles, or by a standard. The command line says it anew.
    fn course(&self) -> Option<Course> {
        let (context, table, given) = (self.context, self.table, self.given);
        let to = self.value(&TO, "--to", given.to.as_ref(), self.along);
        let (cycles, protocol) = (table.read(&CYCLES), table.read(&PROTOCOL));
        let (bend, height) = (table.read(&YIELD), table.read(&HEIGHT));
        let repeat = given.repeat.map_or_else(|| table.value(&REPEAT), u64::from);
        let written = |key: &Key<Stroke>| table.has(key);
        if !given.cycles.is_empty() {
            let list = given.cycles.iter().map(|text| self.typed("--cycles", text, self.along));
            return self.cycles(
                &list.collect::<Option<Vec<f64>>>()?,
                repeat,
                Diagnostic::unlocated("").at_option("--cycles"),
            );
        }
        if given.to.is_some() && !table.has(&PROTOCOL) {
            return self.monotonic(to?.value, Diagnostic::unlocated("").at_option("--to"));
        }
        match (written(&TO) || given.to.is_some(), table.has(&CYCLES), table.has(&PROTOCOL)) {
            (true, false, false) => {
                let to = to?;
                self.monotonic(to.value, Diagnostic::error("", to.span))
            }
            (false, true, false) => {
                let list = cycles?;
                let values: Vec<f64> = list.value.iter().map(|a| a.value).collect();
                self.cycles(&values, repeat, Diagnostic::error("", list.span))
            }
            (true, false, true) => {
                let (protocol, to) = (protocol?, to?);
                let known = Given { largest: to.value, bend: bend.map(|b| b.value), height: height.map(|h| h.value) };
                match protocol.value.amplitudes(known) {
                    Ok(list) => Some(course(&list)),
                    Err((message, help)) => {
                        context.error(protocol.span, message, help);
                        None
                    }
                }
            }
            (false, false, true) => {
                let help = "write to = \"60 mm\": cycles are made up to this amplitude";
                context.error(table.place(&PROTOCOL), "a protocol needs its largest amplitude", help);
                None
            }
            _ => {
                let help = "write to = \"200 mm\", cycles = [\"10 mm\", \"20 mm\"], or protocol = \"atc-24\" with `to` and `yield`";
                context.error(
                    table.span(),
                    "a push goes either `to` a displacement, in `cycles`, or by a `protocol`",
                    help,
                );
                None
            }
        }
    }

    /// `place` has no words yet.
    fn monotonic(&self, to: f64, place: Diagnostic) -> Option<Course> {
        if to == 0.0 {
            let message = "this push goes nowhere".to_owned();
            let help = "write where the push ends, for example to = \"200 mm\"";
            self.context.diags.push(Diagnostic { message, ..place }.help(help));
            return None;
        }
        Some(Course { turns: vec![to], amplitudes: Vec::new() })
    }

    fn cycles(&self, list: &[f64], repeat: u64, place: Diagnostic) -> Option<Course> {
        let bad = match list.iter().position(|a| *a == 0.0) {
            Some(i) => Some(format!("cycle {} has no amplitude", i + 1)),
            None => list.is_empty().then(|| "there are no cycles".to_owned()),
        };
        if let Some(message) = bad {
            let help = "write the amplitudes, for example [\"10 mm\", \"20 mm\"]";
            self.context.diags.push(Diagnostic { message, ..place }.help(help));
            return None;
        }
        let repeat = usize::try_from(repeat).unwrap_or(1);
        Some(course(&list.iter().flat_map(|a| std::iter::repeat_n(*a, repeat)).collect::<Vec<f64>>()))
    }
}

/// Cycles of these amplitudes, each to one side, to the other and back.
fn course(amplitudes: &[f64]) -> Course {
    let turns = amplitudes.iter().flat_map(|a| [*a, -a, 0.0]).collect();
    Course { turns, amplitudes: amplitudes.to_vec() }
}

/// The forces for a load factor of one.
fn pattern(context: &Context<'_>, table: &Table<'_>) -> Option<Vec<(usize, f64)>> {
    let inner = table.open(&PATTERN)?;
    let mut pattern = Vec::new();
    let names = inner.keys();
    for name in &names {
        let dof = context.dof(name);
        let dim = dof.map_or(Dimension::FORCE, |d| context.force(d));
        let force = inner.entry(&name.value, &Measured(dim), Allowed::Any);
        pattern.extend(dof.zip(force.map(|f| f.value)));
    }
    inner.finish();
    // What could not be read has been reported.
    if pattern.len() == names.len() && pattern.iter().all(|p| p.1 == 0.0) {
        let help = "name at least one degree of freedom with a force, for example { \"roof.x\" = \"1 kN\" }";
        context.error(table.place(&PATTERN), "this pattern has no force", help);
        return None;
    }
    Some(pattern)
}

/// Options of the command line that belong to an integration in time.
pub(super) fn check_options(context: &Context<'_>, overrides: &Overrides) {
    let given = [
        ("--scheme", overrides.scheme.is_some()),
        ("--param", !overrides.scheme_parameters.is_empty()),
        ("--dt", overrides.dt.is_some()),
        ("--until", overrides.duration.is_some()),
        ("--tangent", overrides.tangent.is_some()),
        ("--coupling", overrides.coupling.is_some()),
        ("--substeps", overrides.substeps.is_some()),
    ];
    for (option, _) in given.iter().filter(|g| g.1) {
        let message = format!("{option} belongs to an integration in time, but the model is pushed");
        let help = "leave it out; `step` and `velocity` of [pushover] say how it is pushed";
        context.diags.push(Diagnostic::unlocated(message).help(help).at_option(*option));
    }
}

/// What a test with a specimen needs beside the rest.
pub(super) fn check_test(context: &Context<'_>, root: &Table<'_>, push: &Pushing) {
    let place = root.place(&super::PUSHOVER);
    if push.control.is_none() {
        let help = "write control = \"roof.x\": the controlled displacement, and with it the specimen, then follows the protocol";
        context.error(place, "a specimen is moved by displacements, but this push controls the load factor", help);
    } else if push.velocity.is_none() {
        let help = "write velocity = \"0.5 mm/s\": the largest velocity of the controlled displacement";
        context.error(place, "a test with a specimen needs a velocity", help);
    }
}

impl Pushing {
    /// Time of a step, s: that of the longest, and of the hold. One second where there is no velocity.
    pub fn pace(&self) -> f64 {
        let ticks = |t: f64| TICK * (t / TICK - 1e-9).ceil();
        let from = std::iter::once(&0.0).chain(&self.targets);
        let longest = from.zip(&self.targets).map(|(a, b)| (b - a).abs()).fold(0.0, f64::max);
        self.velocity.map_or(1.0, |v| ticks(longest / v).max(TICK) + ticks(self.hold))
    }

    /// The analysis that this is.
    pub(super) fn analysis(&self) -> Option<Analysis> {
        let scheme = super::analysis::scheme_from_text("newmark", &[]).ok()?;
        let dt = self.pace();
        let duration = dt * self.targets.len() as f64;
        let tangent = TangentPolicy::Exact;
        Some(Analysis { scheme_name: "static".to_owned(), scheme, dt, duration, tangent, land: false, statics: true })
    }

    /// Sum of the pattern along the controlled degree of freedom, N (N m): the base shear for a load factor of one. None where the
    /// pattern does not act along it.
    pub fn shear(&self, model: &Model) -> Option<f64> {
        let control = &model.dofs[self.control?];
        let along = |d: &usize| {
            let dof = &model.dofs[*d];
            dof.angle == control.angle && short_name(&dof.name) == short_name(&control.name)
        };
        let sum: f64 = self.pattern.iter().filter(|(d, _)| along(d)).map(|p| p.1).sum();
        let size: f64 = self.pattern.iter().map(|p| p.1.abs()).fold(0.0, f64::max);
        (sum.abs() > 1e-9 * size).then_some(sum)
    }
}

/// Names of the channels that a push always has.
pub const FACTOR: &str = "pushover.factor";
/// See [`FACTOR`].
pub const SHEAR: &str = "pushover.shear";
/// See [`FACTOR`].
pub const WORK: &str = "pushover.work";

/// A model that is pushed: in one piece, with the channels of a push, without those of a motion.
pub(super) fn made_static(mut model: Model) -> Model {
    let Some(push) = model.pushover.clone() else { return model };
    let units = model.units.clone();
    let mut channels = Vec::new();
    // Without a control, where the pattern acts.
    let led = push.control.or(push.pattern.first().map(|p| p.0));
    channels.extend(led.map(|d| displacement(&model, &units, d)));
    channels.extend(push.shear(&model).map(|sum| {
        let dim = push.control.map_or(Dimension::FORCE, |d| Dimension::MOMENT.per(dimension(&model, d)));
        let (quantity, factor) = (Quantity::Push(PushPart::Factor), sum / units.factor(dim));
        Channel { name: SHEAR.to_owned(), quantity, unit: units.label(dim), factor }
    }));
    let factor = Quantity::Push(PushPart::Factor);
    channels.push(Channel { name: FACTOR.to_owned(), quantity: factor, unit: "-".to_owned(), factor: 1.0 });
    let energy = units.factor(Dimension::MOMENT);
    channels.push(Channel {
        name: WORK.to_owned(),
        quantity: Quantity::Push(PushPart::Work),
        unit: units.label(Dimension::MOMENT),
        factor: 1.0 / energy,
    });
    let moving = |c: &Channel| {
        matches!(
            c.quantity,
            Quantity::Velocity(_)
                | Quantity::Acceleration(_)
                | Quantity::AbsoluteAcceleration(_)
                | Quantity::LoadSignal(_)
                | Quantity::Energy(_)
                | Quantity::Update(..)
                | Quantity::Gap(..)
                | Quantity::InterfaceForce(_)
                | Quantity::Link(_)
        )
    };
    let others = std::mem::take(&mut model.channels).into_iter().filter(|c| !moving(c));
    let others: Vec<Channel> = others.filter(|c| channels.iter().all(|own| own.quantity != c.quantity)).collect();
    channels.extend(others);
    // Initial displacements and velocities belong to a motion.
    model.dofs.iter_mut().for_each(|d| (d.u0, d.v0) = (0.0, 0.0));
    Model { channels, every: 1, partition: None, damping: Damping::None, ..model }
}

fn dimension(model: &Model, dof: usize) -> Dimension {
    if model.dofs[dof].angle { Dimension::ANGLE } else { Dimension::LENGTH }
}

fn displacement(model: &Model, units: &UnitSystem, dof: usize) -> Channel {
    let (dim, d) = (dimension(model, dof), &model.dofs[dof]);
    let unit = if d.angle { units.angle_label(dim) } else { units.label(dim) };
    Channel { name: d.name.clone(), quantity: Quantity::Displacement(dof), unit, factor: 1.0 / units.factor(dim) }
}
