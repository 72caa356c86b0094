//! A number that is not finite, a singular matrix or a failed iteration is reported, and the state stays as it was.

use interfield_kernel::Fault;
use interfield_kernel::fault::Place;
use interfield_language::model::TangentPolicy;
use interfield_structure::Simulation;
use interfield_testkit::problems;
use interfield_testkit::run::{advance, read, start, with_tangent};
use interfield_testkit::variants::{scheme, variants};

fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| x.to_bits()).collect()
}

/// The fault of step `k`, after checking that the state is the one before.
fn fault(sim: &mut Simulation, k: u64) -> Option<Fault> {
    let before = bits(sim.coupling.state());
    let fault = sim.step(k).err()?;
    assert_eq!(bits(sim.coupling.state()), before, "the state has changed");
    Some(fault)
}

#[test]
fn not_a_number_in_gives_a_fault_out() {
    let mut wrong = String::new();
    for (name, text) in problems::all() {
        for tangent in [TangentPolicy::Exact, TangentPolicy::Initial] {
            let model = with_tangent(&read(&text), tangent);
            for v in variants() {
                let mut sim = start(&model, v.scheme, 1e-4);
                advance(&mut sim, 0, 3);
                let saved = sim.coupling.state().to_vec();
                for i in 0..saved.len() {
                    for bad in [f64::NAN, f64::INFINITY] {
                        sim.coupling.state_mut().copy_from_slice(&saved);
                        sim.coupling.state_mut()[i] = bad;
                        let fault = fault(&mut sim, 3);
                        if !matches!(fault, Some(Fault::NonFinite { .. })) {
                            wrong += &format!("{name}, {tangent:?}, {}, {bad} at {i}: {fault:?}\n", v.label);
                        }
                    }
                }
                // What has been broken can go on after repair.
                sim.coupling.state_mut().copy_from_slice(&saved);
                advance(&mut sim, 3, 5);
            }
        }
    }
    let count = wrong.lines().count();
    let some: Vec<&str> = wrong.lines().step_by((count / 60).max(1)).collect();
    assert!(wrong.is_empty(), "{count} cases:\n{}", some.join("\n"));
}

/// An element that has no finite force after t = 0.5.
const BREAKING: &str = r#"
title = "breaking"
dofs = ["x"]
node = [{ name = "a", mass = 1, initial = 0.1 }, { name = "b", mass = 1 }]
element = [
    { type = "cubic", name = "sound", nodes = ["ground", "a"], dof = "x", k = 10, k3 = 1 },
    { type = "formula", name = "broken", nodes = ["a", "b"], dof = "x", force = "5*u + 1e-9*sqrt(0.5 - t)" },
]
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 1
"#;

/// An element whose state has no finite rate after t = 0.5.
const RUNAWAY: &str = r#"
title = "runaway"
dofs = ["x"]
node = [{ name = "a", mass = 1, initial = 0.1 }]
[[element]]
type = "formula"
name = "memory"
nodes = ["ground", "a"]
dof = "x"
force = "5*u + z"
states = { z = "u + 1e-9*log(0.5 - t)" }
[analysis]
scheme = "lsrt2"
dt = 0.01
duration = 1
"#;

#[test]
fn a_formula_that_breaks_is_named() {
    for (text, place, words) in [
        (BREAKING, Place::ElementForce, "the force of element `broken` is not a finite number"),
        (RUNAWAY, Place::ElementRate, "a state rate of element `memory` is not a finite number"),
    ] {
        for tangent in [TangentPolicy::Exact, TangentPolicy::Initial] {
            let model = with_tangent(&read(text), tangent);
            for v in variants() {
                let mut sim = start(&model, v.scheme, 0.01);
                let found = (0..60).find_map(|k| Some((k, fault(&mut sim, k)?)));
                let (k, found) = found.unwrap_or_else(|| panic!("{}, {tangent:?}: no fault", v.label));
                assert!((48..=51).contains(&k), "{}: step {k}", v.label);
                let Fault::NonFinite { place: found_place, .. } = found else {
                    panic!("{}, {tangent:?}: {found:?}", v.label)
                };
                assert_eq!(found_place, place, "{}, {tangent:?}", v.label);
                assert_eq!(sim.explain(found), words, "{}", v.label);
            }
        }
    }
}

/// A tangent stiffness of -256 N/m beyond 0.1 m: with 1 kg and 1/8 s the matrix M + h²/4 K vanishes exactly.
const SOFTENING: &str = r#"
title = "softening"
dofs = ["x"]
node = [{ name = "a", mass = 1, initial_velocity = 1 }]
[[element]]
type = "formula"
name = "soft"
nodes = ["ground", "a"]
dof = "x"
force = "if(u < 0.1, 0, -256*(u - 0.1))"
[analysis]
scheme = "newmark"
dt = 0.125
duration = 1
"#;

#[test]
fn a_singular_matrix_is_a_fault_of_its_degree_of_freedom() {
    let model = read(SOFTENING);
    for name in ["newmark", "newmark-newton", "caam", "trapezoidal"] {
        let mut sim = start(&model, scheme(name, &[]), 0.125);
        let found = (0..3).find_map(|k| fault(&mut sim, k));
        assert_eq!(found, Some(Fault::Singular { dof: 0 }), "{name}");
        assert!(sim.explain(found.unwrap()).contains("`a.x`"));
    }
}

#[test]
fn newton_that_may_not_iterate_does_not_converge() {
    let model = read(problems::FORCED);
    for name in ["newmark-newton", "caam", "generalized-alpha-newton"] {
        let mut sim = start(&model, scheme(name, &[("max_iterations", "1")]), 0.01);
        let found = fault(&mut sim, 0);
        assert!(matches!(found, Some(Fault::NoConvergence { iterations: 1, .. })), "{name}: {found:?}");
        assert!(sim.explain(found.unwrap()).contains("did not converge in 1 iterations"));
    }
}

#[test]
fn newton_needs_few_iterations() {
    let model = read(problems::FORCED);
    for name in ["newmark-newton", "caam", "generalized-alpha-newton"] {
        let mut sim = start(&model, scheme(name, &[("max_iterations", "6")]), 0.02);
        advance(&mut sim, 0, 100);
    }
}
