//! What a coupling costs beside the structure in one piece, what two threads gain, and what the passive couplings promise.

use std::time::Instant;

use interfield_coupling::registry::COUPLINGS;
use interfield_coupling::{Coupling, CouplingMethod};
use interfield_language::Model;
use interfield_structure::{Assembled, Simulation};
use interfield_testkit::passivity::{PROVED, Point, VARIED, growth, points};
use interfield_testkit::run::read_with;

use crate::frames::processor_time;
use crate::{Bar, Bench, Row, advance, alternate, start, undisturbed};
use interfield_language::parse::Overrides;

/// The isolated viaduct, 88 unknowns, its isolators as states so that every coupling takes it.
pub(crate) const VIADUCT: &str = include_str!("../../../../../models/rio-torto-isolated.toml");

/// Two equal towers of 1575 unknowns each, joined by a bridge at mid-height, cut at one end of it.
const TOWERS: &str = r#"
title = "two towers"
dofs = ["x", "y", "rz"]
[[plane-frame]]
name = "left"
bays = 20
width = 6
storeys = 25
height = 3
column = { E = 3e10, A = 0.25, I = 5.2e-3, rho = 2500 }
beam = { E = 3e10, A = 0.18, I = 5.4e-3, rho = 2500 }
[[plane-frame]]
name = "right"
at = [126, 0]
bays = 20
width = 6
storeys = 25
height = 3
column = { E = 3e10, A = 0.25, I = 5.2e-3, rho = 2500 }
beam = { E = 3e10, A = 0.18, I = 5.4e-3, rho = 2500 }
[[element]]
type = "beam2d"
name = "left_bridge"
nodes = ["left_n12_20", "right_n12_0"]
E = 3e10
A = 0.18
I = 5.4e-3
rho = 2500
[damping]
rayleigh = { a0 = 0.3, a1 = 1e-3 }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = 3 }
[[substructure]]
name = "left"
elements = ["left_*"]
[[substructure]]
name = "right"
elements = ["right_*"]
[analysis]
dt = 0.005
duration = 100
"#;

fn coupled(text: &str, method: &str) -> Result<Simulation, String> {
    let overrides = Overrides { coupling: Some(method.to_owned()), ..Overrides::default() };
    let model = read_with("bench.toml", text, &overrides);
    Simulation::new(model).map_err(|p| p.iter().map(|p| p.message.clone()).collect::<Vec<_>>().join("; "))
}

/// Seconds of `steps` macro-steps after the first ten: of the clock if it is about `threads`, else of the processor.
fn run(text: &str, method: &str, threads: Option<bool>, steps: u64) -> Result<f64, String> {
    let mut parts = coupled(text, method)?;
    parts.coupling.use_threads(threads == Some(true));
    let step = |coupling: &mut dyn Coupling<Assembled>, k| coupling.step(k).map_err(|fault| format!("{fault:?}"));
    for k in 0..10 {
        step(parts.coupling.as_mut(), k)?;
    }
    let begin = Instant::now();
    let busy = processor_time();
    for k in 10..10 + steps {
        step(parts.coupling.as_mut(), k)?;
    }
    // On one thread what the processor did, so that a busy machine does not decide.
    Ok(if threads.is_some() { begin.elapsed().as_secs_f64() } else { processor_time() - busy })
}

/// Processor time of `steps` steps of the structure in one piece after the first ten, s.
fn run_whole(model: &Model, steps: u64) -> Result<f64, String> {
    let mut simulation = start(model.clone().in_one_piece())?;
    let mut begin = 0.0;
    for k in 0..10 + steps as usize {
        if k == 10 {
            begin = processor_time();
        }
        advance(&mut simulation, k)?;
    }
    Ok(processor_time() - begin)
}

impl Bench {
    /// Every coupling beside the whole structure with Newmark's method at the macro-step.
    pub(crate) fn couplings(&self) -> Result<Vec<Row>, String> {
        let viaduct = VIADUCT.replace("memory = \"path\"", "memory = \"state\"");
        let single = |text: &str| -> Model {
            let overrides = Overrides {
                scheme: Some("newmark".into()),
                tangent: Some("initial".into()),
                duration: Some("1000 s".into()),
                ..Overrides::default()
            };
            read_with("bench.toml", text, &overrides)
        };
        let one = viaduct.replace("substeps = 10", "substeps = 1");
        let mut rows = Vec::new();
        for (case, text, steps) in [
            ("viaduct-88", viaduct.as_str(), 4000),
            ("viaduct-88-one", one.as_str(), 4000),
            ("towers-3150", TOWERS, 300),
        ] {
            let steps = self.steps(steps);
            let whole = single(text);
            for info in COUPLINGS {
                // Localized multipliers have one step for all.
                let text = if info.sided { text.to_owned() } else { text.replace("substeps = 10", "") };
                let [ours, other] = undisturbed(9, || {
                    Ok([run(&text, info.name, None, steps as u64)?, run_whole(&whole, steps as u64)?])
                })?
                .map(|seconds| 1e6 * seconds / steps as f64);
                let what = format!("{}, macro-step / step of the whole", info.name);
                let substeps = if text.contains("substeps = 10") { "10 substeps" } else { "one step on all sides" };
                // What a coupling may cost: at one rate little more than the whole, which does the same work.
                let bar = match (info.name, case) {
                    ("pmc", "viaduct-88-one" | "towers-3150") => Bar::RatioBelow(1.5),
                    ("plsrt2" | "staggered", "viaduct-88") => Bar::RatioBelow(10.0),
                    _ => Bar::None,
                };
                let (other, note) = (Ok(other), substeps.to_owned());
                rows.push(Row { case, what, unit: "us", ours, other, bar, note });
            }
        }
        Ok(rows)
    }

    /// Two threads on equal halves.
    pub(crate) fn threads(&self) -> Result<Vec<Row>, String> {
        let steps = self.steps(600) as u64;
        let mut rows = Vec::new();
        for method in ["pmc", "pm", "modified-ph", "foh", "plsrt2"] {
            let [alone, two] = alternate(5, || {
                Ok([run(TOWERS, method, Some(false), steps)?, run(TOWERS, method, Some(true), steps)?])
            })?
            .map(|seconds| 1e6 * seconds / steps as f64);
            // PLSRT2 evaluates the coarse side for its multipliers too: its halves are not equal.
            let bar = if method == "plsrt2" { Bar::None } else { Bar::Faster(1.6) };
            let what = format!("{method}, one thread / two");
            rows.push(Row { case: "threads", what, unit: "us", ours: alone, other: Ok(two), bar, note: String::new() });
        }
        Ok(rows)
    }

    /// What the passive couplings promise (book: passivity 4.3): no eigenvalue outside of the unit circle over the whole scan, and the
    /// isolated viaduct, whose isolators slide on the coarse side, through a minute of strong motion.
    pub(crate) fn passivity(&self) -> Result<Vec<Row>, String> {
        let every = if self.quick() { 101 } else { 1 };
        let mut rows = Vec::new();
        for (name, method) in PROVED.into_iter().chain(VARIED) {
            let all: Vec<Point> = points().step_by(every).collect();
            let begin = Instant::now();
            let most = largest_growth(method, &all);
            let what = format!("{name}, spectral radius - 1 over the split mass, both sides softening");
            let note = format!("{} points, {:.0} s", all.len(), begin.elapsed().as_secs_f64());
            let other = Err(String::new());
            rows.push(Row { case: "passivity", what, unit: "", ours: most, other, bar: Bar::Below(1e-9), note });
        }
        let seconds = if self.quick() { 6 } else { 60 };
        for (name, tie) in
            [("pmc", "tie = 0.5"), ("pmc", "tie = 0"), ("pmc2s", ""), ("psl", ""), ("pm", ""), ("gc", "")]
        {
            let [force, rough, given] = minute(name, tie, seconds)?;
            let what = format!("{name} {tie}, largest multiplier of the isolated viaduct in {seconds} s");
            let note =
                format!("third difference {rough:.1} kN rms, interface gives {:.2} % of what passes", 100.0 * given);
            let (other, bar) = (Err(String::new()), Bar::Below(500.0));
            rows.push(Row { case: "passivity", what, unit: "kN", ours: force, other, bar, note });
        }
        Ok(rows)
    }
}

/// Largest growth at these points, on all processors.
fn largest_growth(method: CouplingMethod, points: &[Point]) -> f64 {
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| {
        let share = |first: usize| {
            let own = points.iter().skip(first).step_by(threads);
            scope.spawn(move || own.map(|p| growth(method, p)).fold(f64::NEG_INFINITY, f64::max))
        };
        let shares: Vec<_> = (0..threads).map(share).collect();
        shares.into_iter().map(|s| s.join().unwrap_or(f64::NAN)).fold(f64::NEG_INFINITY, f64::max)
    })
}

/// So many seconds of the isolated viaduct, the ground motion of its file again and again: largest multiplier, kN; rms third difference of
/// the multipliers in the last quarter, kN; what the interface gave of the work that passed it.
fn minute(method: &str, options: &str, seconds: u32) -> Result<[f64; 3], String> {
    let text = VIADUCT
        .replace("method = \"pmc\"", &format!("method = \"{method}\"\n{options}"))
        .replace("duration = \"4 s\"", &format!("duration = \"{seconds} s\""));
    let model = read_with("bench.toml", &text, &Overrides::default());
    let mut sim = Simulation::new(model).map_err(|p| p[0].message.clone())?;
    let mut forces = Vec::new();
    for k in 0..sim.steps() {
        sim.step(k).map_err(|fault| sim.explain(fault))?;
        forces.push(sim.coupling.multipliers()[0] / 1e3);
    }
    let most = forces.iter().fold(0.0_f64, |m, f| m.max(f.abs()));
    let last = &forces[3 * forces.len() / 4..];
    let third = last.windows(4).map(|w| (w[3] - 3.0 * w[2] + 3.0 * w[1] - w[0]).powi(2)).sum::<f64>();
    let given = sim.quality().map_or(f64::NAN, |q| q.net_work / q.through_work);
    Ok([most, (third / last.len() as f64).sqrt(), given])
}

/// The towers can be read: a mistake in them is found by the tests, not by the next benchmark.
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_models_of_the_benchmark_start() {
        assert_eq!(interfield_testkit::run::read(TOWERS).dofs.len(), 2 * 26 * 21 * 3);
        for method in ["pmc", "plsrt2", "llm"] {
            coupled(TOWERS, method).unwrap_or_else(|e| panic!("{method}: {e}"));
        }
    }
}
