//! Elements whose forces and state rates are formulas of the model file.

use interfield_kernel::element::{Element as _, Tangent};

use super::Context;
use super::elements::{DOFS, difference, initial_states, listed};
use crate::formula::{FormulaElement, FormulaError, FormulaSpec};
use crate::key::{Kind as _, *};
use crate::model::{Coordinate, Kind};
use crate::reader::{Raw, Spanned, Table};
use crate::units::Dimension;

section! {
    /// Keys of formulas; what they mean is said by the catalogue.
    pub(super) [OPTIONS];
    COORDINATES: List<Text> = key("coordinates", "Names of its coordinates.").example("[\"theta\"]");
    FORCE: Or<Text, List<Text>> = key("force", "Its force, or forces.").required().example("k*u + c*v");
    STATES: Inner = table("states", &RATES, "Its states, each with the formula of its rate.").example("{ z = \"k*v - abs(v)*z\" }");
    PARAMETERS: Inner = table("parameters", &CONSTANTS, "Constants of this element.").example("{ k = \"4 kN/mm\" }");
}

section! {
    pub(super) RATES = ("rates", "{ ... }", "States, each with the formula of its rate.").others(|| Text.value());
}
section! {
    pub(super) CONSTANTS = ("constants", "{ ... }", "Constants of this element.").others(|| Anything.value());
}

/// Reads an element of type `formula`.
pub(super) fn formula(context: &Context<'_>, table: &Table<'_>, s0: &mut Vec<f64>) -> Option<Kind> {
    let (coordinates, q) = coordinates(context, table);
    let constants = constants(context, table, &PARAMETERS);
    let forces: Vec<Spanned<String>> = match table.read(&FORCE) {
        Some(Spanned { value: Either::First(one), span }) => vec![Spanned::new(one, span)],
        Some(Spanned { value: Either::Second(list), .. }) => list,
        None => Vec::new(),
    };
    let rates = rates(table, &STATES);
    let states: Vec<(String, Dimension)> = rates.iter().map(|(n, _)| (n.value.clone(), Dimension::NONE)).collect();
    initial_states(table, &states, s0);
    let q = q?;
    if forces.len() != q.len() {
        if !forces.is_empty() {
            let message = format!("{} forces for {} coordinates ({})", forces.len(), q.len(), q.join(", "));
            let span = forces[0].span.start..forces[forces.len() - 1].span.end;
            context.error(span, message, "give one `force` per coordinate");
        }
        return None;
    }
    // A formula is checked even where its degrees of freedom are not known.
    let dims: Vec<Dimension> = match &coordinates {
        Some(list) => list.iter().map(|c| c.first().map_or(Dimension::LENGTH, |x| context.disp(x.0))).collect(),
        None => vec![Dimension::LENGTH; q.len()],
    };
    let spec = FormulaSpec {
        v: q.iter().map(|n| rate_name(n)).collect(),
        q,
        s: rates.iter().map(|(n, _)| n.value.clone()).collect(),
        forces: forces.iter().map(|f| f.value.clone()).collect(),
        rates: rates.iter().map(|(_, r)| r.value.clone()).collect(),
        constants,
        ..FormulaSpec::default()
    }
    .in_units(&context.scope.units, &dims, &vec![Dimension::NONE; rates.len()]);
    let texts: Vec<&Spanned<String>> = forces.iter().chain(rates.iter().map(|(_, r)| r)).collect();
    match FormulaElement::new(&spec) {
        Ok(element) => {
            let coordinates = coordinates?;
            check_at_start(context, &element, &coordinates, s0, &texts);
            Some(Kind::Formula { element: Box::new(element), coordinates, states: spec.s })
        }
        Err(errors) => {
            errors.into_iter().for_each(|e| report(context, table, &texts, e));
            None
        }
    }
}

/// The rate of u is v, that of u1 is v1, and that of a coordinate called theta is theta_dot.
fn rate_name(coordinate: &str) -> String {
    match coordinate.strip_prefix('u') {
        Some(rest) if rest.chars().all(|c| c.is_ascii_digit()) => format!("v{rest}"),
        _ => format!("{coordinate}_dot"),
    }
}

/// The coordinates and their names, each as far as it can be read.
fn coordinates(context: &Context<'_>, table: &Table<'_>) -> (Option<Vec<Coordinate>>, Option<Vec<String>>) {
    let names = table.read(&COORDINATES);
    if !table.has(&DOFS) {
        let q = match names {
            Some(n) if n.value.len() == 1 => vec![n.value[0].value.clone()],
            Some(n) => {
                let message =
                    format!("{} coordinate names, but an element between two nodes has one coordinate", n.value.len());
                context.error(n.span, message, "give one name, or list degrees of freedom under `dofs`");
                return (difference(context, table).map(|c| vec![c]), None);
            }
            None => vec!["u".to_owned()],
        };
        return (difference(context, table).map(|c| vec![c]), Some(q));
    }
    let coordinates = listed(context, table, &DOFS, None);
    let count = table.read(&DOFS).map(|d| d.value.len());
    let q = match (names, count) {
        (Some(n), Some(count)) if n.value.len() != count => {
            let message = format!("{} coordinate names for {count} degrees of freedom", n.value.len());
            context.error(n.span, message, "give as many `coordinates` as `dofs`");
            None
        }
        (Some(n), _) => Some(n.value.into_iter().map(|n| n.value).collect()),
        (None, Some(1)) => Some(vec!["u".to_owned()]),
        (None, Some(count)) => Some((1..=count).map(|i| format!("u{i}")).collect()),
        (None, None) => None,
    };
    (coordinates, q)
}

/// The parameters of the file, and on top of them those of the element.
pub(super) fn constants(context: &Context<'_>, table: &Table<'_>, key: &Key<Inner>) -> Vec<(String, f64)> {
    let scope = &context.scope;
    let mut constants = scope.constants();
    let Some(own) = table.open(key) else { return constants };
    for key in own.keys() {
        let value = match own.entry(&key.value, &Anything, Allowed::Any) {
            Some(Spanned { value: Raw::Number(x), .. }) => Some(x),
            Some(Spanned { value: Raw::Text(t), span }) => match scope.evaluate(&t) {
                Ok(v) => Some(v.si / v.dim.map_or(1.0, |d| scope.units.factor(d))),
                Err(errors) => {
                    let text = Spanned::new(t, span);
                    errors.into_iter().for_each(|e| own.expr_error(&text, e));
                    None
                }
            },
            None => None,
        };
        constants.retain(|c| c.0 != key.value);
        constants.push((key.value, value.unwrap_or(1.0)));
    }
    own.finish();
    constants
}

/// `states = { z = "..." }`: names and formulas of their rates.
pub(super) fn rates(table: &Table<'_>, key: &Key<Inner>) -> Vec<(Spanned<String>, Spanned<String>)> {
    let Some(states) = table.open(key) else { return Vec::new() };
    let rates = states
        .keys()
        .into_iter()
        .filter_map(|key| states.entry(&key.value, &Text, Allowed::Any).map(|rate| (key, rate)))
        .collect();
    states.finish();
    rates
}

/// An error of the compiler, at its formula if it has one.
pub(super) fn report(context: &Context<'_>, table: &Table<'_>, texts: &[&Spanned<String>], e: FormulaError) {
    match texts.get(e.formula) {
        Some(text) => table.expr_error(text, e.error),
        None => context.error(table.span(), e.error.message, e.error.help.unwrap_or_default()),
    }
}

/// A formula that is not finite in the initial state is wrong now, not in the middle of a test. The same for its
/// derivatives: the schemes need them.
fn check_at_start(
    context: &Context<'_>,
    element: &FormulaElement,
    coordinates: &[Coordinate],
    s0: &[f64],
    texts: &[&Spanned<String>],
) {
    let (d, s) = element.size();
    let sum = |c: &Coordinate, f: &dyn Fn(usize) -> f64| c.iter().map(|&(i, x)| x * f(i)).sum::<f64>();
    let q: Vec<f64> = coordinates.iter().map(|c| sum(c, &|i| context.dofs[i].u0)).collect();
    let v: Vec<f64> = coordinates.iter().map(|c| sum(c, &|i| context.dofs[i].v0)).collect();
    let states: Vec<f64> = (0..s).map(|i| s0.get(i).copied().unwrap_or(0.0)).collect();
    let (mut p, mut g) = (vec![0.0; d], vec![0.0; s]);
    element.response(0.0, &q, &v, &states, &mut p, &mut g);
    let [mut k, mut c, mut r, mut a, mut b, mut e] = [d * d, d * d, d * s, s * d, s * d, s * s].map(|n| vec![0.0; n]);
    let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
    element.tangent(0.0, &q, &v, &states, &vec![0.0; d], out);
    for (i, (value, text)) in p.iter().chain(&g).zip(texts).enumerate() {
        // Row of this formula in the derivatives by coordinates, rates and states.
        let (row, [x, y, z]) = if i < d { (i, [&k, &c, &r]) } else { (i - d, [&a, &b, &e]) };
        let finite = |m: &[f64], width: usize| m[row * width..(row + 1) * width].iter().all(|x| x.is_finite());
        if !value.is_finite() {
            let message = format!("this formula gives {value} in the initial state");
            let help = "a division by zero, or a root or logarithm of a number that is not positive: avoid it, e.g. \
                with max(u, 1e-9)";
            context.error(text.span.clone(), message, help);
        } else if !(finite(x, d) && finite(y, d) && finite(z, s)) {
            let message = "the slope of this formula is not finite in the initial state";
            let help = "a root or power with a vertical tangent there: smooth it, e.g. sqrt(abs(u) + 1e-9)";
            context.error(text.span.clone(), message, help);
        }
    }
}
