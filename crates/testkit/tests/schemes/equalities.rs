//! The same structure written in different ways, the same step taken by different means, and exact solutions.

use interfield_kernel::System;
use interfield_language::model::Model;
use interfield_linalg::{Factor, Kind, Method};
use interfield_structure::Simulation;
use interfield_testkit::numerics::{apply, distance, exponential, first_order, largest, solve};
use interfield_testkit::problems::{self, LINEAR_MASS, linear_stiffness};
use interfield_testkit::run::{history, read, simulation, start, states};
use interfield_testkit::variants::{scheme, variants};

/// Largest difference over time of the first `n` entries, relative to the largest value.
fn difference(a: &[Vec<f64>], b: &[Vec<f64>], n: usize) -> f64 {
    let scale = a.iter().map(|y| largest(&y[..n])).fold(0.0, f64::max);
    a.iter().zip(b).map(|(x, y)| distance(&x[..n], &y[..n])).fold(0.0, f64::max) / scale
}

fn same(a: &Model, b: &Model, names: &[&str], dt: f64, n: usize, tolerance: f64) {
    for name in names {
        let [x, y] = [a, b].map(|m| history(m, scheme(name, &[]), dt, 300));
        let d = difference(&x, &y, n);
        assert!(d < tolerance, "{name}: {d:e}");
    }
}

const SOME: [&str; 6] = ["lsrt2", "newmark", "caam", "generalized-alpha", "chang", "trapezoidal"];

#[test]
fn one_pass_newton_and_state_space_agree_for_linear_systems() {
    for text in [problems::linear_forced(0.01), problems::frame("rayleigh = { ratio = 0.05, modes = [1, 2] }")] {
        let model = read(&text);
        let n = 2 * start(&model, scheme("newmark", &[]), 0.01).coupling.system(0).dims().nu;
        let reference = history(&model, scheme("newmark", &[]), 0.01, 300);
        for name in ["newmark-newton", "caam", "trapezoidal"] {
            let d = difference(&reference, &history(&model, scheme(name, &[]), 0.01, 300), n);
            assert!(d < 1e-11, "{name}: {d:e}");
        }
    }
}

#[test]
fn generalized_alpha_in_one_pass_and_iterated_agree_for_linear_systems() {
    let model = read(&problems::linear_forced(0.01));
    for rho in ["0", "0.5", "0.8", "1"] {
        let parameters = [("rho_inf", rho)];
        let [a, b] = ["generalized-alpha", "generalized-alpha-newton"]
            .map(|n| history(&model, scheme(n, &parameters), 0.01, 300));
        let d = difference(&a, &b, 6);
        assert!(d < 1e-12, "{rho}: {d:e}");
    }
}

#[test]
fn every_scheme_converges_to_the_matrix_exponential() {
    let model = read(&problems::linear(0.01));
    let k = linear_stiffness();
    let c: Vec<f64> = k.iter().map(|k| 0.01 * k).collect();
    let a: Vec<f64> = first_order(&LINEAR_MASS, &c, &k).iter().map(|x| 2.0 * x).collect();
    let y0 = start(&model, scheme("lsrt2", &[]), 0.01).y(0).to_vec();
    let exact = apply(&exponential(&a, 6), &y0);
    for v in variants() {
        let [coarse, fine] = [200u64, 400].map(|steps| {
            let y = states(&mut start(&model, v.scheme, 2.0 / steps as f64), &[steps]).remove(0);
            distance(&y, &exact)
        });
        let order = (coarse / fine).log2();
        // The half predictor is of second order here.
        let claim = f64::from(v.claims().order);
        assert!((order - claim).abs() < 0.25, "{}: {coarse:e}, {fine:e}, order {order:.2}", v.label);
    }
}

#[test]
fn a_matrix_element_equals_its_springs() {
    let text = problems::linear_forced(0.01);
    let springs = read(&text);
    let (head, rest) = text.split_once("element = [").unwrap();
    let tail = rest.split_once("]\n[analysis]").unwrap().1;
    let k = linear_stiffness();
    let rows = |f: f64| -> Vec<Vec<f64>> { k.chunks(3).map(|r| r.iter().map(|x| f * x).collect()).collect() };
    let element = format!(
        "element = [{{ type = \"matrix\", name = \"all\", dofs = [\"m0.x\", \"m1.x\", \"m2.x\"], K = {:?}, C = {:?} }}]\n",
        rows(1.0),
        rows(0.01)
    );
    let matrix = read(&format!("{head}{element}[analysis]{tail}"));
    same(&springs, &matrix, &SOME, 0.01, 6, 1e-12);
}

/// Two masses, two springs, this damping block.
fn two(damping: &str) -> Model {
    read(&format!(
        r#"
title = "two"
dofs = ["x"]
node = [{{ name = "a", mass = 3, initial_velocity = 1 }}, {{ name = "b", mass = 2, initial = 0.2 }}]
element = [
    {{ type = "spring", name = "k1", nodes = ["ground", "a"], dof = "x", k = 100 }},
    {{ type = "spring", name = "k2", nodes = ["a", "b"], dof = "x", k = 70 }},
]
[damping]
{damping}
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 1
"#
    ))
}

#[test]
fn modal_damping_equals_rayleigh_damping_where_the_ratios_match() {
    let rayleigh = two("rayleigh = { ratios = [0.03, 0.05], modes = [1, 2] }");
    same(&rayleigh, &two("modal = [0.03, 0.05]"), &SOME, 0.01, 4, 1e-11);
    let one = two("rayleigh = { ratio = 0.04 }");
    same(&one, &two("modal = [0.04, 0.04]"), &SOME, 0.01, 4, 1e-11);
}

#[test]
fn damping_ratios_are_those_of_the_decay() {
    // Started in its first mode, the structure decays with that ratio and the second stays asleep.
    let mut model = two("modal = [0.03, 0.05]");
    let modes = simulation(model.clone()).modes(0, 2).unwrap();
    let (omega, shape) = (modes.omega2[0].sqrt(), modes.shapes[0].clone());
    for (dof, s) in model.dofs.iter_mut().zip(&shape) {
        (dof.u0, dof.v0) = (*s, 0.0);
    }
    let y = states(&mut start(&model, scheme("rosenbrock3", &[]), 1e-3), &[1000]).remove(0);
    let (xi, t) = (0.03f64, 1.0);
    let wd = omega * (1.0 - xi * xi).sqrt();
    let q = (-xi * omega * t).exp() * ((wd * t).cos() + xi * omega / wd * (wd * t).sin());
    for (u, s) in y.iter().zip(&shape) {
        assert!((u - s * q).abs() < 1e-6 * largest(&shape), "{u} instead of {}", s * q);
    }
}

/// [`problems::SUPPORTED`] in coordinates relative to the ground.
fn on_the_ground(text: &str) -> Model {
    let fixed = text.replace("{ name = \"base\" }", "{ name = \"base\", fixed = true }");
    let (head, rest) = fixed.split_once("[[load]]").unwrap();
    let tail = rest.split_once("[analysis]").unwrap().1.split_once("[record]").unwrap().0;
    let load = "[[load]]\ntype = \"ground\"\nname = \"quake\"\ndirection = \"x\"\n\
                signal = { type = \"synthetic\", peak = 3 }\n";
    read(&format!("{head}{load}[analysis]{tail}"))
}

/// Largest difference between the absolute motion and the relative one plus that of the ground.
fn support_difference(text: &str, scheme_name: &str, parameters: &[(&str, &str)], dt: f64, steps: u64) -> f64 {
    use interfield_language::signal::{Motion, synthetic_motion};
    let s = scheme(scheme_name, parameters);
    let (absolute, relative) = (history(&read(text), s, dt, steps), history(&on_the_ground(text), s, dt, steps));
    let ground = Motion::from_acceleration(&synthetic_motion(3.0), 5.0, 0.01).unwrap();
    let summed: Vec<Vec<f64>> = relative
        .iter()
        .enumerate()
        .map(|(k, y)| {
            let [u, v, _] = ground.at(k as f64 * dt);
            vec![y[0] + u, y[1] + u, y[2] + v, y[3] + v]
        })
        .collect();
    difference(&absolute, &summed, 4)
}

#[test]
fn a_moving_support_equals_ground_acceleration() {
    // With beta = 1/6 the acceleration is linear within a step, as that of the record: nothing is left but rounding.
    let linear_acceleration = [("beta", "0.16666666666666666")];
    for name in ["newmark", "newmark-newton"] {
        let d = support_difference(problems::SUPPORTED, name, &linear_acceleration, 0.01, 500);
        assert!(d < 1e-11, "{name}: {d:e}");
    }
    // The others integrate the ground motion with their own error.
    for name in ["lsrt2", "newmark", "generalized-alpha", "trapezoidal"] {
        let [coarse, fine] = [(0.005, 800), (0.00125, 3200)]
            .map(|(dt, steps)| support_difference(problems::SUPPORTED, name, &[], dt, steps));
        let order = (coarse / fine).log2() / 2.0;
        assert!((order - 2.0).abs() < 0.2 && fine < 1e-3, "{name}: {coarse:e}, {fine:e}");
    }
}

#[test]
fn stiffness_proportional_damping_does_not_feel_a_rigid_motion_of_the_supports() {
    let text = problems::SUPPORTED.replace("[[load]]", "[damping]\nrayleigh = { a1 = 0.01 }\n[[load]]");
    let d = support_difference(&text, "newmark", &[("beta", "0.16666666666666666")], 0.01, 500);
    assert!(d < 1e-11, "{d:e}");
}

#[test]
fn every_linear_solver_takes_the_same_step() {
    let sim = simulation(read(&problems::frame("modal = []")));
    let (pattern, mass, stiffness) = sim.coupling.system(0).matrices(&[]);
    let h = 0.01;
    let d: Vec<f64> = mass.iter().zip(&stiffness).map(|(m, k)| m + 0.25 * h * h * k).collect();
    let n = pattern.n();
    let u: Vec<f64> = (0..n).map(|i| 0.01 * (1.0 + i as f64).sin()).collect();
    let mut r = vec![0.0; n];
    pattern.mul(&stiffness, &u, &mut r);
    let step = |method: Option<(Method, Kind)>| {
        let mut factor = match method {
            Some((method, kind)) => Factor::with_method(pattern, kind, method).unwrap(),
            None => Factor::new(pattern, Kind::Symmetric, true),
        };
        factor.factorize(&d).unwrap();
        let mut a: Vec<f64> = r.iter().map(|r| -r).collect();
        factor.solve(&mut a);
        u.iter().zip(&a).map(|(u, a)| u + 0.25 * h * h * a).collect::<Vec<f64>>()
    };
    let reference = step(None);
    for method in [
        (Method::Inverse, Kind::Symmetric),
        (Method::Dense, Kind::Symmetric),
        (Method::Dense, Kind::General),
        (Method::Simplicial, Kind::Symmetric),
        (Method::Simplicial, Kind::General),
        (Method::Supernodal, Kind::Symmetric),
    ] {
        let error = distance(&step(Some(method)), &reference) / largest(&reference);
        assert!(error < 1e-12, "{method:?}: {error:e}");
    }
}

#[test]
fn a_block_follows_the_matrix_exponential() {
    let model = read(problems::CONTROLLED);
    // y = [ua ub va vb s1 s2]: M v' = -K u - C v - p, p = Cb s + D u + Dv v, s' = A s + B u + Bv v.
    let (m, k) = ([2.0, 1.0], [[50.0 + 40.0 + 1.0, -40.0 + 0.5], [-40.0, 40.0 + 2.0]]);
    let (c, cb) = ([[0.3 + 0.2, 0.0], [0.1, 0.3]], [[5.0, 0.0], [1.0, 6.0]]);
    let (sa, sb, sbv) = ([[-4.0, 1.0], [0.0, -9.0]], [[2.0, 0.0], [0.0, 3.0]], [[0.0, 1.0], [0.5, 0.0]]);
    let mut a = vec![0.0; 36];
    for i in 0..2 {
        a[i * 6 + 2 + i] = 1.0;
        for j in 0..2 {
            a[(2 + i) * 6 + j] = -k[i][j] / m[i];
            a[(2 + i) * 6 + 2 + j] = -c[i][j] / m[i];
            a[(2 + i) * 6 + 4 + j] = -cb[i][j] / m[i];
            a[(4 + i) * 6 + j] = sb[i][j];
            a[(4 + i) * 6 + 2 + j] = sbv[i][j];
            a[(4 + i) * 6 + 4 + j] = sa[i][j];
        }
    }
    a.iter_mut().for_each(|x| *x *= 2.0);
    let mut sim = start(&model, scheme("rosenbrock3", &[]), 5e-4);
    let exact = apply(&exponential(&a, 6), sim.y(0));
    let error = distance(&states(&mut sim, &[4000])[0], &exact);
    assert!(error < 1e-7, "{error:e}");
    for v in variants() {
        let [coarse, fine] = [1000u64, 2000]
            .map(|steps| distance(&states(&mut start(&model, v.scheme, 2.0 / steps as f64), &[steps])[0], &exact));
        let order = (coarse / fine).log2();
        assert!((order - f64::from(v.claims().order)).abs() < 0.25, "{}: order {order:.2}", v.label);
    }
}

#[test]
fn a_block_equals_formulas_with_the_same_equations() {
    let block = read(problems::CONTROLLED);
    let (head, rest) = problems::CONTROLLED.split_once("type = \"block\"").unwrap();
    let tail = rest.split_once("[analysis]").unwrap().1;
    let formula = read(&format!("{head}{}[analysis]{tail}", problems::CONTROLLED_FORMULA));
    same(&block, &formula, &SOME, 0.01, 6, 1e-12);
}

#[test]
fn a_kernel_law_equals_formulas_with_the_same_equations() {
    let law = read(problems::HYSTERETIC);
    let formula = "{ type = \"formula\", name = \"one\", nodes = [\"ground\", \"a\"], dof = \"x\", force = \"20*u + z\", \
                   states = { z = \"400*v - 12*abs(v)*z - 8*v*abs(z)\" } },\n";
    let line = problems::HYSTERETIC.lines().find(|l| l.contains("name = \"one\"")).unwrap();
    let written = read(&problems::HYSTERETIC.replace(line, formula));
    same(&law, &written, &["lsrt2", "newmark", "caam", "trapezoidal"], 0.01, 8, 1e-10);
}

#[test]
fn a_mass_may_be_written_in_parts() {
    let whole = two("rayleigh = { ratio = 0.02 }");
    let text = r#"
title = "two"
dofs = ["x"]
node = [{ name = "a", mass = 1, initial_velocity = 1 }, { name = "b", initial = 0.2 }]
element = [
    { type = "spring", name = "k1", nodes = ["ground", "a"], dof = "x", k = 100 },
    { type = "spring", name = "k2", nodes = ["a", "b"], dof = "x", k = 30 },
    { type = "spring", name = "k3", nodes = ["b", "a"], dof = "x", k = 40 },
    { type = "mass", name = "m1", node = "a", m = 2 },
    { type = "mass", name = "m2", node = "b", m = 0.5 },
    { type = "matrix", name = "m3", dofs = ["b.x"], M = [[1.5]] },
]
[damping]
rayleigh = { ratio = 0.02 }
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 1
"#;
    same(&whole, &read(text), &SOME, 0.01, 4, 1e-11);
}

#[test]
fn a_rotation_swings_with_its_own_inertia() {
    let text = r#"
title = "torsion"
dofs = ["rz"]
node = [{ name = "disc", mass = { rz = 2 }, initial = { rz = 0.1 } }]
element = [{ type = "spring", name = "shaft", nodes = ["ground", "disc"], dof = "rz", k = 50 }]
[analysis]
scheme = "rosenbrock3"
dt = 0.001
duration = 1
"#;
    let y = states(&mut simulation(read(text)), &[1000]).remove(0);
    assert!(distance(&y, &[0.1 * 5f64.cos(), -0.5 * 5f64.sin()]) < 1e-8, "{y:?}");
}

#[test]
fn an_inclined_spring_acts_along_its_line() {
    let text = |element: &str| {
        format!(
            r#"
title = "inclined"
dofs = ["x", "y"]
node = [
    {{ name = "anchor", at = [3, 4], fixed = true }},
    {{ name = "p", at = [0, 0], mass = 2, initial = {{ x = 0.1 }}, initial_velocity = {{ y = 0.3 }} }},
]
element = [{element}]
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 1
"#
        )
    };
    let spring = "{ type = \"spring\", name = \"s\", nodes = [\"p\", \"anchor\"], k = 100, c = 2 }";
    let matrix = "{ type = \"matrix\", name = \"s\", dofs = [\"p.x\", \"p.y\"], K = [[36.0, 48.0], [48.0, 64.0]], \
                  C = [[0.72, 0.96], [0.96, 1.28]] }";
    same(&read(&text(spring)), &read(&text(matrix)), &SOME, 0.01, 4, 1e-12);
}

/// Portal frame with masses on the translations only.
const MASSLESS: &str = r#"
title = "portal with lumped masses"
dofs = ["x", "y", "rz"]
node = [
    { name = "a0", at = [0, 0], fixed = true }, { name = "b0", at = [5, 0], fixed = true },
    { name = "a1", at = [0, 3], mass = 4000, initial_velocity = { x = 0.5 } },
    { name = "b1", at = [5, 3], mass = 3000 },
]
element = [
    { type = "beam2d", name = "c1", nodes = ["a0", "a1"], E = 3e10, A = 0.09, I = 6.75e-4 },
    { type = "beam2d", name = "c2", nodes = ["b0", "b1"], E = 3e10, A = 0.09, I = 6.75e-4 },
    { type = "beam2d", name = "g1", nodes = ["a1", "b1"], E = 3e10, A = 0.12, I = 1.6e-3 },
]
[analysis]
scheme = "newmark"
dt = 0.002
duration = 1
"#;

#[test]
fn massless_degrees_of_freedom_follow_as_if_condensed() {
    let full = read(MASSLESS);
    let sim = simulation(full.clone());
    let (pattern, _, stiffness) = sim.coupling.system(0).matrices(&[]);
    let k = |i: usize, j: usize| pattern.position(i, j).map_or(0.0, |p| stiffness[p]);
    // Unknowns x y rz of both nodes; the rotations are eliminated: Ktt - Ktr Krr^-1 Krt.
    let (t, r) = ([0, 1, 3, 4], [2, 5]);
    let krr: Vec<f64> = r.iter().flat_map(|&i| r.iter().map(move |&j| k(i, j))).collect();
    let rows: Vec<Vec<f64>> = t
        .iter()
        .map(|&i| {
            t.iter()
                .map(|&j| {
                    let x = solve(&krr, &[k(r[0], j), k(r[1], j)]);
                    k(i, j) - k(i, r[0]) * x[0] - k(i, r[1]) * x[1]
                })
                .collect()
        })
        .collect();
    let text = format!(
        r#"
title = "condensed"
dofs = ["x", "y"]
node = [{{ name = "a1", mass = 4000, initial_velocity = {{ x = 0.5 }} }}, {{ name = "b1", mass = 3000 }}]
element = [{{ type = "matrix", name = "k", dofs = ["a1.x", "a1.y", "b1.x", "b1.y"], K = {rows:?} }}]
[analysis]
scheme = "newmark"
dt = 0.002
duration = 1
"#
    );
    let condensed = read(&text);
    for name in ["lsrt1", "lsrt2", "rosenbrock3", "newmark", "caam", "hht", "generalized-alpha", "trapezoidal"] {
        let pick = |y: &Vec<f64>| t.iter().map(|&i| y[i]).collect::<Vec<f64>>();
        let a: Vec<Vec<f64>> = history(&full, scheme(name, &[]), 0.002, 250).iter().map(pick).collect();
        let b = history(&condensed, scheme(name, &[]), 0.002, 250);
        let d = difference(&a, &b, 4);
        assert!(d < 1e-6, "{name}: {d:e}");
    }
}

#[test]
fn schemes_that_are_explicit_in_the_forces_refuse_massless_degrees_of_freedom() {
    for (name, parameters) in [("chang", &[][..]), ("newmark", &[("beta", "0")])] {
        let mut model = read(MASSLESS);
        model.analysis.scheme = scheme(name, parameters);
        let problems = Simulation::new(model).err().unwrap();
        assert!(problems.iter().any(|p| p.fatal && p.message.contains(".rz`")), "{name}: {problems:?}");
    }
}
