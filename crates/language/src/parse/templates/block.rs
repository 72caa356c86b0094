//! One block as its template sees it: typed getters with the messages they need, and values to copy.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Expansion, MOST_TABLES};
use crate::diag::did_you_mean;
use crate::quantity::Scope;
use crate::reader::{Item, Spanned, Table};
use crate::units::Dimension;

/// Longest name of a block, in bytes.
const LONGEST_NAME: usize = 60;

/// A block and what its values can refer to.
pub(super) struct Block<'t, 'a> {
    pub(super) shared: &'t Expansion<'t, 'a>,
    /// Typed getters.
    pub(super) table: Table<'t>,
    /// The same, for copies.
    pub(super) entries: &'t DeTable<'a>,
    pub(super) scope: &'t Scope,
}

impl<'t, 'a> Block<'t, 'a> {
    pub(super) fn new(
        shared: &'t Expansion<'t, 'a>,
        entries: &'t DeTable<'a>,
        scope: &'t Scope,
        span: Range<usize>,
        key: &str,
    ) -> Self {
        let table = Table::new(shared.source, shared.diags, entries, span, key.to_owned());
        Self { shared, table, entries, scope }
    }

    /// Marks keys as known, also with a number behind them.
    pub(super) fn know(&self, keys: &[&str]) {
        keys.iter().for_each(|key| self.table.ignore(key));
        for key in self.table.keys() {
            if keys.contains(&key.value.trim_end_matches(|c: char| c.is_ascii_digit())) {
                self.table.ignore(&key.value);
            }
        }
    }

    pub(super) fn finish(self) {
        self.table.finish();
    }

    pub(super) fn error<T>(
        &self,
        span: Range<usize>,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Option<T> {
        self.table.error(span, message, Some(help.into()));
        None
    }

    pub(super) fn span(&self) -> Range<usize> {
        self.table.span()
    }

    /// A copy of a value, as it is.
    pub(super) fn copy(&self, key: &str) -> Option<Item<'a>> {
        self.table.ignore(key);
        self.entries.get(key).cloned()
    }

    /// Text in front of all names that the block makes: `NAME_`, or nothing.
    pub(super) fn prefix(&self) -> Option<String> {
        let Some(name) = self.table.string("name") else {
            return (!self.table.has("name")).then(String::new);
        };
        self.good_name(&name)?;
        Some(format!("{}_", name.value))
    }

    /// Checks a name that others are made from.
    pub(super) fn good_name(&self, name: &Spanned<String>) -> Option<()> {
        if name.value.is_empty() || name.value.len() > LONGEST_NAME {
            let message = format!("a name has 1 to {LONGEST_NAME} characters, found {}", name.value.chars().count());
            return self.error(name.span.clone(), message, "write a shorter one");
        }
        Some(())
    }

    /// A text, or what is usual.
    pub(super) fn string_or(&self, key: &str, usual: &str) -> Option<String> {
        match self.table.string(key) {
            Some(text) => Some(text.value),
            None => (!self.table.has(key)).then(|| usual.to_owned()),
        }
    }

    /// A count of things of which each makes at least one table.
    pub(super) fn count(&self, key: &str, example: &str) -> Option<usize> {
        let count = match self.table.is_string(key) {
            true => self.table.quantity(key, Dimension::NONE, self.scope)?,
            false => self.table.integer_required(key, example)?.map(|n| n as f64),
        };
        let n = count.value;
        if n >= 1.0 && n <= MOST_TABLES as f64 && n.fract() == 0.0 {
            return Some(n as usize);
        }
        let (message, help) = match n {
            n if n > MOST_TABLES as f64 => (
                format!("`{key}` is {n}, but a model may have {MOST_TABLES} nodes and elements"),
                "check the number of zeros",
            ),
            n => (format!("`{key}` is a count, 1 or more, found {n}"), "write a whole number"),
        };
        self.error(count.span, message, help)
    }

    /// Lengths under `key`: a list, or a count with the length of one under `each`; in metres.
    pub(super) fn lengths(&self, key: &str, each: &str) -> Option<Vec<f64>> {
        let example = "[\"6 m\", \"6 m\"]";
        if !self.table.is_list(key) {
            let (count, one) = (
                self.count(key, example),
                self.table.quantity_required(each, Dimension::LENGTH, self.scope).and_then(|x| self.positive(&x, each)),
            );
            return Some(vec![one?; count?]);
        }
        if let (true, Some(item)) = (self.table.has(each), self.entries.get(each)) {
            let message = format!("`{each}` goes with a count, but `{key}` is a list of lengths");
            return self.error(item.span(), message, format!("remove `{each}`, or write {key} = 3"));
        }
        let list = self.table.quantities(key, Dimension::LENGTH, self.scope)?;
        if list.value.is_empty() {
            return self.error(
                list.span,
                format!("`{key}` lists no length"),
                format!("write for example {key} = {example}"),
            );
        }
        let all: Vec<Option<f64>> = list.value.iter().map(|x| self.positive(x, key)).collect();
        all.into_iter().collect()
    }

    fn positive(&self, x: &Spanned<f64>, key: &str) -> Option<f64> {
        if x.value > 0.0 {
            return Some(x.value);
        }
        let message = format!("`{key}` must be greater than zero, found {} m", x.value);
        self.error(x.span.clone(), message, "write for example \"6 m\"")
    }

    /// Position of the block, metres; missing coordinates are zero.
    pub(super) fn origin(&self) -> [f64; 3] {
        let mut at = [0.0; 3];
        if let Some(given) = self.table.quantities("at", Dimension::LENGTH, self.scope) {
            if given.value.is_empty() || given.value.len() > 3 {
                let message = format!("a position has 1 to 3 coordinates, found {}", given.value.len());
                self.table.error(given.span.clone(), message, Some("write for example at = [0.0, 3.0]".to_owned()));
            }
            at.iter_mut().zip(&given.value).for_each(|(a, x)| *a = x.value);
        }
        at
    }

    /// A value for each of `n`: one for all, or a list of as many. `None` if there is no such key.
    pub(super) fn each(&self, key: &str, n: usize, what: &str) -> Option<Vec<Item<'a>>> {
        let item = self.copy(key)?;
        let DeValue::Array(list) = item.get_ref() else { return Some(vec![item; n]) };
        if list.len() != n {
            let message = format!("`{key}` lists {} values for {n} {what}", list.len());
            return self.error(item.span(), message, format!("write one value for all {what}, or one for each"));
        }
        Some(list.to_vec())
    }

    /// As [`Block::each`] for keys that must be there.
    pub(super) fn each_required(&self, key: &str, n: usize, what: &str, example: &str) -> Option<Vec<Item<'a>>> {
        if !self.table.has(key) {
            let message = format!("missing key `{key}` in `{}`", self.table.path());
            return self.error(self.span(), message, format!("write for example {key} = {example}"));
        }
        self.each(key, n, what)
    }

    /// Keys of an element: a table, or the name of a section.
    pub(super) fn keys_of(&self, item: &Item<'a>, example: &str) -> Option<DeTable<'a>> {
        match item.get_ref() {
            DeValue::Table(table) => Some(table.clone()),
            DeValue::String(_) => {
                let mut table = DeTable::new();
                table.insert(toml::Spanned::new(item.span(), "section".into()), item.clone());
                Some(table)
            }
            _ => {
                let message = "expected the keys of an element, or the name of a section";
                self.error(item.span(), message, format!("write for example {example}"))
            }
        }
    }

    /// The laws of `n` elements called `key`1, `key`2, ...: under `key` a table for all or a list, a stiffness `k`
    /// for linear springs, and `key`3 = { ... } for the third in place of what holds for all.
    pub(super) fn laws(&self, key: &str, n: usize) -> Option<Vec<DeTable<'a>>> {
        let example = format!("{key} = {{ type = \"spring\", k = \"4 kN/mm\" }}");
        let all = match (self.table.has(key), self.table.has("k")) {
            (true, true) => {
                let message = format!("`k` and `{key}` exclude each other");
                return self.error(self.span(), message, format!("write k inside of {example}"));
            }
            (true, false) => Some(self.each(key, n, &format!("elements `{key}1`, ..."))?),
            (false, true) => Some(self.each("k", n, &format!("elements `{key}1`, ..."))?),
            (false, false) => None,
        };
        let mut laws: Vec<Option<DeTable<'a>>> = match all {
            None => vec![None; n],
            Some(items) if self.table.has("k") => items.into_iter().map(|k| Some(spring(k))).collect(),
            Some(items) => {
                let laws: Vec<_> = items.iter().map(|i| self.keys_of(i, &example)).collect();
                laws.into_iter().map(|law| law.map(Some)).collect::<Option<_>>()?
            }
        };
        for own in self.table.keys() {
            let number = own.value.strip_prefix(key).filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
            let Some(number) = number else { continue };
            let item = self.copy(&own.value)?;
            match number.parse::<usize>().ok().and_then(|i| laws.get_mut(i.checked_sub(1)?)) {
                Some(law) => *law = Some(self.keys_of(&item, &example)?),
                None => {
                    let message = format!("there is no `{}`: they are {key}1 to {key}{n}", own.value);
                    return self.error(own.span, message, "correct the number");
                }
            }
        }
        if laws.iter().any(Option::is_none) {
            let message = format!("`{}` does not say what its elements are", self.table.path());
            return self.error(self.span(), message, format!("write k = \"4 kN/mm\", or {example}"));
        }
        laws.into_iter().collect()
    }

    /// Whether the keys of an element, with those of its section, have this one.
    pub(super) fn has_key(&self, keys: &DeTable<'a>, key: &str) -> bool {
        let section = keys.get("section").and_then(|s| s.get_ref().as_str());
        let section = section.and_then(|s| self.shared.sections.get(s)).and_then(|s| s.get_ref().as_table());
        keys.contains_key(key) || section.is_some_and(|s| s.contains_key(key))
    }

    /// One of several words, or what is usual; a message otherwise.
    pub(super) fn word(&self, text: &Spanned<String>, allowed: &[&str]) -> Option<usize> {
        let found = allowed.iter().position(|a| *a == text.value);
        if found.is_none() {
            let near = did_you_mean(&text.value, allowed.iter().copied()).map_or_else(String::new, |d| format!("{d} "));
            let list = allowed.iter().map(|a| format!("\"{a}\"")).collect::<Vec<_>>().join(", ");
            let message = format!("unknown value \"{}\"", text.value);
            return self.error(text.span.clone(), message, format!("{near}allowed are {list}"));
        }
        found
    }

    /// As [`Block::word`] for a key that may be absent; then the first word holds.
    pub(super) fn choice(&self, key: &str, allowed: &[&str]) -> Option<usize> {
        match self.table.string(key) {
            Some(text) => self.word(&text, allowed),
            None => (!self.table.has(key)).then_some(0),
        }
    }
}

/// Keys of a linear spring.
fn spring(k: Item<'_>) -> DeTable<'_> {
    let mut table = DeTable::new();
    table.insert(toml::Spanned::new(k.span(), "type".into()), super::text_item("spring".to_owned(), &k.span()));
    table.insert(toml::Spanned::new(k.span(), "k".into()), k);
    table
}

/// Running sums, from zero.
pub(super) fn positions(lengths: &[f64]) -> Vec<f64> {
    let mut at = vec![0.0];
    for length in lengths {
        at.push(at[at.len() - 1] + length);
    }
    at
}
