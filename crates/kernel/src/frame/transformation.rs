//! From the displacements of the end nodes to the basic deformations of a member, and back with its forces (book: frames 4).
//!
//! Displacements are in the local axes of the undeformed member, x along it. Plane: (x, y, rz) of both ends; space: (x, y, z, rx, ry, rz).

use super::matrix::{Matrix, add_congruent, add_transposed, times};
use super::member::Basic;
use crate::{Dual, Lanes, Scalar};

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
pub struct Plane {
    kind: Transformation,
    length: f64,
    /// Basic deformations.
    pub v: [f64; 3],
    b: [[f64; 6]; 3],
    /// Direction across the chord, and its length; or the sway of P-Delta.
    across: [f64; 6],
    chord: f64,
    sway: f64,
}

impl Plane {
    /// At these displacements of the ends.
    pub fn new(kind: Transformation, l: f64, u: &[f64; 6]) -> Self {
        let r = 1.0 / l;
        let b = [[-1.0, 0.0, 0.0, 1.0, 0.0, 0.0], [0.0, r, 1.0, 0.0, -r, 0.0], [0.0, r, 0.0, 0.0, -r, 1.0]];
        let linear = Plane {
            kind,
            length: l,
            v: times(&b, u),
            b,
            across: [0.0, r, 0.0, 0.0, -r, 0.0],
            chord: l,
            sway: u[1] - u[4],
        };
        if kind != Transformation::Corotational {
            return linear;
        }
        let (dx, dy) = (u[3] - u[0], u[4] - u[1]);
        let chord = libm::hypot(l + dx, dy);
        let (c, s) = ((l + dx) / chord, dy / chord);
        let turn = libm::atan2(dy, l + dx);
        let along = [-c, -s, 0.0, c, s, 0.0];
        let across = [s, -c, 0.0, -s, c, 0.0];
        let end = |i: usize| core::array::from_fn(|j| f64::from(u8::from(i == j)) - across[j] / chord);
        // The elongation without the difference of two lengths.
        let v = [(2.0 * l * dx + dx * dx + dy * dy) / (chord + l), u[2] - turn, u[5] - turn];
        Plane { v, b: [along, end(2), end(5)], across, chord, ..linear }
    }

    /// Forces and tangent at the ends, from those in basic coordinates.
    pub fn ends(&self, (q, k): &Basic<3>) -> ([f64; 6], Matrix<6>) {
        let (mut p, mut out) = ([0.0; 6], [[0.0; 6]; 6]);
        add_transposed(1.0, &self.b, q, &mut p);
        add_congruent(1.0, &self.b, k, &mut out);
        let z = &self.across;
        match self.kind {
            Transformation::Linear => {}
            Transformation::PDelta => {
                // N times the sway turns the member; and the axial force changes with the deformations.
                let follow: [f64; 3] = k[0];
                for i in 0..6 {
                    p[i] += q[0] * self.sway * z[i];
                    for j in 0..6 {
                        let axial: f64 = (0..3).map(|l| follow[l] * self.b[l][j]).sum();
                        out[i][j] += q[0] * self.length * z[i] * z[j] + self.sway * z[i] * axial;
                    }
                }
            }
            Transformation::Corotational => {
                let (n, m) = (q[0] / self.chord, (q[1] + q[2]) / (self.chord * self.chord));
                let r = &self.b[0];
                for i in 0..6 {
                    for j in 0..6 {
                        out[i][j] += n * z[i] * z[j] + m * (r[i] * z[j] + z[i] * r[j]);
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
pub struct Space {
    kind: Transformation,
    length: f64,
    /// Basic deformations.
    pub v: [f64; 6],
    b: [[f64; 12]; 6],
    /// Sway along y and z.
    sway: [f64; 2],
    /// Second derivatives of the deformations, by deformation; zero unless corotational.
    bend: [Matrix<9>; 6],
}

/// From the displacements of both ends to the nine that matter: second end against the first, rotations of both.
fn relative(i: usize) -> [(usize, f64); 2] {
    match i {
        0..3 => [(i, -1.0), (i + 6, 1.0)],
        3..6 => [(i, 1.0), (i, 0.0)],
        _ => [(i + 3, 1.0), (i + 3, 0.0)],
    }
}

impl Space {
    /// Writes the memory of a member that was never turned.
    pub fn start(memory: &mut [f64]) {
        memory.fill(0.0);
        (memory[0], memory[4]) = (1.0, 1.0);
    }

    /// At these displacements of the ends. A corotational member composes their rotations since the last committed point with those
    /// before, which `memory` holds, and leaves the result in `next`.
    pub fn new(kind: Transformation, l: f64, u: &[f64; 12], (memory, next): (&[f64], &mut [f64])) -> Self {
        let r = 1.0 / l;
        let mut b = [[0.0; 12]; 6];
        (b[0][0], b[0][6]) = (-1.0, 1.0);
        for (row, turn) in [(1, 5), (2, 11)] {
            (b[row][1], b[row][7], b[row][turn]) = (r, -r, 1.0);
        }
        for (row, turn) in [(3, 4), (4, 10)] {
            (b[row][2], b[row][8], b[row][turn]) = (-r, r, 1.0);
        }
        (b[5][3], b[5][9]) = (-1.0, 1.0);
        let sway = [u[1] - u[7], u[2] - u[8]];
        let linear = Space { kind, length: l, v: times(&b, u), b, sway, bend: [[[0.0; 9]; 9]; 6] };
        if kind != Transformation::Corotational {
            return linear;
        }
        linear.turned(u, (memory, next))
    }

    /// The deformations with their first and second derivatives, by numbers that carry them.
    fn turned(mut self, u: &[f64; 12], (memory, next): (&[f64], &mut [f64])) -> Self {
        type Second = Dual<Dual<Lanes<9>>>;
        let x: [f64; 9] = core::array::from_fn(|i| relative(i).iter().map(|&(j, f)| f * u[j]).sum());
        for i in 0..9 {
            let at: [Second; 9] = core::array::from_fn(|j| Dual {
                re: Dual { re: Lanes([x[j]; 9]), eps: Lanes(core::array::from_fn(|l| f64::from(u8::from(l == j)))) },
                eps: Dual::constant(f64::from(u8::from(i == j))),
            });
            let v = corotated(self.length, &at, memory).0;
            for (k, v) in v.into_iter().enumerate() {
                self.bend[k][i] = v.eps.eps.0;
                if i == 0 {
                    self.v[k] = v.re.re.0[0];
                    let first = v.re.eps.0;
                    self.b[k] = [0.0; 12];
                    (0..9).for_each(|j| relative(j).iter().for_each(|&(l, f)| self.b[k][l] += f * first[j]));
                }
            }
        }
        next[..8].copy_from_slice(&corotated(self.length, &x, memory).1);
        next[8..11].copy_from_slice(&u[3..6]);
        next[11..14].copy_from_slice(&u[9..12]);
        self
    }

    /// Forces and tangent at the ends, from those in basic coordinates.
    pub fn ends(&self, (q, k): &Basic<6>) -> ([f64; 12], Matrix<12>) {
        let (mut p, mut out) = ([0.0; 12], [[0.0; 12]; 12]);
        add_transposed(1.0, &self.b, q, &mut p);
        add_congruent(1.0, &self.b, k, &mut out);
        match self.kind {
            Transformation::Linear => {}
            Transformation::PDelta => {
                let axial: [f64; 12] = core::array::from_fn(|j| (0..6).map(|l| k[0][l] * self.b[l][j]).sum());
                for (sway, first) in self.sway.into_iter().zip([1, 2]) {
                    let mut z = [0.0; 12];
                    (z[first], z[first + 6]) = (1.0 / self.length, -1.0 / self.length);
                    for i in [first, first + 6] {
                        p[i] += q[0] * sway * z[i];
                        for j in 0..12 {
                            out[i][j] += q[0] * self.length * z[i] * z[j] + sway * z[i] * axial[j];
                        }
                    }
                }
            }
            Transformation::Corotational => {
                for i in 0..9 {
                    for j in 0..9 {
                        let sum: f64 = (0..6).map(|k| q[k] * self.bend[k][i][j]).sum();
                        for (a, f) in relative(i) {
                            for (b, g) in relative(j) {
                                out[a][b] += f * g * sum;
                            }
                        }
                    }
                }
            }
        }
        (p, out)
    }
}

/// Basic deformations of a space member whose second end has moved by x[0..3] against the first and whose ends have turned by x[3..6]
/// and x[6..9] since the committed point (Crisfield 1990): rotations of the triads of both ends against that of the chord. Also the
/// quaternions of both ends.
fn corotated<T: Scalar>(l: f64, x: &[T; 9], memory: &[f64]) -> ([T; 6], [T; 8]) {
    let first = compose(core::array::from_fn(|i| x[3 + i] - memory[8 + i]), &memory[..4]);
    let second = compose(core::array::from_fn(|i| x[6 + i] - memory[11 + i]), &memory[4..8]);
    let (a, b) = (triad(&first), triad(&second));
    // Half-way between both ends.
    let sum: [T; 4] = core::array::from_fn(|i| first[i] + second[i]);
    let size = sum.iter().fold(T::constant(0.0), |s, &x| s + x * x).sqrt();
    let r = triad(&sum.map(|x| x / size));
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

/// The quaternion of a rotation vector after a committed quaternion.
fn compose<T: Scalar>(turn: [T; 3], before: &[f64]) -> [T; 4] {
    // sin(a/2)/a and cos(a/2) of the angle a, by their series: steps turn by far less than one.
    let square = inner(turn, turn) * 0.25;
    let series = |terms: [f64; 8]| terms.into_iter().rev().fold(T::constant(0.0), |sum, c| sum * square + c);
    let factorials = [1.0, 2.0, 24.0, 720.0, 40_320.0, 3_628_800.0, 479_001_600.0, 87_178_291_200.0];
    let signed = |i: usize, x: f64| if i.is_multiple_of(2) { x } else { -x };
    let c = series(core::array::from_fn(|i| signed(i, 1.0 / factorials[i])));
    let s = series(core::array::from_fn(|i| signed(i, 1.0 / (factorials[i] * (2 * i + 1) as f64)))) * 0.5;
    let [x, y, z] = turn.map(|a| a * s);
    let [w0, x0, y0, z0] = [before[0], before[1], before[2], before[3]];
    [
        c * w0 - x * x0 - y * y0 - z * z0,
        c * x0 + x * w0 + y * z0 - z * y0,
        c * y0 - x * z0 + y * w0 + z * x0,
        c * z0 + x * y0 - y * x0 + z * w0,
    ]
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
