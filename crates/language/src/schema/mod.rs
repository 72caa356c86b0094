//! Everything a model file can say, as data: each table, each key with its kind, default, one sentence and an example.
//!
//! The JSON Schema for editors and the reference of the book are made from this; a test holds it against what the parser
//! asks for, so that neither can know a key that the other does not. Element types and schemes come from their registries.
//! **Must not be here:** reading, JSON.

mod elements;
mod externals;
mod laboratory;
mod registries;
mod sections;
mod templates;
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
    /// A number in the units of the file, or a text with a unit or an expression; what it measures, in words.
    Quantity(String),
    /// A list.
    List(Box<Value>),
    /// A table, by the name of its [`Section`].
    Table(&'static str),
    /// A list of tables, by the name of their [`Section`].
    Tables(&'static str),
    /// One of several.
    Either(Vec<Value>),
}

/// A key of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Key {
    /// The key; `storey<N>` stands for `storey1`, `storey2`, ...
    pub name: &'static str,
    /// What may be written.
    pub value: Value,
    /// Whether it must be there.
    pub required: bool,
    /// What is taken when it is absent, as it would be written.
    pub default: Option<String>,
    /// One sentence.
    pub doc: String,
    /// What might be written behind the equals sign.
    pub example: String,
}

/// A table of the model file, or one of its variants.
#[derive(Clone, Debug, PartialEq)]
pub struct Section {
    /// Name; variants of one table share it.
    pub name: &'static str,
    /// How it is written in a file, `[[node]]`.
    pub written: &'static str,
    /// Dotted paths at which the reader meets it; `*` stands for any name.
    pub paths: &'static [&'static str],
    /// Keys and values that make a table this variant, `type` = `spring`; empty for a table without variants.
    pub when: Vec<(&'static str, &'static str)>,
    /// What it is for.
    pub doc: String,
    /// Its keys, in the order in which they are best explained.
    pub keys: Vec<Key>,
    /// What keys of the user's own choice hold, where there may be any.
    pub others: Option<Value>,
}

impl Section {
    /// Name with its variant, `element-spring`.
    pub fn id(&self) -> String {
        let variant: Vec<&str> = self.when.iter().map(|w| w.1).collect();
        [&[self.name], &variant[..]].concat().join("-")
    }
}

/// All tables, the whole file first; variants of one table stand together.
pub fn sections() -> Vec<Section> {
    let mut all = sections::first();
    all.extend(elements::all());
    all.extend(templates::all());
    all.extend(sections::rest());
    all
}
