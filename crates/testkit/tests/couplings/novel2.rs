//! Tied windows and slow laws, PMC-t, PMC2s-t, PSL and PSL1, against the states of an independent implementation: golden states and
//! operators, orders, stability (book: passivity 2.5, 2.6, 2.8, 4.3).

use interfield_coupling::{Coupling, CouplingMethod, PmcOptions, PslOptions};
use interfield_structure::Assembled;
use interfield_testkit::couplings::{
    BILINEAR, ChainSprings, Cut, Setting, advance, alpha, begin_twice, chain, five_storeys, motion, pair, radius,
    sample, split_law, three_dof,
};
use interfield_testkit::golden::{golden, list, number, numbers};
use interfield_testkit::networks::random_chain;
use interfield_testkit::numerics::Random;
use interfield_testkit::passivity::{PROVED, Point, VARIED, growth, points};

/// A variant by its name in the reference: "PSL m=2 tie=0.5 kappa=0.05", "PMC2s-t(0.5) (sequential)".
fn variant(name: &str) -> CouplingMethod {
    let value = |key: &str| name.split(key).nth(1).and_then(|v| v.split([' ', ')']).next()?.parse::<f64>().ok());
    match value("PSL m=") {
        Some(windows) => {
            let (tie, kappa) = (value("tie=").unwrap_or(0.0), value("kappa=").unwrap_or(0.0));
            PslOptions { windows: windows as usize, tie, kappa, ..PslOptions::PSL }.into()
        }
        None => {
            let family = if name.starts_with("PMC2s") { PmcOptions::PMC2S } else { PmcOptions::PMC };
            PmcOptions { tie: value("-t(").unwrap_or(0.0), ..family }.into()
        }
    }
}

fn problem(name: &str) -> Option<Cut> {
    match name {
        "split mass b1=0.5, k_A a law" => Some(split_law(1.0)),
        "split mass b1=0.5, softening B (true k_B = 0.3 of the operator's)" => Some(split_law(0.3)),
        "three-DoF split mass (no laws)" => Some(three_dof()),
        "chain_nonlinear (Bouc-Wen in A, cubic in B)" => Some(chain(ChainSprings::Nonlinear)),
        _ => None,
    }
}

/// W_n, W_n+1 and the newest node [x y q z] of `n` laws, as they stand in the complete state behind both sides.
fn laws(coupled: &dyn Coupling<Assembled>, n: usize, remembered: usize) -> [Vec<f64>; 5] {
    let start = coupled.range_of(1).end + coupled.multipliers().len();
    let at = |from: usize, len: usize| coupled.state()[start + from..start + from + len].to_vec();
    [at(0, n), at(n, n), at(2 * n, n), at(4 * n, n), at(5 * n, remembered)]
}

#[test]
fn states_agree_with_the_reference() {
    let file = golden("novel2_states");
    let mut worst: Vec<(f64, String)> = Vec::new();
    let mut compared = 0;
    for (case, data) in file["cases"].as_object().expect("cases") {
        // The reference does not give the ground motion of its frames.
        let Some(cut) = problem(case) else { continue };
        let setting = Setting::same(alpha(0.8), number(&data["h"]), number(&data["ss"]) as usize);
        for (name, states) in data["schemes"].as_object().expect("schemes") {
            let method = variant(name);
            let mut coupled = cut.begin(method, &setting);
            let (mut k, last) = (0, number(&list(states)[list(states).len() - 1]["n"]) as u64);
            for state in list(states) {
                let n = number(&state["n"]) as u64;
                advance(&mut *coupled, k, n);
                k = n;
                let mut compare = |found: &[f64], reference: &[f64], key: &str| {
                    assert_eq!(found.len(), reference.len(), "{case} {name} {key}");
                    let scale = reference.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
                    let d = found.iter().zip(reference).fold(0.0, |m, (a, b)| f64::max(m, (a - b).abs()));
                    compared += 1;
                    worst.push((if scale == 0.0 { d } else { d / scale }, format!("{case} {name} n={n} {key}")));
                };
                for (i, side) in ["A", "B"].into_iter().enumerate() {
                    let (u, v) = motion(coupled.as_ref(), i);
                    compare(u, &numbers(&state[format!("u{side}")]), &format!("u{side}"));
                    compare(v, &numbers(&state[format!("v{side}")]), &format!("v{side}"));
                }
                compare(coupled.multipliers(), &numbers(&state["lambda"]), "lambda");
                let CouplingMethod::Psl(_) = method else {
                    // What the laws of A remember is the end of its state.
                    let memory = numbers(&state["memory of A"]);
                    let a = coupled.state_of(0);
                    compare(&a[a.len() - memory.len()..], &memory, "memory");
                    continue;
                };
                let (x, memory) = (numbers(&state["x"]), numbers(&state["memory"]));
                let [w0, w1, found, q, z] = laws(coupled.as_ref(), x.len(), memory.len());
                compare(&found, &x, "x");
                compare(&q, &numbers(&state["q"]), "q");
                compare(&z, &memory, "memory");
                // The reference stored the forces of its last node in all of them.
                if n == last {
                    let forces = list(&state["W (W_n, W_n+1, ..)"]);
                    compare(&w0, &numbers(&forces[0]), "W_n");
                    if forces.len() > 1 {
                        compare(&w1, &numbers(&forces[1]), "W_n+1");
                    }
                }
            }
        }
    }
    worst.retain(|w| w.0 > 1e-9 || w.0.is_nan());
    let shown: Vec<String> = worst.iter().take(60).map(|(d, what)| format!("{what}: {d:.2e}")).collect();
    assert!(worst.is_empty(), "{} of {compared} differ\n{}", worst.len(), shown.join("\n"));
    assert!(compared > 1200, "only {compared} comparisons");
}

#[test]
fn operators_of_the_frame_are_those_of_the_reference() {
    let file = golden("novel2_operators");
    let reference = file["frame, h=0.01, ss=5"].as_object().expect("variants");
    let setting = Setting::same(alpha(0.8), 0.01, 5);
    let mut compared = 0;
    for (name, numbers_of) in reference.iter().filter(|(name, _)| !name.contains("weights")) {
        let coupled = five_storeys(BILINEAR, BILINEAR, 0.01).begin(variant(name), &setting);
        let blueprint = coupled.blueprint();
        let flexibility = |i: usize, dof: usize| {
            let way = &blueprint.subdomains[i].steppings[0];
            -blueprint.subdomains[i].ports[0].sign * way.link[way.rate + dof]
        };
        let window = blueprint.subdomains[0].steppings[0].dt;
        for (key, found) in [
            ("H core", flexibility(0, 2)),
            ("H B", flexibility(1, 0)),
            ("HA", flexibility(0, 2)),
            ("HB", flexibility(1, 0)),
            ("window", window),
        ] {
            let Some(right) = numbers_of.get(key) else { continue };
            let right = if key == "window" { number(right) } else { numbers(&list(right)[0])[0] };
            assert!((found / right - 1.0).abs() < 1e-12, "{name}, {key}: {found} instead of {right}");
            compared += 1;
        }
    }
    assert_eq!(compared, 3 * 3 + 4 * 2);
}

/// Largest errors of u and Λ of A on (0, 1] s with the split mass, u = cos t + sin t.
fn errors(method: CouplingMethod, cut: &Cut, n: u64, ss: usize) -> [f64; 3] {
    let mut coupled = cut.begin(method, &Setting::same(alpha(0.8), 1.0 / n as f64, ss));
    let mut worst = [0.0; 3];
    for k in 0..n {
        advance(&mut *coupled, k, k + 1);
        let t = (k + 1) as f64 / n as f64;
        let (u, v) = (t.cos() + t.sin(), t.cos() - t.sin());
        let found = motion(coupled.as_ref(), 0);
        // M a + k u + Λ = 0 on A, with a = -u.
        let l = (0.5 / 1.5 - 1.0 / 1.5) * u;
        let distances = [found.0[0] - u, found.1[0] - v, coupled.multipliers()[0] - l];
        worst.iter_mut().zip(distances).for_each(|(w, d)| *w = f64::max(*w, d.abs()));
    }
    worst
}

/// The orders of u, v and Λ between two numbers of steps, one four times the other.
fn orders(coarse: [f64; 3], fine: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| (coarse[i] / fine[i]).log2() / 2.0)
}

#[test]
fn the_order_is_two_at_any_ratio_of_steps() {
    let cut = split_law(1.0);
    let untied: CouplingMethod = PslOptions { tie: 0.0, ..PslOptions::PSL }.into();
    let full: CouplingMethod = PmcOptions { tie: 1.0, ..PmcOptions::PMC }.into();
    for method in PROVED.map(|p| p.1).into_iter().chain([untied, full, PmcOptions::PMC2.into()]) {
        for ss in [1, 10] {
            let found = orders(errors(method, &cut, 160, ss), errors(method, &cut, 640, ss));
            assert!(found.iter().all(|o| (1.9..2.15).contains(o)), "{method:?}, ss = {ss}: {found:.2?}");
        }
    }
    // The table of the sheet: errors of u and Λ at h = 1/80, ss = 10.
    for (method, u, l) in [
        (untied, 8.7e-6, 8.2e-6),
        (PslOptions::PSL.into(), 8.9e-6, 8.5e-6),
        (PslOptions::PSL1.into(), 5.9e-6, 1.6e-6),
        (PmcOptions::PMC.into(), 3.5e-5, 7.5e-5),
        (PmcOptions::PMC2S.into(), 1.6e-5, 2.9e-5),
    ] {
        let [found_u, _, found_l] = errors(method, &cut, 80, 10);
        assert!((found_u / u - 1.0).abs() < 0.03 && (found_l / l - 1.0).abs() < 0.04, "{found_u:e} {found_l:e}");
    }
}

/// Largest distances of u, v and Λ on (0, 0.5] s between two runs of the same coupling of which one has half the step.
fn difference(method: CouplingMethod, cut: &Cut, n: u64, ss: usize) -> [f64; 3] {
    let start = |n: u64| cut.begin(method, &Setting::same(alpha(0.8), 0.5 / n as f64, ss));
    let (mut coarse, mut fine) = (start(n), start(2 * n));
    let mut worst = [0.0; 3];
    for k in 0..n {
        advance(&mut *coarse, k, k + 1);
        advance(&mut *fine, 2 * k, 2 * k + 2);
        let [a, b] = [sample(coarse.as_ref()), sample(fine.as_ref())];
        for (worst, (a, b)) in worst.iter_mut().zip(a.iter().zip(&b)) {
            *worst = a.iter().zip(b).fold(*worst, |m, (a, b)| f64::max(m, (a - b).abs()));
        }
    }
    worst
}

/// Springs and dampers of cubic and quadratic force: the tied windows come to their order late (book: passivity 4.3).
#[test]
fn the_order_is_two_with_nonlinear_sides() {
    let cut = chain(ChainSprings::Cubic);
    let damped = chain(ChainSprings::Damped);
    for (name, method) in PROVED {
        for ss in [1, 10] {
            let found = orders(difference(method, &cut, 200, ss), difference(method, &cut, 800, ss));
            println!("{name} {ss}: {found:.2?}");
            assert!(found.iter().all(|o| (1.8..2.4).contains(o)), "{name}, ss = {ss}: {found:.2?}");
        }
        let found = orders(difference(method, &damped, 800, 5), difference(method, &damped, 3200, 5));
        println!("{name} damped: {found:.2?}");
        assert!(found.iter().all(|o| (1.8..2.4).contains(o)), "{name}, damped: {found:.2?}");
    }
}

/// Of the 169 092 points of each coupling one in a thousand; `cargo xtask bench passivity` takes them all.
#[test]
fn softening_sides_are_stable_at_every_ratio_of_masses_and_steps() {
    for (name, method) in PROVED.into_iter().chain(VARIED) {
        let all = points().step_by(1009);
        let worst = all.map(|p| (growth(method, &p), p)).max_by(|a, b| a.0.total_cmp(&b.0)).expect("points");
        assert!(worst.0 < 1e-9, "{name}: {worst:?}");
    }
}

#[test]
fn hardening_is_outside_of_the_proof() {
    for (name, method) in PROVED {
        let point = |omega: f64| Point { b1: 0.5, omega, ss: 1, shares: [1.2, 1.0] };
        let unstable = |omega: f64| growth(method, &point(omega)) > 1e-3;
        assert!([1.0, 3.0, 10.0, 100.0].into_iter().any(unstable), "{name} is stable: the proof could be wider");
    }
}

/// 1 to 5 unknowns a side, 1 to 3 of them shared, 1 to 4 laws in A with any share of their stiffness, a B that softens.
#[test]
fn random_pairs_with_random_laws_are_stable() {
    let mut random = Random(11);
    for _ in 0..120 {
        let sizes = [1 + random.below(5), 1 + random.below(5)];
        let [mut a, b] = sizes.map(|n| random_chain(&mut random, n, false, 2.0));
        for _ in 0..1 + random.below(4) {
            let b = (0..sizes[0]).map(|_| random.below(3) as f64 - 1.0).collect();
            let (k, share) = (random.decades(-2.0, 2.0), random.uniform());
            a = a.with_law(b, k, share);
        }
        let b = b.softened(random.uniform());
        let rows = 1 + random.below(sizes[0].min(sizes[1]).min(3));
        let shared: Vec<(usize, usize)> = (0..rows).map(|i| (sizes[0] - 1 - i, i)).collect();
        let setting = Setting::same(alpha(0.8), random.decades(-2.0, 3.0), [1, 2, 5, 10][random.below(4)]);
        let start = |n: usize| vec![0.0; 2 * n];
        let make = || pair((a.clone(), start(sizes[0])), (b.clone(), start(sizes[1])), &shared, &setting);
        for (name, method) in PROVED {
            let rho = radius(&mut *begin_twice(method, make(), make()));
            assert!(rho < 1.0 + 1e-10, "{name}, {sizes:?}, {setting:?}: {rho}");
        }
    }
}
