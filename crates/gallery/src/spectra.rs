//! Spectral radii of the integrators in one piece: what one step does to an undamped oscillator, whatever its frequency.

use std::f64::consts::{PI, TAU};

use interfield_analysis::spectrum::{Principal, spectrum};
use interfield_language::Model;
use interfield_report::{Axis, Curve, Mark, Panel, Style};

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{SPLIT_MASS, Settings, start_whole, with_step};
use crate::outcome::Outcome;

/// 000, figure 1.
pub(crate) const FIG_1_OF_000: Item = Item {
    id: "000-fig-1",
    paper: Paper::P000,
    place: "Fig. 1",
    what: "Spectral radii of LSRT2, generalized-α and Chang's method",
    look: "Ω = ωΔt is 2π over the number of steps in a period: at Ω = 0.3 a period has twenty. With a radius of one \
        an oscillation keeps its amplitude, below one it is damped, above one it grows. A good integrator stays at \
        one on the left, where \
motions are resolved, and falls on the right, where they are only noise of the mesh or of a specimen. Generalized-α \
does both, controlled by its parameter; LSRT2 does so without a parameter, but with the larger of its two values of γ \
it also damps resolved motions.",
    commands: &[
        "interfield spectrum --scheme lsrt2 --param gamma=minus --plot rho.svg",
        "interfield spectrum --scheme lsrt2 --param gamma=plus --omega 0.1,1,10,100",
        "interfield spectrum --scheme generalized-alpha --param rho_inf=0.5",
        "interfield spectrum --scheme chang",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |progress| {
        let can = Claim::new("LSRT2 can filter out high frequencies without sacrificing the low ones")
            .said(
                "In addition, the LSRT method exhibits user-defined algorithmic damping, which can filter out \
                high-frequency oscillations without sacrificing the accuracy of low-frequency modes.",
                "Sec. 1",
            )
            .why(format!("it says that the method can: one of its two values of γ is enough. {FILTER}"))
            .measure(at(MINUS, 100.0)?.claimed(Expected::AtMost(0.1)).reference(0.048_24, 1e-5))
            .measure(damping(MINUS)?.claimed(RESOLVED).reference(0.0037 * TWENTY.powi(3), 3e-6));
        let figure = Claim::new("LSRT2 performs favourably at low and at high frequencies")
            .said(
                "When applied to structural systems, the favourable performance of the LSRT2 method with respect to low and \
                high-frequency response can be observed from Fig. 1",
                "Sec. 2",
            )
            .why(format!("the method is that of (2.3), with either value of γ. {FILTER}"))
            .correction(ONLY_MINUS)
            .measure(at(MINUS, 100.0)?.claimed(Expected::AtMost(0.1)).corrected(Expected::AtMost(0.1)))
            .measure(at(PLUS, 100.0)?.claimed(Expected::AtMost(0.1)).reference(0.008_28, 1e-5))
            .measure(damping(MINUS)?.claimed(RESOLVED).corrected(RESOLVED))
            .measure(damping(PLUS)?.claimed(RESOLVED));
        Ok(Outcome { claims: vec![can, figure], ..radii((TWENTY, "20 steps per period"), progress)? })
    },
};

/// 001, figure 2.
pub(crate) const FIG_2_OF_001: Item = Item {
    id: "001-fig-2",
    paper: Paper::P001,
    place: "Fig. 2",
    look: "A-stable means that no step is too large; L-stable that, in addition, what is far too fast for the step is gone after \
one step. Chang's method is A-stable and keeps everything for ever, which is right for a computed structure and dangerous for \
a measured one: the noise of the load cell is kept as well. The curves of LSRT2 end at zero.",
    run: |progress| {
        let stable = Claim::new(
            "LSRT2 is L-stable with both values of γ: it never grows, and infinitely fast motions vanish in a step",
        )
        .said(
            "For the LSRT2 algorithm we introduce two sets of parameters that satisfy second-order accuracy, L-stability \
            and real-time compatibility: γ = 1 − √2/2 and γ = 1 + √2/2, respectively",
            "Linearly Implicit Real Time Compatible Algorithms",
        )
        .why(
            "no growth means a radius of at most one, up to rounding (1e-9). L-stability is a limit for Ω → ∞; the \
            radius falls as 1/Ω with a factor below 5, so that 1e-4 at Ω = 1e6 leaves a factor of twenty",
        )
        .measure(largest(MINUS)?.claimed(NO_GROWTH))
        .measure(largest(PLUS)?.claimed(NO_GROWTH))
        .measure(at(MINUS, 1e6)?.claimed(Expected::AtMost(1e-4)))
        .measure(at(PLUS, 1e6)?.claimed(Expected::AtMost(1e-4)));
        let chang = Claim::new("Chang's method is A-stable and has no high-frequency dissipation")
            .said(
                "Moreover, the method is A-stable but it does not exhibit high-frequency dissipation capabilities as \
                depicted in Fig. 2.",
                "A-stable Newmark-based method",
            )
            .why("no dissipation means a radius of one; 1e-6 and 1e-9 are rounding")
            .measure(largest(CHANG)?.claimed(NO_GROWTH))
            .measure(at(CHANG, 1000.0)?.claimed(Expected::Near { value: 1.0, tolerance: 1e-6 }).reference(1.0, 1e-6));
        Ok(Outcome { claims: vec![stable, chang], ..radii((TWENTY, "20 steps per period"), progress)? })
    },
    ..FIG_1_OF_000
};

/// 002, figure 3.
pub(crate) const FIG_3_OF_002: Item = Item {
    id: "002-fig-3",
    paper: Paper::P002,
    place: "Fig. 3",
    look: "At Ω = π a period has two steps, and higher frequencies cannot be distinguished from lower ones: the \
        Nyquist frequency of the step. \
The paper reads the figure as a filter: all that lies beyond is suppressed, all that lies before is left alone. The smaller γ \
does this; the larger one begins to filter a decade too early.",
    run: |progress| {
        let everywhere = Claim::new(
            "The radius of LSRT2 is at most one for all Ω, tends to zero at high frequencies and to one at low ones",
        )
        .said(
            "LSRT2 法在整个 Ω 区间内, 谱半径都小于等于 1; 在高频区间 (after Nyquist frequency) 谱半径随 Ω 的增大趋近于 0; \
            在低频区间 (before Nyquist frequency) 谱半径随 Ω 的减小趋近于 1。",
            "Sec. 1",
        )
        .translation(
            "The spectral radius of LSRT2 is at most 1 for all Ω; after the Nyquist frequency it tends to 0 as Ω grows, \
            before it to 1 as Ω falls.",
        )
        .why(
            "at most one: up to rounding (1e-9). The limits for Ω → ∞ and Ω → 0 are taken at the ends of the figure: \
            within 1 % of zero at Ω = 1000, within 0.1 % of one at Ω = 0.01",
        )
        .measure(largest(MINUS)?.claimed(NO_GROWTH))
        .measure(largest(PLUS)?.claimed(NO_GROWTH))
        .measure(at(MINUS, 1000.0)?.claimed(Expected::AtMost(0.01)))
        .measure(at(PLUS, 1000.0)?.claimed(Expected::AtMost(0.01)))
        .measure(at(MINUS, 0.01)?.claimed(Expected::AtLeast(0.999)))
        .measure(at(PLUS, 0.01)?.claimed(Expected::AtLeast(0.999)));
        let accurate = Claim::new("LSRT2 filters high frequencies without touching the accuracy of low ones")
            .said("这表明该方法具有高频响应过滤特性, 且不影响低频响应的精度。", "Sec. 1")
            .translation(
                "This shows that the method filters the high-frequency response without affecting the accuracy of the \
                low-frequency response.",
            )
            .why(FILTER)
            .correction(ONLY_MINUS)
            .measure(at(MINUS, 1.0)?.reference(0.99687, 1e-5))
            .measure(at(PLUS, 1.0)?.reference(0.66760, 1e-5))
            .measure(damping(MINUS)?.claimed(RESOLVED).corrected(RESOLVED))
            .measure(damping(PLUS)?.claimed(RESOLVED));
        Ok(Outcome { claims: vec![everywhere, accurate], ..radii((PI, "Nyquist frequency"), progress)? })
    },
    ..FIG_1_OF_000
};

/// An integrator: name in a legend, name of the scheme, its parameter.
pub(crate) type Integrator = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

pub(crate) const MINUS: Integrator = ("LSRT2, γ = 1 − √2/2", "lsrt2", &[("gamma", "minus")]);
pub(crate) const PLUS: Integrator = ("LSRT2, γ = 1 + √2/2", "lsrt2", &[("gamma", "plus")]);
const ALPHA: Integrator = ("generalized-α, ρ∞ = 0.5", "generalized-alpha", &[("rho_inf", "0.5")]);
const CHANG: Integrator = ("Chang", "chang", &[]);

/// What holds of both values of γ.
const ONLY_MINUS: &str = "true of γ = 1 − √2/2; γ = 1 + √2/2 damps motions that are well resolved";
/// Why a filter is judged by these limits.
const FILTER: &str = "the paper gives no number. High frequencies: with a radius of 0.1 at Ω = 100 a motion is below one per \
    cent after two steps. Low frequencies: with 20 steps per period, as structures are usually integrated, a damping \
    ratio of 0.002 is a tenth of the 2 % of a steel structure";
/// What a radius is where nothing grows, up to rounding.
const NO_GROWTH: Expected = Expected::AtMost(1.0 + 1e-9);
/// Ω of twenty steps in a period, with which most structures are integrated.
const TWENTY: f64 = TAU / 20.0;
/// Damping ratio that the integrator may add to such a motion: an order below the damping of structures.
const RESOLVED: Expected = Expected::AtMost(0.002);

/// Ω from 0.01 to 1000, sixty to a decade.
fn omegas() -> impl Iterator<Item = f64> {
    (0..=300).map(|i| 10f64.powf(-2.0 + f64::from(i) / 60.0))
}

/// The oscillator of unit frequency under an integrator; Ω is its step.
pub(crate) fn oscillator((_, scheme, param): Integrator) -> Result<Model, Stopped> {
    SPLIT_MASS.with(&Settings { scheme, param, ..Settings::default() })
}

/// Spectral radius and principal pair of one step at Ω.
pub(crate) fn probed(model: &Model, omega: f64) -> Result<(f64, Option<Principal>), Stopped> {
    let mut machine = start_whole(with_step(model, omega))?;
    let found =
        spectrum(machine.coupling.as_mut(), omega).map_err(|e| Stopped::Fault(format!("at Ω = {omega}: {e:?}")))?;
    Ok((found.rho, found.principal))
}

/// The spectral radius at Ω.
fn at(integrator: Integrator, omega: f64) -> Result<Measure, Stopped> {
    let (rho, _) = probed(&oscillator(integrator)?, omega)?;
    Ok(Measure::new(format!("{}: ρ at Ω = {omega}", integrator.0), rho, ""))
}

/// The largest spectral radius over Ω.
fn largest(integrator: Integrator) -> Result<Measure, Stopped> {
    let model = oscillator(integrator)?;
    let radii = omegas().map(|omega| Ok(probed(&model, omega)?.0)).collect::<Result<Vec<f64>, Stopped>>()?;
    let largest = radii.into_iter().fold(0.0, f64::max);
    Ok(Measure::new(format!("{}: largest ρ from Ω = 0.01 to 1000", integrator.0), largest, ""))
}

/// The algorithmic damping with twenty steps in a period.
fn damping(integrator: Integrator) -> Result<Measure, Stopped> {
    let (_, principal) = probed(&oscillator(integrator)?, TWENTY)?;
    let damping = principal.map_or(f64::NAN, |p| p.damping);
    Ok(Measure::new(format!("{}: algorithmic damping ratio, 20 steps per period", integrator.0), damping, ""))
}

/// The radii of all four over Ω, with one value of it marked.
fn radii(mark: (f64, &str), progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let mut curves = Vec::new();
    for (i, integrator) in [MINUS, PLUS, ALPHA, CHANG].into_iter().enumerate() {
        let model = oscillator(integrator)?;
        let points = omegas().map(|omega| Ok((omega, probed(&model, omega)?.0))).collect::<Result<_, Stopped>>()?;
        let style = if integrator.1 == "lsrt2" { Style::Line } else { Style::Dashed };
        curves.push(Curve::line(integrator.0, points).style(style));
        progress.at(f64::from(i as u32 + 1) / 4.0)?;
    }
    let panel = Panel {
        x: Axis::new("Ω = ωΔt", "").log().over(0.01, 1000.0),
        y: Axis::new("spectral radius ρ", "").over(0.0, 1.1),
        curves,
        marks: vec![Mark::Vertical(mark.0, mark.1.to_owned())],
        ..Panel::default()
    };
    Ok(Outcome { panels: vec![panel], columns: 1, ..Outcome::default() })
}
