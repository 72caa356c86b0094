//! Nonlinear Maxwell: a spring and a dashpot with a power of the rate in series; `ViscousDamper` of OpenSees.
//!
//! s' = k (e' - sign(s) (|s|/c)^(1/n)) is integrated within each increment, the rate linear from its old value to the new one, by Euler's
//! linearly implicit method over 1, 2, 3 and 4 steps extrapolated to fourth order (P. Deuflhard, SIAM Review 27, 1985): stiff for a small
//! n, and always the same work.

use super::{Pace, Uniaxial, divisor, zero};
use crate::Scalar;
use crate::element::info::{Info, POWER_DAMPING, Range::*, Unit, optional, required};

/// s' = k (e' - sign(s) (|s|/c)^(1/n)).
#[derive(Clone, Copy, Debug)]
pub struct NonlinearMaxwell {
    /// Stiffness of the spring.
    pub k: f64,
    /// Stress of the dashpot at unit rate.
    pub c: f64,
    /// Exponent of the rate.
    pub n: f64,
}

/// Steps into which an increment is divided, each of them extrapolated.
const STEPS: usize = 4;
/// Extrapolated results of one step: over 1, 2, ... of Euler's.
const ORDER: usize = 4;

impl NonlinearMaxwell {
    /// Catalogue entry.
    pub const INFO: Info = Info {
        name: "nonlinear-maxwell",
        title: "a spring and a dashpot with a power of the rate, in series",
        equations: &["s' = k (e' - sign(s) (|s|/c)^(1/n))"],
        reference: "D. G. Lignos, viscous dampers with axial flexibility; extrapolated Euler of order 4 within each increment",
        parameters: &[
            required("k", Unit::STIFFNESS, Positive, "stiffness of the spring"),
            required("c", POWER_DAMPING, Positive, "stress of the dashpot at unit rate"),
            optional("n", Unit::NONE, Between(0.05, 2.0), 1.0, "exponent of the rate"),
        ],
        ..Info::SPRING_LIKE
    };

    /// From the parameters of the catalogue.
    pub(super) fn new(p: &[f64]) -> Self {
        NonlinearMaxwell { k: p[0], c: p[1], n: p[2] }
    }

    /// The rate of the dashpot at a stress y = s/c, and its slope.
    #[inline]
    fn flow<T: Scalar>(&self, y: T) -> (T, T) {
        let size = y.abs();
        // A power below one has a vertical slope at zero.
        let slope = size.max(T::constant(1e-9)).powf(1.0 / self.n - 1.0) / self.n;
        let flow = zero(size, size, size.max(T::constant(1e-300)).powf(1.0 / self.n));
        (flow * y.sign(), slope)
    }

    /// One step of length `dt` from `y` at the rate `v` that grows by `dv`, as a ratio of the stress to c.
    fn step<T: Scalar>(&self, y: T, (v, dv): (T, T), dt: T) -> T {
        let stiff = self.k / self.c;
        let mut table = [y; ORDER];
        for row in 0..ORDER {
            let parts = (row + 1) as f64;
            let h = dt / parts;
            let mut at = y;
            for i in 0..=row {
                let (flow, slope) = self.flow(at);
                let rate = v + dv * ((i + 1) as f64 / parts);
                at = at + (rate - flow) * h * stiff / (h * slope * stiff + 1.0);
            }
            // Aitken and Neville towards steps of no length.
            let mut value = at;
            for column in 0..row {
                let ratio = parts / (row - column) as f64;
                let better = value + (value - table[column]) / (ratio - 1.0);
                table[column] = value;
                value = better;
            }
            table[row] = value;
        }
        table[ORDER - 1]
    }
}

impl Uniaxial<4> for NonlinearMaxwell {
    /// Strain, time, rate and stress.
    fn start(&self) -> [f64; 4] {
        [0.0; 4]
    }

    #[inline]
    fn advance<T: Scalar>(&self, &[ec, tc, vc, sc]: &[T; 4], e: T, pace: &Pace<T>) -> (T, [T; 4]) {
        let dt = pace.t - tc;
        // Rates at the beginning and at the end; without them that of the increment at both.
        let mean = zero(dt, vc, (e - ec) / divisor(dt));
        let (first, last) = pace.rate.map_or((mean, mean), |rate| (vc, rate));
        let mut y = sc / self.c;
        for i in 0..STEPS {
            let at = |x: f64| first + (last - first) * (x / STEPS as f64);
            y = self.step(y, (at(i as f64), (last - first) / STEPS as f64), dt / STEPS as f64);
        }
        // Without time the spring alone is strained.
        let s = zero(dt, sc + (e - ec) * self.k, y * self.c);
        (s, [e, pace.t, last, s])
    }
}
