//! Numbers with their units, and lists of names, as they are said.

use interfield_language::units::{Dimension, UnitSystem};
use serde_json::{Value, json};

use crate::quantities::ONE;
use crate::table::{short, time};

/// A number in the units of the model.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quantity {
    value: f64,
    unit: String,
}

impl Quantity {
    /// A number that is not converted.
    pub(super) fn plain(value: f64, unit: &str) -> Self {
        Quantity { value, unit: unit.to_owned() }
    }

    /// Of one SI unit: so many of the model's, and their name.
    pub(super) fn unit(self) -> (f64, String) {
        (self.value, self.unit)
    }

    pub(super) fn text(&self) -> String {
        if self.unit == "-" { short(self.value) } else { format!("{} {}", short(self.value), self.unit) }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "value": self.value, "unit": if self.unit == "-" { ONE } else { &self.unit } })
    }
}

/// What an actuator moves along, a length or an angle, and the units that follow from it.
#[derive(Clone, Copy)]
pub(super) struct Along<'m> {
    pub(super) units: &'m UnitSystem,
    pub(super) angle: bool,
}

impl Along<'_> {
    /// Stroke (0), velocity (1), acceleration (2), jerk (3) from SI.
    pub(super) fn stroke(self, value: f64, derivative: i32) -> Quantity {
        let rate = Dimension::TIME.power(-f64::from(derivative));
        let dim = if self.angle { rate } else { Dimension::LENGTH.times(rate) };
        let unit = if self.angle { self.units.angle_label(rate) } else { self.units.label(dim) };
        Quantity { value: value / self.units.factor(dim), unit }
    }

    /// Force (0) or its rate (1) from SI.
    pub(super) fn force(self, value: f64, derivative: i32) -> Quantity {
        let force = if self.angle { Dimension::MOMENT } else { Dimension::FORCE };
        self.of(value, force.times(Dimension::TIME.power(-f64::from(derivative))))
    }

    /// Stiffness against the stroke, from SI.
    pub(super) fn stiffness(self, value: f64) -> Quantity {
        self.of(value, if self.angle { Dimension::MOMENT } else { Dimension::STIFFNESS })
    }

    pub(super) fn of(self, value: f64, dim: Dimension) -> Quantity {
        Quantity { value: value / self.units.factor(dim), unit: self.units.label(dim) }
    }
}

/// A longer time from s: minutes and hours.
pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => time(s),
        s if s < 7200.0 => format!("{} min", short((s / 6.0).round() / 10.0)),
        s => format!("{} h", short((s / 360.0).round() / 10.0)),
    }
}

/// A rate from Hz, with the unit that suits it.
pub(super) fn frequency(hertz: f64) -> String {
    match hertz {
        f if f >= 1e6 => format!("{} MHz", short(f / 1e6)),
        f if f >= 1e3 => format!("{} kHz", short(f / 1e3)),
        f => format!("{} Hz", short(f)),
    }
}

/// "1 cut", "2 cuts".
pub(super) fn count(n: usize, one: &str) -> String {
    if n == 1 { format!("1 {one}") } else { format!("{n} {one}s") }
}

/// The first names, and how many more there are.
pub(super) fn listed(names: &[&str], most: usize) -> String {
    match names.len() {
        n if n > most => format!("{} and {} more", names[..most].join(", "), n - most),
        _ => names.join(", "),
    }
}
