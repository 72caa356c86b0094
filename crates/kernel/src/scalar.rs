//! The number an element law is written in. With `f64` a law runs, with [`Dual`] it gives its exact
//! tangent; a recording scalar can later print it as C.
//!
//! Laws never branch on a value: corners go through [`Scalar::abs`], [`Scalar::sign`], [`Scalar::max`]
//! and [`Scalar::select`], whose derivatives at the corner are fixed here, once: sign(0) = 0, and at a
//! tie `max` and `min` follow their second argument.

use core::ops::{Add, Div, Mul, Neg, Sub};

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
}

impl Scalar for f64 {
    #[inline]
    fn constant(x: f64) -> Self {
        x
    }
    #[inline]
    fn abs(self) -> Self {
        libm::fabs(self)
    }
    #[inline]
    fn sign(self) -> Self {
        if self > 0.0 {
            1.0
        } else if self < 0.0 {
            -1.0
        } else {
            // Zero stays zero and NaN stays NaN.
            self * 0.0
        }
    }
    #[inline]
    fn sqrt(self) -> Self {
        libm::sqrt(self)
    }
    #[inline]
    fn exp(self) -> Self {
        libm::exp(self)
    }
    #[inline]
    fn ln(self) -> Self {
        libm::log(self)
    }
    #[inline]
    fn sin(self) -> Self {
        libm::sin(self)
    }
    #[inline]
    fn cos(self) -> Self {
        libm::cos(self)
    }
    #[inline]
    fn tan(self) -> Self {
        libm::tan(self)
    }
    #[inline]
    fn asin(self) -> Self {
        libm::asin(self)
    }
    #[inline]
    fn acos(self) -> Self {
        libm::acos(self)
    }
    #[inline]
    fn atan(self) -> Self {
        libm::atan(self)
    }
    #[inline]
    fn tanh(self) -> Self {
        libm::tanh(self)
    }
    #[inline]
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
    #[inline]
    fn pow(self, y: Self) -> Self {
        libm::pow(self, y)
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        if self > other { self } else { other }
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        if self < other { self } else { other }
    }
    #[inline]
    fn select(self, yes: Self, no: Self) -> Self {
        if self >= 0.0 { yes } else { no }
    }
}

/// A value with its derivative along one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dual {
    /// Value.
    pub re: f64,
    /// Derivative.
    pub eps: f64,
}

impl Dual {
    /// f(x) with its derivative `df` at x.
    #[inline]
    fn chain(self, f: f64, df: f64) -> Self {
        // A constant stays one where df is infinite: sqrt(0), 0^n with n < 1.
        Dual { re: f, eps: if self.eps == 0.0 { 0.0 } else { df * self.eps } }
    }
}

impl Neg for Dual {
    type Output = Self;
    #[inline]
    fn neg(self) -> Self {
        Dual { re: -self.re, eps: -self.eps }
    }
}
impl Add for Dual {
    type Output = Self;
    #[inline]
    fn add(self, o: Self) -> Self {
        Dual { re: self.re + o.re, eps: self.eps + o.eps }
    }
}
impl Sub for Dual {
    type Output = Self;
    #[inline]
    fn sub(self, o: Self) -> Self {
        Dual { re: self.re - o.re, eps: self.eps - o.eps }
    }
}
impl Mul for Dual {
    type Output = Self;
    #[inline]
    fn mul(self, o: Self) -> Self {
        Dual { re: self.re * o.re, eps: self.eps * o.re + self.re * o.eps }
    }
}
impl Div for Dual {
    type Output = Self;
    #[inline]
    fn div(self, o: Self) -> Self {
        let q = self.re / o.re;
        Dual { re: q, eps: (self.eps - q * o.eps) / o.re }
    }
}
impl Add<f64> for Dual {
    type Output = Self;
    #[inline]
    fn add(self, o: f64) -> Self {
        Dual { re: self.re + o, eps: self.eps }
    }
}
impl Sub<f64> for Dual {
    type Output = Self;
    #[inline]
    fn sub(self, o: f64) -> Self {
        Dual { re: self.re - o, eps: self.eps }
    }
}
impl Mul<f64> for Dual {
    type Output = Self;
    #[inline]
    fn mul(self, o: f64) -> Self {
        Dual { re: self.re * o, eps: self.eps * o }
    }
}
impl Div<f64> for Dual {
    type Output = Self;
    #[inline]
    fn div(self, o: f64) -> Self {
        Dual { re: self.re / o, eps: self.eps / o }
    }
}

impl Scalar for Dual {
    #[inline]
    fn constant(x: f64) -> Self {
        Dual { re: x, eps: 0.0 }
    }
    #[inline]
    fn abs(self) -> Self {
        self.chain(self.re.abs(), Scalar::sign(self.re))
    }
    #[inline]
    fn sign(self) -> Self {
        Dual { re: Scalar::sign(self.re), eps: 0.0 }
    }
    #[inline]
    fn sqrt(self) -> Self {
        let f = Scalar::sqrt(self.re);
        self.chain(f, 0.5 / f)
    }
    #[inline]
    fn exp(self) -> Self {
        let f = Scalar::exp(self.re);
        self.chain(f, f)
    }
    #[inline]
    fn ln(self) -> Self {
        self.chain(Scalar::ln(self.re), 1.0 / self.re)
    }
    #[inline]
    fn sin(self) -> Self {
        self.chain(Scalar::sin(self.re), Scalar::cos(self.re))
    }
    #[inline]
    fn cos(self) -> Self {
        self.chain(Scalar::cos(self.re), -Scalar::sin(self.re))
    }
    #[inline]
    fn tan(self) -> Self {
        let f = Scalar::tan(self.re);
        self.chain(f, 1.0 + f * f)
    }
    #[inline]
    fn asin(self) -> Self {
        self.chain(Scalar::asin(self.re), 1.0 / Scalar::sqrt(1.0 - self.re * self.re))
    }
    #[inline]
    fn acos(self) -> Self {
        self.chain(Scalar::acos(self.re), -1.0 / Scalar::sqrt(1.0 - self.re * self.re))
    }
    #[inline]
    fn atan(self) -> Self {
        self.chain(Scalar::atan(self.re), 1.0 / (1.0 + self.re * self.re))
    }
    #[inline]
    fn tanh(self) -> Self {
        let f = Scalar::tanh(self.re);
        self.chain(f, 1.0 - f * f)
    }
    #[inline]
    fn powf(self, n: f64) -> Self {
        if self.eps == 0.0 || n == 0.0 {
            return Dual::constant(Scalar::powf(self.re, n));
        }
        self.chain(Scalar::powf(self.re, n), n * Scalar::powf(self.re, n - 1.0))
    }
    #[inline]
    fn pow(self, y: Self) -> Self {
        if y.eps == 0.0 {
            return self.powf(y.re);
        }
        let f = Scalar::pow(self.re, y.re);
        Dual { re: f, eps: y.re * Scalar::pow(self.re, y.re - 1.0) * self.eps + f * Scalar::ln(self.re) * y.eps }
    }
    #[inline]
    fn max(self, other: Self) -> Self {
        if self.re > other.re { self } else { other }
    }
    #[inline]
    fn min(self, other: Self) -> Self {
        if self.re < other.re { self } else { other }
    }
    #[inline]
    fn select(self, yes: Self, no: Self) -> Self {
        if self.re >= 0.0 { yes } else { no }
    }
}
