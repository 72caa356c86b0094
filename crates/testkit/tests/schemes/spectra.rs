//! Spectral properties: golden spectra, closed forms, order conditions, limits.

use interfield_analysis::spectrum::{Spectrum, spectrum};
use interfield_kernel::Domain;
use interfield_kernel::scheme::registry::AnyScheme;
use interfield_kernel::scheme::rosenbrock::Rosenbrock;
use interfield_kernel::scheme::splitting::Splitting;
use interfield_structure::assembled::{Assembled, Ingredients, oscillator};
use interfield_testkit::golden::{golden, number, numbers, rows};
use interfield_testkit::numerics::{distance, largest};
use interfield_testkit::problems;
use interfield_testkit::run::{history, read};
use interfield_testkit::variants::scheme;

fn of(scheme: AnyScheme, xi: f64, omega: f64) -> Spectrum {
    measured(scheme, oscillator(xi).unwrap(), omega, omega)
}

fn measured(scheme: AnyScheme, system: Assembled, dt: f64, omega: f64) -> Spectrum {
    let (nx, nw) = Domain::<_, _, Vec<f64>>::memory(&scheme, &system);
    let mut domain = Domain::new(scheme, system, dt, vec![0.0; nx], vec![0.0; nw]).unwrap();
    spectrum(&mut domain, omega).unwrap()
}

/// The same with a unit step and a stiff spring.
fn of_unit_step(scheme: AnyScheme, xi: f64, omega: f64) -> Spectrum {
    let (damping, stiffness) = (vec![2.0 * xi * omega], vec![omega * omega]);
    let parts = Ingredients { n: 1, mass: vec![1.0], damping, stiffness, symmetric: true, ..Ingredients::default() };
    measured(scheme, Assembled::new(parts, &[0.0; 2]).unwrap(), 1.0, omega)
}

fn golden_scheme(name: &str) -> AnyScheme {
    match name {
        "LSRT1" => scheme("lsrt1", &[]),
        "LSRT2_minus" => scheme("lsrt2", &[("gamma", "minus")]),
        "LSRT2_plus" => scheme("lsrt2", &[("gamma", "plus")]),
        "LSRT2_half" => scheme("lsrt2", &[("gamma", "0.5")]),
        "LSRT3_derived" => scheme("rosenbrock3", &[]),
        "Chang" => scheme("chang", &[]),
        other => scheme("generalized-alpha", &[("rho_inf", other.strip_prefix("GenAlpha_").unwrap())]),
    }
}

#[test]
fn golden_spectral_radii_are_reproduced() {
    let golden = golden("spectral_monolithic");
    let omegas = numbers(&golden["Omega"]);
    for (key, xi) in [("rho_xi0", 0.0), ("rho_xi5", 0.05)] {
        let all = golden[key].as_object().unwrap();
        assert_eq!(all.len(), 10);
        for (name, expected) in all {
            for (omega, rho) in omegas.iter().zip(numbers(expected)) {
                // The three eigenvalues of this one meet at -1 with a distance of 4/Omega, and each is only as well
                // determined as rounding times the square of that: 2e-10 at Omega = 1000 instead of 1e-11.
                let meeting = if name == "GenAlpha_1.0" { f64::EPSILON * omega * omega } else { 0.0 };
                let tolerance = meeting.max(1e-11);
                // The same amplification, through a longer state.
                let split = name.strip_prefix("GenAlpha_").map(|rho| scheme("alpha-os", &[("rho_inf", rho)]));
                for scheme in [golden_scheme(name)].into_iter().chain(split) {
                    let found = of_unit_step(scheme, xi, *omega).rho;
                    let error = (found - rho).abs();
                    assert!(error < tolerance, "{scheme:?}, xi = {xi}, Omega = {omega}: {found} instead of {rho}");
                }
            }
        }
    }
}

#[test]
fn golden_damping_and_frequency_errors_are_reproduced() {
    let golden = golden("spectral_monolithic");
    let omegas = numbers(&golden["Omega"]);
    let mut compared = 0;
    for key in ["algorithmic_damping_xi0", "frequency_error_xi0", "frequency_error_arg_xi0"] {
        for (name, expected) in golden[key].as_object().unwrap() {
            for (omega, expected) in omegas.iter().zip(expected.as_array().unwrap()) {
                let principal = of(golden_scheme(name), 0.0, *omega).principal;
                let (Some(p), Some(expected)) = (principal, expected.as_f64()) else { continue };
                if *omega < 0.1 {
                    continue;
                }
                let found = match key {
                    "algorithmic_damping_xi0" => p.damping,
                    "frequency_error_xi0" => p.frequency_error,
                    _ => p.frequency_error_arg,
                };
                assert!((found - expected).abs() < 1e-9, "{key}, {name}, {omega}: {found} instead of {expected}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 150, "only {compared} values compared");
}

/// A long step cancels displacements of size dt v = Omega: their rounding remains.
fn rounding(omega: f64) -> f64 {
    1e-13 + f64::EPSILON * omega
}

const OMEGAS: [f64; 9] = [1e-3, 0.03, 0.3, 1.0, 2.5, 7.0, 40.0, 1e3, 1e5];

#[test]
fn lsrt1_has_the_radius_of_its_closed_form() {
    for o in OMEGAS {
        let rho = of(scheme("lsrt1", &[]), 0.0, o).rho;
        assert!((rho - 1.0 / (1.0 + o * o).sqrt()).abs() < rounding(o), "Omega = {o}: {rho}");
    }
}

#[test]
fn lsrt2_has_the_radius_of_its_closed_form_for_any_gamma() {
    for g in [Rosenbrock::GAMMA_MINUS, Rosenbrock::GAMMA_PLUS, 0.25, 0.3, 0.5, 1.0, 2.0] {
        for o in OMEGAS {
            let rho = of(AnyScheme::Rosenbrock(Rosenbrock::lsrt2(g)), 0.0, o).rho;
            let c = 0.5 - 2.0 * g + g * g;
            let exact = (1.0 - c * o * o).hypot((1.0 - 2.0 * g) * o) / (1.0 + g * g * o * o);
            assert!((rho - exact).abs() < rounding(o), "gamma = {g}, Omega = {o}: {rho} instead of {exact}");
            assert!(rho < 1.0 + 1e-12, "A-stability, gamma = {g}, Omega = {o}: {rho}");
        }
    }
}

#[test]
fn the_two_l_stable_gammas_have_the_short_closed_form() {
    for g in [Rosenbrock::GAMMA_MINUS, Rosenbrock::GAMMA_PLUS] {
        for o in OMEGAS {
            let rho = of(AnyScheme::Rosenbrock(Rosenbrock::lsrt2(g)), 0.0, o).rho;
            let exact = (1.0 + 2.0 * g * g * o * o).sqrt() / (1.0 + g * g * o * o);
            assert!((rho - exact).abs() < rounding(o), "gamma = {g}, Omega = {o}: {rho} instead of {exact}");
        }
    }
}

#[test]
fn l_stable_schemes_forget_infinite_frequencies() {
    for s in [
        scheme("lsrt1", &[]),
        scheme("lsrt2", &[]),
        scheme("lsrt2", &[("gamma", "plus")]),
        scheme("rosenbrock3", &[]),
        scheme("bathe", &[]),
        scheme("tr-bdf2", &[]),
    ] {
        assert!(of(s, 0.0, 1e6).rho < 1e-5);
    }
}

#[test]
fn generalized_alpha_reaches_its_radius_at_infinity() {
    for name in
        ["generalized-alpha", "generalized-alpha-newton", "alpha-os", "state-space-alpha", "kr-alpha", "mkr-alpha"]
    {
        for rho in ["0", "0.5", "0.8", "1"] {
            let found = of(scheme(name, &[("rho_inf", rho)]), 0.0, 1e6).rho;
            let wanted: f64 = rho.parse().unwrap();
            // Eigenvalues meet at infinity, three of the second-order form and two of the first-order one: they
            // approach as Omega^(-2/3) = 1e-4 and Omega^(-1/2) = 1e-3.
            let tolerance = if name == "state-space-alpha" { 1e-3 } else { 2e-4 };
            assert!((found - wanted).abs() < tolerance, "{name}, rho_inf = {rho}: {found}");
        }
    }
}

#[test]
fn hht_with_a_third_reaches_half_at_infinity() {
    // Limit of HHT: rho_inf = (1 - alpha) / (1 + alpha).
    for alpha in [0.1, 1.0 / 3.0] {
        let found = of(scheme("hht", &[("alpha", &format!("{alpha:?}"))]), 0.0, 1e6).rho;
        assert!((found - (1.0 - alpha) / (1.0 + alpha)).abs() < 1e-4, "alpha = {alpha}: {found}");
    }
}

#[test]
fn trapezoidal_members_turn_by_twice_the_arc_tangent() {
    let list = ["newmark", "newmark-newton", "caam", "chang", "trapezoidal", "cr"];
    let half = AnyScheme::Rosenbrock(Rosenbrock::lsrt2(0.5));
    for s in list.iter().map(|n| scheme(n, &[])).chain([half, scheme("hht", &[("alpha", "0")])]) {
        for o in [0.1, 0.5, 1.0, 2.0, 3.0] {
            let spectrum = of(s, 0.0, o);
            let (re, im) = spectrum.principal.unwrap().eigenvalue;
            assert!((im.atan2(re) - 2.0 * (o / 2.0).atan()).abs() < 1e-12, "{s:?} {o}");
            assert!((re.hypot(im) - 1.0).abs() < 1e-12);
        }
    }
}

#[test]
fn explicit_newmark_is_stable_up_to_omega_two() {
    let explicit = scheme("newmark", &[("beta", "0")]);
    // Single eigenvalues on the unit circle; the third belongs to the acceleration and is zero.
    assert!(of(explicit, 0.0, 1.999).rho < 1.0 + 1e-9);
    assert!(of(explicit, 0.0, 2.001).rho > 1.05);
}

fn agree(text: &str, a: AnyScheme, b: AnyScheme, tolerance: f64) {
    let model = read(text);
    let [a, b] = [a, b].map(|s| history(&model, s, 0.02, 500));
    let n = 6;
    let scale = a.iter().map(|y| largest(&y[..n])).fold(0.0, f64::max);
    let worst = a.iter().zip(&b).map(|(x, y)| distance(&x[..n], &y[..n])).fold(0.0, f64::max);
    assert!(worst < tolerance * scale, "{worst:e} of {scale}");
}

#[test]
fn chang_equals_caam_in_linear_free_vibration() {
    agree(&problems::linear(0.0), scheme("chang", &[]), scheme("caam", &[]), 1e-12);
    agree(&problems::linear(0.01), scheme("chang", &[]), scheme("caam", &[]), 1e-12);
}

#[test]
fn the_splitting_of_generalized_alpha_is_generalized_alpha_for_linear_structures() {
    for rho in ["0", "0.5", "0.8", "1"] {
        let [a, b] = ["generalized-alpha", "alpha-os"].map(|name| scheme(name, &[("rho_inf", rho)]));
        agree(&problems::linear(0.0), a, b, 1e-12);
        agree(&problems::linear(0.01), a, b, 1e-12);
    }
    let split = AnyScheme::Splitting(Splitting::trapezoidal());
    agree(&problems::linear_forced(0.01), split, scheme("newmark", &[]), 1e-12);
}

#[test]
fn hht_without_alpha_is_the_trapezoidal_rule() {
    agree(&problems::linear_forced(0.01), scheme("hht", &[("alpha", "0")]), scheme("trapezoidal", &[]), 1e-12);
}

#[test]
fn lsrt2_with_one_half_is_the_trapezoidal_rule_in_free_vibration() {
    agree(&problems::linear(0.01), scheme("lsrt2", &[("gamma", "0.5")]), scheme("trapezoidal", &[]), 1e-12);
}

#[test]
fn order_conditions_hold_to_rounding() {
    let lsrt2 = [Rosenbrock::GAMMA_MINUS, Rosenbrock::GAMMA_PLUS, 0.25, 0.5, 0.9].map(|g| (Rosenbrock::lsrt2(g), 3));
    let others = [(Rosenbrock::lsrt1(), 1), (Rosenbrock::three_stage(), 6)];
    for (tableau, count) in lsrt2.into_iter().chain(others) {
        let residuals = &tableau.order_conditions()[..count];
        assert!(residuals.iter().all(|r| r.abs() <= 1e-15), "{residuals:?}");
    }
    let g = Rosenbrock::three_stage().gamma;
    assert!((g * g * g - 3.0 * g * g + 1.5 * g - 1.0 / 6.0).abs() < 1e-15, "L-stability");
}

#[test]
fn tableaus_and_their_residuals_are_those_of_the_reference() {
    let golden = golden("tableaus");
    let list = [
        ("LSRT1", Rosenbrock::lsrt1()),
        ("LSRT2_minus", Rosenbrock::lsrt2(Rosenbrock::GAMMA_MINUS)),
        ("LSRT2_plus", Rosenbrock::lsrt2(Rosenbrock::GAMMA_PLUS)),
        ("LSRT2_half", Rosenbrock::lsrt2(0.5)),
        ("LSRT3_derived", Rosenbrock::three_stage()),
    ];
    for (name, t) in list {
        let g = &golden[name];
        let (alpha, gammas) = (rows(&g["alpha"]), rows(&g["gam"]));
        assert_eq!(alpha.len(), t.stages);
        assert!((number(&g["gamma"]) - t.gamma).abs() <= 1e-15, "{name}");
        assert!(distance(&numbers(&g["b"]), &t.b[..t.stages]) <= 1e-15, "{name}");
        for i in 0..t.stages {
            assert!(distance(&alpha[i], &t.alpha[i][..t.stages]) <= 1e-15, "{name}");
            assert!(distance(&gammas[i], &t.gammas[i][..t.stages]) <= 1e-15, "{name}: {gammas:?}");
        }
        let mut expected: Vec<f64> = ["1:", "2:", "2t:", "3a:", "3b:", "3t:"]
            .iter()
            .map(|p| {
                let all = g["order_conditions"].as_object().unwrap();
                number(all.iter().find(|(k, _)| k.starts_with(p)).unwrap().1)
            })
            .collect();
        // The reference takes the last one with the true Σ b α in place of 1/2.
        expected[5] -= t.gamma * expected[2];
        assert!(distance(&expected, &t.order_conditions()) <= 1e-15, "{name}: {expected:?}");
    }
}
