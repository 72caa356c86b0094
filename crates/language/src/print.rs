//! A model written as plain TOML.
//!
//! **Must not be here:** knowledge of what a model file contains.

use std::fmt::Write;

use toml::de::{DeTable, DeValue};

/// The text of a table: values first, then lists of tables, a line for each, then tables.
pub(crate) fn document(root: &DeTable<'_>) -> String {
    let mut keys: Vec<_> = root.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    let mut out = String::new();
    for (key, item) in keys.iter().filter(|(_, i)| !i.get_ref().is_table() && !is_tables(i.get_ref())) {
        out += &format!("{} = ", quoted_key(key.get_ref()));
        value(&mut out, item.get_ref());
        out.push('\n');
    }
    for (key, item) in keys.iter().filter(|(_, i)| is_tables(i.get_ref())) {
        out += &format!("\n{} = [\n", quoted_key(key.get_ref()));
        for entry in item.get_ref().as_array().into_iter().flat_map(|a| a.iter()) {
            out += "    ";
            value(&mut out, entry.get_ref());
            out += ",\n";
        }
        out += "]\n";
    }
    for (key, item) in keys {
        if let DeValue::Table(inner) = item.get_ref() {
            table(&mut out, &quoted_key(key.get_ref()), inner);
        }
    }
    out.trim_start().to_owned()
}

/// A table under its header.
fn table(out: &mut String, path: &str, entries: &DeTable<'_>) {
    *out += &format!("\n[{path}]\n");
    for (key, item) in in_order(entries) {
        *out += &format!("{} = ", quoted_key(key));
        value(out, item);
        out.push('\n');
    }
}

fn in_order<'t, 'a>(entries: &'t DeTable<'a>) -> Vec<(&'t str, &'t DeValue<'a>)> {
    // Where it was written; what a template made stands at one place and comes in the order of the alphabet.
    let mut list: Vec<_> = entries.iter().collect();
    list.sort_by_key(|(key, _)| (key.get_ref() != "name", key.get_ref() != "type", key.span().start));
    list.into_iter().map(|(key, item)| (key.get_ref().as_ref(), item.get_ref())).collect()
}

fn is_tables(value: &DeValue<'_>) -> bool {
    value.as_array().is_some_and(|a| !a.is_empty() && a.iter().all(|i| i.get_ref().is_table()))
}

fn value(out: &mut String, v: &DeValue<'_>) {
    match v {
        DeValue::String(s) => *out += &quoted(s),
        DeValue::Integer(i) => {
            let prefix = match i.radix() {
                16 => "0x",
                8 => "0o",
                2 => "0b",
                _ => "",
            };
            *out += &format!("{prefix}{}", i.as_str());
        }
        DeValue::Float(f) => *out += f.as_str(),
        DeValue::Boolean(b) => *out += if *b { "true" } else { "false" },
        DeValue::Datetime(d) => *out += &d.to_string(),
        DeValue::Array(list) => {
            out.push('[');
            for (i, item) in list.iter().enumerate() {
                *out += if i > 0 { ", " } else { "" };
                value(out, item.get_ref());
            }
            out.push(']');
        }
        DeValue::Table(entries) => {
            *out += "{ ";
            for (i, (key, item)) in in_order(entries).into_iter().enumerate() {
                *out += if i > 0 { ", " } else { "" };
                *out += &format!("{} = ", quoted_key(key));
                value(out, item);
            }
            *out += " }";
        }
    }
}

fn quoted_key(key: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !key.is_empty() && key.chars().all(bare) { key.to_owned() } else { quoted(key) }
}

fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out += "\\n",
            '\t' => out += "\\t",
            c if c.is_control() => {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
