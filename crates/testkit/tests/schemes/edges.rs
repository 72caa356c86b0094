//! Places where an easy mistake gives plausible but wrong numbers: found by comparing with independent solutions.

use interfield_language::model::Model;
use interfield_structure::Simulation;
use interfield_testkit::run::{advance, read, simulation};
use interfield_testkit::variants::scheme;

/// All channels of a model over its duration, one row per step.
fn channels(model: Model) -> Vec<Vec<f64>> {
    let mut sim: Simulation = simulation(model);
    let mut row = vec![0.0; sim.channels().len()];
    let mut rows = Vec::new();
    for k in 0..=sim.steps() {
        sim.sample(k, &mut row).expect("sampling a sound state");
        rows.push(row.clone());
        if k < sim.steps() {
            advance(&mut sim, k, k + 1);
        }
    }
    rows
}

fn column(rows: &[Vec<f64>], i: usize) -> Vec<f64> {
    rows.iter().map(|r| r[i]).collect()
}

fn peak(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| x.abs().max(m))
}

const PENDULUM: &str = r#"
[[node]]
name = "f"
dofs = ["x"]
mass = 2
FLOOR
[[node]]
name = "b"
dofs = ["theta"]
[[element]]
type = "pendulum"
name = "p"
dofs = ["f.x", "b.theta"]
m = 0.5
length = 0.3
"#;

#[test]
fn mass_proportional_damping_includes_the_mass_of_elements() {
    // A pendulum on a fixed floor with 5 % of critical damping by a0 alone: its amplitude decays as exp(-ζωt).
    let omega = (9.81f64 / 0.3).sqrt();
    let text = PENDULUM
        .replace("FLOOR", "fixed = true")
        .replace("dofs = [\"theta\"]", "dofs = [\"theta\"]\ninitial = { theta = 1e-3 }")
        + &format!("[damping]\nrayleigh = {{ a0 = {}, a1 = 0 }}\n", 0.1 * omega)
        + "[analysis]\nscheme = \"rosenbrock3\"\ndt = 1e-3\nduration = 4\n[record]\nchannels = [\"b.theta\"]\n";
    let theta = column(&channels(read(&text)), 0);
    let late = peak(&theta[3000..]);
    let period = std::f64::consts::TAU / omega;
    let (most, least) = ((-0.05 * omega * 3.0).exp() * 1e-3, (-0.05 * omega * (3.0 + period)).exp() * 1e-3);
    assert!(late < most && late > least, "{late:e} should lie between {least:e} and {most:e}");
}

#[test]
fn an_imposed_motion_at_unequal_times_is_as_smooth_as_at_equal_ones() {
    let run = |second: &str| {
        let text = PENDULUM.replace("FLOOR", "")
            + "[[load]]\ntype = \"imposed\"\nat = \"f.x\"\n"
            + &format!("displacement = {{ type = \"table\", times = [0, {second}, 0.4, 0.6, 0.8, 1.0], ")
            + "values = [0, 0.01, 0.02, -0.01, 0, 0] }\n"
            + "[analysis]\nscheme = \"newmark\"\ndt = 5e-3\nduration = 2\n[record]\nchannels = [\"b.theta\", \"f.x.a\"]\n";
        let rows = channels(read(&text));
        (peak(&column(&rows, 0)), peak(&column(&rows, 1)))
    };
    let (equal, unequal) = (run("0.2"), run("0.201"));
    assert!((unequal.0 / equal.0 - 1.0).abs() < 0.01, "angle {} against {}", unequal.0, equal.0);
    assert!((unequal.1 / equal.1 - 1.0).abs() < 0.03, "acceleration {} against {}", unequal.1, equal.1);
}

#[test]
fn imposed_formulas_have_exact_accelerations() {
    let text = PENDULUM.replace("FLOOR", "")
        + "[[load]]\ntype = \"imposed\"\nat = \"f.x\"\ndisplacement = { type = \"formula\", value = \"0.02*t^2.5 + 0.1*min(t, 1)\" }\n"
        + "[analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 2\n[record]\nchannels = [\"f.x.a\"]\n";
    for (k, a) in column(&channels(read(&text)), 0).into_iter().enumerate() {
        let exact = 0.02 * 2.5 * 1.5 * (0.01 * k as f64).sqrt();
        assert!((a - exact).abs() < 1e-12, "step {k}: {a} instead of {exact}");
    }
}

#[test]
fn an_imposed_harmonic_acceleration_goes_on_to_the_last_step() {
    let text = PENDULUM.replace("FLOOR", "")
        + "[[load]]\ntype = \"imposed\"\nat = \"f.x\"\nacceleration = { type = \"harmonic\", amplitude = 0.5, omega = 3, phase = 0.3 }\n"
        + "[analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 0.91\n[record]\nchannels = [\"f.x\", \"f.x.v\", \"f.x.a\"]\n";
    let rows = channels(read(&text));
    let (t, last) = (0.91, rows.last().expect("rows"));
    let exact = [
        0.5 / 9.0 * ((0.3f64).sin() - (3.0 * t + 0.3f64).sin()) + 0.5 / 3.0 * (0.3f64).cos() * t,
        0.5 / 3.0 * ((0.3f64).cos() - (3.0 * t + 0.3f64).cos()),
        0.5 * (3.0 * t + 0.3f64).sin(),
    ];
    assert_eq!(rows.len(), 92);
    for (x, e) in last.iter().zip(exact) {
        assert!((x - e).abs() < 1e-12, "{last:?} instead of {exact:?}");
    }
}

/// A massless node between two elements of a type, a mass behind it.
fn massless(element: &str, channel: &str, force: &str) -> String {
    let between = |name: &str, a: &str, b: &str| {
        format!("[[element]]\nname = \"{name}\"\nnodes = [\"{a}\", \"{b}\"]\ndof = \"x\"\n{element}\n")
    };
    "dofs = [\"x\"]\n[[node]]\nname = \"n\"\n[[node]]\nname = \"c\"\nmass = 2\n".to_owned()
        + &between("s1", "ground", "n")
        + &between("s2", "n", "c")
        + &format!("[[load]]\ntype = \"force\"\nat = \"c.x\"\nsignal = {force}\n")
        + &format!(
            "[analysis]\nscheme = \"newmark\"\ndt = 1e-3\nduration = 0.1\n[record]\nchannels = [\"{channel}\"]\n"
        )
}

#[test]
fn masses_beside_massless_nodes_accelerate_rightly_whatever_holds_them() {
    for element in [
        "type = \"spring\"\nk = 300",
        "type = \"cubic\"\nk = 300\nk3 = 1e-9",
        "type = \"bouc-wen\"\nk = 300\nbeta = 1\ngamma = 1",
    ] {
        let text = massless(element, "c.x.a", "{ type = \"constant\", value = 20 }");
        let first = column(&channels(read(&text)), 0)[0];
        assert!((first - 10.0).abs() < 1e-6, "{element}: {first} instead of 10");
    }
}

#[test]
fn recorded_accelerations_are_second_order_for_every_scheme_that_is() {
    let text = "[[node]]\nname = \"a\"\ndofs = [\"x\"]\nmass = 2\ninitial = { x = 0.01 }\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"ground\", \"a\"]\ndof = \"x\"\nk = 400\nc = 3\n\
        [[load]]\ntype = \"force\"\nat = \"a.x\"\nsignal = { type = \"harmonic\", amplitude = 30, omega = 10 }\n\
        [analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 1\n[record]\nchannels = [\"a.x.a\"]\n";
    let model = read(text);
    let run = |name: &str, dt: f64| {
        let mut m = model.clone();
        (m.analysis.scheme, m.analysis.dt) = (scheme(name, &[]), dt);
        column(&channels(m), 0)
    };
    let fine = run("rosenbrock3", 1e-4);
    for name in ["newmark", "hht", "generalized-alpha", "generalized-alpha-newton", "chang", "trapezoidal", "lsrt2"] {
        let error = |dt: f64, stride: usize| {
            let coarse = run(name, dt);
            coarse.iter().enumerate().map(|(i, a)| (a - fine[i * stride]).abs()).fold(0.0, f64::max)
        };
        let ratio = error(5e-3, 50) / error(2.5e-3, 25);
        assert!(ratio > 3.5, "{name}: halving the step divides the error of the acceleration by {ratio:.2} only");
    }
}

#[test]
fn held_nodes_accelerate_with_the_ground() {
    let text = "dofs = [\"x\"]\n[[node]]\nname = \"a\"\nmass = 2\n[[node]]\nname = \"s\"\nfixed = true\n[[node]]\nname = \"i\"\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"s\", \"a\"]\ndof = \"x\"\nk = 400\n\
        [[element]]\ntype = \"spring\"\nnodes = [\"i\", \"a\"]\ndof = \"x\"\nk = 100\n\
        [[load]]\ntype = \"ground\"\nname = \"g\"\ndirection = \"x\"\nsignal = { type = \"harmonic\", amplitude = 2, omega = 5 }\n\
        [[load]]\ntype = \"imposed\"\nat = \"i.x\"\ndisplacement = { type = \"harmonic\", amplitude = 0.01, omega = 4 }\n\
        [analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 1\n[record]\nchannels = [\"s.x.abs\", \"i.x.abs\", \"i.x.a\", \"g\"]\n";
    for row in channels(read(text)) {
        assert_eq!(row[0], row[3]);
        assert!((row[1] - row[2] - row[3]).abs() < 1e-12, "{row:?}");
    }
}

#[test]
fn modes_refuse_unsymmetric_matrices_and_damping_takes_repeated_frequencies() {
    let nodes = "[[node]]\nname = \"a\"\ndofs = [\"x\", \"y\"]\nmass = 1\n";
    let analysis = "[analysis]\nscheme = \"newmark\"\ndt = 0.01\nduration = 0.1\n";
    let matrix = |k: &str| format!("[[element]]\ntype = \"matrix\"\ndofs = [\"a.x\", \"a.y\"]\nK = {k}\n");
    let unsymmetric = simulation(read(&format!("{nodes}{}{analysis}", matrix("[[300, 80], [20, 200]]"))));
    assert!(unsymmetric.modes(0, 2).is_err());
    let repeated = format!(
        "{nodes}{}[damping]\nrayleigh = {{ ratio = 0.05, modes = [1, 2] }}\n{analysis}",
        matrix("[[300, 0], [0, 300]]")
    );
    let rows = channels(read(&repeated));
    assert_eq!(rows.len(), 11);
}

#[test]
fn a_table_of_points_holds_its_last_value_to_its_last_time() {
    let text = "[[node]]\nname = \"a\"\ndofs = [\"x\"]\nmass = 1\n\
        [[load]]\ntype = \"force\"\nname = \"f\"\nat = \"a.x\"\nsignal = { type = \"table\", times = [0, 0.05, 0.3], values = [5, 5, 5] }\n\
        [analysis]\nscheme = \"newmark\"\ndt = 0.1\nduration = 0.5\n[record]\nchannels = [\"f\"]\n";
    assert_eq!(column(&channels(read(text)), 0), [5.0, 5.0, 5.0, 5.0, 0.0, 0.0]);
}
