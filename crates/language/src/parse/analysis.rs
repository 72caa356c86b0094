//! Damping, analysis settings and the scheme.

use std::fmt;
use std::ops::Range;

use interfield_kernel::scheme::registry::{
    AnyScheme, Argument, ArgumentError, Arguments, SCHEMES, SchemeInfo, SchemeParameter, find,
};

use super::{Context, Overrides};
use crate::diag::{Diagnostic, did_you_mean};
use crate::model::{Analysis, Damping, TangentPolicy};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

/// Scheme when the file names none.
const DEFAULT_SCHEME: &str = "lsrt2";

/// Most steps of a run: beyond that the step is a mistake.
const MAX_STEPS: f64 = 1e12;

/// Reads `[damping]`.
pub(super) fn damping(context: &mut Context<'_>, root: &Table<'_>) -> Damping {
    let Some(table) = root.table("damping") else { return Damping::None };
    context.places.damping = Some(table.span());
    let (rayleigh, modal) = (table.table("rayleigh"), table.quantities("modal", Dimension::NONE, &context.scope));
    let ratio_ok = |x: &Spanned<f64>| {
        let good = (0.0..10.0).contains(&x.value);
        if !good {
            context.error(
                x.span.clone(),
                format!("a damping ratio lies between 0 and 10, found {}", x.value),
                "5 % of critical is written 0.05 or \"5 %\"",
            );
        }
        good
    };
    let result = match (rayleigh, modal) {
        (Some(t), None) => {
            let result = rayleigh_damping(context, &t, ratio_ok);
            t.finish();
            result
        }
        (None, Some(ratios)) => {
            ratios.value.iter().for_each(|r| {
                ratio_ok(r);
            });
            Damping::Modal(ratios.value.iter().map(|r| r.value).collect())
        }
        (None, None) if table.has("modal") || table.has("rayleigh") => Damping::None,
        _ => {
            let help = "write rayleigh = { ratio = 0.05, modes = [1, 3] } or modal = [0.05, 0.05]";
            context.error(table.span(), "damping needs either `rayleigh` or `modal`", help);
            Damping::None
        }
    };
    table.finish();
    result
}

fn rayleigh_damping(context: &Context<'_>, t: &Table<'_>, ratio_ok: impl Fn(&Spanned<f64>) -> bool) -> Damping {
    let scope = &context.scope;
    let a0 = t.quantity("a0", Dimension::RATE, scope);
    let a1 = t.quantity("a1", Dimension::TIME, scope);
    let ratio = t.quantity("ratio", Dimension::NONE, scope);
    let ratios = t.quantities("ratios", Dimension::NONE, scope);
    let modes = t.integers("modes");
    if t.has("a0") || t.has("a1") {
        if let Some(r) = ratio.as_ref().map(|r| r.span.clone()).or_else(|| ratios.as_ref().map(|r| r.span.clone())) {
            context.error(r, "`a0`, `a1` and ratios exclude each other", "remove one of them");
        }
        if let Some(modes) = modes {
            context.error(
                modes.span,
                "`modes` has no effect beside `a0` and `a1`",
                "remove it, or give ratios instead",
            );
        }
        return Damping::Rayleigh { a0: a0.map_or(0.0, |a| a.value), a1: a1.map_or(0.0, |a| a.value) };
    }
    let both = match (&ratio, &ratios) {
        (Some(r), None) => ratio_ok(r).then_some([r.value; 2]),
        (None, Some(r)) if r.value.len() == 2 => {
            r.value.iter().all(&ratio_ok).then(|| [r.value[0].value, r.value[1].value])
        }
        _ => {
            context.error(
                t.span(),
                "Rayleigh damping needs `ratio`, two `ratios`, or `a0` and `a1`",
                "write ratio = 0.05",
            );
            None
        }
    };
    let modes = match modes {
        None => Some([1, 2]),
        Some(m) => match m.value.iter().map(|m| m.value).collect::<Vec<_>>()[..] {
            [a, b] if a >= 1 && b >= 1 && a != b => Some([a as usize, b as usize]),
            _ => {
                context.error(m.span, "`modes` names two different modes, counted from 1", "write modes = [1, 3]");
                None
            }
        },
    };
    match (both, modes) {
        (Some(ratios), Some(modes)) => Damping::RayleighModes { ratios, modes },
        _ => Damping::None,
    }
}

/// A diagnostic at a place of the file; nowhere (an empty place) means on the command line.
fn at(span: &Range<usize>, message: String) -> Diagnostic {
    if span.is_empty() { Diagnostic::unlocated(message) } else { Diagnostic::error(message, span.clone()) }
}

/// A time from the command line, else from the file; greater than zero.
fn time(
    context: &Context<'_>,
    table: Option<&Table<'_>>,
    key: &str,
    (option, given): (&str, Option<&String>),
) -> Option<Spanned<f64>> {
    let from_file = table.and_then(|t| match given {
        Some(_) => t.quantity(key, Dimension::TIME, &context.scope),
        None => t.quantity_required(key, Dimension::TIME, &context.scope),
    });
    let x = match given {
        None => from_file?,
        Some(text) => match context.scope.quantity(text, Dimension::TIME) {
            Ok(x) => Spanned::new(x, 0..0),
            Err(errors) => {
                for e in errors {
                    let d = Diagnostic::unlocated(format!("{option} {text}: {}", e.message));
                    context
                        .diags
                        .push(d.help(e.help.unwrap_or_else(|| format!("write for example {option} \"10 ms\""))));
                }
                return None;
            }
        },
    };
    if x.value > 0.0 && x.value.is_finite() {
        return Some(x);
    }
    let (name, example) = match given {
        Some(_) => (option.to_owned(), format!("{option} \"10 ms\"")),
        None => (format!("`{key}`"), format!("{key} = \"10 ms\"")),
    };
    let d = at(&x.span, format!("{name} must be greater than zero, found {} s", x.value));
    context.diags.push(d.help(format!("write for example {example}")));
    None
}

/// Reads `[analysis]`, with the command line on top.
pub(super) fn read(context: &mut Context<'_>, root: &Table<'_>, overrides: &Overrides) -> Option<Analysis> {
    let table = root.table("analysis");
    if !root.has("analysis") && (overrides.dt.is_none() || overrides.duration.is_none()) {
        let help = "write for example:\n[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"\nduration = \"20 s\"";
        context.diags.push(Diagnostic::error("the model has no [analysis]", 0..0).help(help));
    }
    let dt = time(context, table.as_ref(), "dt", ("--dt", overrides.dt.as_ref()));
    let duration = time(context, table.as_ref(), "duration", ("--until", overrides.duration.as_ref()));
    let scheme = scheme(context, table.as_ref(), overrides);
    let tangent = tangent(context, table.as_ref(), overrides.tangent.as_ref()).unwrap_or_default();
    let events = table.as_ref().and_then(|t| t.choice("events", &["step", "land"])).map(|c| c.value);
    if let Some(t) = table {
        t.finish();
    }
    let (dt, duration) = (dt?, duration?);
    (context.places.step, context.places.duration) = (dt.span.clone(), duration.span.clone());
    // With a step of the command line it may be the step that is looked at, not the run.
    if duration.value < dt.value * (1.0 - 1e-9) && overrides.dt.is_none() {
        let message = format!("the analysis of {} s is shorter than one step of {} s", duration.value, dt.value);
        let span = if dt.span.is_empty() { &duration.span } else { &dt.span };
        context.diags.push(at(span, message).help("take a smaller `dt` or a longer `duration`"));
        return None;
    }
    if duration.value / dt.value > MAX_STEPS {
        let message = format!("{} s in steps of {} s are more than {MAX_STEPS:e} steps", duration.value, dt.value);
        let span = if dt.span.is_empty() { &duration.span } else { &dt.span };
        context.diags.push(at(span, message).help("check the units of `dt` and `duration`"));
        return None;
    }
    let (scheme_name, scheme) = scheme?;
    Some(Analysis { scheme_name, scheme, dt: dt.value, duration: duration.value, tangent, land: events == Some(1) })
}

/// The tangent policy that the file or the command line asks for.
pub(super) fn tangent(
    context: &Context<'_>,
    table: Option<&Table<'_>>,
    given: Option<&String>,
) -> Option<TangentPolicy> {
    const POLICIES: [&str; 3] = ["exact", "initial", "given"];
    let from_file = table.and_then(|t| t.choice("tangent", &POLICIES)).map(|c| c.value);
    let from_line = given.map(|t| {
        POLICIES.iter().position(|p| p == t).unwrap_or_else(|| {
            let d = Diagnostic::unlocated(format!("--tangent {t}: there is no such tangent policy"));
            context.diags.push(d.help("write exact, initial or given"));
            0
        })
    });
    from_line.or(from_file).map(|policy| match policy {
        1 => TangentPolicy::Initial,
        2 => TangentPolicy::Given,
        _ => TangentPolicy::Exact,
    })
}

/// An argument of a scheme, a coupling or a compensator as it was written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Given {
    Number(f64),
    Word(String),
    List(Vec<f64>),
}

impl Given {
    /// As on a command line: a number, a list of numbers, or else a word.
    pub(super) fn from_text(text: &str) -> Self {
        let text = text.trim();
        if let Ok(x) = text.parse() {
            return Given::Number(x);
        }
        let list: Result<Vec<f64>, _> = text.trim_matches(['[', ']']).split(',').map(|w| w.trim().parse()).collect();
        match list {
            Ok(list) if text.contains(',') || text.starts_with('[') => Given::List(list),
            _ => Given::Word(text.to_owned()),
        }
    }

    /// As the registry takes it.
    pub fn argument(&self) -> Argument<'_> {
        match self {
            Given::Number(x) => Argument::Number(*x),
            Given::Word(w) => Argument::Word(w),
            Given::List(l) => Argument::List(l),
        }
    }
}

/// Why a scheme cannot be had: the parameter at fault (`None`: the scheme itself), a message, a suggestion.
pub(super) type Refusal = (Option<String>, String, String);

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

/// Builds an entry of a catalogue (its kind and name), or says what is wrong with each parameter.
pub(super) fn build_entry<T>(
    (kind, name): (&str, &str),
    parameters: &[SchemeParameter],
    make: fn(Arguments<'_>) -> Result<T, ArgumentError>,
    given: &[(&str, Given)],
) -> Result<T, Vec<Refusal>> {
    let known: Vec<&str> = parameters.iter().map(|p| p.name).collect();
    let unknown = given.iter().filter(|(name, _)| !known.contains(name));
    let mut errors: Vec<Refusal> = unknown
        .map(|(wrong, _)| {
            let message = format!("{kind} `{name}` has no parameter `{wrong}`");
            let help = match did_you_mean(wrong, known.iter().copied()) {
                Some(near) => near,
                None if known.is_empty() => "it has no parameters: remove it".to_owned(),
                None => format!("its parameters are {}", known.join(", ")),
            };
            (Some((*wrong).to_owned()), message, help)
        })
        .collect();
    let arguments: Vec<(&str, Argument<'_>)> = given.iter().map(|(n, g)| (*n, g.argument())).collect();
    match make(Arguments(&arguments)) {
        Ok(made) if errors.is_empty() => return Ok(made),
        Ok(_) => {}
        Err(e) => {
            let message = format!("parameter `{}` of {kind} `{name}` must be {}", e.name, e.expected);
            errors.push((Some(e.name.to_owned()), message, format!("`interfield {kind}s {name}` explains it")));
        }
    }
    Err(errors)
}

/// An argument with its name and place.
pub type Placed = (String, Given, Range<usize>);

/// A scheme as the file gives it: a name, or a table with name and parameters; each with its place. `None` after a
/// mistake that has been reported.
fn written_scheme(table: &Table<'_>) -> Option<(Spanned<String>, Vec<Placed>)> {
    if !table.is_table("scheme") {
        let name = table.string_required("scheme", "\"lsrt2\"")?;
        return Some((name, Vec::new()));
    }
    let inner = table.table("scheme")?;
    let name = inner.string_required("name", "\"lsrt2\"");
    let given = arguments(&inner, &["name"]);
    inner.finish();
    Some((name?, given?))
}

/// All arguments of a table but these keys; `None` after a mistake that has been reported.
pub(super) fn arguments(table: &Table<'_>, but: &[&str]) -> Option<Vec<Placed>> {
    let keys = table.keys().into_iter().filter(|k| !but.contains(&k.value.as_str()));
    let given: Vec<Option<Placed>> = keys
        .map(|key| {
            let value = argument(table, &key.value)?;
            Some((key.value, value, key.span))
        })
        .collect();
    given.into_iter().collect()
}

/// One argument of a table; `None` after a mistake that has been reported.
pub(super) fn argument(table: &Table<'_>, key: &str) -> Option<Given> {
    if table.is_string(key) {
        table.string(key).map(|s| Given::from_text(&s.value))
    } else if table.is_list(key) {
        table.numbers(key).map(|l| Given::List(l.value.iter().map(|x| x.value).collect()))
    } else {
        table.number(key).map(|x| Given::Number(x.value))
    }
}

/// The scheme of the file, with the command line on top.
pub(super) fn scheme(
    context: &Context<'_>,
    table: Option<&Table<'_>>,
    overrides: &Overrides,
) -> Option<(String, AnyScheme)> {
    let written = match table {
        Some(t) if t.has("scheme") => Some(written_scheme(t)?),
        _ => None,
    };
    let (mut name, mut given) = written.unwrap_or_else(|| (Spanned::new(DEFAULT_SCHEME.to_owned(), 0..0), Vec::new()));
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
    let pairs: Vec<(&str, Given)> = given.iter().map(|(n, g, _)| (n.as_str(), g.clone())).collect();
    match lookup(&name.value).and_then(|info| build(info, &pairs)) {
        Ok(scheme) => Some((name.value, scheme)),
        Err(errors) => {
            for (parameter, message, help) in errors {
                let place = parameter.and_then(|p| given.iter().find(|g| g.0 == p)).map(|g| &g.2);
                context.diags.push(at(place.unwrap_or(&name.span), message).help(help));
            }
            None
        }
    }
}
