//! Every key that is listed is read by the parser in some model of the project, and says something.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use interfield_kernel::element::catalogue::catalogue;

use super::{Table, tables};
use crate::diag::{Diagnostics, Source};
use crate::document::Document;
use crate::include::gather;
use crate::key::Section;
use crate::parse::{FILE, Overrides, elements, parse};
use crate::quantity::{Scope, Value as Quantity};
use crate::reader::{READ, ReadTable};

/// Keys that no other model of the project uses.
const RARE: &str = include_str!("rare.toml");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Every good model of the project: (name, text, folder).
fn models() -> Vec<(String, String, PathBuf)> {
    let mut all = vec![("rare.toml".to_owned(), RARE.to_owned(), root())];
    for folder in
        ["models", "docs/examples", "crates/cli/tests/data", "crates/cli/templates", "crates/language/tests/data"]
    {
        for entry in std::fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.extension().is_some_and(|e| e == "toml") && !name.contains("mistakes") {
                all.push((name, std::fs::read_to_string(&path).unwrap(), root().join(folder)));
            }
        }
    }
    for name in ["README.md", "docs/book/src/model-files.md", "docs/book/src/templates.md"] {
        let text = std::fs::read_to_string(root().join(name)).unwrap();
        for block in text.split("```toml").skip(1).filter_map(|b| b.split("```").next()) {
            let (info, body) = block.split_once('\n').unwrap();
            if body.contains("[analysis]") && !info.contains("mistakes") {
                all.push((name.to_owned(), body.to_owned(), root()));
            }
        }
    }
    all
}

/// Everything the parser asked for in all models.
fn asked() -> Vec<ReadTable> {
    let mut all = Vec::new();
    for (name, text, folder) in models() {
        READ.with_borrow_mut(Vec::clear);
        let diags = Diagnostics::new();
        let files = |path: &str| std::fs::read(folder.join(path)).map_err(|e| e.to_string());
        let source = gather(&name, &text, &files, &diags);
        let found = parse(&source, &Overrides::default(), &files, &diags);
        assert!(found.is_some(), "{}", diags.render(&source, false));
        all.append(&mut READ.take());
    }
    all
}

/// Whether a table that was read is this one, by its section and the words that choose a variant.
fn is(table: &Table, read: &ReadTable) -> bool {
    let chosen = |(key, word): &(&str, &str)| read.texts.get(*key).is_some_and(|t| t == word);
    read.section == table.name && table.when.iter().all(chosen)
}

/// Sections whose tables are joined with others before they are read, or whose keys a registry judges.
const ELSEWHERE: [&str; 8] = ["scheme", "coupling", "compensation", "section", "sectioned", "member", "law", "bearing"];

#[test]
fn every_key_is_read_in_some_model() {
    let asked = asked();
    for table in tables().iter().filter(|t| t.others.is_none() && !ELSEWHERE.contains(&t.name)) {
        let read: Vec<&ReadTable> = asked.iter().filter(|r| is(table, r)).collect();
        let id = table.id();
        assert!(!read.is_empty(), "{id} occurs in no model: add one to crates/language/src/schema/rare.toml");
        let read: BTreeSet<&str> = read.iter().flat_map(|r| r.asked.iter().map(String::as_str)).collect();
        for key in &table.keys {
            // Files are joined before they are read.
            let start = key.name.trim_end_matches("<N>");
            let is = |k: &&str| *k == key.name || (start != key.name && k.starts_with(start));
            assert!(key.name == "include" || read.iter().any(is), "{id}: nobody reads `{}`", key.name);
        }
    }
}

#[test]
fn every_key_says_something_and_no_table_has_one_twice() {
    for table in tables() {
        assert!(!table.doc.is_empty());
        let names: BTreeSet<&str> = table.keys.iter().map(|k| k.name).collect();
        assert_eq!(names.len(), table.keys.len(), "{}: a key is declared twice", table.id());
        for key in &table.keys {
            let id = format!("{}.{}", table.id(), key.name);
            assert!(!key.example.is_empty(), "{id}: no example");
            assert!(key.doc.len() > 4 && key.doc.ends_with('.'), "{id}: `{}` explains nothing", key.doc);
        }
    }
}

/// Sections that stand in a section, and itself.
fn reachable(section: &'static Section, all: &mut Vec<&'static Section>) {
    if all.contains(&section) {
        return;
    }
    all.push(section);
    let keys = section.described().into_iter().chain(section.variants.iter().flat_map(|v| v()).flat_map(|v| v.keys));
    let others = section.others.map(|others| others());
    let inner: Vec<&'static Section> = keys.map(|k| k.value).chain(others).flat_map(|v| v.sections()).collect();
    inner.into_iter().for_each(|s| reachable(s, all));
}

#[test]
fn examples_are_what_their_keys_hold() {
    let (mut all, mut count) = (Vec::new(), 0);
    reachable(&FILE, &mut all);
    for (section, key) in all.iter().flat_map(|s| s.keys.iter().map(move |k| (s, k))) {
        let about = key.describe();
        for text in [Some(&about.example), about.default.as_ref()].into_iter().flatten() {
            let source = Source::new("example.toml", format!("{} = {text}\n", about.name.replace("<N>", "1")));
            let diags = Diagnostics::new();
            let mut scope = Scope::default();
            ["seed", "h", "i"].iter().for_each(|name| scope.insert(*name, Quantity::bare(1.0)));
            let document = Document::parse(&source, &diags)
                .unwrap_or_else(|| panic!("{section:?}: {}", diags.render(&source, false)));
            key.try_in(&document.root(&scope, section));
            assert!(!diags.has_errors(), "{section:?}: {}", diags.render(&source, false));
            count += 1;
        }
    }
    assert!(count > 200, "{count}");
}

#[test]
fn every_option_of_the_catalogue_has_a_kind() {
    for info in catalogue() {
        for name in info.options.iter().flat_map(|(names, _)| names.split(", ")) {
            assert!(
                elements::option(name).is_some(),
                "say in parse/elements.rs what `{name}` of `{}` holds",
                info.name
            );
        }
    }
}
