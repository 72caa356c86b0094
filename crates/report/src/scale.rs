//! From values along an axis to places in a picture, and where its ticks stand.

use crate::figure::Axis;

/// Values beyond it have no place: their differences are no numbers.
const LARGEST: f64 = 1e300;

/// An axis with its ends, from 0 to 1 along its length.
pub(crate) struct Scale {
    log: bool,
    low: f64,
    high: f64,
    names: Vec<String>,
}

/// Smallest and largest of some numbers, those that are not finite left out; zeros without any.
pub(crate) fn range(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let finite = values.filter(|v| v.is_finite()).map(|v| (v, v));
    finite.reduce(|(lo, hi), (v, _)| (lo.min(v), hi.max(v))).unwrap_or_default()
}

/// A tick: its place from 0 to 1, and what stands there; empty between labels.
pub(crate) type Tick = (f64, String);

impl Scale {
    /// The axis over these values, a little wider where its ends are not given.
    pub(crate) fn new(axis: &Axis, values: impl Iterator<Item = f64>) -> Self {
        let usable = |x: &f64| x.abs() < LARGEST && (!axis.log || *x > 0.0);
        let mut values = values.filter(usable).peekable();
        let none = values.peek().is_none();
        let (low, high) = range(values);
        let (low, high) = match (axis.range, axis.names.len()) {
            (Some(range), _) => range,
            (None, n) if n > 0 => (-0.5, n as f64 - 0.5),
            (None, _) if none => (if axis.log { 1.0 } else { 0.0 }, if axis.log { 10.0 } else { 1.0 }),
            (None, _) if axis.log => (10f64.powf(low.log10() - 0.1), 10f64.powf(high.log10() + 0.1)),
            (None, _) => {
                // What is constant stands in the middle, whatever its size.
                let margin = if high > low { 0.04 * (high - low) } else { 0.5 * high.abs() };
                let margin = if margin > 0.0 { margin } else { 1.0 };
                (low - margin, high + margin)
            }
        };
        Scale { log: axis.log, low, high, names: axis.names.clone() }
    }

    /// The place of a value; not finite for values that have none.
    pub(crate) fn place(&self, x: f64) -> f64 {
        if self.log {
            if x > 0.0 { (x.ln() - self.low.ln()) / (self.high.ln() - self.low.ln()) } else { f64::NAN }
        } else {
            (x - self.low) / (self.high - self.low)
        }
    }

    /// Where bars begin: zero, or the lower end.
    pub(crate) fn floor(&self) -> f64 {
        if self.log { 0.0 } else { self.place(0.0).clamp(0.0, 1.0) }
    }

    /// Ticks, about `most` of them with labels.
    pub(crate) fn ticks(&self, most: usize) -> Vec<Tick> {
        let inside = |t: &Tick| (-1e-9..=1.0 + 1e-9).contains(&t.0);
        let all: Vec<Tick> = if !self.names.is_empty() {
            self.names.iter().enumerate().map(|(i, n)| (self.place(i as f64), n.clone())).collect()
        } else if self.log {
            self.decades(most)
        } else {
            self.round_numbers(most)
        };
        all.into_iter().filter(inside).collect()
    }

    fn round_numbers(&self, most: usize) -> Vec<Tick> {
        let rough = (self.high - self.low) / most.max(1) as f64;
        let power = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|f| f * power).into_iter().find(|s| *s >= rough * (1.0 - 1e-9));
        let step = step.unwrap_or(10.0 * power);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let largest = self.low.abs().max(self.high.abs());
        let label = |x: f64| match x {
            0.0 => "0".to_owned(),
            _ if !(1e-3..1e5).contains(&largest) => scientific(x, step, largest),
            _ => grouped(&format!("{x:.decimals$}")).replace('-', "−"),
        };
        let (from, to) = ((self.low / step).ceil() as i64, (self.high / step).floor() as i64);
        (from..=to).take(100).map(|i| i as f64 * step).map(|x| (self.place(x), label(x))).collect()
    }

    fn decades(&self, most: usize) -> Vec<Tick> {
        let (from, to) = (self.low.log10().floor() as i32, self.high.log10().ceil() as i32);
        let count = self.high.log10() - self.low.log10();
        let every = (count / most.max(1) as f64).ceil().max(1.0) as i32;
        let mut ticks = Vec::new();
        for e in from..=to {
            let power = 10f64.powi(e);
            let label = if e % every == 0 { times_ten(1, e) } else { String::new() };
            ticks.push((self.place(power), label));
            if count <= 6.0 {
                // Two decades have too few powers of ten to read values from.
                let label = |m: i32| {
                    if count < 2.1 && (m == 2 || m == 5) { times_ten(m, e) } else { String::new() }
                };
                ticks.extend((2..10).map(|m| (self.place(f64::from(m) * power), label(m))));
            }
        }
        ticks
    }
}

/// A digit times a power of ten.
fn times_ten(digit: i32, e: i32) -> String {
    match digit {
        _ if (-3..=3).contains(&e) => format!("{:.*}", (-e).max(0) as usize, f64::from(digit) * 10f64.powi(e)),
        1 => format!("10{}", raised(e)),
        _ => format!("{digit}·10{}", raised(e)),
    }
}

/// Digits in groups of three, from five digits on, as in print.
fn grouped(text: &str) -> String {
    let whole = text.find('.').unwrap_or(text.len());
    let digits = whole - usize::from(text.starts_with('-'));
    let mut out = String::with_capacity(text.len() + 4);
    for (i, c) in text.char_indices() {
        let left = whole.saturating_sub(i);
        if digits > 4 && left > 0 && left % 3 == 0 && i + digits > whole {
            out.push(' ');
        }
        out.push(c);
    }
    out
}

fn raised(e: i32) -> String {
    let digit =
        |c: char| c.to_digit(10).map_or('⁻', |d| ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][d as usize]);
    e.to_string().chars().map(digit).collect()
}

/// With the power of ten of the largest, so that all have the same.
fn scientific(x: f64, step: f64, largest: f64) -> String {
    let e = largest.log10().floor() as i32;
    let decimals = (e - step.log10().floor() as i32).clamp(0, 15) as usize;
    format!("{:.decimals$}·10{}", x / 10f64.powi(e), raised(e)).replace('-', "−")
}

/// A number with the four digits that are read.
pub(crate) fn short(value: f64) -> String {
    let size = value.abs();
    if size == 0.0 || !size.is_finite() {
        return if size == 0.0 { "0".to_owned() } else { "-".to_owned() };
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.3e}");
    }
    let digits = (3 - size.log10().floor() as i32).clamp(0, 9) as usize;
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: Axis) -> Vec<String> {
        let ticks = Scale::new(&axis, std::iter::empty()).ticks(5);
        ticks.into_iter().map(|t| t.1).filter(|l| !l.is_empty()).collect()
    }

    #[test]
    fn ticks_are_round() {
        assert_eq!(labels(Axis::new("", "").over(-0.04, 1.1)), ["0.0", "0.5", "1.0"].map(|l| l.replace("0.0", "0")));
        assert_eq!(labels(Axis::new("", "").over(-30.0, 30.0)), ["−20", "0", "20"]);
        assert_eq!(labels(Axis::new("", "").log().over(0.01, 1000.0)), ["0.01", "0.1", "1", "10", "100", "1000"]);
        assert_eq!(labels(Axis::new("", "").log().over(1e-7, 1e-4)), ["10⁻⁷", "10⁻⁶", "10⁻⁵", "10⁻⁴"]);
        assert_eq!(labels(Axis::new("", "").log().over(1.0, 10.0)), ["1", "2", "5", "10"]);
        assert_eq!(labels(Axis::new("", "").log().over(2e-4, 2e-3)), ["2·10⁻⁴", "5·10⁻⁴", "0.001", "0.002"]);
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(labels(Axis::new("", "").over(-30e3, 30e3)), ["−20 000", "0", "20 000"]);
        assert_eq!(grouped("1234"), "1234");
        assert_eq!([grouped("-12345.678"), grouped("100000")], ["-12 345.678", "100 000"]);
    }

    #[test]
    fn values_without_a_place_have_none() {
        let scale = Scale::new(&Axis::new("", "").log(), [0.0, -1.0, 1.0, 100.0].into_iter());
        assert!(scale.place(0.0).is_nan() && scale.place(-1.0).is_nan());
        assert!(scale.place(10.0) > 0.4 && scale.place(10.0) < 0.6);
    }
}
