//! Triple friction pendulum: two outer concave plates and an inner slider with two more concave surfaces (book: frames 3).
//!
//! D. M. Fenz, M. C. Constantinou, EESD 37(2), 2008 (equations and five regimes) and EESD 37(12), 2008 (this series model). With effective
//! radii R1, R2, R3, R4 from below to above, friction mu1, mu2 = mu3, mu4 and travels d1 to d4, three sliders in series carry the same force F:
//!
//! ```text
//! slider       radius      friction   travel
//! inner        R2 + R3     mu2        d1 + d2 + d3 + d4 - (d of both outer)
//! below        R1 - R2     mu1        d1 (R1 - R2)/R1
//! above        R4 - R3     mu4        d4 (R4 - R3)/R4
//!
//! F/N = h + x/R + s (|x| - d)+ x/|x|,   h = mu/uy (x - xp) returned to |h| <= mu,   sum of x = u
//! ```
//!
//! so that F/N depends on displacements alone, whatever the pressure N. The stop has a stiffness s of its own. In both directions the
//! return is on a circle. The x are found as the least of a convex potential, by Newton's iteration with halved steps.
//! Limits: R1 > R2, R4 > R3, mu2 <= mu1 <= mu4 (as built). Uplift: no force, and the sliders come to rest where they are.

use super::bearing::Sheared;
use super::slider::returned;

/// One of the sliders in series.
#[derive(Clone, Copy, Debug)]
pub struct Slide {
    /// Effective radius, m.
    pub radius: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Travel to the stop, m.
    pub travel: f64,
}

/// A triple friction pendulum.
#[derive(Clone, Copy, Debug)]
pub struct Triple {
    /// Inner slider, outer one below, outer one above.
    pub slides: [Slide; 3],
    /// Displacement of each slider before it slides, m.
    pub yielding: f64,
    /// Weight that it carries, N: for its stiffness before any load acts.
    pub weight: f64,
}

/// Displacements of the sliders, and where they hold on.
pub(super) const MEMORY: usize = 12;
/// Most steps of the iteration; it needs a few.
const STEPS: usize = 60;
/// Most halvings of a step.
const HALVINGS: usize = 30;

type Vector = [f64; 2];
type Square = [[f64; 2]; 2];

impl Triple {
    /// From the radii, coefficients of friction (of the second and third surface one) and travels of the surfaces, from below to above.
    pub fn new(r: [f64; 4], mu: [f64; 3], d: [f64; 4], (yielding, weight): (f64, f64)) -> Self {
        let outer = [d[0] * (r[0] - r[1]) / r[0], d[3] * (r[3] - r[2]) / r[3]];
        let inner = d.iter().sum::<f64>() - outer[0] - outer[1];
        let slides = [
            Slide { radius: r[1] + r[2], friction: mu[1], travel: inner },
            Slide { radius: r[0] - r[1], friction: mu[0], travel: outer[0] },
            Slide { radius: r[3] - r[2], friction: mu[2], travel: outer[1] },
        ];
        Triple { slides, yielding, weight }
    }

    /// Stiffness of a stop over the pressure, 1/m: as stiff as the stiffest slider that holds on.
    fn stop(&self) -> f64 {
        self.slides.iter().fold(0.0, |m: f64, s| m.max(s.friction)) / self.yielding
    }

    /// Force over pressure of a slider, its stiffness, where it holds on, and its potential.
    fn slide(&self, i: usize, x: Vector, held: Vector) -> (Vector, Square, Vector, f64) {
        let Slide { radius, friction, travel } = self.slides[i];
        // A slider without friction rolls.
        let k0 = friction.max(1e-9) / self.yielding;
        let back = returned([k0; 2], friction, x, held);
        let (mut force, mut k) = (back.force, back.stiffness);
        let trial = k0 * libm::hypot(x[0] - held[0], x[1] - held[1]);
        let mut potential =
            if trial <= friction { 0.5 * trial * trial / k0 } else { friction / k0 * (trial - 0.5 * friction) };
        let size = libm::hypot(x[0], x[1]);
        potential += 0.5 * size * size / radius;
        for a in 0..2 {
            force[a] += x[a] / radius;
            k[a][a] += 1.0 / radius;
        }
        let beyond = size - travel;
        if beyond > 0.0 {
            let s = self.stop();
            potential += 0.5 * s * beyond * beyond;
            for a in 0..2 {
                force[a] += s * beyond * x[a] / size;
                k[a][a] += s * beyond / size;
                for b in 0..2 {
                    k[a][b] += s * (1.0 - beyond / size) * x[a] * x[b] / (size * size);
                }
            }
        }
        (force, k, back.plastic, potential)
    }

    /// Forces at the displacement `u` under an axial force.
    pub fn sheared(&self, u: Vector, axial: f64, (memory, next): (&[f64], &mut [f64])) -> Sheared<f64> {
        let held: [Vector; 3] = core::array::from_fn(|i| [memory[6 + 2 * i], memory[7 + 2 * i]]);
        let mut x: [Vector; 3] = core::array::from_fn(|i| [memory[2 * i], memory[2 * i + 1]]);
        let all = |x: &[Vector; 3]| -> [(Vector, Square, Vector, f64); 3] {
            core::array::from_fn(|i| self.slide(i, x[i], held[i]))
        };
        let mut now = all(&x);
        let mut stiffness = [[0.0; 2]; 2];
        for step in 0..=STEPS {
            let give = now.map(|s| inverse(s.1));
            stiffness = inverse(core::array::from_fn(|a| core::array::from_fn(|b| give.iter().map(|g| g[a][b]).sum())));
            // The force that all would carry with these stiffnesses.
            let gap: Vector =
                core::array::from_fn(|a| u[a] - (0..3).map(|i| x[i][a] - dot(&give[i][a], &now[i].0)).sum::<f64>());
            let common: Vector = core::array::from_fn(|a| dot(&stiffness[a], &gap));
            let way: [Vector; 3] = core::array::from_fn(|i| {
                let missing = core::array::from_fn(|a| common[a] - now[i].0[a]);
                core::array::from_fn(|a| dot(&give[i][a], &missing))
            });
            let size = |v: &[Vector; 3]| v.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
            if size(&way) <= 1e-15 * (size(&x) + self.yielding) || step == STEPS {
                break;
            }
            // The first step closes the sum; from then on every step lowers the potential.
            let before: f64 = now.iter().map(|s| s.3).sum();
            let mut share = 1.0;
            for _ in 0..HALVINGS {
                let there = core::array::from_fn(|i| core::array::from_fn(|a| x[i][a] + share * way[i][a]));
                let trial = all(&there);
                let slack = 1e-15 * before.abs();
                if step == 0 || trial.iter().map(|s| s.3).sum::<f64>() <= before + slack {
                    (x, now) = (there, trial);
                    break;
                }
                share *= 0.5;
            }
        }
        let pressure = (-axial).max(0.0);
        for i in 0..3 {
            next[2 * i..2 * i + 2].copy_from_slice(&x[i]);
            // Lifted off, it holds on nowhere.
            next[6 + 2 * i..8 + 2 * i].copy_from_slice(if pressure > 0.0 { &now[i].2 } else { &x[i] });
        }
        let over: Vector = core::array::from_fn(|a| now.iter().map(|s| s.0[a]).sum::<f64>() / 3.0);
        let compressed = if pressure > 0.0 { 1.0 } else { 0.0 };
        let stiff = if axial == 0.0 { self.weight } else { pressure };
        Sheared {
            force: over.map(|f| pressure * f),
            stiffness: stiffness.map(|row| row.map(|k| stiff * k)),
            axial: over.map(|f| -compressed * f),
            turns: [[0.0; 2]; 2],
        }
    }
}

fn dot(a: &Vector, b: &Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

fn inverse([[a, b], [c, d]]: Square) -> Square {
    let f = 1.0 / (a * d - b * c);
    [[d * f, -b * f], [-c * f, a * f]]
}
