//! Numbers with their units as people read them: one way for messages, tables and pages.

use super::{Dimension, UnitSystem};

/// A number with as many digits as a reader wants to see.
pub fn short(x: f64) -> String {
    match x.abs() {
        0.0 => "0".to_owned(),
        a if !(1e-3..1e6).contains(&a) => format!("{x:.3e}"),
        a => decimal(x, (4 - a.log10().floor() as i32).clamp(0, 8)),
    }
}

/// A number with so many significant digits.
pub fn significant(x: f64, count: i32) -> String {
    if x != 0.0 && !(1e-9..10f64.powi(count.max(9))).contains(&x.abs()) {
        let text = format!("{x:.*e}", (count - 1).max(0) as usize);
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let digits = if digits.contains('.') { digits.trim_end_matches('0').trim_end_matches('.') } else { digits };
        return format!("{digits}e{exponent}");
    }
    decimal(x, if x == 0.0 { 0 } else { (count - 1 - x.abs().log10().floor() as i32).clamp(0, 12) })
}

/// With so many decimals at most.
fn decimal(x: f64, decimals: i32) -> String {
    let text = format!("{x:.*}", decimals.max(0) as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// A time with the prefix in which it is read at once: `0.94 ms`, `12 us`, `2.5 s`.
pub fn time(seconds: f64) -> String {
    let (x, unit) = prefixed(seconds);
    format!("{} {unit}", short(x))
}

/// As [`time`], with so many significant digits.
pub fn time_to(seconds: f64, count: i32) -> String {
    let (x, unit) = prefixed(seconds);
    format!("{} {unit}", significant(x, count))
}

/// From 0.1 s on in s, from 0.1 ms on in ms, below in us.
fn prefixed(seconds: f64) -> (f64, &'static str) {
    match seconds.abs() {
        a if a == 0.0 || a >= 0.1 || !a.is_finite() => (seconds, "s"),
        a if a >= 1e-4 => (1e3 * seconds, "ms"),
        _ => (1e6 * seconds, "us"),
    }
}

impl UnitSystem {
    /// A quantity in SI as a reader of the model sees it, with so many significant digits and its unit: `-100 mm`.
    pub fn show(&self, si: f64, dim: Dimension, count: i32) -> String {
        if dim.is_none() {
            return significant(si, count);
        }
        if dim == Dimension::TIME && self.label(dim) == "s" {
            return time_to(si, count);
        }
        let (factor, label) = self.readable(dim);
        format!("{} {label}", significant(si / factor, count))
    }

    /// The unit in which a reader sees a quantity: its size in SI, and its name. A derived unit of mass such as kN*s^2/mm is a unit
    /// for plain numbers of the file; a reader thinks in kg.
    pub fn readable(&self, dim: Dimension) -> (f64, String) {
        if dim.mass != 0.0 && dim.time == 0.0 && self.label(Dimension::MASS).contains(['*', '/']) {
            return (1.0, dim.to_string());
        }
        (self.factor(dim), self.label(dim))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_five_digits_and_times_a_prefix() {
        let shown = [0.0, 1.0, 209.784_56, 12_345.678, 1_234.567_8, 3.457e-5, 1.5e7, -0.002].map(short);
        assert_eq!(shown, ["0", "1", "209.78", "12346", "1234.6", "3.457e-5", "1.500e7", "-0.002"]);
        let times = [0.0, 9.381e-4, 5e-4, 0.002, 0.1, 9.524_8, 4.2e-6, -0.000_499].map(time);
        assert_eq!(times, ["0 s", "0.9381 ms", "0.5 ms", "2 ms", "0.1 s", "9.5248 s", "4.2 us", "-0.499 ms"]);
    }

    #[test]
    fn quantities_are_in_the_units_of_the_model() {
        let units = UnitSystem::new(Some("mm"), Some("kN"), None, None).unwrap_or_else(|_| UnitSystem::si());
        let shown = [(-0.1, Dimension::LENGTH), (4e6, Dimension::STIFFNESS), (0.004, Dimension::TIME)];
        assert_eq!(shown.map(|(x, dim)| units.show(x, dim, 3)), ["-100 mm", "4 kN/mm", "4 ms"]);
        assert_eq!(units.show(1e9, Dimension::NONE, 10), "1000000000");
        assert_eq!(units.show(1.000_001, Dimension::NONE, 10), "1.000001");
        assert_eq!(units.show(-1e30, Dimension::FORCE, 3), "-1e27 kN");
        assert_eq!(units.show(-15_000.0, Dimension::MASS, 10), "-15000 kg");
    }
}
