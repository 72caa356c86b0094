//! From the displacements of the end nodes to the basic deformations of a member, and back with its forces (book: frames 4).
//!
//! Displacements are in the local axes of the undeformed member, x along it. Plane: (x, y, rz) of both ends; space: (x, y, z, rx, ry, rz).

use super::Evaluate;
use super::matrix::{Matrix, add_congruent, add_transposed, dot, times, zeros};
use super::member::Basic;
use crate::portable::angle;
use crate::{Dual, Portable, Scalar};

/// How the motion of a member as a whole is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transformation {
    /// Small displacements.
    Linear,
    /// Small displacements, equilibrium with the axial force on the displaced ends.
    PDelta,
    /// Large displacements and rotations, small deformations.
    Corotational,
}

/// A plane member in motion: its basic deformations, and how they follow the displacements.
#[derive(Clone, Copy, Debug)]
pub struct Plane<T> {
    kind: Transformation,
    length: f64,
    /// Basic deformations.
    pub v: [T; 3],
    b: [[T; 6]; 3],
    /// Direction across the chord, and its length; or the sway of P-Delta.
    across: [T; 6],
    chord: T,
    sway: T,
}

impl<T: Scalar> Plane<T> {
    /// At these displacements of the ends.
    pub fn new(kind: Transformation, l: f64, u: &[T; 6]) -> Self {
        let r = 1.0 / l;
        let b = [[-1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, r, 1.0, 0.0, -r, 0.0], [0.0, r, 0.0, 0.0, -r, 1.0]];
        let b = b.map(|row| row.map(T::constant));
        let linear = Plane {
            kind,
            length: l,
            v: times(&b, u),
            b,
            across: [0.0, r, 0.0, 0.0, -r, 0.0].map(T::constant),
            chord: T::constant(l),
            sway: u[1] - u[4],
        };
        if kind != Transformation::Corotational {
            return linear;
        }
        let (dx, dy) = (u[3] - u[0], u[4] - u[1]);
        let chord = ((dx + l) * (dx + l) + dy * dy).sqrt();
        let (c, s) = ((dx + l) / chord, dy / chord);
        let turn = angle(c, s);
        let nil = T::constant(0.0);
        let along = [-c, -s, nil, c, s, nil];
        let across = [s, -c, nil, -s, c, nil];
        let end = |i: usize| core::array::from_fn(|j| T::constant(f64::from(u8::from(i == j))) - across[j] / chord);
        // The elongation without the difference of two lengths.
        let v = [(dx * (2.0 * l) + dx * dx + dy * dy) / (chord + l), u[2] - turn, u[5] - turn];
        Plane { v, b: [along, end(2), end(5)], across, chord, ..linear }
    }

    /// Forces and tangent at the ends, from those in basic coordinates.
    pub fn ends(&self, (q, k): &Basic<3, T>) -> ([T; 6], Matrix<6, T>) {
        let (mut p, mut out) = ([T::constant(0.0); 6], zeros());
        add_transposed(1.0, &self.b, q, &mut p);
        add_congruent(1.0, &self.b, k, &mut out);
        let z = &self.across;
        match self.kind {
            Transformation::Linear => {}
            Transformation::PDelta => {
                // N times the sway turns the member; and the axial force changes with the deformations.
                for i in 0..6 {
                    p[i] = p[i] + q[0] * self.sway * z[i];
                    for j in 0..6 {
                        let axial = (0..3).fold(T::constant(0.0), |sum, l| sum + k[0][l] * self.b[l][j]);
                        out[i][j] = out[i][j] + (q[0] * self.length * z[i] * z[j] + self.sway * z[i] * axial);
                    }
                }
            }
            Transformation::Corotational => {
                let (n, m) = (q[0] / self.chord, (q[1] + q[2]) / (self.chord * self.chord));
                let r = &self.b[0];
                for i in 0..6 {
                    for j in 0..6 {
                        out[i][j] = out[i][j] + (n * z[i] * z[j] + m * (r[i] * z[j] + z[i] * r[j]));
                    }
                }
            }
        }
        (p, out)
    }
}

/// What a corotational member in space remembers: the rotations of its ends at the last committed point, as quaternions, and the
/// displacements that belong to them (three rotations each).
pub const TRIADS: usize = 14;

/// A space member in motion.
#[derive(Clone, Copy, Debug)]
pub struct Space<T> {
    kind: Transformation,
    length: f64,
    /// Basic deformations.
    pub v: [T; 6],
    b: [[T; 12]; 6],
    /// Sway along y and z.
    sway: [T; 2],
    /// Second derivatives of the deformations, by deformation; zero unless corotational.
    bend: [Matrix<9, T>; 6],
}

/// From the displacements of both ends to the nine that matter: second end against the first, rotations of both.
fn relative(i: usize) -> [Option<(usize, f64)>; 2] {
    match i {
        0..3 => [Some((i, -1.0)), Some((i + 6, 1.0))],
        3..6 => [Some((i, 1.0)), None],
        _ => [Some((i + 3, 1.0)), None],
    }
}

impl<T: Scalar> Space<T> {
    /// At these displacements of the ends. A corotational member composes their rotations since the last committed point with those
    /// before, which `memory` holds, and leaves the result in `next`.
    pub fn new(
        kind: Transformation,
        l: f64,
        u: &[T; 12],
        by: &impl Evaluate<T>,
        (memory, next): (&[T], &mut [T]),
    ) -> Self {
        let (one, r) = (T::constant(1.0), T::constant(1.0 / l));
        let mut b = zeros();
        (b[0][0], b[0][6]) = (-one, one);
        for (row, turn) in [(1, 5), (2, 11)] {
            (b[row][1], b[row][7], b[row][turn]) = (r, -r, one);
        }
        for (row, turn) in [(3, 4), (4, 10)] {
            (b[row][2], b[row][8], b[row][turn]) = (-r, r, one);
        }
        (b[5][3], b[5][9]) = (-one, one);
        let sway = [u[1] - u[7], u[2] - u[8]];
        let mut space = Space { kind, length: l, v: times(&b, u), b, sway, bend: [zeros(); 6] };
        if kind == Transformation::Corotational {
            let part = |i: usize| relative(i).into_iter().flatten();
            let x = core::array::from_fn(|i| part(i).fold(T::constant(0.0), |sum, (j, f)| sum + u[j] * f));
            let turned = by.turned(l, &x, memory);
            (space.v, space.bend) = (turned.v, turned.second);
            space.b = zeros();
            for k in 0..6 {
                for j in 0..9 {
                    part(j).for_each(|(l, f)| space.b[k][l] = turned.first[k][j] * f);
                }
            }
            next[..8].copy_from_slice(&turned.ends);
            next[8..11].copy_from_slice(&u[3..6]);
            next[11..14].copy_from_slice(&u[9..12]);
        }
        space
    }

    /// Forces and tangent at the ends, from those in basic coordinates.
    pub fn ends(&self, (q, k): &Basic<6, T>) -> ([T; 12], Matrix<12, T>) {
        let (mut p, mut out) = ([T::constant(0.0); 12], zeros());
        add_transposed(1.0, &self.b, q, &mut p);
        add_congruent(1.0, &self.b, k, &mut out);
        match self.kind {
            Transformation::Linear => {}
            Transformation::PDelta => {
                let column = |j: usize| core::array::from_fn(|l| self.b[l][j]);
                let axial: [T; 12] = core::array::from_fn(|j| dot(&k[0], &column(j)));
                for (sway, first) in self.sway.into_iter().zip([1, 2]) {
                    let z = |i: usize| if i == first { 1.0 / self.length } else { -1.0 / self.length };
                    for i in [first, first + 6] {
                        p[i] = p[i] + q[0] * sway * z(i);
                        for j in 0..12 {
                            let turned =
                                if j % 6 == first { q[0] * self.length * z(i) * z(j) } else { T::constant(0.0) };
                            out[i][j] = out[i][j] + (turned + sway * z(i) * axial[j]);
                        }
                    }
                }
            }
            Transformation::Corotational => {
                for i in 0..9 {
                    for j in 0..9 {
                        let sum = (0..6).fold(T::constant(0.0), |sum, k| sum + q[k] * self.bend[k][i][j]);
                        for (a, f) in relative(i).into_iter().flatten() {
                            for (b, g) in relative(j).into_iter().flatten() {
                                out[a][b] = out[a][b] + sum * (f * g);
                            }
                        }
                    }
                }
            }
        }
        (p, out)
    }
}

impl Space<f64> {
    /// Writes the memory of a member that was never turned.
    pub fn start(memory: &mut [f64]) {
        memory.fill(0.0);
        (memory[0], memory[4]) = (1.0, 1.0);
    }
}

/// The deformations of a member in space with their derivatives by the nine displacements that matter, and the quaternions of its ends.
#[derive(Clone, Copy, Debug)]
pub struct Turned<T> {
    /// Basic deformations.
    pub v: [T; 6],
    /// Their first derivatives.
    pub first: [[T; 9]; 6],
    /// Their second derivatives.
    pub second: [Matrix<9, T>; 6],
    /// Quaternions of both ends.
    pub ends: [T; 8],
}

/// A corotational member at these displacements: derivatives by numbers that carry them.
pub fn turned(length: f64, x: &[f64; 9], memory: &[f64]) -> Turned<f64> {
    type Second = Dual<Dual<Portable<9>>>;
    let start = core::array::from_fn(|i| memory[i]);
    let ends = corotated(length, x, &start).1;
    let mut out = Turned { v: [0.0; 6], first: [[0.0; 9]; 6], second: [[[0.0; 9]; 9]; 6], ends };
    for i in 0..9 {
        let at: [Second; 9] = core::array::from_fn(|j| Dual {
            re: Dual { re: Portable([x[j]; 9]), eps: Portable(core::array::from_fn(|l| f64::from(u8::from(l == j)))) },
            eps: Dual::constant(f64::from(u8::from(i == j))),
        });
        let v = corotated(length, &at, &start.map(Second::constant)).0;
        for (k, v) in v.into_iter().enumerate() {
            out.second[k][i] = v.eps.eps.0;
            out.first[k] = v.re.eps.0;
            out.v[k] = v.re.re.0[0];
        }
    }
    out
}

/// Basic deformations of a space member whose second end has moved by x[0..3] against the first and whose ends have turned by x[3..6]
/// and x[6..9] since the committed point (Crisfield 1990): rotations of the triads of both ends against that of the chord. Also the
/// quaternions of both ends.
pub fn corotated<T: Scalar>(l: f64, x: &[T; 9], memory: &[T; TRIADS]) -> ([T; 6], [T; 8]) {
    let first =
        compose(core::array::from_fn(|i| x[3 + i] - memory[8 + i]), [memory[0], memory[1], memory[2], memory[3]]);
    let second =
        compose(core::array::from_fn(|i| x[6 + i] - memory[11 + i]), [memory[4], memory[5], memory[6], memory[7]]);
    let (a, b) = (triad(&first), triad(&second));
    let r = triad(&half_way(first, second));
    let d = [x[0], x[1], x[2]];
    let chord = (((d[0] + l) * (d[0] + l)) + d[1] * d[1] + d[2] * d[2]).sqrt();
    let e1 = [(d[0] + l) / chord, d[1] / chord, d[2] / chord];
    // The mean triad, turned so that its first axis is the chord.
    let turned = |r2: [T; 3]| {
        let half = inner(r2, e1) * 0.5;
        core::array::from_fn(|i| r2[i] - half * (r[0][i] + e1[i]))
    };
    let e = [e1, turned(r[1]), turned(r[2])];
    let about = |t: &[[T; 3]; 3], i: usize, j: usize| ((inner(e[j], t[i]) - inner(e[i], t[j])) * 0.5).asin();
    let elongation = (d[0] * (2.0 * l) + d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (chord + l);
    let v = [
        elongation,
        about(&a, 0, 1),
        about(&b, 0, 1),
        about(&a, 2, 0),
        about(&b, 2, 0),
        about(&b, 1, 2) - about(&a, 1, 2),
    ];
    let [p, q, r, s] = first;
    let [t, u, w, z] = second;
    (v, [p, q, r, s, t, u, w, z])
}

fn inner<T: Scalar>(a: [T; 3], b: [T; 3]) -> T {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// The quaternion half-way between two. Its derivative is the mean of the spins of both, as Crisfield has it and as OpenSees computes it: the
/// true one differs by the square of the angle between both ends.
fn half_way<T: Scalar>(first: [T; 4], second: [T; 4]) -> [T; 4] {
    let sum: [T; 4] = core::array::from_fn(|i| first[i].still() + second[i].still());
    let size = sum.iter().fold(T::constant(0.0), |s, &x| s + x * x).sqrt();
    // What an end has turned by since where it is: nothing but its derivative.
    let spin = |q: [T; 4]| {
        let [w, x, y, z] = q.map(T::still);
        product(q, [w, -x, -y, -z])
    };
    let (a, b) = (spin(first), spin(second));
    let [x, y, z] = core::array::from_fn(|i| (a[i + 1] + b[i + 1]) * 0.5);
    let w = (T::constant(1.0) - x * x - y * y - z * z).sqrt();
    product([w, x, y, z], sum.map(|x| x / size))
}

/// Quaternion of the rotation `b` followed by `a`.
fn product<T: Scalar>([w, x, y, z]: [T; 4], [w0, x0, y0, z0]: [T; 4]) -> [T; 4] {
    [
        w * w0 - x * x0 - y * y0 - z * z0,
        w * x0 + x * w0 + y * z0 - z * y0,
        w * y0 - x * z0 + y * w0 + z * x0,
        w * z0 + x * y0 - y * x0 + z * w0,
    ]
}

/// The quaternion of a rotation vector after a committed quaternion.
fn compose<T: Scalar>(turn: [T; 3], before: [T; 4]) -> [T; 4] {
    // sin(a/2)/a and cos(a/2) of the angle a, by their series: steps turn by far less than one.
    let square = inner(turn, turn) * 0.25;
    let series = |terms: [f64; 8]| terms.into_iter().rev().fold(T::constant(0.0), |sum, c| sum * square + c);
    let factorials = [1.0, 2.0, 24.0, 720.0, 40_320.0, 3_628_800.0, 479_001_600.0, 87_178_291_200.0];
    let signed = |i: usize, x: f64| if i.is_multiple_of(2) { x } else { -x };
    let c = series(core::array::from_fn(|i| signed(i, 1.0 / factorials[i])));
    let s = series(core::array::from_fn(|i| signed(i, 1.0 / (factorials[i] * (2 * i + 1) as f64)))) * 0.5;
    let [x, y, z] = turn.map(|a| a * s);
    product([c, x, y, z], before)
}

/// The three axes that a unit quaternion turns the fixed ones into.
fn triad<T: Scalar>(&[w, x, y, z]: &[T; 4]) -> [[T; 3]; 3] {
    let two = |a: T| a * 2.0;
    let one = T::constant(1.0);
    [
        [one - two(y * y + z * z), two(x * y + w * z), two(x * z - w * y)],
        [two(x * y - w * z), one - two(x * x + z * z), two(y * z + w * x)],
        [two(x * z + w * y), two(y * z - w * x), one - two(x * x + y * y)],
    ]
}
