//! A number with its derivatives along M directions: exact sensitivities of a law to its parameters in one pass.
//!
//! The corners are those of [`Scalar`]: sign(0) = 0, at a tie `max` and `min` follow their second argument, and 0^n has the derivative zero.

use core::ops::{Add, Div, Mul, Neg, Sub};

use interfield_kernel::Scalar;

/// A value and its derivatives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet<const M: usize> {
    /// Value.
    pub re: f64,
    /// Derivatives.
    pub eps: [f64; M],
}

impl<const M: usize> Jet<M> {
    /// A value with the derivative `slope` along direction `i`.
    pub fn variable(re: f64, i: usize, slope: f64) -> Self {
        let mut eps = [0.0; M];
        eps[i] = slope;
        Jet { re, eps }
    }

    /// f(x) with its derivative there; a constant stays one where that is infinite.
    #[inline(always)]
    fn chain(self, f: f64, df: f64) -> Self {
        Jet { re: f, eps: self.eps.map(|e| if e == 0.0 { 0.0 } else { e * df }) }
    }
}

impl<const M: usize> Neg for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Jet { re: -self.re, eps: self.eps.map(|e| -e) }
    }
}

impl<const M: usize> Add for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, o: Self) -> Self {
        self.re += o.re;
        (0..M).for_each(|i| self.eps[i] += o.eps[i]);
        self
    }
}

impl<const M: usize> Sub for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, o: Self) -> Self {
        self.re -= o.re;
        (0..M).for_each(|i| self.eps[i] -= o.eps[i]);
        self
    }
}

impl<const M: usize> Mul for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(mut self, o: Self) -> Self {
        (0..M).for_each(|i| self.eps[i] = self.eps[i] * o.re + self.re * o.eps[i]);
        self.re *= o.re;
        self
    }
}

impl<const M: usize> Div for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn div(mut self, o: Self) -> Self {
        let re = self.re / o.re;
        (0..M).for_each(|i| self.eps[i] = (self.eps[i] - re * o.eps[i]) / o.re);
        self.re = re;
        self
    }
}

impl<const M: usize> Add<f64> for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn add(mut self, o: f64) -> Self {
        self.re += o;
        self
    }
}

impl<const M: usize> Sub<f64> for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn sub(mut self, o: f64) -> Self {
        self.re -= o;
        self
    }
}

impl<const M: usize> Mul<f64> for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, o: f64) -> Self {
        Jet { re: self.re * o, eps: self.eps.map(|e| e * o) }
    }
}

impl<const M: usize> Div<f64> for Jet<M> {
    type Output = Self;
    #[inline(always)]
    fn div(self, o: f64) -> Self {
        Jet { re: self.re / o, eps: self.eps.map(|e| e / o) }
    }
}

impl<const M: usize> Scalar for Jet<M> {
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Jet { re: x, eps: [0.0; M] }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.chain(Scalar::abs(self.re), Scalar::sign(self.re))
    }
    #[inline(always)]
    fn sign(self) -> Self {
        Self::constant(Scalar::sign(self.re))
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let f = Scalar::sqrt(self.re);
        self.chain(f, 0.5 / f)
    }
    #[inline(always)]
    fn exp(self) -> Self {
        let f = Scalar::exp(self.re);
        self.chain(f, f)
    }
    #[inline(always)]
    fn ln(self) -> Self {
        self.chain(Scalar::ln(self.re), 1.0 / self.re)
    }
    #[inline(always)]
    fn sin(self) -> Self {
        self.chain(Scalar::sin(self.re), Scalar::cos(self.re))
    }
    #[inline(always)]
    fn cos(self) -> Self {
        self.chain(Scalar::cos(self.re), -Scalar::sin(self.re))
    }
    #[inline(always)]
    fn tan(self) -> Self {
        let f = Scalar::tan(self.re);
        self.chain(f, 1.0 + f * f)
    }
    #[inline(always)]
    fn asin(self) -> Self {
        self.chain(Scalar::asin(self.re), 1.0 / Scalar::sqrt(1.0 - self.re * self.re))
    }
    #[inline(always)]
    fn acos(self) -> Self {
        self.chain(Scalar::acos(self.re), -1.0 / Scalar::sqrt(1.0 - self.re * self.re))
    }
    #[inline(always)]
    fn atan(self) -> Self {
        self.chain(Scalar::atan(self.re), 1.0 / (1.0 + self.re * self.re))
    }
    #[inline(always)]
    fn tanh(self) -> Self {
        let f = Scalar::tanh(self.re);
        self.chain(f, 1.0 - f * f)
    }
    #[inline(always)]
    fn powf(self, n: f64) -> Self {
        let f = Scalar::powf(self.re, n);
        let df = if n == 0.0 || self.re == 0.0 && n < 1.0 { 0.0 } else { n * Scalar::powf(self.re, n - 1.0) };
        self.chain(f, df)
    }
    #[inline(always)]
    fn pow(self, y: Self) -> Self {
        if self.re == 0.0 {
            // 0^y: nothing of it moves, whatever moves y; a power below one has an infinite slope there, which counts as zero.
            let df = if y.re == 1.0 { 1.0 } else { 0.0 };
            return self.chain(Scalar::pow(0.0, y.re), df);
        }
        let f = Scalar::pow(self.re, y.re);
        let (base, exponent) = (f * y.re / self.re, f * Scalar::ln(self.re));
        let mut eps = [0.0; M];
        (0..M).for_each(|i| eps[i] = base * self.eps[i] + if y.eps[i] == 0.0 { 0.0 } else { exponent * y.eps[i] });
        Jet { re: f, eps }
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        if self.re > other.re { self } else { other }
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        if self.re < other.re { self } else { other }
    }
    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        if self.re >= 0.0 { yes } else { no }
    }
    #[inline(always)]
    fn greater(self, other: Self, yes: Self, no: Self) -> Self {
        if self.re > other.re { yes } else { no }
    }
    #[inline(always)]
    fn scaled(self, factor: Self) -> Self {
        if self.is_zero() { Self::constant(0.0) } else { self * factor }
    }
    #[inline(always)]
    fn still(self) -> Self {
        Self::constant(self.re)
    }
    #[inline(always)]
    fn is_zero(self) -> bool {
        self.re == 0.0 && self.eps.iter().all(|e| *e == 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every function against central differences, away from its corners.
    #[test]
    fn derivatives_are_those_of_the_functions() {
        type Case = (&'static str, fn(Jet<2>) -> Jet<2>, f64);
        let cases: &[Case] = &[
            ("abs", Scalar::abs, -0.7),
            ("sqrt", Scalar::sqrt, 0.7),
            ("exp", Scalar::exp, 0.7),
            ("ln", Scalar::ln, 0.7),
            ("sin", Scalar::sin, 0.7),
            ("cos", Scalar::cos, 0.7),
            ("tan", Scalar::tan, 0.7),
            ("asin", Scalar::asin, 0.4),
            ("acos", Scalar::acos, 0.4),
            ("atan", Scalar::atan, 0.7),
            ("tanh", Scalar::tanh, 0.7),
            ("powf", |x| x.powf(1.7), 0.7),
            ("pow", |x| x.pow(x * 2.0 + 0.3), 0.7),
            ("quotient", |x| (x * x + 1.0) / (x - 3.0), 0.7),
            ("scaled", |x| x.scaled(x), 0.7),
        ];
        for (name, f, x) in cases {
            let got = f(Jet::variable(*x, 1, 2.0)).eps;
            let h = 1e-6;
            let slope = (f(Jet::constant(x + h)).re - f(Jet::constant(x - h)).re) / (2.0 * h);
            assert_eq!(got[0], 0.0, "{name}");
            assert!((got[1] - 2.0 * slope).abs() < 1e-8, "{name}: {} for {}", got[1], 2.0 * slope);
        }
        assert_eq!(Jet::<1>::constant(0.0).pow(Jet::variable(0.6, 0, 1.0)), Jet::constant(0.0));
    }
}
