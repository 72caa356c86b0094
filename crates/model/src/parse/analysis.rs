//! Damping, analysis settings and recorded channels.

use interfield_kernel::scheme::registry::{AnyScheme, Argument, Arguments, SCHEMES, SchemeInfo, find};

use super::elements::dimension;
use super::{Context, Overrides, finish};
use crate::diag::{Diagnostic, did_you_mean};
use crate::model::{Analysis, Channel, Damping, Kind, Quantity, Support, TangentPolicy};
use crate::reader::{Spanned, Table};
use crate::units::Dimension;

/// Channels recorded when the file names none.
const DEFAULT_CHANNELS: usize = 24;

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
                format!("a damping ratio of {} cannot be meant", x.value),
                "5 % is 0.05, or \"5 %\"",
            );
        }
        good
    };
    let result = match (rayleigh, modal) {
        (Some(t), None) => {
            let result = rayleigh_damping(context, &t, ratio_ok);
            finish(t);
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
    finish(table);
    result
}

fn rayleigh_damping(context: &Context<'_>, t: &Table<'_>, ratio_ok: impl Fn(&Spanned<f64>) -> bool) -> Damping {
    let scope = &context.scope;
    let a0 = t.quantity("a0", Dimension::FREQUENCY, scope);
    let a1 = t.quantity("a1", Dimension::TIME, scope);
    let ratio = t.quantity("ratio", Dimension::NONE, scope);
    let ratios = t.quantities("ratios", Dimension::NONE, scope);
    let modes = t.integers("modes");
    if a0.is_some() || a1.is_some() {
        if let Some(r) = ratio.as_ref().map(|r| r.span.clone()).or_else(|| ratios.as_ref().map(|r| r.span.clone())) {
            context.error(r, "`a0`, `a1` and ratios exclude each other", "remove one of them");
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

/// Reads `[analysis]`, with the command line on top.
pub(super) fn read(context: &Context<'_>, root: &Table<'_>, overrides: &Overrides) -> Option<Analysis> {
    let table = root.table("analysis");
    let scope = &context.scope;
    let command_line = |key: &str, text: &Option<String>| {
        text.as_ref().map(|text| match scope.quantity(text, Dimension::TIME) {
            Ok(x) => Spanned::new(x, 0..0),
            Err(errors) => {
                let why = errors.first().map_or_else(|| "not a time".to_owned(), |e| e.message.clone());
                context
                    .diags
                    .push(Diagnostic::unlocated(format!("--{key} {text}: {why}")).help("write for example \"10 ms\""));
                Spanned::new(1.0, 0..0)
            }
        })
    };
    let time = |key: &str, given: Option<Spanned<f64>>| -> Option<f64> {
        let from_file = table.as_ref().and_then(|t| {
            if given.is_some() {
                t.quantity(key, Dimension::TIME, scope)
            } else {
                t.quantity_required(key, Dimension::TIME, scope)
            }
        });
        let x = given.or(from_file)?;
        if x.value > 0.0 && x.value.is_finite() {
            return Some(x.value);
        }
        let message = format!("`{key}` must be greater than zero, found {} s", x.value);
        let d = if x.span.is_empty() { Diagnostic::unlocated(message) } else { Diagnostic::error(message, x.span) };
        context.diags.push(d.help(format!("write for example {key} = \"10 ms\"")));
        None
    };
    if table.is_none() && (overrides.dt.is_none() || overrides.duration.is_none()) {
        let d = Diagnostic::unlocated("the model has no [analysis]");
        context
            .diags
            .push(d.help("write for example:\n[analysis]\nscheme = \"lsrt2\"\ndt = \"10 ms\"\nduration = \"20 s\""));
    }
    let dt = time("dt", command_line("dt", &overrides.dt));
    let duration = time("duration", command_line("until", &overrides.duration));
    let (scheme_name, scheme) = scheme(context, table.as_ref(), overrides)?;
    const POLICIES: [&str; 3] = ["exact", "initial", "given"];
    let from_file = table.as_ref().and_then(|t| t.choice("tangent", &POLICIES)).map(|c| c.value);
    let from_line = overrides.tangent.as_ref().map(|t| {
        POLICIES.iter().position(|p| p == t).unwrap_or_else(|| {
            let d = Diagnostic::unlocated(format!("--tangent {t}: there is no such tangent policy"));
            context.diags.push(d.help("write exact, initial or given"));
            0
        })
    });
    let tangent = match from_line.or(from_file) {
        Some(1) => TangentPolicy::Initial,
        Some(2) => TangentPolicy::Given,
        _ => TangentPolicy::Exact,
    };
    if let Some(t) = table {
        finish(t);
    }
    let (dt, duration) = (dt?, duration?);
    if duration / dt > MAX_STEPS {
        let d = Diagnostic::unlocated(format!("{duration} s in steps of {dt} s are more than {MAX_STEPS:e} steps"));
        context.diags.push(d.help("check the units of `dt` and `duration`"));
        return None;
    }
    Some(Analysis { scheme_name, scheme, dt, duration, tangent })
}

/// An argument of a scheme as it was written.
#[derive(Clone)]
enum Given {
    Number(f64),
    Word(String),
    List(Vec<f64>),
}

impl Given {
    fn from_text(text: &str) -> Self {
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

    fn argument(&self) -> Argument<'_> {
        match self {
            Given::Number(x) => Argument::Number(*x),
            Given::Word(w) => Argument::Word(w),
            Given::List(l) => Argument::List(l),
        }
    }
}

/// A scheme by name with the parameters written on a command line, e.g. `lsrt2` with `gamma=minus`.
pub fn scheme_from_text(name: &str, parameters: &[(String, String)]) -> Result<AnyScheme, String> {
    let info = lookup(name)?;
    let given: Vec<(&str, Given)> = parameters.iter().map(|(n, v)| (n.as_str(), Given::from_text(v))).collect();
    build(info, &given).map_err(|(_, message)| message)
}

fn lookup(name: &str) -> Result<&'static SchemeInfo, String> {
    find(name).ok_or_else(|| {
        let names: Vec<&str> = SCHEMES.iter().map(|s| s.name).collect();
        let help = did_you_mean(name, names.iter().copied()).unwrap_or_else(|| format!("known: {}", names.join(", ")));
        format!("there is no scheme `{name}`; {help}")
    })
}

/// Builds a scheme; the error names the parameter at fault, if one is.
fn build(info: &SchemeInfo, given: &[(&str, Given)]) -> Result<AnyScheme, (Option<String>, String)> {
    for (name, _) in given {
        if !info.parameters.iter().any(|p| p.name == *name) {
            let known: Vec<&str> = info.parameters.iter().map(|p| p.name).collect();
            let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
            let message = format!("scheme `{}` has no parameter `{name}` (it has: {known})", info.name);
            return Err((Some((*name).to_owned()), message));
        }
    }
    let arguments: Vec<(&str, Argument<'_>)> = given.iter().map(|(n, g)| (*n, g.argument())).collect();
    (info.build)(Arguments(&arguments)).map_err(|e| {
        (Some(e.name.to_owned()), format!("parameter `{}` of scheme `{}` must be {}", e.name, info.name, e.expected))
    })
}

fn scheme(context: &Context<'_>, table: Option<&Table<'_>>, overrides: &Overrides) -> Option<(String, AnyScheme)> {
    let unlocated = |message: String| {
        context
            .diags
            .push(Diagnostic::unlocated(message).help("`interfield schemes` lists them with their parameters"));
    };
    // From the file: a name, or a table with name and parameters.
    let mut name = Spanned::new("lsrt2".to_owned(), 0..0);
    let mut given: Vec<(String, Given, std::ops::Range<usize>)> = Vec::new();
    if let Some(t) = table {
        if t.is_table("scheme") {
            let inner = t.table("scheme")?;
            name = inner.string_required("name", "\"lsrt2\"")?;
            for key in inner.keys().into_iter().filter(|k| k.value != "name") {
                let value = if inner.is_string(&key.value) {
                    inner.string(&key.value).map(|s| Given::from_text(&s.value))
                } else if inner.is_list(&key.value) {
                    inner.numbers(&key.value).map(|l| Given::List(l.value.iter().map(|x| x.value).collect()))
                } else {
                    inner.number(&key.value).map(|x| Given::Number(x.value))
                };
                given.push((key.value, value?, key.span));
            }
            finish(inner);
        } else if let Some(n) = t.string("scheme") {
            name = n;
        }
    }
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
    let info = match lookup(&name.value) {
        Ok(info) => info,
        Err(message) if name.span.is_empty() => {
            unlocated(message);
            return None;
        }
        Err(message) => {
            let (message, help) = message.split_once("; ").unwrap_or((&message, ""));
            context.error(name.span, message, help);
            return None;
        }
    };
    let (pairs, spans): (Vec<(&str, Given)>, Vec<_>) =
        given.iter().map(|(n, g, s)| ((n.as_str(), g.clone()), (n.clone(), s.clone()))).unzip();
    match build(info, &pairs) {
        Ok(scheme) => Some((name.value, scheme)),
        Err((parameter, message)) => {
            let span = spans.iter().find(|(n, _)| Some(n) == parameter.as_ref()).map(|s| s.1.clone());
            match span.filter(|s| !s.is_empty()).or(Some(name.span).filter(|s| !s.is_empty())) {
                Some(span) => context.error(span, message, format!("`interfield schemes {}` explains them", info.name)),
                None => unlocated(message),
            }
            None
        }
    }
}

/// Reads `[record]`: channels and thinning.
pub(super) fn channels(context: &Context<'_>, root: &Table<'_>, loads: &[String]) -> (Vec<Channel>, u64) {
    let table = root.table("record");
    let every = table.as_ref().and_then(|t| t.integer("every"));
    if let Some(e) = every.as_ref().filter(|e| e.value < 1) {
        context.error(e.span.clone(), "`every` counts steps from 1", "write every = 1 to record each step");
    }
    let every = every.map_or(1, |e| e.value.max(1) as u64);
    let listed = table.as_ref().and_then(|t| t.list_of_strings("channels"));
    if let Some(t) = table {
        finish(t);
    }
    let Some(listed) = listed else {
        let free = context.dofs.iter().enumerate().filter(|(_, d)| matches!(d.support, Support::Free));
        let all = free.map(|(i, d)| channel(context, d.name.clone(), Quantity::Displacement(i), context.disp(i)));
        return (all.take(DEFAULT_CHANNELS).collect(), every);
    };
    for (i, c) in listed.value.iter().enumerate() {
        if listed.value[..i].iter().any(|d| d.value == c.value) {
            context.error(c.span.clone(), format!("channel `{}` is listed twice", c.value), "remove one");
        }
    }
    (listed.value.iter().filter_map(|c| read_channel(context, c, loads)).collect(), every)
}

fn channel(context: &Context<'_>, name: String, quantity: Quantity, dim: Dimension) -> Channel {
    let units = &context.scope.units;
    Channel { name, quantity, unit: units.label(dim), factor: 1.0 / units.factor(dim) }
}

fn read_channel(context: &Context<'_>, text: &Spanned<String>, loads: &[String]) -> Option<Channel> {
    let (first, rest) = text.value.split_once('.').unwrap_or((&text.value, ""));
    let make = |quantity, dim| Some(channel(context, text.value.clone(), quantity, dim));
    if let Some(i) = loads.iter().position(|l| l == first)
        && rest.is_empty()
    {
        let dim = context.load_dimensions.get(first).copied().unwrap_or(Dimension::NONE);
        return make(Quantity::LoadSignal(i), dim);
    }
    if let Some(node) = context.nodes.iter().position(|n| n.name == first) {
        let (dof, what) = rest.split_once('.').unwrap_or((rest, "u"));
        if dof.is_empty() {
            let message = format!("`{}` does not say which direction of the node", text.value);
            context.error(text.span.clone(), message, format!("write \"{first}.x\" for its displacement in x"));
            return None;
        }
        let d = context.dof_of(node, dof, text.span.clone())?;
        let (disp, time) = (context.disp(d), Dimension::TIME);
        return match what {
            "u" => make(Quantity::Displacement(d), disp),
            "v" => make(Quantity::Velocity(d), disp.per(time)),
            "a" => make(Quantity::Acceleration(d), disp.per(time).per(time)),
            "abs" => make(Quantity::AbsoluteAcceleration(d), disp.per(time).per(time)),
            _ => {
                let message = format!("`{what}` is not a quantity of a degree of freedom");
                context.error(
                    text.span.clone(),
                    message,
                    "write u, v, a (relative acceleration) or abs (absolute acceleration)",
                );
                None
            }
        };
    }
    if let Some(e) = context.elements.iter().position(|e| e.name == first) {
        return element_channel(context, text, e, rest);
    }
    let known = context.nodes.iter().map(|n| n.name.as_str());
    let known = known.chain(context.elements.iter().map(|e| e.name.as_str())).chain(loads.iter().map(String::as_str));
    let help = did_you_mean(first, known).unwrap_or_else(|| "a channel names a node, an element or a load".to_owned());
    context.error(text.span.clone(), format!("nothing is called `{first}`"), help);
    None
}

fn element_channel(context: &Context<'_>, text: &Spanned<String>, e: usize, what: &str) -> Option<Channel> {
    let element = &context.elements[e];
    let make = |quantity, dim| Some(channel(context, text.value.clone(), quantity, dim));
    let first_dofs: Vec<Option<usize>> = match &element.kind {
        Kind::Law { coordinates, .. } | Kind::Formula { coordinates, .. } | Kind::Block { coordinates, .. } => {
            coordinates.iter().map(|c| c.first().map(|x| x.0)).collect()
        }
        Kind::Linear { dofs, .. } => dofs.iter().map(|d| Some(*d)).collect(),
    };
    let (what, index) = what.split_once('.').unwrap_or((what, "1"));
    let disp = |i: usize| first_dofs[i].map_or(Dimension::LENGTH, |d| context.disp(d));
    if what == "force" || what == "deformation" {
        let i = index.parse::<usize>().ok().filter(|i| (1..=first_dofs.len()).contains(i));
        let Some(i) = i else {
            let message =
                format!("element `{}` has {} coordinates, `{index}` is none of them", element.name, first_dofs.len());
            context.error(text.span.clone(), message, "count them from 1");
            return None;
        };
        let d = disp(i - 1);
        return if what == "force" {
            make(Quantity::Force(e, i - 1), Dimension::MOMENT.per(d))
        } else {
            make(Quantity::Deformation(e, i - 1), d)
        };
    }
    let states: Vec<(String, Dimension)> = match &element.kind {
        Kind::Law { law, .. } => {
            let d = disp(0);
            let states = law.info().states.iter();
            states.map(|s| (s.name.to_owned(), dimension(s.unit, Dimension::MOMENT.per(d), d, 1.0))).collect()
        }
        Kind::Formula { states, .. } => states.iter().map(|s| (s.clone(), Dimension::NONE)).collect(),
        Kind::Block { block, .. } => (1..=block.states).map(|i| (format!("s{i}"), Dimension::NONE)).collect(),
        Kind::Linear { .. } => Vec::new(),
    };
    if let Some(i) = states.iter().position(|(name, _)| name == what) {
        return make(Quantity::State(e, i), states[i].1);
    }
    let mut known = vec!["force", "deformation"];
    known.extend(states.iter().map(|(name, _)| name.as_str()));
    let message = format!("element `{}` has no quantity `{what}`", element.name);
    context.error(text.span.clone(), message, format!("it has: {}", known.join(", ")));
    None
}
