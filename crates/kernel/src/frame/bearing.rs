//! Bearings: a coupled bilinear shear spring between two plates, a slider on a plane or on a sphere, or a triple friction pendulum, with
//! uniaxial materials along the other directions. Coordinates as those of a member, local x from the first node to the second (book: frames 3).

use super::Tables;
use super::part::{At, strained};
use super::slider::{Returned, Slider, returned};
use super::triple::Triple;
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
    /// A slider on a plane or on a sphere.
    Slider(Slider),
    /// A triple friction pendulum.
    Triple(Triple),
}

impl Shear {
    /// Numbers that it remembers.
    fn memory(&self) -> usize {
        match self {
            Shear::Elastomeric { .. } => 2,
            Shear::Slider(_) => super::slider::MEMORY,
            Shear::Triple(_) => super::triple::MEMORY,
        }
    }
}

/// Shear forces of a bearing, and how they change.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sheared {
    /// Forces along y and z, N.
    pub force: [f64; 2],
    /// By the shear displacements.
    pub stiffness: [[f64; 2]; 2],
    /// By the force along the axis, tension positive.
    pub axial: [f64; 2],
    /// By the rotations of the first plate about z and, negative, about y.
    pub turns: [[f64; 2]; 2],
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

    /// Numbers that it remembers: those of its shear, and the histories of its materials.
    pub fn memory(&self) -> usize {
        self.shear.memory() + self.springs().iter().map(|&(m, _)| self.materials[m].history()).sum::<usize>()
    }

    /// Writes the memory of a bearing that was never moved.
    pub fn start(&self, tables: &Tables<'_>, memory: &mut [f64]) {
        let mut at = self.shear.memory();
        memory[..at].fill(0.0);
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
        let mut first = self.shear.memory();
        let (mut axial, mut stiff) = (0.0, 0.0);
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
                (axial, stiff) = (s, e);
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
        let v: [f64; 2] = core::array::from_fn(|i| at.v.iter().enumerate().map(|(j, v)| rows[i][j] * v).sum());
        let sheared = self.sheared((u, v), axial, at.q, (memory, next));
        let turn = self.turns();
        // How the forces change with each coordinate.
        let mut changes = [[0.0; 12]; 2];
        for (a, change) in changes.iter_mut().enumerate() {
            for b in 0..2 {
                (0..d).for_each(|j| change[j] += sheared.stiffness[a][b] * rows[b][j]);
                if let Some((dof, sign)) = turn[b] {
                    change[dof] += sign * sheared.turns[a][b];
                }
            }
            change[half] += sheared.axial[a] * stiff;
            change[0] -= sheared.axial[a] * stiff;
            for i in 0..d {
                p[i] += rows[a][i] * sheared.force[a];
                (0..d).for_each(|j| k[i * d + j] += rows[a][i] * change[j]);
            }
        }
        self.tilt((axial, stiff), at.q, p, k);
        self.twist(sheared.force, &changes, at.q, p, k);
    }

    /// Rotations of the first plate that lean it along y and along z, with their signs.
    fn turns(&self) -> [Option<(usize, f64)>; 2] {
        if self.space { [Some((5, 1.0)), Some((4, -1.0))] } else { [Some((2, 1.0)), None] }
    }

    /// How the shear forces change with the rates of the coordinates, `c` by rows.
    pub fn damping(&self, memory: &[f64], at: At<'_>, c: &mut [f64]) {
        let Shear::Slider(slider) = &self.shear else { return };
        let (d, rows) = (self.size(), self.rows());
        let u: [f64; 2] = core::array::from_fn(|i| (0..d).map(|j| rows[i][j] * at.q[j]).sum());
        let v: [f64; 2] = core::array::from_fn(|i| at.v.iter().enumerate().map(|(j, v)| rows[i][j] * v).sum());
        let by_rate = slider.damping((u, v), memory);
        for i in 0..d {
            for j in 0..d {
                let pairs = (0..4).map(|n| rows[n / 2][i] * by_rate[n / 2][n % 2] * rows[n % 2][j]);
                c[i * d + j] = pairs.sum();
            }
        }
    }

    /// Whether its forces depend on the rates of its coordinates.
    pub fn viscous(&self) -> bool {
        matches!(&self.shear, Shear::Slider(slider) if slider.friction.varies())
    }

    /// Shear forces at the displacements and rates of the shear under the axial force.
    fn sheared(
        &self,
        (u, v): ([f64; 2], [f64; 2]),
        axial: f64,
        q: &[f64],
        (memory, next): (&[f64], &mut [f64]),
    ) -> Sheared {
        match &self.shear {
            Shear::Elastomeric { stiffness, strength, linear, growing, exponent } => {
                let k0 = (1.0 - linear) * stiffness;
                let Returned { mut force, stiffness: mut tangent, plastic, .. } =
                    returned([k0; 2], *strength, u, [memory[0], memory[1]]);
                for i in 0..2 {
                    let power = libm::pow(u[i].abs(), *exponent);
                    force[i] += linear * stiffness * u[i] + growing * stiffness * u[i].signum() * power;
                    let steep = if u[i] == 0.0 { 0.0 } else { exponent * power / u[i].abs() };
                    tangent[i][i] += linear * stiffness + growing * stiffness * steep;
                }
                next[..2].copy_from_slice(&plastic);
                Sheared { force, stiffness: tangent, axial: [0.0; 2], turns: [[0.0; 2]; 2] }
            }
            Shear::Slider(slider) => {
                let turns = self.turns().map(|turn| turn.map_or(0.0, |(dof, sign)| sign * q[dof]));
                slider.sheared((u, v), turns, (axial, self.space), (memory, next))
            }
            Shear::Triple(triple) => triple.sheared(u, axial, (memory, next)),
        }
    }

    /// Torque of the shear forces on the displaced plates, in space: of the sliding to the plate on which it slides, of the lever arms to the
    /// other; for a triple pendulum half to each. `changes` says how the forces change with each coordinate.
    fn twist(&self, force: [f64; 2], changes: &[[f64; 12]; 2], q: &[f64], p: &mut [f64], k: &mut [f64]) {
        if !self.space || matches!(self.shear, Shear::Elastomeric { .. }) {
            return;
        }
        let mut sway = [[0.0; 12]; 2];
        for (row, dof) in sway.iter_mut().zip([1, 2]) {
            (row[dof], row[6 + dof]) = (-1.0, 1.0);
        }
        let rows = self.rows();
        let slides = matches!(self.shear, Shear::Slider(_));
        for (at, share) in [(3, [0.0, 1.0]), (9, [1.0, -1.0])] {
            // Displacements y and z whose torque acts on this plate, over the coordinates.
            let share = if slides { share } else { [0.5, 0.0] };
            let by: [[f64; 12]; 2] =
                core::array::from_fn(|a| core::array::from_fn(|j| share[0] * sway[a][j] + share[1] * rows[a][j]));
            let [y, z] = by.map(|row| (0..12).map(|j| row[j] * q[j]).sum::<f64>());
            p[at] += z * force[0] - y * force[1];
            for j in 0..12 {
                k[at * 12 + j] += z * changes[0][j] - y * changes[1][j] + by[1][j] * force[0] - by[0][j] * force[1];
            }
        }
    }

    /// Moments of the axial force on the displaced plates: half to each end, or for a slider all to the first, on which it slides.
    fn tilt(&self, (axial, stiff): (f64, f64), q: &[f64], p: &mut [f64], k: &mut [f64]) {
        let (d, half) = (self.size(), self.size() / 2);
        let (a, b) = (self.shear_distance * self.length, (1.0 - self.shear_distance) * self.length);
        let planes: &[(usize, usize, f64)] = if self.space { &[(1, 5, 1.0), (2, 4, -1.0)] } else { &[(1, 2, 1.0)] };
        for &(dof, turn, sign) in planes {
            // Arms of the axial force about both ends, by the coordinates (sway, rotation of each end).
            let (first, second) = match self.shear {
                Shear::Elastomeric { .. } => ([0.5 * sign, 0.5 * a, -0.5 * b], [0.5 * sign, -0.5 * a, 0.5 * b]),
                Shear::Slider(_) => ([sign, 0.0, -b], [0.0, 0.0, b]),
                Shear::Triple(_) => ([0.5 * sign, 0.0, 0.0], [0.5 * sign, 0.0, 0.0]),
            };
            let on = [(half + dof, 1.0, 0), (dof, -1.0, 0), (turn, 1.0, 1), (half + turn, 1.0, 2)];
            for (row, arms) in [(turn, first), (half + turn, second)] {
                let arm: f64 = on.iter().map(|&(j, f, i)| f * arms[i] * q[j]).sum();
                p[row] += axial * arm;
                on.iter().for_each(|&(j, f, i)| k[row * d + j] += axial * f * arms[i]);
                k[row * d + half] += stiff * arm;
                k[row * d] -= stiff * arm;
            }
        }
    }
}
