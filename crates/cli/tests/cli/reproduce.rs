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
