//! The documents tell the truth: every model in them runs, and every command of the README's tour prints what the README
//! says (but for the time it took).

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A folder of its own, with the project's models in it.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("models")).unwrap();
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, folder.join("models").join(path.file_name().unwrap())).unwrap();
    }
    folder
}

/// Fenced blocks of a document: (words behind the fence, contents).
fn blocks(text: &str) -> Vec<(Vec<&str>, String)> {
    let mut found = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|l| !l.starts_with("```")).collect();
            found.push((info.split_whitespace().collect(), body.join("\n") + "\n"));
        }
    }
    found
}

/// Output and exit code of the program.
fn interfield(folder: &Path, args: &[String]) -> (String, i32) {
    let out = Command::new(env!("CARGO_BIN_EXE_interfield")).args(args).current_dir(folder).output().unwrap();
    let text = String::from_utf8(out.stdout).unwrap() + &String::from_utf8(out.stderr).unwrap();
    (text, out.status.code().unwrap_or(-1))
}

/// Words of a command line, with double quotes.
fn words(line: &str) -> Vec<String> {
    line.split('"')
        .enumerate()
        .flat_map(
            |(i, part)| {
                if i % 2 == 1 { vec![part.to_owned()] } else { part.split_whitespace().map(str::to_owned).collect() }
            },
        )
        .collect()
}

/// Without trailing blanks and without what depends on the machine.
fn comparable(text: &str) -> Vec<String> {
    let timeless = |line: &str| match line.split_once(" steps in ") {
        Some((before, _)) => format!("{before} steps"),
        None => line.trim_end().to_owned(),
    };
    let lines: Vec<String> = text.lines().map(timeless).collect();
    let first = lines.iter().position(|l| !l.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|l| !l.is_empty()).map_or(0, |i| i + 1);
    lines[first..last.max(first)].to_vec()
}

#[test]
fn every_complete_model_in_the_documents_runs() {
    let folder = folder("documents");
    let mut count = 0;
    for name in ["README.md", "docs/model-file.md"] {
        for (info, body) in blocks(&read(name)) {
            if info.first() == Some(&"toml") && body.contains("[analysis]") && !info.contains(&"mistakes.toml") {
                std::fs::write(folder.join("model.toml"), &body).unwrap();
                let (text, code) = interfield(&folder, &["run".into(), "model.toml".into()]);
                assert_eq!(code, 0, "{name}:\n{body}\n{text}");
                count += 1;
            }
        }
    }
    assert!(count >= 2, "only {count} models found in the documents");
}

#[test]
fn the_tour_prints_what_the_readme_says() {
    let folder = folder("tour");
    let mut commands = 0;
    for (info, body) in blocks(&read("README.md")) {
        match info[..] {
            ["toml", name] => std::fs::write(folder.join(name), &body).unwrap(),
            ["console"] => {
                for part in body.split("$ ").filter(|p| !p.is_empty()) {
                    let (line, expected) = part.split_once('\n').unwrap();
                    let args = match line {
                        "cargo run --release" => Vec::new(),
                        other => words(other.strip_prefix("interfield ").expect("the tour runs interfield")),
                    };
                    let (text, _) = interfield(&folder, &args);
                    assert_eq!(comparable(&text), comparable(expected), "`{line}` now prints:\n{text}");
                    commands += 1;
                }
            }
            _ => {}
        }
    }
    assert!(commands >= 5, "only {commands} commands found in the tour");
}

#[test]
fn the_documents_link_to_files_that_exist() {
    for name in ["README.md", "CONTRIBUTING.md", "docs/architecture.md", "docs/model-file.md", "docs/theory.md"] {
        let text = read(name);
        for link in text.split("](").skip(1).filter_map(|l| l.split(')').next()) {
            if !link.starts_with("http") {
                let path = root().join(name).parent().unwrap().join(link.split('#').next().unwrap());
                assert!(path.exists(), "{name} links to {link}, which does not exist");
            }
        }
    }
}
