//! Every run ends with a verdict, and a failed one is never a success.

use std::path::Path;

use super::{file, first, interfield};

fn last_line(text: &str) -> &str {
    text.lines().last().unwrap_or("")
}

#[test]
fn every_model_of_the_project_ends_with_a_verdict() {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    for entry in std::fs::read_dir(models).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let out = format!("verdict-{name}.csv");
        let mut args = vec!["run", path.to_str().unwrap(), "-q", "-o", &out];
        args.extend(first(&path, "1 s"));
        let outcome = interfield(&args);
        let said = last_line(&outcome.stdout).to_owned();
        // A test whose loop is not stable is among them: its failure is no success.
        let code = if said.starts_with("verdict: failed: ") { 3 } else { 0 };
        assert!(said == "verdict: good" || said.starts_with("verdict: doubtful: ") || code == 3, "{name}: {said}");
        assert!(code == 0 || name == "forced-split-mass", "{name}: {said}");
        outcome.expect(code);
    }
}

#[test]
fn a_diverged_run_fails_says_where_and_leaves_its_results() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/rio-torto-isolated.toml");
    let (model, out) = (model.to_str().unwrap(), "diverged.h5");
    let args = ["run", model, "--coupling", "foh", "--dt", "7.8125 ms", "--report", "diverged.html", "-o", out];
    let outcome = interfield(&args).expect(3);
    let said = last_line(&outcome.stdout);
    assert!(said.starts_with("verdict: failed: diverged at t = ") && said.contains("`pier"), "{said}");
    assert!(outcome.stderr.contains("error: diverged at t = "), "{}", outcome.stderr);
    let shown = interfield(&["show", out, "--json"]).expect(0).json();
    assert!(shown["outcome"].as_str().unwrap().starts_with("diverged at t = "), "{shown}");
    assert!(shown["rows"].as_u64().unwrap() > 50, "{shown}");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    assert!(std::fs::read_to_string(folder.join("diverged.html")).unwrap().contains("verdict: failed: diverged"));
    let summary = interfield(&[&args[..], &["--json"]].concat()).expect(3).json();
    assert_eq!((&summary["ended"], &summary["verdict"]), (&"diverged".into(), &"failed".into()));
    assert!(summary["reasons"][0].as_str().unwrap().starts_with("diverged at t = "), "{summary}");
}

#[test]
fn a_failed_test_of_a_specimen_fails_the_run() {
    let model = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/forced-split-mass.toml");
    let summary = interfield(&["run", model.to_str().unwrap(), "--json", "-o", "failed-test.csv"]).expect(3).json();
    assert_eq!((&summary["ended"], &summary["verdict"]), (&"finished".into(), &"failed".into()));
    assert_eq!(summary["laboratory"][0]["verdict"], "failed");
    assert!(summary["reasons"][0].as_str().unwrap().starts_with("specimen `specimen`: "), "{summary}");
}

#[test]
fn a_light_interface_is_refused_where_it_was_written() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/split-mass.toml")).unwrap();
    let line = 1 + text.lines().position(|l| l.starts_with("interface_mass")).unwrap();
    let text = text.replace("interface_mass = \"b1/(1 + b1)\"", "interface_mass = 1e-12");
    let model = file("light.toml", text + "\n[coupling]\nmethod = \"staggered\"\n");
    let place = format!("light.toml:{line}:");
    for (command, code) in [("run", 2), ("check", 0)] {
        let said = interfield(&[command, model.to_str().unwrap()]).expect(code).stderr;
        assert!(said.contains(&place) && said.contains("`A` has too little mass at the interface `mass.x`"), "{said}");
    }
}
