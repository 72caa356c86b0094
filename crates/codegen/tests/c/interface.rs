//! What the header promises: parameters, snapshots, faults, and what is refused.

use std::process::Command;

use interfield_codegen::{Origin, export};
use interfield_language::parse::Overrides;

use crate::bench::{STRICT, compare, difference, folder, library, model, rows, shipped, write};

const TOWER: &str = r#"
title = "Tower"
dofs = ["x"]
node = [{ name = "floor", mass = 2 }, { name = "roof", mass = 1.5 }]
element = [
    { type = "bouc-wen", name = "columns", nodes = ["ground", "floor"], dof = "x", k = 800, beta = 40, gamma = 30, k2 = K },
    { type = "spring", name = "storey", nodes = ["floor", "roof"], dof = "x", k = 900, c = 1 },
]
[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = PEAK }
[analysis]
scheme = "lsrt2"
dt = "5 ms"
duration = "2 s"
tangent = "TANGENT"
[record]
channels = ["roof.x", "roof.x.abs", "columns.force", "columns.z"]
"#;

fn tower(k2: f64, peak: f64, tangent: &str) -> String {
    TOWER.replace("= K }", &format!("= {k2} }}")).replace("PEAK", &peak.to_string()).replace("TANGENT", tangent)
}

/// Compiles an export with a driver of its own; rows of numbers.
fn drive(name: &str, text: &str, driver: &str) -> Vec<Vec<f64>> {
    let at = folder(name);
    write(&export(&model(text, &Overrides::default()), "tower", &Origin::default()).unwrap(), &at);
    std::fs::write(at.join("driver.c"), driver).unwrap();
    let program = at.join("driver");
    let mut cc = Command::new("cc");
    cc.current_dir(&at).args(STRICT).args(["-O2", "-o"]).arg(&program).args(["driver.c", "tower.c", "-lm"]);
    let out = cc.output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    rows(&program)
}

const HEAD: &str = r#"
#include <stdio.h>
#include "tower.h"
static void row(const tower_t *m)
{
    printf("0");
    for (int i = 0; i < TOWER_OUTPUTS; i++) {
        printf(",%.17g", m->outputs[i]);
    }
    printf("\n");
}
"#;

/// A tower with other columns, (parameter, value) each, in the model file and in the driver of its export: the same motion.
fn set_in_c(name: &str, tangent: &str, columns: &str, changes: &[(&str, f64, f64)]) {
    let law = "type = \"bouc-wen\", name = \"columns\", nodes = [\"ground\", \"floor\"], dof = \"x\", k = 800, beta = 40, gamma = 30, k2 = K";
    let with = |value: fn(&(&str, f64, f64)) -> f64, peak: f64| {
        let numbers: String = changes.iter().map(|c| format!(", {} = {}", c.0, value(c))).collect();
        let named = format!("{columns}{numbers}, name = \"columns\", nodes = [\"ground\", \"floor\"], dof = \"x\"");
        // The state has another name, or none, in other laws.
        TOWER
            .replace(law, &named)
            .replace(", \"columns.z\"", "")
            .replace("PEAK", &peak.to_string())
            .replace("TANGENT", tangent)
    };
    let (before, after) = (with(|c| c.1, 2.0), with(|c| c.2, 3.0));
    let sets = changes.iter().map(|(parameter, _, value)| {
        format!("    m.parameters[TOWER_PARAMETER_COLUMNS_{}] = {value:?};\n", parameter.to_uppercase())
    });
    let sets: String = sets.collect();
    let driver = format!(
        r#"{HEAD}
int main(void)
{{
    static tower_t m;
    printf("head\n");
    tower_init(&m);
{sets}    m.parameters[TOWER_PARAMETER_QUAKE_SCALE] = 1.5;
    tower_motion(&m, -1);
    tower_start(&m);
    row(&m);
    while (m.step < TOWER_STEPS) {{
        tower_motion(&m, m.wanted);
        if (tower_step(&m)) {{
            return 1;
        }}
        row(&m);
    }}
    return 0;
}}
"#
    );
    let found = drive(name, &before, &driver);
    let d = difference(&library(model(&after, &Overrides::default())), &found);
    assert!(d < 1e-12, "{name}: {d:e}");
    let other = library(model(&before, &Overrides::default()));
    assert!(difference(&other, &found) > 0.1, "{name}: the parameters must matter");
}

#[test]
fn a_parameter_does_what_it_does_in_the_model_file() {
    let yielding = [("k", 800.0, 500.0), ("beta", 40.0, 25.0), ("gamma", 30.0, 10.0)];
    set_in_c("parameter", "exact", "type = \"bouc-wen\", n = 1", &[&yielding[..], &[("k2", 20.0, 60.0)]].concat());
    // The exponent of a power that is not written out; the exact tangent has another one, which does not follow.
    set_in_c(
        "parameter-n",
        "initial",
        "type = \"bouc-wen\", k = 800, gamma = 3",
        &[("beta", 4.0, 6.0), ("n", 1.5, 1.25)],
    );
    // A strength that the first numbers do not bound.
    set_in_c("parameter-bound", "exact", "type = \"bouc-wen\", k = 800, gamma = -20", &[("beta", 10.0, 60.0)]);
    // The tangent of a law that evaluations move stays the one of the export, and with it `k`.
    set_in_c("parameter-path", "exact", "type = \"bouc-wen\", memory = \"path\", k = 800", &yielding[1..]);
    set_in_c("parameter-modified", "exact", "type = \"modified-bouc-wen\", alpha = 3", &yielding);
    let degrading = "type = \"degrading-bouc-wen\", k = 800, xy = 0.01, dk = 0.1, ds = 0.05, n = 2";
    set_in_c("parameter-degrading", "exact", degrading, &[("n1", 1.0, 0.6), ("n2", 1.0, 0.5)]);
}

#[test]
fn a_copy_is_a_snapshot_and_a_fault_leaves_the_state() {
    let driver = format!(
        r#"{HEAD}
#include <math.h>
int main(void)
{{
    static tower_t m, copy;
    printf("head\n");
    tower_init(&m);
    for (int k = 0; k < 60; k++) {{
        tower_motion(&m, m.wanted);
        tower_step(&m);
    }}
    copy = m;
    for (int k = 0; k < 40; k++) {{
        tower_motion(&m, m.wanted);
        tower_step(&m);
    }}
    row(&m);
    tower_motion(&copy, copy.wanted);
    copy.inputs[0] = NAN;
    if (tower_step(&copy) != TOWER_FAULT_FORCE || copy.fault_index != 0 || copy.step != 60) {{
        return 1;
    }}
    for (int k = 0; k < 40; k++) {{
        tower_motion(&copy, copy.wanted);
        tower_step(&copy);
    }}
    row(&copy);
    return 0;
}}
"#
    );
    let found = drive("snapshot", &tower(20.0, 2.0, "exact"), &driver);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0], found[1]);
    let expected = library(model(&tower(20.0, 2.0, "exact"), &Overrides::default()));
    assert_eq!(found[0], expected[100]);
}

#[test]
fn the_header_states_the_size_of_an_instance() {
    let text = tower(20.0, 2.0, "exact");
    let bytes = export(&model(&text, &Overrides::default()), "tower", &Origin::default()).unwrap().interface.bytes();
    let driver = r#"
#include <stdio.h>
#include "tower.h"
int main(void)
{
    printf("head\n0,%lu\n", (unsigned long)sizeof(tower_t));
    return 0;
}
"#;
    assert_eq!(drive("size", &text, driver), vec![vec![bytes as f64]]);
}

#[test]
fn what_cannot_be_exported_is_refused_with_the_reason() {
    let reason = |text: &str, overrides: &Overrides| {
        let problems = export(&model(text, overrides), "m", &Origin::default()).expect_err("it cannot be exported");
        problems.iter().map(|p| format!("{} / {}", p.message, p.help)).collect::<Vec<_>>().join("\n")
    };
    let iterating = Overrides { scheme: Some("caam".to_owned()), ..Overrides::default() };
    assert!(reason(&shipped("forced-split-mass.toml"), &iterating).contains("iterates"));
}

#[test]
fn a_model_without_loads_needs_no_inputs() {
    let text = r#"
node = [{ name = "m", dofs = ["x"], mass = 2, initial = { x = 0.5 } }]
element = [{ type = "spring", nodes = ["ground", "m"], dof = "x", k = 50, c = 0.1 }]
analysis = { scheme = "newmark", dt = 0.01, duration = 1 }
record = { channels = ["m.x", "m.x.a"] }
"#;
    assert!(compare("free", text, &Overrides::default(), &["-O2"]) == 0.0);
}
