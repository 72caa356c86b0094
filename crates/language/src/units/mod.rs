//! Physical units at run time: dimensions, unit expressions, and the unit system of a model file.
//!
//! Angles carry no dimension: rad = 1, deg = pi/180, % = 0.01. `g` is the standard gravity, 9.80665 m/s^2,
//! because accelerations are written "0.2 g"; the gram is `gram`, the megagram `Mg`. `Hz` is 1/s, but a unit remembers
//! what it counts, cycles (Hz) or angle (rad, deg, rev, rpm), so that one frequency is not taken for the other. A product
//! is written `*`, `·` or a space, a quotient `/`, a power `^2`, `²` or a digit behind the symbol (`m2`);
//! products and quotients are read from left to right, as in arithmetic.

mod system;
mod words;

use std::f64::consts::PI;
use std::fmt;
use std::ops::Range;

use crate::diag::suggest;

pub use system::{UnitSystem, UnitSystemError};
pub use words::{short, significant, time, time_to};

/// Standard gravity, m/s^2.
pub const GRAVITY: f64 = 9.80665;

/// Exponents of mass, length and time, and of what is counted: cycles and radians. A count is no dimension (kN*m/rad is a
/// moment), it only tells frequencies apart.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Dimension {
    pub mass: f64,
    pub length: f64,
    pub time: f64,
    cycle: f64,
    radian: f64,
}

/// Equality of exponents up to rounding of fractional ones.
fn near(a: f64, b: f64) -> bool {
    (a - b).abs() < 1e-9
}

impl PartialEq for Dimension {
    /// Whatever is counted.
    fn eq(&self, o: &Self) -> bool {
        near(self.mass, o.mass) && near(self.length, o.length) && near(self.time, o.time)
    }
}

/// What a rate (1/time, 1/time^2) counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Nothing that its units say: 1/s.
    Plain,
    /// Cycles: Hz.
    Cycles,
    /// Angle: rad/s, deg/s, rpm.
    Angle,
    /// Something else: Hz^2*s, Hz/rad.
    Other,
}

#[allow(missing_docs)]
impl Dimension {
    pub const NONE: Self = Self::new(0.0, 0.0, 0.0);
    pub const MASS: Self = Self::new(1.0, 0.0, 0.0);
    pub const LENGTH: Self = Self::new(0.0, 1.0, 0.0);
    pub const TIME: Self = Self::new(0.0, 0.0, 1.0);
    pub const AREA: Self = Self::new(0.0, 2.0, 0.0);
    pub const VOLUME: Self = Self::new(0.0, 3.0, 0.0);
    pub const SECOND_MOMENT: Self = Self::new(0.0, 4.0, 0.0);
    pub const CURVATURE: Self = Self::new(0.0, -1.0, 0.0);
    pub const ANGLE: Self = Self { radian: 1.0, ..Self::NONE };
    /// 1/time that counts neither cycles nor angle: the rate of a decay.
    pub const RATE: Self = Self::new(0.0, 0.0, -1.0);
    /// Cycles per time; angles per time are converted.
    pub const FREQUENCY: Self = Self { cycle: 1.0, ..Self::RATE };
    /// Angle per time; cycles per time are converted.
    pub const ANGULAR_FREQUENCY: Self = Self { radian: 1.0, ..Self::RATE };
    pub const VELOCITY: Self = Self::new(0.0, 1.0, -1.0);
    pub const ACCELERATION: Self = Self::new(0.0, 1.0, -2.0);
    pub const ANGULAR_ACCELERATION: Self = Self { radian: 1.0, ..Self::new(0.0, 0.0, -2.0) };
    pub const FORCE: Self = Self::new(1.0, 1.0, -2.0);
    pub const MOMENT: Self = Self::new(1.0, 2.0, -2.0);
    pub const STRESS: Self = Self::new(1.0, -1.0, -2.0);
    pub const STIFFNESS: Self = Self::new(1.0, 0.0, -2.0);
    pub const DAMPING: Self = Self::new(1.0, 0.0, -1.0);
    pub const ROTATIONAL_DAMPING: Self = Self::new(1.0, 2.0, -1.0);
    pub const INERTIA: Self = Self::new(1.0, 2.0, 0.0);
    pub const DENSITY: Self = Self::new(1.0, -3.0, 0.0);
    pub const MASS_PER_LENGTH: Self = Self::new(1.0, -1.0, 0.0);
    pub const POWER: Self = Self::new(1.0, 2.0, -3.0);
    pub const FLEXURAL_RIGIDITY: Self = Self::new(1.0, 3.0, -2.0);
}

/// Names for messages, with an example of what to write.
const NAMES: &[(Dimension, &str, &str)] = &[
    (Dimension::NONE, "a dimensionless number", "0.05"),
    (Dimension::ANGLE, "an angle", "0.05 rad"),
    (Dimension::MASS, "mass", "1.5 t"),
    (Dimension::LENGTH, "length", "20 mm"),
    (Dimension::TIME, "time", "0.5 s"),
    (Dimension::AREA, "area", "50 cm^2"),
    (Dimension::VOLUME, "volume", "0.2 m^3"),
    (Dimension::SECOND_MOMENT, "second moment of area", "8360 cm^4"),
    (Dimension::RATE, "a rate (1/time)", "0.4 1/s"),
    (Dimension::FREQUENCY, "frequency (cycles/time)", "2 Hz"),
    (Dimension::ANGULAR_FREQUENCY, "angular frequency (angle/time)", "12 rad/s"),
    (Dimension::VELOCITY, "velocity (length/time)", "50 mm/s"),
    (Dimension::ACCELERATION, "acceleration (length/time^2)", "0.2 g"),
    (Dimension::ANGULAR_ACCELERATION, "angular acceleration (1/time^2)", "3 rad/s^2"),
    (Dimension::FORCE, "force", "10 kN"),
    (Dimension::MOMENT, "moment or energy (force*length)", "12 kN*m"),
    (Dimension::STRESS, "stress (force/area)", "210 GPa"),
    (Dimension::STIFFNESS, "stiffness (force/length)", "4 kN/mm"),
    (Dimension::DAMPING, "damping (force*time/length)", "20 kN*s/m"),
    (Dimension::ROTATIONAL_DAMPING, "rotational damping (force*length*time)", "2 kN*m*s"),
    (Dimension::INERTIA, "moment of inertia (mass*length^2)", "30 kg*m^2"),
    (Dimension::DENSITY, "density (mass/volume)", "7850 kg/m^3"),
    (Dimension::MASS_PER_LENGTH, "mass per length", "120 kg/m"),
    (Dimension::POWER, "power (force*length/time)", "1 kW"),
    (Dimension::FLEXURAL_RIGIDITY, "flexural rigidity (force*area)", "2 kN*m^2"),
];

impl Dimension {
    /// From the exponents.
    pub const fn new(mass: f64, length: f64, time: f64) -> Self {
        Self { mass, length, time, cycle: 0.0, radian: 0.0 }
    }

    /// Of a product.
    pub fn times(self, o: Self) -> Self {
        Self {
            mass: self.mass + o.mass,
            length: self.length + o.length,
            time: self.time + o.time,
            cycle: self.cycle + o.cycle,
            radian: self.radian + o.radian,
        }
    }

    /// Of a quotient.
    pub fn per(self, o: Self) -> Self {
        self.times(o.power(-1.0))
    }

    /// Of a power.
    pub fn power(self, n: f64) -> Self {
        Self {
            mass: self.mass * n,
            length: self.length * n,
            time: self.time * n,
            cycle: self.cycle * n,
            radian: self.radian * n,
        }
    }

    /// What it counts, if it is a rate: 1/time, 1/time^2.
    pub fn count(self) -> Option<Count> {
        let rate = near(self.mass, 0.0) && near(self.length, 0.0) && self.time < -1e-9;
        rate.then_some(match (self.cycle, self.radian) {
            (c, r) if near(c, 0.0) && near(r, 0.0) => Count::Plain,
            (c, r) if near(c, 1.0) && near(r, 0.0) => Count::Cycles,
            // Cycles per time, of so much angle each.
            (c, r) if near(r, 1.0) && (near(c, 0.0) || near(c, 1.0)) => Count::Angle,
            _ => Count::Other,
        })
    }

    /// Its SI unit, with what it counts.
    pub(crate) fn counted(self) -> String {
        match self.count() {
            Some(Count::Cycles) => product(&[("Hz", 1.0), ("s", self.time + 1.0)]),
            Some(Count::Angle) => product(&[("rad", 1.0), ("s", self.time)]),
            // Dimensionless, but not a plain number in the units of its place.
            None if self.is_none() => if near(self.radian, 1.0) { "rad" } else { "m/m" }.to_owned(),
            _ => self.to_string(),
        }
    }

    /// Of the product with pi^n: 2 pi times a frequency in Hz is one in rad/s, and back.
    pub(crate) fn times_pi(self, n: f64) -> Self {
        let turned = |cycle: f64, radian: f64| Self { cycle, radian, ..self };
        match self.count() {
            Some(Count::Cycles) if near(n, 1.0) => turned(0.0, 1.0),
            Some(Count::Angle) if near(n, -1.0) => turned(1.0, 0.0),
            _ => self,
        }
    }

    /// Of its square root. That of a plain 1/time^2 is an angular frequency: sqrt(k/m), sqrt(g/l).
    pub(crate) fn root(self) -> Self {
        let root = self.power(0.5);
        let plain = near(self.time, -2.0) && self.count() == Some(Count::Plain);
        if plain { Self { radian: 1.0, ..root } } else { root }
    }

    /// The one of two equal dimensions that says what it counts; `None` if they count different things.
    pub(crate) fn common(self, o: Self) -> Option<Self> {
        match (self.count(), o.count()) {
            (Some(Count::Plain), _) => Some(o),
            (a, b) if a == b || b == Some(Count::Plain) => Some(self),
            _ => None,
        }
    }

    /// Whether it is dimensionless.
    pub fn is_none(self) -> bool {
        self == Self::NONE
    }

    /// Name for messages: "stiffness (force/length)", or the SI unit where there is no common name.
    pub fn describe(self) -> String {
        match self.named() {
            Some(n) => n.1.to_string(),
            None => format!("a quantity in {self}"),
        }
    }

    /// An example of how to write such a quantity: "4 kN/mm".
    pub fn example(self) -> String {
        match self.named() {
            Some(n) => n.2.to_string(),
            None => format!("1 {self}"),
        }
    }

    fn named(self) -> Option<&'static (Self, &'static str, &'static str)> {
        let mut alike = NAMES.iter().filter(|n| n.0 == self);
        let first = alike.clone().next();
        let angle = |d: Self| d.is_none() && near(d.radian, 1.0);
        alike.find(|n| n.0.count() == self.count() && angle(n.0) == angle(self)).or(first)
    }
}

/// Product of powers as a unit expression: `kN*s^2/mm`, `1/s`, `1`.
fn product(factors: &[(&str, f64)]) -> String {
    let power = |name: &str, n: f64| {
        // Rounded so that 0.1 + 0.2 does not show.
        if near(n, 1.0) { name.to_string() } else { format!("{name}^{}", (n * 1e6).round() / 1e6) }
    };
    let pick = |sign: f64| -> Vec<String> {
        factors.iter().filter(|f| f.1 * sign > 1e-9).map(|f| power(f.0, f.1 * sign)).collect()
    };
    let (top, bottom) = (pick(1.0), pick(-1.0));
    let top = if top.is_empty() { "1".to_string() } else { top.join("*") };
    bottom.iter().fold(top, |text, b| text + "/" + b)
}

impl fmt::Display for Dimension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&product(&[("kg", self.mass), ("m", self.length), ("s", self.time)]))
    }
}

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
