//! The rules of docs/architecture.md that a compiler does not check. Each message says where, and what to do.
//!
//! Among them: what code cites is in the repository. Derivations stand in the book; `book: newmark 1.2, passivity 3.5` in a comment, a
//! text or a model names chapters (docs/book/src) and their numbered sections, on one line.

use crate::context::{Context, Outcome};
use crate::package;
use crate::source::{code, has_word};
use crate::words;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

/// Which crates of this workspace each one may use. A new arrow is a decision about the design: change
/// docs/architecture.md with it.
const ARROWS: &[(&str, &[&str])] = &[
    ("interfield-kernel", &[]),
    ("interfield-linalg", &[]),
    ("interfield-language", &["interfield-kernel", "interfield-coupling", "interfield-motion", "interfield-lab"]),
    (
        "interfield-structure",
        &[
            "interfield-kernel",
            "interfield-linalg",
            "interfield-coupling",
            "interfield-motion",
            "interfield-lab",
            "interfield-language",
            "interfield-learn",
        ],
    ),
    ("interfield-lab", &["interfield-kernel", "interfield-linalg"]),
    ("interfield-console", &["interfield-lab"]),
    ("interfield-learn", &["interfield-kernel", "interfield-linalg"]),
    ("interfield-wire", &["interfield-lab"]),
    ("interfield-peers", &["interfield-lab", "interfield-linalg"]),
    ("interfield-ethercat", &["interfield-lab"]),
    ("interfield-fmi", &["interfield-lab"]),
    ("interfield-mpi", &["interfield-coupling"]),
    (
        "interfield-codegen",
        &[
            "interfield-kernel",
            "interfield-linalg",
            "interfield-coupling",
            "interfield-language",
            "interfield-structure",
        ],
    ),
    ("interfield-analysis", &["interfield-kernel", "interfield-linalg"]),
    ("interfield-motion", &["interfield-linalg"]),
    ("interfield-coupling", &["interfield-kernel", "interfield-linalg"]),
    (
        "interfield-gallery",
        &[
            "interfield-kernel",
            "interfield-linalg",
            "interfield-coupling",
            "interfield-language",
            "interfield-structure",
            "interfield-analysis",
            "interfield-ensemble",
            "interfield-motion",
            "interfield-report",
        ],
    ),
    (
        "interfield-ensemble",
        &["interfield-language", "interfield-structure", "interfield-motion", "interfield-analysis"],
    ),
    ("interfield-opensees", &[]),
    ("interfield-results", &[]),
    ("interfield-report", &[]),
    (
        "interfield",
        &[
            "interfield-kernel",
            "interfield-coupling",
            "interfield-lab",
            "interfield-language",
            "interfield-learn",
            "interfield-structure",
            "interfield-analysis",
            "interfield-motion",
            "interfield-results",
            "interfield-wire",
            "interfield-peers",
            "interfield-ethercat",
            "interfield-fmi",
            "interfield-codegen",
        ],
    ),
    (
        "interfield-cli",
        &[
            "interfield",
            "interfield-kernel",
            "interfield-coupling",
            "interfield-lab",
            "interfield-language",
            "interfield-learn",
            "interfield-structure",
            "interfield-analysis",
            "interfield-ensemble",
            "interfield-motion",
            "interfield-gallery",
            "interfield-results",
            "interfield-report",
            "interfield-console",
            "interfield-wire",
            "interfield-peers",
            "interfield-ethercat",
            "interfield-fmi",
            "interfield-mpi",
            "interfield-codegen",
            "interfield-opensees",
        ],
    ),
    (
        TESTKIT,
        &[
            "interfield-kernel",
            "interfield-linalg",
            "interfield-coupling",
            "interfield-lab",
            "interfield-language",
            "interfield-learn",
            "interfield-structure",
            "interfield-analysis",
            "interfield-results",
            "interfield-wire",
            "interfield-peers",
            "interfield-fmi",
            "interfield-codegen",
            "interfield-console",
            "interfield",
        ],
    ),
    (
        "interfield-book",
        &[
            "interfield-kernel",
            "interfield-coupling",
            "interfield-lab",
            "interfield-language",
            "interfield-structure",
            "interfield-analysis",
            "interfield-report",
        ],
    ),
    ("interfield-capi", &["interfield", "interfield-kernel", "interfield-lab", "interfield-language"]),
    (
        "interfield-python",
        &[
            "interfield",
            "interfield-kernel",
            "interfield-lab",
            "interfield-language",
            "interfield-learn",
            "interfield-structure",
            "interfield-analysis",
            "interfield-ensemble",
            "interfield-motion",
            "interfield-results",
        ],
    ),
    ("xtask", &[]),
];

/// Crates that may use only these from outside (other than in tests).
const OUTSIDE: &[(&str, &[&str])] =
    &[("interfield-kernel", &["libm"]), ("interfield-linalg", &["faer", "rayon", "rtrb"])];

/// Used by tests only.
const TESTKIT: &str = "interfield-testkit";

/// Where code may be `unsafe`, with the reason in docs/architecture.md; tests count allocations by it.
const UNSAFE: &[&str] = &[
    "crates/fmi/src",
    "crates/mpi/src/world.rs",
    "crates/ethercat/src/socket.rs",
    "crates/wire/src/shared.rs",
    "crates/capi/src/abi.rs",
    "python/src/callbacks.rs",
    "crates/structure/src/assembled/wide.rs",
    "crates/testkit/src/alloc.rs",
    "crates/linalg/tests/allocation.rs",
];

/// What must not be left in the code, and what to do instead.
const LEFTOVERS: &[(&str, &str)] = &[
    ("todo!(", "finish it, or return an error that says what is not supported"),
    ("unimplemented!(", "implement it, or return an error that says what is not supported"),
    ("dbg!(", "remove it"),
    ("#[ignore", "make the test fast and true, or delete it: a test that never runs proves nothing"),
];

/// What only its own crate may tell apart (and tests may name), and what to do instead.
const OWN: &[(&str, &str, &str)] = &[
    ("AnyScheme::", "crates/kernel/", "ask the scheme: make what you must know of it a method of `Scheme`"),
    (
        "CouplingMethod::",
        "crates/coupling/",
        "ask the coupling: make what you must know of it a method or a field of its entry",
    ),
];

/// A broken rule.
#[derive(Debug, PartialEq)]
struct Problem {
    file: PathBuf,
    line: usize,
    text: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file.display(), self.line, self.text)
    }
}

/// Checks every rule.
pub(crate) fn stage(context: &Context) -> Outcome {
    let mut problems = Vec::new();
    let metadata = ["metadata", "--no-deps", "--format-version", "1", "--manifest-path", package::MANIFEST];
    let python = context.json(context.cargo(metadata))?;
    for package in [&context.metadata, &python].into_iter().flat_map(|m| m["packages"].as_array()).flatten() {
        let path = Path::new(package["manifest_path"].as_str().unwrap_or_default());
        let manifest = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        problems.extend(arrows(package, context.relative(path), &manifest));
    }

    let registry = "crates/kernel/src/scheme";
    let mut schemes = Vec::new();
    collect(&context.root.join(registry), &["rs"], &mut schemes)?;
    let read = |path: &PathBuf| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let texts = schemes.iter().map(read).collect::<Result<Vec<_>, _>>()?;
    let names: Vec<String> = texts.iter().flat_map(|text| scheme_names(text)).collect();
    if names.is_empty() {
        let text = "no `name: \"...\"` line: tidy cannot tell the schemes' names, teach it (xtask/src/tidy.rs)".into();
        problems.push(Problem { file: registry.into(), line: 1, text });
    }

    let documents = Documents::read(context)?;
    let mut files = Vec::new();
    for folder in ["crates", "models", "python"] {
        collect(&context.root.join(folder), &["rs", "c", "h", "toml"], &mut files)?;
    }
    for folder in ["docs", "crates"] {
        collect(&context.root.join(folder), &["md"], &mut files)?;
    }
    files.push(context.root.join("README.md"));
    for path in &files {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        let file = context.relative(path);
        let problem = |(line, text)| Problem { file: file.into(), line, text };
        problems.extend(words::rules(file, &text).into_iter().map(problem));
        if path.extension().is_some_and(|e| e == "rs") {
            problems.extend(source_rules(file, &text, &names));
        }
        if path.extension().is_some_and(|e| e != "md") {
            problems.extend(documents.rules(file, &text));
        }
    }

    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(format!("{} files", files.len())),
        n => Err(format!("{n} broken rule{}, first {}", if n == 1 { "" } else { "s" }, problems[0])),
    }
}

/// Files with one of these extensions below `dir`, sorted.
fn collect(dir: &Path, extensions: &[&str], files: &mut Vec<PathBuf>) -> Result<(), String> {
    let failed = |e| format!("{}: {e}", dir.display());
    let entries: Result<Vec<_>, _> = std::fs::read_dir(dir).map_err(failed)?.collect();
    let mut paths: Vec<PathBuf> = entries.map_err(failed)?.iter().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.ends_with("target") {
            collect(&path, extensions, files)?;
        } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
            files.push(path);
        }
    }
    Ok(())
}

/// Dependencies of one package that are not in the lists above.
fn arrows(package: &Value, file: &Path, manifest: &str) -> Vec<Problem> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some((_, allowed)) = ARROWS.iter().find(|(n, _)| *n == name) else {
        let text =
            format!("the crate `{name}` has no place in the architecture: give it its arrows in xtask/src/tidy.rs");
        return vec![Problem { file: file.into(), line: 1, text }];
    };
    let mut problems = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let used = dependency["name"].as_str().unwrap_or_default();
        let dev = dependency["kind"] == "dev";
        let own = ARROWS.iter().any(|(n, _)| *n == used) || !dependency["path"].is_null();
        let text = if used == TESTKIT && !dev {
            format!("`{used}` is for tests: move it to [dev-dependencies]")
        } else if used == TESTKIT || allowed.contains(&used) {
            continue;
        } else if own {
            let list = if allowed.is_empty() { "none of this workspace".into() } else { allowed.join(", ") };
            format!("`{name}` must not use `{used}` (it may use: {list}); remove it, or move the code to where it may")
        } else {
            match OUTSIDE.iter().find(|(n, _)| *n == name) {
                Some((_, outside)) if !dev && !outside.contains(&used) => {
                    format!("`{name}` must not use `{used}`: only {} from outside; remove it", outside.join(", "))
                }
                _ => continue,
            }
        };
        let line = manifest.lines().position(|l| l.trim_start().trim_start_matches('"').starts_with(used));
        problems.push(Problem { file: file.into(), line: line.map_or(1, |l| l + 1), text });
    }
    problems
}

/// The names that the entries of the catalogue in a file give schemes.
fn scheme_names(registry: &str) -> Vec<String> {
    let lines = registry.lines().filter_map(|l| l.trim().strip_prefix("name: \""));
    lines.filter_map(|l| l.split_once('"')).map(|(name, _)| name.to_owned()).collect()
}

/// Rules about the text of one source file.
fn source_rules(file: &Path, text: &str, schemes: &[String]) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut found = |line: usize, text: String| problems.push(Problem { file: file.into(), line, text });
    let without_comments = code(text, true);
    let without_strings = code(text, false);
    let name = file.file_name().unwrap_or_default();

    for (i, line) in without_strings.lines().enumerate() {
        for (word, advice) in LEFTOVERS {
            if has_word(line, word, true) {
                found(i + 1, format!("`{word}`: {advice}"));
            }
        }
        if has_word(line, "allow(unsafe_code)", true) && !UNSAFE.iter().any(|place| file.starts_with(place)) {
            found(
                i + 1,
                "`unsafe` has its few places (xtask/src/tidy.rs): find a safe crate, or a reason for docs/architecture.md"
                    .into(),
            );
        }
        if file.starts_with("crates/kernel/src") {
            for word in ["std::", "extern crate std", "extern crate alloc"] {
                if has_word(line, word, true) {
                    found(
                        i + 1,
                        format!(
                            "`{word}`: the kernel has no standard library and no allocation; use `core::`, or memory handed in"
                        ),
                    );
                }
            }
        }
    }

    if file.starts_with("crates/analysis/src") {
        let tests = text.lines().position(|l| l.trim() == "#[cfg(test)]").unwrap_or(usize::MAX);
        for (i, line) in without_comments.lines().enumerate().take_while(|(i, _)| *i < tests) {
            let line = line.to_lowercase();
            if let Some(scheme) = schemes.iter().find(|s| has_word(&line, s, false)) {
                found(
                    i + 1,
                    format!(
                        "`{scheme}` is a scheme: analysis sees `StepMap` only; take it as an argument, or test in tests/"
                    ),
                );
            }
        }
    }

    // A variant begins with a capital letter; `default()` is for everybody.
    let variant = |line: &str, word: &str| line.split(word).skip(1).any(|rest| rest.starts_with(char::is_uppercase));
    let tests = file.starts_with("crates/testkit") || file.components().any(|c| c.as_os_str() == "tests");
    for (word, home, advice) in OWN.iter().filter(|o| !tests && !file.starts_with(o.1)) {
        for (i, _) in without_strings.lines().enumerate().filter(|(_, line)| variant(line, word)) {
            found(i + 1, format!("`{word}...`: only {home} tells them apart; {advice}"));
        }
    }

    let parent = file.parent().unwrap_or(Path::new(""));
    let scheme = parent == Path::new("crates/kernel/src/scheme")
        && !["mod.rs", "phases.rs", "registry.rs"].iter().any(|n| name == *n);
    let element = parent == Path::new("crates/kernel/src/element");
    if scheme || element {
        let header: String = text.lines().take_while(|l| l.starts_with("//!")).map(|l| format!("{l}\n")).collect();
        if header.is_empty() {
            found(1, "no `//!` header: start with what it is, its equations, its source and its deviations".into());
        }
        if scheme && !header.contains("History h =") {
            found(1, "the header does not say `History h = [...]`: what the scheme remembers between steps".into());
        }
        if scheme && !header.contains("Deviations") {
            found(1, "the header does not say `Deviations: ...` from what is published (or `none`)".into());
        }
    }
    problems
}

/// What can be cited: the documents of the repository by their paths, with the numbers of their sections.
struct Documents(BTreeMap<String, Vec<String>>);

impl Documents {
    fn read(context: &Context) -> Result<Self, String> {
        let mut files = Vec::new();
        for folder in ["docs", "crates"] {
            collect(&context.root.join(folder), &["md"], &mut files)?;
        }
        files.extend(["README.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(|name| context.root.join(name)));
        let mut documents = BTreeMap::new();
        for path in files {
            let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            documents.insert(context.relative(&path).display().to_string(), sections(&text));
        }
        Ok(Self(documents))
    }

    /// Whether a path, or its end, is that of a document.
    fn has(&self, path: &str) -> bool {
        self.0
            .keys()
            .any(|known| known.strip_suffix(path).is_some_and(|folder| folder.is_empty() || folder.ends_with('/')))
    }

    /// Citations of one file that lead nowhere.
    fn rules(&self, file: &Path, text: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut found = |line: usize, text: String| problems.push(Problem { file: file.into(), line, text });
        let source = code(text, true);
        for (i, (line, source)) in text.lines().zip(source.lines()).enumerate() {
            for (chapter, section) in citations(line) {
                let path = format!("docs/book/src/{chapter}.md");
                match self.0.get(&path) {
                    None => found(i + 1, format!("`book: {chapter}`: there is no {path}")),
                    Some(known) if !known.iter().any(|n| n == section) => {
                        let known = known.join(", ");
                        found(i + 1, format!("`book: {chapter} {section}`: no such section; {path} has {known}"));
                    }
                    Some(_) => {}
                }
            }
            // Names of documents: in comments any, in code those that say where they are.
            let comment = line.chars().zip(source.chars()).map(|(c, kept)| if c == kept { ' ' } else { c });
            let comment: String = comment.collect();
            for word in paths(&comment).chain(paths(source).filter(|word| word.starts_with("docs/"))) {
                if !self.has(word) {
                    found(i + 1, format!("`{word}` is not in the repository: cite the book, `book: CHAPTER SECTION`"));
                }
            }
        }
        problems
    }
}

/// Words of a line that are paths of Markdown files.
fn paths(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_alphanumeric() || "._-/".contains(c))).map(|w| w.trim_end_matches('.'));
    words.filter(|w| w.strip_suffix(".md").is_some_and(|stem| !stem.is_empty()))
}

/// Numbers of the headings of a document.
fn sections(markdown: &str) -> Vec<String> {
    let headings = markdown.lines().filter(|l| l.starts_with("##")).map(|l| l.trim_start_matches('#'));
    let first = headings.filter_map(|l| l.split_whitespace().next());
    first.filter(|n| n.starts_with(|c: char| c.is_ascii_digit())).map(str::to_owned).collect()
}

/// What a line cites, as (chapter, section): `book: newmark 1.2, 1.4, passivity 3` is three of them.
fn citations(line: &str) -> Vec<(&str, &str)> {
    let mut found = Vec::new();
    for (at, mark) in line.match_indices("book: ") {
        let (before, rest) = (&line[..at], &line[at + mark.len()..]);
        // "The book: ..." is prose, `book: Book` is code.
        if before.to_lowercase().ends_with("the ") || !rest.starts_with(|c: char| c.is_ascii_lowercase()) {
            continue;
        }
        let mut chapter = "";
        for part in rest.split(", ") {
            let mut words = part.split([' ', ')', ':', ';', '"']);
            let first = words.next().unwrap_or_default();
            let number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
            let section = if number(first) { first } else { words.next().unwrap_or_default() };
            if !number(section) && !chapter.is_empty() {
                break; // the sentence goes on
            }
            chapter = if number(first) { chapter } else { first };
            found.push((chapter, section.trim_end_matches('.')));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(file: &str, text: &str) -> Vec<String> {
        let names = ["newmark".to_owned(), "chang".to_owned()];
        source_rules(Path::new(file), text, &names).iter().map(Problem::to_string).collect()
    }

    #[test]
    fn arrows_against_the_design_are_found() {
        let dependency = |name: &str, kind: Value| json!({"name": name, "kind": kind, "path": null});
        let package = json!({"name": "interfield-kernel", "dependencies": [
            dependency("libm", Value::Null),
            dependency("interfield-linalg", Value::Null),
            dependency("serde", Value::Null),
            dependency("proptest", json!("dev")),
            dependency("interfield-testkit", json!("dev")),
        ]});
        let manifest = "[dependencies]\nlibm = \"1\"\ninterfield-linalg.workspace = true\nserde = \"1\"\n";
        let found: Vec<_> =
            arrows(&package, Path::new("c/Cargo.toml"), manifest).iter().map(Problem::to_string).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].starts_with("c/Cargo.toml:3: `interfield-kernel` must not use `interfield-linalg`"),
            "{found:?}"
        );
        assert!(found[1].starts_with("c/Cargo.toml:4: `interfield-kernel` must not use `serde`"), "{found:?}");
    }

    #[test]
    fn the_testkit_is_for_tests() {
        let dependency = json!({"name": "interfield-testkit", "kind": null, "path": "/x"});
        let package = json!({"name": "interfield", "dependencies": [dependency]});
        assert_eq!(arrows(&package, Path::new("c/Cargo.toml"), "").len(), 1);
    }

    #[test]
    fn a_crate_nobody_knows_is_found() {
        assert_eq!(arrows(&json!({"name": "interfield-new"}), Path::new("c/Cargo.toml"), "").len(), 1);
    }

    #[test]
    fn words_are_found_in_code_only() {
        assert_eq!(rules("crates/kernel/src/a.rs", "//! std:: is not here\nuse core::fmt;\n"), [""; 0]);
        assert!(
            rules("crates/kernel/src/a.rs", "\nuse std::fmt;\n")[0].starts_with("crates/kernel/src/a.rs:2: `std::`")
        );
        assert_eq!(
            rules("crates/language/src/a.rs", "use std::fmt; // todo!()\nconst A: &str = \"todo!(\";\n"),
            [""; 0]
        );
        assert_eq!(rules("crates/language/tests/a.rs", "#[ignore = \"slow\"]\nfn f() { todo!() }\n").len(), 2);
    }

    #[test]
    fn unsafe_code_has_its_places() {
        let text = "#[allow(unsafe_code)]\nfn f() {}\n";
        assert_eq!(rules("crates/fmi/src/unit.rs", text), [""; 0]);
        assert_eq!(rules("crates/wire/src/remote.rs", text).len(), 1);
    }

    #[test]
    fn analysis_knows_no_scheme() {
        let file = "crates/analysis/src/a.rs";
        assert_eq!(rules(file, "let change = 1; // newmark\n#[cfg(test)]\nmod tests { use newmark; }\n"), [""; 0]);
        assert_eq!(rules(file, "let s = find(\"newmark\");\n").len(), 1);
        assert_eq!(rules(file, "use kernel::scheme::chang::Chang;\n").len(), 1);
    }

    #[test]
    fn schemes_and_couplings_are_told_apart_at_home() {
        let text = "match s { AnyScheme::Chang(_) => 1, _ => 0 }; let m = CouplingMethod::default();\n";
        assert_eq!(rules("crates/cli/src/a.rs", text).len(), 1);
        assert_eq!(rules("crates/cli/src/a.rs", "matches!(m, CouplingMethod::Pm)\n").len(), 1);
        assert_eq!(rules("crates/kernel/src/scheme/registry.rs", text), [""; 0]);
        assert_eq!(rules("crates/testkit/tests/a.rs", text), [""; 0]);
    }

    #[test]
    fn headers_are_asked_for() {
        let good = "//! A.\n//! History h = [].\n//! Deviations: none.\n";
        assert_eq!(rules("crates/kernel/src/scheme/a.rs", good), [""; 0]);
        assert_eq!(rules("crates/kernel/src/scheme/a.rs", "//! A.\n").len(), 2);
        assert_eq!(rules("crates/kernel/src/scheme/mod.rs", "use a;\n"), [""; 0]);
        assert_eq!(rules("crates/kernel/src/element/a.rs", "use a;\n//! Late.\n").len(), 1);
    }

    #[test]
    fn citations_lead_to_sections_that_exist() {
        let newmark = sections("# Newmark\n\n## 1 One pass\n\n### 1.2 Predictor\n\n## Unnumbered\n");
        assert_eq!(newmark, ["1", "1.2"]);
        let documents = Documents(BTreeMap::from([("docs/book/src/newmark.md".to_owned(), newmark)]));
        let found = |line: &str| -> Vec<String> {
            documents.rules(Path::new("a.rs"), line).iter().map(Problem::to_string).collect()
        };
        for good in [
            "//! Second order (book: newmark 1.2), see newmark.md or docs/book/src/newmark.md.",
            "x; book: newmark 1, 1.2. With, of course, more",
            "reference: \"derived (book: newmark 1)\",",
            "// The book: chapters of it",
            "    book: Book,",
        ] {
            assert_eq!(found(good), [""; 0], "{good}");
        }
        assert_eq!(found("let name = \"novel.md\";"), [""; 0]);
        assert_eq!(found("let help = \"see docs/newmark.md\";").len(), 1);
        for (bad, message) in [
            ("// (book: newmark 1.3)", "no such section; docs/book/src/newmark.md has 1, 1.2"),
            ("// (book: newmark 1, 3, and so on)", "`book: newmark 3`"),
            ("// (book: newmark)", "`book: newmark `: no such section"),
            ("// (book: novel 1)", "no docs/book/src/novel.md"),
            (
                "/// as in ../shared/methods/novel.md, sec. 2",
                "a.rs:1: `../shared/methods/novel.md` is not in the repository",
            ),
        ] {
            let found = found(bad);
            assert!(found.len() == 1 && found[0].contains(message), "{bad}: {found:?}");
        }
    }

    #[test]
    fn names_come_from_the_registry() {
        assert_eq!(scheme_names("    SchemeInfo {\n        name: \"hht\",\n        title: \"x\",\n"), ["hht"]);
    }
}
