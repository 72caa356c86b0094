//! How schemes amplify: the spectral radius over Ω = ω dt, by stepping them.

use interfield_analysis::spectrum::{SpectrumError, spectrum};
use interfield_kernel::Domain;
use interfield_kernel::scheme::registry::{AnyScheme, Argument, Arguments, SCHEMES, SchemeInfo};
use interfield_report::{Axis, BLACK, Curve, Figure, Panel, Style};
use interfield_structure::assembled::oscillator;

/// What is tried of parameters that change the amplification: (parameter, values).
const TRIED: [(&str, &[Argument<'static>]); 3] = [
    ("rho_inf", &[Argument::Number(0.0), Argument::Number(0.5), Argument::Number(0.8), Argument::Number(1.0)]),
    ("alpha", &[Argument::Number(0.0), Argument::Number(0.1), Argument::Number(1.0 / 3.0)]),
    ("gamma", &[Argument::Word("minus"), Argument::Word("plus")]),
];

/// A tableau for the scheme that has none of its own: the explicit midpoint rule, whose radius differs from all others here.
const TABLEAU: [(&str, Argument<'static>); 4] = [
    ("gamma", Argument::Number(0.0)),
    ("b", Argument::List(&[0.0, 1.0])),
    ("alpha", Argument::List(&[0.5])),
    ("gammas", Argument::List(&[0.0])),
];

/// A picture of each.
pub(crate) fn all() -> Result<Vec<(String, String)>, String> {
    let reference = match SCHEMES.iter().find(|s| s.name == "generalized-alpha") {
        Some(info) => (info.build)(Arguments(&[])).ok(),
        None => None,
    };
    let reference = reference.ok_or("there is no generalized-alpha to compare schemes with")?;
    SCHEMES.iter().map(|info| Ok((format!("scheme-{}", info.name), picture(info, &reference)?))).collect()
}

/// The members of a scheme that are drawn, by what they are called.
fn members(info: &SchemeInfo) -> Vec<(String, AnyScheme)> {
    if let Ok(plain) = (info.build)(Arguments(&[])) {
        let tried = TRIED.iter().find(|(name, _)| info.parameters.iter().any(|p| p.name == *name));
        let values = tried.map_or(&[][..], |t| t.1);
        let member = |value: &Argument<'static>| {
            let name = tried?.0;
            Some((format!("{name} = {}", words(value)), (info.build)(Arguments(&[(name, *value)])).ok()?))
        };
        let found: Vec<_> = values.iter().filter_map(member).collect();
        return if found.is_empty() { vec![(info.name.to_owned(), plain)] } else { found };
    }
    let member = (info.build)(Arguments(&TABLEAU)).ok();
    member.map(|m| ("explicit midpoint rule as its tableau".to_owned(), m)).into_iter().collect()
}

fn words(value: &Argument<'_>) -> String {
    match value {
        Argument::Word(word) => (*word).to_owned(),
        Argument::Number(x) if (x - 1.0 / 3.0).abs() < 1e-12 => "1/3".to_owned(),
        Argument::Number(x) => x.to_string(),
        Argument::List(list) => format!("{list:?}"),
    }
}

fn picture(info: &SchemeInfo, reference: &AnyScheme) -> Result<String, String> {
    let members = members(info);
    if members.is_empty() {
        return Err(format!(
            "scheme {}: it has required parameters that crates/book/src/pictures does not know",
            info.name
        ));
    }
    let mut curves = Vec::new();
    if !info.parameters.iter().any(|p| p.name == "rho_inf") {
        let name = "generalized-alpha, rho_inf = 0.8";
        curves.push(Curve::line(name, radii(reference, info)?).style(Style::Dashed).colour(BLACK));
    }
    for (i, (name, scheme)) in members.iter().enumerate() {
        curves.push(Curve::line(name.as_str(), radii(scheme, info)?).colour(i));
    }
    let panel = Panel {
        x: Axis::new("Ω = ω Δt", "").log().over(0.01, 1000.0),
        y: Axis::new("spectral radius ρ", "").over(0.0, 1.2),
        curves,
        ..Panel::default()
    };
    Ok(Figure { width: 520.0, slenderness: 0.45, ..Figure::new(vec![panel]) }.svg())
}

/// Spectral radii of the undamped oscillator.
fn radii(scheme: &AnyScheme, info: &SchemeInfo) -> Result<Vec<(f64, f64)>, String> {
    let at = |i: i32| {
        let omega = 10f64.powf(-2.0 + f64::from(i) / 20.0);
        let system = oscillator(0.0).map_err(SpectrumError::Step)?;
        let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(scheme, &system);
        let mut domain =
            Domain::new(*scheme, system, omega, vec![0.0; nx], vec![0.0; nw]).map_err(SpectrumError::Step)?;
        Ok((omega, spectrum(&mut domain, omega)?.rho))
    };
    let radii: Result<Vec<_>, SpectrumError> = (0..=100).map(at).collect();
    radii.map_err(|e| format!("scheme {}: its step could not be probed: {e:?}", info.name))
}
