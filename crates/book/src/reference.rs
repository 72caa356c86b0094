//! The reference of the model file, from the table of everything it can say.

use interfield_language::schema::{Key, Table, Value, tables};

use crate::text::{cell, code, slug};

/// Sections with a page of their own, by name: (page, what it lists).
const APART: [(&str, &str, &str); 4] = [
    ("element", "elements.md", "One of these types, with the keys that its entry in the catalogue lists"),
    ("material", "materials.md", "One of these types, with the keys that its entry in the catalogue lists"),
    ("scheme", "schemes.md", "One of these, with its parameters"),
    ("coupling", "couplings.md", "With the keys of one of these methods"),
];

/// The page, in Markdown.
pub(crate) fn page() -> String {
    let all = tables();
    let mut out = String::from(
        "# Model file reference\n\n\
         Every table and key, generated from the same source as the program and the [JSON Schema](../../schema.json) \
         for editors. Keys with a star are required. A *quantity* is a number in the units of the file, or a text \
         with a unit or an \
         expression: `\"4 kN/mm\"`, `\"2*k1\"`.\n",
    );
    let mut last = "";
    for section in &all {
        if let Some((_, page, words)) = APART.iter().find(|a| a.0 == section.name) {
            if last != section.name {
                out += &apart(&all, section, page, words);
            }
        } else {
            out += &heading(section);
            out += &format!("{}\n\n", cell_free(&section.doc));
            out += &keys(section);
        }
        last = section.name;
    }
    out
}

/// `[[load]]`: ground, or for a table inside of others the path at which it stands.
fn heading(section: &Table) -> String {
    let written = match section.written {
        "" => "Top level".to_owned(),
        written if written.starts_with('{') => format!("`{}`", section.path),
        written => format!("`{}`", written.trim_end_matches(" = { ... }")),
    };
    let variant: Vec<&str> = section.when.iter().map(|w| w.1).collect();
    let variant = if variant.is_empty() { String::new() } else { format!(": {}", variant.join(", ")) };
    anchored(&format!("{written}{variant}"), &section.id())
}

/// A heading whose anchor is `id`, here and on GitHub: where the words do not give it, they stand below.
fn anchored(words: &str, id: &str) -> String {
    if slug(words) == id { format!("\n## {words}\n\n") } else { format!("\n## {id}\n\n{words}\n\n") }
}

fn apart(all: &[Table], section: &Table, page: &str, words: &str) -> String {
    let link = |s: &Table| {
        let name = s.when.first().map_or(s.name, |w| w.1);
        format!("[{name}]({page}#{name})")
    };
    let list: Vec<String> = all.iter().filter(|s| s.name == section.name).map(link).collect();
    format!("{}{words}: {}.\n", anchored(&format!("`{}`", section.written), section.name), list.join(", "))
}

/// The table of the keys of a section.
pub(crate) fn keys(section: &Table) -> String {
    let mut out = String::new();
    if !section.keys.is_empty() {
        out += "| key | value | default | meaning |\n|---|---|---|---|\n";
    }
    for key in &section.keys {
        let star = if key.required { "\\*" } else { "" };
        let default = key.default.as_deref().map_or_else(String::new, code);
        // What makes the table this one is explained above it.
        let doc = match &key.value {
            Value::Word(list) if list.len() == 1 => key.doc.split("\n\n").next().unwrap_or_default(),
            _ => &key.doc,
        };
        let meaning = format!("{} {}", cell(doc), code(&format!("{} = {}", key.name, key.example)));
        out += &format!("| {}{star} | {} | {default} | {meaning} |\n", code(key.name), kind(key));
    }
    if let Some(value) = &section.others {
        out += &format!("\nYou choose the names of the keys; each holds {}.\n", words(value));
    }
    out
}

fn kind(key: &Key) -> String {
    match &key.value {
        // Choices with one word are what makes the table this one.
        Value::Word(list) if list.len() == 1 => code(&format!("\"{}\"", list[0])),
        value => words(value),
    }
}

/// What may be written, in words.
fn words(value: &Value) -> String {
    let link = |name: &str| format!("[{name}](reference.md#{})", anchor(name));
    match value {
        Value::Text => "text".to_owned(),
        Value::Word(list) if list.len() > 8 => "one of their names".to_owned(),
        Value::Word(list) => list.iter().map(|w| code(&format!("\"{w}\""))).collect::<Vec<_>>().join(" or "),
        Value::Flag => "`true` or `false`".to_owned(),
        Value::Whole => "whole number".to_owned(),
        Value::Number => "number".to_owned(),
        Value::Quantity { of, .. } if of == "a pure number" => "number or expression".to_owned(),
        Value::Quantity { of, .. } => format!("quantity, {}", cell(of)),
        Value::List(of) if matches!(**of, Value::Either(_)) => format!("list of ({})", words(of)),
        Value::List(of) => format!("list of {}", words(of)),
        Value::Table(section) => format!("table {}", link(section.name)),
        Value::Tables(section) => format!("list of tables {}", link(section.name)),
        Value::Either(list) => list.iter().map(words).collect::<Vec<_>>().join(", or "),
    }
}

/// Anchor of the first section of this name.
fn anchor(name: &str) -> String {
    if APART.iter().any(|a| a.0 == name) {
        return name.to_owned();
    }
    tables().iter().find(|s| s.name == name).map_or_else(|| name.to_owned(), Table::id)
}

/// Prose outside of tables.
fn cell_free(text: &str) -> String {
    cell(text).replace("\\|", "|")
}
