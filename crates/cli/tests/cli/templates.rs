//! `interfield new`: each template is a model that runs at once, with what it needs beside it, and says what to type next.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::lab::lab;
use super::{first, interfield, program};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder of its own below that of the tests, empty.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

/// A new model of this template, in a folder of its own.
fn scaffold(template: &str) -> (String, Value) {
    let folder = folder(&format!("scaffold-{template}"));
    let path = folder.join("test.toml").to_str().expect("UTF-8").to_owned();
    let said = interfield(&["new", &path, "--template", template, "--json"]).expect(0).json();
    interfield(&["fmt", "--check", &path]).expect(0);
    let drawn = folder.join("x.svg").to_str().expect("UTF-8").to_owned();
    let checked = interfield(&["check", &path, "--json", "-o", &drawn]).expect(0).json();
    assert_eq!(checked["warnings"], json!([]), "{template}");
    (path, said)
}

/// Runs the first seconds of a model: they are good, and nothing is complained of.
fn runs(path: &str, until: &str) {
    let results = path.replace(".toml", ".h5");
    let mut args = vec!["run", path, "-o", &results, "--json"];
    args.extend(first(Path::new(path), until));
    let outcome = interfield(&args).expect(0);
    assert_eq!(outcome.stderr, "", "{path}");
    assert_eq!(outcome.json()["verdict"], "good", "{path}: {}", outcome.json()["reasons"]);
}

fn group(name: &str) -> Vec<String> {
    let list = interfield(&["new", "--list", "--json"]).expect(0).json();
    let list = list.as_array().expect("a list").clone();
    let names = list.iter().filter(|t| t["group"] == name).map(|t| t["name"].as_str().expect("a name").to_owned());
    names.collect()
}

#[test]
fn all_templates_are_listed_in_groups() {
    let list = interfield(&["new", "--list"]).expect(0).stdout;
    let files = std::fs::read_dir(root().join("crates/cli/templates")).expect("templates");
    for file in files.map(|f| f.expect("a file").path()) {
        let name = file.file_stem().and_then(|s| s.to_str()).expect("a name").to_owned();
        assert!(list.contains(&format!("  {name} ")), "{name} is not listed: {list}");
    }
    for line in list.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    assert_eq!(group("hybrid tests"), ["hybrid", "hybrid-two-actuators", "rig-l-plan", "cyclic"]);
    assert_eq!(group("with other processes"), ["distributed", "external-opensees"]);
}

#[test]
fn structures_run_at_once_and_without_warnings() {
    let names = group("structures");
    assert!(names.len() >= 6 && names[0] == "shear-building");
    for name in names {
        runs(&scaffold(&name).0, "2 s");
    }
}

#[test]
fn hybrid_tests_are_checked_rehearsed_and_run() {
    for name in group("hybrid tests") {
        let (path, said) = scaffold(&name);
        assert_eq!(said["next"].as_array().map(Vec::len), Some(3), "{said}");
        let mut args = vec!["rehearse", &path, "--json"];
        args.extend(first(Path::new(&path), "4 s"));
        let rehearsed = interfield(&args).expect(0).json();
        assert_eq!(rehearsed["ready"], true, "{name}: {}", rehearsed["objections"]);
        assert_eq!(rehearsed["laboratory"][0]["verdict"], "good", "{name}: {}", rehearsed["laboratory"][0]["reasons"]);
        runs(&path, "4 s");
        // Every word of a laboratory is there, with a comment.
        let text = std::fs::read_to_string(&path).expect("a model");
        let uncommented = |l: &&str| !l.is_empty() && !l.starts_with('#');
        let share =
            text.lines().filter(|l| l.contains('#')).count() as f64 / text.lines().filter(uncommented).count() as f64;
        assert!(share > 0.33, "{name}: {share} of the lines have a comment");
        for word in [
            "[[specimen]]",
            "[[specimen.actuator]]",
            "[specimen.limits]",
            "rate",
            "compensation",
            "_sensor",
            "stroke",
            "tracking",
        ] {
            assert!(text.contains(word), "{name}: {word}");
        }
    }
}

#[test]
fn a_distributed_test_says_which_command_comes_first_and_runs_on_one_machine() {
    let (path, said) = scaffold("distributed");
    let next: Vec<&str> = said["next"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    let at = |word: &str| next.iter().position(|l| l.contains(word)).expect("a line");
    assert!(at("interfield lab") < at("interfield run"), "{next:?}");
    // On a port of this test: another one may use that of the template.
    let (hosted, address) = lab(Path::new(&path), "udp://127.0.0.1:0", &["--until", "3 s"]);
    let text = std::fs::read_to_string(&path).expect("a model");
    assert!(text.contains("\"udp://127.0.0.1:7700\""));
    std::fs::write(&path, text.replace("udp://127.0.0.1:7700", &address)).expect("a file");
    runs(&path, "3 s");
    assert_eq!(hosted.end().0, Some(0), "the laboratory ends with the test");
    // Nobody is there any more: the message says what to start.
    let gone = interfield(&["run", &path, "-o", &path.replace(".toml", "-2.h5")]).expect(1).stderr;
    assert!(gone.contains("no answer") && gone.contains("`interfield lab"), "{gone}");
}

#[test]
fn a_frame_in_opensees_has_its_script_and_says_how_to_get_opensees() {
    let (path, said) = scaffold("external-opensees");
    let script = PathBuf::from(said["script"].as_str().expect("a script"));
    assert!(script.exists() && script.parent() == Path::new(&path).parent());
    let rehearsed = interfield(&["rehearse", &path, "--until", "4 s", "--json"]).expect(0).json();
    assert_eq!(rehearsed["ready"], true, "{}", rehearsed["objections"]);
    let results = path.replace(".toml", ".h5");
    let run = |modules: &str| {
        let mut command = program();
        command.args(["run", &path, "--until", "2 s", "--json", "-o", &results]).env("PYTHONPATH", modules);
        command.output().expect("the program starts")
    };
    // A module that cannot be imported, as where it is missing.
    let missing = folder("no-opensees");
    std::fs::create_dir_all(missing.join("openseespy")).expect("a folder");
    std::fs::write(missing.join("openseespy/opensees.py"), "raise ImportError('no OpenSees here')\n").expect("a file");
    let output = run(missing.to_str().expect("UTF-8"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{text} {}", String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("no OpenSees here") && text.contains("-m pip install openseespy"), "{text}");
    // With one that answers as OpenSees does.
    let output = run(root().join("crates/cli/tests/data").to_str().expect("UTF-8"));
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{text} {}", String::from_utf8_lossy(&output.stderr));
    let found: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&found["verdict"], &found["ended"]), (&json!("good"), &json!("finished")), "{found}");
}

#[test]
fn nothing_is_replaced_by_accident() {
    let folder = folder("scaffold");
    let name = folder.join("tower").to_str().expect("UTF-8").to_owned();
    interfield(&["new", &name]).expect(0);
    let refused = interfield(&["new", &name, "--json"]).expect(2).json();
    assert!(refused["errors"][0]["help"].as_str().expect("help").contains("--force"));
    interfield(&["new", &name, "--force"]).expect(0);
    let text = std::fs::read_to_string(folder.join("tower.toml")).expect("a model");
    assert!(text.starts_with("#:schema interfield.schema.json\n") && text.contains("shear building"));
    assert!(folder.join("interfield.schema.json").exists());
    // A script that was changed is kept as well, one that was not may be written again.
    let other = folder.join("frame").to_str().expect("UTF-8").to_owned();
    interfield(&["new", &other, "--template", "external-opensees"]).expect(0);
    let third = folder.join("third").to_str().expect("UTF-8").to_owned();
    interfield(&["new", &third, "--template", "external-opensees"]).expect(0);
    std::fs::write(folder.join("opensees-frame.py"), "# mine\n").expect("a file");
    let fourth = folder.join("fourth").to_str().expect("UTF-8").to_owned();
    let kept = interfield(&["new", &fourth, "--template", "external-opensees"]).expect(2).stderr;
    assert!(kept.contains("opensees-frame.py` exists already") && !folder.join("fourth.toml").exists(), "{kept}");
    let wrong = interfield(&["new", "x", "--template", "frme"]).expect(2);
    assert!(wrong.stderr.contains("did you mean `frame`?"), "{}", wrong.stderr);
}

#[test]
fn what_to_type_next_can_be_typed() {
    let folder = folder("scaffold with spaces");
    let name = folder.join("Pfeiler ä").to_str().expect("UTF-8").to_owned();
    let said = interfield(&["new", &name]).expect(0).stdout;
    let command = said.lines().find_map(|l| l.trim().strip_prefix("interfield check ")).expect("a command");
    assert_eq!(command, format!("'{name}.toml'"), "{said}");
    interfield(&["check", &format!("{name}.toml"), "-o", &format!("{name}.svg")]).expect(0);
}
