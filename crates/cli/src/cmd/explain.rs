//! `interfield explain`: what a key or a table of the model file means, from the keys that the parser reads with.

use std::sync::LazyLock;

use clap::Args as ClapArgs;
use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use interfield_language::diag::did_you_mean;
use interfield_language::schema::{Key, Table, Value as Holds, allowed, tables};
use interfield_language::units::{self, Unit};
use serde_json::{Value, json};

use crate::Exit;
use crate::output::{fail, print, print_json};
use interfield::table::{explained, labelled, short, wrapped};

/// Explain a key or a table of the model file
///
/// A key is written with its tables: `specimen.actuator.delay`. The last part is enough, and finds every place of the key:
/// `actuator.delay`, `delay`. Units are explained, too: `kN/mm`. A variant follows the name of its table: `signal.harmonic`, `element.spring`.
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

/// Everything that can be explained: tables, their variants, and their keys, wherever they stand.
fn names(all: &[Table]) -> Vec<String> {
    let homes = homes(all);
    let mut names: Vec<String> =
        homes.iter().flat_map(|(path, t)| t.keys.iter().map(move |k| joined(path, k.name))).collect();
    names.extend(homes.into_iter().flat_map(|(path, t)| [path, variant(t)]).filter(|n| !n.is_empty()));
    names.sort();
    names.dedup();
    names
}

/// Every place where a table may stand, from the top of the file. Names of the user's own are `NAME`.
fn homes(all: &[Table]) -> Vec<(String, &Table)> {
    let mut found: Vec<(String, &Table)> = all.first().map(|file| (String::new(), file)).into_iter().collect();
    let mut next = 0;
    while next < found.len() {
        let (path, table) = found[next].clone();
        next += 1;
        let keys = table.keys.iter().map(|k| (k.name, &k.value)).chain(table.others.iter().map(|v| ("NAME", v)));
        for (name, value) in keys {
            let mut inner = Vec::new();
            sections(value, &mut inner);
            let path = joined(&path, name);
            // A table inside of itself is explained where it stands first.
            let again = |t: &&Table| {
                found.iter().any(|(p, f)| f.id() == t.id() && (*p == path || path.starts_with(&format!("{p}."))))
            };
            let new: Vec<&Table> = all.iter().filter(|t| inner.contains(&t.name)).filter(|t| !again(t)).collect();
            found.extend(new.into_iter().map(|t| (path.clone(), t)));
        }
    }
    found
}

fn joined(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// Name of a variant, `signal.harmonic`; empty for a table without variants.
fn variant(table: &Table) -> String {
    let words: Vec<&str> = table.when.iter().map(|w| w.1).collect();
    if words.is_empty() { String::new() } else { format!("{}.{}", table.name, words.join(".")) }
}

/// What a name stands for: tables, keys with their tables and the paths at which they stand, or a unit as it is written.
#[derive(Default)]
struct Found<'a> {
    tables: Vec<&'a Table>,
    keys: Vec<(String, &'a Table, &'a Key)>,
    unit: Option<(String, Unit)>,
}

/// What stands at this path, and a variant of this name; else what ends with the name; else a unit.
fn find<'a>(all: &'a [Table], homes: &[(String, &'a Table)], name: &str) -> Option<Found<'a>> {
    let (parent, last) = name.rsplit_once('.').unwrap_or(("", name));
    let keys = walk(all, parent).into_iter().flat_map(|t| t.keys.iter().map(move |k| (joined(parent, k.name), t, k)));
    let mut keys: Vec<_> = keys.filter(|(_, _, k)| k.name == last).collect();
    let there = walk(all, name);
    if !there.is_empty() {
        keys.retain(|(_, _, k)| also_plain(&k.value));
        return Some(Found { tables: there, keys, unit: None });
    }
    let tables: Vec<&Table> = all.iter().filter(|t| variant(t) == name || t.id() == name).collect();
    if !(keys.is_empty() && tables.is_empty()) {
        return Some(Found { tables, keys, unit: None });
    }
    let ends = |path: &str| path == name || path.ends_with(&format!(".{name}"));
    let mut tables: Vec<&Table> = homes.iter().filter(|(path, t)| t.name == name || ends(path)).map(|h| h.1).collect();
    let mut seen = Vec::new();
    tables.retain(|t| {
        !seen.contains(&t.id()) && {
            seen.push(t.id());
            true
        }
    });
    let of_home = |(path, t): &(String, &'a Table)| {
        let (path, t) = (path.clone(), *t);
        t.keys.iter().filter(|k| k.name == last).map(move |k| (joined(&path, k.name), t, k))
    };
    let mut keys: Vec<_> = homes.iter().flat_map(of_home).filter(|(path, ..)| ends(path)).collect();
    if !tables.is_empty() {
        keys.retain(|(_, _, k)| also_plain(&k.value));
        return Some(Found { tables, keys, unit: None });
    }
    let unit = name.trim_start_matches(|c: char| c.is_ascii_digit() || " .+-".contains(c));
    let unit = Unit::parse(unit).ok().filter(|_| !unit.is_empty()).map(|found| (unit.to_owned(), found));
    (!keys.is_empty() || unit.is_some()).then_some(Found { tables: Vec::new(), keys, unit })
}

pub(crate) fn run(args: &Args) -> Exit {
    let all = tables();
    let Some(name) = &args.key else {
        list(&all, args.json);
        return Exit::Done;
    };
    let homes = homes(&all);
    let Some(Found { mut tables, keys, unit }) = find(&all, &homes, name) else {
        let message = format!("a model file has no key or table `{name}`");
        fail(args.json, None, None, &message, &advice(&all, name));
        return Exit::BadInput;
    };
    // What names of the user's own hold belongs to their table.
    let mut names = Vec::new();
    tables.iter().flat_map(|t| &t.others).for_each(|value| sections(value, &mut names));
    tables.extend(all.iter().filter(|t| names.contains(&t.name)));
    if args.json {
        let keys = keys.iter().map(|(path, t, k)| key_json(path, t, k));
        let unit = unit.iter().map(|(name, unit)| unit_json(name, *unit));
        print_json(&Value::Array(tables.iter().map(|t| table_json(t)).chain(keys).chain(unit).collect()));
        return Exit::Done;
    }
    let mut pages = Vec::new();
    if !keys.is_empty() {
        pages.push(keys_text(&keys));
    }
    if !tables.is_empty() {
        pages.push(tables_text(&tables));
    }
    pages.extend(unit.map(|(name, unit)| unit_text(&name, unit)));
    print(&pages.join("\n"));
    Exit::Done
}

/// What may have been meant: the same key elsewhere, a name that is near, or the list.
fn advice(all: &[Table], name: &str) -> String {
    let names = names(all);
    let last = |n: &str| n.rsplit('.').next().unwrap_or_default().to_owned();
    let word = last(name);
    let elsewhere: Vec<String> =
        names.iter().filter(|n| last(n) == word).take(ELSEWHERE).map(|n| format!("`{n}`")).collect();
    if !elsewhere.is_empty() {
        return format!("`{word}` is {}", elsewhere.join(", "));
    }
    // Of a whole path, or of its last word.
    let near = did_you_mean(name, names.iter().map(String::as_str))
        .or_else(|| did_you_mean(&word, names.iter().map(|n| last(n)).collect::<Vec<_>>().iter().map(String::as_str)));
    near.unwrap_or_else(|| "`interfield explain` lists the tables".to_owned())
}

/// Places of a key that are named where it was looked for elsewhere.
const ELSEWHERE: usize = 6;

/// A unit, as it may be written in a model file.
fn unit_text(name: &str, unit: Unit) -> String {
    let (what, si, factor) = (unit.dim.describe(), unit.dim, short(unit.factor));
    format!("{name}: a unit of {what}\n  1 {name} = {factor} {si}\n  example  \"{}\"\n", unit.dim.example())
}

fn unit_json(name: &str, unit: Unit) -> Value {
    json!({ "unit": name, "measures": unit.dim.describe(), "si_factor": unit.factor, "si_unit": unit.dim.to_string() })
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

/// Whether a key may hold something simple, be it beside a table: `mass = "20 t"` or `mass = { x = "20 t" }`.
fn also_plain(value: &Holds) -> bool {
    let simple = |v: &Holds| {
        let mut names = Vec::new();
        sections(v, &mut names);
        names.is_empty()
    };
    simple(value) || matches!(value, Holds::Either(list) if list.iter().any(simple))
}

/// The tables, and the keys outside of them.
fn list(all: &[Table], json: bool) {
    if json {
        return print_json(&Value::Array(all.iter().map(table_json).collect()));
    }
    let file = all.first().map_or(&[][..], |t| &t.keys);
    let rows: Vec<Vec<String>> = file.iter().map(|k| vec![k.name.to_owned(), k.doc.clone()]).collect();
    print(&explained(&["key or table", ""], &rows));
    print(
        "\n`interfield explain NAME` shows the keys of a table, `interfield explain NAME.KEY`\nthe meaning of a key, \
         `interfield explain kN/mm` a unit.\n",
    );
}

/// A table, or the variants of one.
fn tables_text(found: &[&Table]) -> String {
    if let [table] = found {
        return table_words(table);
    }
    let title = |t: &&Table| if t.when.is_empty() { t.path.clone() } else { variant(t) };
    let rows: Vec<Vec<String>> =
        found.iter().map(|t| vec![title(t), t.doc.lines().next().unwrap_or_default().to_owned()]).collect();
    format!(
        "{}: one of these\n\n{}\n`interfield explain VARIANT` shows its keys.\n",
        found[0].written,
        explained(&["variant", ""], &rows)
    )
}

fn table_words(table: &Table) -> String {
    let mut out = format!("{}\n{}", table.written, wrapped("", &table.doc));
    if !table.keys.is_empty() {
        let row = |k: &Key| {
            let usual = if k.required { "required".to_owned() } else { k.default.clone().unwrap_or_default() };
            vec![k.name.to_owned(), usual, k.doc.clone()]
        };
        out += &format!("\n{}", explained(&["key", "<default", ""], &table.keys.iter().map(row).collect::<Vec<_>>()));
    }
    if let Some(value) = &table.others {
        out +=
            &format!("\n{}", wrapped("", &format!("You choose the names of the keys; each holds {}.", value.words())));
    }
    if table.name == "units" {
        let names = format!("Units in common use: {}.", units::common().join(", "));
        out += &format!("\n{}", wrapped("", &names));
    }
    out
}

/// A key, in all variants of its table that have it, and in all places where it stands.
fn keys_text(found: &[(String, &Table, &Key)]) -> String {
    let chooses = |(_, t, k): &&(String, &Table, &Key)| t.when.iter().any(|w| w.0 == k.name);
    let one_table = found.iter().all(|(path, ..)| *path == found[0].0);
    if one_table && found.iter().filter(chooses).count() == found.len() {
        let (path, table, key) = &found[0];
        let word = |t: &Table| t.when.iter().find(|w| w.0 == key.name).map_or("", |w| w.1);
        let mut rows: Vec<Vec<String>> = found
            .iter()
            .map(|(_, t, _)| vec![format!("\"{}\"", word(t)), t.doc.lines().next().unwrap_or_default().to_owned()])
            .collect();
        rows.dedup_by(|a, b| a[0] == b[0]);
        return format!("{path}: one of these, in {}\n\n{}", table.written, explained(&[key.name, ""], &rows));
    }
    // The same words in several places are said once, with all of them.
    let mut shown: Vec<(Vec<&str>, [String; 2])> = Vec::new();
    for (path, table, key) in found {
        let words = [key.doc.clone(), key_words(table, key)];
        match shown.iter_mut().find(|(_, known)| *known == words) {
            Some((paths, _)) if paths.contains(&path.as_str()) => {}
            Some((paths, _)) => paths.push(path),
            None => shown.push((vec![path], words)),
        }
    }
    let text = |(paths, [doc, words]): &(Vec<&str>, [String; 2])| {
        let also = match paths.len() {
            0 | 1 => String::new(),
            n if n > ELSEWHERE => {
                wrapped("  ", &format!("and {}, and {} more", paths[1..ELSEWHERE].join(", "), n - ELSEWHERE))
            }
            _ => wrapped("  ", &format!("and {}", paths[1..].join(", "))),
        };
        labelled("", paths[0], doc) + words + &also
    };
    shown.iter().map(text).collect::<Vec<_>>().join("\n")
}

/// What is said of a key below its sentence.
fn key_words(table: &Table, key: &Key) -> String {
    let place = if table.written.is_empty() { "the top of the file" } else { table.written };
    let mut out = wrapped("  ", &format!("holds    {}", key.value.words()));
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

fn key_json(path: &str, table: &Table, key: &Key) -> Value {
    json!({
        "key": path, "table": table.id(), "doc": key.doc, "holds": key.value.words(), "range": allowed(key.range),
        "required": key.required, "default": key.default, "example": key.example,
    })
}

fn table_json(table: &Table) -> Value {
    json!({
        "table": table.id(), "path": table.path, "written": table.written, "doc": table.doc,
        "keys": table.keys.iter().map(|k| key_json(&joined(&table.path, k.name), table, k)).collect::<Vec<_>>(),
        "names": table.others.as_ref().map(|v| v.words()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_and_every_table_of_the_file_is_explained() {
        let all = tables();
        let homes = homes(&all);
        let (mut keys, mut found_tables) = (0, 0);
        for (path, table) in &homes {
            for key in &table.keys {
                let name = joined(path, key.name);
                let found = find(&all, &homes, &name).unwrap_or_else(|| panic!("`{name}` is not explained"));
                // A key that holds tables is explained by them.
                assert!(found.tables.iter().all(|t| !t.doc.is_empty() || !t.keys.is_empty()), "{name}");
                let here =
                    |(at, t, k): &(String, &Table, &Key)| *at == name && t.id() == table.id() && k.doc == key.doc;
                assert!(!found.tables.is_empty() || found.keys.iter().any(here), "{name}");
                assert!(key.doc.len() > 3 && !key.example.is_empty(), "{name}: {}", key.doc);
                keys += 1;
            }
            for name in [path.clone(), variant(table)].into_iter().filter(|n| !n.is_empty()) {
                let found = find(&all, &homes, &name);
                assert!(found.is_some_and(|f| !f.tables.is_empty()), "{name}");
                found_tables += 1;
            }
        }
        assert!(keys > 500 && found_tables > 100, "{keys} keys, {found_tables} tables");
        // And by their last words.
        let mut words: Vec<&str> = homes.iter().flat_map(|(_, t)| t.keys.iter().map(|k| k.name)).collect();
        words.sort_unstable();
        words.dedup();
        words.iter().for_each(|word| assert!(find(&all, &homes, word).is_some(), "{word}"));
    }

    #[test]
    fn all_homes_of_a_key_are_found() {
        let all = tables();
        let homes = homes(&all);
        let paths = |name: &str| -> Vec<String> {
            find(&all, &homes, name).map_or_else(Vec::new, |f| f.keys.into_iter().map(|k| k.0).collect())
        };
        let delays = paths("delay");
        assert!(delays.contains(&"specimen.actuator.delay".to_owned()), "{delays:?}");
        assert!(delays.contains(&"specimen.compensation.delay".to_owned()), "{delays:?}");
        let samples = paths("limits.force.samples");
        let homes_of_samples = ["specimen", "specimen.actuator", "specimen.load_cell"];
        assert_eq!(samples, homes_of_samples.map(|home| format!("{home}.limits.force.samples")));
        // A word that is a key and a type is explained as both.
        let gap = find(&all, &homes, "element.gap").expect("both");
        assert!(!gap.tables.is_empty() && !gap.keys.is_empty());
        // Gravity is a key of some laws, and a unit.
        assert!(find(&all, &homes, "g").is_some_and(|f| f.unit.is_some() && !f.keys.is_empty()));
        let said = advice(&all, "limits.stroke");
        assert!(said.contains("`specimen.actuator.stroke`"), "{said}");
        assert!(advice(&all, "specimen.actuator.dely").contains("delay`?"));
    }
}
