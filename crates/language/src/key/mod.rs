//! Keys of the model file, each said once: its name, what may stand behind it, the range, what holds when it is absent, and
//! a sentence. The parser reads through these constants, and the JSON Schema, the reference of the book and
//! `interfield explain` are made from them, so that none can know a key that the others do not.
//!
//! ```text
//! section! {
//!     SENSOR = ("sensor", "force_sensor = { ... }", "Errors of a sensor.");
//!     GAIN: Pure = key("gain", "Gain: measured value over true value.").default("1").example("1.01");
//!     NOISE: Shown = key("noise", "Standard deviation of its noise.").range(NOT_NEGATIVE).default("0");
//! }
//! let gain = table.value(&GAIN);
//! ```
//!
//! **Must not be here:** what a key means to a model.

mod kinds;
mod measures;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

pub use interfield_kernel::element::info::Range as Allowed;
pub use kinds::*;
pub use measures::*;
use toml::de::DeValue;

use crate::reader::{Spanned, Table};
use crate::schema;
use crate::units::Dimension;

/// Greater than zero.
pub const POSITIVE: Allowed = Allowed::Positive;
/// Zero or greater.
pub const NOT_NEGATIVE: Allowed = Allowed::NonNegative;

/// So much or more.
pub const fn from(least: f64) -> Allowed {
    Allowed::Between(least, f64::INFINITY)
}

/// A key of a table, and what may stand behind it.
#[derive(Clone, Copy, Debug)]
pub struct Key<K> {
    /// The key; `storey<N>` stands for `storey1`, `storey2`, ...
    pub name: &'static str,
    doc: &'static str,
    range: Allowed,
    required: bool,
    default: Option<&'static str>,
    example: Option<&'static str>,
    pub(crate) kind: K,
}

/// A key with a kind that needs no more than its type: `const DELAY: Key<Time> = key("delay", "...")`.
pub const fn key<K: Plain>(name: &'static str, doc: &'static str) -> Key<K> {
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

/// A key of any kind.
pub const fn of<K>(kind: K, name: &'static str, doc: &'static str) -> Key<K> {
    Key { name, doc, range: Allowed::Any, required: false, default: None, example: None, kind }
}

impl<K: Copy> Key<K> {
    /// It must be there.
    pub const fn required(self) -> Self {
        Key { required: true, ..self }
    }

    /// Its number, or each of its numbers, lies within this range, SI.
    pub const fn range(self, range: Allowed) -> Self {
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

impl Key<Tables> {
    /// Its tables may be written shorter.
    pub const fn or_short(self, short: &'static Section) -> Self {
        Key { kind: Tables { short: Some(short), ..self.kind }, ..self }
    }
}

/// A value as it stands in a file: a text in quotes, all else as it is.
pub(crate) fn written(text: &str) -> String {
    let plain = text.parse::<f64>().is_ok() || matches!(text, "true" | "false") || text.starts_with(['[', '{']);
    if plain { text.to_owned() } else { format!("\"{text}\"") }
}

impl<K: Kind> Key<K> {
    /// What holds when it is absent, without quotes; empty if nothing does.
    pub fn default_text(&self) -> &'static str {
        self.default.unwrap_or_default()
    }

    /// What might be written behind it.
    pub fn written_example(&self) -> String {
        self.example.map_or_else(|| self.kind.value().example(), written)
    }

    fn place(&self) -> Place<'static> {
        Place { name: self.name, doc: self.doc, example: self.example, range: self.range }
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

/// Keys of a section, or of an entry.
pub type Keys = &'static [&'static dyn Described];

/// Keys, described.
pub fn describe(keys: Keys) -> Vec<schema::Key> {
    keys.iter().map(|k| k.describe()).collect()
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
    pub keys: Keys,
    /// Keys that come from a registry.
    pub more: Option<fn() -> Vec<schema::Key>>,
    /// Variants with keys of their own, from a registry; none for a table that is always the same.
    pub variants: Option<fn() -> Vec<schema::Variant>>,
    /// What keys of the user's own choice hold, where there may be any.
    pub others: Option<fn() -> schema::Value>,
}

impl std::fmt::Debug for Section {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "section {}", self.name)
    }
}

impl Section {
    /// A table with these keys.
    pub const fn new(name: &'static str, written: &'static str, doc: &'static str, keys: Keys) -> Self {
        Section { name, written, doc, keys, more: None, variants: None, others: None }
    }

    /// With names of the user's own choice.
    pub const fn others(self, others: fn() -> schema::Value) -> Self {
        Section { others: Some(others), ..self }
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

    /// The names of all its keys, those of its variants and what chooses them too.
    pub(crate) fn known_names(&'static self) -> Rc<BTreeSet<&'static str>> {
        thread_local! {
            // Registries describe their keys at length: once is enough.
            static KNOWN: RefCell<BTreeMap<*const Section, Rc<BTreeSet<&'static str>>>> = const { RefCell::new(BTreeMap::new()) };
        }
        let names = || {
            let variants = self.variants.map_or_else(Vec::new, |variants| variants());
            let mut names: BTreeSet<&'static str> = self.described().iter().map(|k| k.name).collect();
            names.extend(variants.iter().flat_map(|v| v.keys.iter().map(|k| k.name)));
            names.extend(variants.iter().flat_map(|v| v.when.iter().map(|w| w.0)));
            Rc::new(names)
        };
        KNOWN.with_borrow_mut(|known| Rc::clone(known.entry(std::ptr::from_ref(self)).or_insert_with(names)))
    }

    /// Which variants a key belongs to, in words: `type = "spring"`; `None` if to all or none.
    pub(crate) fn owner_of(&self, key: &str) -> Option<String> {
        let variants = self.variants.map_or_else(Vec::new, |variants| variants());
        let owners = variants.iter().filter(|v| v.keys.iter().any(|k| k.name == key)).map(schema::Variant::words);
        let owners: Vec<String> = owners.collect();
        (!owners.is_empty() && owners.len() < variants.len()).then(|| owners.join(" or "))
    }
}

/// Declares keys as constants, and the section that they make up (or, in brackets, a list of them): a key that is declared
/// is listed.
macro_rules! section {
    ($(#[$doc:meta])* $vis:vis $section:ident = ($($about:expr),*) $(.$with:ident($($given:expr),*))*;
        $($(#[$kdoc:meta])* $kvis:vis $key:ident: $kind:ty = $value:expr;)*) => {
        $($(#[$kdoc])* $kvis const $key: $crate::key::Key<$kind> = $value;)*
        $(#[$doc])*
        $vis static $section: $crate::key::Section =
            $crate::key::Section::new($($about),*, &[$(&$key),*])$(.$with($($given),*))*;
    };
    ($(#[$doc:meta])* $vis:vis [$list:ident]; $($(#[$kdoc:meta])* $kvis:vis $key:ident: $kind:ty = $value:expr;)*) => {
        $($(#[$kdoc])* $kvis const $key: $crate::key::Key<$kind> = $value;)*
        $(#[$doc])*
        $vis const $list: $crate::key::Keys = &[$(&$key),*];
    };
}
pub(crate) use section;

/// An entry of a registry: its word in the file, a sentence, keys of its own, and who makes it.
pub struct Type<R: 'static> {
    /// The word.
    pub name: &'static str,
    doc: &'static str,
    keys: &'static [Keys],
    /// Who makes it.
    pub read: R,
}

impl<R: Sync> Entry for Type<R> {
    fn word(&self) -> &'static str {
        self.name
    }
}

impl<R> Type<R> {
    /// An entry.
    pub const fn new(name: &'static str, doc: &'static str, keys: &'static [Keys], read: R) -> Self {
        Type { name, doc, keys, read }
    }

    /// As a variant of the table that it is chosen in.
    pub fn variant(&self, chooser: &'static str) -> schema::Variant {
        schema::Variant { when: vec![(chooser, self.name)], doc: self.doc.to_owned(), keys: self.described() }
    }

    /// Its keys, described.
    pub fn described(&self) -> Vec<schema::Key> {
        self.keys.iter().flat_map(|k| describe(k)).collect()
    }
}

impl<'d> Table<'d> {
    /// The value of a key, with its place. `None` if it is absent, which is reported where it is required, or wrong, which
    /// is reported always.
    pub fn read<K: Kind>(&self, key: &Key<K>) -> Option<Spanned<K::Value<'d>>> {
        self.expects(key.name);
        let item = match key.required {
            true => self.get_required(key.name, || key.written_example())?,
            false => self.get(key.name)?,
        };
        Some(Spanned::new(key.kind.read(self, key.place(), item)?, item.span()))
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
        let found = item.and_then(|item| key.kind.read(self, key.place(), &item));
        debug_assert!(found.is_some() || key.default.is_none(), "the default of `{}` cannot be read", key.name);
        found.unwrap_or_else(|| key.kind.fallback())
    }

    /// The value of a name of the user's choice.
    pub fn entry<K: Kind>(&self, name: &str, kind: &K, range: Allowed) -> Option<Spanned<K::Value<'d>>> {
        let item = self.get(name)?;
        Some(Spanned::new(kind.read(self, Place { name, doc: "", example: None, range }, item)?, item.span()))
    }

    /// The table of a key.
    pub fn open(&self, key: &Key<Inner>) -> Option<Table<'d>> {
        self.read(key).map(|t| t.value)
    }

    /// The tables of a key; none if it is absent.
    pub fn all(&self, key: &Key<Tables>) -> Vec<Table<'d>> {
        self.read(key).map_or_else(Vec::new, |t| t.value)
    }
}

/// Which key a value belongs to, what it means, and what its numbers may be.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub struct Place<'a> {
    pub name: &'a str,
    pub doc: &'a str,
    pub example: Option<&'a str>,
    pub range: Allowed,
}

impl Place<'_> {
    /// Reports a number out of its range; returns whether it is within.
    pub fn check(self, table: &Table<'_>, x: f64, dim: Dimension, span: Range<usize>) -> bool {
        self.check_as(&format!("`{}`", self.name), table, x, dim, span)
    }

    /// The same with other words for the key.
    pub(crate) fn check_as(self, subject: &str, table: &Table<'_>, x: f64, dim: Dimension, span: Range<usize>) -> bool {
        let Some(allowed) = schema::allowed(self.range).filter(|_| !self.range.contains(x)) else { return true };
        let usual = dim.example();
        let example = format!("{} = {}", self.name, written(self.example.unwrap_or(&usual)));
        let help = match self.range {
            Allowed::Between(a, b) if b.is_finite() => {
                format!("write a number from {a} to {b}, for example {example}{}", self.about())
            }
            Allowed::Between(..) => format!("write for example {example}{}", self.about()),
            _ if x < 0.0 => format!("remove the sign, or write for example {example}"),
            _ => format!("write for example {example}"),
        };
        // As many digits as tell it from the bound.
        let found = table.units().show(x, dim, 10);
        table.error(span, format!("{subject} must be {allowed}, found {found}"), Some(help));
        false
    }

    /// What the key means, behind a suggestion.
    fn about(&self) -> String {
        let mut letters = self.doc.trim_end_matches('.').chars();
        letters.next().map_or_else(String::new, |c| format!(": {}{}", c.to_lowercase(), letters.as_str()))
    }
}
