//! Reading the tables of a model file: typed getters that collect what is wrong instead of stopping, and a check for keys
//! nobody asked for.
//!
//! **Must not be here:** knowledge of what a model file contains.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source, did_you_mean, suggest};
use crate::formula::ExprError;
use crate::key::{Key, Section};
use crate::quantity::Scope;
use crate::units::{Dimension, UnitSystem};

/// Largest quantity in SI units: the earth weighs 6e24 kg.
const ABSURD: f64 = 1e30;

/// A value and its place in the file.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Spanned<T> {
    pub value: T,
    pub span: Range<usize>,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }

    /// Another value at the same place.
    pub fn map<U>(self, f: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned { value: f(self.value), span: self.span }
    }
}

/// A number or a text.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Raw {
    Number(f64),
    Text(String),
}

impl Default for Raw {
    fn default() -> Self {
        Raw::Number(0.0)
    }
}

/// Place in the file of a byte range inside a string value; the whole string where escapes make the two
/// differ.
pub fn inner_span(source: &Source, text: &Spanned<String>, range: Range<usize>) -> Range<usize> {
    let raw = source.slice(text.span.clone());
    let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|q| raw.starts_with(q)).map_or(0, str::len);
    let first = quote
        + match raw.get(quote..) {
            Some(r) if quote == 3 && r.starts_with("\r\n") => 2,
            Some(r) if quote == 3 && r.starts_with('\n') => 1,
            _ => 0,
        };
    if raw.get(first..first + text.value.len()) != Some(&text.value) {
        return text.span.clone();
    }
    let at = |offset: usize| text.span.start + first + offset.min(text.value.len());
    at(range.start)..at(range.end.max(range.start))
}

/// Whether a name is one of those of a section, of which `storey<N>` stands for `storey1`, `storey2`, ...
fn is_known(known: &BTreeSet<&'static str>, name: &str) -> bool {
    let numbered = name.trim_end_matches(|c: char| c.is_ascii_digit());
    known.contains(name) || (numbered != name && known.iter().any(|k| k.strip_suffix("<N>") == Some(numbered)))
}

/// The section that several strange keys belong to, if it is one and the same: its header is missing.
fn headless(keys: &[Spanned<String>]) -> Option<&'static str> {
    if keys.len() < 2 {
        return None;
    }
    let tables = crate::schema::tables();
    let has = |t: &&crate::schema::Table| keys.iter().all(|key| t.keys.iter().any(|k| k.name == key.value));
    let mut owners = tables.iter().filter(has).map(|t| t.written).filter(|w| w.starts_with('['));
    let first = owners.next()?;
    owners.all(|o| o == first).then_some(first)
}

/// The sections that a key belongs to, as a suggestion, where there are few: the header above it may be missing.
fn elsewhere(key: &str) -> Option<String> {
    let tables = crate::schema::tables();
    let has = |t: &&crate::schema::Table| t.keys.iter().any(|k| k.name == key) && t.written.starts_with('[');
    let mut owners: Vec<&str> = tables.iter().filter(has).map(|t| t.written).collect();
    owners.dedup();
    (1..=2)
        .contains(&owners.len())
        .then(|| format!("`{key}` belongs to {}: write that header above it", owners.join(" or ")))
}

/// Kind of a value with its article, for messages.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

/// A value of the file and its place.
pub(crate) type Item<'d> = toml::Spanned<DeValue<'d>>;

/// One table of the file. Every getter marks its key as known and returns `None` if the key is absent or
/// its value wrong, which has then been reported. Call [`Table::finish`] at the end.
#[derive(Debug)]
pub struct Table<'d> {
    input: Input<'d>,
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    path: String,
    section: Option<&'static Section>,
    /// Dimension of the displacements that its quantities belong to.
    along: Dimension,
    asked: RefCell<BTreeSet<String>>,
}

/// What tables are read from.
#[derive(Clone, Copy, Debug)]
pub struct Input<'d> {
    /// The file.
    pub source: &'d Source,
    /// Where findings go.
    pub diags: &'d Diagnostics,
    /// What expressions can refer to.
    pub scope: &'d Scope,
}

/// What was asked of one table, for the test that every key is read.
#[cfg(test)]
#[derive(Clone, Debug)]
pub(crate) struct ReadTable {
    /// Name of its section.
    pub section: &'static str,
    /// Its texts, some of which tell its variant.
    pub texts: std::collections::BTreeMap<String, String>,
    /// Keys that were asked for.
    pub asked: BTreeSet<String>,
}

#[cfg(test)]
thread_local! {
    /// Every table that was read in this thread.
    pub(crate) static READ: RefCell<Vec<ReadTable>> = const { RefCell::new(Vec::new()) };
}

#[cfg(test)]
impl Drop for Table<'_> {
    fn drop(&mut self) {
        let text = |v: &Item<'_>| match v.get_ref() {
            DeValue::String(s) => Some(s.to_string()),
            _ => None,
        };
        let texts = self.entries.iter().filter_map(|(k, v)| Some((k.get_ref().to_string(), text(v)?))).collect();
        let table =
            ReadTable { section: self.section.map_or("", |s| s.name), texts, asked: self.asked.borrow().clone() };
        READ.with_borrow_mut(|read| read.push(table));
    }
}

/// What names a key.
pub trait KeyName {
    /// The name.
    fn key_name(&self) -> &str;
}

impl KeyName for str {
    fn key_name(&self) -> &str {
        self
    }
}

impl<K> KeyName for Key<K> {
    fn key_name(&self) -> &str {
        self.name
    }
}

impl<'d> Table<'d> {
    pub(crate) fn new(
        input: Input<'d>,
        entries: &'d DeTable<'d>,
        span: Range<usize>,
        path: String,
        section: Option<&'static Section>,
    ) -> Self {
        Self { input, entries, span, path, section, along: Dimension::LENGTH, asked: RefCell::default() }
    }

    /// The table with quantities that belong to displacements of this dimension.
    pub fn along(mut self, dim: Dimension) -> Self {
        self.along = dim;
        self
    }

    /// Dimension of the displacements that its quantities belong to.
    pub fn displacement(&self) -> Dimension {
        self.along
    }

    pub(crate) fn read_tables(
        &self,
        item: &'d Item<'d>,
        key: &str,
        section: &'static Section,
    ) -> Option<Vec<Table<'d>>> {
        let DeValue::Array(list) = item.get_ref() else {
            let path = self.path_of(key);
            let help = match item.get_ref() {
                DeValue::Table(_) => format!("write [[{path}]] with two brackets instead of [{path}]"),
                _ => format!("write [[{path}]] with its keys below, once for each"),
            };
            return self.wrong("a list of tables", item, Some(help));
        };
        Some(list.iter().filter_map(|item| self.read_table(item, key, section)).collect())
    }

    /// The place of a word among those that are allowed; reports one that is not.
    pub(crate) fn choose(&self, text: &Spanned<String>, allowed: &[&str]) -> Option<usize> {
        if let Some(i) = allowed.iter().position(|a| *a == text.value) {
            return Some(i);
        }
        let list = allowed.iter().map(|a| format!("\"{a}\"")).collect::<Vec<_>>().join(", ");
        let mut help = format!("allowed are {list}");
        if let Some(s) = did_you_mean(&text.value, allowed.iter().copied()) {
            help = format!("{s} {help}");
        }
        self.error(text.span.clone(), format!("unknown value \"{}\"", text.value), Some(help));
        None
    }

    /// Place of the table: its header, its braces, or the start of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Place of the value of a key, or of the table if it is not there.
    pub fn place(&self, key: &(impl KeyName + ?Sized)) -> Range<usize> {
        self.get(key.key_name()).map_or_else(|| self.span(), |item| item.span())
    }

    /// Place of the value of a key that is there, which stays unknown.
    pub fn glimpse(&self, key: &str) -> Option<Range<usize>> {
        self.entries.get(key).map(|item| item.span())
    }

    /// Dotted name of the table, empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Units of the model.
    pub fn units(&self) -> &'d UnitSystem {
        &self.input.scope.units
    }

    /// Where findings go.
    pub fn diagnostics(&self) -> &'d Diagnostics {
        self.input.diags
    }

    /// The file.
    pub fn source(&self) -> &'d Source {
        self.input.source
    }

    /// What expressions can refer to.
    pub fn scope(&self) -> &'d Scope {
        self.input.scope
    }

    /// Reports an error at a place.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        let definition = self.input.scope.definition(self.input.source.slice(span.clone()));
        self.input.diags.push(Diagnostic::error(message, span).maybe_help(help).of_parameter(definition));
    }

    /// Reports an error found inside a string value.
    pub fn expr_error(&self, text: &Spanned<String>, e: ExprError) {
        let d = Diagnostic::error(e.message, self.locate(text, e.span.clone()));
        let whole = text.value.get(e.span).and_then(|name| self.input.scope.definition(name));
        // The nearest parameter may be the one that is misspelt.
        let near = e.help.as_deref().and_then(|h| h.strip_prefix("did you mean `")).and_then(|h| h.split('`').next());
        let near = near.and_then(|name| self.input.scope.definition(name)).filter(|_| d.message.starts_with("unknown"));
        let d = d.maybe_help(e.help).of_parameter(whole);
        self.input.diags.push(match near {
            Some(place) => d.also(place, "or this one is misspelt"),
            None => d,
        });
    }

    /// Place in the file of a byte range inside a string value.
    pub fn locate(&self, text: &Spanned<String>, range: Range<usize>) -> Range<usize> {
        inner_span(self.input.source, text, range)
    }

    /// Whether a key is present; marks it as known.
    pub fn has(&self, key: &(impl KeyName + ?Sized)) -> bool {
        self.get(key.key_name()).is_some()
    }

    /// Whether a key is present and holds a text; marks it as known.
    pub fn is_string(&self, key: &(impl KeyName + ?Sized)) -> bool {
        self.get(key.key_name()).is_some_and(|i| matches!(i.get_ref(), DeValue::String(_)))
    }

    /// Whether a key is present and holds a list; marks it as known.
    pub fn is_list(&self, key: &(impl KeyName + ?Sized)) -> bool {
        self.get(key.key_name()).is_some_and(|i| matches!(i.get_ref(), DeValue::Array(_)))
    }

    /// All keys in the order of the file, not marked as known.
    pub fn keys(&self) -> Vec<Spanned<String>> {
        let mut keys: Vec<_> =
            self.entries.iter().map(|(k, _)| Spanned::new(k.get_ref().to_string(), k.span())).collect();
        keys.sort_by_key(|k| k.span.start);
        keys
    }

    /// Marks a key as known without reading it, so that it is suggested and not reported as unused.
    pub fn ignore(&self, key: &(impl KeyName + ?Sized)) {
        self.get(key.key_name());
    }

    /// As [`Table::ignore`] for all keys: what is wrong elsewhere keeps them from being judged.
    pub fn ignore_all(&self) {
        self.keys().iter().for_each(|k| self.ignore(k.value.as_str()));
    }

    /// Keys that nobody asked for.
    pub fn unread(&self) -> Vec<Spanned<String>> {
        let asked = self.asked.borrow();
        self.keys().into_iter().filter(|k| !asked.contains(&k.value)).collect()
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self) {
        if self.entries.iter().all(|(k, _)| self.asked.borrow().contains(k.get_ref().as_ref())) {
            return;
        }
        // What its section lists and nobody asked for was passed over because of another mistake.
        let own = |k: &Spanned<String>| self.section.is_some_and(|s| s.keys.iter().any(|l| l.name() == k.value));
        let passed_over = |k: &Spanned<String>| self.input.diags.has_errors() && own(k);
        let unread: Vec<_> = self.unread().into_iter().filter(|k| !passed_over(k)).collect();
        let asked = self.asked.borrow();
        let listed = self.section.iter().flat_map(|s| s.keys).map(|k| k.name());
        let known: BTreeSet<&str> = asked.iter().map(String::as_str).chain(listed).collect();
        if let Some(header) = headless(&unread) {
            let names: Vec<String> = unread.iter().map(|k| format!("`{}`", k.value)).collect();
            let message = format!("{} do not belong to `{}`", names.join(", "), self.path);
            let help = format!("they belong to {header}: write that header above them");
            self.input.diags.note_headless();
            return self.error(unread[0].span.clone(), message, Some(help));
        }
        for key in unread {
            let free = known.iter().copied().filter(|a| !self.entries.contains_key(*a));
            let owner =
                self.section.and_then(|s| s.owner_of(&key.value)).map(|o| format!("`{}` is used with {o}", key.value));
            // A section that is there already may be meant once more.
            let again = || did_you_mean(&key.value, known.iter().copied()).filter(|_| self.path.is_empty());
            let help =
                owner.or_else(|| did_you_mean(&key.value, free)).or_else(again).or_else(|| elsewhere(&key.value));
            let help = help.unwrap_or_else(|| match known.is_empty() {
                true => "no keys are allowed here: remove it".to_owned(),
                false => format!("keys known here: {}", known.iter().copied().collect::<Vec<_>>().join(", ")),
            });
            self.unknown(&key.value, key.span, help);
        }
    }

    /// A key can be read only where its section lists it.
    pub(crate) fn expects(&self, key: &str) {
        let listed = |s: &&'static Section| s.keys.iter().any(|k| k.name() == key);
        let fixed = self.section.filter(|s| s.variants.is_none() && s.more.is_none());
        debug_assert!(
            fixed.as_ref().is_none_or(listed),
            "`{key}` is read in {:?}, which does not list it",
            self.section
        );
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'d Item<'d>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(key) {
            asked.insert(key.to_string());
        }
        drop(asked);
        self.entries.get(key).or_else(|| self.misspelt(key))
    }

    /// The value of a key that is missing, but of which a misspelling is there: that is reported, and read as what was
    /// meant, so that nothing else seems to be missing.
    fn misspelt(&self, key: &str) -> Option<&'d Item<'d>> {
        let section = self.section.filter(|s| s.others.is_none())?;
        let same = |name: &str| name.eq_ignore_ascii_case(key);
        let near = |name: &str| same(name) || (name.len() > 2 && suggest(name, [key]).is_some());
        let unread = |name: &str| !self.asked.borrow().contains(name);
        let own = |name: &str| section.keys.iter().any(|k| k.name() == name);
        let (found, item) = self.entries.iter().find(|(k, _)| {
            let name = k.get_ref().as_ref();
            unread(name) && !own(name) && near(name) && {
                let known = section.known_names();
                let free = known.iter().copied().filter(|n| !self.entries.contains_key(*n));
                // Of another variant it may be a key; not so, if only its case differs from that of this one.
                known.contains(key) && (same(name) || (!is_known(&known, name) && suggest(name, free) == Some(key)))
            }
        })?;
        self.asked.borrow_mut().insert(found.get_ref().to_string());
        self.unknown(found.get_ref(), found.span(), format!("did you mean `{key}`?"));
        Some(item)
    }

    fn unknown(&self, key: &str, span: Range<usize>, help: String) {
        let place = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
        self.error(span, format!("unknown key `{key}`{place}"), Some(help));
    }

    /// As [`Table::get`]; reports a missing key, with an example of what to write.
    pub(crate) fn get_required(&self, key: &str, example: impl FnOnce() -> String) -> Option<&'d Item<'d>> {
        let item = self.get(key);
        if item.is_none() {
            let place = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
            let help = format!("write for example: {key} = {}", example());
            self.error(self.span(), format!("missing key `{key}`{place}"), Some(help));
        }
        item
    }

    fn mismatch(&self, expected: &str, item: &Item<'_>) -> Diagnostic {
        Diagnostic::error(format!("expected {expected}, found {}", kind(item.get_ref())), item.span())
            .label(format!("expected {expected}"))
    }

    fn wrong<T>(&self, expected: &str, item: &Item<'_>, help: Option<String>) -> Option<T> {
        self.input.diags.push(self.mismatch(expected, item).maybe_help(help));
        None
    }

    pub(crate) fn read_string(&self, item: &Item<'_>) -> Option<Spanned<String>> {
        match item.get_ref() {
            DeValue::String(s) => Some(Spanned::new(s.to_string(), item.span())),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                let text = self.input.source.slice(item.span());
                self.wrong("a string", item, Some(format!("write it in quotes: \"{text}\"")))
            }
            _ => self.wrong("a string", item, Some("write a text in quotes".into())),
        }
    }

    pub(crate) fn read_bool(&self, item: &Item<'_>) -> Option<Spanned<bool>> {
        match item.get_ref() {
            DeValue::Boolean(b) => Some(Spanned::new(*b, item.span())),
            DeValue::String(s) if **s == *"true" || **s == *"false" => {
                self.wrong("true or false", item, Some("remove the quotes".into()))
            }
            _ => self.wrong("true or false", item, Some("write true or false, without quotes".into())),
        }
    }

    pub(crate) fn read_integer(&self, item: &Item<'_>) -> Option<Spanned<i64>> {
        match item.get_ref() {
            DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
                Ok(i) => Some(Spanned::new(i, item.span())),
                Err(_) => {
                    self.error(item.span(), "the number is too large", Some(format!("the largest is {}", i64::MAX)));
                    None
                }
            },
            DeValue::Float(f) => {
                let help = f.as_str().parse::<f64>().ok().filter(|x| x.abs() < 1e15);
                let help = Some(format!("write for example {}", help.map_or(1.0, f64::round)));
                self.error(item.span(), format!("expected a whole number, found {}", f.as_str()), help);
                None
            }
            DeValue::String(s) if s.trim().parse::<i64>().is_ok() => {
                self.wrong("a whole number", item, Some(format!("remove the quotes: {}", s.trim())))
            }
            _ => self.wrong("a whole number", item, Some("write for example 1".into())),
        }
    }

    pub(crate) fn read_number(&self, item: &Item<'_>) -> Option<Spanned<f64>> {
        let x = match item.get_ref() {
            DeValue::Integer(i) if i.radix() == 10 => i.as_str().parse().ok(),
            DeValue::Integer(i) => i128::from_str_radix(i.as_str(), i.radix()).ok().map(|i| i as f64),
            DeValue::Float(f) => f.as_str().parse().ok(),
            DeValue::String(s) if s.trim().parse::<f64>().is_ok() => {
                return self.wrong("a number", item, Some(format!("remove the quotes: {}", s.trim())));
            }
            _ => return self.wrong("a number", item, Some("write for example 1.5".into())),
        };
        match x {
            Some(x) if f64::is_finite(x) => Some(Spanned::new(x, item.span())),
            _ => {
                let text = self.input.source.slice(item.span());
                let (message, help) = match x {
                    Some(x) if x.is_nan() => ("expected a number, found nan".to_owned(), "write a number"),
                    _ => (format!("`{text}` is too large for a number"), "the largest is about 1e308"),
                };
                self.error(item.span(), message, Some(help.into()));
                None
            }
        }
    }

    /// A whole number, or an expression for one.
    pub(crate) fn read_count(&self, item: &Item<'_>) -> Option<Spanned<u64>> {
        let x = match item.get_ref() {
            DeValue::String(_) => self.read_quantity(item, Dimension::NONE)?,
            _ => self.read_integer(item)?.map(|n| n as f64),
        };
        // Up to 2^53 every whole number is one.
        if x.value < 0.0 || x.value != x.value.trunc() || x.value > 9.0e15 {
            let message = format!("expected a whole number from 0, found {}", x.value);
            self.error(x.span, message, Some("write for example 1".to_owned()));
            return None;
        }
        Some(x.map(|x| x as u64))
    }

    pub(crate) fn read_raw(&self, item: &Item<'_>) -> Option<Spanned<Raw>> {
        match item.get_ref() {
            DeValue::String(_) => Some(self.read_string(item)?.map(Raw::Text)),
            DeValue::Integer(_) | DeValue::Float(_) => Some(self.read_number(item)?.map(Raw::Number)),
            _ => self.wrong("a number or a string", item, Some("write for example 1.5 or \"4 kN/mm\"".into())),
        }
    }

    /// A quantity in SI. One that is beyond all that is built is told here, not by what it does to matrices.
    pub(crate) fn read_quantity(&self, item: &Item<'_>, dim: Dimension) -> Option<Spanned<f64>> {
        let found = self.read_any_quantity(item, dim)?;
        if found.value.abs() > ABSURD && !dim.is_none() {
            let units = &self.input.scope.units;
            let message =
                format!("{:e} {} is beyond anything that is built", found.value / units.factor(dim), units.label(dim));
            let help = format!("check the exponent and the unit, or write for example \"{}\"", dim.example());
            self.error(found.span, message, Some(help));
            return None;
        }
        Some(found)
    }

    fn read_any_quantity(&self, item: &Item<'_>, dim: Dimension) -> Option<Spanned<f64>> {
        let scope = self.input.scope;
        match item.get_ref() {
            DeValue::String(_) => {
                let text = self.read_string(item)?;
                match scope.quantity(&text.value, dim) {
                    Ok(x) => Some(text.map(|_| x)),
                    Err(errors) => {
                        errors.into_iter().for_each(|e| self.expr_error(&text, e));
                        None
                    }
                }
            }
            DeValue::Integer(_) | DeValue::Float(_) => {
                let x = self.read_number(item)?.map(|x| x * scope.units.factor(dim));
                if !x.value.is_finite() {
                    let help = format!("write it with a unit, for example \"{}\"", dim.example());
                    self.error(x.span, "the number is too large in SI units", Some(help));
                    return None;
                }
                Some(x)
            }
            _ => {
                let expected = if dim.is_none() { "a number".to_string() } else { dim.describe() };
                self.wrong(&expected, item, Some(format!("write for example \"{}\"", dim.example())))
            }
        }
    }

    /// A list whose entries are all read, so that all their errors are found.
    pub(crate) fn list<T>(
        &self,
        item: &'d Item<'d>,
        read: &dyn Fn(&'d Item<'d>) -> Option<Spanned<T>>,
    ) -> Option<Spanned<Vec<Spanned<T>>>> {
        let DeValue::Array(list) = item.get_ref() else {
            let help = match item.get_ref() {
                DeValue::Table(_) => Some("write it in brackets: [..., ...]".to_string()),
                _ => Some(format!("write it in brackets: [{}]", self.input.source.slice(item.span()))),
            };
            return self.wrong("a list", item, help);
        };
        let values: Vec<Option<Spanned<T>>> = list.iter().map(read).collect();
        Some(Spanned::new(values.into_iter().collect::<Option<_>>()?, item.span()))
    }

    pub(crate) fn read_matrix(&self, item: &'d Item<'d>) -> Option<Spanned<Vec<Vec<f64>>>> {
        let rows = self.list(item, &|row| self.list(row, &|i| self.read_number(i)))?;
        let width = rows.value.first().map_or(0, |r| r.value.len());
        let mut good = true;
        for row in &rows.value {
            if row.value.len() != width {
                let n = row.value.len();
                let help = "all rows of a matrix have the same length".to_owned();
                self.error(row.span.clone(), format!("the first row has {width} values, this one {n}"), Some(help));
                good = false;
            }
        }
        let plain = |row: Spanned<Vec<Spanned<f64>>>| row.value.into_iter().map(|x| x.value).collect();
        good.then(|| rows.map(|rows| rows.into_iter().map(plain).collect()))
    }

    pub(crate) fn read_table(&self, item: &'d Item<'d>, key: &str, section: &'static Section) -> Option<Table<'d>> {
        let path = self.path_of(key);
        match item.get_ref() {
            DeValue::Table(t) => Some(Table::new(self.input, t, item.span(), path, Some(section)).along(self.along)),
            DeValue::Array(a) if a.iter().all(|i| i.get_ref().is_table()) && !a.is_empty() => {
                self.wrong("a table", item, Some(format!("write [{path}] with single brackets, once")))
            }
            _ => self.wrong("a table", item, Some(format!("write [{path}] with its keys below, or {{ key = value }}"))),
        }
    }
}
