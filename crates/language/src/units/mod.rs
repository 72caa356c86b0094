//! Physical units at run time: dimensions, unit expressions, and the unit system of a model file.
//!
//! Angles carry no dimension: rad = 1, deg = pi/180, % = 0.01. `g` is the standard gravity, 9.80665 m/s^2,
//! because accelerations are written "0.2 g"; the gram is `gram`, the megagram `Mg`. `Hz` is 1/s, but a unit remembers
//! what it counts, cycles (Hz) or angle (rad, deg, rev, rpm), so that one frequency is not taken for the other. A product
//! is written `*`, `·` or a space, a quotient `/`, a power `^2`, `²` or a digit behind the symbol (`m2`);
//! products and quotients are read from left to right, as in arithmetic.

mod dimension;
mod system;
mod words;

use std::f64::consts::PI;
use std::fmt;
use std::ops::Range;

use self::dimension::near;
use crate::diag::suggest;

pub use dimension::{Count, Dimension};
pub use system::{UnitSystem, UnitSystemError};
pub use words::{short, significant, time, time_to};

/// Standard gravity, m/s^2.
pub const GRAVITY: f64 = 9.80665;

/// A unit: its size in SI and its dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// One of it in SI.
    pub factor: f64,
    /// Dimension.
    pub dim: Dimension,
}

/// What is wrong with a unit expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// Byte range in the expression.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

const INCH: f64 = 0.0254;
const FOOT: f64 = 0.3048;
const POUND: f64 = 0.45359237;
const LBF: f64 = POUND * GRAVITY;

/// Symbol, SI prefixes in use, factor, dimension.
const UNITS: &[(&str, &str, f64, Dimension)] = &[
    ("m", "kdcmµμun", 1.0, Dimension::LENGTH),
    ("in", "", INCH, Dimension::LENGTH),
    ("inch", "", INCH, Dimension::LENGTH),
    ("ft", "", FOOT, Dimension::LENGTH),
    ("yd", "", 3.0 * FOOT, Dimension::LENGTH),
    ("mi", "", 1609.344, Dimension::LENGTH),
    ("kg", "", 1.0, Dimension::MASS),
    ("gram", "", 1e-3, Dimension::MASS),
    ("Mg", "", 1e3, Dimension::MASS),
    ("t", "", 1e3, Dimension::MASS),
    ("tonne", "", 1e3, Dimension::MASS),
    ("lb", "", POUND, Dimension::MASS),
    ("lbm", "", POUND, Dimension::MASS),
    ("slug", "", LBF / FOOT, Dimension::MASS),
    ("s", "mµμun", 1.0, Dimension::TIME),
    ("sec", "", 1.0, Dimension::TIME),
    ("min", "", 60.0, Dimension::TIME),
    ("h", "", 3600.0, Dimension::TIME),
    ("hr", "", 3600.0, Dimension::TIME),
    ("N", "mkMG", 1.0, Dimension::FORCE),
    ("kgf", "", GRAVITY, Dimension::FORCE),
    ("tf", "", 1e3 * GRAVITY, Dimension::FORCE),
    ("lbf", "", LBF, Dimension::FORCE),
    ("kip", "", 1e3 * LBF, Dimension::FORCE),
    ("kips", "", 1e3 * LBF, Dimension::FORCE),
    ("Pa", "hkMG", 1.0, Dimension::STRESS),
    ("bar", "m", 1e5, Dimension::STRESS),
    ("psi", "", LBF / (INCH * INCH), Dimension::STRESS),
    ("ksi", "", 1e3 * LBF / (INCH * INCH), Dimension::STRESS),
    ("psf", "", LBF / (FOOT * FOOT), Dimension::STRESS),
    ("ksf", "", 1e3 * LBF / (FOOT * FOOT), Dimension::STRESS),
    ("J", "mkMG", 1.0, Dimension::MOMENT),
    ("W", "mkMG", 1.0, Dimension::POWER),
    ("g", "", GRAVITY, Dimension::ACCELERATION),
    ("Gal", "", 0.01, Dimension::ACCELERATION),
    ("Hz", "mkM", 1.0, Dimension::FREQUENCY),
    ("rpm", "", 2.0 * PI / 60.0, Dimension::ANGULAR_FREQUENCY),
    ("rad", "mµμu", 1.0, Dimension::ANGLE),
    ("deg", "", PI / 180.0, Dimension::ANGLE),
    ("°", "", PI / 180.0, Dimension::ANGLE),
    ("rev", "", 2.0 * PI, Dimension::ANGLE),
    ("%", "", 0.01, Dimension::NONE),
];

const PREFIXES: &[(char, f64)] = &[
    ('n', 1e-9),
    ('µ', 1e-6),
    ('μ', 1e-6),
    ('u', 1e-6),
    ('m', 1e-3),
    ('c', 1e-2),
    ('d', 1e-1),
    ('h', 1e2),
    ('k', 1e3),
    ('M', 1e6),
    ('G', 1e9),
];

/// Symbols offered when a unit is misspelt.
const COMMON: &[&str] = &[
    "m", "mm", "cm", "km", "in", "ft", "kg", "t", "gram", "lb", "slug", "s", "ms", "min", "N", "kN", "MN", "lbf",
    "kip", "Pa", "kPa", "MPa", "GPa", "psi", "ksi", "J", "kJ", "W", "kW", "g", "Gal", "Hz", "rpm", "rad", "deg",
    "mrad", "%",
];

/// The units in common use, in the order of their dimensions.
pub fn common() -> &'static [&'static str] {
    COMMON
}

/// Names in words, as people say them, and the symbol to write; the plural has an `s` more.
const SPOKEN: &[(&str, &str)] = &[
    ("meter", "m"),
    ("metre", "m"),
    ("millimeter", "mm"),
    ("millimetre", "mm"),
    ("centimeter", "cm"),
    ("centimetre", "cm"),
    ("kilometer", "km"),
    ("kilometre", "km"),
    ("micron", "um"),
    ("inche", "in"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("yard", "yd"),
    ("mile", "mi"),
    ("kilo", "kg"),
    ("kilogram", "kg"),
    ("kilogramme", "kg"),
    ("kgm", "kg"),
    ("gramme", "gram"),
    ("ton", "t"),
    ("tone", "t"),
    ("pound", "lb"),
    ("second", "s"),
    ("millisecond", "ms"),
    ("msec", "ms"),
    ("microsecond", "us"),
    ("minute", "min"),
    ("hour", "h"),
    ("newton", "N"),
    ("kilonewton", "kN"),
    ("meganewton", "MN"),
    ("klbf", "kip"),
    ("klb", "kip"),
    ("poundforce", "lbf"),
    ("kipf", "kip"),
    ("pascal", "Pa"),
    ("kilopascal", "kPa"),
    ("megapascal", "MPa"),
    ("gigapascal", "GPa"),
    ("joule", "J"),
    ("watt", "W"),
    ("hertz", "Hz"),
    ("cps", "Hz"),
    ("gravity", "g"),
    ("gee", "g"),
    ("radian", "rad"),
    ("degree", "deg"),
    ("revolution", "rev"),
    ("percent", "%"),
    ("pct", "%"),
];

/// The symbol of a unit that is named in words.
fn spoken(name: &str) -> Option<&'static str> {
    let lower = name.to_lowercase();
    let find = |word: &str| SPOKEN.iter().find(|s| s.0 == word).map(|s| s.1);
    find(&lower).or_else(|| find(lower.strip_suffix('s')?))
}

/// The common unit nearest to a misspelt symbol, if one is near enough.
pub(crate) fn suggest_unit(name: &str) -> Option<&'static str> {
    spoken(name).or_else(|| suggest(name, COMMON.iter().copied()))
}

/// What is meant by letters that are no unit: a name in words, units without `*` between them (`kNm`, `kNmm`, `Ns`), or
/// else the nearest one.
fn meant(name: &str) -> Option<String> {
    let product = |at: usize| {
        let (a, b) = (name.get(..at)?, name.get(at..)?);
        symbol(a).filter(|u| u.dim == Dimension::FORCE || u.dim == Dimension::MASS)?;
        symbol(b).filter(|u| u.dim == Dimension::LENGTH || u.dim == Dimension::TIME)?;
        Some(format!("{a}*{b}"))
    };
    spoken(name)
        .map(str::to_owned)
        .or_else(|| (1..name.len()).find_map(product))
        .or_else(|| suggest_unit(name).map(str::to_owned))
}

/// The unit of one symbol.
fn symbol(name: &str) -> Option<Unit> {
    if let Some(u) = UNITS.iter().find(|u| u.0 == name) {
        return Some(Unit { factor: u.2, dim: u.3 });
    }
    let first = name.chars().next()?;
    let &(_, scale) = PREFIXES.iter().find(|p| p.0 == first)?;
    let base = UNITS.iter().find(|u| u.0 == &name[first.len_utf8()..] && u.1.contains(first))?;
    Some(Unit { factor: scale * base.2, dim: base.3 })
}

fn is_symbol_char(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '°' | '%' | 'µ' | '_')
}

impl Unit {
    /// The unit 1.
    pub const ONE: Unit = Unit { factor: 1.0, dim: Dimension::NONE };

    /// Reads a whole unit expression such as "kN/mm", "kg*m^2", "1/s".
    pub fn parse(text: &str) -> Result<Unit, UnitError> {
        let mut scan = Scan { text, pos: 0, strict: true, stop: &|_| false };
        let unit = scan.product(0)?;
        scan.spaces();
        if scan.pos < text.len() {
            return Err(scan.unexpected());
        }
        unit.without_stray_cycles(0..text.len())
    }

    /// Reads the unit that stands behind a number, as far as it goes: up to an operator that is not
    /// followed by a unit. `stop` says which names are not units here. Returns the unit and its length;
    /// `Ok(None)` if the text does not begin with a unit at all.
    pub(crate) fn parse_prefix(text: &str, stop: &dyn Fn(&str) -> bool) -> Result<Option<(Unit, usize)>, UnitError> {
        let mut scan = Scan { text, pos: 0, strict: false, stop };
        scan.spaces();
        match scan.peek() {
            Some('1') if scan.text[scan.pos + 1..].trim_start().starts_with('/') => {}
            Some(c) if is_symbol_char(c) => {}
            _ => return Ok(None),
        }
        let start = scan.pos;
        let unit = scan.product(0)?.without_stray_cycles(start..scan.pos)?;
        Ok(if scan.pos == 0 { None } else { Some((unit, scan.pos)) })
    }

    /// Refuses Hz beside masses and lengths, as in N/(mm*Hz): nobody can tell whether 1/s or rad/s is meant.
    fn without_stray_cycles(self, span: Range<usize>) -> Result<Unit, UnitError> {
        let Dimension { mass, length, cycle, .. } = self.dim;
        if near(cycle, 0.0) || (near(mass, 0.0) && near(length, 0.0)) {
            return Ok(self);
        }
        let message = "Hz counts cycles and is not a part of other units".to_owned();
        Err(UnitError { span, message, help: Some("write it with s: kN*s/m, mm/s".into()) })
    }

    fn times(self, o: Unit, sign: f64) -> Unit {
        Unit { factor: self.factor * o.factor.powf(sign), dim: self.dim.times(o.dim.power(sign)) }
    }
}

struct Scan<'t> {
    text: &'t str,
    pos: usize,
    /// The whole text must be a unit; otherwise reading stops quietly behind the last unit.
    strict: bool,
    stop: &'t dyn Fn(&str) -> bool,
}

impl Scan<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }

    fn spaces(&mut self) {
        self.pos += self.text[self.pos..].len() - self.text[self.pos..].trim_start().len();
    }

    fn unexpected(&self) -> UnitError {
        match self.peek() {
            Some(c) => UnitError {
                span: self.pos..self.pos + c.len_utf8(),
                message: format!("unexpected `{c}` in a unit"),
                help: Some(
                    self.instead(c).unwrap_or_else(|| "units are written like kN/mm, kg*m^2, m/s^2, 1/s".into()),
                ),
            },
            None => UnitError {
                span: self.pos..self.pos,
                message: if self.text.trim().is_empty() {
                    "empty unit".into()
                } else {
                    "the unit is incomplete".into()
                },
                help: Some("units are written like kN/mm, kg*m^2, m/s^2, 1/s".into()),
            },
        }
    }

    /// The unit with other signs of a product and of a power, if that is one: `kN.m`, `kN-m`, `m**2`.
    fn instead(&self, c: char) -> Option<String> {
        let whole = self.text.trim().replace("**", "^");
        let meant = if matches!(c, '.' | '-' | '_' | '•') { whole.replace(c, "*") } else { whole };
        let changed = meant != self.text.trim() && Unit::parse(&meant).is_ok();
        changed.then(|| format!("did you mean `{meant}`?"))
    }

    fn product(&mut self, depth: usize) -> Result<Unit, UnitError> {
        let mut unit = self.factor(depth)?;
        loop {
            let end = self.pos;
            self.spaces();
            let sign = match self.peek() {
                Some(c @ ('*' | '/' | '·' | '×' | '⋅')) => {
                    self.pos += c.len_utf8();
                    self.spaces();
                    if c == '/' { -1.0 } else { 1.0 }
                }
                Some(c) if is_symbol_char(c) || (c == '(' && self.strict) => 1.0,
                _ => {
                    self.pos = end;
                    return Ok(unit);
                }
            };
            if self.strict {
                unit = unit.times(self.factor(depth)?, sign);
                continue;
            }
            // Behind a number an operator may also be followed by something that is no unit.
            match self.factor(depth) {
                Ok(next) => unit = unit.times(next, sign),
                Err(_) => {
                    self.pos = end;
                    return Ok(unit);
                }
            }
        }
    }

    fn factor(&mut self, depth: usize) -> Result<Unit, UnitError> {
        self.spaces();
        let start = self.pos;
        let base = match self.peek() {
            Some('1') if !self.text[start + 1..].starts_with(|c: char| c.is_ascii_digit() || c == '.') => {
                // In an expression "3 kN/1 ..." the 1 is a number.
                let follows = self.text[start + 1..].trim_start();
                let first = self.text[..start].trim().is_empty();
                if !(self.strict || first && follows.starts_with('/')) {
                    return Err(self.unexpected());
                }
                self.pos += 1;
                return Ok(Unit::ONE);
            }
            Some('(') if depth < 20 => {
                self.pos += 1;
                let strict = std::mem::replace(&mut self.strict, true);
                let unit = self.product(depth + 1);
                self.strict = strict;
                let unit = unit?;
                self.spaces();
                if self.peek() != Some(')') {
                    return Err(self.unexpected());
                }
                self.pos += 1;
                unit
            }
            Some(c) if is_symbol_char(c) => {
                let rest = &self.text[start..];
                let letters = rest.find(|c| !is_symbol_char(c)).unwrap_or(rest.len());
                let word = rest.find(|c: char| !is_symbol_char(c) && !c.is_ascii_digit()).unwrap_or(rest.len());
                let name = &rest[..letters];
                if (self.stop)(&rest[..word]) && symbol(&rest[..word]).is_none() {
                    let message = format!("`{}` is not a unit", &rest[..word]);
                    let help = Some("write `*` between a unit and a parameter".into());
                    return Err(UnitError { span: start..start + word, message, help });
                }
                let Some(unit) = symbol(name) else {
                    let shown = &rest[..word];
                    let near = meant(name).map(|unit| format!("did you mean `{unit}`?"));
                    let help = near.or_else(|| Some(format!("units are {}", COMMON.join(", "))));
                    let message = format!("unknown unit `{shown}`");
                    return Err(UnitError { span: start..start + word, message, help });
                };
                self.pos += letters;
                unit
            }
            _ => return Err(self.unexpected()),
        };
        let n = self.exponent()?;
        let unit = Unit { factor: base.factor.powf(n), dim: base.dim.power(n) };
        if !unit.factor.is_finite() || unit.factor == 0.0 {
            let help = Some("check the exponents".into());
            return Err(UnitError { span: start..self.pos, message: "the unit is out of range".into(), help });
        }
        Ok(unit)
    }

    /// `^2`, `^-1`, `^0.5`, `^(1/2)`, `²`, or a digit.
    fn exponent(&mut self) -> Result<f64, UnitError> {
        const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
        let end = self.pos;
        let mut raised = String::new();
        while let Some(c) = self.peek() {
            let Some(d) = RAISED.iter().position(|&r| r == c) else {
                if c == '⁻' && raised.is_empty() {
                    raised.push('-');
                    self.pos += c.len_utf8();
                    continue;
                }
                break;
            };
            raised.push_str(&d.to_string());
            self.pos += c.len_utf8();
        }
        if !raised.is_empty() {
            return raised.parse().map_err(|_| self.unexpected());
        }
        if let Some(c @ '2'..='9') = self.peek() {
            self.pos += 1;
            if self.peek().is_some_and(|c| c.is_ascii_digit() || c == '.') {
                return Err(self.unexpected());
            }
            return Ok(c as u8 as f64 - 48.0);
        }
        self.spaces();
        if self.peek() != Some('^') {
            self.pos = end;
            return Ok(1.0);
        }
        self.pos += 1;
        self.spaces();
        let parenthesis = self.peek() == Some('(');
        if parenthesis {
            self.pos += 1;
        }
        let mut n = self.number()?;
        if parenthesis {
            self.spaces();
            if self.peek() == Some('/') {
                self.pos += 1;
                n /= self.number()?;
                self.spaces();
            }
            if self.peek() != Some(')') || !n.is_finite() {
                return Err(self.unexpected());
            }
            self.pos += 1;
        }
        Ok(n)
    }

    fn number(&mut self) -> Result<f64, UnitError> {
        self.spaces();
        let rest = &self.text[self.pos..];
        let sign = rest.starts_with(['+', '-']) as usize;
        let len = sign + rest[sign..].find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len() - sign);
        let n = rest[..len].parse::<f64>().map_err(|_| self.unexpected())?;
        let span = self.pos..self.pos + len;
        self.pos += len;
        if n.abs() > 100.0 {
            let help = Some("units are written like kN/mm, kg*m^2, m/s^2, 1/s".into());
            return Err(UnitError { span, message: "the exponent is too large".into(), help });
        }
        Ok(n)
    }
}
