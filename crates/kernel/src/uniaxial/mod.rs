//! Uniaxial materials: stress from strain and history, one file each (book: frames 1).
//!
//! A material is a *map*: from its history at the last committed point and the new strain it gives the stress and the new
//! history. It depends on the points at which it is evaluated and on nothing between them. The history is explicit, a few
//! numbers that belong to the memory of the system, so that a trial is thrown away by not keeping it.
//!
//! Both sides of every selection are computed; so each division, power and root is harmless on the side not taken.
//! Signs: tension positive. Strain and stress may as well be elongation and force of a spring.
//! **Must not be here:** sections, members, time stepping.

pub mod bilinear;
pub mod combined;
pub mod elastic;
pub mod elastic_plastic;
pub mod formula;
pub mod gap;
pub mod hardening;
pub mod kent_park;
pub mod kent_park_tension;
pub mod limits;
pub mod material;
pub mod maxwell;
pub mod menegotto_pinto;
pub mod no_tension;
pub mod nonlinear_maxwell;
pub mod pinching;
pub mod self_centring;
pub mod viscous;

use crate::{Dual, Scalar};

/// A uniaxial material with a history of H numbers.
pub trait Uniaxial<const H: usize> {
    /// The history of a material that was never strained.
    fn start(&self) -> [f64; H];

    /// The stress at strain `e`, reached in one increment from the committed history `h` at this pace, and the history there.
    fn advance<T: Scalar>(&self, h: &[T; H], e: T, pace: &Pace<T>) -> (T, [T; H]);

    /// The same with the tangent, which is that of the branch on which the increment ends. Materials that make up most fibres write it
    /// down; of others it is the derivative of [`Uniaxial::advance`].
    #[inline]
    fn respond<T: Scalar>(&self, h: &[T; H], e: T, pace: &Pace<T>) -> (T, T, [T; H]) {
        let fixed = |re: T| Dual { re, eps: T::constant(0.0) };
        let (stress, history) = self.advance(&h.map(fixed), Dual { re: e, eps: T::constant(1.0) }, &pace.fixed());
        (stress.re, stress.eps, history.map(|h| h.re))
    }
}

/// When a material is strained, and how fast.
#[derive(Clone, Copy, Debug)]
pub struct Pace<T> {
    /// Time, s.
    pub t: T,
    /// Rate of the strain, 1/s. `None` where only strains are known, in fibres: the rate is then that of the increment.
    pub rate: Option<T>,
    /// Rate below which a viscous force is linear unless the material says another; zero where the scheme iterates and can follow
    /// a power of the rate through zero.
    pub calm: f64,
}

impl<T: Scalar> Pace<T> {
    /// At a time, with the strains alone.
    pub fn at(t: f64) -> Self {
        Pace { t: T::constant(t), rate: None, calm: 0.0 }
    }

    /// The same without derivatives.
    #[inline]
    pub fn fixed(&self) -> Pace<Dual<T>> {
        let fixed = |re: T| Dual { re, eps: T::constant(0.0) };
        Pace { t: fixed(self.t), rate: self.rate.map(fixed), calm: self.calm }
    }
}

/// The rate at the end of an increment from (strain, time, rate), and these three there: the rate that is known, else that of the
/// increment; without time it stays.
#[inline]
fn strain_rate<T: Scalar>(&[ec, tc, vc]: &[T; 3], e: T, pace: &Pace<T>) -> (T, [T; 3]) {
    let dt = pace.t - tc;
    let rate = pace.rate.unwrap_or_else(|| zero(dt, vc, (e - ec) / divisor(dt)));
    (rate, [e, pace.t, rate])
}

/// `yes` where `x` is zero, else `no`.
#[inline(always)]
pub(crate) fn zero<T: Scalar>(x: T, yes: T, no: T) -> T {
    x.abs().greater(T::constant(0.0), no, yes)
}

/// `x`, or one where `x` is zero: a divisor on a side that is not taken.
#[inline(always)]
pub(crate) fn divisor<T: Scalar>(x: T) -> T {
    zero(x, T::constant(1.0), x)
}

/// The growth of a yield stress with the range of strains, 1 + a (range / (2 b ey))^0.8 (Filippou, Popov and Bertero 1983).
#[inline(always)]
fn isotropic<T: Scalar>([a, b]: [f64; 2], range: T, ey: f64) -> T {
    if a == 0.0 {
        return T::constant(1.0);
    }
    (range.max(T::constant(0.0)) / (2.0 * b * ey)).powf(0.8) * a + 1.0
}
