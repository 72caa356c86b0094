//! What a coupling costs beside the structure in one piece, what two threads gain, and the full stability scan of PMC.

use std::time::Instant;

use interfield_coupling::registry::METHODS;
use interfield_coupling::{Coupling, Method, PmcOptions};
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::splitting::Splitting;
use interfield_language::Model;
use interfield_structure::{Assembled, Simulation};
use interfield_testkit::couplings::{Setting, begin, radius, split_mass};
use interfield_testkit::run::read_with;

use crate::{Bar, Bench, Row, alternate, timed};
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

/// Seconds of `steps` macro-steps after the first ten.
fn run(text: &str, method: &str, threads: bool, steps: u64) -> Result<f64, String> {
    let mut parts = coupled(text, method)?;
    parts.coupling.use_threads(threads);
    let step = |coupling: &mut dyn Coupling<Assembled>, k| coupling.step(k).map_err(|fault| format!("{fault:?}"));
    for k in 0..10 {
        step(parts.coupling.as_mut(), k)?;
    }
    let begin = Instant::now();
    for k in 10..10 + steps {
        step(parts.coupling.as_mut(), k)?;
    }
    Ok(begin.elapsed().as_secs_f64())
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
        let mut rows = Vec::new();
        for (case, text, steps) in [("viaduct-88", viaduct.as_str(), 4000), ("towers-3150", TOWERS, 300)] {
            let steps = self.steps(steps);
            let whole = single(text);
            for info in METHODS {
                // Localized multipliers have one step for all.
                let text = if info.sided { text.to_owned() } else { text.replace("substeps = 10", "") };
                let text = text.replace("mix = 0.01", if info.name == "pmc" { "mix = 0.01" } else { "" });
                let [ours, other] = alternate(3, || {
                    Ok([run(&text, info.name, false, steps as u64)?, timed(&whole, steps, steps, 0)?.0])
                })?
                .map(|seconds| 1e6 * seconds / steps as f64);
                let what = format!("{}, macro-step / step of the whole", info.name);
                let substeps = if text.contains("substeps = 10") { "10 substeps" } else { "one step on all sides" };
                let (other, bar, note) = (Ok(other), Bar::None, substeps.to_owned());
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
            let [alone, two] =
                alternate(5, || Ok([run(TOWERS, method, false, steps)?, run(TOWERS, method, true, steps)?]))?
                    .map(|seconds| 1e6 * seconds / steps as f64);
            // PLSRT2 evaluates the coarse side for its multipliers too: its halves are not equal.
            let bar = if method == "plsrt2" { Bar::None } else { Bar::Faster(1.6) };
            let what = format!("{method}, one thread / two");
            rows.push(Row { case: "threads", what, unit: "us", ours: alone, other: Ok(two), bar, note: String::new() });
        }
        Ok(rows)
    }

    /// The full scan of PMC-a(0.8) over the split mass: radius at most 1 + 1e-9.
    pub(crate) fn passive_scan(&self) -> Result<Vec<Row>, String> {
        let scheme = AnyScheme::Splitting(Splitting::generalized_alpha(0.8));
        let log =
            |from: f64, to: f64, n: usize| (0..n).map(move |i| from * (to / from).powf(i as f64 / (n - 1) as f64));
        let (ratios, omegas) = if self.quick() { (5, 13) } else { (33, 121) };
        let mut most = 0.0_f64;
        let mut points = 0;
        for b1 in log(0.01, 100.0, ratios) {
            let cut = split_mass(b1);
            for omega in log(1e-3, 1e3, omegas) {
                for ss in [1, 2, 3, 5, 10, 20, 50, 100] {
                    let assembly = cut.assembly(&Setting::same(scheme, omega, ss));
                    let mut coupled = begin(Method::Pmc(PmcOptions::PMC), assembly);
                    most = most.max(radius(coupled.as_mut()) - 1.0);
                    points += 1;
                }
            }
        }
        let what = "PMC-a(0.8), spectral radius - 1 over the split mass".to_owned();
        let (other, note) = (Err(String::new()), format!("{points} points"));
        Ok(vec![Row { case: "passive-scan", what, unit: "", ours: most, other, bar: Bar::Below(1e-9), note }])
    }
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
