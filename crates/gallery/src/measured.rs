//! A scheme behind an actuator, paper 001: the forced mass whose specimen stands in an emulated laboratory.

use interfield_analysis::stability::{Options, stability};
use interfield_report::{Axis, BLACK, Curve, Panel, Style};
use interfield_structure::Simulation;
use interfield_structure::specimen::Probe;

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Progress, Stopped};
use crate::models::{FORCED_SPLIT_MASS, History, Settings, refused, run_while_it_goes, start_whole};
use crate::outcome::Outcome;

/// 001, figure 3.
pub(crate) const FIG_3_OF_001: Item = Item {
    id: "001-fig-3",
    paper: Paper::P001,
    place: "Fig. 3",
    what: "A forced mass with a specimen on a resonant, delayed actuator: LSRT2 and Chang's method",
    look: "A quarter of the mass is the specimen. A lightly damped actuator moves it with a delay of 8 ms, and its \
        force enters the equation of motion: a feedback with a resonance at 25 Hz, where the structure has no mode. \
        Without numerical damping at this frequency the loop is unstable. Chang's method has no dissipation, γ = 1 − \
        √2/2 too little at this step; γ = 1 + √2/2 is stable. The growth of the runs is that of the loop radii, which \
        are known before the test. Stable does not mean accurate: the specimen still has a delay of 9 ms. The \
        laboratory is emulated, with an actuator chosen here; the limit of 100 mm ends the unstable tests.",
    commands: &[
        "interfield run models/forced-split-mass.toml",
        "interfield check models/forced-split-mass.toml --stability --scheme chang",
        "interfield check models/forced-split-mass.toml --stability --param gamma=minus",
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
    /// Radius of the loop that an independent implementation found.
    reference: f64,
}

const PLUS: Way =
    Way { name: "LSRT2, γ = 1 + √2/2", scheme: "lsrt2", param: &[("gamma", "plus")], reference: 0.9947 };
const MINUS: Way =
    Way { name: "LSRT2, γ = 1 − √2/2", scheme: "lsrt2", param: &[("gamma", "minus")], reference: 1.0297 };
const CHANG: Way = Way { name: "Chang", scheme: "chang", param: &[], reference: 1.0289 };

/// What is shown of a stable test, s.
const SHOWN: f64 = 2.5;

impl Way {
    fn settings(&self) -> Settings<'static> {
        Settings { scheme: self.scheme, param: self.param, ..Settings::default() }
    }

    /// Spectral radius of the loop of structure, actuator and specimen.
    fn radius(&self) -> Result<f64, Stopped> {
        let model = FORCED_SPLIT_MASS.with(&self.settings())?;
        let mut sim =
            Simulation::in_workshop(model.in_one_piece(), &mut Probe).map_err(|problems| refused(&problems))?;
        let found = stability(&mut *sim.coupling, &Options::default());
        found.map(|s| s.radius).map_err(|e| Stopped::Fault(format!("{}: {e:?}", self.name)))
    }

    /// The test, to its end or to where the laboratory ended it.
    fn test(&self, progress: &Progress<'_>) -> Result<History, Stopped> {
        let mut machine = start_whole(FORCED_SPLIT_MASS.with(&self.settings())?)?;
        run_while_it_goes(&mut machine, |part| progress.at(part)).map(|(history, _)| history)
    }

    fn loop_radius(&self) -> Result<Measure, Stopped> {
        Ok(Measure::new(format!("{}: spectral radius of the loop", self.name), self.radius()?, "")
            .reference(self.reference, 6e-5))
    }
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
    let claims = vec![
        Claim::new("Chang's method becomes unstable because of the lag and the errors of the measured force")
            .measure(CHANG.loop_radius()?.claimed(Expected::AtLeast(1.0)))
            .measure(lasts(&CHANG, &chang).claimed(Expected::AtMost(SHOWN))),
        Claim::new("The numerical damping of LSRT2 lets the test run")
            .correction("That of γ = 1 + √2/2, which the paper used, does; γ = 1 − √2/2 is unstable as well")
            .measure(PLUS.loop_radius()?.claimed(Expected::AtMost(1.0)).corrected(Expected::AtMost(1.0)))
            .measure(lasts(&PLUS, &plus).claimed(Expected::AtLeast(whole)).corrected(Expected::AtLeast(whole)))
            .measure(MINUS.loop_radius()?.claimed(Expected::AtMost(1.0)).corrected(Expected::AtLeast(1.0)))
            .measure(lasts(&MINUS, &minus).corrected(Expected::AtMost(SHOWN))),
    ];
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
    Ok(Outcome { panels, columns: 2, claims, ..Outcome::default() })
}

/// The size of the displacements over time, and how it should grow after the radius of the loop, up to where the test ended.
fn growth(tests: &[(&Way, &History)], dt: f64) -> Result<Vec<Curve>, Stopped> {
    let mut curves = Vec::new();
    for (colour, (way, history)) in tests.iter().enumerate() {
        let reached = history.over_time("mass.x.reached");
        // Ten steps are a period of what grows.
        let largest = |part: &[(f64, f64)]| (part[0].0, 1e3 * part.iter().fold(0.0f64, |m, p| m.max(p.1.abs())));
        let sizes: Vec<(f64, f64)> = reached.chunks(10).map(largest).filter(|p| p.0 <= SHOWN).collect();
        let radius = way.radius()?;
        if let Some(&(end, size)) = sizes.last().filter(|_| radius > 1.0) {
            let before = |t: f64| (t, size * radius.powf((t - end) / dt));
            let name = format!("ρ = {radius:.4}");
            curves.push(Curve::line(name, vec![before(0.6), before(end)]).style(Style::Dashed).colour(colour));
        }
        curves.push(Curve::line(way.name, sizes).colour(colour));
    }
    Ok(curves)
}
