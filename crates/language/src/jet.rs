//! A function of time with its first two derivatives: the scalar in which displacement formulas give velocity and
//! acceleration exactly. Corners have the conventions of the kernel's dual numbers; the second derivative is zero there.

use std::ops::{Add, Div, Mul, Neg, Sub};

use interfield_kernel::Scalar;

/// Value and derivatives with respect to time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet {
    /// Value.
    pub value: f64,
    /// First derivative.
    pub first: f64,
    /// Second derivative.
    pub second: f64,
}

impl Jet {
    /// f(x) with f, f' and f'' at x; a constant stays one where f' is infinite.
    fn chain(self, f: f64, df: f64, ddf: f64) -> Self {
        let times = |a: f64, b: f64| if b == 0.0 { 0.0 } else { a * b };
        Jet {
            value: f,
            first: times(df, self.first),
            second: times(df, self.second) + times(ddf, self.first * self.first),
        }
    }
}

impl Neg for Jet {
    type Output = Self;
    fn neg(self) -> Self {
        Jet { value: -self.value, first: -self.first, second: -self.second }
    }
}
impl Add for Jet {
    type Output = Self;
    fn add(self, o: Self) -> Self {
        Jet { value: self.value + o.value, first: self.first + o.first, second: self.second + o.second }
    }
}
impl Sub for Jet {
    type Output = Self;
    fn sub(self, o: Self) -> Self {
        self + -o
    }
}
impl Mul for Jet {
    type Output = Self;
    fn mul(self, o: Self) -> Self {
        Jet {
            value: self.value * o.value,
            first: self.first * o.value + self.value * o.first,
            second: self.second * o.value + 2.0 * self.first * o.first + self.value * o.second,
        }
    }
}
impl Div for Jet {
    type Output = Self;
    fn div(self, o: Self) -> Self {
        let r = 1.0 / o.value;
        self * o.chain(r, -r * r, 2.0 * r * r * r)
    }
}
impl Add<f64> for Jet {
    type Output = Self;
    fn add(self, o: f64) -> Self {
        Jet { value: self.value + o, ..self }
    }
}
impl Sub<f64> for Jet {
    type Output = Self;
    fn sub(self, o: f64) -> Self {
        self + -o
    }
}
impl Mul<f64> for Jet {
    type Output = Self;
    fn mul(self, o: f64) -> Self {
        Jet { value: self.value * o, first: self.first * o, second: self.second * o }
    }
}
impl Div<f64> for Jet {
    type Output = Self;
    fn div(self, o: f64) -> Self {
        Jet { value: self.value / o, first: self.first / o, second: self.second / o }
    }
}

impl Scalar for Jet {
    fn constant(x: f64) -> Self {
        Jet { value: x, first: 0.0, second: 0.0 }
    }
    fn abs(self) -> Self {
        self.chain(self.value.abs(), Scalar::sign(self.value), 0.0)
    }
    fn sign(self) -> Self {
        Jet::constant(Scalar::sign(self.value))
    }
    fn sqrt(self) -> Self {
        let f = self.value.sqrt();
        self.chain(f, 0.5 / f, -0.25 / (f * self.value))
    }
    fn exp(self) -> Self {
        let f = self.value.exp();
        self.chain(f, f, f)
    }
    fn ln(self) -> Self {
        let r = 1.0 / self.value;
        self.chain(self.value.ln(), r, -r * r)
    }
    fn sin(self) -> Self {
        let (s, c) = self.value.sin_cos();
        self.chain(s, c, -s)
    }
    fn cos(self) -> Self {
        let (s, c) = self.value.sin_cos();
        self.chain(c, -s, -c)
    }
    fn tan(self) -> Self {
        let f = self.value.tan();
        self.chain(f, 1.0 + f * f, 2.0 * f * (1.0 + f * f))
    }
    fn asin(self) -> Self {
        let r = 1.0 / (1.0 - self.value * self.value).sqrt();
        self.chain(self.value.asin(), r, self.value * r * r * r)
    }
    fn acos(self) -> Self {
        let r = 1.0 / (1.0 - self.value * self.value).sqrt();
        self.chain(self.value.acos(), -r, -self.value * r * r * r)
    }
    fn atan(self) -> Self {
        let r = 1.0 / (1.0 + self.value * self.value);
        self.chain(self.value.atan(), r, -2.0 * self.value * r * r)
    }
    fn tanh(self) -> Self {
        let f = self.value.tanh();
        self.chain(f, 1.0 - f * f, -2.0 * f * (1.0 - f * f))
    }
    fn powf(self, n: f64) -> Self {
        let f = |n: f64| Scalar::powf(self.value, n);
        // A vanishing factor hides the infinity of 0^(n-2).
        let times = |a: f64, n: f64| if a == 0.0 { 0.0 } else { a * f(n) };
        self.chain(f(n), times(n, n - 1.0), times(n * (n - 1.0), n - 2.0))
    }
    fn pow(self, y: Self) -> Self {
        if y.first == 0.0 && y.second == 0.0 {
            return self.powf(y.value);
        }
        (self.ln() * y).exp()
    }
    fn max(self, other: Self) -> Self {
        if self.value > other.value { self } else { other }
    }
    fn min(self, other: Self) -> Self {
        if self.value < other.value { self } else { other }
    }
    fn select(self, yes: Self, no: Self) -> Self {
        if self.value >= 0.0 { yes } else { no }
    }
    fn greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.value > other.value { yes } else { no }
    }
    fn scaled(self, factor: Self) -> Self {
        if self.is_zero() { self } else { self * factor }
    }
    fn is_zero(self) -> bool {
        self == Jet::constant(0.0)
    }
}
