//! A part of a frame as the assembly sees it: forces and tangent at its coordinates from these and its memory, whatever its kind.
//!
//! Coordinates are linear in the displacements of the nodes; whoever assembles knows axes, offsets and directions.

use super::bearing::Bearing;
use super::member::{Formulation, Member, Spread, supports};
use super::transformation::{Plane, Space, TRIADS, Transformation};
use super::{Evaluate, Tables};
use crate::uniaxial::Pace;
use crate::uniaxial::material::Material;
use crate::{Dual, Scalar};

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
    /// Materials between two nodes at one place, each along a direction of its own. Coordinates: the displacement of the second node against the
    /// first along each.
    Springs {
        /// Materials: forces over elongations, moments over rotations.
        materials: [Material; DIRECTIONS],
        /// How many of them.
        count: usize,
    },
    /// A cross-section between two nodes at one place. Coordinates: the strains of the section, which are displacements and rotations of the
    /// second node against the first: (x, rz), in space (x, rz, ry, rx).
    Slice {
        /// Number of the section.
        section: usize,
        /// Coordinates: 2 or 4.
        size: usize,
    },
    /// A member in the plane. Coordinates: (x, y, rz) of both ends in local axes.
    Plane(Member, Transformation),
    /// A member in space. Coordinates: (x, y, z, rx, ry, rz) of both ends in local axes.
    Space(Member, Transformation),
    /// A bearing, with the coordinates of a member in the plane or in space.
    Bearing(Bearing),
}

/// Most directions of springs between two nodes.
pub const DIRECTIONS: usize = 6;

/// Most coordinates of a part.
pub const SIZE: usize = 12;

/// Where a part is: time, coordinates, and the load spread along it.
#[derive(Clone, Copy, Debug)]
pub struct At<'a, T = f64> {
    /// Time, s.
    pub t: T,
    /// Coordinates.
    pub q: &'a [T],
    /// Their rates; none means rest.
    pub v: &'a [T],
    /// Rate of the coordinates below which viscous forces are linear, see [`Pace::calm`].
    pub calm: f64,
    /// Load along a member, N/m in local axes.
    pub load: Spread,
}

impl Part {
    /// For a system that is iterated: a fixed number of passes would leave it an unbalance that no iteration removes.
    pub fn iterate(&mut self) {
        if let Part::Plane(member, _) | Part::Space(member, _) = self
            && let Formulation::Force { .. } = member.formulation
        {
            member.formulation = Formulation::ITERATED;
        }
    }

    /// Number of coordinates.
    pub fn size(&self) -> usize {
        match self {
            Part::Spring { .. } => 1,
            Part::Truss { size, .. } | Part::Slice { size, .. } => *size,
            Part::Springs { count, .. } => *count,
            Part::Plane(..) => 6,
            Part::Space(..) => 12,
            Part::Bearing(bearing) => bearing.size(),
        }
    }

    /// Numbers that it remembers.
    pub fn memory(&self, tables: &Tables<'_>) -> usize {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.history(),
            Part::Springs { materials, count } => materials[..*count].iter().map(Material::history).sum(),
            Part::Slice { section, .. } => tables.sections[*section].history(tables),
            Part::Plane(member, _) if member.sheared => member.memory::<3, 3>(tables),
            Part::Plane(member, _) => member.memory::<2, 3>(tables),
            Part::Space(member, _) if member.sheared => TRIADS + member.memory::<6, 6>(tables),
            Part::Space(member, _) => TRIADS + member.memory::<4, 6>(tables),
            Part::Bearing(bearing) => bearing.memory(),
        }
    }

    /// Whether the mean of two of its memories is one, see [`Material::mixes`]. Force-based members remember their stiffness, members in
    /// space how their ends have turned: these are taken as a whole.
    pub fn mixes(&self, tables: &Tables<'_>) -> bool {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.mixes(&tables.library),
            Part::Springs { materials, count } => materials[..*count].iter().all(|m| m.mixes(&tables.library)),
            Part::Slice { section, .. } => tables.sections[*section].mixes(tables),
            Part::Plane(member, _) => {
                let sections = &member.rule.section[..member.rule.count];
                member.formulation == Formulation::Displacement
                    && sections.iter().all(|s| tables.sections[*s].mixes(tables))
            }
            Part::Space(..) => false,
            Part::Bearing(bearing) => bearing.mixes(tables),
        }
    }

    /// Writes the memory of a part that was never moved.
    pub fn start(&self, tables: &Tables<'_>, memory: &mut [f64]) {
        match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => material.start(&tables.library, 1, memory),
            Part::Springs { materials, count } => {
                let mut rest = memory;
                for material in &materials[..*count] {
                    let (mine, others) = rest.split_at_mut(material.history());
                    material.start(&tables.library, 1, mine);
                    rest = others;
                }
            }
            Part::Slice { section, .. } => tables.sections[*section].start(tables, memory),
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
        memory: (&[f64], &mut [f64]),
        at: At<'_>,
        p: &mut [f64],
        k: &mut [f64],
    ) {
        self.respond(tables, memory, at, p, k);
    }

    /// [`Part::evaluate`] in any scalar.
    pub fn respond<T: Scalar>(
        &self,
        by: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
        at: At<'_, T>,
        p: &mut [T],
        k: &mut [T],
    ) {
        match self {
            Part::Spring { material, area, length } => {
                let pace = at.pace(|_| T::constant(1.0), *length);
                let (s, e) = strained(by, material, (memory, next), at.q[0] / *length, pace);
                (p[0], k[0]) = (s * *area, e * (area / length));
            }
            Part::Truss { material, area, length, size } => {
                let (now, strain, direction) = turned(*length, &at.q[..*size]);
                let pace = at.pace(&direction, *length);
                let (s, e) = strained(by, material, (memory, next), strain, pace);
                let (force, stiffness) = (s * *area, e * (area / length));
                for i in 0..*size {
                    p[i] = force * direction(i);
                    for j in 0..*size {
                        let along = direction(i) * direction(j);
                        let across = T::constant(f64::from(u8::from(i == j))) - along;
                        k[i * size + j] = stiffness * along + force / now * across;
                    }
                }
            }
            Part::Springs { materials, count } => {
                k.fill(T::constant(0.0));
                let mut first = 0;
                for (i, material) in materials[..*count].iter().enumerate() {
                    let range = first..first + material.history();
                    first = range.end;
                    let memory = (&memory[range.clone()], &mut next[range]);
                    (p[i], k[i * (count + 1)]) = strained(by, material, memory, at.q[i], at.along(i));
                }
            }
            Part::Slice { section, size: 2 } => slice::<2, T>(by, *section, (memory, next), at, p, k),
            Part::Slice { section, .. } => slice::<4, T>(by, *section, (memory, next), at, p, k),
            Part::Plane(member, kind) => {
                let plane = Plane::new(*kind, member.length, &core::array::from_fn(|i| at.q[i]));
                let on = (at.t, &at.load);
                let basic = match member.sheared {
                    true => member.evaluate::<3, 3, T>(by, (memory, next), &plane.v, on),
                    false => member.evaluate::<2, 3, T>(by, (memory, next), &plane.v, on),
                };
                let (mut forces, tangent) = plane.ends(&basic);
                let [x, y, _] = supports(member.length, &at.load).map(T::constant);
                for (i, more) in [(0, x), (1, y), (4, y)] {
                    forces[i] = forces[i] + more;
                }
                put(&forces, &tangent, p, k);
            }
            Part::Space(member, kind) => {
                let (triads, rest) = memory.split_at(TRIADS);
                let (triads_next, rest_next) = next.split_at_mut(TRIADS);
                triads_next.copy_from_slice(triads);
                let q = core::array::from_fn(|i| at.q[i]);
                let space = Space::new(*kind, member.length, &q, by, (triads, triads_next));
                let on = (at.t, &at.load);
                let basic = match member.sheared {
                    true => member.evaluate::<6, 6, T>(by, (rest, rest_next), &space.v, on),
                    false => member.evaluate::<4, 6, T>(by, (rest, rest_next), &space.v, on),
                };
                let (mut forces, tangent) = space.ends(&basic);
                let [x, y, z] = supports(member.length, &at.load).map(T::constant);
                for (i, more) in [(0, x), (1, y), (2, z), (7, y), (8, z)] {
                    forces[i] = forces[i] + more;
                }
                put(&forces, &tangent, p, k);
            }
            Part::Bearing(bearing) => bearing.evaluate(by, (memory, next), at, p, k),
        }
    }

    /// Whether the slopes of its forces by the rates of its coordinates change with these.
    pub fn follows_rate(&self, tables: &Tables<'_>) -> bool {
        let materials = match self {
            Part::Spring { material, .. } | Part::Truss { material, .. } => core::slice::from_ref(material),
            Part::Springs { materials, count } => &materials[..*count],
            Part::Bearing(_) | Part::Slice { .. } | Part::Plane(..) | Part::Space(..) => &[],
        };
        materials.iter().any(|m| m.follows_rate(&tables.library))
    }

    /// How its forces at `at`, reached from `memory`, change with the rates of its coordinates: `c` by rows.
    pub fn damping<T: Scalar>(&self, by: &impl Evaluate<T>, memory: &[T], at: At<'_, T>, c: &mut [T]) {
        c.fill(T::constant(0.0));
        let from = |first: usize, material: &Material, e: T, pace: Pace<T>| {
            let mut pace = pace.fixed();
            pace.rate = pace.rate.map(|rate| Dual { eps: T::constant(1.0), ..rate });
            let e = Dual { re: e, eps: T::constant(0.0) };
            by.advance(material, &|i| memory[first + i], e, &pace, &mut |_, _| ()).eps
        };
        let slope = |material: &Material, e: T, pace: Pace<T>| from(0, material, e, pace);
        match self {
            Part::Spring { material, area, length } => {
                let pace = at.pace(|_| T::constant(1.0), *length);
                c[0] = slope(material, at.q[0] / *length, pace) * (area / length);
            }
            Part::Truss { material, area, length, size } => {
                let (_, strain, direction) = turned(*length, &at.q[..*size]);
                let along = slope(material, strain, at.pace(&direction, *length)) * (area / length);
                (0..size * size).for_each(|i| c[i] = along * direction(i / size) * direction(i % size));
            }
            Part::Springs { materials, count } => {
                let mut first = 0;
                for (i, material) in materials[..*count].iter().enumerate() {
                    c[i * (count + 1)] = from(first, material, at.q[i], at.along(i));
                    first += material.history();
                }
            }
            Part::Bearing(bearing) => bearing.damping(by, memory, at, c),
            Part::Slice { .. } | Part::Plane(..) | Part::Space(..) => {}
        }
    }
}

/// Forces and tangent of a cross-section between two nodes at one place.
fn slice<const N: usize, T: Scalar>(
    by: &impl Evaluate<T>,
    section: usize,
    memory: (&[T], &mut [T]),
    at: At<'_, T>,
    p: &mut [T],
    k: &mut [T],
) {
    let strains: [T; N] = core::array::from_fn(|i| at.q[i]);
    let (forces, tangent) = by.tables().sections[section].respond(by, memory, &strains, at.t);
    put(&forces, &tangent, p, k);
}

/// Present length, strain and direction of a bar that has turned with its ends.
fn turned<T: Scalar>(length: f64, q: &[T]) -> (T, T, impl Fn(usize) -> T) {
    let square = q.iter().fold(T::constant(0.0), |sum, &x| sum + x * x);
    let longer = q[0] * (2.0 * length) + square;
    let now = (longer + length * length).sqrt();
    let strain = longer / (now + length) / length;
    (now, strain, move |i| if i == 0 { (q[0] + length) / now } else { q[i] / now })
}

/// Stress and tangent of one fibre of a material, at a rate of its strain.
pub(super) fn strained<T: Scalar>(
    by: &impl Evaluate<T>,
    material: &Material,
    (memory, next): (&[T], &mut [T]),
    e: T,
    pace: Pace<T>,
) -> (T, T) {
    let strain = Dual { re: e, eps: T::constant(1.0) };
    let s = by.advance(material, &|i| memory[i], strain, &pace.fixed(), &mut |i, x| next[i] = x);
    (s.re, s.eps)
}

impl<T: Scalar> At<'_, T> {
    /// The pace of a strain that is the projection of the coordinates on `direction` over `length`.
    pub(super) fn pace(&self, direction: impl Fn(usize) -> T, length: f64) -> Pace<T> {
        let rate = self.v.iter().enumerate().fold(T::constant(0.0), |sum, (i, &v)| sum + direction(i) * v);
        Pace { t: self.t, rate: Some(rate / length), calm: self.calm / length }
    }

    /// The pace of one coordinate.
    fn along(&self, i: usize) -> Pace<T> {
        self.pace(|j| T::constant(f64::from(u8::from(i == j))), 1.0)
    }
}

/// Forces and tangent as slices.
fn put<const D: usize, T: Scalar>(forces: &[T; D], tangent: &[[T; D]; D], p: &mut [T], k: &mut [T]) {
    p[..D].copy_from_slice(forces);
    for (row, k) in tangent.iter().zip(k.chunks_exact_mut(D)) {
        k.copy_from_slice(row);
    }
}
