//! Every model of the repository that is integrated in one piece.

use interfield_model::parse::Overrides;

use crate::bench::{LEVELS, compare, shipped};

#[test]
fn tower() {
    let text = r#"
title = "t"
dofs = ["x"]
[[node]]
name = "floor"
mass = 20
[[node]]
name = "roof"
mass = 15
[[element]]
type = "spring"
name = "columns"
nodes = ["ground", "floor"]
dof = "x"
k = 800
[[element]]
type = "spring"
name = "storey"
nodes = ["floor", "roof"]
dof = "x"
k = 1200
[damping]
rayleigh = { ratio = "3 %" }
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = "0.3 g" }
[analysis]
scheme = "newmark"
dt = "5 ms"
duration = "20 s"
[record]
channels = ["roof.x", "roof.x.v", "roof.x.a", "roof.x.abs", "columns.force", "quake"]
"#;
    let d = compare("tower", text, &Overrides::default(), LEVELS);
    assert!(d == 0.0, "{d:e}");
}

fn shipped_model(name: &str) -> f64 {
    let d = compare(&name.replace(".toml", ""), &shipped(name), &Overrides::default(), LEVELS);
    println!("{name}: {d:e}");
    d
}

#[test]
fn duffing() {
    assert!(shipped_model("duffing-chain.toml") < 1e-12);
}
#[test]
fn frame() {
    assert!(shipped_model("frame.toml") < 1e-12);
}
#[test]
fn piers() {
    assert!(shipped_model("piers.toml") < 1e-12);
}
#[test]
fn pendulum() {
    assert!(shipped_model("shear-pendulum.toml") < 1e-12);
}
#[test]
fn pendulum_bw() {
    assert!(shipped_model("shear-pendulum-bouc-wen.toml") < 1e-12);
}
#[test]
fn pendulum_quake() {
    assert!(shipped_model("shear-pendulum-quake.toml") < 1e-12);
}
#[test]
fn spring_pendulum() {
    assert!(shipped_model("spring-pendulum.toml") < 1e-12);
}
#[test]
fn three_dof() {
    assert!(shipped_model("three-dof.toml") < 1e-12);
}
#[test]
fn viaduct() {
    assert!(shipped_model("viaduct.toml") < 1e-12);
}
