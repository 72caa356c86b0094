//! Exporting, compiling, running and comparing.

use std::path::{Path, PathBuf};
use std::process::Command;

use interfield_codegen::{Export, export};
use interfield_language::Model;
use interfield_language::diag::{Diagnostics, Source};
use interfield_language::model::{EnergyPart, Quantity};
use interfield_language::parse::{Overrides, parse};
use interfield_structure::Simulation;

/// What every compiler must accept without a word.
pub(crate) const STRICT: &[&str] =
    &["-std=c99", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-pedantic", "-Werror", "-ffp-contract=off"];

/// The optimisations of the acceptance.
pub(crate) const LEVELS: &[&str] = &["-O0", "-O2", "-O3"];

pub(crate) fn model(text: &str, overrides: &Overrides) -> Model {
    let (source, diags) = (Source::new("test.toml", text.to_owned()), Diagnostics::new());
    let files = |path: &str| -> Result<Vec<u8>, String> { Err(format!("no file {path}")) };
    let found = parse(&source, overrides, &files, &diags);
    assert!(!diags.has_errors(), "{}", diags.render(&source, false));
    found.expect("a model without errors").0
}

/// The text of a model of the repository.
pub(crate) fn shipped(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A folder of this test run.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

pub(crate) fn write(export: &Export, to: &Path) {
    for (name, text) in &export.files {
        std::fs::write(to.join(name), text).unwrap();
    }
}

/// Compiles an export at one level; the program.
pub(crate) fn compile(name: &str, at: &Path, level: &str) -> PathBuf {
    let program = at.join(format!("{name}{level}"));
    let out = Command::new("cc")
        .current_dir(at)
        .args(STRICT)
        .args([level, "-o"])
        .arg(&program)
        .args(["main.c", &format!("{name}.c"), "-lm"])
        .output()
        .expect("these tests need a C compiler called `cc` (apt-get install gcc)");
    assert!(out.status.success(), "{name} {level}:\n{}", String::from_utf8_lossy(&out.stderr));
    program
}

/// All rows that a compiled export prints, without the time.
pub(crate) fn rows(program: &Path) -> Vec<Vec<f64>> {
    let out = Command::new(program).output().unwrap();
    assert!(out.status.success(), "{}: {}", program.display(), String::from_utf8_lossy(&out.stderr));
    let text = String::from_utf8(out.stdout).unwrap();
    text.lines().skip(1).map(|l| l.split(',').skip(1).map(|x| x.parse().unwrap()).collect()).collect()
}

/// All rows of the library.
pub(crate) fn library(model: Model) -> Vec<Vec<f64>> {
    let mut sim = Simulation::new(model).unwrap();
    let mut row = vec![0.0; sim.channels().len()];
    let mut out = Vec::new();
    for k in 0..=sim.steps() {
        sim.sample(k, &mut row).unwrap();
        out.push(row.clone());
        if k < sim.steps() {
            sim.step(k).unwrap();
        }
    }
    out
}

/// Largest difference of each channel, relative to its largest value.
pub(crate) fn difference(a: &[Vec<f64>], b: &[Vec<f64>]) -> f64 {
    scaled_difference(a, b, |c| c)
}

/// The same, relative to the largest value of the channel that `scale` names.
fn scaled_difference(a: &[Vec<f64>], b: &[Vec<f64>], scale: impl Fn(usize) -> usize) -> f64 {
    assert_eq!(a.len(), b.len(), "numbers of rows");
    (0..a[0].len())
        .map(|c| {
            let size = a.iter().fold(0.0f64, |m, r| m.max(r[scale(c)].abs()));
            let worst = a.iter().zip(b).fold(0.0f64, |m, (x, y)| {
                let d = (x[c] - y[c]).abs();
                if d.is_nan() { f64::INFINITY } else { m.max(d) }
            });
            if worst == 0.0 { 0.0 } else { worst / size }
        })
        .fold(0.0, f64::max)
}

/// Exports, compiles at every level, runs, and gives the largest difference to the library.
pub(crate) fn compare(name: &str, text: &str, overrides: &Overrides, levels: &[&str]) -> f64 {
    // In one piece, and specimens computed: what a laboratory adds is tested where there is one.
    let mut model = model(text, overrides);
    model.partition = None;
    model.specimens.clear();
    model.channels.retain(|c| !matches!(c.quantity, Quantity::Specimen(..)));
    let export =
        export(&model, name, &interfield_codegen::Origin::default()).unwrap_or_else(|p| panic!("{name}: {p:?}"));
    // Strains and stresses of fibres are left out.
    model.channels.retain(|c| export.interface.outputs.iter().any(|o| o.name == c.name));
    let at = folder(name);
    write(&export, &at);
    // What is missing in the energy balance is what is left of large numbers: it is as exact as they are.
    let channels = model.channels.clone();
    let input = channels.iter().position(|c| c.quantity == Quantity::Energy(EnergyPart::Input));
    let scale = |c: usize| match (&channels[c].quantity, input) {
        (Quantity::Energy(EnergyPart::Error), Some(input)) => input,
        _ => c,
    };
    let expected = library(model);
    let name = &export.interface.name;
    let run = |level: &&str| scaled_difference(&expected, &rows(&compile(name, &at, level)), scale);
    levels.iter().map(run).fold(0.0, f64::max)
}
