//! Bearings: a coupled bilinear shear spring between two plates, or a friction pendulum, with uniaxial materials along the other
//! directions. Coordinates as those of a member, local x from the first node to the second (book: frames 5).

use super::part::{At, strained};
use super::{Evaluate, Tables};
use crate::Scalar;
use crate::uniaxial::material::Material;
use crate::uniaxial::{divisor, zero};

/// What carries the shear.
#[derive(Clone, Copy, Debug)]
pub enum Shear {
    /// Bilinear, coupled on a circle: stiffness before yielding, strength of the hysteretic part, hardening ratios of the linear part and of
    /// the power |u|^mu (Schellenberg, after Constantinou, Mokha and Reinhorn 1990).
    Elastomeric {
        /// Stiffness before yielding, N/m.
        stiffness: f64,
        /// Strength, N.
        strength: f64,
        /// Share of the stiffness that stays after yielding.
        linear: f64,
        /// Share of the stiffness that grows with |u|^mu.
        growing: f64,
        /// Exponent mu.
        exponent: f64,
    },
    /// A slider on a sphere.
    Pendulum {
        /// Effective radius, m.
        radius: f64,
        /// Stiffness before sliding, N/m.
        stiffness: f64,
        /// Coefficient of friction.
        friction: f64,
    },
}

/// A bearing.
#[derive(Clone, Copy, Debug)]
pub struct Bearing {
    /// Whether it stands in space.
    pub space: bool,
    /// Distance of its plates, m; may be zero.
    pub length: f64,
    /// Where the shear acts, as a share of the length from the first node.
    pub shear_distance: f64,
    /// What carries the shear.
    pub shear: Shear,
    /// Axial; torsion, and rotations about y and z (in the plane about z only, the last).
    pub materials: [Material; 4],
}

/// Passes of a pendulum between its force and the pressure that it makes; each is better by the slope of the sphere times the friction.
const PASSES: usize = 8;
/// The materials with their coordinates: difference of the displacement `dof` of both ends.
const AXIAL: usize = 0;

impl Bearing {
    /// Number of coordinates.
    pub fn size(&self) -> usize {
        if self.space { 12 } else { 6 }
    }

    /// Materials in use, with the displacement that they resist.
    fn springs(&self) -> &'static [(usize, usize)] {
        if self.space { &[(AXIAL, 0), (1, 3), (2, 4), (3, 5)] } else { &[(AXIAL, 0), (3, 2)] }
    }

    /// Numbers that it remembers: plastic displacements, shear forces, and the histories of its materials.
    pub fn memory(&self) -> usize {
        4 + self.springs().iter().map(|&(m, _)| self.materials[m].history()).sum::<usize>()
    }

    /// Writes the memory of a bearing that was never moved.
    pub fn start(&self, tables: &Tables<'_>, memory: &mut [f64]) {
        memory[..4].fill(0.0);
        let mut at = 4;
        for &(m, _) in self.springs() {
            let size = self.materials[m].history();
            self.materials[m].start(&tables.library, 1, &mut memory[at..at + size]);
            at += size;
        }
    }

    /// Shear displacements: how they follow the coordinates, one row along y and one along z.
    fn rows<T: Scalar>(&self) -> [[T; 12]; 2] {
        let mut rows = [[0.0; 12]; 2];
        let (half, (a, b)) =
            (self.size() / 2, (self.shear_distance * self.length, (1.0 - self.shear_distance) * self.length));
        let turn = if self.space { 5 } else { 2 };
        (rows[0][1], rows[0][half + 1], rows[0][turn], rows[0][half + turn]) = (-1.0, 1.0, -a, -b);
        if self.space {
            (rows[1][2], rows[1][8], rows[1][4], rows[1][10]) = (-1.0, 1.0, a, b);
        }
        rows.map(|row| row.map(T::constant))
    }

    /// See [`super::part::Part::evaluate`].
    pub fn evaluate<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        at: At<'_, T>,
        p: &mut [T],
        k: &mut [T],
    ) {
        let d = self.size();
        let half = d / 2;
        let nil = T::constant(0.0);
        p[..d].fill(nil);
        k[..d * d].fill(nil);
        let mut first = 4;
        let mut axial = nil;
        for &(m, dof) in self.springs() {
            let range = first..first + self.materials[m].history();
            first = range.end;
            let elongation = at.q[half + dof] - at.q[dof];
            let sign = |i: usize| f64::from(u8::from(i == half + dof)) - f64::from(u8::from(i == dof));
            let pace = at.pace(|i| T::constant(sign(i)), 1.0);
            let (s, e) = strained(by, &self.materials[m], (&memory[range.clone()], &mut next[range]), elongation, pace);
            if m == AXIAL {
                axial = s;
            }
            for (i, f) in [(dof, -1.0), (half + dof, 1.0)] {
                p[i] = p[i] + s * f;
                for (j, g) in [(dof, -1.0), (half + dof, 1.0)] {
                    k[i * d + j] = k[i * d + j] + e * (f * g);
                }
            }
        }
        let rows = self.rows::<T>();
        let u = [0, 1].map(|i| (0..d).fold(nil, |sum, j| sum + rows[i][j] * at.q[j]));
        let (q, stiffness) = self.sheared(by, u, axial, at.q, (memory, next));
        for a in 0..2 {
            for i in 0..d {
                p[i] = p[i] + rows[a][i] * q[a];
                for b in 0..2 {
                    for j in 0..d {
                        k[i * d + j] = k[i * d + j] + rows[a][i] * stiffness[a][b] * rows[b][j];
                    }
                }
            }
        }
        self.tilt(axial, at.q, p);
    }

    /// Shear forces and their stiffness at the displacements `u` under the axial force.
    fn sheared<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        u: [T; 2],
        axial: T,
        q: &[T],
        (memory, next): (&[T], &mut [T]),
    ) -> ([T; 2], [[T; 2]; 2]) {
        let plastic = [memory[0], memory[1]];
        let nil = T::constant(0.0);
        let (force, stiffness, slip) = match self.shear {
            Shear::Elastomeric { stiffness, strength, linear, growing, exponent } => {
                let k0 = T::constant((1.0 - linear) * stiffness);
                let (mut force, mut tangent, slip) = returned([k0; 2], T::constant(strength), u, plastic);
                for i in 0..2 {
                    let power = by.power(u[i].abs(), exponent);
                    force[i] = force[i] + (u[i] * (linear * stiffness) + u[i].sign() * (growing * stiffness) * power);
                    let steep = zero(u[i], nil, power * exponent / divisor(u[i].abs()));
                    tangent[i][i] = tangent[i][i] + (steep * (growing * stiffness) + linear * stiffness);
                }
                (force, tangent, slip)
            }
            Shear::Pendulum { radius, stiffness, friction } => {
                let turns = if self.space { [q[5], -q[4]] } else { [q[2], nil] };
                let reach = |other: T| {
                    if self.space { (-(other * other) + radius * radius).sqrt() } else { T::constant(radius) }
                };
                let r = [reach(u[1]), reach(u[0])];
                // The pressure depends on the force that it gives: from that of the last point, a few passes.
                let (mut force, mut tangent, mut slip) = ([memory[2], memory[3]], [[nil; 2]; 2], u);
                for _ in 0..PASSES {
                    let lean = (0..2).fold(nil, |sum, i| sum + force[i] * (u[i] / r[i] - turns[i]));
                    let pressure = (lean - axial).max(nil);
                    let pressed = |then: T, lifted: T| pressure.greater(nil, then, lifted);
                    let k2 = [pressure / r[0], pressure / r[1]];
                    let k0 = [-k2[0] + stiffness, -k2[1] + stiffness];
                    let (h, mut k, left) = returned(k0, pressure * friction, u, plastic);
                    (0..2).for_each(|i| k[i][i] = k[i][i] + k2[i]);
                    force = [0, 1].map(|i| pressed(h[i] + k2[i] * u[i] - pressure * turns[i], nil));
                    tangent = k.map(|row| row.map(|k| pressed(k, nil)));
                    slip = [0, 1].map(|i| pressed(left[i], u[i]));
                }
                (force, tangent, slip)
            }
        };
        next[..2].copy_from_slice(&slip);
        next[2..4].copy_from_slice(&force);
        (force, stiffness)
    }

    /// Moments of the axial force on the displaced plates: half to each end, or for a pendulum all to the first.
    fn tilt<T: Scalar>(&self, axial: T, q: &[T], p: &mut [T]) {
        let half = self.size() / 2;
        let (a, b) = (self.shear_distance * self.length, (1.0 - self.shear_distance) * self.length);
        let planes: &[(usize, usize, f64)] = if self.space { &[(1, 5, 1.0), (2, 4, -1.0)] } else { &[(1, 2, 1.0)] };
        for &(dof, turn, sign) in planes {
            let sway = axial * (q[half + dof] - q[dof]);
            match self.shear {
                Shear::Elastomeric { .. } => {
                    let lean = axial * (q[turn] * (0.5 * a) - q[half + turn] * (0.5 * b));
                    p[turn] = p[turn] + (sway * (sign * 0.5) + lean);
                    p[half + turn] = p[half + turn] + (sway * (sign * 0.5) - lean);
                }
                Shear::Pendulum { .. } => p[turn] = p[turn] + sway * sign,
            }
        }
    }
}

type Sheared<T> = ([T; 2], [[T; 2]; 2], [T; 2]);

/// Return on the circle of radius `strength`: force, tangent and plastic displacement.
fn returned<T: Scalar>(k0: [T; 2], strength: T, u: [T; 2], plastic: [T; 2]) -> Sheared<T> {
    let t = [0, 1].map(|i| k0[i] * (u[i] - plastic[i]));
    let size = (t[0] * t[0] + t[1] * t[1]).sqrt();
    let slides = |then: T, sticks: T| size.greater(strength, then, sticks);
    let over = slides(size, T::constant(1.0));
    let h = t.map(|t| t * strength / over);
    let f = strength / (over * over * over);
    let nil = T::constant(0.0);
    let tangent = [
        [slides(f * k0[0] * t[1] * t[1], k0[0]), slides(-(f * k0[1] * t[0] * t[1]), nil)],
        [slides(-(f * k0[0] * t[0] * t[1]), nil), slides(f * k0[1] * t[0] * t[0], k0[1])],
    ];
    let plastic = [0, 1].map(|i| slides(u[i] - h[i] / k0[i], plastic[i]));
    ([0, 1].map(|i| slides(h[i], t[i])), tangent, plastic)
}
