//! The bay in the laboratory, twice: as the designer of the test assumes it, which is what the numerical part leaves out, and as it is, which gives the force.
//!
//! Both are a beam on two columns with pinned feet, without axial deformation: x, the rotations at the top and, of the real one, at the feet. The two actuators hold x and one rotation;
//! the other three have no force from outside and next to no mass (56.8 Hz is the lowest frequency of the bay with all of them free), so they follow
//! statically, as in the released model.

use interfield_linalg::{definite_solve, dense_symmetric_generalized};

use super::frame::rayleigh;

/// Modulus of elasticity, Pa.
const E: f64 = 200e9;
const INCH: f64 = 0.0254;
/// Length of the beam, m.
const BEAM: f64 = 0.762;
/// Second moment of area of a column, m⁴, and its section, m².
const COLUMN: [f64; 2] = [2.520 * INCH * INCH * INCH * INCH, 1.670 * INCH * INCH];
/// Damping ratio of both.
const RATIO: f64 = 0.05;

type Matrix<const N: usize> = [[f64; N]; N];

/// The assumed bay: x, rotation at joint 6, rotation at joint 7.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ideal {
    pub(super) mass: [f64; 3],
    pub(super) damping: Matrix<3>,
    pub(super) stiffness: Matrix<3>,
}

impl Ideal {
    pub(super) fn new() -> Self {
        // Density as in the released scripts, a hundred times that of steel.
        let (density, length) = (785e3, 0.635);
        let (inertia, section) = (0.6132 * INCH.powi(4), 0.947 * INCH.powi(2));
        let (column, beam) = (E * COLUMN[0] / length, E * inertia / BEAM);
        let (sway, turn) = (-3.0 * column / length, 3.0 * column + 4.0 * beam);
        let stiffness =
            [[6.0 * column / length.powi(2), sway, sway], [sway, turn, -2.0 * beam], [sway, -2.0 * beam, turn]];
        let masses = [density * section * BEAM, density * COLUMN[1] * length];
        let turning = (masses[0] * BEAM.powi(2) + masses[1] * length.powi(2)) / 24.0;
        let mass = [masses[0] + masses[1], turning, turning];
        let squares = modes(&stiffness, &mass).0;
        let [of_mass, of_stiffness] = rayleigh(RATIO, [squares[0].sqrt(), squares[2].sqrt()]);
        let mut damping = stiffness.map(|row| row.map(|k| of_stiffness * k));
        for (i, m) in mass.iter().enumerate() {
            damping[i][i] += of_mass * m;
        }
        Ideal { mass, damping, stiffness }
    }
}

/// The bay as it is: forces on x, on the rotation of joint 7 (held) and on that of joint 6 (free), from x and the held rotation. Rotations and moments have the sign of the
/// coupler, which is the opposite of the frame's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Specimen {
    /// Mass, damping, stiffness.
    mck: [[[f64; 2]; 3]; 3],
}

/// Free rotations: joint 6, the feet.
const FREE: usize = 3;

impl Specimen {
    pub(super) fn new() -> Self {
        let (stiffness, mass) = Self::whole();
        let (squares, shapes) = modes(&stiffness, &mass);
        let mut damping = [[0.0; 5]; 5];
        for (square, shape) in squares.iter().zip(&shapes) {
            for i in 0..5 {
                for j in 0..5 {
                    damping[i][j] += 2.0 * RATIO * square.sqrt() * mass[i] * shape[i] * shape[j] * mass[j];
                }
            }
        }
        let inertia = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { mass[i] } else { 0.0 }));
        let followed = Self::followed(&stiffness);
        let driven = |matrix: &Matrix<5>| -> [[f64; 2]; 3] {
            std::array::from_fn(|i| std::array::from_fn(|j| (0..5).map(|k| matrix[i][k] * followed[k][j]).sum::<f64>()))
        };
        Specimen { mck: [driven(&inertia), driven(&damping), driven(&stiffness)] }
    }

    /// Stiffness and mass of x, the rotations at the top (held, free) and at the feet (below the free one, below the held one).
    fn whole() -> (Matrix<5>, [f64; 5]) {
        let (density, length, factor) = (7850.0, 0.64135, 1.1);
        let (inertia, section) = (4.21372e-7, 7.56e-4);
        let (column, beam) = (E * 0.7 * COLUMN[0] / length, E * inertia / BEAM);
        let (k12, k6, k4, k2) = (12.0 * column / length.powi(2), 6.0 * column / length, 4.0 * column, 2.0 * column);
        let (top, across) = (k4 + 4.0 * beam, 2.0 * beam);
        let stiffness = [
            [2.0 * k12, k6, k6, k6, k6],
            [k6, top, across, 0.0, k2],
            [k6, across, top, k2, 0.0],
            [k6, 0.0, k2, k4, 0.0],
            [k6, k2, 0.0, 0.0, k4],
        ];
        let masses = [density * section * BEAM, density * COLUMN[1] * length];
        let foot = factor * masses[1] * length.powi(2) / 6.0;
        let joint = factor * (masses[0] * BEAM.powi(2) + masses[1] * length.powi(2)) / 6.0;
        (stiffness, [factor * (masses[0] + 2.0 * masses[1]) / 2.0, joint, joint, foot, foot])
    }

    /// All five from the two that are held.
    fn followed(stiffness: &Matrix<5>) -> [[f64; 2]; 5] {
        let inner: Matrix<FREE> = std::array::from_fn(|i| std::array::from_fn(|j| stiffness[2 + i][2 + j]));
        let mut all = [[0.0; 2]; 5];
        for held in 0..2 {
            all[held][held] = 1.0;
            let right: [f64; FREE] = std::array::from_fn(|i| -stiffness[2 + i][held]);
            // Columns and beams hold their ends: the inner stiffness is positive definite.
            let turned = definite_solve(inner, right).unwrap_or_default();
            (0..FREE).for_each(|i| all[2 + i][held] = turned[i]);
        }
        all
    }

    /// Forces on x, joint 6, joint 7, in the sign of the frame, from acceleration, velocity and displacement of x and the held rotation.
    pub(super) fn forces(&self, motion: [[f64; 2]; 3]) -> [f64; 3] {
        let force = |i: usize| -> f64 {
            self.mck.iter().zip(&motion).map(|(matrix, q)| matrix[i][0] * q[0] + matrix[i][1] * q[1]).sum()
        };
        [force(0), -force(2), -force(1)]
    }
}

/// Squares of the angular frequencies, ascending, and shapes of unit modal mass.
fn modes<const N: usize>(stiffness: &Matrix<N>, mass: &[f64; N]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let inertia: Vec<f64> = (0..N * N).map(|at| if at / N == at % N { mass[at / N] } else { 0.0 }).collect();
    // Masses and stiffness of this file are positive definite.
    dense_symmetric_generalized(&stiffness.concat(), &inertia, N).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bay_has_the_stiffness_and_the_modes_of_the_released_model() {
        let (stiffness, mass) = Specimen::whole();
        let lowest = modes(&stiffness, &mass).0[0].sqrt() / std::f64::consts::TAU;
        assert!((lowest - 56.8464938).abs() < 1e-6, "{lowest}");
        let forces = Specimen::new().forces([[0.0; 2], [0.0; 2], [1.0, 0.0]]);
        assert!((forces[0] / 2.32411667e6 - 1.0).abs() < 1e-8 && (forces[2] / -8.61232488e5 - 1.0).abs() < 1e-8);
        assert!(forces[1].abs() < 1e-6, "nothing holds the free joint: {}", forces[1]);
        let slow = Ideal::new();
        assert!((slow.mass[0] - 902.5273820384).abs() < 1e-6 && (slow.stiffness[0][0] - 4915814.4).abs() < 1e-3);
    }
}
