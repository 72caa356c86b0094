//! Reduced models in the commands: `interfield reduce`, superelements kept beside a model, and what a run says of them.

use std::path::{Path, PathBuf};

use super::interfield;

const FRAME: &str = r#"
title = "Frame with a yielding brace"
dofs = ["x", "y", "rz"]

[[plane-frame]]
bays = 2
width = "6 m"
storeys = 6
height = "3.5 m"
column = { E = "30 GPa", A = "0.25 m^2", I = "52 dm^4", rho = "2500 kg/m^3" }
beam = { E = "30 GPa", A = "0.18 m^2", I = "54 dm^4", rho = "9000 kg/m^3" }

[[element]]
name = "brace"
type = "bouc-wen"
nodes = ["n0_1", "n1_1"]
dof = "x"
k = "60 kN/mm"
beta = "60 1/m"
gamma = "60 1/m"

[[reduce]]
name = "tower"
frequency = "10 Hz"

[damping]
rayleigh = { ratio = 0.05, modes = [1, 3] }

[[load]]
type = "ground"
name = "quake"
direction = "x"
signal = { type = "synthetic", peak = "3 m/s^2" }

[analysis]
scheme = "newmark"
dt = "5 ms"
duration = "3 s"

[record]
channels = ["n6_0.x", "n3_2.x.abs", "brace.force"]
"#;

/// A fresh folder with a model in it.
fn model(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("reduce").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let model = folder.join("frame.toml");
    std::fs::write(&model, text).unwrap();
    model
}

fn kept() -> String {
    FRAME.replace("frequency = \"10 Hz\"\n", "frequency = \"10 Hz\"\nfile = \"tower.superelement\"\n")
}

fn run(model: &Path, out: &str, code: i32) -> super::Outcome {
    let out = model.with_file_name(out);
    let args =
        ["run", model.to_str().unwrap(), "-o", out.to_str().unwrap(), "--quiet", "--report", "page.html", "--json"];
    let report = model.with_file_name("page.html");
    let args = args.map(|a| if a == "page.html" { report.to_str().unwrap() } else { a });
    interfield(&args).expect(code)
}

#[test]
fn a_run_says_before_and_after_what_its_reduction_costs() {
    let model = model("said", FRAME);
    let json = run(&model, "out.csv", 0).json();
    let after = &json["reduced"][0];
    assert_eq!(after["name"], "tower");
    let (residual, error) = (after["residual"].as_f64().unwrap(), after["error"].as_f64().unwrap());
    assert!(residual > 0.0 && (error / residual - 3.0).abs() < 1e-12 && error < 0.2, "{after}");
    let before = &json["setup"]["reduced"][0];
    let response = before["lost_response"].as_f64().unwrap();
    assert!(response > 0.0 && response < 0.5, "{before}");
    let page = std::fs::read_to_string(model.with_file_name("page.html")).unwrap();
    assert!(page.contains("reduced parts") && page.contains("tower"), "the report tells of it");
    let said = interfield(&["check", model.to_str().unwrap()]).expect(0).stdout;
    assert!(said.contains("of the largest motion of the interface"), "{said}");
}

#[test]
fn a_kept_superelement_is_taken_the_second_time_and_made_again_when_the_model_changes() {
    let model = model("kept", &kept());
    let file = model.with_file_name("tower.superelement");
    run(&model, "first.csv", 0);
    let made = std::fs::read(&file).expect("it was written");
    let modified = || std::fs::metadata(&file).unwrap().modified().unwrap();
    let before = modified();
    run(&model, "second.csv", 0);
    assert_eq!(before, modified(), "nothing was written again");
    let rows = |name: &str| std::fs::read(model.with_file_name(name)).unwrap();
    assert_eq!(rows("first.csv"), rows("second.csv"));
    std::fs::write(&model, kept().replace("0.25 m^2", "0.3 m^2")).unwrap();
    run(&model, "third.csv", 0);
    assert!(std::fs::read(&file).unwrap() != made, "it is that of the model again");
    // A damaged file is said, and left alone: it may be something else.
    std::fs::write(&file, "my notes").unwrap();
    let said = interfield(&["check", model.to_str().unwrap()]).expect(2).stderr;
    assert!(said.contains("line 1 must be") && said.contains("frame.toml:"), "{said}");
    assert_eq!(std::fs::read(&file).unwrap(), b"my notes");
    // Where it cannot be written, the run goes on.
    std::fs::remove_file(&file).unwrap();
    std::fs::create_dir(&file).unwrap();
    let said = interfield(&["check", model.to_str().unwrap()]);
    assert!(said.stderr.contains("could not be kept") || said.stdout.contains("could not be kept"), "{}", said.stderr);
    assert!(
        !std::fs::read_dir(file.parent().unwrap()).unwrap().any(|e| e
            .unwrap()
            .path()
            .to_string_lossy()
            .contains(".part"))
    );
}

#[test]
fn reduce_writes_files_that_other_models_take() {
    let model = model("shared", FRAME);
    let json = interfield(&["reduce", model.to_str().unwrap(), "--json"]).expect(0).json();
    let file = model.with_file_name("frame-tower.superelement");
    assert_eq!(json["files"][0].as_str().unwrap(), file.to_str().unwrap());
    assert!(json["reduced"][0]["modes"].as_u64().unwrap() > 2, "{json}");
    let out = model.with_file_name("own.superelement");
    let said = interfield(&["reduce", model.to_str().unwrap(), "-o", out.to_str().unwrap()]).expect(0).stdout;
    assert!(said.contains("unknowns inside become") && said.contains("own.superelement"), "{said}");
    assert_eq!(std::fs::read(&out).unwrap(), std::fs::read(&file).unwrap());
    let (head, rest) = FRAME.split_once("[[plane-frame]]").unwrap();
    let (_, rest) = rest.split_once("[[element]]").unwrap();
    let rest = rest.split_once("[[reduce]]").unwrap();
    let damping = rest.1.split_once("[damping]").unwrap().1;
    let other = format!(
        "{head}[[superelement]]\nname = \"tower\"\nfile = \"own.superelement\"\n[[element]]{}[damping]{damping}",
        rest.0.replace("\"n0_1\"", "\"ground\"")
    );
    let path = model.with_file_name("other.toml");
    std::fs::write(&path, other).unwrap();
    run(&model, "whole.csv", 0);
    run(&path, "other.csv", 0);
    let rows = |name: &str| super::csv(&model.with_file_name(name)).rows;
    let (a, b) = (rows("whole.csv"), rows("other.csv"));
    assert_eq!(a.len(), b.len());
    for (a, b) in a.iter().flatten().zip(b.iter().flatten()) {
        assert!((a - b).abs() <= 1e-9 * a.abs().max(1e-6), "{a} {b}");
    }
    // A model without a reduction, and one file for nothing.
    let plain = model.with_file_name("plain.toml");
    std::fs::write(&plain, FRAME.replace("[[reduce]]\nname = \"tower\"\nfrequency = \"10 Hz\"\n", "")).unwrap();
    let said = interfield(&["reduce", plain.to_str().unwrap()]).expect(2).stderr;
    assert!(said.contains("has no [[reduce]]"), "{said}");
    interfield(&["reduce", model.to_str().unwrap(), "-o", "/proc/nowhere/x"]).expect(1);
}

/// Pushover, an ensemble, the modes and C of a reduced model.
#[test]
fn other_commands_take_reduced_models() {
    let model = model("commands", &kept());
    let path = model.to_str().unwrap();
    let out = |name: &str| model.with_file_name(name).to_str().unwrap().to_owned();
    interfield(&["export", "c", path, "--out", &out("c")]).expect(0);
    interfield(&["export", "fmu", path, "--out", &out("frame.fmu")]).expect(0);
    let study =
        FRAME.replace("title", "parameters = { k = \"60 kN/mm\" }\ntitle").replace("k = \"60 kN/mm\"\n", "k = \"k\"\n");
    let many = model.with_file_name("study.toml");
    std::fs::write(&many, study).unwrap();
    let done = interfield(&[
        "ensemble",
        many.to_str().unwrap(),
        "-o",
        &out("study"),
        "--set",
        "k=40 kN/mm, 80 kN/mm",
        "--json",
    ]);
    let done = done.expect(0).json();
    assert!(done.to_string().contains("\"runs\""), "{done}");
    let push = format!(
        "{FRAME}\n[pushover]\ncontrol = \"n6_0.x\"\npattern = {{ \"n6_0.x\" = \"1 kN\" }}\nto = \"60 mm\"\nstep = \"2 mm\"\n"
    );
    let pushed = model.with_file_name("pushed.toml");
    std::fs::write(&pushed, push).unwrap();
    interfield(&["pushover", pushed.to_str().unwrap(), "-o", &out("push.csv"), "--quiet"]).expect(0);
    interfield(&["modes", path]).expect(0);
}
