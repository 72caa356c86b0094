//! A scheme behind an actuator, paper 001: the forced mass whose specimen stands in an emulated laboratory.

use interfield_analysis::stability::{Options, stability};
use interfield_report::{Axis, BLACK, Curve, Panel, Style};
use interfield_structure::Simulation;
use interfield_structure::specimen::Probe;

use crate::claim::{Claim, Expected, Finding, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{FORCED_SPLIT_MASS, History, Settings, refused, run_while_it_goes, start_whole};
use crate::outcome::{Outcome, Table};

/// 001, figure 3.
pub(crate) const FIG_3_OF_001: Item = Item {
    id: "001-fig-3",
    paper: Paper::P001,
    place: "Fig. 3",
    what: "A forced mass with a specimen on a resonant, delayed actuator: LSRT2 and Chang's method",
    look: "A quarter of the mass is the specimen. A lightly damped actuator moves it with a delay of 8 ms, and its \
        force enters the equation of motion: a feedback with a resonance at 25 Hz, where the structure has no mode. \
        Without numerical damping at this frequency the loop is unstable. Chang's method has no dissipation, γ = 1 − \
        √2/2 too little at this step; γ = 1 + √2/2 is stable. But the paper tells neither its actuator nor its step, and \
        both decide: see the table. With 30 % damping nothing is unstable, and with a fast actuator γ = 1 + √2/2 is the \
        unstable one. Stable does not mean accurate: the specimen still has a delay of 9 ms. The laboratory is \
        emulated; the limit of 100 mm ends the unstable tests.",
    commands: &[
        "interfield run models/forced-split-mass.toml",
        "interfield check models/forced-split-mass.toml --stability --scheme chang",
        "interfield check models/forced-split-mass.toml --stability --param gamma=minus",
        "interfield check models/forced-split-mass.toml --stability --set \"actuator=100 Hz\" --set damping=0.7",
    ],
    models: &[&FORCED_SPLIT_MASS],
    seconds: 1,
    run,
};

/// A way to integrate the numerical part.
struct Way {
    name: &'static str,
    scheme: &'static str,
    param: &'static [(&'static str, &'static str)],
}

const PLUS: Way = Way { name: "LSRT2, γ = 1 + √2/2", scheme: "lsrt2", param: &[("gamma", "plus")] };
const MINUS: Way = Way { name: "LSRT2, γ = 1 − √2/2", scheme: "lsrt2", param: &[("gamma", "minus")] };
const CHANG: Way = Way { name: "Chang", scheme: "chang", param: &[] };
const WAYS: [&Way; 3] = [&PLUS, &CHANG, &MINUS];

/// An emulated actuator of second order with a delay.
#[derive(Clone, Copy, PartialEq)]
struct Actuator {
    frequency: &'static str,
    damping: &'static str,
    delay: &'static str,
    /// Loop radii of [`WAYS`] by an independent implementation, where it has them.
    reference: Option<[f64; 3]>,
}

/// That of the model, with which the paper's observation can be shown.
const RESONANT: Actuator =
    Actuator { frequency: "25 Hz", damping: "0.1", delay: "8 ms", reference: Some([0.9947, 1.0289, 1.0297]) };
const ACTUATORS: [Actuator; 5] = [
    RESONANT,
    Actuator { damping: "0.3", reference: None, ..RESONANT },
    Actuator { delay: "12 ms", reference: None, ..RESONANT },
    Actuator { frequency: "100 Hz", damping: "0.7", delay: "8 ms", reference: None },
    Actuator { frequency: "100 Hz", damping: "0.7", delay: "0 s", reference: Some([2.6782, 0.9937, 0.9944]) },
];

impl Actuator {
    fn words(&self) -> String {
        format!("{}, damping {}, delay {}", self.frequency, self.damping, self.delay)
    }

    /// Spectral radii of the loop of structure, actuator and specimen under [`WAYS`].
    fn radii(&self) -> Result<[f64; 3], Stopped> {
        let set = [("actuator", self.frequency), ("damping", self.damping), ("delay", self.delay)];
        let mut radii = [f64::NAN; 3];
        for (radius, way) in radii.iter_mut().zip(WAYS) {
            let model = FORCED_SPLIT_MASS.with(&Settings { set: &set, ..way.settings() })?;
            let mut sim =
                Simulation::in_workshop(model.in_one_piece(), &mut Probe).map_err(|problems| refused(&problems))?;
            let found = stability(&mut *sim.coupling, &Options::default());
            *radius = found.map_err(|e| Stopped::Fault(format!("{}: {e:?}", way.name)))?.radius;
        }
        Ok(radii)
    }
}

/// What is shown of a stable test, s.
const SHOWN: f64 = 2.5;

impl Way {
    fn settings(&self) -> Settings<'static> {
        Settings { scheme: self.scheme, param: self.param, ..Settings::default() }
    }

    /// The test, to its end or to where the laboratory ended it.
    fn test(&self, progress: &Progress<'_>) -> Result<History, Stopped> {
        let mut machine = start_whole(FORCED_SPLIT_MASS.with(&self.settings())?)?;
        run_while_it_goes(&mut machine, |part| progress.at(part)).map(|(history, _)| history)
    }
}

/// What the paper says of its test.
fn claims() -> Vec<Claim> {
    const OBSTACLE: &str = "actuator, delay, noise and time step of the test are not published, and they decide: the loop may be \
        stable or unstable with either method";
    vec![
        Claim::new("Chang's method becomes unstable because of the lag and the errors of the measured force")
            .said(
                "The Chang's method leads to instability mainly caused by measurement errors and phase lag.",
                "Real-Time Application to a Linear SDOF Split-Mass System",
            )
            .untested(OBSTACLE),
        Claim::new("The numerical damping of LSRT2 lets the test run")
            .said(
                "Conversely, the numerical damping introduced by the LSRT2 algorithm allows the substructure test to be carried \
                out.",
                "Real-Time Application to a Linear SDOF Split-Mass System",
            )
            .untested(OBSTACLE),
    ]
}

/// The loops of all actuators and methods: a table, and what follows from it.
fn loops() -> Result<(Table, Finding), Stopped> {
    let mut finding = Finding::new(
        "Which method is stable depends on the actuator: with a resonant one only γ = 1 + √2/2 is, with 30 % damping all are, with \
        12 ms of delay none, and with a fast actuator all but γ = 1 + √2/2",
    );
    // Stable or not, in the order of the actuators and of the methods: plus, Chang, minus.
    let stable = [[true, false, false], [true; 3], [false; 3], [false, true, true], [false, true, true]];
    let mut rows = Vec::new();
    for (actuator, stable) in ACTUATORS.iter().zip(stable) {
        let radii = actuator.radii()?;
        for (i, way) in WAYS.iter().enumerate() {
            let what = format!("{}, {}: spectral radius of the loop", actuator.words(), way.name);
            let side = if stable[i] { Expected::AtMost(1.0) } else { Expected::AtLeast(1.0) };
            let measure = Measure::new(what, radii[i], "").claimed(side);
            finding = finding.measure(match actuator.reference {
                Some(reference) => measure.reference(reference[i], 6e-5),
                None => measure,
            });
        }
        rows.push(std::iter::once(actuator.words()).chain(radii.map(|r| format!("{r:.4}"))).collect());
    }
    let header = std::iter::once("actuator".to_owned()).chain(WAYS.map(|way| way.name.to_owned())).collect();
    Ok((Table { title: "Spectral radius of the loop; above 1 the test is unstable".to_owned(), header, rows }, finding))
}

fn run(progress: &Progress<'_>) -> Result<Outcome, Stopped> {
    let [plus, minus, chang] = [&PLUS, &MINUS, &CHANG].map(|way| way.test(progress));
    let (plus, minus, chang) = (plus?, minus?, chang?);
    let end = |history: &History| history.times.last().copied().unwrap_or(0.0);
    let analysis = FORCED_SPLIT_MASS.with(&Settings::default())?.analysis;
    let whole = analysis.duration;
    let lasts = |way: &Way, history: &History| {
        Measure::new(format!("{}: the test lasted, of {whole} s", way.name), end(history), "s")
    };
    let observed = Finding::new(
        "With the resonant actuator of the model the tests run as the paper says: only γ = 1 + √2/2 lasts",
    )
    .measure(lasts(&PLUS, &plus).claimed(Expected::AtLeast(whole)))
    .measure(lasts(&CHANG, &chang).claimed(Expected::AtMost(SHOWN)))
    .measure(lasts(&MINUS, &minus).claimed(Expected::AtMost(SHOWN)));
    let (table, dependence) = loops()?;
    let metres_as_mm = |points: Vec<(f64, f64)>| -> Vec<(f64, f64)> {
        points.into_iter().filter(|p| p.0 <= SHOWN).map(|(t, x)| (t, 1e3 * x)).collect()
    };
    let panel = |way: &Way, history: &History, range: f64| {
        let ended = end(history);
        let end = if ended < whole { format!(": ended at {ended:.2} s") } else { String::new() };
        Panel {
            title: format!("{}{end}", way.name),
            x: Axis::new("time", "s").over(0.0, SHOWN),
            y: Axis::new("displacement", "mm").over(-range, range),
            curves: vec![
                Curve::line("reached", metres_as_mm(history.over_time("mass.x.reached"))).colour(0),
                Curve::line("target", metres_as_mm(history.over_time("mass.x"))).colour(BLACK),
            ],
            ..Panel::default()
        }
    };
    let mut panels = vec![panel(&PLUS, &plus, 20.0), panel(&CHANG, &chang, 200.0), panel(&MINUS, &minus, 200.0)];
    panels.push(Panel {
        title: "growth".to_owned(),
        x: Axis::new("time", "s").over(0.0, SHOWN),
        y: Axis::new("largest in 40 ms", "mm").log().over(0.1, 1e3),
        curves: growth(&[(&PLUS, &plus), (&CHANG, &chang), (&MINUS, &minus)], analysis.dt)?,
        ..Panel::default()
    });
    Ok(Outcome { panels, columns: 2, tables: vec![table], claims: claims(), findings: vec![observed, dependence] })
}

/// The size of the displacements of [`WAYS`] over time, and how it should grow after the radius of the loop, up to where the test ended.
fn growth(tests: &[(&Way, &History); 3], dt: f64) -> Result<Vec<Curve>, Stopped> {
    let mut curves = Vec::new();
    let radii = RESONANT.radii()?;
    for (colour, (way, history)) in tests.iter().enumerate() {
        let reached = history.over_time("mass.x.reached");
        // Ten steps are a period of what grows.
        let largest = |part: &[(f64, f64)]| (part[0].0, 1e3 * part.iter().fold(0.0f64, |m, p| m.max(p.1.abs())));
        let sizes: Vec<(f64, f64)> = reached.chunks(10).map(largest).filter(|p| p.0 <= SHOWN).collect();
        let radius = radii[colour];
        if let Some(&(end, size)) = sizes.last().filter(|_| radius > 1.0) {
            let before = |t: f64| (t, size * radius.powf((t - end) / dt));
            let name = format!("ρ = {radius:.4}");
            curves.push(Curve::line(name, vec![before(0.6), before(end)]).style(Style::Dashed).colour(colour));
        }
        curves.push(Curve::line(way.name, sizes).colour(colour));
    }
    Ok(curves)
}
