//! Models, exports, the library's rows, and compilers.

use std::path::Path;
use std::process::Command;

use interfield_codegen::{Export, export};
use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;

/// Two storeys on an isolator with hysteresis, under a short record.
pub(crate) const ISOLATED: &str = r#"
title = "Isolated <frame> & \"floor\""
units = { length = "mm", force = "kN" }
node = [{ name = "base", dofs = ["x"], mass = "20 t", initial = 2 }, { name = "roof", dofs = ["x"], mass = "15 t" }]
element = [
  { type = "mostaghel", name = "iso", nodes = ["ground", "base"], dof = "x", k = "4 kN/mm", a = 0.1, delta = "3 mm" },
  { type = "spring", name = "storey", nodes = ["base", "roof"], dof = "x", k = "20 kN/mm", c = "30 kN*s/m" },
]
load = [{ name = "quake", type = "ground", direction = "x", signal = { type = "harmonic", amplitude = "3 m/s^2", frequency = "1.3 Hz" } }]
analysis = { scheme = "alpha-os", dt = 0.01, duration = 4 }
record = { channels = ["base.x", "roof.x.v", "roof.x.abs", "iso.force"] }
"#;

pub(crate) fn model(text: &str) -> Model {
    let (source, diags) = (Source::new("test.toml", text.to_owned()), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let found = parse(&source, &Overrides::default(), &files, &diags);
    found.unwrap_or_else(|| panic!("{}", diags.render(&source, false))).0
}

/// An export, and the library's row at every step.
pub(crate) fn both(text: &str, name: &str) -> (Export, Vec<Vec<f64>>) {
    let model = model(text);
    let export = export(&model, name, &interfield_codegen::Origin::default()).unwrap_or_else(|p| panic!("{p:?}"));
    let mut simulation = Simulation::new(model).unwrap();
    let mut row = vec![0.0; simulation.channels().len()];
    let mut rows = Vec::new();
    for k in 0..=simulation.steps() {
        simulation.sample(k, &mut row).unwrap();
        rows.push(row.clone());
        if k < simulation.steps() {
            simulation.step(k).unwrap();
        }
    }
    (export, rows)
}

pub(crate) fn write(files: &[(String, String)], to: &Path) {
    for (name, text) in files {
        let path = to.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Runs a compiler that must not have a word to say.
pub(crate) fn compile(compiler: &str, at: &Path, arguments: &[&str]) {
    let mut command = Command::new(compiler);
    command.current_dir(at).args([
        "-O2",
        "-Wall",
        "-Wextra",
        "-Wconversion",
        "-Wshadow",
        "-pedantic",
        "-Werror",
        "-ffp-contract=off",
    ]);
    let out = command.args(arguments).output();
    let out = out.unwrap_or_else(|e| panic!("these tests need `{compiler}` (apt-get install gcc g++): {e}"));
    assert!(out.status.success(), "{arguments:?}:\n{}", String::from_utf8_lossy(&out.stderr));
}

/// What a program prints: rows of numbers.
pub(crate) fn printed(program: &Path) -> Vec<Vec<f64>> {
    let out = Command::new(program).output().unwrap();
    assert!(out.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().map(|l| l.split(' ').map(|x| x.parse().unwrap()).collect()).collect()
}

/// Largest difference of a channel relative to its largest value.
pub(crate) fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    assert_eq!(a.len(), b.len(), "numbers of rows");
    let of = |c: usize| {
        let size = b.iter().fold(0.0_f64, |m, row| m.max(row[c].abs()));
        let apart = a.iter().zip(b).map(|(x, y)| (x[c] - y[c]).abs());
        apart.fold(0.0, |m: f64, d| if d.is_nan() { f64::INFINITY } else { m.max(d) }) / size
    };
    (0..b[0].len()).map(of).fold(0.0, f64::max)
}

/// Generated C and the library differ by the last bits of powers only.
pub(crate) const SAME: f64 = 1e-12;
