//! The schema against what the parser asks for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use interfield_kernel::element::catalogue::catalogue;

use super::{Section, Value, sections};
use crate::diag::Diagnostics;
use crate::include::gather;
use crate::parse::{Overrides, parse};
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

fn matches(pattern: &str, path: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => path.strip_prefix(start).is_some_and(|rest| !rest.contains('.')),
        None => pattern == path,
    }
}

fn section_of<'a>(all: &'a [Section], table: &ReadTable) -> &'a Section {
    let is_variant = |s: &&Section| s.when.iter().all(|(k, v)| table.texts.get(*k).is_some_and(|t| t == v));
    // A path in full comes before one with a star.
    let exact = all.iter().any(|s| s.paths.contains(&table.path.as_str()));
    let met = |s: &&Section| s.paths.iter().any(|p| if exact { *p == table.path } else { matches(p, &table.path) });
    let mut fitting = all.iter().filter(met).filter(is_variant);
    let found = fitting.next().unwrap_or_else(|| panic!("the schema has no section for {table:?}"));
    assert!(fitting.next().is_none(), "two sections for {table:?}");
    found
}

/// The declared key that an asked one stands for: `storey<N>` for `storey3`.
fn unnumbered(section: &Section, key: &str) -> String {
    let numbered = format!("{}<N>", key.trim_end_matches(|c: char| c.is_ascii_digit()));
    let is = |name: &str| section.keys.iter().any(|k| k.name == name);
    if !is(key) && is(&numbered) { numbered } else { key.to_owned() }
}

#[test]
fn the_schema_knows_the_keys_that_the_parser_asks_for() {
    let all = sections();
    let mut union: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    // What was looked at without asking for a key tells nothing.
    for table in asked().into_iter().filter(|t| !t.asked.is_empty()) {
        let section = section_of(&all, &table);
        union.entry(section.id()).or_default().extend(table.asked.iter().map(|key| unnumbered(section, key)));
    }
    for section in &all {
        let id = section.id();
        let mut declared: BTreeSet<String> = section.keys.iter().map(|k| k.name.to_owned()).collect();
        assert_eq!(declared.len(), section.keys.len(), "{id}: a key is declared twice");
        if section.others.is_some() {
            continue;
        }
        let asked = union.get(&id).cloned().unwrap_or_default();
        if section.paths.is_empty() {
            // Joined with others before it is read: its keys are those of elements, or of tables that are.
            continue;
        }
        // Files are joined before they are read.
        declared.remove("include");
        if ["scheme", "coupling", "compensation", "section", "member"].contains(&section.name) {
            // The parser reads what is there and lets the registry judge, from which the schema is made.
            assert!(asked.is_subset(&declared), "{id}: {asked:?}");
            continue;
        }
        assert!(!asked.is_empty(), "{id} occurs in no model: add one to crates/language/src/schema/rare.toml");
        assert_eq!(declared, asked, "{id}: left in crates/language/src/schema, right what the parser asks for");
    }
}

#[test]
fn every_table_that_is_named_exists_and_every_key_is_explained() {
    let all = sections();
    fn named(value: &Value, out: &mut Vec<&'static str>) {
        match value {
            Value::Table(name) | Value::Tables(name) => out.push(name),
            Value::List(inner) => named(inner, out),
            Value::Either(list) => list.iter().for_each(|v| named(v, out)),
            _ => {}
        }
    }
    for section in &all {
        assert!(!section.doc.is_empty());
        let mut tables = Vec::new();
        section.keys.iter().for_each(|k| named(&k.value, &mut tables));
        section.others.iter().for_each(|v| named(v, &mut tables));
        for table in tables {
            assert!(all.iter().any(|s| s.name == table), "{}: there is no section {table}", section.id());
        }
        for key in &section.keys {
            assert!(!key.example.is_empty(), "{}.{}: no example", section.id(), key.name);
            assert!(
                key.doc.len() > 4 && key.doc.ends_with('.'),
                "{}.{}: `{}` explains nothing",
                section.id(),
                key.name,
                key.doc
            );
        }
    }
}

#[test]
fn every_option_of_the_catalogue_has_a_kind() {
    for info in catalogue() {
        for name in info.options.iter().flat_map(|(names, _)| names.split(", ")) {
            assert!(
                super::elements::option(name, "doc").is_some(),
                "tell crates/language/src/schema/elements.rs what `{name}` of `{}` holds",
                info.name
            );
        }
    }
}
