//! The Rio Torto viaduct of paper 003: frequencies of its detached specimens, link displacements, errors, hysteresis.
//!
//! Where the paper is silent the bridge is ours (`models/rio-torto-*.toml` say what is whose), so that axes are not the
//! paper's, but frequencies of the specimens are, and so is what each claim says.

use interfield_linalg::modes;
use interfield_model::model::TangentPolicy;
use interfield_model::partition::{Split, SubModel, split};
use interfield_model::{Model, Partitioned, assemble};

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{History, Machine, RIO_TORTO_AS_BUILT, RIO_TORTO_ISOLATED, Settings, with_step};
use crate::outcome::{Axis, Curve, Mark, Outcome, Panel, Style, Table};

/// Shares of the deck's mass that stand with the specimens, eq. 22.
const SHARES: [&str; 4] = ["0.001", "0.005", "0.05", "0.95"];
/// Substeps of the specimens.
const SUBSTEPS: [u32; 4] = [1, 2, 10, 100];
/// Motion of the link and error studies: until the ground calms down.
const UNTIL: &str = "6 s";
/// Displacement up to which pier 9 is elastic, F_u / k, m.
const ELASTIC: f64 = 1071.428_571 / 11_940.0;

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

/// 003, figure 6.
pub(crate) const FIG_6: Item = Item {
    id: "003-fig-6",
    paper: Paper::P003,
    place: "Fig. 6",
    what: "PM: link displacements at pier 9 over substeps and share of mass",
    look: "After its free step each side is corrected by the link, so that velocities agree. A specimen has been at the free \
displacement and never sees the link: it is the error of what is imposed on it, and makes an actuator's path rough. It is \
largest where the mass is smallest (a and b, physical side in blue). With substeps PM corrects the specimen at every one of them, \
and the link falls with their square (c and d), below what any actuator resolves. Mind the scales: they differ between panels.",
    commands: &[
        "interfield run models/rio-torto-isolated.toml --coupling pm --set m_f=0.001 --substeps 100 --until \"6 s\"",
    ],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 6,
    run: |progress| {
        let study = LinkStudy::new("pm", progress)?;
        let by_share = Claim::new("Link displacements prevail on the side with the smaller mass");
        let by_share = study.over_shares(by_share, [(1.8e-4, 5e-6), (4.1e-5, 5e-7), (4.0e-6, 5e-8), (5.2e-7, 5e-9)]);
        let numerical = [("0.001", 8.5e-7, 5e-9), ("0.95", 3.7e-5, 5e-7)];
        let by_share = numerical.into_iter().fold(by_share, |claim, (share, value, digit)| {
            let what = format!("numerical side, m_f = {share}, ss = 1");
            claim.measure(Measure::new(what, study.peak(share, 1)[0], "m").reference(value, digit))
        });
        let substeps = Claim::new("Substeps reduce the link displacements of the specimen");
        let substeps = study.over_substeps(substeps, [(1.8e-4, 5e-6), (5.1e-5, 5e-7), (2.1e-6, 5e-8), (2.1e-8, 5e-10)]);
        let ratio = study.peak("0.001", 1)[1] / study.peak("0.001", 100)[1];
        let power = Measure::new("power of 1/ss from ss = 1 to 100", ratio.log10() / 2.0, "");
        let substeps = substeps.measure(power.claimed(Expected::Between(1.9, 2.1)));
        Ok(Outcome { claims: vec![by_share, substeps], ..study.outcome() })
    },
};

/// 003, figure 7.
pub(crate) const FIG_7: Item = Item {
    id: "003-fig-7",
    paper: Paper::P003,
    place: "Fig. 7",
    what: "Modified PH: link displacements at pier 9 over substeps and share of mass",
    look: "Modified PH corrects the specimen once per macro-step, however many substeps it makes: all of them are free, along a \
multiplier that fades out. The link is as large as that of a single step (c), and since the isolator yields at 0.55 mm while the link \
is 0.45 mm, the law is driven over a path that the structure does not take. With more mass on the specimen (b) the link is harmless. \
The panel on the lower right is the one to compare with that of PM (003-fig-6).",
    commands: &[
        "interfield run models/rio-torto-isolated.toml --coupling modified-ph --set m_f=0.001 --substeps 100 --until \"6 s\"",
    ],
    models: &[&RIO_TORTO_ISOLATED],
    seconds: 6,
    run: |progress| {
        let study = LinkStudy::new("modified-ph", progress)?;
        // To six digits, from the script that made viaduct_link.json of the tests.
        let script = [1.80705e-4, 4.07158e-5, 3.92595e-6, 5.19542e-7].map(|link| (link, 1e-5 * link));
        let by_share = Claim::new("Link displacements prevail on the side with the smaller mass");
        let by_share = study.over_shares(by_share, script);
        let substeps = Claim::new("Substeps do not reduce the link displacements of the specimen");
        let substeps = study.over_substeps(substeps, [(1.8e-4, 5e-6), (1.5e-4, 5e-6), (4.5e-4, 5e-6), (4.6e-4, 5e-6)]);
        let ratio = study.peak("0.001", 100)[1] / study.peak("0.001", 1)[1];
        let ratio = Measure::new("link with ss = 100 over that with ss = 1", ratio, "");
        let substeps = substeps.measure(ratio.claimed(Expected::AtLeast(0.75)));
        Ok(Outcome { claims: vec![by_share, substeps], ..study.outcome() })
    },
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
        let Ok(Split { parts, .. }) = split(&model) else {
            return Err(Stopped::Fault("the viaduct cannot be cut".to_owned()));
        };
        let found = parts.last().map(frequencies).unwrap_or_else(|| Ok(Vec::new()))?;
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

/// Motion at pier 9 in a run in two parts.
struct LinkRun {
    share: &'static str,
    substeps: u32,
    /// After each macro-step.
    times: Vec<f64>,
    /// Link displacements of the numerical and of the physical side, m.
    links: [Vec<f64>; 2],
    /// Displacement of the deck, m.
    deck: Vec<f64>,
}

/// The isolated bridge in two parts, with Newmark's average acceleration on both sides.
fn in_parts(method: &str, share: &str, substeps: u32) -> Result<Box<Partitioned>, Stopped> {
    let settings = Settings { set: &[("m_f", share)], coupling: method, substeps, until: UNTIL, ..Settings::default() };
    match Machine::parts(RIO_TORTO_ISOLATED.with(&settings)?)? {
        Machine::Parts(parts) => Ok(parts),
        Machine::Whole(_) => Err(Stopped::Fault("the viaduct is in one piece".to_owned())),
    }
}

fn link_run(method: &str, share: &'static str, substeps: u32) -> Result<LinkRun, Stopped> {
    let mut sim = in_parts(method, share, substeps)?;
    let dof = sim.model.dofs.iter().position(|d| d.name == "deck9.y");
    let row = sim.interface.iter().position(|c| Some(c.dof) == dof);
    let ports = [0, 1].map(|part| sim.coupling.ports_of(part).iter().position(|p| Some(p.row) == row));
    let (Some(dof), [Some(numerical), Some(physical)]) = (dof, ports) else {
        return Err(Stopped::Fault("the viaduct is not cut at deck9.y".to_owned()));
    };
    let mut run = LinkRun { share, substeps, times: Vec::new(), links: Default::default(), deck: Vec::new() };
    for k in 0..sim.steps() {
        if let Err(fault) = sim.step(k) {
            return Err(Stopped::Fault(sim.explain(fault)));
        }
        run.times.push((k + 1) as f64 * sim.model.analysis.dt);
        run.deck.push(sim.displacement(dof).unwrap_or(f64::NAN));
        for (part, port) in [numerical, physical].into_iter().enumerate() {
            let mut links = [0.0; 2];
            sim.coupling.links_of(part, &mut links);
            run.links[part].push(links[port]);
        }
    }
    Ok(run)
}

fn largest(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::NAN } else { m.max(x.abs()) })
}

/// Link displacements under one coupling.
struct LinkStudy {
    runs: Vec<LinkRun>,
}

impl LinkStudy {
    fn new(method: &str, progress: &Progress<'_>) -> Result<Self, Stopped> {
        let mut runs = Vec::new();
        // The time of a run grows with its substeps, from that of the bridge alone.
        let work = |ss: u32| 10.0 + f64::from(ss);
        let all: f64 = SUBSTEPS.iter().map(|&ss| work(ss)).sum::<f64>() * SHARES.len() as f64;
        let mut done = 0.0;
        for share in SHARES {
            for substeps in SUBSTEPS {
                runs.push(link_run(method, share, substeps)?);
                done += work(substeps);
                progress.at(done / all)?;
            }
        }
        Ok(LinkStudy { runs })
    }

    fn run(&self, share: &str, substeps: u32) -> Option<&LinkRun> {
        self.runs.iter().find(|r| r.share == share && r.substeps == substeps)
    }

    /// Largest link displacement of the numerical and of the physical side, m.
    fn peak(&self, share: &str, substeps: u32) -> [f64; 2] {
        self.run(share, substeps).map_or([f64::NAN; 2], |r| [largest(&r.links[0]), largest(&r.links[1])])
    }

    /// The specimen's links without substeps fall as its mass grows. Reference values by share, with half a digit.
    fn over_shares(&self, claim: Claim, reference: [(f64, f64); 4]) -> Claim {
        let links: Vec<f64> = SHARES.iter().map(|share| self.peak(share, 1)[1]).collect();
        let least = links.windows(2).map(|pair| pair[0] / pair[1]).fold(f64::INFINITY, f64::min);
        let claim = SHARES.iter().zip(&links).zip(reference).fold(claim, |claim, ((share, link), (value, digit))| {
            let what = format!("physical side, m_f = {share}, ss = 1");
            claim.measure(Measure::new(what, *link, "m").reference(value, digit))
        });
        let least = Measure::new("least ratio of links from one share to the next larger", least, "");
        claim.measure(least.claimed(Expected::AtLeast(1.0)))
    }

    /// The specimen's links with little mass over substeps.
    fn over_substeps(&self, claim: Claim, reference: [(f64, f64); 4]) -> Claim {
        SUBSTEPS.iter().zip(reference).fold(claim, |claim, (&ss, (value, digit))| {
            let what = format!("physical side, m_f = 0.001, ss = {ss}");
            claim.measure(Measure::new(what, self.peak("0.001", ss)[1], "m").reference(value, digit))
        })
    }

    fn outcome(&self) -> Outcome {
        let history = |share: &str, substeps: u32| {
            let side = |side: usize| {
                let points = |r: &LinkRun| r.times.iter().copied().zip(r.links[side].iter().map(|u| 1e6 * u)).collect();
                self.run(share, substeps).map(points).unwrap_or_default()
            };
            Panel {
                title: format!("ss = {substeps}, m_f = {share}"),
                x: Axis::new("time [s]"),
                y: Axis::new("link displacement [µm]"),
                curves: vec![Curve::line("physical side", side(1)), Curve::line("numerical side", side(0))],
                ..Panel::default()
            }
        };
        let over = |(i, share): (usize, &&str)| {
            let points = SUBSTEPS.iter().map(|&ss| (f64::from(ss), 1e6 * self.peak(share, ss)[1])).collect();
            Curve::line(format!("m_f = {share}"), points).style(Style::Joined).colour(i)
        };
        let summary = Panel {
            title: "largest on the physical side".to_owned(),
            x: Axis::log("substeps ss"),
            y: Axis::log("link displacement [µm]").over(1e-5, 1e3),
            curves: SHARES.iter().enumerate().map(over).collect(),
            marks: vec![Mark::Horizontal(546.0, "isolator 9 yields".to_owned())],
        };
        let header = std::iter::once("share m_f".to_owned()).chain(SUBSTEPS.iter().map(|ss| format!("ss = {ss}")));
        let row = |share: &&str| {
            let cells = SUBSTEPS.iter().map(|&ss| {
                let [numerical, physical] = self.peak(share, ss);
                format!("{:.3e} / {:.3e}", numerical, physical)
            });
            std::iter::once((*share).to_owned()).chain(cells).collect()
        };
        let table = Table {
            title: "Largest link displacement at pier 9, numerical / physical side [m]".to_owned(),
            header: header.collect(),
            rows: SHARES.iter().map(row).collect(),
        };
        let panels = vec![history("0.001", 1), history("0.95", 1), history("0.001", 100), summary];
        Outcome { panels, columns: 2, tables: vec![table], ..Outcome::default() }
    }
}

/// Displacement of the deck at pier 9 with the bridge in one piece, `per_step` steps to one of 1/1024 s, sampled as the
/// runs in parts are.
fn in_one_piece(
    model: &Model,
    per_step: u64,
    progress: impl Fn(f64) -> Result<(), Stopped>,
) -> Result<Vec<f64>, Stopped> {
    let Machine::Whole(mut sim) = Machine::whole(with_step(model, model.analysis.dt / per_step as f64))? else {
        return Err(Stopped::Fault("the viaduct is in parts".to_owned()));
    };
    let Some(place) = sim.unknowns().position(|name| name == "deck9.y") else {
        return Err(Stopped::Fault("there is no deck9.y".to_owned()));
    };
    let (steps, mut deck) = (sim.steps(), Vec::new());
    for k in 0..steps {
        if let Err(fault) = sim.step(k) {
            return Err(Stopped::Fault(sim.explain(fault)));
        }
        if (k + 1) % per_step == 0 {
            deck.push(sim.y()[place]);
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
        Machine::parts(file.with(&settings)?)?.run(|part| progress.at(from + 0.5 * part))
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
