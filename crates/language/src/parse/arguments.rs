//! Arguments of the entries of a registry (schemes, couplings, compensators), as they are written in a file or on a command
//! line.

use std::ops::Range;

use interfield_kernel::scheme::registry::{Argument, ArgumentError, Arguments, Measure, SchemeParameter};

use super::Context;
use crate::diag::{Diagnostic, did_you_mean};
use crate::key::*;
use crate::reader::{Spanned, Table};
use crate::schema::{self, Value, sentence};
use crate::units::Dimension;

/// An argument of a scheme, a coupling or a compensator as it was written.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub(super) enum Given {
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
        let inside = text.trim_matches(['[', ']']).trim();
        let words = inside.split(',').filter(|_| !inside.is_empty());
        let list: Result<Vec<f64>, _> = words.map(|w| w.trim().parse()).collect();
        match list {
            Ok(list) if text.contains(',') || text.starts_with('[') => Given::List(list),
            _ => Given::Word(text.to_owned()),
        }
    }

    /// As the registry takes it.
    pub(super) fn argument(&self) -> Argument<'_> {
        match self {
            Given::Number(x) => Argument::Number(*x),
            Given::Word(w) => Argument::Word(w),
            Given::List(l) => Argument::List(l),
        }
    }
}

/// Why a scheme cannot be had: the parameter at fault (`None`: the scheme itself), a message, a suggestion.
pub(super) type Refusal = (Option<String>, String, String);

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
pub(super) type Placed = (String, Given, Range<usize>);

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
    Some(match table.entry(key, &Or(Number, Or(Text, List(Number))), Allowed::Any)?.value {
        Either::First(x) => Given::Number(x),
        Either::Second(Either::First(text)) => Given::from_text(&text),
        Either::Second(Either::Second(list)) => Given::List(list.into_iter().map(|x| x.value).collect()),
    })
}

/// Dimension of what a parameter measures.
pub(super) fn dimension(measure: Measure) -> Dimension {
    match measure {
        Measure::Time => Dimension::TIME,
        Measure::Length => Dimension::LENGTH,
        Measure::Frequency => Dimension::FREQUENCY,
        Measure::AngularFrequency => Dimension::ANGULAR_FREQUENCY,
        Measure::Rate => Dimension::RATE,
    }
}

/// What is wrong with the arguments of an entry, each at its place; that of the entry itself at `name`.
pub(super) fn report(context: &Context<'_>, name: &Spanned<String>, given: &[Placed], errors: Vec<Refusal>) {
    for (parameter, message, help) in errors {
        let place = parameter.and_then(|p| given.iter().find(|g| g.0 == p)).map_or(&name.span, |g| &g.2);
        context.diags.push(at(place, message).help(help));
    }
}

/// A diagnostic at a place of the file; nowhere (an empty place) means on the command line.
pub(super) fn at(span: &Range<usize>, message: String) -> Diagnostic {
    if span.is_empty() { Diagnostic::unlocated(message) } else { Diagnostic::error(message, span.clone()) }
}

/// Names and arguments without their places.
pub(super) fn pairs(given: &[Placed]) -> Vec<(&str, Given)> {
    given.iter().map(|(n, g, _)| (n.as_str(), g.clone())).collect()
}

/// Parameters of an entry, for the schema.
fn described(parameters: &[SchemeParameter]) -> Vec<schema::Key> {
    let written = |d: &str| if d.parse::<f64>().is_ok() { d.to_owned() } else { format!("\"{d}\"") };
    let one = |p: &SchemeParameter| schema::Key {
        name: p.name,
        value: match p.measure {
            Some(measure) => Measured(dimension(measure)).value(),
            None => Value::Either(vec![Value::Number, Value::Text, Value::list(Value::Number)]),
        },
        range: Allowed::Any,
        required: p.default.is_none(),
        default: p.default.map(written),
        doc: sentence(&format!("{}: {}", p.doc, p.expected)),
        example: match (p.default, p.measure) {
            (Some(default), _) => written(default),
            (None, Some(measure)) => Measured(dimension(measure)).value().example(),
            (None, None) => "[...]".to_owned(),
        },
    };
    parameters.iter().map(one).collect()
}

/// An entry of such a registry as a variant of the table that it is chosen in.
pub(super) fn variant(
    chooser: &'static str,
    name: &'static str,
    [title, reference, advice]: [&str; 3],
    parameters: &[SchemeParameter],
) -> schema::Variant {
    let doc = format!("{} {advice}", sentence(&format!("{title} ({reference})"))).trim_end().to_owned();
    schema::Variant { when: vec![(chooser, name)], doc, keys: described(parameters) }
}
