//! Everything a model file can say, as data: each table, each key with its kind, range, default, one sentence and an example.
//!
//! Made from the keys that the parser reads with, and from the registries of elements, schemes, couplings and compensators; the
//! JSON Schema for editors, the reference of the book and `interfield explain` are made from this.
//! **Must not be here:** keys, reading, JSON.

use toml::de::DeValue;

use crate::key::{Allowed, Section, Type, written};
use crate::parse::FILE;

#[cfg(test)]
mod tests;

/// What may be written behind a key.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A text.
    Text,
    /// One of these words.
    Word(Vec<&'static str>),
    /// true or false.
    Flag,
    /// A whole number.
    Whole,
    /// A number without unit.
    Number,
    /// A number in the units of the file, or a text with a unit or an expression: what it measures, in words, and an example.
    #[allow(missing_docs)]
    Quantity { of: String, example: String },
    /// A list.
    List(Box<Value>),
    /// A table.
    Table(&'static Section),
    /// A list of tables.
    Tables(&'static Section),
    /// One of several.
    Either(Vec<Value>),
}

impl Value {
    pub(crate) fn list(of: Value) -> Self {
        Value::List(Box::new(of))
    }

    pub(crate) fn quantity(of: &str, example: &str) -> Self {
        Value::Quantity { of: of.to_owned(), example: written(example) }
    }

    /// Whether something that is written may be this, by its looks.
    pub(crate) fn fits(&self, value: &DeValue<'_>) -> bool {
        let number = matches!(value, DeValue::Integer(_) | DeValue::Float(_));
        let text = matches!(value, DeValue::String(_));
        match self {
            Value::Text | Value::Word(_) => text,
            Value::Flag => matches!(value, DeValue::Boolean(_)),
            Value::Whole | Value::Number => number,
            Value::Quantity { .. } => number || text,
            Value::List(_) | Value::Tables(_) => matches!(value, DeValue::Array(_)),
            Value::Table(_) => matches!(value, DeValue::Table(_)),
            Value::Either(list) => list.iter().any(|v| v.fits(value)),
        }
    }

    /// What might be written.
    pub(crate) fn example(&self) -> String {
        match self {
            Value::Text | Value::Table(_) | Value::Tables(_) => String::new(),
            Value::Word(words) => words.first().map_or_else(String::new, |w| written(w)),
            Value::Flag => "true".to_owned(),
            Value::Whole | Value::Number => "1".to_owned(),
            Value::Quantity { example, .. } => example.clone(),
            Value::List(of) => format!("[{0}, {0}]", of.example()),
            Value::Either(list) => list.first().map_or_else(String::new, Value::example),
        }
    }

    /// Sections that stand here.
    fn sections(&self) -> Vec<&'static Section> {
        match self {
            Value::Table(section) | Value::Tables(section) => vec![section],
            Value::List(of) => of.sections(),
            Value::Either(list) => list.iter().flat_map(Value::sections).collect(),
            _ => Vec::new(),
        }
    }

    /// What may be written, in words.
    pub fn words(&self) -> String {
        let quoted = |words: &[&str]| words.iter().map(|w| format!("\"{w}\"")).collect::<Vec<_>>().join(" or ");
        match self {
            Value::Text => "text".to_owned(),
            Value::Word(list) => quoted(list),
            Value::Flag => "true or false".to_owned(),
            Value::Whole => "whole number".to_owned(),
            Value::Number => "number".to_owned(),
            Value::Quantity { of, .. } => format!("quantity: {of}"),
            Value::List(of) => format!("list of {}", of.words()),
            Value::Table(section) => format!("table, see `interfield explain {}`", section.name),
            Value::Tables(section) => format!("list of tables, see `interfield explain {}`", section.name),
            Value::Either(list) => list.iter().map(Value::words).collect::<Vec<_>>().join(", or "),
        }
    }
}

impl PartialEq for Section {
    /// By name.
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key; `storey<N>` stands for `storey1`, `storey2`, ...
    pub name: &'static str,
    /// What may be written.
    pub value: Value,
    /// What its numbers may be, SI.
    pub range: Allowed,
    /// Whether it must be there.
    pub required: bool,
    /// What is taken when it is absent, as it would be written.
    pub default: Option<String>,
    /// One sentence.
    pub doc: String,
    /// What might be written behind the equals sign.
    pub example: String,
}

/// A variant of a table, with keys of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Variant {
    /// Keys and values that make a table this variant, `type` = `spring`.
    pub when: Vec<(&'static str, &'static str)>,
    /// What it is.
    pub doc: String,
    /// Its own keys.
    pub keys: Vec<Key>,
}

impl Variant {
    /// What makes a table this variant, as it is written.
    pub fn words(&self) -> String {
        self.when.iter().map(|(k, v)| format!("{k} = \"{v}\"")).collect::<Vec<_>>().join(" and ")
    }

    /// The keys that choose it.
    fn choosers(&self) -> impl Iterator<Item = Key> + '_ {
        self.when.iter().map(|&(name, word)| Key {
            name,
            value: Value::Word(vec![word]),
            range: Allowed::Any,
            required: true,
            default: None,
            doc: sentence(&self.doc),
            example: format!("\"{word}\""),
        })
    }
}

/// A table of the model file, or one of its variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Name; variants of one table share it.
    pub name: &'static str,
    /// How it is written in a file, `[[node]]`.
    pub written: &'static str,
    /// Dotted path at which it stands first; empty for the whole file.
    pub path: String,
    /// Keys and values that make a table this variant; empty for a table without variants.
    pub when: Vec<(&'static str, &'static str)>,
    /// What it is for.
    pub doc: String,
    /// Its keys, in the order in which they are best explained.
    pub keys: Vec<Key>,
    /// What keys of the user's own choice hold, where there may be any.
    pub others: Option<Value>,
}

impl Table {
    /// Name with its variant, `element-spring`.
    pub fn id(&self) -> String {
        let variant: Vec<&str> = self.when.iter().map(|w| w.1).collect();
        [&[self.name], &variant[..]].concat().join("-")
    }
}

/// All tables, the whole file first, each where it stands first; variants of one table stand together.
pub fn tables() -> Vec<Table> {
    let mut all = Vec::new();
    collect(&FILE, "", &mut all);
    all
}

fn collect(section: &'static Section, path: &str, all: &mut Vec<Table>) {
    if all.iter().any(|t| t.name == section.name) {
        return;
    }
    let found = variants(section, path);
    let mut inner: Vec<(String, &'static Section)> = Vec::new();
    for table in &found {
        let keys = table.keys.iter().map(|k| (k.name, &k.value)).chain(table.others.iter().map(|v| ("NAME", v)));
        let at = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        inner.extend(keys.flat_map(|(name, value)| value.sections().into_iter().map(move |s| (at(name), s))));
    }
    all.extend(found);
    inner.into_iter().for_each(|(path, section)| collect(section, &path, all));
}

/// A section as one table, or as one for each of its variants.
fn variants(section: &'static Section, path: &str) -> Vec<Table> {
    let table = |when, doc: String, keys| Table {
        name: section.name,
        written: section.written,
        path: path.to_owned(),
        when,
        doc,
        keys,
        others: section.others.map(|others| others()),
    };
    let variants = section.variants.map_or_else(Vec::new, |variants| variants());
    if variants.is_empty() {
        return vec![table(Vec::new(), section.doc.to_owned(), section.described())];
    }
    let one = |v: Variant| {
        let keys = v.choosers().chain(section.described()).chain(v.keys.clone()).collect();
        table(v.when, v.doc, keys)
    };
    variants.into_iter().map(one).collect()
}

/// A range in words; `None` where any number will do.
pub fn allowed(range: Allowed) -> Option<String> {
    Some(match range {
        Allowed::Any => return None,
        Allowed::Positive => "greater than zero".to_owned(),
        Allowed::NonNegative => "zero or greater".to_owned(),
        Allowed::Between(a, b) if b.is_finite() => format!("between {a} and {b}"),
        Allowed::Between(a, _) => format!("{a} or greater"),
    })
}

/// A text of a registry as a sentence.
pub(crate) fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map_or_else(String::new, |c| c.to_uppercase().collect());
    let end = if text.ends_with('.') { "" } else { "." };
    format!("{first}{}{end}", letters.as_str())
}

/// Keys of the entries of a registry that stand in one table: each once, with the entries that have it.
pub(crate) fn merged<R>(chooser: &str, entries: &[Type<R>]) -> Vec<Key> {
    let mut all: Vec<(Key, Vec<String>)> = Vec::new();
    for (entry, key) in entries.iter().flat_map(|e| e.described().into_iter().map(move |k| (e.name, k))) {
        let owner = format!("\"{entry}\"");
        match all.iter_mut().find(|(known, _)| known.name == key.name) {
            None => all.push((key, vec![owner])),
            Some((known, owners)) => {
                known.also(key.value);
                owners.push(owner);
            }
        }
    }
    let with = |(key, owners): (Key, Vec<String>)| {
        let doc = format!("{} Only with `{chooser}` {}.", key.doc, owners.join(" or "));
        Key { doc, required: false, ..key }
    };
    all.into_iter().map(with).collect()
}

impl Key {
    /// It may hold this too.
    pub(crate) fn also(&mut self, value: Value) {
        if self.value != value {
            self.value = Value::Either(vec![self.value.clone(), value]);
        }
    }
}
