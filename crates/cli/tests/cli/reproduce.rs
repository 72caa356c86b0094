//! `interfield reproduce`: names, verdicts, files, mistakes, interruptions.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::{interfield, program};

/// A folder that is not there.
fn absent(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn ids(document: &Value) -> Vec<&str> {
    document["items"].as_array().unwrap().iter().map(|i| i["id"].as_str().unwrap()).collect()
}

#[test]
fn an_item_gives_pictures_data_and_a_page() {
    let folder = absent("reproduced");
    let out = folder.to_str().unwrap();
    let document = interfield(&["reproduce", "001-fig-7", "000-fig-1", "-o", out, "--json"]).expect(0).json();
    // In the order of the gallery, not of the command line.
    assert_eq!(ids(&document), ["000-fig-1", "001-fig-7"]);
    let item = &document["items"][1];
    assert_eq!((&item["paper"], &item["place"]), (&Value::from("001"), &Value::from("Fig. 7")));
    assert_eq!(item["verdict"], "reproduced");
    let measured = &item["claims"][0]["measured"][0];
    assert!((measured["value"].as_f64().unwrap() - 2.0).abs() < 0.01, "{measured}");
    assert_eq!(measured["claimed"]["met"], true);

    // Every figure and table of the papers has its line, with the verdict where it was computed.
    let places = document["figures_and_tables"].as_array().unwrap();
    let place = |paper: &str, place: &str| places.iter().find(|p| p["paper"] == paper && p["place"] == place).unwrap();
    assert_eq!((places.len(), &place("001", "Fig. 7")["verdict"]), (55, &Value::from("reproduced")));
    assert_eq!(place("001", "Fig. 8")["verdict"], Value::Null, "it was not computed");
    assert_eq!(place("003", "Table 1")["verdict"], "could not be tested");
    assert!(place("000", "Fig. 2")["no_claim_but_here"].as_str().unwrap().contains("shear-pendulum"));

    let read = |name: &str| std::fs::read(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    for id in ids(&document) {
        assert!(read(&format!("{id}.svg")).starts_with(b"<svg"));
        assert!(read(&format!("{id}.png")).starts_with(b"\x89PNG"));
        let data = String::from_utf8(read(&format!("{id}.csv"))).unwrap();
        assert!(data.starts_with("panel,curve,x label,y label,x,y,low,high\n") && data.lines().count() > 10, "{id}");
    }
    assert_eq!(read("models/split-mass.toml"), std::fs::read(crate::models().join("split-mass.toml")).unwrap());
    let page = String::from_utf8(read("index.html")).unwrap();
    for part in ["id=\"000-fig-1\"", "src=\"001-fig-7.svg\"", "models/split-mass.toml", "reproduced with a correction"]
    {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http"), "the page needs nothing from outside");

    // The list takes what is there and computes the rest, and writes nothing.
    let stored = read("gallery.json");
    let changed =
        String::from_utf8(stored).unwrap().replace("\"verdict\": \"reproduced\",", "\"verdict\": \"as stored\",");
    std::fs::write(folder.join("gallery.json"), &changed).unwrap();
    let list = interfield(&["reproduce", "000-fig-1", "001-fig-2", "001-fig-7", "--list", "--json", "-o", out])
        .expect(0)
        .json();
    assert_eq!(ids(&list), ["000-fig-1", "001-fig-2", "001-fig-7"]);
    let verdicts: Vec<&Value> = list["items"].as_array().unwrap().iter().map(|i| &i["verdict"]).collect();
    assert_eq!(verdicts, ["reproduced with a correction", "reproduced", "as stored"]);
    assert_eq!(String::from_utf8(read("gallery.json")).unwrap(), changed);
    // What another version has left is not taken.
    std::fs::write(folder.join("gallery.json"), changed.replace("\"version\": \"", "\"version\": \"0.0.")).unwrap();
    let list = interfield(&["reproduce", "001-fig-7", "--list", "-o", out]).expect(0).stdout;
    assert!(list.contains("001-fig-7  Fig. 7        reproduced  Global error"), "{list}");
}

#[test]
fn a_lean_gallery_has_pictures_for_a_page_only() {
    let folder = absent("reproduced-lean");
    interfield(&["reproduce", "000-fig-1", "--lean", "--threads", "1", "-o", folder.to_str().unwrap()]).expect(0);
    assert!(folder.join("000-fig-1.svg").exists());
    assert!(!folder.join("000-fig-1.png").exists() && !folder.join("000-fig-1.csv").exists());
}

#[test]
fn unknown_items_are_answered_with_what_there_is() {
    let outcome = interfield(&["reproduce", "000-fig1", "pendulum"]).expect(2);
    assert!(
        outcome.stderr.contains("there is no item `000-fig1`\nhelp: did you mean `000-fig-1`?"),
        "{}",
        outcome.stderr
    );
    assert!(
        outcome.stderr.contains("there is no item `pendulum`\nhelp: `interfield reproduce --list`"),
        "{}",
        outcome.stderr
    );
    let errors = interfield(&["reproduce", "000-fig1", "--json"]).expect(2).json();
    assert_eq!(errors["errors"][0]["help"], "did you mean `000-fig-1`?");
}

#[test]
fn a_folder_that_cannot_be_written_is_told() {
    let file = crate::file("no-folder", "a file");
    let outcome = interfield(&["reproduce", "000-fig-1", "-o", file.to_str().unwrap()]).expect(1);
    assert!(outcome.stderr.contains("cannot be written") && outcome.stderr.contains("--output"), "{}", outcome.stderr);
}

/// Stopped by a signal as soon as something is there.
#[cfg(unix)]
#[test]
fn an_interrupted_gallery_keeps_what_is_done() {
    let folder = absent("reproduced-stopped");
    let mut command = program();
    command.args(["reproduce", "001", "002", "--threads", "1", "-o"]).arg(&folder);
    let mut child = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !folder.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before it wrote anything");
        std::thread::yield_now();
    }
    assert!(std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{text}");
    assert!(text.contains("interrupted: "), "{text}");
    let stored: Value = serde_json::from_slice(&std::fs::read(folder.join("gallery.json")).unwrap()).unwrap();
    let done = ids(&stored);
    assert!(!done.is_empty() && done.len() < 8, "{done:?}");
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    for id in done {
        assert!(folder.join(format!("{id}.png")).exists() && page.contains(&format!("id=\"{id}\"")), "{id}");
    }
}

/// What a claim that cannot be tested says, and that a record makes it testable.
#[test]
fn a_record_of_the_user_makes_a_claim_testable() {
    let folder = absent("reproduced-record");
    let out = folder.to_str().unwrap();
    let document = interfield(&["reproduce", "000-fig-5", "-o", out, "--json"]).expect(0).json();
    assert!(document["verdicts"].as_array().unwrap().contains(&Value::from("could not be tested")), "{document}");
    let claim = &document["items"][0]["claims"][0];
    assert_eq!(
        (&document["items"][0]["verdict"], &claim["verdict"]),
        (&claim["verdict"], &Value::from("could not be tested"))
    );
    assert!(
        claim["sentence"].as_str().unwrap().contains("scaled to be 1g") && claim["sentence_at"] == "Sec. 2.1",
        "{claim}"
    );
    let why = claim["could_not_be_tested_because"].as_str().unwrap();
    assert!(why.contains("Kobe") && why.contains("--record kobe-ew=FILE"), "{why}");
    assert_eq!(document["items"][0]["beyond_the_paper"].as_array().unwrap().len(), 1);
    let page = std::fs::read_to_string(folder.join("index.html")).unwrap();
    for part in ["could not be tested", "Not tested: the E-W component", "beyond the paper", "badge untested"] {
        assert!(page.contains(part), "{part}");
    }

    let rows: String = (0..500).map(|k| format!("{},{}\n", f64::from(k) * 0.01, (f64::from(k) * 0.12).sin())).collect();
    let record = crate::file("a motion é.csv", format!("time [s],acceleration [g]\n{rows}"));
    let given = format!("kobe-ew={}", record.display());
    // What was stored without the record is not taken.
    let list = ["reproduce", "000-fig-5", "--list", "--json", "-o", out, "--record", &given];
    let claim = &interfield(&list).expect(0).json()["items"][0]["claims"][0];
    assert_eq!(claim["verdict"], "reproduced");
    assert!(claim["limit"][0].as_str().unwrap().contains("at most 500 N"), "{claim}");
    assert!(!claim["why_this_limit"].as_str().unwrap().is_empty());
}

#[test]
fn records_that_cannot_be_used_are_all_told() {
    let still = crate::file("still.csv", "0,0\n0.01,0\n0.02,0\n");
    let still = format!("el-centro-ew={}", still.display());
    let outcome = interfield(&[
        "reproduce",
        "000-fig-5",
        "--record",
        "kobe_ew=x",
        "--record",
        "kobe-ew",
        "--record",
        "shifang-ns=nowhere.csv",
        "--record",
        &still,
    ])
    .expect(2);
    for part in [
        "no paper names a record `kobe_ew`\nhelp: did you mean `kobe-ew`?",
        "--record kobe-ew: expected NAME=FILE\nhelp: the records are shifang-ns, kobe-ew, el-centro-ew",
        "`nowhere.csv` does not exist",
        "zero throughout",
    ] {
        assert!(outcome.stderr.contains(part), "{part}:\n{}", outcome.stderr);
    }
}
