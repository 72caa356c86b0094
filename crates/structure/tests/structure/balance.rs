//! The energy balance against what mechanics says about it.

use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;

pub(crate) fn model(text: &str) -> Model {
    let (source, diags) = (Source::new("balance.toml", text.to_owned()), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let found = parse(&source, &Overrides::default(), &files, &diags);
    assert!(!diags.has_errors(), "{}", diags.render(&source, false));
    found.unwrap().0
}

/// All rows of a run.
fn rows(text: &str) -> Vec<Vec<f64>> {
    let mut sim = Simulation::new(model(text)).unwrap();
    let mut row = vec![0.0; sim.channels().len()];
    (0..=sim.steps())
        .map(|k| {
            sim.sample(k, &mut row).unwrap();
            if k < sim.steps() {
                sim.step(k).unwrap();
            }
            row.clone()
        })
        .collect()
}

const OSCILLATOR: &str = r#"
[[node]]
name = "m"
dofs = ["x"]
mass = 2
initial = { x = 0.5 }
[[element]]
type = "spring"
nodes = ["ground", "m"]
dof = "x"
k = 50
"#;

/// Channels are kinetic, internal, damping, input, error: `[record]` lists nothing else.
fn record(scheme: &str, dt: f64) -> String {
    format!(
        "[analysis]\nscheme = \"{scheme}\"\ndt = {dt}\nduration = 4\n[record]\nchannels = [\"energy.kinetic\"]\nenergy = true\n"
    )
}

fn largest(rows: &[Vec<f64>], channel: usize) -> f64 {
    rows.iter().map(|r| r[channel].abs()).fold(0.0, f64::max)
}

#[test]
fn an_oscillator_keeps_its_energy_with_the_trapezoidal_rule() {
    let rows = rows(&format!("{OSCILLATOR}{}", record("newmark", 0.02)));
    let whole = 0.5 * 50.0 * 0.5 * 0.5;
    for row in &rows {
        // At the start the spring holds all of it; internal work counts from there.
        assert!((row[0] + row[1]).abs() < 1e-12 * whole, "{row:?}");
        assert!(row[4].abs() < 1e-12 * whole && row[3] == 0.0 && row[2] == 0.0, "{row:?}");
    }
    assert!((largest(&rows, 0) - whole).abs() < 1e-3 * whole, "all of it becomes kinetic");
}

const FORCED: &str = r#"
[damping]
rayleigh = { a0 = 0.4, a1 = 0.002 }
[[load]]
type = "force"
name = "push"
at = "m.x"
signal = { type = "harmonic", amplitude = 30, frequency = 0.9 }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "harmonic", amplitude = 4, frequency = 1.7 }
"#;

#[test]
fn the_error_of_a_damped_forced_run_is_of_second_order() {
    let error = |scheme: &str, dt: f64| {
        let rows = rows(&format!("{OSCILLATOR}{FORCED}{}", record(scheme, dt)));
        assert!(largest(&rows, 3) > 1.0 && largest(&rows, 2) > 1.0, "there is input and damping");
        largest(&rows, 4) / largest(&rows, 3)
    };
    let (coarse, fine) = (error("lsrt2", 0.01), error("lsrt2", 0.005));
    assert!(fine < 1e-3, "{fine}");
    assert!((3.5..4.5).contains(&(coarse / fine)), "{coarse} {fine}");
    assert!(error("newmark", 0.01) < 1e-11, "the trapezoidal rule closes the balance");
}

#[test]
fn damping_takes_what_it_must() {
    // Free decay: in the end all of the first energy has gone into the damping matrix.
    let text = format!("{OSCILLATOR}[damping]\nrayleigh = {{ a0 = 6 }}\n{}", record("newmark", 0.01));
    let rows = rows(&text);
    let last = rows.last().unwrap();
    assert!((last[2] - 6.25).abs() < 1e-3, "{last:?}");
}

#[test]
fn masses_that_depend_on_the_configuration_balance_too() {
    let text = r#"
[[node]]
name = "cart"
dofs = ["x"]
mass = 3
[[node]]
name = "bob"
dofs = ["theta"]
initial = { theta = 0.9 }
[[element]]
type = "pendulum"
dofs = ["cart.x", "bob.theta"]
m = 2
length = 0.7
[[element]]
type = "spring"
nodes = ["ground", "cart"]
dof = "x"
k = 80
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "harmonic", amplitude = 3, frequency = 0.8 }
"#;
    let error = |dt: f64| {
        let rows = rows(&format!("{text}{}", record("lsrt2", dt)));
        assert!(largest(&rows, 3) > 0.5);
        largest(&rows, 4) / largest(&rows, 0)
    };
    let (coarse, fine) = (error(0.004), error(0.002));
    assert!(fine < 1e-3 && coarse / fine > 3.5, "{coarse} {fine}");
}

#[test]
fn parts_that_do_not_exist_are_refused() {
    let text = format!("{OSCILLATOR}{}", record("newmark", 0.1).replace("energy.kinetic", "energy.heat"));
    let (source, diags) = (Source::new("balance.toml", text), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let _ = parse(&source, &Overrides::default(), &files, &diags);
    let found = diags.render(&source, false);
    assert!(found.contains("`heat` is not a part of the energy balance") && found.contains("kinetic"), "{found}");
}
