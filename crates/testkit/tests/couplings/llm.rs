//! Localized multipliers against the states, operators, errors and energies of an independent implementation.

use interfield_coupling::{Coupling, Llm};
use interfield_kernel::StepMap;
use interfield_kernel::scheme::alpha::Predictor;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::state_space::StateSpace;
use interfield_structure::Assembled;
use interfield_testkit::golden::{golden, list, number, numbers, rows};
use interfield_testkit::localized::{Truss, duffing, eq10, held, hysteretic};
use interfield_testkit::numerics::{distance, largest, runge_kutta, slope};
use serde_json::Value;

/// `trapezoidal` or `jwh rho=0.8`.
fn scheme(name: &str, predictor: Predictor) -> AnyScheme {
    AnyScheme::StateSpace(match name.strip_prefix("jwh rho=") {
        Some(rho) => StateSpace::generalized_alpha(rho.parse().expect("a number"), predictor),
        None => StateSpace::trapezoidal(predictor),
    })
}

fn predictor(name: &str) -> Predictor {
    if name == "full" { Predictor::Full } else { Predictor::Half }
}

/// A row of bars between held ends.
fn start(truss: &Truss, scheme: AnyScheme, dt: f64) -> Llm<Assembled> {
    let interface = truss.interface(vec![held(0), held(truss.start.len() - 1)]);
    Llm::start(truss.pieces(scheme, dt), interface).unwrap_or_else(|e| panic!("{e}"))
}

fn advance(coupled: &mut impl StepMap, from: u64, to: u64) {
    (from..to).for_each(|k| coupled.step(k).unwrap_or_else(|fault| panic!("step {k}: {fault:?}")));
}

/// Compares with a tolerance relative to the largest entry of the reference.
fn close(what: &str, found: &[f64], reference: &[f64], tolerance: f64) {
    assert_eq!(found.len(), reference.len(), "{what}");
    let error = distance(found, reference);
    assert!(error <= tolerance * largest(reference), "{what}: {found:?} instead of {reference:?}");
}

/// Multipliers of a state of the reference.
fn compare_multipliers(what: &str, coupled: &Llm<Assembled>, state: &Value) {
    close(&format!("{what} lambda"), coupled.multipliers(), &rows(&state["lambda"]).concat(), 1e-10);
    close(&format!("{what} lambda_c"), coupled.reactions(), &numbers(&state["lambda_c"]), 1e-10);
}

#[test]
fn states_rates_and_multipliers_agree_with_the_reference() {
    let file = golden("llm_states");
    let runs = list(&file["runs"]);
    assert_eq!(runs.len(), 8);
    for run in runs {
        let name = run["scheme"].as_str().expect("a scheme");
        let system = run["system"].as_str().expect("a system");
        let truss = eq10(system == "eq10 asymmetric");
        let mut coupled = start(&truss, scheme(name, Predictor::Half), number(&run["dt"]));
        let mut k = 0;
        for state in list(&run["states"]) {
            let n = number(&state["n"]) as u64;
            advance(&mut coupled, k, n);
            k = n;
            for i in 0..2 {
                let x = coupled.state_of(i);
                let what = format!("{system}, {name}, n = {n}, element {i}");
                close(&what, &x[4..8], &numbers(&state[format!("Xd{}", i + 1)]), 1e-10);
                if n > 0 {
                    close(&what, &x[..4], &numbers(&state[format!("X{}", i + 1)]), 1e-10);
                }
            }
            compare_multipliers(&format!("{system}, {name}, n = {n}"), &coupled, state);
        }
        assert_eq!(k, 100);
    }
}

#[test]
fn the_operator_is_that_of_the_reference() {
    let file = golden("llm_states");
    let reference = rows(&file["H_eq10_dt0.01_trapezoidal (order: Lambda1, Lambda2, Lambda_c, Xg')"]);
    let n = reference.len();
    let coupled = start(&eq10(false), scheme("trapezoidal", Predictor::Half), 0.01);
    let mut matrix = vec![0.0; n * n];
    coupled.operator().into_iter().for_each(|(i, j, value)| matrix[i * n + j] += value);
    assert!(distance(&matrix, &reference.concat()) < 1e-15, "{matrix:?}");
}

#[test]
fn errors_of_linear_springs_are_those_of_the_reference_and_of_second_order() {
    let file = golden("llm_order_eq10");
    let (steps, exact) = (numbers(&file["dts"]), numbers(&file["reference_trapezoidal_dt1e-6"]));
    let cases = file["cases"].as_object().expect("cases");
    assert_eq!(cases.len(), 12);
    for (key, case) in cases {
        let (system, name) = key.split_once('|').expect("system|scheme");
        let truss = eq10(system == "asymmetric");
        let end = |dt: &f64| {
            let mut coupled = start(&truss, scheme(name, Predictor::Half), *dt);
            advance(&mut coupled, 0, (0.1 / dt).round() as u64);
            let x = coupled.state_of(0);
            [x[1], x[3]]
        };
        let ends: Vec<[f64; 2]> = steps.iter().map(end).collect();
        for (i, quantity) in ["u", "v"].into_iter().enumerate() {
            let errors: Vec<f64> = ends.iter().map(|x| (x[i] - exact[i]).abs()).collect();
            let reference = numbers(&case[format!("{quantity}_errors")]);
            let off = distance(&errors, &reference);
            assert!(off < 1e-12, "{key} {quantity}: {errors:?} instead of {reference:?}");
            let order = slope(&steps[2..], &errors[2..]);
            let expected = number(&case[format!("{quantity}_slope")]);
            assert!((order - 2.0).abs() < 0.05, "{key} {quantity}: order {order}, reference {expected}");
        }
    }
}

/// Problem, scheme and k3 of a key such as `duffing k3=2.0|jwh rho=0.8|full`.
fn nonlinear(key: &str) -> (Truss, AnyScheme, Option<f64>) {
    let parts: Vec<&str> = key.split('|').collect();
    let k3 = parts[0].strip_prefix("duffing k3=").map(|k3| k3.parse().expect("a number"));
    (k3.map_or_else(hysteretic, duffing), scheme(parts[1], predictor(parts[2])), k3)
}

#[test]
fn nonlinear_states_agree_with_the_reference() {
    let file = golden("llm_nonlinear");
    let states = file["states"].as_object().expect("states");
    assert_eq!(states.len(), 12);
    for (key, state) in states {
        let (truss, scheme, k3) = nonlinear(key);
        let mut coupled = start(&truss, scheme, 1.0 / 32.0);
        advance(&mut coupled, 0, 64);
        let (x1, x2) = (coupled.state_of(0), coupled.state_of(1));
        if k3.is_some() {
            close(key, &[x1[1], x1[3]], &[number(&state["u"]), number(&state["v"])], 1e-10);
        } else {
            close(key, &x1[..4], &numbers(&state["X1"]), 1e-10);
            close(key, &x2[..6], &numbers(&state["X2"]), 1e-10);
            compare_multipliers(key, &coupled, state);
        }
    }
}

/// The middle node (and the hysteretic force) at t = 2 by classical Runge-Kutta.
fn exact(k3: Option<f64>) -> Vec<f64> {
    match k3 {
        Some(k3) => {
            let mut y = [0.5, 1.0];
            runge_kutta(|_, y| [y[1], -1.5 * y[0] - k3 * y[0].powi(3)], &mut y, 2.0 / 4096.0, 0, 4096);
            y[..1].to_vec()
        }
        None => {
            let f = |_: f64, y: &[f64; 3]| {
                let [u, v, r] = *y;
                [v, -u - 0.05 * v - r, 2.0 * v - 3.0 * v.abs() * r - v * r.abs()]
            };
            let mut y = [0.0, 1.0, 0.0];
            runge_kutta(f, &mut y, 2.0 / 1048576.0, 0, 1048576);
            y.to_vec()
        }
    }
}

#[test]
fn half_predictors_are_of_first_order_and_full_ones_of_second() {
    let file = golden("llm_nonlinear");
    let cases = file["order"].as_object().expect("order");
    assert_eq!(cases.len(), 12);
    let bouc_wen = exact(None);
    for (key, case) in cases {
        let (truss, scheme, k3) = nonlinear(key);
        let exact = if k3.is_some() { exact(k3) } else { bouc_wen.clone() };
        let steps: Vec<f64> = (5..10).map(|i| 0.5f64.powi(i)).collect();
        let error = |dt: &f64| {
            let mut coupled = start(&truss, scheme, *dt);
            advance(&mut coupled, 0, (2.0 / dt) as u64);
            let (x1, x2) = (coupled.state_of(0), coupled.state_of(1));
            distance(&[x1[1], x1[3], x2[4]][..exact.len()], &exact)
        };
        let errors: Vec<f64> = steps.iter().map(error).collect();
        let reference = numbers(&case[if k3.is_some() { "u_errors" } else { "max_errors" }]);
        for (e, x) in errors.iter().zip(&reference) {
            assert!((e - x).abs() < 1e-6 * x + 1e-10, "{key}: {errors:?} instead of {reference:?}");
        }
        let order = slope(&steps, &errors);
        let wanted = if key.ends_with("full") { 2.0 } else { 1.0 };
        assert!((order - wanted).abs() < 0.05, "{key}: {order}");
    }
}

/// E / E0 of the spring k = 0.5 and the cubic spring with m = 1.
fn energy(coupled: &Llm<Assembled>, k3: f64) -> f64 {
    let of = |u: f64, v: f64| 0.5 * v * v + 0.75 * u * u + 0.25 * k3 * u.powi(4);
    let x = coupled.state_of(0);
    of(x[1], x[3]) / of(0.5, 1.0)
}

#[test]
fn energies_agree_with_the_reference_and_the_half_predictor_diverges_where_springs_harden() {
    let file = golden("llm_nonlinear");
    let cases = file["energy"].as_object().expect("energy");
    assert_eq!(cases.len(), 12);
    for (key, reference) in cases {
        let parts: Vec<&str> = key.split('|').collect();
        let k3: f64 = parts[0].strip_prefix("k3=").and_then(|k| k.parse().ok()).expect("k3");
        let mut coupled = start(&duffing(k3), scheme(parts[2], predictor(parts[1])), 0.05);
        let mut k = 0;
        for expected in list(reference) {
            if let Some(expected) = expected.as_f64() {
                advance(&mut coupled, k, k + 800);
                k += 800;
                let found = energy(&coupled, k3);
                // A growing solution amplifies round-off with itself.
                assert!((found / expected - 1.0).abs() < 1e-10 * expected.max(1.0), "{key}: {found} for {expected}");
            } else {
                let words = expected.as_str().expect("diverged at step ...");
                let step: u64 = words.rsplit(' ').next().and_then(|n| n.parse().ok()).expect("a number");
                let grown = (k..step + 5).find(|&k| coupled.step(k).is_err() || energy(&coupled, k3) > 1e12);
                let grown = grown.unwrap_or_else(|| panic!("{key}: does not diverge"));
                assert!(grown + 10 > step, "{key}: {grown}, reference {step}");
            }
        }
    }
}

#[test]
fn linear_energy_is_conserved_to_round_off() {
    for p in [Predictor::Half, Predictor::Full] {
        let mut coupled = start(&duffing(0.0), scheme("trapezoidal", p), 0.05);
        let mut worst = 0.0_f64;
        for k in 0..5000 {
            advance(&mut coupled, k, k + 1);
            worst = worst.max((energy(&coupled, 0.0) - 1.0).abs());
        }
        assert!(worst < 1e-13, "{worst:e}");
    }
}
