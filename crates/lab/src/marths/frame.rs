//! The frame in time: Newmark's method of average acceleration (γ = 1/2, β = 1/4) at the sampling interval, for the whole frame and for its numerical part.
//!
//! ```text
//! (K + a₀M + a₁C) u = M (a₀u₀ + a₂v₀ + a₃a₀) + C (a₁u₀ + a₄v₀) - f - M 1 a_g
//! ```
//!
//! The matrices of the right-hand side are multiplied by the inverse of the left one beforehand: a step is a sum of columns.

use interfield_linalg::Lu;

use super::physical::Ideal;
use super::reference::{DOFS, MASS, STIFFNESS};
use super::{FLOORS, INTERFACE, RATE};

/// Rayleigh damping of the reference: the damping ratio at two angular frequencies, rad/s.
const DAMPING: (f64, [f64; 2]) = (0.05, [13.493, 165.125]);

/// Coefficients of mass and stiffness that give a damping ratio at two angular frequencies.
pub(super) fn rayleigh(ratio: f64, [w1, w2]: [f64; 2]) -> [f64; 2] {
    let both = 2.0 * ratio / (w1 + w2);
    [both * w1 * w2, both]
}

/// Mass, damping and stiffness of a frame; square matrices row by row.
#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub(super) mass: [f64; DOFS],
    pub(super) damping: Vec<f64>,
    pub(super) stiffness: Vec<f64>,
}

impl Frame {
    /// The whole frame.
    pub(super) fn reference() -> Self {
        let mut stiffness = vec![0.0; DOFS * DOFS];
        for (i, j, value) in STIFFNESS {
            stiffness[(i - 1) * DOFS + j - 1] = value;
            stiffness[(j - 1) * DOFS + i - 1] = value;
        }
        let [of_mass, of_stiffness] = rayleigh(DAMPING.0, DAMPING.1);
        let mut damping: Vec<f64> = stiffness.iter().map(|k| of_stiffness * k).collect();
        for (i, m) in MASS.iter().enumerate() {
            damping[i * DOFS + i] += of_mass * m;
        }
        Frame { mass: MASS, damping, stiffness }
    }

    /// Without the bay that stands in the laboratory, as far as that is known: the ideal one. Its rotational mass stays out of the numerical part, too.
    pub(super) fn numerical() -> Self {
        let (mut frame, ideal) = (Self::reference(), Ideal::new());
        frame.mass[INTERFACE[0]] -= ideal.mass[0];
        for (i, row) in INTERFACE.iter().enumerate() {
            for (j, column) in INTERFACE.iter().enumerate() {
                frame.stiffness[row * DOFS + column] -= ideal.stiffness[i][j];
                frame.damping[row * DOFS + column] -= ideal.damping[i][j];
            }
        }
        frame
    }
}

/// Natural frequencies of the reference frame, Hz, ascending. Rotations without mass follow statically.
pub fn frequencies() -> Vec<f64> {
    let frame = Frame::reference();
    let heavy: Vec<usize> = (0..DOFS).filter(|i| frame.mass[*i] > 0.0).collect();
    let light: Vec<usize> = (0..DOFS).filter(|i| frame.mass[*i] == 0.0).collect();
    let k = |i: usize, j: usize| frame.stiffness[i * DOFS + j];
    let (n, free) = (heavy.len(), light.len());
    let mut factors = Lu::new(free);
    let inner: Vec<f64> = light.iter().flat_map(|i| light.iter().map(move |j| k(*i, *j))).collect();
    // The rotations of a frame that stands are held by its columns and beams: never singular.
    let Ok(()) = factors.factorize(&inner) else { return Vec::new() };
    let mut condensed = vec![0.0; n * n];
    for (column, j) in heavy.iter().enumerate() {
        let mut turned: Vec<f64> = light.iter().map(|i| k(*i, *j)).collect();
        factors.solve(&mut turned);
        for (row, i) in heavy.iter().enumerate() {
            let relieved: f64 = light.iter().zip(&turned).map(|(l, t)| k(*i, *l) * t).sum();
            condensed[row * n + column] = k(*i, *j) - relieved;
        }
    }
    let mass: Vec<f64> = (0..n * n).map(|at| if at / n == at % n { frame.mass[heavy[at / n]] } else { 0.0 }).collect();
    let squares = interfield_linalg::dense_symmetric_generalized(&condensed, &mass, n).map(|(squares, _)| squares);
    squares.unwrap_or_default().into_iter().map(|w2| w2.max(0.0).sqrt() / std::f64::consts::TAU).collect()
}

type Column = [f64; DOFS];

/// A frame at its time step: parameters only.
#[derive(Clone, Debug)]
pub(super) struct Newmark {
    /// (K + a₀M + a₁C)⁻¹ M, for each degree of freedom that has mass.
    inertia: Vec<(usize, Column)>,
    /// The same inverse times C.
    damping: Vec<Column>,
    /// The same inverse times the unit forces at the interface.
    forces: [Column; 3],
    /// The same inverse times M 1, for a ground acceleration of one.
    ground: Column,
}

/// Displacements, velocities and accelerations of all degrees of freedom.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motions {
    pub(super) u: Column,
    v: Column,
    a: Column,
}

impl Default for Motions {
    fn default() -> Self {
        Motions { u: [0.0; DOFS], v: [0.0; DOFS], a: [0.0; DOFS] }
    }
}

const A0: f64 = 4.0 * RATE * RATE;
const A1: f64 = 2.0 * RATE;
const A2: f64 = 4.0 * RATE;

impl Newmark {
    /// A frame whose floors the ground shakes with the masses of the same frame.
    pub(super) fn new(frame: &Frame) -> Self {
        let mut effective: Vec<f64> = frame.stiffness.iter().zip(&frame.damping).map(|(k, c)| k + A1 * c).collect();
        for (i, m) in frame.mass.iter().enumerate() {
            effective[i * DOFS + i] += A0 * m;
        }
        let mut factors = Lu::new(DOFS);
        let regular = factors.factorize(&effective).is_ok();
        debug_assert!(regular, "the matrices are constants of the benchmark");
        let mut solved = |right: Column| {
            let mut x = right;
            factors.solve(&mut x);
            x
        };
        let unit = |i: usize, value: f64| {
            let mut x = [0.0; DOFS];
            x[i] = value;
            x
        };
        let heavy = (0..DOFS).filter(|i| frame.mass[*i] > 0.0);
        let mut shaken = [0.0; DOFS];
        FLOORS.iter().for_each(|i| shaken[*i] = frame.mass[*i]);
        Newmark {
            inertia: heavy.map(|i| (i, solved(unit(i, frame.mass[i])))).collect(),
            damping: (0..DOFS).map(|j| solved(std::array::from_fn(|i| frame.damping[i * DOFS + j]))).collect(),
            forces: INTERFACE.map(|i| solved(unit(i, 1.0))),
            ground: solved(shaken),
        }
    }

    /// One step with the ground acceleration at its end, m/s², and the forces of the specimen on x, θ of joint 6 and θ of joint 7, N, N m.
    pub(super) fn step(&self, z: &mut Motions, ground: f64, forces: [f64; 3]) {
        let mut u = self.ground.map(|x| -x * ground);
        let mut add = |column: &Column, weight: f64| {
            for (x, c) in u.iter_mut().zip(column) {
                *x += weight * c;
            }
        };
        for (i, column) in &self.inertia {
            add(column, A0 * z.u[*i] + A2 * z.v[*i] + z.a[*i]);
        }
        for (i, column) in self.damping.iter().enumerate() {
            add(column, A1 * z.u[i] + z.v[i]);
        }
        for (column, force) in self.forces.iter().zip(forces) {
            add(column, -force);
        }
        for i in 0..DOFS {
            let a = A0 * (u[i] - z.u[i]) - A2 * z.v[i] - z.a[i];
            z.v[i] += 0.5 / RATE * (z.a[i] + a);
            z.a[i] = a;
        }
        z.u = u;
    }
}
