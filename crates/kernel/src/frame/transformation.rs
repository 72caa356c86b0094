//! From the displacements of the end nodes to the basic deformations of a member, and back with its forces (book: frames 4).
//!
//! Displacements are in the local axes of the undeformed member, x along it. Plane: (x, y, rz) of both ends; space: (x, y, z, rx, ry, rz).

use super::matrix::{Matrix, add_congruent, add_transposed, times};
use super::member::Basic;

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
        let b = [
            [-1.0, 0.0, 0.0, 1.0, 0.0, 0.0],
            [0.0, r, 1.0, 0.0, -r, 0.0],
            [0.0, r, 0.0, 0.0, -r, 1.0],
        ];
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
