//! Elastic, with another modulus in compression if wanted; none of it is a material without tension or without compression.

use super::Uniaxial;
use crate::Scalar;

/// s = E e in tension, s = E⁻ e in compression.
#[derive(Clone, Copy, Debug)]
pub struct Elastic {
    /// Modulus in tension, Pa.
    pub e: f64,
    /// Modulus in compression, Pa.
    pub compression: f64,
}

impl Uniaxial<0> for Elastic {
    fn start(&self) -> [f64; 0] {
        []
    }

    #[inline]
    fn advance<T: Scalar>(&self, _: &[T; 0], e: T, _: f64) -> (T, [T; 0]) {
        (e.select(e * self.e, e * self.compression), [])
    }
}
