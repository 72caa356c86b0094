//! Histories and loops of structures in one piece, and what all histories share.

use interfield_report::thin::thinned;
use interfield_report::{Axis, BLACK, Curve, Mark, Panel, Style};

use crate::claim::{Claim, Expected, Measure};
use crate::item::{Item, Paper, Stopped};
use crate::models::{FRAME, File, History, SHEAR_PENDULUM_BOUC_WEN, Settings, run, start_whole};
use crate::outcome::Outcome;

/// Most points of a drawn curve.
const POINTS: usize = 4000;

/// The history of a model in one piece.
pub(crate) fn whole(
    file: &File,
    settings: &Settings<'_>,
    progress: impl Fn(f64) -> Result<(), Stopped>,
) -> Result<History, Stopped> {
    run(&mut start_whole(file.with(settings)?)?, progress)
}

/// How far a model in one piece comes before a step fails, s.
pub(crate) fn reached(file: &File, settings: &Settings<'_>) -> Result<f64, Stopped> {
    let model = file.with(settings)?;
    let (dt, steps) = (model.analysis.dt, (model.analysis.duration / model.analysis.dt).round() as u64);
    let mut machine = start_whole(model)?;
    let done = (0..steps).take_while(|&k| machine.step(k).is_ok()).count();
    let good = machine.states().all(|y| y.iter().all(|x| x.is_finite()));
    Ok(if good { done as f64 * dt } else { f64::NAN })
}

/// The largest of some numbers; NaN if there is none, or one of them is.
pub(crate) fn largest(numbers: impl Iterator<Item = f64>) -> f64 {
    numbers.reduce(|a, b| if a.is_nan() || a >= b { a } else { b }).unwrap_or(f64::NAN)
}

/// The points from one time to another.
pub(crate) fn until(points: Vec<(f64, f64)>, from: f64, to: f64) -> Vec<(f64, f64)> {
    points.into_iter().filter(|p| (from..=to).contains(&p.0)).collect()
}

/// As many points as a figure needs.
pub(crate) fn drawn(points: Vec<(f64, f64)>) -> Vec<(f64, f64)> {
    thinned(points, POINTS)
}

/// Largest magnitude of a channel.
pub(crate) fn peak(history: &History, channel: &str) -> f64 {
    largest(history.of(channel).iter().map(|x| x.abs()))
}

/// The structure with a hysteretic storey with this γ and step.
fn yielding(gamma: &str, dt: &str, progress: impl Fn(f64) -> Result<(), Stopped>) -> Result<History, Stopped> {
    let settings = Settings { scheme: "lsrt2", param: &[("gamma", gamma)], dt, ..Settings::default() };
    whole(&SHEAR_PENDULUM_BOUC_WEN, &settings, progress)
}

/// 000, figure 4.
pub(crate) const FIG_4_OF_000: Item = Item {
    id: "000-fig-4",
    paper: Paper::P000,
    place: "Fig. 4",
    what: "First floor of the shear structure with a Bouc-Wen storey under 1 g",
    look: "The storey yields, and the floor has a residual displacement. The paper says that γ = 1/2, which does not \
        damp \
high frequencies, is unstable here, and leaves its result out. It is not: at any step from 1 to 50 ms the response stays bounded, and at \
1 ms its peak differs by a tenth of a percent from that of the damped method. This system does not show the \
advantages of high-frequency damping.",
    commands: &[
        "interfield run models/shear-pendulum-bouc-wen.toml",
        "interfield run models/shear-pendulum-bouc-wen.toml --param gamma=0.5",
    ],
    models: &[&SHEAR_PENDULUM_BOUC_WEN],
    seconds: 1,
    run: |progress| {
        let damped = yielding("minus", "1 ms", |part| progress.at(0.3 * part))?;
        let undamped = yielding("0.5", "1 ms", |part| progress.at(0.3 + 0.3 * part))?;
        let stable = Claim::new("With γ = 1 − √2/2 the response is stable").measure(
            Measure::new("largest displacement", peak(&damped, "floor1.x"), "m")
                .claimed(Expected::AtMost(1.0))
                .reference(0.0982, 0.00005),
        );
        // Of a response that grows without bound a metre would be the beginning; the structure is 0.1 m away at most.
        let mut unstable = Claim::new("With γ = 1/2, which does not damp high frequencies, the response is unstable")
            .correction("it is bounded at every step and nearly the same")
            .measure(
                Measure::new("γ = 1/2, 1 ms: largest displacement", peak(&undamped, "floor1.x"), "m")
                    .claimed(Expected::AtLeast(1.0))
                    .reference(0.0981, 0.00005),
            );
        for (i, dt) in ["5 ms", "10 ms", "20 ms", "50 ms"].into_iter().enumerate() {
            let coarse = yielding("0.5", dt, |_| progress.at(0.6 + 0.1 * i as f64))?;
            unstable = unstable.measure(
                Measure::new(format!("γ = 1/2, {dt}: largest displacement"), peak(&coarse, "floor1.x"), "m")
                    .claimed(Expected::AtLeast(1.0)),
            );
        }
        let panel = Panel {
            x: Axis::new("time", "s"),
            y: Axis::new("first floor", "m"),
            curves: vec![
                Curve::line("γ = 1 − √2/2", drawn(damped.over_time("floor1.x"))),
                Curve::line("γ = 1/2", drawn(undamped.over_time("floor1.x"))).style(Style::Dashed),
            ],
            ..Panel::default()
        };
        Ok(Outcome { panels: vec![panel], columns: 1, claims: vec![stable, unstable], ..Outcome::default() })
    },
};

/// 000, figure 5.
pub(crate) const FIG_5_OF_000: Item = Item {
    id: "000-fig-5",
    paper: Paper::P000,
    place: "Fig. 5",
    what: "Force and deformation of the Bouc-Wen storey under 1 g",
    look: "Every loop encloses the energy that one cycle dissipates. The force bends towards K₀/(β + γ) = 500 N, which it can never \
reach; the earthquake brings it to three fifths of it. The state of the law is integrated by the same method as displacements and \
velocities, with its own rows of the Jacobian.",
    commands: &[
        "interfield run models/shear-pendulum-bouc-wen.toml",
        "interfield plot interfield-out/shear-pendulum-bouc-wen.h5 --channel storey1.force --versus storey1.deformation -o loop.svg",
    ],
    models: &[&SHEAR_PENDULUM_BOUC_WEN],
    seconds: 1,
    run: |progress| {
        let found = yielding("minus", "1 ms", |part| progress.at(part))?;
        let loops = found.over("storey1.deformation", "storey1.force");
        let work: f64 = loops.windows(2).map(|p| 0.5 * (p[0].1 + p[1].1) * (p[1].0 - p[0].0)).sum();
        // What a spring of the initial stiffness could hold back at most.
        let elastic = largest(loops.iter().map(|p| 0.5 * p.1 * p.1 / 4000.0));
        let claim = Claim::new("The first storey is hysteretic: it yields and dissipates energy")
            .measure(
                Measure::new("largest force", peak(&found, "storey1.force"), "N")
                    .claimed(Expected::Between(250.0, 500.0)),
            )
            .measure(
                Measure::new("work of the storey over what it could store elastically", work / elastic, "")
                    .claimed(Expected::AtLeast(2.0)),
            );
        let panel = Panel {
            x: Axis::new("deformation", "m"),
            y: Axis::new("force", "N").over(-600.0, 600.0),
            curves: vec![Curve::line("", drawn(loops))],
            marks: vec![Mark::Horizontal(500.0, "K₀/(β + γ)".to_owned()), Mark::Horizontal(-500.0, String::new())],
            ..Panel::default()
        };
        Ok(Outcome { panels: vec![panel], columns: 1, claims: vec![claim], ..Outcome::default() })
    },
};

/// The frame under 1 g with this γ and step.
fn frame(gamma: &str, dt: &str, progress: impl Fn(f64) -> Result<(), Stopped>) -> Result<History, Stopped> {
    let set = [("peak", "9.81 m/s^2")];
    whole(
        &FRAME,
        &Settings { set: &set, scheme: "lsrt2", param: &[("gamma", gamma)], dt, ..Settings::default() },
        progress,
    )
}

/// 000, figure 6.
pub(crate) const FIG_6_OF_000: Item = Item {
    id: "000-fig-6",
    paper: Paper::P000,
    place: "Fig. 6",
    what: "Top of a plane frame of three bays and ten storeys under 1 g",
    look: "120 unknowns, the fastest of which oscillate about a thousand times in one period of the frame: a method \
        that must \
resolve them all would need steps a hundred times finer. LSRT2 damps what it cannot resolve and keeps what it can. The dashed reference is the \
third-order method of this project at a tenth of the step. The larger γ is not suitable at this step: it loses an \
eighth of the peak.",
    commands: &[
        "interfield run models/frame.toml --set \"peak=9.81 m/s^2\"",
        "interfield run models/frame.toml --set \"peak=9.81 m/s^2\" --param gamma=plus",
    ],
    models: &[&FRAME],
    seconds: 5,
    run: |progress| {
        let set = [("peak", "9.81 m/s^2")];
        let settings = Settings { set: &set, scheme: "rosenbrock3", dt: "1 ms", ..Settings::default() };
        let reference = whole(&FRAME, &settings, |part| progress.at(0.7 * part))?;
        let top = |history: &History, every: usize| {
            let pairs = history.of("n10_0.x").iter().zip(reference.of("n10_0.x").iter().step_by(every));
            1e3 * largest(pairs.map(|(a, b)| (a - b).abs()))
        };
        let minus = frame("minus", "10 ms", |_| progress.at(0.7))?;
        let half = frame("minus", "5 ms", |_| progress.at(0.8))?;
        let plus = frame("plus", "10 ms", |_| progress.at(0.9))?;
        let largest = 1e3 * peak(&reference, "n10_0.x");
        let agrees = Claim::new("LSRT2 is stable and in high agreement with the reference")
            .measure(
                Measure::new("γ = 1 − √2/2, 10 ms: largest error of the top", top(&minus, 10), "mm")
                    .claimed(Expected::AtMost(0.01 * largest))
                    .reference(1.46, 0.01),
            )
            .measure(
                Measure::new("γ = 1 − √2/2, 5 ms: largest error of the top", top(&half, 5), "mm")
                    .claimed(Expected::AtMost(0.01 * largest))
                    .reference(0.36, 0.01),
            )
            .measure(
                Measure::new("γ = 1 + √2/2, 10 ms: largest error of the top", top(&plus, 10), "mm")
                    .reference(33.7, 0.1),
            )
            .measure(Measure::new("largest displacement of the top", largest, "mm").reference(288.0, 0.7));
        let curve = |name: &str, history: &History, from: f64, to: f64| {
            Curve::line(name, drawn(until(history.over_time("n10_0.x"), from, to)))
        };
        let panel = |title: &str, from: f64, to: f64| Panel {
            title: title.to_owned(),
            x: Axis::new("time", "s"),
            y: Axis::new("top", "m"),
            curves: vec![
                curve("γ = 1 − √2/2", &minus, from, to),
                curve("γ = 1 + √2/2", &plus, from, to),
                curve("reference", &reference, from, to).style(Style::Dashed).colour(BLACK),
            ],
            ..Panel::default()
        };
        let panels = vec![panel("20 s", 0.0, 20.0), panel("around the peak", 4.5, 7.0)];
        Ok(Outcome { panels, columns: 2, claims: vec![agrees], ..Outcome::default() })
    },
};
