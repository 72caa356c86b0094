//! Dimensions: exponents of mass, length and time, what a rate counts, and their names for messages.

use std::fmt;

/// Exponents of mass, length and time, and of what is counted: cycles and radians. A count is no dimension (kN*m/rad is a
/// moment), it only tells frequencies apart.
#[derive(Clone, Copy, Debug, Default)]
#[allow(missing_docs)]
pub struct Dimension {
    pub mass: f64,
    pub length: f64,
    pub time: f64,
    pub(super) cycle: f64,
    radian: f64,
}

/// Equality of exponents up to rounding of fractional ones.
pub(super) fn near(a: f64, b: f64) -> bool {
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
pub(super) fn product(factors: &[(&str, f64)]) -> String {
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
