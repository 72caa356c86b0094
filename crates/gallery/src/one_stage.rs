//! What paper 001 says of the integrators beside LSRT2: LSRT1, and Chang's method under nonlinear damping.

use interfield_analysis::spectrum::spectrum;
use interfield_report::{Axis, BLACK, Curve, Panel, Style};

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::item::{Item, Paper, Stopped};
use crate::models::{SPLIT_MASS, Settings, VISCOUS_OSCILLATOR, run, start_whole, stopped, with_step};
use crate::outcome::Outcome;

/// 001, LSRT1.
pub(crate) const LSRT1: Item = Item {
    id: "001-lsrt1",
    paper: Paper::P001,
    place: "Eq. 2",
    what: "LSRT1: order of accuracy and damping of high frequencies",
    look: "One stage, one solution per step. Halve the step and the error halves: first order. What is much faster than the step is gone after \
        it, as with every L-stable method. The price is on the left: with twenty steps in a period LSRT1 damps the \
        motion by 15 % of critical, which is why the paper goes on with two stages.",
    commands: &[
        "interfield order models/split-mass.toml --scheme lsrt1 --set b1=1 --until \"0.5 s\"",
        "interfield spectrum --scheme lsrt1 --omega 0.314,1,10,100",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |_| {
        let errors = errors("lsrt1")?;
        let order = match &errors[..] {
            [.., coarse, fine] => (coarse.1 / fine.1).log2() / (coarse.0 / fine.0).log2(),
            _ => f64::NAN,
        };
        let first = Claim::new("LSRT1 with b₁ = 1 is first order accurate")
            .said("The method is first order accuracy when b1 = 1.", "below eq. 2")
            .why("an order is a slope that is approached: 0.1 from a whole number at the two finest steps")
            .measure(Measure::new("observed order", order, "").claimed(Expected::Near { value: 1.0, tolerance: 0.1 }));
        let probe = |scheme: &str, param: &[(&str, &str)], omega: f64| {
            let model = SPLIT_MASS.with(&Settings { scheme, param, ..Settings::default() })?;
            let mut machine = start_whole(with_step(&model, omega))?;
            spectrum(machine.coupling.as_mut(), omega).map(|s| s.rho).map_err(|e| Stopped::Fault(format!("{e:?}")))
        };
        let radius = |omega: f64| -> Result<Measure, Stopped> {
            let exact = 1.0 / (1.0 + omega * omega).sqrt();
            let what = format!("γ = 1: spectral radius at Ω = {omega}");
            Ok(Measure::new(what, probe("lsrt1", &[], omega)?, "").reference(exact, 1e-9))
        };
        let other = |gamma: f64| -> Result<Measure, Stopped> {
            let text = gamma.to_string();
            let param = [("gamma", text.as_str()), ("b", "[1]"), ("alpha", "[]"), ("gammas", "[]")];
            let what = format!("γ = {gamma}: spectral radius at Ω = 1e6");
            let found = Measure::new(what, probe("rosenbrock", &param, 1e6)?, "");
            Ok(found.claimed(Expected::AtLeast(0.05)).reference((1.0 - 1.0 / gamma).abs(), 1e-5))
        };
        let stable = Claim::new("LSRT1 is L-stable with γ = 1, and with no other γ")
            .said("The condition necessary to the method to achieve L-stability is γ = 1.", "below eq. 2")
            .why("L-stable: never above one, and towards zero for large Ω; the closed form 1/√(1 + Ω²) has 0.001 at Ω = 1000. Necessary: with a γ \
                that is a tenth off, the radius for large Ω, |1 − 1/γ|, stays above 0.05")
            .measure(radius(0.1)?.claimed(Expected::AtMost(1.0)))
            .measure(radius(10.0)?.claimed(Expected::AtMost(1.0)))
            .measure(radius(1000.0)?.claimed(Expected::AtMost(1.1e-3)))
            .measure(other(0.9)?)
            .measure(other(1.1)?);
        let slope = errors.iter().map(|e| (e.0, 0.5 * e.0)).collect();
        let panel = Panel {
            x: Axis::new("Δt", "s").log(),
            y: Axis::new("error at 0.5 s", "m, m/s").log(),
            curves: vec![
                Curve::line("LSRT1", errors).style(Style::Joined),
                Curve::line("LSRT2, γ = 1 − √2/2", self::errors("lsrt2")?).style(Style::Joined),
                Curve::line("slope 1", slope).style(Style::Dashed).colour(BLACK),
            ],
            ..Panel::default()
        };
        Ok(Outcome { panels: vec![panel], columns: 1, claims: vec![first, stable], ..Outcome::default() })
    },
};

/// 001, Chang's method.
pub(crate) const CHANG: Item = Item {
    id: "001-chang",
    paper: Paper::P001,
    place: "below eq. 6",
    what: "Chang's method under nonlinear viscous damping",
    look: "The printed equation of motion holds at the end of the step, with the velocity there; that velocity contains the unknown \
        acceleration. If the damping is linear, a constant matrix is factorised. If it is not, the equation has to \
        be iterated, or it is not fulfilled: the panel shows what is left of it after one evaluation. It falls with \
        the square of the step. So one evaluation, at v + Δt a and brought back along the tangent, as this program does, \
        keeps the second order, and the test stays explicit.",
    commands: &[
        "interfield run models/viscous-oscillator.toml",
        "interfield order models/viscous-oscillator.toml --scheme chang --until \"2 s\"",
        "interfield order models/viscous-oscillator.toml --scheme lsrt2 --until \"2 s\"",
    ],
    models: &[&VISCOUS_OSCILLATOR],
    seconds: 1,
    run: |_| {
        let steps = [0.1, 0.05, 0.025, 0.0125];
        let left = |n: &str| steps.iter().map(|dt| Ok((*dt, residual(n, *dt)?))).collect::<Result<Vec<_>, Stopped>>();
        let (linear, square) = (left("1")?, left("2")?);
        let worst = |list: &[(f64, f64)]| list.iter().fold(0.0, |m: f64, p| m.max(p.1));
        let claim = Claim::new("Nonlinear damping makes Chang's method implicit; linear damping does not")
            .said("Nonetheless and differently from the LSRT algorithms, the method is linearly implicit only with respect to nonlinear restoring forces while nonlinear damping forces render the method implicit.", "below eq. 6")
            .why("an explicit step fulfils its equation up to round-off, here 1e-12 of the largest force; an implicit one does so only after \
                iterations, and leaves more than a thousand times round-off after one evaluation")
            .measure(Measure::new("linear damper: what one evaluation leaves of the equation of motion, over the largest force", worst(&linear), "").claimed(Expected::AtMost(1e-12)))
            .measure(Measure::new("quadratic damper: the same", worst(&square), "").claimed(Expected::AtLeast(1e-9)));
        let mut finding = Finding::new(
            "Evaluated once and corrected along its tangent, nonlinear damping leaves Chang's method its second order",
        );
        for scheme in ["chang", "lsrt2"] {
            let order = converged(scheme)?;
            finding = finding.measure(
                Measure::new(format!("{scheme}, quadratic damper: observed order"), order, "")
                    .claimed(Expected::Near { value: 2.0, tolerance: 0.1 }),
            );
        }
        let panel = Panel {
            x: Axis::new("Δt", "s").log(),
            y: Axis::new("residual / largest force", "").log(),
            curves: vec![Curve::line("quadratic damper", square).style(Style::Joined)],
            ..Panel::default()
        };
        Ok(Outcome {
            panels: vec![panel],
            columns: 1,
            claims: vec![claim],
            findings: vec![finding],
            ..Outcome::default()
        })
    },
};

/// Largest error of displacement and velocity at 0.5 s over the step; the exact motion is cos t + sin t.
fn errors(scheme: &str) -> Result<Vec<(f64, f64)>, Stopped> {
    const END: f64 = 0.5;
    let model = SPLIT_MASS.with(&Settings { scheme, ..Settings::default() })?;
    let error = |n: u64| {
        let dt = END / n as f64;
        let mut machine = start_whole(with_step(&model, dt))?;
        for k in 0..n {
            machine.step(k).map_err(|fault| stopped(&machine, fault))?;
        }
        let exact = [END.cos() + END.sin(), END.cos() - END.sin()];
        let off = machine.states().flat_map(|y| y.iter().zip(exact).map(|(x, e)| (x - e).abs())).fold(0.0, f64::max);
        Ok((dt, off))
    };
    [20, 40, 80, 160, 320].into_iter().map(error).collect()
}

/// Largest m a + c(v) + k u at the ends of the steps of Chang's method over the largest force, with the damper's exponent n.
fn residual(n: &str, dt: f64) -> Result<f64, Stopped> {
    let model = VISCOUS_OSCILLATOR.with(&Settings { set: &[("n", n)], scheme: "chang", ..Settings::default() })?;
    let mut machine = start_whole(with_step(&model, dt))?;
    let exponent: f64 = n.parse().unwrap_or(f64::NAN);
    // c = 0.5, v0 = 0.1 m/s, m = 1 kg, k = 1 N/m.
    let damper = |v: f64| 0.5 * v * (v * v + 0.01).powf(0.5 * (exponent - 1.0));
    let (mut worst, mut largest): (f64, f64) = (0.0, 0.0);
    for k in 0..100 {
        machine.step(k).map_err(|fault| stopped(&machine, fault))?;
        let [u, v, a, ..] = machine.coupling.state_of(0) else { return Ok(f64::NAN) };
        worst = worst.max((a + damper(*v) + u).abs());
        largest = largest.max(u.abs());
    }
    Ok(worst / largest)
}

/// The order of a scheme with the quadratic damper at 2 s, from three steps.
fn converged(scheme: &str) -> Result<f64, Stopped> {
    let model = VISCOUS_OSCILLATOR.with(&Settings { scheme, until: "2 s", ..Settings::default() })?;
    let end = |dt: f64| {
        let history = run(&mut start_whole(with_step(&model, dt))?, |_| Ok(()))?;
        Ok(history.of("mass.x").last().copied().unwrap_or(f64::NAN))
    };
    let [a, b, c] = [0.02, 0.01, 0.005].map(end);
    let (a, b, c): (f64, f64, f64) = (a?, b?, c?);
    Ok(((a - b) / (b - c)).abs().log2())
}
