//! Structure and controller in one integration, paper 001: equations of second and of first order under one scheme.

use interfield_analysis::spectrum::spectrum;
use interfield_report::{Axis, BLACK, Curve, Panel, Style};

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::histories::{drawn, peak};
use crate::item::{Item, Paper, Stopped};
use crate::models::{CONTROLLED_SPLIT_MASS, History, Settings, computed, run, start_parts, start_whole, with_step};
use crate::outcome::Outcome;

/// 001, option iii of its introduction.
pub(crate) const OPTION_III: Item = Item {
    id: "001-option-iii",
    paper: Paper::P001,
    place: "Introduction, option iii",
    what: "A forced mass with a controller, structure and controller in one integration",
    look: "The controller filters the velocity of the mass and commands a force that lags behind its command: two equations of first order \
        beside one of second order. LSRT2 integrates all three as one system, with one Jacobian, and all of them are of second \
        order (right). A controller that is ten thousand times faster than the step needs no smaller step: L-stability brings it to \
        its quasi-static value. Left: the test in real time, with a quarter of the mass on an actuator of the emulated laboratory; \
        the control takes 40 % of the first swing away.",
    commands: &[
        "interfield run models/controlled-split-mass.toml",
        "interfield run models/controlled-split-mass.toml --set \"gain=0 N*s/m\"",
        "interfield check models/controlled-split-mass.toml --stability",
    ],
    models: &[&CONTROLLED_SPLIT_MASS],
    seconds: 1,
    run: |_| {
        let [displacement, force] = errors()?;
        let order = |errors: &[(f64, f64)]| match errors {
            [.., coarse, fine] => (coarse.1 / fine.1).log2() / (coarse.0 / fine.0).log2(),
            _ => f64::NAN,
        };
        let second = Expected::Near { value: 2.0, tolerance: 0.05 };
        let one = Claim::new("LSRT algorithms integrate structure and control system together, with favourable properties")
            .said(
                "to use first-order integrators like the LSRT Rosenbrock algorithms, for both structural and control systems. Herein, we adopt \
                the last option owing to the favourable properties of LSRT algorithms employed in control (Vulcan, 2006).",
                "Introduction",
            )
            .why(
                "the properties are those that the paper claims of LSRT2 (below eq. 4): second order, here of the displacement and of the force of \
                the controller, within 0.05 at the two finest steps; and L-stability: with time constants of a ten-thousandth of the step the \
                largest eigenvalue is at most one, and those of the controller are below 1e-3",
            )
            .measure(Measure::new("observed order of the displacement", order(&displacement), "").claimed(second))
            .measure(Measure::new("observed order of the force of the controller", order(&force), "").claimed(second));
        let fast = magnitudes(&[("filter", "0.4 us"), ("servo", "0.4 us")])?;
        let smallest_two = fast.iter().rev().take(2).fold(0.0, |m: f64, x| m.max(*x));
        let one = one
            .measure(Measure::new("fast controller: largest eigenvalue", fast[0], "").claimed(Expected::AtMost(1.0)))
            .measure(
                Measure::new("fast controller: its own eigenvalues, the larger", smallest_two, "")
                    .claimed(Expected::AtMost(1e-3)),
            );
        let test = |gain: &str| {
            let set = [("gain", gain)];
            let model = CONTROLLED_SPLIT_MASS.with(&Settings { set: &set, ..Settings::default() })?;
            run(&mut start_parts(model)?, |_| Ok(()))
        };
        let (controlled, free) = (test("60 N*s/m")?, test("0 N*s/m")?);
        let works = Finding::new("In the emulated test the control takes more than a quarter of the largest motion away, and the test lasts its 10 s")
            .measure(Measure::new("largest motion with control over that without", peak(&controlled, "mass.x") / peak(&free, "mass.x"), "").claimed(Expected::AtMost(0.75)))
            .measure(Measure::new("largest force of the controller", peak(&controlled, "controller.force"), "N"))
            .measure(Measure::new("the test lasted, of 10 s", controlled.times.last().copied().unwrap_or(f64::NAN), "s").claimed(Expected::AtLeast(10.0 - 1e-9)));
        let mm = |h: &History| -> Vec<(f64, f64)> {
            drawn(h.over_time("mass.x")).into_iter().filter(|p| p.0 <= 4.0).map(|(t, x)| (t, 1e3 * x)).collect()
        };
        let motion = Panel {
            title: "test in real time".to_owned(),
            x: Axis::new("time", "s"),
            y: Axis::new("displacement", "mm"),
            curves: vec![
                Curve::line("no control", mm(&free)).colour(BLACK),
                Curve::line("control", mm(&controlled)).colour(0),
            ],
            ..Panel::default()
        };
        let slope =
            displacement.iter().map(|e| (e.0, 0.3 * displacement[0].1 * (e.0 / displacement[0].0).powi(2))).collect();
        let convergence = Panel {
            title: "computed, errors at 1 s".to_owned(),
            x: Axis::new("Δt", "s").log(),
            y: Axis::new("error / peak", "").log(),
            curves: vec![
                Curve::line("displacement", displacement).style(Style::Joined),
                Curve::line("force of the controller", force).style(Style::Joined),
                Curve::line("slope 2", slope).style(Style::Dashed).colour(BLACK),
            ],
            ..Panel::default()
        };
        Ok(Outcome {
            panels: vec![motion, convergence],
            columns: 2,
            claims: vec![one],
            findings: vec![works],
            ..Outcome::default()
        })
    },
};

/// Errors of displacement and force of the controller at 1 s, over their peaks; the specimen is computed.
fn errors() -> Result<[Vec<(f64, f64)>; 2], Stopped> {
    let model = computed(CONTROLLED_SPLIT_MASS.with(&Settings { until: "1 s", ..Settings::default() })?);
    let history = |dt: f64| run(&mut start_whole(with_step(&model, dt))?, |_| Ok(()));
    let exact = history(0.004 / 256.0)?;
    let mut found = [Vec::new(), Vec::new()];
    for dt in [0.004, 0.002, 0.001, 0.0005, 0.000_25] {
        let coarse = history(dt)?;
        for (errors, channel) in found.iter_mut().zip(["mass.x", "controller.force"]) {
            let end = |h: &History| h.of(channel).last().copied().unwrap_or(f64::NAN);
            errors.push((dt, (end(&coarse) - end(&exact)).abs() / peak(&exact, channel)));
        }
    }
    Ok(found)
}

/// Magnitudes of the eigenvalues of a step of 4 ms, largest first.
fn magnitudes(set: &[(&str, &str)]) -> Result<Vec<f64>, Stopped> {
    let model = computed(CONTROLLED_SPLIT_MASS.with(&Settings { set, ..Settings::default() })?);
    let dt = model.analysis.dt;
    let mut machine = start_whole(model)?;
    let found = spectrum(machine.coupling.as_mut(), dt).map_err(|e| Stopped::Fault(format!("{e:?}")))?;
    let mut all: Vec<f64> = found.eigenvalues.iter().map(|e| e.0.hypot(e.1)).collect();
    all.sort_by(|a, b| b.total_cmp(a));
    Ok(all)
}
