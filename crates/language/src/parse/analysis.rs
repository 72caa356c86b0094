//! Analysis settings and the scheme.

use std::fmt;

use interfield_kernel::scheme::registry::{AnyScheme, SCHEMES, SchemeInfo, find};

use super::arguments::{Given, Placed, Refusal, arguments, build_entry, pairs, report, variant};
use super::{Context, Overrides};
use crate::diag::{Diagnostic, did_you_mean};
use crate::key::*;
use crate::model::{Analysis, TangentPolicy};
use crate::problem::{Problem, Subject};
use crate::reader::{Spanned, Table};
use crate::schema::Variant;
use crate::units::{self, Dimension};

/// Most steps of a run: beyond that the step is a mistake.
const MAX_STEPS: f64 = 1e12;

/// Longest duration that is not blamed for the number of steps, s: four months.
const LONGEST: f64 = 1e7;

/// A scheme by its name, or a table with its parameters.
type SchemeKey = Or<Named, Inner>;

const TANGENTS: [(TangentPolicy, &str); 3] =
    [(TangentPolicy::Exact, "exact"), (TangentPolicy::Initial, "initial"), (TangentPolicy::Given, "given")];

section! {
    /// How to integrate.
    pub(super) ANALYSIS = ("analysis", "[analysis]", "Time integration.");
    SCHEME: SchemeKey = scheme_key("Integration scheme: a name, or a table with its parameters; see `interfield \
        schemes`.")
        .default("lsrt2").example("{ name = \"lsrt2\", gamma = \"plus\" }");
    DT: Time = key("dt", "Time step.").required().range(POSITIVE).example("10 ms");
    DURATION: Time = key("duration", "End time of the analysis.").required().range(POSITIVE).example("20 s");
    TANGENT: Choice<(TangentPolicy, &'static str)> = choice("tangent", &TANGENTS, "Jacobian that the scheme uses: \
        exact, of the initial state, or estimates given by the elements.").default("exact").example("initial");
    EVENTS: Choice<(bool, &'static str)> = choice("events", &[(false, "step"), (true, "land")], "Treatment of stops \
        and of springs that become stiff: with the normal step (the verdict reports a step that is too coarse), or \
        with substeps that meet the contact; the latter not with specimens or \
        substructures.").default("step").example("land");
}

/// `scheme` of the analysis, or of a substructure.
pub(super) const fn scheme_key(doc: &'static str) -> Key<SchemeKey> {
    of(Or(Named(names), Inner(&SCHEME_TABLE)), "scheme", doc)
}

/// `tangent` of a substructure.
pub(super) const OWN_TANGENT: Key<Choice<(TangentPolicy, &'static str)>> =
    choice("tangent", &TANGENTS, "Jacobian of this substructure, if different from [analysis].").example("initial");

section! {
    SCHEME_TABLE = ("scheme", "scheme = { name = ... }", "").variants(variants);
}

/// Name in the table of a scheme.
const NAME: Key<Text> = key("name", "The scheme.").required().example("lsrt2");

fn names() -> Vec<&'static str> {
    SCHEMES.iter().map(|s| s.name).collect()
}

fn variants() -> Vec<Variant> {
    SCHEMES.iter().map(|i| variant(NAME.name, i.name, [i.title, i.reference, ""], i.parameters)).collect()
}

/// Whether the file names a scheme and a tangent itself.
pub(super) fn says(root: &Table<'_>) -> (bool, bool) {
    root.open(&super::ANALYSIS).map_or((false, false), |t| (t.has(&SCHEME), t.has(&TANGENT)))
}

/// A time from the command line, else from the file; greater than zero.
fn time(
    context: &Context<'_>,
    table: Option<&Table<'_>>,
    key: &Key<Time>,
    (option, given): (&str, Option<&String>),
) -> Option<Spanned<f64>> {
    let Some(text) = given else { return table?.read(key) };
    if let Some(table) = table.filter(|t| t.has(key)) {
        // What the command line replaces is looked at nevertheless.
        table.read(key);
    }
    let refuse = |message: String, help: Option<String>| {
        let help = help.unwrap_or_else(|| format!("write for example {option} \"10 ms\""));
        context.diags.push(Diagnostic::unlocated(message).help(help).at_option(format!("{option} {}", quoted(text))));
    };
    match context.scope.quantity(text, Dimension::TIME) {
        Ok(x) if x > 0.0 => return Some(Spanned::new(x, 0..0)),
        Ok(x) => refuse(format!("{option} must be greater than zero, found {}", units::time(x)), None),
        Err(errors) => errors.into_iter().for_each(|e| refuse(format!("{option} {text}: {}", e.message), e.help)),
    }
    None
}

/// A value of the command line, as it would be typed.
fn quoted(text: &str) -> String {
    if text.contains(' ') { format!("\"{text}\"") } else { text.to_owned() }
}

/// Reads `[analysis]`, with the command line on top.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, overrides: &Overrides) -> Option<Analysis> {
    let table = root.open(&super::ANALYSIS);
    if !root.has(&super::ANALYSIS) && (overrides.dt.is_none() || overrides.duration.is_none()) {
        let help = "write for example:\n[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"\nduration = \"20 s\"";
        let d = Diagnostic::error("the model has no [analysis]", 0..0).help(help);
        // Its keys are there without their header: that is told where they stand.
        let headless = context.source.text.lines().any(|l| l.trim_start().starts_with(DURATION.name));
        context.diags.push(if headless { d.following() } else { d });
    }
    let dt = time(context, table.as_ref(), &DT, ("--dt", overrides.dt.as_ref()));
    let duration = time(context, table.as_ref(), &DURATION, ("--until", overrides.duration.as_ref()));
    let scheme = scheme(context, table.as_ref(), &SCHEME, overrides);
    let own = table.as_ref().map(|t| t.value(&TANGENT).0);
    context.places.tangent = table.as_ref().map_or(0..0, |t| t.place(&TANGENT));
    let tangent = tangent(context, overrides.tangent.as_ref()).or(own).unwrap_or_default();
    let land = table.as_ref().is_some_and(|t| t.value(&EVENTS).0);
    if let Some(t) = table {
        t.finish();
    }
    let (dt, duration) = (dt?, duration?);
    let places = &mut context.places;
    (places.step, places.duration) = (dt.span.clone(), duration.span.clone());
    places.step_option = overrides.dt.as_ref().map(|dt| format!("--dt {}", quoted(dt)));
    places.duration_option = overrides.duration.as_ref().map(|end| format!("--until {}", quoted(end)));
    // What was chosen for this once is to blame before what stands in the file.
    let subject =
        if overrides.duration.is_some() && overrides.dt.is_none() { Subject::Duration } else { Subject::Step };
    let say = |problem: Problem| context.diags.push(context.places.locate(&problem));
    // With a step of the command line it may be the step that is looked at, not the run.
    if duration.value < dt.value * (1.0 - 1e-9) && overrides.dt.is_none() {
        say(Problem::no_step(subject, duration.value, dt.value));
        return None;
    }
    if duration.value / dt.value > MAX_STEPS {
        let message = format!(
            "{} in steps of {} are more than {MAX_STEPS:e} steps",
            units::time(duration.value),
            units::time(dt.value)
        );
        let subject = if duration.value > LONGEST { Subject::Duration } else { subject };
        say(Problem::error(subject, message, "check the units of `dt` and `duration`"));
        return None;
    }
    let (scheme_name, scheme) = scheme?;
    Some(Analysis { scheme_name, scheme, dt: dt.value, duration: duration.value, tangent, land, statics: false })
}

/// The tangent policy that the command line asks for.
fn tangent(context: &Context<'_>, given: Option<&String>) -> Option<TangentPolicy> {
    let given = given?;
    let found = TANGENTS.iter().find(|t| t.1 == given).map(|t| t.0);
    if found.is_none() {
        let d = Diagnostic::unlocated(format!("--tangent {given}: unknown tangent policy"));
        context.diags.push(d.help("write exact, initial or given"));
    }
    found
}

/// All mistakes in the name and parameters of a scheme, each as a message and a suggestion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemeMistakes(pub Vec<(String, String)>);

impl fmt::Display for SchemeMistakes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list: Vec<String> = self.0.iter().map(|(message, help)| format!("{message}; {help}")).collect();
        f.write_str(&list.join("\n"))
    }
}

/// A scheme by name with the parameters written on a command line, e.g. `lsrt2` with `gamma=minus`.
pub fn scheme_from_text(name: &str, parameters: &[(String, String)]) -> Result<AnyScheme, SchemeMistakes> {
    let given: Vec<(&str, Given)> = parameters.iter().map(|(n, v)| (n.as_str(), Given::from_text(v))).collect();
    lookup(name)
        .and_then(|info| build(info, &given))
        .map_err(|errors| SchemeMistakes(errors.into_iter().map(|(_, message, help)| (message, help)).collect()))
}

fn lookup(name: &str) -> Result<&'static SchemeInfo, Vec<Refusal>> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = SCHEMES.iter().map(|s| s.name).collect();
        let help =
            did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("schemes are {}", names.join(", ")));
        vec![(None, format!("there is no scheme `{name}`"), help)]
    })
}

/// Builds a scheme, or says what is wrong with each parameter.
fn build(info: &SchemeInfo, given: &[(&str, Given)]) -> Result<AnyScheme, Vec<Refusal>> {
    build_entry(("scheme", info.name), info.parameters, info.build, given)
}

/// A scheme as the file gives it: a name, or a table with name and parameters; each with its place. `None` after a
/// mistake that has been reported.
fn written_scheme(table: &Table<'_>, key: &Key<SchemeKey>) -> Option<(Spanned<String>, Vec<Placed>)> {
    let given = table.read(key)?;
    match given.value {
        Either::First(name) => Some((Spanned::new(name, given.span), Vec::new())),
        Either::Second(inner) => {
            let name = inner.read(&NAME);
            let given = arguments(&inner, &[NAME.name]);
            inner.finish();
            Some((name?, given?))
        }
    }
}

/// The scheme of the file, with the command line on top.
pub(super) fn scheme(
    context: &Context<'_>,
    table: Option<&Table<'_>>,
    key: &Key<SchemeKey>,
    overrides: &Overrides,
) -> Option<(String, AnyScheme)> {
    let written = match table {
        Some(t) if t.has(key) => Some(written_scheme(t, key)?),
        _ => None,
    };
    let usual = || (Spanned::new(SCHEME.default_text().to_owned(), 0..0), Vec::new());
    let (mut name, mut given) = written.unwrap_or_else(usual);
    if let Some(other) = &overrides.scheme {
        // Parameters of the file belong to the scheme of the file.
        if *other != name.value {
            given.clear();
        }
        name = Spanned::new(other.clone(), 0..0);
    }
    for (n, v) in &overrides.scheme_parameters {
        given.retain(|g| g.0 != *n);
        given.push((n.clone(), Given::from_text(v), 0..0));
    }
    match lookup(&name.value).and_then(|info| build(info, &pairs(&given))) {
        Ok(scheme) => Some((name.value, scheme)),
        Err(errors) => {
            report(context, &name, &given, errors);
            None
        }
    }
}
