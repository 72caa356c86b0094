//! Friction of bearings: a slider on a plane or on a sphere, and the return of a force to a circle (book: frames 3).
//!
//! Sliding displacement u of the slider against the plate, rotation th of the plate, compression P along the axis:
//!
//! ```text
//! N = max(0, P + q (u/R - th))                pressure on the surface; P alone on a plane that does not turn
//! q = h + N u/R - N th                        R = sqrt(R^2 - other^2) in space
//! h = (k - N/R) (u - up)  returned to |h| <= mu N
//! mu = fast - (fast - slow) exp(-rate |v|),   fast = fast0 - drop tanh(N/force),   v along the surface
//! ```
//!
//! Uplift (N = 0): no force, and the slider follows the plate above; when it lands it holds on there.
//! M. C. Constantinou, A. Mokha, A. M. Reinhorn, J. Struct. Eng. 116(2), 1990 (friction and rate); M. C. Constantinou et al., MCEER-99-0002
//! (pressure). N contains q, q contains N: a few passes.

use super::Evaluate;
use super::bearing::Sheared;
use crate::Scalar;
use crate::uniaxial::divisor;

/// A coefficient of friction that depends on rate and pressure.
#[derive(Clone, Copy, Debug)]
pub struct Friction {
    /// At rest.
    pub slow: f64,
    /// At high rates, without pressure.
    pub fast: f64,
    /// How soon it changes with the rate, s/m.
    pub rate: f64,
    /// How much less it is at high rates under high pressure.
    pub drop: f64,
    /// Force at which most of this is reached, N.
    pub force: f64,
}

impl Friction {
    /// Coulomb's: one number.
    pub fn constant(mu: f64) -> Self {
        Friction { slow: mu, fast: mu, rate: 0.0, drop: 0.0, force: 1.0 }
    }

    /// Whether it depends on the rate.
    pub fn varies(&self) -> bool {
        self.rate > 0.0 && (self.fast != self.slow || self.drop > 0.0)
    }

    /// The coefficient at a rate and a pressure, and its slopes over both.
    fn at<T: Scalar>(&self, by: &impl Evaluate<T>, v: T, n: T) -> (T, T, T) {
        let nil = T::constant(0.0);
        if !self.varies() {
            return (T::constant(self.slow), nil, nil);
        }
        let one = T::constant(1.0);
        // Of a pressure, which is not negative.
        let less = by.exp(n * (-2.0 / self.force));
        let (tanh, decay) = ((one - less) / (one + less), by.exp(v * -self.rate));
        let fast = tanh * -self.drop + self.fast;
        let steep = (T::constant(1.0) - tanh * tanh) * (-self.drop / self.force);
        let by_pressure = steep * (T::constant(1.0) - decay);
        (fast - (fast - self.slow) * decay, (fast - self.slow) * decay * self.rate, by_pressure)
    }
}

/// A slider.
#[derive(Clone, Copy, Debug)]
pub struct Slider {
    /// One over the effective radius of the sphere, 1/m; zero on a plane.
    pub curvature: f64,
    /// Stiffness before sliding, N/m.
    pub stiffness: f64,
    /// Its friction.
    pub friction: Friction,
}

/// Where it holds on, its force and its pressure.
pub(super) const MEMORY: usize = 5;
/// Passes between the force and the pressure that it makes; each is better by the slope of the sphere times the friction.
const PASSES: usize = 8;

impl Slider {
    /// Curvatures along y and z at these displacements.
    fn curvatures<T: Scalar>(&self, u: [T; 2], space: bool) -> [T; 2] {
        let c = self.curvature;
        let of = |other: T| match space && c > 0.0 {
            true => T::constant(c) / (T::constant(1.0) - other * other * (c * c)).sqrt(),
            false => T::constant(c),
        };
        [of(u[1]), of(u[0])]
    }

    /// Rate along the surface: on a sphere the slider also rises.
    fn rate<T: Scalar>(&self, (u, v): ([T; 2], [T; 2]), curvature: [T; 2]) -> T {
        let rise = u[0] * curvature[0] * v[0] + u[1] * curvature[1] * v[1];
        (rise * rise + v[0] * v[0] + v[1] * v[1]).sqrt()
    }

    /// Forces at the displacements and rates `u`, `v` on a plate with the rotations `turns`.
    pub(super) fn sheared<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (u, v): ([T; 2], [T; 2]),
        turns: [T; 2],
        (axial, space): (T, bool),
        (memory, next): (&[T], &mut [T]),
    ) -> Sheared<T> {
        let nil = T::constant(0.0);
        let (c, plastic) = (self.curvatures(u, space), [memory[0], memory[1]]);
        let lean = [0, 1].map(|i| u[i] * c[i] - turns[i]);
        let rate = if self.friction.varies() { self.rate((u, v), c) } else { nil };
        let mut force = [memory[2], memory[3]];
        let (mut pressure, mut strength, mut back) = (nil, nil, returned([nil; 2], nil, u, u));
        for _ in 0..PASSES {
            pressure = (force[0] * lean[0] + force[1] * lean[1] - axial).max(nil);
            let (mu, _, by_pressure) = self.friction.at(by, rate, pressure);
            strength = mu + by_pressure * pressure;
            back = returned(c.map(|c| -(c * pressure) + self.stiffness), mu * pressure, u, plastic);
            force = [0, 1].map(|i| pressure.greater(nil, back.force[i] + pressure * lean[i], nil));
        }
        let pressed = |then: T, lifted: T| pressure.greater(nil, then, lifted);
        let tangent = tangent(force, lean, c, (pressure, strength), &back);
        // Before any load acts it has its stiffness, else nothing could be loaded; lifted off it has none.
        let at_rest = axial.abs().greater(nil, nil, T::constant(self.stiffness));
        next[..2].copy_from_slice(&[0, 1].map(|i| pressed(back.plastic[i], u[i])));
        next[2..4].copy_from_slice(&force);
        next[4] = pressure;
        Sheared {
            force,
            stiffness: [0, 1]
                .map(|i| [0, 1].map(|j| pressed(tangent.stiffness[i][j], if i == j { at_rest } else { nil }))),
            axial: tangent.axial.map(|x| pressed(x, nil)),
            turns: tangent.turns.map(|row| row.map(|x| pressed(x, nil))),
        }
    }

    /// How the forces change with the rates, at the pressure of the last committed point.
    pub(super) fn damping<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (u, v): ([T; 2], [T; 2]),
        memory: &[T],
    ) -> [[T; 2]; 2] {
        let nil = T::constant(0.0);
        let (slip, pressure) = ([u[0] - memory[0], u[1] - memory[1]], memory[4]);
        let size = (slip[0] * slip[0] + slip[1] * slip[1]).sqrt();
        let rate = self.rate((u, v), [T::constant(self.curvature); 2]);
        let (mu, slope, _) = self.friction.at(by, rate, pressure);
        let held = (pressure * -self.curvature + self.stiffness) * size;
        let f = pressure * slope / (divisor(size) * divisor(rate));
        [0, 1].map(|i| [0, 1].map(|j| held.greater(mu * pressure, f * slip[i] * v[j], nil)))
    }
}

/// The tangent with the pressure following the force: dN (1 - lean g) = -dP + q dlean + lean (K du - N dth), g the change of the force with N.
fn tangent<T: Scalar>(
    force: [T; 2],
    lean: [T; 2],
    c: [T; 2],
    (pressure, strength): (T, T),
    back: &Returned<T>,
) -> Sheared<T> {
    let g = [0, 1].map(|i| lean[i] + back.by_strength[i] * strength - back.by_stiffness[i] * c[i]);
    let mut k = back.stiffness;
    (0..2).for_each(|i| k[i][i] = k[i][i] + pressure * c[i]);
    let whole = T::constant(1.0) / (T::constant(1.0) - lean[0] * g[0] - lean[1] * g[1]);
    let by_u = [0, 1].map(|j| whole * (force[j] * c[j] + lean[0] * k[0][j] + lean[1] * k[1][j]));
    let by_turn = [0, 1].map(|j| -(whole * (force[j] + lean[j] * pressure)));
    let nil = T::constant(0.0);
    Sheared {
        force,
        stiffness: [0, 1].map(|i| [0, 1].map(|j| k[i][j] + g[i] * by_u[j])),
        axial: g.map(|g| -(g * whole)),
        turns: [0, 1].map(|i| [0, 1].map(|j| g[i] * by_turn[j] - if i == j { pressure } else { nil })),
    }
}

/// A force that was returned to a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returned<T> {
    pub force: [T; 2],
    pub stiffness: [[T; 2]; 2],
    pub plastic: [T; 2],
    /// How the force changes with the strength, and with the stiffness before.
    pub by_strength: [T; 2],
    pub by_stiffness: [T; 2],
}

/// Return on the circle of radius `strength` from the stiffnesses `k0`.
pub(super) fn returned<T: Scalar>(k0: [T; 2], strength: T, u: [T; 2], plastic: [T; 2]) -> Returned<T> {
    let nil = T::constant(0.0);
    let elastic = [0, 1].map(|i| u[i] - plastic[i]);
    let t = [0, 1].map(|i| k0[i] * elastic[i]);
    let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
    let slides = |then: T, holds: T| size.greater(strength, then, holds);
    let over = slides(size, T::constant(1.0));
    let (n, f) = (t.map(|t| t / over), strength / (over * over * over));
    let h = n.map(|n| n * strength);
    let stiffness = [
        [slides(f * k0[0] * t[1] * t[1], k0[0]), slides(-(f * k0[1] * t[0] * t[1]), nil)],
        [slides(-(f * k0[0] * t[0] * t[1]), nil), slides(f * k0[1] * t[0] * t[0], k0[1])],
    ];
    Returned {
        force: [0, 1].map(|i| slides(h[i], t[i])),
        stiffness,
        plastic: [0, 1].map(|i| slides(u[i] - h[i] / divisor(k0[i]), plastic[i])),
        by_strength: n.map(|n| slides(n, nil)),
        by_stiffness: elastic.map(|e| slides(nil, e)),
    }
}
