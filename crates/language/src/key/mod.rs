//! Keys of the model file, each said once: its name, what may stand behind it, the range, what holds when it is absent, and
//! a sentence. The parser reads through these constants, and the JSON Schema, the reference of the book and
//! `interfield explain` are made from them, so that none can know a key that the others do not.
//!
//! ```text
//! section! {
//!     SENSOR = ("sensor", "force_sensor = { ... }", "A sensor that is not perfect.");
//!     GAIN: Pure = key("gain", "Shown over true.").default("1").example("1.01");
//!     NOISE: Shown = key("noise", "Standard deviation of its noise.").range(NOT_NEGATIVE).default("0");
//! }
//! let gain = table.get(&GAIN);
//! ```
//!
//! **Must not be here:** what a key means to a model.

pub(crate) mod kinds;
mod measures;

use std::ops::Range as Span;

pub use interfield_kernel::element::info::Range;
pub use kinds::{
    Anything, Choice, Count, Either, Entry, Fallback, Flag, Inner, Kind, List, Named, Number, Or, Rows, Tables, Text,
    Whole,
};
pub use measures::*;
use toml::de::DeValue;

use crate::diag::Diagnostic;
use crate::reader::{Spanned, Table};
use crate::schema;
use crate::units::{Dimension, UnitSystem};

/// Greater than zero.
pub const POSITIVE: Range = Range::Positive;
/// Zero or greater.
pub const NOT_NEGATIVE: Range = Range::NonNegative;

/// So much or more.
pub const fn from(least: f64) -> Range {
    Range::Between(least, f64::INFINITY)
}

/// A key of a table, and what may stand behind it.
#[derive(Clone, Copy, Debug)]
pub struct Key<K> {
    /// The key; `storey<N>` stands for `storey1`, `storey2`, ...
    pub name: &'static str,
    doc: &'static str,
    range: Range,
    required: bool,
    default: Option<&'static str>,
    example: Option<&'static str>,
    pub(crate) kind: K,
}

/// A key with a kind that needs no more than its type: `const DELAY: Key<Time> = key("delay", "...")`.
pub const fn key<K: kinds::Plain>(name: &'static str, doc: &'static str) -> Key<K> {
    of(K::KIND, name, doc)
}

/// A key with one of several words, or an entry of a registry.
pub const fn choice<E: 'static>(name: &'static str, entries: &'static [E], doc: &'static str) -> Key<Choice<E>> {
    of(Choice(entries), name, doc)
}

/// A key with a table.
pub const fn table(name: &'static str, section: &'static Section, doc: &'static str) -> Key<Inner> {
    of(Inner(section), name, doc)
}

/// A key with a list of tables.
pub const fn tables(name: &'static str, section: &'static Section, doc: &'static str) -> Key<Tables> {
    of(Tables { section, short: None }, name, doc)
}

impl Key<Tables> {
    /// Its tables may be written shorter.
    pub const fn or_short(self, short: &'static Section) -> Self {
        Key { kind: Tables { short: Some(short), ..self.kind }, ..self }
    }
}

/// A key of any kind.
pub const fn of<K>(kind: K, name: &'static str, doc: &'static str) -> Key<K> {
    Key { name, doc, range: Range::Any, required: false, default: None, example: None, kind }
}

impl<K: Copy> Key<K> {
    /// It must be there.
    pub const fn required(self) -> Self {
        Key { required: true, ..self }
    }

    /// Its number, or each of its numbers, lies within this range, SI.
    pub const fn range(self, range: Range) -> Self {
        Key { range, ..self }
    }

    /// What holds when it is absent, as it would be written, without the quotes of a text.
    pub const fn default(self, text: &'static str) -> Self {
        Key { default: Some(text), ..self }
    }

    /// What might be written, without the quotes of a text.
    pub const fn example(self, text: &'static str) -> Self {
        Key { example: Some(text), ..self }
    }
}

/// A value as it stands in a file: a text in quotes, all else as it is.
fn written(text: &str) -> String {
    let plain = text.parse::<f64>().is_ok() || matches!(text, "true" | "false") || text.starts_with(['[', '{']);
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

impl<K: Kind> Key<K> {
    /// What holds when it is absent, without quotes; empty if nothing does.
    pub fn default_text(&self) -> &'static str {
        self.default.unwrap_or_default()
    }

    fn place(&self) -> Place<'static> {
        Place { name: self.name, doc: self.doc, range: self.range }
    }

    /// What might be written behind it.
    pub fn written_example(&self) -> String {
        self.example
            .or(self.default.filter(|_| self.kind.example().is_empty()))
            .map_or_else(|| self.kind.example(), written)
    }
}

/// What all keys can say of themselves, whatever their kind.
pub trait Described: Sync {
    /// The key.
    fn name(&self) -> &'static str;
    /// Everything that is known of it.
    fn describe(&self) -> schema::Key;
    /// Reads it and forgets it, to see what there is to say.
    #[cfg(test)]
    fn try_in(&self, table: &Table<'_>);
}

impl<K: Kind> Described for Key<K> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn describe(&self) -> schema::Key {
        schema::Key {
            name: self.name,
            value: self.kind.value(),
            range: self.range,
            required: self.required,
            default: self.default.map(written),
            doc: self.doc.to_owned(),
            example: self.written_example(),
        }
    }

    #[cfg(test)]
    fn try_in(&self, table: &Table<'_>) {
        table.read(self);
    }
}

/// A table of the model file: the registry of its keys.
pub struct Section {
    /// Name.
    pub name: &'static str,
    /// How it is written in a file, `[[node]]`.
    pub written: &'static str,
    /// What it is for.
    pub doc: &'static str,
    /// Its keys, in the order in which they are best explained.
    pub keys: &'static [&'static dyn Described],
    /// Keys that come from a registry.
    pub more: Option<fn() -> Vec<schema::Key>>,
    /// Variants with keys of their own, from a registry; none for a table that is always the same.
    pub variants: Option<fn() -> Vec<schema::Variant>>,
    /// What keys of the user's own choice hold, where there may be any.
    pub others: Option<&'static dyn OfNames>,
}

/// What names of the user's own choice hold.
pub trait OfNames: Sync {
    /// What may be written.
    fn value(&self) -> schema::Value;
}

impl<K: Kind> OfNames for K {
    fn value(&self) -> schema::Value {
        Kind::value(self)
    }
}

impl std::fmt::Debug for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "section {}", self.name)
    }
}

impl Section {
    /// A table with these keys.
    pub const fn new(
        name: &'static str,
        written: &'static str,
        doc: &'static str,
        keys: &'static [&'static dyn Described],
    ) -> Self {
        Section { name, written, doc, keys, more: None, variants: None, others: None }
    }

    /// A table whose keys are names of the user.
    pub const fn named(
        name: &'static str,
        written: &'static str,
        doc: &'static str,
        others: &'static dyn OfNames,
    ) -> Self {
        Section { others: Some(others), ..Section::new(name, written, doc, &[]) }
    }

    /// With variants from a registry.
    pub const fn variants(self, variants: fn() -> Vec<schema::Variant>) -> Self {
        Section { variants: Some(variants), ..self }
    }

    /// With keys from a registry.
    pub const fn more(self, more: fn() -> Vec<schema::Key>) -> Self {
        Section { more: Some(more), ..self }
    }

    /// Its keys, described.
    pub fn described(&self) -> Vec<schema::Key> {
        describe(self.keys).into_iter().chain(self.more.map_or_else(Vec::new, |more| more())).collect()
    }

    /// Which variant a key belongs to, in words: `type = "spring"`.
    pub(crate) fn owner_of(&self, key: &str) -> Option<String> {
        let variants = self.variants.map_or_else(Vec::new, |variants| variants());
        let owners: Vec<String> =
            variants.iter().filter(|v| v.keys.iter().any(|k| k.name == key)).map(|v| v.words()).collect();
        (!owners.is_empty() && owners.len() < variants.len()).then(|| owners.join(" or "))
    }
}

/// Keys, described.
pub fn describe(keys: &[&'static dyn Described]) -> Vec<schema::Key> {
    keys.iter().map(|k| k.describe()).collect()
}

/// Declares keys as constants, and the section (or, in brackets, the list) that they make up: a key that is declared is listed.
macro_rules! section {
    ($(#[$doc:meta])* $vis:vis $section:ident = ($($about:expr),*) $(.$with:ident($($given:expr),*))*;
        $($kvis:vis $key:ident: $kind:ty = $value:expr;)*) => {
        $($kvis const $key: $crate::key::Key<$kind> = $value;)*
        $(#[$doc])*
        $vis static $section: $crate::key::Section =
            $crate::key::Section::new($($about),*, &[$(&$key),*])$(.$with($($given),*))*;
    };
    ($(#[$doc:meta])* $vis:vis [$list:ident]; $($kvis:vis $key:ident: $kind:ty = $value:expr;)*) => {
        $($kvis const $key: $crate::key::Key<$kind> = $value;)*
        $(#[$doc])*
        $vis const $list: &[&dyn $crate::key::Described] = &[$(&$key),*];
    };
}
pub(crate) use section;

impl<'d> Table<'d> {
    /// The value of a key, with its place. `None` if it is absent, which is reported where it is required, or wrong, which
    /// is reported always.
    pub fn read<K: Kind>(&self, key: &Key<K>) -> Option<Spanned<K::Value<'d>>> {
        self.expects(key.name);
        let item = match key.required {
            true => self.get_required(key.name, &key.written_example())?,
            false => self.get(key.name)?,
        };
        let value = key.kind.read(self, key.place(), item)?;
        Some(Spanned::new(value, item.span()))
    }

    /// As [`Table::read`], for one that is required where it is used.
    pub fn read_required<K: Kind + Copy>(&self, key: &Key<K>) -> Option<Spanned<K::Value<'d>>> {
        self.read(&key.required())
    }

    /// The value of a key, or what holds without it.
    pub fn get_or<K: Kind>(&self, key: &Key<K>, other: K::Value<'d>) -> K::Value<'d> {
        self.read(key).map_or(other, |v| v.value)
    }

    /// The value of a key, or its default.
    pub fn value<V, K>(&self, key: &Key<K>) -> V
    where
        K: for<'x> Kind<Value<'x> = V> + Fallback<V>,
    {
        self.read(key).map(|v| v.value).unwrap_or_else(|| self.default(key))
    }

    /// As [`Table::value`]; `None` if what is written is wrong.
    pub fn good<V, K>(&self, key: &Key<K>) -> Option<V>
    where
        K: for<'x> Kind<Value<'x> = V> + Fallback<V>,
    {
        if self.has(key) { self.read(key).map(|v| v.value) } else { Some(self.default(key)) }
    }

    /// What holds when a key is absent: its default, read as if it stood here.
    fn default<V, K>(&self, key: &Key<K>) -> V
    where
        K: for<'x> Kind<Value<'x> = V> + Fallback<V>,
    {
        let text = key.default.map(written).unwrap_or_default();
        let item = DeValue::parse(&text).ok();
        let place = key.place();
        let found = item.and_then(|item| key.kind.read(self, place, &item));
        debug_assert!(found.is_some() || key.default.is_none(), "the default of `{}` cannot be read", key.name);
        found.unwrap_or_else(|| key.kind.fallback())
    }

    /// The value of a name of the user's choice.
    pub fn entry<K: Kind>(&self, name: &str, kind: &K, range: Range) -> Option<Spanned<K::Value<'d>>> {
        let item = self.get(name)?;
        let value = kind.read(self, Place { name, doc: "", range }, item)?;
        Some(Spanned::new(value, item.span()))
    }

    /// The table of a key.
    pub fn open(&self, key: &Key<Inner>) -> Option<Table<'d>> {
        self.read(key).map(|t| t.value)
    }

    /// The tables of a key; none if it is absent.
    pub fn all(&self, key: &Key<Tables>) -> Vec<Table<'d>> {
        self.read(key).map_or_else(Vec::new, |t| t.value)
    }

    /// Reports a number out of its range; returns whether it is within.
    pub(crate) fn within(&self, subject: &str, place: Place<'_>, x: f64, dim: Dimension, span: Span<usize>) -> bool {
        if place.range.contains(x) {
            return true;
        }
        let unit = if dim.is_none() { String::new() } else { format!(" {}", UnitSystem::si().label(dim)) };
        let allowed = schema::allowed(place.range).unwrap_or_else(|| "a finite number".to_owned());
        let message = format!("{subject} must be {allowed}, found {x}{unit}");
        let help = match place.range {
            Range::Between(a, b) if b.is_finite() => format!("write a number from {a} to {b}{}", place.about()),
            Range::Between(a, _) if dim.is_none() => format!("write for example {} = {a}{}", place.name, place.about()),
            _ if x < 0.0 => "remove the sign".to_owned(),
            _ => format!("write for example {} = {}", place.name, written(&dim.example())),
        };
        self.diagnostics().push(Diagnostic::error(message, span).help(help));
        false
    }
}

/// Which key a value belongs to, and what its numbers may be.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// The key.
    pub name: &'a str,
    /// What it means.
    pub doc: &'a str,
    /// Range of its numbers.
    pub range: Range,
}

impl Place<'_> {
    /// What the key means, behind a suggestion.
    fn about(&self) -> String {
        let text = self.doc.trim_end_matches('.');
        let mut letters = text.chars();
        letters.next().map_or_else(String::new, |c| format!(": {}{}", c.to_lowercase(), letters.as_str()))
    }
}
