//! Hysteretic laws as they are updated: a stiffness, a yield force, a shape, a spring in parallel.
//!
//! ```text
//! p = k2 q + z,   dz = k [lead - |z/Fy|^n (r sign(dq) sign(z) + 1 - r)] dq
//! ```
//!
//! `beta` and `gamma` of the model file have units that contain n; they follow at the end (see [`crate::law`]). Bouc-Wen has lead = 1,
//! the modified one lead = 1/(1 + (q/xa)²), the bilinear law is z = clip(z + k dq, Fy).
//! **Must not be here:** estimates.

use super::recursive::Terms;

/// The parameters [k, Fy, r, n, k2, xa, k3, c] of all laws that are updated, SI; the last two belong to laws without memory
/// ([`super::recursive`]).
pub type Parameters = [f64; COUNT];

/// Number of parameters.
pub const COUNT: usize = 8;

/// Their names, in this order.
pub const NAMES: [&str; COUNT] = ["k", "Fy", "r", "n", "k2", "xa", "k3", "c"];

/// Most Runge-Kutta steps of an increment: what would need more is cut short by the bounds of z.
const MOST: f64 = 64.0;

/// A law that is updated, in the words of the catalogue of elements.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// One with memory, by a filter.
    Hysteretic(Hysteresis),
    /// One that is linear in its parameters, by least squares.
    Linear(Terms),
}

impl Shape {
    /// The law with this name and these parameters, in the order of the catalogue, and its parameters here; none where it is not updated.
    pub fn of(name: &str, parameters: &[f64]) -> Option<(Self, Parameters)> {
        let mut x = [0.0; COUNT];
        let terms = match (name, parameters) {
            ("cubic", &[k, k3, c]) => {
                (x[0], x[6], x[7]) = (k, k3, c);
                Terms::Cubic
            }
            ("damper", &[c, n, v0]) => {
                (x[7], x[3], x[5]) = (c, n, v0);
                Terms::Damper { n, v0 }
            }
            _ => {
                let law = Hysteresis::named(name)?;
                return Some((Shape::Hysteretic(law), law.parameters(parameters)?));
            }
        };
        x.iter().all(|x| x.is_finite()).then_some((Shape::Linear(terms), x))
    }

    /// Whether it has a parameter that is learned.
    pub fn has(self, parameter: usize) -> bool {
        match self {
            Shape::Hysteretic(law) => law.has(parameter),
            Shape::Linear(terms) => terms.places().contains(&parameter),
        }
    }

    /// The parameters of the catalogue; gives their number.
    pub fn element(self, x: &Parameters, out: &mut [f64; COUNT]) -> usize {
        match self {
            Shape::Hysteretic(law) => return law.element(x, out),
            Shape::Linear(Terms::Damper { n, v0 }) => out[..3].copy_from_slice(&[x[7], n, v0]),
            Shape::Linear(_) => out[..3].copy_from_slice(&[x[0], x[6], x[7]]),
        }
        3
    }
}

/// A law with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hysteresis {
    /// Bouc-Wen with a spring in parallel.
    BoucWen,
    /// Bouc-Wen whose elastic slope falls with the displacement.
    ModifiedBoucWen,
    /// Bilinear.
    Mostaghel,
}

impl Hysteresis {
    /// The law with this name in the catalogue of elements.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "bouc-wen" => Some(Hysteresis::BoucWen),
            "modified-bouc-wen" => Some(Hysteresis::ModifiedBoucWen),
            "mostaghel" => Some(Hysteresis::Mostaghel),
            _ => None,
        }
    }

    /// Which parameters it has.
    pub fn has(self, parameter: usize) -> bool {
        match self {
            Hysteresis::BoucWen => parameter < 5,
            Hysteresis::ModifiedBoucWen => parameter < 6 && parameter != 4,
            Hysteresis::Mostaghel => matches!(parameter, 0 | 1 | 4),
        }
    }

    /// From the parameters of the catalogue of elements, in its order; none where they have no yield force.
    pub fn parameters(self, of: &[f64]) -> Option<Parameters> {
        let found: [f64; 6] = match (self, of) {
            (Hysteresis::BoucWen, &[k, beta, gamma, n, k2]) => {
                [k, (k / (beta + gamma)).powf(1.0 / n), beta / (beta + gamma), n, k2, f64::INFINITY]
            }
            (Hysteresis::ModifiedBoucWen, &[k, beta, alpha, gamma, n, rho]) => {
                let strength = (rho * k / (beta + gamma)).powf(1.0 / n);
                [rho * k, strength, beta / (beta + gamma), n, 0.0, alpha.powf(-0.5)]
            }
            (Hysteresis::Mostaghel, &[k, a, delta]) => {
                [(1.0 - a) * k, (1.0 - a) * k * delta, 1.0, 1.0, a * k, f64::INFINITY]
            }
            _ => return None,
        };
        let positive = found[..4].iter().all(|x| x.is_finite() && *x > 0.0);
        let [k, fy, r, n, k2, xa] = found;
        (positive && k2.is_finite() && k2 >= 0.0 && !xa.is_nan()).then_some([k, fy, r, n, k2, xa, 0.0, 0.0])
    }

    /// The parameters of the catalogue of elements; gives their number.
    pub fn element(self, x: &Parameters, out: &mut [f64; COUNT]) -> usize {
        let [k, fy, r, n, k2, xa, ..] = *x;
        let shape = k / fy.powf(n);
        match self {
            Hysteresis::BoucWen => {
                out[..5].copy_from_slice(&[k, r * shape, (1.0 - r) * shape, n, k2]);
                5
            }
            Hysteresis::ModifiedBoucWen => {
                out[..6].copy_from_slice(&[k, r * shape, 1.0 / (xa * xa), (1.0 - r) * shape, n, 1.0]);
                6
            }
            Hysteresis::Mostaghel => {
                out[..3].copy_from_slice(&[k + k2, k2 / (k + k2), fy / k]);
                3
            }
        }
    }

    /// z after the deformation went from `q` by `d`.
    pub fn moved(self, x: &Parameters, z: f64, q: f64, d: f64) -> f64 {
        let [k, fy, r, n, _, xa, ..] = *x;
        if self == Hysteresis::Mostaghel {
            return (z + k * d).clamp(-fy, fy);
        }
        // A step across a sharp corner diverges beyond 2.8.
        let substeps = (d.abs() * n * k / fy).ceil().clamp(1.0, MOST);
        let d = d / substeps;
        let sign = d.signum();
        let slope = |q: f64, z: f64| {
            let lead = if self == Hysteresis::ModifiedBoucWen { 1.0 / (1.0 + (q / xa).powi(2)) } else { 1.0 };
            let ratio = z / fy;
            let same = if ratio == 0.0 { 0.0 } else { sign * ratio.signum() };
            k * d * (lead - ratio.abs().powf(n) * (r * same + 1.0 - r))
        };
        let bound = 1.02 * fy;
        let (mut z, mut at) = (z, q);
        for _ in 0..substeps as usize {
            let k1 = slope(at, z);
            let k2 = slope(at + 0.5 * d, z + 0.5 * k1);
            let k3 = slope(at + 0.5 * d, z + 0.5 * k2);
            let k4 = slope(at + d, z + k3);
            z = (z + (k1 + 2.0 * k2 + 2.0 * k3 + k4) / 6.0).clamp(-bound, bound);
            at += d;
        }
        z
    }
}
