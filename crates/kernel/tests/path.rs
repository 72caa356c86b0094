//! Laws moved by their evaluations, against the formulas written down once more.

use interfield_kernel::element::path::PathLaw;
use interfield_kernel::element::{AnyLaw, Element, LAWS, Tangent};

/// k, beta, alpha, gamma, n, rho.
const PIER: [f64; 6] = [2.0, 4.0, 3.0, 0.7, 1.3, 0.9];
/// k, a, delta.
const ISOLATOR: [f64; 3] = [50.0, 0.05, 0.02];

fn path(name: &str, parameters: &[f64]) -> PathLaw {
    PathLaw::of(&AnyLaw::new(name, parameters).unwrap()).unwrap()
}

/// A walk with reversals, long and short increments, and rests.
fn walk() -> Vec<f64> {
    let at = |i: i32| 0.4 * (0.37 * f64::from(i)).sin() + 0.1 * (2.3 * f64::from(i)).cos();
    (0..200).flat_map(|i| if i % 7 == 0 { vec![at(i), at(i)] } else { vec![at(i)] }).collect()
}

fn sgn(x: f64) -> f64 {
    if x == 0.0 { 0.0 } else { x.signum() }
}

/// One Runge-Kutta step of dr/dx = rho k / (1 + alpha x²) - (beta sgn(dx r) + gamma) |r|^n.
fn pier_moved([x0, r]: [f64; 2], x1: f64) -> [f64; 2] {
    let [k, beta, alpha, gamma, n, rho] = PIER;
    let d = x1 - x0;
    // Never beyond the strength at x = 0, which the exact solution does not exceed either.
    let strength = (rho * k / (beta + gamma)).powf(1.0 / n);
    let within = |r: f64| r.clamp(-strength, strength);
    let slope =
        |x: f64, r: f64| rho * k / (1.0 + alpha * x * x) - (beta * sgn(d * r) + gamma) * within(r).abs().powf(n);
    let k1 = slope(x0, r);
    let k2 = slope(x0 + d / 2.0, r + d / 2.0 * k1);
    let k3 = slope(x0 + d / 2.0, r + d / 2.0 * k2);
    let k4 = slope(x1, r + d * k3);
    [x1, within(r + d / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4))]
}

#[test]
fn modified_bouc_wen_moves_by_its_formula() {
    let law = path("modified-bouc-wen", &PIER);
    let (mut found, mut expected) = ([0.0; 2], [0.0; 2]);
    for x in walk() {
        found = law.moved(found, x);
        expected = pier_moved(expected, x);
        assert!(found[0] == x && (found[1] - expected[1]).abs() < 1e-14, "{found:?} instead of {expected:?}");
        assert_eq!(law.force(found), found[1]);
    }
    assert!(found[1].abs() > 0.01, "the walk ends with a force worth comparing: {found:?}");
}

#[test]
fn mostaghel_moves_by_its_formula() {
    let law = path("mostaghel", &ISOLATOR);
    let [k, a, delta] = ISOLATOR;
    let (mut found, mut x0, mut s) = ([0.0; 2], 0.0f64, 0.0f64);
    let (mut slips, mut sticks) = (0, 0);
    for x in walk() {
        s = (s + x - x0).clamp(-delta, delta);
        x0 = x;
        found = law.moved(found, x);
        assert!((found[1] - s).abs() < 1e-15, "{found:?} instead of {s}");
        assert!((law.force(found) - k * (a * x + (1.0 - a) * s)).abs() < 1e-13);
        if s.abs() == delta { slips += 1 } else { sticks += 1 }
    }
    assert!(slips > 20 && sticks > 20, "{slips} slips, {sticks} sticks");
}

#[test]
fn evaluating_twice_at_the_same_point_changes_nothing() {
    for law in [path("modified-bouc-wen", &PIER), path("mostaghel", &ISOLATOR)] {
        let mut memory = [0.0; 2];
        for x in walk() {
            memory = law.moved(memory, x);
            assert_eq!(law.moved(memory, x).map(f64::to_bits), memory.map(f64::to_bits));
        }
    }
}

#[test]
fn what_is_not_finite_stays_so() {
    for law in [path("modified-bouc-wen", &PIER), path("mostaghel", &ISOLATOR)] {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for memory in [law.moved([bad, 0.1], 0.2), law.moved([0.1, bad], 0.2), law.moved([0.1, 0.01], bad)] {
                assert!(!law.force(memory).is_finite(), "{bad}: {memory:?}");
            }
        }
    }
}

#[test]
fn the_tangent_is_the_initial_one_wherever_the_law_is() {
    for (law, stiffness) in
        [(path("modified-bouc-wen", &PIER), PIER[0] * PIER[5]), (path("mostaghel", &ISOLATOR), ISOLATOR[0])]
    {
        assert_eq!(law.size(), (1, 0));
        let (mut k, mut c) = ([7.0], [7.0]);
        let out = Tangent { k: &mut k, c: &mut c, r: &mut [], a: &mut [], b: &mut [], e: &mut [] };
        law.tangent(0.0, &[0.3], &[0.1], &[], &[0.0], out);
        assert_eq!((k, c), ([stiffness], [0.0]));
        // And it is the slope from rest.
        let x = 1e-8;
        assert!((law.force(law.moved([0.0; 2], x)) / x / stiffness - 1.0).abs() < 1e-6);
    }
}

#[test]
fn laws_with_the_option_can_be_moved_and_no_others() {
    for info in LAWS {
        let parameters: Vec<f64> = info.parameters.iter().map(|p| p.default.unwrap_or(0.5)).collect();
        let law = AnyLaw::new(info.name, &parameters).unwrap();
        let has_option = info.options.iter().any(|o| o.0 == "memory");
        assert_eq!(PathLaw::of(&law).is_some(), has_option, "{}", info.name);
    }
}

/// The law with its state integrated over ramps between turning points, by forward steps so small that they are exact.
fn integrated(law: &AnyLaw, turns: &[f64], steps: u32) -> Vec<f64> {
    let (mut s, mut from) = ([0.0], 0.0);
    turns
        .iter()
        .map(|&to| {
            let v = to - from;
            let h = 1.0 / f64::from(steps);
            let (mut p, mut g) = ([0.0], [0.0]);
            for i in 0..steps {
                // Midpoint rule.
                let q = from + (f64::from(i) + 0.5) * h * v;
                law.response(0.0, &[from + f64::from(i) * h * v], &[v], &s, &mut p, &mut g);
                let middle = [s[0] + 0.5 * h * g[0]];
                law.response(0.0, &[q], &[v], &middle, &mut p, &mut g);
                s[0] += h * g[0];
            }
            from = to;
            law.response(0.0, &[to], &[v], &s, &mut p, &mut g);
            p[0]
        })
        .collect()
}

fn walked(law: &PathLaw, turns: &[f64], steps: u32) -> Vec<f64> {
    let (mut memory, mut from) = ([0.0; 2], 0.0);
    turns
        .iter()
        .map(|&to| {
            (1..=steps).for_each(|i| memory = law.moved(memory, from + f64::from(i) / f64::from(steps) * (to - from)));
            from = to;
            law.force(memory)
        })
        .collect()
}

#[test]
fn a_law_comes_to_its_initial_deformation_in_one_increment_which_is_not_exact() {
    for law in [AnyLaw::new("modified-bouc-wen", &PIER), AnyLaw::new("bouc-wen", &[2.0, 3.0, 1.0, 2.0, 0.1])] {
        let law = PathLaw::of(&law.unwrap()).unwrap();
        let mut worst = 0.0_f64;
        for x in [0.1, -0.3, 0.6, 2.5] {
            let [exact, fine, once] = [law.walk(x, 100_000), law.walk(x, 256), law.come(x)].map(|m| law.force(m));
            assert!((fine - exact).abs() < 1e-4 * exact.abs(), "{fine} and {exact} at {x}");
            assert_eq!(once, law.force(law.moved([0.0; 2], x)));
            worst = worst.max((once / exact - 1.0).abs());
        }
        assert!(worst > 0.01, "there would be nothing to warn of: {worst}");
    }
}

#[test]
fn path_and_state_agree_over_loops() {
    let turns = [0.5, -0.4, 0.6, 0.1, 0.3, -0.7, 0.0];
    let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);

    let law = AnyLaw::new("modified-bouc-wen", &PIER).unwrap();
    let exact = integrated(&law, &turns, 100_000);
    let errors = [8, 16, 32].map(|n| largest(&walked(&PathLaw::of(&law).unwrap(), &turns, n), &exact));
    // |r|^1.3 has a kink where r passes zero, so that the fourth order is not seen in full.
    assert!(errors[2] < 2e-4 && errors[0] > 4.0 * errors[1] && errors[1] > 4.0 * errors[2], "{errors:?}");

    let law = AnyLaw::new("mostaghel", &ISOLATOR).unwrap();
    let (exact, any) =
        (integrated(&law, &turns, 100_000), [1, 16].map(|n| walked(&PathLaw::of(&law).unwrap(), &turns, n)));
    // The state is beyond delta by one of its steps, the path is exact however long its increments are.
    any.iter().for_each(|f| assert!(largest(f, &exact) < ISOLATOR[0] * 1.3 / 100_000.0, "{f:?} and {exact:?}"));
}

/// Work of sinusoids of amplitude 3 that are so much behind each other, per cycle once they are steady, on a law that each of them
/// visits in turn: with one memory for all, and with one for each.
fn visited(law: &PathLaw, behind: &[f64]) -> [f64; 2] {
    const STEPS: u32 = 2000;
    let at = |i: usize, j: u32| 3.0 * (std::f64::consts::TAU * f64::from(j) / f64::from(STEPS) - behind[i]).sin();
    [true, false].map(|one| {
        let mut memories = vec![[0.0; 2]; behind.len()];
        let mut forces = vec![0.0; behind.len()];
        let mut work = 0.0;
        for j in 1..=3 * STEPS {
            if j == 2 * STEPS + 1 {
                work = 0.0;
            }
            for i in 0..behind.len() {
                let memory = &mut memories[if one { 0 } else { i }];
                *memory = law.moved(*memory, at(i, j));
                let force = law.force(*memory);
                work += 0.5 * (force + forces[i]) * (at(i, j) - at(i, j - 1));
                forces[i] = force;
            }
        }
        work
    })
}

/// Dissipative as it is, a law with one memory for several sequences can give energy (book: passivity 4.1).
#[test]
fn one_memory_for_several_sequences_is_not_passive() {
    let law = path("mostaghel", &[1.0, 0.0, 1.0]);
    let third = std::f64::consts::TAU / 3.0;
    for (behind, one, own) in [
        (vec![0.0, third, 2.0 * third], -11.6, 24.0),
        (vec![0.0, -third, -2.0 * third], 11.5, 24.0),
        (vec![0.0, 0.75 * third], 0.0, 16.0),
    ] {
        let found = visited(&law, &behind);
        assert!((found[0] - one).abs() < 0.05 && (found[1] - own).abs() < 0.01, "{behind:?}: {found:?}");
    }
    // With own memories never, whatever the sequences are.
    for i in 0..300 {
        let behind: Vec<f64> = (0..3).map(|j| 0.01 * f64::from((7919 * (i + 1) * (j + 1)) % 628)).collect();
        assert!(visited(&law, &behind)[1] > 0.0, "{behind:?}");
    }
}

/// A mean of memories with weights of both signs may lie slightly beyond the strength: the next increment brings it back.
#[test]
fn a_variable_beyond_its_bound_comes_back_with_the_next_increment() {
    for (law, strength) in [
        (path("mostaghel", &[50.0, 0.0, 0.02]), 50.0 * 0.02),
        (path("bouc-wen", &[2.0, 3.0, 1.0, 1.0, 0.0]), 0.5),
        (path("modified-bouc-wen", &PIER), (0.9 * 2.0_f64 / 4.7).powf(1.0 / 1.3)),
    ] {
        let [_, within] = law.moved([0.0, 0.0], 100.0);
        for (z, d) in [(1.05 * within, 0.0), (1.05 * within, 1e-4), (-1.05 * within, 1e-4), (1.05 * within, -1e-4)] {
            let force = law.force(law.moved([0.3, z], 0.3 + d));
            assert!(force.abs() <= strength * (1.0 + 1e-12), "{z} by {d}: {force} of {strength}");
        }
    }
}
