//! What substeps cost the couplings of Newmark schemes, papers 000 and 003: an order of accuracy, and energy at the interface.
//!
//! One oscillator, m = k = 1, cut in two. Orders: the largest error of all displacements and velocities on (0, 1 s] from
//! u = v = 1. Energies: ten periods with twenty steps each from u = 1 m at rest, b₁ = 9.

use std::f64::consts::TAU;

use interfield_report::{Axis, BLACK, Curve, Panel, Style};
use interfield_structure::Simulation;

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Stopped};
use crate::models::{SPLIT_MASS, Settings, start_parts, stopped, with_step};
use crate::outcome::Outcome;

/// 000, what its introduction says of GC and PH.
pub(crate) const INTRODUCTION_OF_000: Item = Item {
    id: "000-sec-1",
    paper: Paper::P000,
    place: "Sec. 1",
    what: "GC and PH with substeps: order of accuracy and energy",
    look: "Left: halve the step. Without substeps both methods are of second order; with them GC falls to the first, because the \
        interface force of the fine side is tied to a velocity of the coarse side that is only interpolated. Right: the \
        energy of a motion that should go on for ever. GC with ten substeps has lost more than half of it after ten \
        periods. PH keeps it.",
    commands: &[
        "interfield order models/split-mass.toml --coupling gc --scheme newmark --substeps 10 --set b1=9 --until \"1 s\"",
        "interfield run models/split-mass.toml --coupling gc --scheme newmark --substeps 10 --set b1=9 --set v0=0 --dt \"314 ms\" --until \"63 s\"",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |progress| {
        let order = Claim::new("With subcycling the GC method is only of first order")
            .said("However, the accuracy reduced to first order when subcycling was employed.", "Sec. 1")
            .why(WHY_ORDER);
        let order = orders(order, GC, [SECOND, FIRST, FIRST])?;
        progress.at(0.3)?;
        let dissipation = Claim::new("With subcycling the GC method dissipates energy")
            .said(
                "The energy dissipation of the GC method when subcycling was adopted and the computation of interface \
                    reactions at the fine time step in the mesh were considered as drawbacks by Prakash and Hjelmstad (2004)",
                "Sec. 1",
            )
            .why(WHY_LOST);
        let dissipation = lost(dissipation, GC, [("2", 0.164), ("10", 0.419)])?;
        progress.at(0.6)?;
        let preserved = Claim::new("The PH method preserves energy")
            .said("the PH method, that achieved energy preservation and elimination of interface reactions at the fine time step", "Sec. 1")
            .why(WHY_KEPT);
        let preserved = kept(preserved, PH)?;
        let panels = vec![errors_panel(&[GC, PH])?, energy_panel(&[GC, PH])?];
        Ok(Outcome { panels, columns: 2, claims: vec![order, dissipation, preserved], ..Outcome::default() })
    },
};

/// 003, what its introduction says of PM and modified PH.
pub(crate) const INTRODUCTION_OF_003: Item = Item {
    id: "003-sec-1",
    paper: Paper::P003,
    place: "Sec. 1",
    what: "PM and modified PH with substeps: order of accuracy and energy",
    look: "PM has the price of GC, and more of it: with substeps one order and half of the energy in ten periods. It buys \
        that neither side waits. Modified PH is concurrent as well and pays nothing on a linear structure. What it \
        conserves exactly is not the mechanical energy but the pseudo-energy of the Newmark scheme, the same form of \
        velocities and accelerations; the mechanical energy oscillates by some thousandths and has no trend.",
    commands: &[
        "interfield order models/split-mass.toml --coupling pm --scheme newmark --substeps 10 --set b1=9 --until \"1 s\"",
        "interfield run models/split-mass.toml --coupling modified-ph --scheme newmark --substeps 10 --set b1=9 --set v0=0 --dt \"314 ms\" --until \"63 s\"",
    ],
    models: &[&SPLIT_MASS],
    seconds: 1,
    run: |progress| {
        const SAID: &str = "Interface energy dissipation and one order of accuracy loss in the subcycling case were stressed as major \
            drawbacks.";
        const MODIFIED: &str = "the modified PH method [5], which allows for computations in subdomains in a completely \
            concurrent manner with no need for initialization and energy conserving.";
        let order =
            Claim::new("With subcycling the PM method loses one order of accuracy").said(SAID, "Sec. 1").why(WHY_ORDER);
        let order = orders(order, PM, [SECOND, FIRST, FIRST])?;
        progress.at(0.3)?;
        let dissipation = Claim::new("With subcycling the PM method dissipates energy at the interface")
            .said(SAID, "Sec. 1")
            .why(WHY_LOST);
        let dissipation = lost(dissipation, PM, [("2", 0.395), ("10", 0.4775)])?;
        let second = Claim::new("The modified PH method loses no order with subcycling, from its first step on")
            .said(MODIFIED, "Sec. 1")
            .why(format!("the drawback of PM, one order, is what it has not. No need for initialization: the first step counts like every other. {WHY_ORDER}"));
        let second = orders(second, MODIFIED_PH, [SECOND; 3])?;
        progress.at(0.7)?;
        let kept = kept(
            Claim::new("The modified PH method conserves energy").said(MODIFIED, "Sec. 1").why(WHY_KEPT),
            MODIFIED_PH,
        )?;
        let panels = vec![errors_panel(&[PM, MODIFIED_PH])?, energy_panel(&[PM, MODIFIED_PH])?];
        Ok(Outcome { panels, columns: 2, claims: vec![order, dissipation, second, kept], ..Outcome::default() })
    },
};

/// A coupling: its name here, and in the papers.
type Method = [&'static str; 2];
const GC: Method = ["gc", "GC"];
const PH: Method = ["ph", "PH"];
const PM: Method = ["pm", "PM"];
const MODIFIED_PH: Method = ["modified-ph", "modified PH"];

const SUBSTEPS: [u32; 3] = [1, 2, 10];
/// Observed orders that count as first and second.
const FIRST: Expected = Expected::Near { value: 1.0, tolerance: 0.1 };
const SECOND: Expected = Expected::Near { value: 2.0, tolerance: 0.1 };
const WHY_ORDER: &str =
    "an order is a slope that is approached: within 0.1 of a whole number at the two finest steps, 1/320 and 1/640 s";
const WHY_LOST: &str = "without dissipation the ratio is 1. One percent in ten periods would be 0.008 % of critical damping, which is no \
    drawback";
const WHY_KEPT: &str = "what Newmark schemes conserve is the pseudo-energy, of velocities and accelerations: conserved means up to round-off, \
    1e-16 in each of 10 000 steps with a factor of ten to spare. The mechanical energy oscillates; it is kept if this has no trend: in the last \
    ten of 500 periods it is no farther from the start than in the first ten, up to one per cent of that distance and round-off";

/// Steps in a period, and periods, of the energies.
const PER_PERIOD: u64 = 20;
const PERIODS: u64 = 10;

fn start([coupling, _]: Method, ss: u32, v0: &str, dt: f64) -> Result<Simulation, Stopped> {
    let set = [("b1", "9"), ("v0", v0)];
    let settings = Settings { set: &set, scheme: "newmark", coupling, substeps: ss, ..Settings::default() };
    start_parts(with_step(&SPLIT_MASS.with(&settings)?, dt))
}

/// Largest error on (0, 1 s] over the step, s.
fn errors(method: Method, ss: u32) -> Result<Vec<(f64, f64)>, Stopped> {
    let error = |n: u64| {
        let dt = 1.0 / n as f64;
        let mut machine = start(method, ss, "1", dt)?;
        let mut worst: f64 = 0.0;
        for k in 0..n {
            machine.step(k).map_err(|fault| stopped(&machine, fault))?;
            let t = (k + 1) as f64 * dt;
            let exact = [t.cos() + t.sin(), t.cos() - t.sin()];
            let off =
                machine.states().flat_map(|y| y.iter().zip(exact).map(|(x, e)| (x - e).abs())).fold(0.0, f64::max);
            worst = worst.max(off);
        }
        Ok((dt, worst))
    };
    [40, 80, 160, 320, 640].into_iter().map(error).collect()
}

/// Adds the observed orders with 1, 2 and 10 substeps.
fn orders(mut claim: Claim, method: Method, expected: [Expected; 3]) -> Result<Claim, Stopped> {
    for (ss, expected) in SUBSTEPS.into_iter().zip(expected) {
        let found = errors(method, ss)?;
        let order = match &found[..] {
            [.., coarse, fine] => (coarse.1 / fine.1).log2() / (coarse.0 / fine.0).log2(),
            _ => f64::NAN,
        };
        claim = claim
            .measure(Measure::new(format!("{}, ss = {ss}: observed order", method[1]), order, "").claimed(expected));
    }
    Ok(claim)
}

/// Masses and stiffnesses of the two sides, kg and N/m.
const SIDES: [[f64; 2]; 2] = [[0.9, 0.1], [0.1, 0.9]];

/// Mechanical energy and pseudo-energy after every step, over those at the start.
fn energies(method: Method, ss: u32, periods: u64) -> Result<[Vec<(f64, f64)>; 2], Stopped> {
    let dt = TAU / PER_PERIOD as f64;
    let mut machine = start(method, ss, "0", dt)?;
    let now = |machine: &Simulation| {
        let mut sum = [0.0; 2];
        for (i, [m, k]) in SIDES.iter().enumerate() {
            // [u v a] of a Newmark side.
            if let [u, v, a, ..] = machine.coupling.state_of(i) {
                sum[0] += 0.5 * (m * v * v + k * u * u);
                sum[1] += 0.5 * (m * a * a + k * v * v);
            }
        }
        sum
    };
    let first = now(&machine);
    let mut found = [vec![(0.0, 1.0)], vec![(0.0, 1.0)]];
    for k in 0..periods * PER_PERIOD {
        machine.step(k).map_err(|fault| stopped(&machine, fault))?;
        let sum = now(&machine);
        let t = (k + 1) as f64 / PER_PERIOD as f64;
        found.iter_mut().zip(sum.iter().zip(first)).for_each(|(list, (x, x0))| list.push((t, x / x0)));
    }
    Ok(found)
}

/// Largest difference from the start.
fn change(energy: &[(f64, f64)]) -> f64 {
    energy.iter().fold(0.0, |m: f64, e| m.max((e.1 - 1.0).abs()))
}

/// Adds the energy after ten periods; an independent implementation found `references`.
fn lost(mut claim: Claim, method: Method, references: [(&str, f64); 2]) -> Result<Claim, Stopped> {
    for (ss, (text, reference)) in [2, 10].into_iter().zip(references) {
        let [energy, _] = energies(method, ss, PERIODS)?;
        let left = energy.last().map_or(f64::NAN, |e| e.1);
        let what = format!("{}, ss = {text}: energy after ten periods over that at the start", method[1]);
        claim = claim.measure(Measure::new(what, left, "").claimed(Expected::AtMost(0.99)).reference(reference, 6e-4));
    }
    let [energy, _] = energies(method, 1, PERIODS)?;
    let what = format!("{}, ss = 1: largest change of the energy in ten periods", method[1]);
    Ok(claim.measure(Measure::new(what, change(&energy), "")))
}

/// Adds the changes of pseudo-energy and energy.
fn kept(mut claim: Claim, method: Method) -> Result<Claim, Stopped> {
    for ss in SUBSTEPS {
        let [mechanical, pseudo] = energies(method, ss, 500)?;
        let window = (PERIODS * PER_PERIOD) as usize;
        let (early, late) = (change(&mechanical[..window]), change(&mechanical[mechanical.len() - window..]));
        let name = method[1];
        claim = claim.measure(
            Measure::new(
                format!("{name}, ss = {ss}: largest change of the pseudo-energy in 500 periods"),
                change(&pseudo),
                "",
            )
            .claimed(Expected::AtMost(1e-11)),
        );
        let what = format!("{name}, ss = {ss}: largest change of the mechanical energy, first ten periods");
        claim = claim.measure(Measure::new(what, early, "")).measure(
            Measure::new(format!("{name}, ss = {ss}: the same in the last ten of 500"), late, "")
                .claimed(Expected::AtMost(1.01 * early + 1e-11)),
        );
    }
    Ok(claim)
}

fn errors_panel(methods: &[Method]) -> Result<Panel, Stopped> {
    let mut curves = Vec::new();
    for (colour, method) in methods.iter().enumerate() {
        for (ss, style) in [(1, Style::Dashed), (10, Style::Joined)] {
            curves.push(
                Curve::line(format!("{}, ss = {ss}", method[1]), errors(*method, ss)?).style(style).colour(colour),
            );
        }
    }
    let slope = |order: i32| {
        let points = [1.0 / 40.0, 1.0 / 640.0].map(|dt: f64| (dt, (dt * 40.0).powi(order) * 2e-5)).to_vec();
        Curve::line(format!("slope {order}"), points).style(Style::Dashed).colour(BLACK)
    };
    curves.extend([slope(1), slope(2)]);
    Ok(Panel {
        title: "errors on (0, 1 s], b₁ = 9".to_owned(),
        x: Axis::new("Δt", "s").log(),
        y: Axis::new("largest error", "m, m/s").log(),
        curves,
        ..Panel::default()
    })
}

fn energy_panel(methods: &[Method]) -> Result<Panel, Stopped> {
    let mut curves = Vec::new();
    for (colour, method) in methods.iter().enumerate() {
        for (ss, style) in [(2, Style::Dashed), (10, Style::Line)] {
            let [energy, _] = energies(*method, ss, PERIODS)?;
            curves.push(Curve::line(format!("{}, ss = {ss}", method[1]), energy).style(style).colour(colour));
        }
    }
    Ok(Panel {
        title: "energy, b₁ = 9, 20 steps per period".to_owned(),
        x: Axis::new("time / period", ""),
        y: Axis::new("energy / energy at the start", "").over(0.0, 1.1),
        curves,
        ..Panel::default()
    })
}
