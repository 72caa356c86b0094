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

use super::bearing::Sheared;

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
    fn at(&self, v: f64, n: f64) -> (f64, f64, f64) {
        let (tanh, decay) = (libm::tanh(n / self.force), libm::exp(-self.rate * v));
        let fast = self.fast - self.drop * tanh;
        let by_pressure = -self.drop * (1.0 - tanh * tanh) / self.force * (1.0 - decay);
        (fast - (fast - self.slow) * decay, (fast - self.slow) * self.rate * decay, by_pressure)
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
    fn curvatures(&self, u: [f64; 2], space: bool) -> [f64; 2] {
        let c = self.curvature;
        let of = |other: f64| if space { c / libm::sqrt(1.0 - (c * other) * (c * other)) } else { c };
        [of(u[1]), of(u[0])]
    }

    /// Rate along the surface: on a sphere the slider also rises.
    fn rate(&self, (u, v): ([f64; 2], [f64; 2]), curvature: [f64; 2]) -> f64 {
        let rise: f64 = (0..2).map(|i| u[i] * curvature[i] * v[i]).sum();
        libm::sqrt(rise * rise + v[0] * v[0] + v[1] * v[1])
    }

    /// Forces at the displacements and rates `u`, `v` on a plate with the rotations `turns`.
    pub(super) fn sheared(
        &self,
        (u, v): ([f64; 2], [f64; 2]),
        turns: [f64; 2],
        (axial, space): (f64, bool),
        (memory, next): (&[f64], &mut [f64]),
    ) -> Sheared {
        let (c, plastic) = (self.curvatures(u, space), [memory[0], memory[1]]);
        let lean: [f64; 2] = core::array::from_fn(|i| u[i] * c[i] - turns[i]);
        let rate = self.rate((u, v), c);
        let mut force = [memory[2], memory[3]];
        let mut at = None;
        for _ in 0..PASSES {
            let pressure = force[0] * lean[0] + force[1] * lean[1] - axial;
            if pressure <= 0.0 {
                (force, at) = ([0.0; 2], None);
                continue;
            }
            let (mu, _, by_pressure) = self.friction.at(rate, pressure);
            let back = returned(c.map(|c| self.stiffness - c * pressure), mu * pressure, u, plastic);
            force = core::array::from_fn(|i| back.force[i] + pressure * lean[i]);
            at = Some((pressure, mu + by_pressure * pressure, back));
        }
        let (sheared, slip) = match at {
            None => {
                // Before any load acts it has its stiffness, else nothing could be loaded; lifted off it has none.
                let k = if axial == 0.0 { self.stiffness } else { 0.0 };
                (Sheared { force, stiffness: [[k, 0.0], [0.0, k]], axial: [0.0; 2], turns: [[0.0; 2]; 2] }, u)
            }
            Some((pressure, strength, back)) => (tangent(force, lean, c, (pressure, strength), &back), back.plastic),
        };
        next[..2].copy_from_slice(&slip);
        next[2..4].copy_from_slice(&sheared.force);
        next[4] = at.map_or(0.0, |at| at.0);
        sheared
    }

    /// How the forces change with the rates, at the pressure of the last committed point.
    pub(super) fn damping(&self, (u, v): ([f64; 2], [f64; 2]), memory: &[f64]) -> [[f64; 2]; 2] {
        let (slip, pressure) = ([u[0] - memory[0], u[1] - memory[1]], memory[4]);
        let (size, rate) = (libm::hypot(slip[0], slip[1]), self.rate((u, v), [self.curvature; 2]));
        let (mu, slope, _) = self.friction.at(rate, pressure);
        let slides = (self.stiffness - self.curvature * pressure) * size > mu * pressure;
        if !(slides && rate > 0.0 && self.friction.varies()) {
            return [[0.0; 2]; 2];
        }
        core::array::from_fn(|i| core::array::from_fn(|j| pressure * slope * slip[i] / size * v[j] / rate))
    }
}

/// The tangent with the pressure following the force: dN (1 - lean g) = -dP + q dlean + lean (K du - N dth), g the change of the force with N.
fn tangent(force: [f64; 2], lean: [f64; 2], c: [f64; 2], (pressure, strength): (f64, f64), back: &Returned) -> Sheared {
    let g: [f64; 2] = core::array::from_fn(|i| lean[i] + back.by_strength[i] * strength - back.by_stiffness[i] * c[i]);
    let mut k = back.stiffness;
    (0..2).for_each(|i| k[i][i] += pressure * c[i]);
    let whole = 1.0 / (1.0 - lean[0] * g[0] - lean[1] * g[1]);
    let by_u: [f64; 2] = core::array::from_fn(|j| whole * (force[j] * c[j] + lean[0] * k[0][j] + lean[1] * k[1][j]));
    let by_turn: [f64; 2] = core::array::from_fn(|j| -whole * (force[j] + lean[j] * pressure));
    Sheared {
        force,
        stiffness: core::array::from_fn(|i| core::array::from_fn(|j| k[i][j] + g[i] * by_u[j])),
        axial: g.map(|g| -g * whole),
        turns: core::array::from_fn(|i| {
            core::array::from_fn(|j| g[i] * by_turn[j] - if i == j { pressure } else { 0.0 })
        }),
    }
}

/// A force that was returned to a circle.
#[derive(Clone, Copy, Debug)]
pub(super) struct Returned {
    pub force: [f64; 2],
    pub stiffness: [[f64; 2]; 2],
    pub plastic: [f64; 2],
    /// How the force changes with the strength, and with the stiffness before.
    pub by_strength: [f64; 2],
    pub by_stiffness: [f64; 2],
}

/// Return on the circle of radius `strength` from the stiffnesses `k0`.
pub(super) fn returned(k0: [f64; 2], strength: f64, u: [f64; 2], plastic: [f64; 2]) -> Returned {
    let elastic: [f64; 2] = core::array::from_fn(|i| u[i] - plastic[i]);
    let t: [f64; 2] = core::array::from_fn(|i| k0[i] * elastic[i]);
    let size = libm::hypot(t[0], t[1]);
    if size <= strength {
        let stiffness = [[k0[0], 0.0], [0.0, k0[1]]];
        return Returned { force: t, stiffness, plastic, by_strength: [0.0; 2], by_stiffness: elastic };
    }
    let (n, f) = ([t[0] / size, t[1] / size], strength / (size * size * size));
    let force = n.map(|n| n * strength);
    let stiffness =
        [[f * k0[0] * t[1] * t[1], -f * k0[1] * t[0] * t[1]], [-f * k0[0] * t[0] * t[1], f * k0[1] * t[0] * t[0]]];
    let plastic = core::array::from_fn(|i| u[i] - force[i] / k0[i]);
    Returned { force, stiffness, plastic, by_strength: n, by_stiffness: [0.0; 2] }
}
