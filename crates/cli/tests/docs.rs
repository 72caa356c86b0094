//! The documents tell the truth: every model in README and book runs, and every command prints what they say (but for the
//! time it took).

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Where the pages about the models are.
const SYSTEMS: &str = "docs/book/src/systems";

/// The chapters of a folder.
fn chapters(folder: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|e| e.unwrap().path());
    entries.filter(|p| p.extension().is_some_and(|e| e == "md")).collect()
}

/// All documents with models or commands: the README and the chapters of the book.
fn documents() -> Vec<PathBuf> {
    let mut all = chapters("docs/book/src");
    all.extend(chapters(SYSTEMS));
    all.push(root().join("README.md"));
    all.sort();
    all
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// A folder of its own for a document, with the project's models and examples in it.
fn folder(document: &Path) -> PathBuf {
    let name = document.file_stem().unwrap();
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("documents").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    for (from, to) in [("models", "models"), ("docs/examples", "examples")] {
        std::fs::create_dir_all(folder.join(to)).unwrap();
        for entry in std::fs::read_dir(root().join(from)).unwrap() {
            let path = entry.unwrap().path();
            std::fs::copy(&path, folder.join(to).join(path.file_name().unwrap())).unwrap();
        }
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

/// Rehearsals of models of the repository by their words. They take most of the time, depend on nothing else, and leave nothing behind: what
/// two documents show is run once.
static REHEARSED: LazyLock<Mutex<Printed>> = LazyLock::new(Mutex::default);

/// What commands print, by their words; whoever asks second waits for the first.
type Printed = HashMap<Vec<String>, Arc<OnceLock<String>>>;

/// What a command of a document prints.
fn printed(folder: &Path, args: &[String]) -> String {
    match args {
        [what, model] if what == "rehearse" && model.starts_with("models/") => {
            let once = REHEARSED.lock().unwrap().entry(args.to_vec()).or_default().clone();
            once.get_or_init(|| interfield(folder, args).0).clone()
        }
        _ => interfield(folder, args).0,
    }
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
    let timeless = |line: &str| {
        // Its time and the unit of it are the machine's.
        if let Some((_, after)) = line.split_once(" per step on this machine") {
            return format!("... per step on this machine{}", after.split(" about ").next().unwrap_or_default());
        }
        let cut = [
            " steps in ",
            " tests in ",
            " force evaluation and ",
            " force evaluations and ",
            ", measured ",
            "  measured: ",
        ]
        .into_iter()
        .find_map(|c| line.split_once(c));
        cut.map_or_else(|| line.trim_end().to_owned(), |(before, _)| format!("{before} ..."))
    };
    let lines: Vec<String> = text.lines().map(timeless).collect();
    let first = lines.iter().position(|l| !l.is_empty()).unwrap_or(0);
    let last = lines.iter().rposition(|l| !l.is_empty()).map_or(0, |i| i + 1);
    lines[first..last.max(first)].to_vec()
}

/// What a machine says of itself without what it found: the headings and names of the lines, and what stands before the first number of the others.
fn labels(text: &str) -> Vec<String> {
    let name = |line: &str| match line.strip_prefix("  ").and_then(|l| l.split_once("  ")) {
        Some((name, _)) => name.to_owned(),
        None => line.split([':', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9']).next().unwrap_or(line).to_owned(),
    };
    text.lines().take_while(|l| *l != "recommended changes").map(name).filter(|l| !l.is_empty()).collect()
}

/// Runs the commands of a block, each a line `$ interfield ...` with what it prints below. With `INTERFIELD_BLESS` the document at `path` gets what they print now.
fn follow(document: &str, path: &Path, folder: &Path, body: &str) -> usize {
    let parts: Vec<String> = format!("\n{body}").split("\n$ ").skip(1).map(|part| format!("{part}\n")).collect();
    assert!(!parts.is_empty(), "{document}: a console block without a command:\n{body}");
    for part in &parts {
        let (line, expected) = part.split_once('\n').unwrap();
        let args = match line {
            "cargo run --release" | "interfield" => Vec::new(),
            other => words(other.strip_prefix("interfield ").expect("the documents run interfield")),
        };
        let text = printed(folder, &args);
        let shown = if args.first().is_some_and(|a| a == "doctor") { labels } else { comparable };
        if std::env::var_os("INTERFIELD_BLESS").is_some() && shown(&text) != shown(expected) {
            let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
            let (old, new) =
                (format!("$ {line}\n{}", expected.trim_end()), format!("$ {line}\n{}", lines.join("\n").trim_end()));
            std::fs::write(path, read(path).replacen(&old, &new, 1)).expect("a document that can be written");
            continue;
        }
        assert_eq!(shown(&text), shown(expected), "{document}: `{line}` now prints:\n{text}");
    }
    parts.len()
}

/// Runs all commands and models of a document; their numbers.
fn check(path: &Path) -> (usize, usize) {
    let (mut commands, mut models) = (0, 0);
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let folder = folder(path);
    for (info, body) in blocks(&read(path)) {
        match info[..] {
            ["toml" | "python", file] => std::fs::write(folder.join(file), &body).unwrap(),
            ["toml"] if body.contains("[analysis]") => {
                std::fs::write(folder.join("model.toml"), &body).unwrap();
                let (text, code) = interfield(&folder, &["run".into(), "model.toml".into()]);
                assert_eq!(code, 0, "{name}:\n{body}\n{text}");
                models += 1;
            }
            ["toml"] => drop(toml::from_str::<toml::Table>(&body).unwrap_or_else(|e| panic!("{name}: {e}\n{body}"))),
            ["console"] => commands += follow(&name, path, &folder, &body),
            _ => {}
        }
    }
    (commands, models)
}

/// This test is alone in its program: it works on two documents at a time.
#[test]
fn commands_print_what_the_documents_say_and_models_run() {
    let left = Mutex::new(documents());
    let work = || {
        let (mut commands, mut models) = (0, 0);
        loop {
            let Some(path) = left.lock().unwrap().pop() else { return (commands, models) };
            let found = check(&path);
            commands += found.0;
            models += found.1;
        }
    };
    let (one, two) = std::thread::scope(|scope| {
        let beside = scope.spawn(work);
        (work(), beside.join().unwrap_or_else(|e| std::panic::resume_unwind(e)))
    });
    let (commands, models) = (one.0 + two.0, one.1 + two.1);
    assert!(commands >= 25 && models >= 2, "only {commands} commands and {models} models found in the documents");
}

#[test]
fn every_model_has_a_place_in_the_pages_about_systems() {
    let pages: String = chapters(SYSTEMS).iter().map(|p| read(p)).collect();
    for entry in std::fs::read_dir(root().join("models")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(pages.contains(&format!("[models/{name}](")), "no page in {SYSTEMS} tells of models/{name}");
    }
}

#[test]
fn the_documents_outside_of_the_book_link_to_files_that_exist() {
    for name in ["README.md", "CONTRIBUTING.md"] {
        let text = read(&root().join(name));
        for link in text.split("](").skip(1).filter_map(|l| l.split(')').next()) {
            if !link.starts_with("http") {
                let path = root().join(name).parent().unwrap().join(link.split('#').next().unwrap());
                assert!(path.exists(), "{name} links to {link}, which does not exist");
            }
        }
    }
}
