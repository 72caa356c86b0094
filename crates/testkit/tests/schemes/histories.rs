//! Histories of the model files against golden data and independent references.

use interfield_kernel::System;
use interfield_language::parse::Overrides;
use interfield_language::signal::{Signal, synthetic_motion};
use interfield_testkit::golden::{golden, number, numbers, rows};
use interfield_testkit::numerics::{distance, largest, runge_kutta};
use interfield_testkit::run::{load, set, states};

fn with_scheme(name: &str, gamma: Option<&str>) -> Overrides {
    let parameters = gamma.map(|g| ("gamma".to_owned(), g.to_owned())).into_iter().collect();
    Overrides { scheme: Some(name.to_owned()), scheme_parameters: parameters, ..Overrides::default() }
}

#[test]
fn the_synthetic_motion_is_that_of_the_reference() {
    let golden = golden("synthetic_motion");
    let Signal::Samples { start, dt, values } = synthetic_motion(number(&golden["pga"])) else { panic!() };
    assert_eq!((start, dt), (0.0, number(&golden["dt"])));
    let error = distance(&values, &numbers(&golden["samples"]));
    assert!(error < 1e-13, "{error:e}");
}

#[test]
fn the_free_shear_pendulum_is_that_of_the_reference() {
    let golden = &golden("shear_pendulum")["free"];
    let list = [
        ("LSRT1", "lsrt1", None),
        ("LSRT2_minus", "lsrt2", Some("minus")),
        ("LSRT2_plus", "lsrt2", Some("plus")),
        ("LSRT2_half", "lsrt2", Some("0.5")),
        ("LSRT3_derived", "rosenbrock3", None),
        ("CAAM", "caam", None),
    ];
    let reference = rows(&golden["reference"]);
    for (key, name, gamma) in list {
        let found = states(&mut load("shear-pendulum", &with_scheme(name, gamma)), &[1000, 5000, 10000]);
        for (y, expected) in found.iter().zip(rows(&golden[key]["states"])) {
            let error = distance(y, &expected);
            assert!(error < 1e-10, "{key}: {error:e}");
        }
        let error = distance(&found[2], &reference[2]);
        let expected = number(&golden[key]["max_error_at_10"]);
        assert!((error - expected).abs() < 1e-8, "{key}: error {error}, reference {expected}");
    }
}

#[test]
fn the_shear_pendulum_under_an_earthquake_is_that_of_the_reference() {
    let golden = &golden("shear_pendulum")["quake_0.2g"];
    let found = states(&mut load("shear-pendulum-quake", &Overrides::default()), &[1000, 3000, 5000]);
    for (y, expected) in found.iter().zip(rows(&golden["states"])) {
        let error = distance(y, &expected);
        assert!(error < 1e-9, "{error:e}");
    }
}

#[test]
fn the_bouc_wen_storey_under_an_earthquake_is_that_of_the_reference() {
    let golden = &golden("shear_pendulum")["bouc_wen_1g"];
    for (key, gamma) in [("minus", "minus"), ("half", "0.5"), ("plus", "plus")] {
        let mut sim = load("shear-pendulum-bouc-wen", &with_scheme("lsrt2", Some(gamma)));
        let found = states(&mut sim, &[1000, 2000, 3000]);
        for (y, expected) in found.iter().zip(rows(&golden["runs"][key]["states"])) {
            let error = distance(y, &expected);
            assert!(error < 1e-9, "{key}: {error:e}");
        }
    }
}

#[test]
fn no_gamma_of_lsrt2_is_unstable_with_the_bouc_wen_storey() {
    // Peaks over 20 s in three digits: paper 000 says that 1/2 is unstable, which is not so.
    let golden = &golden("shear_pendulum")["bouc_wen_1g"];
    for (key, gamma) in [("minus", "minus"), ("half", "0.5"), ("plus", "plus")] {
        let mut sim = load("shear-pendulum-bouc-wen", &with_scheme("lsrt2", Some(gamma)));
        let at: Vec<u64> = (1..=20000).collect();
        let mut peaks = [0.0f64; 3];
        for y in states(&mut sim, &at) {
            for (p, i) in peaks.iter_mut().zip([0, 1, 6]) {
                *p = p.max(y[i].abs());
            }
        }
        let expected = numbers(&golden["runs"][key]["max_abs_x1_x2_r1_20s_3digits"]);
        for (p, e) in peaks.iter().zip(&expected) {
            assert!((p - e).abs() < 0.51 * 10f64.powf(e.log10().floor() - 2.0), "{key}: {peaks:?}, {expected:?}");
        }
    }
}

/// The equations of the spring pendulum solved for the accelerations (x, rho, theta and rates, Bouc-Wen force).
fn spring_pendulum(t: f64, y: &[f64; 7]) -> [f64; 7] {
    let [_, rho, theta, xd, rhod, thetad, r] = *y;
    let (m_pivot, c1, m, k, c2, length, g) = (11.0, 90.0, 0.34, 400.0, 1.4, 0.167, 9.81);
    let force = 20.0 * (std::f64::consts::TAU * 1.2 * t).sin();
    let s = k * (rho - length) + c2 * rhod;
    let (sin, cos) = theta.sin_cos();
    let xdd = (force - c1 * xd - r + s * sin) / m_pivot;
    let rhodd = rho * thetad * thetad + g * cos - s / m - xdd * sin;
    let thetadd = (-2.0 * rhod * thetad - g * sin - xdd * cos) / rho;
    [xd, rhod, thetad, xdd, rhodd, thetadd, 1000.0 * xd - 55.0 * xd.abs() * r - 45.0 * xd * r.abs()]
}

#[test]
fn the_spring_pendulum_has_the_errors_of_the_reference() {
    let per_second = 50_000;
    let mut y = [0.0, 0.167 + 0.34 * 9.81 / 400.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    let mut exact = Vec::new();
    for (from, to) in [(0, 1), (1, 2), (2, 5)] {
        runge_kutta(spring_pendulum, &mut y, 1.0 / per_second as f64, from * per_second, to * per_second);
        exact.push(y);
    }
    for (gamma, expected) in [("minus", 8.8e-5), ("plus", 3.1e-3)] {
        let found = states(&mut load("spring-pendulum", &with_scheme("lsrt2", Some(gamma))), &[1000, 2000, 5000]);
        let worst = found.iter().zip(&exact).map(|(a, b)| distance(a, b)).fold(0.0, f64::max);
        // Two digits.
        assert!((worst / expected - 1.0).abs() < 0.01, "{gamma}: {worst:e} instead of {expected:e}");
    }
}

/// History of the top displacement of the frame, m, at every 10 ms.
fn top(scheme: &str, gamma: Option<&str>, dt: &str, every: u64, peak: &str) -> Vec<f64> {
    let overrides = Overrides { dt: Some(dt.to_owned()), ..with_scheme(scheme, gamma) };
    let mut sim = load("frame", &Overrides { set: set(&[("peak", peak)]).set, ..overrides });
    let dof = sim.unknowns(0).position(|n| n == "n10_0.x").unwrap();
    assert_eq!((dof, sim.coupling.system(0).dims().nu), (108, 120));
    let at: Vec<u64> = (0..=2000).map(|k| k * every).collect();
    states(&mut sim, &at).iter().map(|y| y[dof]).collect()
}

#[test]
fn the_frame_has_the_errors_of_the_reference() {
    let peak = "9.81 m/s^2";
    let reference = top("rosenbrock3", None, "1 ms", 10, peak);
    assert!((largest(&reference) - 0.288).abs() < 0.0005, "{}", largest(&reference));
    let cases = [("minus", "10 ms", 1, 1.46e-3), ("minus", "5 ms", 2, 0.36e-3), ("plus", "10 ms", 1, 33.7e-3)];
    for (gamma, dt, every, expected) in cases {
        let error = distance(&reference, &top("lsrt2", Some(gamma), dt, every, peak));
        assert!((error / expected - 1.0).abs() < 0.005, "{gamma}, {dt}: {error}");
    }
}
