//! `interfield explain`: what a key or a table of the model file means, from the keys that the parser reads with.

use std::sync::LazyLock;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use interfield_language::diag::did_you_mean;
use interfield_language::schema::{Key, Table, Value as Holds, allowed, tables};
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::table::aligned;

/// Explain a key or a table of the model file
///
/// A key is written with its tables: `specimen.actuator.delay`. The last part is enough if it is unique:
/// `actuator.delay`. A variant follows the name of its table: `signal.harmonic`, `element.spring`.
#[derive(ClapArgs)]
#[command(
    after_help = "Examples:\n  interfield explain\n  interfield explain specimen\n  interfield explain specimen.actuator.delay\n  \
interfield explain coupling.method\n  interfield explain signal.harmonic"
)]
pub(crate) struct Args {
    /// Key or table; without it, the tables are listed
    #[arg(hide_possible_values = true, value_parser = Known)]
    key: Option<String>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

/// Any word; shells complete those that are known.
#[derive(Clone)]
struct Known;

impl TypedValueParser for Known {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<String, clap::Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names(&tables()));
        Some(Box::new(NAMES.iter().map(|name| PossibleValue::new(name.as_str()))))
    }
}

/// Everything that can be explained: tables, their variants, and their keys.
fn names(all: &[Table]) -> Vec<String> {
    let mut names: Vec<String> = all.iter().flat_map(|t| t.keys.iter().map(|k| path(t, k.name))).collect();
    names.extend(all.iter().flat_map(|t| [t.path.clone(), variant(t)]).filter(|n| !n.is_empty()));
    names.sort();
    names.dedup();
    names
}

fn path(table: &Table, key: &str) -> String {
    if table.path.is_empty() { key.to_owned() } else { format!("{}.{key}", table.path) }
}

/// Name of a variant, `signal.harmonic`; empty for a table without variants.
fn variant(table: &Table) -> String {
    let words: Vec<&str> = table.when.iter().map(|w| w.1).collect();
    if words.is_empty() { String::new() } else { format!("{}.{}", table.name, words.join(".")) }
}

pub(crate) fn run(args: &Args) -> Exit {
    let all = tables();
    let Some(name) = &args.key else {
        list(&all, args.json);
        return Exit::Done;
    };
    // What stands there; else a variant; else what ends with the name.
    let (parent, last) = name.rsplit_once('.').unwrap_or(("", name));
    let ends = |found: &str| found.ends_with(&format!(".{name}"));
    let keys = || all.iter().flat_map(|t| t.keys.iter().map(move |k| (t, k)));
    let tables = [
        walk(&all, name),
        all.iter().filter(|t| variant(t) == *name).collect(),
        all.iter().filter(|t| t.name == name || ends(&t.path)).collect(),
    ];
    let there = walk(&all, parent).into_iter().flat_map(|t| t.keys.iter().map(move |k| (t, k)));
    let found = [
        there.filter(|(_, k)| k.name == last).collect(),
        Vec::new(),
        keys().filter(|(t, k)| ends(&path(t, k.name))).collect(),
    ];
    for (tables, keys) in tables.iter().zip(found) {
        if !tables.is_empty() {
            // What names of the user's own hold belongs to their table.
            let mut names = Vec::new();
            tables.iter().flat_map(|t| &t.others).for_each(|value| sections(value, &mut names));
            let inner = all.iter().filter(|t| names.contains(&t.name));
            show_tables(&tables.iter().copied().chain(inner).collect::<Vec<_>>(), args.json);
            return Exit::Done;
        }
        if !keys.is_empty() {
            show_keys(&keys, args.json);
            return Exit::Done;
        }
    }
    let names = names(&all);
    // Of a whole path, or of its last word.
    let last = |n: &str| n.rsplit('.').next().unwrap_or_default().to_owned();
    let near = did_you_mean(name, names.iter().map(String::as_str));
    let near = near.or_else(|| {
        did_you_mean(&last(name), names.iter().map(|n| last(n)).collect::<Vec<_>>().iter().map(String::as_str))
    });
    let help = near.unwrap_or_else(|| "`interfield explain` lists the tables".to_owned());
    fail(args.json, None, None, &format!("a model file has no key or table `{name}`"), &help);
    Exit::BadInput
}

/// The tables at a dotted path, from the top of the file; any name will do where names are the user's.
fn walk<'a>(all: &'a [Table], path: &str) -> Vec<&'a Table> {
    let mut here: Vec<&Table> = all.first().into_iter().collect();
    for word in path.split('.').filter(|w| !w.is_empty()) {
        let mut names = Vec::new();
        for table in here {
            table.keys.iter().filter(|k| k.name == word).for_each(|k| sections(&k.value, &mut names));
            table.others.iter().for_each(|value| sections(value, &mut names));
        }
        here = all.iter().filter(|t| names.contains(&t.name)).collect();
    }
    here
}

/// Names of the tables that may stand behind a key.
fn sections(value: &Holds, names: &mut Vec<&'static str>) {
    match value {
        Holds::Table(section) | Holds::Tables(section) => names.push(section.name),
        Holds::List(of) => sections(of, names),
        Holds::Either(list) => list.iter().for_each(|v| sections(v, names)),
        _ => {}
    }
}

/// The tables, and the keys outside of them.
fn list(all: &[Table], json: bool) {
    if json {
        return print_json(&Value::Array(all.iter().map(table_json).collect()));
    }
    let file = all.first().map_or(&[][..], |t| &t.keys);
    let rows: Vec<Vec<String>> = file.iter().map(|k| vec![k.name.to_owned(), k.doc.clone()]).collect();
    print(&aligned(&["key or table", "<"], &rows));
    print(
        "\n`interfield explain NAME` shows the keys of a table, `interfield explain NAME.KEY` the meaning of a key.\n",
    );
}

/// A table, or the variants of one.
fn show_tables(found: &[&Table], json: bool) {
    if json {
        return print_json(&Value::Array(found.iter().map(|t| table_json(t)).collect()));
    }
    if let [table] = found {
        return print(&table_words(table));
    }
    let title = |t: &&Table| if t.when.is_empty() { t.path.clone() } else { variant(t) };
    let rows: Vec<Vec<String>> =
        found.iter().map(|t| vec![title(t), t.doc.lines().next().unwrap_or_default().to_owned()]).collect();
    print(&format!("{}: one of these\n\n", found[0].written));
    print(&aligned(&["variant", "<"], &rows));
    print("\n`interfield explain VARIANT` shows its keys.\n");
}

fn table_words(table: &Table) -> String {
    let mut out = format!("{}\n{}\n", table.written, table.doc);
    if !table.keys.is_empty() {
        let row = |k: &Key| {
            let usual = if k.required { "required".to_owned() } else { k.default.clone().unwrap_or_default() };
            vec![k.name.to_owned(), usual, k.doc.clone()]
        };
        out += &format!("\n{}", aligned(&["key", "<default", "<"], &table.keys.iter().map(row).collect::<Vec<_>>()));
    }
    if let Some(value) = &table.others {
        out += &format!("\nYou choose the names of the keys; each holds {}.\n", value.words());
    }
    out
}

/// A key, in all variants of its table that have it.
fn show_keys(found: &[(&Table, &Key)], json: bool) {
    if json {
        return print_json(&Value::Array(found.iter().map(|(t, k)| key_json(t, k)).collect()));
    }
    let choosers: Vec<&(&Table, &Key)> = found.iter().filter(|(t, k)| t.when.iter().any(|w| w.0 == k.name)).collect();
    if choosers.len() == found.len() {
        let word = |(t, k): &&(&Table, &Key)| t.when.iter().find(|w| w.0 == k.name).map_or("", |w| w.1);
        let mut rows: Vec<Vec<String>> = choosers
            .iter()
            .map(|c| vec![format!("\"{}\"", word(c)), c.0.doc.lines().next().unwrap_or_default().to_owned()])
            .collect();
        rows.dedup_by(|a, b| a[0] == b[0]);
        print(&format!("{}: one of these, in {}\n\n", path(found[0].0, found[0].1.name), found[0].0.written));
        return print(&aligned(&[found[0].1.name, "<"], &rows));
    }
    let mut shown: Vec<String> = Vec::new();
    for (table, key) in found {
        let words = key_words(table, key);
        if !shown.contains(&words) {
            shown.push(words);
        }
    }
    print(&shown.join("\n"));
}

fn key_words(table: &Table, key: &Key) -> String {
    let place = if table.written.is_empty() { "the top of the file" } else { table.written };
    let mut out = format!("{}: {}\n  holds    {}\n", path(table, key.name), key.doc, key.value.words());
    if let Some(range) = allowed(key.range) {
        out += &format!("  range    {range}\n");
    }
    match (&key.default, key.required) {
        (_, true) => out += "  required\n",
        (Some(default), _) => out += &format!("  default  {default}\n"),
        (None, _) => {}
    }
    out + &format!("  stands in {place}\n  example  {} = {}\n", key.name, key.example)
}

fn key_json(table: &Table, key: &Key) -> Value {
    json!({
        "key": path(table, key.name), "table": table.id(), "doc": key.doc, "holds": key.value.words(), "range": allowed(key.range),
        "required": key.required, "default": key.default, "example": key.example,
    })
}

fn table_json(table: &Table) -> Value {
    json!({
        "table": table.id(), "path": table.path, "written": table.written, "doc": table.doc,
        "keys": table.keys.iter().map(|k| key_json(table, k)).collect::<Vec<_>>(),
        "names": table.others.as_ref().map(|v| v.words()),
    })
}
