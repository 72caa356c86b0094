//! Hysteretic laws that evaluations move, instead of a scheme that integrates their states.
//!
//! Such a law remembers the last deformation x at which it was evaluated and its internal variable z there. Each
//! evaluation moves it from there to the new deformation in one increment: this is what a specimen does, and how the
//! partitioned schemes of paper 003 treat the laws of a structure (book: hysteresis 2, partitioned 1.4). It is
//! never moved back, but for the trials of a scheme that iterates, which all begin where the step did.
//!
//! Only laws that do not depend on the rate: their z' is homogeneous in q', so that an increment d is one unit of
//! pseudo-time with the rate d, and the equations of [`Law`] serve both ways.
//! **Must not be here:** equations of a law.

use super::bouc_wen::BoucWen;
use super::modified_bouc_wen::ModifiedBoucWen;
use super::mostaghel::Mostaghel;
use super::{AnyLaw, Element, Law, Lift, Local, Response, Tangent};
use crate::Scalar;
use crate::scalar::Dual;

/// What a law remembers between evaluations: the last deformation and the internal variable there.
pub const MEMORY: usize = 2;

/// Increments in which a law comes from rest to the deformation at which a motion begins: one, as the reference of these laws has
/// it. Its error stays however short the steps are, 2 % of the motion where the start is far beyond yielding, so that whoever
/// starts there is warned.
pub const WAY: u32 = 1;

/// A law that can be moved along a path of deformations.
pub trait PathMoved: Law<1, 1> {
    /// The internal variable after one increment from `x0`, where it is `z`, to `x1`. Unless the law knows better: one
    /// step of the classical Runge-Kutta method in x, which never leaves the bounds of the variable.
    fn moved<T: Scalar>(&self, x0: T, z: T, x1: T) -> T {
        let d = x1 - x0;
        let slope = |x: T, z: T| evaluate(self, x, d, z).g[0];
        let k1 = slope(x0, z);
        let k2 = slope(x0 + d * 0.5, z + k1 * 0.5);
        let k3 = slope(x0 + d * 0.5, z + k2 * 0.5);
        let k4 = slope(x1, z + k3);
        self.bounded(z + (k1 + k2 * 2.0 + k3 * 2.0 + k4) / 6.0)
    }

    /// The variable within the bounds that it has in the exact solution.
    fn bounded<T: Scalar>(&self, z: T) -> T;
}

fn evaluate<T: Scalar, L: Law<1, 1> + ?Sized>(law: &L, q: T, v: T, z: T) -> Response<T, 1, 1> {
    law.response(&Local { t: 0.0, q: [q], v: [v], s: [z] })
}

#[derive(Clone, Copy, Debug)]
enum Kind {
    BoucWen(BoucWen),
    ModifiedBoucWen(ModifiedBoucWen),
    Mostaghel(Mostaghel),
}

/// Sharpness of a yield corner up to which a scheme may integrate the law: a step across a sharper one leaves the variable
/// beyond its strength by the whole step.
const SHARP: f64 = 10.0;

/// A path-moved law as an element: one coordinate, no states, the initial tangent for ever unless the scheme iterates.
///
/// In schemes of one pass the tangent does not follow the path: the slope of the last increment is wrong after a reversal,
/// where the law is stiffer than it, and an operator softer than the law is what makes operator splitting unstable.
#[derive(Clone, Copy, Debug)]
pub struct PathLaw {
    kind: Kind,
    stiffness: f64,
}

impl PathLaw {
    /// Whether the corner of a law is too sharp for a scheme, so that it is moved by evaluations unless told otherwise.
    pub fn preferred(law: &AnyLaw) -> bool {
        match law {
            AnyLaw::BoucWen(Lift(law)) => law.n > SHARP,
            AnyLaw::ModifiedBoucWen(Lift(law)) => law.n > SHARP,
            AnyLaw::Mostaghel(_) => true,
            _ => false,
        }
    }

    /// The path-moved form of a law, if it has one.
    pub fn of(law: &AnyLaw) -> Option<Self> {
        let kind = match law {
            AnyLaw::BoucWen(Lift(law)) => Kind::BoucWen(*law),
            AnyLaw::ModifiedBoucWen(Lift(law)) => Kind::ModifiedBoucWen(*law),
            AnyLaw::Mostaghel(Lift(law)) => Kind::Mostaghel(*law),
            _ => return None,
        };
        // K + R B at rest.
        let [mut k, mut c, mut r, mut a, mut b, mut e] = [[0.0]; 6];
        let out = Tangent { k: &mut k, c: &mut c, r: &mut r, a: &mut a, b: &mut b, e: &mut e };
        law.tangent(0.0, &[0.0], &[0.0], &[0.0], &[0.0], out);
        Some(PathLaw { kind, stiffness: k[0] + r[0] * b[0] })
    }

    /// Its initial stiffness.
    pub fn stiffness(&self) -> f64 {
        self.stiffness
    }

    /// The memory [x z] after an evaluation at the deformation `x`. What is not finite stays so.
    pub fn moved(&self, [x0, z]: [f64; MEMORY], x: f64) -> [f64; MEMORY] {
        if x0.is_finite() && z.is_finite() { self.step([x0, z], x) } else { [x, f64::NAN] }
    }

    /// The memory of a law that has come to the deformation `x` from rest.
    pub fn come(&self, x: f64) -> [f64; MEMORY] {
        self.walk(x, WAY)
    }

    /// The same in so many equal increments.
    pub fn walk(&self, x: f64, increments: u32) -> [f64; MEMORY] {
        let share = |i: u32| f64::from(i) / f64::from(increments);
        (1..=increments).fold([0.0; MEMORY], |memory, i| self.moved(memory, x * share(i)))
    }

    /// [`PathLaw::moved`] in any scalar, from a memory that is finite.
    pub fn step<T: Scalar>(&self, [x0, z]: [T; MEMORY], x: T) -> [T; MEMORY] {
        match &self.kind {
            Kind::BoucWen(law) => [x, law.moved(x0, z, x)],
            Kind::ModifiedBoucWen(law) => [x, law.moved(x0, z, x)],
            Kind::Mostaghel(law) => [x, law.moved(x0, z, x)],
        }
    }

    /// The force with this memory.
    pub fn force<T: Scalar>(&self, [x, z]: [T; MEMORY]) -> T {
        match &self.kind {
            Kind::BoucWen(law) => evaluate(law, x, T::constant(0.0), z).p[0],
            Kind::ModifiedBoucWen(law) => evaluate(law, x, T::constant(0.0), z).p[0],
            Kind::Mostaghel(law) => evaluate(law, x, T::constant(0.0), z).p[0],
        }
    }
}

impl PathLaw {
    /// Slope of the force at `x` along the increment that leads there from this memory.
    pub fn slope(&self, [x0, z]: [f64; MEMORY], x: f64) -> f64 {
        let memory = [Dual::constant(x0), Dual::constant(z)];
        self.force(self.step(memory, Dual { eps: 1.0, ..Dual::constant(x) })).eps
    }
}

impl Element for PathLaw {
    fn size(&self) -> (usize, usize) {
        (1, 0)
    }

    fn has_mass(&self) -> bool {
        false
    }

    /// Of a law that was never evaluated before.
    fn response(&self, _: f64, q: &[f64], _: &[f64], _: &[f64], p: &mut [f64], _: &mut [f64]) {
        p[0] = self.force(self.moved([0.0; MEMORY], q[0]));
    }

    fn tangent(&self, _: f64, _: &[f64], _: &[f64], _: &[f64], _: &[f64], out: Tangent<'_>) {
        out.k[0] = self.stiffness;
        out.c[0] = 0.0;
    }

    fn mass(&self, _: &[f64], m: &mut [f64]) {
        m.fill(0.0);
    }
}
