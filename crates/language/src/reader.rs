//! Reading the tables of a model file: typed getters that collect what is wrong instead of stopping, and a check for keys
//! nobody asked for.
//!
//! **Must not be here:** knowledge of what a model file contains.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::ops::Range;

use toml::de::{DeTable, DeValue};

use crate::diag::{Diagnostic, Diagnostics, Source, did_you_mean};
use crate::formula::ExprError;
use crate::quantity::Scope;
use crate::units::{Dimension, UnitSystem};

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
    source: &'d Source,
    diags: &'d Diagnostics,
    entries: &'d DeTable<'d>,
    span: Range<usize>,
    path: String,
    asked: RefCell<BTreeSet<String>>,
}

/// What was asked of one table, for the test that holds the schema against the parser.
#[cfg(test)]
#[derive(Clone, Debug)]
pub(crate) struct ReadTable {
    /// Dotted name.
    pub path: String,
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
        let table = ReadTable { path: self.path.clone(), texts, asked: self.asked.borrow().clone() };
        READ.with_borrow_mut(|read| read.push(table));
    }
}

/// A getter and its variant for a required key.
macro_rules! getters {
    ($($(#[$doc:meta])* $name:ident, $required:ident -> $type:ty = $read:ident;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(&self, key: &str) -> Option<Spanned<$type>> {
                self.$read(self.get(key)?)
            }
            #[doc = concat!("As [`Table::", stringify!($name), "`]; reports a missing key, with an example of what to write.")]
            pub fn $required(&self, key: &str, example: &str) -> Option<Spanned<$type>> {
                self.$read(self.get_required(key, example)?)
            }
        )*
    };
}

/// The same for values that need a dimension and a scope.
macro_rules! quantity_getters {
    ($($(#[$doc:meta])* $name:ident, $required:ident -> $type:ty = $read:ident, $example:literal;)*) => {
        $(
            $(#[$doc])*
            pub fn $name(&self, key: &str, dim: Dimension, scope: &Scope) -> Option<Spanned<$type>> {
                self.$read(self.get(key)?, &|item| self.read_quantity(item, dim, scope))
            }
            #[doc = concat!("As [`Table::", stringify!($name), "`]; reports a missing key.")]
            pub fn $required(&self, key: &str, dim: Dimension, scope: &Scope) -> Option<Spanned<$type>> {
                let example = format!($example, dim.example());
                self.$read(self.get_required(key, &example)?, &|item| self.read_quantity(item, dim, scope))
            }
        )*
    };
}

impl<'d> Table<'d> {
    pub(crate) fn new(
        source: &'d Source,
        diags: &'d Diagnostics,
        entries: &'d DeTable<'d>,
        span: Range<usize>,
        path: String,
    ) -> Self {
        Self { source, diags, entries, span, path, asked: RefCell::default() }
    }

    getters! {
        /// A text.
        string, string_required -> String = read_string;
        /// True or false.
        bool, bool_required -> bool = read_bool;
        /// A whole number.
        integer, integer_required -> i64 = read_integer;
        /// A finite number.
        number, number_required -> f64 = read_number;
        /// A number or a text.
        raw, raw_required -> Raw = read_raw;
        /// A list of texts.
        list_of_strings, list_of_strings_required -> Vec<Spanned<String>> = read_strings;
        /// A list of numbers.
        numbers, numbers_required -> Vec<Spanned<f64>> = read_numbers;
        /// A list of whole numbers.
        integers, integers_required -> Vec<Spanned<i64>> = read_integers;
        /// A list of rows of equal length.
        matrix, matrix_required -> Vec<Vec<f64>> = read_matrix;
    }

    quantity_getters! {
        /// A quantity, to SI: a number in the units of the file, or an expression with units and parameters.
        quantity, quantity_required -> f64 = apply, "\"{}\"";
        /// A list of quantities, to SI.
        quantities, quantities_required -> Vec<Spanned<f64>> = list, "[\"{0}\", \"{0}\"]";
        /// A matrix of quantities, to SI.
        quantity_matrix, quantity_matrix_required -> Vec<Vec<f64>> = rows, "[[\"{0}\", 0], [0, \"{0}\"]]";
    }

    /// A list of quantities, to SI, each of the dimension that `dim` gives for its place.
    pub fn mixed_quantities(
        &self,
        key: &str,
        dim: &dyn Fn(usize) -> Dimension,
        scope: &Scope,
    ) -> Option<Spanned<Vec<Spanned<f64>>>> {
        let place = Cell::new(0);
        let read = |item: &'d Item<'d>| self.read_quantity(item, dim(place.replace(place.get() + 1)), scope);
        self.list(self.get(key)?, &read)
    }

    /// A table.
    pub fn table(&self, key: &str) -> Option<Table<'d>> {
        self.read_table(self.get(key)?, self.path_of(key))
    }

    /// As [`Table::table`]; reports a missing key, with an example of what to write.
    pub fn table_required(&self, key: &str, example: &str) -> Option<Table<'d>> {
        self.read_table(self.get_required(key, example)?, self.path_of(key))
    }

    /// A list of tables, `[[key]]` or `key = [{...}, ...]`; empty if the key is absent.
    pub fn tables(&self, key: &str) -> Vec<Table<'d>> {
        let Some(item) = self.get(key) else { return Vec::new() };
        let DeValue::Array(list) = item.get_ref() else {
            let mut d = self.mismatch("a list of tables", item);
            let path = self.path_of(key);
            d = match item.get_ref() {
                DeValue::Table(_) => d.help(format!("write [[{path}]] with two brackets instead of [{path}]")),
                _ => d.help(format!("write [[{path}]] with its keys below, once for each")),
            };
            self.diags.push(d);
            return Vec::new();
        };
        list.iter().filter_map(|item| self.read_table(item, self.path_of(key))).collect()
    }

    /// One of several words; returns its index.
    pub fn choice(&self, key: &str, allowed: &[&str]) -> Option<Spanned<usize>> {
        let text = self.string(key)?;
        self.choose(text, allowed)
    }

    /// As [`Table::choice`]; reports a missing key.
    pub fn choice_required(&self, key: &str, allowed: &[&str]) -> Option<Spanned<usize>> {
        let example = format!("\"{}\"", allowed.first().unwrap_or(&""));
        let text = self.string_required(key, &example)?;
        self.choose(text, allowed)
    }

    fn choose(&self, text: Spanned<String>, allowed: &[&str]) -> Option<Spanned<usize>> {
        if let Some(i) = allowed.iter().position(|a| *a == text.value) {
            return Some(text.map(|_| i));
        }
        let list = allowed.iter().map(|a| format!("\"{a}\"")).collect::<Vec<_>>().join(", ");
        let mut help = format!("allowed are {list}");
        if let Some(s) = did_you_mean(&text.value, allowed.iter().copied()) {
            help = format!("{s} {help}");
        }
        self.diags.push(Diagnostic::error(format!("unknown value \"{}\"", text.value), text.span).help(help));
        None
    }

    /// The unit system of a table with the keys length, force or mass, and time.
    pub fn unit_system(&self) -> Option<UnitSystem> {
        let texts = ["length", "force", "mass", "time"].map(|key| (key, self.string(key)));
        let text = |i: usize| texts[i].1.as_ref().map(|t: &Spanned<String>| t.value.as_str());
        let errors = match UnitSystem::new(text(0), text(1), text(2), text(3)) {
            Ok(units) => return Some(units),
            Err(errors) => errors,
        };
        for e in errors {
            let span = match texts.iter().find(|t| t.0 == e.key) {
                Some((_, Some(t))) => self.locate(t, e.error.span),
                _ => self.span(),
            };
            self.diags.push(Diagnostic::error(e.error.message, span).maybe_help(e.error.help));
        }
        None
    }

    /// Place of the table: its header, its braces, or the start of the file.
    pub fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// Place of the value of a key, or of the table if it is not there.
    pub fn place(&self, key: &str) -> Range<usize> {
        self.get(key).map_or_else(|| self.span(), |item| item.span())
    }

    /// Dotted name of the table, empty for the whole file.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Where findings go.
    pub fn diagnostics(&self) -> &'d Diagnostics {
        self.diags
    }

    /// The file.
    pub fn source(&self) -> &'d Source {
        self.source
    }

    /// Reports an error at a place.
    pub fn error(&self, span: Range<usize>, message: impl Into<String>, help: Option<String>) {
        self.diags.push(Diagnostic::error(message, span).maybe_help(help));
    }

    /// Reports an error found inside a string value.
    pub fn expr_error(&self, text: &Spanned<String>, e: ExprError) {
        self.error(self.locate(text, e.span), e.message, e.help);
    }

    /// Place in the file of a byte range inside a string value.
    pub fn locate(&self, text: &Spanned<String>, range: Range<usize>) -> Range<usize> {
        inner_span(self.source, text, range)
    }

    /// Whether a key is present; marks it as known.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether a key is present and holds true or false; marks it as known.
    pub fn is_bool(&self, key: &str) -> bool {
        self.get(key).is_some_and(|i| matches!(i.get_ref(), DeValue::Boolean(_)))
    }

    /// Whether a key is present and holds a text; marks it as known.
    pub fn is_string(&self, key: &str) -> bool {
        self.get(key).is_some_and(|i| matches!(i.get_ref(), DeValue::String(_)))
    }

    /// Whether a key is present and holds a table; marks it as known.
    pub fn is_table(&self, key: &str) -> bool {
        self.get(key).is_some_and(|i| matches!(i.get_ref(), DeValue::Table(_)))
    }

    /// Whether a key is present and holds a list; marks it as known.
    pub fn is_list(&self, key: &str) -> bool {
        self.get(key).is_some_and(|i| matches!(i.get_ref(), DeValue::Array(_)))
    }

    /// All keys in the order of the file, not marked as known.
    pub fn keys(&self) -> Vec<Spanned<String>> {
        let mut keys: Vec<_> =
            self.entries.iter().map(|(k, _)| Spanned::new(k.get_ref().to_string(), k.span())).collect();
        keys.sort_by_key(|k| k.span.start);
        keys
    }

    /// Marks a key as known without reading it, so that it is suggested and not reported as unused.
    pub fn ignore(&self, key: &str) {
        self.get(key);
    }

    /// Keys that nobody asked for.
    pub fn unread(&self) -> Vec<Spanned<String>> {
        let asked = self.asked.borrow();
        self.keys().into_iter().filter(|k| !asked.contains(&k.value)).collect()
    }

    /// Reports the keys that nobody asked for.
    pub fn finish(self) {
        let asked = self.asked.borrow();
        for key in self.unread() {
            let free = asked.iter().map(String::as_str).filter(|a| !self.entries.contains_key(*a));
            let help = did_you_mean(&key.value, free).or_else(|| {
                let known: Vec<&str> = asked.iter().map(String::as_str).collect();
                Some(match known.is_empty() {
                    true => "nothing can be written here: remove it".to_string(),
                    false => format!("keys known here: {}", known.join(", ")),
                })
            });
            let place = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
            self.diags
                .push(Diagnostic::error(format!("unknown key `{}`{place}", key.value), key.span).maybe_help(help));
        }
    }

    fn path_of(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_string() } else { format!("{}.{key}", self.path) }
    }

    fn get(&self, key: &str) -> Option<&'d Item<'d>> {
        let mut asked = self.asked.borrow_mut();
        if !asked.contains(key) {
            asked.insert(key.to_string());
        }
        self.entries.get(key)
    }

    fn get_required(&self, key: &str, example: &str) -> Option<&'d Item<'d>> {
        let item = self.get(key);
        if item.is_none() {
            let place = if self.path.is_empty() { String::new() } else { format!(" in `{}`", self.path) };
            let mut d = Diagnostic::error(format!("missing key `{key}`{place}"), self.span());
            if !example.is_empty() {
                let written = if example.starts_with('[') && !example.contains(',') && !example.contains('"') {
                    example.to_string()
                } else {
                    format!("{key} = {example}")
                };
                d = d.help(format!("write for example: {written}"));
            }
            self.diags.push(d);
        }
        item
    }

    fn mismatch(&self, expected: &str, item: &Item<'_>) -> Diagnostic {
        Diagnostic::error(format!("expected {expected}, found {}", kind(item.get_ref())), item.span())
            .label(format!("expected {expected}"))
    }

    fn wrong<T>(&self, expected: &str, item: &Item<'_>, help: Option<String>) -> Option<T> {
        self.diags.push(self.mismatch(expected, item).maybe_help(help));
        None
    }

    fn read_string(&self, item: &Item<'_>) -> Option<Spanned<String>> {
        match item.get_ref() {
            DeValue::String(s) => Some(Spanned::new(s.to_string(), item.span())),
            DeValue::Integer(_) | DeValue::Float(_) | DeValue::Boolean(_) | DeValue::Datetime(_) => {
                let text = self.source.slice(item.span());
                self.wrong("a string", item, Some(format!("write it in quotes: \"{text}\"")))
            }
            _ => self.wrong("a string", item, Some("write a text in quotes".into())),
        }
    }

    fn read_bool(&self, item: &Item<'_>) -> Option<Spanned<bool>> {
        match item.get_ref() {
            DeValue::Boolean(b) => Some(Spanned::new(*b, item.span())),
            DeValue::String(s) if **s == *"true" || **s == *"false" => {
                self.wrong("true or false", item, Some("remove the quotes".into()))
            }
            _ => self.wrong("true or false", item, Some("write true or false, without quotes".into())),
        }
    }

    fn read_integer(&self, item: &Item<'_>) -> Option<Spanned<i64>> {
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

    fn read_number(&self, item: &Item<'_>) -> Option<Spanned<f64>> {
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
                let text = self.source.slice(item.span());
                let (message, help) = match x {
                    Some(x) if x.is_nan() => ("expected a number, found nan".to_owned(), "write a number"),
                    _ => (format!("`{text}` is too large for a number"), "the largest is about 1e308"),
                };
                self.error(item.span(), message, Some(help.into()));
                None
            }
        }
    }

    fn read_raw(&self, item: &Item<'_>) -> Option<Spanned<Raw>> {
        match item.get_ref() {
            DeValue::String(_) => Some(self.read_string(item)?.map(Raw::Text)),
            DeValue::Integer(_) | DeValue::Float(_) => Some(self.read_number(item)?.map(Raw::Number)),
            _ => self.wrong("a number or a string", item, Some("write for example 1.5 or \"4 kN/mm\"".into())),
        }
    }

    fn read_quantity(&self, item: &Item<'_>, dim: Dimension, scope: &Scope) -> Option<Spanned<f64>> {
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

    fn apply(&self, item: &'d Item<'d>, read: &dyn Fn(&'d Item<'d>) -> Option<Spanned<f64>>) -> Option<Spanned<f64>> {
        read(item)
    }

    /// A list whose entries are all read, so that all their errors are found.
    fn list<T>(
        &self,
        item: &'d Item<'d>,
        read: &dyn Fn(&'d Item<'d>) -> Option<Spanned<T>>,
    ) -> Option<Spanned<Vec<Spanned<T>>>> {
        let DeValue::Array(list) = item.get_ref() else {
            let help = match item.get_ref() {
                DeValue::Table(_) => Some("write it in brackets: [..., ...]".to_string()),
                _ => Some(format!("write it in brackets: [{}]", self.source.slice(item.span()))),
            };
            return self.wrong("a list", item, help);
        };
        let values: Vec<Option<Spanned<T>>> = list.iter().map(read).collect();
        Some(Spanned::new(values.into_iter().collect::<Option<_>>()?, item.span()))
    }

    fn rows(
        &self,
        item: &'d Item<'d>,
        read: &dyn Fn(&'d Item<'d>) -> Option<Spanned<f64>>,
    ) -> Option<Spanned<Vec<Vec<f64>>>> {
        let rows = self.list(item, &|row| self.list(row, read))?;
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

    fn read_strings(&self, item: &'d Item<'d>) -> Option<Spanned<Vec<Spanned<String>>>> {
        self.list(item, &|i| self.read_string(i))
    }

    fn read_numbers(&self, item: &'d Item<'d>) -> Option<Spanned<Vec<Spanned<f64>>>> {
        self.list(item, &|i| self.read_number(i))
    }

    fn read_integers(&self, item: &'d Item<'d>) -> Option<Spanned<Vec<Spanned<i64>>>> {
        self.list(item, &|i| self.read_integer(i))
    }

    fn read_matrix(&self, item: &'d Item<'d>) -> Option<Spanned<Vec<Vec<f64>>>> {
        self.rows(item, &|i| self.read_number(i))
    }

    fn read_table(&self, item: &'d Item<'d>, path: String) -> Option<Table<'d>> {
        match item.get_ref() {
            DeValue::Table(t) => Some(Table::new(self.source, self.diags, t, item.span(), path)),
            DeValue::Array(a) if a.iter().all(|i| i.get_ref().is_table()) && !a.is_empty() => {
                self.wrong("a table", item, Some(format!("write [{path}] with single brackets, once")))
            }
            _ => self.wrong("a table", item, Some(format!("write [{path}] with its keys below, or {{ key = value }}"))),
        }
    }
}
