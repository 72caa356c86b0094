//! The number an element law is written in. With `f64` a law runs, with [`Dual`] it gives its exact
//! tangent; the recording scalar of `interfield-codegen` prints it as C, and a `Dual` of those its tangent.
//!
//! Laws never branch on a value: corners go through [`Scalar::abs`], [`Scalar::sign`], [`Scalar::max`]
//! and [`Scalar::select`], whose derivatives at the corner are fixed here, once: sign(0) = 0, and at a
//! tie `max` and `min` follow their second argument.

use core::ops::{Add, Div, Mul, Neg, Sub};

use crate::portable;

/// Arithmetic and elementary functions of a law.
pub trait Scalar:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// A constant.
    fn constant(x: f64) -> Self;
    /// |x|, derivative sign(x).
    fn abs(self) -> Self;
    /// -1, 0 or 1, derivative zero.
    fn sign(self) -> Self;
    /// Square root.
    fn sqrt(self) -> Self;
    /// e^x.
    fn exp(self) -> Self;
    /// Natural logarithm.
    fn ln(self) -> Self;
    /// Sine.
    fn sin(self) -> Self;
    /// Cosine.
    fn cos(self) -> Self;
    /// Tangent.
    fn tan(self) -> Self;
    /// Inverse sine.
    fn asin(self) -> Self;
    /// Inverse cosine.
    fn acos(self) -> Self;
    /// Inverse tangent.
    fn atan(self) -> Self;
    /// Hyperbolic tangent.
    fn tanh(self) -> Self;
    /// x^n with a constant exponent.
    fn powf(self, n: f64) -> Self;
    /// x^y with a variable exponent, x > 0.
    fn pow(self, y: Self) -> Self;
    /// The larger of two.
    fn max(self, other: Self) -> Self;
    /// The smaller of two.
    fn min(self, other: Self) -> Self;
    /// `yes` where `self >= 0`, else `no`. No derivative with respect to `self`.
    fn select(self, yes: Self, no: Self) -> Self;
    /// `yes` where `self > other`, else `no`. No derivative with respect to either.
    fn greater(self, other: Self, yes: Self, no: Self) -> Self;
    /// `self * factor`, and zero where `self` is zero even if `factor` is infinite.
    fn scaled(self, factor: Self) -> Self;
    /// The same number without its derivatives.
    fn still(self) -> Self {
        self
    }
    /// Whether it is known to be zero. A number knows; what only records its operations does not, unless it is a constant.
    fn is_zero(self) -> bool;
}

impl Scalar for f64 {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn abs(self) -> Self {
        libm::fabs(self)
    }
    #[inline(always)]
    fn sign(self) -> Self {
        // Zero stays zero and NaN stays NaN. Computed whatever the sign, so that nothing is left to branch on.
        let neither = self * 0.0;
        let negative = if self < 0.0 { -1.0 } else { neither };
        if self > 0.0 { 1.0 } else { negative }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        libm::sqrt(self)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        libm::log(self)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        libm::sin(self)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        libm::cos(self)
    }
    #[inline(always)]
    fn tan(self) -> Self {
        libm::tan(self)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        libm::asin(self)
    }
    #[inline(always)]
    fn acos(self) -> Self {
        libm::acos(self)
    }
    #[inline(always)]
    fn atan(self) -> Self {
        libm::atan(self)
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        libm::tanh(self)
    }
    #[inline(always)]
    fn powf(self, n: f64) -> Self {
        // The exponents of hysteretic laws are nearly always 0, 1 or 2; a general power costs 30 ns.
        if n == 1.0 {
            self
        } else if n == 2.0 {
            self * self
        } else if n == 0.0 {
            1.0
        } else {
            libm::pow(self, n)
        }
    }
    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        libm::pow(self, y)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        if self >= 0.0 { yes } else { no }
    }
    #[inline(always)]
    fn greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self > other { yes } else { no }
    }
    #[inline(always)]
    fn scaled(self, factor: Self) -> Self {
        if self == 0.0 { 0.0 } else { factor * self }
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self == 0.0
    }
}

/// A value with its derivative along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual<T = f64> {
    /// Value.
    pub re: T,
    /// Derivative.
    pub eps: T,
}

impl<T: Scalar> Dual<T> {
    /// f(x) with its derivative `df` at x. A constant stays one where df is infinite: sqrt(0), 0^n with n < 1.
    #[inline(always)]
    fn chain(self, f: T, df: T) -> Self {
        Dual { re: f, eps: self.eps.scaled(df) }
    }
}

impl<T: Scalar> Neg for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: -self.eps }
    }
}
impl<T: Scalar> Add for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Dual { re: self.re + o.re, eps: self.eps + o.eps }
    }
}
impl<T: Scalar> Sub for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Dual { re: self.re - o.re, eps: self.eps - o.eps }
    }
}
impl<T: Scalar> Mul for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: Self) -> Self {
        Dual { re: self.re * o.re, eps: self.eps * o.re + self.re * o.eps }
    }
}
impl<T: Scalar> Div for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        Dual { re: q, eps: (self.eps - q * o.eps) / o.re }
    }
}
impl<T: Scalar> Add<f64> for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: f64) -> Self {
        Dual { re: self.re + o, eps: self.eps }
    }
}
impl<T: Scalar> Sub<f64> for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: f64) -> Self {
        Dual { re: self.re - o, eps: self.eps }
    }
}
impl<T: Scalar> Mul<f64> for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: f64) -> Self {
        Dual { re: self.re * o, eps: self.eps * o }
    }
}
impl<T: Scalar> Div<f64> for Dual<T> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: f64) -> Self {
        Dual { re: self.re / o, eps: self.eps / o }
    }
}

impl<T: Scalar> Scalar for Dual<T> {
    #[inline(always)]
    fn still(self) -> Self {
        Dual { re: self.re.still(), eps: T::constant(0.0) }
    }
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Dual { re: T::constant(x), eps: T::constant(0.0) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(self.re.abs(), self.re.sign())
    }
    #[inline(always)]
    fn sign(self) -> Self {
        Dual { re: self.re.sign(), eps: T::constant(0.0) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let f = self.re.sqrt();
        self.chain(f, T::constant(0.5) / f)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let f = self.re.exp();
        self.chain(f, f)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(self.re.ln(), T::constant(1.0) / self.re)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(self.re.sin(), self.re.cos())
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(self.re.cos(), -self.re.sin())
    }
    #[inline(always)]
    fn tan(self) -> Self {
        let f = self.re.tan();
        self.chain(f, f * f + 1.0)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        self.chain(self.re.asin(), T::constant(1.0) / (-(self.re * self.re) + 1.0).sqrt())
    }
    #[inline(always)]
    fn acos(self) -> Self {
        self.chain(self.re.acos(), T::constant(-1.0) / (-(self.re * self.re) + 1.0).sqrt())
    }
    #[inline(always)]
    fn atan(self) -> Self {
        self.chain(self.re.atan(), T::constant(1.0) / (self.re * self.re + 1.0))
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let f = self.re.tanh();
        self.chain(f, -(f * f) + 1.0)
    }
    #[inline(always)]
    fn powf(self, n: f64) -> Self {
        let f = self.re.powf(n);
        if self.eps.is_zero() || n == 0.0 {
            return Dual { re: f, eps: T::constant(0.0) };
        }
        self.chain(f, self.re.powf(n - 1.0) * n)
    }
    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        let f = self.re.pow(y.re);
        let base = self.eps.scaled(y.re * self.re.pow(y.re - 1.0));
        let exponent = if y.eps.is_zero() { T::constant(0.0) } else { y.eps.scaled(f * self.re.ln()) };
        Dual { re: f, eps: base + exponent }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Dual { re: self.re.max(other.re), eps: self.re.greater(other.re, self.eps, other.eps) }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Dual { re: self.re.min(other.re), eps: other.re.greater(self.re, self.eps, other.eps) }
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Dual { re: self.re.select(yes.re, no.re), eps: self.re.select(yes.eps, no.eps) }
    }
    #[inline(always)]
    fn greater(self, other: Self, yes: Self, no: Self) -> Self {
        Dual { re: self.re.greater(other.re, yes.re, no.re), eps: self.re.greater(other.re, yes.eps, no.eps) }
    }
    #[inline(always)]
    fn scaled(self, factor: Self) -> Self {
        Dual { re: self.re.scaled(factor.re), eps: self.re.scaled(factor.eps) + self.eps * factor.re }
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.re.is_zero() && self.eps.is_zero()
    }
}

/// Numbers side by side: a program run over `Dual<Lanes<N>>` gives its derivatives along N directions at once, each with the
/// bits of a run of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lanes<const N: usize>(pub [f64; N]);

/// Numbers side by side as [`Lanes`], for frames: their exponentials, logarithms, powers and
/// inverse sines are those of [`portable`], without a branch and
/// with the same bits in the generated C. Powers are of numbers that are not negative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Portable<const N: usize>(pub [f64; N]);

/// All lanes, by a loop that the compiler always unrolls into the caller.
#[inline(always)]
fn each<const N: usize>(f: impl Fn(usize) -> f64) -> [f64; N] {
    let mut out = [0.0; N];
    for i in 0..N {
        out[i] = f(i);
    }
    out
}

macro_rules! side_by_side {
    ($type:ident: $($trait:ident $method:ident),*) => {
        $(impl<const N: usize> $trait for $type<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                $type(each(|i| self.0[i].$method(o.0[i])))
            }
        }
        impl<const N: usize> $trait<f64> for $type<N> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, o: f64) -> Self {
                $type(each(|i| self.0[i].$method(o)))
            }
        })*
        impl<const N: usize> Neg for $type<N> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $type(each(|i| -self.0[i]))
            }
        }
    };
}
side_by_side!(Lanes: Add add, Sub sub, Mul mul, Div div);
side_by_side!(Portable: Add add, Sub sub, Mul mul, Div div);

macro_rules! each {
    ($($f:ident($($other:ident),*)),*) => {
        $(#[inline(always)]
        fn $f(self, $($other: Self),*) -> Self {
            Self(each(|i| Scalar::$f(self.0[i], $($other.0[i]),*)))
        })*
    };
}

impl<const N: usize> Scalar for Lanes<N> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Lanes([x; N])
    }
    each!(abs(), sign(), sqrt(), exp(), ln(), sin(), cos(), tan(), asin(), acos(), atan(), tanh());
    each!(pow(y), max(other), min(other), select(yes, no), greater(other, yes, no), scaled(factor));
    #[inline(always)]
    fn powf(self, n: f64) -> Self {
        Lanes(self.0.map(|x| Scalar::powf(x, n)))
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0.iter().all(|x| *x == 0.0)
    }
}

impl<const N: usize> Scalar for Portable<N> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Portable([x; N])
    }
    each!(abs(), sign(), sqrt(), sin(), cos(), tan(), acos(), atan(), tanh());
    each!(max(other), min(other), select(yes, no), greater(other, yes, no), scaled(factor));
    #[inline(always)]
    fn exp(self) -> Self {
        Portable(each(|i| portable::exp(self.0[i])))
    }
    #[inline(always)]
    fn ln(self) -> Self {
        Portable(each(|i| portable::ln(self.0[i])))
    }
    #[inline(always)]
    fn asin(self) -> Self {
        Portable(self.0.map(portable::asin))
    }
    #[inline(always)]
    fn powf(self, n: f64) -> Self {
        // The cases of f64.
        if n == 1.0 {
            self
        } else if n == 2.0 {
            self * self
        } else if n == 0.0 {
            Self::constant(1.0)
        } else {
            (self.ln() * n).exp()
        }
    }
    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        (self.ln() * y).exp()
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.0.iter().all(|x| *x == 0.0)
    }
}
