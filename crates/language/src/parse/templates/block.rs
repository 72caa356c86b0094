//! One block as its template sees it: typed getters with the messages they need, and values to copy.

use std::ops::Range;

use toml::de::{DeTable, DeValue};

use super::{Expansion, MOST_TABLES};
use crate::key::*;
use crate::quantity::Scope;
use crate::reader::{Item, KeyName, Spanned, Table};

/// One value for all, or a list with one for each.
pub(super) type Each<K> = Or<K, List<K>>;
/// Keys of an element: the name of a section, or a table.
pub(super) type Keys = Or<Text, Inner>;

/// In front of the names that a block makes.
pub(super) const NAME: Key<Text> = key("name", "Prefix: all generated names start with `NAME_`.").example("annex");
/// Where a block stands.
pub(super) const AT: Key<List<Length>> =
    key("at", "Position of the block, one to three coordinates.").example("[\"10 m\", 0]");

/// A count of things of which each makes at least one table.
pub(super) const fn count(name: &'static str, doc: &'static str) -> Key<Count> {
    key(name, doc).range(Allowed::Between(1.0, MOST_TABLES as f64))
}

/// Lengths, or how many there are; the length of each is then another key.
pub(super) const fn spacing(name: &'static str, doc: &'static str) -> Key<Or<Count, List<Length>>> {
    key(name, doc).required().range(POSITIVE).example("[\"6 m\", \"4 m\"]")
}

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
        key: &Key<Tables>,
    ) -> Self {
        let table = shared.table(entries, scope, span, key.name.to_owned(), Some(key.kind.section));
        Self { shared, table, entries, scope }
    }

    /// Marks the keys of a section as known, also with a number behind them.
    pub(super) fn know(&self, section: &Section) {
        for key in section.keys.iter().map(|k| k.name().trim_end_matches("<N>")) {
            self.table.ignore(key);
            let numbered = |k: &Spanned<String>| k.value.trim_end_matches(|c: char| c.is_ascii_digit()) == key;
            self.table.keys().iter().filter(|k| numbered(k)).for_each(|k| self.table.ignore(k.value.as_str()));
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
    pub(super) fn copy(&self, key: &(impl KeyName + ?Sized)) -> Option<Item<'a>> {
        self.table.ignore(key);
        self.entries.get(key.key_name()).cloned()
    }

    /// Text in front of all names that the block makes: `NAME_`, or nothing.
    pub(super) fn prefix(&self) -> Option<String> {
        let Some(name) = self.table.read(&NAME) else {
            return (!self.table.has(&NAME)).then(String::new);
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

    /// Lengths under `key`: a list, or a count with the length of one under `each`; in metres.
    pub(super) fn lengths(&self, key: &Key<Or<Count, List<Length>>>, each: &Key<Length>) -> Option<Vec<f64>> {
        let given = self.table.read(key);
        if !self.table.is_list(key) {
            let one = self.table.read_required(each);
            let Spanned { value: Either::First(count), span } = given? else { return None };
            if count > MOST_TABLES {
                return self.shared.claim(count, 0, &span).and(None);
            }
            return Some(vec![one?.value; count as usize]);
        }
        if self.table.has(each) {
            let message = format!("`{}` needs a count, but `{}` is a list of lengths", each.name, key.name);
            let help = format!("remove `{}`, or write {} = 3", each.name, key.name);
            return self.error(self.table.place(each), message, help);
        }
        let Spanned { value: Either::Second(list), span } = given? else { return None };
        if list.is_empty() {
            let help = format!("write for example {} = [\"6 m\", \"6 m\"]", key.name);
            return self.error(span, format!("`{}` lists no length", key.name), help);
        }
        Some(list.into_iter().map(|x| x.value).collect())
    }

    /// Position of the block, metres; missing coordinates are zero.
    pub(super) fn origin(&self) -> [f64; 3] {
        let mut at = [0.0; 3];
        if let Some(given) = self.table.read(&AT) {
            if given.value.is_empty() || given.value.len() > 3 {
                let message = format!("a position has 1 to 3 coordinates, found {}", given.value.len());
                self.table.error(given.span.clone(), message, Some("write for example at = [0.0, 3.0]".to_owned()));
            }
            at.iter_mut().zip(&given.value).for_each(|(a, x)| *a = x.value);
        }
        at
    }

    /// A value for each of `n`: one for all, or a list of as many. `None` if there is no such key.
    pub(super) fn each(&self, key: &(impl KeyName + ?Sized), n: usize, what: &str) -> Option<Vec<Item<'a>>> {
        let item = self.copy(key)?;
        let key = key.key_name();
        let DeValue::Array(list) = item.get_ref() else { return Some(vec![item; n]) };
        if list.len() != n {
            let message = format!("`{key}` lists {} values for {n} {what}", list.len());
            return self.error(item.span(), message, format!("write one value for all {what}, or one for each"));
        }
        Some(list.to_vec())
    }

    /// As [`Block::each`] for keys that must be there.
    pub(super) fn each_required<K: Kind>(&self, key: &Key<K>, n: usize, what: &str) -> Option<Vec<Item<'a>>> {
        self.table.get_required(key.name, || key.written_example())?;
        self.each(key, n, what)
    }

    /// A length for each of `n`, metres: one for all, or a list of as many.
    pub(super) fn each_length(&self, key: &Key<Each<Length>>, n: usize, what: &str) -> Option<Vec<f64>> {
        let list = match self.table.good(key)? {
            Either::First(one) => return Some(vec![one; n]),
            Either::Second(list) => list,
        };
        if list.len() != n {
            let message = format!("`{}` lists {} values for {n} {what}", key.name, list.len());
            return self.error(
                self.table.place(key),
                message,
                format!("write one value for all {what}, or one for each"),
            );
        }
        Some(list.into_iter().map(|x| x.value).collect())
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
    pub(super) fn laws<K>(&self, key: &Key<K>, k: &Key<Each<Stiffness>>, n: usize) -> Option<Vec<DeTable<'a>>> {
        let key = key.name;
        let example = format!("{key} = {{ type = \"spring\", k = \"4 kN/mm\" }}");
        let all = match (self.table.has(key), self.table.has(k)) {
            (true, true) => {
                let message = format!("`k` and `{key}` cannot be used together");
                return self.error(self.span(), message, format!("write k inside of {example}"));
            }
            (true, false) => Some(self.each(key, n, &format!("elements `{key}1`, ..."))?),
            (false, true) => Some(self.each(k, n, &format!("elements `{key}1`, ..."))?),
            (false, false) => None,
        };
        let mut laws: Vec<Option<DeTable<'a>>> = match all {
            None => vec![None; n],
            Some(items) if self.table.has(k) => items.into_iter().map(|k| Some(spring(k))).collect(),
            Some(items) => {
                let laws: Vec<_> = items.iter().map(|i| self.keys_of(i, &example)).collect();
                laws.into_iter().map(|law| law.map(Some)).collect::<Option<_>>()?
            }
        };
        for own in self.table.keys() {
            let number = own.value.strip_prefix(key).filter(|d| !d.is_empty() && d.bytes().all(|b| b.is_ascii_digit()));
            let Some(number) = number else { continue };
            let item = self.copy(own.value.as_str())?;
            match number.parse::<usize>().ok().and_then(|i| laws.get_mut(i.checked_sub(1)?)) {
                Some(law) => *law = Some(self.keys_of(&item, &example)?),
                None => {
                    let message = format!("there is no `{}`: use {key}1 to {key}{n}", own.value);
                    return self.error(own.span, message, "correct the number");
                }
            }
        }
        if laws.iter().any(Option::is_none) {
            let message = format!("`{}` has no element law", self.table.path());
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
