//! What may stand behind a key, and what it is read as.

use std::fmt::Debug;

use super::{Place, Section};
use crate::reader::{Item, Raw, Spanned, Table};
use crate::schema::Value;
use crate::units::Dimension;

/// What may stand behind a key.
pub trait Kind: Sync + 'static {
    /// What it is read as.
    type Value<'d>;

    /// Reads it; `None` after what is wrong was reported.
    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>>;

    /// What may be written.
    fn value(&self) -> Value;
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

/// Kinds without contents of their own: what they are read as, by whom, and what may be written. A number has a range.
macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident -> $value:ty = $read:ident($number:expr), $describe:expr;)*) => {$(
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

            fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<$value> {
                let found = table.$read(item)?;
                let number: fn(&$value) -> Option<f64> = $number;
                let within = |x| place.check(table, x, Dimension::NONE, found.span.clone());
                number(&found.value).is_none_or(within).then_some(found.value)
            }

            fn value(&self) -> Value {
                $describe
            }
        }
    )*};
}

kinds! {
    /// A text.
    Text -> String = read_string(|_| None), Value::Text;
    /// true or false.
    Flag -> bool = read_bool(|_| None), Value::Flag;
    /// A whole number.
    Whole -> i64 = read_integer(|n| Some(*n as f64)), Value::Whole;
    /// A number without unit, and no expression.
    Number -> f64 = read_number(|x| Some(*x)), Value::Number;
    /// A whole number, or an expression for one.
    Count -> u64 = read_count(|n| Some(*n as f64)), Value::Either(vec![Value::Whole, Value::Text]);
    /// Rows of numbers of equal length.
    Rows -> Vec<Vec<f64>> = read_matrix(|_| None), Value::list(Value::list(Value::Number));
    /// A number or a text that means what the user makes of it.
    Anything -> Raw = read_raw(|_| None), Value::quantity("a quantity that depends on the key", "4 kN/mm");
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

    fn read<'d>(&self, table: &Table<'d>, _: Place<'_>, item: &'d Item<'d>) -> Option<&'static E> {
        self.find(table, &table.read_string(item)?)
    }

    fn value(&self) -> Value {
        Value::Word(self.0.iter().map(Entry::word).collect())
    }
}

impl<E: Entry> Choice<E> {
    /// What a word stands for; reports one that is not among them.
    pub fn find(&self, table: &Table<'_>, text: &Spanned<String>) -> Option<&'static E> {
        let words: Vec<&str> = self.0.iter().map(Entry::word).collect();
        table.choose(text, &words).map(|i| &self.0[i])
    }
}

/// A name that a registry lists, which is looked up by whoever reads it.
#[derive(Clone, Copy, Debug)]
pub struct Named(pub fn() -> Vec<&'static str>);

impl Kind for Named {
    type Value<'d> = String;

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<String> {
        Text.read(table, place, item)
    }

    fn value(&self) -> Value {
        Value::Word((self.0)())
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

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>> {
        let one = |item: &'d Item<'d>| Some(Spanned::new(self.0.read(table, place, item)?, item.span()));
        table.list(item, &one).map(|l| l.value)
    }

    fn value(&self) -> Value {
        Value::list(self.0.value())
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

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Self::Value<'d>> {
        let found = item.get_ref();
        match !self.0.value().fits(found) && self.1.value().fits(found) {
            true => self.1.read(table, place, item).map(Either::Second),
            false => self.0.read(table, place, item).map(Either::First),
        }
    }

    fn value(&self) -> Value {
        let flat = |value| if let Value::Either(list) = value { list } else { vec![value] };
        Value::Either([self.0.value(), self.1.value()].into_iter().flat_map(flat).collect())
    }
}

/// A table.
#[derive(Clone, Copy, Debug)]
pub struct Inner(pub &'static Section);

impl Kind for Inner {
    type Value<'d> = Table<'d>;

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Table<'d>> {
        table.read_table(item, place.name, self.0)
    }

    fn value(&self) -> Value {
        Value::Table(self.0)
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

    fn read<'d>(&self, table: &Table<'d>, place: Place<'_>, item: &'d Item<'d>) -> Option<Vec<Table<'d>>> {
        table.read_tables(item, place.name, self.section)
    }

    fn value(&self) -> Value {
        match self.short {
            None => Value::Tables(self.section),
            Some(short) => Value::list(Value::Either(vec![Value::Table(self.section), Value::Table(short)])),
        }
    }
}
