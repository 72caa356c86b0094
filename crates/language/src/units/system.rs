//! The unit system of a model file: what plain numbers mean, and in which units results are written.

use super::dimension::product;
use super::{Dimension, FOOT, LBF, Unit, UnitError};

/// The units of plain numbers in a file and of results: a length, a time, and a force or a mass, from
/// which everything else is derived.
#[derive(Clone, Debug, PartialEq)]
pub struct UnitSystem {
    length: (String, f64),
    force: (String, f64),
    time: (String, f64),
    mass: (String, f64),
}

/// What is wrong with a unit system: which of its four units, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitSystemError {
    /// "length", "force", "mass" or "time".
    pub key: &'static str,
    /// Located inside the text of that unit.
    pub error: UnitError,
}

impl Default for UnitSystem {
    fn default() -> Self {
        Self::si()
    }
}

impl UnitSystem {
    /// m, N, s, kg.
    pub fn si() -> Self {
        let unit = |name: &str| (name.to_string(), 1.0);
        Self { length: unit("m"), force: unit("N"), time: unit("s"), mass: unit("kg") }
    }

    /// From the names of a length and a time, and of a force or a mass (neither: SI, N and kg, if length
    /// and time allow). All errors at once.
    pub fn new(
        length: Option<&str>,
        force: Option<&str>,
        mass: Option<&str>,
        time: Option<&str>,
    ) -> Result<Self, Vec<UnitSystemError>> {
        let mut errors = Vec::new();
        let example =
            |dim: Dimension| dim.example().split_once(' ').map_or("m".to_owned(), |(_, unit)| unit.to_owned());
        let mut read = |key, text: Option<&str>, dim: Dimension| -> Option<(String, f64)> {
            let text = text?;
            match Unit::parse(text) {
                Ok(unit) if unit.dim == dim => return Some((text.trim().to_string(), unit.factor)),
                Ok(unit) => errors.push(UnitSystemError {
                    key,
                    error: UnitError {
                        span: 0..text.len(),
                        message: format!("`{text}` is not a unit of {key}, but of {}", unit.dim.describe()),
                        help: Some(format!("write for example {key} = \"{}\"", example(dim))),
                    },
                }),
                Err(error) => errors.push(UnitSystemError { key, error }),
            }
            None
        };
        let length = read("length", length.or(Some("m")), Dimension::LENGTH);
        let time = read("time", time.or(Some("s")), Dimension::TIME);
        let force = read("force", force, Dimension::FORCE);
        let mass = read("mass", mass, Dimension::MASS);
        if !errors.is_empty() {
            return Err(errors);
        }
        let (Some(length), Some(time)) = (length, time) else { return Err(errors) };
        let acceleration = length.1 / (time.1 * time.1);
        let rounded = |x: f64| {
            let near = 10f64.powf(x.log10().round());
            if (x / near - 1.0).abs() < 1e-12 { near } else { x }
        };
        let named = |x: f64, names: &[(&str, f64)], other: String| {
            let name = names.iter().find(|n| (x / n.1 - 1.0).abs() < 1e-9).map(|n| n.0.to_string());
            (name.unwrap_or(other), rounded(x))
        };
        const FORCES: &[(&str, f64)] = &[("N", 1.0), ("kN", 1e3), ("MN", 1e6), ("mN", 1e-3), ("lbf", LBF)];
        const MASSES: &[(&str, f64)] = &[("kg", 1.0), ("t", 1e3), ("gram", 1e-3), ("slug", LBF / FOOT)];
        let (force, mass) = match (force, mass) {
            (Some(force), Some(mass)) => {
                if (force.1 / (mass.1 * acceleration) - 1.0).abs() > 1e-9 {
                    let (f, m, l, t) = (&force.0, &mass.0, &length.0, &time.0);
                    errors.push(UnitSystemError {
                        key: "mass",
                        error: UnitError {
                            span: 0..m.len(),
                            message: format!("inconsistent units: 1 {f} is not 1 {m}*{l}/{t}^2"),
                            help: Some(format!(
                                "give either force or mass; with {l} and {t}, 1 {f} belongs to a mass of {} kg",
                                force.1 / acceleration
                            )),
                        },
                    });
                    return Err(errors);
                }
                (force, mass)
            }
            (None, Some(mass)) => {
                let other = product(&[(&mass.0, 1.0), (&length.0, 1.0), (&time.0, -2.0)]);
                (named(mass.1 * acceleration, FORCES, other), mass)
            }
            (force, None) => {
                let force = force.unwrap_or(("N".to_string(), 1.0));
                let other = product(&[(&force.0, 1.0), (&time.0, 2.0), (&length.0, -1.0)]);
                let mass = named(force.1 / acceleration, MASSES, other);
                (force, mass)
            }
        };
        Ok(Self { length, force, time, mass })
    }

    /// One unit of this system in SI: a number of the file times this is the SI value.
    pub fn factor(&self, dim: Dimension) -> f64 {
        let Dimension { mass: a, length: b, time: c, .. } = dim;
        // Force instead of mass, so that kN and mm give kN/mm without rounding.
        let power = |x: f64, n: f64| if n == 0.0 || x == 1.0 { 1.0 } else { x.powf(n) };
        if Self::is_massive(dim) {
            return power(self.mass.1, a) * power(self.length.1, b) * power(self.time.1, c);
        }
        power(self.force.1, a) * power(self.length.1, b - a) * power(self.time.1, c + 2.0 * a)
    }

    /// Whether the dimension is better said with mass than with force.
    fn is_massive(dim: Dimension) -> bool {
        dim.mass != 0.0 && dim.time == 0.0
    }

    /// Name of the unit of this system for an angle, or for a rate of one: "rad", "rad/s".
    pub fn angle_label(&self, dim: Dimension) -> String {
        product(&[("rad", 1.0), (&self.time.0, dim.time)])
    }

    /// Name of the unit of this system: "kN/mm", "mm/s^2"; "-" for what has no dimension.
    pub fn label(&self, dim: Dimension) -> String {
        let Dimension { mass: a, length: b, time: c, .. } = dim;
        if dim.is_none() {
            return "-".into();
        }
        let simple = |name: &str| if name.contains(['*', '/', '^', ' ']) { format!("({name})") } else { name.into() };
        let (l, t): (String, String) = (simple(&self.length.0), simple(&self.time.0));
        if dim == Dimension::MASS {
            self.mass.0.clone()
        } else if dim == Dimension::FORCE {
            self.force.0.clone()
        } else if (Self::is_massive(dim) && !self.mass.0.contains(['*', '/']))
            || (a != 0.0 && self.force.0.contains(['*', '/']))
        {
            product(&[(&simple(&self.mass.0), a), (&l, b), (&t, c)])
        } else {
            product(&[(&simple(&self.force.0), a), (&l, b - a), (&t, c + 2.0 * a)])
        }
    }
}
