//! Element laws: equations between local coordinates, one file each, and the registry from which the
//! model file, the catalogue and the test batteries are generated.
//!
//! An element has D local coordinates q = B u (B is set by the connectivity: for a two-node spring the
//! one coordinate is the elongation), their rates, and S internal states. It answers with the D forces
//! p conjugate to q, which load the structure as r += Bᵀ p, and the S rates g of its states.
//! **Must not be here:** assembly, time stepping, parsing.

pub mod beam;
pub mod beam2d;
pub mod beam3d;
pub mod block;
pub mod bouc_wen;
pub mod catalogue;
pub mod cubic;
pub mod damper;
pub mod degrading_bouc_wen;
pub mod gap;
pub mod info;
pub mod modified_bouc_wen;
pub mod mostaghel;
pub mod path;
pub mod pendulum;
pub mod spring;
pub mod spring_pendulum;

use crate::Scalar;
use crate::scalar::Dual;
use info::Info;

/// Local coordinates of one element at one instant.
#[derive(Clone, Copy, Debug)]
pub struct Local<T, const D: usize, const S: usize> {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: [T; D],
    /// Rates of the coordinates.
    pub v: [T; D],
    /// Internal states.
    pub s: [T; S],
}

/// The answer of a law: forces conjugate to the coordinates and rates of the states.
#[derive(Clone, Copy, Debug)]
pub struct Response<T, const D: usize, const S: usize> {
    /// Forces, positive when they resist a positive coordinate.
    pub p: [T; D],
    /// Rates of the internal states.
    pub g: [T; S],
}

/// A constitutive law of fixed size, written once for every scalar.
pub trait Law<const D: usize, const S: usize> {
    /// Whether [`Law::mass`] is not identically zero.
    const HAS_MASS: bool = false;

    /// Forces and state rates.
    fn response<T: Scalar>(&self, x: &Local<T, D, S>) -> Response<T, D, S>;

    /// What it takes from its parameters once, so that an evaluation need not: the strength within which it sees its state.
    fn strength<T: Scalar>(_parameters: &[T]) -> Option<T> {
        None
    }

    /// Whether its force is a function of the deformation whose slope is nowhere above that at rest, beside a linear dashpot.
    fn softens(&self) -> bool {
        false
    }

    /// Mass matrix in the local coordinates, for elements whose inertia depends on the configuration.
    fn mass<T: Scalar>(&self, _q: &[T; D]) -> [[T; D]; D] {
        [[T::constant(0.0); D]; D]
    }
}

/// Tangent blocks of one element, row-major: K = dp/dq, C = dp/dv, R = dp/ds, A = dg/dq, B = dg/dv,
/// E = dg/ds.
#[derive(Debug)]
#[allow(missing_docs)]
pub struct Tangent<'a> {
    pub k: &'a mut [f64],
    pub c: &'a mut [f64],
    pub r: &'a mut [f64],
    pub a: &'a mut [f64],
    pub b: &'a mut [f64],
    pub e: &'a mut [f64],
}

/// What the assembly sees of an element, whatever its size: a law of this crate, a formula of a model
/// file, a linear block.
pub trait Element {
    /// Numbers of coordinates and of states.
    fn size(&self) -> (usize, usize);
    /// Whether the element carries (configuration-dependent) mass.
    fn has_mass(&self) -> bool;
    /// Forces `p` and state rates `g`.
    fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]);
    /// Exact tangent at a point; `acc` are the local accelerations there, so that K contains
    /// d(M(q) acc)/dq.
    fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], acc: &[f64], out: Tangent<'_>);
    /// Mass matrix, row-major D x D.
    fn mass(&self, q: &[f64], m: &mut [f64]);
}

/// Lifts a law of fixed size to an [`Element`].
#[derive(Clone, Copy, Debug)]
pub struct Lift<L, const D: usize, const S: usize>(pub L);

impl<L: Law<D, S>, const D: usize, const S: usize> Lift<L, D, S> {
    /// Response and inertia force M(q) acc along one direction of the dual numbers.
    fn column(&self, x: &Local<Dual, D, S>, acc: &[f64; D]) -> Response<Dual, D, S> {
        let mut y = self.0.response(x);
        if L::HAS_MASS {
            let m = self.0.mass(&x.q);
            for i in 0..D {
                for j in 0..D {
                    y.p[i] = y.p[i] + m[i][j] * acc[j];
                }
            }
        }
        y
    }

    /// Forces `p` and state rates `g` in any scalar, from slices.
    #[inline]
    pub fn evaluate<T: Scalar>(&self, t: f64, q: &[T], v: &[T], s: &[T], p: &mut [T], g: &mut [T]) {
        let y = self.0.response(&Local { t, q: array::<T, D>(q), v: array::<T, D>(v), s: array::<T, S>(s) });
        p[..D].copy_from_slice(&y.p);
        g[..S].copy_from_slice(&y.g);
    }

    /// Mass matrix in any scalar, row-major D x D.
    pub fn evaluate_mass<T: Scalar>(&self, q: &[T], m: &mut [T]) {
        let mass = self.0.mass(&array::<T, D>(q));
        for i in 0..D {
            m[i * D..(i + 1) * D].copy_from_slice(&mass[i]);
        }
    }
}

/// `x` between -`limit` and `limit`. The variable is the second argument of max and min: it wins ties (at the corner the
/// tangent is the elastic one) and lets a NaN through.
#[inline]
pub(crate) fn within<T: Scalar>(limit: f64, x: T) -> T {
    T::constant(limit).min(T::constant(-limit).max(x))
}

/// |z|^(n-1) z, finite at z = 0 for n < 1 too. For n = 1 it is z, whose slope at z = 0 is one and not that of the corner of |z|.
#[inline]
pub(crate) fn signed_power<T: Scalar>(z: T, n: f64) -> T {
    if n == 1.0 { z } else { z.sign() * z.abs().powf(n) }
}

/// The strength (a / b)^(1/n) that |z| cannot exceed where z' = (a - b |z|^n) q' on the way that loads; the largest number
/// where nothing bounds it.
///
/// A scheme knows nothing of it: a step across a sharp corner carries z far beyond, from where |z|^n throws it anywhere.
/// Laws therefore see z within its strength.
pub(crate) fn strength<T: Scalar>(a: T, b: T, n: T) -> T {
    let (zero, most) = (T::constant(0.0), T::constant(f64::MAX));
    let bound = most.min((a / b).pow(T::constant(1.0) / n));
    a.greater(zero, b.greater(zero, bound, most), most)
}

/// The first N entries as an array; the assembly guarantees the length.
#[inline]
fn array<T: Scalar, const N: usize>(x: &[T]) -> [T; N] {
    let mut a = [T::constant(0.0); N];
    a.copy_from_slice(&x[..N]);
    a
}

impl<L: Law<D, S>, const D: usize, const S: usize> Element for Lift<L, D, S> {
    fn size(&self) -> (usize, usize) {
        (D, S)
    }

    fn has_mass(&self) -> bool {
        L::HAS_MASS
    }

    #[inline]
    fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
        self.evaluate(t, q, v, s, p, g);
    }

    fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], acc: &[f64], out: Tangent<'_>) {
        let acc = array::<f64, D>(acc);
        let mut x = Local {
            t,
            q: array::<f64, D>(q).map(Dual::constant),
            v: array::<f64, D>(v).map(Dual::constant),
            s: array::<f64, S>(s).map(Dual::constant),
        };
        for j in 0..D {
            x.q[j].eps = 1.0;
            let y = self.column(&x, &acc);
            x.q[j].eps = 0.0;
            for i in 0..D {
                out.k[i * D + j] = y.p[i].eps;
            }
            for i in 0..S {
                out.a[i * D + j] = y.g[i].eps;
            }
        }
        for j in 0..D {
            x.v[j].eps = 1.0;
            let y = self.column(&x, &acc);
            x.v[j].eps = 0.0;
            for i in 0..D {
                out.c[i * D + j] = y.p[i].eps;
            }
            for i in 0..S {
                out.b[i * D + j] = y.g[i].eps;
            }
        }
        for j in 0..S {
            x.s[j].eps = 1.0;
            let y = self.column(&x, &acc);
            x.s[j].eps = 0.0;
            for i in 0..D {
                out.r[i * S + j] = y.p[i].eps;
            }
            for i in 0..S {
                out.e[i * S + j] = y.g[i].eps;
            }
        }
    }

    fn mass(&self, q: &[f64], m: &mut [f64]) {
        self.evaluate_mass(q, m);
    }
}

/// One line per law: type, number of coordinates, number of states. Everything else (the closed enum,
/// the names in the model file, the catalogue, the test batteries) is generated from it.
macro_rules! registry {
    ($($law:ident = $path:path, $d:literal, $s:literal;)*) => {
        /// Any law of this crate, stored without a pointer.
        #[derive(Clone, Copy, Debug)]
        #[allow(missing_docs)]
        pub enum AnyLaw { $($law(Lift<$path, $d, $s>),)* }

        /// Catalogue of all laws.
        pub const LAWS: &[Info] = &[$(<$path>::INFO,)*];

        impl AnyLaw {
            /// The law `name` with its parameters in the order of its [`Info`]; `None` for an unknown
            /// name or a wrong number of parameters.
            pub fn new(name: &str, parameters: &[f64]) -> Option<AnyLaw> {
                $(if name == <$path>::INFO.name {
                    return Some(AnyLaw::$law(Lift(<$path>::new(parameters.try_into().ok()?))));
                })*
                None
            }

            /// Its catalogue entry.
            pub fn info(&self) -> &'static Info {
                match self { $(AnyLaw::$law(_) => const { &<$path>::INFO },)* }
            }

            /// Its parameters, in the order of its [`Info`].
            pub fn with_parameters<R>(&self, f: impl FnOnce(&[f64]) -> R) -> R {
                match self { $(AnyLaw::$law(Lift(x)) => f(&x.parameters()),)* }
            }

            /// See [`Law::strength`].
            pub fn strength<T: Scalar>(&self, parameters: &[T]) -> Option<T> {
                match self { $(AnyLaw::$law(_) => <$path as Law<$d, $s>>::strength(parameters),)* }
            }

            /// See [`Law::softens`].
            pub fn softens(&self) -> bool {
                match self { $(AnyLaw::$law(Lift(x)) => Law::<$d, $s>::softens(x),)* }
            }

            /// Forces `p` and state rates `g` in any scalar.
            pub fn evaluate<T: Scalar>(&self, t: f64, q: &[T], v: &[T], s: &[T], p: &mut [T], g: &mut [T]) {
                match self { $(AnyLaw::$law(x) => x.evaluate(t, q, v, s, p, g),)* }
            }

            /// Mass matrix in any scalar, row-major.
            pub fn evaluate_mass<T: Scalar>(&self, q: &[T], m: &mut [T]) {
                match self { $(AnyLaw::$law(x) => x.evaluate_mass(q, m),)* }
            }
        }

        impl Element for AnyLaw {
            fn size(&self) -> (usize, usize) {
                match self { $(AnyLaw::$law(x) => x.size(),)* }
            }
            fn has_mass(&self) -> bool {
                match self { $(AnyLaw::$law(x) => x.has_mass(),)* }
            }
            #[inline]
            fn response(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], p: &mut [f64], g: &mut [f64]) {
                match self { $(AnyLaw::$law(x) => x.response(t, q, v, s, p, g),)* }
            }
            fn tangent(&self, t: f64, q: &[f64], v: &[f64], s: &[f64], acc: &[f64], out: Tangent<'_>) {
                match self { $(AnyLaw::$law(x) => x.tangent(t, q, v, s, acc, out),)* }
            }
            fn mass(&self, q: &[f64], m: &mut [f64]) {
                match self { $(AnyLaw::$law(x) => x.mass(q, m),)* }
            }
        }
    };
}

registry! {
    Spring = spring::Spring, 1, 0;
    Cubic = cubic::Cubic, 1, 0;
    Gap = gap::Gap, 1, 0;
    Damper = damper::Damper, 1, 0;
    BoucWen = bouc_wen::BoucWen, 1, 1;
    ModifiedBoucWen = modified_bouc_wen::ModifiedBoucWen, 1, 1;
    DegradingBoucWen = degrading_bouc_wen::DegradingBoucWen, 1, 2;
    Mostaghel = mostaghel::Mostaghel, 1, 1;
    Pendulum = pendulum::Pendulum, 2, 0;
    SpringPendulum = spring_pendulum::SpringPendulum, 3, 0;
}
