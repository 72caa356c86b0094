//! Elastic, perfectly plastic.

use super::Uniaxial;
use crate::Scalar;

/// s = E (e - e0 - ep) between the two yield stresses; the history is the plastic strain ep.
#[derive(Clone, Copy, Debug)]
pub struct ElasticPlastic {
    /// Modulus, Pa.
    pub e: f64,
    /// Yield stress in tension, Pa.
    pub tension: f64,
    /// Yield stress in compression, Pa, negative.
    pub compression: f64,
    /// Strain without stress at the beginning.
    pub e0: f64,
}

impl Uniaxial<1> for ElasticPlastic {
    fn start(&self) -> [f64; 1] {
        [0.0]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[plastic]: &[T; 1], e: T, _: f64) -> (T, [T; 1]) {
        let trial = (e - self.e0 - plastic) * self.e;
        let (tension, compression) = (T::constant(self.tension), T::constant(self.compression));
        // At the yield stress itself the tangent is that of yielding.
        let s = trial.min(tension).max(compression);
        (s, [plastic + (trial - s) / self.e])
    }
}
