//! Every coupling, against the library's partitioned run.

use std::fmt::Write;

use interfield_codegen::export;
use interfield_model::Partitioned;
use interfield_model::parse::Overrides;

use crate::bench::{LEVELS, compile, difference, folder, model, rows, shipped, write};

/// All rows of the library, by the coupling of the model.
fn library(model: interfield_model::Model) -> Vec<Vec<f64>> {
    let mut parts = Partitioned::new(model).unwrap();
    let mut row = vec![0.0; parts.model.channels.len()];
    let mut out = Vec::new();
    for k in 0..=parts.steps() {
        parts.sample(k, &mut row).unwrap();
        out.push(row.clone());
        if k < parts.steps() {
            parts.step(k).unwrap();
        }
    }
    out
}

/// Largest difference between the library and the compiled export, over all levels.
fn compare(name: &str, text: &str, levels: &[&str]) -> f64 {
    let model = model(text, &Overrides::default());
    let export = export(&model, name).unwrap_or_else(|p| panic!("{name}: {p:?}"));
    let at = folder(name);
    write(&export, &at);
    let expected = library(model);
    let name = &export.interface.name;
    levels.iter().map(|level| difference(&expected, &rows(&compile(name, &at, level)))).fold(0.0, f64::max)
}

/// A tower on an isolator, cut between them.
fn tower(method: &str, scheme: &str, substeps: u32, law: &str) -> String {
    let mut out = String::new();
    let _ = write!(
        out,
        r#"
title = "tower"
dofs = ["x"]
[[node]]
name = "base"
mass = 30
[[node]]
name = "roof"
mass = 15
[[element]]
{law}
name = "isolator"
nodes = ["ground", "base"]
dof = "x"
[[element]]
type = "spring"
name = "storey"
nodes = ["base", "roof"]
dof = "x"
k = 6000
c = 12
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = {{ type = "synthetic", peak = "0.3 g" }}
[[substructure]]
name = "tower"
elements = ["storey"]
interface_mass = 0.6
[[substructure]]
name = "bearing"
elements = ["isolator"]
substeps = {substeps}
[coupling]
{method}
[analysis]
scheme = {scheme}
tangent = "initial"
dt = "5 ms"
duration = "3 s"
[record]
channels = ["roof.x", "roof.x.v", "roof.x.a", "base.x", "base.x.abs", "isolator.force", "quake", "base.x.lambda", "base.x.gap"]
"#
    );
    out
}

const LINEAR: &str = "type = \"spring\"\nk = 900\nc = 20";

#[test]
fn gc() {
    let d = compare("gc_linear", &tower("method = \"gc\"", "\"newmark\"", 5, LINEAR), LEVELS);
    assert!(d == 0.0, "{d:e}");
    let _ = shipped("two-springs.toml");
}
