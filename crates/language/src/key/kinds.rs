//! What may stand behind a key, and what it is read as.

use std::fmt::Debug;

use toml::de::DeValue;

use super::{Place, Section, written};
use crate::reader::{Item, Raw, Spanned, Table};
use crate::schema::Value;
use crate::units::Dimension;

/// What may stand behind a key.
pub trait Kind: Sync + 'static {
    /// What it is read as.
    type Value<'d>;

    /// Whether a value is of this kind by its looks, where a key takes one of several.
    fn fits(&self, value: &DeValue<'_>) -> bool;

    /// Reads it; `None` after what is wrong was reported.
    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>>;

    /// For the schema.
    fn value(&self) -> Value;

    /// What might be written, as it stands in a file.
    fn example(&self) -> String;
}

/// A kind that is known by its type.
pub trait Plain: Kind + Copy {
    /// The kind.
    const KIND: Self;
}

/// A kind of which something can be had even where nothing good was written.
pub trait Fallback<V> {
    /// It.
    fn fallback(&self) -> V;
}

/// Kinds without contents of their own.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident -> $value:ty = $read:ident if $fits:pat, $describe:expr, $example:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl Plain for $name {
            const KIND: Self = $name;
        }

        impl Fallback<$value> for $name {
            fn fallback(&self) -> $value {
                <$value>::default()
            }
        }

        impl Kind for $name {
            type Value<'d> = $value;

            fn fits(&self, value: &DeValue<'_>) -> bool {
                matches!(value, $fits)
            }

            fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<$value> {
                let found = table.$read(item)?;
                Number::within(table, place, &found).then_some(found.value)
            }

            fn value(&self) -> Value {
                $describe
            }

            fn example(&self) -> String {
                $example.to_owned()
            }
        }
    )*};
}

kinds! {
    /// A text.
    Text -> String = read_string if DeValue::String(_), Value::Text, "";
    /// true or false.
    Flag -> bool = read_bool if DeValue::Boolean(_), Value::Flag, "true";
    /// A whole number.
    Whole -> i64 = read_integer if DeValue::Integer(_) | DeValue::Float(_), Value::Whole, "1";
    /// A number without unit, and no expression.
    Number -> f64 = read_number if DeValue::Integer(_) | DeValue::Float(_), Value::Number, "1";
    /// Rows of numbers of equal length.
    Rows -> Vec<Vec<f64>> = read_matrix if DeValue::Array(_), Value::list(Value::list(Value::Number)), "[[2, -1], [-1, 1]]";
    /// A number or a text that means what the user makes of it.
    Anything -> Raw = read_raw if _, Value::Quantity("what the key stands for".to_owned()), "\"4 kN/mm\"";
}

/// A whole number, or an expression for one.
#[derive(Clone, Copy, Debug)]
pub struct Count;

impl Plain for Count {
    const KIND: Self = Count;
}

impl Fallback<u64> for Count {
    fn fallback(&self) -> u64 {
        1
    }
}

impl Kind for Count {
    type Value<'d> = u64;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        Whole.fits(value) || Text.fits(value)
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<u64> {
        let x = match Text.fits(item.get_ref()) {
            true => table.read_quantity(item, Dimension::NONE)?,
            false => table.read_integer(item)?.map(|n| n as f64),
        };
        if !Number::within(table, place, &x) {
            return None;
        }
        // Up to 2^53 every whole number is one.
        if x.value < 0.0 || x.value != x.value.trunc() || x.value > 9.0e15 {
            let message = format!("`{}` must be a whole number, found {}", place.name, x.value);
            table.error(x.span, message, Some(format!("write for example {} = 1", place.name)));
            return None;
        }
        Some(x.value as u64)
    }

    fn value(&self) -> Value {
        Value::Either(vec![Value::Whole, Value::Text])
    }

    fn example(&self) -> String {
        "1".to_owned()
    }
}

/// What is a number, and therefore has a range.
trait Numeric {
    fn number(&self) -> Option<f64> {
        None
    }
}

impl Numeric for i64 {
    fn number(&self) -> Option<f64> {
        Some(*self as f64)
    }
}

impl Numeric for f64 {
    fn number(&self) -> Option<f64> {
        Some(*self)
    }
}

impl Numeric for String {}
impl Numeric for bool {}
impl Numeric for Raw {}
impl Numeric for Vec<Vec<f64>> {}

impl Number {
    fn within<V: Numeric>(table: &Table<'_>, place: Place<'_>, found: &Spanned<V>) -> bool {
        let subject = format!("`{}`", place.name);
        found.value.number().is_none_or(|x| table.within(&subject, place, x, Dimension::NONE, found.span.clone()))
    }
}

/// An entry of a registry, or a word with its meaning.
pub trait Entry: Sync + 'static {
    /// The word in the file.
    fn word(&self) -> &'static str;
}

impl<T: Sync + 'static> Entry for (T, &'static str) {
    fn word(&self) -> &'static str {
        self.1
    }
}

/// One of several words.
#[derive(Debug)]
pub struct Choice<E: 'static>(pub &'static [E]);

impl<E> Clone for Choice<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Choice<E> {}

impl<E: Entry> Fallback<&'static E> for Choice<E> {
    fn fallback(&self) -> &'static E {
        &self.0[0]
    }
}

impl<E: Entry> Kind for Choice<E> {
    type Value<'d> = &'static E;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        matches!(value, DeValue::String(_))
    }

    fn read<'d>(&self, table: &Table<'d>, _: Place<'_>, item: &'d Item<'d>) -> Option<&'static E> {
        let text = table.read_string(item)?;
        let words: Vec<&str> = self.0.iter().map(Entry::word).collect();
        table.choose(&text, &words).map(|i| &self.0[i])
    }

    fn value(&self) -> Value {
        Value::Word(self.0.iter().map(Entry::word).collect())
    }

    fn example(&self) -> String {
        self.0.first().map_or_else(String::new, |e| written(e.word()))
    }
}

/// A name that a registry lists, which is looked up by whoever reads it.
#[derive(Clone, Copy, Debug)]
pub struct Named(pub fn() -> Vec<&'static str>);

impl Kind for Named {
    type Value<'d> = String;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        Text.fits(value)
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<String> {
        Text.read(table, place, item)
    }

    fn value(&self) -> Value {
        Value::Word((self.0)())
    }

    fn example(&self) -> String {
        (self.0)().first().map_or_else(String::new, |n| written(n))
    }
}

/// A list.
#[derive(Clone, Copy, Debug)]
pub struct List<K>(pub K);

impl<K: Plain> Plain for List<K> {
    const KIND: Self = List(K::KIND);
}

impl<K, V> Fallback<Vec<V>> for List<K> {
    fn fallback(&self) -> Vec<V> {
        Vec::new()
    }
}

impl<K: Kind> Kind for List<K> {
    type Value<'d> = Vec<Spanned<K::Value<'d>>>;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        matches!(value, DeValue::Array(_))
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>> {
        let one = |item: &'d Item<'d>| Some(Spanned::new(self.0.read(table, place, item)?, item.span()));
        table.list(item, &one).map(|l| l.value)
    }

    fn value(&self) -> Value {
        Value::list(self.0.value())
    }

    fn example(&self) -> String {
        format!("[{0}, {0}]", self.0.example())
    }
}

/// One of two.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Either<A, B> {
    First(A),
    Second(B),
}

/// One of two kinds, told apart by their looks.
#[derive(Clone, Copy, Debug)]
pub struct Or<A, B>(pub A, pub B);

impl<A: Plain, B: Plain> Plain for Or<A, B> {
    const KIND: Self = Or(A::KIND, B::KIND);
}

impl<A: Fallback<V>, B, V, W> Fallback<Either<V, W>> for Or<A, B> {
    fn fallback(&self) -> Either<V, W> {
        Either::First(self.0.fallback())
    }
}

impl<A: Kind, B: Kind> Kind for Or<A, B> {
    type Value<'d> = Either<A::Value<'d>, B::Value<'d>>;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        self.0.fits(value) || self.1.fits(value)
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>> {
        let value = item.get_ref();
        match self.1.fits(value) && !self.0.fits(value) {
            true => self.1.read(table, place, item).map(Either::Second),
            false => self.0.read(table, place, item).map(Either::First),
        }
    }

    fn value(&self) -> Value {
        let mut kinds = Vec::new();
        for value in [self.0.value(), self.1.value()] {
            match value {
                Value::Either(list) => kinds.extend(list),
                other => kinds.push(other),
            }
        }
        Value::Either(kinds)
    }

    fn example(&self) -> String {
        self.0.example()
    }
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Inner(pub &'static Section);

impl Kind for Inner {
    type Value<'d> = Table<'d>;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        matches!(value, DeValue::Table(_))
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Table<'d>> {
        table.read_table(item, place.name, self.0)
    }

    fn value(&self) -> Value {
        Value::Table(self.0)
    }

    fn example(&self) -> String {
        String::new()
    }
}

/// A list of tables, `[[key]]` or `key = [{...}, ...]`.
#[derive(Clone, Copy, Debug)]
pub struct Tables {
    /// What they are.
    pub section: &'static Section,
    /// How they may be written shorter; that is written out before they are read.
    pub short: Option<&'static Section>,
}

impl Kind for Tables {
    type Value<'d> = Vec<Table<'d>>;

    fn fits(&self, value: &DeValue<'_>) -> bool {
        matches!(value, DeValue::Array(_))
    }

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Vec<Table<'d>>> {
        table.read_tables(item, place.name, self.section)
    }

    fn value(&self) -> Value {
        match self.short {
            None => Value::Tables(self.section),
            Some(short) => Value::list(Value::Either(vec![Value::Table(self.section), Value::Table(short)])),
        }
    }

    fn example(&self) -> String {
        String::new()
    }
}
