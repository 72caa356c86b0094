//! Bearings: a coupled bilinear shear spring between two plates, a slider on a plane or on a sphere, or a triple friction pendulum, with
//! uniaxial materials along the other directions. Coordinates as those of a member, local x from the first node to the second (book: frames 3).

use super::part::{At, strained};
use super::slider::{Returned, Slider, returned};
use super::triple::Triple;
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
pub struct Sheared<T> {
    /// Forces along y and z, N.
    pub force: [T; 2],
    /// By the shear displacements.
    pub stiffness: [[T; 2]; 2],
    /// By the force along the axis, tension positive.
    pub axial: [T; 2],
    /// By the rotations of the first plate about z and, negative, about y.
    pub turns: [[T; 2]; 2],
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

    /// Whether the mean of two of its memories is one: where sliders hold on are numbers, see [`Material::mixes`] for its materials.
    pub fn mixes(&self, tables: &Tables<'_>) -> bool {
        self.springs().iter().all(|&(m, _)| self.materials[m].mixes(&tables.library))
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

    /// Displacements of the shear, or their rates.
    fn shears<T: Scalar>(&self, q: &[T]) -> [T; 2] {
        let rows = self.rows();
        [0, 1].map(|i| combined(&rows[i], q))
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
        let mut first = self.shear.memory();
        let (mut axial, mut stiff) = (nil, nil);
        for &(m, dof) in self.springs() {
            let range = first..first + self.materials[m].history();
            first = range.end;
            let elongation = at.q[half + dof] - at.q[dof];
            let sign = |i: usize| f64::from(u8::from(i == half + dof)) - f64::from(u8::from(i == dof));
            let pace = at.pace(|i| T::constant(sign(i)), 1.0);
            let (s, e) = strained(by, &self.materials[m], (&memory[range.clone()], &mut next[range]), elongation, pace);
            if m == AXIAL {
                (axial, stiff) = (s, e);
            }
            for (i, f) in [(dof, -1.0), (half + dof, 1.0)] {
                p[i] = p[i] + s * f;
                for (j, g) in [(dof, -1.0), (half + dof, 1.0)] {
                    k[i * d + j] = k[i * d + j] + e * (f * g);
                }
            }
        }
        let (rows, motion) = (self.rows(), (self.shears(at.q), self.shears(at.v)));
        let sheared = self.sheared(by, motion, axial, at.q, (memory, next));
        // How the forces change with each coordinate.
        let mut changes = [[nil; 12]; 2];
        for (a, change) in changes.iter_mut().enumerate() {
            for b in 0..2 {
                add_scaled(change, sheared.stiffness[a][b], &rows[b]);
                if let Some((dof, sign)) = self.turns()[b] {
                    change[dof] = change[dof] + sheared.turns[a][b] * sign;
                }
            }
            change[half] = change[half] + sheared.axial[a] * stiff;
            change[0] = change[0] - sheared.axial[a] * stiff;
            for i in (0..d).filter(|&i| rows[a][i] != 0.0) {
                p[i] = p[i] + sheared.force[a] * rows[a][i];
                (0..d).for_each(|j| k[i * d + j] = k[i * d + j] + change[j] * rows[a][i]);
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
    pub fn damping<T: Scalar>(&self, by: &impl Evaluate<T>, memory: &[T], at: At<'_, T>, c: &mut [T]) {
        let Shear::Slider(slider) = &self.shear else { return };
        if !slider.friction.varies() {
            return;
        }
        let (d, rows) = (self.size(), self.rows());
        let by_rate = slider.damping(by, (self.shears(at.q), self.shears(at.v)), memory);
        for i in 0..d {
            for j in 0..d {
                let pairs = (0..4).map(|n| by_rate[n / 2][n % 2] * (rows[n / 2][i] * rows[n % 2][j]));
                c[i * d + j] = pairs.fold(T::constant(0.0), |sum, x| sum + x);
            }
        }
    }

    /// Shear forces at the displacements and rates of the shear under the axial force.
    fn sheared<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (u, v): ([T; 2], [T; 2]),
        axial: T,
        q: &[T],
        (memory, next): (&[T], &mut [T]),
    ) -> Sheared<T> {
        let nil = T::constant(0.0);
        match &self.shear {
            Shear::Elastomeric { stiffness, strength, linear, growing, exponent } => {
                let k0 = T::constant((1.0 - linear) * stiffness);
                let Returned { mut force, stiffness: mut tangent, plastic, .. } =
                    returned([k0; 2], T::constant(*strength), u, [memory[0], memory[1]]);
                for i in 0..2 {
                    let power = by.power(u[i].abs(), *exponent);
                    force[i] = force[i] + (u[i] * (linear * stiffness) + u[i].sign() * (growing * stiffness) * power);
                    let steep = zero(u[i], nil, power * *exponent / divisor(u[i].abs()));
                    tangent[i][i] = tangent[i][i] + (steep * (growing * stiffness) + linear * stiffness);
                }
                next[..2].copy_from_slice(&plastic);
                Sheared { force, stiffness: tangent, axial: [nil; 2], turns: [[nil; 2]; 2] }
            }
            Shear::Slider(slider) => {
                let turns = self.turns().map(|turn| turn.map_or(nil, |(dof, sign)| q[dof] * sign));
                slider.sheared(by, (u, v), turns, (axial, self.space), (memory, next))
            }
            Shear::Triple(triple) => by.triple(triple, u, axial, (memory, next)),
        }
    }

    /// Torque of the shear forces on the displaced plates, in space: of the sliding to the plate on which it slides, of the lever arms to the
    /// other; for a triple pendulum half to each. `changes` says how the forces change with each coordinate.
    fn twist<T: Scalar>(&self, force: [T; 2], changes: &[[T; 12]; 2], q: &[T], p: &mut [T], k: &mut [T]) {
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
            let [y, z] = [0, 1].map(|a| combined(&by[a], q));
            p[at] = p[at] + (z * force[0] - y * force[1]);
            for j in 0..12 {
                let arms = force[0] * by[1][j] - force[1] * by[0][j];
                k[at * 12 + j] = k[at * 12 + j] + (z * changes[0][j] - y * changes[1][j] + arms);
            }
        }
    }

    /// Moments of the axial force on the displaced plates: half to each end, or for a slider all to the first, on which it slides.
    fn tilt<T: Scalar>(&self, (axial, stiff): (T, T), q: &[T], p: &mut [T], k: &mut [T]) {
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
                let arm = on.iter().fold(T::constant(0.0), |sum, &(j, f, i)| sum + q[j] * (f * arms[i]));
                p[row] = p[row] + axial * arm;
                on.iter().for_each(|&(j, f, i)| k[row * d + j] = k[row * d + j] + axial * (f * arms[i]));
                k[row * d + half] = k[row * d + half] + stiff * arm;
                k[row * d] = k[row * d] - stiff * arm;
            }
        }
    }
}

/// A sum of coordinates, over those that count in it.
fn combined<T: Scalar>(row: &[f64; 12], q: &[T]) -> T {
    let terms = q.iter().zip(row).filter(|(_, f)| **f != 0.0);
    terms.fold(T::constant(0.0), |sum, (&q, &f)| sum + q * f)
}

/// x += f row.
fn add_scaled<T: Scalar>(x: &mut [T; 12], f: T, row: &[f64; 12]) {
    for (x, &r) in x.iter_mut().zip(row).filter(|(_, r)| **r != 0.0) {
        *x = *x + f * r;
    }
}
