//! Linear Maxwell: a spring and a dashpot in series, with the exponential of the step.

use super::Uniaxial;
use crate::Scalar;

/// s' = K e' - s K / C over an increment at a constant rate, with the trapezoidal weight (1 + g)/2 of the increment, which is
/// right to second order in dt K / C.
#[derive(Clone, Copy, Debug)]
pub struct Maxwell {
    /// Stiffness of the spring.
    pub k: f64,
    /// Coefficient of the dashpot.
    pub c: f64,
}

impl Uniaxial<2> for Maxwell {
    /// Strain and stress.
    fn start(&self) -> [f64; 2] {
        [0.0; 2]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[ec, sc]: &[T; 2], e: T, dt: f64) -> (T, [T; 2]) {
        let g = libm::exp(-dt * self.k / self.c);
        let s = sc * g + (e - ec) * (0.5 * self.k * (1.0 + g));
        (s, [e, s])
    }
}
