//! Structures with laws that are moved by the evaluations of a scheme.

use interfield_kernel::{StepMap, System};
use interfield_model::diag::{Diagnostics, Source};
use interfield_model::parse::{Overrides, parse};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems;
use interfield_testkit::run::{advance, read, simulation, start};
use interfield_testkit::variants::{scheme, variants};

/// The structure with path-moved laws and with states, both from rest: a state does not know of an initial displacement.
fn pair() -> [String; 2] {
    let path = problems::PATH.replace(", initial = 0.01", "");
    let state = path.replace(", memory = \"path\"", "");
    [path, state]
}

#[test]
fn modes_and_rayleigh_damping_know_the_initial_stiffness() {
    let damped = "\n[damping]\nrayleigh = { ratio = 0.05, modes = [1, 2] }\n";
    let [path, state] = pair().map(|text| simulation(read(&(text + damped))));
    assert_eq!((path.domain.system().dims().ns, path.domain.system().memory().len()), (0, 4));
    assert_eq!((state.domain.system().dims().ns, state.domain.system().memory().len()), (2, 0));
    let [a, b] = [&path, &state].map(|sim| sim.modes(2).unwrap().omega2);
    assert!(distance(&a, &b) < 1e-12 * b[1], "{a:?} and {b:?}");
    // The damping matrix is made of the same stiffness: the same force for the same velocity.
    let [p, s] = [path, state].map(|mut sim| {
        let d = sim.domain.system().dims();
        let (mut r, mut g) = (vec![0.0; d.nu], vec![0.0; d.ns]);
        let y: Vec<f64> = (0..d.state()).map(|i| if (d.nu..2 * d.nu).contains(&i) { 1.0 } else { 0.0 }).collect();
        sim.domain.system_mut().force(d.point(0.0, &y), None, &mut r, &mut g).unwrap();
        r
    });
    assert!(distance(&p, &s) < 1e-12 * largest(&s) && largest(&s) > 0.1, "{p:?} and {s:?}");
}

#[test]
fn a_law_stands_where_it_was_evaluated_last() {
    // Newmark evaluates once, at the predictor u₁ - dt²/4 a₁; neither its tangents nor recording move the law.
    let dt = 0.01;
    let mut sim = start(&read(problems::PATH), scheme("newmark", &[]), dt);
    let n = sim.domain.system().dims().nu;
    let mut out = vec![0.0; sim.channels().len()];
    for k in 0..200 {
        advance(&mut sim, k, k + 1);
        sim.sample(k + 1, &mut out).unwrap();
        let x = sim.domain.state();
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
            peak = peak.max(largest(&sim.y()[..2]));
            all.extend_from_slice(&sim.y()[..2]);
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
            before = bits(sim.domain.state());
            sim.step(k).is_err()
        });
        assert!(failed, "{}", v.label);
        assert_eq!(bits(sim.domain.state()), before, "{}", v.label);
        assert_eq!(bits(sim.domain.system().memory()), before[before.len() - 4..], "{}", v.label);
        assert!(sim.domain.system().memory().iter().all(|x| *x != 0.0), "{}", v.label);
    }
}

#[test]
fn schemes_that_iterate_are_warned_about() {
    for v in variants() {
        let warnings = start(&read(problems::PATH), v.scheme, 0.01).warnings;
        let iterates = v.claims().evaluations.is_none();
        assert_eq!(warnings.iter().any(|w| w.message.contains("iterates") && !w.fatal), iterates, "{}", v.label);
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
    assert!(wrong.contains("`memory` is \"state\" or \"path\", found \"rail\""), "{wrong}");
    let preset = messages(&problems::PATH.replacen("memory = \"path\"", "memory = \"path\", initial = { z = 1 }", 1));
    assert!(preset.contains("starts from rest"), "{preset}");
    let spring = messages(&problems::PATH.replacen("type = \"spring\"", "memory = \"path\", type = \"spring\"", 1));
    assert!(spring.contains("memory"), "{spring}");
}
