//! Numbers with their units in JSON: one convention for everything this program prints or keeps.
//!
//! A quantity is a plain number, in the units of the model; the object it stands in, or the nearest one around that, has a
//! member `units` with the unit of each quantity by its name. The numbers of one thing that is measured, such as a channel, share the
//! member `unit` beside its name. Counts are whole numbers and have no unit; what has no dimension has the unit `1` or `%`.

use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Map, Value, json};

use crate::table::short;

/// Name of the member with the units.
pub const UNITS: &str = "units";
/// Unit of what has no dimension.
pub const ONE: &str = "1";

/// An object that is being filled.
#[derive(Clone, Debug, Default)]
pub struct Quantities {
    object: Map<String, Value>,
    units: Map<String, Value>,
}

impl Quantities {
    /// Something that is no quantity: words, counts, other objects.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.object.insert(name.to_owned(), value.into());
        self
    }

    /// A quantity in a unit; `null` if it is not finite.
    #[must_use]
    pub fn quantity(mut self, name: &str, value: impl Into<Value>, unit: &str) -> Self {
        self.units.insert(name.to_owned(), unit.into());
        self.with(name, value)
    }

    /// A quantity that is known in SI, in the unit of the model.
    #[must_use]
    pub fn si(self, name: &str, si: f64, dim: Dimension, units: &UnitSystem) -> Self {
        self.quantity(name, number(si / units.factor(dim)), &label(dim, units))
    }

    /// A time, s.
    #[must_use]
    pub fn seconds(self, name: &str, t: impl Into<Value>) -> Self {
        self.quantity(name, t, "s")
    }

    /// The object, with its units.
    pub fn object(mut self) -> Value {
        if !self.units.is_empty() {
            self.object.insert(UNITS.to_owned(), self.units.into());
        }
        self.object.into()
    }
}

/// Name of a unit of the model, as in [`UNITS`].
pub fn label(dim: Dimension, units: &UnitSystem) -> String {
    if dim.is_none() { ONE.to_owned() } else { units.label(dim) }
}

/// A number as JSON, which has no infinities.
pub fn number(x: f64) -> Value {
    if x.is_finite() { json!(x) } else { Value::Null }
}

/// What hardware or a program counted, by name. Times end with their unit.
fn counted((name, x): &(impl AsRef<str>, f64)) -> (String, f64, Option<&'static str>) {
    let name = name.as_ref();
    let known = [("_us", "us"), (" [s]", "s"), ("largest_departure", "SI")];
    let unit = known.iter().find(|(ending, _)| name.ends_with(ending));
    let stem = unit.and_then(|(ending, _)| name.strip_suffix(ending)).filter(|stem| !stem.is_empty()).unwrap_or(name);
    (stem.to_owned(), *x, unit.map(|u| u.1))
}

/// The name of what was counted, in words: `round_trip_p99_9` is the round trip that 99.9 % stay below.
fn spoken(name: &str) -> String {
    let shares = [("_p50", " (median)"), ("_p99_9", " (99.9 %)"), ("_p99", " (99 %)"), ("_max", " (at most)")];
    let share = shares.iter().find_map(|(ending, words)| Some((name.strip_suffix(ending)?, *words)));
    let (stem, share) = share.unwrap_or((name, ""));
    stem.replace('_', " ") + share
}

/// What was counted, in words.
pub fn account_words(account: &[(impl AsRef<str>, f64)]) -> String {
    let one = |entry: &_| {
        let (name, x, unit) = counted(entry);
        let unit = unit.map_or_else(String::new, |u| format!(" {u}"));
        format!("{} {}{unit}", spoken(&name), short(x))
    };
    account.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// What was counted, for JSON.
pub fn account_json(account: &[(impl AsRef<str>, f64)]) -> Value {
    let add = |all: Quantities, entry: &_| match counted(entry) {
        (name, x, Some(unit)) => all.quantity(&name.replace(' ', "_"), number(x), unit),
        (name, x, None) if x.fract() == 0.0 => all.with(&name.replace(' ', "_"), x as i64),
        (name, x, None) => all.quantity(&name.replace(' ', "_"), number(x), ONE),
    };
    account.iter().fold(Quantities::default(), add).object()
}
