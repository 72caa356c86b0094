//! The Rio Torto viaduct of paper 003: frequencies of its detached specimens, errors, hysteresis. Its links are in `links`.
//!
//! Where the paper is silent the bridge is ours (`models/rio-torto-*.toml` say what is whose), so that axes are not the
//! paper's, but frequencies of the specimens are, and so is what each claim says.

use interfield_language::Model;
use interfield_language::model::TangentPolicy;
use interfield_linalg::modes;
use interfield_structure::Structure;
use interfield_structure::assemble;
use interfield_structure::split::SubModel;

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::links::{SHARES, SUBSTEPS, UNTIL, largest, link_run};
use crate::models::{
    History, RIO_TORTO_AS_BUILT, RIO_TORTO_ISOLATED, Settings, refused, run, start_parts, start_whole, with_step,
};
use crate::outcome::{Axis, Curve, Outcome, Panel, Style, Table};

/// Displacement up to which pier 9 is elastic, F_u / k, m.
const ELASTIC: f64 = 1_071.428_571 / 11_940.0;

/// 003, table 2.
pub(crate) const TABLE_2: Item = Item {
    id: "003-table-2",
    paper: Paper::P003,
    place: "Table 2",
    what: "Frequencies of the detached specimens over the share of mass they carry",
    look: "A specimen is a pier with its isolator, and on top of it whatever share of the deck's mass is given to it. Cut off \
from the bridge it has a slow mode, the pier, and a fast one, the isolator under that share. A thousandth of the deck makes the \
fast modes 136 Hz and 175 Hz, above what an actuator can follow; five thousandths already halve them. The bridge as a whole \
does not change. Masses and stiffnesses of the two specimens were found by inverting this very table, so that it shows that \
two chains of two unknowns can be the paper's; with six unknowns for sixteen numbers this is still a test.",
    commands: &["interfield run models/rio-torto-isolated.toml --set m_f=0.005 --coupling pm"],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 1,
    run: |_| table_2(),
};

/// 003, the errors of section 4.
pub(crate) const ERRORS: Item = Item {
    id: "003-sec-4",
    paper: Paper::P003,
    place: "Sec. 4",
    what: "Error of the isolated bridge against a run in one piece with a hundredth of the step",
    look: "Left: the bridge in one piece. Its laws are evaluated once per step, at a predictor, and yet the error falls with the \
square of the step, also through thousands of yieldings (OpenSees, which iterates, agrees: cargo xtask test opensees). Right: in two \
parts. Modified PH without substeps is the bridge in one piece, whatever the share of mass. With substeps and little mass on \
the specimen it gets *worse*: the free path of the specimen is as long as its yield displacement. PM keeps its error, which is that of its doubled \
step in the bridge.",
    commands: &[
        "interfield run models/rio-torto-isolated.toml --whole --scheme newmark --tangent initial --until \"6 s\"",
        "interfield run models/rio-torto-isolated.toml --coupling modified-ph --set m_f=0.001 --substeps 100 --until \"6 s\"",
    ],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 14,
    run: errors,
};

/// 003, figure 8c.
pub(crate) const FIG_8: Item = Item {
    id: "003-fig-8c",
    paper: Paper::P003,
    place: "Fig. 8c",
    what: "Hysteresis of pier 9, as built and isolated",
    look: "The paper shows two tests, we show two emulated ones with the same coupling: PM, piers 9 and 11 as specimens, ten substeps. As built the \
pier yields, softens and dissipates. Isolated, it moves along a line and stays far below the displacement at which it would yield; \
the energy goes into the sliding isolator on top of it (right). The as-built loop is not symmetric because the ground motion is not.",
    commands: &[
        "interfield run models/rio-torto-as-built.toml --coupling pm --until \"10 s\"",
        "interfield run models/rio-torto-isolated.toml --coupling pm --until \"10 s\"",
    ],
    models: &[&RIO_TORTO_AS_BUILT, &RIO_TORTO_ISOLATED],
    seconds: 2,
    run: hysteresis,
};

/// All frequencies of a part on its own, Hz.
fn frequencies(part: &SubModel) -> Result<Vec<f64>, Stopped> {
    let fault = |what: String| Stopped::Fault(format!("{}: {what}", part.name));
    let assembly =
        assemble(&part.model).map_err(|p| fault(p.first().map_or_else(String::new, |p| p.message.clone())))?;
    let (pattern, mass, stiffness) = assembly.system.matrices(&assembly.memory);
    let found = modes(pattern, &stiffness, &mass, assembly.free.len()).map_err(|e| fault(format!("{e:?}")))?;
    Ok(found.omega2.iter().map(|w2| w2.max(0.0).sqrt() / std::f64::consts::TAU).collect())
}

fn table_2() -> Result<Outcome, Stopped> {
    const PRINTED: [[f64; 4]; 4] = [
        [2.36, 3.56, 135.82, 174.67],
        [2.32, 3.50, 61.81, 79.45],
        [1.96, 2.98, 23.03, 29.53],
        [0.76, 1.15, 13.69, 17.51],
    ];
    let mut claim = Claim::new("Frequencies of the decoupled physical substructure");
    let mut rows = Vec::new();
    for (share, printed) in SHARES.iter().zip(PRINTED) {
        let model = RIO_TORTO_ISOLATED.with(&Settings { set: &[("m_f", share)], ..Settings::default() })?;
        let structure = Structure::new(model).map_err(|problems| refused(&problems))?;
        let found = structure.parts().last().map(frequencies).unwrap_or_else(|| Ok(Vec::new()))?;
        let far = found.iter().zip(printed).map(|(f, p)| (f / p - 1.0).abs()).fold(0.0, f64::max);
        let far = if found.len() == printed.len() { far } else { f64::NAN };
        let what = format!("m_f = {share}: largest difference to the table");
        claim = claim.measure(Measure::new(what, 100.0 * far, "%").claimed(Expected::AtMost(0.5)));
        let cells = found.iter().zip(printed).map(|(f, p)| format!("{f:.3} ({p:.2})"));
        rows.push(std::iter::once((*share).to_owned()).chain(cells).collect());
    }
    let header = ["share m_f", "mode 1 [Hz]", "mode 2 [Hz]", "mode 3 [Hz]", "mode 4 [Hz]"].map(str::to_owned).to_vec();
    let table = Table { title: "Detached specimens; in parentheses as printed".to_owned(), header, rows };
    Ok(Outcome { tables: vec![table], claims: vec![claim], ..Outcome::default() })
}

/// Displacement of the deck at pier 9 with the bridge in one piece, `per_step` steps to one of 1/1024 s, sampled as the
/// runs in parts are.
fn in_one_piece(
    model: &Model,
    per_step: u64,
    progress: impl Fn(f64) -> Result<(), Stopped>,
) -> Result<Vec<f64>, Stopped> {
    let mut sim = start_whole(with_step(model, model.analysis.dt / per_step as f64))?;
    let Some(place) = sim.unknowns(0).position(|name| name == "deck9.y") else {
        return Err(Stopped::Fault("there is no deck9.y".to_owned()));
    };
    let (steps, mut deck) = (sim.steps(), Vec::new());
    for k in 0..steps {
        if let Err(fault) = sim.step(k) {
            return Err(Stopped::Fault(sim.explain(fault)));
        }
        if (k + 1) % per_step == 0 {
            deck.push(sim.y(0)[place]);
            progress(k as f64 / steps as f64)?;
        }
    }
    Ok(deck)
}

/// rms of the difference over rms of the reference.
fn distance(found: &[f64], reference: &[f64]) -> f64 {
    let sum = |values: &mut dyn Iterator<Item = f64>| values.map(|x| x * x).sum::<f64>();
    let far = sum(&mut found.iter().zip(reference).map(|(a, b)| a - b)) / sum(&mut reference.iter().copied());
    if found.len() == reference.len() { far.sqrt() } else { f64::NAN }
}

fn errors(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    const FINER: [u64; 3] = [1, 2, 4];
    const SHOWN: [&str; 2] = ["0.001", "0.95"];
    let settings = Settings { scheme: "newmark", until: UNTIL, ..Settings::default() };
    let mut model = RIO_TORTO_ISOLATED.with(&settings)?;
    model.analysis.tangent = TangentPolicy::Initial;
    let exact = in_one_piece(&model, 100, |part| progress.at(0.5 * part))?;
    let mut whole = Vec::new();
    for finer in FINER {
        let error = distance(&in_one_piece(&model, finer, |_| progress.at(0.5))?, &exact);
        whole.push((model.analysis.dt / finer as f64, error));
    }
    let mut runs = Vec::new();
    for method in ["pm", "modified-ph"] {
        for share in SHOWN {
            for substeps in SUBSTEPS {
                let error = distance(&link_run(method, share, substeps)?.deck, &exact);
                runs.push((method, share, substeps, error));
                progress.at(0.5 + 0.5 * runs.len() as f64 / 16.0)?;
            }
        }
    }
    let error = |method: &str, share: &str, ss: u32| {
        runs.iter().find(|r| (r.0, r.1, r.2) == (method, share, ss)).map_or(f64::NAN, |r| r.3)
    };
    let found = |method, share, ss| {
        Measure::new(format!("{method}, m_f = {share}, ss = {ss}: rms error / rms"), error(method, share, ss), "")
    };
    let order = (whole[0].1 / whole[2].1).log2() / 2.0;
    let order = Measure::new("observed order of the bridge in one piece", order, "");
    let convergence =
        Claim::new("The implicit Newmark scheme, its laws evaluated once per step, converges at second order")
            .measure(order.claimed(Expected::Near { value: 2.0, tolerance: 0.1 }));
    let share = Claim::new("The overall dynamics does not depend on the share of mass")
        .measure(found("modified-ph", "0.001", 1).claimed(Expected::AtMost(1e-3)).reference(8.88e-4, 1e-6))
        .measure(found("modified-ph", "0.95", 1).claimed(Expected::AtMost(1e-3)).reference(8.88e-4, 1e-6));
    let suitable = Expected::AtMost(0.005);
    let both = Claim::new("Both methods are suitable for hybrid simulation, with substeps")
        .correction(
            "modified PH only if enough mass stands on the specimen: its free path must stay below what makes it yield",
        )
        .measure(found("pm", "0.001", 100).claimed(suitable).corrected(suitable).reference(2.5e-3, 1e-4))
        .measure(found("modified-ph", "0.001", 100).claimed(suitable))
        .measure(found("modified-ph", "0.95", 100).claimed(suitable).corrected(suitable).reference(8.0e-4, 1e-5));
    let steps = whole.iter().map(|p| (1e3 * p.0, 100.0 * p.1)).collect();
    let slope = whole.iter().map(|p| (1e3 * p.0, 100.0 * whole[0].1 * (p.0 / whole[0].0).powi(2))).collect();
    let one_piece = Panel {
        title: "in one piece".to_owned(),
        x: Axis::log("step [ms]"),
        y: Axis::log("rms error of deck 9 [%]"),
        curves: vec![
            Curve::line("Newmark", steps).style(Style::Joined),
            Curve::line("order 2", slope).style(Style::Dashed),
        ],
        ..Panel::default()
    };
    let curve = |(i, (method, share)): (usize, (&str, &str))| {
        let points = SUBSTEPS.iter().map(|&ss| (f64::from(ss), 100.0 * error(method, share, ss))).collect();
        let name = if method == "pm" { "PM" } else { "modified PH" };
        Curve::line(format!("{name}, m_f = {share}"), points).style(Style::Joined).colour(i)
    };
    let pairs = ["pm", "modified-ph"].into_iter().flat_map(|m| SHOWN.map(|s| (m, s)));
    let parts = Panel {
        title: "in two parts".to_owned(),
        x: Axis::log("substeps ss"),
        y: Axis::log("rms error of deck 9 [%]"),
        curves: pairs.enumerate().map(curve).collect(),
        ..Panel::default()
    };
    let claims = vec![convergence, share, both];
    Ok(Outcome { panels: vec![one_piece, parts], columns: 2, claims, ..Outcome::default() })
}

/// Work of a force along a displacement, kJ for kN and m.
fn work(loop_of: &[(f64, f64)]) -> f64 {
    loop_of.windows(2).map(|p| (p[1].0 - p[0].0) * (p[0].1 + p[1].1) / 2.0).sum()
}

fn hysteresis(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let settings = Settings { coupling: "pm", substeps: 10, until: "10 s", ..Settings::default() };
    let run = |file: &crate::models::File, from: f64| -> Result<History, Stopped> {
        run(&mut start_parts(file.with(&settings)?)?, |part| progress.at(from + 0.5 * part))
    };
    let (built, isolated) = (run(&RIO_TORTO_AS_BUILT, 0.0)?, run(&RIO_TORTO_ISOLATED, 0.5)?);
    let pier = |history: &History| history.over("column9.deformation", "column9.force");
    let isolator = isolated.over("isolator9.deformation", "isolator9.force");
    let (yielding, elastic) = (pier(&built), pier(&isolated));
    let peak = |points: &[(f64, f64)]| largest(&points.iter().map(|p| p.0).collect::<Vec<_>>());
    let claim = Claim::new("Isolated, the pier stays elastic and the isolators dissipate the energy")
        .measure(
            Measure::new("largest displacement of pier 9, isolated", peak(&elastic), "m")
                .claimed(Expected::AtMost(ELASTIC))
                .reference(0.045, 5e-4),
        )
        .measure(Measure::new("the same as built", peak(&yielding), "m").claimed(Expected::AtLeast(ELASTIC)))
        .measure(Measure::new("travel of isolator 9", peak(&isolator), "m").reference(0.15, 5e-3))
        .measure(
            Measure::new("energy dissipated by isolator 9", work(&isolator), "kJ")
                .claimed(Expected::AtLeast(10.0 * work(&elastic).abs())),
        )
        .measure(Measure::new("energy dissipated by pier 9, as built", work(&yielding), "kJ"));
    let millimetres = |points: &[(f64, f64)]| points.iter().map(|p| (1e3 * p.0, p.1)).collect::<Vec<_>>();
    let pier = Panel {
        title: "pier 9".to_owned(),
        x: Axis::new("displacement [mm]"),
        y: Axis::new("force [kN]"),
        curves: vec![Curve::line("as built", millimetres(&yielding)), Curve::line("isolated", millimetres(&elastic))],
        ..Panel::default()
    };
    let slider = Panel {
        title: "isolator 9".to_owned(),
        x: Axis::new("travel [mm]"),
        y: Axis::new("force [kN]"),
        curves: vec![Curve::line("isolated", millimetres(&isolator)).colour(1)],
        ..Panel::default()
    };
    Ok(Outcome { panels: vec![pier, slider], columns: 2, claims: vec![claim], ..Outcome::default() })
}
