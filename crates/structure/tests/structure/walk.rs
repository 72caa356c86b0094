//! Elements along a path: their tangents there, and the model with these.

use interfield_structure::Simulation;
use interfield_structure::linearised::linearised_at;
use interfield_structure::specimen::path::tangents_along;
use interfield_structure::walk::{Walk, bends};

use crate::balance::model as parse_text;

const STEP: f64 = 1e-3;

fn text(more: &str) -> String {
    format!(
        r#"
title = "A mass between a spring and a law that yields"
node = [{{ name = "a", dofs = ["x"], mass = 2 }}, {{ name = "b", dofs = ["x"], mass = 1 }}]
element = [
  {{ type = "spring", name = "first", nodes = ["a", "b"], dof = "x", k = 300, c = 0.5 }},
  {{ type = "bouc-wen", name = "law", nodes = ["ground", "b"], dof = "x", k = 200, k2 = 10, beta = 50, gamma = 30 }},
]
load = [{{ type = "ground", direction = "x", signal = {{ type = "harmonic", amplitude = 1, frequency = 1.7 }} }}]
analysis = {{ scheme = "newmark", tangent = "initial", dt = 0.001, duration = 2 }}
record = {{ channels = ["b.x"] }}
{more}
"#
    )
}

fn path() -> Vec<f64> {
    (1..2000).map(|k| 0.05 * (f64::from(k) * 4e-3).sin()).collect()
}

/// What one element that is moved along a path says is what its specimen says.
#[test]
fn tangents_are_those_along_the_path_of_a_specimen() {
    let model = parse_text(&text("[[specimen]]\nname = \"rig\"\nelements = [\"law\"]\n"));
    let right = tangents_along(&model, 0, &path(), STEP).expect("tangents");
    assert!(!bends(&model, 0) && bends(&model, 1));
    let mut walk = Walk::new(&model, &[1], true).expect("an element").expect("one");
    let stiffness = |walk: &Walk| {
        let found: Vec<f64> = walk.tangents().map(|s| s.blocks[0] + s.blocks[2] * s.blocks[4]).collect();
        assert!(found.len() == 1 && walk.tangents().all(|s| s.element == 1 && s.size == [1, 1] && s.remembers));
        found[0]
    };
    let mut seen = vec![stiffness(&walk)];
    for x in path() {
        walk.advance(|_| x, STEP).expect("a law that moves");
        seen.push(stiffness(&walk));
    }
    assert_eq!(seen[0], right.rest[0]);
    for (end, k) in right.at.into_iter().enumerate() {
        // A step begins here with its own rate, there with that of the step before.
        let off = (seen[k] - right.stiffness[end]).abs();
        assert!(off < 1e-7 * right.rest[0], "{end}: {} {}", seen[k], right.stiffness[end]);
    }
    assert!(right.stiffness[0] < 0.3 * right.rest[0], "{:?}", right.stiffness);
}

/// The model of a moment moves with the stiffness of that moment, and a scheme that keeps its operators has those of the start.
#[test]
fn the_model_of_a_moment_has_its_tangents_and_schemes_keep_those_of_the_start() {
    let model = parse_text(&text(""));
    let mut walk = Walk::new(&model, &[1], false).expect("an element").expect("one");
    path().iter().take(300).for_each(|x| walk.advance(|_| *x, STEP).expect("a law that moves"));
    let blocks = walk.tangents().next().expect("its tangents").blocks.to_vec();
    let yielded = blocks[0] + blocks[2] * blocks[4];
    assert!(yielded < 60.0, "{blocks:?}");
    let moment = |tangent: &str| {
        let mut model = model.clone();
        model.analysis.tangent = interfield_language::model::TangentPolicy::Initial;
        if tangent == "exact" {
            model.analysis.tangent = interfield_language::model::TangentPolicy::Exact;
        }
        linearised_at(&model, |e| (e == 1).then_some(&blocks[..])).expect("a law that is replaced")
    };
    for (tangent, expected) in [("initial", 300.0 + 210.0), ("exact", 300.0 + yielded)] {
        let sim = Simulation::new(moment(tangent)).unwrap_or_else(|p| panic!("{}", p[0].message));
        let (pattern, _, stiffness) = sim.matrices(0);
        let found = stiffness[pattern.position(1, 1).expect("a diagonal")];
        assert!((found - expected).abs() < 1e-9, "{tangent}: {found} {expected}");
    }
    // Free motion of the moment is that of a spring with its stiffness, whatever the operators are taken for.
    let spring = text("").replace(
        "type = \"bouc-wen\", name = \"law\", nodes = [\"ground\", \"b\"], dof = \"x\", k = 200, k2 = 10, beta = 50, gamma = 30",
        &format!("type = \"spring\", name = \"law\", nodes = [\"ground\", \"b\"], dof = \"x\", k = {yielded:?}"),
    );
    let runs = [moment("exact"), moment("initial"), parse_text(&spring)].map(|model| {
        let mut sim = Simulation::new(model).unwrap_or_else(|p| panic!("{}", p[0].message));
        (0..1000).for_each(|k| sim.step(k).unwrap_or_else(|f| panic!("{}", sim.explain(f))));
        sim.displacement(1).expect("an unknown")
    });
    let size = runs[2].abs();
    assert!((runs[0] - runs[2]).abs() < 1e-6 * size && (runs[1] - runs[2]).abs() < 1e-2 * size, "{runs:?}");
}
