//! Parameters of a part replaced by their values in the texts of its tables.

use std::collections::{BTreeMap, BTreeSet};

use toml::de::{DeArray, DeTable, DeValue};

use crate::quantity::{Value, names_in};
use crate::reader::Item;
use crate::units::UnitSystem;

/// Keys whose texts are names, never expressions.
const NAMES: [&str; 18] = [
    "name",
    "type",
    "nodes",
    "node",
    "dof",
    "dofs",
    "fixed",
    "release",
    "direction",
    "section",
    "signal",
    "path",
    "format",
    "unit",
    "coordinates",
    "part",
    "connect",
    "spectrum",
];

/// Keys of matrices, which may be names of files.
const MATRICES: [&str; 8] = ["M", "C", "K", "A", "B", "Bv", "D", "Dv"];

/// Values by name, and the units of plain numbers.
pub(super) struct Values<'v> {
    pub(super) values: &'v BTreeMap<String, Value>,
    pub(super) units: &'v UnitSystem,
}

impl Values<'_> {
    /// Replaces the parameters in all expressions of a table.
    pub(super) fn put<'a>(&self, table: &mut DeTable<'a>) {
        self.put_except(table, &BTreeSet::new());
    }

    fn put_except<'a>(&self, table: &mut DeTable<'a>, hidden: &BTreeSet<String>) {
        let kind = table.get("type").and_then(|t| t.get_ref().as_str()).unwrap_or("").to_owned();
        let formula = (kind == "formula").then(|| variables(table));
        let files = matches!(kind.as_str(), "matrix" | "block");
        let keys: Vec<String> = table.keys().map(|k| k.get_ref().to_string()).collect();
        for key in keys {
            let Some(item) = table.get_mut(key.as_str()) else { continue };
            let names = NAMES.contains(&key.as_str()) && !item.get_ref().is_table();
            if names || (files && MATRICES.contains(&key.as_str())) {
                continue;
            }
            match (&formula, key.as_str()) {
                (Some(own), "force" | "states" | "value") => self.put_item(item, own, true),
                _ => self.put_item(item, hidden, false),
            }
        }
    }

    fn put_item(&self, item: &mut Item<'_>, hidden: &BTreeSet<String>, plain: bool) {
        match item.get_mut() {
            DeValue::String(text) => {
                let new = self.text(text, hidden, plain);
                if let Some(new) = new {
                    *text = new.into();
                }
            }
            DeValue::Array(list) => list.iter_mut().for_each(|i| self.put_item(i, hidden, plain)),
            DeValue::Table(table) if plain => {
                let mut all = std::mem::take(table);
                let keys: Vec<String> = all.keys().map(|k| k.get_ref().to_string()).collect();
                for key in keys {
                    if let Some(i) = all.get_mut(key.as_str()) {
                        self.put_item(i, hidden, plain);
                    }
                }
                *table = all;
            }
            DeValue::Table(table) => self.put_except(table, hidden),
            _ => {}
        }
    }

    /// The text with values in place of names; `None` if it has no such names.
    fn text(&self, text: &str, hidden: &BTreeSet<String>, plain: bool) -> Option<String> {
        let known = |name: &str| self.values.contains_key(name) && !hidden.contains(name);
        let mut found = if plain { names_in::<false>(text, &known) } else { names_in::<true>(text, &known) };
        found.sort_by_key(|f| f.start);
        found.dedup();
        let mut out = String::new();
        let mut done = 0;
        for span in found {
            let value = self.values.get(text.get(span.clone())?)?;
            let written = if plain { self.number(*value) } else { value.literal() };
            out.push_str(text.get(done..span.start)?);
            let alone = text.trim().len() == span.len();
            out.push_str(&if alone { written } else { format!("({written})") });
            done = span.end;
        }
        (done > 0).then(|| out + &text[done..])
    }

    /// A number in the units of the file, as formulas take it.
    fn number(&self, value: Value) -> String {
        format!("{:?}", value.si / value.dim.map_or(1.0, |d| self.units.factor(d)))
    }
}

/// Names that mean something of their own in the formulas of a table.
fn variables(table: &DeTable<'_>) -> BTreeSet<String> {
    let mut names: BTreeSet<String> = ["t", "u", "v"].map(str::to_owned).into();
    for key in ["parameters", "states"] {
        if let Some(inner) = table.get(key).and_then(|t| t.get_ref().as_table()) {
            names.extend(inner.keys().map(|k| k.get_ref().to_string()));
        }
    }
    let list = |key: &str| table.get(key).and_then(|c| c.get_ref().as_array()).map_or(&[][..], DeArray::as_ref);
    for i in 1..=list("dofs").len() {
        names.extend([format!("u{i}"), format!("v{i}")]);
    }
    for c in list("coordinates").iter().filter_map(|c| c.get_ref().as_str()) {
        names.extend([c.to_owned(), format!("{c}_dot"), c.replacen('u', "v", 1)]);
    }
    names
}
