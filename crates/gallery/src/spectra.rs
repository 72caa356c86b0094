//! Spectral radii of the integrators in one piece: what one step does to an undamped oscillator, whatever its frequency.

use interfield_analysis::spectrum::{Principal, spectrum};
use interfield_model::Model;

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{Machine, SPLIT_MASS, Settings, with_step};
use crate::outcome::{Axis, Curve, Mark, Outcome, Panel, Style};

const LOOK: &str = "Ω = ωΔt is 2π over the number of steps in a period: at Ω = 0.3 a period has twenty. A radius of one keeps an \
oscillation for ever, one below it damps it, one above it lets it grow. A good integrator stays at one on the left, where \
motions are resolved, and falls on the right, where they are only noise of the mesh or of a specimen. L-stable methods fall \
to zero, generalized-α to the value it is given, Chang's method not at all. Of the two L-stable values of γ the larger one \
damps also what is resolved.";

/// 000, figure 1.
pub(crate) const FIG_1_OF_000: Item = Item {
    id: "000-fig-1",
    paper: Paper::P000,
    place: "Fig. 1",
    what: "Spectral radii of LSRT2, generalized-α and Chang's method",
    look: LOOK,
    commands: &[
        "interfield spectrum --scheme lsrt2 --param gamma=minus --plot rho.svg",
        "interfield spectrum --scheme lsrt2 --param gamma=plus --omega 0.1,1,10,100",
        "interfield spectrum --scheme generalized-alpha --param rho_inf=0.5",
        "interfield spectrum --scheme chang",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |progress| {
        let claim = Claim::new("LSRT2 damps high frequencies without sacrificing the low ones")
            .correction("true of γ = 1 - √2/2; γ = 1 + √2/2 damps motions that are well resolved");
        let claim = claim
            .measure(
                at(MINUS, 100.0)?
                    .claimed(Expected::AtMost(0.1))
                    .corrected(Expected::AtMost(0.1))
                    .reference(0.048_24, 1e-5),
            )
            .measure(at(PLUS, 100.0)?.claimed(Expected::AtMost(0.1)).reference(0.008_28, 1e-5))
            .measure(damping(MINUS)?.claimed(RESOLVED).corrected(RESOLVED).reference(0.0037 * TWENTY.powi(3), 3e-6))
            .measure(damping(PLUS)?.claimed(RESOLVED));
        Ok(Outcome { claims: vec![claim], ..radii(progress)? })
    },
};

/// An integrator: name in a legend, name of the scheme, its parameter.
type Integrator = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

const MINUS: Integrator = ("LSRT2, γ = 1 - √2/2", "lsrt2", &[("gamma", "minus")]);
const PLUS: Integrator = ("LSRT2, γ = 1 + √2/2", "lsrt2", &[("gamma", "plus")]);
const ALPHA: Integrator = ("generalized-α, ρ∞ = 0.5", "generalized-alpha", &[("rho_inf", "0.5")]);
const CHANG: Integrator = ("Chang", "chang", &[]);

/// Ω of twenty steps in a period, with which most structures are integrated.
const TWENTY: f64 = std::f64::consts::TAU / 20.0;
/// Damping ratio that the integrator may add to such a motion: an order below the damping of structures.
const RESOLVED: Expected = Expected::AtMost(0.002);

/// Ω from 0.01 to 1000, sixty to a decade.
fn omegas() -> impl Iterator<Item = f64> {
    (0..=300).map(|i| 10f64.powf(-2.0 + f64::from(i) / 60.0))
}

/// The oscillator of unit frequency under an integrator; Ω is its step.
fn oscillator((_, scheme, param): Integrator) -> Result<Model, Stopped> {
    SPLIT_MASS.with(&Settings { scheme, param, ..Settings::default() })
}

/// Spectral radius and principal pair of one step at Ω.
fn probed(model: &Model, omega: f64) -> Result<(f64, Option<Principal>), Stopped> {
    let mut machine = Machine::whole(with_step(model, omega))?;
    let found = spectrum(machine.map(), omega).map_err(|e| Stopped::Fault(format!("at Ω = {omega}: {e:?}")))?;
    Ok((found.rho, found.principal))
}

/// The spectral radius at Ω.
fn at(integrator: Integrator, omega: f64) -> Result<Measure, Stopped> {
    let (rho, _) = probed(&oscillator(integrator)?, omega)?;
    Ok(Measure::new(format!("{}: ρ at Ω = {omega}", integrator.0), rho, ""))
}

/// The algorithmic damping with twenty steps in a period.
fn damping(integrator: Integrator) -> Result<Measure, Stopped> {
    let (_, principal) = probed(&oscillator(integrator)?, TWENTY)?;
    let damping = principal.map_or(f64::NAN, |p| p.damping);
    Ok(Measure::new(format!("{}: algorithmic damping ratio, 20 steps per period", integrator.0), damping, ""))
}

/// The radii of all four over Ω.
fn radii(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let mut curves = Vec::new();
    for (i, integrator) in [MINUS, PLUS, ALPHA, CHANG].into_iter().enumerate() {
        let model = oscillator(integrator)?;
        let points = omegas().map(|omega| Ok((omega, probed(&model, omega)?.0))).collect::<Result<_, Stopped>>()?;
        let style = if integrator.1 == "lsrt2" { Style::Line } else { Style::Dashed };
        curves.push(Curve::line(integrator.0, points).style(style));
        progress.at(f64::from(i as u32 + 1) / 4.0)?;
    }
    let panel = Panel {
        x: Axis::log("Ω = ωΔt").over(0.01, 1000.0),
        y: Axis::new("spectral radius ρ").over(0.0, 1.1),
        curves,
        marks: vec![Mark::Vertical(TWENTY, "20 steps per period".to_owned())],
        ..Panel::default()
    };
    Ok(Outcome { panels: vec![panel], columns: 1, ..Outcome::default() })
}
