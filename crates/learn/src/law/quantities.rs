//! What is reported of a law: the small maps from searched to reported parameters and to those of the model file.

use interfield_kernel::Scalar;
use interfield_kernel::element::info::Unit;

use super::{Family, Scale, Size};

/// Why a quantity is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Data tell it, and the model file has it.
    Parameter,
    /// Data tell it; the model file has what follows from it.
    Told,
    /// The model file has it; it follows from others, and its own uncertainty is that of its unit.
    Derived,
}

/// A reported number.
#[derive(Clone, Copy, Debug)]
pub struct Quantity<T> {
    /// Its name: that of the model file, or a symbol.
    pub name: &'static str,
    /// Why it is reported.
    pub role: Role,
    /// Its value, SI.
    pub value: T,
    /// Its unit; the exponent of the law is in `exponent`.
    pub unit: Unit,
    /// On which scale its interval is symmetric.
    pub scale: Scale,
    /// The searched variable that it is, if it is one: if that ends at its bound, it is no estimate.
    pub variable: Option<&'static str>,
}

const SHAPE: Unit = Unit { force: 1.0, force_n: -1.0, disp: -1.0, ..Unit::NONE };
const PER_DISP_SQUARED: Unit = Unit { disp: -2.0, ..Unit::NONE };
const PER_WORK: Unit = Unit { force: -1.0, disp: -1.0, ..Unit::NONE };
const CUBIC: Unit = Unit { force: 1.0, disp: -3.0, ..Unit::NONE };

pub(super) fn quantities<T: Scalar>(family: Family, eta: &[T], c: &[T], size: &Size) -> Vec<Quantity<T>> {
    use Role::{Derived, Parameter, Told};
    use Scale::{Linear, Log};
    let q = |name, role, value, unit, scale, variable| Quantity { name, role, value, unit, scale, variable };
    let one = T::constant(1.0);
    match (family, eta, c) {
        (Family::BoucWen, &[xy, r, n], &[k, k2, ..]) => {
            let fy = k * xy;
            let shape = k / fy.pow(n);
            vec![
                q("k", Parameter, k, Unit::STIFFNESS, Linear, None),
                q("Fy", Told, fy, Unit::FORCE, Log, Some("xy")),
                q("xy", Told, xy, Unit::DISP, Log, Some("xy")),
                q("r", Told, r, Unit::NONE, Linear, Some("r")),
                q("n", Parameter, n, Unit::NONE, Log, Some("n")),
                q("k2", Parameter, k2, Unit::STIFFNESS, Linear, None),
                q("beta", Derived, r * shape, SHAPE, Linear, None),
                q("gamma", Derived, (one - r) * shape, SHAPE, Linear, None),
            ]
        }
        (Family::ModifiedBoucWen, &[xy, xa, r, n], &[k, ..]) => {
            let fy = k * xy;
            let shape = k / fy.pow(n);
            vec![
                q("k", Parameter, k, Unit::STIFFNESS, Linear, None),
                q("Fy", Told, fy, Unit::FORCE, Log, Some("xy")),
                q("xy", Told, xy, Unit::DISP, Log, Some("xy")),
                q("xa", Told, xa, Unit::DISP, Log, Some("xa")),
                q("r", Told, r, Unit::NONE, Linear, Some("r")),
                q("n", Parameter, n, Unit::NONE, Log, Some("n")),
                q("alpha", Derived, one / (xa * xa), PER_DISP_SQUARED, Linear, None),
                q("beta", Derived, r * shape, SHAPE, Linear, None),
                q("gamma", Derived, (one - r) * shape, SHAPE, Linear, None),
            ]
        }
        (Family::DegradingBoucWen, &[xy, a, dk, ds, n, n1], &[k, ..]) => {
            let work = k * xy * xy;
            vec![
                q("k", Parameter, k, Unit::STIFFNESS, Linear, None),
                q("xy", Parameter, xy, Unit::DISP, Log, Some("xy")),
                q("Fy", Told, (one - a) * k * xy, Unit::FORCE, Log, Some("xy")),
                q("a", Parameter, a, Unit::NONE, Linear, Some("a")),
                q("dk", Parameter, dk / work, PER_WORK, Linear, Some("Dk")),
                q("ds", Parameter, ds / work, PER_WORK, Linear, Some("Ds")),
                q("n", Parameter, n, Unit::NONE, Log, Some("n")),
                q("n1", Parameter, n1, Unit::NONE, Linear, Some("n1")),
                q("n2", Derived, one - n1, Unit::NONE, Linear, Some("n1")),
            ]
        }
        (Family::Mostaghel, &[delta], &[ka, kd, ..]) => {
            let k = ka + kd;
            vec![
                q("k", Parameter, k, Unit::STIFFNESS, Linear, None),
                q("a", Parameter, ka / k, Unit::NONE, Linear, None),
                q("delta", Parameter, delta, Unit::DISP, Log, Some("delta")),
                q("Fy", Told, k * delta, Unit::FORCE, Log, Some("delta")),
            ]
        }
        (Family::Damper, &[n, v0], &[p, ..]) => vec![
            q("P", Told, p, Unit::FORCE, Linear, None),
            q("n", Parameter, n, Unit::NONE, Log, Some("n")),
            q("v0", Parameter, v0, Unit::RATE, Log, Some("v0")),
            q(
                "c",
                Derived,
                p * T::constant(size.rms).pow(-n),
                interfield_kernel::element::info::POWER_DAMPING,
                Linear,
                None,
            ),
        ],
        (Family::Cubic, _, &[k, k3, ref rest @ ..]) => {
            let c = (size.v > 0.0).then(|| rest.first()).flatten();
            let mut all =
                vec![q("k", Parameter, k, Unit::STIFFNESS, Linear, None), q("k3", Parameter, k3, CUBIC, Linear, None)];
            all.extend(c.map(|c| q("c", Parameter, *c, Unit::DAMPING, Linear, None)));
            all
        }
        (Family::Spring, _, &[k, ref rest @ ..]) => {
            let c = (size.v > 0.0).then(|| rest.first()).flatten();
            let mut all = vec![q("k", Parameter, k, Unit::STIFFNESS, Linear, None)];
            all.extend(c.map(|c| q("c", Parameter, *c, Unit::DAMPING, Linear, None)));
            all
        }
        _ => Vec::new(),
    }
}
