//! Structures with laws that are moved by the evaluations of a scheme.

use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::{Scheme, System};
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems;
use interfield_testkit::run::{advance, read, simulation, start};
use interfield_testkit::variants::{scheme, variants};

/// The structure with path-moved laws and with states, both from rest: a state does not know of an initial displacement.
fn pair() -> [String; 2] {
    let path = problems::PATH.replace(", initial = 0.01", "");
    let state = path.replace("memory = \"path\"", "memory = \"state\"");
    [path, state]
}

#[test]
fn modes_and_rayleigh_damping_know_the_initial_stiffness() {
    let damped = "\n[damping]\nrayleigh = { ratio = 0.05, modes = [1, 2] }\n";
    let [path, state] = pair().map(|text| simulation(read(&(text + damped))));
    assert_eq!((path.coupling.system(0).dims().ns, path.coupling.system(0).memory().len()), (0, 4));
    assert_eq!((state.coupling.system(0).dims().ns, state.coupling.system(0).memory().len()), (2, 0));
    let [a, b] = [&path, &state].map(|sim| sim.modes(0, 2).unwrap().omega2);
    assert!(distance(&a, &b) < 1e-12 * b[1], "{a:?} and {b:?}");
    // The damping matrix is made of the same stiffness: the same force for the same velocity.
    let [p, s] = [path, state].map(|mut sim| {
        let d = sim.coupling.system(0).dims();
        let (mut r, mut g) = (vec![0.0; d.nu], vec![0.0; d.ns]);
        let y: Vec<f64> = (0..d.state()).map(|i| if (d.nu..2 * d.nu).contains(&i) { 1.0 } else { 0.0 }).collect();
        sim.coupling.system_of(0).force(d.point(0.0, &y), None, &mut r, &mut g).unwrap();
        r
    });
    assert!(distance(&p, &s) < 1e-12 * largest(&s) && largest(&s) > 0.1, "{p:?} and {s:?}");
}

#[test]
fn a_law_stands_where_it_was_evaluated_last() {
    // Newmark evaluates once, at the predictor u₁ - dt²/4 a₁; neither its tangents nor recording move the law.
    let dt = 0.01;
    let mut sim = start(&read(problems::PATH), scheme("newmark", &[]), dt);
    let n = sim.coupling.system(0).dims().nu;
    let mut out = vec![0.0; sim.channels().len()];
    for k in 0..200 {
        advance(&mut sim, k, k + 1);
        sim.sample(k + 1, &mut out).unwrap();
        let x = sim.coupling.state();
        let predictor: Vec<f64> = (0..n).map(|i| x[i] - 0.25 * dt * dt * x[2 * n + i]).collect();
        let memory = &x[x.len() - 4..];
        let close = |a: f64, b: f64| (a - b).abs() < 1e-14;
        assert!(close(memory[0], predictor[0]) && close(memory[2], predictor[1] - predictor[0]), "step {k}");
        // pier.force, pier.z, isolator.force, isolator.s
        let force = 300.0 * (0.1 * memory[2] + 0.9 * memory[3]);
        assert!(out[2] == memory[1] && out[3] == memory[1] && out[5] == memory[3] && close(out[4], force), "{out:?}");
        assert!(close(out[6], x[1] - x[0]), "the deformation is that of the structure: {out:?}");
    }
}

#[test]
fn path_and_state_agree_as_the_step_falls() {
    // What differs at a corner of the loop is one increment: first order.
    let [path, state] = pair().map(|t| read(&t));
    let end = |model, dt: f64| {
        let mut sim = start(model, scheme("alpha-os", &[]), dt);
        let steps = (3.0 / dt).round() as u64;
        let mut peak = 0.0f64;
        let mut all = Vec::new();
        for k in 0..steps {
            advance(&mut sim, k, k + 1);
            peak = peak.max(largest(&sim.y(0)[..2]));
            all.extend_from_slice(&sim.y(0)[..2]);
        }
        (all, peak)
    };
    let errors = [0.004, 0.001, 0.00025].map(|dt| {
        let ((a, peak), (b, _)) = (end(&path, dt), end(&state, dt));
        distance(&a, &b) / peak
    });
    assert!(errors[2] < 2e-3 && errors.windows(2).all(|e| e[1] < e[0] / 3.0), "{errors:?}");
}

#[test]
fn a_fault_gives_the_memory_back() {
    let broken = "    { type = \"formula\", name = \"broken\", nodes = [\"ground\", \"b\"], dof = \"x\", \
                  force = \"5*u + 1e-9*sqrt(0.05 - t)\" },\n    { type = \"spring\"";
    let model = read(&problems::PATH.replace("    { type = \"spring\"", broken));
    let bits = |x: &[f64]| -> Vec<u64> { x.iter().map(|x| x.to_bits()).collect() };
    for v in variants() {
        let mut sim = start(&model, v.scheme, 0.001);
        let mut before = Vec::new();
        let failed = (0..60).any(|k| {
            before = bits(sim.coupling.state());
            sim.step(k).is_err()
        });
        assert!(failed, "{}", v.label);
        assert_eq!(bits(sim.coupling.state()), before, "{}", v.label);
        assert_eq!(bits(sim.coupling.system(0).memory()), before[before.len() - 4..], "{}", v.label);
        assert!(sim.coupling.system(0).memory().iter().all(|x| *x != 0.0), "{}", v.label);
    }
}

/// A. K. Chopra, Dynamics of Structures, the elastoplastic example of the chapter on numerical evaluation: half a sine of
/// 0.6 s and 10 kips on m = 0.2533, k = 10, damping 5 %, strength 7.5 kips; average acceleration, step 0.1 s.
const CHOPRA: &str = r#"
dofs = ["x"]
node = [{ name = "a", mass = 0.2533 }]
element = [
    { type = "mostaghel", name = "yielding", nodes = ["ground", "a"], dof = "x", k = 10, a = 0, delta = 0.75 },
    { type = "damper", nodes = ["ground", "a"], dof = "x", c = 0.159155 },
]
load = [
    { type = "force", name = "pulse", at = "a.x", signal = { type = "formula", value = "if(t < 0.6, 10*sin(pi*t/0.6), 0)" } },
]
[analysis]
scheme = "caam"
dt = 0.1
duration = 1
[record]
channels = ["a.x", "yielding.force"]
"#;

#[test]
fn newton_moves_a_law_once_per_step() {
    // The last is that of the book; all are those of an iteration written for this table alone.
    let table = [0.04367, 0.23262, 0.61207, 1.11436, 1.62146, 1.98916, 2.09522, 1.92413, 1.56031, 1.14159];
    for tangent in ["exact", "initial"] {
        let mut sim = simulation(read(&CHOPRA.replace("dt = 0.1", &format!("dt = 0.1\ntangent = \"{tangent}\""))));
        for (k, expected) in table.into_iter().enumerate() {
            advance(&mut sim, k as u64, k as u64 + 1);
            let u = sim.y(0)[0];
            assert!((u - expected).abs() < 1e-5, "{tangent}, step {}: {u} instead of {expected}", k + 1);
        }
        let mut out = [0.0; 2];
        sim.sample(10, &mut out).unwrap();
        assert!((sim.y(0)[0] - 1.1416).abs() < 5e-5);
        // Unloaded from the strength at the peak, 10 (u10 - u7) + 7.5, which is still within the elastic range.
        let slack = 10.0 * (sim.y(0)[0] - 2.09522) + 7.5;
        assert!((out[1] - slack).abs() < 2e-3, "{} instead of {slack}", out[1]);
    }
}

#[test]
fn schemes_that_iterate_agree_with_those_that_do_not() {
    let end = |v: &AnyScheme, dt: f64| {
        let mut sim = start(&read(problems::PATH), *v, dt);
        advance(&mut sim, 0, (2.0 / dt).round() as u64);
        sim.y(0)[..2].to_vec()
    };
    let expected = end(&scheme("newmark", &[]), 1e-4);
    let mut seen = 0;
    for v in variants().into_iter().filter(|v| v.scheme.evaluations().is_none() && v.claims().order == 2) {
        let found = end(&v.scheme, 1.25e-4);
        assert!(distance(&found, &expected) < 2e-3 * largest(&expected), "{}: {found:?}, {expected:?}", v.label);
        seen += 1;
    }
    assert!(seen > 3);
}

#[test]
fn a_sharp_corner_is_moved_by_evaluations_unless_a_state_is_given() {
    let sizes = |text: &str| {
        let sim = simulation(read(text));
        (sim.coupling.system(0).dims().ns, sim.coupling.system(0).memory().len())
    };
    assert_eq!(sizes(CHOPRA), (0, 2));
    assert_eq!(sizes(&CHOPRA.replace("delta = 0.75", "delta = 0.75, initial = { s = 0.1 }")), (1, 0));
    assert_eq!(sizes(&CHOPRA.replace("delta = 0.75", "delta = 0.75, memory = \"state\"")), (1, 0));
    assert_eq!(sizes(&sharp(2.0, "")), (1, 0));
    assert_eq!(sizes(&sharp(100.0, "")), (0, 2));
}

/// A mass pulled ten times through the yield displacement 0.75 m of a Bouc-Wen spring of strength 7.5 N.
fn sharp(n: f64, memory: &str) -> String {
    let shape = 10.0 / 7.5f64.powf(n) / 2.0;
    let law = format!("type = \"bouc-wen\", k = 10, beta = {shape:e}, gamma = {shape:e}, n = {n}{memory}");
    CHOPRA
        .replace("type = \"mostaghel\"", &law)
        .replace(", k = 10, a = 0, delta = 0.75", "")
        .replace("if(t < 0.6, 10*sin(pi*t/0.6), 0)", "20*sin(6*t)")
}

#[test]
fn no_step_carries_a_law_beyond_its_strength() {
    for (n, memory) in [(100.0, ""), (100.0, ", memory = \"state\""), (5.0, ""), (5.0, ", memory = \"path\"")] {
        for v in variants() {
            let mut model = read(&sharp(n, memory));
            model.analysis.duration = 6.0;
            let mut sim = start(&model, v.scheme, 0.05);
            let (mut out, mut largest) = ([0.0; 2], 0.0f64);
            for k in 0..120 {
                if sim.coupling.step(k).is_err() {
                    break; // refused, and said so
                }
                sim.sample(k + 1, &mut out).unwrap();
                largest = largest.max(out[1].abs());
            }
            assert!(largest <= 7.5 * (1.0 + 1e-12), "{} n = {n}{memory}: {largest} of 7.5", v.label);
        }
    }
}

fn messages(text: &str) -> String {
    let source = Source::new("test.toml", text.to_owned());
    let diags = Diagnostics::new();
    assert!(parse(&source, &Overrides::default(), &|path| Err(format!("no file {path}")), &diags).is_none());
    diags.render(&source, false)
}

#[test]
fn mistakes_with_the_memory_are_explained() {
    let wrong = messages(&problems::PATH.replacen("\"path\"", "\"rail\"", 1));
    assert!(wrong.contains("unknown value \"rail\"") && wrong.contains("allowed are \"state\", \"path\""), "{wrong}");
    let preset = messages(&problems::PATH.replacen("memory = \"path\"", "memory = \"path\", initial = { z = 1 }", 1));
    assert!(preset.contains("starts from rest"), "{preset}");
    let spring = messages(&problems::PATH.replacen("type = \"spring\"", "memory = \"path\", type = \"spring\"", 1));
    assert!(spring.contains("memory"), "{spring}");
}
