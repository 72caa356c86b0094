//! The frequency domain of the isolated viaduct, paper 003: multipliers, links and errors against the frequencies of the coupled bridge
//! and of its parts by themselves, which its authors left for later.

use std::f64::consts::TAU;

use interfield_motion::{LongSignal, hann};
use interfield_report::{Axis, Curve, Mark, Panel};
use interfield_structure::Structure;
use interfield_structure::harmonic::Body;

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{History, RIO_TORTO_ISOLATED, Settings, refused, run, start_parts, start_whole, with_step};
use crate::outcome::{Outcome, Table};
use crate::viaduct::{PRINTED, chain};

/// 003, what mass on the specimen does to its frequencies.
pub(crate) const HALVES: Item = Item {
    id: "003-sec-4-mass",
    paper: Paper::P003,
    place: "Sec. 4, below Table 2",
    what: "Frequencies of the isolators with five thousandths of the deck in place of one",
    look: "The fast modes of a detached specimen are its isolator under the mass at the interface: five times the mass divides them by the square \
        root of five, 0.447. The mass of the isolator itself, a kilogram in half a tonne, makes this 0.455. The slow modes are those of the \
        piers and hardly change.",
    commands: &[
        "interfield modes models/rio-torto-isolated.toml --part specimens --set m_f=0.001",
        "interfield modes models/rio-torto-isolated.toml --part specimens --set m_f=0.005",
    ],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 1,
    run: |_| {
        let mut claim = Claim::new("Five thousandths of the deck halve the frequencies of the isolators")
            .said("As can be appreciated from Table 2, a very small contribution of 0.005 already halves isolator eigenfrequencies.", "Sec. 4")
            .why("to halve is a ratio that rounds to a half with one digit: 0.45 to 0.55. It is taken from the table of the paper, and computed from \
                the chain that its first and last columns determine (003-table-2)");
        for [slow, fast] in [[0, 2], [1, 3]] {
            let half = Expected::Between(0.45, 0.55);
            let mode = fast + 1;
            let [printed, computed] =
                [PRINTED[1][fast] / PRINTED[0][fast], chain(slow, fast)(0.005)[1] / PRINTED[0][fast]];
            claim = claim
                .measure(
                    Measure::new(format!("mode {mode}: m_f = 0.005 over 0.001, as printed"), printed, "").claimed(half),
                )
                .measure(Measure::new(format!("mode {mode}: the same, computed"), computed, "").claimed(half));
        }
        let mut finding = Finding::new("Our bridge, whose specimens are a fit to the table, has these frequencies too");
        let mut rows = Vec::new();
        for (share, printed) in [("0.001", PRINTED[0]), ("0.005", PRINTED[1])] {
            let found = natural(share, 4)?.pop().map(|(_, list)| list).unwrap_or_default();
            for mode in [2, 3] {
                let f = found.get(mode).copied().unwrap_or(f64::NAN);
                let what = format!("m_f = {share}, mode {}", mode + 1);
                finding = finding.measure(Measure::new(what, f, "Hz").reference(printed[mode], 0.0034 * printed[mode]));
            }
            rows.push(std::iter::once(share.to_owned()).chain(found.iter().map(|f| format!("{f:.2}"))).collect());
        }
        let header =
            ["share m_f", "mode 1 [Hz]", "mode 2 [Hz]", "mode 3 [Hz]", "mode 4 [Hz]"].map(str::to_owned).to_vec();
        let tables = vec![Table { title: "Detached specimens of our bridge".to_owned(), header, rows }];
        Ok(Outcome { tables, claims: vec![claim], findings: vec![finding], ..Outcome::default() })
    },
};

/// 003, its future work.
pub(crate) const SPECTRA: Item = Item {
    id: "003-sec-6",
    paper: Paper::P003,
    place: "Sec. 6",
    what: "Spectra of multiplier, link and error at pier 9, with the frequencies of the bridge and of its parts",
    look: "Each panel has the frequencies of the coupled bridge (below 5 Hz) and of the detached specimens as vertical lines. Multiplier and link \
        have the same shape: after a free step the link is the multiplier over the mass at the interface, times a quarter of the \
        step squared. Both live below 20 Hz, at frequencies of the coupled bridge and of the sliding isolators. Nothing stands \
        at 136 and 174 Hz, where the detached specimens resonate: their modes size the link, they do not ring in it. The third panel is what the actuator follows: with a thousandth \
        of the mass it is rough above 30 Hz, with 95 % it is not, as the paper says. PM has \
        a second peak near 512 Hz, a multiplier that alternates from step to step; modified PH has none. The error of \
        the deck is that of the step of the bridge, largest at its first frequencies.",
    commands: &[
        "interfield modes models/rio-torto-isolated.toml --parts --set m_f=0.001",
        "interfield frf models/rio-torto-isolated.toml --set m_f=0.001 --to \"300 Hz\" --plot frf.svg",
        "interfield run models/rio-torto-isolated.toml --coupling pm --substeps 1 --set m_f=0.001 --until \"12 s\" -o pm.h5",
        "interfield run models/rio-torto-isolated.toml --whole --scheme newmark --dt \"1 s/4096\" --until \"12 s\" -o reference.h5",
        "interfield plot pm.h5 --channel deck9.y.link --channel deck9.y.lambda --spectrum fourier --mark-modes=4 --taper",
        "interfield plot pm.h5 --minus reference.h5 --channel deck9.y --spectrum fourier --mark-modes=4 --taper",
    ],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 5,
    run: spectra,
};

/// Share of the deck on the specimens.
const SHARE: &str = "0.001";
/// Until the ground has been calm for three of its time constants.
const UNTIL: &str = "12 s";
/// Steps of the reference in one of the bridge.
const FINER: usize = 4;

/// Names and lowest natural frequencies, Hz, of the coupled bridge and of its parts.
fn natural(share: &str, count: usize) -> Result<Vec<(String, Vec<f64>)>, Stopped> {
    let model = RIO_TORTO_ISOLATED.with(&Settings { set: &[("m_f", share)], ..Settings::default() })?;
    let structure = Structure::new(model).map_err(|problems| refused(&problems))?;
    let of = |body: Body| {
        let found = structure.resonances(body, count).map_err(|e| Stopped::Fault(e.to_string()))?;
        Ok((structure.name_of(body).to_owned(), found.iter().map(|r| r.omega / TAU).collect()))
    };
    structure.bodies().into_iter().map(of).collect()
}

/// Fourier amplitudes of a tapered history over the frequency.
fn spectrum(values: &[f64], dt: f64) -> Result<Vec<(f64, f64)>, Stopped> {
    let mut signal = LongSignal::default();
    values.iter().zip(hann(values.len())).for_each(|(x, w)| signal.push(x * w));
    signal.fourier(dt).map_err(|e| Stopped::Fault(e.to_string()))
}

/// Energy of a spectrum from one frequency to another, Hz.
fn energy(spectrum: &[(f64, f64)], from: f64, to: f64) -> f64 {
    spectrum.iter().filter(|p| (from..to).contains(&p.0)).map(|p| p.1 * p.1).sum()
}

/// The same as a share of all of it.
fn share(spectrum: &[(f64, f64)], from: f64, to: f64) -> f64 {
    energy(spectrum, from, to) / energy(spectrum, 0.0, f64::INFINITY)
}

fn in_parts(coupling: &str, share: &str, progress: &dyn Fn(f64) -> Result<(), Stopped>) -> Result<History, Stopped> {
    let settings = Settings { set: &[("m_f", share)], coupling, substeps: 1, until: UNTIL, ..Settings::default() };
    run(&mut start_parts(RIO_TORTO_ISOLATED.with(&settings)?)?, progress)
}

fn spectra(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let natural = natural(SHARE, 4)?;
    let settings = Settings { set: &[("m_f", SHARE)], scheme: "newmark", until: UNTIL, ..Settings::default() };
    let whole = RIO_TORTO_ISOLATED.with(&settings)?;
    let dt = whole.analysis.dt;
    let reference = run(&mut start_whole(with_step(&whole, dt / FINER as f64))?, |part| progress.at(0.7 * part))?;
    let pm = in_parts("pm", SHARE, &|part| progress.at(0.7 + 0.1 * part))?;
    let heavy = in_parts("pm", "0.95", &|part| progress.at(0.8 + 0.1 * part))?;
    let modified = in_parts("modified-ph", SHARE, &|part| progress.at(0.9 + 0.1 * part))?;
    let of = |history: &History, channel: &str| spectrum(history.of(channel), dt);
    let (link, lambda) = (of(&pm, "deck9.y.link")?, of(&pm, "deck9.y.lambda")?);
    let other = of(&modified, "deck9.y.lambda")?;
    let error = |history: &History| {
        let exact = reference.of("deck9.y").iter().step_by(FINER);
        let off: Vec<f64> = history.of("deck9.y").iter().zip(exact).map(|(a, b)| a - b).collect();
        spectrum(&off, dt)
    };
    let errors = [error(&pm)?, error(&modified)?];
    // What the specimen is moved along: its displacement less the link, which it never sees.
    let path = |history: &History| {
        let fine = history.of("deck9.y").iter().zip(history.of("deck9.y.gap"));
        let path: Vec<f64> = fine.zip(history.of("deck9.y.link")).map(|((u, gap), link)| u - gap - link).collect();
        spectrum(&path, dt)
    };
    let (rough, smooth) = (path(&pm)?, path(&heavy)?);
    let largest = |history: &History| history.of("deck9.y.link").iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let tenth = Expected::AtMost(0.1);
    let claim = Claim::new("Mass moved to the specimen makes its links smaller and the trajectories of the actuators smoother")
        .said(
            "Since both contributions share the same nodes, the overall dynamics remains unchanged and eigenfrequencies of the decoupled PS are \
            pleasantly reduced. As a result, the PS benefits of smaller link displacements u_link^B, and therefore, actuators experience smoother \
            trajectories.",
            "Sec. 4",
        )
        .why(
            "from the smallest share of mass of the paper to the largest, PM without substeps. Smaller and smoother: a tenth leaves no doubt. Rough is \
            what is faster than 100 Hz in the free displacements along which the actuators move: the bridge has no such motion",
        )
        .measure(Measure::new("largest link, m_f = 0.95 over 0.001", largest(&heavy) / largest(&pm), "").claimed(tenth))
        .measure(
            Measure::new("energy of the trajectory above 100 Hz, m_f = 0.95 over 0.001", energy(&smooth, 100.0, f64::INFINITY) / energy(&rough, 100.0, f64::INFINITY), "")
                .claimed(tenth),
        );
    let slow = Expected::AtLeast(0.95);
    let shape = Finding::new(
        "The light mass makes the link large, not fast: it is the multiplier over that mass, at frequencies of the coupled bridge, and the modes of the \
        detached specimen, at 136 and 174 Hz, do not stand out",
    )
    .measure(Measure::new("m_f = 0.001: share of the energy of the link below 20 Hz", share(&link, 0.0, 20.0), "").claimed(slow))
    .measure(Measure::new("the same of the multiplier", share(&lambda, 0.0, 20.0), "").claimed(slow))
    .measure(Measure::new("share of the energy of the link from 100 to 250 Hz", share(&link, 100.0, 250.0), "").claimed(Expected::AtMost(1e-3)));
    let nyquist = 0.5 / dt;
    let alternating =
        |s: &[(f64, f64)]| share(s, 0.9 * nyquist, f64::INFINITY) / share(s, 0.5 * nyquist, 0.9 * nyquist);
    let finding = Finding::new(
        "The multiplier of PM alternates from step to step, a little: its spectrum rises near half of the sampling rate; that of modified PH does not",
    )
    .measure(Measure::new("PM: energy above 0.9 of half the sampling rate over that from 0.5 to 0.9", alternating(&lambda), "").claimed(Expected::AtLeast(1.0)))
    .measure(Measure::new("modified PH: the same", alternating(&other), "").claimed(Expected::AtMost(1.0)));
    let panel = |title: &str, unit: &str, curves: Vec<(&str, Vec<(f64, f64)>)>| Panel {
        title: title.to_owned(),
        x: Axis::new("frequency", "Hz").log(),
        y: Axis::new("Fourier amplitude", unit).log(),
        curves: curves.into_iter().map(|(name, points)| Curve::line(name, points)).collect(),
        marks: natural
            .iter()
            .filter(|n| n.0 != "bridge")
            .flat_map(|n| {
                let first = if n.0 == "coupled" { 3 } else { 1 };
                n.1.iter().enumerate().map(move |(i, f)| {
                    let name = if i + 1 == first { format!("{} {}", n.0, i + 1) } else { String::new() };
                    Mark::Vertical(*f, name)
                })
            })
            .collect(),
        ..Panel::default()
    };
    let [of_pm, of_modified] = errors;
    let panels = vec![
        panel("multiplier", "kN*s", vec![("PM", lambda), ("modified PH", other)]),
        panel("link of the specimen, PM", "m*s", vec![("", link)]),
        panel("trajectory of the actuator, PM", "m*s", vec![("m_f = 0.001", rough), ("m_f = 0.95", smooth)]),
        panel("error of the deck", "m*s", vec![("PM", of_pm), ("modified PH", of_modified)]),
    ];
    let rows = natural
        .iter()
        .map(|(name, list)| std::iter::once(name.clone()).chain(list.iter().map(|f| format!("{f:.3}"))).collect());
    let header = ["body", "mode 1 [Hz]", "mode 2 [Hz]", "mode 3 [Hz]", "mode 4 [Hz]"].map(str::to_owned).to_vec();
    let tables = vec![Table {
        title: format!("Lowest natural frequencies, m_f = {SHARE}; parts with their interface free"),
        header,
        rows: rows.collect(),
    }];
    Ok(Outcome { panels, columns: 1, tables, claims: vec![claim], findings: vec![shape, finding] })
}
