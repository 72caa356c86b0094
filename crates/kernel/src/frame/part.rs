//! A part of a frame as the assembly sees it: forces and tangent at its coordinates from these and its memory, whatever its kind.
//!
//! Coordinates are linear in the displacements of the nodes; whoever assembles knows axes, offsets and directions.

use super::Tables;
use super::bearing::Bearing;
use super::member::{Member, Spread, supports};
use super::transformation::{Plane, Space, TRIADS, Transformation};
use crate::uniaxial::Pace;
use crate::uniaxial::material::Material;
use crate::{Dual, Portable, Scalar};

/// A part of a frame.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant)]
pub enum Part {
    /// A material between two points. One coordinate: the elongation.
    Spring {
        /// Its material: a stress over a strain, or with area and length one a force over an elongation.
        material: Material,
        /// Area, m².
        area: f64,
        /// Length, m.
        length: f64,
    },
    /// A bar that turns with its ends. Coordinates: displacements of the second end against the first, x along the bar, in the plane or
    /// in space.
    Truss {
        /// Its material.
        material: Material,
        /// Area, m².
        area: f64,
        /// Length, m.
        length: f64,
        /// Coordinates: 2 or 3.
        size: usize,
    },
    /// A member in the plane. Coordinates: (x, y, rz) of both ends in local axes.
    Plane(Member, Transformation),
    /// A member in space. Coordinates: (x, y, z, rx, ry, rz) of both ends in local axes.
    Space(Member, Transformation),
    /// A bearing, with the coordinates of a member in the plane or in space.
    Bearing(Bearing),
}

/// Most coordinates of a part.
pub const SIZE: usize = 12;

/// Where a part is: time, coordinates, and the load spread along it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// Time, s.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Their rates; none means rest.
    pub v: &'a [f64],
    /// Rate of the coordinates below which viscous forces are linear, see [`Pace::calm`].
    pub calm: f64,
    /// Load along a member, N/m in local axes.
    pub load: Spread,
}

impl Part {
    /// Number of coordinates.
    pub fn size(&self) -> usize {
        match self {
            Part::Spring { .. } => 1,
            Part::Truss { size, .. } => *size,
            Part::Plane(..) => 6,
            Part::Space(..) => 12,
            Part::Bearing(bearing) => bearing.size(),
        }
    }

    /// Numbers that it remembers.
    pub fn memory(&self, tables: &Tables<'_>) -> usize {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.history(),
            Part::Plane(member, _) if member.sheared => member.memory::<3, 3>(tables),
            Part::Plane(member, _) => member.memory::<2, 3>(tables),
            Part::Space(member, _) if member.sheared => TRIADS + member.memory::<6, 6>(tables),
            Part::Space(member, _) => TRIADS + member.memory::<4, 6>(tables),
            Part::Bearing(bearing) => bearing.memory(),
        }
    }

    /// Writes the memory of a part that was never moved.
    pub fn start(&self, tables: &Tables<'_>, memory: &mut [f64]) {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.start(&tables.library, 1, memory),
            Part::Plane(member, _) if member.sheared => member.start::<3, 3>(tables, memory),
            Part::Plane(member, _) => member.start::<2, 3>(tables, memory),
            Part::Space(member, _) => {
                let (triads, rest) = memory.split_at_mut(TRIADS);
                Space::start(triads);
                match member.sheared {
                    true => member.start::<6, 6>(tables, rest),
                    false => member.start::<4, 6>(tables, rest),
                }
            }
            Part::Bearing(bearing) => bearing.start(tables, memory),
        }
    }

    /// Moves it from `memory` to `at`: forces `p`, tangent `k` by rows, and the memory there.
    pub fn evaluate(
        &self,
        tables: &Tables<'_>,
        (memory, next): (&[f64], &mut [f64]),
        at: At<'_>,
        p: &mut [f64],
        k: &mut [f64],
    ) {
        match self {
            Part::Spring { material, area, length } => {
                let pace = at.pace(|_| 1.0, *length);
                let (s, e) = strained(tables, material, (memory, next), at.q[0] / length, pace);
                (p[0], k[0]) = (area * s, area / length * e);
            }
            Part::Truss { material, area, length, size } => {
                let (now, strain, direction) = turned(*length, &at.q[..*size]);
                let pace = at.pace(&direction, *length);
                let (s, e) = strained(tables, material, (memory, next), strain, pace);
                for i in 0..*size {
                    p[i] = area * s * direction(i);
                    for j in 0..*size {
                        let along = direction(i) * direction(j);
                        let across = f64::from(u8::from(i == j)) - along;
                        k[i * size + j] = area * e / length * along + area * s / now * across;
                    }
                }
            }
            Part::Plane(member, kind) => {
                let plane = Plane::new(*kind, member.length, &core::array::from_fn(|i| at.q[i]));
                let on = (at.t, &at.load);
                let basic = match member.sheared {
                    true => member.evaluate::<3, 3, f64>(tables, (memory, next), &plane.v, on),
                    false => member.evaluate::<2, 3, f64>(tables, (memory, next), &plane.v, on),
                };
                let (mut forces, tangent) = plane.ends(&basic);
                let [x, y, _] = supports(member.length, &at.load);
                forces[0] += x;
                forces[1] += y;
                forces[4] += y;
                put(&forces, &tangent, p, k);
            }
            Part::Space(member, kind) => {
                let (triads, rest) = memory.split_at(TRIADS);
                let (triads_next, rest_next) = next.split_at_mut(TRIADS);
                triads_next.copy_from_slice(triads);
                let q = core::array::from_fn(|i| at.q[i]);
                let space = Space::new(*kind, member.length, &q, tables, (triads, triads_next));
                let on = (at.t, &at.load);
                let basic = match member.sheared {
                    true => member.evaluate::<6, 6, f64>(tables, (rest, rest_next), &space.v, on),
                    false => member.evaluate::<4, 6, f64>(tables, (rest, rest_next), &space.v, on),
                };
                let (mut forces, tangent) = space.ends(&basic);
                let [x, y, z] = supports(member.length, &at.load);
                forces[0] += x;
                for end in [0, 6] {
                    forces[end + 1] += y;
                    forces[end + 2] += z;
                }
                put(&forces, &tangent, p, k);
            }
            Part::Bearing(bearing) => bearing.evaluate(tables, (memory, next), at, p, k),
        }
    }

    /// Whether its forces depend on the rates of its coordinates.
    pub fn viscous(&self, tables: &Tables<'_>) -> bool {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.viscous(&tables.library),
            Part::Plane(..) | Part::Space(..) | Part::Bearing(_) => false,
        }
    }

    /// How its forces at `at`, reached from `memory`, change with the rates of its coordinates: `c` by rows.
    pub fn damping(&self, tables: &Tables<'_>, memory: &[f64], at: At<'_>, c: &mut [f64]) {
        c.fill(0.0);
        let slope = |material: &Material, e: f64, pace: Pace<Portable<1>>| {
            let mut pace = pace.fixed();
            pace.rate = pace.rate.map(|rate| Dual { eps: Portable([1.0]), ..rate });
            let old = |i: usize| Portable([memory[i]]);
            material.advance(&tables.library, old, Dual::constant(e), &pace, |_, _| ()).eps.0[0]
        };
        match self {
            Part::Spring { material, area, length } => {
                c[0] = area / length * slope(material, at.q[0] / length, at.pace(|_| 1.0, *length));
            }
            Part::Truss { material, area, length, size } => {
                let (_, strain, direction) = turned(*length, &at.q[..*size]);
                let along = area / length * slope(material, strain, at.pace(&direction, *length));
                (0..size * size).for_each(|i| c[i] = along * direction(i / size) * direction(i % size));
            }
            Part::Plane(..) | Part::Space(..) | Part::Bearing(_) => {}
        }
    }
}

/// Present length, strain and direction of a bar that has turned with its ends.
fn turned(length: f64, q: &[f64]) -> (f64, f64, impl Fn(usize) -> f64) {
    let square: f64 = q.iter().map(|x| x * x).sum();
    let now = libm::sqrt(length * length + 2.0 * length * q[0] + square);
    let strain = (2.0 * length * q[0] + square) / (now + length) / length;
    (now, strain, move |i| (q[i] + if i == 0 { length } else { 0.0 }) / now)
}

/// Stress and tangent of one fibre of a material, at a rate of its strain.
pub(super) fn strained(
    tables: &Tables<'_>,
    material: &Material,
    (memory, next): (&[f64], &mut [f64]),
    e: f64,
    pace: Pace<Portable<1>>,
) -> (f64, f64) {
    let strain = Dual { re: Portable([e]), eps: Portable([1.0]) };
    let old = |i: usize| Portable([memory[i]]);
    let s = material.advance(&tables.library, old, strain, &pace.fixed(), |i, x| next[i] = x.0[0]);
    (s.re.0[0], s.eps.0[0])
}

impl At<'_> {
    /// The pace of a strain that is the projection of the coordinates on `direction` over `length`.
    pub(super) fn pace(&self, direction: impl Fn(usize) -> f64, length: f64) -> Pace<Portable<1>> {
        let rate = self.v.iter().enumerate().map(|(i, v)| direction(i) * v).sum::<f64>();
        Pace { t: Portable([self.t]), rate: Some(Portable([rate / length])), calm: self.calm / length }
    }
}

/// Forces and tangent as slices.
fn put<const D: usize>(forces: &[f64; D], tangent: &[[f64; D]; D], p: &mut [f64], k: &mut [f64]) {
    p[..D].copy_from_slice(forces);
    for (row, k) in tangent.iter().zip(k.chunks_exact_mut(D)) {
        k.copy_from_slice(row);
    }
}
