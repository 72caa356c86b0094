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

const HYSTERETIC: &str = "type = \"bouc-wen\"\nk = 900\nk2 = 90\nbeta = 20\ngamma = 10";

/// Every coupling with its options, and schemes it works with.
const COUPLINGS: &[(&str, &str, &str)] = &[
    ("gc", "method = \"gc\"", "\"newmark\""),
    ("gc_lsrt2", "method = \"gc\"", "\"lsrt2\""),
    ("pm", "method = \"pm\"", "\"newmark\""),
    ("modified_ph", "method = \"modified-ph\"\nkappa = 0.2", "\"newmark\""),
    ("ph", "method = \"ph\"", "\"newmark\""),
    ("foh", "method = \"foh\"\nkappa = 0.1", "\"alpha-os\""),
    ("foh_mixed", "method = \"foh\"\nchi = 0.3\nguess = \"constant\"", "\"lsrt2\""),
    ("pmc", "method = \"pmc\"", "\"alpha-os\""),
    ("pmc_tied", "method = \"pmc\"\nmix = 0.01\nkappa = 0.1", "\"alpha-os\""),
    ("pmc2", "method = \"pmc2\"\nkappa = 0.1", "\"alpha-os\""),
    ("pmc_lsrt2", "method = \"pmc\"", "\"lsrt2\""),
    ("plsrt2", "method = \"plsrt2\"", "\"lsrt2\""),
    ("staggered", "method = \"staggered\"", "\"lsrt2\""),
    ("staggered_1", "method = \"staggered\"", "\"lsrt1\""),
    ("midpoint", "method = \"midpoint\"", "\"lsrt2\""),
    ("clm", "method = \"clm\"", "\"trapezoidal\""),
    ("clm_alpha", "method = \"clm\"", "{ name = \"state-space-alpha\", rho_inf = 0.8 }"),
    ("llm", "method = \"llm\"", "\"trapezoidal\""),
    ("llm_alpha", "method = \"llm\"", "{ name = \"state-space-alpha\", rho_inf = 0.8 }"),
];

#[test]
fn every_coupling_is_that_of_the_library() {
    let mut wrong = Vec::new();
    for (name, method, scheme) in COUPLINGS {
        for (what, law) in [("linear", LINEAR), ("hysteretic", HYSTERETIC)] {
            for substeps in [1, 5] {
                if substeps > 1 && name.starts_with("llm") {
                    continue;
                }
                let text = tower(method, scheme, substeps, law);
                let name = format!("{name}_{what}_{substeps}");
                let d = std::panic::catch_unwind(|| compare(&name, &text, &["-O2"])).unwrap_or(f64::NAN);
                println!("{name}: {d:e}");
                if !(d < 1e-12) {
                    wrong.push((name, d));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:?} {}", LEVELS.len());
}

#[test]
fn the_models_that_are_cut() {
    let mut wrong = Vec::new();
    for name in ["split-mass", "three-dof", "trento-rig", "two-springs", "rio-torto-as-built", "rio-torto-isolated", "rio-torto-llm"] {
        let d = std::panic::catch_unwind(|| compare(name, &shipped(&format!("{name}.toml")), &["-O2"])).unwrap_or(f64::NAN);
        println!("{name}: {d:e}");
        if !(d < 1e-12) {
            wrong.push((name, d));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
