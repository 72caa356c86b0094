//! Laws in the form in which data tell them: p = sum over l of c_l y_l(q, v; eta), linear in c.
//!
//! Hysteretic states are divided by the stiffness that multiplies them, so that every column has the unit of its coordinate and
//! a search needs no guess of a stiffness. Rate-independent laws are moved by increments of q, never by a measured rate: one classical
//! Runge-Kutta step per increment and substep. Exponents make units that change with them (beta, gamma of Bouc-Wen, c of a damper), so
//! neither the search nor the report uses those: they are derived at the end.
//! **Must not be here:** a search, data.

mod columns;
mod quantities;

pub use quantities::{Quantity, Role};

use interfield_kernel::Scalar;

/// A law that can be identified.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Bouc-Wen with a spring in parallel.
    BoucWen,
    /// Bouc-Wen whose elastic slope falls with the displacement.
    ModifiedBoucWen,
    /// Bouc-Wen with stiffness and strength degradation.
    DegradingBoucWen,
    /// Bilinear.
    Mostaghel,
    /// Nonlinear viscous damper.
    Damper,
    /// Cubic spring with a dashpot.
    Cubic,
    /// Linear spring with a dashpot.
    Spring,
}

/// Scale on which a variable is searched, and on which its interval is symmetric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As it is.
    Linear,
    /// Its logarithm.
    Log,
}

/// A nonlinear variable of a law with its box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Variable {
    /// Name.
    pub name: &'static str,
    /// How it is searched.
    pub scale: Scale,
    /// Bounds.
    pub bounds: [f64; 2],
}

impl Variable {
    /// Its value at `x` of its box, 0 to 1, and its slope there.
    pub fn at(&self, x: f64) -> (f64, f64) {
        let [lo, hi] = self.bounds;
        match self.scale {
            Scale::Linear => (lo + (hi - lo) * x, hi - lo),
            Scale::Log => {
                let (lo, span) = (lo.ln(), (hi / lo).ln());
                let value = (lo + span * x).exp();
                (value, value * span)
            }
        }
    }

    /// Where in its box, 0 to 1, it has this value.
    pub fn place(&self, value: f64) -> f64 {
        let [lo, hi] = self.bounds;
        match self.scale {
            Scale::Linear => (value - lo) / (hi - lo),
            Scale::Log => (value / lo).ln() / (hi / lo).ln(),
        }
    }
}

/// Sizes of the data that set the boxes: largest |q|, m, largest and root-mean-square |v|, m/s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Size {
    /// Largest |q|.
    pub q: f64,
    /// Largest |v|; zero without a rate.
    pub v: f64,
    /// Root mean square of v: the reference rate of a damper.
    pub rms: f64,
}

const fn log(name: &'static str, lo: f64, hi: f64) -> Variable {
    Variable { name, scale: Scale::Log, bounds: [lo, hi] }
}

const fn lin(name: &'static str, lo: f64, hi: f64) -> Variable {
    Variable { name, scale: Scale::Linear, bounds: [lo, hi] }
}

impl Family {
    /// All of them.
    pub const ALL: [Family; 7] = [
        Family::BoucWen,
        Family::ModifiedBoucWen,
        Family::DegradingBoucWen,
        Family::Mostaghel,
        Family::Damper,
        Family::Cubic,
        Family::Spring,
    ];

    /// Its name in the catalogue of elements.
    pub fn name(self) -> &'static str {
        match self {
            Family::BoucWen => "bouc-wen",
            Family::ModifiedBoucWen => "modified-bouc-wen",
            Family::DegradingBoucWen => "degrading-bouc-wen",
            Family::Mostaghel => "mostaghel",
            Family::Damper => "damper",
            Family::Cubic => "cubic",
            Family::Spring => "spring",
        }
    }

    /// The law with this name.
    pub fn named(name: &str) -> Option<Family> {
        Family::ALL.into_iter().find(|f| f.name() == name)
    }

    /// Whether it needs the rate of the deformation; springs use one if there is one.
    pub fn needs_rate(self) -> bool {
        self == Family::Damper
    }

    /// Whether it remembers its path.
    pub fn hysteretic(self) -> bool {
        !matches!(self, Family::Damper | Family::Cubic | Family::Spring)
    }

    /// Its nonlinear variables with their boxes for data of this size.
    pub fn variables(self, size: &Size) -> Vec<Variable> {
        let (q, v) = (size.q, size.v);
        match self {
            Family::BoucWen => vec![log("xy", 0.02 * q, 3.0 * q), lin("r", 0.5, 2.0), log("n", 0.5, 10.0)],
            Family::ModifiedBoucWen => vec![
                log("xy", 0.01 * q, 10.0 * q),
                log("xa", 0.05 * q, 50.0 * q),
                lin("r", 0.5, 2.0),
                log("n", 0.5, 10.0),
            ],
            Family::DegradingBoucWen => vec![
                log("xy", 0.02 * q, 3.0 * q),
                lin("a", 0.0, 0.9),
                lin("Dk", 0.0, 1.0),
                lin("Ds", 0.0, 1.0),
                log("n", 0.5, 10.0),
                lin("n1", 0.5, 2.0),
            ],
            Family::Mostaghel => vec![log("delta", 0.002 * q, 1.5 * q)],
            Family::Damper => vec![log("n", 0.05, 3.0), log("v0", 1e-5 * v, 0.5 * v)],
            Family::Cubic | Family::Spring => Vec::new(),
        }
    }

    /// Names of its linear parameters; without a rate, springs have no dashpot.
    pub fn linear(self, rate: bool) -> &'static [&'static str] {
        match (self, rate) {
            (Family::BoucWen, _) => &["k", "k2"],
            (Family::ModifiedBoucWen | Family::DegradingBoucWen, _) => &["k"],
            (Family::Mostaghel, _) => &["ka", "kd"],
            (Family::Damper, _) => &["P"],
            (Family::Cubic, true) => &["k", "k3", "c"],
            (Family::Cubic, false) => &["k", "k3"],
            (Family::Spring, true) => &["k", "c"],
            (Family::Spring, false) => &["k"],
        }
    }

    /// The displacement beside which noise of the deformation counts: where it yields.
    pub fn yields_at(self, eta: &[f64]) -> Option<f64> {
        self.hysteretic().then(|| eta[0])
    }

    /// The largest increment of a path that one Runge-Kutta step follows.
    pub fn increment(self, eta: &[f64]) -> Option<f64> {
        match self {
            Family::BoucWen => Some(eta[0] / eta[2]),
            Family::ModifiedBoucWen => Some(eta[0] / eta[3]),
            Family::DegradingBoucWen => Some(eta[0] / eta[4]),
            _ => None,
        }
    }

    /// Which data would tell a parameter better.
    pub fn wanted(self, parameter: &str) -> &'static str {
        match parameter {
            "n" if self == Family::Damper => "rates from slow to fast",
            "n" => "cycles of two amplitudes beyond yielding",
            "xy" | "Fy" | "r" | "delta" | "k2" | "xa" | "a" | "k" => "a larger amplitude, beyond yielding",
            "Dk" | "Ds" | "dk" | "ds" => "many equal cycles",
            "n1" => "a larger amplitude, beyond yielding",
            "v0" => "rates below v0",
            "k3" => "a larger amplitude",
            _ => "a longer record with less noise",
        }
    }
}

/// The path of a law: deformations, and rates if there are.
#[derive(Clone, Copy, Debug)]
pub struct Path<'a, T> {
    /// Deformations.
    pub q: &'a [T],
    /// Rates, or nothing.
    pub v: &'a [T],
    /// State at the first sample, as a part of the yield displacement.
    pub start: T,
    /// Runge-Kutta steps per increment.
    pub substeps: usize,
}

impl Family {
    /// The columns of all samples, sample after sample.
    pub fn columns<T: Scalar>(self, eta: &[T], path: &Path<'_, T>, size: &Size) -> Vec<T> {
        columns::columns(self, eta, path, size)
    }

    /// What is reported of it: parameters that data tell, and those of the model file that follow.
    pub fn quantities<T: Scalar>(self, eta: &[T], linear: &[T], size: &Size) -> Vec<Quantity<T>> {
        quantities::quantities(self, eta, linear, size)
    }
}
