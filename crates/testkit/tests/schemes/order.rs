//! Observed orders of accuracy against what the schemes claim.

use interfield_kernel::Scheme;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_language::model::{Estimate, Model, TangentPolicy};
use interfield_testkit::golden::{golden, number, numbers};
use interfield_testkit::numerics::{distance, runge_kutta, slope};
use interfield_testkit::problems;
use interfield_testkit::run::{converge, read, start, states, with_tangent};
use interfield_testkit::variants::{Variant, scheme, variants};

/// Steps 1/64, 1/128, ... s, compared at 1/8 s for 2 s.
const LEVELS: u32 = 5;

fn observed(model: &Model, scheme: AnyScheme) -> [f64; 2] {
    converge(model, scheme, 1.0 / 128.0, 256, LEVELS).map(|c| c.order().unwrap())
}

/// All violations at once.
fn check(model: &Model, list: &[Variant], expected: impl Fn(&Variant) -> u32) {
    let mut wrong = String::new();
    for v in list {
        let (orders, claim) = (observed(model, v.scheme), f64::from(expected(v)));
        if orders.iter().any(|o| (o - claim).abs() > 0.1) {
            wrong += &format!("{}: claimed {claim}, observed {:.3} (u) {:.3} (v)\n", v.label, orders[0], orders[1]);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn every_scheme_has_its_claimed_order_with_the_exact_tangent() {
    check(&read(problems::FORCED), &variants(), |v| v.claims().order);
}

#[test]
fn every_scheme_has_its_claimed_order_with_the_initial_tangent() {
    let model = with_tangent(&read(problems::FORCED), TangentPolicy::Initial);
    check(&model, &variants(), |v| v.claims().order_frozen);
}

#[test]
fn every_scheme_has_its_claimed_order_with_a_pendulum() {
    check(&read(problems::PENDULUM), &variants(), |v| v.claims().order);
}

#[test]
fn every_scheme_has_its_claimed_order_on_a_moving_support() {
    // A smooth motion instead of samples, whose kinks would hide the order.
    let text = problems::SUPPORTED.replace(
        "acceleration = { type = \"synthetic\", peak = 3 }",
        "displacement = { type = \"harmonic\", amplitude = 0.02, omega = 7, phase = 0.3 }",
    );
    check(&read(&text), &variants(), |v| v.claims().order);
}

/// The forced problem with an estimate far from the truth for every nonlinear element.
fn badly_estimated() -> Model {
    let mut model = with_tangent(&read(problems::FORCED), TangentPolicy::Given);
    for (i, e) in model.elements.iter_mut().enumerate() {
        e.given = Some(Estimate::Each(7.0 + 11.0 * i as f64, 2.0));
    }
    model
}

#[test]
fn lsrt2_keeps_order_two_with_a_wrong_tangent() {
    for gamma in ["minus", "plus", "0.5"] {
        let orders = observed(&badly_estimated(), scheme("lsrt2", &[("gamma", gamma)]));
        assert!(orders.iter().all(|o| (o - 2.0).abs() < 0.1), "{gamma}: {orders:?}");
    }
}

#[test]
fn shifted_times_cost_the_three_stage_method_its_third_order() {
    let shifted = scheme("rosenbrock3", &[("time", "shifted")]);
    assert_eq!(shifted.claims().order, 2);
    let orders = observed(&read(problems::FORCED), shifted);
    assert!(orders.iter().all(|o| (o - 2.0).abs() < 0.1), "{orders:?}");
}

#[test]
fn one_pass_schemes_keep_order_two_with_a_wrong_tangent() {
    let alpha = ["newmark", "hht", "generalized-alpha", "alpha-os", "trapezoidal", "state-space-alpha", "rosenbrock3"];
    for name in alpha.into_iter().chain(["cr", "kr-alpha", "mkr-alpha", "bathe", "tr-bdf2"]) {
        let orders = observed(&badly_estimated(), scheme(name, &[]));
        assert!(orders.iter().all(|o| (o - 2.0).abs() < 0.1), "{name}: {orders:?}");
    }
}

#[test]
fn the_half_predictor_is_first_order_for_nonlinear_and_second_for_linear_problems() {
    let frozen = with_tangent(&read(problems::FORCED), TangentPolicy::Initial);
    let linear = read(&problems::linear_forced(0.01));
    for name in ["newmark", "hht", "generalized-alpha", "trapezoidal", "state-space-alpha"] {
        let half = scheme(name, &[("predictor", "half")]);
        let (nonlinear, linear) = (observed(&frozen, half), observed(&linear, half));
        assert!(nonlinear.iter().all(|o| (o - 1.0).abs() < 0.1), "{name}: {nonlinear:?}");
        assert!(linear.iter().all(|o| (o - 2.0).abs() < 0.1), "{name}: {linear:?}");
    }
}

#[test]
fn claims_are_consistent() {
    for v in variants() {
        let c = v.scheme.claims();
        assert!((1..=3).contains(&c.order) && c.order_frozen <= c.order, "{}: {c:?}", v.label);
        let iterates = v.label.contains("newton") || v.label.starts_with("caam");
        assert_eq!(v.scheme.evaluations().is_none(), iterates, "{}", v.label);
    }
}

// ---------------------------------------------------------------------------- state-space reference

fn llm_scheme(name: &str, predictor: &str) -> AnyScheme {
    match name {
        "trapezoidal" => scheme("trapezoidal", &[("predictor", predictor)]),
        _ => scheme("state-space-alpha", &[("rho_inf", "0.8"), ("predictor", predictor)]),
    }
}

/// Problem, scheme and predictor of a key such as `duffing k3=2.0|jwh rho=0.8|full`.
fn llm_case(key: &str) -> (Model, AnyScheme, f64) {
    let parts: Vec<&str> = key.split('|').collect();
    let k3: Option<f64> = parts[0].strip_prefix("duffing k3=").map(|k3| k3.parse().unwrap());
    let model = k3.map_or_else(|| read(problems::BOUC_WEN_MASS), |k3| read(&problems::duffing(k3)));
    (model, llm_scheme(parts[1], parts[2]), k3.unwrap_or(f64::NAN))
}

#[test]
fn nonlinear_states_of_the_state_space_reference_are_reproduced() {
    let golden = golden("llm_nonlinear");
    let all = golden["states"].as_object().unwrap();
    assert_eq!(all.len(), 12);
    for (key, value) in all {
        let (model, scheme, _) = llm_case(key);
        let y = states(&mut start(&model, scheme, 1.0 / 32.0), &[64]).remove(0);
        let expected = if key.starts_with("duffing") {
            vec![number(&value["u"]), number(&value["v"])]
        } else {
            let (x1, x2) = (numbers(&value["X1"]), numbers(&value["X2"]));
            vec![x1[1], x1[3], x2[4]]
        };
        let error = distance(&y, &expected);
        assert!(error < 1e-10, "{key}: {error:e}");
    }
}

/// The Duffing oscillator at t = 2 by classical Runge-Kutta.
fn duffing_exact(k3: f64) -> [f64; 2] {
    let mut y = [0.5, 1.0];
    runge_kutta(|_, y| [y[1], -1.5 * y[0] - k3 * y[0].powi(3)], &mut y, 2.0 / 4096.0, 0, 4096);
    y
}

/// The Bouc-Wen oscillator at t = 2, pieces between the turning points of the velocity being smooth.
fn bouc_wen_exact() -> [f64; 3] {
    let f = |_: f64, y: &[f64; 3]| {
        let [u, v, r] = *y;
        [v, -u - 0.05 * v - r, 2.0 * v - 3.0 * v.abs() * r - v * r.abs()]
    };
    let mut y = [0.0, 1.0, 0.0];
    runge_kutta(f, &mut y, 2.0 / 1048576.0, 0, 1048576);
    y
}

#[test]
fn nonlinear_errors_and_orders_of_the_state_space_reference_are_reproduced() {
    let golden = golden("llm_nonlinear");
    let all = golden["order"].as_object().unwrap();
    assert_eq!(all.len(), 12);
    let bouc_wen = bouc_wen_exact();
    for (key, value) in all {
        let (model, scheme, k3) = llm_case(key);
        let steps: Vec<f64> = (5..10).map(|i| 0.5f64.powi(i)).collect();
        let ends: Vec<Vec<f64>> =
            steps.iter().map(|dt| states(&mut start(&model, scheme, *dt), &[(2.0 / dt) as u64]).remove(0)).collect();
        let (errors, expected, expected_slope) = if k3.is_nan() {
            let errors: Vec<f64> = ends.iter().map(|y| distance(y, &bouc_wen)).collect();
            (errors, numbers(&value["max_errors"]), number(&value["slope"]))
        } else {
            let errors: Vec<f64> = ends.iter().map(|y| (y[0] - duffing_exact(k3)[0]).abs()).collect();
            (errors, numbers(&value["u_errors"]), number(&value["u_slope"]))
        };
        for (e, x) in errors.iter().zip(&expected) {
            assert!((e - x).abs() < 1e-6 * x + 1e-10, "{key}: {errors:?} instead of {expected:?}");
        }
        let order = slope(&steps, &errors);
        let wanted = if key.ends_with("full") { 2.0 } else { 1.0 };
        assert!((order - wanted).abs() < 0.05, "{key}: {order}, reference {expected_slope}");
    }
}
