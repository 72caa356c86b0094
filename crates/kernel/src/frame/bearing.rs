//! Bearings: a coupled bilinear shear spring between two plates, or a friction pendulum, with uniaxial materials along the other
//! directions. Coordinates as those of a member, local x from the first node to the second (book: frames 5).

use super::Tables;
use super::part::{At, strained};
use crate::uniaxial::material::Material;

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
    fn rows(&self) -> [[f64; 12]; 2] {
        let mut rows = [[0.0; 12]; 2];
        let (half, (a, b)) =
            (self.size() / 2, (self.shear_distance * self.length, (1.0 - self.shear_distance) * self.length));
        let turn = if self.space { 5 } else { 2 };
        (rows[0][1], rows[0][half + 1], rows[0][turn], rows[0][half + turn]) = (-1.0, 1.0, -a, -b);
        if self.space {
            (rows[1][2], rows[1][8], rows[1][4], rows[1][10]) = (-1.0, 1.0, a, b);
        }
        rows
    }

    /// See [`super::part::Part::evaluate`].
    pub fn evaluate(
        &self,
        tables: &Tables<'_>,
        (memory, next): (&[f64], &mut [f64]),
        at: At<'_>,
        p: &mut [f64],
        k: &mut [f64],
    ) {
        let d = self.size();
        let half = d / 2;
        p[..d].fill(0.0);
        k[..d * d].fill(0.0);
        let mut first = 4;
        let mut axial = 0.0;
        for &(m, dof) in self.springs() {
            let size = self.materials[m].history();
            let range = first..first + size;
            let sign = |i: usize| f64::from(u8::from(i == half + dof)) - f64::from(u8::from(i == dof));
            let (s, e) = strained(
                tables,
                &self.materials[m],
                (&memory[range.clone()], &mut next[range]),
                at.q[half + dof] - at.q[dof],
                at.pace(sign, 1.0),
            );
            first += size;
            if m == AXIAL {
                axial = s;
            }
            for (i, f) in [(dof, -1.0), (half + dof, 1.0)] {
                p[i] += f * s;
                for (j, g) in [(dof, -1.0), (half + dof, 1.0)] {
                    k[i * d + j] += f * g * e;
                }
            }
        }
        let rows = self.rows();
        let u: [f64; 2] = core::array::from_fn(|i| (0..d).map(|j| rows[i][j] * at.q[j]).sum());
        let (q, stiffness) = self.sheared(u, axial, at.q, (memory, next));
        for a in 0..2 {
            for i in 0..d {
                p[i] += rows[a][i] * q[a];
                for b in 0..2 {
                    for j in 0..d {
                        k[i * d + j] += rows[a][i] * stiffness[a][b] * rows[b][j];
                    }
                }
            }
        }
        self.tilt(axial, at.q, p);
    }

    /// Shear forces and their stiffness at the displacements `u` under the axial force.
    fn sheared(
        &self,
        u: [f64; 2],
        axial: f64,
        q: &[f64],
        (memory, next): (&[f64], &mut [f64]),
    ) -> ([f64; 2], [[f64; 2]; 2]) {
        let plastic = [memory[0], memory[1]];
        let identity = |x: f64| [[x, 0.0], [0.0, x]];
        let (force, stiffness, slip) = match self.shear {
            Shear::Elastomeric { stiffness, strength, linear, growing, exponent } => {
                let k0 = (1.0 - linear) * stiffness;
                let (h, mut tangent, slip) = returned([k0; 2], strength, u, plastic);
                let mut force = h;
                for i in 0..2 {
                    let power = libm::pow(u[i].abs(), exponent);
                    force[i] += linear * stiffness * u[i] + growing * stiffness * u[i].signum() * power;
                    let steep = if u[i] == 0.0 { 0.0 } else { exponent * power / u[i].abs() };
                    tangent[i][i] += linear * stiffness + growing * stiffness * steep;
                }
                (force, tangent, slip)
            }
            Shear::Pendulum { radius, stiffness, friction } => {
                let turns = if self.space { [q[5], -q[4]] } else { [q[2], 0.0] };
                let reach = |other: f64| if self.space { libm::sqrt(radius * radius - other * other) } else { radius };
                let r = [reach(u[1]), reach(u[0])];
                // The pressure depends on the force that it gives: from that of the last point, a few passes.
                let (mut force, mut tangent, mut slip) = ([memory[2], memory[3]], identity(0.0), u);
                for _ in 0..PASSES {
                    let lean: f64 = (0..2).map(|i| force[i] * (u[i] / r[i] - turns[i])).sum();
                    let pressure = (lean - axial).max(0.0);
                    if pressure == 0.0 {
                        (force, tangent, slip) = ([0.0; 2], identity(0.0), u);
                        continue;
                    }
                    let k2 = [pressure / r[0], pressure / r[1]];
                    let (h, k, left) =
                        returned([stiffness - k2[0], stiffness - k2[1]], friction * pressure, u, plastic);
                    force = core::array::from_fn(|i| h[i] + k2[i] * u[i] - pressure * turns[i]);
                    (tangent, slip) = (k, left);
                    (0..2).for_each(|i| tangent[i][i] += k2[i]);
                }
                (force, tangent, slip)
            }
        };
        next[..2].copy_from_slice(&slip);
        next[2..4].copy_from_slice(&force);
        (force, stiffness)
    }

    /// Moments of the axial force on the displaced plates: half to each end, or for a pendulum all to the first.
    fn tilt(&self, axial: f64, q: &[f64], p: &mut [f64]) {
        let half = self.size() / 2;
        let (a, b) = (self.shear_distance * self.length, (1.0 - self.shear_distance) * self.length);
        let planes: &[(usize, usize, f64)] = if self.space { &[(1, 5, 1.0), (2, 4, -1.0)] } else { &[(1, 2, 1.0)] };
        for &(dof, turn, sign) in planes {
            let sway = q[half + dof] - q[dof];
            let (i, j) = (q[turn], q[half + turn]);
            match self.shear {
                Shear::Elastomeric { .. } => {
                    p[turn] += sign * 0.5 * axial * sway + 0.5 * axial * a * i - 0.5 * axial * b * j;
                    p[half + turn] += sign * 0.5 * axial * sway - 0.5 * axial * a * i + 0.5 * axial * b * j;
                }
                Shear::Pendulum { .. } => p[turn] += sign * axial * sway,
            }
        }
    }
}

/// Return on the circle of radius `strength`: force, tangent and plastic displacement.
fn returned(k0: [f64; 2], strength: f64, u: [f64; 2], plastic: [f64; 2]) -> ([f64; 2], [[f64; 2]; 2], [f64; 2]) {
    let t: [f64; 2] = core::array::from_fn(|i| k0[i] * (u[i] - plastic[i]));
    let size = libm::hypot(t[0], t[1]);
    if size <= strength {
        return (t, [[k0[0], 0.0], [0.0, k0[1]]], plastic);
    }
    let h = [t[0] * strength / size, t[1] * strength / size];
    let f = strength / (size * size * size);
    let tangent =
        [[f * k0[0] * t[1] * t[1], -f * k0[1] * t[0] * t[1]], [-f * k0[0] * t[0] * t[1], f * k0[1] * t[0] * t[0]]];
    (h, tangent, core::array::from_fn(|i| u[i] - h[i] / k0[i]))
}
